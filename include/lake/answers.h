/* Answers of a plan beyond its list of files. */
#ifndef LAKE_ANSWERS_H
#define LAKE_ANSWERS_H

#include "lake/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many rows the plan's predicate matches, after deletes. */
typedef struct lake_row_count {
    int64_t low, high; /* at least and at most; high -1: unknown */
    int exact; /* low equals high */
    int64_t partial_files; /* kept files of which not every row is known to match */
    int64_t uncounted_files; /* kept files with deletes that metadata do not count (all but deletion vectors) */
    int64_t unknown_files; /* kept files without a record count */
} lake_row_count;
/* From metadata alone: exact if every kept file matches wholly, its rows are counted and it has no deletes but deletion
   vectors of known size. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_plan_row_count(lake_plan *plan, lake_row_count *out, lake_error *err);

/* What LIMIT (options.limit) did. */
typedef struct lake_plan_limit {
    int64_t rows; /* wanted: limit + offset; 0 with a limit of 0 */
    int64_t sure; /* rows that are certain in files that match wholly, of those that are left */
    int stopped; /* files were left out because others hold enough */
} lake_plan_limit;
/* Returns 0 if the plan has no limit. */
LAKE_API int lake_plan_limit_of(const lake_plan *plan, lake_plan_limit *out);

#ifdef __cplusplus
}
#endif
#endif
