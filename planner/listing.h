/* Plans of directories: listing.c opens them, listing_keys.c reads names of folders, listing_prune.c decides which are
   listed, listing_files.c reads footers, listing_schema.c makes one schema of them. */
#ifndef LAKE_PLANNER_LISTING_H
#define LAKE_PLANNER_LISTING_H

#include "lake/listing.h"
#include "planner/plan.h"
#include "planner/tree.h"
#include "store/walk.h"

/* A partition column: a key of folder names. */
typedef struct listing_key {
    lake_str name;
    lake_type type;
    bool given; /* its type was: --partition-types or a schema */
    bool frozen; /* folders have been pruned by the type */
    bool any, all_long, all_date; /* of the values so far that are not null */
    lake_str first; /* the first path that has the key */
} listing_key;

/* The partition values of a folder. */
typedef struct listing_value {
    const struct listing_value *up; /* of the keys before; NULL: none */
    size_t key;
    lake_str text; /* decoded */
    bool null;
} listing_value;

typedef struct listing_given_type {
    lake_str name;
    lake_type type;
} listing_given_type;

/* Schemas that files have: each once. */
typedef struct listing_schema {
    lake_str text; /* its JSON */
    uint64_t hash;
    size_t first; /* the first file that has it, by index */
    lake_schema *schema;
    /* for merged columns: */
    int32_t *own, *merged; /* pairs of field ids, by own */
    size_t npairs;
    const int32_t *absent; /* merged ids that the files lack: only nulls */
    size_t nabsent;
} listing_schema;

typedef struct listing_file {
    const lake_walk_file *file;
    listing_schema *schema; /* NULL: no Parquet file */
    int64_t rows;
    const int64_t *split_offsets;
    size_t nsplit_offsets;
    lake_column_metrics *columns; /* first by own ids, then by merged ones */
    size_t ncolumns;
    bool cached; /* known without having been opened */
} listing_file;

typedef struct plan_listing {
    lake_session *session;
    lake_store store; /* the session's, with a memory of footers if they are wanted again */
    bool keep_footers;
    int64_t began; /* when the walk began, in nanoseconds since 1970 */
    lake_plan *plan;
    const lake_listing_options *options;
    const lake_tree *tree;
    lake_arena arena; /* of what lives as long as the plan */
    lake_str location; /* the first that was given */
    lake_walk walk;
    lake_plan_listing counts;

    listing_key *keys;
    size_t nkeys, keys_room;
    bool widened; /* a value does not fit the type by which folders were judged */
    size_t unseen; /* keys from this one on have values in folders that were pruned; SIZE_MAX: none */
    bool complete; /* prune nothing: all values are wanted */
    bool again; /* folders were pruned by that type: list once more, by the wider one */
    listing_given_type *types;
    size_t ntypes, types_room;
    lake_schema *given; /* options.schema_json */

    /* pruning: the predicate as far as it is about the keys so far */
    lake_arena round; /* made again when there are more keys */
    lake_planning_table planning;
    lake_metadata metadata;
    lake_spec spec;
    lake_bound *bound;
    lake_fact_maker *maker;
    lake_facts *facts;
    size_t bound_keys; /* keys that `bound` knows; SIZE_MAX: there is none yet */
    struct listing_seen *seen;
    size_t nseen, seen_slots;
    plan_decision *decisions, **decisions_end;
    size_t ndecisions;
    lake_str *pruned; /* their paths, as far as they are needed for the schema */
    size_t npruned, pruned_room;

    lake_arena *arenas; /* of the workers that read footers */
    unsigned narenas;
    listing_file *files;
    size_t nfiles;
    listing_schema **schemas;
    size_t nschemas, schemas_room;
    lake_schema *schema; /* of the plan */
    lake_schema *file_schema; /* without the keys */
} plan_listing;

/* listing_keys.c */
/* Values of a path's folders, behind `up`. Registers keys. */
LAKE_CHECK_RESULT lake_status listing_read_folder(
    plan_listing *l, lake_str name, lake_str path, const listing_value *up, const listing_value **out, lake_error *err);
LAKE_CHECK_RESULT lake_status listing_read_path(
    plan_listing *l, lake_str path, const listing_value **out, lake_error *err);
LAKE_CHECK_RESULT lake_status listing_read_types(plan_listing *l, lake_error *err);
/* Types of the keys by all values so far, except where they are fixed. */
void listing_set_types(plan_listing *l);
/* The tuple of a folder's values, by key; *n: how many it has. `path` is for errors. */
LAKE_CHECK_RESULT lake_status listing_tuple(plan_listing *l, lake_arena *arena, const listing_value *values,
    lake_str path, lake_datum **out, size_t *n, lake_error *err);
static inline size_t listing_depth(const listing_value *v) {
    return v ? v->key + 1 : 0;
}
bool listing_same_values(const listing_value *a, const listing_value *b);

/* listing_prune.c: lake_walk_options.level and .hidden */
lake_status listing_level(void *user, lake_walk_folder **folders, size_t n, lake_error *err);
lake_status listing_hidden(void *user, const lake_walk_folder *folder, lake_str name, lake_error *err);

/* listing_files.c */
LAKE_CHECK_RESULT lake_status listing_read_files(plan_listing *l, lake_error *err);

/* listing_cache.c: what footers say, from the session's cache on disk. */
/* True: the file is as it was when `out` (all but `file`) was remembered. `schema`: its text and hash, if it is a
   Parquet file, else ptr NULL. Into the arena. */
bool listing_recall(plan_listing *l, const lake_walk_file *file, lake_arena *scratch, lake_arena *arena,
    listing_file *out, lake_str *schema);
void listing_remember(plan_listing *l, lake_arena *scratch, const listing_file *f, lake_str schema);

/* All folders fell away: looks into some of them for a file, whose columns the predicate may name. Gives up, without an
   error, after a few folders. */
LAKE_CHECK_RESULT lake_status listing_probe(plan_listing *l, lake_error *err);

/* listing_schema.c */
/* l->schema from those of the files and from the keys, and how each file's columns are found in it. */
LAKE_CHECK_RESULT lake_status listing_make_schema(plan_listing *l, lake_error *err);
/* Identities of the keys' columns, in the order of the keys. */
LAKE_CHECK_RESULT lake_status listing_make_spec(
    plan_listing *l, lake_arena *arena, const lake_schema *schema, lake_spec *out, lake_error *err);

#endif
