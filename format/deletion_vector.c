/* length (big-endian; of magic and bitmap), magic, bitmap, CRC-32 (big-endian; of magic and bitmap). */
#include "format/deletion_vector.h"

#include "wire/codec.h"

enum { LENGTH = 4, MAGIC = 4, CRC = 4 };
static const uint8_t magic[MAGIC] = {0xd1, 0xd3, 0x39, 0x64};

static uint32_t be32(const uint8_t *p) {
    return __builtin_bswap32(lake_get_le32(p));
}

lake_status lake_deletion_vector_read(lake_bytes blob, lake_bytes *bitmap, lake_roaring_info *out, lake_error *err) {
    if (blob.len < LENGTH + MAGIC + CRC)
        return lake_fail(err, LAKE_ERR_MALFORMED, "a deletion vector of %zu bytes", blob.len);
    size_t covered = blob.len - LENGTH - CRC;
    if (be32(blob.ptr) != covered)
        return lake_fail(err, LAKE_ERR_MALFORMED, "a deletion vector says that it has %u bytes, and has %zu",
            be32(blob.ptr), covered);
    const uint8_t *body = blob.ptr + LENGTH;
    if (memcmp(body, magic, MAGIC) != 0)
        return lake_fail(err, LAKE_ERR_MALFORMED, "a deletion vector does not begin with its magic");
    if (be32(body + covered) != lake_crc32((lake_bytes){body, covered}))
        return lake_fail(err, LAKE_ERR_MALFORMED, "a deletion vector's checksum does not fit its bytes");
    const lake_bytes inside = {body + MAGIC, covered - MAGIC};
    if (bitmap)
        *bitmap = inside;
    return lake_wrap(err, lake_roaring_check(inside, out, err), "deletion vector");
}

static void put_be32(lake_buffer *b, size_t at, uint32_t v) {
    if (!b->failed)
        lake_put_le32(b->data + at, __builtin_bswap32(v));
}

lake_status lake_deletion_vector_write(const uint64_t *positions, size_t n, lake_buffer *out, lake_error *err) {
    size_t begin = out->len;
    lake_buffer_put(out, "\0\0\0\0", LENGTH);
    lake_buffer_put(out, magic, MAGIC);
    LAKE_TRY(lake_roaring_write(positions, n, out, err));
    LAKE_TRY(lake_buffer_check(out, err));
    size_t covered = out->len - begin - LENGTH;
    if (covered > INT32_MAX)
        return lake_fail(err, LAKE_ERR_LIMIT, "a deletion vector of %zu bytes", covered);
    uint32_t crc = lake_crc32((lake_bytes){out->data + begin + LENGTH, covered});
    lake_buffer_put(out, "\0\0\0\0", CRC);
    put_be32(out, begin, (uint32_t)covered);
    put_be32(out, begin + LENGTH + covered, crc);
    return lake_buffer_check(out, err);
}
