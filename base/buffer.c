/* Growing byte buffer. */
#include "base/buffer.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

void lake_buffer_init(lake_buffer *b) {
    memset(b, 0, sizeof *b);
}

void lake_buffer_clear(lake_buffer *b) {
    lake_mem_free(b->data);
    memset(b, 0, sizeof *b);
}

bool lake_buffer_reserve(lake_buffer *b, size_t n) {
    if (b->failed)
        return false;
    if (n <= b->cap - b->len)
        return true;
    size_t need, cap = b->cap ? b->cap : 256;
    if (__builtin_add_overflow(b->len, n, &need) || need > SIZE_MAX / 2) {
        b->failed = true;
        return false;
    }
    while (cap < need)
        cap *= 2;
    uint8_t *data = lake_mem_realloc(b->data, cap);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->cap = cap;
    return true;
}

void lake_buffer_put(lake_buffer *b, const void *data, size_t n) {
    if (!n || !lake_buffer_reserve(b, n))
        return;
    memcpy(b->data + b->len, data, n);
    b->len += n;
}

void lake_buffer_puts(lake_buffer *b, const char *z) {
    lake_buffer_put(b, z, strlen(z));
}

void lake_buffer_printf(lake_buffer *b, const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    /* Mostly it fits: formatting twice would cost twice. */
    size_t room = lake_buffer_reserve(b, 64) ? b->cap - b->len : 0;
    int n = vsnprintf(room ? (char *)b->data + b->len : NULL, room, fmt, ap);
    va_end(ap);
    if (n > 0 && (size_t)n < room) {
        b->len += (size_t)n;
    } else if (n > 0 && lake_buffer_reserve(b, (size_t)n + 1)) {
        vsnprintf((char *)b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void lake_buffer_number(lake_buffer *b, int64_t v) {
    char text[20], *at = text + sizeof text;
    uint64_t left = v < 0 ? -(uint64_t)v : (uint64_t)v;
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (v < 0)
        *--at = '-';
    lake_buffer_put(b, at, (size_t)(text + sizeof text - at));
}

void lake_buffer_hex(lake_buffer *b, lake_bytes bytes) {
    static const char digits[] = "0123456789abcdef";
    if (bytes.len > SIZE_MAX / 4 || !lake_buffer_reserve(b, bytes.len * 2))
        return;
    for (size_t i = 0; i < bytes.len; i++) {
        b->data[b->len++] = (uint8_t)digits[bytes.ptr[i] >> 4];
        b->data[b->len++] = (uint8_t)digits[bytes.ptr[i] & 15];
    }
}

lake_status lake_buffer_check(const lake_buffer *b, lake_error *err) {
    return b->failed ? lake_fail_memory(err) : LAKE_OK;
}

static lake_status append(void *user, const void *data, size_t len, lake_error *err) {
    lake_buffer_put(user, data, len);
    return lake_buffer_check(user, err);
}

lake_sink lake_buffer_sink(lake_buffer *b) {
    return (lake_sink){append, b};
}
