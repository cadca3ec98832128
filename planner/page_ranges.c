/* Pages: a row group is cut at every page boundary of the predicate's columns; each stretch of rows between two cuts
   has the facts of one page of each column, and the whole predicate is evaluated on it. What is kept is given as ranges
   of rows, and as ranges of bytes for those columns (parquet-PageIndex.md). */
#include "planner/row_groups.h"
#include "wire/parquet_index.h"

typedef struct plan_paged {
    const lake_footer_column *column;
    const lake_parquet_chunk *chunk;
    lake_parquet_offset_index places; /* npages 0: no offset index */
    lake_parquet_page_values *values; /* NULL: no column index */
    size_t page; /* the one in hand */
    bool ready; /* its facts are in job->parts */
    bool asked; /* its pages cut the row group now */
} plan_paged;

/* A doubtful index is as good as none. */
static lake_status doubt(plan_group_job *job, lake_status st, lake_error *why, lake_error *err) {
    if (st == LAKE_OK || st == LAKE_ERR_MALFORMED || st == LAKE_ERR_UNSUPPORTED || st == LAKE_ERR_LIMIT) {
        job->counts->doubtful += st != LAKE_OK;
        return LAKE_OK;
    }
    if (err)
        *err = *why;
    return st;
}

static lake_status read_places(plan_group_job *job, const lake_parquet_row_group *g, plan_paged *p, lake_error *err) {
    lake_bytes b;
    bool ok;
    LAKE_TRY(plan_read_range(job, &job->own->group, p->chunk->offset_index_offset, p->chunk->offset_index_length,
        LAKE_PARQUET_INDEX_LIMIT, &b, &ok, err));
    if (!ok)
        return LAKE_OK;
    lake_status st = lake_parquet_offset_index_read(
        &job->own->group, b, p->chunk->offset_index_offset, p->chunk, g->num_rows, &p->places, err);
    if (st != LAKE_OK)
        p->places.npages = 0;
    return st;
}

static lake_status read_values(plan_group_job *job, plan_paged *p, lake_error *err) {
    lake_bytes b;
    bool ok;
    LAKE_TRY(plan_read_range(job, &job->own->group, p->chunk->column_index_offset, p->chunk->column_index_length,
        LAKE_PARQUET_INDEX_LIMIT, &b, &ok, err));
    if (!ok)
        return LAKE_OK;
    lake_parquet_page_values *values = NULL;
    LAKE_TRY(lake_parquet_column_index_read(
        &job->own->group, b, p->chunk->column_index_offset, p->chunk, &p->places, &values, err));
    p->values = values;
    return LAKE_OK;
}

/* The columns whose pages are known, once for a row group. */
static lake_status read_indexes(plan_group_job *job, const lake_parquet_row_group *g, lake_error *err) {
    lake_error why;
    if (job->paged)
        return LAKE_OK;
    job->npaged = 0;
    job->useful_pages = false;
    job->paged = LAKE_ARENA_ARRAY(&job->own->group, plan_paged, job->ncolumns + 1);
    if (!job->paged)
        return lake_fail_memory(err);
    for (size_t i = 0; i < job->ncolumns; i++) {
        plan_paged *p = &job->paged[i];
        *p = (plan_paged){.column = &job->columns[i]};
        const lake_parquet_node *leaf = p->column->leaf;
        if (!leaf)
            continue;
        p->chunk = &g->chunks[leaf->column];
        if (p->chunk->encrypted || p->chunk->other_file || p->chunk->offset_index_offset < 0 ||
            p->chunk->num_values != g->num_rows)
            continue;
        lake_error_init(&why);
        lake_status st = read_places(job, g, p, &why);
        LAKE_TRY(doubt(job, st, &why, err));
        job->npaged += p->places.npages > 0;
        if (!p->places.npages || p->chunk->column_index_offset < 0)
            continue;
        st = read_values(job, p, &why);
        LAKE_TRY(doubt(job, st, &why, err));
        job->useful_pages |= p->values && p->places.npages > 1;
    }
    return LAKE_OK;
}

