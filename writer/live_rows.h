/* How many rows of data files are left once their deletes have been applied. */
#ifndef LAKE_WRITER_LIVE_ROWS_H
#define LAKE_WRITER_LIVE_ROWS_H

#include "lake/plan.h"
#include "writer/exact.h"
#include "writer/file_set.h"

/* Rows in the tasks of a plan without a filter that `files` has; those must be all of them. Deletion vectors and
   position delete files are read; for equality deletes their columns are read of both sides. UNSUPPORTED: it cannot be
   told (a column is gone, or has a default; a format without rows to read), with the file. */
LAKE_CHECK_RESULT lake_status lake_live_rows(
    const lake_table *table, const lake_plan *plan, const lake_file_set *files, int64_t *rows, lake_error *err);

#endif
