/* Answers of a plan beyond its list, through the public API: narrowing on the way, counts, limits, order, splits,
   values of another table; failing allocations in all of them. tests/golden/answers.py judges them by rows. */
#include "tests/writer/tables.h"

#include <stdio.h>

#include "lake/answers.h"

static lake_error err;

static void ok(lake_status s) {
    cr_assert_eq(s, LAKE_OK, "%s: %s", lake_status_name(s), err.message);
}

/* Five files m0-0 … m4-0 of ten rows, with ids 0-9, 10-19, … */
static lake_table *five_files(test_place *p) {
    test_place_init(p);
    lake_table *t = test_create(p, 2, NULL, NULL, 0);
    for (int k = 0; k < 5; k++) {
        uint8_t lower[8] = {(uint8_t)(k * 10)}, upper[8] = {(uint8_t)(k * 10 + 9)};
        char name[8];
        lake_arena a;
        lake_column_metrics id = {.id = 1,
            .has = LAKE_METRIC_VALUES | LAKE_METRIC_NULLS,
            .values = 10,
            .lower = {lower, 8},
            .upper = {upper, 8}};
        lake_entry like = {.status = LAKE_ENTRY_ADDED,
            .file_format = LAKE_STR("PARQUET"),
            .record_count = 10,
            .file_size = 1000,
            .columns = &id,
            .ncolumns = 1};
        lake_json *report;
        lake_arena_init(&a, 0);
        snprintf(name, sizeof name, "m%d", k);
        ok(test_commit(
            t, test_write_manifest(p, t, &(test_manifest){name, 2, .like = like, .n = 1}), NULL, &a, &report, &err));
        lake_arena_clear(&a);
    }
    return t;
}

static lake_plan *open_plan(lake_table *t, lake_plan_options o) {
    lake_plan *plan;
    ok(lake_plan_open(t, &o, &plan, &err));
    return plan;
}

/* The number in the name of the next file, -1: none. */
static int next(lake_plan *plan) {
    const lake_scan_task *task;
    size_t index = 99;
    ok(lake_plan_next(plan, &index, &task, &err));
    if (!task)
        return -1;
    cr_assert(lake_plan_task(plan, index) == task);
    return task->path.ptr[task->path.len - 11] - '0';
}

