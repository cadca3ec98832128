/* Page indexes that parquet-cpp wrote for the values 1 2 | - - | - - | 9 7 | 8 - (two a page), torn and bent. */
#include "wire/parquet_index.h"

#include "tests/support.h"

static const char offsets[] = "195c1608154e1600001656152e160400168401152e16080016b201154e160c00168002153e16100000";
static const char values[] = "19510201010202195808010000000000000000000807000000000000000808000000000000001958080200"
                             "000000000000000008090000000000000008080000000000000015001956000404000229a600040400"
                             "04000004020200";

static lake_parquet_chunk chunk_of(void) {
    return (lake_parquet_chunk){.num_values = 10,
        .compressed_size = 155,
        .data_page_offset = 4,
        .dictionary_page_offset = -1,
        .statistics = {.null_count = 5}};
}

static lake_status read_offsets(
    lake_arena *arena, lake_bytes b, const lake_parquet_chunk *c, int64_t rows, lake_parquet_offset_index *out) {
    lake_error err;
    lake_error_init(&err);
    lake_status st = lake_parquet_offset_index_read(arena, b, 250, c, rows, out, &err);
    cr_expect_eq(st == LAKE_OK, err.message[0] == 0);
    return st;
}

static lake_status read_values(lake_arena *arena, lake_bytes b, const lake_parquet_chunk *c,
    const lake_parquet_offset_index *places, lake_parquet_page_values **out) {
    lake_error err;
    lake_error_init(&err);
    lake_status st = lake_parquet_column_index_read(arena, b, 159, c, places, out, &err);
    cr_expect_eq(st == LAKE_OK, err.message[0] == 0);
    return st;
}

Test(parquet_index, tells_places_and_values_of_pages) {
    static const int64_t at[] = {4, 43, 66, 89, 128}, length[] = {39, 23, 23, 39, 31}, nulls[] = {0, 2, 2, 0, 1};
    static const int64_t min[] = {1, 0, 0, 7, 8}, max[] = {2, 0, 0, 9, 8};
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_parquet_chunk c = chunk_of();
    lake_parquet_offset_index places;
    lake_parquet_page_values *pages;
    cr_assert_eq(read_offsets(&arena, test_hex(&arena, offsets), &c, 10, &places), LAKE_OK);
    cr_assert_eq(places.npages, 5);
    cr_assert_eq(read_values(&arena, test_hex(&arena, values), &c, &places, &pages), LAKE_OK);
    for (int i = 0; i < 5; i++) {
        const lake_parquet_page_place *p = &places.pages[i];
        cr_expect(p->offset == at[i] && p->length == length[i] && p->first_row == 2 * i && p->rows == 2, "page %d", i);
        cr_expect(pages[i].null_count == nulls[i] && pages[i].only_nulls == (nulls[i] == 2), "page %d", i);
        cr_expect_eq(pages[i].nan_count, -1);
        if (nulls[i] < 2)
            cr_expect(lake_get_le64(pages[i].min.ptr) == (uint64_t)min[i] &&
                    lake_get_le64(pages[i].max.ptr) == (uint64_t)max[i],
                "page %d", i);
    }
    lake_arena_clear(&arena);
}

Test(parquet_index, a_torn_index_is_refused_at_every_place) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_parquet_chunk c = chunk_of();
    lake_bytes o = test_hex(&arena, offsets), v = test_hex(&arena, values);
    lake_parquet_offset_index places, ignored;
    lake_parquet_page_values *pages;
    cr_assert_eq(read_offsets(&arena, o, &c, 10, &places), LAKE_OK);
    for (size_t n = 0; n < o.len + v.len; n++) {
        bool first = n < o.len;
        size_t len = first ? n : n - o.len;
        uint8_t *cut = lake_mem_alloc(len + 1); /* the sanitizer sees a read beyond */
        memcpy(cut + 1, first ? o.ptr : v.ptr, len);
        lake_bytes b = {cut + 1, len};
        cr_expect_eq(first ? read_offsets(&arena, b, &c, 10, &ignored) : read_values(&arena, b, &c, &places, &pages),
            LAKE_ERR_MALFORMED, "cut to %zu", len);
        lake_mem_free(cut);
    }
    lake_arena_clear(&arena);
}

Test(parquet_index, an_index_that_does_not_agree_is_refused) {
    static const struct {
        const char *why, *offsets, *values;
        int64_t rows, size, nulls;
    } cases[] = {
        {"as it was", offsets, values, 10, 155, 5},
        {"null count of the chunk unknown", offsets, values, 10, 155, -1},
        {"the last page begins behind the row group", offsets, NULL, 8, 155, 5},
        {"pages beyond the chunk", offsets, NULL, 10, 154, 5},
        {"another number of nulls than the chunk's", offsets, values, 10, 155, 4},
        {"first row 1", "191c1608154e16020000", NULL, 10, 155, 5},
        {"no pages", "190c00", NULL, 10, 155, 5},
        {"no list of pages", "00", NULL, 10, 155, 5},
        {"a page without rows", "192c1608154e1600001656152e16000000", NULL, 10, 155, 5},
        {"rows going down", "193c1608154e1600001656152e160800168401152e16040000", NULL, 10, 155, 5},
        {"pages over each other", "192c1608154e1600001654152e16040000", NULL, 10, 155, 5},
        {"a negative length", "191c1608154d16000000", NULL, 10, 155, 5},
        {"a page before the chunk", "191c1602154e16000000", NULL, 10, 155, 5},
        {"one page, five values", "191c1608154e16000000", values, 10, 155, 5},
        {"one page, no counts", "191c1608154e16000000",
            "191102191808010000000000000019180802000000000000001500"
            "00",
            10, 155, 5},
        {"as many nulls as rows, and values", "191c1608154e16000000",
            "1911021918080100000000000000191808020000000000000015001916140"
            "0",
            10, 155, 10},
        {"only nulls, but not as many as rows", "191c1608154e16000000", "191101191800191800150019160800", 10, 155, 4},
        {"a negative count", "191c1608154e16000000",
            "1911021918080100000000000000191808020000000000000015001916010"
            "0",
            10, 155, -1},
        {"no maxima", "191c1608154e16000000",
            "19110219180801000000000000002500"
            "00",
            10, 155, 5},
    };
    static const int good[] = {0, 1, 14};
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lake_parquet_chunk c = chunk_of();
        lake_parquet_offset_index places;
        lake_parquet_page_values *pages;
        bool expected = false;
        for (size_t k = 0; k < sizeof good / sizeof *good; k++)
            expected |= good[k] == (int)i;
        c.compressed_size = cases[i].size;
        c.statistics.null_count = cases[i].nulls;
        lake_status st = read_offsets(&arena, test_hex(&arena, cases[i].offsets), &c, cases[i].rows, &places);
        if (cases[i].values) {
            cr_expect_eq(st, LAKE_OK, "%s", cases[i].why);
            st = read_values(&arena, test_hex(&arena, cases[i].values), &c, &places, &pages);
        }
        cr_expect_eq(st, expected ? LAKE_OK : LAKE_ERR_MALFORMED, "%s", cases[i].why);
    }
    lake_arena_clear(&arena);
}
