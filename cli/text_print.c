/* Tables for people, second half: columns as wide as their cells, heads broken at `_`, cut to the terminal where there
   is one; if that is not enough, one line a value. A folder that all paths share is told once. */
#include <stdio.h>
#include <string.h>

#include "text_table.h"

enum { LEAST = 16 }; /* columns below which nothing is cut */

static int can_shrink(int flags) {
    return (flags & (CLI_SHRINK_MIDDLE | CLI_SHRINK_END)) && !(flags & CLI_RIGHT);
}

static int is_shown(const cli_table *t, size_t column) {
    return t->has_value[column] || !(t->flags[column] & CLI_OPTIONAL);
}

/* Narrows the widest columns that can be cut until the table fits; 0: it does not. */
static int fit(cli_table *t, size_t limit) {
    for (;;) {
        size_t all = 0, best = t->width;
        for (size_t i = 0; i < t->width; i++) {
            if (!is_shown(t, i))
                continue;
            all += t->widths[i] + (all ? 2 : 0);
            if (can_shrink(t->flags[i]) && t->widths[i] > LEAST && (best == t->width || t->widths[i] > t->widths[best]))
                best = i;
        }
        if (all <= limit)
            return 1;
        if (best == t->width)
            return 0;
        size_t too_much = all - limit, can = t->widths[best] - LEAST;
        t->widths[best] -= too_much < can ? too_much : can;
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
    if (width > room && can_shrink(flags)) {
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

/* The next line of a head: words, joined and ended by `_`, that fill at most `room` columns, but at least one. */
static size_t head_line(const char *head, size_t room) {
    size_t n = 0;
    for (;;) {
        size_t word = strcspn(head + n, "_");
        if (n && n + word > room)
            return n;
        n += word;
        if (!head[n])
            return n;
        n++;
    }
}

static size_t longest_line(const char *head, size_t room) {
    size_t longest = 0;
    while (*head) {
        size_t n = head_line(head, room), width = cli_width(head, n);
        longest = width > longest ? width : longest;
        head += n;
    }
    return longest;
}

static void print_heads(const cli_table *t) {
    const char *at[64];
    for (size_t i = 0; i < t->width; i++)
        at[i] = is_shown(t, i) ? t->heads[i] : "";
    for (;;) {
        size_t last = t->width;
        for (size_t i = 0; i < t->width; i++)
            last = *at[i] ? i : last;
        if (last == t->width)
            return;
        cli_out(cli_color("\x1b[1m"));
        for (size_t i = 0; i <= last; i++) {
            char line[128];
            if (!is_shown(t, i))
                continue;
            size_t next = head_line(at[i], t->widths[i]);
            snprintf(line, sizeof line, "%.*s", next > sizeof line - 1 ? (int)sizeof line - 1 : (int)next, at[i]);
            at[i] += next;
            print_cell(line, t->widths[i], t->flags[i] & CLI_RIGHT, i == last);
        }
        cli_outf("%s\n", cli_color("\x1b[0m"));
    }
}

static void print_lines(const cli_table *t, size_t cut_bytes) {
    size_t last = 0;
    for (size_t i = 0; i < t->width; i++)
        last = is_shown(t, i) ? i : last;
    print_heads(t);
    const char *s = t->cells.ptr;
    for (size_t n = 0; n < t->ncells && !cli_interrupted(); n++, s += strlen(s) + 1) {
        size_t i = n % t->width;
        if (is_shown(t, i))
            print_cell(s + (t->flags[i] & CLI_PATH ? cut_bytes : 0), t->widths[i], t->flags[i], i == last);
        if (i + 1 == t->width)
            cli_out("\n");
    }
}

/* One line a value, an empty line between rows; values that are not there are left out. */
static void print_records(const cli_table *t) {
    const char *s = t->cells.ptr;
    size_t widest = 0;
    for (size_t i = 0; i < t->width; i++) {
        size_t width = cli_width(t->heads[i], strlen(t->heads[i]));
        widest = is_shown(t, i) && width > widest ? width : widest;
    }
    for (size_t n = 0; n < t->ncells && !cli_interrupted(); n++, s += strlen(s) + 1) {
        size_t i = n % t->width;
        if (i == 0 && n)
            cli_out("\n");
        if (strcmp(s, "-") != 0)
            cli_outf("%s%s%s%*s%s\n", cli_color("\x1b[1m"), t->heads[i], cli_color("\x1b[0m"),
                (int)(widest - cli_width(t->heads[i], strlen(t->heads[i])) + 2), "", s);
    }
}

/* Bytes of the folder that all paths share, if it is worth telling apart. */
static size_t cut_prefix(cli_table *t) {
    size_t n = t->prefix.len, column = 0;
    while (n && t->prefix.ptr[n - 1] != '/')
        n--;
    if (n < 12)
        return 0;
    while (!(t->flags[column] & CLI_PATH))
        column++;
    t->widest[column] -= cli_width(t->prefix.ptr, n);
    return n;
}

/* Sets t->widths for heads of at least `least` columns; 0: the table does not fit. limit 0: it always does. */
static int fit_heads(cli_table *t, size_t limit, size_t least) {
    for (size_t i = 0; i < t->width; i++) {
        size_t longest = longest_line(t->heads[i], t->widest[i] > least ? t->widest[i] : least);
        t->widths[i] = longest > t->widest[i] ? longest : t->widest[i];
    }
    return !limit || fit(t, limit);
}

void cli_table_print(cli_table *t) {
    size_t limit = cli_terminal_width(), cut_bytes = cut_prefix(t);
    if (!t->ncells) {
        cli_out("(no rows)\n");
        return;
    }
    /* A head may be some wider than the cells before it is broken; where that does not fit it is broken at every `_`.
     */
    if (!fit_heads(t, limit, 12) && !fit_heads(t, limit, 0)) {
        print_records(t);
        return;
    }
    if (cut_bytes)
        cli_outf("in %.*s\n", (int)cut_bytes, t->prefix.ptr);
    print_lines(t, cut_bytes);
}
