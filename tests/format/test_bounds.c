/* Cutting bounds: vectors of the corpus and of faults in other tools, and the order of whatever comes out. */
#include "../support.h"

#include "format/bounds.h"

#include <stdlib.h>

static lake_type type_of(const char *text) {
    if (strcmp(text, "string") == 0)
        return (lake_type){.id = LAKE_STRING};
    if (strcmp(text, "binary") == 0)
        return (lake_type){.id = LAKE_BINARY};
    if (strcmp(text, "uuid") == 0)
        return (lake_type){.id = LAKE_UUID};
    return (lake_type){.id = LAKE_FIXED, .length = atoi(text + 6)};
}

/* "-" is no bound, "\"\"" an empty one. */
static lake_bytes cell(lake_arena *arena, const test_table *t, size_t row, const char *column) {
    const char *text = test_cell(t, row, column);
    if (strcmp(text, "-") == 0)
        return (lake_bytes){NULL, 0};
    return test_hex(arena, strcmp(text, "\"\"") == 0 ? "" : text);
}

static void check_same(lake_arena *arena, const test_table *t, size_t row, const char *column, lake_bytes got) {
    lake_bytes want = cell(arena, t, row, column);
    cr_expect_eq(want.ptr == NULL, got.ptr == NULL, "row %zu (%s): %s: is there a bound?", row,
        test_cell(t, row, "source"), column);
    if (want.ptr && got.ptr)
        cr_expect_str_eq(test_to_hex(arena, got), test_to_hex(arena, want), "row %zu (%s): %s", row,
            test_cell(t, row, "source"), column);
}

Test(bounds, cut_as_the_vectors_say) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    test_table t = test_vectors(&arena, "bounds_cut.tsv");
    cr_assert_gt(t.nrows, 50);
    for (size_t i = 0; i < t.nrows; i++) {
        lake_type type = type_of(test_cell(&t, i, "type"));
        size_t n = (size_t)atol(test_cell(&t, i, "n"));
        lake_bytes upper;
        check_same(&arena, &t, i, "lower", lake_bound_cut_lower(&type, cell(&arena, &t, i, "min"), n));
        cr_assert_eq(lake_bound_cut_upper(&arena, &type, cell(&arena, &t, i, "max"), n, &upper, NULL), LAKE_OK);
        check_same(&arena, &t, i, "upper", upper);
    }
    lake_arena_clear(&arena);
}

Test(bounds, always_bound_and_are_valid_text) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    /* Pieces at the edges of UTF-8's lengths, of the surrogates and of what is no UTF-8 at all. */
    static const char *const pieces[] = {"a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
        "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\xff", "\x80", "\xed\xa0\x80"};
    enum { PIECES = sizeof pieces / sizeof *pieces };
    lake_type string = {.id = LAKE_STRING}, binary = {.id = LAKE_BINARY};
    for (size_t i = 0; i < PIECES * PIECES * PIECES * PIECES; i++) {
        char text[32] = "";
        for (size_t k = 0, x = i; k < 4; k++, x /= PIECES)
            strcat(text, pieces[x % PIECES]);
        lake_bytes value = lake_bytes_of(lake_str_of(text)), upper;
        for (size_t n = 1; n <= 5; n++) {
            lake_bytes lower = lake_bound_cut_lower(&string, value, n);
            cr_assert(
                lake_bytes_cmp(lower, value) <= 0 && lake_utf8_valid(lower) && lake_utf8_count(lower) <= n, "%zu", i);
            cr_assert_eq(lake_bound_cut_upper(&arena, &string, value, n, &upper, NULL), LAKE_OK);
            if (upper.ptr)
                cr_assert(lake_bytes_cmp(upper, value) >= 0 && lake_utf8_valid(upper) && lake_utf8_count(upper) <= n,
                    "%zu", i);
            cr_assert(lake_bytes_cmp(lake_bound_cut_lower(&binary, value, n), value) <= 0);
            cr_assert_eq(lake_bound_cut_upper(&arena, &binary, value, n, &upper, NULL), LAKE_OK);
            if (upper.ptr)
                cr_assert(lake_bytes_cmp(upper, value) >= 0 && upper.len <= (n < value.len ? n : value.len), "%zu", i);
        }
        lake_arena_reset(&arena);
    }
    lake_arena_clear(&arena);
}

Test(bounds, absent_values_stay_absent) {
    lake_type string = {.id = LAKE_STRING};
    lake_bytes none = {NULL, 0}, upper;
    cr_assert_null(lake_bound_cut_lower(&string, none, 16).ptr);
    cr_assert_eq(lake_bound_cut_upper(NULL, &string, none, 16, &upper, NULL), LAKE_OK);
    cr_assert_null(upper.ptr);
}
