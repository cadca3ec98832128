/* The parts of dates and times that come again: month(x), day(x), hour(x). In a stretch of years long enough for what
   tables hold each period is cut on its own, so that they combine exactly with other tests of the column. */
#include "planner/map.h"

enum { MANY_CUTS = 100000 };

int64_t lake_unit_floor(lake_unit unit, int64_t day) {
    lake_civil c = lake_civil_from_days(day);
    int month = unit == LAKE_UNIT_YEAR ? 1 : unit == LAKE_UNIT_QUARTER ? (c.month - 1) / 3 * 3 + 1 : c.month;
    return lake_days_from_civil(c.year, month, 1);
}

typedef struct cutter {
    const lake_step *step;
    lake_key *cuts;
    lake_outcomes *outs;
    size_t n, room;
    lake_i128 per_day;
} cutter;

static bool cut(cutter *c, lake_i128 at, int64_t value) {
    lake_outcomes out = lake_step_at(c->step, (lake_key){.i = value});
    if (c->n && c->outs[c->n] == out)
        return true;
    if (c->n == c->room)
        return false;
    c->cuts[c->n++].i = at;
    c->outs[c->n] = out;
    return true;
}

static bool cut_day(cutter *c, lake_unit unit, int64_t day, lake_civil civil) {
    switch (unit) {
    case LAKE_UNIT_MONTH: return civil.day != 1 || cut(c, day * c->per_day, civil.month);
    case LAKE_UNIT_QUARTER: return civil.day != 1 || cut(c, day * c->per_day, (civil.month + 2) / 3);
    case LAKE_UNIT_DAY: return cut(c, day * c->per_day, civil.day);
    case LAKE_UNIT_DAY_OF_YEAR: return cut(c, day * c->per_day, day - lake_days_from_civil(civil.year, 1, 1) + 1);
    default:
        for (int h = 0; h < 24; h++)
            if (!cut(c, day * c->per_day + c->per_day / 24 * h, h))
                return false;
        return true;
    }
}

static bool cut_years(cutter *c, lake_unit unit, int first, int last) {
    int64_t day = lake_days_from_civil(first, 1, 1), end = lake_days_from_civil(last, 1, 1);
    c->n = 0;
    c->outs[0] = LAKE_ANY;
    lake_civil civil = {first, 1, 1};
    while (day < end) {
        if (!cut_day(c, unit, day, civil))
            return false;
        bool whole = unit == LAKE_UNIT_MONTH || unit == LAKE_UNIT_QUARTER; /* the days between do not matter */
        int length = lake_days_in_month(civil.year, civil.month);
        day += whole ? length : 1;
        civil.day += whole ? length : 1;
        if (civil.day > length) {
            civil.day = 1;
            civil.month++;
        }
        if (civil.month > 12) {
            civil.month = 1;
            civil.year++;
        }
    }
    c->cuts[c->n++].i = end * c->per_day;
    c->outs[c->n] = LAKE_ANY;
    return true;
}

const lake_step *lake_curve_pull_part(
    lake_arena *arena, const lake_curve *m, const lake_step *s, size_t *budget, lake_str *reason) {
    static const int years[][2] = {{1, 10000}, {1500, 2300}, {1900, 2200}, {1970, 2070}, {1990, 2050}};
    cutter c = {.step = s, .room = *budget < MANY_CUTS ? *budget : MANY_CUTS, .per_day = lake_type_per_day(&m->from)};
    bool hours = m->unit == LAKE_UNIT_HOUR, months = m->unit == LAKE_UNIT_MONTH || m->unit == LAKE_UNIT_QUARTER;
    if (hours && c.per_day == 1)
        return lake_step_constant(arena, LAKE_KEY_INT, lake_step_at(s, (lake_key){.i = 0}), s->null, LAKE_ANY);
    const lake_step *out = NULL;
    c.cuts = lake_mem_alloc((MANY_CUTS + 1) * sizeof *c.cuts);
    c.outs = lake_mem_alloc(MANY_CUTS + 2);
    bool memory = c.cuts && c.outs, done = false;
    for (size_t i = months ? 0 : hours ? 3 : 1; memory && !done && i < sizeof years / sizeof *years; i++)
        done = cut_years(&c, m->unit, years[i][0], years[i][1]);
    if (done) {
        *budget -= c.n < *budget ? c.n : *budget;
        out = lake_step_of(arena, LAKE_KEY_INT, c.cuts, c.outs, c.n, s->null, LAKE_ANY);
    } else if (memory) {
        *reason = LAKE_STR("a part of times that comes again too often");
    }
    lake_mem_free(c.cuts);
    lake_mem_free(c.outs);
    return out;
}
