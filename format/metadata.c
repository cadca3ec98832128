/* Table metadata: the document as a whole, and the lists of schemas, specs and sort orders (spec.md, "Table Metadata",
   Appendix C; for v1 the older members `schema` and `partition-spec`). What is not known stays in lake_metadata.json.
 */
#include "format/metadata.h"

#include "format/metadata_place.h"
#include "wire/codec.h"

/* Most bytes of a document after decompression. */
#define MAX_DOCUMENT ((size_t)1 << 30)
/* Most schemas, and most specs. */
enum { MAX_SCHEMAS = 1 << 15 };

static lake_status read_schema(
    const lake_metadata_reading *r, const lake_json *json, const lake_place *at, lake_schema **out) {
    if (!lake_json_is(json, LAKE_JSON_OBJECT))
        return lake_place_fail(r, at, "not an object");
    return lake_place_wrap(r, lake_schema_read(r->arena, json, out, r->err), at);
}

static lake_status read_schemas(const lake_metadata_reading *r) {
    lake_metadata *m = r->m;
    const lake_json *list, *single;
    int32_t current = 0;
    bool found = false;
    lake_place at = {.key = "schemas"};
    LAKE_TRY(lake_take_list(r, r->json, NULL, "schemas", &list));
    LAKE_TRY(lake_take_object(r, r->json, NULL, "schema", &single));
    LAKE_TRY(lake_take_i32(r, r->json, NULL, "current-schema-id", &found, &current));
    /* Only v1 may do without the list, but writers that upgraded a v1 table by hand have left it so. */
    bool legacy = !list || (m->format_version == 1 && !found && single);
    if (legacy && !single)
        return lake_place_fail(r, &at, "missing");
    m->nschemas = legacy ? 1 : list->count;
    if (m->nschemas > MAX_SCHEMAS)
        return lake_place_fail(r, &at, "%zu schemas (the limit is %d)", m->nschemas, MAX_SCHEMAS);
    m->schemas = LAKE_ARENA_ARRAY(r->arena, lake_schema *, m->nschemas + 1);
    if (!m->schemas)
        return lake_fail_memory(r->err);
    if (legacy) {
        LAKE_TRY(read_schema(r, single, LAKE_AT(NULL, "schema"), &m->schemas[0]));
        m->schema = m->schemas[0];
        return LAKE_OK;
    }
    for (size_t i = 0; i < m->nschemas; i++) {
        lake_place here = {.up = &at, .index = i};
        LAKE_TRY(read_schema(r, list->items[i], &here, &m->schemas[i]));
        for (size_t k = 0; k < i; k++)
            if (m->schemas[k]->id == m->schemas[i]->id)
                return lake_place_fail(r, &here, "the schema id %d is there twice", (int)m->schemas[i]->id);
    }
    if (!found)
        return lake_place_fail(r, LAKE_AT(NULL, "current-schema-id"), "missing");
    m->schema = lake_metadata_schema(m, current);
    return m->schema ? LAKE_OK
                     : lake_place_fail(r, LAKE_AT(NULL, "current-schema-id"), "there is no schema %d", (int)current);
}

/* v1 without `partition-specs`: the bare list of fields. */
static lake_status read_legacy_spec(const lake_metadata_reading *r) {
    lake_metadata *m = r->m;
    const lake_json *fields;
    LAKE_TRY(lake_take_list(r, r->json, NULL, "partition-spec", &fields));
    if (!fields)
        return lake_place_fail(r, LAKE_AT(NULL, "partition-specs"), "missing");
    m->specs = LAKE_ARENA_ARRAY(r->arena, lake_spec *, 1);
    if (!m->specs)
        return lake_fail_memory(r->err);
    LAKE_TRY(
        lake_place_wrap(r, lake_spec_read(r->arena, fields, &m->specs[0], r->err), LAKE_AT(NULL, "partition-spec")));
    m->nspecs = 1;
    m->spec = m->specs[0];
    return LAKE_OK;
}

