/* Partition values of new data files: from the data (every row must agree), from --partition, or from Hive-style paths.
 */
#ifndef LAKE_WRITER_PARTITION_H
#define LAKE_WRITER_PARTITION_H

#include "format/transform.h"
#include "reader/stats.h"

typedef struct lake_partition_source {
    const lake_partition_field *field;
    const lake_field *source; /* NULL: dropped (void only) */
    lake_type type; /* of the values */
    bool watched; /* its values must all be seen: min and max do not prove that rows agree */
    bool given; /* by --partition */
    lake_bound_state given_state;
    lake_key given_key;
} lake_partition_source;

/* What is the same for all files. */
typedef struct lake_partitioner {
    lake_partition_source *fields;
    size_t nfields;
    int32_t *watched_ids; /* source columns of watched fields, each once */
    size_t nwatched;
    bool nulls_for_absent; /* a column that a file lacks reads as its initial default or null (data files) */
} lake_partitioner;

/* Checks the spec against the schema and parses `text` ("k=v,…"; NULL: nothing given). UNSUPPORTED for unknown
   transforms and source types that a transform does not take; USAGE for what is wrong in the text. */
LAKE_CHECK_RESULT lake_status lake_partitioner_init(lake_arena *arena, const lake_schema *schema, const lake_spec *spec,
    const char *text, bool nulls_for_absent, lake_partitioner *out, lake_error *err);

/* Looks at the values of one file while they are read. */
typedef struct lake_partition_watch {
    const lake_partitioner *partitioner;
    lake_str location; /* for errors */
    lake_arena *arena, scratch;
    bool *seen; /* by field */
    lake_key *values;
} lake_partition_watch;

LAKE_CHECK_RESULT lake_status lake_partition_watch_init(lake_partition_watch *watch,
    const lake_partitioner *partitioner, lake_str location, lake_arena *arena, lake_error *err);
void lake_partition_watch_clear(lake_partition_watch *watch);
/* For lake_file_stats_options.on_values, with the watch as user. MALFORMED as soon as two rows differ. */
lake_status lake_partition_watch_values(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err);

/* The file's partition tuple, one datum a field, in the arena. MALFORMED names the file, the column and both values
   when rows do not agree with each other or with what was given, or when a transform's result does not fit. */
LAKE_CHECK_RESULT lake_status lake_partition_values(const lake_partition_watch *watch, const lake_file_stats *stats,
    lake_arena *arena, lake_datum **out, lake_error *err);

#endif
