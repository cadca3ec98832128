/* The footer of a Parquet file (parquet.thrift, "FileMetaData"): schema tree, row groups, column chunks, statistics.
   All in an arena; strings are views into the footer's bytes, which must live as long. */
#ifndef LAKE_WIRE_PARQUET_FOOTER_H
#define LAKE_WIRE_PARQUET_FOOTER_H

#include "wire/thrift.h"

typedef enum lake_parquet_type {
    LAKE_PARQUET_BOOLEAN,
    LAKE_PARQUET_INT32,
    LAKE_PARQUET_INT64,
    LAKE_PARQUET_INT96,
    LAKE_PARQUET_FLOAT,
    LAKE_PARQUET_DOUBLE,
    LAKE_PARQUET_BYTE_ARRAY,
    LAKE_PARQUET_FIXED,
    LAKE_PARQUET_GROUP = -1
} lake_parquet_type;

typedef enum lake_parquet_repetition {
    LAKE_PARQUET_REQUIRED,
    LAKE_PARQUET_OPTIONAL,
    LAKE_PARQUET_REPEATED
} lake_parquet_repetition;

/* The logical type, or what the older converted type means. */
typedef enum lake_parquet_logical {
    LAKE_PARQUET_PLAIN, /* no annotation */
    LAKE_PARQUET_STRING,
    LAKE_PARQUET_MAP,
    LAKE_PARQUET_LIST,
    LAKE_PARQUET_ENUM,
    LAKE_PARQUET_DECIMAL,
    LAKE_PARQUET_DATE,
    LAKE_PARQUET_TIME,
    LAKE_PARQUET_TIMESTAMP,
    LAKE_PARQUET_INTERVAL,
    LAKE_PARQUET_INTEGER,
    LAKE_PARQUET_NULL,
    LAKE_PARQUET_JSON,
    LAKE_PARQUET_BSON,
    LAKE_PARQUET_UUID,
    LAKE_PARQUET_FLOAT16,
    LAKE_PARQUET_VARIANT,
    LAKE_PARQUET_GEOMETRY,
    LAKE_PARQUET_GEOGRAPHY,
    LAKE_PARQUET_OTHER /* one that is not known here */
} lake_parquet_logical;

typedef enum lake_parquet_unit { LAKE_PARQUET_MILLIS, LAKE_PARQUET_MICROS, LAKE_PARQUET_NANOS } lake_parquet_unit;

typedef struct lake_parquet_node lake_parquet_node;
struct lake_parquet_node {
    lake_str name;
    lake_parquet_node *parent; /* NULL: the root */
    lake_parquet_node **children;
    size_t nchildren;
    lake_parquet_type type;
    lake_parquet_repetition repetition;
    int32_t type_length; /* FIXED: bytes of a value */
    bool has_field_id;
    int32_t field_id;
    lake_parquet_logical logical;
    bool utc; /* TIME, TIMESTAMP: adjusted to UTC */
    lake_parquet_unit unit; /* TIME, TIMESTAMP */
    int32_t scale, precision; /* DECIMAL */
    int bit_width; /* INTEGER */
    bool is_signed; /* INTEGER */
    lake_str crs; /* GEOMETRY, GEOGRAPHY; ptr NULL: the default */
    int algorithm; /* GEOGRAPHY: EdgeInterpolationAlgorithm; -1: the default */
    uint8_t max_def, max_rep;
    uint8_t repeated_def; /* max_def of the innermost repeated node up to here; 0: none. An entry with less has no
                             element */
    int column; /* leaf: its number; group: -1 */
};

typedef struct lake_parquet_statistics {
    lake_bytes min, max; /* the deprecated ones; ptr NULL: absent */
    lake_bytes min_value, max_value; /* ptr NULL: absent */
    int64_t null_count, nan_count; /* -1: absent */
    int min_exact, max_exact; /* -1: absent */
} lake_parquet_statistics;

typedef enum lake_parquet_order {
    LAKE_PARQUET_ORDER_NONE,
    LAKE_PARQUET_ORDER_TYPE,
    LAKE_PARQUET_ORDER_IEEE754,
    LAKE_PARQUET_ORDER_INT96
} lake_parquet_order;

typedef struct lake_parquet_chunk {
    bool encrypted; /* its metadata or its data */
    bool other_file; /* the data lies in a file of its own */
    lake_parquet_type type;
    int32_t codec; /* parquet.thrift, "CompressionCodec" */
    int64_t num_values, uncompressed_size, compressed_size;
    int64_t data_page_offset, dictionary_page_offset; /* -1: no dictionary */
    bool all_dictionary; /* every data page is dictionary encoded, by encoding_stats */
    int64_t bloom_offset, column_index_offset, offset_index_offset; /* -1: absent */
    int32_t bloom_length; /* with its header; -1: not stated */
    int32_t column_index_length, offset_index_length;
    lake_parquet_statistics statistics;
} lake_parquet_chunk;

typedef struct lake_parquet_row_group {
    lake_parquet_chunk *chunks; /* one for each leaf */
    int64_t num_rows, total_byte_size, file_offset; /* file_offset -1: absent */
} lake_parquet_row_group;

typedef struct lake_parquet_footer {
    int32_t version;
    int64_t num_rows;
    lake_parquet_node *root;
    lake_parquet_node **leaves;
    size_t nleaves;
    lake_parquet_row_group *groups;
    size_t ngroups;
    struct lake_parquet_pair {
        lake_str key, value; /* value.ptr NULL: absent */
    } * pairs;
    size_t npairs;
    lake_str created_by; /* ptr NULL: absent */
    lake_parquet_order *orders; /* one for each leaf, or NULL */
} lake_parquet_footer;

/* Where a chunk's pages begin: the dictionary, if there is one before the data. (Some writers record one at 0, or
   behind: then there is none.) */
static inline int64_t lake_parquet_chunk_start(const lake_parquet_chunk *c) {
    bool dictionary = c->dictionary_page_offset > 0 && c->dictionary_page_offset < c->data_page_offset;
    return dictionary ? c->dictionary_page_offset : c->data_page_offset;
}

enum { LAKE_PARQUET_TAIL = 8, LAKE_PARQUET_FOOTER_LIMIT = 256 << 20 };

/* From the last 8 bytes and the file's size: the length of the footer, which ends where those begin. Refuses files that
   are no Parquet, encrypted ones ("PARE") by name, and footers that do not fit the file or pass the limit. */
LAKE_CHECK_RESULT lake_status lake_parquet_tail_read(
    lake_bytes tail, uint64_t file_size, uint32_t *footer_len, lake_error *err);
/* The footer itself; `origin` is its offset in the file. */
LAKE_CHECK_RESULT lake_status lake_parquet_footer_read(
    lake_arena *arena, lake_bytes footer, int64_t origin, lake_parquet_footer **out, lake_error *err);

/* "a.list.element": the path of a node, for messages. */
lake_str lake_parquet_path(lake_arena *arena, const lake_parquet_node *node);
const char *lake_parquet_type_name(lake_parquet_type type);
/* Statistics as they stand in footers and page headers: the value of field `f`. */
void lake_parquet_statistics_read(lake_thrift *t, const lake_thrift_field *f, lake_parquet_statistics *out);
/* The list of schema elements (field `f`) as a tree: fills root, leaves, nleaves. */
LAKE_CHECK_RESULT lake_status lake_parquet_schema_read(
    lake_arena *arena, lake_thrift *t, const lake_thrift_field *f, lake_parquet_footer *out, lake_error *err);

#endif
