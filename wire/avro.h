/* Avro: schemas, the object container, and (for whole values of unknown shape) a generic walk. Avro specification 1.12,
   "Schemas", "Binary encoding", "Object Container Files". Manifests are decoded by manifest/decode.c on top of this. */
#ifndef LAKE_WIRE_AVRO_H
#define LAKE_WIRE_AVRO_H

#include "base/base.h"
#include "wire/codec.h"
#include "wire/json.h"

typedef enum lake_avro_kind {
    LAKE_AVRO_NULL,
    LAKE_AVRO_BOOLEAN,
    LAKE_AVRO_INT,
    LAKE_AVRO_LONG,
    LAKE_AVRO_FLOAT,
    LAKE_AVRO_DOUBLE,
    LAKE_AVRO_BYTES,
    LAKE_AVRO_STRING,
    LAKE_AVRO_FIXED,
    LAKE_AVRO_ENUM,
    LAKE_AVRO_ARRAY,
    LAKE_AVRO_MAP,
    LAKE_AVRO_UNION,
    LAKE_AVRO_RECORD
} lake_avro_kind;

typedef struct lake_avro_type lake_avro_type;
typedef struct lake_avro_field {
    lake_str name;
    int32_t id; /* "field-id"; -1: none */
    const lake_avro_type *type;
    const lake_json *json; /* the field object: other properties ("iceberg-field-name") */
} lake_avro_field;

struct lake_avro_type {
    lake_avro_kind kind;
    lake_str name; /* RECORD, ENUM, FIXED */
    lake_str logical; /* "logicalType"; ptr NULL: none */
    int32_t size; /* FIXED */
    int32_t precision, scale; /* logical decimal */
    bool adjust_to_utc; /* Iceberg's annotation of timestamps; false if absent */
    int32_t element_id, key_id, value_id; /* ARRAY, MAP; -1: none */
    const lake_avro_field *fields; /* RECORD */
    const lake_avro_type *const *branches; /* UNION; ARRAY and MAP: branches[0] is the item */
    const lake_str *symbols; /* ENUM */
    size_t count; /* of fields, branches or symbols */
    size_t min_size; /* fewest bytes that a value takes: bounds counts against the bytes left */
    bool empty; /* no value ever takes a byte (null, records of nulls, fixed of size 0) */
};

enum {
    LAKE_AVRO_MAX_DEPTH = 64, /* of schemas, and of values when they are walked */
    LAKE_AVRO_MAX_EMPTY = 1 << 20 /* items of an array, or objects of a block, that take no bytes */
};
const char *lake_avro_kind_name(lake_avro_kind kind); /* "record" */

/* Parses a schema (names resolved; recursion is allowed in the text, but at most 64 deep when values are walked). */
LAKE_CHECK_RESULT lake_status lake_avro_schema_parse(
    lake_arena *arena, const lake_json *json, const lake_avro_type **out, lake_error *err);

/* ---- reading a container that is whole in memory */
typedef struct lake_avro_reader {
    lake_arena *arena;
    const lake_avro_type *schema;
    lake_str schema_text;
    lake_codec codec;
    bool snappy_crc;
    const lake_json_member *meta; /* the header's map; values are STRING nodes (raw bytes in .text) */
    size_t nmeta;
    uint8_t sync[16];
    lake_cursor in;
    size_t block; /* number of the block that was read last, from 1 */
    size_t max_block; /* most decoded bytes of one block (1 GiB, until the caller sets less) */
} lake_avro_reader;

/* Reads the header. `data` must outlive the reader. Error messages carry byte offsets, not the file's name. */
LAKE_CHECK_RESULT lake_status lake_avro_open(
    lake_arena *arena, lake_bytes data, lake_avro_reader *out, lake_error *err);
/* The same without the schema's text being parsed: the caller sets `schema` before blocks are read. */
LAKE_CHECK_RESULT lake_status lake_avro_open_header(
    lake_arena *arena, lake_bytes data, lake_avro_reader *out, lake_error *err);
