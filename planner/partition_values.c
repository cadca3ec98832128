/* Partition tuples as they are told: as JSON single values, and as people and paths write them; the fields that specs
   and metrics speak of, which the chosen schema may have lost (spec.md, "JSON Single Value Serialization"). */
#include "planner/plan.h"

const lake_field *plan_any_field(const lake_plan *plan, int32_t id) {
    const lake_field *f = lake_schema_field(plan->planning.schema, id);
    const lake_metadata *m = plan->planning.metadata;
    const lake_schema *newest = NULL;
    for (size_t i = 0; !f && i < m->nschemas; i++)
        if (lake_schema_field(m->schemas[i], id) && (!newest || m->schemas[i]->id > newest->id))
            newest = m->schemas[i];
    return f ? f : newest ? lake_schema_field(newest, id) : NULL;
}

bool plan_partition_type(const lake_plan *plan, const lake_partition_field *field, lake_type *out) {
    const lake_field *source = field->nsource_ids == 1 ? plan_any_field(plan, field->source_ids[0]) : NULL;
    if (!source)
        return false;
    *out = lake_transform_result(&field->transform, &source->type);
    return true;
}

void plan_datum_json(lake_datum d, lake_buffer *out) {
    switch (d.kind) {
    case LAKE_DATUM_NULL: lake_buffer_puts(out, "null"); break;
    case LAKE_DATUM_BOOL: lake_buffer_puts(out, d.i ? "true" : "false"); break;
    case LAKE_DATUM_INT: lake_buffer_printf(out, "%lld", (long long)d.i); break;
    case LAKE_DATUM_FLOAT:
        if (d.f != d.f)
            lake_buffer_puts(out, "\"NaN\"");
        else
            lake_value_to_json(out, &(lake_type){.id = LAKE_DOUBLE}, (lake_key){.f = d.f});
        break;
    case LAKE_DATUM_BYTES:
        lake_buffer_char(out, '"');
        lake_buffer_hex(out, d.b);
        lake_buffer_char(out, '"');
        break;
    }
}

void plan_partition_json(const lake_plan *plan, const lake_spec *spec, const lake_entry *e, lake_arena *scratch,
    bool object, lake_buffer *out) {
    lake_buffer_char(out, object ? '{' : '[');
    for (size_t i = 0; i < spec->nfields && i < e->npartition; i++) {
        if (i)
            lake_buffer_char(out, ',');
        if (object) {
            lake_json_quote(out, spec->fields[i].name);
            lake_buffer_char(out, ':');
        }
        lake_type type;
        lake_key key;
        lake_bound_state state = LAKE_BOUND_NONE;
        if (plan_partition_type(plan, &spec->fields[i], &type))
            state = lake_value_from_datum(scratch, &type, e->partition[i], &key);
        if (state == LAKE_BOUND_KEY)
            lake_value_to_json(out, &type, key);
        else if (state == LAKE_BOUND_NAN)
            lake_buffer_puts(out, "\"NaN\"");
        else
            plan_datum_json(e->partition[i], out);
    }
    lake_buffer_char(out, object ? '}' : ']');
}

/* "ts_month=2025-03, id_bucket=3", as people and paths write it. */
void plan_partition_text(
    const lake_plan *plan, const lake_spec *spec, const lake_entry *e, lake_arena *scratch, lake_buffer *out) {
    for (size_t i = 0; i < spec->nfields && i < e->npartition; i++) {
        const lake_partition_field *f = &spec->fields[i];
        lake_buffer_printf(out, "%s%.*s=", i ? ", " : "", LAKE_ARG(f->name));
        lake_type type;
        lake_key key;
        lake_bound_state state = LAKE_BOUND_NONE;
        if (plan_partition_type(plan, f, &type))
            state = lake_value_from_datum(scratch, &type, e->partition[i], &key);
        if (state == LAKE_BOUND_KEY)
            lake_transform_print(out, &f->transform, &plan_any_field(plan, f->source_ids[0])->type, key);
        else if (state == LAKE_BOUND_NAN)
            lake_buffer_puts(out, "NaN");
        else
            plan_datum_json(e->partition[i], out);
    }
}
