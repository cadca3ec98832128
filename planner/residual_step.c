/* Residuals of what is applied to a column (x + 1 > 5, CAST(x AS DATE) = …): the step function over the column itself
   says for which values it is TRUE, as ranges and single values. Only segments that the container can hold count. */
#include "planner/residual.h"

#include "base/time.h"

#include <math.h>

enum {
    MOST_RANGES = 8,
    MOST_POINTS = 200 /* single values */
};

typedef enum state { NOWHERE, WITHIN, OUTSIDE } state;

/* The segment i's place; ends that the type gives are LOW and TOP. */
static lake_span place(const lake_step *s, size_t i) {
    lake_span out = {{.at = LAKE_END_LOW}, {.at = LAKE_END_TOP}};
    if (i > 0)
        out.lo = (lake_end){.key = s->cuts[i - 1], .at = LAKE_END_KEY};
    if (i < s->ncuts)
        out.hi = (lake_end){.key = s->cuts[i], .at = LAKE_END_KEY};
    return out;
}

static bool may_lie(const lake_step *s, size_t i, const lake_facts *f) {
    lake_span at = place(s, i);
    for (int k = 0; k < f->nspans; k++)
        if (lake_end_below(s->kind, &f->spans[k].lo, &at.hi) && lake_end_below(s->kind, &at.lo, &f->spans[k].hi))
            return true;
    return false;
}

/* The runs of segments in `which`; segments that cannot be held belong to either side. NULL: no memory. */
static lake_span *runs(writer *w, const lake_step *s, const state *states, state which, size_t *n) {
    lake_span *out = LAKE_ARENA_ARRAY(w->arena, lake_span, s->ncuts + 1);
    state last = NOWHERE;
    *n = 0;
    for (size_t i = 0; out && i <= s->ncuts; i++) {
        if (states[i] == NOWHERE)
            continue;
        lake_span at = place(s, i);
        if (states[i] == which && last != which) {
            out[(*n)++] = (lake_span){last == NOWHERE ? (lake_end){.at = LAKE_END_LOW} : at.lo, {.at = LAKE_END_TOP}};
        } else if (states[i] != which && last == which) {
            out[*n - 1].hi = at.lo;
        }
        last = states[i];
    }
    w->failed |= !out;
    return out;
}

/* The least value of the column's type at or above the key: floats have fewer than the doubles that keys are. */
static lake_key least_from(const lake_type *type, lake_key key) {
    if (type->id == LAKE_FLOAT && isfinite(key.f)) {
        float f = (float)key.f;
        key.f = (double)(((double)f < key.f) ? nextafterf(f, INFINITY) : f);
    }
    return key;
}

/* Years beyond 9999 and before 0001 are values that many readers cannot parse. -1, 1: the key lies there. */
static int unwritable(const lake_type *type, lake_i128 key) {
    lake_i128 day = lake_type_per_day(type);
    if (!day)
        return 0;
    return key < lake_days_from_civil(1, 1, 1) * day ? -1 : key >= lake_days_from_civil(10000, 1, 1) * day ? 1 : 0;
}

static bool is_point(writer *w, const lake_type *type, const lake_span *run, lake_key *out) {
    lake_span r = *run;
    lake_end next;
    lake_key_kind kind = lake_type_kind(type);
    if (type->id == LAKE_BOOLEAN) { /* there are two */
        if (r.lo.at != LAKE_END_KEY)
            r.lo = (lake_end){.key.i = 0, .at = LAKE_END_KEY};
        if (r.hi.at != LAKE_END_KEY)
            r.hi = (lake_end){.key.i = 2, .at = LAKE_END_KEY};
    }
    if (r.lo.at != LAKE_END_KEY || r.hi.at != LAKE_END_KEY)
        return false;
    *out = least_from(type, r.lo.key);
    if (kind == LAKE_KEY_FLOAT && !isfinite(out->f))
        return false;
    if (kind == LAKE_KEY_INT && unwritable(type, out->i))
        return false;
    if (type->id == LAKE_FLOAT) /* the next one of its own */
        return nextafterf((float)out->f, INFINITY) >= r.hi.key.f;
    return lake_key_next(w->arena, kind, *out, &next) && lake_end_cmp(kind, next, r.hi) == 0;
}

