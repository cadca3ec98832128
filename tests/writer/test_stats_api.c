/* lake_stats: columns chosen, modes, and the JSON object. (All files of the corpus: tests/golden/metrics.py.) */
#include <stdlib.h>
#include <unistd.h>

#include "lake/lake.h"
#include "tests/support.h"
#include "wire/json.h"

static const char *corpus(void) {
    const char *dir = getenv("LAKE_CORPUS");
    return dir && *dir ? dir : LAKE_SOURCE_ROOT "/../shared/corpus";
}

typedef struct fixture {
    lake_arena arena;
    lake_session *session;
    const char *nested; /* a Parquet file with structs, lists and maps */
    lake_error err;
} fixture;

static void start(fixture *f) {
    lake_arena_init(&f->arena, 0);
    lake_error_init(&f->err);
    if (access(corpus(), R_OK) != 0)
        cr_skip_test("no corpus");
    cr_assert_eq(lake_session_open(NULL, &f->session, &f->err), LAKE_OK, "%s", f->err.message);
    f->nested = lake_arena_printf(&f->arena, "%s/given/metrics/java_nested_1.parquet", corpus()).ptr;
}

static void stop(fixture *f) {
    lake_session_close(f->session);
    lake_arena_clear(&f->arena);
}

static lake_stats *open_with(fixture *f, const lake_stats_options *o) {
    lake_stats *s;
    cr_assert_eq(lake_stats_open(f->session, f->nested, o, &s, &f->err), LAKE_OK, "%s", f->err.message);
    return s;
}

/* The columns' names with a letter for what each has: s(ize), v(alues), n(ulls), N(aNs), l(ower), u(pper). */
static const char *shape(fixture *f, const lake_stats *s) {
    lake_stats_file file;
    lake_stats_file_of(s, &file);
    lake_buffer out;
    lake_buffer_init(&out);
    for (size_t i = 0; i < file.ncolumns; i++) {
        lake_stats_column c;
        lake_stats_column_of(s, i, &c);
        lake_buffer_printf(&out, "%s%.*s:%s%s%s%s%s%s", i ? " " : "", LAKE_ARG(c.name), c.column_size < 0 ? "" : "s",
            c.value_count < 0 ? "" : "v", c.null_count < 0 ? "" : "n", c.nan_count < 0 ? "" : "N",
            c.lower.ptr ? "l" : "", c.upper.ptr ? "u" : "");
        cr_expect_eq(c.lower.ptr != NULL, c.lower_bytes.ptr != NULL);
    }
    const char *text = lake_arena_str(&f->arena, (const char *)out.data, out.len).ptr;
    lake_buffer_clear(&out);
    return text ? text : "";
}

Test(stats_api, modes_say_what_a_manifest_would_record) {
    static const struct {
        const char *mode, *shape;
    } rows[] = {
        {NULL, "id:svnlu st.x:svnNlu st.in.s:svnlu list.element:svnNlu map.key:svnlu map.value:svnlu"},
        {"none", "id: st.x: st.in.s: list.element: map.key: map.value:"},
        {"counts", "id:svn st.x:svnN st.in.s:svn list.element:s map.key:s map.value:s"},
        {"truncate(1)", "id:svnlu st.x:svnNlu st.in.s:svnlu list.element:s map.key:s map.value:s"},
    };
    fixture f;
    start(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lake_stats_options o = LAKE_STATS_OPTIONS_INIT;
        o.metrics_mode = rows[i].mode;
        lake_stats *s = open_with(&f, &o);
        cr_expect_str_eq(shape(&f, s), rows[i].shape, "%s", rows[i].mode ? rows[i].mode : "whole");
        lake_stats_close(s);
    }
    stop(&f);
}

Test(stats_api, columns_are_chosen_by_name_and_a_struct_stands_for_its_leaves) {
    fixture f;
    start(&f);
    static const char *const names[] = {"st", "id", "st.x"};
    lake_stats_options o = LAKE_STATS_OPTIONS_INIT;
    o.columns = names;
    o.ncolumns = 3;
    o.metrics_mode = "none";
    lake_stats *s = open_with(&f, &o);
    cr_expect_str_eq(shape(&f, s), "id: st.x: st.in.s:");
    lake_stats_close(s);
    static const char *const wrong[] = {"no.such"};
    o.columns = wrong;
    o.ncolumns = 1;
    cr_expect_eq(lake_stats_open(f.session, f.nested, &o, &s, &f.err), LAKE_ERR_USAGE);
    cr_expect(strstr(f.err.message, "no.such"), "%s", f.err.message);
    stop(&f);
}

