/* What ORC footers prove (ORC specification v1, "Column Statistics"; the writers' versions from its orc_proto), from
   footers made by hand: no writer makes all of these. */
#include "reader/orc_types.h"
#include "tests/support.h"

/* ---- a few bytes of Protocol Buffers */

static void varint(lake_buffer *b, uint64_t v) {
    for (; v > 127; v >>= 7)
        lake_buffer_char(b, (char)(v | 128));
    lake_buffer_char(b, (char)v);
}
static void number(lake_buffer *b, unsigned field, uint64_t v) {
    varint(b, field << 3);
    varint(b, v);
}
static void zigzag(lake_buffer *b, unsigned field, int64_t v) {
    number(b, field, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}
static void bytes(lake_buffer *b, unsigned field, const void *data, size_t n) {
    varint(b, field << 3 | 2);
    varint(b, n);
    lake_buffer_put(b, data, n);
}
static void text(lake_buffer *b, unsigned field, const char *z) {
    bytes(b, field, z, strlen(z));
}
static void real(lake_buffer *b, unsigned field, double v) {
    varint(b, field << 3 | 1);
    lake_buffer_put(b, &v, 8);
}
static void nested(lake_buffer *b, unsigned field, lake_buffer *inner) {
    bytes(b, field, inner->data ? inner->data : (uint8_t *)"", inner->len);
    lake_buffer_clear(inner);
}

enum { INT = 2, DOUBLE = 3, STRING = 4, BUCKET = 5, DECIMAL = 6, DATE = 7, STAMP = 9 };

typedef struct column {
    const char *what;
    lake_orc_kind kind;
    const char *type; /* Iceberg's */
    unsigned writer, version;
    int form; /* which statistics */
    double lo, hi, sum;
    const char *lo_text, *hi_text; /* STRING, DECIMAL */
    int bounds; /* STRING: 1: as lower and upper bound. DOUBLE: 1: no sum. STAMP: 1: in the writer's zone only */
    int calendar;
    const char *want_lo, *want_hi; /* hex; NULL: none */
    int loose;
} column;

/* A file with one column and 10 rows, of which 8 are no nulls. */
static void footer_of(const column *c, lake_buffer *out) {
    lake_buffer t, s, inner;
    lake_buffer_init(out);
    lake_buffer_init(&t);
    lake_buffer_init(&s);
    lake_buffer_init(&inner);
    number(&inner, 1, 3);
    number(&inner, 5, 10);
    nested(out, 3, &inner); /* a stripe */
    number(&t, 1, LAKE_ORC_STRUCT);
    bytes(&t, 2, "\1", 1);
    text(&t, 3, "c");
    nested(out, 4, &t);
    number(&t, 1, c->kind);
    if (c->kind == LAKE_ORC_DECIMAL) {
        number(&t, 5, 9);
        number(&t, 6, 2);
    }
    nested(out, 4, &t);
    number(out, 6, 10);
    number(&s, 1, 10);
    nested(out, 7, &s);
    number(&s, 1, 8);
    number(&s, 10, 1);
    number(&s, 11, 77);
    switch (c->form) {
    case INT:
    case DATE:
        zigzag(&inner, 1, (int64_t)c->lo);
        zigzag(&inner, 2, (int64_t)c->hi);
        break;
    case STAMP:
        zigzag(&inner, c->bounds ? 1 : 3, (int64_t)c->lo);
        zigzag(&inner, c->bounds ? 2 : 4, (int64_t)c->hi);
        break;
    case DOUBLE:
        real(&inner, 1, c->lo);
        real(&inner, 2, c->hi);
        if (!c->bounds)
            real(&inner, 3, c->sum);
        break;
    case BUCKET: bytes(&inner, 1, (uint8_t[]){(uint8_t)c->lo}, 1); break;
    case STRING:
    case DECIMAL:
        text(&inner, c->bounds ? 4 : 1, c->lo_text);
        text(&inner, c->bounds ? 5 : 2, c->hi_text);
        break;
    default: break;
    }
    if (c->form)
        nested(&s, (unsigned)c->form, &inner);
    nested(out, 7, &s);
    if (c->writer)
        number(out, 9, c->writer);
    if (c->calendar)
        number(out, 11, (uint64_t)c->calendar);
}

#define NAN_VALUE __builtin_nan("")
static const column columns[] = {
    {"bigint", LAKE_ORC_LONG, "long", 0, 9, INT, -5, 6, .want_lo = "fbffffffffffffff", .want_hi = "0600000000000000"},
    {"int promoted", LAKE_ORC_INT, "long", 0, 9, INT, -5, 6, .want_lo = "fbffffffffffffff",
        .want_hi = "0600000000000000"},
    {"smallint", LAKE_ORC_SHORT, "int", 1, 6, INT, 1, 2, .want_lo = "01000000", .want_hi = "02000000"},
    {"before HIVE-8732", LAKE_ORC_LONG, "long", 0, 0, INT, -5, 6},
    {"bigint as int", LAKE_ORC_LONG, "int", 0, 9, INT, -5, 6},
    {"an int out of its range", LAKE_ORC_INT, "int", 0, 9, INT, 0, 5e9},
    {"minimum above maximum", LAKE_ORC_LONG, "long", 0, 9, INT, 6, 5},
    {"double", LAKE_ORC_DOUBLE, "double", 0, 9, DOUBLE, -1, 2, 3, .want_lo = "000000000000f0bf",
        .want_hi = "0000000000000040"},
    {"float", LAKE_ORC_FLOAT, "float", 0, 9, DOUBLE, -1, 2, 3, .want_lo = "000080bf", .want_hi = "00000040"},
    {"zeros of any sign", LAKE_ORC_DOUBLE, "double", 0, 9, DOUBLE, 0, 0, 0, .want_lo = "0000000000000080",
        .want_hi = "0000000000000000", .loose = 1},
    {"a sum that is NaN", LAKE_ORC_DOUBLE, "double", 0, 9, DOUBLE, -1, 2, NAN_VALUE},
    {"no sum", LAKE_ORC_DOUBLE, "double", 0, 9, DOUBLE, -1, 2, 3, .bounds = 1},
    {"a minimum that is NaN", LAKE_ORC_DOUBLE, "double", 0, 9, DOUBLE, NAN_VALUE, 2, 3},
    {"string", LAKE_ORC_STRING, "string", 0, 9, STRING, .lo_text = "a", .hi_text = "b", .want_lo = "61",
        .want_hi = "62"},
    {"string that was cut", LAKE_ORC_STRING, "string", 0, 9, STRING, .lo_text = "a", .hi_text = "b", .bounds = 1,
        .want_lo = "61", .want_hi = "62", .loose = 1},
    {"char", LAKE_ORC_CHAR, "string", 0, 9, STRING, .lo_text = "a", .hi_text = "b"},
    {"string before HIVE-8732", LAKE_ORC_STRING, "string", 0, 0, STRING, .lo_text = "a", .hi_text = "b"},
    {"decimal", LAKE_ORC_DECIMAL, "decimal(9, 2)", 0, 7, DECIMAL, .lo_text = "-1.5", .hi_text = "2", .want_lo = "ff6a",
        .want_hi = "00c8"},
    {"wider decimal", LAKE_ORC_DECIMAL, "decimal(20, 2)", 1, 6, DECIMAL, .lo_text = "-1.5", .hi_text = "2",
        .want_lo = "ff6a", .want_hi = "00c8"},
    {"decimal of another scale", LAKE_ORC_DECIMAL, "decimal(9, 3)", 0, 7, DECIMAL, .lo_text = "-1.5", .hi_text = "2"},
    {"decimal before ORC-517", LAKE_ORC_DECIMAL, "decimal(9, 2)", 0, 6, DECIMAL, .lo_text = "-1.5", .hi_text = "2"},
    {"decimal with too many digits", LAKE_ORC_DECIMAL, "decimal(9, 2)", 0, 7, DECIMAL, .lo_text = "-1.555",
        .hi_text = "2"},
    {"date", LAKE_ORC_DATE, "date", 0, 9, DATE, -100000, 5, .want_lo = "6079feff", .want_hi = "05000000"},
    {"date before 1582", LAKE_ORC_DATE, "date", 0, 9, DATE, -150000, 5},
    {"date before 1582, proleptic", LAKE_ORC_DATE, "date", 0, 9, DATE, -150000, 5, .calendar = 2, .want_lo = "10b6fdff",
        .want_hi = "05000000"},
    {"date before 1582, hybrid", LAKE_ORC_DATE, "date", 0, 9, DATE, -150000, 5, .calendar = 1},
    {"timestamp", LAKE_ORC_TIMESTAMP, "timestamp", 0, 9, STAMP, 1, 2, .want_lo = "e803000000000000",
        .want_hi = "b70b000000000000", .loose = 1},
    {"timestamp before 1970", LAKE_ORC_TIMESTAMP, "timestamp", 0, 9, STAMP, -1, 2},
    {"timestamp before ORC-135", LAKE_ORC_TIMESTAMP, "timestamp", 0, 5, STAMP, 1, 2, .bounds = 1},
    {"boolean with both", LAKE_ORC_BOOLEAN, "boolean", 0, 9, BUCKET, 3, .want_lo = "00", .want_hi = "01"},
    {"boolean with one", LAKE_ORC_BOOLEAN, "boolean", 0, 9, BUCKET, 8},
    {"binary", LAKE_ORC_BINARY, "binary", 0, 9, 0},
};

static lake_status read_one(
    lake_arena *arena, const column *c, lake_orc_postscript *ps, lake_orc_footer *f, lake_error *err) {
    lake_buffer b;
    footer_of(c, &b);
    *ps = (lake_orc_postscript){.footer_length = b.len, .writer_version = c->version, .block = 1 << 18};
    lake_status st = lake_orc_footer_read(arena, ps, lake_bytes_of(lake_buffer_view(&b)), f, err);
    lake_buffer_clear(&b);
    return st;
}

static const char *hex_of(lake_arena *arena, const lake_type *t, bool has, lake_key k) {
    uint8_t scratch[16];
    return has ? test_to_hex(arena, lake_value_to_binary(t, k, scratch)) : "none";
}

Test(orc, footers_prove_what_the_format_and_their_writers_allow) {
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const column *c = &columns[i];
        lake_arena arena;
        lake_arena_init(&arena, 0);
        lake_error err = {0};
        lake_orc_postscript ps;
        lake_orc_footer f;
        lake_json *json;
        lake_field field = {.id = 1, .name = LAKE_STR("c"), .nullable = true};
        cr_assert_eq(read_one(&arena, c, &ps, &f, &err), LAKE_OK, "%s: %s", c->what, err.message);
        lake_str type = lake_arena_printf(&arena, "\"%s\"", c->type);
        cr_assert_eq(lake_json_parse(&arena, type, NULL, &json, &err), LAKE_OK);
        cr_assert_eq(lake_type_read(&arena, json, &field, 0, &field.type, &err), LAKE_OK, "%s", err.message);
        lake_orc_claim got = lake_orc_trust(&f, &ps, 1, &field);
        cr_expect_eq(got.values, 10, "%s", c->what);
        cr_expect_eq(got.nulls, 2, "%s", c->what);
        cr_expect_eq(got.column_size, 77, "%s", c->what);
        cr_expect_str_eq(
            hex_of(&arena, &field.type, got.has_min, got.min), c->want_lo ? c->want_lo : "none", "%s", c->what);
        cr_expect_str_eq(
            hex_of(&arena, &field.type, got.has_max, got.max), c->want_hi ? c->want_hi : "none", "%s", c->what);
        cr_expect(!got.has_min || got.min_loose == (bool)c->loose, "%s", c->what);
        cr_expect(!got.has_max || got.max_loose == (bool)c->loose, "%s", c->what);
        bool no_nan = c->form == DOUBLE && c->want_lo;
        cr_expect_eq(got.nans, no_nan ? 0 : -1, "%s: %lld NaNs", c->what, (long long)got.nans);
        lake_arena_clear(&arena);
    }
}

