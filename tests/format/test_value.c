/* Single values. Expected forms: spec/vectors/single_values*.tsv and bounds.tsv (spec.md, Appendix D). */
#include "format_support.h"

#include <float.h>
#include <locale.h>
#include <math.h>

TestSuite(value, .init = setup, .fini = teardown);

Test(value, both_forms_give_each_other) {
    test_table t = test_vectors(&arena, "single_values.tsv");
    for (size_t i = 0; i < t.nrows; i++) {
        const char *name = test_cell(&t, i, "type"), *json = test_cell(&t, i, "json"),
                   *hex = test_cell(&t, i, "binary");
        lake_type type = type_of(name);
        lake_key k = key_of(&type, json), back = {0};
        uint8_t scratch[16];
        cr_expect_str_eq(test_to_hex(&arena, lake_value_to_binary(&type, k, scratch)), hex, "%s %s", name, json);
        cr_expect_str_eq(json_text(&type, k), json, "%s", name);
        cr_assert_eq(lake_value_from_binary(&type, test_hex(&arena, hex), &back), LAKE_BOUND_KEY, "%s %s", name, hex);
        cr_expect_eq(lake_key_cmp_total(lake_type_kind(&type), k, back), 0, "%s %s", name, json);
    }
}

Test(value, other_forms_are_read) {
    test_table t = test_vectors(&arena, "single_values_read.tsv");
    for (size_t i = 0; i < t.nrows; i++) {
        lake_type type = type_of(test_cell(&t, i, "type"));
        const char *json = test_cell(&t, i, "json");
        cr_expect_str_eq(json_text(&type, key_of(&type, json)), test_cell(&t, i, "canonical"), "%s", json);
    }
}

Test(value, wrong_forms_are_refused) {
    test_table t = test_vectors(&arena, "single_values_bad.tsv");
    for (size_t i = 0; i < t.nrows; i++) {
        lake_type type = type_of(test_cell(&t, i, "type"));
        const char *json = test_cell(&t, i, "json");
        lake_bound_state state;
        lake_key k;
        lake_error_init(&err);
        cr_expect_eq(lake_value_from_json(&arena, &type, json_of(json), &state, &k, &err), LAKE_ERR_MALFORMED, "%s %s",
            test_cell(&t, i, "type"), json);
        cr_expect(strstr(err.message, "is no value of type"), "%s: %s", json, err.message);
    }
}

Test(value, bounds_by_width) {
    test_table t = test_vectors(&arena, "bounds.tsv");
    for (size_t i = 0; i < t.nrows; i++) {
        const char *name = test_cell(&t, i, "type"), *hex = test_cell(&t, i, "binary"),
                   *state = test_cell(&t, i, "state");
        lake_type type = type_of(name);
        lake_key k = {0};
        lake_bound_state s = lake_value_from_binary(&type, test_hex(&arena, hex[0] == '-' ? "" : hex), &k);
        lake_bound_state expected = strcmp(state, "key") == 0 ? LAKE_BOUND_KEY
            : strcmp(state, "nan") == 0                       ? LAKE_BOUND_NAN
                                                              : LAKE_BOUND_NONE;
        cr_expect_eq(s, expected, "%s %s: %d", name, hex, s);
        if (s == LAKE_BOUND_KEY)
            cr_expect_str_eq(json_text(&type, k), test_cell(&t, i, "json"), "%s %s", name, hex);
    }
}

Test(value, no_bytes_are_a_bound_of_text_only) {
    lake_key k;
    lake_bytes empty = {(const uint8_t *)"", 0}, absent = {NULL, 0};
    lake_type s = type_of("string"), b = type_of("binary"), u = type_of("uuid");
    cr_assert_eq(lake_value_from_binary(&s, empty, &k), LAKE_BOUND_KEY);
    cr_assert_eq(k.b.len, 0);
    cr_assert_eq(lake_value_from_binary(&b, empty, &k), LAKE_BOUND_KEY);
    cr_assert_eq(lake_value_from_binary(&u, empty, &k), LAKE_BOUND_NONE);
    cr_assert_eq(lake_value_from_binary(&s, absent, &k), LAKE_BOUND_NONE);
}

