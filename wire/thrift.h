/* Thrift's compact protocol, reading only: what Parquet footers and page headers are made of. Nothing is allocated;
   errors stick: read on, and look at `bad` (or call lake_thrift_check) at the end.

     lake_thrift_field f = {0};
     lake_thrift_enter(t);
     while (lake_thrift_next(t, &f))
         switch (f.id) {
         case 1: x = lake_thrift_i32(t, &f); break;
         default: lake_thrift_skip(t, &f);
         }
*/
#ifndef LAKE_WIRE_THRIFT_H
#define LAKE_WIRE_THRIFT_H

#include "base/base.h"

typedef enum lake_thrift_type {
    LAKE_THRIFT_STOP,
    LAKE_THRIFT_TRUE,
    LAKE_THRIFT_FALSE,
    LAKE_THRIFT_BYTE,
    LAKE_THRIFT_I16,
    LAKE_THRIFT_I32,
    LAKE_THRIFT_I64,
    LAKE_THRIFT_DOUBLE,
    LAKE_THRIFT_BINARY,
    LAKE_THRIFT_LIST,
    LAKE_THRIFT_SET,
    LAKE_THRIFT_MAP,
    LAKE_THRIFT_STRUCT,
    LAKE_THRIFT_UUID
} lake_thrift_type;

typedef struct lake_thrift {
    lake_cursor in;
    int depth;
    const char *bad; /* NULL: well so far */
    bool torn; /* what is bad is that the input ends */
    int64_t bad_at; /* offset of the fault */
} lake_thrift;

/* A field of a struct, or an element of a list (then id is 0). */
typedef struct lake_thrift_field {
    int16_t id;
    uint8_t type;
} lake_thrift_field;

static inline lake_thrift lake_thrift_of(lake_bytes b, int64_t origin) {
    return (lake_thrift){.in = lake_cursor_of(b.ptr, b.len, origin)};
}
/* Begins the fields of a struct; the depth is limited. */
void lake_thrift_enter(lake_thrift *t);
/* The next field of the struct; false at its end or after an error. *f must be zero before the first call. */
bool lake_thrift_next(lake_thrift *t, lake_thrift_field *f);
void lake_thrift_skip(lake_thrift *t, const lake_thrift_field *f);

/* Values. A field of another type than asked for is an error. */
bool lake_thrift_bool(lake_thrift *t, const lake_thrift_field *f);
bool lake_thrift_bool_element(lake_thrift *t, const lake_thrift_field *element); /* of a list or set */
int32_t lake_thrift_i32(lake_thrift *t, const lake_thrift_field *f); /* any integer type whose value fits */
int64_t lake_thrift_i64(lake_thrift *t, const lake_thrift_field *f);
lake_bytes lake_thrift_binary(lake_thrift *t, const lake_thrift_field *f); /* a view into the input */
/* The head of a list or set: *element gets its type; returns the number of elements (never more than bytes are left).
 */
size_t lake_thrift_list(lake_thrift *t, const lake_thrift_field *f, lake_thrift_field *element);
bool lake_thrift_expect(lake_thrift *t, const lake_thrift_field *f, lake_thrift_type type);
void lake_thrift_fail(lake_thrift *t, const char *why);

/* LAKE_OK, or MALFORMED with the offset and "what: why". */
LAKE_CHECK_RESULT lake_status lake_thrift_check(const lake_thrift *t, const char *what, lake_error *err);

#endif
