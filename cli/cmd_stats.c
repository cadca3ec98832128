/* lakectl stats: exact statistics of data files. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    int footer_only;
    const char *columns, *table, *schema, *metrics, *format;
    cli_int max_page;
} args;

static const cli_option options[] = {
    {"footer-only", 0, CLI_FLAG, offsetof(args, footer_only), NULL,
        "trust the footer's statistics, by the rules for who\nwrote them; reads no data (Avro: rows only)"},
    {"columns", 0, CLI_TEXT, offsetof(args, columns), "NAME,…",
        "only these; a.b for nested fields, \"a,b\" for a name\nwith a comma"},
    {"table", 0, CLI_TEXT, offsetof(args, table), "TABLE", "ids, types and name mapping of this table"},
    {"schema", 0, CLI_TEXT, offsetof(args, schema), "FILE", "ids and types of this Iceberg schema (JSON)"},
    {"metrics", 0, CLI_TEXT, offsetof(args, metrics), "MODE",
        "what a manifest would record: none, counts,\ntruncate(N), full, or table (by its properties)"},
    {"max-page", 0, CLI_SIZE, offsetof(args, max_page), "SIZE",
        "most memory for a Parquet page that cannot be\nread piece by piece (default 24M)"},
    {"format", 0, CLI_CHOICE, offsetof(args, format), "text|json", "a table for people (default), or one document"},
    {0},
};

static void count_cell(cli_table *t, int64_t count) {
    char b[32];
    const char *text = count < 0 ? "-" : cli_show_count(b, count);
    cli_table_cell(t, text, strlen(text));
}

static void bound_cell(cli_table *t, lake_str json) {
    cli_text cell = {0};
    if (json.len == 2 && json.ptr[0] == '"')
        cli_text_add(&cell, "''", 2); /* an empty string is a value */
    else if (json.ptr)
        cli_text_add_json_shown(&cell, json.ptr, json.len);
    else
        cli_text_add(&cell, "-", 1);
    cli_table_cell(t, cell.ptr, cell.len);
    cli_text_free(&cell);
}

static void print_text(const lake_stats *stats, int first) {
    static const char *const heads[] = {"id", "column", "type", "size", "values", "nulls", "nans", "lower", "upper"};
    static const int flags[] = {CLI_RIGHT, CLI_SHRINK_MIDDLE, CLI_SHRINK_END, CLI_RIGHT, CLI_RIGHT, CLI_RIGHT,
        CLI_RIGHT | CLI_OPTIONAL, CLI_SHRINK_END, CLI_SHRINK_END};
    lake_stats_file f;
    lake_stats_file_of(stats, &f);
    cli_table *t = cli_table_new(sizeof heads / sizeof *heads, heads, flags);
    for (size_t i = 0; i < f.ncolumns; i++) {
        lake_stats_column col;
        lake_stats_column_of(stats, i, &col);
        cli_text id = {0};
        cli_text_addf(&id, "%d", (int)col.id);
        cli_table_cell(t, id.ptr, id.len);
        cli_text_free(&id);
        cli_table_cell(t, col.name.ptr, col.name.len);
        cli_table_cell(t, col.type.ptr, col.type.len);
        count_cell(t, col.column_size);
        count_cell(t, col.value_count);
        count_cell(t, col.null_count);
        count_cell(t, col.nan_count);
        bound_cell(t, col.lower);
        bound_cell(t, col.upper);
    }
    char records[32], size[32];
    cli_text path = {0};
    cli_text_add_shown(&path, f.path.ptr, f.path.len);
    cli_outf("%s%s: %.*s, %s row%s, %s", first ? "" : "\n", path.ptr, (int)f.format.len, f.format.ptr,
        cli_show_count(records, f.record_count), f.record_count == 1 ? "" : "s", cli_show_size(size, f.file_size));
    if (strcmp(f.format.ptr, "avro") != 0)
        cli_outf(", %zu %s%s", f.nsplit_offsets, strcmp(f.format.ptr, "orc") == 0 ? "stripe" : "row group",
            f.nsplit_offsets == 1 ? "" : "s");
    cli_outf("%s\n", f.from_footer ? "; statistics by its writer" : "");
    cli_text_free(&path);
    cli_table_print(t);
    cli_table_free(t);
}

typedef struct printer {
    const cli *c;
    int json;
    size_t printed;
    size_t failed;
    lake_status status; /* of the first failure */
    cli_text errors; /* JSON objects */
    const cli_list *files;
} printer;

