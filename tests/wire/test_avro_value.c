/* wire/avro_value.c: Avro specification 1.12, "Binary Encoding". Bytes are written by hand from it. */
#include <stdio.h>

#include "tests/avro_bytes.h"
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
TestSuite(avro_value, .init = setup, .fini = teardown);

static const lake_avro_type *schema(const char *text) {
    lake_json *json;
    const lake_avro_type *t = NULL;
    cr_assert_eq(lake_json_parse(&arena, lake_str_of(text), NULL, &json, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(lake_avro_schema_parse(&arena, json, &t, &err), LAKE_OK, "%s", err.message);
    return t;
}

#define PAIRS                                                                                                          \
    "{\"type\":\"array\",\"logicalType\":\"map\",\"items\":{\"type\":\"record\",\"name\":\"kv\",\"fields\":["          \
    "{\"name\":\"key\",\"type\":\"int\"},{\"name\":\"value\",\"type\":\"bytes\"}]}}"
#define LIST                                                                                                           \
    "{\"type\":\"record\",\"name\":\"l\",\"fields\":[{\"name\":\"v\",\"type\":\"int\"},{\"name\":\"n\",\"type\":["     \
    "\"null\",\"l\"]}]}"

static const struct {
    const char *schema, *hex, *json;
} values[] = {
    {"\"null\"", "", "null"},
    {"\"boolean\"", "01", "true"},
    {"\"int\"", "7f", "-64"},
    {"\"int\"", "80 01", "64"},
    {"\"long\"", "ff ff ff ff ff ff ff ff ff 01", "-9223372036854775808"},
    {"\"float\"", "00 00 c0 3f", "1.5"},
    {"\"float\"", "cd cc cc 3d", "0.1"},
    {"\"double\"", "00 00 00 00 00 00 f0 7f", "\"Infinity\""},
    {"\"double\"", "00 00 00 00 00 00 f8 7f", "\"NaN\""},
    {"\"string\"", "06 66 6f 6f", "\"foo\""},
    {"\"string\"", "00", "\"\""},
    {"\"bytes\"", "04 00 ff", "\"00ff\""},
    {"{\"type\":\"fixed\",\"name\":\"f\",\"size\":3}", "01 02 03", "\"010203\""},
    {"{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"B\"]}", "02", "\"B\""},
    {"{\"type\":\"array\",\"items\":\"long\"}", "04 06 36 00", "[3,27]"},
    {"{\"type\":\"array\",\"items\":\"long\"}", "03 04 06 36 00", "[3,27]"},
    {"{\"type\":\"array\",\"items\":\"long\"}", "02 06 01 02 36 00", "[3,27]"},
    {"{\"type\":\"array\",\"items\":\"long\"}", "00", "[]"},
    {"{\"type\":\"array\",\"items\":\"null\"}", "06 00", "[null,null,null]"},
    {"{\"type\":\"map\",\"values\":\"int\"}", "02 02 61 04 01 06 02 62 06 00", "{\"a\":2,\"b\":3}"},
    {"[\"null\",\"string\"]", "02 02 61", "\"a\""},
    {"[\"null\",\"string\"]", "00", "null"},
    {"[\"string\",\"null\"]", "02", "null"},
    {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\",\"type\":\"long\"},{\"name\":\"b\",\"type\":"
     "\"string\"}]}",
        "36 06 66 6f 6f", "{\"a\":27,\"b\":\"foo\"}"},
    {PAIRS, "04 02 00 04 04 07 08 00", "[{\"key\":1,\"value\":\"\"},{\"key\":2,\"value\":\"0708\"}]"},
    {LIST, "02 02 04 00", "{\"v\":1,\"n\":{\"v\":2,\"n\":null}}"},
};

Test(avro_value, prints_and_skips_to_the_same_place) {
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const lake_avro_type *t = schema(values[i].schema);
        lake_buffer b, out;
        lake_buffer_init(&b);
        lake_buffer_init(&out);
        hand_hex(&b, values[i].hex);
        size_t size = b.len;
        hand_hex(&b, "5a5a5a5a5a5a5a5a5a5a5a5a"); /* what follows must stay */
        lake_cursor c = lake_cursor_of(b.data, b.len, 0), again = c;
        cr_expect_eq(lake_avro_to_json(&c, t, 0, &out, &err), LAKE_OK, "%s: %s", values[i].hex, err.message);
        lake_buffer_char(&out, 0);
        cr_expect_str_eq((char *)out.data, values[i].json);
        cr_expect_eq((size_t)(c.at - c.begin), size, "%s %s", values[i].schema, values[i].hex);
        cr_expect_eq(lake_avro_skip(&again, t, 0, &err), LAKE_OK, "%s", err.message);
        cr_expect_eq(again.at, c.at, "%s %s", values[i].schema, values[i].hex);
        lake_buffer_clear(&b);
        lake_buffer_clear(&out);
    }
}

Test(avro_value, every_truncation_fails) {
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const lake_avro_type *t = schema(values[i].schema);
        lake_buffer b;
        lake_buffer_init(&b);
        hand_hex(&b, values[i].hex);
        for (size_t n = 0; n < b.len; n++) {
            uint8_t *copy = malloc(n + 1), *end = copy + n; /* its own block, so that a byte too far shows */
            memcpy(copy, b.data, n);
            copy = realloc(copy, n ? n : 1);
            end = copy + n;
            lake_buffer out;
            lake_buffer_init(&out);
            lake_cursor c = {.at = copy, .end = end, .begin = copy}, again = c;
            lake_error_init(&err);
            cr_expect_eq(
                lake_avro_to_json(&c, t, 0, &out, &err), LAKE_ERR_MALFORMED, "%s cut at %zu", values[i].hex, n);
            cr_expect(err.message[0] && err.offset >= 0, "%s", err.message);
            cr_expect_eq(lake_avro_skip(&again, t, 0, &err), LAKE_ERR_MALFORMED, "%s cut at %zu", values[i].hex, n);
            lake_buffer_clear(&out);
            free(copy);
        }
        lake_buffer_clear(&b);
    }
}

