/* Private to writer/create*.c. */
#ifndef LAKE_WRITER_CREATE_INTERNAL_H
#define LAKE_WRITER_CREATE_INTERNAL_H

#include "format/transform.h"

/* "a, bucket(4, b) desc nulls last" as order 1. Ascending puts nulls first, descending last, unless it is said. *out
   NULL: an empty text. */
LAKE_CHECK_RESULT lake_status lake_sort_order_from_text(
    lake_arena *arena, lake_str text, const lake_schema *schema, lake_sort_order **out, lake_error *err);

enum { LAKE_FIRST_RESERVED_ID = 2147483447 }; /* ids from here on are of metadata columns */
/* Does a column of this type (not what is below it) need format version 3? */
bool lake_type_needs_v3(const lake_type *type);
/* The name mapping that names every field of a struct by its own name (spec.md, "Name Mapping Serialization"). */
void lake_name_mapping_print(lake_buffer *out, const lake_type *type);

#endif
