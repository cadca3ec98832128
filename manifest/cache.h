/* The manifest cache: images (image.h) of manifests that were read, packed into few files (store/pack.h), or kept in
   memory. A manifest never changes under its name, and which ones a plan reads is told by the snapshot's list alone, so
   an image cannot be stale; its key is everything that its entries depend on. */
#ifndef LAKE_MANIFEST_CACHE_H
#define LAKE_MANIFEST_CACHE_H

#include "manifest/image.h"
#include "store/pack.h"

#define LAKE_CACHE_MANIFESTS "manifests-v1"
#define LAKE_CACHE_MANIFESTS_LIMIT ((uint64_t)4 << 30)

typedef struct lake_manifest_cache lake_manifest_cache;
/* folder NULL: in memory only. limit: bytes, 0: the default. Nothing is read or made yet. */
LAKE_CHECK_RESULT lake_status lake_manifest_cache_open(
    const char *folder, uint64_t limit, lake_manifest_cache **out, lake_error *err);
void lake_manifest_cache_close(lake_manifest_cache *cache); /* all uses have ended; NULL is fine */

/* What one plan finds there and adds. Images that were found are good until it ends. */
typedef struct lake_manifest_use lake_manifest_use;
/* `table` tells one table from another, so that few files are opened. NULL: out of memory. */
lake_manifest_use *lake_manifest_use_begin(lake_manifest_cache *cache, lake_str table);
void lake_manifest_use_end(lake_manifest_use *use);

/* What an image depends on, in an arena: the file's path (location maps applied), its line, the spec that orders
   partitions. ptr NULL: it cannot be kept. */
lake_bytes lake_manifest_key(
    const lake_store *store, lake_arena *arena, const lake_manifest_file *line, const lake_spec *spec);

typedef struct lake_manifest_found {
    lake_pack *pack;
    size_t record;
} lake_manifest_found;
/* Safe from several threads, as the next. */
bool lake_manifest_find(lake_manifest_use *use, lake_bytes key, lake_manifest_found *out);
/* An image that was found is damaged: what is sound of its pack is written anew with what is kept. */
void lake_manifest_spoiled(lake_manifest_use *use, const lake_manifest_found *found);
/* False: nothing more is kept in this use (a full disk, a read-only folder). */
bool lake_manifest_keep(
    lake_manifest_use *use, lake_bytes key, lake_bytes image, const lake_pack_row *rows, size_t nrows);
bool lake_manifest_keeps(const lake_manifest_use *use);
/* Writes what was kept, merged with packs that are not much larger; other plans find it from now on. */
void lake_manifest_use_write(lake_manifest_use *use);

/* ---- zones.c: what all live entries of a manifest have in common */
enum { LAKE_ZONE_SUMS = INT32_MIN }; /* the id of that row; others are columns' */
typedef enum lake_zone_order { LAKE_ZONE_NONE, LAKE_ZONE_INTS, LAKE_ZONE_BYTES, LAKE_ZONE_FLOATS } lake_zone_order;
/* Of which order bounds of a type are, whatever the type was promoted from or will be. */
lake_zone_order lake_zone_order_of(const lake_type *type);

typedef struct lake_zone_sums {
    int64_t live, bytes; /* entries that are not deleted; their sizes together */
} lake_zone_sums;
typedef struct lake_zone {
    bool null, nan, value; /* may a row of any entry hold one? */
    lake_bytes lower, upper; /* of all values; upper.ptr NULL: not known */
} lake_zone;

/* Into `rows`, at most `room`. Columns that the schema does not have, or about which not every entry speaks, get none.
 */
size_t lake_zones_make(
    const lake_entry *entries, size_t n, const lake_schema *schema, lake_pack_row *rows, size_t room);
bool lake_zone_sums_read(const uint8_t *row, lake_zone_sums *out);
/* False: nothing is known, or it was made by another order. */
bool lake_zone_read(const uint8_t *row, lake_zone_order order, lake_zone *out);

#endif
