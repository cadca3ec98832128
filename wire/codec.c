/* Compression: dispatch, sizes and limits. Each library is known to one of the files codec_*.c. */
#include "wire/codec.h"

#include "wire/codec_priv.h"

static const char *const names[] = {
    "none", "deflate", "gzip", "snappy", "zstd", "lz4_raw", "lz4", "brotli", "bzip2", "xz"};

const char *lake_codec_name(lake_codec codec) {
    return (size_t)codec < sizeof names / sizeof *names ? names[codec] : "unknown";
}

lake_codec_scratch *lake_codec_scratch_new(void) {
    return lake_mem_zalloc(1, sizeof(lake_codec_scratch));
}

void lake_codec_scratch_free(lake_codec_scratch *scratch) {
    if (!scratch)
        return;
    lake_codec_deflate_free(scratch);
    lake_codec_zstd_free(scratch);
    lake_codec_libraries_free(scratch);
    lake_mem_free(scratch);
}

lake_status lake_codec_bad(const char *name, const char *why, lake_error *err) {
    return lake_fail(err, LAKE_ERR_MALFORMED, "%s data: %s", name, why);
}

lake_status lake_codec_plausible(
    const char *name, const lake_codec_room *room, size_t in_len, size_t ratio, lake_error *err) {
    if (room->exact && room->size / ratio > in_len + 1)
        return lake_fail(err, LAKE_ERR_MALFORMED, "%s data: %zu bytes cannot become %zu", name, in_len, room->size);
    return LAKE_OK;
}

size_t lake_codec_first_cap(const lake_codec_room *room, const lake_buffer *out, size_t guess) {
    size_t cap = room->size;
    if (!room->exact) {
        if (cap < guess)
            cap = guess;
        if (cap < out->cap)
            cap = out->cap;
        if (cap < 4096)
            cap = 4096;
        if (cap > room->limit)
            cap = room->limit;
    }
    return cap ? cap : 1;
}

lake_status lake_codec_more(const char *name, const lake_codec_room *room, size_t *cap, lake_error *err) {
    if (room->exact)
        return lake_fail(err, LAKE_ERR_MALFORMED, "%s data: longer than the %zu bytes stated", name, room->size);
    if (*cap >= room->limit)
        return lake_fail(err, LAKE_ERR_LIMIT, "%s data: longer than the limit of %zu bytes", name, room->limit);
    *cap = *cap > room->limit / 2 ? room->limit : *cap * 2;
    return LAKE_OK;
}

lake_status lake_codec_grow(lake_buffer *out, size_t cap, lake_error *err) {
    if (cap > out->len && !lake_buffer_reserve(out, cap - out->len))
        return lake_fail_memory(err);
    return LAKE_OK;
}

static lake_status copy(lake_bytes in, const lake_codec_room *room, lake_buffer *out, lake_error *err) {
    if (in.len > room->limit)
        return lake_fail(err, LAKE_ERR_LIMIT, "%zu bytes of data: the limit is %zu", in.len, room->limit);
    lake_buffer_put(out, in.ptr, in.len);
    return lake_buffer_check(out, err);
}

static lake_status decode(
    lake_codec_scratch *s, lake_codec codec, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err) {
    switch (codec) {
    case LAKE_CODEC_NONE: return copy(in, &room, out, err);
    case LAKE_CODEC_DEFLATE: return lake_codec_inflate(s, in, room, out, err);
    case LAKE_CODEC_GZIP: return lake_codec_gunzip(s, in, room, out, err);
    case LAKE_CODEC_SNAPPY: return lake_codec_unsnappy(s, in, room, out, err);
    case LAKE_CODEC_ZSTD: return lake_codec_unzstd(s, in, room, out, err);
    case LAKE_CODEC_LZ4_RAW: return lake_codec_unlz4(s, in, room, out, err);
    case LAKE_CODEC_LZ4_HADOOP: return lake_codec_unlz4_hadoop(s, in, room, out, err);
    case LAKE_CODEC_BROTLI: return lake_codec_unbrotli(s, in, room, out, err);
    case LAKE_CODEC_BZIP2: return lake_codec_unbzip2(s, in, room, out, err);
    case LAKE_CODEC_XZ: return lake_codec_unxz(s, in, room, out, err);
    }
    return lake_fail(err, LAKE_ERR_UNSUPPORTED, "compression codec %d is not known", (int)codec);
}

lake_status lake_codec_decode(lake_codec_scratch *scratch, lake_codec codec, lake_bytes in, size_t size_hint,
    bool exact, size_t limit, lake_buffer *out, lake_error *err) {
    lake_buffer_reset(out);
    if (exact && size_hint > limit)
        return lake_fail(err, LAKE_ERR_LIMIT, "%s data: %zu bytes stated, the limit is %zu", lake_codec_name(codec),
            size_hint, limit);
    if (!in.ptr)
        in = (lake_bytes){(const uint8_t *)"", 0};
    lake_codec_room room = {size_hint < limit ? size_hint : limit, limit, exact};
    LAKE_TRY(decode(scratch, codec, in, room, out, err));
    if (exact && out->len != size_hint)
        return lake_fail(err, LAKE_ERR_MALFORMED, "%s data: %zu bytes instead of the %zu stated",
            lake_codec_name(codec), out->len, size_hint);
    return LAKE_OK;
}

lake_status lake_codec_encode(
    lake_codec_scratch *scratch, lake_codec codec, int level, lake_bytes in, lake_buffer *out, lake_error *err) {
    if (!in.ptr)
        in = (lake_bytes){(const uint8_t *)"", 0};
    switch (codec) {
    case LAKE_CODEC_NONE: lake_buffer_put(out, in.ptr, in.len); return lake_buffer_check(out, err);
    case LAKE_CODEC_DEFLATE: return lake_codec_deflate(scratch, false, level, in, out, err);
    case LAKE_CODEC_GZIP: return lake_codec_deflate(scratch, true, level, in, out, err);
    case LAKE_CODEC_SNAPPY: return lake_codec_snappy(scratch, in, out, err);
    case LAKE_CODEC_ZSTD: return lake_codec_zstd(scratch, level, in, out, err);
    default:
        return lake_fail(
            err, LAKE_ERR_UNSUPPORTED, "writing with the codec %s is not supported", lake_codec_name(codec));
    }
}
