/* A column behind the filter: the interval that holds every matching value, nulls, NaNs and distinct values that are
   left. The interval is sound; the counts are exact where the whole file matches and its counts agree with each other.
 */
#include "planner/estimate.h"

#include <math.h>

/* ---------------------------------------------------------------- where the predicate may be TRUE */
static est_region whole_region(lake_key_kind kind, const lake_facts *f) {
    est_region r = {f->null, f->nan, f->value && f->nspans > 0, {lake_end_low(), lake_end_top()}};
    for (int i = 0; i < f->nspans; i++) {
        if (i == 0 || lake_end_below(kind, &f->spans[i].lo, &r.span.lo))
            r.span.lo = f->spans[i].lo;
        if (i == 0 || lake_end_below(kind, &r.span.hi, &f->spans[i].hi))
            r.span.hi = f->spans[i].hi;
    }
    return r;
}

static est_region unite(lake_key_kind kind, est_region a, est_region b) {
    if (a.value && b.value) {
        if (lake_end_below(kind, &b.span.lo, &a.span.lo))
            a.span.lo = b.span.lo;
        if (lake_end_below(kind, &a.span.hi, &b.span.hi))
            a.span.hi = b.span.hi;
    } else if (b.value) {
        a.span = b.span;
    }
    a.null |= b.null;
    a.nan |= b.nan;
    a.value |= b.value;
    return a;
}

static est_region both(lake_key_kind kind, est_region a, est_region b) {
    if (lake_end_below(kind, &a.span.lo, &b.span.lo))
        a.span.lo = b.span.lo;
    if (lake_end_below(kind, &b.span.hi, &a.span.hi))
        a.span.hi = b.span.hi;
    a.null &= b.null;
    a.nan &= b.nan;
    a.value &= b.value && lake_end_below(kind, &a.span.lo, &a.span.hi);
    return a;
}

/* The part of a span from its first TRUE segment to its last. */
static est_region span_region(const lake_step *s, const lake_span *span) {
    est_region r = {false, false, false, *span};
    size_t first = span->lo.at == LAKE_END_KEY ? lake_step_segment(s, span->lo.key) : 0,
           last = span->hi.at == LAKE_END_KEY ? lake_step_segment(s, span->hi.key) : s->ncuts;
    if (span->hi.at == LAKE_END_KEY && last && lake_key_cmp(s->kind, s->cuts[last - 1], span->hi.key) == 0)
        last--; /* that segment begins where the span ends */
    while (first < last && !(s->outs[first] & LAKE_T))
        first++;
    while (first < last && !(s->outs[last] & LAKE_T))
        last--;
    r.value = s->outs[first] & LAKE_T;
    est_region part = {false, false, true,
        {first ? lake_end_key(s->cuts[first - 1]) : lake_end_low(),
            last < s->ncuts ? lake_end_key(s->cuts[last]) : lake_end_top()}};
    return both(s->kind, r, part);
}

static est_region step_region(const lake_step *s, const lake_facts *f) {
    est_region r = {f->null && s->null & LAKE_T, f->nan && s->nan & LAKE_T, false, {lake_end_low(), lake_end_top()}};
    for (int k = 0; f->value && k < f->nspans; k++)
        r = unite(s->kind, r, span_region(s, &f->spans[k]));
    return r;
}

est_region est_node_region(const lake_node *n, const lake_bound *bound, const lake_facts *facts,
    const lake_field *field, const lake_facts *own) {
    lake_key_kind kind = lake_type_kind(&field->type);
    est_region all = whole_region(kind, own), r = {0};
    if (!(lake_node_evaluate(n, bound, facts) & LAKE_T))
        return r;
    if (n->op == LAKE_NODE_STEP && bound->terms[n->term].field == field && !bound->terms[n->term].is_bucket)
        return step_region(n->step, own);
    if (n->op == LAKE_NODE_AND) {
        for (size_t i = 0; i < n->nkids; i++)
            all = both(kind, all, est_node_region(n->kids[i], bound, facts, field, own));
        return all;
    }
    if (n->op == LAKE_NODE_OR) {
        for (size_t i = 0; i < n->nkids; i++)
            r = unite(kind, r, est_node_region(n->kids[i], bound, facts, field, own));
        return r;
    }
    return all;
}

/* The share of rows that the column's own part of the predicate lets through. */
static double own_share(const lake_estimate *e, const est_column *c) {
    const lake_bound *bound = e->plan->bound;
    const lake_node *root = bound->root;
    const lake_node *const *kids = root->op == LAKE_NODE_AND ? root->kids : &root;
    size_t n = root->op == LAKE_NODE_AND ? root->nkids : 1;
    double share = 1;
    for (size_t i = 0; i < n; i++)
        if (kids[i]->op == LAKE_NODE_STEP && kids[i]->term == c->bound_term)
            share *= est_node_share(kids[i], bound, e->weights, e->facts).t;
    return share;
}

/* ---------------------------------------------------------------- one file */
const lake_column_metrics *est_metrics_of(const est_view *view, int32_t id) {
    for (size_t i = 0; i < view->entry.ncolumns; i++)
        if (view->entry.columns[i].id == id)
            return &view->entry.columns[i];
    return NULL;
}

