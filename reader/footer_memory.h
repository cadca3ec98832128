/* Footers of Parquet files that one process reads more than once: raw, by location and size. A store points at it
   (lake_store.footers) while a plan wants it; lake_parquet_file_open asks it and fills it. */
#ifndef LAKE_READER_FOOTER_MEMORY_H
#define LAKE_READER_FOOTER_MEMORY_H

#include "base/base.h"

typedef struct lake_footer_memory lake_footer_memory;

/* `limit`: bytes; beyond it nothing more is remembered. NULL: out of memory. */
lake_footer_memory *lake_footer_memory_new(size_t limit);
void lake_footer_memory_free(lake_footer_memory *m); /* NULL is fine */
/* Copies into the arena; false: it is not known (or there is no memory). Safe from several threads, as is put. */
bool lake_footer_memory_get(
    lake_footer_memory *m, lake_str location, uint64_t file_size, lake_arena *arena, lake_bytes *footer);
void lake_footer_memory_put(lake_footer_memory *m, lake_str location, uint64_t file_size, lake_bytes footer);

#endif
