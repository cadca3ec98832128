/* Manifests of a snapshot, in parallel: each is pruned by its partition summaries, then its entries one by one. A
   worker keeps what it found in its own arena; nothing is allocated for entries that fall away. */
#include "planner/cached.h"
#include "planner/leaves.h"

lake_status plan_maker_get(lake_plan *plan, plan_worker *w, const lake_spec *spec, plan_maker **out, lake_error *err) {
    for (plan_maker *m = w->makers; m; m = m->next)
        if (m->spec == spec) {
            *out = m;
            return LAKE_OK;
        }
    plan_maker *m = LAKE_ARENA_NEW(&w->arena, plan_maker);
    if (!m)
        return lake_fail_memory(err);
    m->spec = spec;
    LAKE_TRY(
        lake_fact_maker_new(&w->arena, &plan->planning, plan->bound->terms, plan->bound->nterms, spec, &m->maker, err));
    size_t n, more = 0;
    const int32_t *columns = lake_fact_maker_columns(m->maker, &n), *extra = NULL;
    if (plan->deletes.nterms) {
        LAKE_TRY(lake_fact_maker_new(
            &w->arena, &plan->planning, plan->deletes.terms, plan->deletes.nterms, spec, &m->equality, err));
        extra = lake_fact_maker_columns(m->equality, &more);
    }
    int32_t *all = LAKE_ARENA_ARRAY(&w->arena, int32_t, n + more + 1);
    if (!all)
        return lake_fail_memory(err);
    if (n)
        memcpy(all, columns, n * sizeof *all);
    if (more)
        memcpy(all + n, extra, more * sizeof *all);
    m->columns = all;
    m->ncolumns = n;
    m->nequality_columns = more;
    m->next = w->makers;
    w->makers = m;
    *out = m;
    return LAKE_OK;
}

/* Where a manifest's entries come from. */
typedef struct source {
    lake_manifest_reader *reader;
    lake_image *image; /* else NULL */
    size_t next; /* entry of the image */
    bool deep; /* the image goes */
    plan_candidates candidates; /* of the image's entries */
} source;

/* Entries that were left out are counted. */
static void pass_over(source *from, plan_manifest *m) {
    const size_t n = lake_image_count(from->image);
    for (; from->next < n && !from->candidates.may[from->next]; from->next++) {
        if (lake_image_status(from->image, from->next) == LAKE_ENTRY_DELETED)
            continue;
        m->skipped_files++;
        m->scanned_bytes = lake_total_add(m->scanned_bytes, lake_image_file_size(from->image, from->next));
    }
}

static lake_status source_next(source *from, plan_manifest *m, const lake_entry **out, lake_error *err) {
    if (!from->image)
        return lake_manifest_next(from->reader, out, err);
    if (from->candidates.may)
        pass_over(from, m);
    *out = from->next < lake_image_count(from->image) ? lake_image_entry(from->image, from->next++) : NULL;
    return LAKE_OK;
}

/* The current entry again. */
static lake_status source_materialise(
    source *from, const lake_manifest_want *want, lake_arena *arena, lake_entry *out, lake_error *err) {
    return from->image ? lake_image_materialise(from->image, from->next - 1, want, from->deep, arena, out, err)
                       : lake_manifest_materialise(from->reader, want, arena, out, err);
}

/* One job of lake_parallel: a manifest. */
typedef struct scan {
    lake_plan *plan;
    size_t *items; /* indexes of the manifests to scan */
    size_t n;
    bool deletes;
} scan;

/* Few nodes decide about many files: their text is made once. */
lake_status plan_tell(
    const lake_plan *plan, plan_worker *w, const lake_facts *facts, lake_str *leaf, lake_str *seen, lake_error *err) {
    const struct lake_node *node = lake_bound_decider(plan->bound, facts);
    struct plan_told *told = &w->told[(uintptr_t)node / 16 % PLAN_TOLD];
    if (told->node != node) {
        lake_buffer_reset(&w->leaf);
        lake_bound_leaf(plan->bound, node, &w->leaf);
        lake_str text = lake_buffer_view(&w->leaf);
        told->leaf = lake_arena_str(&w->arena, text.ptr, text.len);
        told->node = told->leaf.ptr ? node : NULL;
    }
    lake_buffer_reset(&w->seen);
    lake_bound_seen(plan->bound, node, facts, &w->seen);
    lake_str text = lake_buffer_view(&w->seen);
    *leaf = told->leaf;
    *seen = lake_arena_str(&w->arena, text.ptr, text.len);
    return leaf->ptr && seen->ptr ? LAKE_OK : lake_fail_memory(err);
}

