/* Private to writer/rebuild*.c. */
#ifndef LAKE_WRITER_REBUILD_INTERNAL_H
#define LAKE_WRITER_REBUILD_INTERNAL_H

#include <pthread.h>

#include "lake/rebuild.h"
#include "writer/commit_internal.h"
#include "writer/exact.h"
#include "writer/file_set.h"

/* A data file whose statistics are computed. */
typedef struct rebuild_target {
    lake_str path, format; /* as recorded */
    int64_t record_count, file_size;
    int64_t recorded_size; /* of the entry that changes in the attempt at hand; else file_size */
    const lake_column_metrics *columns; /* exact, as a manifest records them, by id */
    size_t ncolumns;
    const int64_t *split_offsets;
    size_t nsplit_offsets;
} rebuild_target;

typedef struct rebuild {
    lake_table *table;
    const lake_rebuild_options *options;
    const lake_sink *sink; /* of a dry run; else NULL */
    const char *branch; /* NULL: main */
    lake_arena arena;
    lake_exact exact;
    int32_t *columns; /* options->columns */
    size_t ncolumns;
    rebuild_target *targets; /* by path */
    size_t ntargets, room;
    size_t done; /* files read */
    pthread_mutex_t lock; /* over arena, done and the sink */
    size_t changed; /* entries of the attempt at hand, counted atomically */
    size_t other; /* a target that now is recorded with other rows: its index + 1 */
} rebuild;

/* Finds the files (rebuild_files.c) and reads them. */
LAKE_CHECK_RESULT lake_status rebuild_choose(rebuild *r, lake_error *err);
LAKE_CHECK_RESULT lake_status rebuild_read(rebuild *r, lake_error *err);
rebuild_target *rebuild_find(const rebuild *r, lake_str path); /* NULL: not chosen */

/* Is what is recorded of the column to be replaced? */
bool rebuild_takes(const rebuild *r, int32_t id);
/* The columns of an entry as they will be recorded, in the arena. */
LAKE_CHECK_RESULT lake_status rebuild_merge(const rebuild *r, const lake_entry *entry, const rebuild_target *target,
    lake_arena *arena, lake_column_metrics **out, size_t *n, lake_error *err);
/* Would anything of the entry change? */
bool rebuild_differs(const rebuild *r, const lake_entry *entry, const rebuild_target *target);
/* A line of JSON: what changes. */
LAKE_CHECK_RESULT lake_status rebuild_print(
    const rebuild *r, const lake_entry *entry, const rebuild_target *target, lake_error *err);

#endif
