/* What manifests are written for, from a table or from options. */
#include "writer/manifest_target.h"

#include "writer/exact.h"

/* ---- properties of a table */

const lake_sort_order *lake_metadata_sort_order(const lake_metadata *metadata) {
    for (size_t i = 0; metadata && i < metadata->nsort_orders; i++)
        if (metadata->sort_orders[i]->id == metadata->default_sort_order_id)
            return metadata->sort_orders[i];
    return NULL;
}

lake_status lake_metadata_name_mapping(
    lake_arena *arena, const lake_metadata *metadata, const lake_json **out, lake_error *err) {
    *out = NULL;
    lake_str text = metadata ? lake_metadata_property(metadata, "schema.name-mapping.default") : (lake_str){NULL, 0};
    if (!text.ptr)
        return LAKE_OK;
    lake_json *json;
    LAKE_TRY(lake_json_parse(arena, text, "property schema.name-mapping.default", &json, err));
    *out = json;
    return LAKE_OK;
}

lake_status lake_manifest_codec(const char *name, lake_codec *out, lake_error *err) {
    static const struct {
        const char *name;
        lake_codec codec;
    } codecs[] = {
        {"gzip", LAKE_CODEC_DEFLATE},
        {"deflate", LAKE_CODEC_DEFLATE},
        {"zstd", LAKE_CODEC_ZSTD},
        {"snappy", LAKE_CODEC_SNAPPY},
        {"uncompressed", LAKE_CODEC_NONE},
        {"none", LAKE_CODEC_NONE},
    };
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (!name || strcmp(name, codecs[i].name) == 0) {
            *out = codecs[i].codec;
            return LAKE_OK;
        }
    return lake_fail(err, LAKE_ERR_USAGE, "codec %s: use gzip, zstd, snappy or uncompressed", name);
}

/* A level of at most two digits; anything else is the default. */
static int read_level(lake_str text) {
    int level = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || i > 1)
            return -1;
        level = level * 10 + (text.ptr[i] - '0');
    }
    return text.len ? level : -1;
}

/* The option, else write.manifest.compression-codec; the level is the property's where the codec is. */
static lake_status read_codec(lake_arena *arena, const lake_manifest_options *options, const lake_metadata *metadata,
    lake_manifest_target *out, lake_error *err) {
    out->level = -1;
    if (options->codec || !metadata)
        return lake_manifest_codec(options->codec, &out->codec, err);
    lake_str name = lake_metadata_property(metadata, "write.manifest.compression-codec");
    out->level = read_level(lake_metadata_property(metadata, "write.manifest.compression-level"));
    lake_str copy = name.ptr ? lake_arena_str(arena, name.ptr, name.len) : name;
    if (name.ptr && !copy.ptr)
        return lake_fail_memory(err);
    return lake_manifest_codec(copy.ptr, &out->codec, err);
}

/* ---- schema and spec */

static lake_status read_spec(
    lake_arena *arena, const char *text, const lake_schema *schema, lake_spec **out, lake_error *err) {
    int32_t next_id = 1000;
    size_t blank = text ? strspn(text, " \t\r\n") : 0;
    if (!text || !text[blank]) {
        *out = LAKE_ARENA_NEW(arena, lake_spec);
        return *out ? LAKE_OK : lake_fail_memory(err);
    }
    if (text[blank] != '{' && text[blank] != '[')
        return lake_spec_from_text(arena, lake_str_of(text), schema, 0, &next_id, out, err);
    lake_json *json;
    LAKE_TRY(lake_json_parse(arena, lake_str_of(text), "spec", &json, err));
    return lake_spec_read(arena, json, out, err);
}

static lake_status from_options(
    lake_arena *arena, const lake_manifest_options *options, lake_manifest_target *out, lake_error *err) {
    if (!options->schema_json)
        return lake_fail(err, LAKE_ERR_USAGE, "a table or a schema is needed");
    lake_json *json;
    lake_schema *schema;
    lake_spec *spec;
    LAKE_TRY(lake_json_parse(arena, lake_str_of(options->schema_json), "schema", &json, err));
    LAKE_TRY(lake_wrap(err, lake_schema_read(arena, json, &schema, err), "schema"));
    LAKE_TRY(read_spec(arena, options->spec, schema, &spec, err));
    out->schema = schema;
    out->spec = spec;
    out->format_version = options->format_version ? options->format_version : 2;
    return LAKE_OK;
}

static lake_status from_table(
    const lake_manifest_options *options, const lake_metadata *metadata, lake_manifest_target *out, lake_error *err) {
    out->schema = metadata->schema;
    out->spec = options->has_spec_id ? lake_metadata_spec(metadata, options->spec_id) : metadata->spec;
    if (!out->spec)
        return lake_fail(err, LAKE_ERR_USAGE, "the table has no partition spec %d", options->spec_id);
    out->format_version = options->format_version ? options->format_version : metadata->format_version;
    if (out->format_version > metadata->format_version)
        return lake_fail(err, LAKE_ERR_USAGE, "a manifest of format version %d for a table of version %d",
            out->format_version, metadata->format_version);
    return LAKE_OK;
}

/* ---- delete files */

/* A column by name or id. */
static const lake_field *find_column(const lake_schema *schema, lake_str text) {
    const lake_field *found = NULL;
    if (lake_schema_find_name(schema, text, true, &found, 1) == 1)
        return found;
    int32_t id = 0;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || __builtin_mul_overflow(id, 10, &id) ||
            __builtin_add_overflow(id, text.ptr[i] - '0', &id))
            return NULL;
    return text.len ? lake_schema_field(schema, id) : NULL;
}

