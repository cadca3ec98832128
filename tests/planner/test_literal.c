/* Literals as points on a type's key line: exact numbers of any length, dates of any year, fractions beyond the unit,
   zones. The expected keys are computed by hand, or with Python's fractions. */
#include "../support.h"
#include "planner/literal.h"
#include "planner/step.h"

static __int128 wide(const char *text) {
    __int128 v = 0;
    bool minus = *text == '-';
    for (text += minus; *text; text++)
        v = v * 10 + (*text - '0');
    return minus ? -v : v;
}

/* at and after: decimal digits, "low", "top". */
static const struct {
    const char *text;
    int scale;
    const char *at, *after;
} numbers[] = {
    {"0", 0, "0", "1"},
    {"-0.0", 0, "0", "1"},
    {"5", 0, "5", "6"},
    {"+5.000", 0, "5", "6"},
    {"5.5", 0, "6", "6"},
    {"-5.5", 0, "-5", "-5"},
    {"-0.1", 0, "0", "0"},
    {"0.1", 0, "1", "1"},
    {".5", 1, "5", "6"},
    {"5.", 0, "5", "6"},
    {"1e3", 0, "1000", "1001"},
    {"1.25E+2", 0, "125", "126"},
    {"1250e-1", 0, "125", "126"},
    {"1255e-1", 0, "126", "126"},
    {"-1255e-1", 0, "-125", "-125"},
    {"1.1", 2, "110", "111"},
    {"1.195", 2, "120", "120"},
    {"-1.195", 2, "-119", "-119"},
    {"1.100000000000000000000000000000000000000000000000", 2, "110", "111"},
    {"1.100000000000000000000000000000000000000000000001", 2, "111", "111"},
    {"0.00000000000000000000000000000000000000000000001", 0, "1", "1"},
    {"99999999999999999999999999999999999999", 0, "99999999999999999999999999999999999999",
        "100000000000000000000000000000000000000"},
    {"170141183460469231731687303715884105726", 0, "170141183460469231731687303715884105726",
        "170141183460469231731687303715884105727"},
    {"170141183460469231731687303715884105728", 0, "top", "top"},
    {"1e400", 0, "top", "top"},
    {"-1e400", 0, "low", "low"},
    {"1e999999999999", 0, "top", "top"},
    {"1e-999999999999", 0, "1", "1"},
    {"-1e-999999999999", 38, "0", "0"},
    {"0e999999999999", 0, "0", "1"},
    {"000000000000000000000000000000000000000000007", 0, "7", "8"},
    {"9999999999999999999999999999999999999999e-20", 0, "100000000000000000000", "100000000000000000000"},
};

static const char *const no_numbers[] = {
    "", "-", "1e", "1e+", ".", "1.2.3", "0x10", " 1", "1 ", "NaN", "Infinity", "1_000", "--1"};

/* Units a day, so that dates are days. */
static const struct {
    const char *text;
    int64_t per_day;
    const char *at, *after;
} instants[] = {
    {"1970-01-01", 1, "0", "1"},
    {"1969-12-31", 1, "-1", "0"},
    {"2024-02-29", 1, "19782", "19783"},
    {"0000-01-01", 1, "-719528", "-719527"},
    {"-0001-12-31", 1, "-719529", "-719528"},
    {"+12345-06-07", 1, "3789548", "3789549"},
    {"2024-02-29T00:00:00", 1, "19782", "19783"},
    {"2024-02-29 00:00:00.001", 1, "19783", "19783"},
    {"1969-12-31T23:59:59", 1, "0", "0"},
    {"2024-02-29T00:00:00+01:00", 1, "19782", "19782"},
    {"1970-01-01T00:00:00.000001", 86400000000, "1", "2"},
    {"1970-01-01T00:00:00.0000019", 86400000000, "2", "2"},
    {"1969-12-31T23:59:59.9999995", 86400000000, "0", "0"},
    {"1970-01-01T01:00:00+01:00", 86400000000, "0", "1"},
    {"1970-01-01 01:00+0100", 86400000000, "0", "1"},
    {"1969-12-31T19:00:00-05", 86400000000, "0", "1"},
    {"1970-01-01T00:00:00 Z", 86400000000, "0", "1"},
    {"1970-01-01T00:00:00.000000001Z", 86400000000000, "1", "2"},
    {"1970-01-01T00:00:00.0000000009", 86400000000000, "1", "1"},
    {"999999999999-01-01", 86400000000000, NULL, NULL}, /* beyond 64 bits, still exact */
    {"99999999999999-01-01", 1, "top", "top"},
    {"-99999999999999-01-01", 1, "low", "low"},
};

static const char *const no_instants[] = {"", "2024", "2024-1-1", "2024-02-30", "2023-02-29", "2024-13-01",
    "2024-00-10", "2024-01-00", "24-01-01", "2024-01-01T", "2024-01-01T24:00", "2024-01-01T00:60",
    "2024-01-01T00:00:60", "2024-01-01T00:00:00.", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+01:60",
    "2024-01-01T00:00:00 UTC", "2024-01-01x", "2024-01-01+1:00", "now"};

