/* A sorted array: sets are made once and asked for every live file. */
#include "writer/file_set.h"

#include <stdlib.h>

#include "writer/manifest_files.h"

static int compare(const void *a, const void *b) {
    return lake_bytes_cmp(lake_bytes_of(*(const lake_str *)a), lake_bytes_of(*(const lake_str *)b));
}

lake_status lake_file_set_init(
    lake_file_set *set, lake_arena *arena, const lake_str *paths, size_t n, lake_error *err) {
    *set = (lake_file_set){LAKE_ARENA_ARRAY(arena, lake_str, n), LAKE_ARENA_ARRAY(arena, uint8_t, n), 0};
    if (!set->paths || !set->met)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        set->paths[i] = lake_location_path(paths[i]);
    if (n)
        qsort(set->paths, n, sizeof *set->paths, compare);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || !lake_str_eq(set->paths[i], set->paths[set->n - 1]))
            set->paths[set->n++] = set->paths[i];
    return LAKE_OK;
}

static bool find(const lake_file_set *set, lake_str path, size_t *at) {
    lake_str key = lake_location_path(path);
    lake_str *found = set->n ? bsearch(&key, set->paths, set->n, sizeof key, compare) : NULL;
    if (found)
        *at = (size_t)(found - set->paths);
    return found;
}

bool lake_file_set_has(const lake_file_set *set, lake_str path) {
    size_t at;
    return find(set, path, &at);
}

bool lake_file_set_meet(const lake_file_set *set, lake_str path) {
    size_t at;
    if (!find(set, path, &at))
        return false;
    __atomic_store_n(&set->met[at], 1, __ATOMIC_RELAXED);
    return true;
}

void lake_file_set_forget(const lake_file_set *set) {
    if (set->n)
        memset(set->met, 0, set->n);
}

lake_str lake_file_set_missing(const lake_file_set *set, size_t *n) {
    lake_str first = {NULL, 0};
    *n = 0;
    for (size_t i = 0; i < set->n; i++)
        if (!set->met[i] && ++*n == 1)
            first = set->paths[i];
    return first;
}
