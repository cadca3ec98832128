/* Types and schemas. Expected forms: spec.md, "Schemas and Data Types" and Appendix C. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

#include "format/type.h"

static lake_arena arena;
static lake_error err;

static void setup(void) {
    lake_arena_init(&arena, 0);
    lake_error_init(&err);
}
static void teardown(void) {
    lake_arena_clear(&arena);
}
TestSuite(schema, .init = setup, .fini = teardown);

static lake_json *parse(const char *text) {
    lake_json *v = NULL;
    cr_assert_eq(lake_json_parse(&arena, lake_str_of(text), NULL, &v, &err), LAKE_OK, "%s: %s", text, err.message);
    return v;
}

static const char *printed(const lake_json *v) {
    lake_buffer b;
    lake_buffer_init(&b);
    lake_json_print(&b, v, 0);
    lake_str s = lake_arena_str(&arena, lake_buffer_view(&b).ptr, b.len);
    lake_buffer_clear(&b);
    return s.ptr;
}

static const char *type_text(const lake_type *t) {
    lake_buffer b;
    lake_buffer_init(&b);
    lake_type_print(&b, t);
    lake_str s = lake_arena_str(&arena, lake_buffer_view(&b).ptr, b.len);
    lake_buffer_clear(&b);
    return s.ptr;
}

static const char *full_name(const lake_field *f) {
    lake_buffer b;
    lake_buffer_init(&b);
    lake_field_full_name(&b, f);
    lake_str s = lake_arena_str(&arena, lake_buffer_view(&b).ptr, b.len);
    lake_buffer_clear(&b);
    return s.ptr;
}

static lake_schema *read(const char *text) {
    lake_schema *s = NULL;
    cr_assert_eq(lake_schema_read(&arena, parse(text), &s, &err), LAKE_OK, "%s", err.message);
    return s;
}

Test(schema, type_names) {
    static const struct {
        const char *text;
        lake_type_id id;
        const char *printed;
    } table[] = {{"boolean", LAKE_BOOLEAN, "boolean"}, {"int", LAKE_INT, "int"}, {"long", LAKE_LONG, "long"},
        {"float", LAKE_FLOAT, "float"}, {"double", LAKE_DOUBLE, "double"}, {"date", LAKE_DATE, "date"},
        {"time", LAKE_TIME, "time"}, {"timestamp", LAKE_TIMESTAMP, "timestamp"},
        {"timestamptz", LAKE_TIMESTAMPTZ, "timestamptz"}, {"timestamp_ns", LAKE_TIMESTAMP_NS, "timestamp_ns"},
        {"timestamptz_ns", LAKE_TIMESTAMPTZ_NS, "timestamptz_ns"}, {"string", LAKE_STRING, "string"},
        {"uuid", LAKE_UUID, "uuid"}, {"binary", LAKE_BINARY, "binary"}, {"unknown", LAKE_UNKNOWN, "unknown"},
        {"variant", LAKE_VARIANT, "variant"}, {"fixed[16]", LAKE_FIXED, "fixed[16]"},
        {"fixed[ 16 ]", LAKE_FIXED, "fixed[16]"}, {"decimal(9,2)", LAKE_DECIMAL, "decimal(9, 2)"},
        {"decimal(9, 2)", LAKE_DECIMAL, "decimal(9, 2)"}, {"decimal( 38 , 38 )", LAKE_DECIMAL, "decimal(38, 38)"},
        {"decimal(1,0)", LAKE_DECIMAL, "decimal(1, 0)"}, {"geometry", LAKE_GEOMETRY, "geometry"},
        {"geometry(srid:4326)", LAKE_GEOMETRY, "geometry(srid:4326)"}, {"geography", LAKE_GEOGRAPHY, "geography"},
        {"geography(srid:4326,spherical)", LAKE_GEOGRAPHY, "geography(srid:4326, spherical)"},
        {"geography( srid:4326 , karney )", LAKE_GEOGRAPHY, "geography(srid:4326, karney)"},
        {"geography(srid:4326)", LAKE_GEOGRAPHY, "geography(srid:4326)"}, {"LONG", LAKE_LONG, "long"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_type t;
        lake_json *v = lake_json_new_string(&arena, lake_str_of(table[i].text));
        cr_assert_eq(lake_type_read(&arena, v, NULL, 0, &t, &err), LAKE_OK, "%s", err.message);
        cr_assert_eq(t.id, table[i].id, "%s", table[i].text);
        cr_assert_str_eq(type_text(&t), table[i].printed);
    }
}

Test(schema, type_parameters) {
    lake_type t;
    cr_assert_eq(lake_type_read(&arena, parse("\"decimal(18,4)\""), NULL, 0, &t, &err), LAKE_OK);
    cr_assert(t.precision == 18 && t.scale == 4);
    cr_assert_eq(lake_type_read(&arena, parse("\"fixed[7]\""), NULL, 0, &t, &err), LAKE_OK);
    cr_assert_eq(t.length, 7);
    cr_assert_eq(lake_type_read(&arena, parse("\"geography(EPSG:4326, vincenty)\""), NULL, 0, &t, &err), LAKE_OK);
    cr_assert(lake_str_is(t.crs, "EPSG:4326") && lake_str_is(t.algorithm, "vincenty"));
    cr_assert_eq(lake_type_read(&arena, parse("\"geometry\""), NULL, 0, &t, &err), LAKE_OK);
    cr_assert_null(t.crs.ptr);
}

Test(schema, bad_types_are_refused) {
    static const char *const table[] = {"\"\"", "\"integer\"", "\"decimal\"", "\"decimal(9)\"", "\"decimal(0,0)\"",
        "\"decimal(39,1)\"", "\"decimal(9,10)\"", "\"decimal(9,-1)\"", "\"decimal(9,2\"", "\"decimal(9,2,1)\"",
        "\"fixed\"", "\"fixed[]\"", "\"fixed[-1]\"", "\"fixed[99999999999]\"", "\"fixed[1,2]\"", "\"fixed(16)\"", "1",
        "null", "[]", "{}", "{\"type\":1}", "{\"type\":\"set\"}", "{\"type\":\"struct\"}",
        "{\"type\":\"struct\",\"fields\":{}}", "{\"type\":\"struct\",\"fields\":[1]}",
        "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"required\":true,\"type\":\"int\"}]}",
        "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"required\":true,\"type\":\"int\"}]}",
        "{\"type\":\"struct\",\"fields\":[{\"id\":2147483648,\"name\":\"a\",\"required\":true,\"type\":\"int\"}]}",
        "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":1,\"type\":\"int\"}]}",
        "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":true}]}",
        "{\"type\":\"list\",\"element-id\":1,\"element-required\":true}", "{\"type\":\"list\",\"element\":\"int\"}",
        "{\"type\":\"map\",\"key-id\":1,\"key\":\"int\",\"value-id\":2}", "\"geometry(a, b)\"", "\"a(b)\"", "\"(\"",
        "\"[]\"", "\")\""};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_type t;
        lake_error_init(&err);
        lake_status s = lake_type_read(&arena, parse(table[i]), NULL, 0, &t, &err);
        cr_assert(s == LAKE_ERR_MALFORMED || s == LAKE_ERR_UNSUPPORTED, "%s", table[i]);
        cr_assert(err.message[0], "%s: no message", table[i]);
    }
}

Test(schema, an_error_names_the_innermost_field) {
    lake_type t;
    lake_json *v =
        parse("{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":{\"type\":\"list\","
              "\"element-id\":2,\"element-required\":true,\"element\":\"integer\"}}]}");
    cr_assert_eq(lake_type_read(&arena, v, NULL, 0, &t, &err), LAKE_ERR_UNSUPPORTED);
    cr_assert_str_eq(err.message, "field 'a.element': unknown type 'integer'");
}

static const char golden[] =
    "{\"type\":\"struct\",\"schema-id\":3,\"identifier-field-ids\":[1],\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\",\"doc\":\"the key\",\"x-extra\":1.50},"
    "{\"id\":2,\"name\":\"a\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":3,\"name\":\"b\",\"required\":true,\"type\":\"int\",\"initial-default\":7,\"write-default\":null}]}},"
    "{\"id\":4,\"name\":\"a.b\",\"required\":true,\"type\":\"string\"},"
    "{\"id\":5,\"name\":\"points\",\"required\":true,\"type\":{\"type\":\"list\",\"element-id\":6,\"element-required\":"
    "true,"
    "\"element\":{\"type\":\"struct\",\"fields\":[{\"id\":7,\"name\":\"x\",\"required\":true,\"type\":\"double\"}]}}},"
    "{\"id\":8,\"name\":\"m\",\"required\":true,\"type\":{\"type\":\"map\",\"key-id\":9,\"key\":\"string\",\"value-"
    "id\":10,"
    "\"value-required\":true,\"value\":\"decimal(9, 2)\"}},"
    "{\"id\":11,\"name\":\"Gr\xc3\x96\xc3\x9f"
    "e\",\"required\":false,\"type\":\"timestamp_ns\"}],\"x-later\":{\"k\":[1e400]}}";

Test(schema, fields_know_their_place) {
    lake_schema *s = read(golden);
    cr_assert_eq(s->id, 3);
    cr_assert_eq(s->nby_id, 11);
    cr_assert_eq(s->root.nfields, 6);
    cr_assert_eq(s->nidentifier_ids, 1);
    cr_assert_eq(s->identifier_ids[0], 1);
    static const struct {
        int32_t id;
        const char *name;
        bool inside_list, nullable;
    } table[] = {{1, "id", false, false}, {2, "a", false, true}, {3, "a.b", false, true}, {4, "a.b", false, false},
        {5, "points", false, false}, {6, "points.element", true, false}, {7, "points.element.x", true, false},
        {9, "m.key", true, false}, {10, "m.value", true, false}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const lake_field *f = lake_schema_field(s, table[i].id);
        cr_assert_not_null(f);
        cr_assert_eq(f->id, table[i].id);
        cr_assert_str_eq(full_name(f), table[i].name);
        cr_assert_eq(f->inside_list, table[i].inside_list, "%s", table[i].name);
        cr_assert_eq(f->nullable, table[i].nullable, "%s", table[i].name);
    }
    cr_assert_null(lake_schema_field(s, 12));
    cr_assert_null(lake_schema_field(s, 0));
    const lake_field *b = lake_schema_field(s, 3);
    cr_assert(lake_str_is(b->initial_default->text, "7"));
    cr_assert_null(b->write_default, "JSON null is no default");
    cr_assert(lake_str_is(lake_schema_field(s, 1)->doc, "the key"));
    cr_assert_null(b->doc.ptr);
}

Test(schema, unknown_members_survive_writing) {
    cr_assert_str_eq(printed(lake_schema_write(&arena, read(golden))), golden);
    lake_schema *v1 = read("{\"type\":\"struct\",\"fields\":[]}");
    v1->id = 2;
    cr_assert_str_eq(printed(lake_schema_write(&arena, v1)), "{\"type\":\"struct\",\"fields\":[],\"schema-id\":2}");
}

Test(schema, a_schema_made_by_hand_can_be_written) {
    lake_schema *s = read(golden);
    s->json = NULL;
    const char *text = printed(lake_schema_write(&arena, s));
    lake_schema *t = read(text);
    cr_assert_eq(t->nby_id, 11);
    t->json = NULL;
    cr_assert_str_eq(printed(lake_schema_write(&arena, t)), text);
    cr_assert(strstr(text, "\"decimal(9, 2)\"") && strstr(text, "\"initial-default\":7") &&
        strstr(text, "\"doc\":\"the key\""));
    cr_assert_not(strstr(text, "x-extra"));
}

Test(schema, names_with_dots_are_ambiguous_not_lost) {
    lake_schema *s = read(golden);
    const lake_field *out[4];
    cr_assert_eq(lake_schema_find_name(s, LAKE_STR("a.b"), true, out, 4), 2);
    cr_assert((out[0]->id == 3 && out[1]->id == 4) || (out[0]->id == 4 && out[1]->id == 3));
    cr_assert_eq(lake_schema_find_name(s, LAKE_STR("a.b"), true, out, 1), 2, "the count passes the room");
    lake_str dotted = LAKE_STR("a.b"), parts[2] = {LAKE_STR("a"), LAKE_STR("b")};
    cr_assert_eq(lake_schema_find_path(s, &dotted, 1, true, out, 4), 1);
    cr_assert_eq(out[0]->id, 4);
    cr_assert_eq(lake_schema_find_path(s, parts, 2, true, out, 4), 1);
    cr_assert_eq(out[0]->id, 3);
    cr_assert_eq(lake_schema_find_path(s, parts, 0, true, out, 4), 0);
}

Test(schema, names_are_found_by_full_short_and_folded_form) {
    lake_schema *s = read(golden);
    static const struct {
        const char *name;
        bool sensitive;
        int32_t id; /* 0: not found */
    } table[] = {{"points.element.x", true, 7}, {"points.x", true, 7}, {"points.element", true, 6},
        {"m.value", true, 10}, {"m.key", true, 9}, {"ID", true, 0}, {"ID", false, 1}, {"iD.", false, 0}, {"", true, 0},
        {".", true, 0}, {"POINTS.X", false, 7},
        {"gr\xc3\xb6\xc3\x9f"
         "e",
            false, 11},
        {"GR\xc3\x96\xc3\x9f"
         "E",
            false, 11},
        {"gr\xc3\xb6\xc3\x9f"
         "e",
            true, 0},
        {"a.", true, 0}, {"idx", true, 0}, {"i", true, 0}, {"x", true, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const lake_field *out[2];
        size_t n = lake_schema_find_name(s, lake_str_of(table[i].name), table[i].sensitive, out, 2);
        cr_assert_eq(n, table[i].id != 0, "%s: %zu", table[i].name, n);
        if (n)
            cr_assert_eq(out[0]->id, table[i].id, "%s", table[i].name);
    }
}

