/* Split block Bloom filters (parquet-BloomFilter.md): reading a header, asking for a hash. */
#ifndef LAKE_WIRE_PARQUET_BLOOM_H
#define LAKE_WIRE_PARQUET_BLOOM_H

#include "wire/parquet_footer.h"

enum {
    LAKE_PARQUET_BLOOM_BLOCK = 32, /* bytes */
    LAKE_PARQUET_BLOOM_HEAD = 64, /* a header is shorter: read that much first */
    LAKE_PARQUET_BLOOM_LIMIT = 128 << 20 /* bytes of a filter */
};

/* Reads the header at the filter's beginning; `b` may end somewhere in the bits. *head, *bits: bytes of the header and
   of the bits behind it. UNSUPPORTED: another algorithm, hash or compression than the spec's. MALFORMED: torn, or a
   size that is no positive multiple of a block, or not what the footer states (`stated`, -1: nothing). */
LAKE_CHECK_RESULT lake_status lake_parquet_bloom_read(
    lake_bytes b, int64_t origin, int64_t stated, size_t *head, size_t *bits, lake_error *err);
/* May a value of this hash (XXH64 with seed 0 of its plain encoding) have been put in? bits.len is a positive multiple
   of a block. */
bool lake_parquet_bloom_has(lake_bytes bits, uint64_t hash);

#endif
