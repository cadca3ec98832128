/* Cells of inspect's views: JSON text. Values take the spec's single-value form (Appendix D); a bound that is none of
   its column's type is shown as it is and never ends a view. */
#include "reader/inspect_internal.h"

lake_str lake_cell_i64(lake_arena *scratch, int64_t v) {
    return lake_arena_printf(scratch, "%lld", (long long)v);
}

lake_str lake_cell_bool(bool v) {
    return v ? LAKE_STR("true") : LAKE_STR("false");
}

lake_str lake_cell_text(lake_view *view, lake_arena *scratch) {
    lake_str s = {NULL, 0};
    if (!view->text.failed)
        s = lake_arena_str(scratch, lake_buffer_view(&view->text).ptr, view->text.len);
    lake_buffer_reset(&view->text);
    return s;
}

lake_str lake_cell_string(lake_view *view, lake_arena *scratch, lake_str s) {
    if (!s.ptr)
        return LAKE_STR("null");
    lake_json_quote(&view->text, s);
    return lake_cell_text(view, scratch);
}

lake_str lake_cell_json(lake_view *view, lake_arena *scratch, const lake_json *json) {
    if (!json)
        return LAKE_STR("null");
    lake_json_print(&view->text, json, 0);
    return lake_cell_text(view, scratch);
}

lake_str lake_cell_time(lake_view *view, lake_arena *scratch, int64_t ms) {
    lake_type type = {.id = LAKE_TIMESTAMPTZ};
    lake_value_to_json(&view->text, &type, (lake_key){.i = (lake_i128)ms * 1000});
    return lake_cell_text(view, scratch);
}

static void put_hex(lake_buffer *out, lake_bytes bytes, const char *note) {
    lake_buffer_puts(out, "{\"hex\":\"");
    lake_buffer_hex(out, bytes);
    lake_buffer_puts(out, "\",\"note\":");
    lake_json_quote(out, lake_str_of(note));
    lake_buffer_char(out, '}');
}

static void put_key(lake_buffer *out, const lake_type *type, lake_key key) {
    lake_value_to_json(out, type, key);
}

void lake_cell_bound(lake_buffer *out, const lake_type *type, lake_bytes bound) {
    lake_key key;
    if (!bound.ptr) {
        lake_buffer_puts(out, "null");
        return;
    }
    if (!type) {
        put_hex(out, bound, "the column is in no schema");
        return;
    }
    switch (lake_value_from_binary(type, bound, &key)) {
    case LAKE_BOUND_NAN: lake_buffer_puts(out, "\"NaN\""); return;
    case LAKE_BOUND_NONE: put_hex(out, bound, "not a value of the column's type"); return;
    case LAKE_BOUND_KEY: break;
    }
    if (type->id == LAKE_STRING && !lake_utf8_valid(key.b))
        put_hex(out, bound, "not UTF-8");
    else
        put_key(out, type, key);
}

static const lake_field *find_field(const lake_metadata *m, int32_t id) {
    const lake_field *f = lake_schema_field(m->schema, id);
    for (size_t i = m->nschemas; !f && i > 0; i--)
        f = lake_schema_field(m->schemas[i - 1], id);
    return f;
}

bool lake_partition_type(
    const lake_metadata *m, const lake_partition_field *field, lake_type *source, lake_type *result) {
    const lake_field *f = field->nsource_ids == 1 ? find_field(m, field->source_ids[0]) : NULL;
    if (!f || lake_type_is_nested(&f->type))
        return false;
    *source = f->type;
    *result = lake_transform_result(&field->transform, source);
    return true;
}

/* Without a type the Avro value itself is shown. */
static void put_datum(lake_buffer *out, lake_datum d) {
    switch (d.kind) {
    case LAKE_DATUM_NULL: lake_buffer_puts(out, "null"); break;
    case LAKE_DATUM_BOOL: lake_buffer_puts(out, d.i ? "true" : "false"); break;
    case LAKE_DATUM_INT: lake_buffer_printf(out, "%lld", (long long)d.i); break;
    case LAKE_DATUM_FLOAT: {
        lake_type type = {.id = LAKE_DOUBLE};
        if (d.f != d.f)
            lake_buffer_puts(out, "\"NaN\"");
        else
            put_key(out, &type, (lake_key){.f = d.f});
        break;
    }
    case LAKE_DATUM_BYTES:
        if (lake_utf8_valid(d.b))
            lake_json_quote(out, lake_text_of(d.b));
        else
            put_hex(out, d.b, "not UTF-8");
        break;
    }
}

void lake_cell_human(lake_buffer *out, const lake_partition_field *field, const lake_type *source, lake_key key) {
    lake_buffer text;
    lake_buffer_init(&text);
    lake_transform_print(&text, &field->transform, source, key);
    lake_json_quote(out, lake_buffer_view(&text));
    out->failed |= text.failed;
    lake_buffer_clear(&text);
}

static void put_partition_value(lake_view *view, lake_buffer *out, const lake_partition_field *f, lake_datum d) {
    lake_type source, result;
    lake_key key;
    bool typed =
        lake_partition_type(view->table->metadata, f, &source, &result) && lake_type_kind(&result) != LAKE_KEY_NONE;
    if (d.kind == LAKE_DATUM_NULL || !typed) {
        put_datum(out, d);
        return;
    }
    switch (lake_value_from_datum(&view->arena, &result, d, &key)) {
    case LAKE_BOUND_NAN: lake_buffer_puts(out, "\"NaN\""); break;
    case LAKE_BOUND_KEY:
        if (result.id == LAKE_STRING && !lake_utf8_valid(key.b))
            put_hex(out, key.b, "not UTF-8");
        else if (view->human)
            lake_cell_human(out, f, &source, key);
        else
            put_key(out, &result, key);
        break;
    case LAKE_BOUND_NONE: put_datum(out, d); break;
    }
}

void lake_cell_partition(lake_view *view, lake_buffer *out, const lake_spec *spec, const lake_datum *values, size_t n) {
    lake_buffer_char(out, '{');
    for (size_t i = 0; spec && i < spec->nfields && i < n; i++) {
        if (i)
            lake_buffer_char(out, ',');
        lake_json_quote(out, spec->fields[i].name);
        lake_buffer_char(out, ':');
        put_partition_value(view, out, &spec->fields[i], values[i]);
    }
    lake_buffer_char(out, '}');
}