Test(value, nan_and_null_are_states) {
    lake_bound_state state;
    lake_key k;
    lake_type f = type_of("float");
    cr_assert_eq(lake_value_from_json(&arena, &f, json_of("\"NaN\""), &state, &k, &err), LAKE_OK);
    cr_assert_eq(state, LAKE_BOUND_NAN);
    cr_assert_eq(lake_value_from_json(&arena, &f, json_of("null"), &state, &k, &err), LAKE_OK);
    cr_assert_eq(state, LAKE_BOUND_NONE);
    lake_type v = type_of("variant");
    cr_assert_eq(lake_value_from_json(&arena, &v, json_of("1"), &state, &k, &err), LAKE_ERR_UNSUPPORTED);
    cr_assert_eq(lake_value_from_json(&arena, &f, json_of("true"), &state, &k, NULL), LAKE_ERR_MALFORMED);
}

Test(value, numbers_do_not_follow_the_locale) {
    /* A comma locale need not be installed; where it is, this fails for plain strtod and printf. */
    (void)(setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8"));
    lake_type d = type_of("double");
    cr_assert_str_eq(json_text(&d, key_of(&d, "1.5")), "1.5");
    setlocale(LC_ALL, "C");
}

/* ---- order */

Test(value, keys_are_discrete) {
    lake_end e;
    cr_assert(lake_key_next(&arena, LAKE_KEY_INT, (lake_key){.i = -1}, &e) && e.key.i == 0 && e.at == LAKE_END_KEY);
    cr_assert(
        lake_key_next(&arena, LAKE_KEY_INT, (lake_key){.i = INT64_MAX}, &e) && e.key.i == (lake_i128)INT64_MAX + 1);
    cr_assert(lake_key_next(&arena, LAKE_KEY_INT, (lake_key){.i = LAKE_I128_MAX}, &e) && e.at == LAKE_END_TOP);
    cr_assert(lake_key_next(&arena, LAKE_KEY_FLOAT, (lake_key){.f = 1.0}, &e) && e.key.f == 1.0 + DBL_EPSILON);
    cr_assert(lake_key_next(&arena, LAKE_KEY_FLOAT, (lake_key){.f = 0.0}, &e) && e.key.f == 0x1p-1074);
    cr_assert(lake_key_next(&arena, LAKE_KEY_FLOAT, (lake_key){.f = -0.0}, &e) && e.key.f == 0x1p-1074);
    cr_assert(lake_key_next(&arena, LAKE_KEY_FLOAT, (lake_key){.f = -0x1p-1074}, &e) && e.key.f == 0);
    cr_assert(lake_key_next(&arena, LAKE_KEY_FLOAT, (lake_key){.f = DBL_MAX}, &e) && isinf(e.key.f));
    cr_assert(lake_key_next(&arena, LAKE_KEY_FLOAT, (lake_key){.f = INFINITY}, &e) && e.at == LAKE_END_TOP);
    cr_assert(lake_key_next(&arena, LAKE_KEY_FLOAT, (lake_key){.f = -INFINITY}, &e) && e.key.f == -DBL_MAX);
    cr_assert(lake_key_next(&arena, LAKE_KEY_BYTES, (lake_key){.b = test_hex(&arena, "6162")}, &e));
    cr_assert_str_eq(test_to_hex(&arena, e.key.b), "616200");
    cr_assert(lake_key_next(&arena, LAKE_KEY_BYTES, (lake_key){.b = test_hex(&arena, "")}, &e) && e.key.b.len == 1);
}

Test(value, the_key_behind_a_prefix) {
    static const char *const table[][2] = {
        {"6162", "6163"}, {"61ff", "62"}, {"61ffff", "62"}, {"00", "01"}, {"c3a9", "c3aa"}};
    lake_end e;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        cr_assert(lake_key_next_prefix(&arena, test_hex(&arena, table[i][0]), &e) && e.at == LAKE_END_KEY);
        cr_assert_str_eq(test_to_hex(&arena, e.key.b), table[i][1]);
    }
    cr_assert(lake_key_next_prefix(&arena, test_hex(&arena, "ffff"), &e) && e.at == LAKE_END_TOP);
    cr_assert(lake_key_next_prefix(&arena, test_hex(&arena, ""), &e) && e.at == LAKE_END_TOP);
}

