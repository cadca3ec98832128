/* INTERVAL in the forms of the standard, PostgreSQL, DuckDB and Spark, and arithmetic with it: constants are computed,
   around a column it is what is applied to it. What engines read in different ways stays an expression: fractions of
   days, a sign before several fields, parts of a microsecond. */
#include "planner/literal.h"
#include "planner/sql_parse.h"

#include <stdio.h>
#include <strings.h>

enum { MOST_DIGITS = 12 };

static const lake_i128 SECOND = 1000000000, DAY = (lake_i128)86400 * 1000000000;

typedef enum field { YEARS, MONTHS, DAYS, HOURS, MINUTES, SECONDS, OTHERS } field;

static const struct {
    const char *words[5];
    field field;
    int months, days;
    int64_t nanos; /* one of the three */
} units[] = {
    {{"YEAR", "YEARS", "YRS", "YR"}, YEARS, 12, 0, 0},
    {{"MONTH", "MONTHS", "MONS", "MON"}, MONTHS, 1, 0, 0},
    {{"DAY", "DAYS"}, DAYS, 0, 1, 0},
    {{"HOUR", "HOURS", "HRS", "HR"}, HOURS, 0, 0, 3600000000000},
    {{"MINUTE", "MINUTES", "MINS", "MIN"}, MINUTES, 0, 0, 60000000000},
    {{"SECOND", "SECONDS", "SECS", "SEC"}, SECONDS, 0, 0, 1000000000},
    {{"QUARTER", "QUARTERS"}, OTHERS, 3, 0, 0},
    {{"DECADE", "DECADES"}, OTHERS, 120, 0, 0},
    {{"CENTURY", "CENTURIES"}, OTHERS, 1200, 0, 0},
    {{"MILLENNIUM", "MILLENNIUMS", "MILLENNIA"}, OTHERS, 12000, 0, 0},
    {{"WEEK", "WEEKS"}, OTHERS, 0, 7, 0},
    {{"MILLISECOND", "MILLISECONDS", "MSECS", "MSEC"}, OTHERS, 0, 0, 1000000},
    {{"MICROSECOND", "MICROSECONDS", "USECS", "USEC"}, OTHERS, 0, 0, 1000},
};

enum { UNITS = sizeof units / sizeof *units };

static int unit_named(lake_str word) {
    for (int i = 0; i < UNITS; i++)
        for (int k = 0; k < 5 && units[i].words[k]; k++)
            if (word.len == strlen(units[i].words[k]) && strncasecmp(word.ptr, units[i].words[k], word.len) == 0)
                return i;
    return -1;
}

/* ---------------------------------------------------------------- texts */
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool take(lake_str *s, char c) {
    if (!s->len || s->ptr[0] != c)
        return false;
    *s = (lake_str){s->ptr + 1, s->len - 1};
    return true;
}

static void skip(lake_str *s) {
    while (take(s, ' '))
        ;
}

/* Digits, perhaps with a fraction of up to six. */
static bool take_number(lake_str *s, int64_t *whole, int64_t *millionths) {
    size_t n = 0;
    *whole = *millionths = 0;
    for (; n < s->len && is_digit(s->ptr[n]); n++) {
        if (n >= MOST_DIGITS)
            return false;
        *whole = *whole * 10 + (s->ptr[n] - '0');
    }
    if (n == 0)
        return false;
    *s = (lake_str){s->ptr + n, s->len - n};
    if (take(s, '.')) {
        int64_t one = 1000000;
        for (n = 0; n < s->len && is_digit(s->ptr[n]); n++, one /= 10)
            if (one > 1)
                *millionths += one / 10 * (s->ptr[n] - '0');
            else if (s->ptr[n] != '0')
                return false;
        if (n == 0)
            return false;
        *s = (lake_str){s->ptr + n, s->len - n};
    }
    return true;
}

static bool add(lake_interval *out, int unit, bool minus, int64_t whole, int64_t millionths) {
    int64_t sign = minus ? -1 : 1, nanos = units[unit].nanos;
    if (millionths &&
        (nanos == 0 || nanos > SECOND || (nanos / 1000000 * millionths) % 1000 ||
            nanos < 1000000)) /* whole microseconds of seconds and less */
        return false;
    out->months += sign * whole * units[unit].months;
    out->days += sign * whole * units[unit].days;
    out->nanos += sign * ((lake_i128)whole * nanos + nanos / 1000000 * millionths);
    return true;
}

