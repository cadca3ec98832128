/* Metrics modes: what of a column's statistics a manifest records (the table properties write.metadata.metrics.*).
   Statistics are computed whole; modes apply when they are written. */
#ifndef LAKE_WRITER_METRICS_H
#define LAKE_WRITER_METRICS_H

#include "format/transform.h"
#include "manifest/manifest.h"
#include "reader/stats.h"

enum {
    LAKE_DELETE_FILE_PATH_ID = 2147483546, /* columns of position delete files */
    LAKE_DELETE_POS_ID = 2147483545
};

typedef enum lake_metrics_kind {
    LAKE_METRICS_NONE,
    LAKE_METRICS_COUNTS,
    LAKE_METRICS_TRUNCATE,
    LAKE_METRICS_FULL
} lake_metrics_kind;

typedef struct lake_metrics_mode {
    lake_metrics_kind kind;
    size_t length; /* TRUNCATE: code points or bytes, above 0; SIZE_MAX for FULL */
} lake_metrics_mode;

/* Reads none, counts, truncate(N), full (any case). False: something else. */
bool lake_metrics_mode_parse(lake_str text, lake_metrics_mode *out);

/* The mode of each column of a schema. */
typedef struct lake_metrics_config {
    const lake_schema *schema;
    lake_metrics_mode *modes; /* one a field of schema->by_id */
} lake_metrics_config;

/* One mode for all columns. */
LAKE_CHECK_RESULT lake_status lake_metrics_config_uniform(
    lake_arena *arena, const lake_schema *schema, lake_metrics_mode mode, lake_metrics_config *out, lake_error *err);

/* By properties (an object of strings, or NULL) and sort order (or NULL), as the official library reads them: the
   default is truncate(16) for the first write.metadata.metrics.max-inferred-column-defaults (100) leaf columns, breadth
   first within each struct, and none for the others; columns that the table is sorted by get bounds; .column.NAME
   overrides. A mode that cannot be read counts as the default. */
LAKE_CHECK_RESULT lake_status lake_metrics_config_from(lake_arena *arena, const lake_schema *schema,
    const lake_json *properties, const lake_sort_order *order, lake_metrics_config *out, lake_error *err);

lake_metrics_mode lake_metrics_config_mode(const lake_metrics_config *config, int32_t id); /* unknown ids: none */

/* A column as a manifest records it. Leaves inside lists and maps have a size only. Bounds go into the arena. */
LAKE_CHECK_RESULT lake_status lake_metrics_of_column(lake_arena *arena, lake_metrics_mode mode,
    const lake_column_stats *stats, lake_column_metrics *out, lake_error *err);
/* All columns of a file that have any metrics, by id. */
LAKE_CHECK_RESULT lake_status lake_metrics_of_file(lake_arena *arena, const lake_metrics_config *config,
    const lake_file_stats *stats, lake_column_metrics **out, size_t *n, lake_error *err);

/* The statistics of a column, NULL if the file has none of it. */
static inline const lake_column_stats *lake_file_stats_column(const lake_file_stats *stats, int32_t id) {
    for (size_t i = 0; i < stats->ncolumns; i++)
        if (stats->columns[i].field->id == id)
            return &stats->columns[i];
    return NULL;
}

#endif
