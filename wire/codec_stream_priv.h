/* What the files of wire/codec_stream share. Not for others. */
#ifndef LAKE_WIRE_CODEC_STREAM_PRIV_H
#define LAKE_WIRE_CODEC_STREAM_PRIV_H

#include <zlib.h>

#include "wire/codec_block.h"
#include "wire/codec_stream.h"

struct lake_codec_stream {
    lake_codec_scratch *scratch;
    lake_codec codec;
    lake_codec_input input;
    uint64_t at, left; /* where the input goes on, and how much of it there is */
    lake_bytes in; /* read, not used yet */
    uint32_t crc;
    uint64_t summed; /* up to where */
    uint64_t size, given;
    bool ended, finished;
    z_stream z;
    bool z_begun;
    struct ZSTD_DCtx_s *zstd;
    void *brotli;
    void *frame; /* of LZ4's own frame format */
    /* block formats: what can be looked back at, and what is decoded but not given yet */
    lake_block block;
    lake_buffer room;
    size_t taken; /* up to where `room` is given */
    uint64_t decoded; /* in all */
    bool hadoop; /* framed: bytes left of the frame's output and of the block's input */
    uint64_t frame_left, block_left;
};

/* At least so many bytes in s->in, or all there are. */
LAKE_CHECK_RESULT lake_status lake_codec_stream_fill(lake_codec_stream *s, size_t least, lake_error *err);

LAKE_CHECK_RESULT lake_status lake_codec_stream_begin_block(lake_codec_stream *s, bool *possible, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_codec_stream_unblock(
    lake_codec_stream *s, uint8_t *to, size_t n, size_t *got, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_codec_stream_begin_brotli(lake_codec_stream *s, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_codec_stream_unbrotli(
    lake_codec_stream *s, uint8_t *to, size_t n, size_t *got, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_codec_stream_begin_frame(lake_codec_stream *s, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_codec_stream_unframe(
    lake_codec_stream *s, uint8_t *to, size_t n, size_t *got, lake_error *err);
void lake_codec_stream_end_loaded(lake_codec_stream *s);

#endif
