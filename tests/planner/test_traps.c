/* Traps of other tools that no table at hand holds (faults reported against them): made-up entries, a predicate, and
   whether the file is dropped, kept, or kept with every row matching. */
#include "../support.h"
#include "manifest/manifest.h"
#include "planner/predicate.h"

#include <math.h>

typedef enum want { DROP, SOME, ALL } want;

typedef struct trap {
    const char *name, *type, *where;
    want want;
    bool two_valued;
    const char *transform; /* of partition field 1000 on x */
    lake_datum part;
    int64_t records; /* 0: ten; -2: none at all */
    int64_t nulls, values, nans; /* as recorded, plus one; 0: absent */
    const char *lower, *upper; /* hex; NULL: absent */
} trap;

#define I4(v) v
#define INT_PART(v)                                                                                                    \
    { .kind = LAKE_DATUM_INT, .i = (v) }
#define TEXT_5 "0000000000001440" /* double 5 */
static const trap traps[] = {
    {"A4 count absent", "string", "x NOT LIKE 'a%'", SOME, true, .lower = "6162", .upper = "6162"},
    {"A4 count 0", "string", "x NOT LIKE 'a%'", DROP, true, .lower = "6162", .upper = "6162", .nulls = 1},
    {"A5 mixed null", "int", "x <> 5", SOME, true, .lower = "05000000", .upper = "05000000", .nulls = 2, .values = 11},
    {"A5 mixed NaN", "double", "x <> 5", SOME, .lower = TEXT_5, .upper = TEXT_5, .nulls = 1, .nans = 2, .values = 11},
    {"A6 no null count", "int", "x > 0", SOME, .lower = "01000000", .upper = "02000000"},
    {"A6 null count", "int", "x > 0", ALL, .lower = "01000000", .upper = "02000000", .nulls = 1},
    {"A6 no NaN count", "double", "x > 0", SOME, .lower = "000000000000f03f", .upper = "0000000000000040", .nulls = 1},
    {"A7 -1 records", "int", "x > 0", SOME, .records = -1, .lower = "01000000", .upper = "02000000"},
    {"A7 -1 records, nulls", "int", "x > 0", SOME, .records = -1, .nulls = -2, .values = -2},
    {"A8 not monotone", "int", "x % 8 = 2", SOME, .lower = "00000000", .upper = "01000000", .nulls = 1},
    {"A8 abs", "int", "abs(x) = 3", SOME, .lower = "fbffffff", .upper = "02000000", .nulls = 1},
    {"A9 inverted", "int", "x < 500", SOME, .lower = "d0070000", .upper = "00000000", .nulls = 1},
    {"A10 straddle", "int", "x IN (5, 104)", DROP, .lower = "1e000000", .upper = "4f000000"},
    {"A10 NaN upper", "double", "x IN (2.0, 3.0)", DROP, .lower = "0000000000001040", .upper = "000000000000f87f"},
    {"A11 one value", "int", "x NOT IN (5, 7)", DROP, .lower = "05000000", .upper = "05000000", .nulls = 1},
    {"A12 NOT opaque", "int", "NOT (x = 1 AND f(x) = 2)", SOME, .lower = "01000000", .upper = "01000000", .nulls = 1},
    {"A13 LIKE '%'", "string", "x LIKE '%'", ALL, .lower = "", .upper = "7a", .nulls = 1},
    {"a backslash that escapes in some engines", "string", "x LIKE 'a\\_b'", SOME, .lower = "615f62", .upper = "615f62",
        .nulls = 1},
    {"and is itself in others", "string", "x LIKE 'a\\_b'", SOME, .lower = "615c7862", .upper = "615c7862", .nulls = 1},
    {"a backslash with a named escape", "string", "x LIKE 'a\\_b' ESCAPE '!'", DROP, .lower = "615f62",
        .upper = "615f62"},
    {"A15 IS NOT NULL", "int", "x IS NOT NULL", SOME, .nulls = 7, .values = 21, .records = 20},
    {"A17 decimal scale", "decimal(10, 2)", "x >= 1.1", SOME, .lower = "64", .upper = "78"},
    {"A17 equal scale", "decimal(10, 2)", "x = 1.100", SOME, .lower = "64", .upper = "78"},
    {"A17 between", "decimal(10, 2)", "x > 1.195", SOME, .lower = "64", .upper = "78"},
    {"A17 in", "decimal(10, 2)", "x IN (1.1)", SOME, .lower = "64", .upper = "78"},
    {"A17 beyond", "decimal(10, 2)", "x > 1.2", DROP, .lower = "64", .upper = "78"},
    {"A17 small", "decimal(10, 2)", "x > 0.05", ALL, .lower = "64", .upper = "78", .nulls = 1},
    {"A18 long beyond", "long", "x < 99999999999999999999", ALL, .nulls = 1},
    {"A18 long equal", "long", "x = 99999999999999999999", DROP, .nulls = 1},
    {"A18 long differs", "long", "x <> 99999999999999999999", ALL, .nulls = 1},
    {"A18 int beyond", "int", "x = 3000000000", DROP},
    {"A18 <> beyond", "int", "x <> 3000000000", ALL, .nulls = 1},
    {"B4 NaN bounds", "double", "x < 5", SOME, .lower = "000000000000f87f", .upper = "000000000000f87f"},
    {"B4 lower NaN", "double", "x > 0", SOME, .lower = "000000000000f03f", .upper = "000000000000f87f"},
    {"B5 NOT IN", "double", "x NOT IN (1.0, 2.0)", SOME, .lower = "000000000000f03f", .upper = "000000000000f87f",
        .nans = 2, .nulls = 1, .values = 11},
    {"B7 all match", "double", "x = 1.0", SOME, .lower = "000000000000f03f", .upper = "000000000000f03f", .nulls = 1},
    {"B8 widened", "float", "x > -122.44", DROP, .lower = "48e1f4c2", .upper = "48e1f4c2"},
    {"B8 other side", "float", "x < -122.44", SOME, .lower = "48e1f4c2", .upper = "48e1f4c2"},
    {"-0.0 equals 0.0", "double", "x = 0.0", SOME, .lower = "0000000000000080", .upper = "0000000000000080"},
    {"0.0 not below -0.0", "double", "x < 0.0", DROP, .lower = "0000000000000080", .upper = "0000000000000080"},
    {"C10 wide int bound", "int", "x > 100", SOME, .lower = "2a00000000000000", .upper = "2a00000000000000"},
    {"I7 empty bound", "string", "x = ''", SOME, .lower = "", .upper = "62"},
    {"counts above records", "int", "x = 1", SOME, .values = 11, .nulls = 13},
    {"values not records", "int", "x = 1", SOME, .values = 5, .nulls = 5},
    {"a gap between keys", "int", "x > 5 AND x < 6", DROP},
    {"NOT of a gap", "int", "NOT (x <= 5 OR x >= 6)", DROP},
    {"date literal", "date", "x < TIMESTAMP '2024-01-01 00:00:01'", SOME, .lower = "0b4d0000", .upper = "0b4d0000"},
    {"unsigned uuid", "uuid", "x >= '80000000-0000-0000-0000-000000000000'", ALL,
        .lower = "80000000000000000000000000000000", .upper = "ffffffffffffffffffffffffffffffff", .nulls = 1},
    {"E5 <", "timestamptz", "x < '2025-02-01'", DROP, .transform = "month", .part = INT_PART(661)},
    {"E5 =", "timestamptz", "x = '2025-02-01'", SOME, .transform = "month", .part = INT_PART(661)},
    {"E5 >", "timestamptz", "x > '2025-02-01'", SOME, .transform = "month", .part = INT_PART(661)},
    {"E7 wrapped", "int", "x < 0", ALL, .transform = "truncate[10000]", .part = INT_PART(2147477296)},
    {"E7 not wrapped", "int", "x < 0", DROP, .transform = "truncate[10000]", .part = INT_PART(20000)},
    {"E8 hour", "timestamptz", "x > '2020-01-01'", SOME, .transform = "hour", .part = INT_PART(-2120780968)},
    {"E12 all", "timestamptz", "x > '2019-07-07 23:59:59.999999'", ALL, .transform = "day", .part = INT_PART(18085)},
    {"E12 boundary", "timestamptz", "x > '2019-07-07 15:46:00'", SOME, .transform = "day", .part = INT_PART(18084)},
    {"E13 null tuple", "int", "x < 1", DROP, .transform = "identity", .part = {.kind = LAKE_DATUM_NULL}},
    {"A14 IN with null", "string", "x IN ('a', 'b')", DROP, .transform = "identity", .part = {.kind = LAKE_DATUM_NULL}},
    {"A14 NOT IN with null", "string", "x NOT IN ('a')", ALL, true, .transform = "identity",
        .part = {.kind = LAKE_DATUM_NULL}},
    {"E14 unknown", "int", "x = 1", SOME, .transform = "zorder[4]", .part = {.kind = LAKE_DATUM_NULL}},
    {"F5 void", "string", "x = 'a'", SOME, .transform = "void", .part = {.kind = LAKE_DATUM_NULL}},
    {"calendar year by month", "date", "year(x) = 2025", ALL, .transform = "month", .part = INT_PART(661)},
    {"calendar year of a zone", "timestamptz", "year(x) = 2024", SOME, .transform = "month", .part = INT_PART(661)},
    {"calendar year", "timestamp", "year(x) < 2025", DROP, .transform = "month", .part = INT_PART(661)},
    {"starts_with", "string", "starts_with(x, 'b')", DROP, .lower = "6162", .upper = "6163"},
    {"month proven by days", "timestamptz", "months(x) = 660", ALL, .transform = "day", .part = INT_PART(20089)},
    {"two contradicting facts", "int", "x = 1", SOME, .transform = "identity", .part = INT_PART(5), .lower = "01000000",
        .upper = "01000000"},
    {"bucket of a range", "int", "x BETWEEN 3 AND 5", DROP, .transform = "bucket[1000]", .part = INT_PART(999)},
    {"bucket of a bucket", "int", "bucket(4, x) = 1", DROP, .transform = "bucket[16]", .part = INT_PART(2)},
    {"bucket of a bucket, all", "int", "bucket(4, x) = 2", ALL, .transform = "bucket[16]", .part = INT_PART(2)},
    {"bucket of the only value", "int", "bucket(16, x) = 3", ALL, .lower = "22000000", .upper = "22000000", .nulls = 1},
};

