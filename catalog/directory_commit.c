/* The atomic step from vN to v(N+1): the file is created under its final name by an exclusive link, so that of several
   writers one wins and the others get CONFLICT. The version hint follows and is only a help. */
#include <stdio.h>

#include "catalog/directory_internal.h"

static lake_status version_name(const lake_store *store, lake_arena *arena, lake_str directory, int64_t version,
    bool gzip, lake_str *out, lake_error *err) {
    lake_str name =
        lake_arena_printf(arena, "v%lld%s", (long long)version, gzip ? ".gz.metadata.json" : ".metadata.json");
    *out = name.ptr ? lake_directory_place(arena, directory, name) : name;
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

static bool is_gzip(lake_bytes b) {
    return b.len > 2 && b.ptr[0] == 0x1f && b.ptr[1] == 0x8b;
}

static lake_status conflict(lake_error *err, lake_str directory, int64_t version, bool fresh) {
    if (fresh)
        return lake_fail(err, LAKE_ERR_EXISTS, "%.*s: there is a table already", LAKE_ARG(directory));
    return lake_fail(err, LAKE_ERR_CONFLICT, "%.*s: another commit made version %lld first", LAKE_ARG(directory),
        (long long)version);
}

/* The base must still be the current version, or a number that has been used and removed could be used again. */
static lake_status check_base(
    const lake_store *store, lake_arena *arena, lake_str directory, const lake_table_pointer *base, lake_error *err) {
    lake_directory_search s = {.store = store, .arena = arena, .directory = directory};
    lake_status st = lake_directory_search_run(&s, err);
    if (!base && st == LAKE_ERR_NOT_FOUND)
        return LAKE_OK;
    LAKE_TRY(st);
    if (!base || s.version != base->version)
        return conflict(err, directory, s.version, !base);
    int64_t version;
    size_t cut = s.found.len;
    while (cut && s.found.ptr[cut - 1] != '/')
        cut--;
    lake_str name = {s.found.ptr + cut, s.found.len - cut};
    if (lake_metadata_name_parse(name, &version) != LAKE_NAME_V && !s.hinted)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED,
            "%.*s: %.*s is a metastore's file: the table belongs to a catalog, and a commit past it would fork the "
            "table",
            LAKE_ARG(directory), LAKE_ARG(name));
    return LAKE_OK;
}

lake_status lake_directory_take_turn(
    const lake_store *store, lake_arena *arena, lake_str directory, lake_store_lock *turn, lake_error *err) {
    lake_str folder = lake_directory_place(arena, directory, LAKE_STR(""));
    turn->fd = -1;
    return folder.ptr ? lake_store_lock_take(store, folder, turn, err) : lake_fail_memory(err);
}

/* A version may have a plain or a gzip name, and an exclusive create guards only one of them: the turn guards both. */
static lake_status create_version(const lake_store *store, lake_arena *arena, lake_str directory, lake_str file,
    lake_str other, lake_bytes metadata, const lake_store_lock *turn, lake_error *err) {
    lake_store_lock own = {-1};
    if (!turn || turn->fd < 0)
        LAKE_TRY(lake_directory_take_turn(store, arena, directory, &own, err));
    lake_status s = lake_store_exists(store, other) ? lake_fail(err, LAKE_ERR_EXISTS, "%.*s exists", LAKE_ARG(other))
                                                    : lake_store_create(store, file, metadata, err);
    lake_store_lock_release(&own);
    return s;
}

lake_status lake_directory_commit(const lake_store *store, lake_arena *arena, lake_str directory,
    const lake_table_pointer *base, lake_bytes metadata, const lake_store_lock *turn, lake_table_pointer *at,
    lake_error *err) {
    bool gzip = is_gzip(metadata);
    int64_t version = base ? base->version + 1 : 1;
    if (base && (base->version < 0 || base->version == INT64_MAX))
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "%.*s: %.*s has no version number to count up from",
            LAKE_ARG(directory), LAKE_ARG(base->metadata_location));
    LAKE_TRY(check_base(store, arena, directory, base, err));
    lake_str other, file, hint;
    LAKE_TRY(version_name(store, arena, directory, version, !gzip, &other, err));
    LAKE_TRY(version_name(store, arena, directory, version, gzip, &file, err));
    hint = lake_directory_place(arena, directory, LAKE_STR("version-hint.text"));
    at->directory = lake_arena_str(arena, directory.ptr, directory.len);
    if (!hint.ptr || !at->directory.ptr)
        return lake_fail_memory(err);
    lake_status s = create_version(store, arena, directory, file, other, metadata, turn, err);
    if (s == LAKE_ERR_EXISTS)
        return conflict(err, directory, version, !base);
    LAKE_TRY(s);
    at->metadata_location = file;
    at->version = version;
    char text[24];
    int n = snprintf(text, sizeof text, "%lld", (long long)version);
    /* The commit is done; a hint that cannot be written is stale, which every reader copes with. */
    s = lake_store_replace(store, hint, (lake_bytes){(const uint8_t *)text, (size_t)n}, NULL);
    (void)s;
    return LAKE_OK;
}

lake_status lake_directory_holds(const lake_store *store, lake_arena *arena, const lake_directory_version *v,
    lake_table_pointer *at, bool *holds, lake_error *err) {
    lake_str file;
    lake_blob blob;
    *holds = false;
    LAKE_TRY(version_name(store, arena, v->directory, v->version, is_gzip(v->metadata), &file, err));
    lake_status s = lake_store_read(store, file, &blob, err);
    if (s == LAKE_ERR_NOT_FOUND)
        return LAKE_OK;
    LAKE_TRY(s);
    *holds = blob.size == v->metadata.len && memcmp(blob.data, v->metadata.ptr, blob.size) == 0;
    lake_blob_clear(&blob);
    at->metadata_location = file;
    at->version = v->version;
    return LAKE_OK;
}
