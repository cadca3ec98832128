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

/* What a page holds, counted (see lake_parquet_column_page). */
typedef struct lake_parquet_tally {
    size_t n, rows, existing, present; /* as in lake_parquet_batch */
    bool by_index; /* its values are indexes of the dictionary */
} lake_parquet_tally;

/* Which values of a chunk's dictionary are referred to: a byte each, whose bit 0 counts; _mark sets it to 1. */
typedef struct lake_parquet_marks {
    lake_buffer bytes; /* at least as many as the dictionary has values */
    size_t first; /* all below are marked */
} lake_parquet_marks;

typedef struct lake_parquet_column {
    const lake_parquet_node *leaf;
    const lake_parquet_chunk *chunk;
    lake_parquet_source source;
    lake_codec_scratch *scratch;
    size_t page_limit; /* what has to be held whole may be so large */
    size_t whole; /* larger pages are read piece by piece (LAKE_PARQUET_WHOLE) */
    /* private */
    uint64_t at; /* offset of the next page */
    int64_t left; /* entries that pages still have to bring */
    int64_t page_at; /* offset of the page in hand */
    lake_parquet_page page;
    lake_parquet_parts parts;
    size_t page_left; /* entries of the page in hand */
    size_t pending; /* values of the batch in hand that are still to come */
    bool counting; /* pages are counted: no views of the dictionary */
    bool begun; /* the decoder has been given the page */
    bool started; /* a row has begun */
    lake_parquet_levels levels, rep_levels;
    lake_parquet_decoder decoder;
    lake_buffer page_room, dictionary_room;
    lake_bytes dictionary_bytes; /* as they are stored */
    uint64_t dictionary_at; /* too large to be held: where its page's body is; else 0 */
    lake_parquet_page dictionary_page;
    lake_parquet_feed feed; /* of the page in hand, if it is too large to be held */
    lake_parquet_feed dictionary_feed;
    lake_buffer level_room;
    lake_buffer gather; /* marked values of a fixed width side by side */
    lake_bytes *views; /* the dictionary of BYTE_ARRAY */
    bool has_dictionary;
    lake_parquet_values dictionary;
    uint8_t def[LAKE_PARQUET_BATCH], rep[LAKE_PARQUET_BATCH];
} lake_parquet_column;

/* A worker's column: its memory is used for chunk after chunk. page_limit: the most bytes that are held of a page,
   where it cannot be read piece by piece. */
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

/* A page's body, too large to be held, as a feed of `size` bytes; crc: of what lies before the body. */
LAKE_CHECK_RESULT lake_status lake_parquet_column_feed(lake_parquet_column *c, const lake_parquet_page *page,
    uint64_t at, size_t n, size_t size, uint32_t crc, lake_codec codec, lake_parquet_feed *feed, lake_error *err);
/* Gives the page in hand to the decoder, if it does not have it yet. */
LAKE_CHECK_RESULT lake_status lake_parquet_column_begin_values(lake_parquet_column *c, lake_error *err);

/* ---- Without rows: pages are counted as a whole, and of a dictionary it is only asked which values occur. */

/* Right after _begin: pages instead of batches come next. */
static inline void lake_parquet_column_count(lake_parquet_column *c) {
    c->counting = true;
}
/* The next page; *more false: the end. Its `present` values are to be fetched by _values (pieces of at most
   LAKE_PARQUET_BATCH), or, if they are indexes, by _mark instead. */
LAKE_CHECK_RESULT lake_status lake_parquet_column_page(
    lake_parquet_column *c, lake_parquet_tally *out, bool *more, lake_error *err);
/* Marks what the page's values refer to. */
LAKE_CHECK_RESULT lake_status lake_parquet_column_mark(
    lake_parquet_column *c, lake_parquet_marks *marks, lake_error *err);
/* Gives all values of the dictionary to `take`, in pieces; `at`: the index of the first of them. Before the page's
   values are begun, or after the last page. */
typedef lake_status (*lake_parquet_take_at)(void *user, const lake_parquet_values *values, size_t at, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_parquet_column_each(
    lake_parquet_column *c, lake_parquet_take_at take, void *user, lake_error *err);
/* After the last page: gives the dictionary's marked values to `take`, in pieces. */
typedef lake_status (*lake_parquet_take)(void *user, const lake_parquet_values *values, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_parquet_column_marked(
    lake_parquet_column *c, const lake_parquet_marks *marks, lake_parquet_take take, void *user, lake_error *err);

#endif
