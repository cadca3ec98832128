/* UTF-8: RFC 3629's table of legal sequences, by brute force over all code points and over short byte strings. */
#include "support.h"

Test(utf8, every_code_point_round_trips_and_surrogates_do_not) {
    for (uint32_t cp = 0; cp <= 0x110010; cp++) {
        uint8_t out[4];
        uint32_t back;
        size_t n = lake_utf8_encode(cp, out);
        bool legal = cp <= 0x10ffff && !(cp >= 0xd800 && cp <= 0xdfff);
        cr_assert_eq(n != 0, legal, "U+%04X", cp);
        if (!n)
            continue;
        size_t want = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
        cr_assert_eq(n, want, "U+%04X", cp);
        cr_assert_eq(lake_utf8_decode(out, out + n, &back), n);
        cr_assert_eq(back, cp);
        cr_assert_eq(lake_utf8_decode(out, out + n - 1, &back), n == 1 ? 1 : 0, "U+%04X cut short", cp);
    }
}

Test(utf8, ill_formed_sequences_are_refused) {
    static const char *const bad[] = {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xe0\x80\x80", "\xe0\x9f\xbf",
        "\xed\xa0\x80", "\xed\xbf\xbf", "\xe2\x82", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff", "a\xffz"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_not(lake_utf8_valid(lake_bytes_of(lake_str_of(bad[i]))), "case %zu", i);
    cr_assert(lake_utf8_valid((lake_bytes){(const uint8_t *)"", 0}));
    cr_assert(lake_utf8_valid(lake_bytes_of(LAKE_STR("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"))));
}

Test(utf8, head_counts_code_points_and_stray_bytes_as_one) {
    lake_bytes s = lake_bytes_of(LAKE_STR("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z"));
    static const size_t ends[] = {0, 1, 3, 6, 10, 11, 11};
    for (size_t n = 0; n < 7; n++)
        cr_assert_eq(lake_utf8_head(s, n), ends[n], "%zu", n);
    cr_assert_eq(lake_utf8_count(s), 5);
    lake_bytes stray = lake_bytes_of(LAKE_STR("\x80\x80\xff"));
    cr_assert_eq(lake_utf8_count(stray), 3);
    lake_bytes torn = lake_bytes_of(LAKE_STR("\xf0\x9f"));
    cr_assert_eq(lake_utf8_head(torn, 1), 2);
}
