/* Reading local files: whole ones into memory, ranges of large ones, sizes, names in a folder. Files are read, not
   mapped, so that a file that another program cuts short is an error and no signal. */
#include "store/local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

lake_status lake_local_path_init(const lake_store *store, lake_str location, lake_local_path *out, lake_error *err) {
    lake_arena_init(&out->arena, 0);
    return lake_store_resolve(store, &out->arena, location, &out->path, err);
}

enum { MAX_STREAM = 1 << 28 }; /* a pipe or a device does not say how long it is, and some have no end */

/* Opens for reading and says what the file is. A named pipe without a writer is empty: metadata that name one must not
   hang their reader. */
static lake_status open_file(const char *path, lake_str location, int *fd, struct stat *st, lake_error *err) {
    do
        *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (*fd < 0 && errno == EINTR);
    if (*fd < 0)
        return lake_fail_os(err, errno, "%.*s: cannot open", LAKE_ARG(location));
    if (fstat(*fd, st) != 0) {
        int e = errno;
        close(*fd);
        return lake_fail_os(err, e, "%.*s: cannot open", LAKE_ARG(location));
    }
    int e = S_ISDIR(st->st_mode) ? EISDIR : 0;
    if (!e && !S_ISREG(st->st_mode) && fcntl(*fd, F_SETFL, O_RDONLY) != 0)
        e = errno;
    if (e)
        close(*fd);
    return e ? lake_fail_os(err, e, "%.*s: cannot open", LAKE_ARG(location)) : LAKE_OK;
}

static ssize_t read_some(int fd, void *into, size_t n) {
    ssize_t got;
    do
        got = read(fd, into, n > (1u << 30) ? 1u << 30 : n);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Reads to the end, whatever size was announced (pipes say 0, a file may grow). */
static lake_status read_all(
    int fd, size_t expected, uint64_t limit, lake_str location, lake_blob *out, lake_error *err) {
    size_t cap = expected + 1, len = 0;
    uint8_t *data = lake_mem_alloc(cap);
    while (data) {
        ssize_t got = read_some(fd, data + len, cap - len);
        if (got < 0) {
            int e = errno;
            lake_mem_free(data);
            return lake_fail_os(err, e, "%.*s: cannot read at byte %zu", LAKE_ARG(location), len);
        }
        len += (size_t)got;
        if (len > limit) {
            lake_mem_free(data);
            return lake_fail(
                err, LAKE_ERR_LIMIT, "%.*s: more than %llu bytes", LAKE_ARG(location), (unsigned long long)limit);
        }
        if (got == 0) {
            *out = (lake_blob){.data = data, .size = len, .owner = data};
            return LAKE_OK;
        }
        if (len == cap) {
            uint8_t *more = lake_mem_realloc(data, cap < 65536 ? 131072 : cap * 2);
            if (!more)
                lake_mem_free(data);
            data = more;
            cap = cap < 65536 ? 131072 : cap * 2;
        }
    }
    return lake_fail_memory(err);
}

lake_status lake_store_read(const lake_store *store, lake_str location, lake_blob *out, lake_error *err) {
    *out = (lake_blob){0};
    LAKE_LOCAL_PATH at;
    LAKE_TRY(lake_local_path_init(store, location, &at, err));
    int fd;
    struct stat st;
    LAKE_TRY(open_file(at.path.ptr, location, &fd, &st, err));
    uint64_t limit = lake_store_limit(store);
    if (!S_ISREG(st.st_mode) && limit > MAX_STREAM)
        limit = MAX_STREAM;
    lake_status s;
    if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > limit)
        s = lake_fail(err, LAKE_ERR_LIMIT, "%.*s: %lld bytes are more than the limit of %llu", LAKE_ARG(location),
            (long long)st.st_size, (unsigned long long)limit);
    else
        s = read_all(fd, S_ISREG(st.st_mode) ? (size_t)st.st_size : 0, limit, location, out, err);
    close(fd);
    return s;
}

void lake_blob_clear(lake_blob *blob) {
    if (blob)
        lake_mem_free(blob->owner);
    if (blob)
        *blob = (lake_blob){0};
}

struct lake_file {
    int fd;
    uint64_t size;
    size_t name_len;
    char name[];
};

lake_status lake_store_open(const lake_store *store, lake_str location, lake_file **out, lake_error *err) {
    *out = NULL;
    LAKE_LOCAL_PATH at;
    LAKE_TRY(lake_local_path_init(store, location, &at, err));
    int fd;
    struct stat st;
    LAKE_TRY(open_file(at.path.ptr, location, &fd, &st, err));
    if (!S_ISREG(st.st_mode)) {
        close(fd);
        return lake_fail(err, LAKE_ERR_IO, "%.*s: no regular file, ranges cannot be read", LAKE_ARG(location));
    }
    lake_file *f = lake_mem_zalloc(1, sizeof *f + location.len + 1);
    if (!f) {
        close(fd);
        return lake_fail_memory(err);
    }
    f->fd = fd;
    f->size = (uint64_t)st.st_size;
    f->name_len = location.len;
    memcpy(f->name, location.ptr, location.len);
    *out = f;
    return LAKE_OK;
}

uint64_t lake_file_size(const lake_file *file) {
    return file->size;
}

