/* lake_stats: exact statistics of one data file, whole or as a manifest would record them. */
#include "lake/stats.h"

#include "reader/table.h"
#include "writer/column_choice.h"
#include "writer/manifest_target.h"
#include "writer/stats_internal.h"

struct lake_stats {
    lake_arena arena;
    lake_file_stats file;
    lake_stats_column *columns;
};

/* ---- opening */

static lake_status read_schema(
    lake_arena *arena, const lake_stats_options *options, const lake_schema **out, lake_error *err) {
    *out = NULL;
    if (options->table && options->schema_json)
        return lake_fail(err, LAKE_ERR_USAGE, "a table and a schema: give one of them");
    if (options->table)
        *out = options->table->metadata->schema;
    if (!options->schema_json)
        return LAKE_OK;
    lake_json *json;
    lake_schema *schema;
    LAKE_TRY(lake_json_parse(arena, lake_str_of(options->schema_json), "schema", &json, err));
    LAKE_TRY(lake_wrap(err, lake_schema_read(arena, json, &schema, err), "schema"));
    *out = schema;
    return LAKE_OK;
}

static lake_status column_ids(lake_session *session, const char *location, const lake_stats_options *options,
    const lake_schema *schema, lake_arena *arena, lake_file_stats_options *out, lake_error *err) {
    if (!options->ncolumns)
        return LAKE_OK;
    if (!schema) {
        lake_schema *own;
        LAKE_TRY(lake_schema_from_file(&session->store, lake_str_of(location), arena, &own, NULL, err));
        schema = own;
    }
    int32_t *ids;
    LAKE_TRY(
        lake_column_choice(arena, schema, location, options->columns, options->ncolumns, &ids, &out->ncolumn_ids, err));
    out->column_ids = ids;
    return LAKE_OK;
}