Test(avro_value, I9_impossible_values_fail) {
    static const struct {
        const char *schema, *hex;
    } rows[] = {
        {"\"bytes\"", "01 00 00 00"}, /* length -1 */
        {"\"string\"", "80 80 80 80 80 80 80 80 20 61"}, /* length 2^60 */
        {"{\"type\":\"array\",\"items\":\"long\"}", "80 80 80 80 80 80 80 80 20 02 00"}, /* 2^60 items */
        {"{\"type\":\"array\",\"items\":\"null\"}", "80 80 80 80 80 80 80 80 20 00"}, /* of nothing, too */
        {"{\"type\":\"array\",\"items\":\"long\"}", "01 ff ff ff ff 0f 02 00"}, /* block size -2^31 */
        {"{\"type\":\"array\",\"items\":\"long\"}", "01 20 02 00"}, /* block of 16 bytes */
        {"[\"null\",\"int\"]", "04 02"},
        {"[\"null\",\"int\"]", "01"},
        {"[]", "00"},
        {"\"long\"", "ff ff ff ff ff ff ff ff ff 03"}, /* 65 bits */
        {"\"long\"", "ff ff ff ff ff ff ff ff ff ff 01"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const lake_avro_type *t = schema(rows[i].schema);
        lake_buffer b, out;
        lake_buffer_init(&b);
        lake_buffer_init(&out);
        hand_hex(&b, rows[i].hex);
        lake_cursor c = lake_cursor_of(b.data, b.len, 0), again = c;
        cr_expect_eq(lake_avro_to_json(&c, t, 0, &out, &err), LAKE_ERR_MALFORMED, "%s %s", rows[i].schema, rows[i].hex);
        cr_expect_eq(lake_avro_skip(&again, t, 0, &err), LAKE_ERR_MALFORMED, "%s %s", rows[i].schema, rows[i].hex);
        lake_buffer_clear(&b);
        lake_buffer_clear(&out);
    }
}

/* A type that contains itself: values of any depth are legal, ours end at a limit. */
Test(avro_value, I9_values_nested_very_deep_are_refused) {
    const lake_avro_type *list = schema(LIST);
    lake_buffer b, out;
    lake_buffer_init(&b);
    lake_buffer_init(&out);
    for (int i = 0; i < 1000; i++)
        hand_hex(&b, "02 02");
    hand_hex(&b, "02 00");
    lake_cursor c = lake_cursor_of(b.data, b.len, 0), again = c;
    cr_assert_eq(lake_avro_skip(&c, list, 0, &err), LAKE_ERR_LIMIT);
    cr_assert_eq(lake_avro_to_json(&again, list, 0, &out, &err), LAKE_ERR_LIMIT);
    /* and one without end */
    const lake_avro_type *self = schema("{\"type\":\"record\",\"name\":\"s\",\"fields\":[{\"name\":\"a\",\"type\":"
                                        "\"s\"},{\"name\":\"b\",\"type\":\"s\"}]}");
    cr_assert_eq(lake_avro_skip(&c, self, 0, &err), LAKE_ERR_LIMIT);
    cr_assert_eq(lake_avro_to_json(&again, self, 0, &out, &err), LAKE_ERR_LIMIT);
    lake_buffer_clear(&b);
    lake_buffer_clear(&out);
}

/* Records of records of nothing: 2^40 values in no byte. */
Test(avro_value, I9_empty_values_cost_nothing) {
    lake_buffer text;
    lake_buffer_init(&text);
    lake_buffer_puts(&text,
        "{\"type\":\"record\",\"name\":\"top\",\"fields\":[{\"name\":\"x\",\"type\":"
        "{\"type\":\"record\",\"name\":\"r0\",\"fields\":[{\"name\":\"n\",\"type\":\"null\"}]}}");
    for (int i = 1; i <= 40; i++)
        lake_buffer_printf(&text,
            ",{\"name\":\"f%d\",\"type\":{\"type\":\"record\",\"name\":\"r%d\",\"fields\":["
            "{\"name\":\"a\",\"type\":\"r%d\"},{\"name\":\"b\",\"type\":\"r%d\"}]}}",
            i, i, i - 1, i - 1);
    lake_buffer_puts(&text, ",{\"name\":\"z\",\"type\":{\"type\":\"array\",\"items\":\"r40\"}}]}");
    lake_buffer_char(&text, 0);
    const lake_avro_type *t = schema((char *)text.data);
    lake_buffer b;
    lake_buffer_init(&b);
    hand_hex(&b, "80 80 80 01 00"); /* a million of them */
    lake_cursor c = lake_cursor_of(b.data, b.len, 0);
    cr_assert_eq(lake_avro_skip(&c, t, 0, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(lake_cursor_left(&c), 0);
    lake_buffer_clear(&b);
    lake_buffer_clear(&text);
}
