/* A session: location maps, threads, limits. Shared by everything that is opened through it; may be used by several
 * threads. */
#ifndef LAKE_SESSION_H
#define LAKE_SESSION_H

#include "lake/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lake_session lake_session;

/* Locations that start with `from` are read and written at `to` + the rest; the longest match wins. NUL-ended. */
typedef struct lake_location_map {
    const char *from, *to;
} lake_location_map;

/* Called now and then by long work from any thread, one call at a time. done and total in units of `what` ("files");
   total 0: unknown. Return 0 to go on, anything else cancels (LAKE_ERR_CANCELLED). */
typedef int (*lake_progress)(void *user, const char *what, uint64_t done, uint64_t total);

typedef struct lake_session_options {
    uint32_t version; /* LAKE_SESSION_OPTIONS_VERSION */
    const lake_location_map *maps;
    size_t nmaps;
    unsigned threads; /* 0: the CPUs that this process may use */
    lake_progress progress;
    void *progress_user;
    uint64_t max_metadata_size; /* bytes of one metadata file, list or manifest after decompression; 0: 2 GiB */
    const char *cache; /* a folder for what is kept from one process to the next (lake/cache.h); NULL: none */
    /* since version 3: */
    uint64_t cache_size; /* bytes of manifests that are kept, least recently used first to go; 0: the default with a
                            folder (4 GiB), else none are. Without a folder they are kept in memory, for plans of this
                            session */
} lake_session_options;
#define LAKE_SESSION_OPTIONS_VERSION 3
#define LAKE_SESSION_OPTIONS_INIT                                                                                      \
    { .version = LAKE_SESSION_OPTIONS_VERSION }

/* options NULL: the defaults. Everything is copied. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_session_open(
    const lake_session_options *options, lake_session **out, lake_error *err);
/* After everything opened through it has been closed. NULL is fine. */
LAKE_API void lake_session_close(lake_session *session);

/* "0.1.0" */
LAKE_API const char *lake_version(void);

#ifdef __cplusplus
}
#endif
#endif
