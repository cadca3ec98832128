/* The key-value header of a manifest (header.c). */
#ifndef LAKE_MANIFEST_HEADER_H
#define LAKE_MANIFEST_HEADER_H

#include "manifest/pool.h"

/* Reads a manifest's header. `spec`: whether the header's own partition spec is needed; else one that cannot be read is
   left out. content_told: the key is there. */
LAKE_CHECK_RESULT lake_status lake_manifest_header_read(lake_manifest_pool *pool, const lake_avro_reader *avro,
    bool need_spec, lake_manifest_header *out, bool *content_told, lake_error *err);

#endif
