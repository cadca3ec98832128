/* Transforms. Expected hashes and results: spec/vectors/bucket.tsv and transforms.tsv (spec.md, Appendix B and
   "Partition Transforms"); pre and wraps: brute force against the results. */
#include "format_support.h"

#include <stdio.h>
#include <stdlib.h>

#include "format/transform.h"

TestSuite(transform, .init = setup, .fini = teardown);

static lake_transform transform_of(const char *text) {
    return lake_transform_parse(lake_str_of(text));
}

Test(transform, bucket_hashes) {
    test_table t = test_vectors(&arena, "bucket.tsv");
    for (size_t i = 0; i < t.nrows; i++) {
        const char *value = test_cell(&t, i, "value");
        lake_type type = type_of(test_cell(&t, i, "type"));
        lake_key k = key_of(&type, value);
        cr_expect_eq(lake_transform_hash(&type, k), atoi(test_cell(&t, i, "hash")), "%s", value);
        cr_expect_eq(lake_transform_bucket(&type, 16, k), atoi(test_cell(&t, i, "bucket16")), "%s", value);
        cr_expect_eq(lake_transform_bucket(&type, 7, k), atoi(test_cell(&t, i, "bucket7")), "%s", value);
        lake_transform b = transform_of("bucket[16]");
        lake_bound_state state;
        lake_key out;
        if (!lake_transform_accepts(&b, &type))
            continue;
        cr_assert_eq(lake_transform_apply(&arena, &b, &type, k, &state, &out, &err), LAKE_OK);
        cr_assert(state == LAKE_BOUND_KEY && out.i == atoi(test_cell(&t, i, "bucket16")));
    }
}

Test(transform, results_and_their_human_form) {
    test_table t = test_vectors(&arena, "transforms.tsv");
    for (size_t i = 0; i < t.nrows; i++) {
        const char *value = test_cell(&t, i, "value"), *result = test_cell(&t, i, "result"),
                   *human = test_cell(&t, i, "human");
        lake_transform tr = transform_of(test_cell(&t, i, "transform"));
        lake_type type = type_of(test_cell(&t, i, "type")), rtype = lake_transform_result(&tr, &type);
        lake_bound_state state;
        lake_key out, back;
        lake_error_init(&err);
        lake_status s = lake_transform_apply(&arena, &tr, &type, key_of(&type, value), &state, &out, &err);
        if (strcmp(result, "error") == 0) {
            cr_expect_eq(s, LAKE_ERR_MALFORMED, "%.*s %s", LAKE_ARG(tr.text), value);
            cr_expect(strstr(err.message, "does not fit"), "%s", err.message);
            continue;
        }
        cr_assert_eq(s, LAKE_OK, "%.*s %s: %s", LAKE_ARG(tr.text), value, err.message);
        cr_expect_eq(state, LAKE_BOUND_KEY);
        cr_expect_str_eq(json_text(&rtype, out), result, "%.*s %s", LAKE_ARG(tr.text), value);
        lake_buffer b;
        lake_buffer_init(&b);
        lake_transform_print(&b, &tr, &type, out);
        cr_expect_str_eq(kept(&b), human, "%.*s %s", LAKE_ARG(tr.text), value);
        cr_expect_eq(
            lake_transform_read_human(&arena, &tr, &type, lake_str_of(human), &back, &err), LAKE_OK, "%s", err.message);
        cr_expect_eq(lake_key_cmp_total(lake_type_kind(&rtype), out, back), 0, "%.*s %s", LAKE_ARG(tr.text), human);
    }
}

