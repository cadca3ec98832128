/* Statistics of one data file, computed from its data. */
#ifndef LAKE_READER_STATS_H
#define LAKE_READER_STATS_H

#include "format/value.h"
#include "store/store.h"

typedef enum lake_data_format { LAKE_DATA_PARQUET, LAKE_DATA_AVRO, LAKE_DATA_ORC } lake_data_format;

typedef struct lake_column_stats {
    const lake_field *field; /* of the schema in use (lake_file_stats.schema) */
    lake_str name; /* full dotted name */
    size_t leaf; /* which leaf of the file it is, from 0 */
    int64_t column_size; /* compressed bytes in the file; -1: unknown (Avro stores rows) */
    int64_t values, nulls,
        nans; /* -1: unknown (nans: no float column). In lists and maps: values = elements that exist */
    bool has_min, has_max; /* both, or none, when computed from data */
    bool min_loose, max_loose; /* footer_only: the bound may lie outside the data */
    lake_key min, max; /* keys of field->type; BYTES point into the arena */
} lake_column_stats;

typedef struct lake_file_stats {
    lake_str path;
    lake_data_format format; /* by the file's first bytes, whatever it is called */
    bool from_footer; /* the statistics are the writer's: ORC, or footer_only */
    int64_t record_count, file_size;
    const int64_t *split_offsets;
    size_t nsplit_offsets;
    const lake_schema *schema; /* the one given, or the file's own */
    lake_column_stats *columns; /* every primitive leaf that is in the file, by id */
    size_t ncolumns;
    size_t unmatched; /* leaves of the file that are no column of the schema, or of another type than it can read */
    lake_str created_by; /* as the footer says; ptr NULL: nothing */
} lake_file_stats;

typedef struct lake_file_stats_options {
    const lake_schema *schema; /* NULL: the file's own ids and types */
    const lake_json *name_mapping; /* schema.name-mapping.default, parsed; or NULL */
    const int32_t *column_ids; /* NULL: all leaves */
    size_t ncolumn_ids;
    bool footer_only;
    unsigned threads; /* 1: none of its own */
    /* Bytes of a page: larger ones than page_whole are read piece by piece, where their encoding and codec allow;
       others are held up to page_limit. 0: 8 MiB and 24 MiB, which keeps a thread under 64 MiB. */
    size_t page_whole, page_limit;
    /* Called, if not NULL, for each batch of the top-level or struct-leaf columns in on_values_ids, so that every row's
       value can be checked (partition values through transforms): present[i] is 0 for null, 1 where keys[i] is the
       value, 2 for NaN. Rows of one column come in order; never from two threads at once. Views are good during the
       call only. */
    lake_status (*on_values)(
        void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err);
    void *on_values_user;
    const int32_t *on_values_ids;
    size_t non_values_ids;
} lake_file_stats_options;

/* Reads a data file: Parquet, Avro, or of ORC the footer (then on_values is not called). MALFORMED and UNSUPPORTED
   errors name the file, the column and the place. */
LAKE_CHECK_RESULT lake_status lake_file_stats_read(const lake_store *store, lake_str location,
    const lake_file_stats_options *options, lake_arena *arena, lake_file_stats *out, lake_error *err);

/* The Iceberg schema of a data file: its field ids where it has them all, else fresh ones from 1. *ids: are there any
   in the file (or NULL). */
LAKE_CHECK_RESULT lake_status lake_schema_from_file(
    const lake_store *store, lake_str location, lake_arena *arena, lake_schema **out, bool *ids, lake_error *err);

/* The same for a file that has to be Parquet. */
LAKE_CHECK_RESULT lake_status lake_schema_from_parquet(
    const lake_store *store, lake_str location, lake_arena *arena, lake_schema **out, lake_error *err);

/* "PARQUET", as metadata has it. */
lake_str lake_data_format_name(lake_data_format format);

#endif
