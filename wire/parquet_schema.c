/* The schema of a Parquet file: a flat list of elements, depth first, made into a tree with levels (parquet.thrift,
   "SchemaElement", "LogicalType"; parquet-LogicalTypes.md for what the older converted types mean). */
#include "wire/parquet_footer.h"

enum { MAX_DEPTH = 100, MAX_ELEMENTS = 1 << 20 };

typedef struct element {
    lake_parquet_node node;
    bool has_type, has_name, has_repetition;
    int32_t children, converted;
} element;

/* UNION TimeUnit: the id of the member is what it says. */
static lake_parquet_unit read_unit(lake_thrift *t, const lake_thrift_field *f) {
    lake_thrift_field g = {0};
    lake_parquet_unit unit = LAKE_PARQUET_MICROS;
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_STRUCT))
        return unit;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        if (g.id < 1 || g.id > 3)
            lake_thrift_fail(t, "a unit of time that is not known");
        unit = (lake_parquet_unit)(g.id - 1);
        lake_thrift_skip(t, &g);
    }
    return unit;
}

static void read_parameters(lake_thrift *t, const lake_thrift_field *f, lake_parquet_node *n) {
    lake_thrift_field g = {0};
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_STRUCT))
        return;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        switch ((int)n->logical * 8 + g.id) {
        case LAKE_PARQUET_DECIMAL * 8 + 1: n->scale = lake_thrift_i32(t, &g); break;
        case LAKE_PARQUET_DECIMAL * 8 + 2: n->precision = lake_thrift_i32(t, &g); break;
        case LAKE_PARQUET_TIME * 8 + 1:
        case LAKE_PARQUET_TIMESTAMP * 8 + 1: n->utc = lake_thrift_bool(t, &g); break;
        case LAKE_PARQUET_TIME * 8 + 2:
        case LAKE_PARQUET_TIMESTAMP * 8 + 2: n->unit = read_unit(t, &g); break;
        case LAKE_PARQUET_INTEGER * 8 + 1: n->bit_width = lake_thrift_i32(t, &g); break;
        case LAKE_PARQUET_INTEGER * 8 + 2: n->is_signed = lake_thrift_bool(t, &g); break;
        case LAKE_PARQUET_GEOMETRY * 8 + 1:
        case LAKE_PARQUET_GEOGRAPHY * 8 + 1: n->crs = lake_text_of(lake_thrift_binary(t, &g)); break;
        case LAKE_PARQUET_GEOGRAPHY * 8 + 2: n->algorithm = lake_thrift_i32(t, &g); break;
        default: lake_thrift_skip(t, &g);
        }
    }
}

static void read_logical(lake_thrift *t, const lake_thrift_field *f, lake_parquet_node *n) {
    static const uint8_t kinds[] = {LAKE_PARQUET_OTHER, LAKE_PARQUET_STRING, LAKE_PARQUET_MAP, LAKE_PARQUET_LIST,
        LAKE_PARQUET_ENUM, LAKE_PARQUET_DECIMAL, LAKE_PARQUET_DATE, LAKE_PARQUET_TIME, LAKE_PARQUET_TIMESTAMP,
        LAKE_PARQUET_INTERVAL, LAKE_PARQUET_INTEGER, LAKE_PARQUET_NULL, LAKE_PARQUET_JSON, LAKE_PARQUET_BSON,
        LAKE_PARQUET_UUID, LAKE_PARQUET_FLOAT16, LAKE_PARQUET_VARIANT, LAKE_PARQUET_GEOMETRY, LAKE_PARQUET_GEOGRAPHY};
    lake_thrift_field g = {0};
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_STRUCT))
        return;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        n->logical = LAKE_PARQUET_OTHER;
        if (g.id > 0 && (size_t)g.id < sizeof kinds)
            n->logical = (lake_parquet_logical)kinds[g.id];
        if (n->logical == LAKE_PARQUET_OTHER)
            lake_thrift_skip(t, &g);
        else
            read_parameters(t, &g, n);
    }
}

