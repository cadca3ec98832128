/* One function for tests/interop/ingest.py, which pushes pyarrow's arrays through it (ctypes). */
#include <stdio.h>
#include <string.h>

#include "lake/lake.h"

typedef struct text {
    char *at;
    size_t n, room;
} text;

static lake_status put(void *user, const void *data, size_t len, lake_error *err) {
    text *t = user;
    if (t->n + len + 1 > t->room)
        return LAKE_ERR_LIMIT;
    memcpy(t->at + t->n, data, len);
    t->n += len;
    t->at[t->n] = 0;
    return LAKE_OK;
}

static lake_status push(lake_ingest *ingest, const char *location, void **schemas, void **arrays, size_t n,
    int64_t file_size, const lake_sink *sink, lake_error *err) {
    lake_ingest_file *file;
    lake_status status = lake_ingest_file_open(ingest, location, &file, err);
    if (status)
        return status;
    for (size_t i = 0; i < n && !status; i++)
        status = lake_ingest_arrow(file, schemas[i], arrays[i], err);
    lake_ingest_written written = LAKE_INGEST_WRITTEN_INIT;
    written.file_size = file_size;
    if (!status)
        status = lake_ingest_file_finish(file, &written, sink, err);
    lake_ingest_file_close(file);
    return status;
}

static lake_status push_and_write(lake_session *session, lake_table *table, const char *output, const char *metrics,
    int verify, const char *location, void **schemas, void **arrays, size_t n, int64_t file_size, const lake_sink *sink,
    lake_error *err) {
    lake_manifest_options options = LAKE_MANIFEST_OPTIONS_INIT;
    lake_ingest *ingest;
    options.table = table;
    options.output = output;
    options.metrics_mode = *metrics ? metrics : NULL;
    options.verify_sorted = verify;
    lake_status status = lake_ingest_open(session, &options, &ingest, err);
    if (status)
        return status;
    status = push(ingest, location, schemas, arrays, n, file_size, sink, err);
    if (!status)
        status = lake_ingest_write(ingest, sink, err);
    lake_ingest_close(ingest);
    return status;
}

/* The entry and the manifest's line as JSON, or the error's message, in `out`. Returns the status. */
LAKE_API int shim_ingest(const char *table_path, const char *output, const char *metrics, int verify,
    const char *location, void **schemas, void **arrays, size_t n, int64_t file_size, char *out, size_t room);
int shim_ingest(const char *table_path, const char *output, const char *metrics, int verify, const char *location,
    void **schemas, void **arrays, size_t n, int64_t file_size, char *out, size_t room) {
    lake_error err;
    lake_session *session = NULL;
    lake_table *table = NULL;
    text t = {out, 0, room};
    const lake_sink sink = {put, &t};
    *out = 0;
    lake_error_init(&err);
    lake_status status = lake_session_open(NULL, &session, &err);
    if (!status)
        status = lake_table_open(session, table_path, &table, &err);
    if (!status)
        status = push_and_write(
            session, table, output, metrics, verify, location, schemas, arrays, n, file_size, &sink, &err);
    lake_table_close(table);
    lake_session_close(session);
    if (status)
        snprintf(out, room, "%s", err.message);
    return (int)status;
}
