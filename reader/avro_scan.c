/* Walking Avro values. A value goes into its column's batch, a batch into the accumulator when it is full and at the
   end of the block, since views point into the block. Counts follow Iceberg: a null struct is a null of every leaf in
   it; in lists and maps only elements that exist count. Work is bounded by the bytes that are there. */
#include "reader/avro_scan.h"

lake_status lake_avro_scan_init(
    lake_avro_scan *s, const lake_avro_program *program, const lake_file_stats_options *options, lake_error *err) {
    *s = (lake_avro_scan){.program = program, .options = options};
    s->columns = lake_mem_zalloc(program->nleaves + 1, sizeof *s->columns);
    if (!s->columns)
        return lake_fail_memory(err);
    for (size_t i = 0; i < program->nleaves; i++) {
        const lake_avro_leaf *leaf = &program->leaves[i];
        lake_avro_column *c = &s->columns[i];
        lake_accum_init(&c->stats, leaf->reading.form, 0, leaf->reading.mul, leaf->reading.div);
        c->stride = lake_accum_stride(&c->stats);
        c->uuids = leaf->reading.uuid_text ? lake_mem_alloc(LAKE_AVRO_BATCH * 16) : NULL;
        c->keys = leaf->rows ? lake_mem_zalloc(LAKE_AVRO_BATCH, sizeof *c->keys) : NULL;
        if ((leaf->reading.uuid_text && !c->uuids) || (leaf->rows && !c->keys))
            return lake_fail_memory(err);
    }
    return LAKE_OK;
}

void lake_avro_scan_clear(lake_avro_scan *s) {
    for (size_t i = 0; s->columns && i < s->program->nleaves; i++) {
        lake_accum_clear(&s->columns[i].stats);
        lake_mem_free(s->columns[i].uuids);
        lake_mem_free(s->columns[i].keys);
    }
    lake_mem_free(s->columns);
    s->columns = NULL;
}

static bool is_float(const lake_accum *a) {
    return a->form == LAKE_ACCUM_F32 || a->form == LAKE_ACCUM_F64;
}

static lake_status give_rows(lake_avro_scan *s, size_t leaf, lake_error *err) {
    lake_avro_column *c = &s->columns[leaf];
    for (size_t i = 0; i < c->n; i++) {
        if (!c->present[i] || lake_accum_key(&c->stats, c->data + i * c->stride, &c->keys[i]))
            continue;
        if (!is_float(&c->stats))
            return lake_fail(err, LAKE_ERR_UNSUPPORTED, "a value cannot be read as the column's type");
        c->present[i] = 2;
    }
    return s->options->on_values(
        s->options->on_values_user, s->program->leaves[leaf].field, c->keys, c->present, c->n, err);
}

static lake_status flush(lake_avro_scan *s, size_t leaf, lake_error *err) {
    lake_avro_column *c = &s->columns[leaf];
    lake_accum_add(&c->stats, c->data, c->nulls ? c->present : NULL, c->n);
    lake_status st = c->keys && c->n ? give_rows(s, leaf, err) : LAKE_OK;
    c->n = 0;
    c->nulls = false;
    return st;
}

static lake_status put_nulls(lake_avro_scan *s, const lake_avro_node *node, lake_error *err) {
    for (size_t i = 0; i < node->nnulls; i++) {
        lake_avro_column *c = &s->columns[node->nulls[i]];
        if (c->n == LAKE_AVRO_BATCH)
            LAKE_TRY(flush(s, node->nulls[i], err));
        c->present[c->n++] = 0;
        c->nulls = true;
    }
    return LAKE_OK;
}

/* The same for values that take no bytes, so there may be very many. */
static lake_status count_nulls(lake_avro_scan *s, const lake_avro_node *node, uint64_t n, lake_error *err) {
    for (; n > 0 && node->nnulls && s->columns[node->nulls[0]].keys; n--)
        LAKE_TRY(put_nulls(s, node, err));
    for (size_t i = 0; i < node->nnulls && n > 0; i++)
        lake_accum_add_nulls(&s->columns[node->nulls[i]].stats, (int64_t)n);
    return LAKE_OK;
}

/* Reads a leaf's value into `to`; views point into the block. False: torn, or impossible. */
static bool take_value(const lake_avro_leaf *leaf, lake_avro_column *c, lake_cursor *in, uint8_t *to) {
    const lake_avro_type *t = leaf->type;
    lake_bytes view = {NULL, 0};
    int64_t v;
    switch (t->kind) {
    case LAKE_AVRO_BOOLEAN: return lake_cursor_u8(in, to) && *to <= 1;
    case LAKE_AVRO_INT:
        if (!lake_cursor_zigzag(in, &v) || v != (int32_t)v)
            return false;
        memcpy(to, &v, leaf->reading.form == LAKE_ACCUM_I64 ? sizeof v : 1);
        return true;
    case LAKE_AVRO_LONG:
        if (!lake_cursor_zigzag(in, &v))
            return false;
        memcpy(to, &v, leaf->reading.form == LAKE_ACCUM_I64 ? sizeof v : 1);
        return true;
    case LAKE_AVRO_FLOAT:
    case LAKE_AVRO_DOUBLE:
        if (!lake_cursor_take(in, t->kind == LAKE_AVRO_FLOAT ? 4 : 8, &view))
            return false;
        memcpy(to, view.ptr, leaf->reading.form == LAKE_ACCUM_NONE ? 1 : view.len);
        return true;
    case LAKE_AVRO_ENUM:
        if (!lake_cursor_zigzag(in, &v) || v < 0 || (uint64_t)v >= t->count)
            return false;
        view = lake_bytes_of(t->symbols[v]);
        break;
    case LAKE_AVRO_FIXED:
        if (!lake_cursor_take(in, (uint64_t)t->size, &view))
            return false;
        break;
    default:
        if (!lake_avro_take_sized(in, &view))
            return false;
        break;
    }
    if (leaf->reading.form == LAKE_ACCUM_NONE)
        return true;
    if (c->uuids) {
        c->stats.broken |= !lake_uuid_parse(lake_text_of(view), c->uuids[c->n]);
        view = (lake_bytes){c->uuids[c->n], 16};
    }
    memcpy(to, &view, sizeof view);
    return true;
}

