/* lake_dump: any metadata file as one JSON document. The kind is told by the first bytes, not by the name. */
#include "reader/dump_internal.h"
#include "reader/table.h"
#include "wire/codec.h"

static lake_status dump_json(lake_arena *arena, lake_str text, lake_dump_out *out, lake_error *err) {
    lake_json *json;
    LAKE_TRY(lake_json_parse(arena, text, NULL, &json, err));
    lake_json_print(&out->piece, json, 0);
    return LAKE_OK;
}

static lake_status dump_gzip(lake_arena *arena, lake_bytes data, size_t limit, lake_dump_out *out, lake_error *err) {
    lake_buffer text;
    lake_buffer_init(&text);
    lake_codec_scratch *scratch = lake_codec_scratch_new();
    lake_status s = scratch ? lake_codec_decode(scratch, LAKE_CODEC_GZIP, data, 0, false, limit, &text, err)
                            : lake_fail_memory(err);
    if (s == LAKE_OK)
        s = dump_json(arena, lake_buffer_view(&text), out, err);
    lake_codec_scratch_free(scratch);
    lake_buffer_clear(&text);
    return s;
}

/* Metadata are objects; a damaged one still begins like one. */
static bool begins_json(lake_bytes data) {
    size_t i = data.len >= 3 && memcmp(data.ptr, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < data.len && strchr(" \t\r\n", data.ptr[i]))
        i++;
    return i < data.len && (data.ptr[i] == '{' || data.ptr[i] == '[');
}

/* Files that are read whole: Avro and JSON. */
static lake_status dump_whole(
    const lake_session *session, lake_arena *arena, lake_str location, lake_dump_out *out, lake_error *err) {
    lake_blob blob;
    LAKE_TRY(lake_store_read(&session->store, location, &blob, err));
    lake_bytes data = {blob.data, blob.size};
    size_t limit = session->max_metadata_size && session->max_metadata_size < SIZE_MAX
        ? (size_t)session->max_metadata_size
        : (size_t)1 << 31;
    lake_status s;
    if (data.len >= 4 && memcmp(data.ptr, "Obj\1", 4) == 0)
        s = lake_dump_avro(arena, data, out, err);
    else if (data.len >= 2 && data.ptr[0] == 0x1f && data.ptr[1] == 0x8b)
        s = dump_gzip(arena, data, limit, out, err);
    else if (data.len == 0)
        s = lake_fail(err, LAKE_ERR_MALFORMED, "the file is empty");
    else if (!begins_json(data))
        s = lake_fail(err, LAKE_ERR_MALFORMED, "neither JSON, Avro, Parquet nor Puffin");
    else
        s = dump_json(arena, lake_text_of(data), out, err);
    lake_blob_clear(&blob);
    return lake_wrap(err, s, "%.*s", LAKE_ARG(location));
}

/* Parquet and Puffin files may be large: only their footers are read. */
static lake_status dump_any(
    const lake_session *session, lake_arena *arena, lake_str location, lake_dump_out *out, lake_error *err) {
    lake_file *file;
    uint8_t magic[4] = {0};
    LAKE_TRY(lake_store_open(&session->store, location, &file, err));
    lake_status s = LAKE_OK;
    if (lake_file_size(file) >= sizeof magic)
        s = lake_file_read(file, 0, magic, sizeof magic, err);
    bool parquet = memcmp(magic, "PAR1", 4) == 0 || memcmp(magic, "PARE", 4) == 0,
         puffin = memcmp(magic, "PFA1", 4) == 0;
    if (s == LAKE_OK && parquet)
        s = lake_wrap(err, lake_dump_parquet(arena, file, out, err), "%.*s", LAKE_ARG(location));
    else if (s == LAKE_OK && puffin)
        s = lake_wrap(err, lake_dump_puffin(arena, file, out, err), "%.*s", LAKE_ARG(location));
    lake_file_close(file);
    return s != LAKE_OK || parquet || puffin ? s : dump_whole(session, arena, location, out, err);
}

lake_status lake_dump(lake_session *session, const char *location, int indent, const lake_sink *sink, lake_error *err) {
    lake_arena arena;
    lake_dump_out out;
    lake_arena_init(&arena, 0);
    lake_dump_begin(&out, sink, indent);
    lake_status s = dump_any(session, &arena, lake_str_of(location), &out, err);
    if (s == LAKE_OK)
        s = lake_dump_end(&out, err);
    lake_dump_clear(&out);
    lake_arena_clear(&arena);
    return s;
}
