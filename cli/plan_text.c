/* A plan for people: the files, why (with --explain), what cannot prune, and what was saved. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

static void cell(cli_table *t, const char *text) {
    cli_table_cell(t, text, strlen(text));
}

static void print_tasks(lake_plan *plan) {
    static const char *const heads[] = {"group", "rows", "size", "match", "deletes", "partition", "file"};
    static const int flags[] = {CLI_RIGHT | CLI_OPTIONAL, CLI_RIGHT, CLI_RIGHT, CLI_LEFT, CLI_RIGHT | CLI_OPTIONAL,
        CLI_SHRINK_END | CLI_OPTIONAL, CLI_SHRINK_MIDDLE | CLI_PATH};
    size_t n = lake_plan_count(plan);
    if (!n)
        return;
    cli_table *t = cli_table_new(sizeof heads / sizeof *heads, heads, flags);
    for (size_t i = 0; i < n; i++) {
        const lake_scan_task *task = lake_plan_task(plan, i);
        char b[32];
        cell(t, lake_plan_is_ordered(plan) ? cli_show_count(b, (int64_t)task->order_group) : "-");
        cell(t, task->record_count < 0 ? "-" : cli_show_count(b, task->record_count));
        cell(t, cli_show_size(b, task->file_size));
        cell(t, task->match_all ? "all" : "some");
        cell(t, task->ndeletes ? cli_show_count(b, (int64_t)task->ndeletes) : "-");
        lake_str partition = task->partition_text;
        cli_table_cell(t, partition.len ? partition.ptr : "-", partition.len ? partition.len : 1);
        cli_table_cell(t, task->path.ptr, task->path.len);
    }
    cli_table_print(t);
    cli_table_free(t);
}

/* Bytes of the folder that all decisions' paths share, of the first path. */
static lake_status shared_folder(lake_plan *plan, size_t n, cli_text *first, lake_error *err) {
    for (size_t i = 0; i < n; i++) {
        lake_decision d;
        lake_status status = lake_plan_decision(plan, i, &d, err);
        if (status)
            return status;
        if (i == 0)
            cli_text_add(first, d.path.ptr, d.path.len);
        size_t same = 0;
        while (same < first->len && same < d.path.len && first->ptr[same] == d.path.ptr[same])
            same++;
        first->len = same;
    }
    while (first->len && first->ptr[first->len - 1] != '/')
        first->len--;
    return LAKE_OK;
}

/* A part of a predicate may be as long as a list of a million values. */
void cli_plan_add_sql(cli_text *t, lake_str sql) {
    enum { MOST = 300, END = 40 };
    size_t head = MOST - END, tail = sql.len - END;
    if (sql.len <= MOST) {
        cli_text_add_shown(t, sql.ptr, sql.len);
        return;
    }
    while ((sql.ptr[head] & 0xc0) == 0x80)
        head--;
    while (tail < sql.len && (sql.ptr[tail] & 0xc0) == 0x80)
        tail++;
    cli_text_add_shown(t, sql.ptr, head);
    cli_text_addf(t, " … ");
    cli_text_add_shown(t, sql.ptr + tail, sql.len - tail);
}

/* Files stand below their manifest; what decided is on a line of its own, since it may be long. */
static void print_decision(const lake_decision *d, size_t cut, int directory) {
    static const char *const levels[] = {"manifest", "file", "delete manifest", "delete file", "row group"};
    int indent = d->level == 4 ? 4 : d->level == 1 || d->level == 3 ? 2 : 0;
    cli_text t = {0};
    cli_text_addf(&t, "%*s%s%s%s %s ", indent, "", cli_color(d->kept ? "\x1b[32m" : "\x1b[2m"),
        d->kept ? "kept" : "dropped", cli_color("\x1b[0m"),
        directory && d->level == 0           ? "folder"
            : d->level >= 0 && d->level <= 4 ? levels[d->level]
                                             : "");
    if (d->level == 4)
        cli_text_addf(&t, "%lld", (long long)d->row_group);
    else
        cli_text_add_shown(&t, d->path.ptr + cut, d->path.len - cut);
    cli_text_addf(&t, "\n%*s    ", indent, "");
    cli_plan_add_sql(&t, d->leaf);
    cli_text_add(&t, ": ", d->leaf.len && d->facts.len ? 2 : 0);
    cli_text_add_shown(&t, d->facts.ptr, d->facts.len);
    cli_text_add(&t, "; ", (d->leaf.len || d->facts.len) && d->reason.len ? 2 : 0);
    cli_text_add_shown(&t, d->reason.ptr, d->reason.len);
    cli_outf("%s\n", t.ptr);
    cli_text_free(&t);
}

static lake_status print_decisions(lake_plan *plan, lake_error *err) {
    size_t n = lake_plan_decision_count(plan);
    lake_plan_listing listing;
    int directory = lake_plan_listing_of(plan, &listing);
    cli_text folder = {0}, shown = {0};
    lake_status status = shared_folder(plan, n, &folder, err);
    if (!status && n && folder.len) {
        cli_text_add_shown(&shown, folder.ptr, folder.len);
        cli_outf("%sin %s\n", lake_plan_count(plan) ? "\n" : "", shown.ptr);
    }
    for (size_t i = 0; i < n && !status; i++) {
        lake_decision d;
        status =
            cli_interrupted() ? cli_fail(err, LAKE_ERR_CANCELLED, "interrupted") : lake_plan_decision(plan, i, &d, err);
        if (!status)
            print_decision(&d, folder.len, directory);
    }
    cli_text_free(&folder);
    cli_text_free(&shown);
    return status;
}

