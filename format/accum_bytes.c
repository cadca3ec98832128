/* Smallest and largest of byte strings. Most values differ from both bounds in their first eight bytes, which are
   compared as one number; a bound is copied once a batch. */
#include "format/accum_internal.h"

static uint64_t be64(const uint8_t *p) {
    return __builtin_bswap64(lake_get_le64(p));
}
static uint32_t be32(const uint8_t *p) {
    return __builtin_bswap32(lake_get_le32(p));
}

/* The first eight bytes, big-endian; shorter values are filled with zeros. */
static uint64_t head(const uint8_t *p, size_t len) {
    if (len >= 8)
        return be64(p);
    if (len >= 4)
        return (uint64_t)be32(p) << 32 | ((uint64_t)be32(p + len - 4) << (8 * (8 - len)) & 0xffffffffu);
    uint64_t v = 0;
    for (size_t i = 0; i < len; i++)
        v |= (uint64_t)p[i] << (56 - 8 * i);
    return v;
}

static void set(lake_accum *s, lake_buffer *b, lake_bytes v) {
    bool failed = s->min_b.failed || s->max_b.failed;
    b->len = 0;
    lake_buffer_put(b, v.ptr, v.len > LAKE_ACCUM_LONGEST ? LAKE_ACCUM_LONGEST + 1 : v.len);
    b->failed |= failed;
}

void lake_accum_take_bytes(lake_accum *s, lake_bytes lo, lake_bytes hi) {
    if (!s->any || lake_bytes_cmp(lo, lake_bytes_of(lake_buffer_view(&s->min_b))) < 0)
        set(s, &s->min_b, lo);
    if (!s->any || lake_bytes_cmp(hi, lake_bytes_of(lake_buffer_view(&s->max_b))) > 0)
        set(s, &s->max_b, hi);
    s->any = true;
}

typedef struct ends {
    lake_bytes lo, hi;
    uint64_t lo_head, hi_head;
} ends;

static inline void look(ends *e, lake_bytes v) {
    uint64_t h = head(v.ptr, v.len);
    if (h <= e->lo_head && (h < e->lo_head || lake_bytes_cmp(v, e->lo) < 0)) {
        e->lo = v;
        e->lo_head = h;
    }
    if (h >= e->hi_head && (h > e->hi_head || lake_bytes_cmp(v, e->hi) > 0)) {
        e->hi = v;
        e->hi_head = h;
    }
}

static ends begin(const lake_accum *s, lake_bytes first) {
    ends e = {first, first, 0, 0};
    if (s->any) {
        e.lo = lake_bytes_of(lake_buffer_view(&s->min_b));
        e.hi = lake_bytes_of(lake_buffer_view(&s->max_b));
    }
    e.lo_head = head(e.lo.ptr, e.lo.len);
    e.hi_head = head(e.hi.ptr, e.hi.len);
    return e;
}

static void finish(lake_accum *s, const ends *e) {
    if (!s->any || e->lo.ptr != s->min_b.data)
        set(s, &s->min_b, e->lo);
    if (!s->any || e->hi.ptr != s->max_b.data)
        set(s, &s->max_b, e->hi);
    s->any = true;
}

void lake_accum_widen_bytes(lake_accum *s, const lake_bytes *views, size_t n) {
    ends e = begin(s, views[0]);
    for (size_t i = 0; i < n; i++)
        look(&e, views[i]);
    finish(s, &e);
}

void lake_accum_widen_fixed(lake_accum *s, const uint8_t *data, size_t n) {
    ends e = begin(s, (lake_bytes){data, s->width});
    for (size_t i = 0; i < n; i++)
        look(&e, (lake_bytes){data + i * s->width, s->width});
    finish(s, &e);
}
