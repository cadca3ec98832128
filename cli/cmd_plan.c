/* lakectl plan: which files a predicate needs. */
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    const char *where, *filter, *nan, *format, *splits, *order_by;
    int64_t split_size; /* 0: the table's */
    cli_snapshot snapshot;
    int sensitive, insensitive, explain, stats, ignore_deletes, fail_if_full_scan, count, row_groups;
    cli_int limit, offset, from_snapshot, to_snapshot;
    cli_list in;
    cli_plan_paths paths;
    cli_int group_size, groups;
    int group_partition;
} args;

#define LATER(name)                                                                                                    \
    { name, 0, CLI_LATER, 0, NULL, NULL }
static const cli_option options[] = {
    {"where", 0, CLI_TEXT, offsetof(args, where), "SQL", "the predicate, with SQL's three-valued logic"},
    {"filter", 0, CLI_TEXT, offsetof(args, filter), "JSON|@FILE", "the predicate as an Iceberg expression"},
    CLI_SNAPSHOT_OPTIONS(args, snapshot),
    {"from-snapshot", 0, CLI_INT, offsetof(args, from_snapshot), "ID",
        "only files that appends added after this snapshot,\nwhich must be an ancestor; deletes do not apply"},
    {"to-snapshot", 0, CLI_INT, offsetof(args, to_snapshot), "ID", "up to this one (default: the chosen snapshot)"},
    {"case-sensitive", 0, CLI_FLAG, offsetof(args, sensitive), NULL, "names of columns (the default of --filter)"},
    {"case-insensitive", 0, CLI_FLAG, offsetof(args, insensitive), NULL, "(the default of --where)"},
    {"nan", 0, CLI_CHOICE, offsetof(args, nan), "iceberg|largest",
        "how the engine orders NaN: comparisons with it are\nFALSE (default), or it is the largest value"},
    {"format", 0, CLI_CHOICE, offsetof(args, format), "text|json|ndjson|csv|paths|paths0",
        "text for people (default); json: the REST catalog's\nplanning result; ndjson: one task a line; paths: one "
        "a\nline, or NUL-ended"},
    {"explain", 0, CLI_FLAG, offsetof(args, explain), NULL, "say why each manifest and file is kept or dropped"},
    {"row-groups", 0, CLI_FLAG, offsetof(args, row_groups), NULL,
        "open the footers of the Parquet files kept and prune\nrow groups and pages, too"},
    {"stats", 0, CLI_FLAG, offsetof(args, stats), NULL, "tasks in JSON carry bounds and counts"},
    {"ignore-deletes", 0, CLI_FLAG, offsetof(args, ignore_deletes), NULL,
        "let paths and paths0 leave delete files out"},
    {"fail-if-full-scan", 0, CLI_FLAG, offsetof(args, fail_if_full_scan), NULL, "exit 1 if no file was pruned"},
    {"count", 0, CLI_FLAG, offsetof(args, count), NULL,
        "only the number of matching rows: exact where\nmetadata prove it, otherwise a range (text or json)"},
    {"limit", 0, CLI_INT, offsetof(args, limit), "N",
        "N rows are enough: leave files out where others,\nwhich match wholly, surely hold so many"},
    {"offset", 0, CLI_INT, offsetof(args, offset), "M", "rows that the query skips before those of --limit"},
    {"in", 0, CLI_LIST, offsetof(args, in), "COL=@FILE",
        "and COL is one of the values in FILE, one a line:\nkeys of a join, say; may be repeated"},
    {"order-by", 0, CLI_TEXT, offsetof(args, order_by), "COL",
        "files in order of COL [ASC|DESC] [NULLS FIRST|LAST]\n(default: ASC; nulls first, with DESC last); with "
        "--limit,\nwithout files that a top-N query never needs"},
    {"splits", 0, CLI_TEXT, offsetof(args, splits), "SIZE|table",
        "also scan tasks of about SIZE bytes (K, M, G), as\nIceberg's engines pack them; table: its own size"},
    {"groups", 0, CLI_INT, offsetof(args, groups), "N",
        "also at most N groups of whole files of about the same\nbytes, in the order of the plan"},
    {"group-by-size", 0, CLI_SIZE, offsetof(args, group_size), "SIZE",
        "also groups of whole files of at most SIZE bytes"},
    {"group-by-partition", 0, CLI_FLAG, offsetof(args, group_partition), NULL,
        "also the files of each partition as a group"},
    {"partition-types", 0, CLI_TEXT, offsetof(args, paths.partition_types), "TYPES",
        "directories: 'year int, day date' instead of the types\nthat the folders' names look like"},
    {"schema", 0, CLI_TEXT, offsetof(args, paths.schema), "FILE",
        "directories: an Iceberg schema as JSON instead of the\nfiles' own"},
    LATER("changelog"),
    LATER("server-plan"),
    {0},
};

