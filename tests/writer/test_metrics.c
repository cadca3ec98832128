/* Metrics modes, and what the official writer recorded for the corpus' Parquet files. */
#include "writer/metrics.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support.h"

static const char *corpus(void) {
    const char *dir = getenv("LAKE_CORPUS");
    return dir && *dir ? dir : LAKE_SOURCE_ROOT "/../shared/corpus";
}

/* ---- modes */

Test(metrics, modes_are_read_in_any_case_and_nothing_else_is) {
    static const struct {
        const char *text;
        bool good;
        lake_metrics_kind kind;
        size_t length;
    } rows[] = {
        {"none", true, LAKE_METRICS_NONE, 0},
        {"Counts", true, LAKE_METRICS_COUNTS, 0},
        {"FULL", true, LAKE_METRICS_FULL, SIZE_MAX},
        {"truncate(16)", true, LAKE_METRICS_TRUNCATE, 16},
        {"Truncate(1)", true, LAKE_METRICS_TRUNCATE, 1},
        {"truncate(2147483647)", true, LAKE_METRICS_TRUNCATE, 2147483647},
        {"truncate(0)", false},
        {"truncate()", false},
        {"truncate(-1)", false},
        {"truncate(16", false},
        {"truncate(16) ", false},
        {"truncate(99999999999)", false},
        {"truncate", false},
        {"fully", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lake_metrics_mode mode = {0};
        cr_expect_eq(lake_metrics_mode_parse(lake_str_of(rows[i].text), &mode), rows[i].good, "%s", rows[i].text);
        if (rows[i].good)
            cr_expect(mode.kind == rows[i].kind && mode.length == rows[i].length, "%s", rows[i].text);
    }
}

static const lake_schema *schema_of(lake_arena *arena, const char *text) {
    lake_json *json;
    lake_schema *schema;
    lake_error err;
    lake_error_init(&err);
    cr_assert_eq(lake_json_parse(arena, lake_str_of(text), NULL, &json, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(lake_schema_read(arena, json, &schema, &err), LAKE_OK, "%s", err.message);
    return schema;
}

static const char nested[] = "{\"type\":\"struct\",\"fields\":["
                             "{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"int\"},"
                             "{\"id\":2,\"name\":\"st\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
                             "{\"id\":3,\"name\":\"x\",\"required\":false,\"type\":\"int\"},"
                             "{\"id\":4,\"name\":\"y\",\"required\":false,\"type\":\"string\"}]}},"
                             "{\"id\":5,\"name\":\"b\",\"required\":false,\"type\":\"string\"},"
                             "{\"id\":6,\"name\":\"c\",\"required\":false,\"type\":\"string\"}]}";

/* Kinds of the columns 1, 3, 4, 5, 6 as letters: n, c, t, f. */
static const char *kinds(const lake_metrics_config *config, char out[6]) {
    static const int32_t ids[] = {1, 3, 4, 5, 6};
    for (size_t i = 0; i < 5; i++)
        out[i] = "nctf"[lake_metrics_config_mode(config, ids[i]).kind];
    out[5] = 0;
    return out;
}

Test(metrics, properties_choose_the_modes) {
    static const struct {
        const char *properties, *kinds;
    } rows[] = {
        {"{}", "ttttt"},
        {"{\"write.metadata.metrics.default\":\"none\"}", "nnnnn"},
        {"{\"write.metadata.metrics.default\":\"nonsense\"}", "ttttt"},
        {"{\"write.metadata.metrics.default\":\"counts\",\"write.metadata.metrics.column.st.y\":\"full\"}", "ccfcc"},
        {"{\"write.metadata.metrics.column.b\":\"nonsense\"}", "ttttt"},
        {"{\"write.metadata.metrics.default\":\"counts\",\"write.metadata.metrics.column.b\":\"nonsense\"}", "ccccc"},
        /* breadth first: the columns of the schema itself before those of its structs */
        {"{\"write.metadata.metrics.max-inferred-column-defaults\":\"3\"}", "tnntt"},
        {"{\"write.metadata.metrics.max-inferred-column-defaults\":\"4\"}", "ttntt"},
        {"{\"write.metadata.metrics.max-inferred-column-defaults\":\"0\"}", "nnnnn"},
        {"{\"write.metadata.metrics.max-inferred-column-defaults\":\"x\"}", "ttttt"},
        {"{\"write.metadata.metrics.max-inferred-column-defaults\":\"1\",\"write.metadata.metrics.column.c\":"
         "\"counts\"}",
            "tnnnc"},
    };
    lake_arena arena;
    lake_arena_init(&arena, 0);
    const lake_schema *schema = schema_of(&arena, nested);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lake_json *properties;
        lake_metrics_config config;
        char got[6];
        cr_assert_eq(lake_json_parse(&arena, lake_str_of(rows[i].properties), NULL, &properties, NULL), LAKE_OK);
        cr_assert_eq(lake_metrics_config_from(&arena, schema, properties, NULL, &config, NULL), LAKE_OK);
        cr_expect_str_eq(kinds(&config, got), rows[i].kinds, "%s", rows[i].properties);
    }
    lake_arena_clear(&arena);
}

Test(metrics, columns_that_the_table_is_sorted_by_get_bounds) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    const lake_schema *schema = schema_of(&arena, nested);
    lake_json *none, *order_json;
    lake_sort_order *order;
    lake_metrics_config config;
    char got[6];
    static const char text[] =
        "{\"order-id\":1,\"fields\":["
        "{\"transform\":\"identity\",\"source-id\":5,\"direction\":\"asc\",\"null-order\":\"nulls-first\"},"
        "{\"transform\":\"bucket[4]\",\"source-id\":6,\"direction\":\"asc\",\"null-order\":\"nulls-first\"}]}";
    cr_assert_eq(
        lake_json_parse(&arena, LAKE_STR("{\"write.metadata.metrics.default\":\"none\"}"), NULL, &none, NULL), LAKE_OK);
    cr_assert_eq(lake_json_parse(&arena, lake_str_of(text), NULL, &order_json, NULL), LAKE_OK);
    cr_assert_eq(lake_sort_order_read(&arena, order_json, &order, NULL), LAKE_OK);
    cr_assert_eq(lake_metrics_config_from(&arena, schema, none, order, &config, NULL), LAKE_OK);
    cr_expect_str_eq(kinds(&config, got), "nnntn");
    lake_arena_clear(&arena);
}

/* ---- against the official writer */

static lake_json *parse_file(lake_arena *arena, const char *path) {
    lake_json *v;
    lake_error err;
    lake_error_init(&err);
    cr_assert_eq(
        lake_json_parse(arena, lake_text_of(test_file(arena, path)), path, &v, &err), LAKE_OK, "%s", err.message);
    return v;
}

/* A metric of a column as text: the number, hex, or "-". */
typedef const char *(*metric)(lake_arena *arena, const lake_column_metrics *c);

static const char *number(lake_arena *arena, bool has, int64_t v) {
    return has ? lake_arena_printf(arena, "%lld", (long long)v).ptr : "-";
}
static const char *size_text(lake_arena *a, const lake_column_metrics *c) {
    return number(a, c->has & LAKE_METRIC_SIZE, c->size);
}
static const char *values_text(lake_arena *a, const lake_column_metrics *c) {
    return number(a, c->has & LAKE_METRIC_VALUES, c->values);
}
static const char *nulls_text(lake_arena *a, const lake_column_metrics *c) {
    return number(a, c->has & LAKE_METRIC_NULLS, c->nulls);
}
static const char *nans_text(lake_arena *a, const lake_column_metrics *c) {
    return number(a, c->has & LAKE_METRIC_NANS, c->nans);
}
static const char *lower_text(lake_arena *a, const lake_column_metrics *c) {
    return c->lower.ptr ? test_to_hex(a, c->lower) : "-";
}
static const char *upper_text(lake_arena *a, const lake_column_metrics *c) {
    return c->upper.ptr ? test_to_hex(a, c->upper) : "-";
}

static const struct {
    const char *name;
    metric text;
} recorded[] = {{"column_sizes", size_text}, {"value_counts", values_text}, {"null_value_counts", nulls_text},
    {"nan_value_counts", nans_text}, {"lower_bounds", lower_text}, {"upper_bounds", upper_text}};
enum { METRICS = sizeof recorded / sizeof *recorded };

/* The text of key `id` in {"1": …} or [{"key": 1, "value": …}]. */
static const char *wanted(const lake_json *map, int32_t id) {
    char name[16];
    snprintf(name, sizeof name, "%d", id);
    const lake_json *v = lake_json_get(map, name);
    for (size_t i = 0; lake_json_is(map, LAKE_JSON_ARRAY) && i < map->count; i++) {
        int32_t key;
        if (lake_json_i32(lake_json_get(map->items[i], "key"), &key) && key == id)
            v = lake_json_get(map->items[i], "value");
    }
    return v ? v->text.ptr : "-";
}

static size_t count_of(const lake_json *map) {
    return map ? map->count : 0;
}

/* Compares all six maps of a file: the same keys with the same values. Returns how many values were compared. */
static size_t compare(
    lake_arena *arena, const char *file, const lake_json *want, const lake_column_metrics *got, size_t n) {
    size_t compared = 0;
    for (size_t m = 0; m < METRICS; m++) {
        const lake_json *map = lake_json_find(want, recorded[m].name);
        size_t present = 0;
        for (size_t i = 0; i < n; i++) {
            const char *text = recorded[m].text(arena, &got[i]);
            present += strcmp(text, "-") != 0;
            cr_expect_str_eq(text, wanted(map, got[i].id), "%s: %s of column %d", file, recorded[m].name, got[i].id);
        }
        cr_expect_eq(present, count_of(map), "%s: %s: %zu columns instead of %zu", file, recorded[m].name, present,
            count_of(map));
        compared += present;
    }
    return compared;
}

static const lake_store store = {0};

static size_t check_file(
    lake_arena *arena, const char *path, const lake_metrics_config *config, const lake_json *want) {
    lake_error err;
    lake_error_init(&err);
    lake_file_stats_options o = {.schema = config->schema, .threads = 1};
    lake_file_stats stats;
    lake_column_metrics *got;
    size_t n;
    cr_assert_eq(lake_file_stats_read(&store, lake_str_of(path), &o, arena, &stats, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(lake_metrics_of_file(arena, config, &stats, &got, &n, &err), LAKE_OK, "%s", err.message);
    return compare(arena, path, want, got, n);
}

Test(metrics, equal_the_official_writers) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_str dir = lake_arena_printf(&arena, "%s/given/metrics", corpus());
    DIR *d = opendir(dir.ptr);
    if (!d)
        cr_skip_test("no corpus");
    size_t files = 0, compared = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char *dot = strstr(e->d_name, ".expected.json");
        if (!dot || strncmp(e->d_name, "java_", 5) != 0)
            continue;
        *dot = 0;
        lake_schema *schema;
        lake_metrics_config config;
        const lake_json *want =
            parse_file(&arena, lake_arena_printf(&arena, "%s/%s.expected.json", dir.ptr, e->d_name).ptr);
        const lake_json *json =
            parse_file(&arena, lake_arena_printf(&arena, "%s/%s.schema.json", dir.ptr, e->d_name).ptr);
        cr_assert_eq(lake_schema_read(&arena, json, &schema, NULL), LAKE_OK);
        cr_assert_eq(lake_metrics_config_from(&arena, schema, NULL, NULL, &config, NULL), LAKE_OK);
        lake_str path = lake_arena_printf(&arena, "%s/%s.parquet", dir.ptr, e->d_name);
        compared += check_file(&arena, path.ptr, &config, lake_json_get(want, "writer"));
        files++;
    }
    closedir(d);
    cr_assert(files == 10 && compared > 500, "%zu files, %zu values", files, compared);
    lake_arena_clear(&arena);
}

/* ---- manifests that the official library wrote */

static const lake_json *last(const lake_json *metadata, const char *name) {
    const lake_json *list = lake_json_get(metadata, name);
    return list && list->count ? list->items[list->count - 1] : NULL;
}

/* The newest metadata of a table (vN.metadata.json). */
static const lake_json *metadata_of(lake_arena *arena, const char *folder) {
    int version = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        int n;
        if (sscanf(e->d_name, "v%d.metadata.json", &n) == 1 && n > version)
            version = n;
    }
    closedir(d);
    return parse_file(arena, lake_arena_printf(arena, "%s/v%d.metadata.json", folder, version).ptr);
}

