/* What dump.c hands out by the kind of a file. */
#ifndef LAKE_READER_DUMP_INTERNAL_H
#define LAKE_READER_DUMP_INTERNAL_H

#include "reader/dump_text.h"
#include "store/store.h"

LAKE_CHECK_RESULT lake_status lake_dump_avro(lake_arena *arena, lake_bytes data, lake_dump_out *out, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_dump_puffin(lake_arena *arena, lake_file *file, lake_dump_out *out, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_dump_parquet(
    lake_arena *arena, lake_file *file, lake_dump_out *out, lake_error *err);

#endif
