/* Rows of `inspect`: a JSON array of objects, or a table for people, without what only programs read. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

lake_status cli_rows_json(lake_rows *rows, lake_error *err) {
    size_t width = lake_rows_width(rows), n = 0;
    cli_text t = {0};
    for (;; n++) {
        const lake_str *cells;
        lake_status status =
            cli_interrupted() ? cli_fail(err, LAKE_ERR_CANCELLED, "interrupted") : lake_rows_next(rows, &cells, err);
        if (status || !cells) {
            cli_text_free(&t);
            if (!status)
                cli_out(n ? "\n]\n" : "[]\n");
            return status;
        }
        t.len = 0;
        cli_text_addf(&t, n ? ",\n{" : "[\n{");
        for (size_t i = 0; i < width; i++) {
            lake_str name = lake_rows_name(rows, i);
            cli_text_add(&t, ",", i ? 1 : 0);
            cli_text_add_json(&t, name.ptr, name.len);
            cli_text_add(&t, ":", 1);
            cli_text_add(&t, cells[i].ptr, cells[i].len);
        }
        cli_text_add(&t, "}", 1);
        cli_out_bytes(t.ptr, t.len);
    }
}

/* Columns that hold something for each column of the table are for programs. */
static int is_for_json(const char *name) {
    static const char *const names[] = {"column_sizes", "value_counts", "null_value_counts", "nan_value_counts",
        "lower_bounds", "upper_bounds", "readable_metrics"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

/* The columns that text shows. */
typedef struct view {
    size_t n;
    size_t from[64]; /* column of the rows */
    const char *heads[64];
    int flags[64];
} view;

static void choose_columns(lake_rows *rows, size_t width, view *v) {
    for (size_t i = 0; i < width; i++) {
        lake_str name = lake_rows_name(rows, i);
        char *head = memcpy(cli_keep(name.len + 1), name.ptr, name.len);
        if (is_for_json(head))
            continue;
        v->heads[v->n] = head;
        v->from[v->n] = i;
        v->flags[v->n] = CLI_SHRINK_MIDDLE | CLI_OPTIONAL;
        if (strcmp(head, "path") == 0 || strcmp(head, "file_path") == 0 || strcmp(head, "data_file") == 0)
            v->flags[v->n] |= CLI_PATH;
        v->n++;
    }
}

static void fill_row(const lake_str *cells, view *v, int first, cli_table *t, cli_text *scratch) {
    for (size_t i = 0; i < v->n; i++) {
        lake_str cell = cells[v->from[i]];
        /* Columns of numbers, by their first row, are aligned on the right. */
        if (first && cell.len && strchr("-0123456789", cell.ptr[0]))
            v->flags[i] |= CLI_RIGHT;
        /* Times are of no use when they are cut. */
        if (first && cell.len > 1 && cell.ptr[0] == '"' && strchr("0123456789", cell.ptr[1]))
            v->flags[i] &= ~CLI_SHRINK_MIDDLE;
        if (cell.len && cell.ptr[0] == '{' && strcmp(v->heads[i], "data_file") == 0)
            cell = cli_json_member(cell, "file_path");
        scratch->len = 0;
        cli_text_add_json_shown(scratch, cell.ptr, cell.len);
        cli_table_cell(t, scratch->ptr, scratch->len);
    }
}

lake_status cli_rows_text(lake_rows *rows, lake_error *err) {
    size_t width = lake_rows_width(rows);
    if (width > 64)
        return cli_fail(err, LAKE_ERR_LIMIT, "%zu columns are too many for a table of text; use --format json", width);
    view v = {0};
    choose_columns(rows, width, &v);
    cli_table *t = cli_table_new(v.n, v.heads, v.flags);
    cli_text scratch = {0};
    lake_status status = LAKE_OK;
    for (int first = 1; !status; first = 0) {
        const lake_str *cells;
        status =
            cli_interrupted() ? cli_fail(err, LAKE_ERR_CANCELLED, "interrupted") : lake_rows_next(rows, &cells, err);
        if (status || !cells)
            break;
        fill_row(cells, &v, first, t, &scratch);
    }
    if (!status)
        cli_table_print(t);
    cli_text_free(&scratch);
    cli_table_free(t);
    return status;
}
