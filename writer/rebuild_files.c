/* Which data files a rebuild reads, and reading them: several at once, each with an arena of its own; what is to be
   recorded is copied into the rebuild's arena under a lock. */
#include <stdlib.h>

#include "lake/plan.h"
#include "writer/manifest_files.h"
#include "writer/rebuild_internal.h"

/* ---- choosing */

static int by_path(const void *a, const void *b) {
    const rebuild_target *x = a, *y = b;
    return lake_bytes_cmp(lake_bytes_of(lake_location_path(x->path)), lake_bytes_of(lake_location_path(y->path)));
}

rebuild_target *rebuild_find(const rebuild *r, lake_str path) {
    rebuild_target key = {.path = path};
    return r->ntargets ? bsearch(&key, r->targets, r->ntargets, sizeof key, by_path) : NULL;
}

/* Formats of which every value is read. */
static bool is_exact(lake_str format) {
    return (format.len == 7 && strncasecmp(format.ptr, "parquet", 7) == 0) ||
        (format.len == 4 && strncasecmp(format.ptr, "avro", 4) == 0);
}

static lake_status add_target(rebuild *r, const lake_entry *e, lake_error *err) {
    if (r->ntargets == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        rebuild_target *more = LAKE_ARENA_ARRAY(&r->arena, rebuild_target, room);
        if (!more)
            return lake_fail_memory(err);
        if (r->ntargets)
            memcpy(more, r->targets, r->ntargets * sizeof *more);
        r->targets = more;
        r->room = room;
    }
    rebuild_target *t = &r->targets[r->ntargets++];
    t->path = lake_arena_str(&r->arena, e->file_path.ptr, e->file_path.len);
    t->format = lake_arena_str(&r->arena, e->file_format.ptr, e->file_format.len);
    t->record_count = e->record_count;
    return t->path.ptr && t->format.ptr ? LAKE_OK : lake_fail_memory(err);
}

static lake_status take_manifest(rebuild *r, const lake_manifest_file *line, const lake_file_set *planned,
    const lake_file_set *named, lake_error *err) {
    const lake_manifest_want want = {.all_columns = false};
    const lake_metadata *m = r->table->metadata;
    lake_manifest_reader *reader;
    LAKE_TRY(lake_manifest_open(
        &r->table->session->store, line->path, line, lake_metadata_spec(m, line->spec_id), &want, NULL, &reader, err));
    const lake_entry *e;
    lake_status s;
    while ((s = lake_manifest_next(reader, &e, err)) == LAKE_OK && e) {
        if (e->status == LAKE_ENTRY_DELETED || (planned && !lake_file_set_has(planned, e->file_path)) ||
            (named && !lake_file_set_meet(named, e->file_path)) || !is_exact(e->file_format))
            continue;
        if ((s = add_target(r, e, err)) != LAKE_OK)
            break;
    }
    lake_manifest_close(reader);
    return s;
}

static lake_status ask_plan(rebuild *r, lake_arena *arena, lake_file_set *planned, lake_error *err) {
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    lake_plan *plan;
    o.where = r->options->where;
    o.case_sensitive = r->options->case_sensitive;
    o.snapshot.ref = r->branch;
    LAKE_TRY(lake_plan_open(r->table, &o, &plan, err));
    size_t n = lake_plan_count(plan);
    lake_str *paths = LAKE_ARENA_ARRAY(arena, lake_str, n);
    lake_status s = paths ? LAKE_OK : lake_fail_memory(err);
    for (size_t i = 0; s == LAKE_OK && i < n; i++) {
        lake_str p = lake_plan_task(plan, i)->path;
        paths[i] = lake_arena_str(arena, p.ptr, p.len);
        if (!paths[i].ptr)
            s = lake_fail_memory(err);
    }
    if (s == LAKE_OK)
        s = lake_file_set_init(planned, arena, paths, n, err);
    lake_plan_close(plan);
    return s;
}

static lake_status read_names(rebuild *r, lake_arena *arena, lake_file_set *named, lake_error *err) {
    lake_str *paths = LAKE_ARENA_ARRAY(arena, lake_str, r->options->nfiles);
    if (!paths)
        return lake_fail_memory(err);
    for (size_t i = 0; i < r->options->nfiles; i++)
        LAKE_TRY(lake_location_recorded(&r->table->session->store, arena, r->options->files[i], &paths[i], err));
    return lake_file_set_init(named, arena, paths, r->options->nfiles, err);
}

