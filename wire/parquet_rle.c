/* Runs and bit-packed groups (parquet-Encodings.md, "Run Length Encoding / Bit-Packing Hybrid"), and levels made of
 * them. */
#include "wire/parquet_decode.h"

/* Reads the head of the next run; false at the end or at damage. */
static bool next_run(lake_rle *r) {
    lake_cursor c = lake_cursor_of(r->at, (size_t)(r->end - r->at), 0);
    uint64_t head;
    while (lake_cursor_left(&c) && lake_cursor_varint(&c, &head)) {
        uint64_t n = head >> 1;
        if (n > UINT32_MAX)
            return false;
        if (head & 1) {
            r->packed = n * 8;
            r->bit = 0;
        } else {
            lake_bytes b;
            if (!lake_cursor_take(&c, (r->width + 7) / 8, &b))
                return false;
            r->value = 0;
            for (size_t i = 0; i < b.len; i++)
                r->value |= (uint32_t)b.ptr[i] << (8 * i);
            r->run = n;
        }
        r->at = c.at;
        if (r->run || r->packed)
            return true;
    }
    return false;
}

/* How many of the next n values come from the bit-packed stretch in hand: the last one may be shorter than its head
   says, and readers take what is there. */
static size_t packed_now(const lake_rle *r, size_t n) {
    uint64_t k = r->packed < n ? r->packed : n;
    if (r->width) {
        uint64_t there = ((uint64_t)(r->end - r->at) * 8 - r->bit) / r->width;
        k = there < k ? there : k;
    }
    return (size_t)k;
}

static void advance(lake_rle *r, uint64_t n) {
    uint64_t bits = r->bit + n * r->width;
    r->packed -= n;
    r->at += bits / 8;
    r->bit = bits % 8;
    if (!r->packed && r->bit) { /* the next head begins on a byte */
        r->at++;
        r->bit = 0;
    }
}

/* One value that begins `bit` bits into p, with only what is before `end` readable. */
static uint32_t unpack_slow(const uint8_t *p, const uint8_t *end, unsigned bit, unsigned width) {
    uint64_t v = 0;
    size_t n = (size_t)(end - p) < 8 ? (size_t)(end - p) : 8;
    memcpy(&v, p, n);
    return (uint32_t)(v >> bit & (((uint64_t)1 << width) - 1));
}

static void unpack(const lake_rle *r, uint32_t *out, size_t n) {
    uint64_t bit = r->bit, mask = ((uint64_t)1 << r->width) - 1;
    const uint8_t *p = r->at;
    size_t i = 0;
    if (!r->width) {
        memset(out, 0, n * sizeof *out);
        return;
    }
    size_t left = (size_t)(r->end - p);
    if (left >= 8) {
        uint64_t safe = ((uint64_t)left - 8) * 8 / r->width; /* values whose 8 bytes are all inside */
        for (; i < n && i < safe; i++, bit += r->width)
            out[i] = (uint32_t)(lake_get_le64(p + (bit >> 3)) >> (bit & 7) & mask);
    }
    for (; i < n; i++, bit += r->width)
        out[i] = unpack_slow(p + (bit >> 3), r->end, bit & 7, r->width);
}

size_t lake_rle_next(lake_rle *r, uint32_t *out, size_t n) {
    size_t done = 0;
    while (done < n) {
        if (r->run) {
            size_t k = r->run < n - done ? (size_t)r->run : n - done;
            for (size_t i = 0; i < k; i++)
                out[done + i] = r->value;
            r->run -= k;
            done += k;
        } else if (r->packed) {
            size_t k = packed_now(r, n - done);
            if (!k)
                break;
            unpack(r, out + done, k);
            advance(r, k);
            done += k;
        } else if (!next_run(r)) {
            break;
        }
    }
    return done;
}

/* Marks the values of a packed stretch; n of them are there. Stores only: the same places come again and again, and
   a load would wait for the store before it. */
static void mark_packed(const lake_rle *r, size_t n, uint8_t *restrict marks) {
    uint64_t bit = r->bit, mask = ((uint64_t)1 << r->width) - 1;
    const uint8_t *p = r->at, *end = r->end;
    unsigned width = r->width;
    size_t i = 0, left;
    if (bit == 0 && width <= 8) /* eight values are `width` bytes */
        for (; i + 8 <= n && (size_t)(end - p) >= 8; i += 8, p += width) {
            uint64_t v = lake_get_le64(p);
            for (unsigned k = 0; k < 8; k++, v >>= width)
                marks[v & mask] = 1;
        }
    left = (size_t)(end - p);
    if (left >= 8) {
        uint64_t safe = ((uint64_t)left - 8) * 8 / width;
        size_t most = safe < n - i ? i + (size_t)safe : n;
        for (; i < most; i++, bit += width)
            marks[lake_get_le64(p + (bit >> 3)) >> (bit & 7) & mask] = 1;
    }
    for (; i < n; i++, bit += width)
        marks[unpack_slow(p + (bit >> 3), end, bit & 7, width)] = 1;
}

static size_t mark_some(lake_rle *r, size_t n, const lake_rle_marks *m) {
    if (r->run) {
        size_t k = r->run < n ? (size_t)r->run : n;
        m->marks[r->value] = 1;
        r->run -= k;
        return k;
    }
    size_t k = packed_now(r, n);
    if (!r->width)
        m->marks[0] = 1;
    else if (k && !m->all)
        mark_packed(r, k, m->marks);
    advance(r, k);
    return k;
}

