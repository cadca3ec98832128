/* Decoders of the two block formats of the LZ77 kind, snappy and LZ4, that can stop and go on at any place of input and
   output: for whole blocks, and for blocks that do not fit into memory. */
#ifndef LAKE_WIRE_CODEC_BLOCK_H
#define LAKE_WIRE_CODEC_BLOCK_H

#include "base/base.h"

typedef struct lake_block {
    size_t literal; /* bytes of a literal still to come from the input */
    size_t copy, offset; /* bytes of a copy still to be made, and how far back they lie */
    size_t match; /* LZ4: the length code of the copy whose offset comes next; snappy: unused */
    bool has_match;
} lake_block;

typedef enum lake_block_end {
    LAKE_BLOCK_INPUT, /* more input is needed, or all of it is used */
    LAKE_BLOCK_OUTPUT, /* the output is full */
    LAKE_BLOCK_DAMAGED,
    LAKE_BLOCK_FAR /* a copy from before `base` */
} lake_block_end;

/* Where a decoder is. What was decoded before lies in [base, out). A few bytes at the end of the input may be left over
   where the next element is not there as a whole: give them again with what follows. `last`: nothing follows. */
typedef struct lake_block_io {
    const uint8_t *in, *in_end;
    const uint8_t *base;
    uint8_t *out, *out_end;
    bool last;
} lake_block_io;

/* The elements behind the length with which a snappy block begins. */
lake_block_end lake_snappy_run(lake_block *s, lake_block_io *io);
lake_block_end lake_lz4_run(lake_block *s, lake_block_io *io);

#endif
