/* The one door to the heap, so that tests can count and fail allocations. Not exported; there is no hook for users. */
#ifndef LAKE_BASE_MEM_H
#define LAKE_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

void *lake_mem_alloc(size_t size); /* NULL on failure; size 0 gives a unique pointer */
void *lake_mem_zalloc(size_t count, size_t size); /* zeroed, checked multiplication */
void *lake_mem_realloc(void *p, size_t size);
void lake_mem_free(void *p);

/* Tests only: called before each allocation; false makes it fail. NULL (the default): none. */
extern bool (*lake_mem_test_hook)(size_t size);
/* Blocks alive now, for leak tests. Counted only while lake_mem_test_hook is set. */
extern long lake_mem_test_live;

#endif
