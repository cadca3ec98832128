/* One schema for all files of a directory: the union of theirs, by name, and the partition columns behind it. Types
   that differ are widened as Iceberg allows (int to long, float to double, decimals of one scale), else it is an error.
 */
#include <stdlib.h>

#include "planner/listing.h"

typedef struct merging {
    plan_listing *l;
    lake_arena *arena;
    size_t schema; /* which one is being taken in */
    lake_error *err;
} merging;

static lake_field *find_field(const lake_type *t, lake_str name) {
    for (size_t i = 0; i < t->nfields; i++)
        if (lake_str_eq(t->fields[i].name, name))
            return &t->fields[i];
    return NULL;
}

static bool is_key(const plan_listing *l, lake_str name) {
    for (size_t i = 0; i < l->nkeys; i++)
        if (lake_str_eq(l->keys[i].name, name))
            return true;
    return false;
}

/* ---- types */
static bool same(const lake_type *a, const lake_type *b) {
    return a->id == b->id && a->length == b->length && a->precision == b->precision && a->scale == b->scale;
}

static bool widens(const lake_type *from, const lake_type *to) {
    return (from->id == LAKE_INT && to->id == LAKE_LONG) || (from->id == LAKE_FLOAT && to->id == LAKE_DOUBLE) ||
        (from->id == LAKE_DECIMAL && to->id == LAKE_DECIMAL && from->scale == to->scale &&
            from->precision <= to->precision);
}

/* The file in which the column first had a type that does not go with `t`. */
static lake_str other_file(const merging *m, lake_str column, const lake_type *t) {
    const plan_listing *l = m->l;
    for (size_t i = 0; i < m->schema; i++) {
        const lake_field *hit = NULL;
        if (lake_schema_find_name(l->schemas[i]->schema, column, true, &hit, 1) && !same(&hit->type, t) &&
            !widens(&hit->type, t) && !widens(t, &hit->type))
            return l->files[l->schemas[i]->first].file->path;
    }
    return LAKE_STR("the schema");
}

static lake_status conflict(const merging *m, const lake_field *field, const lake_type *wanted) {
    const plan_listing *l = m->l;
    lake_buffer name, have, want;
    lake_buffer_init(&name);
    lake_buffer_init(&have);
    lake_buffer_init(&want);
    lake_field_full_name(&name, field);
    lake_type_print(&have, &field->type);
    lake_type_print(&want, wanted);
    lake_str file = l->files[l->schemas[m->schema]->first].file->path;
    lake_str other = l->given ? LAKE_STR("the schema") : other_file(m, lake_buffer_view(&name), &field->type);
    lake_status s = lake_fail(m->err, LAKE_ERR_MALFORMED, "%.*s: column %.*s is %.*s, but %.*s in %.*s", LAKE_ARG(file),
        LAKE_ARG(lake_buffer_view(&name)), LAKE_ARG(lake_buffer_view(&have)), LAKE_ARG(lake_buffer_view(&want)),
        LAKE_ARG(other));
    lake_buffer_clear(&name);
    lake_buffer_clear(&have);
    lake_buffer_clear(&want);
    return s;
}

/* ---- the union */
static lake_status merge_field(const merging *m, lake_field *into, const lake_field *from);

/* A deep copy; what is inside gets room of its own. */
static lake_status copy_field(const merging *m, lake_field *to, const lake_field *from) {
    *to = (lake_field){.name = from->name, .required = from->required, .type = from->type};
    size_t n = from->type.nfields;
    to->type.fields = LAKE_ARENA_ARRAY(m->arena, lake_field, n + 1);
    if (!to->type.fields)
        return lake_fail_memory(m->err);
    for (size_t i = 0; i < n; i++)
        LAKE_TRY(copy_field(m, &to->type.fields[i], &from->type.fields[i]));
    return LAKE_OK;
}

