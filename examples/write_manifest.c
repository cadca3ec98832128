/* Computes exact statistics of Parquet files, writes them as a manifest, and commits it to a table.

   cc write_manifest.c $(pkg-config --cflags --libs lake) -o write_manifest
   ./write_manifest TABLE MANIFEST FILE... */
#include <stdio.h>

#include <lake/lake.h>

/* What the library prints (one JSON object a manifest, one for the snapshot) goes to standard output. */
static lake_status print(void *user, const void *data, size_t len, lake_error *err) {
    (void)user;
    (void)err;
    return fwrite(data, 1, len, stdout) == len ? LAKE_OK : LAKE_ERR_IO;
}

static lake_status write_and_commit(
    lake_session *session, lake_table *table, const char *manifest, char **files, size_t nfiles, lake_error *err) {
    lake_sink sink = {print, NULL};
    lake_manifest_options options = LAKE_MANIFEST_OPTIONS_INIT;
    options.table = table;
    options.output = manifest;
    options.files = (const char *const *)files;
    options.nfiles = nfiles;
    lake_status status = lake_manifest_write(session, &options, &sink, err);
    if (status)
        return status;
    lake_commit_options commit = LAKE_COMMIT_OPTIONS_INIT;
    return lake_table_commit(table, &manifest, 1, &commit, &sink, err);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: write_manifest TABLE MANIFEST FILE...\n");
        return 2;
    }
    lake_error err;
    lake_error_init(&err);
    lake_session *session = NULL;
    lake_table *table = NULL;
    lake_status status = lake_session_open(NULL, &session, &err);
    if (!status)
        status = lake_table_open(session, argv[1], &table, &err);
    if (!status)
        status = write_and_commit(session, table, argv[2], argv + 3, (size_t)argc - 3, &err);
    lake_table_close(table);
    lake_session_close(session);
    if (status)
        fprintf(stderr, "write_manifest: %s (%s)\n", err.message, lake_status_name(status));
    return status ? 1 : 0;
}
