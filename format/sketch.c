/* Theta sketches. The form of a compact one: a preamble of one to three 8-byte words (empty and single: one; all that
   was seen is kept: two; else three, with theta), then the hashes, rising; little-endian. */
#include "format/sketch.h"

#include <stdlib.h>

#include "base/hash.h"

enum { NOMINAL = 4096, SEED = 9001, SEED_HASH = 0x93cc, FIRST_SLOTS = 64, MOST = 2 * NOMINAL };
enum { VERSION = 3, FAMILY = 3, READ_ONLY = 2, EMPTY = 4, COMPACT = 8, ORDERED = 16, SINGLE = 32, BIG_ENDIAN_FLAG = 1 };

void lake_sketch_init(lake_sketch *s) {
    *s = (lake_sketch){.theta = INT64_MAX};
}

void lake_sketch_clear(lake_sketch *s) {
    lake_mem_free(s->table);
    s->table = NULL;
    s->slots = s->n = 0;
}

static void put(lake_sketch *s, uint64_t hash) {
    size_t mask = s->slots - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        if (s->table[at] == hash)
            return;
        if (!s->table[at]) {
            s->table[at] = hash;
            s->n++;
            return;
        }
    }
}

/* A table of so many slots with the hashes below theta. */
static lake_status rebuild(lake_sketch *s, size_t slots, lake_error *err) {
    lake_sketch bigger = {.slots = slots, .theta = s->theta};
    bigger.table = lake_mem_zalloc(slots, sizeof *bigger.table);
    if (!bigger.table)
        return lake_fail_memory(err);
    for (size_t i = 0; i < s->slots; i++)
        if (s->table[i] && s->table[i] < s->theta)
            put(&bigger, s->table[i]);
    lake_mem_free(s->table);
    *s = bigger;
    return LAKE_OK;
}

static int by_number(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* The hashes in order; freed by the caller. NULL: out of memory. */
static uint64_t *sorted(const lake_sketch *s) {
    uint64_t *out = lake_mem_alloc((s->n + 1) * sizeof *out);
    size_t n = 0;
    for (size_t i = 0; out && i < s->slots; i++)
        if (s->table[i])
            out[n++] = s->table[i];
    if (out)
        qsort(out, n, sizeof *out, by_number);
    return out;
}

lake_status lake_sketch_trim(lake_sketch *s, lake_error *err) {
    if (s->n <= NOMINAL)
        return LAKE_OK;
    uint64_t *hashes = sorted(s);
    if (!hashes)
        return lake_fail_memory(err);
    s->theta = hashes[NOMINAL];
    lake_mem_free(hashes);
    return rebuild(s, s->slots, err);
}

lake_status lake_sketch_add_hash(lake_sketch *s, uint64_t hash, lake_error *err) {
    if (hash == 0 || hash >= s->theta)
        return LAKE_OK;
    if (s->n == MOST)
        LAKE_TRY(lake_sketch_trim(s, err));
    if (4 * (s->n + 1) > 3 * s->slots)
        LAKE_TRY(rebuild(s, s->slots ? 4 * s->slots : FIRST_SLOTS, err));
    if (hash < s->theta)
        put(s, hash);
    return LAKE_OK;
}

lake_status lake_sketch_add(lake_sketch *s, lake_bytes value, lake_error *err) {
    uint64_t hash[2];
    if (!value.len)
        return LAKE_OK;
    lake_murmur3_128(value.ptr, value.len, SEED, hash);
    return lake_sketch_add_hash(s, hash[0] >> 1, err);
}

/* Hashes that are not below the new limit go when the table is cut; until then they must not be counted. */
static lake_status lower_theta(lake_sketch *s, uint64_t theta, lake_error *err) {
    if (theta >= s->theta)
        return LAKE_OK;
    s->theta = theta;
    return s->slots ? rebuild(s, s->slots, err) : LAKE_OK;
}

lake_status lake_sketch_merge(lake_sketch *s, const lake_sketch *from, lake_error *err) {
    LAKE_TRY(lower_theta(s, from->theta, err));
    for (size_t i = 0; i < from->slots; i++)
        if (from->table[i])
            LAKE_TRY(lake_sketch_add_hash(s, from->table[i], err));
    return LAKE_OK;
}

double lake_sketch_estimate(const lake_sketch *s) {
    return s->theta == INT64_MAX ? (double)s->n : (double)s->n / ((double)s->theta / 0x1p63);
}

/* ---- serialized */

static void preamble(uint8_t out[24], const lake_sketch *s, size_t longs, uint8_t flags) {
    const float p = 1;
    memset(out, 0, 24);
    out[0] = (uint8_t)longs;
    out[1] = VERSION;
    out[2] = FAMILY;
    out[5] = (uint8_t)(READ_ONLY | COMPACT | ORDERED | flags);
    out[6] = SEED_HASH & 0xff;
    out[7] = SEED_HASH >> 8;
    lake_put_le32(out + 8, (uint32_t)s->n);
    memcpy(out + 12, &p, sizeof p);
    lake_put_le64(out + 16, s->theta);
}

lake_status lake_sketch_write(const lake_sketch *s, lake_buffer *out, lake_error *err) {
    bool all = s->theta == INT64_MAX;
    bool empty = all && s->n == 0, single = all && s->n == 1;
    size_t longs = empty || single ? 1 : all ? 2 : 3;
    uint8_t head[24];
    uint64_t *hashes = sorted(s);
    if (!hashes)
        return lake_fail_memory(err);
    preamble(head, s, longs, (uint8_t)(empty ? EMPTY : single ? SINGLE : 0));
    lake_buffer_put(out, head, 8 * longs);
    lake_buffer_put(out, hashes, s->n * sizeof *hashes); /* little-endian, as this machine is */
    lake_mem_free(hashes);
    return lake_buffer_check(out, err);
}

static lake_status bad(const char *what, lake_error *err) {
    return lake_fail(err, LAKE_ERR_MALFORMED, "theta sketch: %s", what);
}

lake_status lake_sketch_merge_compact(lake_sketch *s, lake_bytes b, lake_error *err) {
    size_t longs = b.len >= 8 ? b.ptr[0] & 0x3f : 0;
    if (longs < 1 || longs > 3 || b.len < 8 * longs || b.ptr[1] != VERSION || b.ptr[2] != FAMILY ||
        (b.ptr[5] & BIG_ENDIAN_FLAG))
        return bad("no compact sketch of serial version 3", err);
    if (b.ptr[5] & EMPTY)
        return LAKE_OK;
    if (lake_get_le16(b.ptr + 6) != SEED_HASH)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "theta sketch: made with another seed than the default");
    size_t n = longs == 1 ? 1 : lake_get_le32(b.ptr + 8);
    uint64_t theta = longs == 3 ? lake_get_le64(b.ptr + 16) : INT64_MAX;
    if (theta == 0 || theta > INT64_MAX)
        return bad("its limit is out of range", err);
    if ((b.len - 8 * longs) / 8 < n)
        return bad("it ends early", err);
    LAKE_TRY(lower_theta(s, theta, err));
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = lake_get_le64(b.ptr + 8 * (longs + i));
        if (hash == 0 || hash >= theta)
            return bad("a hash is not below its limit", err);
        LAKE_TRY(lake_sketch_add_hash(s, hash, err));
    }
    return LAKE_OK;
}
