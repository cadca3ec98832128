/* A stretch of a page that moves on. */
#include "wire/parquet_feed.h"

enum { STEP = 256 << 10 };

void lake_parquet_feed_open(lake_parquet_feed *f, lake_codec_stream *stream, uint64_t size) {
    lake_parquet_feed_close(f);
    f->stream = stream;
    f->left = size;
    lake_buffer_reset(&f->room);
}

void lake_parquet_feed_close(lake_parquet_feed *f) {
    lake_codec_stream_close(f->stream);
    f->stream = NULL;
    f->left = 0;
    f->has_crc = false;
}

void lake_parquet_feed_clear(lake_parquet_feed *f) {
    lake_parquet_feed_close(f);
    lake_buffer_clear(&f->room);
}

static lake_status check(lake_parquet_feed *f, lake_error *err) {
    uint32_t crc = lake_codec_stream_crc(f->stream);
    if (f->has_crc && crc != f->crc)
        return lake_fail(
            err, LAKE_ERR_MALFORMED, "the checksum of the page (%08x) is not that of its bytes (%08x)", f->crc, crc);
    return LAKE_OK;
}

lake_status lake_parquet_feed_more(
    lake_parquet_feed *f, const uint8_t *keep, size_t want, lake_bytes *out, lake_error *err) {
    size_t have = keep ? (size_t)(f->room.data + f->room.len - keep) : 0, got;
    if (!f->room.data && !lake_buffer_reserve(&f->room, STEP))
        return lake_fail_memory(err);
    if (have < want && f->left) {
        if (have)
            memmove(f->room.data, keep, have);
        f->room.len = have;
        size_t most = want > STEP ? want : STEP;
        if (!lake_buffer_reserve(&f->room, most - have))
            return lake_fail_memory(err);
        size_t n = most - have < f->left ? most - have : (size_t)f->left;
        LAKE_TRY(lake_codec_stream_read(f->stream, f->room.data + have, n, &got, err));
        f->room.len += n;
        f->left -= n;
        keep = f->room.data;
        have = f->room.len;
        if (!f->left)
            LAKE_TRY(check(f, err));
    }
    *out = (lake_bytes){keep ? keep : f->room.data + f->room.len, have};
    return LAKE_OK;
}

lake_status lake_parquet_feed_end(lake_parquet_feed *f, lake_error *err) {
    while (f->stream && f->left) {
        lake_bytes rest;
        LAKE_TRY(lake_parquet_feed_more(f, NULL, STEP, &rest, err));
    }
    lake_parquet_feed_close(f);
    return LAKE_OK;
}
