/* Avro schemas from their JSON text (Avro specification 1.12, "Schema Declaration", "Names"). Named types become
   pointers, so a type may contain itself; whoever walks values counts the depth. Iceberg's ids (spec.md, Appendix A,
   "Field IDs") are read along. Names need not be legal Avro names: other writers don't keep to that. */
#include "wire/avro.h"

enum { BUCKETS = 256 };

typedef struct named {
    struct named *next;
    lake_avro_type *type;
} named;

typedef struct parser {
    lake_arena *arena;
    lake_error *err;
    named *buckets[BUCKETS];
} parser;

static const char *const kind_names[] = {"null", "boolean", "int", "long", "float", "double", "bytes", "string",
    "fixed", "enum", "array", "map", "union", "record"};

const char *lake_avro_kind_name(lake_avro_kind kind) {
    return kind_names[kind];
}

static lake_status parse_type(parser *p, const lake_json *json, lake_str space, int depth, const lake_avro_type **out);

static lake_avro_type *new_type(parser *p, lake_avro_kind kind, size_t min_size) {
    lake_avro_type *t = LAKE_ARENA_NEW(p->arena, lake_avro_type);
    if (t) {
        t->kind = kind;
        t->min_size = min_size;
        t->element_id = t->key_id = t->value_id = -1;
        t->empty = kind == LAKE_AVRO_NULL;
    }
    return t;
}

static size_t add_sizes(size_t a, size_t b) {
    return a > SIZE_MAX / 4 - b ? SIZE_MAX / 4 : a + b;
}

/* The name with its namespace: a dotted name is whole already. */
static lake_str full_name(parser *p, lake_str name, lake_str space) {
    if (space.len == 0 || memchr(name.ptr, '.', name.len))
        return name;
    char *text = lake_arena_alloc(p->arena, space.len + 1 + name.len + 1);
    if (!text)
        return (lake_str){NULL, 0};
    memcpy(text, space.ptr, space.len);
    text[space.len] = '.';
    memcpy(text + space.len + 1, name.ptr, name.len);
    return (lake_str){text, space.len + 1 + name.len};
}

static lake_str space_of(lake_str full) {
    size_t n = full.len;
    while (n > 0 && full.ptr[n - 1] != '.')
        n--;
    return (lake_str){full.ptr, n ? n - 1 : 0};
}

static named **bucket_of(parser *p, lake_str full) {
    return &p->buckets[lake_fnv1a(full.ptr, full.len) % BUCKETS];
}

static lake_avro_type *find_named(parser *p, lake_str full) {
    for (named *n = *bucket_of(p, full); n; n = n->next)
        if (lake_str_eq(n->type->name, full))
            return n->type;
    return NULL;
}

/* Record, enum, fixed: takes the name in before the parts, which may refer to it. */
static lake_status define_name(parser *p, const lake_json *json, lake_str space, lake_avro_type *type) {
    const lake_json *name = lake_json_get(json, "name");
    if (!lake_json_is(name, LAKE_JSON_STRING) || name->text.len == 0)
        return lake_fail(p->err, LAKE_ERR_MALFORMED, "Avro schema: a %s without a name", kind_names[type->kind]);
    const lake_json *own = lake_json_get(json, "namespace");
    type->name = full_name(p, name->text, lake_json_is(own, LAKE_JSON_STRING) ? own->text : space);
    if (!type->name.ptr)
        return lake_fail_memory(p->err);
    if (find_named(p, type->name))
        return lake_fail(
            p->err, LAKE_ERR_MALFORMED, "Avro schema: the name %.*s is defined twice", LAKE_ARG(type->name));
    named *n = LAKE_ARENA_NEW(p->arena, named), **bucket = bucket_of(p, type->name);
    if (!n)
        return lake_fail_memory(p->err);
    n->type = type;
    n->next = *bucket;
    *bucket = n;
    return LAKE_OK;
}

static lake_status parse_name(parser *p, lake_str text, lake_str space, const lake_avro_type **out) {
    static const uint8_t sizes[] = {0, 1, 1, 1, 4, 8, 1, 1};
    for (lake_avro_kind k = LAKE_AVRO_NULL; k <= LAKE_AVRO_STRING; k++) {
        if (lake_str_is(text, kind_names[k])) {
            *out = new_type(p, k, sizes[k]);
            return *out ? LAKE_OK : lake_fail_memory(p->err);
        }
    }
    lake_str full = full_name(p, text, space);
    if (!full.ptr)
        return lake_fail_memory(p->err);
    *out = find_named(p, full);
    if (!*out) /* some writers refer to a name without its namespace from within another */
        *out = find_named(p, text);
    if (*out)
        return LAKE_OK;
    return lake_fail(p->err, LAKE_ERR_MALFORMED, "Avro schema: the type %.*s is not known", LAKE_ARG(text));
}

