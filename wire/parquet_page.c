/* Page headers; checksum, decompression and the parts of a page. */
#include "wire/parquet_page.h"

static void read_v1(lake_thrift *t, const lake_thrift_field *f, lake_parquet_page *out, int32_t *values) {
    lake_thrift_field g = {0};
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_STRUCT))
        return;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        switch (g.id) {
        case 1: *values = lake_thrift_i32(t, &g); break;
        case 2: out->encoding = lake_thrift_i32(t, &g); break;
        case 3: out->def_encoding = lake_thrift_i32(t, &g); break;
        case 4: out->rep_encoding = lake_thrift_i32(t, &g); break;
        default: lake_thrift_skip(t, &g);
        }
    }
}

static void read_dictionary(lake_thrift *t, const lake_thrift_field *f, lake_parquet_page *out, int32_t *values) {
    lake_thrift_field g = {0};
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_STRUCT))
        return;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        switch (g.id) {
        case 1: *values = lake_thrift_i32(t, &g); break;
        case 2: out->encoding = lake_thrift_i32(t, &g); break;
        default: lake_thrift_skip(t, &g);
        }
    }
}

static void read_v2(lake_thrift *t, const lake_thrift_field *f, lake_parquet_page *out, int32_t *values) {
    lake_thrift_field g = {0};
    int32_t def = 0, rep = 0;
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_STRUCT))
        return;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        switch (g.id) {
        case 1: *values = lake_thrift_i32(t, &g); break;
        case 4: out->encoding = lake_thrift_i32(t, &g); break;
        case 5: def = lake_thrift_i32(t, &g); break;
        case 6: rep = lake_thrift_i32(t, &g); break;
        case 7: out->is_compressed = lake_thrift_bool(t, &g); break;
        default: lake_thrift_skip(t, &g);
        }
    }
    if (def < 0 || rep < 0)
        lake_thrift_fail(t, "levels of a negative length");
    out->def_encoding = out->rep_encoding = LAKE_PARQUET_ENC_RLE;
    out->def_bytes = (size_t)def;
    out->rep_bytes = (size_t)rep;
}

lake_status lake_parquet_page_read(
    lake_bytes b, int64_t origin, lake_parquet_page *out, size_t *used, bool *more, lake_error *err) {
    lake_thrift t = lake_thrift_of(b, origin);
    lake_thrift_field f = {0};
    int32_t values = -1, compressed = -1, uncompressed = -1;
    int seen = -1; /* which of the typed headers there is */
    *out = (lake_parquet_page){.type = -1, .encoding = -1, .is_compressed = true};
    *more = false;
    lake_thrift_enter(&t);
    while (lake_thrift_next(&t, &f)) {
        switch (f.id) {
        case 1: out->type = lake_thrift_i32(&t, &f); break;
        case 2: uncompressed = lake_thrift_i32(&t, &f); break;
        case 3: compressed = lake_thrift_i32(&t, &f); break;
        case 4:
            out->has_crc = true;
            out->crc = (uint32_t)lake_thrift_i32(&t, &f);
            break;
        case 5:
            read_v1(&t, &f, out, &values);
            seen = LAKE_PARQUET_DATA_PAGE;
            break;
        case 7:
            read_dictionary(&t, &f, out, &values);
            seen = LAKE_PARQUET_DICTIONARY_PAGE;
            break;
        case 8:
            read_v2(&t, &f, out, &values);
            seen = LAKE_PARQUET_DATA_PAGE_V2;
            break;
        default: lake_thrift_skip(&t, &f);
        }
    }
    if (t.bad && t.torn) {
        *more = true;
        return LAKE_OK;
    }
    bool known = out->type == LAKE_PARQUET_DATA_PAGE || out->type == LAKE_PARQUET_DICTIONARY_PAGE ||
        out->type == LAKE_PARQUET_DATA_PAGE_V2;
    if (compressed < 0 || uncompressed < 0 || (known && values < 0))
        lake_thrift_fail(&t, "it lacks a size or the number of values, or has a negative one");
    else if (known && seen != out->type)
        lake_thrift_fail(&t, "its type is not that of the header inside");
    LAKE_TRY(lake_thrift_check(&t, "Parquet page header", err));
    out->compressed = (size_t)compressed;
    out->uncompressed = (size_t)uncompressed;
    out->num_values = values < 0 ? 0 : (size_t)values;
    *used = b.len - lake_cursor_left(&t.in);
    return LAKE_OK;
}

lake_status lake_parquet_codec(int32_t codec, lake_codec *out, lake_error *err) {
    static const lake_codec codecs[] = {LAKE_CODEC_NONE, LAKE_CODEC_SNAPPY, LAKE_CODEC_GZIP, LAKE_CODEC_NONE /* LZO */,
        LAKE_CODEC_BROTLI, LAKE_CODEC_LZ4_HADOOP, LAKE_CODEC_ZSTD, LAKE_CODEC_LZ4_RAW};
    if (codec < 0 || (size_t)codec >= sizeof codecs / sizeof *codecs)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "compression codec %d is not known", codec);
    if (codec == 3)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "compression codec LZO is not supported");
    *out = codecs[codec];
    return LAKE_OK;
}

