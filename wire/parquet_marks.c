/* Of dictionaries: which values are referred to, and those values. */
#include "wire/parquet_column.h"

static lake_status at_page(const lake_parquet_column *c, lake_status status, lake_error *err) {
    if (err && status != LAKE_OK && err->offset < 0)
        err->offset = c->page_at;
    return lake_wrap(err, status, "page at byte %lld", (long long)c->page_at);
}

static lake_status room_for(lake_parquet_marks *m, size_t n, lake_error *err) {
    size_t len = m->bytes.len;
    if (n <= len)
        return LAKE_OK;
    if (!lake_buffer_reserve(&m->bytes, n - len))
        return lake_fail_memory(err);
    memset(m->bytes.data + len, 0, n - len);
    m->bytes.len = n;
    return LAKE_OK;
}

/* There is a mark for each index that the bit width can express, so none has to be tested; marks behind the
   dictionary's end give bad ones away. */
static lake_status mark_all(lake_parquet_column *c, lake_parquet_marks *m, lake_error *err) {
    size_t values = c->dictionary.n, places = (size_t)1 << c->decoder.rle.width;
    LAKE_TRY(room_for(m, places > values ? places : values, err));
    lake_rle_marks marks = {m->bytes.data, m->first == values && places <= values};
    for (size_t left = c->pending, n; left; left -= n) {
        n = c->decoder.feed && left > LAKE_PARQUET_BATCH ? LAKE_PARQUET_BATCH : left;
        LAKE_TRY(lake_parquet_decoder_refill(&c->decoder, err));
        if (lake_rle_mark(&c->decoder.rle, n, &marks) != n)
            return lake_fail(err, LAKE_ERR_MALFORMED, "the page has fewer values than it states");
    }
    const uint8_t *beyond = places > values ? memchr(m->bytes.data + values, 1, places - values) : NULL;
    if (beyond)
        return lake_fail(err, LAKE_ERR_MALFORMED, "dictionary index %zu, the dictionary has %zu values",
            (size_t)(beyond - m->bytes.data), values);
    return LAKE_OK;
}

static lake_status mark_each(lake_parquet_column *c, lake_parquet_marks *m, lake_error *err) {
    LAKE_TRY(room_for(m, c->dictionary.n, err));
    for (size_t left = c->pending, n; left; left -= n) {
        const uint32_t *index;
        n = left < LAKE_PARQUET_BATCH ? left : LAKE_PARQUET_BATCH;
        LAKE_TRY(lake_parquet_decoder_indexes(&c->decoder, n, c->dictionary.n, &index, err));
        for (size_t i = 0; i < n; i++)
            m->bytes.data[index[i]] = 1;
    }
    return LAKE_OK;
}

static lake_status mark(lake_parquet_column *c, lake_parquet_marks *m, lake_error *err) {
    enum { WIDEST = 20 };
    if (!c->pending)
        return LAKE_OK;
    LAKE_TRY(lake_parquet_column_begin_values(c, err));
    LAKE_TRY(c->decoder.rle.width <= WIDEST ? mark_all(c, m, err) : mark_each(c, m, err));
    c->pending = 0;
    while (m->first < c->dictionary.n && m->bytes.data[m->first] & 1)
        m->first++;
    return LAKE_OK;
}

lake_status lake_parquet_column_mark(lake_parquet_column *c, lake_parquet_marks *marks, lake_error *err) {
    return at_page(c, mark(c, marks, err), err);
}

/* ---- the values */

/* The marked ones among n values of `width` bytes, side by side. */
static size_t gather(const uint8_t *data, const uint8_t *marks, size_t n, size_t width, uint8_t *to) {
    size_t got = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(marks[i] & 1))
            continue;
        if (width == 8)
            memcpy(to + got * 8, data + i * 8, 8);
        else if (width == 4)
            memcpy(to + got * 4, data + i * 4, 4);
        else
            memcpy(to + got * width, data + i * width, width);
        got++;
    }
    return got;
}

typedef struct taker {
    lake_parquet_column *c;
    const lake_parquet_marks *marks;
    lake_parquet_take take;
    void *user;
} taker;

static lake_status take_marked(void *user, const lake_parquet_values *values, size_t at, lake_error *err) {
    const taker *t = user;
    lake_buffer *room = &t->c->gather;
    size_t width = values->width ? values->width : sizeof(lake_bytes);
    lake_buffer_reset(room);
    if (!lake_buffer_reserve(room, values->n * width))
        return lake_fail_memory(err);
    lake_parquet_values v = *values;
    v.n = gather(values->data, t->marks->bytes.data + at, values->n, width, room->data);
    v.data = room->data;
    return v.n ? t->take(t->user, &v, err) : LAKE_OK;
}

lake_status lake_parquet_column_marked(
    lake_parquet_column *c, const lake_parquet_marks *marks, lake_parquet_take take, void *user, lake_error *err) {
    taker t = {c, marks, take, user};
    return c->has_dictionary && marks->bytes.len ? lake_parquet_column_each(c, take_marked, &t, err) : LAKE_OK;
}

/* The decoder reads the dictionary as if it were a page of plain values. */
static lake_status begin_dictionary(lake_parquet_column *c, lake_error *err) {
    const lake_parquet_page *p = &c->dictionary_page;
    lake_bytes bytes = c->dictionary_bytes;
    c->decoder.feed = NULL;
    if (c->dictionary_at) {
        lake_codec codec;
        LAKE_TRY(lake_parquet_codec(c->chunk->codec, &codec, err));
        if (c->feed.stream)
            lake_codec_stream_rest(c->feed.stream);
        LAKE_TRY(lake_parquet_column_feed(
            c, p, c->dictionary_at, p->compressed, p->uncompressed, 0, codec, &c->dictionary_feed, err));
        if (!c->dictionary_feed.stream)
            return lake_fail(err, LAKE_ERR_LIMIT,
                "a dictionary of %zu bytes cannot be read piece by piece with codec %d", p->uncompressed,
                c->chunk->codec);
        c->decoder.feed = &c->dictionary_feed;
        bytes = (lake_bytes){0};
    }
    return lake_parquet_decoder_begin(&c->decoder, c->leaf, LAKE_PARQUET_ENC_PLAIN, bytes, c->dictionary.n, err);
}

static lake_status each(lake_parquet_column *c, lake_parquet_take_at take, void *user, lake_error *err) {
    size_t n = c->dictionary.n, width = c->dictionary.width, most = LAKE_PARQUET_BATCH;
    if (width > 512) /* gathered values take a megabyte at most, if one does not take more */
        most = width > 1 << 20 ? 1 : (1 << 20) / width;
    LAKE_TRY(begin_dictionary(c, err));
    for (size_t at = 0; at < n;) {
        lake_parquet_values v;
        LAKE_TRY(lake_parquet_decoder_next(&c->decoder, n - at < most ? n - at : most, &v, err));
        LAKE_TRY(take(user, &v, at, err));
        at += v.n;
    }
    return lake_parquet_feed_end(&c->dictionary_feed, err);
}

lake_status lake_parquet_column_each(lake_parquet_column *c, lake_parquet_take_at take, void *user, lake_error *err) {
    lake_parquet_feed *feed = c->decoder.feed;
    lake_status st = each(c, take, user, err);
    c->decoder.feed = feed;
    lake_parquet_feed_close(&c->dictionary_feed);
    return lake_wrap(err, st, "dictionary");
}
