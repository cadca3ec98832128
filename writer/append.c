/* `append`: data files become entries and manifests (writer/manifest_files.h), then a commit. */
#include "writer/append.h"

#include "writer/manifest_files.h"

static lake_status count(const lake_manifest_files *files, lake_arena *arena, lake_changes *summary, lake_error *err) {
    for (size_t i = 0; i < files->nentries; i++)
        LAKE_TRY(lake_changes_add(summary, arena, &files->entries[i], files->spec->id, err));
    return LAKE_OK;
}

lake_status lake_appending_make(void *user, const lake_metadata *m, int64_t snapshot_id, bool dry_run,
    lake_arena *arena, lake_manifest_file **lines, size_t *n, lake_changes *summary, lake_error *err) {
    lake_appending *a = user;
    lake_manifest_files files;
    char uuid[37];
    lake_str name, place;
    *lines = NULL;
    *n = 0;
    LAKE_TRY(lake_manifest_files_build(a->session, a->options, m, arena, &files, err));
    for (size_t i = 0; i < files.nentries && a->has_sequence_number && m->format_version > 1; i++) {
        files.entries[i].sequence_number = a->sequence_number;
        files.entries[i].has |= LAKE_HAS_SEQUENCE_NUMBER;
    }
    LAKE_TRY(count(&files, arena, summary, err));
    a->sketches = files.sketches;
    a->nsketches = files.nsketches;
    if (dry_run)
        return LAKE_OK;
    LAKE_TRY(lake_uuid_draw(uuid, err));
    name = lake_arena_printf(arena, "%s-m0.avro", uuid);
    if (!name.ptr)
        return lake_fail_memory(err);
    LAKE_TRY(lake_metadata_place(arena, m, name, &place, err));
    LAKE_TRY(lake_manifest_files_write(
        a->session, &files, true, snapshot_id, place.ptr, a->options->target_size, arena, lines, n, err));
    for (size_t i = 0; i < *n; i++)
        if (!lake_path_list_add(&a->made, &a->names, (*lines)[i].path)) {
            for (size_t k = i; k < *n; k++) {
                lake_status s = lake_store_remove(&a->session->store, (*lines)[k].path, NULL);
                (void)s;
            }
            lake_path_list_remove(&a->made, &a->session->store);
            return lake_fail_memory(err);
        }
    return LAKE_OK;
}

void lake_appending_forget(void *user) {
    lake_appending *a = user;
    lake_path_list_remove(&a->made, &a->session->store);
}

lake_status lake_appending_init(
    lake_appending *a, lake_session *session, const lake_manifest_options *options, lake_error *err) {
    *a = (lake_appending){.session = session, .options = options};
    lake_arena_init(&a->names, 0);
    if (!options || options->nfiles == 0)
        return lake_fail(err, LAKE_ERR_USAGE, "no files to append");
    if (options->content != LAKE_CONTENT_DATA)
        return lake_fail(err, LAKE_ERR_USAGE, "only data files can be appended");
    return LAKE_OK;
}

void lake_appending_clear(lake_appending *a) {
    lake_arena_clear(&a->names);
}

static bool has_rows(const lake_base *base) {
    for (size_t i = 0; i < base->nlines; i++) {
        const lake_manifest_file *l = &base->lines[i];
        bool counted = (l->has & LAKE_HAS_ADDED_FILES) && (l->has & LAKE_HAS_EXISTING_FILES);
        if (l->content == 0 && (!counted || l->added_files + l->existing_files > 0))
            return true;
    }
    return false;
}

/* Statistics are those of the whole table: the new rows' alone where it has no others, else joined with what the parent
   snapshot's say. */
static lake_status statistics(void *user, const lake_base *base, const lake_new_snapshot *s, bool dry_run,
    lake_json **entry, lake_str *file, lake_error *err) {
    const lake_appending *a = user;
    const lake_store *store = &base->table->session->store;
    lake_ndv_sketch *joined = (lake_ndv_sketch *)a->sketches;
    size_t n = a->nsketches;
    char uuid[37];
    lake_str name, place;
    if (base->parent && has_rows(base))
        LAKE_TRY(lake_statistics_join(
            store, base->metadata, base->parent, base->arena, a->sketches, a->nsketches, &joined, &n, err));
    if (dry_run)
        return LAKE_OK;
    LAKE_TRY(lake_uuid_draw(uuid, err));
    name = lake_arena_printf(base->arena, "%lld-%s.stats", (long long)s->id, uuid);
    if (!name.ptr)
        return lake_fail_memory(err);
    LAKE_TRY(lake_metadata_place(base->arena, base->metadata, name, &place, err));
    LAKE_TRY(lake_statistics_write(store, place, place, s->id, s->sequence_number, joined, n, base->arena, entry, err));
    *file = place;
    return LAKE_OK;
}

lake_status lake_table_append(lake_table *table, const lake_manifest_options *files, const lake_commit_options *options,
    const lake_sink *sink, lake_error *err) {
    lake_appending a;
    lake_status s = lake_appending_init(&a, table->session, files, err);
    lake_commit_source source = {.user = &a, .make = lake_appending_make, .forget = lake_appending_forget};
    if (s == LAKE_OK && files->ndv_columns)
        source.statistics = statistics;
    if (s == LAKE_OK)
        s = lake_commit_run(table, &source, options, sink, err);
    lake_appending_clear(&a);
    return s;
}
