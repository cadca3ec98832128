/* Boxes of geometries in an accumulator: min_b and max_b hold the corners, four doubles each, NaN where there is no
   value (format/geometry.h). */
#include "format/accum_internal.h"
#include "format/geometry.h"

static void load(const lake_accum *s, lake_box *box) {
    lake_box_init(box);
    if (s->min_b.len == sizeof box->lower && s->max_b.len == sizeof box->upper) {
        memcpy(box->lower, s->min_b.data, sizeof box->lower);
        memcpy(box->upper, s->max_b.data, sizeof box->upper);
    }
}

static void store(lake_accum *s, const lake_box *box) {
    s->min_b.len = s->max_b.len = 0;
    lake_buffer_put(&s->min_b, box->lower, sizeof box->lower);
    lake_buffer_put(&s->max_b, box->upper, sizeof box->upper);
    s->any = true;
}

void lake_accum_widen_wkb(lake_accum *s, const lake_bytes *views, size_t n) {
    lake_box box;
    load(s, &box);
    for (size_t i = 0; i < n && !s->broken; i++)
        s->broken = !lake_box_add(&box, views[i], s->width == 1);
    store(s, &box);
}

void lake_accum_join_box(lake_accum *s, const lake_accum *from) {
    lake_box box, other;
    load(s, &box);
    load(from, &other);
    lake_box_join(&box, &other);
    store(s, &box);
}

bool lake_accum_corner(const lake_buffer *b, lake_bytes *out) {
    lake_box box;
    uint8_t ignored[32];
    if (b->len != sizeof box.lower)
        return false;
    memcpy(box.lower, b->data, sizeof box.lower);
    *out = (lake_bytes){b->data, lake_box_corner(&box, false, ignored)};
    return out->len > 0;
}
