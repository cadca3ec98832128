/* lakectl estimate: how many rows and bytes a predicate leaves, and of a join. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    const char *where, *filter, *nan, *format, *stats_file, *join, *where2, *stats_file2;
    cli_snapshot snapshot;
    cli_list columns, on;
    int sensitive, insensitive, files, footers;
    cli_int broadcast_bytes, broadcast_rows;
    cli_plan_paths paths;
} args;

static const cli_option options[] = {
    {"where", 0, CLI_TEXT, offsetof(args, where), "SQL", "the predicate, with SQL's three-valued logic"},
    {"filter", 0, CLI_TEXT, offsetof(args, filter), "JSON|@FILE", "the predicate as an Iceberg expression"},
    CLI_SNAPSHOT_OPTIONS(args, snapshot),
    {"case-sensitive", 0, CLI_FLAG, offsetof(args, sensitive), NULL, "names of columns (the default of --filter)"},
    {"case-insensitive", 0, CLI_FLAG, offsetof(args, insensitive), NULL, "(the default of --where)"},
    {"nan", 0, CLI_CHOICE, offsetof(args, nan), "iceberg|largest", "how the engine orders NaN, as for plan"},
    {"column", 0, CLI_LIST, offsetof(args, columns), "NAME",
        "tell of this column, too (default: those of the\npredicate; without one, all); may be repeated"},
    {"stats-file", 0, CLI_TEXT, offsetof(args, stats_file), "FILE", "statistics of your own, as JSON: they come first"},
    {"footers", 0, CLI_FLAG, offsetof(args, footers), NULL,
        "open the footers of the Parquet files kept, for\nbounds, counts and the sizes of dictionaries"},
    {"partition-types", 0, CLI_TEXT, offsetof(args, paths.partition_types), "TYPES", "of a directory: as for plan"},
    {"schema", 0, CLI_TEXT, offsetof(args, paths.schema), "FILE", "of a directory: as for plan"},
    {"files", 0, CLI_FLAG, offsetof(args, files), NULL, "with --format json: each kept file, too"},
    {"format", 0, CLI_CHOICE, offsetof(args, format), "text|json", "text for people (default)"},
    {"join", 0, CLI_TEXT, offsetof(args, join), "TABLE2", "estimate the inner join with this table"},
    {"on", 0, CLI_LIST, offsetof(args, on), "A=B", "a column of TABLE equals one of TABLE2; may be repeated"},
    {"where2", 0, CLI_TEXT, offsetof(args, where2), "SQL", "the predicate on TABLE2"},
    {"stats-file2", 0, CLI_TEXT, offsetof(args, stats_file2), "FILE", "statistics of TABLE2"},
    {"broadcast-limit", 0, CLI_SIZE, offsetof(args, broadcast_bytes), "SIZE",
        "a build side of at most so many bytes is copied to\nevery worker (default 10M)"},
    {"broadcast-rows", 0, CLI_INT, offsetof(args, broadcast_rows), "N",
        "the limit where bytes are not known (default 131072)"},
    {0},
};

static lake_status check(const args *a, lake_error *err) {
    if (a->where && a->filter)
        return cli_fail(err, LAKE_ERR_USAGE, "estimate: --where and --filter exclude each other");
    if (a->sensitive && a->insensitive)
        return cli_fail(err, LAKE_ERR_USAGE, "estimate: --case-sensitive and --case-insensitive exclude each other");
    if (a->join && !a->on.n)
        return cli_fail(err, LAKE_ERR_USAGE, "estimate: --join needs --on A=B");
    const char *lone = a->on.n     ? "--on"
        : a->where2                ? "--where2"
        : a->stats_file2           ? "--stats-file2"
        : a->broadcast_bytes.given ? "--broadcast-limit"
        : a->broadcast_rows.given  ? "--broadcast-rows"
                                   : NULL;
    if (!a->join && lone)
        return cli_fail(err, LAKE_ERR_USAGE, "estimate: %s needs --join", lone);
    if (a->files && !(a->format && strcmp(a->format, "json") == 0))
        return cli_fail(err, LAKE_ERR_USAGE, "estimate: --files needs --format json");
    if ((a->broadcast_bytes.given && a->broadcast_bytes.value < 1) ||
        (a->broadcast_rows.given && a->broadcast_rows.value < 1))
        return cli_fail(err, LAKE_ERR_USAGE, "estimate: a limit of broadcasts must be at least 1");
    return LAKE_OK;
}

/* "a=b" as two names; an equals sign within double quotes does not count. */
static lake_status split_keys(const cli_list *on, lake_join_key *keys, lake_error *err) {
    for (size_t i = 0; i < on->n; i++) {
        const char *text = on->items[i];
        int quoted = 0;
        size_t at = 0;
        while (text[at] && (text[at] != '=' || quoted))
            quoted ^= text[at++] == '"';
        if (!text[at] || at == 0 || !text[at + 1])
            return cli_fail(err, LAKE_ERR_USAGE, "--on %s: not of the form A=B", text);
        char *copy = cli_keep(strlen(text) + 1);
        memcpy(copy, text, strlen(text));
        copy[at] = 0;
        keys[i] = (lake_join_key){copy, copy + at + 1};
    }
    return LAKE_OK;
}

