/* Literals as points (model/values.py, literal). Numbers are decimals of any length, dates may have any year, fractions
   may go beyond the unit: nothing is rounded, but for float columns. */
#include "planner/literal.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

static lake_end key_end(lake_i128 v) {
    return (lake_end){.key.i = v, .at = LAKE_END_KEY};
}

/* The pair for floor(v) and whether v lies above it; `far` != 0: beyond 128 bits on that side. */
static void make_point(lake_i128 floor, bool above, int far, lake_end *at, lake_end *after) {
    if (far || (floor == LAKE_I128_MAX)) {
        *at = *after = (lake_end){.at = far < 0 ? LAKE_END_LOW : LAKE_END_TOP};
        return;
    }
    *after = key_end(floor + 1);
    *at = above ? *after : key_end(floor);
}

/* ---------------------------------------------------------------- numbers */
typedef struct decimal {
    lake_str whole, part; /* digits before and behind the point */
    int64_t exponent; /* clamped to +-10^9 */
    bool negative;
} decimal;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static lake_str take_digits(lake_str *s) {
    size_t n = 0;
    while (n < s->len && is_digit(s->ptr[n]))
        n++;
    lake_str out = {s->ptr, n};
    *s = (lake_str){s->ptr + n, s->len - n};
    return out;
}

static bool take(lake_str *s, char c) {
    if (!s->len || s->ptr[0] != c)
        return false;
    *s = (lake_str){s->ptr + 1, s->len - 1};
    return true;
}

static bool parse_decimal(lake_str s, bool negative, decimal *out) {
    *out = (decimal){.negative = negative};
    if (take(&s, '-'))
        out->negative = !negative;
    else
        take(&s, '+');
    out->whole = take_digits(&s);
    out->part = take(&s, '.') ? take_digits(&s) : (lake_str){s.ptr, 0};
    if (out->whole.len + out->part.len == 0)
        return false;
    if (take(&s, 'e') || take(&s, 'E')) {
        bool minus = take(&s, '-');
        if (!minus)
            take(&s, '+');
        lake_str digits = take_digits(&s);
        if (!digits.len)
            return false;
        for (size_t i = 0; i < digits.len && out->exponent < 1000000000; i++)
            out->exponent = out->exponent * 10 + (digits.ptr[i] - '0');
        if (out->exponent > 1000000000)
            out->exponent = 1000000000;
        if (minus)
            out->exponent = -out->exponent;
    }
    return s.len == 0;
}

static char digit_at(const decimal *d, size_t i) {
    return i < d->whole.len ? d->whole.ptr[i] : d->part.ptr[i - d->whole.len];
}

/* Without leading and trailing zeros: digits [first, last) of it, and where the point stands relative to first. */
static void significant(const decimal *d, int64_t scale, size_t *first, size_t *last, int64_t *point) {
    size_t n = d->whole.len + d->part.len, i = 0;
    while (i < n && digit_at(d, i) == '0')
        i++;
    while (n > i && digit_at(d, n - 1) == '0')
        n--;
    *first = i;
    *last = n;
    *point = (int64_t)d->whole.len - (int64_t)i + d->exponent + scale;
}

bool lake_number_point(lake_str text, bool negative, int scale, lake_end *at, lake_end *after) {
    decimal d;
    if (!parse_decimal(text, negative, &d))
        return false;
    size_t first, last;
    int64_t point;
    significant(&d, scale, &first, &last, &point);
    if (first == last) {
        make_point(0, false, 0, at, after);
        return true;
    }
    int far = point > 39 ? 1 : 0;
    lake_i128 v = 0;
    bool rest = point < (int64_t)(last - first);
    for (int64_t i = 0; i < point && !far; i++) {
        int digit = first + (size_t)i < last ? digit_at(&d, first + (size_t)i) - '0' : 0;
        if (__builtin_mul_overflow(v, (lake_i128)10, &v) || __builtin_add_overflow(v, (lake_i128)digit, &v))
            far = 1;
    }
    if (d.negative && !far) { /* floor of -(v + rest) */
        v = -v - (rest ? 1 : 0);
    }
    make_point(v, rest, d.negative ? -far : far, at, after);
    return true;
}

