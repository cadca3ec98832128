/* Tree -> nodes: once leaf by leaf (detail), once merged (root). The walk is over a tree whose depth the parsers
 * limited. */
#include "planner/node.h"

typedef struct pair {
    const lake_node *merged, *detail;
} pair;

static lake_status bind(lake_binder *b, const lake_tree *t, pair *out);

static lake_status detail_node(
    lake_binder *b, lake_node_op op, lake_outcomes set, const lake_node **kids, size_t n, const lake_node **out) {
    lake_node *d = lake_node_new(b, op);
    if (!d)
        return lake_fail_memory(b->err);
    d->set = set;
    d->kids = kids;
    d->nkids = n;
    *out = d;
    return LAKE_OK;
}

static lake_status bind_list(lake_binder *b, const lake_tree *t, pair *out) {
    lake_node_op op = t->op == LAKE_TREE_AND ? LAKE_NODE_AND : LAKE_NODE_OR;
    const lake_node **detail = LAKE_ARENA_ARRAY(b->arena, const lake_node *, t->nkids), **merged = NULL;
    size_t n = 0, room = 0;
    if (!detail)
        return lake_fail_memory(b->err);
    for (size_t i = 0; i < t->nkids; i++) {
        pair kid;
        LAKE_TRY(bind(b, t->kids[i], &kid));
        detail[i] = kid.detail;
        bool same = kid.merged->op == op; /* AND within AND: one list */
        size_t more = same ? kid.merged->nkids : 1;
        for (size_t k = 0; k < more; k++) {
            if (!lake_tree_grow(
                    b->arena, &merged, sizeof *merged, n + 1, &room)) /* one place more: fold may add a constant */
                return lake_fail_memory(b->err);
            merged[n++] = same ? kid.merged->kids[k] : kid.merged;
        }
    }
    LAKE_TRY(detail_node(b, op, 0, detail, t->nkids, &out->detail));
    ((lake_node *)(uintptr_t)out->detail)->sql = t->sql;
    return lake_fold_list(b, op, merged, n, &out->merged);
}

/* Arms from the last to the first: as long as they are about one term they are folded into one step function. */
static lake_status bind_case(lake_binder *b, const lake_tree *t, pair *out) {
    const lake_node **detail = LAKE_ARENA_ARRAY(b->arena, const lake_node *, t->nkids);
    const lake_node **merged = LAKE_ARENA_ARRAY(b->arena, const lake_node *, t->nkids);
    if (!detail || !merged)
        return lake_fail_memory(b->err);
    size_t last = t->nkids - 1, at = last;
    for (size_t i = 0; i < t->nkids; i++) {
        pair kid;
        LAKE_TRY(bind(b, t->kids[i], &kid));
        detail[i] = kid.detail;
        merged[i] = kid.merged;
    }
    for (size_t i = last; i >= 2; i -= 2) {
        const lake_node *folded = NULL, *condition = merged[i - 2], *result = merged[i - 1];
        if (at == last)
            LAKE_TRY(lake_fold_case(b, condition, result, merged[last], &folded));
        if (folded) {
            merged[last] = folded;
        } else {
            merged[--at] = result;
            merged[--at] = condition;
        }
    }
    bool meets;
    LAKE_TRY(lake_choice_meets(b, t, &meets));
    if (!meets) {
        lake_node *node;
        lake_leaf *leaf = LAKE_ARENA_NEW(b->arena, lake_leaf);
        if (!leaf)
            return lake_fail_memory(b->err);
        LAKE_TRY(lake_bind_opaque(b, t, leaf, LAKE_STR("a choice among values of several types"), &node));
        out->merged = out->detail = node;
        return LAKE_OK;
    }
    LAKE_TRY(detail_node(b, LAKE_NODE_CASE, 0, detail, t->nkids, &out->detail));
    ((lake_node *)(uintptr_t)out->detail)->sql = t->sql;
    if (at == last) {
        out->merged = merged[last];
        return LAKE_OK;
    }
    return detail_node(b, LAKE_NODE_CASE, 0, merged + at, t->nkids - at, &out->merged);
}

static lake_status bind_map(lake_binder *b, const lake_tree *t, pair *out) {
    lake_outcomes table[8];
    lake_node_op op = t->op == LAKE_TREE_NOT ? LAKE_NODE_NOT : LAKE_NODE_IS;
    pair kid;
    for (int x = 0; x < 8; x++)
        table[x] =
            op == LAKE_NODE_NOT ? lake_outcomes_not((lake_outcomes)x) : lake_outcomes_is((lake_outcomes)x, t->set);
    LAKE_TRY(bind(b, t->kids[0], &kid));
    const lake_node **kids = LAKE_ARENA_ARRAY(b->arena, const lake_node *, 1);
    if (!kids)
        return lake_fail_memory(b->err);
    kids[0] = kid.detail;
    LAKE_TRY(detail_node(b, op, t->set, kids, 1, &out->detail));
    return lake_fold_map(b, op, table, t->set, kid.merged, &out->merged);
}

static lake_status bind(lake_binder *b, const lake_tree *t, pair *out) {
    switch (t->op) {
    case LAKE_TREE_AND:
    case LAKE_TREE_OR: return bind_list(b, t, out);
    case LAKE_TREE_CASE: return bind_case(b, t, out);
    case LAKE_TREE_NOT:
    case LAKE_TREE_IS: return bind_map(b, t, out);
    default: {
        lake_node *leaf;
        LAKE_TRY(lake_bind_leaf(b, t, &leaf));
        out->merged = out->detail = leaf;
        return LAKE_OK;
    }
    }
}

lake_status lake_bind(lake_arena *arena, const lake_tree *tree, const lake_schema *schema,
    const lake_bind_options *options, lake_bound **out, lake_error *err) {
    static const lake_bind_options none;
    lake_binder b = {
        .arena = arena, .schema = schema, .options = options ? options : &none, .err = err, .calendar_cuts = 2000000};
    pair top;
    LAKE_TRY(bind(&b, tree, &top));
    lake_bound *bound = LAKE_ARENA_NEW(arena, lake_bound);
    if (!bound)
        return lake_fail_memory(err);
    *bound = (lake_bound){.terms = b.terms,
        .nterms = b.nterms,
        .notes = b.notes,
        .nnotes = b.nnotes,
        .root = top.merged,
        .detail = top.detail,
        .two_valued = b.options->two_valued};
    if (top.merged->op == LAKE_NODE_SET)
        bound->constant = top.merged->set;
    *out = bound;
    return LAKE_OK;
}
