/* What a plan answers beyond its list of files: counts of rows, what a limit did. */
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

void cli_plan_limit(const lake_plan *plan) {
    lake_plan_limit l;
    char a[32], b[32], c[32];
    if (!lake_plan_limit_of(plan, &l))
        return;
    if (l.stopped)
        cli_outf("%-17s %s wanted, %s certain in these files: the others are not needed\n", "limit",
            cli_show_count(a, l.rows), cli_show_count(b, l.sure));
    else
        cli_outf("%-17s %s wanted, only %s certain: all %s files stay\n", "limit", cli_show_count(a, l.rows),
            cli_show_count(b, l.sure), cli_show_count(c, (int64_t)lake_plan_count(plan)));
}
