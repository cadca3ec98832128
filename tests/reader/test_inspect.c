/* Choosing snapshots, listing manifests, and the views of `inspect`. Expected values are counted from the metadata
   documents by jansson, and known from the corpus; odd bytes of foreign writers never end a view (TRAPS N5), missing
   lists are named with their snapshot (N8). */
#include "tests/support.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "manifest/manifest.h"
#include "reader/table.h"

static lake_error err;
static void ok(lake_status s) {
    cr_assert_eq(s, LAKE_OK, "%s: %s", lake_status_name(s), err.message);
}

/* ---- a table of two snapshots, made by hand */

typedef struct fixture {
    char dir[64];
    lake_session *session;
    lake_table *table;
} fixture;

static void put_file(const char *path, lake_bytes bytes) {
    lake_store plain = {0};
    ok(lake_store_create(&plain, lake_str_of(path), bytes, &err));
}

/* One manifest whose entry has bounds that are no values of their columns, and its list. */
static void put_manifest(const fixture *f, lake_arena *a, const lake_metadata *m) {
    char path[128];
    lake_datum day = {.kind = LAKE_DATUM_INT, .i = 20000};
    lake_column_metrics columns[] = {{.id = 1,
                                         .has = LAKE_METRIC_VALUES | LAKE_METRIC_NULLS,
                                         .values = 3,
                                         .lower = {(const uint8_t *)"\1\0\0\0\0\0\0\0", 8},
                                         .upper = {(const uint8_t *)"\1\2\3", 3}},
        {.id = 2, .lower = {(const uint8_t *)"\xff\xfe", 2}, .upper = {(const uint8_t *)"", 0}},
        {.id = 3, .has = LAKE_METRIC_NANS, .nans = 1, .lower = {(const uint8_t *)"\0\0\0\0\0\0\xf8\x7f", 8}},
        {.id = 99, .lower = {(const uint8_t *)"x", 1}}};
    lake_entry e = {.status = LAKE_ENTRY_ADDED,
        .file_path = LAKE_STR("/data/f.parquet"),
        .file_format = LAKE_STR("PARQUET"),
        .partition = &day,
        .npartition = 1,
        .record_count = 3,
        .file_size = 70,
        .columns = columns,
        .ncolumns = 4};
    lake_manifest_write_options o = {
        .format_version = 2, .schema = m->schema, .spec = m->spec, .codec = LAKE_CODEC_NONE, .level = -1};
    lake_manifest_writer *w;
    lake_manifest_file line;
    lake_bytes bytes;
    ok(lake_manifest_writer_open(&o, &w, &err));
    ok(lake_manifest_writer_add(w, &e, &err));
    ok(lake_manifest_writer_finish(w, a, &bytes, &line, &err));
    snprintf(path, sizeof path, "%s/m.avro", f->dir);
    put_file(path, bytes);
    line.path = lake_arena_str(a, path, strlen(path));
    line.length = (int64_t)bytes.len;
    line.sequence_number = -1;
    line.added_snapshot_id = 22;
    line.has |= LAKE_HAS_SNAPSHOT_ID;
    lake_manifest_writer_close(w);
    lake_buffer list;
    lake_buffer_init(&list);
    lake_manifest_list_options lo = {
        .format_version = 2, .snapshot_id = 22, .sequence_number = 2, .codec = LAKE_CODEC_NONE, .level = -1};
    ok(lake_manifest_list_write(&lo, &line, 1, &list, NULL, &err));
    snprintf(path, sizeof path, "%s/list.avro", f->dir);
    put_file(path, lake_bytes_of(lake_buffer_view(&list)));
    lake_buffer_clear(&list);
}

