/* Looks through all manifests once; the wanted paths are sorted. */
#include "writer/find_files.h"

#include <stdlib.h>

typedef struct search {
    lake_found_file *files;
    size_t n;
    lake_arena *arena;
} search;

static int by_path(const void *a, const void *b) {
    const lake_found_file *x = a, *y = b;
    return lake_bytes_cmp(lake_bytes_of(x->path), lake_bytes_of(y->path));
}

static lake_found_file *wanted(const search *s, lake_str path) {
    const lake_found_file key = {.path = path};
    lake_found_file *at = path.ptr ? bsearch(&key, s->files, s->n, sizeof key, by_path) : NULL;
    while (at && at > s->files && lake_str_eq(at[-1].path, path))
        at--;
    return at;
}

static lake_status copy_partition(lake_arena *arena, const lake_entry *e, lake_found_file *f, lake_error *err) {
    f->partition = LAKE_ARENA_ARRAY(arena, lake_datum, e->npartition);
    if (!f->partition)
        return lake_fail_memory(err);
    f->npartition = e->npartition;
    for (size_t i = 0; i < e->npartition; i++) {
        f->partition[i] = e->partition[i];
        if (e->partition[i].kind != LAKE_DATUM_BYTES)
            continue;
        f->partition[i].b = lake_arena_bytes(arena, e->partition[i].b.ptr, e->partition[i].b.len);
        if (!f->partition[i].b.ptr)
            return lake_fail_memory(err);
    }
    return LAKE_OK;
}

static bool is_last(const search *s, const lake_found_file *f) {
    return f + 1 == s->files + s->n || !lake_str_eq(f->path, f[1].path);
}

static lake_status take(const search *s, int32_t spec_id, const lake_entry *e, lake_error *err) {
    bool data = e->content == LAKE_CONTENT_DATA;
    lake_found_file *f = wanted(s, data ? e->file_path : e->referenced_data_file);
    for (; f; f = is_last(s, f) ? NULL : f + 1) {
        if (!data) {
            f->deletes = lake_arena_str(s->arena, e->file_path.ptr, e->file_path.len);
            if (!f->deletes.ptr)
                return lake_fail_memory(err);
            continue;
        }
        f->found = true;
        f->spec_id = spec_id;
        f->record_count = e->record_count;
        f->sequence_number = e->sequence_number;
        LAKE_TRY(copy_partition(s->arena, e, f, err));
    }
    return LAKE_OK;
}

static lake_status look_into(
    const search *s, const lake_table *table, const lake_manifest_file *line, lake_error *err) {
    const lake_manifest_want want = {.rest = line->content != 0};
    lake_manifest_reader *reader;
    const lake_entry *e;
    lake_status status;
    LAKE_TRY(lake_manifest_open(&table->session->store, line->path, line,
        lake_metadata_spec(table->metadata, line->spec_id), &want, NULL, &reader, err));
    while ((status = lake_manifest_next(reader, &e, err)) == LAKE_OK && e)
        if (e->status != LAKE_ENTRY_DELETED && (status = take(s, line->spec_id, e, err)) != LAKE_OK)
            break;
    lake_manifest_close(reader);
    return status;
}

lake_status lake_find_files(const lake_table *table, const lake_snapshot *snapshot, lake_arena *arena,
    lake_found_file *files, size_t n, lake_error *err) {
    search s = {files, n, arena};
    lake_manifest_file *lines;
    size_t nlines;
    qsort(files, n, sizeof *files, by_path);
    LAKE_TRY(lake_table_manifests(table, snapshot, arena, &lines, &nlines, err));
    for (size_t i = 0; i < nlines; i++)
        LAKE_TRY(look_into(&s, table, &lines[i], err));
    return LAKE_OK;
}
