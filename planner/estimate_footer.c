/* Parquet footers as a provider: bounds and counts where the manifest has none, and the sizes of dictionaries as
   numbers of distinct values. A file that cannot be read, or has another number of rows than the manifest states,
   declines. */
#include "planner/estimate.h"
#include "planner/row_groups.h"
#include "reader/data_file.h"
#include "reader/footer_memory.h"

enum { DICTIONARY_LIMIT = 1 << 20 };

static bool lacks(const est_column *c, const lake_column_metrics *m) {
    bool bounds = c->kind == LAKE_KEY_NONE || (m && m->lower.ptr && m->upper.ptr);
    bool nans = c->kind != LAKE_KEY_FLOAT || (m && (m->has & LAKE_METRIC_NANS));
    return !bounds || !nans || !m || !(m->has & LAKE_METRIC_NULLS) || !(m->has & LAKE_METRIC_VALUES);
}

/* ---------------------------------------------------------------- bounds and counts */
static bool bound_bytes(lake_arena *arena, const lake_type *type, lake_key key, lake_bytes *out) {
    uint8_t scratch[16];
    lake_bytes b = lake_value_to_binary(type, key, scratch);
    *out = lake_arena_bytes(arena, b.ptr, b.len);
    return out->ptr != NULL;
}

/* What the manifest does not say. Returns false: out of memory. */
static bool complete(lake_arena *arena, lake_column_metrics *m, const lake_column_stats *s, bool *used) {
    const lake_type *type = &s->field->type;
    bool values = s->values >= 0 && !(m->has & LAKE_METRIC_VALUES),
         nulls = s->nulls >= 0 && !(m->has & LAKE_METRIC_NULLS), nans = s->nans >= 0 && !(m->has & LAKE_METRIC_NANS);
    if (values)
        m->values = s->values;
    if (nulls)
        m->nulls = s->nulls;
    if (nans)
        m->nans = s->nans;
    m->has |= (values ? LAKE_METRIC_VALUES : 0) | (nulls ? LAKE_METRIC_NULLS : 0) | (nans ? LAKE_METRIC_NANS : 0);
    *used |= values || nulls || nans;
    if (m->lower.ptr || m->upper.ptr || !s->has_min || !s->has_max || lake_type_kind(type) == LAKE_KEY_NONE)
        return true;
    *used = true;
    return bound_bytes(arena, type, s->min, &m->lower) && bound_bytes(arena, type, s->max, &m->upper);
}

static lake_status take_stats(
    const lake_estimate *e, lake_arena *arena, est_view *view, const lake_file_stats *s, lake_error *err) {
    lake_column_metrics *all = LAKE_ARENA_ARRAY(arena, lake_column_metrics, view->entry.ncolumns + s->ncolumns + 1);
    size_t n = view->entry.ncolumns;
    if (!all)
        return lake_fail_memory(err);
    if (n)
        memcpy(all, view->entry.columns, n * sizeof *all);
    for (size_t i = 0; i < s->ncolumns; i++) {
        size_t at = 0, column = 0;
        while (at < n && all[at].id != s->columns[i].field->id)
            at++;
        while (column < e->ncolumns && e->columns[column].field->id != s->columns[i].field->id)
            column++;
        if (column == e->ncolumns)
            continue;
        if (at == n)
            all[n++] = (lake_column_metrics){.id = s->columns[i].field->id};
        if (!complete(arena, &all[at], &s->columns[i], &view->from_footer[column]))
            return lake_fail_memory(err);
    }
    view->entry.columns = all;
    view->entry.ncolumns = n;
    return LAKE_OK;
}

