/* Murmur3 32-bit: https://github.com/aappleby/smhasher, written from its published description. */
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

uint64_t lake_fnv1a(const void *data, size_t len) {
    const uint8_t *p = data;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}
