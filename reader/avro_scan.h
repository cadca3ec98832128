/* Rows of Avro blocks into accumulators. */
#ifndef LAKE_READER_AVRO_SCAN_H
#define LAKE_READER_AVRO_SCAN_H

#include "reader/avro_program.h"

enum { LAKE_AVRO_BATCH = 256 };

/* Values of one leaf that are not yet in its accumulator. */
typedef struct lake_avro_column {
    lake_accum stats;
    size_t stride, n;
    bool nulls; /* some of the batch are */
    uint8_t present[LAKE_AVRO_BATCH];
    _Alignas(lake_bytes) uint8_t data[LAKE_AVRO_BATCH * sizeof(lake_bytes)];
    uint8_t (*uuids)[16]; /* made of their text; NULL: the column has none */
    lake_key *keys; /* for on_values; NULL: not wanted */
} lake_avro_column;

/* What one worker needs. */
typedef struct lake_avro_scan {
    const lake_avro_program *program;
    const lake_file_stats_options *options;
    lake_avro_column *columns; /* of each leaf of the program */
    int64_t rows;
} lake_avro_scan;

LAKE_CHECK_RESULT lake_status lake_avro_scan_init(
    lake_avro_scan *s, const lake_avro_program *program, const lake_file_stats_options *options, lake_error *err);
void lake_avro_scan_clear(lake_avro_scan *s);
/* Adds the `count` objects of a block; all of its bytes must be theirs. */
LAKE_CHECK_RESULT lake_status lake_avro_scan_block(
    lake_avro_scan *s, lake_cursor objects, uint64_t count, lake_error *err);

#endif
