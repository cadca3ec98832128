/* Iceberg types and schemas (format/spec.md, "Schemas and Data Types"), in an arena, immutable once read. */
#ifndef LAKE_FORMAT_TYPE_H
#define LAKE_FORMAT_TYPE_H

#include "base/base.h"
#include "wire/json.h"

typedef enum lake_type_id {
    LAKE_BOOLEAN,
    LAKE_INT,
    LAKE_LONG,
    LAKE_FLOAT,
    LAKE_DOUBLE,
    LAKE_DECIMAL,
    LAKE_DATE,
    LAKE_TIME,
    LAKE_TIMESTAMP,
    LAKE_TIMESTAMPTZ,
    LAKE_TIMESTAMP_NS,
    LAKE_TIMESTAMPTZ_NS,
    LAKE_STRING,
    LAKE_UUID,
    LAKE_FIXED,
    LAKE_BINARY,
    LAKE_UNKNOWN,
    LAKE_VARIANT,
    LAKE_GEOMETRY,
    LAKE_GEOGRAPHY,
    LAKE_STRUCT,
    LAKE_LIST, /* fields[0]: the element */
    LAKE_MAP /* fields[0]: the key, fields[1]: the value */
} lake_type_id;

typedef struct lake_field lake_field;

typedef struct lake_type {
    lake_type_id id;
    int32_t length; /* FIXED: bytes */
    int32_t precision, scale; /* DECIMAL */
    lake_str crs, algorithm; /* GEOMETRY, GEOGRAPHY; ptr NULL: the default */
    lake_field *fields; /* STRUCT, LIST, MAP */
    size_t nfields;
} lake_type;

struct lake_field {
    int32_t id;
    lake_str name; /* "element", "key", "value" in lists and maps */
    lake_str doc;
    bool required;
    lake_type type;
    const lake_field *parent; /* NULL: a field of the schema itself */
    const lake_json *initial_default, *write_default; /* NULL: none (JSON null counts as none) */
    /* derived */
    bool inside_list; /* some parent is a list or a map */
    bool nullable; /* it or some parent is optional */
};

typedef struct lake_schema {
    int32_t id;
    lake_type root; /* a STRUCT */
    const lake_field **by_id; /* every field, nested ones too, sorted by id */
    size_t nby_id;
    const int32_t *identifier_ids;
    size_t nidentifier_ids;
    const lake_json *json; /* as read: unknown members survive */
} lake_schema;

/* Reads a schema object ({"type":"struct","fields":[…],"schema-id":…}). Refuses duplicate ids, bad types, depth beyond
 * 100. */
LAKE_CHECK_RESULT lake_status lake_schema_read(
    lake_arena *arena, const lake_json *json, lake_schema **out, lake_error *err);
/* Reads a type: a name ("decimal(9, 2)") or an object. `parent` is the field it belongs to, or NULL. */
LAKE_CHECK_RESULT lake_status lake_type_read(
    lake_arena *arena, const lake_json *json, const lake_field *parent, int depth, lake_type *out, lake_error *err);
/* Builds by_id and the derived members for a root struct that was made by hand (write-manifest from Parquet, tests). */
LAKE_CHECK_RESULT lake_status lake_schema_index(lake_arena *arena, lake_schema *schema, lake_error *err);

/* As JSON: a schema that was read keeps its unknown members. NULL when memory is used up. */
lake_json *lake_schema_write(lake_arena *arena, const lake_schema *schema);
lake_json *lake_type_write(lake_arena *arena, const lake_type *type);
static inline bool lake_type_is_geo(const lake_type *t) {
    return t->id == LAKE_GEOMETRY || t->id == LAKE_GEOGRAPHY;
}
/* "int", "decimal(9, 2)", "fixed[16]", "struct", "geography(srid:4326, spherical)". */
void lake_type_print(lake_buffer *out, const lake_type *type);

const lake_field *lake_schema_field(const lake_schema *schema, int32_t id); /* NULL: none */
size_t lake_schema_position(const lake_schema *schema, int32_t id); /* in by_id; nby_id: none */
/* The dotted full name ("a.b", "points.element.x"). */
void lake_field_full_name(lake_buffer *out, const lake_field *field);
/* Resolves a dotted name as a whole (JSON filters; a name may have dots itself), or a path of parts (SQL). Finds all
   matches, so that the caller can report ambiguity: returns how many there are and stores up to `room` of them. */
size_t lake_schema_find_name(
    const lake_schema *schema, lake_str dotted, bool case_sensitive, const lake_field **out, size_t room);
size_t lake_schema_find_path(const lake_schema *schema, const lake_str *parts, size_t nparts, bool case_sensitive,
    const lake_field **out, size_t room);

static inline bool lake_type_is_nested(const lake_type *t) {
    return t->id >= LAKE_STRUCT;
}

#endif
