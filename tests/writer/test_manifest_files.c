/* Manifests from data files, end to end: written through the public API, read back with the library's own reader. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lake/lake.h"
#include "tests/support.h"
#include "writer/manifest_files.h"

static const char *corpus(void) {
    const char *dir = getenv("LAKE_CORPUS");
    return dir && *dir ? dir : LAKE_SOURCE_ROOT "/../shared/corpus";
}

typedef struct fixture {
    lake_arena arena;
    lake_session *session;
    lake_table *table;
    char folder[64];
    lake_buffer printed;
    lake_sink sink;
    lake_error err;
    const char **files; /* for build_once */
} fixture;

/* A session that maps the corpus, a table of it (or none), and an empty folder. Skips the test without the corpus. */
static void start(fixture *f, const char *table) {
    *f = (fixture){0};
    lake_arena_init(&f->arena, 0);
    lake_error_init(&f->err);
    lake_buffer_init(&f->printed);
    f->sink = lake_buffer_sink(&f->printed);
    if (access(corpus(), R_OK) != 0)
        cr_skip_test("no corpus");
    lake_location_map map = {"s3://lake-corpus/", lake_arena_printf(&f->arena, "%s/", corpus()).ptr};
    lake_session_options o = LAKE_SESSION_OPTIONS_INIT;
    o.maps = &map;
    o.nmaps = 1;
    o.threads = 2;
    cr_assert_eq(lake_session_open(&o, &f->session, &f->err), LAKE_OK, "%s", f->err.message);
    if (table) {
        lake_str at = lake_arena_printf(&f->arena, "%s/given/%s", corpus(), table);
        cr_assert_eq(lake_table_open(f->session, at.ptr, &f->table, &f->err), LAKE_OK, "%s", f->err.message);
    }
    strcpy(f->folder, "/tmp/lake-manifest-XXXXXX");
    cr_assert_not_null(mkdtemp(f->folder));
}

static const char *in_folder(fixture *f, const char *name) {
    return lake_arena_printf(&f->arena, "%s/%s", f->folder, name).ptr;
}

static size_t files_left(fixture *f) {
    size_t n = 0;
    DIR *d = opendir(f->folder);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    closedir(d);
    return n;
}

