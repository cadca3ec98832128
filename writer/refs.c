/* Branches and tags (spec.md, "Snapshot References"): made, dropped, moved forward, and how long they and their
   snapshots are kept. main is always there; a tag never moves. */
#include "lake/maintain.h"
#include "writer/ancestry.h"
#include "writer/commit_internal.h"
#include "writer/document.h"

typedef struct editing {
    lake_str name;
    const lake_ref_options *options; /* NULL: none */
    lake_str to; /* of a fast-forward */
} editing;

static lake_status fail_no_ref(lake_str name, lake_error *err) {
    return lake_fail(err, LAKE_ERR_NOT_FOUND, "the table has no branch or tag '%.*s'", LAKE_ARG(name));
}

/* main without refs is the current snapshot. */
static const lake_snapshot *snapshot_of(const lake_metadata *m, lake_str name, bool *tag) {
    const lake_ref *ref = lake_metadata_ref(m, name);
    *tag = ref && ref->tag;
    if (ref)
        return lake_metadata_snapshot(m, ref->snapshot_id);
    return lake_str_is(name, "main") ? m->snapshot : NULL;
}

/* ---- what is said and written */

static lake_status say(lake_base *base, const char *what, lake_str name, const lake_snapshot *s, lake_error *err) {
    lake_buffer text;
    lake_buffer_init(&text);
    lake_buffer_printf(&text, "\"%s\":", what);
    lake_json_quote(&text, name);
    if (s)
        lake_buffer_printf(&text, ",\"snapshot-id\":%lld", (long long)s->id);
    if (!text.failed)
        base->said = lake_arena_str(base->arena, lake_buffer_view(&text).ptr, text.len);
    lake_buffer_clear(&text);
    return base->said.ptr ? LAKE_OK : lake_fail_memory(err);
}

static lake_status point_to(lake_base *base, lake_json *doc, lake_str name, const lake_snapshot *s, bool tag,
    lake_json **ref, lake_error *err) {
    lake_json *refs = lake_document_refs(base->arena, doc, base->metadata);
    lake_str key = lake_arena_str(base->arena, name.ptr, name.len);
    *ref = refs && key.ptr ? lake_document_own(base->arena, refs, key.ptr, LAKE_JSON_OBJECT) : NULL;
    return *ref && lake_document_set_ref(base->arena, *ref, s->id, tag) ? LAKE_OK : lake_fail_memory(err);
}

/* ---- retention */

static lake_status check_retention(lake_str name, bool tag, const lake_ref_options *o, lake_error *err) {
    if (!o)
        return LAKE_OK;
    if (o->min_snapshots_to_keep < 0 || o->min_snapshots_to_keep > INT32_MAX)
        return lake_fail(err, LAKE_ERR_USAGE, "min-snapshots-to-keep is a number from 1 to 2147483647");
    if (o->max_snapshot_age_ms < 0 || o->max_ref_age_ms < 0)
        return lake_fail(err, LAKE_ERR_USAGE, "an age is at least one millisecond");
    if (tag && (o->min_snapshots_to_keep || o->max_snapshot_age_ms))
        return lake_fail(err, LAKE_ERR_USAGE, "'%.*s' is a tag, which has only a max-ref-age-ms: it holds one snapshot",
            LAKE_ARG(name));
    if (o->max_ref_age_ms && lake_str_is(name, "main"))
        return lake_fail(err, LAKE_ERR_USAGE, "main is never dropped: it has no max-ref-age-ms");
    return LAKE_OK;
}

static bool set_limit(lake_base *base, lake_json *ref, const char *key, int64_t n, bool *changed) {
    int64_t old;
    const lake_json *v = lake_json_find(ref, key);
    if (!n || (lake_json_i64(v, &old) && old == n))
        return true;
    *changed = true;
    return lake_document_set_i64(base->arena, ref, key, n);
}

static lake_status set_retention(
    lake_base *base, lake_json *ref, const lake_ref_options *o, bool *changed, lake_error *err) {
    if (!o)
        return LAKE_OK;
    static const char *const keys[] = {"min-snapshots-to-keep", "max-snapshot-age-ms", "max-ref-age-ms"};
    for (size_t i = 0; o->forget_retention && i < 3; i++)
        *changed |= lake_json_remove(ref, keys[i]);
    bool done = set_limit(base, ref, keys[0], o->min_snapshots_to_keep, changed) &&
        set_limit(base, ref, keys[1], o->max_snapshot_age_ms, changed) &&
        set_limit(base, ref, keys[2], o->max_ref_age_ms, changed);
    return done ? LAKE_OK : lake_fail_memory(err);
}

/* ---- the operations */

