/* Audits a table and prints what loses rows: a job that refuses to publish a table whose metadata lie.

   cc audit_table.c $(pkg-config --cflags --libs lake) -o audit_table
   ./audit_table TABLE [FROM TO]      FROM TO: as --map FROM=TO of lakectl */
#include <inttypes.h>
#include <stdio.h>

#include <lake/lake.h>

static lake_status on_finding(void *user, const lake_audit_finding *f, lake_error *err) {
    (void)user;
    (void)err;
    if (f->verdict == LAKE_AUDIT_WRONG && f->lost_rows)
        printf("%.*s: %.*s loses %" PRId64 " rows\n", (int)f->file.len, f->file.ptr, (int)f->predicate.len,
            f->predicate.ptr, f->lost_rows);
    return LAKE_OK;
}

static lake_status audit_table(
    lake_session *session, const char *location, lake_audit_counts *counts, lake_error *err) {
    lake_table *table = NULL;
    lake_audit_options options = LAKE_AUDIT_OPTIONS_INIT;
    options.on_finding = on_finding;
    lake_status status = lake_table_open(session, location, &table, err);
    if (!status)
        status = lake_audit_run(table, &options, counts, err);
    lake_table_close(table);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 4) {
        fprintf(stderr, "usage: audit_table TABLE [FROM TO]\n");
        return 2;
    }
    lake_error err;
    lake_error_init(&err);
    lake_location_map map = {argc == 4 ? argv[2] : NULL, argc == 4 ? argv[3] : NULL};
    lake_session_options options = LAKE_SESSION_OPTIONS_INIT;
    options.maps = &map;
    options.nmaps = argc == 4;
    lake_session *session = NULL;
    lake_audit_counts counts = {0};
    lake_status status = lake_session_open(&options, &session, &err);
    if (!status)
        status = audit_table(session, argv[1], &counts, &err);
    lake_session_close(session);
    if (status) {
        fprintf(stderr, "audit_table: %s (%s)\n", err.message, lake_status_name(status));
        return 3;
    }
    printf("%" PRId64 " files, %" PRId64 " rows: %" PRId64 " findings are wrong\n", counts.checked_files,
        counts.checked_rows, counts.wrong);
    return counts.wrong > 0;
}
