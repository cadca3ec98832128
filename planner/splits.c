/* Scan tasks of about the same size, as Iceberg's engines make them: files are cut at their split offsets, or evenly,
   and the pieces packed into bins, of which a few are open at a time. The properties are those of the table:
   read.split.target-size, read.split.planning-lookback, read.split.open-file-cost. Measured against the official
   library by tests/interop/splits.py. */
#include <errno.h>
#include <stdlib.h>

#include "planner/plan.h"

enum { MOST_SPLITS = 10 * 1000 * 1000 };

typedef struct cutter {
    lake_plan *plan;
    int64_t size, cost;
    lake_split *splits;
    int64_t *weights;
    size_t n, room;
    lake_error *err;
} cutter;

static lake_status property(
    const lake_plan *plan, const char *name, int64_t least, int64_t otherwise, int64_t *out, lake_error *err) {
    lake_str text = lake_metadata_property(plan->planning.metadata, name);
    *out = otherwise;
    if (!text.ptr)
        return LAKE_OK;
    char digits[24], *end = digits;
    bool fits = text.len && text.len < sizeof digits;
    if (fits) {
        memcpy(digits, text.ptr, text.len);
        digits[text.len] = 0;
        errno = 0;
        *out = strtoll(digits, &end, 10);
    }
    if (!fits || *end || errno || strchr(" \t\n+", digits[0]) || *out < least)
        return lake_fail(err, LAKE_ERR_MALFORMED, "table property %s: %.*s is no whole number of at least %lld", name,
            (int)(text.len > 40 ? 40 : text.len), text.ptr, (long long)least);
    return LAKE_OK;
}

/* What reading the whole file would load beside it. */
static int64_t delete_bytes(const lake_plan *plan, const plan_task *t) {
    int64_t sum = 0;
    for (size_t i = 0; i < t->view.ndeletes; i++) {
        const lake_delete_file *d = &plan->used_views[t->view.deletes[i]];
        int64_t bytes = d->has_content_offset ? d->content_size : d->file_size;
        if (bytes > 0 && __builtin_add_overflow(sum, bytes, &sum))
            return INT64_MAX;
    }
    return sum;
}

static lake_status add(cutter *c, size_t task, int64_t start, int64_t length, int64_t deletes) {
    if (c->n == c->room) {
        size_t room = c->room ? c->room * 2 : 64;
        lake_split *splits = lake_mem_realloc(c->splits, room * sizeof *splits);
        if (!splits)
            return lake_fail_memory(c->err);
        c->splits = splits;
        int64_t *weights = lake_mem_realloc(c->weights, room * sizeof *weights);
        if (!weights)
            return lake_fail_memory(c->err);
        c->weights = weights;
        c->room = room;
    }
    int64_t weight, opening;
    if (__builtin_add_overflow(length, deletes, &weight))
        weight = INT64_MAX;
    if (__builtin_mul_overflow((int64_t)c->plan->tasks[task]->view.ndeletes + 1, c->cost, &opening))
        opening = INT64_MAX;
    c->weights[c->n] = weight > opening ? weight : opening;
    c->splits[c->n++] = (lake_split){task, start, length};
    return LAKE_OK;
}

static bool offsets_good(const lake_entry *e) {
    if (!e->nsplit_offsets || e->split_offsets[0] < 0 || e->split_offsets[e->nsplit_offsets - 1] >= e->file_size)
        return false;
    for (size_t i = 1; i < e->nsplit_offsets; i++)
        if (e->split_offsets[i] <= e->split_offsets[i - 1])
            return false;
    return true;
}

static bool splittable(lake_str format) {
    return lake_str_is(format, "parquet") || lake_str_is(format, "avro") || lake_str_is(format, "orc");
}

