/* lakectl properties: a table's properties, shown, set and taken away. */
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    cli_list unset;
    int dry_run;
    const char *format;
} args;

static const cli_option options[] = {
    {"unset", 0, CLI_LIST, offsetof(args, unset), "K", "take this property away; may be repeated"},
    {"dry-run", 0, CLI_FLAG, offsetof(args, dry_run), NULL, "do everything but the commit"},
    {"format", 0, CLI_CHOICE, offsetof(args, format), "text|json", "of the list of properties"},
    {0},
};

lake_status cli_show_rows(lake_table *table, const char *what, const char *format, lake_error *err) {
    lake_rows *rows = NULL;
    int json = format && strcmp(format, "json") == 0;
    lake_status status = (json ? lake_inspect : lake_inspect_human)(table, what, NULL, &rows, err);
    if (!status)
        status = (json ? cli_rows_json : cli_rows_text)(rows, err);
    lake_rows_close(rows);
    return status;
}

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    const cli_list pairs = {c->args.items + 1, c->args.n - 1};
    lake_commit_options o = LAKE_COMMIT_OPTIONS_INIT;
    lake_table *table = NULL;
    o.dry_run = a->dry_run;
    int change = pairs.n || a->unset.n;
    if (change && a->format)
        return cli_fail(err, LAKE_ERR_USAGE, "--format is for the list of properties: a change prints JSON");
    lake_status status = cli_check_pairs("properties", &pairs, err);
    if (!status)
        status = cli_open_table(c, &table, err);
    if (status)
        return status;
    if (!change) {
        status = cli_show_rows(table, "properties", a->format, err);
    } else {
        status =
            lake_table_set_properties(table, pairs.items, pairs.n, a->unset.items, a->unset.n, &o, &cli_report, err);
        c->committed = !status && !o.dry_run;
    }
    lake_table_close(table);
    return status;
}

const cli_command cli_cmd_properties = {
    .name = "properties",
    .args = "TABLE [K=V…] [OPTIONS]",
    .min_args = 1,
    .max_args = SIZE_MAX,
    .summary = "show, set and take away a table's properties",
    .text = "Without K=V and --unset: lists them. A change is a commit without a snapshot, made on the table's newest "
            "state; where\n"
            "nothing would change there is none. format-version=N upgrades the table and is not stored. Prints a JSON "
            "object.",
    .example = "  lakectl properties sales commit.retry.num-retries=10 --unset write.parquet.row-group-size-bytes\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