Test(answers, a_plan_is_narrowed_on_the_way) {
    test_place p;
    lake_table *t = five_files(&p);
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    o.narrowable = 1;
    o.order_by = "id";
    lake_plan *plan = open_plan(t, o);
    cr_assert_eq(next(plan), 0);
    ok(lake_plan_narrow(plan, "id > 15 AND d IS NULL", NULL, 0, &err));
    cr_assert_eq(next(plan), 1); /* a file of which no statistics of d are known */
    ok(lake_plan_narrow(plan, "id >= 30", NULL, 0, &err));
    ok(lake_plan_narrow(plan, "id >= 30", NULL, 0, &err));
    cr_assert_eq(next(plan), 3);
    cr_assert_eq(lake_plan_narrowed(plan), 1);
    cr_assert_neq(lake_plan_narrow(plan, "id >", NULL, 0, &err), LAKE_OK);
    cr_assert_neq(lake_plan_narrow(plan, "nope > 1", NULL, 0, &err), LAKE_OK);
    cr_assert_neq(lake_plan_narrow(plan, NULL, NULL, 0, &err), LAKE_OK);
    char lines[] = "7\n41\n";
    lake_plan_values values = {.column = "id", .lines = {(const uint8_t *)lines, 5}};
    ok(lake_plan_narrow(plan, NULL, &values, 1, &err));
    lines[2] = lines[3] = '5'; /* nothing of the caller's is used any more */
    cr_assert_eq(next(plan), 4);
    cr_assert_eq(next(plan), -1);
    cr_assert_eq(next(plan), -1);
    cr_assert_eq(lake_plan_count(plan), 5);
    lake_plan_close(plan);
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(answers, thresholds_of_one_column_add_up) {
    test_place p;
    lake_table *t = five_files(&p);
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    o.narrowable = 1;
    o.order_by = "id DESC";
    lake_plan *plan = open_plan(t, o);
    ok(lake_plan_narrow(plan, "id <> 45", NULL, 0, &err));
    for (int k = 0; k < 200; k++) {
        char text[32];
        snprintf(text, sizeof text, "id < %d", 240 - k);
        ok(lake_plan_narrow(plan, text, NULL, 0, &err));
    }
    cr_assert_eq(next(plan), 4);
    ok(lake_plan_narrow(plan, "id < 20 OR id > 100", NULL, 0, &err));
    cr_assert_eq(next(plan), 1);
    ok(lake_plan_narrow(plan, "id < 0", NULL, 0, &err));
    cr_assert_eq(next(plan), -1);
    cr_assert_eq(lake_plan_narrowed(plan), 3);
    lake_plan_close(plan);
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(answers, some_plans_cannot_be_narrowed) {
    test_place p;
    lake_table *t = five_files(&p);
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    lake_plan *plan = open_plan(t, o);
    cr_assert_eq(lake_plan_narrow(plan, "id > 1", NULL, 0, &err), LAKE_ERR_USAGE);
    cr_assert_geq(next(plan), 0);
    lake_plan_close(plan);
    o.narrowable = o.has_limit = 1;
    o.limit = 3;
    plan = open_plan(t, o);
    cr_assert_eq(lake_plan_narrow(plan, "id > 1", NULL, 0, &err), LAKE_ERR_USAGE);
    lake_plan_close(plan);
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(answers, wrong_limits_and_increments_are_refused) {
    test_place p;
    lake_table *t = five_files(&p);
    lake_plan *plan;
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    o.has_limit = 1;
    o.limit = -1;
    cr_assert_eq(lake_plan_open(t, &o, &plan, &err), LAKE_ERR_USAGE);
    o.limit = INT64_MAX; /* with the offset beyond 64 bits */
    o.offset = INT64_MAX;
    plan = open_plan(t, o);
    cr_assert_eq(lake_plan_count(plan), 5);
    cr_assert_eq(lake_plan_split(plan, -1, &err), LAKE_ERR_USAGE);
    cr_assert_eq(lake_plan_split_count(plan), 0);
    lake_plan_close(plan);
    o = (lake_plan_options)LAKE_PLAN_OPTIONS_INIT;
    o.has_to_snapshot = 1;
    cr_assert_eq(lake_plan_open(t, &o, &plan, &err), LAKE_ERR_USAGE);
    lake_table_close(t);
    lake_session_close(p.session);
}

/* ---------------------------------------------------------------- failing allocations */
static lake_status swallow(void *user, const void *data, size_t len, lake_error *e) {
    (void)user, (void)data, (void)len, (void)e;
    return LAKE_OK;
}

static lake_status use(lake_plan *plan, lake_error *e) {
    const lake_sink sink = {swallow, NULL};
    const lake_scan_task *task;
    lake_row_count n;
    char lines[] = "7\n41\n";
    lake_plan_values values = {.column = "id", .lines = {(const uint8_t *)lines, 5}};
    LAKE_TRY(lake_plan_row_count(plan, &n, e));
    LAKE_TRY(lake_plan_split(plan, 300, e));
    LAKE_TRY(lake_plan_write(plan, LAKE_PLAN_JSON, 0, &sink, e));
    LAKE_TRY(lake_plan_write(plan, LAKE_PLAN_NDJSON, 0, &sink, e));
    if (lake_plan_limit_of(plan, &(lake_plan_limit){0}))
        return LAKE_OK;
    LAKE_TRY(lake_plan_next(plan, NULL, &task, e));
    LAKE_TRY(lake_plan_narrow(plan, "id > 5", NULL, 0, e));
    LAKE_TRY(lake_plan_narrow(plan, "id > 6", &values, 1, e));
    LAKE_TRY(lake_plan_narrow(plan, "id > 7", NULL, 0, e));
    return lake_plan_next(plan, NULL, &task, e);
}

static lake_status open_and_use(void *user, lake_error *e) {
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    lake_plan_values values = {.column = "id", .lines = {(const uint8_t *)"31\n4\n22\n", 8}};
    lake_session_options so = LAKE_SESSION_OPTIONS_INIT;
    lake_session *session = NULL;
    lake_table *t = NULL;
    so.threads = 1;
    lake_status s = lake_session_open(&so, &session, e);
    if (!s)
        s = lake_table_open(session, user, &t, e);
    for (int limit = 0; !s && limit < 2; limit++) {
        lake_plan *plan = NULL;
        o.order_by = "id DESC NULLS FIRST";
        o.in = &values;
        o.nin = 1;
        o.narrowable = o.explain = 1;
        o.has_limit = limit;
        o.limit = 3;
        s = lake_plan_open(t, &o, &plan, e);
        if (!s)
            s = use(plan, e);
        lake_plan_close(plan);
    }
    lake_table_close(t);
    lake_session_close(session);
    return s;
}

Test(answers, every_failing_allocation_ends_in_an_error, .timeout = 120) {
    test_place p;
    lake_table *t = five_files(&p);
    char where[128];
    snprintf(where, sizeof where, "%s", p.table);
    lake_table_close(t);
    lake_session_close(p.session);
    test_every_allocation(open_and_use, where);
}
