/* What a table's current snapshot knows of data files that are given by path. */
#ifndef LAKE_WRITER_FIND_FILES_H
#define LAKE_WRITER_FIND_FILES_H

#include "reader/table.h"

typedef struct lake_found_file {
    lake_str path; /* wanted; as metadata record it */
    size_t item; /* the caller's */
    bool found; /* a live data file of that path, and so: */
    int32_t spec_id;
    lake_datum *partition;
    size_t npartition;
    int64_t record_count, sequence_number;
    lake_str deletes; /* a deletion vector or position delete file for this data file alone; ptr NULL: none */
} lake_found_file;

/* Fills in `files` from all manifests of the snapshot (NULL: nothing is found); they are put in the order of their
   paths. Members go into the arena. */
LAKE_CHECK_RESULT lake_status lake_find_files(const lake_table *table, const lake_snapshot *snapshot, lake_arena *arena,
    lake_found_file *files, size_t n, lake_error *err);

#endif
