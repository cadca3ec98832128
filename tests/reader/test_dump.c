/* reader/dump.c: every kind of metadata file as JSON. */
#include <stdio.h>
#include <unistd.h>

#include "reader/table.h"
#include "tests/avro_bytes.h"
#include "wire/codec.h"

static lake_arena arena;
static lake_error err;
static lake_buffer text;
static char path[64];
static lake_session session = {.store = {.max_file = 1u << 30}};

static void setup(void) {
    lake_arena_init(&arena, 0);
    lake_error_init(&err);
    lake_buffer_init(&text);
    strcpy(path, "/tmp/test_dump_XXXXXX");
    close(mkstemp(path));
}
static void teardown(void) {
    lake_arena_clear(&arena);
    lake_buffer_clear(&text);
    unlink(path);
}
TestSuite(dump, .init = setup, .fini = teardown);

static lake_status dump_path(const char *name, int indent) {
    lake_sink sink = lake_buffer_sink(&text);
    lake_buffer_reset(&text);
    lake_error_init(&err);
    return lake_dump(&session, name, indent, &sink, &err);
}
static lake_status dump_golden(const char *name, int indent) {
    char full[512];
    snprintf(full, sizeof full, "%s/tests/golden/avro/%s", LAKE_SOURCE_ROOT, name);
    return dump_path(full, indent);
}
static lake_status dump_bytes(const void *data, size_t n) {
    FILE *f = fopen(path, "wb");
    cr_assert_eq(fwrite(data, 1, n, f), n);
    fclose(f);
    return dump_path(path, 0);
}
static const lake_json *parsed(void) {
    lake_json *json = NULL;
    cr_assert_eq(lake_json_parse(&arena, lake_arena_str(&arena, (char *)text.data, text.len), NULL, &json, &err),
        LAKE_OK, "%s", err.message);
    return json;
}
static const lake_json *at(const lake_json *v, const char *name) {
    v = lake_json_get(v, name);
    cr_assert_not_null(v, "no member %s", name);
    return v;
}
static bool is(const lake_json *v, const char *text_of) {
    return lake_str_is(v->text, text_of);
}

Test(dump, a_manifest_is_header_and_entries) {
    cr_assert_eq(dump_golden("manifest_v2.avro", 0), LAKE_OK, "%s", err.message);
    const lake_json *j = parsed(), *header = at(j, "header"), *entries = at(j, "entries");
    cr_expect(is(at(header, "format-version"), "2"));
    cr_expect(is(at(header, "content"), "data"));
    cr_expect(is(at(header, "avro.codec"), "deflate"));
    cr_expect(is(at(at(header, "schema"), "type"), "struct"));
    cr_expect_eq(at(header, "partition-spec")->kind, LAKE_JSON_ARRAY);
    cr_assert_eq(entries->count, 3);
    const lake_json *file = at(entries->items[2], "data_file");
    cr_expect(is(at(file, "file_path"), "s3://bucket/table/data/00002.parquet"));
    cr_expect(is(at(at(file, "partition"), "s"), ""));
    cr_expect_eq(at(at(entries->items[1], "data_file"), "partition")->members[0].value->kind, LAKE_JSON_NULL);
    const lake_json *lower = at(file, "lower_bounds");
    cr_expect(is(at(lower->items[0], "key"), "1"));
    cr_expect(is(at(lower->items[0], "value"), "0200000000000000"));
    cr_expect(is(at(lower->items[1], "value"), ""));
    cr_expect(is(at(file, "split_offsets")->items[1], "8589934592"));
}

Test(dump, known_fields_have_the_names_of_the_spec) {
    cr_assert_eq(dump_golden("list_v1_old_names.avro", 0), LAKE_OK, "%s", err.message);
    const lake_json *entries = at(parsed(), "entries");
    cr_expect(is(at(entries->items[0], "added_files_count"), "3"));
    cr_expect_eq(at(entries->items[1], "added_files_count")->kind, LAKE_JSON_NULL);
    cr_expect_null(lake_json_get(entries->items[0], "added_data_files_count"));
    cr_expect(is(at(at(entries->items[0], "partitions")->items[0], "upper_bound"), "78"));
}