size_t lake_rle_mark(lake_rle *r, size_t n, const lake_rle_marks *m) {
    size_t done = 0;
    while (done < n) {
        if (!r->run && !r->packed && !next_run(r))
            break;
        if (r->run && r->width < 32 && r->value >> r->width)
            break;
        size_t k = mark_some(r, n - done, m);
        if (!k)
            break;
        done += k;
    }
    return done;
}

/* Eight bits as eight bytes, the lowest first. */
static uint64_t spread(uint8_t bits) {
    uint64_t v = bits * 0x0101010101010101ull & 0x8040201008040201ull;
    return (v + 0x7f7f7f7f7f7f7f7full) >> 7 & 0x0101010101010101ull;
}

static void unpack_u8(const lake_rle *r, uint8_t *out, size_t n) {
    uint32_t some[64];
    size_t i = 0;
    if (r->width == 1 && r->bit == 0)
        for (; i + 8 <= n; i += 8) {
            uint64_t v = spread(r->at[i / 8]);
            memcpy(out + i, &v, 8);
        }
    lake_rle rest = *r;
    if (i)
        advance(&rest, i);
    while (i < n) {
        size_t k = n - i < 64 ? n - i : 64;
        unpack(&rest, some, k);
        for (size_t j = 0; j < k; j++)
            out[i + j] = (uint8_t)some[j];
        advance(&rest, k);
        i += k;
    }
}

size_t lake_rle_next_u8(lake_rle *r, uint8_t *out, size_t n) {
    size_t done = 0;
    while (done < n) {
        if (r->run) {
            size_t k = r->run < n - done ? (size_t)r->run : n - done;
            memset(out + done, (int)(uint8_t)r->value, k);
            r->run -= k;
            done += k;
        } else if (r->packed) {
            size_t k = packed_now(r, n - done);
            if (!k)
                break;
            unpack_u8(r, out + done, k);
            advance(r, k);
            done += k;
        } else if (!next_run(r)) {
            break;
        }
    }
    return done;
}

/* Bits that are set among the first n of a packed stretch of width 1 that begins on a byte. */
static uint64_t ones(const uint8_t *p, size_t n) {
    uint64_t sum = 0;
    for (; n >= 64; n -= 64, p += 8)
        sum += (uint64_t)__builtin_popcountll(lake_get_le64(p));
    for (; n >= 8; n -= 8, p++)
        sum += (uint64_t)__builtin_popcount(*p);
    return n ? sum + (uint64_t)__builtin_popcount(*p & ((1u << n) - 1)) : sum;
}

static void count_packed(const lake_rle *r, size_t n, uint64_t counts[256]) {
    uint8_t some[256];
    if (r->width == 1 && r->bit == 0) {
        uint64_t set = ones(r->at, n);
        counts[1] += set;
        counts[0] += n - set;
        return;
    }
    lake_rle rest = *r;
    while (n) {
        size_t k = n < sizeof some ? n : sizeof some;
        unpack_u8(&rest, some, k);
        for (size_t i = 0; i < k; i++)
            counts[some[i]]++;
        advance(&rest, k);
        n -= k;
    }
}

static size_t count_rle(lake_rle *r, size_t n, uint64_t counts[256]) {
    size_t done = 0;
    while (done < n) {
        size_t k;
        if (r->run) {
            k = r->run < n - done ? (size_t)r->run : n - done;
            counts[r->value & 255] += k;
            r->run -= k;
        } else if (r->packed) {
            k = packed_now(r, n - done);
            if (!k)
                break;
            count_packed(r, k, counts);
            advance(r, k);
        } else {
            if (!next_run(r))
                break;
            continue;
        }
        done += k;
    }
    return done;
}

static unsigned bits_for(unsigned max) {
    return max ? 32 - (unsigned)__builtin_clz(max) : 0;
}

lake_parquet_levels lake_parquet_levels_of(lake_bytes b, int32_t encoding, uint8_t max) {
    if (!b.ptr)
        b = (lake_bytes){(const uint8_t *)"", 0};
    return (lake_parquet_levels){lake_rle_of(b, bits_for(max)), encoding == LAKE_PARQUET_ENC_BIT_PACKED, max};
}

static size_t next_msb(lake_rle *r, uint8_t *out, size_t n) {
    size_t i = 0;
    for (; i < n; i++) {
        unsigned v = 0;
        for (unsigned k = 0; k < r->width; k++) {
            if (r->at == r->end)
                return i;
            v = v << 1 | (*r->at >> (7 - r->bit) & 1);
            if (++r->bit == 8) {
                r->bit = 0;
                r->at++;
            }
        }
        out[i] = (uint8_t)v;
    }
    return i;
}

bool lake_parquet_levels_next(lake_parquet_levels *l, uint8_t *out, size_t n) {
    size_t got = l->msb ? next_msb(&l->rle, out, n) : lake_rle_next_u8(&l->rle, out, n);
    uint8_t highest = 0;
    for (size_t i = 0; i < got; i++)
        highest = out[i] > highest ? out[i] : highest;
    return got == n && highest <= l->max;
}

bool lake_parquet_levels_count(lake_parquet_levels *l, size_t n, uint64_t counts[256]) {
    uint8_t some[256];
    memset(counts, 0, 256 * sizeof *counts);
    if (l->msb) {
        while (n) {
            size_t k = n < sizeof some ? n : sizeof some;
            if (next_msb(&l->rle, some, k) != k)
                return false;
            for (size_t i = 0; i < k; i++)
                counts[some[i]]++;
            n -= k;
        }
    } else if (count_rle(&l->rle, n, counts) != n) {
        return false;
    }
    uint64_t beyond = 0;
    for (size_t i = (size_t)l->max + 1; i < 256; i++)
        beyond += counts[i];
    return !beyond;
}
