/* Iceberg schemas and Parquet schemas: making the one from the other, and finding the one in the other (spec.md,
   "Column Projection", "Name Mapping Serialization"). */
#include "reader/name_mapping.h"
#include "reader/parquet_types.h"

bool lake_parquet_has_ids(const lake_parquet_node *node) {
    if (node->has_field_id && node->parent)
        return true;
    for (size_t i = 0; i < node->nchildren; i++)
        if (lake_parquet_has_ids(node->children[i]))
            return true;
    return false;
}

/* ---- a schema from the file */

typedef struct making {
    lake_arena *arena;
    bool all_ids; /* every field so far had one */
} making;

static lake_status make_type(making *m, lake_parquet_part part, lake_type *out, lake_error *err);

static lake_status make_field(making *m, lake_parquet_part part, lake_str name, lake_field *out, lake_error *err) {
    /* A repeated node that is a list by itself has one id, for the list. */
    bool own = !part.inside || part.node->parent == NULL || part.node->parent->logical == LAKE_PARQUET_LIST;
    *out = (lake_field){.name = lake_arena_str(m->arena, name.ptr, name.len),
        .required = lake_parquet_part_required(part),
        .id = part.node->field_id};
    if (!out->name.ptr)
        return lake_fail_memory(err);
    if (!part.node->has_field_id || !own)
        m->all_ids = false;
    return make_type(m, part, &out->type, err);
}

static lake_status make_type(making *m, lake_parquet_part part, lake_type *out, lake_error *err) {
    static const lake_str names[] = {{"key", 3}, {"value", 5}};
    lake_parquet_shape shape = lake_parquet_shape_of(part);
    const lake_parquet_node *n = part.node;
    if (shape.kind == LAKE_SHAPE_LEAF) {
        *out = n->type == LAKE_PARQUET_GROUP ? (lake_type){.id = LAKE_VARIANT} : lake_parquet_leaf_type(n);
        return LAKE_OK;
    }
    bool is_struct = shape.kind == LAKE_SHAPE_STRUCT;
    *out = (lake_type){.id = is_struct ? LAKE_STRUCT : shape.kind == LAKE_SHAPE_LIST ? LAKE_LIST : LAKE_MAP};
    out->nfields = is_struct ? n->nchildren : shape.kind == LAKE_SHAPE_LIST ? 1 : 2;
    out->fields = LAKE_ARENA_ARRAY(m->arena, lake_field, out->nfields + 1);
    if (!out->fields)
        return lake_fail_memory(err);
    for (size_t i = 0; i < out->nfields; i++) {
        lake_parquet_part p = is_struct ? (lake_parquet_part){n->children[i], false} : shape.parts[i];
        lake_str name = is_struct ? p.node->name : out->id == LAKE_LIST ? LAKE_STR("element") : names[i];
        LAKE_TRY(make_field(m, p, name, &out->fields[i], err));
        if (out->id == LAKE_MAP && i == 0)
            out->fields[0].required = true;
    }
    return LAKE_OK;
}

/* Fresh ids as Iceberg gives them: all fields of a struct, then what is inside each. */
static void assign_ids(lake_type *t, int32_t *next) {
    for (size_t i = 0; i < t->nfields; i++)
        t->fields[i].id = (*next)++;
    for (size_t i = 0; i < t->nfields; i++)
        assign_ids(&t->fields[i].type, next);
}

lake_status lake_parquet_schema(
    lake_arena *arena, const lake_parquet_footer *footer, lake_schema **out, lake_error *err) {
    making m = {arena, true};
    int32_t next = 1;
    lake_schema *schema = LAKE_ARENA_NEW(arena, lake_schema);
    if (!schema)
        return lake_fail_memory(err);
    lake_parquet_node root = *footer->root; /* whatever its annotation: a struct */
    root.logical = LAKE_PARQUET_PLAIN;
    LAKE_TRY(make_type(&m, (lake_parquet_part){&root, true}, &schema->root, err));
    if (!m.all_ids)
        assign_ids(&schema->root, &next);
    LAKE_TRY(lake_schema_index(arena, schema, err));
    *out = schema;
    return LAKE_OK;
}

