/* Residuals as Iceberg expressions: shared by residual.c (nodes, leaves that have a form of their own) and
   residual_step.c (leaves that are told by their step function). */
#ifndef LAKE_PLANNER_RESIDUAL_H
#define LAKE_PLANNER_RESIDUAL_H

#include "planner/node.h"

typedef enum rest_op { REST_TRUE, REST_FALSE, REST_AND, REST_OR, REST_TEXT } rest_op;

typedef struct rest {
    rest_op op;
    const struct rest **kids;
    size_t nkids;
    lake_str text; /* TEXT: JSON */
} rest;

typedef struct writer {
    const lake_bound *bound;
    const lake_facts *facts;
    lake_arena *arena;
    bool exact, failed;
} writer;

/* The expression for the values inside (or outside) the leaf's set. *others: what it says of null and NaN. NULL with
 **all or none: it is no expression. */
typedef struct part {
    const rest *expression;
    bool all, none, others;
} part;

/* An expression of two. NULL: out of memory, or one of them was. */
const rest *lake_rest_join(writer *w, rest_op op, const rest *a, const rest *b);
/* {"type": type, "term": …} of the leaf's column or transform, with one value, several (a list), or none. */
const rest *lake_rest_test(
    writer *w, const lake_leaf *leaf, const char *type, const lake_key *keys, size_t n, bool list);
/* The values for which the step gives what is asked for, as ranges and values of the column. False: they are too many,
   or of a type without such ranges. */
bool lake_rest_of_step(
    writer *w, const lake_leaf *column, const lake_step *step, const lake_facts *facts, lake_outcomes want, part *out);

#endif
