/* Data files in, manifest entries out. Files are read in parallel, each with an arena of its own; what an entry keeps
   is copied into the caller's arena under a lock. */
#include "writer/manifest_files.h"

#include <pthread.h>
#include <stdlib.h>

#include "writer/manifest_target.h"
#include "writer/manifest_vectors.h"
#include "writer/metrics.h"
#include "writer/partition.h"
#include "writer/sort_check.h"

typedef struct job {
    lake_session *session;
    const lake_manifest_options *options;
    const lake_manifest_target *target;
    lake_metrics_config metrics;
    lake_partitioner partitioner;
    lake_sort_checker sorted; /* no fields: nothing to check */
    lake_ndv ndv;
    int32_t *watched_ids; /* columns whose every value is looked at; some maybe twice */
    size_t nwatched;
    lake_arena *arena;
    lake_entry *entries;
    unsigned file_threads;
    size_t done;
    pthread_mutex_t lock; /* over arena, done and the session's progress */
} job;

/* Looks at the rows of one file while they are read. */
typedef struct watch {
    lake_partition_watch partition;
    lake_sort_watch sort;
    lake_ndv ndv;
} watch;

static lake_status copy_split_offsets(lake_arena *arena, const lake_file_stats *stats, lake_entry *e, lake_error *err) {
    int64_t *copy = LAKE_ARENA_ARRAY(arena, int64_t, stats->nsplit_offsets);
    if (!copy)
        return lake_fail_memory(err);
    if (stats->nsplit_offsets)
        memcpy(copy, stats->split_offsets, stats->nsplit_offsets * sizeof *copy);
    e->split_offsets = copy;
    e->nsplit_offsets = stats->nsplit_offsets;
    return LAKE_OK;
}

/* Deletes of a single data file say which, so that readers need not compare paths. */
static lake_status set_position_deletes(
    lake_arena *arena, const lake_file_stats *stats, lake_entry *e, lake_error *err) {
    const lake_column_stats *path = lake_file_stats_column(stats, LAKE_DELETE_FILE_PATH_ID);
    if (!path || !lake_file_stats_column(stats, LAKE_DELETE_POS_ID))
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "%.*s: no position delete file: the columns file_path (id %d) and pos (id %d) are not both there",
            LAKE_ARG(e->file_path), LAKE_DELETE_FILE_PATH_ID, LAKE_DELETE_POS_ID);
    if (!path->has_min || !path->has_max || path->nulls != 0 || lake_bytes_cmp(path->min.b, path->max.b) != 0)
        return LAKE_OK;
    e->referenced_data_file = lake_arena_str(arena, (const char *)path->min.b.ptr, path->min.b.len);
    return e->referenced_data_file.ptr ? LAKE_OK : lake_fail_memory(err);
}

static lake_status set_equality_deletes(
    const lake_manifest_target *target, const lake_file_stats *stats, lake_entry *e, lake_error *err) {
    for (size_t i = 0; i < target->nequality_ids; i++)
        if (!lake_file_stats_column(stats, target->equality_ids[i]))
            return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: the equality column with id %d is not in the file",
                LAKE_ARG(e->file_path), target->equality_ids[i]);
    e->equality_ids = target->equality_ids;
    e->nequality_ids = target->nequality_ids;
    return LAKE_OK;
}

