/* Counting distinct values while files are read, and the statistics files (Puffin) that record them (spec.md, "Table
   Statistics"). */
#ifndef LAKE_WRITER_NDV_H
#define LAKE_WRITER_NDV_H

#include "format/metadata.h"
#include "format/sketch.h"
#include "store/store.h"

typedef struct lake_ndv_column {
    const lake_field *field;
    lake_sketch sketch;
} lake_ndv_column;

/* The columns whose values are counted; none: n 0. */
typedef struct lake_ndv {
    lake_ndv_column *columns;
    size_t n;
} lake_ndv;

/* A column's sketch in its compact form. */
typedef struct lake_ndv_sketch {
    int32_t id;
    lake_bytes compact;
} lake_ndv_sketch;

/* `names`: "a,b.c" (names or ids), or "all": every column that has an order and is in no list or map. USAGE names what
   cannot be counted. */
LAKE_CHECK_RESULT lake_status lake_ndv_init(
    lake_arena *arena, const lake_schema *schema, const char *names, lake_ndv *out, lake_error *err);
/* Empty sketches of the same columns. */
LAKE_CHECK_RESULT lake_status lake_ndv_like(lake_arena *arena, const lake_ndv *like, lake_ndv *out, lake_error *err);
void lake_ndv_clear(lake_ndv *ndv);
/* Takes values as lake_file_stats_options.on_values hands them out. */
LAKE_CHECK_RESULT lake_status lake_ndv_values(
    lake_ndv *ndv, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_ndv_merge(lake_ndv *to, const lake_ndv *from, lake_error *err);
/* The sketches as they are written, in the arena. */
LAKE_CHECK_RESULT lake_status lake_ndv_finish(
    lake_ndv *ndv, lake_arena *arena, lake_ndv_sketch **out, size_t *n, lake_error *err);

/* ---- statistics files */

/* The sketches of the snapshot `parent` joined with these: what they say of the table after an append. Columns that
   the parent's statistics lack are left out; NOT_FOUND if they have none of these. */
LAKE_CHECK_RESULT lake_status lake_statistics_join(const lake_store *store, const lake_metadata *metadata,
    const lake_snapshot *parent, lake_arena *arena, const lake_ndv_sketch *sketches, size_t n, lake_ndv_sketch **out,
    size_t *nout, lake_error *err);
/* Creates the file; *entry is the object for the metadata's `statistics`. snapshot_id and sequence_number are -1 while
   nobody knows them. */
LAKE_CHECK_RESULT lake_status lake_statistics_write(const lake_store *store, lake_str location, lake_str recorded,
    int64_t snapshot_id, int64_t sequence_number, const lake_ndv_sketch *sketches, size_t n, lake_arena *arena,
    lake_json **entry, lake_error *err);

#endif
