/* The commit loop: build on the newest state, swap, and on a conflict wait and build again (spec.md, "Commit Conflict
   Resolution and Retry", "File System Tables", "Sequence Numbers"). A manifest list is written anew for each attempt.
   Files are removed only after a definite refusal: when nobody knows whether the commit landed, the table is read again
   before anything is cleaned. */
#include <errno.h>
#include <sys/random.h>
#include <time.h>

#include "writer/commit_internal.h"
#include "writer/manifest_files.h"

typedef struct commit {
    lake_table *table;
    const lake_commit_source *source;
    const lake_commit_options *options;
    lake_arena arena; /* of the whole commit: manifests' lines and the summary */
    lake_str branch;
    lake_str directory;
    lake_table_pointer directory_at; /* where directory and version of a table opened by its file are kept */
    lake_store_lock turn; /* held from the second attempt on */
    char uuid[37];
    int64_t id;
    int attempt;
    bool made; /* the source has made its manifests, for: */
    int32_t made_version;
    lake_manifest_file *lines;
    size_t nlines;
    lake_added summary;
} commit;

/* What one attempt makes; in an arena of its own. */
typedef struct attempt {
    lake_arena arena;
    lake_new_snapshot snapshot;
    lake_json *summary;
    lake_json *document;
    lake_table_pointer at; /* of the new metadata */
    lake_buffer report; /* room is made before the swap, so that nothing can fail behind it */
} attempt;

/* ---- where the table is */

/* A table that was opened by its metadata file is committed to through its directory, if that file is the current one.
 */
static lake_status directory_of(commit *c, lake_error *err) {
    const lake_table_pointer *at = &c->table->at;
    if (at->directory.ptr) {
        c->directory = lake_arena_str(&c->arena, at->directory.ptr, at->directory.len);
        return c->directory.ptr ? LAKE_OK : lake_fail_memory(err);
    }
    lake_str folder = LAKE_STR("/metadata/"), file = at->metadata_location;
    size_t cut = file.len;
    while (cut && file.ptr[cut - 1] != '/')
        cut--;
    if (cut <= folder.len || !lake_str_ends((lake_str){file.ptr, cut}, folder))
        return lake_fail(
            err, LAKE_ERR_USAGE, "%.*s: a commit needs the table's directory, not its metadata file", LAKE_ARG(file));
    c->directory = lake_arena_str(&c->arena, file.ptr, cut - folder.len);
    if (!c->directory.ptr)
        return lake_fail_memory(err);
    lake_metadata *m;
    LAKE_TRY(lake_directory_load(&c->table->session->store, &c->arena, c->directory, &c->directory_at, &m, err));
    if (!lake_str_eq(c->directory_at.metadata_location, file))
        return lake_fail(err, LAKE_ERR_USAGE,
            "%.*s: this is not the table's current metadata file, %.*s is: name the directory", LAKE_ARG(file),
            LAKE_ARG(c->directory_at.metadata_location));
    return LAKE_OK;
}

/* From here on the table is the one in the directory, in its newest state. */
static lake_status begin(commit *c, lake_error *err) {
    lake_table *t = c->table;
    LAKE_TRY(directory_of(c, err));
    if (!t->at.directory.ptr)
        t->at.directory = lake_arena_str(&t->arena, c->directory.ptr, c->directory.len);
    if (!t->at.directory.ptr)
        return lake_fail_memory(err);
    LAKE_TRY(lake_table_refresh(t, err));
    /* Manifests go below the recorded location: if that is another place, the table has been moved without a map. */
    if (!lake_store_same(&t->session->store, c->directory, t->metadata->location))
        return lake_fail(err, LAKE_ERR_USAGE,
            "%.*s: the table says that it is at %.*s: to write to it here, map that location to this folder",
            LAKE_ARG(c->directory), LAKE_ARG(t->metadata->location));
    return LAKE_OK;
}

