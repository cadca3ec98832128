/* Exact statistics of a table's own files, as its manifests would record them: what an audit compares with and what a
   rebuild writes. The schema, the name mapping and the metrics modes are those that belong to the file's content. */
#ifndef LAKE_WRITER_EXACT_H
#define LAKE_WRITER_EXACT_H

#include "manifest/manifest.h"
#include "reader/table.h"
#include "writer/metrics.h"

typedef struct lake_exact {
    const lake_store *store;
    const lake_schema *schema; /* of data files and equality deletes */
    const lake_json *name_mapping; /* or NULL */
    lake_metrics_config data, position; /* by the table's properties; position deletes: whole */
} lake_exact;

/* Prepares for a table: `schema` is the one to read by (NULL: the current one). Immutable once made; threads may share
   it. Everything lives in the arena. */
LAKE_CHECK_RESULT lake_status lake_exact_init(
    lake_arena *arena, const lake_table *table, const lake_schema *schema, lake_exact *out, lake_error *err);

static inline const lake_metrics_config *lake_exact_config(const lake_exact *exact, uint8_t content) {
    return content == LAKE_CONTENT_POSITION_DELETES ? &exact->position : &exact->data;
}

/* Reads the file of an entry (no deletion vector). `options` says which columns, threads, footer_only and on_values;
   its schema and name mapping are set here. Errors are those of lake_file_stats_read. */
LAKE_CHECK_RESULT lake_status lake_exact_read(const lake_exact *exact, const lake_entry *entry,
    const lake_file_stats_options *options, lake_arena *arena, lake_file_stats *out, lake_error *err);

/* The columns as a manifest records them by the table's properties, sorted by id, in the arena. */
LAKE_CHECK_RESULT lake_status lake_exact_metrics(const lake_exact *exact, const lake_entry *entry,
    const lake_file_stats *stats, lake_arena *arena, lake_column_metrics **out, size_t *n, lake_error *err);

/* The schema of position delete files. */
LAKE_CHECK_RESULT lake_status lake_position_delete_schema(lake_arena *arena, lake_schema **out, lake_error *err);

#endif
