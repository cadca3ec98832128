/* Listing trees of folders, level by level: the folders of a level are listed in parallel, then the visitor says which
   of those found in them are wanted. A folder that nobody wants is never opened. */
#include "store/walk.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "store/local.h"

enum { MAX_DEPTH = 100, MAX_FOLDERS = 1000 * 1000, MAX_FILES = 10 * 1000 * 1000 };

typedef struct item {
    lake_str name;
    bool folder, hidden;
    uint64_t size, device, inode;
    int64_t modified, changed;
} item;

typedef struct level_list { /* what one folder holds */
    item *items;
    size_t n, room;
} level_list;

typedef struct walker {
    const lake_store *store;
    const lake_walk_options *options;
    lake_walk *out;
    lake_arena *arena; /* the first: of the caller's thread */
    lake_walk_folder **folders; /* of this level */
    size_t nfolders, folders_room, files_room;
    level_list *lists; /* of each of them */
    unsigned max_depth;
    size_t max_folders, max_files;
} walker;

static lake_status grow(void *items, size_t size, size_t n, size_t *room, lake_error *err) {
    void *old, *more;
    memcpy(&old, items, sizeof old);
    if (n < *room)
        return LAKE_OK;
    size_t wanted = *room ? *room * 2 : 16;
    more = wanted > SIZE_MAX / size ? NULL : lake_mem_realloc(old, wanted * size);
    if (!more)
        return lake_fail_memory(err);
    memcpy(items, &more, sizeof more);
    *room = wanted;
    return LAKE_OK;
}

/* ---- one folder, by any thread */
static int64_t nanoseconds(struct timespec t) {
    int64_t ns;
    if (__builtin_mul_overflow((int64_t)t.tv_sec, 1000000000, &ns) || __builtin_add_overflow(ns, t.tv_nsec, &ns))
        return INT64_MAX;
    return ns;
}

static bool hidden(lake_str name, bool folder) {
    return name.ptr[0] == '.' || (name.ptr[0] == '_' && !(folder && memchr(name.ptr, '=', name.len)));
}

static lake_status add_item(
    DIR *dir, const char *name, lake_arena *arena, lake_str folder, level_list *list, lake_error *err) {
    struct stat st;
    lake_str text = lake_str_of(name);
    if (fstatat(dirfd(dir), name, &st, 0) != 0) {
        if (hidden(text, false))
            return LAKE_OK;
        return lake_fail_os(err, errno, "%.*s/%s: cannot stat", LAKE_ARG(folder), name);
    }
    bool is_folder = S_ISDIR(st.st_mode);
    if (!is_folder && (!S_ISREG(st.st_mode) || hidden(text, false)))
        return LAKE_OK;
    LAKE_TRY(grow(&list->items, sizeof *list->items, list->n, &list->room, err));
    item *i = &list->items[list->n];
    *i = (item){.name = lake_arena_str(arena, text.ptr, text.len),
        .folder = is_folder,
        .hidden = hidden(text, is_folder),
        .size = is_folder ? 0 : (uint64_t)st.st_size,
        .device = (uint64_t)st.st_dev,
        .inode = (uint64_t)st.st_ino,
        .modified = nanoseconds(st.st_mtim),
        .changed = nanoseconds(st.st_ctim)};
    if (!i->name.ptr)
        return lake_fail_memory(err);
    list->n++;
    return LAKE_OK;
}

static lake_status list_open(
    DIR *dir, size_t most, lake_arena *arena, lake_str folder, level_list *list, lake_error *err) {
    for (;;) {
        errno = 0;
        const struct dirent *e = readdir(dir);
        if (!e)
            return errno ? lake_fail_os(err, errno, "%.*s: cannot list", LAKE_ARG(folder)) : LAKE_OK;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        LAKE_TRY(add_item(dir, e->d_name, arena, folder, list, err));
        if (list->n > most)
            return lake_fail(err, LAKE_ERR_LIMIT, "%.*s: more than %zu files and folders", LAKE_ARG(folder), most);
    }
}

static lake_status list_one(void *user, size_t index, unsigned worker, lake_error *err) {
    walker *w = user;
    const lake_walk_folder *f = w->folders[index];
    if (f->of_file || f->skip)
        return LAKE_OK;
    LAKE_LOCAL_PATH at;
    LAKE_TRY(lake_local_path_init(w->store, f->path, &at, err));
    DIR *dir = opendir(at.path.ptr);
    if (!dir)
        return lake_fail_os(err, errno, "%.*s: cannot list", LAKE_ARG(f->path));
    lake_status s =
        list_open(dir, w->max_folders + w->max_files, &w->out->arenas[worker], f->path, &w->lists[index], err);
    closedir(dir);
    return s;
}

