/* What the pass over manifests keeps: audit_manifests.c and audit_structure.c. */
#ifndef LAKE_WRITER_AUDIT_STRUCTURE_H
#define LAKE_WRITER_AUDIT_STRUCTURE_H

#include "writer/audit_internal.h"

typedef struct audit_totals {
    int64_t data_files, delete_files, records, position_deletes, equality_deletes, bytes;
    int64_t added_files, added_records, deleted_files, deleted_records; /* by this snapshot */
    bool unknown_rows;
} audit_totals;

/* A delete file of one data file. */
typedef struct audit_reference {
    lake_str path; /* of the data file */
    lake_str file;
    uint64_t line, entry;
    int64_t rows;
    bool vector;
    struct audit_reference *next;
} audit_reference;

/* Row ids [first, first + rows) of a data file. */
typedef struct audit_range {
    int64_t first, rows;
    uint32_t line, entry;
} audit_range;

typedef struct audit_pass {
    audit *a;
    lake_manifest_pool *pool;
    lake_arena scratch; /* of one manifest */
    lake_arena kept;
    audit_place place;
    audit_summaries *summaries;
    audit_set paths, vectors;
    audit_totals totals;
    int64_t files[3], rows[3], least_sequence; /* of one manifest */
    bool unknown_rows, any_sequence;
    audit_reference *references;
    audit_range *ranges;
    size_t nranges, ranges_room;
} audit_pass;

LAKE_CHECK_RESULT lake_status audit_note_reference(audit_pass *p, const lake_entry *entry, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_note_row_ids(
    audit_pass *p, const lake_manifest_file *line, const lake_entry *entry, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_check_references(audit_pass *p, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_check_row_ids(audit_pass *p, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_check_statistics(audit_pass *p, lake_error *err);

#endif
