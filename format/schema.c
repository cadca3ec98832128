/* Schemas: reading, indexing by field id, writing (spec.md, Appendix C, "Schemas"). */
#include <stdlib.h>

#include "format/type_internal.h"

static size_t count_fields(const lake_type *t) {
    size_t n = t->nfields;
    for (size_t i = 0; i < t->nfields; i++)
        n += count_fields(&t->fields[i].type);
    return n;
}

static void collect(const lake_type *t, const lake_field *parent, const lake_field **out, size_t *n) {
    for (size_t i = 0; i < t->nfields; i++) {
        lake_field *f = &t->fields[i];
        lake_field_derive(f, parent);
        out[(*n)++] = f;
        collect(&f->type, f, out, n);
    }
}

static int by_id(const void *a, const void *b) {
    int32_t x = (*(const lake_field *const *)a)->id, y = (*(const lake_field *const *)b)->id;
    return (x > y) - (x < y);
}

static lake_status fail_duplicate(const lake_field *a, const lake_field *b, lake_error *err) {
    lake_buffer x, y;
    lake_buffer_init(&x);
    lake_buffer_init(&y);
    lake_field_full_name(&x, a);
    lake_field_full_name(&y, b);
    lake_status s = lake_fail(err, LAKE_ERR_MALFORMED, "field id %d is used twice: by '%.*s' and by '%.*s'", a->id,
        LAKE_ARG(lake_buffer_view(&x)), LAKE_ARG(lake_buffer_view(&y)));
    lake_buffer_clear(&x);
    lake_buffer_clear(&y);
    return s;
}

lake_status lake_schema_index(lake_arena *arena, lake_schema *schema, lake_error *err) {
    size_t n = count_fields(&schema->root), at = 0;
    const lake_field **list = lake_arena_zalloc(arena, n, sizeof *list);
    if (!list)
        return lake_fail_memory(err);
    collect(&schema->root, NULL, list, &at);
    if (n)
        qsort(list, n, sizeof *list, by_id);
    for (size_t i = 1; i < n; i++)
        if (list[i - 1]->id == list[i]->id)
            return fail_duplicate(list[i - 1], list[i], err);
    schema->by_id = list;
    schema->nby_id = n;
    return LAKE_OK;
}

static lake_status read_identifiers(lake_arena *arena, const lake_json *json, lake_schema *s, lake_error *err) {
    const lake_json *ids = lake_json_find(json, "identifier-field-ids");
    if (!ids)
        return LAKE_OK;
    int32_t *list = ids->kind == LAKE_JSON_ARRAY ? lake_arena_zalloc(arena, ids->count, sizeof *list) : NULL;
    if (ids->kind == LAKE_JSON_ARRAY && !list)
        return lake_fail_memory(err);
    for (size_t i = 0; list && i < ids->count; i++)
        if (!lake_json_i32(ids->items[i], &list[i]))
            list = NULL;
    if (!list)
        return lake_fail(err, LAKE_ERR_MALFORMED, "'identifier-field-ids' is no array of 32-bit integers");
    s->identifier_ids = list;
    s->nidentifier_ids = ids->count;
    return LAKE_OK;
}

lake_status lake_schema_read(lake_arena *arena, const lake_json *json, lake_schema **out, lake_error *err) {
    const lake_json *kind = lake_json_get(json, "type"), *id = lake_json_find(json, "schema-id");
    if (!lake_json_is(json, LAKE_JSON_OBJECT) || !lake_json_is(kind, LAKE_JSON_STRING) ||
        !lake_str_is(kind->text, "struct"))
        return lake_fail(err, LAKE_ERR_MALFORMED, "a schema must be an object of type 'struct'");
    lake_schema *s = LAKE_ARENA_NEW(arena, lake_schema);
    if (!s)
        return lake_fail_memory(err);
    if (id && !lake_json_i32(id, &s->id))
        return lake_fail(err, LAKE_ERR_MALFORMED, "'schema-id' is no 32-bit integer");
    s->json = json;
    LAKE_TRY(lake_type_read(arena, json, NULL, 0, &s->root, err));
    LAKE_TRY(read_identifiers(arena, json, s, err));
    LAKE_TRY(lake_schema_index(arena, s, err));
    *out = s;
    return LAKE_OK;
}

