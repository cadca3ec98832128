/* Names of folders as Hive writes them: NAME=VALUE with percent escapes. Nothing in Iceberg says so: its own paths mean
   nothing, but many files come from such folders. */
#ifndef LAKE_FORMAT_HIVE_H
#define LAKE_FORMAT_HIVE_H

#include "base/base.h"

/* How null is written. */
#define LAKE_HIVE_NULL "__HIVE_DEFAULT_PARTITION__"

/* A name or a value with its percent escapes decoded, NUL-ended in the arena; a percent sign without two hex digits
   behind it stays. */
LAKE_CHECK_RESULT lake_status lake_hive_decode(lake_arena *arena, lake_str text, lake_str *out, lake_error *err);

#endif