static void stop(fixture *f) {
    DIR *d = opendir(f->folder);
    for (struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlink(in_folder(f, e->d_name));
    closedir(d);
    rmdir(f->folder);
    lake_table_close(f->table);
    lake_session_close(f->session);
    lake_buffer_clear(&f->printed);
    lake_arena_clear(&f->arena);
}

/* Locations data/f-00001.parquet … of a table, as its metadata records them. */
static const char **data_files(fixture *f, const char *table, size_t n) {
    const char **out = LAKE_ARENA_ARRAY(&f->arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        out[i] = lake_arena_printf(&f->arena, "s3://lake-corpus/given/%s/data/f-%05zu.parquet", table, i + 1).ptr;
    return out;
}

typedef struct seen {
    lake_manifest_header header;
    lake_entry entries[64];
    size_t n;
} seen;

static void read_manifest(fixture *f, const char *location, seen *out) {
    const lake_manifest_want want = {.all_columns = true, .rest = true};
    lake_manifest_reader *r;
    const lake_entry *e;
    out->n = 0;
    cr_assert_eq(lake_manifest_open(&f->session->store, lake_str_of(location), NULL, NULL, &want, NULL, &r, &f->err),
        LAKE_OK, "%s", f->err.message);
    out->header = *lake_manifest_header_of(r);
    for (;;) {
        cr_assert_eq(lake_manifest_next(r, &e, &f->err), LAKE_OK, "%s", f->err.message);
        if (!e)
            break;
        cr_assert_lt(out->n, 64);
        cr_assert_eq(lake_manifest_materialise(r, &want, &f->arena, &out->entries[out->n++], &f->err), LAKE_OK);
    }
    lake_manifest_close(r);
}

static lake_json *printed_line(fixture *f) {
    lake_json *json;
    cr_assert_eq(lake_json_parse(&f->arena, lake_buffer_view(&f->printed), "output", &json, &f->err), LAKE_OK, "%s",
        f->err.message);
    return json;
}

Test(manifest_files, one_manifest_of_a_table) {
    fixture f;
    start(&f, "sales_plain");
    lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
    o.table = f.table;
    o.files = data_files(&f, "sales_plain", 2);
    o.nfiles = 2;
    o.output = in_folder(&f, "m.avro");
    cr_assert_eq(lake_manifest_write(f.session, &o, &f.sink, &f.err), LAKE_OK, "%s", f.err.message);
    seen s;
    read_manifest(&f, o.output, &s);
    cr_expect_eq(s.n, 2);
    for (size_t i = 0; i < s.n; i++) {
        const lake_entry *e = &s.entries[i];
        cr_expect_eq(e->status, LAKE_ENTRY_ADDED);
        cr_expect(lake_str_is(e->file_path, o.files[i]), "order and names stay: %.*s", LAKE_ARG(e->file_path));
        cr_expect(!(e->has & (LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_SEQUENCE_NUMBER | LAKE_HAS_FILE_SEQUENCE_NUMBER)));
        cr_expect_eq(e->nsplit_offsets, 1);
        cr_expect_gt(e->ncolumns, 3);
    }
    int64_t length;
    lake_json *line = printed_line(&f);
    struct stat st;
    cr_assert_eq(stat(o.output, &st), 0);
    cr_expect(lake_json_i64(lake_json_get(line, "manifest_length"), &length) && length == st.st_size);
    cr_expect(lake_str_is(lake_json_get(line, "manifest_path")->text, o.output));
    stop(&f);
}

Test(manifest_files, partitions_come_from_the_data) {
    fixture f;
    start(&f, "bucket_numbers");
    lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
    o.table = f.table;
    o.has_spec_id = 1;
    o.spec_id = 0;
    o.files = data_files(&f, "bucket_numbers", 3);
    o.nfiles = 3;
    o.output = in_folder(&f, "m.avro");
    cr_assert_eq(lake_manifest_write(f.session, &o, &f.sink, &f.err), LAKE_OK, "%s", f.err.message);
    seen s;
    read_manifest(&f, o.output, &s);
    cr_expect_eq(s.header.spec_id, 0);
    cr_expect_gt(s.entries[0].npartition, 0);
    cr_expect_eq(lake_json_get(printed_line(&f), "partitions")->count, s.entries[0].npartition);
    stop(&f);
}

Test(manifest_files, several_manifests_by_size_hold_all_files_in_order) {
    fixture f;
    start(&f, "sales_plain");
    lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
    o.table = f.table;
    o.files = data_files(&f, "sales_plain", 2);
    o.nfiles = 2;
    o.output = in_folder(&f, "m.avro");
    o.target_size = 1;
    cr_assert_eq(lake_manifest_write(f.session, &o, &f.sink, &f.err), LAKE_OK, "%s", f.err.message);
    cr_expect_eq(files_left(&f), 2);
    for (size_t i = 0; i < 2; i++) {
        seen s;
        read_manifest(&f, in_folder(&f, i ? "m-0002.avro" : "m-0001.avro"), &s);
        cr_expect_eq(s.n, 1);
        cr_expect(lake_str_is(s.entries[0].file_path, o.files[i]));
    }
    stop(&f);
}

Test(manifest_files, nothing_is_left_behind_on_failure) {
    fixture f;
    start(&f, "sales_plain");
    lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
    o.table = f.table;
    o.files = data_files(&f, "sales_plain", 2);
    o.nfiles = 2;
    o.output = in_folder(&f, "m.avro");
    o.target_size = 1;
    /* the second manifest's name is taken: the first is taken back */
    fclose(fopen(in_folder(&f, "m-0002.avro"), "w"));
    cr_expect_eq(lake_manifest_write(f.session, &o, &f.sink, &f.err), LAKE_ERR_EXISTS, "%s", f.err.message);
    cr_expect_eq(files_left(&f), 1);
    cr_expect_eq(f.printed.len, 0);
    /* a file that is not there */
    const char *files[] = {o.files[0], "s3://lake-corpus/given/no-such.parquet"};
    o.files = files;
    o.target_size = 0;
    cr_expect_eq(lake_manifest_write(f.session, &o, &f.sink, &f.err), LAKE_ERR_NOT_FOUND, "%s", f.err.message);
    cr_expect(strstr(f.err.message, "no-such.parquet"), "%s", f.err.message);
    cr_expect_eq(files_left(&f), 1);
    /* the same file twice */
    files[1] = files[0];
    cr_expect_eq(lake_manifest_write(f.session, &o, &f.sink, &f.err), LAKE_ERR_USAGE);
    cr_expect_eq(files_left(&f), 1);
    stop(&f);
}

static lake_status refuse(void *user, const void *data, size_t len, lake_error *err) {
    return lake_fail(err, LAKE_ERR_IO, "the pipe is closed");
}

Test(manifest_files, taken_back_when_nobody_hears_of_it) {
    fixture f;
    start(&f, "sales_plain");
    lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
    o.table = f.table;
    o.files = data_files(&f, "sales_plain", 1);
    o.nfiles = 1;
    o.output = in_folder(&f, "m.avro");
    const lake_sink closed = {refuse, NULL};
    cr_expect_eq(lake_manifest_write(f.session, &o, &closed, &f.err), LAKE_ERR_IO);
    cr_expect_eq(files_left(&f), 0);
    stop(&f);
}

Test(manifest_files, without_a_table_and_in_version_1) {
    fixture f;
    start(&f, NULL);
    lake_str base = lake_arena_printf(&f.arena, "%s/given/metrics/arrow_one_row", corpus());
    const char *files[] = {lake_arena_printf(&f.arena, "%s.parquet", base.ptr).ptr};
    lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
    o.schema_json = (const char *)test_file(&f.arena, lake_arena_printf(&f.arena, "%s.schema.json", base.ptr).ptr).ptr;
    o.spec = "days(c_ts), bucket(16, c_long), truncate(2, c_str)";
    o.format_version = 1;
    o.files = files;
    o.nfiles = 1;
    o.output = in_folder(&f, "m.avro");
    cr_assert_eq(lake_manifest_write(f.session, &o, &f.sink, &f.err), LAKE_OK, "%s", f.err.message);
    seen s;
    read_manifest(&f, o.output, &s);
    cr_expect_eq(s.header.format_version, 1);
    cr_assert_eq(s.n, 1);
    cr_expect(s.entries[0].has & LAKE_HAS_SNAPSHOT_ID && s.entries[0].snapshot_id > 0);
    cr_expect_eq(s.entries[0].npartition, 3);
    stop(&f);
}

/* ---- delete files */

static const lake_column_metrics *column(const lake_entry *e, int32_t id) {
    for (size_t i = 0; i < e->ncolumns; i++)
        if (e->columns[i].id == id)
            return &e->columns[i];
    return NULL;
}

static void write_deletes(fixture *f, int content, const char *file, const char *equality, seen *out) {
    lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
    const char *at = lake_arena_printf(&f->arena, "s3://lake-corpus/given/deletes_v2/data/%s.parquet", file).ptr;
    o.table = f->table;
    o.has_spec_id = 1;
    o.spec_id = 0;
    o.content = content;
    o.equality_columns = equality;
    o.files = &at;
    o.nfiles = 1;
    o.output = in_folder(f, file);
    cr_assert_eq(lake_manifest_write(f->session, &o, &f->sink, &f->err), LAKE_OK, "%s", f->err.message);
    read_manifest(f, o.output, out);
    cr_assert_eq(out->n, 1);
    cr_expect_eq(out->header.content, 1);
    cr_expect_eq(out->entries[0].content, content);
}

/* apache/iceberg#10064: paths are recorded whole, whatever the metrics mode */
Test(manifest_files, position_deletes_record_whole_paths) {
    fixture f;
    start(&f, "deletes_v2");
    seen s;
    write_deletes(&f, 1, "pos-00010", NULL, &s);
    const lake_entry *e = &s.entries[0];
    lake_str path = LAKE_STR("s3://lake-corpus/given/deletes_v2/data/f-00004.parquet");
    cr_expect(lake_str_eq(e->referenced_data_file, path), "%.*s", LAKE_ARG(e->referenced_data_file));
    cr_expect(lake_str_eq(lake_text_of(column(e, 2147483546)->lower), path));
    cr_expect(lake_str_eq(lake_text_of(column(e, 2147483546)->upper), path));
    cr_expect(!(e->has & LAKE_HAS_SORT_ORDER_ID), "position deletes have an order of their own");
    write_deletes(&f, 1, "pos-00009", NULL, &s); /* of two data files */
    cr_expect_null(s.entries[0].referenced_data_file.ptr);
    cr_expect(lake_bytes_cmp(column(&s.entries[0], 2147483546)->lower, column(&s.entries[0], 2147483546)->upper) < 0);
    stop(&f);
}

Test(manifest_files, equality_deletes_record_their_columns) {
    fixture f;
    start(&f, "deletes_v2");
    seen s;
    write_deletes(&f, 2, "eq-00012", "1", &s);
    cr_expect(s.entries[0].nequality_ids == 1 && s.entries[0].equality_ids[0] == 1);
    cr_expect_not_null(column(&s.entries[0], 1)->lower.ptr);
    stop(&f);
}

Test(manifest_files, delete_files_that_cannot_be_are_refused) {
    fixture f;
    start(&f, "deletes_v2");
    static const struct {
        int content;
        const char *file, *equality, *word;
        lake_status status;
    } rows[] = {
        {1, "f-00001", NULL, "no position delete file", LAKE_ERR_MALFORMED},
        {2, "pos-00010", "1", "id 1 is not in the file", LAKE_ERR_MALFORMED},
        {2, "eq-00012", NULL, "equality columns", LAKE_ERR_USAGE},
        {2, "eq-00012", "no_such", "no_such", LAKE_ERR_USAGE},
        {3, "eq-00012", NULL, "content 3", LAKE_ERR_USAGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at =
            lake_arena_printf(&f.arena, "s3://lake-corpus/given/deletes_v2/data/%s.parquet", rows[i].file).ptr;
        lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
        o.table = f.table;
        o.has_spec_id = 1;
        o.content = rows[i].content;
        o.equality_columns = rows[i].equality;
        o.files = &at;
        o.nfiles = 1;
        o.output = in_folder(&f, "m.avro");
        cr_expect_eq(
            lake_manifest_write(f.session, &o, &f.sink, &f.err), rows[i].status, "row %zu: %s", i, f.err.message);
        cr_expect(strstr(f.err.message, rows[i].word), "row %zu: %s", i, f.err.message);
        cr_expect_eq(files_left(&f), 0);
    }
    stop(&f);
}

static int cancel(void *user, const char *what, uint64_t done, uint64_t total) {
    ++*(int *)user;
    return 1;
}

Test(manifest_files, a_cancelled_write_leaves_nothing) {
    fixture f;
    start(&f, "sales_plain");
    int calls = 0;
    f.session->progress = cancel;
    f.session->progress_user = &calls;
    lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
    o.table = f.table;
    o.files = data_files(&f, "sales_plain", 2);
    o.nfiles = 2;
    o.output = in_folder(&f, "m.avro");
    cr_expect_eq(lake_manifest_write(f.session, &o, &f.sink, &f.err), LAKE_ERR_CANCELLED);
    cr_expect_gt(calls, 0);
    cr_expect_eq(files_left(&f), 0);
    stop(&f);
}

/* ---- lists */

Test(manifest_files, list_of_new_and_current_manifests) {
    fixture f;
    start(&f, "types_v3");
    lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
    o.table = f.table;
    o.files = data_files(&f, "types_v3", 1);
    o.nfiles = 1;
    o.output = in_folder(&f, "m.avro");
    cr_assert_eq(lake_manifest_write(f.session, &o, NULL, &f.err), LAKE_OK, "%s", f.err.message);
    lake_list_options l = LAKE_LIST_OPTIONS_INIT;
    l.table = f.table;
    l.output = in_folder(&f, "l.avro");
    l.manifests = &o.output;
    l.nmanifests = 1;
    l.append = 1;
    l.has_snapshot_id = 1;
    l.snapshot_id = 4711;
    cr_assert_eq(lake_list_write(f.session, &l, &f.sink, &f.err), LAKE_OK, "%s", f.err.message);
    lake_manifest_file *lines, *current;
    size_t n, ncurrent;
    const lake_metadata *m = f.table->metadata;
    cr_assert_eq(lake_manifest_list_read(&f.session->store, &f.arena, lake_str_of(l.output), &lines, &n, &f.err),
        LAKE_OK, "%s", f.err.message);
    cr_assert_eq(lake_table_manifests(f.table, m->snapshot, &f.arena, &current, &ncurrent, &f.err), LAKE_OK, "%s",
        f.err.message);
    cr_assert_eq(n, ncurrent + 1);
    for (size_t i = 0; i < ncurrent; i++)
        cr_expect(lake_str_eq(lines[i].path, current[i].path) &&
            lines[i].sequence_number == current[i].sequence_number &&
            lines[i].first_row_id == current[i].first_row_id &&
            lines[i].added_snapshot_id == current[i].added_snapshot_id);
    const lake_manifest_file *fresh = &lines[ncurrent];
    cr_expect_eq(fresh->added_snapshot_id, 4711);
    cr_expect_eq(fresh->sequence_number, m->last_sequence_number + 1);
    cr_expect_eq(fresh->min_sequence_number, m->last_sequence_number + 1);
    cr_expect_eq(fresh->first_row_id, m->next_row_id);
    cr_expect_eq(fresh->added_files, 1);
    stop(&f);
}

/* ---- memory */

static lake_status build_once(void *user, lake_error *err) {
    fixture *f = user;
    lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
    o.files = f->files;
    o.nfiles = 1;
    o.has_spec_id = 1;
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_manifest_files files;
    lake_status status = lake_manifest_files_build(f->session, &o, f->table->metadata, &arena, &files, err);
    lake_arena_clear(&arena);
    return status;
}

Test(manifest_files, every_failing_allocation_ends_in_a_clean_error) {
    fixture f;
    start(&f, "bucket_numbers");
    f.session->threads = 1;
    f.files = data_files(&f, "bucket_numbers", 1);
    test_every_allocation(build_once, &f);
    stop(&f);
}
