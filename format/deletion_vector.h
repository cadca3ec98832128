/* Deletion vectors: the blob type deletion-vector-v1 of Puffin files (puffin-spec.md, "deletion-vector-v1 blob type").
 */
#ifndef LAKE_FORMAT_DELETION_VECTOR_H
#define LAKE_FORMAT_DELETION_VECTOR_H

#include "wire/roaring.h"

/* The bitmap inside a blob, and what it holds: length, magic, checksum and every byte of the bitmap are checked.
   `bitmap` (may be NULL) is a view for lake_roaring_read. */
LAKE_CHECK_RESULT lake_status lake_deletion_vector_read(
    lake_bytes blob, lake_bytes *bitmap, lake_roaring_info *out, lake_error *err);

/* Appends a blob of rising positions, each once. */
LAKE_CHECK_RESULT lake_status lake_deletion_vector_write(
    const uint64_t *positions, size_t n, lake_buffer *out, lake_error *err);

#endif
