/* Shared by the files of store/ that know the local file system. */
#ifndef LAKE_STORE_LOCAL_H
#define LAKE_STORE_LOCAL_H

#include "store/store.h"

/* The path of a location, resolved into an arena of its own. */
typedef struct lake_local_path {
    lake_arena arena;
    lake_str path;
} lake_local_path;

LAKE_CHECK_RESULT lake_status lake_local_path_init(
    const lake_store *store, lake_str location, lake_local_path *out, lake_error *err);
static inline void lake_local_path_clear(lake_local_path *p) {
    lake_arena_clear(&p->arena);
}
#define LAKE_LOCAL_PATH __attribute__((cleanup(lake_local_path_clear))) lake_local_path

static inline uint64_t lake_store_limit(const lake_store *store) {
    return store->max_file ? store->max_file : (uint64_t)2 << 30;
}

#endif
