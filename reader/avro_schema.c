/* Iceberg schemas from Avro schemas (spec.md, Appendix A, "Avro", "Field IDs"). */
#include "reader/avro_program.h"

bool lake_avro_chain_push(lake_avro_chain *chain, const lake_avro_type *t) {
    if (chain->n == sizeof chain->records / sizeof *chain->records)
        return false;
    for (size_t i = 0; i < chain->n; i++)
        if (chain->records[i] == t)
            return false;
    chain->records[chain->n++] = t;
    return true;
}

lake_str lake_avro_field_name(const lake_avro_field *f) {
    const lake_json *original = lake_json_get(f->json, "iceberg-field-name");
    return lake_json_is(original, LAKE_JSON_STRING) && original->text.len ? original->text : f->name;
}

typedef struct id_search {
    lake_avro_chain chain;
    size_t parts;
} id_search;

static bool has_ids(id_search *s, const lake_avro_type *t) {
    bool found = t->element_id >= 0 || t->key_id >= 0 || t->value_id >= 0;
    if (found || s->parts++ > LAKE_AVRO_MAX_PARTS || t->kind < LAKE_AVRO_ARRAY || !lake_avro_chain_push(&s->chain, t))
        return found;
    for (size_t i = 0; i < t->count && !found; i++)
        found = t->kind == LAKE_AVRO_RECORD ? t->fields[i].id >= 0 || has_ids(s, t->fields[i].type)
                                            : has_ids(s, t->branches[i]);
    s->chain.n--;
    return found;
}

bool lake_avro_has_ids(const lake_avro_type *t) {
    id_search s = {0};
    return has_ids(&s, t);
}

typedef struct making {
    lake_arena *arena;
    bool all_ids; /* every field so far had one */
    size_t parts;
    lake_avro_chain chain;
} making;

static lake_status make_type(making *m, const lake_avro_type *t, lake_type *out, bool *good, lake_error *err);

/* Appends a field to out->fields, which have room; not if its type is none of Iceberg's. */
static lake_status make_field(
    making *m, lake_str name, int32_t id, const lake_avro_type *t, lake_type *out, lake_error *err) {
    int null_branch;
    bool good = true;
    lake_field f = {.name = lake_arena_str(m->arena, name.ptr, name.len), .id = id};
    if (!f.name.ptr)
        return lake_fail_memory(err);
    if (++m->parts > LAKE_AVRO_MAX_PARTS)
        return lake_fail(err, LAKE_ERR_LIMIT, "the Avro schema has more than %d parts", LAKE_AVRO_MAX_PARTS);
    const lake_avro_type *present = lake_avro_present(t, &null_branch);
    if (!present)
        return LAKE_OK;
    f.required = null_branch < 0 && present->kind != LAKE_AVRO_NULL;
    LAKE_TRY(make_type(m, present, &f.type, &good, err));
    if (!good)
        return LAKE_OK;
    m->all_ids = m->all_ids && id >= 0;
    out->fields[out->nfields++] = f;
    return LAKE_OK;
}

static lake_status make_parts(making *m, const lake_avro_type *t, lake_type *out, bool *good, lake_error *err) {
    const lake_avro_type *item = t->kind == LAKE_AVRO_RECORD ? NULL : t->branches[0];
    switch (lake_avro_shape_of(t)) {
    case LAKE_AVRO_IS_STRUCT:
        out->id = LAKE_STRUCT;
        for (size_t i = 0; i < t->count; i++)
            LAKE_TRY(make_field(m, lake_avro_field_name(&t->fields[i]), t->fields[i].id, t->fields[i].type, out, err));
        return LAKE_OK;
    case LAKE_AVRO_IS_LIST:
        out->id = LAKE_LIST;
        LAKE_TRY(make_field(m, LAKE_STR("element"), t->element_id, item, out, err));
        break;
    case LAKE_AVRO_IS_MAP: {
        static const lake_avro_type string = {.kind = LAKE_AVRO_STRING};
        out->id = LAKE_MAP;
        LAKE_TRY(make_field(m, LAKE_STR("key"), t->key_id, &string, out, err));
        LAKE_TRY(make_field(m, LAKE_STR("value"), t->value_id, item, out, err));
        break;
    }
    default:
        out->id = LAKE_MAP;
        LAKE_TRY(make_field(m, LAKE_STR("key"), item->fields[0].id, item->fields[0].type, out, err));
        LAKE_TRY(make_field(m, LAKE_STR("value"), item->fields[1].id, item->fields[1].type, out, err));
        break;
    }
    *good = out->nfields == (out->id == LAKE_MAP ? 2u : 1u);
    if (*good && out->id == LAKE_MAP)
        out->fields[0].required = true;
    return LAKE_OK;
}

static lake_status make_type(making *m, const lake_avro_type *t, lake_type *out, bool *good, lake_error *err) {
    lake_avro_shape shape = lake_avro_shape_of(t);
    *out = (lake_type){0};
    *good = shape != LAKE_AVRO_IS_NOTHING;
    if (shape == LAKE_AVRO_IS_LEAF)
        *out = lake_avro_leaf_type(t);
    if (shape == LAKE_AVRO_IS_LEAF || !*good)
        return LAKE_OK;
    *good = lake_avro_chain_push(&m->chain, t);
    if (!*good)
        return LAKE_OK;
    out->fields = LAKE_ARENA_ARRAY(m->arena, lake_field, (t->kind == LAKE_AVRO_RECORD ? t->count : 2) + 1);
    if (!out->fields)
        return lake_fail_memory(err);
    lake_status st = make_parts(m, t, out, good, err);
    m->chain.n--;
    return st;
}

/* Fresh ids as Iceberg gives them: all fields of a struct, then what is inside each. */
static void assign_ids(lake_type *t, int32_t *next) {
    for (size_t i = 0; i < t->nfields; i++)
        t->fields[i].id = (*next)++;
    for (size_t i = 0; i < t->nfields; i++)
        assign_ids(&t->fields[i].type, next);
}

lake_status lake_avro_own_schema(lake_arena *arena, const lake_avro_type *root, lake_schema **out, lake_error *err) {
    making m = {.arena = arena, .all_ids = true};
    int32_t next = 1;
    bool good;
    lake_schema *schema = LAKE_ARENA_NEW(arena, lake_schema);
    if (!schema)
        return lake_fail_memory(err);
    LAKE_TRY(make_type(&m, root, &schema->root, &good, err));
    if (!m.all_ids)
        assign_ids(&schema->root, &next);
    LAKE_TRY(lake_schema_index(arena, schema, err));
    *out = schema;
    return LAKE_OK;
}
