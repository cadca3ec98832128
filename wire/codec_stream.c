/* Decompression piece by piece: input, sizes, and the codecs whose libraries can stop anywhere. Block formats are in
   codec_stream_block.c. */
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_getFrameHeader */
#include "wire/codec_stream.h"

#include <libdeflate.h>
#include <zlib.h>
#include <zstd.h>

#include "wire/codec_priv.h"
#include "wire/codec_stream_priv.h"

enum { PIECE = 256 << 10 };

/* ---- input */

lake_status lake_codec_stream_fill(lake_codec_stream *s, size_t least, lake_error *err) {
    if (s->in.len >= least || !s->left)
        return LAKE_OK;
    /* The input is asked again for what is not used yet, so that it lies before what follows. */
    uint64_t from = s->at - s->in.len;
    size_t old = s->in.len, want = s->left < PIECE ? (size_t)s->left : PIECE;
    lake_bytes b;
    LAKE_TRY(s->input.read(s->input.user, from, old + want, &b, err));
    s->in = b;
    s->at += want;
    s->left -= want;
    if (s->at > s->summed) {
        size_t fresh = (size_t)(s->at - s->summed);
        s->crc = libdeflate_crc32(s->crc, b.ptr + b.len - fresh, fresh);
        s->summed = s->at;
    }
    return LAKE_OK;
}

void lake_codec_stream_rest(lake_codec_stream *s) {
    s->at -= s->in.len;
    s->left += s->in.len;
    s->in.len = 0;
}

static lake_status none(lake_codec_stream *s, uint8_t *to, size_t n, size_t *got, lake_error *err) {
    LAKE_TRY(lake_codec_stream_fill(s, 1, err));
    *got = s->in.len < n ? s->in.len : n;
    if (*got)
        memcpy(to, s->in.ptr, *got);
    s->in.ptr += *got;
    s->in.len -= *got;
    return LAKE_OK;
}

/* ---- gzip: one or more members */

static lake_status gunzip(lake_codec_stream *s, uint8_t *to, size_t n, size_t *got, lake_error *err) {
    *got = 0;
    for (;;) {
        LAKE_TRY(lake_codec_stream_fill(s, 1, err));
        if (s->ended)
            return LAKE_OK;
        s->z.next_in = (uint8_t *)(uintptr_t)s->in.ptr;
        s->z.avail_in = (unsigned)s->in.len;
        s->z.next_out = to;
        s->z.avail_out = n > UINT32_MAX ? UINT32_MAX : (unsigned)n;
        unsigned room = s->z.avail_out;
        int r = inflate(&s->z, Z_NO_FLUSH);
        *got = room - s->z.avail_out;
        s->in = (lake_bytes){s->z.next_in, s->z.avail_in};
        if (r == Z_STREAM_END) {
            LAKE_TRY(lake_codec_stream_fill(s, 1, err));
            if (s->in.len && *s->in.ptr == 0x1f)
                inflateReset(&s->z);
            else
                s->ended = true;
        } else if (r != Z_OK && r != Z_BUF_ERROR) {
            return r == Z_MEM_ERROR ? lake_fail_memory(err) : lake_codec_bad("gzip", "the stream is damaged", err);
        }
        if (*got)
            return LAKE_OK;
        if (r == Z_BUF_ERROR && !s->in.len && !s->left)
            return lake_codec_bad("gzip", "the stream ends early", err);
    }
}

/* ---- zstd */

static lake_status begin_zstd(lake_codec_stream *s, bool *possible, lake_error *err) {
    ZSTD_frameHeader head;
    LAKE_TRY(lake_codec_stream_fill(s, ZSTD_FRAMEHEADERSIZE_MAX, err));
    if (ZSTD_getFrameHeader(&head, s->in.ptr, s->in.len) != 0)
        return lake_codec_bad("zstd", "the frame is damaged or ends early", err);
    *possible = head.windowSize <= (unsigned long long)1 << LAKE_STREAM_ZSTD_WINDOW_LOG;
    if (!*possible)
        return LAKE_OK;
    s->zstd = ZSTD_createDCtx();
    if (!s->zstd || ZSTD_isError(ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, LAKE_STREAM_ZSTD_WINDOW_LOG)))
        return lake_fail_memory(err);
    return LAKE_OK;
}

static lake_status unzstd(lake_codec_stream *s, uint8_t *to, size_t n, size_t *got, lake_error *err) {
    ZSTD_outBuffer out = {to, n, 0};
    while (!out.pos) {
        LAKE_TRY(lake_codec_stream_fill(s, 1, err));
        if (!s->in.len && s->ended) /* between frames */
            break;
        ZSTD_inBuffer in = {s->in.ptr, s->in.len, 0};
        size_t r = ZSTD_decompressStream(s->zstd, &out, &in);
        if (ZSTD_isError(r))
            return lake_codec_bad("zstd", ZSTD_getErrorName(r), err);
        s->in.ptr += in.pos;
        s->in.len -= in.pos;
        s->ended = r == 0;
        if (!out.pos && !in.pos && !s->left && !s->ended)
            return lake_codec_bad("zstd", "the frame ends early", err);
    }
    *got = out.pos;
    return LAKE_OK;
}

