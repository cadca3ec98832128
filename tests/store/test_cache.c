/* The cache on disk: what was put comes back, whatever happens to its files. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/cache.h"
#include "tests/support.h"

static char root[64];
static lake_arena arena;

static void begin(void) {
    strcpy(root, "/tmp/lake_cache_XXXXXX");
    cr_assert(mkdtemp(root));
    lake_arena_init(&arena, 0);
}

static void end(void) {
    char command[128];
    snprintf(command, sizeof command, "chmod -R u+w '%s'; rm -rf '%s'", root, root);
    cr_assert_eq(system(command), 0);
    lake_arena_clear(&arena);
}

TestSuite(cache, .init = begin, .fini = end);

static lake_cache *open_cache(uint64_t limit) {
    lake_cache *c;
    cr_assert_eq(lake_cache_open(root, "test-v1", limit, &c, NULL), LAKE_OK);
    return c;
}

static lake_bytes text(const char *s) {
    return lake_bytes_of(lake_str_of(s));
}

static void put(lake_cache *c, int key, int value) {
    lake_str k = lake_arena_printf(&arena, "key %d", key), v = lake_arena_printf(&arena, "value %d of %d", value, key);
    lake_cache_put(c, lake_bytes_of(k), lake_bytes_of(v));
}

/* -1: none; what is found is whole, or the test fails. */
static int get(lake_cache *c, int key) {
    lake_str k = lake_arena_printf(&arena, "key %d", key);
    lake_bytes v;
    int value = -1, of = -1;
    if (!lake_cache_get(c, lake_bytes_of(k), &arena, &v))
        return -1;
    lake_str z = lake_arena_str(&arena, (const char *)v.ptr, v.len);
    cr_assert_eq(sscanf(z.ptr, "value %d of %d", &value, &of), 2);
    cr_assert_eq(of, key);
    return value;
}

static void fill(int n, int value) {
    lake_cache *c = open_cache(1 << 28);
    for (int i = 0; i < n; i++)
        put(c, i, value);
    cr_assert(lake_cache_flush(c));
    lake_cache_close(c);
}

/* Keys that have the value; those that have another one fail the test. */
static int count(int n, int value) {
    lake_cache *c = open_cache(1 << 28);
    int found = 0;
    for (int i = 0; i < n; i++) {
        int v = get(c, i);
        cr_assert(v == value || v == -1, "key %d has %d", i, v);
        found += v == value;
    }
    lake_cache_close(c);
    return found;
}

Test(cache, gives_back_what_was_put) {
    lake_cache *c = open_cache(1 << 28);
    lake_bytes v;
    cr_assert_not(lake_cache_get(c, text("a"), &arena, &v));
    cr_assert_eq(access(root, F_OK), 0);
    lake_cache_put(c, text("a"), text("1"));
    lake_cache_put(c, text("a"), text("22"));
    lake_cache_put(c, text(""), text(""));
    for (int round = 0; round < 3; round++) { /* before it is written, after, and from disk */
        cr_assert(lake_cache_get(c, text("a"), &arena, &v));
        cr_assert(v.len == 2 && memcmp(v.ptr, "22", 2) == 0);
        cr_assert(lake_cache_get(c, text(""), &arena, &v));
        cr_assert_eq(v.len, 0);
        cr_assert_not(lake_cache_get(c, text("b"), &arena, &v));
        if (round == 0)
            cr_assert(lake_cache_flush(c));
        if (round == 1) {
            lake_cache_close(c);
            c = open_cache(1 << 28);
        }
    }
    lake_cache_close(c);
    fill(5000, 7);
    cr_assert_eq(count(5000, 7), 5000);
    fill(5000, 8);
    cr_assert_eq(count(5000, 8), 5000);
}

/* The only shard of a cache with one key, and the key. */
static void one_shard(char path[128]) {
    char command[160];
    FILE *p;
    fill(1, 3);
    snprintf(command, sizeof command, "ls %s/test-v1/??", root);
    p = popen(command, "r");
    cr_assert(p && fgets(path, 128, p));
    path[strcspn(path, "\n")] = 0;
    pclose(p);
}

static void overwrite(const char *path, lake_bytes data) {
    FILE *f = fopen(path, "wb");
    cr_assert(f && fwrite(data.ptr, 1, data.len, f) == data.len && fclose(f) == 0);
}

Test(cache, no_torn_or_changed_byte_is_believed) {
    char path[128];
    one_shard(path);
    lake_bytes whole = test_file(&arena, path);
    uint8_t *copy = (uint8_t *)lake_arena_bytes(&arena, whole.ptr, whole.len).ptr;
    for (size_t n = 0; n < whole.len; n++) {
        overwrite(path, (lake_bytes){whole.ptr, n});
        cr_assert_eq(count(1, 3), 0, "cut at %zu", n);
        for (int bit = 0; bit < 8; bit++) {
            copy[n] ^= (uint8_t)(1 << bit);
            overwrite(path, (lake_bytes){copy, whole.len});
            copy[n] ^= (uint8_t)(1 << bit);
            cr_assert_eq(count(1, 3), 0, "bit %d of byte %zu", bit, n);
            lake_cache_use use;
            cr_assert_eq(lake_cache_look(root, "test-v1", true, &use, NULL), LAKE_OK);
            cr_assert_eq(use.damaged, 1);
        }
    }
    fill(1, 4); /* and it is written anew */
    cr_assert_eq(count(1, 4), 1);
}

