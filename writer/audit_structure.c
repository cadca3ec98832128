/* What only the whole snapshot can tell: delete files without their data file (spec.md, "Deletion Vectors"), row ids
   that two files share ("Row Lineage"), statistics files ("Table Statistics", "Partition Statistics"). */
#include <stdio.h>
#include <stdlib.h>

#include "writer/audit_structure.h"

/* ---- references */

lake_status audit_note_reference(audit_pass *p, const lake_entry *e, lake_error *err) {
    if (e->content != LAKE_CONTENT_POSITION_DELETES || !e->referenced_data_file.ptr)
        return LAKE_OK;
    audit_reference *r = LAKE_ARENA_NEW(&p->kept, audit_reference);
    if (!r)
        return lake_fail_memory(err);
    *r = (audit_reference){
        .path = lake_arena_str(&p->kept, e->referenced_data_file.ptr, e->referenced_data_file.len),
        .file = lake_arena_str(&p->kept, e->file_path.ptr, e->file_path.len),
        .line = p->place.line,
        .entry = p->place.entry,
        .rows = e->record_count,
        .vector = audit_is_vector(e),
        .next = p->references,
    };
    p->references = r;
    return r->path.ptr && r->file.ptr ? LAKE_OK : lake_fail_memory(err);
}

lake_status audit_check_references(audit_pass *p, lake_error *err) {
    for (const audit_reference *r = p->references; r; r = r->next) {
        if (audit_set_has(&p->paths, audit_hash_of(lake_bytes_of(r->path), 0)))
            continue;
        char path[1100];
        snprintf(path, sizeof path, "%.*s", (int)(r->path.len > 1024 ? 1024 : r->path.len), r->path.ptr);
        audit_place place = {.manifest = p->a->lines[r->line - 1].path,
            .file = r->file,
            .line = r->line,
            .entry = r->entry,
            .serial = 500};
        const audit_simple s = {
            .verdict = r->vector ? LAKE_AUDIT_WRONG : LAKE_AUDIT_LOOSE,
            .kind = "dangling-delete",
            .recorded = path,
            .found = "no live data file of this path",
            .effect = r->vector ? "a deletion vector must go with its data file; readers ignore it"
                                : "the delete file is read for nothing",
        };
        LAKE_TRY(audit_say(p->a, &place, &s, err));
    }
    return LAKE_OK;
}

/* ---- row ids */

lake_status audit_note_row_ids(audit_pass *p, const lake_manifest_file *line, const lake_entry *e, lake_error *err) {
    (void)line;
    if (e->content != LAKE_CONTENT_DATA || !(e->has & LAKE_HAS_FIRST_ROW_ID) || e->record_count <= 0)
        return LAKE_OK;
    if (p->nranges == p->ranges_room) {
        size_t room = p->ranges_room ? p->ranges_room * 2 : 256;
        audit_range *more = lake_mem_realloc(p->ranges, room * sizeof *more);
        if (!more)
            return lake_fail_memory(err);
        p->ranges = more;
        p->ranges_room = room;
    }
    p->ranges[p->nranges++] =
        (audit_range){e->first_row_id, e->record_count, (uint32_t)p->place.line, (uint32_t)p->place.entry};
    return LAKE_OK;
}

