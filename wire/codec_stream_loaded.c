/* Decompression piece by piece by libraries that are loaded on first use: brotli, and LZ4's own frame format. */
#include "wire/codec_priv.h"
#include "wire/codec_stream_priv.h"

lake_status lake_codec_stream_begin_brotli(lake_codec_stream *s, lake_error *err) {
    void *(*make)(void *, void *, void *) = NULL;
    LAKE_TRY(lake_codec_symbol(s->scratch, LAKE_CODEC_LIBRARY_BROTLI, "BrotliDecoderCreateInstance", &make, err));
    s->brotli = make(NULL, NULL, NULL);
    return s->brotli ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_codec_stream_unbrotli(lake_codec_stream *s, uint8_t *to, size_t n, size_t *got, lake_error *err) {
    enum { BAD, DONE, NEEDS_INPUT, NEEDS_OUTPUT };
    int (*decode)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *) = NULL;
    LAKE_TRY(lake_codec_symbol(s->scratch, LAKE_CODEC_LIBRARY_BROTLI, "BrotliDecoderDecompressStream", &decode, err));
    size_t room = n;
    while (room == n && !s->ended) {
        LAKE_TRY(lake_codec_stream_fill(s, 1, err));
        int r = decode(s->brotli, &s->in.len, &s->in.ptr, &room, &to, NULL);
        s->ended = r == DONE;
        if (r == BAD || (r == NEEDS_INPUT && !s->in.len && !s->left))
            return lake_codec_bad("brotli", "the stream is damaged or ends early", err);
    }
    *got = n - room;
    return LAKE_OK;
}

lake_status lake_codec_stream_begin_frame(lake_codec_stream *s, lake_error *err) {
    size_t (*make)(void **, unsigned) = NULL;
    unsigned (*is_error)(size_t) = NULL;
    LAKE_TRY(lake_codec_symbol(s->scratch, LAKE_CODEC_LIBRARY_LZ4, "LZ4F_createDecompressionContext", &make, err));
    LAKE_TRY(lake_codec_symbol(s->scratch, LAKE_CODEC_LIBRARY_LZ4, "LZ4F_isError", &is_error, err));
    return is_error(make(&s->frame, 100)) ? lake_fail_memory(err) : LAKE_OK;
}

lake_status lake_codec_stream_unframe(lake_codec_stream *s, uint8_t *to, size_t n, size_t *got, lake_error *err) {
    size_t (*decode)(void *, void *, size_t *, const void *, size_t *, const void *) = NULL;
    unsigned (*is_error)(size_t) = NULL;
    LAKE_TRY(lake_codec_symbol(s->scratch, LAKE_CODEC_LIBRARY_LZ4, "LZ4F_decompress", &decode, err));
    LAKE_TRY(lake_codec_symbol(s->scratch, LAKE_CODEC_LIBRARY_LZ4, "LZ4F_isError", &is_error, err));
    for (*got = 0; !*got && !s->ended;) {
        LAKE_TRY(lake_codec_stream_fill(s, 1, err));
        size_t used = s->in.len, made = n;
        size_t want = decode(s->frame, to, &made, s->in.ptr, &used, NULL);
        if (is_error(want) || (!made && !used))
            return lake_codec_bad("lz4", "the frame is damaged or ends early", err);
        s->in.ptr += used;
        s->in.len -= used;
        s->ended = want == 0;
        *got = made;
    }
    return LAKE_OK;
}

/* Whatever made them can be loaded again. */
void lake_codec_stream_end_loaded(lake_codec_stream *s) {
    void (*discard)(void *) = NULL;
    size_t (*discard_frame)(void *) = NULL;
    if (s->brotli &&
        lake_codec_symbol(s->scratch, LAKE_CODEC_LIBRARY_BROTLI, "BrotliDecoderDestroyInstance", &discard, NULL) ==
            LAKE_OK)
        discard(s->brotli);
    if (s->frame &&
        lake_codec_symbol(s->scratch, LAKE_CODEC_LIBRARY_LZ4, "LZ4F_freeDecompressionContext", &discard_frame, NULL) ==
            LAKE_OK)
        discard_frame(s->frame);
}
