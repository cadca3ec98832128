/* JSON single values and the form for people (spec.md, Appendix D, "JSON single-value serialization"). Reading is
   strict about each type's own form; text that people write is read in value_text.c. */
#include <math.h>

#include "format/value_internal.h"

static bool has_zone(const lake_type *t) {
    return t->id == LAKE_TIMESTAMPTZ || t->id == LAKE_TIMESTAMPTZ_NS;
}

/* Seconds and nanos in the unit of a type with `per_day` units; false if digits would be lost or it is out of range. */
static bool to_units(const lake_instant *t, int64_t per_day, lake_i128 *out) {
    int64_t nanos_per_unit = 86400 * INT64_C(1000000000) / per_day;
    lake_i128 nanos = (lake_i128)t->seconds * 1000000000 + t->nanos;
    *out = (nanos - (nanos % nanos_per_unit + nanos_per_unit) % nanos_per_unit) / nanos_per_unit;
    return !t->beyond_nanos && nanos % nanos_per_unit == 0;
}

static bool in_range(const lake_type *type, lake_i128 v) {
    lake_end lo, hi;
    lake_type_range(type, &lo, &hi);
    return lo.at != LAKE_END_KEY || (v >= lo.key.i && v < hi.key.i);
}

static bool read_moment(const lake_type *type, lake_str text, lake_i128 *out) {
    lake_instant t;
    if (type->id == LAKE_TIME)
        return lake_clock_parse(text, &t) && to_units(&t, 86400 * INT64_C(1000000), out);
    if (!lake_instant_parse(text, &t) || t.has_time != (type->id != LAKE_DATE) || memchr(text.ptr, ' ', text.len))
        return false;
    if (t.has_zone && (!has_zone(type) || t.offset != 0))
        return false;
    return to_units(&t, lake_type_per_day(type), out);
}

static bool read_decimal(const lake_type *type, lake_str text, lake_i128 *out) {
    if (!lake_decimal_parse(text, type->scale, out))
        return false;
    lake_i128 size = *out < 0 ? -*out : *out;
    return size < lake_i128_pow10(type->precision);
}

static bool read_int(const lake_type *type, const lake_json *json, lake_i128 *out) {
    int64_t v;
    switch (type->id) {
    case LAKE_BOOLEAN: *out = json->kind == LAKE_JSON_TRUE; return *out || json->kind == LAKE_JSON_FALSE;
    case LAKE_INT:
    case LAKE_LONG:
        if (!lake_json_i64(json, &v))
            return false;
        *out = v;
        return in_range(type, v);
    case LAKE_DECIMAL: return json->kind == LAKE_JSON_STRING && read_decimal(type, json->text, out);
    default: return json->kind == LAKE_JSON_STRING && read_moment(type, json->text, out) && in_range(type, *out);
    }
}

static bool read_float(const lake_type *type, const lake_json *json, lake_bound_state *state, double *out) {
    if (json->kind == LAKE_JSON_NUMBER)
        return lake_double_parse(json->text, type->id == LAKE_FLOAT, out) && isfinite(*out);
    if (json->kind != LAKE_JSON_STRING)
        return false;
    if (lake_str_is(json->text, "NaN")) {
        *state = LAKE_BOUND_NAN;
        *out = NAN;
        return true;
    }
    bool minus = lake_str_is(json->text, "-Infinity");
    *out = minus ? -INFINITY : INFINITY;
    return minus || lake_str_is(json->text, "Infinity");
}

/* `room` has len / 2 bytes (16 for a uuid). */
static bool read_bytes(const lake_type *type, lake_str text, uint8_t *room, lake_bytes *out) {
    if (type->id == LAKE_UUID) {
        *out = (lake_bytes){room, 16};
        return lake_uuid_parse(text, room);
    }
    if (type->id == LAKE_STRING) {
        if (text.len)
            memcpy(room, text.ptr, text.len);
        *out = (lake_bytes){room, text.len};
        return true;
    }
    *out = (lake_bytes){room, text.len / 2};
    if (text.len % 2 || (type->id == LAKE_FIXED && out->len != (size_t)type->length))
        return false;
    for (size_t i = 0; i < out->len; i++) {
        int hi = lake_hex_digit(text.ptr[2 * i]), lo = lake_hex_digit(text.ptr[2 * i + 1]);
        if (hi < 0 || lo < 0)
            return false;
        room[i] = (uint8_t)(hi << 4 | lo);
    }
    return true;
}

