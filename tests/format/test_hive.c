/* Folders' names. Expected: Hive's own escapes, which are two hex digits of either case; what is none stays. */
#include "support.h"

#include "format/hive.h"

static lake_arena arena;
static lake_error err;

static void setup(void) {
    lake_arena_init(&arena, 0);
    lake_error_init(&err);
}
static void teardown(void) {
    lake_arena_clear(&arena);
}
TestSuite(hive, .init = setup, .fini = teardown);

static const struct {
    lake_str text, decoded;
} names[] = {
    {LAKE_STR(""), LAKE_STR("")}, {LAKE_STR("plain"), LAKE_STR("plain")}, {LAKE_STR("a%20b"), LAKE_STR("a b")},
    {LAKE_STR("%3D%3d"), LAKE_STR("==")}, {LAKE_STR("%C3%a9"), LAKE_STR("\xc3\xa9")}, {LAKE_STR("%00x"), {"\0x", 2}},
    {LAKE_STR("a+b"), LAKE_STR("a+b")}, /* a plus is no space */
    {LAKE_STR("100%"), LAKE_STR("100%")}, {LAKE_STR("%4"), LAKE_STR("%4")}, {LAKE_STR("%4g%zz"), LAKE_STR("%4g%zz")},
    {LAKE_STR("%%41"), LAKE_STR("%A")}, {LAKE_STR("%2541"), LAKE_STR("%41")}, /* once only */
};

Test(hive, escapes_are_decoded_once_and_what_is_none_stays) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lake_str out;
        cr_assert_eq(lake_hive_decode(&arena, names[i].text, &out, &err), LAKE_OK);
        cr_assert(lake_str_eq(out, names[i].decoded), "%.*s: %.*s", LAKE_ARG(names[i].text), LAKE_ARG(out));
        cr_assert_eq(out.ptr[out.len], 0);
    }
}

Test(hive, an_escape_that_the_view_cuts_is_none) {
    lake_str out, text = {"x%41", 3};
    cr_assert_eq(lake_hive_decode(&arena, text, &out, &err), LAKE_OK);
    cr_assert(lake_str_is(out, "x%4"));
}
