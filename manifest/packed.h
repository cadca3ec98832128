/* Arrays of an image (image.h): numbers of one width above a base, and views. All begin at multiples of 8:

     numbers   width (8: 0, 1, 2, 4 or 8), base (8), n differences of that width
     views     mode (8), length (8), then
               NONE     nothing: all are absent
               CONST    the value: all have it
               FIXED    n values of that length
               ENDS     numbers: are they there; numbers: where each ends; the values

   A value of a text is followed by a zero byte. */
#ifndef LAKE_MANIFEST_PACKED_H
#define LAKE_MANIFEST_PACKED_H

#include "base/base.h"

typedef struct packed_ints {
    const uint8_t *at;
    uint64_t base;
    unsigned width;
} packed_ints;

enum { PACKED_NONE, PACKED_CONST, PACKED_FIXED, PACKED_ENDS };
typedef struct packed_views {
    unsigned mode, zero; /* zero: 1 where values are followed by one */
    size_t len;
    const uint8_t *at;
    packed_ints there, ends;
} packed_views;

static inline uint64_t packed_diff(const packed_ints *p, size_t i) {
    uint16_t v2;
    uint32_t v4;
    uint64_t v8;
    switch (p->width) {
    case 0: return 0;
    case 1: return p->at[i];
    case 2: memcpy(&v2, p->at + 2 * i, 2); return v2;
    case 4: memcpy(&v4, p->at + 4 * i, 4); return v4;
    default: memcpy(&v8, p->at + 8 * i, 8); return v8;
    }
}
static inline int64_t packed_int(const packed_ints *p, size_t i) {
    return (int64_t)(p->base + packed_diff(p, i));
}
static inline lake_bytes packed_view(const packed_views *p, size_t i) {
    if (p->mode == PACKED_FIXED)
        return (lake_bytes){p->at + i * (p->len + p->zero), p->len};
    if (p->mode == PACKED_CONST)
        return (lake_bytes){p->at, p->len};
    if (p->mode == PACKED_NONE || !packed_int(&p->there, i))
        return (lake_bytes){0};
    size_t begin = i ? (size_t)packed_int(&p->ends, i - 1) : 0;
    return (lake_bytes){p->at + begin, (size_t)packed_int(&p->ends, i) - begin - p->zero};
}

void packed_align(lake_buffer *b);
void packed_put_ints(lake_buffer *b, const int64_t *v, size_t n);
void packed_put_views(lake_buffer *b, const lake_bytes *v, size_t n, bool text, int64_t *scratch); /* scratch: n */
/* False: torn, or values that overlap or lie outside. */
bool packed_take_ints(lake_cursor *c, size_t n, packed_ints *out);
bool packed_take_views(lake_cursor *c, size_t n, bool text, packed_views *out);

#endif
