/* Reading Roaring bitmaps: containers of arrays, bits and runs, all checked before a position goes out. */
#include "wire/roaring.h"

enum {
    COOKIE = 12346, /* no runs; the number of containers follows */
    COOKIE_RUNS =
        12347, /* in the low half, the number of containers minus one in the high one; a bit a container follows */
    OFFSETS_FROM = 4, /* containers: below, a bitmap with runs has no offsets */
    ARRAY_MOST = 4096,
    BITS = 8192, /* bytes of a container of bits */
    BATCH = 1024
};

typedef struct reader {
    lake_cursor at;
    lake_roaring_visit visit; /* NULL: only counting */
    void *user;
    uint64_t batch[BATCH];
    size_t n;
    lake_roaring_info info;
} reader;

static uint16_t u16(const uint8_t *p) {
    return lake_get_le16(p);
}

static lake_status bad(const reader *r, const char *what, lake_error *err) {
    return lake_fail_at(err, LAKE_ERR_MALFORMED, lake_cursor_offset(&r->at), "Roaring bitmap: %s", what);
}

static lake_status give(reader *r, lake_error *err) {
    size_t n = r->n;
    r->n = 0;
    return n ? r->visit(r->user, r->batch, n, err) : LAKE_OK;
}

static lake_status put(reader *r, uint64_t position, lake_error *err) {
    r->info.last = position;
    if (!r->visit)
        return LAKE_OK;
    r->batch[r->n++] = position;
    return r->n == BATCH ? give(r, err) : LAKE_OK;
}

static lake_status read_array(reader *r, uint64_t base, uint32_t cardinality, lake_error *err) {
    lake_bytes values;
    if (!lake_cursor_take(&r->at, 2 * (uint64_t)cardinality, &values))
        return bad(r, "an array ends early", err);
    for (uint32_t i = 0; i < cardinality; i++) {
        uint16_t v = u16(values.ptr + 2 * i);
        if (i && v <= u16(values.ptr + 2 * i - 2))
            return bad(r, "an array is not in order", err);
        LAKE_TRY(put(r, base | v, err));
    }
    return LAKE_OK;
}

static lake_status read_bits(reader *r, uint64_t base, uint32_t cardinality, lake_error *err) {
    lake_bytes words;
    uint32_t n = 0;
    if (!lake_cursor_take(&r->at, BITS, &words))
        return bad(r, "a container of bits ends early", err);
    for (uint32_t w = 0; w < BITS / 8; w++) {
        uint64_t bits = lake_get_le64(words.ptr + 8 * w);
        n += (uint32_t)__builtin_popcountll(bits);
        for (; bits; bits &= bits - 1)
            LAKE_TRY(put(r, base | w * 64 | (uint64_t)__builtin_ctzll(bits), err));
    }
    return n == cardinality ? LAKE_OK : bad(r, "a container holds another number of bits than its header says", err);
}

static lake_status read_runs(reader *r, uint64_t base, uint32_t cardinality, lake_error *err) {
    lake_bytes head, runs;
    uint32_t total = 0, next = 0; /* the first position that the next run may begin at */
    if (!lake_cursor_take(&r->at, 2, &head) || !lake_cursor_take(&r->at, 4 * (uint64_t)u16(head.ptr), &runs))
        return bad(r, "runs end early", err);
    for (size_t i = 0; i < runs.len; i += 4) {
        uint32_t first = u16(runs.ptr + i), last = first + u16(runs.ptr + i + 2);
        if (first < next || last > UINT16_MAX)
            return bad(r, "runs are not in order", err);
        total += last - first + 1;
        next = last + 1;
        r->info.last = base | last;
        for (uint32_t v = first; r->visit && v <= last; v++)
            LAKE_TRY(put(r, base | v, err));
    }
    return total == cardinality ? LAKE_OK : bad(r, "runs hold another number of positions than their header says", err);
}

typedef struct layout {
    size_t begin; /* of the 32-bit bitmap */
    uint32_t n;
    lake_bytes run_flags, headers, offsets; /* of the containers; run_flags and offsets may be empty */
} layout;

