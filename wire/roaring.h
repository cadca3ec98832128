/* Sets of 64-bit positions as Roaring bitmaps in the portable format (RoaringFormatSpec, "General layout" and
   "Extension for 64-bit implementations"). Reading checks every byte and is the project's own; writing uses CRoaring,
   which is loaded (dlopen) on first use. */
#ifndef LAKE_WIRE_ROARING_H
#define LAKE_WIRE_ROARING_H

#include "base/base.h"

typedef struct lake_roaring_info {
    uint64_t cardinality;
    uint64_t last; /* the largest position, if there is any */
} lake_roaring_info;

/* Is this a whole, legal bitmap: keys and containers in order, counts as stated, nothing behind? MALFORMED says where
   it is not. Positions with the highest bit are none. */
LAKE_CHECK_RESULT lake_status lake_roaring_check(lake_bytes bitmap, lake_roaring_info *out, lake_error *err);

/* Hands out the positions in rising order, in batches; ends early with what `visit` returns if that is not OK. */
typedef lake_status (*lake_roaring_visit)(void *user, const uint64_t *positions, size_t n, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_roaring_read(
    lake_bytes bitmap, lake_roaring_visit visit, void *user, lake_error *err);

/* Appends the bitmap of rising positions (each once; USAGE if they do not rise), with runs where they are shorter. */
LAKE_CHECK_RESULT lake_status lake_roaring_write(
    const uint64_t *positions, size_t n, lake_buffer *out, lake_error *err);

#endif
