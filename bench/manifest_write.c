/* How fast manifests are written: reads all entries of a table into memory, then writes them again and again.

     manifest_write METADATA.json THREADS [LOOPS [LEVEL]]

   Prints entries a second (best and median loop), bytes, and the peak of memory. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "lake/lake.h"
#include "manifest/manifest.h"
#include "reader/table.h"

typedef struct entries {
    lake_entry *items;
    size_t n, room;
} entries;

static void must(lake_status status, const lake_error *err) {
    if (status == LAKE_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static void read_manifest(const lake_store *store, const lake_manifest_file *line, const lake_spec *spec,
    lake_arena *arena, entries *out, lake_error *err) {
    const lake_manifest_want want = {.all_columns = true, .rest = true};
    lake_manifest_reader *r;
    const lake_entry *e;
    must(lake_manifest_open(store, line->path, line, spec, &want, NULL, &r, err), err);
    for (;;) {
        must(lake_manifest_next(r, &e, err), err);
        if (!e)
            break;
        if (out->n == out->room) {
            out->room = out->room ? 2 * out->room : 1024;
            out->items = realloc(out->items, out->room * sizeof *out->items);
        }
        must(lake_manifest_materialise(r, &want, arena, &out->items[out->n++], err), err);
    }
    lake_manifest_close(r);
}

static lake_status count_bytes(void *user, lake_bytes bytes, const lake_manifest_file *line, lake_error *err) {
    *(size_t *)user += bytes.len;
    return LAKE_OK;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void write_loops(const lake_metadata *m, const entries *all, unsigned threads, int loops, int level) {
    double times[100];
    size_t bytes = 0;
    lake_error err;
    lake_error_init(&err);
    const lake_manifest_write_options o = {.format_version = m->format_version,
        .schema = m->schema,
        .spec = m->spec,
        .has_snapshot_id = true,
        .snapshot_id = 1,
        .codec = LAKE_CODEC_DEFLATE,
        .level = level};
    for (int i = 0; i < loops; i++) {
        lake_arena arena;
        lake_arena_init(&arena, 0);
        bytes = 0;
        double begun = now();
        must(lake_manifest_write_entries(&o, all->items, all->n, 8 << 20, threads, &arena, count_bytes, &bytes, &err),
            &err);
        times[i] = now() - begun;
        lake_arena_clear(&arena);
    }
    qsort(times, (size_t)loops, sizeof *times, by_time);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%zu entries, %u threads: %.0f entries/s at best, %.0f in the middle; %zu bytes; %ld KB of memory at most\n",
        all->n, threads, (double)all->n / times[0], (double)all->n / times[loops / 2], bytes, usage.ru_maxrss);
}

int main(int argc, char **argv) {
    if (argc < 3)
        return fprintf(stderr, "usage: manifest_write METADATA.json THREADS [LOOPS [LEVEL]]\n"), 2;
    int loops = argc > 3 ? atoi(argv[3]) : 5, level = argc > 4 ? atoi(argv[4]) : -1;
    lake_error err;
    lake_error_init(&err);
    lake_session *session;
    lake_table *table;
    lake_session_options so = LAKE_SESSION_OPTIONS_INIT;
    must(lake_session_open(&so, &session, &err), &err);
    must(lake_table_open(session, argv[1], &table, &err), &err);
    const lake_metadata *m = table->metadata;
    const lake_snapshot *s = m->snapshot;
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_manifest_file *lines;
    size_t n;
    entries all = {0};
    must(lake_manifest_list_read(&session->store, &arena, s->manifest_list, &lines, &n, &err), &err);
    for (size_t i = 0; i < n; i++)
        read_manifest(&session->store, &lines[i], m->spec, &arena, &all, &err);
    for (size_t i = 0; i < all.n; i++)
        all.items[i].status = LAKE_ENTRY_ADDED;
    write_loops(m, &all, (unsigned)atoi(argv[2]), loops < 1 ? 1 : loops > 100 ? 100 : loops, level);
    free(all.items);
    lake_arena_clear(&arena);
    lake_table_close(table);
    lake_session_close(session);
    return 0;
}
