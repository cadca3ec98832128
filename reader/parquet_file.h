/* An open Parquet file: its footer, and windows through which workers read its pages. */
#ifndef LAKE_READER_PARQUET_FILE_H
#define LAKE_READER_PARQUET_FILE_H

#include "store/store.h"
#include "wire/parquet_column.h"

typedef struct lake_parquet_file {
    lake_file *file;
    uint64_t size;
    uint64_t footer_at; /* offset of the footer: pages lie before it */
    lake_parquet_footer *footer;
} lake_parquet_file;

/* Opens the file and reads its footer into the arena; the file's real size says where it is. Errors do not name the
 * file. */
LAKE_CHECK_RESULT lake_status lake_parquet_file_open(
    const lake_store *store, lake_str location, lake_arena *arena, lake_parquet_file *out, lake_error *err);
void lake_parquet_file_close(lake_parquet_file *f);

/* A stretch of the file in memory, of one worker. */
typedef struct lake_parquet_window {
    const lake_parquet_file *file;
    lake_buffer data;
    uint64_t at; /* offset of data */
    uint64_t until; /* reading ahead stops there: the end of the column chunk */
} lake_parquet_window;

void lake_parquet_window_init(lake_parquet_window *w, const lake_parquet_file *file);
void lake_parquet_window_clear(lake_parquet_window *w);
/* Forgets what it holds; pages up to `until` come next. */
void lake_parquet_window_begin(lake_parquet_window *w, uint64_t until);
lake_parquet_source lake_parquet_window_source(lake_parquet_window *w);

#endif
