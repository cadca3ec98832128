/* ORC schemas: types, the schema of a file, columns of a table's schema in a file. */
#include "reader/orc_types.h"

#include "reader/name_mapping.h"

lake_orc_shape lake_orc_shape_of(const lake_orc_type *t) {
    switch (t->kind) {
    case LAKE_ORC_STRUCT: {
        lake_str what = lake_orc_attribute(t, "iceberg.struct-type");
        return what.ptr && lake_str_is(what, "VARIANT") ? LAKE_ORC_IS_LEAF : LAKE_ORC_IS_STRUCT;
    }
    case LAKE_ORC_LIST: return LAKE_ORC_IS_LIST;
    case LAKE_ORC_MAP: return LAKE_ORC_IS_MAP;
    case LAKE_ORC_UNION: return LAKE_ORC_IS_NOTHING;
    default: return LAKE_ORC_IS_LEAF;
    }
}

static bool attribute_is(const lake_orc_type *t, const char *name, const char *value) {
    lake_str v = lake_orc_attribute(t, name);
    return v.ptr && lake_str_is(v, value);
}

static bool number(lake_str text, int32_t *out) {
    lake_json digits = {.kind = LAKE_JSON_NUMBER, .text = text};
    return text.ptr && text.len && lake_json_i32(&digits, out);
}

static lake_type binary_type(const lake_orc_type *t) {
    lake_type out = {.id = LAKE_BINARY};
    int32_t length;
    if (attribute_is(t, "iceberg.binary-type", "UUID"))
        out.id = LAKE_UUID;
    else if (attribute_is(t, "iceberg.binary-type", "GEOMETRY"))
        out.id = LAKE_GEOMETRY;
    else if (attribute_is(t, "iceberg.binary-type", "GEOGRAPHY"))
        out.id = LAKE_GEOGRAPHY;
    else if (attribute_is(t, "iceberg.binary-type", "FIXED") &&
        number(lake_orc_attribute(t, "iceberg.length"), &length) && length > 0)
        out = (lake_type){.id = LAKE_FIXED, .length = length};
    return out;
}

lake_type lake_orc_leaf_type(const lake_orc_type *t) {
    bool nanos = attribute_is(t, "iceberg.timestamp-unit", "NANOS");
    switch (t->kind) {
    case LAKE_ORC_BOOLEAN: return (lake_type){.id = LAKE_BOOLEAN};
    case LAKE_ORC_BYTE:
    case LAKE_ORC_SHORT:
    case LAKE_ORC_INT: return (lake_type){.id = LAKE_INT};
    case LAKE_ORC_LONG: return (lake_type){.id = attribute_is(t, "iceberg.long-type", "TIME") ? LAKE_TIME : LAKE_LONG};
    case LAKE_ORC_FLOAT: return (lake_type){.id = LAKE_FLOAT};
    case LAKE_ORC_DOUBLE: return (lake_type){.id = LAKE_DOUBLE};
    case LAKE_ORC_STRING:
    case LAKE_ORC_VARCHAR:
    case LAKE_ORC_CHAR: return (lake_type){.id = LAKE_STRING};
    case LAKE_ORC_TIMESTAMP: return (lake_type){.id = nanos ? LAKE_TIMESTAMP_NS : LAKE_TIMESTAMP};
    case LAKE_ORC_TIMESTAMP_INSTANT: return (lake_type){.id = nanos ? LAKE_TIMESTAMPTZ_NS : LAKE_TIMESTAMPTZ};
    case LAKE_ORC_DATE: return (lake_type){.id = LAKE_DATE};
    case LAKE_ORC_DECIMAL:
        if (t->precision >= 1 && t->precision <= 38 && t->scale <= t->precision)
            return (lake_type){.id = LAKE_DECIMAL, .precision = (int32_t)t->precision, .scale = (int32_t)t->scale};
        return (lake_type){.id = LAKE_DECIMAL, .precision = 38, .scale = 10}; /* Hive 0.11: without a precision */
    case LAKE_ORC_GEOMETRY: return (lake_type){.id = LAKE_GEOMETRY};
    case LAKE_ORC_GEOGRAPHY: return (lake_type){.id = LAKE_GEOGRAPHY};
    case LAKE_ORC_STRUCT: return (lake_type){.id = LAKE_VARIANT};
    default: return binary_type(t);
    }
}

int32_t lake_orc_id(const lake_orc_type *t) {
    int32_t id;
    return number(lake_orc_attribute(t, "iceberg.id"), &id) && id >= 0 ? id : -1;
}

bool lake_orc_has_ids(const lake_orc_footer *footer) {
    bool any = false;
    for (size_t i = 0; i < footer->ntypes && !any; i++)
        any = lake_orc_id(&footer->types[i]) >= 0;
    return any;
}

/* ---- a schema from the file. Types are a tree of limited depth (wire/orc.c). */

typedef struct making {
    lake_arena *arena;
    const lake_orc_footer *footer;
    bool all_ids;
} making;

static lake_status make_type(making *m, const lake_orc_type *t, lake_type *out, bool *good, lake_error *err);

static lake_status make_field(making *m, uint32_t number_of, lake_str name, lake_type *out, lake_error *err) {
    const lake_orc_type *t = &m->footer->types[number_of];
    lake_field f = {.name = name, .id = lake_orc_id(t), .required = attribute_is(t, "iceberg.required", "true")};
    bool good;
    LAKE_TRY(make_type(m, t, &f.type, &good, err));
    if (!good)
        return LAKE_OK;
    m->all_ids = m->all_ids && f.id >= 0;
    out->fields[out->nfields++] = f;
    return LAKE_OK;
}

