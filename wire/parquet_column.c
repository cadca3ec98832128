/* Walks the pages of a column chunk. */
#include "wire/parquet_column.h"

enum { HEADER_GUESS = 512, HEADER_LIMIT = 16 << 20 };

lake_status lake_parquet_column_init(lake_parquet_column *c, size_t page_limit, lake_error *err) {
    memset(c, 0, sizeof *c);
    c->page_limit = page_limit;
    c->whole = LAKE_PARQUET_WHOLE;
    c->scratch = lake_codec_scratch_new();
    if (!c->scratch)
        return lake_fail_memory(err);
    return lake_parquet_decoder_init(&c->decoder, err);
}

void lake_parquet_column_clear(lake_parquet_column *c) {
    lake_parquet_decoder_clear(&c->decoder);
    lake_parquet_feed_clear(&c->feed); /* they use the scratch */
    lake_parquet_feed_clear(&c->dictionary_feed);
    lake_codec_scratch_free(c->scratch);
    lake_buffer_clear(&c->page_room);
    lake_buffer_clear(&c->dictionary_room);
    lake_buffer_clear(&c->gather);
    lake_buffer_clear(&c->level_room);
    lake_mem_free(c->views);
    memset(c, 0, sizeof *c);
}

/* A large page does not keep its memory for the next chunk's. */
static void shrink(lake_buffer *b) {
    if (b->cap > LAKE_PARQUET_WHOLE + 4096)
        lake_buffer_clear(b);
}

lake_status lake_parquet_column_begin(lake_parquet_column *c, const lake_parquet_source *source,
    const lake_parquet_node *leaf, const lake_parquet_chunk *chunk, lake_error *err) {
    if (chunk->encrypted)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "the column is encrypted");
    if (chunk->other_file)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "the column's data lies in another file");
    c->leaf = leaf;
    c->chunk = chunk;
    c->source = *source;
    c->left = chunk->num_values;
    c->page_left = c->pending = 0;
    c->has_dictionary = c->started = c->counting = false;
    lake_mem_free(c->views);
    c->views = NULL;
    c->dictionary_at = 0;
    lake_parquet_feed_close(&c->feed);
    lake_parquet_feed_close(&c->dictionary_feed);
    shrink(&c->page_room);
    shrink(&c->dictionary_room);
    c->at = (uint64_t)lake_parquet_chunk_start(chunk);
    return LAKE_OK;
}

/* Reads the header of the page at c->at; its length is not known before. *used: its length. */
static lake_status read_header(lake_parquet_column *c, size_t *used, lake_error *err) {
    for (size_t want = HEADER_GUESS;; want *= 8) {
        lake_bytes b;
        bool more;
        if (c->at >= c->source.end)
            return lake_fail_at(err, LAKE_ERR_MALFORMED, (int64_t)c->at, "%lld values are missing where the pages end",
                (long long)c->left);
        uint64_t there = c->source.end - c->at;
        LAKE_TRY(c->source.read(c->source.user, c->at, there < want ? (size_t)there : want, &b, err));
        LAKE_TRY(lake_parquet_page_read(b, (int64_t)c->at, &c->page, used, &more, err));
        if (!more)
            return LAKE_OK;
        if (want >= there || want >= HEADER_LIMIT)
            return lake_fail_at(err, LAKE_ERR_MALFORMED, (int64_t)c->at, "Parquet page header: it ends early");
    }
}

static lake_status load_views(lake_parquet_column *c, lake_bytes b, size_t n, lake_error *err) {
    lake_cursor in = lake_cursor_of(b.ptr, b.len, 0);
    if (n > b.len / 4)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the dictionary states %zu values in %zu bytes", n, b.len);
    c->views = lake_mem_alloc((n + 1) * sizeof *c->views);
    if (!c->views)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        uint32_t len;
        if (!lake_cursor_le32(&in, &len) || !lake_cursor_take(&in, len, &c->views[i]))
            return lake_fail(err, LAKE_ERR_MALFORMED, "a value of the dictionary reaches beyond it");
    }
    c->dictionary = (lake_parquet_values){n, c->views, 0};
    return LAKE_OK;
}

/* ---- pages that are held, and those that are fed */

static bool is_large(const lake_parquet_column *c) {
    return c->page.uncompressed > c->whole || c->page.compressed > c->whole;
}

