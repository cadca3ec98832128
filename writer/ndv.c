/* Sketches of the columns of new files. Values are hashed as their binary single values, so -0.0 and 0.0 count as two,
   and NaN, whatever its bits, as one more. */
#include "writer/ndv.h"

static bool countable(const lake_field *f) {
    return lake_type_kind(&f->type) != LAKE_KEY_NONE && !f->inside_list;
}

static lake_status add_named(const lake_schema *schema, lake_str name, lake_ndv *out, lake_error *err) {
    const lake_field *f = NULL;
    if (lake_schema_find_name(schema, name, true, &f, 1) != 1)
        return lake_fail(err, LAKE_ERR_USAGE, "distinct values of %.*s: no such column in the schema", LAKE_ARG(name));
    if (!countable(f))
        return lake_fail(err, LAKE_ERR_USAGE,
            "distinct values of %.*s: not counted in lists and maps, nor for types without an order", LAKE_ARG(name));
    for (size_t i = 0; i < out->n; i++)
        if (out->columns[i].field == f)
            return lake_fail(err, LAKE_ERR_USAGE, "distinct values of %.*s: named twice", LAKE_ARG(name));
    out->columns[out->n++].field = f;
    return LAKE_OK;
}

lake_status lake_ndv_init(
    lake_arena *arena, const lake_schema *schema, const char *names, lake_ndv *out, lake_error *err) {
    *out = (lake_ndv){0};
    if (!names)
        return LAKE_OK;
    out->columns = LAKE_ARENA_ARRAY(arena, lake_ndv_column, schema->nby_id + strlen(names) / 2 + 1);
    if (!out->columns)
        return lake_fail_memory(err);
    if (strcmp(names, "all") == 0) {
        for (size_t i = 0; i < schema->nby_id; i++)
            if (countable(schema->by_id[i]))
                out->columns[out->n++].field = schema->by_id[i];
    } else {
        for (const char *at = names; *at;) {
            lake_str name = {at, strcspn(at, ",")};
            LAKE_TRY(add_named(schema, name, out, err));
            at += name.len + (at[name.len] == ',');
        }
    }
    for (size_t i = 0; i < out->n; i++)
        lake_sketch_init(&out->columns[i].sketch);
    return out->n ? LAKE_OK : lake_fail(err, LAKE_ERR_USAGE, "distinct values: no columns to count them of");
}

lake_status lake_ndv_like(lake_arena *arena, const lake_ndv *like, lake_ndv *out, lake_error *err) {
    *out = (lake_ndv){.columns = LAKE_ARENA_ARRAY(arena, lake_ndv_column, like->n)};
    if (!out->columns)
        return lake_fail_memory(err);
    for (; out->n < like->n; out->n++) {
        out->columns[out->n].field = like->columns[out->n].field;
        lake_sketch_init(&out->columns[out->n].sketch);
    }
    return LAKE_OK;
}

void lake_ndv_clear(lake_ndv *ndv) {
    for (size_t i = 0; i < ndv->n; i++)
        lake_sketch_clear(&ndv->columns[i].sketch);
}

static lake_bytes nan_bytes(const lake_type *type) {
    static const uint8_t single[4] = {0, 0, 0xc0, 0x7f}, both[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    return type->id == LAKE_FLOAT ? (lake_bytes){single, 4} : (lake_bytes){both, 8};
}

lake_status lake_ndv_values(
    lake_ndv *ndv, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    enum { IS_NULL, IS_VALUE };
    for (size_t i = 0; i < ndv->n; i++) {
        lake_ndv_column *c = &ndv->columns[i];
        if (c->field->id != field->id)
            continue;
        for (size_t k = 0; k < n; k++) {
            uint8_t scratch[16];
            if (present[k] == IS_NULL)
                continue;
            lake_bytes b = present[k] == IS_VALUE ? lake_value_to_binary(&c->field->type, keys[k], scratch)
                                                  : nan_bytes(&c->field->type);
            LAKE_TRY(lake_sketch_add(&c->sketch, b, err));
        }
    }
    return LAKE_OK;
}

lake_status lake_ndv_merge(lake_ndv *to, const lake_ndv *from, lake_error *err) {
    for (size_t i = 0; i < to->n; i++)
        LAKE_TRY(lake_sketch_merge(&to->columns[i].sketch, &from->columns[i].sketch, err));
    return LAKE_OK;
}

static lake_status write_compact(
    lake_sketch *sketch, lake_arena *arena, lake_buffer *scratch, lake_bytes *out, lake_error *err) {
    lake_buffer_reset(scratch);
    LAKE_TRY(lake_sketch_trim(sketch, err));
    LAKE_TRY(lake_sketch_write(sketch, scratch, err));
    *out = lake_arena_bytes(arena, scratch->data, scratch->len);
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_ndv_finish(lake_ndv *ndv, lake_arena *arena, lake_ndv_sketch **out, size_t *n, lake_error *err) {
    *n = ndv->n;
    *out = LAKE_ARENA_ARRAY(arena, lake_ndv_sketch, ndv->n);
    if (!*out)
        return lake_fail_memory(err);
    lake_buffer scratch;
    lake_buffer_init(&scratch);
    lake_status status = LAKE_OK;
    for (size_t i = 0; i < ndv->n && status == LAKE_OK; i++) {
        (*out)[i].id = ndv->columns[i].field->id;
        status = write_compact(&ndv->columns[i].sketch, arena, &scratch, &(*out)[i].compact, err);
    }
    lake_buffer_clear(&scratch);
    return status;
}