static size_t check_entry(lake_arena *arena, const lake_json *entry, const lake_metrics_config *config) {
    const lake_json *file = lake_json_get(entry, "data_file");
    lake_str path = lake_json_get(file, "file_path")->text, prefix = LAKE_STR("s3://lake-corpus/");
    cr_assert(lake_str_starts(path, prefix));
    lake_str local = lake_arena_printf(arena, "%s/%s", corpus(), path.ptr + prefix.len);
    return check_file(arena, local.ptr, config, file);
}

static size_t check_manifest(lake_arena *arena, const char *path, const lake_metrics_config *config) {
    lake_error err;
    lake_error_init(&err);
    lake_avro_reader r;
    lake_codec_scratch *scratch = lake_codec_scratch_new();
    lake_buffer decoded, text;
    lake_buffer_init(&decoded);
    lake_buffer_init(&text);
    size_t compared = 0;
    cr_assert_eq(lake_avro_open(arena, test_file(arena, path), &r, &err), LAKE_OK, "%s: %s", path, err.message);
    for (bool more = true; more;) {
        uint64_t count;
        lake_cursor objects;
        cr_assert_eq(
            lake_avro_next_block(&r, scratch, &decoded, &more, &count, &objects, &err), LAKE_OK, "%s", err.message);
        for (uint64_t i = 0; more && i < count; i++) {
            lake_json *entry;
            lake_buffer_reset(&text);
            cr_assert_eq(lake_avro_to_json(&objects, r.schema, 0, &text, &err), LAKE_OK, "%s", err.message);
            cr_assert_eq(
                lake_json_parse(arena, lake_buffer_view(&text), path, &entry, &err), LAKE_OK, "%s", err.message);
            compared += check_entry(arena, entry, config);
        }
    }
    lake_buffer_clear(&decoded);
    lake_buffer_clear(&text);
    lake_codec_scratch_free(scratch);
    return compared;
}

