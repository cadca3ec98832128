/* Fields of manifest entries, data files (spec.md, "Manifests") and manifest lists ("Manifest Lists") by id. `required`
   means that nothing sensible can be done without it, not that the spec asks for it: v1 tables and other writers leave
   much out. */
#include "manifest/slots.h"

#define AT(type, member) offsetof(type, member)
#define ENTRY(id, name, kind, group, required, member, has)                                                            \
    { id, name, NULL, LAKE_SLOT_##kind, LAKE_GROUP_##group, required, AT(lake_entry, member), has, NULL, 0 }
#define LINE(id, name, alias, kind, required, member, has)                                                             \
    { id, name, alias, LAKE_SLOT_##kind, LAKE_GROUP_ALWAYS, required, AT(lake_manifest_file, member), has, NULL, 0 }
#define PAIR(map, key_id, value_id, value_kind, member)                                                                \
    static const lake_slot map[] = {                                                                                   \
        {key_id, "key", NULL, LAKE_SLOT_LONG, LAKE_GROUP_ALWAYS, true, AT(lake_pair, key), LAKE_PAIR_KEY, NULL, 0},    \
        {value_id, "value", NULL, value_kind, LAKE_GROUP_ALWAYS, false, AT(lake_pair, member), LAKE_PAIR_VALUE, NULL,  \
            0},                                                                                                        \
    }
#define COUNTS(id, name, which, pair)                                                                                  \
    { id, name, NULL, LAKE_SLOT_COUNTS, LAKE_GROUP_METRICS, false, 0, which, pair, 2 }
#define BOUNDS(id, name, member, pair)                                                                                 \
    { id, name, NULL, LAKE_SLOT_BOUNDS, LAKE_GROUP_METRICS, false, AT(lake_column_metrics, member), 0, pair, 2 }

PAIR(column_sizes, 117, 118, LAKE_SLOT_LONG, count);
PAIR(value_counts, 119, 120, LAKE_SLOT_LONG, count);
PAIR(null_value_counts, 121, 122, LAKE_SLOT_LONG, count);
PAIR(nan_value_counts, 138, 139, LAKE_SLOT_LONG, count);
PAIR(lower_bounds, 126, 127, LAKE_SLOT_VIEW, bound);
PAIR(upper_bounds, 129, 130, LAKE_SLOT_VIEW, bound);

static const lake_slot a_long = {133, "element", NULL, LAKE_SLOT_LONG, LAKE_GROUP_ALWAYS, false, 0, 0, NULL, 0};
static const lake_slot an_int = {136, "element", NULL, LAKE_SLOT_INT, LAKE_GROUP_ALWAYS, false, 0, 0, NULL, 0};

static const lake_slot data_file[] = {
    ENTRY(134, "content", SMALL, ALWAYS, false, content, 0),
    ENTRY(100, "file_path", VIEW, ALWAYS, true, file_path, 0),
    ENTRY(101, "file_format", VIEW, ALWAYS, true, file_format, 0),
    {102, "partition", NULL, LAKE_SLOT_PARTITION, LAKE_GROUP_ALWAYS, false, 0, 0, NULL, 0},
    ENTRY(103, "record_count", LONG, ALWAYS, false, record_count, 0),
    ENTRY(104, "file_size_in_bytes", LONG, ALWAYS, false, file_size, 0),
    COUNTS(108, "column_sizes", LAKE_METRIC_SIZE, column_sizes),
    COUNTS(109, "value_counts", LAKE_METRIC_VALUES, value_counts),
    COUNTS(110, "null_value_counts", LAKE_METRIC_NULLS, null_value_counts),
    COUNTS(137, "nan_value_counts", LAKE_METRIC_NANS, nan_value_counts),
    BOUNDS(125, "lower_bounds", lower, lower_bounds),
    BOUNDS(128, "upper_bounds", upper, upper_bounds),
    ENTRY(131, "key_metadata", VIEW, REST, false, key_metadata, 0),
    {132, "split_offsets", NULL, LAKE_SLOT_LONGS, LAKE_GROUP_REST, false, 0, 0, &a_long, 1},
    {135, "equality_ids", NULL, LAKE_SLOT_INTS, LAKE_GROUP_REST, false, 0, 0, &an_int, 1},
    ENTRY(140, "sort_order_id", INT, REST, false, sort_order_id, LAKE_HAS_SORT_ORDER_ID),
    ENTRY(142, "first_row_id", LONG, ROW_ID, false, first_row_id, LAKE_HAS_FIRST_ROW_ID),
    ENTRY(143, "referenced_data_file", VIEW, REST, false, referenced_data_file, 0),
    ENTRY(144, "content_offset", LONG, REST, false, content_offset, LAKE_HAS_CONTENT_OFFSET),
    ENTRY(145, "content_size_in_bytes", LONG, REST, false, content_size, LAKE_HAS_CONTENT_SIZE),
};

const lake_slot lake_entry_slots[] = {
    ENTRY(0, "status", SMALL, ALWAYS, true, status, 0),
    ENTRY(1, "snapshot_id", LONG, ALWAYS, false, snapshot_id, LAKE_HAS_SNAPSHOT_ID),
    ENTRY(3, "sequence_number", LONG, ALWAYS, false, sequence_number, LAKE_HAS_SEQUENCE_NUMBER),
    ENTRY(4, "file_sequence_number", LONG, ALWAYS, false, file_sequence_number, LAKE_HAS_FILE_SEQUENCE_NUMBER),
    {2, "data_file", NULL, LAKE_SLOT_RECORD, LAKE_GROUP_ALWAYS, true, 0, 0, data_file,
        sizeof data_file / sizeof *data_file},
};
const size_t lake_entry_nslots = sizeof lake_entry_slots / sizeof *lake_entry_slots;

static const lake_slot summary[] = {
    {509, "contains_null", NULL, LAKE_SLOT_FLAG, LAKE_GROUP_ALWAYS, false, AT(lake_field_summary, contains_null), 0,
        NULL, 0},
    {518, "contains_nan", NULL, LAKE_SLOT_FLAG, LAKE_GROUP_ALWAYS, false, AT(lake_field_summary, contains_nan), 0, NULL,
        0},
    {510, "lower_bound", NULL, LAKE_SLOT_VIEW, LAKE_GROUP_ALWAYS, false, AT(lake_field_summary, lower), 0, NULL, 0},
    {511, "upper_bound", NULL, LAKE_SLOT_VIEW, LAKE_GROUP_ALWAYS, false, AT(lake_field_summary, upper), 0, NULL, 0},
};
static const lake_slot a_summary = {
    508, "element", NULL, LAKE_SLOT_RECORD, LAKE_GROUP_ALWAYS, false, 0, 0, summary, sizeof summary / sizeof *summary};

const lake_slot lake_line_slots[] = {
    LINE(500, "manifest_path", NULL, VIEW, true, path, 0),
    LINE(501, "manifest_length", NULL, LONG, false, length, 0),
    LINE(502, "partition_spec_id", NULL, INT, true, spec_id, 0),
    LINE(517, "content", NULL, SMALL, false, content, 0),
    LINE(515, "sequence_number", NULL, LONG, false, sequence_number, LAKE_HAS_SEQUENCE_NUMBER),
    LINE(516, "min_sequence_number", NULL, LONG, false, min_sequence_number, 0),
    LINE(503, "added_snapshot_id", NULL, LONG, false, added_snapshot_id, LAKE_HAS_SNAPSHOT_ID),
    LINE(504, "added_files_count", "added_data_files_count", LONG, false, added_files, LAKE_HAS_ADDED_FILES),
    LINE(
        505, "existing_files_count", "existing_data_files_count", LONG, false, existing_files, LAKE_HAS_EXISTING_FILES),
    LINE(506, "deleted_files_count", "deleted_data_files_count", LONG, false, deleted_files, LAKE_HAS_DELETED_FILES),
    LINE(512, "added_rows_count", NULL, LONG, false, added_rows, LAKE_HAS_ADDED_ROWS),
    LINE(513, "existing_rows_count", NULL, LONG, false, existing_rows, LAKE_HAS_EXISTING_ROWS),
    LINE(514, "deleted_rows_count", NULL, LONG, false, deleted_rows, LAKE_HAS_DELETED_ROWS),
    {507, "partitions", NULL, LAKE_SLOT_SUMMARIES, LAKE_GROUP_ALWAYS, false, 0, LAKE_HAS_PARTITIONS, &a_summary, 1},
    LINE(519, "key_metadata", NULL, VIEW, false, key_metadata, 0),
    LINE(520, "first_row_id", NULL, LONG, false, first_row_id, LAKE_HAS_FIRST_ROW_ID),
};
const size_t lake_line_nslots = sizeof lake_line_slots / sizeof *lake_line_slots;

static const char *name_in(const lake_slot *slots, size_t n, int32_t id) {
    for (size_t i = 0; i < n; i++)
        if (slots[i].id == id)
            return slots[i].name;
    return NULL;
}

const char *lake_slot_name(int32_t id) {
    const char *name = name_in(lake_entry_slots, lake_entry_nslots, id);
    if (!name)
        name = name_in(data_file, sizeof data_file / sizeof *data_file, id);
    if (!name)
        name = name_in(lake_line_slots, lake_line_nslots, id);
    return name ? name : name_in(summary, sizeof summary / sizeof *summary, id);
}