/* Laid out as the printer of trees does it. */
Test(dump, the_layout_is_that_of_the_json_printer) {
    static const char *const names[] = {
        "manifest_v3_one_each.avro", "list_v3.avro", "list_empty.avro", "footer_plain.puffin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lake_buffer want;
        lake_buffer_init(&want);
        cr_assert_eq(dump_golden(names[i], 0), LAKE_OK, "%s", err.message);
        cr_expect_eq(text.data[text.len - 1], '\n');
        lake_json_print(&want, parsed(), 2);
        cr_assert_eq(dump_golden(names[i], 2), LAKE_OK, "%s", err.message);
        cr_expect(text.len == want.len + 1 && memcmp(text.data, want.data, want.len) == 0, "%s", names[i]);
        lake_buffer_clear(&want);
    }
}

Test(dump, metadata_json_plain_and_gzip) {
    static const char json[] = "{\"format-version\": 2, \"odd\": 1.10, \"big\": 123456789012345678901234567890}\n";
    static const char want[] = "{\"format-version\":2,\"odd\":1.10,\"big\":123456789012345678901234567890}\n";
    cr_assert_eq(dump_bytes(json, sizeof json - 1), LAKE_OK, "%s", err.message);
    cr_expect(lake_str_is(lake_buffer_view(&text), want));
    lake_buffer packed;
    lake_buffer_init(&packed);
    lake_codec_scratch *scratch = lake_codec_scratch_new();
    cr_assert_eq(lake_codec_encode(
                     scratch, LAKE_CODEC_GZIP, -1, (lake_bytes){(const uint8_t *)json, sizeof json - 1}, &packed, &err),
        LAKE_OK, "%s", err.message);
    cr_assert_eq(dump_bytes(packed.data, packed.len), LAKE_OK, "%s", err.message);
    cr_expect(lake_str_is(lake_buffer_view(&text), want));
    cr_expect_neq(dump_bytes(packed.data, packed.len - 9), LAKE_OK);
    cr_expect(strstr(err.message, path), "%s", err.message);
    lake_codec_scratch_free(scratch);
    lake_buffer_clear(&packed);
}

Test(dump, puffin_footers) {
    static const char *const names[] = {"footer_plain.puffin", "footer_lz4.puffin"};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(dump_golden(names[i], 0), LAKE_OK, "%s", err.message);
        const lake_json *j = parsed(), *blob = at(j, "blobs")->items[0];
        cr_expect(is(at(blob, "type"), "deletion-vector-v1"));
        cr_expect(is(at(at(blob, "properties"), "cardinality"), "3"));
        cr_expect(is(at(at(j, "properties"), "created-by"), "a test"));
        char name[64];
        snprintf(name, sizeof name, "tests/golden/avro/%s", names[i]);
        lake_bytes file = test_file(&arena, name);
        for (size_t cut = 0; cut < file.len; cut++) {
            cr_expect_neq(dump_bytes(file.ptr, cut), LAKE_OK, "%s cut at %zu", names[i], cut);
            cr_expect(err.message[0]);
        }
    }
}

/* A footer by hand, from parquet.thrift and the compact protocol: one optional int64 "a" with field id 7, one row group
   with one chunk (SNAPPY, 10 values, null_count 2, min_value 05, max_value 09). */
