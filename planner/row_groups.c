/* Row groups: the footers of the files that the manifests could not rule out, in parallel. What a footer says of a row
   group is joined with what the manifest says of its file, and the one evaluator decides; then sets of values and page
   indexes are asked. Where anything about a file is doubtful it is kept as it is (parquet.thrift, "RowGroup"). */
#include "planner/row_groups.h"

#include <stdio.h>

enum { TOLD_RANGES = 4, PAGES_REASON = 320 };

lake_status plan_read_range(plan_group_job *job, lake_arena *arena, int64_t offset, int64_t length, int64_t limit,
    lake_bytes *out, bool *ok, lake_error *err) {
    uint64_t end = job->file.footer_at;
    *ok = offset >= 4 && length > 0 && length <= limit && (uint64_t)offset < end &&
        (uint64_t)length <= end - (uint64_t)offset;
    if (!*ok) {
        job->counts->doubtful++;
        return LAKE_OK;
    }
    uint8_t *data = lake_arena_alloc(arena, (size_t)length);
    if (!data)
        return lake_fail_memory(err);
    *out = (lake_bytes){data, (size_t)length};
    return lake_file_read(job->file.file, (uint64_t)offset, data, (size_t)length, err);
}

/* ---------------------------------------------------------------- one row group */
/* Its first and last byte. Unknown where a chunk's place is. */
static void place_group(const plan_group_job *job, const lake_parquet_row_group *g, lake_row_group *out) {
    size_t n = job->file.footer->nleaves;
    int64_t begin = INT64_MAX, end = 0;
    out->offset = out->length = -1;
    for (size_t i = 0; i < n; i++) {
        const lake_parquet_chunk *c = &g->chunks[i];
        int64_t at = lake_parquet_chunk_start(c), to;
        if (c->encrypted || c->other_file || __builtin_add_overflow(at, c->compressed_size, &to) || to < 0 ||
            (uint64_t)to > job->file.footer_at) {
            job->counts->doubtful += !c->encrypted && !c->other_file;
            return;
        }
        begin = at < begin ? at : begin;
        end = to > end ? to : end;
    }
    if (n) {
        out->offset = begin;
        out->length = end - begin;
    }
}

static lake_status decide(plan_group_job *job, const lake_row_group *g, const lake_facts *facts, bool kept,
    const char *reason, lake_error *err) {
    plan_worker *w = job->worker;
    plan_task *task = job->task;
    if (!job->plan->options.explain)
        return LAKE_OK;
    plan_decision *d = LAKE_ARENA_NEW(&w->arena, plan_decision);
    if (!d)
        return lake_fail_memory(err);
    d->view = (lake_decision){.level = 4,
        .path = task->view.path,
        .kept = kept,
        .leaf = LAKE_STR(""),
        .facts = LAKE_STR(""),
        .reason = lake_arena_str(&w->arena, reason, strlen(reason)),
        .row_group = g->index};
    if (!d->view.reason.ptr)
        return lake_fail_memory(err);
    if (facts && job->plan->bound->nterms)
        LAKE_TRY(plan_tell(job->plan, w, facts, &d->view.leaf, &d->view.facts, err));
    *task->group_decisions_end = d;
    task->group_decisions_end = &d->next;
    task->ngroup_decisions++;
    return LAKE_OK;
}

static lake_status whole_group(plan_group_job *job, lake_row_group *out, lake_error *err) {
    lake_row_range *range = LAKE_ARENA_NEW(&job->worker->arena, lake_row_range);
    if (!range)
        return lake_fail_memory(err);
    *range = (lake_row_range){0, out->rows};
    out->ranges = range;
    out->nranges = out->rows > 0;
    return LAKE_OK;
}

