/* Cutting literals' text: for literal.c, literal_number.c and literal_time.c only. */
#ifndef LAKE_PLANNER_LITERAL_TEXT_H
#define LAKE_PLANNER_LITERAL_TEXT_H

#include "planner/literal.h"

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline lake_str take_digits(lake_str *s) {
    size_t n = 0;
    while (n < s->len && is_digit(s->ptr[n]))
        n++;
    lake_str out = {s->ptr, n};
    *s = (lake_str){s->ptr + n, s->len - n};
    return out;
}

static inline bool take(lake_str *s, char c) {
    if (!s->len || s->ptr[0] != c)
        return false;
    *s = (lake_str){s->ptr + 1, s->len - 1};
    return true;
}

/* The point of a number whose floor is given: `above` it or equal to it; `far` != 0: beyond 128 bits on that side. */
void lake_point_make(lake_i128 floor, bool above, int far, lake_end *at, lake_end *after);
/* HH:MM[:SS[.fraction]] as microseconds of the day; [+-]YYYY-MM-DD alone. False: it is none. */
bool lake_time_point(lake_str text, lake_end *at, lake_end *after);
bool lake_date_valid(lake_str text);

#endif
