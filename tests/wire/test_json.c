/* JSON: what is accepted, what is refused and where, and that no digit is lost. Expected results: RFC 8259. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

#include "wire/json.h"

static lake_arena arena;
static lake_error err;

static void setup(void) {
    lake_arena_init(&arena, 0);
    lake_error_init(&err);
}
static void teardown(void) {
    lake_arena_clear(&arena);
}
TestSuite(json, .init = setup, .fini = teardown);

static lake_status parse(lake_str text, lake_json **out) {
    return lake_json_parse(&arena, text, "t.json", out, &err);
}

static const char *printed(const lake_json *v, int indent) {
    lake_buffer b;
    lake_buffer_init(&b);
    lake_json_print(&b, v, indent);
    lake_str s = lake_arena_str(&arena, lake_buffer_view(&b).ptr, b.len);
    lake_buffer_clear(&b);
    return s.ptr;
}

static const char *again(const char *text) {
    lake_json *v;
    cr_assert_eq(parse(lake_str_of(text), &v), LAKE_OK, "%s: %s", text, err.message);
    return printed(v, 0);
}

Test(json, documents_survive_with_order_and_number_text) {
    static const char *const same[] = {"null", "true", "false", "0", "-0", "1.10", "1e400", "-1.0E+5", "1E-7",
        "123456789012345678901234567890", "9223372036854775808", "0.10000000000000000001", "\"\"", "\"a\"", "[]", "{}",
        "[1,2.50,[],{}]", "{\"z\":1,\"a\":{\"b\":[null]},\"\":\"\"}", "\"\\u0000x\"",
        "\"\\\"\\\\\\n\\r\\t\\b\\f\\u0001\"", "\"\xc3\xa9\xf0\x9f\x98\x80\"", "\"\x7f\"", "\"\x7f\x7f\"",
        "\"\x7f"
        "12\"",
        "{\"\x7f"
        "1\":\"\x7f\x7f"
        "2\"}"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        cr_assert_str_eq(again(same[i]), same[i]);
}

Test(json, input_is_normalised_only_in_space_and_escapes) {
    cr_assert_str_eq(again(" { \"a\" :\t[ 1 , 2 ]\r\n} "), "{\"a\":[1,2]}");
    cr_assert_str_eq(again("\"\\u00e9\\/\\ud83d\\ude00\""), "\"\xc3\xa9/\xf0\x9f\x98\x80\"");
    cr_assert_str_eq(again("\"\\u007fx\""), "\"\x7fx\"", "an escaped mark is a plain character");
    cr_assert_str_eq(again("\"\\u007F1\""),
        "\"\x7f"
        "1\"");
    cr_assert_str_eq(again("\"\\u0070\""), "\"p\"");
}

Test(json, strings_may_hold_nul) {
    lake_json *v;
    cr_assert_eq(parse(LAKE_STR("\"a\\u0000b\""), &v), LAKE_OK);
    cr_assert_eq(v->text.len, 3);
    cr_assert_eq(memcmp(v->text.ptr, "a\0b", 3), 0);
}

typedef struct refusal {
    const char *text;
    int64_t offset;
    const char *message; /* part of it */
} refusal;

