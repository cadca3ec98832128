/* Decoding by program: an Avro writer schema, compiled against tables of the fields that we know, becomes a list of
   operations that fill a struct; what is not known is skipped. compile.c makes programs, run.c runs them, columns.c and
   pairs.c do the metrics. Nothing here knows of files or inheritance. */
#ifndef LAKE_MANIFEST_PROGRAM_H
#define LAKE_MANIFEST_PROGRAM_H

#include "manifest/manifest.h"

/* Where a field goes and what it becomes. */
typedef enum lake_slot_kind {
    LAKE_SLOT_LONG, /* int64_t */
    LAKE_SLOT_INT, /* int32_t */
    LAKE_SLOT_SMALL, /* uint8_t */
    LAKE_SLOT_FLAG, /* bool or int8_t: 0, 1 */
    LAKE_SLOT_VIEW, /* lake_bytes or lake_str, into the block */
    LAKE_SLOT_DATUM, /* lake_datum */
    LAKE_SLOT_RECORD, /* its fields fill the same struct */
    LAKE_SLOT_PARTITION, /* run->partition */
    LAKE_SLOT_COUNTS, /* run->columns: a count, `has` tells which */
    LAKE_SLOT_BOUNDS, /* run->columns: a bound, at `offset` in lake_column_metrics */
    LAKE_SLOT_LONGS, /* run->longs */
    LAKE_SLOT_INTS, /* run->ints */
    LAKE_SLOT_SUMMARIES /* run->summaries */
} lake_slot_kind;

/* Groups of slots that a run may leave out. */
enum { LAKE_GROUP_ALWAYS = 1, LAKE_GROUP_METRICS = 2, LAKE_GROUP_REST = 4, LAKE_GROUP_ROW_ID = 8 };

typedef struct lake_slot {
    int32_t id;
    const char *name, *alias; /* for schemas without ids; the alias is an old name, or NULL */
    uint8_t kind, group;
    bool required; /* null or missing is an error */
    uint32_t offset;
    uint32_t has; /* bits to set in run->has once a value is there */
    const struct lake_slot *fields; /* RECORD, COUNTS, BOUNDS (of a pair), SUMMARIES */
    size_t nfields;
} lake_slot;

typedef enum lake_op_code {
    LAKE_OP_NOTHING,
    LAKE_OP_NULL, /* a branch without value */
    LAKE_OP_SKIP_VARINT,
    LAKE_OP_SKIP_SIZED,
    LAKE_OP_SKIP_FIXED,
    LAKE_OP_SKIP_VARINTS, /* an array whose items are `size` varints each */
    LAKE_OP_SKIP_SIZED_PAIRS, /* an array of {varint, sized} */
    LAKE_OP_SKIP_ANY,
    LAKE_OP_LONG,
    LAKE_OP_INT,
    LAKE_OP_SMALL,
    LAKE_OP_FLAG,
    LAKE_OP_SIZED,
    LAKE_OP_FIXED,
    LAKE_OP_DATUM,
    LAKE_OP_RECORD,
    LAKE_OP_PARTITION,
    LAKE_OP_PAIRS,
    LAKE_OP_LIST, /* LONGS, INTS, SUMMARIES */
    LAKE_OP_UNION
} lake_op_code;

typedef struct lake_op {
    uint8_t code, skip; /* what to do if the group is wanted; if not */
    uint8_t group;
    int8_t null_branch; /* 0, 1: that branch of a two-way union is null; -1: no such union */
    bool required; /* null is an error */
    bool fast; /* PAIRS: an array of exactly {varint, varint} or {varint, sized}; LIST: items are varints */
    uint32_t offset, has, size;
    const lake_slot *slot; /* NULL: a field that is only skipped */
    const lake_avro_type *type; /* without the null branch */
    const struct lake_op *ops; /* RECORD, PARTITION: fields; UNION: branches; PAIRS, LIST: parts of an item */
    size_t nops;
} lake_op;

typedef struct lake_program {
    const lake_op *ops;
    size_t nops, npartition;
    bool has_sequence_numbers; /* the schema has the column */
} lake_program;

