/* Iceberg's JSON expressions: both forms, what they are parsed to, what is refused; names resolved in a schema;
   literals that cannot meet a type; residuals in the column's type; failing allocations. */
#include "../support.h"
#include "planner/step.h"
#include "planner/tree.h"

#include <stdio.h>

static const char *const parsed[][2] = {
    {"true", "T"},
    {"{\"type\":\"FALSE\"}", "F"},
    {"{\"type\":\"eq\",\"term\":\"a\",\"value\":5}", "(= a 5)"},
    {"{\"type\":\"NOT_EQ\",\"term\":\"a.b\",\"value\":-1.50}", "(not (= a.b -1.50))"},
    {"{\"type\":\"lt-eq\",\"term\":{\"type\":\"reference\",\"term\":\"a\"},\"value\":\"x\"}", "(<= a j:x)"},
    {"{\"type\":\"gt\",\"left\":{\"type\":\"reference\",\"name\":\"a\"},\"right\":{\"type\":\"literal\",\"value\":true,"
     "\"data-type\":\"boolean\"}}",
        "(> a true)"},
    {"{\"type\":\"gt\",\"left\":34,\"right\":{\"type\":\"reference\",\"id\":7}}", "(< #7 34)"},
    {"{\"type\":\"is-null\",\"term\":\"a\"}", "(null a)"},
    {"{\"type\":\"not-null\",\"child\":{\"type\":\"reference\",\"id\":7}}", "(not (null #7))"},
    {"{\"type\":\"is-nan\",\"term\":\"a\"}", "(nan a)"},
    {"{\"type\":\"not-nan\",\"term\":\"a\"}", "(not (nan a))"},
    {"{\"type\":\"in\",\"term\":\"a\",\"values\":[1,2]}", "(in a 1 2)"},
    {"{\"type\":\"not-in\",\"child\":{\"type\":\"reference\",\"name\":\"a\"},\"values\":{\"type\":\"literals\","
     "\"values\":[\"x\"]}}",
        "(not (in a j:x))"},
    {"{\"type\":\"in\",\"term\":\"a\",\"values\":[]}", "(in a)"},
    {"{\"type\":\"starts-with\",\"term\":\"a\",\"value\":\"x%\"}", "(prefix a j:x%)"},
    {"{\"type\":\"not-starts-with\",\"left\":{\"type\":\"reference\",\"name\":\"a\"},\"right\":\"x\"}",
        "(not (prefix a j:x))"},
    {"{\"type\":\"eq\",\"term\":{\"type\":\"transform\",\"transform\":\"bucket[16]\",\"term\":\"a\"},\"value\":3}",
        "(= bucket[16]:a 3)"},
    {"{\"type\":\"eq\",\"left\":{\"type\":\"apply\",\"function\":\"bucket\",\"arguments\":[256,{\"type\":\"reference\","
     "\"name\":\"a\"}]},\"right\":3}",
        "(= bucket[256]:a 3)"},
    {"{\"type\":\"lt\",\"left\":{\"type\":\"apply\",\"function\":{\"catalog\":\"iceberg_functions\",\"identifier\":["
     "\"years\"]},\"arguments\":[{\"type\":\"reference\",\"id\":1}]},\"right\":55}",
        "(< year:#1 55)"},
    {"{\"type\":\"eq\",\"left\":{\"type\":\"apply\",\"function\":[\"f\"],\"arguments\":[1,2]},\"right\":55}",
        "(opaque)"},
    {"{\"type\":\"eq\",\"left\":{\"type\":\"reference\",\"name\":\"a\"},\"right\":{\"type\":\"reference\",\"name\":"
     "\"b\"}}",
        "(opaque a b)"},
    {"{\"type\":\"and\",\"left\":{\"type\":\"and\",\"left\":true,\"right\":{\"type\":\"is-null\",\"term\":\"a\"}},"
     "\"right\":false}",
        "(and T (null a) F)"},
    {"{\"type\":\"or\",\"left\":{\"type\":\"not\",\"child\":true},\"right\":false}", "(or (not T) F)"},
};

