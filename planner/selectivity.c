/* How many rows a predicate is TRUE for, as shares. A step function's TRUE segments cover a share of the column's
   interval:
   - integers, dates, timestamps, decimals by the number of their units, floats by value, strings and bytes by the eight
     bytes behind what both ends share, read as a number;
   - a segment of a single value has 1/NDV of the values; where the NDV is unknown, it is as large as it can be: the
   number of values, or of integers in the interval;
   - where an end is open (no bound is known), each segment that is not a single value has the same share;
   - an outcome that is not decided (LIKE 'a_%', an opaque function) is TRUE for a third of the rows.
   Terms are taken to be independent of each other. */
#include "planner/estimate.h"

#include <math.h>

est_share est_share_of_set(lake_outcomes set) {
    switch (set & LAKE_ANY) {
    case LAKE_T: return (est_share){1, 0, 0};
    case LAKE_U: return (est_share){0, 0, 1};
    case LAKE_F | LAKE_U: return (est_share){0, 0.5, 0.5};
    case LAKE_T | LAKE_U: return (est_share){1. / 3, 0, 2. / 3};
    case LAKE_T | LAKE_F:
    case LAKE_ANY: return (est_share){1. / 3, 2. / 3, 0};
    default: return (est_share){0, 1, 0};
    }
}

/* ---------------------------------------------------------------- widths */
/* b - a, whose difference may pass 128 bits. */
static long double apart(lake_i128 a, lake_i128 b) {
    return b >= a ? (long double)((lake_u128)b - (lake_u128)a) : -(long double)((lake_u128)a - (lake_u128)b);
}

/* A key as a number on the line from `base` on. */
static long double place(lake_key_kind kind, lake_key base, size_t skip, lake_key key) {
    if (kind == LAKE_KEY_INT)
        return apart(base.i, key.i);
    if (kind == LAKE_KEY_FLOAT)
        return (long double)key.f - (long double)base.f;
    long double x = 0, unit = 1;
    for (size_t i = skip; i < skip + 8; i++) {
        unit /= 256;
        if (i < key.b.len)
            x += unit * key.b.ptr[i];
    }
    return x;
}

static size_t shared_prefix(lake_bytes a, lake_bytes b) {
    size_t n = 0;
    while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n])
        n++;
    return n;
}

static bool single(lake_key_kind kind, const lake_end *lo, const lake_end *hi) {
    if (lo->at != LAKE_END_KEY || hi->at != LAKE_END_KEY)
        return false;
    if (kind == LAKE_KEY_INT)
        return (lake_u128)hi->key.i - (lake_u128)lo->key.i == 1;
    if (kind == LAKE_KEY_FLOAT)
        return nextafter(lo->key.f, INFINITY) == hi->key.f;
    lake_bytes a = lo->key.b, b = hi->key.b;
    return b.len == a.len + 1 && b.ptr[a.len] == 0 && shared_prefix(a, b) == a.len;
}

double est_span_keys(lake_key_kind kind, const lake_span *s) {
    if (s->lo.at == LAKE_END_KEY && s->hi.at == LAKE_END_KEY && kind == LAKE_KEY_INT)
        return (double)apart(s->lo.key.i, s->hi.key.i);
    return single(kind, &s->lo, &s->hi) ? 1 : -1;
}

/* The interval that segments are measured in; false: it is open. */
typedef struct ruler {
    lake_key_kind kind;
    lake_key base;
    size_t skip;
    bool open;
    lake_end low, top; /* of the type: an end there is open, too (but of booleans and times, which are short) */
    const est_term *term;
} ruler;

static bool is_open(const ruler *r, const lake_span *s) {
    if (s->lo.at != LAKE_END_KEY || s->hi.at != LAKE_END_KEY)
        return true;
    if (r->kind == LAKE_KEY_FLOAT)
        return isinf(s->lo.key.f) || isinf(s->hi.key.f);
    if (r->kind != LAKE_KEY_INT || r->low.at != LAKE_END_KEY)
        return false;
    bool narrow = r->top.key.i - r->low.key.i <= 86400 * (lake_i128)1000000;
    return !narrow && (s->lo.key.i <= r->low.key.i || s->hi.key.i >= r->top.key.i);
}

