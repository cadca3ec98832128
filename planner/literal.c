/* Literals as points. Numbers are decimals of any length, dates may have any year, fractions
   may go beyond the unit: nothing is rounded, but for float columns. */
#include "planner/literal_text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

/* ---------------------------------------------------------------- floats */
static bool to_double(lake_arena *arena, lake_str text, bool negative, double *out, bool *memory) {
    lake_str word = text;
    bool minus = take(&word, '-');
    if (!minus)
        take(&word, '+');
    if ((word.len == 3 && strncasecmp(word.ptr, "inf", 3) == 0) ||
        (word.len == 8 && strncasecmp(word.ptr, "infinity", 8) == 0)) {
        *out = minus != negative ? -INFINITY : INFINITY;
        return true;
    }
    if (!lake_number_valid(text))
        return false;
    lake_str copy = lake_arena_str(arena, text.ptr, text.len);
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* glibc's is static: nothing is allocated */
    if (!copy.ptr || !c) {
        *memory = true;
        return false;
    }
    double v = strtod_l(copy.ptr, NULL, c);
    freelocale(c);
    *out = negative ? -v : v;
    return true;
}

static bool float_point(lake_arena *arena, const lake_literal *v, bool is_float, bool round_float, lake_point *out,
    bool *inexact, bool *memory) {
    double d;
    if (!to_double(arena, v->text, v->negative, &d, memory))
        return false;
    if (is_float && isfinite(d)) {
        double f = (double)(float)d;
        if (isfinite(f) && f != d) { /* beyond every finite float: it stays the double it is */
            *inexact = true;
            if (round_float)
                d = f;
        }
    }
    out->at = (lake_end){.key.f = d, .at = LAKE_END_KEY};
    return true;
}

/* ---------------------------------------------------------------- bytes */
static bool hex_point(lake_arena *arena, lake_str text, bool dashes, size_t want, lake_point *out, bool *memory) {
    uint8_t *bytes = lake_arena_alloc(arena, text.len / 2 + 1);
    size_t n = 0, half = 0;
    if (!bytes) {
        *memory = true;
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (dashes && text.ptr[i] == '-')
            continue;
        int h = lake_hex_digit(text.ptr[i]);
        if (h < 0)
            return false;
        if (half++ % 2)
            bytes[n - 1] = (uint8_t)(bytes[n - 1] << 4 | h);
        else
            bytes[n++] = (uint8_t)h;
    }
    out->at = (lake_end){.key.b = {bytes, n}, .at = LAKE_END_KEY};
    return half % 2 == 0 && (!want || n == want);
}

/* A fixed of another length equals no value of the column, but has a place between two of them. */
static bool misfit_fixed(lake_arena *arena, size_t length, lake_point *out) {
    lake_bytes b = out->at.key.b;
    uint8_t *bytes = lake_arena_alloc(arena, length + 1);
    if (!bytes)
        return false;
    memset(bytes, 0, length + 1);
    memcpy(bytes, b.ptr, b.len < length ? b.len : length);
    out->at = (lake_end){.key.b = {bytes, length}, .at = LAKE_END_KEY};
    size_t i = b.len < length ? 0 : length;
    while (i > 0 && ++bytes[i - 1] == 0)
        i--;
    if (i == 0 && b.len > length)
        out->at = (lake_end){.at = LAKE_END_TOP};
    out->after = out->at;
    return true;
}

