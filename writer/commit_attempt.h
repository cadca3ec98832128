/* Private to writer/commit.c and writer/commit_attempt.c: a commit, and one attempt at it. */
#ifndef LAKE_WRITER_COMMIT_ATTEMPT_H
#define LAKE_WRITER_COMMIT_ATTEMPT_H

#include "writer/commit_internal.h"
#include "writer/rewrite.h"

typedef struct lake_commit {
    lake_table *table;
    const lake_commit_source *source;
    const lake_commit_options *options;
    lake_arena arena; /* of the whole commit: manifests' lines and the summary */
    lake_str branch;
    lake_str directory;
    lake_table_pointer directory_at; /* where directory and version of a table opened by its file are kept */
    lake_store_lock turn; /* held from the second attempt on */
    char uuid[37];
    int64_t id;
    int attempt;
    bool refused; /* by the source's own checks: not to be tried again */
    bool made; /* the source has made its manifests, for: */
    int32_t made_version;
    lake_manifest_file *lines;
    size_t nlines;
    lake_changes changes; /* what is added */
    lake_rewriter rewriter;
} lake_commit;

/* What one attempt makes; in an arena of its own. */
typedef struct lake_attempt {
    lake_arena arena;
    lake_new_snapshot snapshot;
    lake_changes changes;
    bool nothing; /* there was nothing to do */
    lake_json *summary;
    lake_str statistics; /* the file that was written for the snapshot; ptr NULL: none */
    lake_json *document;
    lake_table_pointer at; /* of the new metadata */
    lake_buffer bytes; /* the document as it is written */
    const lake_metadata *after; /* of an edit: the document as readers will see it; else NULL */
    lake_str said; /* of an edit: what its report has first */
    lake_buffer report; /* room is made before the swap, so that nothing can fail behind it */
} lake_attempt;

/* Builds the snapshot on the table's state as it is now, and swaps it in. CONFLICT: another commit came first. *keep:
   nobody knows whether it landed, so nothing may be removed. A dry run stops before the swap. */
LAKE_CHECK_RESULT lake_status lake_attempt_run(lake_commit *c, lake_attempt *a, bool *keep, lake_error *err);

/* How metadata-log names the base's file: below the recorded location. */
LAKE_CHECK_RESULT lake_status lake_attempt_base(
    const lake_commit *c, lake_arena *arena, lake_str *out, lake_error *err);
/* Of a commit without a snapshot (commit_edit.c): its document, checked; and whether it is one of the table's versions
   after a swap of which nobody knows how it ended. */
LAKE_CHECK_RESULT lake_status lake_attempt_edit(lake_commit *c, lake_attempt *a, lake_error *err);
LAKE_CHECK_RESULT lake_status lake_attempt_edit_landed(
    const lake_commit *c, lake_attempt *a, bool *landed, lake_error *err);

#endif
