/* Codecs: data compressed by others (Arrow, Python's bz2, zlib, gzip), round trips, damage, limits. */
#include "wire/codec.h"
#include "wire/codec_stream.h"

#include "tests/support.h"

/* What every vector decodes to: "lake " thirty times and "end". */
enum { TEXT_LEN = 153 };
static void text(char out[TEXT_LEN + 1]) {
    for (int i = 0; i < 30; i++)
        memcpy(out + 5 * i, "lake ", 5);
    memcpy(out + 150, "end", 4);
}

static const struct {
    lake_codec codec;
    const char *what, *hex;
} vectors[] = {
    {LAKE_CODEC_DEFLATE, "deflate", "cb49cc4e55c8196c446a5e0a00"},
    {LAKE_CODEC_DEFLATE, "deflate with bytes behind", "cb49cc4e55c8196c446a5e0a00616263"},
    {LAKE_CODEC_GZIP, "two gzip members",
        "1f8b0800000000000203cb49cc4e55c8a11e0100f3f416d6500000001f8b0800000000000203cb49cc4e55c8a19448cd4b01003b27dfdc"
        "49"
        "000000"},
    {LAKE_CODEC_SNAPPY, "snappy", "9901106c616b6520fe0500fe050042050008656e64"},
    {LAKE_CODEC_ZSTD, "zstd", "28b52ffd20997d0000406c616b6520656e6401000e50450b"},
    {LAKE_CODEC_ZSTD, "zstd without content size", "28b52ffd00487d0000406c616b6520656e6401000e50450b"},
    {LAKE_CODEC_ZSTD, "two zstd frames",
        "28b52ffd2050650000286c616b6520010008b4680128b52ffd2049750000406c616b6520656e6401008654b4"},
    {LAKE_CODEC_LZ4_RAW, "lz4 block", "5f6c616b652005007c506520656e64"},
    {LAKE_CODEC_LZ4_HADOOP, "hadoop frames",
        "000000500000000f5f6c616b6520050033506c616b6520000000490000000f5f6c616b652005002c506520656e64"},
    {LAKE_CODEC_LZ4_HADOOP, "one hadoop frame of two blocks",
        "000000990000000f5f6c616b6520050033506c616b65200000000f5f6c616b652005002c506520656e64"},
    {LAKE_CODEC_LZ4_HADOOP, "a bare block", "5f6c616b652005007c506520656e64"},
    {LAKE_CODEC_LZ4_HADOOP, "an lz4 frame", "04224d186040820f0000005f6c616b652005007c506520656e6400000000"},
    {LAKE_CODEC_BROTLI, "brotli", "1b980000a441c8cadca4209a285605e7ec05b5"},
    {LAKE_CODEC_BZIP2, "bzip2",
        "425a6839314159265359d3a5e8c700004b91004000260d2000310c00deaa19a9e8360b60cd83885bf177245385090d3a5e8c70"},
    {LAKE_CODEC_XZ, "xz",
        "fd377a585a000004e6d6b4460200210116000000742fe5a3e00098000f5d00361849b7dab9feb93344e37d0ee80000003b5f37172a5a05"
        "1f00012b99010000002c0394cab1c467fb020000000004595a"},
    {LAKE_CODEC_BZIP2, "two bzip2 streams",
        "425a683931415926535947fb60ae00002791004000220c200030cd00554d37a9f0820820e17724538509047fb60ae0425a683931415926"
        "53"
        "5908a3cd6600002391004000260d2000310c00deaa19a9e86c2d866c388b7e2ee48a70a12011479acc"},
};
enum { NVECTORS = sizeof vectors / sizeof *vectors };

Test(codec, decodes_what_others_compressed) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_codec_scratch *s = lake_codec_scratch_new();
    lake_buffer out;
    char want[TEXT_LEN + 1];
    text(want);
    for (size_t i = 0; i < NVECTORS; i++) {
        lake_bytes in = test_hex(&arena, vectors[i].hex);
        for (int exact = 0; exact < 2; exact++) {
            lake_error err = {0};
            lake_buffer_init(&out);
            lake_status st =
                lake_codec_decode(s, vectors[i].codec, in, exact ? TEXT_LEN : 0, exact, 1 << 20, &out, &err);
            cr_assert_eq(st, LAKE_OK, "%s: %s", vectors[i].what, err.message);
            cr_assert(out.len == TEXT_LEN && memcmp(out.data, want, TEXT_LEN) == 0, "%s", vectors[i].what);
            lake_buffer_clear(&out);
        }
    }
    lake_codec_scratch_free(s);
    lake_arena_clear(&arena);
}

