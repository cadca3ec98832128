/* The kinds of facts in a cache, for callers who look after it. */
#include "lake/cache.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/table.h"

static const char *const names[] = {LAKE_CACHE_FOOTERS};

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
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lake_cache_use use;
        lake_status s = clear ? lake_cache_remove(folder, names[i], &use, err)
                              : lake_cache_look(folder, names[i], verify, &use, err);
        if (s == LAKE_ERR_NOT_FOUND)
            continue;
        LAKE_TRY(s);
        if (*n < room)
            kinds[*n] = (lake_cache_kind){names[i], use.shards, use.records, use.bytes, use.damaged, use.leftovers};
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
