/* Avro values of any type: skipping, and printing as JSON (Avro specification 1.12, "Binary Encoding"). Work is bounded
   by the bytes that are there: items that take no bytes are never counted one by one, and the depth is limited, since a
   schema may refer to itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "wire/avro.h"

enum { MAX_JSON = 1 << 30 };

lake_status lake_avro_torn(const lake_cursor *c, const lake_avro_type *type, lake_error *err) {
    int64_t at = lake_cursor_offset(c);
    return lake_fail_at(err, LAKE_ERR_MALFORMED, at, "byte %lld of the block: torn or impossible %s", (long long)at,
        lake_avro_kind_name(type->kind));
}

static lake_status check_depth(int depth, lake_error *err) {
    if (depth <= LAKE_AVRO_MAX_DEPTH)
        return LAKE_OK;
    return lake_fail(err, LAKE_ERR_LIMIT, "an Avro value is nested deeper than %d", LAKE_AVRO_MAX_DEPTH);
}

bool lake_avro_take_sized(lake_cursor *c, lake_bytes *out) {
    lake_cursor start = *c;
    int64_t n;
    if (lake_cursor_zigzag(c, &n) && n >= 0 && lake_cursor_take(c, (uint64_t)n, out))
        return true;
    *c = start;
    return false;
}

/* A block head of an array or a map. *count 0: the end. *size -1: not told. */
lake_status lake_avro_take_head(
    lake_cursor *c, const lake_avro_type *type, uint64_t *count, int64_t *size, lake_error *err) {
    lake_cursor start = *c;
    int64_t n;
    *size = -1;
    if (!lake_cursor_zigzag(c, &n))
        return lake_avro_torn(&start, type, err);
    if (n < 0 && (!lake_cursor_zigzag(c, size) || *size < 0 || (uint64_t)*size > lake_cursor_left(c)))
        return lake_avro_torn(&start, type, err);
    *count = n < 0 ? -(uint64_t)n : (uint64_t)n;
    size_t each = type->branches[0]->min_size + (type->kind == LAKE_AVRO_MAP);
    if (each ? *count > lake_cursor_left(c) / each : *count > LAKE_AVRO_MAX_EMPTY) {
        int64_t at = lake_cursor_offset(&start);
        return lake_fail_at(err, LAKE_ERR_MALFORMED, at,
            "byte %lld of the block: %llu items of an %s cannot be in %zu bytes", (long long)at,
            (unsigned long long)*count, lake_avro_kind_name(type->kind), lake_cursor_left(c));
    }
    return LAKE_OK;
}

lake_status lake_avro_take_branch(
    lake_cursor *c, const lake_avro_type *type, const lake_avro_type **out, lake_error *err) {
    lake_cursor start = *c;
    int64_t branch;
    if (!lake_cursor_zigzag(c, &branch) || branch < 0 || (uint64_t)branch >= type->count)
        return lake_avro_torn(&start, type, err);
    *out = type->branches[branch];
    return LAKE_OK;
}

static lake_status skip_items(lake_cursor *c, const lake_avro_type *type, int depth, lake_error *err) {
    for (;;) {
        uint64_t count;
        int64_t size;
        LAKE_TRY(lake_avro_take_head(c, type, &count, &size, err));
        if (count == 0)
            return LAKE_OK;
        if (size >= 0) {
            c->at += size;
            continue;
        }
        if (type->kind == LAKE_AVRO_ARRAY && type->branches[0]->empty)
            continue;
        for (; count > 0; count--) {
            lake_bytes key;
            if (type->kind == LAKE_AVRO_MAP && !lake_avro_take_sized(c, &key))
                return lake_avro_torn(c, type, err);
            LAKE_TRY(lake_avro_skip(c, type->branches[0], depth + 1, err));
        }
    }
}

lake_status lake_avro_skip(lake_cursor *c, const lake_avro_type *type, int depth, lake_error *err) {
    uint64_t v;
    lake_bytes b;
    bool ok = true;
    if (type->empty)
        return LAKE_OK;
    LAKE_TRY(check_depth(depth, err));
    switch (type->kind) {
    case LAKE_AVRO_NULL: break;
    case LAKE_AVRO_BOOLEAN: ok = lake_cursor_skip(c, 1); break;
    case LAKE_AVRO_INT:
    case LAKE_AVRO_LONG:
    case LAKE_AVRO_ENUM: ok = lake_cursor_varint(c, &v); break;
    case LAKE_AVRO_FLOAT: ok = lake_cursor_skip(c, 4); break;
    case LAKE_AVRO_DOUBLE: ok = lake_cursor_skip(c, 8); break;
    case LAKE_AVRO_BYTES:
    case LAKE_AVRO_STRING: ok = lake_avro_take_sized(c, &b); break;
    case LAKE_AVRO_FIXED: ok = lake_cursor_skip(c, (uint64_t)type->size); break;
    case LAKE_AVRO_ARRAY:
    case LAKE_AVRO_MAP: return skip_items(c, type, depth, err);
    case LAKE_AVRO_UNION: {
        const lake_avro_type *branch;
        LAKE_TRY(lake_avro_take_branch(c, type, &branch, err));
        return lake_avro_skip(c, branch, depth + 1, err);
    }
    case LAKE_AVRO_RECORD:
        for (size_t i = 0; i < type->count; i++)
            LAKE_TRY(lake_avro_skip(c, type->fields[i].type, depth + 1, err));
        break;
    }
    return ok ? LAKE_OK : lake_avro_torn(c, type, err);
}

