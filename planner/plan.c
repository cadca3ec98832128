/* A plan from beginning to end: bind the predicate, choose the snapshot, prune manifests, then files; and its
   accessors. The predicate's decisions are made in evaluate.c, its facts in facts.c; here they are joined with what the
   manifests say. */
#include "planner/cached.h"
#include "planner/leaves.h"
#include "planner/members.h"

/* ANDs options.in onto the predicate. */
static lake_status add_members(lake_plan *plan, const lake_schema *schema, const lake_bind_options *options,
    const lake_tree **tree, lake_error *err) {
    const lake_plan_options *o = &plan->options;
    const lake_tree **all = LAKE_ARENA_ARRAY(&plan->arena, const lake_tree *, o->nin + 1);
    size_t n = 0;
    if (!o->nin)
        return LAKE_OK;
    if (!all)
        return lake_fail_memory(err);
    if (o->where || o->filter)
        all[n++] = *tree;
    for (size_t i = 0; i < o->nin; i++)
        LAKE_TRY(lake_members_tree(&plan->arena, &o->in[i], schema, options, &all[n++], err));
    *tree = n == 1 ? all[0] : lake_tree_list(&plan->arena, LAKE_TREE_AND, all, n);
    return *tree ? LAKE_OK : lake_fail_memory(err);
}

lake_status plan_parse(lake_plan *plan, const lake_tree **out, lake_error *err) {
    const lake_plan_options *o = &plan->options;
    if (o->where && o->filter)
        return lake_fail(err, LAKE_ERR_USAGE, "give a WHERE text or a filter, not both");
    if (o->filter) {
        lake_json *json;
        LAKE_TRY(lake_json_parse(&plan->arena, lake_str_of(o->filter), "filter", &json, err));
        return lake_tree_from_json(&plan->arena, json, out, err);
    }
    return lake_tree_from_sql(&plan->arena, o->where ? lake_str_of(o->where) : LAKE_STR("TRUE"), out, err);
}

lake_bind_options plan_bind_options(const lake_plan *plan) {
    const lake_plan_options *o = &plan->options;
    return (lake_bind_options){
        .two_valued = o->filter != NULL,
        .case_sensitive = o->case_sensitive < 0 ? o->filter != NULL : o->case_sensitive != 0,
        .nan_largest = o->nan_largest != 0,
    };
}

lake_status plan_bind(lake_plan *plan, const lake_tree *tree, const lake_schema *schema, lake_error *err) {
    lake_bind_options options = plan_bind_options(plan);
    LAKE_TRY(add_members(plan, schema, &options, &tree, err));
    LAKE_TRY(lake_bind(&plan->arena, tree, schema, &options, &plan->bound, err));
    plan->trivial = lake_bound_is_true(plan->bound);
    plan->counts.leaves = (int64_t)(plan->bound->nterms + plan->bound->nnotes);
    plan->counts.opaque_leaves = (int64_t)plan->bound->nnotes;
    return plan_order_begin(plan, schema, &options, err);
}

/* False: the sum is not known. */
static bool count(int64_t *sum, int64_t n) {
    return n >= 0 && !__builtin_add_overflow(*sum, n, sum);
}

void plan_count_lines(lake_plan *plan) {
    lake_plan_counts *c = &plan->counts;
    bool known_files = true, known_rows = true;
    for (size_t i = 0; i < plan->nlines; i++) {
        const lake_manifest_file *l = &plan->lines[i];
        if (l->content != 0) {
            c->total_delete_manifests++;
            continue;
        }
        c->total_data_manifests++;
        known_files &= (l->has & LAKE_HAS_ADDED_FILES) && (l->has & LAKE_HAS_EXISTING_FILES);
        known_rows &= (l->has & LAKE_HAS_ADDED_ROWS) && (l->has & LAKE_HAS_EXISTING_ROWS);
        known_files =
            known_files && count(&c->total_files, l->added_files) && count(&c->total_files, l->existing_files);
        known_rows = known_rows && count(&c->total_rows, l->added_rows) && count(&c->total_rows, l->existing_rows);
    }
    if (!known_files)
        c->total_files = -1;
    if (!known_rows)
        c->total_rows = -1;
}

