/* Row groups of a task, and their counters, in JSON. They are members of the project's own beside those of the REST
 * protocol. */
#include "planner/plan.h"

static void put_pages(const lake_row_group *g, lake_buffer *out) {
    lake_buffer_puts(out, ",\"pages\":[");
    for (size_t i = 0; i < g->npages; i++) {
        const lake_page_bytes *p = &g->pages[i];
        lake_buffer_printf(out, "%s{\"field-id\":%d,\"byte-ranges\":[", i ? "," : "", p->field_id);
        for (size_t k = 0; k < p->nranges; k++)
            lake_buffer_printf(
                out, "%s[%lld,%lld]", k ? "," : "", (long long)p->ranges[k].offset, (long long)p->ranges[k].length);
        lake_buffer_puts(out, "]}");
    }
    lake_buffer_char(out, ']');
}

static void put_group(const lake_row_group *g, lake_buffer *out) {
    lake_buffer_printf(out, "{\"index\":%lld", (long long)g->index);
    if (g->offset >= 0)
        lake_buffer_printf(out, ",\"offset\":%lld,\"length\":%lld", (long long)g->offset, (long long)g->length);
    lake_buffer_printf(out, ",\"first-row\":%lld,\"rows\":%lld,\"match\":\"%s\",\"row-ranges\":[",
        (long long)g->first_row, (long long)g->rows, g->match_all ? "all" : "some");
    for (size_t i = 0; i < g->nranges; i++)
        lake_buffer_printf(
            out, "%s[%lld,%lld]", i ? "," : "", (long long)g->ranges[i].first, (long long)g->ranges[i].rows);
    lake_buffer_char(out, ']');
    if (g->npages)
        put_pages(g, out);
    lake_buffer_char(out, '}');
}

void plan_groups_json(const lake_scan_task *task, lake_buffer *out) {
    if (task->total_row_groups < 0)
        return;
    lake_buffer_printf(out, ",\"total-row-groups\":%lld,\"row-groups\":[", (long long)task->total_row_groups);
    for (size_t i = 0; i < task->nrow_groups; i++) {
        if (i)
            lake_buffer_char(out, ',');
        put_group(&task->row_groups[i], out);
    }
    lake_buffer_char(out, ']');
}

void plan_groups_counters(const lake_plan_counts *c,
    void (*put)(lake_buffer *out, const char *name, const char *unit, int64_t value), lake_buffer *out) {
    put(out, "opened-footers", "count", c->footers);
    put(out, "skipped-data-files-by-footer", "count", c->footer_skipped_files);
    put(out, "total-row-groups", "count", c->total_row_groups);
    put(out, "result-row-groups", "count", c->kept_row_groups);
    put(out, "skipped-row-groups-by-statistics", "count", c->row_groups_by_statistics);
    put(out, "skipped-row-groups-by-bloom-filter", "count", c->row_groups_by_bloom);
    put(out, "skipped-row-groups-by-dictionary", "count", c->row_groups_by_dictionary);
    put(out, "skipped-row-groups-by-pages", "count", c->row_groups_by_pages);
    put(out, "total-pages", "count", c->total_pages);
    put(out, "result-pages", "count", c->kept_pages);
    put(out, "total-page-size-in-bytes", "bytes", c->total_page_bytes);
    put(out, "result-page-size-in-bytes", "bytes", c->kept_page_bytes);
    put(out, "total-row-group-size-in-bytes", "bytes", c->total_group_bytes);
    put(out, "result-row-group-size-in-bytes", "bytes", c->kept_group_bytes);
    put(out, "total-rows-of-row-groups", "count", c->total_group_rows);
    put(out, "result-rows-of-row-groups", "count", c->kept_group_rows);
    put(out, "doubtful-statistics", "count", c->doubtful);
}
