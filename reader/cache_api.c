/* The kinds of facts in a cache, for callers who look after it. */
#include "lake/cache.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/table.h"

static const struct kind {
    const char *name;
    lake_status (*look)(const char *folder, const char *kind, bool verify, lake_cache_use *out, lake_error *err);
    lake_status (*remove)(const char *folder, const char *kind, lake_cache_use *removed, lake_error *err);
} kinds_known[] = {
    {LAKE_CACHE_FOOTERS, lake_cache_look, lake_cache_remove},
    {LAKE_CACHE_MANIFESTS, lake_pack_look, lake_pack_remove},
};

static lake_status check(const char *folder, lake_error *err) {
    struct stat st;
    if (stat(folder, &st) != 0)
        return lake_fail_os(err, errno, "%s: cannot open", folder);
    return S_ISDIR(st.st_mode) ? LAKE_OK : lake_fail_os(err, ENOTDIR, "%s: cannot open", folder);
}

static lake_status each(
    const char *folder, bool clear, bool verify, lake_cache_kind *kinds, size_t room, size_t *n, lake_error *err) {
    *n = 0;
    LAKE_TRY(check(folder, err));
    for (size_t i = 0; i < sizeof kinds_known / sizeof *kinds_known; i++) {
        lake_cache_use use;
        const struct kind *k = &kinds_known[i];
        lake_status s = clear ? k->remove(folder, k->name, &use, err) : k->look(folder, k->name, verify, &use, err);
        if (s == LAKE_ERR_NOT_FOUND)
            continue;
        LAKE_TRY(s);
        if (*n < room)
            kinds[*n] = (lake_cache_kind){k->name, use.shards, use.records, use.bytes, use.damaged, use.leftovers};
        ++*n;
    }
    return LAKE_OK;
}

lake_status lake_cache_stats(
    const char *folder, int verify, lake_cache_kind *kinds, size_t room, size_t *n, lake_error *err) {
    return each(folder, false, verify != 0, kinds, room, n, err);
}

lake_status lake_cache_clear(const char *folder, lake_cache_kind *kinds, size_t room, size_t *n, lake_error *err) {
    LAKE_TRY(each(folder, true, false, kinds, room, n, err));
    (void)rmdir(folder); /* others may keep something there */
    return LAKE_OK;
}
