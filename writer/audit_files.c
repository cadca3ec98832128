/* The chosen files, each read by one worker: workers take the next live entry from the manifests under a lock, so that
   no more than one entry a worker is in memory. */
#include <strings.h>

#include "writer/audit_internal.h"

typedef struct cursor {
    audit *a;
    lake_manifest_pool *pool;
    lake_manifest_reader *reader;
    size_t next; /* line */
    uint64_t entry; /* in the manifest, from 1 */
    uint64_t done;
    unsigned file_threads;
} cursor;

static const lake_manifest_want little = {0};
static const lake_manifest_want everything = {.all_columns = true, .rest = true};

static lake_status open_next(cursor *c, lake_error *err) {
    audit *a = c->a;
    const lake_manifest_file *line = &a->lines[c->next++];
    if (a->broken[c->next - 1])
        return LAKE_OK;
    c->entry = 0;
    return lake_manifest_open_pooled(c->pool, &a->session->store, line->path, line,
        lake_metadata_spec(a->table->metadata, line->spec_id), &little, &c->reader, err);
}

/* The next chosen entry as a deep copy; *found false: there is none. */
static lake_status take(cursor *c, audit_file *f, lake_entry *out, bool *found, lake_error *err) {
    const audit *a = c->a;
    const lake_entry *e;
    *found = false;
    for (;;) {
        while (!c->reader && c->next < a->nlines)
            LAKE_TRY(open_next(c, err));
        if (!c->reader)
            return LAKE_OK;
        LAKE_TRY(lake_manifest_next(c->reader, &e, err));
        if (!e) {
            lake_manifest_close(c->reader);
            c->reader = NULL;
            continue;
        }
        c->entry++;
        if (e->status == LAKE_ENTRY_DELETED || !audit_choice_takes(a, e))
            continue;
        LAKE_TRY(lake_manifest_materialise(c->reader, &everything, f->arena, out, err));
        break;
    }
    f->line = &a->lines[c->next - 1];
    f->spec = lake_metadata_spec(a->table->metadata, f->line->spec_id);
    f->entry = out;
    f->place = (audit_place){
        .manifest = f->line->path, .file = out->file_path, .line = c->next, .entry = c->entry, .serial = 1000};
    *found = true;
    return LAKE_OK;
}

/* ---- one file */

lake_status audit_file_draft(audit_file *f, lake_audit_verdict verdict, const char *kind, const lake_field *field,
    audit_draft **out, lake_error *err) {
    audit_draft *d = audit_draft_new(f->arena, &f->place, verdict, kind);
    if (!d)
        return lake_fail_memory(err);
    *f->drafts_end = d;
    f->drafts_end = &d->next;
    *out = d;
    return field ? audit_draft_column(f->arena, d, field, err) : LAKE_OK;
}

static bool same_format(lake_str format, const char *name) {
    return format.len == strlen(name) && strncasecmp(format.ptr, name, format.len) == 0;
}

static lake_status check_size(audit_file *f, bool *there, lake_error *err) {
    const lake_entry *e = f->entry;
    uint64_t size;
    lake_error why;
    lake_error_init(&why);
    lake_status status = lake_store_size(&f->a->session->store, e->file_path, &size, &why);
    *there = status == LAKE_OK;
    if (status != LAKE_OK)
        return audit_say_unreadable(f->a, &f->place, status, &why, err);
    if ((int64_t)size != e->file_size)
        LAKE_TRY(audit_say_counts(f->a, &f->place, "file-size", "", e->file_size, (int64_t)size,
            "readers that trust it look for the footer in the wrong place", err));
    int64_t before = -1;
    for (size_t i = 0; i < e->nsplit_offsets; i++) {
        int64_t at = e->split_offsets[i];
        const char *effect = at < 0 || (uint64_t)at >= size ? "a scan task would begin behind the file's end"
            : at <= before                                  ? "offsets must ascend: engines ignore them or fail"
                                                            : NULL;
        before = at;
        if (effect)
            return audit_say_counts(f->a, &f->place, "split-offset", "", at, (int64_t)size, effect, err);
    }
    return LAKE_OK;
}

