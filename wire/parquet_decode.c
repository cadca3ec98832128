/* The values of a page in batches, whatever their encoding. */
#include "wire/parquet_decode.h"

enum {
    PIECE = 1 << 20, /* bytes put together at a time, if a single value does not take more */
    AHEAD = 64 << 10 /* fed: more than a batch of numbers takes in any encoding */
};

lake_status lake_parquet_decoder_init(lake_parquet_decoder *d, lake_error *err) {
    memset(d, 0, sizeof *d);
    d->out = lake_mem_alloc(LAKE_PARQUET_BATCH * sizeof(lake_bytes));
    return d->out ? LAKE_OK : lake_fail_memory(err);
}

void lake_parquet_decoder_clear(lake_parquet_decoder *d) {
    lake_mem_free(d->out);
    lake_buffer_clear(&d->bytes);
    lake_buffer_clear(&d->held[0]);
    lake_buffer_clear(&d->held[1]);
    memset(d, 0, sizeof *d);
}

size_t lake_parquet_width(const lake_parquet_node *leaf) {
    switch (leaf->type) {
    case LAKE_PARQUET_BOOLEAN: return 1;
    case LAKE_PARQUET_INT32:
    case LAKE_PARQUET_FLOAT: return 4;
    case LAKE_PARQUET_INT64:
    case LAKE_PARQUET_DOUBLE: return 8;
    case LAKE_PARQUET_INT96: return 12;
    case LAKE_PARQUET_FIXED: return (size_t)leaf->type_length;
    default: return 0;
    }
}

static lake_status bad(const char *why, lake_error *err) {
    return lake_fail(err, LAKE_ERR_MALFORMED, "%s", why);
}

static lake_status refill(
    lake_parquet_decoder *d, const uint8_t **at, const uint8_t **end, size_t want, lake_error *err) {
    lake_bytes b;
    if (!d->feed || (size_t)(*end - *at) >= want)
        return LAKE_OK;
    LAKE_TRY(lake_parquet_feed_more(d->feed, *at, want, &b, err));
    *at = b.ptr;
    *end = b.ptr + b.len;
    return LAKE_OK;
}

lake_status lake_parquet_decoder_refill(lake_parquet_decoder *d, lake_error *err) {
    return refill(d, &d->rle.at, &d->rle.end, AHEAD, err);
}

static lake_status begin_delta(lake_delta *delta, lake_bytes b, size_t levels, lake_error *err) {
    if (!lake_delta_init(delta, b))
        return bad("the head of the delta encoding is damaged", err);
    if (delta->left > levels)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the delta encoding states %llu values in a page of %zu",
            (unsigned long long)delta->left, levels);
    return LAKE_OK;
}

/* Where a delta-encoded array ends: runs through a copy. */
static lake_status delta_end(const lake_delta *delta, lake_bytes *rest, lake_error *err) {
    lake_delta copy = *delta;
    uint64_t some[64];
    while (copy.left)
        if (!lake_delta_next(&copy, some, 64))
            return bad("the delta encoding is damaged or ends early", err);
    return lake_delta_rest(&copy, rest) ? LAKE_OK : bad("the delta encoding ends early", err);
}

/* Lengths of values, at the beginning of `in`, which moves on behind them. */
static lake_status begin_lengths(
    lake_parquet_decoder *d, lake_delta *delta, lake_buffer *held, size_t levels, lake_error *err) {
    lake_bytes b = {d->in.at, lake_cursor_left(&d->in)}, rest;
    if (!d->feed) {
        LAKE_TRY(begin_delta(delta, b, levels, err));
        LAKE_TRY(delta_end(delta, &rest, err));
        d->in = lake_cursor_of(rest.ptr, rest.len, 0);
        return LAKE_OK;
    }
    for (size_t want = AHEAD;; want *= 2) {
        LAKE_TRY(refill(d, &d->in.at, &d->in.end, want, err));
        b = (lake_bytes){d->in.at, lake_cursor_left(&d->in)};
        lake_status st = begin_delta(delta, b, levels, err);
        if (st == LAKE_OK)
            st = delta_end(delta, &rest, err);
        if (st == LAKE_OK)
            break;
        if (b.len < want)
            return st;
        if (want >= LAKE_PARQUET_HELD)
            return lake_fail(
                err, LAKE_ERR_LIMIT, "the lengths of the values take more than %d bytes", LAKE_PARQUET_HELD);
    }
    lake_buffer_reset(held);
    lake_buffer_put(held, b.ptr, (size_t)(rest.ptr - b.ptr));
    LAKE_TRY(lake_buffer_check(held, err));
    d->in.at = rest.ptr;
    return begin_delta(delta, lake_bytes_of(lake_buffer_view(held)), levels, err);
}

