/* Page indexes: reading and checking. */
#include "wire/parquet_index.h"

static void read_place(lake_thrift *t, const lake_thrift_field *e, lake_parquet_page_place *out) {
    enum { OFFSET = 1, SIZE = 2, ROW = 4, ALL = 7 };
    lake_thrift_field g = {0};
    unsigned has = 0;
    if (!lake_thrift_expect(t, e, LAKE_THRIFT_STRUCT))
        return;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        switch (g.id) {
        case 1:
            has |= OFFSET;
            out->offset = lake_thrift_i64(t, &g);
            break;
        case 2:
            has |= SIZE;
            out->length = lake_thrift_i32(t, &g);
            break;
        case 3:
            has |= ROW;
            out->first_row = lake_thrift_i64(t, &g);
            break;
        default: lake_thrift_skip(t, &g);
        }
    }
    if (has != ALL)
        lake_thrift_fail(t, "a page lacks its offset, size or first row");
}

/* Pages lie one behind the other in the chunk and share out its rows. */
static const char *places_fault(
    const lake_parquet_chunk *chunk, int64_t num_rows, const lake_parquet_offset_index *index) {
    int64_t at = lake_parquet_chunk_start(chunk), end;
    if (__builtin_add_overflow(at, chunk->compressed_size, &end))
        return "the column chunk's size is beyond all bounds";
    if (!index->npages)
        return num_rows ? "it has no pages, its row group has rows" : NULL;
    if (index->pages[0].first_row != 0)
        return "the first page does not begin with the first row";
    for (size_t i = 0; i < index->npages; i++) {
        lake_parquet_page_place *p = &index->pages[i];
        int64_t next = i + 1 < index->npages ? index->pages[i + 1].first_row : num_rows;
        if (p->length <= 0 || p->offset < at || p->offset > end || p->length > end - p->offset)
            return "a page does not lie behind the one before it and inside the column chunk";
        if (next <= p->first_row || next > num_rows)
            return "the pages' first rows do not grow, or leave the row group";
        at = p->offset + p->length;
        p->rows = next - p->first_row;
    }
    return NULL;
}

lake_status lake_parquet_offset_index_read(lake_arena *arena, lake_bytes b, int64_t origin,
    const lake_parquet_chunk *chunk, int64_t num_rows, lake_parquet_offset_index *out, lake_error *err) {
    lake_thrift t = lake_thrift_of(b, origin);
    lake_thrift_field f = {0}, e;
    *out = (lake_parquet_offset_index){0};
    lake_thrift_enter(&t);
    while (lake_thrift_next(&t, &f)) {
        if (f.id != 1) {
            lake_thrift_skip(&t, &f);
            continue;
        }
        out->npages = lake_thrift_list(&t, &f, &e);
        out->pages = LAKE_ARENA_ARRAY(arena, lake_parquet_page_place, out->npages + 1);
        if (!out->pages)
            return lake_fail_memory(err);
        for (size_t i = 0; i < out->npages && !t.bad; i++)
            read_place(&t, &e, &out->pages[i]);
    }
    const char *fault = t.bad ? NULL : !out->pages ? "it has no pages" : places_fault(chunk, num_rows, out);
    if (fault)
        lake_thrift_fail(&t, fault);
    return lake_thrift_check(&t, "Parquet offset index", err);
}

/* ---- column index */

enum { NULL_PAGES, MINS, MAXS, NULL_COUNTS, NAN_COUNTS, LISTS };

static void read_list(lake_thrift *t, const lake_thrift_field *f, int list, size_t n, lake_parquet_page_values *pages) {
    lake_thrift_field e;
    size_t there = lake_thrift_list(t, f, &e);
    if (!t->bad && there != n)
        lake_thrift_fail(t, "it has not as many entries as there are pages");
    for (size_t i = 0; i < n && !t->bad; i++)
        switch (list) {
        case NULL_PAGES: pages[i].only_nulls = lake_thrift_bool_element(t, &e); break;
        case MINS: pages[i].min = lake_thrift_binary(t, &e); break;
        case MAXS: pages[i].max = lake_thrift_binary(t, &e); break;
        case NULL_COUNTS: pages[i].null_count = lake_thrift_i64(t, &e); break;
        default: pages[i].nan_count = lake_thrift_i64(t, &e);
        }
}

static const char *counts_fault(const lake_parquet_chunk *chunk, const lake_parquet_offset_index *places,
    const lake_parquet_page_values *pages, bool nulls, bool nans) {
    int64_t total = 0;
    for (size_t i = 0; i < places->npages; i++) {
        const lake_parquet_page_values *p = &pages[i];
        int64_t rows = places->pages[i].rows;
        if ((nulls && (p->null_count < 0 || p->null_count > rows)) ||
            (nans && (p->nan_count < 0 || p->nan_count > rows - (nulls ? p->null_count : 0))))
            return "a page's count of nulls or NaNs cannot be";
        if (nulls && p->only_nulls != (p->null_count == rows))
            return "a page's count of nulls contradicts that it is, or is not, one of nulls only";
        total += nulls ? p->null_count : 0;
    }
    int64_t all = chunk->statistics.null_count;
    return nulls && all >= 0 && total != all ? "the pages' nulls are not as many as the column chunk's" : NULL;
}

lake_status lake_parquet_column_index_read(lake_arena *arena, lake_bytes b, int64_t origin,
    const lake_parquet_chunk *chunk, const lake_parquet_offset_index *places, lake_parquet_page_values **out,
    lake_error *err) {
    static const int8_t lists[] = {-1, NULL_PAGES, MINS, MAXS, -1, NULL_COUNTS, -1, -1, NAN_COUNTS};
    lake_thrift t = lake_thrift_of(b, origin);
    lake_thrift_field f = {0};
    bool has[LISTS] = {false};
    size_t n = places->npages;
    lake_parquet_page_values *pages = LAKE_ARENA_ARRAY(arena, lake_parquet_page_values, n + 1);
    if (!pages)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        pages[i] = (lake_parquet_page_values){.null_count = -1, .nan_count = -1};
    lake_thrift_enter(&t);
    while (lake_thrift_next(&t, &f)) {
        int list = f.id > 0 && f.id < (int)sizeof lists ? lists[f.id] : -1;
        if (list < 0) {
            lake_thrift_skip(&t, &f);
            continue;
        }
        has[list] = true;
        read_list(&t, &f, list, n, pages);
    }
    const char *fault = t.bad ? NULL
        : !has[NULL_PAGES] || !has[MINS] || !has[MAXS]
        ? "it lacks its pages of nulls, its minima or its maxima"
        : counts_fault(chunk, places, pages, has[NULL_COUNTS], has[NAN_COUNTS]);
    if (fault)
        lake_thrift_fail(&t, fault);
    *out = pages;
    return lake_thrift_check(&t, "Parquet column index", err);
}