static lake_status read_specs(const lake_metadata_reading *r) {
    lake_metadata *m = r->m;
    const lake_json *list;
    int32_t id = 0;
    bool found;
    lake_place at = {.key = "partition-specs"};
    LAKE_TRY(lake_take_list(r, r->json, NULL, "partition-specs", &list));
    if (!list)
        return read_legacy_spec(r);
    LAKE_TRY(lake_take_i32(r, r->json, NULL, "default-spec-id", &found, &id));
    if (!found && (m->format_version > 1 || list->count > 1))
        return lake_place_fail(r, LAKE_AT(NULL, "default-spec-id"), "missing");
    if (list->count > MAX_SCHEMAS)
        return lake_place_fail(r, &at, "%zu specs (the limit is %d)", list->count, MAX_SCHEMAS);
    m->specs = LAKE_ARENA_ARRAY(r->arena, lake_spec *, list->count + 1);
    if (!m->specs)
        return lake_fail_memory(r->err);
    for (size_t i = 0; i < list->count; i++) {
        lake_place here = {.up = &at, .index = i};
        if (!lake_json_is(list->items[i], LAKE_JSON_OBJECT))
            return lake_place_fail(r, &here, "not an object");
        LAKE_TRY(lake_place_wrap(r, lake_spec_read(r->arena, list->items[i], &m->specs[i], r->err), &here));
        if (lake_metadata_spec(m, m->specs[i]->id))
            return lake_place_fail(r, &here, "the spec id %d is there twice", (int)m->specs[i]->id);
        m->nspecs++;
    }
    m->spec = found ? lake_metadata_spec(m, id) : m->nspecs ? m->specs[0] : NULL;
    return m->spec ? LAKE_OK : lake_place_fail(r, LAKE_AT(NULL, "default-spec-id"), "there is no spec %d", (int)id);
}

static lake_status read_sort_orders(const lake_metadata_reading *r) {
    lake_metadata *m = r->m;
    const lake_json *list;
    bool found, known;
    lake_place at = {.key = "sort-orders"};
    LAKE_TRY(lake_take_list(r, r->json, NULL, "sort-orders", &list));
    LAKE_TRY(lake_take_i32(r, r->json, NULL, "default-sort-order-id", &found, &m->default_sort_order_id));
    if (m->format_version > 1 && (!list || !found))
        return lake_place_fail(r, list ? LAKE_AT(NULL, "default-sort-order-id") : &at, "missing");
    m->sort_orders = LAKE_ARENA_ARRAY(r->arena, lake_sort_order *, list ? list->count + 1 : 1);
    if (!m->sort_orders)
        return lake_fail_memory(r->err);
    known = m->default_sort_order_id == 0; /* unsorted, listed or not */
    for (size_t i = 0; list && i < list->count; i++) {
        lake_place here = {.up = &at, .index = i};
        if (!lake_json_is(list->items[i], LAKE_JSON_OBJECT))
            return lake_place_fail(r, &here, "not an object");
        LAKE_TRY(lake_place_wrap(r, lake_sort_order_read(r->arena, list->items[i], &m->sort_orders[i], r->err), &here));
        known = known || m->sort_orders[i]->id == m->default_sort_order_id;
        m->nsort_orders++;
    }
    return known ? LAKE_OK
                 : lake_place_fail(r, LAKE_AT(NULL, "default-sort-order-id"), "there is no sort order %d",
                       (int)m->default_sort_order_id);
}

