/* Page headers, and what is inside a page: levels and the encoded values (parquet.thrift, "PageHeader";
   parquet-README.md, "Data Pages"). */
#ifndef LAKE_WIRE_PARQUET_PAGE_H
#define LAKE_WIRE_PARQUET_PAGE_H

#include "wire/codec.h"
#include "wire/parquet_footer.h"

typedef enum lake_parquet_encoding {
    LAKE_PARQUET_ENC_PLAIN = 0,
    LAKE_PARQUET_ENC_PLAIN_DICTIONARY = 2,
    LAKE_PARQUET_ENC_RLE = 3,
    LAKE_PARQUET_ENC_BIT_PACKED = 4,
    LAKE_PARQUET_ENC_DELTA_BINARY_PACKED = 5,
    LAKE_PARQUET_ENC_DELTA_LENGTH_BYTE_ARRAY = 6,
    LAKE_PARQUET_ENC_DELTA_BYTE_ARRAY = 7,
    LAKE_PARQUET_ENC_RLE_DICTIONARY = 8,
    LAKE_PARQUET_ENC_BYTE_STREAM_SPLIT = 9
} lake_parquet_encoding;

typedef enum lake_parquet_page_type {
    LAKE_PARQUET_DATA_PAGE,
    LAKE_PARQUET_INDEX_PAGE,
    LAKE_PARQUET_DICTIONARY_PAGE,
    LAKE_PARQUET_DATA_PAGE_V2
} lake_parquet_page_type;

typedef struct lake_parquet_page {
    int32_t type; /* others than the four are skipped */
    size_t compressed, uncompressed;
    bool has_crc;
    uint32_t crc;
    size_t num_values; /* levels: nulls counted */
    int32_t encoding, def_encoding, rep_encoding;
    size_t def_bytes, rep_bytes; /* v2 */
    bool is_compressed; /* v2 */
} lake_parquet_page;

/* Reads a page header from the beginning of `b`, which lies at `origin`. *used: its length. *more (may not be NULL):
   the header is not at fault but `b` ends before it does; then the status is LAKE_OK and nothing else is set. */
LAKE_CHECK_RESULT lake_status lake_parquet_page_read(
    lake_bytes b, int64_t origin, lake_parquet_page *out, size_t *used, bool *more, lake_error *err);

/* The codec of a column chunk (parquet.thrift, "CompressionCodec"). */
LAKE_CHECK_RESULT lake_status lake_parquet_codec(int32_t codec, lake_codec *out, lake_error *err);
/* How many bytes the levels of a v1 page take that `in` begins with; *head: bytes before them. `in` has at least
   4 bytes, or is all there is. */
LAKE_CHECK_RESULT lake_status lake_parquet_levels_size(
    int32_t encoding, unsigned max, size_t num_values, lake_bytes in, size_t *head, uint64_t *n, lake_error *err);

/* Where the parts of a page are, after decompression. */
typedef struct lake_parquet_parts {
    lake_bytes def, rep; /* levels without the length before them; ptr NULL: the column has none */
    lake_bytes values;
} lake_parquet_parts;

/* Checks the CRC, decompresses (into *room when needed) and splits a data or dictionary page. `body` is what follows
   the header. The views live as long as body and room. limit: the most bytes that a page may decompress to. */
LAKE_CHECK_RESULT lake_status lake_parquet_page_open(const lake_parquet_page *page, lake_bytes body, int32_t codec,
    const lake_parquet_node *leaf, size_t limit, lake_codec_scratch *scratch, lake_buffer *room,
    lake_parquet_parts *out, lake_error *err);

#endif
