/* Entries for the deletion vectors of Puffin files (spec.md, "Deletion Vectors"). */
#ifndef LAKE_WRITER_MANIFEST_VECTORS_H
#define LAKE_WRITER_MANIFEST_VECTORS_H

#include "writer/manifest_files.h"
#include "writer/manifest_target.h"

/* One entry for each deletion-vector-v1 blob of the files, in order. Every byte of the bitmaps is checked, the
   cardinality against what the footer says, and, with a table, that the data file is a live one that has no deletes
   of its own yet and as many rows as the bitmap speaks of; the entry takes its partition from there. */
LAKE_CHECK_RESULT lake_status lake_manifest_vectors_build(lake_session *session, const lake_manifest_options *options,
    const lake_manifest_target *target, lake_arena *arena, lake_manifest_files *out, lake_error *err);

#endif
