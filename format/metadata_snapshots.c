/* The changing part of table metadata: snapshots, refs, the two logs (spec.md, "Snapshots", "Snapshot References",
   Appendix C). Ids are exact 64-bit integers or an error. */
#include "format/metadata_place.h"

#include <stdlib.h>

/* Is an element an object? */
static lake_status element(
    const lake_metadata_reading *r, const lake_json *list, size_t i, const lake_place *at, const lake_json **out) {
    *out = list->items[i];
    return lake_json_is(*out, LAKE_JSON_OBJECT) ? LAKE_OK : lake_place_fail(r, at, "not an object");
}

/* v1 tables may name manifests instead of a list; tables upgraded from v1 still do. */
static lake_status read_manifests(
    const lake_metadata_reading *r, const lake_json *json, const lake_place *at, lake_snapshot *s) {
    bool found;
    const lake_json *list;
    LAKE_TRY(lake_take_str(r, json, at, "manifest-list", &found, &s->manifest_list));
    if (found && !s->manifest_list.len)
        return lake_place_fail(r, LAKE_AT(at, "manifest-list"), "empty");
    LAKE_TRY(lake_take_list(r, json, at, "manifests", &list));
    if (found)
        return LAKE_OK; /* the list decides */
    if (!list)
        return lake_place_fail(r, LAKE_AT(at, "manifest-list"), "missing");
    lake_str *paths = LAKE_ARENA_ARRAY(r->arena, lake_str, list->count + 1);
    if (!paths)
        return lake_fail_memory(r->err);
    for (size_t i = 0; i < list->count; i++) {
        if (!lake_json_is(list->items[i], LAKE_JSON_STRING))
            return lake_place_fail(r, LAKE_AT_INDEX(LAKE_AT(at, "manifests"), i), "not a string");
        paths[i] = list->items[i]->text;
    }
    s->manifests = paths;
    s->nmanifests = list->count;
    return LAKE_OK;
}

static lake_status read_snapshot(
    const lake_metadata_reading *r, const lake_json *json, const lake_place *at, lake_snapshot *s) {
    bool found, added;
    s->json = json;
    LAKE_TRY(lake_take_i64(r, json, at, "snapshot-id", NULL, &s->id));
    LAKE_TRY(lake_take_i64(r, json, at, "parent-snapshot-id", &s->has_parent, &s->parent_id));
    LAKE_TRY(lake_take_i64(r, json, at, "timestamp-ms", NULL, &s->timestamp_ms));
    /* Tables upgraded from v1 keep snapshots without a sequence number: 0. */
    LAKE_TRY(lake_take_i64(r, json, at, "sequence-number", &found, &s->sequence_number));
    if (s->sequence_number < 0)
        return lake_place_fail(r, LAKE_AT(at, "sequence-number"), "%lld is negative", (long long)s->sequence_number);
    if (r->m->format_version > 1 && s->sequence_number > r->m->last_sequence_number)
        return lake_place_fail(r, LAKE_AT(at, "sequence-number"), "%lld is beyond last-sequence-number, %lld",
            (long long)s->sequence_number, (long long)r->m->last_sequence_number);
    LAKE_TRY(read_manifests(r, json, at, s));
    LAKE_TRY(lake_take_string_map(r, json, at, "summary", &s->summary));
    LAKE_TRY(lake_take_i32(r, json, at, "schema-id", &s->has_schema_id, &s->schema_id));
    if (r->m->format_version < 3)
        return LAKE_OK;
    LAKE_TRY(lake_take_i64(r, json, at, "first-row-id", &s->has_first_row_id, &s->first_row_id));
    LAKE_TRY(lake_take_i64(r, json, at, "added-rows", &added, &s->added_rows));
    if (s->has_first_row_id && !added)
        return lake_place_fail(r, LAKE_AT(at, "added-rows"), "missing beside first-row-id");
    if (s->first_row_id < 0 || s->added_rows < 0)
        return lake_place_fail(r, LAKE_AT(at, s->first_row_id < 0 ? "first-row-id" : "added-rows"), "negative");
    return LAKE_OK;
}

static int by_id(const void *a, const void *b) {
    int64_t x = (*(const lake_snapshot *const *)a)->id, y = (*(const lake_snapshot *const *)b)->id;
    return (x > y) - (x < y);
}

static lake_status index_snapshots(const lake_metadata_reading *r) {
    size_t n = r->m->nsnapshots;
    lake_snapshot **sorted = LAKE_ARENA_ARRAY(r->arena, lake_snapshot *, n + 1);
    if (!sorted)
        return lake_fail_memory(r->err);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &r->m->snapshots[i];
    qsort(sorted, n, sizeof *sorted, by_id);
    for (size_t i = 1; i < n; i++)
        if (sorted[i]->id == sorted[i - 1]->id)
            return lake_place_fail(
                r, LAKE_AT(NULL, "snapshots"), "the snapshot id %lld is there twice", (long long)sorted[i]->id);
    r->m->snapshots_by_id = sorted;
    return LAKE_OK;
}

lake_status lake_metadata_read_snapshots(const lake_metadata_reading *r) {
    const lake_json *list;
    lake_place at = {.key = "snapshots"};
    LAKE_TRY(lake_take_list(r, r->json, NULL, "snapshots", &list));
    size_t n = list ? list->count : 0;
    r->m->snapshots = LAKE_ARENA_ARRAY(r->arena, lake_snapshot, n + 1);
    if (!r->m->snapshots)
        return lake_fail_memory(r->err);
    for (size_t i = 0; i < n; i++) {
        lake_place here = {.up = &at, .index = i};
        const lake_json *json;
        LAKE_TRY(element(r, list, i, &here, &json));
        LAKE_TRY(read_snapshot(r, json, &here, &r->m->snapshots[i]));
    }
    r->m->nsnapshots = n;
    return index_snapshots(r);
}

