/* manifest/: entries through every legal writer schema (spec.md, "Manifests", Appendix A; cases H6, H9, I3 to I12). The
   bytes are written by hand, or by fastavro (tests/golden/avro/make_golden.py). */
#include <stdio.h>
#include <unistd.h>

#include "manifest/manifest.h"
#include "tests/avro_bytes.h"

static lake_arena arena;
static lake_error err;
static lake_buffer file;
static char path[64];
static lake_store store = {.max_file = 1u << 30};
static lake_manifest_reader *reader;

static void setup(void) {
    lake_arena_init(&arena, 0);
    lake_error_init(&err);
    lake_buffer_init(&file);
    strcpy(path, "/tmp/test_decode_XXXXXX");
    close(mkstemp(path));
}
static void teardown(void) {
    lake_manifest_close(reader);
    reader = NULL;
    lake_arena_clear(&arena);
    lake_buffer_clear(&file);
    unlink(path);
}
TestSuite(decode, .init = setup, .fini = teardown);

static const lake_manifest_want everything = {.all_columns = true, .rest = true};

static void save(void) {
    FILE *f = fopen(path, "wb");
    cr_assert_eq(fwrite(file.data, 1, file.len, f), file.len);
    fclose(f);
}
static lake_status open_file(const char *name, const lake_manifest_file *line, const lake_manifest_want *want) {
    char full[512];
    snprintf(full, sizeof full, "%s%s", name[0] == '/' ? "" : LAKE_SOURCE_ROOT "/tests/golden/avro/", name);
    lake_manifest_close(reader);
    reader = NULL;
    lake_error_init(&err);
    return lake_manifest_open(&store, lake_str_of(full), line, NULL, want, NULL, &reader, &err);
}

/* One block of `count` entries under a schema; header pairs may be NULL: those of a v2 data manifest. */
static const char *const v2[] = {"format-version", "2", "content", "data", NULL};
static lake_status open_hand(const char *schema, const char *const *pairs, int64_t count, const char *hex,
    const lake_manifest_file *line, const lake_manifest_want *want) {
    lake_buffer objects;
    lake_buffer_init(&objects);
    hand_hex(&objects, hex);
    lake_buffer_reset(&file);
    hand_header(&file, schema, pairs ? pairs : v2);
    hand_block(&file, count, &objects);
    lake_buffer_clear(&objects);
    save();
    return open_file(path, line, want);
}
static const lake_entry *next(void) {
    const lake_entry *e = NULL;
    cr_assert_eq(lake_manifest_next(reader, &e, &err), LAKE_OK, "%s", err.message);
    return e;
}

#define REC(name, fields) "{\"type\":\"record\",\"name\":\"" name "\",\"fields\":[" fields "]}"
#define F(id, name, type) "{\"name\":\"" name "\",\"field-id\":" #id ",\"type\":" type "}"
#define N(name, type) "{\"name\":\"" name "\",\"type\":" type "}"
#define OPT(type) "[\"null\"," type "]"
#define OPT2(type) "[" type ",\"null\"]"
#define PATH F(100, "file_path", "\"string\"") "," F(101, "file_format", "\"string\"")
#define PART F(102, "partition", REC("r102", ""))
#define ENTRY(rest)                                                                                                    \
    REC("manifest_entry", F(0, "status", "\"int\"") "," F(2, "data_file", REC("r2", PATH "," PART rest)))
/* status 1, path "p", format "F" */
#define HEAD "02 02 70 02 46 "
#define KV(k, v, name, type)                                                                                           \
    "{\"type\":\"array\",\"items\":" REC(name, F(k, "key", "\"int\"") "," F(v, "value", type)) "}"

static const lake_column_metrics *column(const lake_entry *e, int32_t id) {
    for (size_t i = 0; i < e->ncolumns; i++)
        if (e->columns[i].id == id)
            return &e->columns[i];
    cr_assert_fail("no column %d", id);
    return NULL;
}
#define BYTES_ARE(b, hex) cr_expect_str_eq(test_to_hex(&arena, b), hex)

