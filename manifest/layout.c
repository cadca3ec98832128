/* The layouts of spec versions 1 to 3, and their Avro schemas. Record names (manifest_entry, r2, r102, k117_v118, r508)
   are those that the official library uses, since some readers look at them. */
#include "manifest/layout.h"

#define FIELDS(array)                                                                                                  \
    { array, sizeof(array) / sizeof *(array) }

static const lake_layout_field entry_fields[] = {
    {0, "status", LAKE_LAYOUT_INT, LAKE_V123, LAKE_V123},
    {1, "snapshot_id", LAKE_LAYOUT_LONG, LAKE_V123, LAKE_V1},
    {3, "sequence_number", LAKE_LAYOUT_LONG, LAKE_V2 | LAKE_V3, 0},
    {4, "file_sequence_number", LAKE_LAYOUT_LONG, LAKE_V2 | LAKE_V3, 0},
    {2, "data_file", LAKE_LAYOUT_DATA_FILE, LAKE_V123, LAKE_V123},
};

static const lake_layout_field data_file_fields[] = {
    {134, "content", LAKE_LAYOUT_INT, LAKE_V2 | LAKE_V3, LAKE_V2 | LAKE_V3},
    {100, "file_path", LAKE_LAYOUT_STRING, LAKE_V123, LAKE_V123},
    {101, "file_format", LAKE_LAYOUT_STRING, LAKE_V123, LAKE_V123},
    {102, "partition", LAKE_LAYOUT_PARTITION, LAKE_V123, LAKE_V123},
    {103, "record_count", LAKE_LAYOUT_LONG, LAKE_V123, LAKE_V123},
    {104, "file_size_in_bytes", LAKE_LAYOUT_LONG, LAKE_V123, LAKE_V123},
    {105, "block_size_in_bytes", LAKE_LAYOUT_LONG, LAKE_V1, LAKE_V1},
    {108, "column_sizes", LAKE_LAYOUT_MAP_LONG, LAKE_V123, 0, 117, 118},
    {109, "value_counts", LAKE_LAYOUT_MAP_LONG, LAKE_V123, 0, 119, 120},
    {110, "null_value_counts", LAKE_LAYOUT_MAP_LONG, LAKE_V123, 0, 121, 122},
    {137, "nan_value_counts", LAKE_LAYOUT_MAP_LONG, LAKE_V123, 0, 138, 139},
    {125, "lower_bounds", LAKE_LAYOUT_MAP_BYTES, LAKE_V123, 0, 126, 127},
    {128, "upper_bounds", LAKE_LAYOUT_MAP_BYTES, LAKE_V123, 0, 129, 130},
    {131, "key_metadata", LAKE_LAYOUT_BYTES, LAKE_V123, 0},
    {132, "split_offsets", LAKE_LAYOUT_LIST_LONG, LAKE_V123, 0, 0, 133},
    {135, "equality_ids", LAKE_LAYOUT_LIST_INT, LAKE_V2 | LAKE_V3, 0, 0, 136},
    {140, "sort_order_id", LAKE_LAYOUT_INT, LAKE_V123, 0},
    {142, "first_row_id", LAKE_LAYOUT_LONG, LAKE_V3, 0},
    {143, "referenced_data_file", LAKE_LAYOUT_STRING, LAKE_V2 | LAKE_V3, 0},
    {144, "content_offset", LAKE_LAYOUT_LONG, LAKE_V3, 0},
    {145, "content_size_in_bytes", LAKE_LAYOUT_LONG, LAKE_V3, 0},
};

static const lake_layout_field list_fields[] = {
    {500, "manifest_path", LAKE_LAYOUT_STRING, LAKE_V123, LAKE_V123},
    {501, "manifest_length", LAKE_LAYOUT_LONG, LAKE_V123, LAKE_V123},
    {502, "partition_spec_id", LAKE_LAYOUT_INT, LAKE_V123, LAKE_V123},
    {517, "content", LAKE_LAYOUT_INT, LAKE_V2 | LAKE_V3, LAKE_V2 | LAKE_V3},
    {515, "sequence_number", LAKE_LAYOUT_LONG, LAKE_V2 | LAKE_V3, LAKE_V2 | LAKE_V3},
    {516, "min_sequence_number", LAKE_LAYOUT_LONG, LAKE_V2 | LAKE_V3, LAKE_V2 | LAKE_V3},
    {503, "added_snapshot_id", LAKE_LAYOUT_LONG, LAKE_V123, LAKE_V123},
    {504, "added_files_count", LAKE_LAYOUT_INT, LAKE_V123, LAKE_V2 | LAKE_V3},
    {505, "existing_files_count", LAKE_LAYOUT_INT, LAKE_V123, LAKE_V2 | LAKE_V3},
    {506, "deleted_files_count", LAKE_LAYOUT_INT, LAKE_V123, LAKE_V2 | LAKE_V3},
    {512, "added_rows_count", LAKE_LAYOUT_LONG, LAKE_V123, LAKE_V2 | LAKE_V3},
    {513, "existing_rows_count", LAKE_LAYOUT_LONG, LAKE_V123, LAKE_V2 | LAKE_V3},
    {514, "deleted_rows_count", LAKE_LAYOUT_LONG, LAKE_V123, LAKE_V2 | LAKE_V3},
    {507, "partitions", LAKE_LAYOUT_SUMMARIES, LAKE_V123, 0, 0, 508},
    {519, "key_metadata", LAKE_LAYOUT_BYTES, LAKE_V123, 0},
    {520, "first_row_id", LAKE_LAYOUT_LONG, LAKE_V3, 0},
};

