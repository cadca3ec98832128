/* Folders of packs: names, eviction, and looking after them. Only plain files of the expected names are touched. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/pack_internal.h"

enum { LEFT_BEHIND = 3600, TOUCH_AFTER = 60 }; /* seconds */

static bool is_temporary(const char *name) {
    return strncmp(name, ".pack-", 6) == 0;
}

bool lake_pack_is_name(const char *name) {
    static const char hex[] = "0123456789abcdef";
    return strlen(name) == LAKE_PACK_NAME && strspn(name, hex) == 16 && name[16] == '-' &&
        strspn(name + 17, hex) == 16 && strcmp(name + 33, ".pack") == 0;
}

bool lake_pack_new_name(uint64_t group, char out[LAKE_PACK_NAME + 1]) {
    uint64_t r;
    if (getrandom(&r, sizeof r, 0) != (ssize_t)sizeof r)
        return false;
    snprintf(out, LAKE_PACK_NAME + 1, "%016llx-%016llx.pack", (unsigned long long)group, (unsigned long long)r);
    return true;
}

static bool make_folders(char *path) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    for (char *at = path + 1; errno == ENOENT && (at = strchr(at, '/')); at++) {
        *at = 0;
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *at = '/';
        errno = made ? ENOENT : EACCES;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

int lake_pack_folder(const char *folder, const char *kind, bool make) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, kind) >= (int)sizeof path || (make && !make_folders(path)))
        return -1;
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static DIR *list(int folder) {
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (!dir && copy >= 0)
        close(copy);
    return dir;
}

typedef struct old_pack {
    char name[LAKE_PACK_NAME + 1];
    uint64_t size;
    int64_t used;
} old_pack;

static int by_use(const void *a, const void *b) {
    const old_pack *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

void lake_pack_evict(int folder, uint64_t limit, const char *keep) {
    struct stat st;
    uint64_t sum = 0;
    lake_buffer all;
    lake_buffer_init(&all);
    DIR *dir = list(folder);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        bool left = is_temporary(e->d_name);
        if ((!left && !lake_pack_is_name(e->d_name)) || fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(st.st_mode))
            continue;
        if (left && st.st_mtime < time(NULL) - LEFT_BEHIND)
            unlinkat(folder, e->d_name, 0);
        if (left)
            continue;
        old_pack p = {
            .size = (uint64_t)st.st_size, .used = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
        memcpy(p.name, e->d_name, sizeof p.name);
        sum += p.size;
        if (!keep || strcmp(keep, p.name) != 0)
            lake_buffer_put(&all, &p, sizeof p);
    }
    if (dir)
        closedir(dir);
    old_pack *packs = (old_pack *)(void *)all.data;
    size_t n = all.failed ? 0 : all.len / sizeof *packs;
    if (n)
        qsort(packs, n, sizeof *packs, by_use);
    for (size_t i = 0; i < n && sum > limit; i++)
        if (unlinkat(folder, packs[i].name, 0) == 0 || errno == ENOENT)
            sum -= packs[i].size;
    lake_buffer_clear(&all);
}

void lake_pack_touch(int folder, const char *name) {
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_mtime < time(NULL) - TOUCH_AFTER)
        (void)utimensat(folder, name, NULL, AT_SYMLINK_NOFOLLOW);
}

/* ---- looking after it */
static bool verify_pack(lake_pack *p) {
    bool good = true;
    for (size_t i = 0; i < lake_pack_count(p); i++)
        good = lake_pack_value_good(p, i) && good;
    return good && lake_pack_rows_good(p);
}

static lake_status open_kind(const char *folder, const char *kind, int *out, lake_error *err) {
    *out = lake_pack_folder(folder, kind, false);
    return *out >= 0 ? LAKE_OK : lake_fail_os(err, errno, "%s/%s: cannot list", folder, kind);
}

lake_status lake_pack_look(const char *folder, const char *kind, bool verify, lake_cache_use *out, lake_error *err) {
    struct stat st;
    int fd;
    *out = (lake_cache_use){0};
    LAKE_TRY(open_kind(folder, kind, &fd, err));
    DIR *dir = list(fd);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        out->leftovers += is_temporary(e->d_name);
        if (!lake_pack_is_name(e->d_name) || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        lake_pack *p = lake_pack_open(fd, e->d_name);
        out->shards++;
        out->bytes += (uint64_t)st.st_size;
        out->records += p ? lake_pack_count(p) : 0;
        out->damaged += verify && (!p || !verify_pack(p));
        lake_pack_release(p);
    }
    if (dir)
        closedir(dir);
    close(fd);
    return LAKE_OK;
}

lake_status lake_pack_remove(const char *folder, const char *kind, lake_cache_use *removed, lake_error *err) {
    int fd;
    LAKE_TRY(lake_pack_look(folder, kind, false, removed, err));
    LAKE_TRY(open_kind(folder, kind, &fd, err));
    lake_status s = LAKE_OK;
    DIR *dir = list(fd);
    for (const struct dirent *e; dir && s == LAKE_OK && (e = readdir(dir));)
        if ((is_temporary(e->d_name) || lake_pack_is_name(e->d_name)) && unlinkat(fd, e->d_name, 0) != 0 &&
            errno != ENOENT)
            s = lake_fail_os(err, errno, "%s/%s/%s: cannot remove", folder, kind, e->d_name);
    if (dir)
        closedir(dir);
    close(fd);
    lake_str path = {0};
    lake_arena arena;
    lake_arena_init(&arena, 0);
    path = lake_arena_printf(&arena, "%s/%s", folder, kind);
    if (s == LAKE_OK && path.ptr && rmdir(path.ptr) != 0 && errno != ENOTEMPTY && errno != EEXIST && errno != ENOENT)
        s = lake_fail_os(err, errno, "%s: cannot remove", path.ptr);
    lake_arena_clear(&arena);
    return s;
}
