/* Changes of columns (spec.md, "Schema Evolution", "Column Projection"). They are made on the schema's JSON, so that
   members nobody here knows survive. A column's id never changes and is never used again: old files are read by it. */
#include "writer/alter.h"
#include "writer/create_internal.h"
#include "writer/document.h"

/* Where a field is: in the list of its struct, or a part of a list or map. */
typedef struct place {
    lake_json *fields; /* NULL: part of a list or map */
    size_t at;
    lake_json *holder; /* what has its type: the field, or the list or map */
    const char *type_key, *required_key;
} place;

static bool is_text(const lake_json *v, const char *text) {
    return lake_json_is(v, LAKE_JSON_STRING) && lake_str_is(v->text, text);
}

static bool has_id(const lake_json *o, const char *key, int32_t id) {
    int32_t n;
    return lake_json_i32(lake_json_find(o, key), &n) && n == id;
}

/* The schema has been read, so its depth is limited. */
static bool find(lake_json *type, int32_t id, place *out);
static bool find_part(lake_json *type, int32_t id, const char *id_key, place p, place *out) {
    if (has_id(type, id_key, id)) {
        *out = p;
        return true;
    }
    return find((lake_json *)lake_json_find(type, p.type_key), id, out);
}

static bool find(lake_json *type, int32_t id, place *out) {
    const lake_json *kind = lake_json_find(type, "type");
    if (is_text(kind, "list"))
        return find_part(type, id, "element-id", (place){NULL, 0, type, "element", "element-required"}, out);
    if (is_text(kind, "map"))
        return find_part(type, id, "key-id", (place){NULL, 0, type, "key", NULL}, out) ||
            find_part(type, id, "value-id", (place){NULL, 0, type, "value", "value-required"}, out);
    lake_json *fields = (lake_json *)lake_json_find(type, "fields");
    for (size_t i = 0; lake_json_is(fields, LAKE_JSON_ARRAY) && i < fields->count; i++)
        if (find_part(fields->items[i], id, "id", (place){fields, i, fields->items[i], "type", "required"}, out))
            return true;
    return false;
}

/* ---- names */

static lake_status resolve(lake_altering *a, lake_str name, const lake_field **f, place *at) {
    const lake_field *found[2];
    size_t n = name.len ? lake_schema_find_name(a->schema, name, true, found, 2) : 0;
    if (n != 1)
        return lake_fail(a->err, n ? LAKE_ERR_USAGE : LAKE_ERR_NOT_FOUND,
            n ? "'%.*s' names several columns" : "the table has no column '%.*s'", LAKE_ARG(name));
    *f = found[0];
    if (!find(a->json, (*f)->id, at))
        return lake_fail(a->err, LAKE_ERR_MALFORMED, "column '%.*s' is not where it should be", LAKE_ARG(name));
    return LAKE_OK;
}

static lake_status check_free(lake_altering *a, const lake_json *fields, lake_str name, bool top) {
    if (!name.len || !lake_utf8_valid(lake_bytes_of(name)))
        return lake_fail(a->err, LAKE_ERR_USAGE, "the new name is empty or no UTF-8");
    for (size_t i = 0; fields && i < fields->count; i++) {
        const lake_json *other = lake_json_find(fields->items[i], "name");
        if (other && lake_str_eq(other->text, name))
            return lake_fail(a->err, LAKE_ERR_USAGE, "there is a column '%.*s' already", LAKE_ARG(name));
    }
    for (size_t i = 0; top && i < a->base->spec->nfields; i++)
        if (lake_str_eq(a->base->spec->fields[i].name, name))
            return lake_fail(a->err, LAKE_ERR_USAGE, "'%.*s' is the name of a partition field", LAKE_ARG(name));
    return LAKE_OK;
}

static bool is_below(const lake_field *f, const lake_field *above) {
    for (; f; f = f->parent)
        if (f == above)
            return true;
    return false;
}

/* Does the table's identity, partitioning or order need the column or one below it? NULL: no. */
static const char *need_of(const lake_altering *a, const lake_field *f) {
    const lake_metadata *m = a->base;
    for (size_t i = 0; i < a->schema->nidentifier_ids; i++)
        if (is_below(lake_schema_field(a->schema, a->schema->identifier_ids[i]), f))
            return "is an identifier field";
    for (size_t i = 0; i < m->spec->nfields; i++)
        for (size_t k = 0; k < m->spec->fields[i].nsource_ids; k++)
            if (m->spec->fields[i].transform.id != LAKE_TRANSFORM_VOID &&
                is_below(lake_schema_field(a->schema, m->spec->fields[i].source_ids[k]), f))
                return "is what the table is partitioned by";
    for (size_t i = 0; i < m->nsort_orders; i++)
        for (size_t k = 0; m->sort_orders[i]->id == m->default_sort_order_id && k < m->sort_orders[i]->nfields; k++)
            for (size_t j = 0; j < m->sort_orders[i]->fields[k].nsource_ids; j++)
                if (is_below(lake_schema_field(a->schema, m->sort_orders[i]->fields[k].source_ids[j]), f))
                    return "is what the table is sorted by";
    return NULL;
}

