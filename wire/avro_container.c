/* Reading Avro object container files that are whole in memory (Avro specification 1.12, "Object Container Files").
   Sizes and counts are checked before they are used, and the sync marker after every block. */
#include <stdlib.h>

#include "wire/avro.h"

enum { DEFAULT_MAX_BLOCK = 1 << 30, MAX_META = 1 << 16 };

static lake_status fail_at(const lake_cursor *c, lake_error *err, const char *what) {
    int64_t at = lake_cursor_offset(c);
    return lake_fail_at(err, LAKE_ERR_MALFORMED, at, "byte %lld: %s", (long long)at, what);
}

static lake_status take_sized(lake_cursor *c, const char *what, lake_bytes *out, lake_error *err) {
    lake_cursor start = *c;
    int64_t n;
    if (!lake_cursor_zigzag(c, &n))
        return fail_at(&start, err, what);
    if (n < 0 || !lake_cursor_take(c, (uint64_t)n, out)) {
        int64_t at = lake_cursor_offset(&start);
        return lake_fail_at(err, LAKE_ERR_MALFORMED, at, "byte %lld: %s (%lld bytes announced, %zu left)",
            (long long)at, what, (long long)n, lake_cursor_left(c));
    }
    return LAKE_OK;
}

static lake_status take_pair(lake_avro_reader *r, lake_json_member *m, lake_error *err) {
    lake_bytes key, value;
    LAKE_TRY(take_sized(&r->in, "torn key in the Avro header", &key, err));
    LAKE_TRY(take_sized(&r->in, "torn value in the Avro header", &value, err));
    m->name = lake_text_of(key);
    m->value = LAKE_ARENA_NEW(r->arena, lake_json);
    if (!m->value)
        return lake_fail_memory(err);
    m->value->kind = LAKE_JSON_STRING;
    m->value->text = lake_text_of(value);
    return LAKE_OK;
}

static lake_status read_meta(lake_avro_reader *r, lake_error *err) {
    lake_json_member *list = NULL;
    size_t n = 0, cap = 0;
    for (;;) {
        lake_cursor start = r->in;
        int64_t count, bytes;
        if (!lake_cursor_zigzag(&r->in, &count))
            return fail_at(&start, err, "the Avro header is torn");
        if (count == 0)
            break;
        if (count < 0 && !lake_cursor_zigzag(&r->in, &bytes))
            return fail_at(&start, err, "the Avro header is torn");
        uint64_t more = count < 0 ? -(uint64_t)count : (uint64_t)count;
        if (more > lake_cursor_left(&r->in) / 2 || more > MAX_META - n)
            return fail_at(&start, err, "the Avro header announces more pairs than it can hold");
        if (n + more > cap) {
            cap = n + more + 8;
            lake_json_member *grown = LAKE_ARENA_ARRAY(r->arena, lake_json_member, cap);
            if (!grown)
                return lake_fail_memory(err);
            if (n)
                memcpy(grown, list, n * sizeof *list);
            list = grown;
        }
        for (; more > 0; more--)
            LAKE_TRY(take_pair(r, &list[n++], err));
    }
    r->meta = list;
    r->nmeta = n;
    return LAKE_OK;
}

lake_bytes lake_avro_meta(const lake_avro_reader *r, const char *key) {
    for (size_t i = r->nmeta; i-- > 0;) /* the last of doubles, as maps have it */
        if (lake_str_is(r->meta[i].name, key))
            return lake_bytes_of(r->meta[i].value->text);
    return (lake_bytes){NULL, 0};
}

static lake_status read_codec(lake_avro_reader *r, lake_error *err) {
    static const struct {
        const char *name;
        lake_codec codec;
    } codecs[] = {{"null", LAKE_CODEC_NONE}, {"deflate", LAKE_CODEC_DEFLATE}, {"snappy", LAKE_CODEC_SNAPPY},
        {"zstandard", LAKE_CODEC_ZSTD}, {"bzip2", LAKE_CODEC_BZIP2}, {"xz", LAKE_CODEC_XZ}};
    lake_str name = lake_text_of(lake_avro_meta(r, "avro.codec"));
    r->codec = LAKE_CODEC_NONE;
    if (!name.ptr || name.len == 0)
        return LAKE_OK;
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        if (lake_str_is(name, codecs[i].name)) {
            r->codec = codecs[i].codec;
            r->snappy_crc = r->codec == LAKE_CODEC_SNAPPY;
            return LAKE_OK;
        }
    }
    return lake_fail(err, LAKE_ERR_UNSUPPORTED, "the Avro codec %.*s is not supported", LAKE_ARG(name));
}

