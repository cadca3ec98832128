/* Decompression piece by piece, for blocks that are too large to be held: what is needed to look back lies in the
   stream, and never grows with the block. */
#ifndef LAKE_WIRE_CODEC_STREAM_H
#define LAKE_WIRE_CODEC_STREAM_H

#include "wire/codec.h"

enum {
    /* How far copies of snappy may reach back. Its writers cut blocks of 64 KiB; the format itself has no limit. */
    LAKE_STREAM_SNAPPY_FAR = 256 << 10,
    LAKE_STREAM_ZSTD_WINDOW_LOG = 24 /* 16 MiB: enough for all levels up to 19 */
};

/* Compressed bytes: n of them at an offset, good until the next call. */
typedef struct lake_codec_input {
    lake_status (*read)(void *user, uint64_t offset, size_t n, lake_bytes *out, lake_error *err);
    void *user;
} lake_codec_input;

typedef struct lake_codec_stream lake_codec_stream;

/* A block of n bytes at `offset` that decompresses to exactly `size`. *out NULL: it cannot be read piece by piece
   (zstd with a window that is larger than the limit). crc: the CRC-32 of what lies before, or 0. The scratch must live
   as long as the stream. */
LAKE_CHECK_RESULT lake_status lake_codec_stream_open(lake_codec_scratch *scratch, lake_codec codec,
    const lake_codec_input *input, uint64_t offset, uint64_t n, uint64_t size, uint32_t crc, lake_codec_stream **out,
    lake_error *err);
/* Up to n bytes; *got less than n only at the end, where the sizes are checked. */
LAKE_CHECK_RESULT lake_status lake_codec_stream_read(
    lake_codec_stream *s, uint8_t *to, size_t n, size_t *got, lake_error *err);
/* Before anything else is read from the input: what was read of it and is not used will be read again. */
void lake_codec_stream_rest(lake_codec_stream *s);
/* After the end: the CRC-32 of the compressed bytes. */
uint32_t lake_codec_stream_crc(const lake_codec_stream *s);
void lake_codec_stream_close(lake_codec_stream *s); /* NULL is fine */

#endif
