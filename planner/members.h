/* Values of another table's column, a line each, as one leaf: millions of them make one step function. */
#ifndef LAKE_PLANNER_MEMBERS_H
#define LAKE_PLANNER_MEMBERS_H

#include "lake/plan.h"
#include "planner/node.h"

/* The leaf "COLUMN IN (lines)". USAGE, beginning with "values of ", for what is no column of the schema. `values` must
 * live until it is bound. */
LAKE_CHECK_RESULT lake_status lake_members_tree(lake_arena *arena, const lake_plan_values *values,
    const lake_schema *schema, const lake_bind_options *options, const lake_tree **out, lake_error *err);
/* Binds it: the lines as keys of the leaf's type, sorted, each once. USAGE, with the line, for what is no value. */
LAKE_CHECK_RESULT lake_status lake_members_step(
    lake_binder *b, lake_leaf *leaf, lake_key_kind kind, const lake_step **out);
/* Keys of the leaf that the facts admit: [*begin, *end) holds them all. */
void lake_members_within(
    const lake_leaf *leaf, lake_key_kind kind, const lake_facts *facts, size_t *begin, size_t *end);

#endif
