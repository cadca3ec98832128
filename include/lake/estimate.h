/* Estimates from metadata: rows, bytes and selectivity of a predicate, what is left of each column, and of a join. */
#ifndef LAKE_ESTIMATE_H
#define LAKE_ESTIMATE_H

#include "lake/listing.h"
#include "lake/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How far a figure can be trusted. EXACT is proven by metadata (as far as metadata are right). */
typedef enum lake_precision { LAKE_ABSENT, LAKE_INEXACT, LAKE_EXACT } lake_precision;

typedef struct lake_figure {
    lake_precision precision;
    int64_t value; /* 0 if absent */
    const char
        *source; /* who gave it: "manifests", "puffin", "footers", "stats-file", "predicate", "assumed"; never NULL */
} lake_figure;

typedef struct lake_estimate lake_estimate;

typedef struct lake_estimate_options {
    uint32_t version;
    const char *where; /* SQL, or NULL */
    const char *filter; /* an Iceberg expression as JSON, or NULL; not both */
    lake_snapshot_choice snapshot;
    int case_sensitive; /* as lake_plan_options */
    int nan_largest;
    const char *const *columns; /* more columns to tell of, by name as in SQL */
    size_t ncolumns;
    const char *stats_json; /* the caller's statistics, or NULL (docs/estimate.md has the format) */
    int footers; /* read Parquet footers of files whose manifests lack bounds or counts, and sizes of dictionaries */
} lake_estimate_options;
#define LAKE_ESTIMATE_OPTIONS_VERSION 1
#define LAKE_ESTIMATE_OPTIONS_INIT                                                                                     \
    { .version = LAKE_ESTIMATE_OPTIONS_VERSION, .snapshot = LAKE_SNAPSHOT_CHOICE_INIT, .case_sensitive = -1 }

/* Plans the predicate and estimates; the table must stay open until it is closed. Without a predicate all columns are
   told of. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_estimate_open(
    lake_table *table, const lake_estimate_options *options, lake_estimate **out, lake_error *err);
/* The same for files and folders of files that are no table, as lake_plan_open_paths plans them. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_estimate_open_paths(lake_session *session, const char *const *paths,
    size_t npaths, const lake_listing_options *listing, const lake_estimate_options *options, lake_estimate **out,
    lake_error *err);
LAKE_API void lake_estimate_close(lake_estimate *estimate);

typedef struct lake_estimate_totals {
    lake_figure rows; /* that match, after deletes */
    lake_figure total_rows; /* of the snapshot */
    lake_figure files, total_files;
    lake_figure bytes; /* of the files to read, whole */
    lake_figure output_bytes; /* of the matching rows: the files' bytes by the share of their rows */
    lake_precision selectivity_precision;
    double selectivity; /* rows / total_rows, 0 to 1 */
    int64_t rows_low, rows_high; /* bounds that hold; rows_high -1: unknown */
} lake_estimate_totals;
LAKE_API void lake_estimate_totals_of(const lake_estimate *estimate, lake_estimate_totals *out);

/* A kept file, in the order of the plan. */
typedef struct lake_estimate_file {
    lake_str path;
    lake_figure rows; /* that match */
    int64_t record_count; /* -1: unknown */
    double selectivity; /* by the step functions, before deletes */
} lake_estimate_file;
LAKE_API size_t lake_estimate_file_count(const lake_estimate *estimate);
LAKE_API int lake_estimate_file_of(
    const lake_estimate *estimate, size_t index, lake_estimate_file *out); /* 0: no such */

/* What is left of a column behind the filter. */
typedef struct lake_estimate_column {
    int32_t id;
    lake_str name, type;
    lake_precision lower_precision, upper_precision; /* INEXACT: every matching value lies within */
    lake_str lower, upper; /* JSON single values, both inclusive; ptr NULL: absent */
    const char *bounds_source;
    lake_figure nulls, nans, ndv; /* nans: absent unless a float column */
    lake_figure table_ndv; /* distinct values in the whole table, as somebody says: "stats-file", "puffin", "footers" */
} lake_estimate_column;
LAKE_API size_t lake_estimate_column_count(const lake_estimate *estimate);
LAKE_API int lake_estimate_column_of(const lake_estimate *estimate, size_t index, lake_estimate_column *out);

/* All of it as one JSON document; files: with the files. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_estimate_write(
    lake_estimate *estimate, int files, const lake_sink *sink, lake_error *err);

/* ---- joins */
typedef struct lake_join_options {
    uint32_t version;
    int64_t broadcast_bytes; /* a build side of at most so many bytes is copied to every worker; 0: 10 MiB */
    int64_t broadcast_rows; /* the limit where bytes are not known; 0: 131,072 */
} lake_join_options;
#define LAKE_JOIN_OPTIONS_VERSION 1
#define LAKE_JOIN_OPTIONS_INIT                                                                                         \
    { .version = LAKE_JOIN_OPTIONS_VERSION }

typedef struct lake_join_key {
    const char *left, *right; /* columns, as in SQL; both must be among the columns of their estimate */
} lake_join_key;

typedef struct lake_join {
    lake_figure
        rows; /* of the inner equi-join: |A||B| / max(ndv), by key; 0 exactly where the keys' intervals are apart */
    int build; /* the side to hash: 0 left, 1 right */
    const char *build_reason; /* "bytes", "rows", "unknown" */
    int broadcast; /* the build side is small enough to be copied */
    lake_figure build_bytes, build_rows;
} lake_join;
/* Both estimates must have the keys among their columns (options.columns). options NULL: the defaults. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_join_estimate(const lake_estimate *left, const lake_estimate *right,
    const lake_join_key *keys, size_t nkeys, const lake_join_options *options, lake_join *out, lake_error *err);

#ifdef __cplusplus
}
#endif
#endif
