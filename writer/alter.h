/* Private to writer/alter*.c: a table whose columns are being changed. */
#ifndef LAKE_WRITER_ALTER_H
#define LAKE_WRITER_ALTER_H

#include "format/metadata.h"
#include "lake/maintain.h"

typedef struct lake_altering {
    lake_arena *arena;
    const lake_metadata *base;
    lake_json *doc;
    int32_t version; /* of the format, as it will be */
    lake_json *json; /* the schema, copied to the bottom */
    const lake_schema *schema; /* what json says, read again behind each step */
    int32_t last_id; /* the highest column id that was ever given */
    lake_error *err;
} lake_altering;

/* One step on the columns. */
LAKE_CHECK_RESULT lake_status lake_alter_columns(lake_altering *a, const lake_alteration *step);

/* A field that was added or renamed, in the name mapping (schema.name-mapping.default), if the table has one: a new one
   below `parent` (0: a column of the table), an old one with one more name. Renamed columns also take their
   write.metadata.metrics.column.NAME along: `old_name` is the full name that was, NULL for a new column. */
LAKE_CHECK_RESULT lake_status lake_alter_names(
    lake_altering *a, int32_t id, int32_t parent, lake_str name, const char *old_name);

#endif