/* Compiles a record schema against a table. `spec` orders the partition (NULL: no partition slot in the table, or the
   fields of the file in their order). Into the arena, which the schema must outlive. Errors name field and id. */
LAKE_CHECK_RESULT lake_status lake_program_compile(lake_arena *arena, const lake_avro_type *record,
    const lake_slot *slots, size_t nslots, const lake_spec *spec, lake_program *out, lake_error *err);

/* ---- columns: metrics of one entry, by column id */
typedef struct lake_columns {
    lake_column_metrics *list;
    size_t n;
    bool all;
    size_t distinct; /* wanted: how many different ids */
    /* wanted: index + 1 by id for small ids, a sorted list for others */
    uint16_t *table;
    size_t table_size;
    struct lake_column_ref {
        int32_t id;
        uint32_t index;
    } * big;
    size_t nbig;
    const int32_t *ids;
    bool doubles; /* some id is wanted twice */
    /* all: `list` is sorted, what came out of order waits in `late` */
    size_t cap, hint;
    lake_buffer late;
    bool failed; /* out of memory, or too many */
} lake_columns;

LAKE_CHECK_RESULT lake_status lake_columns_init(lake_columns *c, const lake_manifest_want *want, lake_error *err);
void lake_columns_clear(lake_columns *c);
void lake_columns_begin(lake_columns *c); /* before an entry */
/* After an entry; false: out of memory. */
bool lake_columns_end(lake_columns *c);
/* The first of the columns, sorted by id, whose id is not below this one; n: none. */
size_t lake_columns_lower(const lake_column_metrics *columns, size_t n, int32_t id);
lake_column_metrics *lake_columns_find_slow(lake_columns *c, int64_t id);

/* The element for an id, or NULL if it is not wanted. */
static inline lake_column_metrics *lake_columns_find(lake_columns *c, int64_t id) {
    if (!c->all) {
        if ((uint64_t)id < c->table_size) {
            uint16_t at = c->table[id];
            return at ? &c->list[at - 1] : NULL;
        }
        return c->nbig ? lake_columns_find_slow(c, id) : NULL;
    }
    if (c->hint < c->n && c->list[c->hint].id == id)
        return &c->list[c->hint++];
    return lake_columns_find_slow(c, id);
}

/* ---- running */
typedef struct lake_run {
    const uint8_t *at, *end;
    uint32_t groups;
    uint32_t has; /* bits of the slots that were filled */
    lake_columns *columns;
    lake_datum *partition;
    size_t npartition;
    lake_buffer longs, ints, summaries;
    /* after a failure */
    const lake_op *fault;
    const char *why; /* NULL: out of memory */
} lake_run;

/* One pair of a metrics map that has no fast form. */
typedef struct lake_pair {
    int64_t key, count;
    lake_bytes bound;
} lake_pair;
enum { LAKE_PAIR_KEY = 1, LAKE_PAIR_VALUE = 2 };

/* Fills `base` from one record at run->at, which is advanced. False: run->fault and run->why say what is wrong. The
   caller has cleared `base`, run->has and the buffers. */
bool lake_program_run(lake_run *run, const lake_program *program, void *base);
/* The error of a run that failed: field, reason, byte of the block (which begins at `begin`). */
lake_status lake_run_error(const lake_run *run, const uint8_t *begin, lake_error *err);
void lake_run_clear(lake_run *run);

/* Shared by run.c and pairs.c. */
const uint8_t *lake_run_ops(lake_run *run, const lake_op *op, size_t n, uint8_t *base, const uint8_t *p);
const uint8_t *lake_run_pairs(lake_run *run, const lake_op *op, const uint8_t *p);
const uint8_t *lake_run_fault(lake_run *run, const lake_op *op, const char *why, const uint8_t *at); /* returns NULL */
/* A block head of an array or map; *n 0 is its end. *stop: where it must end, or NULL. */
const uint8_t *lake_run_head(lake_run *run, const lake_op *op, const uint8_t *p, uint64_t *n, const uint8_t **stop);

#endif