/* The facts of a column's page, as those of a chunk with the page's statistics. */
static lake_status page_facts(plan_group_job *job, plan_paged *p, lake_part_facts *out, lake_error *err) {
    const lake_parquet_page_values *v = &p->values[p->page];
    lake_parquet_chunk page = *p->chunk;
    int64_t rows = p->places.pages[p->page].rows;
    page.num_values = rows;
    page.statistics = (lake_parquet_statistics){.null_count = v->only_nulls ? rows : v->null_count,
        .nan_count = v->nan_count,
        .min_exact = -1,
        .max_exact = -1};
    if (!v->only_nulls) {
        page.statistics.min_value = v->min;
        page.statistics.max_value = v->max;
    }
    return lake_footer_facts(&job->own->page, job->file.footer, p->column, &page, rows, out, err);
}

/* ---- rows */
typedef struct row_list {
    lake_arena *arena;
    lake_row_range *items;
    size_t n, room;
} row_list;

static bool add_rows(row_list *r, int64_t first, int64_t rows) {
    if (r->n && r->items[r->n - 1].first + r->items[r->n - 1].rows == first) {
        r->items[r->n - 1].rows += rows;
        return true;
    }
    if (r->n == r->room) {
        size_t room = r->room ? 2 * r->room : 16;
        lake_row_range *more = lake_arena_alloc(r->arena, room * sizeof *more);
        if (!more)
            return false;
        if (r->n)
            memcpy(more, r->items, r->n * sizeof *more);
        r->items = more;
        r->room = room;
    }
    r->items[r->n++] = (lake_row_range){first, rows};
    return true;
}

/* Where the stretch that begins at `row` ends; the columns' pages in hand are those that hold it. */
static int64_t stretch(plan_group_job *job, plan_paged *all, int64_t row, int64_t end) {
    for (size_t i = 0; i < job->ncolumns; i++) {
        plan_paged *p = &all[i];
        if (!p->asked)
            continue;
        while (p->places.pages[p->page].first_row + p->places.pages[p->page].rows <= row) {
            p->page++;
            p->ready = false;
        }
        int64_t to = p->places.pages[p->page].first_row + p->places.pages[p->page].rows;
        end = to < end ? to : end;
    }
    return end;
}

/* leaf NULL: the predicate. */
static lake_status judge_rows(plan_group_job *job, const plan_leaf *leaf, int64_t num_rows, row_list *kept,
    lake_outcomes *outcomes, lake_error *err) {
    plan_paged *all = job->paged;
    lake_arena *arena = &job->own->page;
    *outcomes = 0;
    lake_arena_reset(arena);
    for (size_t i = 0; i < job->ncolumns; i++) {
        job->parts[i] = (lake_part_facts){0};
        all[i].page = 0;
        all[i].ready = all[i].asked = false;
    }
    for (size_t t = 0; t < job->plan->bound->nterms; t++)
        if (job->term_columns[t] != SIZE_MAX && all[job->term_columns[t]].values)
            all[job->term_columns[t]].asked |= plan_group_has_term(leaf, t);
    for (size_t i = 0; i < job->ncolumns && !leaf; i++)
        all[i].asked = all[i].values != NULL;
    for (int64_t row = 0; row < num_rows;) {
        int64_t end = stretch(job, all, row, num_rows);
        for (size_t i = 0; i < job->ncolumns; i++)
            if (all[i].asked && !all[i].ready) {
                LAKE_TRY(page_facts(job, &all[i], &job->parts[i], err));
                all[i].ready = true;
            }
        lake_facts_narrow(job->maker, job->facts, job->parts, arena, job->page_facts);
        lake_outcomes out = plan_group_ask(job, leaf, job->page_facts);
        if (out & LAKE_T) {
            if (!add_rows(kept, row, end - row))
                return lake_fail_memory(err);
            *outcomes |= out;
        }
        row = end;
    }
    return LAKE_OK;
}

/* ---- bytes */
static void add_bytes(lake_byte_range *ranges, size_t *n, int64_t offset, int64_t length) {
    if (*n && ranges[*n - 1].offset + ranges[*n - 1].length == offset)
        ranges[*n - 1].length += length;
    else
        ranges[(*n)++] = (lake_byte_range){offset, length};
}

