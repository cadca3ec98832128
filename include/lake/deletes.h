/* Deletion vectors: which rows of data files are deleted, as bitmaps in Puffin files (format version 3). */
#ifndef LAKE_DELETES_H
#define LAKE_DELETES_H

#include "lake/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lake_deletion_vector {
    const char *data_file; /* its location as the table's metadata record it */
    const int64_t *positions; /* rows, counted from 0; in any order, and one given twice counts once */
    size_t npositions; /* above 0 */
} lake_deletion_vector;

/* Writes a Puffin file with one deletion vector for each data file; the file must not exist. The sink (may be NULL)
   gets a JSON object of each vector on a line of its own: puffin-file, referenced-data-file, content-offset,
   content-size-in-bytes, cardinality. lake_manifest_write with content 1 makes manifest entries of them. USAGE: no
   vectors, a vector without positions, a negative position, two vectors for one data file. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_deletion_vectors_write(lake_session *session, const char *output,
    const lake_deletion_vector *vectors, size_t nvectors, const lake_sink *sink, lake_error *err);

/* Gets positions in rising order, some at a time; another status than OK ends the reading with it. */
typedef lake_status (*lake_positions)(void *user, const uint64_t *positions, size_t n, lake_error *err);
/* Reads a vector where a manifest entry says that it lies (content_offset, content_size_in_bytes). Every byte is
   checked before the first position goes out. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_deletion_vector_positions(lake_session *session, const char *puffin,
    int64_t offset, int64_t size, lake_positions take, void *user, lake_error *err);

#ifdef __cplusplus
}
#endif
#endif
