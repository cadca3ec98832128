/* lakectl audit: what a table's metadata say against what its files hold. */
#include <string.h>

#include "audit_text.h"
#include "commands.h"

typedef struct args {
    cli_snapshot snapshot;
    const char *where, *columns, *format;
    cli_int sample, seed, limit;
    int sensitive, footers, orphans;
} args;

static const cli_option options[] = {
    {"where", 0, CLI_TEXT, offsetof(args, where), "SQL", "only files that a plan with it keeps"},
    {"case-sensitive", 0, CLI_FLAG, offsetof(args, sensitive), NULL, "names in --where are case-sensitive"},
    {"sample", 0, CLI_INT, offsetof(args, sample), "N", "only N files, chosen by a hash of path and seed"},
    {"seed", 0, CLI_INT, offsetof(args, seed), "S", "another sample (default: 0)"},
    {"columns", 0, CLI_TEXT, offsetof(args, columns), "NAME,…",
        "bounds and counts of these only; a.b for nested\nfields, \"a,b\" for a name with a comma"},
    {"footers", 0, CLI_FLAG, offsetof(args, footers), NULL,
        "compare with footers, by the rules for who wrote them;\nreads no data and counts no lost rows"},
    {"orphans", 0, CLI_FLAG, offsetof(args, orphans), NULL,
        "also files below the table's location that no\nmetadata reach (never removed)"},
    CLI_SNAPSHOT_OPTIONS(args, snapshot),
    {"limit", 0, CLI_INT, offsetof(args, limit), "N",
        "text: findings told one by one (default: 100; 0: all);\nkinds are always counted whole"},
    {"format", 0, CLI_CHOICE, offsetof(args, format), "text|json", "text for people (default), or one document"},
    {0},
};

static lake_status check(const args *a, lake_error *err) {
    if (a->sample.given && a->sample.value < 1)
        return cli_fail(err, LAKE_ERR_USAGE, "audit: --sample needs a number of files from 1");
    if (a->seed.given && !a->sample.given)
        return cli_fail(err, LAKE_ERR_USAGE, "audit: --seed needs --sample");
    if (a->limit.given && a->limit.value < 0)
        return cli_fail(err, LAKE_ERR_USAGE, "audit: --limit needs a number of findings from 0");
    if (a->sensitive && !a->where)
        return cli_fail(err, LAKE_ERR_USAGE, "audit: --case-sensitive needs --where");
    return LAKE_OK;
}

/* ---- JSON */

static void put_count(const char *name, int64_t n) {
    cli_outf(",\"%s\":%lld", name, (long long)n);
}

static void put_text(const char *name, const char *text) {
    cli_text t = {0};
    cli_text_add_json(&t, text, strlen(text));
    cli_outf(",\"%s\":", name);
    cli_out_bytes(t.ptr, t.len);
    cli_text_free(&t);
}

static void print_json(const args *a, const lake_table *table, const lake_audit_counts *n, const cli_findings *all) {
    lake_str location = lake_table_location(table);
    cli_text t = {0};
    cli_text_add_json(&t, location.ptr, location.len);
    cli_out("{\"table\":");
    cli_out_bytes(t.ptr, t.len);
    cli_text_free(&t);
    if (n->has_snapshot)
        put_count("snapshot-id", n->snapshot_id);
    if (a->where)
        put_text("where", a->where);
    if (a->sample.given)
        cli_outf(",\"sample\":{\"files\":%lld,\"seed\":%lld}", (long long)a->sample.value, (long long)a->seed.value);
    cli_outf(",\"footers\":%s,\"counts\":{\"manifests\":%lld", a->footers ? "true" : "false", (long long)n->manifests);
    put_count("data-files", n->data_files);
    put_count("delete-files", n->delete_files);
    put_count("chosen-files", n->chosen_files);
    put_count("checked-files", n->checked_files);
    put_count("checked-rows", n->checked_rows);
    put_count("checked-bytes", n->checked_bytes);
    put_count("wrong", n->wrong);
    put_count("losing-rows", n->lossy);
    put_count("loose", n->loose);
    put_count("missing", n->missing);
    put_count("unchecked", n->unchecked);
    if (a->orphans) {
        put_count("orphans", n->orphans);
        put_count("orphan-bytes", n->orphan_bytes);
    }
    put_count("left-out", (int64_t)all->left_out);
    cli_out("},\"findings\":[");
    for (size_t i = 0; i < all->n; i++) {
        cli_out(i ? ",\n" : "\n");
        cli_out(all->items[i].text);
    }
    cli_out("\n]}\n");
}

/* ---- text */

static const char *plural(int64_t n) {
    return n == 1 ? "" : "s";
}