static lake_status begin_byte_arrays(lake_parquet_decoder *d, size_t levels, lake_error *err) {
    if (d->encoding == LAKE_PARQUET_ENC_DELTA_BYTE_ARRAY) {
        LAKE_TRY(begin_lengths(d, &d->prefixes, &d->held[1], levels, err));
        d->last_at = d->last_len = 0;
        lake_buffer_reset(&d->bytes);
    }
    return begin_lengths(d, &d->delta, &d->held[0], levels, err);
}

static bool encoding_fits(lake_parquet_type type, int32_t encoding) {
    bool is_bytes = type == LAKE_PARQUET_BYTE_ARRAY, fixed = type == LAKE_PARQUET_FIXED;
    bool is_int = type == LAKE_PARQUET_INT32 || type == LAKE_PARQUET_INT64;
    switch (encoding) {
    case LAKE_PARQUET_ENC_PLAIN: return true;
    case LAKE_PARQUET_ENC_PLAIN_DICTIONARY:
    case LAKE_PARQUET_ENC_RLE_DICTIONARY: return type != LAKE_PARQUET_BOOLEAN;
    case LAKE_PARQUET_ENC_RLE: return type == LAKE_PARQUET_BOOLEAN;
    case LAKE_PARQUET_ENC_DELTA_BINARY_PACKED: return is_int;
    case LAKE_PARQUET_ENC_DELTA_LENGTH_BYTE_ARRAY: return is_bytes;
    case LAKE_PARQUET_ENC_DELTA_BYTE_ARRAY: return is_bytes || fixed;
    case LAKE_PARQUET_ENC_BYTE_STREAM_SPLIT:
        return is_int || fixed || type == LAKE_PARQUET_FLOAT || type == LAKE_PARQUET_DOUBLE;
    default: return false;
    }
}

static lake_status begin_rle(lake_parquet_decoder *d, lake_error *err) {
    uint32_t n;
    uint8_t width = 1;
    lake_bytes b;
    LAKE_TRY(refill(d, &d->in.at, &d->in.end, AHEAD, err));
    if (d->encoding == LAKE_PARQUET_ENC_RLE) {
        if (!lake_cursor_le32(&d->in, &n) || (!d->feed && !lake_cursor_take(&d->in, n, &b)))
            return bad("the page ends before its run-length encoded values", err);
        if (d->feed)
            b = (lake_bytes){d->in.at, lake_cursor_left(&d->in)};
    } else {
        if (!lake_cursor_u8(&d->in, &width) || width > 32)
            return bad("the bit width of the dictionary indexes is missing or beyond 32", err);
        b = (lake_bytes){d->in.at, lake_cursor_left(&d->in)};
    }
    d->rle = lake_rle_of(b, width);
    return LAKE_OK;
}

