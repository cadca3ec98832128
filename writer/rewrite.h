/* Manifests of the parent snapshot, written again where a commit takes files away or changes what is recorded of them
   (spec.md, "Manifest Entry Fields", "Sequence Number Inheritance", "First Row ID Inheritance"). What was written in
   one attempt serves the next one, if the manifest is still there. */
#ifndef LAKE_WRITER_REWRITE_H
#define LAKE_WRITER_REWRITE_H

#include "writer/commit_internal.h"

/* A manifest that was written again. */
typedef struct lake_rewritten {
    lake_arena arena; /* of all that is here */
    lake_str from; /* the path of the old one */
    lake_manifest_file line; /* of the new one */
    lake_entry *gone; /* what was taken away: enough of it to be counted */
    size_t ngone;
    int64_t live; /* entries that the old one kept alive */
    bool created; /* the file of `line` is there */
    bool in_use; /* by the attempt at hand */
} lake_rewritten;

typedef struct lake_rewriter {
    lake_rewritten **items; /* each from the heap */
    size_t n, room;
    size_t number; /* of files made, for names */
} lake_rewriter;

/* Asks `source` of the base's entries, writes manifests again where it must, and puts the lines of the new snapshot's
   old part into *lines: those that stay as they are (without such that hold no live file), and the new ones. Counts
   what is taken away. `id` is the new snapshot's; names of files begin with `uuid`. Without `write` nothing is created.
 */
LAKE_CHECK_RESULT lake_status lake_rewriter_run(lake_rewriter *r, const lake_commit_source *source,
    const lake_base *base, int64_t id, const char *uuid, bool write, lake_manifest_file **lines, size_t *n,
    lake_changes *changes, lake_error *err);

/* Removes the files that the last attempt did not use, or all of them. */
void lake_rewriter_remove(lake_rewriter *r, const lake_store *store, bool all);
void lake_rewriter_clear(lake_rewriter *r); /* frees memory, removes nothing */

/* The schema in whose types a spec's partition values can be written: the current one, unless a source column has been
   dropped since; then the newest that has them all. */
const lake_schema *lake_metadata_schema_for(const lake_metadata *m, const lake_spec *spec);

#endif
