/* Types of Avro leaves, shapes of nested types. Logical types that do not fit the type they stand on are ignored, as
   the Avro specification asks. */
#include "reader/avro_types.h"

const lake_avro_type *lake_avro_present(const lake_avro_type *t, int *null_branch) {
    *null_branch = -1;
    if (t->kind != LAKE_AVRO_UNION)
        return t;
    if (t->count == 1)
        return t->branches[0];
    if (t->count != 2)
        return NULL;
    for (int i = 0; i < 2; i++)
        if (t->branches[i]->kind == LAKE_AVRO_NULL) {
            *null_branch = i;
            return t->branches[1 - i];
        }
    return NULL;
}

static bool is_logical(const lake_avro_type *t, const char *name) {
    return t->logical.ptr && lake_str_is(t->logical, name);
}

static bool is_pairs(const lake_avro_type *t) {
    const lake_avro_type *item = t->branches[0];
    return is_logical(t, "map") && item->kind == LAKE_AVRO_RECORD && item->count == 2;
}

lake_avro_shape lake_avro_shape_of(const lake_avro_type *t) {
    switch (t->kind) {
    case LAKE_AVRO_RECORD: return is_logical(t, "variant") ? LAKE_AVRO_IS_LEAF : LAKE_AVRO_IS_STRUCT;
    case LAKE_AVRO_MAP: return LAKE_AVRO_IS_MAP;
    case LAKE_AVRO_ARRAY: return is_pairs(t) ? LAKE_AVRO_IS_PAIRS : LAKE_AVRO_IS_LIST;
    case LAKE_AVRO_UNION: return LAKE_AVRO_IS_NOTHING;
    case LAKE_AVRO_FIXED: return t->size > 0 ? LAKE_AVRO_IS_LEAF : LAKE_AVRO_IS_NOTHING;
    default: return LAKE_AVRO_IS_LEAF;
    }
}

typedef enum meaning { PLAIN, DATE, TIME, TIMESTAMP, DECIMAL, UUID } meaning;

/* What the annotation says; *unit: parts of a second, *utc: an instant. */
static meaning meaning_of(const lake_avro_type *t, int64_t *unit, bool *utc) {
    static const struct {
        const char *name;
        lake_avro_kind kind;
        meaning meaning;
        int64_t unit;
        bool local;
    } logical[] = {{"date", LAKE_AVRO_INT, DATE, 0, false}, {"time-millis", LAKE_AVRO_INT, TIME, 1000, false},
        {"time-micros", LAKE_AVRO_LONG, TIME, 1000000, false},
        {"timestamp-millis", LAKE_AVRO_LONG, TIMESTAMP, 1000, false},
        {"timestamp-micros", LAKE_AVRO_LONG, TIMESTAMP, 1000000, false},
        {"timestamp-nanos", LAKE_AVRO_LONG, TIMESTAMP, 1000000000, false},
        {"local-timestamp-millis", LAKE_AVRO_LONG, TIMESTAMP, 1000, true},
        {"local-timestamp-micros", LAKE_AVRO_LONG, TIMESTAMP, 1000000, true},
        {"local-timestamp-nanos", LAKE_AVRO_LONG, TIMESTAMP, 1000000000, true}};
    *unit = 1;
    *utc = t->adjust_to_utc;
    if (!t->logical.ptr)
        return PLAIN;
    for (size_t i = 0; i < sizeof logical / sizeof *logical; i++)
        if (t->kind == logical[i].kind && lake_str_is(t->logical, logical[i].name)) {
            *unit = logical[i].unit;
            *utc = t->adjust_to_utc && !logical[i].local;
            return logical[i].meaning;
        }
    bool bytes = t->kind == LAKE_AVRO_BYTES || t->kind == LAKE_AVRO_FIXED;
    if (bytes && lake_str_is(t->logical, "decimal") && t->precision >= 1 && t->precision <= 38 && t->scale >= 0 &&
        t->scale <= t->precision)
        return DECIMAL;
    bool uuid = t->kind == LAKE_AVRO_STRING || (t->kind == LAKE_AVRO_FIXED && t->size == 16);
    return uuid && lake_str_is(t->logical, "uuid") ? UUID : PLAIN;
}

static lake_type simple(lake_type_id id) {
    return (lake_type){.id = id};
}

static lake_type integer_type(meaning m, int64_t unit, bool utc, lake_type_id plain) {
    bool nanos = unit == 1000000000;
    switch (m) {
    case DATE: return simple(LAKE_DATE);
    case TIME: return simple(LAKE_TIME);
    case TIMESTAMP:
        return simple(
            nanos ? (utc ? LAKE_TIMESTAMPTZ_NS : LAKE_TIMESTAMP_NS) : (utc ? LAKE_TIMESTAMPTZ : LAKE_TIMESTAMP));
    default: return simple(plain);
    }
}

