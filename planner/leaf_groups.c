/* --explain: each leaf of the predicate is asked alone about the row groups of the files that were opened: by their
   statistics, then by Bloom filters, dictionaries and page indexes, which are read for this where the predicate as a
   whole had no use for them. */
#include "planner/fact_maker.h"
#include "planner/row_groups.h"

enum { MOST_LEAVES = 100 /* that are asked here: some read pages */ };

/* Why statistics do not rule it out. */
static int64_t *reason_of(
    const plan_group_job *job, const lake_parquet_row_group *g, const plan_leaf *leaf, lake_plan_leaf *c) {
    bool none = true;
    for (size_t t = 0; t < job->plan->bound->nterms; t++) {
        if (!plan_group_has_term(leaf, t))
            continue;
        const lake_footer_column *column =
            job->term_columns[t] == SIZE_MAX ? NULL : &job->columns[job->term_columns[t]];
        if (!job->told || (column && !column->leaf && !column->missing) ||
            (column && column->leaf && g->chunks[column->leaf->column].encrypted))
            return &c->row_groups_not_evaluated;
        const lake_fact_item *item = plan_leaf_item(job->maker, (uint32_t)t);
        none &= item && plan_leaf_is_base(item, &job->first_facts[t]);
    }
    return none ? &c->row_groups_no_statistics : &c->row_groups_overlapping;
}

static lake_status see(
    plan_group_job *job, const lake_parquet_row_group *g, const plan_leaf *leaf, lake_plan_leaf *c, lake_error *err) {
    size_t room = lake_fact_maker_room(job->maker);
    const char *how = NULL;
    int64_t rows = g->num_rows;
    memcpy(job->facts, job->first_facts, room * sizeof *job->facts);
    lake_outcomes out = plan_group_ask(job, leaf, job->facts);
    if (!(out & LAKE_T)) {
        c->row_groups_by_statistics++;
        return LAKE_OK;
    }
    if (out == LAKE_T) {
        c->row_groups_whole++;
        return LAKE_OK;
    }
    if (job->told)
        LAKE_TRY(plan_probe_group(job, g, leaf, &out, &how, err));
    if (!(out & LAKE_T)) {
        (*(how[2] == 'B' ? &c->row_groups_by_bloom : &c->row_groups_by_dictionary))++;
        return LAKE_OK;
    }
    if (job->told)
        LAKE_TRY(plan_page_rows(job, g, leaf, &rows, err));
    c->group_rows += g->num_rows;
    c->group_rows_by_pages += g->num_rows - rows;
    *(rows == 0 && g->num_rows ? &c->row_groups_by_pages : reason_of(job, g, leaf, c)) += 1;
    return LAKE_OK;
}

lake_status plan_leaves_see_group(
    plan_group_job *job, const lake_parquet_row_group *g, bool believed, lake_error *err) {
    lake_plan *plan = job->plan;
    plan_group_counts kept = *job->counts;
    for (size_t i = 0; i < plan->nleaves && i < MOST_LEAVES; i++) {
        const plan_leaf *leaf = &plan->leaves[i];
        lake_plan_leaf *c = &job->worker->leaves[i];
        c->row_groups++;
        if (leaf->node->op == LAKE_NODE_SET)
            continue;
        if (believed)
            LAKE_TRY(see(job, g, leaf, c, err));
        else
            c->row_groups_not_evaluated++;
    }
    *job->counts = kept;
    return LAKE_OK;
}
