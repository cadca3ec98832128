/* Private to writer/: data files that a commit adds. */
#ifndef LAKE_WRITER_APPEND_H
#define LAKE_WRITER_APPEND_H

#include "writer/commit_internal.h"
#include "writer/ndv.h"

typedef struct lake_appending {
    lake_session *session;
    const lake_manifest_options *options;
    lake_path_list made;
    lake_arena names; /* of `made` */
    bool has_sequence_number; /* else inherited */
    int64_t sequence_number;
    const lake_ndv_sketch *sketches; /* of the new files, in the arena of the commit */
    size_t nsketches;
} lake_appending;

LAKE_CHECK_RESULT lake_status lake_appending_init(
    lake_appending *a, lake_session *session, const lake_manifest_options *options, lake_error *err);
void lake_appending_clear(lake_appending *a);
/* `make` and `forget` of a lake_commit_source. */
lake_status lake_appending_make(void *appending, const lake_metadata *m, int64_t snapshot_id, bool dry_run,
    lake_arena *arena, lake_manifest_file **lines, size_t *n, lake_changes *changes, lake_error *err);
void lake_appending_forget(void *appending);

#endif
