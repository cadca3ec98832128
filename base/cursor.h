/* The checked cursor: every byte from outside is read through it. A read that does not fit returns false (the cursor
   stays where it was); the caller makes the error, with lake_cursor_offset as its place. */
#ifndef LAKE_BASE_CURSOR_H
#define LAKE_BASE_CURSOR_H

#include <stdbool.h>

#include "base/bytes.h"

typedef struct lake_cursor {
    const uint8_t *at, *end, *begin;
    int64_t origin; /* the file offset of `begin` */
} lake_cursor;

static inline lake_cursor lake_cursor_of(const void *data, size_t len, int64_t origin) {
    const uint8_t *p = data;
    return (lake_cursor){p, p ? p + len : p, p, origin};
}
static inline size_t lake_cursor_left(const lake_cursor *c) {
    return (size_t)(c->end - c->at);
}
static inline int64_t lake_cursor_offset(const lake_cursor *c) {
    return c->origin + (c->at - c->begin);
}

static inline bool lake_cursor_skip(lake_cursor *c, uint64_t n) {
    if (n > lake_cursor_left(c))
        return false;
    c->at += n;
    return true;
}
static inline bool lake_cursor_take(lake_cursor *c, uint64_t n, lake_bytes *out) {
    if (n > lake_cursor_left(c))
        return false;
    *out = (lake_bytes){c->at, (size_t)n};
    c->at += n;
    return true;
}
static inline bool lake_cursor_u8(lake_cursor *c, uint8_t *out) {
    if (c->at == c->end)
        return false;
    *out = *c->at++;
    return true;
}
static inline bool lake_cursor_le32(lake_cursor *c, uint32_t *out) {
    if (lake_cursor_left(c) < 4)
        return false;
    *out = lake_get_le32(c->at);
    c->at += 4;
    return true;
}
static inline bool lake_cursor_le64(lake_cursor *c, uint64_t *out) {
    if (lake_cursor_left(c) < 8)
        return false;
    *out = lake_get_le64(c->at);
    c->at += 8;
    return true;
}
/* LEB128, at most 10 bytes and 64 bits: Avro's and Thrift's. */
static inline bool lake_cursor_varint(lake_cursor *c, uint64_t *out) {
    uint64_t v = 0;
    const uint8_t *p = c->at;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (p == c->end)
            return false;
        uint8_t b = *p++;
        if (shift == 63 && b > 1)
            return false;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) {
            c->at = p;
            *out = v;
            return true;
        }
    }
    return false;
}
static inline bool lake_cursor_zigzag(lake_cursor *c, int64_t *out) {
    uint64_t v;
    if (!lake_cursor_varint(c, &v))
        return false;
    *out = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
    return true;
}

#endif
