/* delete and overwrite: data files go, others may come, in one snapshot (spec.md, "Snapshots", "Deletion Vectors"). A
   filter is asked of the state that each attempt builds on, so that the result is as if nobody else had written
   meanwhile. */
#include "writer/change.h"

#include "lake/plan.h"
#include "writer/manifest_files.h"

/* ---- which files */

static lake_status matching_files(const lake_plan *plan, lake_arena *arena, lake_path_list *paths, lake_error *err) {
    size_t some = 0;
    const lake_scan_task *first = NULL;
    for (size_t i = 0; i < lake_plan_count(plan); i++) {
        const lake_scan_task *t = lake_plan_task(plan, i);
        if (t->match_all && !lake_path_list_add(paths, arena, t->path))
            return lake_fail_memory(err);
        if (!t->match_all && some++ == 0)
            first = t;
    }
    if (!some)
        return LAKE_OK;
    return lake_fail(err, LAKE_ERR_UNSUPPORTED,
        "%.*s: it is not proved that all of its rows match%s: whole files can be taken away, not rows",
        LAKE_ARG(first->path), some > 1 ? ", and this is not the only such file" : "");
}

static lake_status ask_filter(lake_change *c, const lake_base *base, lake_path_list *paths, lake_error *err) {
    if (!c->options->where || !base->parent)
        return LAKE_OK;
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    lake_plan *plan;
    o.where = c->options->where;
    o.case_sensitive = c->options->case_sensitive ? 1 : -1;
    if (c->branch && lake_metadata_ref(base->metadata, lake_str_of(c->branch)))
        o.snapshot.ref = c->branch; /* else it grows from the current snapshot */
    LAKE_TRY(lake_plan_open(c->table, &o, &plan, err));
    lake_status s = matching_files(plan, base->arena, paths, err);
    lake_plan_close(plan);
    return s;
}

static lake_status begin(void *user, lake_base *base, lake_error *err) {
    lake_change *c = user;
    lake_path_list paths = {0};
    LAKE_TRY(ask_filter(c, base, &paths, err));
    for (size_t i = 0; i < c->options->nremove; i++)
        if (!lake_path_list_add(&paths, base->arena, c->named[i]))
            return lake_fail_memory(err);
    LAKE_TRY(lake_file_set_init(&c->gone, base->arena, paths.paths, paths.n, err));
    base->nothing = paths.n == 0 && !c->add;
    return LAKE_OK;
}

/* ---- what becomes of them */

static lake_verdict ask(void *user, const lake_manifest_file *line, const lake_entry *e) {
    const lake_change *c = user;
    if (e->content == LAKE_CONTENT_DATA)
        return lake_file_set_meet(&c->gone, e->file_path) ? LAKE_ENTRY_GOES : LAKE_ENTRY_STAYS;
    bool vector = e->content == LAKE_CONTENT_POSITION_DELETES && (e->has & LAKE_HAS_CONTENT_OFFSET);
    return vector && lake_file_set_has(&c->gone, e->referenced_data_file) ? LAKE_ENTRY_GOES : LAKE_ENTRY_STAYS;
}

static lake_status check(void *user, lake_base *base, lake_error *err) {
    lake_change *c = user;
    size_t n;
    lake_str missing = lake_file_set_missing(&c->gone, &n);
    if (n)
        return lake_fail(err, c->begun ? LAKE_ERR_CONFLICT : LAKE_ERR_NOT_FOUND,
            c->begun ? "%.*s: another commit has taken this file away meanwhile%s"
                     : "%.*s: no live data file of the table%s",
            LAKE_ARG(missing), n > 1 ? ", and it is not the only one" : "");
    c->begun = true;
    return c->check ? c->check(c->check_user, base, &c->gone, err) : LAKE_OK;
}

static lake_status make(void *user, const lake_metadata *m, int64_t snapshot_id, bool dry_run, lake_arena *arena,
    lake_manifest_file **lines, size_t *n, lake_changes *changes, lake_error *err) {
    lake_change *c = user;
    *lines = NULL;
    *n = 0;
    changes->operation = c->operation;
    return c->add ? lake_appending_make(c->add, m, snapshot_id, dry_run, arena, lines, n, changes, err) : LAKE_OK;
}

static void forget(void *user) {
    lake_change *c = user;
    if (c->add)
        lake_appending_forget(c->add);
}

lake_status lake_change_run(
    lake_change *c, const lake_commit_options *options, const lake_sink *sink, lake_error *err) {
    static const lake_rewrite rewrite = {.data = true, .deletes = true, .ask = ask};
    const lake_commit_source source = {
        .user = c, .make = make, .forget = forget, .rewrite = &rewrite, .begin = begin, .check = check};
    c->branch = options ? options->branch : NULL;
    c->named = LAKE_ARENA_ARRAY(&c->arena, lake_str, c->options->nremove);
    if (!c->named)
        return lake_fail_memory(err);
    for (size_t i = 0; i < c->options->nremove; i++)
        LAKE_TRY(
            lake_location_recorded(&c->table->session->store, &c->arena, c->options->remove[i], &c->named[i], err));
    return lake_commit_run(c->table, &source, options, sink, err);
}

lake_status lake_table_change(lake_table *table, const lake_change_options *change, const lake_commit_options *options,
    const lake_sink *sink, lake_error *err) {
    if (!change || change->version != LAKE_CHANGE_OPTIONS_VERSION)
        return lake_fail(err, LAKE_ERR_USAGE, "lake_change_options: this version is not known");
    if (!change->nremove && !change->where)
        return lake_fail(err, LAKE_ERR_USAGE, "neither files nor a filter say what is taken away");
    lake_appending add;
    lake_change c = {.table = table, .options = change, .add = change->add ? &add : NULL};
    lake_status s = change->add ? lake_appending_init(&add, table->session, change->add, err) : LAKE_OK;
    c.operation = change->add ? "overwrite" : "delete";
    lake_arena_init(&c.arena, 0);
    if (s == LAKE_OK)
        s = lake_change_run(&c, options, sink, err);
    lake_arena_clear(&c.arena);
    if (change->add)
        lake_appending_clear(&add);
    return s;
}
