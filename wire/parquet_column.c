/* Walks the pages of a column chunk. */
#include "wire/parquet_column.h"

enum { HEADER_GUESS = 512, HEADER_LIMIT = 16 << 20 };

lake_status lake_parquet_column_init(lake_parquet_column *c, size_t page_limit, lake_error *err) {
    memset(c, 0, sizeof *c);
    c->page_limit = page_limit;
    c->scratch = lake_codec_scratch_new();
    if (!c->scratch)
        return lake_fail_memory(err);
    return lake_parquet_decoder_init(&c->decoder, err);
}

void lake_parquet_column_clear(lake_parquet_column *c) {
    lake_parquet_decoder_clear(&c->decoder);
    lake_codec_scratch_free(c->scratch);
    lake_buffer_clear(&c->page_room);
    lake_buffer_clear(&c->dictionary_room);
    lake_mem_free(c->views);
    memset(c, 0, sizeof *c);
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
    c->has_dictionary = c->started = false;
    lake_mem_free(c->views);
    c->views = NULL;
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

static lake_status load_dictionary(lake_parquet_column *c, lake_bytes body, lake_error *err) {
    lake_parquet_parts parts;
    size_t n = c->page.num_values, width = lake_parquet_width(c->leaf);
    if (c->has_dictionary)
        return lake_fail(err, LAKE_ERR_MALFORMED, "a second dictionary in a column chunk");
    if (c->page.encoding != LAKE_PARQUET_ENC_PLAIN && c->page.encoding != LAKE_PARQUET_ENC_PLAIN_DICTIONARY)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "a dictionary in encoding %d is not known", c->page.encoding);
    LAKE_TRY(lake_parquet_page_open(
        &c->page, body, c->chunk->codec, c->leaf, c->page_limit, c->scratch, &c->dictionary_room, &parts, err));
    if (parts.values.ptr == body.ptr) { /* not compressed: it has to outlive the source's next read */
        lake_buffer_reset(&c->dictionary_room);
        lake_buffer_put(&c->dictionary_room, body.ptr, body.len);
        LAKE_TRY(lake_buffer_check(&c->dictionary_room, err));
        parts.values.ptr = c->dictionary_room.data ? c->dictionary_room.data : (const uint8_t *)"";
    }
    c->has_dictionary = true;
    if (!width)
        return load_views(c, parts.values, n, err);
    if (c->leaf->type != LAKE_PARQUET_BOOLEAN && n > parts.values.len / width)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the dictionary states %zu values in %zu bytes", n, parts.values.len);
    c->dictionary = (lake_parquet_values){n, parts.values.ptr, width};
    return LAKE_OK;
}

static lake_status open_data(lake_parquet_column *c, lake_bytes body, lake_error *err) {
    if (c->page.num_values > (uint64_t)c->left)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the page states %zu values, %lld are left of the column chunk",
            c->page.num_values, (long long)c->left);
    c->left -= (int64_t)c->page.num_values;
    if (!c->page.num_values)
        return LAKE_OK;
    LAKE_TRY(lake_parquet_page_open(
        &c->page, body, c->chunk->codec, c->leaf, c->page_limit, c->scratch, &c->page_room, &c->parts, err));
    if (c->leaf->max_def)
        c->levels = lake_parquet_levels_of(c->parts.def, c->page.def_encoding, c->leaf->max_def);
    if (c->leaf->max_rep)
        c->rep_levels = lake_parquet_levels_of(c->parts.rep, c->page.rep_encoding, c->leaf->max_rep);
    c->page_left = c->page.num_values;
    c->begun = false;
    return LAKE_OK;
}

/* The next page's header and body. *known false: a page of another kind, which is passed over. */
static lake_status take_page(lake_parquet_column *c, lake_bytes *body, bool *known, lake_error *err) {
    size_t head;
    c->page_at = (int64_t)c->at;
    LAKE_TRY(read_header(c, &head, err));
    if (c->page.compressed > c->source.end - c->at - head)
        return lake_fail(
            err, LAKE_ERR_MALFORMED, "a page of %zu bytes reaches beyond the column data", c->page.compressed);
    c->at += head;
    uint64_t body_at = c->at;
    c->at += c->page.compressed;
    *known = c->page.type == LAKE_PARQUET_DICTIONARY_PAGE || c->page.type == LAKE_PARQUET_DATA_PAGE ||
        c->page.type == LAKE_PARQUET_DATA_PAGE_V2;
    return *known ? c->source.read(c->source.user, body_at, c->page.compressed, body, err) : LAKE_OK;
}

/* Goes on until a page with entries is open, or none is left. */
static lake_status next_page(lake_parquet_column *c, lake_error *err) {
    while (!c->page_left && c->left > 0) {
        lake_bytes body;
        bool known;
        LAKE_TRY(take_page(c, &body, &known, err));
        if (known)
            LAKE_TRY(
                c->page.type == LAKE_PARQUET_DICTIONARY_PAGE ? load_dictionary(c, body, err) : open_data(c, body, err));
    }
    return LAKE_OK;
}

static lake_status at_page(const lake_parquet_column *c, lake_status status, lake_error *err) {
    if (err && status != LAKE_OK && err->offset < 0)
        err->offset = c->page_at;
    return lake_wrap(err, status, "page at byte %lld", (long long)c->page_at);
}

static lake_status first_page_dictionary(lake_parquet_column *c, lake_error *err) {
    lake_bytes body;
    bool known;
    LAKE_TRY(take_page(c, &body, &known, err));
    if (c->page.type != LAKE_PARQUET_DICTIONARY_PAGE)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the chunk does not begin with its dictionary");
    return load_dictionary(c, body, err);
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

static lake_status values(lake_parquet_column *c, lake_parquet_piece *out, lake_error *err) {
    bool by_index = lake_parquet_is_dictionary(c->page.encoding);
    *out = (lake_parquet_piece){0};
    if (!c->pending)
        return LAKE_OK;
    if (by_index && !c->has_dictionary)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the page needs a dictionary, and there is none before it");
    if (!c->begun)
        LAKE_TRY(lake_parquet_decoder_begin(
            &c->decoder, c->leaf, c->page.encoding, c->parts.values, c->page.num_values, err));
    c->begun = true;
    if (by_index) {
        out->n = c->pending;
        out->values = c->dictionary;
        LAKE_TRY(lake_parquet_decoder_indexes(&c->decoder, c->pending, c->dictionary.n, &out->index, err));
    } else {
        LAKE_TRY(lake_parquet_decoder_next(&c->decoder, c->pending, &out->values, err));
        out->n = out->values.n;
    }
    c->pending -= out->n;
    return LAKE_OK;
}

lake_status lake_parquet_column_values(lake_parquet_column *c, lake_parquet_piece *out, lake_error *err) {
    return at_page(c, values(c, out, err), err);
}