/* ---- types */

static lake_status read_type(lake_altering *a, const char *text, lake_type *type, lake_json **json) {
    lake_json *given = lake_json_new_string(a->arena, lake_str_of(text ? text : ""));
    lake_buffer canonical;
    if (!given)
        return lake_fail_memory(a->err);
    lake_status s = lake_type_read(a->arena, given, NULL, 0, type, NULL);
    if (s == LAKE_ERR_NO_MEMORY)
        return lake_fail_memory(a->err);
    if (s != LAKE_OK)
        return lake_fail(a->err, LAKE_ERR_USAGE, "'%.100s' is no primitive type", text ? text : "");
    if (lake_type_needs_v3(type) && a->version < 3)
        return lake_fail(a->err, LAKE_ERR_USAGE, "the type %s needs format version 3", text);
    lake_buffer_init(&canonical);
    lake_type_print(&canonical, type);
    *json = canonical.failed ? NULL : lake_json_new_string(a->arena, lake_buffer_view(&canonical));
    lake_buffer_clear(&canonical);
    return *json ? LAKE_OK : lake_fail_memory(a->err);
}

/* "Schema Evolution": what may become what, and reads old files right. */
static bool widens(const lake_type *from, const lake_type *to) {
    switch (from->id) {
    case LAKE_INT: return to->id == LAKE_LONG;
    case LAKE_FLOAT: return to->id == LAKE_DOUBLE;
    case LAKE_DECIMAL: return to->id == LAKE_DECIMAL && from->scale == to->scale && from->precision < to->precision;
    default: return false;
    }
}

/* ---- the steps */

static lake_status read_again(lake_altering *a) {
    lake_schema *schema;
    LAKE_TRY(lake_schema_read(a->arena, a->json, &schema, a->err));
    a->schema = schema;
    return LAKE_OK;
}

/* The struct that a new field goes into: a struct, the elements of a list, or the values of a map. */
static lake_status open_struct(lake_altering *a, lake_str name, const lake_field **parent, lake_json **fields) {
    place at;
    LAKE_TRY(resolve(a, name, parent, &at));
    lake_json *type = (lake_json *)lake_json_find(at.holder, at.type_key);
    if (is_text(lake_json_find(type, "type"), "list")) {
        *parent = &(*parent)->type.fields[0];
        type = (lake_json *)lake_json_find(type, "element");
    } else if (is_text(lake_json_find(type, "type"), "map")) {
        *parent = &(*parent)->type.fields[1];
        type = (lake_json *)lake_json_find(type, "value");
    }
    *fields = (lake_json *)lake_json_find(type, "fields");
    if (!lake_json_is(*fields, LAKE_JSON_ARRAY))
        return lake_fail(a->err, LAKE_ERR_USAGE, "'%.*s' is no struct, and has no columns below it", LAKE_ARG(name));
    return LAKE_OK;
}

static lake_status add(lake_altering *a, const lake_alteration *s) {
    lake_str name = lake_str_of(s->column);
    lake_json *fields = (lake_json *)lake_json_find(a->json, "fields"), *type, *f;
    const lake_field *parent = NULL;
    lake_type t;
    if (s->parent)
        LAKE_TRY(open_struct(a, lake_str_of(s->parent), &parent, &fields));
    LAKE_TRY(check_free(a, fields, name, !parent));
    LAKE_TRY(read_type(a, s->to, &t, &type));
    if (a->last_id >= LAKE_FIRST_RESERVED_ID - 1)
        return lake_fail(a->err, LAKE_ERR_LIMIT, "the table's column ids are used up");
    f = lake_json_new(a->arena, LAKE_JSON_OBJECT);
    a->last_id++;
    bool done = f && lake_document_set_i64(a->arena, f, "id", a->last_id) &&
        lake_document_set_str(a->arena, f, "name", name) &&
        lake_json_set(a->arena, f, "required", lake_json_new(a->arena, LAKE_JSON_FALSE)) &&
        lake_json_set(a->arena, f, "type", type) &&
        (!s->doc || lake_document_set_str(a->arena, f, "doc", lake_str_of(s->doc))) &&
        lake_json_push(a->arena, fields, f);
    if (!done)
        return lake_fail_memory(a->err);
    return lake_alter_names(a, a->last_id, parent ? parent->id : 0, name, NULL);
}

static lake_status drop(lake_altering *a, const lake_field *f, place *at) {
    const char *need = need_of(a, f);
    if (need || !at->fields)
        return lake_fail(a->err, LAKE_ERR_USAGE, "column '%.*s' %s, and cannot be dropped", LAKE_ARG(f->name),
            need ? need : "is a part of a list or map");
    memmove(at->fields->items + at->at, at->fields->items + at->at + 1,
        (at->fields->count - at->at - 1) * sizeof *at->fields->items);
    at->fields->count--;
    return LAKE_OK;
}

