/* lakectl append: data files become one new snapshot. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    cli_commit_args commit;
    const char *partition, *codec, *metrics, *ndv;
    cli_int spec_id, sort_order;
    int verify_sorted;
} args;

static const cli_option options[] = {
    {"partition", 0, CLI_TEXT, offsetof(args, partition), "K=V,…",
        "partition values (default: from the data, checked, or\nfrom Hive-style paths)"},
    {"spec-id", 0, CLI_INT, offsetof(args, spec_id), "N", "a partition spec of the table (default: its default)"},
    {"sort-order", 0, CLI_INT, offsetof(args, sort_order), "N",
        "the files are in this sort order of the table: recorded,\nand believed unless --verify-sorted is given too"},
    {"verify-sorted", 0, CLI_FLAG, offsetof(args, verify_sorted), NULL,
        "look at every row, and refuse files that are not in\nthe order (default: the table's default order)"},
    {"metrics", 0, CLI_TEXT, offsetof(args, metrics), "MODE",
        "none, counts, truncate(N) or full (default: the\ntable's properties)"},
    {"ndv", 0, CLI_TEXT, offsetof(args, ndv), "NAME,…",
        "count distinct values of these columns (or all) and\nrecord them as the table's statistics, joined with "
        "those\nof the current snapshot"},
    {"codec", 0, CLI_CHOICE, offsetof(args, codec), "gzip|zstd|snappy|uncompressed",
        "of the manifest (default: the table's property, else\ngzip)"},
    CLI_COMMIT_OPTIONS(args, commit),
    {0},
};

lake_status cli_check_pairs(const char *option, const cli_list *pairs, lake_error *err) {
    for (size_t i = 0; i < pairs->n; i++) {
        const char *equals = strchr(pairs->items[i], '=');
        if (!equals || equals == pairs->items[i])
            return cli_fail(err, LAKE_ERR_USAGE, "%s: '%s' is not K=V", option, pairs->items[i]);
    }
    return LAKE_OK;
}

lake_status cli_commit_choice(const cli_commit_args *given, lake_commit_options *out, lake_error *err) {
    *out = (lake_commit_options)LAKE_COMMIT_OPTIONS_INIT;
    out->dry_run = given->dry_run;
    out->branch = given->branch;
    out->summary = given->summary.items;
    out->nsummary = given->summary.n;
    return cli_check_pairs("--summary", &given->summary, err);
}

static lake_status append(cli *c, const args *a, const cli_list *files, lake_error *err) {
    lake_commit_options commit;
    lake_status status = cli_commit_choice(&a->commit, &commit, err);
    lake_table *table = NULL;
    if (!status)
        status = cli_open_table(c, &table, err);
    if (status)
        return status;
    lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
    o.table = table;
    o.partition = a->partition;
    o.has_sort_order = a->sort_order.given;
    o.sort_order_id = (int32_t)a->sort_order.value;
    o.verify_sorted = a->verify_sorted;
    o.has_spec_id = a->spec_id.given;
    o.spec_id = (int32_t)a->spec_id.value;
    o.codec = a->codec;
    o.metrics_mode = a->metrics;
    o.ndv_columns = a->ndv;
    o.files = files->items;
    o.nfiles = files->n;
    status = lake_table_append(table, &o, &commit, &cli_report, err);
    c->committed = !status && !commit.dry_run;
    lake_table_close(table);
    return status;
}

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    if (a->spec_id.value < 0 || a->spec_id.value > INT32_MAX)
        return cli_fail(err, LAKE_ERR_USAGE, "--spec-id: %lld is no id of a spec", (long long)a->spec_id.value);
    if (a->sort_order.value < 0 || a->sort_order.value > INT32_MAX)
        return cli_fail(err, LAKE_ERR_USAGE, "--sort-order: %lld is no id of an order", (long long)a->sort_order.value);
    cli_list files = {0};
    lake_status status = cli_file_arguments(&c->args, 1, &files, err);
    if (!status)
        status = append(c, a, &files, err);
    return status;
}

const cli_command cli_cmd_append = {
    .name = "append",
    .args = "TABLE FILE… [OPTIONS]",
    .min_args = 2,
    .max_args = SIZE_MAX,
    .summary = "add data files to a table",
    .text =
        "Computes exact statistics of the data files, writes a manifest, and commits it as one new snapshot; tries "
        "again when\n"
        "another commit came first. `-` reads paths from standard input, `@LIST` from a file: one a line, or "
        "NUL-ended.\n"
        "It does not look whether the table holds a file already: a second run adds it again. Prints the snapshot as "
        "a JSON\nobject.",
    .example = "  lakectl append sales day=2025-03-27/*.parquet --summary job=nightly\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
