/* The footer of a Parquet file: row groups, column chunks and their statistics (parquet.thrift, from "Statistics" on).
 */
#include "wire/parquet_footer.h"

enum { MANY = 1 << 20 }; /* row groups, pairs of metadata: more is hardly meant */

lake_status lake_parquet_tail_read(lake_bytes tail, uint64_t file_size, uint32_t *footer_len, lake_error *err) {
    if (file_size < 12 || tail.len != LAKE_PARQUET_TAIL)
        return lake_fail(
            err, LAKE_ERR_MALFORMED, "not a Parquet file: it has %llu bytes only", (unsigned long long)file_size);
    const uint8_t *magic = tail.ptr + 4;
    if (memcmp(magic, "PARE", 4) == 0)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "the Parquet file is encrypted (its footer, \"PARE\")");
    if (memcmp(magic, "PAR1", 4) != 0)
        return lake_fail_at(err, LAKE_ERR_MALFORMED, (int64_t)file_size - 4,
            "not a Parquet file, or a torn one: it does not end in \"PAR1\"");
    *footer_len = lake_get_le32(tail.ptr);
    if (*footer_len > file_size - 12)
        return lake_fail_at(err, LAKE_ERR_MALFORMED, (int64_t)file_size - 8,
            "Parquet footer: %u bytes stated in a file of %llu", *footer_len, (unsigned long long)file_size);
    if (*footer_len > LAKE_PARQUET_FOOTER_LIMIT)
        return lake_fail(err, LAKE_ERR_LIMIT, "Parquet footer: %u bytes, the limit is %d", *footer_len,
            (int)LAKE_PARQUET_FOOTER_LIMIT);
    return LAKE_OK;
}

void lake_parquet_statistics_read(lake_thrift *t, const lake_thrift_field *f, lake_parquet_statistics *out) {
    lake_thrift_field g = {0};
    *out = (lake_parquet_statistics){.null_count = -1, .nan_count = -1, .min_exact = -1, .max_exact = -1};
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_STRUCT))
        return;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        switch (g.id) {
        case 1: out->max = lake_thrift_binary(t, &g); break;
        case 2: out->min = lake_thrift_binary(t, &g); break;
        case 3: out->null_count = lake_thrift_i64(t, &g); break;
        case 5: out->max_value = lake_thrift_binary(t, &g); break;
        case 6: out->min_value = lake_thrift_binary(t, &g); break;
        case 7: out->max_exact = lake_thrift_bool(t, &g); break;
        case 8: out->min_exact = lake_thrift_bool(t, &g); break;
        case 9: out->nan_count = lake_thrift_i64(t, &g); break;
        default: lake_thrift_skip(t, &g);
        }
    }
}

/* Members that only help to skip (page indexes, Bloom filters, encoding statistics): old writers gave some of their
   numbers other meanings, so one of another type is no fault of the file, it is passed over. */
static bool is_hint(lake_thrift *t, const lake_thrift_field *f, bool list) {
    bool fits = list ? f->type == LAKE_THRIFT_LIST : f->type >= LAKE_THRIFT_BYTE && f->type <= LAKE_THRIFT_I64;
    if (!fits)
        lake_thrift_skip(t, f);
    return fits;
}

static void read_hint_i64(lake_thrift *t, const lake_thrift_field *f, int64_t *out) {
    if (is_hint(t, f, false))
        *out = lake_thrift_i64(t, f);
}

static void read_hint_i32(lake_thrift *t, const lake_thrift_field *f, int32_t *out) {
    if (is_hint(t, f, false))
        *out = lake_thrift_i32(t, f);
}

/* Are all data pages dictionary encoded? Page types: 0 and 3 are data; encodings 2 and 8 are the dictionary's. */
static bool read_encoding_stats(lake_thrift *t, const lake_thrift_field *f) {
    lake_thrift_field e, g;
    bool some = false, all = true;
    if (!is_hint(t, f, true))
        return false;
    size_t n = lake_thrift_list(t, f, &e);
    for (size_t i = 0; i < n && !t->bad; i++) {
        if (e.type != LAKE_THRIFT_STRUCT) {
            lake_thrift_skip(t, &e);
            all = false;
            continue;
        }
        int32_t page = -1, encoding = -1, count = -1;
        g = (lake_thrift_field){0};
        lake_thrift_enter(t);
        while (lake_thrift_next(t, &g)) {
            switch (g.id) {
            case 1: read_hint_i32(t, &g, &page); break;
            case 2: read_hint_i32(t, &g, &encoding); break;
            case 3: read_hint_i32(t, &g, &count); break;
            default: lake_thrift_skip(t, &g);
            }
        }
        all &= page >= 0 && page <= 3 && encoding >= 0 && count >= 0;
        if ((page == 0 || page == 3) && count > 0) {
            some = true;
            all &= encoding == 2 || encoding == 8;
        }
    }
    return some && all;
}

enum { HAS_TYPE = 1, HAS_CODEC = 2, HAS_VALUES = 4, HAS_SIZE = 8, HAS_OFFSET = 16, HAS_ALL = 31 };

