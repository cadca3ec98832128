/* Split block Bloom filters. */
#include "wire/parquet_bloom.h"

/* A union whose only known member is field 1, an empty struct. */
static bool is_first(lake_thrift *t, const lake_thrift_field *f) {
    lake_thrift_field g = {0};
    bool first = false, other = false;
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_STRUCT))
        return false;
    lake_thrift_enter(t);
    while (lake_thrift_next(t, &g)) {
        *(g.id == 1 ? &first : &other) = true;
        lake_thrift_skip(t, &g);
    }
    return first && !other;
}

lake_status lake_parquet_bloom_read(
    lake_bytes b, int64_t origin, int64_t stated, size_t *head, size_t *bits, lake_error *err) {
    static const char *const parts[] = {"algorithm", "hash", "compression"};
    lake_thrift t = lake_thrift_of(b, origin);
    lake_thrift_field f = {0};
    int32_t size = -1;
    bool known[3] = {false};
    lake_thrift_enter(&t);
    while (lake_thrift_next(&t, &f)) {
        if (f.id == 1)
            size = lake_thrift_i32(&t, &f);
        else if (f.id >= 2 && f.id <= 4)
            known[f.id - 2] = is_first(&t, &f);
        else
            lake_thrift_skip(&t, &f);
    }
    LAKE_TRY(lake_thrift_check(&t, "Parquet Bloom filter", err));
    for (int i = 0; i < 3; i++)
        if (!known[i])
            return lake_fail(err, LAKE_ERR_UNSUPPORTED, "Parquet Bloom filter: its %s is not known", parts[i]);
    *head = b.len - lake_cursor_left(&t.in);
    if (size <= 0 || size % LAKE_PARQUET_BLOOM_BLOCK || size > LAKE_PARQUET_BLOOM_LIMIT ||
        (stated >= 0 && stated != (int64_t)*head + size))
        return lake_fail_at(
            err, LAKE_ERR_MALFORMED, origin, "Parquet Bloom filter: a size of %d bytes cannot be", size);
    *bits = (size_t)size;
    return LAKE_OK;
}

bool lake_parquet_bloom_has(lake_bytes bits, uint64_t hash) {
    static const uint32_t salt[8] = {
        0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du, 0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u};
    uint64_t blocks = bits.len / LAKE_PARQUET_BLOOM_BLOCK;
    const uint8_t *block = bits.ptr + ((hash >> 32) * blocks >> 32) * LAKE_PARQUET_BLOOM_BLOCK;
    for (size_t i = 0; i < 8; i++)
        if (!(lake_get_le32(block + 4 * i) >> ((uint32_t)hash * salt[i] >> 27) & 1))
            return false;
    return true;
}
