/* Making and passing on errors. The lowest function says what went wrong; each folder boundary adds where. */
#ifndef LAKE_BASE_ERROR_H
#define LAKE_BASE_ERROR_H

#include <stdarg.h>

#include "lake/error.h"

#define LAKE_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* Returns early with the status of a call that failed. */
#define LAKE_TRY(expr)                                                                                                 \
    do {                                                                                                               \
        lake_status lake_try_status_ = (expr);                                                                         \
        if (__builtin_expect(lake_try_status_ != LAKE_OK, 0))                                                          \
            return lake_try_status_;                                                                                   \
    } while (0)

/* Sets the message and status (offset -1) and returns the status. err may be NULL. */
lake_status lake_fail(lake_error *err, lake_status status, const char *fmt, ...) LAKE_PRINTF(3, 4);

/* The same with the byte offset at fault. The offset is NOT put into the message: say it in fmt if it helps. */
lake_status lake_fail_at(lake_error *err, lake_status status, int64_t offset, const char *fmt, ...) LAKE_PRINTF(4, 5);

/* errno as an error: NOT_FOUND for ENOENT and ENOTDIR, EXISTS for EEXIST, NO_MEMORY for ENOMEM, else IO. The message is
   fmt, then ": " and the system's word. */
lake_status lake_fail_os(lake_error *err, int os_errno, const char *fmt, ...) LAKE_PRINTF(3, 4);

lake_status lake_fail_memory(lake_error *err);

/* Puts "fmt: " before the message of a call that failed, and returns its status. For LAKE_OK it does nothing. */
lake_status lake_wrap(lake_error *err, lake_status status, const char *fmt, ...) LAKE_PRINTF(3, 4);

#define LAKE_TRY_WRAP(expr, err, ...)                                                                                  \
    do {                                                                                                               \
        lake_status lake_try_status_ = (expr);                                                                         \
        if (__builtin_expect(lake_try_status_ != LAKE_OK, 0))                                                          \
            return lake_wrap((err), lake_try_status_, __VA_ARGS__);                                                    \
    } while (0)

#endif
