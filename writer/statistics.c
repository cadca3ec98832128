/* Statistics files: Puffin files of theta sketches, listed in the table's metadata by snapshot (spec.md, "Table
   Statistics"; puffin-spec.md). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "reader/puffin.h"
#include "reader/puffin_write.h"
#include "writer/ndv.h"

static const char theta_type[] = "apache-datasketches-theta-v1";

/* ---- writing */

static lake_json *ids_json(lake_arena *arena, int32_t id) {
    lake_json *list = lake_json_new(arena, LAKE_JSON_ARRAY);
    return list && lake_json_push(arena, list, lake_json_new_i64(arena, id)) ? list : NULL;
}

/* The same for the metadata as the footer has it. */
static bool list_blob(
    lake_arena *arena, lake_json *blobs, int64_t snapshot_id, int64_t sequence_number, int32_t id, const char *ndv) {
    lake_json *o = lake_json_new(arena, LAKE_JSON_OBJECT), *properties = lake_json_new(arena, LAKE_JSON_OBJECT);
    return o && properties && lake_json_set(arena, properties, "ndv", lake_json_new_string(arena, lake_str_of(ndv))) &&
        lake_json_set(arena, o, "type", lake_json_new_string(arena, lake_str_of(theta_type))) &&
        lake_json_set(arena, o, "snapshot-id", lake_json_new_i64(arena, snapshot_id)) &&
        lake_json_set(arena, o, "sequence-number", lake_json_new_i64(arena, sequence_number)) &&
        lake_json_set(arena, o, "fields", ids_json(arena, id)) && lake_json_set(arena, o, "properties", properties) &&
        lake_json_push(arena, blobs, o);
}

static lake_status add_sketches(lake_puffin_writer *w, int64_t snapshot_id, int64_t sequence_number,
    const lake_ndv_sketch *sketches, size_t n, lake_arena *arena, lake_json *blobs, lake_error *err) {
    for (size_t i = 0; i < n; i++) {
        double estimate;
        char ndv[32];
        int64_t offset;
        LAKE_TRY(lake_theta_estimate(sketches[i].compact, &estimate, err));
        snprintf(ndv, sizeof ndv, "%.0f", floor(estimate));
        const char *const properties[][2] = {{"ndv", ndv}};
        const lake_puffin_blob blob = {.type = theta_type,
            .fields = &sketches[i].id,
            .nfields = 1,
            .snapshot_id = snapshot_id,
            .sequence_number = sequence_number,
            .properties = properties,
            .nproperties = 1};
        LAKE_TRY(lake_puffin_writer_add(w, &blob, sketches[i].compact, &offset, err));
        if (!list_blob(arena, blobs, snapshot_id, sequence_number, sketches[i].id, ndv))
            return lake_fail_memory(err);
    }
    return LAKE_OK;
}

static lake_json *entry_json(
    lake_arena *arena, int64_t snapshot_id, lake_str recorded, size_t size, int64_t footer, lake_json *blobs) {
    lake_json *o = lake_json_new(arena, LAKE_JSON_OBJECT);
    bool done = o && lake_json_set(arena, o, "snapshot-id", lake_json_new_i64(arena, snapshot_id)) &&
        lake_json_set(arena, o, "statistics-path", lake_json_new_string(arena, recorded)) &&
        lake_json_set(arena, o, "file-size-in-bytes", lake_json_new_i64(arena, (int64_t)size)) &&
        lake_json_set(arena, o, "file-footer-size-in-bytes", lake_json_new_i64(arena, footer)) &&
        lake_json_set(arena, o, "blob-metadata", blobs);
    return done ? o : NULL;
}

lake_status lake_statistics_write(const lake_store *store, lake_str location, lake_str recorded, int64_t snapshot_id,
    int64_t sequence_number, const lake_ndv_sketch *sketches, size_t n, lake_arena *arena, lake_json **entry,
    lake_error *err) {
    lake_puffin_writer w;
    int64_t footer = 0;
    lake_json *blobs = lake_json_new(arena, LAKE_JSON_ARRAY);
    if (!blobs)
        return lake_fail_memory(err);
    lake_status status = lake_puffin_writer_init(&w, err);
    if (status == LAKE_OK)
        status = add_sketches(&w, snapshot_id, sequence_number, sketches, n, arena, blobs, err);
    if (status == LAKE_OK)
        status = lake_puffin_writer_finish(&w, &footer, err);
    if (status == LAKE_OK) {
        *entry = entry_json(arena, snapshot_id, recorded, w.out.len, footer, blobs);
        status = *entry ? lake_store_create(store, location, lake_bytes_of(lake_buffer_view(&w.out)), err)
                        : lake_fail_memory(err);
    }
    lake_puffin_writer_clear(&w);
    return status;
}