Test(json, refusals_name_the_place) {
    static const refusal table[] = {
        {"", 0, "ends too early"},
        {"   ", 3, "ends too early"},
        {"[1,2", 4, "ends too early"},
        {"{\"a\":1,\"b\"", 10, "ends too early"},
        {"00", 1, "no part of it"},
        {"[01]", 2, "no part of it"},
        {"1.", 2, "needs a digit"},
        {"[1.]", 3, "needs a digit"},
        {"-", 1, "needs a digit"},
        {"+1", 0, "unexpected character"},
        {".5", 0, "unexpected character"},
        {"1e", 2, "needs a digit"},
        {"1e+", 3, "needs a digit"},
        {"0x10", 1, "no part of it"},
        {"1a", 1, "no part of it"},
        {"NaN", 0, "NaN"},
        {"[Infinity]", 1, "Infinity"},
        {"-Infinity", 1, "needs a digit"},
        {"nul", 0, "nul"},
        {"True", 0, "True"},
        {"[1 2]", 3, ""},
        {"[1,]", 3, ""},
        {"{\"a\":1,}", 7, ""},
        {"{\"a\" 1}", 5, ""},
        {"{a:1}", 1, ""},
        {"{1:2}", 1, "must be a string"},
        {"{\"x\":1, 1 :2}", 8, "must be a string"},
        {"1 2", 2, ""},
        {"{} x", 3, ""},
        {"\"abc", 0, "without end"},
        {"\"a\nb\"", 2, "control character"},
        {"\"\\x\"", 1, "escape"},
        {"\"\\u12\"", 1, "hex"},
        {"\"\\", 1, "escape"},
        {"\"\xff\"", 1, "UTF-8"},
        {"\"\xc0\x80\"", 1, "UTF-8"},
        {"\"\xed\xa0\x80\"", 1, "UTF-8"},
        {"\xff", 0, "unexpected character"},
        {"\"\\ud800\"", 0, ""},
        {"{\"a\":1,\"b\":2.5,\"a\":3}", 15, "duplicate"},
        {"{\"a\":1,\"\\u0061\":3}", 7, "duplicate"},
        {"{\"\x7f\":1,\"\\u007f\":3}", 7, "duplicate"},
        {"{\"n\":12345,\n  \"n\":1}", 14, "line 2, column 3"},
        {"[1.25, 17, \"\xc3\xa9\", ]", 17, "line 1, column 17 (byte 17)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_json *v = NULL;
        lake_error_init(&err);
        cr_assert_eq(parse(lake_str_of(table[i].text), &v), LAKE_ERR_MALFORMED, "%s", table[i].text);
        cr_expect_eq(err.offset, table[i].offset, "%s: offset %ld, %s", table[i].text, (long)err.offset, err.message);
        cr_expect(strstr(err.message, table[i].message), "%s: %s", table[i].text, err.message);
        cr_expect(strncmp(err.message, "t.json: line ", 13) == 0, "%s", err.message);
        cr_expect_not(strchr(err.message, 0x7f) && !strchr(table[i].text, 0x7f), "the mark must not show");
    }
    cr_assert_eq(lake_json_parse(&arena, LAKE_STR("["), NULL, &(lake_json *){0}, NULL), LAKE_ERR_MALFORMED);
}

Test(json, raw_nul_is_refused) {
    lake_json *v;
    cr_assert_eq(parse((lake_str){"[\0]", 3}, &v), LAKE_ERR_MALFORMED);
    cr_assert_eq(err.offset, 1);
    cr_assert_eq(parse((lake_str){"\"\0\"", 3}, &v), LAKE_ERR_MALFORMED);
    cr_assert_eq(parse(LAKE_STR("{\"\\u0000\":1}"), &v), LAKE_ERR_UNSUPPORTED);
}

Test(json, depth_is_limited) {
    char text[2101];
    for (int opener = 0; opener < 2; opener++) {
        memset(text, '[', 1000);
        memset(text + 1000, ']', 1000);
        lake_json *v;
        cr_assert_eq(parse((lake_str){text, 2000}, &v), LAKE_OK, "%s", err.message);
        cr_assert_eq(strlen(printed(v, 0)), 2000);
        memset(text, '[', 2100);
        cr_assert_eq(parse((lake_str){text, 2100}, &v), LAKE_ERR_LIMIT);
        cr_assert_eq(err.offset, 1000);
    }
}

Test(json, every_truncation_is_refused) {
    const char *text = "{\"a\":[1,-2.5e3,true,null,\"x\\u00e9\\n\xc3\xa9\"],\"b\":{\"c\":false}}";
    lake_json *v;
    for (size_t n = 0; n < strlen(text); n++) {
        char *copy = malloc(n ? n : 1); /* exact size, so that the sanitizer sees a read beyond */
        memcpy(copy, text, n);
        cr_assert_eq(parse((lake_str){copy, n}, &v), LAKE_ERR_MALFORMED, "%zu", n);
        cr_assert(err.offset >= 0 && err.offset <= (int64_t)n);
        free(copy);
    }
    cr_assert_eq(parse(lake_str_of(text), &v), LAKE_OK);
}

Test(json, every_byte_changed_never_crashes) {
    const char *text = "{\"a\":[1,-2.5e3,true,null,\"x\\u00e9\\n\xc3\xa9\"],\"b\":{\"\x7f\":false}}";
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 256; c++) {
            lake_arena a;
            lake_arena_init(&a, 0);
            char *copy = malloc(n);
            memcpy(copy, text, n);
            copy[i] = (char)c;
            lake_json *v;
            lake_error_init(&err);
            if (lake_json_parse(&a, (lake_str){copy, n}, NULL, &v, &err) != LAKE_OK)
                cr_assert(err.message[0] && err.offset >= 0 && err.offset <= (int64_t)n);
            free(copy);
            lake_arena_clear(&a);
        }
}

static lake_status parse_body(void *user, lake_error *e) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_json *v;
    lake_status s = lake_json_parse(&a, lake_str_of(user), NULL, &v, e);
    lake_arena_clear(&a);
    return s;
}

