/* Finding fields by name. A dotted name is ambiguous where names hold dots ("a.b" beside a struct a with b), so all
   fields that it may mean are found; the caller judges. As in the official library a list's "element" and a map's
   "value" may be left out before a struct's field ("points.x"), but only where nothing has the full name. */
#include "format/type_internal.h"

typedef struct finder {
    bool case_sensitive, shorts;
    const lake_field **out;
    size_t room, found;
} finder;

static void hit(finder *f, const lake_field *field) {
    if (f->found < f->room)
        f->out[f->found] = field;
    f->found++;
}

/* Does `text` begin with `name`? *used: the bytes of text that it takes. */
static bool begins(const finder *f, lake_str text, lake_str name, size_t *used) {
    if (f->case_sensitive) {
        *used = name.len;
        return lake_str_starts(text, name);
    }
    const uint8_t *t = (const uint8_t *)text.ptr, *te = t + text.len, *n = (const uint8_t *)name.ptr,
                  *ne = n + name.len;
    while (n < ne) {
        uint32_t x = *n, y = 0;
        size_t nx = lake_utf8_decode(n, ne, &x), ny;
        if (t == te)
            return false;
        y = *t;
        ny = lake_utf8_decode(t, te, &y);
        if (lake_fold(x) != lake_fold(y))
            return false;
        n += nx ? nx : 1;
        t += ny ? ny : 1;
    }
    *used = (size_t)(t - (const uint8_t *)text.ptr);
    return true;
}

/* The struct that stands behind a list's element or a map's value, if it may be named without that step. */
static const lake_type *skip_step(const lake_type *t) {
    const lake_field *f = t->id == LAKE_LIST ? &t->fields[0] : t->id == LAKE_MAP ? &t->fields[1] : NULL;
    return f && f->type.id == LAKE_STRUCT ? &f->type : NULL;
}

/* Recursion follows types, whose depth is limited. */
static void find_name(finder *f, const lake_type *t, lake_str rest) {
    for (size_t i = 0; i < t->nfields; i++) {
        const lake_field *field = &t->fields[i];
        size_t n;
        if (!begins(f, rest, field->name, &n))
            continue;
        if (n == rest.len)
            hit(f, field);
        else if (rest.ptr[n] == '.')
            find_name(f, &field->type, (lake_str){rest.ptr + n + 1, rest.len - n - 1});
    }
    const lake_type *behind = f->shorts ? skip_step(t) : NULL;
    if (behind)
        find_name(f, behind, rest);
}

static void find_path(finder *f, const lake_type *t, const lake_str *parts, size_t n) {
    for (size_t i = 0; i < t->nfields; i++) {
        const lake_field *field = &t->fields[i];
        size_t used;
        if (!begins(f, parts[0], field->name, &used) || used != parts[0].len)
            continue;
        if (n == 1)
            hit(f, field);
        else
            find_path(f, &field->type, parts + 1, n - 1);
    }
    const lake_type *behind = f->shorts ? skip_step(t) : NULL;
    if (behind)
        find_path(f, behind, parts, n);
}

size_t lake_schema_find_name(
    const lake_schema *schema, lake_str dotted, bool case_sensitive, const lake_field **out, size_t room) {
    finder f = {case_sensitive, false, out, room, 0};
    find_name(&f, &schema->root, dotted);
    if (f.found)
        return f.found;
    f.shorts = true;
    find_name(&f, &schema->root, dotted);
    return f.found;
}

size_t lake_schema_find_path(const lake_schema *schema, const lake_str *parts, size_t nparts, bool case_sensitive,
    const lake_field **out, size_t room) {
    finder f = {case_sensitive, false, out, room, 0};
    if (!nparts)
        return 0;
    find_path(&f, &schema->root, parts, nparts);
    if (f.found)
        return f.found;
    f.shorts = true;
    find_path(&f, &schema->root, parts, nparts);
    return f.found;
}

void lake_field_full_name(lake_buffer *out, const lake_field *field) {
    if (field->parent) {
        lake_field_full_name(out, field->parent);
        lake_buffer_char(out, '.');
    }
    lake_buffer_str(out, field->name);
}