lake_type lake_avro_leaf_type(const lake_avro_type *t) {
    int64_t unit;
    bool utc;
    meaning m = meaning_of(t, &unit, &utc);
    if (m == DECIMAL)
        return (lake_type){.id = LAKE_DECIMAL, .precision = t->precision, .scale = t->scale};
    if (m == UUID)
        return simple(LAKE_UUID);
    switch (t->kind) {
    case LAKE_AVRO_BOOLEAN: return simple(LAKE_BOOLEAN);
    case LAKE_AVRO_INT: return integer_type(m, unit, utc, LAKE_INT);
    case LAKE_AVRO_LONG: return integer_type(m, unit, utc, LAKE_LONG);
    case LAKE_AVRO_FLOAT: return simple(LAKE_FLOAT);
    case LAKE_AVRO_DOUBLE: return simple(LAKE_DOUBLE);
    case LAKE_AVRO_BYTES: return simple(LAKE_BINARY);
    case LAKE_AVRO_STRING:
    case LAKE_AVRO_ENUM: return simple(LAKE_STRING);
    case LAKE_AVRO_FIXED: return (lake_type){.id = LAKE_FIXED, .length = t->size};
    case LAKE_AVRO_RECORD: return simple(LAKE_VARIANT);
    default: return simple(LAKE_UNKNOWN);
    }
}

/* ---- reading as a type */

static const lake_avro_reading nothing = {LAKE_ACCUM_NONE, 1, 1, false};

/* `per_second` of the target; floor, where the file is finer. Plain longs are in the target's unit. */
static lake_avro_reading temporal(const lake_avro_type *t, meaning m, int64_t unit, meaning want, int64_t per_second) {
    lake_avro_reading r = nothing;
    if (m == want) {
        r.form = LAKE_ACCUM_I64;
        r.mul = per_second > unit ? per_second / unit : 1;
        r.div = unit > per_second ? unit / per_second : 1;
    } else if (m == DATE && want == TIMESTAMP) {
        r.form = LAKE_ACCUM_I64;
        r.mul = 86400 * per_second;
    } else if (m == PLAIN && t->kind == LAKE_AVRO_LONG) {
        r.form = LAKE_ACCUM_I64;
    }
    return r;
}

static lake_avro_reading bytes_reading(const lake_avro_type *t, meaning m, const lake_type *type) {
    lake_avro_reading r = nothing;
    bool text = t->kind == LAKE_AVRO_STRING, fixed = t->kind == LAKE_AVRO_FIXED;
    bool good = false;
    switch (type->id) {
    case LAKE_STRING: good = text || t->kind == LAKE_AVRO_ENUM || (t->kind == LAKE_AVRO_BYTES && m == PLAIN); break;
    case LAKE_BINARY: good = text || fixed || t->kind == LAKE_AVRO_BYTES; break;
    case LAKE_FIXED: good = fixed && t->size == type->length; break;
    default:
        r.uuid_text = text;
        good = text || (fixed && t->size == 16 && m != DECIMAL);
        break;
    }
    if (good)
        r.form = LAKE_ACCUM_BYTES;
    return r;
}

lake_avro_reading lake_avro_reading_of(const lake_avro_type *t, const lake_type *type) {
    lake_avro_reading r = nothing;
    int64_t unit;
    bool utc;
    meaning m = meaning_of(t, &unit, &utc);
    bool plain_int = t->kind == LAKE_AVRO_INT && m == PLAIN, plain_long = t->kind == LAKE_AVRO_LONG && m == PLAIN;
    switch (type->id) {
    case LAKE_BOOLEAN: r.form = t->kind == LAKE_AVRO_BOOLEAN ? LAKE_ACCUM_BOOL : LAKE_ACCUM_NONE; break;
    case LAKE_INT: r.form = plain_int ? LAKE_ACCUM_I64 : LAKE_ACCUM_NONE; break;
    case LAKE_LONG: r.form = plain_int || plain_long ? LAKE_ACCUM_I64 : LAKE_ACCUM_NONE; break;
    case LAKE_DOUBLE:
    case LAKE_FLOAT:
        if (t->kind == LAKE_AVRO_FLOAT)
            r.form = LAKE_ACCUM_F32;
        else if (t->kind == LAKE_AVRO_DOUBLE && type->id == LAKE_DOUBLE)
            r.form = LAKE_ACCUM_F64;
        break;
    case LAKE_DATE: r.form = m == DATE || plain_int ? LAKE_ACCUM_I64 : LAKE_ACCUM_NONE; break;
    case LAKE_TIME: return temporal(t, m, unit, TIME, 1000000);
    case LAKE_TIMESTAMP:
    case LAKE_TIMESTAMPTZ: return temporal(t, m, unit, TIMESTAMP, 1000000);
    case LAKE_TIMESTAMP_NS:
    case LAKE_TIMESTAMPTZ_NS: return temporal(t, m, unit, TIMESTAMP, 1000000000);
    case LAKE_DECIMAL:
        if (m == DECIMAL && t->scale == type->scale)
            r.form = LAKE_ACCUM_DECIMAL_BYTES;
        break;
    case LAKE_STRING:
    case LAKE_BINARY:
    case LAKE_UUID:
    case LAKE_FIXED: return bytes_reading(t, m, type);
    default: break;
    }
    return r;
}