static lake_status merge_struct(const merging *m, lake_type *into, const lake_type *from, bool top) {
    size_t more = 0;
    for (size_t i = 0; i < from->nfields; i++)
        more += !find_field(into, from->fields[i].name);
    lake_field *fields = LAKE_ARENA_ARRAY(m->arena, lake_field, into->nfields + more + 1);
    if (!fields)
        return lake_fail_memory(m->err);
    if (into->nfields)
        memcpy(fields, into->fields, into->nfields * sizeof *fields);
    into->fields = fields;
    for (size_t i = 0; i < into->nfields; i++)
        fields[i].required = fields[i].required && find_field(from, fields[i].name);
    for (size_t i = 0; i < from->nfields; i++) {
        const lake_field *f = &from->fields[i];
        if (top && is_key(m->l, f->name))
            continue; /* the path comes first */
        lake_field *known = find_field(into, f->name);
        if (known) {
            LAKE_TRY(merge_field(m, known, f));
            continue;
        }
        lake_field *to = &into->fields[into->nfields++];
        LAKE_TRY(copy_field(m, to, f));
        to->required = to->required && m->schema == 0; /* files before this one lack it */
    }
    return LAKE_OK;
}

static lake_status merge_field(const merging *m, lake_field *into, const lake_field *from) {
    into->required = into->required && from->required;
    if (into->type.id == LAKE_STRUCT && from->type.id == LAKE_STRUCT)
        return merge_struct(m, &into->type, &from->type, false);
    if (lake_type_is_nested(&into->type) && into->type.id == from->type.id) {
        for (size_t i = 0; i < into->type.nfields; i++)
            LAKE_TRY(merge_field(m, &into->type.fields[i], &from->type.fields[i]));
        return LAKE_OK;
    }
    if (same(&into->type, &from->type) || widens(&from->type, &into->type) || from->type.id == LAKE_UNKNOWN)
        return LAKE_OK;
    if (!widens(&into->type, &from->type) && into->type.id != LAKE_UNKNOWN)
        return conflict(m, from, &into->type);
    into->type = from->type;
    return LAKE_OK;
}

static void assign_ids(lake_type *t, int32_t *next) {
    for (size_t i = 0; i < t->nfields; i++)
        t->fields[i].id = (*next)++;
    for (size_t i = 0; i < t->nfields; i++)
        assign_ids(&t->fields[i].type, next);
}

static lake_status add_keys(const merging *m, lake_type *root) {
    const plan_listing *l = m->l;
    lake_field *fields = LAKE_ARENA_ARRAY(m->arena, lake_field, root->nfields + l->nkeys + 1);
    if (!fields)
        return lake_fail_memory(m->err);
    if (root->nfields)
        memcpy(fields, root->fields, root->nfields * sizeof *fields);
    root->fields = fields;
    int32_t next = 1;
    for (size_t i = 0; l->given && i < l->given->nby_id; i++)
        if (l->given->by_id[i]->id >= next)
            next = l->given->by_id[i]->id < INT32_MAX - 1000 ? l->given->by_id[i]->id + 1 : 1;
    for (size_t i = 0; i < l->nkeys; i++)
        if (!find_field(root, l->keys[i].name))
            fields[root->nfields++] = (lake_field){.name = l->keys[i].name, .id = next++, .type = l->keys[i].type};
    for (size_t i = 0; i < root->nfields; i++)
        if (is_key(l, fields[i].name))
            fields[i].required = false; /* __HIVE_DEFAULT_PARTITION__ */
    return LAKE_OK;
}

lake_status listing_make_spec(
    plan_listing *l, lake_arena *arena, const lake_schema *schema, lake_spec *out, lake_error *err) {
    *out = (lake_spec){.fields = LAKE_ARENA_ARRAY(arena, lake_partition_field, l->nkeys + 1), .nfields = l->nkeys};
    int32_t *ids = LAKE_ARENA_ARRAY(arena, int32_t, l->nkeys + 1);
    if (!out->fields || !ids)
        return lake_fail_memory(err);
    for (size_t i = 0; i < l->nkeys; i++) {
        const lake_field *f = find_field(&schema->root, l->keys[i].name);
        ids[i] = f ? f->id : 0;
        out->fields[i] = (lake_partition_field){.id = 1000 + (int32_t)i,
            .name = l->keys[i].name,
            .transform = lake_transform_parse(LAKE_STR("identity")),
            .source_ids = &ids[i],
            .nsource_ids = 1};
    }
    return LAKE_OK;
}

