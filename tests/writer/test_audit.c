/* lake_audit_run: callbacks, order, cancelling, failing memory. (What it finds: tests/golden/audit.py.) */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lake/audit.h"
#include "tests/writer/tables.h"

typedef struct heard {
    size_t n, stop_at; /* stop_at 0: never */
    uint64_t order[64];
    char kinds[64][32], files[64][64];
    int64_t lost[64];
} heard;

static lake_status hear(void *user, const lake_audit_finding *f, lake_error *err) {
    heard *h = user;
    if (h->n < 64) {
        h->order[h->n] = f->order[0] << 32 | f->order[1];
        snprintf(h->kinds[h->n], sizeof h->kinds[0], "%.*s", (int)f->kind.len, f->kind.ptr);
        snprintf(h->files[h->n], sizeof h->files[0], "%.*s", (int)f->file.len, f->file.ptr ? f->file.ptr : "");
        h->lost[h->n] = f->lost_rows;
    }
    h->n++;
    return h->stop_at && h->n >= h->stop_at ? lake_fail(err, LAKE_ERR_CANCELLED, "heard enough") : LAKE_OK;
}

static lake_audit_options options_for(heard *h) {
    lake_audit_options o = LAKE_AUDIT_OPTIONS_INIT;
    *h = (heard){0};
    o.on_finding = hear;
    o.user = h;
    return o;
}

/* A table with `n` files that are nowhere. */
static lake_table *made_up(test_place *p, size_t n) {
    test_place_init(p);
    lake_table *t = test_create(p, 2, NULL, NULL, 0);
    const test_manifest m = {.name = "m.avro",
        .version = 2,
        .n = n,
        .like = {.status = LAKE_ENTRY_ADDED, .file_format = LAKE_STR("PARQUET"), .record_count = 3, .file_size = 100}};
    lake_commit_options o = LAKE_COMMIT_OPTIONS_INIT;
    lake_error err;
    lake_error_init(&err);
    cr_assert_eq(test_commit(t, test_write_manifest(p, t, &m), &o, NULL, NULL, &err), LAKE_OK, "%s", err.message);
    return t;
}

