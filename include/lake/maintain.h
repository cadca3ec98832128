/* Commits that make no snapshot: a table's properties, branches and tags, and what is current. */
#ifndef LAKE_MAINTAIN_H
#define LAKE_MAINTAIN_H

#include "lake/write.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All functions here build a new metadata document on the table's newest state and swap it in, again when another
   commit came first; the handle then shows the new state, as in lake_table_append. Of the options only dry_run has a
   meaning (NULL: none); a branch or a summary is refused (USAGE). The sink (NULL: none) gets one JSON object: what was
   done, metadata-location, changed (false: the table was like that already, and there is no new file) and dry-run. No
   data file is read, written or removed. */

/* Sets properties ("K=V") and takes others away by name; a name in both is refused, one that is absent is fine. The
   property format-version upgrades the table and is not stored. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_set_properties(lake_table *table, const char *const *set, size_t nset,
    const char *const *unset, size_t nunset, const lake_commit_options *options, const lake_sink *sink,
    lake_error *err);

/* Branches and tags. Numbers that are 0 are not set. */
typedef struct lake_ref_options {
    uint32_t version;
    int tag; /* make a tag; else a branch */
    const lake_snapshot_choice *snapshot; /* that it names; NULL: the current one */
    int64_t min_snapshots_to_keep; /* by which expire-snapshots goes; of branches only */
    int64_t max_snapshot_age_ms; /* of branches only */
    int64_t max_ref_age_ms; /* then the branch or tag itself goes; not of main */
    int forget_retention; /* first take away those three that are set */
} lake_ref_options;
#define LAKE_REF_OPTIONS_VERSION 1
#define LAKE_REF_OPTIONS_INIT                                                                                          \
    { .version = LAKE_REF_OPTIONS_VERSION }

/* Makes a branch or a tag; EXISTS if the name is taken. ref NULL: a branch at the current snapshot. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_create_ref(lake_table *table, const char *name,
    const lake_ref_options *ref, const lake_commit_options *options, const lake_sink *sink, lake_error *err);
/* Sets how long a branch or tag and its snapshots are kept; tag and snapshot of the options have no meaning. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_keep_ref(lake_table *table, const char *name,
    const lake_ref_options *ref, const lake_commit_options *options, const lake_sink *sink, lake_error *err);
/* Drops a branch or tag; main cannot be dropped (USAGE). Its snapshots stay until they expire. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_drop_ref(
    lake_table *table, const char *name, const lake_commit_options *options, const lake_sink *sink, lake_error *err);
/* Moves a branch (NULL: main) to the snapshot of another branch or tag that comes from it; USAGE if that does not. A
   branch that is not there is made. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_fast_forward(lake_table *table, const char *branch, const char *to,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err);

/* Makes an older snapshot of main current again: by id, by branch or tag, or the newest that was there at a time. Only
   one that the current snapshot comes from (USAGE if not). Later snapshots stay until they expire; the schema stays. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_rollback(lake_table *table, const lake_snapshot_choice *to,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err);

typedef enum lake_alteration_kind {
    LAKE_ADD_COLUMN, /* an optional one, of the primitive type `to`: the last of `parent`, or of the table */
    LAKE_DROP_COLUMN,
    LAKE_RENAME_COLUMN, /* to the name `to`, without what stands before it */
    LAKE_WIDEN_COLUMN, /* to the type `to`: int to long, float to double, decimals to more digits */
    LAKE_MAKE_OPTIONAL,
    LAKE_MOVE_FIRST, /* within its struct, as the next two */
    LAKE_MOVE_AFTER, /* the column `to` */
    LAKE_MOVE_BEFORE,
    LAKE_UPGRADE /* the table to format version `to`; there is no way back */
} lake_alteration_kind;
typedef struct lake_alteration {
    uint32_t version;
    lake_alteration_kind kind;
    const char *column; /* its full name ("a.b", "list.element.c"), as it is; of a new column the name alone */
    const char *to;
    const char *parent; /* of a new column: a struct, or a list or map of structs; NULL: the table */
    const char *doc; /* of a new column; NULL: none */
} lake_alteration;
#define LAKE_ALTERATION_VERSION 1
#define LAKE_ALTERATION_INIT                                                                                           \
    { .version = LAKE_ALTERATION_VERSION }

/* Alters a table by steps, one behind the other, in one commit; all of them or none. Columns keep their ids, and files
   are read as before. A column that the table is partitioned, sorted or identified by is not dropped; a name mapping
   and metrics modes follow new names. NOT_FOUND: no such column; USAGE: what the spec does not allow. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_table_alter(lake_table *table, const lake_alteration *steps, size_t nsteps,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err);

#ifdef __cplusplus
}
#endif
#endif
