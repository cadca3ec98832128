/* Rows after deletes (spec.md, "Position Delete Files", "Equality Delete Files", "Deletion Vectors"): one bit a row of
   each file; a deletion vector, position deletes and equality deletes set bits, and what is left is counted. */
#include "writer/live_rows.h"

#include <stdlib.h>

#include "format/deletion_vector.h"
#include "writer/manifest_files.h"

enum { LARGEST_VECTOR = 1 << 28 }; /* bytes */

static const int64_t most_rows = INT64_C(1) << 32; /* of a file with deletes: a bit each */

typedef struct row_hash {
    uint64_t a, b;
} row_hash;

typedef struct target {
    const lake_scan_task *task;
    lake_str path;
    uint64_t *gone; /* a bit a row */
} target;

typedef struct counting {
    const lake_table *table;
    const lake_plan *plan;
    lake_exact exact;
    lake_arena arena;
    target *targets; /* by path */
    size_t ntargets;
} counting;

static void mark(target *t, int64_t row) {
    if (row >= 0 && row < t->task->record_count)
        t->gone[row / 64] |= UINT64_C(1) << (row % 64);
}

static int by_path(const void *a, const void *b) {
    const target *x = a, *y = b;
    return lake_bytes_cmp(lake_bytes_of(x->path), lake_bytes_of(y->path));
}

static bool needs(const target *t, size_t delete_index) {
    for (size_t i = 0; i < t->task->ndeletes; i++)
        if (t->task->deletes[i] == delete_index)
            return true;
    return false;
}

/* ---- deletion vectors */

static lake_status visit(void *user, const uint64_t *positions, size_t n, lake_error *err) {
    for (size_t i = 0; i < n; i++)
        mark(user, (int64_t)positions[i]);
    return LAKE_OK;
}

static lake_status apply_vector(counting *c, target *t, const lake_delete_file *d, lake_error *err) {
    lake_file *file;
    lake_roaring_info info;
    lake_bytes bitmap;
    if (d->content_size < 0 || d->content_size > LARGEST_VECTOR || d->content_offset < 0)
        return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: a deletion vector of %lld bytes", LAKE_ARG(d->path),
            (long long)d->content_size);
    uint8_t *data = lake_mem_alloc((size_t)d->content_size);
    if (!data)
        return lake_fail_memory(err);
    lake_status s = lake_store_open(&c->table->session->store, d->path, &file, err);
    if (s == LAKE_OK) {
        s = lake_file_read(file, (uint64_t)d->content_offset, data, (size_t)d->content_size, err);
        lake_file_close(file);
    }
    if (s == LAKE_OK)
        s = lake_deletion_vector_read((lake_bytes){data, (size_t)d->content_size}, &bitmap, &info, err);
    if (s == LAKE_OK)
        s = lake_roaring_read(bitmap, visit, t, err);
    lake_mem_free(data);
    return lake_wrap(err, s, "%.*s", LAKE_ARG(d->path));
}

/* ---- position delete files */

typedef struct positions {
    counting *c;
    size_t delete_index;
    uint32_t *targets; /* one a row; UINT32_MAX: another file */
    int64_t *rows;
    size_t ntargets, nrows, room;
} positions;

static uint32_t find_target(const counting *c, lake_bytes path) {
    target key = {.path = lake_location_path((lake_str){(const char *)path.ptr, path.len})};
    const target *t = bsearch(&key, c->targets, c->ntargets, sizeof key, by_path);
    return t ? (uint32_t)(t - c->targets) : UINT32_MAX;
}

static lake_status take_positions(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    positions *p = user;
    bool paths = field->id == LAKE_DELETE_FILE_PATH_ID;
    size_t *at = paths ? &p->ntargets : &p->nrows;
    if (n > p->room - *at)
        return lake_fail(err, LAKE_ERR_MALFORMED, "more rows than the file has");
    for (size_t i = 0; i < n; i++, ++*at)
        if (paths)
            p->targets[*at] = present[i] ? find_target(p->c, keys[i].b) : UINT32_MAX;
        else
            p->rows[*at] = present[i] ? (int64_t)keys[i].i : -1;
    return LAKE_OK;
}

