/* lakectl delete, lakectl overwrite: data files go, others may come, in one new snapshot. */
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    cli_commit_args commit;
    const char *files, *where;
    int case_sensitive;
    /* overwrite */
    const char *partition, *codec, *metrics;
} args;

#define SHARED_OPTIONS                                                                                                 \
    {"files", 0, CLI_TEXT, offsetof(args, files), "@LIST",                                                             \
        "data files by their location, from a file: one a line,\nor NUL-ended; - : from standard input"},              \
        {"where", 0, CLI_TEXT, offsetof(args, where), "SQL", "the files all of whose rows match; others are refused"}, \
    {                                                                                                                  \
        "case-sensitive", 0, CLI_FLAG, offsetof(args, case_sensitive), NULL, "column names in --where as they are"     \
    }

static const cli_option delete_options[] = {
    SHARED_OPTIONS,
    CLI_COMMIT_OPTIONS(args, commit),
    {0},
};

static const cli_option overwrite_options[] = {
    SHARED_OPTIONS,
    {"partition", 0, CLI_TEXT, offsetof(args, partition), "K=V,…", "partition values of the new files, as in append"},
    {"metrics", 0, CLI_TEXT, offsetof(args, metrics), "MODE", "as in append"},
    {"codec", 0, CLI_CHOICE, offsetof(args, codec), "gzip|zstd|snappy|uncompressed", "as in append"},
    CLI_COMMIT_OPTIONS(args, commit),
    {0},
};

lake_status cli_files_option(const char *option, const char *list, cli_list *out, lake_error *err) {
    *out = (cli_list){0};
    if (!list)
        return LAKE_OK;
    if (list[0] != '@' && strcmp(list, "-") != 0)
        return cli_fail(err, LAKE_ERR_USAGE, "%s: '%s': @LIST or - is meant", option, list);
    const cli_list one = {&list, 1};
    return cli_file_arguments(&one, 0, out, err);
}

static lake_status change(cli *c, const args *a, const cli_list *add, lake_error *err) {
    lake_commit_options commit;
    cli_list files = {0};
    lake_table *table = NULL;
    lake_status status = cli_commit_choice(&a->commit, &commit, err);
    if (!status)
        status = cli_files_option("--files", a->files, &files, err);
    if (!status)
        status = cli_open_table(c, &table, err);
    if (status)
        return status;
    lake_manifest_options m = LAKE_MANIFEST_OPTIONS_INIT;
    m.table = table;
    m.partition = a->partition;
    m.codec = a->codec;
    m.metrics_mode = a->metrics;
    m.files = add->items;
    m.nfiles = add->n;
    lake_change_options o = LAKE_CHANGE_OPTIONS_INIT;
    o.remove = files.items;
    o.nremove = files.n;
    o.where = a->where;
    o.case_sensitive = a->case_sensitive;
    o.add = add->n ? &m : NULL;
    c->sql = a->where;
    status = lake_table_change(table, &o, &commit, &cli_report, err);
    if (status == LAKE_ERR_USAGE && a->where && err->offset >= 0)
        cli_error_in(err, "", "--where");
    c->committed = !status && !commit.dry_run;
    lake_table_close(table);
    return status;
}

static lake_status check_choice(const char *name, const args *a, lake_error *err) {
    if (!a->files && !a->where)
        return cli_fail(err, LAKE_ERR_USAGE, "%s: what is to go is not said: --files @LIST or --where SQL", name);
    return LAKE_OK;
}

static lake_status run_delete(cli *c, lake_error *err) {
    const cli_list none = {0};
    lake_status status = check_choice("delete", c->options, err);
    return status ? status : change(c, c->options, &none, err);
}

static lake_status run_overwrite(cli *c, lake_error *err) {
    cli_list files = {0};
    lake_status status = check_choice("overwrite", c->options, err);
    if (!status)
        status = cli_file_arguments(&c->args, 1, &files, err);
    return status ? status : change(c, c->options, &files, err);
}

const cli_command cli_cmd_delete = {
    .name = "delete",
    .args = "TABLE --files @LIST | --where SQL [OPTIONS]",
    .min_args = 1,
    .max_args = 1,
    .summary = "take data files out of a table",
    .text =
        "Whole files only: with --where, a file is taken away if it is proved that all of its rows match, and the\n"
        "command is refused if that is not so of a file in which rows may match. The files themselves stay where they "
        "are,\nfor older snapshots. Prints the new snapshot as a JSON object; if nothing matches there is none.",
    .example = "  lakectl delete sales --where \"day < '2020-01-01'\"\n",
    .options = delete_options,
    .size = sizeof(args),
    .run = run_delete,
};

const cli_command cli_cmd_overwrite = {
    .name = "overwrite",
    .args = "TABLE --where SQL | --files @LIST FILE… [OPTIONS]",
    .min_args = 2,
    .max_args = SIZE_MAX,
    .summary = "take data files out of a table and add others in their place",
    .text = "`delete` and `append` in one snapshot.",
    .example = "  lakectl overwrite sales --where \"day = '2025-03-27'\" day=2025-03-27/*.parquet\n",
    .options = overwrite_options,
    .size = sizeof(args),
    .run = run_overwrite,
};