/* ---- files of another writer */
static void check_golden(const lake_entry *e, int i, bool row_ids) {
    char name[64];
    snprintf(name, sizeof name, "s3://bucket/table/data/%05d.parquet", i);
    cr_expect(lake_str_is(e->file_path, name));
    cr_expect(lake_str_is(e->file_format, "PARQUET"));
    cr_expect_eq(e->status, LAKE_ENTRY_ADDED);
    cr_expect_eq(e->content, LAKE_CONTENT_DATA);
    cr_expect_eq(e->record_count, 10 * (i + 1));
    cr_expect_eq(e->file_size, 1000 + i);
    cr_assert_eq(e->npartition, 1);
    cr_expect_eq(e->partition[0].kind, i == 1 ? LAKE_DATUM_NULL : LAKE_DATUM_BYTES);
    if (i != 1)
        BYTES_ARE(e->partition[0].b, i == 0 ? "78" : "");
    cr_assert_eq(e->ncolumns, 2);
    const lake_column_metrics *a = column(e, 1), *s = column(e, 2);
    cr_expect_eq(a->has, (unsigned)(LAKE_METRIC_SIZE | LAKE_METRIC_VALUES | LAKE_METRIC_NULLS));
    cr_expect_eq(a->size, 100 + i);
    cr_expect_eq(s->values, 10 * (i + 1));
    cr_expect_eq(s->nulls, i);
    cr_expect_eq(a->lower.ptr[0], i);
    cr_expect_eq(a->upper.len, 8);
    cr_expect(s->lower.ptr && s->lower.len == 0, "the empty string is a bound");
    BYTES_ARE(s->upper, "7a7a");
    cr_assert_eq(e->nsplit_offsets, 2);
    cr_expect_eq(e->split_offsets[1], INT64_C(1) << 33);
    cr_expect_null(e->key_metadata.ptr);
    cr_expect_null(e->referenced_data_file.ptr);
    cr_expect_eq(e->has & LAKE_HAS_SORT_ORDER_ID, (unsigned)LAKE_HAS_SORT_ORDER_ID);
    cr_expect_eq(!!(e->has & LAKE_HAS_FIRST_ROW_ID), row_ids);
}

Test(decode, manifests_of_each_version_and_I12_one_block_an_entry) {
    static const char *const names[] = {
        "manifest_v1.avro", "manifest_v2.avro", "manifest_v2_null_codec.avro", "manifest_v3_one_each.avro"};
    static const int32_t versions[] = {1, 2, 2, 3};
    lake_manifest_file line = {.has = LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_FIRST_ROW_ID,
        .sequence_number = 9,
        .added_snapshot_id = 77,
        .first_row_id = 500};
    for (int k = 0; k < 4; k++) {
        cr_assert_eq(open_file(names[k], &line, &everything), LAKE_OK, "%s", err.message);
        const lake_manifest_header *h = lake_manifest_header_of(reader);
        cr_expect_eq(h->format_version, versions[k]);
        cr_expect_eq(h->content, 0);
        cr_expect_eq(h->spec->nfields, 1);
        cr_expect_eq(h->spec->fields[0].id, 1000);
        cr_expect_not_null(lake_json_get(h->schema, "fields"));
        int64_t row = 500;
        for (int i = 0; i < 3; i++) {
            const lake_entry *e = next();
            cr_assert_not_null(e);
            check_golden(e, i, true);
            cr_expect_eq(e->snapshot_id, k == 0 ? 42 : 77);
            cr_expect_eq(e->sequence_number, k == 0 ? 0 : 9, "I3: v1 has none, that is 0");
            cr_expect_eq(e->file_sequence_number, k == 0 ? 0 : 9);
            cr_expect_eq(e->first_row_id, row);
            row += e->record_count;
        }
        cr_expect_null(next());
        cr_expect_null(next());
    }
}

/* ---- oddities that a schema may have */
Test(decode, I5_fields_are_matched_by_id_in_any_order_and_under_any_name) {
    cr_assert_eq(
        open_hand(
            REC("x",
                F(2, "y",
                    REC("z",
                        F(104, "a", "\"int\"") "," F(103, "file_size_in_bytes", "\"long\"") "," F(102, "b",
                            REC("q", F(1001, "status", "\"int\"") "," F(1000, "c", OPT2("\"string\"")))) "," F(101,
                            "file_path", "\"string\"") "," F(100, "file_format", "\"bytes\"") "," F(134, "d",
                            "\"long\""))) "," F(0, "snapshot_id", "\"long\"")),
            (const char *[]){"format-version", "2", "partition-spec",
                "[{\"name\":\"s\",\"transform\":\"identity\",\"source-id\":2,\"field-id\":1000},"
                "{\"name\":\"i\",\"transform\":\"identity\",\"source-id\":1,\"field-id\":1001},"
                "{\"name\":\"gone\",\"transform\":\"void\",\"source-id\":3,\"field-id\":1002}]",
                NULL},
            1, "0e 10 0a 00 02 73 02 46 02 70 04 04", NULL, &everything),
        LAKE_OK, "%s", err.message);
    const lake_entry *e = next();
    cr_expect_eq(e->file_size, 7);
    cr_expect_eq(e->record_count, 8);
    cr_expect(lake_str_is(e->file_path, "p"));
    cr_expect(lake_str_is(e->file_format, "F"));
    cr_expect_eq(e->status, LAKE_ENTRY_DELETED);
    cr_expect_eq(e->content, LAKE_CONTENT_EQUALITY_DELETES);
    cr_assert_eq(e->npartition, 3); /* in the spec's order; a field that the file lacks is null */
    BYTES_ARE(e->partition[0].b, "73");
    cr_expect_eq(e->partition[1].kind, LAKE_DATUM_INT);
    cr_expect_eq(e->partition[1].i, 5);
    cr_expect_eq(e->partition[2].kind, LAKE_DATUM_NULL);
}

