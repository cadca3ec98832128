/* Accumulators: NaN, zeros, halves, decimals, bytes, nulls; against plain brute force. */
#include "format/accum.h"

#include <math.h>

#include "tests/support.h"

static lake_accum start(lake_accum_form form, size_t width) {
    lake_accum s;
    lake_accum_init(&s, form, width, 1, 1);
    return s;
}

Test(accum, nan_enters_no_bound_and_zeros_keep_their_sign) {
    lake_accum s = start(LAKE_ACCUM_F64, 8);
    double v[] = {NAN, 0.0, -0.0, -NAN, INFINITY};
    lake_key lo, hi;
    lake_accum_add(&s, v, NULL, 5);
    cr_assert(lake_accum_min(&s, &lo) && lake_accum_max(&s, &hi));
    cr_expect(lo.f == 0 && signbit(lo.f) && isinf(hi.f) && s.nans == 2 && s.values == 5);
    s = start(LAKE_ACCUM_F64, 8);
    lake_accum_add(&s, v, NULL, 1);
    cr_expect(!lake_accum_min(&s, &lo) && !lake_accum_max(&s, &hi) && s.nans == 1, "only NaN: no bounds");
    float f[] = {NAN, -1.5f, 0.0f, -0.0f};
    s = start(LAKE_ACCUM_F32, 4);
    lake_accum_add(&s, f + 2, NULL, 1);
    cr_assert(lake_accum_min(&s, &lo) && lake_accum_max(&s, &hi));
    cr_expect(!signbit(lo.f) && !signbit(hi.f));
    lake_accum_add(&s, f, NULL, 4);
    cr_assert(lake_accum_min(&s, &lo) && lake_accum_max(&s, &hi));
    cr_expect(lo.f == -1.5 && hi.f == 0 && !signbit(hi.f) && s.nans == 1);
}

Test(accum, every_half_is_its_number) {
    for (unsigned h = 0; h < 65536; h++) {
        lake_accum s = start(LAKE_ACCUM_F16, 2);
        uint16_t v = (uint16_t)h;
        unsigned exponent = h >> 10 & 31, mantissa = h & 1023;
        double want = exponent == 31 ? INFINITY
            : exponent               ? ldexp(1024 + mantissa, (int)exponent - 25)
                                     : ldexp(mantissa, -24);
        lake_key k = {0};
        lake_accum_add(&s, &v, NULL, 1);
        bool has = lake_accum_min(&s, &k), nan = exponent == 31 && mantissa;
        cr_assert(has == !nan && s.nans == nan, "%04x", h);
        cr_assert(nan || (k.f == (h & 0x8000 ? -want : want) && signbit(k.f) == !!(h & 0x8000)), "%04x is %g", h, k.f);
    }
}

Test(accum, nulls_are_left_out_and_their_places_ignored) {
    lake_accum s = start(LAKE_ACCUM_I32, 4);
    int32_t v[] = {-100, 5, 7, 100, 6, -3};
    uint8_t valid[] = {0, 1, 1, 0, 1, 1};
    lake_key lo, hi;
    lake_accum_add(&s, v, valid, 6);
    lake_accum_add_nulls(&s, 3);
    cr_assert(lake_accum_min(&s, &lo) && lake_accum_max(&s, &hi));
    cr_expect(lo.i == -3 && hi.i == 7 && s.values == 9 && s.nulls == 5);
}

Test(accum, units_are_floored) {
    lake_accum s;
    int64_t v[] = {-1, -1001, 1999};
    lake_key lo, hi;
    lake_accum_init(&s, LAKE_ACCUM_I64, 8, 1, 1000); /* nanoseconds read as microseconds */
    lake_accum_add(&s, v, NULL, 3);
    cr_assert(lake_accum_min(&s, &lo) && lake_accum_max(&s, &hi));
    cr_expect(lo.i == -2 && hi.i == 1);
    lake_accum_init(&s, LAKE_ACCUM_I64, 8, 1000, 1);
    lake_accum_add(&s, (int64_t[]){INT64_MAX}, NULL, 1);
    cr_assert(lake_accum_max(&s, &hi));
    cr_expect_eq(hi.i, (lake_i128)INT64_MAX * 1000, "no overflow");
}

Test(accum, unsigned_values_are_not_negative) {
    lake_accum s = start(LAKE_ACCUM_U32, 4);
    lake_key lo, hi;
    lake_accum_add(&s, (uint32_t[]){4000000000u, 1}, NULL, 2);
    cr_assert(lake_accum_min(&s, &lo) && lake_accum_max(&s, &hi));
    cr_expect(lo.i == 1 && hi.i == 4000000000);
    s = start(LAKE_ACCUM_U64, 8);
    lake_accum_add(&s, (uint64_t[]){UINT64_MAX, 3}, NULL, 2);
    cr_assert(lake_accum_min(&s, &lo) && lake_accum_max(&s, &hi));
    cr_expect(lo.i == 3 && hi.i == (lake_i128)UINT64_MAX);
}