static const char *const refused[] = {"null", "5", "\"a\"", "[]", "{}", "{\"type\":5}",
    "{\"type\":\"between\",\"term\":\"a\"}", "{\"type\":\"eq\",\"value\":5}", "{\"type\":\"eq\",\"term\":\"a\"}",
    "{\"type\":\"eq\",\"term\":\"a\",\"value\":null}", "{\"type\":\"eq\",\"term\":\"a\",\"value\":[1]}",
    "{\"type\":\"eq\",\"term\":5,\"value\":5}", "{\"type\":\"in\",\"term\":\"a\"}",
    "{\"type\":\"in\",\"term\":\"a\",\"values\":[null]}", "{\"type\":\"in\",\"term\":\"a\",\"values\":5}",
    "{\"type\":\"and\",\"left\":true}", "{\"type\":\"not\"}", "{\"type\":\"not-not\",\"child\":true}",
    "{\"type\":\"is-null\",\"term\":{\"type\":\"reference\"}}",
    "{\"type\":\"is-null\",\"term\":{\"type\":\"reference\",\"id\":1.5}}",
    "{\"type\":\"eq\",\"term\":{\"type\":\"transform\",\"term\":\"a\"},\"value\":1}",
    "{\"type\":\"eq\",\"left\":{\"type\":\"apply\",\"function\":\"f\"},\"right\":1}"};

static lake_status read(lake_arena *arena, const char *text, const lake_tree **tree, lake_error *err) {
    lake_json *json;
    LAKE_TRY(lake_json_parse(arena, lake_str_of(text), NULL, &json, err));
    return lake_tree_from_json(arena, json, tree, err);
}

Test(filter, is_parsed_in_both_forms) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof parsed / sizeof *parsed; i++) {
        const lake_tree *tree;
        lake_error err;
        lake_buffer b;
        lake_buffer_init(&b);
        cr_assert_eq(read(&arena, parsed[i][0], &tree, &err), LAKE_OK, "%s: %s", parsed[i][0], err.message);
        lake_tree_dump(&b, tree);
        cr_expect(lake_str_is(lake_buffer_view(&b), parsed[i][1]), "%s: %.*s, must be %s", parsed[i][0],
            LAKE_ARG(lake_buffer_view(&b)), parsed[i][1]);
        lake_buffer_clear(&b);
    }
    lake_arena_clear(&arena);
}

Test(filter, that_is_no_expression_is_refused) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const lake_tree *tree;
        lake_error err;
        cr_expect_eq(read(&arena, refused[i], &tree, &err), LAKE_ERR_USAGE, "%s", refused[i]);
        cr_expect(err.message[0] && !strchr(err.message, '\n'), "%s: %s", refused[i], err.message);
    }
    lake_arena_clear(&arena);
}

/* ---------------------------------------------------------------- binding */
static const char schema_text[] =
    "{\"type\":\"struct\",\"schema-id\":0,\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"type\":\"int\",\"required\":true},{\"id\":2,\"name\":\"ID\",\"type\":\"long\","
    "\"required\":false},"
    "{\"id\":3,\"name\":\"amount\",\"type\":\"decimal(9, "
    "2)\",\"required\":false},{\"id\":4,\"name\":\"order_date\",\"type\":\"date\",\"required\":false},"
    "{\"id\":5,\"name\":\"A.B\",\"type\":\"string\",\"required\":false},"
    "{\"id\":6,\"name\":\"A\",\"type\":{\"type\":\"struct\",\"fields\":[{\"id\":7,\"name\":\"b\",\"type\":\"string\","
    "\"required\":true}]},\"required\":false},"
    "{\"id\":8,\"name\":\"tags\",\"type\":{\"type\":\"list\",\"element-id\":9,\"element\":\"string\",\"element-"
    "required\":true},\"required\":false},"
    "{\"id\":10,\"name\":\"ok\",\"type\":\"boolean\",\"required\":false},{\"id\":11,\"name\":\"raw\",\"type\":"
    "\"binary\",\"required\":false},"
    "{\"id\":12,\"name\":\"ts\",\"type\":\"timestamptz\",\"required\":false},{\"id\":13,\"name\":\"f\",\"type\":"
    "\"float\",\"required\":false},"
    "{\"id\":14,\"name\":\"u\",\"type\":\"uuid\",\"required\":false},{\"id\":15,\"name\":\"t\",\"type\":\"time\","
    "\"required\":false}]}";

