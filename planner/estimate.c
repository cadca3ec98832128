/* Rows, bytes and selectivity of a predicate from metadata: the plan's kept files one by one, each by the step
   functions over its facts. A file that matches wholly, or whose counts decide, is exact; everything else is marked so.
 */
#include "planner/estimate.h"
#include "planner/tree.h"

#include <math.h>

int64_t est_round(double x) {
    return !(x > 0) ? 0 : x >= 9.2e18 ? INT64_MAX : (int64_t)(x + 0.5);
}

/* ---------------------------------------------------------------- terms and columns */
static lake_status add_term(lake_estimate *e, size_t *room, const lake_term *term, size_t *at, lake_error *err) {
    for (*at = 0; *at < e->nterms; ++*at)
        if (e->terms[*at].field == term->field && !e->terms[*at].is_bucket)
            return LAKE_OK;
    if (!lake_tree_grow(&e->arena, &e->terms, sizeof *e->terms, e->nterms, room))
        return lake_fail_memory(err);
    e->terms[e->nterms++] = *term;
    return LAKE_OK;
}

static lake_status add_column(lake_estimate *e, size_t *rooms, const lake_field *field, lake_error *err) {
    size_t term;
    if (lake_type_is_nested(&field->type) || field->inside_list)
        return LAKE_OK;
    for (size_t i = 0; i < e->ncolumns; i++)
        if (e->columns[i].field == field)
            return LAKE_OK;
    LAKE_TRY(add_term(e, &rooms[0], &(lake_term){.field = field}, &term, err));
    if (!lake_tree_grow(&e->arena, &e->columns, sizeof *e->columns, e->ncolumns, &rooms[1]))
        return lake_fail_memory(err);
    est_column *c = &e->columns[e->ncolumns++];
    *c = (est_column){.field = field,
        .kind = lake_type_kind(&field->type),
        .term = term,
        .bound_term = term < e->plan->bound->nterms ? (uint32_t)term : UINT32_MAX,
        .bounds_source = e->base,
        .footer_ndv = -1,
        .given = {.ndv = -1, .null_share = -1, .nan_share = -1}};
    lake_buffer text;
    lake_buffer_init(&text);
    lake_field_full_name(&text, field);
    c->name = lake_arena_str(&e->arena, lake_buffer_view(&text).ptr, text.len);
    lake_buffer_reset(&text);
    lake_type_print(&text, &field->type);
    c->type = lake_arena_str(&e->arena, lake_buffer_view(&text).ptr, text.len);
    lake_buffer_clear(&text);
    return c->name.ptr && c->type.ptr ? LAKE_OK : lake_fail_memory(err);
}

lake_status est_named_field(lake_arena *arena, const lake_schema *schema, const char *name, bool sensitive,
    const lake_field **out, lake_error *err) {
    const lake_tree *tree;
    lake_bound *bound;
    lake_str sql = lake_arena_printf(arena, "%s IS NULL", name);
    lake_bind_options options = {.case_sensitive = sensitive};
    if (!sql.ptr)
        return lake_fail_memory(err);
    lake_status s = lake_tree_from_sql(arena, sql, &tree, err);
    if (s == LAKE_OK)
        s = lake_bind(arena, tree, schema, &options, &bound, err);
    if (s != LAKE_OK) {
        if (err)
            err->offset = -1; /* in a text that the caller did not write */
        return s;
    }
    const lake_node *root = bound->detail;
    if (bound->nterms != 1 || root->op != LAKE_NODE_STEP || !root->leaf || root->leaf->transform ||
        root->leaf->mapped || lake_type_is_nested(&bound->terms[0].field->type))
        return lake_fail(err, LAKE_ERR_USAGE, "%s: not the name of a column with single values", name);
    *out = bound->terms[0].field;
    return LAKE_OK;
}

