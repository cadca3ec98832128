/* The footer of a Puffin file: what blobs there are. Its JSON is given as it is; only deletion vectors get a member
   more, "bitmap", for what their bytes hold. */
#include "format/deletion_vector.h"
#include "reader/dump_internal.h"
#include "reader/puffin.h"

static bool is_vector(const lake_json *blob) {
    const lake_json *type = lake_json_find(blob, "type");
    return lake_json_is(blob, LAKE_JSON_OBJECT) && lake_json_is(type, LAKE_JSON_STRING) &&
        lake_str_is(type->text, "deletion-vector-v1");
}

/* {"cardinality": 3, "last": 17}, or {"error": "…"}: a dump shows what is wrong instead of ending there. */
static lake_status look_at_vector(lake_arena *arena, lake_file *file, lake_json *blob, lake_error *err) {
    lake_error bad;
    lake_error_init(&bad);
    lake_bytes bytes;
    lake_roaring_info info = {0};
    lake_json *o = lake_json_new(arena, LAKE_JSON_OBJECT);
    lake_status status = lake_puffin_blob_read(arena, file, blob, &bytes, &bad);
    if (status == LAKE_OK)
        status = lake_deletion_vector_read(bytes, NULL, &info, &bad);
    if (status == LAKE_ERR_NO_MEMORY || !o)
        return lake_fail_memory(err);
    bool done = status == LAKE_OK
        ? lake_json_set(arena, o, "cardinality", lake_json_new_i64(arena, (int64_t)info.cardinality))
        : lake_json_set(arena, o, "error", lake_json_new_string(arena, lake_str_of(bad.message)));
    if (done && status == LAKE_OK && info.cardinality)
        done = lake_json_set(arena, o, "last", lake_json_new_i64(arena, (int64_t)info.last));
    return done && lake_json_set(arena, blob, "bitmap", o) ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_dump_puffin(lake_arena *arena, lake_file *file, lake_dump_out *out, lake_error *err) {
    lake_str text;
    lake_json *json;
    LAKE_TRY(lake_puffin_footer(arena, file, &text, err));
    LAKE_TRY(lake_json_parse(arena, text, "Puffin footer", &json, err));
    const lake_json *blobs = lake_json_find(json, "blobs");
    for (size_t i = 0; lake_json_is(blobs, LAKE_JSON_ARRAY) && i < blobs->count; i++)
        if (is_vector(blobs->items[i]))
            LAKE_TRY(look_at_vector(arena, file, blobs->items[i], err));
    lake_json_print(&out->piece, json, 0);
    return LAKE_OK;
}
