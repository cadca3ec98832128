/* Shared by the files that write manifests and lists: the writer's insides, and unions with null. */
#ifndef LAKE_MANIFEST_ENCODE_H
#define LAKE_MANIFEST_ENCODE_H

#include "manifest/layout.h"
#include "manifest/manifest.h"
#include "manifest/summary.h"

/* A partition value of the entry at hand. */
typedef struct lake_encode_value {
    lake_bound_state state;
    lake_key key;
} lake_encode_value;

/* What a manifest's line says of its entries. */
typedef struct lake_encode_tally {
    lake_summary *summaries; /* one a partition field */
    int64_t files[3], rows[3]; /* by status */
    bool has_min_sequence;
    int64_t min_sequence;
} lake_encode_tally;

struct lake_manifest_writer {
    lake_manifest_write_options options;
    lake_arena arena, scratch; /* the writer's; an entry's */
    lake_type *types; /* of the partition fields */
    lake_encode_value *values;
    size_t nfields;
    lake_avro_writer avro;
    lake_buffer out;
    lake_encode_tally tally;
};

/* An empty tally for the fields of the writer; in the arena, but to be cleared. */
LAKE_CHECK_RESULT lake_status lake_encode_tally_init(
    const lake_manifest_writer *w, lake_arena *arena, lake_encode_tally *out, lake_error *err);
void lake_encode_tally_clear(lake_encode_tally *tally, size_t nfields);
/* Adds what was counted apart, and forgets it there. */
void lake_encode_tally_move(lake_encode_tally *to, lake_encode_tally *from, size_t nfields);

/* A writer that makes blocks for others: no header, nothing in w->out. Closed as any other. */
LAKE_CHECK_RESULT lake_status lake_encode_blocks_open(
    const lake_manifest_write_options *options, lake_manifest_writer **out, lake_error *err);
/* Checks an entry, appends it to w->avro.block and counts it in w->tally; the block is not closed. */
LAKE_CHECK_RESULT lake_status lake_encode_add(lake_manifest_writer *w, const lake_entry *e, lake_error *err);

/* Is the entry fit to be written? Its partition values become keys of their types in w->values; this also widens or
   narrows decimals and reads uuids written as text. MALFORMED names the file. */
LAKE_CHECK_RESULT lake_status lake_encode_check(lake_manifest_writer *w, const lake_entry *e, lake_error *err);
/* Appends a checked entry to the block, field by field in the order of manifest/layout.c. */
void lake_encode_entry(lake_manifest_writer *w, const lake_entry *e);

static inline void lake_encode_optional(lake_buffer *b, bool has, int64_t v) {
    lake_buffer_char(b, has ? 2 : 0);
    if (has)
        lake_avro_put_long(b, v);
}

static inline void lake_encode_optional_bytes(lake_buffer *b, lake_bytes v) {
    lake_buffer_char(b, v.ptr ? 2 : 0);
    if (v.ptr)
        lake_avro_put_bytes(b, v);
}

#endif
