/* What accumulators hold, as statistics of columns. */
#include "format/bounds.h"
#include "reader/data_file.h"

/* Does the key fit the type? Unsigned and scaled values may not; nothing is known of the column then. */
static bool fits(const lake_type *t, lake_key k) {
    lake_end lo, hi;
    if (lake_type_kind(t) != LAKE_KEY_INT)
        return true;
    lake_type_range(t, &lo, &hi);
    return !(lo.at == LAKE_END_KEY && k.i < lo.key.i) && !(hi.at == LAKE_END_KEY && k.i >= hi.key.i);
}

/* Bounds of values that were too long to be kept: still true, not exact. */
static lake_status shorten(lake_arena *arena, const lake_type *t, lake_column_stats *out, lake_error *err) {
    if (lake_type_kind(t) != LAKE_KEY_BYTES)
        return LAKE_OK;
    lake_bytes hi = out->max.b;
    bool cut_min = out->min.b.len > LAKE_ACCUM_LONGEST, cut_max = hi.len > LAKE_ACCUM_LONGEST;
    if ((cut_min || cut_max) && t->id != LAKE_STRING && t->id != LAKE_BINARY) {
        out->has_min = out->has_max = false;
        return LAKE_OK;
    }
    if (cut_min) {
        out->min.b.len = LAKE_ACCUM_LONGEST;
        out->min.b = lake_bound_cut_lower(t, out->min.b, SIZE_MAX);
        out->min_loose = true;
    }
    if (!cut_max)
        return LAKE_OK;
    size_t n = LAKE_ACCUM_LONGEST;
    for (size_t i = 0; t->id == LAKE_STRING && i < LAKE_ACCUM_LONGEST; i++)
        n -= (hi.ptr[i] & 0xc0) == 0x80; /* code points */
    LAKE_TRY(lake_bound_cut_upper(arena, t, hi, n > 1 ? n - 1 : 1, &out->max.b, err));
    out->has_max = out->max.b.ptr;
    out->max_loose = true;
    return LAKE_OK;
}

static lake_status keep_key(lake_arena *arena, const lake_type *t, lake_key *k, lake_error *err) {
    if (lake_type_kind(t) != LAKE_KEY_BYTES && !lake_type_is_geo(t))
        return LAKE_OK;
    k->b = lake_arena_bytes(arena, k->b.ptr, k->b.len);
    return k->b.ptr ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_column_stats_set(
    lake_arena *arena, const lake_field *field, const lake_accum *stats, lake_column_stats *out, lake_error *err) {
    const lake_type *t = &field->type;
    bool is_float = t->id == LAKE_FLOAT || t->id == LAKE_DOUBLE;
    lake_buffer name;
    lake_buffer_init(&name);
    lake_field_full_name(&name, field);
    *out = (lake_column_stats){.field = field,
        .name = lake_arena_str(arena, lake_buffer_view(&name).ptr, name.len),
        .values = stats->values,
        .nulls = stats->nulls,
        .nans = is_float && stats->form != LAKE_ACCUM_NONE ? stats->nans : -1};
    lake_status st = lake_buffer_check(&name, err);
    lake_buffer_clear(&name);
    LAKE_TRY(st);
    if (!out->name.ptr)
        return lake_fail_memory(err);
    if (!lake_accum_min(stats, &out->min) || !lake_accum_max(stats, &out->max) || !fits(t, out->min) ||
        !fits(t, out->max))
        return LAKE_OK;
    out->has_min = out->has_max = true;
    LAKE_TRY(shorten(arena, t, out, err));
    if (out->has_min)
        LAKE_TRY(keep_key(arena, t, &out->min, err));
    return out->has_max ? keep_key(arena, t, &out->max, err) : LAKE_OK;
}