static lake_status may_hold(lake_parquet_column *c, lake_error *err) {
    size_t most = c->page.uncompressed > c->page.compressed ? c->page.uncompressed : c->page.compressed;
    if (most > c->page_limit)
        return lake_fail(err, LAKE_ERR_LIMIT,
            "a page of %zu bytes that has to be in memory as a whole (encoding %d, codec %d): the limit is %zu", most,
            c->page.encoding, c->chunk->codec, c->page_limit);
    return LAKE_OK;
}

static lake_status hold(lake_parquet_column *c, uint64_t at, lake_buffer *room, lake_bytes *body,
    lake_parquet_parts *out, lake_error *err) {
    LAKE_TRY(may_hold(c, err));
    LAKE_TRY(c->source.read(c->source.user, at, c->page.compressed, body, err));
    return lake_parquet_page_open(&c->page, *body, c->chunk->codec, c->leaf, c->page_limit, c->scratch, room, out, err);
}

static lake_status load_dictionary(lake_parquet_column *c, uint64_t at, lake_error *err) {
    enum { MOST = 16 << 20 }; /* a mark for each value of a dictionary that is fed */
    lake_parquet_parts parts;
    lake_bytes body;
    size_t n = c->page.num_values, width = lake_parquet_width(c->leaf);
    if (c->has_dictionary)
        return lake_fail(err, LAKE_ERR_MALFORMED, "a second dictionary in a column chunk");
    if (c->page.encoding != LAKE_PARQUET_ENC_PLAIN && c->page.encoding != LAKE_PARQUET_ENC_PLAIN_DICTIONARY)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "a dictionary in encoding %d is not known", c->page.encoding);
    if (c->leaf->type != LAKE_PARQUET_BOOLEAN && n > c->page.uncompressed / (width ? width : 4))
        return lake_fail(
            err, LAKE_ERR_MALFORMED, "the dictionary states %zu values in %zu bytes", n, c->page.uncompressed);
    c->has_dictionary = true;
    c->dictionary = (lake_parquet_values){n, NULL, width};
    if (c->counting && is_large(c)) {
        c->dictionary_at = at;
        c->dictionary_page = c->page;
        return n <= MOST ? LAKE_OK
                         : lake_fail(err, LAKE_ERR_LIMIT, "a dictionary of %zu values: the limit is %d", n, MOST);
    }
    LAKE_TRY(hold(c, at, &c->dictionary_room, &body, &parts, err));
    if (parts.values.ptr == body.ptr) { /* not compressed: it has to outlive the source's next read */
        lake_buffer_reset(&c->dictionary_room);
        lake_buffer_put(&c->dictionary_room, body.ptr, body.len);
        LAKE_TRY(lake_buffer_check(&c->dictionary_room, err));
        parts.values.ptr = c->dictionary_room.data ? c->dictionary_room.data : (const uint8_t *)"";
    }
    c->dictionary_bytes = parts.values;
    c->dictionary.data = parts.values.ptr;
    return width || c->counting ? LAKE_OK : load_views(c, parts.values, n, err);
}

lake_status lake_parquet_column_feed(lake_parquet_column *c, const lake_parquet_page *page, uint64_t at, size_t n,
    size_t size, uint32_t crc, lake_codec codec, lake_parquet_feed *feed, lake_error *err) {
    lake_codec_stream *stream;
    lake_codec_input input = {c->source.read, c->source.user};
    lake_parquet_feed_close(feed);
    LAKE_TRY(lake_codec_stream_open(c->scratch, codec, &input, at, n, size, crc, &stream, err));
    if (!stream)
        return LAKE_OK;
    lake_parquet_feed_open(feed, stream, size);
    feed->has_crc = page->has_crc;
    feed->crc = page->crc;
    return LAKE_OK;
}

static lake_status hold_levels(lake_parquet_column *c, uint64_t n, lake_error *err) {
    if (n > LAKE_PARQUET_HELD - c->level_room.len)
        return lake_fail(err, LAKE_ERR_LIMIT, "levels of %llu bytes in a page: the limit is %d", (unsigned long long)n,
            LAKE_PARQUET_HELD);
    return LAKE_OK;
}

