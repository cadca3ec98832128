/* A step function over a map's results as one over its source. Where each segment begins is found by bisection, which
   needs nothing of the map but its values and that they keep or reverse the order. */
#include "planner/map.h"

enum { MANY = 16 /* segments in doubt at one place: then all are */ };

/* Doubles in their order as integers, and back. -0.0 and 0.0 are one. */
static lake_i128 rank(double v) {
    int64_t bits;
    v += 0.0;
    memcpy(&bits, &v, sizeof bits);
    return bits < 0 ? -(lake_i128)(bits & INT64_MAX) : bits;
}

static double of_rank(lake_i128 rank) {
    double v;
    int64_t bits = (int64_t)(rank < 0 ? -rank : rank);
    memcpy(&v, &bits, sizeof v);
    return rank < 0 ? -v : v;
}

typedef struct puller {
    lake_arena *arena;
    const lake_curve *map;
    lake_key_kind from, to;
    lake_i128 least, most; /* ranks of the source's keys */
} puller;

static lake_key key_at(const puller *p, lake_i128 rank) {
    return p->from == LAKE_KEY_FLOAT ? (lake_key){.f = of_rank(rank)} : (lake_key){.i = rank};
}

/* Has the map passed `cut` at this key? Rising: its result is at least the cut; falling: it is below. cut NULL: is its
   result one at all, or beyond the last one (`beyond`)? */
static bool passed(const puller *p, lake_i128 rank, const lake_key *cut, bool upper, bool beyond) {
    lake_key v;
    int out = lake_curve_value(p->map, key_at(p, rank), upper, &v);
    if (p->map->falling)
        out = -out;
    if (!cut)
        return beyond ? out > 0 : out >= 0;
    if (out)
        return out > 0;
    int c = lake_key_cmp(p->to, v, *cut);
    return p->map->falling ? c < 0 : c >= 0;
}

