/* Views: making, comparing. Header only. */
#ifndef LAKE_BASE_BYTES_H
#define LAKE_BASE_BYTES_H

#include <stdbool.h>
#include <string.h>

#include "lake/view.h"

#define LAKE_STR(lit) ((lake_str){"" lit, sizeof(lit) - 1})
/* For printf's %.*s */
#define LAKE_ARG(s) (int)((s).len > 4096 ? 4096 : (s).len), (const char *)(s).ptr

static inline lake_str lake_str_of(const char *z) {
    return (lake_str){z, z ? strlen(z) : 0};
}
static inline lake_bytes lake_bytes_of(lake_str s) {
    return (lake_bytes){(const uint8_t *)s.ptr, s.len};
}
static inline lake_str lake_text_of(lake_bytes b) {
    return (lake_str){(const char *)b.ptr, b.len};
}

static inline bool lake_str_eq(lake_str a, lake_str b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}
static inline bool lake_str_is(lake_str a, const char *z) {
    return lake_str_eq(a, lake_str_of(z));
}
static inline bool lake_str_starts(lake_str a, lake_str p) {
    return a.len >= p.len && (p.len == 0 || memcmp(a.ptr, p.ptr, p.len) == 0);
}
static inline bool lake_str_ends(lake_str a, lake_str p) {
    return a.len >= p.len && (p.len == 0 || memcmp(a.ptr + a.len - p.len, p.ptr, p.len) == 0);
}

/* Unsigned bytes, a prefix before what it is a prefix of: Iceberg's order of string, uuid, fixed and binary. */
static inline int lake_bytes_cmp(lake_bytes a, lake_bytes b) {
    size_t n = a.len < b.len ? a.len : b.len;
    int c = n ? memcmp(a.ptr, b.ptr, n) : 0;
    return c ? c : (a.len > b.len) - (a.len < b.len);
}

/* The value of a hex digit of either case; -1: none. */
static inline int lake_hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0'
        : c >= 'a' && c <= 'f'  ? c - 'a' + 10
        : c >= 'A' && c <= 'F'  ? c - 'A' + 10
                                : -1;
}

/* Little- and big-endian loads and stores at any alignment. */
static inline uint16_t lake_get_le16(const void *p) {
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
}
static inline uint32_t lake_get_le32(const void *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}
static inline uint64_t lake_get_le64(const void *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}
static inline void lake_put_le32(void *p, uint32_t v) {
    memcpy(p, &v, 4);
}
static inline void lake_put_le64(void *p, uint64_t v) {
    memcpy(p, &v, 8);
}
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian hosts only, for now");

#endif
