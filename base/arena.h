/* An arena: many small allocations, freed together. Not thread-safe; one for each table, plan, writer or worker. */
#ifndef LAKE_BASE_ARENA_H
#define LAKE_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "base/error.h"
#include "lake/view.h"

typedef struct lake_arena_block lake_arena_block;

typedef struct lake_arena {
    lake_arena_block *block; /* newest first */
    size_t used, limit; /* bytes asked for so far; most that may be asked for (0: no limit) */
} lake_arena;

void lake_arena_init(lake_arena *arena, size_t limit);
void lake_arena_clear(lake_arena *arena); /* frees all; the arena can be used again */
void lake_arena_reset(lake_arena *arena); /* forgets all, keeps the largest block for reuse */

/* 16-byte aligned, uninitialised; NULL when memory or the limit is used up. */
void *lake_arena_alloc(lake_arena *arena, size_t size);
void *lake_arena_zalloc(lake_arena *arena, size_t count, size_t size);

/* Copies; the copy is followed by a NUL. ptr NULL on failure. */
lake_str lake_arena_str(lake_arena *arena, const char *ptr, size_t len);
lake_bytes lake_arena_bytes(lake_arena *arena, const void *ptr, size_t len);
lake_str lake_arena_printf(lake_arena *arena, const char *fmt, ...) LAKE_PRINTF(2, 3);

#define LAKE_ARENA_NEW(arena, type) ((type *)lake_arena_zalloc((arena), 1, sizeof(type)))
#define LAKE_ARENA_ARRAY(arena, type, n) ((type *)lake_arena_zalloc((arena), (n), sizeof(type)))

#endif
