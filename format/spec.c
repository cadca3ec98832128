/* Partition specs in JSON (spec.md, Appendix C, "Partition Specs"). What is not known is carried: unknown transforms as
   their text, unknown members in the JSON that was read. */
#include "format/transform_internal.h"

enum { FIRST_FIELD_ID = 1000 };

lake_status lake_transform_read(lake_arena *arena, const lake_json *json, lake_transform *transform,
    const int32_t **source_ids, size_t *n, lake_error *err) {
    const lake_json *text = lake_json_get(json, "transform"), *many = lake_json_find(json, "source-ids"),
                    *one = lake_json_find(json, "source-id");
    if (!lake_json_is(json, LAKE_JSON_OBJECT))
        return lake_fail(err, LAKE_ERR_MALFORMED, "it is no object");
    if (!lake_json_is(text, LAKE_JSON_STRING))
        return lake_fail(err, LAKE_ERR_MALFORMED, "'transform' is missing or no string");
    if (many && (many->kind != LAKE_JSON_ARRAY || !many->count))
        return lake_fail(err, LAKE_ERR_MALFORMED, "'source-ids' is no array of ids");
    *n = many ? many->count : 1;
    int32_t *ids = lake_arena_zalloc(arena, *n, sizeof *ids);
    if (!ids)
        return lake_fail_memory(err);
    for (size_t i = 0; i < *n; i++)
        if (!lake_json_i32(many ? many->items[i] : one, &ids[i]))
            return lake_fail(err, LAKE_ERR_MALFORMED, "'source-id%s' is missing or no 32-bit integer", many ? "s" : "");
    *source_ids = ids;
    *transform = lake_transform_parse(text->text);
    if (*n > 1) /* every transform of this version has one argument */
        *transform = (lake_transform){LAKE_TRANSFORM_UNKNOWN, 0, text->text};
    return LAKE_OK;
}

static lake_status read_field(
    lake_arena *arena, const lake_json *json, int32_t default_id, lake_partition_field *f, lake_error *err) {
    const lake_json *name = lake_json_get(json, "name"), *id = lake_json_find(json, "field-id");
    LAKE_TRY(lake_transform_read(arena, json, &f->transform, &f->source_ids, &f->nsource_ids, err));
    if (!lake_json_is(name, LAKE_JSON_STRING))
        return lake_fail(err, LAKE_ERR_MALFORMED, "'name' is missing or no string");
    f->name = name->text;
    f->id = default_id;
    if (id && !lake_json_i32(id, &f->id))
        return lake_fail(err, LAKE_ERR_MALFORMED, "'field-id' is no 32-bit integer");
    return LAKE_OK;
}

/* v1 has no field ids: the official writer counts from 1000. Some with and some without could collide. */
static lake_status check_ids(const lake_json *fields, const lake_spec *s, lake_error *err) {
    size_t with = 0;
    for (size_t i = 0; i < s->nfields; i++)
        with += lake_json_find(fields->items[i], "field-id") != NULL;
    if (with && with != s->nfields)
        return lake_fail(err, LAKE_ERR_MALFORMED, "only some partition fields have a 'field-id'");
    for (size_t i = 0; with && i < s->nfields; i++)
        for (size_t k = 0; k < i; k++)
            if (s->fields[i].id == s->fields[k].id)
                return lake_fail(err, LAKE_ERR_MALFORMED,
                    "partition field id %d is used twice: by '%.*s' and by '%.*s'", s->fields[i].id,
                    LAKE_ARG(s->fields[k].name), LAKE_ARG(s->fields[i].name));
    return LAKE_OK;
}

