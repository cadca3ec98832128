/* `properties`: a table's properties set and taken away, in a commit without a snapshot (spec.md, "Table Metadata
   Fields"). Names that engines keep for what they show as properties are refused, as the official library does. */
#include "writer/properties.h"

#include "lake/maintain.h"
#include "writer/commit_internal.h"
#include "writer/document.h"

typedef struct editing {
    const char *const *set, *const *unset;
    size_t nset, nunset;
} editing;

lake_status lake_property_split(lake_arena *arena, const char *pair, lake_str *key, lake_str *value, lake_error *err) {
    static const char *const reserved[] = {"uuid", "snapshot-count", "current-snapshot-summary", "current-snapshot-id",
        "current-snapshot-timestamp-ms", "current-schema", "default-partition-spec", "default-sort-order"};
    const char *eq = pair ? strchr(pair, '=') : NULL;
    if (!eq || eq == pair)
        return lake_fail(err, LAKE_ERR_USAGE, "'%.100s' is no property: KEY=VALUE is meant", pair ? pair : "");
    *key = lake_arena_str(arena, pair, (size_t)(eq - pair));
    *value = lake_arena_str(arena, eq + 1, strlen(eq + 1));
    if (!key->ptr || !value->ptr)
        return lake_fail_memory(err);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (lake_str_is(*key, reserved[i]))
            return lake_fail(err, LAKE_ERR_USAGE, "the property '%s' is reserved", key->ptr);
    return LAKE_OK;
}

lake_status lake_property_version(lake_str value, int32_t *version, lake_error *err) {
    if (value.len != 1 || value.ptr[0] < '1' || value.ptr[0] > '3')
        return lake_fail(err, LAKE_ERR_USAGE, "the property format-version=%.*s is none of 1, 2, 3", LAKE_ARG(value));
    *version = value.ptr[0] - '0';
    return LAKE_OK;
}

/* ---- the change */

static lake_status set_one(
    lake_base *base, lake_json *doc, lake_json *properties, const char *pair, bool *changed, lake_error *err) {
    lake_str key, value;
    int32_t version;
    LAKE_TRY(lake_property_split(base->arena, pair, &key, &value, err));
    if (lake_str_is(key, "format-version")) {
        LAKE_TRY(lake_property_version(value, &version, err));
        *changed |= version != base->metadata->format_version;
        return lake_document_upgrade(base->arena, doc, base->metadata, version, err);
    }
    const lake_json *old = lake_json_find(properties, key.ptr);
    *changed |= !lake_json_is(old, LAKE_JSON_STRING) || !lake_str_eq(old->text, value);
    return lake_document_set_str(base->arena, properties, key.ptr, value) ? LAKE_OK : lake_fail_memory(err);
}

static lake_status unset_one(
    const editing *e, lake_base *base, lake_json *properties, const char *key, bool *changed, lake_error *err) {
    if (!key || !*key)
        return lake_fail(err, LAKE_ERR_USAGE, "an empty name is no property");
    for (size_t i = 0; i < e->nset; i++) {
        lake_str other, value;
        LAKE_TRY(lake_property_split(base->arena, e->set[i], &other, &value, err));
        if (lake_str_is(other, key))
            return lake_fail(err, LAKE_ERR_USAGE, "the property '%s' is both set and taken away", key);
    }
    *changed |= lake_json_remove(properties, key);
    return LAKE_OK;
}

static lake_status say(lake_base *base, const lake_json *properties, lake_error *err) {
    lake_buffer text;
    lake_buffer_init(&text);
    lake_buffer_puts(&text, "\"properties\":");
    lake_json_print(&text, properties, 0);
    if (!text.failed)
        base->said = lake_arena_str(base->arena, lake_buffer_view(&text).ptr, text.len);
    lake_buffer_clear(&text);
    return base->said.ptr ? LAKE_OK : lake_fail_memory(err);
}

static lake_status edit(void *user, lake_base *base, lake_json *doc, lake_error *err) {
    const editing *e = user;
    bool changed = false;
    lake_json *properties = lake_document_own(base->arena, doc, "properties", LAKE_JSON_OBJECT);
    if (!properties)
        return lake_fail_memory(err);
    for (size_t i = 0; i < e->nset; i++)
        LAKE_TRY(set_one(base, doc, properties, e->set[i], &changed, err));
    for (size_t i = 0; i < e->nunset; i++)
        LAKE_TRY(unset_one(e, base, properties, e->unset[i], &changed, err));
    base->nothing = !changed;
    return say(base, properties, err);
}

lake_status lake_table_set_properties(lake_table *table, const char *const *set, size_t nset, const char *const *unset,
    size_t nunset, const lake_commit_options *options, const lake_sink *sink, lake_error *err) {
    editing e = {set, unset, nset, nunset};
    lake_commit_source source = {.user = &e, .edit = edit};
    if (!nset && !nunset)
        return lake_fail(err, LAKE_ERR_USAGE, "no property is set or taken away");
    return lake_commit_run(table, &source, options, sink, err);
}