/* H:M[:S], or from `first` to `last` as the standard writes it. */
static bool take_clock(lake_str *s, field first, field last, bool minus, lake_interval *out) {
    for (field f = first; f <= last; f++) {
        int64_t whole, millionths;
        if ((f > first && !take(s, ':')) || !take_number(s, &whole, &millionths) || (f > first && whole > 59) ||
            !add(out, (int)f, minus, whole, millionths))
            return false;
    }
    return true;
}

/* '1 day 2 hours', '3 mons -04:05:06', '1 week ago' */
static bool free_text(lake_str s, lake_interval *out) {
    bool any = false;
    for (skip(&s); s.len; skip(&s), any = true) {
        if (any && s.len == 3 && strncasecmp(s.ptr, "ago", 3) == 0) {
            *out = (lake_interval){-out->months, -out->days, -out->nanos};
            return true;
        }
        lake_str number = s;
        int64_t whole, millionths;
        bool minus = take(&s, '-');
        if (!minus)
            take(&s, '+');
        lake_str unsigned_text = s;
        if (!take_number(&s, &whole, &millionths))
            return false;
        if (s.len && s.ptr[0] == ':') {
            size_t colons = 0;
            for (size_t i = 0; i < number.len && number.ptr[i] != ' '; i++)
                colons += number.ptr[i] == ':';
            s = unsigned_text;
            if (!take_clock(&s, HOURS, colons == 2 ? SECONDS : MINUTES, minus, out) || (s.len && s.ptr[0] != ' '))
                return false;
            continue;
        }
        skip(&s);
        size_t n = 0;
        while (n < s.len && ((s.ptr[n] | 32) >= 'a' && (s.ptr[n] | 32) <= 'z'))
            n++;
        int unit = unit_named((lake_str){s.ptr, n});
        if (unit < 0 || !add(out, unit, minus, whole, millionths))
            return false;
        s = (lake_str){s.ptr + n, s.len - n};
    }
    return any;
}

/* '1-2' YEAR TO MONTH, '1 02:03' DAY TO MINUTE, '5' HOUR (last == first) */
static bool fields_text(lake_str s, int first, int last, lake_interval *out) {
    int64_t whole, millionths;
    skip(&s);
    while (s.len && s.ptr[s.len - 1] == ' ')
        s.len--;
    bool minus = take(&s, '-');
    if (!minus)
        take(&s, '+');
    if (first == last)
        return take_number(&s, &whole, &millionths) && s.len == 0 && add(out, first, minus, whole, millionths);
    if (first == YEARS && last == MONTHS)
        return take_number(&s, &whole, &millionths) && add(out, YEARS, minus, whole, millionths) && take(&s, '-') &&
            take_number(&s, &whole, &millionths) && whole < 12 && add(out, MONTHS, minus, whole, millionths) &&
            s.len == 0;
    if (first < DAYS || last > SECONDS || last <= first)
        return false;
    if (first == DAYS) {
        if (minus || !take_number(&s, &whole, &millionths) || !add(out, DAYS, false, whole, millionths) ||
            !take(&s, ' '))
            return false;
        skip(&s);
    }
    return take_clock(&s, first == DAYS ? HOURS : (field)first, (field)last, minus, out) && s.len == 0;
}

/* ---------------------------------------------------------------- the literal */
static int unit_next(lake_sql_parser *p) {
    int unit = p->token.kind == LAKE_SQL_WORD ? unit_named(p->token.text) : -1;
    if (unit >= 0)
        lake_sql_next(p);
    return unit;
}

/* From behind the quantity on: its unit, and the further pairs of INTERVAL 1 DAY 2 HOURS. */
static bool quantities(lake_sql_parser *p, bool string, bool minus, lake_str text, lake_interval *out) {
    bool fine = true;
    int unit = unit_next(p), last = unit;
    if (unit < 0 && string) {
        fine = !minus && free_text(text, out);
        return fine;
    }
    if (unit >= 0 && lake_sql_word(p, "TO"))
        last = unit_next(p);
    lake_interval one = {0};
    fine = unit >= 0 && last >= 0 && fields_text(text, unit, last, &one);
    if (minus)
        one = (lake_interval){-one.months, -one.days, -one.nanos};
    *out = one;
    while (unit >= 0 && last == unit && !string && p->token.kind == LAKE_SQL_NUMBER) {
        text = p->token.text;
        lake_sql_next(p);
        unit = last = unit_next(p);
        fine = fine && !minus && unit >= 0 && fields_text(text, unit, unit, out);
    }
    return fine;
}

