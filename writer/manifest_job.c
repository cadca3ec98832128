/* What every way to make entries shares: which columns' values are looked at, and an entry from a file's statistics. */
#include "writer/manifest_job.h"

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

lake_status lake_manifest_job_entry(
    lake_manifest_job *j, const lake_file_stats *stats, const lake_manifest_watch *w, lake_entry *e, lake_error *err) {
    lake_column_metrics *columns;
    lake_datum *partition;
    e->status = LAKE_ENTRY_ADDED;
    e->content = (uint8_t)j->options->content;
    if (!e->file_format.ptr)
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
    e->sort_order_id = j->target.sort_order ? j->target.sort_order->id : 0;
    return e->content == LAKE_CONTENT_EQUALITY_DELETES ? set_equality_deletes(&j->target, stats, e, err) : LAKE_OK;
}

lake_status lake_manifest_watch_values(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    lake_manifest_watch *w = user;
    if (w->partition.partitioner->nwatched)
        LAKE_TRY(lake_partition_watch_values(&w->partition, field, keys, present, n, err));
    if (w->sort.checker->nfields)
        LAKE_TRY(lake_sort_watch_values(&w->sort, field, keys, present, n, err));
    return lake_ndv_values(&w->ndv, field, keys, present, n, err);
}

static lake_status choose_watched(lake_manifest_job *j, lake_error *err) {
    const lake_manifest_target *t = &j->target;
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

lake_status lake_manifest_job_init(lake_manifest_job *j, const lake_manifest_options *options,
    const lake_metadata *metadata, lake_arena *arena, lake_error *err) {
    *j = (lake_manifest_job){.options = options, .arena = arena};
    LAKE_TRY(lake_manifest_target_init(arena, options, metadata, &j->target, err));
    bool data = options->content == LAKE_CONTENT_DATA;
    LAKE_TRY(lake_manifest_target_metrics(arena, options, metadata, &j->target, &j->metrics, err));
    LAKE_TRY(
        lake_partitioner_init(arena, j->target.schema, j->target.spec, options->partition, data, &j->partitioner, err));
    return choose_watched(j, err);
}

void lake_manifest_job_clear(lake_manifest_job *j) {
    lake_ndv_clear(&j->ndv);
}

lake_status lake_manifest_watch_init(
    lake_manifest_watch *w, const lake_manifest_job *j, lake_str path, lake_arena *arena, lake_error *err) {
    *w = (lake_manifest_watch){0};
    LAKE_TRY(lake_partition_watch_init(&w->partition, &j->partitioner, path, arena, err));
    LAKE_TRY(lake_sort_watch_init(&w->sort, &j->sorted, arena, err));
    return lake_ndv_like(arena, &j->ndv, &w->ndv, err);
}

void lake_manifest_watch_clear(lake_manifest_watch *w) {
    lake_ndv_clear(&w->ndv);
    if (w->sort.checker)
        lake_sort_watch_clear(&w->sort);
    lake_partition_watch_clear(&w->partition);
}

lake_status lake_manifest_job_finish(
    lake_manifest_job *j, lake_entry *entries, size_t n, lake_manifest_files *out, lake_error *err) {
    *out = (lake_manifest_files){
        .format_version = j->target.format_version,
        .content = j->options->content != LAKE_CONTENT_DATA,
        .schema = j->target.schema,
        .spec = j->target.spec,
        .codec = j->target.codec,
        .level = j->target.level,
        .entries = entries,
        .nentries = n,
    };
    for (size_t i = 0; i < n; i++) {
        out->records += entries[i].record_count;
        out->bytes += entries[i].file_size;
    }
    return j->ndv.n ? lake_ndv_finish(&j->ndv, j->arena, &out->sketches, &out->nsketches, err) : LAKE_OK;
}
