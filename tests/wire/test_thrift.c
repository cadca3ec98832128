/* Thrift's compact protocol: values, skipping, damage. */
#include "wire/thrift.h"

#include "tests/support.h"

/* {1: i32 -3, 2: "abc", 3: true, 4: false, 5: list<i64> [1, -1], 6: map<string, i32> {"k": 7}, 7: double, 8: {1: {}},
   9: set<bool> [true, false], 10: uuid, 11: list of 16 structs, 40: byte 5, 3 (a long form): i16 9} */
static const char sample[] = "1505"
                             "1803616263"
                             "11"
                             "12"
                             "19260201"
                             "1b01850"
                             "16b0e"
                             "17000000000000f03f"
                             "1c1c0000"
                             "1a210102"
                             "1d000102030405060708090a0b0c0d0e0f"
                             "19fc1000000000000000000000000000000000"
                             "0350"
                             "05"
                             "0406"
                             "12"
                             "00";

static int read_all(lake_thrift *t, bool only_skip) {
    lake_thrift_field f = {0}, e;
    int seen = 0;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &f)) {
        seen++;
        if (only_skip) {
            lake_thrift_skip(t, &f);
            continue;
        }
        switch (f.id) {
        case 1: cr_expect(lake_thrift_i32(t, &f) == -3 || t->bad); break;
        case 2: {
            lake_bytes b = lake_thrift_binary(t, &f);
            cr_expect((b.len == 3 && memcmp(b.ptr, "abc", 3) == 0) || t->bad);
            break;
        }
        case 5:
            cr_expect(lake_thrift_list(t, &f, &e) == 2 || t->bad);
            cr_expect(lake_thrift_i64(t, &e) == 1 || t->bad);
            cr_expect(lake_thrift_i64(t, &e) == -1 || t->bad);
            break;
        case 40: cr_expect(lake_thrift_i32(t, &f) == 5 || t->bad); break;
        default:
            if (f.type == LAKE_THRIFT_TRUE || f.type == LAKE_THRIFT_FALSE)
                cr_expect(f.id != 3 || lake_thrift_bool(t, &f));
            else
                lake_thrift_skip(t, &f);
        }
    }
    return seen;
}

Test(thrift, reads_and_skips_every_type) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_bytes b = test_hex(&arena, sample);
    for (int skip = 0; skip < 2; skip++) {
        lake_thrift t = lake_thrift_of(b, 0);
        cr_expect_eq(read_all(&t, skip), 13);
        cr_expect(!t.bad && lake_cursor_left(&t.in) == 0 && t.depth == 0, "%s at %lld", t.bad ? t.bad : "",
            (long long)t.bad_at);
    }
    for (size_t n = 0; n < b.len; n++)
        for (int skip = 0; skip < 2; skip++) {
            uint8_t *cut = lake_mem_alloc(n);
            memcpy(cut, b.ptr, n);
            lake_thrift t = lake_thrift_of((lake_bytes){cut, n}, 100);
            lake_error err;
            read_all(&t, skip);
            cr_assert(t.bad && t.torn, "cut to %zu", n);
            cr_assert_eq(lake_thrift_check(&t, "x", &err), LAKE_ERR_MALFORMED);
            cr_assert(err.offset >= 100 && err.offset <= 100 + (int64_t)n);
            lake_mem_free(cut);
        }
    lake_arena_clear(&arena);
}

Test(thrift, hostile_input_ends_in_an_error) {
    static const struct {
        const char *why, *hex;
    } table[] = {
        {"a list that states more elements than bytes are left", "19f6ffffffff0f0000"},
        {"a binary longer than the input", "18ffffffff0f6162"},
        {"a map longer than the input", "1bffffffff0f85"},
        {"a type that does not exist", "1e00"},
        {"a number beyond 64 bits", "16ffffffffffffffffffff0100"},
    };
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_thrift t = lake_thrift_of(test_hex(&arena, table[i].hex), 0);
        read_all(&t, true);
        cr_expect(t.bad, "%s", table[i].why);
    }
    uint8_t deep[5000];
    memset(deep, 0x1c, sizeof deep); /* structs inside structs */
    lake_thrift t = lake_thrift_of((lake_bytes){deep, sizeof deep}, 0);
    read_all(&t, true);
    cr_expect(t.bad && !t.torn, "depth has a limit");
    memset(deep, 0x19, sizeof deep); /* lists of lists */
    t = lake_thrift_of((lake_bytes){deep, sizeof deep}, 0);
    read_all(&t, true);
    cr_expect(t.bad && !t.torn);
    lake_thrift_field f = {0};
    t = lake_thrift_of(test_hex(&arena, "168080808020"), 0); /* 2^32: an i64 where an i32 is read */
    lake_thrift_enter(&t);
    cr_assert(lake_thrift_next(&t, &f));
    lake_thrift_i32(&t, &f);
    cr_expect(t.bad);
    lake_arena_clear(&arena);
}
