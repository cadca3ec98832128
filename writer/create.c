/* `create`: the first metadata document of a table (spec.md, "Table Metadata Fields"; column ids are those of the
   schema given, so that files which were written with them match). */
#include "reader/stats.h"
#include "writer/commit_internal.h"
#include "writer/create_internal.h"
#include "writer/manifest_files.h"
#include "writer/properties.h"

typedef struct creating {
    lake_session *session;
    lake_arena *arena;
    const lake_create_options *options;
    int32_t version;
    lake_str location; /* as recorded */
    lake_schema *schema;
    bool without_ids; /* the schema is that of a data file without field ids */
    lake_spec *spec;
    int32_t last_partition_id;
    lake_sort_order *order; /* NULL: unsorted */
    lake_json *properties;
    lake_error *err;
} creating;

/* ---- the schema */

/* Parquet, Avro or ORC, by its first bytes. */
static bool is_data_file(const creating *c, lake_str at) {
    lake_file *file;
    char magic[4];
    if (lake_store_open(&c->session->store, at, &file, NULL) != LAKE_OK)
        return false;
    bool read = lake_file_read(file, 0, magic, sizeof magic, NULL) == LAKE_OK;
    lake_file_close(file);
    return read && (memcmp(magic, "PAR1", 4) == 0 || memcmp(magic, "Obj\1", 4) == 0 || memcmp(magic, "ORC", 3) == 0);
}

static lake_status schema_of_data_file(creating *c, lake_str at) {
    bool ids;
    LAKE_TRY(lake_schema_from_file(&c->session->store, at, c->arena, &c->schema, &ids, c->err));
    c->without_ids = !ids;
    return LAKE_OK;
}

static bool is_object(lake_str text) {
    size_t i = 0;
    while (i < text.len && (text.ptr[i] == ' ' || (text.ptr[i] >= '\t' && text.ptr[i] <= '\r')))
        i++;
    return i < text.len && text.ptr[i] == '{';
}

static lake_status load_schema(creating *c) {
    lake_str at = lake_str_of(c->options->schema);
    lake_blob blob;
    lake_json *json;
    if (is_data_file(c, at))
        return schema_of_data_file(c, at);
    LAKE_TRY(lake_store_read(&c->session->store, at, &blob, c->err));
    lake_str text = {(const char *)blob.data, blob.size};
    lake_status s = is_object(text)
        ? lake_json_parse(c->arena, text, c->options->schema, &json, c->err)
        : lake_fail(c->err, LAKE_ERR_MALFORMED, "%s: neither an Iceberg schema as JSON nor a Parquet, Avro or ORC file",
              c->options->schema);
    if (s == LAKE_OK)
        s = lake_wrap(c->err, lake_schema_read(c->arena, json, &c->schema, c->err), "%s", c->options->schema);
    lake_blob_clear(&blob);
    return s;
}

bool lake_type_needs_v3(const lake_type *type) {
    switch (type->id) {
    case LAKE_UNKNOWN:
    case LAKE_VARIANT:
    case LAKE_GEOMETRY:
    case LAKE_GEOGRAPHY:
    case LAKE_TIMESTAMP_NS:
    case LAKE_TIMESTAMPTZ_NS: return true;
    default: return false;
    }
}

static bool needs_v3(const lake_field *f) {
    return lake_type_needs_v3(&f->type) || f->initial_default || f->write_default;
}

static lake_status refuse_field(const creating *c, const lake_field *f, const char *why) {
    lake_buffer name;
    lake_buffer_init(&name);
    lake_field_full_name(&name, f);
    lake_status s = lake_fail(
        c->err, LAKE_ERR_USAGE, "%s: column '%.*s' %s", c->options->schema, LAKE_ARG(lake_buffer_view(&name)), why);
    lake_buffer_clear(&name);
    return s;
}

/* Ids from 2147483447 on are reserved for metadata columns. */
static lake_status check_schema(const creating *c) {
    for (size_t i = 0; i < c->schema->nby_id; i++) {
        const lake_field *f = c->schema->by_id[i];
        if (f->id < 1 || f->id >= LAKE_FIRST_RESERVED_ID)
            return refuse_field(c, f, "has an id that is not positive or is reserved");
        if (c->version < 3 && needs_v3(f))
            return refuse_field(c, f, "has a type or a default that needs format version 3");
        if (f->type.id == LAKE_UNKNOWN && f->required)
            return refuse_field(c, f, "is of type unknown and must be optional");
    }
    return LAKE_OK;
}

