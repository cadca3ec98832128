/* Manifests written again. Each is asked about first with paths alone, and read whole only if an entry of it goes or
   changes; several at once. */
#include "writer/rewrite.h"

#include "manifest/layout.h"

typedef struct job {
    const lake_commit_source *source;
    const lake_base *base;
    int64_t id;
    const char *uuid;
    bool write;
    size_t number; /* of the first file that this attempt makes */
    lake_rewritten **out; /* one a line; NULL: it stays */
    lake_rewritten **old; /* what an earlier attempt made of the line; NULL: nothing */
    lake_manifest_pool **pools; /* one a worker */
} job;

static bool alive(const lake_entry *e) {
    return e->status != LAKE_ENTRY_DELETED;
}

const lake_schema *lake_metadata_schema_for(const lake_metadata *m, const lake_spec *spec) {
    for (size_t k = 0; k <= m->nschemas; k++) {
        const lake_schema *s = k == 0 ? m->schema : m->schemas[m->nschemas - k];
        bool all = true;
        for (size_t i = 0; i < spec->nfields && all; i++) {
            lake_type t = lake_layout_partition_type(s, &spec->fields[i]);
            all = lake_type_kind(&t) != LAKE_KEY_NONE;
        }
        if (all)
            return s;
    }
    return m->schema;
}

/* ---- asking */

static lake_status ask_all(
    const job *j, lake_manifest_reader *r, const lake_manifest_file *line, bool *matters, lake_error *err) {
    const lake_rewrite *w = j->source->rewrite;
    const lake_entry *e;
    for (;;) {
        LAKE_TRY(lake_manifest_next(r, &e, err));
        if (!e)
            return LAKE_OK;
        if (alive(e) && w->ask(j->source->user, line, e) != LAKE_ENTRY_STAYS)
            *matters = true;
    }
}

static lake_status ask(
    const job *j, lake_manifest_pool *pool, const lake_manifest_file *line, bool *matters, lake_error *err) {
    bool metrics = j->source->rewrite->metrics;
    const lake_manifest_want want = {.all_columns = metrics, .rest = metrics || line->content != 0};
    const lake_store *store = &j->base->table->session->store;
    lake_manifest_reader *r;
    *matters = false;
    LAKE_TRY(lake_manifest_open_pooled(
        pool, store, line->path, line, lake_metadata_spec(j->base->metadata, line->spec_id), &want, &r, err));
    lake_status s = ask_all(j, r, line, matters, err);
    lake_manifest_close(r);
    return s;
}

/* ---- writing */

/* An entry as the new manifest has it: nothing is inherited any more. */
static lake_status state(const job *j, lake_entry *e, lake_error *err) {
    const uint32_t own = LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_SEQUENCE_NUMBER | LAKE_HAS_FILE_SEQUENCE_NUMBER;
    bool first = j->base->metadata->format_version == 1;
    if (!first && !(e->has & LAKE_HAS_FILE_SEQUENCE_NUMBER) && (e->has & LAKE_HAS_SEQUENCE_NUMBER)) {
        e->file_sequence_number = e->sequence_number; /* writers before that field */
        e->has |= LAKE_HAS_FILE_SEQUENCE_NUMBER;
    }
    uint32_t must = first ? LAKE_HAS_SNAPSHOT_ID : own;
    if ((e->has & must) != must)
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "%.*s: its entry does not tell its snapshot or sequence number, so it cannot be written again",
            LAKE_ARG(e->file_path));
    e->status = LAKE_ENTRY_EXISTING;
    return LAKE_OK;
}

static lake_status note_gone(lake_rewritten *w, const lake_entry *e, size_t *room, lake_error *err) {
    if (w->ngone == *room) {
        size_t more = *room ? 2 * *room : 16;
        lake_entry *gone = LAKE_ARENA_ARRAY(&w->arena, lake_entry, more);
        if (!gone)
            return lake_fail_memory(err);
        if (w->ngone)
            memcpy(gone, w->gone, w->ngone * sizeof *gone);
        w->gone = gone;
        *room = more;
    }
    w->gone[w->ngone++] = *e; /* deep in the arena already */
    return LAKE_OK;
}

static lake_status copy_entry(const job *j, lake_rewritten *w, const lake_manifest_file *line, lake_manifest_reader *r,
    const lake_entry *current, lake_manifest_writer *out, size_t *room, lake_error *err) {
    static const lake_manifest_want little = {.rest = true};
    const lake_rewrite *rule = j->source->rewrite;
    lake_entry e = *current, gone;
    lake_verdict verdict = rule->ask(j->source->user, line, &e);
    LAKE_TRY(state(j, &e, err));
    if (verdict == LAKE_ENTRY_GOES) {
        e.status = LAKE_ENTRY_DELETED;
        e.snapshot_id = j->id;
        LAKE_TRY(lake_manifest_materialise(r, &little, &w->arena, &gone, err));
        LAKE_TRY(note_gone(w, &gone, room, err));
    }
    if (verdict != LAKE_ENTRY_CHANGES)
        return lake_manifest_writer_add(out, &e, err);
    lake_arena scratch;
    lake_arena_init(&scratch, 0);
    lake_status s = rule->change(j->source->user, &scratch, &e, err);
    if (s == LAKE_OK)
        s = lake_manifest_writer_add(out, &e, err);
    lake_arena_clear(&scratch);
    return s;
}