static bool keep_end(lake_estimate *e, lake_key_kind kind, lake_end *end) {
    if (kind != LAKE_KEY_BYTES || end->at != LAKE_END_KEY)
        return true;
    end->key.b = lake_arena_bytes(&e->arena, end->key.b.ptr, end->key.b.len);
    return end->key.b.ptr != NULL;
}

static bool take_span(lake_estimate *e, est_column *c, const lake_span *s, bool certain) {
    bool first = !c->any_value;
    c->any_value = true;
    int lo = first ? -1 : lake_end_cmp(c->kind, s->lo, c->span.lo),
        hi = first ? 1 : lake_end_cmp(c->kind, s->hi, c->span.hi);
    if (lo < 0) {
        c->span.lo = s->lo;
        if (!keep_end(e, c->kind, &c->span.lo))
            return false;
    }
    if (hi > 0) {
        c->span.hi = s->hi;
        if (!keep_end(e, c->kind, &c->span.hi))
            return false;
    }
    c->lo_exact = lo < 0 ? certain : c->lo_exact || (lo == 0 && certain);
    c->hi_exact = hi > 0 ? certain : c->hi_exact || (hi == 0 && certain);
    return true;
}

/* The predicate's share of TRUE among the rows in which the column is null (or NaN). */
static double share_if(lake_estimate *e, const est_column *c, bool nan) {
    const lake_bound *bound = e->plan->bound;
    if (c->bound_term == UINT32_MAX)
        return est_node_share(bound->root, bound, e->weights, e->facts).t;
    est_term kept = e->weights[c->bound_term];
    lake_facts facts = *kept.facts;
    e->weights[c->bound_term].nulls = !nan;
    e->weights[c->bound_term].nans = nan;
    lake_facts_set(&e->facts[c->bound_term], !nan, nan, false);
    double t = est_node_share(bound->root, bound, e->weights, e->facts).t;
    lake_facts_copy(&e->facts[c->bound_term], &facts);
    e->weights[c->bound_term] = kept;
    return t;
}

static void tally(lake_estimate *e, est_column *c, const est_view *view, est_tally *sum, bool nan, bool possible,
    est_share share, bool whole) {
    const lake_facts *f = &e->facts[c->term];
    const lake_column_metrics *m = est_metrics_of(view, c->field->id);
    int64_t records = view->entry.record_count, exact[2], recorded = -1;
    double left = records > 0 ? share.t * (double)records : 0;
    if (!possible)
        return; /* none, for certain */
    plan_exact_counts(&view->entry, c->field, f, &exact[0], &exact[1]);
    if (exact[nan] >= 0)
        recorded = exact[nan];
    else if (m && (m->has & (nan ? LAKE_METRIC_NANS : LAKE_METRIC_NULLS)) && (nan ? m->nans : m->nulls) >= 0)
        recorded = nan ? m->nans : m->nulls;
    const lake_node *root = e->plan->bound->root;
    bool decided = whole; /* every such row matches */
    if (root->op == LAKE_NODE_STEP && root->term == c->bound_term)
        decided |= (nan ? root->step->nan : root->step->null) == LAKE_T;
    sum->inexact |= records < 0 || view->task->view.ndeletes || exact[nan] < 0 || !decided;
    if (records < 0 || recorded < 0) {
        sum->unknown_rows += records < 0 ? 1 : left;
        return;
    }
    sum->known_rows += left;
    sum->sum += (double)recorded * (decided ? 1 : share_if(e, c, nan));
    if (view->from_footer && view->from_footer[c - e->columns])
        sum->source = "footers";
}

lake_status est_columns_add(lake_estimate *e, const est_view *view, est_share share, bool whole, lake_error *err) {
    const lake_bound *bound = e->plan->bound;
    int64_t records = view->entry.record_count;
    for (size_t i = 0; i < e->ncolumns; i++) {
        est_column *c = &e->columns[i];
        const lake_facts *own = &e->facts[c->term];
        est_region r = est_node_region(bound->root, bound, e->facts, c->field, own);
        lake_key one;
        bool certain =
            whole && records > 0 && !view->task->view.ndeletes && lake_facts_single(&e->scratch, c->kind, own, &one);
        if (r.value && !take_span(e, c, &r.span, certain))
            return lake_fail_memory(err);
        if (view->from_footer && view->from_footer[i])
            c->bounds_source = "footers";
        tally(e, c, view, &c->nulls, false, r.null, share, whole);
        if (c->kind == LAKE_KEY_FLOAT)
            tally(e, c, view, &c->nans, true, r.nan, share, whole);
        if (records > 0)
            c->own_rows += own_share(e, c) * (double)records;
        if (view->dictionary && view->dictionary[i] > c->footer_ndv)
            c->footer_ndv = view->dictionary[i];
    }
    return LAKE_OK;
}