static int is_grouped(const args *a) {
    return a->groups.given + a->group_size.given + a->group_partition;
}

/* A count is a number, not a list of files. */
static lake_status check_count(const args *a, lake_error *err) {
    if (a->format && strcmp(a->format, "text") != 0 && strcmp(a->format, "json") != 0)
        return cli_fail(err, LAKE_ERR_USAGE, "plan: --count is told as text or json, not as %s", a->format);
    const char *other = a->limit.given ? "--limit"
        : a->splits                    ? "--splits"
        : is_grouped(a)                ? "groups"
        : a->order_by                  ? "--order-by"
        : a->explain                   ? "--explain"
        : a->stats                     ? "--stats"
                                       : NULL;
    if (other)
        return cli_fail(err, LAKE_ERR_USAGE, "plan: --count and %s exclude each other", other);
    return LAKE_OK;
}

/* What a list has no room for. */
static lake_status check_list(const args *a, lake_error *err) {
    int list = a->format && (strncmp(a->format, "paths", 5) == 0 || strcmp(a->format, "csv") == 0);
    if (list && (a->explain || a->stats))
        return cli_fail(
            err, LAKE_ERR_USAGE, "plan: %s has more to tell than %s", a->explain ? "--explain" : "--stats", a->format);
    return LAKE_OK;
}

static lake_status check_splits(args *a, lake_error *err) {
    cli_int size = {0};
    lake_status status = LAKE_OK;
    if (a->format && strncmp(a->format, "paths", 5) == 0)
        return cli_fail(err, LAKE_ERR_USAGE, "plan: --splits has more to tell than %s", a->format);
    if (strcmp(a->splits, "table") != 0)
        status = cli_option_set(&(cli_option){.kind = CLI_SIZE}, &size, a->splits, "--splits", err);
    a->split_size = size.value;
    return status;
}

static lake_status check_groups(const args *a, lake_error *err) {
    if (is_grouped(a) + (a->splits != NULL) > 1)
        return cli_fail(err, LAKE_ERR_USAGE,
            "plan: --splits, --groups, --group-by-size and --group-by-partition exclude each other");
    if (a->format && strncmp(a->format, "paths", 5) == 0)
        return cli_fail(err, LAKE_ERR_USAGE, "plan: groups of files have more to tell than %s", a->format);
    if ((a->groups.given && a->groups.value < 1) || (a->group_size.given && a->group_size.value < 1))
        return cli_fail(err, LAKE_ERR_USAGE, "plan: %s is below 1", a->groups.given ? "--groups" : "--group-by-size");
    return LAKE_OK;
}

static lake_status group_plan(lake_plan *plan, const args *a, lake_error *err) {
    lake_grouping by = a->groups.given ? LAKE_GROUP_BY_NUMBER
        : a->group_size.given          ? LAKE_GROUP_BY_SIZE
                                       : LAKE_GROUP_BY_PARTITION;
    return lake_plan_group(plan, by, a->groups.given ? a->groups.value : a->group_size.value, err);
}

static lake_status check(args *a, lake_error *err) {
    lake_status status = is_grouped(a) ? check_groups(a, err) : LAKE_OK;
    if (status)
        return status;
    if (a->where && a->filter)
        return cli_fail(err, LAKE_ERR_USAGE, "plan: --where and --filter exclude each other");
    if (a->sensitive && a->insensitive)
        return cli_fail(err, LAKE_ERR_USAGE, "plan: --case-sensitive and --case-insensitive exclude each other");
    if (a->to_snapshot.given && !a->from_snapshot.given)
        return cli_fail(err, LAKE_ERR_USAGE, "plan: --to-snapshot needs --from-snapshot");
    if (a->to_snapshot.given && (a->snapshot.id.given || a->snapshot.ref || a->snapshot.as_of))
        return cli_fail(err, LAKE_ERR_USAGE, "plan: --to-snapshot and %s exclude each other",
            a->snapshot.id.given  ? "--snapshot"
                : a->snapshot.ref ? "--ref"
                                  : "--as-of");
    if (a->offset.given && !a->limit.given)
        return cli_fail(err, LAKE_ERR_USAGE, "plan: --offset needs --limit");
    if (a->limit.value < 0 || a->offset.value < 0)
        return cli_fail(err, LAKE_ERR_USAGE, "plan: %s is below 0", a->limit.value < 0 ? "--limit" : "--offset");
    if (a->splits)
        status = check_splits(a, err);
    if (!status)
        status = check_list(a, err);
    return status ? status : a->count ? check_count(a, err) : LAKE_OK;
}