lake_status lake_parquet_decoder_begin(lake_parquet_decoder *d, const lake_parquet_node *leaf, int32_t encoding,
    lake_bytes values, size_t levels, lake_error *err) {
    d->type = leaf->type;
    d->encoding = encoding;
    d->width = lake_parquet_width(leaf);
    d->in = lake_cursor_of(values.ptr, values.len, 0);
    d->skip = 0;
    if (!encoding_fits(leaf->type, encoding))
        return lake_fail(
            err, LAKE_ERR_UNSUPPORTED, "encoding %d is not known for %s", encoding, lake_parquet_type_name(leaf->type));
    switch (encoding) {
    case LAKE_PARQUET_ENC_PLAIN:
        if (d->type == LAKE_PARQUET_BOOLEAN)
            d->rle = (lake_rle){
                .at = values.ptr, .end = values.ptr + values.len, .width = 1, .packed = (uint64_t)values.len * 8};
        return LAKE_OK;
    case LAKE_PARQUET_ENC_DELTA_BINARY_PACKED:
        LAKE_TRY(refill(d, &d->in.at, &d->in.end, AHEAD, err));
        LAKE_TRY(begin_delta(&d->delta, (lake_bytes){d->in.at, lake_cursor_left(&d->in)}, levels, err));
        d->delta.own = d->feed;
        return LAKE_OK;
    case LAKE_PARQUET_ENC_DELTA_LENGTH_BYTE_ARRAY:
    case LAKE_PARQUET_ENC_DELTA_BYTE_ARRAY: return begin_byte_arrays(d, levels, err);
    case LAKE_PARQUET_ENC_BYTE_STREAM_SPLIT:
        d->split_n = values.len / d->width;
        d->split_at = 0;
        return LAKE_OK;
    default: return begin_rle(d, err);
    }
}

static lake_status ended(lake_error *err) {
    return bad("the page has fewer values than it states", err);
}

/* A value at `in` that may be longer than what is there: its first bytes, and the rest is passed over. */
static lake_status long_value(lake_parquet_decoder *d, uint64_t len, lake_bytes *out, lake_error *err) {
    size_t n = len > LAKE_PARQUET_LONGEST ? LAKE_PARQUET_LONGEST + 1 : (size_t)len;
    LAKE_TRY(refill(d, &d->in.at, &d->in.end, n, err));
    if (!lake_cursor_take(&d->in, n, out))
        return bad("a value reaches beyond its page", err);
    d->skip = len - n;
    return LAKE_OK;
}

static lake_status pass_over(lake_parquet_decoder *d, lake_error *err) {
    while (d->skip) {
        LAKE_TRY(refill(d, &d->in.at, &d->in.end, 1, err));
        size_t n = lake_cursor_left(&d->in);
        n = d->skip < n ? (size_t)d->skip : n;
        if (!n)
            return bad("a value reaches beyond its page", err);
        d->in.at += n;
        d->skip -= n;
    }
    return LAKE_OK;
}

/* Fed: a value that is not in the stretch in hand as a whole. */
static lake_status plain_long(lake_parquet_decoder *d, lake_parquet_values *out, lake_error *err) {
    uint32_t len;
    LAKE_TRY(refill(d, &d->in.at, &d->in.end, AHEAD, err));
    if (!lake_cursor_le32(&d->in, &len))
        return ended(err);
    LAKE_TRY(long_value(d, len, d->out, err));
    *out = (lake_parquet_values){1, d->out, 0};
    return LAKE_OK;
}

static lake_status plain_bytes(lake_parquet_decoder *d, size_t n, lake_parquet_values *out, lake_error *err) {
    lake_bytes *to = d->out;
    LAKE_TRY(pass_over(d, err));
    LAKE_TRY(refill(d, &d->in.at, &d->in.end, AHEAD, err));
    const uint8_t *p = d->in.at, *end = d->in.end;
    size_t i = 0;
    for (; i < n; i++) {
        if (end - p < 4)
            break;
        size_t len = lake_get_le32(p);
        if (len > (size_t)(end - p) - 4)
            break;
        to[i] = (lake_bytes){p + 4, len};
        p += 4 + len;
    }
    d->in.at = p;
    *out = (lake_parquet_values){i, to, 0};
    if (i == n || (i && d->feed))
        return LAKE_OK;
    if (d->feed)
        return plain_long(d, out, err);
    return end - p < 4 ? ended(err) : bad("a value reaches beyond its page", err);
}

