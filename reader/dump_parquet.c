/* The footer of a Parquet file as JSON, with the names of parquet.thrift. Statistics are given as hex of what is
 * recorded. */
#include "reader/dump_internal.h"
#include "wire/parquet_footer.h"

static const char *const repetitions[] = {"REQUIRED", "OPTIONAL", "REPEATED"};
static const char *const logical_types[] = {NULL, "STRING", "MAP", "LIST", "ENUM", "DECIMAL", "DATE", "TIME",
    "TIMESTAMP", "INTERVAL", "INTEGER", "NULL", "JSON", "BSON", "UUID", "FLOAT16", "VARIANT", "GEOMETRY", "GEOGRAPHY",
    "OTHER"};
static const char *const units[] = {"MILLIS", "MICROS", "NANOS"};
static const char *const codecs[] = {"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"};

static void put_flag(lake_dump_out *out, const char *name, bool v) {
    lake_dump_key(out, name);
    lake_buffer_puts(&out->piece, v ? "true" : "false");
}

static void put_logical(lake_dump_out *out, const lake_parquet_node *n) {
    if (n->logical == LAKE_PARQUET_PLAIN)
        return;
    lake_dump_str(out, "logicalType", lake_str_of(logical_types[n->logical]));
    if (n->logical == LAKE_PARQUET_DECIMAL) {
        lake_dump_long(out, "precision", n->precision);
        lake_dump_long(out, "scale", n->scale);
    } else if (n->logical == LAKE_PARQUET_TIME || n->logical == LAKE_PARQUET_TIMESTAMP) {
        put_flag(out, "isAdjustedToUTC", n->utc);
        lake_dump_str(out, "unit", lake_str_of(units[n->unit]));
    } else if (n->logical == LAKE_PARQUET_INTEGER) {
        lake_dump_long(out, "bitWidth", n->bit_width);
        put_flag(out, "isSigned", n->is_signed);
    }
}

/* The tree's depth was limited when it was read. */
static void put_node(lake_dump_out *out, const lake_parquet_node *n) {
    lake_buffer *b = &out->piece;
    lake_buffer_char(b, '{');
    lake_dump_str(out, "name", n->name);
    if (n->parent)
        lake_dump_str(out, "repetition_type", lake_str_of(repetitions[n->repetition]));
    if (n->type != LAKE_PARQUET_GROUP)
        lake_dump_str(out, "type", lake_str_of(lake_parquet_type_name(n->type)));
    if (n->type == LAKE_PARQUET_FIXED)
        lake_dump_long(out, "type_length", n->type_length);
    if (n->has_field_id)
        lake_dump_long(out, "field_id", n->field_id);
    put_logical(out, n);
    if (n->type == LAKE_PARQUET_GROUP) {
        lake_dump_key(out, "children");
        lake_buffer_char(b, '[');
        for (size_t i = 0; i < n->nchildren; i++) {
            if (i)
                lake_buffer_char(b, ',');
            put_node(out, n->children[i]);
        }
        lake_buffer_char(b, ']');
    }
    lake_buffer_char(b, '}');
}

static void put_statistics(lake_dump_out *out, const lake_parquet_statistics *s) {
    lake_dump_key(out, "statistics");
    lake_buffer_char(&out->piece, '{');
    lake_dump_hex(out, "min", s->min);
    lake_dump_hex(out, "max", s->max);
    lake_dump_hex(out, "min_value", s->min_value);
    lake_dump_hex(out, "max_value", s->max_value);
    if (s->null_count >= 0)
        lake_dump_long(out, "null_count", s->null_count);
    if (s->nan_count >= 0)
        lake_dump_long(out, "nan_count", s->nan_count);
    if (s->min_exact >= 0)
        put_flag(out, "is_min_value_exact", s->min_exact);
    if (s->max_exact >= 0)
        put_flag(out, "is_max_value_exact", s->max_exact);
    lake_buffer_char(&out->piece, '}');
}

