/* Statistics of Parquet footers, as far as they can be trusted (parquet.thrift, "Statistics", "ColumnOrder"):
   - min_value and max_value need an order that is known (column_orders); the older min and max were compared as signed,
   so they serve only where that is the order, or where both are the same number; of bytes never, since parquet-mr
   before 1.8 wrote an array that it reused as both;
   - floats: a NaN bound says nothing, a zero may be of either sign;
   - parquet-cpp before 4.0 compared decimals in bytes wrongly;
   - what lies in lists and maps: a null may be an empty list, so nothing is counted. */
#include "reader/parquet_scan.h"

#include <math.h>
#include <stdlib.h>

static bool signed_order(const lake_parquet_node *leaf, const lake_accum *s) {
    switch (s->form) {
    case LAKE_ACCUM_BOOL:
    case LAKE_ACCUM_I32:
    case LAKE_ACCUM_I64:
    case LAKE_ACCUM_F32:
    case LAKE_ACCUM_F64: return leaf->logical != LAKE_PARQUET_INTEGER || leaf->is_signed;
    default: return false;
    }
}

static bool old_decimals(const lake_parquet_footer *footer, const lake_accum *s) {
    static const char name[] = "parquet-cpp";
    if (s->form != LAKE_ACCUM_DECIMAL_FIXED && s->form != LAKE_ACCUM_DECIMAL_BYTES)
        return false;
    lake_str by = footer->created_by;
    if (!by.ptr || !lake_str_starts(by, LAKE_STR("parquet-cpp")))
        return false;
    static const char version[] = "version ";
    for (size_t i = sizeof name - 1; i + sizeof version <= by.len; i++)
        if (memcmp(by.ptr + i, version, sizeof version - 1) == 0) {
            const char *digits = by.ptr + i + sizeof version - 1;
            bool two = by.len > i + sizeof version && digits[1] >= '0' && digits[1] <= '9';
            return !two && digits[0] >= '0' && digits[0] < '4';
        }
    return true;
}

/* Which pair can be believed; false: none. */
static bool pick(const lake_parquet_footer *footer, const lake_parquet_node *leaf, const lake_parquet_chunk *chunk,
    const lake_accum *s, lake_bytes *min, lake_bytes *max) {
    const lake_parquet_statistics *st = &chunk->statistics;
    lake_parquet_order order = footer->orders ? footer->orders[leaf->column] : LAKE_PARQUET_ORDER_NONE;
    if (st->min_value.ptr && st->max_value.ptr && order != LAKE_PARQUET_ORDER_NONE && !old_decimals(footer, s)) {
        *min = st->min_value;
        *max = st->max_value;
        return s->form != LAKE_ACCUM_INT96 || order == LAKE_PARQUET_ORDER_INT96;
    }
    *min = st->min.ptr ? st->min : st->min_value;
    *max = st->max.ptr ? st->max : st->max_value;
    if (!min->ptr || !max->ptr)
        return false;
    bool same = min->len == max->len && memcmp(min->ptr, max->ptr, min->len) == 0;
    bool one_value = same && (s->form == LAKE_ACCUM_U32 || s->form == LAKE_ACCUM_U64);
    return s->form != LAKE_ACCUM_INT96 && (signed_order(leaf, s) || one_value);
}

/* A recorded bound as an element that the accumulator takes; NULL: of the wrong size, or NaN. */
static const void *element_of(const lake_accum *s, const lake_bytes *b, lake_key *key) {
    bool views = s->form == LAKE_ACCUM_BYTES || s->form == LAKE_ACCUM_DECIMAL_BYTES;
    if (!views && b->len != lake_accum_stride(s))
        return NULL;
    const void *e = views ? (const void *)b : b->ptr;
    return lake_accum_key(s, e, key) ? e : NULL;
}

static lake_key_kind kind_of(const lake_accum *s) {
    if (s->form == LAKE_ACCUM_BYTES || s->form == LAKE_ACCUM_FIXED)
        return LAKE_KEY_BYTES;
    return s->form >= LAKE_ACCUM_F16 && s->form <= LAKE_ACCUM_F64 ? LAKE_KEY_FLOAT : LAKE_KEY_INT;
}

/* Both zeros, since the footer's may be of either sign. */
static void widen_zero(lake_accum *s, lake_key lo, lake_key hi, lake_parquet_claim *claim) {
    static const uint8_t plus[8] = {0}, minus_16[2] = {0, 0x80}, minus_32[4] = {0, 0, 0, 0x80},
                         minus_64[8] = {0, 0, 0, 0, 0, 0, 0, 0x80};
    const uint8_t *minus = s->form == LAKE_ACCUM_F16 ? minus_16 : s->form == LAKE_ACCUM_F32 ? minus_32 : minus_64;
    if (lo.f == 0) {
        lake_accum_widen(s, minus, 1);
        claim->min_loose = true;
    }
    if (hi.f == 0) {
        lake_accum_widen(s, plus, 1);
        claim->max_loose = true;
    }
}

static void claim_bounds(const lake_parquet_footer *footer, const lake_parquet_node *leaf,
    const lake_parquet_chunk *chunk, lake_accum *s, lake_parquet_claim *claim) {
    lake_bytes min, max;
    lake_key lo, hi;
    if (s->form == LAKE_ACCUM_NONE || !pick(footer, leaf, chunk, s, &min, &max))
        return;
    const void *a = element_of(s, &min, &lo), *b = element_of(s, &max, &hi);
    if (!a || !b || lake_key_cmp_total(kind_of(s), lo, hi) > 0)
        return;
    lake_accum_widen(s, a, 1);
    lake_accum_widen(s, b, 1);
    claim->bounds = true;
    if (kind_of(s) == LAKE_KEY_FLOAT)
        widen_zero(s, lo, hi, claim);
    if (kind_of(s) == LAKE_KEY_BYTES) { /* writers may cut long ones */
        claim->min_loose = chunk->statistics.min_exact != 1;
        claim->max_loose = chunk->statistics.max_exact != 1;
    } else {
        claim->min_loose |= chunk->statistics.min_exact == 0;
        claim->max_loose |= chunk->statistics.max_exact == 0;
    }
}

lake_parquet_claim lake_parquet_trust(
    const lake_parquet_footer *footer, const lake_parquet_node *leaf, const lake_parquet_chunk *chunk, lake_accum *s) {
    const lake_parquet_statistics *st = &chunk->statistics;
    lake_parquet_claim claim = {-1, -1, -1, false, false, false};
    if (chunk->encrypted)
        return claim;
    int64_t nulls = st->null_count >= 0 && st->null_count <= chunk->num_values ? st->null_count : -1;
    if (!leaf->max_def)
        nulls = 0;
    int64_t nans = st->nan_count >= 0 && st->nan_count <= chunk->num_values ? st->nan_count : -1;
    if (kind_of(s) == LAKE_KEY_FLOAT)
        claim.nans = nans;
    if (!leaf->max_rep) {
        claim.values = chunk->num_values;
        claim.nulls = nulls;
    }
    if (nulls >= 0 && nulls + (claim.nans > 0 ? claim.nans : 0) == chunk->num_values)
        claim.bounds = true; /* no value to bound */
    else
        claim_bounds(footer, leaf, chunk, s, &claim);
    return claim;
}