/* x >= the end (below it: x < the end). Infinity cannot be written: it lies beyond the greatest value. */
static const rest *side(writer *w, const lake_leaf *column, lake_key end, bool below) {
    end = least_from(&column->type, end);
    bool infinite = lake_type_kind(&column->type) == LAKE_KEY_FLOAT && !isfinite(end.f);
    if (infinite)
        end.f = column->type.id == LAKE_FLOAT ? 3.4028234663852886e38 : 1.7976931348623157e308;
    return lake_rest_test(w, column, below ? (infinite ? "lt-eq" : "lt") : (infinite ? "gt" : "gt-eq"), &end, 1, false);
}

/* An end of a range, moved outwards if it cannot be written. */
static lake_end written(writer *w, const lake_type *type, lake_end end, bool below) {
    int far = end.at == LAKE_END_KEY && lake_type_kind(type) == LAKE_KEY_INT ? unwritable(type, end.key.i) : 0;
    if (!far)
        return end;
    w->exact = false;
    if ((far < 0) != below)
        return (lake_end){.at = below ? LAKE_END_TOP : LAKE_END_LOW};
    end.key.i = lake_type_per_day(type) *
        (lake_i128)lake_days_from_civil(far < 0 ? 1 : 9999, far < 0 ? 1 : 12, far < 0 ? 1 : 31);
    return end;
}

static const rest *range(writer *w, const lake_leaf *column, const lake_span *given) {
    const lake_span moved = {written(w, &column->type, given->lo, false), written(w, &column->type, given->hi, true)};
    const lake_span *run = &moved;
    const rest *r = NULL;
    if (run->lo.at == LAKE_END_KEY)
        r = side(w, column, run->lo.key, false);
    if (run->hi.at == LAKE_END_KEY) {
        const rest *upper = side(w, column, run->hi.key, true);
        r = run->lo.at == LAKE_END_KEY ? lake_rest_join(w, REST_AND, r, upper) : upper;
    }
    static const rest all = {.op = REST_TRUE};
    return run->lo.at != LAKE_END_KEY && run->hi.at != LAKE_END_KEY ? &all : r;
}

/* As ranges and one list of single values. False: too many. */
static bool tell(writer *w, const lake_leaf *column, const lake_span *all, size_t n, bool inside, part *out) {
    lake_key *keys = LAKE_ARENA_ARRAY(w->arena, lake_key, n + 1);
    size_t points = 0, ranges = 0;
    w->failed |= !keys;
    const rest *r = NULL;
    for (size_t i = 0; keys && i < n; i++) {
        lake_key key;
        if (is_point(w, &column->type, &all[i], &key)) {
            keys[points++] = key;
        } else {
            if (!inside || ++ranges > MOST_RANGES)
                return false;
            const rest *one = range(w, column, &all[i]);
            r = ranges == 1 ? one : lake_rest_join(w, REST_OR, r, one);
        }
    }
    if (points > MOST_POINTS)
        return false;
    if (points) {
        const char *type = points == 1 ? (inside ? "eq" : "not-eq") : (inside ? "in" : "not-in");
        const rest *list = lake_rest_test(w, column, type, keys, points, points > 1);
        r = ranges ? lake_rest_join(w, REST_OR, r, list) : list;
    }
    out->expression = r;
    out->others = !inside;
    return true;
}

bool lake_rest_of_step(
    writer *w, const lake_leaf *column, const lake_step *s, const lake_facts *facts, lake_outcomes want, part *out) {
    state *states = LAKE_ARENA_ARRAY(w->arena, state, s->ncuts + 1);
    size_t within = 0, outside = 0, n;
    bool doubtful = false;
    if (s->kind != LAKE_KEY_INT && s->kind != LAKE_KEY_FLOAT)
        return false;
    w->failed |= !states;
    for (size_t i = 0; states && i <= s->ncuts; i++) {
        states[i] = !facts->value || !may_lie(s, i, facts) ? NOWHERE : s->outs[i] & want ? WITHIN : OUTSIDE;
        within += states[i] == WITHIN;
        outside += states[i] == OUTSIDE;
        doubtful |= states[i] == WITHIN && s->outs[i] & ~want;
    }
    *out = (part){.all = !outside, .none = outside && !within};
    if (w->failed)
        return true;
    if (within && outside) {
        lake_span *all = runs(w, s, states, OUTSIDE, &n);
        if (!all || tell(w, column, all, n, false, out)) {
            w->exact = w->exact && !doubtful;
            return true;
        }
        all = runs(w, s, states, WITHIN, &n);
        if (all && !tell(w, column, all, n, true, out))
            return false;
    }
    w->exact = w->exact && !doubtful;
    return true;
}