static lake_status make_type(making *m, const lake_orc_type *t, lake_type *out, bool *good, lake_error *err) {
    static const lake_str pair[] = {{"key", 3}, {"value", 5}};
    lake_orc_shape shape = lake_orc_shape_of(t);
    *good = shape != LAKE_ORC_IS_NOTHING;
    *out = shape == LAKE_ORC_IS_LEAF ? lake_orc_leaf_type(t) : (lake_type){0};
    if (shape == LAKE_ORC_IS_LEAF || !*good)
        return LAKE_OK;
    out->id = shape == LAKE_ORC_IS_STRUCT ? LAKE_STRUCT : shape == LAKE_ORC_IS_LIST ? LAKE_LIST : LAKE_MAP;
    out->fields = LAKE_ARENA_ARRAY(m->arena, lake_field, t->nsubtypes + 1);
    if (!out->fields)
        return lake_fail_memory(err);
    for (size_t i = 0; i < t->nsubtypes; i++) {
        lake_str name = out->id == LAKE_STRUCT ? t->names[i] : out->id == LAKE_LIST ? LAKE_STR("element") : pair[i];
        LAKE_TRY(make_field(m, t->subtypes[i], name, out, err));
    }
    *good = out->id == LAKE_STRUCT || out->nfields == t->nsubtypes;
    if (*good && out->id == LAKE_MAP)
        out->fields[0].required = true;
    return LAKE_OK;
}

/* Fresh ids as Iceberg gives them: all fields of a struct, then what is inside each. */
static void assign_ids(lake_type *t, int32_t *next) {
    for (size_t i = 0; i < t->nfields; i++)
        t->fields[i].id = (*next)++;
    for (size_t i = 0; i < t->nfields; i++)
        assign_ids(&t->fields[i].type, next);
}

lake_status lake_orc_own_schema(lake_arena *arena, const lake_orc_footer *footer, lake_schema **out, lake_error *err) {
    making m = {arena, footer, true};
    int32_t next = 1;
    bool good;
    lake_schema *schema = LAKE_ARENA_NEW(arena, lake_schema);
    if (!schema)
        return lake_fail_memory(err);
    LAKE_TRY(make_type(&m, &footer->types[0], &schema->root, &good, err));
    if (!m.all_ids)
        assign_ids(&schema->root, &next);
    LAKE_TRY(lake_schema_index(arena, schema, err));
    *out = schema;
    return LAKE_OK;
}

/* ---- matching */

typedef struct matching {
    const lake_orc_footer *footer;
    const lake_field **fields;
    bool mapped;
} matching;

static void match_type(
    const matching *m, uint32_t at, const lake_field *field, const lake_type *t, const lake_json *mapping) {
    static const lake_str pair[] = {{"key", 3}, {"value", 5}};
    const lake_orc_type *from = &m->footer->types[at];
    lake_orc_shape shape = lake_orc_shape_of(from);
    bool fits = (shape == LAKE_ORC_IS_STRUCT && t->id == LAKE_STRUCT) ||
        (shape == LAKE_ORC_IS_LIST && t->id == LAKE_LIST) || (shape == LAKE_ORC_IS_MAP && t->id == LAKE_MAP);
    if (shape == LAKE_ORC_IS_LEAF && field && !lake_type_is_nested(t))
        m->fields[at] = field;
    for (size_t i = 0; fits && i < from->nsubtypes; i++) {
        const lake_json *nested;
        lake_str name = t->id == LAKE_STRUCT ? from->names[i] : t->id == LAKE_LIST ? LAKE_STR("element") : pair[i];
        const lake_field *f = lake_name_match(m->mapped, t, mapping, name, i, &nested);
        if (f)
            match_type(m, from->subtypes[i], f, &f->type, nested);
    }
}

/* in_list[i]: type i lies in a list or a map (or a union, whose parts are no columns). */
static void mark_lists(const lake_orc_footer *footer, bool *in_list) {
    for (size_t i = 0; i < footer->ntypes; i++) {
        const lake_orc_type *t = &footer->types[i];
        for (size_t k = 0; k < t->nsubtypes; k++)
            in_list[t->subtypes[k]] =
                in_list[i] || t->kind == LAKE_ORC_LIST || t->kind == LAKE_ORC_MAP || t->kind == LAKE_ORC_UNION;
    }
}

lake_status lake_orc_match(lake_arena *arena, const lake_orc_footer *footer, const lake_schema *schema, bool own,
    const lake_json *mapping, const lake_field **fields, lake_error *err) {
    bool *in_list = LAKE_ARENA_ARRAY(arena, bool, footer->ntypes + 1);
    if (!in_list)
        return lake_fail_memory(err);
    if (own || !lake_orc_has_ids(footer)) {
        matching m = {footer, fields, mapping && !own};
        match_type(&m, 0, NULL, &schema->root, mapping);
        return LAKE_OK;
    }
    mark_lists(footer, in_list);
    for (size_t i = 0; i < footer->ntypes; i++) {
        const lake_orc_type *t = &footer->types[i];
        const lake_field *f = lake_schema_field(schema, lake_orc_id(t));
        bool leaf = lake_orc_shape_of(t) == LAKE_ORC_IS_LEAF;
        fields[i] = f && leaf && !lake_type_is_nested(&f->type) && f->inside_list == in_list[i] ? f : NULL;
    }
    return LAKE_OK;
}
