/* Partition values as text: --partition and Hive-style paths. */
#ifndef LAKE_WRITER_PARTITION_TEXT_H
#define LAKE_WRITER_PARTITION_TEXT_H

#include "writer/partition.h"

/* Reads "k=v,…" into the partitioner's fields: k is a partition field's name, v the human form of its value, null
   without quotes is null; %2C and %3D stand for comma and equals sign. USAGE names what is wrong. */
LAKE_CHECK_RESULT lake_status lake_partition_text_read(
    lake_arena *arena, const char *text, lake_partitioner *partitioner, lake_error *err);

/* Looks for a folder "NAME=VALUE" of the field in a path. __HIVE_DEFAULT_PARTITION__ is null; percent escapes are
 * decoded. */
LAKE_CHECK_RESULT lake_status lake_partition_path_read(lake_arena *arena, lake_str path,
    const lake_partition_source *source, bool *found, lake_bound_state *state, lake_key *key, lake_error *err);

#endif