/* Levels at the beginning of a fed v1 page, into the room; *from: where they are there. *view: what follows. */
static lake_status feed_levels(
    lake_parquet_column *c, int32_t encoding, unsigned max, lake_bytes *view, size_t *len, lake_error *err) {
    size_t head;
    uint64_t n;
    *len = 0;
    if (!max)
        return LAKE_OK;
    LAKE_TRY(lake_parquet_feed_more(&c->feed, view->ptr, 4, view, err));
    LAKE_TRY(lake_parquet_levels_size(encoding, max, c->page.num_values, *view, &head, &n, err));
    LAKE_TRY(hold_levels(c, n, err));
    LAKE_TRY(lake_parquet_feed_more(&c->feed, view->ptr, head + (size_t)n, view, err));
    if (view->len < head + n)
        return lake_fail(err, LAKE_ERR_MALFORMED, "levels of %llu bytes in a page that has %zu left",
            (unsigned long long)n, view->len);
    lake_buffer_put(&c->level_room, view->ptr + head, (size_t)n);
    *view = (lake_bytes){view->ptr + head + n, view->len - head - (size_t)n};
    *len = (size_t)n;
    return lake_buffer_check(&c->level_room, err);
}

static lake_status feed_v1(lake_parquet_column *c, lake_codec codec, uint64_t at, bool *fed, lake_error *err) {
    lake_bytes view = {0};
    size_t rep, def;
    const lake_parquet_page *p = &c->page;
    LAKE_TRY(lake_parquet_column_feed(c, p, at, p->compressed, p->uncompressed, 0, codec, &c->feed, err));
    *fed = c->feed.stream;
    if (!*fed)
        return LAKE_OK;
    LAKE_TRY(feed_levels(c, p->rep_encoding, c->leaf->max_rep, &view, &rep, err));
    LAKE_TRY(feed_levels(c, p->def_encoding, c->leaf->max_def, &view, &def, err));
    const uint8_t *levels = c->level_room.data;
    c->parts = (lake_parquet_parts){.rep = {levels, rep}, .def = {levels ? levels + rep : NULL, def}, .values = view};
    return LAKE_OK;
}

static lake_status feed_v2(lake_parquet_column *c, lake_codec codec, uint64_t at, bool *fed, lake_error *err) {
    const lake_parquet_page *p = &c->page;
    size_t n = p->rep_bytes + p->def_bytes;
    lake_bytes b;
    if (p->rep_bytes > p->compressed || p->def_bytes > p->compressed - p->rep_bytes || n > p->uncompressed)
        return lake_fail(err, LAKE_ERR_MALFORMED, "levels of %zu and %zu bytes in a page of %zu", p->rep_bytes,
            p->def_bytes, p->compressed);
    LAKE_TRY(hold_levels(c, n, err));
    LAKE_TRY(c->source.read(c->source.user, at, n, &b, err));
    lake_buffer_put(&c->level_room, b.ptr, n);
    LAKE_TRY(lake_buffer_check(&c->level_room, err));
    size_t packed = p->compressed - n; /* none, all null: seen with a size that counts an empty compressed block */
    LAKE_TRY(lake_parquet_column_feed(c, p, at + n, packed, packed ? p->uncompressed - n : 0, lake_crc32(b),
        p->is_compressed && packed ? codec : LAKE_CODEC_NONE, &c->feed, err));
    *fed = c->feed.stream;
    const uint8_t *levels = c->level_room.data;
    c->parts = (lake_parquet_parts){
        .rep = {levels, p->rep_bytes}, .def = {levels ? levels + p->rep_bytes : NULL, p->def_bytes}};
    return LAKE_OK;
}

/* *fed false: the page cannot be read piece by piece. */
static lake_status feed_data(lake_parquet_column *c, uint64_t at, bool *fed, lake_error *err) {
    lake_codec codec;
    *fed = false;
    if (c->page.encoding == LAKE_PARQUET_ENC_BYTE_STREAM_SPLIT)
        return LAKE_OK;
    LAKE_TRY(lake_parquet_codec(c->chunk->codec, &codec, err));
    lake_buffer_reset(&c->level_room);
    return c->page.type == LAKE_PARQUET_DATA_PAGE ? feed_v1(c, codec, at, fed, err) : feed_v2(c, codec, at, fed, err);
}

static lake_status open_data(lake_parquet_column *c, uint64_t at, lake_error *err) {
    bool fed = false;
    lake_bytes body;
    if (c->page.num_values > (uint64_t)c->left)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the page states %zu values, %lld are left of the column chunk",
            c->page.num_values, (long long)c->left);
    c->left -= (int64_t)c->page.num_values;
    if (!c->page.num_values)
        return LAKE_OK;
    if (is_large(c))
        LAKE_TRY(feed_data(c, at, &fed, err));
    if (!fed)
        LAKE_TRY(hold(c, at, &c->page_room, &body, &c->parts, err));
    c->decoder.feed = fed ? &c->feed : NULL;
    if (c->leaf->max_def)
        c->levels = lake_parquet_levels_of(c->parts.def, c->page.def_encoding, c->leaf->max_def);
    if (c->leaf->max_rep)
        c->rep_levels = lake_parquet_levels_of(c->parts.rep, c->page.rep_encoding, c->leaf->max_rep);
    c->page_left = c->page.num_values;
    c->begun = false;
    return LAKE_OK;
}

