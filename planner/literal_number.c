/* Decimal numbers of any length as points, and compared with each other. */
#include "planner/literal_text.h"

static lake_end key_end(lake_i128 v) {
    return (lake_end){.key.i = v, .at = LAKE_END_KEY};
}

void lake_point_make(lake_i128 floor, bool above, int far, lake_end *at, lake_end *after) {
    if (far || (floor == LAKE_I128_MAX)) {
        *at = *after = (lake_end){.at = far < 0 ? LAKE_END_LOW : LAKE_END_TOP};
        return;
    }
    *after = key_end(floor + 1);
    *at = above ? *after : key_end(floor);
}

typedef struct decimal {
    lake_str whole, part; /* digits before and behind the point */
    int64_t exponent; /* clamped to +-10^9 */
    bool negative;
} decimal;

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

bool lake_number_valid(lake_str text) {
    decimal d;
    return parse_decimal(text, false, &d);
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
        lake_point_make(0, false, 0, at, after);
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
    lake_point_make(v, rest, d.negative ? -far : far, at, after);
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
