/* A column that is named alone, as in SQL: by --order-by and --in. */
#ifndef LAKE_PLANNER_COLUMN_H
#define LAKE_PLANNER_COLUMN_H

#include "planner/node.h"

/* `text` names a column or a partition transform of one. USAGE, beginning with `what`, for anything else. */
LAKE_CHECK_RESULT lake_status lake_column_from_sql(
    lake_arena *arena, lake_str text, const char *what, const lake_column_ref **out, lake_error *err);

/* The field that it names. USAGE, beginning with `what`. */
LAKE_CHECK_RESULT lake_status lake_column_find(lake_arena *arena, const lake_column_ref *ref, const lake_schema *schema,
    const lake_bind_options *options, const char *what, const lake_field **out, lake_error *err);

#endif