Test(audit, a_table_without_snapshot_has_nothing_to_audit) {
    test_place p;
    heard h;
    lake_audit_counts n;
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    lake_audit_options o = options_for(&h);
    cr_assert_eq(lake_audit_run(t, &o, &n, NULL), LAKE_OK);
    cr_expect(!n.has_snapshot && h.n == 0 && n.wrong == 0);
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(audit, missing_files_are_told_each_with_its_place) {
    test_place p;
    heard h;
    lake_audit_counts n;
    lake_table *t = made_up(&p, 5);
    lake_audit_options o = options_for(&h);
    cr_assert_eq(lake_audit_run(t, &o, &n, NULL), LAKE_OK);
    cr_expect_eq(h.n, 5);
    cr_expect_eq(n.wrong, 5);
    cr_expect_eq(n.lossy, 0);
    cr_expect_eq(n.data_files, 5);
    cr_expect_eq(n.checked_files, 0);
    for (size_t i = 0; i < 5; i++) {
        cr_expect_str_eq(h.kinds[i], "missing-object");
        for (size_t k = 0; k < i; k++)
            cr_expect_neq(h.order[i], h.order[k]);
    }
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(audit, the_callback_can_stop_it) {
    test_place p;
    heard h;
    lake_audit_counts n;
    lake_error err;
    lake_error_init(&err);
    lake_table *t = made_up(&p, 5);
    lake_audit_options o = options_for(&h);
    h.stop_at = 2;
    p.session->threads = 1;
    cr_assert_eq(lake_audit_run(t, &o, &n, &err), LAKE_ERR_CANCELLED);
    cr_expect_str_eq(err.message, "heard enough");
    cr_expect_eq(h.n, 2);
    cr_expect_eq(n.wrong, 2);
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(audit, bad_options_are_usage_errors) {
    test_place p;
    lake_error err;
    lake_error_init(&err);
    lake_table *t = made_up(&p, 1);
    lake_audit_options o = LAKE_AUDIT_OPTIONS_INIT;
    const char *columns[] = {"no_such"};
    o.columns = columns;
    o.ncolumns = 1;
    cr_expect_eq(lake_audit_run(t, &o, NULL, &err), LAKE_ERR_USAGE);
    cr_expect(strstr(err.message, "no_such"));
    o = (lake_audit_options)LAKE_AUDIT_OPTIONS_INIT;
    o.where = "id >";
    cr_expect_eq(lake_audit_run(t, &o, NULL, &err), LAKE_ERR_USAGE);
    o = (lake_audit_options)LAKE_AUDIT_OPTIONS_INIT;
    o.version = 99;
    cr_expect_eq(lake_audit_run(t, &o, NULL, &err), LAKE_ERR_USAGE);
    o = (lake_audit_options)LAKE_AUDIT_OPTIONS_INIT;
    o.sample = -1;
    cr_expect_eq(lake_audit_run(t, &o, NULL, &err), LAKE_ERR_USAGE);
    cr_expect_eq(lake_audit_run(t, NULL, NULL, &err), LAKE_ERR_USAGE);
    lake_table_close(t);
    lake_session_close(p.session);
}

static int stop_at_once(void *user, const char *what, uint64_t done, uint64_t total) {
    (void)what, (void)done, (void)total;
    ++*(int *)user;
    return 1;
}

Test(audit, progress_can_cancel_it) {
    test_place p;
    heard h;
    int calls = 0;
    lake_table *t = made_up(&p, 3);
    lake_audit_options o = options_for(&h);
    p.session->progress = stop_at_once;
    p.session->progress_user = &calls;
    cr_expect_eq(lake_audit_run(t, &o, NULL, NULL), LAKE_ERR_CANCELLED);
    cr_expect_eq(calls, 1);
    lake_table_close(t);
    lake_session_close(p.session);
}

/* ---- a table of the corpus */

static const char *corpus(void) {
    const char *dir = getenv("LAKE_CORPUS");
    return dir && *dir ? dir : LAKE_SOURCE_ROOT "/../shared/corpus";
}

static long countdown;
static bool failed;

static bool fail_once(size_t size) {
    (void)size;
    if (countdown-- != 0)
        return true;
    failed = true;
    return false;
}

/* The n-th allocation fails, for every n: an error, or everything is found all the same (a file that was only to be
   looked for), and nothing leaks. */
static void fail_each_allocation(const char *name, const char *where, size_t least) {
    char map[512], place[512];
    lake_error err;
    heard whole, h;
    if (access(corpus(), R_OK) != 0)
        cr_skip_test("no corpus");
    snprintf(map, sizeof map, "%s/", corpus());
    snprintf(place, sizeof place, "%s/given/%s", corpus(), name);
    const lake_location_map to = {"s3://lake-corpus/", map};
    lake_session_options so = LAKE_SESSION_OPTIONS_INIT;
    so.maps = &to;
    so.nmaps = 1;
    so.threads = 1;
    lake_session *session;
    lake_table *t;
    lake_error_init(&err);
    cr_assert_eq(lake_session_open(&so, &session, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(lake_table_open(session, place, &t, &err), LAKE_OK, "%s", err.message);
    lake_audit_options o = options_for(&whole);
    o.orphans = 1;
    o.where = where;
    cr_assert_eq(lake_audit_run(t, &o, NULL, &err), LAKE_OK, "%s", err.message);
    cr_expect_geq(whole.n, least);
    o.user = &h;
    failed = true;
    for (long n = 0; failed; n++) {
        h = (heard){0};
        lake_error_init(&err);
        lake_mem_test_live = 0;
        countdown = n;
        failed = false;
        lake_mem_test_hook = fail_once;
        lake_status s = lake_audit_run(t, &o, NULL, &err);
        lake_mem_test_hook = NULL;
        cr_assert_eq(lake_mem_test_live, 0, "allocation %ld: %ld blocks leaked", n, lake_mem_test_live);
        if (s == LAKE_OK)
            cr_assert_eq(h.n, whole.n, "allocation %ld: %zu findings", n, h.n);
        else
            cr_assert(s == LAKE_ERR_NO_MEMORY && err.message[0], "allocation %ld: %s: %s", n, lake_status_name(s),
                err.message);
    }
    lake_table_close(t);
    lake_session_close(session);
}

Test(audit, every_failing_allocation_ends_in_an_error_or_changes_nothing, .timeout = 200) {
    fail_each_allocation("deletes_v3", "id >= 3", 1); /* the corpus' own lists of cases are orphans */
}

/* With a truncated value that wrapped: rows are counted in a second scan. */
Test(audit, every_failing_allocation_while_rows_are_counted_ends_in_an_error, .timeout = 200) {
    fail_each_allocation("schema_evolution", NULL, 2);
}
