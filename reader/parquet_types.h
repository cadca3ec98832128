/* What Parquet columns are in Iceberg's types, and how their stored values become keys (spec.md, Appendix A, "Parquet";
   parquet-LogicalTypes.md). */
#ifndef LAKE_READER_PARQUET_TYPES_H
#define LAKE_READER_PARQUET_TYPES_H

#include "format/accum.h"
#include "wire/parquet_footer.h"

/* The Iceberg type of a leaf by itself. Unsigned 32 bits: long; unsigned 64: decimal(20, 0); INT96: timestamptz;
   intervals: fixed; annotations that do not fit the stored type are ignored. */
lake_type lake_parquet_leaf_type(const lake_parquet_node *leaf);

/* How stored values are read as a type: LAKE_ACCUM_NONE if they cannot be (then they are only counted). */
typedef struct lake_parquet_reading {
    lake_accum_form form;
    size_t width;
    int64_t mul, div;
} lake_parquet_reading;
lake_parquet_reading lake_parquet_reading_of(const lake_parquet_node *leaf, const lake_type *type);

/* What a node is once the layers that lists and maps need are looked through (also the older, two-level ones). */
typedef enum lake_parquet_shape_kind {
    LAKE_SHAPE_LEAF,
    LAKE_SHAPE_STRUCT,
    LAKE_SHAPE_LIST,
    LAKE_SHAPE_MAP
} lake_parquet_shape_kind;
typedef struct lake_parquet_part {
    const lake_parquet_node *node;
    bool inside; /* the node is the repeated one itself: its repetition is used up by the list */
} lake_parquet_part;
typedef struct lake_parquet_shape {
    lake_parquet_shape_kind kind;
    lake_parquet_part parts[2]; /* LIST: the element; MAP: key and value. STRUCT: see node->children */
} lake_parquet_shape;
lake_parquet_shape lake_parquet_shape_of(lake_parquet_part part);
static inline bool lake_parquet_part_required(lake_parquet_part p) {
    return p.inside || p.node->repetition != LAKE_PARQUET_OPTIONAL;
}

/* Does any field have an id? */
bool lake_parquet_has_ids(const lake_parquet_node *node);
/* The schema that the file gives; see lake_schema_from_parquet. */
LAKE_CHECK_RESULT lake_status lake_parquet_schema(
    lake_arena *arena, const lake_parquet_footer *footer, lake_schema **out, lake_error *err);
/* fields[i]: the field of the schema that leaf i is, or NULL. By ids if the file has any, else by the mapping
   (schema.name-mapping.default, parsed) if there is one, else by name. own: the schema was made from this file. */
void lake_parquet_match(const lake_parquet_footer *footer, const lake_schema *schema, bool own,
    const lake_json *mapping, const lake_field **fields);

#endif
