/* An estimate's figures, for callers and as JSON. */
#include "planner/estimate.h"

void lake_estimate_totals_of(const lake_estimate *e, lake_estimate_totals *out) {
    *out = e->totals;
}

size_t lake_estimate_file_count(const lake_estimate *e) {
    return e->plan->ntasks;
}

int lake_estimate_file_of(const lake_estimate *e, size_t i, lake_estimate_file *out) {
    if (i >= e->plan->ntasks)
        return 0;
    const plan_task *t = e->plan->tasks[i];
    *out = (lake_estimate_file){t->view.path, e->files[i].rows, t->entry.record_count, e->files[i].share};
    return 1;
}

size_t lake_estimate_column_count(const lake_estimate *e) {
    return e->ncolumns;
}

int lake_estimate_column_of(const lake_estimate *e, size_t i, lake_estimate_column *out) {
    if (i >= e->ncolumns)
        return 0;
    const est_column *c = &e->columns[i];
    *out = (lake_estimate_column){.id = c->field->id,
        .name = c->name,
        .type = c->type,
        .lower_precision = !c->lower.ptr ? LAKE_ABSENT
            : c->lo_exact                ? LAKE_EXACT
                                         : LAKE_INEXACT,
        .upper_precision = !c->upper.ptr ? LAKE_ABSENT
            : c->hi_exact                ? LAKE_EXACT
                                         : LAKE_INEXACT,
        .lower = c->lower,
        .upper = c->upper,
        .bounds_source = c->bounds_source,
        .nulls = c->nulls_left,
        .nans = c->nans_left,
        .ndv = c->ndv_left,
        .table_ndv = c->given.ndv >= 0 ? (lake_figure){LAKE_INEXACT, est_round(c->given.ndv), c->given.ndv_source}
            : c->footer_ndv >= 0       ? (lake_figure){LAKE_INEXACT, est_round(c->footer_ndv), "footers"}
                                       : (lake_figure){LAKE_ABSENT, 0, "none"}};
    return 1;
}

/* ---------------------------------------------------------------- JSON */
static const char *const precisions[] = {"absent", "inexact", "exact"};

static void put_figure(lake_buffer *out, const char *name, lake_figure f) {
    lake_buffer_printf(out, ",\"%s\":{\"precision\":\"%s\"", name, precisions[f.precision]);
    if (f.precision != LAKE_ABSENT)
        lake_buffer_printf(out, ",\"value\":%lld,\"source\":\"%s\"", (long long)f.value, f.source);
    lake_buffer_char(out, '}');
}

static void put_bound(lake_buffer *out, const char *name, lake_precision p, lake_str value, const char *source) {
    lake_buffer_printf(out, ",\"%s\":{\"precision\":\"%s\"", name, precisions[p]);
    if (p != LAKE_ABSENT) {
        lake_buffer_puts(out, ",\"value\":");
        lake_buffer_str(out, value);
        lake_buffer_printf(out, ",\"source\":\"%s\"", source);
    }
    lake_buffer_char(out, '}');
}

static void put_totals(lake_buffer *out, const lake_estimate_totals *t) {
    put_figure(out, "rows", t->rows);
    lake_buffer_printf(out, ",\"rows-at-least\":%lld", (long long)t->rows_low);
    if (t->rows_high >= 0)
        lake_buffer_printf(out, ",\"rows-at-most\":%lld", (long long)t->rows_high);
    put_figure(out, "total-rows", t->total_rows);
    lake_buffer_printf(out, ",\"selectivity\":{\"precision\":\"%s\"", precisions[t->selectivity_precision]);
    if (t->selectivity_precision != LAKE_ABSENT) {
        lake_buffer_puts(out, ",\"value\":");
        lake_double_print(out, t->selectivity, false);
    }
    lake_buffer_char(out, '}');
    put_figure(out, "files", t->files);
    put_figure(out, "total-files", t->total_files);
    put_figure(out, "bytes", t->bytes);
    put_figure(out, "output-bytes", t->output_bytes);
}

static void put_column(lake_buffer *out, const lake_estimate_column *c) {
    lake_buffer_printf(out, "{\"id\":%d,\"name\":", c->id);
    lake_json_quote(out, c->name);
    lake_buffer_puts(out, ",\"type\":");
    lake_json_quote(out, c->type);
    put_bound(out, "lower", c->lower_precision, c->lower, c->bounds_source);
    put_bound(out, "upper", c->upper_precision, c->upper, c->bounds_source);
    put_figure(out, "nulls", c->nulls);
    put_figure(out, "nans", c->nans);
    put_figure(out, "ndv", c->ndv);
    put_figure(out, "table-ndv", c->table_ndv);
    lake_buffer_char(out, '}');
}

static void put_file(lake_buffer *out, const lake_estimate_file *f) {
    lake_buffer_puts(out, "{\"file-path\":");
    lake_json_quote(out, f->path);
    lake_buffer_printf(out, ",\"record-count\":%lld", (long long)f->record_count);
    put_figure(out, "rows", f->rows);
    lake_buffer_puts(out, ",\"selectivity\":");
    lake_double_print(out, f->selectivity, false);
    lake_buffer_char(out, '}');
}

static lake_status flush(lake_buffer *out, const lake_sink *sink, lake_error *err) {
    LAKE_TRY(lake_buffer_check(out, err));
    lake_str view = lake_buffer_view(out);
    lake_buffer_reset(out);
    return view.len ? sink->write(sink->user, view.ptr, view.len, err) : LAKE_OK;
}

static lake_status write_all(lake_estimate *e, int files, lake_buffer *out, const lake_sink *sink, lake_error *err) {
    int64_t snapshot;
    lake_buffer_puts(out, "{\"snapshot-id\":");
    if (lake_plan_snapshot(e->plan, &snapshot))
        lake_buffer_printf(out, "%lld", (long long)snapshot);
    else
        lake_buffer_puts(out, "null");
    put_totals(out, &e->totals);
    lake_buffer_puts(out, ",\"columns\":[");
    lake_estimate_column c;
    for (size_t i = 0; lake_estimate_column_of(e, i, &c); i++) {
        lake_buffer_puts(out, i ? "," : "");
        put_column(out, &c);
    }
    lake_buffer_char(out, ']');
    lake_estimate_file f;
    for (size_t i = 0; files && lake_estimate_file_of(e, i, &f); i++) {
        lake_buffer_puts(out, i ? "," : ",\"data-files\":[");
        put_file(out, &f);
        if (out->len > 1 << 16)
            LAKE_TRY(flush(out, sink, err));
    }
    if (files)
        lake_buffer_puts(out, e->plan->ntasks ? "]" : ",\"data-files\":[]");
    lake_buffer_puts(out, "}\n");
    return flush(out, sink, err);
}

lake_status lake_estimate_write(lake_estimate *e, int files, const lake_sink *sink, lake_error *err) {
    lake_buffer out;
    lake_buffer_init(&out);
    lake_status s = write_all(e, files, &out, sink, err);
    lake_buffer_clear(&out);
    return s;
}
