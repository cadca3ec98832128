/* lakectl create: a new table in a directory. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    const char *schema, *partition_by, *sort_by, *location;
    cli_int format_version;
    cli_list properties;
} args;

static const cli_option options[] = {
    {"schema", 0, CLI_TEXT, offsetof(args, schema), "FILE",
        "an Iceberg schema as JSON, or a data file whose\ncolumns the table gets"},
    {"partition-by", 0, CLI_TEXT, offsetof(args, partition_by), "SPEC",
        "'months(order_date), bucket(16, id)', say; default:\nunpartitioned"},
    {"sort-by", 0, CLI_TEXT, offsetof(args, sort_by), "ORDER", "'a, bucket(4, b) desc nulls last', say"},
    {"format-version", 0, CLI_INT, offsetof(args, format_version), "N", "1, 2 or 3 (default 2)"},
    {"property", 0, CLI_LIST, offsetof(args, properties), "K=V", "a table property; may be repeated"},
    {"location", 0, CLI_TEXT, offsetof(args, location), "URI",
        "the location that metadata records (default: TABLE,\nmade absolute)"},
    {0},
};

static void print_string(cli_text *t, const char *name, lake_str value) {
    if (!value.ptr)
        return;
    cli_text_addf(t, "%s\"%s\":", t->len > 1 ? "," : "", name);
    cli_text_add_json(t, value.ptr, value.len);
}

static void print_table(const lake_table *table) {
    cli_text t = {0};
    cli_text_add(&t, "{", 1);
    print_string(&t, "table-uuid", lake_table_uuid(table));
    print_string(&t, "location", lake_table_location(table));
    print_string(&t, "metadata-location", lake_table_metadata_location(table));
    cli_text_addf(&t, ",\"format-version\":%d}\n", lake_table_format_version(table));
    cli_out_bytes(t.ptr, t.len);
    cli_text_free(&t);
}

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    if (!a->schema)
        return cli_fail(err, LAKE_ERR_USAGE, "create: --schema FILE is missing");
    if (a->format_version.given && (a->format_version.value < 1 || a->format_version.value > 3))
        return cli_fail(
            err, LAKE_ERR_USAGE, "--format-version: %lld is not 1, 2 or 3", (long long)a->format_version.value);
    lake_status status = cli_check_pairs("--property", &a->properties, err);
    if (!status)
        status = cli_session(c, err);
    if (status)
        return status;
    lake_create_options o = LAKE_CREATE_OPTIONS_INIT;
    o.schema = a->schema;
    o.partition_by = a->partition_by;
    o.sort_by = a->sort_by;
    o.format_version = (int)a->format_version.value;
    o.properties = a->properties.items;
    o.nproperties = a->properties.n;
    o.recorded_location = a->location;
    lake_table *table = NULL;
    status = lake_table_create(c->session, c->args.items[0], &o, &table, err);
    if (status)
        return status;
    print_table(table);
    lake_table_close(table);
    return LAKE_OK;
}

const cli_command cli_cmd_create = {
    .name = "create",
    .args = "TABLE --schema FILE [--partition-by SPEC] [OPTIONS]",
    .min_args = 1,
    .max_args = 1,
    .summary = "make a table",
    .text = "Makes the first metadata file and the version hint of a table in the directory TABLE. Transforms are "
            "written as in SQL\n"
            "(years, months, days, hours, bucket(N, c), truncate(N, c), a column's name for itself); the names of the "
            "public\n"
            "spec (month, bucket[16]) are taken too. A table that is there already is left alone (exit 3). Prints a "
            "JSON object.",
    .example = "  lakectl create sales --schema orders.parquet --partition-by 'months(order_date), bucket(16, id)'\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