/* Statistics of its chunks, joined with the facts of the file. */
static lake_status statistics(
    plan_group_job *job, const lake_parquet_row_group *g, lake_outcomes *out, lake_error *err) {
    for (size_t i = 0; i < job->ncolumns; i++) {
        const lake_footer_column *c = &job->columns[i];
        const lake_parquet_chunk *chunk = c->leaf ? &g->chunks[c->leaf->column] : NULL;
        LAKE_TRY(lake_footer_facts(&job->own->group, job->file.footer, c, chunk, g->num_rows, &job->parts[i], err));
        job->counts->doubtful += chunk && !chunk->encrypted && chunk->num_values != g->num_rows;
    }
    lake_facts_narrow(job->maker, job->whole, job->parts, &job->own->group, job->facts);
    *out = lake_bound_evaluate(job->plan->bound, job->facts);
    return LAKE_OK;
}

/* "20 of 40 rows may match, by pages: 0-9, 30-39". */
static void tell_kept(const lake_row_group *g, char *out, size_t room) {
    int64_t rows = 0;
    size_t at;
    for (size_t i = 0; i < g->nranges; i++)
        rows += g->ranges[i].rows;
    if (rows == g->rows) {
        snprintf(out, room, g->match_all ? "every row matches" : "some rows may match");
        return;
    }
    at = (size_t)snprintf(out, room, "%lld of %lld rows %smatch, by pages: ", (long long)rows, (long long)g->rows,
        g->match_all ? "" : "may ");
    for (size_t i = 0; i < g->nranges && at < room; i++) {
        const lake_row_range *r = &g->ranges[i];
        if (i == TOLD_RANGES) {
            snprintf(out + at, room - at, ", …");
            return;
        }
        at += (size_t)snprintf(out + at, room - at, "%s%lld-%lld", i ? ", " : "", (long long)r->first,
            (long long)(r->first + r->rows - 1));
    }
}

/* *out keeps its ranges NULL if the row group is dropped. */
static lake_status judge_group(
    plan_group_job *job, const lake_parquet_row_group *g, lake_row_group *out, lake_error *err) {
    plan_group_counts *c = job->counts;
    const lake_bound *bound = job->plan->bound;
    lake_outcomes outcomes = bound->constant;
    const char *how = NULL;
    if (!g->num_rows && !job->plan->trivial) {
        c->by_statistics++;
        return decide(job, out, NULL, false, "the row group has no records", err);
    }
    if (bound->nterms)
        LAKE_TRY(statistics(job, g, &outcomes, err));
    if (job->first_facts && bound->nterms)
        memcpy(job->first_facts, job->facts, lake_fact_maker_room(job->maker) * sizeof *job->facts);
    if (!(outcomes & LAKE_T)) {
        c->by_statistics++;
        return decide(job, out, job->facts, false, "no row can match", err);
    }
    if (outcomes != LAKE_T && bound->nterms && job->told)
        LAKE_TRY(plan_probe_group(job, g, NULL, &outcomes, &how, err));
    if (!(outcomes & LAKE_T)) {
        (*(how[2] == 'B' ? &c->by_bloom : &c->by_dictionary))++;
        char reason[64];
        snprintf(reason, sizeof reason, "no row can match, by %s", how);
        return decide(job, out, job->facts, false, reason, err);
    }
    LAKE_TRY(whole_group(job, out, err));
    if (outcomes != LAKE_T && bound->nterms && job->told)
        LAKE_TRY(plan_page_ranges(job, g, out, &outcomes, err));
    if (!out->nranges && g->num_rows) {
        c->by_pages++;
        out->ranges = NULL;
        return decide(job, out, job->facts, false, "no page can match", err);
    }
    out->match_all = outcomes == LAKE_T;
    char reason[PAGES_REASON];
    tell_kept(out, reason, sizeof reason);
    return decide(job, out, job->facts, true, reason, err);
}

/* ---------------------------------------------------------------- one file */
static void keep_group(plan_group_job *job, const lake_row_group *g, lake_row_group *kept) {
    plan_group_counts *c = job->counts;
    kept[c->kept++] = *g;
    c->kept_bytes += g->length > 0 ? g->length : 0;
    for (size_t i = 0; i < g->nranges; i++)
        c->kept_rows += g->ranges[i].rows;
}