/* ---- properties */

static lake_status take_property(creating *c, const char *pair) {
    lake_str key, value;
    LAKE_TRY(lake_property_split(c->arena, pair, &key, &value, c->err));
    if (lake_str_is(key, "format-version")) { /* as engines take it */
        LAKE_TRY(lake_property_version(value, &c->version, c->err));
        if (c->options->format_version && c->options->format_version != c->version)
            return lake_fail(c->err, LAKE_ERR_USAGE,
                "the property format-version=%d is not the version that was asked for", (int)c->version);
        return LAKE_OK;
    }
    lake_json *text = lake_json_new_string(c->arena, value);
    return text && lake_json_set(c->arena, c->properties, key.ptr, text) ? LAKE_OK : lake_fail_memory(c->err);
}

/* Files without field ids are read by a name mapping; a table made from such a file gets one. */
static lake_status add_name_mapping(creating *c) {
    static const char key[] = "schema.name-mapping.default";
    if (!c->without_ids || lake_json_get(c->properties, key))
        return LAKE_OK;
    lake_buffer text;
    lake_buffer_init(&text);
    lake_name_mapping_print(&text, &c->schema->root);
    lake_json *value = text.failed ? NULL : lake_json_new_string(c->arena, lake_buffer_view(&text));
    lake_buffer_clear(&text);
    return value && lake_json_set(c->arena, c->properties, key, value) ? LAKE_OK : lake_fail_memory(c->err);
}

static lake_status take_properties(creating *c) {
    c->properties = lake_json_new(c->arena, LAKE_JSON_OBJECT);
    if (!c->properties)
        return lake_fail_memory(c->err);
    for (size_t i = 0; i < c->options->nproperties; i++)
        LAKE_TRY(take_property(c, c->options->properties[i]));
    return LAKE_OK;
}

/* ---- the document */

static bool set(creating *c, lake_json *doc, const char *key, lake_json *value) {
    return value && lake_json_set(c->arena, doc, key, value);
}
static bool set_i64(creating *c, lake_json *doc, const char *key, int64_t n) {
    return set(c, doc, key, lake_json_new_i64(c->arena, n));
}
static bool set_str(creating *c, lake_json *doc, const char *key, lake_str s) {
    return set(c, doc, key, lake_json_new_string(c->arena, s));
}
static bool set_list(creating *c, lake_json *doc, const char *key, lake_json *only) {
    lake_json *list = lake_json_new(c->arena, LAKE_JSON_ARRAY);
    return list && (!only || lake_json_push(c->arena, list, only)) && set(c, doc, key, list);
}

static lake_json *schema_json(creating *c) {
    lake_json *o = lake_schema_write(c->arena, c->schema);
    return o && set_i64(c, o, "schema-id", 0) ? o : NULL;
}

static bool set_orders(creating *c, lake_json *doc) {
    lake_sort_order unsorted = {0};
    lake_json *list = lake_json_new(c->arena, LAKE_JSON_ARRAY);
    lake_json *order = lake_sort_order_write(c->arena, c->order ? c->order : &unsorted);
    return list && order && lake_json_push(c->arena, list, order) &&
        set_i64(c, doc, "default-sort-order-id", c->order ? c->order->id : 0) && set(c, doc, "sort-orders", list);
}

/* Members in the order that other writers have; v1 has the older ones, too. No snapshot: current-snapshot-id is left
 * out. */