lake_status plan_open_workers(lake_plan *plan, lake_error *err) {
    plan->nworkers = plan->table->session->threads ? plan->table->session->threads : lake_threads_default();
    plan->workers = LAKE_ARENA_ARRAY(&plan->arena, plan_worker, plan->nworkers);
    if (!plan->workers) {
        plan->nworkers = 0;
        return lake_fail_memory(err);
    }
    for (unsigned i = 0; i < plan->nworkers; i++) {
        plan_worker *w = &plan->workers[i];
        lake_arena_init(&w->arena, 0);
        lake_arena_init(&w->scratch, 0);
        lake_arena_init(&w->image_arena, 0);
        lake_buffer_init(&w->image);
        lake_buffer_init(&w->leaf);
        lake_buffer_init(&w->seen);
        lake_buffer_init(&w->key);
        w->facts = LAKE_ARENA_ARRAY(&w->arena, lake_facts, plan->bound->nterms + 1);
        if (!w->facts)
            return lake_fail_memory(err);
    }
    return LAKE_OK;
}

void plan_worker_clear(plan_worker *w) {
    lake_arena_clear(&w->arena);
    lake_arena_clear(&w->scratch);
    lake_manifest_pool_free(w->pool);
    lake_mem_free(w->found);
    lake_arena_clear(&w->image_arena);
    lake_buffer_clear(&w->image);
    lake_buffer_clear(&w->leaf);
    lake_buffer_clear(&w->seen);
    lake_buffer_clear(&w->key);
}

/* Everything that the workers found, in the order of the manifest list. */
lake_status plan_gather(lake_plan *plan, lake_error *err) {
    lake_plan_counts *c = &plan->counts;
    for (size_t i = 0; i < plan->nlines; i++) {
        plan_manifest *m = &plan->manifests[i];
        bool data = m->line->content == 0;
        *(data ? (m->scanned ? &c->scanned_data_manifests : &c->skipped_data_manifests)
               : (m->scanned ? &c->scanned_delete_manifests : &c->skipped_delete_manifests)) += 1;
        c->total_manifest_bytes = lake_total_add(c->total_manifest_bytes, m->line->length);
        if (m->scanned)
            c->scanned_manifest_bytes = lake_total_add(c->scanned_manifest_bytes, m->line->length);
        plan->ntasks += m->ntasks;
        plan->ndecisions += m->ndecisions;
        *(data ? &c->skipped_files_in_scanned : &c->skipped_delete_files) += m->skipped_files;
        c->kept_rows = lake_total_add(c->kept_rows, m->kept_rows);
        c->kept_bytes = lake_total_add(c->kept_bytes, m->kept_bytes);
        c->scanned_bytes = lake_total_add(c->scanned_bytes, m->scanned_bytes);
        c->match_all_files += m->match_all;
    }
    c->kept_files = (int64_t)plan->ntasks;
    c->skipped_files = c->total_files < 0 ? -1 : c->total_files - c->kept_files;
    plan->tasks = LAKE_ARENA_ARRAY(&plan->arena, plan_task *, plan->ntasks);
    plan->decisions = LAKE_ARENA_ARRAY(&plan->arena, plan_decision *, plan->ndecisions);
    if (!plan->tasks || !plan->decisions)
        return lake_fail_memory(err);
    size_t t = 0, d = 0;
    for (size_t i = 0; i < plan->nlines; i++) {
        for (plan_task *k = plan->manifests[i].tasks; k; k = k->next)
            plan->tasks[t++] = k;
        for (plan_decision *k = plan->manifests[i].decisions; k; k = k->next)
            plan->decisions[d++] = k;
    }
    return LAKE_OK;
}

/* Gives the used delete files their numbers, in order of first use, and turns the tasks' pointers into them. */
static lake_status number_deletes(lake_plan *plan, lake_error *err) {
    lake_plan_counts *c = &plan->counts;
    plan->used_deletes = LAKE_ARENA_ARRAY(&plan->arena, plan_delete *, plan->deletes.nall);
    plan->used_views = LAKE_ARENA_ARRAY(&plan->arena, lake_delete_file, plan->deletes.nall);
    if (!plan->used_deletes || !plan->used_views)
        return lake_fail_memory(err);
    for (size_t i = 0; i < plan->ntasks; i++) {
        lake_scan_task *task = &plan->tasks[i]->view;
        plan_delete *const *found = (plan_delete *const *)(const void *)task->deletes;
        uint32_t *numbers = (uint32_t *)(void *)(uintptr_t)task->deletes;
        for (size_t k = 0; k < task->ndeletes; k++) {
            plan_delete *d = found[k]; /* read before the narrower number is written over it */
            if (d->index == UINT32_MAX) {
                const lake_entry *e = &d->entry;
                d->index = (uint32_t)plan->nused;
                plan->used_deletes[plan->nused] = d;
                plan->used_views[plan->nused++] = (lake_delete_file){.path = e->file_path,
                    .format = plan_format_name(e->file_format),
                    .content = e->content,
                    .record_count = e->record_count,
                    .file_size = e->file_size,
                    .has_content_offset = (e->has & LAKE_HAS_CONTENT_OFFSET) != 0,
                    .content_offset = e->content_offset,
                    .content_size = e->content_size,
                    .equality_ids = e->equality_ids,
                    .nequality_ids = e->nequality_ids,
                    .referenced_data_file = e->referenced_data_file};
                *(e->content == LAKE_CONTENT_EQUALITY_DELETES ? &c->equality_delete_files
                        : plan_is_vector(e)                   ? &c->deletion_vectors
                                                              : &c->position_delete_files) += 1;
            }
            uint32_t number = d->index;
            memcpy(&numbers[k], &number, sizeof number);
        }
    }
    c->delete_files = (int64_t)plan->nused;
    return LAKE_OK;
}

