/* How many rows a plan answers with, from metadata alone: exactly where every kept file (or every row group and page
   that is left of it) matches wholly and its deletes are counted, else a range whose both ends hold. */
#include "planner/counted.h"
#include "planner/plan.h"

/* Rows of one file before position and equality deletes that cannot be counted: [low, high]; high -1: unknown. */
typedef struct file_rows {
    int64_t low, high;
    int64_t positions; /* position deletes that its delete files hold, at most; -1: unknown */
    bool uncounted; /* it has deletes that are not counted exactly */
    bool partial; /* some rows that are left may not match */
} file_rows;

/* By the row groups to read, where the footer agrees with the manifest: rows outside their ranges do not match. */
static void narrow(const plan_task *t, file_rows *r) {
    int64_t low = 0, high = 0;
    if (!t->groups.agrees)
        return;
    for (size_t i = 0; i < t->view.nrow_groups; i++) {
        const lake_row_group *g = &t->view.row_groups[i];
        int64_t rows = 0;
        for (size_t k = 0; k < g->nranges; k++)
            rows += g->ranges[k].rows;
        high += rows;
        low += g->match_all ? rows : 0;
    }
    r->low = low > r->low ? low : r->low;
    r->high = r->high < 0 || high < r->high ? high : r->high;
}

/* r: what is known of the rows before deletes. */
static file_rows rows_of(
    file_rows r, const lake_entry *e, bool match_all, const plan_task *t, plan_delete *const *deletes, size_t n) {
    int64_t gone = 0; /* by deletion vectors */
    for (size_t i = 0; i < n; i++) {
        const lake_entry *d = &deletes[i]->entry;
        bool counted = d->record_count >= 0 && e->record_count >= d->record_count;
        if (plan_is_vector(d) && counted && e->record_count - gone >= d->record_count) {
            gone += d->record_count;
            continue;
        }
        r.uncounted = true;
        if (plan_is_vector(d) || d->content == LAKE_CONTENT_EQUALITY_DELETES || d->record_count < 0)
            r.positions = -1;
    }
    int64_t left = e->record_count < 0 ? -1 : e->record_count - gone;
    if (t)
        narrow(t, &r);
    r.partial = r.high < 0 ? !match_all : r.low != r.high;
    r.low = r.low > gone ? r.low - gone : 0; /* those that are deleted may all be among them */
    r.high = left >= 0 && left < r.high ? left : r.high;
    return r;
}

static file_rows all_or_none(const lake_entry *e, bool match_all) {
    return (file_rows){.low = match_all && e->record_count > 0 ? e->record_count : 0,
        .high = e->record_count < 0 ? -1 : e->record_count};
}

int64_t plan_sure_rows(
    const lake_entry *e, bool match_all, const plan_task *task, plan_delete *const *deletes, size_t n) {
    file_rows r = rows_of(all_or_none(e, match_all), e, match_all, task, deletes, n);
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

/* By counts of nulls and NaNs, too. */
static lake_status counted(lake_plan *plan, lake_arena *scratch, const plan_task *t, file_rows *out, lake_error *err) {
    plan_maker *maker;
    int64_t low, high;
    *out = all_or_none(&t->entry, t->view.match_all);
    if (t->view.match_all || t->entry.record_count < 0 || !plan->bound->nterms)
        return LAKE_OK;
    lake_arena_reset(scratch);
    LAKE_TRY(plan_maker_get(plan, &plan->workers[0], t->spec, &maker, err));
    lake_facts *facts = LAKE_ARENA_ARRAY(scratch, lake_facts, plan->bound->nterms + 1);
    if (!facts || !lake_facts_of_entry(maker->maker, &t->entry, false, scratch, facts))
        return lake_fail_memory(err);
    plan_counted_rows(plan->bound, &t->entry, facts, &low, &high);
    out->low = low;
    out->high = high;
    return LAKE_OK;
}

static lake_status count(lake_plan *plan, lake_arena *each, lake_row_count *out, lake_error *err) {
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
        file_rows r;
        LAKE_TRY(counted(plan, each, t, &r, err));
        r = rows_of(r, &t->entry, t->view.match_all, t, deletes, t->view.ndeletes);
        add(&out->high, r.high);
        out->partial_files += r.partial;
        out->unknown_files += r.high < 0;
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

lake_status lake_plan_row_count(lake_plan *plan, lake_row_count *out, lake_error *err) {
    lake_arena each;
    lake_arena_init(&each, 0);
    lake_status s = count(plan, &each, out, err);
    lake_arena_clear(&each);
    return s;
}
