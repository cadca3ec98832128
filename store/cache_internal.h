/* The insides of a cache: cache.c knows its records, cache_files.c its files. */
#ifndef LAKE_STORE_CACHE_INTERNAL_H
#define LAKE_STORE_CACHE_INTERNAL_H

#include <pthread.h>

#include "store/cache.h"
#include "store/store.h"

#define CACHE_MAGIC "LAKEch1\n"
enum { CACHE_SHARDS = 256 };

typedef struct cache_record {
    const uint8_t *at;
    size_t len;
    uint64_t checksum;
    lake_bytes key, value;
} cache_record;

typedef struct cache_slot {
    uint64_t hash;
    cache_record record; /* at NULL: free */
    bool used; /* by this process */
} cache_slot;

typedef struct cache_table {
    cache_slot *slots; /* a power of two of them, at most half of them used */
    size_t n, size;
} cache_table;

/* A record that is not on disk yet. */
typedef struct cache_put {
    struct cache_put *next;
    size_t len;
    uint8_t record[];
} cache_put;

typedef struct cache_shard {
    pthread_mutex_t lock;
    bool loaded;
    lake_blob file;
    cache_table table;
    cache_put *puts; /* the last first */
    size_t nputs;
} cache_shard;

struct lake_cache {
    lake_arena arena;
    lake_str folder, kind; /* kind: its folder's path; both NUL-ended */
    size_t shard_limit;
    bool swept; /* leftovers of others were looked for */
    cache_shard shards[CACHE_SHARDS];
};

/* ---- cache.c */
/* The records of a shard's file; false: it is none. */
bool cache_records(lake_bytes file, lake_cursor *out);
/* The next record whose lengths fit; false: there are no more. */
bool cache_record_next(lake_cursor *at, cache_record *out);
bool cache_record_good(const cache_record *r);
void cache_record_put(lake_buffer *b, lake_bytes key, lake_bytes value);
/* False: out of memory. A key that is there stays, or is replaced. */
bool cache_table_add(cache_table *t, const cache_record *r, bool replace, bool *added);
void cache_table_clear(cache_table *t);

/* ---- cache_files.c */
/* What cannot be read, or is no plain file, is empty. */
void cache_file_read(const lake_cache *c, unsigned shard, lake_blob *out);
bool cache_file_write(lake_cache *c, unsigned shard, lake_bytes data);

#endif
