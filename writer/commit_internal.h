/* Private to writer/: the parts of a commit. The life of one: files or manifests are made ready once (a `source`);
   then, for each attempt, a manifest list, a snapshot and a metadata document are built on the table's newest state,
   and the catalog swaps it in or says CONFLICT (spec.md, "Commit Conflict Resolution and Retry"). */
#ifndef LAKE_WRITER_COMMIT_INTERNAL_H
#define LAKE_WRITER_COMMIT_INTERNAL_H

#include "lake/write.h"
#include "manifest/manifest.h"
#include "reader/table.h"

/* ---- what a snapshot adds and takes away, for its summary */
typedef struct lake_changes {
    const char *operation; /* NULL: by what is added and taken away */
    int64_t data_files, records, bytes;
    int64_t position_files, position_records, equality_files, equality_records, dvs;
    bool unknown_records; /* some record count is not known */
    int64_t gone_data_files, gone_records, gone_bytes;
    int64_t gone_position_files, gone_position_records, gone_equality_files, gone_equality_records, gone_dvs;
    bool gone_unknown_records;
    int64_t resized_bytes; /* of files that stay, recorded with another size: by how much it grows */
    int64_t manifests_replaced, entries_processed; /* manifests that were written again, and their live entries */
    lake_str *partitions; /* distinct ones: spec id and tuple as bytes; an open-addressed set */
    size_t npartitions, nslots;
} lake_changes;

/* Counts an entry that becomes live, or one that is taken away. The set grows in the arena. */
LAKE_CHECK_RESULT lake_status lake_changes_add(
    lake_changes *s, lake_arena *arena, const lake_entry *entry, int32_t spec_id, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_changes_remove(
    lake_changes *s, lake_arena *arena, const lake_entry *entry, int32_t spec_id, lake_error *err);
/* A copy that can be changed without changing the first. */
LAKE_CHECK_RESULT lake_status lake_changes_copy(
    const lake_changes *s, lake_arena *arena, lake_changes *out, lake_error *err);
/* "append", "delete" (only delete files are added, or only data files taken away) or "overwrite", unless one is set. */
const char *lake_changes_operation(const lake_changes *s);
/* The summary object: the official keys, totals carried from the parent's (what is unknown there stays unknown), then
   `extra`
   ("K=V"). */
LAKE_CHECK_RESULT lake_status lake_changes_write(const lake_changes *s, lake_arena *arena, const lake_snapshot *parent,
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
    lake_json *statistics; /* an element for the metadata's `statistics`; NULL: none */
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
/* What happens to a live entry of the parent snapshot. */
typedef enum lake_verdict { LAKE_ENTRY_STAYS, LAKE_ENTRY_GOES, LAKE_ENTRY_CHANGES } lake_verdict;

/* The state that an attempt builds on. */
typedef struct lake_base {
    lake_table *table;
    const lake_metadata *metadata;
    const lake_snapshot *parent; /* NULL: the branch has none */
    const lake_manifest_file *lines; /* of the parent */
    size_t nlines;
    lake_arena *arena; /* of the attempt */
    bool nothing; /* set by `begin`, `check` or `edit`: nothing is to be done, so the commit ends without a snapshot */
    int64_t resized_bytes; /* set by `check`: as in lake_changes */
    int64_t now_ms; /* for `edit`: what the new document's last-updated-ms will be */
    lake_str said; /* set by `edit`: members of the report's JSON object, without braces, in the attempt's arena */
} lake_base;

/* What a commit does to the manifests that are there already (writer/rewrite.h). A manifest with an entry that goes or
   changes is written again: what goes becomes DELETED, the rest EXISTING, with all that they inherited stated. */
typedef struct lake_rewrite {
    bool data, deletes; /* which manifests are looked at */
    bool metrics; /* `ask` needs the metrics of all columns, split offsets and so on */
    /* Asked of each live entry, from several threads at once and more than once. Without `metrics` the
       entry has none. */
    lake_verdict (*ask)(void *user, const lake_manifest_file *line, const lake_entry *entry);
    /* The new form of an entry that changes: `entry` is a copy to be altered; what it points to goes into the arena.
       NULL where nothing changes. */
    lake_status (*change)(void *user, lake_arena *arena, lake_entry *entry, lake_error *err);
} lake_rewrite;

/* Makes the manifests that a commit adds. `make` is called before the first attempt, and again after `forget` when the
   snapshot id or the table's format version has changed. Lines: sequence numbers -1, added_snapshot_id set. */
typedef struct lake_commit_source {
    void *user;
    lake_status (*make)(void *user, const lake_metadata *m, int64_t snapshot_id, bool dry_run, lake_arena *arena,
        lake_manifest_file **lines, size_t *n, lake_changes *summary, lake_error *err);
    void (*forget)(void *user); /* removes what make wrote */
    const lake_rewrite *rewrite; /* NULL: the parent's manifests stay as they are */
    /* Before and after the parent's entries were asked, in every attempt; either may be NULL. What they refuse is not
       tried again, also with CONFLICT. */
    lake_status (*begin)(void *user, lake_base *base, lake_error *err);
    lake_status (*check)(void *user, lake_base *base, lake_error *err);
    /* Writes a statistics file for the snapshot, anew for each attempt; it is removed with the attempt. May be NULL. */
    lake_status (*statistics)(void *user, const lake_base *base, const lake_new_snapshot *snapshot, bool dry_run,
        lake_json **entry, lake_str *file, lake_error *err);
    /* A commit that makes no snapshot: changes a copy of the newest document (writer/document.h), in every attempt. No
       other member is called then. What it refuses is not tried again. */
    lake_status (*edit)(void *user, lake_base *base, lake_json *document, lake_error *err);
} lake_commit_source;

LAKE_CHECK_RESULT lake_status lake_commit_run(lake_table *table, const lake_commit_source *source,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err);

/* Paths, copied into an arena; files written for a commit, say, which are removed if it fails. */
typedef struct lake_path_list {
    lake_str *paths;
    size_t n, room;
} lake_path_list;
/* False: out of memory. */
bool lake_path_list_add(lake_path_list *list, lake_arena *arena, lake_str path);
/* Removes the files, and empties the list. */
void lake_path_list_remove(lake_path_list *list, const lake_store *store);

#endif
