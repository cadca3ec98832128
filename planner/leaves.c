/* --explain: each leaf of the predicate is asked alone about every manifest and file, so that people see which ones
   prune, at which level, and why the others cannot. Workers count for themselves; the sums are made at the end. */
#include "planner/leaves.h"
#include "planner/fact_maker.h"

enum { MOST_LEAVES = 1000, USUAL_LIMIT = 100, USUAL_LENGTH = 16 };

/* ---------------------------------------------------------------- what writers record */
static int64_t number_in(lake_str text, const char *prefix, int64_t otherwise) {
    size_t i = strlen(prefix);
    int64_t n = 0;
    if (!text.ptr || text.len <= i || memcmp(text.ptr, prefix, i) != 0)
        return otherwise;
    for (; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9' && n < 1000000000; i++)
        n = n * 10 + (text.ptr[i] - '0');
    return n;
}

/* The column's place among the leaves of the schema, from 1: writers take those of the schema itself first, then those
   one level deeper. True once it is found. */
static bool count_at(const lake_type *t, int depth, const lake_field *field, int64_t *place) {
    for (size_t i = 0; i < t->nfields; i++) {
        const lake_field *f = &t->fields[i];
        if (depth == 0 && !lake_type_is_nested(&f->type))
            ++*place;
        if (f == field || (depth > 0 && count_at(&f->type, depth - 1, field, place)))
            return true;
    }
    return false;
}

static int64_t place_of(const lake_schema *schema, const lake_field *field) {
    int64_t place = 0;
    int depth = 0;
    for (const lake_field *p = field->parent; p; p = p->parent)
        depth++;
    for (int i = 0; i <= depth; i++)
        if (count_at(&schema->root, i, field, &place))
            break;
    return place;
}

static void what_writers_record(const lake_plan *plan, plan_leaf *leaf) {
    const lake_metadata *m = plan->planning.metadata;
    lake_buffer name;
    int64_t limit =
        number_in(lake_metadata_property(m, "write.metadata.metrics.max-inferred-column-defaults"), "", USUAL_LIMIT);
    lake_str mode = lake_metadata_property(m, "write.metadata.metrics.default");
    bool told = mode.ptr || plan->listing; /* footers have all columns */
    lake_buffer_init(&name);
    lake_buffer_puts(&name, "write.metadata.metrics.column.");
    lake_field_full_name(&name, leaf->node->leaf->field);
    lake_buffer_char(&name, 0);
    if (!name.failed && lake_metadata_property(m, (const char *)name.data).ptr) {
        mode = lake_metadata_property(m, (const char *)name.data);
        told = true;
    }
    lake_buffer_clear(&name);
    leaf->length = plan->listing ? INT64_MAX : number_in(mode, "truncate(", USUAL_LENGTH);
    leaf->beyond = !told && place_of(plan->planning.schema, leaf->node->leaf->field) > limit;
}

/* ---------------------------------------------------------------- the leaves */
static lake_status add_leaf(lake_plan *plan, const lake_node *n, bool negated, size_t *room, lake_error *err) {
    if (plan->nleaves >= MOST_LEAVES)
        return LAKE_OK;
    if (!lake_tree_grow(&plan->arena, &plan->leaves, sizeof *plan->leaves, plan->nleaves, room))
        return lake_fail_memory(err);
    plan_leaf *leaf = &plan->leaves[plan->nleaves++];
    *leaf = (plan_leaf){.node = n, .negated = negated};
    lake_buffer sql;
    lake_buffer_init(&sql);
    lake_leaf_print(&sql, n->leaf->tree, negated);
    lake_str text = lake_buffer_view(&sql);
    if (!sql.failed)
        leaf->view.sql = lake_arena_str(&plan->arena, text.ptr, text.len);
    lake_buffer_clear(&sql);
    leaf->view.opaque = n->leaf->shape == LAKE_SHAPE_OPAQUE ? n->leaf->reason : LAKE_STR("");
    if (n->op == LAKE_NODE_STEP && n->leaf->field)
        what_writers_record(plan, leaf);
    return leaf->view.sql.ptr ? LAKE_OK : lake_fail_memory(err);
}

/* Only AND and OR let a negation through to the leaves; below CASE and IS a leaf is asked as it stands. */
static lake_status collect(lake_plan *plan, const lake_node *n, bool negated, size_t *room, lake_error *err) {
    if (n->leaf && (n->op == LAKE_NODE_STEP || n->op == LAKE_NODE_SET || n->op == LAKE_NODE_PAIR))
        return add_leaf(plan, n, negated, room, err);
    if (n->op == LAKE_NODE_NOT)
        negated = !negated;
    else if (n->op != LAKE_NODE_AND && n->op != LAKE_NODE_OR)
        negated = false;
    for (size_t i = 0; i < n->nkids; i++)
        LAKE_TRY(collect(plan, n->kids[i], negated, room, err));
    return LAKE_OK;
}

lake_status plan_leaves_prepare(lake_plan *plan, lake_error *err) {
    size_t room = 0;
    if (!plan->options.explain)
        return LAKE_OK;
    LAKE_TRY(collect(plan, plan->bound->detail, false, &room, err));
    for (unsigned i = 0; i < plan->nworkers && plan->nleaves; i++) {
        plan->workers[i].leaves = LAKE_ARENA_ARRAY(&plan->arena, lake_plan_leaf, plan->nleaves);
        if (!plan->workers[i].leaves)
            return lake_fail_memory(err);
    }
    return LAKE_OK;
}

/* ---------------------------------------------------------------- one container */
const lake_fact_item *plan_leaf_item(const lake_fact_maker *maker, uint32_t term) {
    for (size_t i = 0; i < maker->nitems; i++)
        if (maker->items[i].term == (int64_t)term)
            return &maker->items[i];
    return NULL;
}

bool plan_leaf_is_base(const lake_fact_item *item, const lake_facts *f) {
    return f->nspans == 1 && !f->nbuckets && lake_end_cmp(item->kind, f->spans[0].lo, item->base.spans[0].lo) == 0 &&
        lake_end_cmp(item->kind, f->spans[0].hi, item->base.spans[0].hi) == 0;
}

/* Has a partition field one of the leaf's columns? */
static bool is_partitioned(const lake_fact_maker *maker, const lake_node *n) {
    bool pair = n->op == LAKE_NODE_PAIR;
    for (int i = 0; i <= pair; i++) {
        const lake_fact_item *item = plan_leaf_item(maker, pair ? n->pair->sides[i].term : n->term);
        if (item && item->nuses)
            return true;
    }
    return false;
}

void plan_leaves_see_manifest(lake_plan *plan, plan_worker *w, const lake_fact_maker *maker) {
    for (size_t i = 0; i < plan->nleaves; i++) {
        const plan_leaf *leaf = &plan->leaves[i];
        lake_plan_leaf *c = &w->leaves[i];
        c->manifests++;
        if (!maker) {
            c->manifests_unevaluated++;
            continue;
        }
        if (leaf->node->op == LAKE_NODE_SET)
            continue;
        lake_outcomes out = lake_node_evaluate(leaf->node, plan->bound, w->facts);
        *(!(out & (leaf->negated ? LAKE_F : LAKE_T)) ? &c->manifests_pruned
                : !is_partitioned(maker, leaf->node) ? &c->manifests_unpartitioned
                                                     : &c->manifests_overlapping) += 1;
    }
}

static size_t characters(const lake_type *type, lake_bytes b) {
    size_t n = 0;
    if (type->id != LAKE_STRING)
        return b.len;
    for (size_t i = 0; i < b.len; i++)
        n += (b.ptr[i] & 0xc0) != 0x80;
    return n;
}

/* Would the file fall if its bounds had not been cut? Then only values with a bound's whole text in front could match.
 */
static bool is_truncated(
    const lake_plan *plan, plan_worker *w, const plan_leaf *leaf, const lake_column_metrics *m, lake_outcomes want) {
    const lake_type *type = &leaf->node->leaf->field->type;
    lake_facts *f = &w->facts[leaf->node->term];
    if ((type->id != LAKE_STRING && type->id != LAKE_BINARY) || f->nspans != 1 || leaf->node->leaf->transform)
        return false;
    lake_span kept = f->spans[0];
    bool cut = false;
    if (m->lower.ptr && (int64_t)characters(type, m->lower) >= leaf->length) {
        if (!lake_key_next_prefix(&w->scratch, m->lower, &f->spans[0].lo))
            return false;
        cut = true;
    }
    if (m->upper.ptr && m->upper.len && m->upper.ptr[m->upper.len - 1] &&
        (int64_t)characters(type, m->upper) >= leaf->length) {
        lake_bytes less = lake_arena_bytes(&w->scratch, m->upper.ptr, m->upper.len);
        if (!less.ptr) {
            f->spans[0] = kept;
            return false;
        }
        ((uint8_t *)(uintptr_t)less.ptr)[less.len - 1]--;
        f->spans[0].hi = lake_end_key((lake_key){.b = less});
        cut = true;
    }
    bool some = lake_end_below(LAKE_KEY_BYTES, &f->spans[0].lo, &f->spans[0].hi), null = f->null;
    f->value = some;
    f->null = false;
    bool falls = cut && (!some || !(lake_node_evaluate(leaf->node, plan->bound, w->facts) & want));
    f->value = true;
    f->null = null;
    f->spans[0] = kept;
    return falls;
}

static int64_t *reason_of(lake_plan *plan, plan_worker *w, const lake_fact_maker *maker, const plan_leaf *leaf,
    const lake_entry *e, lake_outcomes want, lake_plan_leaf *c) {
    const lake_fact_item *item = plan_leaf_item(maker, leaf->node->term);
    const lake_facts *f = &w->facts[leaf->node->term];
    const lake_column_metrics *m = NULL;
    const lake_field *field = leaf->node->leaf->field;
    for (size_t i = 0; i < e->ncolumns; i++)
        if (e->columns[i].id == field->id && (e->columns[i].has || e->columns[i].lower.ptr || e->columns[i].upper.ptr))
            m = &e->columns[i];
    if (leaf->node->leaf->shape == LAKE_SHAPE_NONE)
        return m && (m->has & (LAKE_METRIC_NULLS | LAKE_METRIC_NANS)) ? &c->files_overlapping
            : leaf->beyond && !m                                      ? &c->files_beyond_limit
                                                                      : &c->files_no_counts;
    if (f->value && item && plan_leaf_is_base(item, f) && !(m && (m->lower.ptr || m->upper.ptr)))
        return leaf->beyond && !m ? &c->files_beyond_limit : &c->files_no_bounds;
    return m && is_truncated(plan, w, leaf, m, want) ? &c->files_truncated : &c->files_overlapping;
}

void plan_leaves_see_file(lake_plan *plan, plan_worker *w, const lake_fact_maker *maker, const lake_entry *e) {
    for (size_t i = 0; i < plan->nleaves; i++) {
        const plan_leaf *leaf = &plan->leaves[i];
        lake_plan_leaf *c = &w->leaves[i];
        lake_outcomes want = leaf->negated ? LAKE_F : LAKE_T;
        c->files++;
        if (leaf->node->op == LAKE_NODE_SET)
            continue;
        lake_outcomes out = lake_node_evaluate(leaf->node, plan->bound, w->facts);
        *(!(out & want)                            ? &c->files_pruned
                : out == want                      ? &c->files_whole
                : leaf->node->op == LAKE_NODE_PAIR ? &c->files_overlapping
                                                   : reason_of(plan, w, maker, leaf, e, want, c)) += 1;
    }
}

/* ---------------------------------------------------------------- the sums */
void plan_leaves_gather(lake_plan *plan) {
    enum { FIRST = offsetof(lake_plan_leaf, manifests), N = (sizeof(lake_plan_leaf) - FIRST) / sizeof(int64_t) };
    for (unsigned k = 0; k < plan->nworkers; k++)
        for (size_t i = 0; i < plan->nleaves; i++) {
            const int64_t *from = &plan->workers[k].leaves[i].manifests;
            int64_t *to = &plan->leaves[i].view.manifests;
            for (int n = 0; n < N; n++) /* every member from `manifests` on is a count */
                to[n] += from[n];
        }
}

size_t lake_plan_leaf_count(const lake_plan *plan) {
    return plan->nleaves;
}

int lake_plan_leaf_of(const lake_plan *plan, size_t index, lake_plan_leaf *out) {
    if (index >= plan->nleaves)
        return 0;
    *out = plan->leaves[index].view;
    return 1;
}

static void groups_json(const lake_plan_leaf *l, lake_buffer *out) {
    const struct {
        const char *name;
        int64_t n;
    } members[] = {{"asked", l->row_groups}, {"pruned-by-statistics", l->row_groups_by_statistics},
        {"pruned-by-bloom-filter", l->row_groups_by_bloom}, {"pruned-by-dictionary", l->row_groups_by_dictionary},
        {"pruned-by-pages", l->row_groups_by_pages}, {"whole", l->row_groups_whole},
        {"no-statistics", l->row_groups_no_statistics}, {"not-evaluated", l->row_groups_not_evaluated},
        {"overlapping", l->row_groups_overlapping}, {"rows-asked", l->group_rows},
        {"rows-pruned-by-pages", l->group_rows_by_pages}};
    lake_buffer_puts(out, ",\"row-groups\":{");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        lake_buffer_printf(out, "%s\"%s\":%lld", i ? "," : "", members[i].name, (long long)members[i].n);
    lake_buffer_char(out, '}');
}

void plan_leaves_json(const lake_plan *plan, lake_buffer *out) {
    int64_t opaque = 0, unevaluated = 0, groups = 0;
    lake_buffer_puts(out, ",\"leaves\":[");
    for (size_t i = 0; i < plan->nleaves; i++) {
        const lake_plan_leaf *l = &plan->leaves[i].view;
        lake_buffer_puts(out, i ? ",{\"leaf\":" : "{\"leaf\":");
        lake_json_quote(out, l->sql);
        if (l->opaque.len) {
            lake_buffer_puts(out, ",\"opaque\":");
            lake_json_quote(out, l->opaque);
        }
        lake_buffer_printf(out,
            ",\"manifests\":{\"asked\":%lld,\"pruned\":%lld,\"no-partition-field\":%lld,\"overlapping\":%lld,"
            "\"not-evaluated\":%lld}",
            (long long)l->manifests, (long long)l->manifests_pruned, (long long)l->manifests_unpartitioned,
            (long long)l->manifests_overlapping, (long long)l->manifests_unevaluated);
        lake_buffer_printf(out,
            ",\"files\":{\"asked\":%lld,\"pruned\":%lld,\"whole\":%lld,\"no-bounds\":%lld,\"beyond-metrics-limit\":%"
            "lld,"
            "\"no-counts\":%lld,\"truncated\":%lld,\"overlapping\":%lld}",
            (long long)l->files, (long long)l->files_pruned, (long long)l->files_whole, (long long)l->files_no_bounds,
            (long long)l->files_beyond_limit, (long long)l->files_no_counts, (long long)l->files_truncated,
            (long long)l->files_overlapping);
        if (plan->options.row_groups)
            groups_json(l, out);
        lake_buffer_char(out, '}');
        opaque += l->opaque.len > 0;
        unevaluated += l->manifests_unevaluated;
        groups += l->row_groups_not_evaluated;
    }
    lake_buffer_printf(out, "],\"counters\":{\"leaves\":%zu,\"leaves-not-compiled\":%lld,\"leaves-not-evaluated\":%lld",
        plan->nleaves, (long long)opaque, (long long)unevaluated);
    if (plan->options.row_groups)
        lake_buffer_printf(out, ",\"leaves-not-evaluated-in-row-groups\":%lld", (long long)groups);
    lake_buffer_char(out, '}');
}
