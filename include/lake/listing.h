/* Plans of directories of Parquet files that are no table: from the names of folders and from footers. */
#ifndef LAKE_LISTING_H
#define LAKE_LISTING_H

#include "lake/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lake_listing_options {
    uint32_t version;
    const char *partition_types; /* "year int, day date": types of partition columns; NULL: from their values */
    const char *schema_json; /* an Iceberg schema, by the names of columns; NULL: the union of the files' own */
    unsigned max_depth; /* folders below a path; 0: 100 */
    uint64_t max_folders, max_files; /* 0: 1,000,000 and 10,000,000 */
} lake_listing_options;
#define LAKE_LISTING_OPTIONS_VERSION 1
#define LAKE_LISTING_OPTIONS_INIT                                                                                      \
    { .version = LAKE_LISTING_OPTIONS_VERSION }

/* Plans the Parquet files in folders (all below them) and files. A folder NAME=VALUE, also in the paths themselves,
   gives all rows below it that value of a partition column (percent escapes decoded; __HIVE_DEFAULT_PARTITION__ is
   null); folders whose values cannot match are not opened. Tasks are in order of their paths' bytes, each file once.
   The options choose no snapshot. `listing` may be NULL. UNSUPPORTED: a table of Iceberg, Delta Lake or Hudi is in
   there. The session must stay open until the plan is closed. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_plan_open_paths(lake_session *session, const char *const *paths,
    size_t npaths, const lake_listing_options *listing, const lake_plan_options *options, lake_plan **out,
    lake_error *err);

/* How such a plan found its files. */
typedef struct lake_plan_listing {
    int64_t found_folders, listed_folders, pruned_folders; /* pruned: never opened, nor what is below them */
    int64_t partition_columns;
    int64_t data_files; /* Parquet files in the folders that were opened; those that others repeat not counted */
    int64_t empty_files, other_files, repeated_files; /* left out: without a byte, not Parquet, given twice */
    int64_t read_footers, cached_footers; /* footers of data files: read, or known from the session's cache */
} lake_plan_listing;
/* Returns 0 if it is the plan of a table. */
LAKE_API int lake_plan_listing_of(const lake_plan *plan, lake_plan_listing *out);

#ifdef __cplusplus
}
#endif
#endif