static lake_status put_chunk(lake_dump_out *out, lake_arena *arena, const lake_parquet_node *leaf,
    const lake_parquet_chunk *c, lake_error *err) {
    lake_str path = lake_parquet_path(arena, leaf);
    if (!path.ptr)
        return lake_fail_memory(err);
    lake_buffer_char(&out->piece, '{');
    lake_dump_str(out, "path_in_schema", path);
    if (c->encrypted)
        put_flag(out, "encrypted", true);
    bool known = c->codec >= 0 && (size_t)c->codec < sizeof codecs / sizeof *codecs;
    if (known)
        lake_dump_str(out, "codec", lake_str_of(codecs[c->codec]));
    else
        lake_dump_long(out, "codec", c->codec);
    lake_dump_long(out, "num_values", c->num_values);
    lake_dump_long(out, "total_uncompressed_size", c->uncompressed_size);
    lake_dump_long(out, "total_compressed_size", c->compressed_size);
    lake_dump_long(out, "data_page_offset", c->data_page_offset);
    if (c->dictionary_page_offset >= 0)
        lake_dump_long(out, "dictionary_page_offset", c->dictionary_page_offset);
    put_statistics(out, &c->statistics);
    lake_buffer_char(&out->piece, '}');
    return LAKE_OK;
}

static lake_status put_groups(lake_dump_out *out, lake_arena *arena, const lake_parquet_footer *f, lake_error *err) {
    lake_dump_key(out, "row_groups");
    lake_buffer_char(&out->piece, '[');
    for (size_t i = 0; i < f->ngroups; i++) {
        const lake_parquet_row_group *g = &f->groups[i];
        lake_buffer_puts(&out->piece, i ? ",{" : "{");
        lake_dump_long(out, "num_rows", g->num_rows);
        lake_dump_long(out, "total_byte_size", g->total_byte_size);
        if (g->file_offset >= 0)
            lake_dump_long(out, "file_offset", g->file_offset);
        lake_dump_key(out, "columns");
        lake_buffer_char(&out->piece, '[');
        for (size_t k = 0; k < f->nleaves; k++) {
            if (k)
                lake_buffer_char(&out->piece, ',');
            LAKE_TRY(put_chunk(out, arena, f->leaves[k], &g->chunks[k], err));
        }
        lake_buffer_puts(&out->piece, "]}");
        LAKE_TRY(lake_dump_flush(out, err));
    }
    lake_buffer_char(&out->piece, ']');
    return LAKE_OK;
}

static void put_pairs(lake_dump_out *out, const lake_parquet_footer *f) {
    lake_dump_key(out, "key_value_metadata");
    lake_buffer_char(&out->piece, '[');
    for (size_t i = 0; i < f->npairs; i++) { /* a list: keys may come twice */
        lake_buffer_puts(&out->piece, i ? ",{" : "{");
        lake_dump_str(out, "key", f->pairs[i].key);
        lake_dump_str(out, "value", f->pairs[i].value);
        lake_buffer_char(&out->piece, '}');
    }
    lake_buffer_char(&out->piece, ']');
}

static lake_status read_footer(lake_arena *arena, lake_file *file, lake_parquet_footer **out, lake_error *err) {
    uint64_t size = lake_file_size(file);
    uint8_t tail[LAKE_PARQUET_TAIL];
    uint32_t len;
    if (size < LAKE_PARQUET_TAIL)
        return lake_fail(
            err, LAKE_ERR_MALFORMED, "a Parquet file of %llu bytes has no footer", (unsigned long long)size);
    LAKE_TRY(lake_file_read(file, size - LAKE_PARQUET_TAIL, tail, LAKE_PARQUET_TAIL, err));
    LAKE_TRY(lake_parquet_tail_read((lake_bytes){tail, sizeof tail}, size, &len, err));
    uint8_t *bytes = lake_arena_alloc(arena, len + 1);
    if (!bytes)
        return lake_fail_memory(err);
    uint64_t at = size - LAKE_PARQUET_TAIL - len;
    LAKE_TRY(lake_file_read(file, at, bytes, len, err));
    return lake_parquet_footer_read(arena, (lake_bytes){bytes, len}, (int64_t)at, out, err);
}

lake_status lake_dump_parquet(lake_arena *arena, lake_file *file, lake_dump_out *out, lake_error *err) {
    lake_parquet_footer *f;
    LAKE_TRY(read_footer(arena, file, &f, err));
    lake_buffer_char(&out->piece, '{');
    lake_dump_long(out, "version", f->version);
    lake_dump_key(out, "schema");
    put_node(out, f->root);
    lake_dump_long(out, "num_rows", f->num_rows);
    LAKE_TRY(put_groups(out, arena, f, err));
    put_pairs(out, f);
    lake_dump_str(out, "created_by", f->created_by);
    lake_buffer_char(&out->piece, '}');
    return LAKE_OK;
}
