/* What the files of wire/codec share: the scratch and the helpers for output. Not for others. */
#ifndef LAKE_WIRE_CODEC_PRIV_H
#define LAKE_WIRE_CODEC_PRIV_H

#include "wire/codec.h"

/* How much comes out: `size` bytes exactly, or about `size` (0: no idea); never more than `limit`. */
typedef struct lake_codec_room {
    size_t size, limit;
    bool exact;
} lake_codec_room;

enum {
    LAKE_CODEC_LIBRARY_SNAPPY,
    LAKE_CODEC_LIBRARY_LZ4,
    LAKE_CODEC_LIBRARY_BROTLI,
    LAKE_CODEC_LIBRARY_BZIP2,
    LAKE_CODEC_LIBRARY_XZ,
    LAKE_CODEC_LIBRARIES
};

struct lake_codec_scratch {
    struct libdeflate_decompressor *inflate;
    struct libdeflate_compressor *deflate;
    int deflate_level;
    struct ZSTD_DCtx_s *zstd_d;
    struct ZSTD_CCtx_s *zstd_c;
    void *library[LAKE_CODEC_LIBRARIES]; /* handles of dlopen: snappy, lz4, brotli, bzip2, xz */
};

/* A function of one of the libraries, which is loaded if need be; `function` is a pointer to a function pointer. */
lake_status lake_codec_symbol(lake_codec_scratch *s, int which, const char *name, void *function, lake_error *err);

/* Checks a claimed size against what `in_len` bytes can become at best (ratio : 1). */
lake_status lake_codec_plausible(
    const char *name, const lake_codec_room *room, size_t in_len, size_t ratio, lake_error *err);
/* Room to begin with in `out` (at least 1 byte), for a codec that has to be retried with more. */
size_t lake_codec_first_cap(const lake_codec_room *room, const lake_buffer *out, size_t guess);
/* Twice as much as `cap`; LIMIT if the limit was reached already. */
lake_status lake_codec_more(const char *name, const lake_codec_room *room, size_t *cap, lake_error *err);
lake_status lake_codec_grow(lake_buffer *out, size_t cap, lake_error *err); /* capacity of at least cap bytes in all */
lake_status lake_codec_bad(const char *name, const char *why, lake_error *err);

lake_status lake_codec_inflate(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err);
lake_status lake_codec_gunzip(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err);
lake_status lake_codec_deflate(
    lake_codec_scratch *s, bool gzip, int level, lake_bytes in, lake_buffer *out, lake_error *err);
lake_status lake_codec_unzstd(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err);
lake_status lake_codec_zstd(lake_codec_scratch *s, int level, lake_bytes in, lake_buffer *out, lake_error *err);
void lake_codec_deflate_free(lake_codec_scratch *s);
void lake_codec_zstd_free(lake_codec_scratch *s);

lake_status lake_codec_unsnappy(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err);
lake_status lake_codec_snappy(lake_codec_scratch *s, lake_bytes in, lake_buffer *out, lake_error *err);
lake_status lake_codec_unlz4(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err);
lake_status lake_codec_unlz4_hadoop(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err);
lake_status lake_codec_unbrotli(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err);
lake_status lake_codec_unbzip2(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err);
lake_status lake_codec_unxz(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err);
void lake_codec_libraries_free(lake_codec_scratch *s);

#endif
