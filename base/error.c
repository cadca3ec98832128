/* Errors: a fixed-size struct of the caller's, filled with vsnprintf. No state is kept here. */
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void lake_error_init(lake_error *err) {
    if (!err)
        return;
    memset(err, 0, sizeof *err);
    err->offset = -1;
}

const char *lake_status_name(lake_status status) {
    static const char *const names[] = {"ok", "usage", "not-found", "io", "malformed", "unsupported", "conflict",
        "no-memory", "limit", "cancelled", "internal", "exists"};
    size_t n = sizeof names / sizeof *names;
    return (size_t)status < n ? names[status] : "unknown";
}

static void fill(lake_error *err, lake_status status, int os_code, int64_t offset, const char *fmt, va_list ap) {
    if (!err)
        return;
    err->status = status;
    err->os_code = os_code;
    err->offset = offset;
    vsnprintf(err->message, sizeof err->message, fmt, ap);
}

lake_status lake_fail(lake_error *err, lake_status status, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fill(err, status, 0, -1, fmt, ap);
    va_end(ap);
    return status;
}

lake_status lake_fail_at(lake_error *err, lake_status status, int64_t offset, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fill(err, status, 0, offset, fmt, ap);
    va_end(ap);
    return status;
}

lake_status lake_fail_os(lake_error *err, int os_errno, const char *fmt, ...) {
    lake_status status = LAKE_ERR_IO;
    if (os_errno == ENOENT || os_errno == ENOTDIR)
        status = LAKE_ERR_NOT_FOUND;
    else if (os_errno == EEXIST)
        status = LAKE_ERR_EXISTS;
    else if (os_errno == ENOMEM)
        status = LAKE_ERR_NO_MEMORY;
    va_list ap;
    va_start(ap, fmt);
    fill(err, status, os_errno, -1, fmt, ap);
    va_end(ap);
    if (err) {
        size_t n = strlen(err->message);
        char text[128];
        snprintf(err->message + n, sizeof err->message - n, ": %s", strerror_r(os_errno, text, sizeof text));
    }
    return status;
}

lake_status lake_fail_memory(lake_error *err) {
    return lake_fail(err, LAKE_ERR_NO_MEMORY, "out of memory");
}

lake_status lake_wrap(lake_error *err, lake_status status, const char *fmt, ...) {
    if (!err || status == LAKE_OK)
        return status;
    char where[sizeof err->message];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(where, sizeof where, fmt, ap);
    va_end(ap);
    if (n < 0)
        return status;
    size_t len = (size_t)n < sizeof where ? (size_t)n : sizeof where - 1;
    if (len + 2 >= sizeof err->message)
        return status;
    size_t have = strnlen(err->message, sizeof err->message - 1);
    size_t room = sizeof err->message - 1 - len - 2;
    if (have > room)
        have = room;
    memmove(err->message + len + 2, err->message, have);
    memcpy(err->message, where, len);
    memcpy(err->message + len, ": ", 2);
    err->message[len + 2 + have] = 0;
    err->status = status;
    return status;
}
