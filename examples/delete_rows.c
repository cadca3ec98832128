/* Deletes rows of one data file of a table (format version 3) by their positions: a deletion vector in a Puffin file,
   a manifest for it, and a commit.

   cc delete_rows.c $(pkg-config --cflags --libs lake) -o delete_rows
   ./delete_rows TABLE DATA-FILE PUFFIN MANIFEST ROW...        (rows are counted from 0; - reads them from stdin) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lake/lake.h>

static lake_status print(void *user, const void *data, size_t len, lake_error *err) {
    (void)user;
    (void)err;
    return fwrite(data, 1, len, stdout) == len ? LAKE_OK : LAKE_ERR_IO;
}

static int64_t *read_rows(char **args, size_t nargs, size_t *n) {
    size_t room = nargs + 1024;
    int64_t *rows = malloc(room * sizeof *rows);
    *n = 0;
    if (nargs == 1 && strcmp(args[0], "-") == 0) {
        for (long long row; rows && scanf("%lld", &row) == 1;) {
            if (*n == room)
                rows = realloc(rows, (room *= 2) * sizeof *rows);
            if (rows)
                rows[(*n)++] = row;
        }
        return rows;
    }
    for (size_t i = 0; rows && i < nargs; i++)
        rows[(*n)++] = atoll(args[i]);
    return rows;
}

static lake_status delete_rows(
    lake_session *session, lake_table *table, char **args, const int64_t *rows, size_t n, lake_error *err) {
    const lake_sink sink = {print, NULL};
    const lake_deletion_vector vector = {.data_file = args[0], .positions = rows, .npositions = n};
    lake_status status = lake_deletion_vectors_write(session, args[1], &vector, 1, &sink, err);
    if (status)
        return status;
    lake_manifest_options options = LAKE_MANIFEST_OPTIONS_INIT;
    options.table = table;
    options.content = 1;
    options.output = args[2];
    options.files = (const char *const *)&args[1];
    options.nfiles = 1;
    status = lake_manifest_write(session, &options, &sink, err);
    if (status)
        return status;
    const char *manifest = args[2];
    lake_commit_options commit = LAKE_COMMIT_OPTIONS_INIT;
    return lake_table_commit(table, &manifest, 1, &commit, &sink, err);
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: delete_rows TABLE DATA-FILE PUFFIN MANIFEST ROW...\n");
        return 2;
    }
    size_t n = 0;
    int64_t *rows = read_rows(argv + 5, (size_t)argc - 5, &n);
    if (!rows)
        return 1;
    lake_error err;
    lake_error_init(&err);
    lake_session *session = NULL;
    lake_table *table = NULL;
    lake_status status = lake_session_open(NULL, &session, &err);
    if (!status)
        status = lake_table_open(session, argv[1], &table, &err);
    if (!status)
        status = delete_rows(session, table, argv + 2, rows, n, &err);
    lake_table_close(table);
    lake_session_close(session);
    free(rows);
    if (status)
        fprintf(stderr, "delete_rows: %s (%s)\n", err.message, lake_status_name(status));
    return status ? 1 : 0;
}
