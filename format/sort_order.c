/* Sort orders in JSON (spec.md, Appendix C, "Sort Orders"). */
#include "format/transform_internal.h"

static lake_status read_choice(
    const lake_json *json, const char *name, const char *no, const char *yes, bool *out, lake_error *err) {
    const lake_json *v = lake_json_get(json, name);
    bool is_yes = lake_json_is(v, LAKE_JSON_STRING) && lake_str_is(v->text, yes);
    if (!is_yes && !(lake_json_is(v, LAKE_JSON_STRING) && lake_str_is(v->text, no)))
        return lake_fail(err, LAKE_ERR_MALFORMED, "'%s' is neither '%s' nor '%s'", name, no, yes);
    *out = is_yes;
    return LAKE_OK;
}

static lake_status read_field(lake_arena *arena, const lake_json *json, lake_sort_field *f, lake_error *err) {
    LAKE_TRY(lake_transform_read(arena, json, &f->transform, &f->source_ids, &f->nsource_ids, err));
    LAKE_TRY(read_choice(json, "direction", "asc", "desc", &f->descending, err));
    return read_choice(json, "null-order", "nulls-first", "nulls-last", &f->nulls_last, err);
}

lake_status lake_sort_order_read(lake_arena *arena, const lake_json *json, lake_sort_order **out, lake_error *err) {
    const lake_json *fields = lake_json_get(json, "fields");
    lake_sort_order *s = LAKE_ARENA_NEW(arena, lake_sort_order);
    if (!s)
        return lake_fail_memory(err);
    if (!lake_json_i32(lake_json_get(json, "order-id"), &s->id))
        return lake_fail(err, LAKE_ERR_MALFORMED, "'order-id' is missing or no 32-bit integer");
    if (!lake_json_is(fields, LAKE_JSON_ARRAY))
        return lake_fail(err, LAKE_ERR_MALFORMED, "a sort order needs an array 'fields'");
    s->json = json;
    s->nfields = fields->count;
    s->fields = LAKE_ARENA_ARRAY(arena, lake_sort_field, s->nfields);
    if (!s->fields)
        return lake_fail_memory(err);
    for (size_t i = 0; i < s->nfields; i++)
        LAKE_TRY_WRAP(read_field(arena, fields->items[i], &s->fields[i], err), err, "sort field %zu", i + 1);
    *out = s;
    return LAKE_OK;
}

static lake_json *write_field(lake_arena *a, const lake_sort_field *f) {
    lake_json *o = lake_json_new(a, LAKE_JSON_OBJECT);
    bool ok = o && lake_transform_write(a, o, &f->transform, f->source_ids, f->nsource_ids) &&
        lake_json_set(a, o, "direction", lake_json_new_string(a, lake_str_of(f->descending ? "desc" : "asc"))) &&
        lake_json_set(
            a, o, "null-order", lake_json_new_string(a, lake_str_of(f->nulls_last ? "nulls-last" : "nulls-first")));
    return ok ? o : NULL;
}

lake_json *lake_sort_order_write(lake_arena *arena, const lake_sort_order *order) {
    if (order->json) {
        lake_json *copy = lake_json_copy(arena, order->json);
        return copy && lake_json_set(arena, copy, "order-id", lake_json_new_i64(arena, order->id)) ? copy : NULL;
    }
    lake_json *o = lake_json_new(arena, LAKE_JSON_OBJECT), *list = lake_json_new(arena, LAKE_JSON_ARRAY);
    for (size_t i = 0; i < order->nfields; i++)
        if (!lake_json_push(arena, list, write_field(arena, &order->fields[i])))
            return NULL;
    bool ok = o && lake_json_set(arena, o, "order-id", lake_json_new_i64(arena, order->id)) &&
        lake_json_set(arena, o, "fields", list);
    return ok ? o : NULL;
}
