/* Table metadata (spec.md, "Table Metadata", Appendix C), v1 to v3: read strictly, kept whole. */
#ifndef LAKE_FORMAT_METADATA_H
#define LAKE_FORMAT_METADATA_H

#include "format/transform.h"

typedef struct lake_snapshot {
    int64_t id;
    bool has_parent;
    int64_t parent_id;
    int64_t sequence_number; /* 0 in v1 */
    int64_t timestamp_ms;
    lake_str manifest_list; /* ptr NULL: v1 with `manifests` */
    const lake_str *manifests; /* v1 */
    size_t nmanifests;
    const lake_json *summary; /* object of strings, or NULL */
    bool has_schema_id;
    int32_t schema_id;
    bool has_first_row_id;
    int64_t first_row_id, added_rows; /* v3 */
    const lake_json *json;
} lake_snapshot;

typedef struct lake_ref {
    lake_str name;
    int64_t snapshot_id;
    bool tag; /* else a branch */
    const lake_json *json;
} lake_ref;

typedef struct lake_log_entry { /* snapshot-log and metadata-log */
    int64_t timestamp_ms;
    int64_t snapshot_id;
    lake_str metadata_file;
} lake_log_entry;

typedef struct lake_metadata {
    int32_t format_version;
    lake_str uuid, location; /* location as stored, one trailing slash removed */
    int64_t last_sequence_number, last_updated_ms;
    int32_t last_column_id, last_partition_id;
    lake_schema **schemas;
    size_t nschemas;
    const lake_schema *schema; /* the current one */
    lake_spec **specs;
    size_t nspecs;
    const lake_spec *spec; /* the default one */
    lake_sort_order **sort_orders;
    size_t nsort_orders;
    int32_t default_sort_order_id;
    const lake_json *properties; /* object of strings, or NULL */
    lake_snapshot *snapshots;
    size_t nsnapshots;
    lake_snapshot **snapshots_by_id; /* sorted */
    const lake_snapshot *snapshot; /* the current one; NULL: none */
    lake_ref *refs;
    size_t nrefs;
    lake_log_entry *snapshot_log, *metadata_log;
    size_t nsnapshot_log, nmetadata_log;
    const lake_json *statistics, *partition_statistics; /* arrays or NULL */
    int64_t next_row_id; /* v3; 0 before */
    const lake_json *json; /* the whole document */
} lake_metadata;

/* Reads a metadata document (gzip is recognised by its first bytes). `name` is the file, for errors. */
LAKE_CHECK_RESULT lake_status lake_metadata_read(
    lake_arena *arena, lake_bytes bytes, const char *name, lake_metadata **out, lake_error *err);
/* The same with a limit of its own on the bytes after decompression (0: 1 GiB, which is also the most). */
LAKE_CHECK_RESULT lake_status lake_metadata_read_within(
    lake_arena *arena, lake_bytes bytes, uint64_t limit, const char *name, lake_metadata **out, lake_error *err);
/* Reads an already parsed document. */
LAKE_CHECK_RESULT lake_status lake_metadata_from_json(
    lake_arena *arena, const lake_json *json, const char *name, lake_metadata **out, lake_error *err);

const lake_schema *lake_metadata_schema(const lake_metadata *m, int32_t id); /* NULL: none */
const lake_spec *lake_metadata_spec(const lake_metadata *m, int32_t id);
const lake_snapshot *lake_metadata_snapshot(const lake_metadata *m, int64_t id);
const lake_ref *lake_metadata_ref(const lake_metadata *m, lake_str name);
lake_str lake_metadata_property(const lake_metadata *m, const char *key); /* ptr NULL: absent */

#endif
