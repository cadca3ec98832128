/* Private to reader/inspect*.c: the state of a view that `inspect` prints, and how cells are made. */
#ifndef LAKE_READER_INSPECT_INTERNAL_H
#define LAKE_READER_INSPECT_INTERNAL_H

#include "reader/table.h"

typedef struct lake_view {
    const lake_table *table;
    const lake_snapshot *snapshot; /* the one chosen; NULL: none */
    const lake_schema *schema;
    lake_arena arena;
    lake_manifest_file *manifests;
    size_t nmanifests;
    size_t at, inner; /* counters of the rows given out */
    bool prepared;
    bool human; /* partition values as paths have them: "2025-03" for a month */
    const bool *ancestors; /* history: for each snapshot of the metadata, is it on the current one's line? */
    lake_manifest_reader *reader; /* files, entries, partitions: the manifest that is open, number at - 1 */
    lake_codec_scratch *codec;
    void *groups; /* partitions */
    size_t ngroups;
    lake_buffer text; /* of the cell that is being built */
} lake_view;

/* A finished cell; ptr NULL: out of memory. */
lake_str lake_cell_i64(lake_arena *scratch, int64_t v);
lake_str lake_cell_bool(bool v);
lake_str lake_cell_string(lake_view *view, lake_arena *scratch, lake_str s); /* ptr NULL: null */
lake_str lake_cell_json(lake_view *view, lake_arena *scratch, const lake_json *json); /* NULL: null */
lake_str lake_cell_time(lake_view *view, lake_arena *scratch, int64_t ms);
lake_str lake_cell_text(lake_view *view, lake_arena *scratch); /* what is in view->text, which is then empty */

/* A bound as JSON: its value, or {"hex": …, "note": …} if it is none of the type. ptr NULL: null. */
void lake_cell_bound(lake_buffer *out, const lake_type *type, lake_bytes bound);
/* A partition value as a JSON string of its human form, for a view that is human. */
void lake_cell_human(lake_buffer *out, const lake_partition_field *field, const lake_type *source, lake_key key);
/* A partition tuple as an object by the names of the spec's fields. */
void lake_cell_partition(lake_view *view, lake_buffer *out, const lake_spec *spec, const lake_datum *values, size_t n);
/* The type of a partition field's values; false: its source column is in no schema. */
bool lake_partition_type(
    const lake_metadata *m, const lake_partition_field *field, lake_type *source, lake_type *result);

/* The next entry of the snapshot's manifests; *out NULL at the end. *line is its manifest. */
LAKE_CHECK_RESULT lake_status lake_view_next_entry(lake_view *view, const lake_manifest_want *want,
    const lake_manifest_file **line, const lake_entry **out, lake_error *err);
const lake_spec *lake_view_spec(const lake_view *view, const lake_manifest_file *line);

/* Fills of the views over entries. */
lake_status lake_fill_files(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err);
lake_status lake_fill_entries(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err);
lake_status lake_fill_partitions(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err);
extern const char *const lake_files_columns[];
extern const size_t lake_files_width;

#endif