static void print_head(const args *a, const lake_audit_counts *n) {
    char b[4][32];
    if (!n->has_snapshot) {
        cli_out("the table has no snapshot: there is nothing to audit\n");
        return;
    }
    cli_outf("snapshot %lld: %s manifest%s, %s data file%s, %s delete file%s\n", (long long)n->snapshot_id,
        cli_show_count(b[0], n->manifests), plural(n->manifests), cli_show_count(b[1], n->data_files),
        plural(n->data_files), cli_show_count(b[2], n->delete_files), plural(n->delete_files));
    cli_outf("%s %s of %s file%s: %s row%s, ", a->footers ? "read the footers of" : "read",
        cli_show_count(b[0], n->checked_files), cli_show_count(b[1], n->data_files + n->delete_files),
        plural(n->data_files + n->delete_files), cli_show_count(b[2], n->checked_rows), plural(n->checked_rows));
    cli_outf("%s, in %s\n", cli_show_size(b[0], n->checked_bytes), cli_show_ns(b[1], n->elapsed_ns));
    if (a->sample.given && n->chosen_files < n->data_files + n->delete_files)
        cli_outf(
            "a sample (seed %lld): of the other files only the metadata were looked at\n", (long long)a->seed.value);
    else if (a->where && n->chosen_files < n->data_files + n->delete_files)
        cli_out("files that the predicate drops by their recorded metadata were not read\n");
}

static void print_end(const args *a, const lake_audit_counts *n) {
    char b[4][32];
    if (n->wrong)
        cli_outf("%s%s wrong, of which %s lose rows%s", cli_color("\x1b[1;31m"), cli_show_count(b[0], n->wrong),
            cli_show_count(b[1], n->lossy), cli_color("\x1b[0m"));
    else
        cli_out("nothing is wrong");
    cli_outf(", %s loose, %s missing", cli_show_count(b[0], n->loose), cli_show_count(b[1], n->missing));
    if (n->unchecked)
        cli_outf(", %s not checked", cli_show_count(b[2], n->unchecked));
    if (a->orphans)
        cli_outf(", %s orphan%s (%s)", cli_show_count(b[2], n->orphans), plural(n->orphans),
            cli_show_size(b[3], n->orphan_bytes));
    cli_out("\n");
}

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    lake_audit_options o = LAKE_AUDIT_OPTIONS_INIT;
    lake_audit_counts n = {0};
    lake_table *table = NULL;
    cli_list columns = {0};
    cli_findings all = {.json = a->format && strcmp(a->format, "json") == 0};
    lake_status status = check(a, err);
    if (!status)
        status = cli_snapshot_choice(&a->snapshot, &o.snapshot, err);
    if (!status && a->columns)
        status = cli_split_columns(a->columns, &columns, err);
    if (!status)
        status = cli_open_table(c, &table, err);
    if (status)
        return status;
    o.where = c->sql = a->where;
    o.case_sensitive = a->sensitive;
    o.sample = a->sample.value;
    o.seed = (uint64_t)a->seed.value;
    o.footers = a->footers;
    o.orphans = a->orphans;
    o.columns = columns.items;
    o.ncolumns = columns.n;
    o.on_finding = cli_findings_add;
    o.user = &all;
    status = lake_audit_run(table, &o, &n, err);
    cli_progress_clear();
    if (status == LAKE_ERR_USAGE && a->where && err->offset >= 0)
        cli_error_in(err, "", "--where");
    cli_findings_sort(&all);
    if (!status && all.json)
        print_json(a, table, &n, &all);
    if (!status && !all.json) {
        print_head(a, &n);
        cli_findings_print(&all, a->limit.given ? (size_t)a->limit.value : 100);
        if (n.has_snapshot || a->orphans)
            print_end(a, &n);
    }
    if (!status)
        c->answer_is_no = n.wrong > 0;
    cli_findings_free(&all);
    lake_table_close(table);
    return status;
}

const cli_command cli_cmd_audit = {
    .name = "audit",
    .args = "TABLE [OPTIONS]",
    .min_args = 1,
    .max_args = 1,
    .summary = "compare a table's metadata with its files",
    .text =
        "Reads the data and delete files of a snapshot and compares them with what manifests, manifest list and "
        "snapshot "
        "say.\n"
        "Wrong: bounds that exclude a value, counts, sizes, partition values and summaries that differ, missing files, "
        "files\n"
        "listed twice, sequence numbers. What loses rows comes first, with a predicate that loses them and how many it "
        "loses.\n"
        "Loose and missing statistics are counted by kind. Nothing is changed. Exit status 1: something is wrong.",
    .example = "  lakectl audit sales\n"
               "  lakectl audit sales --footers --format json\n"
               "  lakectl audit sales --sample 100 --orphans\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
