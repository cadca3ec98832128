/* manifest/list.c: manifest lists (spec.md, "Manifest Lists"; cases I3, I4, I5, I8), and v1 tables that have none. The
   files were made by fastavro (tests/golden/avro/make_golden.py) or are written by hand. */
#include <stdio.h>
#include <unistd.h>

#include "manifest/manifest.h"
#include "tests/avro_bytes.h"

static lake_arena arena;
static lake_error err;
static lake_store store = {.max_file = 1u << 30};
static lake_manifest_file *lines;
static size_t n;

static void setup(void) {
    lake_arena_init(&arena, 0);
    lake_error_init(&err);
}
static void teardown(void) {
    lake_arena_clear(&arena);
}
TestSuite(list, .init = setup, .fini = teardown);

static lake_status read_golden(const char *name) {
    char full[512];
    snprintf(full, sizeof full, "%s/tests/golden/avro/%s", LAKE_SOURCE_ROOT, name);
    return lake_manifest_list_read(&store, &arena, lake_str_of(full), &lines, &n, &err);
}
#define COUNTS                                                                                                         \
    (unsigned)(LAKE_HAS_ADDED_FILES | LAKE_HAS_EXISTING_FILES | LAKE_HAS_DELETED_FILES | LAKE_HAS_ADDED_ROWS |         \
        LAKE_HAS_EXISTING_ROWS | LAKE_HAS_DELETED_ROWS)

Test(list, every_field) {
    cr_assert_eq(read_golden("list_v3.avro"), LAKE_OK, "%s", err.message);
    cr_assert_eq(n, 2);
    const lake_manifest_file *a = &lines[0], *b = &lines[1];
    cr_expect(lake_str_is(a->path, "s3://bucket/table/metadata/m0.avro"));
    cr_expect_eq(a->length, 7000);
    cr_expect_eq(a->spec_id, 0);
    cr_expect_eq(a->content, 0);
    cr_expect_eq(a->sequence_number, 5);
    cr_expect_eq(a->min_sequence_number, 3);
    cr_expect_eq(a->added_snapshot_id, 42);
    cr_expect_eq(a->added_files, 3);
    cr_expect_eq(a->existing_files, 0);
    cr_expect_eq(a->deleted_files, 1);
    cr_expect_eq(a->added_rows, 60);
    cr_expect_eq(a->existing_rows, 0);
    cr_expect_eq(a->deleted_rows, 7);
    cr_expect_eq(a->first_row_id, 1000);
    cr_expect_str_eq(test_to_hex(&arena, a->key_metadata), "0001");
    cr_assert_eq(a->npartitions, 1);
    cr_expect(a->partitions[0].contains_null);
    cr_expect_eq(a->partitions[0].contains_nan, 0);
    cr_expect(a->partitions[0].lower.ptr && a->partitions[0].lower.len == 0);
    cr_expect_str_eq(test_to_hex(&arena, a->partitions[0].upper), "78");
    cr_expect_eq(
        a->has, COUNTS | LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_SEQUENCE_NUMBER | LAKE_HAS_PARTITIONS | LAKE_HAS_FIRST_ROW_ID);

    cr_expect_eq(b->content, 1);
    cr_expect_eq(b->spec_id, 7);
    cr_expect_eq(b->length, INT64_C(1) << 33);
    cr_expect_eq(b->added_snapshot_id, INT64_MIN);
    cr_expect_eq(b->existing_rows, INT64_C(1) << 40);
    cr_expect_not(b->partitions[0].contains_null);
    cr_expect_eq(b->partitions[0].contains_nan, -1);
    cr_expect_null(b->partitions[0].lower.ptr);
    cr_expect_null(b->partitions[0].upper.ptr);
    cr_expect_null(b->key_metadata.ptr);
    cr_expect_eq(b->has, COUNTS | LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_SEQUENCE_NUMBER | LAKE_HAS_PARTITIONS);
}

Test(list, I3_I4_I5_v1_with_old_names_and_without_counts) {
    cr_assert_eq(read_golden("list_v1_old_names.avro"), LAKE_OK, "%s", err.message);
    cr_assert_eq(n, 2);
    cr_expect_eq(lines[0].added_files, 3);
    cr_expect_eq(lines[0].has & COUNTS, COUNTS);
    cr_expect_eq(lines[0].content, 0);
    cr_expect_eq(lines[0].sequence_number, 0);
    cr_expect_eq(lines[0].min_sequence_number, 0);
    cr_expect_eq(lines[1].has, (unsigned)LAKE_HAS_SNAPSHOT_ID, "null counts are unknown, not 0");
    cr_expect_eq(lines[1].npartitions, 0);
}

Test(list, I8_without_blocks_it_is_empty) {
    cr_assert_eq(read_golden("list_empty.avro"), LAKE_OK, "%s", err.message);
    cr_expect_eq(n, 0);
}

Test(list, a_v1_manifest_speaks_for_itself) {
    lake_manifest_file line;
    lake_str name = lake_str_of(LAKE_SOURCE_ROOT "/tests/golden/avro/manifest_v1.avro");
    cr_assert_eq(lake_manifest_file_from_header(&store, &arena, name, &line, &err), LAKE_OK, "%s", err.message);
    cr_expect(lake_str_eq(line.path, name));
    cr_expect_eq(line.length, (int64_t)test_file(&arena, "tests/golden/avro/manifest_v1.avro").len);
    cr_expect_eq(line.spec_id, 0);
    cr_expect_eq(line.content, 0);
    cr_expect_eq(line.has, 0);
    cr_expect_eq(
        lake_manifest_file_from_header(&store, &arena, LAKE_STR("/nowhere/m.avro"), &line, &err), LAKE_ERR_NOT_FOUND);
    cr_expect(strstr(err.message, "/nowhere/m.avro"), "%s", err.message);
}