bool lake_sql_interval(lake_sql_parser *p, lake_sql_value *v) {
    lake_sql_token token = p->token;
    size_t last_end = p->last_end;
    bool minus = lake_sql_is(&p->token, "-"), sign = minus || lake_sql_is(&p->token, "+");
    if (sign)
        lake_sql_next(p);
    bool string = p->token.kind == LAKE_SQL_STRING;
    bool quantity = p->status == LAKE_OK && (string || p->token.kind == LAKE_SQL_NUMBER);
    lake_str text = p->token.text;
    if (quantity)
        lake_sql_next(p);
    if (quantity && sign && !string && !(p->token.kind == LAKE_SQL_WORD && unit_named(p->token.text) >= 0))
        quantity = false; /* a column named interval, and a number */
    if (!quantity) {
        if (p->status == LAKE_OK) {
            p->token = token;
            p->last_end = last_end;
        }
        return false;
    }
    lake_interval *made = lake_sql_need(p, LAKE_ARENA_NEW(p->arena, lake_interval));
    if (!made)
        return true;
    if (quantities(p, string, minus, text, made)) {
        v->kind = LAKE_SQL_LITERAL;
        v->literal = (lake_literal){.kind = LAKE_LITERAL_INTERVAL,
            .sql = lake_sql_slice(p, v->begin),
            .text = lake_sql_slice(p, v->begin),
            .offset = (int64_t)v->begin,
            .interval = made};
    } else {
        v->kind = LAKE_SQL_EXPRESSION;
        v->reason = "an interval that engines read differently";
    }
    return true;
}

/* ---------------------------------------------------------------- arithmetic */
static bool is_kind(const lake_sql_value *v, lake_literal_kind kind) {
    return v->kind == LAKE_SQL_LITERAL && v->literal.kind == kind;
}

static bool keep(lake_sql_parser *p, lake_sql_value *v, lake_interval i) {
    lake_interval *made = lake_sql_need(p, LAKE_ARENA_NEW(p->arena, lake_interval));
    const lake_i128 most = (lake_i128)1 << 100;
    if (!made || i.nanos > most || i.nanos < -most)
        return false;
    *made = i;
    v->kind = LAKE_SQL_LITERAL;
    v->literal = (lake_literal){.kind = LAKE_LITERAL_INTERVAL,
        .sql = lake_sql_slice(p, v->begin),
        .text = lake_sql_slice(p, v->begin),
        .offset = (int64_t)v->begin,
        .interval = made};
    return true;
}

static bool times(const lake_interval *a, int64_t n, lake_interval *out) {
    return !__builtin_mul_overflow(a->months, n, &out->months) && !__builtin_mul_overflow(a->days, n, &out->days) &&
        !__builtin_mul_overflow(a->nanos, (lake_i128)n, &out->nanos);
}

static bool plus(const lake_interval *a, const lake_interval *b, lake_interval *out) {
    return !__builtin_add_overflow(a->months, b->months, &out->months) &&
        !__builtin_add_overflow(a->days, b->days, &out->days) &&
        !__builtin_add_overflow(a->nanos, b->nanos, &out->nanos);
}

static bool small_integer(const lake_literal *v, int64_t *out) {
    *out = 0;
    for (size_t i = 0; i < v->text.len; i++) {
        if (!is_digit(v->text.ptr[i]) || i >= MOST_DIGITS)
            return false;
        *out = *out * 10 + (v->text.ptr[i] - '0');
    }
    if (v->negative)
        *out = -*out;
    return v->text.len > 0;
}

/* Does the text name a zone? */
static bool zoned(lake_str s) {
    size_t dashes = 0;
    for (size_t i = 1; i < s.len; i++) {
        dashes += s.ptr[i] == '-';
        if ((s.ptr[i] | 32) == 'z' || s.ptr[i] == '+')
            return true;
    }
    return dashes > 2;
}

