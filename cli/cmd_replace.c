/* lakectl replace: what a compaction job commits. */
#include "cli.h"
#include "commands.h"

typedef struct args {
    cli_commit_args commit;
    const char *remove, *add, *partition, *codec, *metrics;
    cli_int read_snapshot;
    int any_rows;
} args;

static const cli_option options[] = {
    {"remove", 0, CLI_TEXT, offsetof(args, remove), "@LIST", "data files that go: one a line; - : from standard input"},
    {"add", 0, CLI_TEXT, offsetof(args, add), "@LIST",
        "the data files that come in their place; none: no row was left"},
    {"read-snapshot", 0, CLI_INT, offsetof(args, read_snapshot), "ID",
        "the snapshot that the job has read; give it if others\nwrite to the table (default: the newest one now)"},
    {"any-rows", 0, CLI_FLAG, offsetof(args, any_rows), NULL, "do not compare the numbers of rows"},
    {"partition", 0, CLI_TEXT, offsetof(args, partition), "K=V,…", "partition values of the new files, as in append"},
    {"metrics", 0, CLI_TEXT, offsetof(args, metrics), "MODE", "as in append"},
    {"codec", 0, CLI_CHOICE, offsetof(args, codec), "gzip|zstd|snappy|uncompressed", "as in append"},
    CLI_COMMIT_OPTIONS(args, commit),
    {0},
};

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    lake_commit_options commit;
    cli_list gone = {0}, come = {0};
    lake_table *table = NULL;
    if (!a->remove)
        return cli_fail(err, LAKE_ERR_USAGE, "which files go is not said: --remove @LIST");
    lake_status status = cli_commit_choice(&a->commit, &commit, err);
    if (!status)
        status = cli_files_option("--remove", a->remove, &gone, err);
    if (!status)
        status = cli_files_option("--add", a->add, &come, err);
    if (!status)
        status = cli_open_table(c, &table, err);
    if (status)
        return status;
    lake_manifest_options m = LAKE_MANIFEST_OPTIONS_INIT;
    m.table = table;
    m.partition = a->partition;
    m.codec = a->codec;
    m.metrics_mode = a->metrics;
    m.files = come.items;
    m.nfiles = come.n;
    lake_replace_options o = LAKE_REPLACE_OPTIONS_INIT;
    o.remove = gone.items;
    o.nremove = gone.n;
    o.add = come.n ? &m : NULL;
    o.has_read_snapshot = a->read_snapshot.given;
    o.read_snapshot = a->read_snapshot.value;
    o.any_rows = a->any_rows;
    status = lake_table_replace(table, &o, &commit, &cli_report, err);
    c->committed = !status && !commit.dry_run;
    lake_table_close(table);
    return status;
}

const cli_command cli_cmd_replace = {
    .name = "replace",
    .args = "TABLE --remove @LIST [--add @LIST] [OPTIONS]",
    .min_args = 1,
    .max_args = 1,
    .summary = "put compacted data files in the place of others",
    .text =
        "The new files must have as many rows as the old ones have left once all deletes are applied. They get the "
        "sequence number\n"
        "of the snapshot that was read, so that equality deletes committed since still meet their rows; rows deleted "
        "by position\nsince are a conflict (exit status 5). Prints the new snapshot as a JSON object.",
    .example = "  lakectl replace sales --remove @small.txt --add @big.txt --read-snapshot 4312\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