Test(decode, without_ids_the_well_known_names_count) {
    cr_assert_eq(
        open_hand(
            REC("e",
                N("status", "\"int\"") "," N("snapshot_id", OPT("\"long\"")) "," N("data_file",
                    REC("d",
                        N("file_path", "\"string\"") "," N("file_format", "\"string\"") "," N("partition",
                            REC("r", N("_x31st", "\"int\""))) "," N("record_count", "\"long\"") "," N("lower_bounds",
                            "{\"type\":\"array\",\"items\":" REC(
                                "kv", N("key", "\"int\"") "," N("value", "\"bytes\"")) "}")))),
            (const char *[]){"partition-spec",
                "[{\"name\":\"_x31st\",\"transform\":\"identity\",\"source-id\":2,\"field-id\":1000}]", NULL},
            1, "02 02 0a 02 70 02 46 06 14 02 02 02 61 00", NULL, &everything),
        LAKE_OK, "%s", err.message);
    const lake_entry *e = next();
    cr_expect_eq(e->snapshot_id, 5);
    cr_expect_eq(e->partition[0].i, 3);
    cr_expect_eq(e->record_count, 10);
    BYTES_ARE(column(e, 1)->lower, "61");
}

Test(decode, optional_fields_may_be_missing) {
    cr_assert_eq(open_hand(ENTRY(""), NULL, 1, HEAD, NULL, &everything), LAKE_OK, "%s", err.message);
    const lake_entry *e = next();
    cr_expect_eq(e->record_count, -1);
    cr_expect_eq(e->has, 0);
    cr_expect_eq(e->ncolumns, 0);
    cr_expect_eq(e->npartition, 0);
    cr_expect_eq(e->content, LAKE_CONTENT_DATA);
}

Test(decode, unions_of_any_form) {
    cr_assert_eq(
        open_hand(
            ENTRY("," F(103, "record_count", OPT2("\"long\"")) "," F(104, "s", "[\"long\"]") "," F(140, "o",
                "[\"null\",\"string\",\"int\"]") "," F(142, "r", OPT("\"long\"")) "," F(144, "c", OPT2("\"long\""))),
            NULL, 2, HEAD "00 0a 00 0c 04 0e 00 02" HEAD "80 00 0a 80 80 00 0c 00 02 10 00 12", NULL, &everything),
        LAKE_ERR_MALFORMED, "the string branch cannot be a sort order: %s", err.message);
    cr_assert_eq(
        open_hand(
            ENTRY("," F(103, "record_count", OPT2("\"long\"")) "," F(104, "s", "[\"long\"]") "," F(140, "o",
                "[\"null\",\"long\",\"int\"]") "," F(142, "r", OPT("\"long\"")) "," F(144, "c", OPT2("\"long\""))),
            NULL, 2, HEAD "00 0a 00 0c 04 0e 00 02" HEAD "80 00 0a 80 80 00 0c 00 02 10 00 12", NULL, &everything),
        LAKE_OK, "%s", err.message);
    const lake_entry *e = next();
    cr_expect_eq(e->record_count, 5);
    cr_expect_eq(e->file_size, 6);
    cr_expect_eq(e->sort_order_id, 7);
    cr_expect_eq(e->has, (unsigned)LAKE_HAS_SORT_ORDER_ID);
    e = next(); /* branches as long varints; sort order null */
    cr_expect_eq(e->record_count, 5);
    cr_expect_eq(e->file_size, 6);
    cr_expect_eq(e->first_row_id, 8);
    cr_expect_eq(e->content_offset, 9);
    cr_expect_eq(e->has, (unsigned)(LAKE_HAS_FIRST_ROW_ID | LAKE_HAS_CONTENT_OFFSET));
}

Test(decode, unknown_fields_of_every_type_are_skipped) {
    cr_assert_eq(
        open_hand(
            REC("manifest_entry",
                N("u0", "\"null\"") "," N("u1", "\"boolean\"") "," N("u2", "\"int\"") "," N("u3", "\"long\"") "," N(
                    "u4", "\"float\"") "," N("u5", "\"double\"") "," N("u6", "\"bytes\"") "," N("u7",
                    "\"string\"") "," N("u8", "{\"type\":\"fixed\",\"name\":\"fx\",\"size\":3}") "," N("u9",
                    "{\"type\":\"enum\",\"name\":\"en\",\"symbols\":[\"a\"]}") "," N("ua",
                    "{\"type\":\"array\",\"items\":\"double\"}") "," N("ub",
                    "{\"type\":\"map\",\"values\":\"fx\"}") "," N("uc", OPT("\"string\"")) "," N("ud",
                    REC("in", N("a", "\"int\"") "," N("b", REC("in2", N("c", "\"bytes\""))))) "," N("ue",
                    KV(900, 901, "k1", "\"long\"")) "," N("uf", KV(902, 903, "k2", "\"bytes\"")) "," N("ug",
                    "{\"type\":\"array\",\"items\":\"long\"}") "," N("uh", "[\"int\",\"string\",\"in\"]") "," F(0,
                    "status",
                    "\"int\"") "," F(2, "data_file", REC("r2", F(777, "new", OPT("\"in2\"")) "," PATH "," PART))),
            NULL, 1,
            "01 80 01 ff 7f 00000000 0000000000000000 04 aabb 02 61 010203 00 02 1111111111111111 00 02 02 6b 010203 00"
            " 02 02 62 0a 02 ff 04 02 04 06 08 00 03 0a 02 02 71 04 00 00 01 02 0e 00 04 02 00 02 02 00 02 70 02 46",
            NULL, &everything),
        LAKE_OK, "%s", err.message);
    const lake_entry *e = next();
    cr_assert_not_null(e);
    cr_expect(lake_str_is(e->file_path, "p"));
    cr_expect_null(next());
}

