/* Errors: one line, wrapped from outside, never beyond the struct, NULL allowed. */
#include "support.h"

#include <errno.h>

Test(error, wrapping_puts_where_before_what) {
    lake_error e;
    lake_error_init(&e);
    cr_assert_eq(e.offset, -1);
    cr_assert_eq(lake_fail_at(&e, LAKE_ERR_MALFORMED, 17, "torn"), LAKE_ERR_MALFORMED);
    cr_assert_eq(lake_wrap(&e, LAKE_ERR_MALFORMED, "file %d", 7), LAKE_ERR_MALFORMED);
    cr_assert_str_eq(e.message, "file 7: torn");
    cr_assert_eq(e.offset, 17);
    cr_assert_eq(lake_wrap(&e, LAKE_OK, "unused"), LAKE_OK);
    cr_assert_str_eq(e.message, "file 7: torn");
}

Test(error, long_messages_are_cut_not_overrun) {
    lake_error e;
    lake_error_init(&e);
    char big[3000];
    memset(big, 'x', sizeof big);
    big[sizeof big - 1] = 0;
    cr_assert_eq(lake_fail(&e, LAKE_ERR_IO, "%s", big), LAKE_ERR_IO);
    cr_assert_eq(strlen(e.message), sizeof e.message - 1);
    cr_assert_eq(lake_wrap(&e, LAKE_ERR_IO, "where"), LAKE_ERR_IO);
    cr_assert_eq(strncmp(e.message, "where: xxx", 10), 0);
    cr_assert_eq(lake_wrap(&e, LAKE_ERR_IO, "%s", big), LAKE_ERR_IO);
    cr_assert_lt(strlen(e.message), sizeof e.message);
}

Test(error, os_errors_are_sorted_by_kind) {
    lake_error e;
    lake_error_init(&e);
    cr_assert_eq(lake_fail_os(&e, ENOENT, "open %s", "x"), LAKE_ERR_NOT_FOUND);
    cr_assert_str_eq(e.message, "open x: No such file or directory");
    cr_assert_eq(e.os_code, ENOENT);
    cr_assert_eq(lake_fail_os(&e, EEXIST, "x"), LAKE_ERR_EXISTS);
    cr_assert_eq(lake_fail_os(NULL, ENOSPC, "x"), LAKE_ERR_IO);
    cr_assert_eq(lake_fail(NULL, LAKE_ERR_USAGE, "x"), LAKE_ERR_USAGE);
}

Test(error, every_status_has_a_name) {
    for (int s = 0; s <= LAKE_ERR_EXISTS; s++)
        cr_assert_str_neq(lake_status_name((lake_status)s), "unknown");
    cr_assert_str_eq(lake_status_name((lake_status)99), "unknown");
}