static lake_status in_column(const lake_avro_leaf *leaf, lake_status status, lake_error *err) {
    lake_buffer name;
    lake_buffer_init(&name);
    lake_field_full_name(&name, leaf->field);
    lake_wrap(err, status, "column %.*s", LAKE_ARG(lake_buffer_view(&name)));
    lake_buffer_clear(&name);
    return status;
}

static lake_status walk_leaf(lake_avro_scan *s, const lake_avro_node *node, lake_cursor *in, lake_error *err) {
    const lake_avro_leaf *leaf = &s->program->leaves[node->leaf];
    lake_avro_column *c = &s->columns[node->leaf];
    lake_status st = c->n == LAKE_AVRO_BATCH ? flush(s, node->leaf, err) : LAKE_OK;
    if (st == LAKE_OK && leaf->type->kind == LAKE_AVRO_NULL)
        return put_nulls(s, node, err);
    lake_cursor start = *in;
    if (st == LAKE_OK && leaf->type->kind == LAKE_AVRO_RECORD) /* a variant */
        st = lake_avro_skip(in, leaf->type, 0, err);
    else if (st == LAKE_OK && !take_value(leaf, c, in, c->data + c->n * c->stride))
        st = lake_avro_torn(&start, leaf->type, err);
    if (st == LAKE_OK && c->keys && c->stats.broken)
        st = lake_fail(err, LAKE_ERR_MALFORMED, "a value is no UUID");
    if (st != LAKE_OK)
        return in_column(leaf, st, err);
    c->present[c->n++] = 1;
    return LAKE_OK;
}

static lake_status walk(lake_avro_scan *s, const lake_avro_node *node, lake_cursor *in, lake_error *err);

static lake_status walk_items(
    lake_avro_scan *s, const lake_avro_node *node, uint64_t count, lake_cursor *in, lake_error *err) {
    bool entries = node->op == LAKE_AVRO_ENTRIES;
    if (!entries && node->children[0].type->empty)
        return count_nulls(s, &node->children[0], count, err);
    for (; count > 0; count--)
        for (size_t i = 0; i < node->nchildren; i++)
            LAKE_TRY(walk(s, &node->children[i], in, err));
    return LAKE_OK;
}

static lake_status walk_blocks(lake_avro_scan *s, const lake_avro_node *node, lake_cursor *in, lake_error *err) {
    for (;;) {
        lake_cursor start = *in;
        uint64_t count;
        int64_t size;
        LAKE_TRY(lake_avro_take_head(in, node->present, &count, &size, err));
        if (count == 0)
            return LAKE_OK;
        const uint8_t *end = size < 0 ? NULL : in->at + size;
        LAKE_TRY(walk_items(s, node, count, in, err));
        if (end && in->at != end)
            return lake_avro_torn(&start, node->present, err);
    }
}

static lake_status walk(lake_avro_scan *s, const lake_avro_node *node, lake_cursor *in, lake_error *err) {
    if (node->op == LAKE_AVRO_SKIP)
        return lake_avro_skip(in, node->type, 0, err);
    if (node->type->kind == LAKE_AVRO_UNION) {
        const lake_avro_type *branch;
        LAKE_TRY(lake_avro_take_branch(in, node->type, &branch, err));
        if (branch != node->present)
            return put_nulls(s, node, err);
    }
    switch (node->op) {
    case LAKE_AVRO_LEAF: return walk_leaf(s, node, in, err);
    case LAKE_AVRO_STRUCT:
        for (size_t i = 0; i < node->nchildren; i++)
            LAKE_TRY(walk(s, &node->children[i], in, err));
        return LAKE_OK;
    default: return walk_blocks(s, node, in, err);
    }
}

lake_status lake_avro_scan_block(lake_avro_scan *s, lake_cursor objects, uint64_t count, lake_error *err) {
    const lake_avro_node *root = &s->program->root;
    if (count > (uint64_t)(INT64_MAX - s->rows))
        return lake_fail(err, LAKE_ERR_MALFORMED, "the blocks have more than 2^63 rows");
    s->rows += (int64_t)count;
    if (root->type->empty)
        LAKE_TRY(count_nulls(s, root, count, err));
    for (uint64_t i = 0; i < count && !root->type->empty; i++)
        LAKE_TRY_WRAP(walk(s, root, &objects, err), err, "row %llu", (unsigned long long)i);
    if (lake_cursor_left(&objects))
        return lake_fail(err, LAKE_ERR_MALFORMED, "%zu bytes are left over behind %llu rows",
            lake_cursor_left(&objects), (unsigned long long)count);
    for (size_t i = 0; i < s->program->nleaves; i++) {
        LAKE_TRY(flush(s, i, err));
        LAKE_TRY(lake_accum_check(&s->columns[i].stats, err));
    }
    return LAKE_OK;
}
