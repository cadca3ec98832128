/* Parquet files of apache/parquet-testing and apache/iceberg's tests against brute force, and bad files. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "reader/parquet_file.h"
#include "reader/stats.h"
#include "tests/support.h"

static const char *corpus(void) {
    const char *dir = getenv("LAKE_FOREIGN");
    return dir && *dir ? dir : LAKE_SOURCE_ROOT "/../shared/corpus";
}

static const char *hex_of(lake_arena *arena, const lake_type *t, bool has, lake_key k) {
    uint8_t scratch[16];
    return has ? test_to_hex(arena, lake_value_to_binary(t, k, scratch)) : "none";
}

/* The vector may hold the first 32 bytes and the length only. */
static bool same_hex(const char *want, const char *got) {
    const char *plus = strchr(want, '+');
    if (!plus)
        return strcmp(want, got) == 0;
    return strlen(got) / 2 == strtoul(plus + 1, NULL, 10) && strncmp(want, got, (size_t)(plus - want)) == 0;
}

/* Where we refuse what PyArrow reads, and why. */
static const char *refused(const char *file) {
    static const char *const table[][2] = {
        {"datapage_v1-corrupt-checksum", "checksum"},
        {"rle-dict-uncompressed-corrupt-checksum", "checksum"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strstr(file, table[i][0]))
            return table[i][1];
    return NULL;
}

typedef struct open_stats {
    char name[512];
    lake_arena arena;
    lake_status status;
    lake_error err;
    lake_file_stats stats;
    const lake_field **fields; /* by leaf */
    size_t nleaves;
} open_stats;

static void open_next(open_stats *o, const char *name, size_t page_whole) {
    lake_store store = {0};
    const lake_file_stats_options options = {.page_whole = page_whole};
    lake_arena_clear(&o->arena);
    lake_arena_init(&o->arena, 0);
    snprintf(o->name, sizeof o->name, "%s", name);
    lake_str path = lake_arena_printf(&o->arena, "%s/%s", corpus(), name);
    lake_error_init(&o->err);
    o->status = lake_file_stats_read(&store, path, &options, &o->arena, &o->stats, &o->err);
}

static void compare_all(size_t page_whole) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    DIR *d = opendir(corpus());
    if (!d)
        cr_skip_test("absent: %s", corpus());
    closedir(d);
    test_table t = test_vectors(&arena, "parquet_foreign.tsv");
    open_stats *o = lake_mem_zalloc(1, sizeof *o);
    size_t leaf = 0, compared = 0;
    for (size_t r = 0; r < t.nrows; r++, leaf++) {
        const char *file = test_cell(&t, r, "file");
        if (strcmp(file, o->name) != 0) {
            open_next(o, file, page_whole);
            leaf = 0;
        }
        if (refused(file)) {
            cr_expect(o->status != LAKE_OK && strstr(o->err.message, refused(file)), "%s: %s", file, o->err.message);
            continue;
        }
        cr_expect_eq(o->status, LAKE_OK, "%s", o->err.message);
        if (o->status != LAKE_OK)
            continue;
        cr_assert_lt(leaf, o->stats.ncolumns, "%s: %zu columns", file, o->stats.ncolumns);
        /* Fresh ids go level by level: find the leaf by its place in the file. */
        const lake_column_stats *s = NULL;
        for (size_t i = 0; i < o->stats.ncolumns; i++)
            if (o->stats.columns[i].leaf == leaf)
                s = &o->stats.columns[i];
        cr_assert(s, "%s: leaf %zu", file, leaf);
        cr_expect_eq(s->values, atoll(test_cell(&t, r, "values")), "%s: %s: values %lld", file, s->name.ptr,
            (long long)s->values);
        cr_expect_eq(
            s->nulls, atoll(test_cell(&t, r, "nulls")), "%s: %s: nulls %lld", file, s->name.ptr, (long long)s->nulls);
        cr_expect_eq(
            s->nans, atoll(test_cell(&t, r, "nans")), "%s: %s: nans %lld", file, s->name.ptr, (long long)s->nans);
        const char *min = hex_of(&o->arena, &s->field->type, s->has_min, s->min), *want = test_cell(&t, r, "min");
        cr_expect(same_hex(want, min), "%s: %s: min %s, must be %s", file, s->name.ptr, min, want);
        const char *max = hex_of(&o->arena, &s->field->type, s->has_max, s->max);
        want = test_cell(&t, r, "max");
        cr_expect(same_hex(want, max), "%s: %s: max %s, must be %s", file, s->name.ptr, max, want);
        compared++;
    }
    lake_arena_clear(&o->arena);
    lake_mem_free(o);
    lake_arena_clear(&arena);
    cr_expect_gt(compared, 500);
}

Test(foreign, statistics_are_those_of_the_values) {
    compare_all(0);
}

Test(foreign, pages_read_piece_by_piece_give_the_same) {
    compare_all(1);
}

