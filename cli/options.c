/* The command line: options anywhere, `--opt=value` and `--opt value`, `-o value` and `-ovalue`, `--` ends options. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void grow(cli_list *list) {
    const char **items = cli_keep((list->n ? list->n * 2 : 1) * sizeof *items);
    if (list->n)
        memcpy(items, list->items, list->n * sizeof *items);
    list->items = items;
}

void cli_list_add(cli_list *list, const char *item) {
    /* Room doubles at powers of two. */
    if ((list->n & (list->n - 1)) == 0)
        grow(list);
    list->items[list->n++] = item;
}

static lake_status parse_int(const char *text, const char *shown, cli_kind kind, int64_t *out, lake_error *err) {
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    int bad = end == text || errno || strchr(" \t\n+", text[0]);
    if (kind == CLI_SIZE && !bad) {
        static const char letters[] = "KMGT";
        const char *p = *end ? strchr(letters, *end & ~0x20) : NULL;
        int shift = p ? 10 * (int)(p - letters + 1) : 0;
        if (p) {
            end++;
            end += *end == 'i';
        }
        end += (*end & ~0x20) == 'B';
        bad = v < 1 || v > INT64_MAX >> shift;
        v = bad ? 0 : (long long)((uint64_t)v << shift);
    }
    if (bad || *end)
        return cli_fail(err, LAKE_ERR_USAGE, "%s: %s is no %s", shown, *text ? text : "an empty text",
            kind == CLI_SIZE ? "size: a number above 0, with K, M, G or T behind for powers of 1024"
                             : "whole number of 64 bits");
    *out = v;
    return LAKE_OK;
}

static lake_status check_choice(const char *choices, const char *text, const char *shown, lake_error *err) {
    size_t len = strlen(text);
    cli_text all = {0};
    for (const char *p = choices; *p;) {
        size_t n = strcspn(p, "|");
        if (len && n == len && memcmp(p, text, n) == 0) {
            cli_text_free(&all);
            return LAKE_OK;
        }
        cli_text_addf(&all, "%s%.*s", p == choices ? "" : p[n] ? ", " : " or ", (int)n, p);
        p += n + (p[n] == '|');
    }
    cli_fail(err, LAKE_ERR_USAGE, "%s: '%s' is not %s", shown, text, all.ptr);
    cli_text_free(&all);
    return LAKE_ERR_USAGE;
}

lake_status cli_option_set(const cli_option *option, void *base, const char *text, const char *shown, lake_error *err) {
    void *field = (char *)base + option->offset;
    lake_status status = LAKE_OK;
    switch (option->kind) {
    case CLI_FLAG: *(int *)field = 1; break;
    case CLI_CHOICE: status = check_choice(option->value, text, shown, err); /* fall through */
    case CLI_TEXT: *(const char **)field = text; break;
    case CLI_LIST: cli_list_add(field, text); break;
    case CLI_INT:
    case CLI_SIZE:
        status = parse_int(text, shown, option->kind, &((cli_int *)field)->value, err);
        ((cli_int *)field)->given = 1;
        break;
    case CLI_LATER: return cli_fail(err, LAKE_ERR_USAGE, "%s: not yet supported by this version", shown);
    }
    return status;
}

