/* The structure of a snapshot: every line of its manifest list against its manifest, every entry against the line and
   the snapshot (spec.md, "Manifest Lists", "Manifest Entry Fields", "Sequence Number Inheritance", "Row Lineage").
   Manifests are read one after the other, so that findings do not depend on threads; entries are not kept, only a hash
   of each path. */
#include <stdio.h>
#include <stdlib.h>

#include "manifest/summary.h"
#include "writer/audit_structure.h"

static const lake_manifest_want all_but_metrics = {.rest = true};

/* ---- entries */

static lake_status say(audit *a, audit_place *place, const char *kind, int rank, const char *recorded,
    const char *found, const char *effect, lake_error *err) {
    const audit_simple s = {.kind = kind, .rank = rank, .recorded = recorded, .found = found, .effect = effect};
    return audit_say(a, place, &s, err);
}

static lake_status check_sequence(audit_pass *p, const lake_manifest_file *line, const lake_entry *e, lake_error *err) {
    audit *a = p->a;
    const char *effect = e->content ? "it deletes rows that were written after it"
                                    : "deletes that should apply to it do not: deleted rows come back";
    if (a->table->metadata->format_version < 2)
        return LAKE_OK;
    bool both = (e->has & LAKE_HAS_SEQUENCE_NUMBER) && (e->has & LAKE_HAS_FILE_SEQUENCE_NUMBER);
    if ((e->has & LAKE_HAS_SEQUENCE_NUMBER) && e->sequence_number < 0)
        LAKE_TRY(audit_say_counts(a, &p->place, "sequence-number", "", e->sequence_number, 0, effect, err));
    if ((e->has & LAKE_HAS_SEQUENCE_NUMBER) && e->sequence_number > line->sequence_number)
        return audit_say_counts(
            a, &p->place, "sequence-number", "", e->sequence_number, line->sequence_number, effect, err);
    if ((e->has & LAKE_HAS_FILE_SEQUENCE_NUMBER) && e->file_sequence_number > line->sequence_number)
        return audit_say_counts(a, &p->place, "sequence-number", "file sequence number", e->file_sequence_number,
            line->sequence_number, "the file claims to be newer than its manifest", err);
    if (both && e->sequence_number > e->file_sequence_number)
        return audit_say_counts(
            a, &p->place, "sequence-number", "", e->sequence_number, e->file_sequence_number, effect, err);
    return LAKE_OK;
}

static lake_status check_duplicate(audit_pass *p, const lake_entry *e, lake_error *err) {
    bool vector = audit_is_vector(e), added, first = true;
    char rows[64];
    if (!audit_set_add(&p->paths,
            audit_hash_of(lake_bytes_of(e->file_path), vector ? (uint64_t)e->content_offset + 1 : 0), &added))
        return lake_fail_memory(err);
    if (vector && e->referenced_data_file.ptr &&
        !audit_set_add(&p->vectors, audit_hash_of(lake_bytes_of(e->referenced_data_file), 0), &first))
        return lake_fail_memory(err);
    snprintf(rows, sizeof rows, "its %lld row%s are read twice", (long long)e->record_count,
        e->record_count == 1 ? "" : "s");
    if (!added)
        return say(p->a, &p->place, "duplicate-path", 1, "one more live entry of this file", "one file",
            e->content ? "its deletes are applied twice" : rows, err);
    if (!first)
        return say(p->a, &p->place, "duplicate-vector", 1, "one more deletion vector of a data file",
            "at most one is permitted", "readers use one of them: deleted rows come back", err);
    return LAKE_OK;
}

static lake_status check_content(audit_pass *p, const lake_entry *e, lake_error *err) {
    if (e->content == LAKE_CONTENT_EQUALITY_DELETES && !e->nequality_ids)
        return say(p->a, &p->place, "equality-ids", 1, "none", "an equality delete file needs them",
            "what it deletes cannot be told", err);
    if (audit_is_vector(e) && !e->referenced_data_file.ptr)
        return say(p->a, &p->place, "referenced-file", 1, "none", "a deletion vector needs one",
            "what it deletes cannot be told", err);
    return LAKE_OK;
}

