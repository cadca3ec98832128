/* lakectl write-manifest: statistics of data files, written as manifests that nothing refers to yet. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    const char *table, *output, *partition, *content, *equality, *schema, *spec, *codec, *metrics, *ndv;
    cli_int target_size, format_version, spec_id, sort_order;
    int verify_sorted;
} args;

static const cli_option options[] = {
    {"table", 0, CLI_TEXT, offsetof(args, table), "TABLE", "schema, spec, format version and properties"},
    {"output", 'o', CLI_TEXT, offsetof(args, output), "MANIFEST", "the file to write; it must not exist"},
    {"partition", 0, CLI_TEXT, offsetof(args, partition), "K=V,…",
        "partition values: the field's name and the human form,\nts_month=2025-03; percent-escapes for , and =; null"},
    {"spec-id", 0, CLI_INT, offsetof(args, spec_id), "N", "a partition spec of the table (default: its default)"},
    {"content", 0, CLI_CHOICE, offsetof(args, content), "data|position-deletes|equality-deletes",
        "what the files hold (default data); position deletes of\na table of version 3 are Puffin files"},
    {"equality-columns", 0, CLI_TEXT, offsetof(args, equality), "NAME,…", "names or ids, for equality deletes"},
    {"target-size", 0, CLI_SIZE, offsetof(args, target_size), "SIZE",
        "several manifests of about this size (8M); -0001 and\nso on goes before the extension"},
    {"schema", 0, CLI_TEXT, offsetof(args, schema), "FILE", "without a table: an Iceberg schema as JSON"},
    {"spec", 0, CLI_TEXT, offsetof(args, spec), "SPEC",
        "without a table: a file (or @FILE) with an Iceberg spec\nas JSON, or text: 'months(d), bucket(16, id)'"},
    {"format-version", 0, CLI_INT, offsetof(args, format_version), "N", "1, 2 or 3 (default: the table's, else 2)"},
    {"sort-order", 0, CLI_INT, offsetof(args, sort_order), "N",
        "the files are in this sort order of the table: recorded,\nand believed unless --verify-sorted is given too"},
    {"verify-sorted", 0, CLI_FLAG, offsetof(args, verify_sorted), NULL,
        "look at every row, and refuse files that are not in\nthe order (default: the table's default order)"},
    {"metrics", 0, CLI_TEXT, offsetof(args, metrics), "MODE",
        "none, counts, truncate(N) or full (default: the\ntable's properties, else truncate(16))"},
    {"ndv", 0, CLI_TEXT, offsetof(args, ndv), "NAME,…",
        "count distinct values of these columns (or all) into a\nstatistics file beside the manifest, MANIFEST.stats"},
    {"codec", 0, CLI_CHOICE, offsetof(args, codec), "gzip|zstd|snappy|uncompressed",
        "(default: the table's property, else gzip)"},
    {0},
};

static int content_number(const char *content) {
    if (!content || strcmp(content, "data") == 0)
        return 0;
    return strcmp(content, "position-deletes") == 0 ? 1 : 2;
}

static lake_status check(const args *a, lake_error *err) {
    if (!a->output)
        return cli_fail(err, LAKE_ERR_USAGE, "write-manifest: -o MANIFEST is missing");
    if (!a->table && !a->schema)
        return cli_fail(err, LAKE_ERR_USAGE, "write-manifest: --table TABLE or --schema FILE is missing");
    if (a->table && (a->schema || a->spec))
        return cli_fail(err, LAKE_ERR_USAGE, "write-manifest: %s is for writing without --table",
            a->schema ? "--schema" : "--spec");
    if (a->spec_id.given && !a->table)
        return cli_fail(err, LAKE_ERR_USAGE, "write-manifest: --spec-id needs --table");
    if (a->spec_id.value < 0 || a->spec_id.value > INT32_MAX)
        return cli_fail(err, LAKE_ERR_USAGE, "--spec-id: %lld is no id of a spec", (long long)a->spec_id.value);
    if (a->sort_order.value < 0 || a->sort_order.value > INT32_MAX)
        return cli_fail(err, LAKE_ERR_USAGE, "--sort-order: %lld is no id of an order", (long long)a->sort_order.value);
    if ((a->sort_order.given || a->verify_sorted) && !a->table)
        return cli_fail(err, LAKE_ERR_USAGE, "write-manifest: %s needs --table",
            a->sort_order.given ? "--sort-order" : "--verify-sorted");
    if (a->format_version.given && (a->format_version.value < 1 || a->format_version.value > 3))
        return cli_fail(
            err, LAKE_ERR_USAGE, "--format-version: %lld is not 1, 2 or 3", (long long)a->format_version.value);
    if ((content_number(a->content) == 2) != !!a->equality)
        return cli_fail(
            err, LAKE_ERR_USAGE, "write-manifest: --content equality-deletes and --equality-columns go together");
    return LAKE_OK;
}

/* Opens what the options name and writes. `schema` and `spec` are texts or NULL. */
static lake_status write_manifest(
    cli *c, const args *a, const char *schema, const char *spec, const cli_list *files, lake_error *err) {
    lake_table *table = NULL;
    lake_status status = cli_session(c, err);
    if (!status && a->table)
        status = lake_table_open(c->session, a->table, &table, err);
    if (status)
        return status;
    lake_manifest_options o = LAKE_MANIFEST_OPTIONS_INIT;
    o.table = table;
    o.schema_json = schema;
    o.spec = spec;
    o.format_version = (int)a->format_version.value;
    o.has_spec_id = a->spec_id.given;
    o.spec_id = (int32_t)a->spec_id.value;
    o.partition = a->partition;
    o.has_sort_order = a->sort_order.given;
    o.sort_order_id = (int32_t)a->sort_order.value;
    o.verify_sorted = a->verify_sorted;
    o.content = content_number(a->content);
    o.equality_columns = a->equality;
    o.output = a->output;
    o.target_size = a->target_size.value;
    o.codec = a->codec;
    o.metrics_mode = a->metrics;
    o.ndv_columns = a->ndv;
    o.files = files->items;
    o.nfiles = files->n;
    status = lake_manifest_write(c->session, &o, &cli_stdout, err);
    lake_table_close(table);
    return status;
}

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    char *schema = NULL, *spec = NULL;
    size_t len;
    cli_list files = {0};
    lake_status status = check(a, err);
    if (!status)
        status = cli_file_arguments(&c->args, 0, &files, err);
    if (!status && a->schema)
        status = cli_read_schema(a->schema, &schema, &len, err);
    if (!status && a->spec)
        status = cli_text_or_file(a->spec, 1, &spec, err);
    if (!status)
        status = write_manifest(c, a, schema, spec, &files, err);
    if (status && a->schema)
        cli_error_in(err, "schema", a->schema);
    return status;
}

const cli_command cli_cmd_write_manifest = {
    .name = "write-manifest",
    .args = "(--table TABLE | --schema FILE [--spec SPEC]) -o MANIFEST FILE…",
    .min_args = 1,
    .max_args = SIZE_MAX,
    .summary = "compute statistics of data files and write a manifest",
    .text = "Reads the data files in parallel, computes exact statistics, and writes a manifest that `lakectl commit` "
            "takes. `-`\n"
            "reads paths from standard input, `@LIST` from a file: one a line, or NUL-ended. Partition values come "
            "from the data\n"
            "(every row of a file must agree), from --partition, or from Hive-style paths. Prints one JSON object a "
            "manifest.",
    .example = "  lakectl write-manifest --table sales -o sales/metadata/m1.avro new/*.parquet\n"
               "  lakectl commit sales sales/metadata/m1.avro\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
