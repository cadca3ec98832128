/* Bloom filters that parquet-cpp wrote (spec/vectors/bloom.tsv), cut and bent headers. */
#include "wire/parquet_bloom.h"

#include "tests/support.h"

/* How many of the comma-separated values ("-": no bytes) the filter has; *n: how many there are. */
static size_t count(lake_arena *arena, lake_bytes bits, const char *list, size_t *n) {
    size_t found = 0;
    *n = 0;
    while (*list) {
        size_t len = strcspn(list, ",");
        lake_str text = lake_arena_str(arena, list, len);
        lake_bytes b = lake_str_is(text, "-") ? (lake_bytes){(const uint8_t *)"", 0} : test_hex(arena, text.ptr);
        found += lake_parquet_bloom_has(bits, lake_xxh64(b.ptr, b.len));
        ++*n;
        list += len + (list[len] == ',');
    }
    return found;
}

Test(parquet_bloom, has_what_was_put_in_and_hardly_else) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    test_table t = test_vectors(&arena, "bloom.tsv");
    cr_assert_geq(t.nrows, 7);
    for (size_t i = 0; i < t.nrows; i++) {
        lake_bytes all = test_hex(&arena, test_cell(&t, i, "filter"));
        size_t head = 0, bits = 0, n;
        lake_error err;
        lake_error_init(&err);
        cr_assert_eq(lake_parquet_bloom_read(all, 0, (int64_t)all.len, &head, &bits, &err), LAKE_OK, "%s", err.message);
        cr_assert_eq(head + bits, all.len);
        lake_bytes filter = {all.ptr + head, bits};
        size_t inside = count(&arena, filter, test_cell(&t, i, "inside"), &n);
        cr_expect_eq(inside, n, "%s: %zu of %zu", test_cell(&t, i, "column"), inside, n);
        size_t outside = count(&arena, filter, test_cell(&t, i, "outside"), &n);
        cr_expect_lt(outside, n / 5 + 1, "%s: %zu of %zu", test_cell(&t, i, "column"), outside, n);
    }
    lake_arena_clear(&arena);
}

Test(parquet_bloom, refuses_headers_that_are_torn_foreign_or_of_an_impossible_size) {
    static const struct {
        const char *hex;
        int64_t stated;
        lake_status status;
    } cases[] = {
        {"15401c1c00001c1c00001c1c000000", 47, LAKE_OK}, {"15401c1c00001c1c00001c1c000000", -1, LAKE_OK},
        {"15401c1c00001c1c00001c1c000000", 48, LAKE_ERR_MALFORMED},
        {"15421c1c00001c1c00001c1c000000", -1, LAKE_ERR_MALFORMED}, /* 33 bytes */
        {"15001c1c00001c1c00001c1c000000", -1, LAKE_ERR_MALFORMED}, /* none */
        {"153f1c1c00001c1c00001c1c000000", -1, LAKE_ERR_MALFORMED}, /* -32 */
        {"15808080801c1c00001c1c00001c1c000000", -1, LAKE_ERR_MALFORMED},
        {"1580808080081c1c00001c1c00001c1c000000", -1, LAKE_ERR_MALFORMED}, /* 1 GiB */
        {"1c1c00001c1c00001c1c000000", -1, LAKE_ERR_MALFORMED}, /* other fields */
        {"15401c2c00001c1c00001c1c000000", -1, LAKE_ERR_UNSUPPORTED}, /* another algorithm */
        {"15401c1c00001c2c00001c1c000000", -1, LAKE_ERR_UNSUPPORTED}, /* hash */
        {"15401c1c00001c1c00001c2c000000", -1, LAKE_ERR_UNSUPPORTED}, /* compression */
        {"15401c1c00001c1c00000000", -1, LAKE_ERR_UNSUPPORTED}, /* no compression told */
    };
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lake_bytes b = test_hex(&arena, cases[i].hex);
        size_t head, bits;
        lake_error err;
        lake_error_init(&err);
        cr_expect_eq(lake_parquet_bloom_read(b, 0, cases[i].stated, &head, &bits, &err), cases[i].status, "%s: %s",
            cases[i].hex, err.message);
    }
    lake_bytes whole = test_hex(&arena, cases[0].hex);
    for (size_t n = 0; n < whole.len; n++) {
        uint8_t *cut = lake_mem_alloc(n + 1); /* the sanitizer sees a read beyond */
        size_t head, bits;
        lake_error err;
        memcpy(cut + 1, whole.ptr, n);
        cr_expect_eq(lake_parquet_bloom_read((lake_bytes){cut + 1, n}, 0, -1, &head, &bits, &err), LAKE_ERR_MALFORMED);
        lake_mem_free(cut);
    }
    lake_arena_clear(&arena);
}
