/* From pages to accumulators: values as they are stored, batch by batch. Of a dictionary only the values that are
   referenced count: they are marked while the indexes are read, and looked at once, at the end of the chunk. */
#include "reader/parquet_scan.h"

_Static_assert((int)LAKE_ACCUM_LONGEST == (int)LAKE_PARQUET_LONGEST, "what a feed cuts off is not kept");

enum { PAGE_LIMIT = 24 << 20 };
enum { UNUSED, USED, NAN_VALUE = 2 }; /* marks of the dictionary's values; NAN_VALUE is a bit of its own */

lake_status lake_parquet_scan_init(
    lake_parquet_scan *s, const lake_parquet_file *file, size_t page_limit, size_t page_whole, lake_error *err) {
    memset(s, 0, sizeof *s);
    lake_parquet_window_init(&s->window, file);
    LAKE_TRY(lake_parquet_column_init(&s->column, page_limit ? page_limit : PAGE_LIMIT, err));
    if (page_whole)
        s->column.whole = page_whole;
    return LAKE_OK;
}

void lake_parquet_scan_clear(lake_parquet_scan *s) {
    lake_parquet_column_clear(&s->column);
    lake_parquet_window_clear(&s->window);
    lake_buffer_clear(&s->marks.bytes);
}

/* ---- dictionaries */

static bool is_float(const lake_accum *stats) {
    return stats->form == LAKE_ACCUM_F16 || stats->form == LAKE_ACCUM_F32 || stats->form == LAKE_ACCUM_F64;
}

/* How far apart values are in memory: as they are stored, whatever they are read as. */
static size_t stride_of(const lake_parquet_values *v) {
    return v->width ? v->width : sizeof(lake_bytes);
}

typedef struct nan_finder {
    uint8_t *marks;
    lake_accum probe;
    bool any;
} nan_finder;

static lake_status find_nans(void *user, const lake_parquet_values *values, size_t at, lake_error *err) {
    nan_finder *f = user;
    if (!lake_accum_widen(&f->probe, values->data, values->n))
        return LAKE_OK;
    for (size_t i = 0; i < values->n; i++)
        if (lake_accum_widen(&f->probe, (const uint8_t *)values->data + i * values->width, 1))
            f->marks[at + i] = NAN_VALUE;
    f->any = true;
    return LAKE_OK;
}

/* Says in *nans whether a value of the dictionary is NaN, and marks those. */
static lake_status begin_marks(lake_parquet_scan *s, const lake_accum *stats, bool *nans, lake_error *err) {
    const lake_parquet_values *dictionary = &s->column.dictionary;
    lake_buffer *marks = &s->marks.bytes;
    lake_buffer_reset(marks);
    s->marks.first = 0;
    if (!lake_buffer_reserve(marks, dictionary->n + 1))
        return lake_fail_memory(err);
    memset(marks->data, UNUSED, dictionary->n + 1);
    marks->len = dictionary->n + 1;
    *nans = false;
    if (!is_float(stats))
        return LAKE_OK;
    nan_finder finder = {.marks = marks->data};
    lake_accum_init(&finder.probe, stats->form, stats->width, 1, 1);
    LAKE_TRY(dictionary->data ? find_nans(&finder, dictionary, 0, err)
                              : lake_parquet_column_each(&s->column, find_nans, &finder, err));
    *nans = finder.any;
    return LAKE_OK;
}

/* Marks with NaNs counted. */
static void mark(lake_parquet_scan *s, const lake_parquet_piece *piece, lake_accum *stats) {
    uint8_t *marks = s->marks.bytes.data;
    int64_t nans = 0;
    for (size_t i = 0; i < piece->n; i++) {
        nans += marks[piece->index[i]] >> 1;
        marks[piece->index[i]] |= USED;
    }
    stats->nans += nans;
}

static lake_status take_values(void *user, const lake_parquet_values *values, lake_error *err) {
    lake_accum_widen(user, values->data, values->n);
    return LAKE_OK;
}

/* ---- rows */

/* A value that a feed has cut is not whole. */
static bool is_cut(const lake_accum *stats, const void *element) {
    return stats->form == LAKE_ACCUM_BYTES && ((const lake_bytes *)element)->len > LAKE_PARQUET_LONGEST;
}

static uint8_t key_of(const lake_accum *stats, const void *element, lake_key *key) {
    if (lake_accum_key(stats, element, key))
        return 1;
    return is_float(stats) ? 2 : 0;
}

typedef struct row_maker {
    const lake_parquet_rows *rows;
    const lake_parquet_batch *batch;
    const lake_accum *stats;
    uint8_t max_def;
    size_t at; /* the batch's next entry */
    lake_key keys[LAKE_PARQUET_BATCH];
    uint8_t present[LAKE_PARQUET_BATCH];
} row_maker;

static const void *element_of(const lake_parquet_piece *p, size_t i) {
    size_t k = p->index ? p->index[i] : i;
    return (const uint8_t *)p->values.data + k * stride_of(&p->values);
}