static void note_failure(printer *p, size_t index, const lake_error *why) {
    p->status = p->failed++ ? p->status : why->status;
    cli_text_addf(&p->errors, p->failed > 1 ? ",\n{\"file-path\":" : "\n{\"file-path\":");
    cli_text_add_json(&p->errors, p->files->items[index], strlen(p->files->items[index]));
    cli_text_addf(&p->errors, ",\"message\":");
    cli_text_add_json(&p->errors, why->message, strlen(why->message));
    cli_text_addf(&p->errors, "}");
    cli_progress_clear();
    cli_error_print(p->c, why);
}

static lake_status print_one(
    void *user, size_t index, const lake_stats *stats, const lake_error *why, lake_error *err) {
    printer *p = user;
    if (!stats && p->files->n == 1) {
        if (err)
            *err = *why;
        return why->status;
    }
    if (!stats) {
        note_failure(p, index, why);
        return LAKE_OK;
    }
    if (p->json)
        cli_out(p->printed ? ",\n" : "\n");
    else
        print_text(stats, p->printed == 0);
    p->printed++;
    return p->json ? lake_stats_write(stats, &cli_stdout, err) : LAKE_OK;
}

/* Files that cannot be read are told at once; the others' statistics are printed all the same. */
static lake_status print_all(cli *c, const lake_stats_options *o, int json, const cli_list *files, lake_error *err) {
    printer p = {.c = c, .json = json, .files = files};
    if (json)
        cli_out("{\"files\": [");
    lake_status status =
        lake_stats_each(c->session, (const char *const *)files->items, files->n, o, print_one, &p, err);
    if (!status && json)
        cli_outf(p.failed ? "\n], \"errors\": [%s\n]}\n" : "\n]}\n%s", p.failed ? p.errors.ptr : "");
    cli_text_free(&p.errors);
    if (!status && p.failed)
        status = cli_fail(
            err, p.status, "%zu of %zu file%s could not be read", p.failed, files->n, files->n == 1 ? "" : "s");
    return status;
}

static lake_status with_options(cli *c, const args *a, const char *schema, lake_error *err) {
    lake_stats_options o = LAKE_STATS_OPTIONS_INIT;
    cli_list columns = {0}, files = {0};
    lake_status status = cli_file_arguments(&c->args, 0, &files, err);
    if (!status && a->columns)
        status = cli_split_columns(a->columns, &columns, err);
    if (!status)
        status = cli_session(c, err);
    if (!status && a->table)
        status = lake_table_open(c->session, a->table, &o.table, err);
    o.schema_json = schema;
    o.footer_only = a->footer_only;
    o.columns = columns.items;
    o.ncolumns = columns.n;
    o.metrics_mode = a->metrics;
    o.page_limit = (size_t)a->max_page.value;
    if (!status)
        status = print_all(c, &o, a->format && strcmp(a->format, "json") == 0, &files, err);
    lake_table_close(o.table);
    return status;
}

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    char *schema = NULL;
    size_t len;
    if (a->table && a->schema)
        return cli_fail(err, LAKE_ERR_USAGE, "stats: --table and --schema exclude each other");
    if (a->metrics && strcmp(a->metrics, "table") == 0 && !a->table)
        return cli_fail(err, LAKE_ERR_USAGE, "stats: --metrics table needs --table");
    lake_status status = a->schema ? cli_read_schema(a->schema, &schema, &len, err) : LAKE_OK;
    if (!status)
        status = with_options(c, a, schema, err);
    if (status && a->schema)
        cli_error_in(err, "schema", a->schema);
    return status;
}

const cli_command cli_cmd_stats = {
    .name = "stats",
    .args = "FILE… [OPTIONS]",
    .min_args = 1,
    .max_args = SIZE_MAX,
    .summary = "exact statistics of data files",
    .text =
        "Reads data files (Parquet, Avro) and prints, for each leaf column, its size, values, nulls, NaNs and exact "
        "least and\n"
        "greatest value. Of ORC files it prints what the footer proves, marked as the writer's. A file's first bytes "
        "tell its format.\n"
        "`-` reads paths from standard input, `@LIST` from a file. Ids and types are the table's, the schema's, or "
        "the file's own.\n"
        "Files that cannot be read are named on standard error; the others are printed, and the exit status is that "
        "of the first failure.",
    .example = "  lakectl stats part-0.parquet --columns id,amount --format json\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
