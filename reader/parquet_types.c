/* Types of Parquet leaves; shapes of nested nodes. */
#include "reader/parquet_types.h"

static bool good_decimal(const lake_parquet_node *n) {
    return n->logical == LAKE_PARQUET_DECIMAL && n->precision >= 1 && n->precision <= 38 && n->scale >= 0 &&
        n->scale <= n->precision;
}

static lake_type simple(lake_type_id id) {
    return (lake_type){.id = id};
}

static lake_type decimal(const lake_parquet_node *n) {
    return (lake_type){.id = LAKE_DECIMAL, .precision = n->precision, .scale = n->scale};
}

static lake_type int32_type(const lake_parquet_node *n) {
    if (good_decimal(n))
        return decimal(n);
    if (n->logical == LAKE_PARQUET_DATE)
        return simple(LAKE_DATE);
    if (n->logical == LAKE_PARQUET_TIME && n->unit == LAKE_PARQUET_MILLIS)
        return simple(LAKE_TIME);
    return simple(n->logical == LAKE_PARQUET_INTEGER && !n->is_signed && n->bit_width >= 32 ? LAKE_LONG : LAKE_INT);
}

static lake_type int64_type(const lake_parquet_node *n) {
    if (good_decimal(n))
        return decimal(n);
    if (n->logical == LAKE_PARQUET_TIME)
        return simple(LAKE_TIME);
    if (n->logical == LAKE_PARQUET_TIMESTAMP && n->unit == LAKE_PARQUET_NANOS)
        return simple(n->utc ? LAKE_TIMESTAMPTZ_NS : LAKE_TIMESTAMP_NS);
    if (n->logical == LAKE_PARQUET_TIMESTAMP)
        return simple(n->utc ? LAKE_TIMESTAMPTZ : LAKE_TIMESTAMP);
    if (n->logical == LAKE_PARQUET_INTEGER && !n->is_signed && n->bit_width == 64)
        return (lake_type){.id = LAKE_DECIMAL, .precision = 20, .scale = 0};
    return simple(LAKE_LONG);
}

static lake_type bytes_type(const lake_parquet_node *n) {
    static const char *const algorithms[] = {"spherical", "vincenty", "thomas", "andoyer", "karney"};
    lake_type t = simple(LAKE_BINARY);
    switch (n->logical) {
    case LAKE_PARQUET_STRING:
    case LAKE_PARQUET_ENUM:
    case LAKE_PARQUET_JSON: t.id = LAKE_STRING; break;
    case LAKE_PARQUET_DECIMAL: return good_decimal(n) ? decimal(n) : t;
    case LAKE_PARQUET_GEOMETRY:
    case LAKE_PARQUET_GEOGRAPHY:
        t.id = n->logical == LAKE_PARQUET_GEOMETRY ? LAKE_GEOMETRY : LAKE_GEOGRAPHY;
        t.crs = n->crs;
        if (n->algorithm >= 0 && n->algorithm < 5)
            t.algorithm = lake_str_of(algorithms[n->algorithm]);
        break;
    default: break;
    }
    return t;
}

static lake_type fixed_type(const lake_parquet_node *n) {
    if (good_decimal(n))
        return decimal(n);
    if (n->logical == LAKE_PARQUET_UUID && n->type_length == 16)
        return simple(LAKE_UUID);
    if (n->logical == LAKE_PARQUET_FLOAT16 && n->type_length == 2)
        return simple(LAKE_FLOAT);
    return (lake_type){.id = LAKE_FIXED, .length = n->type_length};
}

lake_type lake_parquet_leaf_type(const lake_parquet_node *n) {
    if (n->logical == LAKE_PARQUET_NULL)
        return simple(LAKE_UNKNOWN);
    switch (n->type) {
    case LAKE_PARQUET_BOOLEAN: return simple(LAKE_BOOLEAN);
    case LAKE_PARQUET_INT32: return int32_type(n);
    case LAKE_PARQUET_INT64: return int64_type(n);
    case LAKE_PARQUET_INT96: return simple(LAKE_TIMESTAMPTZ);
    case LAKE_PARQUET_FLOAT: return simple(LAKE_FLOAT);
    case LAKE_PARQUET_DOUBLE: return simple(LAKE_DOUBLE);
    case LAKE_PARQUET_FIXED: return fixed_type(n);
    default: return bytes_type(n);
    }
}

/* ---- reading as a type */

static const lake_parquet_reading nothing = {LAKE_ACCUM_NONE, 0, 1, 1};