static lake_status bound_json(
    lake_arena *arena, lake_buffer *scratch, const lake_type *type, lake_bytes bound, lake_str *out, lake_error *err) {
    lake_key key;
    if (!bound.ptr || lake_value_from_binary(type, bound, &key) != LAKE_BOUND_KEY)
        return LAKE_OK;
    lake_buffer_reset(scratch);
    lake_value_to_json(scratch, type, key);
    LAKE_TRY(lake_buffer_check(scratch, err));
    *out = lake_arena_str(arena, (const char *)scratch->data, scratch->len);
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

/* A column whole, as the file has it. */
static lake_status whole(lake_arena *arena, const lake_column_stats *c, lake_stats_column *out, lake_error *err) {
    const lake_type *type = &c->field->type;
    uint8_t scratch[16];
    out->column_size = c->column_size;
    out->value_count = c->values;
    out->null_count = c->nulls;
    out->nan_count = c->nans;
    out->lower_loose = c->has_min && c->min_loose;
    out->upper_loose = c->has_max && c->max_loose;
    if (c->has_min) {
        lake_bytes b = lake_value_to_binary(type, c->min, scratch);
        out->lower_bytes = lake_arena_bytes(arena, b.ptr, b.len);
    }
    if (c->has_max) {
        lake_bytes b = lake_value_to_binary(type, c->max, scratch);
        out->upper_bytes = lake_arena_bytes(arena, b.ptr, b.len);
    }
    bool lost = (c->has_min && !out->lower_bytes.ptr) || (c->has_max && !out->upper_bytes.ptr);
    return lost ? lake_fail_memory(err) : LAKE_OK;
}

/* A column as a manifest would record it. */
static lake_status recorded(
    lake_arena *arena, lake_metrics_mode mode, const lake_column_stats *c, lake_stats_column *out, lake_error *err) {
    lake_column_metrics m;
    LAKE_TRY(lake_metrics_of_column(arena, mode, c, &m, err));
    out->column_size = m.has & LAKE_METRIC_SIZE ? m.size : -1;
    out->value_count = m.has & LAKE_METRIC_VALUES ? m.values : -1;
    out->null_count = m.has & LAKE_METRIC_NULLS ? m.nulls : -1;
    out->nan_count = m.has & LAKE_METRIC_NANS ? m.nans : -1;
    out->lower_bytes = m.lower;
    out->upper_bytes = m.upper;
    return LAKE_OK;
}

static lake_status fill_columns(
    lake_stats *s, const lake_metrics_config *config, lake_buffer *scratch, lake_error *err) {
    for (size_t i = 0; i < s->file.ncolumns; i++) {
        const lake_column_stats *c = &s->file.columns[i];
        lake_stats_column *out = &s->columns[i];
        out->id = c->field->id;
        out->name = c->name;
        lake_buffer_reset(scratch);
        lake_type_print(scratch, &c->field->type);
        LAKE_TRY(lake_buffer_check(scratch, err));
        out->type = lake_arena_str(&s->arena, (const char *)scratch->data, scratch->len);
        if (!out->type.ptr)
            return lake_fail_memory(err);
        if (config)
            LAKE_TRY(recorded(&s->arena, lake_metrics_config_mode(config, out->id), c, out, err));
        else
            LAKE_TRY(whole(&s->arena, c, out, err));
        LAKE_TRY(bound_json(&s->arena, scratch, &c->field->type, out->lower_bytes, &out->lower, err));
        LAKE_TRY(bound_json(&s->arena, scratch, &c->field->type, out->upper_bytes, &out->upper, err));
    }
    return LAKE_OK;
}

static lake_status metrics_config(lake_arena *arena, const lake_stats_options *options, const lake_schema *schema,
    lake_metrics_config *out, lake_error *err) {
    if (strcmp(options->metrics_mode, "table") == 0) {
        const lake_metadata *m = options->table ? options->table->metadata : NULL;
        if (!m)
            return lake_fail(err, LAKE_ERR_USAGE, "metrics mode table: no table is given");
        return lake_metrics_config_from(arena, schema, m->properties, lake_metadata_sort_order(m), out, err);
    }
    lake_metrics_mode mode;
    if (!lake_metrics_mode_parse(lake_str_of(options->metrics_mode), &mode))
        return lake_fail(err, LAKE_ERR_USAGE, "metrics mode %s: use none, counts, truncate(N), full or table",
            options->metrics_mode);
    return lake_metrics_config_uniform(arena, schema, mode, out, err);
}

static lake_status read_stats(lake_session *session, const char *location, const lake_stats_options *options,
    unsigned threads, lake_stats *s, lake_buffer *scratch, lake_error *err) {
    lake_file_stats_options o = {
        .footer_only = options->footer_only, .threads = threads, .page_limit = options->page_limit};
    lake_metrics_config config;
    LAKE_TRY(read_schema(&s->arena, options, &o.schema, err));
    if (options->table)
        LAKE_TRY(lake_metadata_name_mapping(&s->arena, options->table->metadata, &o.name_mapping, err));
    LAKE_TRY(column_ids(session, location, options, o.schema, &s->arena, &o, err));
    LAKE_TRY(lake_file_stats_read(&session->store, lake_str_of(location), &o, &s->arena, &s->file, err));
    if (options->metrics_mode)
        LAKE_TRY(metrics_config(&s->arena, options, s->file.schema, &config, err));
    s->columns = LAKE_ARENA_ARRAY(&s->arena, lake_stats_column, s->file.ncolumns);
    if (!s->columns)
        return lake_fail_memory(err);
    return fill_columns(s, options->metrics_mode ? &config : NULL, scratch, err);
}

lake_status lake_stats_open_with(lake_session *session, const char *location, const lake_stats_options *options,
    unsigned threads, lake_stats **out, lake_error *err) {
    const lake_stats_options defaults = LAKE_STATS_OPTIONS_INIT;
    if (!options)
        options = &defaults;
    if (options->version != LAKE_STATS_OPTIONS_VERSION)
        return lake_fail(err, LAKE_ERR_USAGE, "lake_stats_options: version %u is not known", options->version);
    lake_stats *s = lake_mem_zalloc(1, sizeof *s);
    if (!s)
        return lake_fail_memory(err);
    lake_arena_init(&s->arena, 0);
    lake_buffer scratch;
    lake_buffer_init(&scratch);
    lake_status status = read_stats(session, location, options, threads, s, &scratch, err);
    lake_buffer_clear(&scratch);
    if (status != LAKE_OK) {
        lake_stats_close(s);
        return status;
    }
    *out = s;
    return LAKE_OK;
}

lake_status lake_stats_open(
    lake_session *session, const char *location, const lake_stats_options *options, lake_stats **out, lake_error *err) {
    return lake_stats_open_with(session, location, options, session->threads, out, err);
}

void lake_stats_close(lake_stats *s) {
    if (!s)
        return;
    lake_arena_clear(&s->arena);
    lake_mem_free(s);
}

/* ---- looking */

static lake_str format_of(const lake_stats *s) {
    static const lake_str names[] = {{"parquet", 7}, {"avro", 4}, {"orc", 3}};
    return names[s->file.format];
}

void lake_stats_file_of(const lake_stats *s, lake_stats_file *out) {
    *out = (lake_stats_file){
        .path = s->file.path,
        .format = format_of(s),
        .from_footer = s->file.from_footer,
        .record_count = s->file.record_count,
        .file_size = s->file.file_size,
        .split_offsets = s->file.split_offsets,
        .nsplit_offsets = s->file.nsplit_offsets,
        .ncolumns = s->file.ncolumns,
    };
}

void lake_stats_column_of(const lake_stats *s, size_t index, lake_stats_column *out) {
    *out = index < s->file.ncolumns
        ? s->columns[index]
        : (lake_stats_column){.id = -1, .column_size = -1, .value_count = -1, .null_count = -1, .nan_count = -1};
}

static void put_member(lake_buffer *out, const char *name) {
    lake_buffer_printf(out, ",\"%s\":", name);
}

static void put_count(lake_buffer *out, const char *name, int64_t count) {
    if (count < 0)
        return;
    put_member(out, name);
    lake_buffer_printf(out, "%lld", (long long)count);
}

static void put_bound(lake_buffer *out, const char *name, lake_str json) {
    if (!json.ptr)
        return;
    put_member(out, name);
    lake_buffer_str(out, json);
}

static void put_hex(lake_buffer *out, const char *name, lake_bytes bound) {
    if (!bound.ptr)
        return;
    put_member(out, name);
    lake_buffer_char(out, '"');
    lake_buffer_hex(out, bound);
    lake_buffer_char(out, '"');
}

static void put_column(lake_buffer *out, const lake_stats_column *c) {
    lake_buffer_printf(out, "{\"id\":%d", c->id);
    put_member(out, "name");
    lake_json_quote(out, c->name);
    put_member(out, "type");
    lake_json_quote(out, c->type);
    put_count(out, "column-size", c->column_size);
    put_count(out, "value-count", c->value_count);
    put_count(out, "null-value-count", c->null_count);
    put_count(out, "nan-value-count", c->nan_count);
    put_bound(out, "lower-bound", c->lower);
    put_bound(out, "upper-bound", c->upper);
    put_hex(out, "lower-bound-hex", c->lower_bytes);
    put_hex(out, "upper-bound-hex", c->upper_bytes);
    if (c->lower_loose)
        lake_buffer_puts(out, ",\"lower-bound-exact\":false");
    if (c->upper_loose)
        lake_buffer_puts(out, ",\"upper-bound-exact\":false");
    lake_buffer_char(out, '}');
}

static void put_file(lake_buffer *out, const lake_stats *s) {
    lake_buffer_puts(out, "{\"file-path\":");
    lake_json_quote(out, s->file.path);
    lake_buffer_printf(out, ",\"file-format\":\"%s\"%s,\"record-count\":%lld,\"file-size-in-bytes\":%lld",
        format_of(s).ptr, s->file.from_footer ? ",\"source\":\"footer\"" : "", (long long)s->file.record_count,
        (long long)s->file.file_size);
    lake_buffer_puts(out, ",\"split-offsets\":[");
    for (size_t i = 0; i < s->file.nsplit_offsets; i++)
        lake_buffer_printf(out, "%s%lld", i ? "," : "", (long long)s->file.split_offsets[i]);
    lake_buffer_puts(out, "],\"columns\":[");
    for (size_t i = 0; i < s->file.ncolumns; i++) {
        lake_buffer_puts(out, i ? "," : "");
        put_column(out, &s->columns[i]);
    }
    lake_buffer_puts(out, "]}");
}

lake_status lake_stats_write(const lake_stats *s, const lake_sink *sink, lake_error *err) {
    lake_buffer text;
    lake_buffer_init(&text);
    put_file(&text, s);
    lake_status status = lake_buffer_check(&text, err);
    if (status == LAKE_OK)
        status = sink->write(sink->user, text.data, text.len, err);
    lake_buffer_clear(&text);
    return status;
}
