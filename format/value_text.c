/* Dates, times, numbers and UUIDs as text: ISO 8601 and plain numbers, without a locale. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/value_internal.h"

/* ---- dates and times */

typedef struct reader {
    const char *at, *end;
} reader;

static bool is_digit(const reader *r) {
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static bool take(reader *r, char c) {
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* Between `least` and `most` digits (at most 9), all that are there. */
static bool digits(reader *r, int least, int most, int *out) {
    int n = 0, v = 0;
    while (is_digit(r)) {
        if (++n > most)
            return false;
        v = v * 10 + (*r->at++ - '0');
    }
    *out = v;
    return n >= least;
}

/* Exactly two digits; what follows is the caller's. */
static bool two(reader *r, int most, int *out) {
    if (r->end - r->at < 2)
        return false;
    reader pair = {r->at, r->at + 2};
    r->at += 2;
    return digits(&pair, 2, 2, out) && *out <= most;
}

static bool fraction(reader *r, lake_instant *out) {
    int n = 0;
    if (!is_digit(r))
        return false;
    for (; is_digit(r); r->at++) {
        if (n++ < 9)
            out->nanos = out->nanos * 10 + (*r->at - '0');
        else
            out->beyond_nanos |= *r->at != '0';
    }
    while (n++ < 9)
        out->nanos *= 10;
    return true;
}

static bool clock(reader *r, lake_instant *out) {
    int h, m, s = 0;
    if (!two(r, 23, &h) || !take(r, ':') || !two(r, 59, &m))
        return false;
    if (take(r, ':') && (!two(r, 59, &s) || (take(r, '.') && !fraction(r, out))))
        return false;
    out->seconds += h * 3600 + m * 60 + s;
    return true;
}

static bool zone(reader *r, lake_instant *out) {
    while (take(r, ' '))
        ;
    if (r->at == r->end)
        return true;
    out->has_zone = true;
    if (take(r, 'Z'))
        return true;
    bool minus = take(r, '-');
    int h, m = 0;
    if ((!minus && !take(r, '+')) || !two(r, 23, &h))
        return false;
    if ((take(r, ':') || is_digit(r)) && !two(r, 59, &m))
        return false;
    out->offset = (h * 3600 + m * 60) * (minus ? -1 : 1);
    out->seconds -= out->offset;
    return true;
}

static bool date(reader *r, int64_t *days) {
    bool minus = take(r, '-');
    int year, month, day;
    if (!minus)
        (void)take(r, '+');
    if (!digits(r, 4, 9, &year) || !take(r, '-') || !two(r, 12, &month) || !take(r, '-') || !two(r, 31, &day))
        return false;
    int64_t y = minus ? -year : year;
    if (month < 1 || day < 1 || day > lake_days_in_month(y, month))
        return false;
    *days = lake_days_from_civil(y, month, day);
    return true;
}

bool lake_instant_parse(lake_str text, lake_instant *out) {
    reader r = {text.ptr, text.ptr + text.len};
    int64_t days;
    memset(out, 0, sizeof *out);
    if (!date(&r, &days))
        return false;
    out->seconds = days * 86400;
    if (r.end - r.at >= 2 && (*r.at == 'T' || *r.at == ' ') && r.at[1] >= '0' && r.at[1] <= '9') {
        out->space_before_time = *r.at++ == ' ';
        out->has_time = true;
        if (!clock(&r, out))
            return false;
    }
    return zone(&r, out) && r.at == r.end;
}

bool lake_clock_parse(lake_str text, lake_instant *out) {
    reader r = {text.ptr, text.ptr + text.len};
    memset(out, 0, sizeof *out);
    out->has_time = true;
    return clock(&r, out) && r.at == r.end;
}

void lake_date_print(lake_buffer *out, int64_t days) {
    lake_civil c = lake_civil_from_days(days);
    if (c.year > 9999)
        lake_buffer_char(out, '+');
    else if (c.year < 0)
        lake_buffer_char(out, '-');
    if (c.year < 0 || c.year > 9999) {
        lake_buffer_printf(out, "%04lld-%02d-%02d", (long long)(c.year < 0 ? -c.year : c.year), c.month, c.day);
        return;
    }
    int y = (int)c.year, m = (int)c.month, d = (int)c.day;
    char text[] = {'0' + y / 1000, '0' + y / 100 % 10, '0' + y / 10 % 10, '0' + y % 10, '-', '0' + m / 10, '0' + m % 10,
        '-', '0' + d / 10, '0' + d % 10};
    lake_buffer_put(out, text, sizeof text);
}

void lake_clock_print(lake_buffer *out, int64_t units, int width) {
    int64_t per = 1;
    for (int i = 0; i < width; i++)
        per *= 10;
    int s = (int)(units / per);
    lake_buffer_printf(out, "%02d:%02d:%02d.%0*lld", s / 3600, s / 60 % 60, s % 60, width, (long long)(units % per));
}

/* ---- numbers */

/* sign, digits with at most one point, exponent */
static bool is_number(lake_str text) {
    reader r = {text.ptr, text.ptr + text.len};
    size_t n = 0;
    (void)(take(&r, '-') || take(&r, '+'));
    for (; is_digit(&r); n++)
        r.at++;
    if (take(&r, '.'))
        for (; is_digit(&r); n++)
            r.at++;
    if (!n)
        return false;
    if (take(&r, 'e') || take(&r, 'E')) {
        (void)(take(&r, '-') || take(&r, '+'));
        if (!is_digit(&r))
            return false;
        while (is_digit(&r))
            r.at++;
    }
    return r.at == r.end;
}

/* strtod and printf follow the thread's locale; glibc's "C" locale is static, so this allocates nothing. */
static locale_t plain_locale(void) {
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

bool lake_double_parse(lake_str text, bool single, double *out) {
    char small[64], *copy = small;
    if (!is_number(text))
        return false;
    if (text.len >= sizeof small && !(copy = lake_mem_alloc(text.len + 1)))
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = 0;
    locale_t before = plain_locale();
    *out = single ? (double)strtof(copy, NULL) : strtod(copy, NULL);
    uselocale(before);
    if (copy != small)
        lake_mem_free(copy);
    return true;
}

void lake_double_print(lake_buffer *out, double v, bool single) {
    if (isnan(v) || isinf(v)) {
        lake_buffer_puts(out, isnan(v) ? "NaN" : v < 0 ? "-Infinity" : "Infinity");
        return;
    }
    double tiny = single ? 0x1p-126 : 0x1p-1022;
    char text[40];
    locale_t before = plain_locale();
    /* A normal number that 15 (6) digits tell apart needs no fewer: %g drops zeros at the end. */
    for (int p = fabs(v) < tiny ? 1 : single ? 6 : 15; p <= 17; p++) {
        snprintf(text, sizeof text, "%.*g", p, v);
        if ((single ? (double)strtof(text, NULL) : strtod(text, NULL)) == v)
            break;
    }
    uselocale(before);
    lake_buffer_puts(out, text);
    if (!strpbrk(text, ".e"))
        lake_buffer_puts(out, ".0");
}

/* Adds a digit to a number of up to 38 digits. */
static bool add_digit(lake_i128 *v, int digit) {
    return !__builtin_mul_overflow(*v, (lake_i128)10, v) && !__builtin_add_overflow(*v, (lake_i128)digit, v);
}

bool lake_decimal_parse(lake_str text, int scale, lake_i128 *unscaled) {
    if (!is_number(text))
        return false;
    reader r = {text.ptr, text.ptr + text.len};
    bool minus = take(&r, '-'), point = false, zero = true;
    (void)take(&r, '+');
    const char *first = r.at;
    int64_t shift = scale; /* zeros to append, less one for each digit behind the point */
    for (; is_digit(&r) || (r.at < r.end && *r.at == '.'); r.at++) {
        if (*r.at == '.') {
            point = true;
        } else {
            zero = zero && *r.at == '0';
            shift -= point;
        }
    }
    const char *last = r.at;
    *unscaled = 0;
    if (zero)
        return true;
    if (r.at < r.end) {
        r.at++;
        bool down = take(&r, '-');
        (void)take(&r, '+');
        int64_t exponent = 0;
        for (; is_digit(&r); r.at++)
            if (exponent < INT64_C(1) << 40)
                exponent = exponent * 10 + (*r.at - '0');
        shift += down ? -exponent : exponent;
    }
    /* digits that the scale has no room for must be zeros */
    for (; shift < 0; shift++) {
        do
            last--;
        while (last >= first && *last == '.');
        if (last < first || *last != '0')
            return false;
    }
    lake_i128 v = 0;
    for (const char *p = first; p < last; p++)
        if (*p != '.' && !add_digit(&v, *p - '0'))
            return false;
    for (; shift > 0; shift--)
        if (!add_digit(&v, 0))
            return false;
    if (v >= lake_i128_pow10(38))
        return false;
    *unscaled = minus ? -v : v;
    return true;
}

/* ---- UUIDs */

bool lake_uuid_parse(lake_str text, uint8_t out[16]) {
    if (text.len != 36)
        return false;
    for (size_t i = 0, n = 0; i < 36;) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (text.ptr[i++] != '-')
                return false;
            continue;
        }
        int hi = lake_hex_digit(text.ptr[i]), lo = lake_hex_digit(text.ptr[i + 1]);
        if (hi < 0 || lo < 0)
            return false;
        out[n++] = (uint8_t)(hi << 4 | lo);
        i += 2;
    }
    return true;
}

void lake_uuid_print(lake_buffer *out, const uint8_t uuid[16]) {
    for (size_t i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            lake_buffer_char(out, '-');
        lake_buffer_hex(out, (lake_bytes){uuid + i, 1});
    }
}