/* An id: an integer, or its digits as a string. Absent: -1. */
static lake_status parse_id(parser *p, const lake_json *json, const char *key, int32_t *out) {
    const lake_json *v = lake_json_find(json, key);
    *out = -1;
    if (!v || lake_json_i32(v, out))
        return LAKE_OK;
    lake_json digits = {.kind = LAKE_JSON_NUMBER, .text = v->text};
    if (v->kind == LAKE_JSON_STRING && v->text.len && lake_json_i32(&digits, out))
        return LAKE_OK;
    return lake_fail(p->err, LAKE_ERR_MALFORMED, "Avro schema: %s is not a 32-bit integer", key);
}

static lake_status parse_union(
    parser *p, const lake_json *json, lake_str space, int depth, const lake_avro_type **out) {
    lake_avro_type *t = new_type(p, LAKE_AVRO_UNION, 0);
    const lake_avro_type **branches = LAKE_ARENA_ARRAY(p->arena, const lake_avro_type *, json->count);
    if (!t || !branches)
        return lake_fail_memory(p->err);
    size_t least = json->count ? SIZE_MAX / 4 : 0;
    for (size_t i = 0; i < json->count; i++) {
        LAKE_TRY(parse_type(p, json->items[i], space, depth + 1, &branches[i]));
        if (branches[i]->kind == LAKE_AVRO_UNION)
            return lake_fail(p->err, LAKE_ERR_MALFORMED, "Avro schema: a union directly in a union");
        if (branches[i]->min_size < least)
            least = branches[i]->min_size;
    }
    t->branches = branches;
    t->count = json->count;
    t->min_size = 1 + least;
    *out = t;
    return LAKE_OK;
}

static lake_status parse_record(parser *p, const lake_json *json, lake_str space, int depth, lake_avro_type *t) {
    LAKE_TRY(define_name(p, json, space, t));
    const lake_json *list = lake_json_get(json, "fields");
    if (!lake_json_is(list, LAKE_JSON_ARRAY))
        return lake_fail(p->err, LAKE_ERR_MALFORMED, "Avro schema: record %.*s has no fields", LAKE_ARG(t->name));
    lake_avro_field *fields = LAKE_ARENA_ARRAY(p->arena, lake_avro_field, list->count);
    if (!fields)
        return lake_fail_memory(p->err);
    size_t least = 0;
    bool empty = true;
    for (size_t i = 0; i < list->count; i++) {
        const lake_json *f = list->items[i], *name = lake_json_get(f, "name"), *type = lake_json_get(f, "type");
        if (!lake_json_is(name, LAKE_JSON_STRING) || !type)
            return lake_fail(p->err, LAKE_ERR_MALFORMED, "Avro schema: field %zu of record %.*s has no name or no type",
                i, LAKE_ARG(t->name));
        fields[i].name = name->text;
        fields[i].json = f;
        LAKE_TRY(parse_id(p, f, "field-id", &fields[i].id));
        LAKE_TRY(parse_type(p, type, space_of(t->name), depth + 1, &fields[i].type));
        least = add_sizes(least, fields[i].type->min_size);
        empty = empty && fields[i].type->empty;
    }
    t->fields = fields;
    t->count = list->count;
    t->min_size = least;
    t->empty = empty;
    return LAKE_OK;
}

static lake_status parse_enum(parser *p, const lake_json *json, lake_str space, lake_avro_type *t) {
    LAKE_TRY(define_name(p, json, space, t));
    const lake_json *list = lake_json_get(json, "symbols");
    if (!lake_json_is(list, LAKE_JSON_ARRAY))
        return lake_fail(p->err, LAKE_ERR_MALFORMED, "Avro schema: enum %.*s has no symbols", LAKE_ARG(t->name));
    lake_str *symbols = LAKE_ARENA_ARRAY(p->arena, lake_str, list->count);
    if (!symbols)
        return lake_fail_memory(p->err);
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i]->kind != LAKE_JSON_STRING)
            return lake_fail(
                p->err, LAKE_ERR_MALFORMED, "Avro schema: a symbol of enum %.*s is no string", LAKE_ARG(t->name));
        symbols[i] = list->items[i]->text;
    }
    t->symbols = symbols;
    t->count = list->count;
    return LAKE_OK;
}

static lake_status parse_fixed(parser *p, const lake_json *json, lake_str space, lake_avro_type *t) {
    LAKE_TRY(define_name(p, json, space, t));
    if (!lake_json_i32(lake_json_get(json, "size"), &t->size) || t->size < 0)
        return lake_fail(p->err, LAKE_ERR_MALFORMED, "Avro schema: fixed %.*s has no size", LAKE_ARG(t->name));
    t->min_size = (size_t)t->size;
    t->empty = t->size == 0;
    return LAKE_OK;
}