Test(cache, what_is_no_shard_is_left_alone) {
    char path[160], command[256];
    one_shard(path);
    snprintf(command, sizeof command,
        "rm %s && ln -s /etc/passwd %s && echo mine > %s/test-v1/notes && mkdir %s/test-v1/zz", path, path, root, root);
    cr_assert_eq(system(command), 0);
    cr_assert_eq(count(1, 3), 0);
    lake_cache_use use;
    cr_assert_eq(lake_cache_remove(root, "test-v1", &use, NULL), LAKE_OK);
    cr_assert_eq(use.shards, 1);
    snprintf(path, sizeof path, "%s/test-v1/notes", root);
    cr_assert_eq(access(path, F_OK), 0);
    cr_assert_eq(access("/etc/passwd", F_OK), 0);
}

Test(cache, writers_at_once_never_harm_each_other) {
    enum { WRITERS = 6, KEYS = 300 };
    for (int w = 0; w < WRITERS; w++)
        if (fork() == 0) {
            lake_arena_init(&arena, 0);
            for (int round = 0; round < 5; round++) {
                lake_cache *c = open_cache(1 << 28);
                for (int i = 0; i < KEYS; i++) {
                    int v = get(c, i);
                    if (v != -1 && v != 5)
                        _exit(1);
                    if ((i + round) % WRITERS == w)
                        put(c, i, 5);
                }
                if (!lake_cache_flush(c))
                    _exit(2);
                lake_cache_close(c);
            }
            lake_arena_clear(&arena);
            _exit(0);
        }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        cr_assert(wait(&status) > 0);
        cr_assert_eq(status, 0);
    }
    cr_assert_gt(count(KEYS, 5), KEYS / 2); /* of two that write at once one wins */
    lake_cache_use use;
    cr_assert_eq(lake_cache_look(root, "test-v1", true, &use, NULL), LAKE_OK);
    cr_assert_eq(use.damaged, 0);
    cr_assert_eq(use.leftovers, 0);
}

Test(cache, stays_within_its_limit) {
    enum { LIMIT = 256 * 1024, KEYS = 12000 };
    for (int round = 0; round < 3; round++) {
        lake_cache *c = open_cache(LIMIT);
        for (int i = 0; i < KEYS; i++)
            put(c, round * KEYS + i, 1);
        cr_assert(lake_cache_flush(c));
        lake_cache_use use;
        cr_assert_eq(lake_cache_look(root, "test-v1", true, &use, NULL), LAKE_OK);
        cr_assert_leq(use.bytes, LIMIT);
        cr_assert_gt(use.bytes, LIMIT / 2);
        cr_assert_eq(use.damaged, 0);
        cr_assert_neq(get(c, round * KEYS + KEYS - 1), -1); /* the newest stay */
        lake_cache_close(c);
    }
}

Test(cache, what_is_used_outlives_what_is_not) {
    enum { LIMIT = 256 * 1024, MORE = 600 };
    lake_cache *c = open_cache(LIMIT);
    put(c, 0, 1);
    for (int round = 1; round < 15; round++) {
        cr_assert_eq(get(c, 0), 1, "round %d", round);
        for (int i = 0; i < MORE; i++)
            put(c, round * MORE + i, 1);
        cr_assert(lake_cache_flush(c));
        lake_cache_close(c);
        c = open_cache(LIMIT);
    }
    cr_assert_eq(get(c, 0), 1);
    lake_cache_close(c);
}

Test(cache, needs_no_right_to_write) {
    fill(100, 2);
    char command[160];
    snprintf(command, sizeof command, "chmod -R a-w '%s'", root);
    cr_assert_eq(system(command), 0);
    lake_cache *c = open_cache(1 << 28);
    cr_assert_eq(get(c, 42), 2);
    put(c, 1000, 2);
    bool written = lake_cache_flush(c);
    cr_assert(!written || geteuid() == 0);
    cr_assert_eq(get(c, 42), 2);
    lake_cache_close(c);
    cr_assert_eq(lake_cache_open("/dev/null/x", "k", 1 << 20, &c, NULL), LAKE_OK);
    put(c, 1, 1);
    cr_assert_eq(get(c, 1), 1);
    cr_assert_not(lake_cache_flush(c));
    cr_assert_eq(get(c, 1), -1);
    lake_cache_close(c);
}

static lake_status once(void *user, lake_error *err) {
    lake_cache *c;
    lake_arena a;
    lake_bytes v;
    (void)user;
    LAKE_TRY(lake_cache_open(root, "test-v1", 1 << 28, &c, err));
    lake_arena_init(&a, 0);
    lake_cache_put(c, text("k"), text("v"));
    bool ok = lake_cache_flush(c) && lake_cache_get(c, text("k"), &a, &v);
    lake_arena_clear(&a);
    lake_cache_close(c);
    return ok ? LAKE_OK : lake_fail_memory(err);
}

Test(cache, lives_without_memory) {
    test_every_allocation(once, NULL);
}
