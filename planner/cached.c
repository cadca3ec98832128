/* Planning by way of the manifest cache (cached.h). */
#include "planner/cached.h"

enum { MOST_ROWS = 256, MOST_BYTES = 256 << 20 };

void plan_cached_begin(lake_plan *plan) {
    lake_manifest_cache *cache = plan->table->session->manifests;
    if (cache && !plan->increment)
        plan->cached = lake_manifest_use_begin(cache, plan->table->metadata->location);
}

void plan_cached_write(lake_plan *plan) {
    if (plan->cached)
        lake_manifest_use_write(plan->cached);
}

void plan_cached_find(
    lake_plan *plan, plan_worker *w, const lake_manifest_file *line, const lake_spec *spec, plan_cached *out) {
    *out = (plan_cached){0};
    if (!plan->cached || !spec)
        return;
    lake_arena_reset(&w->image_arena);
    out->key = lake_manifest_key(&plan->table->session->store, &w->image_arena, line, spec);
    if (!out->key.ptr || !lake_manifest_find(plan->cached, out->key, &out->found))
        out->found.pack = NULL;
}

lake_status plan_cached_prune(lake_plan *plan, plan_worker *w, plan_manifest *m, const plan_cached *cached,
    bool *pruned, plan_candidates *candidates, lake_error *err) {
    lake_pack *pack = cached->found.pack;
    lake_zone_sums sums;
    plan_maker *maker;
    *pruned = false;
    *candidates = (plan_candidates){0};
    const lake_spec *spec = lake_metadata_spec(plan->table->metadata, m->line->spec_id);
    if (!pack || !spec || plan->options.explain || !plan->bound->nterms || plan->trivial)
        return LAKE_OK;
    const uint8_t *rows = lake_pack_rows(pack, LAKE_ZONE_SUMS);
    if (!rows || !lake_zone_sums_read(rows + cached->found.record * LAKE_PACK_ROW, &sums))
        return LAKE_OK;
    LAKE_TRY(plan_maker_get(plan, w, spec, &maker, err));
    lake_arena_reset(&w->scratch);
    if (!lake_facts_of_zones(maker->maker, pack, cached->found.record, &w->scratch, w->facts))
        return lake_fail_memory(err);
    if (lake_bound_evaluate(plan->bound, w->facts) & LAKE_T) {
        LAKE_TRY(plan_cached_candidates(plan, w, maker, cached, candidates, err));
        if (!candidates->may || candidates->n)
            return LAKE_OK;
    }
    *pruned = true;
    m->scanned = true;
    m->skipped_files += sums.live;
    m->scanned_bytes = lake_total_add(m->scanned_bytes, sums.bytes);
    return LAKE_OK;
}

/* All entries of a manifest, in the worker's image arena. */
static lake_status read_all(lake_plan *plan, plan_worker *w, const lake_manifest_file *line, const lake_spec *spec,
    lake_buffer *entries, lake_error *err) {
    lake_manifest_want all = {.all_columns = true, .rest = true};
    lake_manifest_reader *reader;
    LAKE_TRY(
        lake_manifest_open_pooled(w->pool, &plan->table->session->store, line->path, line, spec, &all, &reader, err));
    lake_status s = LAKE_OK;
    if (lake_manifest_size(reader) != (uint64_t)line->length)
        s = lake_fail(err, LAKE_ERR_MALFORMED, "the manifest is not as long as its list says");
    while (s == LAKE_OK) {
        const lake_entry *e;
        s = lake_manifest_next(reader, &e, err);
        if (s != LAKE_OK || !e)
            break;
        lake_entry copy = *e;
        if (!lake_entry_copy(&w->image_arena, &all, &copy))
            s = lake_fail_memory(err);
        lake_buffer_put(entries, &copy, sizeof copy);
        if (entries->failed || w->image_arena.used > MOST_BYTES)
            s = lake_fail_memory(err);
    }
    lake_manifest_close(reader);
    return s;
}

/* Reads a manifest into an image in the worker's buffer, and keeps it. False: it cannot be. */
static bool make(lake_plan *plan, plan_worker *w, const lake_manifest_file *line, const lake_spec *spec, lake_bytes key,
    lake_buffer *entries) {
    lake_pack_row rows[MOST_ROWS];
    lake_buffer_reset(&w->image);
    if (read_all(plan, w, line, spec, entries, NULL) != LAKE_OK)
        return false;
    const lake_entry *list = (const lake_entry *)(const void *)entries->data;
    size_t n = entries->len / sizeof *list;
    if (lake_image_write(list, n, &w->image, NULL) != LAKE_OK)
        return false;
    size_t nrows = lake_zones_make(list, n, plan->planning.schema, rows, MOST_ROWS);
    (void)lake_manifest_keep(plan->cached, key, lake_bytes_of(lake_buffer_view(&w->image)), rows, nrows);
    return true; /* it is planned from the image, kept or not */
}

void plan_cached_open(lake_plan *plan, plan_worker *w, const lake_manifest_file *line, const plan_maker *maker,
    const plan_cached *cached, bool all, lake_image **out, bool *deep) {
    const size_t ncolumns = maker->ncolumns + maker->nequality_columns;
    const lake_image_parts parts = all ? LAKE_IMAGE_EVERYTHING : LAKE_IMAGE_ENTRIES;
    *out = NULL;
    *deep = false;
    if (!cached->key.ptr)
        return;
    if (cached->found.pack)
        *out = lake_image_open(&w->image_arena, lake_pack_value(cached->found.pack, cached->found.record),
            maker->columns, ncolumns, parts);
    if (cached->found.pack && !*out)
        lake_manifest_spoiled(plan->cached, &cached->found);
    if (*out || !lake_manifest_keeps(plan->cached))
        return;
    lake_buffer entries;
    lake_buffer_init(&entries);
    *deep = true;
    if (make(plan, w, line, maker->spec, cached->key, &entries))
        *out = lake_image_open(
            &w->image_arena, lake_bytes_of(lake_buffer_view(&w->image)), maker->columns, ncolumns, parts);
    lake_buffer_clear(&entries);
}
