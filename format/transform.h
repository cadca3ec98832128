/* Partition transforms (spec.md, "Partition Transforms", Appendix B). Everything follows from apply, and from pre(c):
   the first source key whose transform is at least c. */
#ifndef LAKE_FORMAT_TRANSFORM_H
#define LAKE_FORMAT_TRANSFORM_H

#include "format/value.h"

typedef enum lake_transform_id {
    LAKE_TRANSFORM_IDENTITY,
    LAKE_TRANSFORM_BUCKET,
    LAKE_TRANSFORM_TRUNCATE,
    LAKE_TRANSFORM_YEAR,
    LAKE_TRANSFORM_MONTH,
    LAKE_TRANSFORM_DAY,
    LAKE_TRANSFORM_HOUR,
    LAKE_TRANSFORM_VOID,
    LAKE_TRANSFORM_UNKNOWN /* carried, proves nothing */
} lake_transform_id;

typedef struct lake_transform {
    lake_transform_id id;
    int32_t n; /* BUCKET: N, TRUNCATE: W */
    lake_str text; /* as written: "bucket[16]" */
} lake_transform;

/* Parses the spec's text ("bucket[16]", "day"). Never fails: what is not known becomes UNKNOWN with its text. */
lake_transform lake_transform_parse(lake_str text);
/* Parses what people write: "months(order_date)", "bucket(16, id)", "truncate(4, s)", "id", `"a.b"`, and the spec's
   "month(x)" and "bucket[16](id)". *column is the source's name as written (quotes kept). */
LAKE_CHECK_RESULT lake_status lake_transform_parse_call(
    lake_arena *arena, lake_str text, lake_transform *out, lake_str *column, lake_error *err);
/* May a writer use the transform on this source type (spec's table)? */
bool lake_transform_accepts(const lake_transform *t, const lake_type *source);
/* The type of its results. UNKNOWN and VOID: the source's own. */
lake_type lake_transform_result(const lake_transform *t, const lake_type *source);

/* The transform of one value. bucket: the bucket number; year, month, hour: int; day: date. Fails with MALFORMED where
   the spec's result does not fit (truncate below MIN, hours beyond int), UNSUPPORTED for UNKNOWN. VOID gives
   LAKE_BOUND_NONE. */
LAKE_CHECK_RESULT lake_status lake_transform_apply(lake_arena *arena, const lake_transform *t, const lake_type *source,
    lake_key v, lake_bound_state *state, lake_key *out, lake_error *err);
/* Bucket hash (32 bits, before the sign bit is cleared) of a key. */
int32_t lake_transform_hash(const lake_type *source, lake_key v);
/* hash & 0x7fffffff mod n. */
int32_t lake_transform_bucket(const lake_type *source, int32_t n, lake_key v);
/* Monotone: results grow with the source. bucket, void and unknown are not; nor is truncate on int and long for W >
 * 2^30. */
bool lake_transform_is_monotone(const lake_transform *t, const lake_type *source);
/* pre(c): the first source key whose transform is >= c. Monotone transforms only. May pass the type's range (128-bit).
 */
bool lake_transform_pre(lake_arena *arena, const lake_transform *t, const lake_type *source, lake_end c, lake_end *out);
/* Results that overflowed in writers that wrap, and the source span [lo, hi) they came from.
 */
typedef struct lake_wrap_span {
    lake_i128 result, lo, hi;
} lake_wrap_span;
size_t lake_transform_wraps(const lake_transform *t, const lake_type *source, bool promoted, lake_wrap_span out[2]);

/* The human form of a result, for paths and --partition: "2025-03" for a month, "2025-03-27-14" for an hour. */
void lake_transform_print(lake_buffer *out, const lake_transform *t, const lake_type *source, lake_key result);
LAKE_CHECK_RESULT lake_status lake_transform_read_human(
    lake_arena *arena, const lake_transform *t, const lake_type *source, lake_str text, lake_key *out, lake_error *err);

/* ---- partition specs and sort orders */
typedef struct lake_partition_field {
    int32_t id; /* 1000… */
    lake_str name;
    lake_transform transform;
    const int32_t *source_ids; /* one, or several for multi-argument transforms (v3) */
    size_t nsource_ids;
} lake_partition_field;

typedef struct lake_spec {
    int32_t id;
    lake_partition_field *fields;
    size_t nfields;
    const lake_json *json; /* as read; NULL if made */
} lake_spec;

typedef struct lake_sort_field {
    lake_transform transform;
    const int32_t *source_ids;
    size_t nsource_ids;
    bool descending, nulls_last;
} lake_sort_field;

typedef struct lake_sort_order {
    int32_t id;
    lake_sort_field *fields;
    size_t nfields;
    const lake_json *json;
} lake_sort_order;

/* A spec object or a bare array of fields (manifest headers; then id is 0 and missing field ids count from 1000). */
LAKE_CHECK_RESULT lake_status lake_spec_read(
    lake_arena *arena, const lake_json *json, lake_spec **out, lake_error *err);
lake_json *lake_spec_write(lake_arena *arena, const lake_spec *spec);
lake_json *lake_spec_fields_write(lake_arena *arena, const lake_spec *spec); /* the bare array */
LAKE_CHECK_RESULT lake_status lake_sort_order_read(
    lake_arena *arena, const lake_json *json, lake_sort_order **out, lake_error *err);
lake_json *lake_sort_order_write(lake_arena *arena, const lake_sort_order *order);
bool lake_spec_is_unpartitioned(const lake_spec *spec); /* no field, or only void ones */
/* "months(order_date), bucket(16, id)" against a schema; names as Iceberg's own builders give them (order_date_month,
   id_bucket, x_trunc, the column's name for identity); ids from *next_id on, which is advanced. */
LAKE_CHECK_RESULT lake_status lake_spec_from_text(lake_arena *arena, lake_str text, const lake_schema *schema,
    int32_t spec_id, int32_t *next_id, lake_spec **out, lake_error *err);

#endif
