/* What each leaf does alone (leaves.c), for --explain. */
#ifndef LAKE_PLANNER_LEAVES_H
#define LAKE_PLANNER_LEAVES_H

#include "lake/explain.h"
#include "planner/node.h"
#include "planner/plan.h"
#include "planner/tree.h"

typedef struct plan_leaf {
    const lake_node *node;
    bool negated;
    bool beyond; /* its column is behind those for which writers infer metrics */
    int64_t length; /* characters to which writers cut bounds of strings */
    lake_plan_leaf view;
} plan_leaf;

/* Does nothing without options.explain. */
LAKE_CHECK_RESULT lake_status plan_leaves_prepare(lake_plan *plan, lake_error *err);
/* A data manifest, by the facts in the worker; maker NULL: there are none. */
void plan_leaves_see_manifest(lake_plan *plan, plan_worker *worker, const lake_fact_maker *maker);
void plan_leaves_see_file(lake_plan *plan, plan_worker *worker, const lake_fact_maker *maker, const lake_entry *entry);
void plan_leaves_gather(lake_plan *plan);
/* The maker's item of a term; does it know no more than the column's type? */
const struct lake_fact_item *plan_leaf_item(const lake_fact_maker *maker, uint32_t term);
bool plan_leaf_is_base(const struct lake_fact_item *item, const lake_facts *facts);
/* Members of `explain`, each with a comma before it. */
void plan_leaves_json(const lake_plan *plan, lake_buffer *out);

#endif