static lake_status count_live(audit_pass *p, const lake_manifest_file *line, const lake_entry *e, lake_error *err) {
    audit_totals *t = &p->totals;
    bool vector = audit_is_vector(e);
    t->unknown_rows |= e->record_count < 0;
    t->bytes = lake_total_add(t->bytes, vector && (e->has & LAKE_HAS_CONTENT_SIZE) ? e->content_size : e->file_size);
    if (e->content == LAKE_CONTENT_DATA) {
        t->data_files++;
        t->records = lake_total_add(t->records, e->record_count);
    } else {
        t->delete_files++;
        int64_t *n = e->content == LAKE_CONTENT_EQUALITY_DELETES ? &t->equality_deletes : &t->position_deletes;
        *n = lake_total_add(*n, e->record_count);
    }
    if ((e->has & LAKE_HAS_SEQUENCE_NUMBER) && (!p->any_sequence || e->sequence_number < p->least_sequence)) {
        p->least_sequence = e->sequence_number;
        p->any_sequence = true;
    }
    LAKE_TRY(check_duplicate(p, e, err));
    LAKE_TRY(check_content(p, e, err));
    LAKE_TRY(audit_note_reference(p, e, err));
    LAKE_TRY(audit_note_row_ids(p, line, e, err));
    return audit_choice_offer(p->a, e) ? LAKE_OK : lake_fail_memory(err);
}

static lake_status look_at(audit_pass *p, const lake_manifest_file *line, const lake_entry *e, lake_error *err) {
    audit_totals *t = &p->totals;
    p->place.file = e->file_path;
    p->place.entry++;
    unsigned status = e->status < 3 ? e->status : LAKE_ENTRY_EXISTING;
    p->files[status]++;
    p->rows[status] = lake_total_add(p->rows[status], e->record_count);
    p->unknown_rows |= e->record_count < 0;
    /* Writers disagree about the status of what they rewrite and the snapshot id of what they delete. */
    int64_t id = p->a->snapshot->id;
    bool deleted = status == LAKE_ENTRY_DELETED;
    if (e->content == LAKE_CONTENT_DATA && deleted && (line->has & LAKE_HAS_SNAPSHOT_ID) &&
        line->added_snapshot_id == id) {
        t->deleted_files++;
        t->deleted_records = lake_total_add(t->deleted_records, e->record_count);
    } else if (e->content == LAKE_CONTENT_DATA && !deleted && (e->has & LAKE_HAS_SNAPSHOT_ID) && e->snapshot_id == id) {
        t->added_files++;
        t->added_records = lake_total_add(t->added_records, e->record_count);
    }
    LAKE_TRY(audit_summaries_add(p->summaries, e, err));
    if (deleted)
        return LAKE_OK;
    LAKE_TRY(check_sequence(p, line, e, err));
    return count_live(p, line, e, err);
}

/* ---- a manifest's line */

static lake_status check_length(audit_pass *p, const lake_manifest_file *line, lake_error *err) {
    uint64_t size;
    lake_status status = lake_store_size(&p->a->session->store, line->path, &size, NULL);
    if (status == LAKE_ERR_NO_MEMORY)
        return lake_fail_memory(err);
    if (status != LAKE_OK || (int64_t)size == line->length)
        return LAKE_OK; /* opening it says why */
    return audit_say_counts(p->a, &p->place, "manifest-length", "", line->length, (int64_t)size,
        "readers that trust it read a torn manifest", err);
}

