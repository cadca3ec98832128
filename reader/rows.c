/* A table of results, made row by row by whoever fills it. */
#include "lake/rows.h"

#include "reader/table.h"

struct lake_rows {
    lake_arena scratch; /* of one row */
    const char *const *names;
    size_t width;
    lake_rows_fill fill;
    void (*close)(void *user);
    void *user;
    bool ended;
    lake_str cells[];
};

lake_status lake_rows_new(const char *const *names, size_t width, lake_rows_fill fill, void (*close)(void *user),
    void *user, lake_rows **out, lake_error *err) {
    lake_rows *r = lake_mem_zalloc(1, sizeof *r + width * sizeof *r->cells);
    *out = r;
    if (!r) {
        if (close)
            close(user);
        return lake_fail_memory(err);
    }
    lake_arena_init(&r->scratch, 0);
    r->names = names;
    r->width = width;
    r->fill = fill;
    r->close = close;
    r->user = user;
    return LAKE_OK;
}

size_t lake_rows_width(const lake_rows *rows) {
    return rows->width;
}

lake_str lake_rows_name(const lake_rows *rows, size_t column) {
    return column < rows->width ? lake_str_of(rows->names[column]) : (lake_str){NULL, 0};
}

lake_status lake_rows_next(lake_rows *rows, const lake_str **cells, lake_error *err) {
    bool more = false;
    *cells = NULL;
    if (rows->ended)
        return LAKE_OK;
    lake_arena_reset(&rows->scratch);
    for (size_t i = 0; i < rows->width; i++)
        rows->cells[i] = LAKE_STR("null");
    lake_status s = rows->fill(rows->user, &rows->scratch, rows->cells, &more, err);
    rows->ended = s != LAKE_OK || !more;
    if (s == LAKE_OK && more)
        *cells = rows->cells;
    return s;
}

void lake_rows_close(lake_rows *rows) {
    if (!rows)
        return;
    if (rows->close)
        rows->close(rows->user);
    lake_arena_clear(&rows->scratch);
    lake_mem_free(rows);
}
