/* Arena, buffer and cursor: limits, growth, sticking errors, and bytes that end too early. */
#include "support.h"

Test(arena, limit_is_a_limit) {
    lake_arena a;
    lake_arena_init(&a, 1000);
    cr_assert(lake_arena_alloc(&a, 900));
    cr_assert_null(lake_arena_alloc(&a, 200));
    cr_assert_null(lake_arena_alloc(&a, SIZE_MAX - 3));
    cr_assert_null(lake_arena_zalloc(&a, SIZE_MAX / 2, 4));
    cr_assert_null(lake_arena_str(&a, "x", SIZE_MAX).ptr);
    lake_arena_clear(&a);
    cr_assert(lake_arena_alloc(&a, 900), "usable again");
    lake_arena_clear(&a);
}

Test(arena, reset_keeps_one_block_and_allocations_are_aligned) {
    lake_arena a;
    lake_arena_init(&a, 0);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 1; i < 3000; i++) {
            uint8_t *p = lake_arena_alloc(&a, i);
            cr_assert_eq((uintptr_t)p % 16, 0);
            memset(p, 0xab, i);
        }
        lake_arena_reset(&a);
    }
    lake_str s = lake_arena_printf(&a, "%d-%s", 7, "x");
    cr_assert_str_eq(s.ptr, "7-x");
    lake_arena_clear(&a);
}

static bool fail_always(size_t size) {
    return false;
}

Test(buffer, a_failure_sticks_until_reset) {
    lake_buffer b;
    lake_buffer_init(&b);
    lake_buffer_printf(&b, "%s", "abc");
    lake_mem_test_hook = fail_always;
    char big[1000] = {0};
    lake_buffer_put(&b, big, sizeof big);
    lake_mem_test_hook = NULL;
    lake_error e;
    cr_assert_eq(lake_buffer_check(&b, &e), LAKE_ERR_NO_MEMORY);
    lake_buffer_puts(&b, "ignored");
    cr_assert_eq(b.len, 3);
    lake_buffer_reset(&b);
    lake_buffer_hex(&b, lake_bytes_of(LAKE_STR("\x01\xfe")));
    cr_assert(lake_str_is(lake_buffer_view(&b), "01fe"));
    lake_buffer_clear(&b);
    cr_assert_eq(lake_buffer_view(&b).len, 0);
}

Test(cursor, reads_stop_at_the_end) {
    const uint8_t data[] = {1, 2, 3, 4, 5};
    lake_cursor c = lake_cursor_of(data, 5, 100);
    uint64_t v;
    uint32_t w;
    lake_bytes b;
    cr_assert_not(lake_cursor_le64(&c, &v));
    cr_assert(lake_cursor_le32(&c, &w));
    cr_assert_eq(w, 0x04030201);
    cr_assert_eq(lake_cursor_offset(&c), 104);
    cr_assert_not(lake_cursor_take(&c, 2, &b));
    cr_assert_not(lake_cursor_skip(&c, UINT64_MAX));
    cr_assert(lake_cursor_skip(&c, 1));
    cr_assert_eq(lake_cursor_left(&c), 0);
}

static bool varint(const char *hex, uint64_t *v) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_bytes b = test_hex(&a, hex);
    lake_cursor c = lake_cursor_of(b.ptr, b.len, 0);
    bool ok = lake_cursor_varint(&c, v);
    cr_assert_eq(lake_cursor_left(&c), ok ? 0 : b.len, "a failed read does not move");
    lake_arena_clear(&a);
    return ok;
}

Test(cursor, varints) {
    uint64_t v;
    cr_assert(varint("00", &v) && v == 0);
    cr_assert(varint("ac02", &v) && v == 300);
    cr_assert(varint("ffffffffffffffffff01", &v) && v == UINT64_MAX);
    cr_assert_not(varint("ffffffffffffffffff02", &v), "more than 64 bits");
    cr_assert_not(varint("ffffffffffffffffffff01", &v), "more than ten bytes");
    cr_assert_not(varint("80", &v), "torn");
    cr_assert_not(varint("", &v));
    lake_cursor c = lake_cursor_of("\x03\x04", 2, 0);
    int64_t z;
    cr_assert(lake_cursor_zigzag(&c, &z) && z == -2);
    cr_assert(lake_cursor_zigzag(&c, &z) && z == 2);
}
