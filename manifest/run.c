/* Runs programs (program.h): the hot loop of reading manifests. A function takes the place to read at and returns the
   place after it, or NULL after a fault. */
#include "manifest/program.h"
#include "manifest/varint.h"

enum { MAX_LIST = 1 << 27 };

const uint8_t *lake_varint_take_slow(const uint8_t *p, const uint8_t *end, uint64_t *out) {
    lake_cursor c = {.at = p, .end = end, .begin = p};
    return lake_cursor_varint(&c, out) ? c.at : NULL;
}

const uint8_t *lake_run_fault(lake_run *run, const lake_op *op, const char *why, const uint8_t *at) {
    if (!run->fault) {
        run->fault = op;
        run->why = why;
        if (at)
            run->at = at;
    }
    return NULL;
}

static void put_view(uint8_t *base, const lake_op *op, lake_bytes view) {
    memcpy(base + op->offset, &view, sizeof view);
}

static const uint8_t *run_datum(lake_run *run, const lake_op *op, uint8_t *base, const uint8_t *p) {
    lake_datum d = {0};
    const uint8_t *next = p;
    uint32_t u4;
    float f;
    switch (op->type->kind) {
    case LAKE_AVRO_BOOLEAN:
        d.kind = LAKE_DATUM_BOOL;
        next = p < run->end ? p + 1 : NULL;
        if (next)
            d.i = *p != 0;
        break;
    case LAKE_AVRO_INT:
    case LAKE_AVRO_LONG: d.kind = LAKE_DATUM_INT, next = lake_long_take(p, run->end, &d.i); break;
    case LAKE_AVRO_FLOAT:
        d.kind = LAKE_DATUM_FLOAT;
        next = run->end - p >= 4 ? p + 4 : NULL;
        if (next) {
            u4 = lake_get_le32(p);
            memcpy(&f, &u4, 4);
            d.f = f;
        }
        break;
    case LAKE_AVRO_DOUBLE:
        d.kind = LAKE_DATUM_FLOAT;
        next = run->end - p >= 8 ? p + 8 : NULL;
        if (next)
            memcpy(&d.f, p, 8);
        break;
    case LAKE_AVRO_BYTES:
    case LAKE_AVRO_STRING: d.kind = LAKE_DATUM_BYTES, next = lake_sized_take(p, run->end, &d.b); break;
    case LAKE_AVRO_FIXED:
        d.kind = LAKE_DATUM_BYTES;
        d.b = (lake_bytes){p, (size_t)op->type->size};
        next = d.b.len <= (size_t)(run->end - p) ? p + d.b.len : NULL;
        break;
    default: break;
    }
    if (!next)
        return lake_run_fault(run, op, "torn value", p);
    memcpy(base + op->offset, &d, sizeof d);
    return next;
}

const uint8_t *lake_run_head(lake_run *run, const lake_op *op, const uint8_t *p, uint64_t *n, const uint8_t **stop) {
    int64_t count, size;
    const uint8_t *next = lake_long_take(p, run->end, &count);
    *stop = NULL;
    if (!next)
        return lake_run_fault(run, op, "torn item count", p);
    *n = count < 0 ? -(uint64_t)count : (uint64_t)count;
    if (count < 0) {
        next = lake_long_take(next, run->end, &size);
        if (!next || size < 0 || size > run->end - next)
            return lake_run_fault(run, op, "bad size of an item block", p);
        *stop = next + size;
    }
    size_t each = op->type->branches[0]->min_size + (op->type->kind == LAKE_AVRO_MAP);
    if (each ? *n > (uint64_t)(run->end - next) / each : *n > LAKE_AVRO_MAX_EMPTY)
        return lake_run_fault(run, op, "more items than bytes", p);
    return next;
}

static const uint8_t *skip_items(lake_run *run, const lake_op *op, const uint8_t *p) {
    for (;;) {
        uint64_t n;
        const uint8_t *stop, *start = p;
        p = lake_run_head(run, op, p, &n, &stop);
        if (!p || n == 0)
            return p;
        if (stop) {
            p = stop;
        } else if (op->skip == LAKE_OP_SKIP_VARINTS) {
            p = lake_varints_skip(p, run->end, n * op->size);
        } else {
            lake_bytes value;
            for (; p && n > 0; n--) {
                p = lake_varints_skip(p, run->end, 1);
                p = p ? lake_sized_take(p, run->end, &value) : NULL;
            }
        }
        if (!p)
            return lake_run_fault(run, op, "torn items", start);
    }
}

