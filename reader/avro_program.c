/* Compiling an Avro schema: leaves become columns by ids if the file has any, else by the table's name mapping, else by
   name. */
#include "reader/avro_program.h"

#include <stdlib.h>

#include "reader/name_mapping.h"

typedef enum matching { BY_IDS, BY_MAPPING, BY_NAMES } matching;

typedef struct builder {
    lake_arena *arena;
    const lake_schema *schema;
    const lake_file_stats_options *options;
    lake_avro_program *out;
    matching by;
    size_t cap; /* of out->leaves */
    size_t parts, numbers;
    lake_avro_chain chain;
} builder;

/* What a part of the file is in the schema. */
typedef struct target {
    const lake_field *field; /* NULL: the root, or nothing */
    const lake_type *type; /* NULL: nothing */
    const lake_json *mapping; /* of what is inside */
} target;

static target by_id(const builder *b, int32_t id) {
    const lake_field *f = id >= 0 ? lake_schema_field(b->schema, id) : NULL;
    return (target){f, f ? &f->type : NULL, NULL};
}

/* The part of a type that the file calls `name`; `id` is the file's. */
static target find(const builder *b, const target *in, lake_type_id kind, lake_str name, int32_t id, size_t hint) {
    const lake_json *nested;
    if (b->by == BY_IDS)
        return by_id(b, id);
    if (!in->type || in->type->id != kind)
        return (target){0};
    const lake_field *f = lake_name_match(b->by == BY_MAPPING, in->type, in->mapping, name, hint, &nested);
    return (target){f, f ? &f->type : NULL, nested};
}

static bool listed(const int32_t *ids, size_t n, int32_t id) {
    for (size_t i = 0; i < n; i++)
        if (ids[i] == id)
            return true;
    return false;
}

static lake_avro_leaf *add_leaf(builder *b) {
    lake_avro_program *p = b->out;
    if (p->nleaves == b->cap) {
        size_t cap = b->cap ? b->cap * 2 : 32;
        lake_avro_leaf *grown = LAKE_ARENA_ARRAY(b->arena, lake_avro_leaf, cap);
        if (!grown)
            return NULL;
        if (p->nleaves)
            memcpy(grown, p->leaves, p->nleaves * sizeof *grown);
        p->leaves = grown;
        b->cap = cap;
    }
    return &p->leaves[p->nleaves++];
}

static lake_status build_leaf(builder *b, const target *at, bool in_list, lake_avro_node *node, lake_error *err) {
    const lake_file_stats_options *o = b->options;
    const lake_field *f = at->field;
    size_t number = b->numbers++;
    if (!f || lake_type_is_nested(&f->type) || f->inside_list != in_list) {
        b->out->unmatched++;
        return LAKE_OK;
    }
    bool rows = o->on_values && !o->footer_only && !in_list && listed(o->on_values_ids, o->non_values_ids, f->id);
    if (o->column_ids && !rows && !listed(o->column_ids, o->ncolumn_ids, f->id))
        return LAKE_OK;
    lake_avro_leaf leaf = {node->present, f, lake_avro_reading_of(node->present, &f->type), number, rows, in_list};
    if (rows && leaf.reading.form == LAKE_ACCUM_NONE)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "column %.*s (Avro %s) cannot be read as its type",
            LAKE_ARG(f->name), lake_avro_kind_name(node->present->kind));
    size_t *null = LAKE_ARENA_NEW(b->arena, size_t);
    lake_avro_leaf *to = add_leaf(b);
    if (!to || !null)
        return lake_fail_memory(err);
    *to = leaf;
    *null = b->out->nleaves - 1;
    node->op = LAKE_AVRO_LEAF;
    node->leaf = *null;
    node->nulls = null;
    node->nnulls = 1;
    return LAKE_OK;
}

static lake_status build(
    builder *b, const lake_avro_type *t, const target *at, bool in_list, lake_avro_node *node, lake_error *err);

static lake_status gather_nulls(builder *b, lake_avro_node *node, lake_error *err) {
    size_t n = 0, *nulls;
    for (size_t i = 0; i < node->nchildren; i++)
        n += node->children[i].nnulls;
    node->nulls = nulls = LAKE_ARENA_ARRAY(b->arena, size_t, n + 1);
    if (!nulls)
        return lake_fail_memory(err);
    for (size_t i = 0; i < node->nchildren; i++)
        for (size_t k = 0; k < node->children[i].nnulls; k++)
            nulls[node->nnulls++] = node->children[i].nulls[k];
    return LAKE_OK;
}

static lake_status build_struct(
    builder *b, const lake_avro_type *t, const target *at, bool in_list, lake_avro_node *node, lake_error *err) {
    node->op = LAKE_AVRO_STRUCT;
    node->nchildren = t->count;
    for (size_t i = 0; i < t->count; i++) {
        const lake_avro_field *f = &t->fields[i];
        /* a mapping has the names that are in the file */
        lake_str name = b->by == BY_MAPPING ? f->name : lake_avro_field_name(f);
        target child = find(b, at, LAKE_STRUCT, name, f->id, i);
        LAKE_TRY(build(b, f->type, &child, in_list, &node->children[i], err));
    }
    return gather_nulls(b, node, err);
}