static void init(fixture *f) {
    char path[128];
    strcpy(f->dir, "/tmp/lake-inspect-XXXXXX");
    cr_assert(mkdtemp(f->dir));
    snprintf(path, sizeof path, "%s/v1.metadata.json", f->dir);
    FILE *out = fopen(path, "w");
    fprintf(out,
        "{\"format-version\":2,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\",\"location\":\"%s\",\"last-"
        "sequence-number\":2,"
        "\"last-updated-ms\":2000,\"last-column-id\":4,\"current-schema-id\":1,\"schemas\":[{\"type\":\"struct\","
        "\"schema-id\":0,"
        "\"fields\":[{\"id\":1,\"name\":\"old\",\"required\":false,\"type\":\"long\"}]},{\"type\":\"struct\",\"schema-"
        "id\":1,"
        "\"fields\":[{\"id\":1,\"name\":\"n\",\"required\":false,\"type\":\"long\"},{\"id\":2,\"name\":\"s\","
        "\"required\":false,"
        "\"type\":\"string\",\"doc\":\"a "
        "\\\"word\\\"\"},{\"id\":3,\"name\":\"x.y\",\"required\":true,\"type\":\"double\"},{\"id\":4,"
        "\"name\":\"ts\",\"required\":false,\"type\":\"timestamptz\"}]}],\"default-spec-id\":0,\"partition-specs\":[{"
        "\"spec-id\":0,"
        "\"fields\":[{\"source-id\":4,\"field-id\":1000,\"name\":\"ts_day\",\"transform\":\"day\"}]}],\"last-partition-"
        "id\":1000,"
        "\"default-sort-order-id\":0,\"sort-orders\":[],\"current-snapshot-id\":22,\"refs\":{\"main\":{\"snapshot-id\":"
        "22,\"type\":"
        "\"branch\"},\"first\":{\"snapshot-id\":11,\"type\":\"tag\",\"max-ref-age-ms\":9007199254740993},\"dev\":{"
        "\"snapshot-id\":11,"
        "\"type\":\"branch\"}},\"snapshots\":[{\"sequence-number\":1,\"snapshot-id\":11,\"timestamp-ms\":1000,"
        "\"summary\":"
        "{\"operation\":\"append\"},\"manifest-list\":\"%s/"
        "gone.avro\",\"schema-id\":0},{\"sequence-number\":2,\"snapshot-id\":22,"
        "\"parent-snapshot-id\":11,\"timestamp-ms\":2000,\"summary\":{\"operation\":\"append\",\"k\":\"v\"},\"manifest-"
        "list\":"
        "\"%s/"
        "list.avro\",\"schema-id\":1}],\"snapshot-log\":[{\"timestamp-ms\":1000,\"snapshot-id\":11},{\"timestamp-ms\":"
        "1500,"
        "\"snapshot-id\":5},{\"timestamp-ms\":2000,\"snapshot-id\":22}],\"metadata-log\":[]}",
        f->dir, f->dir, f->dir);
    fclose(out);
    ok(lake_session_open(NULL, &f->session, &err));
    ok(lake_table_open(f->session, path, &f->table, &err));
    lake_arena a;
    lake_arena_init(&a, 0);
    put_manifest(f, &a, f->table->metadata);
    lake_arena_clear(&a);
}

static void clear(fixture *f) {
    lake_table_close(f->table);
    lake_session_close(f->session);
}

/* ---- choosing */

