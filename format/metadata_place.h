/* Reading members of the metadata document, with errors that name the file and the path of the field
   ("v3.metadata.json: snapshots[3].snapshot-id: …"). Private to format/metadata*.c. */
#ifndef LAKE_FORMAT_METADATA_PLACE_H
#define LAKE_FORMAT_METADATA_PLACE_H

#include "format/metadata.h"

/* Where a value is: a member of an object or an element of an array, below `up`. */
typedef struct lake_place {
    const struct lake_place *up;
    const char *key; /* NULL: an element; name_key for keys of the document's own */
    lake_str own_key;
    size_t index;
} lake_place;

typedef struct lake_metadata_reading {
    lake_arena *arena;
    const char *name; /* of the file */
    const lake_json *json;
    lake_metadata *m;
    lake_error *err;
} lake_metadata_reading;

/* Most elements of any list of the document. */
enum { LAKE_METADATA_MAX_LIST = 4 << 20 };

#define LAKE_AT(up_, key_) (&(lake_place){.up = (up_), .key = (key_)})
#define LAKE_AT_INDEX(up_, i_) (&(lake_place){.up = (up_), .index = (i_)})
#define LAKE_AT_OWN(up_, s_) (&(lake_place){.up = (up_), .own_key = (s_)})

/* "NAME: PATH: message"; MALFORMED. `at` NULL: the document itself. */
lake_status lake_place_fail(const lake_metadata_reading *r, const lake_place *at, const char *fmt, ...)
    LAKE_PRINTF(3, 4);
/* Puts name and path before the message of a call that failed. */
lake_status lake_place_wrap(const lake_metadata_reading *r, lake_status status, const lake_place *at);

/* Members of `object`, which is at `at` (NULL: the document). null counts as absent; without `found` absence is an
 *error, else found says whether it is there and *out is left alone if not. */
LAKE_CHECK_RESULT lake_status lake_take_i64(const lake_metadata_reading *r, const lake_json *object,
    const lake_place *at, const char *key, bool *found, int64_t *out);
LAKE_CHECK_RESULT lake_status lake_take_i32(const lake_metadata_reading *r, const lake_json *object,
    const lake_place *at, const char *key, bool *found, int32_t *out);
LAKE_CHECK_RESULT lake_status lake_take_str(const lake_metadata_reading *r, const lake_json *object,
    const lake_place *at, const char *key, bool *found, lake_str *out);
/* *out NULL: absent. */
LAKE_CHECK_RESULT lake_status lake_take_list(const lake_metadata_reading *r, const lake_json *object,
    const lake_place *at, const char *key, const lake_json **out);
LAKE_CHECK_RESULT lake_status lake_take_object(const lake_metadata_reading *r, const lake_json *object,
    const lake_place *at, const char *key, const lake_json **out);
LAKE_CHECK_RESULT lake_status lake_take_string_map(const lake_metadata_reading *r, const lake_json *object,
    const lake_place *at, const char *key, const lake_json **out);

/* Snapshots, refs and logs (metadata_snapshots.c). */
LAKE_CHECK_RESULT lake_status lake_metadata_read_snapshots(const lake_metadata_reading *r);
LAKE_CHECK_RESULT lake_status lake_metadata_read_refs(const lake_metadata_reading *r);
LAKE_CHECK_RESULT lake_status lake_metadata_read_logs(const lake_metadata_reading *r);

#endif