static lake_status check_counts(audit_pass *p, const lake_manifest_file *line, lake_error *err) {
    const struct {
        uint32_t has;
        const char *what;
        int64_t said, found;
        bool rows;
    } counts[] = {
        {LAKE_HAS_ADDED_FILES, "added_files_count", line->added_files, p->files[LAKE_ENTRY_ADDED], false},
        {LAKE_HAS_EXISTING_FILES, "existing_files_count", line->existing_files, p->files[LAKE_ENTRY_EXISTING], false},
        {LAKE_HAS_DELETED_FILES, "deleted_files_count", line->deleted_files, p->files[LAKE_ENTRY_DELETED], false},
        {LAKE_HAS_ADDED_ROWS, "added_rows_count", line->added_rows, p->rows[LAKE_ENTRY_ADDED], true},
        {LAKE_HAS_EXISTING_ROWS, "existing_rows_count", line->existing_rows, p->rows[LAKE_ENTRY_EXISTING], true},
        {LAKE_HAS_DELETED_ROWS, "deleted_rows_count", line->deleted_rows, p->rows[LAKE_ENTRY_DELETED], true},
    };
    bool skipped = (line->has & LAKE_HAS_ADDED_FILES) && (line->has & LAKE_HAS_EXISTING_FILES) &&
        line->added_files == 0 && line->existing_files == 0 &&
        p->files[LAKE_ENTRY_ADDED] + p->files[LAKE_ENTRY_EXISTING] > 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char said[64], found[32];
        if (!(line->has & counts[i].has) || counts[i].said == counts[i].found || (counts[i].rows && p->unknown_rows))
            continue;
        snprintf(said, sizeof said, "%s %lld", counts[i].what, (long long)counts[i].said);
        snprintf(found, sizeof found, "%lld", (long long)counts[i].found);
        bool loses = skipped && i < 2 && counts[i].found;
        const audit_simple s = {
            .kind = "list-count",
            .recorded = said,
            .found = found,
            .effect = loses ? "the manifest is skipped as one without live files"
                            : "counts and limits that are answered from the list are wrong",
            .lost_rows = loses && line->content == 0 ? p->rows[i == 0 ? LAKE_ENTRY_ADDED : LAKE_ENTRY_EXISTING] : 0,
            .rank = loses ? 1 : 0,
            .predicate = "TRUE",
        };
        LAKE_TRY(audit_say(p->a, &p->place, &s, err));
    }
    return LAKE_OK;
}

static lake_status check_line(audit_pass *p, const lake_manifest_file *line, lake_error *err) {
    audit *a = p->a;
    if (a->table->metadata->format_version < 2)
        return LAKE_OK;
    if (line->sequence_number > a->snapshot->sequence_number)
        LAKE_TRY(audit_say_counts(a, &p->place, "sequence-number", "sequence_number", line->sequence_number,
            a->snapshot->sequence_number, "the manifest claims to be newer than the snapshot", err));
    if (p->any_sequence && line->min_sequence_number > p->least_sequence)
        LAKE_TRY(audit_say_counts(a, &p->place, "min-sequence-number", "", line->min_sequence_number, p->least_sequence,
            "deletes for its older files are thought to be needless", err));
    return LAKE_OK;
}

static lake_status check_spec(
    audit_pass *p, const lake_manifest_file *line, const lake_manifest_header *h, lake_error *err) {
    if (!lake_metadata_spec(p->a->table->metadata, line->spec_id))
        LAKE_TRY(audit_say_counts(
            p->a, &p->place, "spec-id", "", line->spec_id, h->spec_id, "the table has no such partition spec", err));
    else if (h->avro && h->spec && h->spec_id != line->spec_id)
        LAKE_TRY(audit_say_counts(p->a, &p->place, "spec-id", "", line->spec_id, h->spec_id,
            "partition values are read by the wrong spec", err));
    if ((line->has & LAKE_HAS_PARTITIONS) && h->spec) {
        const lake_spec *spec = lake_metadata_spec(p->a->table->metadata, line->spec_id);
        size_t n = spec ? spec->nfields : h->spec->nfields;
        if (line->npartitions != n && !(line->npartitions == 0 && n == 0))
            return audit_say_counts(p->a, &p->place, "summary-fields", "", (int64_t)line->npartitions, (int64_t)n,
                "summaries cannot be told apart", err);
    }
    return LAKE_OK;
}

static lake_status read_entries(
    audit_pass *p, lake_manifest_reader *r, const lake_manifest_file *line, const lake_spec *spec, lake_error *err) {
    const lake_entry *e;
    lake_error why;
    LAKE_TRY(audit_summaries_new(p->a, &p->scratch, line, spec, &p->summaries, err));
    for (;;) {
        lake_error_init(&why);
        lake_status status = lake_manifest_next(r, &e, &why);
        if (status != LAKE_OK) {
            p->a->broken[p->place.line - 1] = true;
            p->place.file = (lake_str){0};
            p->place.entry = 0;
            return audit_say_unreadable(p->a, &p->place, status, &why, err);
        }
        if (!e)
            return LAKE_OK;
        LAKE_TRY(look_at(p, line, e, err));
    }
}

