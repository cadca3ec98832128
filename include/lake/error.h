/* Statuses and the error that a caller owns. See docs/architecture.md, "Errors". */
#ifndef LAKE_ERROR_H
#define LAKE_ERROR_H

#include <stdint.h>

#if defined(__GNUC__)
#define LAKE_API __attribute__((visibility("default")))
#define LAKE_CHECK_RESULT __attribute__((warn_unused_result))
#else
#define LAKE_API
#define LAKE_CHECK_RESULT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call came to. Values are stable; new ones are added at the end. */
typedef enum lake_status {
    LAKE_OK = 0,
    LAKE_ERR_USAGE = 1, /* the caller's arguments: unknown column, bad SQL, bad option */
    LAKE_ERR_NOT_FOUND = 2, /* a file, table, snapshot or ref that does not exist */
    LAKE_ERR_IO = 3, /* the operating system or a server refused */
    LAKE_ERR_MALFORMED = 4, /* bytes that break the format they claim to be */
    LAKE_ERR_UNSUPPORTED = 5, /* well-formed, but not something this version handles */
    LAKE_ERR_CONFLICT = 6, /* a commit lost against others, after all retries */
    LAKE_ERR_NO_MEMORY = 7, /* an allocation failed */
    LAKE_ERR_LIMIT = 8, /* a stated limit was passed (depth, size, count) */
    LAKE_ERR_CANCELLED = 9, /* the caller asked to stop */
    LAKE_ERR_INTERNAL = 10, /* a fault of lakectl itself */
    LAKE_ERR_EXISTS = 11 /* something that must not exist does */
} lake_status;

/* The error of one call: fixed size, owned by the caller, may be passed as NULL everywhere. A call that returns LAKE_OK
   leaves it untouched. `message` is one line of UTF-8 without secrets: "WHERE: WHAT: WHY". */
typedef struct lake_error {
    lake_status status;
    int os_code; /* errno or an HTTP status; 0: none */
    int64_t offset; /* byte offset in the file or text that is at fault; -1: none */
    char message[1024];
    char spare[256];
} lake_error;

/* Makes `err` empty (status LAKE_OK, offset -1, empty message). */
LAKE_API void lake_error_init(lake_error *err);

/* The name of a status in lower case with dashes ("not-found"); never NULL. */
LAKE_API const char *lake_status_name(lake_status status);

#ifdef __cplusplus
}
#endif
#endif