/* The next page's header; *at: where its body is. *known false: a page of another kind, which is passed over. */
static lake_status take_page(lake_parquet_column *c, uint64_t *at, bool *known, lake_error *err) {
    size_t head;
    c->page_at = (int64_t)c->at;
    LAKE_TRY(read_header(c, &head, err));
    if (c->page.compressed > c->source.end - c->at - head)
        return lake_fail(
            err, LAKE_ERR_MALFORMED, "a page of %zu bytes reaches beyond the column data", c->page.compressed);
    *at = c->at + head;
    c->at = *at + c->page.compressed;
    *known = c->page.type == LAKE_PARQUET_DICTIONARY_PAGE || c->page.type == LAKE_PARQUET_DATA_PAGE ||
        c->page.type == LAKE_PARQUET_DATA_PAGE_V2;
    return LAKE_OK;
}

/* Goes on until a page with entries is open, or none is left. */
static lake_status next_page(lake_parquet_column *c, lake_error *err) {
    if (!c->page_left)
        LAKE_TRY(lake_parquet_feed_end(&c->feed, err));
    while (!c->page_left && c->left > 0) {
        uint64_t at;
        bool known;
        LAKE_TRY(take_page(c, &at, &known, err));
        if (known)
            LAKE_TRY(
                c->page.type == LAKE_PARQUET_DICTIONARY_PAGE ? load_dictionary(c, at, err) : open_data(c, at, err));
    }
    return LAKE_OK;
}

static lake_status at_page(const lake_parquet_column *c, lake_status status, lake_error *err) {
    if (err && status != LAKE_OK && err->offset < 0)
        err->offset = c->page_at;
    return lake_wrap(err, status, "page at byte %lld", (long long)c->page_at);
}

static lake_status first_page_dictionary(lake_parquet_column *c, lake_error *err) {
    uint64_t at;
    bool known;
    LAKE_TRY(take_page(c, &at, &known, err));
    if (c->page.type != LAKE_PARQUET_DICTIONARY_PAGE)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the chunk does not begin with its dictionary");
    return load_dictionary(c, at, err);
}

lake_status lake_parquet_column_dictionary(lake_parquet_column *c, lake_parquet_values *out, lake_error *err) {
    LAKE_TRY(at_page(c, first_page_dictionary(c, err), err));
    *out = c->dictionary;
    return LAKE_OK;
}

static lake_status read_levels(lake_parquet_column *c, lake_parquet_batch *out, lake_error *err) {
    uint8_t max = c->leaf->max_def, element = c->leaf->repeated_def;
    if (!lake_parquet_levels_next(&c->levels, c->def, out->n))
        return lake_fail(err, LAKE_ERR_MALFORMED, "the definition levels are damaged or end early");
    size_t present = 0, existing = out->n;
    for (size_t i = 0; i < out->n; i++)
        present += c->def[i] == max;
    if (element) {
        existing = 0;
        for (size_t i = 0; i < out->n; i++)
            existing += c->def[i] >= element;
    }
    out->def = c->def;
    out->present = present;
    out->existing = existing;
    return LAKE_OK;
}

/* Counts the rows that begin: entries of repetition level 0. */
static lake_status read_repetition(lake_parquet_column *c, lake_parquet_batch *out, lake_error *err) {
    if (!lake_parquet_levels_next(&c->rep_levels, c->rep, out->n))
        return lake_fail(err, LAKE_ERR_MALFORMED, "the repetition levels are damaged or end early");
    if (!c->started && c->rep[0])
        return lake_fail(err, LAKE_ERR_MALFORMED, "the first repetition level is %d, no row has begun", c->rep[0]);
    c->started = true;
    out->rows = 0;
    for (size_t i = 0; i < out->n; i++)
        out->rows += c->rep[i] == 0;
    return LAKE_OK;
}

