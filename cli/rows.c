/* Rows of `inspect`: a JSON array of objects, or a table for people. */
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
            cli_text_add(&t, ", ", i ? 2 : 0);
            cli_text_add_json(&t, name.ptr, name.len);
            cli_text_add(&t, ": ", 2);
            cli_text_add(&t, cells[i].ptr, cells[i].len);
        }
        cli_text_add(&t, "}", 1);
        cli_out_bytes(t.ptr, t.len);
    }
}

/* Columns of numbers, by their first row, are aligned on the right. */
static lake_status fill(lake_rows *rows, cli_table *t, size_t width, int *flags, lake_error *err) {
    cli_text cell = {0};
    for (int first = 1;; first = 0) {
        const lake_str *cells;
        lake_status status =
            cli_interrupted() ? cli_fail(err, LAKE_ERR_CANCELLED, "interrupted") : lake_rows_next(rows, &cells, err);
        if (status || !cells) {
            cli_text_free(&cell);
            return status;
        }
        for (size_t i = 0; i < width; i++) {
            cell.len = 0;
            if (first && cells[i].len && strchr("-0123456789", cells[i].ptr[0]))
                flags[i] |= CLI_RIGHT;
            cli_text_add_json_shown(&cell, cells[i].ptr, cells[i].len);
            cli_table_cell(t, cell.ptr, cell.len);
        }
    }
}

lake_status cli_rows_text(lake_rows *rows, lake_error *err) {
    size_t width = lake_rows_width(rows);
    const char **heads = cli_alloc(width * sizeof *heads);
    int *flags = cli_alloc(width * sizeof *flags);
    cli_text names = {0};
    for (size_t i = 0; i < width; i++) {
        lake_str name = lake_rows_name(rows, i);
        cli_text_add_shown(&names, name.ptr, name.len);
        cli_text_add(&names, "", 1);
    }
    const char *name = names.ptr;
    for (size_t i = 0; i < width; i++) {
        heads[i] = name;
        flags[i] = CLI_SHRINK_MIDDLE;
        if (strcmp(name, "path") == 0 || strcmp(name, "file_path") == 0)
            flags[i] |= CLI_PATH;
        while (*name++)
            ;
    }
    cli_table *t = cli_table_new(width, heads, flags);
    lake_status status = fill(rows, t, width, flags, err);
    if (!status && width)
        cli_table_print(t);
    cli_table_free(t);
    cli_text_free(&names);
    free(heads);
    free(flags);
    return status;
}
