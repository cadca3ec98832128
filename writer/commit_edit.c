/* One attempt at a commit that makes no snapshot: properties, refs, the schema (spec.md, "Table Metadata Fields",
   "Commit Conflict Resolution and Retry"). The change is made again on the newest document in each attempt, so what
   others did meanwhile stays. */
#include "writer/commit_attempt.h"
#include "writer/document.h"

static bool close_document(const lake_base *base, lake_attempt *a, lake_json *doc, lake_str base_location) {
    return lake_document_set_i64(&a->arena, doc, "last-updated-ms", base->now_ms) &&
        lake_document_log_metadata(&a->arena, doc, base->metadata, a->after, base_location);
}

lake_status lake_attempt_edit(lake_commit *c, lake_attempt *a, lake_error *err) {
    const lake_metadata *m = c->table->metadata;
    lake_base base = {.table = c->table, .metadata = m, .parent = m->snapshot, .arena = &a->arena};
    lake_json *doc = lake_json_copy(&a->arena, m->json);
    lake_metadata *after;
    lake_str base_location;
    if (!doc)
        return lake_fail_memory(err);
    base.now_ms = lake_now_ms();
    if (base.now_ms < m->last_updated_ms)
        base.now_ms = m->last_updated_ms; /* the logs must stay in order when clocks differ */
    lake_status s = c->source->edit(c->source->user, &base, doc, err);
    c->refused = s != LAKE_OK;
    a->nothing = base.nothing;
    a->said = base.said.ptr ? base.said : LAKE_STR("\"done\":true");
    if (s != LAKE_OK || a->nothing)
        return s;
    LAKE_TRY(lake_attempt_base(c, &a->arena, &base_location, err));
    /* What is written must be what can be read. */
    LAKE_TRY(lake_metadata_from_json(&a->arena, doc, "the new metadata", &after, err));
    a->after = after;
    a->document = doc;
    return close_document(&base, a, doc, base_location) ? LAKE_OK : lake_fail_memory(err);
}

/* A version is never written twice: it is this attempt's if it has its bytes. */
lake_status lake_attempt_edit_landed(const lake_commit *c, lake_attempt *a, bool *landed, lake_error *err) {
    lake_directory_version v = {c->directory, c->table->at.version + 1, lake_bytes_of(lake_buffer_view(&a->bytes))};
    return lake_directory_holds(&c->table->session->store, &a->arena, &v, &a->at, landed, err);
}