/* In v1 the highest partition field id may be left out: then it is that of the specs. */
static lake_status read_last_partition_id(const lake_metadata_reading *r) {
    lake_metadata *m = r->m;
    bool found;
    m->last_partition_id = 999;
    LAKE_TRY(lake_take_i32(
        r, r->json, NULL, "last-partition-id", m->format_version == 1 ? &found : NULL, &m->last_partition_id));
    if (m->format_version == 1 && !found)
        for (size_t i = 0; i < m->nspecs; i++)
            for (size_t k = 0; k < m->specs[i]->nfields; k++)
                if (m->specs[i]->fields[k].id > m->last_partition_id)
                    m->last_partition_id = m->specs[i]->fields[k].id;
    return LAKE_OK;
}

static lake_status read_version(const lake_metadata_reading *r) {
    LAKE_TRY(lake_take_i32(r, r->json, NULL, "format-version", NULL, &r->m->format_version));
    if (r->m->format_version < 1 || r->m->format_version > 3) {
        lake_place_fail(r, LAKE_AT(NULL, "format-version"),
            "version %d of the table format is not supported (1 to 3 are)", (int)r->m->format_version);
        if (r->err)
            r->err->status = LAKE_ERR_UNSUPPORTED;
        return LAKE_ERR_UNSUPPORTED;
    }
    return LAKE_OK;
}

static lake_status read_scalars(const lake_metadata_reading *r) {
    lake_metadata *m = r->m;
    bool found;
    LAKE_TRY(lake_take_str(r, r->json, NULL, "table-uuid", m->format_version == 1 ? &found : NULL, &m->uuid));
    LAKE_TRY(lake_take_str(r, r->json, NULL, "location", NULL, &m->location));
    if (!m->location.len)
        return lake_place_fail(r, LAKE_AT(NULL, "location"), "empty");
    if (m->location.len > 1 && m->location.ptr[m->location.len - 1] == '/')
        m->location.len--;
    if (m->format_version > 1)
        LAKE_TRY(lake_take_i64(r, r->json, NULL, "last-sequence-number", NULL, &m->last_sequence_number));
    if (m->last_sequence_number < 0)
        return lake_place_fail(r, LAKE_AT(NULL, "last-sequence-number"), "negative");
    LAKE_TRY(lake_take_i64(r, r->json, NULL, "last-updated-ms", NULL, &m->last_updated_ms));
    return lake_take_i32(r, r->json, NULL, "last-column-id", NULL, &m->last_column_id);
}

/* A v3 table that never had a snapshot may lack it (writers have left it out); it starts at 0. */
static lake_status read_next_row_id(const lake_metadata_reading *r) {
    lake_metadata *m = r->m;
    bool found, needed = false;
    if (m->format_version < 3)
        return LAKE_OK;
    for (size_t i = 0; i < m->nsnapshots; i++)
        needed = needed || m->snapshots[i].has_first_row_id;
    LAKE_TRY(lake_take_i64(r, r->json, NULL, "next-row-id", needed ? NULL : &found, &m->next_row_id));
    return m->next_row_id >= 0 ? LAKE_OK : lake_place_fail(r, LAKE_AT(NULL, "next-row-id"), "negative");
}

static lake_status read_document(const lake_metadata_reading *r) {
    lake_metadata *m = r->m;
    const lake_json *keys;
    if (!lake_json_is(r->json, LAKE_JSON_OBJECT))
        return lake_place_fail(r, NULL, "table metadata must be a JSON object");
    LAKE_TRY(read_version(r));
    LAKE_TRY(read_scalars(r));
    LAKE_TRY(read_schemas(r));
    LAKE_TRY(read_specs(r));
    LAKE_TRY(read_last_partition_id(r));
    LAKE_TRY(read_sort_orders(r));
    LAKE_TRY(lake_take_string_map(r, r->json, NULL, "properties", &m->properties));
    LAKE_TRY(lake_metadata_read_snapshots(r));
    LAKE_TRY(lake_metadata_read_refs(r));
    LAKE_TRY(lake_metadata_read_logs(r));
    LAKE_TRY(lake_take_list(r, r->json, NULL, "statistics", &m->statistics));
    LAKE_TRY(lake_take_list(r, r->json, NULL, "partition-statistics", &m->partition_statistics));
    LAKE_TRY(lake_take_list(r, r->json, NULL, "encryption-keys", &keys));
    return read_next_row_id(r);
}

