/* LIMIT: a plan may stop early only on rows that are certain: of files that match wholly and whose deletes are counted
   exactly. Manifests are read by several workers, so one is left out only if those before it in the list are read and
   hold enough: what is planned does not depend on who was faster. */
#include "planner/plan.h"

lake_status plan_limit_begin(lake_plan *plan, lake_error *err) {
    const lake_plan_options *o = &plan->options;
    plan_limit *l = &plan->limit;
    if (!o->has_limit)
        return LAKE_OK;
    if (o->limit < 0 || o->offset < 0)
        return lake_fail(err, LAKE_ERR_USAGE, "a limit and an offset are not negative");
    if (o->limit && __builtin_add_overflow(o->limit, o->offset, &l->need))
        l->need = INT64_MAX;
    return LAKE_OK;
}

lake_status plan_limit_prepare(lake_plan *plan, lake_error *err) {
    plan_limit *l = &plan->limit;
    if (!plan->options.has_limit || plan->order)
        return LAKE_OK;
    l->done = LAKE_ARENA_ARRAY(&plan->arena, bool, plan->nlines + 1);
    return l->done ? LAKE_OK : lake_fail_memory(err);
}

bool plan_limit_reached(lake_plan *plan) {
    plan_limit *l = &plan->limit;
    if (!l->done)
        return false;
    pthread_mutex_lock(plan->lock);
    bool reached = l->sure >= l->need;
    pthread_mutex_unlock(plan->lock);
    return reached;
}

/* Counts the manifests from the first on that have been read. */
static void advance(lake_plan *plan) {
    plan_limit *l = &plan->limit;
    for (; l->next < plan->nlines && l->sure < l->need && (l->done[l->next] || plan->lines[l->next].content != 0);
         l->next++)
        if (__builtin_add_overflow(l->sure, plan->manifests[l->next].sure_rows, &l->sure))
            l->sure = INT64_MAX;
}

void plan_limit_note(lake_plan *plan, size_t manifest) {
    if (!plan->limit.done)
        return;
    pthread_mutex_lock(plan->lock);
    plan->limit.done[manifest] = true;
    advance(plan);
    pthread_mutex_unlock(plan->lock);
}

static lake_status tell_left_out(lake_plan *plan, plan_manifest *m, lake_error *err) {
    plan_decision *d = LAKE_ARENA_NEW(&plan->arena, plan_decision);
    if (!d)
        return lake_fail_memory(err);
    d->view = (lake_decision){.level = 0,
        .path = m->line->path,
        .leaf = LAKE_STR(""),
        .facts = LAKE_STR(""),
        .reason = LAKE_STR("the limit is reached before it")};
    m->decisions = d;
    m->ndecisions = 1;
    return LAKE_OK;
}

lake_status plan_limit_cut(lake_plan *plan, lake_error *err) {
    plan_limit *l = &plan->limit;
    if (!l->done)
        return LAKE_OK;
    advance(plan); /* delete manifests at the end, and need 0 */
    if (l->sure < l->need)
        return LAKE_OK;
    for (size_t i = l->next; i < plan->nlines; i++) {
        plan_manifest *m = &plan->manifests[i];
        if (m->line->content != 0)
            continue;
        *m = (plan_manifest){.line = m->line};
        if (plan->options.explain)
            LAKE_TRY(tell_left_out(plan, m, err));
    }
    return LAKE_OK;
}

void plan_drop_task(plan_task *task, const char *reason) {
    if (!task->decision)
        return;
    task->decision->view.kept = 0;
    task->decision->view.reason = lake_str_of(reason);
}

void plan_recount(lake_plan *plan) {
    lake_plan_counts *c = &plan->counts;
    c->skipped_files_in_scanned += c->kept_files - (int64_t)plan->ntasks;
    c->kept_files = (int64_t)plan->ntasks;
    c->skipped_files = c->total_files < 0 ? -1 : c->total_files - c->kept_files;
    c->kept_rows = c->kept_bytes = c->match_all_files = 0;
    for (size_t i = 0; i < plan->ntasks; i++) {
        const plan_task *t = plan->tasks[i];
        c->kept_rows = lake_total_add(c->kept_rows, t->entry.record_count);
        c->kept_bytes = lake_total_add(c->kept_bytes, t->entry.file_size);
        c->match_all_files += t->view.match_all;
    }
}

void plan_limit_apply(lake_plan *plan) {
    plan_limit *l = &plan->limit;
    int64_t sure = 0;
    size_t kept = 0;
    if (!plan->options.has_limit || plan->order)
        return;
    for (size_t i = 0; i < plan->ntasks; i++)
        if (__builtin_add_overflow(sure, plan->tasks[i]->sure_rows, &sure))
            sure = INT64_MAX;
    l->sure = sure;
    if (sure < l->need)
        return;
    l->stopped = true;
    sure = 0;
    for (size_t i = 0; i < plan->ntasks; i++) {
        plan_task *t = plan->tasks[i];
        if (sure < l->need && t->sure_rows > 0) {
            sure = __builtin_add_overflow(sure, t->sure_rows, &sure) ? INT64_MAX : sure;
            plan->tasks[kept++] = t;
        } else {
            plan_drop_task(t, "other files hold enough rows for the limit");
        }
    }
    plan->ntasks = kept;
    l->sure = sure;
    plan_recount(plan);
}

int lake_plan_limit_of(const lake_plan *plan, lake_plan_limit *out) {
    *out = (lake_plan_limit){.rows = plan->limit.need, .sure = plan->limit.sure, .stopped = plan->limit.stopped};
    return plan->options.has_limit;
}