static lake_status print_plan(lake_plan *plan, const args *a, lake_error *err) {
    static const struct {
        const char *name;
        lake_plan_format format;
    } formats[] = {{"json", LAKE_PLAN_JSON}, {"ndjson", LAKE_PLAN_NDJSON}, {"csv", LAKE_PLAN_CSV},
        {"paths", LAKE_PLAN_PATHS}, {"paths0", LAKE_PLAN_PATHS0}};
    if (a->count)
        return cli_plan_count(plan, a->format && strcmp(a->format, "json") == 0, err);
    for (size_t i = 0; a->format && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(a->format, formats[i].name) == 0)
            return lake_plan_write(plan, formats[i].format, a->ignore_deletes, &cli_stdout, err);
    return cli_plan_text(plan, a->explain, err);
}

/* Says no, on standard error, if everything has to be read. */
static void judge(cli *c, const lake_plan *plan) {
    lake_plan_counts n;
    lake_plan_counts_of(plan, &n);
    lake_plan_listing listing = {0};
    lake_plan_listing_of(plan, &listing);
    /* Counts of files know better than skipped manifests, which may have had no live file. */
    if (n.kept_files == 0 || n.skipped_files > 0 || n.skipped_files_in_scanned > 0 || listing.pruned_folders > 0 ||
        (n.skipped_files < 0 && n.skipped_data_manifests > 0))
        return;
    c->answer_is_no = 1;
    lake_error err;
    cli_fail(&err, LAKE_ERR_USAGE, "plan: a full scan: all %lld files are needed", (long long)n.kept_files);
    if (!c->globals.quiet)
        cli_remark(err.message);
}

/* One line, on standard error, for people who did not ask for more. */
static void tell_unused(const lake_plan *plan) {
    enum { MOST = 200 }; /* bytes of the part that are shown */
    lake_str sql, reason;
    size_t n = lake_plan_unused(plan, 0, &sql, &reason);
    if (!n)
        return;
    cli_text t = {0};
    cli_text_addf(&t, "%zu part%s of the predicate cannot prune (see --explain): ", n, n == 1 ? "" : "s");
    size_t len = sql.len < MOST ? sql.len : MOST;
    while (len < sql.len && ((unsigned char)sql.ptr[len] & 0xc0) == 0x80)
        len--;
    cli_text_add(&t, sql.ptr, len);
    cli_text_addf(&t, "%s: %.*s", len < sql.len ? "…" : "", (int)reason.len, reason.ptr);
    cli_remark(t.ptr);
    cli_text_free(&t);
}

/* Names the option whose text is at fault; a filter that is no JSON is wrong usage, not a malformed table. */
static lake_status blame_predicate(cli *c, const lake_plan_options *o, lake_error *err) {
    static const char *const others[] = {"partition types", "a directory", "snapshot "};
    if (cli_error_rename(err, "order by:", "--order-by:") || cli_error_rename(err, "values of ", "--in: "))
        return err->status;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(err->message, others[i], strlen(others[i])) == 0)
            return err->status;
    if (o->filter && cli_error_rename(err, "filter:", "--filter:"))
        err->status = err->status == LAKE_ERR_MALFORMED ? LAKE_ERR_USAGE : err->status;
    else if (err->status == LAKE_ERR_USAGE && o->where && err->offset >= 0)
        cli_error_in(err, "", "--where");
    else if (err->status == LAKE_ERR_USAGE && o->filter)
        cli_error_in(err, "", "--filter");
    return err->status;
}