lake_status lake_metadata_from_json(
    lake_arena *arena, const lake_json *json, const char *name, lake_metadata **out, lake_error *err) {
    lake_metadata *m = LAKE_ARENA_NEW(arena, lake_metadata);
    if (!m)
        return lake_fail_memory(err);
    m->json = json;
    lake_metadata_reading r = {arena, name, json, m, err};
    LAKE_TRY(read_document(&r));
    *out = m;
    return LAKE_OK;
}

static lake_status inflate(lake_bytes bytes, size_t limit, lake_buffer *out, lake_error *err) {
    lake_codec_scratch *scratch = lake_codec_scratch_new();
    if (!scratch)
        return lake_fail_memory(err);
    lake_status s = lake_codec_decode(scratch, LAKE_CODEC_GZIP, bytes, 0, false, limit, out, err);
    lake_codec_scratch_free(scratch);
    return s;
}

lake_status lake_metadata_read_within(
    lake_arena *arena, lake_bytes bytes, uint64_t limit, const char *name, lake_metadata **out, lake_error *err) {
    lake_buffer plain;
    lake_buffer_init(&plain);
    lake_json *json = NULL;
    lake_status s = LAKE_OK;
    size_t most = limit && limit < MAX_DOCUMENT ? (size_t)limit : MAX_DOCUMENT;
    if (bytes.len > most)
        return lake_fail(err, LAKE_ERR_LIMIT, "%s: table metadata of %zu bytes (the limit is %zu)", name ? name : "",
            bytes.len, most);
    if (bytes.len > 2 && bytes.ptr[0] == 0x1f && bytes.ptr[1] == 0x8b) {
        s = inflate(bytes, most, &plain, err);
        if (s != LAKE_OK && s != LAKE_ERR_NO_MEMORY && name)
            s = lake_wrap(err, s, "%s", name);
        bytes = lake_bytes_of(lake_buffer_view(&plain));
    }
    if (s == LAKE_OK)
        s = lake_json_parse(arena, lake_text_of(bytes), name, &json, err);
    lake_buffer_clear(&plain);
    return s == LAKE_OK ? lake_metadata_from_json(arena, json, name, out, err) : s;
}

lake_status lake_metadata_read(
    lake_arena *arena, lake_bytes bytes, const char *name, lake_metadata **out, lake_error *err) {
    return lake_metadata_read_within(arena, bytes, 0, name, out, err);
}

const lake_schema *lake_metadata_schema(const lake_metadata *m, int32_t id) {
    for (size_t i = 0; i < m->nschemas; i++)
        if (m->schemas[i]->id == id)
            return m->schemas[i];
    return NULL;
}

const lake_spec *lake_metadata_spec(const lake_metadata *m, int32_t id) {
    for (size_t i = 0; i < m->nspecs; i++)
        if (m->specs[i]->id == id)
            return m->specs[i];
    return NULL;
}

const lake_snapshot *lake_metadata_snapshot(const lake_metadata *m, int64_t id) {
    size_t lo = 0, hi = m->nsnapshots;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->snapshots_by_id[mid]->id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < m->nsnapshots && m->snapshots_by_id[lo]->id == id ? m->snapshots_by_id[lo] : NULL;
}

const lake_ref *lake_metadata_ref(const lake_metadata *m, lake_str name) {
    for (size_t i = 0; i < m->nrefs; i++)
        if (lake_str_eq(m->refs[i].name, name))
            return &m->refs[i];
    return NULL;
}

lake_str lake_metadata_property(const lake_metadata *m, const char *key) {
    const lake_json *v = lake_json_get(m->properties, key);
    return lake_json_is(v, LAKE_JSON_STRING) ? v->text : (lake_str){NULL, 0};
}