Test(value, zeros_are_one_key_but_two_bounds) {
    lake_key minus = {.f = -0.0}, plus = {.f = 0.0}, one = {.f = 1};
    cr_assert_eq(lake_key_cmp(LAKE_KEY_FLOAT, minus, plus), 0);
    cr_assert_lt(lake_key_cmp_total(LAKE_KEY_FLOAT, minus, plus), 0);
    cr_assert_gt(lake_key_cmp_total(LAKE_KEY_FLOAT, plus, minus), 0);
    cr_assert_eq(lake_key_cmp_total(LAKE_KEY_FLOAT, plus, plus), 0);
    cr_assert_eq(lake_key_cmp_total(LAKE_KEY_FLOAT, one, one), 0);
    cr_assert_lt(lake_key_cmp_total(LAKE_KEY_FLOAT, plus, one), 0);
}

Test(value, bytes_are_unsigned_and_not_utf16) {
    lake_key ff61 = {.b = test_hex(&arena, "efbda1")}, plane1 = {.b = test_hex(&arena, "f0908082")};
    cr_assert_lt(lake_key_cmp(LAKE_KEY_BYTES, ff61, plane1), 0, "UTF-16 order would turn these round");
    lake_key a = {.b = test_hex(&arena, "61")}, ab = {.b = test_hex(&arena, "6100")};
    cr_assert_lt(lake_key_cmp(LAKE_KEY_BYTES, a, ab), 0);
    cr_assert_gt(lake_key_cmp(LAKE_KEY_BYTES, (lake_key){.b = test_hex(&arena, "80")}, ab), 0);
}

Test(value, ends_are_around_all_keys) {
    lake_end low = {.at = LAKE_END_LOW}, top = {.at = LAKE_END_TOP}, k = {.at = LAKE_END_KEY, .key.i = LAKE_I128_MIN};
    cr_assert_lt(lake_end_cmp(LAKE_KEY_INT, low, k), 0);
    cr_assert_gt(lake_end_cmp(LAKE_KEY_INT, top, k), 0);
    cr_assert_gt(lake_end_cmp(LAKE_KEY_INT, top, low), 0);
    cr_assert_eq(lake_end_cmp(LAKE_KEY_INT, top, top), 0);
    cr_assert_eq(lake_end_cmp(LAKE_KEY_INT, low, low), 0);
    cr_assert_eq(lake_end_cmp(LAKE_KEY_INT, k, k), 0);
}

Test(value, ranges_of_types) {
    static const struct {
        const char *type, *lo, *hi;
    } table[] = {{"boolean", "0", "2"}, {"int", "-2147483648", "2147483648"}, {"date", "-2147483648", "2147483648"},
        {"long", "-9223372036854775808", "9223372036854775808"}, {"time", "0", "86400000000"},
        {"timestamp_ns", "-9223372036854775808", "9223372036854775808"}};
    char text[LAKE_I128_TEXT];
    lake_end lo, hi;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_type t = type_of(table[i].type);
        lake_type_range(&t, &lo, &hi);
        lake_i128_print(lo.key.i, text);
        cr_assert_str_eq(text, table[i].lo);
        lake_i128_print(hi.key.i, text);
        cr_assert_str_eq(text, table[i].hi);
    }
    lake_type d = type_of("decimal(9,2)"), s = type_of("string"), f = type_of("float"), g = type_of("geometry");
    lake_type_range(&d, &lo, &hi);
    cr_assert(lo.at == LAKE_END_LOW && hi.at == LAKE_END_TOP);
    lake_type_range(&s, &lo, &hi);
    cr_assert(lo.at == LAKE_END_KEY && lo.key.b.len == 0 && hi.at == LAKE_END_TOP);
    lake_type_range(&f, &lo, &hi);
    cr_assert(lo.key.f == -INFINITY && hi.at == LAKE_END_TOP);
    lake_type_range(&g, &lo, &hi);
    cr_assert(lo.at == LAKE_END_LOW && hi.at == LAKE_END_TOP && lake_type_kind(&g) == LAKE_KEY_NONE);
}

