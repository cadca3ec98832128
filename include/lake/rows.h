/* A small table of results: named columns, each cell a JSON value as text. What `inspect` prints. */
#ifndef LAKE_ROWS_H
#define LAKE_ROWS_H

#include "lake/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lake_rows lake_rows;

LAKE_API size_t lake_rows_width(const lake_rows *rows);
LAKE_API lake_str lake_rows_name(const lake_rows *rows, size_t column);
/* The next row: *cells has lake_rows_width elements (a string is quoted JSON, null is "null"), valid until the next
   call. At the end *cells is NULL. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_rows_next(lake_rows *rows, const lake_str **cells, lake_error *err);
LAKE_API void lake_rows_close(lake_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
