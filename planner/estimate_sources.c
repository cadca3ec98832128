/* Who knows about a column of the whole table: the caller's statistics first, then theta sketches in the snapshot's
   Puffin files (the ndv property in the metadata, else in the footer, else the sketch itself). Each may decline. */
#include "planner/estimate.h"
#include "planner/tree.h"
#include "reader/puffin.h"

/* ---------------------------------------------------------------- the caller's statistics */
static lake_status bad(lake_error *err, lake_str column, const char *why) {
    return lake_fail(err, LAKE_ERR_MALFORMED, "statistics: column %.*s: %s", LAKE_ARG(column), why);
}

static lake_status count_member(const lake_json *v, const char *name, lake_str column, int64_t *out, lake_error *err) {
    const lake_json *n = lake_json_find(v, name);
    *out = -1;
    if (n && (!lake_json_i64(n, out) || *out < 0))
        return lake_fail(
            err, LAKE_ERR_MALFORMED, "statistics: column %.*s: %s must be a count", LAKE_ARG(column), name);
    return LAKE_OK;
}

static lake_status bound_member(
    lake_estimate *e, const est_column *c, const lake_json *v, bool *has, lake_key *out, lake_error *err) {
    lake_bound_state state = LAKE_BOUND_NONE;
    *has = false;
    if (!v || c->kind == LAKE_KEY_NONE)
        return LAKE_OK;
    LAKE_TRY_WRAP(lake_value_from_json(&e->arena, &c->field->type, v, &state, out, err), err, "statistics: column %.*s",
        LAKE_ARG(c->name));
    *has = state == LAKE_BOUND_KEY;
    return LAKE_OK;
}

static lake_status take_given(lake_estimate *e, est_column *c, const lake_json *v, int64_t rows, lake_error *err) {
    int64_t ndv, nulls, nans;
    bool lower, upper;
    lake_key lo, hi;
    est_given *g = &c->given;
    LAKE_TRY(count_member(v, "ndv", c->name, &ndv, err));
    LAKE_TRY(count_member(v, "null-count", c->name, &nulls, err));
    LAKE_TRY(count_member(v, "nan-count", c->name, &nans, err));
    LAKE_TRY(bound_member(e, c, lake_json_find(v, "lower"), &lower, &lo, err));
    LAKE_TRY(bound_member(e, c, lake_json_find(v, "upper"), &upper, &hi, err));
    if (ndv >= 0) {
        g->ndv = (double)ndv;
        g->ndv_source = "stats-file";
    }
    if (rows > 0) { /* a count says nothing without what it is a part of */
        g->null_share = nulls >= 0 && nulls <= rows ? (double)nulls / (double)rows : -1;
        g->nan_share = nans >= 0 && nans <= rows ? (double)nans / (double)rows : -1;
        g->share_source = "stats-file";
    }
    if (!lower || !upper)
        return LAKE_OK;
    if (lake_key_cmp(c->kind, hi, lo) < 0)
        return bad(err, c->name, "lower is above upper");
    g->has_span = true;
    g->span.lo = lake_end_key(lo);
    return lake_key_next(&e->arena, c->kind, hi, &g->span.hi) ? LAKE_OK : lake_fail_memory(err);
}

static const char *const column_members[] = {"ndv", "null-count", "nan-count", "lower", "upper"};

static lake_status check_members(const lake_json *v, lake_str column, lake_error *err) {
    if (v->kind != LAKE_JSON_OBJECT)
        return bad(err, column, "must be an object");
    for (size_t i = 0; i < v->count; i++) {
        size_t k = 0;
        while (k < 5 && !lake_str_is(v->members[i].name, column_members[k]))
            k++;
        if (k == 5)
            return lake_fail(err, LAKE_ERR_MALFORMED, "statistics: column %.*s: unknown member %.*s", LAKE_ARG(column),
                LAKE_ARG(v->members[i].name));
    }
    return LAKE_OK;
}

static lake_status take_column(lake_estimate *e, const lake_json_member *m, int64_t rows, lake_error *err) {
    const lake_schema *schema = e->plan->planning.schema;
    const lake_field *found[2];
    LAKE_TRY(check_members(m->value, m->name, err));
    size_t n = lake_schema_find_name(schema, m->name, true, found, 2);
    if (n == 0)
        return bad(err, m->name, "the table has no such column");
    for (size_t i = 0; i < e->ncolumns && n == 1; i++)
        if (e->columns[i].field == found[0])
            return take_given(e, &e->columns[i], m->value, rows, err);
    return LAKE_OK;
}

