/* A parallel loop with ordered results. */
#ifndef LAKE_BASE_THREADS_H
#define LAKE_BASE_THREADS_H

#include <stddef.h>

#include "base/error.h"

/* CPUs that this process may use (affinity counted), at least 1. */
unsigned lake_threads_default(void);

/* Runs work(user, item, worker, err) for item 0..n-1 on up to `threads` workers (0: the default; worker is
   0..threads-1), items taken in order. threads 1 runs in the caller's thread. After a failure no new item begins; the
   error of the lowest failing item is returned. */
typedef lake_status (*lake_work)(void *user, size_t item, unsigned worker, lake_error *err);
lake_status lake_parallel(size_t n, unsigned threads, lake_work work, void *user, lake_error *err);

#endif