static const lake_layout_field summary_fields[] = {
    {509, "contains_null", LAKE_LAYOUT_BOOLEAN, LAKE_V123, LAKE_V123},
    {518, "contains_nan", LAKE_LAYOUT_BOOLEAN, LAKE_V123, 0},
    {510, "lower_bound", LAKE_LAYOUT_BYTES, LAKE_V123, 0},
    {511, "upper_bound", LAKE_LAYOUT_BYTES, LAKE_V123, 0},
};

const lake_layout lake_layout_entry = FIELDS(entry_fields), lake_layout_data_file = FIELDS(data_file_fields),
                  lake_layout_list = FIELDS(list_fields), lake_layout_summary = FIELDS(summary_fields);

/* What printing a schema needs to know. */
typedef struct printer {
    lake_buffer *out;
    int version;
    const lake_spec *spec;
    const lake_type *types;
} printer;

static void print_record(printer *p, const char *name, const lake_layout *layout);

lake_type lake_layout_partition_type(const lake_schema *schema, const lake_partition_field *field) {
    const lake_field *source = field->nsource_ids == 1 ? lake_schema_field(schema, field->source_ids[0]) : NULL;
    if (source)
        return lake_transform_result(&field->transform, &source->type);
    switch (field->transform.id) {
    case LAKE_TRANSFORM_BUCKET:
    case LAKE_TRANSFORM_YEAR:
    case LAKE_TRANSFORM_MONTH:
    case LAKE_TRANSFORM_HOUR:
    case LAKE_TRANSFORM_VOID: return (lake_type){.id = LAKE_INT};
    case LAKE_TRANSFORM_DAY: return (lake_type){.id = LAKE_DATE};
    default: return (lake_type){.id = LAKE_UNKNOWN};
    }
}

/* Appendix A, "Data Type Mappings". */
static void print_type(lake_buffer *out, const lake_type *type, int32_t field_id) {
    const char *text = NULL;
    switch (type->id) {
    case LAKE_BOOLEAN: text = "\"boolean\""; break;
    case LAKE_INT: text = "\"int\""; break;
    case LAKE_LONG: text = "\"long\""; break;
    case LAKE_FLOAT: text = "\"float\""; break;
    case LAKE_DOUBLE: text = "\"double\""; break;
    case LAKE_STRING: text = "\"string\""; break;
    case LAKE_DATE: text = "{\"type\":\"int\",\"logicalType\":\"date\"}"; break;
    case LAKE_TIME: text = "{\"type\":\"long\",\"logicalType\":\"time-micros\"}"; break;
    case LAKE_TIMESTAMP:
        text = "{\"type\":\"long\",\"logicalType\":\"timestamp-micros\",\"adjust-to-utc\":false}";
        break;
    case LAKE_TIMESTAMPTZ:
        text = "{\"type\":\"long\",\"logicalType\":\"timestamp-micros\",\"adjust-to-utc\":true}";
        break;
    case LAKE_TIMESTAMP_NS:
        text = "{\"type\":\"long\",\"logicalType\":\"timestamp-nanos\",\"adjust-to-utc\":false}";
        break;
    case LAKE_TIMESTAMPTZ_NS:
        text = "{\"type\":\"long\",\"logicalType\":\"timestamp-nanos\",\"adjust-to-utc\":true}";
        break;
    case LAKE_UUID:
        lake_buffer_printf(
            out, "{\"type\":\"fixed\",\"name\":\"uuid_%d\",\"size\":16,\"logicalType\":\"uuid\"}", field_id);
        return;
    case LAKE_FIXED:
        lake_buffer_printf(
            out, "{\"type\":\"fixed\",\"name\":\"fixed_%d_%d\",\"size\":%d}", type->length, field_id, type->length);
        return;
    case LAKE_DECIMAL:
        lake_buffer_printf(out,
            "{\"type\":\"fixed\",\"name\":\"decimal_%d_%d_%d\",\"size\":%d,\"logicalType\":\"decimal\",\"precision\":%"
            "d,"
            "\"scale\":%d}",
            type->precision, type->scale, field_id, lake_decimal_fixed_size(type->precision), type->precision,
            type->scale);
        return;
    default: text = "\"bytes\""; break;
    }
    lake_buffer_puts(out, text);
}