static lake_status apply_positions(counting *c, size_t index, const lake_delete_file *d, lake_error *err) {
    static const int32_t ids[] = {LAKE_DELETE_FILE_PATH_ID, LAKE_DELETE_POS_ID};
    positions p = {.c = c, .delete_index = index, .room = d->record_count > 0 ? (size_t)d->record_count : 0};
    const lake_entry e = {.file_path = d->path, .content = LAKE_CONTENT_POSITION_DELETES};
    lake_file_stats stats;
    lake_arena scratch;
    lake_arena_init(&scratch, 0);
    p.targets = lake_mem_zalloc(p.room, sizeof *p.targets);
    p.rows = lake_mem_zalloc(p.room, sizeof *p.rows);
    const lake_file_stats_options o = {.column_ids = ids,
        .ncolumn_ids = 2,
        .threads = 1,
        .on_values = take_positions,
        .on_values_user = &p,
        .on_values_ids = ids,
        .non_values_ids = 2};
    lake_status s = p.targets && p.rows ? LAKE_OK : lake_fail_memory(err);
    if (s == LAKE_OK)
        s = lake_exact_read(&c->exact, &e, &o, &scratch, &stats, err);
    if (s == LAKE_OK && (p.ntargets != p.nrows || p.nrows != p.room))
        s = lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: has not the rows that are recorded of it", LAKE_ARG(d->path));
    for (size_t i = 0; s == LAKE_OK && i < p.nrows; i++)
        if (p.targets[i] != UINT32_MAX && needs(&c->targets[p.targets[i]], index))
            mark(&c->targets[p.targets[i]], p.rows[i]);
    lake_mem_free(p.targets);
    lake_mem_free(p.rows);
    lake_arena_clear(&scratch);
    return s;
}

/* ---- equality delete files */

/* The values of some columns, row by row, as hashes. */
typedef struct hashed {
    row_hash *rows;
    size_t n;
    size_t *filled; /* rows of each column */
    const int32_t *ids;
    size_t nids;
    lake_buffer key;
} hashed;

/* -0.0 and 0.0 are different values here, NaNs are one, and null equals null. */
static row_hash hash_value(hashed *h, const lake_field *field, const lake_key *key, uint8_t present) {
    lake_buffer_reset(&h->key);
    lake_buffer_put(&h->key, &field->id, sizeof field->id);
    lake_buffer_char(&h->key, (char)present);
    if (present == 1)
        switch (lake_type_kind(&field->type)) {
        case LAKE_KEY_FLOAT: lake_buffer_put(&h->key, &key->f, sizeof key->f); break;
        case LAKE_KEY_BYTES: lake_buffer_put(&h->key, key->b.ptr, key->b.len); break;
        default: lake_buffer_put(&h->key, &key->i, sizeof key->i); break;
        }
    return (row_hash){lake_xxh64(h->key.data, h->key.len), lake_fnv1a(h->key.data, h->key.len)};
}

static void add_hash(row_hash *row, row_hash value) {
    row->a += value.a * UINT64_C(0x9e3779b97f4a7c15);
    row->b = (row->b ^ value.b) + (value.b << 7) * UINT64_C(0xc2b2ae3d27d4eb4f);
}

static lake_status take_values(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    hashed *h = user;
    size_t k = 0;
    while (k < h->nids && h->ids[k] != field->id)
        k++;
    if (k == h->nids || n > h->n - h->filled[k])
        return lake_fail(err, LAKE_ERR_MALFORMED, "more rows than the file has");
    for (size_t i = 0; i < n; i++)
        add_hash(&h->rows[h->filled[k]++], hash_value(h, field, &keys[i], present[i]));
    return h->key.failed ? lake_fail_memory(err) : LAKE_OK;
}