static const lake_schema *schema(lake_arena *arena) {
    lake_json *json;
    lake_schema *out;
    lake_error err;
    cr_assert_eq(lake_json_parse(arena, lake_str_of(schema_text), NULL, &json, &err), LAKE_OK);
    cr_assert_eq(lake_schema_read(arena, json, &out, &err), LAKE_OK, "%s", err.message);
    return out;
}

static lake_status bind(lake_arena *arena, const char *where, bool sensitive, lake_bound **bound, lake_error *err) {
    const lake_tree *tree;
    lake_error_init(err);
    LAKE_TRY(lake_tree_from_sql(arena, lake_str_of(where), &tree, err));
    return lake_bind(arena, tree, schema(arena), &(lake_bind_options){.case_sensitive = sensitive}, bound, err);
}

/* What must stand in the message, and where; ptr NULL: it binds. */
static const struct {
    const char *where;
    bool sensitive;
    const char *message;
    int at;
} bindings[] = {
    {"id = 1", true, NULL, 0},
    {"ID = 1", true, NULL, 0},
    {"TRUE AND Id = 1", false, "ambiguous: id, ID", 9},
    {"amout > 5", false, "amount", 0},
    {"x.y.z = 1", false, "unknown column x.y.z", 0},
    {"AMOUNT > 5", true, "unknown column AMOUNT; nearest: amount", 0},
    {"AMOUNT > 5", false, NULL, 0},
    {"\"A.B\" = 'x'", true, NULL, 0},
    {"A.b = 'x'", true, NULL, 0},
    {"A.B = 'x'", true, "A.b", 0},
    {"amount > 'abc'", false, "'abc' cannot be compared with a decimal(9, 2)", 9},
    {"amount > '1.5'", false, NULL, 0},
    {"amount = DATE '2024-01-01'", false, "decimal(9, 2)", 9},
    {"order_date = '2024-13-01'", false, "date", 13},
    {"order_date = DATE '2024-02-30'", false, "well-formed", 13},
    {"order_date = TIMESTAMP '2024-02-29 12:00:00+01:00'", false, NULL, 0},
    {"order_date = TRUE", false, "date", 13},
    {"order_date", false, "no condition", 0},
    {"ok", false, NULL, 0},
    {"ok = 1", false, "boolean", 5},
    {"raw = 'ff'", false, "X'", 6},
    {"raw = X'ff'", false, NULL, 0},
    {"u = '123'", false, "uuid", 4},
    {"t = '24:00'", false, "time", 4},
    {"ts = '2024-01-01T00:00:00+24:00'", false, "timestamptz", 5},
    {"ts > 'now'", false, "timestamptz", 5},
    {"f > 'Infinity'", false, NULL, 0},
    {"f > 'NaN'", false, "float; write IS NAN", 4},
    {"f > NaN", false, "; for the number write IS NAN", 4},
    {"\"zebra\" = 1", false, "unknown column zebra; text is in single quotes: 'zebra'", 0},
    {"\"A.B\" = 5", false, "string", 8},
    {"tags = 'x'", false, NULL, 0},
    {"tags['x'].y = 1", false, NULL, 0},
    {"nosuch[1] = 1", false, "unknown column nosuch", 0},
    {"(id, amount) = (1, 'x')", true, "cannot be compared", 19},
    {"tags IS NULL", false, NULL, 0},
    {"A = 5", false, NULL, 0},
    {"id LIKE '1%'", true, NULL, 0},
    {"years(id) = 5", true, NULL, 0},
    {"soundex(nosuch) = 'x'", false, "unknown column nosuch", 8},
    {"date_trunc(month, ts) = DATE '2024-01-01'", false, NULL, 0},
};

Test(binding, finds_columns_and_checks_literals) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++) {
        lake_error err;
        lake_bound *bound;
        lake_status s = bind(&arena, bindings[i].where, bindings[i].sensitive, &bound, &err);
        cr_expect_eq(s, bindings[i].message ? LAKE_ERR_USAGE : LAKE_OK, "%s: %s", bindings[i].where, err.message);
        if (!bindings[i].message)
            continue;
        cr_expect(strstr(err.message, bindings[i].message), "%s: %s, must say %s", bindings[i].where, err.message,
            bindings[i].message);
        cr_expect_eq(
            err.offset, bindings[i].at, "%s: at %d, must be %d", bindings[i].where, (int)err.offset, bindings[i].at);
    }
    lake_arena_clear(&arena);
}

