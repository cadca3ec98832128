/* Compression: the one place that knows zlib/libdeflate, zstd, snappy, lz4, brotli, bzip2, xz. Whole blocks only.
   snappy, lz4, brotli, bzip2 and xz are loaded (dlopen) when first used, so that a start stays cheap. Thread-safe with
   one scratch per worker. */
#ifndef LAKE_WIRE_CODEC_H
#define LAKE_WIRE_CODEC_H

#include "base/base.h"

typedef enum lake_codec {
    LAKE_CODEC_NONE,
    LAKE_CODEC_DEFLATE, /* raw deflate: Avro. Bytes after the end of the stream are allowed (PyIceberg) */
    LAKE_CODEC_GZIP, /* one or more gzip members: Parquet, metadata.json.gz */
    LAKE_CODEC_SNAPPY, /* raw snappy: Parquet; Avro adds a CRC of its own (the container checks it) */
    LAKE_CODEC_ZSTD,
    LAKE_CODEC_LZ4_RAW,
    LAKE_CODEC_LZ4_HADOOP, /* Parquet's old LZ4: Hadoop framing, with fall-backs that readers know (raw block, LZ4
                              frame) */
    LAKE_CODEC_BROTLI,
    LAKE_CODEC_BZIP2, /* reading only */
    LAKE_CODEC_XZ /* reading only */
} lake_codec;

/* Reusable state of one worker: (de)compressor handles. */
typedef struct lake_codec_scratch lake_codec_scratch;
lake_codec_scratch *lake_codec_scratch_new(void); /* NULL: out of memory */
void lake_codec_scratch_free(lake_codec_scratch *scratch);

const char *lake_codec_name(lake_codec codec);

/* Decompresses into `out` (reset first). size_hint: the decoded size if it is known (then it must come to exactly that:
   exact true), else a guess or 0. limit: the most decoded bytes allowed (LIMIT beyond; checked before memory is taken).
 */
LAKE_CHECK_RESULT lake_status lake_codec_decode(lake_codec_scratch *scratch, lake_codec codec, lake_bytes in,
    size_t size_hint, bool exact, size_t limit, lake_buffer *out, lake_error *err);
/* Appends the compressed form to out. level: codec's own scale, -1 for the default. */
LAKE_CHECK_RESULT lake_status lake_codec_encode(
    lake_codec_scratch *scratch, lake_codec codec, int level, lake_bytes in, lake_buffer *out, lake_error *err);
uint32_t lake_crc32(lake_bytes b); /* CRC-32 (ISO 3309) */

#endif
