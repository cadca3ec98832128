/* Types as text and JSON (spec.md, Appendix C, "Schemas"). Relies on wire/json.h for trees. */
#include "format/type.h"

#include "format/type_internal.h"

enum { MAX_DEPTH = 100, MAX_PRECISION = 38 };

static const struct {
    const char *name;
    lake_type_id id;
} plain[] = {{"boolean", LAKE_BOOLEAN}, {"int", LAKE_INT}, {"long", LAKE_LONG}, {"float", LAKE_FLOAT},
    {"double", LAKE_DOUBLE}, {"date", LAKE_DATE}, {"time", LAKE_TIME}, {"timestamp", LAKE_TIMESTAMP},
    {"timestamptz", LAKE_TIMESTAMPTZ}, {"timestamp_ns", LAKE_TIMESTAMP_NS}, {"timestamptz_ns", LAKE_TIMESTAMPTZ_NS},
    {"string", LAKE_STRING}, {"uuid", LAKE_UUID}, {"binary", LAKE_BINARY}, {"unknown", LAKE_UNKNOWN},
    {"variant", LAKE_VARIANT}, {"geometry", LAKE_GEOMETRY}, {"geography", LAKE_GEOGRAPHY}};

static lake_str trim(lake_str s) {
    while (s.len && (*s.ptr == ' ' || *s.ptr == '\t')) {
        s.ptr++;
        s.len--;
    }
    while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
        s.len--;
    return s;
}

/* ASCII case is ignored, as the official reader does. */
static bool is_word(lake_str s, const char *z) {
    size_t n = strlen(z);
    for (size_t i = 0; i < n && i < s.len; i++)
        if ((s.ptr[i] >= 'A' && s.ptr[i] <= 'Z' ? s.ptr[i] + 32 : s.ptr[i]) != z[i])
            return false;
    return s.len == n;
}

static bool number(lake_str s, int32_t *out) {
    lake_json v = {.kind = LAKE_JSON_NUMBER, .text = trim(s)};
    return v.text.len && v.text.ptr[0] != '-' && lake_json_i32(&v, out);
}

/* Splits "name(a, b)" or "name[a]" into the name and up to two trimmed arguments; false if it has no such shape. */
static bool split(lake_str text, char open, char close, lake_str *name, lake_str args[2], size_t *nargs) {
    const char *p = memchr(text.ptr, open, text.len);
    if (!p || text.ptr[text.len - 1] != close)
        return false;
    *name = trim((lake_str){text.ptr, (size_t)(p - text.ptr)});
    lake_str inside = {p + 1, (size_t)(text.ptr + text.len - 1 - (p + 1))};
    const char *comma = memchr(inside.ptr, ',', inside.len);
    size_t first = comma ? (size_t)(comma - inside.ptr) : inside.len;
    args[0] = trim((lake_str){inside.ptr, first});
    args[1] = comma ? trim((lake_str){comma + 1, inside.len - first - 1}) : (lake_str){NULL, 0};
    *nargs = comma ? 2 : 1;
    return true;
}

static lake_status read_parameters(lake_str text, lake_type *out, lake_error *err) {
    lake_str name, args[2];
    size_t nargs = 0;
    if (split(text, '[', ']', &name, args, &nargs) && is_word(name, "fixed")) {
        out->id = LAKE_FIXED;
        if (nargs != 1 || !number(args[0], &out->length))
            return lake_fail(
                err, LAKE_ERR_MALFORMED, "type '%.*s': the length is not in 0..2147483647", LAKE_ARG(text));
        return LAKE_OK;
    }
    if (!split(text, '(', ')', &name, args, &nargs))
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "unknown type '%.*s'", LAKE_ARG(text));
    if (is_word(name, "decimal")) {
        out->id = LAKE_DECIMAL;
        if (nargs != 2 || !number(args[0], &out->precision) || !number(args[1], &out->scale) || out->precision < 1 ||
            out->precision > MAX_PRECISION || out->scale > out->precision)
            return lake_fail(err, LAKE_ERR_MALFORMED,
                "type '%.*s': a decimal has 1 to 38 digits and a scale within them", LAKE_ARG(text));
        return LAKE_OK;
    }
    bool geography = is_word(name, "geography");
    if ((!geography && !is_word(name, "geometry")) || (!geography && nargs == 2))
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "unknown type '%.*s'", LAKE_ARG(text));
    out->id = geography ? LAKE_GEOGRAPHY : LAKE_GEOMETRY;
    if (args[0].len)
        out->crs = args[0];
    if (nargs == 2 && args[1].len)
        out->algorithm = args[1];
    return LAKE_OK;
}