/* ---------------------------------------------------------------- all */
static bool point(lake_arena *arena, const lake_literal *v, const lake_type *type, bool round_float, lake_point *out,
    bool *inexact, bool *memory) {
    bool number = v->kind == LAKE_LITERAL_NUMBER;
    bool text = v->kind == LAKE_LITERAL_STRING || v->kind == LAKE_LITERAL_JSON;
    switch (type->id) {
    case LAKE_BOOLEAN:
        if (text && v->text.len == 4 && strncasecmp(v->text.ptr, "true", 4) == 0)
            lake_point_make(1, false, 0, &out->at, &out->after);
        else if (text && v->text.len == 5 && strncasecmp(v->text.ptr, "false", 5) == 0)
            lake_point_make(0, false, 0, &out->at, &out->after);
        else if (v->kind == LAKE_LITERAL_BOOL)
            lake_point_make(v->truth, false, 0, &out->at, &out->after);
        else
            return false;
        return true;
    case LAKE_INT:
    case LAKE_LONG:
    case LAKE_DECIMAL:
        return (number || text) &&
            lake_number_point(v->text, v->negative, type->id == LAKE_DECIMAL ? type->scale : 0, &out->at, &out->after);
    case LAKE_FLOAT:
    case LAKE_DOUBLE:
        return (number || text) && float_point(arena, v, type->id == LAKE_FLOAT, round_float, out, inexact, memory);
    case LAKE_TIME: return (text || v->kind == LAKE_LITERAL_TIME) && lake_time_point(v->text, &out->at, &out->after);
    case LAKE_DATE:
    case LAKE_TIMESTAMP:
    case LAKE_TIMESTAMPTZ:
    case LAKE_TIMESTAMP_NS:
    case LAKE_TIMESTAMPTZ_NS:
        if (number)
            return lake_number_point(v->text, v->negative, 0, &out->at, &out->after);
        return (text || v->kind == LAKE_LITERAL_DATE || v->kind == LAKE_LITERAL_TIMESTAMP) &&
            lake_instant_point(v->text, lake_type_per_day(type), &out->at, &out->after);
    case LAKE_STRING:
        if (!text)
            return false;
        out->at = (lake_end){.key.b = lake_bytes_of(v->text), .at = LAKE_END_KEY};
        return true;
    case LAKE_UUID:
        return (text || v->kind == LAKE_LITERAL_UUID || v->kind == LAKE_LITERAL_HEX) &&
            hex_point(arena, v->text, true, 16, out, memory);
    case LAKE_FIXED:
    case LAKE_BINARY:
        return (v->kind == LAKE_LITERAL_JSON || v->kind == LAKE_LITERAL_HEX) &&
            hex_point(arena, v->text, false, 0, out, memory);
    default: return false;
    }
}

/* What to write instead of a literal that does not fit the type. */
static const char *instead(const lake_literal *v, const lake_type *type) {
    if (v->kind != LAKE_LITERAL_STRING)
        return "";
    if ((type->id == LAKE_FLOAT || type->id == LAKE_DOUBLE) && v->text.len == 3 &&
        strncasecmp(v->text.ptr, "NaN", 3) == 0)
        return "; write IS NAN";
    return lake_type_kind(type) == LAKE_KEY_BYTES && type->id != LAKE_UUID ? "; write X'…'" : "";
}

/* DATE '…' takes a date only, so that nothing is cut off silently. */
static bool well_formed(const lake_literal *v) {
    lake_end a, b;
    lake_str s = v->text;
    switch (v->kind) {
    case LAKE_LITERAL_DATE: return lake_date_valid(s);
    case LAKE_LITERAL_TIMESTAMP: return lake_instant_point(s, 86400000000, &a, &b);
    case LAKE_LITERAL_TIME: return lake_time_point(s, &a, &b);
    default: return true;
    }
}

lake_status lake_literal_point(lake_arena *arena, const lake_literal *v, const lake_type *type, bool round_float,
    lake_point *out, bool *inexact, lake_error *err) {
    bool changed = false, memory = false;
    lake_key_kind kind = lake_type_kind(type);
    if (!well_formed(v))
        return lake_fail_at(err, LAKE_ERR_USAGE, v->offset, "%.*s is not well-formed",
            (int)(v->sql.len > 60 ? 60 : v->sql.len), v->sql.ptr);
    if (!point(arena, v, type, round_float, out, &changed, &memory)) {
        if (memory)
            return lake_fail_memory(err);
        lake_buffer name;
        lake_buffer_init(&name);
        lake_type_print(&name, type);
        lake_str n = lake_buffer_view(&name);
        lake_status s = lake_fail_at(err, LAKE_ERR_USAGE, v->offset, "%.*s cannot be compared with %s %.*s%s",
            (int)(v->sql.len > 60 ? 60 : v->sql.len), v->sql.ptr, type->id == LAKE_INT ? "an" : "a", LAKE_ARG(n),
            instead(v, type));
        lake_buffer_clear(&name);
        return s;
    }
    if (type->id == LAKE_FIXED && out->at.key.b.len != (size_t)type->length) {
        if (!misfit_fixed(arena, (size_t)type->length, out))
            return lake_fail_memory(err);
    } else if (kind != LAKE_KEY_INT && !lake_key_next(arena, kind, out->at.key, &out->after))
        return lake_fail_memory(err);
    if (inexact)
        *inexact |= changed;
    return LAKE_OK;
}