static lake_status with_reader(
    audit_pass *p, lake_manifest_reader *r, const lake_manifest_file *line, lake_error *err) {
    static const lake_spec none = {0};
    const lake_manifest_header *h = lake_manifest_header_of(r);
    const lake_spec *spec = lake_metadata_spec(p->a->table->metadata, line->spec_id);
    LAKE_TRY(check_spec(p, line, h, err));
    if (!spec)
        spec = h->spec ? h->spec : &none;
    LAKE_TRY(read_entries(p, r, line, spec, err));
    p->place.file = (lake_str){0};
    p->place.entry = 0;
    if (p->a->broken[p->place.line - 1])
        return LAKE_OK;
    LAKE_TRY(check_counts(p, line, err));
    LAKE_TRY(check_line(p, line, err));
    return audit_summaries_finish(p->a, p->summaries, &p->place, err);
}

static lake_status one_manifest(audit_pass *p, size_t i, lake_error *err) {
    audit *a = p->a;
    const lake_manifest_file *line = &a->lines[i];
    lake_manifest_reader *r;
    lake_error why;
    lake_error_init(&why);
    p->place = (audit_place){.manifest = line->path, .line = i + 1};
    memset(p->files, 0, sizeof p->files);
    memset(p->rows, 0, sizeof p->rows);
    p->unknown_rows = p->any_sequence = false;
    p->summaries = NULL;
    LAKE_TRY(check_length(p, line, err));
    lake_status status = lake_manifest_open_pooled(p->pool, &a->session->store, line->path, line,
        lake_metadata_spec(a->table->metadata, line->spec_id), &all_but_metrics, &r, &why);
    if (status != LAKE_OK) {
        a->broken[i] = true;
        return audit_say_unreadable(a, &p->place, status, &why, err);
    }
    status = with_reader(p, r, line, err);
    audit_summaries_clear(p->summaries);
    lake_manifest_close(r);
    lake_arena_reset(&p->scratch);
    return status;
}

/* ---- the snapshot */

static lake_status check_totals(audit_pass *p, lake_error *err) {
    const audit_totals *t = &p->totals;
    const struct {
        const char *key;
        int64_t found;
        bool rows;
    } totals[] = {
        {"total-data-files", t->data_files, false},
        {"total-delete-files", t->delete_files, false},
        {"total-records", t->records, true},
        {"total-position-deletes", t->position_deletes, true},
        {"total-equality-deletes", t->equality_deletes, true},
        {"total-files-size", t->bytes, false},
        {"added-data-files", t->added_files, false},
        {"added-records", t->added_records, true},
        {"deleted-data-files", t->deleted_files, false},
        {"deleted-records", t->deleted_records, true},
    };
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        const lake_json *v = lake_json_find(p->a->snapshot->summary, totals[i].key);
        int64_t said;
        if (!v || (totals[i].rows && t->unknown_rows))
            continue;
        const lake_json number = {.kind = LAKE_JSON_NUMBER, .text = v->text};
        if (!lake_json_i64(&number, &said) || said == totals[i].found)
            continue;
        LAKE_TRY(audit_say_counts(p->a, &p->place, "snapshot-summary", totals[i].key, said, totals[i].found,
            "what is answered from the snapshot's summary is wrong", err));
    }
    return LAKE_OK;
}

static lake_status run(audit_pass *p, lake_error *err) {
    audit *a = p->a;
    bool whole = true;
    for (size_t i = 0; i < a->nlines; i++) {
        LAKE_TRY(one_manifest(p, i, err));
        LAKE_TRY(audit_tick(a, "manifests", i + 1, a->nlines, err));
        whole &= !a->broken[i];
    }
    a->counts.manifests = (int64_t)a->nlines;
    a->counts.data_files = p->totals.data_files;
    a->counts.delete_files = p->totals.delete_files;
    p->place = (audit_place){0};
    LAKE_TRY(audit_check_statistics(p, err));
    if (!whole)
        return LAKE_OK; /* nothing can be said of the whole */
    LAKE_TRY(check_totals(p, err));
    LAKE_TRY(audit_check_references(p, err));
    return audit_check_row_ids(p, err);
}

lake_status audit_manifests(audit *a, lake_error *err) {
    audit_pass p = {.a = a, .pool = lake_manifest_pool_new()};
    if (!p.pool)
        return lake_fail_memory(err);
    lake_arena_init(&p.scratch, 0);
    lake_arena_init(&p.kept, 0);
    lake_status status = run(&p, err);
    audit_set_clear(&p.paths);
    audit_set_clear(&p.vectors);
    lake_mem_free(p.ranges);
    lake_arena_clear(&p.scratch);
    lake_arena_clear(&p.kept);
    lake_manifest_pool_free(p.pool);
    return status;
}