/* A column that the file has none of is null in each row. */
static lake_status fill_absent(const counting *c, hashed *h, size_t k, lake_str path, lake_error *err) {
    const lake_field *f = lake_schema_field(c->exact.schema, h->ids[k]);
    if (!f || f->initial_default)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED,
            "%.*s: how many rows its equality deletes leave cannot be told: it lacks column %d, which %s",
            LAKE_ARG(path), (int)h->ids[k], f ? "has a default" : "the table has no longer");
    for (size_t i = 0; i < h->n; i++)
        add_hash(&h->rows[i], hash_value(h, f, NULL, 0));
    return LAKE_OK;
}

static void clear_hashed(hashed *h) {
    lake_mem_free(h->rows);
    lake_mem_free(h->filled);
    lake_buffer_clear(&h->key);
}

/* Columns are added in no fixed order, so that sums must not depend on it: one pass a column, by id. */
static lake_status read_columns(const counting *c, lake_str path, uint8_t content, hashed *h, lake_error *err) {
    const lake_entry e = {.file_path = path, .content = content};
    lake_status s = LAKE_OK;
    for (size_t k = 0; s == LAKE_OK && k < h->nids; k++) {
        lake_file_stats stats;
        lake_arena scratch;
        lake_arena_init(&scratch, 0);
        const lake_file_stats_options o = {.column_ids = &h->ids[k],
            .ncolumn_ids = 1,
            .threads = 1,
            .on_values = take_values,
            .on_values_user = h,
            .on_values_ids = &h->ids[k],
            .non_values_ids = 1};
        s = lake_exact_read(&c->exact, &e, &o, &scratch, &stats, err);
        if (s == LAKE_OK && stats.from_footer)
            s = lake_fail(err, LAKE_ERR_UNSUPPORTED, "%.*s: the rows of this format are not read", LAKE_ARG(path));
        if (s == LAKE_OK && (uint64_t)stats.record_count != h->n)
            s = lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: has %lld rows, but %zu are recorded", LAKE_ARG(path),
                (long long)stats.record_count, h->n);
        if (s == LAKE_OK && h->filled[k] == 0 && h->n)
            s = fill_absent(c, h, k, path, err);
        lake_arena_clear(&scratch);
    }
    return s;
}

static lake_status open_hashed(hashed *h, const int32_t *ids, size_t nids, int64_t rows, lake_error *err) {
    *h = (hashed){.n = rows > 0 ? (size_t)rows : 0, .ids = ids, .nids = nids};
    lake_buffer_init(&h->key);
    h->rows = lake_mem_zalloc(h->n, sizeof *h->rows);
    h->filled = lake_mem_zalloc(nids, sizeof *h->filled);
    return h->rows && h->filled ? LAKE_OK : lake_fail_memory(err);
}

