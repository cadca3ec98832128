/* Are the rows of a file in the order that is claimed for it (spec.md, "Sorting")? Every row is looked at. */
#ifndef LAKE_WRITER_SORT_CHECK_H
#define LAKE_WRITER_SORT_CHECK_H

#include "format/transform.h"
#include "reader/stats.h"

typedef struct lake_sort_source {
    const lake_sort_field *field;
    const lake_field *column;
    lake_type type; /* of the transform's results */
} lake_sort_source;

/* What is the same for all files. */
typedef struct lake_sort_checker {
    int32_t id; /* of the order */
    lake_sort_source *fields;
    size_t nfields;
    int32_t *ids; /* their columns */
} lake_sort_checker;

/* UNSUPPORTED for transforms that are not known, USAGE for columns that the schema lacks. */
LAKE_CHECK_RESULT lake_status lake_sort_checker_init(lake_arena *arena, const lake_schema *schema,
    const lake_sort_order *order, lake_sort_checker *out, lake_error *err);

/* One field's rows while they are read: how each compares with the row before. */
typedef struct lake_sort_column {
    int64_t rows;
    uint8_t state; /* of the last row: 0 null, 1 value, 2 NaN */
    lake_key key;
    lake_buffer bytes; /* that `key` points to */
    lake_buffer steps; /* two bits a row; see sort_check.c */
} lake_sort_column;

typedef struct lake_sort_watch {
    const lake_sort_checker *checker;
    lake_sort_column *columns;
    lake_arena scratch;
} lake_sort_watch;

LAKE_CHECK_RESULT lake_status lake_sort_watch_init(
    lake_sort_watch *watch, const lake_sort_checker *checker, lake_arena *arena, lake_error *err);
void lake_sort_watch_clear(lake_sort_watch *watch);
/* For lake_file_stats_options.on_values, with the watch as user. */
lake_status lake_sort_watch_values(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err);

/* The first row (from 0) that comes before its predecessor, and the field that shows it; -1: all are in order. */
int64_t lake_sort_watch_fault(const lake_sort_watch *watch, size_t *field);
/* Reads the two rows again to tell about them: MALFORMED. */
LAKE_CHECK_RESULT lake_status lake_sort_fault_tell(const lake_sort_checker *checker, size_t field, int64_t row,
    const lake_store *store, lake_str location, const lake_file_stats_options *reading, lake_arena *arena,
    lake_error *err);

#endif
