/* Statistics of one Parquet file: which columns, on how many threads, put together. */
#include "reader/stats.h"

#include <pthread.h>
#include <stdlib.h>

#include "reader/data_file.h"
#include "reader/parquet_scan.h"

typedef struct job { /* one leaf that was asked for */
    const lake_parquet_node *leaf;
    const lake_field *field;
    lake_accum stats;
    bool rows; /* its values go to on_values */
    lake_parquet_claim claim; /* footer_only */
} job;

typedef struct work_item {
    size_t job, group, ngroups;
} work_item;

typedef struct run {
    const lake_file_stats_options *options;
    lake_arena *arena;
    lake_parquet_file file;
    const lake_field **fields; /* of each leaf */
    job *jobs;
    size_t njobs;
    work_item *items;
    size_t nitems;
    lake_parquet_scan **scans; /* one a worker, made on first use */
    unsigned threads;
    pthread_mutex_t lock; /* jobs' stats, on_values */
} run;

static bool listed(const int32_t *ids, size_t n, int32_t id) {
    for (size_t i = 0; i < n; i++)
        if (ids[i] == id)
            return true;
    return false;
}

static bool wants_rows(const run *r, const lake_parquet_node *leaf, const lake_field *f) {
    const lake_file_stats_options *o = r->options;
    return o->on_values && !o->footer_only && !leaf->max_rep && listed(o->on_values_ids, o->non_values_ids, f->id);
}

static int by_id(const void *a, const void *b) {
    int32_t x = ((const job *)a)->field->id, y = ((const job *)b)->field->id;
    return (x > y) - (x < y);
}

static lake_status choose_jobs(run *r, lake_file_stats *out, lake_error *err) {
    const lake_parquet_footer *footer = r->file.footer;
    const lake_file_stats_options *o = r->options;
    r->jobs = LAKE_ARENA_ARRAY(r->arena, job, footer->nleaves + 1);
    if (!r->jobs)
        return lake_fail_memory(err);
    for (size_t i = 0; i < footer->nleaves; i++) {
        const lake_field *f = r->fields[i];
        if (!f) {
            out->unmatched++;
            continue;
        }
        bool rows = wants_rows(r, footer->leaves[i], f);
        if (o->column_ids && !rows && !listed(o->column_ids, o->ncolumn_ids, f->id))
            continue;
        job *j = &r->jobs[r->njobs++];
        lake_parquet_reading how = lake_parquet_reading_of(footer->leaves[i], &f->type);
        if (rows && how.form == LAKE_ACCUM_NONE)
            return lake_fail(err, LAKE_ERR_UNSUPPORTED, "column %.*s (%s) cannot be read as its type",
                LAKE_ARG(lake_parquet_path(r->arena, footer->leaves[i])),
                lake_parquet_type_name(footer->leaves[i]->type));
        *j = (job){.leaf = footer->leaves[i], .field = f, .rows = rows};
        lake_accum_init(&j->stats, how.form, how.width, how.mul, how.div);
    }
    qsort(r->jobs, r->njobs, sizeof *r->jobs, by_id);
    for (size_t i = 1; i < r->njobs; i++)
        if (r->jobs[i].field->id == r->jobs[i - 1].field->id)
            return lake_fail(err, LAKE_ERR_MALFORMED, "columns %.*s and %.*s have the same field id %d",
                LAKE_ARG(lake_parquet_path(r->arena, r->jobs[i - 1].leaf)),
                LAKE_ARG(lake_parquet_path(r->arena, r->jobs[i].leaf)), r->jobs[i].field->id);
    return LAKE_OK;
}

/* A chunk is an item; a column whose rows are wanted is one as a whole, so that they come in order. */
static lake_status choose_items(run *r, lake_error *err) {
    size_t ngroups = r->file.footer->ngroups;
    r->items = lake_arena_zalloc(r->arena, r->njobs * (ngroups ? ngroups : 1) + 1, sizeof *r->items);
    if (!r->items)
        return lake_fail_memory(err);
    for (size_t g = 0; g < ngroups; g++)
        for (size_t i = 0; i < r->njobs; i++) {
            if (r->jobs[i].rows && g)
                continue;
            r->items[r->nitems++] = (work_item){i, g, r->jobs[i].rows ? ngroups : 1};
        }
    return LAKE_OK;
}

static lake_status scan_of(run *r, unsigned worker, lake_parquet_scan **out, lake_error *err) {
    if (!r->scans[worker]) {
        lake_parquet_scan *s = lake_mem_alloc(sizeof *s);
        if (!s)
            return lake_fail_memory(err);
        lake_status st = lake_parquet_scan_init(s, &r->file, r->options->page_limit, r->options->page_whole, err);
        if (st != LAKE_OK) {
            lake_parquet_scan_clear(s);
            lake_mem_free(s);
            return st;
        }
        r->scans[worker] = s;
    }
    *out = r->scans[worker];
    return LAKE_OK;
}

