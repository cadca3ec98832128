/* Functions of one value, most of which keep or reverse its order: casts, arithmetic with a constant, date_trunc. A
   step function over their results becomes one over their source; nothing else about them is needed. */
#ifndef LAKE_PLANNER_MAP_H
#define LAKE_PLANNER_MAP_H

#include "planner/step.h"
#include "planner/tree.h"

typedef enum lake_curve_op {
    LAKE_CURVE_LINEAR, /* integers: key * factor + add */
    LAKE_CURVE_FLOOR, /* integers: key / factor, downwards */
    LAKE_CURVE_CIVIL, /* month, quarter or year that a day or an instant lies in, as its first day or instant */
    LAKE_CURVE_SAME, /* floats */
    LAKE_CURVE_TO_DOUBLE, /* integers / 10^scale */
    LAKE_CURVE_TO_FLOAT, /* the same as 32 bits, or not */
    LAKE_CURVE_FLOAT_ADD,
    LAKE_CURVE_FLOAT_FROM, /* number - key */
    LAKE_CURVE_FLOAT_TIMES,
    LAKE_CURVE_FLOAT_DIVIDE,
    LAKE_CURVE_MONTHS, /* add months; the last day of a shorter month for days that it has not */
    LAKE_CURVE_ROUND, /* doubtful: floats to integers, integers / factor: downwards or upwards */
    LAKE_CURVE_FLOAT_FLOOR,
    LAKE_CURVE_FLOAT_CEIL,
    /* from here on not monotone, or of text: without lake_curve_value */
    LAKE_CURVE_PART, /* planner/calendar.c */
    LAKE_CURVE_ABS,
    LAKE_CURVE_CASE, /* factor 1: upper, -1: lower; from here on planner/map_text.c */
    LAKE_CURVE_LEFT, /* factor: the characters kept */
    LAKE_CURVE_APPEND, /* text */
    LAKE_CURVE_PREPEND,
    LAKE_CURVE_DIGITS /* integers as text */
} lake_curve_op;

typedef struct lake_curve {
    lake_curve_op op;
    lake_type from, to;
    bool falling; /* greater keys have smaller results */
    bool doubtful; /* engines may differ: the true result lies between the two that lake_curve_value gives */
    lake_i128 factor, add, least, most; /* LINEAR: results beyond [least, most] are an engine's errors */
    lake_unit unit;
    double number;
    lake_str text;
} lake_curve;

/* *reason is set, and the map is not, if nothing follows from this function on this type. USAGE: they cannot meet. */
LAKE_CHECK_RESULT lake_status lake_curve_make(lake_arena *arena, const lake_apply *apply, const lake_type *from,
    lake_curve *out, lake_str *reason, lake_error *err);
/* The result for a key within the type's range; `upper` chooses between the two of a doubtful map. -1, 1: below and
   above all results that its type can hold, 0: *out is one. */
int lake_curve_value(const lake_curve *map, lake_key key, bool upper, lake_key *out);
/* The keys that a value of the type can have: [*lo, *hi], both inside. Types of INT and FLOAT kind. */
void lake_curve_domain(const lake_type *type, lake_key *lo, lake_key *hi);
/* NULL: out of memory. */
const lake_step *lake_curve_pull(lake_arena *arena, const lake_curve *map, const lake_step *step);

const lake_step *lake_curve_pull_abs(lake_arena *arena, const lake_curve *map, const lake_step *step);
/* map_text.c: the curves from CASE on. NULL: out of memory. */
const lake_step *lake_curve_pull_text(lake_arena *arena, const lake_curve *map, const lake_step *step);

/* calendar.c: a step over the parts of dates and times. NULL with *reason: it would have more cuts than *budget, from
   which those it has are taken; NULL without: out of memory. */
const lake_step *lake_curve_pull_part(
    lake_arena *arena, const lake_curve *map, const lake_step *step, size_t *budget, lake_str *reason);
/* months.c: of LAKE_CURVE_MONTHS on times, which does not keep their order: on the 28th of February come those of four
 * days of January. NULL: out of memory. */
const lake_step *lake_curve_pull_months(lake_arena *arena, const lake_curve *map, const lake_step *step);
/* The first day of the period that a day lies in. Months and longer. */
int64_t lake_unit_floor(lake_unit unit, int64_t day);

#endif
