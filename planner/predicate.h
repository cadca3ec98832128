/* Predicates: SQL text or Iceberg's JSON form -> a tree -> bound to a schema: step functions over columns and terms. */
#ifndef LAKE_PLANNER_PREDICATE_H
#define LAKE_PLANNER_PREDICATE_H

#include "planner/facts.h"

/* The unbound tree (planner/tree.h has its shape). */
typedef struct lake_tree lake_tree;

/* Parses SQL. Errors: USAGE with the byte offset of the place, from which the caller draws a caret; the message is one
   line. The tree points into `text`, which must live as long. */
LAKE_CHECK_RESULT lake_status lake_tree_from_sql(
    lake_arena *arena, lake_str text, const lake_tree **out, lake_error *err);
/* Parses an Iceberg expression as JSON, old term form and new form (expressions-spec.md). */
LAKE_CHECK_RESULT lake_status lake_tree_from_json(
    lake_arena *arena, const lake_json *json, const lake_tree **out, lake_error *err);

typedef struct lake_bind_options {
    bool two_valued; /* --filter: a comparison with null is FALSE, not UNKNOWN */
    bool case_sensitive;
    bool nan_largest; /* --nan largest */
} lake_bind_options;

/* What a leaf tests: a column, or a term over it that is not monotone (bucket). Monotone terms are pulled onto the
 * column. */
typedef struct lake_term {
    const lake_field *field;
    bool is_bucket;
    lake_transform transform; /* the bucket */
} lake_term;

/* Why a leaf cannot prune (`--explain`, residuals). */
typedef struct lake_leaf_note {
    lake_str sql; /* the leaf's text */
    lake_str reason; /* "opaque function", "suffix pattern", … */
} lake_leaf_note;

typedef struct lake_bound {
    const lake_term *terms; /* each once; facts are given in this order */
    size_t nterms;
    const lake_leaf_note *notes;
    size_t nnotes;
    lake_outcomes constant; /* the outcome set, if no term is needed (nterms 0) */
    const struct lake_node *root; /* merged: what is evaluated */
    const struct lake_node *detail; /* leaf by leaf: what is explained and left as residual */
    bool two_valued;
} lake_bound;

LAKE_CHECK_RESULT lake_status lake_bind(lake_arena *arena, const lake_tree *tree, const lake_schema *schema,
    const lake_bind_options *options, lake_bound **out, lake_error *err);

/* The outcome set on a container: facts[i] is about terms[i]. Nothing is allocated. */
lake_outcomes lake_bound_evaluate(const lake_bound *bound, const lake_facts *facts);
/* Is it the constant TRUE (no filter at all)? */
bool lake_bound_is_true(const lake_bound *bound);

/* One decision, told for people: the leaf (as SQL) that alone rules the container out, or the first one that keeps it
   from being decided, and the facts it saw ("amount > 1000: recorded [0, 50]"). Appends to the buffers. */
void lake_bound_explain(const lake_bound *bound, const lake_facts *facts, lake_buffer *leaf, lake_buffer *seen);
/* The same in its parts, for callers that tell many decisions: the node that decided, its text (at most 1,000 bytes and
   an ellipsis), which is the same for all facts, and the facts it saw. */
const struct lake_node *lake_bound_decider(const lake_bound *bound, const lake_facts *facts);
void lake_bound_leaf(const lake_bound *bound, const struct lake_node *node, lake_buffer *leaf);
void lake_bound_seen(const lake_bound *bound, const struct lake_node *node, const lake_facts *facts, lake_buffer *seen);

/* The residual on a container: leaves whose outcome is a single value are replaced by it and the tree is folded.
   json: an Iceberg expression (bound literals in the column's type, term form of the REST protocol) that is TRUE, by
   expressions-spec.md, for at least the rows for which the predicate is TRUE; *exact says whether for no others.
   sql: the exact text. Either buffer may be NULL. */
LAKE_CHECK_RESULT lake_status lake_bound_residual(const lake_bound *bound, const lake_facts *facts, lake_arena *scratch,
    lake_buffer *json, bool *exact, lake_buffer *sql, lake_error *err);

/* ---- facts from metadata (planner/facts.c) */
struct lake_metadata;
struct lake_manifest_file;
struct lake_entry;

/* A table as the planner sees it: the read schema and what column resolution needs (dropped columns, schema history).
 */
typedef struct lake_planning_table {
    const struct lake_metadata *metadata;
    const struct lake_snapshot *snapshot;
    const lake_schema *schema; /* names resolve here */
    bool name_mapping; /* schema.name-mapping.default is set */
    bool from_names; /* partition values come from folders' names: some engines read "null" as null, others do not */
} lake_planning_table;

/* Prepared once a plan and spec: for each term its column, base facts, the partition fields on it. */
typedef struct lake_fact_maker lake_fact_maker;
LAKE_CHECK_RESULT lake_status lake_fact_maker_new(lake_arena *arena, const lake_planning_table *table,
    const lake_term *terms, size_t nterms, const lake_spec *spec, lake_fact_maker **out, lake_error *err);
/* The columns whose metrics are wanted from entries: ids in the order in which entry.columns must give them. */
const int32_t *lake_fact_maker_columns(const lake_fact_maker *maker, size_t *n);
/* Facts about every term from a manifest's partition summaries; `scratch` is reset by the caller. False: out of memory.
 */
bool lake_facts_of_manifest(
    const lake_fact_maker *maker, const struct lake_manifest_file *line, lake_arena *scratch, lake_facts *out);
/* Facts about every term from an entry (partition tuple, metrics, absent columns, defaults). entry.columns must be in
   the order of lake_fact_maker_columns. delete_file: only its partition and, for equality deletes, its equality columns
   count. */
bool lake_facts_of_entry(const lake_fact_maker *maker, const struct lake_entry *entry, bool delete_file,
    lake_arena *scratch, lake_facts *out);

/* ---- facts about parts of a data file: row groups, pages. `all` has lake_fact_maker_room facts, the terms' first. */
typedef struct lake_part_facts { /* about one of the maker's columns */
    bool known; /* false: nothing more than of the whole */
    bool null, nan, value; /* may a row hold one? */
    bool nulls_counted; /* there are nulls, whatever the schema says */
    bool yields; /* where it contradicts the whole, the whole is right */
    lake_span span; /* contains every value */
} lake_part_facts;

size_t lake_fact_maker_room(const lake_fact_maker *maker);
/* As lake_facts_of_entry, with what parts need besides. False: out of memory. */
bool lake_facts_of_file(
    const lake_fact_maker *maker, const struct lake_entry *entry, lake_arena *scratch, lake_facts *all);
/* What holds of the whole and of the part, whose facts are given for each column. A part that contradicts the whole
   makes the column unknown. `all` may not be `whole`. */
void lake_facts_narrow(const lake_fact_maker *maker, const lake_facts *whole, const lake_part_facts *parts,
    lake_arena *scratch, lake_facts *all);

#endif
