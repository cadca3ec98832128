/* What entries inherit from their manifest's line in the list (inherit.c). */
#ifndef LAKE_MANIFEST_INHERIT_H
#define LAKE_MANIFEST_INHERIT_H

#include "manifest/manifest.h"

typedef struct lake_inherit {
    bool has_line, has_snapshot_id;
    bool all_zero; /* a v1 manifest without sequence numbers */
    bool has_row_id;
    int8_t content; /* what the manifest holds: 0 data, 1 deletes; -1: not told */
    int64_t snapshot_id, sequence_number, next_row_id;
} lake_inherit;

void lake_inherit_init(lake_inherit *in, const lake_manifest_file *line, bool all_zero);
/* Fills in what an entry inherits, and checks that the entry may leave out what it does. Entries must come in order,
   since row ids count up. */
LAKE_CHECK_RESULT lake_status lake_inherit_apply(lake_inherit *in, lake_entry *entry, lake_error *err);

#endif