#define F(id, name, type) "{\"name\":\"" name "\",\"field-id\":" #id ",\"type\":" type "}"
#define LIST(fields) "{\"type\":\"record\",\"name\":\"manifest_file\",\"fields\":[" fields "]}"
#define PATH F(500, "p", "\"string\"")

/* Old names without ids. */
Test(list, I5_old_names_count_where_there_are_no_ids) {
    static const char schema[] = "{\"type\":\"record\",\"name\":\"manifest_file\",\"fields\":["
                                 "{\"name\":\"manifest_path\",\"type\":\"string\"},"
                                 "{\"name\":\"added_data_files_count\",\"type\":[\"null\",\"int\"]},"
                                 "{\"name\":\"existing_files_count\",\"type\":[\"null\",\"int\"]},"
                                 "{\"name\":\"partition_spec_id\",\"type\":\"int\"}]}";
    lake_buffer file, objects;
    char path[] = "/tmp/test_list_XXXXXX";
    close(mkstemp(path));
    lake_buffer_init(&file);
    lake_buffer_init(&objects);
    hand_hex(&objects, "02 70 02 06 02 08 04");
    hand_header(&file, schema, NULL);
    hand_block(&file, 1, &objects);
    FILE *f = fopen(path, "wb");
    fwrite(file.data, 1, file.len, f);
    fclose(f);
    cr_assert_eq(
        lake_manifest_list_read(&store, &arena, lake_str_of(path), &lines, &n, &err), LAKE_OK, "%s", err.message);
    cr_expect_eq(lines[0].has, (unsigned)(LAKE_HAS_ADDED_FILES | LAKE_HAS_EXISTING_FILES));
    cr_expect_eq(lines[0].added_files, 3);
    cr_expect_eq(lines[0].existing_files, 4);
    cr_expect_eq(lines[0].spec_id, 2);
    unlink(path);
    lake_buffer_clear(&file);
    lake_buffer_clear(&objects);
}

/* What is wrong, and where, is said; what other writers leave out is not wrong. */
Test(list, by_hand) {
    static const struct {
        const char *schema, *hex;
        int64_t count;
        lake_status status;
        const char *say;
    } rows[] = {
        {LIST(PATH "," F(502, "s", "\"int\"")), "02 70 04", 1, LAKE_OK, ""},
        {LIST(F(502, "s", "[\"int\",\"null\"]") "," F(500, "p", "[\"string\"]")), "00 04 00 02 70", 1, LAKE_OK, ""},
        {LIST(PATH), "02 70", 1, LAKE_ERR_MALFORMED, "lacks the required field 502 partition_spec_id"},
        {LIST(F(500, "p", "[\"null\",\"string\"]") "," F(502, "s", "\"int\"")), "00 04", 1, LAKE_ERR_MALFORMED,
            "line 0: field 500 manifest_path: null"},
        {LIST(PATH "," F(502, "s", "\"int\"")), "02 70 04 08 70", 2, LAKE_ERR_MALFORMED,
            "line 1: field 500 manifest_path: torn"},
        {LIST(PATH "," F(502, "s", "\"int\"")), "02 70 04 02 70 04", 1, LAKE_ERR_MALFORMED, "3 bytes are left"},
        {LIST(PATH "," F(502, "s", "\"long\"")), "02 70 80 80 80 80 20", 1, LAKE_ERR_MALFORMED, "out of range"},
        {LIST(PATH "," F(502, "s", "\"int\"") "," F(517, "c", "\"int\"")), "02 70 04 04", 1, LAKE_ERR_UNSUPPORTED,
            "content is 2"},
        {LIST(PATH "," F(502, "s", "\"int\"") "," F(507, "f", "{\"type\":\"array\",\"items\":\"int\"}")), "02 70 04 00",
            1, LAKE_ERR_MALFORMED, "507 partitions"},
        {LIST(PATH "," F(502, "s", "\"int\"") "," F(507, "f",
             "{\"type\":\"array\",\"items\":[\"null\",{\"type\":\"record\",\"name\":\"r508\",\"fields\":[" F(
                 509, "n", "\"boolean\"") "]}]}")),
            "02 70 04 04 02 01 00 00", 1, LAKE_OK, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[] = "/tmp/test_list_XXXXXX";
        close(mkstemp(path));
        lake_buffer file, objects;
        lake_buffer_init(&file);
        lake_buffer_init(&objects);
        hand_hex(&objects, rows[i].hex);
        hand_header(&file, rows[i].schema, NULL);
        hand_block(&file, rows[i].count, &objects);
        FILE *f = fopen(path, "wb");
        fwrite(file.data, 1, file.len, f);
        fclose(f);
        lake_error_init(&err);
        cr_expect_eq(lake_manifest_list_read(&store, &arena, lake_str_of(path), &lines, &n, &err), rows[i].status,
            "%zu: %s", i, err.message);
        if (rows[i].status == LAKE_OK) {
            cr_expect(n == 1 && lake_str_is(lines[0].path, "p") && lines[0].spec_id == 2);
            cr_expect(i < 5 || (lines[0].npartitions == 2 && lines[0].partitions[0].contains_null));
        } else {
            cr_expect(strstr(err.message, rows[i].say) && strstr(err.message, path), "%zu: %s", i, err.message);
        }
        unlink(path);
        lake_buffer_clear(&file);
        lake_buffer_clear(&objects);
    }
}