/* Both for a whole page, without the levels themselves. */
static lake_status count_levels(lake_parquet_column *c, lake_parquet_tally *out, lake_error *err) {
    uint64_t counts[256];
    if (c->leaf->max_rep) {
        lake_parquet_levels first = c->rep_levels;
        uint8_t level = 0;
        if (!lake_parquet_levels_next(&first, &level, 1) || !lake_parquet_levels_count(&c->rep_levels, out->n, counts))
            return lake_fail(err, LAKE_ERR_MALFORMED, "the repetition levels are damaged or end early");
        if (!c->started && level)
            return lake_fail(err, LAKE_ERR_MALFORMED, "the first repetition level is %d, no row has begun", level);
        c->started = true;
        out->rows = (size_t)counts[0];
    }
    if (!c->leaf->max_def)
        return LAKE_OK;
    if (!lake_parquet_levels_count(&c->levels, out->n, counts))
        return lake_fail(err, LAKE_ERR_MALFORMED, "the definition levels are damaged or end early");
    out->present = (size_t)counts[c->leaf->max_def];
    for (unsigned i = 0; i < c->leaf->repeated_def; i++)
        out->existing -= (size_t)counts[i];
    return LAKE_OK;
}

static lake_status page(lake_parquet_column *c, lake_parquet_tally *out, bool *more, lake_error *err) {
    if (c->pending)
        return lake_fail(err, LAKE_ERR_INTERNAL, "values of a page were not fetched");
    LAKE_TRY(next_page(c, err));
    size_t n = c->page_left;
    *more = n > 0;
    if (!*more)
        return LAKE_OK;
    *out = (lake_parquet_tally){
        .n = n, .rows = n, .existing = n, .present = n, .by_index = lake_parquet_is_dictionary(c->page.encoding)};
    LAKE_TRY(count_levels(c, out, err));
    c->page_left = 0;
    c->pending = out->present;
    return LAKE_OK;
}

lake_status lake_parquet_column_page(lake_parquet_column *c, lake_parquet_tally *out, bool *more, lake_error *err) {
    return at_page(c, page(c, out, more, err), err);
}

static lake_status next(lake_parquet_column *c, lake_parquet_batch *out, bool *more, lake_error *err) {
    if (c->pending)
        return lake_fail(err, LAKE_ERR_INTERNAL, "values of a batch were not fetched");
    LAKE_TRY(next_page(c, err));
    *more = c->page_left > 0;
    if (!*more)
        return LAKE_OK;
    size_t n = c->page_left < LAKE_PARQUET_BATCH ? c->page_left : LAKE_PARQUET_BATCH;
    *out = (lake_parquet_batch){.n = n, .rows = n, .existing = n, .present = n};
    if (c->leaf->max_rep)
        LAKE_TRY(read_repetition(c, out, err));
    if (c->leaf->max_def)
        LAKE_TRY(read_levels(c, out, err));
    c->page_left -= n;
    c->pending = out->present;
    return LAKE_OK;
}

lake_status lake_parquet_column_next(lake_parquet_column *c, lake_parquet_batch *out, bool *more, lake_error *err) {
    return at_page(c, next(c, out, more, err), err);
}

lake_status lake_parquet_column_begin_values(lake_parquet_column *c, lake_error *err) {
    if (lake_parquet_is_dictionary(c->page.encoding) && !c->has_dictionary)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the page needs a dictionary, and there is none before it");
    if (!c->begun)
        LAKE_TRY(lake_parquet_decoder_begin(
            &c->decoder, c->leaf, c->page.encoding, c->parts.values, c->page.num_values, err));
    c->begun = true;
    return LAKE_OK;
}

static lake_status values(lake_parquet_column *c, lake_parquet_piece *out, lake_error *err) {
    bool by_index = lake_parquet_is_dictionary(c->page.encoding);
    *out = (lake_parquet_piece){0};
    if (!c->pending)
        return LAKE_OK;
    size_t n = c->pending < LAKE_PARQUET_BATCH ? c->pending : LAKE_PARQUET_BATCH;
    LAKE_TRY(lake_parquet_column_begin_values(c, err));
    if (by_index) {
        out->n = n;
        out->values = c->dictionary;
        LAKE_TRY(lake_parquet_decoder_indexes(&c->decoder, n, c->dictionary.n, &out->index, err));
    } else {
        LAKE_TRY(lake_parquet_decoder_next(&c->decoder, n, &out->values, err));
        out->n = out->values.n;
    }
    c->pending -= out->n;
    return LAKE_OK;
}

lake_status lake_parquet_column_values(lake_parquet_column *c, lake_parquet_piece *out, lake_error *err) {
    return at_page(c, values(c, out, err), err);
}