static lake_schema *schema_of(lake_arena *arena, const char *type) {
    lake_json *json;
    lake_schema *schema;
    lake_error err;
    lake_str text = lake_arena_printf(arena,
        "{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"x\",\"type\":\"%s\",\"required\":false}]"
        "}",
        type);
    cr_assert_eq(lake_json_parse(arena, text, NULL, &json, &err), LAKE_OK);
    cr_assert_eq(lake_schema_read(arena, json, &schema, &err), LAKE_OK, "%s", err.message);
    return schema;
}

static want plan(lake_arena *arena, const trap *t, lake_str *explained) {
    lake_error err;
    lake_error_init(&err);
    const lake_tree *tree;
    lake_bound *bound;
    lake_fact_maker *maker;
    lake_schema *schema = schema_of(arena, t->type);
    int32_t source = 1;
    lake_partition_field field = {.id = 1000, .name = LAKE_STR("p"), .source_ids = &source, .nsource_ids = 1};
    lake_spec spec = {.fields = &field, .nfields = t->transform != NULL};
    if (t->transform)
        field.transform = lake_transform_parse(lake_str_of(t->transform));
    lake_planning_table table = {.schema = schema};
    lake_bind_options options = {.two_valued = t->two_valued};
    cr_assert_eq(
        lake_tree_from_sql(arena, lake_str_of(t->where), &tree, &err), LAKE_OK, "%s: %s", t->name, err.message);
    cr_assert_eq(lake_bind(arena, tree, schema, &options, &bound, &err), LAKE_OK, "%s: %s", t->name, err.message);
    cr_assert_eq(lake_fact_maker_new(arena, &table, bound->terms, bound->nterms, &spec, &maker, &err), LAKE_OK);
    lake_column_metrics metrics = {.id = 1,
        .nulls = t->nulls > 0 ? t->nulls - 1 : t->nulls + 1,
        .values = t->values > 0 ? t->values - 1 : t->values + 1,
        .nans = t->nans - 1};
    metrics.has =
        (t->nulls ? LAKE_METRIC_NULLS : 0) | (t->values ? LAKE_METRIC_VALUES : 0) | (t->nans ? LAKE_METRIC_NANS : 0);
    if (t->lower)
        metrics.lower = test_hex(arena, t->lower);
    if (t->upper)
        metrics.upper = test_hex(arena, t->upper);
    lake_entry entry = {.status = 1,
        .record_count = t->records ? t->records : 10,
        .partition = &t->part,
        .npartition = 1,
        .columns = &metrics,
        .ncolumns = 1};
    lake_facts facts[4];
    cr_assert(lake_facts_of_entry(maker, &entry, false, arena, facts));
    lake_outcomes out = lake_bound_evaluate(bound, facts);
    lake_buffer leaf, seen;
    lake_buffer_init(&leaf);
    lake_buffer_init(&seen);
    lake_bound_explain(bound, facts, &leaf, &seen);
    *explained =
        lake_arena_printf(arena, "%.*s / %.*s", LAKE_ARG(lake_buffer_view(&leaf)), LAKE_ARG(lake_buffer_view(&seen)));
    lake_buffer_clear(&leaf);
    lake_buffer_clear(&seen);
    return out == LAKE_T ? ALL : out & LAKE_T ? SOME : DROP;
}

