/* Partition specs and sort orders. Expected forms: spec.md, Appendix C; names: the official library's builder. */
#include "format_support.h"

#include "format/transform.h"

TestSuite(spec, .init = setup, .fini = teardown);

static lake_spec *read(const char *text) {
    lake_spec *s = NULL;
    cr_assert_eq(lake_spec_read(&arena, json_of(text), &s, &err), LAKE_OK, "%s", err.message);
    return s;
}

Test(spec, fields_are_read) {
    lake_spec *s =
        read("{\"spec-id\":3,\"fields\":[{\"source-id\":4,\"field-id\":1000,\"name\":\"ts_day\",\"transform\":\"day\"},"
             "{\"source-id\":1,\"field-id\":1001,\"name\":\"id_bucket\",\"transform\":\"bucket[16]\"},"
             "{\"source-ids\":[1,2],\"field-id\":1002,\"name\":\"z\",\"transform\":\"zorder[4]\"},"
             "{\"source-ids\":[7],\"field-id\":1003,\"name\":\"w\",\"transform\":\"truncate[2]\"},"
             "{\"source-ids\":[1,2],\"field-id\":1004,\"name\":\"b\",\"transform\":\"bucket[16]\"}]}");
    cr_assert(s->id == 3 && s->nfields == 5);
    cr_assert(s->fields[0].id == 1000 && lake_str_is(s->fields[0].name, "ts_day") && s->fields[0].source_ids[0] == 4);
    cr_assert(s->fields[0].transform.id == LAKE_TRANSFORM_DAY && s->fields[1].transform.n == 16);
    cr_assert(s->fields[2].transform.id == LAKE_TRANSFORM_UNKNOWN && s->fields[2].nsource_ids == 2);
    cr_assert(s->fields[2].source_ids[1] == 2 && lake_str_is(s->fields[2].transform.text, "zorder[4]"));
    cr_assert(s->fields[3].transform.id == LAKE_TRANSFORM_TRUNCATE && s->fields[3].source_ids[0] == 7);
    cr_assert_eq(
        s->fields[4].transform.id, LAKE_TRANSFORM_UNKNOWN, "bucket of two columns is not the bucket that we know");
}

Test(spec, v1_counts_field_ids_from_1000) {
    lake_spec *s = read("[{\"source-id\":4,\"name\":\"a\",\"transform\":\"void\"},{\"source-id\":5,\"name\":\"b\","
                        "\"transform\":\"day\"}]");
    cr_assert(s->id == 0 && s->fields[0].id == 1000 && s->fields[1].id == 1001);
    cr_assert_not(lake_spec_is_unpartitioned(s));
    cr_assert_str_eq(tree_text(lake_spec_write(&arena, s)),
        "{\"spec-id\":0,\"fields\":[{\"source-id\":4,\"name\":\"a\",\"transform\":\"void\",\"field-id\":1000},"
        "{\"source-id\":5,\"name\":\"b\",\"transform\":\"day\",\"field-id\":1001}]}");
    cr_assert(lake_spec_is_unpartitioned(read("[{\"source-id\":4,\"name\":\"a\",\"transform\":\"void\"}]")));
    cr_assert(lake_spec_is_unpartitioned(read("[]")));
}

Test(spec, what_is_not_known_survives) {
    const char *text =
        "{\"x\":1.50,\"spec-id\":3,\"fields\":[{\"y\":[1e400],\"source-id\":4,\"field-id\":1000,\"name\":\"a\","
        "\"transform\":\"zorder[ 4 "
        "]\"},{\"source-ids\":[1,2],\"field-id\":1001,\"name\":\"b\",\"transform\":\"years\"}]}";
    lake_spec *s = read(text);
    cr_assert_str_eq(tree_text(lake_spec_write(&arena, s)), text);
    s->json = NULL;
    cr_assert_str_eq(tree_text(lake_spec_fields_write(&arena, s)),
        "[{\"field-id\":1000,\"name\":\"a\",\"transform\":\"zorder[ 4 ]\",\"source-id\":4},"
        "{\"field-id\":1001,\"name\":\"b\",\"transform\":\"years\",\"source-ids\":[1,2]}]");
}

