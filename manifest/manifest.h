/* Manifests and manifest lists (spec.md, "Manifests", "Manifest Lists", "Snapshots"; Appendix A for Avro). Fields are
   matched by field id through any legal writer schema. Readers take no predicate, only a set of wanted columns. */
#ifndef LAKE_MANIFEST_MANIFEST_H
#define LAKE_MANIFEST_MANIFEST_H

#include "format/transform.h"
#include "store/store.h"
#include "wire/avro.h"

enum { LAKE_ENTRY_EXISTING = 0, LAKE_ENTRY_ADDED = 1, LAKE_ENTRY_DELETED = 2 };
enum { LAKE_CONTENT_DATA = 0, LAKE_CONTENT_POSITION_DELETES = 1, LAKE_CONTENT_EQUALITY_DELETES = 2 };

/* Which optional members of a lake_entry or lake_manifest_file are there. */
enum {
    LAKE_HAS_SNAPSHOT_ID = 1 << 0,
    LAKE_HAS_SEQUENCE_NUMBER = 1 << 1,
    LAKE_HAS_FILE_SEQUENCE_NUMBER = 1 << 2,
    LAKE_HAS_SORT_ORDER_ID = 1 << 3,
    LAKE_HAS_FIRST_ROW_ID = 1 << 4,
    LAKE_HAS_CONTENT_OFFSET = 1 << 5,
    LAKE_HAS_CONTENT_SIZE = 1 << 6,
    LAKE_HAS_ADDED_FILES = 1 << 7,
    LAKE_HAS_EXISTING_FILES = 1 << 8,
    LAKE_HAS_DELETED_FILES = 1 << 9,
    LAKE_HAS_ADDED_ROWS = 1 << 10,
    LAKE_HAS_EXISTING_ROWS = 1 << 11,
    LAKE_HAS_DELETED_ROWS = 1 << 12,
    LAKE_HAS_PARTITIONS = 1 << 13 /* lake_manifest_file.partitions */
};

enum { LAKE_METRIC_SIZE = 1, LAKE_METRIC_VALUES = 2, LAKE_METRIC_NULLS = 4, LAKE_METRIC_NANS = 8 };

/* What an entry records of one column (fields 108–110, 137, 125, 128). Bounds: ptr NULL is absent, length 0 is the
   empty string. Counts are as recorded, also if negative. */
typedef struct lake_column_metrics {
    int32_t id;
    uint32_t has; /* LAKE_METRIC_… */
    int64_t size, values, nulls, nans;
    lake_bytes lower, upper;
} lake_column_metrics;

/* One manifest entry with its data_file. Views point into the reader's block (until the next block) or into an arena.
 */
typedef struct lake_entry {
    uint8_t status, content;
    uint32_t has;
    int64_t snapshot_id, sequence_number, file_sequence_number; /* after inheritance when the reader inherits */
    lake_str file_path, file_format; /* the format as written ("PARQUET") */
    const lake_datum *partition; /* one a field of the manifest's spec, in its order */
    size_t npartition;
    int64_t record_count, file_size; /* record_count -1: unknown (or absent) */
    const lake_column_metrics *columns;
    size_t ncolumns;
    lake_bytes key_metadata;
    const int64_t *split_offsets;
    size_t nsplit_offsets;
    const int32_t *equality_ids;
    size_t nequality_ids;
    int32_t sort_order_id;
    int64_t first_row_id, content_offset, content_size;
    lake_str referenced_data_file;
} lake_entry;

/* The metrics of a column in an entry that was decoded with all columns (they are sorted by id); NULL: none. */
const lake_column_metrics *lake_entry_column(const lake_entry *entry, int32_t id);

struct lake_manifest_want;
/* Makes an entry, whose columns were all read, own what it points to, in an arena, with the wanted columns only. False:
   out of memory. */
bool lake_entry_copy(lake_arena *arena, const struct lake_manifest_want *want, lake_entry *entry);