static lake_status fail_value(const lake_type *type, const lake_json *json, lake_error *err) {
    lake_buffer name, text;
    lake_buffer_init(&name);
    lake_buffer_init(&text);
    lake_type_print(&name, type);
    lake_json_print(&text, json, 0);
    lake_str shown = lake_buffer_view(&text);
    if (shown.len > 100)
        shown.len = lake_utf8_head(lake_bytes_of(shown), 60);
    lake_status s = lake_fail(
        err, LAKE_ERR_MALFORMED, "%.*s is no value of type %.*s", LAKE_ARG(shown), LAKE_ARG(lake_buffer_view(&name)));
    lake_buffer_clear(&name);
    lake_buffer_clear(&text);
    return s;
}

lake_status lake_value_from_json(lake_arena *arena, const lake_type *type, const lake_json *json,
    lake_bound_state *state, lake_key *out, lake_error *err) {
    *state = LAKE_BOUND_NONE;
    if (!json || json->kind == LAKE_JSON_NULL)
        return LAKE_OK;
    lake_bound_state found = LAKE_BOUND_KEY;
    bool ok = false;
    switch (lake_type_kind(type)) {
    case LAKE_KEY_INT: ok = read_int(type, json, &out->i); break;
    case LAKE_KEY_FLOAT: ok = read_float(type, json, &found, &out->f); break;
    case LAKE_KEY_BYTES: {
        if (json->kind != LAKE_JSON_STRING)
            break;
        uint8_t *room = lake_arena_alloc(arena, json->text.len < 16 ? 16 : json->text.len);
        if (!room)
            return lake_fail_memory(err);
        ok = read_bytes(type, json->text, room, &out->b);
        break;
    }
    default: return lake_fail(err, LAKE_ERR_UNSUPPORTED, "values of nested, variant and geo types are not read");
    }
    if (!ok)
        return fail_value(type, json, err);
    *state = found;
    return LAKE_OK;
}

/* ---- printing */

static void print_timestamp(lake_buffer *out, const lake_type *type, lake_i128 v) {
    int64_t per_day = lake_type_per_day(type);
    lake_i128 units = (v % per_day + per_day) % per_day, days = (v - units) / per_day;
    if (days < INT64_MIN / 2 || days > INT64_MAX / 2) {
        lake_buffer_puts(out, v < 0 ? "-Infinity" : "Infinity");
        return;
    }
    lake_date_print(out, (int64_t)days);
    if (type->id == LAKE_DATE)
        return;
    lake_buffer_char(out, 'T');
    lake_clock_print(out, (int64_t)units, per_day == 86400 * INT64_C(1000000) ? 6 : 9);
    if (has_zone(type))
        lake_buffer_puts(out, "+00:00");
}

static void print_int(lake_buffer *out, const lake_type *type, lake_i128 v) {
    char text[LAKE_I128_TEXT + 48];
    switch (type->id) {
    case LAKE_BOOLEAN: lake_buffer_puts(out, v ? "true" : "false"); return;
    case LAKE_INT:
    case LAKE_LONG: lake_buffer_put(out, text, lake_i128_print(v, text)); return;
    case LAKE_DECIMAL: lake_buffer_put(out, text, lake_decimal_print(v, type->scale, text)); return;
    case LAKE_TIME:
        if (v >= 0 && v < 86400 * INT64_C(1000000))
            lake_clock_print(out, (int64_t)v, 6);
        else
            lake_buffer_put(out, text, lake_i128_print(v, text));
        return;
    default: print_timestamp(out, type, v); return;
    }
}

void lake_value_print(lake_buffer *out, const lake_type *type, lake_key key) {
    switch (lake_type_kind(type)) {
    case LAKE_KEY_INT: print_int(out, type, key.i); return;
    case LAKE_KEY_FLOAT: lake_double_print(out, key.f, type->id == LAKE_FLOAT); return;
    case LAKE_KEY_BYTES: break;
    default: return;
    }
    if (type->id == LAKE_STRING)
        lake_buffer_str(out, lake_text_of(key.b));
    else if (type->id == LAKE_UUID && key.b.len == 16)
        lake_uuid_print(out, key.b.ptr);
    else
        lake_buffer_hex(out, key.b);
}

void lake_value_to_json(lake_buffer *out, const lake_type *type, lake_key key) {
    if (type->id == LAKE_STRING) {
        lake_json_quote(out, lake_text_of(key.b));
        return;
    }
    bool plain = type->id == LAKE_BOOLEAN || type->id == LAKE_INT || type->id == LAKE_LONG ||
        (lake_type_kind(type) == LAKE_KEY_FLOAT && isfinite(key.f));
    if (!plain)
        lake_buffer_char(out, '"');
    lake_value_print(out, type, key);
    if (!plain)
        lake_buffer_char(out, '"');
}