static void check(const char *name, lake_end got, const char *want) {
    char text[LAKE_I128_TEXT];
    if (!want)
        return;
    if (strcmp(want, "top") == 0 || strcmp(want, "low") == 0) {
        cr_expect_eq(got.at, want[0] == 't' ? LAKE_END_TOP : LAKE_END_LOW, "%s is not %s", name, want);
        return;
    }
    lake_i128_print(got.key.i, text);
    cr_expect(got.at == LAKE_END_KEY && got.key.i == wide(want), "%s: %s, must be %s", name, text, want);
}

Test(literal, numbers_are_exact) {
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        lake_end at, after;
        cr_assert(lake_number_point(lake_str_of(numbers[i].text), false, numbers[i].scale, &at, &after), "%s",
            numbers[i].text);
        check(numbers[i].text, at, numbers[i].at);
        check(numbers[i].text, after, numbers[i].after);
    }
    for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++) {
        lake_end at, after;
        cr_expect_not(lake_number_point(lake_str_of(no_numbers[i]), false, 0, &at, &after), "'%s'", no_numbers[i]);
    }
}

Test(literal, instants_are_exact) {
    for (size_t i = 0; i < sizeof instants / sizeof *instants; i++) {
        lake_end at, after;
        cr_assert(lake_instant_point(lake_str_of(instants[i].text), instants[i].per_day, &at, &after), "%s",
            instants[i].text);
        check(instants[i].text, at, instants[i].at);
        check(instants[i].text, after, instants[i].after);
    }
    for (size_t i = 0; i < sizeof no_instants / sizeof *no_instants; i++) {
        lake_end at, after;
        cr_expect_not(
            lake_instant_point(lake_str_of(no_instants[i]), 86400000000, &at, &after), "'%s'", no_instants[i]);
    }
}

static int compare(const char *a, const char *b) {
    lake_literal x = {.kind = LAKE_LITERAL_NUMBER, .text = lake_str_of(a)},
                 y = {.kind = LAKE_LITERAL_NUMBER, .text = lake_str_of(b)};
    int c = 7;
    cr_assert(lake_literal_compare(&x, &y, &c));
    return c;
}

Test(literal, numbers_compare_by_value) {
    static const char *const ascending[] = {"-1e400", "-10", "-9.99", "-1e-400", "0", "1e-400", "0.1",
        "0.10000000000000000000000000001", "1", "9", "10", "1e400"};
    enum { N = sizeof ascending / sizeof *ascending };
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            cr_expect_eq(
                compare(ascending[i], ascending[k]), (i > k) - (i < k), "%s and %s", ascending[i], ascending[k]);
    cr_expect_eq(compare("1.50", "15e-1"), 0);
    cr_expect_eq(compare("-0", "0.0e5"), 0);
}

/* A literal of another length lies between two values of a fixed column: every byte string is tried at every place. */
Test(literal, fixed_literals_of_another_length_lie_between_two_values) {
    static const uint8_t bytes[] = {0, 1, 0x7f, 0xff};
    static const char hex[] = "0123456789abcdef";
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t n = 0; n <= 3; n++)
        for (size_t pick = 0; pick < (size_t)1 << (2 * n); pick++) {
            uint8_t literal[3] = {0};
            char text[8] = {0};
            for (size_t i = 0; i < n; i++) {
                literal[i] = bytes[pick >> (2 * i) & 3];
                text[2 * i] = hex[literal[i] >> 4];
                text[2 * i + 1] = hex[literal[i] & 15];
            }
            lake_literal v = {
                .kind = LAKE_LITERAL_HEX, .text = lake_str_of(text), .sql = lake_str_of(text), .offset = -1};
            lake_type type = {.id = LAKE_FIXED, .length = 2};
            lake_point p;
            cr_assert_eq(lake_literal_point(&arena, &v, &type, true, &p, NULL, NULL), LAKE_OK);
            for (unsigned k = 0; k <= 0xffff; k++) {
                uint8_t value[2] = {(uint8_t)(k >> 8), (uint8_t)k};
                lake_end end = lake_end_key((lake_key){.b = {value, 2}});
                int c = lake_bytes_cmp((lake_bytes){value, 2}, (lake_bytes){literal, n});
                cr_assert_eq(!lake_end_below(LAKE_KEY_BYTES, &end, &p.at), c >= 0, "%s at %04x", text, k);
                cr_assert_eq(!lake_end_below(LAKE_KEY_BYTES, &end, &p.after), c > 0, "%s after %04x", text, k);
            }
            cr_expect(p.at.at != LAKE_END_KEY || p.at.key.b.len == 2, "%s", text);
        }
    lake_arena_clear(&arena);
}