Test(spec, bad_specs_are_refused) {
    static const char *const table[] = {"null", "1", "{}", "{\"fields\":[]}", "{\"spec-id\":0}",
        "{\"spec-id\":\"0\",\"fields\":[]}", "{\"spec-id\":0,\"fields\":{}}", "[1]", "[{}]",
        "[{\"source-id\":1,\"name\":\"a\"}]", "[{\"source-id\":1,\"transform\":\"day\"}]",
        "[{\"name\":\"a\",\"transform\":\"day\"}]", "[{\"source-id\":\"1\",\"name\":\"a\",\"transform\":\"day\"}]",
        "[{\"source-id\":1,\"name\":1,\"transform\":\"day\"}]", "[{\"source-id\":1,\"name\":\"a\",\"transform\":5}]",
        "[{\"source-ids\":[],\"name\":\"a\",\"transform\":\"day\"}]",
        "[{\"source-ids\":1,\"name\":\"a\",\"transform\":\"day\"}]",
        "[{\"source-ids\":[1,\"2\"],\"name\":\"a\",\"transform\":\"day\"}]",
        "[{\"source-id\":1,\"field-id\":1.5,\"name\":\"a\",\"transform\":\"day\"}]",
        "[{\"source-id\":1,\"field-id\":1000,\"name\":\"a\",\"transform\":\"day\"},{\"source-id\":2,\"name\":\"b\","
        "\"transform\":\"day\"}]",
        "[{\"source-id\":1,\"field-id\":1000,\"name\":\"a\",\"transform\":\"day\"},"
        "{\"source-id\":2,\"field-id\":1000,\"name\":\"b\",\"transform\":\"day\"}]"};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_spec *s;
        lake_error_init(&err);
        cr_expect_eq(lake_spec_read(&arena, json_of(table[i]), &s, &err), LAKE_ERR_MALFORMED, "%s", table[i]);
        cr_expect(err.message[0]);
    }
}

/* ---- sort orders */

Test(spec, sort_orders_are_read_and_survive) {
    const char *text =
        "{\"order-id\":1,\"fields\":[{\"transform\":\"identity\",\"source-id\":2,\"direction\":\"asc\","
        "\"null-order\":\"nulls-first\",\"x\":1.0},{\"transform\":\"bucket[4]\",\"source-id\":3,\"direction\":\"desc\","
        "\"null-order\":\"nulls-last\"}],\"y\":null}";
    lake_sort_order *s;
    cr_assert_eq(lake_sort_order_read(&arena, json_of(text), &s, &err), LAKE_OK, "%s", err.message);
    cr_assert(s->id == 1 && s->nfields == 2 && !s->fields[0].descending && !s->fields[0].nulls_last);
    cr_assert(s->fields[1].descending && s->fields[1].nulls_last && s->fields[1].transform.n == 4 &&
        s->fields[1].source_ids[0] == 3);
    cr_assert_str_eq(tree_text(lake_sort_order_write(&arena, s)), text);
    s->json = NULL;
    cr_assert_str_eq(tree_text(lake_sort_order_write(&arena, s)),
        "{\"order-id\":1,\"fields\":[{\"transform\":\"identity\",\"source-id\":2,\"direction\":\"asc\",\"null-order\":"
        "\"nulls-first\"},"
        "{\"transform\":\"bucket[4]\",\"source-id\":3,\"direction\":\"desc\",\"null-order\":\"nulls-last\"}]}");
    cr_assert_eq(lake_sort_order_read(&arena, json_of("{\"order-id\":0,\"fields\":[]}"), &s, &err), LAKE_OK);
    cr_assert_eq(s->nfields, 0);
}

Test(spec, bad_sort_orders_are_refused) {
    static const char *const table[] = {"[]", "{}", "{\"order-id\":1}", "{\"fields\":[]}",
        "{\"order-id\":1,\"fields\":[1]}",
        "{\"order-id\":1,\"fields\":[{\"transform\":\"identity\",\"source-id\":2,\"null-order\":\"nulls-last\"}]}",
        "{\"order-id\":1,\"fields\":[{\"transform\":\"identity\",\"source-id\":2,\"direction\":\"up\",\"null-order\":"
        "\"nulls-last\"}]}",
        "{\"order-id\":1,\"fields\":[{\"transform\":\"identity\",\"source-id\":2,\"direction\":\"asc\",\"null-order\":"
        "1}]}",
        "{\"order-id\":1,\"fields\":[{\"transform\":\"identity\",\"direction\":\"asc\",\"null-order\":\"nulls-last\"}]"
        "}"};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_sort_order *s;
        lake_error_init(&err);
        cr_expect_eq(lake_sort_order_read(&arena, json_of(table[i]), &s, &err), LAKE_ERR_MALFORMED, "%s", table[i]);
        cr_expect(err.message[0]);
    }
}

/* ---- from text */

static const char schema_text[] =
    "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\"},"
    "{\"id\":2,\"name\":\"ts\",\"required\":true,\"type\":\"timestamp\"},{\"id\":3,\"name\":\"s\",\"required\":true,"
    "\"type\":\"string\"},"
    "{\"id\":4,\"name\":\"a\",\"required\":true,\"type\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":5,\"name\":\"b\",\"required\":true,\"type\":\"date\"},{\"id\":6,\"name\":\"c\",\"required\":true,\"type\":"
    "\"int\"}]}},"
    "{\"id\":7,\"name\":\"a.c\",\"required\":true,\"type\":\"int\"},{\"id\":8,\"name\":\"s_trunc\",\"required\":true,"
    "\"type\":\"int\"},"
    "{\"id\":9,\"name\":\"l\",\"required\":true,\"type\":{\"type\":\"list\",\"element-id\":10,\"element-required\":"
    "true,\"element\":\"int\"}},"
    "{\"id\":11,\"name\":\"x\\\"y\",\"required\":true,\"type\":\"int\"}]}";