static bool is_integer(const lake_parquet_node *n) {
    return n->logical == LAKE_PARQUET_PLAIN || n->logical == LAKE_PARQUET_INTEGER;
}

static bool is_unsigned(const lake_parquet_node *n, int bits) {
    return n->logical == LAKE_PARQUET_INTEGER && !n->is_signed && n->bit_width >= bits;
}

static lake_parquet_reading integer(const lake_parquet_node *n, bool wide) {
    lake_parquet_reading r = nothing;
    if (n->type == LAKE_PARQUET_INT32 && is_integer(n))
        r.form = is_unsigned(n, 32) ? LAKE_ACCUM_U32 : LAKE_ACCUM_I32;
    else if (n->type == LAKE_PARQUET_INT64 && is_integer(n) && wide)
        r.form = is_unsigned(n, 64) ? LAKE_ACCUM_U64 : LAKE_ACCUM_I64;
    return r;
}

static lake_parquet_reading floating(const lake_parquet_node *n, bool wide) {
    lake_parquet_reading r = nothing;
    if (n->type == LAKE_PARQUET_FLOAT)
        r.form = LAKE_ACCUM_F32;
    else if (n->type == LAKE_PARQUET_DOUBLE && wide)
        r.form = LAKE_ACCUM_F64;
    else if (n->type == LAKE_PARQUET_FIXED && n->logical == LAKE_PARQUET_FLOAT16 && n->type_length == 2)
        r.form = LAKE_ACCUM_F16;
    return r;
}

/* Times and timestamps: `per_second` of the target; floor, where the file is finer. Plain integers are in the target's
 * unit. */
static lake_parquet_reading temporal(const lake_parquet_node *n, lake_parquet_logical logical, int64_t per_second) {
    static const int64_t units[] = {1000, 1000000, 1000000000};
    lake_parquet_reading r = nothing;
    bool narrow = n->type == LAKE_PARQUET_INT32 && logical == LAKE_PARQUET_TIME;
    if (n->type == LAKE_PARQUET_INT96 && logical == LAKE_PARQUET_TIMESTAMP) {
        r.form = LAKE_ACCUM_INT96;
        r.div = 1000000000 / per_second;
    } else if (n->type == LAKE_PARQUET_INT32 && n->logical == LAKE_PARQUET_DATE && logical == LAKE_PARQUET_TIMESTAMP) {
        r.form = LAKE_ACCUM_I32;
        r.mul = 86400 * per_second;
    } else if (n->logical == logical && (narrow || n->type == LAKE_PARQUET_INT64)) {
        int64_t unit = units[n->unit];
        r.form = narrow ? LAKE_ACCUM_I32 : LAKE_ACCUM_I64;
        r.mul = per_second > unit ? per_second / unit : 1;
        r.div = unit > per_second ? unit / per_second : 1;
    } else if (n->logical == LAKE_PARQUET_PLAIN && n->type == LAKE_PARQUET_INT64) {
        r.form = LAKE_ACCUM_I64;
    }
    return r;
}

static lake_parquet_reading decimal_reading(const lake_parquet_node *n, const lake_type *t) {
    lake_parquet_reading r = nothing;
    if (is_unsigned(n, 64) && n->type == LAKE_PARQUET_INT64 && t->scale == 0)
        r.form = LAKE_ACCUM_U64;
    if (n->logical != LAKE_PARQUET_DECIMAL || n->scale != t->scale)
        return r;
    r.width = n->type == LAKE_PARQUET_FIXED ? (size_t)n->type_length : 0;
    switch (n->type) {
    case LAKE_PARQUET_INT32: r.form = LAKE_ACCUM_I32; break;
    case LAKE_PARQUET_INT64: r.form = LAKE_ACCUM_I64; break;
    case LAKE_PARQUET_FIXED: r.form = LAKE_ACCUM_DECIMAL_FIXED; break;
    case LAKE_PARQUET_BYTE_ARRAY: r.form = LAKE_ACCUM_DECIMAL_BYTES; break;
    default: break;
    }
    return r;
}

static lake_parquet_reading bytes_reading(const lake_parquet_node *n, const lake_type *t) {
    lake_parquet_reading r = nothing;
    if (n->type == LAKE_PARQUET_BYTE_ARRAY && (t->id == LAKE_STRING || t->id == LAKE_BINARY)) {
        if (n->logical != LAKE_PARQUET_DECIMAL || t->id == LAKE_BINARY)
            r.form = LAKE_ACCUM_BYTES;
    } else if (n->type == LAKE_PARQUET_FIXED) {
        int32_t length = t->id == LAKE_UUID ? 16 : t->id == LAKE_FIXED ? t->length : n->type_length;
        if (length == n->type_length && t->id != LAKE_STRING) {
            r.form = LAKE_ACCUM_FIXED;
            r.width = (size_t)length;
        }
    }
    return r;
}