static lake_status locked_values(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    run *r = user;
    pthread_mutex_lock(&r->lock);
    lake_status st = r->options->on_values(r->options->on_values_user, field, keys, present, n, err);
    pthread_mutex_unlock(&r->lock);
    return st;
}

static lake_status scan_groups(
    run *r, const work_item *item, lake_parquet_scan *scan, lake_accum *stats, lake_error *err) {
    const job *j = &r->jobs[item->job];
    lake_parquet_rows rows = {locked_values, r, j->field};
    for (size_t g = item->group; g < item->group + item->ngroups; g++) {
        const lake_parquet_row_group *group = &r->file.footer->groups[g];
        const lake_parquet_chunk *chunk = &group->chunks[j->leaf->column];
        lake_status st =
            lake_parquet_scan_chunk(scan, j->leaf, chunk, group->num_rows, stats, j->rows ? &rows : NULL, err);
        if (st != LAKE_OK) {
            lake_arena arena; /* the shared one belongs to no thread */
            lake_arena_init(&arena, 0);
            lake_str path = lake_parquet_path(&arena, j->leaf);
            lake_wrap(err, st, "column %.*s: row group %zu", LAKE_ARG(path), g);
            lake_arena_clear(&arena);
            return st;
        }
    }
    return LAKE_OK;
}

static lake_status scan_item(void *user, size_t index, unsigned worker, lake_error *err) {
    run *r = user;
    const work_item *item = &r->items[index];
    job *j = &r->jobs[item->job];
    lake_parquet_scan *scan = NULL;
    lake_accum stats;
    LAKE_TRY(scan_of(r, worker, &scan, err));
    lake_accum_init(&stats, j->stats.form, j->stats.width, j->stats.mul, j->stats.div);
    lake_status st = scan_groups(r, item, scan, &stats, err);
    if (st == LAKE_OK) {
        pthread_mutex_lock(&r->lock);
        lake_accum_merge(&j->stats, &stats);
        st = lake_accum_check(&j->stats, err);
        pthread_mutex_unlock(&r->lock);
    }
    lake_accum_clear(&stats);
    return st;
}

static lake_status scan_all(run *r, lake_error *err) {
    r->threads = r->options->threads ? r->options->threads : lake_threads_default();
    LAKE_TRY(choose_items(r, err));
    if (r->threads > r->nitems)
        r->threads = r->nitems ? (unsigned)r->nitems : 1;
    r->scans = LAKE_ARENA_ARRAY(r->arena, lake_parquet_scan *, r->threads);
    if (!r->scans)
        return lake_fail_memory(err);
    lake_status st = lake_parallel(r->nitems, r->threads, scan_item, r, err);
    for (unsigned i = 0; i < r->threads; i++)
        if (r->scans[i]) {
            lake_parquet_scan_clear(r->scans[i]);
            lake_mem_free(r->scans[i]);
        }
    return st;
}

/* ---- footer only */

static void add_claim(lake_parquet_claim *sum, const lake_parquet_claim *c) {
    sum->values = sum->values < 0 || c->values < 0 ? -1 : sum->values + c->values;
    sum->nulls = sum->nulls < 0 || c->nulls < 0 ? -1 : sum->nulls + c->nulls;
    sum->nans = sum->nans < 0 || c->nans < 0 ? -1 : sum->nans + c->nans;
    sum->bounds &= c->bounds;
    sum->min_loose |= c->min_loose;
    sum->max_loose |= c->max_loose;
}

static lake_status believe_all(run *r, lake_error *err) {
    const lake_parquet_footer *footer = r->file.footer;
    for (size_t i = 0; i < r->njobs; i++) {
        job *j = &r->jobs[i];
        j->claim = (lake_parquet_claim){.bounds = true};
        for (size_t g = 0; g < footer->ngroups; g++) {
            lake_parquet_claim c =
                lake_parquet_trust(footer, j->leaf, &footer->groups[g].chunks[j->leaf->column], &j->stats);
            add_claim(&j->claim, &c);
        }
        LAKE_TRY(lake_accum_check(&j->stats, err));
    }
    return LAKE_OK;
}

/* ---- results */