static void check_table(lake_arena *arena, const char *table) {
    lake_str folder = lake_arena_printf(arena, "%s/given/%s/metadata", corpus(), table);
    const lake_json *metadata = metadata_of(arena, folder.ptr), *orders = lake_json_get(metadata, "sort-orders");
    lake_schema *schema;
    lake_sort_order *order = NULL;
    lake_metrics_config config;
    cr_assert_eq(lake_schema_read(arena, last(metadata, "schemas"), &schema, NULL), LAKE_OK);
    if (orders && orders->count)
        cr_assert_eq(lake_sort_order_read(arena, last(metadata, "sort-orders"), &order, NULL), LAKE_OK);
    const lake_json *properties = lake_json_get(metadata, "properties");
    cr_assert_eq(lake_metrics_config_from(arena, schema, properties, order, &config, NULL), LAKE_OK);
    size_t compared = 0;
    DIR *d = opendir(folder.ptr);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strstr(e->d_name, "-m0.avro"))
            compared += check_manifest(arena, lake_arena_printf(arena, "%s/%s", folder.ptr, e->d_name).ptr, &config);
    closedir(d);
    cr_assert_gt(compared, 50, "%s: %zu values", table, compared);
}

Test(metrics, equal_the_manifests_of_tables_with_all_modes) {
    static const char *const tables[] = {
        "modes_columns", "modes_wide", "modes_nested", "long_values", "types_v3", "sales_plain"};
    DIR *d = opendir(corpus());
    if (!d)
        cr_skip_test("no corpus");
    closedir(d);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        lake_arena arena;
        lake_arena_init(&arena, 0);
        check_table(&arena, tables[i]);
        lake_arena_clear(&arena);
    }
}
