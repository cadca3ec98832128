/* The insides of the public handles lake_session, lake_table and lake_rows, for the folders from reader/ on. */
#ifndef LAKE_READER_TABLE_H
#define LAKE_READER_TABLE_H

#include "catalog/directory.h"
#include "format/metadata.h"
#include "lake/table.h"
#include "manifest/cache.h"
#include "manifest/manifest.h"
#include "store/cache.h"

/* Kinds of facts in a session's cache: what footers of Parquet files say (planner/listing_cache.c). */
#define LAKE_CACHE_FOOTERS "footers-v1"
#define LAKE_CACHE_FOOTERS_LIMIT ((uint64_t)512 << 20)

struct lake_session {
    lake_arena arena;
    lake_store store;
    unsigned threads;
    lake_progress progress;
    void *progress_user;
    uint64_t max_metadata_size;
    lake_cache *footers; /* NULL: none */
    lake_manifest_cache *manifests; /* NULL: none */
};

struct lake_table {
    lake_session *session;
    lake_arena arena; /* of everything below; replaced as a whole when the table is refreshed */
    lake_table_pointer at; /* where the current metadata file is (catalog/directory.h) */
    lake_metadata *metadata;
};

/* The snapshot that a choice means, and the schema in which names resolve. *snapshot NULL: the table has none.
   NOT_FOUND names what is missing. */
LAKE_CHECK_RESULT lake_status lake_table_choose(const lake_table *table, const lake_snapshot_choice *choice,
    const lake_snapshot **snapshot, const lake_schema **schema, lake_error *err);

/* The manifests of a snapshot: its list, or (v1) the manifests that it names. Names the snapshot when a list is
 * missing. */
LAKE_CHECK_RESULT lake_status lake_table_manifests(const lake_table *table, const lake_snapshot *snapshot,
    lake_arena *arena, lake_manifest_file **out, size_t *n, lake_error *err);

/* Reads the table's current metadata again (after a commit). */
LAKE_CHECK_RESULT lake_status lake_table_refresh(lake_table *table, lake_error *err);

/* Rows for lake_rows, made by a function that fills the cells (preset to "null"; ptr NULL is not allowed). `close`
   frees user when the rows are closed, and also when lake_rows_new fails. `names` must be static. */
typedef lake_status (*lake_rows_fill)(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_rows_new(const char *const *names, size_t width, lake_rows_fill fill,
    void (*close)(void *user), void *user, lake_rows **out, lake_error *err);

#endif
