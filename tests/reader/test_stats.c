/* Statistics of Parquet files against the corpus: counted from the values by its maker (corpus README, "Metrics
 * corpus"). */
#include "reader/stats.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support.h"

static const char *corpus(void) {
    const char *dir = getenv("LAKE_CORPUS");
    return dir && *dir ? dir : LAKE_SOURCE_ROOT "/../shared/corpus";
}

/* A whole file outside the source tree; ptr NULL if there is none. */
static lake_str slurp(lake_arena *arena, const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f)
        return (lake_str){0};
    fseek(f, 0, SEEK_END);
    size_t n = (size_t)ftell(f);
    rewind(f);
    char *p = lake_arena_alloc(arena, n + 1);
    size_t got = p ? fread(p, 1, n, f) : 0;
    fclose(f);
    return (lake_str){p, got};
}

static lake_json *parse(lake_arena *arena, const char *dir, const char *name, const char *ending) {
    lake_error err = {0};
    lake_json *v = NULL;
    lake_str path = lake_arena_printf(arena, "%s/%s%s", dir, name, ending), text = slurp(arena, path.ptr);
    cr_assert(text.ptr, "%s cannot be read", path.ptr);
    cr_assert_eq(lake_json_parse(arena, text, path.ptr, &v, &err), LAKE_OK, "%s", err.message);
    return v;
}

static const char *hex_of(lake_arena *arena, const lake_type *t, bool has, lake_key k) {
    uint8_t scratch[16];
    return has ? test_to_hex(arena, lake_value_to_binary(t, k, scratch)) : "none";
}

static void expect_hex(const char *file, const char *column, const char *what, const lake_json *want, const char *got) {
    lake_str w = lake_json_is(want, LAKE_JSON_STRING) ? want->text : LAKE_STR("none");
    cr_expect(lake_str_is(w, got), "%s: column %s: %s is %s, must be %.*s", file, column, what, got, LAKE_ARG(w));
}

static void expect_count(const char *file, const char *column, const char *what, const lake_json *want, int64_t got) {
    int64_t w = -1;
    if (want)
        cr_assert(lake_json_i64(want, &w));
    cr_expect_eq(w, got, "%s: column %s: %s are %lld, must be %lld", file, column, what, (long long)got, (long long)w);
}

static void compare(lake_arena *arena, const char *name, const lake_json *want, const lake_file_stats *got) {
    const lake_json *columns = lake_json_get(want, "columns");
    int64_t rows = -1;
    cr_assert(lake_json_i64(lake_json_get(want, "rows"), &rows) && lake_json_is(columns, LAKE_JSON_OBJECT));
    cr_expect_eq(rows, got->record_count, "%s", name);
    cr_expect_eq(columns->count, got->ncolumns, "%s: %zu columns, must be %zu", name, got->ncolumns, columns->count);
    for (size_t i = 0; i < columns->count; i++) {
        const lake_json *c = columns->members[i].value;
        int32_t id = atoi(columns->members[i].name.ptr);
        const lake_column_stats *s = NULL;
        for (size_t k = 0; k < got->ncolumns; k++)
            if (got->columns[k].field->id == id)
                s = &got->columns[k];
        cr_assert(s, "%s: no statistics of column %d", name, id);
        lake_str full = lake_json_get(c, "name")->text;
        cr_expect(lake_str_eq(full, s->name), "%s: %.*s is called %.*s", name, LAKE_ARG(full), LAKE_ARG(s->name));
        const char *column = s->name.ptr;
        expect_count(name, column, "values", lake_json_get(c, "values"), s->values);
        expect_count(name, column, "nulls", lake_json_get(c, "nulls"), s->nulls);
        expect_count(name, column, "nans", lake_json_get(c, "nans"), s->nans);
        expect_hex(
            name, column, "min", lake_json_get(c, "min_hex"), hex_of(arena, &s->field->type, s->has_min, s->min));
        expect_hex(
            name, column, "max", lake_json_get(c, "max_hex"), hex_of(arena, &s->field->type, s->has_max, s->max));
    }
}

/* The official library's column sizes and split offsets, where it gives them. */
static void compare_sizes(const char *name, const lake_json *want, const lake_file_stats *got) {
    const lake_json *sizes = lake_json_find(lake_json_find(want, "iceberg"), "column_sizes");
    for (size_t i = 0; sizes && i < sizes->count; i++) {
        int64_t w = -1;
        int32_t id = atoi(sizes->members[i].name.ptr);
        cr_assert(lake_json_i64(sizes->members[i].value, &w));
        for (size_t k = 0; k < got->ncolumns; k++)
            if (got->columns[k].field->id == id)
                cr_expect_eq(w, got->columns[k].column_size, "%s: column %d: size", name, id);
    }
    const lake_json *splits = lake_json_find(lake_json_find(want, "iceberg"), "split_offsets");
    if (!splits)
        return;
    cr_expect_eq(splits->count, got->nsplit_offsets, "%s: split offsets", name);
    for (size_t i = 0; i < splits->count && i < got->nsplit_offsets; i++) {
        int64_t w = -1;
        cr_expect(lake_json_i64(splits->items[i], &w) && w == got->split_offsets[i], "%s: split offset %zu", name, i);
    }
}

