/* The next metadata document: the base's, copied and set, so that members nobody here knows survive (spec.md, "Table
   Metadata", "Snapshots", "Row Lineage", Appendix C). Members stand where the base has them, new ones at the end. */
#include "wire/codec.h"
#include "writer/commit_internal.h"
#include "writer/document.h"

int64_t lake_property_i64(const lake_metadata *m, const char *key, int64_t missing) {
    int64_t n;
    lake_json number = {.kind = LAKE_JSON_NUMBER, .text = lake_metadata_property(m, key)};
    return number.text.ptr && lake_json_i64(&number, &n) ? n : missing;
}

static lake_json *snapshot_json(lake_arena *arena, const lake_metadata *base, const lake_new_snapshot *s) {
    lake_json *o = lake_json_new(arena, LAKE_JSON_OBJECT);
    bool done = o &&
        (base->format_version == 1 || lake_document_set_i64(arena, o, "sequence-number", s->sequence_number)) &&
        lake_document_set_i64(arena, o, "snapshot-id", s->id) &&
        (!s->parent || lake_document_set_i64(arena, o, "parent-snapshot-id", s->parent->id)) &&
        lake_document_set_i64(arena, o, "timestamp-ms", s->timestamp_ms) &&
        lake_json_set(arena, o, "summary", (lake_json *)s->summary) &&
        lake_document_set_str(arena, o, "manifest-list", s->manifest_list) &&
        lake_document_set_i64(arena, o, "schema-id", base->schema->id);
    if (done && base->format_version >= 3)
        done = lake_document_set_i64(arena, o, "first-row-id", s->first_row_id) &&
            lake_document_set_i64(arena, o, "added-rows", s->next_row_id - s->first_row_id);
    return done ? o : NULL;
}

/* A branch keeps its retention settings. */
static bool move_branch(lake_arena *arena, lake_json *doc, const lake_metadata *base, const lake_new_snapshot *s) {
    lake_json *refs = lake_document_refs(arena, doc, base), *ref;
    lake_str name = lake_arena_str(arena, s->branch.ptr, s->branch.len);
    if (!refs || !name.ptr)
        return false;
    ref = lake_document_own(arena, refs, name.ptr, LAKE_JSON_OBJECT);
    return ref && lake_document_set_ref(arena, ref, s->id, false);
}

lake_status lake_metadata_add_snapshot(
    lake_arena *arena, const lake_metadata *base, const lake_new_snapshot *s, lake_json **out, lake_error *err) {
    lake_json *doc = lake_json_copy(arena, base->json), *snapshot = snapshot_json(arena, base, s);
    lake_json *list = doc ? lake_document_own(arena, doc, "snapshots", LAKE_JSON_ARRAY) : NULL;
    bool main = lake_str_is(s->branch, "main");
    lake_json *statistics = doc && s->statistics ? lake_document_own(arena, doc, "statistics", LAKE_JSON_ARRAY) : NULL;
    bool done = snapshot && list && lake_json_push(arena, list, snapshot) &&
        (!s->statistics || (statistics && lake_json_push(arena, statistics, s->statistics))) &&
        (base->format_version == 1 || lake_document_set_i64(arena, doc, "last-sequence-number", s->sequence_number)) &&
        lake_document_set_i64(arena, doc, "last-updated-ms", s->timestamp_ms) &&
        (base->format_version < 3 || lake_document_set_i64(arena, doc, "next-row-id", s->next_row_id)) &&
        move_branch(arena, doc, base, s) &&
        (!main || lake_document_set_i64(arena, doc, "current-snapshot-id", s->id)) &&
        (!main || lake_document_log_snapshot(arena, doc, s->timestamp_ms, s->id)) &&
        lake_document_log_metadata(arena, doc, base, base, s->base_location);
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