lake_parquet_reading lake_parquet_reading_of(const lake_parquet_node *n, const lake_type *t) {
    lake_parquet_reading r = nothing;
    if (n->logical == LAKE_PARQUET_NULL)
        return r;
    switch (t->id) {
    case LAKE_BOOLEAN: r.form = n->type == LAKE_PARQUET_BOOLEAN ? LAKE_ACCUM_BOOL : LAKE_ACCUM_NONE; break;
    case LAKE_INT: return integer(n, false);
    case LAKE_LONG: return integer(n, true);
    case LAKE_FLOAT: return floating(n, false);
    case LAKE_DOUBLE: return floating(n, true);
    case LAKE_DATE:
        if (n->type == LAKE_PARQUET_INT32 && (n->logical == LAKE_PARQUET_DATE || n->logical == LAKE_PARQUET_PLAIN))
            r.form = LAKE_ACCUM_I32;
        break;
    case LAKE_TIME: return temporal(n, LAKE_PARQUET_TIME, 1000000);
    case LAKE_TIMESTAMP:
    case LAKE_TIMESTAMPTZ: return temporal(n, LAKE_PARQUET_TIMESTAMP, 1000000);
    case LAKE_TIMESTAMP_NS:
    case LAKE_TIMESTAMPTZ_NS: return temporal(n, LAKE_PARQUET_TIMESTAMP, 1000000000);
    case LAKE_DECIMAL: return decimal_reading(n, t);
    case LAKE_STRING:
    case LAKE_UUID:
    case LAKE_FIXED:
    case LAKE_BINARY: return bytes_reading(n, t);
    case LAKE_GEOMETRY:
    case LAKE_GEOGRAPHY:
        r.form = n->type == LAKE_PARQUET_BYTE_ARRAY ? LAKE_ACCUM_WKB : LAKE_ACCUM_NONE;
        r.width = t->id == LAKE_GEOGRAPHY;
        break;
    default: break;
    }
    return r;
}

/* ---- shapes (parquet-LogicalTypes.md, "Lists", "Maps", with their rules for files of old writers) */

static bool is_tuple_of(lake_str name, lake_str list) {
    return name.len == list.len + 6 && lake_str_starts(name, list) && lake_str_ends(name, LAKE_STR("_tuple"));
}

static lake_parquet_part list_element(const lake_parquet_node *list, const lake_parquet_node *repeated) {
    bool is_element = repeated->nchildren != 1 || lake_str_is(repeated->name, "array") ||
        is_tuple_of(repeated->name, list->name) || repeated->children[0]->repetition == LAKE_PARQUET_REPEATED;
    if (is_element)
        return (lake_parquet_part){repeated, true};
    return (lake_parquet_part){repeated->children[0], false};
}

lake_parquet_shape lake_parquet_shape_of(lake_parquet_part part) {
    const lake_parquet_node *n = part.node, *child = n->nchildren == 1 ? n->children[0] : NULL;
    if (n->repetition == LAKE_PARQUET_REPEATED && !part.inside)
        return (lake_parquet_shape){LAKE_SHAPE_LIST, {{n, true}}};
    if (n->type != LAKE_PARQUET_GROUP || n->logical == LAKE_PARQUET_VARIANT)
        return (lake_parquet_shape){LAKE_SHAPE_LEAF, {{n, part.inside}}};
    if (child && child->repetition == LAKE_PARQUET_REPEATED) {
        if (n->logical == LAKE_PARQUET_LIST)
            return (lake_parquet_shape){LAKE_SHAPE_LIST, {list_element(n, child)}};
        if (n->logical == LAKE_PARQUET_MAP && child->nchildren == 2)
            return (lake_parquet_shape){LAKE_SHAPE_MAP, {{child->children[0], false}, {child->children[1], false}}};
        if (n->logical == LAKE_PARQUET_MAP && child->nchildren == 1) /* keys without values: a set */
            return (lake_parquet_shape){LAKE_SHAPE_LIST, {{child->children[0], false}}};
    }
    return (lake_parquet_shape){LAKE_SHAPE_STRUCT, {{n, part.inside}}};
}
