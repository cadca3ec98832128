/* Single values: keys, their order, their binary and JSON forms (spec.md, Appendix D), promotion of old bounds.

   Every value of an ordered type is turned into a KEY whose order is Iceberg's order:
     INT kind:   boolean, int, long, date, time, the timestamps (in their own unit), decimal (unscaled): 128-bit
   integers FLOAT kind: float, double (a double; NaN is no key). In predicates -0.0 equals 0.0; lake_key_cmp_total puts
   it before BYTES kind: string (UTF-8), uuid (16 bytes), fixed, binary: unsigned bytes The orders are discrete: each
   key has a next key (lake_key_next), so every interval is [lo, hi). */
#ifndef LAKE_FORMAT_VALUE_H
#define LAKE_FORMAT_VALUE_H

#include "format/type.h"

typedef enum lake_key_kind { LAKE_KEY_NONE, LAKE_KEY_INT, LAKE_KEY_FLOAT, LAKE_KEY_BYTES } lake_key_kind;

typedef union lake_key {
    lake_i128 i;
    double f;
    lake_bytes b;
} lake_key;

/* An end of an interval: LOW is before all keys, TOP after all. */
typedef enum lake_end_at { LAKE_END_KEY, LAKE_END_LOW, LAKE_END_TOP } lake_end_at;
typedef struct lake_end {
    lake_key key;
    lake_end_at at;
} lake_end;

lake_key_kind lake_type_kind(const lake_type *type); /* NONE: nested types, unknown, variant, geometry, geography */

/* -1, 0, 1. FLOAT: IEEE order, -0.0 == 0.0 (no NaN). */
int lake_key_cmp(lake_key_kind kind, lake_key a, lake_key b);
/* The order of bounds: as above, but -0.0 before 0.0. */
int lake_key_cmp_total(lake_key_kind kind, lake_key a, lake_key b);
int lake_end_cmp(lake_key_kind kind, lake_end a, lake_end b);
/* The first key after k; TOP if there is none. BYTES allocates len + 1 bytes in the arena. False: out of memory. */
bool lake_key_next(lake_arena *arena, lake_key_kind kind, lake_key k, lake_end *out);
/* The first byte string after all that begin with p; TOP if there is none. May be invalid UTF-8. */
bool lake_key_next_prefix(lake_arena *arena, lake_bytes p, lake_end *out);
/* Smallest interval that holds the whole type: [lo, hi). Decimals: LOW and TOP. */
void lake_type_range(const lake_type *type, lake_end *lo, lake_end *hi);

typedef enum lake_bound_state { LAKE_BOUND_NONE, LAKE_BOUND_KEY, LAKE_BOUND_NAN } lake_bound_state;

/* A bound's bytes as a key, by the width that they were written with (int bytes on a long column, float on double, date
   on timestamp). NONE: absent, or of a length that the type never had. The key of BYTES kind points into `b`. */
lake_bound_state lake_value_from_binary(const lake_type *type, lake_bytes b, lake_key *out);
/* The binary single-value form of a key; of geometry and geography bounds, which have no order, the bytes themselves.
   NaN cannot be given. Writes up to 16 bytes into `scratch` for non-BYTES kinds.
 */
lake_bytes lake_value_to_binary(const lake_type *type, lake_key key, uint8_t scratch[16]);

/* JSON single-value form (Appendix D): strings for dates ("2017-11-16"), times, timestamps
   ("2017-11-16T22:31:08.123456", "…+00:00"), decimals ("14.20"), uuid, hex for fixed and binary. from_json is strict
   about the type's own form; it also takes "NaN" for floats as LAKE_BOUND_NAN in *state. Values of BYTES kind go into
   the arena. */
LAKE_CHECK_RESULT lake_status lake_value_from_json(lake_arena *arena, const lake_type *type, const lake_json *json,
    lake_bound_state *state, lake_key *out, lake_error *err);
/* Appends the JSON form; infinities become "Infinity" and "-Infinity" (strings). */
void lake_value_to_json(lake_buffer *out, const lake_type *type, lake_key key);
/* The form for people, without quotes: used in --explain, partition paths, text tables. */
void lake_value_print(lake_buffer *out, const lake_type *type, lake_key key);

/* A point in time as people write it: "2017-11-16", "2017-11-16T22:31:08.5", "2017-11-16 22:31:08Z", "…-08:00". Years
   have 4 to 9 digits and maybe a sign; without a zone it is UTC. */
typedef struct lake_instant {
    int64_t seconds; /* since 1970-01-01T00:00:00Z, the zone's offset taken off */
    int32_t nanos; /* 0..999999999 */
    bool beyond_nanos; /* digits other than 0 follow the ninth: the true value is a little later */
    bool has_time, has_zone;
    bool space_before_time; /* ' ' instead of 'T' */
    int32_t offset; /* of the zone, in seconds */
} lake_instant;
bool lake_instant_parse(lake_str text, lake_instant *out);
/* "22:31", "22:31:08", "22:31:08.123456" into seconds (of the day) and nanos. */
bool lake_clock_parse(lake_str text, lake_instant *out);
/* A finite double (rounded once, to float if `single`) from a JSON or SQL number, whatever the locale. Numbers beyond
   the type's range give an infinity. False if the text is no number. */
bool lake_double_parse(lake_str text, bool single, double *out);
/* The fewest digits that read back as the same value ("0.1", "1.0", "1e+100"); "NaN", "Infinity", "-Infinity". */
void lake_double_print(lake_buffer *out, double v, bool single);
/* "14.20", "-3e2" at that scale. False if it is no number, not exact at the scale, or needs more than 38 digits. */
bool lake_decimal_parse(lake_str text, int scale, lake_i128 *unscaled);

/* "f79c3e09-677c-4bbd-a479-3f349cb785e7", any case, into 16 bytes. */
bool lake_uuid_parse(lake_str text, uint8_t out[16]);

/* Units in a day: 1 for date, 86400e6 for timestamps, 86400e9 for _ns; 0 for other types. */
int64_t lake_type_per_day(const lake_type *type);

/* A value as it stands in an Avro manifest (partition tuples): the raw Avro value, before the type is known. */
typedef enum lake_datum_kind {
    LAKE_DATUM_NULL,
    LAKE_DATUM_BOOL,
    LAKE_DATUM_INT,
    LAKE_DATUM_FLOAT,
    LAKE_DATUM_BYTES
} lake_datum_kind;
typedef struct lake_datum {
    lake_datum_kind kind;
    union {
        int64_t i; /* BOOL (0, 1), INT: Avro int and long */
        double f; /* FLOAT: Avro float and double */
        lake_bytes b; /* BYTES: Avro bytes, fixed and string */
    };
} lake_datum;

/* A partition value as a key of `type` (the transform's result type). NONE: null, or a datum that does not fit the
   type. A uuid may be 16 bytes or its text (36 characters; then the arena is used). */
lake_bound_state lake_value_from_datum(lake_arena *arena, const lake_type *type, lake_datum d, lake_key *out);
/* The reverse; decimals take the minimal fixed size for the precision (Avro), BYTES go into the arena. */
lake_status lake_value_to_datum(
    lake_arena *arena, const lake_type *type, lake_key key, lake_datum *out, lake_error *err);
/* Bytes of Avro's fixed for a decimal of that precision: the smallest n with 2^(8n-1) - 1 >= 10^p - 1. */
int lake_decimal_fixed_size(int precision);

#endif
