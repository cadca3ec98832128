/* The inside of lake_fact_maker: all that can be known of a term before any entry is seen. */
#ifndef LAKE_PLANNER_FACT_MAKER_H
#define LAKE_PLANNER_FACT_MAKER_H

#include "format/metadata.h"
#include "manifest/manifest.h"
#include "planner/predicate.h"
#include "planner/step.h"

/* A field of the partition spec whose source is the term's column. */
typedef struct lake_partition_use {
    size_t position; /* in the spec */
    lake_transform transform;
    lake_type result;
    lake_key_kind kind; /* of the result */
    bool monotone;
    bool divides; /* term and field are buckets, and the term's N divides the field's */
    lake_wrap_span wraps[2];
    size_t nwraps;
} lake_partition_use;

/* What a tuple or a summary says of a transform's results. */
typedef enum lake_maybe { LAKE_NEVER, LAKE_SOME, LAKE_ONLY } lake_maybe;
typedef struct lake_partition_values {
    lake_maybe null, nan;
    bool has_lo, has_hi;
    lake_key lo, hi; /* both inclusive */
} lake_partition_values;

/* Can the column be missing from a file? It is, if the schema of the snapshot that added the file is older than
 * `since`. */
typedef struct lake_absence {
    bool possible;
    int64_t since; /* the first schema id with the column, or that is not listed any more */
    const lake_field *const *tops; /* its parents, the nearest first, each with its own `since` */
    const int64_t *top_since;
    size_t ntops;
    bool has_default, default_known;
    lake_facts value; /* by initial-default; without one: only nulls */
} lake_absence;

typedef struct lake_fact_item {
    const lake_field *field;
    lake_key_kind kind; /* of the term */
    int32_t bucket; /* N; 0: the column itself */
    int64_t term; /* where its facts go; -1: needed by another item only */
    size_t slot; /* term -1: its place in the scratch array */
    lake_facts base;
    lake_partition_use *uses;
    size_t nuses;
    size_t column; /* in the maker's columns */
    bool is_struct;
    const size_t *kids; /* is_struct: items of its fields */
    size_t nkids;
    size_t source; /* bucket: the item of its column */
    lake_absence absence;
} lake_fact_item;

typedef struct lake_snapshot_schema {
    int64_t snapshot_id;
    int32_t schema_id;
} lake_snapshot_schema;

struct lake_fact_maker {
    const lake_planning_table *table;
    const lake_spec *spec;
    lake_fact_item *items; /* an item stands behind those that it needs */
    size_t nitems, items_room, nslots, nterms;
    int32_t *columns;
    size_t ncolumns, columns_room;
    lake_snapshot_schema *snapshots; /* by id; only if a column can be absent */
    size_t nsnapshots;
};

/* partition_facts.c */
LAKE_CHECK_RESULT lake_status lake_partition_uses(
    lake_arena *arena, const lake_spec *spec, lake_fact_item *item, lake_error *err);
/* One partition field's word on the term. False in *any: it says nothing. Returns false: out of memory. */
bool lake_partition_part(lake_arena *scratch, const lake_fact_item *item, const lake_partition_use *use,
    const lake_partition_values *v, lake_facts *out, bool *any);
bool lake_partition_of_tuple(
    lake_arena *scratch, const lake_partition_use *use, const lake_entry *entry, lake_partition_values *out);
bool lake_partition_of_summary(
    const lake_partition_use *use, const lake_field_summary *summary, lake_partition_values *out);

/* absent.c */
LAKE_CHECK_RESULT lake_status lake_absence_prepare(
    lake_arena *arena, lake_fact_maker *maker, lake_fact_item *item, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_absence_snapshots(lake_arena *arena, lake_fact_maker *maker, lake_error *err);
/* NULL: the column may be in the file. */
const lake_facts *lake_absence_facts(const lake_fact_maker *maker, const lake_fact_item *item, const lake_entry *entry);

#endif
