/* Plans of directories through the public API. What is pruned, tests/interop/directories.py compares with an engine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lake/lake.h"
#include "tests/support.h"

static const char *corpus(void) {
    const char *dir = getenv("LAKE_CORPUS");
    return dir && *dir ? dir : LAKE_SOURCE_ROOT "/../shared/corpus";
}

static char root[64];

/* One file of the corpus as month=1/day=…/f.parquet and so on: 2 * 3 files of 13 rows. */
static void begin(void) {
    char command[1000];
    strcpy(root, "/tmp/lake_listing_XXXXXX");
    cr_assert(mkdtemp(root));
    snprintf(command, sizeof command, "%s/given/sales_month/data/order_date_month=2025-01/f-00004.parquet", corpus());
    if (access(command, R_OK) != 0)
        cr_skip_test("no corpus");
    snprintf(command, sizeof command,
        "cd %s && for m in 1 2; do for d in 2025-01-01 2025-01-02 2025-01-03; do mkdir -p month=$m/day=$d && cp "
        "'%s/given/sales_month/data/order_date_month=2025-01/f-00004.parquet' month=$m/day=$d/f.parquet; done; done",
        root, corpus());
    cr_assert_eq(system(command), 0);
}

static void end(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    cr_assert_eq(system(command), 0);
}

TestSuite(listing, .init = begin, .fini = end);

static lake_status open_plan(
    const char *where, const lake_listing_options *listing, lake_session **session, lake_plan **plan, lake_error *err) {
    lake_plan_options options = LAKE_PLAN_OPTIONS_INIT;
    const char *paths[] = {root};
    options.where = where;
    options.explain = 1;
    *plan = NULL;
    *session = NULL;
    lake_status s = lake_session_open(NULL, session, err);
    return s ? s : lake_plan_open_paths(*session, paths, 1, listing, &options, plan, err);
}

