/* wire/avro_container.c: Avro specification 1.12, "Object Container Files"; cases H12, I8, I9, I11, I12. */
#include <stdio.h>
#include <zlib.h>

#include "tests/avro_bytes.h"
#include "wire/avro.h"

static lake_arena arena;
static lake_error err;
static lake_buffer file, decoded;
static lake_codec_scratch *scratch;

static void setup(void) {
    lake_arena_init(&arena, 0);
    lake_error_init(&err);
    lake_buffer_init(&file);
    lake_buffer_init(&decoded);
    scratch = lake_codec_scratch_new();
}
static void teardown(void) {
    lake_arena_clear(&arena);
    lake_buffer_clear(&file);
    lake_buffer_clear(&decoded);
    lake_codec_scratch_free(scratch);
}
TestSuite(avro_container, .init = setup, .fini = teardown);

/* Reads longs until the end; their sum, and the number of blocks. */
static lake_status sum_longs(lake_bytes data, int64_t *sum, size_t *blocks) {
    lake_avro_reader r;
    *sum = 0;
    LAKE_TRY(lake_avro_open(&arena, data, &r, &err));
    for (;;) {
        bool more;
        uint64_t count;
        lake_cursor c;
        LAKE_TRY(lake_avro_next_block(&r, scratch, &decoded, &more, &count, &c, &err));
        *blocks = r.block;
        if (!more)
            return LAKE_OK;
        for (int64_t v; count > 0; count--) {
            if (!lake_cursor_zigzag(&c, &v))
                return lake_fail(&err, LAKE_ERR_MALFORMED, "torn object");
            *sum += v;
        }
    }
}
static lake_bytes file_bytes(void) {
    return (lake_bytes){file.data, file.len};
}

static void put_longs(int64_t from, int64_t to, lake_buffer *b) {
    for (; from < to; from++)
        hand_long(b, from);
}

Test(avro_container, codecs) {
    static const struct {
        const char *name;
        lake_codec codec;
    } rows[] = {{NULL, LAKE_CODEC_NONE}, {"", LAKE_CODEC_NONE}, {"null", LAKE_CODEC_NONE},
        {"deflate", LAKE_CODEC_DEFLATE}, {"snappy", LAKE_CODEC_SNAPPY}, {"zstandard", LAKE_CODEC_ZSTD}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *pairs[] = {rows[i].name ? "avro.codec" : NULL, rows[i].name, NULL};
        lake_buffer_reset(&file);
        hand_header(&file, "\"long\"", pairs);
        for (int k = 0; k < 3; k++) {
            lake_buffer raw, packed;
            lake_buffer_init(&raw);
            lake_buffer_init(&packed);
            put_longs(k * 1000, k * 1000 + 1000, &raw);
            if (rows[i].codec == LAKE_CODEC_NONE)
                lake_buffer_put(&packed, raw.data, raw.len);
            else
                cr_assert_eq(
                    lake_codec_encode(scratch, rows[i].codec, -1, (lake_bytes){raw.data, raw.len}, &packed, &err),
                    LAKE_OK, "%s", err.message);
            if (rows[i].codec == LAKE_CODEC_SNAPPY) {
                uint32_t crc = (uint32_t)crc32(0, raw.data, (unsigned)raw.len);
                uint8_t big[4] = {(uint8_t)(crc >> 24), (uint8_t)(crc >> 16), (uint8_t)(crc >> 8), (uint8_t)crc};
                lake_buffer_put(&packed, big, 4);
            }
            hand_block(&file, 1000, &packed);
            lake_buffer_clear(&raw);
            lake_buffer_clear(&packed);
        }
        int64_t sum;
        size_t blocks;
        cr_expect_eq(sum_longs(file_bytes(), &sum, &blocks), LAKE_OK, "%s: %s", rows[i].name, err.message);
        cr_expect_eq(sum, 2999 * 3000 / 2);
        cr_expect_eq(blocks, 3);
        if (rows[i].codec == LAKE_CODEC_SNAPPY) {
            file.data[file.len - 17] ^= 1; /* the checksum of the last block */
            cr_expect_eq(sum_longs(file_bytes(), &sum, &blocks), LAKE_ERR_MALFORMED);
            cr_expect(strstr(err.message, "block 3") && strstr(err.message, "checksum"), "%s", err.message);
        }
    }
}

/* A file that another writer made (tests/golden/avro/make_golden.py). */
Test(avro_container, H12_bzip2) {
    int64_t sum;
    size_t blocks;
    cr_assert_eq(
        sum_longs(test_file(&arena, "tests/golden/avro/longs_bzip2.avro"), &sum, &blocks), LAKE_OK, "%s", err.message);
    cr_assert_eq(sum, 499500);
}

