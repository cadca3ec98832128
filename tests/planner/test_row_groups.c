/* Plans with row groups through the public API, on a file of two row groups of 40 rows and pages of 10: id 0, 2, 4, …
   (a Bloom filter), s 'v0' to 'v7', ten of each, the tenth null (a dictionary), d = 0, 0.25, … (pyarrow 26.0.1). */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lake/lake.h"
#include "tests/support.h"

typedef struct place {
    char dir[64], table[80];
    lake_session *session;
} place;

static lake_status drop(void *user, const void *data, size_t len, lake_error *err) {
    *(size_t *)user += len;
    return LAKE_OK;
}

static void make(place *p) {
    static const char *const properties[] = {"write.metadata.metrics.default=none"};
    static const char *const files[] = {LAKE_SOURCE_ROOT "/tests/planner/row_groups.parquet"};
    lake_error err;
    lake_error_init(&err);
    strcpy(p->dir, "/tmp/lake-groups-XXXXXX");
    cr_assert(mkdtemp(p->dir));
    snprintf(p->table, sizeof p->table, "%s/t", p->dir);
    lake_session_options session = LAKE_SESSION_OPTIONS_INIT;
    session.threads = 1;
    cr_assert_eq(lake_session_open(&session, &p->session, &err), LAKE_OK, "%s", err.message);
    lake_create_options create = LAKE_CREATE_OPTIONS_INIT;
    create.schema = files[0];
    create.properties = properties;
    create.nproperties = 1;
    lake_table *t;
    cr_assert_eq(lake_table_create(p->session, p->table, &create, &t, &err), LAKE_OK, "%s", err.message);
    lake_manifest_options manifest = LAKE_MANIFEST_OPTIONS_INIT;
    lake_commit_options commit = LAKE_COMMIT_OPTIONS_INIT;
    manifest.files = files;
    manifest.nfiles = 1;
    size_t written = 0;
    lake_sink sink = {drop, &written};
    cr_assert_eq(lake_table_append(t, &manifest, &commit, &sink, &err), LAKE_OK, "%s", err.message);
    lake_table_close(t);
}

static void clear(place *p) {
    char command[128];
    lake_session_close(p->session);
    snprintf(command, sizeof command, "rm -rf %s", p->dir);
    cr_assert_eq(system(command), 0);
}

/* "0:[10,10]all 1:[0,40]": row groups with their ranges. */
static void tell(lake_plan *plan, char *out, size_t room) {
    size_t at = 0;
    const lake_scan_task *t = lake_plan_task(plan, 0);
    out[0] = 0;
    for (size_t i = 0; t && i < t->nrow_groups; i++) {
        const lake_row_group *g = &t->row_groups[i];
        cr_assert_eq(g->first_row, 40 * g->index);
        cr_assert_eq(g->rows, 40);
        at += (size_t)snprintf(out + at, room - at, "%s%lld:", i ? " " : "", (long long)g->index);
        for (size_t k = 0; k < g->nranges; k++)
            at += (size_t)snprintf(
                out + at, room - at, "[%lld,%lld]", (long long)g->ranges[k].first, (long long)g->ranges[k].rows);
        if (g->match_all)
            at += (size_t)snprintf(out + at, room - at, "all");
    }
}