Test(listing, lists_only_the_folders_of_pinned_values) {
    static const struct {
        const char *where;
        int64_t found, listed, pruned, files, kept;
    } cases[] = {
        {NULL, 9, 9, 0, 6, 6},
        {"month = 1", 9 - 3, 5, 1, 3, 3},
        {"month = 1 AND day = DATE '2025-01-02'", 9 - 3, 3, 3, 1, 1},
        {"day = DATE '2025-01-02'", 9, 5, 4, 2, 2},
        {"month IN (1, 2) AND day IN (DATE '2025-01-02', DATE '2025-01-03')", 9, 7, 2, 4, 4},
        {"month = 3", 3, 1, 2, 0, 0},
        {"month = 1 AND order_id < -5", 9 - 3, 5, 1, 3, 0},
        {"month = 1 OR order_id > -5", 9, 9, 0, 6, 6},
        {"1 = 0", 1, 0, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lake_session *session;
        lake_plan *plan;
        lake_error err;
        lake_plan_listing got;
        cr_assert_eq(open_plan(cases[i].where, NULL, &session, &plan, &err), LAKE_OK, "%s", err.message);
        cr_assert_eq(lake_plan_listing_of(plan, &got), 1);
        cr_expect_eq(got.found_folders, cases[i].found, "%s: found %ld", cases[i].where, (long)got.found_folders);
        cr_expect_eq(got.listed_folders, cases[i].listed, "%s: listed %ld", cases[i].where, (long)got.listed_folders);
        cr_expect_eq(got.pruned_folders, cases[i].pruned, "%s: pruned %ld", cases[i].where, (long)got.pruned_folders);
        cr_expect_eq(got.data_files, cases[i].files, "%s: files %ld", cases[i].where, (long)got.data_files);
        cr_expect_eq((int64_t)lake_plan_count(plan), cases[i].kept, "%s", cases[i].where);
        lake_plan_close(plan);
        lake_session_close(session);
    }
}

Test(listing, tells_partition_values_and_keeps_limits) {
    lake_session *session;
    lake_plan *plan;
    lake_error err;
    lake_listing_options listing = LAKE_LISTING_OPTIONS_INIT;
    cr_assert_eq(open_plan("month = 2", NULL, &session, &plan, &err), LAKE_OK, "%s", err.message);
    const lake_scan_task *task = lake_plan_task(plan, 1);
    cr_expect(lake_str_is(task->partition, "{\"month\":2,\"day\":\"2025-01-02\"}"));
    cr_expect(lake_str_is(task->partition_text, "month=2, day=2025-01-02"));
    cr_expect_eq(task->match_all, 1);
    cr_expect_eq(task->record_count, 13);
    lake_plan_close(plan);
    lake_session_close(session);

    listing.max_depth = 1;
    cr_expect_eq(open_plan("month = 2", &listing, &session, &plan, &err), LAKE_ERR_LIMIT);
    lake_session_close(session);
    listing = (lake_listing_options)LAKE_LISTING_OPTIONS_INIT;
    listing.max_folders = 5;
    cr_expect_eq(open_plan("month = 2", &listing, &session, &plan, &err), LAKE_ERR_LIMIT);
    lake_session_close(session);
    listing.max_folders = 6; /* the root, two months, three days: not what is below month 1 */
    cr_expect_eq(open_plan("month = 2", &listing, &session, &plan, &err), LAKE_OK);
    lake_plan_close(plan);
    lake_session_close(session);
    listing.max_files = 2;
    cr_expect_eq(open_plan("month = 2", &listing, &session, &plan, &err), LAKE_ERR_LIMIT);
    lake_session_close(session);
}

Test(listing, groups_whole_files) {
    lake_session *session;
    lake_plan *plan;
    lake_error err;
    static const struct {
        lake_grouping by;
        int64_t n;
        size_t groups, first;
    } cases[] = {{LAKE_GROUP_BY_NUMBER, 1, 1, 6}, {LAKE_GROUP_BY_NUMBER, 2, 2, 3}, {LAKE_GROUP_BY_NUMBER, 100, 6, 1},
        {LAKE_GROUP_BY_SIZE, 1, 6, 1}, {LAKE_GROUP_BY_SIZE, 3001, 3, 2}, {LAKE_GROUP_BY_SIZE, INT64_MAX, 1, 6},
        {LAKE_GROUP_BY_PARTITION, 0, 6, 1}};
    cr_assert_eq(open_plan(NULL, NULL, &session, &plan, &err), LAKE_OK, "%s", err.message);
    cr_assert(lake_plan_task(plan, 0)->file_size > 1000 && lake_plan_task(plan, 0)->file_size <= 1500);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = 0, files = 0, next = 0;
        int64_t weight;
        cr_assert_eq(lake_plan_group(plan, cases[i].by, cases[i].n, &err), LAKE_OK);
        cr_expect_eq(lake_plan_split_count(plan), cases[i].groups, "case %zu: %zu", i, lake_plan_split_count(plan));
        lake_plan_splits(plan, 0, &n, &weight);
        cr_expect_eq(n, cases[i].first, "case %zu: %zu", i, n);
        for (size_t g = 0; g < lake_plan_split_count(plan); g++) {
            const lake_split *s = lake_plan_splits(plan, g, &n, &weight);
            files += n;
            for (size_t k = 0; k < n; k++) {
                cr_expect_eq(s[k].task, next, "case %zu", i);
                next++;
                weight -= s[k].length;
            }
            cr_expect_eq(weight, 0);
        }
        cr_expect_eq(files, 6);
    }
    cr_expect_eq(lake_plan_group(plan, LAKE_GROUP_BY_SIZE, 0, &err), LAKE_ERR_USAGE);
    lake_plan_close(plan);
    lake_session_close(session);
}

static int stop(void *user, const char *what, uint64_t done, uint64_t total) {
    (void)done, (void)total;
    return strcmp(what, user) == 0;
}

Test(listing, can_be_cancelled) {
    static const char *const whats[] = {"folders", "footers"};
    for (size_t i = 0; i < sizeof whats / sizeof *whats; i++) {
        lake_session_options options = LAKE_SESSION_OPTIONS_INIT;
        lake_session *session;
        lake_plan *plan;
        lake_error err;
        const char *paths[] = {root};
        options.progress = stop;
        options.progress_user = (void *)(uintptr_t)whats[i];
        cr_assert_eq(lake_session_open(&options, &session, &err), LAKE_OK);
        cr_expect_eq(
            lake_plan_open_paths(session, paths, 1, NULL, NULL, &plan, &err), LAKE_ERR_CANCELLED, "%s", whats[i]);
        lake_session_close(session);
    }
}

static lake_status plan_once(void *user, lake_error *err) {
    lake_session *session;
    lake_plan *plan;
    lake_listing_options listing = LAKE_LISTING_OPTIONS_INIT;
    listing.partition_types = "month int";
    lake_status s = open_plan(user, &listing, &session, &plan, err);
    if (s == LAKE_OK)
        s = lake_plan_group(plan, LAKE_GROUP_BY_PARTITION, 0, err);
    lake_plan_close(plan);
    lake_session_close(session);
    return s;
}

Test(listing, gives_memory_back_whichever_allocation_fails) {
    test_every_allocation(plan_once, (void *)"month = 1 AND day < DATE '2025-01-03' AND order_id > 3");
    test_every_allocation(plan_once, (void *)"month = 7");
}
