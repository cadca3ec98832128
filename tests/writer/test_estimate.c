/* Estimates through the public API, over manifests of made-up files: what is unknown is never counted as none, joins
   and their thresholds, failing memory. */
#include "lake/estimate.h"
#include "tests/writer/tables.h"

#include <stdlib.h>

static const uint8_t one[8] = {1}, hundred[8] = {100}, two_hundred[8] = {200};

/* A file of ids in [lo, hi]; records -1: unknown. */
static lake_table *table_of(test_place *p, const lake_entry *files, size_t n) {
    test_place_init(p);
    lake_table *t = test_create(p, 2, NULL, NULL, 0);
    for (size_t i = 0; i < n; i++) {
        char name[8] = {'m', (char)('0' + i), 0};
        const char *m =
            test_write_manifest(p, t, &(test_manifest){.name = name, .version = 2, .like = files[i], .n = 1});
        lake_error err;
        lake_error_init(&err);
        cr_assert_eq(test_commit(t, m, NULL, NULL, NULL, &err), LAKE_OK, "%s", err.message);
    }
    return t;
}

static lake_entry file(int64_t records, int64_t size, const lake_column_metrics *ids) {
    return (lake_entry){.status = LAKE_ENTRY_ADDED,
        .file_path = LAKE_STR("f"),
        .file_format = LAKE_STR("PARQUET"),
        .record_count = records,
        .file_size = size,
        .columns = ids,
        .ncolumns = ids ? 1 : 0};
}

static const lake_column_metrics low = {
    .id = 1, .has = LAKE_METRIC_VALUES | LAKE_METRIC_NULLS, .values = 100, .lower = {one, 8}, .upper = {hundred, 8}};
static const lake_column_metrics high = {.id = 1,
    .has = LAKE_METRIC_VALUES | LAKE_METRIC_NULLS,
    .values = 100,
    .lower = {hundred, 8},
    .upper = {two_hundred, 8}};

static lake_estimate *estimate(lake_table *t, const char *where, const char *stats) {
    static const char *const columns[] = {"id"};
    lake_estimate_options o = LAKE_ESTIMATE_OPTIONS_INIT;
    lake_estimate *e;
    lake_error err;
    lake_error_init(&err);
    o.where = where;
    o.columns = columns;
    o.ncolumns = 1;
    o.stats_json = stats;
    cr_assert_eq(lake_estimate_open(t, &o, &e, &err), LAKE_OK, "%s", err.message);
    return e;
}

static lake_estimate_totals totals(lake_table *t, const char *where) {
    lake_estimate_totals out;
    lake_estimate *e = estimate(t, where, NULL);
    lake_estimate_totals_of(e, &out);
    lake_estimate_close(e);
    return out;
}

