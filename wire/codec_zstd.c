/* Zstandard (RFC 8878). Frames may lack their content size; several may follow each other. */
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_decompressBound */
#include <zstd.h>
#include <zstd_errors.h>

#include "wire/codec_priv.h"

lake_status lake_codec_unzstd(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err) {
    if (!s->zstd_d)
        s->zstd_d = ZSTD_createDCtx();
    if (!s->zstd_d)
        return lake_fail_memory(err);
    unsigned long long bound = ZSTD_decompressBound(in.ptr, in.len);
    if (bound == ZSTD_CONTENTSIZE_ERROR)
        return lake_codec_bad("zstd", "the frame is damaged or ends early", err);
    if (room.exact && room.size > bound)
        return lake_fail(
            err, LAKE_ERR_MALFORMED, "zstd data: %zu bytes stated, %llu at most in the frame", room.size, bound);
    size_t cap = room.exact ? room.size : bound < room.limit ? (size_t)bound : room.limit;
    LAKE_TRY(lake_codec_grow(out, cap ? cap : 1, err));
    size_t got = ZSTD_decompressDCtx(s->zstd_d, out->data, cap, in.ptr, in.len);
    if (ZSTD_isError(got)) {
        if (ZSTD_getErrorCode(got) == ZSTD_error_dstSize_tooSmall && cap == room.limit && !room.exact)
            return lake_codec_more("zstd", &room, &cap, err);
        return lake_codec_bad("zstd", ZSTD_getErrorName(got), err);
    }
    out->len = got;
    return LAKE_OK;
}

lake_status lake_codec_zstd(lake_codec_scratch *s, int level, lake_bytes in, lake_buffer *out, lake_error *err) {
    if (level == -1)
        level = ZSTD_CLEVEL_DEFAULT;
    if (level < ZSTD_minCLevel() || level > ZSTD_maxCLevel())
        return lake_fail(err, LAKE_ERR_USAGE, "compression level %d: zstd knows 1 to %d", level, ZSTD_maxCLevel());
    if (!s->zstd_c)
        s->zstd_c = ZSTD_createCCtx();
    size_t room = ZSTD_compressBound(in.len);
    if (!s->zstd_c || !lake_buffer_reserve(out, room))
        return lake_fail_memory(err);
    size_t n = ZSTD_compressCCtx(s->zstd_c, out->data + out->len, room, in.ptr, in.len, level);
    if (ZSTD_isError(n))
        return lake_fail(err, LAKE_ERR_INTERNAL, "zstd: %s", ZSTD_getErrorName(n));
    out->len += n;
    return LAKE_OK;
}

void lake_codec_zstd_free(lake_codec_scratch *s) {
    ZSTD_freeDCtx(s->zstd_d);
    ZSTD_freeCCtx(s->zstd_c);
}
