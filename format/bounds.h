/* Shortening of bounds, so that they still bound: `truncate(n)` counts code points of strings and bytes of binary;
   other types are never cut (spec.md, "Truncate Transform Details" and the bounds of "Data File Fields"). */
#ifndef LAKE_FORMAT_BOUNDS_H
#define LAKE_FORMAT_BOUNDS_H

#include "format/value.h"

/* A lower bound of `value` with at most n code points or bytes (n > 0; SIZE_MAX: whole): a prefix of it, a view. A
   string that is not valid UTF-8 is cut where it stops being so, since readers refuse such bounds. */
lake_bytes lake_bound_cut_lower(const lake_type *type, lake_bytes value, size_t n);
/* An upper bound with at most n code points or bytes: the value itself if it is short enough (and valid), else its head
   with the last code point or byte that can be incremented incremented, and what follows dropped. ptr NULL: there is
   none. In the arena, or a view of `value`. */
LAKE_CHECK_RESULT lake_status lake_bound_cut_upper(
    lake_arena *arena, const lake_type *type, lake_bytes value, size_t n, lake_bytes *out, lake_error *err);

#endif
