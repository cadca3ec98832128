/* What a plan answers beyond its list of files: counts of rows, what a limit did. */
#include <string.h>

#include "cli.h"
#include "commands.h"

static void add_reason(cli_text *t, int64_t files, const char *what) {
    char b[32];
    if (files)
        cli_text_addf(
            t, "%s%s %s %s", t->len ? "; " : "", cli_show_count(b, files), files == 1 ? "file" : "files", what);
}

static void count_text(const lake_row_count *n) {
    char a[32], b[32];
    if (n->exact) {
        cli_outf("%s row%s, exactly\n", cli_show_count(a, n->low), n->low == 1 ? "" : "s");
        return;
    }
    cli_text why = {0};
    add_reason(&why, n->partial_files, "not known to match wholly");
    add_reason(&why, n->uncounted_files, "with deletes that are not counted");
    add_reason(&why, n->unknown_files, "without a record count");
    cli_outf("%s to %s rows: %s\n", cli_show_count(a, n->low),
        n->high < 0 ? "an unknown number of" : cli_show_count(b, n->high),
        why.len ? why.ptr : "the metadata say no more");
    cli_text_free(&why);
}

static void count_json(const lake_row_count *n) {
    if (n->exact)
        cli_outf("{\"count\":%lld,", (long long)n->low);
    else
        cli_out("{\"count\":null,");
    cli_outf("\"exact\":%s,\"low\":%lld,\"high\":", n->exact ? "true" : "false", (long long)n->low);
    if (n->high < 0)
        cli_out("null");
    else
        cli_outf("%lld", (long long)n->high);
    cli_outf(",\"files-matching-in-part\":%lld,\"files-with-uncounted-deletes\":%lld,\"files-without-count\":%lld}\n",
        (long long)n->partial_files, (long long)n->uncounted_files, (long long)n->unknown_files);
}

lake_status cli_plan_count(lake_plan *plan, int json, lake_error *err) {
    lake_row_count n;
    lake_status status = lake_plan_row_count(plan, &n, err);
    if (!status)
        (json ? count_json : count_text)(&n);
    return status;
}

void cli_plan_increment(const lake_plan *plan) {
    lake_plan_increment x;
    char a[32];
    if (!lake_plan_increment_of(plan, &x))
        return;
    cli_outf("%-17s %s append snapshot%s after %lld\n", "increment", cli_show_count(a, (int64_t)x.appends),
        x.appends == 1 ? "" : "s", (long long)x.from);
    for (size_t i = 0; i < x.nothers; i++)
        cli_outf("%-17s snapshot %lld: %.*s\n", "not in it", (long long)x.others[i].id, (int)x.others[i].operation.len,
            x.others[i].operation.ptr);
}

void cli_plan_order(const lake_plan *plan) {
    char a[32];
    size_t n = lake_plan_order_groups(plan);
    if (n > 1)
        cli_outf("%-17s %s groups that do not overlap\n", "order", cli_show_count(a, (int64_t)n));
    else if (n)
        cli_outf("%-17s 1 group: its files may all overlap\n", "order");
}

void cli_plan_limit(const lake_plan *plan) {
    lake_plan_limit l;
    char a[32], b[32], c[32];
    if (!lake_plan_limit_of(plan, &l))
        return;
    if (!l.stopped && lake_plan_is_ordered(plan))
        cli_outf("%-17s %s wanted: no file surely comes behind them\n", "limit", cli_show_count(a, l.rows));
    else if (l.stopped)
        cli_outf("%-17s %s wanted, %s certain in these files: the others are not needed\n", "limit",
            cli_show_count(a, l.rows), cli_show_count(b, l.sure));
    else
        cli_outf("%-17s %s wanted, only %s certain: all %s files stay\n", "limit", cli_show_count(a, l.rows),
            cli_show_count(b, l.sure), cli_show_count(c, (int64_t)lake_plan_count(plan)));
}

static void cell(cli_table *t, const char *text) {
    cli_table_cell(t, text, strlen(text));
}

void cli_plan_splits(const lake_plan *plan) {
    static const char *const heads[] = {"task", "weight", "start", "length", "file"};
    static const int flags[] = {CLI_RIGHT, CLI_RIGHT, CLI_RIGHT, CLI_RIGHT, CLI_SHRINK_MIDDLE | CLI_PATH};
    size_t n = lake_plan_split_count(plan);
    if (!n)
        return;
    cli_table *t = cli_table_new(sizeof heads / sizeof *heads, heads, flags);
    for (size_t i = 0; i < n; i++) {
        size_t nsplits;
        int64_t weight;
        const lake_split *splits = lake_plan_splits(plan, i, &nsplits, &weight);
        for (size_t k = 0; k < nsplits; k++) {
            char b[32];
            lake_str path = lake_plan_task(plan, splits[k].task)->path;
            cell(t, k ? "" : cli_show_count(b, (int64_t)i));
            cell(t, k ? "" : cli_show_size(b, weight));
            cell(t, cli_show_count(b, splits[k].start));
            cell(t, cli_show_count(b, splits[k].length));
            cli_table_cell(t, path.ptr, path.len);
        }
    }
    cli_out("\n");
    cli_table_print(t);
    cli_table_free(t);
}
