/* Roaring bitmaps: what is written is read again, whatever the containers; hostile ones are refused. (Other libraries:
   tests/interop/vectors.py.) */
#include <stdlib.h>

#include "tests/support.h"
#include "wire/roaring.h"

typedef struct collected {
    uint64_t *at;
    size_t n;
} collected;

static lake_status collect(void *user, const uint64_t *positions, size_t n, lake_error *err) {
    collected *c = user;
    memcpy(c->at + c->n, positions, n * sizeof *positions);
    c->n += n;
    return LAKE_OK;
}

/* Positions begin, begin + step, … */
static const struct {
    uint64_t begin, step;
    size_t n;
} sets[] = {{0, 1, 0}, {0, 1, 1}, {INT64_MAX, 1, 1}, {7, 1, 200000}, {0, 2, 200000}, {65530, 1, 12}, {0, 65536, 1000},
    {UINT32_MAX - 5ull, 1, 12}, {1, 1ull << 33, 100}, {3, 17, 4096}, {3, 15, 4097}};

Test(roaring, positions_survive) {
    lake_error err;
    lake_error_init(&err);
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        uint64_t *p = malloc((sets[s].n + 1) * sizeof *p);
        collected got = {malloc((sets[s].n + 1) * sizeof *p), 0};
        for (size_t i = 0; i < sets[s].n; i++)
            p[i] = sets[s].begin + i * sets[s].step;
        lake_buffer out;
        lake_buffer_init(&out);
        cr_assert_eq(lake_roaring_write(p, sets[s].n, &out, &err), LAKE_OK, "%s", err.message);
        lake_bytes b = lake_bytes_of(lake_buffer_view(&out));
        lake_roaring_info info;
        cr_assert_eq(lake_roaring_check(b, &info, &err), LAKE_OK, "set %zu: %s", s, err.message);
        cr_assert_eq(info.cardinality, sets[s].n);
        cr_assert(!sets[s].n || info.last == p[sets[s].n - 1]);
        cr_assert_eq(lake_roaring_read(b, collect, &got, &err), LAKE_OK, "%s", err.message);
        cr_assert(got.n == sets[s].n && memcmp(got.at, p, got.n * sizeof *p) == 0, "set %zu", s);
        for (size_t cut = 0; cut<b.len; cut += b.len> 2000 ? 977 : 1) {
            lake_error torn;
            lake_error_init(&torn);
            cr_assert_neq(lake_roaring_check((lake_bytes){b.ptr, cut}, &info, &torn), LAKE_OK);
            cr_assert(torn.message[0]);
        }
        lake_buffer_clear(&out);
        free(p);
        free(got.at);
    }
}

Test(roaring, only_rising_positions_are_written) {
    static const uint64_t wrong[][2] = {{2, 1}, {3, 3}, {1, 1ull << 63}};
    for (size_t i = 0; i < 3; i++) {
        lake_error err;
        lake_error_init(&err);
        lake_buffer out;
        lake_buffer_init(&out);
        cr_assert_eq(lake_roaring_write(wrong[i], 2, &out, &err), LAKE_ERR_USAGE);
        lake_buffer_clear(&out);
    }
}

/* A bitmap in a few bytes that says it has runs of four thousand million positions must not take the time to count
   them one by one. */
Test(roaring, long_runs_are_counted_at_once, .timeout = 20) {
    lake_buffer b;
    lake_buffer_init(&b);
    const uint64_t keys = 64;
    lake_buffer_put(&b, &keys, 8);
    for (uint32_t key = 0; key < keys; key++) {
        const uint32_t cookie = 12347u | 0xffff0000u;
        size_t begin;
        lake_buffer_put(&b, &key, 4);
        begin = b.len;
        lake_buffer_put(&b, &cookie, 4);
        for (int i = 0; i < 8192; i++)
            lake_buffer_char(&b, (char)0xff);
        for (uint32_t i = 0; i < 65536; i++) {
            const uint16_t head[2] = {(uint16_t)i, 0xffff};
            lake_buffer_put(&b, head, 4);
        }
        for (uint32_t i = 0; i < 65536; i++) {
            uint32_t offset = (uint32_t)(b.len - begin + (65536 - i) * 4 + i * 6);
            lake_buffer_put(&b, &offset, 4);
        }
        for (uint32_t i = 0; i < 65536; i++) {
            const uint16_t run[3] = {1, 0, 0xffff};
            lake_buffer_put(&b, run, 6);
        }
    }
    lake_roaring_info info;
    lake_error err;
    lake_error_init(&err);
    cr_assert_eq(lake_roaring_check(lake_bytes_of(lake_buffer_view(&b)), &info, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(info.cardinality, 64ull << 32);
    cr_assert_eq(info.last, (64ull << 32) - 1);
    lake_buffer_clear(&b);
}
