/* A set of data files by recorded path, which remembers what was met. `/a/b`, `file:/a/b` and `file:///a/b` are one. */
#ifndef LAKE_WRITER_FILE_SET_H
#define LAKE_WRITER_FILE_SET_H

#include "base/base.h"

typedef struct lake_file_set {
    lake_str *paths; /* sorted, each once */
    uint8_t *met; /* set by several threads at once, atomically */
    size_t n;
} lake_file_set;

/* From n paths in any order, which must outlive it. */
LAKE_CHECK_RESULT lake_status lake_file_set_init(
    lake_file_set *set, lake_arena *arena, const lake_str *paths, size_t n, lake_error *err);
bool lake_file_set_has(const lake_file_set *set, lake_str path);
/* The same, and the path counts as met. */
bool lake_file_set_meet(const lake_file_set *set, lake_str path);
void lake_file_set_forget(const lake_file_set *set); /* nothing is met */
/* The first that was not met; ptr NULL: all were. *n: how many there are. */
lake_str lake_file_set_missing(const lake_file_set *set, size_t *n);

#endif