static bool shift(lake_sql_parser *p, lake_sql_value *v, const lake_interval *i) {
    lake_literal *d = &v->literal;
    bool date = d->kind == LAKE_LITERAL_DATE;
    lake_end at, after;
    if (!lake_instant_point(d->text, (int64_t)DAY, &at, &after)) {
        lake_sql_fail(
            p, (size_t)d->offset, "%.*s is not well-formed", (int)(d->sql.len > 60 ? 60 : d->sql.len), d->sql.ptr);
        return true;
    }
    const lake_i128 most = (lake_i128)4000000000 * DAY;
    if (at.at != LAKE_END_KEY || after.at != LAKE_END_KEY || after.key.i != at.key.i + 1 || at.key.i > most ||
        at.key.i < -most || i->nanos > most || i->nanos < -most || i->days > 4000000000 || i->days < -4000000000 ||
        i->months > 100000000 || i->months < -100000000)
        return false;
    if (zoned(d->text) && (i->months || i->days))
        return false; /* the session's zone says how long a day is */
    lake_i128 day = lake_i128_floor_div(at.key.i, DAY), clock = at.key.i - day * DAY;
    lake_i128 total = (lake_add_months((int64_t)day, i->months) + (lake_i128)i->days) * DAY + clock + i->nanos;
    day = lake_i128_floor_div(total, DAY);
    clock = total - day * DAY;
    lake_civil c = lake_civil_from_days((int64_t)day);
    int second = (int)(clock / SECOND);
    lake_str text = lake_arena_printf(p->arena, "%s%04lld-%02d-%02d", c.year < 0 ? "-" : "",
        (long long)(c.year < 0 ? -c.year : c.year), c.month, c.day);
    if (!date || clock)
        text = text.ptr ? lake_arena_printf(p->arena, "%.*s %02d:%02d:%02d.%09d", LAKE_ARG(text), second / 3600,
                              second / 60 % 60, second % 60, (int)(clock % SECOND))
                        : text;
    if (!lake_sql_need(p, text.ptr))
        return true;
    d->kind = date && !clock ? LAKE_LITERAL_DATE : LAKE_LITERAL_TIMESTAMP;
    d->text = text;
    d->sql = lake_sql_slice(p, v->begin);
    d->offset = (int64_t)v->begin;
    return true;
}

static bool apply(lake_sql_parser *p, lake_sql_value *v, const lake_interval *i) {
    if (i->months)
        lake_sql_apply(p, v, (lake_apply){.op = LAKE_APPLY_MONTHS, .n = i->months});
    if (i->days && v->kind == LAKE_SQL_COLUMN)
        lake_sql_apply(p, v, (lake_apply){.op = LAKE_APPLY_DAYS, .n = i->days});
    if ((i->nanos || (!i->months && !i->days)) && v->kind == LAKE_SQL_COLUMN)
        lake_sql_apply(p, v, (lake_apply){.op = LAKE_APPLY_NANOS, .n = i->nanos});
    if (v->kind == LAKE_SQL_COLUMN)
        v->column.sql = lake_sql_slice(p, v->begin);
    return true;
}

bool lake_sql_interval_negate(lake_sql_parser *p, lake_sql_value *v) {
    lake_interval out;
    return is_kind(v, LAKE_LITERAL_INTERVAL) && times(v->literal.interval, -1, &out) && keep(p, v, out);
}

bool lake_sql_interval_combine(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *w, char op) {
    bool first = is_kind(v, LAKE_LITERAL_INTERVAL), second = is_kind(w, LAKE_LITERAL_INTERVAL);
    lake_interval i;
    int64_t n;
    if (op == '*' && first != second) {
        const lake_sql_value *number = first ? w : v, *interval = first ? v : w;
        return is_kind(number, LAKE_LITERAL_NUMBER) && small_integer(&number->literal, &n) &&
            times(interval->literal.interval, n, &i) && keep(p, v, i);
    }
    if (op != '+' && op != '-')
        return false;
    if (is_kind(v, LAKE_LITERAL_DATE) && is_kind(w, LAKE_LITERAL_NUMBER) && small_integer(&w->literal, &n))
        return shift(p, v, &(lake_interval){.days = op == '-' ? -n : n});
    if (first && !second && op == '+') { /* INTERVAL '1' DAY + x */
        lake_sql_value swap = *w;
        i = *v->literal.interval;
        swap.begin = v->begin;
        if (swap.kind != LAKE_SQL_COLUMN && !is_kind(&swap, LAKE_LITERAL_DATE) &&
            !is_kind(&swap, LAKE_LITERAL_TIMESTAMP))
            return false;
        *v = swap;
    } else if (!second || !times(w->literal.interval, op == '-' ? -1 : 1, &i)) {
        return false;
    }
    if (first && second) {
        lake_interval sum;
        return plus(v->literal.interval, &i, &sum) && keep(p, v, sum);
    }
    if (is_kind(v, LAKE_LITERAL_DATE) || is_kind(v, LAKE_LITERAL_TIMESTAMP))
        return shift(p, v, &i);
    return v->kind == LAKE_SQL_COLUMN && apply(p, v, &i);
}
