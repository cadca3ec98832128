/* DELTA_BINARY_PACKED (parquet-Encodings.md, "Delta Encoding"). */
#include "wire/parquet_decode.h"

enum { MAX_BLOCK = 1 << 24 };

bool lake_delta_init(lake_delta *d, lake_bytes b) {
    uint64_t block, minis, total;
    int64_t first;
    *d = (lake_delta){.in = lake_cursor_of(b.ptr, b.len, 0), .first = true};
    if (!lake_cursor_varint(&d->in, &block) || !lake_cursor_varint(&d->in, &minis) ||
        !lake_cursor_varint(&d->in, &total) || !lake_cursor_zigzag(&d->in, &first))
        return false;
    if (!block || block > MAX_BLOCK || !minis || block % minis || block / minis % 32)
        return false;
    d->minis = (uint32_t)minis;
    d->per_mini = (uint32_t)(block / minis);
    d->mini = d->minis; /* a block's head comes first */
    d->left = total;
    d->value = (uint64_t)first;
    return true;
}

static bool next_block(lake_delta *d) {
    int64_t min_delta;
    if (!lake_cursor_zigzag(&d->in, &min_delta) || !lake_cursor_take(&d->in, d->minis, &d->widths))
        return false;
    if (d->own) {
        if (d->minis > sizeof d->room)
            return false;
        memcpy(d->room, d->widths.ptr, d->minis);
        d->widths.ptr = d->room;
    }
    d->min_delta = (uint64_t)min_delta;
    d->mini = 0;
    d->used = 0;
    return true;
}

/* 32 values of `width` bits; p has 8 bytes more than they take. */
static void unpack_32(const uint8_t *p, unsigned width, uint64_t *out) {
    uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    for (unsigned i = 0; i < 32; i++) {
        unsigned bit = i * width, shift = bit & 7;
        uint64_t v = lake_get_le64(p + (bit >> 3)) >> shift;
        if (shift + width > 64)
            v |= (uint64_t)p[(bit >> 3) + 8] << (64 - shift);
        out[i] = v & mask;
    }
}

/* Unpacks the next 32 deltas and sums them up to values. */
static bool refill(lake_delta *d) {
    if (d->mini == d->minis && !next_block(d))
        return false;
    unsigned width = d->widths.ptr[d->mini];
    lake_bytes packed;
    uint8_t room[32 * 8 + 16];
    if (width > 64 || !lake_cursor_take(&d->in, width * 4, &packed))
        return false;
    memcpy(room, packed.ptr, packed.len);
    memset(room + packed.len, 0, 16);
    unpack_32(room, width, d->ready);
    uint64_t v = d->value;
    for (unsigned i = 0; i < 32; i++)
        d->ready[i] = v += d->ready[i] + d->min_delta;
    d->nready = 32;
    d->at_ready = 0;
    d->used += 32;
    if (d->used == d->per_mini) {
        d->used = 0;
        d->mini++;
    }
    return true;
}

size_t lake_delta_next(lake_delta *d, uint64_t *out, size_t n) {
    size_t done = 0;
    if (d->first && d->left && n) {
        out[done++] = d->value;
        d->first = false;
        d->left--;
    }
    while (done < n && d->left) {
        if (d->at_ready == d->nready && !refill(d))
            break;
        size_t k = d->nready - d->at_ready;
        k = k < n - done ? k : n - done;
        k = k < d->left ? k : (size_t)d->left;
        memcpy(out + done, d->ready + d->at_ready, k * sizeof *out);
        d->at_ready += (uint32_t)k;
        d->value = d->ready[d->at_ready - 1];
        done += k;
        d->left -= k;
    }
    return done;
}

bool lake_delta_rest(lake_delta *d, lake_bytes *out) {
    if (d->left ||
        (d->used && !lake_cursor_skip(&d->in, (uint64_t)(d->per_mini - d->used) / 8 * d->widths.ptr[d->mini])))
        return false;
    d->used = 0;
    *out = (lake_bytes){d->in.at, lake_cursor_left(&d->in)};
    return true;
}
