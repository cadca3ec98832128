/* The insides of an audit: audit.c runs it; audit_manifests.c looks at lists, manifests and entries; audit_files.c
   hands files to workers; audit_columns.c, audit_partition.c, audit_deletes.c and audit_vector.c judge one file;
   audit_footers.c keeps Puffin footers; audit_lost.c counts lost rows; audit_orphans.c walks the table's folder;
   audit_report.c makes findings. */
#ifndef LAKE_WRITER_AUDIT_INTERNAL_H
#define LAKE_WRITER_AUDIT_INTERNAL_H

#include <pthread.h>

#include "lake/audit.h"
#include "writer/exact.h"

/* A set of 128-bit hashes. */
typedef struct audit_hash {
    uint64_t a, b;
} audit_hash;
typedef struct audit_set {
    audit_hash *slots;
    size_t n, nslots; /* a power of two */
} audit_set;
void audit_set_clear(audit_set *set);
/* `salt` tells apart what is hashed. */
audit_hash audit_hash_of(lake_bytes text, uint64_t salt);
/* False: out of memory. *added: it was not there. */
bool audit_set_add(audit_set *set, audit_hash hash, bool *added);
bool audit_set_has(const audit_set *set, audit_hash hash);

/* Which files are looked at. */
typedef struct audit_choice {
    bool by_plan;
    audit_set planned; /* by_plan */
    uint64_t *heap; /* sample: the smallest hashes, the largest first */
    size_t nheap, sample; /* sample 0: all */
} audit_choice;

typedef struct audit {
    lake_table *table;
    lake_session *session;
    const lake_audit_options *options;
    lake_arena arena;
    const lake_snapshot *snapshot;
    const lake_schema *schema;
    lake_exact exact;
    int32_t *columns; /* options.columns; NULL: all */
    size_t ncolumns;
    lake_manifest_file *lines;
    size_t nlines;
    bool *broken; /* manifests that could not be read */
    audit_choice choice;
    lake_audit_counts counts;
    struct audit_footer *footers; /* audit_footers.c */
    unsigned next_footer;
    pthread_mutex_t footers_lock;
    pthread_mutex_t lock; /* over counts, on_finding, progress and the cursor of audit_files.c */
} audit;

/* ---- findings (audit_report.c) */

/* Where a finding belongs. */
typedef struct audit_place {
    lake_str manifest, file;
    uint64_t line, entry;
    uint64_t serial; /* counts up */
} audit_place;

/* A finding in the making: texts are in the arena. */
typedef struct audit_draft {
    lake_audit_finding f;
    struct audit_draft *next;
} audit_draft;

/* A draft at a place; verdict WRONG has rank 2 until something worse is said. NULL: out of memory. */
audit_draft *audit_draft_new(lake_arena *arena, audit_place *place, lake_audit_verdict verdict, const char *kind);
/* The column's name and id. */
LAKE_CHECK_RESULT lake_status audit_draft_column(
    lake_arena *arena, audit_draft *d, const lake_field *field, lake_error *err);