Test(transform, other_human_forms) {
    static const struct {
        const char *transform, *type, *human, *result; /* NULL: refused */
    } table[] = {{"year", "date", "55", "55"}, {"year", "date", "-5", "-5"}, {"year", "date", "2025", "55"},
        {"year", "date", "+10000", "8030"}, {"year", "date", "2025-01", NULL}, {"year", "date", "", NULL},
        {"year", "date", "x", NULL}, {"month", "date", "660", "660"}, {"month", "date", "-13", "-13"},
        {"month", "date", "2025", "2025"}, {"month", "date", "2025-00", NULL}, {"month", "date", "2025-13", NULL},
        {"month", "date", "2025-1", NULL}, {"month", "date", "2025-01-01", NULL}, {"day", "date", "2025-02-29", NULL},
        {"day", "date", "19723", "\"2024-01-01\""}, {"day", "date", "2025-01", NULL},
        {"hour", "timestamp", "2025-03-27-24", NULL}, {"hour", "timestamp", "2025-03-27", NULL},
        {"hour", "timestamp", "484070", "484070"}, {"hour", "timestamp", "9999999999", NULL},
        {"bucket[16]", "int", "15", "15"}, {"bucket[16]", "int", "16", NULL}, {"bucket[16]", "int", "-1", NULL},
        {"bucket[16]", "string", "x", NULL}, {"truncate[10]", "int", "15", NULL}, {"truncate[10]", "int", "20", "20"},
        {"truncate[2]", "string", "abc", NULL}, {"identity", "int", "1.0", NULL},
        {"identity", "int", "2147483648", NULL}, {"identity", "boolean", "TRUE", NULL},
        {"identity", "double", "1e3", "1000.0"}, {"identity", "double", "NaN", NULL}, {"identity", "double", "", NULL},
        {"identity", "timestamp", "2017-11-16 22:31:08", "\"2017-11-16T22:31:08.000000\""},
        {"identity", "timestamp", "2017-11-16", "\"2017-11-16T00:00:00.000000\""},
        {"identity", "timestamp", "2017-11-16T22:31:08Z", NULL},
        {"identity", "timestamptz", "2017-11-16T14:31:08-08:00", "\"2017-11-16T22:31:08.000000+00:00\""},
        {"identity", "timestamp_ns", "2300-01-01", NULL},
        {"identity", "timestamp", "2017-11-16T22:31:08.0000001", NULL}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_transform tr = transform_of(table[i].transform);
        lake_type type = type_of(table[i].type), rtype = lake_transform_result(&tr, &type);
        lake_key out;
        lake_error_init(&err);
        lake_status s = lake_transform_read_human(&arena, &tr, &type, lake_str_of(table[i].human), &out, &err);
        cr_expect_eq(s, table[i].result ? LAKE_OK : LAKE_ERR_MALFORMED, "%s %s", table[i].transform, table[i].human);
        if (s == LAKE_OK && table[i].result)
            cr_expect_str_eq(json_text(&rtype, out), table[i].result, "%s %s", table[i].transform, table[i].human);
        else
            cr_expect(strstr(err.message, "is no result of"), "%s", err.message);
    }
    lake_transform v = transform_of("void"), u = transform_of("zorder[4]");
    lake_type t = type_of("int");
    lake_key k;
    cr_assert_eq(lake_transform_read_human(&arena, &v, &t, LAKE_STR("1"), &k, &err), LAKE_ERR_UNSUPPORTED);
    cr_assert_eq(lake_transform_read_human(&arena, &u, &t, LAKE_STR("1"), &k, NULL), LAKE_ERR_UNSUPPORTED);
}