static lake_status set_columns(lake_estimate *e, const lake_estimate_options *o, lake_error *err) {
    const lake_bound *bound = e->plan->bound;
    size_t rooms[2] = {0, 0};
    for (size_t i = 0; i < bound->nterms; i++) { /* in their order, so that its nodes find them */
        if (!lake_tree_grow(&e->arena, &e->terms, sizeof *e->terms, e->nterms, &rooms[0]))
            return lake_fail_memory(err);
        e->terms[e->nterms++] = bound->terms[i];
    }
    for (size_t i = 0; i < bound->nterms; i++)
        LAKE_TRY(add_column(e, rooms, bound->terms[i].field, err));
    for (size_t i = 0; i < o->ncolumns; i++) {
        const lake_field *field;
        LAKE_TRY(
            est_named_field(&e->arena, e->plan->planning.schema, o->columns[i], o->case_sensitive > 0, &field, err));
        LAKE_TRY(add_column(e, rooms, field, err));
    }
    const lake_schema *schema = e->plan->planning.schema;
    if (!o->where && !o->filter && !o->ncolumns)
        for (size_t i = 0; i < schema->nby_id; i++)
            LAKE_TRY(add_column(e, rooms, schema->by_id[i], err));
    e->facts = LAKE_ARENA_ARRAY(&e->arena, lake_facts, e->nterms + 1);
    e->weights = LAKE_ARENA_ARRAY(&e->arena, est_term, e->nterms + 1);
    e->files = LAKE_ARENA_ARRAY(&e->arena, est_file, e->plan->ntasks + 1);
    return e->facts && e->weights && e->files ? LAKE_OK : lake_fail_memory(err);
}

/* ---------------------------------------------------------------- one file */
typedef struct est_maker {
    const lake_spec *spec;
    lake_fact_maker *maker;
    struct est_maker *next;
} est_maker;

static lake_status maker_of(
    lake_estimate *e, est_maker **all, const lake_spec *spec, lake_fact_maker **out, lake_error *err) {
    est_maker *m = *all;
    while (m && m->spec != spec)
        m = m->next;
    if (!m) {
        m = LAKE_ARENA_NEW(&e->arena, est_maker);
        if (!m)
            return lake_fail_memory(err);
        LAKE_TRY(lake_fact_maker_new(&e->arena, &e->plan->planning, e->terms, e->nterms, spec, &m->maker, err));
        m->spec = spec;
        m->next = *all;
        *all = m;
    }
    *out = m->maker;
    return LAKE_OK;
}

static const est_column *column_of(const lake_estimate *e, const lake_field *field) {
    for (size_t i = 0; i < e->ncolumns; i++)
        if (e->columns[i].field == field)
            return &e->columns[i];
    return NULL;
}

static const double LEAST = 1. / 1024; /* rows of a file that is kept: an interval may be too fine to be measured */
enum { NULLS_ONE_IN = 10, NANS_ONE_IN = 100 }; /* where nobody knows */

static double recorded_share(int64_t n, int64_t records, double given, double assumed) {
    if (n >= 0 && records > 0 && n <= records)
        return (double)n / (double)records;
    return given >= 0 ? given : assumed;
}

static void weigh(const lake_estimate *e, const est_view *view, size_t i, est_term *out) {
    const lake_field *field = e->terms[i].field;
    const lake_facts *f = &e->facts[i];
    const lake_column_metrics *m = est_metrics_of(view, field->id);
    const est_column *c = column_of(e, field);
    int64_t records = view->entry.record_count;
    *out = (est_term){.facts = f, .type = &field->type, .values = -1, .ndv = -1};
    if (f->null)
        out->nulls = !f->value && !f->nan ? 1
                                          : recorded_share(m && (m->has & LAKE_METRIC_NULLS) ? m->nulls : -1, records,
                                                c ? c->given.null_share : -1, 1. / NULLS_ONE_IN);
    if (f->nan && lake_type_kind(&field->type) == LAKE_KEY_FLOAT)
        out->nans = !f->value && !f->null ? 1
                                          : recorded_share(m && (m->has & LAKE_METRIC_NANS) ? m->nans : -1, records,
                                                c ? c->given.nan_share : -1, 1. / NANS_ONE_IN);
    double both = out->nulls + out->nans;
    if (both > 1 || (!f->value && both > 0)) {
        out->nulls /= both;
        out->nans /= both;
        both = 1;
    }
    if (records >= 0)
        out->values = (1 - both) * (double)records;
    if (!c)
        return;
    out->ndv = c->given.ndv;
    if (view->dictionary && view->dictionary[c - e->columns] >= 0)
        out->ndv = view->dictionary[c - e->columns];
    out->has_guess = c->given.has_span && !e->terms[i].is_bucket;
    out->guess = c->given.span;
}

/* Rows of a file that its delete files take, on average: each record of an equality delete is taken to find one row,
   in one of the files that it may touch. */