/* The record that holds a key and a value in maps that are arrays. */
static lake_status build_pair(
    builder *b, const lake_avro_type *item, const target *at, lake_avro_node *node, lake_error *err) {
    node->children = LAKE_ARENA_ARRAY(b->arena, lake_avro_node, 2);
    if (!node->children)
        return lake_fail_memory(err);
    node->type = node->present = item;
    node->null_branch = -1;
    node->op = LAKE_AVRO_STRUCT;
    node->nchildren = 2;
    static const lake_str names[] = {{"key", 3}, {"value", 5}};
    for (size_t i = 0; i < 2; i++) {
        target child = find(b, at, LAKE_MAP, names[i], item->fields[i].id, i);
        LAKE_TRY(build(b, item->fields[i].type, &child, true, &node->children[i], err));
    }
    return gather_nulls(b, node, err);
}

static lake_status build_nested(
    builder *b, const lake_avro_type *t, const target *at, bool in_list, lake_avro_node *node, lake_error *err) {
    static const lake_avro_type string = {.kind = LAKE_AVRO_STRING, .min_size = 1};
    lake_avro_shape shape = lake_avro_shape_of(t);
    target child;
    node->children = LAKE_ARENA_ARRAY(b->arena, lake_avro_node, (t->kind == LAKE_AVRO_RECORD ? t->count : 2) + 1);
    if (!node->children)
        return lake_fail_memory(err);
    if (shape == LAKE_AVRO_IS_STRUCT)
        return build_struct(b, t, at, in_list, node, err);
    node->op = shape == LAKE_AVRO_IS_MAP ? LAKE_AVRO_ENTRIES : LAKE_AVRO_LIST;
    node->nchildren = shape == LAKE_AVRO_IS_MAP ? 2 : 1;
    if (shape == LAKE_AVRO_IS_PAIRS)
        return build_pair(b, t->branches[0], at, &node->children[0], err);
    if (shape == LAKE_AVRO_IS_LIST) {
        child = find(b, at, LAKE_LIST, LAKE_STR("element"), t->element_id, 0);
        return build(b, t->branches[0], &child, true, &node->children[0], err);
    }
    child = find(b, at, LAKE_MAP, LAKE_STR("key"), t->key_id, 0);
    LAKE_TRY(build(b, &string, &child, true, &node->children[0], err));
    child = find(b, at, LAKE_MAP, LAKE_STR("value"), t->value_id, 1);
    return build(b, t->branches[0], &child, true, &node->children[1], err);
}

static bool all_skipped(const lake_avro_node *node) {
    for (size_t i = 0; i < node->nchildren; i++)
        if (node->children[i].op != LAKE_AVRO_SKIP)
            return false;
    return true;
}

static lake_status build(
    builder *b, const lake_avro_type *t, const target *at, bool in_list, lake_avro_node *node, lake_error *err) {
    *node = (lake_avro_node){.op = LAKE_AVRO_SKIP, .type = t};
    if (++b->parts > LAKE_AVRO_MAX_PARTS)
        return lake_fail(err, LAKE_ERR_LIMIT, "the Avro schema has more than %d parts", LAKE_AVRO_MAX_PARTS);
    node->present = lake_avro_present(t, &node->null_branch);
    lake_avro_shape shape = node->present ? lake_avro_shape_of(node->present) : LAKE_AVRO_IS_NOTHING;
    if (shape == LAKE_AVRO_IS_LEAF)
        return build_leaf(b, at, in_list, node, err);
    if (shape == LAKE_AVRO_IS_NOTHING || !lake_avro_chain_push(&b->chain, node->present)) {
        b->numbers++;
        b->out->unmatched++;
        return LAKE_OK;
    }
    lake_status st = build_nested(b, node->present, at, in_list, node, err);
    b->chain.n--;
    if (st == LAKE_OK && all_skipped(node))
        node->op = LAKE_AVRO_SKIP;
    return st;
}

static int by_field_id(const void *a, const void *b) {
    int32_t x = (*(const lake_avro_leaf *const *)a)->field->id, y = (*(const lake_avro_leaf *const *)b)->field->id;
    return (x > y) - (x < y);
}

static lake_status check_ids(builder *b, lake_error *err) {
    size_t n = b->out->nleaves;
    const lake_avro_leaf **sorted = LAKE_ARENA_ARRAY(b->arena, const lake_avro_leaf *, n + 1);
    if (!sorted)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &b->out->leaves[i];
    qsort(sorted, n, sizeof *sorted, by_field_id);
    for (size_t i = 1; i < n; i++)
        if (sorted[i]->field == sorted[i - 1]->field)
            return lake_fail(err, LAKE_ERR_MALFORMED,
                "leaves %zu and %zu of the Avro schema are both column %.*s (id %d)", sorted[i - 1]->number,
                sorted[i]->number, LAKE_ARG(sorted[i]->field->name), sorted[i]->field->id);
    return LAKE_OK;
}

lake_status lake_avro_compile(lake_arena *arena, const lake_avro_type *root, const lake_schema *schema, bool own,
    const lake_file_stats_options *options, lake_avro_program *out, lake_error *err) {
    builder b = {.arena = arena, .schema = schema, .options = options, .out = out};
    *out = (lake_avro_program){0};
    b.by = !own && lake_avro_has_ids(root) ? BY_IDS : !own && options->name_mapping ? BY_MAPPING : BY_NAMES;
    target at = {NULL, &schema->root, options->name_mapping};
    LAKE_TRY(build(&b, root, &at, false, &out->root, err));
    return check_ids(&b, err);
}