Test(avro_container, unknown_codecs_are_named) {
    const char *pairs[] = {"avro.codec", "lzma", NULL};
    int64_t sum;
    size_t blocks;
    hand_header(&file, "\"long\"", pairs);
    cr_assert_eq(sum_longs(file_bytes(), &sum, &blocks), LAKE_ERR_UNSUPPORTED);
    cr_assert(strstr(err.message, "lzma"), "%s", err.message);
}

Test(avro_container, I11_bytes_after_the_deflate_stream) {
    const char *pairs[] = {"avro.codec", "deflate", NULL};
    /* raw deflate, one stored block: 02 04 06; then three bytes too many */
    lake_buffer packed;
    lake_buffer_init(&packed);
    hand_hex(&packed, "01 03 00 fc ff 02 04 06 aa bb cc");
    hand_header(&file, "\"long\"", pairs);
    hand_block(&file, 3, &packed);
    int64_t sum;
    size_t blocks;
    cr_assert_eq(sum_longs(file_bytes(), &sum, &blocks), LAKE_OK, "%s", err.message);
    cr_assert_eq(sum, 6);
    /* a stream that ends early is torn */
    lake_buffer_reset(&file);
    packed.len = 7;
    hand_header(&file, "\"long\"", pairs);
    hand_block(&file, 3, &packed);
    cr_assert_eq(sum_longs(file_bytes(), &sum, &blocks), LAKE_ERR_MALFORMED);
    lake_buffer_clear(&packed);
}

Test(avro_container, I8_no_blocks_and_empty_blocks) {
    int64_t sum;
    size_t blocks;
    lake_buffer none;
    lake_buffer_init(&none);
    hand_header(&file, "\"long\"", NULL);
    cr_assert_eq(sum_longs(file_bytes(), &sum, &blocks), LAKE_OK, "%s", err.message);
    cr_assert_eq(blocks, 0);
    hand_block(&file, 0, &none);
    hand_block(&file, 0, &none);
    cr_assert_eq(sum_longs(file_bytes(), &sum, &blocks), LAKE_OK, "%s", err.message);
    cr_assert_eq(blocks, 2);
}

Test(avro_container, I12_one_block_an_object) {
    hand_header(&file, "\"long\"", NULL);
    for (int64_t i = 0; i < 100; i++) {
        lake_buffer b;
        lake_buffer_init(&b);
        hand_long(&b, i);
        hand_block(&file, 1, &b);
        lake_buffer_clear(&b);
    }
    int64_t sum;
    size_t blocks;
    cr_assert_eq(sum_longs(file_bytes(), &sum, &blocks), LAKE_OK, "%s", err.message);
    cr_assert_eq(sum, 4950);
    cr_assert_eq(blocks, 100);
}

