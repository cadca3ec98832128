/* Avro data files by hand: what schemas are as columns, name mappings, order of values, and what a hostile file costs.
   Values at large are compared in tests/golden/avro_orc.py. */
#include <stdio.h>
#include <unistd.h>

#include "reader/stats.h"
#include "tests/avro_bytes.h"
#include "tests/support.h"

typedef struct result {
    lake_arena arena;
    lake_file_stats stats;
    lake_error err;
    lake_status status;
} result;

static void read_file(lake_buffer *file, const lake_file_stats_options *options, result *out) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/lake-avro-%ld.avro", (long)getpid());
    FILE *f = fopen(path, "wb");
    cr_assert(f && fwrite(file->data, 1, file->len, f) == file->len && fclose(f) == 0);
    lake_store store = {0};
    memset(out, 0, sizeof *out);
    lake_arena_init(&out->arena, 0);
    out->status = lake_file_stats_read(&store, lake_str_of(path), options, &out->arena, &out->stats, &out->err);
    unlink(path);
    lake_buffer_clear(file);
}

static void one_block(lake_buffer *file, const char *schema, int64_t count, const char *objects) {
    lake_buffer rows;
    lake_buffer_init(file);
    lake_buffer_init(&rows);
    hand_header(file, schema, NULL);
    hand_hex(&rows, objects);
    if (!rows.data)
        lake_buffer_reserve(&rows, 1);
    hand_block(file, count, &rows);
    lake_buffer_clear(&rows);
}

static const lake_column_stats *column(const result *r, const char *name) {
    for (size_t i = 0; i < r->stats.ncolumns; i++)
        if (lake_str_is(r->stats.columns[i].name, name))
            return &r->stats.columns[i];
    return NULL;
}

#define RECORD(fields) "{\"type\":\"record\",\"name\":\"r\",\"fields\":[" fields "]}"

/* schema, rows in hex; then of the column "a": its type, values, nulls, and bounds as integers (9999: none) */
static const struct {
    const char *what, *schema;
    int64_t rows;
    const char *hex, *type;
    int64_t values, nulls, min, max;
} shapes[] = {
    {"null comes second", RECORD("{\"name\":\"a\",\"type\":[\"int\",\"null\"]}"), 2, "00 0a 02", "int", 2, 1, 5, 5},
    {"a union of one", RECORD("{\"name\":\"a\",\"type\":[\"int\"]}"), 1, "00 0a", "int", 1, 0, 5, 5},
    {"milliseconds", RECORD("{\"name\":\"a\",\"type\":{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}}"), 1,
        "03", "timestamp", 1, 0, -2000, -2000},
    {"an instant",
        RECORD("{\"name\":\"a\",\"type\":{\"type\":\"long\",\"logicalType\":\"timestamp-micros\",\"adjust-to-utc\":"
               "true}}"),
        1, "03", "timestamptz", 1, 0, -2, -2},
    {"local time is no instant",
        RECORD("{\"name\":\"a\",\"type\":{\"type\":\"long\",\"logicalType\":\"local-timestamp-micros\","
               "\"adjust-to-utc\":true}}"),
        1, "03", "timestamp", 1, 0, -2, -2},
    {"a logical type on the wrong type is ignored",
        RECORD("{\"name\":\"a\",\"type\":{\"type\":\"int\",\"logicalType\":\"timestamp-micros\"}}"), 1, "03", "int", 1,
        0, -2, -2},
    {"a decimal in bytes",
        RECORD(
            "{\"name\":\"a\",\"type\":{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":4,\"scale\":2}}"),
        2, "04 ff38 02 05", "decimal(4, 2)", 2, 0, -200, 5},
    {"null alone", RECORD("{\"name\":\"a\",\"type\":\"null\"},{\"name\":\"b\",\"type\":\"int\"}"), 2, "02 04",
        "unknown", 2, 2, 9999, 9999},
};

Test(avro_stats, shapes_of_columns) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        lake_buffer file, type;
        result r;
        one_block(&file, shapes[i].schema, shapes[i].rows, shapes[i].hex);
        read_file(&file, NULL, &r);
        cr_assert_eq(r.status, LAKE_OK, "%s: %s", shapes[i].what, r.err.message);
        const lake_column_stats *c = column(&r, "a");
        cr_assert(c, "%s", shapes[i].what);
        lake_buffer_init(&type);
        lake_type_print(&type, &c->field->type);
        cr_expect(lake_str_is(lake_buffer_view(&type), shapes[i].type), "%s: %.*s", shapes[i].what,
            LAKE_ARG(lake_buffer_view(&type)));
        cr_expect_eq(c->values, shapes[i].values, "%s", shapes[i].what);
        cr_expect_eq(c->nulls, shapes[i].nulls, "%s", shapes[i].what);
        cr_expect_eq(c->has_min ? (int64_t)c->min.i : 9999, shapes[i].min, "%s", shapes[i].what);
        cr_expect_eq(c->has_max ? (int64_t)c->max.i : 9999, shapes[i].max, "%s", shapes[i].what);
        cr_expect_eq(c->column_size, -1, "Avro stores rows");
        lake_buffer_clear(&type);
        lake_arena_clear(&r.arena);
    }
}

