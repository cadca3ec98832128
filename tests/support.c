/* Test support. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

lake_bytes test_hex(lake_arena *arena, const char *hex) {
    size_t n = strlen(hex);
    cr_assert(n % 2 == 0, "odd hex: %s", hex);
    uint8_t *out = lake_arena_alloc(arena, n / 2 + 1);
    for (size_t i = 0; i < n / 2; i++) {
        unsigned v;
        cr_assert_eq(sscanf(hex + 2 * i, "%2x", &v), 1, "bad hex: %s", hex);
        out[i] = (uint8_t)v;
    }
    return (lake_bytes){out, n / 2};
}

const char *test_to_hex(lake_arena *arena, lake_bytes b) {
    char *out = lake_arena_alloc(arena, 2 * b.len + 1);
    for (size_t i = 0; i < b.len; i++)
        sprintf(out + 2 * i, "%02x", b.ptr[i]);
    out[2 * b.len] = 0;
    return out;
}

lake_bytes test_file(lake_arena *arena, const char *path) {
    char full[4096];
    snprintf(full, sizeof full, "%s/%s", LAKE_SOURCE_ROOT, path);
    FILE *f = fopen(path[0] == '/' ? path : full, "rb");
    cr_assert(f, "cannot open %s", full);
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    uint8_t *data = lake_arena_alloc(arena, (size_t)n + 1);
    cr_assert_eq(fread(data, 1, (size_t)n, f), (size_t)n);
    data[n] = 0;
    fclose(f);
    return (lake_bytes){data, (size_t)n};
}

test_table test_vectors(lake_arena *arena, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "spec/vectors/%s", name);
    char *text = (char *)test_file(arena, path).ptr;
    test_table t = {0};
    size_t cap = 1;
    for (char *p = text; *p; p++)
        cap += *p == '\n';
    t.rows = LAKE_ARENA_ARRAY(arena, char **, cap);
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        if (*line && *line != '#') {
            size_t n = 1, i = 0;
            for (char *p = line; *p; p++)
                n += *p == '\t';
            char **cells = LAKE_ARENA_ARRAY(arena, char *, n + 1);
            for (char *cell = line; cell;) {
                char *tab = strchr(cell, '\t');
                if (tab)
                    *tab++ = 0;
                cells[i++] = cell;
                cell = tab;
            }
            if (!t.header) {
                t.header = cells;
                t.ncolumns = n;
            } else {
                cr_assert_eq(n, t.ncolumns, "%s: row %zu has %zu cells", name, t.nrows + 1, n);
                t.rows[t.nrows++] = cells;
            }
        }
        line = end;
    }
    cr_assert_gt(t.nrows, 0, "%s is empty", name);
    return t;
}

const char *test_cell(const test_table *t, size_t row, const char *column) {
    for (size_t i = 0; i < t->ncolumns; i++)
        if (strcmp(t->header[i], column) == 0)
            return t->rows[row][i];
    cr_assert_fail("no column %s", column);
    return NULL;
}

static long countdown;

static bool fail_at_zero(size_t size) {
    return __atomic_fetch_sub(&countdown, 1, __ATOMIC_RELAXED) != 0;
}

void test_every_allocation(lake_status (*body)(void *user, lake_error *err), void *user) {
    for (long n = 0; n < 100000; n++) {
        lake_error err;
        lake_error_init(&err);
        lake_mem_test_live = 0;
        countdown = n;
        lake_mem_test_hook = fail_at_zero;
        lake_status s = body(user, &err);
        lake_mem_test_hook = NULL;
        cr_assert_eq(lake_mem_test_live, 0, "allocation %ld: %ld blocks leaked", n, lake_mem_test_live);
        if (s == LAKE_OK)
            return;
        cr_assert_eq(s, LAKE_ERR_NO_MEMORY, "allocation %ld: status %s, %s", n, lake_status_name(s), err.message);
        cr_assert(err.message[0], "allocation %ld: no message", n);
    }
    cr_assert_fail("never succeeded");
}
