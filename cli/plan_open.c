/* What `plan` and `estimate` are about: a table, or else files and folders of files without a table's metadata. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "commands.h"

static int is_data_file(const char *path) {
    static const char *const endings[] = {".parquet", ".parq", ".pq"};
    size_t len = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (len >= n && strcasecmp(path + len - n, endings[i]) == 0)
            return 1;
    }
    return 0;
}

static lake_status open_paths(
    cli *c, const cli_list *args, const cli_plan_paths *p, const cli_opener *how, lake_error *err) {
    lake_listing_options listing = LAKE_LISTING_OPTIONS_INIT;
    cli_list files = {0};
    char *schema = NULL;
    size_t len;
    lake_status status = cli_file_arguments(args, 0, &files, err);
    if (!status && p->schema)
        status = cli_read_schema(p->schema, &schema, &len, err);
    if (!status) {
        listing.partition_types = p->partition_types;
        listing.schema_json = schema;
        status = how->paths(c, how->user, files.items, files.n, &listing, err);
    }
    if (status && p->schema && strncmp(err->message, "schema", 6) == 0)
        cli_error_in(err, "schema", p->schema);
    return status;
}

lake_status cli_open_subject(
    cli *c, const cli_list *args, const cli_plan_paths *p, const cli_opener *how, lake_table **table, lake_error *err) {
    const char *first = args->items[0];
    lake_error other;
    lake_status status = cli_session(c, err);
    if (status)
        return status;
    if (args->n > 1 || p->partition_types || p->schema || first[0] == '@' || strcmp(first, "-") == 0 ||
        is_data_file(first))
        return open_paths(c, args, p, how, err);
    status = lake_table_open(c->session, first, table, err);
    if (!status)
        return how->table(c, how->user, *table, err);
    if (status != LAKE_ERR_NOT_FOUND)
        return status;
    status = open_paths(c, args, p, how, &other);
    if (status != LAKE_ERR_NOT_FOUND) {
        *err = other;
        return status;
    }
    size_t len = strlen(err->message);
    if (strstr(other.message, ": no Parquet file is here"))
        snprintf(err->message + len, sizeof err->message - len, ", nor a Parquet file");
    return status;
}

/* ---- plans */
typedef struct planned {
    const lake_plan_options *options;
    lake_plan **plan;
} planned;

static lake_status plan_table(cli *c, void *user, lake_table *table, lake_error *err) {
    const planned *p = user;
    c->sql = p->options->where ? p->options->where : p->options->filter;
    return lake_plan_open(table, p->options, p->plan, err);
}

static lake_status plan_paths(
    cli *c, void *user, const char *const *paths, size_t n, const lake_listing_options *listing, lake_error *err) {
    const planned *p = user;
    c->sql = p->options->where ? p->options->where : p->options->filter;
    return lake_plan_open_paths(c->session, paths, n, listing, p->options, p->plan, err);
}

lake_status cli_plan_open(cli *c, const cli_plan_paths *p, const lake_plan_options *o, lake_table **table,
    lake_plan **plan, lake_error *err) {
    planned what = {o, plan};
    cli_opener how = {plan_table, plan_paths, &what};
    return cli_open_subject(c, &c->args, p, &how, table, err);
}