/* ---- what was found */
static lake_str join(lake_arena *arena, lake_str folder, lake_str name) {
    size_t slash = folder.len && folder.ptr[folder.len - 1] == '/' ? 0 : 1, len = folder.len + slash + name.len;
    char *to = lake_arena_alloc(arena, len + 1);
    if (!to)
        return (lake_str){0};
    memcpy(to, folder.ptr, folder.len);
    to[folder.len] = '/';
    memcpy(to + folder.len + slash, name.ptr, name.len);
    to[len] = 0;
    return (lake_str){to, len};
}

static lake_status add_file(walker *w, lake_walk_file file, lake_error *err) {
    if (!file.size) {
        w->out->empty++;
        return LAKE_OK;
    }
    if (w->out->nfiles >= w->max_files)
        return lake_fail(
            err, LAKE_ERR_LIMIT, "%.*s: more than %zu files were found", LAKE_ARG(file.path), w->max_files);
    LAKE_TRY(grow(&w->out->files, sizeof *w->out->files, w->out->nfiles, &w->files_room, err));
    w->out->files[w->out->nfiles++] = file;
    return LAKE_OK;
}

/* A link to a folder above would never end. */
static bool loops(const lake_walk_folder *parent, const item *i) {
    for (; parent; parent = parent->parent)
        if (parent->device == i->device && parent->inode == i->inode)
            return true;
    return false;
}

static lake_status add_folder(
    walker *w, lake_walk_folder folder, lake_walk_folder ***next, size_t *n, size_t *room, lake_error *err) {
    if (folder.depth > w->max_depth)
        return lake_fail(
            err, LAKE_ERR_LIMIT, "%.*s: folders are nested more than %u deep", LAKE_ARG(folder.path), w->max_depth);
    if (++w->out->found > w->max_folders)
        return lake_fail(
            err, LAKE_ERR_LIMIT, "%.*s: more than %zu folders were found", LAKE_ARG(folder.path), w->max_folders);
    LAKE_TRY(grow(next, sizeof **next, *n, room, err));
    lake_walk_folder *f = LAKE_ARENA_NEW(w->arena, lake_walk_folder);
    if (!f)
        return lake_fail_memory(err);
    *f = folder;
    (*next)[(*n)++] = f;
    return LAKE_OK;
}

static lake_status take_item(walker *w, lake_walk_folder *parent, const item *i, lake_walk_folder ***next, size_t *n,
    size_t *room, lake_error *err) {
    if (i->hidden)
        return i->folder && w->options->hidden ? w->options->hidden(w->options->user, parent, i->name, err) : LAKE_OK;
    if (i->folder && loops(parent, i))
        return LAKE_OK;
    lake_str path = join(w->arena, parent->path, i->name);
    if (!path.ptr)
        return lake_fail_memory(err);
    if (!i->folder)
        return add_file(w,
            (lake_walk_file){.path = path,
                .name = i->name,
                .folder = parent,
                .size = i->size,
                .inode = i->inode,
                .modified = i->modified,
                .changed = i->changed},
            err);
    return add_folder(w,
        (lake_walk_folder){.path = path,
            .name = i->name,
            .parent = parent,
            .given = parent->given,
            .depth = parent->depth + 1,
            .device = i->device,
            .inode = i->inode},
        next, n, room, err);
}

static int by_name(const void *a, const void *b) {
    const item *x = a, *y = b;
    return lake_bytes_cmp(lake_bytes_of(x->name), lake_bytes_of(y->name));
}

static int by_path(const void *a, const void *b) {
    const lake_walk_folder *x = *(lake_walk_folder *const *)a, *y = *(lake_walk_folder *const *)b;
    int c = lake_bytes_cmp(lake_bytes_of(x->path), lake_bytes_of(y->path));
    return c ? c : (x->given > y->given) - (x->given < y->given);
}

static int file_by_path(const void *a, const void *b) {
    const lake_walk_file *x = a, *y = b;
    int c = lake_bytes_cmp(lake_bytes_of(x->path), lake_bytes_of(y->path));
    return c ? c : (x->folder->given > y->folder->given) - (x->folder->given < y->folder->given);
}

/* The level is listed; its folders give the next one. */
static lake_status step(walker *w, lake_error *err) {
    lake_walk_folder **next = NULL;
    size_t n = 0, room = 0;
    lake_status s = LAKE_OK;
    for (size_t i = 0; i < w->nfolders && s == LAKE_OK; i++) {
        level_list *list = &w->lists[i];
        w->out->listed += !w->folders[i]->of_file && !w->folders[i]->skip;
        if (list->n)
            qsort(list->items, list->n, sizeof *list->items, by_name);
        for (size_t k = 0; k < list->n && s == LAKE_OK; k++)
            s = take_item(w, w->folders[i], &list->items[k], &next, &n, &room, err);
    }
    lake_mem_free(w->folders);
    w->folders = next;
    w->nfolders = n;
    return s;
}

