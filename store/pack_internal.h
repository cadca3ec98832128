/* The layout of a pack. Numbers are little-endian; everything begins at multiples of 8:

     head      magic (8), records (8), size of the file (8), begin and length of the index (16), its checksum (8), zero
   (8), checksum of the head so far (8) values    in the order in which they were written rows      for each id:
   LAKE_PACK_ROW bytes of each record, in the order of the index index     records, sorted by hash: hash (8), begin and
   length of the value (16), begin and length of the key (4, 4), checksum of the value (8); then the number of ids (8)
   and for each, sorted: id (8), begin of its rows (8), their checksum (8); then the keys

   Checksums are XXH64. */
#ifndef LAKE_STORE_PACK_INTERNAL_H
#define LAKE_STORE_PACK_INTERNAL_H

#include "store/pack.h"

#define PACK_MAGIC "LAKEpk1\n"
enum { PACK_HEAD = 64, PACK_RECORD = 40, PACK_ID = 24, PACK_MOST = 1 << 22 };

lake_pack *lake_pack_map(int fd); /* takes the descriptor over */
bool lake_pack_rows_good(lake_pack *pack); /* of every id */

#endif
