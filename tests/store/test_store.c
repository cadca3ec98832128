/* Locations and local files. Expected: the command line's contract for --map and `file:` forms; TRAPS J8 (no decoding),
   J11 (a prefix ends at a separator), K2 (exclusive create). */
#include "tests/support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"

static lake_store plain;

static char *folder(void) {
    static char path[64];
    strcpy(path, "/tmp/lake-store-XXXXXX");
    cr_assert(mkdtemp(path));
    return path;
}

static void resolves(const lake_store *store, const char *location, const char *expected) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_error err;
    lake_error_init(&err);
    lake_str path = {0};
    lake_status s = lake_store_resolve(store, &a, lake_str_of(location), &path, &err);
    if (expected) {
        cr_assert_eq(s, LAKE_OK, "%s: %s", location, err.message);
        cr_assert_str_eq(path.ptr, expected, "%s gave %s", location, path.ptr);
    } else {
        cr_assert_neq(s, LAKE_OK, "%s gave %s", location, path.ptr);
        cr_assert(err.message[0]);
    }
    lake_arena_clear(&a);
}

Test(store, file_forms_are_paths_and_nothing_is_decoded) {
    resolves(&plain, "/a/b", "/a/b");
    resolves(&plain, "a/b", "a/b");
    resolves(&plain, "file:/a/b", "/a/b");
    resolves(&plain, "file:///a/b", "/a/b");
    resolves(&plain, "file://localhost/a/b", "/a/b");
    resolves(&plain, "file:a", "a");
    resolves(&plain, "file:///a/dir%20x/p=a+b/x%3Ay z", "/a/dir%20x/p=a+b/x%3Ay z");
    resolves(&plain, "/a/ts=2020-01-01T00:00:00/f", "/a/ts=2020-01-01T00:00:00/f");
    resolves(&plain, "a:b", "a:b");
    resolves(&plain, "file://host/a", NULL);
    resolves(&plain, "s3://b/k", NULL);
    resolves(&plain, "hdfs:/k", NULL);
    resolves(&plain, "", NULL);
}

Test(store, an_unknown_scheme_is_named) {
    lake_error err;
    lake_error_init(&err);
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_str path;
    cr_assert_eq(lake_store_resolve(&plain, &a, LAKE_STR("gs://b/k"), &path, &err), LAKE_ERR_UNSUPPORTED);
    cr_assert(strstr(err.message, "'gs'"), "%s", err.message);
    lake_arena_clear(&a);
}

Test(store, the_longest_map_wins_and_ends_at_a_separator) {
    lake_map maps[] = {{LAKE_STR("s3://b/t"), LAKE_STR("/x")}, {LAKE_STR("s3://b/t/data/"), LAKE_STR("/y/")},
        {LAKE_STR("/old"), LAKE_STR("file:///new")}, {LAKE_STR("file:/other"), LAKE_STR("/z")},
        {LAKE_STR("gs://"), LAKE_STR("/gs")}, {LAKE_STR("abfs://c"), LAKE_STR("s3://b/t")},
        {LAKE_STR("data/p/"), LAKE_STR("/copy/")}};
    lake_store s = {.maps = maps, .nmaps = 7};
    resolves(&s, "./data/p/t", "/copy/t");
    resolves(&s, "data/p/t", "/copy/t");
    resolves(&s, "./other", "./other");
    resolves(&s, "s3://b/t/metadata/v1.metadata.json", "/x/metadata/v1.metadata.json");
    resolves(&s, "s3://b/t", "/x");
    resolves(&s, "s3://b/t/data/f", "/y/f");
    resolves(&s, "s3://b/t/data", "/y/");
    resolves(&s, "s3://b/t/data2/f", "/x/data2/f");
    resolves(&s, "s3://b/t_2/f", NULL);
    resolves(&s, "file:///old/a", "/new/a");
    resolves(&s, "/older/a", "/older/a");
    resolves(&s, "/other/a", "/z/a");
    resolves(&s, "gs://bucket/k", "/gs/bucket/k");
    resolves(&s, "abfs://c/k", NULL); /* maps are applied once */
}