/* Maps: value_counts {1: 10, 2: 20}, lower_bounds {2: "b", 1: ""}, upper_bounds {1: "x"}. */
#define MAPS(counts, lower, upper)                                                                                     \
    ENTRY("," F(109, "value_counts", counts) "," F(125, "lower_bounds", lower) "," F(128, "upper_bounds", upper))
#define PLAIN_MAPS MAPS(KV(119, 120, "c", "\"long\""), KV(126, 127, "l", "\"bytes\""), KV(129, 130, "u", "\"bytes\""))

static void check_maps(const lake_entry *e) {
    cr_assert_eq(e->ncolumns, 2);
    cr_expect_eq(e->columns[0].id, 1);
    cr_expect_eq(e->columns[1].id, 2);
    cr_expect_eq(e->columns[0].values, 10);
    cr_expect_eq(e->columns[1].values, 20);
    cr_expect_eq(e->columns[1].has, (unsigned)LAKE_METRIC_VALUES);
    cr_expect(e->columns[0].lower.ptr && e->columns[0].lower.len == 0);
    BYTES_ARE(e->columns[1].lower, "62");
    BYTES_ARE(e->columns[0].upper, "78");
    cr_expect_null(e->columns[1].upper.ptr);
}

Test(decode, I10_maps_in_all_forms) {
    static const struct {
        const char *what, *schema, *hex;
    } rows[] = {
        {"arrays of pairs", PLAIN_MAPS, HEAD "04 02 14 04 28 00 04 04 02 62 02 00 00 02 02 02 78 00"},
        {"blocks with sizes", PLAIN_MAPS, HEAD "03 08 02 14 04 28 00 03 0a 04 02 62 02 00 00 01 06 02 02 78 00"},
        {"several blocks", PLAIN_MAPS, HEAD "02 02 14 01 04 04 28 00 01 06 04 02 62 02 02 00 00 02 02 02 78 00"},
        {"keys out of order", PLAIN_MAPS, HEAD "04 04 28 02 14 00 04 04 02 62 02 00 00 02 02 02 78 00"},
        {"string maps",
            MAPS("{\"type\":\"map\",\"key-id\":119,\"value-id\":120,\"values\":\"int\"}",
                "{\"type\":\"map\",\"values\":\"bytes\"}", "{\"type\":\"map\",\"values\":" OPT("\"string\"") "}"),
            HEAD "04 02 31 14 02 32 28 00 03 0e 02 32 02 62 02 31 00 00 04 02 31 02 02 78 02 32 00 00"},
        {"optional, value before key, more fields",
            MAPS(OPT("{\"type\":\"array\",\"items\":" REC(
                     "c", F(120, "v", OPT("\"long\"")) "," F(119, "k", "\"int\"")) "}"),
                "{\"type\":\"array\",\"items\":" REC(
                    "l", F(126, "k", "\"long\"") "," N("z", "\"float\"") "," F(127, "v", "\"bytes\"")) "}",
                OPT2("{\"type\":\"array\",\"items\":" REC(
                    "u", F(129, "k", "\"int\"") "," F(130, "v", OPT2("\"bytes\""))) "}")),
            HEAD "02 04 02 14 02 02 28 04 00 04 04 00000000 02 62 02 00000000 00 00 00 04 02 00 02 78 04 02 00"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(open_hand(rows[i].schema, NULL, 1, rows[i].hex, NULL, &everything), LAKE_OK, "%s: %s",
            rows[i].what, err.message);
        const lake_entry *e = NULL;
        cr_assert_eq(lake_manifest_next(reader, &e, &err), LAKE_OK, "%s: %s", rows[i].what, err.message);
        check_maps(e);
        cr_expect_null(next(), "%s", rows[i].what);
    }
}

Test(decode, wanted_columns_come_in_the_order_that_was_asked) {
    const int32_t ids[] = {5, 2147483546, 1, 5, 7};
    const lake_manifest_want want = {.column_ids = ids, .ncolumn_ids = 5};
    /* value_counts {1: 10, 5: 50, 2147483546: 3, 6: 60}, lower {5: "b"}, upper {} */
    cr_assert_eq(open_hand(PLAIN_MAPS, NULL, 2,
                     HEAD "08 02 14 0a 64 b4 fe ff ff 0f 06 0c 78 00 02 0a 02 62 00 00" HEAD "00 00 00", NULL, &want),
        LAKE_OK, "%s", err.message);
    const lake_entry *e = next();
    cr_assert_eq(e->ncolumns, 5);
    for (int i = 0; i < 5; i++)
        cr_expect_eq(e->columns[i].id, ids[i]);
    cr_expect_eq(e->columns[0].values, 50);
    cr_expect_eq(e->columns[1].values, 3);
    cr_expect_eq(e->columns[2].values, 10);
    cr_expect_eq(e->columns[3].values, 50);
    BYTES_ARE(e->columns[3].lower, "62");
    cr_expect_eq(e->columns[4].has, 0);
    e = next();
    cr_assert_eq(e->ncolumns, 5);
    for (int i = 0; i < 5; i++)
        cr_expect(e->columns[i].has == 0 && !e->columns[i].lower.ptr, "nothing stays from the entry before");
}

Test(decode, without_wanted_columns_maps_are_passed_over) {
    const lake_manifest_want want = {0};
    cr_assert_eq(open_hand(PLAIN_MAPS, NULL, 2,
                     HEAD "04 02 14 04 28 00 04 04 02 62 02 00 00 02 02 02 78 00" HEAD
                          "03 08 02 14 04 28 00 03 0a 04 02 62 02 00 00 01 06 02 02 78 00",
                     NULL, &want),
        LAKE_OK, "%s", err.message);
    for (int i = 0; i < 2; i++) {
        const lake_entry *e = next();
        cr_assert_not_null(e);
        cr_expect_eq(e->ncolumns, 0);
        cr_expect(lake_str_is(e->file_path, "p"));
    }
    cr_expect_null(next());
}

Test(decode, I7_an_empty_value_may_be_the_last_byte_of_a_block) {
    cr_assert_eq(
        open_hand(ENTRY("," F(131, "key_metadata", "\"bytes\"")), NULL, 1, HEAD "00", NULL, &everything), LAKE_OK);
    const lake_entry *e = next();
    cr_expect(e->key_metadata.ptr && e->key_metadata.len == 0);
    cr_expect_null(next());
}

Test(decode, I8_no_blocks_and_blocks_without_entries) {
    lake_buffer none;
    lake_buffer_init(&none);
    hand_header(&file, ENTRY(""), v2);
    save();
    cr_assert_eq(open_file(path, NULL, &everything), LAKE_OK, "%s", err.message);
    cr_expect_null(next());
    hand_block(&file, 0, &none);
    hand_block(&file, 0, &none);
    save();
    cr_assert_eq(open_file(path, NULL, &everything), LAKE_OK, "%s", err.message);
    cr_expect_null(next());
}

Test(decode, partition_values_of_every_type) {
    cr_assert_eq(open_hand(REC("e",
                               F(0, "status", "\"int\"") "," F(2, "data_file",
                                   REC("d",
                                       PATH "," F(102, "partition",
                                           REC("p",
                                               F(1000, "a", OPT("\"boolean\"")) "," F(1001, "b",
                                                   OPT("{\"type\":\"int\",\"logicalType\":\"date\"}")) "," F(1002, "c",
                                                   OPT("\"float\"")) "," F(1003, "d", "\"double\"") "," F(1004, "e",
                                                   "\"bytes\"") "," F(1005, "f",
                                                   OPT("{\"type\":\"fixed\",\"name\":\"fx\",\"size\":2}")) "," F(1006,
                                                   "g", "\"null\"") "," F(1007, "h", OPT("\"string\""))))))),
                     NULL, 1, HEAD "02 01 02 03 02 0000c03f 000000000000f87f 00 02 abcd 00", NULL, &everything),
        LAKE_OK, "%s", err.message);
    const lake_entry *e = next();
    cr_assert_eq(e->npartition, 8); /* no spec at all: as they stand */
    cr_expect(e->partition[0].kind == LAKE_DATUM_BOOL && e->partition[0].i == 1);
    cr_expect(e->partition[1].kind == LAKE_DATUM_INT && e->partition[1].i == -2);
    cr_expect(e->partition[2].kind == LAKE_DATUM_FLOAT && e->partition[2].f == 1.5);
    cr_expect(e->partition[3].kind == LAKE_DATUM_FLOAT && e->partition[3].f != e->partition[3].f);
    cr_expect(e->partition[4].kind == LAKE_DATUM_BYTES && e->partition[4].b.ptr && e->partition[4].b.len == 0);
    BYTES_ARE(e->partition[5].b, "abcd");
    cr_expect_eq(e->partition[6].kind, LAKE_DATUM_NULL);
    cr_expect_eq(e->partition[7].kind, LAKE_DATUM_NULL);
}

/* v1 tables may use an id again for another type: what counts is the manifest's own spec. */
Test(decode, I6_and_H7_the_manifests_own_spec_in_both_forms) {
    static const struct {
        const char *spec, *type, *hex;
        lake_datum_kind kind;
    } rows[] = {
        {"[{\"name\":\"s\",\"transform\":\"identity\",\"source-id\":2,\"field-id\":1000}]", OPT("\"string\""),
            HEAD "02 02 61", LAKE_DATUM_BYTES},
        {"{\"spec-id\":1,\"fields\":[{\"name\":\"b\",\"transform\":\"bucket[4]\",\"source-id\":1,\"field-id\":1000}]}",
            OPT("\"int\""), HEAD "02 06", LAKE_DATUM_INT},
    };
    lake_manifest_pool *pool = lake_manifest_pool_new();
    for (size_t i = 0; i < 2; i++) {
        char schema[2048];
        snprintf(schema, sizeof schema,
            REC("e",
                F(0, "status", "\"int\"") "," F(
                    2, "data_file", REC("d", PATH "," F(102, "partition", REC("p", F(1000, "x", "%s")))))),
            rows[i].type);
        cr_assert_eq(open_hand(schema, (const char *[]){"partition-spec", rows[i].spec, NULL}, 1, rows[i].hex, NULL,
                         &everything),
            LAKE_OK, "%s", err.message);
        lake_manifest_close(reader);
        cr_assert_eq(lake_manifest_open_pooled(pool, &store, lake_str_of(path), NULL, NULL, &everything, &reader, &err),
            LAKE_OK);
        const lake_entry *e = next();
        cr_assert_eq(e->npartition, 1);
        cr_expect_eq(e->partition[0].kind, rows[i].kind);
        lake_manifest_close(reader);
        reader = NULL;
    }
    lake_manifest_pool_free(pool);
}

/* ---- inheritance */
#define SEQ_ENTRY                                                                                                      \
    REC("e",                                                                                                           \
        F(0, "status", "\"int\"") "," F(1, "snapshot_id", OPT("\"long\"")) "," F(3, "sequence_number",                 \
            OPT("\"long\"")) "," F(4, "file_sequence_number", OPT("\"long\"")) "," F(2, "data_file",                   \
            REC("d",                                                                                                   \
                PATH "," PART "," F(103, "record_count", "\"long\"") "," F(142, "first_row_id", OPT("\"long\"")))))
#define DATA "02 70 02 46 14 " /* 10 records */
static const lake_manifest_file the_line = {.has = LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_FIRST_ROW_ID,
    .sequence_number = 8,
    .added_snapshot_id = 99,
    .first_row_id = 100};

Test(decode, H9_only_added_entries_inherit_sequence_numbers) {
    const uint32_t both = LAKE_HAS_SEQUENCE_NUMBER | LAKE_HAS_FILE_SEQUENCE_NUMBER;
    cr_assert_eq(open_hand(SEQ_ENTRY, NULL, 5,
                     "02 00 00 00" DATA "00" /* ADDED, nothing told */
                     "02 00 02 06 00" DATA "00" /* ADDED, data sequence number 3 */
                     "00 02 0a 02 04 02 02" DATA "00" /* EXISTING, all told */
                     "04 00 00 00" DATA "00" /* DELETED, nothing told: informational, stays unknown */
                     "00 00 00 00" DATA "00", /* EXISTING, nothing told */
                     &the_line, &everything),
        LAKE_OK, "%s", err.message);
    const lake_entry *e = next();
    cr_expect(e->snapshot_id == 99 && e->sequence_number == 8 && e->file_sequence_number == 8);
    e = next();
    cr_expect(e->snapshot_id == 99 && e->sequence_number == 3 && e->file_sequence_number == 8);
    e = next();
    cr_expect(e->snapshot_id == 5 && e->sequence_number == 2 && e->file_sequence_number == 1);
    e = next();
    cr_expect(e->snapshot_id == 99 && (e->has & both) == 0);
    cr_assert_eq(lake_manifest_next(reader, &e, &err), LAKE_ERR_MALFORMED);
    cr_expect(strstr(err.message, path) && strstr(err.message, "entry 4") &&
            strstr(err.message, "p: sequence_number is null"),
        "%s", err.message);
}

Test(decode, without_a_line_nothing_is_inherited) {
    cr_assert_eq(open_hand(SEQ_ENTRY, NULL, 1, "00 00 00 00" DATA "00", NULL, &everything), LAKE_OK, "%s", err.message);
    cr_expect_eq(next()->has, 0);
}

Test(decode, I3_a_v1_list_gives_sequence_number_0_to_all) {
    const lake_manifest_file v1_line = {.has = LAKE_HAS_SNAPSHOT_ID, .added_snapshot_id = 1};
    cr_assert_eq(
        open_hand(SEQ_ENTRY, NULL, 1, "00 00 00 00" DATA "00", &v1_line, &everything), LAKE_OK, "%s", err.message);
    const lake_entry *e = next();
    cr_expect_eq(e->sequence_number, 0);
    cr_expect(e->has & LAKE_HAS_SEQUENCE_NUMBER);
}

Test(decode, first_row_ids_count_up_over_files_without_one) {
    cr_assert_eq(open_hand(SEQ_ENTRY, NULL, 4,
                     "02 00 00 00" DATA "00"
                     "02 00 00 00" DATA "02 0e" /* has its own: 7 */
                     "04 00 02 02 02 02" DATA "00" /* deleted: not counted */
                     "00 00 02 02 02 02" DATA "00", /* an existing file of an upgraded table */
                     &the_line, &everything),
        LAKE_OK, "%s", err.message);
    static const int64_t expect[] = {100, 7, -1, 110};
    for (int i = 0; i < 4; i++) {
        const lake_entry *e = next();
        cr_expect_eq(e->has & LAKE_HAS_FIRST_ROW_ID ? e->first_row_id : -1, expect[i], "entry %d", i);
        lake_entry again;
        cr_assert_eq(lake_manifest_materialise(reader, &everything, &arena, &again, &err), LAKE_OK, "%s", err.message);
        cr_expect_eq(again.has & LAKE_HAS_FIRST_ROW_ID ? again.first_row_id : -1, expect[i], "entry %d", i);
    }
}

Test(decode, H6_what_a_manifest_holds_must_agree_with_its_entries) {
    const lake_manifest_file deletes = {.content = 1};
    cr_assert_eq(
        open_hand(ENTRY(""), (const char *[]){"format-version", "3", NULL}, 1, HEAD, &deletes, &everything), LAKE_OK);
    const lake_entry *e;
    cr_expect_eq(lake_manifest_header_of(reader)->content, 1);
    cr_assert_eq(lake_manifest_next(reader, &e, &err), LAKE_ERR_MALFORMED);
    cr_expect(strstr(err.message, "content is 0 (data) in a manifest of deletes"), "%s", err.message);
    const lake_manifest_file data = {.content = 0};
    cr_assert_eq(open_hand(ENTRY("," F(134, "content", "\"int\"")), NULL, 1, HEAD "04", &data, &everything), LAKE_OK);
    cr_assert_eq(lake_manifest_next(reader, &e, &err), LAKE_ERR_MALFORMED);
    cr_expect(strstr(err.message, "content is 2 (deletes) in a manifest of data"), "%s", err.message);
}

/* ---- again */
Test(decode, materialised_entries_outlive_the_reader) {
    const int32_t ids[] = {2};
    const lake_manifest_want little = {.column_ids = ids, .ncolumn_ids = 1};
    lake_entry kept[3];
    cr_assert_eq(open_file("manifest_v3_one_each.avro", NULL, &little), LAKE_OK, "%s", err.message);
    for (int i = 0; i < 3; i++) {
        const lake_entry *e = next();
        cr_expect_eq(e->ncolumns, 1);
        cr_expect_eq(e->nsplit_offsets, 0);
        cr_assert_eq(
            lake_manifest_materialise(reader, &everything, &arena, &kept[i], &err), LAKE_OK, "%s", err.message);
        cr_expect_eq(e->ncolumns, 1, "the current entry stays as it is");
    }
    lake_manifest_close(reader);
    reader = NULL;
    for (int i = 0; i < 3; i++)
        check_golden(&kept[i], i, false);
}

Test(decode, a_pool_serves_many_readers) {
    lake_manifest_pool *pool = lake_manifest_pool_new();
    lake_str name = lake_str_of(LAKE_SOURCE_ROOT "/tests/golden/avro/manifest_v2.avro");
    lake_manifest_reader *two[2];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++)
            cr_assert_eq(
                lake_manifest_open_pooled(pool, &store, name, NULL, NULL, &everything, &two[i], &err), LAKE_OK);
        cr_expect_eq(lake_manifest_header_of(two[0])->schema, lake_manifest_header_of(two[1])->schema);
        cr_expect_eq(lake_manifest_header_of(two[0])->spec, lake_manifest_header_of(two[1])->spec);
        for (int n = 0; n < 3; n++) {
            for (int i = 0; i < 2; i++) {
                const lake_entry *e;
                cr_assert_eq(lake_manifest_next(two[i], &e, &err), LAKE_OK);
                check_golden(e, n, false);
            }
        }
        lake_manifest_close(two[0]);
        lake_manifest_close(two[1]);
    }
    lake_manifest_pool_free(pool);
}

