/* 128-bit integers: text and big-endian bytes. Expected bytes: Iceberg spec, Appendix D (minimal two's complement). */
#include "support.h"

static void check(lake_i128 v, const char *hex) {
    lake_arena a;
    lake_arena_init(&a, 0);
    uint8_t out[16];
    size_t n = lake_i128_to_be(v, out);
    cr_assert_str_eq(test_to_hex(&a, (lake_bytes){out, n}), hex);
    lake_i128 back;
    cr_assert(lake_i128_from_be((lake_bytes){out, n}, &back));
    cr_assert(back == v);
    lake_arena_clear(&a);
}

Test(int128, minimal_big_endian) {
    check(0, "00");
    check(1, "01");
    check(-1, "ff");
    check(127, "7f");
    check(128, "0080");
    check(-128, "80");
    check(-129, "ff7f");
    check(1420, "058c");
    check(LAKE_I128_MAX, "7fffffffffffffffffffffffffffffff");
    check(LAKE_I128_MIN, "80000000000000000000000000000000");
}

Test(int128, longer_input_is_accepted_when_it_is_sign_extended) {
    lake_i128 v;
    uint8_t wide[18] = {0};
    wide[17] = 5;
    cr_assert(lake_i128_from_be((lake_bytes){wide, 18}, &v));
    cr_assert(v == 5);
    wide[0] = 1;
    cr_assert_not(lake_i128_from_be((lake_bytes){wide, 18}, &v));
    uint8_t big[17] = {0, 0x80};
    cr_assert_not(lake_i128_from_be((lake_bytes){big, 17}, &v), "2^127 does not fit");
    cr_assert_not(lake_i128_from_be((lake_bytes){big, 0}, &v));
}

Test(int128, fixed_is_sign_extended) {
    uint8_t out[5];
    cr_assert(lake_i128_to_be_fixed(-100, out, 5));
    cr_assert_eq(memcmp(out, "\xff\xff\xff\xff\x9c", 5), 0);
    cr_assert_not(lake_i128_to_be_fixed(128, out, 1));
    cr_assert(lake_i128_to_be_fixed(-128, out, 1));
}

Test(int128, decimal_text) {
    char t[LAKE_I128_TEXT + 48];
    lake_decimal_print(12345, 2, t);
    cr_assert_str_eq(t, "123.45");
    lake_decimal_print(-5, 3, t);
    cr_assert_str_eq(t, "-0.005");
    lake_decimal_print(0, 0, t);
    cr_assert_str_eq(t, "0");
    lake_decimal_print(LAKE_I128_MIN, 38, t);
    cr_assert_str_eq(t, "-1.70141183460469231731687303715884105728");
}
