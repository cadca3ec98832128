/* replace: a compaction's result. Its rows are those that were live in the snapshot that it read; what was deleted
   since must not come back (spec.md, "Scan Planning", "Sequence Numbers"). */
#include "writer/change.h"
#include "writer/live_rows.h"
#include "writer/manifest_files.h"

typedef struct replacing {
    const lake_replace_options *options;
    lake_table *table;
    lake_arena arena;
    const char *branch;
    lake_file_set gone;
    lake_path_list keys; /* deletes of the files that go, in the snapshot that was read */
    lake_file_set seen; /* of the keys */
    int64_t read_snapshot, sequence_number;
} replacing;

/* ---- deletes, by what tells them apart */

static lake_str key_of(lake_arena *arena, const lake_scan_task *t, const lake_delete_file *d) {
    return lake_arena_printf(arena, "%.*s %lld %.*s", LAKE_ARG(d->path),
        d->has_content_offset ? (long long)d->content_offset : -1LL, LAKE_ARG(t->path));
}

/* Calls back for each delete of a file that goes. */
typedef lake_status (*on_delete)(
    replacing *r, const lake_scan_task *t, const lake_delete_file *d, lake_arena *scratch, lake_error *err);

static lake_status each_delete(
    replacing *r, const lake_plan *plan, on_delete call, lake_arena *scratch, lake_error *err) {
    for (size_t i = 0; i < lake_plan_count(plan); i++) {
        const lake_scan_task *t = lake_plan_task(plan, i);
        if (!t->ndeletes || !lake_file_set_has(&r->gone, t->path))
            continue;
        for (size_t k = 0; k < t->ndeletes; k++)
            LAKE_TRY(call(r, t, lake_plan_delete(plan, t->deletes[k]), scratch, err));
    }
    return LAKE_OK;
}

static lake_status remember(
    replacing *r, const lake_scan_task *t, const lake_delete_file *d, lake_arena *scratch, lake_error *err) {
    lake_str key = key_of(scratch, t, d);
    return key.ptr && lake_path_list_add(&r->keys, &r->arena, key) ? LAKE_OK : lake_fail_memory(err);
}

/* Equality deletes since then meet the new files too, by their sequence numbers. */
static lake_status refuse_new(
    replacing *r, const lake_scan_task *t, const lake_delete_file *d, lake_arena *scratch, lake_error *err) {
    lake_str key = key_of(scratch, t, d);
    if (!key.ptr)
        return lake_fail_memory(err);
    if (lake_file_set_meet(&r->seen, key) || d->content == LAKE_CONTENT_EQUALITY_DELETES)
        return LAKE_OK;
    return lake_fail(err, LAKE_ERR_CONFLICT,
        "%.*s: rows of it were deleted since snapshot %lld, which was read: they would come back", LAKE_ARG(t->path),
        (long long)r->read_snapshot);
}

/* After a rollback, or on another branch, rows may be there that the snapshot that was read had deleted already. */
static lake_status refuse_undone(const replacing *r, lake_error *err) {
    size_t n;
    lake_str first = lake_file_set_missing(&r->seen, &n);
    if (!n)
        return LAKE_OK;
    return lake_fail(err, LAKE_ERR_CONFLICT,
        "%.*s: this delete was applied in snapshot %lld, which was read, and is no longer: rows would be lost",
        LAKE_ARG(first), (long long)r->read_snapshot);
}

static lake_status check(void *user, const lake_base *base, const lake_file_set *gone, lake_error *err) {
    replacing *r = user;
    if (!base->parent || base->parent->id == r->read_snapshot)
        return LAKE_OK;
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    lake_plan *plan;
    o.snapshot.has_snapshot_id = 1;
    o.snapshot.snapshot_id = base->parent->id;
    LAKE_TRY(lake_plan_open(r->table, &o, &plan, err));
    lake_file_set_forget(&r->seen);
    lake_status s = each_delete(r, plan, refuse_new, base->arena, err);
    if (s == LAKE_OK)
        s = refuse_undone(r, err);
    lake_plan_close(plan);
    return s;
}

/* ---- rows */

static lake_status count_added(
    lake_table *table, const lake_manifest_options *add, lake_arena *arena, int64_t *rows, lake_error *err) {
    lake_manifest_files files;
    *rows = 0;
    if (!add)
        return LAKE_OK;
    LAKE_TRY(lake_manifest_files_build(table->session, add, table->metadata, arena, &files, err));
    *rows = files.records;
    return LAKE_OK;
}

static lake_status compare_rows(replacing *r, const lake_plan *plan, lake_error *err) {
    int64_t left, come;
    lake_arena scratch;
    LAKE_TRY(lake_live_rows(r->table, plan, &r->gone, &left, err));
    lake_arena_init(&scratch, 0);
    lake_status s = count_added(r->table, r->options->add, &scratch, &come, err);
    lake_arena_clear(&scratch);
    if (s == LAKE_OK && left != come)
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "the files that go have %lld rows left in snapshot %lld, but those that come have %lld", (long long)left,
            (long long)r->read_snapshot, (long long)come);
    return s;
}

