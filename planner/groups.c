/* Whole files in groups: by bytes, into a number of groups, or by partition. They are told as scan tasks whose splits
   are whole files (splits.c). Files keep the plan's order, so groups are the same whatever the number of threads. */
#include <stdlib.h>

#include "planner/plan.h"

typedef struct grouped_file {
    size_t task;
    int32_t spec;
    lake_str partition;
    size_t group;
} grouped_file;

static int64_t bytes_of(const plan_task *t) {
    return t->entry.file_size > 0 ? t->entry.file_size : 0;
}

/* A group ends before the file with which it would be larger than `size`. */
static size_t by_size(const lake_plan *plan, grouped_file *files, int64_t size) {
    size_t group = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < plan->ntasks; i++) {
        int64_t bytes = bytes_of(plan->tasks[i]);
        if (i && (sum > size - bytes || bytes > size)) {
            group++;
            sum = 0;
        }
        sum = lake_total_add(sum, bytes);
        files[i].group = group;
    }
    return plan->ntasks ? group + 1 : 0;
}

/* Runs of about the same bytes: a file belongs to the share in which its middle lies. Shares without a file vanish. */
static size_t by_number(const lake_plan *plan, grouped_file *files, int64_t n) {
    lake_i128 total = 0, before = 0;
    size_t groups = 0, last = 0;
    n = n > (int64_t)plan->ntasks ? (int64_t)plan->ntasks : n;
    for (size_t i = 0; i < plan->ntasks; i++)
        total += bytes_of(plan->tasks[i]) + 1; /* so that empty files are spread, too */
    for (size_t i = 0; i < plan->ntasks; i++) {
        int64_t bytes = bytes_of(plan->tasks[i]);
        size_t share = (size_t)((2 * before + bytes) * n / (2 * total));
        before += (lake_i128)bytes + 1;
        groups += i == 0 || share != last;
        last = share;
        files[i].group = groups - 1;
    }
    return groups;
}

static int by_tuple(const void *a, const void *b) {
    const grouped_file *x = a, *y = b;
    if (x->spec != y->spec)
        return x->spec < y->spec ? -1 : 1;
    int c = lake_bytes_cmp(lake_bytes_of(x->partition), lake_bytes_of(y->partition));
    return c ? c : (x->task > y->task) - (x->task < y->task);
}

static int by_task(const void *a, const void *b) {
    const grouped_file *x = a, *y = b;
    return (x->task > y->task) - (x->task < y->task);
}

/* In order of each partition's first file. */
static size_t by_partition(lake_plan *plan, grouped_file *files) {
    size_t n = 0;
    for (size_t i = 0; i < plan->ntasks; i++) {
        const lake_scan_task *t = lake_plan_task(plan, i);
        files[i].spec = t->spec_id;
        files[i].partition = t->partition;
    }
    if (plan->ntasks)
        qsort(files, plan->ntasks, sizeof *files, by_tuple);
    for (size_t i = 0, first = 0; i < plan->ntasks; i++) {
        if (files[i].spec != files[first].spec || !lake_str_eq(files[i].partition, files[first].partition))
            first = i;
        files[i].group = files[first].task; /* for now: its first file */
    }
    if (plan->ntasks)
        qsort(files, plan->ntasks, sizeof *files, by_task);
    for (size_t i = 0; i < plan->ntasks; i++)
        files[i].group = files[i].group == i ? n++ : files[files[i].group].group;
    return n;
}

static lake_status fill(lake_plan *plan, const grouped_file *files, size_t n, lake_error *err) {
    lake_split *splits = LAKE_ARENA_ARRAY(&plan->arena, lake_split, plan->ntasks + 1);
    plan_split_group *groups = LAKE_ARENA_ARRAY(&plan->arena, plan_split_group, n + 1);
    size_t *next = LAKE_ARENA_ARRAY(&plan->scratch, size_t, n + 1);
    if (!splits || !groups || !next)
        return lake_fail_memory(err);
    for (size_t i = 0; i < plan->ntasks; i++)
        groups[files[i].group].n++;
    for (size_t g = 0, at = 0; g < n; at += groups[g++].n) {
        groups[g].splits = splits + at;
        next[g] = at;
    }
    for (size_t i = 0; i < plan->ntasks; i++) {
        plan_split_group *g = &groups[files[i].group];
        int64_t bytes = bytes_of(plan->tasks[i]);
        g->weight = lake_total_add(g->weight, bytes);
        splits[next[files[i].group]++] = (lake_split){i, 0, bytes};
    }
    plan->split_groups = groups;
    plan->nsplit_groups = n;
    plan->split_size = -1; /* whole files */
    return LAKE_OK;
}

lake_status lake_plan_group(lake_plan *plan, lake_grouping by, int64_t n, lake_error *err) {
    if (n < 1 && by != LAKE_GROUP_BY_PARTITION)
        return lake_fail(err, LAKE_ERR_USAGE, "groups of files: %lld is less than 1", (long long)n);
    lake_arena_reset(&plan->scratch);
    grouped_file *files = LAKE_ARENA_ARRAY(&plan->scratch, grouped_file, plan->ntasks + 1);
    if (!files)
        return lake_fail_memory(err);
    for (size_t i = 0; i < plan->ntasks; i++)
        files[i].task = i;
    size_t groups = by == LAKE_GROUP_BY_SIZE ? by_size(plan, files, n)
        : by == LAKE_GROUP_BY_NUMBER         ? by_number(plan, files, n)
                                             : by_partition(plan, files);
    return fill(plan, files, groups, err);
}