Test(codec, every_truncation_fails_and_limits_hold) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_codec_scratch *s = lake_codec_scratch_new();
    lake_buffer out;
    lake_buffer_init(&out);
    for (size_t i = 0; i < NVECTORS; i++) {
        lake_bytes in = test_hex(&arena, vectors[i].hex);
        bool tail = strstr(vectors[i].what, "behind") != NULL;
        for (size_t n = 0; n < in.len && !tail; n++) {
            lake_error err = {0};
            uint8_t *cut = lake_mem_alloc(n); /* so that a read beyond is seen */
            memcpy(cut, in.ptr, n);
            lake_status st =
                lake_codec_decode(s, vectors[i].codec, (lake_bytes){cut, n}, TEXT_LEN, true, 1 << 20, &out, &err);
            cr_assert_eq(st, LAKE_ERR_MALFORMED, "%s cut to %zu: %s", vectors[i].what, n, err.message);
            lake_mem_free(cut);
        }
        lake_error err = {0};
        lake_status st = lake_codec_decode(s, vectors[i].codec, in, 0, false, 100, &out, &err);
        cr_assert(
            st == LAKE_ERR_LIMIT || (st == LAKE_ERR_MALFORMED && strstr(lake_codec_name(vectors[i].codec), "lz4")),
            "%s: %s", vectors[i].what, err.message);
        st = lake_codec_decode(s, vectors[i].codec, in, 152, true, 1 << 20, &out, &err);
        cr_assert_eq(st, LAKE_ERR_MALFORMED, "%s with a size stated too small", vectors[i].what);
        st = lake_codec_decode(s, vectors[i].codec, in, 1 << 30, true, SIZE_MAX, &out, &err);
        cr_assert_eq(st, LAKE_ERR_MALFORMED, "%s with a size stated too large", vectors[i].what);
        cr_assert_lt(out.cap, 1 << 20, "%s takes no memory for a size that is not true", vectors[i].what);
    }
    lake_buffer_clear(&out);
    lake_codec_scratch_free(s);
    lake_arena_clear(&arena);
}

/* ---- piece by piece */

static lake_status read_from(void *user, uint64_t offset, size_t n, lake_bytes *out, lake_error *err) {
    const lake_bytes *all = user;
    cr_assert(offset <= all->len && n <= all->len - offset, "no read beyond what was said to be there");
    *out = (lake_bytes){all->ptr + offset, n};
    return LAKE_OK;
}

/* Reads a block in steps and compares it. */
static lake_status stream_all(
    lake_codec_scratch *s, lake_codec codec, lake_bytes in, size_t step, lake_bytes want, lake_error *err) {
    lake_codec_input input = {read_from, &in};
    lake_codec_stream *stream;
    LAKE_TRY(lake_codec_stream_open(s, codec, &input, 0, in.len, want.len, 0, &stream, err));
    cr_assert(stream, "it can be read piece by piece");
    uint8_t *to = lake_mem_alloc(step);
    lake_status st = LAKE_OK;
    size_t at = 0, got = 1;
    for (size_t k = 0; got && st == LAKE_OK; k++) {
        if (k % 3 == 2)
            lake_codec_stream_rest(stream);
        st = lake_codec_stream_read(stream, to, step, &got, err);
        if (st != LAKE_OK)
            break;
        cr_assert(got <= want.len - at && memcmp(to, want.ptr + at, got) == 0);
        at += got;
    }
    if (st == LAKE_OK) {
        cr_expect_eq(at, want.len);
        cr_expect_eq(lake_codec_stream_crc(stream), lake_crc32(in));
    }
    lake_mem_free(to);
    lake_codec_stream_close(stream);
    return st;
}

Test(codec, streams_give_the_same_and_fail_when_cut) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_codec_scratch *s = lake_codec_scratch_new();
    char all[TEXT_LEN + 1];
    text(all);
    lake_bytes want = {(const uint8_t *)all, TEXT_LEN};
    for (size_t i = 0; i < NVECTORS; i++) {
        lake_codec codec = vectors[i].codec;
        if (codec == LAKE_CODEC_DEFLATE || codec == LAKE_CODEC_BZIP2 || codec == LAKE_CODEC_XZ)
            continue; /* Avro's */
        lake_bytes in = test_hex(&arena, vectors[i].hex);
        lake_error err = {0};
        for (size_t step = 1; step < 400; step += 57)
            cr_expect_eq(stream_all(s, codec, in, step, want, &err), LAKE_OK, "%s: %s", vectors[i].what, err.message);
        if (strstr(vectors[i].what, "behind"))
            continue;
        for (size_t n = 0; n < in.len; n++) {
            uint8_t *cut = lake_mem_alloc(n); /* so that a read beyond is seen */
            memcpy(cut, in.ptr, n);
            lake_status st = stream_all(s, codec, (lake_bytes){cut, n}, 50, want, &err);
            cr_assert_eq(st, LAKE_ERR_MALFORMED, "%s cut to %zu: %s", vectors[i].what, n, err.message);
            lake_mem_free(cut);
        }
        lake_bytes less = {want.ptr, TEXT_LEN - 1};
        cr_expect_eq(stream_all(s, codec, in, 64, less, &err), LAKE_ERR_MALFORMED, "%s", vectors[i].what);
    }
    lake_codec_scratch_free(s);
    lake_arena_clear(&arena);
}

/* Numbers and runs: literals, copies from near and far, more than a stream's room. */
static lake_bytes mixture(size_t n) {
    uint8_t *p = lake_mem_alloc(n);
    uint32_t x = 1;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        p[i] = i % 1000 < 400 ? (uint8_t)(i % 7) : i % 5000 > 4000 ? (uint8_t)(x >> 24) : (uint8_t)(i / 8 % 300);
    }
    return (lake_bytes){p, n};
}