static int compare_numbers(const decimal *a, const decimal *b) {
    size_t af, al, bf, bl;
    int64_t ap, bp;
    significant(a, 0, &af, &al, &ap);
    significant(b, 0, &bf, &bl, &bp);
    int as = af == al ? 0 : a->negative ? -1 : 1, bs = bf == bl ? 0 : b->negative ? -1 : 1;
    if (as != bs || as == 0)
        return (as > bs) - (as < bs);
    if (ap != bp)
        return (ap > bp ? 1 : -1) * as;
    for (size_t i = 0; i < al - af || i < bl - bf; i++) {
        int x = i < al - af ? digit_at(a, af + i) : '0', y = i < bl - bf ? digit_at(b, bf + i) : '0';
        if (x != y)
            return (x > y ? 1 : -1) * as;
    }
    return 0;
}

bool lake_literal_compare(const lake_literal *a, const lake_literal *b, int *out) {
    if (a->kind != b->kind)
        return false;
    if (a->kind == LAKE_LITERAL_BOOL) {
        *out = (int)a->truth - (int)b->truth;
        return true;
    }
    if (a->kind == LAKE_LITERAL_STRING) {
        *out = lake_bytes_cmp(lake_bytes_of(a->text), lake_bytes_of(b->text));
        return true;
    }
    decimal x, y;
    if (a->kind != LAKE_LITERAL_NUMBER || !parse_decimal(a->text, a->negative, &x) ||
        !parse_decimal(b->text, b->negative, &y))
        return false;
    *out = compare_numbers(&x, &y);
    return true;
}

/* ---------------------------------------------------------------- time */
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
    make_point(total, rest, far, at, after);
    return true;
}

static bool time_point(lake_str s, lake_end *at, lake_end *after) {
    int64_t seconds;
    lake_str fraction;
    bool rest = false;
    if (!take_clock(&s, &seconds, &fraction) || s.len)
        return false;
    int64_t units = units_of(fraction, 6, &rest);
    make_point((lake_i128)seconds * 1000000 + units, rest, 0, at, after);
    return true;
}

/* ---------------------------------------------------------------- floats */
static bool to_double(lake_arena *arena, lake_str text, bool negative, double *out, bool *memory) {
    decimal d;
    lake_str word = text;
    bool minus = take(&word, '-');
    if (lake_str_is(word, "Infinity")) {
        *out = minus != negative ? -INFINITY : INFINITY;
        return true;
    }
    if (!parse_decimal(text, negative, &d))
        return false;
    lake_str copy = lake_arena_str(arena, text.ptr, text.len);
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* glibc's is static: nothing is allocated */
    if (!copy.ptr || !c) {
        *memory = true;
        return false;
    }
    double v = strtod_l(copy.ptr, NULL, c);
    freelocale(c);
    *out = negative ? -v : v;
    return true;
}

static bool float_point(lake_arena *arena, const lake_literal *v, bool is_float, bool round_float, lake_point *out,
    bool *inexact, bool *memory) {
    double d;
    if (!to_double(arena, v->text, v->negative, &d, memory))
        return false;
    if (is_float && isfinite(d)) {
        double f = (double)(float)d;
        if (isfinite(f) && f != d) { /* beyond every finite float: it stays the double it is */
            *inexact = true;
            if (round_float)
                d = f;
        }
    }
    out->at = (lake_end){.key.f = d, .at = LAKE_END_KEY};
    return true;
}

