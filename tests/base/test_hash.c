/* Murmur3 against the values of spec.md, Appendix B; XXH64 against the reference implementation. */
#include <stdio.h>

#include "support.h"

static int32_t hash_hex(const char *hex) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_bytes b = test_hex(&a, hex);
    int32_t h = (int32_t)lake_murmur3(b.ptr, b.len);
    lake_arena_clear(&a);
    return h;
}

Test(hash, spec_values) {
    cr_assert_eq(hash_hex("2200000000000000"), 2017239379); /* int and long 34 */
    cr_assert_eq(hash_hex("69636562657267"), 1210000089); /* "iceberg" */
    cr_assert_eq(hash_hex("00010203"), -188683207); /* binary */
    cr_assert_eq(hash_hex("058c"), -500754589); /* decimal 14.20 */
    cr_assert_eq(hash_hex("f79c3e09677c4bbda4793f349cb785e7"), 1488055340); /* uuid */
    cr_assert_eq(hash_hex(""), 0);
}

Test(hash, xxh64_is_the_reference_implementations) {
    lake_arena a;
    lake_arena_init(&a, 0);
    test_table t = test_vectors(&a, "xxh64.tsv");
    cr_assert_gt(t.nrows, 70);
    for (size_t i = 0; i < t.nrows; i++) {
        lake_bytes b = test_hex(&a, test_cell(&t, i, "bytes"));
        char hash[17];
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)lake_xxh64(b.ptr, b.len));
        cr_expect_str_eq(hash, test_cell(&t, i, "hash"), "%zu bytes", b.len);
    }
    lake_arena_clear(&a);
}