static lake_status create(void *user, lake_base *base, lake_json *doc, lake_error *err) {
    const editing *e = user;
    const lake_ref_options *o = e->options;
    const lake_snapshot *s;
    const lake_schema *schema;
    lake_json *ref;
    bool tag, changed = false, as_tag = o && o->tag;
    if (lake_metadata_ref(base->metadata, e->name) || snapshot_of(base->metadata, e->name, &tag))
        return lake_fail(err, LAKE_ERR_EXISTS, "the table has a branch or tag '%.*s' already", LAKE_ARG(e->name));
    LAKE_TRY(check_retention(e->name, as_tag, o, err));
    LAKE_TRY(lake_table_choose(base->table, o ? o->snapshot : NULL, &s, &schema, err));
    if (!s)
        return lake_fail(
            err, LAKE_ERR_NOT_FOUND, "the table has no snapshot that '%.*s' could name", LAKE_ARG(e->name));
    LAKE_TRY(point_to(base, doc, e->name, s, as_tag, &ref, err));
    LAKE_TRY(set_retention(base, ref, o, &changed, err));
    return say(base, as_tag ? "tag" : "branch", e->name, s, err);
}

static lake_status keep(void *user, lake_base *base, lake_json *doc, lake_error *err) {
    const editing *e = user;
    bool tag, changed = false;
    lake_json *ref;
    const lake_snapshot *s = snapshot_of(base->metadata, e->name, &tag);
    if (!s)
        return fail_no_ref(e->name, err);
    LAKE_TRY(check_retention(e->name, tag, e->options, err));
    LAKE_TRY(point_to(base, doc, e->name, s, tag, &ref, err));
    LAKE_TRY(set_retention(base, ref, e->options, &changed, err));
    base->nothing = !changed;
    return say(base, tag ? "tag" : "branch", e->name, s, err);
}

static lake_status drop(void *user, lake_base *base, lake_json *doc, lake_error *err) {
    const editing *e = user;
    const lake_ref *ref = lake_metadata_ref(base->metadata, e->name);
    if (lake_str_is(e->name, "main"))
        return lake_fail(err, LAKE_ERR_USAGE, "main cannot be dropped: every table has it");
    if (!ref)
        return fail_no_ref(e->name, err);
    lake_json *refs = lake_document_refs(base->arena, doc, base->metadata);
    lake_str key = lake_arena_str(base->arena, e->name.ptr, e->name.len);
    if (!refs || !key.ptr)
        return lake_fail_memory(err);
    lake_json_remove(refs, key.ptr);
    return say(base, ref->tag ? "dropped-tag" : "dropped-branch", e->name,
        lake_metadata_snapshot(base->metadata, ref->snapshot_id), err);
}

/* A branch that is not there yet is made, as the official library does. */
static lake_status fast_forward(void *user, lake_base *base, lake_json *doc, lake_error *err) {
    const editing *e = user;
    const lake_metadata *m = base->metadata;
    bool tag, to_tag;
    lake_json *ref;
    const lake_snapshot *from = snapshot_of(m, e->name, &tag), *to = snapshot_of(m, e->to, &to_tag);
    if (tag)
        return lake_fail(err, LAKE_ERR_USAGE, "'%.*s' is a tag, which never moves", LAKE_ARG(e->name));
    if (!to)
        return fail_no_ref(e->to, err);
    base->nothing = from == to;
    if (from && !lake_snapshot_is_ancestor(m, from->id, to))
        return lake_fail(err, LAKE_ERR_USAGE,
            "'%.*s' (snapshot %lld) does not come from '%.*s' (%lld): a branch moves forward only", LAKE_ARG(e->to),
            (long long)to->id, LAKE_ARG(e->name), (long long)from->id);
    LAKE_TRY(point_to(base, doc, e->name, to, false, &ref, err));
    if (lake_str_is(e->name, "main") && !base->nothing &&
        !lake_document_set_current(base->arena, doc, base->now_ms, to->id))
        return lake_fail_memory(err);
    return say(base, "branch", e->name, to, err);
}

/* ---- the API */

static lake_status run(lake_table *table, editing *e,
    lake_status (*edit)(void *, lake_base *, lake_json *, lake_error *), const lake_commit_options *options,
    const lake_sink *sink, lake_error *err) {
    lake_commit_source source = {.user = e, .edit = edit};
    if (!e->name.len)
        return lake_fail(err, LAKE_ERR_USAGE, "the name of a branch or tag is empty");
    if (!lake_utf8_valid(lake_bytes_of(e->name)))
        return lake_fail(err, LAKE_ERR_USAGE, "the name of a branch or tag is no UTF-8");
    return lake_commit_run(table, &source, options, sink, err);
}

lake_status lake_table_create_ref(lake_table *table, const char *name, const lake_ref_options *ref,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err) {
    editing e = {.name = lake_str_of(name ? name : ""), .options = ref};
    return run(table, &e, create, options, sink, err);
}

lake_status lake_table_keep_ref(lake_table *table, const char *name, const lake_ref_options *ref,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err) {
    editing e = {.name = lake_str_of(name ? name : ""), .options = ref};
    return run(table, &e, keep, options, sink, err);
}

lake_status lake_table_drop_ref(
    lake_table *table, const char *name, const lake_commit_options *options, const lake_sink *sink, lake_error *err) {
    editing e = {.name = lake_str_of(name ? name : "")};
    return run(table, &e, drop, options, sink, err);
}

lake_status lake_table_fast_forward(lake_table *table, const char *branch, const char *to,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err) {
    editing e = {.name = lake_str_of(branch ? branch : "main"), .to = lake_str_of(to ? to : "")};
    return run(table, &e, fast_forward, options, sink, err);
}
