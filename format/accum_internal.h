/* Between accum.c and accum_bytes.c. */
#ifndef LAKE_FORMAT_ACCUM_INTERNAL_H
#define LAKE_FORMAT_ACCUM_INTERNAL_H

#include "format/accum.h"

void lake_accum_widen_fixed(lake_accum *s, const uint8_t *data, size_t n);
void lake_accum_widen_bytes(lake_accum *s, const lake_bytes *views, size_t n);
/* Copies lo and hi where they are below or above what there is. */
void lake_accum_take_bytes(lake_accum *s, lake_bytes lo, lake_bytes hi);

#endif