lake_status est_stats_parse(lake_estimate *e, const char *text, lake_error *err) {
    lake_json *json;
    int64_t rows = -1;
    LAKE_TRY(lake_json_parse(&e->arena, lake_str_of(text), "statistics", &json, err));
    if (json->kind != LAKE_JSON_OBJECT)
        return lake_fail(err, LAKE_ERR_MALFORMED, "statistics: not an object");
    const lake_json *count = lake_json_find(json, "row-count"), *columns = lake_json_find(json, "columns");
    if (count && (!lake_json_i64(count, &rows) || rows < 0))
        return lake_fail(err, LAKE_ERR_MALFORMED, "statistics: row-count must be a count");
    if (columns && columns->kind != LAKE_JSON_OBJECT)
        return lake_fail(err, LAKE_ERR_MALFORMED, "statistics: columns must be an object");
    for (size_t i = 0; i < json->count; i++)
        if (!lake_str_is(json->members[i].name, "row-count") && !lake_str_is(json->members[i].name, "columns"))
            return lake_fail(
                err, LAKE_ERR_MALFORMED, "statistics: unknown member %.*s", LAKE_ARG(json->members[i].name));
    e->stats = json;
    for (size_t i = 0; columns && i < columns->count; i++)
        LAKE_TRY(take_column(e, &columns->members[i], rows, err));
    return LAKE_OK;
}

/* ---------------------------------------------------------------- Puffin files */
/* The blob of a column among blobs (of the metadata or of a footer); NULL: none. */
static const lake_json *theta_blob(const lake_json *blobs, int32_t id) {
    for (size_t i = 0; lake_json_is(blobs, LAKE_JSON_ARRAY) && i < blobs->count; i++) {
        const lake_json *b = blobs->items[i], *type = lake_json_find(b, "type"), *fields = lake_json_find(b, "fields");
        int32_t field;
        if (lake_json_is(type, LAKE_JSON_STRING) && lake_str_is(type->text, "apache-datasketches-theta-v1") &&
            lake_json_is(fields, LAKE_JSON_ARRAY) && fields->count == 1 && lake_json_i32(fields->items[0], &field) &&
            field == id)
            return b;
    }
    return NULL;
}

/* "non-negative integer value represented using decimal digits" */
static double ndv_property(const lake_json *blob) {
    const lake_json *v = lake_json_find(lake_json_find(blob, "properties"), "ndv");
    double n = 0;
    if (!lake_json_is(v, LAKE_JSON_STRING) || !v->text.len || v->text.len > 18)
        return -1;
    for (size_t i = 0; i < v->text.len; i++) {
        if (v->text.ptr[i] < '0' || v->text.ptr[i] > '9')
            return -1;
        n = n * 10 + (v->text.ptr[i] - '0');
    }
    return n;
}

/* The statistics file of the snapshot, or of its nearest ancestor that has one. */
static const lake_json *statistics_file(const lake_planning_table *t) {
    const lake_json *all = t->metadata->statistics;
    const lake_snapshot *s = t->snapshot;
    size_t steps = t->metadata->nsnapshots + 1; /* parents of a broken table may go in a circle */
    for (; s && lake_json_is(all, LAKE_JSON_ARRAY) && steps; steps--) {
        for (size_t i = 0; i < all->count; i++) {
            int64_t id;
            if (lake_json_i64(lake_json_get(all->items[i], "snapshot-id"), &id) && id == s->id)
                return all->items[i];
        }
        s = s->has_parent ? lake_metadata_snapshot(t->metadata, s->parent_id) : NULL;
    }
    return NULL;
}

/* An open Puffin file, read only if the metadata do not say. */
typedef struct puffin {
    lake_file *file;
    const lake_json *blobs;
} puffin;

/* Declines (false) whatever is wrong: a lost or broken statistics file must not stop an estimate. */
static bool open_puffin(lake_estimate *e, const lake_json *entry, puffin *p) {
    const lake_json *path = lake_json_find(entry, "statistics-path");
    lake_str text;
    lake_json *footer;
    lake_error err;
    lake_error_init(&err);
    if (!lake_json_is(path, LAKE_JSON_STRING) ||
        lake_store_open(&e->plan->table->session->store, path->text, &p->file, &err) != LAKE_OK)
        return false;
    if (lake_puffin_footer(&e->arena, p->file, &text, &err) != LAKE_OK ||
        lake_json_parse(&e->arena, text, "Puffin footer", &footer, &err) != LAKE_OK)
        return false;
    p->blobs = lake_json_find(footer, "blobs");
    return true;
}

static double puffin_ndv(lake_estimate *e, const puffin *p, int32_t id) {
    const lake_json *blob = theta_blob(p->blobs, id);
    lake_error err;
    double n = ndv_property(blob);
    lake_error_init(&err);
    if (n < 0 && blob && lake_puffin_theta(&e->arena, p->file, blob, &n, &err) != LAKE_OK)
        return -1;
    return n;
}

lake_status est_ask(lake_estimate *e, lake_error *err) {
    const lake_json *entry = statistics_file(&e->plan->planning);
    puffin p = {0};
    bool tried = false, open = false;
    if (!entry)
        return LAKE_OK;
    for (size_t i = 0; i < e->ncolumns; i++) {
        est_column *c = &e->columns[i];
        if (c->given.ndv >= 0)
            continue;
        double n = ndv_property(theta_blob(lake_json_find(entry, "blob-metadata"), c->field->id));
        if (n < 0 && !tried) {
            tried = true;
            open = open_puffin(e, entry, &p);
        }
        if (n < 0 && open)
            n = puffin_ndv(e, &p, c->field->id);
        if (n >= 0) {
            c->given.ndv = n;
            c->given.ndv_source = "puffin";
        }
    }
    if (p.file)
        lake_file_close(p.file);
    return LAKE_OK;
}