static void read_chunk_metadata(lake_thrift *t, const lake_thrift_field *f, lake_parquet_chunk *out) {
    lake_thrift_field g = {0};
    unsigned has = 0;
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_STRUCT))
        return;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        switch (g.id) {
        case 1:
            has |= HAS_TYPE;
            out->type = (lake_parquet_type)lake_thrift_i32(t, &g);
            break;
        case 4:
            has |= HAS_CODEC;
            out->codec = lake_thrift_i32(t, &g);
            break;
        case 5:
            has |= HAS_VALUES;
            out->num_values = lake_thrift_i64(t, &g);
            break;
        case 6: out->uncompressed_size = lake_thrift_i64(t, &g); break;
        case 7:
            has |= HAS_SIZE;
            out->compressed_size = lake_thrift_i64(t, &g);
            break;
        case 9:
            has |= HAS_OFFSET;
            out->data_page_offset = lake_thrift_i64(t, &g);
            break;
        case 11: out->dictionary_page_offset = lake_thrift_i64(t, &g); break;
        case 12: lake_parquet_statistics_read(t, &g, &out->statistics); break;
        case 13: out->all_dictionary = read_encoding_stats(t, &g); break;
        case 14: read_hint_i64(t, &g, &out->bloom_offset); break;
        case 15: read_hint_i32(t, &g, &out->bloom_length); break;
        default: lake_thrift_skip(t, &g);
        }
    }
    if (has != HAS_ALL)
        lake_thrift_fail(t, "a column chunk lacks its type, codec, number of values, size or offset");
    else if (out->num_values < 0 || out->compressed_size < 0 || out->data_page_offset < 0)
        lake_thrift_fail(t, "a column chunk has a negative number of values, size or offset");
}

static void read_chunk(lake_thrift *t, const lake_thrift_field *f, lake_parquet_chunk *out) {
    lake_thrift_field g = {0};
    bool has_metadata = false;
    *out = (lake_parquet_chunk){.dictionary_page_offset = -1,
        .bloom_offset = -1,
        .bloom_length = -1,
        .column_index_offset = -1,
        .offset_index_offset = -1,
        .statistics = {.null_count = -1, .nan_count = -1, .min_exact = -1, .max_exact = -1}};
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_STRUCT))
        return;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        switch (g.id) {
        case 1: out->other_file = lake_thrift_binary(t, &g).len > 0; break;
        case 3:
            has_metadata = true;
            read_chunk_metadata(t, &g, out);
            break;
        case 4: read_hint_i64(t, &g, &out->offset_index_offset); break;
        case 5: read_hint_i32(t, &g, &out->offset_index_length); break;
        case 6: read_hint_i64(t, &g, &out->column_index_offset); break;
        case 7: read_hint_i32(t, &g, &out->column_index_length); break;
        case 8:
        case 9:
            out->encrypted = true;
            lake_thrift_skip(t, &g);
            break;
        default: lake_thrift_skip(t, &g);
        }
    }
    if (!has_metadata && !out->encrypted)
        lake_thrift_fail(t, "a column chunk has no metadata");
}

static lake_status read_chunks(lake_arena *arena, lake_thrift *t, const lake_thrift_field *f,
    const lake_parquet_footer *footer, lake_parquet_row_group *group, lake_error *err) {
    lake_thrift_field e;
    size_t n = lake_thrift_list(t, f, &e);
    if (n != footer->nleaves)
        lake_thrift_fail(t, "a row group has not as many column chunks as the schema has columns");
    if (t->bad)
        return LAKE_OK;
    group->chunks = LAKE_ARENA_ARRAY(arena, lake_parquet_chunk, n + 1);
    if (!group->chunks)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n && !t->bad; i++) {
        read_chunk(t, &e, &group->chunks[i]);
        if (!t->bad && !group->chunks[i].encrypted && group->chunks[i].type != footer->leaves[i]->type)
            lake_thrift_fail(t, "a column chunk is of another type than its column");
    }
    return LAKE_OK;
}

static lake_status read_group(lake_arena *arena, lake_thrift *t, const lake_thrift_field *f,
    const lake_parquet_footer *footer, lake_parquet_row_group *group, lake_error *err) {
    lake_thrift_field g = {0};
    bool has_rows = false;
    group->file_offset = -1;
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_STRUCT))
        return LAKE_OK;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        switch (g.id) {
        case 1: LAKE_TRY(read_chunks(arena, t, &g, footer, group, err)); break;
        case 2: group->total_byte_size = lake_thrift_i64(t, &g); break;
        case 3:
            has_rows = true;
            group->num_rows = lake_thrift_i64(t, &g);
            break;
        case 5: group->file_offset = lake_thrift_i64(t, &g); break;
        default: lake_thrift_skip(t, &g);
        }
    }
    if (!group->chunks || !has_rows || group->num_rows < 0)
        lake_thrift_fail(t, "a row group lacks its columns or its number of rows");
    return LAKE_OK;
}

