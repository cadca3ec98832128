/* What manifests are written for: schema, spec, format version, codec, metrics, from a table or from options. */
#ifndef LAKE_WRITER_MANIFEST_TARGET_H
#define LAKE_WRITER_MANIFEST_TARGET_H

#include "format/metadata.h"
#include "lake/write.h"
#include "writer/metrics.h"

typedef struct lake_manifest_target {
    int32_t format_version;
    const lake_schema *schema;
    const lake_spec *spec;
    const lake_json *name_mapping; /* or NULL */
    lake_codec codec;
    int level;
    int32_t *equality_ids; /* content 2 */
    size_t nequality_ids;
    const lake_sort_order *sort_order; /* claimed; NULL: none */
    bool verify_sorted;
} lake_manifest_target;

LAKE_CHECK_RESULT lake_status lake_manifest_target_init(lake_arena *arena, const lake_manifest_options *options,
    const lake_metadata *metadata, lake_manifest_target *out, lake_error *err);

/* The metrics modes, with the schema that data files are read by: the table's, or that of position delete files, whose
   columns are recorded whole. */
LAKE_CHECK_RESULT lake_status lake_manifest_target_metrics(lake_arena *arena, const lake_manifest_options *options,
    const lake_metadata *metadata, const lake_manifest_target *target, lake_metrics_config *out, lake_error *err);

/* The codec that a name means (gzip, zstd, snappy, uncompressed; NULL: gzip). USAGE names an unknown one. */
LAKE_CHECK_RESULT lake_status lake_manifest_codec(const char *name, lake_codec *out, lake_error *err);

/* The default sort order of a table, the name mapping that its properties hold: NULL if there is none. */
const lake_sort_order *lake_metadata_sort_order(const lake_metadata *metadata);
LAKE_CHECK_RESULT lake_status lake_metadata_name_mapping(
    lake_arena *arena, const lake_metadata *metadata, const lake_json **out, lake_error *err);

#endif