static lake_status read_ref(
    const lake_metadata_reading *r, const lake_json *json, const lake_place *at, lake_ref *ref) {
    lake_str type = {0};
    int32_t keep;
    int64_t age;
    bool found;
    ref->json = json;
    LAKE_TRY(lake_take_i64(r, json, at, "snapshot-id", NULL, &ref->snapshot_id));
    LAKE_TRY(lake_take_str(r, json, at, "type", NULL, &type));
    ref->tag = lake_str_is(type, "tag");
    if (!ref->tag && !lake_str_is(type, "branch"))
        return lake_place_fail(
            r, LAKE_AT(at, "type"), "'%.*s' is neither branch nor tag", (int)(type.len > 80 ? 80 : type.len), type.ptr);
    LAKE_TRY(lake_take_i32(r, json, at, "min-snapshots-to-keep", &found, &keep));
    LAKE_TRY(lake_take_i64(r, json, at, "max-snapshot-age-ms", &found, &age));
    LAKE_TRY(lake_take_i64(r, json, at, "max-ref-age-ms", &found, &age));
    if (!lake_metadata_snapshot(r->m, ref->snapshot_id))
        return lake_place_fail(r, LAKE_AT(at, "snapshot-id"), "there is no snapshot %lld", (long long)ref->snapshot_id);
    return LAKE_OK;
}

/* main and current-snapshot-id mean the same; -1, null and absent mean none. A missing one follows the other. */
static lake_status settle_main(const lake_metadata_reading *r) {
    lake_metadata *m = r->m;
    int64_t current = -1;
    bool found;
    LAKE_TRY(lake_take_i64(r, r->json, NULL, "current-snapshot-id", &found, &current));
    found = found && current != -1;
    const lake_ref *main = lake_metadata_ref(m, LAKE_STR("main"));
    if (main && main->tag)
        return lake_place_fail(r, LAKE_AT(LAKE_AT(LAKE_AT(NULL, "refs"), "main"), "type"), "main must be a branch");
    if (main && found && main->snapshot_id != current)
        return lake_place_fail(r, LAKE_AT(NULL, "current-snapshot-id"), "%lld, but the branch main is at %lld",
            (long long)current, (long long)main->snapshot_id);
    if (!main && !found)
        return LAKE_OK;
    m->snapshot = lake_metadata_snapshot(m, main ? main->snapshot_id : current);
    if (!m->snapshot)
        return lake_place_fail(
            r, LAKE_AT(NULL, "current-snapshot-id"), "there is no snapshot %lld", (long long)current);
    if (!main)
        m->refs[m->nrefs++] = (lake_ref){.name = LAKE_STR("main"), .snapshot_id = current};
    return LAKE_OK;
}

lake_status lake_metadata_read_refs(const lake_metadata_reading *r) {
    const lake_json *refs;
    lake_place at = {.key = "refs"};
    LAKE_TRY(lake_take_object(r, r->json, NULL, "refs", &refs));
    size_t n = refs ? refs->count : 0;
    if (n > LAKE_METADATA_MAX_LIST)
        return lake_place_fail(r, &at, "too many");
    r->m->refs = LAKE_ARENA_ARRAY(r->arena, lake_ref, n + 1);
    if (!r->m->refs)
        return lake_fail_memory(r->err);
    for (size_t i = 0; i < n; i++) {
        lake_place here = {.up = &at, .own_key = refs->members[i].name};
        if (!lake_json_is(refs->members[i].value, LAKE_JSON_OBJECT))
            return lake_place_fail(r, &here, "not an object");
        r->m->refs[i].name = refs->members[i].name;
        LAKE_TRY(read_ref(r, refs->members[i].value, &here, &r->m->refs[i]));
    }
    r->m->nrefs = n;
    return settle_main(r);
}

static lake_status read_log(
    const lake_metadata_reading *r, const char *key, bool of_files, lake_log_entry **out, size_t *nout) {
    const lake_json *list;
    lake_place at = {.key = key};
    LAKE_TRY(lake_take_list(r, r->json, NULL, key, &list));
    size_t n = list ? list->count : 0;
    *out = LAKE_ARENA_ARRAY(r->arena, lake_log_entry, n + 1);
    if (!*out)
        return lake_fail_memory(r->err);
    for (size_t i = 0; i < n; i++) {
        lake_place here = {.up = &at, .index = i};
        const lake_json *json;
        LAKE_TRY(element(r, list, i, &here, &json));
        LAKE_TRY(lake_take_i64(r, json, &here, "timestamp-ms", NULL, &(*out)[i].timestamp_ms));
        if (of_files)
            LAKE_TRY(lake_take_str(r, json, &here, "metadata-file", NULL, &(*out)[i].metadata_file));
        else
            LAKE_TRY(lake_take_i64(r, json, &here, "snapshot-id", NULL, &(*out)[i].snapshot_id));
    }
    *nout = n;
    return LAKE_OK;
}

lake_status lake_metadata_read_logs(const lake_metadata_reading *r) {
    LAKE_TRY(read_log(r, "snapshot-log", false, &r->m->snapshot_log, &r->m->nsnapshot_log));
    return read_log(r, "metadata-log", true, &r->m->metadata_log, &r->m->nmetadata_log);
}
