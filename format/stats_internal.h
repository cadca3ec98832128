/* Between stats.c and stats_bytes.c. */
#ifndef LAKE_FORMAT_STATS_INTERNAL_H
#define LAKE_FORMAT_STATS_INTERNAL_H

#include "format/stats.h"

void lake_stats_widen_fixed(lake_stats *s, const uint8_t *data, size_t n);
void lake_stats_widen_bytes(lake_stats *s, const lake_bytes *views, size_t n);
/* Copies lo and hi where they are below or above what there is. */
void lake_stats_take_bytes(lake_stats *s, lake_bytes lo, lake_bytes hi);

#endif