static lake_status read_name(lake_str text, lake_type *out, lake_error *err) {
    text = trim(text);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (is_word(text, plain[i].name)) {
            out->id = plain[i].id;
            return LAKE_OK;
        }
    if (!text.len)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the type's name is empty");
    return read_parameters(text, out, err);
}

/* ---- nested types */

static lake_status read_id(const lake_json *json, const char *name, int32_t *out, lake_error *err) {
    if (!lake_json_i32(lake_json_get(json, name), out))
        return lake_fail(err, LAKE_ERR_MALFORMED, "'%s' is missing or no 32-bit integer", name);
    return LAKE_OK;
}

/* A flag that is missing means optional: nothing may be concluded from it then. */
static lake_status read_flag(const lake_json *json, const char *name, bool *out, lake_error *err) {
    const lake_json *v = lake_json_find(json, name);
    if (v && v->kind != LAKE_JSON_TRUE && v->kind != LAKE_JSON_FALSE)
        return lake_fail(err, LAKE_ERR_MALFORMED, "'%s' is neither true nor false", name);
    *out = lake_json_is(v, LAKE_JSON_TRUE);
    return LAKE_OK;
}

void lake_field_derive(lake_field *f, const lake_field *parent) {
    f->parent = parent;
    f->inside_list = parent && (parent->inside_list || parent->type.id == LAKE_LIST || parent->type.id == LAKE_MAP);
    f->nullable = !f->required || (parent && parent->nullable);
}

/* Puts the full name of the field before a message, once: the innermost field is the one at fault. */
static lake_status name_field(const lake_field *f, lake_status status, lake_error *err) {
    static const char prefix[] = "field '";
    if (status == LAKE_OK || !err || status == LAKE_ERR_NO_MEMORY ||
        strncmp(err->message, prefix, sizeof prefix - 1) == 0)
        return status;
    lake_buffer name;
    lake_buffer_init(&name);
    lake_field_full_name(&name, f);
    status = lake_wrap(err, status, "field '%.*s'", LAKE_ARG(lake_buffer_view(&name)));
    lake_buffer_clear(&name);
    return status;
}

static lake_status read_field_type(
    lake_arena *arena, const lake_json *json, const lake_field *parent, int depth, lake_field *f, lake_error *err) {
    lake_field_derive(f, parent);
    if (!json)
        return name_field(f, lake_fail(err, LAKE_ERR_MALFORMED, "it has no type"), err);
    return name_field(f, lake_type_read(arena, json, f, depth + 1, &f->type, err), err);
}

static lake_status read_struct_field(
    lake_arena *arena, const lake_json *json, const lake_field *parent, int depth, lake_field *f, lake_error *err) {
    const lake_json *name = lake_json_get(json, "name"), *doc = lake_json_find(json, "doc");
    LAKE_TRY(read_id(json, "id", &f->id, err));
    if (!lake_json_is(name, LAKE_JSON_STRING))
        return lake_fail(err, LAKE_ERR_MALFORMED, "field %d has no name", f->id);
    f->name = name->text;
    LAKE_TRY(name_field(f, read_flag(json, "required", &f->required, err), err));
    if (lake_json_is(doc, LAKE_JSON_STRING))
        f->doc = doc->text;
    f->initial_default = lake_json_find(json, "initial-default");
    f->write_default = lake_json_find(json, "write-default");
    return read_field_type(arena, lake_json_get(json, "type"), parent, depth, f, err);
}

static lake_status make_fields(lake_arena *arena, size_t n, lake_type *out, lake_error *err) {
    out->fields = LAKE_ARENA_ARRAY(arena, lake_field, n);
    out->nfields = n;
    return out->fields ? LAKE_OK : lake_fail_memory(err);
}