static lake_status read_groups(
    lake_arena *arena, lake_thrift *t, const lake_thrift_field *f, lake_parquet_footer *out, lake_error *err) {
    lake_thrift_field e;
    size_t n = lake_thrift_list(t, f, &e);
    if (!out->root)
        lake_thrift_fail(t, "row groups stand before the schema");
    if (n > MANY)
        return lake_fail(err, LAKE_ERR_LIMIT, "Parquet footer: %zu row groups, the limit is %d", n, MANY);
    if (t->bad)
        return LAKE_OK;
    out->groups = LAKE_ARENA_ARRAY(arena, lake_parquet_row_group, n + 1);
    if (!out->groups)
        return lake_fail_memory(err);
    out->ngroups = n;
    for (size_t i = 0; i < n && !t->bad; i++)
        LAKE_TRY(read_group(arena, t, &e, out, &out->groups[i], err));
    return LAKE_OK;
}

static lake_status read_pairs(
    lake_arena *arena, lake_thrift *t, const lake_thrift_field *f, lake_parquet_footer *out, lake_error *err) {
    lake_thrift_field e, g;
    size_t n = lake_thrift_list(t, f, &e);
    if (n > MANY)
        return lake_fail(err, LAKE_ERR_LIMIT, "Parquet footer: %zu pairs of metadata, the limit is %d", n, MANY);
    out->pairs = LAKE_ARENA_ARRAY(arena, struct lake_parquet_pair, n + 1);
    if (!out->pairs)
        return lake_fail_memory(err);
    out->npairs = n;
    for (size_t i = 0; i < n && lake_thrift_expect(t, &e, LAKE_THRIFT_STRUCT); i++) {
        g = (lake_thrift_field){0};
        lake_thrift_enter(t);
        while (lake_thrift_next(t, &g)) {
            if (g.id == 1)
                out->pairs[i].key = lake_text_of(lake_thrift_binary(t, &g));
            else if (g.id == 2)
                out->pairs[i].value = lake_text_of(lake_thrift_binary(t, &g));
            else
                lake_thrift_skip(t, &g);
        }
    }
    return LAKE_OK;
}

static lake_status read_orders(
    lake_arena *arena, lake_thrift *t, const lake_thrift_field *f, lake_parquet_footer *out, lake_error *err) {
    lake_thrift_field e, g;
    size_t n = lake_thrift_list(t, f, &e);
    if (n > MANY)
        return lake_fail(err, LAKE_ERR_LIMIT, "Parquet footer: %zu column orders, the limit is %d", n, MANY);
    lake_parquet_order *orders = LAKE_ARENA_ARRAY(arena, lake_parquet_order, n + 1);
    if (!orders)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n && lake_thrift_expect(t, &e, LAKE_THRIFT_STRUCT); i++) {
        g = (lake_thrift_field){0};
        lake_thrift_enter(t);
        while (lake_thrift_next(t, &g)) {
            orders[i] = g.id >= 1 && g.id <= 3 ? (lake_parquet_order)g.id : LAKE_PARQUET_ORDER_NONE;
            lake_thrift_skip(t, &g);
        }
    }
    if (n == out->nleaves) /* another number cannot be told apart: no order is known then */
        out->orders = orders;
    return LAKE_OK;
}

static lake_status read_footer(lake_arena *arena, lake_thrift *t, lake_parquet_footer *out, lake_error *err) {
    lake_thrift_field f = {0};
    bool has_rows = false;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &f)) {
        switch (f.id) {
        case 1: out->version = lake_thrift_i32(t, &f); break;
        case 2: LAKE_TRY(lake_parquet_schema_read(arena, t, &f, out, err)); break;
        case 3:
            has_rows = true;
            out->num_rows = lake_thrift_i64(t, &f);
            break;
        case 4: LAKE_TRY(read_groups(arena, t, &f, out, err)); break;
        case 5: LAKE_TRY(read_pairs(arena, t, &f, out, err)); break;
        case 6: out->created_by = lake_text_of(lake_thrift_binary(t, &f)); break;
        case 7: LAKE_TRY(read_orders(arena, t, &f, out, err)); break;
        default: lake_thrift_skip(t, &f);
        }
    }
    if (!out->root || !out->groups || !has_rows || out->num_rows < 0)
        lake_thrift_fail(t, "it lacks its schema, its row groups or its number of rows");
    return LAKE_OK;
}

lake_status lake_parquet_footer_read(
    lake_arena *arena, lake_bytes footer, int64_t origin, lake_parquet_footer **out, lake_error *err) {
    lake_parquet_footer *made = LAKE_ARENA_NEW(arena, lake_parquet_footer);
    if (!made)
        return lake_fail_memory(err);
    lake_thrift t = lake_thrift_of(footer, origin);
    LAKE_TRY(read_footer(arena, &t, made, err));
    LAKE_TRY(lake_thrift_check(&t, "Parquet footer", err));
    *out = made;
    return LAKE_OK;
}