Test(avro_stats, a_name_mapping_gives_ids_by_the_files_names) {
    lake_buffer file;
    result r;
    lake_arena arena;
    lake_error err = {0};
    lake_json *schema_json, *mapping;
    lake_schema *schema;
    lake_arena_init(&arena, 0);
    cr_assert_eq(lake_json_parse(&arena,
                     LAKE_STR("{\"type\":\"struct\",\"schema-id\":0,\"fields\":["
                              "{\"id\":7,\"name\":\"new\",\"type\":\"long\",\"required\":false},"
                              "{\"id\":9,\"name\":\"gone\",\"type\":\"int\",\"required\":false}]}"),
                     NULL, &schema_json, &err),
        LAKE_OK);
    cr_assert_eq(lake_schema_read(&arena, schema_json, &schema, &err), LAKE_OK);
    cr_assert_eq(
        lake_json_parse(&arena, LAKE_STR("[{\"field-id\":7,\"names\":[\"newest\",\"old\"]}]"), NULL, &mapping, &err),
        LAKE_OK);
    lake_file_stats_options o = {.schema = schema, .name_mapping = mapping, .threads = 1};
    one_block(&file, RECORD("{\"name\":\"gone\",\"type\":\"int\"},{\"name\":\"old\",\"type\":\"int\"}"), 1, "02 0a");
    read_file(&file, &o, &r);
    cr_assert_eq(r.status, LAKE_OK, "%s", r.err.message);
    cr_assert_eq(r.stats.ncolumns, 1);
    cr_expect_eq(r.stats.columns[0].field->id, 7);
    cr_expect_eq((int64_t)r.stats.columns[0].min.i, 5);
    cr_expect_eq(r.stats.unmatched, 1);
    lake_arena_clear(&r.arena);
    lake_arena_clear(&arena);
}

typedef struct order {
    int64_t next, nulls;
    bool wrong;
} order;

static lake_status in_order(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    order *o = user;
    for (size_t i = 0; i < n; i++) {
        o->nulls += !present[i];
        o->wrong |= present[i] ? (int64_t)keys[i].i != o->next : o->next % 7 != 0;
        o->next++;
    }
    return LAKE_OK;
}

Test(avro_stats, values_are_given_out_in_order_with_their_nulls) {
    enum { ROWS = 200000, BLOCK = 1000 };
    lake_buffer file, rows;
    result r;
    lake_buffer_init(&file);
    hand_header(&file, RECORD("{\"name\":\"a\",\"type\":[\"null\",\"long\"]}"), NULL);
    for (int64_t n = 0; n < ROWS; n += BLOCK) {
        lake_buffer_init(&rows);
        for (int64_t k = n; k < n + BLOCK; k++) {
            hand_long(&rows, k % 7 != 0);
            if (k % 7)
                hand_long(&rows, k);
        }
        hand_block(&file, BLOCK, &rows);
        lake_buffer_clear(&rows);
    }
    order o = {0};
    int32_t id = 1;
    lake_file_stats_options options = {
        .on_values = in_order, .on_values_user = &o, .on_values_ids = &id, .non_values_ids = 1, .threads = 4};
    read_file(&file, &options, &r);
    cr_assert_eq(r.status, LAKE_OK, "%s", r.err.message);
    cr_expect(!o.wrong);
    cr_expect_eq(o.next, ROWS);
    cr_expect_eq(o.nulls, (ROWS + 6) / 7);
    lake_arena_clear(&r.arena);
}

/* What is refused, and what it is called. */
static const struct {
    const char *schema;
    int64_t rows;
    const char *hex, *why;
} bad[] = {
    {RECORD("{\"name\":\"a\",\"type\":\"int\"}"), 1, "80 80 80 80 20",
        "column a: byte 0 of the block: torn or impossible int"},
    {RECORD("{\"name\":\"a\",\"type\":\"boolean\"}"), 1, "02", "impossible boolean"},
    {RECORD("{\"name\":\"a\",\"type\":{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"x\"]}}"), 1, "02",
        "impossible enum"},
    {RECORD("{\"name\":\"a\",\"type\":\"string\"}"), 1, "14 61", "impossible string"},
    {RECORD("{\"name\":\"a\",\"type\":[\"null\",\"int\"]}"), 1, "04", "impossible union"},
    {RECORD("{\"name\":\"a\",\"type\":\"int\"}"), 1, "02 02", "1 bytes are left over behind 1 rows"},
    {RECORD("{\"name\":\"a\",\"type\":\"int\"}"), 5, "02 02", "5 objects cannot be in 2 bytes"},
    {RECORD("{\"name\":\"a\",\"type\":{\"type\":\"array\",\"items\":\"int\"}}"), 1, "03 06 02 04 00",
        "impossible array"}, /* two items of two bytes, three are announced */
    {RECORD("{\"name\":\"a\",\"type\":{\"type\":\"array\",\"items\":\"int\"}}"), 1, "feffffffffffffffff01 00",
        "cannot be in"},
    {RECORD("{\"name\":\"a\",\"type\":\"int\",\"field-id\":1},{\"name\":\"b\",\"type\":\"int\",\"field-id\":1}"), 0, "",
        "1"},
};

