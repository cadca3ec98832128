/* Parquet's encodings: examples of the specification, and round trips through small encoders made here. */
#include "wire/parquet_decode.h"

#include "tests/support.h"

static uint64_t next(uint64_t *x) {
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x ^ *x >> 29;
}

/* Packs values of `width` bits, least significant bit first. */
static void pack(lake_buffer *out, const uint64_t *v, size_t n, unsigned width) {
    unsigned bit = 0;
    uint8_t byte = 0;
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < width; k++) {
            byte |= (uint8_t)((v[i] >> k & 1) << bit);
            if (++bit == 8) {
                lake_buffer_char(out, (char)byte);
                bit = byte = 0;
            }
        }
    if (bit)
        lake_buffer_char(out, (char)byte);
}

static void varint(lake_buffer *out, uint64_t v) {
    for (; v >= 128; v >>= 7)
        lake_buffer_char(out, (char)(v | 128));
    lake_buffer_char(out, (char)v);
}
static void zigzag(lake_buffer *out, uint64_t v) {
    varint(out, v << 1 ^ (uint64_t)((int64_t)v >> 63));
}

/* A copy of exactly that size, so that the sanitizer sees a read beyond. */
static lake_bytes exact(const lake_buffer *b) {
    uint8_t *p = lake_mem_alloc(b->len);
    memcpy(p, b->data, b->len);
    return (lake_bytes){p, b->len};
}

Test(parquet_decode, the_specification_s_bit_packing) {
    static const uint8_t bytes[] = {3, 0x88, 0xc6, 0xfa}; /* one group of eight: 0 to 7 in three bits each */
    lake_rle r = lake_rle_of((lake_bytes){bytes, 4}, 3);
    uint32_t out[9];
    cr_assert_eq(lake_rle_next(&r, out, 9), 8);
    for (uint32_t i = 0; i < 8; i++)
        cr_expect_eq(out[i], i);
    /* The deprecated order: most significant bit first. */
    static const uint8_t msb[] = {0x05, 0x39, 0x77};
    lake_parquet_levels l = lake_parquet_levels_of((lake_bytes){msb, 3}, LAKE_PARQUET_ENC_BIT_PACKED, 7);
    uint8_t levels[9];
    cr_assert(lake_parquet_levels_next(&l, levels, 8));
    for (uint8_t i = 0; i < 8; i++)
        cr_expect_eq(levels[i], i);
    cr_expect(!lake_parquet_levels_next(&l, levels, 1), "no more");
}

/* Runs and groups at random; returns how many values. */
static size_t encode_hybrid(lake_buffer *out, uint64_t *v, unsigned width, uint64_t *seed) {
    uint64_t mask = width == 32 ? 0xffffffffu : ((uint64_t)1 << width) - 1;
    size_t n = 0;
    for (int part = 0; part < 12; part++) {
        if (next(seed) % 2) {
            size_t k = 1 + next(seed) % 300;
            uint64_t value = next(seed) & mask;
            varint(out, k << 1);
            for (unsigned i = 0; i < (width + 7) / 8; i++)
                lake_buffer_char(out, (char)(value >> (8 * i)));
            while (k--)
                v[n++] = value;
        } else {
            size_t groups = 1 + next(seed) % 20;
            varint(out, groups << 1 | 1);
            for (size_t i = 0; i < groups * 8; i++)
                v[n + i] = next(seed) & mask;
            pack(out, v + n, groups * 8, width);
            n += groups * 8;
        }
    }
    return n;
}

Test(parquet_decode, runs_and_groups_of_every_width_in_batches_of_any_size) {
    uint64_t seed = 3, *v = lake_mem_alloc(5000 * 8);
    uint32_t out[700];
    uint8_t out8[700];
    for (unsigned width = 0; width <= 32; width++)
        for (int round = 0; round < 20; round++) {
            lake_buffer b;
            lake_buffer_init(&b);
            size_t n = encode_hybrid(&b, v, width, &seed), at = 0;
            lake_bytes in = exact(&b);
            lake_rle r = lake_rle_of(in, width), r8 = r;
            while (at < n) {
                size_t k = 1 + next(&seed) % 700, want = k < n - at ? k : n - at;
                cr_assert_eq(lake_rle_next(&r, out, k), want, "width %u", width);
                cr_assert(width > 8 || lake_rle_next_u8(&r8, out8, k) == want);
                for (size_t i = 0; i < want; i++) {
                    cr_assert_eq(out[i], v[at + i], "width %u value %zu", width, at + i);
                    cr_assert(width > 8 || out8[i] == v[at + i]);
                }
                at += want;
            }
            lake_mem_free((void *)(uintptr_t)in.ptr);
            lake_buffer_clear(&b);
        }
    lake_mem_free(v);
}

