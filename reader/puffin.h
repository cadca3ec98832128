/* Puffin files (puffin-spec.md): the footer, and theta sketches as far as a count of distinct values needs them. */
#ifndef LAKE_READER_PUFFIN_H
#define LAKE_READER_PUFFIN_H

#include "store/store.h"
#include "wire/json.h"

/* The footer's payload, decompressed: the text of a FileMetadata object. */
LAKE_CHECK_RESULT lake_status lake_puffin_footer(lake_arena *arena, lake_file *file, lake_str *text, lake_error *err);
/* The bytes of a blob by its metadata in the footer, decompressed. MALFORMED if it does not lie in the file. */
LAKE_CHECK_RESULT lake_status lake_puffin_blob_read(
    lake_arena *arena, lake_file *file, const lake_json *blob, lake_bytes *out, lake_error *err);
/* The distinct values that an apache-datasketches-theta-v1 blob (decompressed) stands for. MALFORMED if it is no
   compact theta sketch. */
LAKE_CHECK_RESULT lake_status lake_theta_estimate(lake_bytes blob, double *out, lake_error *err);
/* The same for a blob by its metadata in the footer. */
LAKE_CHECK_RESULT lake_status lake_puffin_theta(
    lake_arena *arena, lake_file *file, const lake_json *blob, double *out, lake_error *err);

#endif
