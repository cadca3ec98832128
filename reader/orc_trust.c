/* Statistics of ORC footers, as far as they prove something (ORC specification v1, "Column Statistics"):
   - ORC Java before HIVE-8732 (writer version 0) recorded wrong minima and maxima, before ORC-517 (7) of decimals;
   - a string longer than 1,024 bytes has a bound instead of a value; char may be padded: nothing is said of its order;
   - floats: a NaN can spoil or be left out of minimum and maximum, so the sum must prove that there is none; a zero may
     be of either sign;
   - timestamps: only the ones in UTC (ORC-135). Writers cut them to milliseconds, and what they add behind is not
   always of the smallest value, so bounds are loose; before 1970 they are cut in different directions, so there are
   none;
   - days before 1582-10-15 may be of either calendar;
   - booleans: writers count the true ones, the specification does not say which come first;
   - binary has no bounds. In lists and maps nulls cannot be told from empty lists, so nothing is counted. */
#include <math.h>

#include "reader/orc_types.h"

enum { HIVE_8732 = 1, ORC_517 = 7, GREGORIAN = -141427 /* 1582-10-15 */ };

static void exact(lake_orc_claim *c, lake_key_kind kind, lake_key lo, lake_key hi) {
    if (lake_key_cmp_total(kind, lo, hi) > 0)
        return;
    c->has_min = c->has_max = true;
    c->min = lo;
    c->max = hi;
}

static void whole(lake_orc_claim *c, const lake_orc_type *t, const lake_type *type, const lake_orc_statistics *s) {
    bool narrow = t->kind >= LAKE_ORC_BYTE && t->kind <= LAKE_ORC_INT;
    bool good = narrow ? type->id == LAKE_INT || type->id == LAKE_LONG
                       : t->kind == LAKE_ORC_LONG && (type->id == LAKE_LONG || type->id == LAKE_TIME);
    if (narrow && (s->min < INT32_MIN || s->max > INT32_MAX))
        good = false;
    if (good && s->has_whole)
        exact(c, LAKE_KEY_INT, (lake_key){.i = s->min}, (lake_key){.i = s->max});
}

static void real(lake_orc_claim *c, const lake_orc_type *t, const lake_type *type, const lake_orc_statistics *s) {
    bool single = t->kind == LAKE_ORC_FLOAT;
    if (!(single && type->id == LAKE_FLOAT) && !((single || t->kind == LAKE_ORC_DOUBLE) && type->id == LAKE_DOUBLE))
        return;
    if (!s->has_real || !s->has_sum || isnan(s->sum) || isnan(s->real_min) || isnan(s->real_max))
        return;
    if (single && ((double)(float)s->real_min != s->real_min || (double)(float)s->real_max != s->real_max))
        return;
    c->nans = 0;
    exact(c, LAKE_KEY_FLOAT, (lake_key){.f = s->real_min}, (lake_key){.f = s->real_max});
    if (c->has_min && s->real_min == 0) {
        c->min.f = -0.0;
        c->min_loose = true;
    }
    if (c->has_max && s->real_max == 0) {
        c->max.f = 0.0;
        c->max_loose = true;
    }
}

static void text(lake_orc_claim *c, const lake_orc_type *t, const lake_type *type, const lake_orc_statistics *s) {
    if (type->id != LAKE_STRING || (t->kind != LAKE_ORC_STRING && t->kind != LAKE_ORC_VARCHAR))
        return;
    lake_bytes lo = s->text_min.ptr ? s->text_min : s->text_lower, hi = s->text_max.ptr ? s->text_max : s->text_upper;
    if (!lo.ptr || !hi.ptr)
        return;
    exact(c, LAKE_KEY_BYTES, (lake_key){.b = lo}, (lake_key){.b = hi});
    c->min_loose = !s->text_min.ptr;
    c->max_loose = !s->text_max.ptr;
}

static void decimal(lake_orc_claim *c, const lake_orc_type *t, const lake_type *type, const lake_orc_statistics *s) {
    lake_type own = lake_orc_leaf_type(t);
    lake_key lo, hi;
    if (type->id == LAKE_DECIMAL && own.scale == type->scale && s->decimal_min.ptr && s->decimal_max.ptr &&
        lake_decimal_parse(s->decimal_min, own.scale, &lo.i) && lake_decimal_parse(s->decimal_max, own.scale, &hi.i))
        exact(c, LAKE_KEY_INT, lo, hi);
}