lake_status plan_decide(lake_plan *plan, plan_worker *w, plan_manifest *m, int level, lake_str path, bool kept,
    const char *reason, bool told, lake_error *err) {
    plan_decision *d = LAKE_ARENA_NEW(&w->arena, plan_decision);
    if (!d)
        return lake_fail_memory(err);
    d->view = (lake_decision){.level = level,
        .path = lake_arena_str(&w->arena, path.ptr, path.len),
        .kept = kept,
        .leaf = LAKE_STR(""),
        .facts = LAKE_STR(""),
        .reason = lake_str_of(reason)};
    if (!d->view.path.ptr)
        return lake_fail_memory(err);
    if (told && plan->bound->nterms && !plan->trivial)
        LAKE_TRY(plan_tell(plan, w, w->facts, &d->view.leaf, &d->view.facts, err));
    *m->decisions_end = d;
    m->decisions_end = &d->next;
    m->last_decision = d;
    m->ndecisions++;
    return LAKE_OK;
}

static lake_status keep_delete(plan_worker *w, plan_manifest *m, source *from, const lake_spec *spec, lake_error *err) {
    plan_delete *d = LAKE_ARENA_NEW(&w->arena, plan_delete);
    if (!d)
        return lake_fail_memory(err);
    lake_manifest_want all = {.all_columns = true, .rest = true};
    LAKE_TRY(source_materialise(from, &all, &w->arena, &d->entry, err));
    d->spec = spec;
    d->index = UINT32_MAX;
    *m->deletes_end = d;
    m->deletes_end = &d->next;
    m->ndeletes++;
    return LAKE_OK;
}

static lake_status keep_task(lake_plan *plan, plan_worker *w, plan_manifest *m, plan_maker *maker, source *from,
    const lake_entry *e, bool all_match, lake_error *err) {
    size_t ndeletes = 0;
    if (plan->deletes.nall)
        LAKE_TRY(plan_deletes_find(plan, w, maker, e, &ndeletes, err));
    plan_task *task = LAKE_ARENA_NEW(&w->arena, plan_task);
    if (!task)
        return lake_fail_memory(err);
    lake_manifest_want want = {.column_ids = maker->columns, .ncolumn_ids = maker->ncolumns, .rest = true};
    LAKE_TRY(source_materialise(from, &want, &w->arena, &task->entry, err));
    if (plan->options.stats || plan->options.narrowable) {
        lake_manifest_want all = {.all_columns = true};
        lake_entry whole;
        LAKE_TRY(source_materialise(from, &all, &w->arena, &whole, err));
        task->all_columns = whole.columns;
        task->nall_columns = whole.ncolumns;
    }
    task->spec = maker->spec;
    const lake_entry *own = &task->entry;
    task->view = (lake_scan_task){.path = own->file_path,
        .format = plan_format_name(own->file_format),
        .spec_id = m->line->spec_id,
        .record_count = own->record_count,
        .file_size = own->file_size,
        .match_all = all_match,
        .total_row_groups = -1,
        .ndeletes = ndeletes};
    task->sure_rows = plan_sure_rows(own, all_match, NULL, w->found, ndeletes);
    task->decision = m->last_decision;
    if (task->decision)
        task->decision->task = task;
    if (ndeletes) {
        plan_delete **found = LAKE_ARENA_ARRAY(&w->arena, plan_delete *, ndeletes);
        if (!found)
            return lake_fail_memory(err);
        memcpy(found, w->found, ndeletes * sizeof *found);
        task->view.deletes = (const uint32_t *)(const void *)found; /* numbered when all workers have ended */
    }
    *m->tasks_end = task;
    m->tasks_end = &task->next;
    m->ntasks++;
    m->kept_rows = lake_total_add(m->kept_rows, own->record_count);
    m->kept_bytes = lake_total_add(m->kept_bytes, own->file_size);
    m->match_all += all_match;
    m->sure_rows = __builtin_add_overflow(m->sure_rows, task->sure_rows, &m->sure_rows) ? INT64_MAX : m->sure_rows;
    return LAKE_OK;
}

