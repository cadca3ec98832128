/* Rows that counts alone tell: how many records of a file a predicate is TRUE for, at least and at most. Each step
   function knows its own values, nulls and NaNs; ANDs and ORs of them overlap as little or as much as they can. */
#include "planner/counted.h"

void plan_exact_counts(
    const lake_entry *e, const lake_field *field, const lake_facts *f, int64_t *nulls, int64_t *nans) {
    const lake_column_metrics *m = NULL;
    for (size_t i = 0; i < e->ncolumns && !m; i++)
        if (e->columns[i].id == field->id)
            m = &e->columns[i];
    int64_t records = e->record_count;
    bool floating = lake_type_kind(&field->type) == LAKE_KEY_FLOAT;
    bool agree = m && records >= 0 && (m->has & LAKE_METRIC_VALUES) && m->values == records && !field->inside_list;
    *nulls = !f->null ? 0 : records >= 0 && !f->value && !f->nan ? records : -1;
    if (*nulls < 0 && agree && (m->has & LAKE_METRIC_NULLS) && m->nulls >= 0 && m->nulls <= records)
        *nulls = m->nulls;
    *nans = !floating || !f->nan ? 0 : records >= 0 && !f->value && !f->null ? records : -1;
    if (*nans < 0 && agree && (m->has & LAKE_METRIC_NANS) && m->nans >= 0 && m->nans <= records)
        *nans = m->nans;
    if (*nulls >= 0 && *nans >= 0 && records >= 0 && *nulls > records - *nans)
        *nulls = *nans = -1;
}

/* Records for which a node is TRUE and FALSE: [low, high] of each. */
typedef struct counted {
    int64_t t_low, t_high, f_low, f_high;
} counted;

typedef struct counting {
    const lake_bound *bound;
    const lake_entry *entry;
    const lake_facts *facts;
    int64_t n; /* records */
} counting;

static counted of_set(lake_outcomes set, int64_t n) {
    return (counted){set == LAKE_T ? n : 0, set & LAKE_T ? n : 0, set == LAKE_F ? n : 0, set & LAKE_F ? n : 0};
}

static void add(counted *sum, counted x) { /* parts of the same records: no more than there are */
    sum->t_low += x.t_low;
    sum->t_high += x.t_high;
    sum->f_low += x.f_low;
    sum->f_high += x.f_high;
}

static counted of_step(const counting *c, const lake_node *node) {
    const lake_field *field = c->bound->terms[node->term].field;
    const lake_facts *f = &c->facts[node->term];
    const lake_step *s = node->step;
    counted sum = {0};
    int64_t nulls = -1, nans = -1;
    if (!c->bound->terms[node->term].is_bucket)
        plan_exact_counts(c->entry, field, f, &nulls, &nans);
    if (nulls < 0)
        return of_set(lake_node_evaluate(node, c->bound, c->facts), c->n);
    lake_facts rest; /* with NaNs, if nobody has counted them */
    lake_facts_copy(&rest, f);
    rest.null = false;
    rest.nan = f->nan && nans < 0;
    nans = nans < 0 ? 0 : nans;
    add(&sum, of_set(lake_step_outcomes(s, &rest, &field->type), c->n - nulls - nans));
    add(&sum, of_set(s->null, nulls));
    add(&sum, of_set(s->nan, nans));
    return sum;
}

static int64_t at_least_0(int64_t n) {
    return n > 0 ? n : 0;
}

static int64_t less(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static counted swapped(counted x) {
    return (counted){x.f_low, x.f_high, x.t_low, x.t_high};
}

static counted of_node(const counting *c, const lake_node *node);

static counted of_and(const counting *c, const lake_node *node, bool or) {
    counted all = {c->n, c->n, 0, 0};
    for (size_t i = 0; i < node->nkids; i++) {
        counted kid = of_node(c, node->kids[i]);
        kid = or ? swapped(kid) : kid;
        all.t_low = at_least_0(all.t_low - (c->n - kid.t_low));
        all.t_high = less(all.t_high, kid.t_high);
        all.f_low = all.f_low > kid.f_low ? all.f_low : kid.f_low;
        all.f_high = less(c->n, all.f_high + less(c->n - all.f_high, kid.f_high));
    }
    return or ? swapped(all) : all;
}

/* kid IS one of a set. */
static counted of_is(const counting *c, const lake_node *node) {
    counted kid = of_node(c, node->kids[0]), out = {0};
    int64_t u_low = c->n - kid.t_high - less(c->n - kid.t_high, kid.f_high);
    out.t_low =
        (node->set & LAKE_T ? kid.t_low : 0) + (node->set & LAKE_F ? kid.f_low : 0) + (node->set & LAKE_U ? u_low : 0);
    out.f_low =
        (node->set & LAKE_T ? 0 : kid.t_low) + (node->set & LAKE_F ? 0 : kid.f_low) + (node->set & LAKE_U ? 0 : u_low);
    out.t_high = c->n - out.f_low;
    out.f_high = c->n - out.t_low;
    return out;
}

static counted of_node(const counting *c, const lake_node *node) {
    switch (node->op) {
    case LAKE_NODE_STEP: return of_step(c, node);
    case LAKE_NODE_NOT: return swapped(of_node(c, node->kids[0]));
    case LAKE_NODE_AND: return of_and(c, node, false);
    case LAKE_NODE_OR: return of_and(c, node, true);
    case LAKE_NODE_IS: return of_is(c, node);
    default: return of_set(lake_node_evaluate(node, c->bound, c->facts), c->n);
    }
}

void plan_counted_rows(
    const lake_bound *bound, const lake_entry *entry, const lake_facts *facts, int64_t *low, int64_t *high) {
    counting c = {bound, entry, facts, entry->record_count};
    *low = 0;
    *high = -1;
    if (c.n < 0)
        return;
    counted x = of_node(&c, bound->root), y = of_set(lake_node_evaluate(bound->root, bound, facts), c.n);
    *low = x.t_low > y.t_low ? x.t_low : y.t_low;
    *high = less(x.t_high, y.t_high);
}
