/* Data files in, manifest entries and manifests out: what lake_manifest_write and lake_table_append share. Statistics
   are computed from the files; nothing is committed here. */
#ifndef LAKE_WRITER_MANIFEST_FILES_H
#define LAKE_WRITER_MANIFEST_FILES_H

#include "format/metadata.h"
#include "lake/write.h"
#include "manifest/manifest.h"
#include "reader/table.h"
#include "writer/ndv.h"

/* New files with their statistics, ready to be written into manifests. Everything lives in the arena that they were
 * built in. */
typedef struct lake_manifest_files {
    int32_t format_version;
    uint8_t content; /* of the manifest: 0 data, 1 deletes */
    const lake_schema *schema;
    const lake_spec *spec;
    lake_codec codec;
    int level;
    lake_entry *entries; /* all ADDED, without snapshot id and sequence numbers, in the order of the paths given */
    size_t nentries;
    int64_t records, bytes; /* sums over the entries */
    lake_ndv_sketch *sketches; /* of the distinct values of columns, where the options ask for them */
    size_t nsketches;
} lake_manifest_files;

/* Reads the files that `options` names (in parallel, with the session's progress) and computes their entries:
   statistics, metrics by mode, partition values, recorded paths. `metadata` is the table's (options->table is not
   looked at), or NULL: then options say schema, spec and format version. MALFORMED and USAGE errors name the file, the
   column and the values at fault. */
LAKE_CHECK_RESULT lake_status lake_manifest_files_build(lake_session *session, const lake_manifest_options *options,
    const lake_metadata *metadata, lake_arena *arena, lake_manifest_files *out, lake_error *err);

/* Writes the entries into one manifest at `location`, or into several of about target_size bytes ("-0001" etc. before
   the extension; 0: one). Files are created, never replaced; those made are removed again when a later one fails.
   Entries carry the snapshot id only in v1. Lines have path, length, counts, summaries and added_snapshot_id (if
   has_snapshot_id); sequence numbers are -1 (to be set by lake_manifest_list_write). */
LAKE_CHECK_RESULT lake_status lake_manifest_files_write(lake_session *session, const lake_manifest_files *files,
    bool has_snapshot_id, int64_t snapshot_id, const char *location, int64_t target_size, lake_arena *arena,
    lake_manifest_file **lines, size_t *nlines, lake_error *err);

/* Writes them where the options say (output, target_size), with a statistics file if there are sketches, and gives the
   sink a JSON line of each. Nothing stays on failure. */
LAKE_CHECK_RESULT lake_status lake_manifest_files_publish(lake_session *session, const lake_manifest_options *options,
    const lake_manifest_files *files, lake_arena *arena, const lake_sink *sink, lake_error *err);

/* How a location given by a user is recorded in metadata: a path is made absolute (`.` and `..` resolved), and what
   lies under a
   --map's TO is recorded under its FROM. URIs stay as they are. */
LAKE_CHECK_RESULT lake_status lake_location_recorded(
    const lake_store *store, lake_arena *arena, const char *given, lake_str *out, lake_error *err);

/* The path of a location in the local file system, else the location: what `file:` forms have in common. A view. */
lake_str lake_location_path(lake_str location);

/* The JSON object that write commands print for a manifest: the spec's names, bounds in hex. */
void lake_manifest_file_print(lake_buffer *out, const lake_manifest_file *line);

/* The line of a manifest that exists, from all its entries (exact counts, summaries, smallest sequence number); path
   and length are set, the sequence number is -1 (0 for format version 1), the snapshot id is open. `metadata` gives the
   spec that the manifest's header names; a spec that the table does not have is MALFORMED. */
LAKE_CHECK_RESULT lake_status lake_manifest_line_read(const lake_store *store, lake_arena *arena,
    const lake_metadata *metadata, lake_str location, lake_manifest_file *out, lake_error *err);
/* Counts that a v1 list left out, from the manifest itself: v2 and later require them. Other members stay. */
LAKE_CHECK_RESULT lake_status lake_manifest_line_complete(const lake_store *store, lake_arena *arena,
    const lake_metadata *metadata, lake_manifest_file *line, lake_error *err);

/* A random positive snapshot id. */
LAKE_CHECK_RESULT lake_status lake_snapshot_id_draw(int64_t *out, lake_error *err);

#endif