/* Some writers say "compressed" of pages without bytes; there is nothing to decompress then. */
static lake_status unpack(lake_bytes in, size_t size, lake_codec codec, size_t limit, lake_codec_scratch *scratch,
    lake_buffer *room, lake_bytes *out, lake_error *err) {
    if (codec == LAKE_CODEC_NONE || (in.len == 0 && size == 0)) {
        if (in.len != size)
            return lake_fail(err, LAKE_ERR_MALFORMED, "the page has %zu bytes instead of %zu", in.len, size);
        *out = in;
        return LAKE_OK;
    }
    LAKE_TRY(lake_codec_decode(scratch, codec, in, size, true, limit, room, err));
    *out = (lake_bytes){room->data, room->len};
    return LAKE_OK;
}

static unsigned bits_for(unsigned max) {
    return max ? 32 - (unsigned)__builtin_clz(max) : 0;
}

/* RLE has its length before it; BIT_PACKED (deprecated) is as long as it must be. */
lake_status lake_parquet_levels_size(
    int32_t encoding, unsigned max, size_t num_values, lake_bytes in, size_t *head, uint64_t *n, lake_error *err) {
    *head = 0;
    if (encoding == LAKE_PARQUET_ENC_RLE) {
        if (in.len < 4)
            return lake_fail(err, LAKE_ERR_MALFORMED, "the page ends before its levels");
        *head = 4;
        *n = lake_get_le32(in.ptr);
    } else if (encoding == LAKE_PARQUET_ENC_BIT_PACKED) {
        *n = ((uint64_t)num_values * bits_for(max) + 7) / 8;
    } else {
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "levels in encoding %d are not known", encoding);
    }
    return LAKE_OK;
}

/* Levels of a v1 page. */
static lake_status take_levels(
    lake_cursor *c, int32_t encoding, unsigned max, size_t num_values, lake_bytes *out, lake_error *err) {
    size_t head;
    uint64_t n;
    if (!max)
        return LAKE_OK;
    lake_bytes in = {c->at, lake_cursor_left(c)};
    LAKE_TRY(lake_parquet_levels_size(encoding, max, num_values, in, &head, &n, err));
    c->at += head;
    if (!lake_cursor_take(c, n, out))
        return lake_fail(err, LAKE_ERR_MALFORMED, "levels of %llu bytes in a page that has %zu left",
            (unsigned long long)n, lake_cursor_left(c));
    return LAKE_OK;
}

static lake_status open_v2(const lake_parquet_page *page, lake_bytes body, lake_codec codec,
    const lake_parquet_node *leaf, size_t limit, lake_codec_scratch *scratch, lake_buffer *room,
    lake_parquet_parts *out, lake_error *err) {
    if (page->rep_bytes > body.len || page->def_bytes > body.len - page->rep_bytes ||
        page->rep_bytes + page->def_bytes > page->uncompressed)
        return lake_fail(err, LAKE_ERR_MALFORMED, "levels of %zu and %zu bytes in a page of %zu", page->rep_bytes,
            page->def_bytes, body.len);
    if (leaf->max_rep)
        out->rep = (lake_bytes){body.ptr, page->rep_bytes};
    if (leaf->max_def)
        out->def = (lake_bytes){body.ptr + page->rep_bytes, page->def_bytes};
    size_t levels = page->rep_bytes + page->def_bytes;
    lake_bytes rest = {body.ptr + levels, body.len - levels};
    size_t size = page->uncompressed - levels;
    if (!rest.len) { /* all null: seen with a size that counts an empty compressed block */
        out->values = rest;
        return LAKE_OK;
    }
    return unpack(rest, size, page->is_compressed ? codec : LAKE_CODEC_NONE, limit, scratch, room, &out->values, err);
}

lake_status lake_parquet_page_open(const lake_parquet_page *page, lake_bytes body, int32_t codec,
    const lake_parquet_node *leaf, size_t limit, lake_codec_scratch *scratch, lake_buffer *room,
    lake_parquet_parts *out, lake_error *err) {
    lake_codec c = LAKE_CODEC_NONE;
    lake_bytes whole = {0};
    *out = (lake_parquet_parts){0};
    if (page->has_crc && lake_crc32(body) != page->crc)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the checksum of the page (%08x) is not that of its bytes (%08x)",
            page->crc, lake_crc32(body));
    LAKE_TRY(lake_parquet_codec(codec, &c, err));
    if (page->type == LAKE_PARQUET_DATA_PAGE_V2)
        return open_v2(page, body, c, leaf, limit, scratch, room, out, err);
    LAKE_TRY(unpack(body, page->uncompressed, c, limit, scratch, room, &whole, err));
    lake_cursor in = lake_cursor_of(whole.ptr, whole.len, 0);
    if (page->type == LAKE_PARQUET_DATA_PAGE) {
        LAKE_TRY(take_levels(&in, page->rep_encoding, leaf->max_rep, page->num_values, &out->rep, err));
        LAKE_TRY(take_levels(&in, page->def_encoding, leaf->max_def, page->num_values, &out->def, err));
    }
    out->values = (lake_bytes){in.at, lake_cursor_left(&in)};
    return LAKE_OK;
}
