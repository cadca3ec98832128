/* lakectl alter: columns, and the format version. */
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    const char *after, *before, *parent, *doc;
    int first, dry_run;
} args;

static const cli_option options[] = {
    {"parent", 0, CLI_TEXT, offsetof(args, parent), "COLUMN", "add: into this struct, or list or map of structs"},
    {"doc", 0, CLI_TEXT, offsetof(args, doc), "TEXT", "add: what the column is"},
    {"first", 0, CLI_FLAG, offsetof(args, first), NULL, "move: before all others"},
    {"after", 0, CLI_TEXT, offsetof(args, after), "COLUMN", "move: behind this column"},
    {"before", 0, CLI_TEXT, offsetof(args, before), "COLUMN", "move: before this column"},
    {"dry-run", 0, CLI_FLAG, offsetof(args, dry_run), NULL, "do everything but the commit"},
    {0},
};

static const struct {
    const char *name;
    size_t args; /* behind it */
    lake_alteration_kind kind;
    const char *meant;
} actions[] = {
    {"add", 2, LAKE_ADD_COLUMN, "a name and a type are meant"},
    {"drop", 1, LAKE_DROP_COLUMN, "one column is meant"},
    {"rename", 2, LAKE_RENAME_COLUMN, "a column and its new name are meant"},
    {"widen", 2, LAKE_WIDEN_COLUMN, "a column and a type are meant"},
    {"optional", 1, LAKE_MAKE_OPTIONAL, "one column is meant"},
    {"move", 1, LAKE_MOVE_FIRST, "one column is meant"},
    {"upgrade", 1, LAKE_UPGRADE, "a format version is meant"},
};

static lake_status read_action(const cli_list *given, lake_alteration *out, lake_error *err) {
    cli_nearest best = {0};
    const char *word = given->items[1];
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        cli_nearest_try(&best, word, actions[i].name);
        if (strcmp(word, actions[i].name) != 0)
            continue;
        if (given->n != actions[i].args + 2)
            return cli_fail(err, LAKE_ERR_USAGE, "alter %s: %s", word, actions[i].meant);
        out->kind = actions[i].kind;
        out->column = given->items[2];
        out->to = out->kind == LAKE_UPGRADE ? given->items[2] : given->n > 3 ? given->items[3] : NULL;
        return LAKE_OK;
    }
    return cli_fail(err, LAKE_ERR_USAGE,
        "alter: '%s' is none of add, drop, rename, widen, optional, move, upgrade%s%s%s", word,
        best.name ? "; did you mean " : "", best.name ? best.name : "", best.name ? "?" : "");
}

static lake_status read_options(const args *a, lake_alteration *out, lake_error *err) {
    int places = a->first + !!a->after + !!a->before;
    if ((a->parent || a->doc) && out->kind != LAKE_ADD_COLUMN)
        return cli_fail(err, LAKE_ERR_USAGE, "alter: --parent and --doc are for add");
    if (out->kind != LAKE_MOVE_FIRST)
        return places ? cli_fail(err, LAKE_ERR_USAGE, "alter: --first, --after and --before are for move") : LAKE_OK;
    if (places != 1)
        return cli_fail(err, LAKE_ERR_USAGE, "alter move: one of --first, --after COLUMN and --before COLUMN is meant");
    if (!a->first) {
        out->kind = a->after ? LAKE_MOVE_AFTER : LAKE_MOVE_BEFORE;
        out->to = a->after ? a->after : a->before;
    }
    return LAKE_OK;
}

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    lake_alteration step = LAKE_ALTERATION_INIT;
    lake_commit_options o = LAKE_COMMIT_OPTIONS_INIT;
    lake_table *table = NULL;
    o.dry_run = a->dry_run;
    lake_status status = read_action(&c->args, &step, err);
    if (!status)
        status = read_options(a, &step, err);
    if (!status)
        status = cli_open_table(c, &table, err);
    if (status)
        return status;
    step.parent = a->parent;
    step.doc = a->doc;
    status = lake_table_alter(table, &step, 1, &o, &cli_report, err);
    c->committed = !status && !o.dry_run;
    lake_table_close(table);
    return status;
}

const cli_command cli_cmd_alter = {
    .name = "alter",
    .args = "TABLE add|drop|rename|widen|optional|move COLUMN … [OPTIONS]",
    .min_args = 2,
    .max_args = 4,
    .summary = "change a table's columns or its format version",
    .text = "add NAME TYPE: an optional column of a primitive type (int, long, decimal(9, 2), string, …). drop "
            "COLUMN. rename\n"
            "COLUMN NAME. widen COLUMN TYPE: int to long, float to double, decimals to more digits. optional COLUMN. "
            "move COLUMN\n"
            "--first, --after or --before another. upgrade N: to format version N, for good. COLUMN is a full name "
            "(a.b,\n"
            "list.element.c). Data files stay as they are and are read by the columns' ids. Prints a JSON object.",
    .example = "  lakectl alter sales add discount 'decimal(9, 2)'; lakectl alter sales move discount --after price\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
