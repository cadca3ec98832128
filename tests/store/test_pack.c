/* Packs: what was put is found; damaged, torn and hostile files are no packs, or their values say so. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/pack.h"
#include "store/pack_internal.h"
#include "tests/support.h"

static char root[64];
static lake_arena arena;

static void begin(void) {
    strcpy(root, "/tmp/lake_pack_XXXXXX");
    cr_assert(mkdtemp(root));
    lake_arena_init(&arena, 0);
}

static void end(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    cr_assert_eq(system(command), 0);
    lake_arena_clear(&arena);
}

TestSuite(pack, .init = begin, .fini = end);

static lake_bytes key_of(int i) {
    return lake_bytes_of(lake_arena_printf(&arena, "key %d", i));
}

static lake_bytes value_of(int i) {
    char *v = lake_arena_alloc(&arena, (size_t)i + 1);
    memset(v, 'a' + i % 26, (size_t)i + 1);
    return (lake_bytes){(uint8_t *)v, (size_t)i};
}

/* Record i has a row for id 7, and one for -1 if it is even. */
static bool put_some(lake_pack_writer *w, int n) {
    bool ok = true;
    for (int i = 0; i < n; i++) {
        lake_pack_row rows[2] = {{7, {1, (uint8_t)i}}, {-1, {2, (uint8_t)i}}};
        ok = lake_pack_put(w, key_of(i), value_of(i), rows, i % 2 ? 1 : 2) && ok;
    }
    return ok;
}

static lake_pack *make(int folder, const char *name, int n) {
    lake_pack_writer *w = lake_pack_writer_new(folder);
    cr_assert(w);
    cr_assert(put_some(w, n));
    lake_pack *p = lake_pack_finish(w, name);
    lake_pack_writer_free(w);
    cr_assert(p);
    return p;
}

static void holds(lake_pack *p, int n) {
    cr_assert_eq(lake_pack_count(p), (size_t)n);
    const uint8_t *seven = lake_pack_rows(p, 7), *minus = lake_pack_rows(p, -1);
    cr_assert(n == 0 || (seven && minus));
    cr_assert_null(lake_pack_rows(p, 8));
    for (int i = 0; i < n; i++) {
        lake_bytes key = key_of(i), want = value_of(i);
        size_t at = lake_pack_find(p, lake_pack_hash(key), key);
        cr_assert_neq(at, SIZE_MAX);
        cr_assert_eq(lake_bytes_cmp(lake_pack_value(p, at), want), 0);
        cr_assert_eq((uintptr_t)lake_pack_value(p, at).ptr % 8, 0);
        cr_assert(lake_pack_value_good(p, at));
        cr_assert_eq(seven[at * LAKE_PACK_ROW + 1], i % 256);
        cr_assert_eq(minus[at * LAKE_PACK_ROW], i % 2 ? 0 : 2);
        lake_pack_row rows[4];
        cr_assert_eq(lake_pack_rows_of(p, at, rows, 4), i % 2 ? 1u : 2u);
    }
    lake_bytes none = key_of(n);
    cr_assert_eq(lake_pack_find(p, lake_pack_hash(none), none), SIZE_MAX);
}

Test(pack, gives_back_what_was_put_from_a_file_and_from_memory) {
    int folder = open(root, O_RDONLY | O_DIRECTORY);
    static const int counts[] = {0, 1, 2, 300};
    for (int i = 0; i < 4; i++) {
        char name[LAKE_PACK_NAME + 1];
        cr_assert(lake_pack_new_name(5, name));
        cr_assert(lake_pack_is_name(name));
        lake_pack *p = make(folder, name, counts[i]), *again = lake_pack_open(folder, name),
                  *memory = make(-1, NULL, counts[i]);
        cr_assert(again);
        holds(p, counts[i]);
        holds(again, counts[i]);
        holds(memory, counts[i]);
        lake_pack_release(p);
        lake_pack_release(again);
        lake_pack_release(memory);
    }
    close(folder);
}

static void put_file(const char *name, const uint8_t *data, size_t n) {
    lake_str path = lake_arena_printf(&arena, "%s/%s", root, name);
    FILE *f = fopen(path.ptr, "wb");
    cr_assert(f);
    cr_assert_eq(fwrite(data, 1, n, f), n);
    fclose(f);
}

/* Whatever it is, reading it is safe, and a value that is said to be good is one that was put. */
static void look(int folder, const char *name) {
    lake_pack *p = lake_pack_open(folder, name);
    lake_pack_row rows[4];
    for (size_t i = 0; p && i < lake_pack_count(p); i++) {
        lake_bytes key = lake_pack_key(p, i);
        (void)lake_pack_find(p, lake_pack_hash(key), key);
        if (lake_pack_value_good(p, i) && lake_pack_value(p, i).len)
            cr_assert(lake_pack_value(p, i).ptr[0] >= 'a');
        (void)lake_pack_rows_of(p, i, rows, 4);
    }
    if (p)
        (void)lake_pack_rows(p, 7);
    lake_pack_release(p);
}