/* ---- joining */

static bool is_sketch_of(const lake_json *blob, int32_t *id) {
    const lake_json *type = lake_json_find(blob, "type"), *fields = lake_json_find(blob, "fields");
    return lake_json_is(type, LAKE_JSON_STRING) && lake_str_is(type->text, theta_type) &&
        lake_json_is(fields, LAKE_JSON_ARRAY) && fields->count == 1 && lake_json_i32(fields->items[0], id);
}

static lake_status join_one(
    const lake_ndv_sketch *ours, lake_bytes theirs, lake_arena *arena, lake_ndv_sketch *out, lake_error *err) {
    lake_sketch s;
    lake_buffer compact;
    lake_sketch_init(&s);
    lake_buffer_init(&compact);
    lake_status status = lake_sketch_merge_compact(&s, theirs, err);
    if (status == LAKE_OK)
        status = lake_sketch_merge_compact(&s, ours->compact, err);
    if (status == LAKE_OK)
        status = lake_sketch_trim(&s, err);
    if (status == LAKE_OK)
        status = lake_sketch_write(&s, &compact, err);
    if (status == LAKE_OK) {
        *out = (lake_ndv_sketch){ours->id, lake_arena_bytes(arena, compact.data, compact.len)};
        status = out->compact.ptr ? LAKE_OK : lake_fail_memory(err);
    }
    lake_sketch_clear(&s);
    lake_buffer_clear(&compact);
    return status;
}

static lake_status join_file(lake_file *file, lake_arena *arena, const lake_ndv_sketch *sketches, size_t n,
    lake_ndv_sketch *out, size_t *nout, lake_error *err) {
    lake_str text;
    lake_json *footer;
    LAKE_TRY(lake_puffin_footer(arena, file, &text, err));
    LAKE_TRY(lake_json_parse(arena, text, "Puffin footer", &footer, err));
    const lake_json *blobs = lake_json_find(footer, "blobs");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; lake_json_is(blobs, LAKE_JSON_ARRAY) && k < blobs->count; k++) {
            int32_t id;
            lake_bytes theirs;
            if (!is_sketch_of(blobs->items[k], &id) || id != sketches[i].id)
                continue;
            LAKE_TRY(lake_puffin_blob_read(arena, file, blobs->items[k], &theirs, err));
            LAKE_TRY(join_one(&sketches[i], theirs, arena, &out[(*nout)++], err));
            break;
        }
    return LAKE_OK;
}

/* The statistics file of exactly this snapshot. */
static bool statistics_path(const lake_metadata *m, int64_t snapshot_id, lake_str *out) {
    const lake_json *all = m->statistics;
    for (size_t i = 0; lake_json_is(all, LAKE_JSON_ARRAY) && i < all->count; i++) {
        const lake_json *path = lake_json_find(all->items[i], "statistics-path");
        int64_t id;
        if (!lake_json_i64(lake_json_get(all->items[i], "snapshot-id"), &id) || id != snapshot_id ||
            !lake_json_is(path, LAKE_JSON_STRING))
            continue;
        *out = path->text;
        return true;
    }
    return false;
}

lake_status lake_statistics_join(const lake_store *store, const lake_metadata *metadata, const lake_snapshot *parent,
    lake_arena *arena, const lake_ndv_sketch *sketches, size_t n, lake_ndv_sketch **out, size_t *nout,
    lake_error *err) {
    lake_str path;
    lake_file *file;
    *nout = 0;
    *out = LAKE_ARENA_ARRAY(arena, lake_ndv_sketch, n);
    if (!*out)
        return lake_fail_memory(err);
    if (!statistics_path(metadata, parent->id, &path))
        return lake_fail(err, LAKE_ERR_NOT_FOUND,
            "distinct values: snapshot %" PRId64 " has rows but no statistics file that the new rows could be added to",
            parent->id);
    LAKE_TRY(lake_store_open(store, path, &file, err));
    lake_status status = join_file(file, arena, sketches, n, *out, nout, err);
    lake_file_close(file);
    if (status == LAKE_OK && !*nout)
        status = lake_fail(err, LAKE_ERR_NOT_FOUND, "no theta sketch of these columns");
    return lake_wrap(err, status, "statistics file %.*s", LAKE_ARG(path));
}
