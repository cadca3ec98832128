/* Private to writer/: the commits that take data files away, alone or for others: delete, overwrite, replace. */
#ifndef LAKE_WRITER_CHANGE_H
#define LAKE_WRITER_CHANGE_H

#include "writer/append.h"
#include "writer/file_set.h"

typedef struct lake_change {
    lake_table *table;
    const lake_change_options *options;
    lake_appending *add; /* NULL: nothing is added */
    const char *branch; /* NULL: main */
    const char *operation; /* NULL: by what is done */
    lake_arena arena;
    lake_str *named; /* options->remove as recorded */
    lake_file_set gone; /* of the attempt at hand */
    bool begun; /* an attempt has seen all of `gone` */
    /* More checks of an attempt, after the files were found; NULL: none. */
    lake_status (*check)(void *user, const lake_base *base, const lake_file_set *gone, lake_error *err);
    void *check_user;
} lake_change;

LAKE_CHECK_RESULT lake_status lake_change_run(
    lake_change *change, const lake_commit_options *options, const lake_sink *sink, lake_error *err);

#endif
