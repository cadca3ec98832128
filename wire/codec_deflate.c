/* Deflate and gzip (RFC 1951, 1952) by libdeflate, which works on whole blocks and is the fastest there is. */
#include <libdeflate.h>

#include "wire/codec_priv.h"

enum { RATIO = 1032 }; /* a deflate stream grows at most that much */

uint32_t lake_crc32(lake_bytes b) {
    return b.len ? libdeflate_crc32(0, b.ptr, b.len) : 0;
}

static lake_status decompressor(lake_codec_scratch *s, lake_error *err) {
    if (!s->inflate)
        s->inflate = libdeflate_alloc_decompressor();
    return s->inflate ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_codec_inflate(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err) {
    LAKE_TRY(decompressor(s, err));
    LAKE_TRY(lake_codec_plausible("deflate", &room, in.len, RATIO, err));
    size_t cap = lake_codec_first_cap(&room, out, in.len < room.limit / 4 ? in.len * 4 : room.limit);
    for (;;) {
        LAKE_TRY(lake_codec_grow(out, cap, err));
        size_t got;
        switch (libdeflate_deflate_decompress(s->inflate, in.ptr, in.len, out->data, cap, &got)) {
        case LIBDEFLATE_SUCCESS: out->len = got; return LAKE_OK;
        case LIBDEFLATE_INSUFFICIENT_SPACE: LAKE_TRY(lake_codec_more("deflate", &room, &cap, err)); break;
        default: return lake_codec_bad("deflate", "the stream is damaged or ends early", err);
        }
    }
}

/* One member, appended; *used is its length in the input. */
static lake_status gunzip_member(lake_codec_scratch *s, lake_bytes in, const lake_codec_room *room, size_t *cap,
    lake_buffer *out, size_t *used, lake_error *err) {
    for (;;) {
        LAKE_TRY(lake_codec_grow(out, *cap, err));
        size_t got, from = out->len;
        uint8_t none, *to = *cap > from ? out->data + from : &none;
        switch (libdeflate_gzip_decompress_ex(s->inflate, in.ptr, in.len, to, *cap - from, used, &got)) {
        case LIBDEFLATE_SUCCESS: out->len += got; return LAKE_OK;
        case LIBDEFLATE_INSUFFICIENT_SPACE: LAKE_TRY(lake_codec_more("gzip", room, cap, err)); break;
        default: return lake_codec_bad("gzip", "the stream is damaged or ends early", err);
        }
    }
}

lake_status lake_codec_gunzip(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err) {
    LAKE_TRY(decompressor(s, err));
    LAKE_TRY(lake_codec_plausible("gzip", &room, in.len, RATIO, err));
    size_t cap = lake_codec_first_cap(&room, out, in.len < room.limit / 4 ? in.len * 4 : room.limit);
    do {
        size_t used;
        LAKE_TRY(gunzip_member(s, in, &room, &cap, out, &used, err));
        in.ptr += used;
        in.len -= used;
    } while (in.len && *in.ptr == 0x1f);
    return LAKE_OK;
}

lake_status lake_codec_deflate(
    lake_codec_scratch *s, bool gzip, int level, lake_bytes in, lake_buffer *out, lake_error *err) {
    if (level < 0)
        level = 6;
    if (level > 12)
        return lake_fail(err, LAKE_ERR_USAGE, "compression level %d: deflate knows 0 to 12", level);
    if (s->deflate && s->deflate_level != level) {
        libdeflate_free_compressor(s->deflate);
        s->deflate = NULL;
    }
    if (!s->deflate)
        s->deflate = libdeflate_alloc_compressor(level);
    if (!s->deflate)
        return lake_fail_memory(err);
    s->deflate_level = level;
    size_t room = gzip ? libdeflate_gzip_compress_bound(s->deflate, in.len)
                       : libdeflate_deflate_compress_bound(s->deflate, in.len);
    if (!lake_buffer_reserve(out, room))
        return lake_fail_memory(err);
    uint8_t *to = out->data + out->len;
    size_t n = gzip ? libdeflate_gzip_compress(s->deflate, in.ptr, in.len, to, room)
                    : libdeflate_deflate_compress(s->deflate, in.ptr, in.len, to, room);
    if (!n)
        return lake_fail(err, LAKE_ERR_INTERNAL, "deflate: the output did not fit its bound");
    out->len += n;
    return LAKE_OK;
}

void lake_codec_deflate_free(lake_codec_scratch *s) {
    libdeflate_free_decompressor(s->inflate);
    libdeflate_free_compressor(s->deflate);
}