/* One writer schema, several specs: each gets its own order. */
Test(decode, a_pool_keeps_specs_apart) {
    static const int32_t orders[][2] = {{1000, 1001}, {1001, 1000}, {1000, 1001}};
    const char *schema = REC("e",
        F(0, "status", "\"int\"") "," F(2, "data_file",
            REC("d", PATH "," F(102, "partition", REC("p", F(1000, "a", "\"int\"") "," F(1001, "b", "\"int\""))))));
    cr_assert_eq(open_hand(schema, NULL, 1, HEAD "06 08", NULL, &everything), LAKE_OK, "%s", err.message);
    lake_manifest_pool *pool = lake_manifest_pool_new();
    for (size_t i = 0; i < 3; i++) {
        lake_partition_field fields[2] = {
            {.id = orders[i][0], .name = LAKE_STR("x")}, {.id = orders[i][1], .name = LAKE_STR("y")}};
        lake_spec spec = {.fields = fields, .nfields = 2};
        lake_manifest_close(reader);
        cr_assert_eq(
            lake_manifest_open_pooled(pool, &store, lake_str_of(path), NULL, &spec, &everything, &reader, &err),
            LAKE_OK);
        const lake_entry *e = next();
        cr_expect_eq(e->partition[0].i, orders[i][0] == 1000 ? 3 : 4, "spec %zu", i);
        cr_expect_eq(e->partition[1].i, orders[i][1] == 1000 ? 3 : 4, "spec %zu", i);
    }
    lake_manifest_close(reader);
    reader = NULL;
    lake_manifest_pool_free(pool);
}