static lake_status run_level(walker *w, lake_error *err) {
    qsort(w->folders, w->nfolders, sizeof *w->folders, by_path);
    if (w->options->level)
        LAKE_TRY(w->options->level(w->options->user, w->folders, w->nfolders, err));
    w->lists = lake_mem_zalloc(w->nfolders, sizeof *w->lists);
    if (!w->lists)
        return lake_fail_memory(err);
    size_t n = w->nfolders;
    lake_status s = lake_parallel(n, w->out->narenas, list_one, w, err);
    if (s == LAKE_OK)
        s = step(w, err);
    for (size_t i = 0; i < n; i++)
        lake_mem_free(w->lists[i].items);
    lake_mem_free(w->lists);
    return s;
}

/* ---- what was given */
static lake_str without_slashes(lake_str s) {
    while (s.len > 1 && s.ptr[s.len - 1] == '/')
        s.len--;
    return s;
}

static lake_status add_given(walker *w, lake_str location, size_t index, size_t *room, lake_error *err) {
    LAKE_LOCAL_PATH at;
    struct stat st;
    LAKE_TRY(lake_local_path_init(w->store, location, &at, err));
    if (stat(at.path.ptr, &st) != 0)
        return lake_fail_os(err, errno, "%.*s: cannot open", LAKE_ARG(location));
    bool is_folder = S_ISDIR(st.st_mode);
    lake_walk_file file = {.size = (uint64_t)st.st_size,
        .inode = (uint64_t)st.st_ino,
        .modified = nanoseconds(st.st_mtim),
        .changed = nanoseconds(st.st_ctim),
        .given = true};
    if (!is_folder && !S_ISREG(st.st_mode))
        return lake_fail(err, LAKE_ERR_IO, "%.*s: neither a file nor a folder", LAKE_ARG(location));
    lake_str path = is_folder ? without_slashes(location) : location;
    path = lake_arena_str(w->arena, path.ptr, path.len);
    if (!path.ptr)
        return lake_fail_memory(err);
    size_t cut = path.len; /* behind the last slash */
    while (cut && path.ptr[cut - 1] != '/')
        cut--;
    lake_str name = {path.ptr + cut, path.len - cut}, above = without_slashes((lake_str){path.ptr, cut});
    if (!is_folder) {
        char *slash = strrchr(at.path.ptr, '/');
        if (slash)
            slash[slash == at.path.ptr] = 0;
        if (stat(slash ? at.path.ptr : ".", &st) != 0)
            return lake_fail_os(err, errno, "%.*s: cannot stat its folder", LAKE_ARG(location));
    }
    LAKE_TRY(add_folder(w,
        (lake_walk_folder){.path = is_folder ? path
                : above.len                  ? above
                                             : LAKE_STR("."),
            .name = is_folder ? name : LAKE_STR(""),
            .given = index,
            .device = (uint64_t)st.st_dev,
            .inode = (uint64_t)st.st_ino,
            .of_file = !is_folder},
        &w->folders, &w->nfolders, room, err));
    file.path = path;
    file.name = name;
    file.folder = w->folders[w->nfolders - 1];
    return is_folder ? LAKE_OK : add_file(w, file, err);
}

static lake_status walk(walker *w, const lake_str *locations, size_t n, lake_error *err) {
    lake_walk *out = w->out;
    size_t room = 0, kept = 0;
    unsigned threads = w->options->threads ? w->options->threads : lake_threads_default();
    out->arenas = lake_mem_zalloc(threads, sizeof *out->arenas);
    if (!out->arenas)
        return lake_fail_memory(err);
    out->narenas = threads;
    for (unsigned i = 0; i < threads; i++)
        lake_arena_init(&out->arenas[i], 0);
    w->arena = &out->arenas[0];
    for (size_t i = 0; i < n; i++)
        LAKE_TRY(add_given(w, locations[i], i, &room, err));
    while (w->nfolders)
        LAKE_TRY(run_level(w, err));
    for (size_t i = 0; i < out->nfiles; i++)
        if (!out->files[i].folder->skip)
            out->files[kept++] = out->files[i];
    out->nfiles = kept;
    if (kept)
        qsort(out->files, kept, sizeof *out->files, file_by_path);
    return LAKE_OK;
}

lake_status lake_store_walk(const lake_store *store, const lake_str *locations, size_t n,
    const lake_walk_options *options, lake_walk *out, lake_error *err) {
    walker w = {.store = store,
        .options = options,
        .out = out,
        .max_depth = options->max_depth ? options->max_depth : MAX_DEPTH,
        .max_folders = options->max_folders ? options->max_folders : MAX_FOLDERS,
        .max_files = options->max_files ? options->max_files : MAX_FILES};
    *out = (lake_walk){0};
    lake_status s = walk(&w, locations, n, err);
    lake_mem_free(w.folders);
    if (s != LAKE_OK)
        lake_walk_clear(out);
    return s;
}

void lake_walk_clear(lake_walk *walk) {
    for (unsigned i = 0; i < walk->narenas; i++)
        lake_arena_clear(&walk->arenas[i]);
    lake_mem_free(walk->arenas);
    lake_mem_free(walk->files);
    *walk = (lake_walk){0};
}