static lake_status check_records(audit_file *f, lake_error *err) {
    int64_t said = f->entry->record_count, found = f->stats.record_count;
    audit_draft *d;
    if (said == found)
        return LAKE_OK;
    LAKE_TRY(audit_file_draft(f, said < 0 ? LAKE_AUDIT_MISSING : LAKE_AUDIT_WRONG, "record-count", NULL, &d, err));
    LAKE_TRY(audit_text(f->arena, &d->f.recorded, err, "%lld", (long long)said));
    LAKE_TRY(audit_text(f->arena, &d->f.found, err, "%lld", (long long)found));
    if (said < 0)
        return LAKE_OK;
    d->f.effect = LAKE_STR("counts and limits that are answered from metadata are wrong");
    if (said != 0)
        return LAKE_OK;
    d->f.effect = LAKE_STR("the file is skipped as an empty one");
    d->f.predicate = LAKE_STR("TRUE");
    d->f.lost_rows = f->entry->content == LAKE_CONTENT_DATA ? found : 0;
    d->f.rank = f->entry->content == LAKE_CONTENT_DATA ? 0 : 1;
    return LAKE_OK;
}

/* Engines go by what is recorded, not by the file's first bytes. */
static lake_status check_format(audit_file *f, lake_error *err) {
    lake_str found = lake_data_format_name(f->stats.format), said = f->entry->file_format;
    audit_draft *d;
    if (said.len == found.len && strncasecmp(said.ptr, found.ptr, said.len) == 0)
        return LAKE_OK;
    LAKE_TRY(audit_file_draft(f, LAKE_AUDIT_WRONG, "file-format", NULL, &d, err));
    LAKE_TRY(audit_text(f->arena, &d->f.recorded, err, "%.*s", LAKE_ARG(said)));
    LAKE_TRY(audit_text(f->arena, &d->f.found, err, "%.*s", LAKE_ARG(found)));
    d->f.effect = LAKE_STR("readers go by what is recorded, and fail");
    audit_draft_fails(d);
    return LAKE_OK;
}

/* Chosen columns and sources of partition values. */
static lake_status wanted_columns(
    audit_file *f, const audit_partition *p, lake_file_stats_options *o, lake_error *err) {
    const audit *a = f->a;
    if (!a->columns)
        return LAKE_OK;
    int32_t *ids = LAKE_ARENA_ARRAY(f->arena, int32_t, a->ncolumns + p->nsources + 1);
    if (!ids)
        return lake_fail_memory(err);
    memcpy(ids, a->columns, a->ncolumns * sizeof *ids);
    if (p->nsources)
        memcpy(ids + a->ncolumns, p->sources, p->nsources * sizeof *ids);
    o->column_ids = ids;
    o->ncolumn_ids = a->ncolumns + p->nsources;
    return LAKE_OK;
}

static lake_status read_stats(audit_file *f, audit_partition *p, bool *read, lake_error *err) {
    audit *a = f->a;
    lake_file_stats_options o = {
        .footer_only = a->options->footers,
        .threads = f->threads,
        .on_values = p->nwatched && !a->options->footers ? audit_partition_values : NULL,
        .on_values_user = p,
        .on_values_ids = p->watched,
        .non_values_ids = p->nwatched,
    };
    lake_error why;
    lake_error_init(&why);
    LAKE_TRY(wanted_columns(f, p, &o, err));
    lake_status status = lake_exact_read(&a->exact, f->entry, &o, f->arena, &f->stats, &why);
    *read = status == LAKE_OK;
    if (status == LAKE_OK)
        return LAKE_OK;
    bool foreign = !same_format(f->entry->file_format, "parquet") && !same_format(f->entry->file_format, "avro") &&
        !same_format(f->entry->file_format, "orc");
    if (status == LAKE_ERR_MALFORMED && foreign)
        status = LAKE_ERR_UNSUPPORTED; /* a format that nobody here knows */
    return audit_say_unreadable(a, &f->place, status, &why, err);
}

