/* lakectl rebuild-stats: exact statistics of data files that are in a table, in place of what is recorded. */
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    cli_commit_args commit;
    const char *where, *files, *columns, *metrics;
    int case_sensitive;
} args;

static const cli_option options[] = {
    {"where", 0, CLI_TEXT, offsetof(args, where), "SQL",
        "only files that a plan keeps for it; it goes by what\nis recorded now, so where that lies, choose all files"},
    {"files", 0, CLI_TEXT, offsetof(args, files), "@LIST",
        "only these data files: one a line; - : from standard input"},
    {"columns", 0, CLI_TEXT, offsetof(args, columns), "NAME,…", "change only what is recorded of these columns"},
    {"metrics", 0, CLI_TEXT, offsetof(args, metrics), "MODE",
        "none, counts, truncate(N) or full (default: the\ntable's properties)"},
    {"case-sensitive", 0, CLI_FLAG, offsetof(args, case_sensitive), NULL, "column names in --where as they are"},
    CLI_COMMIT_OPTIONS(args, commit),
    {0},
};

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    lake_commit_options commit;
    cli_list files = {0}, columns = {0};
    lake_table *table = NULL;
    lake_status status = cli_commit_choice(&a->commit, &commit, err);
    if (!status)
        status = cli_files_option("--files", a->files, &files, err);
    if (!status && a->columns)
        status = cli_split_columns(a->columns, &columns, err);
    if (!status)
        status = cli_open_table(c, &table, err);
    if (status)
        return status;
    lake_rebuild_options o = LAKE_REBUILD_OPTIONS_INIT;
    o.where = a->where;
    o.case_sensitive = a->case_sensitive ? 1 : -1;
    o.files = files.items;
    o.nfiles = files.n;
    o.columns = columns.items;
    o.ncolumns = columns.n;
    o.metrics_mode = a->metrics;
    c->sql = a->where;
    status = lake_table_rebuild_stats(table, &o, &commit, &cli_report, err);
    if (status == LAKE_ERR_USAGE && a->where && err->offset >= 0)
        cli_error_in(err, "", "--where");
    c->committed = !status && !commit.dry_run;
    lake_table_close(table);
    return status;
}

const cli_command cli_cmd_rebuild_stats = {
    .name = "rebuild-stats",
    .args = "TABLE [OPTIONS]",
    .min_args = 1,
    .max_args = 1,
    .summary = "record exact statistics of a table's data files again",
    .text =
        "Reads the data files and commits manifests with exact statistics as one snapshot of the operation "
        "`replace`: files,\n"
        "rows, sequence numbers, row ids and deletes stay as they are. `--dry-run` prints what would change, a JSON "
        "object a file.\n"
        "ORC files stay as they are recorded, and so do partition values: where those are wrong (`audit` tells), "
        "overwrite "
        "the\nfile. Prints the new snapshot as a JSON object; if nothing changes there is none.",
    .example = "  lakectl rebuild-stats sales --dry-run\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
