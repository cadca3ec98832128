/* The columns of one entry, found by id: a small table for the ids that are wanted, or a list that grows with all. */
#include <stdlib.h>

#include "manifest/program.h"

enum { TABLE_SIZE = 4096, MAX_COLUMNS = 1 << 20 };

static int by_id(const void *a, const void *b) {
    int32_t x = ((const struct lake_column_ref *)a)->id, y = ((const struct lake_column_ref *)b)->id;
    return (x > y) - (x < y);
}

static lake_status init_wanted(lake_columns *c, const lake_manifest_want *want, lake_error *err) {
    int32_t most = -1;
    c->n = want->ncolumn_ids;
    c->ids = want->column_ids;
    if (c->n >= UINT16_MAX)
        return lake_fail(err, LAKE_ERR_LIMIT, "%zu columns are wanted, %d are allowed", c->n, UINT16_MAX - 1);
    for (size_t i = 0; i < c->n; i++)
        if (c->ids[i] >= 0 && c->ids[i] < TABLE_SIZE && c->ids[i] > most)
            most = c->ids[i];
    c->table_size = (size_t)(most + 1);
    int32_t *ids = lake_mem_alloc(c->n * sizeof *ids);
    c->list = lake_mem_zalloc(c->n + 1, sizeof *c->list);
    c->table = lake_mem_zalloc(c->table_size + 1, sizeof *c->table);
    c->big = lake_mem_zalloc(c->n + 1, sizeof *c->big);
    if (ids && c->n)
        memcpy(ids, c->ids, c->n * sizeof *ids); /* the caller's may go */
    c->ids = ids;
    if (!c->ids || !c->list || !c->table || !c->big)
        return lake_fail_memory(err);
    for (size_t i = 0; i < c->n; i++) {
        if (c->ids[i] < 0 || (size_t)c->ids[i] >= c->table_size)
            c->big[c->nbig++] = (struct lake_column_ref){c->ids[i], (uint32_t)i};
        else if (!c->table[c->ids[i]])
            c->table[c->ids[i]] = (uint16_t)(i + 1), c->distinct++;
        else
            c->doubles = true;
    }
    if (c->nbig)
        qsort(c->big, c->nbig, sizeof *c->big, by_id);
    for (size_t i = 0; i < c->nbig; i++) {
        bool again = i > 0 && c->big[i].id == c->big[i - 1].id;
        c->distinct += !again;
        c->doubles = c->doubles || again;
    }
    return LAKE_OK;
}

lake_status lake_columns_init(lake_columns *c, const lake_manifest_want *want, lake_error *err) {
    memset(c, 0, sizeof *c);
    c->all = want->all_columns;
    return c->all ? LAKE_OK : init_wanted(c, want, err);
}

void lake_columns_clear(lake_columns *c) {
    lake_mem_free(c->list);
    lake_mem_free(c->table);
    lake_mem_free(c->big);
    lake_mem_free((void *)c->ids);
    lake_buffer_clear(&c->late);
    memset(c, 0, sizeof *c);
}

void lake_columns_begin(lake_columns *c) {
    if (c->all) {
        c->n = 0;
        c->hint = 0;
        lake_buffer_reset(&c->late);
        return;
    }
    for (size_t i = 0; i < c->n; i++)
        c->list[i] = (lake_column_metrics){.id = c->ids[i]};
}

size_t lake_columns_lower(const lake_column_metrics *columns, size_t n, int32_t id) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (columns[mid].id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static lake_column_metrics *find_big(lake_columns *c, int64_t id) {
    size_t lo = 0, hi = c->nbig;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (c->big[mid].id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < c->nbig && c->big[lo].id == id ? &c->list[c->big[lo].index] : NULL;
}

static lake_column_metrics *append(lake_columns *c, int32_t id) {
    if (c->n == c->cap) {
        size_t cap = c->cap ? c->cap * 2 : 32;
        lake_column_metrics *list = cap <= MAX_COLUMNS ? lake_mem_realloc(c->list, cap * sizeof *list) : NULL;
        if (!list) {
            c->failed = true;
            return NULL;
        }
        c->list = list;
        c->cap = cap;
    }
    lake_column_metrics *m = &c->list[c->n++];
    *m = (lake_column_metrics){.id = id};
    return m;
}

/* Out of order and not in the list: waits for the end of the entry. */
static lake_column_metrics *put_late(lake_columns *c, int32_t id) {
    lake_column_metrics m = {.id = id};
    if (c->late.len >= MAX_COLUMNS * sizeof m)
        c->failed = true;
    lake_buffer_put(&c->late, &m, sizeof m);
    c->failed = c->failed || c->late.failed;
    return c->failed ? NULL : (lake_column_metrics *)(void *)(c->late.data + c->late.len) - 1;
}

lake_column_metrics *lake_columns_find_slow(lake_columns *c, int64_t id) {
    if (!c->all)
        return find_big(c, id);
    if (id != (int32_t)id || c->failed)
        return NULL;
    if (c->n == 0 || id > c->list[c->n - 1].id) {
        lake_column_metrics *m = append(c, (int32_t)id);
        c->hint = c->n;
        return m;
    }
    size_t lo = lake_columns_lower(c->list, c->n, (int32_t)id);
    c->hint = lo + 1;
    return c->list[lo].id == id ? &c->list[lo] : put_late(c, (int32_t)id);
}

static int by_column(const void *a, const void *b) {
    int32_t x = ((const lake_column_metrics *)a)->id, y = ((const lake_column_metrics *)b)->id;
    return (x > y) - (x < y);
}

static void fold(lake_column_metrics *into, const lake_column_metrics *m) {
    if (m->has & ~into->has & LAKE_METRIC_SIZE)
        into->size = m->size;
    if (m->has & ~into->has & LAKE_METRIC_VALUES)
        into->values = m->values;
    if (m->has & ~into->has & LAKE_METRIC_NULLS)
        into->nulls = m->nulls;
    if (m->has & ~into->has & LAKE_METRIC_NANS)
        into->nans = m->nans;
    into->has |= m->has;
    if (!into->lower.ptr)
        into->lower = m->lower;
    if (!into->upper.ptr)
        into->upper = m->upper;
}

static bool merge_late(lake_columns *c) {
    size_t nlate = c->late.len / sizeof(lake_column_metrics);
    const lake_column_metrics *late = (const void *)c->late.data;
    for (size_t i = 0; i < nlate; i++) {
        if (!append(c, late[i].id))
            return false;
        c->list[c->n - 1] = late[i];
    }
    qsort(c->list, c->n, sizeof *c->list, by_column);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (n > 0 && c->list[n - 1].id == c->list[i].id)
            fold(&c->list[n - 1], &c->list[i]);
        else
            c->list[n++] = c->list[i];
    }
    c->n = n;
    return true;
}

bool lake_columns_end(lake_columns *c) {
    if (c->all)
        return c->late.len == 0 || merge_late(c);
    for (size_t i = 0; c->doubles && i < c->n; i++) {
        lake_column_metrics *m = lake_columns_find(c, c->ids[i]);
        if (m && m != &c->list[i])
            c->list[i] = *m;
    }
    return true;
}
