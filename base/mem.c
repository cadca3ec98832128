/* malloc behind one door. See mem.h. */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

bool (*lake_mem_test_hook)(size_t size);
long lake_mem_test_live;

static bool allowed(size_t size) {
    return !lake_mem_test_hook || lake_mem_test_hook(size);
}

static void *counted(void *p) {
    if (p && lake_mem_test_hook)
        __atomic_add_fetch(&lake_mem_test_live, 1, __ATOMIC_RELAXED);
    return p;
}

void *lake_mem_alloc(size_t size) {
    return allowed(size) ? counted(malloc(size ? size : 1)) : NULL;
}

void *lake_mem_zalloc(size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total) || !allowed(total))
        return NULL;
    return counted(calloc(1, total ? total : 1));
}

void *lake_mem_realloc(void *p, size_t size) {
    if (!p)
        return lake_mem_alloc(size);
    return allowed(size) ? realloc(p, size ? size : 1) : NULL;
}

void lake_mem_free(void *p) {
    if (p && lake_mem_test_hook)
        __atomic_sub_fetch(&lake_mem_test_live, 1, __ATOMIC_RELAXED);
    free(p);
}
