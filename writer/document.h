/* Private to writer/: changing a table's metadata document. A document is a copy of the base's that shares what is
   below; a member is copied before it is changed, so that the base stays as it is and nothing unknown is lost.
   Functions return false or NULL when memory runs out. */
#ifndef LAKE_WRITER_DOCUMENT_H
#define LAKE_WRITER_DOCUMENT_H

#include "format/metadata.h"

/* A list or object member, copied so that it can be changed; a new one if it is absent or null. */
lake_json *lake_document_own(lake_arena *arena, lake_json *o, const char *key, lake_json_kind kind);
bool lake_document_set_i64(lake_arena *arena, lake_json *o, const char *key, int64_t n);
bool lake_document_set_str(lake_arena *arena, lake_json *o, const char *key, lake_str s);

/* The list of schemas, to be changed; of a v1 document that has only `schema`, one with that. */
lake_json *lake_document_own_schemas(lake_arena *arena, lake_json *doc, const lake_metadata *base);
/* The refs, to be changed. Metadata without refs have a main by their current snapshot; once they have refs, main must
   be one of them. */
lake_json *lake_document_refs(lake_arena *arena, lake_json *doc, const lake_metadata *base);
/* What one ref points to; its other members stay. */
bool lake_document_set_ref(lake_arena *arena, lake_json *ref, int64_t snapshot_id, bool tag);
/* The snapshot is current from now on. */
bool lake_document_log_snapshot(lake_arena *arena, lake_json *doc, int64_t timestamp_ms, int64_t id);
/* The same, and current-snapshot-id. main is another matter. */
bool lake_document_set_current(lake_arena *arena, lake_json *doc, int64_t timestamp_ms, int64_t id);
/* The file that this document follows, `base_location` as recorded; the oldest entries go when there are more than the
   properties of `after` (the metadata as they will be) want. */
bool lake_document_log_metadata(
    lake_arena *arena, lake_json *doc, const lake_metadata *base, const lake_metadata *after, lake_str base_location);

#endif
