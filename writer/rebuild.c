/* rebuild-stats: exact statistics of data files that are in the table, recorded in place of what was there (spec.md,
   "Data File Fields"; the snapshot's operation is "replace": the table's rows stay the same). */
#include "writer/column_choice.h"
#include "writer/rebuild_internal.h"

static lake_status begin(void *user, lake_base *base, lake_error *err) {
    rebuild *r = user;
    r->changed = r->other = 0;
    for (size_t i = 0; i < r->ntargets; i++)
        r->targets[i].recorded_size = r->targets[i].file_size;
    base->nothing = r->ntargets == 0;
    return LAKE_OK;
}

static lake_verdict ask(void *user, const lake_manifest_file *line, const lake_entry *e) {
    rebuild *r = user;
    rebuild_target *t = rebuild_find(r, e->file_path);
    if (!t)
        return LAKE_ENTRY_STAYS;
    if (e->record_count != t->record_count) {
        __atomic_store_n(&r->other, (size_t)(t - r->targets) + 1, __ATOMIC_RELAXED);
        return LAKE_ENTRY_STAYS;
    }
    if (!rebuild_differs(r, e, t))
        return LAKE_ENTRY_STAYS;
    __atomic_store_n(&t->recorded_size, e->file_size, __ATOMIC_RELAXED);
    __atomic_add_fetch(&r->changed, 1, __ATOMIC_RELAXED);
    return LAKE_ENTRY_CHANGES;
}

static lake_status change(void *user, lake_arena *arena, lake_entry *e, lake_error *err) {
    rebuild *r = user;
    const rebuild_target *t = rebuild_find(r, e->file_path);
    lake_column_metrics *columns;
    size_t n;
    if (r->sink) {
        pthread_mutex_lock(&r->lock);
        lake_status s = rebuild_print(r, e, t, err);
        pthread_mutex_unlock(&r->lock);
        LAKE_TRY(s);
    }
    LAKE_TRY(rebuild_merge(r, e, t, arena, &columns, &n, err));
    e->ncolumns = n;
    e->columns = columns;
    e->file_size = t->file_size;
    e->split_offsets = t->split_offsets;
    e->nsplit_offsets = t->nsplit_offsets;
    return LAKE_OK;
}

static lake_status check(void *user, lake_base *base, lake_error *err) {
    const rebuild *r = user;
    if (r->other)
        return lake_fail(err, LAKE_ERR_CONFLICT, "%.*s: another commit has recorded another number of rows meanwhile",
            LAKE_ARG(r->targets[r->other - 1].path));
    base->nothing = r->changed == 0;
    lake_i128 more = 0;
    for (size_t i = 0; i < r->ntargets; i++)
        more += (lake_i128)r->targets[i].file_size - r->targets[i].recorded_size;
    base->resized_bytes =
        more > INT64_MAX || more < INT64_MIN ? INT64_MIN : (int64_t)more; /* then no total is stated */
    return LAKE_OK;
}

static lake_status make(void *user, const lake_metadata *m, int64_t snapshot_id, bool dry_run, lake_arena *arena,
    lake_manifest_file **lines, size_t *n, lake_changes *changes, lake_error *err) {
    *lines = NULL;
    *n = 0;
    changes->operation = "replace";
    return LAKE_OK;
}

static void forget(void *user) {}

/* The table's metadata go away when it is refreshed, and attempts refresh it: this copy stays. */
static lake_status copy_metadata(rebuild *r, lake_metadata **out, lake_error *err) {
    lake_buffer text;
    lake_buffer_init(&text);
    lake_json_print(&text, r->table->metadata->json, 0);
    lake_status s = lake_buffer_check(&text, err);
    if (s == LAKE_OK)
        s = lake_metadata_read(&r->arena, lake_bytes_of(lake_buffer_view(&text)), "the table's metadata", out, err);
    lake_buffer_clear(&text);
    return s;
}

static lake_status prepare(rebuild *r, lake_error *err) {
    const lake_rebuild_options *o = r->options;
    lake_table then = {.session = r->table->session};
    LAKE_TRY(lake_table_refresh(r->table, err));
    LAKE_TRY(copy_metadata(r, &then.metadata, err));
    LAKE_TRY(lake_exact_init(&r->arena, &then, NULL, &r->exact, err));
    if (o->metrics_mode) {
        lake_metrics_mode mode;
        if (!lake_metrics_mode_parse(lake_str_of(o->metrics_mode), &mode))
            return lake_fail(
                err, LAKE_ERR_USAGE, "'%.100s' is no metrics mode: none, counts, truncate(N) or full", o->metrics_mode);
        LAKE_TRY(lake_metrics_config_uniform(&r->arena, r->exact.schema, mode, &r->exact.data, err));
    }
    if (o->ncolumns)
        LAKE_TRY(lake_column_choice(
            &r->arena, r->exact.schema, "the table", o->columns, o->ncolumns, &r->columns, &r->ncolumns, err));
    LAKE_TRY(rebuild_choose(r, err));
    return rebuild_read(r, err);
}

static lake_status run(rebuild *r, const lake_commit_options *options, const lake_sink *sink, lake_error *err) {
    static const lake_rewrite rewrite = {.data = true, .metrics = true, .ask = ask, .change = change};
    const lake_commit_source source = {
        .user = r, .make = make, .forget = forget, .rewrite = &rewrite, .begin = begin, .check = check};
    LAKE_TRY(prepare(r, err));
    return lake_commit_run(r->table, &source, options, sink, err);
}

lake_status lake_table_rebuild_stats(lake_table *table, const lake_rebuild_options *options,
    const lake_commit_options *commit, const lake_sink *sink, lake_error *err) {
    if (!options || options->version != LAKE_REBUILD_OPTIONS_VERSION)
        return lake_fail(err, LAKE_ERR_USAGE, "lake_rebuild_options: this version is not known");
    rebuild r = {.table = table, .options = options, .branch = commit ? commit->branch : NULL};
    r.sink = commit && commit->dry_run ? sink : NULL;
    if (pthread_mutex_init(&r.lock, NULL) != 0)
        return lake_fail_memory(err);
    lake_arena_init(&r.arena, 0);
    lake_status s = run(&r, commit, sink, err);
    lake_arena_clear(&r.arena);
    pthread_mutex_destroy(&r.lock);
    return s;
}