/* ---------------------------------------------------------------- figures */
static lake_figure figure_of(const lake_estimate *e, const est_tally *t, double given_share, const char *given_source) {
    double unknown = given_share >= 0 ? t->unknown_rows * given_share : 0;
    if (t->unknown_rows > 0 && given_share < 0) {
        if (t->known_rows <= 0)
            return (lake_figure){LAKE_ABSENT, 0, "none"};
        unknown = t->sum / t->known_rows * t->unknown_rows;
    }
    const char *source = t->unknown_rows > 0 && t->known_rows <= 0 ? given_source : t->source;
    return (lake_figure){
        t->inexact ? LAKE_INEXACT : LAKE_EXACT, est_round(t->sum + unknown), source ? source : e->base};
}

/* Of D distinct values in n rows that are drawn from N, by the chance that a value is drawn at all. */
static double values_left(double d, double n, double all) {
    if (all <= 0 || n >= all || d <= 0)
        return d;
    double left = d * (1 - pow(1 - n / all, all / d));
    return left < 1 ? 1 : left;
}

static lake_figure distinct_left(const lake_estimate *e, const est_column *c) {
    const lake_estimate_totals *t = &e->totals;
    double keys = c->any_value ? est_span_keys(c->kind, &c->span) : 0;
    double d = c->given.ndv >= 0 ? c->given.ndv : c->footer_ndv;
    const char *source = c->given.ndv >= 0 ? c->given.ndv_source : "footers";
    if (!c->any_value || (t->rows.precision == LAKE_EXACT && t->rows.value == 0))
        return (lake_figure){LAKE_EXACT, 0, "predicate"};
    if (keys == 1)
        return (lake_figure){c->lo_exact ? LAKE_EXACT : LAKE_INEXACT, 1, c->bounds_source};
    if (c->kind == LAKE_KEY_NONE)
        return (lake_figure){LAKE_ABSENT, 0, "none"};
    if (d < 0) {
        if (keys != 2 || t->rows.precision == LAKE_ABSENT)
            return (lake_figure){LAKE_ABSENT, 0, "none"};
        d = 2;
        source = "interval";
    }
    if (t->rows.precision != LAKE_ABSENT) {
        double rows = (double)t->rows.value, all = e->table_rows;
        double own = all > 0 && c->own_rows < all && c->bound_term != UINT32_MAX ? c->own_rows / all : 1;
        d = values_left(d * own, rows, all * own);
        d = d > rows ? rows : d;
    }
    if (keys > 0 && d > keys)
        d = keys;
    return (lake_figure){LAKE_INEXACT, d < 1 ? 1 : est_round(d), source};
}

/* The last key in front of an exclusive end; for bytes the end itself where there is no such key. */
static lake_key last_key(lake_key_kind kind, lake_key hi) {
    if (kind == LAKE_KEY_INT)
        hi.i--;
    else if (kind == LAKE_KEY_FLOAT)
        hi.f = nextafter(hi.f, -INFINITY);
    else if (hi.b.len && hi.b.ptr[hi.b.len - 1] == 0)
        hi.b.len--;
    return hi;
}

static lake_status text_of(lake_estimate *e, const est_column *c, lake_key key, lake_str *out, lake_error *err) {
    lake_buffer b;
    if (c->field->type.id == LAKE_STRING && !lake_utf8_valid(key.b))
        return LAKE_OK; /* a cut within a character: it cannot be told */
    lake_buffer_init(&b);
    lake_value_to_json(&b, &c->field->type, key);
    lake_str view = lake_buffer_view(&b);
    *out = b.failed ? (lake_str){0} : lake_arena_str(&e->arena, view.ptr, view.len);
    lake_buffer_clear(&b);
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

static lake_status tell_bounds(lake_estimate *e, est_column *c, lake_error *err) {
    lake_end low, top;
    if (!c->any_value || c->kind == LAKE_KEY_NONE)
        return LAKE_OK;
    lake_type_range(&c->field->type, &low, &top);
    bool short_type = c->field->type.id == LAKE_BOOLEAN;
    if (c->span.lo.at == LAKE_END_KEY && (short_type || c->lo_exact || lake_end_cmp(c->kind, c->span.lo, low) > 0))
        LAKE_TRY(text_of(e, c, c->span.lo.key, &c->lower, err));
    if (c->span.hi.at == LAKE_END_KEY && (short_type || c->hi_exact || lake_end_cmp(c->kind, c->span.hi, top) < 0))
        LAKE_TRY(text_of(e, c, last_key(c->kind, c->span.hi.key), &c->upper, err));
    return LAKE_OK;
}

lake_status est_columns_finish(lake_estimate *e, lake_error *err) {
    for (size_t i = 0; i < e->ncolumns; i++) {
        est_column *c = &e->columns[i];
        LAKE_TRY(tell_bounds(e, c, err));
        c->nulls_left = figure_of(e, &c->nulls, c->given.null_share, c->given.share_source);
        c->nans_left = c->kind == LAKE_KEY_FLOAT ? figure_of(e, &c->nans, c->given.nan_share, c->given.share_source)
                                                 : (lake_figure){LAKE_ABSENT, 0, "none"};
        c->ndv_left = distinct_left(e, c);
    }
    return LAKE_OK;
}