size_t lake_schema_position(const lake_schema *schema, int32_t id) {
    size_t lo = 0, hi = schema->nby_id;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (schema->by_id[mid]->id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < schema->nby_id && schema->by_id[lo]->id == id ? lo : schema->nby_id;
}

const lake_field *lake_schema_field(const lake_schema *schema, int32_t id) {
    size_t at = lake_schema_position(schema, id);
    return at < schema->nby_id ? schema->by_id[at] : NULL;
}

/* ---- writing */

static lake_json *flag(lake_arena *arena, bool v) {
    return lake_json_new(arena, v ? LAKE_JSON_TRUE : LAKE_JSON_FALSE);
}
static lake_json *word(lake_arena *arena, const char *z) {
    return lake_json_new_string(arena, lake_str_of(z));
}

static lake_json *write_field(lake_arena *a, const lake_field *f) {
    lake_json *o = lake_json_new(a, LAKE_JSON_OBJECT);
    bool ok = lake_json_set(a, o, "id", lake_json_new_i64(a, f->id)) &&
        lake_json_set(a, o, "name", lake_json_new_string(a, f->name)) &&
        lake_json_set(a, o, "required", flag(a, f->required)) &&
        lake_json_set(a, o, "type", lake_type_write(a, &f->type));
    if (ok && f->doc.ptr)
        ok = lake_json_set(a, o, "doc", lake_json_new_string(a, f->doc));
    if (ok && f->initial_default)
        ok = lake_json_set(a, o, "initial-default", lake_json_copy(a, f->initial_default));
    if (ok && f->write_default)
        ok = lake_json_set(a, o, "write-default", lake_json_copy(a, f->write_default));
    return ok ? o : NULL;
}

static bool write_fields(lake_arena *a, lake_json *o, const lake_type *t) {
    lake_json *list = lake_json_new(a, LAKE_JSON_ARRAY);
    for (size_t i = 0; i < t->nfields; i++)
        if (!lake_json_push(a, list, write_field(a, &t->fields[i])))
            return false;
    return lake_json_set(a, o, "fields", list);
}

static bool write_list(lake_arena *a, lake_json *o, const lake_field *e) {
    return lake_json_set(a, o, "element-id", lake_json_new_i64(a, e->id)) &&
        lake_json_set(a, o, "element-required", flag(a, e->required)) &&
        lake_json_set(a, o, "element", lake_type_write(a, &e->type));
}

static bool write_map(lake_arena *a, lake_json *o, const lake_field *kv) {
    return lake_json_set(a, o, "key-id", lake_json_new_i64(a, kv[0].id)) &&
        lake_json_set(a, o, "key", lake_type_write(a, &kv[0].type)) &&
        lake_json_set(a, o, "value-id", lake_json_new_i64(a, kv[1].id)) &&
        lake_json_set(a, o, "value-required", flag(a, kv[1].required)) &&
        lake_json_set(a, o, "value", lake_type_write(a, &kv[1].type));
}

lake_json *lake_type_write(lake_arena *arena, const lake_type *t) {
    lake_buffer text;
    lake_buffer_init(&text);
    lake_type_print(&text, t);
    lake_json *name = text.failed ? NULL : lake_json_new_string(arena, lake_buffer_view(&text));
    lake_buffer_clear(&text);
    if (!lake_type_is_nested(t))
        return name;
    lake_json *o = lake_json_new(arena, LAKE_JSON_OBJECT);
    if (!lake_json_set(arena, o, "type", name))
        return NULL;
    bool ok = t->id == LAKE_STRUCT ? write_fields(arena, o, t)
        : t->id == LAKE_LIST       ? write_list(arena, o, t->fields)
                                   : write_map(arena, o, t->fields);
    return ok ? o : NULL;
}

static bool write_made_by_hand(lake_arena *a, lake_json *o, const lake_schema *s) {
    bool ok = lake_json_set(a, o, "type", word(a, "struct")) &&
        lake_json_set(a, o, "schema-id", lake_json_new_i64(a, s->id)) && write_fields(a, o, &s->root);
    if (!ok || !s->nidentifier_ids)
        return ok;
    lake_json *ids = lake_json_new(a, LAKE_JSON_ARRAY);
    for (size_t i = 0; i < s->nidentifier_ids; i++)
        if (!lake_json_push(a, ids, lake_json_new_i64(a, s->identifier_ids[i])))
            return false;
    return lake_json_set(a, o, "identifier-field-ids", ids);
}

lake_json *lake_schema_write(lake_arena *arena, const lake_schema *schema) {
    lake_json *o = schema->json ? lake_json_copy(arena, schema->json) : lake_json_new(arena, LAKE_JSON_OBJECT);
    if (!o)
        return NULL;
    bool ok = schema->json ? lake_json_set(arena, o, "schema-id", lake_json_new_i64(arena, schema->id))
                           : write_made_by_hand(arena, o, schema);
    return ok ? o : NULL;
}