Test(json, every_allocation_may_fail) {
    char *text = malloc(100001);
    memset(text, ' ', 100000);
    text[100000] = 0;
    memcpy(text, "{\"a\":[", 6);
    for (size_t i = 6; i + 4 < 99990; i += 4)
        memcpy(text + i, "1.5,", 4);
    memcpy(text + 99994, "\"x\"]}", 5);
    test_every_allocation(parse_body, text);
    free(text);
}

Test(json, integers_are_exact) {
    static const struct {
        const char *text;
        bool ok;
        int64_t v;
    } table[] = {{"0", true, 0}, {"-0", true, 0}, {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN}, {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0}, {"9007199254740993", true, 9007199254740993}, {"1.0", false, 0},
        {"1e2", false, 0}, {"\"1\"", false, 0}, {"null", false, 0}, {"99999999999999999999999999", false, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_json *v;
        int64_t n = 0;
        cr_assert_eq(parse(lake_str_of(table[i].text), &v), LAKE_OK);
        cr_assert_eq(lake_json_i64(v, &n), table[i].ok, "%s", table[i].text);
        if (table[i].ok)
            cr_assert_eq(n, table[i].v);
    }
    int32_t m;
    cr_assert(lake_json_i32(lake_json_new_i64(&arena, INT32_MIN), &m) && m == INT32_MIN);
    cr_assert_not(lake_json_i32(lake_json_new_i64(&arena, 2147483648), &m));
    cr_assert_not(lake_json_i64(NULL, &(int64_t){0}));
}

Test(json, trees_can_be_built_and_changed) {
    lake_json *o = lake_json_new(&arena, LAKE_JSON_OBJECT), *list = lake_json_new(&arena, LAKE_JSON_ARRAY);
    char name[16];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "k%d", i);
        cr_assert(lake_json_set(&arena, o, name, lake_json_new_i64(&arena, i)));
        cr_assert(lake_json_push(&arena, list, lake_json_new_i64(&arena, i)));
    }
    cr_assert_eq(o->count, 20);
    lake_json *copy = lake_json_copy(&arena, o);
    cr_assert(lake_json_set(&arena, o, "k7", lake_json_new(&arena, LAKE_JSON_ARRAY)));
    cr_assert_eq(lake_json_get(copy, "k7")->kind, LAKE_JSON_NUMBER, "a copy does not follow");
    cr_assert(lake_json_remove(o, "k0"));
    cr_assert_not(lake_json_remove(o, "k0"));
    cr_assert_null(lake_json_get(o, "k0"));
    cr_assert_not_null(lake_json_get(copy, "k0"));
    lake_json *list_copy = lake_json_copy(&arena, list);
    list->items[3] = o;
    cr_assert_eq(list_copy->items[3]->kind, LAKE_JSON_NUMBER);
    cr_assert_not(lake_json_set(&arena, o, "x", NULL), "a failed allocation is passed on");
    cr_assert_not(lake_json_push(&arena, NULL, list));
    cr_assert(lake_json_set(&arena, o, "nothing", lake_json_new(&arena, LAKE_JSON_NULL)));
    cr_assert_not_null(lake_json_get(o, "nothing"));
    cr_assert_null(lake_json_find(o, "nothing"));
    cr_assert_null(lake_json_get(list, "x"));
    cr_assert_null(lake_json_find(NULL, "x"));
}

Test(json, a_parsed_object_can_grow) {
    lake_json *v;
    cr_assert_eq(parse(LAKE_STR("{\"a\":[1]}"), &v), LAKE_OK);
    cr_assert(lake_json_push(&arena, (lake_json *)lake_json_get(v, "a"), lake_json_new_string(&arena, LAKE_STR("x"))));
    cr_assert(lake_json_set(&arena, v, "b", lake_json_new_number(&arena, LAKE_STR("1.50"))));
    cr_assert_str_eq(printed(v, 0), "{\"a\":[1,\"x\"],\"b\":1.50}");
    cr_assert_str_eq(printed(v, 2), "{\n  \"a\": [\n    1,\n    \"x\"\n  ],\n  \"b\": 1.50\n}");
}

Test(json, quoting_replaces_bytes_that_are_no_utf8) {
    lake_buffer b;
    lake_buffer_init(&b);
    lake_json_quote(&b, LAKE_STR("a\xff\xc3\xa9\xe2\x82"));
    cr_assert(lake_str_is(lake_buffer_view(&b), "\"a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\""));
    lake_buffer_clear(&b);
}
