/* What every way to make manifest entries shares (data files, batches of a caller). */
#ifndef LAKE_WRITER_MANIFEST_JOB_H
#define LAKE_WRITER_MANIFEST_JOB_H

#include "writer/manifest_files.h"
#include "writer/manifest_target.h"
#include "writer/metrics.h"
#include "writer/partition.h"
#include "writer/sort_check.h"

typedef struct lake_manifest_job {
    const lake_manifest_options *options;
    lake_manifest_target target;
    lake_metrics_config metrics; /* with the schema that files are read by */
    lake_partitioner partitioner;
    lake_sort_checker sorted; /* no fields: nothing to check */
    lake_ndv ndv; /* of all files */
    int32_t *watched_ids; /* columns whose every value is looked at; some maybe twice */
    size_t nwatched;
    lake_arena *arena;
} lake_manifest_job;

/* Everything goes into the arena but the sketches, which are cleared with the job (also after a failure). */
LAKE_CHECK_RESULT lake_status lake_manifest_job_init(lake_manifest_job *job, const lake_manifest_options *options,
    const lake_metadata *metadata, lake_arena *arena, lake_error *err);
void lake_manifest_job_clear(lake_manifest_job *job);

/* Looks at the rows of one file. To be cleared, also after a failure. */
typedef struct lake_manifest_watch {
    lake_partition_watch partition;
    lake_sort_watch sort;
    lake_ndv ndv;
} lake_manifest_watch;
LAKE_CHECK_RESULT lake_status lake_manifest_watch_init(
    lake_manifest_watch *watch, const lake_manifest_job *job, lake_str path, lake_arena *arena, lake_error *err);
void lake_manifest_watch_clear(lake_manifest_watch *watch);
/* For lake_file_stats_options.on_values, with the watch as user. */
lake_status lake_manifest_watch_values(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err);

/* Fills in an entry whose path is set (and its format, where statistics do not know it), into the job's arena. One at a
   time. */
LAKE_CHECK_RESULT lake_status lake_manifest_job_entry(lake_manifest_job *job, const lake_file_stats *stats,
    const lake_manifest_watch *watch, lake_entry *entry, lake_error *err);
/* The entries with all that manifests for them need. */
LAKE_CHECK_RESULT lake_status lake_manifest_job_finish(
    lake_manifest_job *job, lake_entry *entries, size_t n, lake_manifest_files *out, lake_error *err);

#endif
