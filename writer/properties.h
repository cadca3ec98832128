/* Private to writer/: properties and versions of tables. */
#ifndef LAKE_WRITER_PROPERTIES_H
#define LAKE_WRITER_PROPERTIES_H

#include "format/metadata.h"

/* Splits "K=V"; both are in the arena. USAGE: no such pair, or a name that is reserved. */
LAKE_CHECK_RESULT lake_status lake_property_split(
    lake_arena *arena, const char *pair, lake_str *key, lake_str *value, lake_error *err);
/* The version that a property format-version asks for. */
LAKE_CHECK_RESULT lake_status lake_property_version(lake_str value, int32_t *version, lake_error *err);

/* Makes the document one of a higher format version (spec.md, Appendix E); the same version changes nothing, a lower
   one is refused. */
LAKE_CHECK_RESULT lake_status lake_document_upgrade(
    lake_arena *arena, lake_json *doc, const lake_metadata *base, int32_t version, lake_error *err);

#endif
