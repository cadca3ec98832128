/* Steps that several changes of a metadata document share (spec.md, "Table Metadata Fields", "Snapshot References"). */
#include "writer/document.h"

#include "writer/commit_internal.h"

lake_json *lake_document_own(lake_arena *arena, lake_json *o, const char *key, lake_json_kind kind) {
    const lake_json *old = lake_json_find(o, key);
    lake_json *copy = lake_json_is(old, kind) ? lake_json_copy(arena, old) : lake_json_new(arena, kind);
    return copy && lake_json_set(arena, o, key, copy) ? copy : NULL;
}

bool lake_document_set_i64(lake_arena *arena, lake_json *o, const char *key, int64_t n) {
    lake_json *v = lake_json_new_i64(arena, n);
    return v && lake_json_set(arena, o, key, v);
}

bool lake_document_set_str(lake_arena *arena, lake_json *o, const char *key, lake_str s) {
    lake_json *v = lake_json_new_string(arena, s);
    return v && lake_json_set(arena, o, key, v);
}

lake_json *lake_document_own_schemas(lake_arena *arena, lake_json *doc, const lake_metadata *base) {
    if (lake_json_find(doc, "schemas"))
        return lake_document_own(arena, doc, "schemas", LAKE_JSON_ARRAY);
    lake_json *list = lake_document_own(arena, doc, "schemas", LAKE_JSON_ARRAY);
    lake_json *schema = lake_document_own(arena, doc, "schema", LAKE_JSON_OBJECT);
    bool done = list && schema && lake_document_set_i64(arena, schema, "schema-id", base->schema->id) &&
        lake_json_push(arena, list, schema) && lake_document_set_i64(arena, doc, "current-schema-id", base->schema->id);
    return done ? list : NULL;
}

bool lake_document_set_ref(lake_arena *arena, lake_json *ref, int64_t snapshot_id, bool tag) {
    return lake_document_set_i64(arena, ref, "snapshot-id", snapshot_id) &&
        lake_document_set_str(arena, ref, "type", tag ? LAKE_STR("tag") : LAKE_STR("branch"));
}

lake_json *lake_document_refs(lake_arena *arena, lake_json *doc, const lake_metadata *base) {
    lake_json *refs = lake_document_own(arena, doc, "refs", LAKE_JSON_OBJECT);
    if (!refs || !base->snapshot)
        return refs;
    lake_json *main = lake_document_own(arena, refs, "main", LAKE_JSON_OBJECT);
    return main && lake_document_set_ref(arena, main, base->snapshot->id, false) ? refs : NULL;
}

bool lake_document_log_snapshot(lake_arena *arena, lake_json *doc, int64_t timestamp_ms, int64_t id) {
    lake_json *log = lake_document_own(arena, doc, "snapshot-log", LAKE_JSON_ARRAY);
    lake_json *e = lake_json_new(arena, LAKE_JSON_OBJECT);
    return log && e && lake_document_set_i64(arena, e, "timestamp-ms", timestamp_ms) &&
        lake_document_set_i64(arena, e, "snapshot-id", id) && lake_json_push(arena, log, e);
}

bool lake_document_set_current(lake_arena *arena, lake_json *doc, int64_t timestamp_ms, int64_t id) {
    return lake_document_set_i64(arena, doc, "current-snapshot-id", id) &&
        lake_document_log_snapshot(arena, doc, timestamp_ms, id);
}

bool lake_document_log_metadata(
    lake_arena *arena, lake_json *doc, const lake_metadata *base, const lake_metadata *after, lake_str base_location) {
    int64_t most = lake_property_i64(after, "write.metadata.previous-versions-max", 100);
    lake_json *log = lake_document_own(arena, doc, "metadata-log", LAKE_JSON_ARRAY);
    lake_json *e = lake_json_new(arena, LAKE_JSON_OBJECT);
    bool done = log && e && lake_document_set_i64(arena, e, "timestamp-ms", base->last_updated_ms) &&
        lake_document_set_str(arena, e, "metadata-file", base_location) && lake_json_push(arena, log, e);
    size_t keep = most < 1 ? 1 : (size_t)most;
    if (done && log->count > keep) {
        size_t drop = log->count - keep;
        memmove(log->items, log->items + drop, keep * sizeof *log->items);
        log->count = keep;
    }
    return done;
}