static lake_schema *schema(void) {
    lake_schema *s = NULL;
    cr_assert_eq(lake_schema_read(&arena, json_of(schema_text), &s, &err), LAKE_OK, "%s", err.message);
    return s;
}

Test(spec, text_gives_the_names_of_the_official_builder) {
    lake_spec *s;
    int32_t next = 1005;
    cr_assert_eq(lake_spec_from_text(&arena,
                     LAKE_STR(" months(ts), bucket(16, id),s , years(a.b), truncate[4](\"x\"\"y\"), \"a\".\"b\""),
                     schema(), 7, &next, &s, &err),
        LAKE_OK, "%s", err.message);
    cr_assert_eq(next, 1011);
    cr_assert_str_eq(tree_text(lake_spec_write(&arena, s)),
        "{\"spec-id\":7,\"fields\":[{\"field-id\":1005,\"name\":\"ts_month\",\"transform\":\"month\",\"source-id\":2},"
        "{\"field-id\":1006,\"name\":\"id_bucket\",\"transform\":\"bucket[16]\",\"source-id\":1},"
        "{\"field-id\":1007,\"name\":\"s\",\"transform\":\"identity\",\"source-id\":3},"
        "{\"field-id\":1008,\"name\":\"a.b_year\",\"transform\":\"year\",\"source-id\":5},"
        "{\"field-id\":1009,\"name\":\"x\\\"y_trunc\",\"transform\":\"truncate[4]\",\"source-id\":11},"
        "{\"field-id\":1010,\"name\":\"a.b\",\"transform\":\"identity\",\"source-id\":5}]}");
}

Test(spec, empty_text_is_unpartitioned) {
    lake_spec *s;
    int32_t next = 1000;
    cr_assert_eq(lake_spec_from_text(&arena, LAKE_STR("  "), schema(), 0, &next, &s, &err), LAKE_OK);
    cr_assert(s->nfields == 0 && next == 1000);
}

Test(spec, text_that_makes_no_sense_is_refused) {
    static const char *const table[][2] = {{"nothing", "no column"}, {"a.c", "ambiguous"},
        {"\"a\".\"c\"", "name of a column"}, {"years(id)", "type long"}, {"hours(a.b)", "type date"},
        {"truncate(4, ts)", "type timestamp"}, {"a", "type struct"}, {"l.element", "list"},
        {"years(ts), days(ts)", "repeats"}, {"id, id", "repeats"}, {"bucket(4,id), bucket(4,id)", "repeats"},
        {"bucket(4,id), bucket(8,id)", "id_bucket"}, {"truncate(4, s)", "name of a column"},
        {"id,", "expected a column"}, {",id", "expected a column"}, {"\"id", "no column name"},
        {"\"i\"d", "no column name"}, {"zorder(id)", "no such transform"}, {"bucket(0, id)", "width"},
        {"months(ts", "parenthesis"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_spec *s;
        int32_t next = 1000;
        lake_error_init(&err);
        cr_expect_eq(lake_spec_from_text(&arena, lake_str_of(table[i][0]), schema(), 0, &next, &s, &err),
            LAKE_ERR_USAGE, "%s", table[i][0]);
        cr_expect(strstr(err.message, table[i][1]), "%s: %s", table[i][0], err.message);
        cr_expect_eq(next, 1000, "%s: ids are taken only on success", table[i][0]);
    }
}

/* ---- failing allocations */

static lake_status body(void *user, lake_error *e) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_json *v, *w;
    lake_schema *s;
    lake_spec *spec = NULL, *made = NULL;
    int32_t next = 1000;
    lake_status st = lake_json_parse(&a, lake_str_of(schema_text), NULL, &v, e);
    if (st == LAKE_OK)
        st = lake_schema_read(&a, v, &s, e);
    if (st == LAKE_OK)
        st = lake_spec_from_text(&a, LAKE_STR("months(ts), bucket(16, \"id\"), a.b"), s, 1, &next, &made, e);
    if (st == LAKE_OK) {
        w = lake_spec_write(&a, made);
        st = w ? lake_spec_read(&a, w, &spec, e) : lake_fail_memory(e);
    }
    if (st == LAKE_OK && !lake_spec_write(&a, spec))
        st = lake_fail_memory(e);
    lake_arena_clear(&a);
    return st;
}

Test(spec, every_allocation_may_fail) {
    test_every_allocation(body, NULL);
}
