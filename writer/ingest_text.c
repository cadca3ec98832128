/* What an entry records, for whoever pushed its rows. */
#include "writer/ingest.h"

static void put_count(lake_buffer *out, const lake_column_metrics *c, uint32_t bit, const char *name, int64_t v) {
    if (c->has & bit)
        lake_buffer_printf(out, ",\"%s\":%lld", name, (long long)v);
}

static void put_hex(lake_buffer *out, const char *name, lake_bytes bound) {
    if (!bound.ptr)
        return;
    lake_buffer_printf(out, ",\"%s\":\"", name);
    lake_buffer_hex(out, bound);
    lake_buffer_char(out, '"');
}

static void put_columns(lake_buffer *out, const lake_schema *schema, const lake_entry *e) {
    lake_buffer name;
    lake_buffer_init(&name);
    for (size_t i = 0; i < e->ncolumns; i++) {
        const lake_column_metrics *c = &e->columns[i];
        lake_buffer_reset(&name);
        lake_field_full_name(&name, lake_schema_field(schema, c->id));
        lake_buffer_printf(out, "%s{\"id\":%d,\"name\":", i ? "," : "", c->id);
        lake_json_quote(out, lake_buffer_view(&name));
        put_count(out, c, LAKE_METRIC_SIZE, "column-size", c->size);
        put_count(out, c, LAKE_METRIC_VALUES, "value-count", c->values);
        put_count(out, c, LAKE_METRIC_NULLS, "null-value-count", c->nulls);
        put_count(out, c, LAKE_METRIC_NANS, "nan-value-count", c->nans);
        put_hex(out, "lower-bound-hex", c->lower);
        put_hex(out, "upper-bound-hex", c->upper);
        lake_buffer_char(out, '}');
    }
    out->failed |= name.failed;
    lake_buffer_clear(&name);
}

/* Values in the human form of their transforms. */
static void put_partition(lake_buffer *out, const lake_manifest_job *job, const lake_entry *e) {
    lake_arena scratch;
    lake_buffer text;
    lake_arena_init(&scratch, 0);
    lake_buffer_init(&text);
    for (size_t i = 0; i < e->npartition; i++) {
        const lake_partition_source *s = &job->partitioner.fields[i];
        lake_key key = {0};
        lake_bound_state state = e->partition[i].kind == LAKE_DATUM_NULL
            ? LAKE_BOUND_NONE
            : lake_value_from_datum(&scratch, &s->type, e->partition[i], &key);
        lake_buffer_puts(out, i ? "," : "");
        lake_json_quote(out, s->field->name);
        lake_buffer_char(out, ':');
        lake_buffer_reset(&text);
        if (state == LAKE_BOUND_KEY)
            lake_transform_print(&text, &s->field->transform, &s->source->type, key);
        else if (state == LAKE_BOUND_NAN)
            lake_buffer_puts(&text, "NaN");
        if (state == LAKE_BOUND_NONE)
            lake_buffer_puts(out, "null");
        else
            lake_json_quote(out, lake_buffer_view(&text));
        out->failed |= text.failed;
    }
    lake_buffer_clear(&text);
    lake_arena_clear(&scratch);
}

lake_status lake_ingest_print(
    const lake_manifest_job *job, const lake_entry *e, const lake_sink *sink, lake_error *err) {
    lake_buffer out;
    lake_buffer_init(&out);
    lake_buffer_puts(&out, "{\"file-path\":");
    lake_json_quote(&out, e->file_path);
    lake_buffer_puts(&out, ",\"file-format\":");
    lake_json_quote(&out, e->file_format);
    lake_buffer_printf(&out, ",\"record-count\":%lld,\"file-size-in-bytes\":%lld,\"partition\":{",
        (long long)e->record_count, (long long)e->file_size);
    put_partition(&out, job, e);
    lake_buffer_puts(&out, "},\"columns\":[");
    put_columns(&out, job->metrics.schema, e);
    lake_buffer_puts(&out, "]}\n");
    lake_status status = lake_buffer_check(&out, err);
    if (status == LAKE_OK)
        status = sink->write(sink->user, out.data, out.len, err);
    lake_buffer_clear(&out);
    return status;
}
