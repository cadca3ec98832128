/* Partition values as facts about their source column: a value, or the span that a transform gives back. */
#include "planner/fact_maker.h"

lake_status lake_partition_uses(lake_arena *arena, const lake_spec *spec, lake_fact_item *item, lake_error *err) {
    const lake_type *source = &item->field->type;
    size_t n = 0;
    for (size_t i = 0; spec && i < spec->nfields; i++)
        n += spec->fields[i].nsource_ids == 1 && spec->fields[i].source_ids[0] == item->field->id;
    item->uses = LAKE_ARENA_ARRAY(arena, lake_partition_use, n + 1);
    if (!item->uses)
        return lake_fail_memory(err);
    for (size_t i = 0; n && i < spec->nfields; i++) {
        const lake_partition_field *f = &spec->fields[i];
        const lake_transform *t = &f->transform;
        if (f->nsource_ids != 1 || f->source_ids[0] != item->field->id || t->id == LAKE_TRANSFORM_VOID ||
            t->id == LAKE_TRANSFORM_UNKNOWN)
            continue;
        if (lake_type_kind(source) == LAKE_KEY_NONE || !lake_transform_accepts(t, source))
            continue;
        lake_partition_use *use = &item->uses[item->nuses++];
        use->position = i;
        use->transform = *t;
        use->result = lake_transform_result(t, source);
        use->kind = lake_type_kind(&use->result);
        use->monotone = lake_transform_is_monotone(t, source);
        use->divides = item->bucket && t->id == LAKE_TRANSFORM_BUCKET && t->n % item->bucket == 0;
        use->nwraps = use->monotone ? lake_transform_wraps(t, source, true, use->wraps) : 0;
    }
    return LAKE_OK;
}

static void push_span(lake_facts *f, lake_end lo, lake_end hi) {
    f->spans[f->nspans++] = (lake_span){lo, hi};
}

/* Spans of the source that contain every value whose transform lies in [lo, hi]: at most five. */
static bool sources(lake_arena *scratch, const lake_partition_use *use, const lake_type *source,
    const lake_partition_values *v, lake_facts *out) {
    const lake_transform *t = &use->transform;
    lake_end lo = lake_end_low(), hi = lake_end_top(), from, to;
    if (v->has_lo)
        lo = lake_end_key(v->lo);
    if (v->has_hi && !lake_key_next(scratch, use->kind, v->hi, &hi))
        return false;
    out->nspans = 0;
    if (t->id == LAKE_TRANSFORM_IDENTITY) {
        push_span(out, lo, hi);
        return true;
    }
    if (!lake_transform_pre(scratch, t, source, lo, &from) || !lake_transform_pre(scratch, t, source, hi, &to))
        return false;
    push_span(out, from, to);
    for (size_t i = 0; i < use->nwraps; i++) {
        const lake_wrap_span *w = &use->wraps[i];
        if ((!v->has_lo || v->lo.i <= w->result) && (!v->has_hi || w->result <= v->hi.i))
            push_span(out, lake_end_key((lake_key){.i = w->lo}), lake_end_key((lake_key){.i = w->hi}));
    }
    bool ns = source->id == LAKE_TIMESTAMP_NS || source->id == LAKE_TIMESTAMPTZ_NS;
    if (t->id == LAKE_TRANSFORM_HOUR && v->has_lo && v->has_hi && !ns) /* hours of microseconds can overflow an int */
        for (int sign = -1; sign <= 1; sign += 2) {
            lake_i128 shift = sign * ((lake_i128)1 << 32);
            if (!lake_transform_pre(scratch, t, source, lake_end_key((lake_key){.i = v->lo.i + shift}), &from) ||
                !lake_transform_pre(scratch, t, source, lake_end_key((lake_key){.i = v->hi.i + 1 + shift}), &to))
                return false;
            push_span(out, from, to);
        }
    return true;
}

static void only(lake_facts *out, bool null, bool nan) {
    lake_facts_set(out, null, nan, false);
    out->nspans = 0;
}

