/* Writes Avro object containers (Avro specification, "Object Container Files"). Values are put by hand into w->block.
 */
#include <sys/random.h>

#include "wire/avro.h"

enum { BLOCK_SIZE = 64 * 1024 };

static void put_varint(lake_buffer *b, uint64_t v) {
    uint8_t *p, text[10];
    bool room = b->cap - b->len >= 10;
    size_t n = 0;
    p = room ? b->data + b->len : text;
    while (v >= 0x80) {
        p[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    p[n++] = (uint8_t)v;
    if (room)
        b->len += n;
    else
        lake_buffer_put(b, text, n);
}

void lake_avro_put_long(lake_buffer *b, int64_t v) {
    put_varint(b, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

void lake_avro_put_bytes(lake_buffer *b, lake_bytes v) {
    lake_avro_put_long(b, (int64_t)v.len);
    lake_buffer_put(b, v.ptr, v.len);
}

void lake_avro_put_float(lake_buffer *b, float v) {
    lake_buffer_put(b, &v, sizeof v);
}

void lake_avro_put_double(lake_buffer *b, double v) {
    lake_buffer_put(b, &v, sizeof v);
}

static const char *codec_name(lake_codec codec) {
    switch (codec) {
    case LAKE_CODEC_NONE: return "null";
    case LAKE_CODEC_DEFLATE: return "deflate";
    case LAKE_CODEC_SNAPPY: return "snappy";
    case LAKE_CODEC_ZSTD: return "zstandard";
    default: return NULL;
    }
}

static void put_meta(lake_buffer *out, const char *key, lake_bytes value) {
    lake_avro_put_bytes(out, lake_bytes_of(lake_str_of(key)));
    lake_avro_put_bytes(out, value);
}

lake_status lake_avro_writer_blocks(lake_avro_writer *w, lake_codec codec, int level, lake_error *err) {
    *w = (lake_avro_writer){.codec = codec, .level = level, .block_size = BLOCK_SIZE};
    lake_buffer_init(&w->block);
    lake_buffer_init(&w->packed);
    if (!codec_name(codec))
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "Avro files are not written with codec %s", lake_codec_name(codec));
    w->scratch = lake_codec_scratch_new();
    return w->scratch ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_avro_writer_init(lake_avro_writer *w, lake_buffer *out, lake_codec codec, int level,
    lake_str schema_json, const lake_avro_meta_entry *meta, size_t nmeta, lake_error *err) {
    LAKE_TRY(lake_avro_writer_blocks(w, codec, level, err));
    w->out = out;
    const char *name = codec_name(codec);
    if (getrandom(w->sync, sizeof w->sync, 0) != (ssize_t)sizeof w->sync)
        return lake_fail(err, LAKE_ERR_IO, "no random bytes for the sync marker");

    lake_buffer_put(out, "Obj\1", 4);
    lake_avro_put_long(out, (int64_t)nmeta + 2);
    put_meta(out, "avro.schema", lake_bytes_of(schema_json));
    put_meta(out, "avro.codec", lake_bytes_of(lake_str_of(name)));
    for (size_t i = 0; i < nmeta; i++)
        put_meta(out, meta[i].key, meta[i].value);
    lake_avro_put_long(out, 0);
    lake_buffer_put(out, w->sync, sizeof w->sync);
    return lake_buffer_check(out, err);
}

/* Avro's snappy blocks end in the CRC-32 of the bytes before compression, big-endian. */
static void put_crc(lake_buffer *packed, lake_bytes raw) {
    uint32_t crc = __builtin_bswap32(lake_crc32(raw));
    lake_buffer_put(packed, &crc, sizeof crc);
}

lake_status lake_avro_writer_pack(lake_avro_writer *w, lake_buffer *data, lake_error *err) {
    LAKE_TRY(lake_buffer_check(&w->block, err));
    lake_bytes raw = lake_bytes_of(lake_buffer_view(&w->block));
    if (w->codec == LAKE_CODEC_NONE)
        lake_buffer_put(data, raw.ptr, raw.len);
    else
        LAKE_TRY(lake_codec_encode(w->scratch, w->codec, w->level, raw, data, err));
    if (w->codec == LAKE_CODEC_SNAPPY)
        put_crc(data, raw);
    lake_buffer_reset(&w->block);
    w->count = 0;
    return lake_buffer_check(data, err);
}

lake_status lake_avro_writer_block(lake_avro_writer *w, uint64_t count, lake_bytes data, lake_error *err) {
    lake_avro_put_long(w->out, (int64_t)count);
    lake_avro_put_bytes(w->out, data);
    lake_buffer_put(w->out, w->sync, sizeof w->sync);
    return lake_buffer_check(w->out, err);
}

static lake_status close_block(lake_avro_writer *w, lake_error *err) {
    uint64_t count = w->count;
    if (count == 0)
        return lake_buffer_check(&w->block, err);
    lake_buffer_reset(&w->packed);
    LAKE_TRY(lake_avro_writer_pack(w, &w->packed, err));
    return lake_avro_writer_block(w, count, lake_bytes_of(lake_buffer_view(&w->packed)), err);
}

lake_status lake_avro_writer_object(lake_avro_writer *w, lake_error *err) {
    w->count++;
    return w->block.len >= w->block_size || w->block.failed ? close_block(w, err) : LAKE_OK;
}

lake_status lake_avro_writer_finish(lake_avro_writer *w, lake_error *err) {
    return close_block(w, err);
}

void lake_avro_writer_clear(lake_avro_writer *w) {
    lake_buffer_clear(&w->block);
    lake_buffer_clear(&w->packed);
    lake_codec_scratch_free(w->scratch);
    w->scratch = NULL;
}