/* Names the option whose text is at fault. */
static lake_status blame(cli *c, const lake_estimate_options *o, const char *where, const char *file, lake_error *err) {
    if (o->filter && cli_error_rename(err, "filter:", "--filter:"))
        err->status = err->status == LAKE_ERR_MALFORMED ? LAKE_ERR_USAGE : err->status;
    else if (file && strncmp(err->message, "statistics", 10) == 0)
        cli_error_in(err, "statistics", file);
    else if (err->status == LAKE_ERR_USAGE && o->where && err->offset >= 0)
        cli_error_in(err, "", where);
    else if (err->status == LAKE_ERR_USAGE && o->filter)
        cli_error_in(err, "", "--filter");
    return err->status;
}

typedef struct side {
    lake_table *table;
    lake_estimate *estimate;
} side;

typedef struct opening {
    const lake_estimate_options *options;
    side *side;
} opening;

static lake_status of_table(cli *c, void *user, lake_table *table, lake_error *err) {
    const opening *o = user;
    c->sql = o->options->where ? o->options->where : o->options->filter;
    return lake_estimate_open(table, o->options, &o->side->estimate, err);
}

static lake_status of_paths(
    cli *c, void *user, const char *const *paths, size_t n, const lake_listing_options *listing, lake_error *err) {
    const opening *o = user;
    c->sql = o->options->where ? o->options->where : o->options->filter;
    return lake_estimate_open_paths(c->session, paths, n, listing, o->options, &o->side->estimate, err);
}

static lake_status open_side(cli *c, const char *name, const cli_plan_paths *paths, lake_estimate_options *o,
    const char *where, const char *file, side *out, lake_error *err) {
    char *text = NULL;
    size_t len;
    cli_list one = {0};
    opening what = {o, out};
    cli_opener how = {of_table, of_paths, &what};
    lake_status status = file ? cli_read_file(file, &text, &len, err) : LAKE_OK;
    if (status)
        return status;
    cli_list_add(&one, name);
    o->stats_json = text;
    c->sql = NULL;
    status = cli_open_subject(c, &one, paths, &how, &out->table, err);
    return status ? blame(c, o, where, file, err) : LAKE_OK;
}

static void close_side(side *s) {
    lake_estimate_close(s->estimate);
    lake_table_close(s->table);
}