Test(avro_container, header_maps_in_blocks_with_sizes) {
    lake_buffer_put(&file, "Obj\1", 4);
    hand_long(&file, -1);
    hand_long(&file, 12 + 7);
    hand_str(&file, "avro.schema");
    hand_str(&file, "\"long\"");
    hand_long(&file, 2);
    hand_str(&file, "k");
    hand_str(&file, "first");
    hand_str(&file, "k");
    hand_str(&file, "");
    hand_long(&file, 0);
    lake_buffer_put(&file, hand_sync, 16);
    lake_avro_reader r;
    cr_assert_eq(lake_avro_open(&arena, file_bytes(), &r, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(r.nmeta, 3);
    cr_assert(lake_avro_meta(&r, "k").ptr && lake_avro_meta(&r, "k").len == 0);
    cr_assert_null(lake_avro_meta(&r, "other").ptr);
}

Test(avro_container, I9_hostile_blocks) {
    static const struct {
        const char *name, *hex, *say; /* the block: count, size, bytes */
    } rows[] = {
        {"count 2^60", "80 80 80 80 80 80 80 80 20 06 02 04 06", "cannot be in 3 bytes"},
        {"count above the bytes", "08 06 02 04 06", "4 objects cannot be in 3 bytes"},
        {"negative count", "01 06 02 04 06", "negative block count"},
        {"negative size", "06 01", "torn block"},
        {"size 2^60", "06 80 80 80 80 80 80 80 80 20 02", "announced"},
        {"torn count", "80", "torn block count"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t sum;
        size_t blocks;
        lake_buffer_reset(&file);
        hand_header(&file, "\"long\"", NULL);
        hand_hex(&file, rows[i].hex);
        if (i != 5) /* else the sync marker's first byte would end the number */
            lake_buffer_put(&file, hand_sync, 16);
        cr_expect_eq(sum_longs(file_bytes(), &sum, &blocks), LAKE_ERR_MALFORMED, "%s", rows[i].name);
        cr_expect(
            strstr(err.message, rows[i].say) && strstr(err.message, "block 1"), "%s: %s", rows[i].name, err.message);
    }
}

Test(avro_container, the_sync_marker_is_checked_after_every_block) {
    hand_header(&file, "\"long\"", NULL);
    for (int i = 0; i < 3; i++) {
        lake_buffer b;
        lake_buffer_init(&b);
        hand_long(&b, i);
        hand_block(&file, 1, &b);
        lake_buffer_clear(&b);
    }
    int64_t sum;
    size_t blocks, last = file.len - 1;
    file.data[last] ^= 0x40;
    cr_assert_eq(sum_longs(file_bytes(), &sum, &blocks), LAKE_ERR_MALFORMED);
    cr_assert(strstr(err.message, "block 3") && strstr(err.message, "sync marker"), "%s", err.message);
    cr_assert_eq(err.offset, (int64_t)last - 15);
}

Test(avro_container, what_is_no_avro_file) {
    static const struct {
        const char *hex, *say;
    } rows[] = {
        {"", "it is empty"},
        {"4f 62 6a", "not an Avro file"},
        {"4f 62 6a 02 00", "not an Avro file"},
        {"50 41 52 31 00 00", "not an Avro file"},
        {"4f 62 6a 01", "header is torn"},
        {"4f 62 6a 01 00", "before its sync marker"},
        {"4f 62 6a 01 00 01020304050607080910111213141516", "no avro.schema"},
        {"4f 62 6a 01 80 80 80 80 80 80 80 80 20", "more pairs than it can hold"},
        {"4f 62 6a 01 02 01 00 00", "torn key"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t sum;
        size_t blocks;
        lake_buffer_reset(&file);
        hand_hex(&file, rows[i].hex);
        lake_error_init(&err);
        cr_expect_eq(sum_longs(file_bytes(), &sum, &blocks), LAKE_ERR_MALFORMED, "%s", rows[i].hex);
        cr_expect(strstr(err.message, rows[i].say), "%s: %s", rows[i].hex, err.message);
    }
}

Test(avro_container, a_decoded_block_has_a_limit) {
    const char *pairs[] = {"avro.codec", "deflate", NULL};
    lake_buffer raw, packed;
    lake_buffer_init(&raw);
    lake_buffer_init(&packed);
    put_longs(0, 100000, &raw);
    cr_assert_eq(
        lake_codec_encode(scratch, LAKE_CODEC_DEFLATE, -1, (lake_bytes){raw.data, raw.len}, &packed, &err), LAKE_OK);
    hand_header(&file, "\"long\"", pairs);
    hand_block(&file, 100000, &packed);
    lake_avro_reader r;
    bool more;
    uint64_t count;
    lake_cursor c;
    cr_assert_eq(lake_avro_open(&arena, file_bytes(), &r, &err), LAKE_OK);
    r.max_block = raw.len - 1;
    cr_assert_eq(
        lake_avro_next_block(&r, scratch, &decoded, &more, &count, &c, &err), LAKE_ERR_LIMIT, "%s", err.message);
    cr_assert_eq(lake_avro_open(&arena, file_bytes(), &r, &err), LAKE_OK);
    r.max_block = raw.len;
    cr_assert_eq(lake_avro_next_block(&r, scratch, &decoded, &more, &count, &c, &err), LAKE_OK, "%s", err.message);
    lake_buffer_clear(&raw);
    lake_buffer_clear(&packed);
}

Test(avro_container, every_truncation_fails_but_at_block_ends) {
    const char *pairs[] = {"avro.codec", "deflate", "other", "value", NULL};
    size_t ends[4] = {0}, n = 0;
    hand_header(&file, "{\"type\":\"long\"}", pairs);
    ends[n++] = file.len;
    for (int k = 0; k < 3; k++) {
        lake_buffer packed;
        lake_buffer_init(&packed);
        hand_hex(&packed, "01 03 00 fc ff 02 04 06");
        hand_block(&file, 3, &packed);
        ends[n++] = file.len;
        lake_buffer_clear(&packed);
    }
    for (size_t cut = 0; cut <= file.len; cut++) {
        uint8_t *copy = malloc(cut ? cut : 1); /* its own block, so that a byte too far shows */
        memcpy(copy, file.data, cut);
        int64_t sum;
        size_t blocks = 0;
        bool at_end = false;
        for (size_t i = 0; i < n; i++)
            at_end |= cut == ends[i];
        lake_error_init(&err);
        lake_status s = sum_longs((lake_bytes){copy, cut}, &sum, &blocks);
        cr_expect_eq(s, at_end ? LAKE_OK : LAKE_ERR_MALFORMED, "cut at %zu: %s", cut, err.message);
        cr_expect(at_end || err.message[0], "cut at %zu", cut);
        free(copy);
    }
}
