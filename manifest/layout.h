/* The Avro layouts of manifests and manifest lists as tables: what each version of the spec writes, under which field
   id and name (spec.md, "Manifest Entry Fields", "Data File Fields", "Manifest Lists"). Readers use the names only
   where a file has no field ids. */
#ifndef LAKE_MANIFEST_LAYOUT_H
#define LAKE_MANIFEST_LAYOUT_H

#include "format/transform.h"

typedef enum lake_layout_kind {
    LAKE_LAYOUT_BOOLEAN,
    LAKE_LAYOUT_INT,
    LAKE_LAYOUT_LONG,
    LAKE_LAYOUT_STRING,
    LAKE_LAYOUT_BYTES,
    LAKE_LAYOUT_MAP_LONG, /* an array of {key: int, value: long} */
    LAKE_LAYOUT_MAP_BYTES, /* an array of {key: int, value: bytes} */
    LAKE_LAYOUT_LIST_INT,
    LAKE_LAYOUT_LIST_LONG,
    LAKE_LAYOUT_PARTITION, /* a record typed by the partition spec */
    LAKE_LAYOUT_DATA_FILE, /* a record of lake_layout_data_file */
    LAKE_LAYOUT_SUMMARIES /* an array of records of lake_layout_summary */
} lake_layout_kind;

/* Bits of lake_layout_field.written and .required. */
enum { LAKE_V1 = 1 << 1, LAKE_V2 = 1 << 2, LAKE_V3 = 1 << 3, LAKE_V123 = LAKE_V1 | LAKE_V2 | LAKE_V3 };

typedef struct lake_layout_field {
    int32_t id;
    const char *name;
    lake_layout_kind kind;
    uint8_t written, required; /* versions that have it; versions in which it is no union with null */
    int16_t key_id, value_id; /* maps; lists: value_id is the element's; 0: none */
} lake_layout_field;

typedef struct lake_layout {
    const lake_layout_field *fields; /* in the order in which they are written */
    size_t nfields;
} lake_layout;

extern const lake_layout lake_layout_entry, lake_layout_data_file, lake_layout_list, lake_layout_summary;

/* Ids that code asks for by name. */
enum {
    LAKE_ID_STATUS = 0,
    LAKE_ID_SNAPSHOT_ID = 1,
    LAKE_ID_DATA_FILE = 2,
    LAKE_ID_SEQUENCE_NUMBER = 3,
    LAKE_ID_FILE_SEQUENCE_NUMBER = 4,
    LAKE_ID_FILE_PATH = 100,
    LAKE_ID_FILE_FORMAT = 101,
    LAKE_ID_PARTITION = 102,
    LAKE_ID_RECORD_COUNT = 103,
    LAKE_ID_FILE_SIZE = 104,
    LAKE_ID_BLOCK_SIZE = 105,
    LAKE_ID_COLUMN_SIZES = 108,
    LAKE_ID_VALUE_COUNTS = 109,
    LAKE_ID_NULL_COUNTS = 110,
    LAKE_ID_LOWER_BOUNDS = 125,
    LAKE_ID_UPPER_BOUNDS = 128,
    LAKE_ID_KEY_METADATA = 131,
    LAKE_ID_SPLIT_OFFSETS = 132,
    LAKE_ID_CONTENT = 134,
    LAKE_ID_EQUALITY_IDS = 135,
    LAKE_ID_NAN_COUNTS = 137,
    LAKE_ID_SORT_ORDER_ID = 140,
    LAKE_ID_FIRST_ROW_ID = 142,
    LAKE_ID_REFERENCED_DATA_FILE = 143,
    LAKE_ID_CONTENT_OFFSET = 144,
    LAKE_ID_CONTENT_SIZE = 145,
    LAKE_ID_MANIFEST_PATH = 500,
    LAKE_ID_MANIFEST_LENGTH = 501,
    LAKE_ID_SPEC_ID = 502,
    LAKE_ID_ADDED_SNAPSHOT_ID = 503,
    LAKE_ID_ADDED_FILES = 504,
    LAKE_ID_EXISTING_FILES = 505,
    LAKE_ID_DELETED_FILES = 506,
    LAKE_ID_PARTITIONS = 507,
    LAKE_ID_CONTAINS_NULL = 509,
    LAKE_ID_LOWER_BOUND = 510,
    LAKE_ID_UPPER_BOUND = 511,
    LAKE_ID_ADDED_ROWS = 512,
    LAKE_ID_EXISTING_ROWS = 513,
    LAKE_ID_DELETED_ROWS = 514,
    LAKE_ID_LIST_SEQUENCE_NUMBER = 515,
    LAKE_ID_MIN_SEQUENCE_NUMBER = 516,
    LAKE_ID_MANIFEST_CONTENT = 517,
    LAKE_ID_CONTAINS_NAN = 518,
    LAKE_ID_LIST_KEY_METADATA = 519,
    LAKE_ID_LIST_FIRST_ROW_ID = 520
};

/* The type of a partition field's values. `schema` has its source column, or not (dropped): then the type follows from
   the transform alone, or is LAKE_UNKNOWN. */
lake_type lake_layout_partition_type(const lake_schema *schema, const lake_partition_field *field);

/* The Avro schema of a version's manifests, as JSON. types[i] is the type of spec field i. */
void lake_layout_print_manifest(lake_buffer *out, int version, const lake_spec *spec, const lake_type *types);
/* The same of its manifest lists. */
void lake_layout_print_list(lake_buffer *out, int version);

/* A legal Avro name for a partition field: letters, digits and underscores as they are, anything else as _x and its
   code point in hex, an underscore before a leading digit. Returns whether the name was changed. */
bool lake_avro_name(lake_buffer *out, lake_str name);

#endif
