/* Avro's varints, fast: eight bytes are looked at together where so many are left, every byte is within [p, end). The
   functions return where reading goes on, or NULL if the bytes end or make no 64-bit number. */
#ifndef LAKE_MANIFEST_VARINT_H
#define LAKE_MANIFEST_VARINT_H

#include "base/base.h"

#define LAKE_LIKELY(x) __builtin_expect(!!(x), 1)
#define LAKE_UNLIKELY(x) __builtin_expect(!!(x), 0)

#define LAKE_STOP_BITS UINT64_C(0x8080808080808080)

const uint8_t *lake_varint_take_slow(const uint8_t *p, const uint8_t *end, uint64_t *out);

static inline const uint8_t *lake_varint_take(const uint8_t *p, const uint8_t *end, uint64_t *out) {
    if (LAKE_UNLIKELY(end - p < 8))
        return lake_varint_take_slow(p, end, out);
    uint64_t w = lake_get_le64(p);
    if (!(w & 0x80)) {
        *out = w & 0x7f;
        return p + 1;
    }
    uint64_t stop = ~w & LAKE_STOP_BITS;
    if (LAKE_UNLIKELY(!stop))
        return lake_varint_take_slow(p, end, out);
    /* keep the bytes up to the first without a continuation bit, then close the gaps of that bit, pair by pair */
    w &= (stop ^ (stop - 1)) & ~LAKE_STOP_BITS;
    w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
    w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
    w = (w & UINT64_C(0x000000000fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
    *out = w;
    return p + ((unsigned)__builtin_ctzll(stop) + 1) / 8;
}

static inline int64_t lake_zigzag(uint64_t v) {
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static inline const uint8_t *lake_long_take(const uint8_t *p, const uint8_t *end, int64_t *out) {
    uint64_t v;
    p = lake_varint_take(p, end, &v);
    if (LAKE_LIKELY(p))
        *out = lake_zigzag(v);
    return p;
}

/* A length and so many bytes. */
static inline const uint8_t *lake_sized_take(const uint8_t *p, const uint8_t *end, lake_bytes *out) {
    uint64_t v;
    p = lake_varint_take(p, end, &v);
    if (LAKE_UNLIKELY(!p || v & 1 || v >> 1 > (uint64_t)(end - p)))
        return NULL;
    *out = (lake_bytes){p, (size_t)(v >> 1)};
    return p + (v >> 1);
}

/* Skips n varints by counting the bytes that end one. */
static inline const uint8_t *lake_varints_skip(const uint8_t *p, const uint8_t *end, uint64_t n) {
    while (n >= 8 && end - p >= 8) {
        uint64_t stop = (~lake_get_le64(p) & LAKE_STOP_BITS) >> 7;
        n -= (stop * UINT64_C(0x0101010101010101)) >> 56;
        p += 8;
    }
    for (; n > 0; p++) {
        if (p == end)
            return NULL;
        n -= !(*p & 0x80);
    }
    return p;
}

#endif