Test(accum, int96_is_nanoseconds_since_1970) {
    lake_accum s = start(LAKE_ACCUM_INT96, 12);
    uint8_t v[12];
    lake_key lo;
    lake_put_le64(v, 5);
    lake_put_le32(v + 8, 2440587); /* Julian day of 1969-12-31 */
    lake_accum_add(&s, v, NULL, 1);
    cr_assert(lake_accum_min(&s, &lo));
    cr_expect_eq(lo.i, -86400000000000 + 5);
}

Test(accum, decimals_of_any_width) {
    lake_key lo, hi;
    for (size_t width = 1; width <= 20; width++) {
        lake_accum s = start(LAKE_ACCUM_DECIMAL_FIXED, width);
        uint8_t v[60];
        memset(v, 0xff, sizeof v); /* -1 */
        memset(v + width, 0, width); /* 7 */
        v[2 * width - 1] = 7;
        v[3 * width - 1] = 0x80; /* -128 */
        lake_accum_add(&s, v, NULL, 3);
        cr_assert(lake_accum_min(&s, &lo) && lake_accum_max(&s, &hi), "width %zu", width);
        cr_expect(lo.i == -128 && hi.i == 7, "width %zu", width);
    }
    lake_accum s = start(LAKE_ACCUM_DECIMAL_BYTES, 0);
    static const uint8_t big[17] = {1};
    lake_accum_add(&s, (lake_bytes[]){{big + 1, 1}, {big, 17}}, NULL, 2);
    cr_expect(!lake_accum_min(&s, &lo) && s.values == 2, "beyond 128 bits: no bounds");
}

static uint64_t next(uint64_t *x) {
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

Test(accum, bytes_are_unsigned_and_a_prefix_comes_first) {
    uint64_t seed = 7;
    uint8_t pool[4096];
    for (size_t i = 0; i < sizeof pool; i++)
        pool[i] = (uint8_t)(next(&seed) % 3 * 127); /* few byte values: long common prefixes */
    for (int round = 0; round < 3000; round++) {
        lake_bytes v[20];
        lake_accum s = start(LAKE_ACCUM_BYTES, 0), parts = start(LAKE_ACCUM_BYTES, 0), one;
        size_t n = 1 + next(&seed) % 20, lo = 0, hi = 0, cut = next(&seed) % (n + 1);
        for (size_t i = 0; i < n; i++) {
            v[i] = (lake_bytes){pool + next(&seed) % 4000, next(&seed) % 20};
            lo = lake_bytes_cmp(v[i], v[lo]) < 0 ? i : lo;
            hi = lake_bytes_cmp(v[i], v[hi]) > 0 ? i : hi;
        }
        lake_key a, b;
        lake_accum_add(&s, v, NULL, cut);
        lake_accum_add(&s, v + cut, NULL, n - cut);
        cr_assert(lake_accum_min(&s, &a) && lake_accum_max(&s, &b));
        cr_assert(lake_bytes_cmp(a.b, v[lo]) == 0 && lake_bytes_cmp(b.b, v[hi]) == 0, "round %d", round);
        for (size_t i = 0; i < n; i++) { /* one by one and merged */
            one = start(LAKE_ACCUM_BYTES, 0);
            lake_accum_add(&one, v + i, NULL, 1);
            lake_accum_merge(&parts, &one);
            lake_accum_clear(&one);
        }
        cr_assert(lake_accum_min(&parts, &a) && lake_accum_max(&parts, &b) && parts.values == (int64_t)n);
        cr_assert(lake_bytes_cmp(a.b, v[lo]) == 0 && lake_bytes_cmp(b.b, v[hi]) == 0, "round %d merged", round);
        lake_accum_clear(&s);
        lake_accum_clear(&parts);
    }
    lake_accum fixed = start(LAKE_ACCUM_FIXED, 3);
    lake_key a, b;
    lake_accum_add(&fixed,
        "\x80zz"
        "aaz"
        "\x7f\xff\xff",
        NULL, 3);
    cr_assert(lake_accum_min(&fixed, &a) && lake_accum_max(&fixed, &b));
    cr_expect(memcmp(a.b.ptr, "aaz", 3) == 0 && memcmp(b.b.ptr, "\x80zz", 3) == 0);
    lake_accum_clear(&fixed);
}