static lake_status cut(cutter *c, size_t task) {
    const lake_entry *e = &c->plan->tasks[task]->entry;
    int64_t deletes = delete_bytes(c->plan, c->plan->tasks[task]), size = e->file_size;
    if (size < 0)
        return lake_fail(
            c->err, LAKE_ERR_MALFORMED, "%.*s: its size is %lld bytes", LAKE_ARG(e->file_path), (long long)size);
    if (!splittable(c->plan->tasks[task]->view.format))
        return add(c, task, 0, size, deletes);
    if (offsets_good(e)) {
        for (size_t i = 0; i < e->nsplit_offsets; i++) {
            int64_t end = i + 1 < e->nsplit_offsets ? e->split_offsets[i + 1] : size;
            LAKE_TRY(add(c, task, e->split_offsets[i], end - e->split_offsets[i], deletes));
        }
        return LAKE_OK;
    }
    if (size / c->size >= MOST_SPLITS - (int64_t)c->n)
        return lake_fail(c->err, LAKE_ERR_USAGE, "splits of %lld bytes are more than %d: take a larger size",
            (long long)c->size, MOST_SPLITS);
    for (int64_t at = 0; at < size; at += c->size) {
        LAKE_TRY(add(c, task, at, size - at < c->size ? size - at : c->size, deletes));
        if (size - at <= c->size)
            break;
    }
    return LAKE_OK;
}

/* ---------------------------------------------------------------- packing */
typedef struct bin {
    int64_t weight;
    size_t first, last; /* splits, chained by `next` */
    struct bin *older, *newer;
} bin;

typedef struct packer {
    lake_plan *plan;
    const cutter *c;
    size_t *next;
    bin *oldest, *newest, *spare;
    int64_t nopen;
    lake_split *out; /* in the order of the bins */
    size_t nout;
} packer;

/* Closes a bin: its splits are a scan task. Neighbours in a file become one split. */
static void close_bin(packer *p, bin *b) {
    lake_plan *plan = p->plan;
    plan_split_group *g = &plan->split_groups[plan->nsplit_groups++];
    *g = (plan_split_group){.splits = p->out + p->nout, .weight = b->weight};
    for (size_t i = b->first; i != SIZE_MAX; i = p->next[i]) {
        const lake_split *s = &p->c->splits[i];
        lake_split *last = g->n ? &p->out[p->nout - 1] : NULL;
        if (last && last->task == s->task && last->start + last->length == s->start) {
            last->length += s->length;
        } else {
            p->out[p->nout++] = *s;
            g->n++;
        }
    }
    *(b->older ? &b->older->newer : &p->oldest) = b->newer;
    *(b->newer ? &b->newer->older : &p->newest) = b->older;
    b->older = p->spare;
    p->spare = b;
    p->nopen--;
}

static bin *heaviest(const packer *p) {
    bin *best = p->oldest;
    for (bin *b = best; b; b = b->newer)
        if (b->weight > best->weight)
            best = b;
    return best;
}

static bool open_bin(packer *p, size_t split, int64_t weight) {
    bin *b = p->spare;
    if (b)
        p->spare = b->older;
    else if (!(b = LAKE_ARENA_NEW(&p->plan->scratch, bin)))
        return false;
    *b = (bin){.weight = weight, .first = split, .last = split, .older = p->newest};
    *(p->newest ? &p->newest->newer : &p->oldest) = b;
    p->newest = b;
    p->nopen++;
    return true;
}

static lake_status pack(packer *p, int64_t lookback, lake_error *err) {
    for (size_t i = 0; i < p->c->n; i++) {
        int64_t weight = p->c->weights[i], sum;
        bin *b = p->oldest;
        while (b && (__builtin_add_overflow(b->weight, weight, &sum) || sum > p->c->size))
            b = b->newer;
        p->next[i] = SIZE_MAX;
        if (b) {
            p->next[b->last] = i;
            b->last = i;
            b->weight += weight;
            continue;
        }
        if (!open_bin(p, i, weight))
            return lake_fail_memory(err);
        if (p->nopen > lookback)
            close_bin(p, heaviest(p));
    }
    while (p->oldest)
        close_bin(p, p->oldest);
    return LAKE_OK;
}