static lake_status plan_table(cli *c, const args *a, lake_plan_options *o, lake_error *err) {
    lake_table *table = NULL;
    lake_plan *plan = NULL;
    lake_status status = cli_plan_open(c, &a->paths, o, &table, &plan, err);
    if (status)
        status = blame_predicate(c, o, err);
    else if (a->splits)
        status = lake_plan_split(plan, a->split_size, err);
    else if (is_grouped(a))
        status = group_plan(plan, a, err);
    if (!status)
        status = print_plan(plan, a, err);
    if (!status && !a->explain && !a->count && !c->globals.quiet && (!a->format || strcmp(a->format, "text") == 0))
        tell_unused(plan);
    if (!status && a->fail_if_full_scan)
        judge(c, plan);
    lake_plan_close(plan);
    lake_table_close(table);
    return status;
}

/* --in: the files, each in memory until the plan is made. */
static lake_status read_values(const cli_list *in, lake_plan_values **out, lake_error *err) {
    lake_plan_values *v = *out = cli_keep((in->n + 1) * sizeof *v);
    lake_status status = LAKE_OK;
    for (size_t i = 0; i < in->n && !status; i++) {
        const char *equals = strstr(in->items[i], "=@");
        if (!equals || equals == in->items[i] || !equals[2])
            return cli_fail(err, LAKE_ERR_USAGE, "--in: %s is not COL=@FILE", in->items[i]);
        char *column = cli_keep((size_t)(equals - in->items[i]) + 1), *text = NULL;
        size_t len = 0;
        memcpy(column, in->items[i], (size_t)(equals - in->items[i]));
        status = cli_read_file(equals + 2, &text, &len, err);
        v[i] = (lake_plan_values){.column = column, .name = equals + 1, .lines = {(const uint8_t *)text, len}};
    }
    return status;
}

static lake_status run(cli *c, lake_error *err) {
    args *a = c->options;
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    char *filter = NULL;
    lake_status status = check(a, err);
    if (!status)
        status = cli_snapshot_choice(&a->snapshot, &o.snapshot, err);
    if (!status && a->filter)
        status = cli_text_or_file(a->filter, 0, &filter, err);
    lake_plan_values *values = NULL;
    if (!status)
        status = read_values(&a->in, &values, err);
    if (status)
        return status;
    o.has_from_snapshot = a->from_snapshot.given;
    o.from_snapshot = a->from_snapshot.value;
    o.has_to_snapshot = a->to_snapshot.given;
    o.to_snapshot = a->to_snapshot.value;
    o.in = values;
    o.nin = a->in.n;
    o.where = a->where;
    o.filter = filter;
    o.case_sensitive = a->sensitive ? 1 : a->insensitive ? 0 : -1;
    o.nan_largest = a->nan && strcmp(a->nan, "largest") == 0;
    o.explain = a->explain;
    o.stats = a->stats;
    o.order_by = a->order_by;
    o.has_limit = a->limit.given;
    o.limit = a->limit.value;
    o.offset = a->offset.value;
    o.row_groups = a->row_groups;
    return plan_table(c, a, &o, err);
}

const cli_command cli_cmd_plan = {
    .name = "plan",
    .args = "TABLE|DIRECTORY|FILE… [--where SQL | --filter JSON|@FILE] [--snapshot ID | --ref NAME | --as-of TIME]",
    .min_args = 1,
    .max_args = SIZE_MAX,
    .summary = "which files a predicate needs, and why",
    .text =
        "Prunes manifests, then files, by partition values and recorded statistics, and prints the files to read "
        "with the delete\n"
        "files that apply. A file is dropped only if no row of it can match. Partition transforms are functions: "
        "days(ts) =\n"
        "DATE '2025-03-27', bucket(16, id) = 3. Names of columns resolve in the schema of the snapshot that "
        "--snapshot,\n"
        "--as-of or a tag chooses, in the current one otherwise.\n"
        "Directories of Parquet files that are no table are planned from their folders' names (year=2025) and footers: "
        "folders whose\n"
        "values cannot match are not opened. Several paths, @LIST and - (a list on standard input) are taken, too.\n"
        "docs/predicates.md lists the SQL that is understood, and what of it prunes.",
    .example = "  lakectl plan sales --where \"order_date >= DATE '2025-03-01' AND amount > 1000\" --explain\n"
               "  lakectl plan sales --where 'id IN (1, 2)' --format paths0 | xargs -0 ls -l\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
