/* The view `partitions`: live files summed up by spec and partition tuple, in the order of first appearance. */
#include "reader/inspect_internal.h"

typedef struct group {
    lake_str partition; /* JSON */
    uint64_t hash;
    int32_t spec_id;
    int64_t records, files, bytes;
    int64_t position_records, position_files, equality_records, equality_files;
    const lake_snapshot *updated;
    bool unknown; /* a record count is not known */
} group;

/* Groups in order, and an open-addressed index of numbers + 1. */
typedef struct groups {
    group *items;
    size_t n, cap;
    size_t *slots, nslots;
} groups;

static bool grow(lake_arena *arena, groups *g) {
    size_t cap = g->cap ? g->cap * 2 : 64, nslots = cap * 2;
    group *items = LAKE_ARENA_ARRAY(arena, group, cap);
    size_t *slots = LAKE_ARENA_ARRAY(arena, size_t, nslots);
    if (!items || !slots)
        return false;
    if (g->n)
        memcpy(items, g->items, g->n * sizeof *items);
    for (size_t i = 0; i < g->n; i++) {
        size_t at = items[i].hash & (nslots - 1);
        while (slots[at])
            at = (at + 1) & (nslots - 1);
        slots[at] = i + 1;
    }
    g->items = items;
    g->cap = cap;
    g->slots = slots;
    g->nslots = nslots;
    return true;
}

static group *find(lake_arena *arena, groups *g, int32_t spec_id, lake_str partition) {
    uint64_t hash = lake_fnv1a(partition.ptr, partition.len) ^ (uint64_t)(uint32_t)spec_id * 0x9e3779b97f4a7c15u;
    if (g->n == g->cap && !grow(arena, g))
        return NULL;
    size_t at = hash & (g->nslots - 1);
    for (; g->slots[at]; at = (at + 1) & (g->nslots - 1)) {
        group *it = &g->items[g->slots[at] - 1];
        if (it->hash == hash && it->spec_id == spec_id && lake_str_eq(it->partition, partition))
            return it;
    }
    lake_str copy = lake_arena_str(arena, partition.ptr, partition.len);
    if (!copy.ptr)
        return NULL;
    g->slots[at] = ++g->n;
    g->items[g->n - 1] = (group){.partition = copy, .hash = hash, .spec_id = spec_id};
    return &g->items[g->n - 1];
}

/* Sums of what foreign files claim may not fit: then they stay at the end of the range. */
static void add(int64_t *sum, int64_t v) {
    if (v > 0 && __builtin_add_overflow(*sum, v, sum))
        *sum = INT64_MAX;
}

static void count(group *g, const lake_entry *e, const lake_snapshot *s) {
    if (e->content == LAKE_CONTENT_DATA) {
        add(&g->records, e->record_count);
        g->unknown = g->unknown || e->record_count < 0;
        add(&g->files, 1);
        add(&g->bytes, e->file_size);
    } else if (e->content == LAKE_CONTENT_POSITION_DELETES) {
        add(&g->position_records, e->record_count);
        add(&g->position_files, 1);
    } else {
        add(&g->equality_records, e->record_count);
        add(&g->equality_files, 1);
    }
    if (s && (!g->updated || s->timestamp_ms > g->updated->timestamp_ms))
        g->updated = s;
}

static lake_status collect(lake_view *v, lake_error *err) {
    static const lake_manifest_want nothing = {0};
    groups *g = LAKE_ARENA_NEW(&v->arena, groups);
    if (!g)
        return lake_fail_memory(err);
    for (;;) {
        const lake_manifest_file *line;
        const lake_entry *e;
        LAKE_TRY(lake_view_next_entry(v, &nothing, &line, &e, err));
        if (!e)
            break;
        if (e->status == LAKE_ENTRY_DELETED)
            continue;
        const lake_spec *spec = lake_view_spec(v, line);
        if (!spec)
            spec = lake_manifest_header_of(v->reader)->spec;
        lake_cell_partition(v, &v->text, spec, e->partition, e->npartition);
        group *it = v->text.failed ? NULL : find(&v->arena, g, line->spec_id, lake_buffer_view(&v->text));
        lake_buffer_reset(&v->text);
        if (!it)
            return lake_fail_memory(err);
        count(it, e, e->has & LAKE_HAS_SNAPSHOT_ID ? lake_metadata_snapshot(v->table->metadata, e->snapshot_id) : NULL);
    }
    v->groups = g;
    return LAKE_OK;
}

lake_status lake_fill_partitions(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err) {
    lake_view *v = user;
    if (!v->groups)
        LAKE_TRY(collect(v, err));
    groups *all = v->groups;
    *more = v->inner < all->n;
    if (!*more)
        return LAKE_OK;
    const group *g = &all->items[v->inner++];
    cells[0] = g->partition;
    cells[1] = lake_cell_i64(scratch, g->spec_id);
    if (!g->unknown)
        cells[2] = lake_cell_i64(scratch, g->records);
    cells[3] = lake_cell_i64(scratch, g->files);
    cells[4] = lake_cell_i64(scratch, g->bytes);
    cells[5] = lake_cell_i64(scratch, g->position_records);
    cells[6] = lake_cell_i64(scratch, g->position_files);
    cells[7] = lake_cell_i64(scratch, g->equality_records);
    cells[8] = lake_cell_i64(scratch, g->equality_files);
    if (g->updated) {
        cells[9] = lake_cell_time(v, scratch, g->updated->timestamp_ms);
        cells[10] = lake_cell_i64(scratch, g->updated->id);
    }
    return LAKE_OK;
}
