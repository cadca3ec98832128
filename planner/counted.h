/* Rows that counts of nulls and NaNs tell. */
#ifndef LAKE_PLANNER_COUNTED_H
#define LAKE_PLANNER_COUNTED_H

#include "manifest/manifest.h"
#include "planner/node.h"

/* Nulls and NaNs of a column that can be trusted to be exact; -1: not known. `facts` are the column's. */
void plan_exact_counts(
    const lake_entry *entry, const lake_field *field, const lake_facts *facts, int64_t *nulls, int64_t *nans);
/* Records of the file, before deletes, for which the predicate is TRUE: at least and at most (-1: unknown). `facts` by
   term of the predicate. */
void plan_counted_rows(
    const lake_bound *bound, const lake_entry *entry, const lake_facts *facts, int64_t *low, int64_t *high);

#endif