/* ---------------------------------------------------------------- dictionaries */
/* Values in the largest dictionary of the row groups, all of whose pages use it; -1: there are others. */
static double dictionary_size(lake_parquet_column *c, lake_parquet_window *w, const lake_parquet_footer *footer,
    const lake_footer_column *column) {
    double most = -1;
    for (size_t g = 0; g < footer->ngroups; g++) {
        const lake_parquet_chunk *chunk = column->leaf ? &footer->groups[g].chunks[column->leaf->column] : NULL;
        lake_parquet_source source = lake_parquet_window_source(w);
        lake_parquet_values values;
        lake_error err;
        lake_error_init(&err);
        if (!chunk || !plan_dictionary_possible(column, chunk) ||
            lake_parquet_column_begin(c, &source, column->leaf, chunk, &err) != LAKE_OK)
            return -1;
        lake_parquet_window_begin(w, (uint64_t)chunk->data_page_offset);
        if (lake_parquet_column_dictionary(c, &values, &err) != LAKE_OK)
            return -1;
        most = (double)values.n > most ? (double)values.n : most;
    }
    return most;
}

static lake_status dictionaries(const lake_estimate *e, lake_arena *scratch, const lake_parquet_file *file,
    const int32_t *ids, const lake_json *mapping, double *sizes, lake_error *err) {
    lake_footer_column *columns = LAKE_ARENA_ARRAY(scratch, lake_footer_column, e->ncolumns + 1);
    const lake_schema *by_names = plan_listing_file_schema(e->plan);
    lake_parquet_column *c = lake_mem_zalloc(1, sizeof *c);
    lake_parquet_window w;
    bool told = false;
    lake_status st = columns && c ? LAKE_OK : lake_fail_memory(err);
    if (st == LAKE_OK)
        st = lake_parquet_column_init(c, DICTIONARY_LIMIT, err);
    if (st == LAKE_OK) {
        lake_parquet_window_init(&w, file);
        st = lake_footer_columns(scratch, file->footer, by_names ? by_names : e->plan->planning.schema, mapping,
            by_names != NULL, ids, e->ncolumns, columns, &told, err);
        for (size_t i = 0; st == LAKE_OK && told && i < e->ncolumns; i++)
            if (e->columns[i].kind != LAKE_KEY_NONE)
                sizes[i] = dictionary_size(c, &w, file->footer, &columns[i]);
        lake_parquet_window_clear(&w);
    }
    if (c)
        lake_parquet_column_clear(c);
    lake_mem_free(c);
    return st;
}

/* ---------------------------------------------------------------- files */
typedef struct footers {
    lake_estimate *e;
    const lake_json *mapping;
    bool broken_mapping; /* which maps nothing: footers without ids say nothing */
    const int32_t *ids; /* of the columns */
    lake_arena *scratch; /* by worker */
} footers;

/* What memory did not suffice for stops; whatever else is wrong with a file declines. */
static lake_status declined(lake_status s, lake_error *err) {
    return s == LAKE_ERR_NO_MEMORY ? lake_fail_memory(err) : LAKE_OK;
}

static lake_status ask(
    const footers *f, lake_store *store, lake_arena *keep, lake_arena *scratch, est_view *view, lake_error *err) {
    const lake_estimate *e = f->e;
    bool directory = plan_listing_file_schema(e->plan) != NULL;
    double *sizes = LAKE_ARENA_ARRAY(keep, double, e->ncolumns + 1);
    lake_file_stats_options o = {.schema = e->plan->planning.schema,
        .name_mapping = f->mapping,
        .column_ids = f->ids,
        .ncolumn_ids = e->ncolumns,
        .footer_only = true,
        .threads = 1};
    lake_parquet_file file;
    lake_file_stats s = {0};
    lake_error why;
    lake_error_init(&why);
    if (!sizes)
        return lake_fail_memory(err);
    for (size_t i = 0; i < e->ncolumns; i++)
        sizes[i] = -1;
    lake_status st = lake_parquet_file_open(store, view->task->entry.file_path, scratch, &file, &why);
    if (st != LAKE_OK)
        return declined(st, err);
    bool told = directory || f->mapping || lake_parquet_has_ids(file.footer->root);
    st = dictionaries(e, scratch, &file, f->ids, f->mapping, sizes, &why);
    lake_parquet_file_close(&file);
    if (st != LAKE_OK || !told)
        return declined(st, err);
    if (directory) { /* the rest is known from the footers by now */
        view->dictionary = sizes;
        return LAKE_OK;
    }
    st = lake_parquet_stats_read(store, view->task->entry.file_path, &o, scratch, &s, &why);
    if (st != LAKE_OK || s.record_count != view->entry.record_count)
        return declined(st, err);
    view->dictionary = sizes;
    return take_stats(e, keep, view, &s, err);
}

