/* One column chunk as a stream of batches: pages are read one after the other through a source, so memory does not grow
   with the chunk. */
#ifndef LAKE_WIRE_PARQUET_COLUMN_H
#define LAKE_WIRE_PARQUET_COLUMN_H

#include "wire/parquet_decode.h"

/* Where the bytes of the file come from. `read` gives n bytes at an offset; they are good until its next call. */
typedef struct lake_parquet_source {
    lake_status (*read)(void *user, uint64_t offset, size_t n, lake_bytes *out, lake_error *err);
    void *user;
    uint64_t end; /* no page reaches beyond: the footer's offset */
} lake_parquet_source;

/* Levels of the next entries. Then come their values, in pieces. */
typedef struct lake_parquet_batch {
    size_t n; /* entries, at most LAKE_PARQUET_BATCH */
    const uint8_t *def; /* their definition levels; NULL: all are values (max_def 0) */
    size_t rows; /* rows that begin here */
    size_t existing; /* entries that are elements: nulls, too, but not empty or null lists */
    size_t present; /* entries that are values */
} lake_parquet_batch;

/* Values, nulls left out: from the page, or by index from the dictionary. */
typedef struct lake_parquet_piece {
    size_t n;
    const uint32_t *index; /* dictionary: `n` indexes into `values`; NULL: the values themselves */
    lake_parquet_values values;
} lake_parquet_piece;

typedef struct lake_parquet_column {
    const lake_parquet_node *leaf;
    const lake_parquet_chunk *chunk;
    lake_parquet_source source;
    lake_codec_scratch *scratch;
    size_t page_limit;
    /* private */
    uint64_t at; /* offset of the next page */
    int64_t left; /* entries that pages still have to bring */
    int64_t page_at; /* offset of the page in hand */
    lake_parquet_page page;
    lake_parquet_parts parts;
    size_t page_left; /* entries of the page in hand */
    size_t pending; /* values of the batch in hand that are still to come */
    bool begun; /* the decoder has been given the page */
    bool started; /* a row has begun */
    lake_parquet_levels levels, rep_levels;
    lake_parquet_decoder decoder;
    lake_buffer page_room, dictionary_room;
    lake_bytes *views; /* the dictionary of BYTE_ARRAY */
    bool has_dictionary;
    lake_parquet_values dictionary;
    uint8_t def[LAKE_PARQUET_BATCH], rep[LAKE_PARQUET_BATCH];
} lake_parquet_column;

/* A worker's column: its memory is used for chunk after chunk. page_limit: the most bytes a page may decompress to. */
LAKE_CHECK_RESULT lake_status lake_parquet_column_init(lake_parquet_column *c, size_t page_limit, lake_error *err);
void lake_parquet_column_clear(lake_parquet_column *c); /* also after a failed init */
/* Begins a chunk. Refuses encrypted ones and those in other files. */
LAKE_CHECK_RESULT lake_status lake_parquet_column_begin(lake_parquet_column *c, const lake_parquet_source *source,
    const lake_parquet_node *leaf, const lake_parquet_chunk *chunk, lake_error *err);
/* Instead of batches, right after _begin: the dictionary alone, which must be the chunk's first page. Its values live
   until the next _begin. */
LAKE_CHECK_RESULT lake_status lake_parquet_column_dictionary(
    lake_parquet_column *c, lake_parquet_values *out, lake_error *err);
/* The next batch; values that were not fetched are an error of the caller's. *more false: the end (and no batch).
   Errors name the page's offset. */
LAKE_CHECK_RESULT lake_status lake_parquet_column_next(
    lake_parquet_column *c, lake_parquet_batch *out, bool *more, lake_error *err);
/* The next piece of the batch's `present` values; call until they are all there. A dictionary stays the same for all
   pieces of a chunk. */
LAKE_CHECK_RESULT lake_status lake_parquet_column_values(
    lake_parquet_column *c, lake_parquet_piece *out, lake_error *err);

#endif
