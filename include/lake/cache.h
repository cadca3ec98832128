/* The cache on disk: what cost reading to learn, kept in a folder from one process to the next
   (lake_session_options.cache). It may be removed at any time, shared by any number of processes, and read-only. */
#ifndef LAKE_CACHE_H
#define LAKE_CACHE_H

#include "lake/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Facts of one kind, which have a folder of their own. */
typedef struct lake_cache_kind {
    const char *name; /* "footers-v1", "manifests-v1" */
    uint64_t files, entries, bytes;
    uint64_t damaged; /* files with bytes that are no entry: told only where entries are verified */
    uint64_t leftovers; /* temporary files of processes that died */
} lake_cache_kind;

/* What is in the folder, one item for each kind that it has; at most `room` are told, *n is how many there are. verify:
   every checksum is looked at. NOT_FOUND: there is no such folder. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_cache_stats(
    const char *folder, int verify, lake_cache_kind *kinds, size_t room, size_t *n, lake_error *err);
/* Removes the cache's own files, and the folder if nothing else is in it. `kinds`: what was removed, as above. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_cache_clear(
    const char *folder, lake_cache_kind *kinds, size_t room, size_t *n, lake_error *err);

#ifdef __cplusplus
}
#endif
#endif
