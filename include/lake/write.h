/* Writing: manifests with exact statistics, manifest lists, tables and commits. */
#ifndef LAKE_WRITE_H
#define LAKE_WRITE_H

#include "lake/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- manifests */
typedef struct lake_manifest_options {
    uint32_t version;
    lake_table *table; /* schema, spec, format version, properties; or NULL and the four below */
    const char *schema_json; /* an Iceberg schema */
    const char
        *spec; /* an Iceberg spec as JSON (object or bare array), or text: "months(d), bucket(16, id)"; NULL: none */
    int format_version; /* 0: the table's, or 2 */
    int has_spec_id;
    int32_t spec_id; /* of the table; default: its default spec */
    const char *partition; /* "k=v,…" (human form); NULL: from the data, checked, or Hive paths */
    int content; /* 0 data, 1 position deletes, 2 equality deletes */
    const char *equality_columns; /* comma-separated names or ids, for content 2 */
    const char *output; /* location of the manifest; with target_size: "-0001" etc. goes before the extension */
    int64_t target_size; /* bytes; 0: one manifest */
    const char *codec; /* gzip (deflate), zstd, snappy, uncompressed; NULL: the table's property, else gzip */
    const char *metrics_mode; /* NULL: the table's properties (default truncate(16)) */
    const char *const *files;
    size_t nfiles;
    int has_sort_order; /* the files are claimed to be in a sort order of the table (not position deletes) */
    int32_t sort_order_id; /* recorded as given, unless it is checked: */
    int verify_sorted; /* every row of every file is looked at; without has_sort_order: for the table's default order */
    const char *ndv_columns; /* count the distinct values of these ("a,b.c", or "all") into theta sketches in a Puffin
                                file: lake_manifest_write puts it beside the output, with .stats for the extension;
                                lake_table_append records it as the snapshot's statistics. NULL: none */
} lake_manifest_options;
#define LAKE_MANIFEST_OPTIONS_VERSION 1
#define LAKE_MANIFEST_OPTIONS_INIT                                                                                     \
    { .version = LAKE_MANIFEST_OPTIONS_VERSION }

/* Computes statistics of the files (in parallel) and writes the manifest(s). Each line that goes to the sink is a JSON
   object of one manifest with the spec's names (manifest_path, manifest_length, partition_spec_id, content, counts,
   partitions with hex bounds). Nothing is left behind on failure. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_manifest_write(
    lake_session *session, const lake_manifest_options *options, const lake_sink *sink, lake_error *err);

typedef struct lake_list_options {
    uint32_t version;
    lake_table *table;
    const char *output;
    const char *const *manifests;
    size_t nmanifests;
    int append; /* the current snapshot's manifests too */
    int has_snapshot_id;
    int64_t snapshot_id; /* default: drawn */
} lake_list_options;
#define LAKE_LIST_OPTIONS_VERSION 1
#define LAKE_LIST_OPTIONS_INIT                                                                                         \
    { .version = LAKE_LIST_OPTIONS_VERSION }
/* Writes a manifest list and commits nothing. The sink gets one JSON object: path, length, snapshot id, sequence
 * number, counts. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_list_write(
    lake_session *session, const lake_list_options *options, const lake_sink *sink, lake_error *err);

/* ---- tables */
typedef struct lake_create_options {
    uint32_t version;
    const char *schema; /* path of an Iceberg schema as JSON, or of a data file (Parquet, Avro, ORC) */
    const char *partition_by; /* "months(order_date), bucket(16, id)", or NULL */
    const char *sort_by; /* "a, bucket(4, b) desc nulls last", or NULL */
    int format_version; /* 1, 2, 3; 0: 2 */
    const char *const *properties; /* "K=V" */
    size_t nproperties;
    const char *recorded_location; /* what metadata says; NULL: the location itself, made absolute, before --map */
} lake_create_options;
#define LAKE_CREATE_OPTIONS_VERSION 1
#define LAKE_CREATE_OPTIONS_INIT                                                                                       \
    { .version = LAKE_CREATE_OPTIONS_VERSION }