/* ---- matching */

typedef struct matching {
    const lake_field **fields;
    bool mapped; /* by a name mapping, not by the fields' own names */
} matching;

/* A variant is a group whose metadata are there exactly where it is no null; they are counted in its place (Parquet's
   VariantEncoding.md). */
static const lake_parquet_node *variant_leaf(const lake_parquet_node *n) {
    for (size_t i = 0; n->type == LAKE_PARQUET_GROUP && i < n->nchildren; i++) {
        const lake_parquet_node *child = n->children[i];
        if (child->column >= 0 && child->repetition == LAKE_PARQUET_REQUIRED && lake_str_is(child->name, "metadata"))
            return child;
    }
    return NULL;
}

static void match_type(
    const matching *m, lake_parquet_part part, const lake_field *field, const lake_type *t, const lake_json *mapping) {
    static const lake_str names[] = {{"key", 3}, {"value", 5}};
    lake_parquet_shape shape = lake_parquet_shape_of(part);
    const lake_json *nested;
    if (shape.kind == LAKE_SHAPE_LEAF && part.node->column >= 0 && !lake_type_is_nested(t)) {
        m->fields[part.node->column] = field;
    } else if (t->id == LAKE_VARIANT) {
        const lake_parquet_node *leaf = variant_leaf(part.node);
        if (leaf)
            m->fields[leaf->column] = field;
    } else if (shape.kind == LAKE_SHAPE_STRUCT && t->id == LAKE_STRUCT) {
        for (size_t i = 0; i < part.node->nchildren; i++) {
            lake_parquet_part child = {part.node->children[i], false};
            const lake_field *f = lake_name_match(m->mapped, t, mapping, child.node->name, i, &nested);
            if (f)
                match_type(m, child, f, &f->type, nested);
        }
    } else if (shape.kind == LAKE_SHAPE_LIST && t->id == LAKE_LIST) {
        const lake_field *f = lake_name_match(m->mapped, t, mapping, LAKE_STR("element"), 0, &nested);
        if (f)
            match_type(m, shape.parts[0], f, &f->type, nested);
    } else if (shape.kind == LAKE_SHAPE_MAP && t->id == LAKE_MAP) {
        for (size_t i = 0; i < 2; i++) {
            const lake_field *f = lake_name_match(m->mapped, t, mapping, names[i], i, &nested);
            if (f)
                match_type(m, shape.parts[i], f, &f->type, nested);
        }
    }
}

static void match_variants(const lake_parquet_node *n, const lake_schema *schema, const lake_field **fields) {
    const lake_field *f = n->has_field_id && n->parent ? lake_schema_field(schema, n->field_id) : NULL;
    const lake_parquet_node *leaf = f && f->type.id == LAKE_VARIANT ? variant_leaf(n) : NULL;
    if (leaf && f->inside_list == (leaf->max_rep > 0))
        fields[leaf->column] = f;
    for (size_t i = 0; i < n->nchildren; i++)
        match_variants(n->children[i], schema, fields);
}

static void match_ids(const lake_parquet_footer *footer, const lake_schema *schema, const lake_field **fields) {
    for (size_t i = 0; i < footer->nleaves; i++) {
        const lake_parquet_node *leaf = footer->leaves[i];
        const lake_field *f = leaf->has_field_id ? lake_schema_field(schema, leaf->field_id) : NULL;
        if (f && !lake_type_is_nested(&f->type) && f->inside_list == (leaf->max_rep > 0))
            fields[i] = f;
    }
    match_variants(footer->root, schema, fields);
}

void lake_parquet_match(const lake_parquet_footer *footer, const lake_schema *schema, bool own,
    const lake_json *mapping, const lake_field **fields) {
    memset(fields, 0, footer->nleaves * sizeof *fields);
    if (!own && lake_parquet_has_ids(footer->root)) {
        match_ids(footer, schema, fields);
        return;
    }
    lake_parquet_node root = *footer->root;
    root.logical = LAKE_PARQUET_PLAIN;
    matching m = {fields, mapping != NULL && !own};
    match_type(&m, (lake_parquet_part){&root, true}, NULL, &schema->root, mapping);
}