typedef struct lake_field_summary {
    bool contains_null;
    int8_t contains_nan; /* -1: not recorded */
    lake_bytes lower, upper;
} lake_field_summary;

/* One line of a manifest list. */
typedef struct lake_manifest_file {
    lake_str path;
    int64_t length;
    int32_t spec_id;
    uint8_t content; /* 0 data, 1 deletes */
    uint32_t has;
    int64_t sequence_number, min_sequence_number; /* 0 when absent (v1) */
    int64_t added_snapshot_id; /* LAKE_HAS_SNAPSHOT_ID */
    int64_t added_files, existing_files, deleted_files, added_rows, existing_rows, deleted_rows;
    const lake_field_summary *partitions;
    size_t npartitions;
    lake_bytes key_metadata;
    int64_t first_row_id;
} lake_manifest_file;

/* Reads a whole list into the arena. */
LAKE_CHECK_RESULT lake_status lake_manifest_list_read(const lake_store *store, lake_arena *arena, lake_str location,
    lake_manifest_file **out, size_t *n, lake_error *err);
/* A v1 snapshot without a list names its manifests: the line for one, from its own header (counts unknown). */
LAKE_CHECK_RESULT lake_status lake_manifest_file_from_header(
    const lake_store *store, lake_arena *arena, lake_str location, lake_manifest_file *out, lake_error *err);

/* What of an entry is decoded. Always: status, ids, content, file_path, file_format, partition, record_count,
 * file_size. */
typedef struct lake_manifest_want {
    bool all_columns; /* metrics of every column, sorted by id */
    const int32_t *column_ids; /* else these: entry.columns has exactly ncolumn_ids elements in this order, `has` 0 and
                                  bounds absent for those without metrics */
    size_t ncolumn_ids;
    bool rest; /* key_metadata, split_offsets, equality_ids, sort_order_id, first_row_id, referenced_data_file,
                  content_* */
} lake_manifest_want;

typedef struct lake_manifest_reader lake_manifest_reader;

typedef struct lake_manifest_header {
    int32_t format_version; /* 1 if absent */
    uint8_t content; /* 0 data, 1 deletes */
    int32_t spec_id;
    const lake_spec *spec; /* from the header's partition-spec; NULL if absent */
    const lake_json *schema; /* NULL if absent */
    const lake_avro_reader *avro;
} lake_manifest_header;

/* Opens a manifest. `line`, if given, is its line in the list: entries then inherit snapshot id, sequence numbers and
   first row ids from it as the spec says (ADDED with null; v1: 0). `spec` orders entry.partition (the table's spec of
   that id; NULL: the header's). Error messages name the location. The scratch may be NULL (then one is made). */
LAKE_CHECK_RESULT lake_status lake_manifest_open(const lake_store *store, lake_str location,
    const lake_manifest_file *line, const lake_spec *spec, const lake_manifest_want *want, lake_codec_scratch *scratch,
    lake_manifest_reader **out, lake_error *err);
/* What one worker keeps from manifest to manifest: compiled writer schemas, header texts that were read already, the
   inflater, buffers. Most manifests of a table have the same texts, so this saves parsing them each time. For one
   thread; it must outlive the readers that were opened with it. */
typedef struct lake_manifest_pool lake_manifest_pool;
lake_manifest_pool *lake_manifest_pool_new(void); /* NULL: out of memory */
void lake_manifest_pool_free(lake_manifest_pool *pool);
/* lake_manifest_open with such a pool. */
LAKE_CHECK_RESULT lake_status lake_manifest_open_pooled(lake_manifest_pool *pool, const lake_store *store,
    lake_str location, const lake_manifest_file *line, const lake_spec *spec, const lake_manifest_want *want,
    lake_manifest_reader **out, lake_error *err);
