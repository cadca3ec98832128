/* An image of a manifest: what its entries say after inheritance, column by column, as the manifest cache keeps it
   (cache.h). An image is read where it lies: every array is looked over once when it is opened, then an entry is a few
   loads. It says exactly what lake_manifest_next and lake_manifest_materialise say of the same manifest. */
#ifndef LAKE_MANIFEST_IMAGE_H
#define LAKE_MANIFEST_IMAGE_H

#include "manifest/manifest.h"

/* Entries that were read with all columns and the rest, in their order. LIMIT: too much for an image. */
LAKE_CHECK_RESULT lake_status lake_image_write(const lake_entry *entries, size_t n, lake_buffer *out, lake_error *err);

typedef struct lake_image lake_image;

/* Where the sections of columns begin and end, together, in an image of which only the head is there (`have` bytes of
   it). Returns how many bytes of the head are wanted: more than `have`, and nothing else is known yet. 0: no image.
   Nothing is verified: that is lake_image_open's. */
size_t lake_image_span(
    const uint8_t *head, size_t have, const int32_t *ids, size_t nids, uint64_t *begin, uint64_t *end);

/* What of an image is opened: only columns that are named; entries, too; every column, too, for materialising. */
typedef enum lake_image_parts { LAKE_IMAGE_COLUMNS, LAKE_IMAGE_ENTRIES, LAKE_IMAGE_EVERYTHING } lake_image_parts;
/* Opens an image at an address that is a multiple of 8; it must outlive what comes out of it. NULL: out of memory, or
   the bytes are no image; the checksums of all that is opened are good. */
lake_image *lake_image_open(
    lake_arena *arena, lake_bytes bytes, const int32_t *ids, size_t nids, lake_image_parts parts);
size_t lake_image_count(const lake_image *image);
/* An entry as lake_manifest_next gives it: with the columns that were named, in that order. Valid until the next call.
 */
const lake_entry *lake_image_entry(lake_image *image, size_t i);
/* A named column whose bounds are all there and 8 bytes long, without nulls, with values: its bounds lie side by side,
   as many as entries. False: it is not that simple. */
bool lake_image_longs(const lake_image *image, size_t column, const uint8_t **lower, const uint8_t **upper);
/* A named column of an entry. */
void lake_image_metrics(const lake_image *image, size_t column, size_t i, lake_column_metrics *out);
/* Of an entry that is passed over. */
uint8_t lake_image_status(const lake_image *image, size_t i);
int64_t lake_image_file_size(const lake_image *image, size_t i);
/* As lake_manifest_materialise: every column, or the first want->ncolumn_ids of those that were named. Not deep: texts
   and bytes stay where the image has them. */
LAKE_CHECK_RESULT lake_status lake_image_materialise(lake_image *image, size_t i, const lake_manifest_want *want,
    bool deep, lake_arena *arena, lake_entry *out, lake_error *err);

#endif
