/* Between the files of ingest: a file that is being pushed, and its columns. */
#ifndef LAKE_WRITER_INGEST_H
#define LAKE_WRITER_INGEST_H

#include "format/accum.h"
#include "lake/ingest.h"
#include "writer/manifest_job.h"

enum { LAKE_INGEST_BATCH = 1024 };

typedef struct lake_ingest_column {
    const lake_field *field; /* a leaf of the schema */
    bool fed; /* it came in some batch */
    bool watched; /* its values are looked at one by one */
    lake_str shape; /* how its values come: Arrow's format, the same in each batch */
    int64_t rows; /* so far; not of columns in lists */
    lake_accum stats;
} lake_ingest_column;

struct lake_ingest_file {
    lake_ingest *ingest;
    const lake_schema *schema;
    lake_arena arena;
    lake_str path; /* as recorded */
    lake_ingest_column *columns; /* the leaves, by id */
    size_t ncolumns;
    int64_t rows;
    bool failed, finished; /* no more rows */
    lake_manifest_watch watch;
    /* of one batch of one column */
    _Alignas(16) uint8_t data[LAKE_INGEST_BATCH * 32];
    uint8_t valid[LAKE_INGEST_BATCH];
    lake_key keys[LAKE_INGEST_BATCH];
    uint8_t present[LAKE_INGEST_BATCH];
};

/* How values become those of a column; form NONE: the column cannot take them. */
typedef struct lake_ingest_form {
    lake_accum_form form;
    size_t width;
    int64_t mul, div;
} lake_ingest_form;

lake_ingest_column *lake_ingest_column_of(lake_ingest_file *file, int32_t id); /* NULL: no leaf */
/* Makes a column ready for values of this shape. USAGE if an earlier batch had another. */
LAKE_CHECK_RESULT lake_status lake_ingest_column_begin(
    lake_ingest_file *file, lake_ingest_column *column, lake_str shape, lake_ingest_form form, lake_error *err);
/* Takes n <= LAKE_INGEST_BATCH values of the form. valid NULL: no nulls. */
LAKE_CHECK_RESULT lake_status lake_ingest_column_put(lake_ingest_file *file, lake_ingest_column *column,
    const void *data, const uint8_t *valid, size_t n, lake_error *err);
/* Every column that ever came must have all rows. */
LAKE_CHECK_RESULT lake_status lake_ingest_rows_end(lake_ingest_file *file, int64_t nrows, lake_error *err);

/* ---- ingest_text.c */
/* An entry as one JSON line. */
LAKE_CHECK_RESULT lake_status lake_ingest_print(
    const lake_manifest_job *job, const lake_entry *entry, const lake_sink *sink, lake_error *err);

/* ---- ingest_values.c */
typedef enum lake_arrow_kind {
    LAKE_ARROW_NONE, /* counted only */
    LAKE_ARROW_BOOL,
    LAKE_ARROW_SIGNED, /* `width` bytes; as an int64_t */
    LAKE_ARROW_UNSIGNED, /* below 8 bytes as an int64_t, else as a uint64_t */
    LAKE_ARROW_FLOAT, /* `width` bytes, as they are */
    LAKE_ARROW_BYTES, /* offsets of `width` bytes; as lake_bytes */
    LAKE_ARROW_VIEW, /* as lake_bytes */
    LAKE_ARROW_FIXED, /* `width` bytes; as lake_bytes */
    LAKE_ARROW_DECIMAL /* 16 or 32 bytes little-endian; as big-endian */
} lake_arrow_kind;

/* How an Arrow array holds values of a column, and in which form they come out. */
typedef struct lake_arrow_leaf {
    lake_arrow_kind kind;
    size_t width;
    lake_ingest_form form;
} lake_arrow_leaf;

/* What a format means for a column of this type; false: the column cannot take it. */
bool lake_arrow_leaf_of(const char *format, const lake_type *type, lake_arrow_leaf *out);
/* Is the element at a logical index there, by the array's own bitmap? */
bool lake_arrow_valid(const struct ArrowArray *array, int64_t index);
/* Writes the element at a logical index to `to`, in the leaf's form. False: it does not lie in the array's buffers. */
bool lake_arrow_element(const lake_arrow_leaf *leaf, const struct ArrowArray *array, int64_t index, void *to);
/* The integer of a primitive array ("c" to "L", run ends, indexes of dictionaries); false: of another format. */
bool lake_arrow_integer(const char *format, const struct ArrowArray *array, int64_t index, int64_t *out);

#endif