static const uint8_t *skip_any(lake_run *run, const lake_op *op, const uint8_t *p) {
    lake_cursor c = {.at = p, .end = run->end, .begin = p};
    if (lake_avro_skip(&c, op->type, 0, NULL) != LAKE_OK)
        return lake_run_fault(run, op, "torn, impossible or too deep", c.at);
    return c.at;
}

/* One item of a list of numbers or summaries, appended. */
static const uint8_t *run_item(lake_run *run, const lake_op *op, const uint8_t *p) {
    union {
        int64_t i64;
        int32_t i32;
        lake_field_summary summary;
    } item = {0};
    lake_buffer *to = op->slot->kind == LAKE_SLOT_LONGS ? &run->longs
        : op->slot->kind == LAKE_SLOT_INTS              ? &run->ints
                                                        : &run->summaries;
    size_t size = op->slot->kind == LAKE_SLOT_LONGS ? sizeof item.i64
        : op->slot->kind == LAKE_SLOT_INTS          ? sizeof item.i32
                                                    : sizeof item.summary;
    if (to == &run->summaries)
        item.summary.contains_nan = -1;
    if (to->len >= MAX_LIST)
        return lake_run_fault(run, op, "too many items", p);
    p = lake_run_ops(run, op->ops, op->nops, (uint8_t *)&item, p);
    if (p)
        lake_buffer_put(to, &item, size);
    return p && to->failed ? lake_run_fault(run, op, NULL, NULL) : p;
}

static const uint8_t *run_list(lake_run *run, const lake_op *op, const uint8_t *p) {
    for (;;) {
        uint64_t n;
        const uint8_t *stop;
        p = lake_run_head(run, op, p, &n, &stop);
        if (!p || n == 0)
            return p;
        for (; p && n > 0; n--)
            p = run_item(run, op, p);
        if (p && stop && p != stop)
            return lake_run_fault(run, op, "an item block is not of the size that it tells", p);
        if (!p)
            return NULL;
    }
}

static const uint8_t *run_union(lake_run *run, const lake_op *op, uint8_t *base, const uint8_t *p) {
    int64_t branch;
    const uint8_t *next = lake_long_take(p, run->end, &branch);
    if (!next || branch < 0 || (uint64_t)branch >= op->nops)
        return lake_run_fault(run, op, "bad union branch", p);
    return lake_run_ops(run, &op->ops[branch], 1, base, next);
}

static const uint8_t *run_number(lake_run *run, const lake_op *op, uint8_t *base, const uint8_t *p) {
    int64_t v;
    const uint8_t *next = lake_long_take(p, run->end, &v);
    if (LAKE_UNLIKELY(!next))
        return lake_run_fault(run, op, "torn number", p);
    if (op->code == LAKE_OP_LONG) {
        memcpy(base + op->offset, &v, sizeof v);
        return next;
    }
    int32_t small = (int32_t)v;
    if (op->code == LAKE_OP_INT ? small != v : v < 0 || v > UINT8_MAX)
        return lake_run_fault(run, op, "number out of range", p);
    if (op->code == LAKE_OP_INT)
        memcpy(base + op->offset, &small, sizeof small);
    else
        base[op->offset] = (uint8_t)v;
    return next;
}

static const uint8_t *run_fixed(lake_run *run, const lake_op *op, uint8_t *base, const uint8_t *p) {
    bool flag = op->code == LAKE_OP_FLAG;
    size_t size = flag ? 1 : op->size;
    if ((size_t)(run->end - p) < size)
        return lake_run_fault(run, op, "torn value", p);
    if (flag)
        base[op->offset] = *p != 0;
    else if (op->code == LAKE_OP_FIXED)
        put_view(base, op, (lake_bytes){p, size});
    return p + size;
}

/* Reads the branch of a two-way union with null: 1 a value, 0 null, -1 a fault. */
static inline int take_branch(lake_run *run, const lake_op *op, const uint8_t **p) {
    int64_t branch;
    const uint8_t *at = *p;
    if (LAKE_LIKELY(at < run->end && !(*at & 0x81))) {
        branch = *at >> 1;
        *p = at + 1;
    } else {
        *p = lake_long_take(at, run->end, &branch);
        if (!*p)
            branch = -1;
    }
    if (LAKE_UNLIKELY(branch < 0 || branch > 1)) {
        lake_run_fault(run, op, "bad union branch", at);
        return -1;
    }
    return branch != op->null_branch;
}

