/* The commit loop: build on the newest state, swap, and on a conflict take a turn and build again (spec.md, "Commit
   Conflict Resolution and Retry", "File System Tables"). */
#include <errno.h>
#include <sys/random.h>
#include <time.h>

#include "writer/commit_attempt.h"

/* ---- where the table is */

/* A table that was opened by its metadata file is committed to through its directory, if that file is the current one.
 */
static lake_status directory_of(lake_commit *c, lake_error *err) {
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
    if (!lake_store_same(&c->table->session->store, c->directory_at.metadata_location, file))
        return lake_fail(err, LAKE_ERR_USAGE,
            "%.*s: this is not the table's current metadata file, %.*s is: name the directory", LAKE_ARG(file),
            LAKE_ARG(c->directory_at.metadata_location));
    return LAKE_OK;
}

/* From here on the table is the one in the directory, in its newest state. */
static lake_status begin(lake_commit *c, lake_error *err) {
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

static lake_status check_cancelled(const lake_commit *c, lake_error *err) {
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

/* Of a commit that made no snapshot. */
static lake_status say_no_snapshot(
    const lake_commit *c, lake_attempt *a, lake_str metadata, const lake_sink *sink, lake_error *err) {
    lake_buffer_puts(&a->report, "{");
    if (c->source->edit)
        lake_buffer_str(&a->report, a->said);
    else
        lake_buffer_puts(&a->report, "\"snapshot-id\":null");
    put_location(&a->report, "metadata-location", metadata);
    if (c->source->edit)
        lake_buffer_printf(&a->report, ",\"changed\":%s", a->nothing ? "false" : "true");
    lake_buffer_printf(&a->report, ",\"dry-run\":%s}\n", c->options && c->options->dry_run ? "true" : "false");
    LAKE_TRY(lake_buffer_check(&a->report, err));
    return sink ? sink->write(sink->user, a->report.data, a->report.len, err) : LAKE_OK;
}

static lake_status finish(lake_commit *c, lake_attempt *a, const lake_sink *sink, lake_error *err) {
    bool dry = c->options && c->options->dry_run;
    if (a->nothing && c->made)
        c->source->forget(c->source->user);
    if (a->nothing)
        return say_no_snapshot(c, a, c->table->at.metadata_location, sink, err);
    if (c->source->edit) {
        lake_status s = say_no_snapshot(c, a, a->at.metadata_location, sink, err);
        lake_status fresh = dry ? LAKE_OK : lake_table_refresh(c->table, NULL);
        (void)fresh; /* the commit is done, whatever can be read now */
        return s;
    }
    lake_buffer *out = &a->report;
    lake_buffer_printf(out,
        "{\"snapshot-id\":%lld,\"sequence-number\":%lld,\"operation\":\"%s\",\"summary\":", (long long)c->id,
        (long long)a->snapshot.sequence_number, lake_changes_operation(&a->changes));
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
static lake_status prepare_retry(lake_commit *c, lake_error *err) {
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

static lake_status loop(lake_commit *c, const lake_sink *sink, lake_error *err) {
    const lake_metadata *m = c->table->metadata;
    int64_t retries = lake_property_i64(m, "commit.retry.num-retries", 4);
    int64_t timeout = lake_property_i64(m, "commit.retry.total-timeout-ms", 1800000);
    int64_t begun = lake_now_ms();
    bool keep = false;
    for (c->attempt = 1;; c->attempt++) {
        lake_attempt a = {0};
        lake_arena_init(&a.arena, 0);
        lake_buffer_init(&a.report);
        lake_buffer_init(&a.bytes);
        lake_status s = check_cancelled(c, err);
        if (s == LAKE_OK)
            s = lake_attempt_run(c, &a, &keep, err);
        bool done = s == LAKE_OK;
        if (done) {
            lake_rewriter_remove(&c->rewriter, &c->table->session->store, false);
            s = finish(c, &a, sink, err);
        }
        lake_store_lock_release(&c->turn);
        lake_arena_clear(&a.arena);
        lake_buffer_clear(&a.report);
        lake_buffer_clear(&a.bytes);
        if (done)
            return s;
        bool again = s == LAKE_ERR_CONFLICT && !c->refused && c->attempt <= retries && lake_now_ms() - begun < timeout;
        if (again) {
            s = prepare_retry(c, err);
            again = s == LAKE_OK;
        }
        if (again)
            continue;
        if (c->made && !keep)
            c->source->forget(c->source->user);
        if (!keep)
            lake_rewriter_remove(&c->rewriter, &c->table->session->store, true);
        if (s == LAKE_ERR_CONFLICT && !c->refused)
            return lake_wrap(err, s, "gave up after %d attempts", c->attempt);
        return s;
    }
}

lake_status lake_commit_run(lake_table *table, const lake_commit_source *source, const lake_commit_options *options,
    const lake_sink *sink, lake_error *err) {
    lake_commit c = {.table = table, .source = source, .options = options, .turn = {-1}};
    if (source->edit && options && (options->branch || options->nsummary))
        return lake_fail(err, LAKE_ERR_USAGE, "a commit that makes no snapshot has no branch and no summary");
    c.branch = lake_str_of(options && options->branch ? options->branch : "main");
    lake_arena_init(&c.arena, 0);
    lake_status s = c.branch.len ? lake_uuid_draw(c.uuid, err) : lake_fail(err, LAKE_ERR_USAGE, "an empty branch name");
    if (s == LAKE_OK)
        s = begin(&c, err);
    if (s == LAKE_OK)
        s = loop(&c, sink, err);
    lake_rewriter_clear(&c.rewriter);
    lake_arena_clear(&c.arena);
    return s;
}
