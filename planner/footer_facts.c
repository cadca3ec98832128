/* Footers as facts: stored values are converted to the column's type first, so a file written before a promotion serves
   as well as any (reader/parquet_types.c); what may be believed, reader/parquet_trust.c knows. */
#include "planner/footer_facts.h"

#include "planner/step.h"

/* Is there a node with that id, whatever it is? */
static bool has_id(const lake_parquet_node *n, int32_t id) {
    if (n->parent && n->has_field_id && n->field_id == id)
        return true;
    for (size_t i = 0; i < n->nchildren; i++)
        if (has_id(n->children[i], id))
            return true;
    return false;
}

/* A file that has ids throughout, and not this one, has only nulls where no default stands in (spec.md, "Column
   Projection"). A partition value may stand in, too: it comes first (lake_part_facts.yields). */
static bool is_missing(const lake_parquet_footer *footer, const lake_field *f) {
    for (size_t i = 0; i < footer->nleaves; i++)
        if (!footer->leaves[i]->has_field_id)
            return false;
    for (const lake_field *p = f; p; p = p->parent)
        if (p->initial_default)
            return false;
    return f->nullable && !f->inside_list && !has_id(footer->root, f->id);
}

lake_status lake_footer_columns(lake_arena *scratch, const lake_parquet_footer *footer, const lake_schema *schema,
    const lake_json *mapping, bool by_names, const int32_t *ids, size_t n, lake_footer_column *out, bool *told,
    lake_error *err) {
    bool by_ids = !by_names && lake_parquet_has_ids(footer->root);
    memset(out, 0, n * sizeof *out);
    *told = by_ids || mapping || by_names;
    if (!*told)
        return LAKE_OK;
    const lake_field **fields = LAKE_ARENA_ARRAY(scratch, const lake_field *, footer->nleaves + 1);
    if (!fields)
        return lake_fail_memory(err);
    lake_parquet_match(footer, schema, by_names, mapping, fields);
    for (size_t i = 0; i < n; i++) {
        lake_footer_column *c = &out[i];
        size_t found = 0;
        c->field = lake_schema_field(schema, ids[i]);
        if (!c->field)
            continue;
        for (size_t k = 0; k < footer->nleaves; k++)
            if (fields[k] == c->field) {
                c->leaf = footer->leaves[k];
                found++;
            }
        if (found != 1 || c->leaf->max_rep || c->field->inside_list)
            c->leaf = NULL; /* two columns of one id: neither is believed */
        if (c->leaf)
            c->reading = lake_parquet_reading_of(c->leaf, &c->field->type);
        else
            c->missing = !found && by_ids && is_missing(footer, c->field);
    }
    return LAKE_OK;
}

bool lake_footer_fits(const lake_type *t, lake_key k) {
    lake_end lo, hi;
    if (lake_type_kind(t) != LAKE_KEY_INT)
        return true;
    lake_type_range(t, &lo, &hi);
    return !(lo.at == LAKE_END_KEY && k.i < lo.key.i) && !(hi.at == LAKE_END_KEY && k.i >= hi.key.i);
}

static lake_status bounds(
    lake_arena *arena, const lake_type *type, const lake_accum *s, lake_span *out, lake_error *err) {
    lake_key lo, hi;
    bool rounded = s->div > 1; /* down: a reader may round up to the next unit */
    lake_key_kind kind = lake_type_kind(type);
    if (!lake_accum_min(s, &lo) || !lake_accum_max(s, &hi) || !lake_footer_fits(type, lo) ||
        !lake_footer_fits(type, hi))
        return LAKE_OK;
    if (kind == LAKE_KEY_INT)
        hi.i += rounded;
    if (kind == LAKE_KEY_BYTES)
        lo.b = lake_arena_bytes(arena, lo.b.ptr, lo.b.len);
    if ((kind == LAKE_KEY_BYTES && !lo.b.ptr) || !lake_key_next(arena, kind, hi, &out->hi))
        return lake_fail_memory(err);
    out->lo = lake_end_key(lo);
    return LAKE_OK;
}

/* Bytes read as bytes, but compared as something else by who wrote the statistics. */
static bool other_order(const lake_parquet_node *leaf, lake_accum_form form) {
    bool bytes = form == LAKE_ACCUM_FIXED || form == LAKE_ACCUM_BYTES;
    return bytes &&
        (leaf->logical == LAKE_PARQUET_DECIMAL || leaf->logical == LAKE_PARQUET_INTERVAL ||
            leaf->logical == LAKE_PARQUET_FLOAT16 || leaf->logical == LAKE_PARQUET_OTHER);
}

lake_status lake_footer_facts(lake_arena *arena, const lake_parquet_footer *footer, const lake_footer_column *column,
    const lake_parquet_chunk *chunk, int64_t rows, lake_part_facts *out, lake_error *err) {
    *out = (lake_part_facts){.span = {lake_end_low(), lake_end_top()}};
    if (column->missing) {
        out->known = out->null = out->yields = true;
        return LAKE_OK;
    }
    if (!column->leaf || chunk->encrypted || chunk->num_values != rows)
        return LAKE_OK;
    const lake_type *type = &column->field->type;
    lake_key_kind kind = lake_type_kind(type);
    const lake_parquet_reading *how = &column->reading;
    lake_accum s;
    lake_accum_init(&s, how->form, how->width, how->mul, how->div);
    lake_parquet_claim claim = lake_parquet_trust(footer, column->leaf, chunk, &s);
    lake_status st = lake_accum_check(&s, err);
    bool readable = how->form != LAKE_ACCUM_NONE && !other_order(column->leaf, how->form);
    int64_t nans = kind != LAKE_KEY_FLOAT ? 0 : claim.nans;
    bool no_value = claim.nulls >= 0 && claim.nulls + (nans > 0 ? nans : 0) == rows;
    out->known = true;
    out->null = claim.nulls != 0;
    out->nulls_counted = claim.nulls > 0;
    out->nan = kind == LAKE_KEY_FLOAT && nans != 0;
    out->value = !no_value && nans != rows;
    if (st == LAKE_OK && out->value && claim.bounds && readable && kind != LAKE_KEY_NONE)
        st = bounds(arena, type, &s, &out->span, err);
    lake_accum_clear(&s);
    return st;
}