/* What the converted type says, where no logical type was written. */
static void apply_converted(lake_parquet_node *n, int32_t converted) {
    static const struct {
        uint8_t logical, bits, is_signed, unit;
    } table[] = {
        {LAKE_PARQUET_STRING},
        {LAKE_PARQUET_MAP},
        {LAKE_PARQUET_MAP},
        {LAKE_PARQUET_LIST},
        {LAKE_PARQUET_ENUM},
        {LAKE_PARQUET_DECIMAL},
        {LAKE_PARQUET_DATE},
        {LAKE_PARQUET_TIME, .unit = LAKE_PARQUET_MILLIS},
        {LAKE_PARQUET_TIME, .unit = LAKE_PARQUET_MICROS},
        {LAKE_PARQUET_TIMESTAMP, .unit = LAKE_PARQUET_MILLIS},
        {LAKE_PARQUET_TIMESTAMP, .unit = LAKE_PARQUET_MICROS},
        {LAKE_PARQUET_INTEGER, 8, 0},
        {LAKE_PARQUET_INTEGER, 16, 0},
        {LAKE_PARQUET_INTEGER, 32, 0},
        {LAKE_PARQUET_INTEGER, 64, 0},
        {LAKE_PARQUET_INTEGER, 8, 1},
        {LAKE_PARQUET_INTEGER, 16, 1},
        {LAKE_PARQUET_INTEGER, 32, 1},
        {LAKE_PARQUET_INTEGER, 64, 1},
        {LAKE_PARQUET_JSON},
        {LAKE_PARQUET_BSON},
        {LAKE_PARQUET_INTERVAL},
    };
    if (converted < 0 || (size_t)converted >= sizeof table / sizeof *table)
        return;
    n->logical = (lake_parquet_logical)table[converted].logical;
    n->bit_width = table[converted].bits;
    n->is_signed = table[converted].is_signed;
    n->unit = (lake_parquet_unit)table[converted].unit;
    n->utc = n->logical == LAKE_PARQUET_TIME || n->logical == LAKE_PARQUET_TIMESTAMP;
}

static void read_element(lake_thrift *t, const lake_thrift_field *f, element *e) {
    lake_thrift_field g = {0};
    int32_t scale = 0, precision = 0;
    *e = (element){.node = {.type = LAKE_PARQUET_GROUP, .column = -1, .algorithm = -1}, .converted = -1};
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_STRUCT))
        return;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        switch (g.id) {
        case 1:
            e->has_type = true;
            e->node.type = (lake_parquet_type)lake_thrift_i32(t, &g);
            break;
        case 2: e->node.type_length = lake_thrift_i32(t, &g); break;
        case 3:
            e->has_repetition = true;
            e->node.repetition = (lake_parquet_repetition)lake_thrift_i32(t, &g);
            break;
        case 4:
            e->has_name = true;
            e->node.name = lake_text_of(lake_thrift_binary(t, &g));
            break;
        case 5: e->children = lake_thrift_i32(t, &g); break;
        case 6: e->converted = lake_thrift_i32(t, &g); break;
        case 7: scale = lake_thrift_i32(t, &g); break;
        case 8: precision = lake_thrift_i32(t, &g); break;
        case 9:
            e->node.has_field_id = true;
            e->node.field_id = lake_thrift_i32(t, &g);
            break;
        case 10: read_logical(t, &g, &e->node); break;
        default: lake_thrift_skip(t, &g);
        }
    }
    if (e->node.logical == LAKE_PARQUET_PLAIN) {
        apply_converted(&e->node, e->converted);
        e->node.scale = scale;
        e->node.precision = precision;
    }
}

static const char *element_fault(const element *e, bool root) {
    if (!e->has_name && !root)
        return "a schema element has no name";
    if (e->children < 0)
        return "a schema element has a negative number of children";
    if (e->has_type && (e->node.type < LAKE_PARQUET_BOOLEAN || e->node.type > LAKE_PARQUET_FIXED))
        return "a schema element has a type that does not exist";
    if (e->has_type && (e->children || root))
        return "a schema element is both a column and a group";
    if (!root && (e->node.repetition < LAKE_PARQUET_REQUIRED || e->node.repetition > LAKE_PARQUET_REPEATED))
        return "a schema element has a repetition that does not exist";
    if (e->node.type == LAKE_PARQUET_FIXED && e->node.type_length <= 0)
        return "a fixed-length column has no length";
    return NULL;
}

static void set_levels(lake_parquet_node *n) {
    const lake_parquet_node *p = n->parent;
    n->max_def = (uint8_t)(p->max_def + (n->repetition != LAKE_PARQUET_REQUIRED));
    n->max_rep = (uint8_t)(p->max_rep + (n->repetition == LAKE_PARQUET_REPEATED));
    n->repeated_def = n->repetition == LAKE_PARQUET_REPEATED ? n->max_def : p->repeated_def;
}