lake_status lake_file_read(lake_file *file, uint64_t offset, void *into, size_t n, lake_error *err) {
    lake_str name = {file->name, file->name_len};
    size_t done = 0;
    if (offset > INT64_MAX || n > INT64_MAX - offset)
        return lake_fail_at(err, LAKE_ERR_MALFORMED, INT64_MAX, "%.*s: an offset beyond 2^63", LAKE_ARG(name));
    while (done < n) {
        ssize_t got = pread(file->fd, (char *)into + done, n - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return lake_fail_os(
                err, errno, "%.*s: cannot read at byte %llu", LAKE_ARG(name), (unsigned long long)(offset + done));
        if (got == 0)
            return lake_fail_at(err, LAKE_ERR_MALFORMED, (int64_t)(offset + done),
                "%.*s: the file ends at byte %llu, but %zu bytes were to be read from byte %llu (torn?)",
                LAKE_ARG(name), (unsigned long long)(offset + done), n, (unsigned long long)offset);
        done += (size_t)got;
    }
    return LAKE_OK;
}

void lake_file_close(lake_file *file) {
    if (file)
        close(file->fd);
    lake_mem_free(file);
}

lake_status lake_store_size(const lake_store *store, lake_str location, uint64_t *size, lake_error *err) {
    LAKE_LOCAL_PATH at;
    struct stat st;
    LAKE_TRY(lake_local_path_init(store, location, &at, err));
    if (stat(at.path.ptr, &st) != 0)
        return lake_fail_os(err, errno, "%.*s: cannot stat", LAKE_ARG(location));
    if (S_ISDIR(st.st_mode))
        return lake_fail_os(err, EISDIR, "%.*s: cannot stat", LAKE_ARG(location));
    *size = (uint64_t)st.st_size;
    return LAKE_OK;
}

lake_status lake_store_real_folder(
    const lake_store *store, lake_arena *arena, lake_str location, lake_str *out, lake_error *err) {
    LAKE_LOCAL_PATH at;
    char real[PATH_MAX];
    *out = (lake_str){0};
    LAKE_TRY(lake_local_path_init(store, location, &at, err));
    if (!realpath(at.path.ptr, real))
        return LAKE_OK;
    *out = lake_arena_str(arena, real, strlen(real));
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_store_modified(const lake_store *store, lake_str location, int64_t *ms, lake_error *err) {
    LAKE_LOCAL_PATH at;
    struct stat st;
    LAKE_TRY(lake_local_path_init(store, location, &at, err));
    if (stat(at.path.ptr, &st) != 0)
        return lake_fail_os(err, errno, "%.*s: cannot stat", LAKE_ARG(location));
    *ms = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
    return LAKE_OK;
}

bool lake_store_exists(const lake_store *store, lake_str location) {
    uint64_t size;
    return lake_store_size(store, location, &size, NULL) == LAKE_OK;
}

static bool identify(const lake_store *store, lake_str location, struct stat *st) {
    LAKE_LOCAL_PATH at;
    return lake_local_path_init(store, location, &at, NULL) == LAKE_OK && stat(at.path.ptr, st) == 0;
}

bool lake_store_same(const lake_store *store, lake_str a, lake_str b) {
    struct stat x, y;
    return identify(store, a, &x) && identify(store, b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* What readdir found: a folder (or a link to one), or anything else. */
static bool is_folder(DIR *dir, const struct dirent *e) {
    struct stat st;
    if (e->d_type != DT_UNKNOWN && e->d_type != DT_LNK)
        return e->d_type == DT_DIR;
    return fstatat(dirfd(dir), e->d_name, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

static lake_status list_open(
    DIR *dir, bool folders, lake_arena *arena, lake_str folder, lake_str **names, size_t *n, lake_error *err) {
    size_t cap = 0;
    for (;;) {
        errno = 0;
        const struct dirent *e = readdir(dir);
        if (!e)
            return errno ? lake_fail_os(err, errno, "%.*s: cannot list", LAKE_ARG(folder)) : LAKE_OK;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || is_folder(dir, e) != folders)
            continue;
        if (*n == cap) {
            cap = cap ? cap * 2 : 32;
            lake_str *more = cap > (1u << 26) ? NULL : LAKE_ARENA_ARRAY(arena, lake_str, cap);
            if (!more)
                return lake_fail_memory(err);
            if (*n)
                memcpy(more, *names, *n * sizeof **names);
            *names = more;
        }
        lake_str name = lake_arena_str(arena, e->d_name, strlen(e->d_name));
        if (!name.ptr)
            return lake_fail_memory(err);
        (*names)[(*n)++] = name;
    }
}

static lake_status list(const lake_store *store, bool folders, lake_arena *arena, lake_str folder, lake_str **names,
    size_t *n, lake_error *err) {
    *names = NULL;
    *n = 0;
    LAKE_LOCAL_PATH at;
    LAKE_TRY(lake_local_path_init(store, folder, &at, err));
    DIR *dir = opendir(at.path.ptr);
    if (!dir)
        return lake_fail_os(err, errno, "%.*s: cannot list", LAKE_ARG(folder));
    lake_status s = list_open(dir, folders, arena, folder, names, n, err);
    closedir(dir);
    return s;
}

lake_status lake_store_list(
    const lake_store *store, lake_arena *arena, lake_str folder, lake_str **names, size_t *n, lake_error *err) {
    return list(store, false, arena, folder, names, n, err);
}

lake_status lake_store_list_folders(
    const lake_store *store, lake_arena *arena, lake_str folder, lake_str **names, size_t *n, lake_error *err) {
    return list(store, true, arena, folder, names, n, err);
}