static lake_status set_entry(job *j, const lake_file_stats *stats, const watch *w, lake_entry *e, lake_error *err) {
    lake_column_metrics *columns;
    lake_datum *partition;
    e->status = LAKE_ENTRY_ADDED;
    e->content = (uint8_t)j->options->content;
    e->file_format = lake_data_format_name(stats->format);
    e->record_count = stats->record_count;
    e->file_size = stats->file_size;
    LAKE_TRY(lake_metrics_of_file(j->arena, &j->metrics, stats, &columns, &e->ncolumns, err));
    e->columns = columns;
    LAKE_TRY(copy_split_offsets(j->arena, stats, e, err));
    LAKE_TRY(lake_partition_values(&w->partition, stats, j->arena, &partition, err));
    e->partition = partition;
    e->npartition = j->partitioner.nfields;
    if (e->content == LAKE_CONTENT_POSITION_DELETES)
        return set_position_deletes(j->arena, stats, e, err);
    e->has |= LAKE_HAS_SORT_ORDER_ID; /* 0: not sorted */
    e->sort_order_id = j->target->sort_order ? j->target->sort_order->id : 0;
    return e->content == LAKE_CONTENT_EQUALITY_DELETES ? set_equality_deletes(j->target, stats, e, err) : LAKE_OK;
}

static lake_status report(job *j, lake_error *err) {
    j->done++;
    lake_session *s = j->session;
    if (s->progress && s->progress(s->progress_user, "files", j->done, j->options->nfiles) != 0)
        return lake_fail(err, LAKE_ERR_CANCELLED, "cancelled after %zu files", j->done);
    return LAKE_OK;
}

static lake_status look(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    watch *w = user;
    if (w->partition.partitioner->nwatched)
        LAKE_TRY(lake_partition_watch_values(&w->partition, field, keys, present, n, err));
    if (w->sort.checker->nfields)
        LAKE_TRY(lake_sort_watch_values(&w->sort, field, keys, present, n, err));
    return lake_ndv_values(&w->ndv, field, keys, present, n, err);
}

/* Rows that were asked for and not handed out cannot be vouched for. */
static lake_status check_seen(const job *j, const lake_file_stats *stats, lake_error *err) {
    if (stats->record_count == 0 || !stats->from_footer || (!j->sorted.nfields && !j->ndv.n))
        return LAKE_OK;
    return lake_fail(err, LAKE_ERR_UNSUPPORTED,
        "%.*s: the rows of %.*s files are not read: their order cannot be checked, nor distinct values counted",
        LAKE_ARG(stats->path), LAKE_ARG(lake_data_format_name(stats->format)));
}

static lake_status check_order(
    job *j, size_t item, const watch *w, const lake_file_stats_options *o, lake_arena *scratch, lake_error *err) {
    size_t field = 0;
    int64_t row = j->sorted.nfields ? lake_sort_watch_fault(&w->sort, &field) : -1;
    lake_str file = lake_str_of(j->options->files[item]);
    return row < 0 ? LAKE_OK : lake_sort_fault_tell(&j->sorted, field, row, &j->session->store, file, o, scratch, err);
}

static lake_status read_file(job *j, size_t item, lake_arena *scratch, watch *w, lake_error *err) {
    lake_file_stats_options o = {
        .schema = j->metrics.schema,
        .name_mapping = j->target->name_mapping,
        .threads = j->file_threads,
        .on_values = j->nwatched ? look : NULL,
        .on_values_user = w,
        .on_values_ids = j->watched_ids,
        .non_values_ids = j->nwatched,
    };
    lake_file_stats stats;
    LAKE_TRY(lake_file_stats_read(&j->session->store, lake_str_of(j->options->files[item]), &o, scratch, &stats, err));
    LAKE_TRY(check_seen(j, &stats, err));
    LAKE_TRY(check_order(j, item, w, &o, scratch, err));
    pthread_mutex_lock(&j->lock);
    lake_status status = set_entry(j, &stats, w, &j->entries[item], err);
    if (status == LAKE_OK)
        status = lake_ndv_merge(&j->ndv, &w->ndv, err);
    if (status == LAKE_OK)
        status = report(j, err);
    pthread_mutex_unlock(&j->lock);
    return status;
}