/* Different names may become the same Avro name: the field id then tells them apart. */
static bool name_taken(const lake_spec *spec, size_t field, lake_str name) {
    bool taken = false;
    lake_buffer other;
    lake_buffer_init(&other);
    for (size_t i = 0; i < spec->nfields && !taken; i++) {
        lake_buffer_reset(&other);
        lake_avro_name(&other, spec->fields[i].name);
        taken = i != field && lake_str_eq(lake_buffer_view(&other), name);
    }
    lake_buffer_clear(&other);
    return taken;
}

static void print_partition(printer *p) {
    lake_buffer *out = p->out;
    lake_buffer name;
    lake_buffer_init(&name);
    lake_buffer_puts(out, "{\"type\":\"record\",\"name\":\"r102\",\"fields\":[");
    for (size_t i = 0; i < p->spec->nfields; i++) {
        const lake_partition_field *f = &p->spec->fields[i];
        lake_buffer_reset(&name);
        bool changed = lake_avro_name(&name, f->name);
        if (changed && name_taken(p->spec, i, lake_buffer_view(&name)))
            lake_buffer_printf(&name, "_%d", f->id);
        lake_buffer_printf(out, "%s{\"name\":\"", i ? "," : "");
        lake_buffer_str(out, lake_buffer_view(&name));
        lake_buffer_puts(out, "\",\"type\":[\"null\",");
        print_type(out, &p->types[i], f->id);
        lake_buffer_puts(out, "],\"default\":null,");
        if (changed) {
            lake_buffer_puts(out, "\"iceberg-field-name\":");
            lake_json_quote(out, f->name);
            lake_buffer_char(out, ',');
        }
        lake_buffer_printf(out, "\"field-id\":%d}", f->id);
    }
    lake_buffer_puts(out, "]}");
    out->failed |= name.failed;
    lake_buffer_clear(&name);
}

static void print_map(printer *p, const lake_layout_field *f, const char *value) {
    lake_buffer_printf(p->out,
        "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"k%d_v%d\",\"fields\":[{\"name\":\"key\","
        "\"type\":"
        "\"int\",\"field-id\":%d},{\"name\":\"value\",\"type\":\"%s\",\"field-id\":%d}]},\"logicalType\":\"map\"}",
        f->key_id, f->value_id, f->key_id, value, f->value_id);
}

static void print_kind(printer *p, const lake_layout_field *f) {
    static const char *const simple[] = {"\"boolean\"", "\"int\"", "\"long\"", "\"string\"", "\"bytes\""};
    switch (f->kind) {
    case LAKE_LAYOUT_MAP_LONG: print_map(p, f, "long"); break;
    case LAKE_LAYOUT_MAP_BYTES: print_map(p, f, "bytes"); break;
    case LAKE_LAYOUT_LIST_INT:
    case LAKE_LAYOUT_LIST_LONG:
        lake_buffer_printf(p->out, "{\"type\":\"array\",\"items\":\"%s\",\"element-id\":%d}",
            f->kind == LAKE_LAYOUT_LIST_INT ? "int" : "long", f->value_id);
        break;
    case LAKE_LAYOUT_PARTITION: print_partition(p); break;
    case LAKE_LAYOUT_DATA_FILE: print_record(p, "r2", &lake_layout_data_file); break;
    case LAKE_LAYOUT_SUMMARIES:
        lake_buffer_puts(p->out, "{\"type\":\"array\",\"items\":");
        print_record(p, "r508", &lake_layout_summary);
        lake_buffer_printf(p->out, ",\"element-id\":%d}", f->value_id);
        break;
    default: lake_buffer_puts(p->out, simple[f->kind]); break;
    }
}

static void print_record(printer *p, const char *name, const lake_layout *layout) {
    const char *comma = "";
    lake_buffer_printf(p->out, "{\"type\":\"record\",\"name\":\"%s\",\"fields\":[", name);
    for (size_t i = 0; i < layout->nfields; i++) {
        const lake_layout_field *f = &layout->fields[i];
        if (!(f->written >> p->version & 1))
            continue;
        bool required = f->required >> p->version & 1;
        lake_buffer_printf(p->out, "%s{\"name\":\"%s\",\"type\":%s", comma, f->name, required ? "" : "[\"null\",");
        print_kind(p, f);
        lake_buffer_printf(p->out, "%s,\"field-id\":%d}", required ? "" : "],\"default\":null", f->id);
        comma = ",";
    }
    lake_buffer_puts(p->out, "]}");
}

void lake_layout_print_manifest(lake_buffer *out, int version, const lake_spec *spec, const lake_type *types) {
    printer p = {out, version, spec, types};
    print_record(&p, "manifest_entry", &lake_layout_entry);
}

void lake_layout_print_list(lake_buffer *out, int version) {
    printer p = {out, version};
    print_record(&p, "manifest_file", &lake_layout_list);
}
