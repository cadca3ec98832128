/* The explanation of a plan in JSON: a decision for each manifest, file and row group, then the leaves. It is written
   as it is made, so that memory does not grow with the table. */
#include "planner/leaves.h"

static void decision_json(const plan_decision *d, const char *what, lake_buffer *out) {
    lake_buffer_char(out, '{');
    if (what)
        lake_buffer_printf(out, "\"decision\":\"%s\",", what);
    lake_buffer_puts(out, "\"path\":");
    lake_json_quote(out, d->view.path);
    if (d->view.level == 4)
        lake_buffer_printf(out, ",\"row-group\":%lld", (long long)d->view.row_group);
    lake_buffer_printf(out, ",\"kept\":%s,\"leaf\":", d->view.kept ? "true" : "false");
    lake_json_quote(out, d->view.leaf);
    lake_buffer_puts(out, ",\"facts\":");
    lake_json_quote(out, d->view.facts);
    lake_buffer_puts(out, ",\"reason\":");
    lake_json_quote(out, d->view.reason);
    lake_buffer_char(out, '}');
}

static lake_status put_level(lake_plan *plan, int level, lake_buffer *out, const lake_sink *sink, lake_error *err) {
    static const char *const names[] = {"manifests", "files", "delete-manifests", "delete-files", "row-groups"};
    size_t n = 0;
    lake_buffer_printf(out, "\"%s\":[", level == 0 && plan->listing ? "folders" : names[level]);
    for (size_t i = 0; i < plan->ndecisions; i++) {
        if (plan->decisions[i]->view.level != level)
            continue;
        if (n++)
            lake_buffer_char(out, ',');
        decision_json(plan->decisions[i], NULL, out);
        LAKE_TRY(plan_flush(out, PLAN_FLUSH, sink, err));
    }
    lake_buffer_puts(out, "],");
    return LAKE_OK;
}

static lake_status put_leaves(lake_plan *plan, lake_buffer *out, const lake_sink *sink, lake_error *err) {
    lake_buffer_puts(out, "\"unused\":[");
    for (size_t i = 0; i < plan->bound->nnotes; i++) {
        lake_buffer_puts(out, i ? ",{\"leaf\":" : "{\"leaf\":");
        lake_json_quote(out, plan->bound->notes[i].sql);
        lake_buffer_puts(out, ",\"reason\":");
        lake_json_quote(out, plan->bound->notes[i].reason);
        lake_buffer_char(out, '}');
        LAKE_TRY(plan_flush(out, PLAN_FLUSH, sink, err));
    }
    lake_buffer_char(out, ']');
    plan_leaves_json(plan, out);
    lake_buffer_char(out, '}');
    return LAKE_OK;
}

lake_status plan_explain_json(lake_plan *plan, lake_buffer *out, const lake_sink *sink, lake_error *err) {
    lake_buffer_puts(out, ",\"explain\":{");
    for (int level = 0; level < (plan->options.row_groups ? 5 : 4); level++)
        LAKE_TRY(put_level(plan, level, out, sink, err));
    return put_leaves(plan, out, sink, err);
}

lake_status plan_explain_lines(lake_plan *plan, lake_buffer *out, const lake_sink *sink, lake_error *err) {
    static const char *const names[] = {"manifest", "file", "delete-manifest", "delete-file", "row-group"};
    for (size_t i = 0; i < plan->ndecisions; i++) {
        int level = plan->decisions[i]->view.level;
        decision_json(plan->decisions[i], level == 0 && plan->listing ? "folder" : names[level], out);
        lake_buffer_char(out, '\n');
        LAKE_TRY(plan_flush(out, PLAN_FLUSH, sink, err));
    }
    lake_buffer_char(out, '{');
    LAKE_TRY(put_leaves(plan, out, sink, err));
    lake_buffer_char(out, '\n');
    return LAKE_OK;
}