Test(decode, opening_what_cannot_be_read_names_it) {
    static const struct {
        const char *schema, *key, *value;
        lake_status status;
        const char *say;
    } rows[] = {
        {ENTRY(""), "format-version", "two", LAKE_ERR_MALFORMED, "format-version"},
        {ENTRY(""), "format-version", "4", LAKE_ERR_UNSUPPORTED, "format-version 4"},
        {ENTRY(""), "content", "both", LAKE_ERR_MALFORMED, "neither data nor deletes"},
        {ENTRY(""), "partition-spec-id", "", LAKE_ERR_MALFORMED, "partition-spec-id"},
        {ENTRY(""), "partition-spec", "{", LAKE_ERR_MALFORMED, "partition-spec"},
        {REC("e", F(0, "status", "\"int\"") "," F(2, "data_file", REC("d", PATH))), "partition-spec",
            "[{\"name\":\"s\",\"transform\":\"identity\",\"source-id\":2,\"field-id\":1000}]", LAKE_ERR_MALFORMED,
            "102 partition"},
        {"\"long\"", NULL, NULL, LAKE_ERR_MALFORMED, "no record"},
        {"{", NULL, NULL, LAKE_ERR_MALFORMED, "avro.schema"},
        {REC("e", F(0, "status", "\"int\"")), NULL, NULL, LAKE_ERR_MALFORMED, "field 2 data_file"},
        {REC("e", F(0, "status", "\"string\"") "," F(2, "data_file", REC("r2", PATH))), NULL, NULL, LAKE_ERR_MALFORMED,
            "field 0 status cannot be read"},
        {REC("e", F(0, "status", "\"int\"") "," F(2, "data_file", REC("r2", F(101, "file_format", "\"string\"")))),
            NULL, NULL, LAKE_ERR_MALFORMED, "field 100 file_path"},
        {ENTRY("," F(103, "a", "\"long\"") "," F(103, "b", "\"long\"")), NULL, NULL, LAKE_ERR_MALFORMED,
            "field 103 record_count twice"},
        {ENTRY("," F(109, "value_counts", "\"long\"")), NULL, NULL, LAKE_ERR_MALFORMED, "field 109 value_counts"},
        {ENTRY("," F(109, "value_counts", "{\"type\":\"array\",\"items\":\"long\"}")), NULL, NULL, LAKE_ERR_MALFORMED,
            "field 109 value_counts"},
        {REC("e",
             F(0, "status", "\"int\"") "," F(2, "data_file",
                 REC("d", PATH "," F(102, "partition", REC("p", F(1000, "a", KV(1, 2, "x", "\"int\""))))))),
            NULL, NULL, LAKE_ERR_UNSUPPORTED, "partition field 1000"},
        {REC("e",
             F(0, "status", "\"int\"") "," F(2, "data_file",
                 REC("d",
                     PATH "," F(102, "partition",
                         REC("p", F(1000, "a", "{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}")))))),
            NULL, NULL, LAKE_ERR_UNSUPPORTED, "milliseconds"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *pairs[] = {rows[i].key, rows[i].value, NULL};
        cr_expect_eq(open_hand(rows[i].schema, pairs, 0, "", NULL, &everything), rows[i].status, "%s: %s", rows[i].say,
            err.message);
        cr_expect(strstr(err.message, rows[i].say) && strstr(err.message, path), "%s: %s", rows[i].say, err.message);
    }
    cr_expect_eq(open_file("/nowhere/at/all.avro", NULL, &everything), LAKE_ERR_NOT_FOUND);
    cr_expect(strstr(err.message, "/nowhere/at/all.avro"), "%s", err.message);
}
