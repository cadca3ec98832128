/* The header of a manifest (spec.md, "Manifests"; cases H6, H7, I3). Other writers leave keys out: what is missing gets
   v1's meaning, what is needed and broken is an error. */
#include "manifest/header.h"

static lake_status read_int(
    const lake_avro_reader *avro, const char *key, int32_t absent, int32_t *out, lake_error *err) {
    lake_bytes text = lake_avro_meta(avro, key);
    lake_json number = {.kind = LAKE_JSON_NUMBER, .text = lake_text_of(text)};
    *out = absent;
    if (!text.ptr || lake_json_i32(&number, out))
        return LAKE_OK;
    return lake_fail(err, LAKE_ERR_MALFORMED, "%s in the header is \"%.*s\", not a number", key, LAKE_ARG(number.text));
}

static lake_status read_content(const lake_avro_reader *avro, uint8_t *out, bool *told, lake_error *err) {
    lake_str text = lake_text_of(lake_avro_meta(avro, "content"));
    *told = text.ptr != NULL;
    *out = lake_str_is(text, "deletes");
    if (!*told || *out || lake_str_is(text, "data"))
        return LAKE_OK;
    return lake_fail(
        err, LAKE_ERR_MALFORMED, "content in the header is \"%.*s\", neither data nor deletes", LAKE_ARG(text));
}

/* Of optional parts only a lack of memory is an error. */
static lake_status forgive(lake_status status, lake_error *err) {
    if (status == LAKE_OK || status == LAKE_ERR_NO_MEMORY)
        return status;
    lake_error_init(err);
    return LAKE_OK;
}

lake_status lake_manifest_header_read(lake_manifest_pool *pool, const lake_avro_reader *avro, bool need_spec,
    lake_manifest_header *out, bool *content_told, lake_error *err) {
    *out = (lake_manifest_header){.avro = avro};
    LAKE_TRY(read_int(avro, "format-version", 1, &out->format_version, err));
    if (out->format_version < 1 || out->format_version > 3)
        return lake_fail(
            err, LAKE_ERR_UNSUPPORTED, "format-version %d in the header is not supported", out->format_version);
    LAKE_TRY(read_int(avro, "partition-spec-id", 0, &out->spec_id, err));
    LAKE_TRY(read_content(avro, &out->content, content_told, err));
    lake_str schema = lake_text_of(lake_avro_meta(avro, "schema")),
             spec = lake_text_of(lake_avro_meta(avro, "partition-spec"));
    if (schema.ptr)
        LAKE_TRY(forgive(lake_pool_json(pool, schema, "schema", &out->schema, err), err));
    if (!spec.ptr)
        return LAKE_OK;
    lake_status s = lake_pool_spec(pool, spec, out->spec_id, &out->spec, err);
    return need_spec ? s : forgive(s, err);
}

static lake_status from_header(const lake_blob *blob, lake_arena *arena, lake_manifest_file *out, lake_error *err) {
    lake_avro_reader avro;
    bool told;
    LAKE_TRY(lake_avro_open_header(arena, (lake_bytes){blob->data, blob->size}, &avro, err));
    LAKE_TRY(read_int(&avro, "partition-spec-id", 0, &out->spec_id, err));
    return read_content(&avro, &out->content, &told, err);
}

lake_status lake_manifest_file_from_header(
    const lake_store *store, lake_arena *arena, lake_str location, lake_manifest_file *out, lake_error *err) {
    lake_blob blob;
    *out = (lake_manifest_file){.path = lake_arena_str(arena, location.ptr, location.len)};
    if (!out->path.ptr)
        return lake_fail_memory(err);
    LAKE_TRY(lake_store_read(store, location, &blob, err));
    out->length = (int64_t)blob.size;
    lake_status s = from_header(&blob, arena, out, err);
    lake_blob_clear(&blob);
    return lake_wrap(err, s, "%.*s", LAKE_ARG(location));
}