/* The first rank that has passed, most + 1 if none has. */
static lake_i128 first(const puller *p, const lake_key *cut, bool upper, bool beyond) {
    lake_i128 lo = p->least, hi = p->most + 1;
    while (lo < hi) {
        lake_i128 mid = lo + (lake_i128)(((lake_u128)hi - (lake_u128)lo) / 2); /* decimals span more than an i128 */
        if (passed(p, mid, cut, upper, beyond))
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* Where segments may begin (by the map's result that reaches them first) and where they surely have. */
typedef struct edges {
    lake_i128 *may, *must;
    size_t n;
} edges;

static bool find_edges(const puller *p, const lake_step *s, edges *e) {
    e->n = s->ncuts;
    e->may = LAKE_ARENA_ARRAY(p->arena, lake_i128, e->n + 1);
    e->must = p->map->doubtful ? LAKE_ARENA_ARRAY(p->arena, lake_i128, e->n + 1) : e->may;
    if (!e->may || !e->must)
        return false;
    for (size_t i = 0; i < e->n; i++) {
        const lake_key *cut = &s->cuts[p->map->falling ? e->n - 1 - i : i];
        e->may[i] = first(p, cut, !p->map->falling, false);
        if (p->map->doubtful)
            e->must[i] = first(p, cut, p->map->falling, false);
    }
    return true;
}

static lake_outcomes out_of(const puller *p, const lake_step *s, size_t from, size_t to) {
    lake_outcomes out = 0;
    if (to - from > MANY)
        return s->all;
    for (size_t i = from; i <= to; i++)
        out |= s->outs[p->map->falling ? s->ncuts - i : i];
    return out;
}

/* What an addition that leaves its type may give: an error, null, the result in a wider type, or what is left of it in
   this one. The last is one to one: a result that some value of the type has is no other's. */
static lake_outcomes beyond_sum(const puller *p, const lake_step *s) {
    lake_outcomes out = LAKE_U;
    for (size_t i = 0; i <= s->ncuts; i++) {
        lake_i128 at = i ? s->cuts[i - 1].i : 0;
        bool point = i && i < s->ncuts && s->cuts[i].i == at + 1;
        lake_i128 from = (at - p->map->add) * p->map->factor;
        if (!point || at < p->map->least || at > p->map->most || from < p->least || from > p->most)
            out |= s->outs[i];
    }
    return out;
}

static lake_outcomes beyond(const puller *p, const lake_step *s) {
    const lake_curve *m = p->map;
    bool integer = (m->from.id == LAKE_INT || m->from.id == LAKE_LONG) && m->from.id == m->to.id && !m->to.length;
    bool moved = m->op == LAKE_CURVE_LINEAR && (m->factor == 1 || m->factor == -1) && (m->add || m->factor < 0);
    return integer && moved ? beyond_sum(p, s) : LAKE_ANY;
}

/* |x|: the step itself from 0 on, and mirrored below. */
const lake_step *lake_curve_pull_abs(lake_arena *arena, const lake_curve *m, const lake_step *s) {
    lake_key_kind kind = lake_type_kind(&m->from);
    lake_curve minus = *m;
    lake_span half = {lake_end_low(), lake_end_key(kind == LAKE_KEY_FLOAT ? (lake_key){.f = 0} : (lake_key){.i = 0})};
    lake_outcomes both[8][8];
    for (lake_outcomes a = 0; a < 8; a++)
        for (lake_outcomes b = 0; b < 8; b++)
            both[a][b] = a & b;
    minus.op = kind == LAKE_KEY_FLOAT ? LAKE_CURVE_FLOAT_FROM : LAKE_CURVE_LINEAR;
    minus.falling = true;
    const lake_step *below = lake_curve_pull(arena, &minus, s);
    const lake_step *in = lake_step_spans(arena, kind, &half, 1, LAKE_ANY, 0, s->null, s->nan);
    const lake_step *out = lake_step_spans(arena, kind, &half, 1, 0, LAKE_ANY, s->null, s->nan);
    below = below && in ? lake_step_combine(arena, (const lake_outcomes(*)[8])both, below, in) : NULL;
    const lake_step *above = out ? lake_step_combine(arena, (const lake_outcomes(*)[8])both, s, out) : NULL;
    return below && above ? lake_step_combine(arena, lake_outcomes_union, below, above) : NULL;
}

const lake_step *lake_curve_pull(lake_arena *arena, const lake_curve *m, const lake_step *s) {
    puller p = {.arena = arena, .map = m, .from = lake_type_kind(&m->from), .to = lake_type_kind(&m->to)};
    lake_key lo, hi;
    edges e;
    lake_curve_domain(&m->from, &lo, &hi);
    p.least = p.from == LAKE_KEY_FLOAT ? rank(lo.f) : lo.i;
    p.most = p.from == LAKE_KEY_FLOAT ? rank(hi.f) : hi.i;
    if (!find_edges(&p, s, &e))
        return NULL;
    lake_i128 begin = first(&p, NULL, !m->falling, false), end = first(&p, NULL, m->falling, true), at = begin;
    if (m->doubtful) { /* only where both are results */
        lake_i128 b = first(&p, NULL, m->falling, false), c = first(&p, NULL, !m->falling, true);
        at = begin = b > begin ? b : begin;
        end = c < end ? c : end;
    }
    lake_key *cuts = LAKE_ARENA_ARRAY(arena, lake_key, 2 * e.n + 3);
    lake_outcomes *outs = LAKE_ARENA_ARRAY(arena, lake_outcomes, 2 * e.n + 4);
    if (!cuts || !outs)
        return NULL;
    size_t n = 0, i = 0, k = 0;
    lake_outcomes error = beyond(&p, s);
    outs[0] = error;
    while (at < end) {
        while (i < e.n && e.may[i] <= at)
            i++;
        while (k < e.n && e.must[k] <= at)
            k++;
        if (at > p.least) /* below the type's least key there is none */
            cuts[n++] = key_at(&p, at);
        outs[n] = out_of(&p, s, k, i);
        lake_i128 next = end;
        if (i < e.n && e.may[i] < next)
            next = e.may[i];
        if (k < e.n && e.must[k] < next)
            next = e.must[k];
        at = next;
    }
    if (end <= p.most) {
        cuts[n++] = key_at(&p, end);
        outs[n] = error;
    }
    return lake_step_of(
        arena, p.from, cuts, outs, n, s->null, p.from == LAKE_KEY_FLOAT && p.to == LAKE_KEY_FLOAT ? s->nan : LAKE_ANY);
}
