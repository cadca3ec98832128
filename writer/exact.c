/* Exact statistics of a table's own files (spec.md, "Data File Fields", "Position Delete Files"). */
#include "writer/exact.h"

#include "writer/manifest_target.h"

lake_status lake_position_delete_schema(lake_arena *arena, lake_schema **out, lake_error *err) {
    static const char text[] = "{\"type\":\"struct\",\"schema-id\":0,\"fields\":["
                               "{\"id\":2147483546,\"name\":\"file_path\",\"required\":true,\"type\":\"string\"},"
                               "{\"id\":2147483545,\"name\":\"pos\",\"required\":true,\"type\":\"long\"}]}";
    lake_json *json;
    LAKE_TRY(lake_json_parse(arena, lake_str_of(text), "position delete schema", &json, err));
    return lake_schema_read(arena, json, out, err);
}

lake_status lake_exact_init(
    lake_arena *arena, const lake_table *table, const lake_schema *schema, lake_exact *out, lake_error *err) {
    const lake_metadata *m = table->metadata;
    const lake_metrics_mode full = {LAKE_METRICS_FULL, SIZE_MAX};
    lake_schema *position;
    *out = (lake_exact){.store = &table->session->store, .schema = schema ? schema : m->schema};
    LAKE_TRY(lake_metadata_name_mapping(arena, m, &out->name_mapping, err));
    LAKE_TRY(lake_metrics_config_from(arena, out->schema, m->properties, lake_metadata_sort_order(m), &out->data, err));
    LAKE_TRY(lake_position_delete_schema(arena, &position, err));
    return lake_metrics_config_uniform(arena, position, full, &out->position, err);
}

lake_status lake_exact_read(const lake_exact *exact, const lake_entry *entry, const lake_file_stats_options *options,
    lake_arena *arena, lake_file_stats *out, lake_error *err) {
    lake_file_stats_options o = *options;
    bool position = entry->content == LAKE_CONTENT_POSITION_DELETES;
    o.schema = lake_exact_config(exact, entry->content)->schema;
    o.name_mapping = position ? NULL : exact->name_mapping;
    return lake_file_stats_read(exact->store, entry->file_path, &o, arena, out, err);
}

lake_status lake_exact_metrics(const lake_exact *exact, const lake_entry *entry, const lake_file_stats *stats,
    lake_arena *arena, lake_column_metrics **out, size_t *n, lake_error *err) {
    return lake_metrics_of_file(arena, lake_exact_config(exact, entry->content), stats, out, n, err);
}
