/* Manifests and lists that are torn, damaged or made to harm (case I9): every one ends in an error that names the file,
   or is read; none crashes. Run with the sanitizers. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "manifest/manifest.h"
#include "tests/avro_bytes.h"

static lake_arena arena;
static lake_error err;
static int file;
static char path[64];
static lake_store store = {.max_file = 1u << 30};

static void setup(void) {
    lake_arena_init(&arena, 0);
    lake_error_init(&err);
    file = memfd_create("hostile", 0); /* a file in memory: there are tens of thousands of them */
    cr_assert_geq(file, 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
}
static void teardown(void) {
    lake_arena_clear(&arena);
    close(file);
}
TestSuite(hostile, .init = setup, .fini = teardown, .timeout = 300);

static void save(const void *data, size_t size) {
    cr_assert_eq(ftruncate(file, 0), 0);
    cr_assert_eq(pwrite(file, data, size, 0), (ssize_t)size);
}

/* Reads all entries in the way that `mode` says: 0 all and once more, 1 one column, 2 none. */
static lake_status read_manifest(int mode, uint64_t *entries) {
    static const int32_t ids[] = {2};
    static const lake_manifest_want wants[] = {
        {.all_columns = true, .rest = true}, {.column_ids = ids, .ncolumn_ids = 1}, {0}};
    static const lake_manifest_file line = {.sequence_number = 3, .has = LAKE_HAS_FIRST_ROW_ID};
    lake_manifest_reader *r;
    const lake_entry *e;
    *entries = 0;
    lake_error_init(&err);
    LAKE_TRY(
        lake_manifest_open(&store, lake_str_of(path), mode == 1 ? &line : NULL, NULL, &wants[mode], NULL, &r, &err));
    lake_status s;
    while ((s = lake_manifest_next(r, &e, &err)) == LAKE_OK && e) {
        lake_entry again;
        ++*entries;
        if (mode == 0)
            s = lake_manifest_materialise(r, &wants[0], &arena, &again, &err);
        if (s != LAKE_OK)
            break;
    }
    lake_manifest_close(r);
    return s;
}
static lake_status read_list(int mode, uint64_t *entries) {
    lake_manifest_file *lines;
    size_t n = 0;
    lake_error_init(&err);
    lake_status s = lake_manifest_list_read(&store, &arena, lake_str_of(path), &lines, &n, &err);
    *entries = n;
    return s;
}

static const struct golden {
    const char *name;
    lake_status (*read)(int mode, uint64_t *entries);
    int modes;
} files[] = {
    {"manifest_v1.avro", read_manifest, 3},
    {"manifest_v2.avro", read_manifest, 3},
    {"manifest_v2_null_codec.avro", read_manifest, 3},
    {"manifest_v3_one_each.avro", read_manifest, 3},
    {"list_v3.avro", read_list, 1},
    {"list_v1_old_names.avro", read_list, 1},
};
static lake_bytes golden(size_t i) {
    char name[128];
    snprintf(name, sizeof name, "tests/golden/avro/%s", files[i].name);
    return test_file(&arena, name);
}

Test(hostile, every_truncation_fails_or_ends_a_block) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        lake_bytes whole = golden(i);
        uint64_t last = 0;
        size_t ends = 0;
        for (size_t cut = 0; cut <= whole.len; cut++) {
            uint64_t entries;
            save(whole.ptr, cut);
            for (int mode = 0; mode < files[i].modes; mode++) {
                lake_status s = files[i].read(mode, &entries);
                if (s != LAKE_OK) {
                    cr_expect_eq(s, LAKE_ERR_MALFORMED, "%s cut at %zu: %s", files[i].name, cut, err.message);
                    cr_expect(strstr(err.message, path), "%s cut at %zu: %s", files[i].name, cut, err.message);
                    continue;
                }
                /* whole blocks only */
                cr_expect(
                    cut >= 16 && memcmp(whole.ptr + cut - 16, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20", 16) == 0,
                    "%s cut at %zu is read", files[i].name, cut);
                ends += mode == 0;
                last = entries;
            }
        }
        cr_expect_geq(ends, 2, "%s: the header alone, and all", files[i].name);
        cr_expect_geq(last, 2, "%s", files[i].name);
    }
}

static uint64_t seed = 20260401;
static uint32_t draw(uint32_t below) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(seed >> 33) % below;
}