Test(binding, notes_what_cannot_prune) {
    static const char *const notes[][2] = {{"soundex(\"A.B\") = 'x'", "opaque function"},
        {"\"A.B\" LIKE '%x'", "suffix pattern"}, {"amount % 2 = 0", "arithmetic"},
        {"amount > order_date", "two columns of types that do not meet"}, {"tags = 'x'", "no order for list"},
        {"amount LIKE '1%'", "LIKE on decimal(9, 2)"}, {"years(amount) = 5", "year of decimal(9, 2)"},
        {"\"A.B\" RLIKE 'x'", "regular expression"}, {"tags[1] = 'x'", "element of a list or map"},
        {"COALESCE(amount, 1e0) = 5", "a choice among values of several types"},
        {"COALESCE(amount, f) > 5", "a choice among values of several types"},
        {"ts + INTERVAL '1' DAY > DATE '2024-01-01'", "depends on the session's time zone"},
        {"t + INTERVAL '1' HOUR > '12:00'", "arithmetic"}};
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        lake_error err;
        lake_bound *bound;
        cr_assert_eq(bind(&arena, notes[i][0], true, &bound, &err), LAKE_OK, "%s: %s", notes[i][0], err.message);
        cr_assert_eq(bound->nnotes, 1, "%s", notes[i][0]);
        cr_expect(lake_str_is(bound->notes[0].reason, notes[i][1]), "%s: %.*s", notes[i][0],
            LAKE_ARG(bound->notes[0].reason));
        cr_expect(
            lake_str_is(bound->notes[0].sql, notes[i][0]), "%s: %.*s", notes[i][0], LAKE_ARG(bound->notes[0].sql));
    }
    lake_arena_clear(&arena);
}