static lake_status join_sides(cli *c, const args *a, lake_estimate_options *o, lake_error *err) {
    lake_join_options limits = LAKE_JOIN_OPTIONS_INIT;
    lake_join_key *keys = cli_keep(a->on.n * sizeof *keys);
    lake_estimate_options o2 = LAKE_ESTIMATE_OPTIONS_INIT;
    cli_list left = {0}, right = {0};
    cli_plan_paths none = {0};
    side s[2] = {{0}};
    lake_join join;
    lake_status status = split_keys(&a->on, keys, err);
    if (status)
        return status;
    for (size_t i = 0; i < a->columns.n; i++)
        cli_list_add(&left, a->columns.items[i]);
    for (size_t i = 0; i < a->on.n; i++) {
        cli_list_add(&left, keys[i].left);
        cli_list_add(&right, keys[i].right);
    }
    o->columns = left.items;
    o->ncolumns = left.n;
    o2.columns = right.items;
    o2.ncolumns = right.n;
    o2.where = a->where2;
    o2.case_sensitive = o->case_sensitive;
    o2.nan_largest = o->nan_largest;
    o2.footers = o->footers;
    limits.broadcast_bytes = a->broadcast_bytes.value;
    limits.broadcast_rows = a->broadcast_rows.value;
    status = open_side(c, c->args.items[0], &a->paths, o, "--where", a->stats_file, &s[0], err);
    if (!status)
        status = open_side(c, a->join, &none, &o2, "--where2", a->stats_file2, &s[1], err);
    if (!status)
        status = lake_join_estimate(s[0].estimate, s[1].estimate, keys, a->on.n, &limits, &join, err);
    if (!status)
        status = cli_join_print(
            s[0].estimate, s[1].estimate, &join, a->format && strcmp(a->format, "json") == 0, a->files, err);
    close_side(&s[0]);
    close_side(&s[1]);
    return status;
}

static lake_status one_table(cli *c, const args *a, lake_estimate_options *o, lake_error *err) {
    side s = {0};
    o->columns = a->columns.items;
    o->ncolumns = a->columns.n;
    lake_status status = open_side(c, c->args.items[0], &a->paths, o, "--where", a->stats_file, &s, err);
    if (!status && a->format && strcmp(a->format, "json") == 0)
        status = lake_estimate_write(s.estimate, a->files, &cli_stdout, err);
    else if (!status)
        cli_estimate_text(s.estimate);
    close_side(&s);
    return status;
}

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    lake_estimate_options o = LAKE_ESTIMATE_OPTIONS_INIT;
    char *filter = NULL;
    lake_status status = check(a, err);
    if (!status)
        status = cli_snapshot_choice(&a->snapshot, &o.snapshot, err);
    if (!status && a->filter)
        status = cli_text_or_file(a->filter, 0, &filter, err);
    if (!status)
        status = cli_session(c, err);
    if (status)
        return status;
    o.where = a->where;
    o.filter = filter;
    o.case_sensitive = a->sensitive ? 1 : a->insensitive ? 0 : -1;
    o.nan_largest = a->nan && strcmp(a->nan, "largest") == 0;
    o.footers = a->footers;
    return a->join ? join_sides(c, a, &o, err) : one_table(c, a, &o, err);
}

const cli_command cli_cmd_estimate = {
    .name = "estimate",
    .args = "TABLE|DIRECTORY [--where SQL | --filter JSON|@FILE] [--join TABLE2 --on A=B]",
    .min_args = 1,
    .max_args = 1,
    .summary = "rows, bytes and selectivity of a predicate or a join",
    .text =
        "Estimates from metadata, without reading data: rows and bytes behind the predicate, and for each column the "
        "interval that\n"
        "holds every matching value, nulls, NaNs and distinct values that are left. Each figure is exact (proven), "
        "inexact or\n"
        "unknown, and says who gave it: manifests, footers, Puffin statistics, or your own --stats-file.",
    .example = "  lakectl estimate sales --where \"order_date >= DATE '2025-03-01' AND amount > 1000\"\n"
               "  lakectl estimate sales --join customers --on customer_id=id --where2 \"country = 'CH'\"\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
