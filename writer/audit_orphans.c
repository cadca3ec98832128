/* Files below the table's location that no metadata reach: no snapshot of the metadata file that was opened, nor of the
   newest one of the table. Nothing is removed. Where a manifest cannot be read, nothing can be said, and that is said.
 */
#include <stdio.h>

#include "store/walk.h"
#include "writer/audit_internal.h"

typedef struct reach {
    audit *a;
    audit_set files, manifests; /* by path as opened */
    lake_manifest_pool *pool;
    lake_arena scratch, folders;
    lake_str folder, real; /* the last one asked for, and its path */
    const char *obstacle; /* something could not be read: nothing is told */
    char why[1024];
    audit_place place;
} reach;

/* The one path of a file, whatever its folder is called; what stands in a folder that is not there keeps its name. */
static lake_status canonical(reach *r, lake_str location, lake_str *out, lake_error *err) {
    size_t cut = location.len;
    while (cut && location.ptr[cut - 1] != '/')
        cut--;
    lake_str folder = {location.ptr, cut}, name = {location.ptr + cut, location.len - cut};
    if (!cut)
        folder = LAKE_STR(".");
    if (!r->folder.ptr || !lake_str_eq(r->folder, folder)) {
        lake_arena_reset(&r->folders);
        r->folder = (lake_str){0};
        LAKE_TRY(lake_store_real_folder(&r->a->session->store, &r->folders, folder, &r->real, err));
        r->folder = lake_arena_str(&r->folders, folder.ptr, folder.len);
        if (!r->folder.ptr)
            return lake_fail_memory(err);
    }
    lake_str at = r->real.ptr ? r->real : folder;
    *out = lake_arena_printf(&r->scratch, "%.*s/%.*s", LAKE_ARG(at), LAKE_ARG(name));
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

static lake_status add(reach *r, audit_set *set, lake_str location, bool *added, lake_error *err) {
    lake_str path;
    lake_error ignored;
    *added = false;
    lake_error_init(&ignored);
    lake_status status = canonical(r, location, &path, &ignored);
    if (status == LAKE_ERR_NO_MEMORY)
        return lake_fail_memory(err);
    if (status != LAKE_OK)
        return LAKE_OK; /* elsewhere: not below the table's folder */
    return audit_set_add(set, audit_hash_of(lake_bytes_of(path), 0), added) ? LAKE_OK : lake_fail_memory(err);
}

static lake_status add_file(reach *r, lake_str location, lake_error *err) {
    bool added;
    lake_arena_reset(&r->scratch);
    return location.ptr ? add(r, &r->files, location, &added, err) : LAKE_OK;
}

/* ---- what metadata reach */

/* Failures of the machine are passed on; what cannot be read is remembered. */
static lake_status stumble(reach *r, lake_status status, const lake_error *why, lake_error *err) {
    if (status == LAKE_ERR_NO_MEMORY || status == LAKE_ERR_CANCELLED || status == LAKE_ERR_INTERNAL) {
        if (err)
            *err = *why;
        return status;
    }
    if (!r->obstacle) {
        snprintf(r->why, sizeof r->why, "%s", why->message);
        r->obstacle = r->why;
    }
    return LAKE_OK;
}

static lake_status read_manifest(reach *r, const lake_metadata *m, const lake_manifest_file *line, lake_error *err) {
    static const lake_manifest_want little = {0};
    lake_manifest_reader *reader;
    const lake_entry *e;
    lake_error why;
    lake_error_init(&why);
    lake_status status = lake_manifest_open_pooled(
        r->pool, &r->a->session->store, line->path, line, lake_metadata_spec(m, line->spec_id), &little, &reader, &why);
    if (status != LAKE_OK)
        return stumble(r, status, &why, err);
    while (status == LAKE_OK && (status = lake_manifest_next(reader, &e, &why)) == LAKE_OK && e)
        if (e->status != LAKE_ENTRY_DELETED)
            status = add_file(r, e->file_path, &why);
    lake_manifest_close(reader);
    return status == LAKE_OK ? LAKE_OK : stumble(r, status, &why, err);
}

static lake_status read_snapshot(reach *r, const lake_metadata *m, const lake_snapshot *s, lake_error *err) {
    lake_table view = *r->a->table;
    lake_arena arena;
    lake_manifest_file *lines;
    size_t n;
    lake_error why;
    lake_error_init(&why);
    lake_arena_init(&arena, 0);
    view.metadata = (lake_metadata *)m;
    lake_status status = lake_table_manifests(&view, s, &arena, &lines, &n, &why);
    if (status != LAKE_OK) {
        status = stumble(r, status, &why, err);
        lake_arena_clear(&arena);
        return status;
    }
    status = add_file(r, s->manifest_list, err);
    for (size_t i = 0; status == LAKE_OK && i < n; i++) {
        bool added = false;
        lake_arena_reset(&r->scratch);
        status = add(r, &r->manifests, lines[i].path, &added, err);
        if (status == LAKE_OK && added)
            status = add_file(r, lines[i].path, err);
        if (status == LAKE_OK && added)
            status = read_manifest(r, m, &lines[i], err);
    }
    lake_arena_clear(&arena);
    return status;
}

static lake_status add_statistics(reach *r, const lake_json *list, lake_error *err) {
    for (size_t i = 0; lake_json_is(list, LAKE_JSON_ARRAY) && i < list->count; i++) {
        const lake_json *path = lake_json_find(list->items[i], "statistics-path");
        if (lake_json_is(path, LAKE_JSON_STRING))
            LAKE_TRY(add_file(r, path->text, err));
    }
    return LAKE_OK;
}

static lake_status read_metadata(reach *r, const lake_metadata *m, lake_str location, lake_error *err) {
    LAKE_TRY(add_file(r, location, err));
    for (size_t i = 0; i < m->nmetadata_log; i++)
        LAKE_TRY(add_file(r, m->metadata_log[i].metadata_file, err));
    LAKE_TRY(add_statistics(r, m->statistics, err));
    LAKE_TRY(add_statistics(r, m->partition_statistics, err));
    for (size_t i = 0; i < m->nsnapshots && !r->obstacle; i++) {
        LAKE_TRY(read_snapshot(r, m, &m->snapshots[i], err));
        LAKE_TRY(audit_tick(r->a, "snapshots", i + 1, m->nsnapshots, err));
    }
    return LAKE_OK;
}

/* The newest metadata of the table's folder, if it is another file than the one opened. */
static lake_status read_newest(reach *r, lake_error *err) {
    audit *a = r->a;
    lake_arena arena;
    lake_table_pointer at;
    lake_metadata *m;
    lake_arena_init(&arena, 0);
    lake_status status = lake_directory_load(&a->session->store, &arena, a->table->metadata->location, &at, &m, NULL);
    if (status == LAKE_OK && !lake_store_same(&a->session->store, at.metadata_location, a->table->at.metadata_location))
        status = read_metadata(r, m, at.metadata_location, err);
    else if (status == LAKE_ERR_NO_MEMORY)
        lake_fail_memory(err);
    else
        status = LAKE_OK; /* no directory of its own, or the same */
    lake_arena_clear(&arena);
    return status;
}

/* ---- what is there */

static bool is_hint(lake_str name) {
    return lake_str_is(name, "version-hint.text");
}

static lake_status tell(reach *r, const lake_walk_file *file, int64_t now, lake_error *err) {
    int64_t changed;
    audit_draft d = {.f = {.verdict = LAKE_AUDIT_ORPHAN,
                         .rank = 6,
                         .kind = LAKE_STR("orphan"),
                         .file = file->path,
                         .field_id = -1,
                         .size = (int64_t)file->size,
                         .age_ms = -1}};
    d.f.order[0] = UINT64_MAX;
    d.f.order[1] = r->place.serial++;
    lake_status status = lake_store_modified(&r->a->session->store, file->path, &changed, NULL);
    if (status == LAKE_ERR_NO_MEMORY)
        return lake_fail_memory(err);
    if (status == LAKE_OK)
        d.f.age_ms = changed < now ? now - changed : 0;
    return audit_emit(r->a, &d, err);
}

static lake_status compare(reach *r, const lake_walk *walk, lake_error *err) {
    int64_t now = lake_now_ms();
    for (size_t i = 0; i < walk->nfiles; i++) {
        lake_str path;
        lake_arena_reset(&r->scratch);
        LAKE_TRY(canonical(r, walk->files[i].path, &path, err));
        if (is_hint(walk->files[i].name) || audit_set_has(&r->files, audit_hash_of(lake_bytes_of(path), 0)))
            continue;
        LAKE_TRY(tell(r, &walk->files[i], now, err));
    }
    return LAKE_OK;
}

static lake_status walk_table(reach *r, lake_error *err) {
    audit *a = r->a;
    lake_walk walk = {0};
    lake_error why;
    lake_error_init(&why);
    lake_walk_options o = {.threads = a->session->threads};
    lake_status status = lake_store_walk(&a->session->store, &a->table->metadata->location, 1, &o, &walk, &why);
    if (status == LAKE_OK)
        status = compare(r, &walk, err);
    else
        status = stumble(r, status, &why, err);
    lake_walk_clear(&walk);
    return status;
}

static lake_status run(reach *r, lake_error *err) {
    audit *a = r->a;
    LAKE_TRY(read_metadata(r, a->table->metadata, a->table->at.metadata_location, err));
    LAKE_TRY(read_newest(r, err));
    if (!r->obstacle)
        LAKE_TRY(walk_table(r, err));
    if (!r->obstacle)
        return LAKE_OK;
    const audit_simple s = {
        .verdict = LAKE_AUDIT_UNCHECKED, .kind = "orphans", .found = r->obstacle, .effect = "orphans cannot be told"};
    return audit_say(a, &r->place, &s, err);
}

lake_status audit_orphans(audit *a, lake_error *err) {
    reach r = {.a = a, .pool = lake_manifest_pool_new(), .place = {.line = UINT64_MAX}};
    if (!r.pool)
        return lake_fail_memory(err);
    lake_arena_init(&r.scratch, 0);
    lake_arena_init(&r.folders, 0);
    lake_status status = run(&r, err);
    audit_set_clear(&r.files);
    audit_set_clear(&r.manifests);
    lake_manifest_pool_free(r.pool);
    lake_arena_clear(&r.scratch);
    lake_arena_clear(&r.folders);
    return status;
}
