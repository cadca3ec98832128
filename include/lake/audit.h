/* Audit: does a table's metadata tell the truth about its files? Nothing is ever changed. */
#ifndef LAKE_AUDIT_H
#define LAKE_AUDIT_H

#include "lake/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lake_audit_verdict {
    LAKE_AUDIT_WRONG, /* metadata and files contradict each other, or metadata break the specification */
    LAKE_AUDIT_LOOSE, /* true, but wider than it must be: files are read in vain */
    LAKE_AUDIT_MISSING, /* not recorded, though the table's properties ask for it */
    LAKE_AUDIT_UNCHECKED, /* could not be looked at: an unsupported format or codec, an encrypted file */
    LAKE_AUDIT_ORPHAN /* a file below the table's location that no metadata reach (options.orphans) */
} lake_audit_verdict;

/* One finding. Views are good during the call only; ptr NULL: there is none. */
typedef struct lake_audit_finding {
    lake_audit_verdict verdict;
    int rank; /* 0: queries lose rows; 1: they fail or answer wrongly; 2: other wrong metadata; 3: unchecked; 4: loose;
                 5: missing; 6: orphans */
    lake_str kind; /* "upper-bound": a stable word, listed in docs/audit.md */
    lake_str manifest, file; /* as recorded */
    int32_t field_id; /* of the column or partition field; -1: none */
    lake_str column; /* full name; the partition field's name where kind begins with "partition" or "summary" */
    lake_str recorded, found; /* for people: "2024-01-31", "3 rows", "none" */
    lake_bytes recorded_bytes, found_bytes; /* of bounds: binary single values; found: exact and whole */
    lake_str predicate; /* SQL that the recorded value prunes the file for, although rows match */
    int64_t lost_rows; /* rows of the file (or manifest) that a query with the predicate loses, before deletes; 0: none;
                          -1: some, but they were not counted */
    lake_str effect; /* a sentence about what comes of it */
    int64_t size, age_ms; /* orphans: bytes, time since the last change; else -1 */
    uint64_t order[3]; /* manifest, entry, place in it: sorts findings of one rank; does not depend on threads */
} lake_audit_finding;

typedef struct lake_audit_options {
    uint32_t version;
    lake_snapshot_choice snapshot; /* which snapshot is audited */
    const char *where; /* SQL: data files that a plan with it keeps, with their delete files; NULL: all */
    int case_sensitive; /* of `where`: 0, 1 */
    int64_t sample; /* this many files only, chosen by a hash of path and seed; 0: all */
    uint64_t seed;
    int footers; /* compare with footers, by the rules for who wrote them; reads no data and counts no lost rows */
    int orphans; /* also files that no metadata reach */
    const char *const *columns; /* full names: bounds and counts of these only; NULL: all */
    size_t ncolumns;
    /* Called for each finding, from one thread at a time, in no fixed order. A status other than OK ends the audit. */
    lake_status (*on_finding)(void *user, const lake_audit_finding *finding, lake_error *err);
    void *user;
} lake_audit_options;
#define LAKE_AUDIT_OPTIONS_VERSION 1
#define LAKE_AUDIT_OPTIONS_INIT                                                                                        \
    { .version = LAKE_AUDIT_OPTIONS_VERSION, .snapshot = LAKE_SNAPSHOT_CHOICE_INIT }

typedef struct lake_audit_counts {
    int has_snapshot; /* 0: the table has none, nothing was to be audited */
    int64_t snapshot_id;
    int64_t manifests, data_files, delete_files; /* of the snapshot, live */
    int64_t chosen_files; /* by where and sample; data and delete files */
    int64_t checked_files, checked_rows, checked_bytes; /* read; bytes: of the files */
    int64_t wrong, lossy, loose, missing, unchecked; /* findings; lossy: the wrong ones that lose rows */
    int64_t orphans, orphan_bytes;
    int64_t elapsed_ns;
} lake_audit_counts;

/* Audits a snapshot: its manifest list, every manifest and entry, then the chosen files, in parallel on the session's
   threads with the session's progress. Memory does not grow with the files' sizes; some 40 bytes are kept for each live
   file (some 80 in a table of format version 3). What cannot be read below the manifest list is a finding; the status
   is that of a failure to begin (USAGE, NOT_FOUND, MALFORMED metadata or manifest list) or of on_finding. options may
   not be NULL; counts are filled in even when findings stop the audit. */
LAKE_API LAKE_CHECK_RESULT lake_status lake_audit_run(
    lake_table *table, const lake_audit_options *options, lake_audit_counts *counts, lake_error *err);

#ifdef __cplusplus
}
#endif
#endif
