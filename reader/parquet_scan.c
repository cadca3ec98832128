/* From pages to accumulators: values as they are stored, batch by batch. Of a dictionary only the values that are
   referenced count: they are marked while the indexes are read, and looked at once, at the end of the chunk. */
#include "reader/parquet_scan.h"

enum { PAGE_LIMIT = INT32_MAX, GATHER = 1024 };
enum { UNUSED, USED, NAN_VALUE = 2 }; /* marks of the dictionary's values; NAN_VALUE is a bit of its own */

lake_status lake_parquet_scan_init(lake_parquet_scan *s, const lake_parquet_file *file, lake_error *err) {
    memset(s, 0, sizeof *s);
    lake_parquet_window_init(&s->window, file);
    return lake_parquet_column_init(&s->column, PAGE_LIMIT, err);
}

void lake_parquet_scan_clear(lake_parquet_scan *s) {
    lake_parquet_column_clear(&s->column);
    lake_parquet_window_clear(&s->window);
    lake_buffer_clear(&s->used);
    lake_buffer_clear(&s->gather);
    lake_buffer_clear(&s->keys);
}

/* ---- dictionaries */

static bool is_float(const lake_accum *stats) {
    return stats->form == LAKE_ACCUM_F16 || stats->form == LAKE_ACCUM_F32 || stats->form == LAKE_ACCUM_F64;
}

/* How far apart values are in memory: as they are stored, whatever they are read as. */
static size_t stride_of(const lake_parquet_values *v) {
    return v->width ? v->width : sizeof(lake_bytes);
}

static lake_status begin_marks(
    lake_parquet_scan *s, const lake_parquet_values *dictionary, const lake_accum *stats, lake_error *err) {
    lake_buffer_reset(&s->used);
    if (!lake_buffer_reserve(&s->used, dictionary->n + 1))
        return lake_fail_memory(err);
    memset(s->used.data, UNUSED, dictionary->n);
    s->used.len = dictionary->n;
    if (!is_float(stats))
        return LAKE_OK;
    lake_accum probe;
    lake_accum_init(&probe, stats->form, stats->width, 1, 1);
    for (size_t i = 0; i < dictionary->n; i++)
        if (lake_accum_widen(&probe, (const uint8_t *)dictionary->data + i * dictionary->width, 1))
            s->used.data[i] = NAN_VALUE;
    return LAKE_OK;
}

static void mark(lake_parquet_scan *s, const lake_parquet_piece *piece, lake_accum *stats) {
    uint8_t *used = s->used.data;
    if (!is_float(stats)) {
        for (size_t i = 0; i < piece->n; i++)
            used[piece->index[i]] = USED;
        return;
    }
    int64_t nans = 0;
    for (size_t i = 0; i < piece->n; i++) {
        nans += used[piece->index[i]] >> 1;
        used[piece->index[i]] |= USED;
    }
    stats->nans += nans;
}

/* Puts the values that were referenced side by side and looks at them. */
static lake_status flush_marks(
    lake_parquet_scan *s, const lake_parquet_values *dictionary, lake_accum *stats, lake_error *err) {
    size_t stride = stride_of(dictionary), n = 0;
    const uint8_t *data = dictionary->data;
    size_t most = stride > 65536 ? 1 : GATHER;
    lake_buffer_reset(&s->gather);
    if (!lake_buffer_reserve(&s->gather, most * stride))
        return lake_fail_memory(err);
    for (size_t i = 0; i < dictionary->n; i++) {
        if (s->used.data[i] & USED)
            memcpy(s->gather.data + n++ * stride, data + i * stride, stride);
        if (n == most || (n && i + 1 == dictionary->n)) {
            lake_accum_widen(stats, s->gather.data, n);
            n = 0;
        }
    }
    return LAKE_OK;
}

/* ---- rows */

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

static lake_status scan_values(lake_parquet_scan *s, const lake_parquet_batch *batch, lake_accum *stats, bool *marks,
    row_maker *rows, lake_error *err) {
    lake_parquet_piece piece = {0};
    size_t left = batch->present;
    do {
        LAKE_TRY(lake_parquet_column_values(&s->column, &piece, err));
        left -= piece.n;
        if (piece.index && !*marks) {
            LAKE_TRY(begin_marks(s, &piece.values, stats, err));
            *marks = true;
        }
        if (piece.index)
            mark(s, &piece, stats);
        else
            stats->nans += (int64_t)lake_accum_widen(stats, piece.values.data, piece.n);
        if (rows)
            LAKE_TRY(give_rows(rows, &piece, left == 0, err));
    } while (left);
    return LAKE_OK;
}

static lake_status scan(lake_parquet_scan *s, int64_t num_rows, lake_accum *stats, row_maker *rows, lake_error *err) {
    bool more = true, marks = false;
    int64_t begun = 0;
    lake_parquet_batch batch;
    for (;;) {
        LAKE_TRY(lake_parquet_column_next(&s->column, &batch, &more, err));
        if (!more)
            break;
        begun += (int64_t)batch.rows;
        stats->values += (int64_t)batch.existing;
        stats->nulls += (int64_t)(batch.existing - batch.present);
        if (rows) {
            rows->batch = &batch;
            rows->at = 0;
        }
        LAKE_TRY(scan_values(s, &batch, stats, &marks, rows, err));
    }
    if (begun != num_rows)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the column has %lld rows, its row group %lld", (long long)begun,
            (long long)num_rows);
    if (marks)
        LAKE_TRY(flush_marks(s, &s->column.dictionary, stats, err));
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
