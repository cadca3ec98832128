/* What a hash join needs to know before it begins: which side to build from, whether it can be copied to every worker,
   and how many rows come out (|A||B| / max(ndv), key by key, nulls left out; keys are taken to be independent). */
#include "planner/estimate.h"

enum { BROADCAST_BYTES = 10 << 20, BROADCAST_ROWS = 131072 };

static lake_status find(const lake_estimate *e, const char *name, const est_column **out, lake_error *err) {
    lake_arena arena;
    const lake_field *field;
    lake_arena_init(&arena, 0);
    lake_status s = est_named_field(&arena, e->plan->planning.schema, name, false, &field, err);
    lake_arena_clear(&arena); /* the field is the schema's */
    *out = NULL;
    for (size_t i = 0; s == LAKE_OK && i < e->ncolumns; i++)
        if (e->columns[i].field == field)
            *out = &e->columns[i];
    if (s == LAKE_OK && !*out)
        return lake_fail(err, LAKE_ERR_USAGE, "join key %s: not among the columns of the estimate", name);
    return s;
}

static bool comparable(const lake_type *a, const lake_type *b) {
    bool integers = a->id == LAKE_INT || a->id == LAKE_LONG, floats = a->id == LAKE_FLOAT || a->id == LAKE_DOUBLE;
    return a->id == b->id || (integers && (b->id == LAKE_INT || b->id == LAKE_LONG)) ||
        (floats && (b->id == LAKE_FLOAT || b->id == LAKE_DOUBLE));
}

/* Is no key of one side one of the other's? Intervals hold every value that is left. */
static bool apart(const est_column *a, const est_column *b) {
    if (a->kind != b->kind || a->kind == LAKE_KEY_NONE || a->field->type.id != b->field->type.id ||
        a->field->type.scale != b->field->type.scale)
        return false;
    if (!a->any_value || !b->any_value)
        return true;
    return !lake_end_below(a->kind, &a->span.lo, &b->span.hi) || !lake_end_below(a->kind, &b->span.lo, &a->span.hi);
}

/* Rows with a key: not null. */
static double keyed(const lake_estimate *e, const est_column *c) {
    double rows = (double)e->totals.rows.value,
           nulls = c->nulls_left.precision == LAKE_ABSENT ? 0 : (double)c->nulls_left.value;
    return nulls < rows ? rows - nulls : 0;
}

/* Where nobody knows, a key may be unique: as many values as rows, or as integers in the interval. */
static double distinct(const est_column *c, double rows, bool *assumed) {
    if (c->ndv_left.precision != LAKE_ABSENT)
        return (double)c->ndv_left.value;
    double keys = c->any_value ? est_span_keys(c->kind, &c->span) : 0;
    *assumed = true;
    return keys >= 0 && keys < rows ? keys : rows;
}

static lake_status joined(const lake_estimate *l, const lake_estimate *r, const lake_join_key *keys, size_t nkeys,
    lake_join *out, lake_error *err) {
    bool assumed = false, none = false;
    double share = 1, first = -1;
    for (size_t i = 0; i < nkeys; i++) {
        const est_column *a, *b;
        LAKE_TRY(find(l, keys[i].left, &a, err));
        LAKE_TRY(find(r, keys[i].right, &b, err));
        if (!comparable(&a->field->type, &b->field->type))
            return lake_fail(err, LAKE_ERR_USAGE, "join key %s = %s: %.*s and %.*s cannot be equal", keys[i].left,
                keys[i].right, LAKE_ARG(a->type), LAKE_ARG(b->type));
        none |= apart(a, b);
        double ka = keyed(l, a), kb = keyed(r, b), da = distinct(a, ka, &assumed), db = distinct(b, kb, &assumed);
        double most = da > db ? da : db;
        if (first < 0)
            first = ka * kb;
        share *= most > 1 ? 1 / most : 1;
    }
    const lake_figure *a = &l->totals.rows, *b = &r->totals.rows;
    if (none || (a->precision == LAKE_EXACT && a->value == 0) || (b->precision == LAKE_EXACT && b->value == 0))
        out->rows = (lake_figure){LAKE_EXACT, 0, none ? "interval" : "predicate"};
    else if (a->precision == LAKE_ABSENT || b->precision == LAKE_ABSENT)
        out->rows = (lake_figure){LAKE_ABSENT, 0, "none"};
    else
        out->rows = (lake_figure){LAKE_INEXACT, est_round(first * share), assumed ? "assumed" : "ndv"};
    return LAKE_OK;
}

static void choose_build(const lake_estimate *l, const lake_estimate *r, lake_join *out) {
    const lake_estimate_totals *a = &l->totals, *b = &r->totals;
    bool bytes =
        a->output_bytes.precision && b->output_bytes.precision && a->output_bytes.value != b->output_bytes.value;
    bool rows = a->rows.precision && b->rows.precision && a->rows.value != b->rows.value;
    out->build_reason = bytes ? "bytes" : rows ? "rows" : "unknown";
    out->build = bytes ? b->output_bytes.value < a->output_bytes.value : rows ? b->rows.value < a->rows.value : 0;
}

lake_status lake_join_estimate(const lake_estimate *l, const lake_estimate *r, const lake_join_key *keys, size_t nkeys,
    const lake_join_options *options, lake_join *out, lake_error *err) {
    int64_t bytes = options && options->broadcast_bytes > 0 ? options->broadcast_bytes : BROADCAST_BYTES;
    int64_t rows = options && options->broadcast_rows > 0 ? options->broadcast_rows : BROADCAST_ROWS;
    *out = (lake_join){0};
    if (nkeys == 0)
        return lake_fail(err, LAKE_ERR_USAGE, "a join needs a key");
    LAKE_TRY(joined(l, r, keys, nkeys, out, err));
    choose_build(l, r, out);
    const lake_estimate_totals *t = out->build ? &r->totals : &l->totals;
    out->build_bytes = t->output_bytes;
    out->build_rows = t->rows;
    out->broadcast =
        t->output_bytes.precision ? t->output_bytes.value <= bytes : t->rows.precision && t->rows.value <= rows;
    return LAKE_OK;
}
