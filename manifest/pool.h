/* The insides of lake_manifest_pool: texts of headers with what they came to, by the text. */
#ifndef LAKE_MANIFEST_POOL_H
#define LAKE_MANIFEST_POOL_H

#include "manifest/program.h"

struct lake_manifest_pool {
    lake_arena arena;
    lake_codec_scratch *scratch;
    bool borrowed; /* the scratch is the caller's */
    struct lake_pool_schema *schemas;
    struct lake_pool_text *texts;
    struct lake_pool_program *programs;
    lake_buffer spare; /* the decoded block of a reader that was closed */
};

/* scratch NULL: makes one. */
lake_manifest_pool *lake_manifest_pool_make(lake_codec_scratch *scratch);

/* Each returns what was made before of the same text, or makes it. It lives as long as the pool. */
LAKE_CHECK_RESULT lake_status lake_pool_schema(
    lake_manifest_pool *pool, lake_str text, const lake_avro_type **out, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_pool_json(
    lake_manifest_pool *pool, lake_str text, const char *name, const lake_json **out, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_pool_spec(
    lake_manifest_pool *pool, lake_str text, int32_t spec_id, const lake_spec **out, lake_error *err);
/* The entry program of a schema (one that came from lake_pool_schema) for a partition spec. */
LAKE_CHECK_RESULT lake_status lake_pool_program(lake_manifest_pool *pool, const lake_avro_type *schema,
    const lake_spec *spec, const lake_program **out, lake_error *err);

#endif
