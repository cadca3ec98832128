/* The manifest reader: blocks to entries (spec.md, "Manifests"). One pass, nothing allocated per entry but where an
   entry has more columns or offsets than any before it. */
#include "manifest/header.h"
#include "manifest/inherit.h"
#include "manifest/slots.h"

struct lake_manifest_reader {
    lake_manifest_pool *pool;
    bool owns_pool;
    lake_arena arena;
    lake_str location;
    lake_blob blob;
    lake_avro_reader avro;
    lake_manifest_header header;
    const lake_program *program;
    lake_inherit inherit, before; /* before: as it was for the current entry */
    lake_buffer decoded;
    lake_cursor objects;
    uint64_t left, number; /* entries left in the block; number of the next, from 0 */
    const uint8_t *entry_at; /* the current entry's bytes; NULL: none */
    lake_run run, again; /* again: to decode the entry a second time */
    lake_columns wanted, all;
    lake_entry entry;
};

static uint32_t groups_of(const lake_manifest_want *want) {
    uint32_t g = LAKE_GROUP_ALWAYS | LAKE_GROUP_ROW_ID;
    if (want->all_columns || want->ncolumn_ids)
        g |= LAKE_GROUP_METRICS;
    if (want->rest)
        g |= LAKE_GROUP_REST;
    return g;
}

static lake_status init_run(lake_manifest_reader *r, lake_run *run, lake_columns *columns, lake_error *err) {
    run->columns = columns;
    run->npartition = r->program->npartition;
    run->partition = LAKE_ARENA_ARRAY(&r->arena, lake_datum, run->npartition);
    return run->partition ? LAKE_OK : lake_fail_memory(err);
}

/* Reads the entry at run->at into *e. */
static lake_status run_entry(lake_manifest_reader *r, lake_run *run, lake_entry *e, lake_error *err) {
    *e = (lake_entry){.record_count = -1};
    run->has = 0;
    if (run->npartition)
        memset(run->partition, 0, run->npartition * sizeof *run->partition);
    lake_columns_begin(run->columns);
    lake_buffer_reset(&run->longs);
    lake_buffer_reset(&run->ints);
    if (!lake_program_run(run, r->program, e))
        return lake_run_error(run, r->objects.begin, err);
    if (!lake_columns_end(run->columns))
        return lake_fail_memory(err);
    e->has = run->has;
    e->partition = run->partition;
    e->npartition = run->npartition;
    e->columns = run->columns->list;
    e->ncolumns = run->columns->n;
    e->split_offsets = (const void *)run->longs.data;
    e->nsplit_offsets = run->longs.len / sizeof(int64_t);
    e->equality_ids = (const void *)run->ints.data;
    e->nequality_ids = run->ints.len / sizeof(int32_t);
    if (e->status > LAKE_ENTRY_DELETED)
        return lake_fail(err, LAKE_ERR_MALFORMED, "field 0 status is %u", e->status);
    if (e->content > LAKE_CONTENT_EQUALITY_DELETES)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "field 134 content is %u", e->content);
    return LAKE_OK;
}

static lake_status open_reader(lake_manifest_reader *r, const lake_store *store, const lake_manifest_file *line,
    const lake_spec *spec, const lake_manifest_want *want, lake_error *err) {
    bool told;
    LAKE_TRY(lake_store_read(store, r->location, &r->blob, err));
    LAKE_TRY(lake_avro_open_header(&r->arena, (lake_bytes){r->blob.data, r->blob.size}, &r->avro, err));
    if (store->max_file && store->max_file < r->avro.max_block)
        r->avro.max_block = (size_t)store->max_file;
    LAKE_TRY(lake_pool_schema(r->pool, r->avro.schema_text, &r->avro.schema, err));
    LAKE_TRY(lake_manifest_header_read(r->pool, &r->avro, !spec, &r->header, &told, err));
    LAKE_TRY(lake_pool_program(r->pool, r->avro.schema, spec ? spec : r->header.spec, &r->program, err));
    lake_inherit_init(&r->inherit, line, r->header.format_version == 1 && !r->program->has_sequence_numbers);
    if (line && !told)
        r->header.content = line->content;
    if (!line && told)
        r->inherit.content = (int8_t)r->header.content;
    LAKE_TRY(lake_columns_init(&r->wanted, want, err));
    r->run.groups = groups_of(want);
    return init_run(r, &r->run, &r->wanted, err);
}