static void make_ruler(ruler *r, lake_key_kind kind, const est_term *t) {
    const lake_facts *f = t->facts;
    *r = (ruler){.kind = kind, .term = t};
    if (kind == LAKE_KEY_INT && !f->nbuckets && lake_type_kind(t->type) == kind)
        lake_type_range(t->type, &r->low, &r->top);
    else
        r->low = lake_end_low();
    lake_span hull = f->spans[0];
    for (int i = 0; i < f->nspans; i++) {
        const lake_span *s = &f->spans[i];
        r->open |= is_open(r, s);
        if (lake_end_below(kind, &s->lo, &hull.lo))
            hull.lo = s->lo;
        if (lake_end_below(kind, &hull.hi, &s->hi))
            hull.hi = s->hi;
    }
    if (r->open && t->has_guess) {
        hull = t->guess;
        r->open = is_open(r, &hull);
    }
    if (r->open)
        return;
    r->base = hull.lo.key;
    if (kind == LAKE_KEY_BYTES)
        r->skip = shared_prefix(hull.lo.key.b, hull.hi.key.b);
}

/* The part of [lo, hi) inside the guess, if there is one. */
static long double width(const ruler *r, lake_end lo, lake_end hi) {
    if (r->term->has_guess) {
        if (lake_end_below(r->kind, &lo, &r->term->guess.lo))
            lo = r->term->guess.lo;
        if (lake_end_below(r->kind, &r->term->guess.hi, &hi))
            hi = r->term->guess.hi;
        if (!lake_end_below(r->kind, &lo, &hi))
            return 0;
    }
    long double w = place(r->kind, r->base, r->skip, hi.key) - place(r->kind, r->base, r->skip, lo.key);
    return w > 0 ? w : 0;
}

/* ---------------------------------------------------------------- the segments in the spans */
typedef struct tally {
    double singles[8]; /* how many, by outcome set */
    double segments[8];
    long double widths[8];
    double nsingles, nsegments;
    long double all_width;
} tally;

static void note(tally *n, const ruler *r, lake_outcomes out, const lake_end *lo, const lake_end *hi) {
    if (single(r->kind, lo, hi)) {
        n->singles[out]++;
        n->nsingles++;
        return;
    }
    n->segments[out]++;
    n->nsegments++;
    if (r->open)
        return;
    long double w = width(r, *lo, *hi);
    n->widths[out] += w;
    n->all_width += w;
}

static size_t first_segment(const lake_step *s, const lake_end *lo) {
    return lo->at == LAKE_END_KEY ? lake_step_segment(s, lo->key) : 0;
}

static void walk(tally *n, const ruler *r, const lake_step *s, const lake_span *span) {
    lake_end lo = span->lo;
    for (size_t i = first_segment(s, &lo);; i++) {
        lake_end cut = i < s->ncuts ? lake_end_key(s->cuts[i]) : lake_end_top();
        bool last = !lake_end_below(s->kind, &cut, &span->hi);
        note(n, r, s->outs[i] & LAKE_ANY, &lo, last ? &span->hi : &cut);
        if (last)
            return;
        lo = cut;
    }
}

/* The share that one value has of all. */
static double share_of_one(const ruler *r, const est_term *t) {
    double most = t->values; /* NDV is not above that */
    double keys = 0;
    for (int i = 0; i < t->facts->nspans && keys >= 0; i++) {
        double k = est_span_keys(r->kind, &t->facts->spans[i]);
        keys = k < 0 ? -1 : keys + k;
    }
    if (keys > 0 && (most < 0 || keys < most))
        most = keys;
    if (t->ndv > 0 && (most < 0 || t->ndv < most))
        most = t->ndv;
    if (most < 0)
        most = 10; /* nothing is known at all */
    return most > 1 ? 1 / most : 1;
}

void est_step_mass(const lake_step *s, const est_term *t, est_mass *out) {
    ruler r;
    tally n = {0};
    *out = (est_mass){{0}};
    if (!t->facts->value || !t->facts->nspans) {
        return;
    }
    make_ruler(&r, s->kind, t);
    for (int i = 0; i < t->facts->nspans; i++)
        walk(&n, &r, s, &t->facts->spans[i]);
    double one = share_of_one(&r, t), most = n.nsegments > 0 ? n.nsingles / (n.nsingles + n.nsegments) : 1;
    if (n.nsingles > 0 && (n.nsegments == 0 || one * n.nsingles > most))
        one = most / n.nsingles;
    double rest = n.nsegments > 0 ? 1 - one * n.nsingles : 0;
    bool by_width = !r.open && n.all_width > 0 && isfinite((double)n.all_width);
    for (int set = 0; set < 8; set++) {
        out->of[set] = one * n.singles[set];
        if (n.nsegments > 0)
            out->of[set] += rest * (by_width ? (double)(n.widths[set] / n.all_width) : n.segments[set] / n.nsegments);
    }
}

