/* Tables for people, first half: cells, terminal and colour. text_print.c lays them out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "text_table.h"

cli_table *cli_table_new(size_t width, const char *const *heads, const int *flags) {
    cli_table *t = cli_alloc(sizeof *t);
    *t = (cli_table){.width = width, .heads = heads, .flags = flags};
    t->widest = cli_alloc(width * sizeof *t->widest);
    t->widths = cli_alloc(width * sizeof *t->widths);
    t->has_value = cli_alloc(width);
    return t;
}

void cli_table_free(cli_table *t) {
    if (!t)
        return;
    cli_text_free(&t->cells);
    cli_text_free(&t->prefix);
    free(t->widest);
    free(t->widths);
    free(t->has_value);
    free(t);
}

static void shorten_prefix(cli_table *t, const char *cell, int first) {
    if (first)
        cli_text_add(&t->prefix, cell, strlen(cell));
    size_t n = 0;
    while (n < t->prefix.len && t->prefix.ptr[n] == cell[n])
        n++;
    t->prefix.len = n;
}

void cli_table_cell(cli_table *t, const char *text, size_t len) {
    size_t from = t->cells.len, column = t->ncells++ % t->width;
    cli_text_add_shown(&t->cells, text, len);
    size_t width = cli_width(t->cells.ptr + from, t->cells.len - from);
    cli_text_add(&t->cells, "", 1);
    if (t->flags[column] & CLI_PATH)
        shorten_prefix(t, t->cells.ptr + from, t->ncells <= t->width);
    if (width > t->widest[column])
        t->widest[column] = width;
    t->has_value[column] |= len != 1 || *text != '-';
}

size_t cli_terminal_width(void) {
    const char *columns = getenv("COLUMNS");
    long n = columns ? strtol(columns, NULL, 10) : 0;
    if (n >= 20 && n <= 10000)
        return (size_t)n;
    struct winsize w;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col >= 20)
        return w.ws_col;
    return 0;
}

static int use_color;

void cli_color_init(const cli_globals *globals) {
    const char *mode = globals->color ? globals->color : "auto", *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (strcmp(mode, "auto") == 0)
        use_color = !(no && *no) && isatty(STDOUT_FILENO) && !(term && strcmp(term, "dumb") == 0);
    else
        use_color = strcmp(mode, "always") == 0;
}

const char *cli_color(const char *code) {
    return use_color ? code : "";
}