typedef struct builder {
    lake_arena *arena;
    lake_parquet_footer *out;
    lake_parquet_node *open[MAX_DEPTH]; /* groups whose children are still to come */
    size_t filled[MAX_DEPTH];
    int depth;
} builder;

/* Puts the node under the group that waits for children; false: none does. */
static bool place(builder *b, lake_parquet_node *n) {
    while (b->depth && b->filled[b->depth - 1] == b->open[b->depth - 1]->nchildren)
        b->depth--;
    if (!b->depth)
        return b->out->root == n;
    n->parent = b->open[b->depth - 1];
    n->parent->children[b->filled[b->depth - 1]++] = n;
    set_levels(n);
    return true;
}

static lake_status add_element(builder *b, lake_thrift *t, const element *e, size_t left, lake_error *err) {
    lake_parquet_node *n = LAKE_ARENA_NEW(b->arena, lake_parquet_node);
    if (!n)
        return lake_fail_memory(err);
    *n = e->node;
    bool root = !b->out->root;
    if (root)
        b->out->root = n;
    if (!place(b, n))
        lake_thrift_fail(t, "there are more schema elements than the groups hold");
    if (e->has_type) {
        n->column = (int)b->out->nleaves;
        b->out->leaves[b->out->nleaves++] = n;
        return LAKE_OK;
    }
    n->nchildren = (size_t)e->children;
    if (n->nchildren > left)
        lake_thrift_fail(t, "a group has more children than there are schema elements");
    else if (b->depth == MAX_DEPTH)
        return lake_fail(err, LAKE_ERR_LIMIT, "Parquet schema: nested deeper than %d", MAX_DEPTH);
    if (t->bad)
        return LAKE_OK;
    n->children = LAKE_ARENA_ARRAY(b->arena, lake_parquet_node *, n->nchildren + 1);
    if (!n->children)
        return lake_fail_memory(err);
    b->open[b->depth] = n;
    b->filled[b->depth++] = 0;
    return LAKE_OK;
}

lake_status lake_parquet_schema_read(
    lake_arena *arena, lake_thrift *t, const lake_thrift_field *f, lake_parquet_footer *out, lake_error *err) {
    lake_thrift_field ef;
    size_t n = lake_thrift_list(t, f, &ef);
    builder b = {.arena = arena, .out = out};
    if (n > lake_cursor_left(&t->in) / 3)
        lake_thrift_fail(t, "the schema has more elements than fit");
    if (n > MAX_ELEMENTS)
        return lake_fail(err, LAKE_ERR_LIMIT, "Parquet schema: %zu elements, the limit is %d", n, MAX_ELEMENTS);
    if (t->bad)
        return LAKE_OK;
    out->leaves = LAKE_ARENA_ARRAY(arena, lake_parquet_node *, n + 1);
    if (!out->leaves)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n && !t->bad; i++) {
        element e;
        read_element(t, &ef, &e);
        const char *fault = element_fault(&e, i == 0);
        if (fault)
            lake_thrift_fail(t, fault);
        if (!t->bad)
            LAKE_TRY(add_element(&b, t, &e, n - 1 - i, err));
    }
    for (int i = 0; i < b.depth; i++)
        if (b.filled[i] < b.open[i]->nchildren)
            lake_thrift_fail(t, "there are fewer schema elements than the groups hold");
    if (!out->root)
        lake_thrift_fail(t, "the schema is empty");
    return LAKE_OK;
}

lake_str lake_parquet_path(lake_arena *arena, const lake_parquet_node *node) {
    lake_buffer b;
    const lake_parquet_node *chain[MAX_DEPTH + 1];
    size_t n = 0;
    for (; node && node->parent && n < MAX_DEPTH; node = node->parent)
        chain[n++] = node;
    lake_buffer_init(&b);
    while (n) {
        lake_buffer_str(&b, chain[--n]->name);
        if (n)
            lake_buffer_char(&b, '.');
    }
    lake_str view = lake_buffer_view(&b), out = lake_arena_str(arena, view.ptr, view.len);
    lake_buffer_clear(&b);
    return out.ptr ? out : LAKE_STR("?");
}

const char *lake_parquet_type_name(lake_parquet_type type) {
    static const char *const names[] = {
        "BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    return (int)type >= 0 && (size_t)type < sizeof names / sizeof *names ? names[type] : "group";
}
