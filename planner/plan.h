/* The insides of a plan: planner/plan.c opens it, scan.c reads manifests, deletes.c attaches delete files, report.c
 * prints. */
#ifndef LAKE_PLANNER_PLAN_H
#define LAKE_PLANNER_PLAN_H

#include <pthread.h>

#include "lake/answers.h"
#include "manifest/summary.h"
#include "planner/predicate.h"
#include "reader/table.h"

/* Of one file's row groups. */
typedef struct plan_group_counts {
    bool opened;
    bool agrees; /* the footer has as many rows as the manifest states, so that something is concluded from it */
    int64_t total, kept, by_statistics, by_bloom, by_dictionary, by_pages;
    int64_t total_pages, kept_pages, total_page_bytes, kept_page_bytes, total_bytes, kept_bytes, total_rows, kept_rows,
        doubtful;
} plan_group_counts;

typedef struct plan_decision {
    lake_decision view;
    struct plan_task *task; /* a data file that is kept */
    struct plan_decision *next;
} plan_decision;
typedef struct plan_order plan_order;
typedef struct plan_increment plan_increment;
typedef struct plan_narrowing plan_narrowing;

/* A kept data file. */
typedef struct plan_task {
    lake_scan_task view;
    lake_entry entry; /* deep copy; columns in the order of the fact maker */
    const lake_column_metrics *all_columns; /* options.stats */
    size_t nall_columns;
    const lake_spec *spec;
    int64_t sure_rows; /* rows that the query surely gets from it; 0 if they are not counted exactly */
    struct plan_decision *decision; /* options.explain */
    plan_group_counts groups;
    plan_decision *group_decisions, **group_decisions_end;
    size_t ngroup_decisions;
    struct plan_task *next;
} plan_task;

/* A delete file that the predicate lets through. */
typedef struct plan_delete {
    lake_entry entry; /* deep copy with all metrics */
    const lake_spec *spec;
    lake_bytes partition_key; /* spec id and normalised tuple */
    lake_facts *facts; /* of its equality columns, in the order of entry.equality_ids; NULL: none are usable */
    const size_t *fact_terms; /* for each of them the equality term, SIZE_MAX: unusable */
    uint32_t index; /* in the plan's list, UINT32_MAX: not used yet */
    struct plan_delete *next; /* while collecting: in its manifest; then: in its hash chain */
} plan_delete;

/* What one manifest gave; written by one worker, read after all have ended. */
typedef struct plan_manifest {
    const lake_manifest_file *line;
    bool scanned;
    plan_task *tasks, **tasks_end;
    plan_delete *deletes, **deletes_end;
    plan_decision *decisions, **decisions_end, *last_decision;
    size_t ntasks, ndeletes, ndecisions;
    int64_t skipped_files, kept_rows, kept_bytes, scanned_bytes, match_all, sure_rows;
} plan_manifest;

/* A hash table from a key (partition key, or data file path) to a chain of delete files. */
typedef struct plan_delete_table {
    plan_delete **slots;
    size_t mask; /* slots - 1; 0 with slots NULL: empty */
} plan_delete_table;

typedef struct plan_delete_index {
    plan_delete_table by_partition; /* position and equality deletes of partitioned or unpartitioned specs */
    plan_delete_table vectors; /* by referenced data file */
    plan_delete **global; /* equality deletes of unpartitioned specs: apply to every partition */
    size_t nglobal, nall;
    lake_term *terms; /* equality columns */
    size_t nterms;
} plan_delete_index;

/* LIMIT: `sure` rows are certain in the manifests before `next`, which have all been read. */
typedef struct plan_limit {
    int64_t need, sure;
    size_t next;
    bool *done; /* by manifest, under the plan's lock; NULL: nothing may be left out while reading */
    bool stopped;
} plan_limit;

typedef struct plan_split_group {
    const lake_split *splits;
    size_t n;
    int64_t weight;
} plan_split_group;