/* ---------------------------------------------------------------- bytes */
static int hex_digit(char c) {
    return is_digit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static bool hex_point(lake_arena *arena, lake_str text, bool dashes, size_t want, lake_point *out, bool *memory) {
    uint8_t *bytes = lake_arena_alloc(arena, text.len / 2 + 1);
    size_t n = 0, half = 0;
    if (!bytes) {
        *memory = true;
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (dashes && text.ptr[i] == '-')
            continue;
        int h = hex_digit(text.ptr[i]);
        if (h < 0)
            return false;
        if (half++ % 2)
            bytes[n - 1] = (uint8_t)(bytes[n - 1] << 4 | h);
        else
            bytes[n++] = (uint8_t)h;
    }
    out->at = (lake_end){.key.b = {bytes, n}, .at = LAKE_END_KEY};
    return half % 2 == 0 && (!want || n == want);
}

/* ---------------------------------------------------------------- all */
static bool point(lake_arena *arena, const lake_literal *v, const lake_type *type, bool round_float, lake_point *out,
    bool *inexact, bool *memory) {
    bool number = v->kind == LAKE_LITERAL_NUMBER;
    bool text = v->kind == LAKE_LITERAL_STRING || v->kind == LAKE_LITERAL_JSON;
    switch (type->id) {
    case LAKE_BOOLEAN:
        if (text && v->text.len == 4 && strncasecmp(v->text.ptr, "true", 4) == 0)
            make_point(1, false, 0, &out->at, &out->after);
        else if (text && v->text.len == 5 && strncasecmp(v->text.ptr, "false", 5) == 0)
            make_point(0, false, 0, &out->at, &out->after);
        else if (v->kind == LAKE_LITERAL_BOOL)
            make_point(v->truth, false, 0, &out->at, &out->after);
        else
            return false;
        return true;
    case LAKE_INT:
    case LAKE_LONG:
    case LAKE_DECIMAL:
        return (number || text) &&
            lake_number_point(v->text, v->negative, type->id == LAKE_DECIMAL ? type->scale : 0, &out->at, &out->after);
    case LAKE_FLOAT:
    case LAKE_DOUBLE:
        return (number || text) && float_point(arena, v, type->id == LAKE_FLOAT, round_float, out, inexact, memory);
    case LAKE_TIME: return (text || v->kind == LAKE_LITERAL_TIME) && time_point(v->text, &out->at, &out->after);
    case LAKE_DATE:
    case LAKE_TIMESTAMP:
    case LAKE_TIMESTAMPTZ:
    case LAKE_TIMESTAMP_NS:
    case LAKE_TIMESTAMPTZ_NS:
        if (number)
            return lake_number_point(v->text, v->negative, 0, &out->at, &out->after);
        return (text || v->kind == LAKE_LITERAL_DATE || v->kind == LAKE_LITERAL_TIMESTAMP) &&
            lake_instant_point(v->text, lake_type_per_day(type), &out->at, &out->after);
    case LAKE_STRING:
        if (!text)
            return false;
        out->at = (lake_end){.key.b = lake_bytes_of(v->text), .at = LAKE_END_KEY};
        return true;
    case LAKE_UUID:
        return (text || v->kind == LAKE_LITERAL_UUID || v->kind == LAKE_LITERAL_HEX) &&
            hex_point(arena, v->text, true, 16, out, memory);
    case LAKE_FIXED:
    case LAKE_BINARY:
        return (v->kind == LAKE_LITERAL_JSON || v->kind == LAKE_LITERAL_HEX) &&
            hex_point(arena, v->text, false, 0, out, memory);
    default: return false;
    }
}

/* DATE '…' takes a date only, so that nothing is cut off silently. */
static bool well_formed(const lake_literal *v) {
    lake_end a, b;
    int64_t days;
    int far;
    lake_str s = v->text;
    switch (v->kind) {
    case LAKE_LITERAL_DATE: return take_date(&s, &days, &far) && s.len == 0;
    case LAKE_LITERAL_TIMESTAMP: return lake_instant_point(s, 86400000000, &a, &b);
    case LAKE_LITERAL_TIME: return time_point(s, &a, &b);
    default: return true;
    }
}

lake_status lake_literal_point(lake_arena *arena, const lake_literal *v, const lake_type *type, bool round_float,
    lake_point *out, bool *inexact, lake_error *err) {
    bool changed = false, memory = false;
    lake_key_kind kind = lake_type_kind(type);
    if (!well_formed(v))
        return lake_fail_at(err, LAKE_ERR_USAGE, v->offset, "%.*s is not well-formed",
            (int)(v->sql.len > 60 ? 60 : v->sql.len), v->sql.ptr);
    if (!point(arena, v, type, round_float, out, &changed, &memory)) {
        if (memory)
            return lake_fail_memory(err);
        lake_buffer name;
        lake_buffer_init(&name);
        lake_type_print(&name, type);
        lake_str n = lake_buffer_view(&name);
        lake_status s = lake_fail_at(err, LAKE_ERR_USAGE, v->offset, "%.*s cannot be compared with a %.*s%s",
            (int)(v->sql.len > 60 ? 60 : v->sql.len), v->sql.ptr, LAKE_ARG(n),
            kind == LAKE_KEY_BYTES && v->kind == LAKE_LITERAL_STRING && type->id != LAKE_UUID ? "; write X'…'" : "");
        lake_buffer_clear(&name);
        return s;
    }
    if (kind != LAKE_KEY_INT && !lake_key_next(arena, kind, out->at.key, &out->after))
        return lake_fail_memory(err);
    if (inexact)
        *inexact |= changed;
    return LAKE_OK;
}
