/* wire/avro_schema.c: Avro specification 1.12, "Schema Declaration" and "Names". */
#include <stdio.h>

#include "support.h"
#include "wire/avro.h"

static lake_arena arena;
static lake_error err;

static void setup(void) {
    lake_arena_init(&arena, 0);
    lake_error_init(&err);
}
static void teardown(void) {
    lake_arena_clear(&arena);
}
TestSuite(avro_schema, .init = setup, .fini = teardown);

static lake_status parse(const char *text, const lake_avro_type **out) {
    lake_json *json;
    cr_assert_eq(lake_json_parse(&arena, lake_str_of(text), NULL, &json, &err), LAKE_OK, "%s", err.message);
    return lake_avro_schema_parse(&arena, json, out, &err);
}
static const lake_avro_type *good(const char *text) {
    const lake_avro_type *t = NULL;
    cr_assert_eq(parse(text, &t), LAKE_OK, "%s: %s", text, err.message);
    return t;
}

/* Sizes by the specification's encodings: what the shortest value of the type takes. */
Test(avro_schema, kinds_and_smallest_sizes) {
    static const struct {
        const char *text;
        lake_avro_kind kind;
        size_t min;
        bool empty;
    } rows[] = {
        {"\"null\"", LAKE_AVRO_NULL, 0, true},
        {"\"boolean\"", LAKE_AVRO_BOOLEAN, 1, false},
        {"{\"type\":\"int\"}", LAKE_AVRO_INT, 1, false},
        {"{\"type\":{\"type\":\"long\"}}", LAKE_AVRO_LONG, 1, false},
        {"\"float\"", LAKE_AVRO_FLOAT, 4, false},
        {"\"double\"", LAKE_AVRO_DOUBLE, 8, false},
        {"\"bytes\"", LAKE_AVRO_BYTES, 1, false},
        {"\"string\"", LAKE_AVRO_STRING, 1, false},
        {"{\"type\":\"fixed\",\"name\":\"f\",\"size\":5}", LAKE_AVRO_FIXED, 5, false},
        {"{\"type\":\"fixed\",\"name\":\"f\",\"size\":0}", LAKE_AVRO_FIXED, 0, true},
        {"{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\"]}", LAKE_AVRO_ENUM, 1, false},
        {"{\"type\":\"array\",\"items\":\"double\"}", LAKE_AVRO_ARRAY, 1, false},
        {"{\"type\":\"map\",\"values\":\"int\"}", LAKE_AVRO_MAP, 1, false},
        {"[\"null\",\"double\"]", LAKE_AVRO_UNION, 1, false},
        {"[\"double\",\"float\"]", LAKE_AVRO_UNION, 5, false},
        {"[]", LAKE_AVRO_UNION, 1, false},
        {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[]}", LAKE_AVRO_RECORD, 0, true},
        {"{\"type\":\"error\",\"name\":\"r\",\"fields\":[{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"b\",\"type\":"
         "\"float\"}]}",
            LAKE_AVRO_RECORD, 5, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const lake_avro_type *t = good(rows[i].text);
        cr_expect_eq(t->kind, rows[i].kind, "%s: %s", rows[i].text, lake_avro_kind_name(t->kind));
        cr_expect_eq(t->min_size, rows[i].min, "%s: %zu", rows[i].text, t->min_size);
        cr_expect_eq(t->empty, rows[i].empty, "%s", rows[i].text);
    }
}

/* The examples of the chapter "Names": a full name, a namespace, an inherited one, and references to each. */
Test(avro_schema, names_and_references) {
    const lake_avro_type *t = good(
        "{\"type\":\"record\",\"name\":\"Example\",\"fields\":["
        "{\"name\":\"a\",\"type\":{\"type\":\"enum\",\"name\":\"Simple\",\"symbols\":[\"a\",\"b\"]}},"
        "{\"name\":\"b\",\"type\":{\"type\":\"fixed\",\"name\":\"Simple\",\"namespace\":\"explicit\",\"size\":12}},"
        "{\"name\":\"c\",\"type\":{\"type\":\"record\",\"name\":\"a.full.Name\",\"namespace\":\"ignored\",\"fields\":["
        "{\"name\":\"d\",\"type\":{\"type\":\"enum\",\"name\":\"Understanding\",\"symbols\":[\"d\",\"e\"]}},"
        "{\"name\":\"e\",\"type\":\"Understanding\"}]}},"
        "{\"name\":\"f\",\"type\":\"explicit.Simple\"},{\"name\":\"g\",\"type\":\"a.full.Understanding\"},"
        "{\"name\":\"h\",\"type\":[\"null\",\"Simple\"]}]}");
    cr_assert(lake_str_is(t->fields[0].type->name, "Simple"));
    cr_assert(lake_str_is(t->fields[1].type->name, "explicit.Simple"));
    const lake_avro_type *c = t->fields[2].type;
    cr_assert(lake_str_is(c->name, "a.full.Name"));
    cr_assert(lake_str_is(c->fields[0].type->name, "a.full.Understanding"));
    cr_assert_eq(c->fields[1].type, c->fields[0].type);
    cr_assert_eq(t->fields[3].type, t->fields[1].type);
    cr_assert_eq(t->fields[4].type, c->fields[0].type);
    cr_assert_eq(t->fields[5].type->branches[1], t->fields[0].type);
}

Test(avro_schema, a_type_may_contain_itself) {
    const lake_avro_type *t =
        good("{\"type\":\"record\",\"name\":\"list\",\"fields\":[{\"name\":\"v\",\"type\":\"int\"},"
             "{\"name\":\"next\",\"type\":[\"null\",\"list\"]}]}");
    cr_assert_eq(t->fields[1].type->branches[1], t);
    cr_assert_eq(t->min_size, 2);
}

Test(avro_schema, iceberg_ids_and_logical_types) {
    const lake_avro_type *t = good(
        "{\"type\":\"record\",\"name\":\"r\",\"fields\":["
        "{\"name\":\"a\",\"field-id\":7,\"type\":{\"type\":\"array\",\"element-id\":8,\"items\":\"int\","
        "\"logicalType\":\"map\"}},"
        "{\"name\":\"b\",\"field-id\":\"9\",\"type\":{\"type\":\"map\",\"key-id\":10,\"value-id\":11,\"values\":"
        "\"int\"}},"
        "{\"name\":\"c\",\"type\":{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2}}]}");
    cr_assert_eq(t->fields[0].id, 7);
    cr_assert_eq(t->fields[0].type->element_id, 8);
    cr_assert(lake_str_is(t->fields[0].type->logical, "map"));
    cr_assert_eq(t->fields[1].id, 9);
    cr_assert_eq(t->fields[1].type->key_id, 10);
    cr_assert_eq(t->fields[1].type->value_id, 11);
    cr_assert_eq(t->fields[2].id, -1);
    cr_assert_eq(t->fields[2].type->precision, 9);
    cr_assert_eq(t->fields[2].type->scale, 2);
    cr_assert(lake_str_is(lake_json_get(t->fields[2].json, "name")->text, "c"));
}

Test(avro_schema, what_is_wrong_is_said) {
    static const struct {
        const char *text, *say;
    } rows[] = {
        {"\"what\"", "what is not known"},
        {"17", "neither name, object nor union"},
        {"{}", "without \"type\""},
        {"{\"type\":\"record\",\"fields\":[]}", "record without a name"},
        {"{\"type\":\"record\",\"name\":\"r\"}", "record r has no fields"},
        {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\"}]}", "field 0 of record r"},
        {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[7]}", "field 0 of record r"},
        {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\",\"type\":\"int\",\"field-id\":3000000000}]}",
            "field-id is not a 32-bit integer"},
        {"{\"type\":\"enum\",\"name\":\"e\"}", "enum e has no symbols"},
        {"{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[1]}", "symbol of enum e"},
        {"{\"type\":\"fixed\",\"name\":\"f\"}", "fixed f has no size"},
        {"{\"type\":\"fixed\",\"name\":\"f\",\"size\":-1}", "fixed f has no size"},
        {"{\"type\":\"array\"}", "array without \"items\""},
        {"{\"type\":\"map\"}", "map without \"values\""},
        {"[\"null\",[\"int\"]]", "union directly in a union"},
        {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\",\"type\":{\"type\":\"fixed\",\"name\":\"r\","
         "\"size\":1}}]}",
            "r is defined twice"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const lake_avro_type *t;
        lake_error_init(&err);
        cr_expect_eq(parse(rows[i].text, &t), LAKE_ERR_MALFORMED, "%s", rows[i].text);
        cr_expect(strstr(err.message, rows[i].say), "%s: %s", rows[i].text, err.message);
    }
}

/* I9: types nested very deep end in an error, not in a stack overflow. */
Test(avro_schema, I9_deep_nesting_is_refused) {
    enum { DEEP = 400 };
    lake_buffer b;
    lake_buffer_init(&b);
    for (int i = 0; i < DEEP; i++)
        lake_buffer_puts(&b, "{\"type\":\"array\",\"items\":");
    lake_buffer_puts(&b, "\"int\"");
    for (int i = 0; i < DEEP; i++)
        lake_buffer_puts(&b, "}");
    lake_buffer_char(&b, 0);
    const lake_avro_type *t;
    cr_assert_eq(parse((char *)b.data, &t), LAKE_ERR_LIMIT);
    cr_assert(strstr(err.message, "nested deeper"), "%s", err.message);
    lake_buffer_clear(&b);
}
