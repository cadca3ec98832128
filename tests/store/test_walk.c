/* Listing trees of folders: what is found, what is never opened, limits. */
#include "store/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support.h"

static lake_store store;
static char root[64];

static const char *in_root(const char *name) {
    static char path[8][300];
    static int turn;
    turn = (turn + 1) % 8;
    snprintf(path[turn], sizeof path[turn], "%s/%s", root, name);
    return path[turn];
}

static void put(const char *name, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s", in_root(name));
    for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        cr_assert(mkdir(path, 0777) == 0 || errno == EEXIST);
        *p = '/';
    }
    FILE *f = fopen(path, "w");
    cr_assert(f, "%s", path);
    fputs(text, f);
    fclose(f);
}

static void begin(void) {
    strcpy(root, "/tmp/lake_walk_XXXXXX");
    cr_assert(mkdtemp(root));
}

static void end(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    cr_assert_eq(system(command), 0);
}

TestSuite(walk, .init = begin, .fini = end);

/* The files' paths below the root, a space between; "!" and the status's name for an error. */
static const char *walk(const char *const *names, size_t n, lake_walk_options options, lake_walk *counts) {
    static char out[4000];
    lake_str locations[8];
    lake_error err;
    lake_walk w;
    out[0] = 0;
    lake_error_init(&err);
    for (size_t i = 0; i < n; i++)
        locations[i] = lake_str_of(in_root(names[i]));
    lake_status s = lake_store_walk(&store, locations, n, &options, &w, &err);
    if (s != LAKE_OK) {
        snprintf(out, sizeof out, "! %s: %s", lake_status_name(s), err.message);
        return out;
    }
    for (size_t i = 0; i < w.nfiles; i++) {
        strncat(out, i ? " " : "", 2);
        strncat(out, w.files[i].path.ptr + strlen(root) + 1, 200);
    }
    if (counts)
        *counts = w;
    lake_walk_clear(&w);
    return out;
}

#define WALK(counts, options, ...)                                                                                     \
    walk((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), options,     \
        counts)

Test(walk, finds_files_in_order_of_their_bytes_whatever_the_threads) {
    put("b/2", "x");
    put("b/10", "x");
    put("a b/z", "x");
    put("a/c/d", "x");
    put("B", "x");
    put("\xc3\xa9/f", "x");
    for (unsigned threads = 1; threads <= 4; threads++) {
        lake_walk counts;
        const char *got = WALK(&counts, ((lake_walk_options){.threads = threads}), ".");
        cr_expect_str_eq(got, "./B ./a b/z ./a/c/d ./b/10 ./b/2 ./\xc3\xa9/f");
        cr_expect_eq(counts.found, 6);
        cr_expect_eq(counts.listed, 6);
    }
}

Test(walk, leaves_hidden_and_empty_files_out) {
    put("_SUCCESS", "x");
    put(".f.crc", "x");
    put("_temporary/0/f", "x");
    put(".cache/f", "x");
    put("_k=1/f", "x");
    put("empty", "");
    put("f", "x");
    lake_walk counts;
    cr_expect_str_eq(WALK(&counts, (lake_walk_options){0}, "."), "./_k=1/f ./f");
    cr_expect_eq(counts.empty, 1);
}

Test(walk, takes_files_that_are_named_themselves) {
    put("a/f", "x");
    put("a/_g", "x");
    cr_expect_str_eq(WALK(NULL, (lake_walk_options){0}, "a/_g", "a/f"), "a/_g a/f");
    cr_expect_str_eq(WALK(NULL, (lake_walk_options){0}, "a///"), "a/f");
}

Test(walk, ends_where_links_lead_back) {
    put("a/b/f", "x");
    cr_assert_eq(symlink("..", in_root("a/b/up")), 0);
    cr_assert_eq(symlink(".", in_root("a/b/self")), 0);
    cr_assert_eq(symlink("../../a/b/f", in_root("a/b/g")), 0);
    cr_expect_str_eq(WALK(NULL, (lake_walk_options){0}, "a"), "a/b/f a/b/g");
    cr_assert_eq(symlink("nowhere", in_root("a/dangling")), 0);
    cr_expect_str_eq(WALK(NULL, (lake_walk_options){0}, "a") + strlen("! not-found: ") + strlen(root) + 1,
        "a/dangling: cannot stat: No such file or directory");
}

Test(walk, keeps_its_limits) {
    put("a/b/c/f", "x");
    put("a/g", "x");
    put("h", "x");
    cr_expect(strstr(WALK(NULL, ((lake_walk_options){.max_depth = 2}), "."), "a/b/c: folders are nested more than 2"));
    cr_expect_str_eq(WALK(NULL, ((lake_walk_options){.max_depth = 3}), "."), "./a/b/c/f ./a/g ./h");
    cr_expect(strstr(WALK(NULL, ((lake_walk_options){.max_folders = 3}), "."), "more than 3 folders"));
    cr_expect_str_eq(WALK(NULL, ((lake_walk_options){.max_folders = 4}), "."), "./a/b/c/f ./a/g ./h");
    cr_expect(strstr(WALK(NULL, ((lake_walk_options){.max_files = 2}), "."), "more than 2 files"));
    cr_expect(strstr(WALK(NULL, (lake_walk_options){0}, "nowhere"), "not-found"));
}

static lake_status skip_x(void *user, lake_walk_folder **folders, size_t n, lake_error *err) {
    size_t *levels = user;
    ++*levels;
    for (size_t i = 0; i < n; i++) {
        folders[i]->skip = lake_str_is(folders[i]->name, "x");
        if (i && lake_bytes_cmp(lake_bytes_of(folders[i - 1]->path), lake_bytes_of(folders[i]->path)) > 0)
            return lake_fail(err, LAKE_ERR_INTERNAL, "folders are out of order");
    }
    return LAKE_OK;
}

Test(walk, never_opens_what_the_visitor_skips) {
    put("x/deep/er/f", "x");
    put("y/f", "x");
    put("y/x/f", "x");
    size_t levels = 0;
    lake_walk counts;
    lake_walk_options options = {.level = skip_x, .user = &levels};
    cr_expect_str_eq(WALK(&counts, options, "."), "./y/f");
    cr_expect_eq(counts.found, 4); /* ".", x, y, y/x */
    cr_expect_eq(counts.listed, 2);
    cr_expect_eq(levels, 3);
    cr_expect_str_eq(WALK(&counts, options, "x/deep/er/f", "x"), "x/deep/er/f"); /* its own folder is not x */
}

static lake_status walk_once(void *user, lake_error *err) {
    lake_walk w;
    lake_walk_options options = {.threads = 2};
    lake_str location = lake_str_of(root);
    (void)user;
    lake_status s = lake_store_walk(&store, &location, 1, &options, &w, err);
    if (s == LAKE_OK)
        lake_walk_clear(&w);
    return s;
}

Test(walk, gives_memory_back_whichever_allocation_fails) {
    put("a/b/f", "x");
    put("a/c/g", "x");
    put("h", "x");
    test_every_allocation(walk_once, NULL);
}