static double deleted_rows(const lake_estimate *e, const plan_task *t, const double *users) {
    double n = 0;
    for (size_t i = 0; i < t->view.ndeletes; i++) {
        const plan_delete *d = e->plan->used_deletes[t->view.deletes[i]];
        if (d->entry.record_count > 0)
            n += (double)d->entry.record_count / (plan_is_vector(&d->entry) ? 1 : users[t->view.deletes[i]]);
    }
    return n;
}

static double within(double x, const est_file *f) {
    x = f->high >= 0 && x > (double)f->high ? (double)f->high : x;
    return x < (double)f->low ? (double)f->low : x;
}

static void file_rows(
    lake_estimate *e, est_file *f, const est_view *view, est_share share, bool whole, const double *users) {
    const plan_task *t = view->task;
    int64_t records = view->entry.record_count, exact = -1;
    *f = (est_file){.rows = {LAKE_ABSENT, 0, "none"}, .share = share.t, .estimate = -1, .high = -1};
    if (records < 0)
        return;
    plan_counted_rows(e->plan->bound, &view->entry, e->facts, &f->low, &f->high);
    if (t->view.ndeletes == 0 && f->low == f->high)
        exact = f->low;
    else if (f->high == 0)
        exact = 0;
    else if (whole && t->sure_rows > 0)
        exact = t->sure_rows;
    if (t->view.ndeletes)
        f->low = exact < 0 ? 0 : exact;
    if (exact >= 0) {
        f->rows = (lake_figure){LAKE_EXACT, exact, e->base};
        f->estimate = (double)exact;
        f->low = f->high = exact;
        if (records > 0 && !t->view.ndeletes)
            f->share = (double)exact / (double)records;
        return;
    }
    double left = (double)records - deleted_rows(e, t, users);
    f->estimate = within(share.t * (left > 0 ? left : 0), f);
    if (f->estimate < LEAST && records > 0)
        f->estimate = LEAST;
    f->rows = (lake_figure){LAKE_INEXACT, est_round(f->estimate), e->base};
}

est_view est_view_of(const lake_estimate *e, const plan_task *t) {
    est_view view = {.task = t, .entry = t->entry};
    if (e->plan->options.stats) {
        view.entry.columns = t->all_columns;
        view.entry.ncolumns = t->nall_columns;
    }
    return view;
}

static lake_status one_file(lake_estimate *e, size_t i, est_maker **makers, const double *users, lake_error *err) {
    const plan_task *t = e->plan->tasks[i];
    const lake_bound *bound = e->plan->bound;
    lake_fact_maker *maker = NULL;
    est_view view = e->views ? e->views[i] : est_view_of(e, t);
    lake_arena_reset(&e->scratch);
    LAKE_TRY(maker_of(e, makers, t->spec, &maker, err));
    if (!lake_facts_of_entry(maker, &view.entry, false, &e->scratch, e->facts))
        return lake_fail_memory(err);
    for (size_t k = 0; k < e->nterms; k++)
        weigh(e, &view, k, &e->weights[k]);
    bool whole = lake_node_evaluate(bound->root, bound, e->facts) == LAKE_T;
    est_share share = est_node_share(bound->root, bound, e->weights, e->facts);
    file_rows(e, &e->files[i], &view, share, whole, users);
    if (view.entry.record_count == 0)
        return LAKE_OK; /* nothing is in it, whatever it does not say */
    return est_columns_add(e, &view, share, whole, err);
}

static lake_status all_files(lake_estimate *e, lake_error *err) {
    const lake_plan *plan = e->plan;
    double *users = LAKE_ARENA_ARRAY(&e->arena, double, plan->nused + 1);
    est_maker *makers = NULL;
    if (!users)
        return lake_fail_memory(err);
    for (size_t i = 0; i < plan->ntasks; i++)
        for (size_t k = 0; k < plan->tasks[i]->view.ndeletes; k++)
            users[plan->tasks[i]->view.deletes[k]]++;
    if (e->footers)
        LAKE_TRY(est_read_footers(e, err));
    for (size_t i = 0; i < plan->ntasks; i++)
        LAKE_TRY(one_file(e, i, &makers, users, err));
    return LAKE_OK;
}

/* ---------------------------------------------------------------- sums */
typedef struct sums {
    double rows, known_records, known_bytes, bytes, output;
    int64_t exact_rows, low, high; /* high -1: unknown */
    size_t unknown, inexact, unsized;
} sums;