lake_status lake_manifest_open_pooled(lake_manifest_pool *pool, const lake_store *store, lake_str location,
    const lake_manifest_file *line, const lake_spec *spec, const lake_manifest_want *want, lake_manifest_reader **out,
    lake_error *err) {
    *out = NULL;
    lake_manifest_reader *r = lake_mem_zalloc(1, sizeof *r);
    if (!r)
        return lake_fail_memory(err);
    r->pool = pool;
    lake_arena_init(&r->arena, 0);
    r->decoded = pool->spare; /* taken over, given back when closed */
    lake_buffer_init(&pool->spare);
    r->location = lake_arena_str(&r->arena, location.ptr, location.len);
    lake_status s = r->location.ptr ? open_reader(r, store, line, spec, want, err) : lake_fail_memory(err);
    if (s != LAKE_OK) {
        s = r->blob.owner || r->blob.data ? lake_wrap(err, s, "%.*s", LAKE_ARG(location)) : s; /* the store names it */
        lake_manifest_close(r);
        return s;
    }
    *out = r;
    return LAKE_OK;
}

lake_status lake_manifest_open(const lake_store *store, lake_str location, const lake_manifest_file *line,
    const lake_spec *spec, const lake_manifest_want *want, lake_codec_scratch *scratch, lake_manifest_reader **out,
    lake_error *err) {
    *out = NULL;
    lake_manifest_pool *pool = lake_manifest_pool_make(scratch);
    if (!pool)
        return lake_fail_memory(err);
    lake_status s = lake_manifest_open_pooled(pool, store, location, line, spec, want, out, err);
    if (s == LAKE_OK)
        (*out)->owns_pool = true;
    else
        lake_manifest_pool_free(pool);
    return s;
}

const lake_manifest_header *lake_manifest_header_of(const lake_manifest_reader *reader) {
    return &reader->header;
}

uint64_t lake_manifest_size(const lake_manifest_reader *reader) {
    return reader->blob.size;
}

static lake_status fail_in(lake_manifest_reader *r, lake_status s, lake_error *err) {
    r->entry_at = NULL;
    return lake_wrap(
        err, s, "%.*s: block %zu: entry %llu", LAKE_ARG(r->location), r->avro.block, (unsigned long long)r->number);
}

/* Goes to the next block that has entries; r->left 0: there is none. */
static lake_status next_block(lake_manifest_reader *r, lake_error *err) {
    bool more = true;
    while (more && r->left == 0) {
        if (r->avro.block && lake_cursor_left(&r->objects))
            return lake_fail(err, LAKE_ERR_MALFORMED, "block %zu: %zu bytes are left after its last entry",
                r->avro.block, lake_cursor_left(&r->objects));
        LAKE_TRY(lake_avro_next_block(&r->avro, r->pool->scratch, &r->decoded, &more, &r->left, &r->objects, err));
        r->run.at = r->objects.at;
        r->run.end = r->objects.end;
    }
    return LAKE_OK;
}

lake_status lake_manifest_next(lake_manifest_reader *r, const lake_entry **out, lake_error *err) {
    *out = NULL;
    r->entry_at = NULL;
    if (r->left == 0) {
        LAKE_TRY_WRAP(next_block(r, err), err, "%.*s", LAKE_ARG(r->location));
        if (r->left == 0)
            return LAKE_OK;
    }
    const uint8_t *at = r->run.at;
    lake_status s = run_entry(r, &r->run, &r->entry, err);
    r->before = r->inherit;
    if (s == LAKE_OK)
        s = lake_inherit_apply(&r->inherit, &r->entry, err);
    if (s != LAKE_OK)
        return fail_in(r, s, err);
    r->objects.at = r->run.at;
    r->entry_at = at;
    r->left--;
    r->number++;
    *out = &r->entry;
    return LAKE_OK;
}

static bool copy_bytes(lake_arena *arena, lake_bytes *b) {
    if (!b->ptr)
        return true;
    *b = lake_arena_bytes(arena, b->ptr, b->len);
    return b->ptr;
}
static bool copy_str(lake_arena *arena, lake_str *s) {
    if (!s->ptr)
        return true;
    *s = lake_arena_str(arena, s->ptr, s->len);
    return s->ptr;
}
static bool copy_array(lake_arena *arena, const void **items, size_t n, size_t size) {
    void *copy = n ? lake_arena_alloc(arena, n * size) : NULL;
    if (copy)
        memcpy(copy, *items, n * size);
    *items = copy;
    return copy || !n;
}

