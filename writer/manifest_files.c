/* Data files in, manifest entries out. Files are read in parallel, each with an arena of its own; what an entry keeps
   is copied into the caller's arena under a lock. */
#include "writer/manifest_files.h"

#include <pthread.h>
#include <stdlib.h>

#include "writer/manifest_job.h"
#include "writer/manifest_vectors.h"

typedef struct job {
    lake_session *session;
    const lake_manifest_options *options;
    lake_manifest_job entry;
    lake_arena *arena;
    lake_entry *entries;
    unsigned file_threads;
    size_t done;
    pthread_mutex_t lock; /* over arena, done and the session's progress */
} job;

static lake_status report(job *j, lake_error *err) {
    j->done++;
    lake_session *s = j->session;
    if (s->progress && s->progress(s->progress_user, "files", j->done, j->options->nfiles) != 0)
        return lake_fail(err, LAKE_ERR_CANCELLED, "cancelled after %zu files", j->done);
    return LAKE_OK;
}

/* Rows that were asked for and not handed out cannot be vouched for. */
static lake_status check_seen(const job *j, const lake_file_stats *stats, lake_error *err) {
    if (stats->record_count == 0 || !stats->from_footer || (!j->entry.sorted.nfields && !j->entry.ndv.n))
        return LAKE_OK;
    return lake_fail(err, LAKE_ERR_UNSUPPORTED,
        "%.*s: the rows of %.*s files are not read: their order cannot be checked, nor distinct values counted",
        LAKE_ARG(stats->path), LAKE_ARG(lake_data_format_name(stats->format)));
}

static lake_status check_order(job *j, size_t item, const lake_manifest_watch *w, const lake_file_stats_options *o,
    lake_arena *scratch, lake_error *err) {
    size_t field = 0;
    int64_t row = j->entry.sorted.nfields ? lake_sort_watch_fault(&w->sort, &field) : -1;
    lake_str file = lake_str_of(j->options->files[item]);
    return row < 0 ? LAKE_OK
                   : lake_sort_fault_tell(&j->entry.sorted, field, row, &j->session->store, file, o, scratch, err);
}

static lake_status read_file(job *j, size_t item, lake_arena *scratch, lake_manifest_watch *w, lake_error *err) {
    lake_file_stats_options o = {
        .schema = j->entry.metrics.schema,
        .name_mapping = j->entry.target.name_mapping,
        .threads = j->file_threads,
        .on_values = j->entry.nwatched ? lake_manifest_watch_values : NULL,
        .on_values_user = w,
        .on_values_ids = j->entry.watched_ids,
        .non_values_ids = j->entry.nwatched,
    };
    lake_file_stats stats;
    LAKE_TRY(lake_file_stats_read(&j->session->store, lake_str_of(j->options->files[item]), &o, scratch, &stats, err));
    LAKE_TRY(check_seen(j, &stats, err));
    LAKE_TRY(check_order(j, item, w, &o, scratch, err));
    pthread_mutex_lock(&j->lock);
    lake_status status = lake_manifest_job_entry(&j->entry, &stats, w, &j->entries[item], err);
    if (status == LAKE_OK)
        status = lake_ndv_merge(&j->entry.ndv, &w->ndv, err);
    if (status == LAKE_OK)
        status = report(j, err);
    pthread_mutex_unlock(&j->lock);
    return status;
}

static lake_status work(void *user, size_t item, unsigned worker, lake_error *err) {
    job *j = user;
    lake_arena scratch;
    lake_arena_init(&scratch, 0);
    lake_manifest_watch w;
    lake_status status = lake_manifest_watch_init(&w, &j->entry, j->entries[item].file_path, &scratch, err);
    if (status == LAKE_OK)
        status = read_file(j, item, &scratch, &w, err);
    lake_manifest_watch_clear(&w);
    lake_arena_clear(&scratch);
    return status;
}

static int compare_paths(const void *a, const void *b) {
    const lake_str *x = a, *y = b;
    return lake_bytes_cmp(lake_bytes_of(*x), lake_bytes_of(*y));
}

/* Recorded paths of all files; a file that is named twice would count twice. */
static lake_status record_paths(job *j, lake_error *err) {
    size_t n = j->options->nfiles;
    lake_str *sorted = LAKE_ARENA_ARRAY(j->arena, lake_str, n);
    if (!sorted)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        LAKE_TRY(
            lake_location_recorded(&j->session->store, j->arena, j->options->files[i], &j->entries[i].file_path, err));
        sorted[i] = j->entries[i].file_path;
    }
    qsort(sorted, n, sizeof *sorted, compare_paths);
    for (size_t i = 1; i < n; i++)
        if (lake_str_eq(sorted[i - 1], sorted[i]))
            return lake_fail(err, LAKE_ERR_USAGE, "%.*s: given twice", LAKE_ARG(sorted[i]));
    return LAKE_OK;
}

static lake_status run(job *j, lake_error *err) {
    unsigned threads = j->session->threads ? j->session->threads : lake_threads_default();
    size_t n = j->options->nfiles;
    bool few = n > 0 && n < threads && !j->entry.nwatched; /* on_values is called by one thread at a time */
    j->file_threads = few ? threads / (unsigned)n : 1;
    if (pthread_mutex_init(&j->lock, NULL) != 0)
        return lake_fail_memory(err);
    lake_status status = lake_parallel(n, threads, work, j, err);
    pthread_mutex_destroy(&j->lock);
    return status;
}

static lake_status build(job *j, lake_manifest_files *out, lake_error *err) {
    size_t n = j->options->nfiles;
    j->entries = LAKE_ARENA_ARRAY(j->arena, lake_entry, n);
    if (!j->entries)
        return lake_fail_memory(err);
    LAKE_TRY(record_paths(j, err));
    LAKE_TRY(run(j, err));
    return lake_manifest_job_finish(&j->entry, j->entries, n, out, err);
}

lake_status lake_manifest_files_build(lake_session *session, const lake_manifest_options *options,
    const lake_metadata *metadata, lake_arena *arena, lake_manifest_files *out, lake_error *err) {
    job j = {.session = session, .options = options, .arena = arena};
    lake_status status = lake_manifest_job_init(&j.entry, options, metadata, arena, err);
    bool vectors = options->content == LAKE_CONTENT_POSITION_DELETES && j.entry.target.format_version >= 3;
    if (status == LAKE_OK)
        status = vectors ? lake_manifest_vectors_build(session, options, &j.entry.target, arena, out, err)
                         : build(&j, out, err);
    lake_manifest_job_clear(&j.entry);
    return status;
}