/* Numbers that do not agree mean that the manifest speaks of another file: then nothing is concluded. */
static bool count_rows(plan_group_job *job, bool *agree) {
    const lake_parquet_footer *f = job->file.footer;
    int64_t *rows = &job->counts->total_rows;
    for (size_t i = 0; i < f->ngroups; i++)
        if (__builtin_add_overflow(*rows, f->groups[i].num_rows, rows))
            return false;
    *agree = job->task->entry.record_count < 0 || job->task->entry.record_count == *rows;
    return true;
}

static lake_status judge_groups(plan_group_job *job, bool believed, lake_error *err) {
    const lake_parquet_footer *f = job->file.footer;
    lake_row_group *kept = LAKE_ARENA_ARRAY(&job->own->file, lake_row_group, f->ngroups + 1);
    if (!kept)
        return lake_fail_memory(err);
    int64_t first = 0;
    for (size_t i = 0; i < f->ngroups; i++) {
        const lake_parquet_row_group *g = &f->groups[i];
        lake_row_group out = {.index = (int64_t)i, .first_row = first, .rows = g->num_rows};
        lake_arena_reset(&job->own->group);
        job->sets = NULL;
        job->paged = NULL;
        place_group(job, g, &out);
        job->counts->total_bytes += out.length > 0 ? out.length : 0;
        if (believed) {
            LAKE_TRY(judge_group(job, g, &out, err));
        } else {
            LAKE_TRY(whole_group(job, &out, err));
            LAKE_TRY(decide(job, &out, NULL, true, "the footer has not as many rows as the manifest states", err));
        }
        if (job->plan->nleaves && job->plan->bound->nterms && g->num_rows)
            LAKE_TRY(plan_leaves_see_group(job, g, believed, err));
        if (out.ranges)
            keep_group(job, &out, kept);
        first += g->num_rows;
    }
    lake_row_group *groups = LAKE_ARENA_ARRAY(&job->worker->arena, lake_row_group, job->counts->kept + 1);
    if (!groups)
        return lake_fail_memory(err);
    memcpy(groups, kept, (size_t)job->counts->kept * sizeof *groups);
    job->task->view.row_groups = groups;
    job->task->view.nrow_groups = (size_t)job->counts->kept;
    job->task->view.total_row_groups = job->counts->total = (int64_t)f->ngroups;
    return LAKE_OK;
}

static lake_status prepare(plan_group_job *job, const lake_json *mapping, lake_error *err) {
    lake_arena *arena = &job->own->file;
    const lake_bound *bound = job->plan->bound;
    size_t room = lake_fact_maker_room(job->maker) + 1;
    const int32_t *ids = lake_fact_maker_columns(job->maker, &job->ncolumns);
    job->columns = LAKE_ARENA_ARRAY(arena, lake_footer_column, job->ncolumns + 1);
    job->parts = LAKE_ARENA_ARRAY(arena, lake_part_facts, job->ncolumns + 1);
    job->term_columns = LAKE_ARENA_ARRAY(arena, size_t, bound->nterms + 1);
    job->whole = LAKE_ARENA_ARRAY(arena, lake_facts, room);
    job->facts = LAKE_ARENA_ARRAY(arena, lake_facts, room);
    job->page_facts = LAKE_ARENA_ARRAY(arena, lake_facts, room);
    if (job->plan->options.explain)
        job->first_facts = LAKE_ARENA_ARRAY(arena, lake_facts, room);
    if ((job->plan->options.explain && !job->first_facts) || !job->columns || !job->parts || !job->term_columns ||
        !job->whole || !job->facts || !job->page_facts)
        return lake_fail_memory(err);
    for (size_t t = 0; t < bound->nterms; t++) {
        job->term_columns[t] = SIZE_MAX;
        for (size_t i = 0; i < job->ncolumns && !bound->terms[t].is_bucket; i++)
            if (ids[i] == bound->terms[t].field->id)
                job->term_columns[t] = i;
    }
    const lake_schema *by_names = plan_listing_file_schema(job->plan);
    LAKE_TRY(lake_footer_columns(arena, job->file.footer, by_names ? by_names : job->plan->planning.schema, mapping,
        by_names != NULL, ids, job->ncolumns, job->columns, &job->told, err));
    job->counts->doubtful += !job->told && job->ncolumns;
    if (!lake_facts_of_file(job->maker, &job->task->entry, arena, job->whole))
        return lake_fail_memory(err);
    return LAKE_OK;
}