/* Residuals where nothing is known of the file but that columns may be null. */
static const char *const residuals[][3] = {
    {"amount > 1.195", "{\"type\":\"gt-eq\",\"term\":\"amount\",\"value\":\"1.20\"}", "amount > 1.195"},
    {"AMOUNT <> 5",
        "{\"type\":\"and\",\"left\":{\"type\":\"not-eq\",\"term\":\"amount\",\"value\":\"5.00\"},\"right\":{\"type\":"
        "\"not-null\",\"term\":\"amount\"}}",
        "amount <> 5"},
    {"NOT (amount IN (3, 1, 2, 1))",
        "{\"type\":\"and\",\"left\":{\"type\":\"not-in\",\"term\":\"amount\",\"values\":[\"1.00\",\"2.00\",\"3.00\"]},"
        "\"right\":{\"type\":\"not-null\",\"term\":\"amount\"}}",
        "amount NOT IN (3, 1, 2, 1)"},
    {"amount IN (3)", "{\"type\":\"eq\",\"term\":\"amount\",\"value\":\"3.00\"}", "amount IN (3)"},
    {"amount IN (0.001)", "false", "FALSE"},
    {"NOT (order_date < DATE '2024-01-01')", "{\"type\":\"gt-eq\",\"term\":\"order_date\",\"value\":\"2024-01-01\"}",
        "NOT (order_date < DATE '2024-01-01')"},
    {"order_date <= TIMESTAMP '2024-01-01 12:00:00'",
        "{\"type\":\"lt\",\"term\":\"order_date\",\"value\":\"2024-01-02\"}",
        "order_date <= TIMESTAMP '2024-01-01 12:00:00'"},
    {"f > 0.1", "{\"type\":\"gt-eq\",\"term\":\"f\",\"value\":0.1}", "f > 0.1"},
    {"NOT (f > 0.5)",
        "{\"type\":\"or\",\"left\":{\"type\":\"lt-eq\",\"term\":\"f\",\"value\":0.5},\"right\":{\"type\":\"is-nan\","
        "\"term\":\"f\"}}",
        "NOT (f > 0.5)"},
    {"isnan(f)", "{\"type\":\"is-nan\",\"term\":\"f\"}", "isnan(f)"},
    {"NOT is_nan(f)", "{\"type\":\"not-nan\",\"term\":\"f\"}", "NOT isnan(f)"},
    {"A.b LIKE 'x%' AND soundex(A.b) = 'x'", "{\"type\":\"starts-with\",\"term\":\"A.b\",\"value\":\"x\"}",
        "A.b LIKE 'x%' AND (soundex(A.b) = 'x')"},
    {"days(ts) = DATE '2025-03-27'",
        "{\"type\":\"eq\",\"term\":{\"type\":\"transform\",\"transform\":\"day\",\"term\":\"ts\"},\"value\":\"2025-03-"
        "27\"}",
        "days(ts) = DATE '2025-03-27'"},
    {"amount < 99999999999999999999999999999999999999999", "{\"type\":\"not-null\",\"term\":\"amount\"}",
        "amount < 99999999999999999999999999999999999999999"},
    {"year(order_date) > 2024",
        "{\"type\":\"gt\",\"term\":{\"type\":\"transform\",\"transform\":\"year\",\"term\":\"order_date\"},\"value\":"
        "54}",
        "year(order_date) > 2024"},
    {"YEAR(Order_Date) > 2024",
        "{\"type\":\"gt\",\"term\":{\"type\":\"transform\",\"transform\":\"year\",\"term\":\"order_date\"},\"value\":"
        "54}",
        "year(order_date) > 2024"},
    {"year(ts) = 2024", "true", "year(ts) = 2024"},
    {"amount * 2 > 10", "{\"type\":\"gt-eq\",\"term\":\"amount\",\"value\":\"5.01\"}", "amount * 2 > 10"},
    {"-amount <> 1.5",
        "{\"type\":\"and\",\"left\":{\"type\":\"not-eq\",\"term\":\"amount\",\"value\":\"-1.50\"},\"right\":{\"type\":"
        "\"not-null\",\"term\":\"amount\"}}",
        "-amount <> 1.5"},
    {"amount + 1 IN (2, 3.5) OR amount + 1 IS NULL",
        "{\"type\":\"or\",\"left\":{\"type\":\"in\",\"term\":\"amount\",\"values\":[\"1.00\",\"2.50\"]},\"right\":{"
        "\"type\":"
        "\"is-null\",\"term\":\"amount\"}}",
        "amount + 1 IN (2, 3.5) OR amount + 1 IS NULL"},
    {"NOT (CAST(f AS DOUBLE) >= 0.5)",
        "{\"type\":\"or\",\"left\":{\"type\":\"lt\",\"term\":\"f\",\"value\":0.5},\"right\":{\"type\":\"is-nan\","
        "\"term\":"
        "\"f\"}}",
        "NOT (CAST(f AS DOUBLE) >= 0.5)"},
    {"(amount, ok) = (5, TRUE)",
        "{\"type\":\"and\",\"left\":{\"type\":\"eq\",\"term\":\"amount\",\"value\":\"5.00\"},\"right\":{\"type\":"
        "\"eq\","
        "\"term\":\"ok\",\"value\":true}}",
        "(amount, ok) = (5, TRUE)"},
    {"ok IS NOT FALSE",
        "{\"type\":\"or\",\"left\":{\"type\":\"eq\",\"term\":\"ok\",\"value\":true},\"right\":{\"type\":\"is-null\","
        "\"term\":\"ok\"}}",
        "NOT ((ok = TRUE) IS FALSE)"},
    {"\"A.B\" = 'say \"x\"'", "{\"type\":\"eq\",\"term\":\"A.B\",\"value\":\"say \\\"x\\\"\"}",
        "\"A.B\" = 'say \"x\"'"},
};

