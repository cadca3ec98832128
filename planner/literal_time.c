/* Dates, times and timestamps as points: any year, fractions beyond the unit, zones. */
#include "planner/literal_text.h"

static bool two_digits(lake_str *s, int most, int *out) {
    if (s->len < 2 || !is_digit(s->ptr[0]) || !is_digit(s->ptr[1]))
        return false;
    *out = (s->ptr[0] - '0') * 10 + (s->ptr[1] - '0');
    *s = (lake_str){s->ptr + 2, s->len - 2};
    return *out <= most;
}

/* HH:MM[:SS[.fraction]] */
static bool take_clock(lake_str *s, int64_t *seconds, lake_str *fraction) {
    int h, m, sec = 0;
    *fraction = (lake_str){s->ptr, 0};
    if (!two_digits(s, 23, &h) || !take(s, ':') || !two_digits(s, 59, &m))
        return false;
    if (take(s, ':')) {
        if (!two_digits(s, 59, &sec))
            return false;
        if (take(s, '.')) {
            *fraction = take_digits(s);
            if (!fraction->len)
                return false;
        }
    }
    *seconds = h * 3600 + m * 60 + sec;
    return true;
}

static bool take_zone(lake_str *s, int64_t *offset) {
    int h, m = 0;
    *offset = 0;
    while (take(s, ' '))
        ;
    if (!s->len || take(s, 'Z') || take(s, 'z'))
        return true;
    bool minus = take(s, '-');
    if (!minus && !take(s, '+'))
        return false;
    if (!two_digits(s, 23, &h))
        return false;
    bool colon = take(s, ':');
    if ((colon || s->len) && !two_digits(s, 59, &m))
        return false;
    *offset = (minus ? -1 : 1) * (int64_t)(h * 3600 + m * 60);
    return true;
}

/* [+-]YYYY-MM-DD as days; far: a year beyond twelve digits. */
static bool take_date(lake_str *s, int64_t *days, int *far) {
    bool minus = take(s, '-');
    if (!minus)
        take(s, '+');
    lake_str digits = take_digits(s);
    int64_t year = 0;
    int month, day;
    if (digits.len < 4)
        return false;
    for (size_t i = 0; i < digits.len && year < 1000000000000; i++)
        year = year * 10 + (digits.ptr[i] - '0');
    if (!take(s, '-') || !two_digits(s, 12, &month) || !take(s, '-') || !two_digits(s, 31, &day) || month < 1 ||
        day < 1)
        return false;
    *far = year >= 1000000000000 ? (minus ? -1 : 1) : 0;
    if (minus)
        year = -year;
    if (*far)
        return true;
    *days = lake_days_from_civil(year, month, day);
    return day <= lake_days_in_month(year, month);
}

/* The fraction's digits as units of 10^-digits, and whether more follow. */
static int64_t units_of(lake_str fraction, int digits, bool *rest) {
    int64_t v = 0;
    for (int i = 0; i < digits; i++)
        v = v * 10 + ((size_t)i < fraction.len ? fraction.ptr[i] - '0' : 0);
    for (size_t i = (size_t)digits; i < fraction.len; i++)
        *rest |= fraction.ptr[i] != '0';
    return v;
}

bool lake_instant_point(lake_str s, int64_t per_day, lake_end *at, lake_end *after) {
    int64_t days = 0, seconds = 0, zone = 0;
    int far;
    lake_str fraction = {s.ptr, 0};
    if (!take_date(&s, &days, &far))
        return false;
    if (s.len && (s.ptr[0] == 'T' || s.ptr[0] == 't' || (s.ptr[0] == ' ' && s.len > 1 && is_digit(s.ptr[1])))) {
        s = (lake_str){s.ptr + 1, s.len - 1};
        if (!take_clock(&s, &seconds, &fraction))
            return false;
    }
    if (!take_zone(&s, &zone) || s.len)
        return false;
    bool rest = false;
    lake_i128 total = (lake_i128)days * 86400 + seconds - zone;
    if (per_day == 1) {
        rest = units_of(fraction, 0, &rest) != 0 || rest;
        lake_i128 day = total / 86400 - (total % 86400 < 0);
        rest |= total != day * 86400;
        total = day;
    } else {
        total = total * (per_day / 86400) + units_of(fraction, per_day == 86400000000 ? 6 : 9, &rest);
    }
    lake_point_make(total, rest, far, at, after);
    return true;
}

bool lake_time_point(lake_str s, lake_end *at, lake_end *after) {
    int64_t seconds;
    lake_str fraction;
    bool rest = false;
    if (!take_clock(&s, &seconds, &fraction) || s.len)
        return false;
    int64_t units = units_of(fraction, 6, &rest);
    lake_point_make((lake_i128)seconds * 1000000 + units, rest, 0, at, after);
    return true;
}

bool lake_date_valid(lake_str s) {
    int64_t days;
    int far;
    return take_date(&s, &days, &far) && s.len == 0;
}
