/* Theta sketches in Puffin files: the library that writes them says how many distinct values they stand for. */
#include "../support.h"
#include "reader/puffin.h"

#include <math.h>
#include <stdlib.h>

Test(theta, sketches_of_the_official_library_give_its_own_estimates) {
    lake_arena arena;
    lake_error err;
    lake_arena_init(&arena, 0);
    test_table t = test_vectors(&arena, "theta.tsv");
    cr_assert_geq(t.nrows, 6);
    for (size_t i = 0; i < t.nrows; i++) {
        double want = strtod(test_cell(&t, i, "estimate"), NULL), got = -1;
        lake_error_init(&err);
        cr_assert_eq(
            lake_theta_estimate(test_hex(&arena, test_cell(&t, i, "sketch")), &got, &err), LAKE_OK, "%s", err.message);
        cr_expect(fabs(got - want) <= want * 1e-12, "row %zu: %.17g, not %.17g", i, got, want);
    }
    lake_arena_clear(&arena);
}

Test(theta, what_is_no_compact_sketch_is_refused_and_short_ones_never_read_beyond) {
    lake_arena arena;
    lake_error err;
    lake_arena_init(&arena, 0);
    static const char *const bad[] = {"", "0103", "01030300001acc", "00030300001acc93", "04030300001acc93",
        "01020300001acc93", "01030200001acc93", "02030300001acc93", "03030300001acc932200000000000000",
        "03030300001acc9322000000000000000000000000000000", "03030300001acc932200000000000000ffffffffffffffff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double out;
        lake_error_init(&err);
        cr_expect_eq(lake_theta_estimate(test_hex(&arena, bad[i]), &out, &err), LAKE_ERR_MALFORMED, "%s", bad[i]);
        cr_expect_gt(strlen(err.message), 0);
    }
    lake_arena_clear(&arena);
}
