/* The summary of one partition field over the entries of a manifest (spec.md, "field_summary"). */
#ifndef LAKE_MANIFEST_SUMMARY_H
#define LAKE_MANIFEST_SUMMARY_H

#include "manifest/manifest.h"

typedef struct lake_summary {
    lake_key_kind kind;
    bool has_null, has_nan, has_value;
    lake_key lower, upper; /* BYTES: in the buffers below */
    lake_buffer lower_bytes, upper_bytes;
} lake_summary;

/* A running total of counts from outside: what is negative (unknown) counts as 0, and the sum stops at the top. */
static inline int64_t lake_total_add(int64_t total, int64_t count) {
    int64_t sum;
    return count > 0 ? (__builtin_add_overflow(total, count, &sum) ? INT64_MAX : sum) : total;
}

void lake_summary_init(lake_summary *s, lake_key_kind kind);
void lake_summary_clear(lake_summary *s);
/* Takes one partition value: state NONE is null. */
void lake_summary_add(lake_summary *s, lake_bound_state state, lake_key key);
/* Takes in what another summary of the same kind holds, and empties that. */
void lake_summary_move(lake_summary *s, lake_summary *from);
/* Exact, untruncated bounds in the arena; none when every value is null or NaN. */
LAKE_CHECK_RESULT lake_status lake_summary_finish(
    const lake_summary *s, const lake_type *type, lake_arena *arena, lake_field_summary *out, lake_error *err);

#endif
