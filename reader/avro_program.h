/* An Avro schema against an Iceberg schema: how the values of a row are walked, and which leaves are columns. */
#ifndef LAKE_READER_AVRO_PROGRAM_H
#define LAKE_READER_AVRO_PROGRAM_H

#include "reader/avro_types.h"
#include "reader/stats.h"

typedef enum lake_avro_op {
    LAKE_AVRO_SKIP, /* nothing in it is wanted */
    LAKE_AVRO_LEAF,
    LAKE_AVRO_STRUCT, /* children: its fields, all of them */
    LAKE_AVRO_LIST, /* children[0]: the element */
    LAKE_AVRO_ENTRIES /* Avro's map; children: key, value */
} lake_avro_op;

typedef struct lake_avro_node {
    lake_avro_op op;
    const lake_avro_type *type; /* as the file has it */
    const lake_avro_type *present; /* a union with null looked through */
    int null_branch;
    size_t leaf; /* LEAF: index into leaves */
    struct lake_avro_node *children;
    size_t nchildren;
    const size_t *nulls; /* leaves that are null when this is: those below without a list between */
    size_t nnulls;
} lake_avro_node;

typedef struct lake_avro_leaf {
    const lake_avro_type *type;
    const lake_field *field;
    lake_avro_reading reading;
    size_t number; /* of the file's leaves */
    bool rows; /* its values go to on_values */
    bool inside_list;
} lake_avro_leaf;

typedef struct lake_avro_program {
    lake_avro_node root;
    lake_avro_leaf *leaves;
    size_t nleaves;
    size_t unmatched;
} lake_avro_program;

/* The schema that the file gives: see lake_schema_from_file. Parts that Iceberg has no type for (unions of several
   types, records that contain themselves) are left out. */
LAKE_CHECK_RESULT lake_status lake_avro_own_schema(
    lake_arena *arena, const lake_avro_type *root, lake_schema **out, lake_error *err);
/* own: the schema was made from this file. LIMIT: a schema of more than 100,000 parts (named types may be used again
   and again). */
LAKE_CHECK_RESULT lake_status lake_avro_compile(lake_arena *arena, const lake_avro_type *root,
    const lake_schema *schema, bool own, const lake_file_stats_options *options, lake_avro_program *out,
    lake_error *err);

/* ---- for both */
enum { LAKE_AVRO_MAX_PARTS = 100000 };
/* The records that a part lies in: a type among them contains itself. */
typedef struct lake_avro_chain {
    const lake_avro_type *records[LAKE_AVRO_MAX_DEPTH + 2];
    size_t n;
} lake_avro_chain;
/* False: too deep, or the record contains itself. Pop (n--) when done. */
bool lake_avro_chain_push(lake_avro_chain *chain, const lake_avro_type *t);
/* The name before Avro's rules for names were applied. */
lake_str lake_avro_field_name(const lake_avro_field *f);
bool lake_avro_has_ids(const lake_avro_type *t);

#endif