Test(store, create_is_exclusive_whole_and_makes_folders) {
    char path[256];
    snprintf(path, sizeof path, "%s/a/b/f%%20 x+y", folder());
    lake_error err;
    lake_error_init(&err);
    cr_assert_eq(
        lake_store_create(&plain, lake_str_of(path), lake_bytes_of(LAKE_STR("one")), &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(lake_store_create(&plain, lake_str_of(path), lake_bytes_of(LAKE_STR("two")), &err), LAKE_ERR_EXISTS);
    lake_blob b;
    cr_assert_eq(lake_store_read(&plain, lake_str_of(path), &b, &err), LAKE_OK);
    cr_assert(b.size == 3 && memcmp(b.data, "one", 3) == 0);
    lake_blob_clear(&b);
    cr_assert_eq(
        lake_store_replace(&plain, lake_str_of(path), lake_bytes_of(LAKE_STR("")), &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(lake_store_read(&plain, lake_str_of(path), &b, &err), LAKE_OK);
    cr_assert_eq(b.size, 0);
    lake_blob_clear(&b);
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_str *names, dir = {path, strlen(path) - strlen("/f%20 x+y")};
    size_t n;
    cr_assert_eq(lake_store_list(&plain, &a, dir, &names, &n, &err), LAKE_OK);
    cr_assert(n == 1 && lake_str_is(names[0], "f%20 x+y"), "something else was left behind");
    dir.len -= 2;
    cr_assert_eq(lake_store_list(&plain, &a, dir, &names, &n, &err), LAKE_OK);
    cr_assert_eq(n, 0);
    cr_assert_eq(lake_store_list_folders(&plain, &a, dir, &names, &n, &err), LAKE_OK);
    cr_assert(n == 1 && lake_str_is(names[0], "b"));
    lake_arena_clear(&a);
    cr_assert_eq(lake_store_remove(&plain, lake_str_of(path), &err), LAKE_OK);
    cr_assert_not(lake_store_exists(&plain, lake_str_of(path)));
}

Test(store, a_failed_write_leaves_nothing_not_even_folders) {
    char path[256], *dir = folder();
    snprintf(path, sizeof path, "%s/a/b/f", dir);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){1000, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    static uint8_t data[5000];
    lake_error err;
    lake_error_init(&err);
    lake_status create = lake_store_create(&plain, lake_str_of(path), (lake_bytes){data, sizeof data}, &err);
    lake_status replace = lake_store_replace(&plain, lake_str_of(path), (lake_bytes){data, sizeof data}, NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    cr_assert_eq(create, LAKE_ERR_IO);
    cr_assert_eq(replace, LAKE_ERR_IO);
    cr_assert(strstr(err.message, path) && strstr(err.message, "cannot write"), "%s", err.message);
    snprintf(path, sizeof path, "%s/a", dir);
    cr_assert_neq(access(path, F_OK), 0);
    cr_assert_eq(rmdir(dir), 0);
}

Test(store, ranges_are_exact_and_a_torn_file_is_malformed) {
    char path[256];
    snprintf(path, sizeof path, "%s/f", folder());
    lake_error err;
    lake_error_init(&err);
    cr_assert_eq(lake_store_create(&plain, lake_str_of(path), lake_bytes_of(LAKE_STR("0123456789")), &err), LAKE_OK);
    lake_file *f;
    char got[8] = {0};
    cr_assert_eq(lake_store_open(&plain, lake_str_of(path), &f, &err), LAKE_OK);
    cr_assert_eq(lake_file_size(f), 10);
    cr_assert_eq(lake_file_read(f, 7, got, 3, &err), LAKE_OK);
    cr_assert_str_eq(got, "789");
    cr_assert_eq(lake_file_read(f, 7, got, 4, &err), LAKE_ERR_MALFORMED);
    cr_assert(err.offset == 10 && strstr(err.message, "ends at byte 10"), "%s", err.message);
    cr_assert_eq(lake_file_read(f, UINT64_MAX, got, 4, &err), LAKE_ERR_MALFORMED);
    lake_file_close(f);
}

Test(store, what_cannot_be_read_says_so, .timeout = 60) {
    char *dir = folder();
    char path[256];
    lake_blob b;
    lake_file *f;
    lake_error err;
    lake_error_init(&err);
    snprintf(path, sizeof path, "%s/none", dir);
    cr_assert_eq(lake_store_read(&plain, lake_str_of(path), &b, &err), LAKE_ERR_NOT_FOUND);
    cr_assert(strstr(err.message, path));
    cr_assert_eq(lake_store_read(&plain, lake_str_of(dir), &b, &err), LAKE_ERR_IO);
    cr_assert_eq(lake_store_open(&plain, lake_str_of(dir), &f, &err), LAKE_ERR_IO);
    lake_store small = {.max_file = 4};
    cr_assert_eq(lake_store_create(&plain, lake_str_of(path), lake_bytes_of(LAKE_STR("12345")), &err), LAKE_OK);
    cr_assert_eq(lake_store_read(&small, lake_str_of(path), &b, &err), LAKE_ERR_LIMIT);
    snprintf(path, sizeof path, "%s/pipe", dir);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_assert_eq(lake_store_open(&plain, lake_str_of(path), &f, &err), LAKE_ERR_IO);
    cr_assert_eq(lake_store_read(&plain, lake_str_of(path), &b, &err), LAKE_OK, "no writer: empty, and no waiting");
    cr_assert_eq(b.size, 0);
    lake_blob_clear(&b);
    cr_assert_eq(lake_store_read(&plain, LAKE_STR("/dev/zero"), &b, &err), LAKE_ERR_LIMIT);
    cr_assert(
        strstr(err.message, "268435456"), "far below the limit for files, since there is no end: %s", err.message);
}

static lake_status cycle(void *user, lake_error *err) {
    lake_str at = lake_str_of(user);
    LAKE_TRY(lake_store_create(&plain, at, lake_bytes_of(LAKE_STR("x")), err));
    lake_blob b = {0};
    lake_file *f = NULL;
    lake_status s = lake_store_read(&plain, at, &b, err);
    lake_blob_clear(&b);
    if (s == LAKE_OK)
        s = lake_store_open(&plain, at, &f, err);
    lake_file_close(f);
    if (s == LAKE_OK)
        s = lake_store_replace(&plain, at, lake_bytes_of(LAKE_STR("y")), err);
    unlink(user);
    return s;
}

Test(store, every_failing_allocation_is_clean) {
    char path[256];
    snprintf(path, sizeof path, "%s/f", folder());
    test_every_allocation(cycle, path);
}
