/* Columns chosen by name, for commands that look at some of a file's columns only. */
#ifndef LAKE_WRITER_COLUMN_CHOICE_H
#define LAKE_WRITER_COLUMN_CHOICE_H

#include "format/type.h"

/* The ids of the leaves that full names stand for (a struct, list or map: all leaves below it), sorted, each once, in
   the arena. USAGE names an unknown column, with `place` before it. */
LAKE_CHECK_RESULT lake_status lake_column_choice(lake_arena *arena, const lake_schema *schema, const char *place,
    const char *const *names, size_t n, int32_t **ids, size_t *nids, lake_error *err);

#endif
