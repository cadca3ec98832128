/* A predicate that no row can satisfy, whatever the files hold: a contradiction, a value beyond a column's type, a null
   test of a required column. It needs no manifest; the counts are then those of the snapshot's summary. */
#include "planner/plan.h"

/* -1: the summary does not say, or not as a count. */
static int64_t total(const lake_snapshot *snapshot, const char *name) {
    const lake_json *v = snapshot->summary ? lake_json_get(snapshot->summary, name) : NULL;
    int64_t n = 0;
    if (!v || v->text.len == 0)
        return -1;
    for (size_t i = 0; i < v->text.len; i++) {
        char c = v->text.ptr[i];
        if (c < '0' || c > '9' || __builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, c - '0', &n))
            return -1;
    }
    return n;
}

/* The one decision of such a plan, about the whole manifest list. */
static lake_status tell(lake_plan *plan, const lake_facts *facts, lake_error *err) {
    plan_decision *d = LAKE_ARENA_NEW(&plan->arena, plan_decision);
    plan->decisions = LAKE_ARENA_ARRAY(&plan->arena, plan_decision *, 1);
    if (!d || !plan->decisions)
        return lake_fail_memory(err);
    lake_buffer_reset(&plan->json);
    lake_buffer_reset(&plan->sql);
    lake_bound_explain(plan->bound, facts, &plan->json, &plan->sql);
    lake_str leaf = lake_buffer_view(&plan->json), seen = lake_buffer_view(&plan->sql),
             path = plan->planning.snapshot->manifest_list;
    d->view = (lake_decision){.level = 0,
        .path = path.ptr ? path : LAKE_STR(""),
        .leaf = lake_arena_str(&plan->arena, leaf.ptr, leaf.len),
        .facts = lake_arena_str(&plan->arena, seen.ptr, seen.len),
        .reason = LAKE_STR("no row can satisfy the predicate, whatever the files hold")};
    if (plan->json.failed || plan->sql.failed || !d->view.leaf.ptr || !d->view.facts.ptr)
        return lake_fail_memory(err);
    plan->decisions[0] = d;
    plan->ndecisions = 1;
    return LAKE_OK;
}

lake_status plan_never(lake_plan *plan, bool *never, lake_error *err) {
    const lake_bound *bound = plan->bound;
    lake_fact_maker *maker;
    lake_facts *facts = plan->workers[0].facts;
    LAKE_TRY(lake_fact_maker_new(&plan->arena, &plan->planning, bound->terms, bound->nterms, NULL, &maker, err));
    if (!lake_facts_of_manifest(maker, NULL, &plan->scratch, facts))
        return lake_fail_memory(err);
    *never = !(lake_bound_evaluate(bound, facts) & LAKE_T);
    if (!*never)
        return LAKE_OK;
    plan->counts.total_files = plan->counts.skipped_files = total(plan->planning.snapshot, "total-data-files");
    plan->counts.total_rows = total(plan->planning.snapshot, "total-records");
    return plan->options.explain ? tell(plan, facts, err) : LAKE_OK;
}
