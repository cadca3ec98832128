/* What tests/growth/growth.py needs besides lakectl: metadata of any size, and allocations counted.

     growth make METADATA.json FOLDER FILES MANIFESTS [deflate]
        writes FOLDER/m*.avro and FOLDER/list.avro for a table that has no entries yet. File N has `id` from 1000 N on,
        `seq` from 1000 (7919 N mod FILES) on (so a range of it is scattered over all manifests), `day` 365 N / FILES.
     growth allocations METADATA.json [WHERE]
        plans with one thread; prints calls of the allocator, bytes asked for, files kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lake/lake.h"
#include "manifest/manifest.h"
#include "reader/table.h"

enum { MAX_COLUMNS = 1000, BOUND = 16 };
static struct {
    lake_column_metrics metrics[MAX_COLUMNS];
    uint8_t lower[MAX_COLUMNS][BOUND], upper[MAX_COLUMNS][BOUND];
    char path[256];
    lake_datum day;
} row;
static long calls;
static unsigned long long bytes_asked;

static void must(lake_status status, const lake_error *err) {
    if (status == LAKE_OK)
        return;
    fprintf(stderr, "growth: %s\n", err->message);
    exit(1);
}

static void save(const char *folder, const char *name, lake_bytes bytes) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(bytes.ptr, 1, bytes.len, f) != bytes.len || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

/* Bounds of a column as its type's bytes: [low, low + 999], or for text, letters before and behind the number. */
static void set_bounds(size_t i, lake_type_id kind, int64_t low) {
    lake_column_metrics *m = &row.metrics[i];
    int64_t high = low + 999;
    size_t len = kind == LAKE_INT ? 4 : kind == LAKE_STRING ? BOUND : 8;
    if (kind == LAKE_STRING) {
        char text[BOUND + 1];
        snprintf(text, sizeof text, "a%015lld", (long long)low);
        memcpy(row.lower[i], text, BOUND);
        text[0] = 'z';
        memcpy(row.upper[i], text, BOUND);
    } else if (kind == LAKE_DOUBLE) {
        memcpy(row.lower[i], &(double){(double)low}, 8);
        memcpy(row.upper[i], &(double){(double)high}, 8);
    } else { /* little-endian machines only: it is a test */
        memcpy(row.lower[i], &low, len);
        memcpy(row.upper[i], &high, len);
    }
    m->lower = (lake_bytes){row.lower[i], len};
    m->upper = (lake_bytes){row.upper[i], len};
}

static lake_entry entry_of(const lake_schema *schema, int64_t n, int64_t files) {
    size_t columns = schema->nby_id < MAX_COLUMNS ? schema->nby_id : MAX_COLUMNS;
    for (size_t i = 0; i < columns; i++) {
        lake_column_metrics *m = &row.metrics[i];
        m->id = schema->by_id[i]->id;
        m->has = LAKE_METRIC_SIZE | LAKE_METRIC_VALUES | LAKE_METRIC_NULLS;
        m->size = 5000 + n % 77;
        m->values = 1000;
        m->nulls = i < 3 ? 0 : n % 9;
        int64_t low = i == 0 ? n * 1000 : i == 1 ? n * 7919 % files * 1000 : (n * 31 + (int64_t)i) % 100000;
        set_bounds(i, schema->by_id[i]->type.id, low);
    }
    int32_t day = (int32_t)(n * 365 / files);
    memcpy(row.lower[2], &day, 4);
    memcpy(row.upper[2], &day, 4);
    row.day = (lake_datum){.kind = LAKE_DATUM_INT, .i = day};
    snprintf(row.path, sizeof row.path, "file:///nowhere/data/day=%d/%05lld-%07lld-file.parquet", day,
        (long long)(n % 200), (long long)n);
    return (lake_entry){.status = LAKE_ENTRY_ADDED,
        .file_path = lake_str_of(row.path),
        .file_format = LAKE_STR("PARQUET"),
        .partition = &row.day,
        .npartition = 1,
        .record_count = 1000,
        .file_size = 100000,
        .columns = row.metrics,
        .ncolumns = columns};
}

static void make(const lake_metadata *m, const char *folder, int64_t files, int64_t manifests, lake_codec codec) {
    lake_error err;
    lake_error_init(&err);
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_manifest_file *lines = calloc((size_t)manifests, sizeof *lines);
    const lake_manifest_write_options o = {.format_version = 2,
        .schema = m->schema,
        .spec = m->spec,
        .has_snapshot_id = true,
        .snapshot_id = m->snapshot->id,
        .codec = codec,
        .level = -1};
    for (int64_t k = 0; k < manifests; k++) {
        lake_manifest_writer *w;
        lake_bytes bytes;
        char name[64], full[600];
        must(lake_manifest_writer_open(&o, &w, &err), &err);
        for (int64_t n = k * files / manifests; n < (k + 1) * files / manifests; n++) {
            lake_entry e = entry_of(m->schema, n, files);
            must(lake_manifest_writer_add(w, &e, &err), &err);
        }
        must(lake_manifest_writer_finish(w, &arena, &bytes, &lines[k], &err), &err);
        snprintf(name, sizeof name, "m%05lld.avro", (long long)k);
        save(folder, name, bytes);
        snprintf(full, sizeof full, "%s/%s", folder, name);
        lines[k].path = lake_arena_str(&arena, full, strlen(full));
        lines[k].sequence_number = -1;
        lake_manifest_writer_close(w);
    }
    lake_buffer list;
    lake_buffer_init(&list);
    const lake_manifest_list_options lo = {
        .format_version = 2, .snapshot_id = m->snapshot->id, .sequence_number = 1, .codec = codec, .level = -1};
    must(lake_manifest_list_write(&lo, lines, (size_t)manifests, &list, NULL, &err), &err);
    save(folder, "list.avro", (lake_bytes){list.data, list.len});
    lake_buffer_clear(&list);
    lake_arena_clear(&arena);
    free(lines);
}

static bool count_call(size_t size) {
    calls++;
    bytes_asked += size;
    return true;
}

static void count_allocations(lake_table *table, const char *where) {
    lake_error err;
    lake_error_init(&err);
    lake_plan *plan;
    lake_plan_counts counts;
    lake_plan_options po = LAKE_PLAN_OPTIONS_INIT;
    po.where = where;
    lake_mem_test_hook = count_call;
    must(lake_plan_open(table, &po, &plan, &err), &err);
    lake_mem_test_hook = NULL;
    lake_plan_counts_of(plan, &counts);
    printf("%ld %llu %lld\n", calls, bytes_asked, (long long)counts.kept_files);
    lake_plan_close(plan);
}

int main(int argc, char **argv) {
    bool making = argc >= 6 && strcmp(argv[1], "make") == 0;
    if (!making && (argc < 3 || strcmp(argv[1], "allocations") != 0))
        return fprintf(stderr, "usage: growth make|allocations METADATA.json ...\n"), 2;
    lake_error err;
    lake_error_init(&err);
    lake_session *session;
    lake_table *table;
    lake_session_options so = LAKE_SESSION_OPTIONS_INIT;
    so.threads = 1;
    must(lake_session_open(&so, &session, &err), &err);
    must(lake_table_open(session, argv[2], &table, &err), &err);
    if (making)
        make(table->metadata, argv[3], atoll(argv[4]), atoll(argv[5]), argc > 6 ? LAKE_CODEC_DEFLATE : LAKE_CODEC_NONE);
    else
        count_allocations(table, argc > 3 ? argv[3] : NULL);
    lake_table_close(table);
    lake_session_close(session);
    return 0;
}