static lake_bytes bytes_of(const char *name) {
    lake_str path = lake_arena_printf(&arena, "%s/%s", root, name);
    FILE *f = fopen(path.ptr, "rb");
    cr_assert(f);
    uint8_t *data = lake_arena_alloc(&arena, 1 << 16);
    size_t n = fread(data, 1, 1 << 16, f);
    fclose(f);
    return (lake_bytes){data, n};
}

Test(pack, is_none_when_torn_and_safe_when_flipped) {
    int folder = open(root, O_RDONLY | O_DIRECTORY);
    lake_pack_release(make(folder, "whole", 9));
    lake_bytes whole = bytes_of("whole");
    for (size_t n = 0; n < whole.len; n++) {
        put_file("torn", whole.ptr, n);
        cr_assert_null(lake_pack_open(folder, "torn"), "%zu of %zu bytes", n, whole.len);
    }
    uint8_t *copy = lake_arena_alloc(&arena, whole.len);
    for (size_t bit = 0; bit < 8 * whole.len; bit += 11) {
        memcpy(copy, whole.ptr, whole.len);
        copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
        put_file("flipped", copy, whole.len);
        look(folder, "flipped");
    }
    close(folder);
}

/* Checksums are no defence against who can compute them. */
Test(pack, is_safe_with_hostile_indexes) {
    int folder = open(root, O_RDONLY | O_DIRECTORY);
    lake_pack_release(make(folder, "whole", 5));
    lake_bytes whole = bytes_of("whole");
    uint8_t *copy = lake_arena_alloc(&arena, whole.len);
    uint64_t begin = lake_get_le64(whole.ptr + 24), len = lake_get_le64(whole.ptr + 32);
    static const uint64_t odd[] = {0, 1, 7, 8, 255, UINT32_MAX, (uint64_t)1 << 40, UINT64_MAX - 7, UINT64_MAX};
    for (uint64_t at = 0; at < begin + len; at = at < 48 ? at + 8 : at < begin ? begin : at + 8)
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
            memcpy(copy, whole.ptr, whole.len);
            memcpy(copy + at, &odd[k], at + 8 <= whole.len ? 8 : whole.len - at);
            uint64_t b = lake_get_le64(copy + 24), n = lake_get_le64(copy + 32);
            if (b <= whole.len && n <= whole.len - b)
                lake_put_le64(copy + 40, lake_xxh64(copy + b, n));
            lake_put_le64(copy + PACK_HEAD - 8, lake_xxh64(copy, PACK_HEAD - 8));
            put_file("hostile", copy, whole.len);
            look(folder, "hostile");
        }
    close(folder);
}

Test(pack, is_not_left_behind_when_the_disk_is_full) {
    int folder = open(root, O_RDONLY | O_DIRECTORY);
    struct rlimit limit = {4096, 4096};
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    lake_pack_writer *w = lake_pack_writer_new(folder);
    cr_assert(w);
    cr_assert_not(put_some(w, 200));
    cr_assert_null(lake_pack_finish(w, "full"));
    lake_pack_writer_free(w);
    cr_assert_eq(rmdir(root), 0, "something is left");
    cr_assert_eq(mkdir(root, 0777), 0);
    close(folder);
}

Test(pack, used_least_lately_goes_first) {
    int folder = open(root, O_RDONLY | O_DIRECTORY);
    char names[4][LAKE_PACK_NAME + 1];
    uint64_t size = 0;
    for (int i = 0; i < 4; i++) {
        cr_assert(lake_pack_new_name((uint64_t)i, names[i]));
        lake_pack *p = make(folder, names[i], 100);
        size = lake_pack_size(p);
        lake_pack_release(p);
        struct timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
        cr_assert_eq(utimensat(folder, names[i], times, 0), 0);
    }
    put_file("foreign", (const uint8_t *)"x", 1);
    lake_pack_touch(folder, names[0]);
    lake_pack_evict(folder, 2 * size, names[3]);
    cr_assert_eq(faccessat(folder, names[0], F_OK, 0), 0);
    cr_assert_neq(faccessat(folder, names[1], F_OK, 0), 0);
    cr_assert_neq(faccessat(folder, names[2], F_OK, 0), 0);
    cr_assert_eq(faccessat(folder, names[3], F_OK, 0), 0);
    cr_assert_eq(faccessat(folder, "foreign", F_OK, 0), 0);
    close(folder);
}