Test(residual, has_literals_of_the_columns_type) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof residuals / sizeof *residuals; i++) {
        lake_error err;
        lake_bound *bound;
        lake_facts facts[4];
        bool exact;
        lake_buffer json, sql;
        lake_buffer_init(&json);
        lake_buffer_init(&sql);
        cr_assert_eq(
            bind(&arena, residuals[i][0], false, &bound, &err), LAKE_OK, "%s: %s", residuals[i][0], err.message);
        for (size_t k = 0; k < bound->nterms; k++) {
            lake_facts_set(
                &facts[k], bound->terms[k].field->nullable, bound->terms[k].field->type.id == LAKE_FLOAT, true);
            lake_type_range(&bound->terms[k].field->type, &facts[k].spans[0].lo, &facts[k].spans[0].hi);
        }
        cr_assert_eq(lake_bound_residual(bound, facts, &arena, &json, &exact, &sql, &err), LAKE_OK);
        cr_expect(lake_str_is(lake_buffer_view(&json), residuals[i][1]), "%s: %.*s", residuals[i][0],
            LAKE_ARG(lake_buffer_view(&json)));
        cr_expect(lake_str_is(lake_buffer_view(&sql), residuals[i][2]), "%s: %.*s", residuals[i][0],
            LAKE_ARG(lake_buffer_view(&sql)));
        cr_expect_eq(exact,
            !strstr(residuals[i][0], "soundex") && !strstr(residuals[i][0], "year(ts)") &&
                !strstr(residuals[i][0], "0.1") && !strstr(residuals[i][0], "is_nan"),
            "%s", residuals[i][0]);
        lake_buffer_clear(&json);
        lake_buffer_clear(&sql);
    }
    lake_arena_clear(&arena);
}

/* ---------------------------------------------------------------- long lists, failing memory */
Test(binding, of_a_hundred_thousand_values_takes_n_log_n, .timeout = 60) {
    lake_arena arena;
    lake_arena_init(&arena, (size_t)400 << 20); /* a step of a step for each value would pass it */
    static const char *const shapes[][4] = {{"id IN (1", ", %d", ")"}, {"id = 1", " OR id = %d", ""},
        {"A.b IN ('x'", ", 'v%d'", ")"}, {"(id, amount) IN ((1, 1)", ", (%d, 2)", ")"}};
    for (int k = 0; k < 4; k++) {
        lake_buffer b;
        lake_buffer_init(&b);
        lake_buffer_puts(&b, shapes[k][0]);
        for (int i = 0; i < 100000; i++) {
            char item[32];
            snprintf(item, sizeof item, shapes[k][1], (int)((i * 7919u) % 100003u) * 2);
            lake_buffer_puts(&b, item);
        }
        lake_buffer_puts(&b, shapes[k][2]);
        lake_buffer_char(&b, 0);
        lake_error err;
        lake_bound *bound;
        int64_t begin = lake_monotonic_ns();
        cr_assert_eq(bind(&arena, (char *)b.data, true, &bound, &err), LAKE_OK, "%s", err.message);
        cr_expect_lt(lake_monotonic_ns() - begin, (int64_t)20000000000, "took %ld ms",
            (long)((lake_monotonic_ns() - begin) / 1000000));
        if (k < 2) {
            lake_facts f;
            lake_facts_set(&f, false, false, true);
            f.spans[0] =
                (lake_span){lake_end_key((lake_key){.i = 2 * 50001 + 1}), lake_end_key((lake_key){.i = 2 * 50001 + 2})};
            cr_expect_eq(lake_bound_evaluate(bound, &f), LAKE_F, "odd values are not in the list");
            f.spans[0] = (lake_span){lake_end_key((lake_key){.i = -5}), lake_end_key((lake_key){.i = 300000})};
            cr_expect_eq(lake_bound_evaluate(bound, &f), LAKE_T | LAKE_F);
        }
        lake_buffer_clear(&b);
        lake_arena_reset(&arena);
    }
    lake_arena_clear(&arena);
}

static lake_status everything(void *user, lake_error *err) {
    static const char where[] = "(f > 0.1 AND id IN (3, 1, 2)) OR NOT (A.b LIKE 'x!%%' ESCAPE '!' AND soundex(A.b) = "
                                "'it''s') OR CASE WHEN ok THEN days(ts) = "
                                "DATE '2024-01-01' ELSE bucket(16, u) = 3 END OR (amount BETWEEN SYMMETRIC 1 AND 2) IS "
                                "NOT TRUE OR hours(ts) > 5 OR truncate(3, id) < 7";
    lake_arena arena, scratch;
    lake_arena_init(&arena, 0);
    lake_arena_init(&scratch, 0);
    lake_buffer json, sql;
    lake_buffer_init(&json);
    lake_buffer_init(&sql);
    lake_json *j;
    lake_schema *s;
    lake_bound *bound;
    const lake_tree *tree;
    lake_facts facts[16];
    bool exact;
    lake_status st = lake_json_parse(&arena, lake_str_of(schema_text), NULL, &j, err);
    if (st == LAKE_OK)
        st = lake_schema_read(&arena, j, &s, err);
    if (st == LAKE_OK)
        st = lake_tree_from_sql(&arena, lake_str_of(where), &tree, err);
    if (st == LAKE_OK)
        st = lake_bind(&arena, tree, s, &(lake_bind_options){.case_sensitive = true}, &bound, err);
    if (st == LAKE_OK) {
        for (size_t k = 0; k < bound->nterms; k++)
            lake_facts_set(&facts[k], true, bound->terms[k].field->type.id == LAKE_FLOAT, true);
        st = lake_bound_residual(bound, facts, &scratch, &json, &exact, &sql, err);
    }
    lake_buffer_clear(&json);
    lake_buffer_clear(&sql);
    lake_arena_clear(&arena);
    lake_arena_clear(&scratch);
    return st;
}

