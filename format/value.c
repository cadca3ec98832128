/* Keys of values: their order, their ranges, their binary form (spec.md, Appendix D, and "Schema Evolution" for the
   widths of promoted types). */
#include "format/value.h"

#include <math.h>

lake_key_kind lake_type_kind(const lake_type *type) {
    switch (type->id) {
    case LAKE_BOOLEAN:
    case LAKE_INT:
    case LAKE_LONG:
    case LAKE_DECIMAL:
    case LAKE_DATE:
    case LAKE_TIME:
    case LAKE_TIMESTAMP:
    case LAKE_TIMESTAMPTZ:
    case LAKE_TIMESTAMP_NS:
    case LAKE_TIMESTAMPTZ_NS: return LAKE_KEY_INT;
    case LAKE_FLOAT:
    case LAKE_DOUBLE: return LAKE_KEY_FLOAT;
    case LAKE_STRING:
    case LAKE_UUID:
    case LAKE_FIXED:
    case LAKE_BINARY: return LAKE_KEY_BYTES;
    default: return LAKE_KEY_NONE;
    }
}

int64_t lake_type_per_day(const lake_type *type) {
    switch (type->id) {
    case LAKE_DATE: return 1;
    case LAKE_TIMESTAMP:
    case LAKE_TIMESTAMPTZ: return 86400 * INT64_C(1000000);
    case LAKE_TIMESTAMP_NS:
    case LAKE_TIMESTAMPTZ_NS: return 86400 * INT64_C(1000000000);
    default: return 0;
    }
}

/* ---- order */

int lake_key_cmp(lake_key_kind kind, lake_key a, lake_key b) {
    switch (kind) {
    case LAKE_KEY_INT: return (a.i > b.i) - (a.i < b.i);
    case LAKE_KEY_FLOAT: return (a.f > b.f) - (a.f < b.f);
    case LAKE_KEY_BYTES: return lake_bytes_cmp(a.b, b.b);
    default: return 0;
    }
}

int lake_key_cmp_total(lake_key_kind kind, lake_key a, lake_key b) {
    int c = lake_key_cmp(kind, a, b);
    if (c == 0 && kind == LAKE_KEY_FLOAT && a.f == 0)
        return (signbit(a.f) ? 0 : 1) - (signbit(b.f) ? 0 : 1);
    return c;
}

int lake_end_cmp(lake_key_kind kind, lake_end a, lake_end b) {
    static const int rank[] = {[LAKE_END_LOW] = 0, [LAKE_END_KEY] = 1, [LAKE_END_TOP] = 2};
    if (a.at == LAKE_END_KEY && b.at == LAKE_END_KEY)
        return lake_key_cmp(kind, a.key, b.key);
    return (rank[a.at] > rank[b.at]) - (rank[a.at] < rank[b.at]);
}

bool lake_key_next(lake_arena *arena, lake_key_kind kind, lake_key k, lake_end *out) {
    lake_end end = {.at = LAKE_END_KEY};
    if (kind == LAKE_KEY_INT) {
        if (k.i == LAKE_I128_MAX)
            end.at = LAKE_END_TOP;
        else
            end.key.i = k.i + 1;
    } else if (kind == LAKE_KEY_FLOAT) {
        if (k.f == INFINITY)
            end.at = LAKE_END_TOP;
        else
            end.key.f = nextafter(k.f, INFINITY); /* of both zeros: the smallest positive number */
    } else if (kind == LAKE_KEY_BYTES) {
        lake_bytes copy = lake_arena_bytes(arena, k.b.ptr, k.b.len); /* a NUL follows the copy */
        if (!copy.ptr)
            return false;
        end.key.b = (lake_bytes){copy.ptr, copy.len + 1};
    } else {
        end.at = LAKE_END_TOP;
    }
    *out = end;
    return true;
}

bool lake_key_next_prefix(lake_arena *arena, lake_bytes p, lake_end *out) {
    while (p.len && p.ptr[p.len - 1] == 0xff)
        p.len--;
    if (!p.len) {
        *out = (lake_end){.at = LAKE_END_TOP};
        return true;
    }
    uint8_t *copy = lake_arena_alloc(arena, p.len);
    if (!copy)
        return false;
    memcpy(copy, p.ptr, p.len);
    copy[p.len - 1]++;
    *out = (lake_end){.at = LAKE_END_KEY, .key.b = {copy, p.len}};
    return true;
}

static void int_range(lake_i128 lo, lake_i128 hi, lake_end *out_lo, lake_end *out_hi) {
    *out_lo = (lake_end){.at = LAKE_END_KEY, .key.i = lo};
    *out_hi = (lake_end){.at = LAKE_END_KEY, .key.i = hi};
}