static void days(lake_orc_claim *c, const lake_orc_footer *f, const lake_type *type, const lake_orc_statistics *s) {
    if (type->id == LAKE_DATE && s->has_days && (f->proleptic || s->day_min >= GREGORIAN))
        exact(c, LAKE_KEY_INT, (lake_key){.i = s->day_min}, (lake_key){.i = s->day_max});
}

static bool good_nanos(int32_t stored, int32_t absent, int32_t *out) {
    *out = stored ? stored - 1 : absent;
    return *out >= 0 && *out < 1000000;
}

static void instant(lake_orc_claim *c, const lake_type *type, const lake_orc_statistics *s) {
    bool nanos = type->id == LAKE_TIMESTAMP_NS || type->id == LAKE_TIMESTAMPTZ_NS;
    int32_t lo, hi;
    if ((!nanos && type->id != LAKE_TIMESTAMP && type->id != LAKE_TIMESTAMPTZ) || !s->has_instant ||
        s->instant_min < 0 || !good_nanos(s->nanos_min, 0, &lo) || !good_nanos(s->nanos_max, 999999, &hi))
        return;
    lake_i128 min = (lake_i128)s->instant_min * 1000000 + lo, max = (lake_i128)s->instant_max * 1000000 + hi;
    if (max > INT64_MAX)
        return;
    exact(c, LAKE_KEY_INT, (lake_key){.i = nanos ? min : min / 1000}, (lake_key){.i = nanos ? max : max / 1000});
    c->min_loose = c->max_loose = true;
}

static void boolean(lake_orc_claim *c, const lake_type *type, const lake_orc_statistics *s) {
    bool both = s->nbuckets == 1 && s->values > 0 && s->buckets[0] > 0 && s->buckets[0] < (uint64_t)s->values;
    if (type->id == LAKE_BOOLEAN && both)
        exact(c, LAKE_KEY_INT, (lake_key){.i = 0}, (lake_key){.i = 1});
}

static void bounds(lake_orc_claim *c, const lake_orc_footer *f, uint32_t version, const lake_orc_type *t,
    const lake_type *type, const lake_orc_statistics *s) {
    bool java = f->writer == 0;
    if (java && version < HIVE_8732)
        return;
    switch (t->kind) {
    case LAKE_ORC_BYTE:
    case LAKE_ORC_SHORT:
    case LAKE_ORC_INT:
    case LAKE_ORC_LONG: whole(c, t, type, s); break;
    case LAKE_ORC_FLOAT:
    case LAKE_ORC_DOUBLE: real(c, t, type, s); break;
    case LAKE_ORC_STRING:
    case LAKE_ORC_VARCHAR: text(c, t, type, s); break;
    case LAKE_ORC_DECIMAL:
        if (!java || version >= ORC_517)
            decimal(c, t, type, s);
        break;
    case LAKE_ORC_DATE: days(c, f, type, s); break;
    case LAKE_ORC_TIMESTAMP:
    case LAKE_ORC_TIMESTAMP_INSTANT: instant(c, type, s); break;
    case LAKE_ORC_BOOLEAN: boolean(c, type, s); break;
    default: break;
    }
}

/* Values and nulls agree with each other, as far as the column's place lets them be compared. */
static bool consistent(const lake_orc_statistics *s, const lake_field *field, int64_t rows) {
    if (s->values < 0 || s->values > rows)
        return false;
    return field->parent || s->has_null < 0 || (s->has_null == 1) == (s->values < rows);
}

lake_orc_claim lake_orc_trust(
    const lake_orc_footer *footer, const lake_orc_postscript *postscript, size_t type, const lake_field *field) {
    lake_orc_claim c = {
        .values = field->inside_list ? -1 : (int64_t)footer->rows, .nulls = -1, .nans = -1, .column_size = -1};
    if (type >= footer->nstatistics)
        return c;
    const lake_orc_statistics *s = &footer->statistics[type];
    c.column_size = s->bytes_on_disk;
    if (!field->inside_list && consistent(s, field, c.values))
        c.nulls = c.values - s->values;
    bool is_float = field->type.id == LAKE_FLOAT || field->type.id == LAKE_DOUBLE;
    if (s->values == 0 && is_float)
        c.nans = 0;
    if (s->values > 0)
        bounds(&c, footer, postscript->writer_version, &footer->types[type], &field->type, s);
    return c;
}
