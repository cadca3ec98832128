/* Private to writer/: the parts of a commit. The life of one: files or manifests are made ready once (a `source`);
   then, for each attempt, a manifest list, a snapshot and a metadata document are built on the table's newest state,
   and the catalog swaps it in or says CONFLICT (spec.md, "Commit Conflict Resolution and Retry"). */
#ifndef LAKE_WRITER_COMMIT_INTERNAL_H
#define LAKE_WRITER_COMMIT_INTERNAL_H

#include "lake/write.h"
#include "manifest/manifest.h"
#include "reader/table.h"

/* ---- what a snapshot adds, for its summary */
typedef struct lake_added {
    int64_t data_files, records, bytes;
    int64_t position_files, position_records, equality_files, equality_records, dvs;
    bool unknown_records; /* some record count is not known */
    lake_str *partitions; /* distinct ones: spec id and tuple as bytes; an open-addressed set */
    size_t npartitions, nslots;
} lake_added;

/* Counts an entry that becomes live. The set grows in the arena. */
LAKE_CHECK_RESULT lake_status lake_added_count(
    lake_added *s, lake_arena *arena, const lake_entry *entry, int32_t spec_id, lake_error *err);
/* "append", "delete" (only delete files) or "overwrite". */
const char *lake_added_operation(const lake_added *s);
/* The summary object: the official keys, totals carried from the parent's (what is unknown there stays unknown), then
   `extra`
   ("K=V"). */
LAKE_CHECK_RESULT lake_status lake_added_write(const lake_added *s, lake_arena *arena, const lake_snapshot *parent,
    size_t manifests_created, size_t manifests_kept, const lake_commit_options *options, lake_json **out,
    lake_error *err);

/* Refuses (MALFORMED) a manifest whose header has a schema with a column that the table has with another type, or never
   had. NULL and what cannot be read is taken. */
LAKE_CHECK_RESULT lake_status lake_commit_check_schema(
    const lake_metadata *m, const lake_json *header_schema, lake_error *err);

/* ---- a snapshot and the document that holds it */
typedef struct lake_new_snapshot {
    int64_t id, sequence_number, timestamp_ms;
    const lake_snapshot *parent;
    lake_str manifest_list; /* ptr NULL: dry run */
    const lake_json *summary;
    int64_t first_row_id, next_row_id; /* v3 */
    lake_str branch;
    lake_str base_location; /* how the metadata-log names the file that the new one follows */
} lake_new_snapshot;

/* The base's document with the snapshot in it; nothing of the base is lost, the base is not changed. */
LAKE_CHECK_RESULT lake_status lake_metadata_add_snapshot(
    lake_arena *arena, const lake_metadata *base, const lake_new_snapshot *s, lake_json **out, lake_error *err);
/* The document as bytes, gzip if the table's write.metadata.compression-codec says so. */
LAKE_CHECK_RESULT lake_status lake_metadata_encode(
    const lake_json *json, lake_str codec, lake_buffer *out, lake_error *err);

/* ---- places */
/* A new file's location under the table's metadata path (write.metadata.path, else LOCATION/metadata). */
LAKE_CHECK_RESULT lake_status lake_metadata_place(
    lake_arena *arena, const lake_metadata *m, lake_str name, lake_str *out, lake_error *err);
/* A random UUID (version 4) as text. */
LAKE_CHECK_RESULT lake_status lake_uuid_draw(char out[37], lake_error *err);
/* An integer property; `missing` if it is absent or no integer. */
int64_t lake_property_i64(const lake_metadata *m, const char *key, int64_t missing);

/* ---- committing */
/* Makes the manifests that a commit adds. `make` is called before the first attempt, and again after `forget` when the
   snapshot id or the table's format version has changed. Lines: sequence numbers -1, added_snapshot_id set. */
typedef struct lake_commit_source {
    void *user;
    lake_status (*make)(void *user, const lake_metadata *m, int64_t snapshot_id, bool dry_run, lake_arena *arena,
        lake_manifest_file **lines, size_t *n, lake_added *summary, lake_error *err);
    void (*forget)(void *user); /* removes what make wrote */
} lake_commit_source;

LAKE_CHECK_RESULT lake_status lake_commit_run(lake_table *table, const lake_commit_source *source,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err);

/* Files written for a commit, to be removed if it fails. */
typedef struct lake_made_files {
    lake_str *paths;
    size_t n, room;
} lake_made_files;
bool lake_made_files_add(lake_made_files *made, lake_arena *arena, lake_str path);
void lake_made_files_remove(lake_made_files *made, const lake_store *store);

#endif
