/* Does the schema in a manifest's header fit the table (spec.md, "Schema Evolution", "Manifests")? Bounds are bytes
   without a type, and columns are numbers: a manifest that was made for another schema would be read as if it had the
   table's types, and lose rows. */
#include "writer/commit_internal.h"

enum { FIRST_RESERVED = 2147483447 }; /* "Reserved Field IDs": of metadata columns, which every table has */

static bool promotes(const lake_type *from, const lake_type *to) {
    switch (from->id) {
    case LAKE_UNKNOWN: return true;
    case LAKE_INT: return to->id == LAKE_INT || to->id == LAKE_LONG;
    case LAKE_FLOAT: return to->id == LAKE_FLOAT || to->id == LAKE_DOUBLE;
    case LAKE_DATE: return to->id == LAKE_DATE || to->id == LAKE_TIMESTAMP || to->id == LAKE_TIMESTAMP_NS;
    case LAKE_DECIMAL: return to->id == LAKE_DECIMAL && from->scale == to->scale && from->precision <= to->precision;
    case LAKE_FIXED: return to->id == LAKE_FIXED && from->length == to->length;
    default: return from->id == to->id;
    }
}

/* The column's current type, else the last one that it had; NULL: the table lists no schema with it. */
static const lake_field *table_field(const lake_metadata *m, int32_t id) {
    const lake_field *f = lake_schema_field(m->schema, id);
    for (size_t i = m->nschemas; !f && i-- > 0;)
        f = lake_schema_field(m->schemas[i], id);
    return f;
}

static lake_status check_field(const lake_metadata *m, const lake_field *f, lake_error *err) {
    const lake_field *own = table_field(m, f->id);
    if (f->id >= FIRST_RESERVED || (own ? promotes(&f->type, &own->type) : f->id <= m->last_column_id))
        return LAKE_OK;
    lake_buffer text;
    lake_buffer_init(&text);
    lake_field_full_name(&text, f);
    lake_buffer_printf(&text, " (%d) is of type ", (int)f->id);
    lake_type_print(&text, &f->type);
    if (own) {
        lake_buffer_puts(&text, " in its schema, but of type ");
        lake_type_print(&text, &own->type);
        lake_buffer_puts(&text, " in the table");
    } else {
        lake_buffer_puts(&text, " in its schema, and the table never had such a column");
    }
    lake_status s = lake_buffer_check(&text, err);
    if (s == LAKE_OK)
        s = lake_fail(err, LAKE_ERR_MALFORMED, "column %.*s", LAKE_ARG(lake_buffer_view(&text)));
    lake_buffer_clear(&text);
    return s;
}

lake_status lake_commit_check_schema(const lake_metadata *m, const lake_json *header_schema, lake_error *err) {
    if (!header_schema)
        return LAKE_OK;
    lake_arena arena;
    lake_schema *schema;
    lake_arena_init(&arena, 0);
    lake_status s = lake_schema_read(&arena, header_schema, &schema, NULL);
    if (s == LAKE_ERR_NO_MEMORY)
        s = lake_fail_memory(err);
    else if (s != LAKE_OK)
        s = LAKE_OK; /* a header that cannot be read says nothing, as where it is absent */
    else
        for (size_t i = 0; s == LAKE_OK && i < schema->nby_id; i++)
            s = check_field(m, schema->by_id[i], err);
    lake_arena_clear(&arena);
    return s;
}