lake_status lake_avro_open_header(lake_arena *arena, lake_bytes data, lake_avro_reader *out, lake_error *err) {
    memset(out, 0, sizeof *out);
    out->arena = arena;
    out->max_block = DEFAULT_MAX_BLOCK;
    out->in = lake_cursor_of(data.ptr, data.len, 0);
    lake_bytes magic, sync;
    if (!lake_cursor_take(&out->in, 4, &magic) || memcmp(magic.ptr, "Obj\1", 4) != 0)
        return fail_at(
            &out->in, err, data.len ? "not an Avro file (no \"Obj\" and 1)" : "not an Avro file (it is empty)");
    LAKE_TRY(read_meta(out, err));
    if (!lake_cursor_take(&out->in, 16, &sync))
        return fail_at(&out->in, err, "the Avro header ends before its sync marker");
    memcpy(out->sync, sync.ptr, 16);
    LAKE_TRY(read_codec(out, err));
    out->schema_text = lake_text_of(lake_avro_meta(out, "avro.schema"));
    if (!out->schema_text.ptr)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the Avro header has no avro.schema");
    return LAKE_OK;
}

lake_status lake_avro_open(lake_arena *arena, lake_bytes data, lake_avro_reader *out, lake_error *err) {
    LAKE_TRY(lake_avro_open_header(arena, data, out, err));
    lake_json *json;
    LAKE_TRY(lake_json_parse(arena, out->schema_text, "avro.schema", &json, err));
    return lake_avro_schema_parse(arena, json, &out->schema, err);
}

/* Takes a block apart: count, stored bytes, sync marker. */
static lake_status take_block(lake_avro_reader *r, uint64_t *count, lake_bytes *stored, lake_error *err) {
    lake_cursor start = r->in;
    int64_t n;
    lake_bytes sync;
    if (!lake_cursor_zigzag(&r->in, &n))
        return fail_at(&start, err, "torn block count");
    if (n < 0)
        return fail_at(&start, err, "negative block count");
    LAKE_TRY(take_sized(&r->in, "torn block", stored, err));
    if (!lake_cursor_take(&r->in, 16, &sync))
        return fail_at(&r->in, err, "the file ends before the sync marker of a block");
    if (memcmp(sync.ptr, r->sync, 16) != 0) {
        r->in.at -= 16;
        return fail_at(&r->in, err, "the sync marker of a block is not the file's");
    }
    *count = (uint64_t)n;
    return LAKE_OK;
}

static lake_status check_snappy(lake_bytes *stored, lake_bytes *crc, lake_error *err) {
    if (stored->len < 4)
        return lake_fail(err, LAKE_ERR_MALFORMED, "a snappy block without its checksum");
    stored->len -= 4;
    *crc = (lake_bytes){stored->ptr + stored->len, 4};
    return LAKE_OK;
}

static lake_status decode_block(lake_avro_reader *r, lake_codec_scratch *scratch, lake_bytes stored,
    lake_buffer *decoded, lake_cursor *objects, lake_error *err) {
    if (r->codec == LAKE_CODEC_NONE) {
        if (stored.len > r->max_block)
            return lake_fail(err, LAKE_ERR_LIMIT, "%zu bytes, %zu are allowed", stored.len, r->max_block);
        *objects = lake_cursor_of(stored.ptr, stored.len, 0);
        return LAKE_OK;
    }
    lake_bytes crc = {NULL, 0};
    if (r->snappy_crc)
        LAKE_TRY(check_snappy(&stored, &crc, err));
    /* what the last block came to is the best guess for this one */
    size_t hint = decoded->cap > stored.len ? decoded->cap
        : stored.len < r->max_block / 4     ? stored.len * 4
                                            : r->max_block;
    if (hint > r->max_block)
        hint = r->max_block;
    LAKE_TRY(lake_codec_decode(scratch, r->codec, stored, hint, false, r->max_block, decoded, err));
    lake_str view = lake_buffer_view(decoded);
    if (crc.ptr) {
        uint32_t want =
            (uint32_t)crc.ptr[0] << 24 | (uint32_t)crc.ptr[1] << 16 | (uint32_t)crc.ptr[2] << 8 | crc.ptr[3];
        if (lake_crc32(lake_bytes_of(view)) != want)
            return lake_fail(err, LAKE_ERR_MALFORMED, "the checksum of a snappy block does not fit its bytes");
    }
    *objects = lake_cursor_of(view.ptr, view.len, 0);
    return LAKE_OK;
}

lake_status lake_avro_next_block(lake_avro_reader *r, lake_codec_scratch *scratch, lake_buffer *decoded, bool *more,
    uint64_t *count, lake_cursor *objects, lake_error *err) {
    *count = 0;
    *more = lake_cursor_left(&r->in) > 0;
    if (!*more)
        return LAKE_OK;
    r->block++;
    int64_t at = lake_cursor_offset(&r->in);
    lake_bytes stored;
    LAKE_TRY_WRAP(take_block(r, count, &stored, err), err, "block %zu", r->block);
    LAKE_TRY_WRAP(decode_block(r, scratch, stored, decoded, objects, err), err, "block %zu at byte %lld", r->block,
        (long long)at);
    size_t size = lake_cursor_left(objects), each = r->schema->min_size;
    if (each ? *count > size / each : *count > LAKE_AVRO_MAX_EMPTY)
        return lake_fail_at(err, LAKE_ERR_MALFORMED, at, "block %zu at byte %lld: %llu objects cannot be in %zu bytes",
            r->block, (long long)at, (unsigned long long)*count, size);
    return LAKE_OK;
}