Test(value, instants_as_people_write_them) {
    static const struct {
        const char *text;
        bool ok;
        int64_t seconds;
        int32_t nanos;
    } table[] = {{"1970-01-01", true, 0, 0}, {"2017-11-16T14:31:08-08:00", true, 1510871468, 0},
        {"2017-11-16 22:31:08.5", true, 1510871468, 500000000}, {"2017-11-16 22:31:08 Z", true, 1510871468, 0},
        {"2017-11-17T01:31:08+0300", true, 1510871468, 0}, {"2017-11-17T01:31:08+03", true, 1510871468, 0},
        {"1969-12-31T23:59:59.000000001", true, -1, 1}, {"2017-11-16T22:31", true, 1510871460, 0},
        {"2017-11-16 ", true, 1510790400, 0}, {"2017-11-16T22", false, 0, 0}, {"2017-11-16X22:31", false, 0, 0},
        {"2017-11-16T22:31:08-8", false, 0, 0}, {"2017-11-16T22:31:08z", false, 0, 0}, {"", false, 0, 0},
        {"2017", false, 0, 0}, {"2017-11-16T22:31:08+24:00", false, 0, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_instant t;
        cr_assert_eq(lake_instant_parse(lake_str_of(table[i].text), &t), table[i].ok, "%s", table[i].text);
        if (table[i].ok)
            cr_assert(
                t.seconds == table[i].seconds && t.nanos == table[i].nanos, "%s: %ld", table[i].text, (long)t.seconds);
    }
}

Test(value, every_day_prints_and_reads_back) {
    lake_type d = type_of("date");
    for (int64_t day = -800000; day < 3000000; day += 997) {
        lake_key k = {.i = day};
        cr_assert_eq(key_of(&d, json_text(&d, k)).i, day);
        lake_arena_reset(&arena);
    }
}

/* ---- Avro values */

Test(value, partition_values_of_avro) {
    lake_key k;
    lake_type i = type_of("int"), b = type_of("boolean"), d = type_of("double"), dec = type_of("decimal(9,2)"),
              u = type_of("uuid"), s = type_of("string"), day = type_of("date"), v = type_of("variant");
    lake_datum num = {.kind = LAKE_DATUM_INT, .i = 42}, big = {.kind = LAKE_DATUM_INT, .i = INT64_C(1) << 40},
               nil = {.kind = LAKE_DATUM_NULL}, yes = {.kind = LAKE_DATUM_BOOL, .i = 1},
               nan = {.kind = LAKE_DATUM_FLOAT, .f = NAN}, half = {.kind = LAKE_DATUM_FLOAT, .f = 0.5},
               text = {.kind = LAKE_DATUM_BYTES, .b = lake_bytes_of(LAKE_STR("f79c3e09-677c-4bbd-a479-3f349cb785e7"))},
               two = {.kind = LAKE_DATUM_BYTES, .b = test_hex(&arena, "fffa74")};
    cr_assert(lake_value_from_datum(&arena, &i, num, &k) == LAKE_BOUND_KEY && k.i == 42);
    cr_assert(lake_value_from_datum(&arena, &day, num, &k) == LAKE_BOUND_KEY && k.i == 42);
    cr_assert_eq(lake_value_from_datum(&arena, &i, big, &k), LAKE_BOUND_NONE);
    cr_assert_eq(lake_value_from_datum(&arena, &i, nil, &k), LAKE_BOUND_NONE);
    cr_assert_eq(lake_value_from_datum(&arena, &i, yes, &k), LAKE_BOUND_NONE);
    cr_assert_eq(lake_value_from_datum(&arena, &i, two, &k), LAKE_BOUND_NONE);
    cr_assert(lake_value_from_datum(&arena, &b, yes, &k) == LAKE_BOUND_KEY && k.i == 1);
    cr_assert_eq(lake_value_from_datum(&arena, &b, num, &k), LAKE_BOUND_NONE);
    cr_assert_eq(lake_value_from_datum(&arena, &d, nan, &k), LAKE_BOUND_NAN);
    cr_assert(lake_value_from_datum(&arena, &d, half, &k) == LAKE_BOUND_KEY && k.f == 0.5);
    cr_assert_eq(lake_value_from_datum(&arena, &d, num, &k), LAKE_BOUND_NONE);
    cr_assert(lake_value_from_datum(&arena, &dec, two, &k) == LAKE_BOUND_KEY && k.i == -1420);
    cr_assert_eq(lake_value_from_datum(&arena, &dec, num, &k), LAKE_BOUND_NONE);
    cr_assert_eq(lake_value_from_datum(&arena, &u, text, &k), LAKE_BOUND_KEY);
    cr_assert_str_eq(test_to_hex(&arena, k.b), "f79c3e09677c4bbda4793f349cb785e7");
    cr_assert_eq(lake_value_from_datum(&arena, &u, two, &k), LAKE_BOUND_NONE);
    cr_assert(lake_value_from_datum(&arena, &s, text, &k) == LAKE_BOUND_KEY && k.b.len == 36);
    cr_assert_eq(lake_value_from_datum(&arena, &v, two, &k), LAKE_BOUND_NONE);
}

Test(value, partition_values_survive_avro) {
    test_table t = test_vectors(&arena, "single_values.tsv");
    for (size_t i = 0; i < t.nrows; i++) {
        lake_type type = type_of(test_cell(&t, i, "type"));
        lake_key k = key_of(&type, test_cell(&t, i, "json")), back;
        lake_datum d;
        cr_assert_eq(lake_value_to_datum(&arena, &type, k, &d, &err), LAKE_OK, "%s", err.message);
        if (type.id == LAKE_DECIMAL)
            cr_assert_eq(d.b.len, (size_t)lake_decimal_fixed_size(type.precision));
        cr_assert_eq(lake_value_from_datum(&arena, &type, d, &back), LAKE_BOUND_KEY);
        cr_assert_eq(lake_key_cmp_total(lake_type_kind(&type), k, back), 0);
    }
    lake_datum d;
    lake_type i = type_of("int"), dec = type_of("decimal(2,0)"), g = type_of("geometry");
    cr_assert_eq(lake_value_to_datum(&arena, &i, (lake_key){.i = INT64_C(1) << 31}, &d, &err), LAKE_ERR_MALFORMED);
    cr_assert_eq(lake_value_to_datum(&arena, &dec, (lake_key){.i = 128}, &d, &err), LAKE_ERR_MALFORMED);
    cr_assert_eq(lake_value_to_datum(&arena, &g, (lake_key){.i = 0}, &d, &err), LAKE_ERR_UNSUPPORTED);
}

Test(value, fixed_sizes_of_decimals) {
    /* Python: next(n for n in range(1, 17) if 2**(8*n-1) - 1 >= 10**p - 1) */
    static const int expected[39] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7, 8, 8, 9, 9, 9, 10, 10, 11, 11,
        11, 12, 12, 13, 13, 13, 14, 14, 15, 15, 16, 16, 16};
    for (int p = 1; p <= 38; p++)
        cr_assert_eq(lake_decimal_fixed_size(p), expected[p], "%d", p);
}
