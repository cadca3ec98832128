/* Reading Puffin files (puffin-spec.md, "Footer structure", "Blob types"). A compact theta sketch of Apache
   DataSketches holds the smallest hashes; how many there are, and the limit below which they were kept, give the number
   of distinct values. */
#include "reader/puffin.h"
#include "wire/codec.h"

enum { MAGIC = 4, TAIL = 12, MAX_FOOTER = 64 << 20, MAX_BLOB = 64 << 20 };

static lake_status unpack(
    lake_arena *arena, lake_codec codec, const char *what, lake_bytes packed, lake_str *text, lake_error *err) {
    lake_buffer plain;
    lake_buffer_init(&plain);
    lake_codec_scratch *scratch = lake_codec_scratch_new();
    lake_status s =
        scratch ? lake_codec_decode(scratch, codec, packed, 0, false, MAX_FOOTER, &plain, err) : lake_fail_memory(err);
    if (s == LAKE_OK) {
        *text = lake_arena_str(arena, lake_buffer_view(&plain).ptr, plain.len);
        s = text->ptr ? LAKE_OK : lake_fail_memory(err);
    }
    lake_codec_scratch_free(scratch);
    lake_buffer_clear(&plain);
    return lake_wrap(err, s, "%s", what);
}

lake_status lake_puffin_footer(lake_arena *arena, lake_file *file, lake_str *text, lake_error *err) {
    uint64_t size = lake_file_size(file);
    uint8_t tail[TAIL], magic[MAGIC];
    if (size < MAGIC + MAGIC + TAIL)
        return lake_fail(
            err, LAKE_ERR_MALFORMED, "a Puffin file of %llu bytes has no footer", (unsigned long long)size);
    LAKE_TRY(lake_file_read(file, size - TAIL, tail, TAIL, err));
    if (memcmp(tail + 8, "PFA1", MAGIC) != 0)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the Puffin file does not end with its magic");
    uint32_t len = lake_get_le32(tail), flags = lake_get_le32(tail + 4);
    if (len > MAX_FOOTER || len > size - MAGIC - MAGIC - TAIL)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the Puffin footer is said to have %u bytes", len);
    uint64_t at = size - TAIL - len;
    LAKE_TRY(lake_file_read(file, at - MAGIC, magic, MAGIC, err));
    if (memcmp(magic, "PFA1", MAGIC) != 0)
        return lake_fail_at(
            err, LAKE_ERR_MALFORMED, (int64_t)at - MAGIC, "the Puffin footer does not begin with its magic");
    if (flags & ~UINT32_C(1))
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "the Puffin footer has unknown flags %08x", flags);
    uint8_t *payload = lake_arena_alloc(arena, len + 1);
    if (!payload)
        return lake_fail_memory(err);
    LAKE_TRY(lake_file_read(file, at, payload, len, err));
    *text = (lake_str){(char *)payload, len};
    return flags ? unpack(arena, LAKE_CODEC_LZ4_HADOOP, "Puffin footer", (lake_bytes){payload, len}, text, err)
                 : LAKE_OK;
}

enum { PREAMBLE = 8, SERIAL_VERSION = 3, FAMILY_COMPACT = 3, FLAG_EMPTY = 4 };

lake_status lake_theta_estimate(lake_bytes b, double *out, lake_error *err) {
    *out = 0;
    size_t longs = b.len >= PREAMBLE ? b.ptr[0] & 0x3f : 0;
    if (longs < 1 || longs > 3 || b.ptr[1] != SERIAL_VERSION || b.ptr[2] != FAMILY_COMPACT || b.len < longs * PREAMBLE)
        return lake_fail(err, LAKE_ERR_MALFORMED, "a blob of %zu bytes is no compact theta sketch", b.len);
    if (b.ptr[5] & FLAG_EMPTY)
        return LAKE_OK;
    if (longs == 1) { /* a single hash follows */
        *out = 1;
        return LAKE_OK;
    }
    double kept = lake_get_le32(b.ptr + 8), limit = 1;
    if (longs == 3) {
        uint64_t theta = lake_get_le64(b.ptr + 16);
        if (theta == 0 || theta > INT64_MAX)
            return lake_fail(err, LAKE_ERR_MALFORMED, "the theta sketch's limit is out of range");
        limit = (double)theta / 0x1p63;
    }
    *out = kept / limit;
    return LAKE_OK;
}

lake_status lake_puffin_blob_read(
    lake_arena *arena, lake_file *file, const lake_json *blob, lake_bytes *out, lake_error *err) {
    const lake_json *codec = lake_json_find(blob, "compression-codec");
    int64_t offset, length;
    if (!lake_json_i64(lake_json_get(blob, "offset"), &offset) ||
        !lake_json_i64(lake_json_get(blob, "length"), &length) || offset < MAGIC || length < 0 || length > MAX_BLOB ||
        (uint64_t)offset > lake_file_size(file) || (uint64_t)length > lake_file_size(file) - (uint64_t)offset)
        return lake_fail(err, LAKE_ERR_MALFORMED, "a blob does not lie in the Puffin file");
    uint8_t *data = lake_arena_alloc(arena, (size_t)length + 1);
    if (!data)
        return lake_fail_memory(err);
    LAKE_TRY(lake_file_read(file, (uint64_t)offset, data, (size_t)length, err));
    lake_str plain = {(const char *)data, (size_t)length};
    if (codec && lake_str_is(codec->text, "zstd"))
        LAKE_TRY(unpack(arena, LAKE_CODEC_ZSTD, "Puffin blob", (lake_bytes){data, (size_t)length}, &plain, err));
    else if (codec && lake_str_is(codec->text, "lz4"))
        LAKE_TRY(unpack(arena, LAKE_CODEC_LZ4_HADOOP, "Puffin blob", (lake_bytes){data, (size_t)length}, &plain, err));
    else if (codec)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "Puffin blob: unknown codec");
    *out = lake_bytes_of(plain);
    return LAKE_OK;
}

lake_status lake_puffin_theta(lake_arena *arena, lake_file *file, const lake_json *blob, double *out, lake_error *err) {
    lake_bytes bytes;
    LAKE_TRY(lake_puffin_blob_read(arena, file, blob, &bytes, err));
    return lake_theta_estimate(bytes, out, err);
}