typedef struct stage {
    lake_plan *plan;
    plan_group_worker *workers;
    const lake_json *mapping;
} stage;

static lake_status open_file(stage *s, plan_group_job *job, lake_error *err) {
    plan_task *task = job->task;
    plan_maker *maker;
    bool agree = false;
    LAKE_TRY(plan_maker_get(s->plan, job->worker, task->spec, &maker, err));
    job->maker = maker->maker;
    LAKE_TRY(lake_parquet_file_open(plan_store(s->plan), task->entry.file_path, &job->own->file, &job->file, err));
    job->counts->opened = true;
    if (job->own->column)
        job->own->window.file = &job->file;
    lake_status st = count_rows(job, &agree)
        ? prepare(job, s->mapping, err)
        : lake_fail(err, LAKE_ERR_MALFORMED, "Parquet footer: the row groups have more than 2^63 rows");
    job->counts->doubtful += st == LAKE_OK && !agree;
    job->counts->agrees = agree;
    if (st == LAKE_OK)
        st = judge_groups(job, agree, err);
    lake_parquet_file_close(&job->file);
    return lake_wrap(err, st, "%.*s", LAKE_ARG(task->entry.file_path));
}

static lake_status open_one(void *user, size_t item, unsigned worker, lake_error *err) {
    stage *s = user;
    plan_task *task = s->plan->tasks[item];
    plan_group_job job = {.plan = s->plan,
        .worker = &s->plan->workers[worker],
        .own = &s->workers[worker],
        .task = task,
        .counts = &task->groups};
    LAKE_TRY(plan_tick(s->plan, "footers", s->plan->ntasks, err));
    if (!lake_str_is(task->view.format, "parquet"))
        return LAKE_OK;
    lake_arena_reset(&job.own->file);
    return open_file(s, &job, err);
}

/* ---------------------------------------------------------------- all files */
static void add_counts(lake_plan_counts *sum, const plan_group_counts *c) {
    sum->footers += c->opened;
    sum->total_row_groups += c->total;
    sum->kept_row_groups += c->kept;
    sum->row_groups_by_statistics += c->by_statistics;
    sum->row_groups_by_bloom += c->by_bloom;
    sum->row_groups_by_dictionary += c->by_dictionary;
    sum->row_groups_by_pages += c->by_pages;
    sum->total_pages += c->total_pages;
    sum->kept_pages += c->kept_pages;
    sum->total_page_bytes += c->total_page_bytes;
    sum->kept_page_bytes += c->kept_page_bytes;
    sum->total_group_bytes += c->total_bytes;
    sum->kept_group_bytes += c->kept_bytes;
    sum->total_group_rows += c->total_rows;
    sum->kept_group_rows += c->kept_rows;
    sum->doubtful += c->doubtful;
}

/* Leaves out the tasks that have lost all their row groups, and those that a limit can now do without; their decisions
   stay. */
