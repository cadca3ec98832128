/* Partition specs as people write them: "months(order_date), bucket(16, id)". Names and refusals are those of the
   official library's builder, so that both make the same spec. */
#include "format/transform_internal.h"

typedef struct builder {
    lake_arena *arena;
    const lake_schema *schema;
    lake_spec *spec;
    lake_error *err;
} builder;

/* Splits `"a"."b"` or a.b into parts with the quotes taken off ("" inside stands for one). Returns how many, 0: not a
 * name. */
static size_t split_name(lake_arena *arena, lake_str s, lake_str *parts, size_t room) {
    size_t n = 0;
    const char *p = s.ptr, *end = p + s.len;
    for (;;) {
        char *text = lake_arena_alloc(arena, (size_t)(end - p) + 1);
        size_t len = 0;
        if (!text)
            return SIZE_MAX;
        if (n == room)
            return 0;
        if (p < end && *p == '"') {
            for (p++; p < end && (*p != '"' || (p + 1 < end && p[1] == '"')); p++) {
                text[len++] = *p;
                p += *p == '"';
            }
            if (p++ >= end)
                return 0;
        } else {
            while (p < end && *p != '.' && *p != '"')
                text[len++] = *p++;
        }
        parts[n++] = (lake_str){text, len};
        if (p == end)
            return n;
        if (*p++ != '.')
            return 0;
    }
}

/* Exact case first, then without case. */
static lake_status find(const builder *b, lake_str written, const lake_field **out) {
    const lake_field *found[2];
    lake_str parts[100];
    bool quoted = memchr(written.ptr, '"', written.len) != NULL;
    size_t nparts = quoted ? split_name(b->arena, written, parts, sizeof parts / sizeof *parts) : 0, n = 0;
    if (nparts == SIZE_MAX)
        return lake_fail_memory(b->err);
    if (quoted && !nparts)
        return lake_fail(b->err, LAKE_ERR_USAGE, "'%.*s' is no column name", LAKE_ARG(written));
    for (int sensitive = 1; sensitive >= 0 && !n; sensitive--)
        n = quoted ? lake_schema_find_path(b->schema, parts, nparts, sensitive, found, 2)
                   : lake_schema_find_name(b->schema, written, sensitive, found, 2);
    if (n != 1)
        return lake_fail(b->err, LAKE_ERR_USAGE,
            n ? "column '%.*s' is ambiguous: %zu columns have that name" : "there is no column '%.*s'",
            LAKE_ARG(written), n);
    *out = found[0];
    return LAKE_OK;
}

static lake_status check_source(const builder *b, const lake_transform *t, const lake_field *source, lake_str name) {
    if (source->inside_list)
        return lake_fail(b->err, LAKE_ERR_USAGE,
            "column '%.*s' is inside a list or map and cannot be a partition source", LAKE_ARG(name));
    if (lake_transform_accepts(t, &source->type))
        return LAKE_OK;
    lake_buffer type;
    lake_buffer_init(&type);
    lake_type_print(&type, &source->type);
    lake_status s = lake_fail(b->err, LAKE_ERR_USAGE, "transform %.*s is not for column '%.*s' of type %.*s",
        LAKE_ARG(t->text), LAKE_ARG(name), LAKE_ARG(lake_buffer_view(&type)));
    lake_buffer_clear(&type);
    return s;
}

static bool is_time(const lake_transform *t) {
    return t->id >= LAKE_TRANSFORM_YEAR && t->id <= LAKE_TRANSFORM_HOUR;
}

/* Two time transforms of one column say the same twice; so do equal transforms. */
static bool is_redundant(const lake_partition_field *a, const lake_partition_field *b) {
    return a->source_ids[0] == b->source_ids[0] &&
        ((is_time(&a->transform) && is_time(&b->transform)) || lake_str_eq(a->transform.text, b->transform.text));
}

