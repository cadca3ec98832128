/* --explain for people: what each leaf of the predicate drops alone, and why it keeps the rest. */
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "lake/explain.h"

static void reason(cli_text *t, int64_t n, const char *one, const char *many, int *first) {
    char b[32];
    if (!n)
        return;
    cli_text_addf(t, "%s%s %s", *first ? "; keeps " : ", ", cli_show_count(b, n), n == 1 ? one : many);
    *first = 0;
}

static void pruned(cli_text *t, int64_t n, const char *by, int *first) {
    char b[32];
    if (n)
        cli_text_addf(t, "%s%s by %s", *first ? "" : ", ", cli_show_count(b, n), by);
    *first &= !n;
}

static void print_groups(const lake_plan_leaf *l) {
    char a[32], b[32];
    int first = 1;
    cli_text t = {0};
    if (!l->row_groups)
        return;
    cli_text_addf(&t, "of %s row group%s it drops ", cli_show_count(a, l->row_groups), l->row_groups == 1 ? "" : "s");
    pruned(&t, l->row_groups_by_statistics, "statistics", &first);
    pruned(&t, l->row_groups_by_bloom, "Bloom filters", &first);
    pruned(&t, l->row_groups_by_dictionary, "dictionaries", &first);
    pruned(&t, l->row_groups_by_pages, "pages", &first);
    cli_text_add(&t, "none", first ? 4 : 0);
    if (l->group_rows_by_pages)
        cli_text_addf(&t, "; %s of %s rows by pages", cli_show_count(a, l->group_rows_by_pages),
            cli_show_count(b, l->group_rows));
    first = 1;
    reason(&t, l->row_groups_whole, "that matches wholly", "that match wholly", &first);
    reason(&t, l->row_groups_no_statistics, "without statistics", "without statistics", &first);
    reason(&t, l->row_groups_not_evaluated, "whose footer says nothing that could be used",
        "whose footers say nothing that could be used", &first);
    reason(&t, l->row_groups_overlapping, "that overlaps", "that overlap", &first);
    cli_outf("    %s\n", t.ptr);
    cli_text_free(&t);
}

static void print_leaf(const lake_plan_leaf *l) {
    char a[32], b[32], c[32], d[32];
    int first = 1;
    cli_text t = {0};
    cli_plan_add_sql(&t, l->sql);
    cli_text_addf(&t, ": drops %s of %s manifests and %s of %s files", cli_show_count(a, l->manifests_pruned),
        cli_show_count(b, l->manifests), cli_show_count(c, l->files_pruned), cli_show_count(d, l->files));
    reason(&t, l->manifests_unpartitioned, "manifest without a partition field for it",
        "manifests without a partition field for it", &first);
    reason(&t, l->manifests_unevaluated, "manifest whose partition spec is lost",
        "manifests whose partition spec is lost", &first);
    reason(&t, l->manifests_overlapping, "manifest that overlaps", "manifests that overlap", &first);
    reason(&t, l->files_whole, "file that matches wholly", "files that match wholly", &first);
    reason(&t, l->files_no_bounds, "file without bounds", "files without bounds", &first);
    reason(&t, l->files_beyond_limit, "file without bounds, as the column is beyond the metrics limit",
        "files without bounds, as the column is beyond the metrics limit", &first);
    reason(&t, l->files_no_counts, "file without counts", "files without counts", &first);
    reason(&t, l->files_truncated, "file with a truncated bound", "files with truncated bounds", &first);
    reason(&t, l->files_overlapping, "file that overlaps", "files that overlap", &first);
    cli_outf("  %s\n", t.ptr);
    cli_text_free(&t);
    print_groups(l);
}

void cli_plan_leaves(const lake_plan *plan) {
    lake_plan_leaf l;
    size_t n = lake_plan_leaf_count(plan), shown = 0;
    for (size_t i = 0; i < n; i++)
        if (lake_plan_leaf_of(plan, i, &l) && l.manifests && !l.opaque.len) /* those that cannot prune are told apart */
        {
            if (shown++ == 0)
                cli_out("\neach part of the predicate alone\n");
            print_leaf(&l);
        }
}
