/* How locations are recorded: absolute, with the reverse of --map. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support.h"
#include "writer/manifest_files.h"

static void check(const lake_store *store, const char *given, const char *want) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_str got;
    lake_error err;
    lake_error_init(&err);
    cr_assert_eq(lake_location_recorded(store, &arena, given, &got, &err), LAKE_OK, "%s", err.message);
    cr_expect_str_eq(got.ptr, want, "%s", given);
    cr_expect_eq(strlen(got.ptr), got.len);
    lake_arena_clear(&arena);
}

Test(location, paths_become_absolute_and_uris_stay) {
    const lake_store store = {0};
    char cwd[PATH_MAX], want[PATH_MAX + 64];
    cr_assert_not_null(getcwd(cwd, sizeof cwd));
    snprintf(want, sizeof want, "%s/data/f.parquet", cwd);
    check(&store, "data/f.parquet", want);
    check(&store, "./data//./f.parquet", want);
    check(&store, "data/no-such-folder/../f.parquet", want);
    check(&store, "/a/b", "/a/b");
    check(&store, "/a/./b//c", "/a/b/c");
    check(&store, "/../a", "/a");
    check(&store, "/p=a%20b/c+d e", "/p=a%20b/c+d e");
    check(&store, "s3://b/t/../x//y", "s3://b/t/../x//y");
    check(&store, "file:///a/b", "file:///a/b");
    check(&store, "file:/a/b", "file:/a/b");
}

Test(location, what_lies_under_to_is_recorded_under_from) {
    const lake_map maps[] = {
        {LAKE_STR("s3://lake/"), LAKE_STR("/disk/lake/")},
        {LAKE_STR("s3://lake/special"), LAKE_STR("/disk/lake/deep/special")},
        {LAKE_STR("data/persistent/"), LAKE_STR("/disk/foreign")},
        {LAKE_STR("s3://copy"), LAKE_STR("gs://other/copy")},
    };
    const lake_store store = {.maps = maps, .nmaps = 4};
    check(&store, "/disk/lake/t/f.parquet", "s3://lake/t/f.parquet");
    check(&store, "file:///disk/lake/t/f.parquet", "s3://lake/t/f.parquet");
    check(&store, "/disk/lake/deep/special/f", "s3://lake/special/f"); /* the longest wins */
    check(&store, "/disk/lake/deep/f", "s3://lake/deep/f");
    check(&store, "/disk/lake_2/f", "/disk/lake_2/f"); /* only up to a separator */
    check(&store, "/disk/foreign/x", "data/persistent/x");
    check(&store, "gs://other/copy/x", "s3://copy/x");
    /* a location that the map takes is recorded as it is */
    check(&store, "s3://lake/t/f.parquet", "s3://lake/t/f.parquet");
    check(&store, "data/persistent/x", "data/persistent/x");
    check(&store, "s3://unknown/x", "s3://unknown/x");
}

Test(location, relative_to_is_found_under_its_absolute_form) {
    char folder[] = "/tmp/lake-location-XXXXXX", path[PATH_MAX];
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
    const lake_map map = {LAKE_STR("s3://b/"), LAKE_STR("here/")};
    const lake_store store = {.maps = &map, .nmaps = 1};
    check(&store, "here/f", "s3://b/f");
    snprintf(path, sizeof path, "%s/here/f", folder);
    check(&store, path, "s3://b/f");
    cr_assert_eq(chdir("/"), 0);
    rmdir(folder);
}

Test(location, empty_is_refused) {
    const lake_store store = {0};
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_str out;
    cr_expect_eq(lake_location_recorded(&store, &arena, "", &out, NULL), LAKE_ERR_USAGE);
    lake_arena_clear(&arena);
}