Test(schema, names_that_differ_in_case_are_ambiguous_without_case) {
    lake_schema *s =
        read("{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"int\"},"
             "{\"id\":2,\"name\":\"ID\",\"required\":true,\"type\":\"int\"}]}");
    const lake_field *out[2];
    cr_assert_eq(lake_schema_find_name(s, LAKE_STR("Id"), false, out, 2), 2);
    cr_assert_eq(lake_schema_find_name(s, LAKE_STR("Id"), true, out, 2), 0);
    cr_assert(lake_schema_find_name(s, LAKE_STR("ID"), true, out, 2) == 1 && out[0]->id == 2);
}

Test(schema, folding_covers_the_usual_alphabets) {
    static const char *const pairs[][2] = {{"\xc4\x80", "\xc4\x81"}, {"\xc5\xbd", "\xc5\xbe"}, {"\xc5\xb8", "\xc3\xbf"},
        {"\xce\x94", "\xce\xb4"}, {"\xce\x86", "\xce\xac"}, {"\xce\x8f", "\xcf\x8e"}, {"\xd0\x96", "\xd0\xb6"},
        {"\xd0\x81", "\xd1\x91"}, {"\xd2\x90", "\xd2\x91"}, {"\xd4\xb1", "\xd5\xa1"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[256];
        snprintf(text, sizeof text,
            "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"%s\",\"required\":true,\"type\":\"int\"}]}",
            pairs[i][0]);
        const lake_field *out[1];
        cr_assert_eq(lake_schema_find_name(read(text), lake_str_of(pairs[i][1]), false, out, 1), 1, "pair %zu", i);
        cr_assert_eq(lake_schema_find_name(read(text), lake_str_of(pairs[i][1]), true, out, 1), 0, "pair %zu", i);
    }
}

Test(schema, duplicate_ids_are_refused_by_name) {
    lake_schema *s;
    const char *text = "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"int\"},{"
                       "\"id\":2,\"name\":\"l\","
                       "\"required\":true,\"type\":{\"type\":\"list\",\"element-id\":1,\"element-required\":true,"
                       "\"element\":\"int\"}}]}";
    cr_assert_eq(lake_schema_read(&arena, parse(text), &s, &err), LAKE_ERR_MALFORMED);
    cr_assert(strstr(err.message, "1") && strstr(err.message, "'a'") && strstr(err.message, "'l.element'"), "%s",
        err.message);
}

Test(schema, bad_schemas_are_refused) {
    static const char *const table[] = {"[]", "null", "\"int\"", "{}", "{\"type\":\"list\"}", "{\"type\":\"struct\"}",
        "{\"type\":\"struct\",\"fields\":[],\"schema-id\":\"1\"}",
        "{\"type\":\"struct\",\"fields\":[],\"schema-id\":99999999999}",
        "{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":1}",
        "{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[\"1\"]}"};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_schema *s;
        lake_error_init(&err);
        cr_assert_eq(lake_schema_read(&arena, parse(table[i]), &s, &err), LAKE_ERR_MALFORMED, "%s", table[i]);
        cr_assert(err.message[0]);
    }
}

