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

struct lake_manifest_writer {
    lake_manifest_write_options options;
    lake_arena arena, scratch; /* the writer's; an entry's */
    lake_type *types; /* of the partition fields */
    lake_summary *summaries;
    lake_encode_value *values;
    size_t nfields;
    lake_avro_writer avro;
    lake_buffer out;
    int64_t files[3], rows[3]; /* by status */
    bool has_min_sequence;
    int64_t min_sequence;
};

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