static bool column_part(lake_arena *scratch, const lake_fact_item *item, const lake_partition_use *use,
    const lake_partition_values *v, lake_facts *out) {
    if (v->nan == LAKE_ONLY) {
        only(out, v->null != LAKE_NEVER, true);
        return true;
    }
    if (v->null == LAKE_ONLY) {
        only(out, true, false);
        return true;
    }
    lake_facts_set(out, v->null != LAKE_NEVER, v->nan != LAKE_NEVER, true);
    if (use->transform.id == LAKE_TRANSFORM_BUCKET) {
        if (v->has_lo && v->has_hi) {
            out->buckets[0] = (lake_bucket_fact){use->transform.n, (int32_t)v->lo.i, (int32_t)v->hi.i};
            out->nbuckets = 1;
        }
        return true;
    }
    return !use->monotone || sources(scratch, use, &item->field->type, v, out);
}

/* About bucket(N, column) itself. */
static void bucket_part(const lake_fact_item *item, const lake_partition_use *use, const lake_partition_values *v,
    lake_facts *out, bool *any) {
    int32_t n = item->bucket;
    bool same = use->transform.n == n;
    if (v->null == LAKE_ONLY) {
        only(out, true, false);
    } else if (use->divides && v->has_lo && (same || (v->has_hi && v->lo.i == v->hi.i))) {
        lake_facts_set(out, v->null != LAKE_NEVER, false, true);
        out->spans[0].lo = lake_end_key((lake_key){.i = same ? v->lo.i : v->lo.i % n});
        if (v->has_hi)
            out->spans[0].hi = lake_end_key((lake_key){.i = (same ? v->hi.i : v->hi.i % n) + 1});
    } else if (v->null == LAKE_NEVER) {
        lake_facts_set(out, false, false, true);
    } else {
        *any = false;
    }
}

bool lake_partition_part(lake_arena *scratch, const lake_fact_item *item, const lake_partition_use *use,
    const lake_partition_values *v, lake_facts *out, bool *any) {
    *any = true;
    if (!item->bucket)
        return column_part(scratch, item, use, v, out);
    bucket_part(item, use, v, out, any);
    return true;
}

bool lake_partition_of_tuple(
    lake_arena *scratch, const lake_partition_use *use, const lake_entry *entry, lake_partition_values *out) {
    if (use->position >= entry->npartition)
        return false;
    lake_datum d = entry->partition[use->position];
    *out = (lake_partition_values){0};
    if (d.kind == LAKE_DATUM_NULL) {
        out->null = LAKE_ONLY;
        return true;
    }
    lake_bound_state state = lake_value_from_datum(scratch, &use->result, d, &out->lo);
    if (state == LAKE_BOUND_NAN)
        out->nan = LAKE_ONLY;
    out->hi = out->lo;
    out->has_lo = out->has_hi = state == LAKE_BOUND_KEY;
    return state != LAKE_BOUND_NONE;
}

bool lake_partition_of_summary(const lake_partition_use *use, const lake_field_summary *s, lake_partition_values *out) {
    bool nan = use->kind == LAKE_KEY_FLOAT && s->contains_nan != 0;
    *out =
        (lake_partition_values){.null = s->contains_null ? LAKE_SOME : LAKE_NEVER, .nan = nan ? LAKE_SOME : LAKE_NEVER};
    if (!s->lower.ptr && !s->upper.ptr && (s->contains_null || s->contains_nan > 0)) { /* what missing bounds mean */
        out->null = s->contains_null ? LAKE_ONLY : LAKE_NEVER;
        out->nan = nan ? LAKE_ONLY : LAKE_NEVER;
        return true;
    }
    out->has_lo = s->lower.ptr && lake_value_from_binary(&use->result, s->lower, &out->lo) == LAKE_BOUND_KEY;
    out->has_hi = s->upper.ptr && lake_value_from_binary(&use->result, s->upper, &out->hi) == LAKE_BOUND_KEY;
    if (out->has_lo && out->has_hi && lake_key_cmp(use->kind, out->hi, out->lo) < 0)
        out->has_lo = out->has_hi = false; /* inverted: no pair */
    return true;
}
