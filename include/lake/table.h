/* Tables: opening by metadata file or directory, and what their metadata says. */
#ifndef LAKE_TABLE_H
#define LAKE_TABLE_H

#include "lake/rows.h"
#include "lake/session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lake_table lake_table;

/* Which snapshot: at most one is given. Names resolve in the snapshot's schema for snapshot_id, as_of_ms and tags, in
   the current schema for branches and by default. */
typedef struct lake_snapshot_choice {
    uint32_t version;
    int has_snapshot_id;
    int64_t snapshot_id;
    const char *ref; /* branch or tag */
    int has_as_of;
    int64_t as_of_ms; /* the snapshot that was current then, by the snapshot log; milliseconds since 1970 */
} lake_snapshot_choice;
#define LAKE_SNAPSHOT_CHOICE_VERSION 1
#define LAKE_SNAPSHOT_CHOICE_INIT                                                                                      \
    { .version = LAKE_SNAPSHOT_CHOICE_VERSION }

/* `location`: a *.metadata.json (also .gz) as path or URI, or a table directory (the version hint if it is right, else
   the highest metadata file). */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_open(
    lake_session *session, const char *location, lake_table **out, lake_error *err);
LAKE_API void lake_table_close(lake_table *table);

LAKE_API int lake_table_format_version(const lake_table *table);
LAKE_API lake_str lake_table_uuid(const lake_table *table); /* ptr NULL: none (v1) */
LAKE_API lake_str lake_table_location(const lake_table *table); /* as recorded */
LAKE_API lake_str lake_table_metadata_location(const lake_table *table); /* the file that was read */
/* The current snapshot's id; 0 returned: none. */
LAKE_API int lake_table_current_snapshot(const lake_table *table, int64_t *id);

/* `what`: snapshots, history, refs, manifests, files, entries, partitions, schema, spec, properties. Column names as in
   Iceberg's metadata tables. choice NULL: the current snapshot. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_inspect(
    lake_table *table, const char *what, const lake_snapshot_choice *choice, lake_rows **out, lake_error *err);
/* The same with partition values as people and paths write them: "2025-03" for a month. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_inspect_human(
    lake_table *table, const char *what, const lake_snapshot_choice *choice, lake_rows **out, lake_error *err);

/* Any metadata, manifest, manifest list, Puffin file or Parquet footer as one JSON document: `{header, entries}` with
   the spec's names and hex bytes for Avro files. indent 0: one line. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_dump(
    lake_session *session, const char *location, int indent, const lake_sink *sink, lake_error *err);

#ifdef __cplusplus
}
#endif
#endif
