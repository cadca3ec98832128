/* lakectl rollback: an older snapshot becomes current again. */
#include "cli.h"
#include "commands.h"

typedef struct args {
    cli_snapshot snapshot;
    int dry_run;
} args;

static const cli_option options[] = {
    CLI_SNAPSHOT_OPTIONS(args, snapshot),
    {"dry-run", 0, CLI_FLAG, offsetof(args, dry_run), NULL, "do everything but the commit"},
    {0},
};

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    lake_snapshot_choice choice;
    lake_commit_options o = LAKE_COMMIT_OPTIONS_INIT;
    lake_table *table = NULL;
    o.dry_run = a->dry_run;
    lake_status status = cli_snapshot_choice(&a->snapshot, &choice, err);
    if (!status && !choice.has_snapshot_id && !choice.ref && !choice.has_as_of)
        return cli_fail(
            err, LAKE_ERR_USAGE, "where to go back to is not said: --snapshot ID, --as-of TIME or --ref NAME");
    if (!status)
        status = cli_open_table(c, &table, err);
    if (status)
        return status;
    status = lake_table_rollback(table, &choice, &o, &cli_report, err);
    c->committed = !status && !o.dry_run;
    lake_table_close(table);
    return status;
}

const cli_command cli_cmd_rollback = {
    .name = "rollback",
    .args = "TABLE --snapshot ID | --as-of TIME | --ref NAME [OPTIONS]",
    .min_args = 1,
    .max_args = 1,
    .summary = "make an older snapshot current again",
    .text = "Only a snapshot that the current one comes from; with --as-of the newest of those that was there then. "
            "Later snapshots\n"
            "stay until they expire, so that `--snapshot` still reads them; other branches and the schema stay as they "
            "are.\n"
            "Prints a JSON object.",
    .example = "  lakectl rollback sales --as-of 2025-03-27T10:30:00\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
