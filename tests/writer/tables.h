/* Tables in temporary folders, and manifests of made-up files, for tests of commits. */
#ifndef LAKE_TESTS_TABLES_H
#define LAKE_TESTS_TABLES_H

#include "lake/write.h"
#include "manifest/manifest.h"
#include "reader/table.h"
#include "tests/support.h"

extern const char *const test_schema; /* id long, d date, s string */

typedef struct test_place {
    char dir[64];
    char table[96];
    lake_session *session;
} test_place;
/* A folder with a schema file, and a session. */
void test_place_init(test_place *p);
lake_table *test_create(test_place *p, int version, const char *partition_by, const char *const *properties, size_t n);
/* Files in the table's metadata folder. */
size_t test_count_files(const test_place *p);

/* Writes DIR/NAME as a manifest of `n` entries, all with `like`'s members; file paths NAME-0, NAME-1, … */
typedef struct test_manifest {
    const char *name;
    int version;
    uint8_t content;
    lake_entry like;
    size_t n;
    const lake_spec *spec; /* NULL: the table's */
    const lake_schema *schema; /* NULL: the table's */
    bool has_snapshot_id;
    int64_t snapshot_id;
} test_manifest;
const char *test_write_manifest(test_place *p, const lake_table *t, const test_manifest *m);

/* Commits one manifest; the status, with the report parsed into *report (may be NULL). */
lake_status test_commit(lake_table *t, const char *manifest, const lake_commit_options *o, lake_arena *a,
    lake_json **report, lake_error *err);
int64_t test_i64(const lake_json *object, const char *key);
lake_str test_str(const lake_json *object, const char *key); /* ptr NULL: absent */

#endif
