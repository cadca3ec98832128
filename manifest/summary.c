/* Exact partition summaries: NaN and null are flags, never bounds; -0.0 is below 0.0. */
#include "manifest/summary.h"

void lake_summary_init(lake_summary *s, lake_key_kind kind) {
    *s = (lake_summary){.kind = kind};
    lake_buffer_init(&s->lower_bytes);
    lake_buffer_init(&s->upper_bytes);
}

void lake_summary_clear(lake_summary *s) {
    lake_buffer_clear(&s->lower_bytes);
    lake_buffer_clear(&s->upper_bytes);
}

static void set(lake_summary *s, lake_key *bound, lake_buffer *bytes, lake_key key) {
    *bound = key;
    if (s->kind != LAKE_KEY_BYTES)
        return;
    bytes->len = 0; /* not a reset: a failure before stays */
    lake_buffer_put(bytes, key.b.ptr, key.b.len);
    bound->b = lake_bytes_of(lake_buffer_view(bytes));
}

void lake_summary_add(lake_summary *s, lake_bound_state state, lake_key key) {
    if (state == LAKE_BOUND_NONE) {
        s->has_null = true;
        return;
    }
    if (state == LAKE_BOUND_NAN) {
        s->has_nan = true;
        return;
    }
    if (!s->has_value || lake_key_cmp_total(s->kind, key, s->lower) < 0)
        set(s, &s->lower, &s->lower_bytes, key);
    if (!s->has_value || lake_key_cmp_total(s->kind, key, s->upper) > 0)
        set(s, &s->upper, &s->upper_bytes, key);
    s->has_value = true;
}

void lake_summary_move(lake_summary *s, lake_summary *from) {
    s->has_null |= from->has_null;
    s->has_nan |= from->has_nan;
    if (from->has_value) {
        lake_summary_add(s, LAKE_BOUND_KEY, from->lower);
        lake_summary_add(s, LAKE_BOUND_KEY, from->upper);
    }
    s->lower_bytes.failed |= from->lower_bytes.failed || from->upper_bytes.failed;
    from->has_null = from->has_nan = from->has_value = false;
}

static lake_status bound(const lake_type *type, lake_key key, lake_arena *arena, lake_bytes *out, lake_error *err) {
    uint8_t scratch[16];
    lake_bytes b = lake_value_to_binary(type, key, scratch);
    *out = lake_arena_bytes(arena, b.ptr, b.len);
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_summary_finish(
    const lake_summary *s, const lake_type *type, lake_arena *arena, lake_field_summary *out, lake_error *err) {
    *out = (lake_field_summary){.contains_null = s->has_null, .contains_nan = s->has_nan};
    if (s->lower_bytes.failed || s->upper_bytes.failed)
        return lake_fail_memory(err);
    if (!s->has_value)
        return LAKE_OK;
    LAKE_TRY(bound(type, s->lower, arena, &out->lower, err));
    return bound(type, s->upper, arena, &out->upper, err);
}