/* Rows are lost for a predicate (in `sql`, which is reset); rows -1: not counted. rows 0 leaves the draft as it is. */
LAKE_CHECK_RESULT lake_status audit_draft_lost(
    lake_arena *arena, audit_draft *d, lake_buffer *sql, int64_t rows, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_text(lake_arena *arena, lake_str *out, lake_error *err, const char *format, ...)
    LAKE_PRINTF(4, 5);
/* What a reader does when it stumbles. */
static inline void audit_draft_fails(audit_draft *d) {
    if (d->f.rank > 1)
        d->f.rank = 1;
}
/* Counts the finding and hands it on. */
LAKE_CHECK_RESULT lake_status audit_emit(audit *a, const audit_draft *d, lake_error *err);
/* Both in one: kind, recorded and found as texts (NULL: none), an effect (NULL: none). */
typedef struct audit_simple {
    lake_audit_verdict verdict;
    int rank; /* 0: by the verdict */
    const char *kind;
    lake_str column; /* ptr NULL: none */
    int32_t field_id; /* with column */
    const char *recorded, *found, *effect;
    int64_t lost_rows;
    const char *predicate;
} audit_simple;
LAKE_CHECK_RESULT lake_status audit_say(audit *a, audit_place *place, const audit_simple *s, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_say_counts(audit *a, audit_place *place, const char *kind, const char *what,
    int64_t recorded, int64_t found, const char *effect, lake_error *err);
/* A file or manifest that could not be read: the status of the reader decides what it is. Passes on what is no word
   about the file (memory, limits of the caller, cancelling). */
LAKE_CHECK_RESULT lake_status audit_say_unreadable(
    audit *a, audit_place *place, lake_status status, const lake_error *why, lake_error *err);

/* SQL: a column's quoted name, a literal (false: it has none), a transform's call. */
void audit_sql_name(lake_buffer *out, const lake_field *field);
bool audit_sql_literal(lake_buffer *out, const lake_type *type, lake_key key);
void audit_sql_term(lake_buffer *out, const lake_transform *transform, const lake_field *field);
/* A value for people, cut when it is long. */
void audit_print_value(lake_buffer *out, const lake_type *type, lake_bound_state state, lake_key key);

/* The field of an id in the audited schema, else in any schema of the table; NULL: none. */
const lake_field *audit_any_field(const audit *a, int32_t id);
/* One step of progress; CANCELLED if the caller says so. Under the lock. */
LAKE_CHECK_RESULT lake_status audit_tick(audit *a, const char *what, uint64_t done, uint64_t total, lake_error *err);

/* ---- passes */
LAKE_CHECK_RESULT lake_status audit_manifests(audit *a, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_files(audit *a, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_orphans(audit *a, lake_error *err);

/* audit_summary.c: the summaries of one manifest's line against its entries. */
typedef struct audit_summaries audit_summaries;
LAKE_CHECK_RESULT lake_status audit_summaries_new(audit *a, lake_arena *arena, const lake_manifest_file *line,
    const lake_spec *spec, audit_summaries **out, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_summaries_add(audit_summaries *s, const lake_entry *entry, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_summaries_finish(audit *a, audit_summaries *s, audit_place *place, lake_error *err);
void audit_summaries_clear(audit_summaries *s); /* NULL is fine */

/* audit_choice.c */
LAKE_CHECK_RESULT lake_status audit_choice_begin(audit *a, lake_error *err); /* plans, if options.where */
/* Pass one: counts a live file in, if it is chosen. False: out of memory. */
bool audit_choice_offer(audit *a, const lake_entry *entry);
/* Pass two. */
bool audit_choice_takes(const audit *a, const lake_entry *entry);
void audit_choice_clear(audit *a);

/* ---- one file */

/* What a second scan counts (audit_lost.c). */
typedef enum audit_test { AUDIT_BELOW, AUDIT_ABOVE, AUDIT_OUTSIDE_PARTITION } audit_test;
typedef struct audit_question {
    audit_test test;
    const lake_field *field;
    bool total; /* -0.0 is below 0.0 */
    lake_key key;
    const struct audit_partition_field *partition;
    int64_t rows; /* the answer */
    audit_draft *draft;
    struct audit_question *next;
} audit_question;

typedef struct audit_file {
    audit *a;
    lake_arena *arena; /* of this file */
    const lake_manifest_file *line;
    const lake_spec *spec;
    const lake_entry *entry;
    audit_place place;
    lake_file_stats stats;
    unsigned threads;
    audit_draft *drafts, **drafts_end;
    audit_question *questions, **questions_end;
} audit_file;

LAKE_CHECK_RESULT lake_status audit_file_judge(audit_file *f, lake_error *err);
/* A draft of this file, listed. */
LAKE_CHECK_RESULT lake_status audit_file_draft(audit_file *f, lake_audit_verdict verdict, const char *kind,
    const lake_field *field, audit_draft **out, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_file_ask(audit_file *f, const audit_question *question, lake_error *err);

/* audit_footers.c: what a Puffin footer says of a blob. */
typedef struct audit_blob {
    int64_t offset, length;
    size_t index; /* in the footer */
    bool has_length, vector; /* a deletion vector */
    lake_str of; /* the data file; ptr NULL: not said */
} audit_blob;
/* The blob where the entry's content begins. A failure is a word about `file`, the entry's. */
LAKE_CHECK_RESULT lake_status audit_footer_blob(
    audit_file *f, lake_file *file, audit_blob *out, bool *found, lake_error *why);
void audit_footers_clear(audit *a);

/* audit_columns.c */
LAKE_CHECK_RESULT lake_status audit_columns(audit_file *f, lake_error *err);
/* The statistics of a column that the file lacks: its initial default or null for every row. False: it cannot be told.
 */
bool audit_absent_column(const audit_file *f, const lake_field *field, lake_column_stats *out);

/* audit_partition.c */
typedef struct audit_partition_field {
    const lake_partition_field *field;
    const lake_field *source; /* NULL: not checked */
    lake_type type; /* of the results */
    lake_bound_state state; /* recorded */
    lake_key key;
    bool watched; /* counted while the file is read first */
    lake_wrap_span wraps[2];
    size_t nwraps;
    int64_t outside; /* watched: values with another result */
    bool wrapped; /* a value agrees only by arithmetic that wraps */
} audit_partition_field;
typedef struct audit_partition {
    audit_partition_field *fields;
    size_t n;
    int32_t *watched; /* ids */
    size_t nwatched;
    int32_t *sources; /* ids of all source columns that are needed */
    size_t nsources;
    lake_arena scratch;
} audit_partition;
LAKE_CHECK_RESULT lake_status audit_partition_init(audit_file *f, audit_partition *p, lake_error *err);
/* For lake_file_stats_options.on_values. */
lake_status audit_partition_values(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_partition_judge(audit_file *f, audit_partition *p, lake_error *err);
/* Does the transform of a value give what is recorded? */
LAKE_CHECK_RESULT lake_status audit_partition_agrees(
    audit_partition_field *p, lake_arena *scratch, lake_key value, bool *agrees, lake_error *err);

/* audit_lost.c: reads the columns in question again and fills in the drafts. */
LAKE_CHECK_RESULT lake_status audit_lost(audit_file *f, lake_error *err);

/* audit_deletes.c, audit_vector.c */
LAKE_CHECK_RESULT lake_status audit_position_deletes(audit_file *f, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_equality_deletes(audit_file *f, lake_error *err);
LAKE_CHECK_RESULT lake_status audit_vector(audit_file *f, lake_error *err);

static inline bool audit_is_vector(const lake_entry *e) {
    return e->content == LAKE_CONTENT_POSITION_DELETES && (e->has & LAKE_HAS_CONTENT_OFFSET);
}

#endif
