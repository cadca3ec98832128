/* Between accum.c, accum_bytes.c and accum_box.c. */
#ifndef LAKE_FORMAT_ACCUM_INTERNAL_H
#define LAKE_FORMAT_ACCUM_INTERNAL_H

#include "format/accum.h"

void lake_accum_widen_fixed(lake_accum *s, const uint8_t *data, size_t n);
void lake_accum_widen_bytes(lake_accum *s, const lake_bytes *views, size_t n);
/* Copies lo and hi where they are below or above what there is. */
void lake_accum_take_bytes(lake_accum *s, lake_bytes lo, lake_bytes hi);

/* accum_box.c */
void lake_accum_widen_wkb(lake_accum *s, const lake_bytes *views, size_t n);
void lake_accum_join_box(lake_accum *s, const lake_accum *from);
/* min_b or max_b as the point that a bound is; false: no box. */
bool lake_accum_corner(const lake_buffer *b, lake_bytes *out);

#endif
