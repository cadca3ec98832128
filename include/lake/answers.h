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

/* Groups of files that do not overlap in the column of options.order_by; 0 without it. Without NULLS FIRST or LAST
   nulls come first in ascending and last in descending order, as in Iceberg's sort orders; NaN is larger than all other
   values. With a limit, files are left out that enough certain rows come before. */
LAKE_API size_t lake_plan_order_groups(const lake_plan *plan);
LAKE_API int lake_plan_is_ordered(const lake_plan *plan);

/* An incremental plan (options.from_snapshot): files that append snapshots added. Snapshots of other kinds between the
   two are `others`: what they changed is not in the plan, nor is what deletes took away since. */
typedef struct lake_skipped_snapshot {
    int64_t id;
    lake_str operation; /* "overwrite", "replace", "delete", … or "unknown" */
} lake_skipped_snapshot;
typedef struct lake_plan_increment {
    int64_t from, to;
    size_t appends; /* append snapshots */
    const lake_skipped_snapshot *others; /* the newest first */
    size_t nothers;
} lake_plan_increment;
/* Returns 0 if the plan is not incremental. */
LAKE_API int lake_plan_increment_of(const lake_plan *plan, lake_plan_increment *out);

/* Scan tasks of about the same size (lake_plan_split): a part of a file, by bytes. */
typedef struct lake_split {
    size_t task; /* index for lake_plan_task */
    int64_t start, length;
} lake_split;
/* Cuts the plan's files into splits of about `size` bytes (0: the table's read.split.target-size) and packs them into
   scan tasks, as Iceberg's engines do: at split offsets where they are good, evenly otherwise; Parquet, Avro and ORC
   only. USAGE: more than 10,000,000 splits. Again: from the beginning. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_plan_split(lake_plan *plan, int64_t size, lake_error *err);
/* Whole files in groups, in the plan's order; they are scan tasks, too, whose splits are whole files. */
typedef enum lake_grouping {
    LAKE_GROUP_BY_SIZE, /* neighbours, up to n bytes together; a larger file is alone */
    LAKE_GROUP_BY_NUMBER, /* neighbours, at most n groups of about the same bytes */
    LAKE_GROUP_BY_PARTITION /* files of one partition; n does not matter */
} lake_grouping;
LAKE_API LAKE_CHECK_RESULT lake_status lake_plan_group(lake_plan *plan, lake_grouping by, int64_t n, lake_error *err);
/* Scan tasks; 0 before lake_plan_split or lake_plan_group. */
LAKE_API size_t lake_plan_split_count(const lake_plan *plan);
/* The splits of a scan task, *n of them, in order, and what it weighs (bytes with delete files, at least the cost of
   opening them; `weight` may be NULL). NULL: no such index. They live until the plan is closed. */
LAKE_API const lake_split *lake_plan_splits(const lake_plan *plan, size_t index, size_t *n, int64_t *weight);

/* Files one at a time, while the plan may be narrowed: dynamic filters of a join or of a top-N query. One caller at a
   time. *out NULL: there is no more; else *index (may be NULL) is the task's for lake_plan_task and lake_plan_residual,
   whose match and residual are those of the plan's own predicate. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_plan_next(
    lake_plan *plan, size_t *index, const lake_scan_task **out, lake_error *err);
/* Adds a further predicate: SQL (`where`, may be NULL), and values that columns must have one of. It is bound once,
   here (text that was given before is not bound again), and tested on files that lake_plan_next has not reached yet.
   Nothing need live on. USAGE: the text, or a plan with a limit, or one that was not opened as options.narrowable. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_plan_narrow(
    lake_plan *plan, const char *where, const lake_plan_values *in, size_t nin, lake_error *err);
/* Files that lake_plan_next has passed over so far. */
LAKE_API size_t lake_plan_narrowed(const lake_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
