/* Puffin files as bytes. Footers are small and are not compressed, so that every reader takes them. */
#include "reader/puffin_write.h"

static const char magic[] = "PFA1";
enum { MAGIC = 4 };

lake_status lake_puffin_writer_init(lake_puffin_writer *w, lake_error *err) {
    *w = (lake_puffin_writer){0};
    lake_arena_init(&w->arena, 0);
    lake_buffer_init(&w->out);
    lake_buffer_put(&w->out, magic, MAGIC);
    w->footer = lake_json_new(&w->arena, LAKE_JSON_OBJECT);
    w->blobs = lake_json_new(&w->arena, LAKE_JSON_ARRAY);
    if (!w->footer || !w->blobs || !lake_json_set(&w->arena, w->footer, "blobs", w->blobs))
        return lake_fail_memory(err);
    return lake_buffer_check(&w->out, err);
}

void lake_puffin_writer_clear(lake_puffin_writer *w) {
    lake_buffer_clear(&w->out);
    lake_arena_clear(&w->arena);
}

static lake_json *fields_json(lake_arena *a, const lake_puffin_blob *b) {
    lake_json *list = lake_json_new(a, LAKE_JSON_ARRAY);
    for (size_t i = 0; list && i < b->nfields; i++)
        if (!lake_json_push(a, list, lake_json_new_i64(a, b->fields[i])))
            return NULL;
    return list;
}

static lake_json *properties_json(lake_arena *a, const lake_puffin_blob *b) {
    lake_json *o = lake_json_new(a, LAKE_JSON_OBJECT);
    for (size_t i = 0; o && i < b->nproperties; i++)
        if (!lake_json_set(a, o, b->properties[i][0], lake_json_new_string(a, lake_str_of(b->properties[i][1]))))
            return NULL;
    return o;
}

lake_status lake_puffin_writer_add(
    lake_puffin_writer *w, const lake_puffin_blob *b, lake_bytes data, int64_t *offset, lake_error *err) {
    lake_arena *a = &w->arena;
    lake_json *o = lake_json_new(a, LAKE_JSON_OBJECT);
    *offset = (int64_t)w->out.len;
    lake_buffer_put(&w->out, data.ptr, data.len);
    bool done = o && lake_json_set(a, o, "type", lake_json_new_string(a, lake_str_of(b->type))) &&
        lake_json_set(a, o, "fields", fields_json(a, b)) &&
        lake_json_set(a, o, "snapshot-id", lake_json_new_i64(a, b->snapshot_id)) &&
        lake_json_set(a, o, "sequence-number", lake_json_new_i64(a, b->sequence_number)) &&
        lake_json_set(a, o, "offset", lake_json_new_i64(a, *offset)) &&
        lake_json_set(a, o, "length", lake_json_new_i64(a, (int64_t)data.len)) &&
        (!b->nproperties || lake_json_set(a, o, "properties", properties_json(a, b))) && lake_json_push(a, w->blobs, o);
    return done ? lake_buffer_check(&w->out, err) : lake_fail_memory(err);
}

static lake_status put_payload(lake_puffin_writer *w, lake_buffer *text, lake_error *err) {
    lake_json_print(text, w->footer, 0);
    LAKE_TRY(lake_buffer_check(text, err));
    if (text->len > INT32_MAX)
        return lake_fail(err, LAKE_ERR_LIMIT, "a Puffin footer of %zu bytes", text->len);
    uint8_t tail[8];
    lake_put_le32(tail, (uint32_t)text->len);
    lake_put_le32(tail + 4, 0); /* flags: not compressed */
    lake_buffer_put(&w->out, magic, MAGIC);
    lake_buffer_put(&w->out, text->data, text->len);
    lake_buffer_put(&w->out, tail, sizeof tail);
    lake_buffer_put(&w->out, magic, MAGIC);
    return lake_buffer_check(&w->out, err);
}

lake_status lake_puffin_writer_finish(lake_puffin_writer *w, int64_t *footer_size, lake_error *err) {
    lake_arena *a = &w->arena;
    lake_json *properties = lake_json_new(a, LAKE_JSON_OBJECT);
    if (!properties ||
        !lake_json_set(a, properties, "created-by", lake_json_new_string(a, LAKE_STR("lakectl " LAKE_VERSION))) ||
        !lake_json_set(a, w->footer, "properties", properties))
        return lake_fail_memory(err);
    size_t begin = w->out.len;
    lake_buffer text;
    lake_buffer_init(&text);
    lake_status status = put_payload(w, &text, err);
    lake_buffer_clear(&text);
    if (footer_size)
        *footer_size = (int64_t)(w->out.len - begin);
    return status;
}
