/* Readers of data files by their format, behind lake_file_stats_read (reader/stats.h). */
#ifndef LAKE_READER_DATA_FILE_H
#define LAKE_READER_DATA_FILE_H

#include "format/accum.h"
#include "reader/stats.h"

LAKE_CHECK_RESULT lake_status lake_parquet_stats_read(const lake_store *store, lake_str location,
    const lake_file_stats_options *options, lake_arena *arena, lake_file_stats *out, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_avro_stats_read(const lake_store *store, lake_str location,
    const lake_file_stats_options *options, lake_arena *arena, lake_file_stats *out, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_schema_from_avro(
    const lake_store *store, lake_str location, lake_arena *arena, lake_schema **out, bool *ids, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_orc_stats_read(const lake_store *store, lake_str location,
    const lake_file_stats_options *options, lake_arena *arena, lake_file_stats *out, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_schema_from_orc(
    const lake_store *store, lake_str location, lake_arena *arena, lake_schema **out, bool *ids, lake_error *err);

/* Fills in what an accumulator holds of a field: name, counts and bounds, whose bytes are copied into the arena.
   Bounds that the type cannot hold (unsigned, scaled) are left out. leaf, column_size and the rest stay 0. */
LAKE_CHECK_RESULT lake_status lake_column_stats_set(
    lake_arena *arena, const lake_field *field, const lake_accum *stats, lake_column_stats *out, lake_error *err);

#endif
