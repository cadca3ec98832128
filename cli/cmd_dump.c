/* lakectl dump: any metadata file as JSON. */
#include "cli.h"
#include "commands.h"

typedef struct args {
    int compact;
} args;

static const cli_option options[] = {
    {"compact", 0, CLI_FLAG, offsetof(args, compact), NULL, "one line, without blanks between members"},
    {0},
};

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    lake_status status = cli_session(c, err);
    if (!status)
        status = lake_dump(c->session, c->args.items[0], a->compact ? 0 : 2, &cli_stdout, err);
    return status;
}

const cli_command cli_cmd_dump = {
    .name = "dump",
    .args = "FILE [--compact]",
    .min_args = 1,
    .max_args = 1,
    .summary = "print a metadata file, manifest or footer as JSON",
    .text = "Prints table metadata, a manifest, a manifest list, a Puffin file or the footer of a Parquet file as one "
            "JSON document.\n"
            "Avro files become {\"header\", \"entries\"} with the spec's names; bytes are hex.",
    .example = "  lakectl dump sales/metadata/m1.avro | jq '.entries[0]'\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
