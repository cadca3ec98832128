/* Shared by the files of format/ that know transforms. */
#ifndef LAKE_FORMAT_TRANSFORM_INTERNAL_H
#define LAKE_FORMAT_TRANSFORM_INTERNAL_H

#include "format/transform.h"

/* The transform of a name, any ASCII case, plural allowed for year, month, day and hour; UNKNOWN if there is none. */
lake_transform_id lake_transform_named(lake_str name, bool *has_width);
/* A width of at least 1 in decimal digits. */
bool lake_transform_width(lake_str digits, int32_t *out);

enum { LAKE_MAX_PARTITION_FIELDS = 1000 };

/* The members that partition and sort fields share: transform and sources. */
LAKE_CHECK_RESULT lake_status lake_transform_read(lake_arena *arena, const lake_json *json, lake_transform *transform,
    const int32_t **source_ids, size_t *n, lake_error *err);
bool lake_transform_write(lake_arena *a, lake_json *o, const lake_transform *t, const int32_t *source_ids, size_t n);

#endif
