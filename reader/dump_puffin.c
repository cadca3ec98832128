/* The footer of a Puffin file (puffin-spec.md, "Footer structure"): what blobs there are. Its JSON is given as it is.
 */
#include "reader/dump_internal.h"
#include "wire/codec.h"

enum { MAGIC = 4, TAIL = 12, MAX_FOOTER = 64 << 20 };

static lake_status unpack(lake_arena *arena, lake_bytes packed, lake_str *text, lake_error *err) {
    lake_buffer plain;
    lake_buffer_init(&plain);
    lake_codec_scratch *scratch = lake_codec_scratch_new();
    lake_status s = scratch
        ? lake_codec_decode(scratch, LAKE_CODEC_LZ4_HADOOP, packed, 0, false, MAX_FOOTER, &plain, err)
        : lake_fail_memory(err);
    if (s == LAKE_OK) {
        *text = lake_arena_str(arena, lake_buffer_view(&plain).ptr, plain.len);
        s = text->ptr ? LAKE_OK : lake_fail_memory(err);
    }
    lake_codec_scratch_free(scratch);
    lake_buffer_clear(&plain);
    return lake_wrap(err, s, "Puffin footer");
}

static lake_status read_footer(lake_arena *arena, lake_file *file, lake_str *text, lake_error *err) {
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
    return flags ? unpack(arena, (lake_bytes){payload, len}, text, err) : LAKE_OK;
}

lake_status lake_dump_puffin(lake_arena *arena, lake_file *file, lake_dump_out *out, lake_error *err) {
    lake_str text;
    lake_json *json;
    LAKE_TRY(read_footer(arena, file, &text, err));
    LAKE_TRY(lake_json_parse(arena, text, "Puffin footer", &json, err));
    lake_json_print(&out->piece, json, 0);
    return LAKE_OK;
}
