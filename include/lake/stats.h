/* Exact statistics of data files. */
#ifndef LAKE_STATS_H
#define LAKE_STATS_H

#include "lake/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lake_stats lake_stats;

typedef struct lake_stats_options {
    uint32_t version;
    lake_table *table; /* ids, types and name mapping from this table, or NULL */
    const char *schema_json; /* an Iceberg schema, or NULL; with neither: the file's own ids and types */
    int footer_only; /* trust the footer, by the rules for who wrote it */
    const char *const *columns; /* full names; NULL: all */
    size_t ncolumns;
    const char *metrics_mode; /* what a manifest would record: none, counts, truncate(N), full; NULL: exact and whole.
                                 "table": by the table's properties */
    size_t page_limit; /* bytes of a Parquet page that cannot be read piece by piece; 0: 24 MiB */
} lake_stats_options;
#define LAKE_STATS_OPTIONS_VERSION 2
#define LAKE_STATS_OPTIONS_INIT                                                                                        \
    { .version = LAKE_STATS_OPTIONS_VERSION }

/* Reads one file. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_stats_open(
    lake_session *session, const char *location, const lake_stats_options *options, lake_stats **out, lake_error *err);
LAKE_API void lake_stats_close(lake_stats *stats);

/* Called for each of n files, in order, one call at a time, from any thread: its statistics (closed after the call), or
   NULL and why it could not be read. Whatever it returns but LAKE_OK ends the work. */
typedef lake_status (*lake_stats_visit)(
    void *user, size_t index, const lake_stats *stats, const lake_error *why, lake_error *err);
/* Reads many files on the session's threads, with its progress. A file that is missing, damaged or not supported does
   not stop the others; a mistake of the caller's (LAKE_ERR_USAGE) does. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_stats_each(lake_session *session, const char *const *locations, size_t n,
    const lake_stats_options *options, lake_stats_visit visit, void *user, lake_error *err);

typedef struct lake_stats_file {
    lake_str path, format; /* format: "parquet", "avro", "orc": by the first bytes, whatever the file is called */
    int64_t record_count, file_size;
    const int64_t *split_offsets;
    size_t nsplit_offsets, ncolumns;
    int from_footer; /* the statistics are the writer's: footer_only, or ORC */
} lake_stats_file;
LAKE_API void lake_stats_file_of(const lake_stats *stats, lake_stats_file *out);

/* A leaf column; -1 counts: unknown or not kept (nan_count: no float column). Views until close. */
typedef struct lake_stats_column {
    int32_t id;
    lake_str name, type;
    int64_t column_size, value_count, null_count, nan_count;
    lake_str lower, upper; /* JSON single values; ptr NULL: none */
    lake_bytes lower_bytes, upper_bytes; /* binary single values */
    int lower_loose, upper_loose; /* of a footer: the bound may lie outside the data */
} lake_stats_column;
LAKE_API void lake_stats_column_of(const lake_stats *stats, size_t index, lake_stats_column *out);

/* The file's object of `lakectl stats --format json`. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_stats_write(
    const lake_stats *stats, const lake_sink *sink, lake_error *err);

#ifdef __cplusplus
}
#endif
#endif