struct lake_plan {
    lake_table *table;
    lake_arena arena;
    lake_plan_options options;
    lake_planning_table planning;
    lake_bound *bound;
    bool trivial; /* no filter: TRUE */
    lake_manifest_file *lines;
    size_t nlines;
    plan_manifest *manifests; /* one a line */
    struct plan_worker *workers;
    unsigned nworkers;
    struct lake_manifest_use *cached; /* NULL: no manifest cache */
    plan_delete_index deletes;
    plan_limit limit;
    int64_t split_size; /* 0: not split; -1: whole files in groups */
    plan_split_group *split_groups;
    size_t nsplit_groups;
    plan_narrowing *narrowings; /* the newest first */
    size_t cursor, narrowed; /* of lake_plan_next: the next task; those that fell away */
    plan_increment *increment; /* NULL: a whole snapshot */
    plan_order *order; /* NULL: as the manifests have them */
    plan_task **tasks;
    size_t ntasks;
    plan_delete **used_deletes;
    lake_delete_file *used_views;
    size_t nused;
    plan_decision **decisions;
    size_t ndecisions;
    struct plan_leaf *leaves; /* options.explain */
    size_t nleaves;
    lake_plan_counts counts;
    lake_arena scratch; /* of the accessors */
    lake_buffer json, sql;
    bool json_exact;
    struct plan_listing *listing; /* of a directory; NULL: of a table */
    pthread_mutex_t *lock;
    uint64_t done; /* manifests, then footers, for progress */
};

typedef struct plan_fast plan_fast;
/* A worker's own memory; nothing of it is shared while workers run. */
typedef struct plan_maker {
    const lake_spec *spec;
    lake_fact_maker *maker, *equality; /* equality: NULL until needed */
    const int32_t *columns; /* of maker, then of equality */
    size_t ncolumns, nequality_columns;
    struct plan_fast { /* by term: what candidates.c needs; item NULL: nothing can be said of it there */
        const struct lake_fact_item *item;
        size_t column;
    } * fast; /* NULL: not prepared yet */
    int32_t *fast_ids;
    size_t nfast;
    struct plan_maker *next;
} plan_maker;

enum { PLAN_TOLD = 64 };

typedef struct plan_worker {
    lake_arena arena, scratch;
    lake_manifest_pool *pool;
    plan_maker *makers;
    lake_facts *facts, *equality_facts;
    plan_delete **found;
    size_t found_room;
    lake_buffer leaf, seen, key;
    lake_arena image_arena; /* of one manifest */
    lake_buffer image;
    struct lake_plan_leaf *leaves; /* counts of each of the plan's leaves (leaves.h) */
    struct plan_told {
        const struct lake_node *node;
        lake_str leaf;
    } told[PLAN_TOLD]; /* texts of nodes that decided, by the node's address */
} plan_worker;

/* plan.c: the parts of a plan's life that tables and directories share, in their order. */
lake_plan *plan_new(const lake_plan_options *options); /* NULL: out of memory */
/* Runs it, measures the time, and closes the plan if it fails. */
LAKE_CHECK_RESULT lake_status plan_open_by(lake_plan *plan,
    lake_status (*work)(lake_plan *plan, void *user, lake_error *err), void *user, lake_plan **out, lake_error *err);
LAKE_CHECK_RESULT lake_status plan_parse(lake_plan *plan, const lake_tree **out, lake_error *err);
lake_bind_options plan_bind_options(const lake_plan *plan);
LAKE_CHECK_RESULT lake_status plan_bind(
    lake_plan *plan, const lake_tree *tree, const lake_schema *schema, lake_error *err);
LAKE_CHECK_RESULT lake_status plan_open_workers(lake_plan *plan, lake_error *err);
void plan_count_lines(lake_plan *plan);
LAKE_CHECK_RESULT lake_status plan_gather(lake_plan *plan, lake_error *err);

