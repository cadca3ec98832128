/* Private to writer/: which snapshot came from which. */
#ifndef LAKE_WRITER_ANCESTRY_H
#define LAKE_WRITER_ANCESTRY_H

#include "format/metadata.h"

/* The parent; NULL: none, or it has expired. */
const lake_snapshot *lake_snapshot_parent(const lake_metadata *m, const lake_snapshot *s);
/* Is snapshot `id` the snapshot itself or one that it came from? Parents that make a ring end the walk. */
bool lake_snapshot_is_ancestor(const lake_metadata *m, int64_t id, const lake_snapshot *s);

#endif