static lake_status page_bytes(
    plan_group_job *job, const plan_paged *p, const lake_row_group *g, lake_page_bytes *out, lake_error *err) {
    int64_t start = lake_parquet_chunk_start(p->chunk);
    size_t n = 0, at = 0, kept = 0;
    lake_byte_range *ranges = LAKE_ARENA_ARRAY(&job->own->group, lake_byte_range, p->places.npages + 1);
    if (!ranges)
        return lake_fail_memory(err);
    if (start < p->chunk->data_page_offset)
        add_bytes(ranges, &n, start, p->chunk->data_page_offset - start);
    for (size_t i = 0; i < p->places.npages; i++) {
        const lake_parquet_page_place *page = &p->places.pages[i];
        while (at < g->nranges && g->ranges[at].first + g->ranges[at].rows <= page->first_row)
            at++;
        if (at == g->nranges || g->ranges[at].first >= page->first_row + page->rows)
            continue;
        add_bytes(ranges, &n, page->offset, page->length);
        kept++;
    }
    job->counts->kept_pages += (int64_t)kept;
    for (size_t i = 0; i < n; i++)
        job->counts->kept_page_bytes += ranges[i].length;
    lake_byte_range *own = LAKE_ARENA_ARRAY(&job->worker->arena, lake_byte_range, n + 1);
    if (!own)
        return lake_fail_memory(err);
    memcpy(own, ranges, n * sizeof *own);
    *out = (lake_page_bytes){p->column->field->id, own, n};
    return LAKE_OK;
}

static lake_status finish(plan_group_job *job, const row_list *kept, lake_row_group *out, lake_error *err) {
    lake_arena *arena = &job->worker->arena;
    lake_row_range *rows = LAKE_ARENA_ARRAY(arena, lake_row_range, kept->n + 1);
    lake_page_bytes *pages = LAKE_ARENA_ARRAY(arena, lake_page_bytes, job->npaged + 1);
    if (!rows || !pages)
        return lake_fail_memory(err);
    memcpy(rows, kept->items, kept->n * sizeof *rows);
    out->ranges = rows;
    out->nranges = kept->n;
    out->pages = pages;
    for (size_t i = 0; i < job->ncolumns; i++)
        if (job->paged[i].places.npages)
            LAKE_TRY(page_bytes(job, &job->paged[i], out, &pages[out->npages++], err));
    return LAKE_OK;
}

lake_status plan_page_ranges(plan_group_job *job, const lake_parquet_row_group *g, lake_row_group *out,
    lake_outcomes *outcomes, lake_error *err) {
    lake_outcomes seen;
    row_list kept = {.arena = &job->own->group};
    LAKE_TRY(read_indexes(job, g, err));
    for (size_t i = 0; i < job->ncolumns; i++) {
        job->counts->total_pages += (int64_t)job->paged[i].places.npages;
        job->counts->total_page_bytes += job->paged[i].places.npages ? job->paged[i].chunk->compressed_size : 0;
    }
    if (!job->npaged)
        return LAKE_OK;
    if (job->useful_pages) {
        LAKE_TRY(judge_rows(job, NULL, g->num_rows, &kept, &seen, err));
        *outcomes = kept.n ? seen : *outcomes;
    } else if (!add_rows(&kept, 0, g->num_rows)) {
        return lake_fail_memory(err);
    }
    if (!kept.n) {
        out->nranges = 0;
        return LAKE_OK;
    }
    return finish(job, &kept, out, err);
}

lake_status plan_page_rows(
    plan_group_job *job, const lake_parquet_row_group *g, const plan_leaf *leaf, int64_t *rows, lake_error *err) {
    lake_outcomes seen;
    row_list kept = {.arena = &job->own->group};
    *rows = g->num_rows;
    LAKE_TRY(read_indexes(job, g, err));
    if (!job->useful_pages)
        return LAKE_OK;
    LAKE_TRY(judge_rows(job, leaf, g->num_rows, &kept, &seen, err));
    *rows = 0;
    for (size_t i = 0; i < kept.n; i++)
        *rows += kept.items[i].rows;
    return LAKE_OK;
}