static lake_status judge_read(audit_file *f, audit_partition *p, lake_error *err) {
    audit *a = f->a;
    pthread_mutex_lock(&a->lock);
    a->counts.checked_files++;
    a->counts.checked_rows += f->stats.record_count;
    a->counts.checked_bytes += f->stats.file_size;
    pthread_mutex_unlock(&a->lock);
    LAKE_TRY(check_format(f, err));
    LAKE_TRY(check_records(f, err));
    LAKE_TRY(audit_columns(f, err));
    LAKE_TRY(audit_partition_judge(f, p, err));
    if (f->entry->content == LAKE_CONTENT_POSITION_DELETES)
        LAKE_TRY(audit_position_deletes(f, err));
    if (f->entry->content == LAKE_CONTENT_EQUALITY_DELETES)
        LAKE_TRY(audit_equality_deletes(f, err));
    return audit_lost(f, err);
}

lake_status audit_file_judge(audit_file *f, lake_error *err) {
    bool there, read = false;
    audit_partition p = {0};
    LAKE_TRY(check_size(f, &there, err));
    if (!there)
        return LAKE_OK;
    if (audit_is_vector(f->entry))
        return audit_vector(f, err);
    lake_arena_init(&p.scratch, 0);
    lake_status status = audit_partition_init(f, &p, err);
    if (status == LAKE_OK)
        status = read_stats(f, &p, &read, err);
    if (status == LAKE_OK && read)
        status = judge_read(f, &p, err);
    lake_arena_clear(&p.scratch);
    for (const audit_draft *d = f->drafts; status == LAKE_OK && d; d = d->next)
        status = audit_emit(f->a, d, err);
    return status;
}

/* ---- workers */

static lake_status next_file(cursor *c, audit_file *f, lake_entry *e, bool *found, lake_error *err) {
    lake_arena *arena = f->arena;
    lake_arena_reset(arena);
    *f = (audit_file){.a = c->a, .arena = arena, .threads = c->file_threads};
    f->drafts_end = &f->drafts;
    f->questions_end = &f->questions;
    pthread_mutex_lock(&c->a->lock);
    lake_status status = take(c, f, e, found, err);
    pthread_mutex_unlock(&c->a->lock);
    return status;
}

static lake_status work(void *user, size_t item, unsigned worker, lake_error *err) {
    (void)item;
    (void)worker;
    cursor *c = user;
    lake_arena arena;
    lake_arena_init(&arena, 0);
    audit_file f = {.arena = &arena};
    lake_entry e;
    bool found = true;
    lake_status status = LAKE_OK;
    while (status == LAKE_OK) {
        status = next_file(c, &f, &e, &found, err);
        if (status != LAKE_OK || !found)
            break;
        status = audit_file_judge(&f, err);
        if (status != LAKE_OK)
            break;
        pthread_mutex_lock(&c->a->lock);
        status = audit_tick(c->a, "files", ++c->done, (uint64_t)c->a->counts.chosen_files, err);
        pthread_mutex_unlock(&c->a->lock);
    }
    lake_arena_clear(&arena);
    return status;
}

lake_status audit_files(audit *a, lake_error *err) {
    uint64_t chosen = (uint64_t)a->counts.chosen_files;
    unsigned threads = a->session->threads ? a->session->threads : lake_threads_default();
    unsigned workers = chosen < threads ? (unsigned)chosen : threads;
    if (!chosen)
        return LAKE_OK;
    cursor c = {.a = a, .pool = lake_manifest_pool_new(), .file_threads = threads / workers};
    if (!c.pool)
        return lake_fail_memory(err);
    lake_status status = lake_parallel(workers, workers, work, &c, err);
    lake_manifest_close(c.reader);
    lake_manifest_pool_free(c.pool);
    return status;
}