static void add_file(sums *s, const lake_estimate *e, size_t i) {
    const plan_task *t = e->plan->tasks[i];
    const est_file *f = &e->files[i];
    int64_t records = t->entry.record_count, size = t->entry.file_size;
    s->unsized += size <= 0;
    s->bytes += size > 0 ? (double)size : 0;
    if (f->estimate < 0) {
        s->unknown++;
        s->high = -1;
        return;
    }
    if (size > 0) {
        s->known_records += f->estimate;
        s->known_bytes += (double)size;
        s->output += records > 0 ? (double)size * (f->estimate / (double)records) : 0;
    }
    if (f->rows.precision == LAKE_EXACT)
        s->exact_rows = lake_total_add(s->exact_rows, f->rows.value);
    else {
        s->rows += f->estimate;
        s->inexact++;
    }
    s->low = lake_total_add(s->low, f->low);
    s->high = s->high < 0 || f->high < 0 ? -1 : lake_total_add(s->high, f->high);
}

/* Files without a record count: as many matching rows a byte as in the others. */
static bool guess_unknown(sums *s, const lake_estimate *e) {
    for (size_t i = 0; i < e->plan->ntasks; i++)
        if (e->files[i].estimate < 0) {
            int64_t size = e->plan->tasks[i]->entry.file_size;
            if (s->known_bytes <= 0 || size <= 0)
                return false;
            s->rows += s->known_records / s->known_bytes * (double)size;
        }
    return true;
}

static void sum_rows(lake_estimate *e, sums *s) {
    lake_estimate_totals *t = &e->totals;
    t->rows_low = s->low;
    t->rows_high = s->high;
    if (!guess_unknown(s, e)) {
        t->rows = (lake_figure){LAKE_ABSENT, 0, "none"};
        return;
    }
    bool exact = !s->unknown && !s->inexact;
    double more = s->rows > 0 && s->rows < 1 ? 1 : s->rows;
    t->rows = (lake_figure){exact ? LAKE_EXACT : LAKE_INEXACT, lake_total_add(s->exact_rows, est_round(more)),
        e->plan->ntasks ? e->base : "predicate"};
}

static void sum_total(lake_estimate *e, bool unknown) {
    const lake_plan_counts *c = &e->plan->counts;
    lake_estimate_totals *t = &e->totals;
    bool read = e->plan->nlines > 0 || !e->plan->planning.snapshot;
    lake_precision p = read ? LAKE_EXACT : LAKE_INEXACT;
    int64_t rows = -1;
    t->total_rows = (lake_figure){LAKE_ABSENT, 0, "none"};
    t->files = (lake_figure){LAKE_EXACT, (int64_t)e->plan->ntasks, e->plan->ntasks ? e->base : "predicate"};
    t->total_files =
        c->total_files < 0 ? t->total_rows : (lake_figure){p, c->total_files, read ? e->base : "snapshot summary"};
    if (c->total_rows >= 0) /* rows before deletes */
        t->total_rows = (lake_figure){
            c->total_delete_manifests ? LAKE_INEXACT : p, c->total_rows, read ? e->base : "snapshot summary"};
    else if (e->stats && lake_json_i64(lake_json_get(e->stats, "row-count"), &rows) && rows >= 0)
        t->total_rows = (lake_figure){LAKE_INEXACT, rows, "stats-file"};
    else if (e->plan->trivial)
        t->total_rows = t->rows;
    if (unknown && t->total_rows.precision == LAKE_EXACT) { /* lists cannot count what nobody has counted */
        t->total_rows.precision = LAKE_INEXACT;
        if (t->rows.value > t->total_rows.value)
            t->total_rows.value = t->rows.value;
    }
    e->table_rows = t->total_rows.precision == LAKE_ABSENT ? -1 : (double)t->total_rows.value;
}

/* What the plan itself knows of the number of rows holds, too. */
static lake_status join_counts(lake_estimate *e, lake_error *err) {
    lake_estimate_totals *t = &e->totals;
    lake_row_count n;
    LAKE_TRY(lake_plan_row_count(e->plan, &n, err));
    if (n.low > t->rows_low)
        t->rows_low = n.low;
    if (n.high >= 0 && (t->rows_high < 0 || n.high < t->rows_high))
        t->rows_high = n.high;
    if (t->rows.precision == LAKE_ABSENT)
        return LAKE_OK;
    if (t->rows_low == t->rows_high)
        t->rows.precision = LAKE_EXACT;
    if (t->rows.value < t->rows_low)
        t->rows.value = t->rows_low;
    if (t->rows_high >= 0 && t->rows.value > t->rows_high)
        t->rows.value = t->rows_high;
    return LAKE_OK;
}