static const char *nested_lists(int depth) {
    lake_buffer b;
    lake_buffer_init(&b);
    lake_buffer_puts(&b, "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":");
    for (int i = 0; i < depth; i++)
        lake_buffer_printf(&b, "{\"type\":\"list\",\"element-id\":%d,\"element-required\":false,\"element\":", i + 2);
    lake_buffer_puts(&b, "\"int\"");
    for (int i = 0; i < depth; i++)
        lake_buffer_puts(&b, "}");
    lake_buffer_puts(&b, "}]}");
    lake_str s = lake_arena_str(&arena, lake_buffer_view(&b).ptr, b.len);
    lake_buffer_clear(&b);
    return s.ptr;
}

Test(schema, depth_is_limited) {
    lake_schema *s;
    cr_assert_eq(read(nested_lists(99))->nby_id, 100);
    cr_assert_eq(lake_schema_read(&arena, parse(nested_lists(100)), &s, &err), LAKE_ERR_LIMIT);
    cr_assert_eq(lake_schema_read(&arena, parse(nested_lists(900)), &s, &err), LAKE_ERR_LIMIT);
    cr_assert(strstr(err.message, "field 'a.element.element"), "%s", err.message);
}

static lake_status read_body(void *user, lake_error *e) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_json *v = NULL;
    lake_schema *s = NULL;
    lake_status st = lake_json_parse(&a, lake_str_of(user), NULL, &v, e);
    if (st == LAKE_OK)
        st = lake_schema_read(&a, v, &s, e);
    if (st == LAKE_OK) {
        s->json = NULL;
        if (!lake_schema_write(&a, s))
            st = lake_fail_memory(e);
    }
    lake_arena_clear(&a);
    return st;
}

Test(schema, every_allocation_may_fail) {
    test_every_allocation(read_body, (void *)golden);
}

Test(schema, every_truncation_is_refused) {
    lake_json *v;
    for (size_t n = 0; n < sizeof golden - 1; n++) {
        char *copy = malloc(n ? n : 1);
        memcpy(copy, golden, n);
        cr_assert_eq(lake_json_parse(&arena, (lake_str){copy, n}, NULL, &v, &err), LAKE_ERR_MALFORMED);
        free(copy);
    }
}

Test(schema, every_member_may_be_missing) {
    /* Renames each member in turn: a clean answer, whatever it is. */
    for (const char *p = strchr(golden, '"'); p; p = strchr(p + 1, '"')) {
        char copy[sizeof golden];
        memcpy(copy, golden, sizeof golden);
        if (p[1] == ':' || p[1] == ',' || p[1] == '}' || p[1] == ']')
            continue;
        copy[p - golden + 1] = '?';
        lake_json *v;
        lake_schema *s;
        if (lake_json_parse(&arena, lake_str_of(copy), NULL, &v, &err) == LAKE_OK &&
            lake_schema_read(&arena, v, &s, &err) != LAKE_OK)
            cr_assert(err.message[0]);
    }
}