Test(traps, are_not_fallen_into) {
    static const char *const names[] = {"drop", "some", "all"};
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
        lake_str told;
        want got = plan(&arena, &traps[i], &told);
        cr_expect_eq(got, traps[i].want, "%s: %s on %s: %s, must be %s (%.*s)", traps[i].name, traps[i].where,
            traps[i].type, names[got], names[traps[i].want], LAKE_ARG(told));
    }
    lake_arena_clear(&arena);
}

/* What --explain says of some of them. */
Test(traps, are_explained) {
    static const struct {
        trap trap;
        const char *told;
    } cases[] = {
        {{"a range", "int", "x > 5 AND x < 100", DROP, .lower = "01000000", .upper = "04000000"},
            "x > 5 / x: [1, 4], nulls possible"},
        {{"open", "int", "x > 5", SOME}, "x > 5 / x: no bounds known, nulls possible"},
        {{"only nulls", "int", "x > 5", DROP, .nulls = 11, .values = 11}, "x > 5 / x: only nulls"},
        {{"a contradiction", "int", "x > 5 AND x < 3", DROP}, "x > 5 AND x < 3 / x: no bounds known, nulls possible"},
        {{"opaque", "string", "soundex(x) = 'a'", SOME}, "soundex(x) = 'a' / opaque function"},
        {{"suffix", "string", "x LIKE '%a'", SOME, .lower = "61", .upper = "62", .nulls = 1},
            "x LIKE '%a' / suffix pattern; x: [a, b], no nulls"},
        {{"not", "int", "x IS NOT NULL", SOME, .lower = "01000000", .upper = "04000000"},
            "x IS NOT NULL / x: [1, 4], nulls possible"},
        {{"a cut string", "string", "x = 'zz'", DROP, .lower = "61", .upper = "7a"},
            "x = 'zz' / x: [a, z], nulls possible"},
        {{"a bucket", "int", "bucket(4, x) = 1", DROP, .transform = "bucket[16]", .part = INT_PART(2)},
            "bucket(4, x) = 1 / x in bucket[4]: [2, 2], no nulls"},
        {{"its source", "int", "x = 34", DROP, .transform = "bucket[16]", .part = INT_PART(2)},
            "x = 34 / x: no bounds known, bucket[16] in [2, 2], no nulls"},
        {{"NaN", "double", "x < 5", SOME, .lower = "000000000000f03f", .nulls = 1, .nans = 1},
            "x < 5 / x: [1.0, …], no nulls, no NaN"},
    };
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lake_str told;
        want got = plan(&arena, &cases[i].trap, &told);
        cr_expect_eq(got, cases[i].trap.want, "%s", cases[i].trap.name);
        cr_expect(lake_str_is(told, cases[i].told), "%s: %.*s, must be %s", cases[i].trap.name, LAKE_ARG(told),
            cases[i].told);
    }
    lake_arena_clear(&arena);
}
