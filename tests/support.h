/* Shared by all unit tests: hex, files of spec/vectors, counted and failing allocations. */
#ifndef LAKE_TESTS_SUPPORT_H
#define LAKE_TESTS_SUPPORT_H

#include <criterion/criterion.h>

#include "base/base.h"

/* Decodes hex text into the arena. Fails the test on bad hex. */
lake_bytes test_hex(lake_arena *arena, const char *hex);
/* The bytes as hex, in the arena. */
const char *test_to_hex(lake_arena *arena, lake_bytes b);

/* A table of spec/vectors: tab-separated text; '#' begins a comment line; the first other line is the header. */
typedef struct test_table {
    char ***rows; /* rows[i][column], NUL-ended */
    size_t nrows, ncolumns;
    char **header;
} test_table;
test_table test_vectors(lake_arena *arena, const char *name);
const char *test_cell(const test_table *t, size_t row, const char *column);

/* Reads a whole file (path from the source root). Fails the test if it cannot. */
lake_bytes test_file(lake_arena *arena, const char *path);

/* Runs `body(user)` again and again, the n-th time with the n-th allocation failing, until it succeeds. `body` returns
   a status; whenever it fails the status must be LAKE_ERR_NO_MEMORY, and no block may stay alive after any run. */
void test_every_allocation(lake_status (*body)(void *user, lake_error *err), void *user);

#endif
