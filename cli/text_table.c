/* Tables for people: columns as wide as their cells, cut to the terminal where there is one; colour; common path
 * prefixes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

struct cli_table {
    size_t width;
    const char *const *heads;
    const int *flags;
    cli_text cells; /* NUL-ended, one after the other */
    size_t ncells;
    size_t *widest;
    cli_text prefix; /* that all cells of the CLI_PATH column share so far */
};

cli_table *cli_table_new(size_t width, const char *const *heads, const int *flags) {
    cli_table *t = cli_alloc(sizeof *t);
    *t = (cli_table){.width = width, .heads = heads, .flags = flags};
    t->widest = cli_alloc(width * sizeof *t->widest);
    for (size_t i = 0; i < width; i++)
        t->widest[i] = cli_width(heads[i], strlen(heads[i]));
    return t;
}

void cli_table_free(cli_table *t) {
    if (!t)
        return;
    cli_text_free(&t->cells);
    cli_text_free(&t->prefix);
    free(t->widest);
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

/* Narrows the widest shrinkable columns until the table fits, but none below 16. */
static void fit(cli_table *t, size_t limit) {
    for (;;) {
        size_t all = 2 * (t->width - 1), best = t->width;
        for (size_t i = 0; i < t->width; i++) {
            all += t->widest[i];
            if ((t->flags[i] & (CLI_SHRINK_MIDDLE | CLI_SHRINK_END)) && t->widest[i] > 16 &&
                (best == t->width || t->widest[i] > t->widest[best]))
                best = i;
        }
        if (all <= limit || best == t->width)
            return;
        size_t too_much = all - limit, can = t->widest[best] - 16;
        t->widest[best] -= too_much < can ? too_much : can;
    }
}

/* Bytes of the first (or, from the end, the last) characters that fill at most `width` columns. */
static size_t cut(const char *s, size_t len, size_t width, int from_end) {
    size_t n = 0;
    while (n < len) {
        size_t more = 1;
        if (from_end)
            while (n + more < len && ((unsigned char)s[len - n - more] & 0xc0) == 0x80)
                more++;
        else
            while (n + more < len && ((unsigned char)s[n + more] & 0xc0) == 0x80)
                more++;
        if (cli_width(from_end ? s + len - n - more : s, n + more) > width)
            break;
        n += more;
    }
    return n;
}

static void print_cell(const char *s, size_t room, int flags, int last) {
    size_t len = strlen(s), width = cli_width(s, len);
    if (width > room && (flags & (CLI_SHRINK_MIDDLE | CLI_SHRINK_END))) {
        size_t tail = flags & CLI_SHRINK_MIDDLE ? (room - 1) * 2 / 3 : 0;
        size_t head = cut(s, len, room - 1 - tail, 0), back = cut(s, len, tail, 1);
        width = cli_width(s, head) + 1 + cli_width(s + len - back, back);
        cli_outf("%.*s\xe2\x80\xa6%s", (int)head, s, s + len - back);
    } else if (flags & CLI_RIGHT) {
        cli_outf("%*s%s", width < room ? (int)(room - width) : 0, "", s);
        width = room;
    } else {
        cli_out(s);
    }
    if (!last)
        cli_outf("%*s", (width < room ? (int)(room - width) : 0) + 2, "");
}

/* Leaves the folder that all paths share out of the table and tells it above. Returns its length in bytes. */
static size_t cut_prefix(cli_table *t) {
    size_t n = t->prefix.len, column = 0;
    while (n && t->prefix.ptr[n - 1] != '/')
        n--;
    if (n < 12)
        return 0;
    while (!(t->flags[column] & CLI_PATH))
        column++;
    size_t head = cli_width(t->heads[column], strlen(t->heads[column]));
    t->widest[column] -= cli_width(t->prefix.ptr, n);
    if (t->widest[column] < head)
        t->widest[column] = head;
    cli_outf("in %.*s\n", (int)n, t->prefix.ptr);
    return n;
}

void cli_table_print(cli_table *t) {
    size_t limit = cli_terminal_width(), cut_bytes = cut_prefix(t);
    if (limit)
        fit(t, limit);
    cli_out(cli_color("\x1b[1m"));
    for (size_t i = 0; i < t->width; i++)
        print_cell(t->heads[i], t->widest[i], t->flags[i] & CLI_RIGHT, i + 1 == t->width);
    cli_outf("%s\n", cli_color("\x1b[0m"));
    const char *s = t->cells.ptr;
    for (size_t n = 0; n < t->ncells && !cli_interrupted(); n++) {
        size_t i = n % t->width, skip = t->flags[i] & CLI_PATH ? cut_bytes : 0;
        print_cell(s + skip, t->widest[i], t->flags[i], i + 1 == t->width);
        if (i + 1 == t->width)
            cli_out("\n");
        s += strlen(s) + 1;
    }
}
