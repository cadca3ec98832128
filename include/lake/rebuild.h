/* Recording statistics again: exact ones, computed from the data files that a table has. */
#ifndef LAKE_REBUILD_H
#define LAKE_REBUILD_H

#include "lake/write.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lake_rebuild_options {
    uint32_t version;
    const char *where; /* SQL: only files that a plan keeps for it; NULL: all. It is answered by what is recorded now */
    int case_sensitive; /* -1: the default, 0, 1; of column names in `where` */
    const char *const *files; /* only these data files, by location; each must be in the table */
    size_t nfiles;
    const char *const *columns; /* full names; only what is recorded of these changes; 0: all */
    size_t ncolumns;
    const char *metrics_mode; /* none, counts, truncate(N), full; NULL: by the table's properties */
} lake_rebuild_options;
#define LAKE_REBUILD_OPTIONS_VERSION 1
#define LAKE_REBUILD_OPTIONS_INIT                                                                                      \
    { .version = LAKE_REBUILD_OPTIONS_VERSION, .case_sensitive = -1 }

/* Reads the chosen Parquet and Avro data files (in parallel) and commits, as one snapshot of the operation "replace",
   manifests that record exact statistics of them. Data files, their rows, sequence numbers, row ids and delete files
   stay; manifests in which nothing changes are kept. A file with another number of rows than recorded is MALFORMED and
   nothing is done. Retries when another commit came first: files that it took away are left out; one whose recorded
   rows changed is a CONFLICT. In a dry run the sink gets, before the report, a line of JSON for each file that changes:
   file-path and columns, each with id, name, recorded and exact (value-count, null-value-count, nan-value-count,
   column-size, lower-bound-hex, upper-bound-hex). Report as in lake_table_append; if nothing changes there is no
   snapshot, and snapshot-id is null. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_rebuild_stats(lake_table *table, const lake_rebuild_options *rebuild,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err);

#ifdef __cplusplus
}
#endif
#endif
