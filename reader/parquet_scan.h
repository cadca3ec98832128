/* Scanning the pages of one column into an accumulator. */
#ifndef LAKE_READER_PARQUET_SCAN_H
#define LAKE_READER_PARQUET_SCAN_H

#include "reader/parquet_file.h"
#include "reader/parquet_types.h"
#include "reader/stats.h"

/* Where rows go, one after the other, if somebody wants them. */
typedef struct lake_parquet_rows {
    lake_status (*on_values)(
        void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err);
    void *user;
    const lake_field *field;
} lake_parquet_rows;

/* What one worker needs; used for column after column. */
typedef struct lake_parquet_scan {
    lake_parquet_column column;
    lake_parquet_window window;
    lake_parquet_marks marks; /* of the dictionary's values */
} lake_parquet_scan;

/* page_limit, page_whole: see lake_file_stats_options. */
LAKE_CHECK_RESULT lake_status lake_parquet_scan_init(
    lake_parquet_scan *s, const lake_parquet_file *file, size_t page_limit, size_t page_whole, lake_error *err);
void lake_parquet_scan_clear(lake_parquet_scan *s);
/* Adds a column chunk of a row group of num_rows to `stats` (initialised by the caller). rows NULL: only statistics. */
LAKE_CHECK_RESULT lake_status lake_parquet_scan_chunk(lake_parquet_scan *s, const lake_parquet_node *leaf,
    const lake_parquet_chunk *chunk, int64_t num_rows, lake_accum *stats, const lake_parquet_rows *rows,
    lake_error *err);

/* Footer only: what a chunk's recorded statistics prove. */
typedef struct lake_parquet_claim {
    int64_t values, nulls, nans; /* -1: unknown */
    bool bounds; /* the bounds hold (also when there is no value to bound) */
    bool min_loose, max_loose;
} lake_parquet_claim;
/* Adds what can be trusted to `stats` (bounds only) and says what that was. */
lake_parquet_claim lake_parquet_trust(const lake_parquet_footer *footer, const lake_parquet_node *leaf,
    const lake_parquet_chunk *chunk, lake_accum *stats);

#endif
