/* lake_list_write: a manifest list that nothing refers to yet. */
#include "manifest/summary.h"
#include "writer/manifest_files.h"
#include "writer/manifest_target.h"

/* The current snapshot's lines (if asked for), then those of the manifests given, newest last. */
static lake_status read_lines(lake_session *session, const lake_list_options *options, lake_arena *arena,
    lake_manifest_file **out, size_t *n, lake_error *err) {
    const lake_metadata *m = options->table->metadata;
    lake_manifest_file *current = NULL, *lines;
    size_t ncurrent = 0;
    if (options->append && m->snapshot)
        LAKE_TRY(lake_table_manifests(options->table, m->snapshot, arena, &current, &ncurrent, err));
    lines = LAKE_ARENA_ARRAY(arena, lake_manifest_file, ncurrent + options->nmanifests);
    if (!lines)
        return lake_fail_memory(err);
    for (size_t i = 0; i < ncurrent; i++) {
        lines[i] = current[i];
        if (m->format_version > 1)
            LAKE_TRY(lake_manifest_line_complete(&session->store, arena, m, &lines[i], err));
    }
    for (size_t i = 0; i < options->nmanifests; i++) {
        lake_manifest_file *line = &lines[ncurrent + i];
        LAKE_TRY(lake_manifest_line_read(&session->store, arena, m, lake_str_of(options->manifests[i]), line, err));
        LAKE_TRY(lake_location_recorded(&session->store, arena, options->manifests[i], &line->path, err));
        for (size_t k = 0; k < ncurrent + i; k++)
            if (lake_str_eq(lines[k].path, line->path))
                return lake_fail(err, LAKE_ERR_USAGE, "%.*s: is in the list twice", LAKE_ARG(line->path));
    }
    *out = lines;
    *n = ncurrent + options->nmanifests;
    return LAKE_OK;
}

static lake_status list_options(
    const lake_list_options *options, lake_manifest_list_options *out, lake_arena *arena, lake_error *err) {
    const lake_metadata *m = options->table->metadata;
    *out = (lake_manifest_list_options){
        .format_version = m->format_version,
        .snapshot_id = options->snapshot_id,
        .has_parent = m->snapshot != NULL,
        .parent_snapshot_id = m->snapshot ? m->snapshot->id : 0,
        .sequence_number = m->format_version > 1 ? m->last_sequence_number + 1 : 0,
        .has_first_row_id = m->format_version > 2,
        .first_row_id = m->next_row_id,
    };
    do {
        if (!options->has_snapshot_id)
            LAKE_TRY(lake_snapshot_id_draw(&out->snapshot_id, err));
        else if (lake_metadata_snapshot(m, options->snapshot_id))
            return lake_fail(err, LAKE_ERR_USAGE, "snapshot id %lld: the table has this snapshot already",
                (long long)options->snapshot_id);
    } while (lake_metadata_snapshot(m, out->snapshot_id));
    const lake_manifest_options from = LAKE_MANIFEST_OPTIONS_INIT;
    lake_manifest_target target;
    LAKE_TRY(lake_manifest_target_init(arena, &from, m, &target, err));
    out->codec = target.codec;
    out->level = target.level;
    return LAKE_OK;
}

static void print_list(lake_buffer *out, lake_str path, size_t length, const lake_manifest_list_options *o,
    const lake_manifest_file *lines, size_t n) {
    int64_t files[3] = {0}, rows[3] = {0};
    for (size_t i = 0; i < n; i++) {
        files[0] = lake_total_add(files[0], lines[i].added_files);
        files[1] = lake_total_add(files[1], lines[i].existing_files);
        files[2] = lake_total_add(files[2], lines[i].deleted_files);
        rows[0] = lake_total_add(rows[0], lines[i].added_rows);
        rows[1] = lake_total_add(rows[1], lines[i].existing_rows);
        rows[2] = lake_total_add(rows[2], lines[i].deleted_rows);
    }
    lake_buffer_puts(out, "{\"manifest-list\":");
    lake_json_quote(out, path);
    lake_buffer_printf(out, ",\"length\":%zu,\"snapshot-id\":%lld,\"sequence-number\":%lld,\"manifests\":%zu", length,
        (long long)o->snapshot_id, (long long)o->sequence_number, n);
    static const char *const names[] = {"added", "existing", "deleted"};
    for (int i = 0; i < 3; i++)
        lake_buffer_printf(out, ",\"%s-files-count\":%lld,\"%s-rows-count\":%lld", names[i], (long long)files[i],
            names[i], (long long)rows[i]);
    lake_buffer_puts(out, "}\n");
}

static lake_status create(lake_session *session, const lake_list_options *options, const lake_manifest_list_options *o,
    const lake_manifest_file *lines, size_t n, lake_arena *arena, lake_buffer *list, lake_buffer *text,
    lake_error *err) {
    lake_str path, at = lake_str_of(options->output);
    LAKE_TRY(lake_location_recorded(&session->store, arena, options->output, &path, err));
    LAKE_TRY(lake_manifest_list_write(o, lines, n, list, NULL, err));
    print_list(text, path, list->len, o, lines, n);
    LAKE_TRY(lake_buffer_check(text, err));
    return lake_store_create(&session->store, at, lake_bytes_of(lake_buffer_view(list)), err);
}

static lake_status write_list(lake_session *session, const lake_list_options *options, const lake_sink *sink,
    lake_arena *arena, lake_error *err) {
    lake_manifest_file *lines = NULL;
    size_t n = 0;
    lake_manifest_list_options o;
    LAKE_TRY(list_options(options, &o, arena, err));
    LAKE_TRY(read_lines(session, options, arena, &lines, &n, err));
    lake_buffer list, text;
    lake_buffer_init(&list);
    lake_buffer_init(&text);
    lake_status status = create(session, options, &o, lines, n, arena, &list, &text, err);
    if (status == LAKE_OK && sink) {
        status = sink->write(sink->user, text.data, text.len, err);
        if (status != LAKE_OK) {
            lake_status ignored = lake_store_remove(&session->store, lake_str_of(options->output), NULL);
            (void)ignored;
        }
    }
    lake_buffer_clear(&list);
    lake_buffer_clear(&text);
    return status;
}

lake_status lake_list_write(
    lake_session *session, const lake_list_options *options, const lake_sink *sink, lake_error *err) {
    if (options->version != LAKE_LIST_OPTIONS_VERSION)
        return lake_fail(err, LAKE_ERR_USAGE, "lake_list_options: version %u is not known", options->version);
    if (!options->table || !options->output || !*options->output)
        return lake_fail(err, LAKE_ERR_USAGE, "a manifest list needs a table and a location");
    if (options->has_snapshot_id && options->snapshot_id < 0)
        return lake_fail(
            err, LAKE_ERR_USAGE, "snapshot id %lld: must not be negative", (long long)options->snapshot_id);
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_status status = write_list(session, options, sink, &arena, err);
    lake_arena_clear(&arena);
    return status;
}
