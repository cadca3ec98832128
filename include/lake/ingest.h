/* Manifest entries for programs that write data files themselves: they push the rows of each file, column batch by
   column batch, and get the entry, with exact statistics by the table's settings and partition values that every row
   agrees with. No data file is read. */
#ifndef LAKE_INGEST_H
#define LAKE_INGEST_H

#include "lake/write.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html), whose structures are an ABI:
   a program that has them from another header keeps those. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif

typedef struct lake_ingest lake_ingest; /* the files of one write */
typedef struct lake_ingest_file lake_ingest_file; /* one of them; for one thread at a time, several at once are fine */

/* options as for lake_manifest_write (files and nfiles are not looked at; content 0 or 2); what they point to, and the
   table, must stay until lake_ingest_close. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_ingest_open(
    lake_session *session, const lake_manifest_options *options, lake_ingest **out, lake_error *err);
LAKE_API void lake_ingest_close(lake_ingest *ingest); /* after its files; NULL is fine */

/* `location`: where the data file is or will be. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_ingest_file_open(
    lake_ingest *ingest, const char *location, lake_ingest_file **out, lake_error *err);
/* Forgets the file, unless it was finished. NULL is fine. */
LAKE_API void lake_ingest_file_close(lake_ingest_file *file);

/* Rows as a struct array, one child a column; columns are found by the metadata key PARQUET:field_id, else by name.
   Every batch must have the same columns and types. Nested types, dictionaries, views, run ends, and arrays with an
   offset are read; the array is not released. USAGE names a column that does not fit the schema. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_ingest_arrow(
    lake_ingest_file *file, const struct ArrowSchema *schema, const struct ArrowArray *batch, lake_error *err);

/* How values lie in a typed array, in Iceberg's own units: dates in days, times and timestamps in the microseconds or
   nanoseconds of their type. */
typedef enum lake_array_kind {
    LAKE_ARRAY_BOOL, /* a byte each, 0 or 1 */
    LAKE_ARRAY_INT32,
    LAKE_ARRAY_INT64,
    LAKE_ARRAY_FLOAT,
    LAKE_ARRAY_DOUBLE,
    LAKE_ARRAY_BYTES, /* lake_bytes each: string, binary, fixed, uuid, decimal (big-endian), geometry (WKB) */
} lake_array_kind;
typedef struct lake_array {
    int32_t field_id; /* a column that is in no list or map */
    lake_array_kind kind;
    const void *data;
    const uint8_t *valid; /* a byte each, 0: null (also where a struct around it is null); NULL: no nulls */
} lake_array;
/* Rows as typed arrays of the same length. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_ingest_arrays(
    lake_ingest_file *file, const lake_array *columns, size_t ncolumns, size_t nrows, lake_error *err);

/* What only the file's writer knows. */
typedef struct lake_ingest_written {
    uint32_t version;
    const char *format; /* "PARQUET", "ORC", "AVRO"; NULL: PARQUET */
    int64_t file_size; /* bytes */
    const int64_t *split_offsets;
    size_t nsplit_offsets;
    const int32_t *column_ids; /* with their compressed sizes; NULL: not recorded */
    const int64_t *column_sizes;
    size_t ncolumn_sizes;
} lake_ingest_written;
#define LAKE_INGEST_WRITTEN_VERSION 1
#define LAKE_INGEST_WRITTEN_INIT                                                                                       \
    { .version = LAKE_INGEST_WRITTEN_VERSION }

/* Ends the file: its entry belongs to the write from now on. MALFORMED when the rows do not agree on a partition, or
   are not in the order that is to be verified. The sink (may be NULL) gets what `lakectl stats --metrics` prints of a
   file as JSON: what the entry records. The file is still to be closed. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_ingest_file_finish(
    lake_ingest_file *file, const lake_ingest_written *written, const lake_sink *sink, lake_error *err);

/* Writes the manifest(s) of all files that were finished, as lake_manifest_write does, for lake_table_commit. Once. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_ingest_write(lake_ingest *ingest, const lake_sink *sink, lake_error *err);

#ifdef __cplusplus
}
#endif
#endif
