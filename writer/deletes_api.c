/* Puffin files of deletion vectors, for callers of the library. */
#include "lake/deletes.h"

#include <stdio.h>
#include <stdlib.h>

#include "format/deletion_vector.h"
#include "reader/puffin_write.h"
#include "reader/table.h"
#include "writer/manifest_files.h"

typedef struct writing {
    lake_puffin_writer puffin;
    lake_buffer positions, blob; /* of one vector */
    lake_buffer report;
    lake_str path; /* as recorded */
} writing;

static int by_number(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* In order, each once. */
static lake_status sort_positions(
    const lake_deletion_vector *v, lake_buffer *out, const uint64_t **sorted, size_t *n, lake_error *err) {
    lake_buffer_reset(out);
    if (!v->data_file || !*v->data_file || !v->npositions)
        return lake_fail(err, LAKE_ERR_USAGE, "a deletion vector needs a data file and at least one position");
    for (size_t i = 0; i < v->npositions; i++)
        if (v->positions[i] < 0)
            return lake_fail(
                err, LAKE_ERR_USAGE, "%s: position %lld is negative", v->data_file, (long long)v->positions[i]);
    lake_buffer_put(out, v->positions, v->npositions * sizeof *v->positions);
    LAKE_TRY(lake_buffer_check(out, err));
    uint64_t *p = (uint64_t *)(void *)out->data;
    qsort(p, v->npositions, sizeof *p, by_number);
    *n = 0;
    for (size_t i = 0; i < v->npositions; i++)
        if (i == 0 || p[i] != p[*n - 1])
            p[(*n)++] = p[i];
    *sorted = p;
    return LAKE_OK;
}

static lake_status add_vector(writing *w, const lake_deletion_vector *v, lake_error *err) {
    const uint64_t *positions;
    char cardinality[24];
    size_t n;
    int64_t offset;
    LAKE_TRY(sort_positions(v, &w->positions, &positions, &n, err));
    lake_buffer_reset(&w->blob);
    LAKE_TRY_WRAP(lake_deletion_vector_write(positions, n, &w->blob, err), err, "%s", v->data_file);
    snprintf(cardinality, sizeof cardinality, "%zu", n);
    const char *const properties[][2] = {{"referenced-data-file", v->data_file}, {"cardinality", cardinality}};
    /* the row position's reserved id, as other writers have it */
    static const int32_t fields[] = {INT32_MAX - 2};
    const lake_puffin_blob blob = {.type = "deletion-vector-v1",
        .fields = fields,
        .nfields = 1,
        .snapshot_id = -1,
        .sequence_number = -1,
        .properties = properties,
        .nproperties = 2};
    LAKE_TRY(lake_puffin_writer_add(&w->puffin, &blob, lake_bytes_of(lake_buffer_view(&w->blob)), &offset, err));
    lake_buffer_puts(&w->report, "{\"puffin-file\":");
    lake_json_quote(&w->report, w->path);
    lake_buffer_puts(&w->report, ",\"referenced-data-file\":");
    lake_json_quote(&w->report, lake_str_of(v->data_file));
    lake_buffer_printf(&w->report, ",\"content-offset\":%lld,\"content-size-in-bytes\":%zu,\"cardinality\":%zu}\n",
        (long long)offset, w->blob.len, n);
    return lake_buffer_check(&w->report, err);
}

static int by_file(const void *a, const void *b) {
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static lake_status check_files(const lake_deletion_vector *vectors, size_t n, lake_error *err) {
    lake_status status = LAKE_OK;
    if (n == 0)
        return lake_fail(err, LAKE_ERR_USAGE, "no deletion vectors to write");
    const char **names = lake_mem_zalloc(n, sizeof *names);
    if (!names)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        names[i] = vectors[i].data_file ? vectors[i].data_file : "";
    qsort(names, n, sizeof *names, by_file);
    for (size_t i = 1; i < n && status == LAKE_OK; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            status = lake_fail(err, LAKE_ERR_USAGE, "%s: two deletion vectors for it", names[i]);
    lake_mem_free(names);
    return status;
}

static lake_status write_all(lake_session *session, const char *output, const lake_deletion_vector *vectors, size_t n,
    writing *w, const lake_sink *sink, lake_error *err) {
    LAKE_TRY(lake_puffin_writer_init(&w->puffin, err));
    LAKE_TRY(lake_location_recorded(&session->store, &w->puffin.arena, output, &w->path, err));
    for (size_t i = 0; i < n; i++)
        LAKE_TRY(add_vector(w, &vectors[i], err));
    LAKE_TRY(lake_puffin_writer_finish(&w->puffin, NULL, err));
    lake_str at = lake_str_of(output);
    LAKE_TRY(lake_store_create(&session->store, at, lake_bytes_of(lake_buffer_view(&w->puffin.out)), err));
    lake_status status = sink ? sink->write(sink->user, w->report.data, w->report.len, err) : LAKE_OK;
    if (status != LAKE_OK) {
        lake_status ignored = lake_store_remove(&session->store, at, NULL);
        (void)ignored;
    }
    return status;
}

lake_status lake_deletion_vectors_write(lake_session *session, const char *output, const lake_deletion_vector *vectors,
    size_t nvectors, const lake_sink *sink, lake_error *err) {
    writing w = {0};
    if (!output || !*output)
        return lake_fail(err, LAKE_ERR_USAGE, "the Puffin file's location is missing");
    LAKE_TRY(check_files(vectors, nvectors, err));
    lake_buffer_init(&w.positions);
    lake_buffer_init(&w.blob);
    lake_buffer_init(&w.report);
    lake_status status = write_all(session, output, vectors, nvectors, &w, sink, err);
    lake_puffin_writer_clear(&w.puffin);
    lake_buffer_clear(&w.positions);
    lake_buffer_clear(&w.blob);
    lake_buffer_clear(&w.report);
    return status;
}

/* ---- reading */

static lake_status read_vector(
    lake_file *file, int64_t offset, int64_t size, lake_positions take, void *user, lake_error *err) {
    enum { MOST = 1 << 30 };
    uint64_t end = lake_file_size(file);
    if (offset < 0 || size < 0 || size > MOST || (uint64_t)offset > end || (uint64_t)size > end - (uint64_t)offset)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the deletion vector does not lie in the file");
    uint8_t *data = lake_mem_alloc((size_t)size + 1);
    if (!data)
        return lake_fail_memory(err);
    lake_bytes bitmap;
    lake_roaring_info info;
    lake_status status = lake_file_read(file, (uint64_t)offset, data, (size_t)size, err);
    if (status == LAKE_OK)
        status = lake_deletion_vector_read((lake_bytes){data, (size_t)size}, &bitmap, &info, err);
    if (status == LAKE_OK)
        status = lake_roaring_read(bitmap, take, user, err);
    lake_mem_free(data);
    return status;
}

lake_status lake_deletion_vector_positions(lake_session *session, const char *puffin, int64_t offset, int64_t size,
    lake_positions take, void *user, lake_error *err) {
    lake_file *file;
    LAKE_TRY(lake_store_open(&session->store, lake_str_of(puffin), &file, err));
    lake_status status = read_vector(file, offset, size, take, user, err);
    lake_file_close(file);
    return lake_wrap(err, status, "%s", puffin);
}