/* Every file of a folder ends in an error that names it. */
static size_t all_fail(const char *folder, const char *ending, const char *why) {
    char dir[4096];
    size_t n = 0;
    snprintf(dir, sizeof dir, "%s/%s", corpus(), folder);
    DIR *d = opendir(dir);
    if (!d)
        cr_skip_test("absent: %s", dir);
    open_stats *o = lake_mem_zalloc(1, sizeof *o);
    for (struct dirent *e; (e = readdir(d));) {
        size_t len = strlen(e->d_name), end = strlen(ending);
        if (len < end || strcmp(e->d_name + len - end, ending) != 0)
            continue;
        if (strstr(e->d_name, "ARROW-GH-43605")) /* legal: indexes of no bits; in parquet_foreign.tsv */
            continue;
        char name[1024];
        snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
        open_next(o, name, 0);
        cr_expect_neq(o->status, LAKE_OK, "%s is read", e->d_name);
        cr_expect(
            strstr(o->err.message, e->d_name) && strstr(o->err.message, why), "%s: %s", e->d_name, o->err.message);
        if (getenv("LAKE_SHOW"))
            fprintf(stderr, "%s\n", o->err.message);
        n++;
    }
    closedir(d);
    lake_arena_clear(&o->arena);
    lake_mem_free(o);
    return n;
}

Test(foreign, encrypted_files_are_refused_by_name) {
    cr_expect_eq(all_fail("parquet-testing/data", ".encrypted", "encrypted"), 8);
}

static _Atomic size_t largest_block;

static bool note_size(size_t size) {
    if (size > largest_block)
        largest_block = size;
    return true;
}

/* Two values of a GiB each, in a page that is 2 KiB when compressed. */
Test(foreign, a_page_of_two_gigabytes_is_read_piece_by_piece) {
    static const char file[] = "parquet-testing/data/large_string_map.brotli.parquet";
    lake_arena arena;
    lake_arena_init(&arena, 0);
    if (access(lake_arena_printf(&arena, "%s/%s", corpus(), file).ptr, R_OK) != 0)
        cr_skip_test("absent: %s", file);
    open_stats *o = lake_mem_zalloc(1, sizeof *o);
    largest_block = 0;
    lake_mem_test_hook = note_size;
    open_next(o, file, 0);
    lake_mem_test_hook = NULL;
    cr_assert_eq(o->status, LAKE_OK, "%s", o->err.message);
    cr_assert_eq(o->stats.ncolumns, 2);
    const lake_column_stats *key = &o->stats.columns[0];
    cr_expect(key->values == 2 && key->nulls == 0 && key->min_loose && key->max_loose);
    cr_expect_eq(key->min.b.len, 4 << 20);
    cr_expect(key->max.b.len <= 4 << 20 && key->max.b.ptr[key->max.b.len - 1] == 'b', "the bound is above all a's");
    cr_expect_lt(largest_block, 9 << 20, "%zu", largest_block);
    lake_arena_clear(&o->arena);
    lake_mem_free(o);
    lake_arena_clear(&arena);
}

Test(foreign, bad_files_end_in_an_error) {
    cr_expect_eq(all_fail("parquet-testing/bad_data", ".parquet", ""), 7);
}

/* ---- footer only */

/* What the footer alone gives must hold for the data: equal where it claims to be, else around it. */
static void compare_footer_only(
    const char *file, const lake_file_stats *exact, const lake_file_stats *footer, size_t *known) {
    cr_assert_eq(exact->ncolumns, footer->ncolumns);
    for (size_t i = 0; i < exact->ncolumns; i++) {
        const lake_column_stats *a = &exact->columns[i], *b = &footer->columns[i];
        lake_key_kind kind = lake_type_kind(&a->field->type);
        cr_expect(b->values == -1 || b->values == a->values, "%s: %s: values", file, a->name.ptr);
        cr_expect(b->nulls == -1 || b->nulls == a->nulls, "%s: %s: nulls %lld", file, a->name.ptr, (long long)b->nulls);
        cr_expect(b->nans == -1 || b->nans == a->nans, "%s: %s: NaNs", file, a->name.ptr);
        if (!b->has_min)
            continue;
        (*known)++;
        if (!a->has_min)
            continue; /* only NaNs: any bound will do */
        int lo = lake_key_cmp_total(kind, b->min, a->min), hi = lake_key_cmp_total(kind, b->max, a->max);
        cr_expect(lo <= 0 && hi >= 0, "%s: %s: bounds too tight", file, a->name.ptr);
        cr_expect((lo == 0 || b->min_loose) && (hi == 0 || b->max_loose), "%s: %s: loose bounds called exact", file,
            a->name.ptr);
    }
}

Test(foreign, footers_never_claim_more_than_the_data_has) {
    lake_arena arena;
    lake_store store = {0};
    lake_arena_init(&arena, 0);
    DIR *d = opendir(corpus());
    if (!d)
        cr_skip_test("absent: %s", corpus());
    closedir(d);
    test_table t = test_vectors(&arena, "parquet_foreign.tsv");
    const char *last = "";
    size_t known = 0;
    open_stats *o = lake_mem_zalloc(1, sizeof *o);
    for (size_t r = 0; r < t.nrows; r++) {
        const char *file = test_cell(&t, r, "file");
        if (strcmp(file, last) == 0 || refused(file))
            continue;
        last = file;
        open_next(o, file, 0);
        lake_file_stats footer;
        lake_error err = {0};
        lake_file_stats_options options = {.footer_only = true};
        lake_str path = lake_arena_printf(&o->arena, "%s/%s", corpus(), file);
        cr_assert_eq(
            lake_file_stats_read(&store, path, &options, &o->arena, &footer, &err), LAKE_OK, "%s", err.message);
        compare_footer_only(file, &o->stats, &footer, &known);
    }
    lake_arena_clear(&o->arena);
    lake_mem_free(o);
    lake_arena_clear(&arena);
    cr_expect_gt(known, 100, "%zu", known);
}