static void print_unused(lake_plan *plan) {
    lake_str sql, reason;
    size_t n = lake_plan_unused(plan, 0, &sql, &reason);
    for (size_t i = 0; i < n; i++) {
        cli_text t = {0};
        lake_plan_unused(plan, i, &sql, &reason);
        cli_plan_add_sql(&t, sql);
        cli_text_add(&t, ": ", 2);
        cli_text_add_shown(&t, reason.ptr, reason.len);
        cli_outf("%scannot prune: %s\n", i == 0 ? "\n" : "", t.ptr);
        cli_text_free(&t);
    }
}

/* "3 of 12 kept". */
static void print_share(const char *name, int64_t kept, int64_t all, const char *more) {
    char a[32], b[32];
    cli_outf("%-17s %s of %s kept%s\n", name, kept < 0 ? "an unknown number" : cli_show_count(a, kept),
        all < 0 ? "an unknown number" : cli_show_count(b, all), more);
}

/* What the footers gave; nothing was opened: nothing. */
static void print_row_groups(const lake_plan_counts *n) {
    static const char *const why[] = {"statistics", "Bloom filters", "dictionaries", "pages"};
    const int64_t by[] = {
        n->row_groups_by_statistics, n->row_groups_by_bloom, n->row_groups_by_dictionary, n->row_groups_by_pages};
    char a[32], b[32];
    cli_text more = {0};
    if (!n->footers)
        return;
    for (int i = 0, k = 0; i < 4; i++)
        if (by[i])
            cli_text_addf(&more, "%s%s by %s", k++ ? ", " : "; dropped: ", cli_show_count(a, by[i]), why[i]);
    print_share("row groups", n->kept_row_groups, n->total_row_groups, more.ptr ? more.ptr : "");
    cli_text_free(&more);
    if (n->total_pages) {
        print_share("pages", n->kept_pages, n->total_pages, " in the row groups kept");
        cli_outf("%-17s %s of %s kept\n", "page bytes", cli_show_size(a, n->kept_page_bytes),
            cli_show_size(b, n->total_page_bytes));
    }
    cli_outf("%-17s %s of %s kept\n", "row group bytes", cli_show_size(a, n->kept_group_bytes),
        cli_show_size(b, n->total_group_bytes));
    print_share("row group rows", n->kept_group_rows, n->total_group_rows, "");
    if (n->doubtful)
        cli_outf("%-17s %s statistics or indexes were not used\n", "doubtful", cli_show_count(a, n->doubtful));
}

static void print_summary(lake_plan *plan, int explain) {
    lake_plan_counts n;
    char a[32], b[32];
    cli_text more = {0};
    lake_plan_counts_of(plan, &n);
    cli_out(lake_plan_count(plan) || lake_plan_decision_count(plan) ? "\n" : "");
    lake_plan_listing listing = {0};
    int directory = lake_plan_listing_of(plan, &listing);
    if (directory)
        print_share("folders", listing.found_folders - listing.pruned_folders, listing.found_folders, "");
    else if (n.total_data_manifests == 0 && n.total_files != 0 && !n.kept_files)
        cli_outf("%-17s none is read: no row can satisfy the predicate\n", "manifests");
    else
        print_share("manifests", n.scanned_data_manifests, n.total_data_manifests, "");
    if (n.total_delete_manifests)
        print_share("delete manifests", n.scanned_delete_manifests, n.total_delete_manifests, "");
    if (explain && n.total_manifest_bytes > 0)
        cli_outf("%-17s %s of %s read\n", "manifest bytes", cli_show_size(a, n.scanned_manifest_bytes),
            cli_show_size(b, n.total_manifest_bytes));
    cli_text_addf(&more, n.kept_files ? ", %s matching wholly" : "", cli_show_count(a, n.match_all_files));
    if (n.footer_skipped_files)
        cli_text_addf(&more, ", %s dropped by their footers", cli_show_count(a, n.footer_skipped_files));
    print_share("files", n.kept_files, n.total_files, more.ptr ? more.ptr : "");
    if (listing.cached_footers)
        cli_outf("%-17s %s read, %s known from the cache\n", "footers", cli_show_count(a, listing.read_footers),
            cli_show_count(b, listing.cached_footers));
    if (n.delete_files)
        cli_outf("%-17s %s to apply\n", "delete files", cli_show_count(a, n.delete_files));
    /* Manifest lists count rows, but not bytes. */
    cli_outf("%-17s %s of %s kept%s\n", "bytes", cli_show_size(a, n.kept_bytes), cli_show_size(b, n.scanned_bytes),
        n.skipped_data_manifests             ? " in the manifests read"
            : directory && n.total_files < 0 ? " in the folders listed"
                                             : "");
    print_share("rows", n.kept_rows, n.total_rows, "");
    print_row_groups(&n);
    cli_plan_increment(plan);
    cli_plan_order(plan);
    cli_plan_limit(plan);
    cli_outf("%-17s in %s\n", "planned", cli_show_ns(a, n.planning_ns));
    cli_text_free(&more);
}

lake_status cli_plan_text(lake_plan *plan, int explain, lake_error *err) {
    print_tasks(plan);
    cli_plan_splits(plan);
    if (explain) {
        lake_status status = print_decisions(plan, err);
        if (status)
            return status;
        cli_plan_leaves(plan);
        print_unused(plan);
    }
    print_summary(plan, explain);
    return LAKE_OK;
}
