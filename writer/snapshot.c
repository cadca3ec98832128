/* The next metadata document: the base's, copied and set, so that members nobody here knows survive (spec.md, "Table
   Metadata", "Snapshots", "Row Lineage", Appendix C). Members stand where the base has them, new ones at the end. */
#include "wire/codec.h"
#include "writer/commit_internal.h"

int64_t lake_property_i64(const lake_metadata *m, const char *key, int64_t missing) {
    int64_t n;
    lake_json number = {.kind = LAKE_JSON_NUMBER, .text = lake_metadata_property(m, key)};
    return number.text.ptr && lake_json_i64(&number, &n) ? n : missing;
}

/* A list or object member, copied so that it can be changed; a new one if it is absent or null. */
static lake_json *own(lake_arena *arena, lake_json *doc, const char *key, lake_json_kind kind) {
    const lake_json *old = lake_json_find(doc, key);
    lake_json *copy = lake_json_is(old, kind) ? lake_json_copy(arena, old) : lake_json_new(arena, kind);
    return copy && lake_json_set(arena, doc, key, copy) ? copy : NULL;
}

static bool set_i64(lake_arena *arena, lake_json *o, const char *key, int64_t n) {
    lake_json *v = lake_json_new_i64(arena, n);
    return v && lake_json_set(arena, o, key, v);
}

static bool set_str(lake_arena *arena, lake_json *o, const char *key, lake_str s) {
    lake_json *v = lake_json_new_string(arena, s);
    return v && lake_json_set(arena, o, key, v);
}

static lake_json *snapshot_json(lake_arena *arena, const lake_metadata *base, const lake_new_snapshot *s) {
    lake_json *o = lake_json_new(arena, LAKE_JSON_OBJECT);
    bool done = o && (base->format_version == 1 || set_i64(arena, o, "sequence-number", s->sequence_number)) &&
        set_i64(arena, o, "snapshot-id", s->id) &&
        (!s->parent || set_i64(arena, o, "parent-snapshot-id", s->parent->id)) &&
        set_i64(arena, o, "timestamp-ms", s->timestamp_ms) &&
        lake_json_set(arena, o, "summary", (lake_json *)s->summary) &&
        set_str(arena, o, "manifest-list", s->manifest_list) && set_i64(arena, o, "schema-id", base->schema->id);
    if (done && base->format_version >= 3)
        done = set_i64(arena, o, "first-row-id", s->first_row_id) &&
            set_i64(arena, o, "added-rows", s->next_row_id - s->first_row_id);
    return done ? o : NULL;
}

/* A branch keeps its retention settings. */
static bool set_branch(lake_arena *arena, lake_json *refs, const char *name, int64_t id) {
    lake_json *ref = own(arena, refs, name, LAKE_JSON_OBJECT);
    return ref && set_i64(arena, ref, "snapshot-id", id) && set_str(arena, ref, "type", LAKE_STR("branch"));
}

/* Metadata without refs have a main by their current snapshot; once they have refs, main must be one of them. */
static bool move_branch(lake_arena *arena, lake_json *doc, const lake_metadata *base, const lake_new_snapshot *s) {
    lake_json *refs = own(arena, doc, "refs", LAKE_JSON_OBJECT);
    lake_str name = lake_arena_str(arena, s->branch.ptr, s->branch.len);
    if (!refs || !name.ptr || (base->snapshot && !set_branch(arena, refs, "main", base->snapshot->id)))
        return false;
    return set_branch(arena, refs, name.ptr, s->id);
}

static bool log_snapshot(lake_arena *arena, lake_json *doc, const lake_new_snapshot *s) {
    lake_json *log = own(arena, doc, "snapshot-log", LAKE_JSON_ARRAY), *e = lake_json_new(arena, LAKE_JSON_OBJECT);
    return log && e && set_i64(arena, e, "timestamp-ms", s->timestamp_ms) && set_i64(arena, e, "snapshot-id", s->id) &&
        lake_json_push(arena, log, e);
}

/* The file that this one follows; the oldest entries go when there are more than the table wants. */
static bool log_metadata(lake_arena *arena, lake_json *doc, const lake_metadata *base, const lake_new_snapshot *s) {
    int64_t most = lake_property_i64(base, "write.metadata.previous-versions-max", 100);
    lake_json *log = own(arena, doc, "metadata-log", LAKE_JSON_ARRAY), *e = lake_json_new(arena, LAKE_JSON_OBJECT);
    bool done = log && e && set_i64(arena, e, "timestamp-ms", base->last_updated_ms) &&
        set_str(arena, e, "metadata-file", s->base_location) && lake_json_push(arena, log, e);
    size_t keep = most < 1 ? 1 : (size_t)most;
    if (done && log->count > keep) {
        size_t drop = log->count - keep;
        memmove(log->items, log->items + drop, keep * sizeof *log->items);
        log->count = keep;
    }
    return done;
}

lake_status lake_metadata_add_snapshot(
    lake_arena *arena, const lake_metadata *base, const lake_new_snapshot *s, lake_json **out, lake_error *err) {
    lake_json *doc = lake_json_copy(arena, base->json), *snapshot = snapshot_json(arena, base, s);
    lake_json *list = doc ? own(arena, doc, "snapshots", LAKE_JSON_ARRAY) : NULL;
    bool main = lake_str_is(s->branch, "main");
    lake_json *statistics = doc && s->statistics ? own(arena, doc, "statistics", LAKE_JSON_ARRAY) : NULL;
    bool done = snapshot && list && lake_json_push(arena, list, snapshot) &&
        (!s->statistics || (statistics && lake_json_push(arena, statistics, s->statistics))) &&
        (base->format_version == 1 || set_i64(arena, doc, "last-sequence-number", s->sequence_number)) &&
        set_i64(arena, doc, "last-updated-ms", s->timestamp_ms) &&
        (base->format_version < 3 || set_i64(arena, doc, "next-row-id", s->next_row_id)) &&
        move_branch(arena, doc, base, s) && (!main || set_i64(arena, doc, "current-snapshot-id", s->id)) &&
        (!main || log_snapshot(arena, doc, s)) && log_metadata(arena, doc, base, s);
    if (!done)
        return lake_fail_memory(err);
    *out = doc;
    return LAKE_OK;
}

lake_status lake_metadata_encode(const lake_json *json, lake_str codec, lake_buffer *out, lake_error *err) {
    bool gzip = codec.ptr && codec.len == 4 && strncasecmp(codec.ptr, "gzip", 4) == 0;
    if (codec.ptr && !gzip && !(codec.len == 4 && strncasecmp(codec.ptr, "none", 4) == 0))
        return lake_fail(err, LAKE_ERR_UNSUPPORTED,
            "the property write.metadata.compression-codec is '%.*s': only none and gzip exist", LAKE_ARG(codec));
    lake_buffer plain;
    lake_buffer_init(&plain);
    lake_json_print(gzip ? &plain : out, json, 0);
    lake_status s = lake_buffer_check(gzip ? &plain : out, err);
    if (s == LAKE_OK && gzip) {
        lake_codec_scratch *scratch = lake_codec_scratch_new();
        s = scratch ? lake_codec_encode(scratch, LAKE_CODEC_GZIP, -1, lake_bytes_of(lake_buffer_view(&plain)), out, err)
                    : lake_fail_memory(err);
        lake_codec_scratch_free(scratch);
    }
    lake_buffer_clear(&plain);
    return s;
}