Test(estimate, exact_where_files_match_wholly_or_not_at_all) {
    test_place p;
    lake_entry files[] = {file(100, 1000, &low), file(100, 3000, &high)};
    lake_table *t = table_of(&p, files, 2);
    lake_estimate_totals x = totals(t, "id <= 100");
    cr_expect_eq(x.rows.precision, LAKE_INEXACT); /* the second file begins with 100 */
    cr_expect_eq(x.rows_low, 100);
    cr_expect_eq(x.rows_high, 200);
    x = totals(t, "id < 100000");
    cr_expect_eq(x.rows.precision, LAKE_EXACT);
    cr_expect_eq(x.rows.value, 200);
    cr_expect_eq(x.bytes.value, 4000);
    cr_expect_eq(x.selectivity, 1);
    x = totals(t, "id > 200");
    cr_expect_eq(x.rows.precision, LAKE_EXACT);
    cr_expect_eq(x.rows.value, 0);
    cr_expect_eq(x.selectivity_precision, LAKE_EXACT);
    x = totals(t, "id BETWEEN 1 AND 50");
    cr_expect(x.rows.value == 50, "%ld", (long)x.rows.value);
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(estimate, a_file_of_unknown_rows_is_inexact_and_never_none) {
    test_place p;
    lake_entry files[] = {file(100, 1000, &low), file(-1, 3000, NULL)};
    lake_table *t = table_of(&p, files, 2);
    lake_estimate_totals x = totals(t, "id <= 50");
    cr_expect_eq(x.rows.precision, LAKE_INEXACT);
    cr_expect_eq(x.rows_high, -1);
    cr_expect(x.rows.value == 200, "%ld", (long)x.rows.value); /* as many a byte as in the other: 50 + 150 */
    x = totals(t, NULL);
    cr_expect_eq(x.rows.precision, LAKE_INEXACT);
    cr_expect(x.rows.value == 400, "%ld", (long)x.rows.value);
    cr_expect_neq(x.total_rows.precision, LAKE_EXACT);
    cr_expect(x.selectivity >= 0 && x.selectivity <= 1);
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(estimate, nothing_but_unknown_files_gives_no_figure) {
    test_place p;
    lake_entry files[] = {file(-1, 3000, NULL)};
    lake_table *t = table_of(&p, files, 1);
    lake_estimate_totals x = totals(t, "id <= 50");
    cr_expect_eq(x.rows.precision, LAKE_ABSENT);
    cr_expect_eq(x.files.value, 1);
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(estimate, joins_by_distinct_values_and_thresholds) {
    test_place p;
    lake_entry files[] = {file(100, 1000, &low), file(100, 3000, &high)};
    lake_table *t = table_of(&p, files, 2);
    static const struct {
        const char *left, *right, *left_stats, *right_stats;
        int64_t bytes;
        lake_precision precision;
        int64_t rows;
        int build, broadcast;
        const char *reason;
    } cases[] = {
        {NULL, NULL, "{\"columns\": {\"id\": {\"ndv\": 50}}}", "{\"columns\": {\"id\": {\"ndv\": 20}}}", 0,
            LAKE_INEXACT, 800, 0, 1, "unknown"}, /* 200 * 200 / 50 */
        {NULL, "id > 150", NULL, NULL, 0, LAKE_INEXACT, 50, 1, 1, "bytes"}, /* unique: a key each */
        {"id < 20", "id > 150", NULL, NULL, 100, LAKE_EXACT, 0, 0, 0, "bytes"}, /* apart */
        {"id > 300", NULL, NULL, NULL, 0, LAKE_EXACT, 0, 0, 1, "bytes"}, /* empty */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lake_estimate *l = estimate(t, cases[i].left, cases[i].left_stats),
                      *r = estimate(t, cases[i].right, cases[i].right_stats);
        lake_join_key key = {"id", "ID"};
        lake_join_options o = LAKE_JOIN_OPTIONS_INIT;
        lake_join join;
        lake_error err;
        lake_error_init(&err);
        o.broadcast_bytes = cases[i].bytes;
        cr_assert_eq(lake_join_estimate(l, r, &key, 1, &o, &join, &err), LAKE_OK, "%s", err.message);
        cr_expect_eq(join.rows.precision, cases[i].precision, "case %zu", i);
        cr_expect(
            llabs(join.rows.value - cases[i].rows) <= cases[i].rows / 50, "case %zu: %ld", i, (long)join.rows.value);
        cr_expect_eq(join.build, cases[i].build, "case %zu", i);
        cr_expect_eq(join.broadcast, cases[i].broadcast, "case %zu: %ld bytes", i, (long)join.build_bytes.value);
        cr_expect_str_eq(join.build_reason, cases[i].reason, "case %zu", i);
        cr_expect_eq(lake_join_estimate(l, r, &(lake_join_key){"s", "id"}, 1, NULL, &join, &err), LAKE_ERR_USAGE);
        cr_expect_eq(lake_join_estimate(l, r, NULL, 0, NULL, &join, &err), LAKE_ERR_USAGE);
        lake_estimate_close(l);
        lake_estimate_close(r);
    }
    lake_table_close(t);
    lake_session_close(p.session);
}

static lake_status once(void *user, lake_error *err) {
    static const char *const columns[] = {"s"};
    lake_session *session = NULL;
    lake_table *t = NULL;
    lake_estimate *e = NULL;
    lake_session_options so = LAKE_SESSION_OPTIONS_INIT;
    lake_estimate_options o = LAKE_ESTIMATE_OPTIONS_INIT;
    so.threads = 1;
    o.where = "id < 50 OR s LIKE 'a_c%' OR d IS NULL";
    o.columns = columns;
    o.ncolumns = 1;
    o.stats_json = "{\"row-count\": 200, \"columns\": {\"s\": {\"ndv\": 7, \"lower\": \"a\", \"upper\": \"b\"}}}";
    lake_status s = lake_session_open(&so, &session, err);
    if (s == LAKE_OK)
        s = lake_table_open(session, user, &t, err);
    if (s == LAKE_OK)
        s = lake_estimate_open(t, &o, &e, err);
    if (s == LAKE_OK) {
        lake_buffer out;
        lake_buffer_init(&out);
        lake_sink sink = lake_buffer_sink(&out);
        s = lake_estimate_write(e, 1, &sink, err);
        lake_buffer_clear(&out);
    }
    lake_estimate_close(e);
    lake_table_close(t);
    if (session)
        lake_session_close(session);
    return s;
}

Test(estimate, every_failing_allocation_is_a_clean_error) {
    test_place p;
    lake_entry files[] = {file(100, 1000, &low), file(100, 3000, &high)};
    lake_table *t = table_of(&p, files, 2);
    lake_table_close(t);
    lake_session_close(p.session);
    test_every_allocation(once, p.table);
}