static lake_status parse_items(parser *p, const lake_json *json, lake_str space, int depth, lake_avro_type *t) {
    const char *key = t->kind == LAKE_AVRO_MAP ? "values" : "items";
    const lake_json *item = lake_json_get(json, key);
    if (!item)
        return lake_fail(p->err, LAKE_ERR_MALFORMED, "Avro schema: %s without \"%s\"", kind_names[t->kind], key);
    const lake_avro_type **branches = LAKE_ARENA_ARRAY(p->arena, const lake_avro_type *, 1);
    if (!branches)
        return lake_fail_memory(p->err);
    LAKE_TRY(parse_id(p, json, "element-id", &t->element_id));
    LAKE_TRY(parse_id(p, json, "key-id", &t->key_id));
    LAKE_TRY(parse_id(p, json, "value-id", &t->value_id));
    LAKE_TRY(parse_type(p, item, space, depth + 1, &branches[0]));
    t->branches = branches;
    t->count = 1;
    return LAKE_OK;
}

static lake_status parse_complex(
    parser *p, const lake_json *json, lake_str kind, lake_str space, int depth, lake_avro_type **out) {
    static const struct {
        const char *name;
        lake_avro_kind kind;
        uint8_t min_size;
    } complex[] = {{"record", LAKE_AVRO_RECORD, 0}, {"error", LAKE_AVRO_RECORD, 0}, {"enum", LAKE_AVRO_ENUM, 1},
        {"fixed", LAKE_AVRO_FIXED, 0}, {"array", LAKE_AVRO_ARRAY, 1}, {"map", LAKE_AVRO_MAP, 1}};
    *out = NULL;
    for (size_t i = 0; i < sizeof complex / sizeof *complex; i++) {
        if (!lake_str_is(kind, complex[i].name))
            continue;
        lake_avro_type *t = new_type(p, complex[i].kind, complex[i].min_size);
        if (!t)
            return lake_fail_memory(p->err);
        *out = t;
        switch (t->kind) {
        case LAKE_AVRO_RECORD: return parse_record(p, json, space, depth, t);
        case LAKE_AVRO_ENUM: return parse_enum(p, json, space, t);
        case LAKE_AVRO_FIXED: return parse_fixed(p, json, space, t);
        default: return parse_items(p, json, space, depth, t);
        }
    }
    return LAKE_OK;
}

static lake_status parse_object(
    parser *p, const lake_json *json, lake_str space, int depth, const lake_avro_type **out) {
    const lake_json *type = lake_json_get(json, "type");
    if (!type)
        return lake_fail(p->err, LAKE_ERR_MALFORMED, "Avro schema: an object without \"type\"");
    if (type->kind != LAKE_JSON_STRING)
        return parse_type(p, type, space, depth + 1, out);
    lake_avro_type *t;
    LAKE_TRY(parse_complex(p, json, type->text, space, depth, &t));
    if (!t) {
        const lake_avro_type *found;
        LAKE_TRY(parse_name(p, type->text, space, &found));
        *out = found;
        if (found->kind > LAKE_AVRO_STRING) /* a reference: its attributes are where it was defined */
            return LAKE_OK;
        t = (lake_avro_type *)found; /* a primitive: made for us alone */
    }
    const lake_json *logical = lake_json_get(json, "logicalType");
    if (lake_json_is(logical, LAKE_JSON_STRING))
        t->logical = logical->text;
    const lake_json *utc = lake_json_get(json, "adjust-to-utc");
    t->adjust_to_utc = lake_json_is(utc, LAKE_JSON_TRUE);
    if (!lake_json_i32(lake_json_get(json, "precision"), &t->precision))
        t->precision = 0;
    if (!lake_json_i32(lake_json_get(json, "scale"), &t->scale))
        t->scale = 0;
    *out = t;
    return LAKE_OK;
}

static lake_status parse_type(parser *p, const lake_json *json, lake_str space, int depth, const lake_avro_type **out) {
    if (depth > LAKE_AVRO_MAX_DEPTH)
        return lake_fail(p->err, LAKE_ERR_LIMIT, "Avro schema: nested deeper than %d", LAKE_AVRO_MAX_DEPTH);
    switch (json->kind) {
    case LAKE_JSON_STRING: return parse_name(p, json->text, space, out);
    case LAKE_JSON_ARRAY: return parse_union(p, json, space, depth, out);
    case LAKE_JSON_OBJECT: return parse_object(p, json, space, depth, out);
    default: return lake_fail(p->err, LAKE_ERR_MALFORMED, "Avro schema: a type is neither name, object nor union");
    }
}

lake_status lake_avro_schema_parse(
    lake_arena *arena, const lake_json *json, const lake_avro_type **out, lake_error *err) {
    parser p = {.arena = arena, .err = err};
    return parse_type(&p, json, (lake_str){"", 0}, 0, out);
}