static lake_status scan_entry(
    scan *s, plan_worker *w, plan_manifest *m, plan_maker *maker, source *from, const lake_entry *e, lake_error *err) {
    lake_plan *plan = s->plan;
    bool is_delete = s->deletes;
    lake_outcomes out = plan->bound->constant;
    bool empty = e->record_count == 0 && !plan->trivial && !is_delete;
    if (!is_delete)
        m->scanned_bytes = lake_total_add(m->scanned_bytes, e->file_size);
    if (plan->bound->nterms && !empty) {
        if (!lake_facts_of_entry(maker->maker, e, is_delete, &w->scratch, w->facts))
            return lake_fail_memory(err);
        out = lake_bound_evaluate(plan->bound, w->facts);
        if (!is_delete)
            plan_leaves_see_file(plan, w, maker->maker, e);
    }
    bool keep = !empty && (out & LAKE_T);
    if (plan->options.explain) {
        const char *reason = empty ? "the file has no records"
            : !keep                ? "no row can match"
            : out == LAKE_T        ? "every row matches"
                                   : "some rows may match";
        LAKE_TRY(plan_decide(plan, w, m, is_delete ? 3 : 1, e->file_path, keep, reason, !empty, err));
    }
    if (!keep) {
        m->skipped_files++;
        return LAKE_OK;
    }
    if (is_delete)
        return keep_delete(w, m, from, maker->spec, err);
    return keep_task(plan, w, m, maker, from, e, out == LAKE_T, err);
}

static lake_status scan_entries(
    scan *s, plan_worker *w, plan_manifest *m, plan_maker *maker, source *from, lake_error *err) {
    for (;;) {
        const lake_entry *e;
        LAKE_TRY(source_next(from, m, &e, err));
        if (!e)
            return LAKE_OK;
        if (e->status == LAKE_ENTRY_DELETED || (s->plan->increment && !plan_increment_wants(s->plan, e)))
            continue;
        lake_arena_reset(&w->scratch);
        LAKE_TRY(scan_entry(s, w, m, maker, from, e, err));
    }
}

/* The manifest's spec is the table's; if the table has lost it, the one in the manifest's own header. */
static lake_status scan_open(scan *s, plan_worker *w, plan_manifest *m, const plan_cached *cached, source *from,
    plan_maker **maker, lake_error *err) {
    lake_plan *plan = s->plan;
    lake_manifest_reader **reader = &from->reader;
    const lake_store *store = &plan->table->session->store;
    const lake_spec *spec = lake_metadata_spec(plan->table->metadata, m->line->spec_id);
    if (!spec) {
        lake_manifest_want nothing = {0};
        LAKE_TRY(lake_manifest_open_pooled(w->pool, store, m->line->path, m->line, NULL, &nothing, reader, err));
        const lake_spec *own = lake_manifest_header_of(*reader)->spec;
        lake_spec *copy = LAKE_ARENA_NEW(&w->arena, lake_spec);
        lake_json *json = own ? lake_spec_fields_write(&w->arena, own) : NULL;
        lake_buffer text;
        lake_buffer_init(&text);
        lake_status st = LAKE_OK;
        if (!copy)
            st = lake_fail_memory(err);
        else if (!json)
            st = lake_fail(err, LAKE_ERR_MALFORMED,
                "%.*s: partition spec %d is neither in the table's metadata nor in the manifest",
                LAKE_ARG(m->line->path), m->line->spec_id);
        if (st == LAKE_OK) { /* through text, so that nothing points into the reader */
            lake_json_print(&text, json, 0);
            lake_str view = lake_buffer_view(&text);
            view = lake_arena_str(&w->arena, view.ptr, view.len);
            lake_json *again;
            st = lake_json_parse(&w->arena, view, "partition-spec", &again, err);
            if (st == LAKE_OK)
                st = lake_spec_read(&w->arena, again, &copy, err);
            if (st == LAKE_OK)
                copy->id = m->line->spec_id;
        }
        lake_buffer_clear(&text);
        lake_manifest_close(*reader);
        *reader = NULL;
        LAKE_TRY(st);
        spec = copy;
    }
    LAKE_TRY(plan_maker_get(plan, w, spec, maker, err));
    bool all = s->deletes || plan->options.stats || plan->options.narrowable;
    plan_cached_open(plan, w, m->line, *maker, cached, all, &from->image, &from->deep);
    if (from->deep)
        from->candidates.may = NULL; /* they were of the image that was there before */
    if (from->image)
        return LAKE_OK;
    lake_manifest_want want = {.column_ids = (*maker)->columns,
        .ncolumn_ids = (*maker)->ncolumns + (*maker)->nequality_columns,
        .rest = s->deletes};
    return lake_manifest_open_pooled(w->pool, store, m->line->path, m->line, spec, &want, reader, err);
}