/* By the footer alone: equal to the data, around it, or unknown. */
static void check_footer_only(
    lake_arena *arena, const char *name, lake_str path, const lake_schema *schema, const lake_file_stats *exact) {
    lake_store store = {0};
    lake_error err = {0};
    lake_file_stats got;
    lake_file_stats_options options = {.schema = schema, .footer_only = true};
    cr_assert_eq(lake_file_stats_read(&store, path, &options, arena, &got, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(got.ncolumns, exact->ncolumns);
    for (size_t i = 0; i < got.ncolumns; i++) {
        const lake_column_stats *a = &exact->columns[i], *b = &got.columns[i];
        lake_key_kind kind = lake_type_kind(&a->field->type);
        cr_expect(b->values == -1 || b->values == a->values, "%s: %s: values", name, a->name.ptr);
        cr_expect(b->nulls == -1 || b->nulls == a->nulls, "%s: %s: nulls", name, a->name.ptr);
        cr_expect(b->nans == -1 || b->nans == a->nans, "%s: %s: NaNs", name, a->name.ptr);
        if (!b->has_min || !a->has_min)
            continue;
        int lo = lake_key_cmp_total(kind, b->min, a->min), hi = lake_key_cmp_total(kind, b->max, a->max);
        cr_expect(lo <= 0 && hi >= 0, "%s: %s: bounds too tight", name, a->name.ptr);
        cr_expect((lo == 0 || b->min_loose) && (hi == 0 || b->max_loose), "%s: %s: loose", name, a->name.ptr);
    }
}

static void check_file(const char *dir, const char *name, unsigned threads, size_t page_whole) {
    lake_arena arena;
    lake_error err = {0};
    lake_schema *schema = NULL;
    lake_file_stats got;
    lake_store store = {0};
    lake_arena_init(&arena, 0);
    lake_json *want = parse(&arena, dir, name, ".expected.json");
    lake_json *schema_json = parse(&arena, dir, name, ".schema.json");
    cr_assert_eq(lake_schema_read(&arena, schema_json, &schema, &err), LAKE_OK, "%s: %s", name, err.message);
    lake_str path = lake_arena_printf(&arena, "%s/%s.parquet", dir, name);
    lake_file_stats_options options = {.schema = schema, .threads = threads, .page_whole = page_whole};
    lake_status st = lake_file_stats_read(&store, path, &options, &arena, &got, &err);
    cr_expect_eq(st, LAKE_OK, "%s: %s", name, err.message);
    if (st == LAKE_OK) {
        compare(&arena, name, want, &got);
        compare_sizes(name, want, &got);
        check_footer_only(&arena, name, path, schema, &got);
    }
    lake_arena_clear(&arena);
}

Test(stats, metrics_corpus_is_equal) {
    char dir[4096];
    snprintf(dir, sizeof dir, "%s/given/metrics", corpus());
    DIR *d = opendir(dir);
    if (!d)
        cr_skip_test("corpus absent: %s", dir);
    size_t n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char *dot = strstr(e->d_name, ".parquet");
        if (!dot || dot[8])
            continue;
        *dot = 0;
        check_file(dir, e->d_name, 1, 0);
        check_file(dir, e->d_name, 3, 0);
        check_file(dir, e->d_name, 1, 1); /* every page piece by piece */
        n++;
    }
    closedir(d);
    cr_assert_eq(n, 52);
}

/* Made for this test (PyArrow reads a: 5, 5, 5, 6 and x: NaN, 1, NaN, NaN): dictionaries [100, 5, -7] and [NaN, 1, 2]
   of which only some values are referenced, then a plain page in the same chunk. */
static const char fallback[] =
    "504152311504153015304c15061500000064000000000000000500000000000000f9ffffffffffffff1500150815082c15061510150615"
    "060000020315001500151015102c1502150015061506000006000000000000001504153015304c150615000000000000000000f87f0000"
    "00000000f03f00000000000000401500150815082c15061510150615060000020304001500151015102c15021500150615060000000000"
    "000000f87f1502193c4804726f6f741504001504250018016100150a2500180178001608191c192c26001c150419250010191801611500"
    "160816a60116a60126522608000026001c150a19250010191801781500160816a60116a60126f80126ae01000016c80116080000660000"
    "0050415231";

Test(stats, only_referenced_values_of_a_dictionary_count) {
    lake_arena arena;
    lake_store store = {0};
    lake_error err = {0};
    lake_file_stats got;
    char path[] = "/tmp/lake-stats-XXXXXX";
    lake_arena_init(&arena, 0);
    lake_bytes file = test_hex(&arena, fallback);
    int fd = mkstemp(path);
    cr_assert(fd >= 0 && write(fd, file.ptr, file.len) == (ssize_t)file.len);
    close(fd);
    lake_status st = lake_file_stats_read(&store, lake_str_of(path), NULL, &arena, &got, &err);
    unlink(path);
    cr_assert_eq(st, LAKE_OK, "%s", err.message);
    cr_assert(got.ncolumns == 2 && got.record_count == 4 && got.nsplit_offsets == 1 && got.split_offsets[0] == 4);
    cr_expect(got.columns[0].min.i == 5 && got.columns[0].max.i == 6 && got.columns[0].nulls == 0);
    cr_expect(got.columns[1].min.f == 1 && got.columns[1].max.f == 1 && got.columns[1].nans == 3);
    lake_arena_clear(&arena);
}
