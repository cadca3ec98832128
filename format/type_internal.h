/* Shared by the files of format/ that read types and schemas. */
#ifndef LAKE_FORMAT_TYPE_INTERNAL_H
#define LAKE_FORMAT_TYPE_INTERNAL_H

#include "format/type.h"

/* Sets the parent of a field and what follows from it; the parent's own must be set before. */
void lake_field_derive(lake_field *f, const lake_field *parent);

/* One code point in lower case: ASCII, Latin-1, Latin Extended-A, Greek, Cyrillic, Armenian; no locale. */
uint32_t lake_fold(uint32_t cp);

#endif
