/* Packs: many values in one file that is written once, mapped, and found by an index; what the manifest cache is made
   of. A record is a key, a value that knows its own checksums, and rows: a few bytes for each of some ids, which are
   kept together by id over all records, so that they can be run through without touching values. A pack never changes
   under its name. Nothing here knows what the bytes mean. */
#ifndef LAKE_STORE_PACK_H
#define LAKE_STORE_PACK_H

#include "base/base.h"
#include "store/cache.h"

enum { LAKE_PACK_ROW = 40 };
typedef struct lake_pack_row {
    int32_t id;
    uint8_t bytes[LAKE_PACK_ROW]; /* not all zero */
} lake_pack_row;

typedef struct lake_pack lake_pack;

/* Maps a plain file. NULL: there is none, or it is no sound pack. Counted: one reference is the caller's. */
lake_pack *lake_pack_open(int folder, const char *name);
lake_pack *lake_pack_keep(lake_pack *pack);
void lake_pack_release(lake_pack *pack); /* NULL is fine */

size_t lake_pack_count(const lake_pack *pack);
uint64_t lake_pack_size(const lake_pack *pack);
uint64_t lake_pack_hash(lake_bytes key);
/* The record of a key; SIZE_MAX: none. */
size_t lake_pack_find(const lake_pack *pack, uint64_t hash, lake_bytes key);
lake_bytes lake_pack_key(const lake_pack *pack, size_t record);
/* At a multiple of 8, and not verified. */
lake_bytes lake_pack_value(const lake_pack *pack, size_t record);
/* Copies a part of a value by reading: where little is wanted of each of many values, mapping their pages costs more.
 */
bool lake_pack_read(const lake_pack *pack, size_t record, uint64_t begin, void *into, size_t n);
bool lake_pack_value_good(const lake_pack *pack, size_t record);
/* LAKE_PACK_ROW bytes of each record, zeros where it has none; verified. NULL: no record has one, or damaged. */
const uint8_t *lake_pack_rows(lake_pack *pack, int32_t id);
/* The rows of a record, at most `room`. */
size_t lake_pack_rows_of(lake_pack *pack, size_t record, lake_pack_row *out, size_t room);

typedef struct lake_pack_writer lake_pack_writer;
/* folder -1: a file in memory only. NULL: it cannot be made. */
lake_pack_writer *lake_pack_writer_new(int folder);
/* False: it could not be written; the writer is of no use then. */
bool lake_pack_put(lake_pack_writer *writer, lake_bytes key, lake_bytes value, const lake_pack_row *rows, size_t nrows);
uint64_t lake_pack_written(const lake_pack_writer *writer);
/* Ends the file and gives it its name. NULL: it could not be written. */
lake_pack *lake_pack_finish(lake_pack_writer *writer, const char *name);
void lake_pack_writer_free(lake_pack_writer *writer); /* NULL is fine; an unfinished file is removed */

/* Names: 16 hex digits of a group, a dash, 16 random ones, ".pack". */
enum { LAKE_PACK_NAME = 38 };
bool lake_pack_is_name(const char *name);
bool lake_pack_new_name(uint64_t group, char out[LAKE_PACK_NAME + 1]);

/* pack_folder.c. The folder of a kind; -1: there is none (make: it cannot be made). */
int lake_pack_folder(const char *folder, const char *kind, bool make);
/* Removes packs used least lately until at most `limit` bytes are left, and leftovers of writers that died. */
void lake_pack_evict(int folder, uint64_t limit, const char *keep);
/* Marks a pack as used now, if that was not noted within the last minute. */
void lake_pack_touch(int folder, const char *name);
/* As lake_cache_look and lake_cache_remove. */
LAKE_CHECK_RESULT lake_status lake_pack_look(
    const char *folder, const char *kind, bool verify, lake_cache_use *out, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_pack_remove(
    const char *folder, const char *kind, lake_cache_use *removed, lake_error *err);

#endif
