/* What is recorded of a file's columns, before and after. Columns that the table no longer has keep what they had. */
#include "writer/rebuild_internal.h"

bool rebuild_takes(const rebuild *r, int32_t id) {
    if (!r->ncolumns)
        return lake_schema_field(r->exact.schema, id) != NULL;
    for (size_t i = 0; i < r->ncolumns; i++)
        if (r->columns[i] == id)
            return true;
    return false;
}

lake_status rebuild_merge(const rebuild *r, const lake_entry *e, const rebuild_target *t, lake_arena *arena,
    lake_column_metrics **out, size_t *n, lake_error *err) {
    size_t i = 0, k = 0;
    *n = 0;
    *out = LAKE_ARENA_ARRAY(arena, lake_column_metrics, e->ncolumns + t->ncolumns);
    if (!*out)
        return lake_fail_memory(err);
    while (i < e->ncolumns || k < t->ncolumns) {
        bool old = i < e->ncolumns && (k == t->ncolumns || e->columns[i].id <= t->columns[k].id);
        bool both = old && k < t->ncolumns && e->columns[i].id == t->columns[k].id;
        const lake_column_metrics *c = old ? &e->columns[i] : &t->columns[k];
        bool taken = rebuild_takes(r, c->id);
        if (both && taken)
            c = &t->columns[k];
        if (old && !both ? !taken : old || taken)
            (*out)[(*n)++] = *c;
        i += old;
        k += both || !old;
    }
    return LAKE_OK;
}

static bool same_bytes(lake_bytes a, lake_bytes b) {
    return (a.ptr != NULL) == (b.ptr != NULL) && a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static bool same_column(const lake_column_metrics *a, const lake_column_metrics *b) {
    return a->id == b->id && a->has == b->has && (!(a->has & LAKE_METRIC_SIZE) || a->size == b->size) &&
        (!(a->has & LAKE_METRIC_VALUES) || a->values == b->values) &&
        (!(a->has & LAKE_METRIC_NULLS) || a->nulls == b->nulls) &&
        (!(a->has & LAKE_METRIC_NANS) || a->nans == b->nans) && same_bytes(a->lower, b->lower) &&
        same_bytes(a->upper, b->upper);
}

static bool same_offsets(const lake_entry *e, const rebuild_target *t) {
    return e->nsplit_offsets == t->nsplit_offsets &&
        (e->nsplit_offsets == 0 ||
            memcmp(e->split_offsets, t->split_offsets, e->nsplit_offsets * sizeof *t->split_offsets) == 0);
}

bool rebuild_differs(const rebuild *r, const lake_entry *e, const rebuild_target *t) {
    if (e->file_size != t->file_size || !same_offsets(e, t))
        return true;
    size_t i = 0, k = 0;
    for (;;) {
        while (i < e->ncolumns && !rebuild_takes(r, e->columns[i].id))
            i++;
        while (k < t->ncolumns && !rebuild_takes(r, t->columns[k].id))
            k++;
        if (i == e->ncolumns || k == t->ncolumns)
            return i != e->ncolumns || k != t->ncolumns;
        if (!same_column(&e->columns[i++], &t->columns[k++]))
            return true;
    }
}

/* ---- what changes, as JSON */

static void print_metrics(lake_buffer *out, const char *name, const lake_column_metrics *c) {
    lake_buffer_printf(out, ",\"%s\":", name);
    if (!c) {
        lake_buffer_puts(out, "null");
        return;
    }
    const struct {
        const char *name;
        uint32_t has;
        int64_t value;
    } counts[] = {{"column-size", LAKE_METRIC_SIZE, c->size}, {"value-count", LAKE_METRIC_VALUES, c->values},
        {"null-value-count", LAKE_METRIC_NULLS, c->nulls}, {"nan-value-count", LAKE_METRIC_NANS, c->nans}};
    const struct {
        const char *name;
        lake_bytes value;
    } bounds[] = {{"lower-bound-hex", c->lower}, {"upper-bound-hex", c->upper}};
    char before = '{';
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (c->has & counts[i].has) {
            lake_buffer_printf(out, "%c\"%s\":%lld", before, counts[i].name, (long long)counts[i].value);
            before = ',';
        }
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (bounds[i].value.ptr) {
            lake_buffer_printf(out, "%c\"%s\":\"", before, bounds[i].name);
            lake_buffer_hex(out, bounds[i].value);
            lake_buffer_char(out, '"');
            before = ',';
        }
    lake_buffer_puts(out, before == '{' ? "{}" : "}");
}

static void print_column(
    lake_buffer *out, const rebuild *r, char *before, const lake_column_metrics *old, const lake_column_metrics *new) {
    int32_t id = old ? old->id : new->id;
    if (!rebuild_takes(r, id) || (old && new &&same_column(old, new)))
        return;
    lake_buffer_printf(out, "%c{\"id\":%d,\"name\":", *before, (int)id);
    const lake_field *f = lake_schema_field(r->exact.schema, id);
    lake_buffer name;
    lake_buffer_init(&name);
    if (f)
        lake_field_full_name(&name, f);
    lake_json_quote(out, lake_buffer_view(&name));
    lake_buffer_clear(&name);
    print_metrics(out, "recorded", old);
    print_metrics(out, "exact", new);
    lake_buffer_char(out, '}');
    *before = ',';
}

static void print_file(lake_buffer *out, const rebuild *r, const lake_entry *e, const rebuild_target *t) {
    size_t i = 0, k = 0;
    char before = '[';
    lake_buffer_puts(out, "{\"file-path\":");
    lake_json_quote(out, e->file_path);
    if (e->file_size != t->file_size)
        lake_buffer_printf(out, ",\"file-size-in-bytes\":{\"recorded\":%lld,\"exact\":%lld}", (long long)e->file_size,
            (long long)t->file_size);
    if (!same_offsets(e, t))
        lake_buffer_puts(out, ",\"split-offsets\":\"differ\"");
    lake_buffer_puts(out, ",\"columns\":");
    while (i < e->ncolumns || k < t->ncolumns) {
        bool old = i < e->ncolumns && (k == t->ncolumns || e->columns[i].id <= t->columns[k].id);
        bool new = k < t->ncolumns && (i == e->ncolumns || t->columns[k].id <= e->columns[i].id);
        print_column(out, r, &before, old ? &e->columns[i] : NULL, new ? &t->columns[k] : NULL);
        i += old;
        k += new;
    }
    lake_buffer_puts(out, before == '[' ? "[]}\n" : "]}\n");
}

lake_status rebuild_print(const rebuild *r, const lake_entry *e, const rebuild_target *t, lake_error *err) {
    lake_buffer text;
    lake_buffer_init(&text);
    print_file(&text, r, e, t);
    lake_status s = lake_buffer_check(&text, err);
    if (s == LAKE_OK)
        s = r->sink->write(r->sink->user, text.data, text.len, err);
    lake_buffer_clear(&text);
    return s;
}
