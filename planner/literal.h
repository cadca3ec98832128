/* Literals, exactly: a literal against a column's type becomes a point on the type's key line. A point may lie between
   two keys (x > 2.5 on an int column), below or above all of them: it is told by the first key >= it and the first key
   > it. */
#ifndef LAKE_PLANNER_LITERAL_H
#define LAKE_PLANNER_LITERAL_H

#include "planner/tree.h"

typedef struct lake_point {
    lake_end at; /* the first key >= the literal */
    lake_end after; /* the first key > the literal; equal to `at` if the literal is no key */
} lake_point;

/* USAGE, naming both, if the literal cannot meet the type. NULL literals are the caller's. round_float: literals are
   rounded to the float column's own type (else compared as doubles). *inexact (may be NULL) is set if rounding changed
   the value. */
LAKE_CHECK_RESULT lake_status lake_literal_point(lake_arena *arena, const lake_literal *literal, const lake_type *type,
    bool round_float, lake_point *out, bool *inexact, lake_error *err);
/* Two constants of the same kind (numbers, strings, booleans) compared; false if they cannot be. */
bool lake_literal_compare(const lake_literal *a, const lake_literal *b, int *out);

/* Decimal text ("-12.50e3") times 10^scale: the integers below and above. False: it is no number. */
bool lake_number_point(lake_str text, bool negative, int scale, lake_end *at, lake_end *after);
/* Is it a decimal number at all? */
bool lake_number_valid(lake_str text);
/* Seconds since 1970 times `units` a second, from an ISO date or date and time, perhaps with a zone. False: it is none.
 */
bool lake_instant_point(lake_str text, int64_t per_day, lake_end *at, lake_end *after);

#endif
