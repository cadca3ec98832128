/* lakectl write-manifest-list: a manifest list that nothing refers to yet. */
#include "cli.h"
#include "commands.h"

typedef struct args {
    const char *table, *output;
    int append;
    cli_int snapshot_id;
} args;

static const cli_option options[] = {
    {"table", 0, CLI_TEXT, offsetof(args, table), "TABLE", "the table whose next sequence number it takes"},
    {"output", 'o', CLI_TEXT, offsetof(args, output), "LIST", "the file to write; it must not exist"},
    {"append", 0, CLI_FLAG, offsetof(args, append), NULL, "list the current snapshot's manifests, too"},
    {"snapshot-id", 0, CLI_INT, offsetof(args, snapshot_id), "ID", "the id of the snapshot (default: drawn)"},
    {0},
};

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    if (!a->table || !a->output)
        return cli_fail(
            err, LAKE_ERR_USAGE, "write-manifest-list: %s is missing", a->table ? "-o LIST" : "--table TABLE");
    if (a->snapshot_id.given && a->snapshot_id.value < 0)
        return cli_fail(err, LAKE_ERR_USAGE, "--snapshot-id: %lld is negative", (long long)a->snapshot_id.value);
    lake_table *table = NULL;
    lake_status status = cli_session(c, err);
    if (!status)
        status = lake_table_open(c->session, a->table, &table, err);
    if (status)
        return status;
    lake_list_options o = LAKE_LIST_OPTIONS_INIT;
    o.table = table;
    o.output = a->output;
    o.manifests = c->args.items;
    o.nmanifests = c->args.n;
    o.append = a->append;
    o.has_snapshot_id = a->snapshot_id.given;
    o.snapshot_id = a->snapshot_id.value;
    status = lake_list_write(c->session, &o, &cli_stdout, err);
    lake_table_close(table);
    return status;
}

const cli_command cli_cmd_write_manifest_list = {
    .name = "write-manifest-list",
    .args = "--table TABLE -o LIST MANIFEST… [OPTIONS]",
    .min_args = 1,
    .max_args = SIZE_MAX,
    .summary = "write a manifest list, without a commit",
    .text = "Lists the MANIFESTs given, and no others unless --append, in a new manifest list, and commits nothing: "
            "`lakectl commit`\n"
            "writes a list of its own. Prints a JSON object.",
    .example = "  lakectl write-manifest-list --table sales -o list.avro --append sales/metadata/m1.avro\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