static lake_status choose(rebuild *r, lake_arena *scratch, lake_error *err) {
    const lake_metadata *m = r->table->metadata;
    const lake_ref *ref = r->branch ? lake_metadata_ref(m, lake_str_of(r->branch)) : NULL;
    const lake_snapshot *snapshot = ref ? lake_metadata_snapshot(m, ref->snapshot_id) : m->snapshot;
    lake_file_set planned, named;
    lake_manifest_file *lines;
    size_t n, missing;
    if (r->branch && !ref)
        return lake_fail(err, LAKE_ERR_NOT_FOUND, "there is no branch '%s'", r->branch);
    if (r->options->where)
        LAKE_TRY(ask_plan(r, scratch, &planned, err));
    if (r->options->nfiles)
        LAKE_TRY(read_names(r, scratch, &named, err));
    LAKE_TRY(lake_table_manifests(r->table, snapshot, scratch, &lines, &n, err));
    for (size_t i = 0; i < n; i++)
        if (!lines[i].content)
            LAKE_TRY(take_manifest(
                r, &lines[i], r->options->where ? &planned : NULL, r->options->nfiles ? &named : NULL, err));
    if (r->options->nfiles) {
        lake_str first = lake_file_set_missing(&named, &missing);
        if (missing)
            return lake_fail(err, LAKE_ERR_NOT_FOUND, "%.*s: no live data file of the table", LAKE_ARG(first));
    }
    if (r->ntargets)
        qsort(r->targets, r->ntargets, sizeof *r->targets, by_path);
    return LAKE_OK;
}

lake_status rebuild_choose(rebuild *r, lake_error *err) {
    lake_arena scratch;
    lake_arena_init(&scratch, 0);
    lake_status s = choose(r, &scratch, err);
    lake_arena_clear(&scratch);
    return s;
}

/* ---- reading */

static lake_status keep(
    rebuild *r, rebuild_target *t, const lake_entry *e, const lake_file_stats *stats, lake_error *err) {
    lake_column_metrics *columns;
    LAKE_TRY(lake_exact_metrics(&r->exact, e, stats, &r->arena, &columns, &t->ncolumns, err));
    t->columns = columns;
    t->file_size = stats->file_size;
    int64_t *offsets = LAKE_ARENA_ARRAY(&r->arena, int64_t, stats->nsplit_offsets);
    if (!offsets)
        return lake_fail_memory(err);
    if (stats->nsplit_offsets)
        memcpy(offsets, stats->split_offsets, stats->nsplit_offsets * sizeof *offsets);
    t->split_offsets = offsets;
    t->nsplit_offsets = stats->nsplit_offsets;
    r->done++;
    lake_session *s = r->table->session;
    if (s->progress && s->progress(s->progress_user, "files", r->done, r->ntargets) != 0)
        return lake_fail(err, LAKE_ERR_CANCELLED, "cancelled after %zu files", r->done);
    return LAKE_OK;
}

static lake_status read_target(rebuild *r, rebuild_target *t, lake_arena *scratch, lake_error *err) {
    const lake_file_stats_options o = {
        .column_ids = r->columns, .ncolumn_ids = r->ncolumns, .threads = r->ntargets > 1 ? 1 : 0};
    const lake_entry e = {.file_path = t->path, .file_format = t->format};
    lake_file_stats stats;
    LAKE_TRY(lake_exact_read(&r->exact, &e, &o, scratch, &stats, err));
    if (stats.record_count != t->record_count)
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "%.*s: has %lld rows, but %lld are recorded: counts of rows are not changed here", LAKE_ARG(t->path),
            (long long)stats.record_count, (long long)t->record_count);
    pthread_mutex_lock(&r->lock);
    lake_status s = keep(r, t, &e, &stats, err);
    pthread_mutex_unlock(&r->lock);
    return s;
}

static lake_status work(void *user, size_t item, unsigned worker, lake_error *err) {
    rebuild *r = user;
    lake_arena scratch;
    lake_arena_init(&scratch, 0);
    lake_status s = read_target(r, &r->targets[item], &scratch, err);
    lake_arena_clear(&scratch);
    return s;
}

lake_status rebuild_read(rebuild *r, lake_error *err) {
    return lake_parallel(r->ntargets, r->table->session->threads, work, r, err);
}