static lake_status rename_column(lake_altering *a, const lake_alteration *s, const lake_field *f, place *at) {
    lake_str name = lake_str_of(s->to ? s->to : "");
    if (!at->fields)
        return lake_fail(
            a->err, LAKE_ERR_USAGE, "'%s' is a part of a list or map, which have the names that they have", s->column);
    if (lake_str_eq(name, f->name))
        return LAKE_OK;
    LAKE_TRY(check_free(a, at->fields, name, !f->parent));
    if (!lake_document_set_str(a->arena, at->holder, "name", name))
        return lake_fail_memory(a->err);
    return lake_alter_names(a, f->id, 0, name, s->column);
}

static lake_status widen(lake_altering *a, const lake_alteration *s, const lake_field *f, place *at) {
    lake_type to;
    lake_json *json;
    LAKE_TRY(read_type(a, s->to, &to, &json));
    bool same = to.id == f->type.id && to.precision == f->type.precision && to.scale == f->type.scale &&
        to.length == f->type.length && !lake_type_is_geo(&to);
    if (same && !lake_type_is_nested(&f->type))
        return LAKE_OK;
    bool key = !at->fields && strcmp(at->type_key, "key") == 0;
    if (key || !widens(&f->type, &to)) {
        lake_buffer old;
        lake_buffer_init(&old);
        lake_type_print(&old, &f->type);
        lake_status st = lake_fail(a->err, LAKE_ERR_USAGE,
            "column '%s' is of type %.*s%s, and cannot become %s: int becomes long, float double, and decimals get "
            "more digits",
            s->column, LAKE_ARG(lake_buffer_view(&old)), key ? ", the key of a map" : "", s->to);
        lake_buffer_clear(&old);
        return st;
    }
    return lake_json_set(a->arena, at->holder, at->type_key, json) ? LAKE_OK : lake_fail_memory(a->err);
}

static lake_status make_optional(lake_altering *a, const lake_field *f, place *at) {
    for (size_t i = 0; i < a->schema->nidentifier_ids; i++)
        if (is_below(lake_schema_field(a->schema, a->schema->identifier_ids[i]), f))
            return lake_fail(a->err, LAKE_ERR_USAGE, "column '%.*s' is an identifier field, which is always required",
                LAKE_ARG(f->name));
    if (!at->required_key)
        return lake_fail(a->err, LAKE_ERR_USAGE, "the key of a map is always required");
    lake_json *no = lake_json_new(a->arena, LAKE_JSON_FALSE);
    return lake_json_set(a->arena, at->holder, at->required_key, no) ? LAKE_OK : lake_fail_memory(a->err);
}

static lake_status move(lake_altering *a, const lake_alteration *s, const lake_field *f, place *at) {
    size_t to = 0;
    const lake_field *other;
    place there;
    if (!at->fields)
        return lake_fail(a->err, LAKE_ERR_USAGE, "'%s' is a part of a list or map, and has no other place", s->column);
    if (s->to) {
        LAKE_TRY(resolve(a, lake_str_of(s->to), &other, &there));
        if (other == f)
            return lake_fail(a->err, LAKE_ERR_USAGE, "'%s' cannot go beside itself", s->column);
        if (there.fields != at->fields)
            return lake_fail(a->err, LAKE_ERR_USAGE, "'%s' and '%s' are not in the same struct", s->column, s->to);
        to = there.at + (s->kind == LAKE_MOVE_AFTER);
        to -= to > at->at; /* it leaves its own place first */
    }
    lake_json *self = at->fields->items[at->at];
    memmove(at->fields->items + at->at, at->fields->items + at->at + 1,
        (at->fields->count - at->at - 1) * sizeof *at->fields->items);
    memmove(
        at->fields->items + to + 1, at->fields->items + to, (at->fields->count - 1 - to) * sizeof *at->fields->items);
    at->fields->items[to] = self;
    return LAKE_OK;
}

lake_status lake_alter_columns(lake_altering *a, const lake_alteration *s) {
    const lake_field *f;
    place at;
    if (!s->column)
        return lake_fail(a->err, LAKE_ERR_USAGE, "no column is named");
    if (s->kind == LAKE_ADD_COLUMN) {
        LAKE_TRY(add(a, s));
        return read_again(a);
    }
    LAKE_TRY(resolve(a, lake_str_of(s->column), &f, &at));
    switch (s->kind) {
    case LAKE_DROP_COLUMN: LAKE_TRY(drop(a, f, &at)); break;
    case LAKE_RENAME_COLUMN: LAKE_TRY(rename_column(a, s, f, &at)); break;
    case LAKE_WIDEN_COLUMN: LAKE_TRY(widen(a, s, f, &at)); break;
    case LAKE_MAKE_OPTIONAL: LAKE_TRY(make_optional(a, f, &at)); break;
    case LAKE_MOVE_FIRST:
    case LAKE_MOVE_AFTER:
    case LAKE_MOVE_BEFORE: LAKE_TRY(move(a, s, f, &at)); break;
    default: return lake_fail(a->err, LAKE_ERR_USAGE, "%d is no kind of alteration", (int)s->kind);
    }
    return read_again(a);
}