static lake_status read_layout(reader *r, layout *l, lake_error *err) {
    uint32_t cookie;
    *l = (layout){.begin = (size_t)(r->at.at - r->at.begin)};
    if (!lake_cursor_le32(&r->at, &cookie))
        return bad(r, "no cookie", err);
    bool runs = (cookie & 0xffff) == COOKIE_RUNS;
    if (!runs && cookie != COOKIE)
        return bad(r, "an unknown cookie", err);
    l->n = (cookie >> 16) + 1;
    if (!runs && (!lake_cursor_le32(&r->at, &l->n) || l->n > 1 << 16))
        return bad(r, "too many containers", err);
    if (runs && !lake_cursor_take(&r->at, (l->n + 7) / 8, &l->run_flags))
        return bad(r, "the flags of the runs end early", err);
    if (!lake_cursor_take(&r->at, 4 * (uint64_t)l->n, &l->headers))
        return bad(r, "the headers of the containers end early", err);
    if ((!runs || l->n >= OFFSETS_FROM) && !lake_cursor_take(&r->at, 4 * (uint64_t)l->n, &l->offsets))
        return bad(r, "the offsets of the containers end early", err);
    return LAKE_OK;
}

/* One 32-bit bitmap, whose positions have `high` in their upper half. */
static lake_status read_bitmap(reader *r, uint64_t high, lake_error *err) {
    layout l;
    LAKE_TRY(read_layout(r, &l, err));
    for (uint32_t i = 0; i < l.n; i++) {
        uint16_t key = u16(l.headers.ptr + 4 * i);
        uint32_t cardinality = (uint32_t)u16(l.headers.ptr + 4 * i + 2) + 1;
        uint64_t base = high << 32 | (uint64_t)key << 16;
        if (i && key <= u16(l.headers.ptr + 4 * i - 4))
            return bad(r, "containers are not in order", err);
        if (l.offsets.len && lake_get_le32(l.offsets.ptr + 4 * i) != (size_t)(r->at.at - r->at.begin) - l.begin)
            return bad(r, "a container does not lie where its offset says", err);
        bool runs = l.run_flags.len && l.run_flags.ptr[i / 8] >> (i % 8) & 1;
        r->info.cardinality += cardinality;
        if (runs)
            LAKE_TRY(read_runs(r, base, cardinality, err));
        else if (cardinality <= ARRAY_MOST)
            LAKE_TRY(read_array(r, base, cardinality, err));
        else
            LAKE_TRY(read_bits(r, base, cardinality, err));
    }
    return LAKE_OK;
}

static lake_status read_all(reader *r, lake_error *err) {
    uint64_t n;
    uint32_t last = 0;
    if (!lake_cursor_le64(&r->at, &n))
        return bad(r, "no number of bitmaps", err);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t key;
        if (!lake_cursor_le32(&r->at, &key))
            return bad(r, "fewer bitmaps than stated", err);
        if (key > INT32_MAX || (i && key <= last))
            return bad(r, "the keys of the bitmaps are not in order", err);
        last = key;
        LAKE_TRY(read_bitmap(r, key, err));
    }
    if (lake_cursor_left(&r->at))
        return bad(r, "bytes follow the last bitmap", err);
    return r->visit ? give(r, err) : LAKE_OK;
}

lake_status lake_roaring_check(lake_bytes bitmap, lake_roaring_info *out, lake_error *err) {
    reader r = {.at = lake_cursor_of(bitmap.ptr, bitmap.len, 0)};
    LAKE_TRY(read_all(&r, err));
    *out = r.info;
    return LAKE_OK;
}

lake_status lake_roaring_read(lake_bytes bitmap, lake_roaring_visit visit, void *user, lake_error *err) {
    lake_roaring_info ignored;
    LAKE_TRY(lake_roaring_check(bitmap, &ignored, err)); /* nothing of a damaged bitmap goes out */
    reader r = {.at = lake_cursor_of(bitmap.ptr, bitmap.len, 0), .visit = visit, .user = user};
    return read_all(&r, err);
}