static lake_plan *open_plan(const place *p, const char *where, bool groups, lake_table **table) {
    lake_error err;
    lake_error_init(&err);
    lake_plan *plan = NULL;
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    o.where = where;
    o.row_groups = groups;
    cr_assert_eq(lake_table_open(p->session, p->table, table, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(lake_plan_open(*table, &o, &plan, &err), LAKE_OK, "%s", err.message);
    return plan;
}

static lake_plan *open_explained(const place *p, const char *where, lake_table **table) {
    lake_error err;
    lake_error_init(&err);
    lake_plan *plan = NULL;
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    o.where = where;
    o.row_groups = o.explain = 1;
    cr_assert_eq(lake_table_open(p->session, p->table, table, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(lake_plan_open(*table, &o, &plan, &err), LAKE_OK, "%s", err.message);
    return plan;
}

Test(row_groups, ranges_are_those_of_the_pages_that_may_match) {
    static const struct {
        const char *where, *wanted;
        int64_t by[4]; /* statistics, Bloom filters, dictionaries, pages */
    } cases[] = {
        {NULL, "0:[0,40]all 1:[0,40]all", {0}},
        {"id >= 0", "0:[0,40]all 1:[0,40]all", {0}},
        {"id < 44", "0:[0,30]", {1}},
        {"id < 40", "0:[0,20]all", {1}},
        {"id = 100", "1:[10,10]", {1}},
        {"id = 101", "", {1, 1}},
        {"id IN (3, 5, 7, 99)", "", {0, 2}},
        {"s = 'v2'", "0:[20,10]", {1}},
        {"s = 'v25'", "", {1, 0, 1}},
        {"s IS NULL", "0:[0,40] 1:[0,40]", {0}},
        {"d >= 3 AND d < 3.25 OR id = 158", "0:[10,10] 1:[30,10]", {0}},
        {"d > 2.25 AND d < 2.5", "", {1, 0, 0, 1}}, /* between two pages */
        {"d > 2 AND s < 'v1'", "0:[0,10]", {1}},
        {"id >= 20 AND id < 60 AND s >= 'v1'", "0:[10,20]", {1}},
    };
    place p;
    make(&p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lake_table *t;
        lake_plan *plan = open_plan(&p, cases[i].where, true, &t);
        char got[512];
        lake_plan_counts c;
        tell(plan, got, sizeof got);
        cr_expect_str_eq(got, cases[i].wanted, "%s: %s", cases[i].where, got);
        lake_plan_counts_of(plan, &c);
        cr_expect(c.row_groups_by_statistics == cases[i].by[0] && c.row_groups_by_bloom == cases[i].by[1] &&
                c.row_groups_by_dictionary == cases[i].by[2] && c.row_groups_by_pages == cases[i].by[3] &&
                c.total_row_groups == 2 && c.doubtful == 0,
            "%s: %lld %lld %lld %lld", cases[i].where, (long long)c.row_groups_by_statistics,
            (long long)c.row_groups_by_bloom, (long long)c.row_groups_by_dictionary, (long long)c.row_groups_by_pages);
        lake_plan_close(plan);
        lake_table_close(t);
    }
    clear(&p);
}

Test(row_groups, nothing_is_opened_unless_asked) {
    place p;
    make(&p);
    lake_table *t;
    lake_plan *plan = open_plan(&p, "id = 101", false, &t);
    cr_assert_eq(lake_plan_count(plan), 1);
    cr_assert_eq(lake_plan_task(plan, 0)->total_row_groups, -1);
    cr_assert_eq(lake_plan_task(plan, 0)->nrow_groups, 0);
    lake_plan_close(plan);
    lake_table_close(t);
    clear(&p);
}

/* Pages of a column follow each other, dictionary first; together with the ranges they are what a reader needs. */
Test(row_groups, byte_ranges_are_pages_and_the_dictionary) {
    place p;
    make(&p);
    lake_table *t;
    lake_plan *plan = open_plan(&p, "s = 'v2' AND id > 40", true, &t);
    const lake_row_group *g = lake_plan_task(plan, 0)->row_groups;
    cr_assert_eq(lake_plan_task(plan, 0)->nrow_groups, 1);
    cr_assert_eq(g->npages, 2);
    for (size_t i = 0; i < 2; i++) {
        const lake_page_bytes *b = &g->pages[i];
        bool dictionary = b->field_id == 2;
        cr_expect_eq(b->nranges, dictionary ? 2 : 1, "field %d: %zu", b->field_id, b->nranges);
        for (size_t k = 0; k < b->nranges; k++)
            cr_expect(b->ranges[k].offset >= g->offset && b->ranges[k].length > 0 &&
                b->ranges[k].offset + b->ranges[k].length <= g->offset + g->length);
    }
    lake_plan_close(plan);
    lake_table_close(t);
    clear(&p);
}

/* What each leaf does alone: "asked statistics Bloom-filters dictionaries pages; whole none overlapping; rows by
 * pages". */
Test(row_groups, each_leaf_alone_is_asked_about_row_groups) {
    static const struct {
        const char *where, *wanted[3];
    } cases[] = {
        {"id = 101", {"2 1 1 0 0; 0 0 0; 0/0"}},
        {"id = 100", {"2 1 0 0 0; 0 0 1; 30/40"}},
        {"s = 'v25'", {"2 1 0 1 0; 0 0 0; 0/0"}},
        {"s = 'v2' OR id >= 0", {"2 1 0 0 0; 0 0 1; 30/40", "2 0 0 0 0; 2 0 0; 0/0"}},
        {"d > 2.25 AND d < 2.5", {"2 0 0 0 0; 0 0 2; 10/80", "2 1 0 0 0; 0 0 1; 30/40"}},
        {"NOT (id > 78 OR s IS NULL)", {"2 1 0 0 0; 1 0 0; 0/0", "2 0 0 0 0; 0 0 2; 0/80"}},
        {"id = 101 AND soundex(s) = 'V1' AND s = 'v0'",
            {"2 1 1 0 0; 0 0 0; 0/0", "2 0 0 0 0; 0 0 0; 0/0", "2 1 0 0 0; 0 0 1; 30/40"}},
        {"s >= 'v4' AND id = 19", {"2 1 0 0 0; 0 0 1; 0/40", "2 1 1 0 0; 0 0 0; 0/0"}},
    };
    place p;
    make(&p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lake_table *t;
        lake_plan *plan = open_explained(&p, cases[i].where, &t);
        size_t n = lake_plan_leaf_count(plan);
        for (size_t k = 0; k < n; k++) {
            lake_plan_leaf l;
            char got[128];
            cr_assert(lake_plan_leaf_of(plan, k, &l));
            snprintf(got, sizeof got, "%d %d %d %d %d; %d %d %d; %d/%d", (int)l.row_groups,
                (int)l.row_groups_by_statistics, (int)l.row_groups_by_bloom, (int)l.row_groups_by_dictionary,
                (int)l.row_groups_by_pages, (int)l.row_groups_whole, (int)l.row_groups_no_statistics,
                (int)l.row_groups_overlapping, (int)l.group_rows_by_pages, (int)l.group_rows);
            cr_expect(cases[i].wanted[k] && !strcmp(got, cases[i].wanted[k]), "%s: %.*s: %s, wanted %s", cases[i].where,
                (int)l.sql.len, l.sql.ptr, got, cases[i].wanted[k] ? cases[i].wanted[k] : "no such leaf");
            cr_expect_eq(l.row_groups_not_evaluated, 0);
        }
        cr_expect(n && (n == 3 || !cases[i].wanted[n]), "%s: %zu leaves", cases[i].where, n);
        lake_plan_close(plan);
        lake_table_close(t);
    }
    clear(&p);
}

Test(row_groups, counts_are_of_the_rows_to_read) {
    static const struct {
        const char *where;
        int64_t low, high;
    } cases[] = {{"id >= 0", 80, 80}, {"id < 40", 20, 20}, {"id < 44", 0, 30}, {"id = 100", 0, 10}, {"id = 101", 0, 0},
        {"id < 60", 30, 30}, {"s IS NULL", 0, 80}, {"d > 2.25 AND d < 2.5", 0, 0}};
    place p;
    make(&p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lake_table *t;
        lake_plan *plan = open_plan(&p, cases[i].where, true, &t);
        lake_row_count n;
        lake_error err;
        lake_error_init(&err);
        cr_assert_eq(lake_plan_row_count(plan, &n, &err), LAKE_OK, "%s", err.message);
        cr_expect(n.low == cases[i].low && n.high == cases[i].high && n.exact == (n.low == n.high) &&
                n.partial_files == (n.low != n.high),
            "%s: %lld to %lld", cases[i].where, (long long)n.low, (long long)n.high);
        lake_plan_close(plan);
        lake_table_close(t);
    }
    clear(&p);
}

/* Bytes that this process has read from files. */
static long long bytes_read(void) {
    long long n = -1;
    FILE *f = fopen("/proc/self/io", "r");
    if (f && fscanf(f, "rchar: %lld", &n) != 1)
        n = -1;
    if (f)
        fclose(f);
    return n;
}

/* Footers and what is asked for are read, not the file: one with a hole of 256 MiB before its footer. */
Test(row_groups, files_are_read_by_ranges) {
    enum { HOLE = 256 << 20 };
    char path[80], data[1 << 16];
    FILE *in = fopen(LAKE_SOURCE_ROOT "/tests/planner/row_groups.parquet", "rb");
    cr_assert(in);
    size_t len = fread(data, 1, sizeof data, in);
    fclose(in);
    cr_assert(len > 8 && len < sizeof data);
    size_t footer = ((size_t)(uint8_t)data[len - 8] | (size_t)(uint8_t)data[len - 7] << 8) + 8;
    place p;
    make(&p);
    snprintf(path, sizeof path, "%s/hole.parquet", p.dir);
    FILE *out = fopen(path, "wb");
    cr_assert(out && fwrite(data, 1, len - footer, out) == len - footer);
    cr_assert(fseek(out, HOLE, SEEK_CUR) == 0 && fwrite(data + len - footer, 1, footer, out) == footer);
    cr_assert_eq(fclose(out), 0);
    lake_error err;
    lake_error_init(&err);
    lake_plan *plan = NULL;
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    lake_listing_options listing = LAKE_LISTING_OPTIONS_INIT;
    const char *paths[] = {path};
    o.where = "id IN (3, 44) AND s = 'v2'";
    o.row_groups = o.explain = 1;
    long long before = bytes_read();
    cr_assert_eq(lake_plan_open_paths(p.session, paths, 1, &listing, &o, &plan, &err), LAKE_OK, "%s", err.message);
    cr_expect(before < 0 || bytes_read() - before < 1 << 20, "%lld bytes", bytes_read() - before);
    cr_expect_eq(lake_plan_count(plan), 1);
    lake_plan_close(plan);
    clear(&p);
}

static lake_status plan_all(void *user, lake_error *err) {
    const place *p = user;
    static const char *const where[] = {"id = 101 OR s = 'v3x'", "d > 2 AND s < 'v1' OR id IN (1, 44)"};
    for (size_t i = 0; i < 2; i++) {
        lake_table *t = NULL;
        lake_plan *plan = NULL;
        lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
        size_t written = 0;
        lake_sink sink = {drop, &written};
        o.where = where[i];
        o.row_groups = o.explain = 1;
        lake_status st = lake_table_open(p->session, p->table, &t, err);
        if (st == LAKE_OK)
            st = lake_plan_open(t, &o, &plan, err);
        if (st == LAKE_OK)
            st = lake_plan_write(plan, LAKE_PLAN_JSON, 0, &sink, err);
        lake_plan_close(plan);
        lake_table_close(t);
        if (st != LAKE_OK)
            return st;
    }
    return LAKE_OK;
}

Test(row_groups, every_failing_allocation_ends_cleanly) {
    place p;
    make(&p);
    test_every_allocation(plan_all, &p);
    clear(&p);
}