/* Entries up to the piece's last value; the nulls at the batch's end come with its last piece. */
static lake_status give_rows(row_maker *m, const lake_parquet_piece *piece, bool last, lake_error *err) {
    size_t n = 0, value = 0;
    while (m->at < m->batch->n) {
        bool is_value = !m->batch->def || m->batch->def[m->at] == m->max_def;
        if (value == piece->n && (is_value || !last))
            break;
        if (is_value && is_cut(m->stats, element_of(piece, value)))
            return lake_fail(err, LAKE_ERR_LIMIT, "a value of more than %d bytes", LAKE_PARQUET_LONGEST);
        m->present[n] = is_value ? key_of(m->stats, element_of(piece, value), &m->keys[n]) : 0;
        if (is_value && !m->present[n])
            return lake_fail(err, LAKE_ERR_UNSUPPORTED, "a value cannot be read as the column's type");
        value += is_value;
        n++;
        m->at++;
    }
    return n ? m->rows->on_values(m->rows->user, m->rows->field, m->keys, m->present, n, err) : LAKE_OK;
}

/* ---- a chunk */

typedef struct progress {
    bool marks, nans; /* the dictionary's marks are ready; it has a NaN */
    int64_t rows;
} progress;

static lake_status ready_marks(lake_parquet_scan *s, const lake_accum *stats, progress *p, lake_error *err) {
    if (p->marks)
        return LAKE_OK;
    p->marks = true;
    return begin_marks(s, stats, &p->nans, err);
}

static lake_status scan_values(
    lake_parquet_scan *s, size_t present, lake_accum *stats, progress *p, row_maker *rows, lake_error *err) {
    lake_parquet_piece piece = {0};
    size_t left = present;
    do {
        LAKE_TRY(lake_parquet_column_values(&s->column, &piece, err));
        left -= piece.n;
        if (piece.index) {
            LAKE_TRY(ready_marks(s, stats, p, err));
            mark(s, &piece, stats);
        } else {
            stats->nans += (int64_t)lake_accum_widen(stats, piece.values.data, piece.n);
        }
        if (rows)
            LAKE_TRY(give_rows(rows, &piece, left == 0, err));
    } while (left);
    return LAKE_OK;
}

static void count(lake_accum *stats, progress *p, size_t rows, size_t existing, size_t present) {
    p->rows += (int64_t)rows;
    stats->values += (int64_t)existing;
    stats->nulls += (int64_t)(existing - present);
}

/* Batch by batch, since somebody wants the rows. */
static lake_status scan_rows(lake_parquet_scan *s, lake_accum *stats, progress *p, row_maker *rows, lake_error *err) {
    bool more = true;
    lake_parquet_batch batch;
    for (;;) {
        LAKE_TRY(lake_parquet_column_next(&s->column, &batch, &more, err));
        if (!more)
            return LAKE_OK;
        count(stats, p, batch.rows, batch.existing, batch.present);
        rows->batch = &batch;
        rows->at = 0;
        LAKE_TRY(scan_values(s, batch.present, stats, p, rows, err));
    }
}

static lake_status scan_pages(lake_parquet_scan *s, lake_accum *stats, progress *p, lake_error *err) {
    bool more = true;
    lake_parquet_tally page;
    lake_parquet_column_count(&s->column);
    for (;;) {
        LAKE_TRY(lake_parquet_column_page(&s->column, &page, &more, err));
        if (!more)
            return LAKE_OK;
        count(stats, p, page.rows, page.existing, page.present);
        if (!page.present)
            continue;
        if (page.by_index && s->column.has_dictionary)
            LAKE_TRY(ready_marks(s, stats, p, err));
        if (page.by_index && !p->nans)
            LAKE_TRY(lake_parquet_column_mark(&s->column, &s->marks, err));
        else
            LAKE_TRY(scan_values(s, page.present, stats, p, NULL, err));
    }
}

static lake_status scan(lake_parquet_scan *s, int64_t num_rows, lake_accum *stats, row_maker *rows, lake_error *err) {
    progress p = {0};
    LAKE_TRY(rows ? scan_rows(s, stats, &p, rows, err) : scan_pages(s, stats, &p, err));
    if (p.rows != num_rows)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the column has %lld rows, its row group %lld", (long long)p.rows,
            (long long)num_rows);
    if (p.marks)
        LAKE_TRY(lake_parquet_column_marked(&s->column, &s->marks, take_values, stats, err));
    return lake_accum_check(stats, err);
}

lake_status lake_parquet_scan_chunk(lake_parquet_scan *s, const lake_parquet_node *leaf,
    const lake_parquet_chunk *chunk, int64_t num_rows, lake_accum *stats, const lake_parquet_rows *rows,
    lake_error *err) {
    lake_parquet_source source = lake_parquet_window_source(&s->window);
    LAKE_TRY(lake_parquet_column_begin(&s->column, &source, leaf, chunk, err));
    uint64_t size = (uint64_t)chunk->compressed_size, room = s->window.file->footer_at;
    lake_parquet_window_begin(
        &s->window, s->column.at < room && size < room - s->column.at ? s->column.at + size : room);
    if (!rows)
        return scan(s, num_rows, stats, NULL, err);
    row_maker *maker = lake_mem_zalloc(1, sizeof *maker);
    if (!maker)
        return lake_fail_memory(err);
    maker->rows = rows;
    maker->stats = stats;
    maker->max_def = leaf->max_def;
    lake_status st = scan(s, num_rows, stats, maker, err);
    lake_mem_free(maker);
    return st;
}
