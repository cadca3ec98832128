/* Hashes: Murmur3 (Iceberg's bucket, sketches), CRC-32 (Avro's snappy blocks, gzip). */
#ifndef LAKE_BASE_HASH_H
#define LAKE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* MurmurHash3 x86 32-bit with seed 0, as Appendix B of the Iceberg spec asks. */
uint32_t lake_murmur3(const void *data, size_t len);
/* MurmurHash3 x64 128-bit, as sketches of Apache DataSketches ask. */
void lake_murmur3_128(const void *data, size_t len, uint64_t seed, uint64_t out[2]);
/* XXH64 with seed 0, as Parquet's Bloom filters ask. */
uint64_t lake_xxh64(const void *data, size_t len);
/* FNV-1a 64, for the project's own hash tables. */
uint64_t lake_fnv1a(const void *data, size_t len);

#endif