/* Makes metadata/v1.metadata.json and the version hint in a directory. EXISTS if there is a table. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_create(
    lake_session *session, const char *location, const lake_create_options *options, lake_table **out, lake_error *err);

typedef struct lake_commit_options {
    uint32_t version;
    int dry_run;
    const char *branch; /* NULL: main */
    const char *const *summary; /* "K=V": more members of the snapshot's summary */
    size_t nsummary;
} lake_commit_options;
#define LAKE_COMMIT_OPTIONS_VERSION 1
#define LAKE_COMMIT_OPTIONS_INIT                                                                                       \
    { .version = LAKE_COMMIT_OPTIONS_VERSION }

/* Appends data files (statistics as in lake_manifest_write), or ready manifests, as one new snapshot. Retries when
   another commit came first. The table handle then shows the new state: views
   taken from it before are gone (rows and plans must be closed first), also when the commit fails, and no other thread
   may use it meanwhile. The sink gets one JSON object: snapshot-id, sequence-number, operation, summary,
   metadata-location, manifest-list, and dry-run. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_append(lake_table *table, const lake_manifest_options *files,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err);
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_commit(lake_table *table, const char *const *manifests,
    size_t nmanifests, const lake_commit_options *options, const lake_sink *sink, lake_error *err);

/* Taking data files away. */
typedef struct lake_change_options {
    uint32_t version;
    const char *const *remove; /* data files by their location; each must be in the table */
    size_t nremove;
    const char *where; /* SQL, or NULL: the files all of whose rows match go too; a file of which only some may match is
                          refused (UNSUPPORTED) */
    int case_sensitive; /* of column names in `where` */
    const lake_manifest_options *add; /* data files that come in their place, as in lake_table_append; or NULL */
} lake_change_options;
#define LAKE_CHANGE_OPTIONS_VERSION 1
#define LAKE_CHANGE_OPTIONS_INIT                                                                                       \
    { .version = LAKE_CHANGE_OPTIONS_VERSION }

/* Takes files away and adds others in one snapshot: operation "delete" without `add`, "overwrite" with it. Deletion
   vectors of files that go, go with them. When another commit came first, `where` is asked again of the newest state; a
   file in `remove` that somebody else took away meanwhile is a CONFLICT. Retries, report and handle as in
   lake_table_append; if nothing is to be done there is no snapshot, and snapshot-id is null. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_change(lake_table *table, const lake_change_options *change,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err);

/* Files that take the place of others with the same rows: what a compaction job commits. */
typedef struct lake_replace_options {
    uint32_t version;
    const char *const *remove; /* data files by their location; each must be in the table */
    size_t nremove;
    const lake_manifest_options *add; /* the new data files, as in lake_table_append; NULL: all rows were deleted */
    int has_read_snapshot;
    int64_t read_snapshot; /* the snapshot that the job has read; default: the branch's newest when the call begins */
    int any_rows; /* do not compare the numbers of rows */
} lake_replace_options;
#define LAKE_REPLACE_OPTIONS_VERSION 1
#define LAKE_REPLACE_OPTIONS_INIT                                                                                      \
    { .version = LAKE_REPLACE_OPTIONS_VERSION }

/* Commits one snapshot of the operation "replace". The new files must have as many rows as the old ones have left in
   the snapshot that was read, all of its deletes applied (MALFORMED if not; UNSUPPORTED if that cannot be told). They
   get that snapshot's sequence number, so that equality deletes committed since still meet their rows. Position deletes
   or deletion vectors that came since for a file that goes, and a file that somebody else took away, are a CONFLICT.
   Retries, report and handle as in lake_table_append. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_replace(lake_table *table, const lake_replace_options *replace,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err);

#ifdef __cplusplus
}
#endif
#endif