/* ---------------------------------------------------------------- nodes */
static void add(est_share *sum, double weight, est_share x) {
    sum->t += weight * x.t;
    sum->f += weight * x.f;
    sum->u += weight * x.u;
}

static est_share step_share(const lake_step *s, const est_term *t) {
    est_share out = {0};
    est_mass mass;
    est_step_mass(s, t, &mass);
    add(&out, t->nulls, est_share_of_set(s->null));
    add(&out, t->nans, est_share_of_set(s->nan));
    for (lake_outcomes set = 0; set < 8; set++)
        if (mass.of[set] > 0)
            add(&out, (1 - t->nulls - t->nans) * mass.of[set], est_share_of_set(set));
    return out;
}

/* Never more, nor less, than the outcomes that are possible. */
static est_share within(est_share x, lake_outcomes possible) {
    if (!(possible & LAKE_T))
        x.t = 0;
    if (!(possible & LAKE_F))
        x.f = 0;
    if (!(possible & LAKE_U))
        x.u = 0;
    double all = x.t + x.f + x.u;
    if (!(all > 0))
        return est_share_of_set(possible);
    return (est_share){x.t / all, x.f / all, x.u / all};
}

/* Both sides as values and as nulls, which are taken to be independent; where intervals decide, all or none, else the
   third of what is undecided. */
static est_share pair_share(const lake_pair *p, const est_term *terms, const lake_facts *facts) {
    est_share x = {0};
    for (int which = 0; which < 4; which++) {
        lake_facts sides[2];
        double weight = 1;
        for (int i = 0; i < 2; i++) {
            const est_term *t = &terms[p->sides[i].term];
            bool null = which >> i & 1;
            lake_facts_copy(&sides[i], &facts[p->sides[i].term]);
            weight *= null ? t->nulls : 1 - t->nulls;
            if (null)
                lake_facts_set(&sides[i], true, false, false);
            else
                sides[i].null = false;
        }
        if (weight > 0)
            add(&x, weight, est_share_of_set(lake_pair_outcomes(p, &sides[0], &sides[1])));
    }
    return x;
}

est_share est_node_share(const lake_node *n, const lake_bound *bound, const est_term *terms, const lake_facts *facts) {
    est_share x = {0}, kid;
    switch (n->op) {
    case LAKE_NODE_SET: return est_share_of_set(n->set);
    case LAKE_NODE_PAIR: x = pair_share(n->pair, terms, facts); break;
    case LAKE_NODE_STEP: x = step_share(n->step, &terms[n->term]); break;
    case LAKE_NODE_NOT:
        kid = est_node_share(n->kids[0], bound, terms, facts);
        x = (est_share){kid.f, kid.t, kid.u};
        break;
    case LAKE_NODE_IS:
        kid = est_node_share(n->kids[0], bound, terms, facts);
        x.t = (n->set & LAKE_T ? kid.t : 0) + (n->set & LAKE_F ? kid.f : 0) + (n->set & LAKE_U ? kid.u : 0);
        x.f = 1 - x.t;
        break;
    case LAKE_NODE_CASE: {
        double left = 1;
        for (size_t i = 0; i + 1 < n->nkids; i += 2) {
            kid = est_node_share(n->kids[i], bound, terms, facts);
            add(&x, left * kid.t, est_node_share(n->kids[i + 1], bound, terms, facts));
            left *= 1 - kid.t;
        }
        add(&x, left, est_node_share(n->kids[n->nkids - 1], bound, terms, facts));
        break;
    }
    default: { /* AND: all are TRUE; OR: all are FALSE */
        bool and = n->op == LAKE_NODE_AND;
        double all = 1, none = 1;
        for (size_t i = 0; i < n->nkids; i++) {
            kid = est_node_share(n->kids[i], bound, terms, facts);
            all *= and? kid.t : kid.f;
            none *= 1 - (and? kid.f : kid.t);
        }
        x = and? (est_share){all, 1 - none, none - all} : (est_share){1 - none, all, none - all};
        if (x.u < 0)
            x.u = 0;
    }
    }
    return within(x, lake_node_evaluate(n, bound, facts));
}
