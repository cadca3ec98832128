/* What each leaf of a plan's predicate did alone (options.explain), and why it could not do more. */
#ifndef LAKE_EXPLAIN_H
#define LAKE_EXPLAIN_H

#include "lake/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A leaf, negated where a NOT stands above it. Data manifests, data files and their row groups only. Views live until
 * the plan is closed.
 */
typedef struct lake_plan_leaf {
    lake_str sql;
    lake_str opaque; /* why it was not compiled ("opaque function"); empty: it was */
    int64_t manifests; /* for which it was asked; the files of those that the whole predicate dropped are not seen */
    int64_t manifests_pruned; /* that it rules out alone */
    int64_t manifests_unpartitioned; /* kept: no partition field has its column */
    int64_t manifests_overlapping; /* kept: the partition summary allows it */
    int64_t manifests_unevaluated; /* kept: the table has lost their partition spec */
    int64_t files, files_pruned;
    int64_t files_whole; /* kept: TRUE for every row */
    int64_t files_no_bounds; /* kept: neither bounds nor partition values for the column */
    int64_t files_beyond_limit; /* the same, since the column stands behind those for which writers infer metrics */
    int64_t files_no_counts; /* kept: IS NULL or IS NAN, and no count is recorded */
    int64_t files_truncated; /* kept: only values that share a shortened bound could match */
    int64_t files_overlapping; /* kept: the recorded interval has values that match */
    /* options.row_groups: row groups with rows, of the files that were opened; the first 100 leaves are asked */
    int64_t row_groups;
    int64_t row_groups_by_statistics, row_groups_by_bloom, row_groups_by_dictionary, row_groups_by_pages; /* pruned */
    int64_t row_groups_whole; /* kept: TRUE for every row */
    int64_t row_groups_no_statistics; /* kept: neither the footer nor the manifest bounds the column */
    int64_t
        row_groups_not_evaluated; /* kept: encrypted, not to be told by ids or names, or at odds with the manifest */
    int64_t row_groups_overlapping; /* kept: the interval has values that match */
    int64_t group_rows,
        group_rows_by_pages; /* rows of those that got to the page indexes, and how many these rule out */
} lake_plan_leaf;

/* At most 1,000 leaves are told of. */
LAKE_API size_t lake_plan_leaf_count(const lake_plan *plan);
LAKE_API int lake_plan_leaf_of(const lake_plan *plan, size_t index, lake_plan_leaf *out); /* 0: no such index */

#ifdef __cplusplus
}
#endif
#endif