static lake_status delta_ints(lake_parquet_decoder *d, size_t n, lake_parquet_values *out, lake_error *err) {
    uint64_t *to = d->out;
    LAKE_TRY(refill(d, &d->delta.in.at, &d->delta.in.end, AHEAD, err));
    if (lake_delta_next(&d->delta, to, n) != n)
        return bad("the delta encoding is damaged or ends early", err);
    if (d->type == LAKE_PARQUET_INT32) {
        uint32_t *narrow = d->out; /* in place, from the front: element i is written at or before where it is read */
        for (size_t i = 0; i < n; i++) {
            uint64_t v;
            memcpy(&v, (const uint8_t *)d->out + 8 * i, 8);
            uint32_t w = (uint32_t)v;
            memcpy(narrow + i, &w, 4);
        }
    }
    *out = (lake_parquet_values){n, d->out, d->width};
    return LAKE_OK;
}

static lake_status delta_lengths(lake_parquet_decoder *d, size_t n, lake_parquet_values *out, lake_error *err) {
    uint64_t lengths[256];
    lake_bytes *to = d->out;
    LAKE_TRY(pass_over(d, err));
    if (n > 256)
        n = 256;
    if (d->feed)
        n = 1;
    if (lake_delta_next(&d->delta, lengths, n) != n)
        return bad("the lengths of the values are damaged or end early", err);
    if (d->feed) {
        *out = (lake_parquet_values){1, to, 0};
        return long_value(d, lengths[0], to, err);
    }
    for (size_t i = 0; i < n; i++)
        if (!lake_cursor_take(&d->in, lengths[i], &to[i]))
            return bad("a value reaches beyond its page", err);
    *out = (lake_parquet_values){n, to, 0};
    return LAKE_OK;
}

/* Moves the value before to the beginning of `bytes`, which is what the next ones begin with. */
static void keep_last(lake_parquet_decoder *d) {
    if (d->last_len)
        memmove(d->bytes.data, d->bytes.data + d->last_at, d->last_len);
    d->bytes.len = d->last_len;
    d->last_at = 0;
}

/* One value: a prefix of the one before, and a suffix. */
static lake_status delta_byte_array(lake_parquet_decoder *d, lake_error *err) {
    uint64_t prefix, suffix;
    lake_bytes tail;
    if (lake_delta_next(&d->prefixes, &prefix, 1) != 1 || lake_delta_next(&d->delta, &suffix, 1) != 1)
        return bad("the lengths of prefixes and suffixes are damaged or end early", err);
    if (prefix > d->last_len)
        return bad("a prefix is longer than the value before", err);
    if (d->feed && (suffix > LAKE_PARQUET_LONGEST || prefix + suffix > LAKE_PARQUET_LONGEST))
        return lake_fail(err, LAKE_ERR_LIMIT,
            "a value of more than %d bytes in a page of the encoding DELTA_BYTE_ARRAY "
            "that is too large to be held",
            LAKE_PARQUET_LONGEST);
    LAKE_TRY(refill(d, &d->in.at, &d->in.end, (size_t)suffix, err));
    if (!lake_cursor_take(&d->in, suffix, &tail))
        return bad("a value reaches beyond its page", err);
    size_t at = d->bytes.len;
    if (!lake_buffer_reserve(&d->bytes, (size_t)prefix + tail.len + 1))
        return lake_fail_memory(err);
    if (prefix)
        memcpy(d->bytes.data + at, d->bytes.data + d->last_at, (size_t)prefix);
    d->bytes.len += (size_t)prefix;
    lake_buffer_put(&d->bytes, tail.ptr, tail.len);
    d->last_at = at;
    d->last_len = (size_t)prefix + tail.len;
    return LAKE_OK;
}

static lake_status delta_byte_arrays(lake_parquet_decoder *d, size_t n, lake_parquet_values *out, lake_error *err) {
    lake_bytes *to = d->out;
    size_t got = 0;
    keep_last(d);
    /* Offsets first: the buffer may move as it grows. */
    for (; got < n && (got == 0 || d->bytes.len < PIECE); got++) {
        LAKE_TRY(delta_byte_array(d, err));
        if (d->type == LAKE_PARQUET_FIXED && d->last_len != d->width)
            return bad("a value has not the length of its column's type", err);
        to[got] = (lake_bytes){(const uint8_t *)d->last_at, d->last_len};
    }
    size_t first = (size_t)to[0].ptr;
    for (size_t i = 0; i < got; i++)
        to[i].ptr = d->bytes.data + (size_t)to[i].ptr;
    /* Fixed ones stand side by side already. */
    *out = (lake_parquet_values){
        got, d->type == LAKE_PARQUET_FIXED ? (const void *)(d->bytes.data + first) : to, d->width};
    return LAKE_OK;
}