Test(hostile, damaged_bytes_end_in_an_error_or_are_read) {
    size_t failed = 0, read = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        lake_bytes whole = golden(i);
        uint8_t *copy = lake_arena_alloc(&arena, whole.len);
        for (int round = 0; round < 500; round++) {
            memcpy(copy, whole.ptr, whole.len);
            for (uint32_t k = 1 + draw(4); k > 0; k--) {
                /* half of the damage goes to the blocks, which are a small part of such small files */
                uint32_t at =
                    draw(2) ? draw((uint32_t)whole.len) : (uint32_t)whole.len - 1 - draw((uint32_t)whole.len / 4);
                copy[at] = draw(3) == 0 ? (uint8_t)draw(256) : (uint8_t)(copy[at] ^ 1u << draw(8));
            }
            save(copy, whole.len);
            uint64_t entries;
            lake_status s = files[i].read((int)draw((uint32_t)files[i].modes), &entries);
            cr_expect(s == LAKE_OK || err.message[0], "%s: no message", files[i].name);
            cr_expect_neq(s, LAKE_ERR_INTERNAL);
            *(s == LAKE_OK ? &read : &failed) += 1;
        }
    }
    cr_expect(failed > 500 && read > 50, "%zu failed, %zu were read", failed, read);
}

/* Damage inside the objects, past every checksum: the null codec, and the same for all wants. */
Test(hostile, entries_of_noise) {
    lake_bytes whole = test_file(&arena, "tests/golden/avro/manifest_v2_null_codec.avro");
    uint8_t *copy = lake_arena_alloc(&arena, whole.len);
    size_t first = 0; /* the block begins after the second sync marker: the header's */
    for (size_t i = 0; i + 16 <= whole.len && !first; i++)
        if (memcmp(whole.ptr + i, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20", 16) == 0)
            first = i + 16 + 4;
    for (int round = 0; round < 2000; round++) {
        memcpy(copy, whole.ptr, whole.len);
        for (uint32_t k = 1 + draw(6); k > 0; k--)
            copy[first + draw((uint32_t)(whole.len - first - 16))] = (uint8_t)draw(256);
        save(copy, whole.len);
        uint64_t entries[3];
        for (int mode = 0; mode < 3; mode++)
            (void)!read_manifest(mode, &entries[mode]);
    }
}

#define REC(name, fields) "{\"type\":\"record\",\"name\":\"" name "\",\"fields\":[" fields "]}"
#define F(id, name, type) "{\"name\":\"" name "\",\"field-id\":" #id ",\"type\":" type "}"
#define FILE_OF(rest)                                                                                                  \
    F(2, "data_file", REC("r2", F(100, "file_path", "[\"null\",\"string\"]") "," F(101, "f", "\"string\"") rest))
#define ENTRY(rest) REC("e", F(0, "status", "\"int\"") "," FILE_OF(rest))
#define KV(value) "{\"type\":\"array\",\"items\":" REC("kv", F(119, "key", "\"int\"") "," F(120, "value", value)) "}"
#define SELF F(900, "x", REC("self", "{\"name\":\"next\",\"type\":[\"null\",\"self\"]}"))

Test(hostile, I9_made_to_harm) {
    static const struct {
        const char *what, *schema, *hex;
        int64_t count;
        const char *say;
    } rows[] = {
        {"null file_path", ENTRY(""), "02 00 02 46", 1, "entry 0: field 100 file_path: null where a value is required"},
        {"null data_file",
            REC("e",
                F(0, "status", "\"int\"") "," F(
                    2, "d", "[\"null\"," REC("r2", F(100, "p", "\"string\"") "," F(101, "f", "\"string\"")) "]")),
            "02 00", 1, "field 2 data_file: null"},
        {"length 2^60", ENTRY(""), "02 02 80 80 80 80 80 80 80 80 20 70 02 46", 1, "field 100 file_path: torn value"},
        {"negative length", ENTRY(""), "02 02 01 70 02 46", 1, "field 100 file_path: torn value"},
        {"2^60 pairs", ENTRY("," F(109, "v", KV("\"long\""))), "02 02 02 70 02 46 80 80 80 80 80 80 80 80 20 02 02 00",
            1, "field 109 value_counts: more items than bytes"},
        {"pairs of a block that is too long", ENTRY("," F(109, "v", KV("\"long\""))),
            "02 02 02 70 02 46 01 80 01 02 02 00", 1, "field 109 value_counts: bad size"},
        {"pairs of a block that is too short", ENTRY("," F(109, "v", KV("\"long\""))),
            "02 02 02 70 02 46 01 02 02 02 00", 1,
            "field 109 value_counts: an item block is not of the size that it tells"},
        {"bad branch", ENTRY(""), "02 04 02 70 02 46", 1, "field 100 file_path: bad union branch"},
        {"more entries than bytes", ENTRY(""), "02 02 02 70 02 46 02 02 02", 2, "entry 1: field 100 file_path"},
        {"bytes behind the last entry", ENTRY(""), "02 02 02 70 02 46 02 02 02 70 02 46", 1, "6 bytes are left"},
        {"status 7", ENTRY(""), "0e 02 02 70 02 46", 1, "status is 7"},
        {"status -1", ENTRY(""), "01 02 02 70 02 46", 1, "field 0 status: number out of range"},
        {"a number of 11 bytes", ENTRY("," F(103, "n", "\"long\"")),
            "02 02 02 70 02 46 ff ff ff ff ff ff ff ff ff ff 01", 1, "field 103 record_count: torn number"},
        {"split offsets without end", ENTRY("," F(132, "o", "{\"type\":\"array\",\"items\":\"long\"}")),
            "02 02 02 70 02 46 06 02 04", 1, "field 132 split_offsets"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lake_buffer bytes, objects;
        lake_buffer_init(&bytes);
        lake_buffer_init(&objects);
        hand_hex(&objects, rows[i].hex);
        hand_header(&bytes, rows[i].schema, NULL);
        hand_block(&bytes, rows[i].count, &objects);
        save(bytes.data, bytes.len);
        uint64_t entries;
        lake_status s = read_manifest(0, &entries);
        cr_expect_eq(s, LAKE_ERR_MALFORMED, "%s: %s", rows[i].what, err.message);
        cr_expect(strstr(err.message, rows[i].say) && strstr(err.message, path), "%s: %s", rows[i].what, err.message);
        lake_buffer_clear(&bytes);
        lake_buffer_clear(&objects);
    }
}

Test(hostile, I9_a_record_nested_1000_deep) {
    lake_buffer bytes, objects;
    lake_buffer_init(&bytes);
    lake_buffer_init(&objects);
    for (int i = 0; i < 1000; i++)
        hand_hex(&objects, "02");
    hand_hex(&objects, "00 02 02 02 70 02 46");
    hand_header(&bytes, REC("e", SELF "," F(0, "status", "\"int\"") "," FILE_OF("")), NULL);
    hand_block(&bytes, 1, &objects);
    save(bytes.data, bytes.len);
    uint64_t entries;
    cr_expect_eq(read_manifest(0, &entries), LAKE_ERR_MALFORMED);
    cr_expect(strstr(err.message, "too deep"), "%s", err.message);
    lake_buffer_clear(&bytes);
    lake_buffer_clear(&objects);
}

/* 1 MB of zeros in 1 KB: what is decoded meets the limit for files, too. */
Test(hostile, a_small_file_must_not_become_a_large_one) {
    enum { SIZE = 1 << 20 };
    lake_buffer bytes, objects, packed;
    lake_buffer_init(&bytes);
    lake_buffer_init(&objects);
    lake_buffer_init(&packed);
    hand_hex(&objects, "02 02");
    hand_long(&objects, SIZE);
    uint8_t *zeros = lake_arena_zalloc(&arena, 1, SIZE);
    lake_buffer_put(&objects, zeros, SIZE);
    hand_hex(&objects, "02 46");
    lake_codec_scratch *scratch = lake_codec_scratch_new();
    cr_assert_eq(
        lake_codec_encode(scratch, LAKE_CODEC_DEFLATE, -1, (lake_bytes){objects.data, objects.len}, &packed, &err),
        LAKE_OK);
    hand_header(&bytes, ENTRY(""), (const char *[]){"avro.codec", "deflate", NULL});
    hand_block(&bytes, 1, &packed);
    save(bytes.data, bytes.len);
    uint64_t entries;
    cr_expect_eq(read_manifest(0, &entries), LAKE_OK, "%s", err.message);
    store.max_file = SIZE / 2;
    cr_expect_eq(read_manifest(0, &entries), LAKE_ERR_LIMIT);
    cr_expect(strstr(err.message, path) && strstr(err.message, "block 1"), "%s", err.message);
    store.max_file = 1u << 30;
    lake_codec_scratch_free(scratch);
    lake_buffer_clear(&bytes);
    lake_buffer_clear(&objects);
    lake_buffer_clear(&packed);
}

/* A schema in which known fields contain themselves. */
Test(hostile, I9_schema_cycles) {
    static const char *const schemas[] = {
        REC("e", F(0, "status", "\"int\"") "," F(2, "data_file", "\"e\"")),
        REC("e", F(0, "status", "\"int\"") "," F(2, "data_file", "[\"null\",\"e\"]")),
        REC("e",
            F(0, "status", "\"int\"") "," F(2, "data_file",
                REC("r2", F(100, "p", "\"string\"") "," F(101, "f", "\"string\"") "," F(102, "partition", "\"r2\"")))),
        REC("e",
            F(0, "status", "\"int\"") "," F(2, "data_file",
                REC("r2",
                    F(100, "p", "\"string\"") "," F(101, "f", "\"string\"") "," F(109, "v",
                        "{\"type\":\"array\",\"items\":" REC(
                            "kv", F(119, "key", "\"int\"") "," F(120, "value", "\"kv\"")) "}")))),
        REC("e",
            F(2, "data_file", REC("r2", F(100, "p", "\"string\"") "," F(101, "f", "\"string\""))) "," F(
                0, "status", "\"int\"") ",{\"name\":\"x\",\"type\":\"e\"}"),
    };
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        lake_buffer bytes, objects;
        lake_buffer_init(&bytes);
        lake_buffer_init(&objects);
        for (int k = 0; k < 500; k++)
            hand_hex(&objects, "02");
        hand_header(&bytes, schemas[i], NULL);
        hand_block(&bytes, 1, &objects);
        save(bytes.data, bytes.len);
        uint64_t entries;
        cr_expect_neq(read_manifest(0, &entries), LAKE_OK, "%s", schemas[i]);
        cr_expect(strstr(err.message, path), "%s", err.message);
        lake_buffer_clear(&bytes);
        lake_buffer_clear(&objects);
    }
}

/* A million pairs in falling order must not take quadratic time, nor much memory for a wanted column. */
Test(hostile, many_pairs_in_falling_order) {
    enum { PAIRS = 200000 };
    lake_buffer bytes, objects;
    lake_buffer_init(&bytes);
    lake_buffer_init(&objects);
    hand_hex(&objects, "02 02 02 70 02 46");
    hand_long(&objects, PAIRS);
    for (int i = PAIRS; i > 0; i--) {
        hand_long(&objects, i);
        hand_long(&objects, i % 100);
    }
    hand_long(&objects, 0);
    hand_header(&bytes, ENTRY("," F(109, "v", KV("\"long\""))), NULL);
    hand_block(&bytes, 1, &objects);
    save(bytes.data, bytes.len);
    lake_manifest_want want = {.all_columns = true};
    lake_manifest_reader *r;
    const lake_entry *e;
    cr_assert_eq(lake_manifest_open(&store, lake_str_of(path), NULL, NULL, &want, NULL, &r, &err), LAKE_OK);
    cr_assert_eq(lake_manifest_next(r, &e, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(e->ncolumns, PAIRS);
    for (int i = 0; i < PAIRS; i++)
        cr_assert(e->columns[i].id == i + 1 && e->columns[i].values == (i + 1) % 100);
    lake_manifest_close(r);
    lake_buffer_clear(&bytes);
    lake_buffer_clear(&objects);
}

static lake_status manifest_body(void *user, lake_error *e) {
    const lake_manifest_want all = {.all_columns = true, .rest = true};
    lake_manifest_reader *r;
    const lake_entry *entry;
    lake_entry again;
    lake_arena own;
    LAKE_TRY(lake_manifest_open(&store, lake_str_of(user), NULL, NULL, &all, NULL, &r, e));
    lake_arena_init(&own, 0);
    lake_status s;
    while ((s = lake_manifest_next(r, &entry, e)) == LAKE_OK && entry)
        if ((s = lake_manifest_materialise(r, &all, &own, &again, e)) != LAKE_OK)
            break;
    lake_manifest_close(r);
    lake_arena_clear(&own);
    return s;
}
static lake_status list_body(void *user, lake_error *e) {
    lake_manifest_file *lines;
    size_t n;
    lake_arena own;
    lake_arena_init(&own, 0);
    lake_status s = lake_manifest_list_read(&store, &own, lake_str_of(user), &lines, &n, e);
    lake_arena_clear(&own);
    return s;
}

Test(hostile, every_failing_allocation_ends_cleanly) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char full[512];
        snprintf(full, sizeof full, "%s/tests/golden/avro/%s", LAKE_SOURCE_ROOT, files[i].name);
        test_every_allocation(files[i].read == read_list ? list_body : manifest_body, full);
    }
}