Test(stats_api, wrong_options_are_usage_errors) {
    fixture f;
    start(&f);
    lake_stats *s;
    lake_stats_options o = LAKE_STATS_OPTIONS_INIT;
    o.metrics_mode = "table"; /* no table */
    cr_expect_eq(lake_stats_open(f.session, f.nested, &o, &s, &f.err), LAKE_ERR_USAGE);
    o.metrics_mode = "some";
    cr_expect_eq(lake_stats_open(f.session, f.nested, &o, &s, &f.err), LAKE_ERR_USAGE);
    o.version = 99;
    cr_expect_eq(lake_stats_open(f.session, f.nested, &o, &s, &f.err), LAKE_ERR_USAGE);
    cr_expect_eq(lake_stats_open(f.session, "/no/such.parquet", NULL, &s, &f.err), LAKE_ERR_NOT_FOUND);
    stop(&f);
}

Test(stats_api, json_leaves_out_what_there_is_not) {
    fixture f;
    start(&f);
    lake_stats_options o = LAKE_STATS_OPTIONS_INIT;
    o.metrics_mode = "counts";
    lake_stats *s = open_with(&f, &o);
    lake_buffer text;
    lake_buffer_init(&text);
    lake_sink sink = lake_buffer_sink(&text);
    lake_json *json;
    cr_assert_eq(lake_stats_write(s, &sink, &f.err), LAKE_OK);
    cr_assert_eq(
        lake_json_parse(&f.arena, lake_buffer_view(&text), "stats", &json, &f.err), LAKE_OK, "%s", f.err.message);
    cr_expect(lake_str_is(lake_json_get(json, "file-path")->text, f.nested));
    const lake_json *columns = lake_json_get(json, "columns");
    cr_assert_eq(columns->count, 6);
    cr_expect_not_null(lake_json_get(columns->items[0], "value-count"));
    cr_expect_null(lake_json_get(columns->items[0], "nan-value-count"));
    cr_expect_null(lake_json_get(columns->items[0], "lower-bound"));
    cr_expect_null(lake_json_get(columns->items[3], "value-count"));
    lake_buffer_clear(&text);
    lake_stats_close(s);
    stop(&f);
}

static lake_status open_once(void *user, lake_error *err) {
    fixture *f = user;
    lake_stats_options o = LAKE_STATS_OPTIONS_INIT;
    o.metrics_mode = "truncate(4)";
    o.columns = (const char *const[]){"st", "map"};
    o.ncolumns = 2;
    lake_stats *s;
    lake_status status = lake_stats_open(f->session, f->nested, &o, &s, err);
    if (status == LAKE_OK)
        lake_stats_close(s);
    return status;
}

Test(stats_api, every_failing_allocation_ends_in_a_clean_error) {
    fixture f;
    start(&f);
    test_every_allocation(open_once, &f);
    stop(&f);
}

/* ---- many files */

typedef struct visits {
    size_t n, failed, stop_at;
    bool in_order;
} visits;

static lake_status visit(void *user, size_t index, const lake_stats *stats, const lake_error *why, lake_error *err) {
    visits *v = user;
    v->in_order &= index == v->n++;
    cr_expect_neq(stats == NULL, why == NULL);
    v->failed += !stats;
    if (stats) {
        lake_stats_file f;
        lake_stats_file_of(stats, &f);
        cr_expect_gt(f.ncolumns, 0);
    } else {
        cr_expect(why->status == LAKE_ERR_NOT_FOUND && strstr(why->message, "/no/such"), "%s", why->message);
    }
    return v->n == v->stop_at ? LAKE_ERR_CANCELLED : LAKE_OK;
}

Test(stats_api, many_files_come_in_order_and_bad_ones_do_not_stop_them) {
    enum { FILES = 25 };
    fixture f;
    start(&f);
    lake_session_close(f.session);
    const char *files[FILES];
    for (size_t i = 0; i < FILES; i++)
        files[i] = i % 4 == 1 ? "/no/such" : f.nested;
    for (unsigned threads = 1; threads <= 20; threads += 6) { /* fewer and more than files */
        lake_session_options o = LAKE_SESSION_OPTIONS_INIT;
        o.threads = threads;
        cr_assert_eq(lake_session_open(&o, &f.session, &f.err), LAKE_OK);
        visits v = {.in_order = true};
        cr_expect_eq(lake_stats_each(f.session, files, FILES, NULL, visit, &v, &f.err), LAKE_OK, "%s", f.err.message);
        cr_expect(v.n == FILES && v.failed == 6 && v.in_order);
        v = (visits){.in_order = true, .stop_at = 7};
        cr_expect_eq(lake_stats_each(f.session, files, FILES, NULL, visit, &v, &f.err), LAKE_ERR_CANCELLED);
        cr_expect_eq(v.n, 7);
        v = (visits){.in_order = true};
        cr_expect_eq(lake_stats_each(f.session, files, 0, NULL, visit, &v, &f.err), LAKE_OK);
        static const char *const wrong[] = {"no such column"};
        lake_stats_options so = LAKE_STATS_OPTIONS_INIT;
        so.columns = wrong;
        so.ncolumns = 1;
        cr_expect_eq(lake_stats_each(f.session, files, FILES, &so, visit, &v, &f.err), LAKE_ERR_USAGE);
        lake_session_close(f.session);
    }
    lake_arena_clear(&f.arena);
}
