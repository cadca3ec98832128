/* Accumulators of exact column statistics: arrays of values go in; counts, minimum and maximum come out, as keys of
   format/value.h. NaN never enters a bound; -0.0 is below 0.0 and both are kept; strings and binary are unsigned bytes.
 */
#ifndef LAKE_FORMAT_ACCUM_H
#define LAKE_FORMAT_ACCUM_H

#include "format/value.h"

/* How values lie in memory (little-endian, at any alignment), and so how they are ordered. */
typedef enum lake_accum_form {
    LAKE_ACCUM_NONE, /* counted only */
    LAKE_ACCUM_BOOL, /* a byte each, 0 or 1 */
    LAKE_ACCUM_I32,
    LAKE_ACCUM_I64,
    LAKE_ACCUM_U32,
    LAKE_ACCUM_U64,
    LAKE_ACCUM_F16,
    LAKE_ACCUM_F32,
    LAKE_ACCUM_F64,
    LAKE_ACCUM_INT96, /* 12 bytes: nanoseconds of the day, Julian day; the value is nanoseconds since 1970 */
    LAKE_ACCUM_DECIMAL_FIXED, /* big-endian two's complement of `width` bytes */
    LAKE_ACCUM_DECIMAL_BYTES, /* the same as lake_bytes of any length */
    LAKE_ACCUM_FIXED, /* `width` bytes each */
    LAKE_ACCUM_BYTES, /* lake_bytes each */
    LAKE_ACCUM_WKB /* lake_bytes each: geometries (width 0) or geographies (1); bounds are corners of their box */
} lake_accum_form;

/* The most bytes of a bound that are kept. */
enum { LAKE_ACCUM_LONGEST = 4 << 20 };

typedef struct lake_accum {
    lake_accum_form form;
    size_t width;
    int64_t mul, div; /* integers: key = floor(value * mul / div), so the key never lies above the value that is read */
    int64_t values, nulls, nans; /* values: nulls and NaNs counted */
    bool any; /* min and max hold something */
    bool broken; /* a decimal beyond 128 bits was seen: no bounds */
    lake_i128 min_i, max_i; /* integers, raw; floats: see lake_accum_min */
    lake_buffer min_b, max_b; /* bytes */
} lake_accum;

void lake_accum_init(lake_accum *s, lake_accum_form form, size_t width, int64_t mul, int64_t div);
void lake_accum_clear(lake_accum *s);

/* Adds n values of the form. valid: one byte each, 0: null (its place in `data` is ignored); NULL: no nulls. */
void lake_accum_add(lake_accum *s, const void *data, const uint8_t *valid, size_t n);
/* Adds nulls. */
static inline void lake_accum_add_nulls(lake_accum *s, int64_t n) {
    s->values += n;
    s->nulls += n;
}
/* Widens the bounds by n values without counting any (dictionaries); returns how many of them are NaN. */
size_t lake_accum_widen(lake_accum *s, const void *data, size_t n);
/* Takes in what another accumulator of the same form holds. */
void lake_accum_merge(lake_accum *s, const lake_accum *from);
/* NO_MEMORY if an append failed somewhere. */
LAKE_CHECK_RESULT lake_status lake_accum_check(const lake_accum *s, lake_error *err);

/* The bounds as keys; false: none. Keys of BYTES kind point into the accumulator. One of LAKE_ACCUM_LONGEST + 1 bytes
   is the beginning of a value that may be longer. */
bool lake_accum_min(const lake_accum *s, lake_key *out);
bool lake_accum_max(const lake_accum *s, lake_key *out);
/* Bytes of an element in `data`. */
size_t lake_accum_stride(const lake_accum *s);
/* One element as a key; false: NaN, or a decimal beyond 128 bits. */
bool lake_accum_key(const lake_accum *s, const void *element, lake_key *out);

#endif