static lake_status report(run *r, const job *j, lake_column_stats *out, lake_error *err) {
    bool footer_only = r->options->footer_only;
    LAKE_TRY(lake_column_stats_set(r->arena, j->field, &j->stats, out, err));
    out->leaf = (size_t)j->leaf->column;
    for (size_t g = 0; g < r->file.footer->ngroups; g++)
        out->column_size += r->file.footer->groups[g].chunks[j->leaf->column].compressed_size;
    if (j->field->type.id == LAKE_VARIANT)
        out->column_size = -1; /* it has more leaves than the one that is counted */
    if (!footer_only)
        return LAKE_OK;
    out->values = j->claim.values;
    out->nulls = j->claim.nulls;
    if (out->nans >= 0)
        out->nans = j->claim.nans;
    out->has_min &= j->claim.bounds;
    out->has_max &= j->claim.bounds;
    out->min_loose = out->has_min && (out->min_loose || j->claim.min_loose);
    out->max_loose = out->has_max && (out->max_loose || j->claim.max_loose);
    return LAKE_OK;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Where row groups begin: the first page of their first column. */
static lake_status split_offsets(run *r, lake_file_stats *out, lake_error *err) {
    const lake_parquet_footer *footer = r->file.footer;
    int64_t *offsets = LAKE_ARENA_ARRAY(r->arena, int64_t, footer->ngroups + 1);
    if (!offsets)
        return lake_fail_memory(err);
    for (size_t g = 0; g < footer->ngroups && footer->nleaves; g++) {
        int64_t start = lake_parquet_chunk_start(&footer->groups[g].chunks[0]);
        if (start >= 4) /* behind the magic; writers put 0 for a group without rows */
            offsets[out->nsplit_offsets++] = start;
    }
    qsort(offsets, out->nsplit_offsets, sizeof *offsets, by_value);
    out->split_offsets = offsets;
    return LAKE_OK;
}

static lake_status report_all(run *r, lake_file_stats *out, lake_error *err) {
    LAKE_TRY(split_offsets(r, out, err));
    out->columns = LAKE_ARENA_ARRAY(r->arena, lake_column_stats, r->njobs + 1);
    if (!out->columns)
        return lake_fail_memory(err);
    out->ncolumns = r->njobs;
    for (size_t i = 0; i < r->njobs; i++)
        LAKE_TRY(report(r, &r->jobs[i], &out->columns[i], err));
    return LAKE_OK;
}

/* By the row groups: the footer's own number is wrong in some files, and no column is checked against it. */
static lake_status count_rows(const lake_parquet_footer *footer, int64_t *rows, lake_error *err) {
    *rows = 0;
    for (size_t g = 0; g < footer->ngroups; g++)
        if (__builtin_add_overflow(*rows, footer->groups[g].num_rows, rows))
            return lake_fail(err, LAKE_ERR_MALFORMED, "Parquet footer: the row groups have more than 2^63 rows");
    return LAKE_OK;
}

static lake_status compute(run *r, lake_file_stats *out, lake_error *err) {
    const lake_parquet_footer *footer = r->file.footer;
    lake_schema *own = NULL;
    LAKE_TRY(count_rows(footer, &out->record_count, err));
    out->file_size = (int64_t)r->file.size;
    out->created_by = footer->created_by;
    out->schema = r->options->schema;
    if (!out->schema) {
        LAKE_TRY(lake_parquet_schema(r->arena, footer, &own, err));
        out->schema = own;
    }
    r->fields = LAKE_ARENA_ARRAY(r->arena, const lake_field *, footer->nleaves + 1);
    if (!r->fields)
        return lake_fail_memory(err);
    lake_parquet_match(footer, out->schema, own != NULL, r->options->name_mapping, r->fields);
    LAKE_TRY(choose_jobs(r, out, err));
    LAKE_TRY(r->options->footer_only ? believe_all(r, err) : scan_all(r, err));
    return report_all(r, out, err);
}

lake_status lake_parquet_stats_read(const lake_store *store, lake_str location, const lake_file_stats_options *options,
    lake_arena *arena, lake_file_stats *out, lake_error *err) {
    run r = {.options = options, .arena = arena};
    out->from_footer = options->footer_only;
    LAKE_TRY(lake_parquet_file_open(store, location, arena, &r.file, err));
    pthread_mutex_init(&r.lock, NULL);
    lake_status st = compute(&r, out, err);
    for (size_t i = 0; i < r.njobs; i++)
        lake_accum_clear(&r.jobs[i].stats);
    pthread_mutex_destroy(&r.lock);
    lake_parquet_file_close(&r.file);
    return lake_wrap(err, st, "%.*s", LAKE_ARG(location));
}

lake_status lake_schema_from_parquet(
    const lake_store *store, lake_str location, lake_arena *arena, lake_schema **out, lake_error *err) {
    lake_parquet_file file;
    LAKE_TRY(lake_parquet_file_open(store, location, arena, &file, err));
    lake_status st = lake_parquet_schema(arena, file.footer, out, err);
    lake_parquet_file_close(&file);
    return lake_wrap(err, st, "%.*s", LAKE_ARG(location));
}