void cli_nearest_try(cli_nearest *best, const char *word, const char *name) {
    enum { MOST = 40 };
    size_t n = strlen(word), m = strlen(name), row[3][MOST + 1];
    if (n > MOST || m > MOST)
        return;
    /* Edits are: insert, drop, replace one letter, swap two neighbours. */
    for (size_t i = 0; i <= n; i++) {
        size_t *now = row[i % 3], *above = row[(i + 2) % 3], *two_above = row[(i + 1) % 3];
        for (size_t k = 0; k <= m; k++) {
            if (i == 0 || k == 0) {
                now[k] = i + k;
                continue;
            }
            size_t d = above[k - 1] + (word[i - 1] != name[k - 1]);
            d = above[k] + 1 < d ? above[k] + 1 : d;
            d = now[k - 1] + 1 < d ? now[k - 1] + 1 : d;
            if (i > 1 && k > 1 && word[i - 1] == name[k - 2] && word[i - 2] == name[k - 1] && two_above[k - 2] + 1 < d)
                d = two_above[k - 2] + 1;
            now[k] = d;
        }
    }
    size_t d = row[n % 3][m], near = (n > m ? n : m) / 3 + 1;
    /* A word cut short is near, too. */
    if (n >= 3 && n < m && memcmp(word, name, n) == 0)
        d = 1;
    if (d <= near && d < n && (!best->name || d < best->distance))
        *best = (cli_nearest){name, d};
}

static const cli_option *find(const cli_option *table, const char *name, size_t len) {
    for (; table && table->name; table++)
        if (strlen(table->name) == len && memcmp(table->name, name, len) == 0)
            return table;
    return NULL;
}

static const cli_option *find_letter(const cli_option *table, char letter) {
    for (; table && table->name; table++)
        if (table->letter && table->letter == letter)
            return table;
    return NULL;
}

static lake_status unknown_option(const cli *c, const char *name, size_t len, lake_error *err) {
    cli_nearest best = {0};
    char word[64];
    snprintf(word, sizeof word, "%.*s", len > 60 ? 60 : (int)len, name);
    const cli_option *tables[] = {c->command ? c->command->options : NULL, cli_global_options};
    for (size_t i = 0; i < 2; i++)
        for (const cli_option *o = tables[i]; o && o->name; o++)
            if (o->kind != CLI_LATER)
                cli_nearest_try(&best, word, o->name);
    return cli_fail(err, LAKE_ERR_USAGE, "--%s: unknown option%s%s%s%s%s", word, c->command ? " of " : "",
        c->command ? c->command->name : "", best.name ? "; did you mean --" : "", best.name ? best.name : "",
        best.name ? "?" : "");
}

/* Which options were given, by place in their table; a list of them may be given again. */
typedef struct parser {
    cli *c;
    char **argv;
    int argc, at;
    const cli_option *seen[64];
    size_t nseen;
} parser;

static lake_status note_seen(parser *p, const cli_option *o, int global, const char *shown, lake_error *err) {
    if (global) {
        p->c->globals.seen |= 1u << (o - cli_global_options);
        return LAKE_OK;
    }
    for (size_t i = 0; i < p->nseen; i++)
        if (p->seen[i] == o && o->kind != CLI_LIST && o->kind != CLI_FLAG)
            return cli_fail(err, LAKE_ERR_USAGE, "%s: given twice", shown);
    if (p->nseen < sizeof p->seen / sizeof *p->seen)
        p->seen[p->nseen++] = o;
    return LAKE_OK;
}

/* Sets the option `o`; value NULL: it is the next argument, if the option takes one. */
static lake_status take(
    parser *p, const cli_option *o, int global, const char *value, const char *shown, lake_error *err) {
    int wants = o->kind != CLI_FLAG && o->kind != CLI_LATER;
    if (value && o->kind == CLI_FLAG)
        return cli_fail(err, LAKE_ERR_USAGE, "%s: takes no value", shown);
    if (wants && !value) {
        if (p->at >= p->argc)
            return cli_fail(err, LAKE_ERR_USAGE, "%s: needs a value: %s", shown, o->value);
        value = p->argv[p->at++];
    }
    lake_status status = note_seen(p, o, global, shown, err);
    if (status)
        return status;
    return cli_option_set(o, global ? (void *)&p->c->globals : p->c->options, value, shown, err);
}

