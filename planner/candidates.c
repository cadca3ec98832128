/* Which entries of a cached manifest may match, from the columns of the predicate alone, before anything else of its
   image is touched. An entry that is left out here is left out by planner/facts.c, too: only metrics that it would
   believe count, on columns on which nothing else speaks; whatever is doubtful may match. */
#include "planner/cached.h"
#include "planner/fact_maker.h"
#include "planner/node.h"

/* The terms that columns of an image can decide: for each, its place among the ids that are opened. */
static lake_status prepare(lake_plan *plan, plan_worker *w, plan_maker *maker, lake_error *err) {
    const lake_fact_maker *facts = maker->maker;
    maker->fast = LAKE_ARENA_ARRAY(&w->arena, plan_fast, plan->bound->nterms + 1);
    maker->fast_ids = LAKE_ARENA_ARRAY(&w->arena, int32_t, plan->bound->nterms + 1);
    if (!maker->fast || !maker->fast_ids)
        return lake_fail_memory(err);
    for (size_t i = 0; i < facts->nitems; i++) {
        const lake_fact_item *item = &facts->items[i];
        lake_zone_order order = lake_zone_order_of(&item->field->type);
        if (item->term < 0 || item->bucket || item->is_struct || item->nuses || item->field->inside_list ||
            item->kind == LAKE_KEY_NONE || order == LAKE_ZONE_NONE)
            continue;
        maker->fast[item->term] = (plan_fast){item, maker->nfast};
        maker->fast_ids[maker->nfast++] = item->field->id;
    }
    return LAKE_OK;
}

bool plan_bound_key(const lake_field *field, lake_bytes b, lake_key *out) {
    bool moment = field->type.id == LAKE_TIMESTAMP || field->type.id == LAKE_TIMESTAMP_NS;
    if (moment && b.len != 8)
        return false; /* of a date: it may lie outside the type */
    return lake_value_from_binary(&field->type, b, out) == LAKE_BOUND_KEY;
}

typedef struct look {
    const plan_maker *maker;
    const lake_image *image;
    size_t entry;
} look;

/* What a step may give on an entry. */
static lake_outcomes step_may(const look *l, const lake_node *node) {
    const plan_fast *fast = &l->maker->fast[node->term];
    const lake_step *step = node->step;
    lake_column_metrics m;
    lake_key lo, hi;
    if (!fast->item)
        return LAKE_ANY;
    lake_image_metrics(l->image, fast->column, l->entry, &m);
    const lake_field *field = fast->item->field;
    bool floating = step->kind == LAKE_KEY_FLOAT, no_nulls = (m.has & LAKE_METRIC_NULLS) && m.nulls == 0;
    bool no_nans = !floating || ((m.has & LAKE_METRIC_NANS) && m.nans == 0);
    if (((m.has & LAKE_METRIC_VALUES) && m.values == 0) || (!no_nulls && !no_nans) ||
        !plan_bound_key(field, m.lower, &lo) || !plan_bound_key(field, m.upper, &hi) ||
        lake_key_cmp(step->kind, lo, hi) > 0)
        return LAKE_ANY;
    lake_outcomes out = (lake_outcomes)((no_nulls && !field->parent ? 0 : step->null) | (no_nans ? 0 : step->nan));
    size_t last = lake_step_segment(step, hi);
    for (size_t k = lake_step_segment(step, lo); k <= last && out != LAKE_ANY; k++)
        out |= step->outs[k];
    return out;
}

static lake_outcomes node_may(const look *l, const lake_node *n) {
    switch (n->op) {
    case LAKE_NODE_SET: return n->set;
    case LAKE_NODE_STEP: return step_may(l, n);
    case LAKE_NODE_NOT: return lake_outcomes_not(node_may(l, n->kids[0]));
    case LAKE_NODE_AND:
    case LAKE_NODE_OR: {
        bool and = n->op == LAKE_NODE_AND;
        lake_outcomes stop = and? LAKE_F : LAKE_T, out = and? LAKE_T : LAKE_F;
        for (size_t i = 0; i < n->nkids && out != stop; i++) {
            lake_outcomes kid = node_may(l, n->kids[i]);
            out = and? lake_outcomes_and[out][kid] : lake_outcomes_or[out][kid];
        }
        return out;
    }
    default: return LAKE_ANY;
    }
}

