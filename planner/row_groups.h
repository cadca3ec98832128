/* Row groups of a plan's files: row_groups.c opens footers and joins their facts with those of the manifests, probe.c
   and dictionary.c ask Bloom filters and dictionaries, page_ranges.c looks at page indexes. */
#ifndef LAKE_PLANNER_ROW_GROUPS_H
#define LAKE_PLANNER_ROW_GROUPS_H

#include "planner/footer_facts.h"
#include "planner/leaves.h"

/* What one worker needs for file after file. */
typedef struct plan_group_worker {
    lake_arena file; /* the footer, facts of the file */
    lake_arena group; /* facts, indexes and sets of one row group */
    lake_arena page; /* facts of pages, while the rows of a row group are judged */
    lake_parquet_column *column; /* made on first use: dictionaries */
    lake_parquet_window window;
} plan_group_worker;

typedef struct plan_bloom plan_bloom;

/* The sets that can be asked about a term in the row group in hand. */
typedef struct plan_term_sets {
    const lake_footer_column *column; /* NULL: none */
    const lake_parquet_chunk *chunk;
    plan_bloom *bloom; /* NULL: none */
    bool dictionary; /* there may be a useful one */
    bool dictionary_read;
    const lake_probe *values; /* the dictionary's; NULL: it was of no use */
    bool nan; /* a value of the dictionary is NaN */
} plan_term_sets;

/* A file in hand. */
typedef struct plan_group_job {
    lake_plan *plan;
    plan_worker *worker;
    plan_group_worker *own;
    plan_task *task;
    const lake_fact_maker *maker;
    lake_parquet_file file;
    lake_footer_column *columns; /* the maker's, in its order */
    size_t ncolumns;
    size_t *term_columns; /* of each term: its column, SIZE_MAX: none (a bucket, a struct) */
    bool told; /* the file's columns can be told */
    lake_facts *whole, *facts, *page_facts; /* of the file, the row group, some of its rows */
    lake_facts *first_facts; /* of the row group before sets were asked (options.explain) */
    lake_part_facts *parts; /* of each column */
    plan_group_counts *counts;
    /* of the row group in hand; NULL: not read yet */
    plan_term_sets *sets; /* one a term */
    struct plan_paged *paged; /* one a column */
    size_t npaged; /* those with an offset index */
    bool useful_pages; /* some of them can be told apart */
} plan_group_job;

/* What the facts leave possible for the predicate, or for one leaf alone (negated as it is meant); leaf NULL: the
   predicate. */
static inline lake_outcomes plan_group_ask(const plan_group_job *job, const plan_leaf *leaf, const lake_facts *facts) {
    if (!leaf)
        return lake_bound_evaluate(job->plan->bound, facts);
    lake_outcomes out = lake_node_evaluate(leaf->node, job->plan->bound, facts);
    return !leaf->negated ? out
                          : (lake_outcomes)((out & LAKE_U) | (out & LAKE_T ? LAKE_F : 0) | (out & LAKE_F ? LAKE_T : 0));
}
/* Does it ask the term? */
static inline bool plan_group_has_term(const plan_leaf *leaf, size_t term) {
    return !leaf ||
        (leaf->node->op == LAKE_NODE_PAIR
                ? leaf->node->pair->sides[0].term == term || leaf->node->pair->sides[1].term == term
                : leaf->node->op == LAKE_NODE_STEP && leaf->node->term == term);
}

/* Asks the sets of a row group that some rows of may match by statistics; leaves them in job->facts. *how: what
   answered, if *out has lost TRUE ("a Bloom filter", "a dictionary"). leaf NULL: the predicate. */
LAKE_CHECK_RESULT lake_status plan_probe_group(plan_group_job *job, const lake_parquet_row_group *group,
    const plan_leaf *leaf, lake_outcomes *out, const char **how, lake_error *err);

/* A Bloom filter, which is read when it is first asked. NULL: out of memory. */
plan_bloom *plan_bloom_new(plan_group_job *job, const lake_footer_column *column, const lake_parquet_chunk *chunk);
const lake_probe *plan_bloom_probe(const plan_bloom *bloom);
lake_status plan_bloom_check(const plan_bloom *bloom, lake_error *err); /* NO_MEMORY, if that happened on the way */
/* Could there be a filter that helps? What it would answer at best: no for the few keys that it can be asked for. */
bool plan_bloom_possible(const lake_footer_column *column, const lake_parquet_chunk *chunk);
const lake_probe *plan_bloom_hope(lake_key_kind kind);

/* The values of a chunk whose pages are all dictionary encoded. *out NULL: it could not be used. *nan: one is NaN. */
bool plan_dictionary_possible(const lake_footer_column *column, const lake_parquet_chunk *chunk);
LAKE_CHECK_RESULT lake_status plan_dictionary_read(plan_group_job *job, const lake_footer_column *column,
    const lake_parquet_chunk *chunk, const lake_probe **out, bool *nan, lake_error *err);
extern const lake_probe plan_dictionary_hope;

/* The rows to read of a row group, and the pages of its columns, into the worker's arena. *all: every row of the ranges
   matches. No ranges: no page can match. */
LAKE_CHECK_RESULT lake_status plan_page_ranges(plan_group_job *job, const lake_parquet_row_group *group,
    lake_row_group *out, lake_outcomes *outcomes, lake_error *err);

/* The rows that may match for a leaf alone, by pages. */
LAKE_CHECK_RESULT lake_status plan_page_rows(
    plan_group_job *job, const lake_parquet_row_group *group, const plan_leaf *leaf, int64_t *rows, lake_error *err);

/* leaf_groups.c: each leaf alone is asked about the row group, by job->first_facts; believed false: nothing may be
   concluded from the footer. Counts nothing in job->counts. */
LAKE_CHECK_RESULT lake_status plan_leaves_see_group(
    plan_group_job *job, const lake_parquet_row_group *group, bool believed, lake_error *err);

/* Reads a stretch of the file into the arena; false in *ok, and counted as doubtful: it does not lie before the footer,
   or is longer than `limit`. */
LAKE_CHECK_RESULT lake_status plan_read_range(plan_group_job *job, lake_arena *arena, int64_t offset, int64_t length,
    int64_t limit, lake_bytes *out, bool *ok, lake_error *err);

#endif