static lake_json *document(creating *c, const char *uuid) {
    bool v1 = c->version == 1;
    lake_json *doc = lake_json_new(c->arena, LAKE_JSON_OBJECT), *schema = schema_json(c);
    int32_t last = c->schema->nby_id ? c->schema->by_id[c->schema->nby_id - 1]->id : 0;
    bool done = doc && schema && set_i64(c, doc, "format-version", c->version) &&
        set_str(c, doc, "table-uuid", lake_str_of(uuid)) && set_str(c, doc, "location", c->location) &&
        (v1 || set_i64(c, doc, "last-sequence-number", 0)) && set_i64(c, doc, "last-updated-ms", lake_now_ms()) &&
        set_i64(c, doc, "last-column-id", last) && (!v1 || set(c, doc, "schema", schema)) &&
        set_i64(c, doc, "current-schema-id", 0) && set_list(c, doc, "schemas", schema) &&
        (!v1 || set(c, doc, "partition-spec", lake_spec_fields_write(c->arena, c->spec))) &&
        set_i64(c, doc, "default-spec-id", 0) &&
        set_list(c, doc, "partition-specs", lake_spec_write(c->arena, c->spec)) &&
        set_i64(c, doc, "last-partition-id", c->last_partition_id) && set_orders(c, doc) &&
        set(c, doc, "properties", c->properties) && set(c, doc, "refs", lake_json_new(c->arena, LAKE_JSON_OBJECT)) &&
        set_list(c, doc, "snapshots", NULL) && set_list(c, doc, "statistics", NULL) &&
        set_list(c, doc, "partition-statistics", NULL) && set_list(c, doc, "snapshot-log", NULL) &&
        set_list(c, doc, "metadata-log", NULL) && (c->version < 3 || set_i64(c, doc, "next-row-id", 0));
    return done ? doc : NULL;
}

static lake_status gather(creating *c, const char *location) {
    int32_t next_id = 1000;
    const char *partition_by = c->options->partition_by ? c->options->partition_by : "";
    c->version = c->options->format_version ? c->options->format_version : 2;
    if (c->version < 1 || c->version > 3)
        return lake_fail(c->err, LAKE_ERR_USAGE, "format version %d: 1, 2 and 3 can be written", (int)c->version);
    LAKE_TRY(take_properties(c));
    LAKE_TRY(lake_location_recorded(&c->session->store, c->arena,
        c->options->recorded_location ? c->options->recorded_location : location, &c->location, c->err));
    while (c->location.len > 1 && c->location.ptr[c->location.len - 1] == '/')
        c->location.len--;
    LAKE_TRY(load_schema(c));
    LAKE_TRY(check_schema(c));
    LAKE_TRY(add_name_mapping(c));
    LAKE_TRY(lake_spec_from_text(c->arena, lake_str_of(partition_by), c->schema, 0, &next_id, &c->spec, c->err));
    c->last_partition_id = next_id - 1;
    if (c->options->sort_by)
        LAKE_TRY(lake_sort_order_from_text(c->arena, lake_str_of(c->options->sort_by), c->schema, &c->order, c->err));
    return LAKE_OK;
}

static lake_status create(creating *c, const char *location) {
    char uuid[37];
    lake_table_pointer at;
    lake_buffer bytes;
    LAKE_TRY(gather(c, location));
    LAKE_TRY(lake_uuid_draw(uuid, c->err));
    lake_json *doc = document(c, uuid);
    if (!doc)
        return lake_fail_memory(c->err);
    /* What is written must be what can be read. */
    lake_metadata *check;
    LAKE_TRY(lake_metadata_from_json(c->arena, doc, "the new table", &check, c->err));
    lake_buffer_init(&bytes);
    lake_status s =
        lake_metadata_encode(doc, lake_metadata_property(check, "write.metadata.compression-codec"), &bytes, c->err);
    if (s == LAKE_OK)
        s = lake_directory_commit(&c->session->store, c->arena, lake_str_of(location), NULL,
            lake_bytes_of(lake_buffer_view(&bytes)), NULL, &at, c->err);
    lake_buffer_clear(&bytes);
    return s;
}

lake_status lake_table_create(lake_session *session, const char *location, const lake_create_options *options,
    lake_table **out, lake_error *err) {
    lake_arena arena;
    *out = NULL;
    if (!location || !*location || !options || !options->schema)
        return lake_fail(err, LAKE_ERR_USAGE, "a new table needs a location and a schema");
    lake_arena_init(&arena, 0);
    creating c = {.session = session, .arena = &arena, .options = options, .err = err};
    lake_status s = create(&c, location);
    lake_arena_clear(&arena);
    return s == LAKE_OK ? lake_table_open(session, location, out, err) : s;
}