lake_status plan_tick(lake_plan *plan, const char *what, uint64_t all, lake_error *err) {
    lake_session *session = plan->table->session;
    if (!session->progress)
        return LAKE_OK;
    pthread_mutex_lock(plan->lock);
    int stop = session->progress(session->progress_user, what, ++plan->done, all);
    pthread_mutex_unlock(plan->lock);
    return stop ? lake_fail(err, LAKE_ERR_CANCELLED, "planning was cancelled") : LAKE_OK;
}

static lake_status scan_manifest(void *user, size_t item, unsigned worker, lake_error *err) {
    scan *s = user;
    lake_plan *plan = s->plan;
    plan_worker *w = &plan->workers[worker];
    plan_manifest *m = &plan->manifests[s->items[item]];
    const lake_manifest_file *line = m->line;
    LAKE_TRY(plan_tick(plan, "manifests", plan->nlines, err));
    if (!s->deletes && plan_limit_reached(plan))
        return LAKE_OK;
    bool counted = (line->has & LAKE_HAS_ADDED_FILES) && (line->has & LAKE_HAS_EXISTING_FILES);
    if (counted && line->added_files + line->existing_files <= 0)
        return plan->options.explain
            ? plan_decide(plan, w, m, s->deletes ? 2 : 0, line->path, false, "it has no live entries", false, err)
            : LAKE_OK;
    const lake_spec *spec = lake_metadata_spec(plan->table->metadata, line->spec_id);
    lake_outcomes out = plan->bound->constant;
    if (plan->bound->nterms && spec) {
        plan_maker *maker;
        LAKE_TRY(plan_maker_get(plan, w, spec, &maker, err));
        lake_arena_reset(&w->scratch);
        if (!lake_facts_of_manifest(maker->maker, line, &w->scratch, w->facts))
            return lake_fail_memory(err);
        out = lake_bound_evaluate(plan->bound, w->facts);
        if (!s->deletes)
            plan_leaves_see_manifest(plan, w, maker->maker);
    } else if (plan->bound->nterms) {
        out = LAKE_ANY;
        if (!s->deletes)
            plan_leaves_see_manifest(plan, w, NULL);
    }
    bool keep = (out & LAKE_T) != 0;
    if (plan->options.explain)
        LAKE_TRY(plan_decide(plan, w, m, s->deletes ? 2 : 0, line->path, keep,
            keep ? "some files may match" : "no file in it can match", spec != NULL, err));
    if (!keep)
        return LAKE_OK;
    if (!w->pool && !(w->pool = lake_manifest_pool_new()))
        return lake_fail_memory(err);
    source from = {0};
    plan_maker *maker;
    plan_cached cached;
    bool pruned = false;
    plan_cached_find(plan, w, line, spec, &cached);
    if (!s->deletes)
        LAKE_TRY(plan_cached_prune(plan, w, m, &cached, &pruned, &from.candidates, err));
    if (pruned)
        return LAKE_OK;
    lake_status st = scan_open(s, w, m, &cached, &from, &maker, err);
    if (st == LAKE_OK)
        st = scan_entries(s, w, m, maker, &from, err);
    lake_manifest_close(from.reader);
    m->scanned = true;
    return st;
}

static lake_status scan_one(void *user, size_t item, unsigned worker, lake_error *err) {
    scan *s = user;
    LAKE_TRY(scan_manifest(user, item, worker, err));
    if (!s->deletes)
        plan_limit_note(s->plan, s->items[item]);
    return LAKE_OK;
}

lake_status plan_scan(lake_plan *plan, bool delete_manifests, lake_error *err) {
    scan s = {.plan = plan, .deletes = delete_manifests};
    s.items = LAKE_ARENA_ARRAY(&plan->arena, size_t, plan->nlines);
    if (!s.items)
        return lake_fail_memory(err);
    for (size_t i = 0; i < plan->nlines; i++)
        if ((plan->lines[i].content != 0) == delete_manifests)
            s.items[s.n++] = i;
    for (unsigned i = 0; i < plan->nworkers; i++)
        plan->workers[i].makers = NULL; /* the equality terms are known only after the delete manifests */
    return lake_parallel(s.n, plan->nworkers, scan_one, &s, err);
}
