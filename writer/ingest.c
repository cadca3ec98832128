/* Pushed rows into manifest entries: what belongs to the write as a whole and to each of its files. */
#include "writer/ingest.h"

#include "reader/data_file.h"

#include <pthread.h>

struct lake_ingest {
    lake_session *session;
    lake_manifest_options options;
    lake_arena arena;
    lake_manifest_job job;
    lake_entry *entries;
    size_t nentries, room;
    bool written;
    pthread_mutex_t lock; /* over the arena, the job and the entries */
};

/* ---- the write */

lake_status lake_ingest_open(
    lake_session *session, const lake_manifest_options *options, lake_ingest **out, lake_error *err) {
    if (options->version != LAKE_MANIFEST_OPTIONS_VERSION)
        return lake_fail(err, LAKE_ERR_USAGE, "lake_manifest_options: version %u is not known", options->version);
    if (!options->output || !*options->output)
        return lake_fail(err, LAKE_ERR_USAGE, "the manifest's location is missing");
    if (options->content == LAKE_CONTENT_POSITION_DELETES)
        return lake_fail(err, LAKE_ERR_USAGE, "position deletes are not pushed: see lake_deletion_vectors_write");
    lake_ingest *g = lake_mem_zalloc(1, sizeof *g);
    if (!g)
        return lake_fail_memory(err);
    if (pthread_mutex_init(&g->lock, NULL) != 0) {
        lake_mem_free(g);
        return lake_fail_memory(err);
    }
    g->session = session;
    g->options = *options;
    lake_arena_init(&g->arena, 0);
    lake_status status =
        lake_manifest_job_init(&g->job, &g->options, options->table ? options->table->metadata : NULL, &g->arena, err);
    if (status != LAKE_OK) {
        lake_ingest_close(g);
        return status;
    }
    *out = g;
    return LAKE_OK;
}

void lake_ingest_close(lake_ingest *g) {
    if (!g)
        return;
    lake_manifest_job_clear(&g->job);
    pthread_mutex_destroy(&g->lock);
    lake_arena_clear(&g->arena);
    lake_mem_free(g);
}

lake_status lake_ingest_write(lake_ingest *g, const lake_sink *sink, lake_error *err) {
    if (!g->nentries)
        return lake_fail(err, LAKE_ERR_USAGE, "no files were finished: there is nothing to write");
    if (g->written)
        return lake_fail(err, LAKE_ERR_USAGE, "the manifests were written already");
    lake_manifest_files files;
    LAKE_TRY(lake_manifest_job_finish(&g->job, g->entries, g->nentries, &files, err));
    LAKE_TRY(lake_manifest_files_publish(g->session, &g->options, &files, &g->arena, sink, err));
    g->written = true;
    return LAKE_OK;
}

/* ---- a file */

static bool is_watched(const lake_manifest_job *job, int32_t id) {
    for (size_t i = 0; i < job->nwatched; i++)
        if (job->watched_ids[i] == id)
            return true;
    return false;
}

static lake_status open_columns(lake_ingest_file *f, lake_error *err) {
    const lake_manifest_job *job = &f->ingest->job;
    const lake_schema *schema = f->schema = job->metrics.schema;
    f->columns = LAKE_ARENA_ARRAY(&f->arena, lake_ingest_column, schema->nby_id);
    if (!f->columns)
        return lake_fail_memory(err);
    for (size_t i = 0; i < schema->nby_id; i++) {
        const lake_field *field = schema->by_id[i];
        if (!lake_type_is_nested(&field->type))
            f->columns[f->ncolumns++] = (lake_ingest_column){.field = field, .watched = is_watched(job, field->id)};
    }
    return LAKE_OK;
}

static lake_status open_file(lake_ingest_file *f, const char *location, lake_error *err) {
    LAKE_TRY(lake_location_recorded(&f->ingest->session->store, &f->arena, location, &f->path, err));
    LAKE_TRY(open_columns(f, err));
    return lake_manifest_watch_init(&f->watch, &f->ingest->job, f->path, &f->arena, err);
}

lake_status lake_ingest_file_open(lake_ingest *g, const char *location, lake_ingest_file **out, lake_error *err) {
    if (!location || !*location)
        return lake_fail(err, LAKE_ERR_USAGE, "the data file's location is missing");
    lake_ingest_file *f = lake_mem_zalloc(1, sizeof *f);
    if (!f)
        return lake_fail_memory(err);
    f->ingest = g;
    lake_arena_init(&f->arena, 0);
    lake_status status = open_file(f, location, err);
    if (status != LAKE_OK) {
        lake_ingest_file_close(f);
        return status;
    }
    *out = f;
    return LAKE_OK;
}

void lake_ingest_file_close(lake_ingest_file *f) {
    if (!f)
        return;
    for (size_t i = 0; i < f->ncolumns; i++)
        lake_accum_clear(&f->columns[i].stats);
    lake_manifest_watch_clear(&f->watch);
    lake_arena_clear(&f->arena);
    lake_mem_free(f);
}

/* ---- its end */

