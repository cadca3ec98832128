/* Writing and checking of an image's arrays (packed.h). */
#include "manifest/packed.h"

static void put64(lake_buffer *b, uint64_t v) {
    lake_buffer_put(b, &v, 8);
}

void packed_align(lake_buffer *b) {
    static const uint8_t zeros[8];
    lake_buffer_put(b, zeros, (8 - b->len % 8) % 8);
}

void packed_put_ints(lake_buffer *b, const int64_t *v, size_t n) {
    int64_t least = n ? v[0] : 0, most = least;
    for (size_t i = 1; i < n; i++) {
        least = v[i] < least ? v[i] : least;
        most = v[i] > most ? v[i] : most;
    }
    uint64_t span = (uint64_t)most - (uint64_t)least;
    unsigned width = !span ? 0 : span <= UINT8_MAX ? 1 : span <= UINT16_MAX ? 2 : span <= UINT32_MAX ? 4 : 8;
    put64(b, width);
    put64(b, (uint64_t)least);
    if (width && lake_buffer_reserve(b, n * width + 8)) {
        uint8_t *to = b->data + b->len;
        for (size_t i = 0; i < n; i++) {
            uint64_t d = (uint64_t)v[i] - (uint64_t)least;
            memcpy(to + i * width, &d, width);
        }
        b->len += n * width;
    }
    packed_align(b);
}

void packed_put_views(lake_buffer *b, const lake_bytes *v, size_t n, bool text, int64_t *scratch) {
    size_t there = 0, same = 0, fixed = 0;
    for (size_t i = 0; i < n; i++) {
        there += v[i].ptr != NULL;
        fixed += v[i].ptr && v[0].ptr && v[i].len == v[0].len;
        same +=
            v[i].ptr && v[0].ptr && v[i].len == v[0].len && (!v[i].len || memcmp(v[i].ptr, v[0].ptr, v[i].len) == 0);
    }
    unsigned mode = !there ? PACKED_NONE : same == n ? PACKED_CONST : fixed == n ? PACKED_FIXED : PACKED_ENDS;
    put64(b, mode);
    put64(b, mode == PACKED_CONST || mode == PACKED_FIXED ? v[0].len : 0);
    if (mode == PACKED_ENDS) {
        for (size_t i = 0; i < n; i++)
            scratch[i] = v[i].ptr != NULL;
        packed_put_ints(b, scratch, n);
        int64_t end = 0;
        for (size_t i = 0; i < n; i++)
            scratch[i] = end += v[i].ptr ? (int64_t)v[i].len + text : 0;
        packed_put_ints(b, scratch, n);
    }
    for (size_t i = 0; mode != PACKED_NONE && i < (mode == PACKED_CONST ? 1 : n); i++) {
        if (!v[i].ptr)
            continue;
        lake_buffer_put(b, v[i].ptr, v[i].len);
        if (text)
            lake_buffer_char(b, 0);
    }
    packed_align(b);
}

static bool take_bytes(lake_cursor *c, uint64_t each, uint64_t n, const uint8_t **out) {
    uint64_t size;
    lake_bytes bytes;
    if (__builtin_mul_overflow(each, n, &size) || size > lake_cursor_left(c) || !lake_cursor_take(c, size, &bytes))
        return false;
    *out = bytes.ptr;
    return lake_cursor_skip(c, (8 - size % 8) % 8);
}

bool packed_take_ints(lake_cursor *c, size_t n, packed_ints *out) {
    uint64_t width;
    if (!lake_cursor_le64(c, &width) || !lake_cursor_le64(c, &out->base) || !(width <= 2 || width == 4 || width == 8))
        return false;
    out->width = (unsigned)width;
    return take_bytes(c, width, n, &out->at);
}

bool packed_take_views(lake_cursor *c, size_t n, bool text, packed_views *out) {
    uint64_t mode, len, before = 0;
    if (!lake_cursor_le64(c, &mode) || !lake_cursor_le64(c, &len) || mode > PACKED_ENDS || len > lake_cursor_left(c))
        return false;
    out->mode = (unsigned)mode;
    out->zero = text;
    out->len = (size_t)len;
    if (mode == PACKED_NONE)
        return true;
    if (mode != PACKED_ENDS)
        return take_bytes(c, len + text, mode == PACKED_CONST ? 1 : n, &out->at);
    if (!packed_take_ints(c, n, &out->there) || !packed_take_ints(c, n, &out->ends))
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t end = (uint64_t)packed_int(&out->ends, i);
        uint64_t least = packed_int(&out->there, i) ? before + text : before;
        if (end < least || end > lake_cursor_left(c))
            return false;
        before = end;
    }
    return take_bytes(c, 1, before, &out->at);
}
