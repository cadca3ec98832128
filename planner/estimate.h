/* The insides of an estimate: estimate.c opens it, selectivity.c weighs step functions, estimate_column.c follows a
   column through the filter, estimate_sources.c asks the providers of figures, estimate_report.c prints. */
#ifndef LAKE_PLANNER_ESTIMATE_H
#define LAKE_PLANNER_ESTIMATE_H

#include "lake/estimate.h"
#include "planner/counted.h"
#include "planner/node.h"
#include "planner/plan.h"

/* ---- selectivity.c */
/* Shares of rows for which a predicate is TRUE, FALSE and UNKNOWN; together 1. */
typedef struct est_share {
    double t, f, u;
} est_share;

/* What is known of a term's values in one file (or table). */
typedef struct est_term {
    const lake_facts *facts;
    const lake_type *type; /* of the column, for hashes of buckets */
    double nulls, nans; /* shares of the rows */
    double values; /* how many rows have a value; < 0: unknown */
    double ndv; /* distinct values, at most; < 0: unknown */
    bool has_guess; /* an interval to weigh open ends with (the caller's statistics); proves nothing */
    lake_span guess;
} est_term;

/* The share of the values that each outcome set has. */
typedef struct est_mass {
    double of[8];
} est_mass;
void est_step_mass(const lake_step *step, const est_term *term, est_mass *out);
est_share est_node_share(
    const lake_node *node, const lake_bound *bound, const est_term *terms, const lake_facts *facts);
est_share est_share_of_set(lake_outcomes set);
/* How many keys an interval has: integers only, else -1. */
double est_span_keys(lake_key_kind kind, const lake_span *span);

/* ---- estimate_column.c */
/* A column's place in the rows for which the predicate is TRUE. */
typedef struct est_region {
    bool null, nan, value;
    lake_span span; /* meaningful if `value` */
} est_region;
/* `own`: the facts about the field itself. */
est_region est_node_region(const lake_node *node, const lake_bound *bound, const lake_facts *facts,
    const lake_field *field, const lake_facts *own);

typedef struct est_tally { /* a count summed over files, of which some do not say */
    double sum, known_rows, unknown_rows;
    bool inexact;
    const char *source;
} est_tally;

/* What the providers say of a column of the whole table. */
typedef struct est_given {
    double ndv; /* < 0: unknown */
    const char *ndv_source;
    double null_share, nan_share; /* < 0: unknown; for files whose manifests do not say */
    const char *share_source;
    bool has_span;
    lake_span span;
} est_given;

typedef struct est_column {
    const lake_field *field;
    lake_key_kind kind;
    size_t term; /* in the estimate's terms */
    uint32_t bound_term; /* UINT32_MAX: the predicate has no term for it */
    est_given given;
    double footer_ndv; /* largest dictionary among the files; < 0: none */
    bool any_value, lo_exact, hi_exact;
    lake_span span; /* of the matching values */
    const char *bounds_source;
    est_tally nulls, nans;
    double own_rows; /* rows that its own part of the predicate alone lets through, of the kept files */
    lake_str name, type, lower, upper; /* the view */
    lake_figure nulls_left, nans_left, ndv_left;
} est_column;

typedef struct est_file {
    lake_figure rows;
    double share, estimate; /* estimate < 0: its record count is unknown */
    int64_t low, high; /* rows, before deletes that are not counted; high -1: unknown */
} est_file;

struct lake_estimate {
    lake_plan *plan;
    lake_arena arena, scratch;
    lake_term *terms; /* those of the predicate, then those of more columns */
    size_t nterms;
    est_column *columns;
    size_t ncolumns;
    est_file *files;
    lake_estimate_totals totals;
    lake_facts *facts;
    est_term *weights;
    double table_rows; /* < 0: unknown */
    const lake_json *stats; /* the caller's, parsed */
    bool footers;
    const char *base; /* who knows of files: "manifests", or of a directory "footers" */
    struct est_view *views; /* by file, where footers are read; else NULL */
    lake_arena *arenas; /* of the workers that read them */
    unsigned narenas;
};

/* One kept file as the estimate sees it. */
typedef struct est_view {
    const plan_task *task;
    lake_entry entry; /* its columns completed by the footer, where that is read */
    const double *dictionary; /* distinct values by column of the estimate, from dictionaries; NULL: not asked */
    bool *from_footer; /* by column of the estimate */
} est_view;

est_view est_view_of(const lake_estimate *e, const plan_task *task);
const lake_column_metrics *est_metrics_of(const est_view *view, int32_t id);
/* Takes one kept file into every column's tally. `rows`: its matching rows, estimated; exact: they are. */
LAKE_CHECK_RESULT lake_status est_columns_add(
    lake_estimate *e, const est_view *view, est_share share, bool whole, lake_error *err);
int64_t est_round(double x); /* to the nearest, within what fits */
/* All files are in: figures and texts. */
LAKE_CHECK_RESULT lake_status est_columns_finish(lake_estimate *e, lake_error *err);

/* estimate.c: a column by its name as in SQL. */
LAKE_CHECK_RESULT lake_status est_named_field(lake_arena *arena, const lake_schema *schema, const char *name,
    bool sensitive, const lake_field **out, lake_error *err);

/* ---- estimate_sources.c */
/* Asks the providers about each column of the table: the caller's statistics, then Puffin files. */
LAKE_CHECK_RESULT lake_status est_ask(lake_estimate *e, lake_error *err);
LAKE_CHECK_RESULT lake_status est_stats_parse(lake_estimate *e, const char *text, lake_error *err);
/* Fills e->views: the files' own footers, in parallel, where their manifests lack something. */
LAKE_CHECK_RESULT lake_status est_read_footers(lake_estimate *e, lake_error *err);

#endif
