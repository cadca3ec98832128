/* Columns of a predicate in a Parquet file, and what footers and page indexes prove about their values. */
#ifndef LAKE_PLANNER_FOOTER_FACTS_H
#define LAKE_PLANNER_FOOTER_FACTS_H

#include "planner/predicate.h"
#include "reader/parquet_scan.h"

/* One of a fact maker's columns in the file. */
typedef struct lake_footer_column {
    const lake_field *field; /* NULL: not in the schema */
    const lake_parquet_node *leaf; /* NULL: not in the file, or not to be told */
    lake_parquet_reading reading;
    bool missing; /* the file cannot hold it: only nulls */
} lake_footer_column;

/* Finds the columns (ids) of the schema in the file: by field id, or by the name mapping (NULL: none) if the file has
   no ids. *told false: neither, so nothing in the file can be told. by_names: by their own names, whatever ids there
   are (directories). `out` has a place for each id. */
LAKE_CHECK_RESULT lake_status lake_footer_columns(lake_arena *scratch, const lake_parquet_footer *footer,
    const lake_schema *schema, const lake_json *mapping, bool by_names, const int32_t *ids, size_t n,
    lake_footer_column *out, bool *told, lake_error *err);

/* Is the key one of the type's? Unsigned values may lie beyond; what a reader makes of them is not known. */
bool lake_footer_fits(const lake_type *type, lake_key key);

/* What the statistics of a chunk of `rows` rows prove (reader/parquet_trust.c); known false: nothing. Keys live in the
   arena. For a page: the chunk with the page's statistics and number of values. */
LAKE_CHECK_RESULT lake_status lake_footer_facts(lake_arena *arena, const lake_parquet_footer *footer,
    const lake_footer_column *column, const lake_parquet_chunk *chunk, int64_t rows, lake_part_facts *out,
    lake_error *err);

#endif