static lake_status read_struct(
    lake_arena *arena, const lake_json *json, const lake_field *parent, int depth, lake_type *out, lake_error *err) {
    const lake_json *fields = lake_json_get(json, "fields");
    if (!lake_json_is(fields, LAKE_JSON_ARRAY))
        return lake_fail(err, LAKE_ERR_MALFORMED, "a struct needs an array 'fields'");
    out->id = LAKE_STRUCT;
    LAKE_TRY(make_fields(arena, fields->count, out, err));
    for (size_t i = 0; i < fields->count; i++)
        LAKE_TRY(read_struct_field(arena, fields->items[i], parent, depth, &out->fields[i], err));
    return LAKE_OK;
}

static lake_status read_list(
    lake_arena *arena, const lake_json *json, const lake_field *parent, int depth, lake_type *out, lake_error *err) {
    out->id = LAKE_LIST;
    LAKE_TRY(make_fields(arena, 1, out, err));
    out->fields[0].name = LAKE_STR("element");
    LAKE_TRY(read_id(json, "element-id", &out->fields[0].id, err));
    LAKE_TRY(read_flag(json, "element-required", &out->fields[0].required, err));
    return read_field_type(arena, lake_json_get(json, "element"), parent, depth, &out->fields[0], err);
}

static lake_status read_map(
    lake_arena *arena, const lake_json *json, const lake_field *parent, int depth, lake_type *out, lake_error *err) {
    out->id = LAKE_MAP;
    LAKE_TRY(make_fields(arena, 2, out, err));
    out->fields[0].name = LAKE_STR("key");
    out->fields[0].required = true;
    out->fields[1].name = LAKE_STR("value");
    LAKE_TRY(read_id(json, "key-id", &out->fields[0].id, err));
    LAKE_TRY(read_id(json, "value-id", &out->fields[1].id, err));
    LAKE_TRY(read_flag(json, "value-required", &out->fields[1].required, err));
    LAKE_TRY(read_field_type(arena, lake_json_get(json, "key"), parent, depth, &out->fields[0], err));
    return read_field_type(arena, lake_json_get(json, "value"), parent, depth, &out->fields[1], err);
}

lake_status lake_type_read(
    lake_arena *arena, const lake_json *json, const lake_field *parent, int depth, lake_type *out, lake_error *err) {
    memset(out, 0, sizeof *out);
    if (depth > MAX_DEPTH)
        return lake_fail(err, LAKE_ERR_LIMIT, "types are nested deeper than %d levels", MAX_DEPTH);
    if (lake_json_is(json, LAKE_JSON_STRING))
        return read_name(json->text, out, err);
    const lake_json *kind = lake_json_get(json, "type");
    if (!lake_json_is(kind, LAKE_JSON_STRING))
        return lake_fail(err, LAKE_ERR_MALFORMED, "a type is neither a name nor an object with a 'type'");
    if (lake_str_is(kind->text, "struct"))
        return read_struct(arena, json, parent, depth, out, err);
    if (lake_str_is(kind->text, "list"))
        return read_list(arena, json, parent, depth, out, err);
    if (lake_str_is(kind->text, "map"))
        return read_map(arena, json, parent, depth, out, err);
    return lake_fail(err, LAKE_ERR_UNSUPPORTED, "unknown nested type '%.*s'", LAKE_ARG(kind->text));
}

void lake_type_print(lake_buffer *out, const lake_type *t) {
    switch (t->id) {
    case LAKE_STRUCT: lake_buffer_puts(out, "struct"); return;
    case LAKE_LIST: lake_buffer_puts(out, "list"); return;
    case LAKE_MAP: lake_buffer_puts(out, "map"); return;
    case LAKE_FIXED: lake_buffer_printf(out, "fixed[%d]", t->length); return;
    case LAKE_DECIMAL: lake_buffer_printf(out, "decimal(%d, %d)", t->precision, t->scale); return;
    default: break;
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i].id == t->id)
            lake_buffer_puts(out, plain[i].name);
    if (!t->crs.ptr && !t->algorithm.ptr)
        return;
    lake_buffer_char(out, '(');
    lake_buffer_str(out, t->crs.ptr ? t->crs : LAKE_STR("OGC:CRS84"));
    if (t->algorithm.ptr) {
        lake_buffer_puts(out, ", ");
        lake_buffer_str(out, t->algorithm);
    }
    lake_buffer_char(out, ')');
}