static lake_status check_field(const builder *b, const lake_partition_field *f) {
    for (size_t i = 0; i < b->spec->nfields; i++) {
        const lake_partition_field *other = &b->spec->fields[i];
        if (is_redundant(f, other))
            return lake_fail(b->err, LAKE_ERR_USAGE, "partition field '%.*s' repeats '%.*s'", LAKE_ARG(f->name),
                LAKE_ARG(other->name));
        if (lake_str_eq(f->name, other->name))
            return lake_fail(b->err, LAKE_ERR_USAGE, "two partition fields would be named '%.*s'", LAKE_ARG(f->name));
    }
    const lake_field *column[2];
    size_t n = lake_schema_find_name(b->schema, f->name, true, column, 2);
    bool own = n == 1 && f->transform.id == LAKE_TRANSFORM_IDENTITY && column[0]->id == f->source_ids[0];
    if (n && !own)
        return lake_fail(
            b->err, LAKE_ERR_USAGE, "partition field '%.*s' would have the name of a column", LAKE_ARG(f->name));
    return LAKE_OK;
}

static lake_status add(builder *b, lake_str text, int32_t *next_id) {
    static const char *const suffix[] = {"", "_bucket", "_trunc", "_year", "_month", "_day", "_hour", "_null"};
    lake_partition_field f = {.id = *next_id, .nsource_ids = 1};
    lake_str written;
    const lake_field *source;
    LAKE_TRY(lake_transform_parse_call(b->arena, text, &f.transform, &written, b->err));
    LAKE_TRY(find(b, written, &source));
    lake_buffer name;
    lake_buffer_init(&name);
    lake_field_full_name(&name, source);
    lake_buffer_puts(&name, suffix[f.transform.id]);
    int32_t *id = lake_arena_alloc(b->arena, sizeof *id);
    f.name = lake_arena_str(b->arena, lake_buffer_view(&name).ptr, name.len);
    bool ok = !name.failed && id && f.name.ptr;
    lake_buffer_clear(&name);
    if (!ok)
        return lake_fail_memory(b->err);
    *id = source->id;
    f.source_ids = id;
    LAKE_TRY(check_source(b, &f.transform, source, written));
    LAKE_TRY(check_field(b, &f));
    if (b->spec->nfields == LAKE_MAX_PARTITION_FIELDS || *next_id == INT32_MAX)
        return lake_fail(b->err, LAKE_ERR_LIMIT, "too many partition fields");
    b->spec->fields[b->spec->nfields++] = f;
    ++*next_id;
    return LAKE_OK;
}

/* The end of the first item: a comma outside quotes and parentheses, or the end. */
static const char *item_end(const char *p, const char *end) {
    int depth = 0;
    bool quoted = false;
    for (; p < end; p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (!quoted && *p == ',' && depth == 0)
            break;
        else if (!quoted)
            depth += (*p == '(') - (*p == ')');
    }
    return p;
}

lake_status lake_spec_from_text(lake_arena *arena, lake_str text, const lake_schema *schema, int32_t spec_id,
    int32_t *next_id, lake_spec **out, lake_error *err) {
    builder b = {arena, schema, LAKE_ARENA_NEW(arena, lake_spec), err};
    if (!b.spec)
        return lake_fail_memory(err);
    const char *p = text.ptr, *end = p + text.len;
    size_t items = 1;
    for (const char *q = p; q < end; q++)
        items += *q == ',';
    b.spec->id = spec_id;
    b.spec->fields = LAKE_ARENA_ARRAY(arena, lake_partition_field, items);
    if (!b.spec->fields)
        return lake_fail_memory(err);
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    int32_t next = *next_id;
    for (bool more = p < end; more;) {
        const char *stop = item_end(p, end);
        LAKE_TRY(add(&b, (lake_str){p, (size_t)(stop - p)}, &next));
        more = stop < end;
        p = stop + more;
    }
    *next_id = next;
    *out = b.spec;
    return LAKE_OK;
}
