/* `rollback`: an older snapshot becomes current again (spec.md, "Table Metadata Fields", snapshot-log). Only one that
   the current snapshot came from: another would bring in a state that main never had. */
#include "lake/maintain.h"
#include "writer/ancestry.h"
#include "writer/commit_internal.h"
#include "writer/document.h"

const lake_snapshot *lake_snapshot_parent(const lake_metadata *m, const lake_snapshot *s) {
    return s->has_parent ? lake_metadata_snapshot(m, s->parent_id) : NULL;
}

bool lake_snapshot_is_ancestor(const lake_metadata *m, int64_t id, const lake_snapshot *s) {
    for (size_t steps = 0; s && steps <= m->nsnapshots; steps++, s = lake_snapshot_parent(m, s))
        if (s->id == id)
            return true;
    return false;
}

/* The newest ancestor that was there at the time. */
static lake_status at_time(const lake_metadata *m, int64_t ms, const lake_snapshot **out, lake_error *err) {
    const lake_snapshot *s = m->snapshot, *best = NULL;
    for (size_t steps = 0; s && steps <= m->nsnapshots; steps++, s = lake_snapshot_parent(m, s))
        if (s->timestamp_ms <= ms && (!best || s->timestamp_ms > best->timestamp_ms))
            best = s;
    *out = best;
    return best ? LAKE_OK
                : lake_fail(err, LAKE_ERR_NOT_FOUND,
                      "the current snapshot comes from none that was there at %lld ms since 1970", (long long)ms);
}

static lake_status choose(
    const lake_base *base, const lake_snapshot_choice *to, const lake_snapshot **out, lake_error *err) {
    const lake_schema *schema;
    if (to->has_as_of)
        return at_time(base->metadata, to->as_of_ms, out, err);
    LAKE_TRY(lake_table_choose(base->table, to, out, &schema, err));
    if (!*out)
        return lake_fail(err, LAKE_ERR_MALFORMED, "'%.100s' names a snapshot that is not there", to->ref);
    if (!lake_snapshot_is_ancestor(base->metadata, (*out)->id, base->metadata->snapshot))
        return lake_fail(err, LAKE_ERR_USAGE,
            "snapshot %lld is none that the current one (%lld) comes from: only those can be gone back to",
            (long long)(*out)->id, (long long)base->metadata->snapshot->id);
    return LAKE_OK;
}

static lake_status edit(void *user, lake_base *base, lake_json *doc, lake_error *err) {
    const lake_metadata *m = base->metadata;
    const lake_snapshot *to;
    if (!m->snapshot)
        return lake_fail(err, LAKE_ERR_NOT_FOUND, "the table has no snapshot");
    LAKE_TRY(choose(base, user, &to, err));
    base->nothing = to == m->snapshot;
    lake_json *refs = lake_document_refs(base->arena, doc, m);
    lake_json *main = refs ? lake_document_own(base->arena, refs, "main", LAKE_JSON_OBJECT) : NULL;
    bool done = main && lake_document_set_ref(base->arena, main, to->id, false) &&
        lake_document_set_current(base->arena, doc, base->now_ms, to->id);
    base->said = lake_arena_printf(base->arena, "\"snapshot-id\":%lld,\"previous-snapshot-id\":%lld", (long long)to->id,
        (long long)m->snapshot->id);
    return done && base->said.ptr ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_table_rollback(lake_table *table, const lake_snapshot_choice *to, const lake_commit_options *options,
    const lake_sink *sink, lake_error *err) {
    lake_snapshot_choice choice = LAKE_SNAPSHOT_CHOICE_INIT;
    if (!to || to->has_snapshot_id + !!to->ref + to->has_as_of != 1)
        return lake_fail(err, LAKE_ERR_USAGE, "which snapshot to go back to is not said, or is said twice");
    choice = *to;
    lake_commit_source source = {.user = &choice, .edit = edit};
    return lake_commit_run(table, &source, options, sink, err);
}