static lake_status json_filter(void *user, lake_error *err) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_status st = LAKE_OK;
    for (size_t i = 0; st == LAKE_OK && i < sizeof parsed / sizeof *parsed; i++) {
        const lake_tree *tree;
        st = read(&arena, parsed[i][0], &tree, err);
    }
    lake_arena_clear(&arena);
    return st;
}

/* Small arenas, so that many allocations reach the heap: the arena's limit is walked instead of the heap's calls. */
static lake_status limited(size_t limit, lake_error *err) {
    lake_arena arena;
    lake_arena_init(&arena, limit);
    const lake_tree *tree;
    lake_json *j;
    lake_schema *s;
    lake_bound *bound;
    lake_status st = lake_json_parse(&arena, lake_str_of(schema_text), NULL, &j, err);
    if (st == LAKE_OK)
        st = lake_schema_read(&arena, j, &s, err);
    if (st == LAKE_OK)
        st = lake_tree_from_sql(&arena,
            LAKE_STR(
                "(f IN (0.1, 2) AND id IN (3, 1, 2)) OR NOT (A.b LIKE 'x%' AND soundex(A.b) = 'it''s') OR CASE WHEN ok "
                "THEN "
                "days(ts) = DATE '2024-01-01' ELSE bucket(16, u) = 3 END OR (ts = '2024-01-01'::timestamp) IS TRUE"),
            &tree, err);
    if (st == LAKE_OK)
        st = lake_bind(&arena, tree, s, &(lake_bind_options){.case_sensitive = true}, &bound, err);
    lake_arena_clear(&arena);
    return st;
}

Test(memory, that_fails_anywhere_ends_in_a_clean_error, .timeout = 120) {
    test_every_allocation(everything, NULL);
    test_every_allocation(json_filter, NULL);
    lake_error err;
    size_t limit = 16;
    for (lake_status st = LAKE_ERR_NO_MEMORY; st != LAKE_OK; limit += 16) {
        lake_error_init(&err);
        st = limited(limit, &err);
        cr_assert(
            st == LAKE_OK || st == LAKE_ERR_NO_MEMORY, "%zu bytes: %s: %s", limit, lake_status_name(st), err.message);
        cr_assert_lt(limit, 1 << 20);
    }
}

/* ---------------------------------------------------------------- Kleene */
Test(outcomes, of_and_or_case_are_kleenes_lifted_to_sets) {
    static const lake_outcomes values[] = {LAKE_T, LAKE_F, LAKE_U};
    for (int x = 0; x < 8; x++)
        for (int y = 0; y < 8; y++) {
            lake_outcomes and = 0, or = 0;
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) {
                    lake_outcomes a = values[i], b = values[k];
                    if (!(a & x) || !(b & y))
                        continue;
                    and |= a == LAKE_F || b == LAKE_F ? LAKE_F : a == LAKE_U || b == LAKE_U ? LAKE_U : LAKE_T;
                    or |= a == LAKE_T || b == LAKE_T ? LAKE_T : a == LAKE_U || b == LAKE_U ? LAKE_U : LAKE_F;
                }
            cr_expect_eq(lake_outcomes_and[x][y], and, "%d AND %d", x, y);
            cr_expect_eq(lake_outcomes_or[x][y], or, "%d OR %d", x, y);
            cr_expect_eq(lake_outcomes_case((lake_outcomes)x, (lake_outcomes)y, LAKE_U),
                (x & LAKE_T ? y : 0) | (x & 6 ? LAKE_U : 0));
        }
}