static bool copy_partition(lake_arena *arena, lake_entry *e) {
    lake_datum *partition = LAKE_ARENA_ARRAY(arena, lake_datum, e->npartition);
    for (size_t i = 0; partition && i < e->npartition; i++) {
        partition[i] = e->partition[i];
        if (partition[i].kind == LAKE_DATUM_BYTES && !copy_bytes(arena, &partition[i].b))
            return false;
    }
    e->partition = partition;
    return partition;
}

const lake_column_metrics *lake_entry_column(const lake_entry *e, int32_t id) {
    size_t lo = lake_columns_lower(e->columns, e->ncolumns, id);
    return lo < e->ncolumns && e->columns[lo].id == id ? &e->columns[lo] : NULL;
}

/* The wanted columns out of all. */
static bool copy_columns(lake_arena *arena, const lake_manifest_want *want, lake_entry *e) {
    size_t n = want->all_columns ? e->ncolumns : want->ncolumn_ids;
    lake_column_metrics *columns = LAKE_ARENA_ARRAY(arena, lake_column_metrics, n);
    for (size_t i = 0; columns && i < n; i++) {
        /* In place when these columns are those that were decoded; the search is for all of them, sorted. */
        bool in_place = want->all_columns || (i < e->ncolumns && e->columns[i].id == want->column_ids[i]);
        const lake_column_metrics *m = in_place ? &e->columns[i] : lake_entry_column(e, want->column_ids[i]);
        columns[i] = m ? *m : (lake_column_metrics){.id = want->column_ids[i]};
        if (!copy_bytes(arena, &columns[i].lower) || !copy_bytes(arena, &columns[i].upper))
            return false;
    }
    e->columns = columns;
    e->ncolumns = n;
    return columns;
}

bool lake_entry_copy(lake_arena *arena, const lake_manifest_want *want, lake_entry *e) {
    return copy_str(arena, &e->file_path) && copy_str(arena, &e->file_format) && copy_partition(arena, e) &&
        copy_columns(arena, want, e) && copy_bytes(arena, &e->key_metadata) &&
        copy_array(arena, (const void **)&e->split_offsets, e->nsplit_offsets, sizeof *e->split_offsets) &&
        copy_array(arena, (const void **)&e->equality_ids, e->nequality_ids, sizeof *e->equality_ids) &&
        copy_str(arena, &e->referenced_data_file);
}

static bool wants_same(const lake_manifest_want *want, const lake_columns *columns) {
    return !want->all_columns && !columns->all && want->ncolumn_ids == columns->n &&
        (columns->n == 0 || memcmp(want->column_ids, columns->ids, columns->n * sizeof *columns->ids) == 0);
}

lake_status lake_manifest_materialise(
    lake_manifest_reader *r, const lake_manifest_want *want, lake_arena *arena, lake_entry *out, lake_error *err) {
    if (!r->entry_at)
        return lake_fail(err, LAKE_ERR_INTERNAL, "no current entry to materialise");
    if (!r->again.columns) {
        r->all.all = true;
        LAKE_TRY(init_run(r, &r->again, &r->all, err));
    }
    /* The columns that the reader takes anyway are cheaper to find than all; the entry's own are the same again. */
    r->again.columns = wants_same(want, &r->wanted) ? &r->wanted : &r->all;
    r->again.groups = groups_of(want);
    r->again.at = r->entry_at;
    r->again.end = r->run.end;
    lake_inherit inherit = r->before;
    LAKE_TRY(run_entry(r, &r->again, out, err));
    LAKE_TRY(lake_inherit_apply(&inherit, out, err));
    return lake_entry_copy(arena, want, out) ? LAKE_OK : lake_fail_memory(err);
}

void lake_manifest_close(lake_manifest_reader *r) {
    if (!r)
        return;
    lake_buffer_clear(&r->pool->spare);
    r->pool->spare = r->decoded;
    lake_run_clear(&r->run);
    lake_run_clear(&r->again);
    lake_columns_clear(&r->wanted);
    lake_columns_clear(&r->all);
    lake_blob_clear(&r->blob);
    lake_arena_clear(&r->arena);
    if (r->owns_pool)
        lake_manifest_pool_free(r->pool);
    lake_mem_free(r);
}