static lake_status check_present(replacing *r, const lake_plan *plan, lake_error *err) {
    size_t n;
    for (size_t i = 0; i < lake_plan_count(plan); i++)
        (void)lake_file_set_meet(&r->gone, lake_plan_task(plan, i)->path);
    lake_str missing = lake_file_set_missing(&r->gone, &n);
    if (n)
        return lake_fail(err, LAKE_ERR_NOT_FOUND, "%.*s: no live data file of snapshot %lld", LAKE_ARG(missing),
            (long long)r->read_snapshot);
    return LAKE_OK;
}

static lake_status look(replacing *r, lake_error *err) {
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    lake_plan *plan;
    o.snapshot.has_snapshot_id = 1;
    o.snapshot.snapshot_id = r->read_snapshot;
    LAKE_TRY(lake_plan_open(r->table, &o, &plan, err));
    lake_status s = check_present(r, plan, err);
    if (s == LAKE_OK)
        s = each_delete(r, plan, remember, &r->arena, err);
    if (s == LAKE_OK)
        s = lake_file_set_init(&r->seen, &r->arena, r->keys.paths, r->keys.n, err);
    if (s == LAKE_OK && !r->options->any_rows)
        s = compare_rows(r, plan, err);
    lake_plan_close(plan);
    return s;
}

/* ---- the snapshot that was read */

static lake_status choose_snapshot(replacing *r, lake_error *err) {
    const lake_metadata *m = r->table->metadata;
    const lake_ref *ref = r->branch ? lake_metadata_ref(m, lake_str_of(r->branch)) : NULL;
    const lake_snapshot *s = ref ? lake_metadata_snapshot(m, ref->snapshot_id) : m->snapshot;
    if (r->options->has_read_snapshot) {
        s = lake_metadata_snapshot(m, r->options->read_snapshot);
        if (!s)
            return lake_fail(
                err, LAKE_ERR_NOT_FOUND, "the table has no snapshot %lld", (long long)r->options->read_snapshot);
    }
    if (!s)
        return lake_fail(err, LAKE_ERR_NOT_FOUND, "the table has no snapshot, so there is nothing to replace");
    r->read_snapshot = s->id;
    r->sequence_number = s->sequence_number;
    return LAKE_OK;
}

static lake_status name_files(replacing *r, lake_error *err) {
    const lake_replace_options *o = r->options;
    lake_str *paths = LAKE_ARENA_ARRAY(&r->arena, lake_str, o->nremove);
    if (!paths)
        return lake_fail_memory(err);
    for (size_t i = 0; i < o->nremove; i++)
        LAKE_TRY(lake_location_recorded(&r->table->session->store, &r->arena, o->remove[i], &paths[i], err));
    return lake_file_set_init(&r->gone, &r->arena, paths, o->nremove, err);
}

static lake_status prepare(replacing *r, lake_error *err) {
    LAKE_TRY(lake_table_refresh(r->table, err));
    LAKE_TRY(choose_snapshot(r, err));
    LAKE_TRY(name_files(r, err));
    return look(r, err);
}

static lake_status run(
    replacing *r, lake_appending *add, const lake_commit_options *options, const lake_sink *sink, lake_error *err) {
    LAKE_TRY(prepare(r, err));
    const lake_change_options what = {
        .version = LAKE_CHANGE_OPTIONS_VERSION, .remove = r->options->remove, .nremove = r->options->nremove};
    if (add) {
        add->has_sequence_number = true;
        add->sequence_number = r->sequence_number;
    }
    lake_change c = {.table = r->table,
        .options = &what,
        .add = add,
        .operation = "replace",
        .begun = true,
        .check = check,
        .check_user = r};
    lake_arena_init(&c.arena, 0);
    lake_status s = lake_change_run(&c, options, sink, err);
    lake_arena_clear(&c.arena);
    return s;
}

lake_status lake_table_replace(lake_table *table, const lake_replace_options *replace,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err) {
    if (!replace || replace->version != LAKE_REPLACE_OPTIONS_VERSION)
        return lake_fail(err, LAKE_ERR_USAGE, "lake_replace_options: this version is not known");
    if (!replace->nremove)
        return lake_fail(err, LAKE_ERR_USAGE, "no files to replace");
    lake_appending add;
    replacing r = {.options = replace, .table = table, .branch = options ? options->branch : NULL};
    lake_arena_init(&r.arena, 0);
    lake_status s = replace->add ? lake_appending_init(&add, table->session, replace->add, err) : LAKE_OK;
    if (s == LAKE_OK)
        s = run(&r, replace->add ? &add : NULL, options, sink, err);
    if (replace->add)
        lake_appending_clear(&add);
    lake_arena_clear(&r.arena);
    return s;
}