/* listing.c */
/* lake_plan_open_paths; keep_footers: in memory, for readers of plan_store(). */
struct lake_listing_options;
LAKE_CHECK_RESULT lake_status plan_open_paths(lake_session *session, const char *const *paths, size_t npaths,
    const struct lake_listing_options *listing, const lake_plan_options *options, bool keep_footers, lake_plan **out,
    lake_error *err);
const struct lake_store *plan_store(const lake_plan *plan); /* with what is remembered of its files */
void plan_listing_close(struct plan_listing *listing); /* NULL is fine */
/* A directory: the schema of what is in the files, which are read by names; NULL: it is a table. */
const lake_schema *plan_listing_file_schema(const lake_plan *plan);
/* ,"listing":{…}; nothing for a table */
void plan_listing_json(const lake_plan *plan, lake_buffer *out);

/* never.c: is the predicate never TRUE? Then the counts and, if asked for, the explanation are set: nothing is read. */
LAKE_CHECK_RESULT lake_status plan_never(lake_plan *plan, bool *never, lake_error *err);

/* scan.c */
LAKE_CHECK_RESULT lake_status plan_scan(lake_plan *plan, bool delete_manifests, lake_error *err);
LAKE_CHECK_RESULT lake_status plan_maker_get(
    lake_plan *plan, plan_worker *worker, const lake_spec *spec, plan_maker **out, lake_error *err);
void plan_worker_clear(plan_worker *worker);
/* Keeps a decision (options.explain); told: with the leaf and the facts in worker->facts. */
LAKE_CHECK_RESULT lake_status plan_decide(lake_plan *plan, plan_worker *worker, plan_manifest *m, int level,
    lake_str path, bool kept, const char *reason, bool told, lake_error *err);
/* What decided, by these facts, and what it saw, as text in the worker's arena. */
LAKE_CHECK_RESULT lake_status plan_tell(const lake_plan *plan, plan_worker *worker, const lake_facts *facts,
    lake_str *leaf, lake_str *seen, lake_error *err);
/* One more of `what` is begun, of `all`; CANCELLED if the caller's progress says so. */
LAKE_CHECK_RESULT lake_status plan_tick(lake_plan *plan, const char *what, uint64_t all, lake_error *err);

/* row_groups.c: opens the footers of the tasks' files; tasks of which no row group is left are dropped. */
LAKE_CHECK_RESULT lake_status plan_row_groups(lake_plan *plan, lake_error *err);

/* deletes.c */
LAKE_CHECK_RESULT lake_status plan_deletes_index(lake_plan *plan, lake_error *err);
/* Finds the delete files that may hold rows of a data file: pointers in worker->found, *n of them. `entry` is the
   current one of the reader, its columns those of the maker followed by those of the equality terms. */
LAKE_CHECK_RESULT lake_status plan_deletes_find(
    lake_plan *plan, plan_worker *worker, plan_maker *maker, const lake_entry *entry, size_t *n, lake_error *err);
static inline bool plan_is_vector(const lake_entry *e) {
    return e->content == LAKE_CONTENT_POSITION_DELETES && (e->has & LAKE_HAS_CONTENT_OFFSET);
}

/* count.c: `deletes` are those of the file; `task` NULL: its row groups are not known. */
int64_t plan_sure_rows(
    const lake_entry *entry, bool match_all, const plan_task *task, plan_delete *const *deletes, size_t ndeletes);

/* limit.c, in the order of a plan's life. */
LAKE_CHECK_RESULT lake_status plan_limit_begin(lake_plan *plan, lake_error *err);
LAKE_CHECK_RESULT lake_status plan_limit_prepare(lake_plan *plan, lake_error *err); /* the manifest list is read */
bool plan_limit_reached(lake_plan *plan); /* is a data manifest that no worker has begun needless? */
void plan_limit_note(lake_plan *plan, size_t manifest); /* it has been read, or pruned */
LAKE_CHECK_RESULT lake_status plan_limit_cut(lake_plan *plan, lake_error *err); /* all have ended */
void plan_limit_apply(lake_plan *plan); /* the tasks are gathered */
/* A task that is left out: its decision says so. */
void plan_drop_task(plan_task *task, const char *reason);
/* The counters of kept files, after tasks were left out. */
void plan_recount(lake_plan *plan);

