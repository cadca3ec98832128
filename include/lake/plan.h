/* Planning: which files a predicate needs, and why. */
#ifndef LAKE_PLAN_H
#define LAKE_PLAN_H

#include "lake/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lake_plan lake_plan;

/* Values that a column must have one of: those of another table's key column, say. Millions of them are fine. */
typedef struct lake_plan_values {
    const char *column; /* as in SQL */
    const char *name; /* for people: where they come from ("@keys.txt"); NULL: "list" */
    lake_bytes lines; /* one a line; on string columns each line as it is, empty ones too */
} lake_plan_values;

typedef struct lake_plan_options {
    uint32_t version;
    const char *where; /* SQL, or NULL */
    const char *filter; /* an Iceberg expression as JSON, or NULL; not both */
    lake_snapshot_choice snapshot;
    int case_sensitive; /* -1: the default (`where` insensitive, `filter` sensitive), 0, 1 */
    int nan_largest; /* 0: comparisons with NaN are FALSE; 1: NaN is the largest value */
    int explain; /* keep decisions for lake_plan_explain_next */
    int stats; /* tasks in JSON carry column statistics */
    /* since version 2: */
    int has_limit; /* the query needs `limit` rows behind the first `offset`: stop where so many are certain */
    int64_t limit, offset;
    int row_groups; /* open the footers of the kept Parquet files and prune their row groups and pages */
    int narrowable; /* keep what lake_plan_narrow needs: statistics of all columns of the kept files */
    const lake_plan_values *in; /* narrow the predicate, all of them */
    size_t nin;
    int has_from_snapshot, has_to_snapshot; /* only files that appends added behind `from` (no file of it) up to `to` */
    int64_t from_snapshot, to_snapshot; /* without `to`: up to the chosen snapshot */
    const char *order_by; /* "COLUMN [ASC|DESC] [NULLS FIRST|LAST]", or NULL: tasks come in this order */
} lake_plan_options;
#define LAKE_PLAN_OPTIONS_VERSION 2
#define LAKE_PLAN_OPTIONS_INIT                                                                                         \
    { .version = LAKE_PLAN_OPTIONS_VERSION, .snapshot = LAKE_SNAPSHOT_CHOICE_INIT, .case_sensitive = -1 }

/* Plans; the table must stay open until the plan is closed. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_plan_open(
    lake_table *table, const lake_plan_options *options, lake_plan **out, lake_error *err);
LAKE_API void lake_plan_close(lake_plan *plan);

/* A delete file that a task needs. */
typedef struct lake_delete_file {
    lake_str path, format; /* format in lower case: "parquet", "puffin" */
    int content; /* 1 position deletes (also deletion vectors), 2 equality deletes */
    int64_t record_count, file_size;
    int has_content_offset; /* a deletion vector: its place in the Puffin file */
    int64_t content_offset, content_size;
    const int32_t *equality_ids; /* content 2 */
    size_t nequality_ids;
    lake_str referenced_data_file; /* ptr NULL: not recorded */
} lake_delete_file;

typedef struct lake_row_range {
    int64_t first, rows;
} lake_row_range;

typedef struct lake_byte_range {
    int64_t offset, length;
} lake_byte_range;

/* Where the pages of a column of the predicate are that hold the rows to read, its dictionary page included. */
typedef struct lake_page_bytes {
    int32_t field_id;
    const lake_byte_range *ranges;
    size_t nranges;
} lake_page_bytes;

/* A row group to read. */
typedef struct lake_row_group {
    int64_t index; /* in the file */
    int64_t first_row; /* of the file */
    int64_t rows; /* of the row group */
    int64_t offset, length; /* of its bytes; -1: not known (encrypted) */
    int match_all; /* every row in `ranges` (before deletes) matches */
    const lake_row_range *ranges; /* the rows to read, counted in the row group, ascending, apart from each other */
    size_t nranges;
    const lake_page_bytes *pages; /* columns of the predicate that have an offset index */
    size_t npages;
} lake_row_group;

/* A data file to scan. Views live until the plan is closed. */
typedef struct lake_scan_task {
    lake_str path, format;
    int32_t spec_id;
    int64_t record_count, file_size; /* record_count -1: unknown */
    int match_all; /* every row (before deletes) matches */
    const uint32_t *deletes; /* indexes for lake_plan_delete */
    size_t ndeletes;
    lake_str partition; /* JSON object: partition field name -> JSON single value */
    lake_str partition_text; /* for people: "ts_month=2025-03, id_bucket=3"; empty: unpartitioned */
    /* options.row_groups: */
    int64_t total_row_groups; /* of the file; -1: not asked for, or no Parquet file: it is kept whole */
    const lake_row_group *row_groups; /* those to read */
    size_t nrow_groups;
    size_t order_group; /* options.order_by: files of different groups do not overlap; from 0 on, in order */
} lake_scan_task;

