/* ORC types and Iceberg's (spec.md, Appendix A, "ORC"), and what of a footer's statistics proves something. */
#ifndef LAKE_READER_ORC_TYPES_H
#define LAKE_READER_ORC_TYPES_H

#include "format/accum.h"
#include "reader/stats.h"
#include "wire/orc.h"

typedef enum lake_orc_shape {
    LAKE_ORC_IS_LEAF, /* variants too */
    LAKE_ORC_IS_STRUCT,
    LAKE_ORC_IS_LIST,
    LAKE_ORC_IS_MAP,
    LAKE_ORC_IS_NOTHING /* unions */
} lake_orc_shape;
lake_orc_shape lake_orc_shape_of(const lake_orc_type *t);

/* The Iceberg type of a leaf by itself. */
lake_type lake_orc_leaf_type(const lake_orc_type *t);
/* The attribute iceberg.id; -1: none. */
int32_t lake_orc_id(const lake_orc_type *t);
bool lake_orc_has_ids(const lake_orc_footer *footer);

/* The schema that the file gives: see lake_schema_from_file. */
LAKE_CHECK_RESULT lake_status lake_orc_own_schema(
    lake_arena *arena, const lake_orc_footer *footer, lake_schema **out, lake_error *err);
/* fields[i]: the column that type i is, or NULL. By ids if the file has any, else by the mapping, else by name. */
LAKE_CHECK_RESULT lake_status lake_orc_match(lake_arena *arena, const lake_orc_footer *footer,
    const lake_schema *schema, bool own, const lake_json *mapping, const lake_field **fields, lake_error *err);

/* What is sure of a column: counts (-1: unknown) and bounds, whose bytes point into the footer's arena. */
typedef struct lake_orc_claim {
    int64_t values, nulls, nans, column_size;
    bool has_min, has_max, min_loose, max_loose;
    lake_key min, max;
} lake_orc_claim;
lake_orc_claim lake_orc_trust(
    const lake_orc_footer *footer, const lake_orc_postscript *postscript, size_t type, const lake_field *field);

#endif