static lake_status work(void *user, size_t item, unsigned worker, lake_error *err) {
    job *j = user;
    lake_arena scratch;
    lake_arena_init(&scratch, 0);
    watch w = {0};
    lake_status status =
        lake_partition_watch_init(&w.partition, &j->partitioner, j->entries[item].file_path, &scratch, err);
    if (status == LAKE_OK)
        status = lake_sort_watch_init(&w.sort, &j->sorted, &scratch, err);
    if (status == LAKE_OK)
        status = lake_ndv_like(&scratch, &j->ndv, &w.ndv, err);
    if (status == LAKE_OK)
        status = read_file(j, item, &scratch, &w, err);
    lake_ndv_clear(&w.ndv);
    lake_sort_watch_clear(&w.sort);
    lake_partition_watch_clear(&w.partition);
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
    bool few = n > 0 && n < threads && !j->nwatched; /* on_values is called by one thread at a time */
    j->file_threads = few ? threads / (unsigned)n : 1;
    if (pthread_mutex_init(&j->lock, NULL) != 0)
        return lake_fail_memory(err);
    lake_status status = lake_parallel(n, threads, work, j, err);
    pthread_mutex_destroy(&j->lock);
    return status;
}

static lake_status choose_watched(job *j, lake_error *err) {
    const lake_manifest_target *t = j->target;
    if (t->verify_sorted)
        LAKE_TRY(lake_sort_checker_init(j->arena, t->schema, t->sort_order, &j->sorted, err));
    LAKE_TRY(lake_ndv_init(j->arena, t->schema, j->options->ndv_columns, &j->ndv, err));
    j->watched_ids = LAKE_ARENA_ARRAY(j->arena, int32_t, j->partitioner.nwatched + j->sorted.nfields + j->ndv.n);
    if (!j->watched_ids)
        return lake_fail_memory(err);
    for (size_t i = 0; i < j->partitioner.nwatched; i++)
        j->watched_ids[j->nwatched++] = j->partitioner.watched_ids[i];
    for (size_t i = 0; i < j->sorted.nfields; i++)
        j->watched_ids[j->nwatched++] = j->sorted.ids[i];
    for (size_t i = 0; i < j->ndv.n; i++)
        j->watched_ids[j->nwatched++] = j->ndv.columns[i].field->id;
    return LAKE_OK;
}

lake_status lake_manifest_files_build(lake_session *session, const lake_manifest_options *options,
    const lake_metadata *metadata, lake_arena *arena, lake_manifest_files *out, lake_error *err) {
    lake_manifest_target target;
    LAKE_TRY(lake_manifest_target_init(arena, options, metadata, &target, err));
    if (options->content == LAKE_CONTENT_POSITION_DELETES && target.format_version >= 3)
        return lake_manifest_vectors_build(session, options, &target, arena, out, err);
    job j = {.session = session, .options = options, .target = &target, .arena = arena};
    bool data = options->content == LAKE_CONTENT_DATA;
    LAKE_TRY(lake_manifest_target_metrics(arena, options, metadata, &target, &j.metrics, err));
    LAKE_TRY(lake_partitioner_init(arena, target.schema, target.spec, options->partition, data, &j.partitioner, err));
    LAKE_TRY(choose_watched(&j, err));
    j.entries = LAKE_ARENA_ARRAY(arena, lake_entry, options->nfiles);
    if (!j.entries)
        return lake_fail_memory(err);
    LAKE_TRY(record_paths(&j, err));
    *out = (lake_manifest_files){
        .format_version = target.format_version,
        .content = !data,
        .schema = target.schema,
        .spec = target.spec,
        .codec = target.codec,
        .level = target.level,
        .entries = j.entries,
        .nentries = options->nfiles,
    };
    lake_status status = run(&j, err);
    if (status == LAKE_OK && j.ndv.n)
        status = lake_ndv_finish(&j.ndv, arena, &out->sketches, &out->nsketches, err);
    lake_ndv_clear(&j.ndv);
    LAKE_TRY(status);
    for (size_t i = 0; i < out->nentries; i++) {
        out->records += j.entries[i].record_count;
        out->bytes += j.entries[i].file_size;
    }
    return LAKE_OK;
}
