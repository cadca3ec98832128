/* The decoded bytes of a page that is too large to be held: a stretch at a time. */
#ifndef LAKE_WIRE_PARQUET_FEED_H
#define LAKE_WIRE_PARQUET_FEED_H

#include "wire/codec_stream.h"

enum {
    LAKE_PARQUET_WHOLE = 8 << 20, /* larger pages are fed */
    LAKE_PARQUET_HELD = 8 << 20, /* the most that is held of a page at once: levels, lengths of values */
    /* Of a fed value that is longer, the first LAKE_PARQUET_LONGEST + 1 bytes are given. */
    LAKE_PARQUET_LONGEST = 4 << 20
};

typedef struct lake_parquet_feed {
    lake_codec_stream *stream; /* NULL: closed */
    uint64_t left; /* bytes still to come from it */
    bool has_crc;
    uint32_t crc;
    lake_buffer room;
} lake_parquet_feed;

/* Begins to feed; takes over the stream, which gives `size` bytes. */
void lake_parquet_feed_open(lake_parquet_feed *f, lake_codec_stream *stream, uint64_t size);
/* At least `want` bytes from `keep` on (a place in the stretch given before; NULL: its end), or all there are. *out
   begins with `keep` and takes the place of what was given before. */
LAKE_CHECK_RESULT lake_status lake_parquet_feed_more(
    lake_parquet_feed *f, const uint8_t *keep, size_t want, lake_bytes *out, lake_error *err);
/* Reads what is left, for the checks at the end. */
LAKE_CHECK_RESULT lake_status lake_parquet_feed_end(lake_parquet_feed *f, lake_error *err);
void lake_parquet_feed_close(lake_parquet_feed *f); /* keeps its memory */
void lake_parquet_feed_clear(lake_parquet_feed *f);

#endif
