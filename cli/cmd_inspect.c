/* lakectl inspect: what a table's metadata says. */
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    const char *format;
    cli_snapshot snapshot;
} args;

static const cli_option options[] = {
    {"format", 0, CLI_CHOICE, offsetof(args, format), "text|json",
        "a table for people (default), or an array of objects"},
    CLI_SNAPSHOT_OPTIONS(args, snapshot),
    {0},
};

static const char *const subjects[] = {
    "snapshots", "history", "refs", "manifests", "files", "entries", "partitions", "schema", "spec", "properties"};

static int is_subject(const char *what) {
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(what, subjects[i]) == 0)
            return 1;
    return 0;
}

static lake_status check_subject(const char *what, lake_error *err) {
    cli_nearest best = {0};
    if (is_subject(what))
        return LAKE_OK;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        cli_nearest_try(&best, what, subjects[i]);
    if (best.name)
        return cli_fail(err, LAKE_ERR_USAGE, "inspect: '%s' is no subject; did you mean %s?", what, best.name);
    return cli_fail(err, LAKE_ERR_USAGE,
        "inspect: '%s' is no subject: one of snapshots, history, refs, manifests, files, entries, partitions, schema, "
        "spec, properties",
        what);
}

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    lake_snapshot_choice choice;
    lake_table *table = NULL;
    lake_rows *rows = NULL;
    /* Both orders are clear, and people take the one that other commands have. */
    int swapped = !is_subject(c->args.items[0]) && is_subject(c->args.items[1]);
    const char *what = c->args.items[swapped], *name = c->args.items[!swapped];
    lake_status status = check_subject(what, err);
    if (!status)
        status = cli_snapshot_choice(&a->snapshot, &choice, err);
    if (!status)
        status = cli_session(c, err);
    if (!status)
        status = lake_table_open(c->session, name, &table, err);
    if (status)
        return status;
    int json = a->format && strcmp(a->format, "json") == 0;
    int given = choice.has_snapshot_id || choice.ref || choice.has_as_of;
    status = (json ? lake_inspect : lake_inspect_human)(table, what, given ? &choice : NULL, &rows, err);
    if (!status)
        status = (json ? cli_rows_json : cli_rows_text)(rows, err);
    lake_rows_close(rows);
    lake_table_close(table);
    return status;
}

const cli_command cli_cmd_inspect = {
    .name = "inspect",
    .args = "WHAT TABLE [OPTIONS]",
    .min_args = 2,
    .max_args = 2,
    .summary = "show what a table's metadata says",
    .text =
        "WHAT is snapshots, history, refs, manifests, files, entries, partitions, schema, spec or properties. "
        "Columns have the\n"
        "names of Iceberg's metadata tables; text leaves out those without any value and the statistics by column.\n"
        "Snapshot ids have 64 bits: jq before 1.7 rounds them.",
    .example = "  lakectl inspect files sales --format json | jq -r '.[].file_path'\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
