/* Where bytes are. A location (URI or path, as metadata records it) is mapped (--map) and handed to a store. Only local
   files now; a store is a table of functions chosen by the scheme. */
#ifndef LAKE_STORE_STORE_H
#define LAKE_STORE_STORE_H

#include "base/base.h"

typedef struct lake_map {
    lake_str from, to;
} lake_map;

/* Immutable once made; shared by threads. */
typedef struct lake_store {
    const lake_map *maps; /* the longest `from` that matches wins */
    size_t nmaps;
    uint64_t max_file; /* largest file that is read whole: LAKE_ERR_LIMIT beyond (default 2 GiB) */
    struct lake_footer_memory *footers; /* reader/footer_memory.h; NULL: none */
} lake_store;

/* The path or URI to open for a location: --map applied, then `file:` forms reduced to a path. Percent signs, '+' and
   spaces are literal. UNSUPPORTED names the scheme for anything that is not local. Into the arena, NUL-ended. */
LAKE_CHECK_RESULT lake_status lake_store_resolve(
    const lake_store *store, lake_arena *arena, lake_str location, lake_str *path, lake_error *err);

/* A whole file in memory. Read (or mapped) once; freed by lake_blob_clear. Zero-length files are fine. */
typedef struct lake_blob {
    const uint8_t *data;
    size_t size;
    void *owner; /* private */
    size_t owner_size;
    int owner_kind;
} lake_blob;
LAKE_CHECK_RESULT lake_status lake_store_read(
    const lake_store *store, lake_str location, lake_blob *out, lake_error *err);
void lake_blob_clear(lake_blob *blob);

/* Ranged reads of a large file (Parquet). */
typedef struct lake_file lake_file;
LAKE_CHECK_RESULT lake_status lake_store_open(
    const lake_store *store, lake_str location, lake_file **out, lake_error *err);
uint64_t lake_file_size(const lake_file *file);
/* Reads exactly n bytes at offset; MALFORMED (torn) if the file ends before. Safe from several threads. */
LAKE_CHECK_RESULT lake_status lake_file_read(lake_file *file, uint64_t offset, void *into, size_t n, lake_error *err);
void lake_file_close(lake_file *file);

LAKE_CHECK_RESULT lake_status lake_store_size(
    const lake_store *store, lake_str location, uint64_t *size, lake_error *err);
bool lake_store_exists(const lake_store *store, lake_str location);
/* The one path of an existing folder, whatever it is called: links followed, no empty, "." or ".." parts. Into the
   arena; ptr NULL: there is no such folder. */
LAKE_CHECK_RESULT lake_status lake_store_real_folder(
    const lake_store *store, lake_arena *arena, lake_str location, lake_str *out, lake_error *err);
/* When a file was last changed, in milliseconds since 1970. */
LAKE_CHECK_RESULT lake_status lake_store_modified(
    const lake_store *store, lake_str location, int64_t *ms, lake_error *err);
/* Are both locations one existing file or folder, whatever they are called? */
bool lake_store_same(const lake_store *store, lake_str a, lake_str b);

/* Creates the file with these bytes, atomically and durably: written to a temporary name beside it, fsynced, then
   linked (fails with EXISTS if the name is taken), folder fsynced. Missing parent folders are made. Nothing stays on
   failure, with one exception: when only the folder's fsync fails the file is there (IO, and the message says so). */
LAKE_CHECK_RESULT lake_status lake_store_create(
    const lake_store *store, lake_str location, lake_bytes data, lake_error *err);
/* The same, replacing what is there (rename). */
LAKE_CHECK_RESULT lake_status lake_store_replace(
    const lake_store *store, lake_str location, lake_bytes data, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_store_remove(const lake_store *store, lake_str location, lake_error *err);
/* A lock on an existing folder among processes that ask for it, given back when a process dies. Waits up to ten
   seconds, then, and where the file system has no locks, goes on without: it guards only what an exclusive create
   cannot. */
typedef struct lake_store_lock {
    int fd; /* -1: none */
} lake_store_lock;
LAKE_CHECK_RESULT lake_status lake_store_lock_take(
    const lake_store *store, lake_str folder, lake_store_lock *out, lake_error *err);
void lake_store_lock_release(lake_store_lock *lock);
/* Names (not paths) in a folder, unsorted, files only. NOT_FOUND if there is no such folder. */
LAKE_CHECK_RESULT lake_status lake_store_list(
    const lake_store *store, lake_arena *arena, lake_str folder, lake_str **names, size_t *n, lake_error *err);
/* The same for the folders in it. */
LAKE_CHECK_RESULT lake_status lake_store_list_folders(
    const lake_store *store, lake_arena *arena, lake_str folder, lake_str **names, size_t *n, lake_error *err);

#endif