Test(table, a_snapshot_is_chosen_by_id_ref_or_time) {
    fixture f;
    init(&f);
    const struct {
        lake_snapshot_choice choice;
        lake_status status;
        int64_t id, schema;
        const char *message;
    } cases[] = {
        {{1}, LAKE_OK, 22, 1},
        {{1, .has_snapshot_id = 1, .snapshot_id = 11}, LAKE_OK, 11, 0},
        {{1, .has_snapshot_id = 1, .snapshot_id = 12}, LAKE_ERR_NOT_FOUND, 0, 0, "no snapshot 12"},
        {{1, .ref = "main"}, LAKE_OK, 22, 1},
        {{1, .ref = "first"}, LAKE_OK, 11, 0},
        {{1, .ref = "dev"}, LAKE_OK, 11, 1}, /* a branch: the current schema */
        {{1, .ref = "none"}, LAKE_ERR_NOT_FOUND, 0, 0, "'none'"},
        {{1, .has_as_of = 1, .as_of_ms = 999}, LAKE_ERR_NOT_FOUND, 0, 0, "1000 ms"},
        {{1, .has_as_of = 1, .as_of_ms = 1000}, LAKE_OK, 11, 0},
        {{1, .has_as_of = 1, .as_of_ms = 1499}, LAKE_OK, 11, 0},
        {{1, .has_as_of = 1, .as_of_ms = 1999}, LAKE_ERR_NOT_FOUND, 0, 0, "expired"},
        {{1, .has_as_of = 1, .as_of_ms = INT64_MAX}, LAKE_OK, 22, 1},
        {{1, .ref = "main", .has_as_of = 1, .as_of_ms = 5}, LAKE_ERR_USAGE, 0, 0, "only one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lake_snapshot *s;
        const lake_schema *schema;
        lake_status st = lake_table_choose(f.table, &cases[i].choice, &s, &schema, &err);
        cr_assert_eq(st, cases[i].status, "case %zu: %s", i, err.message);
        if (st == LAKE_OK)
            cr_assert(s->id == cases[i].id && schema->id == cases[i].schema, "case %zu: %lld", i, (long long)s->id);
        else
            cr_assert(strstr(err.message, cases[i].message), "case %zu: %s", i, err.message);
    }
    clear(&f);
}

Test(table, a_missing_manifest_list_is_named_with_its_snapshot) {
    fixture f;
    init(&f);
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_manifest_file *lines;
    size_t n;
    lake_status s = lake_table_manifests(f.table, lake_metadata_snapshot(f.table->metadata, 11), &a, &lines, &n, &err);
    cr_assert_eq(s, LAKE_ERR_NOT_FOUND);
    cr_assert(strstr(err.message, "gone.avro") && strstr(err.message, "snapshot 11"), "%s", err.message);
    ok(lake_table_manifests(f.table, f.table->metadata->snapshot, &a, &lines, &n, &err));
    cr_assert_eq(n, 1);
    ok(lake_table_manifests(f.table, NULL, &a, &lines, &n, &err));
    cr_assert_eq(n, 0);
    lake_arena_clear(&a);
    clear(&f);
}

/* ---- views */

/* All rows as a jansson array of objects: each cell must be a JSON document. */
static json_t *view(lake_table *t, const char *what, const lake_snapshot_choice *choice) {
    lake_rows *rows;
    ok(lake_inspect(t, what, choice, &rows, &err));
    json_t *all = json_array();
    for (;;) {
        const lake_str *cells;
        ok(lake_rows_next(rows, &cells, &err));
        if (!cells)
            break;
        json_t *row = json_object();
        for (size_t i = 0; i < lake_rows_width(rows); i++) {
            json_error_t e;
            json_t *cell = json_loadb(cells[i].ptr, cells[i].len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &e);
            lake_str name = lake_rows_name(rows, i);
            cr_assert(cell, "%s.%.*s: %.*s: %s", what, LAKE_ARG(name), LAKE_ARG(cells[i]), e.text);
            json_object_setn_new(row, name.ptr, name.len, cell);
        }
        json_array_append_new(all, row);
    }
    lake_rows_close(rows);
    return all;
}

static void same(json_t *rows, size_t i, const char *column, const char *expected) {
    char *text =
        json_dumps(json_object_get(json_array_get(rows, i), column), JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
    cr_assert_str_eq(text ? text : "(none)", expected, "%s", column);
    free(text);
}

Test(inspect, odd_bounds_are_shown_and_never_end_a_view) {
    fixture f;
    init(&f);
    json_t *files = view(f.table, "files", NULL);
    cr_assert_eq(json_array_size(files), 1);
    same(files, 0, "lower_bounds",
        "{\"1\":\"0100000000000000\",\"2\":\"fffe\",\"3\":\"000000000000f87f\",\"99\":\"78\"}");
    same(files, 0, "upper_bounds", "{\"1\":\"010203\",\"2\":\"\"}");
    same(files, 0, "partition", "{\"ts_day\":\"2024-10-04\"}");
    same(files, 0, "value_counts", "{\"1\":3}");
    same(files, 0, "null_value_counts", "{\"1\":0}");
    same(files, 0, "column_sizes", "null");
    json_t *m = json_object_get(json_array_get(files, 0), "readable_metrics");
    cr_assert_eq(json_integer_value(json_object_get(json_object_get(m, "n"), "lower_bound")), 1);
    json_t *odd = json_object_get(json_object_get(m, "n"), "upper_bound");
    cr_assert_str_eq(json_string_value(json_object_get(odd, "hex")), "010203");
    cr_assert(json_string_length(json_object_get(odd, "note")) > 0);
    odd = json_object_get(json_object_get(m, "s"), "lower_bound");
    cr_assert_str_eq(json_string_value(json_object_get(odd, "note")), "not UTF-8");
    cr_assert_str_eq(json_string_value(json_object_get(json_object_get(m, "s"), "upper_bound")), "");
    cr_assert_str_eq(json_string_value(json_object_get(json_object_get(m, "x.y"), "lower_bound")), "NaN");
    cr_assert_eq(json_object_size(m), 3, "a column that no schema has is left to the maps");
    json_decref(files);
    clear(&f);
}

Test(inspect, views_have_the_columns_of_icebergs_metadata_tables) {
    fixture f;
    init(&f);
    json_t *v = view(f.table, "snapshots", NULL);
    cr_assert_eq(json_array_size(v), 2);
    same(v, 1, "committed_at", "\"1970-01-01T00:00:02.000000+00:00\"");
    same(v, 1, "parent_id", "11");
    same(v, 0, "parent_id", "null");
    same(v, 1, "summary", "{\"k\":\"v\"}");
    json_decref(v);
    v = view(f.table, "history", NULL);
    cr_assert_eq(json_array_size(v), 3);
    same(v, 0, "is_current_ancestor", "true");
    same(v, 1, "is_current_ancestor", "false");
    json_decref(v);
    v = view(f.table, "refs", NULL);
    same(v, 1, "max_reference_age_in_ms", "9007199254740993");
    same(v, 1, "type", "\"TAG\"");
    json_decref(v);
    v = view(f.table, "manifests", NULL);
    same(v, 0, "added_data_files_count", "1");
    same(v, 0, "added_delete_files_count", "0");
    same(v, 0, "partition_summaries",
        "[{\"contains_nan\":false,\"contains_null\":false,\"lower_bound\":\"2024-10-04\",\"upper_bound\":\"2024-10-"
        "04\"}]");
    json_decref(v);
    v = view(f.table, "entries", NULL);
    same(v, 0, "sequence_number", "2");
    same(v, 0, "snapshot_id", "22");
    json_decref(v);
    v = view(f.table, "partitions", NULL);
    same(v, 0, "record_count", "3");
    same(v, 0, "last_updated_snapshot_id", "22");
    json_decref(v);
    v = view(f.table, "schema", NULL);
    cr_assert_eq(json_array_size(v), 4);
    same(v, 1, "doc", "\"a \\\"word\\\"\"");
    same(v, 3, "type", "\"timestamptz\"");
    json_decref(v);
    lake_snapshot_choice first = {1, .ref = "first"};
    v = view(f.table, "schema", &first);
    cr_assert_eq(json_array_size(v), 1);
    same(v, 0, "name", "\"old\"");
    json_decref(v);
    v = view(f.table, "spec", NULL);
    same(v, 0, "source_ids", "[4]");
    json_decref(v);
    v = view(f.table, "properties", NULL);
    cr_assert_eq(json_array_size(v), 0);
    json_decref(v);
    lake_rows *rows;
    cr_assert_eq(lake_inspect(f.table, "filez", NULL, &rows, &err), LAKE_ERR_USAGE);
    cr_assert(strstr(err.message, "'filez'"));
    clear(&f);
}

/* ---- the corpus: every view of every table is JSON, and files agree with the summaries that the official library
 * wrote */

Test(inspect, live_files_of_the_corpus_come_to_the_recorded_totals, .timeout = 120) {
    static const char *const names[] = {"bucket_bytes", "defaults_v3", "deletes_v2", "deletes_v3", "identity_multi",
        "lifecycle", "metrics_random_2", "odd_names", "sales_month", "spec_evolution_v1", "spec_evolution_v2",
        "time_transforms", "types_all", "types_v3", "upgrade"};
    static const char *const views[] = {
        "snapshots", "history", "refs", "manifests", "files", "entries", "partitions", "schema", "spec", "properties"};
    const char *root = getenv("LAKE_CORPUS");
    char base[4096], path[4200];
    snprintf(base, sizeof base, "%s", root && *root ? root : LAKE_SOURCE_ROOT "/../shared/corpus");
    if (access(base, R_OK) != 0)
        cr_skip_test("the corpus is not unpacked");
    lake_location_map map = {"s3://lake-corpus/", base};
    lake_session_options o = LAKE_SESSION_OPTIONS_INIT;
    o.maps = &map;
    o.nmaps = 1;
    lake_session *session;
    ok(lake_session_open(&o, &session, &err));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lake_table *t;
        snprintf(path, sizeof path, "%s/given/%s", base, names[i]);
        ok(lake_table_open(session, path, &t, &err));
        for (size_t k = 0; k < sizeof views / sizeof *views; k++)
            json_decref(view(t, views[k], NULL));
        json_t *files = view(t, "files", NULL), *partitions = view(t, "partitions", NULL), *f;
        int64_t data = 0, records = 0, deletes = 0, in_partitions = 0;
        size_t at;
        json_array_foreach(files, at, f) {
            bool is_data = json_integer_value(json_object_get(f, "content")) == 0;
            data += is_data;
            deletes += !is_data;
            records += is_data ? json_integer_value(json_object_get(f, "record_count")) : 0;
        }
        json_array_foreach(partitions, at, f) in_partitions += json_integer_value(json_object_get(f, "record_count"));
        const lake_json *sum = t->metadata->snapshot->summary;
        cr_assert_eq(data, atoll(lake_json_get(sum, "total-data-files")->text.ptr), "%s", names[i]);
        cr_assert_eq(records, atoll(lake_json_get(sum, "total-records")->text.ptr), "%s", names[i]);
        cr_assert_eq(deletes, atoll(lake_json_get(sum, "total-delete-files")->text.ptr), "%s", names[i]);
        cr_assert_eq(in_partitions, records, "%s", names[i]);
        json_decref(files);
        json_decref(partitions);
        lake_table_close(t);
    }
    lake_session_close(session);
}

static lake_status inspect_once(void *user, lake_error *e) {
    fixture *f = user;
    static const char *const views[] = {
        "history", "manifests", "files", "entries", "partitions", "schema", "spec", "snapshots"};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        lake_rows *rows;
        const lake_str *cells;
        lake_status s = lake_inspect(f->table, views[i], NULL, &rows, e);
        while (s == LAKE_OK && (s = lake_rows_next(rows, &cells, e)) == LAKE_OK && cells)
            ;
        lake_rows_close(rows);
        LAKE_TRY(s);
    }
    return LAKE_OK;
}

Test(inspect, every_failing_allocation_is_clean, .timeout = 120) {
    fixture f;
    init(&f);
    test_every_allocation(inspect_once, &f);
    clear(&f);
}
