/* Files of a cache: read whole, written to a temporary name and renamed. Nothing is synced: what a crash tears has no
   valid checksum. Only plain files of the expected names are touched. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/cache_internal.h"

enum { LEFT_BEHIND = 3600 }; /* seconds: no writer takes as long */

/* "00" to "ff" */
static bool is_shard(const char *name) {
    static const char hex[] = "0123456789abcdef";
    return strlen(name) == 2 && strchr(hex, name[0]) && strchr(hex, name[1]);
}

static bool is_temporary(const char *name) {
    return strncmp(name, ".shard-", 7) == 0;
}

static bool read_all(int fd, uint8_t *to, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t got = read(fd, to + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static void read_file(int folder, const char *name, size_t limit, lake_blob *out) {
    struct stat st;
    *out = (lake_blob){0};
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size <= limit) {
        uint8_t *data = lake_mem_alloc((size_t)st.st_size);
        if (data && read_all(fd, data, (size_t)st.st_size))
            *out = (lake_blob){.data = data, .size = (size_t)st.st_size, .owner = data};
        else
            lake_mem_free(data);
    }
    close(fd);
}

void cache_file_read(const lake_cache *c, unsigned shard, lake_blob *out) {
    char name[3];
    *out = (lake_blob){0};
    snprintf(name, sizeof name, "%02x", shard & 0xff);
    int folder = open(c->kind.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    read_file(folder, name, 2 * c->shard_limit + (1 << 20), out);
    close(folder);
}

/* ---- writing */
static void remove_leftovers(int folder, bool all, uint64_t *n) {
    struct stat st;
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (!dir && copy >= 0)
        close(copy);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (is_temporary(e->d_name) && fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            (all || st.st_mtime < time(NULL) - LEFT_BEHIND))
            *n += unlinkat(folder, e->d_name, 0) == 0;
    if (dir)
        closedir(dir);
}

static bool write_all(int fd, lake_bytes data) {
    for (size_t done = 0; done < data.len;) {
        ssize_t put = write(fd, data.ptr + done, data.len - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

static bool make_folders(const char *path) {
    char copy[4096];
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    size_t n = strlen(path);
    if (errno != ENOENT || n >= sizeof copy)
        return false;
    memcpy(copy, path, n + 1);
    for (size_t i = 1; i < n; i++)
        if (copy[i] == '/') {
            copy[i] = 0;
            if (mkdir(copy, 0777) != 0 && errno != EEXIST)
                return false;
            copy[i] = '/';
        }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

bool cache_file_write(lake_cache *c, unsigned shard, lake_bytes data) {
    char name[3], temp[32];
    uint64_t r, gone = 0;
    if (!make_folders(c->kind.ptr))
        return false;
    int folder = open(c->kind.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return false;
    if (!c->swept)
        remove_leftovers(folder, false, &gone);
    c->swept = true;
    bool ok = getrandom(&r, sizeof r, 0) == (ssize_t)sizeof r;
    snprintf(name, sizeof name, "%02x", shard & 0xff);
    snprintf(temp, sizeof temp, ".shard-%016llx", (unsigned long long)r);
    int fd = ok ? openat(folder, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    if (fd >= 0) {
        ok = write_all(fd, data);
        ok = close(fd) == 0 && ok && renameat(folder, temp, folder, name) == 0;
        if (!ok)
            unlinkat(folder, temp, 0);
    }
    close(folder);
    return ok && fd >= 0;
}

/* ---- looking after it */
static void count_records(lake_bytes file, bool verify, lake_cache_use *use) {
    lake_cursor at;
    cache_record r;
    bool good = cache_records(file, &at);
    while (good && cache_record_next(&at, &r)) {
        good = !verify || cache_record_good(&r);
        use->records += good;
    }
    use->damaged += verify && (!good || lake_cursor_left(&at));
}

static lake_status open_kind(const char *folder, const char *kind, char path[4096], DIR **dir, lake_error *err) {
    if (snprintf(path, 4096, "%s/%s", folder, kind) >= 4096)
        return lake_fail(err, LAKE_ERR_USAGE, "cache: the name of its folder is too long");
    *dir = opendir(path);
    return *dir ? LAKE_OK : lake_fail_os(err, errno, "%s: cannot list", path);
}

lake_status lake_cache_look(const char *folder, const char *kind, bool verify, lake_cache_use *out, lake_error *err) {
    char path[4096];
    DIR *dir;
    struct stat st;
    *out = (lake_cache_use){0};
    LAKE_TRY(open_kind(folder, kind, path, &dir, err));
    for (const struct dirent *e; (e = readdir(dir));) {
        out->leftovers += is_temporary(e->d_name);
        if (!is_shard(e->d_name) || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        lake_blob blob;
        out->shards++;
        out->bytes += (uint64_t)st.st_size;
        read_file(dirfd(dir), e->d_name, 1 << 28, &blob);
        count_records((lake_bytes){blob.data, blob.size}, verify, out);
        lake_blob_clear(&blob);
    }
    closedir(dir);
    return LAKE_OK;
}

lake_status lake_cache_remove(const char *folder, const char *kind, lake_cache_use *removed, lake_error *err) {
    char path[4096];
    DIR *dir;
    LAKE_TRY(lake_cache_look(folder, kind, false, removed, err));
    LAKE_TRY(open_kind(folder, kind, path, &dir, err));
    lake_status s = LAKE_OK;
    removed->leftovers = 0;
    remove_leftovers(dirfd(dir), true, &removed->leftovers);
    for (const struct dirent *e; s == LAKE_OK && (e = readdir(dir));)
        if (is_shard(e->d_name) && unlinkat(dirfd(dir), e->d_name, 0) != 0 && errno != ENOENT)
            s = lake_fail_os(err, errno, "%s/%s: cannot remove", path, e->d_name);
    closedir(dir);
    if (s == LAKE_OK && rmdir(path) != 0 && errno != ENOTEMPTY && errno != EEXIST && errno != ENOENT)
        s = lake_fail_os(err, errno, "%s: cannot remove", path);
    return s;
}