/* ---- footers that lie */

static void type_of(lake_buffer *out, unsigned kind, const char *subtypes, size_t n, const char *name) {
    lake_buffer t;
    lake_buffer_init(&t);
    number(&t, 1, kind);
    bytes(&t, 2, subtypes, n);
    for (size_t i = 0; i < n && name; i++)
        text(&t, 3, name);
    nested(out, 4, &t);
}

static void expect_refused(lake_buffer *b, const char *why) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_error err = {0};
    lake_orc_footer f;
    lake_orc_postscript ps = {.footer_length = b->len, .writer_version = 9, .block = 1 << 18};
    lake_status st = lake_orc_footer_read(&arena, &ps, lake_bytes_of(lake_buffer_view(b)), &f, &err);
    cr_expect(st == LAKE_ERR_MALFORMED || st == LAKE_ERR_LIMIT || st == LAKE_ERR_UNSUPPORTED, "%s: %d", why, (int)st);
    cr_expect(strstr(err.message, why), "%s", err.message);
    lake_arena_clear(&arena);
    lake_buffer_clear(b);
}

Test(orc, hostile_footers_are_refused) {
    lake_buffer b;
    lake_buffer_init(&b);
    expect_refused(&b, "no types");
    lake_buffer_init(&b);
    type_of(&b, LAKE_ORC_STRUCT, "\0", 1, "c"); /* contains itself */
    expect_refused(&b, "refer to each other wrongly");
    lake_buffer_init(&b);
    type_of(&b, LAKE_ORC_STRUCT, "\1\1", 2, "c"); /* one type in two places */
    type_of(&b, LAKE_ORC_INT, "", 0, NULL);
    expect_refused(&b, "refer to each other wrongly");
    lake_buffer_init(&b);
    type_of(&b, LAKE_ORC_STRUCT, "\1", 1, NULL); /* no names */
    type_of(&b, LAKE_ORC_INT, "", 0, NULL);
    expect_refused(&b, "not as many names");
    lake_buffer_init(&b);
    type_of(&b, 99, "", 0, NULL);
    expect_refused(&b, "type kind 99");
    lake_buffer_init(&b);
    type_of(&b, LAKE_ORC_STRUCT, "", 0, NULL);
    number(&b, 6, 5); /* rows, but no stripes */
    expect_refused(&b, "states 5 rows");
    lake_buffer_init(&b);
    for (char i = 1; i < 100; i++)
        type_of(&b, LAKE_ORC_LIST, &i, 1, NULL);
    type_of(&b, LAKE_ORC_INT, "", 0, NULL);
    expect_refused(&b, "nested deeper");
    lake_buffer_init(&b);
    lake_buffer_puts(&b, "\xff\xff\xff\xff\xff\xff");
    expect_refused(&b, "damaged");
}

Test(orc, postscripts_that_lie_are_refused) {
    static const struct {
        const char *hex, *why;
    } table[] = {{"", "not an ORC file"}, {"00", "not an ORC file"}, {"05", "not an ORC file"},
        {"08ff0102", "not an ORC file"}, {"08ff7f03", "are announced, the file has"}, {"100303", "LZO"},
        {"106302", "kind 99"}, {"82f403035a5a5a07", "magic"}};
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_bytes end = test_hex(&arena, table[i].hex);
        lake_error err = {0};
        lake_orc_postscript ps;
        cr_expect_neq(lake_orc_postscript_read(end, end.len, &ps, &err), LAKE_OK, "%s", table[i].hex);
        cr_expect(err.message[0], "%s", table[i].hex);
    }
    lake_arena_clear(&arena);
}