static lake_status sum_up(lake_estimate *e, lake_error *err) {
    lake_estimate_totals *t = &e->totals;
    sums s = {0};
    for (size_t i = 0; i < e->plan->ntasks; i++)
        add_file(&s, e, i);
    sum_rows(e, &s);
    LAKE_TRY(join_counts(e, err));
    sum_total(e, s.unknown > 0);
    t->bytes = (lake_figure){s.unsized ? LAKE_INEXACT : LAKE_EXACT, est_round(s.bytes), t->files.source};
    bool all = t->rows.precision == LAKE_EXACT && e->plan->counts.match_all_files == (int64_t)e->plan->ntasks &&
        !e->plan->nused;
    t->output_bytes = all ? t->bytes : (lake_figure){LAKE_INEXACT, est_round(s.output), t->files.source};
    if (t->rows.precision == LAKE_EXACT && t->rows.value == 0) {
        t->selectivity_precision = LAKE_EXACT;
        t->output_bytes = (lake_figure){LAKE_EXACT, 0, t->rows.source};
    } else if (t->rows.precision != LAKE_ABSENT && t->total_rows.precision != LAKE_ABSENT && t->total_rows.value > 0) {
        t->selectivity = (double)t->rows.value / (double)t->total_rows.value;
        t->selectivity = t->selectivity > 1 ? 1 : t->selectivity;
        t->selectivity_precision =
            t->rows.precision < t->total_rows.precision ? t->rows.precision : t->total_rows.precision;
    }
    return LAKE_OK;
}

/* ---------------------------------------------------------------- opening */
/* A table, or files and folders of files. */
typedef struct subject {
    lake_table *table;
    lake_session *session;
    const char *const *paths;
    size_t npaths;
    const lake_listing_options *listing;
} subject;

static lake_status run(lake_estimate *e, const subject *what, const lake_estimate_options *o, lake_error *err) {
    lake_plan_options p = LAKE_PLAN_OPTIONS_INIT;
    p.where = o->where;
    p.filter = o->filter;
    p.snapshot = o->snapshot;
    p.case_sensitive = o->case_sensitive;
    p.nan_largest = o->nan_largest;
    p.stats = o->ncolumns > 0 || (!o->where && !o->filter) || o->footers;
    e->footers = o->footers != 0;
    e->base = what->table ? "manifests" : "footers";
    LAKE_TRY(what->table
            ? lake_plan_open(what->table, &p, &e->plan, err)
            : plan_open_paths(what->session, what->paths, what->npaths, what->listing, &p, e->footers, &e->plan, err));
    LAKE_TRY(set_columns(e, o, err));
    if (o->stats_json)
        LAKE_TRY(est_stats_parse(e, o->stats_json, err));
    LAKE_TRY(est_ask(e, err));
    LAKE_TRY(all_files(e, err));
    LAKE_TRY(sum_up(e, err));
    return est_columns_finish(e, err);
}

static lake_status open_estimate(
    const subject *what, const lake_estimate_options *options, lake_estimate **out, lake_error *err) {
    static const lake_estimate_options none = LAKE_ESTIMATE_OPTIONS_INIT;
    *out = NULL;
    lake_estimate *e = lake_mem_zalloc(1, sizeof *e);
    if (!e)
        return lake_fail_memory(err);
    lake_arena_init(&e->arena, 0);
    lake_arena_init(&e->scratch, 0);
    lake_status s = run(e, what, options ? options : &none, err);
    if (s != LAKE_OK) {
        lake_estimate_close(e);
        return s;
    }
    *out = e;
    return LAKE_OK;
}

lake_status lake_estimate_open(
    lake_table *table, const lake_estimate_options *options, lake_estimate **out, lake_error *err) {
    return open_estimate(&(subject){.table = table}, options, out, err);
}

lake_status lake_estimate_open_paths(lake_session *session, const char *const *paths, size_t npaths,
    const lake_listing_options *listing, const lake_estimate_options *options, lake_estimate **out, lake_error *err) {
    return open_estimate(
        &(subject){.session = session, .paths = paths, .npaths = npaths, .listing = listing}, options, out, err);
}

void lake_estimate_close(lake_estimate *e) {
    if (!e)
        return;
    lake_plan_close(e->plan);
    for (unsigned i = 0; i < e->narenas; i++)
        lake_arena_clear(&e->arenas[i]);
    lake_arena_clear(&e->scratch);
    lake_arena_clear(&e->arena);
    lake_mem_free(e);
}
