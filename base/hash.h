/* Hashes: Murmur3 (Iceberg's bucket), CRC-32 (Avro's snappy blocks, gzip). */
#ifndef LAKE_BASE_HASH_H
#define LAKE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* MurmurHash3 x86 32-bit with seed 0, as Appendix B of the Iceberg spec asks. */
uint32_t lake_murmur3(const void *data, size_t len);
/* XXH64 with seed 0, as Parquet's Bloom filters ask. */
uint64_t lake_xxh64(const void *data, size_t len);
/* FNV-1a 64, for the project's own hash tables. */
uint64_t lake_fnv1a(const void *data, size_t len);

#endif