static int by_hash(const void *a, const void *b) {
    const row_hash *x = a, *y = b;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static lake_status compare_rows(counting *c, target *t, const hashed *deleted, lake_error *err) {
    hashed rows;
    lake_status s = open_hashed(&rows, deleted->ids, deleted->nids, t->task->record_count, err);
    if (s == LAKE_OK)
        s = read_columns(c, t->task->path, LAKE_CONTENT_DATA, &rows, err);
    for (size_t i = 0; s == LAKE_OK && deleted->n && i < rows.n; i++)
        if (bsearch(&rows.rows[i], deleted->rows, deleted->n, sizeof *rows.rows, by_hash))
            mark(t, (int64_t)i);
    clear_hashed(&rows);
    return s;
}

static int by_id(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static lake_status apply_equality(counting *c, size_t index, const lake_delete_file *d, lake_error *err) {
    int32_t *ids = LAKE_ARENA_ARRAY(&c->arena, int32_t, d->nequality_ids);
    hashed deleted;
    if (!ids)
        return lake_fail_memory(err);
    if (d->nequality_ids) {
        memcpy(ids, d->equality_ids, d->nequality_ids * sizeof *ids);
        qsort(ids, d->nequality_ids, sizeof *ids, by_id);
    }
    lake_status s = open_hashed(&deleted, ids, d->nequality_ids, d->record_count, err);
    if (s == LAKE_OK)
        s = read_columns(c, d->path, LAKE_CONTENT_EQUALITY_DELETES, &deleted, err);
    if (s == LAKE_OK && deleted.n)
        qsort(deleted.rows, deleted.n, sizeof *deleted.rows, by_hash);
    for (size_t i = 0; s == LAKE_OK && i < c->ntargets; i++)
        if (needs(&c->targets[i], index))
            s = compare_rows(c, &c->targets[i], &deleted, err);
    clear_hashed(&deleted);
    return s;
}

/* ---- all */

static lake_status choose(counting *c, const lake_file_set *files, lake_error *err) {
    size_t n = lake_plan_count(c->plan);
    c->targets = LAKE_ARENA_ARRAY(&c->arena, target, files->n);
    if (!c->targets)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const lake_scan_task *t = lake_plan_task(c->plan, i);
        if (!lake_file_set_has(files, t->path) || c->ntargets == files->n)
            continue;
        if (t->record_count < 0)
            return lake_fail(err, LAKE_ERR_UNSUPPORTED, "%.*s: its rows are not recorded", LAKE_ARG(t->path));
        if (t->ndeletes && t->record_count > most_rows)
            return lake_fail(err, LAKE_ERR_LIMIT, "%.*s: has deletes and %lld rows: at most %lld are looked at",
                LAKE_ARG(t->path), (long long)t->record_count, (long long)most_rows);
        target *x = &c->targets[c->ntargets++];
        *x = (target){t, lake_location_path(t->path), NULL};
        if (t->ndeletes)
            x->gone = LAKE_ARENA_ARRAY(&c->arena, uint64_t, (size_t)t->record_count / 64 + 1);
        if (t->ndeletes && !x->gone)
            return lake_fail_memory(err);
    }
    if (c->ntargets)
        qsort(c->targets, c->ntargets, sizeof *c->targets, by_path);
    return LAKE_OK;
}

static lake_status apply(counting *c, size_t index, lake_error *err) {
    const lake_delete_file *d = lake_plan_delete(c->plan, index);
    target *needed = NULL;
    for (size_t i = 0; i < c->ntargets && !needed; i++)
        if (needs(&c->targets[i], index))
            needed = &c->targets[i];
    if (!needed)
        return LAKE_OK;
    if (d->has_content_offset)
        return apply_vector(c, needed, d, err);
    return d->content == LAKE_CONTENT_EQUALITY_DELETES ? apply_equality(c, index, d, err)
                                                       : apply_positions(c, index, d, err);
}

static lake_status count(counting *c, const lake_file_set *files, int64_t *rows, lake_error *err) {
    *rows = 0;
    LAKE_TRY(lake_exact_init(&c->arena, c->table, NULL, &c->exact, err));
    LAKE_TRY(choose(c, files, err));
    for (size_t i = 0; i < lake_plan_delete_count(c->plan); i++)
        LAKE_TRY(apply(c, i, err));
    for (size_t i = 0; i < c->ntargets; i++) {
        const target *t = &c->targets[i];
        if (__builtin_add_overflow(*rows, t->task->record_count, rows))
            return lake_fail(err, LAKE_ERR_LIMIT, "more than 2^63 rows are recorded");
        for (int64_t w = 0; t->gone && w <= t->task->record_count / 64; w++)
            *rows -= __builtin_popcountll(t->gone[w]);
    }
    return LAKE_OK;
}

lake_status lake_live_rows(
    const lake_table *table, const lake_plan *plan, const lake_file_set *files, int64_t *rows, lake_error *err) {
    counting c = {.table = table, .plan = plan};
    lake_arena_init(&c.arena, 0);
    lake_status s = count(&c, files, rows, err);
    lake_arena_clear(&c.arena);
    return s;
}