static lake_status read_equality_ids(lake_arena *arena, const char *text, lake_manifest_target *out, lake_error *err) {
    if (!text || !*text)
        return lake_fail(err, LAKE_ERR_USAGE, "equality delete files need the names or ids of their equality columns");
    out->equality_ids = LAKE_ARENA_ARRAY(arena, int32_t, strlen(text) / 2 + 1);
    if (!out->equality_ids)
        return lake_fail_memory(err);
    for (const char *at = text; *at;) {
        lake_str name = {at, strcspn(at, ",")};
        const lake_field *f = find_column(out->schema, name);
        if (!f)
            return lake_fail(err, LAKE_ERR_USAGE, "equality column %.*s: not in the schema", LAKE_ARG(name));
        if (lake_type_is_nested(&f->type) || f->inside_list || f->type.id == LAKE_FLOAT || f->type.id == LAKE_DOUBLE)
            return lake_fail(err, LAKE_ERR_USAGE,
                "equality column %.*s: floats, structs, lists, maps and what is in lists and maps cannot be compared",
                LAKE_ARG(name));
        out->equality_ids[out->nequality_ids++] = f->id;
        at += name.len + (at[name.len] == ',');
    }
    return LAKE_OK;
}

static lake_status check_content(
    lake_arena *arena, const lake_manifest_options *options, lake_manifest_target *out, lake_error *err) {
    if (options->content < 0 || options->content > LAKE_CONTENT_EQUALITY_DELETES)
        return lake_fail(err, LAKE_ERR_USAGE, "content %d is not known", options->content);
    if (options->content && options->ndv_columns)
        return lake_fail(err, LAKE_ERR_USAGE, "distinct values are counted in data files, not in delete files");
    if (options->content && out->format_version < 2)
        return lake_fail(err, LAKE_ERR_USAGE, "delete files need format version 2");
    if (options->content == LAKE_CONTENT_EQUALITY_DELETES)
        return read_equality_ids(arena, options->equality_columns, out, err);
    return LAKE_OK;
}

/* The order that files are claimed to be in. Order 0 is that of files in no order. */
static lake_status read_sort_order(
    const lake_manifest_options *options, const lake_metadata *metadata, lake_manifest_target *out, lake_error *err) {
    if (!options->has_sort_order && !options->verify_sorted)
        return LAKE_OK;
    if (options->content == LAKE_CONTENT_POSITION_DELETES)
        return lake_fail(
            err, LAKE_ERR_USAGE, "position deletes are sorted by file and position, by no order of the table");
    if (!metadata)
        return lake_fail(err, LAKE_ERR_USAGE, "a sort order is one of a table: a table is needed");
    int32_t id = options->has_sort_order ? options->sort_order_id : metadata->default_sort_order_id;
    for (size_t i = 0; i < metadata->nsort_orders; i++)
        if (metadata->sort_orders[i]->id == id && metadata->sort_orders[i]->nfields)
            out->sort_order = metadata->sort_orders[i];
    if (!options->has_sort_order && !out->sort_order)
        return lake_fail(err, LAKE_ERR_USAGE, "the table has no default sort order: name one of its orders");
    if (!out->sort_order && id != 0)
        return lake_fail(err, LAKE_ERR_USAGE, "the table has no sort order %d", id);
    out->verify_sorted = options->verify_sorted && out->sort_order;
    return LAKE_OK;
}

lake_status lake_manifest_target_init(lake_arena *arena, const lake_manifest_options *options,
    const lake_metadata *metadata, lake_manifest_target *out, lake_error *err) {
    *out = (lake_manifest_target){0};
    if (metadata)
        LAKE_TRY(from_table(options, metadata, out, err));
    else
        LAKE_TRY(from_options(arena, options, out, err));
    if (out->format_version < 1 || out->format_version > 3)
        return lake_fail(err, LAKE_ERR_USAGE, "format version %d: use 1, 2 or 3", out->format_version);
    LAKE_TRY(check_content(arena, options, out, err));
    LAKE_TRY(read_sort_order(options, metadata, out, err));
    LAKE_TRY(read_codec(arena, options, metadata, out, err));
    return lake_metadata_name_mapping(arena, metadata, &out->name_mapping, err);
}

/* ---- metrics */

lake_status lake_manifest_target_metrics(lake_arena *arena, const lake_manifest_options *options,
    const lake_metadata *metadata, const lake_manifest_target *target, lake_metrics_config *out, lake_error *err) {
    const lake_metrics_mode full = {LAKE_METRICS_FULL, SIZE_MAX};
    if (options->content == LAKE_CONTENT_POSITION_DELETES) {
        lake_schema *schema;
        LAKE_TRY(lake_position_delete_schema(arena, &schema, err));
        return lake_metrics_config_uniform(arena, schema, full, out, err);
    }
    if (!options->metrics_mode)
        return lake_metrics_config_from(arena, target->schema, metadata ? metadata->properties : NULL,
            lake_metadata_sort_order(metadata), out, err);
    lake_metrics_mode mode;
    if (!lake_metrics_mode_parse(lake_str_of(options->metrics_mode), &mode))
        return lake_fail(
            err, LAKE_ERR_USAGE, "metrics mode %s: use none, counts, truncate(N) or full", options->metrics_mode);
    return lake_metrics_config_uniform(arena, target->schema, mode, out, err);
}
