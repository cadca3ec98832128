/* What Avro types are in Iceberg's, and how their values are read as a column's type (spec.md, Appendix A, "Avro"; Avro
   specification 1.12, "Logical Types"). */
#ifndef LAKE_READER_AVRO_TYPES_H
#define LAKE_READER_AVRO_TYPES_H

#include "format/accum.h"
#include "wire/avro.h"

/* Looks through a union with null (either order; also a union of one). *null_branch: which branch is null, -1: none.
   NULL: any other union, which is no Iceberg type. */
const lake_avro_type *lake_avro_present(const lake_avro_type *t, int *null_branch);

typedef enum lake_avro_shape {
    LAKE_AVRO_IS_LEAF, /* variants too */
    LAKE_AVRO_IS_STRUCT,
    LAKE_AVRO_IS_LIST,
    LAKE_AVRO_IS_MAP, /* Avro's own */
    LAKE_AVRO_IS_PAIRS, /* a map as an array of records of two fields, key and value */
    LAKE_AVRO_IS_NOTHING /* a union that Iceberg does not have, fixed of size 0 */
} lake_avro_shape;
lake_avro_shape lake_avro_shape_of(const lake_avro_type *t);

/* The Iceberg type of a leaf by itself. */
lake_type lake_avro_leaf_type(const lake_avro_type *t);

/* How values are put into an accumulator: integers as LAKE_ACCUM_I64, bytes and fixed as views. LAKE_ACCUM_NONE: they
   cannot be read as the type, and are only counted. */
typedef struct lake_avro_reading {
    lake_accum_form form;
    int64_t mul, div;
    bool uuid_text;
} lake_avro_reading;
lake_avro_reading lake_avro_reading_of(const lake_avro_type *t, const lake_type *type);

#endif
