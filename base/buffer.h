/* A growing byte buffer for output. Errors stick: append freely, look once at the end (lake_buffer_check). */
#ifndef LAKE_BASE_BUFFER_H
#define LAKE_BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "lake/view.h"

typedef struct lake_buffer {
    uint8_t *data;
    size_t len, cap;
    bool failed; /* an allocation failed: what was appended since then is lost */
} lake_buffer;

void lake_buffer_init(lake_buffer *b);
void lake_buffer_clear(lake_buffer *b); /* frees */
static inline void lake_buffer_reset(lake_buffer *b) {
    b->len = 0;
    b->failed = false;
}

/* Makes room for n more bytes; false when memory is used up. */
bool lake_buffer_reserve(lake_buffer *b, size_t n);
void lake_buffer_put(lake_buffer *b, const void *data, size_t n);
void lake_buffer_puts(lake_buffer *b, const char *z);
void lake_buffer_printf(lake_buffer *b, const char *fmt, ...) LAKE_PRINTF(2, 3);
void lake_buffer_number(lake_buffer *b, int64_t v); /* in decimal; much faster than printf */
void lake_buffer_hex(lake_buffer *b, lake_bytes bytes); /* lower-case */
static inline void lake_buffer_str(lake_buffer *b, lake_str s) {
    lake_buffer_put(b, s.ptr, s.len);
}
static inline void lake_buffer_char(lake_buffer *b, char c) {
    if (b->len < b->cap)
        b->data[b->len++] = (uint8_t)c;
    else
        lake_buffer_put(b, &c, 1);
}
static inline lake_str lake_buffer_view(const lake_buffer *b) {
    return (lake_str){b->data ? (const char *)b->data : "", b->len};
}
lake_status lake_buffer_check(const lake_buffer *b, lake_error *err); /* NO_MEMORY if an append failed */

/* A sink that appends to a buffer. */
lake_sink lake_buffer_sink(lake_buffer *b);

#endif