static lake_status make(lake_plan *plan, cutter *c, int64_t size, lake_error *err) {
    int64_t lookback;
    if (size)
        c->size = size;
    else
        LAKE_TRY(property(plan, "read.split.target-size", 1, 128 << 20, &c->size, err));
    LAKE_TRY(property(plan, "read.split.planning-lookback", 1, 10, &lookback, err));
    LAKE_TRY(property(plan, "read.split.open-file-cost", 0, 4 << 20, &c->cost, err));
    for (size_t i = 0; i < plan->ntasks; i++)
        LAKE_TRY(cut(c, i));
    lake_arena_reset(&plan->scratch);
    packer p = {.plan = plan,
        .c = c,
        .next = LAKE_ARENA_ARRAY(&plan->scratch, size_t, c->n + 1),
        .out = LAKE_ARENA_ARRAY(&plan->arena, lake_split, c->n + 1)};
    plan->nsplit_groups = 0;
    plan->split_groups = LAKE_ARENA_ARRAY(&plan->arena, plan_split_group, c->n + 1);
    if (!p.next || !p.out || !plan->split_groups)
        return lake_fail_memory(err);
    plan->split_size = c->size;
    return pack(&p, lookback, err);
}

lake_status lake_plan_split(lake_plan *plan, int64_t size, lake_error *err) {
    cutter c = {.plan = plan, .err = err};
    if (size < 0)
        return lake_fail(err, LAKE_ERR_USAGE, "a split size of %lld bytes", (long long)size);
    lake_status s = make(plan, &c, size, err);
    lake_mem_free(c.splits);
    lake_mem_free(c.weights);
    if (s != LAKE_OK)
        plan->split_size = 0;
    return s;
}

size_t lake_plan_split_count(const lake_plan *plan) {
    return plan->split_size ? plan->nsplit_groups : 0;
}

const lake_split *lake_plan_splits(const lake_plan *plan, size_t index, size_t *n, int64_t *weight) {
    if (index >= lake_plan_split_count(plan))
        return NULL;
    const plan_split_group *g = &plan->split_groups[index];
    *n = g->n;
    if (weight)
        *weight = g->weight;
    return g->splits;
}

/* ---------------------------------------------------------------- output */
void plan_splits_json(const lake_plan *plan, lake_buffer *out) {
    if (plan->split_size > 0) /* else groups of whole files */
        lake_buffer_printf(out, ",\"split-size\":%lld", (long long)plan->split_size);
    lake_buffer_puts(out, ",\"scan-tasks\":[");
    for (size_t i = 0; i < plan->nsplit_groups; i++) {
        const plan_split_group *g = &plan->split_groups[i];
        lake_buffer_printf(out, "%s{\"weight\":%lld,\"splits\":[", i ? "," : "", (long long)g->weight);
        for (size_t k = 0; k < g->n; k++)
            lake_buffer_printf(out, "%s{\"file-scan-task\":%zu,\"start\":%lld,\"length\":%lld}", k ? "," : "",
                g->splits[k].task, (long long)g->splits[k].start, (long long)g->splits[k].length);
        lake_buffer_puts(out, "]}");
    }
    lake_buffer_char(out, ']');
}

lake_status plan_splits_line(lake_plan *plan, size_t index, bool csv, lake_buffer *out, lake_error *err) {
    const plan_split_group *g = &plan->split_groups[index];
    if (!csv)
        lake_buffer_printf(out, "{\"weight\":%lld,\"splits\":[", (long long)g->weight);
    for (size_t k = 0; k < g->n; k++) {
        const lake_split *s = &g->splits[k];
        if (csv) {
            const lake_scan_task *t = &plan->tasks[s->task]->view;
            lake_buffer_printf(out, "%zu,", index);
            plan_csv_text(out, t->path);
            lake_buffer_printf(out, ",%lld,%lld,%s,%zu\n", (long long)s->start, (long long)s->length,
                t->match_all ? "all" : "some", t->ndeletes);
            continue;
        }
        lake_buffer_printf(out, "%s{\"start\":%lld,\"length\":%lld,\"file-scan-task\":", k ? "," : "",
            (long long)s->start, (long long)s->length);
        LAKE_TRY(plan_task_json(plan, s->task, true, out, err));
        lake_buffer_char(out, '}');
    }
    if (!csv)
        lake_buffer_puts(out, "]}\n");
    return lake_buffer_check(out, err);
}
