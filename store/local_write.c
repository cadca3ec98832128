/* Writing local files: all or nothing, and durable. The bytes go to a file without a name (O_TMPFILE, so that even a
   killed process leaves nothing) or, where the file system has none, to a temporary name beside; link(2) publishes them
   and fails if the name is taken. That link is what makes commits atomic between processes (spec.md, "File System
   Tables"). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/local.h"

/* A file that is being written. */
typedef struct pending {
    const char *path;
    lake_str location, folder; /* folder NUL-ended */
    lake_arena *arena;
    size_t made; /* length of the shortest parent folder that was made here; 0: none */
    char *temp; /* its name; NULL: it has none */
    int fd;
} pending;

static lake_status fail(const pending *p, int e, const char *what, lake_error *err) {
    return lake_fail_os(err, e, "%.*s: cannot %s", LAKE_ARG(p->location), what);
}

static lake_str parent_of(lake_arena *arena, lake_str path) {
    size_t n = path.len;
    while (n && path.ptr[n - 1] != '/')
        n--;
    while (n > 1 && path.ptr[n - 1] == '/')
        n--;
    return n ? lake_arena_str(arena, path.ptr, n) : lake_arena_str(arena, ".", 1);
}

/* The folder's own entry for a new name must reach the disk, too. Some file systems cannot: that is no failure. */
static int sync_folder(const char *folder) {
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int e = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    close(fd);
    return e;
}

/* mkdir -p, remembering what was made. */
static lake_status make_folders(pending *p, lake_error *err) {
    char *path = (char *)p->folder.ptr;
    struct stat st;
    if (stat(path, &st) == 0)
        return LAKE_OK;
    for (size_t i = 1; i <= p->folder.len; i++) {
        if (path[i] != '/' && path[i] != 0)
            continue;
        char c = path[i];
        path[i] = 0;
        int e = mkdir(path, 0777) == 0 ? 0 : errno;
        if (!e && !p->made)
            p->made = i;
        if (!e) {
            lake_str up = parent_of(p->arena, (lake_str){path, i});
            e = up.ptr ? sync_folder(up.ptr) : ENOMEM;
        }
        path[i] = c;
        if (e && e != EEXIST && e != EISDIR)
            return fail(p, e, "make its folder", err);
    }
    return LAKE_OK;
}

static void unmake_folders(pending *p) {
    char *path = (char *)p->folder.ptr;
    for (size_t i = p->folder.len; p->made && i >= p->made; i--)
        if (path[i] == '/' || path[i] == 0) {
            char c = path[i];
            path[i] = 0;
            bool gone = rmdir(path) == 0;
            path[i] = c;
            if (!gone)
                return;
        }
}

static lake_status open_temp(pending *p, bool named, lake_error *err) {
    p->fd = named ? -1 : open(p->folder.ptr, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (p->fd >= 0)
        return LAKE_OK;
    for (int i = 0; i < 100; i++) {
        uint64_t r;
        if (getrandom(&r, sizeof r, 0) != (ssize_t)sizeof r)
            return fail(p, errno, "draw a temporary name", err);
        lake_str temp = lake_arena_printf(p->arena, "%s/.lake-%016llx.tmp", p->folder.ptr, (unsigned long long)r);
        if (!temp.ptr)
            return lake_fail_memory(err);
        p->fd = open(temp.ptr, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (p->fd >= 0)
            p->temp = (char *)temp.ptr;
        if (p->fd >= 0 || errno != EEXIST)
            break;
    }
    return p->fd >= 0 ? LAKE_OK : fail(p, errno, "create", err);
}

static lake_status write_out(pending *p, lake_bytes data, lake_error *err) {
    for (size_t done = 0; done < data.len;) {
        size_t n = data.len - done > (1u << 30) ? 1u << 30 : data.len - done;
        ssize_t put = write(p->fd, data.ptr + done, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return fail(p, errno, "write", err);
        done += (size_t)put;
    }
    return fsync(p->fd) == 0 ? LAKE_OK : fail(p, errno, "write to disk", err);
}

static lake_status publish(pending *p, bool replace, lake_error *err) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", p->fd);
    int r = replace ? rename(p->temp, p->path)
        : p->temp   ? link(p->temp, p->path)
                    : linkat(AT_FDCWD, self, AT_FDCWD, p->path, AT_SYMLINK_FOLLOW);
    if (r != 0 && errno == EEXIST)
        return fail(p, EEXIST, "create", err);
    if (r != 0)
        return fail(p, errno, replace ? "replace" : "create", err);
    p->made = 0; /* not empty any more */
    int e = sync_folder(p->folder.ptr);
    return e ? fail(p, e, "make its folder durable (the file is there)", err) : LAKE_OK;
}

static lake_status write_once(pending *p, bool replace, bool named, lake_bytes data, lake_error *err) {
    p->temp = NULL;
    LAKE_TRY(open_temp(p, named || replace, err));
    lake_status s = write_out(p, data, err);
    if (s == LAKE_OK)
        s = publish(p, replace, err);
    close(p->fd);
    if (p->temp && (s != LAKE_OK || !replace))
        unlink(p->temp);
    return s;
}

static lake_status put(const lake_store *store, lake_str location, lake_bytes data, bool replace, lake_error *err) {
    LAKE_LOCAL_PATH at;
    LAKE_TRY(lake_local_path_init(store, location, &at, err));
    pending p = {.path = at.path.ptr, .location = location, .arena = &at.arena};
    p.folder = parent_of(&at.arena, at.path);
    if (!p.folder.ptr)
        return lake_fail_memory(err);
    struct stat st;
    if (!replace && lstat(p.path, &st) == 0) /* link would say so, too, but later */
        return fail(&p, EEXIST, "create", err);
    lake_status s = make_folders(&p, err);
    lake_error first;
    lake_error_init(&first);
    if (s == LAKE_OK) {
        s = write_once(&p, replace, false, data, &first);
        /* Where a file without a name cannot be linked (no /proc), a named one can. */
        if (s != LAKE_OK && !replace && !p.temp && (first.os_code == ENOENT || first.os_code == EXDEV))
            s = write_once(&p, replace, true, data, &first);
        if (s != LAKE_OK && err)
            *err = first;
    }
    if (s != LAKE_OK)
        unmake_folders(&p);
    return s;
}

lake_status lake_store_create(const lake_store *store, lake_str location, lake_bytes data, lake_error *err) {
    return put(store, location, data, false, err);
}

lake_status lake_store_replace(const lake_store *store, lake_str location, lake_bytes data, lake_error *err) {
    return put(store, location, data, true, err);
}

lake_status lake_store_remove(const lake_store *store, lake_str location, lake_error *err) {
    LAKE_LOCAL_PATH at;
    LAKE_TRY(lake_local_path_init(store, location, &at, err));
    if (unlink(at.path.ptr) != 0)
        return lake_fail_os(err, errno, "%.*s: cannot remove", LAKE_ARG(location));
    return LAKE_OK;
}

lake_status lake_store_lock_take(const lake_store *store, lake_str folder, lake_store_lock *out, lake_error *err) {
    out->fd = -1;
    LAKE_LOCAL_PATH at;
    LAKE_TRY(lake_local_path_init(store, folder, &at, err));
    int fd = open(at.path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; fd >= 0 && i < 10000; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
            out->fd = fd;
            return LAKE_OK;
        }
        if (errno != EWOULDBLOCK && errno != EINTR)
            break;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    if (fd >= 0)
        close(fd);
    return LAKE_OK;
}

void lake_store_lock_release(lake_store_lock *lock) {
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
}