static lake_status run(lake_plan *plan, void *unused, lake_error *err) {
    (void)unused;
    const lake_table *table = plan->table;
    const lake_snapshot *snapshot;
    const lake_schema *schema;
    const lake_tree *tree;
    LAKE_TRY(lake_table_choose(table, &plan->options.snapshot, &snapshot, &schema, err));
    LAKE_TRY(plan_increment_begin(plan, &snapshot, err));
    plan->planning = (lake_planning_table){table->metadata, snapshot, schema,
        lake_metadata_property(table->metadata, "schema.name-mapping.default").ptr != NULL};
    LAKE_TRY(plan_parse(plan, &tree, err));
    LAKE_TRY(plan_bind(plan, tree, schema, err));
    LAKE_TRY(plan_limit_begin(plan, err));
    LAKE_TRY(plan_open_workers(plan, err));
    LAKE_TRY(plan_leaves_prepare(plan, err));
    if (!snapshot)
        return LAKE_OK;
    bool never;
    LAKE_TRY(plan_never(plan, &never, err));
    if (never)
        return LAKE_OK;
    LAKE_TRY(plan->increment ? plan_increment_manifests(plan, err)
                             : lake_table_manifests(table, snapshot, &plan->arena, &plan->lines, &plan->nlines, err));
    plan->manifests = LAKE_ARENA_ARRAY(&plan->arena, plan_manifest, plan->nlines);
    if (!plan->manifests)
        return lake_fail_memory(err);
    for (size_t i = 0; i < plan->nlines; i++) {
        plan_manifest *m = &plan->manifests[i];
        m->line = &plan->lines[i];
        m->tasks_end = &m->tasks;
        m->deletes_end = &m->deletes;
        m->decisions_end = &m->decisions;
    }
    plan_count_lines(plan);
    LAKE_TRY(plan_limit_prepare(plan, err));
    plan_cached_begin(plan);
    LAKE_TRY(plan_scan(plan, true, err));
    LAKE_TRY(plan_deletes_index(plan, err));
    LAKE_TRY(plan_scan(plan, false, err));
    plan_cached_write(plan);
    LAKE_TRY(plan_limit_cut(plan, err));
    LAKE_TRY(plan_gather(plan, err));
    plan_limit_apply(plan);
    LAKE_TRY(plan_order_apply(plan, err));
    if (plan->options.row_groups)
        LAKE_TRY(plan_row_groups(plan, err));
    plan_leaves_gather(plan);
    plan_order_renumber(plan);
    return number_deletes(plan, err);
}

lake_plan *plan_new(const lake_plan_options *options) {
    lake_plan *plan = lake_mem_zalloc(1, sizeof *plan);
    if (!plan)
        return NULL;
    lake_arena_init(&plan->arena, 0);
    lake_arena_init(&plan->scratch, 0);
    lake_buffer_init(&plan->json);
    lake_buffer_init(&plan->sql);
    plan->options = (lake_plan_options)LAKE_PLAN_OPTIONS_INIT;
    if (options) /* an older caller's options are shorter */
        memcpy(&plan->options, options,
            options->version < 2 ? offsetof(lake_plan_options, has_limit) : sizeof plan->options);
    return plan;
}

lake_status plan_open_by(lake_plan *plan, lake_status (*work)(lake_plan *plan, void *user, lake_error *err), void *user,
    lake_plan **out, lake_error *err) {
    int64_t begin = lake_monotonic_ns();
    pthread_mutex_t lock;
    pthread_mutex_init(&lock, NULL);
    plan->lock = &lock;
    lake_status s = work(plan, user, err);
    plan->lock = NULL;
    pthread_mutex_destroy(&lock);
    plan->options.where = plan->options.filter = plan->options.order_by = NULL; /* the caller's */
    plan->options.in = NULL;
    plan->counts.planning_ns = lake_monotonic_ns() - begin;
    if (s != LAKE_OK) {
        lake_plan_close(plan);
        return s;
    }
    *out = plan;
    return LAKE_OK;
}