static int64_t size_of(const lake_ingest_written *w, int32_t id) {
    for (size_t i = 0; i < w->ncolumn_sizes; i++)
        if (w->column_ids[i] == id)
            return w->column_sizes[i];
    return -1;
}

static lake_status make_stats(
    lake_ingest_file *f, const lake_ingest_written *written, lake_file_stats *out, lake_error *err) {
    *out = (lake_file_stats){.path = f->path,
        .record_count = f->rows,
        .file_size = written->file_size,
        .split_offsets = written->split_offsets,
        .nsplit_offsets = written->nsplit_offsets,
        .schema = f->ingest->job.metrics.schema,
        .columns = LAKE_ARENA_ARRAY(&f->arena, lake_column_stats, f->ncolumns)};
    if (!out->columns)
        return lake_fail_memory(err);
    for (size_t i = 0; i < f->ncolumns; i++) {
        lake_ingest_column *c = &f->columns[i];
        if (!c->fed)
            continue;
        lake_column_stats *s = &out->columns[out->ncolumns++];
        LAKE_TRY(lake_accum_check(&c->stats, err));
        LAKE_TRY(lake_column_stats_set(&f->arena, c->field, &c->stats, s, err));
        s->column_size = size_of(written, c->field->id);
    }
    return LAKE_OK;
}

static lake_status check_order(const lake_ingest_file *f, lake_error *err) {
    const lake_sort_checker *checker = &f->ingest->job.sorted;
    size_t field = 0;
    int64_t row = checker->nfields ? lake_sort_watch_fault(&f->watch.sort, &field) : -1;
    if (row < 0)
        return LAKE_OK;
    const lake_sort_source *s = &checker->fields[field];
    return lake_fail(err, LAKE_ERR_MALFORMED,
        "%.*s: not in sort order %d: row %lld (counted from 0) comes before its predecessor by column %.*s",
        LAKE_ARG(f->path), checker->id, (long long)row, LAKE_ARG(s->column->name));
}

/* Room for one more entry. */
static lake_status grow(lake_ingest *g, lake_error *err) {
    if (g->nentries < g->room)
        return LAKE_OK;
    size_t room = g->room ? 2 * g->room : 16;
    lake_entry *entries = LAKE_ARENA_ARRAY(&g->arena, lake_entry, room);
    if (!entries)
        return lake_fail_memory(err);
    if (g->nentries)
        memcpy(entries, g->entries, g->nentries * sizeof *entries);
    g->entries = entries;
    g->room = room;
    return LAKE_OK;
}

static lake_status make_entry(lake_ingest_file *f, const lake_ingest_written *written, const lake_file_stats *stats,
    lake_entry *e, lake_error *err) {
    lake_ingest *g = f->ingest;
    const char *format = written->format ? written->format : "PARQUET";
    LAKE_TRY(grow(g, err));
    *e = (lake_entry){.file_path = lake_arena_str(&g->arena, f->path.ptr, f->path.len),
        .file_format = lake_arena_str(&g->arena, format, strlen(format))};
    if (!e->file_path.ptr || !e->file_format.ptr)
        return lake_fail_memory(err);
    for (size_t i = 0; i < g->nentries; i++)
        if (lake_str_eq(g->entries[i].file_path, e->file_path))
            return lake_fail(err, LAKE_ERR_USAGE, "%.*s: given twice", LAKE_ARG(f->path));
    return lake_manifest_job_entry(&g->job, stats, &f->watch, e, err);
}

static lake_status finish(
    lake_ingest_file *f, const lake_ingest_written *written, const lake_sink *sink, lake_error *err) {
    lake_ingest *g = f->ingest;
    lake_file_stats stats;
    lake_entry entry;
    LAKE_TRY(check_order(f, err));
    LAKE_TRY(make_stats(f, written, &stats, err));
    pthread_mutex_lock(&g->lock);
    lake_status status = make_entry(f, written, &stats, &entry, err);
    if (status == LAKE_OK)
        status = lake_ndv_merge(&g->job.ndv, &f->watch.ndv, err);
    if (status == LAKE_OK && sink)
        status = lake_ingest_print(&g->job, &entry, sink, err);
    if (status == LAKE_OK)
        g->entries[g->nentries++] = entry;
    pthread_mutex_unlock(&g->lock);
    return status;
}

lake_status lake_ingest_file_finish(
    lake_ingest_file *f, const lake_ingest_written *written, const lake_sink *sink, lake_error *err) {
    if (!written || written->version != LAKE_INGEST_WRITTEN_VERSION)
        return lake_fail(err, LAKE_ERR_USAGE, "lake_ingest_written: its version is not known");
    if (f->finished || f->failed)
        return lake_fail(err, LAKE_ERR_USAGE, "%.*s: finished already, or a batch failed", LAKE_ARG(f->path));
    if (written->file_size <= 0)
        return lake_fail(err, LAKE_ERR_USAGE, "%.*s: its size is missing", LAKE_ARG(f->path));
    f->finished = true;
    return finish(f, written, sink, err);
}
