/* Murmur3 32-bit: https://github.com/aappleby/smhasher, and XXH64: https://github.com/Cyan4973/xxHash
   (doc/xxhash_spec.md), written from their published descriptions. */
#include "base/hash.h"

#include "base/bytes.h"

static uint32_t rotl(uint32_t x, int r) {
    return x << r | x >> (32 - r);
}

static uint32_t mix(uint32_t k) {
    return rotl(k * 0xcc9e2d51u, 15) * 0x1b873593u;
}

uint32_t lake_murmur3(const void *data, size_t len) {
    const uint8_t *p = data;
    uint32_t h = 0;
    size_t i = 0;
    for (; i + 4 <= len; i += 4) {
        h = rotl(h ^ mix(lake_get_le32(p + i)), 13) * 5 + 0xe6546b64u;
    }
    uint32_t tail = 0;
    for (size_t k = len; k > i; k--)
        tail = tail << 8 | p[k - 1];
    if (len > i)
        h ^= mix(tail);
    h ^= (uint32_t)len;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

static uint64_t rotl64(uint64_t x, int r) {
    return x << r | x >> (64 - r);
}

static uint64_t final64(uint64_t h) {
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 33;
}

void lake_murmur3_128(const void *data, size_t len, uint64_t seed, uint64_t out[2]) {
    const uint64_t c1 = 0x87c37b91114253d5u, c2 = 0x4cf5ad432745937fu;
    const uint8_t *p = data;
    uint64_t h1 = seed, h2 = seed, k1 = 0, k2 = 0;
    size_t i = 0;
    for (; i + 16 <= len; i += 16) {
        h1 ^= rotl64(lake_get_le64(p + i) * c1, 31) * c2;
        h1 = (rotl64(h1, 27) + h2) * 5 + 0x52dce729u;
        h2 ^= rotl64(lake_get_le64(p + i + 8) * c2, 33) * c1;
        h2 = (rotl64(h2, 31) + h1) * 5 + 0x38495ab5u;
    }
    for (size_t k = len; k > i; k--) {
        if (k - i > 8)
            k2 = k2 << 8 | p[k - 1];
        else
            k1 = k1 << 8 | p[k - 1];
    }
    h2 ^= rotl64(k2 * c2, 33) * c1;
    h1 ^= rotl64(k1 * c1, 31) * c2;
    h1 ^= (uint64_t)len;
    h2 ^= (uint64_t)len;
    h1 += h2;
    h2 += h1;
    h1 = final64(h1);
    h2 = final64(h2);
    out[0] = h1 + h2;
    out[1] = out[0] + h2;
}

uint64_t lake_fnv1a(const void *data, size_t len) {
    const uint8_t *p = data;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

/* ---- XXH64 */
static const uint64_t prime1 = 0x9e3779b185ebca87u, prime2 = 0xc2b2ae3d27d4eb4fu, prime3 = 0x165667b19e3779f9u,
                      prime4 = 0x85ebca77c2b2ae63u, prime5 = 0x27d4eb2f165667c5u;

static uint64_t lane64(uint64_t acc, uint64_t v) {
    return rotl64(acc + v * prime2, 31) * prime1;
}

uint64_t lake_xxh64(const void *data, size_t len) {
    const uint8_t *p = data;
    size_t left = len;
    uint64_t h = prime5;
    if (left >= 32) {
        uint64_t acc[4] = {prime1 + prime2, prime2, 0, 0 - prime1};
        for (; left >= 32; left -= 32, p += 32)
            for (int i = 0; i < 4; i++)
                acc[i] = lane64(acc[i], lake_get_le64(p + 8 * i));
        h = rotl64(acc[0], 1) + rotl64(acc[1], 7) + rotl64(acc[2], 12) + rotl64(acc[3], 18);
        for (int i = 0; i < 4; i++)
            h = (h ^ lane64(0, acc[i])) * prime1 + prime4;
    }
    h += len;
    for (; left >= 8; left -= 8, p += 8)
        h = rotl64(h ^ lane64(0, lake_get_le64(p)), 27) * prime1 + prime4;
    for (; left >= 4; left -= 4, p += 4)
        h = rotl64(h ^ lake_get_le32(p) * prime1, 23) * prime2 + prime3;
    for (; left; left--, p++)
        h = rotl64(h ^ *p * prime5, 11) * prime1;
    h = (h ^ h >> 33) * prime2;
    h = (h ^ h >> 29) * prime3;
    return h ^ h >> 32;
}
