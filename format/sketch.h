/* Sketches of how many distinct values there are: compact theta sketches as Apache DataSketches has them
   (puffin-spec.md, "apache-datasketches-theta-v1"). Values are hashed in their binary single-value form; the smallest
   4096 hashes are kept, so that what is written does not depend on the order in which values came or sketches were
   merged. */
#ifndef LAKE_FORMAT_SKETCH_H
#define LAKE_FORMAT_SKETCH_H

#include "format/value.h"

typedef struct lake_sketch {
    uint64_t *table; /* open addressing, 0: free; heap */
    size_t slots, n;
    uint64_t theta; /* only hashes below are kept; 2^63 - 1 at first */
} lake_sketch;

void lake_sketch_init(lake_sketch *s);
void lake_sketch_clear(lake_sketch *s);
/* NO_MEMORY only. An empty string of bytes is passed over, as the official library does. */
LAKE_CHECK_RESULT lake_status lake_sketch_add(lake_sketch *s, lake_bytes value, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_sketch_add_hash(lake_sketch *s, uint64_t hash, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_sketch_merge(lake_sketch *s, const lake_sketch *from, lake_error *err);
/* Merges a compact sketch in its serialized form. MALFORMED, or UNSUPPORTED for one that was made with another seed. */
LAKE_CHECK_RESULT lake_status lake_sketch_merge_compact(lake_sketch *s, lake_bytes compact, lake_error *err);

/* Cuts down to the nominal size; to be called before the two below. */
LAKE_CHECK_RESULT lake_status lake_sketch_trim(lake_sketch *s, lake_error *err);
double lake_sketch_estimate(const lake_sketch *s);
/* Appends the compact, ordered form. */
LAKE_CHECK_RESULT lake_status lake_sketch_write(const lake_sketch *s, lake_buffer *out, lake_error *err);

#endif