void lake_type_range(const lake_type *type, lake_end *lo, lake_end *hi) {
    *lo = (lake_end){.at = LAKE_END_LOW};
    *hi = (lake_end){.at = LAKE_END_TOP};
    switch (type->id) {
    case LAKE_BOOLEAN: int_range(0, 2, lo, hi); return;
    case LAKE_INT:
    case LAKE_DATE: int_range(INT32_MIN, (lake_i128)INT32_MAX + 1, lo, hi); return;
    case LAKE_TIME: int_range(0, 86400 * INT64_C(1000000), lo, hi); return;
    case LAKE_LONG:
    case LAKE_TIMESTAMP:
    case LAKE_TIMESTAMPTZ:
    case LAKE_TIMESTAMP_NS:
    case LAKE_TIMESTAMPTZ_NS: int_range(INT64_MIN, (lake_i128)INT64_MAX + 1, lo, hi); return;
    default: break;
    }
    if (lake_type_kind(type) == LAKE_KEY_FLOAT)
        *lo = (lake_end){.at = LAKE_END_KEY, .key.f = -INFINITY};
    else if (lake_type_kind(type) == LAKE_KEY_BYTES)
        *lo = (lake_end){.at = LAKE_END_KEY, .key.b = {(const uint8_t *)"", 0}};
}

/* ---- binary single values */

static int32_t le32(lake_bytes b) {
    return (int32_t)lake_get_le32(b.ptr);
}

static lake_bound_state float_from_binary(const lake_type *type, lake_bytes b, lake_key *out) {
    if (b.len == 4) {
        float f;
        memcpy(&f, b.ptr, 4);
        out->f = f;
    } else if (b.len == 8 && type->id == LAKE_DOUBLE) {
        memcpy(&out->f, b.ptr, 8);
    } else {
        return LAKE_BOUND_NONE;
    }
    return isnan(out->f) ? LAKE_BOUND_NAN : LAKE_BOUND_KEY;
}

static bool int_from_binary(const lake_type *type, lake_bytes b, lake_i128 *out) {
    switch (type->id) {
    case LAKE_BOOLEAN: *out = b.len == 1 && b.ptr[0] != 0; return b.len == 1;
    case LAKE_DECIMAL: return lake_i128_from_be(b, out);
    case LAKE_INT:
    case LAKE_DATE:
        if (b.len != 4)
            return false;
        *out = le32(b);
        return true;
    default: break;
    }
    if (b.len == 8) {
        *out = (int64_t)lake_get_le64(b.ptr);
        return true;
    }
    /* int was promoted to long, date to timestamp and timestamp_ns */
    if (b.len != 4 || (type->id != LAKE_LONG && type->id != LAKE_TIMESTAMP && type->id != LAKE_TIMESTAMP_NS))
        return false;
    *out = le32(b) * (lake_i128)(type->id == LAKE_LONG ? 1 : lake_type_per_day(type));
    return true;
}

lake_bound_state lake_value_from_binary(const lake_type *type, lake_bytes b, lake_key *out) {
    if (!b.ptr)
        return LAKE_BOUND_NONE;
    switch (lake_type_kind(type)) {
    case LAKE_KEY_INT: return int_from_binary(type, b, &out->i) ? LAKE_BOUND_KEY : LAKE_BOUND_NONE;
    case LAKE_KEY_FLOAT: return float_from_binary(type, b, out);
    case LAKE_KEY_BYTES:
        if (type->id == LAKE_UUID && b.len != 16)
            return LAKE_BOUND_NONE;
        out->b = b;
        return LAKE_BOUND_KEY;
    default: return LAKE_BOUND_NONE;
    }
}

lake_bytes lake_value_to_binary(const lake_type *type, lake_key key, uint8_t scratch[16]) {
    switch (lake_type_kind(type)) {
    case LAKE_KEY_BYTES: return key.b;
    case LAKE_KEY_FLOAT:
        if (type->id == LAKE_FLOAT) {
            float f = (float)key.f;
            memcpy(scratch, &f, 4);
            return (lake_bytes){scratch, 4};
        }
        memcpy(scratch, &key.f, 8);
        return (lake_bytes){scratch, 8};
    case LAKE_KEY_INT: break;
    default: return lake_type_is_geo(type) ? key.b : (lake_bytes){NULL, 0};
    }
    switch (type->id) {
    case LAKE_BOOLEAN: scratch[0] = key.i != 0; return (lake_bytes){scratch, 1};
    case LAKE_DECIMAL: return (lake_bytes){scratch, lake_i128_to_be(key.i, scratch)};
    case LAKE_INT:
    case LAKE_DATE: lake_put_le32(scratch, (uint32_t)key.i); return (lake_bytes){scratch, 4};
    default: lake_put_le64(scratch, (uint64_t)key.i); return (lake_bytes){scratch, 8};
    }
}