static const uint8_t *run_one(lake_run *run, const lake_op *op, unsigned code, uint8_t *base, const uint8_t *p) {
    lake_bytes view;
    const uint8_t *next;
    switch ((lake_op_code)code) {
    case LAKE_OP_NOTHING:
    case LAKE_OP_NULL: return p;
    case LAKE_OP_SKIP_VARINT:
        next = lake_varints_skip(p, run->end, 1);
        return next ? next : lake_run_fault(run, op, "torn number", p);
    case LAKE_OP_SKIP_SIZED:
        next = lake_sized_take(p, run->end, &view);
        return next ? next : lake_run_fault(run, op, "torn value", p);
    case LAKE_OP_SKIP_FIXED:
        if (op->size > (size_t)(run->end - p))
            return lake_run_fault(run, op, "torn value", p);
        return p + op->size;
    case LAKE_OP_SKIP_VARINTS:
    case LAKE_OP_SKIP_SIZED_PAIRS: return skip_items(run, op, p);
    case LAKE_OP_SKIP_ANY: return skip_any(run, op, p);
    case LAKE_OP_LONG:
    case LAKE_OP_INT:
    case LAKE_OP_SMALL: return run_number(run, op, base, p);
    case LAKE_OP_FLAG:
    case LAKE_OP_FIXED: return run_fixed(run, op, base, p);
    case LAKE_OP_SIZED:
        next = lake_sized_take(p, run->end, &view);
        if (LAKE_UNLIKELY(!next))
            return lake_run_fault(run, op, "torn value", p);
        put_view(base, op, view);
        return next;
    case LAKE_OP_DATUM: return run_datum(run, op, base, p);
    case LAKE_OP_RECORD: return lake_run_ops(run, op->ops, op->nops, base, p);
    case LAKE_OP_PARTITION: return lake_run_ops(run, op->ops, op->nops, (uint8_t *)run->partition, p);
    case LAKE_OP_PAIRS: return lake_run_pairs(run, op, p);
    case LAKE_OP_LIST: return run_list(run, op, p);
    case LAKE_OP_UNION: return run_union(run, op, base, p);
    }
    return NULL;
}

const uint8_t *lake_run_ops(lake_run *run, const lake_op *op, size_t n, uint8_t *base, const uint8_t *p) {
    for (const lake_op *last = op + n; op < last; op++) {
        bool wanted = op->group & run->groups;
        if (op->null_branch >= 0) {
            int value = take_branch(run, op, &p);
            if (LAKE_UNLIKELY(value < 0))
                return NULL;
            if (!value) {
                if (LAKE_UNLIKELY(wanted && op->required))
                    return lake_run_fault(run, op, "null where a value is required", p - 1);
                continue;
            }
        }
        if (wanted) {
            if (LAKE_UNLIKELY(op->code == LAKE_OP_NULL)) {
                if (op->required)
                    return lake_run_fault(run, op, "null where a value is required", p);
                continue;
            }
            if (op->code != LAKE_OP_UNION) /* its branches know */
                run->has |= op->has;
            p = run_one(run, op, op->code, base, p);
        } else {
            p = run_one(run, op, op->skip, base, p);
        }
        if (LAKE_UNLIKELY(!p))
            return NULL;
    }
    return p;
}

bool lake_program_run(lake_run *run, const lake_program *program, void *base) {
    run->fault = NULL;
    const uint8_t *p = lake_run_ops(run, program->ops, program->nops, base, run->at);
    if (p)
        run->at = p;
    return p;
}

lake_status lake_run_error(const lake_run *run, const uint8_t *begin, lake_error *err) {
    long long at = run->at - begin;
    const lake_slot *slot = run->fault->slot;
    if (!run->why)
        return lake_fail_memory(err);
    if (slot)
        return lake_fail_at(err, LAKE_ERR_MALFORMED, at, "field %d %s: %s (byte %lld of the decoded block)", slot->id,
            slot->name, run->why, at);
    return lake_fail_at(err, LAKE_ERR_MALFORMED, at, "a field of the type %s: %s (byte %lld of the decoded block)",
        lake_avro_kind_name(run->fault->type->kind), run->why, at);
}

void lake_run_clear(lake_run *run) {
    lake_buffer_clear(&run->longs);
    lake_buffer_clear(&run->ints);
    lake_buffer_clear(&run->summaries);
}