static lake_status split(lake_parquet_decoder *d, size_t n, lake_parquet_values *out, lake_error *err) {
    size_t w = d->width, most = PIECE / w;
    n = n > most ? (most ? most : 1) : n;
    if (n > d->split_n - d->split_at)
        return ended(err);
    lake_buffer_reset(&d->bytes);
    if (!lake_buffer_reserve(&d->bytes, n * w))
        return lake_fail_memory(err);
    const uint8_t *from = d->in.at + d->split_at;
    for (size_t k = 0; k < w; k++)
        for (size_t i = 0; i < n; i++)
            d->bytes.data[i * w + k] = from[k * d->split_n + i];
    d->split_at += n;
    *out = (lake_parquet_values){n, d->bytes.data, w};
    return LAKE_OK;
}

static lake_status plain(lake_parquet_decoder *d, size_t n, lake_parquet_values *out, lake_error *err) {
    lake_bytes b;
    if (d->type == LAKE_PARQUET_BYTE_ARRAY)
        return plain_bytes(d, n, out, err);
    if (d->feed && n > PIECE / d->width) {
        if (d->width > LAKE_PARQUET_LONGEST)
            return lake_fail(err, LAKE_ERR_LIMIT, "values of %zu bytes in a page too large to be held", d->width);
        n = PIECE / d->width ? PIECE / d->width : 1;
    }
    LAKE_TRY(refill(d, &d->in.at, &d->in.end, n * d->width, err));
    if (!lake_cursor_take(&d->in, (uint64_t)n * d->width, &b))
        return ended(err);
    *out = (lake_parquet_values){n, b.ptr, d->width};
    return LAKE_OK;
}

lake_status lake_parquet_decoder_next(lake_parquet_decoder *d, size_t n, lake_parquet_values *out, lake_error *err) {
    if (d->type == LAKE_PARQUET_BOOLEAN) {
        LAKE_TRY(lake_parquet_decoder_refill(d, err));
        if (lake_rle_next_u8(&d->rle, d->out, n) != n)
            return ended(err);
        *out = (lake_parquet_values){n, d->out, 1};
        return LAKE_OK;
    }
    switch (d->encoding) {
    case LAKE_PARQUET_ENC_PLAIN: return plain(d, n, out, err);
    case LAKE_PARQUET_ENC_DELTA_BINARY_PACKED: return delta_ints(d, n, out, err);
    case LAKE_PARQUET_ENC_DELTA_LENGTH_BYTE_ARRAY: return delta_lengths(d, n, out, err);
    case LAKE_PARQUET_ENC_DELTA_BYTE_ARRAY: return delta_byte_arrays(d, n, out, err);
    case LAKE_PARQUET_ENC_BYTE_STREAM_SPLIT: return split(d, n, out, err);
    default: return lake_fail(err, LAKE_ERR_INTERNAL, "dictionary indexes are not values");
    }
}

lake_status lake_parquet_decoder_indexes(
    lake_parquet_decoder *d, size_t n, size_t limit, const uint32_t **out, lake_error *err) {
    uint32_t *to = d->out, highest = 0;
    LAKE_TRY(lake_parquet_decoder_refill(d, err));
    if (lake_rle_next(&d->rle, to, n) != n)
        return ended(err);
    for (size_t i = 0; i < n; i++)
        highest = to[i] > highest ? to[i] : highest;
    if (highest >= limit)
        return lake_fail(err, LAKE_ERR_MALFORMED, "dictionary index %u, the dictionary has %zu values", highest, limit);
    *out = to;
    return LAKE_OK;
}
