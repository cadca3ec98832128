/* Views of text and bytes that belong to somebody else, and the sink that output goes to. */
#ifndef LAKE_VIEW_H
#define LAKE_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "lake/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Text: UTF-8 unless said otherwise, not NUL-terminated. ptr NULL: absent (an empty string has a ptr). */
typedef struct lake_str {
    const char *ptr;
    size_t len;
} lake_str;

/* Bytes. ptr NULL: absent (no bytes at all still have a ptr). */
typedef struct lake_bytes {
    const uint8_t *ptr;
    size_t len;
} lake_bytes;

/* Where a writer puts its output. `write` gets consecutive pieces; a status other than LAKE_OK stops the writer. */
typedef struct lake_sink {
    lake_status (*write)(void *user, const void *data, size_t len, lake_error *err);
    void *user;
} lake_sink;

#ifdef __cplusplus
}
#endif
#endif