Test(transform, names_are_parsed_and_the_rest_is_carried) {
    static const struct {
        const char *text;
        lake_transform_id id;
        int32_t n;
    } table[] = {{"identity", LAKE_TRANSFORM_IDENTITY, 0}, {"void", LAKE_TRANSFORM_VOID, 0},
        {"bucket[16]", LAKE_TRANSFORM_BUCKET, 16}, {"truncate[2147483647]", LAKE_TRANSFORM_TRUNCATE, INT32_MAX},
        {"year", LAKE_TRANSFORM_YEAR, 0}, {"years", LAKE_TRANSFORM_YEAR, 0}, {"month", LAKE_TRANSFORM_MONTH, 0},
        {"days", LAKE_TRANSFORM_DAY, 0}, {"HOUR", LAKE_TRANSFORM_HOUR, 0}, {"", LAKE_TRANSFORM_UNKNOWN, 0},
        {"zorder[4]", LAKE_TRANSFORM_UNKNOWN, 0}, {"bucket", LAKE_TRANSFORM_UNKNOWN, 0},
        {"bucket[]", LAKE_TRANSFORM_UNKNOWN, 0}, {"bucket[0]", LAKE_TRANSFORM_UNKNOWN, 0},
        {"bucket[-1]", LAKE_TRANSFORM_UNKNOWN, 0}, {"bucket[16", LAKE_TRANSFORM_UNKNOWN, 0},
        {"bucket[2147483648]", LAKE_TRANSFORM_UNKNOWN, 0}, {"year[3]", LAKE_TRANSFORM_UNKNOWN, 0},
        {"buckets[3]", LAKE_TRANSFORM_UNKNOWN, 0}, {"identitys", LAKE_TRANSFORM_UNKNOWN, 0},
        {"s", LAKE_TRANSFORM_UNKNOWN, 0}, {"[", LAKE_TRANSFORM_UNKNOWN, 0}, {"truncate[1]x", LAKE_TRANSFORM_UNKNOWN, 0},
        {"bucket[1.0]", LAKE_TRANSFORM_UNKNOWN, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_transform t = transform_of(table[i].text);
        cr_expect(t.id == table[i].id && (t.id == LAKE_TRANSFORM_UNKNOWN || t.n == table[i].n), "%s", table[i].text);
        cr_expect(lake_str_is(t.text, table[i].text));
    }
}

Test(transform, calls_as_people_write_them) {
    static const struct {
        const char *text, *transform, *column; /* NULL: refused */
    } table[] = {{"id", "identity", "id"}, {" a.b ", "identity", "a.b"}, {"\"a(b\"", "identity", "\"a(b\""},
        {"months(order_date)", "month", "order_date"}, {"month( x )", "month", "x"}, {"YEARS(x)", "year", "x"},
        {"days(x)", "day", "x"}, {"hours(x)", "hour", "x"}, {"bucket(16, id)", "bucket[16]", "id"},
        {"bucket(id, 16)", "bucket[16]", "id"}, {"bucket[16](id)", "bucket[16]", "id"},
        {"truncate(4,s)", "truncate[4]", "s"}, {"bucket(16, \"a,b\")", "bucket[16]", "\"a,b\""},
        {"bucket(16, 17)", "bucket[16]", "17"}, {"identity(x)", "identity", "x"}, {"void(x)", "void", "x"},
        {"", NULL, NULL}, {"a,b", NULL, NULL}, {"a)", NULL, NULL}, {"bucket(id)", NULL, NULL},
        {"bucket(0, id)", NULL, NULL}, {"bucket(a, b)", NULL, NULL}, {"bucket(16, a, b)", NULL, NULL},
        {"bucket(16,)", NULL, NULL}, {"year()", NULL, NULL}, {"year(a, b)", NULL, NULL}, {"year(x", NULL, NULL},
        {"year(x) y", NULL, NULL}, {"zorder(x)", NULL, NULL}, {"(x)", NULL, NULL}, {"year(month(x))", NULL, NULL},
        {"bucket[16](2, id)", NULL, NULL}, {"bucket[0](id)", NULL, NULL}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_transform t;
        lake_str column;
        lake_error_init(&err);
        lake_status s = lake_transform_parse_call(&arena, lake_str_of(table[i].text), &t, &column, &err);
        cr_assert_eq(s, table[i].transform ? LAKE_OK : LAKE_ERR_USAGE, "%s: %s", table[i].text, err.message);
        if (s != LAKE_OK) {
            cr_assert(err.message[0]);
            continue;
        }
        cr_expect(lake_str_is(t.text, table[i].transform) && lake_str_is(column, table[i].column), "%s: %.*s of %.*s",
            table[i].text, LAKE_ARG(t.text), LAKE_ARG(column));
        cr_expect_eq(t.id, transform_of(table[i].transform).id);
        cr_expect_eq(t.n, transform_of(table[i].transform).n);
    }
}

Test(transform, source_types_by_the_spec) {
    static const char *const types[] = {"boolean", "int", "long", "float", "double", "decimal(9,2)", "date", "time",
        "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns", "string", "uuid", "fixed[4]", "binary", "unknown",
        "variant", "geometry", "geography"};
    static const struct {
        const char *transform, *accepts; /* one character a type */
    } table[] = {{"identity", "yyyyyyyyyyyyyyyy----"}, {"bucket[4]", "-yy--yyyyyyyyyyy----"},
        {"truncate[4]", "-yy--y------y--y----"}, {"year", "------y-yyyy--------"}, {"month", "------y-yyyy--------"},
        {"day", "------y-yyyy--------"}, {"hour", "--------yyyy--------"}, {"void", "yyyyyyyyyyyyyyyyyyyy"},
        {"zorder", "--------------------"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            lake_transform t = transform_of(table[i].transform);
            lake_type type = type_of(types[k]);
            cr_expect_eq(
                lake_transform_accepts(&t, &type), table[i].accepts[k] == 'y', "%s %s", table[i].transform, types[k]);
        }
}

Test(transform, void_and_unknown_say_nothing) {
    lake_transform v = transform_of("void"), u = transform_of("zorder[4]"), y = transform_of("year");
    lake_type t = type_of("string");
    lake_bound_state state;
    lake_key k = key_of(&t, "\"x\""), out;
    cr_assert_eq(lake_transform_apply(&arena, &v, &t, k, &state, &out, &err), LAKE_OK);
    cr_assert_eq(state, LAKE_BOUND_NONE);
    cr_assert_eq(lake_transform_apply(&arena, &u, &t, k, &state, &out, &err), LAKE_ERR_UNSUPPORTED);
    cr_assert_eq(lake_transform_apply(&arena, &y, &t, k, &state, &out, NULL), LAKE_ERR_UNSUPPORTED);
    cr_assert(lake_transform_result(&v, &t).id == LAKE_STRING && lake_transform_result(&u, &t).id == LAKE_STRING);
    cr_assert_not(
        lake_transform_is_monotone(&v, &t) || lake_transform_is_monotone(&u, &t) || lake_transform_is_monotone(&y, &t));
}

Test(transform, monotone_ones) {
    lake_type i = type_of("int"), l = type_of("long"), d = type_of("decimal(9,2)"), s = type_of("string");
    lake_transform small = transform_of("truncate[1073741824]"), big = transform_of("truncate[1073741825]"),
                   b = transform_of("bucket[4]"), id = transform_of("identity");
    cr_assert(lake_transform_is_monotone(&small, &i) && lake_transform_is_monotone(&small, &l));
    cr_assert_not(lake_transform_is_monotone(&big, &i) || lake_transform_is_monotone(&big, &l));
    cr_assert(lake_transform_is_monotone(&big, &d) && lake_transform_is_monotone(&big, &s));
    cr_assert_not(lake_transform_is_monotone(&b, &i));
    cr_assert(lake_transform_is_monotone(&id, &i));
}

/* For every value v: result(v) >= c exactly when v >= pre(c). */
static void check_pre(const lake_transform *t, const lake_type *type, lake_key v, lake_key c) {
    lake_type rtype = lake_transform_result(t, type);
    lake_bound_state state;
    lake_key r;
    lake_end p, at_v = {.at = LAKE_END_KEY, .key = v};
    cr_assert(lake_transform_pre(&arena, t, type, (lake_end){.at = LAKE_END_KEY, .key = c}, &p));
    if (lake_transform_apply(&arena, t, type, v, &state, &r, &err) != LAKE_OK)
        return;
    bool above = lake_key_cmp(lake_type_kind(&rtype), r, c) >= 0,
         behind = lake_end_cmp(lake_type_kind(type), at_v, p) >= 0;
    cr_assert_eq(above, behind, "%.*s: value %s", LAKE_ARG(t->text), json_text(type, v));
}

Test(transform, pre_of_times_is_the_first_source) {
    static const char *const types[] = {"date", "timestamp", "timestamptz_ns"},
                             *const names[] = {"year", "month", "day", "hour"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 4; k++) {
            lake_type type = type_of(types[i]);
            lake_transform t = transform_of(names[k]);
            if (!lake_transform_accepts(&t, &type))
                continue;
            for (int c = -30; c <= 30; c++) {
                lake_end p;
                lake_key key = {.i = c * 3};
                cr_assert(lake_transform_pre(&arena, &t, &type, (lake_end){.at = LAKE_END_KEY, .key = key}, &p));
                for (int off = -2; off <= 2; off++)
                    check_pre(&t, &type, (lake_key){.i = p.key.i + off}, key);
            }
        }
}

Test(transform, pre_of_truncated_numbers) {
    static const char *const types[] = {"int", "long", "decimal(9,2)"},
                             *const names[] = {"truncate[1]", "truncate[3]", "truncate[10]"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            for (int v = -35; v <= 35; v++)
                for (int c = -35; c <= 35; c++) {
                    lake_type type = type_of(types[i]);
                    lake_transform t = transform_of(names[k]);
                    check_pre(&t, &type, (lake_key){.i = v}, (lake_key){.i = c});
                    lake_arena_reset(&arena);
                }
}

Test(transform, pre_of_truncated_text) {
    static const char *const letters[] = {"a", "b", "\xc3\xa9", "\xf4\x8f\xbf\xbf"};
    static const char *const bytes[] = {"a", "b", "\xfe", "\xff"};
    for (int binary = 0; binary < 2; binary++)
        for (int w = 1; w <= 3; w++) {
            char words[85][16] = {{0}};
            size_t n = 1, from = 0, to = 1;
            for (int len = 1; len <= 3; len++, from = to, to = n)
                for (size_t i = from; i < to; i++)
                    for (int k = 0; k < 4; k++)
                        strcat(strcpy(words[n++], words[i]), (binary ? bytes : letters)[k]);
            char text[24];
            snprintf(text, sizeof text, "truncate[%d]", w);
            lake_transform t = transform_of(text);
            lake_type type = type_of(binary ? "binary" : "string");
            cr_assert_eq(n, 85);
            for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < n; k++)
                    check_pre(&t, &type, (lake_key){.b = lake_bytes_of(lake_str_of(words[i]))},
                        (lake_key){.b = lake_bytes_of(lake_str_of(words[k]))});
        }
}

Test(transform, pre_keeps_open_ends_and_survives_far_keys) {
    lake_end low = {.at = LAKE_END_LOW}, top = {.at = LAKE_END_TOP}, p;
    lake_type d = type_of("date"), i = type_of("int"), dec = type_of("decimal(38,0)");
    lake_transform y = transform_of("year"), tr = transform_of("truncate[2147483647]");
    cr_assert(lake_transform_pre(&arena, &y, &d, low, &p) && p.at == LAKE_END_LOW);
    cr_assert(lake_transform_pre(&arena, &y, &d, top, &p) && p.at == LAKE_END_TOP);
    lake_end far = {.at = LAKE_END_KEY, .key.i = LAKE_I128_MAX};
    cr_assert(lake_transform_pre(&arena, &y, &d, far, &p) && p.at == LAKE_END_TOP);
    cr_assert(lake_transform_pre(&arena, &tr, &dec, far, &p) && p.at == LAKE_END_TOP);
    far.key.i = LAKE_I128_MIN;
    cr_assert(lake_transform_pre(&arena, &y, &d, far, &p) && p.at == LAKE_END_LOW);
    cr_assert(lake_transform_pre(&arena, &tr, &dec, far, &p) && p.at == LAKE_END_KEY && p.key.i >= LAKE_I128_MIN);
    lake_end beyond = {.at = LAKE_END_KEY, .key.i = INT64_C(2147483648)};
    lake_transform w = transform_of("truncate[10]");
    cr_assert(
        lake_transform_pre(&arena, &w, &i, beyond, &p) && p.key.i == INT64_C(2147483650), "may pass the type's range");
}

Test(transform, wraps_are_what_a_wrapping_writer_gives) {
    static const int32_t widths[] = {1, 2, 3, 7, 10, 1000, 1000003};
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
        int32_t w = widths[k];
        char text[32];
        snprintf(text, sizeof text, "truncate[%d]", w);
        lake_transform t = transform_of(text);
        lake_type i = type_of("int"), l = type_of("long"), s = type_of("string");
        lake_wrap_span span[2];
        size_t n = lake_transform_wraps(&t, &i, false, span);
        for (int64_t off = 0; off<3 * (int64_t)w; off += w> 5000 ? 997 : 1) {
            int32_t v = (int32_t)(INT32_MIN + off);
            int32_t rest = (v % w + w) % w, r = (int32_t)((uint32_t)v - (uint32_t)rest); /* as in 32 bits */
            bool wrapped = r > v, inside = n && v >= span[0].lo && v < span[0].hi;
            cr_assert_eq(wrapped, inside, "width %d, value %d", w, v);
            cr_assert(!wrapped || span[0].result == r);
        }
        cr_assert_eq(lake_transform_wraps(&t, &s, true, span), 0);
        size_t own = lake_transform_wraps(&t, &l, false, span), both = lake_transform_wraps(&t, &l, true, span);
        cr_assert(own <= 1 && both == own + n, "a promoted column may hold the wraps of its int days");
    }
    lake_type i = type_of("int");
    lake_transform t = transform_of("truncate[10000]");
    lake_wrap_span span[2];
    cr_assert_eq(lake_transform_wraps(&t, &i, true, span), 1);
    cr_assert(span[0].result == 2147477296, "apache/iceberg#9767");
}

static lake_status call_body(void *user, lake_error *e) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_transform t;
    lake_str column;
    lake_status s = lake_transform_parse_call(&a, lake_str_of(user), &t, &column, e);
    lake_arena_clear(&a);
    return s;
}

Test(transform, every_allocation_may_fail) {
    test_every_allocation(call_body, (void *)"bucket(16, id)");
}
