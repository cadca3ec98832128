/* Pushed rows: typed arrays against what they hold, partitions, misuse, and every allocation failing. (Arrow arrays:
   tests/interop/ingest.py.) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lake/deletes.h"
#include "lake/ingest.h"
#include "tests/writer/tables.h"

static const int64_t ids[] = {5, -3, 9, 0};
static const int32_t days[] = {20000, 20010, 20020, 20000};
static const uint8_t valid[] = {1, 1, 1, 0};
static const lake_bytes texts[] = {
    {(const uint8_t *)"bb", 2}, {(const uint8_t *)"a", 1}, {(const uint8_t *)"", 0}, {(const uint8_t *)"\xc3\xa9", 2}};
static const lake_array columns[] = {
    {.field_id = 1, .kind = LAKE_ARRAY_INT64, .data = ids},
    {.field_id = 4, .kind = LAKE_ARRAY_INT32, .data = days, .valid = valid},
    {.field_id = 9, .kind = LAKE_ARRAY_BYTES, .data = texts},
};

typedef struct given {
    test_place place;
    lake_table *table;
    lake_manifest_options options;
    char output[160];
} given;

static void start(given *g, const char *partition_by) {
    test_place_init(&g->place);
    g->table = test_create(&g->place, 2, partition_by, NULL, 0);
    g->options = (lake_manifest_options)LAKE_MANIFEST_OPTIONS_INIT;
    g->options.table = g->table;
    snprintf(g->output, sizeof g->output, "%s/m.avro", g->place.dir);
    g->options.output = g->output;
}

static void stop(given *g) {
    lake_table_close(g->table);
    lake_session_close(g->place.session);
}

static lake_status push(
    given *g, const lake_array *arrays, size_t n, size_t rows, const lake_sink *sink, lake_error *err) {
    lake_ingest *ingest = NULL;
    lake_ingest_file *file = NULL;
    lake_ingest_written written = LAKE_INGEST_WRITTEN_INIT;
    written.file_size = 100;
    lake_status s = lake_ingest_open(g->place.session, &g->options, &ingest, err);
    if (s == LAKE_OK)
        s = lake_ingest_file_open(ingest, "s3://b/f.parquet", &file, err);
    if (s == LAKE_OK)
        s = lake_ingest_arrays(file, arrays, n, rows, err);
    if (s == LAKE_OK)
        s = lake_ingest_file_finish(file, &written, sink, err);
    lake_ingest_file_close(file);
    if (s == LAKE_OK)
        s = lake_ingest_write(ingest, sink, err);
    lake_ingest_close(ingest);
    return s;
}

Test(ingest, typed_arrays_are_recorded_as_they_are) {
    given g;
    lake_error err;
    lake_buffer out;
    lake_error_init(&err);
    lake_buffer_init(&out);
    const lake_sink sink = lake_buffer_sink(&out);
    start(&g, NULL);
    cr_assert_eq(push(&g, columns, 3, 4, &sink, &err), LAKE_OK, "%s", err.message);
    lake_buffer_char(&out, 0);
    static const char *const parts[] = {"\"record-count\":4", "\"partition\":{}",
        "{\"id\":1,\"name\":\"id\",\"value-count\":4,\"null-value-count\":0,\"lower-bound-hex\":\"fdffffffffffffff\","
        "\"upper-bound-hex\":\"0900000000000000\"}",
        "{\"id\":4,\"name\":\"d\",\"value-count\":4,\"null-value-count\":1,\"lower-bound-hex\":\"204e0000\",\"upper-"
        "bound-hex\":\"344e0000\"}",
        "{\"id\":9,\"name\":\"s\",\"value-count\":4,\"null-value-count\":0,\"lower-bound-hex\":\"\",\"upper-bound-"
        "hex\":"
        "\"c3a9\"}",
        "\"added_rows_count\":4"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert_not_null(strstr((const char *)out.data, parts[i]), "%s not in %s", parts[i], (const char *)out.data);
    lake_buffer_clear(&out);
    stop(&g);
}

Test(ingest, rows_of_two_partitions_are_refused_with_both_values) {
    given g;
    lake_error err;
    lake_error_init(&err);
    start(&g, "days(d)");
    cr_assert_eq(push(&g, columns, 3, 3, NULL, &err), LAKE_ERR_MALFORMED);
    cr_assert_not_null(strstr(err.message, "2024-10-04"), "%s", err.message);
    cr_assert_not_null(strstr(err.message, "2024-10-24"), "%s", err.message);
    cr_assert_neq(access(g.output, F_OK), 0);
    stop(&g);
}

static const struct {
    lake_array array;
    const char *words;
} wrong[] = {
    {{.field_id = 2, .kind = LAKE_ARRAY_INT64, .data = ids}, "no column"},
    {{.field_id = 1, .kind = LAKE_ARRAY_DOUBLE, .data = ids}, "takes no array of double"},
    {{.field_id = 9, .kind = LAKE_ARRAY_INT64, .data = ids}, "takes no array of int64"},
    {{.field_id = 1, .kind = LAKE_ARRAY_BYTES, .data = texts}, "takes no array of bytes"},
    {{.field_id = 1, .kind = (lake_array_kind)17, .data = texts}, "kind is not known"},
};

Test(ingest, arrays_that_do_not_fit_are_refused_by_name) {
    given g;
    start(&g, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lake_error err;
        lake_error_init(&err);
        cr_assert_eq(push(&g, &wrong[i].array, 1, 2, NULL, &err), LAKE_ERR_USAGE);
        cr_assert_not_null(strstr(err.message, wrong[i].words), "%s", err.message);
    }
    stop(&g);
}

Test(ingest, columns_come_with_all_rows_or_never) {
    given g;
    lake_error err;
    lake_error_init(&err);
    lake_ingest *ingest;
    lake_ingest_file *file;
    lake_ingest_written written = LAKE_INGEST_WRITTEN_INIT;
    start(&g, NULL);
    cr_assert_eq(lake_ingest_open(g.place.session, &g.options, &ingest, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(lake_ingest_write(ingest, NULL, &err), LAKE_ERR_USAGE);
    cr_assert_eq(lake_ingest_file_open(ingest, "s3://b/f.parquet", &file, &err), LAKE_OK);
    cr_assert_eq(lake_ingest_arrays(file, columns, 1, 4, &err), LAKE_OK);
    cr_assert_eq(lake_ingest_file_finish(file, &written, NULL, &err), LAKE_ERR_USAGE, "a file without bytes");
    cr_assert_eq(lake_ingest_arrays(file, columns, 2, 4, &err), LAKE_ERR_USAGE);
    cr_assert_not_null(strstr(err.message, "earlier batches"), "%s", err.message);
    written.file_size = 5;
    cr_assert_eq(lake_ingest_file_finish(file, &written, NULL, &err), LAKE_ERR_USAGE, "after a batch that failed");
    lake_ingest_file_close(file);
    lake_ingest_close(ingest);
    stop(&g);
}

static lake_status push_again(void *user, lake_error *err) {
    given *g = user;
    lake_buffer out;
    lake_buffer_init(&out);
    const lake_sink sink = lake_buffer_sink(&out);
    lake_status s = push(g, columns, 3, 1, &sink, err);
    lake_buffer_clear(&out);
    cr_assert(s == LAKE_OK || access(g->output, F_OK) != 0, "a manifest is left behind");
    return s;
}

Test(ingest, every_failing_allocation_ends_cleanly) {
    given g;
    start(&g, "bucket(4, id), days(d)");
    g.options.ndv_columns = "all";
    test_every_allocation(push_again, &g);
    stop(&g);
}

static lake_status write_vectors(void *user, lake_error *err) {
    given *g = user;
    static const int64_t rows[] = {7, 3, 3, 70000, 1ll << 40};
    const lake_deletion_vector vectors[] = {{"a", rows, 5}, {"b", rows, 2}};
    lake_buffer out;
    lake_buffer_init(&out);
    const lake_sink sink = lake_buffer_sink(&out);
    lake_status s = lake_deletion_vectors_write(g->place.session, g->output, vectors, 2, &sink, err);
    lake_buffer_clear(&out);
    cr_assert(s == LAKE_OK || access(g->output, F_OK) != 0, "a file is left behind");
    return s;
}

Test(ingest, every_failing_allocation_of_deletion_vectors_ends_cleanly) {
    given g;
    start(&g, NULL);
    test_every_allocation(write_vectors, &g);
    stop(&g);
}

static lake_status collect(void *user, const uint64_t *positions, size_t n, lake_error *err) {
    lake_buffer_put(user, positions, n * sizeof *positions);
    return LAKE_OK;
}

Test(ingest, deletion_vectors_are_read_back_where_they_lie) {
    given g;
    lake_error err;
    lake_buffer out, got;
    lake_error_init(&err);
    lake_buffer_init(&out);
    lake_buffer_init(&got);
    start(&g, NULL);
    const int64_t rows[] = {9, 3, 9, 70000, 1ll << 40}, sorted[] = {3, 9, 70000, 1ll << 40};
    const lake_deletion_vector vectors[] = {{"a", rows, 1}, {"b", rows, 5}}, twice[] = {{"a", rows, 1}, {"a", rows, 1}};
    const int64_t negative[] = {-1};
    const lake_deletion_vector bad[] = {{"a", rows, 0}, {"", rows, 1}, {"a", negative, 1}};
    const lake_sink sink = lake_buffer_sink(&out);
    cr_assert_eq(
        lake_deletion_vectors_write(g.place.session, g.output, vectors, 2, &sink, &err), LAKE_OK, "%s", err.message);
    lake_buffer_char(&out, 0);
    const char *second = strchr((const char *)out.data, '\n') + 1;
    int64_t offset = atoll(strstr(second, "content-offset\":") + 16), size = atoll(strstr(second, "in-bytes\":") + 10);
    cr_assert_eq(lake_deletion_vector_positions(g.place.session, g.output, offset, size, collect, &got, &err), LAKE_OK,
        "%s", err.message);
    cr_assert(got.len == sizeof sorted && memcmp(got.data, sorted, sizeof sorted) == 0);
    cr_assert_eq(lake_deletion_vector_positions(g.place.session, g.output, offset + 1, size, collect, &got, &err),
        LAKE_ERR_MALFORMED);
    cr_assert_eq(lake_deletion_vector_positions(g.place.session, g.output, offset, 1 << 20, collect, &got, &err),
        LAKE_ERR_MALFORMED);
    cr_assert_eq(lake_deletion_vectors_write(g.place.session, g.output, vectors, 2, NULL, &err), LAKE_ERR_EXISTS);
    cr_assert_eq(lake_deletion_vectors_write(g.place.session, "x", twice, 2, NULL, &err), LAKE_ERR_USAGE);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(lake_deletion_vectors_write(g.place.session, "x", &bad[i], 1, NULL, &err), LAKE_ERR_USAGE);
    cr_assert_eq(lake_deletion_vectors_write(g.place.session, "x", NULL, 0, NULL, &err), LAKE_ERR_USAGE);
    lake_buffer_clear(&out);
    lake_buffer_clear(&got);
    stop(&g);
}
