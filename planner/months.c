/* Months added to dates and times. A day that the month has not becomes its last one, in all engines; so of days the
   order is kept, of times it is not: 30 January 23:00 goes behind 31 January 01:00. A step is pulled day by day. */
#include "planner/map.h"

int64_t lake_add_months(int64_t day, int64_t months) {
    if (!months)
        return day;
    lake_civil c = lake_civil_from_days(day);
    int64_t total = c.year * 12 + c.month - 1 + months, year = lake_floor_div(total, 12);
    int month = (int)(total - year * 12) + 1, last = lake_days_in_month(year, month);
    return lake_days_from_civil(year, month, c.day < last ? c.day : last);
}

/* The first day that goes to `to` or behind it. */
static int64_t first_day(int64_t to, int64_t months) {
    int64_t day = lake_add_months(to, -months) - 4; /* it is at most three days off */
    while (lake_add_months(day, months) < to)
        day++;
    return day;
}

typedef struct putter {
    lake_key *cuts;
    lake_outcomes *outs;
    size_t n;
    lake_i128 begin, end;
} putter;

static void put(putter *p, lake_i128 at, lake_outcomes out) {
    if (at >= p->end)
        return;
    if (at > p->begin && (p->n == 0 || p->cuts[p->n - 1].i < at))
        p->cuts[p->n++].i = at;
    p->outs[p->n] = out;
}

const lake_step *lake_curve_pull_months(lake_arena *arena, const lake_curve *m, const lake_step *s) {
    lake_i128 day = lake_type_per_day(&m->from);
    int64_t n = (int64_t)m->add;
    lake_key lo, hi;
    lake_curve_domain(&m->from, &lo, &hi);
    lake_i128 margin = ((n < 0 ? -n : n) * (lake_i128)31 + 31) * day; /* what may leave the type */
    putter p = {.begin = n < 0 ? lo.i + margin : lo.i, .end = n > 0 ? hi.i - margin : hi.i + 1};
    p.cuts = LAKE_ARENA_ARRAY(arena, lake_key, 9 * s->ncuts + 4);
    p.outs = LAKE_ARENA_ARRAY(arena, lake_outcomes, 9 * s->ncuts + 5);
    if (!p.cuts || !p.outs)
        return NULL;
    if (p.begin >= p.end)
        return lake_step_constant(arena, LAKE_KEY_INT, LAKE_ANY, s->null, LAKE_ANY);
    int64_t start = (int64_t)lake_i128_floor_div(p.begin, day);
    lake_i128 clock = p.begin - start * day;
    p.outs[0] = lake_step_at(s, (lake_key){.i = lake_add_months(start, n) * day + clock});
    if (n < 0) { /* before the first of them anything */
        p.outs[1] = p.outs[0];
        p.outs[0] = LAKE_ANY;
        p.cuts[p.n++].i = p.begin;
    }
    for (size_t i = 0; i < s->ncuts;) {
        lake_i128 at = lake_i128_floor_div(s->cuts[i].i, day);
        size_t next = i;
        while (next < s->ncuts && lake_i128_floor_div(s->cuts[next].i, day) == at)
            next++;
        if (at * day < lo.i - margin || at * day > hi.i + margin) { /* no key goes there */
            i = next;
            continue;
        }
        int64_t a = first_day((int64_t)at, n), b = first_day((int64_t)at + 1, n);
        for (int64_t d = a; d < b; d++) {
            put(&p, d * day, lake_step_at(s, (lake_key){.i = at * day}));
            for (size_t k = i; k < next; k++)
                put(&p, d * day + (s->cuts[k].i - at * day), s->outs[k + 1]);
        }
        put(&p, b * day, lake_step_at(s, (lake_key){.i = lake_add_months(b, n) * day}));
        i = next;
    }
    if (n > 0) {
        p.cuts[p.n++].i = p.end;
        p.outs[p.n] = LAKE_ANY;
    }
    return lake_step_of(arena, LAKE_KEY_INT, p.cuts, p.outs, p.n, s->null, LAKE_ANY);
}