Test(parquet_decode, levels_above_the_highest_are_refused) {
    static const uint8_t run[] = {20, 3}; /* ten times 3, where 2 is the most */
    lake_parquet_levels l = lake_parquet_levels_of((lake_bytes){run, 2}, LAKE_PARQUET_ENC_RLE, 2);
    uint8_t out[10];
    cr_expect(!lake_parquet_levels_next(&l, out, 10));
}

/* Blocks of 128 values in four miniblocks; widths as they are needed. */
static void encode_delta(lake_buffer *out, const uint64_t *v, size_t n) {
    varint(out, 128);
    varint(out, 4);
    varint(out, n);
    zigzag(out, n ? v[0] : 0);
    for (size_t at = 1; at < n; at += 128) {
        uint64_t d[128] = {0}, widths[4] = {0};
        size_t k = n - at < 128 ? n - at : 128;
        int64_t least = INT64_MAX;
        for (size_t i = 0; i < k; i++) {
            d[i] = v[at + i] - v[at + i - 1];
            least = (int64_t)d[i] < least ? (int64_t)d[i] : least;
        }
        for (size_t i = 0; i < k; i++) {
            d[i] -= (uint64_t)least;
            while (widths[i / 32] < 64 && d[i] >> widths[i / 32])
                widths[i / 32]++;
        }
        zigzag(out, (uint64_t)least);
        for (int m = 0; m < 4; m++)
            lake_buffer_char(out, (char)((size_t)m * 32 < k ? widths[m] : 99)); /* widths of unneeded ones: anything */
        for (size_t m = 0; m * 32 < k; m++)
            pack(out, d + m * 32, 32, (unsigned)widths[m]);
    }
}

Test(parquet_decode, deltas_of_every_width) {
    uint64_t seed = 11, v[1000], out[1000];
    for (int round = 0; round < 400; round++) {
        lake_buffer b;
        lake_bytes rest;
        lake_delta d;
        size_t n = round < 3 ? (size_t)round : 1 + next(&seed) % 999, at = 0;
        unsigned shift = (unsigned)(next(&seed) % 64);
        for (size_t i = 0; i < n; i++)
            v[i] = i && next(&seed) % 4 == 0 ? v[i - 1] : next(&seed) >> shift;
        lake_buffer_init(&b);
        encode_delta(&b, v, n);
        lake_buffer_puts(&b, "rest");
        lake_bytes in = exact(&b);
        cr_assert(lake_delta_init(&d, in));
        while (at < n) {
            size_t k = 1 + next(&seed) % 200, want = k < n - at ? k : n - at;
            cr_assert_eq(lake_delta_next(&d, out, k), want);
            for (size_t i = 0; i < want; i++)
                cr_assert_eq(out[i], v[at + i], "round %d value %zu of %zu", round, at + i, n);
            at += want;
        }
        cr_assert(lake_delta_rest(&d, &rest) && rest.len == 4 && memcmp(rest.ptr, "rest", 4) == 0, "round %d", round);
        for (size_t cut = 0; cut + 4 < in.len; cut += 1 + in.len / 40) { /* a torn one ends early */
            lake_bytes torn = {lake_mem_alloc(cut), cut};
            memcpy((void *)(uintptr_t)torn.ptr, in.ptr, cut);
            if (lake_delta_init(&d, torn))
                cr_assert(lake_delta_next(&d, out, n) < n || !lake_delta_rest(&d, &rest) || rest.len == 0);
            lake_mem_free((void *)(uintptr_t)torn.ptr);
        }
        lake_mem_free((void *)(uintptr_t)in.ptr);
        lake_buffer_clear(&b);
    }
}

