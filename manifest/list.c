/* Manifest lists (spec.md, "Manifest Lists"; cases I3, I4, I5, I8). Counts that are absent stay absent: that means
 * "some". */
#include "manifest/slots.h"

typedef struct list_reader {
    lake_arena *arena;
    lake_avro_reader avro;
    lake_program program;
    lake_run run;
    lake_buffer decoded, lines;
    lake_codec_scratch *scratch;
} list_reader;

static bool keep_bytes(lake_arena *arena, lake_bytes *b) {
    if (b->ptr)
        *b = lake_arena_bytes(arena, b->ptr, b->len);
    return true;
}

static lake_status keep(list_reader *r, lake_manifest_file *line, lake_error *err) {
    bool have_key = line->key_metadata.ptr;
    line->path = lake_arena_str(r->arena, line->path.ptr, line->path.len);
    keep_bytes(r->arena, &line->key_metadata);
    line->npartitions = r->run.summaries.len / sizeof(lake_field_summary);
    lake_field_summary *summaries = LAKE_ARENA_ARRAY(r->arena, lake_field_summary, line->npartitions);
    if (!line->path.ptr || (have_key && !line->key_metadata.ptr) || !summaries)
        return lake_fail_memory(err);
    if (r->run.summaries.len)
        memcpy(summaries, r->run.summaries.data, r->run.summaries.len);
    for (size_t i = 0; i < line->npartitions; i++) {
        bool lower = summaries[i].lower.ptr, upper = summaries[i].upper.ptr;
        keep_bytes(r->arena, &summaries[i].lower);
        keep_bytes(r->arena, &summaries[i].upper);
        if ((lower && !summaries[i].lower.ptr) || (upper && !summaries[i].upper.ptr))
            return lake_fail_memory(err);
    }
    line->partitions = summaries;
    return LAKE_OK;
}

static lake_status read_line(list_reader *r, lake_cursor *objects, lake_error *err) {
    lake_manifest_file line = {0};
    lake_run *run = &r->run;
    run->at = objects->at;
    run->end = objects->end;
    run->has = 0;
    lake_buffer_reset(&run->summaries);
    if (!lake_program_run(run, &r->program, &line))
        return lake_run_error(run, objects->begin, err);
    objects->at = run->at;
    line.has = run->has;
    if (line.content > 1)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "field 517 content is %u", line.content);
    LAKE_TRY(keep(r, &line, err));
    lake_buffer_put(&r->lines, &line, sizeof line);
    return lake_buffer_check(&r->lines, err);
}

static lake_status read_blocks(list_reader *r, lake_error *err) {
    uint64_t number = 0;
    for (;;) {
        bool more;
        uint64_t count;
        lake_cursor objects;
        LAKE_TRY(lake_avro_next_block(&r->avro, r->scratch, &r->decoded, &more, &count, &objects, err));
        if (!more)
            return LAKE_OK;
        for (; count > 0; count--, number++)
            LAKE_TRY_WRAP(read_line(r, &objects, err), err, "line %llu", (unsigned long long)number);
        if (lake_cursor_left(&objects))
            return lake_fail(err, LAKE_ERR_MALFORMED, "block %zu: %zu bytes are left after its last object",
                r->avro.block, lake_cursor_left(&objects));
    }
}

static lake_status read_list(
    list_reader *r, uint64_t limit, lake_bytes data, lake_manifest_file **out, size_t *n, lake_error *err) {
    r->scratch = lake_codec_scratch_new();
    if (!r->scratch)
        return lake_fail_memory(err);
    LAKE_TRY(lake_avro_open(r->arena, data, &r->avro, err));
    if (limit && limit < r->avro.max_block)
        r->avro.max_block = (size_t)limit;
    LAKE_TRY(lake_program_compile(r->arena, r->avro.schema, lake_line_slots, lake_line_nslots, NULL, &r->program, err));
    r->run.groups = LAKE_GROUP_ALWAYS;
    LAKE_TRY(read_blocks(r, err));
    *n = r->lines.len / sizeof(lake_manifest_file);
    *out = LAKE_ARENA_ARRAY(r->arena, lake_manifest_file, *n);
    if (!*out)
        return lake_fail_memory(err);
    if (*n)
        memcpy(*out, r->lines.data, r->lines.len);
    return LAKE_OK;
}

lake_status lake_manifest_list_read(const lake_store *store, lake_arena *arena, lake_str location,
    lake_manifest_file **out, size_t *n, lake_error *err) {
    lake_blob blob;
    list_reader r = {.arena = arena};
    LAKE_TRY(lake_store_read(store, location, &blob, err));
    lake_status s = read_list(&r, store->max_file, (lake_bytes){blob.data, blob.size}, out, n, err);
    lake_run_clear(&r.run);
    lake_buffer_clear(&r.decoded);
    lake_buffer_clear(&r.lines);
    lake_codec_scratch_free(r.scratch);
    lake_blob_clear(&blob);
    return lake_wrap(err, s, "%.*s", LAKE_ARG(location));
}