lake_status lake_spec_read(lake_arena *arena, const lake_json *json, lake_spec **out, lake_error *err) {
    bool bare = lake_json_is(json, LAKE_JSON_ARRAY);
    const lake_json *fields = bare ? json : lake_json_get(json, "fields");
    lake_spec *s = LAKE_ARENA_NEW(arena, lake_spec);
    if (!s)
        return lake_fail_memory(err);
    if (!lake_json_is(fields, LAKE_JSON_ARRAY))
        return lake_fail(err, LAKE_ERR_MALFORMED, "a partition spec needs an array 'fields'");
    if (!bare && !lake_json_i32(lake_json_get(json, "spec-id"), &s->id))
        return lake_fail(err, LAKE_ERR_MALFORMED, "'spec-id' is missing or no 32-bit integer");
    if (fields->count > LAKE_MAX_PARTITION_FIELDS)
        return lake_fail(
            err, LAKE_ERR_LIMIT, "%zu partition fields, at most %d are read", fields->count, LAKE_MAX_PARTITION_FIELDS);
    s->json = json;
    s->nfields = fields->count;
    s->fields = LAKE_ARENA_ARRAY(arena, lake_partition_field, s->nfields);
    if (!s->fields)
        return lake_fail_memory(err);
    for (size_t i = 0; i < s->nfields; i++)
        LAKE_TRY_WRAP(read_field(arena, fields->items[i], FIRST_FIELD_ID + (int32_t)i, &s->fields[i], err), err,
            "partition field %zu", i + 1);
    LAKE_TRY(check_ids(fields, s, err));
    *out = s;
    return LAKE_OK;
}

bool lake_transform_write(lake_arena *a, lake_json *o, const lake_transform *t, const int32_t *source_ids, size_t n) {
    if (!lake_json_set(a, o, "transform", lake_json_new_string(a, t->text)))
        return false;
    if (n == 1)
        return lake_json_set(a, o, "source-id", lake_json_new_i64(a, source_ids[0]));
    lake_json *ids = lake_json_new(a, LAKE_JSON_ARRAY);
    for (size_t i = 0; i < n; i++)
        if (!lake_json_push(a, ids, lake_json_new_i64(a, source_ids[i])))
            return false;
    return lake_json_set(a, o, "source-ids", ids);
}

static lake_json *write_field(lake_arena *a, const lake_partition_field *f, const lake_json *as_read) {
    lake_json *o = as_read ? lake_json_copy(a, as_read) : lake_json_new(a, LAKE_JSON_OBJECT);
    bool ok =
        o && lake_json_set(a, o, "field-id", lake_json_new_i64(a, f->id)); /* v1 may lack it, later versions not */
    if (ok && !as_read)
        ok = lake_json_set(a, o, "name", lake_json_new_string(a, f->name)) &&
            lake_transform_write(a, o, &f->transform, f->source_ids, f->nsource_ids);
    return ok ? o : NULL;
}

lake_json *lake_spec_fields_write(lake_arena *arena, const lake_spec *spec) {
    const lake_json *as_read =
        lake_json_is(spec->json, LAKE_JSON_ARRAY) ? spec->json : lake_json_get(spec->json, "fields");
    lake_json *list = lake_json_new(arena, LAKE_JSON_ARRAY);
    for (size_t i = 0; i < spec->nfields; i++)
        if (!lake_json_push(arena, list, write_field(arena, &spec->fields[i], as_read ? as_read->items[i] : NULL)))
            return NULL;
    return list;
}

lake_json *lake_spec_write(lake_arena *arena, const lake_spec *spec) {
    lake_json *o = lake_json_is(spec->json, LAKE_JSON_OBJECT) ? lake_json_copy(arena, spec->json)
                                                              : lake_json_new(arena, LAKE_JSON_OBJECT);
    bool ok = o && lake_json_set(arena, o, "spec-id", lake_json_new_i64(arena, spec->id)) &&
        lake_json_set(arena, o, "fields", lake_spec_fields_write(arena, spec));
    return ok ? o : NULL;
}

bool lake_spec_is_unpartitioned(const lake_spec *spec) {
    for (size_t i = 0; i < spec->nfields; i++)
        if (spec->fields[i].transform.id != LAKE_TRANSFORM_VOID)
            return false;
    return true;
}
