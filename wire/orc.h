/* The tail of an ORC file (ORC specification v1): types, stripes, and the statistics that its writer recorded, as they
   are there; what of them can be believed is decided by reader/orc_trust.c. Protocol Buffers are decoded by protobuf-c,
   which is loaded (dlopen) when the first ORC file is read. */
#ifndef LAKE_WIRE_ORC_H
#define LAKE_WIRE_ORC_H

#include "base/base.h"
#include "wire/codec.h"

typedef enum lake_orc_kind { /* the format's numbers */
    LAKE_ORC_BOOLEAN,
    LAKE_ORC_BYTE,
    LAKE_ORC_SHORT,
    LAKE_ORC_INT,
    LAKE_ORC_LONG,
    LAKE_ORC_FLOAT,
    LAKE_ORC_DOUBLE,
    LAKE_ORC_STRING,
    LAKE_ORC_BINARY,
    LAKE_ORC_TIMESTAMP,
    LAKE_ORC_LIST,
    LAKE_ORC_MAP,
    LAKE_ORC_STRUCT,
    LAKE_ORC_UNION,
    LAKE_ORC_DECIMAL,
    LAKE_ORC_DATE,
    LAKE_ORC_VARCHAR,
    LAKE_ORC_CHAR,
    LAKE_ORC_TIMESTAMP_INSTANT,
    LAKE_ORC_GEOMETRY,
    LAKE_ORC_GEOGRAPHY,
    LAKE_ORC_KINDS
} lake_orc_kind;

typedef struct lake_orc_type {
    lake_orc_kind kind;
    const uint32_t *subtypes; /* numbers of types, each above the type's own; no type is in two others */
    size_t nsubtypes;
    const lake_str *names; /* STRUCT: of the subtypes */
    uint32_t precision, scale; /* DECIMAL */
    const lake_str *attributes; /* name, value, name, value, … */
    size_t nattributes; /* pairs */
} lake_orc_type;

/* Absent: counts -1, ptr NULL, has_… false. */
typedef struct lake_orc_statistics {
    int64_t values; /* that are not null */
    int has_null; /* -1: not told */
    int64_t bytes_on_disk;
    bool has_whole; /* integers */
    int64_t min, max;
    bool has_real, has_sum; /* float, double */
    double real_min, real_max, sum;
    lake_bytes text_min, text_max, text_lower, text_upper;
    lake_str decimal_min, decimal_max;
    bool has_days;
    int32_t day_min, day_max;
    bool has_instant; /* milliseconds; nanos: what is above them, plus 1; 0: not told */
    int64_t instant_min, instant_max;
    int32_t nanos_min, nanos_max;
    const uint64_t *buckets;
    size_t nbuckets;
} lake_orc_statistics;

typedef struct lake_orc_stripe {
    uint64_t offset, rows;
} lake_orc_stripe;

typedef struct lake_orc_postscript {
    size_t length; /* with the byte behind it that says so */
    uint64_t footer_length;
    lake_codec codec;
    size_t block; /* most decoded bytes of a chunk */
    uint32_t writer_version;
} lake_orc_postscript;

typedef struct lake_orc_footer {
    uint64_t rows;
    const lake_orc_stripe *stripes;
    size_t nstripes;
    const lake_orc_type *types; /* in preorder; 0 is the root */
    size_t ntypes;
    const lake_orc_statistics *statistics; /* of the types; there may be fewer, or none */
    size_t nstatistics;
    uint32_t writer; /* 0: ORC Java, 1: ORC C++, … */
    bool proleptic; /* days are told to be of the proleptic Gregorian calendar */
    const uint32_t *encrypted; /* types whose columns are encrypted: what is in the clear is masked */
    size_t nencrypted;
} lake_orc_footer;

enum { LAKE_ORC_END = 256, LAKE_ORC_MAX_FOOTER = 32 << 20, LAKE_ORC_MAX_DEPTH = 64 };

const char *lake_orc_kind_name(lake_orc_kind kind); /* "bigint", as the specification calls them */
/* An attribute's value; ptr NULL: absent. */
lake_str lake_orc_attribute(const lake_orc_type *type, const char *name);

/* `end`: the last bytes of a file of `size` bytes, LAKE_ORC_END of them if it has so many. */
LAKE_CHECK_RESULT lake_status lake_orc_postscript_read(
    lake_bytes end, uint64_t size, lake_orc_postscript *out, lake_error *err);
/* `stored`: the footer_length bytes before the postscript. Everything goes into the arena. */
LAKE_CHECK_RESULT lake_status lake_orc_footer_read(
    lake_arena *arena, const lake_orc_postscript *postscript, lake_bytes stored, lake_orc_footer *out, lake_error *err);

#endif
