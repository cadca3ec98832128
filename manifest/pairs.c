/* The metrics maps of an entry (spec.md, fields 108 to 110, 137, 125, 128): of each map only the wanted ids are taken,
   and once all have been seen the rest is skipped. Of an id that stands twice in one map the first counts. */
#include "manifest/program.h"
#include "manifest/varint.h"

static inline bool put_count(lake_column_metrics *m, uint32_t which, int64_t v) {
    if (m->has & which)
        return false;
    m->has |= which;
    if (which == LAKE_METRIC_SIZE)
        m->size = v;
    else if (which == LAKE_METRIC_VALUES)
        m->values = v;
    else if (which == LAKE_METRIC_NULLS)
        m->nulls = v;
    else
        m->nans = v;
    return true;
}

static inline bool put_bound(lake_column_metrics *m, uint32_t offset, lake_bytes v) {
    lake_bytes *to = offset == offsetof(lake_column_metrics, lower) ? &m->lower : &m->upper;
    if (to->ptr)
        return false;
    *to = v;
    return true;
}

/* How many more ids can be found in this map. */
static inline size_t all_ids(const lake_columns *c) {
    return c->all ? SIZE_MAX : c->distinct;
}

static const uint8_t *fast_counts(lake_run *run, const lake_op *op, const uint8_t *p, uint64_t n, size_t *open) {
    const uint8_t *end = run->end;
    lake_columns *columns = run->columns;
    uint32_t which = op->slot->has;
    for (; n > 0 && *open > 0; n--) {
        int64_t key, value;
        p = lake_long_take(p, end, &key);
        if (LAKE_UNLIKELY(!p))
            return NULL;
        lake_column_metrics *m = lake_columns_find(columns, key);
        if (m) {
            p = lake_long_take(p, end, &value);
            if (LAKE_UNLIKELY(!p))
                return NULL;
            *open -= put_count(m, which, value);
        } else {
            p = lake_varints_skip(p, end, 1);
            if (LAKE_UNLIKELY(!p))
                return NULL;
        }
    }
    return lake_varints_skip(p, end, 2 * n);
}

static const uint8_t *fast_bounds(lake_run *run, const lake_op *op, const uint8_t *p, uint64_t n, size_t *open) {
    const uint8_t *end = run->end;
    lake_columns *columns = run->columns;
    lake_bytes value;
    for (; n > 0 && *open > 0; n--) {
        int64_t key;
        p = lake_long_take(p, end, &key);
        p = LAKE_LIKELY(p) ? lake_sized_take(p, end, &value) : NULL;
        if (LAKE_UNLIKELY(!p))
            return NULL;
        lake_column_metrics *m = lake_columns_find(columns, key);
        if (m)
            *open -= put_bound(m, op->offset, value);
    }
    for (; n > 0; n--) {
        p = lake_varints_skip(p, end, 1);
        p = LAKE_LIKELY(p) ? lake_sized_take(p, end, &value) : NULL;
        if (LAKE_UNLIKELY(!p))
            return NULL;
    }
    return p;
}

/* The id that an Avro map has as text. */
static bool parse_key(lake_bytes text, int64_t *out) {
    int64_t v = 0;
    if (text.len == 0 || text.len > 10)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        v = v * 10 + (text.ptr[i] - '0');
    }
    *out = v;
    return true;
}

/* Any other form: fields in another order, with unions, or more of them; a map with text keys. */
static const uint8_t *any_pair(lake_run *run, const lake_op *op, const uint8_t *p) {
    lake_pair pair = {0};
    const uint8_t *start = p;
    uint32_t has = run->has;
    run->has = 0;
    if (op->type->kind == LAKE_AVRO_MAP) {
        lake_bytes key;
        p = lake_sized_take(p, run->end, &key);
        if (!p || !parse_key(key, &pair.key))
            return lake_run_fault(run, op, "a map key that is no column id", start);
        run->has = LAKE_PAIR_KEY;
    }
    p = lake_run_ops(run, op->ops, op->nops, (uint8_t *)&pair, p);
    uint32_t got = run->has;
    run->has = has;
    if (!p || got != (LAKE_PAIR_KEY | LAKE_PAIR_VALUE))
        return p;
    lake_column_metrics *m = lake_columns_find(run->columns, pair.key);
    if (m && op->slot->kind == LAKE_SLOT_COUNTS)
        put_count(m, op->slot->has, pair.count);
    else if (m)
        put_bound(m, op->offset, pair.bound);
    return p;
}

static const uint8_t *run_block(lake_run *run, const lake_op *op, const uint8_t *p, uint64_t n, size_t *open) {
    if (op->fast)
        return op->slot->kind == LAKE_SLOT_COUNTS ? fast_counts(run, op, p, n, open) : fast_bounds(run, op, p, n, open);
    for (; p && n > 0; n--)
        p = any_pair(run, op, p);
    return p;
}

const uint8_t *lake_run_pairs(lake_run *run, const lake_op *op, const uint8_t *p) {
    size_t open = all_ids(run->columns);
    run->columns->hint = 0;
    for (;;) {
        uint64_t n;
        const uint8_t *stop, *start = p;
        p = lake_run_head(run, op, p, &n, &stop);
        if (!p || n == 0)
            return p;
        if (stop && open == 0) {
            p = stop;
            continue;
        }
        p = run_block(run, op, p, n, &open);
        if (run->columns->failed)
            return lake_run_fault(run, op, NULL, NULL);
        if (!p)
            return lake_run_fault(run, op, "torn pairs", start);
        if (stop && p != stop)
            return lake_run_fault(run, op, "an item block is not of the size that it tells", start);
    }
}