/* A step over one column of longs alone, by its cuts as longs: the common case, for all entries in a loop. False: it is
   not that. */
enum { MOST_CUTS = 8 };
static bool longs_may(const look *l, const lake_node *node, size_t n, uint8_t *may) {
    const plan_fast *fast = node->op == LAKE_NODE_STEP ? &l->maker->fast[node->term] : NULL;
    const lake_step *step = fast && fast->item ? node->step : NULL;
    const uint8_t *lower, *upper;
    int64_t cuts[MOST_CUTS];
    if (!step || step->kind != LAKE_KEY_INT || step->ncuts > MOST_CUTS || fast->item->field->parent ||
        fast->item->field->type.id == LAKE_INT || fast->item->field->type.id == LAKE_DATE ||
        !lake_image_longs(l->image, fast->column, &lower, &upper))
        return false;
    for (size_t k = 0; k < step->ncuts; k++) {
        cuts[k] = (int64_t)step->cuts[k].i;
        if (cuts[k] != step->cuts[k].i)
            return false;
    }
    for (size_t i = 0; i < n; i++) {
        int64_t lo = (int64_t)lake_get_le64(lower + 8 * i), hi = (int64_t)lake_get_le64(upper + 8 * i);
        unsigned first = 0, last = 0;
        for (size_t k = 0; k < step->ncuts; k++) {
            first += cuts[k] <= lo;
            last += cuts[k] <= hi;
        }
        lake_outcomes out = lo > hi ? LAKE_ANY : 0;
        for (unsigned k = first; k <= last; k++)
            out |= step->outs[k];
        may[i] = out & LAKE_T;
    }
    return true;
}

/* The columns of an image, read into a buffer at their places; the rest of it is not there. ptr NULL: it cannot be. */
static lake_bytes read_columns(plan_worker *w, const plan_maker *maker, const lake_manifest_found *found) {
    enum { GUESS = 1024 };
    lake_bytes whole = lake_pack_value(found->pack, found->record);
    uint64_t begin, end;
    lake_buffer_reset(&w->image);
    if (!lake_buffer_reserve(&w->image, whole.len))
        return (lake_bytes){0};
    uint8_t *to = w->image.data;
    size_t have = whole.len < GUESS ? whole.len : GUESS, want = 0;
    for (int again = 0; again < 2; again++) {
        if (!lake_pack_read(found->pack, found->record, 0, to, have))
            return (lake_bytes){0};
        want = lake_image_span(to, have, maker->fast_ids, maker->nfast, &begin, &end);
        if (want <= have || want > whole.len)
            break;
        have = want;
    }
    if (!want || want > have)
        return (lake_bytes){0};
    if (begin < have)
        begin = have; /* hostile: sections in the head, which are read already */
    if (begin < end && (end > whole.len || !lake_pack_read(found->pack, found->record, begin, to + begin, end - begin)))
        return (lake_bytes){0};
    return (lake_bytes){to, whole.len};
}

lake_status plan_cached_candidates(lake_plan *plan, plan_worker *w, plan_maker *maker, const plan_cached *cached,
    plan_candidates *out, lake_error *err) {
    *out = (plan_candidates){0};
    if (!maker->fast)
        LAKE_TRY(prepare(plan, w, maker, err));
    if (!maker->nfast)
        return LAKE_OK;
    lake_bytes bytes = read_columns(w, maker, &cached->found);
    if (!bytes.ptr)
        return LAKE_OK;
    look l = {maker, lake_image_open(&w->image_arena, bytes, maker->fast_ids, maker->nfast, LAKE_IMAGE_COLUMNS), 0};
    if (!l.image)
        return LAKE_OK;
    size_t n = lake_image_count(l.image);
    uint8_t *may = lake_arena_alloc(&w->image_arena, n + 1);
    if (!may)
        return lake_fail_memory(err);
    if (!longs_may(&l, plan->bound->root, n, may))
        for (; l.entry < n; l.entry++)
            may[l.entry] = node_may(&l, plan->bound->root) & LAKE_T;
    for (size_t i = 0; i < n; i++)
        out->n += may[i];
    out->may = may;
    return LAKE_OK;
}
