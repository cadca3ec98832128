/* Lower bounds are cut; upper bounds are cut and then incremented in the last place that can grow. */
#include "format/bounds.h"

static bool is_cut(const lake_type *type) {
    return type->id == LAKE_STRING || type->id == LAKE_BINARY;
}

/* Bytes of the first n code points, or fewer: up to the first byte that is not UTF-8. */
static size_t valid_head(lake_bytes b, size_t n) {
    const uint8_t *p = b.ptr, *end = b.ptr + b.len;
    for (; n > 0 && p < end; n--) {
        uint32_t c;
        size_t len = lake_utf8_decode(p, end, &c);
        if (!len)
            break;
        p += len;
    }
    return (size_t)(p - b.ptr);
}

static size_t head(const lake_type *type, lake_bytes value, size_t n) {
    if (type->id == LAKE_STRING)
        return valid_head(value, n);
    return value.len < n ? value.len : n;
}

lake_bytes lake_bound_cut_lower(const lake_type *type, lake_bytes value, size_t n) {
    if (!value.ptr || !is_cut(type))
        return value;
    return (lake_bytes){value.ptr, head(type, value, n)};
}

/* The next code point: past the surrogates, none after U+10FFFF (returns 0). */
static size_t next_code_point(uint32_t c, uint8_t out[4]) {
    c++;
    return lake_utf8_encode(c == 0xD800 ? 0xE000 : c, out);
}

/* Increments the last code point of [text, len) that can be; returns the new length, 0 if there is none. `text` has
   room for one byte more. */
static size_t increment_string(uint8_t *text, size_t len) {
    while (len > 0) {
        size_t at = len - 1;
        while (at > 0 && (text[at] & 0xC0) == 0x80)
            at--;
        uint32_t c;
        uint8_t next[4];
        size_t n = lake_utf8_decode(text + at, text + len, &c) ? next_code_point(c, next) : 0;
        if (n) {
            memcpy(text + at, next, n);
            return at + n;
        }
        len = at;
    }
    return 0;
}

static size_t increment_bytes(uint8_t *bytes, size_t len) {
    while (len > 0 && bytes[len - 1] == 0xFF)
        len--;
    if (len > 0)
        bytes[len - 1]++;
    return len;
}

lake_status lake_bound_cut_upper(
    lake_arena *arena, const lake_type *type, lake_bytes value, size_t n, lake_bytes *out, lake_error *err) {
    *out = value;
    if (!value.ptr || !is_cut(type))
        return LAKE_OK;
    size_t len = head(type, value, n);
    if (len == value.len)
        return LAKE_OK;
    uint8_t *copy = lake_arena_alloc(arena, len + 1);
    if (!copy)
        return lake_fail_memory(err);
    memcpy(copy, value.ptr, len);
    len = type->id == LAKE_STRING ? increment_string(copy, len) : increment_bytes(copy, len);
    *out = len ? (lake_bytes){copy, len} : (lake_bytes){NULL, 0};
    return LAKE_OK;
}
