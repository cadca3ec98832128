/* Arena of growing blocks. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

struct lake_arena_block {
    lake_arena_block *next;
    size_t size, at;
    _Alignas(16) unsigned char data[];
};

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

void lake_arena_init(lake_arena *arena, size_t limit) {
    arena->block = NULL;
    arena->used = 0;
    arena->limit = limit;
}

void lake_arena_clear(lake_arena *arena) {
    for (lake_arena_block *b = arena->block, *next; b; b = next) {
        next = b->next;
        lake_mem_free(b);
    }
    arena->block = NULL;
    arena->used = 0;
}

void lake_arena_reset(lake_arena *arena) {
    lake_arena_block *keep = NULL;
    for (lake_arena_block *b = arena->block, *next; b; b = next) {
        next = b->next;
        if (!keep || b->size > keep->size) {
            lake_mem_free(keep);
            keep = b;
        } else {
            lake_mem_free(b);
        }
    }
    if (keep) {
        keep->next = NULL;
        keep->at = 0;
    }
    arena->block = keep;
    arena->used = 0;
}

void *lake_arena_alloc(lake_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2)
        return NULL;
    size_t need = (size + 15) & ~(size_t)15;
    if (arena->limit && (need > arena->limit || arena->used > arena->limit - need))
        return NULL;
    lake_arena_block *b = arena->block;
    if (!b || b->size - b->at < need) {
        size_t grow = b ? b->size * 2 : FIRST_BLOCK;
        if (grow > LARGEST_BLOCK)
            grow = LARGEST_BLOCK;
        if (grow < need)
            grow = need;
        lake_arena_block *fresh = lake_mem_alloc(sizeof *fresh + grow);
        if (!fresh)
            return NULL;
        fresh->size = grow;
        fresh->at = 0;
        fresh->next = b;
        arena->block = b = fresh;
    }
    void *p = b->data + b->at;
    b->at += need;
    arena->used += need;
    return p;
}

void *lake_arena_zalloc(lake_arena *arena, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    void *p = lake_arena_alloc(arena, total);
    return p ? memset(p, 0, total) : NULL;
}

lake_str lake_arena_str(lake_arena *arena, const char *ptr, size_t len) {
    char *copy = len < SIZE_MAX ? lake_arena_alloc(arena, len + 1) : NULL;
    if (!copy)
        return (lake_str){NULL, 0};
    if (len)
        memcpy(copy, ptr, len);
    copy[len] = 0;
    return (lake_str){copy, len};
}

lake_bytes lake_arena_bytes(lake_arena *arena, const void *ptr, size_t len) {
    lake_str s = lake_arena_str(arena, ptr, len);
    return (lake_bytes){(const uint8_t *)s.ptr, s.len};
}

lake_str lake_arena_printf(lake_arena *arena, const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *text = n < 0 ? NULL : lake_arena_alloc(arena, (size_t)n + 1);
    if (text)
        vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return (lake_str){text, text ? (size_t)n : 0};
}
