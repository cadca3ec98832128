/* Page indexes: where a column chunk's data pages are, and what values each holds (parquet.thrift, "OffsetIndex",
   "ColumnIndex"; parquet-PageIndex.md). Both are checked as a whole: an index that is torn, or does not agree with its
   row group or with itself, is refused. */
#ifndef LAKE_WIRE_PARQUET_INDEX_H
#define LAKE_WIRE_PARQUET_INDEX_H

#include "wire/parquet_footer.h"

enum { LAKE_PARQUET_INDEX_LIMIT = 64 << 20 }; /* bytes of an index; a longer one is not read */

typedef struct lake_parquet_page_place {
    int64_t offset, length; /* with the page's header */
    int64_t first_row, rows; /* in the row group */
} lake_parquet_page_place;

typedef struct lake_parquet_offset_index {
    lake_parquet_page_place *pages; /* at least one, unless the row group has no rows */
    size_t npages;
} lake_parquet_offset_index;

/* Reads an offset index of a chunk in a row group of `num_rows`. MALFORMED: torn; pages that do not lie one behind the
   other inside the chunk; rows that do not begin at 0 and grow. The pages go into the arena. */
LAKE_CHECK_RESULT lake_status lake_parquet_offset_index_read(lake_arena *arena, lake_bytes b, int64_t origin,
    const lake_parquet_chunk *chunk, int64_t num_rows, lake_parquet_offset_index *out, lake_error *err);

/* What is recorded of a page. Views point into the bytes that were read. */
typedef struct lake_parquet_page_values {
    bool only_nulls;
    lake_bytes min, max; /* not only_nulls */
    int64_t null_count, nan_count; /* -1: not recorded */
} lake_parquet_page_values;

/* Reads the column index that goes with an offset index, of a column outside lists and maps. MALFORMED: torn; not one
   entry for each page; counts that cannot be, or that do not add up to the chunk's own. pages: one for each page of
   `places`. */
LAKE_CHECK_RESULT lake_status lake_parquet_column_index_read(lake_arena *arena, lake_bytes b, int64_t origin,
    const lake_parquet_chunk *chunk, const lake_parquet_offset_index *places, lake_parquet_page_values **pages,
    lake_error *err);

#endif