/* Tasks in order of the manifest list and of the entries, or of options.order_by. NULL: no such index. */
LAKE_API size_t lake_plan_count(const lake_plan *plan);
LAKE_API const lake_scan_task *lake_plan_task(const lake_plan *plan, size_t index);
LAKE_API size_t lake_plan_delete_count(const lake_plan *plan);
LAKE_API const lake_delete_file *lake_plan_delete(const lake_plan *plan, size_t index);

/* The residual of a task: an Iceberg expression as JSON, whether it is exact, and the exact SQL text (views until the
   next call or close). */
LAKE_API LAKE_CHECK_RESULT lake_status lake_plan_residual(
    lake_plan *plan, size_t task, lake_str *json, int *exact, lake_str *sql, lake_error *err);

/* Counters. Bytes and rows are of data files. A total is -1 where the skipped part is unknown (v1 lists without
 * counts). */
typedef struct lake_plan_counts {
    int64_t total_data_manifests, scanned_data_manifests, skipped_data_manifests;
    int64_t total_delete_manifests, scanned_delete_manifests, skipped_delete_manifests;
    int64_t total_files, kept_files, skipped_files; /* live data files: from counts of the lists */
    int64_t skipped_files_in_scanned; /* dropped one by one */
    int64_t total_rows, kept_rows, kept_bytes;
    int64_t scanned_bytes; /* bytes of all files in the scanned manifests */
    int64_t match_all_files;
    int64_t delete_files, equality_delete_files, position_delete_files, deletion_vectors; /* in the plan */
    int64_t skipped_delete_files;
    int64_t planning_ns;
    int64_t leaves, opaque_leaves; /* of the predicate */
    /* options.row_groups; all 0 without */
    int64_t footers; /* files opened */
    int64_t
        footer_skipped_files; /* dropped since none of their row groups can match (skipped_files counts them, too) */
    int64_t total_row_groups, kept_row_groups; /* of the files opened */
    int64_t row_groups_by_statistics, row_groups_by_bloom, row_groups_by_dictionary, row_groups_by_pages; /* dropped */
    int64_t total_pages, kept_pages; /* of the predicate's columns, where page indexes were read */
    int64_t total_group_bytes, kept_group_bytes; /* of row groups */
    int64_t total_group_rows, kept_group_rows; /* of the files opened; kept: in the row ranges */
    int64_t doubtful; /* statistics, indexes and filters that were not used since something about them is wrong */
    int64_t total_page_bytes,
        kept_page_bytes; /* of the column chunks that those pages are of; kept: with dictionaries */
    /* of all plans again */
    int64_t total_manifest_bytes, scanned_manifest_bytes; /* data and delete manifests, by the manifest list */
} lake_plan_counts;
LAKE_API void lake_plan_counts_of(const lake_plan *plan, lake_plan_counts *out);
/* The snapshot that was planned; 0 returned: the table has none. */
LAKE_API int lake_plan_snapshot(const lake_plan *plan, int64_t *id);

/* A decision (options.explain). */
typedef struct lake_decision {
    int level; /* 0 manifest, 1 data file, 2 delete manifest, 3 delete file, 4 row group */
    lake_str path;
    int kept;
    lake_str leaf, facts, reason; /* "amount > 1000", "recorded [0, 50]", a sentence */
    int64_t row_group; /* level 4 */
} lake_decision;
LAKE_API size_t lake_plan_decision_count(const lake_plan *plan);
LAKE_API LAKE_CHECK_RESULT lake_status lake_plan_decision(
    lake_plan *plan, size_t index, lake_decision *out, lake_error *err);
/* Parts of the predicate that cannot prune: its SQL and the reason. Returns how many there are. */
LAKE_API size_t lake_plan_unused(const lake_plan *plan, size_t index, lake_str *sql, lake_str *reason);

typedef enum lake_plan_format {
    LAKE_PLAN_JSON, /* the REST catalog's completed planning result, with scan-report and match */
    LAKE_PLAN_NDJSON, /* one task a line */
    LAKE_PLAN_CSV,
    LAKE_PLAN_PATHS, /* one path a line; refuses a plan with delete files (UNSUPPORTED) unless ignore_deletes */
    LAKE_PLAN_PATHS0 /* NUL-ended */
} lake_plan_format;
LAKE_API LAKE_CHECK_RESULT lake_status lake_plan_write(
    lake_plan *plan, lake_plan_format format, int ignore_deletes, const lake_sink *sink, lake_error *err);

#ifdef __cplusplus
}
#endif
#endif
