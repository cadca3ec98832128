/* Decoders of Parquet's encodings (parquet-Encodings.md). Each is a small state over a view, gives values in batches,
   takes no memory for what the input claims, and never reads outside its view. */
#ifndef LAKE_WIRE_PARQUET_DECODE_H
#define LAKE_WIRE_PARQUET_DECODE_H

#include "wire/parquet_feed.h"
#include "wire/parquet_page.h"

/* ---- the hybrid of runs and bit-packed groups: levels, dictionary indexes, booleans */
typedef struct lake_rle {
    const uint8_t *at, *end;
    unsigned width; /* bits of a value, 0..32 */
    uint64_t run; /* left of a run of `value` */
    uint32_t value;
    uint64_t packed; /* left of a bit-packed stretch, from bit `bit` of `at` on */
    unsigned bit;
} lake_rle;

static inline lake_rle lake_rle_of(lake_bytes b, unsigned width) {
    return (lake_rle){.at = b.ptr, .end = b.ptr + b.len, .width = width};
}
/* The next values; fewer than n at the end of the input (or where it is damaged). The first is for widths up to 8. */
size_t lake_rle_next_u8(lake_rle *r, uint8_t *out, size_t n);
size_t lake_rle_next(lake_rle *r, uint32_t *out, size_t n);
/* Sets marks[v] to 1 for each of the next n values v instead; marks has 2^width places. Fewer are done at
   the end of the input, or where a value needs more than `width` bits. all: every place is marked already. */
typedef struct lake_rle_marks {
    uint8_t *marks;
    bool all;
} lake_rle_marks;
size_t lake_rle_mark(lake_rle *r, size_t n, const lake_rle_marks *m);

/* ---- levels of a page */
typedef struct lake_parquet_levels {
    lake_rle rle;
    bool msb; /* the deprecated BIT_PACKED: most significant bit first */
    uint8_t max;
} lake_parquet_levels;

lake_parquet_levels lake_parquet_levels_of(lake_bytes b, int32_t encoding, uint8_t max);
/* Exactly n levels, none above max; false if there are not so many. */
bool lake_parquet_levels_next(lake_parquet_levels *l, uint8_t *out, size_t n);
/* How often each level occurs among the next n, instead; false as above. */
bool lake_parquet_levels_count(lake_parquet_levels *l, size_t n, uint64_t counts[256]);

/* ---- DELTA_BINARY_PACKED */
typedef struct lake_delta {
    lake_cursor in;
    uint64_t left; /* values still to come */
    uint32_t per_mini; /* values in a miniblock */
    uint32_t minis; /* miniblocks in a block */
    lake_bytes widths; /* of the block's miniblocks */
    bool own; /* the input moves: widths are copied, so there are at most as many */
    uint8_t room[512];
    uint32_t mini, used; /* which miniblock, how many of its values are unpacked */
    uint64_t min_delta, value;
    bool first; /* the first value, from the header, is still to come */
    uint64_t ready[32];
    uint32_t nready, at_ready;
} lake_delta;

/* Reads the header. False: damaged. */
bool lake_delta_init(lake_delta *d, lake_bytes b);
/* Up to n values (wrapping arithmetic, 64 bits; the low 32 are those of an INT32). Fewer: the end, or damage. */
size_t lake_delta_next(lake_delta *d, uint64_t *out, size_t n);
/* After the last value: what lies behind. False: values are left, or the input ends early. */
bool lake_delta_rest(lake_delta *d, lake_bytes *out);

/* ---- values of a page, whatever the encoding */
enum { LAKE_PARQUET_BATCH = 2048 };

/* A piece of values, nulls left out. */
typedef struct lake_parquet_values {
    size_t n;
    /* BYTE_ARRAY: lake_bytes each; BOOLEAN: a byte each, 0 or 1; others: little-endian, `width` bytes each, one after
       the other, at any alignment. */
    const void *data;
    size_t width;
} lake_parquet_values;

typedef struct lake_parquet_decoder {
    lake_parquet_type type;
    int32_t encoding;
    size_t width;
    lake_cursor in; /* PLAIN, and the bytes of the DELTA_…_BYTE_ARRAYs */
    lake_rle rle; /* RLE, dictionary indexes */
    lake_delta delta; /* DELTA_BINARY_PACKED; lengths of suffixes or values */
    lake_delta prefixes; /* DELTA_BYTE_ARRAY */
    size_t split_n, split_at; /* BYTE_STREAM_SPLIT: values in all, given so far */
    void *out; /* LAKE_PARQUET_BATCH elements of 16 bytes */
    lake_buffer bytes; /* what views point into where values have to be put together */
    size_t last_at, last_len; /* DELTA_BYTE_ARRAY: the value before, in `bytes` */
    lake_parquet_feed *feed; /* set before _begin: what follows the bytes given there; NULL: nothing does */
    lake_buffer held[2]; /* fed: the encoded lengths */
    uint64_t skip; /* fed: bytes of a value that was not given whole */
} lake_parquet_decoder;

/* Memory for a worker's lifetime; NULL-safe clear. */
LAKE_CHECK_RESULT lake_status lake_parquet_decoder_init(lake_parquet_decoder *d, lake_error *err);
void lake_parquet_decoder_clear(lake_parquet_decoder *d);
/* Begins a page's values, of which there are at most `levels`. */
LAKE_CHECK_RESULT lake_status lake_parquet_decoder_begin(lake_parquet_decoder *d, const lake_parquet_node *leaf,
    int32_t encoding, lake_bytes values, size_t levels, lake_error *err);
/* At least one and at most n values (n > 0, at most LAKE_PARQUET_BATCH); good until the next call. MALFORMED at the
 * end. */
LAKE_CHECK_RESULT lake_status lake_parquet_decoder_next(
    lake_parquet_decoder *d, size_t n, lake_parquet_values *out, lake_error *err);
/* Before indexes are taken from d->rle: makes enough bytes for LAKE_PARQUET_BATCH of them be there. */
LAKE_CHECK_RESULT lake_status lake_parquet_decoder_refill(lake_parquet_decoder *d, lake_error *err);
/* Dictionary-encoded pages: indexes instead, exactly n, all below `limit`. */
LAKE_CHECK_RESULT lake_status lake_parquet_decoder_indexes(
    lake_parquet_decoder *d, size_t n, size_t limit, const uint32_t **out, lake_error *err);

static inline bool lake_parquet_is_dictionary(int32_t encoding) {
    return encoding == LAKE_PARQUET_ENC_PLAIN_DICTIONARY || encoding == LAKE_PARQUET_ENC_RLE_DICTIONARY;
}
/* Bytes of a fixed-width value (BOOLEAN: 1, decoded); 0 for BYTE_ARRAY. */
size_t lake_parquet_width(const lake_parquet_node *leaf);

#endif
