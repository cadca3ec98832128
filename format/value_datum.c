/* Partition values as Avro stores them (spec.md, Appendix A, "Avro"). */
#include <math.h>

#include "format/value_internal.h"

static bool int_from_datum(const lake_type *type, lake_datum d, lake_i128 *out) {
    if (type->id == LAKE_DECIMAL)
        return d.kind == LAKE_DATUM_BYTES && lake_i128_from_be(d.b, out);
    if (d.kind != (type->id == LAKE_BOOLEAN ? LAKE_DATUM_BOOL : LAKE_DATUM_INT))
        return false;
    bool narrow = type->id == LAKE_INT || type->id == LAKE_DATE;
    if (narrow && (d.i < INT32_MIN || d.i > INT32_MAX))
        return false;
    *out = type->id == LAKE_BOOLEAN ? d.i != 0 : d.i;
    return true;
}

static bool bytes_from_datum(lake_arena *arena, const lake_type *type, lake_bytes b, lake_bytes *out) {
    if (type->id != LAKE_UUID || b.len == 16) {
        *out = b;
        return true;
    }
    uint8_t *copy = lake_arena_alloc(arena, 16);
    if (!copy || !lake_uuid_parse(lake_text_of(b), copy))
        return false;
    *out = (lake_bytes){copy, 16};
    return true;
}

lake_bound_state lake_value_from_datum(lake_arena *arena, const lake_type *type, lake_datum d, lake_key *out) {
    bool ok = false;
    switch (lake_type_kind(type)) {
    case LAKE_KEY_INT: ok = int_from_datum(type, d, &out->i); break;
    case LAKE_KEY_FLOAT:
        if (d.kind != LAKE_DATUM_FLOAT)
            break;
        out->f = d.f;
        return isnan(d.f) ? LAKE_BOUND_NAN : LAKE_BOUND_KEY;
    case LAKE_KEY_BYTES: ok = d.kind == LAKE_DATUM_BYTES && bytes_from_datum(arena, type, d.b, &out->b); break;
    default: break;
    }
    return ok ? LAKE_BOUND_KEY : LAKE_BOUND_NONE;
}

int lake_decimal_fixed_size(int precision) {
    lake_u128 largest = (lake_u128)lake_i128_pow10(precision) - 1;
    int n = 1;
    while (n < 16 && ((lake_u128)1 << (8 * n - 1)) - 1 < largest)
        n++;
    return n;
}

static lake_status fail_fit(const lake_type *type, lake_key key, lake_error *err) {
    char text[LAKE_I128_TEXT];
    lake_i128_print(key.i, text);
    return lake_fail(err, LAKE_ERR_MALFORMED, "%s does not fit the partition value's type%s", text,
        type->id == LAKE_DECIMAL ? " (unscaled value of a decimal)" : "");
}

lake_status lake_value_to_datum(
    lake_arena *arena, const lake_type *type, lake_key key, lake_datum *out, lake_error *err) {
    lake_key_kind kind = lake_type_kind(type);
    if (kind == LAKE_KEY_NONE)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "values of this type cannot be partition values");
    if (kind == LAKE_KEY_FLOAT) {
        *out = (lake_datum){.kind = LAKE_DATUM_FLOAT, .f = key.f};
        return LAKE_OK;
    }
    if (kind == LAKE_KEY_BYTES) {
        *out = (lake_datum){.kind = LAKE_DATUM_BYTES, .b = lake_arena_bytes(arena, key.b.ptr, key.b.len)};
        return out->b.ptr ? LAKE_OK : lake_fail_memory(err);
    }
    if (type->id == LAKE_DECIMAL) {
        size_t n = (size_t)lake_decimal_fixed_size(type->precision);
        uint8_t *b = lake_arena_alloc(arena, n);
        if (!b)
            return lake_fail_memory(err);
        *out = (lake_datum){.kind = LAKE_DATUM_BYTES, .b = {b, n}};
        return lake_i128_to_be_fixed(key.i, b, n) ? LAKE_OK : fail_fit(type, key, err);
    }
    bool narrow = type->id == LAKE_INT || type->id == LAKE_DATE;
    if (key.i < (narrow ? INT32_MIN : INT64_MIN) || key.i > (narrow ? INT32_MAX : INT64_MAX))
        return fail_fit(type, key, err);
    *out = (lake_datum){.kind = type->id == LAKE_BOOLEAN ? LAKE_DATUM_BOOL : LAKE_DATUM_INT, .i = (int64_t)key.i};
    return LAKE_OK;
}