/* ---- where a file's columns are in it */
typedef struct pairing {
    plan_listing *l;
    listing_schema *s;
    int32_t *absent;
    size_t nabsent;
    const lake_field *misfit; /* a column that cannot be read as its type in the schema, */
    const lake_type *wanted; /* which is this */
} pairing;

static void count_leaves(const lake_type *t, size_t *n) {
    for (size_t i = 0; i < t->nfields; i++) {
        *n += !lake_type_is_nested(&t->fields[i].type);
        count_leaves(&t->fields[i].type, n);
    }
}

/* Leaves of a field that no row of the file has; what is in lists stays unknown. */
static void add_absent(pairing *p, const lake_field *f) {
    if (!lake_type_is_nested(&f->type))
        p->absent[p->nabsent++] = f->id;
    for (size_t i = 0; f->type.id == LAKE_STRUCT && i < f->type.nfields; i++)
        add_absent(p, &f->type.fields[i]);
}

static void misfit(pairing *p, const lake_field *from, const lake_field *to) {
    if (p->misfit || from->type.id == LAKE_UNKNOWN)
        return;
    p->misfit = from;
    p->wanted = &to->type;
}

static void pair_types(pairing *p, const lake_type *own, const lake_type *merged, bool top, bool in_list) {
    for (size_t i = 0; i < merged->nfields; i++) {
        const lake_field *to = &merged->fields[i];
        if (top && is_key(p->l, to->name))
            continue;
        const lake_field *from = find_field(own, to->name);
        if (!from) {
            if (!in_list)
                add_absent(p, to);
        } else if (lake_type_is_nested(&to->type)) {
            if (to->type.id == from->type.id)
                pair_types(p, &from->type, &to->type, false, in_list || to->type.id != LAKE_STRUCT);
            else
                misfit(p, from, to);
        } else if (same(&from->type, &to->type) || widens(&from->type, &to->type)) {
            p->s->own[p->s->npairs] = from->id;
            p->s->merged[p->s->npairs++] = to->id;
        } else {
            misfit(p, from, to);
        }
    }
}

static lake_status pair(plan_listing *l, size_t index, lake_error *err) {
    listing_schema *s = l->schemas[index];
    size_t n = 0;
    count_leaves(&l->schema->root, &n);
    pairing p = {.l = l, .s = s, .absent = LAKE_ARENA_ARRAY(&l->arena, int32_t, n + 1)};
    s->own = LAKE_ARENA_ARRAY(&l->arena, int32_t, n + 1);
    s->merged = LAKE_ARENA_ARRAY(&l->arena, int32_t, n + 1);
    if (!p.absent || !s->own || !s->merged)
        return lake_fail_memory(err);
    pair_types(&p, &s->schema->root, &l->schema->root, true, false);
    s->absent = p.absent;
    s->nabsent = p.nabsent;
    merging m = {.l = l, .schema = index, .err = err};
    return p.misfit ? conflict(&m, p.misfit, p.wanted) : LAKE_OK;
}

/* Columns of the file by the schema's ids, in their order. */
static int by_id(const void *a, const void *b) {
    int32_t x = ((const lake_column_metrics *)a)->id, y = ((const lake_column_metrics *)b)->id;
    return (x > y) - (x < y);
}

typedef struct id_pair {
    int32_t own, merged;
} id_pair;

static int by_own(const void *a, const void *b) {
    int32_t x = ((const id_pair *)a)->own, y = ((const id_pair *)b)->own;
    return (x > y) - (x < y);
}

