/* Reading the current metadata of a table, by file or by directory. */
#include "catalog/directory_internal.h"

static lake_status load_file(
    const lake_store *store, lake_arena *arena, lake_str at, lake_metadata **metadata, lake_error *err) {
    lake_str name = lake_arena_str(arena, at.ptr, at.len);
    if (!name.ptr)
        return lake_fail_memory(err);
    lake_blob blob;
    LAKE_TRY(lake_store_read(store, at, &blob, err));
    lake_status s =
        lake_metadata_read_within(arena, (lake_bytes){blob.data, blob.size}, store->max_file, name.ptr, metadata, err);
    lake_blob_clear(&blob);
    return s;
}

/* Several files of one number, none of them named by a hint: the one that was written last. */
static lake_status load_newest(lake_directory_search *s, lake_metadata **metadata, lake_error *err) {
    bool even = false;
    *metadata = NULL;
    for (size_t i = 0; i < s->nties; i++) {
        lake_metadata *m;
        lake_str at = lake_directory_place(s->arena, s->directory, s->ties[i]);
        if (!at.ptr)
            return lake_fail_memory(err);
        LAKE_TRY(load_file(s->store, s->arena, at, &m, err));
        even = *metadata && m->last_updated_ms == (*metadata)->last_updated_ms;
        if (*metadata && m->last_updated_ms <= (*metadata)->last_updated_ms)
            continue;
        *metadata = m;
        s->found = at;
    }
    if (even)
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "%.*s: several metadata files have the number %lld, and nothing says which is current: name the file",
            LAKE_ARG(s->directory), (long long)s->version);
    return LAKE_OK;
}

static bool names_a_file(const lake_store *store, lake_str location) {
    size_t cut = location.len;
    int64_t version;
    while (cut && location.ptr[cut - 1] != '/')
        cut--;
    lake_str name = {location.ptr + cut, location.len - cut};
    return lake_metadata_name_parse(name, &version) != LAKE_NAME_OTHER || lake_store_exists(store, location);
}

static lake_status load_by_file(const lake_store *store, lake_arena *arena, lake_str location, lake_table_pointer *at,
    lake_metadata **metadata, lake_error *err) {
    size_t cut = location.len;
    while (cut && location.ptr[cut - 1] != '/')
        cut--;
    at->directory = (lake_str){NULL, 0};
    lake_metadata_name_parse((lake_str){location.ptr + cut, location.len - cut}, &at->version);
    at->metadata_location = lake_arena_str(arena, location.ptr, location.len);
    if (!at->metadata_location.ptr)
        return lake_fail_memory(err);
    return load_file(store, arena, at->metadata_location, metadata, err);
}

static lake_status load_by_directory(const lake_store *store, lake_arena *arena, lake_str location,
    lake_table_pointer *at, lake_metadata **metadata, lake_error *err) {
    lake_directory_search s = {.store = store, .arena = arena, .directory = location};
    LAKE_TRY(lake_directory_search_run(&s, err));
    lake_status st =
        s.nties > 1 && !s.hinted ? load_newest(&s, metadata, err) : load_file(store, arena, s.found, metadata, err);
    at->directory = lake_arena_str(arena, location.ptr, location.len);
    at->metadata_location = s.found;
    at->version = s.version;
    return st == LAKE_OK && !at->directory.ptr ? lake_fail_memory(err) : st;
}

lake_status lake_directory_load(const lake_store *store, lake_arena *arena, lake_str location, lake_table_pointer *at,
    lake_metadata **metadata, lake_error *err) {
    lake_str path;
    LAKE_TRY(lake_store_resolve(store, arena, location, &path, err));
    if (names_a_file(store, location))
        return load_by_file(store, arena, location, at, metadata, err);
    while (location.len > 1 && location.ptr[location.len - 1] == '/')
        location.len--;
    /* A file may be expired between being found and being read: then there is a newer one. */
    lake_status s = LAKE_OK;
    for (int i = 0; i < 3; i++) {
        s = load_by_directory(store, arena, location, at, metadata, err);
        if (s != LAKE_ERR_NOT_FOUND)
            break;
    }
    return s;
}