/* order.c: the column is bound with the predicate; the gathered tasks are sorted, and cut by the limit. */
LAKE_CHECK_RESULT lake_status plan_order_begin(
    lake_plan *plan, const lake_schema *schema, const lake_bind_options *options, lake_error *err);
LAKE_CHECK_RESULT lake_status plan_order_apply(lake_plan *plan, lake_error *err);
void plan_order_renumber(lake_plan *plan); /* tasks have been dropped since */
void plan_order_json(const lake_plan *plan, lake_buffer *out); /* a member of the JSON document */

/* increment.c: chooses the last snapshot; finds plan->lines; does an entry belong to the increment? */
LAKE_CHECK_RESULT lake_status plan_increment_begin(lake_plan *plan, const lake_snapshot **snapshot, lake_error *err);
LAKE_CHECK_RESULT lake_status plan_increment_manifests(lake_plan *plan, lake_error *err);
bool plan_increment_wants(const lake_plan *plan, const lake_entry *entry);
void plan_increment_json(const lake_plan *plan, lake_buffer *out);

/* narrow.c */
void plan_narrow_clear(lake_plan *plan);

/* answers.c: members of the JSON document, each with a comma before it */
LAKE_CHECK_RESULT lake_status plan_answers_json(lake_plan *plan, lake_buffer *out, lake_error *err);
/* report_groups.c */
void plan_groups_json(
    const lake_scan_task *task, lake_buffer *out); /* ,"row-groups":[…]; nothing if they are not known */
void plan_groups_counters(const lake_plan_counts *counts,
    void (*put)(lake_buffer *out, const char *name, const char *unit, int64_t value), lake_buffer *out);

/* splits.c: a member of the JSON document; a scan task as a line of JSON or as lines of CSV */
void plan_splits_json(const lake_plan *plan, lake_buffer *out);
LAKE_CHECK_RESULT lake_status plan_splits_line(
    lake_plan *plan, size_t index, bool csv, lake_buffer *out, lake_error *err);

/* report.c */
LAKE_CHECK_RESULT lake_status plan_task_json(
    lake_plan *plan, size_t index, bool whole, lake_buffer *out, lake_error *err);
void plan_csv_text(lake_buffer *out, lake_str s);
lake_str plan_format_name(lake_str format); /* lower case; static for the known ones */
enum { PLAN_FLUSH = 1 << 16 };
/* Hands the buffer over to the sink if it holds more bytes than that, and empties it. */
LAKE_CHECK_RESULT lake_status plan_flush(lake_buffer *out, size_t more_than, const lake_sink *sink, lake_error *err);

/* report_explain.c: ,"explain":{…}; a line for each decision, in the order of the plan, and one for the leaves */
LAKE_CHECK_RESULT lake_status plan_explain_json(
    lake_plan *plan, lake_buffer *out, const lake_sink *sink, lake_error *err);
LAKE_CHECK_RESULT lake_status plan_explain_lines(
    lake_plan *plan, lake_buffer *out, const lake_sink *sink, lake_error *err);

/* partition_values.c: a tuple as an object or a list in JSON, and as people write it. */
void plan_datum_json(lake_datum d, lake_buffer *out);
void plan_partition_json(const lake_plan *plan, const lake_spec *spec, const lake_entry *entry, lake_arena *scratch,
    bool object, lake_buffer *out);
void plan_partition_text(
    const lake_plan *plan, const lake_spec *spec, const lake_entry *entry, lake_arena *scratch, lake_buffer *out);
/* The type of a partition field's values; NULL: the source column is gone. */
bool plan_partition_type(const lake_plan *plan, const lake_partition_field *field, lake_type *out);
/* The field of that id in the chosen schema, else in the newest that has it; NULL: in none. */
const lake_field *plan_any_field(const lake_plan *plan, int32_t id);

#endif