Test(dump, parquet_footers) {
    static const char want[] =
        "{\"version\":1,\"schema\":{\"name\":\"root\",\"children\":[{\"name\":\"a\",\"repetition_type\":\"OPTIONAL\","
        "\"type\":\"INT64\",\"field_id\":7}]},\"num_rows\":10,\"row_groups\":[{\"num_rows\":10,\"total_byte_size\":99,"
        "\"columns\":[{\"path_in_schema\":\"a\",\"codec\":\"SNAPPY\",\"num_values\":10,\"total_uncompressed_size\":80,"
        "\"total_compressed_size\":60,\"data_page_offset\":4,\"statistics\":{\"min_value\":\"0500000000000000\","
        "\"max_value\":\"0900000000000000\",\"null_count\":2}}]}],\"key_value_metadata\":[{\"key\":\"k\",\"value\":"
        "\"v\"},"
        "{\"key\":\"k\"}],\"created_by\":\"x\"}\n";
    lake_buffer file;
    lake_buffer_init(&file);
    lake_buffer_puts(&file, "PAR1");
    hand_hex(&file,
        "15 02 19 2c 48 04 726f6f74 15 02 00 15 04 25 02 18 01 61 55 0e 00 16 14" /* version, schema, num_rows */
        "19 1c 19 1c 26 08 1c" /* row_groups, columns, file_offset, meta_data */
        "15 04 19 15 00 19 18 01 61 15 02 16 14 16 a0 01 16 78 26 08" /* type … total sizes, data_page_offset */
        "3c 36 04 28 08 0900000000000000 18 08 0500000000000000 00 00 00" /* statistics */
        "16 c6 01 16 14 00" /* total_byte_size, num_rows */
        "19 2c 18 01 6b 18 01 76 00 18 01 6b 00 18 01 78 00"); /* pairs, created_by */
    uint32_t n = (uint32_t)file.len - 4;
    lake_buffer_put(&file, &n, 4);
    lake_buffer_puts(&file, "PAR1");
    cr_assert_eq(dump_bytes(file.data, file.len), LAKE_OK, "%s", err.message);
    cr_expect(lake_str_is(lake_buffer_view(&text), want), "%.*s", (int)text.len, text.data);
    for (size_t cut = 0; cut < file.len; cut++) {
        cr_expect_neq(dump_bytes(file.data, cut), LAKE_OK, "cut at %zu", cut);
        cr_expect(strstr(err.message, path), "cut at %zu: %s", cut, err.message);
    }
    lake_buffer_clear(&file);
}

Test(dump, avro_files_of_any_schema) {
    lake_buffer file, objects;
    lake_buffer_init(&file);
    lake_buffer_init(&objects);
    hand_hex(&objects, "02 02 61 14 02 61 28 00"); /* a map with the same key twice */
    hand_header(&file,
        "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"x\",\"type\":\"int\",\"field-id\":500},"
        "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":\"int\"}}]}",
        NULL);
    lake_buffer_reset(&objects);
    hand_hex(&objects, "02 04 02 61 14 02 61 28 00");
    hand_block(&file, 1, &objects);
    cr_assert_eq(dump_bytes(file.data, file.len), LAKE_OK, "%s", err.message);
    cr_expect(strstr((char *)text.data, "\"entries\":[{\"manifest_path\":1,\"m\":{\"a\":10,\"a\":20}}]}"), "%.*s",
        (int)text.len, text.data);
    lake_buffer_clear(&file);
    lake_buffer_clear(&objects);
}

Test(dump, what_it_cannot_read_is_named) {
    static const struct {
        const char *bytes, *say;
        size_t n;
    } rows[] = {
        {"", "empty", 0}, {"hello", "", 5}, {"PAR1PAR1", "", 8}, {"PFA1PFA1", "no footer", 8}, {"Obj\1", "header", 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(dump_bytes(rows[i].bytes, rows[i].n), LAKE_ERR_MALFORMED, "%s", rows[i].bytes);
        cr_expect(strstr(err.message, path) && strstr(err.message, rows[i].say), "%s", err.message);
    }
    cr_expect_eq(dump_path("/nowhere/at/all", 0), LAKE_ERR_NOT_FOUND);
}

static lake_status dump_body(void *user, lake_error *e) {
    lake_buffer out;
    lake_buffer_init(&out);
    lake_sink sink = lake_buffer_sink(&out);
    lake_status s = lake_dump(&session, user, 2, &sink, e);
    if (s == LAKE_OK)
        s = lake_buffer_check(&out, e);
    lake_buffer_clear(&out);
    return s;
}
Test(dump, every_failing_allocation_ends_cleanly) {
    test_every_allocation(dump_body, (void *)LAKE_SOURCE_ROOT "/tests/golden/avro/manifest_v2.avro");
    test_every_allocation(dump_body, (void *)LAKE_SOURCE_ROOT "/tests/golden/avro/list_v3.avro");
    test_every_allocation(dump_body, (void *)LAKE_SOURCE_ROOT "/tests/golden/avro/footer_plain.puffin");
}