static void drop_tasks(lake_plan *plan) {
    size_t n = 0, before = plan->ntasks;
    for (size_t i = 0; i < before; i++) {
        plan_task *task = plan->tasks[i];
        add_counts(&plan->counts, &task->groups);
        if (task->groups.opened && !task->groups.kept && !plan->trivial) {
            plan_drop_task(task, "none of its row groups can match");
            continue;
        }
        /* numbered when all is known (plan.c) */
        plan_delete *const *deletes = (plan_delete *const *)(const void *)task->view.deletes;
        task->sure_rows = plan_sure_rows(&task->entry, task->view.match_all, task, deletes, task->view.ndeletes);
        plan->tasks[n++] = task;
    }
    plan->counts.footer_skipped_files = (int64_t)(before - n);
    plan->ntasks = n;
    plan_recount(plan);
    if (!plan->limit.stopped)
        plan_limit_apply(plan);
    if (plan->ntasks == n)
        return;
    lake_plan_counts *c = &plan->counts;
    c->kept_row_groups = c->kept_pages = c->kept_page_bytes = c->kept_group_bytes = c->kept_group_rows = 0;
    for (size_t i = 0; i < plan->ntasks; i++) {
        const plan_group_counts *g = &plan->tasks[i]->groups;
        c->kept_row_groups += g->kept;
        c->kept_pages += g->kept_pages;
        c->kept_page_bytes += g->kept_page_bytes;
        c->kept_group_bytes += g->kept_bytes;
        c->kept_group_rows += g->kept_rows;
    }
}

/* Each file's row groups stand behind the file. */
static lake_status weave_decisions(lake_plan *plan, lake_error *err) {
    size_t n = plan->ndecisions, at = 0;
    for (size_t i = 0; i < plan->ntasks; i++)
        n += plan->tasks[i]->ngroup_decisions;
    plan_decision **all = LAKE_ARENA_ARRAY(&plan->arena, plan_decision *, n + 1);
    if (!all)
        return lake_fail_memory(err);
    for (size_t i = 0; i < plan->ndecisions; i++) {
        plan_decision *d = plan->decisions[i];
        all[at++] = d;
        for (plan_decision *k = d->task ? d->task->group_decisions : NULL; k; k = k->next)
            all[at++] = k;
    }
    plan->decisions = all;
    plan->ndecisions = at;
    return LAKE_OK;
}

static lake_status read_mapping(lake_plan *plan, const lake_json **out, lake_error *err) {
    lake_str text = lake_metadata_property(plan->planning.metadata, "schema.name-mapping.default");
    lake_json *json = NULL;
    if (text.ptr)
        LAKE_TRY(lake_json_parse(&plan->arena, text, "property schema.name-mapping.default", &json, err));
    *out = json;
    return LAKE_OK;
}

lake_status plan_row_groups(lake_plan *plan, lake_error *err) {
    stage s = {.plan = plan};
    for (size_t i = 0; i < plan->ntasks; i++)
        plan->tasks[i]->group_decisions_end = &plan->tasks[i]->group_decisions;
    LAKE_TRY(read_mapping(plan, &s.mapping, err));
    s.workers = LAKE_ARENA_ARRAY(&plan->arena, plan_group_worker, plan->nworkers);
    if (!s.workers)
        return lake_fail_memory(err);
    for (unsigned i = 0; i < plan->nworkers; i++) {
        lake_arena_init(&s.workers[i].file, 0);
        lake_arena_init(&s.workers[i].group, 0);
        lake_arena_init(&s.workers[i].page, 0);
    }
    plan->done = 0;
    lake_status st = lake_parallel(plan->ntasks, plan->nworkers, open_one, &s, err);
    for (unsigned i = 0; i < plan->nworkers; i++) {
        plan_group_worker *w = &s.workers[i];
        lake_arena_clear(&w->file);
        lake_arena_clear(&w->group);
        lake_arena_clear(&w->page);
        if (w->column) {
            lake_parquet_column_clear(w->column);
            lake_parquet_window_clear(&w->window);
            lake_mem_free(w->column);
        }
    }
    if (st == LAKE_OK && plan->options.explain)
        st = weave_decisions(plan, err);
    if (st == LAKE_OK)
        drop_tasks(plan);
    return st;
}
