/* A program that writes data files of its own pushes their rows and gets manifest entries, without any file being read
   again: here three columns as typed arrays. The file itself is any Parquet file with these rows.

   cc ingest_rows.c $(pkg-config --cflags --libs lake) -o ingest_rows
   ./ingest_rows TABLE MANIFEST DATA-FILE SIZE ROWS        (a table with: 1 id long, 2 price double, 3 city string) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lake/lake.h>

enum { BATCH = 1000 };

static lake_status print(void *user, const void *data, size_t len, lake_error *err) {
    (void)user;
    (void)err;
    return fwrite(data, 1, len, stdout) == len ? LAKE_OK : LAKE_ERR_IO;
}

/* Rows begin…begin + n - 1; every seventh price is null, every hundredth is no number. */
static lake_status push(lake_ingest_file *file, int64_t begin, size_t n, lake_error *err) {
    static const char *const names[] = {"Aachen", "Bern", "Zürich"};
    int64_t ids[BATCH];
    double prices[BATCH];
    uint8_t valid[BATCH];
    lake_bytes cities[BATCH];
    for (size_t i = 0; i < n; i++) {
        ids[i] = begin + (int64_t)i;
        prices[i] = ids[i] % 100 == 99 ? NAN : (double)ids[i] / 4;
        valid[i] = ids[i] % 7 != 6;
        const char *city = names[ids[i] % 3];
        cities[i].ptr = (const uint8_t *)city;
        cities[i].len = strlen(city);
    }
    const lake_array columns[] = {
        {.field_id = 1, .kind = LAKE_ARRAY_INT64, .data = ids},
        {.field_id = 2, .kind = LAKE_ARRAY_DOUBLE, .data = prices, .valid = valid},
        {.field_id = 3, .kind = LAKE_ARRAY_BYTES, .data = cities},
    };
    return lake_ingest_arrays(file, columns, 3, n, err);
}

static lake_status ingest(lake_session *session, lake_table *table, char **args, lake_error *err) {
    const lake_sink sink = {print, NULL};
    int64_t rows = atoll(args[3]);
    lake_manifest_options options = LAKE_MANIFEST_OPTIONS_INIT;
    lake_ingest_written written = LAKE_INGEST_WRITTEN_INIT;
    lake_ingest *write = NULL;
    lake_ingest_file *file = NULL;
    options.table = table;
    options.output = args[0];
    written.file_size = atoll(args[2]);
    lake_status status = lake_ingest_open(session, &options, &write, err);
    if (!status)
        status = lake_ingest_file_open(write, args[1], &file, err);
    for (int64_t at = 0; at < rows && !status; at += BATCH)
        status = push(file, at, rows - at < BATCH ? (size_t)(rows - at) : BATCH, err);
    if (!status)
        status = lake_ingest_file_finish(file, &written, &sink, err);
    lake_ingest_file_close(file);
    if (!status)
        status = lake_ingest_write(write, &sink, err);
    lake_ingest_close(write);
    if (status)
        return status;
    const char *manifest = args[0];
    lake_commit_options commit = LAKE_COMMIT_OPTIONS_INIT;
    return lake_table_commit(table, &manifest, 1, &commit, &sink, err);
}

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: ingest_rows TABLE MANIFEST DATA-FILE SIZE ROWS\n");
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
        status = ingest(session, table, argv + 2, &err);
    lake_table_close(table);
    lake_session_close(session);
    if (status)
        fprintf(stderr, "ingest_rows: %s (%s)\n", err.message, lake_status_name(status));
    return status ? 1 : 0;
}