static int by_first(const void *a, const void *b) {
    const audit_range *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* The path of an entry, which was not kept. Absent when the manifest cannot be read any more. */
static lake_status path_of(audit_pass *p, const audit_range *r, lake_str *out, lake_error *err) {
    static const lake_manifest_want little = {0};
    const audit *a = p->a;
    lake_manifest_reader *reader;
    const lake_entry *e = NULL;
    const lake_manifest_file *line = &a->lines[r->line - 1];
    *out = (lake_str){0};
    lake_status status = lake_manifest_open_pooled(p->pool, &a->session->store, line->path, line,
        lake_metadata_spec(a->table->metadata, line->spec_id), &little, &reader, NULL);
    if (status != LAKE_OK)
        return status == LAKE_ERR_NO_MEMORY ? lake_fail_memory(err) : LAKE_OK;
    for (uint32_t i = 0; i < r->entry && status == LAKE_OK; i++)
        status = lake_manifest_next(reader, &e, NULL);
    if (status == LAKE_OK && e) {
        *out = lake_arena_str(&p->kept, e->file_path.ptr, e->file_path.len);
        status = out->ptr ? LAKE_OK : LAKE_ERR_NO_MEMORY;
    }
    lake_manifest_close(reader);
    return status == LAKE_ERR_NO_MEMORY ? lake_fail_memory(err) : LAKE_OK;
}

static int64_t end_of(const audit_range *r) {
    int64_t end;
    return __builtin_add_overflow(r->first, r->rows, &end) ? INT64_MAX : end;
}

static lake_status say_range(
    audit_pass *p, const audit_range *r, const char *found, const char *effect, lake_error *err) {
    char said[64];
    lake_str path;
    LAKE_TRY(path_of(p, r, &path, err));
    audit_place place = {
        .manifest = p->a->lines[r->line - 1].path, .file = path, .line = r->line, .entry = r->entry, .serial = 510};
    snprintf(said, sizeof said, "[%lld, %lld)", (long long)r->first, (long long)end_of(r));
    const audit_simple s = {.kind = "row-ids", .rank = 1, .recorded = said, .found = found, .effect = effect};
    return audit_say(p->a, &place, &s, err);
}

lake_status audit_check_row_ids(audit_pass *p, lake_error *err) {
    const lake_metadata *m = p->a->table->metadata;
    const audit_range *widest = NULL;
    char found[96];
    if (m->format_version < 3 || !p->nranges)
        return LAKE_OK;
    qsort(p->ranges, p->nranges, sizeof *p->ranges, by_first);
    for (size_t i = 0; i < p->nranges; i++) {
        const audit_range *r = &p->ranges[i];
        if (widest && r->first < end_of(widest)) {
            snprintf(found, sizeof found, "another file has [%lld, %lld)", (long long)widest->first,
                (long long)end_of(widest));
            LAKE_TRY(say_range(p, r, found, "two rows have one row id", err));
        }
        if (!widest || end_of(r) > end_of(widest))
            widest = r;
        if (r->first < 0 || end_of(r) > m->next_row_id) {
            snprintf(found, sizeof found, "next-row-id %lld", (long long)m->next_row_id);
            LAKE_TRY(say_range(p, r, found, "new files will be given row ids of this one", err));
        }
    }
    return LAKE_OK;
}

/* ---- statistics files */

static lake_status check_statistics(audit_pass *p, const lake_json *one, lake_error *err) {
    audit *a = p->a;
    const lake_json *path = lake_json_find(one, "statistics-path");
    int64_t id, said;
    uint64_t size;
    lake_error why;
    if (!lake_json_is(path, LAKE_JSON_STRING) || !lake_json_i64(lake_json_get(one, "snapshot-id"), &id) ||
        id != a->snapshot->id)
        return LAKE_OK;
    audit_place place = {.file = path->text, .serial = p->place.serial++};
    lake_error_init(&why);
    lake_status status = lake_store_size(&a->session->store, path->text, &size, &why);
    if (status != LAKE_OK)
        return audit_say_unreadable(a, &place, status, &why, err);
    if (!lake_json_i64(lake_json_get(one, "file-size-in-bytes"), &said) || said == (int64_t)size)
        return LAKE_OK;
    return audit_say_counts(
        a, &place, "file-size", "", said, (int64_t)size, "readers look for the footer in the wrong place", err);
}

lake_status audit_check_statistics(audit_pass *p, lake_error *err) {
    const lake_metadata *m = p->a->table->metadata;
    const lake_json *lists[] = {m->statistics, m->partition_statistics};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; lake_json_is(lists[i], LAKE_JSON_ARRAY) && k < lists[i]->count; k++)
            LAKE_TRY(check_statistics(p, lists[i]->items[k], err));
    return LAKE_OK;
}