Test(parquet_decode, a_prefix_longer_than_the_value_before_is_refused) {
    lake_parquet_decoder d;
    lake_parquet_values out;
    lake_error err = {0};
    lake_buffer b;
    lake_parquet_node leaf = {.type = LAKE_PARQUET_BYTE_ARRAY};
    static const uint64_t prefixes[] = {0, 2, 4}, suffixes[] = {2, 1, 1};
    lake_buffer_init(&b);
    encode_delta(&b, prefixes, 3);
    encode_delta(&b, suffixes, 3);
    lake_buffer_puts(&b, "abcd");
    cr_assert_eq(lake_parquet_decoder_init(&d, &err), LAKE_OK);
    lake_bytes page = {b.data, b.len};
    cr_assert_eq(lake_parquet_decoder_begin(&d, &leaf, LAKE_PARQUET_ENC_DELTA_BYTE_ARRAY, page, 3, &err), LAKE_OK, "%s",
        err.message);
    cr_assert_eq(lake_parquet_decoder_next(&d, 2, &out, &err), LAKE_OK, "%s", err.message);
    const lake_bytes *v = out.data;
    cr_expect(out.n == 2 && v[0].len == 2 && v[1].len == 3 && memcmp(v[1].ptr, "abc", 3) == 0);
    cr_expect_eq(lake_parquet_decoder_next(&d, 1, &out, &err), LAKE_ERR_MALFORMED);
    cr_expect_eq(lake_parquet_decoder_begin(&d, &leaf, LAKE_PARQUET_ENC_DELTA_BYTE_ARRAY, page, 2, &err),
        LAKE_ERR_MALFORMED, "more values than the page has");
    cr_expect_eq(lake_parquet_decoder_begin(&d, &leaf, LAKE_PARQUET_ENC_DELTA_BINARY_PACKED, page, 3, &err),
        LAKE_ERR_UNSUPPORTED);
    lake_parquet_decoder_clear(&d);
    lake_buffer_clear(&b);
}

/* Runs and packed stretches of random lengths and values, as a writer would lay them out. */
static size_t hybrid(uint8_t *out, unsigned width, size_t values, uint64_t *state) {
    size_t n = 0, done = 0;
    while (done < values) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        uint64_t r = *state >> 33;
        if (r & 1) {
            unsigned groups = 1 + (unsigned)(r >> 1) % 9;
            out[n++] = (uint8_t)(groups << 1 | 1);
            for (size_t i = 0; i < groups * width; i++) {
                *state = *state * 6364136223846793005u + 1442695040888963407u;
                out[n++] = (uint8_t)(*state >> 40);
            }
            done += groups * 8;
        } else {
            unsigned run = 1 + (unsigned)(r >> 1) % 60;
            out[n++] = (uint8_t)(run << 1);
            uint32_t v = (uint32_t)(r >> 8) & (uint32_t)((1ull << width) - 1);
            for (unsigned i = 0; i < (width + 7) / 8; i++)
                out[n++] = (uint8_t)(v >> 8 * i);
            done += run;
        }
    }
    return n;
}

Test(parquet_decode, marks_and_counts_are_those_of_the_values) {
    enum { VALUES = 3000, MOST = 16 };
    uint64_t state = 42;
    uint8_t *bytes = malloc(8 * VALUES), *marks = malloc(1 << MOST), *want = malloc(1 << MOST);
    uint32_t values[VALUES];
    for (unsigned width = 0; width <= MOST; width++) {
        size_t len = hybrid(bytes, width, VALUES, &state), places = (size_t)1 << width;
        uint8_t *exact = malloc(len); /* so that a read beyond is seen */
        memcpy(exact, bytes, len);
        lake_bytes b = {exact, len};
        lake_rle r = lake_rle_of(b, width), twice = lake_rle_of(b, width);
        lake_rle_marks m = {marks, false};
        memset(marks, 0, places);
        memset(want, 0, places);
        cr_assert_eq(lake_rle_next(&r, values, VALUES), VALUES);
        uint64_t counts[256], expected[256] = {0};
        for (size_t i = 0; i < VALUES; i++) {
            want[values[i]] = 1;
            expected[values[i] & 255]++;
        }
        cr_assert_eq(lake_rle_mark(&twice, 777, &m), 777); /* stops and goes on inside of stretches */
        cr_assert_eq(lake_rle_mark(&twice, VALUES - 777, &m), VALUES - 777);
        cr_expect_eq(memcmp(marks, want, places), 0, "width %u", width);
        if (width && width <= 8) {
            lake_parquet_levels l = lake_parquet_levels_of(b, LAKE_PARQUET_ENC_RLE, (uint8_t)(places - 1));
            cr_assert(lake_parquet_levels_count(&l, VALUES, counts));
            cr_expect_eq(memcmp(counts, expected, sizeof counts), 0, "width %u", width);
            l = lake_parquet_levels_of(b, LAKE_PARQUET_ENC_RLE, (uint8_t)(places - 1));
            cr_expect_not(lake_parquet_levels_count(&l, 20 * VALUES, counts), "there are not so many");
        }
        cr_expect_lt(lake_rle_mark(&twice, 20 * VALUES, &m), 20 * VALUES);
        free(exact);
    }
    free(bytes);
    free(marks);
    free(want);
}