Test(avro_stats, what_is_wrong_is_named_with_its_place) {
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lake_buffer file;
        result r;
        one_block(&file, bad[i].schema, bad[i].rows, bad[i].hex);
        read_file(&file, NULL, &r);
        cr_expect(r.status == LAKE_ERR_MALFORMED || r.status == LAKE_ERR_LIMIT, "%zu: %d %s", i, (int)r.status,
            r.err.message);
        cr_expect(strstr(r.err.message, bad[i].why), "%s", r.err.message);
        cr_expect(strstr(r.err.message, "/tmp/lake-avro-"), "%s", r.err.message);
        lake_arena_clear(&r.arena);
    }
}

Test(avro_stats, values_without_bytes_cost_nothing) {
    lake_buffer file, rows;
    result r;
    /* a million rows of nothing in each of 200 blocks */
    lake_buffer_init(&file);
    lake_buffer_init(&rows);
    lake_buffer_reserve(&rows, 1);
    hand_header(&file, RECORD("{\"name\":\"a\",\"type\":\"null\"}"), NULL);
    for (int i = 0; i < 200; i++)
        hand_block(&file, 1 << 20, &rows);
    read_file(&file, NULL, &r);
    cr_assert_eq(r.status, LAKE_OK, "%s", r.err.message);
    cr_expect_eq(r.stats.record_count, (int64_t)200 << 20);
    cr_expect_eq(r.stats.columns[0].nulls, (int64_t)200 << 20);
    lake_arena_clear(&r.arena);
    /* a list of as many nulls, again and again */
    lake_buffer_init(&file);
    hand_header(&file, RECORD("{\"name\":\"a\",\"type\":{\"type\":\"array\",\"items\":\"null\"}}"), NULL);
    for (int i = 0; i < 1000; i++)
        hand_long(&rows, 1 << 20);
    hand_long(&rows, 0);
    hand_block(&file, 1, &rows);
    lake_buffer_clear(&rows);
    read_file(&file, NULL, &r);
    cr_assert_eq(r.status, LAKE_OK, "%s", r.err.message);
    cr_expect_eq(r.stats.columns[0].values, (int64_t)1000 << 20);
    lake_arena_clear(&r.arena);
}

Test(avro_stats, a_record_in_itself_is_no_column) {
    lake_buffer file;
    result r;
    one_block(&file, RECORD("{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"next\",\"type\":[\"null\",\"r\"]}"), 1,
        "02 02 04 00");
    read_file(&file, NULL, &r);
    cr_assert_eq(r.status, LAKE_OK, "%s", r.err.message);
    cr_expect_eq(r.stats.ncolumns, 1);
    cr_expect_eq(r.stats.unmatched, 1);
    lake_arena_clear(&r.arena);
}

Test(avro_stats, a_schema_that_doubles_at_every_level_is_refused) {
    lake_buffer schema, file;
    result r;
    lake_buffer_init(&schema);
    lake_buffer_puts(&schema, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[");
    char part[8] = "int";
    for (int i = 0; i < 40; i++) { /* each record holds the one before twice */
        lake_buffer_printf(&schema, "%s{\"name\":\"f%d\",\"type\":{\"type\":\"record\",\"name\":\"t%d\",\"fields\":[",
            i ? "," : "", i, i);
        lake_buffer_printf(&schema, "{\"name\":\"x\",\"type\":\"%s\"},{\"name\":\"y\",\"type\":\"%s\"}]}}", part, part);
        snprintf(part, sizeof part, "t%d", i);
    }
    lake_buffer_puts(&schema, "]}");
    lake_buffer_char(&schema, 0);
    lake_buffer_init(&file);
    hand_header(&file, (const char *)schema.data, NULL);
    lake_buffer_clear(&schema);
    read_file(&file, NULL, &r);
    cr_expect_eq(r.status, LAKE_ERR_LIMIT, "%s", r.err.message);
    cr_expect(strstr(r.err.message, "more than 100000 parts"), "%s", r.err.message);
    lake_arena_clear(&r.arena);
}