static lake_status read_one(void *user, size_t index, unsigned worker, lake_error *err) {
    const footers *f = user;
    lake_estimate *e = f->e;
    est_view *view = &e->views[index];
    lake_arena *keep = &e->arenas[worker];
    bool wanted = false;
    *view = est_view_of(e, e->plan->tasks[index]);
    LAKE_TRY(plan_tick(e->plan, "footers", e->plan->ntasks, err));
    if (f->broken_mapping || !lake_str_is(view->task->view.format, "parquet"))
        return LAKE_OK;
    for (size_t i = 0; i < e->ncolumns; i++)
        wanted |= e->columns[i].given.ndv < 0 || lacks(&e->columns[i], est_metrics_of(view, f->ids[i]));
    if (!wanted)
        return LAKE_OK;
    view->from_footer = LAKE_ARENA_ARRAY(keep, bool, e->ncolumns + 1);
    lake_store store = *plan_store(e->plan);
    lake_footer_memory *own = store.footers ? NULL : lake_footer_memory_new(SIZE_MAX); /* it is asked for twice */
    if (!view->from_footer || (!store.footers && !own)) {
        lake_footer_memory_free(own);
        return lake_fail_memory(err);
    }
    store.footers = own ? own : store.footers;
    lake_arena_reset(&f->scratch[worker]);
    lake_status s = ask(f, &store, keep, &f->scratch[worker], view, err);
    lake_footer_memory_free(own);
    return s;
}

static lake_status read_all(footers *f, unsigned threads, lake_error *err) {
    lake_estimate *e = f->e;
    lake_str text = lake_metadata_property(e->plan->planning.metadata, "schema.name-mapping.default");
    lake_json *mapping = NULL;
    int32_t *ids = LAKE_ARENA_ARRAY(&e->arena, int32_t, e->ncolumns + 1);
    if (!ids)
        return lake_fail_memory(err);
    for (size_t i = 0; i < e->ncolumns; i++)
        ids[i] = e->columns[i].field->id;
    f->ids = ids;
    f->broken_mapping = text.ptr && lake_json_parse(&e->arena, text, NULL, &mapping, NULL) != LAKE_OK;
    f->mapping = mapping;
    return lake_parallel(e->plan->ntasks, threads, read_one, f, err);
}

lake_status est_read_footers(lake_estimate *e, lake_error *err) {
    const lake_session *session = e->plan->table->session;
    unsigned n = session->threads ? session->threads : lake_threads_default();
    footers f = {.e = e, .scratch = LAKE_ARENA_ARRAY(&e->arena, lake_arena, n)};
    e->views = LAKE_ARENA_ARRAY(&e->arena, est_view, e->plan->ntasks + 1);
    e->arenas = LAKE_ARENA_ARRAY(&e->arena, lake_arena, n);
    if (!f.scratch || !e->views || !e->arenas)
        return lake_fail_memory(err);
    e->narenas = n;
    for (unsigned i = 0; i < n; i++) {
        lake_arena_init(&e->arenas[i], 0);
        lake_arena_init(&f.scratch[i], 0);
    }
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the plan's own is gone */
    e->plan->lock = &lock;
    e->plan->done = 0;
    lake_status s = read_all(&f, n, err);
    e->plan->lock = NULL;
    for (unsigned i = 0; i < n; i++)
        lake_arena_clear(&f.scratch[i]);
    return s;
}
