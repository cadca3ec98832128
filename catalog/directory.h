/* Tables in directories (the file-system catalog): which metadata file is current, and the atomic step to the next one.
 */
#ifndef LAKE_CATALOG_DIRECTORY_H
#define LAKE_CATALOG_DIRECTORY_H

#include "format/metadata.h"
#include "store/store.h"

/* Where a table's current metadata is. */
typedef struct lake_table_pointer {
    lake_str directory; /* the table's directory as opened; ptr NULL: opened by its metadata file */
    lake_str metadata_location; /* the file */
    int64_t version; /* N of vN.metadata.json or 0000N-uuid.metadata.json; -1: unknown */
} lake_table_pointer;

/* Finds the current metadata file of `location` (a metadata file, or a table directory: the version hint if it is
   right, probing upward from it; else the highest metadata file, numerically; v3.gz.metadata.json, v3.metadata.json.gz,
   plain names with gzip inside, and NNNNN-UUID.metadata.json are all known) and reads it. */
LAKE_CHECK_RESULT lake_status lake_directory_load(const lake_store *store, lake_arena *arena, lake_str location,
    lake_table_pointer *at, lake_metadata **metadata, lake_error *err);

/* Makes the next metadata file, v(N+1).metadata.json (by a create that fails if it exists: CONFLICT), then the version
   hint. base NULL: a new table (version 1; EXISTS if there is one). The new pointer goes to *at. `turn` is what
   lake_directory_take_turn gave, or NULL. */
LAKE_CHECK_RESULT lake_status lake_directory_commit(const lake_store *store, lake_arena *arena, lake_str directory,
    const lake_table_pointer *base, lake_bytes metadata, const lake_store_lock *turn, lake_table_pointer *at,
    lake_error *err);

/* Is version N of the table these bytes? For a commit of which nobody knows how it ended; if so, *at points to it. */
typedef struct lake_directory_version {
    lake_str directory;
    int64_t version;
    lake_bytes metadata;
} lake_directory_version;
LAKE_CHECK_RESULT lake_status lake_directory_holds(const lake_store *store, lake_arena *arena,
    const lake_directory_version *v, lake_table_pointer *at, bool *holds, lake_error *err);

/* Waits for the table's turn: while it is held no other process that asks for turns or commits through this catalog
   gets in between. turn->fd -1: the file system has none, or the wait was too long; commits are safe without. */
LAKE_CHECK_RESULT lake_status lake_directory_take_turn(
    const lake_store *store, lake_arena *arena, lake_str directory, lake_store_lock *turn, lake_error *err);

/* The location of a metadata file below a table's (recorded) location. ptr NULL: out of memory. */
lake_str lake_directory_place(lake_arena *arena, lake_str location, lake_str name);

#endif