Test(codec, streams_of_large_blocks) {
    static const lake_codec codecs[] = {LAKE_CODEC_NONE, LAKE_CODEC_GZIP, LAKE_CODEC_SNAPPY, LAKE_CODEC_ZSTD};
    lake_codec_scratch *s = lake_codec_scratch_new();
    lake_buffer packed, out;
    lake_buffer_init(&packed);
    lake_buffer_init(&out);
    lake_bytes data = mixture(5 << 20);
    for (size_t c = 0; c < sizeof codecs / sizeof *codecs; c++) {
        lake_error err = {0};
        lake_buffer_reset(&packed);
        cr_assert_eq(lake_codec_encode(s, codecs[c], -1, data, &packed, &err), LAKE_OK);
        lake_bytes in = lake_bytes_of(lake_buffer_view(&packed));
        cr_expect_eq(stream_all(s, codecs[c], in, 100001, data, &err), LAKE_OK, "%s", err.message);
        cr_assert_eq(lake_codec_decode(s, codecs[c], in, data.len, true, data.len, &out, &err), LAKE_OK);
        cr_expect_eq(memcmp(out.data, data.ptr, data.len), 0, "%s at once", lake_codec_name(codecs[c]));
    }
    lake_mem_free((void *)(uintptr_t)data.ptr);
    lake_buffer_clear(&packed);
    lake_buffer_clear(&out);
    lake_codec_scratch_free(s);
}

/* Damage anywhere ends in an error or in other bytes, never in a crash. */
Test(codec, damaged_snappy_blocks) {
    lake_codec_scratch *s = lake_codec_scratch_new();
    lake_buffer packed, out;
    lake_buffer_init(&packed);
    lake_buffer_init(&out);
    lake_bytes data = mixture(3000);
    lake_error err = {0};
    cr_assert_eq(lake_codec_encode(s, LAKE_CODEC_SNAPPY, -1, data, &packed, &err), LAKE_OK);
    size_t failed = 0;
    for (size_t i = 0; i < packed.len; i++)
        for (int bit = 0; bit < 8; bit++) {
            uint8_t *copy = lake_mem_alloc(packed.len);
            memcpy(copy, packed.data, packed.len);
            copy[i] ^= (uint8_t)(1 << bit);
            lake_bytes in = {copy, packed.len};
            lake_status st = lake_codec_decode(s, LAKE_CODEC_SNAPPY, in, data.len, true, 1 << 20, &out, &err);
            failed += st != LAKE_OK;
            cr_assert(st == LAKE_OK || st == LAKE_ERR_MALFORMED || st == LAKE_ERR_LIMIT, "%s", err.message);
            lake_mem_free(copy);
        }
    cr_expect_gt(failed, 100);
    lake_mem_free((void *)(uintptr_t)data.ptr);
    lake_buffer_clear(&packed);
    lake_buffer_clear(&out);
    lake_codec_scratch_free(s);
}

Test(codec, what_is_encoded_decodes_to_the_same) {
    static const lake_codec codecs[] = {
        LAKE_CODEC_NONE, LAKE_CODEC_DEFLATE, LAKE_CODEC_GZIP, LAKE_CODEC_SNAPPY, LAKE_CODEC_ZSTD};
    static const size_t sizes[] = {0, 1, 100, 5000, 300000};
    lake_codec_scratch *s = lake_codec_scratch_new();
    lake_buffer packed, out;
    lake_buffer_init(&packed);
    lake_buffer_init(&out);
    uint8_t *data = lake_mem_alloc(300000);
    for (size_t i = 0; i < 300000; i++)
        data[i] = (uint8_t)(i * i >> 7);
    for (size_t c = 0; c < 5; c++)
        for (size_t k = 0; k < 5; k++)
            for (int level = -1; level < 10; level += 5) {
                lake_error err = {0};
                lake_buffer_reset(&packed);
                lake_buffer_puts(&packed, "kept");
                cr_assert_eq(
                    lake_codec_encode(s, codecs[c], level, (lake_bytes){data, sizes[k]}, &packed, &err), LAKE_OK);
                cr_assert_eq(memcmp(packed.data, "kept", 4), 0);
                lake_bytes in = {packed.data + 4, packed.len - 4};
                cr_assert_eq(
                    lake_codec_decode(s, codecs[c], in, k % 2, false, 1 << 20, &out, &err), LAKE_OK, "%s", err.message);
                cr_assert(out.len == sizes[k] && (!out.len || memcmp(out.data, data, out.len) == 0));
            }
    lake_error err = {0};
    cr_assert_eq(
        lake_codec_encode(s, LAKE_CODEC_BZIP2, -1, (lake_bytes){data, 9}, &packed, &err), LAKE_ERR_UNSUPPORTED);
    cr_assert_eq(lake_crc32((lake_bytes){(const uint8_t *)"123456789", 9}), 0xcbf43926u);
    lake_mem_free(data);
    lake_buffer_clear(&packed);
    lake_buffer_clear(&out);
    lake_codec_scratch_free(s);
}
