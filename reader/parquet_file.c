/* Opening Parquet files; read-ahead windows. */
#include "reader/parquet_file.h"

#include "reader/footer_memory.h"

enum { TAIL_GUESS = 64 << 10, WINDOW = 1 << 20 };

/* Data files of other formats are known by their first bytes. */
static lake_status other_format(const lake_parquet_file *f, lake_error *err) {
    uint8_t head[4] = {0};
    if (f->size < sizeof head)
        return LAKE_OK;
    LAKE_TRY(lake_file_read(f->file, 0, head, sizeof head, err));
    const char *name = memcmp(head, "Obj\1", 4) == 0 ? "an Avro" : memcmp(head, "ORC", 3) == 0 ? "an ORC" : NULL;
    return name ? lake_fail(err, LAKE_ERR_UNSUPPORTED, "it is %s file: only Parquet files are read", name) : LAKE_OK;
}

static lake_status read_tail(lake_parquet_file *f, lake_arena *arena, lake_bytes *footer, lake_error *err) {
    uint32_t len;
    LAKE_TRY(other_format(f, err));
    if (f->size < LAKE_PARQUET_TAIL)
        return lake_parquet_tail_read((lake_bytes){NULL, 0}, f->size, &len, err);
    size_t have = f->size < TAIL_GUESS ? (size_t)f->size : TAIL_GUESS;
    uint8_t *tail = lake_arena_alloc(arena, have);
    if (!tail)
        return lake_fail_memory(err);
    LAKE_TRY(lake_file_read(f->file, f->size - have, tail, have, err));
    lake_bytes end = {tail + have - LAKE_PARQUET_TAIL, LAKE_PARQUET_TAIL};
    LAKE_TRY(lake_parquet_tail_read(end, f->size, &len, err));
    f->footer_at = f->size - LAKE_PARQUET_TAIL - len;
    *footer = (lake_bytes){tail + have - LAKE_PARQUET_TAIL - len, len};
    if (len > have - LAKE_PARQUET_TAIL) {
        uint8_t *whole = lake_arena_alloc(arena, len);
        if (!whole)
            return lake_fail_memory(err);
        LAKE_TRY(lake_file_read(f->file, f->footer_at, whole, len, err));
        footer->ptr = whole;
    }
    return LAKE_OK;
}

static lake_status read_footer(
    const lake_store *store, lake_str location, lake_parquet_file *f, lake_arena *arena, lake_error *err) {
    lake_bytes footer;
    if (store->footers && lake_footer_memory_get(store->footers, location, f->size, arena, &footer)) {
        f->footer_at = f->size - LAKE_PARQUET_TAIL - footer.len;
    } else {
        LAKE_TRY(read_tail(f, arena, &footer, err));
        if (store->footers)
            lake_footer_memory_put(store->footers, location, f->size, footer);
    }
    return lake_parquet_footer_read(arena, footer, (int64_t)f->footer_at, &f->footer, err);
}

lake_status lake_parquet_file_open(
    const lake_store *store, lake_str location, lake_arena *arena, lake_parquet_file *out, lake_error *err) {
    *out = (lake_parquet_file){0};
    LAKE_TRY(lake_store_open(store, location, &out->file, err));
    out->size = lake_file_size(out->file);
    lake_status st = read_footer(store, location, out, arena, err);
    if (st != LAKE_OK)
        lake_parquet_file_close(out);
    return lake_wrap(err, st, "%.*s", LAKE_ARG(location));
}

void lake_parquet_file_close(lake_parquet_file *f) {
    if (f->file)
        lake_file_close(f->file);
    f->file = NULL;
}

void lake_parquet_window_init(lake_parquet_window *w, const lake_parquet_file *file) {
    *w = (lake_parquet_window){.file = file};
    lake_buffer_init(&w->data);
}

void lake_parquet_window_clear(lake_parquet_window *w) {
    lake_buffer_clear(&w->data);
}

void lake_parquet_window_begin(lake_parquet_window *w, uint64_t until) {
    if (w->data.cap > LAKE_PARQUET_WHOLE + WINDOW) /* a large page does not keep its memory for other chunks */
        lake_buffer_clear(&w->data);
    lake_buffer_reset(&w->data);
    w->at = 0;
    w->until = until;
}

/* Keeps what the window has from `offset` on at its beginning. */
static void slide(lake_parquet_window *w, uint64_t offset) {
    size_t keep = 0;
    if (offset >= w->at && offset - w->at < w->data.len) {
        keep = w->data.len - (size_t)(offset - w->at);
        memmove(w->data.data, w->data.data + (offset - w->at), keep);
    }
    w->data.len = keep;
    w->at = offset;
}

static lake_status read_window(void *user, uint64_t offset, size_t n, lake_bytes *out, lake_error *err) {
    lake_parquet_window *w = user;
    if (offset < w->at || offset - w->at > w->data.len || n > w->data.len - (offset - w->at)) {
        slide(w, offset);
        uint64_t ahead = w->until > offset ? w->until - offset : 0;
        size_t want = ahead > WINDOW ? WINDOW : (size_t)ahead;
        want = want < n ? n : want;
        size_t more = want - w->data.len; /* what was kept was less than n */
        if (!lake_buffer_reserve(&w->data, more))
            return lake_fail_memory(err);
        LAKE_TRY(lake_file_read(w->file->file, offset + w->data.len, w->data.data + w->data.len, more, err));
        w->data.len += more;
    }
    *out = (lake_bytes){w->data.data ? w->data.data + (offset - w->at) : (const uint8_t *)"", n};
    return LAKE_OK;
}

lake_parquet_source lake_parquet_window_source(lake_parquet_window *w) {
    return (lake_parquet_source){read_window, w, w->file->footer_at};
}