/* How metadata-log names the base's file: below the recorded location. */
static lake_status recorded_base(const commit *c, lake_arena *arena, lake_str *out, lake_error *err) {
    lake_str at = c->table->at.metadata_location;
    size_t cut = at.len;
    while (cut && at.ptr[cut - 1] != '/')
        cut--;
    lake_str name = {at.ptr + cut, at.len - cut};
    *out = lake_directory_place(arena, c->table->metadata->location, name);
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

/* ---- one attempt */

static bool id_is_taken(const lake_metadata *m, int64_t id) {
    return lake_metadata_snapshot(m, id) != NULL;
}

/* The manifests that are added, made once; again only if what they depend on has changed. */
static lake_status make_manifests(commit *c, lake_error *err) {
    const lake_metadata *m = c->table->metadata;
    bool dry = c->options && c->options->dry_run;
    if (c->made && (id_is_taken(m, c->id) || c->made_version != m->format_version)) {
        c->source->forget(c->source->user);
        c->made = false;
    }
    if (c->made)
        return LAKE_OK;
    do
        LAKE_TRY(lake_snapshot_id_draw(&c->id, err));
    while (id_is_taken(m, c->id));
    c->summary = (lake_added){0};
    LAKE_TRY(c->source->make(c->source->user, m, c->id, dry, &c->arena, &c->lines, &c->nlines, &c->summary, err));
    c->made_version = m->format_version;
    c->made = true;
    return LAKE_OK;
}

/* The branch's latest snapshot. A branch that does not exist yet grows from main. */
static lake_status find_parent(const commit *c, const lake_snapshot **parent, lake_error *err) {
    const lake_metadata *m = c->table->metadata;
    const lake_ref *ref = lake_metadata_ref(m, c->branch);
    if (ref && ref->tag)
        return lake_fail(
            err, LAKE_ERR_USAGE, "'%.*s' is a tag: only branches can be committed to", LAKE_ARG(c->branch));
    *parent = ref ? lake_metadata_snapshot(m, ref->snapshot_id) : m->snapshot;
    return LAKE_OK;
}

/* New manifests first, then the parent's, as other writers have it. */
static lake_status gather_lines(
    const commit *c, attempt *a, lake_manifest_file **lines, size_t *n, size_t *kept, lake_error *err) {
    lake_manifest_file *old;
    LAKE_TRY(lake_table_manifests(c->table, a->snapshot.parent, &a->arena, &old, kept, err));
    *lines = LAKE_ARENA_ARRAY(&a->arena, lake_manifest_file, c->nlines + *kept + 1);
    if (!*lines)
        return lake_fail_memory(err);
    *n = 0;
    for (size_t i = 0; i < c->nlines; i++)
        (*lines)[(*n)++] = c->lines[i];
    for (size_t i = 0; i < *kept; i++) {
        for (size_t k = 0; k < c->nlines; k++)
            if (lake_str_eq(old[i].path, c->lines[k].path))
                return lake_fail(
                    err, LAKE_ERR_USAGE, "%.*s: this manifest is part of the table already", LAKE_ARG(old[i].path));
        if (c->table->metadata->format_version > 1)
            LAKE_TRY(
                lake_manifest_line_complete(&c->table->session->store, &a->arena, c->table->metadata, &old[i], err));
        (*lines)[(*n)++] = old[i];
    }
    return LAKE_OK;
}

static lake_status write_list(
    const commit *c, attempt *a, const lake_manifest_file *lines, size_t n, bool dry, lake_error *err) {
    const lake_metadata *m = c->table->metadata;
    lake_new_snapshot *s = &a->snapshot;
    lake_manifest_list_options o = {.format_version = m->format_version,
        .snapshot_id = c->id,
        .has_parent = s->parent != NULL,
        .parent_snapshot_id = s->parent ? s->parent->id : 0,
        .sequence_number = s->sequence_number,
        .has_first_row_id = m->format_version >= 3,
        .first_row_id = s->first_row_id,
        .codec = LAKE_CODEC_DEFLATE,
        .level = -1};
    lake_buffer out;
    lake_buffer_init(&out);
    lake_status st = lake_manifest_list_write(&o, lines, n, &out, m->format_version >= 3 ? &s->next_row_id : NULL, err);
    if (st == LAKE_OK && !dry) {
        lake_str name = lake_arena_printf(&a->arena, "snap-%lld-%d-%s.avro", (long long)c->id, c->attempt, c->uuid);
        st = name.ptr ? lake_metadata_place(&a->arena, m, name, &s->manifest_list, err) : lake_fail_memory(err);
        if (st == LAKE_OK)
            st = lake_store_create(
                &c->table->session->store, s->manifest_list, lake_bytes_of(lake_buffer_view(&out)), err);
        if (st == LAKE_ERR_EXISTS)
            s->manifest_list.ptr = NULL; /* not ours to remove */
    }
    lake_buffer_clear(&out);
    return st;
}

static lake_status build(commit *c, attempt *a, lake_error *err) {
    const lake_metadata *m = c->table->metadata;
    lake_manifest_file *lines;
    size_t n, kept;
    bool dry = c->options && c->options->dry_run;
    lake_new_snapshot *s = &a->snapshot;
    s->id = c->id;
    s->branch = c->branch;
    s->sequence_number = m->format_version == 1 ? 0 : m->last_sequence_number + 1;
    s->first_row_id = s->next_row_id = m->next_row_id;
    s->timestamp_ms = lake_now_ms();
    if (s->timestamp_ms < m->last_updated_ms)
        s->timestamp_ms = m->last_updated_ms; /* the log must stay in order when clocks differ */
    if (m->last_sequence_number == INT64_MAX)
        return lake_fail(err, LAKE_ERR_LIMIT, "the table's sequence numbers are used up");
    LAKE_TRY(find_parent(c, &s->parent, err));
    LAKE_TRY(gather_lines(c, a, &lines, &n, &kept, err));
    LAKE_TRY(lake_added_write(&c->summary, &a->arena, s->parent, c->nlines, kept, c->options, &a->summary, err));
    s->summary = a->summary;
    LAKE_TRY(recorded_base(c, &a->arena, &s->base_location, err));
    LAKE_TRY(write_list(c, a, lines, n, dry, err));
    return lake_metadata_add_snapshot(&a->arena, m, s, &a->document, err);
}

static lake_status swap(commit *c, attempt *a, lake_error *err) {
    lake_buffer bytes;
    lake_buffer_init(&bytes);
    const lake_metadata *m = c->table->metadata;
    lake_status s =
        lake_metadata_encode(a->document, lake_metadata_property(m, "write.metadata.compression-codec"), &bytes, err);
    if (s == LAKE_OK)
        s = lake_directory_commit(&c->table->session->store, &a->arena, c->directory, &c->table->at,
            lake_bytes_of(lake_buffer_view(&bytes)), &c->turn, &a->at, err);
    lake_buffer_clear(&bytes);
    return s;
}

/* After a failure that is no refusal: did it land? Then all is well. If the table cannot be read, nothing may be
 * removed. */
static lake_status settle(commit *c, attempt *a, lake_status failed, bool *keep, lake_error *err) {
    lake_error first;
    lake_error_init(&first);
    if (err)
        first = *err;
    lake_status s = lake_table_refresh(c->table, NULL);
    if (s == LAKE_OK && id_is_taken(c->table->metadata, c->id)) {
        a->at.metadata_location = c->table->at.metadata_location;
        return LAKE_OK;
    }
    *keep = s != LAKE_OK;
    if (err)
        *err = first;
    return *keep ? lake_wrap(err, failed, "whether the commit landed is not known, and its files are kept") : failed;
}

/* write.metadata.delete-after-commit.enabled: files that fell off the metadata-log go, if they lie in the table's
 * folder. */
static void expire_metadata(const commit *c, const attempt *a) {
    const lake_metadata *base = c->table->metadata;
    const lake_json *log = lake_json_find(a->document, "metadata-log");
    lake_str wanted = lake_metadata_property(base, "write.metadata.delete-after-commit.enabled");
    if (!wanted.ptr || !lake_str_is(wanted, "true"))
        return;
    for (size_t i = 0; i < base->nmetadata_log; i++) {
        lake_str file = base->metadata_log[i].metadata_file;
        bool kept = !lake_str_starts(file, base->location) || file.len <= base->location.len ||
            file.ptr[base->location.len] != '/';
        for (size_t k = 0; log && !kept && k < log->count; k++) {
            const lake_json *name = lake_json_find(log->items[k], "metadata-file");
            kept = name && lake_str_eq(name->text, file);
        }
        if (!kept) {
            lake_status gone = lake_store_remove(&c->table->session->store, file, NULL);
            (void)gone;
        }
    }
}

static lake_status make_room(attempt *a, const commit *c, lake_error *err) {
    lake_json_print(&a->report, a->summary, 0);
    size_t n = a->report.len + 1024 + 6 * (c->directory.len + a->snapshot.manifest_list.len + 256);
    bool room = lake_buffer_reserve(&a->report, n);
    if (room)
        lake_buffer_reset(&a->report);
    return room ? LAKE_OK : lake_fail_memory(err);
}

static lake_status try_once(commit *c, attempt *a, bool *keep, lake_error *err) {
    LAKE_TRY(make_manifests(c, err));
    lake_status s = build(c, a, err);
    if (s == LAKE_OK)
        s = make_room(a, c, err);
    if (s == LAKE_OK && c->options && c->options->dry_run)
        return LAKE_OK;
    if (s == LAKE_OK) {
        s = swap(c, a, err);
        if (s == LAKE_OK)
            expire_metadata(c, a);
        if (s != LAKE_OK && s != LAKE_ERR_CONFLICT && s != LAKE_ERR_NO_MEMORY && s != LAKE_ERR_UNSUPPORTED)
            s = settle(c, a, s, keep, err);
    }
    if (s != LAKE_OK && !*keep && a->snapshot.manifest_list.ptr) {
        lake_status gone = lake_store_remove(&c->table->session->store, a->snapshot.manifest_list, NULL);
        (void)gone;
    }
    return s;
}

/* ---- the loop */

/* Doubles from min to max, half of it drawn, so that writers who met once do not meet again. */
static void wait_a_while(const lake_metadata *m, int attempts) {
    int64_t ms = lake_property_i64(m, "commit.retry.min-wait-ms", 100);
    int64_t most = lake_property_i64(m, "commit.retry.max-wait-ms", 60000);
    ms = ms < 0 ? 0 : ms > 600000 ? 600000 : ms;
    for (int i = 1; i < attempts && ms < most; i++)
        ms *= 2;
    ms = ms > most ? most : ms;
    uint32_t r = 0;
    if (getrandom(&r, sizeof r, 0) != (ssize_t)sizeof r)
        r = (uint32_t)lake_monotonic_ns();
    int64_t us = ms * 500 + (int64_t)((uint64_t)ms * 500 * r >> 32);
    if (us <= 0)
        return;
    struct timespec t = {us / 1000000, us % 1000000 * 1000};
    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        ;
}

static lake_status check_cancelled(const commit *c, lake_error *err) {
    const lake_session *s = c->table->session;
    if (s->progress && s->progress(s->progress_user, "attempts", (uint64_t)c->attempt - 1, 0) != 0)
        return lake_fail(err, LAKE_ERR_CANCELLED, "cancelled");
    return LAKE_OK;
}

static void put_location(lake_buffer *out, const char *name, lake_str location) {
    lake_buffer_printf(out, ",\"%s\":", name);
    if (location.ptr)
        lake_json_quote(out, location);
    else
        lake_buffer_puts(out, "null");
}

static lake_status finish(commit *c, attempt *a, const lake_sink *sink, lake_error *err) {
    bool dry = c->options && c->options->dry_run;
    lake_buffer *out = &a->report;
    lake_buffer_printf(out,
        "{\"snapshot-id\":%lld,\"sequence-number\":%lld,\"operation\":\"%s\",\"summary\":", (long long)c->id,
        (long long)a->snapshot.sequence_number, lake_added_operation(&c->summary));
    lake_json_print(out, a->summary, 0);
    put_location(out, "metadata-location", a->at.metadata_location);
    put_location(out, "manifest-list", a->snapshot.manifest_list);
    lake_buffer_printf(out, ",\"dry-run\":%s}\n", dry ? "true" : "false");
    lake_status fresh = dry ? LAKE_OK : lake_table_refresh(c->table, NULL);
    (void)fresh; /* the commit is done, whatever can be read now */
    LAKE_TRY(lake_buffer_check(out, err));
    return sink ? sink->write(sink->user, out->data, out->len, err) : LAKE_OK;
}

/* Who lost once takes its turn before it looks again, so that it loses only against writers that know of no turns;
   against those, and where there are none, it helps to wait. */
static lake_status prepare_retry(commit *c, lake_error *err) {
    if (c->attempt > 1)
        wait_a_while(c->table->metadata, c->attempt);
    LAKE_TRY(lake_directory_take_turn(&c->table->session->store, &c->arena, c->directory, &c->turn, err));
    if (c->attempt == 1 && c->turn.fd < 0)
        wait_a_while(c->table->metadata, c->attempt);
    lake_status s = lake_table_refresh(c->table, err);
    if (s != LAKE_OK)
        lake_store_lock_release(&c->turn);
    return s;
}

static lake_status loop(commit *c, const lake_sink *sink, lake_error *err) {
    const lake_metadata *m = c->table->metadata;
    int64_t retries = lake_property_i64(m, "commit.retry.num-retries", 4);
    int64_t timeout = lake_property_i64(m, "commit.retry.total-timeout-ms", 1800000);
    int64_t begun = lake_now_ms();
    bool keep = false;
    for (c->attempt = 1;; c->attempt++) {
        attempt a = {0};
        lake_arena_init(&a.arena, 0);
        lake_buffer_init(&a.report);
        lake_status s = check_cancelled(c, err);
        if (s == LAKE_OK)
            s = try_once(c, &a, &keep, err);
        bool done = s == LAKE_OK;
        if (done)
            s = finish(c, &a, sink, err);
        lake_store_lock_release(&c->turn);
        lake_arena_clear(&a.arena);
        lake_buffer_clear(&a.report);
        if (done)
            return s;
        bool again = s == LAKE_ERR_CONFLICT && c->attempt <= retries && lake_now_ms() - begun < timeout;
        if (again) {
            s = prepare_retry(c, err);
            again = s == LAKE_OK;
        }
        if (again)
            continue;
        if (c->made && !keep)
            c->source->forget(c->source->user);
        if (s == LAKE_ERR_CONFLICT)
            return lake_wrap(err, s, "gave up after %d attempts", c->attempt);
        return s;
    }
}

lake_status lake_commit_run(lake_table *table, const lake_commit_source *source, const lake_commit_options *options,
    const lake_sink *sink, lake_error *err) {
    commit c = {.table = table, .source = source, .options = options, .turn = {-1}};
    c.branch = lake_str_of(options && options->branch ? options->branch : "main");
    lake_arena_init(&c.arena, 0);
    lake_status s = c.branch.len ? lake_uuid_draw(c.uuid, err) : lake_fail(err, LAKE_ERR_USAGE, "an empty branch name");
    if (s == LAKE_OK)
        s = begin(&c, err);
    if (s == LAKE_OK)
        s = loop(&c, sink, err);
    lake_arena_clear(&c.arena);
    return s;
}