const lake_manifest_header *lake_manifest_header_of(const lake_manifest_reader *reader);
/* The next entry, *out NULL at the end. It is valid until the next call. Nothing is allocated per entry. */
LAKE_CHECK_RESULT lake_status lake_manifest_next(lake_manifest_reader *reader, const lake_entry **out, lake_error *err);
/* Decodes the current entry again, with another set, deep into an arena. */
LAKE_CHECK_RESULT lake_status lake_manifest_materialise(
    lake_manifest_reader *reader, const lake_manifest_want *want, lake_arena *arena, lake_entry *out, lake_error *err);
uint64_t lake_manifest_size(const lake_manifest_reader *reader); /* of the file, in bytes */
void lake_manifest_close(lake_manifest_reader *reader);

/* ---- writing */
typedef struct lake_manifest_writer lake_manifest_writer;

typedef struct lake_manifest_write_options {
    int32_t format_version; /* 1, 2, 3 */
    uint8_t content; /* 0 data, 1 deletes */
    const lake_schema *schema;
    const lake_spec *spec;
    bool has_snapshot_id;
    int64_t snapshot_id; /* v1 writes it into entries; v2 and later leave ADDED entries to inherit */
    lake_codec codec; /* NONE, DEFLATE, SNAPPY, ZSTD */
    int level; /* -1: the default: 2 for DEFLATE */
} lake_manifest_write_options;

LAKE_CHECK_RESULT lake_status lake_manifest_writer_open(
    const lake_manifest_write_options *options, lake_manifest_writer **out, lake_error *err);
/* Appends an entry. Status ADDED: sequence numbers are written only if given (LAKE_HAS_…); EXISTING and DELETED must
   have them (v2 and later). Partition data must fit the spec. Metrics are written as given (sorted by id). */
LAKE_CHECK_RESULT lake_status lake_manifest_writer_add(
    lake_manifest_writer *writer, const lake_entry *entry, lake_error *err);
uint64_t lake_manifest_writer_size(const lake_manifest_writer *writer); /* bytes so far, an estimate from below */
/* Ends the file: its bytes (owned by the writer) and its line for a list: counts, exact partition summaries, content,
   spec id, min_sequence_number where known; path and sequence_number are the caller's to set. In the arena. */
LAKE_CHECK_RESULT lake_status lake_manifest_writer_finish(
    lake_manifest_writer *writer, lake_arena *arena, lake_bytes *bytes, lake_manifest_file *line, lake_error *err);
void lake_manifest_writer_close(lake_manifest_writer *writer);

/* Gets manifests one after the other: the bytes are good during the call, the line's members live in the arena. */
typedef lake_status (*lake_manifest_take)(
    void *user, lake_bytes bytes, const lake_manifest_file *line, lake_error *err);
/* Writes entries in their order into one manifest (target_size 0, also when n is 0) or into several of about
   target_size bytes, encoded and compressed by `threads` workers (0: the default). What is written does not depend on
   their number. Errors are those of the first entry that cannot be written. */
LAKE_CHECK_RESULT lake_status lake_manifest_write_entries(const lake_manifest_write_options *options,
    const lake_entry *entries, size_t n, uint64_t target_size, unsigned threads, lake_arena *arena,
    lake_manifest_take take, void *user, lake_error *err);

typedef struct lake_manifest_list_options {
    int32_t format_version;
    int64_t snapshot_id;
    bool has_parent;
    int64_t parent_snapshot_id;
    int64_t sequence_number; /* v2 and later: also given to lines whose sequence number is unset (-1) */
    bool
        has_first_row_id; /* v3: the snapshot's first row id; lines of data manifests without one get theirs in order */
    int64_t first_row_id;
    lake_codec codec;
    int level;
} lake_manifest_list_options;
/* The bytes of a list. *next_row_id (may be NULL) is set to the first row id after those given out (v3). */
LAKE_CHECK_RESULT lake_status lake_manifest_list_write(const lake_manifest_list_options *options,
    const lake_manifest_file *lines, size_t n, lake_buffer *out, int64_t *next_row_id, lake_error *err);

#endif