static lake_status copy_entries(const job *j, lake_rewritten *w, const lake_manifest_file *line,
    lake_manifest_reader *r, lake_manifest_writer *out, lake_error *err) {
    const lake_entry *e;
    size_t room = 0;
    for (;;) {
        LAKE_TRY(lake_manifest_next(r, &e, err));
        if (!e)
            return LAKE_OK;
        if (!alive(e))
            continue;
        w->live++;
        LAKE_TRY(copy_entry(j, w, line, r, e, out, &room, err));
    }
}

static lake_status create(const job *j, lake_rewritten *w, size_t item, lake_bytes bytes, lake_error *err) {
    lake_str name = lake_arena_printf(&w->arena, "%s-m%zu.avro", j->uuid, j->number + item), place;
    if (!name.ptr)
        return lake_fail_memory(err);
    LAKE_TRY(lake_metadata_place(&w->arena, j->base->metadata, name, &place, err));
    if (j->write)
        LAKE_TRY(lake_store_create(&j->base->table->session->store, place, bytes, err));
    w->created = j->write;
    w->line.path = place;
    return LAKE_OK;
}

static lake_status write_again(const job *j, lake_rewritten *w, size_t item, const lake_manifest_file *line,
    lake_manifest_reader *r, lake_error *err) {
    const lake_metadata *m = j->base->metadata;
    const lake_spec *spec = lake_metadata_spec(m, line->spec_id);
    if (!spec)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the table has no partition spec %d", line->spec_id);
    lake_manifest_write_options o = {.format_version = m->format_version,
        .content = line->content,
        .schema = lake_metadata_schema_for(m, spec),
        .spec = spec,
        .has_snapshot_id = true,
        .snapshot_id = j->id,
        .codec = LAKE_CODEC_DEFLATE,
        .level = -1};
    lake_manifest_writer *out;
    lake_bytes bytes;
    LAKE_TRY(lake_manifest_writer_open(&o, &out, err));
    lake_status s = copy_entries(j, w, line, r, out, err);
    if (s == LAKE_OK)
        s = lake_manifest_writer_finish(out, &w->arena, &bytes, &w->line, err);
    if (s == LAKE_OK)
        s = create(j, w, item, bytes, err);
    lake_manifest_writer_close(out);
    return s;
}

static void free_rewritten(lake_rewritten *w) {
    lake_arena_clear(&w->arena);
    lake_mem_free(w);
}

static lake_status again(const job *j, lake_manifest_pool *pool, size_t item, lake_error *err) {
    static const lake_manifest_want everything = {.all_columns = true, .rest = true};
    const lake_manifest_file *line = &j->base->lines[item];
    lake_rewritten *w = lake_mem_zalloc(1, sizeof *w);
    if (!w)
        return lake_fail_memory(err);
    lake_arena_init(&w->arena, 0);
    w->from = lake_arena_str(&w->arena, line->path.ptr, line->path.len);
    lake_manifest_reader *r;
    lake_status s = w->from.ptr ? LAKE_OK : lake_fail_memory(err);
    if (s == LAKE_OK)
        s = lake_manifest_open_pooled(pool, &j->base->table->session->store, line->path, line,
            lake_metadata_spec(j->base->metadata, line->spec_id), &everything, &r, err);
    if (s == LAKE_OK) {
        s = write_again(j, w, item, line, r, err);
        lake_manifest_close(r);
    }
    if (s != LAKE_OK) {
        free_rewritten(w);
        return lake_wrap(err, s, "a new copy of %.*s", LAKE_ARG(line->path));
    }
    j->out[item] = w;
    return LAKE_OK;
}

/* ---- all of them */

/* Nothing in it is alive, as far as its line says. */
static bool is_empty(const lake_manifest_file *line) {
    const uint32_t counts = LAKE_HAS_ADDED_FILES | LAKE_HAS_EXISTING_FILES;
    return (line->has & counts) == counts && line->added_files == 0 && line->existing_files == 0;
}

static bool concerns(const lake_rewrite *w, const lake_manifest_file *line) {
    return (line->content ? w->deletes : w->data) && !is_empty(line);
}

