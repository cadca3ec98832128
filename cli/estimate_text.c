/* An estimate for people. Figures: 1,234 is exact, ~1,234 is not, "unknown" is absent. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

static void show(cli_text *t, lake_figure f, int bytes) {
    char b[32];
    if (f.precision == LAKE_ABSENT)
        cli_text_addf(t, "unknown");
    else
        cli_text_addf(t, "%s%s", f.precision == LAKE_EXACT ? "" : "~",
            bytes ? cli_show_size(b, f.value) : cli_show_count(b, f.value));
}

/* "rows  ~1,234 of 9,999 (12.3%), from manifests". */
static void print_line(const char *name, lake_figure f, const lake_figure *all, int bytes, const char *more) {
    cli_text t = {0};
    show(&t, f, bytes);
    if (all) {
        cli_text_addf(&t, " of ");
        show(&t, *all, bytes);
    }
    cli_outf("%-17s %s%s%s%s\n", name, t.ptr, more, f.precision == LAKE_ABSENT ? "" : ", from ",
        f.precision == LAKE_ABSENT ? "" : f.source);
    cli_text_free(&t);
}

static void print_totals(const lake_estimate *e) {
    lake_estimate_totals t;
    char share[64] = "", a[32], b[32];
    lake_estimate_totals_of(e, &t);
    if (t.selectivity_precision != LAKE_ABSENT)
        snprintf(
            share, sizeof share, " (%s%.4g%%)", t.selectivity_precision == LAKE_EXACT ? "" : "~", 100 * t.selectivity);
    print_line("rows", t.rows, &t.total_rows, 0, share);
    if (t.rows.precision != LAKE_EXACT)
        cli_outf("%-17s %s to %s\n", "rows, surely", cli_show_count(a, t.rows_low),
            t.rows_high < 0 ? "any number" : cli_show_count(b, t.rows_high));
    print_line("files to read", t.files, &t.total_files, 0, "");
    print_line("bytes to read", t.bytes, NULL, 1, "");
    print_line("bytes of rows", t.output_bytes, NULL, 1, "");
}

static void figure_cell(cli_table *t, lake_figure f) {
    cli_text c = {0};
    if (f.precision == LAKE_ABSENT)
        cli_text_add(&c, "-", 1);
    else
        show(&c, f, 0);
    cli_table_cell(t, c.ptr, c.len);
    cli_text_free(&c);
}

static void bound_cell(cli_table *t, lake_str json, lake_precision p) {
    cli_text c = {0};
    if (p == LAKE_ABSENT)
        cli_text_add(&c, "-", 1);
    else
        cli_text_add_json_shown(&c, json.ptr, json.len);
    cli_table_cell(t, c.ptr, c.len);
    cli_text_free(&c);
}

static void print_columns(const lake_estimate *e) {
    static const char *const heads[] = {
        "column", "type", "at least", "at most", "nulls", "nans", "ndv", "of all", "by"};
    static const int flags[] = {CLI_SHRINK_MIDDLE, CLI_SHRINK_END, CLI_SHRINK_END, CLI_SHRINK_END, CLI_RIGHT,
        CLI_RIGHT | CLI_OPTIONAL, CLI_RIGHT | CLI_OPTIONAL, CLI_RIGHT | CLI_OPTIONAL, CLI_LEFT | CLI_OPTIONAL};
    lake_estimate_column c;
    if (!lake_estimate_column_count(e))
        return;
    cli_out("\n");
    cli_table *t = cli_table_new(sizeof heads / sizeof *heads, heads, flags);
    for (size_t i = 0; lake_estimate_column_of(e, i, &c); i++) {
        cli_table_cell(t, c.name.ptr, c.name.len);
        cli_table_cell(t, c.type.ptr, c.type.len);
        bound_cell(t, c.lower, c.lower_precision);
        bound_cell(t, c.upper, c.upper_precision);
        figure_cell(t, c.nulls);
        figure_cell(t, c.nans);
        figure_cell(t, c.ndv);
        figure_cell(t, c.table_ndv);
        const char *source = c.table_ndv.precision == LAKE_ABSENT ? "-" : c.table_ndv.source;
        cli_table_cell(t, source, strlen(source));
    }
    cli_table_print(t);
    cli_table_free(t);
}

void cli_estimate_text(const lake_estimate *e) {
    print_totals(e);
    print_columns(e);
}

/* ---------------------------------------------------------------- joins */
static const char *const sides[] = {"left", "right"};

static void json_figure(const char *name, lake_figure f) {
    static const char *const precisions[] = {"absent", "inexact", "exact"};
    cli_outf(",\"%s\":{\"precision\":\"%s\"", name, precisions[f.precision]);
    if (f.precision != LAKE_ABSENT)
        cli_outf(",\"value\":%lld,\"source\":\"%s\"", (long long)f.value, f.source);
    cli_out("}");
}

static lake_status join_json(
    lake_estimate *left, lake_estimate *right, const lake_join *join, int files, lake_error *err) {
    cli_outf("{\"build\":\"%s\",\"build-reason\":\"%s\",\"broadcast\":%s", sides[join->build], join->build_reason,
        join->broadcast ? "true" : "false");
    json_figure("rows", join->rows);
    json_figure("build-rows", join->build_rows);
    json_figure("build-bytes", join->build_bytes);
    cli_out(",\"left\":");
    lake_status status = lake_estimate_write(left, files, &cli_stdout, err);
    cli_out(",\"right\":");
    if (!status)
        status = lake_estimate_write(right, files, &cli_stdout, err);
    cli_out("}\n");
    return status;
}

static const char *how(const lake_join *join) {
    const char *s = join->rows.source;
    return join->rows.precision == LAKE_ABSENT ? ""
        : strcmp(s, "ndv") == 0                ? ", by the keys' distinct values"
        : strcmp(s, "assumed") == 0            ? ", as if keys without known ndv were unique"
        : strcmp(s, "interval") == 0           ? ", since no key of one side is one of the other's"
                                               : ", since a side is empty";
}

lake_status cli_join_print(
    lake_estimate *left, lake_estimate *right, const lake_join *join, int json, int files, lake_error *err) {
    if (json)
        return join_json(left, right, join, files, err);
    cli_out("left\n");
    cli_estimate_text(left);
    cli_out("\nright\n");
    cli_estimate_text(right);
    cli_out("\njoin\n");
    cli_text t = {0};
    show(&t, join->rows, 0);
    cli_outf("%-17s %s%s\n", "rows", t.ptr, how(join));
    t.len = 0;
    show(&t, join->build_bytes, 1);
    cli_text_addf(&t, ", ");
    show(&t, join->build_rows, 0);
    cli_outf("%-17s %s (by %s): %s rows, %s\n", "build side", sides[join->build], join->build_reason, t.ptr,
        join->broadcast ? "small enough to be copied to every worker" : "too large to be copied to every worker");
    cli_text_free(&t);
    return LAKE_OK;
}