lake_bytes lake_avro_meta(const lake_avro_reader *r, const char *key); /* ptr NULL: absent */
/* The next block: its number of objects and decoded bytes (in `decoded`, or in the input when the codec is null).
 *count 0 with *more false: the end. */
LAKE_CHECK_RESULT lake_status lake_avro_next_block(lake_avro_reader *r, lake_codec_scratch *scratch,
    lake_buffer *decoded, bool *more, uint64_t *count, lake_cursor *objects, lake_error *err);

/* The parts of values, for who walks them by hand. A failure leaves the cursor where it was. */
bool lake_avro_take_sized(lake_cursor *c, lake_bytes *out); /* bytes, string, a map's key */
/* The head of a block of items of an array or a map. *count 0: the end. *size: bytes of the block, -1: not told. The
   count is checked against the bytes that are left. */
LAKE_CHECK_RESULT lake_status lake_avro_take_head(
    lake_cursor *c, const lake_avro_type *type, uint64_t *count, int64_t *size, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_avro_take_branch(
    lake_cursor *c, const lake_avro_type *type, const lake_avro_type **out, lake_error *err);
/* MALFORMED: the value at the cursor is torn, or impossible for its type. */
lake_status lake_avro_torn(const lake_cursor *c, const lake_avro_type *type, lake_error *err);

/* Skips one value of the type. */
LAKE_CHECK_RESULT lake_status lake_avro_skip(lake_cursor *c, const lake_avro_type *type, int depth, lake_error *err);
/* One value as JSON, for `dump` and tests: bytes and fixed as lower-case hex, records with their field names, unions
   without a wrapper, arrays of {key, value} records with logicalType map as arrays of objects. */
LAKE_CHECK_RESULT lake_status lake_avro_to_json(
    lake_cursor *c, const lake_avro_type *type, int depth, lake_buffer *out, lake_error *err);

/* ---- writing: values are put by hand into a buffer, blocks are cut by the writer */
typedef struct lake_avro_writer {
    lake_buffer *out; /* the whole file grows here */
    lake_codec codec;
    int level;
    uint8_t sync[16];
    lake_buffer block; /* objects of the block that is being filled */
    uint64_t count; /* objects in it */
    size_t block_size; /* a block is closed once it holds so many bytes (default 64 KiB) */
    lake_codec_scratch *scratch;
    lake_buffer packed;
} lake_avro_writer;

typedef struct lake_avro_meta_entry {
    const char *key;
    lake_bytes value;
} lake_avro_meta_entry;

/* Writes the header. codec: null, deflate, snappy, zstandard. The sync marker is random. */
LAKE_CHECK_RESULT lake_status lake_avro_writer_init(lake_avro_writer *w, lake_buffer *out, lake_codec codec, int level,
    lake_str schema_json, const lake_avro_meta_entry *meta, size_t nmeta, lake_error *err);
/* Counts one object that has been appended to w->block; closes the block when it is full. */
LAKE_CHECK_RESULT lake_status lake_avro_writer_object(lake_avro_writer *w, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_avro_writer_finish(lake_avro_writer *w, lake_error *err);
/* For makers of blocks: no header is written (out is NULL); objects go into w->block, lake_avro_writer_pack takes them
   out as a block's data, and the writer of a file takes that with lake_avro_writer_block. */
LAKE_CHECK_RESULT lake_status lake_avro_writer_blocks(
    lake_avro_writer *w, lake_codec codec, int level, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_avro_writer_pack(lake_avro_writer *w, lake_buffer *data, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_avro_writer_block(
    lake_avro_writer *w, uint64_t count, lake_bytes data, lake_error *err);
void lake_avro_writer_clear(lake_avro_writer *w); /* frees; `out` stays the caller's */

void lake_avro_put_long(lake_buffer *b, int64_t v); /* also int, and union branches */
void lake_avro_put_bytes(lake_buffer *b, lake_bytes v); /* also string */
void lake_avro_put_float(lake_buffer *b, float v);
void lake_avro_put_double(lake_buffer *b, double v);

#endif