static lake_status work(void *user, size_t item, unsigned worker, lake_error *err) {
    job *j = user;
    const lake_manifest_file *line = &j->base->lines[item];
    if (!concerns(j->source->rewrite, line))
        return LAKE_OK;
    if (!j->pools[worker])
        j->pools[worker] = lake_manifest_pool_new();
    if (!j->pools[worker])
        return lake_fail_memory(err);
    bool matters;
    LAKE_TRY(ask(j, j->pools[worker], line, &matters, err));
    if (!matters)
        return LAKE_OK;
    if (j->old[item]) {
        j->out[item] = j->old[item];
        return LAKE_OK;
    }
    return again(j, j->pools[worker], item, err);
}

static lake_status keep(lake_rewriter *r, lake_rewritten *w) {
    if (r->n == r->room) {
        size_t room = r->room ? 2 * r->room : 16;
        lake_rewritten **more = lake_mem_realloc(r->items, room * sizeof *more);
        if (!more)
            return LAKE_ERR_NO_MEMORY;
        r->items = more;
        r->room = room;
    }
    r->items[r->n++] = w;
    return LAKE_OK;
}

/* Takes over what was made, also by a run that failed: its files are to be removed one day. */
static lake_status adopt(lake_rewriter *r, const job *j, lake_error *err) {
    bool room = true;
    for (size_t i = 0; i < j->base->nlines; i++) {
        lake_rewritten *w = j->out[i];
        if (!w || w == j->old[i])
            continue;
        if (keep(r, w) == LAKE_OK)
            continue;
        room = false;
        if (w->created) {
            lake_status gone = lake_store_remove(&j->base->table->session->store, w->line.path, NULL);
            (void)gone;
        }
        free_rewritten(w);
        j->out[i] = NULL;
    }
    return room ? LAKE_OK : lake_fail_memory(err);
}

static lake_rewritten *made_before(const lake_rewriter *r, lake_str path) {
    for (size_t i = 0; i < r->n; i++)
        if (lake_str_eq(r->items[i]->from, path))
            return r->items[i];
    return NULL;
}

static lake_status gather(const job *j, lake_manifest_file **lines, size_t *n, lake_changes *changes, lake_error *err) {
    const lake_base *b = j->base;
    *n = 0;
    *lines = LAKE_ARENA_ARRAY(b->arena, lake_manifest_file, b->nlines);
    if (!*lines)
        return lake_fail_memory(err);
    for (size_t i = 0; i < b->nlines; i++) {
        lake_rewritten *w = j->out[i];
        if (!w) {
            if (!is_empty(&b->lines[i]))
                (*lines)[(*n)++] = b->lines[i];
            continue;
        }
        w->in_use = true;
        (*lines)[(*n)++] = w->line;
        changes->manifests_replaced++;
        changes->entries_processed += w->live;
        for (size_t k = 0; k < w->ngone; k++)
            LAKE_TRY(lake_changes_remove(changes, b->arena, &w->gone[k], w->line.spec_id, err));
    }
    return LAKE_OK;
}

lake_status lake_rewriter_run(lake_rewriter *r, const lake_commit_source *source, const lake_base *base, int64_t id,
    const char *uuid, bool write, lake_manifest_file **lines, size_t *n, lake_changes *changes, lake_error *err) {
    unsigned threads = base->table->session->threads ? base->table->session->threads : lake_threads_default();
    job j = {.source = source, .base = base, .id = id, .uuid = uuid, .write = write, .number = r->number + 1};
    j.out = LAKE_ARENA_ARRAY(base->arena, lake_rewritten *, base->nlines);
    j.old = LAKE_ARENA_ARRAY(base->arena, lake_rewritten *, base->nlines);
    j.pools = LAKE_ARENA_ARRAY(base->arena, lake_manifest_pool *, threads);
    if (!j.out || !j.old || !j.pools)
        return lake_fail_memory(err);
    for (size_t i = 0; i < r->n; i++)
        r->items[i]->in_use = false;
    for (size_t i = 0; i < base->nlines; i++)
        j.old[i] = made_before(r, base->lines[i].path);
    r->number += base->nlines;
    lake_status s = lake_parallel(base->nlines, threads, work, &j, err);
    for (unsigned t = 0; t < threads; t++)
        lake_manifest_pool_free(j.pools[t]);
    lake_status adopted = adopt(r, &j, s == LAKE_OK ? err : NULL);
    if (s == LAKE_OK)
        s = adopted;
    return s == LAKE_OK ? gather(&j, lines, n, changes, err) : s;
}

void lake_rewriter_remove(lake_rewriter *r, const lake_store *store, bool all) {
    for (size_t i = 0; i < r->n; i++) {
        lake_rewritten *w = r->items[i];
        if ((w->in_use && !all) || !w->created)
            continue;
        lake_status gone = lake_store_remove(store, w->line.path, NULL);
        (void)gone; /* what cannot be removed stays an orphan */
        w->created = false;
    }
}

void lake_rewriter_clear(lake_rewriter *r) {
    for (size_t i = 0; i < r->n; i++)
        free_rewritten(r->items[i]);
    lake_mem_free(r->items);
    *r = (lake_rewriter){0};
}