lake_status lake_plan_open(lake_table *table, const lake_plan_options *options, lake_plan **out, lake_error *err) {
    *out = NULL;
    lake_plan *plan = plan_new(options);
    if (!plan)
        return lake_fail_memory(err);
    plan->table = table;
    return plan_open_by(plan, run, NULL, out, err);
}

void lake_plan_close(lake_plan *plan) {
    if (!plan)
        return;
    for (unsigned i = 0; i < plan->nworkers; i++)
        plan_worker_clear(&plan->workers[i]);
    plan_narrow_clear(plan);
    lake_manifest_use_end(plan->cached);
    lake_buffer_clear(&plan->json);
    lake_buffer_clear(&plan->sql);
    lake_arena_clear(&plan->scratch);
    lake_arena_clear(&plan->arena);
    if (plan->listing) /* the plan has made its table */
        lake_table_close(plan->table);
    plan_listing_close(plan->listing);
    lake_mem_free(plan);
}

size_t lake_plan_count(const lake_plan *plan) {
    return plan->ntasks;
}

const lake_scan_task *lake_plan_task(const lake_plan *plan, size_t index) {
    if (index >= plan->ntasks)
        return NULL;
    plan_task *task = plan->tasks[index];
    if (!task->view.partition.ptr) {
        lake_plan *mine = (lake_plan *)(uintptr_t)plan; /* the texts are made on first use */
        lake_buffer_reset(&mine->json);
        plan_partition_json(plan, task->spec, &task->entry, &mine->arena, true, &mine->json);
        lake_str text = lake_buffer_view(&mine->json);
        task->view.partition = lake_arena_str(&mine->arena, text.ptr, text.len);
        lake_buffer_reset(&mine->json);
        plan_partition_text(plan, task->spec, &task->entry, &mine->arena, &mine->json);
        text = lake_buffer_view(&mine->json);
        task->view.partition_text = lake_arena_str(&mine->arena, text.ptr, text.len);
    }
    return &task->view;
}

size_t lake_plan_delete_count(const lake_plan *plan) {
    return plan->nused;
}

const lake_delete_file *lake_plan_delete(const lake_plan *plan, size_t index) {
    return index < plan->nused ? &plan->used_views[index] : NULL;
}

void lake_plan_counts_of(const lake_plan *plan, lake_plan_counts *out) {
    *out = plan->counts;
}

int lake_plan_snapshot(const lake_plan *plan, int64_t *id) {
    if (!plan->planning.snapshot)
        return 0;
    *id = plan->planning.snapshot->id;
    return 1;
}

size_t lake_plan_decision_count(const lake_plan *plan) {
    return plan->ndecisions;
}

lake_status lake_plan_decision(lake_plan *plan, size_t index, lake_decision *out, lake_error *err) {
    if (index >= plan->ndecisions)
        return lake_fail(err, LAKE_ERR_USAGE, "decision %zu of %zu", index, plan->ndecisions);
    *out = plan->decisions[index]->view;
    return LAKE_OK;
}

size_t lake_plan_unused(const lake_plan *plan, size_t index, lake_str *sql, lake_str *reason) {
    if (index < plan->bound->nnotes) {
        *sql = plan->bound->notes[index].sql;
        *reason = plan->bound->notes[index].reason;
    }
    return plan->bound->nnotes;
}

lake_status lake_plan_residual(
    lake_plan *plan, size_t index, lake_str *json, int *exact, lake_str *sql, lake_error *err) {
    if (index >= plan->ntasks)
        return lake_fail(err, LAKE_ERR_USAGE, "task %zu of %zu", index, plan->ntasks);
    plan_task *task = plan->tasks[index];
    plan_worker *w = &plan->workers[0];
    plan_maker *maker;
    LAKE_TRY(plan_maker_get(plan, w, task->spec, &maker, err));
    lake_arena_reset(&plan->scratch);
    if (!lake_facts_of_entry(maker->maker, &task->entry, false, &plan->scratch, w->facts))
        return lake_fail_memory(err);
    lake_buffer_reset(&plan->json);
    lake_buffer_reset(&plan->sql);
    bool is_exact = true;
    LAKE_TRY(lake_bound_residual(plan->bound, w->facts, &plan->scratch, &plan->json, &is_exact, &plan->sql, err));
    LAKE_TRY(lake_buffer_check(&plan->json, err));
    LAKE_TRY(lake_buffer_check(&plan->sql, err));
    if (json)
        *json = lake_buffer_view(&plan->json);
    if (exact)
        *exact = is_exact;
    if (sql)
        *sql = lake_buffer_view(&plan->sql);
    return LAKE_OK;
}
