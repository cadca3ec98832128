/* How many rows a plan answers with, from metadata alone: exactly where every kept file matches wholly and its deletes
   are counted, else a range whose both ends hold. */
#include "planner/plan.h"

/* Rows of one file before position and equality deletes that cannot be counted: [low, high]; high -1: unknown. */
typedef struct file_rows {
    int64_t low, high;
    int64_t positions; /* position deletes that its delete files hold, at most; -1: unknown */
    bool uncounted; /* it has deletes that are not counted exactly */
} file_rows;

static file_rows rows_of(const lake_entry *e, bool match_all, plan_delete *const *deletes, size_t n) {
    file_rows r = {.low = match_all && e->record_count > 0 ? e->record_count : 0,
        .high = e->record_count < 0 ? -1 : e->record_count};
    for (size_t i = 0; i < n; i++) {
        const lake_entry *d = &deletes[i]->entry;
        bool counted = d->record_count >= 0 && e->record_count >= d->record_count;
        if (plan_is_vector(d) && counted && r.high >= d->record_count) {
            r.high -= d->record_count;
            r.low -= match_all ? d->record_count : 0;
            continue;
        }
        r.uncounted = true;
        if (plan_is_vector(d) || d->content == LAKE_CONTENT_EQUALITY_DELETES || d->record_count < 0)
            r.positions = -1;
    }
    if (r.low < 0)
        r.low = 0;
    return r;
}

int64_t plan_sure_rows(const lake_entry *e, bool match_all, plan_delete *const *deletes, size_t n) {
    file_rows r = rows_of(e, match_all, deletes, n);
    return r.uncounted ? 0 : r.low;
}

static void add(int64_t *sum, int64_t n) {
    if (*sum < 0 || n < 0 || __builtin_add_overflow(*sum, n, sum))
        *sum = -1;
}

/* Position delete files delete at most as many rows, in all files together, as they have records. */
static int64_t position_records(const lake_plan *plan, const bool *used) {
    int64_t sum = 0;
    for (size_t i = 0; i < plan->nused; i++)
        if (used[i])
            add(&sum, plan->used_deletes[i]->entry.record_count);
    return sum;
}

lake_status lake_plan_row_count(lake_plan *plan, lake_row_count *out, lake_error *err) {
    *out = (lake_row_count){0};
    lake_arena_reset(&plan->scratch);
    bool *used = LAKE_ARENA_ARRAY(&plan->scratch, bool, plan->nused + 1);
    plan_delete **deletes = LAKE_ARENA_ARRAY(&plan->scratch, plan_delete *, plan->nused + 1);
    if (!used || !deletes)
        return lake_fail_memory(err);
    int64_t positioned = 0; /* rows of wholly matching files with only position deletes */
    for (size_t i = 0; i < plan->ntasks; i++) {
        const plan_task *t = plan->tasks[i];
        for (size_t k = 0; k < t->view.ndeletes; k++)
            deletes[k] = plan->used_deletes[t->view.deletes[k]];
        file_rows r = rows_of(&t->entry, t->view.match_all, deletes, t->view.ndeletes);
        add(&out->high, r.high);
        out->partial_files += !t->view.match_all;
        out->unknown_files += t->entry.record_count < 0;
        out->uncounted_files += r.uncounted;
        if (!r.uncounted) {
            if (__builtin_add_overflow(out->low, r.low, &out->low))
                out->low = INT64_MAX;
        } else if (r.positions == 0 && r.low > 0) {
            if (__builtin_add_overflow(positioned, r.low, &positioned))
                positioned = INT64_MAX;
            for (size_t k = 0; k < t->view.ndeletes; k++)
                used[t->view.deletes[k]] = !plan_is_vector(&deletes[k]->entry);
        }
    }
    int64_t lost = position_records(plan, used);
    if (lost >= 0 && positioned > lost && __builtin_add_overflow(out->low, positioned - lost, &out->low))
        out->low = INT64_MAX;
    out->exact = out->low == out->high;
    return LAKE_OK;
}
