/* Merging: what is about one term becomes one step function, what is constant one outcome set. */
#include "planner/node.h"

lake_node *lake_node_new(lake_binder *b, lake_node_op op) {
    lake_node *n = LAKE_ARENA_NEW(b->arena, lake_node);
    if (n)
        n->op = op;
    return n;
}

static lake_status set_node(lake_binder *b, lake_outcomes set, const lake_node **out) {
    lake_node *n = lake_node_new(b, LAKE_NODE_SET);
    if (!n)
        return lake_fail_memory(b->err);
    n->set = set;
    *out = n;
    return LAKE_OK;
}

static lake_status step_node(lake_binder *b, uint32_t term, const lake_step *step, const lake_node **out) {
    lake_node *n = step ? lake_node_new(b, LAKE_NODE_STEP) : NULL;
    if (!n)
        return lake_fail_memory(b->err);
    n->term = term;
    n->step = step;
    *out = n;
    return LAKE_OK;
}

lake_status lake_fold_map(lake_binder *b, lake_node_op op, const lake_outcomes table[8], lake_outcomes set,
    const lake_node *kid, const lake_node **out) {
    if (kid->op == LAKE_NODE_SET)
        return set_node(b, table[kid->set], out);
    if (kid->op == LAKE_NODE_STEP)
        return step_node(b, kid->term, lake_step_map(b->arena, table, kid->step), out);
    lake_node *n = lake_node_new(b, op);
    const lake_node **kids = LAKE_ARENA_ARRAY(b->arena, const lake_node *, 1);
    if (!n || !kids)
        return lake_fail_memory(b->err);
    kids[0] = kid;
    n->set = set;
    n->kids = kids;
    n->nkids = 1;
    *out = n;
    return LAKE_OK;
}

static const lake_step *as_step(lake_binder *b, const lake_node *n, lake_key_kind kind) {
    return n->op == LAKE_NODE_STEP ? n->step : lake_step_constant(b->arena, kind, n->set, n->set, n->set);
}

lake_status lake_fold_case(
    lake_binder *b, const lake_node *c, const lake_node *then, const lake_node *other, const lake_node **out) {
    const lake_node *all[] = {c, then, other}, *first = NULL;
    *out = NULL;
    for (int i = 0; i < 3; i++) {
        if (all[i]->op == LAKE_NODE_STEP && !first)
            first = all[i];
        if (all[i]->op != LAKE_NODE_SET && (all[i]->op != LAKE_NODE_STEP || all[i]->term != first->term))
            return LAKE_OK;
    }
    if (!first)
        return set_node(b, lake_outcomes_case(c->set, then->set, other->set), out);
    const lake_step *s[3];
    for (int i = 0; i < 3; i++)
        if (!(s[i] = as_step(b, all[i], first->step->kind)))
            return lake_fail_memory(b->err);
    s[1] = lake_step_combine(b->arena, lake_outcomes_when, s[0], s[1]);
    s[2] = lake_step_combine(b->arena, lake_outcomes_unless, s[0], s[2]);
    const lake_step *both = s[1] && s[2] ? lake_step_combine(b->arena, lake_outcomes_union, s[1], s[2]) : NULL;
    return step_node(b, first->term, both, out);
}

/* The steps of one term among the kids, in their place the first of them gets the merged one; the others become NULL.
 */
static lake_status merge_term(lake_binder *b, const lake_outcomes table[8][8], const lake_node **kids,
    const size_t *next, size_t first, size_t count, const lake_step **room) {
    size_t n = 0;
    uint32_t term = kids[first]->term;
    for (size_t i = first; n < count; i = next[i]) {
        room[n++] = kids[i]->step;
        if (i != first)
            kids[i] = NULL;
    }
    return step_node(b, term, lake_step_reduce(b->arena, table, room, n), &kids[first]);
}

lake_status lake_fold_list(lake_binder *b, lake_node_op op, const lake_node **kids, size_t n, const lake_node **out) {
    const lake_outcomes neutral = op == LAKE_NODE_AND ? LAKE_T : LAKE_F;
    const lake_outcomes(*table)[8] = op == LAKE_NODE_AND ? lake_outcomes_and : lake_outcomes_or;
    lake_outcomes constant = neutral;
    size_t *next = LAKE_ARENA_ARRAY(b->arena, size_t, n + 1);
    const lake_step **room = LAKE_ARENA_ARRAY(b->arena, const lake_step *, n + 1);
    while (b->chains_room < b->nterms)
        if (!lake_tree_grow(b->arena, &b->chains, sizeof *b->chains, b->chains_room, &b->chains_room))
            return lake_fail_memory(b->err);
    if (!next || !room)
        return lake_fail_memory(b->err);
    for (size_t i = 0; i < n; i++) {
        if (kids[i]->op == LAKE_NODE_SET) {
            constant = table[constant][kids[i]->set];
            kids[i] = NULL;
        } else if (kids[i]->op == LAKE_NODE_STEP) {
            lake_chain *c = &b->chains[kids[i]->term];
            if (c->count++ == 0)
                c->first = i;
            else
                next[c->last] = i;
            c->last = i;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!kids[i] || kids[i]->op != LAKE_NODE_STEP)
            continue;
        lake_chain *c = &b->chains[kids[i]->term];
        size_t count = c->count;
        c->count = 0;
        if (count > 1)
            LAKE_TRY(merge_term(b, table, kids, next, i, count, room));
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kids[i])
            kids[kept++] = kids[i];
    const lake_outcomes dominant = op == LAKE_NODE_AND ? LAKE_F : LAKE_T;
    if (constant == dominant)
        kept = 0; /* whatever the others are */
    if (constant != neutral && kept && kids[0]->op == LAKE_NODE_STEP) {
        /* Pointwise is tighter: where the step alone decides, the constant does not matter. */
        const lake_step *c = lake_step_constant(b->arena, kids[0]->step->kind, constant, constant, constant);
        c = c ? lake_step_combine(b->arena, table, kids[0]->step, c) : NULL;
        LAKE_TRY(step_node(b, kids[0]->term, c, &kids[0]));
    } else if (constant != neutral || kept == 0) {
        LAKE_TRY(set_node(b, constant, &kids[kept++]));
    }
    if (kept == 1) {
        *out = kids[0];
        return LAKE_OK;
    }
    lake_node *node = lake_node_new(b, op);
    if (!node)
        return lake_fail_memory(b->err);
    node->kids = kids;
    node->nkids = kept;
    *out = node;
    return LAKE_OK;
}