static lake_status long_option(parser *p, const char *arg, lake_error *err) {
    const char *name = arg + 2, *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const cli_option *o = p->c->command ? find(p->c->command->options, name, len) : NULL;
    const cli_option *g = o ? NULL : find(cli_global_options, name, len);
    if (!o && !g)
        return unknown_option(p->c, name, len, err);
    char shown[70];
    snprintf(shown, sizeof shown, "--%s", (o ? o : g)->name);
    return take(p, o ? o : g, !o, equals ? equals + 1 : NULL, shown, err);
}

static lake_status short_option(parser *p, const char *arg, lake_error *err) {
    const cli_option *o = p->c->command ? find_letter(p->c->command->options, arg[1]) : NULL;
    const cli_option *g = o ? NULL : find_letter(cli_global_options, arg[1]);
    char shown[3] = {'-', arg[1], 0};
    if (!o && !g)
        return cli_fail(err, LAKE_ERR_USAGE, "%s: unknown option%s%s", arg, p->c->command ? " of " : "",
            p->c->command ? p->c->command->name : "");
    return take(p, o ? o : g, !o, arg[2] ? arg + 2 : NULL, shown, err);
}

/* An option by its argument, of any command; NULL: none has it. */
static const cli_option *find_anywhere(const char *arg) {
    size_t len = strcspn(arg, "=");
    const cli_option *o =
        arg[1] == '-' ? find(cli_global_options, arg + 2, len - 2) : find_letter(cli_global_options, arg[1]);
    for (size_t k = 0; !o && cli_commands[k]; k++)
        o = arg[1] == '-' ? find(cli_commands[k]->options, arg + 2, len - 2)
                          : find_letter(cli_commands[k]->options, arg[1]);
    return o;
}

/* The first argument that is no option names the command. Its options may stand before it, so it is looked for first:
   an argument that only follows an option as its value must not be taken for it. *unknown: an option before it that
   nobody has. */
static const char *command_word(int argc, char **argv, const char **unknown) {
    *unknown = NULL;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (strcmp(a, "--") == 0)
            return i + 1 < argc ? argv[i + 1] : NULL;
        if (a[0] != '-' || !a[1])
            return a;
        const cli_option *o = find_anywhere(a);
        int holds_value = a[1] == '-' ? !!strchr(a, '=') : !!a[2];
        if (!o && !*unknown)
            *unknown = a;
        if (o && o->kind != CLI_FLAG && o->kind != CLI_LATER && !holds_value)
            i++;
    }
    return NULL;
}

static lake_status check_args(const cli *c, lake_error *err) {
    const cli_command *m = c->command;
    if (c->globals.help || c->globals.version || !m)
        return LAKE_OK;
    if (c->args.n < m->min_args)
        return cli_fail(
            err, LAKE_ERR_USAGE, "%s: an argument is missing: usage: lakectl %s %s", m->name, m->name, m->args);
    if (c->args.n > m->max_args)
        return cli_fail(err, LAKE_ERR_USAGE, "%s: one argument too many, '%s': usage: lakectl %s %s", m->name,
            c->args.items[m->max_args], m->name, m->args);
    return LAKE_OK;
}

lake_status cli_parse(cli *c, int argc, char **argv, lake_error *err) {
    parser p = {.c = c, .argv = argv, .argc = argc, .at = 1};
    const char *unknown, *word = command_word(argc, argv, &unknown);
    c->command = word ? cli_command_find(word) : NULL;
    if (word && !c->command && !unknown)
        return cli_unknown_command(word, err);
    if (c->command && c->command->size)
        c->options = cli_keep(c->command->size);
    int ended = 0, named = 0;
    while (p.at < argc) {
        const char *a = argv[p.at++];
        lake_status status = LAKE_OK;
        if (!ended && strcmp(a, "--") == 0)
            ended = 1;
        else if (!ended && a[0] == '-' && a[1] == '-')
            status = long_option(&p, a, err);
        else if (!ended && a[0] == '-' && a[1])
            status = short_option(&p, a, err);
        else if (!named)
            named = 1;
        else
            cli_list_add(&c->args, a);
        if (status)
            return status;
    }
    return check_args(c, err);
}
