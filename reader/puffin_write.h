/* Writing Puffin files (puffin-spec.md): blobs one after the other, then the footer. In memory. */
#ifndef LAKE_READER_PUFFIN_WRITE_H
#define LAKE_READER_PUFFIN_WRITE_H

#include "wire/json.h"

typedef struct lake_puffin_writer {
    lake_arena arena; /* of the footer's JSON */
    lake_buffer out; /* the file */
    lake_json *footer, *blobs;
} lake_puffin_writer;

typedef struct lake_puffin_blob {
    const char *type;
    const int32_t *fields;
    size_t nfields;
    int64_t snapshot_id, sequence_number; /* -1: not known (deletion vectors) */
    const char *const (*properties)[2]; /* names and values */
    size_t nproperties;
} lake_puffin_blob;

LAKE_CHECK_RESULT lake_status lake_puffin_writer_init(lake_puffin_writer *w, lake_error *err);
void lake_puffin_writer_clear(lake_puffin_writer *w);
/* Appends a blob as it is (uncompressed). *offset: where it lies. */
LAKE_CHECK_RESULT lake_status lake_puffin_writer_add(
    lake_puffin_writer *w, const lake_puffin_blob *blob, lake_bytes data, int64_t *offset, lake_error *err);
/* Appends the footer: w->out is the file then. *footer_size (may be NULL): with magics, sizes and flags. */
LAKE_CHECK_RESULT lake_status lake_puffin_writer_finish(lake_puffin_writer *w, int64_t *footer_size, lake_error *err);

#endif
