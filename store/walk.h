/* Listing trees of folders, level by level. */
#ifndef LAKE_STORE_WALK_H
#define LAKE_STORE_WALK_H

#include "store/store.h"

typedef struct lake_walk_folder {
    lake_str path; /* as the location that was given, and the names below it; no slash at the end */
    lake_str name;
    struct lake_walk_folder *parent; /* NULL: given */
    size_t given; /* index of the location that it comes from */
    unsigned depth; /* below that location */
    uint64_t device, inode;
    bool of_file; /* not to be listed: the folder of a file that was given */
    bool skip; /* set by the visitor: neither it nor a file in it is wanted */
    void *data; /* the visitor's */
} lake_walk_folder;

typedef struct lake_walk_file {
    lake_str path, name;
    lake_walk_folder *folder;
    uint64_t size, inode;
    int64_t modified, changed; /* nanoseconds since 1970: its data (mtime), and anything about it (ctime) */
    bool given; /* named itself */
} lake_walk_file;

typedef struct lake_walk_options {
    unsigned threads; /* 0: the default */
    unsigned max_depth; /* folders below a location; 0: 100 */
    size_t max_folders, max_files; /* found; 0: 1,000,000 and 10,000,000 */
    /* Called once a level from one thread with all its folders, in order of their paths: may set `skip` and `data`.
       The first level is what was given. */
    lake_status (*level)(void *user, lake_walk_folder **folders, size_t n, lake_error *err);
    /* A hidden folder was found in `folder` (NULL: nobody wants to know). From one thread. */
    lake_status (*hidden)(void *user, const lake_walk_folder *folder, lake_str name, lake_error *err);
    void *user;
} lake_walk_options;

typedef struct lake_walk {
    lake_walk_file *files; /* in order of their paths' bytes */
    size_t nfiles;
    size_t found, listed; /* folders */
    size_t empty; /* zero-byte files, left out */
    lake_arena *arenas; /* private */
    unsigned narenas;
} lake_walk;

/* Finds all files below the locations (folders and files). Left out: names that begin with '.', or with '_' (but not a
   folder with '=' in its name, which is a partition), files without a byte, what is neither file nor folder, and links
   back to a folder above. The result is the same whatever the number of threads. LIMIT, NOT_FOUND and IO name the
   place. */
LAKE_CHECK_RESULT lake_status lake_store_walk(const lake_store *store, const lake_str *locations, size_t n,
    const lake_walk_options *options, lake_walk *out, lake_error *err);
void lake_walk_clear(lake_walk *walk);

#endif
