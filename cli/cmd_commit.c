/* lakectl commit: ready manifests become one new snapshot. */
#include "cli.h"
#include "commands.h"

typedef struct args {
    cli_commit_args commit;
} args;

static const cli_option options[] = {
    CLI_COMMIT_OPTIONS(args, commit),
    {0},
};

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    lake_commit_options o;
    lake_table *table = NULL;
    lake_status status = cli_commit_choice(&a->commit, &o, err);
    if (!status)
        status = cli_open_table(c, &table, err);
    if (status)
        return status;
    status = lake_table_commit(table, c->args.items + 1, c->args.n - 1, &o, &cli_report, err);
    c->committed = !status && !o.dry_run;
    lake_table_close(table);
    return status;
}

const cli_command cli_cmd_commit = {
    .name = "commit",
    .args = "TABLE MANIFEST… [OPTIONS]",
    .min_args = 2,
    .max_args = SIZE_MAX,
    .summary = "commit manifests to a table",
    .text = "Adds manifests (of write-manifest, say) to a table as one new snapshot. The commit is atomic; when "
            "another one came\n"
            "first it is tried again, and ends with exit status 5 after the last try. Prints the snapshot as a JSON "
            "object.",
    .example = "  lakectl commit sales sales/metadata/m1.avro --summary job=nightly\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
