/* JSON as a tree of our own in an arena. jansson parses (wire/json.c is the one file that knows it); the text of every
   number is kept from the input, so no digit is lost. Duplicate keys, invalid UTF-8 and depth beyond 1,000 are errors
   with line and column. */
#ifndef LAKE_WIRE_JSON_H
#define LAKE_WIRE_JSON_H

#include "base/base.h"

typedef enum lake_json_kind {
    LAKE_JSON_NULL,
    LAKE_JSON_FALSE,
    LAKE_JSON_TRUE,
    LAKE_JSON_NUMBER, /* text: as written */
    LAKE_JSON_STRING, /* text: decoded UTF-8, may hold NUL */
    LAKE_JSON_ARRAY,
    LAKE_JSON_OBJECT
} lake_json_kind;

typedef struct lake_json lake_json;
typedef struct lake_json_member {
    lake_str name;
    lake_json *value;
} lake_json_member;

struct lake_json {
    lake_json_kind kind;
    uint32_t room; /* children that fit without moving (building) */
    lake_str text; /* NUMBER, STRING */
    size_t count; /* ARRAY, OBJECT */
    union {
        lake_json **items; /* ARRAY */
        lake_json_member *members; /* OBJECT, in the order of the input */
    };
};

/* Parses one document. `name` is put before error messages (may be NULL). err->offset is the byte at fault. */
LAKE_CHECK_RESULT lake_status lake_json_parse(
    lake_arena *arena, lake_str text, const char *name, lake_json **out, lake_error *err);

/* Object lookup; NULL if absent (or if `object` is NULL or no object). JSON null counts as present. */
const lake_json *lake_json_get(const lake_json *object, const char *name);
/* The same, but NULL for JSON null, too. */
const lake_json *lake_json_find(const lake_json *object, const char *name);

/* Exact integers: false if v is no number, has a fraction, or does not fit. */
bool lake_json_i64(const lake_json *v, int64_t *out);
bool lake_json_i32(const lake_json *v, int32_t *out);
static inline bool lake_json_is(const lake_json *v, lake_json_kind kind) {
    return v && v->kind == kind;
}

/* Building (NULL when the arena is used up; the setters take NULL values and pass failure on by returning false). */
lake_json *lake_json_new(lake_arena *arena, lake_json_kind kind);
lake_json *lake_json_new_string(lake_arena *arena, lake_str text); /* copies */
lake_json *lake_json_new_number(lake_arena *arena, lake_str text); /* copies */
lake_json *lake_json_new_i64(lake_arena *arena, int64_t v);
bool lake_json_set(lake_arena *arena, lake_json *object, const char *name, lake_json *value); /* replaces or appends */
bool lake_json_push(lake_arena *arena, lake_json *array, lake_json *item);
bool lake_json_remove(lake_json *object, const char *name);
/* Copy of the container itself; its children are shared. */
lake_json *lake_json_copy(lake_arena *arena, const lake_json *v);

/* Printing. indent 0: one line without spaces; else that many spaces a level. Numbers as their text. */
void lake_json_print(lake_buffer *out, const lake_json *v, int indent);
/* A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void lake_json_quote(lake_buffer *out, lake_str text);

#endif