/* ---- opening, reading */

static lake_status begin(lake_codec_stream *s, bool *possible, lake_error *err) {
    switch (s->codec) {
    case LAKE_CODEC_GZIP:
        if (inflateInit2(&s->z, 15 + 16) != Z_OK)
            return lake_fail_memory(err);
        s->z_begun = true;
        return LAKE_OK;
    case LAKE_CODEC_ZSTD: return begin_zstd(s, possible, err);
    case LAKE_CODEC_BROTLI: return lake_codec_stream_begin_brotli(s, err);
    case LAKE_CODEC_SNAPPY:
    case LAKE_CODEC_LZ4_RAW:
    case LAKE_CODEC_LZ4_HADOOP: return lake_codec_stream_begin_block(s, possible, err);
    default: return LAKE_OK;
    }
}

lake_status lake_codec_stream_open(lake_codec_scratch *scratch, lake_codec codec, const lake_codec_input *input,
    uint64_t offset, uint64_t n, uint64_t size, uint32_t crc, lake_codec_stream **out, lake_error *err) {
    *out = NULL;
    lake_codec_stream *s = lake_mem_zalloc(1, sizeof *s);
    if (!s)
        return lake_fail_memory(err);
    s->scratch = scratch;
    s->codec = codec;
    s->input = *input;
    s->at = s->summed = offset;
    s->crc = crc;
    s->left = n;
    s->size = size;
    s->in.ptr = (const uint8_t *)"";
    bool possible = true;
    lake_status st = begin(s, &possible, err);
    if (st != LAKE_OK || !possible) {
        lake_codec_stream_close(s);
        return st;
    }
    *out = s;
    return LAKE_OK;
}

static lake_status some(lake_codec_stream *s, uint8_t *to, size_t n, size_t *got, lake_error *err) {
    switch (s->codec) {
    case LAKE_CODEC_NONE: return none(s, to, n, got, err);
    case LAKE_CODEC_GZIP: return gunzip(s, to, n, got, err);
    case LAKE_CODEC_ZSTD: return unzstd(s, to, n, got, err);
    case LAKE_CODEC_BROTLI: return lake_codec_stream_unbrotli(s, to, n, got, err);
    case LAKE_CODEC_SNAPPY:
    case LAKE_CODEC_LZ4_RAW:
    case LAKE_CODEC_LZ4_HADOOP: return lake_codec_stream_unblock(s, to, n, got, err);
    default: return lake_fail(err, LAKE_ERR_UNSUPPORTED, "codec %s piece by piece", lake_codec_name(s->codec));
    }
}

/* Nothing may follow; what is left of the input goes into the checksum. */
static lake_status finish(lake_codec_stream *s, lake_error *err) {
    uint8_t one;
    size_t more = 0;
    if (s->finished)
        return LAKE_OK;
    s->finished = true;
    LAKE_TRY(some(s, &one, 1, &more, err));
    if (more)
        return lake_fail(err, LAKE_ERR_MALFORMED, "%s data: longer than the %llu bytes stated",
            lake_codec_name(s->codec), (unsigned long long)s->size);
    while (s->left) {
        s->in.len = 0;
        LAKE_TRY(lake_codec_stream_fill(s, 1, err));
    }
    return LAKE_OK;
}

lake_status lake_codec_stream_read(lake_codec_stream *s, uint8_t *to, size_t n, size_t *got, lake_error *err) {
    uint64_t there = s->size - s->given;
    n = n < there ? n : (size_t)there;
    for (*got = 0; *got < n;) {
        size_t k = 0;
        LAKE_TRY(some(s, to + *got, n - *got, &k, err));
        if (!k)
            return lake_fail(err, LAKE_ERR_MALFORMED, "%s data: %llu bytes instead of the %llu stated",
                lake_codec_name(s->codec), (unsigned long long)s->given + *got, (unsigned long long)s->size);
        *got += k;
    }
    s->given += n;
    return s->given == s->size ? finish(s, err) : LAKE_OK;
}

uint32_t lake_codec_stream_crc(const lake_codec_stream *s) {
    return s->crc;
}

void lake_codec_stream_close(lake_codec_stream *s) {
    if (!s)
        return;
    if (s->z_begun)
        inflateEnd(&s->z);
    ZSTD_freeDCtx(s->zstd);
    lake_codec_stream_end_loaded(s);
    lake_buffer_clear(&s->room);
    lake_mem_free(s);
}
