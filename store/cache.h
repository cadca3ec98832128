/* A cache on disk: small facts that cost reading to learn, kept from one process to the next. A folder holds a folder
   for each kind of fact (`footers-v1`), which holds up to 256 shards. Every record has a checksum; whatever is torn,
   damaged or foreign is no record. Nothing here knows what a fact is true of: callers put that into key and value. */
#ifndef LAKE_STORE_CACHE_H
#define LAKE_STORE_CACHE_H

#include "base/base.h"

typedef struct lake_cache lake_cache;

/* What a kind of fact takes on disk. */
typedef struct lake_cache_use {
    uint64_t shards, records, bytes;
    uint64_t damaged; /* shards with bytes that are no record; counted only where records are verified */
    uint64_t leftovers; /* temporary files of writers that died */
} lake_cache_use;

/* `folder` and `kind` are copied; nothing is read or made yet. `limit`: bytes on disk, all shards together. */
LAKE_CHECK_RESULT lake_status lake_cache_open(
    const char *folder, const char *kind, uint64_t limit, lake_cache **out, lake_error *err);
/* Drops what was not flushed. NULL is fine. */
void lake_cache_close(lake_cache *cache);

/* The value of a key, copied into the arena; false: there is none. Safe from several threads. */
bool lake_cache_get(lake_cache *cache, lake_bytes key, lake_arena *arena, lake_bytes *value);
/* Remembers a value until the next flush, and for gets of this process; the last one counts. Safe from several threads.
   What is too large, or for which there is no memory, is not remembered. */
void lake_cache_put(lake_cache *cache, lake_bytes key, lake_bytes value);
/* Writes what was put: each shard whole, to a temporary name, then renamed, with what other processes have written
   since it was read. The records used least lately fall away beyond the limit. False: some could not be written (a
   read-only folder, a full disk), which harms nothing. */
bool lake_cache_flush(lake_cache *cache);

/* What is on disk, all records verified if asked to. NOT_FOUND: the kind has no folder. */
LAKE_CHECK_RESULT lake_status lake_cache_look(
    const char *folder, const char *kind, bool verify, lake_cache_use *out, lake_error *err);
/* Removes shards and leftovers, and the kind's folder if nothing else is in it. */
LAKE_CHECK_RESULT lake_status lake_cache_remove(
    const char *folder, const char *kind, lake_cache_use *removed, lake_error *err);

#endif