/* The shortest text that reads back as the same number. */
static void put_number(lake_buffer *out, double v, bool single) {
    if (isnan(v) || isinf(v)) {
        lake_buffer_puts(out, isnan(v) ? "\"NaN\"" : v > 0 ? "\"Infinity\"" : "\"-Infinity\"");
        return;
    }
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (single ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)
            break;
    }
    for (char *p = text; *p; p++)
        if (*p == ',') /* the locale's point */
            *p = '.';
    lake_buffer_puts(out, text);
}

static void put_hex(lake_buffer *out, lake_bytes b) {
    lake_buffer_char(out, '"');
    lake_buffer_hex(out, b);
    lake_buffer_char(out, '"');
}

static lake_status items_to_json(
    lake_cursor *c, const lake_avro_type *type, int depth, lake_buffer *out, lake_error *err) {
    bool map = type->kind == LAKE_AVRO_MAP, first = true;
    lake_buffer_char(out, map ? '{' : '[');
    for (;;) {
        uint64_t count;
        int64_t size;
        LAKE_TRY(lake_avro_take_head(c, type, &count, &size, err));
        if (count == 0)
            break;
        for (; count > 0; count--, first = false) {
            lake_bytes key;
            if (!first)
                lake_buffer_char(out, ',');
            if (map) {
                if (!lake_avro_take_sized(c, &key))
                    return lake_avro_torn(c, type, err);
                lake_json_quote(out, lake_text_of(key));
                lake_buffer_char(out, ':');
            }
            LAKE_TRY(lake_avro_to_json(c, type->branches[0], depth + 1, out, err));
        }
    }
    lake_buffer_char(out, map ? '}' : ']');
    return LAKE_OK;
}

static lake_status record_to_json(
    lake_cursor *c, const lake_avro_type *type, int depth, lake_buffer *out, lake_error *err) {
    lake_buffer_char(out, '{');
    for (size_t i = 0; i < type->count; i++) {
        if (i)
            lake_buffer_char(out, ',');
        lake_json_quote(out, type->fields[i].name);
        lake_buffer_char(out, ':');
        LAKE_TRY(lake_avro_to_json(c, type->fields[i].type, depth + 1, out, err));
    }
    lake_buffer_char(out, '}');
    return LAKE_OK;
}

static bool scalar_to_json(lake_cursor *c, const lake_avro_type *type, lake_buffer *out) {
    int64_t v;
    uint32_t u4;
    uint64_t u8;
    uint8_t byte;
    lake_bytes b;
    float f;
    double d;
    switch (type->kind) {
    case LAKE_AVRO_BOOLEAN:
        if (!lake_cursor_u8(c, &byte))
            return false;
        lake_buffer_puts(out, byte ? "true" : "false");
        return true;
    case LAKE_AVRO_INT:
    case LAKE_AVRO_LONG:
        if (!lake_cursor_zigzag(c, &v))
            return false;
        lake_buffer_printf(out, "%lld", (long long)v);
        return true;
    case LAKE_AVRO_FLOAT:
        if (!lake_cursor_le32(c, &u4))
            return false;
        memcpy(&f, &u4, 4);
        put_number(out, f, true);
        return true;
    case LAKE_AVRO_DOUBLE:
        if (!lake_cursor_le64(c, &u8))
            return false;
        memcpy(&d, &u8, 8);
        put_number(out, d, false);
        return true;
    case LAKE_AVRO_BYTES:
        if (!lake_avro_take_sized(c, &b))
            return false;
        put_hex(out, b);
        return true;
    case LAKE_AVRO_STRING:
        if (!lake_avro_take_sized(c, &b))
            return false;
        lake_json_quote(out, lake_text_of(b));
        return true;
    case LAKE_AVRO_FIXED:
        if (!lake_cursor_take(c, (uint64_t)type->size, &b))
            return false;
        put_hex(out, b);
        return true;
    case LAKE_AVRO_ENUM:
        if (!lake_cursor_zigzag(c, &v) || v < 0 || (uint64_t)v >= type->count)
            return false;
        lake_json_quote(out, type->symbols[v]);
        return true;
    default: lake_buffer_puts(out, "null"); return true;
    }
}

lake_status lake_avro_to_json(
    lake_cursor *c, const lake_avro_type *type, int depth, lake_buffer *out, lake_error *err) {
    LAKE_TRY(check_depth(depth, err));
    LAKE_TRY(lake_buffer_check(out, err));
    if (out->len > MAX_JSON) /* empty records of empty records multiply without taking input */
        return lake_fail(err, LAKE_ERR_LIMIT, "an Avro value is longer than 1 GiB as JSON");
    switch (type->kind) {
    case LAKE_AVRO_ARRAY:
    case LAKE_AVRO_MAP: return items_to_json(c, type, depth, out, err);
    case LAKE_AVRO_RECORD: return record_to_json(c, type, depth, out, err);
    case LAKE_AVRO_UNION: {
        const lake_avro_type *branch;
        LAKE_TRY(lake_avro_take_branch(c, type, &branch, err));
        return lake_avro_to_json(c, branch, depth + 1, out, err);
    }
    default: break;
    }
    lake_cursor start = *c;
    if (scalar_to_json(c, type, out))
        return lake_buffer_check(out, err);
    return lake_avro_torn(&start, type, err);
}
