/* The manifests of a snapshot, by its list or (v1) by name. A list that is missing is reported with its snapshot. */
#include "reader/table.h"

/* A v1 snapshot that names its manifests. */
static lake_status manifests_named(const lake_table *table, const lake_snapshot *snapshot, lake_arena *arena,
    lake_manifest_file **out, size_t *n, lake_error *err) {
    *out = LAKE_ARENA_ARRAY(arena, lake_manifest_file, snapshot->nmanifests + 1);
    if (!*out)
        return lake_fail_memory(err);
    for (size_t i = 0; i < snapshot->nmanifests; i++)
        LAKE_TRY_WRAP(
            lake_manifest_file_from_header(&table->session->store, arena, snapshot->manifests[i], &(*out)[i], err), err,
            "snapshot %lld", (long long)snapshot->id);
    *n = snapshot->nmanifests;
    return LAKE_OK;
}

lake_status lake_table_manifests(const lake_table *table, const lake_snapshot *snapshot, lake_arena *arena,
    lake_manifest_file **out, size_t *n, lake_error *err) {
    *out = NULL;
    *n = 0;
    if (!snapshot)
        return LAKE_OK;
    if (!snapshot->manifest_list.ptr)
        return manifests_named(table, snapshot, arena, out, n, err);
    LAKE_TRY_WRAP(lake_manifest_list_read(&table->session->store, arena, snapshot->manifest_list, out, n, err), err,
        "the manifest list of snapshot %lld", (long long)snapshot->id);
    return LAKE_OK;
}
