/* Plans that are narrowed while they are handed out: dynamic filters of joins and of top-N queries. A further predicate
   is bound once; each file that has not been handed out yet is tested against it when its turn comes. The plan's own
   predicate is not evaluated again. */
#include "planner/members.h"
#include "planner/plan.h"

typedef struct spec_maker {
    const lake_spec *spec;
    lake_fact_maker *maker;
    struct spec_maker *next;
} spec_maker;

struct plan_narrowing {
    lake_arena arena; /* all that belongs to it */
    lake_str text; /* its SQL; ptr NULL: it has values */
    lake_bound *bound;
    lake_facts *facts;
    spec_maker *makers;
    bool merged; /* into a newer one, which may still use its memory */
    plan_narrowing *next;
};

void plan_narrow_clear(lake_plan *plan) {
    while (plan->narrowings) {
        plan_narrowing *n = plan->narrowings;
        plan->narrowings = n->next;
        lake_arena_clear(&n->arena);
        lake_mem_free(n);
    }
}

static const lake_step *only_step(const plan_narrowing *n) {
    return n->bound->nterms == 1 && n->bound->root->op == LAKE_NODE_STEP ? n->bound->root->step : NULL;
}

/* Thresholds come one after the other, on one column: they stay one step function. */
static lake_status merge(lake_plan *plan, plan_narrowing *n, lake_error *err) {
    const lake_step *mine = only_step(n);
    for (plan_narrowing *old = plan->narrowings; mine && old; old = old->next) {
        const lake_step *step = old->merged ? NULL : only_step(old);
        if (!step || old->bound->terms[0].field != n->bound->terms[0].field ||
            old->bound->terms[0].is_bucket != n->bound->terms[0].is_bucket || n->bound->terms[0].is_bucket)
            continue;
        lake_node *root = LAKE_ARENA_NEW(&n->arena, lake_node);
        const lake_step *both = lake_step_combine(&n->arena, lake_outcomes_and, step, mine);
        if (!root || !both)
            return lake_fail_memory(err);
        *root = *n->bound->root;
        root->step = both;
        n->bound->root = root;
        old->merged = true;
        return LAKE_OK;
    }
    return LAKE_OK;
}

static lake_status tree_of(lake_plan *plan, plan_narrowing *n, const char *where, const lake_plan_values *in,
    size_t nin, const lake_bind_options *options, const lake_tree **out, lake_error *err) {
    const lake_tree **all = LAKE_ARENA_ARRAY(&n->arena, const lake_tree *, nin + 1);
    size_t count = 0;
    if (!all)
        return lake_fail_memory(err);
    if (where) {
        lake_str text = lake_arena_str(&n->arena, where, strlen(where));
        if (!text.ptr)
            return lake_fail_memory(err);
        if (!nin)
            n->text = text;
        LAKE_TRY(lake_tree_from_sql(&n->arena, text, &all[count++], err));
    }
    for (size_t i = 0; i < nin; i++)
        LAKE_TRY(lake_members_tree(&n->arena, &in[i], plan->planning.schema, options, &all[count++], err));
    if (!count)
        return lake_fail(err, LAKE_ERR_USAGE, "narrow by a WHERE text or by values");
    *out = count == 1 ? all[0] : lake_tree_list(&n->arena, LAKE_TREE_AND, all, count);
    return *out ? LAKE_OK : lake_fail_memory(err);
}

static lake_status prepare(
    lake_plan *plan, plan_narrowing *n, const char *where, const lake_plan_values *in, size_t nin, lake_error *err) {
    lake_bind_options options = plan_bind_options(plan);
    const lake_tree *tree = NULL;
    LAKE_TRY(tree_of(plan, n, where, in, nin, &options, &tree, err));
    LAKE_TRY(lake_bind(&n->arena, tree, plan->planning.schema, &options, &n->bound, err));
    n->facts = LAKE_ARENA_ARRAY(&n->arena, lake_facts, n->bound->nterms + 1);
    return n->facts ? merge(plan, n, err) : lake_fail_memory(err);
}

lake_status lake_plan_narrow(
    lake_plan *plan, const char *where, const lake_plan_values *in, size_t nin, lake_error *err) {
    if (!plan->options.narrowable)
        return lake_fail(err, LAKE_ERR_USAGE, "the plan was not opened as narrowable");
    if (plan->options.has_limit)
        return lake_fail(err, LAKE_ERR_USAGE, "a plan with a limit cannot be narrowed: the rows it counts on might go");
    for (plan_narrowing *n = plan->narrowings; where && !nin && n; n = n->next)
        if (n->text.ptr && lake_str_is(n->text, where))
            return LAKE_OK; /* said before */
    plan_narrowing *n = lake_mem_zalloc(1, sizeof *n);
    if (!n)
        return lake_fail_memory(err);
    lake_arena_init(&n->arena, 0);
    lake_status s = prepare(plan, n, where, in, nin, err);
    if (s != LAKE_OK) {
        lake_arena_clear(&n->arena);
        lake_mem_free(n);
        return s;
    }
    n->next = plan->narrowings;
    plan->narrowings = n;
    return LAKE_OK;
}

static lake_status maker_of(
    lake_plan *plan, plan_narrowing *n, const lake_spec *spec, lake_fact_maker **out, lake_error *err) {
    for (spec_maker *m = n->makers; m; m = m->next)
        if (m->spec == spec) {
            *out = m->maker;
            return LAKE_OK;
        }
    spec_maker *m = LAKE_ARENA_NEW(&n->arena, spec_maker);
    if (!m)
        return lake_fail_memory(err);
    m->spec = spec;
    LAKE_TRY(lake_fact_maker_new(&n->arena, &plan->planning, n->bound->terms, n->bound->nterms, spec, &m->maker, err));
    m->next = n->makers;
    n->makers = m;
    *out = m->maker;
    return LAKE_OK;
}

static lake_status may_match(lake_plan *plan, const plan_task *task, bool *out, lake_error *err) {
    lake_entry view = task->entry;
    view.columns = task->all_columns;
    view.ncolumns = task->nall_columns;
    *out = true;
    for (plan_narrowing *n = plan->narrowings; n && *out; n = n->next) {
        lake_fact_maker *maker;
        if (n->merged)
            continue;
        LAKE_TRY(maker_of(plan, n, task->spec, &maker, err));
        lake_arena_reset(&plan->scratch);
        if (!lake_facts_of_entry(maker, &view, false, &plan->scratch, n->facts))
            return lake_fail_memory(err);
        *out = (lake_bound_evaluate(n->bound, n->facts) & LAKE_T) != 0;
    }
    return LAKE_OK;
}

lake_status lake_plan_next(lake_plan *plan, size_t *index, const lake_scan_task **out, lake_error *err) {
    *out = NULL;
    while (plan->cursor < plan->ntasks) {
        bool keep;
        LAKE_TRY(may_match(plan, plan->tasks[plan->cursor], &keep, err));
        size_t at = plan->cursor++;
        if (!keep) {
            plan->narrowed++;
            continue;
        }
        if (index)
            *index = at;
        *out = lake_plan_task(plan, at);
        return LAKE_OK;
    }
    return LAKE_OK;
}

size_t lake_plan_narrowed(const lake_plan *plan) {
    return plan->narrowed;
}