static lake_status rename_columns(plan_listing *l, listing_file *f, id_pair *pairs, lake_error *err) {
    const listing_schema *s = f->schema;
    size_t n = 0;
    lake_column_metrics *columns = LAKE_ARENA_ARRAY(&l->arena, lake_column_metrics, f->ncolumns + s->nabsent + 1);
    if (!columns)
        return lake_fail_memory(err);
    for (size_t i = 0; i < f->ncolumns; i++) {
        const id_pair *found = bsearch(&(id_pair){f->columns[i].id, 0}, pairs, s->npairs, sizeof *pairs, by_own);
        if (!found)
            continue;
        columns[n] = f->columns[i];
        columns[n++].id = found->merged;
    }
    for (size_t i = 0; i < s->nabsent; i++)
        columns[n++] = (lake_column_metrics){
            .id = s->absent[i], .has = LAKE_METRIC_VALUES | LAKE_METRIC_NULLS, .values = f->rows, .nulls = f->rows};
    qsort(columns, n, sizeof *columns, by_id);
    f->columns = columns;
    f->ncolumns = n;
    return LAKE_OK;
}

static lake_status rename_all(plan_listing *l, listing_schema *s, lake_error *err) {
    id_pair *pairs = LAKE_ARENA_ARRAY(&l->arena, id_pair, s->npairs + 1);
    if (!pairs)
        return lake_fail_memory(err);
    for (size_t i = 0; i < s->npairs; i++)
        pairs[i] = (id_pair){s->own[i], s->merged[i]};
    qsort(pairs, s->npairs, sizeof *pairs, by_own);
    for (size_t i = s->first; i < l->nfiles; i++)
        if (l->files[i].schema == s)
            LAKE_TRY(rename_columns(l, &l->files[i], pairs, err));
    return LAKE_OK;
}

/* Nested fields keep their parents in the whole schema, which have the same ids and names. */
static lake_status make_file_schema(plan_listing *l, lake_error *err) {
    lake_schema *s = LAKE_ARENA_NEW(&l->arena, lake_schema);
    size_t n = l->schema->root.nfields, nids = 0;
    lake_field *fields = LAKE_ARENA_ARRAY(&l->arena, lake_field, n + 1);
    const lake_field **by_id = LAKE_ARENA_ARRAY(&l->arena, const lake_field *, l->schema->nby_id + 1);
    if (!s || !fields || !by_id)
        return lake_fail_memory(err);
    *s = *l->schema;
    s->root.fields = fields;
    s->root.nfields = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_key(l, l->schema->root.fields[i].name))
            fields[s->root.nfields++] = l->schema->root.fields[i];
    for (size_t i = 0; i < l->schema->nby_id; i++) {
        const lake_field *f = l->schema->by_id[i];
        if (!f->parent) {
            const lake_field *own = find_field(&s->root, f->name);
            if (own)
                by_id[nids++] = own;
        } else {
            by_id[nids++] = f;
        }
    }
    s->by_id = by_id;
    s->nby_id = nids;
    l->file_schema = s;
    return LAKE_OK;
}

lake_status listing_make_schema(plan_listing *l, lake_error *err) {
    merging m = {.l = l, .arena = &l->arena, .err = err};
    lake_schema *schema = LAKE_ARENA_NEW(&l->arena, lake_schema);
    if (!schema)
        return lake_fail_memory(err);
    schema->root.id = LAKE_STRUCT;
    if (l->given)
        schema->root = l->given->root;
    for (; !l->given && m.schema < l->nschemas; m.schema++)
        LAKE_TRY(merge_struct(&m, &schema->root, &l->schemas[m.schema]->schema->root, true));
    LAKE_TRY(add_keys(&m, &schema->root));
    int32_t next = 1;
    if (!l->given)
        assign_ids(&schema->root, &next);
    LAKE_TRY(lake_schema_index(&l->arena, schema, err));
    l->schema = schema;
    LAKE_TRY(make_file_schema(l, err));
    for (size_t i = 0; i < l->nschemas; i++) {
        LAKE_TRY(pair(l, i, err));
        LAKE_TRY(rename_all(l, l->schemas[i], err));
    }
    return LAKE_OK;
}
