/* Bloom filters as sets of values: a stretch of few keys, such as the one key of x = 5, is asked key by key. A filter
   holds the hashes of values as they are stored (plain encoding), so a key is turned into what this file would have
   stored, exactly, or not asked (parquet-BloomFilter.md). */
#include <math.h>

#include "planner/row_groups.h"
#include "wire/parquet_bloom.h"

enum { FEW = 32, BUDGET = 1 << 20, UNREAD = 0, READY, UNUSABLE };

struct plan_bloom {
    lake_probe probe; /* first: a probe is a plan_bloom */
    plan_group_job *job;
    const lake_footer_column *column;
    const lake_parquet_chunk *chunk;
    lake_key_kind kind;
    int state;
    bool no_memory;
    lake_bytes bits;
    size_t budget; /* keys that may still be asked for */
};

/* ---- a key as it is stored */
typedef enum stored { STORED, NEVER, UNSURE } stored;

static stored put_int(uint8_t *into, size_t *len, lake_i128 v, lake_i128 min, lake_i128 max, size_t width) {
    if (v < min || v > max)
        return NEVER;
    lake_put_le64(into, (uint64_t)v);
    *len = width;
    return STORED;
}

/* Big-endian two's complement of a given width. */
static stored put_decimal(uint8_t *into, size_t *len, lake_i128 v, size_t width) {
    if (width == 0 || width > 32)
        return UNSURE;
    for (size_t i = width; i-- > 0; v >>= 8)
        into[i] = (uint8_t)v;
    bool negative = into[0] & 0x80;
    *len = width;
    return v == (negative ? -1 : 0) ? STORED : NEVER; /* what did not fit */
}

/* ---- half floats: 11 significant bits, from 2^-24 up to 65504 */
static double half_at_least(double f) {
    int exponent;
    if (isnan(f) || isinf(f) || f == 0)
        return f;
    frexp(f, &exponent); /* f is in [2^(exponent-1), 2^exponent) */
    double step = ldexp(1, exponent - 1 < -14 ? -24 : exponent - 11), g = ceil(f / step) * step;
    return g > 65504 ? INFINITY : g < -65504 ? -65504 : g;
}

static stored put_half(uint8_t *into, size_t *len, double f) {
    int exponent;
    uint16_t bits = signbit(f) ? 0x8000 : 0;
    if (half_at_least(f) != f) /* NaN, too */
        return isnan(f) ? UNSURE : NEVER;
    frexp(f, &exponent);
    if (isinf(f))
        bits |= 0x7c00;
    else if (f != 0 && exponent - 1 >= -14)
        bits |= (uint16_t)((exponent + 14) << 10 | ((int)ldexp(fabs(f), 11 - exponent) & 0x3ff));
    else
        bits |= (uint16_t)ldexp(fabs(f), 24);
    into[0] = (uint8_t)bits;
    into[1] = (uint8_t)(bits >> 8);
    *len = 2;
    return STORED;
}

static stored put_key(const plan_bloom *b, lake_key key, uint8_t *into, lake_bytes *out) {
    const lake_parquet_reading *r = &b->column->reading;
    out->ptr = into;
    if (b->kind == LAKE_KEY_INT && r->mul > 1) {
        if (key.i % r->mul)
            return NEVER;
        key.i /= r->mul;
    }
    switch (r->form) {
    case LAKE_ACCUM_I32: return put_int(into, &out->len, key.i, INT32_MIN, INT32_MAX, 4);
    case LAKE_ACCUM_U32: return put_int(into, &out->len, key.i, 0, UINT32_MAX, 4);
    case LAKE_ACCUM_I64: return put_int(into, &out->len, key.i, INT64_MIN, INT64_MAX, 8);
    case LAKE_ACCUM_U64: return put_int(into, &out->len, key.i, 0, UINT64_MAX, 8);
    case LAKE_ACCUM_DECIMAL_FIXED: return put_decimal(into, &out->len, key.i, r->width);
    case LAKE_ACCUM_F16: return put_half(into, &out->len, key.f);
    case LAKE_ACCUM_F32: {
        float f = (float)key.f;
        out->len = sizeof f;
        memcpy(into, &f, sizeof f);
        return (double)f == key.f ? STORED : NEVER;
    }
    case LAKE_ACCUM_F64:
        out->len = sizeof key.f;
        memcpy(into, &key.f, sizeof key.f);
        return STORED;
    case LAKE_ACCUM_FIXED: *out = key.b; return key.b.len == r->width ? STORED : NEVER;
    case LAKE_ACCUM_BYTES: *out = key.b; return STORED;
    default: return UNSURE;
    }
}

/* Forms whose stored bytes follow from the key. Decimals of any length do not, since writers may pad them; nor numbers
   in a finer unit than the column's, of which many read as one; nor unsigned values in a type that has no room for
   them. */
static bool is_hashable(const lake_parquet_reading *r, const lake_type *type) {
    switch (r->form) {
    case LAKE_ACCUM_U32: return type->id == LAKE_LONG;
    case LAKE_ACCUM_U64: return type->id == LAKE_DECIMAL;
    case LAKE_ACCUM_I32:
    case LAKE_ACCUM_I64:
    case LAKE_ACCUM_F16:
    case LAKE_ACCUM_F32:
    case LAKE_ACCUM_F64:
    case LAKE_ACCUM_DECIMAL_FIXED:
    case LAKE_ACCUM_FIXED:
    case LAKE_ACCUM_BYTES: return r->div <= 1;
    default: return false;
    }
}

bool plan_bloom_possible(const lake_footer_column *column, const lake_parquet_chunk *chunk) {
    return column->leaf && chunk->bloom_offset > 0 && !chunk->encrypted && !chunk->other_file &&
        is_hashable(&column->reading, &column->field->type);
}

/* ---- reading */
static lake_status read_bits(plan_bloom *b, lake_error *err) {
    const lake_parquet_chunk *c = b->chunk;
    plan_group_job *job = b->job;
    int64_t there = (int64_t)job->file.footer_at - c->bloom_offset;
    int64_t first = c->bloom_length > 0   ? c->bloom_length
        : LAKE_PARQUET_BLOOM_HEAD < there ? LAKE_PARQUET_BLOOM_HEAD
                                          : there;
    lake_bytes data;
    bool ok;
    size_t head, bits;
    LAKE_TRY(plan_read_range(job, &job->own->group, c->bloom_offset, first,
        LAKE_PARQUET_BLOOM_LIMIT + LAKE_PARQUET_BLOOM_HEAD, &data, &ok, err));
    if (!ok)
        return LAKE_OK;
    LAKE_TRY(lake_parquet_bloom_read(data, c->bloom_offset, c->bloom_length, &head, &bits, err));
    if (c->bloom_length > 0) {
        b->bits = (lake_bytes){data.ptr + head, bits};
        return LAKE_OK;
    }
    LAKE_TRY(plan_read_range(job, &job->own->group, c->bloom_offset + (int64_t)head, (int64_t)bits,
        LAKE_PARQUET_BLOOM_LIMIT, &data, &ok, err));
    if (ok)
        b->bits = data;
    return LAKE_OK;
}

/* A filter without a bit, of a chunk with values, was never filled. */
static bool is_filled(const plan_bloom *b) {
    const lake_parquet_chunk *c = b->chunk;
    if (c->statistics.null_count >= 0 && c->statistics.null_count == c->num_values)
        return true;
    for (size_t i = 0; i < b->bits.len; i++)
        if (b->bits.ptr[i])
            return true;
    return false;
}

static bool load(plan_bloom *b) {
    if (b->state != UNREAD)
        return b->state == READY;
    int64_t doubtful = b->job->counts->doubtful;
    lake_error err;
    lake_error_init(&err);
    lake_status st = read_bits(b, &err);
    b->no_memory = st == LAKE_ERR_NO_MEMORY;
    b->state = st == LAKE_OK && b->bits.ptr && is_filled(b) ? READY : UNUSABLE;
    if (b->state == UNUSABLE)
        b->job->counts->doubtful = doubtful + 1;
    return b->state == READY;
}

/* ---- asking */
static bool has(plan_bloom *b, lake_key key) {
    uint8_t room[40];
    lake_bytes bytes;
    stored s = put_key(b, key, room, &bytes);
    if (s != STORED)
        return s == UNSURE;
    if (!b->budget || !load(b))
        return true;
    b->budget--;
    return lake_parquet_bloom_has(b->bits, lake_xxh64(bytes.ptr, bytes.len));
}

static bool has_float(plan_bloom *b, double f) {
    return has(b, (lake_key){.f = f}) || (f == 0 && has(b, (lake_key){.f = -f}));
}

/* The least number that the file can hold and that is not below f. */
static double storable(const plan_bloom *b, double f) {
    if (b->column->reading.form == LAKE_ACCUM_F16)
        return half_at_least(f);
    if (b->column->reading.form != LAKE_ACCUM_F32)
        return f;
    float g = (float)f;
    return (double)g < f ? (double)nextafterf(g, INFINITY) : (double)g;
}

static bool may_float(plan_bloom *b, double lo, double hi) {
    double f = storable(b, lo);
    for (int n = 0; f < hi; n++) {
        if (n == FEW || has_float(b, f))
            return true;
        if (isinf(f) && f > 0)
            break;
        f = storable(b, nextafter(f, INFINITY));
    }
    return false;
}

/* The number of strings in [lo, hi): few only if the upper one is the lower one with NULs behind it. */
static size_t count_bytes(lake_bytes lo, lake_bytes hi) {
    if (hi.len <= lo.len || hi.len - lo.len > FEW || (lo.len && memcmp(lo.ptr, hi.ptr, lo.len) != 0))
        return FEW + 1;
    for (size_t i = lo.len; i < hi.len; i++)
        if (hi.ptr[i])
            return FEW + 1;
    return hi.len - lo.len;
}

static bool may(const lake_probe *probe, const lake_end *lo, const lake_end *hi) {
    plan_bloom *b = (plan_bloom *)(uintptr_t)probe;
    if (lo->at != LAKE_END_KEY || hi->at != LAKE_END_KEY)
        return true;
    if (b->kind == LAKE_KEY_FLOAT)
        return may_float(b, lo->key.f, hi->key.f);
    if (b->kind == LAKE_KEY_INT) {
        if ((lake_u128)hi->key.i - (lake_u128)lo->key.i > FEW)
            return true;
        for (lake_i128 i = lo->key.i; i < hi->key.i; i++)
            if (has(b, (lake_key){.i = i}))
                return true;
        return false;
    }
    size_t n = count_bytes(lo->key.b, hi->key.b);
    if (n > FEW)
        return true;
    for (size_t i = 0; i < n; i++)
        if (has(b, (lake_key){.b = {hi->key.b.ptr, lo->key.b.len + i}}))
            return true;
    return false;
}

plan_bloom *plan_bloom_new(plan_group_job *job, const lake_footer_column *column, const lake_parquet_chunk *chunk) {
    plan_bloom *b = LAKE_ARENA_NEW(&job->own->group, plan_bloom);
    if (b)
        *b = (plan_bloom){.probe = {.may = may},
            .job = job,
            .column = column,
            .chunk = chunk,
            .kind = lake_type_kind(&column->field->type),
            .budget = BUDGET};
    return b;
}

const lake_probe *plan_bloom_probe(const plan_bloom *b) {
    return &b->probe;
}

lake_status plan_bloom_check(const plan_bloom *b, lake_error *err) {
    return b->no_memory ? lake_fail_memory(err) : LAKE_OK;
}

/* ---- hope: before anything is read */
static bool hope_int(const lake_probe *probe, const lake_end *lo, const lake_end *hi) {
    return lo->at != LAKE_END_KEY || hi->at != LAKE_END_KEY || (lake_u128)hi->key.i - (lake_u128)lo->key.i > FEW;
}

static bool hope_float(const lake_probe *probe, const lake_end *lo, const lake_end *hi) {
    if (lo->at != LAKE_END_KEY || hi->at != LAKE_END_KEY)
        return true;
    double f = lo->key.f;
    for (int n = 0; n < FEW && f < hi->key.f; n++)
        f = nextafter(f, INFINITY);
    return f < hi->key.f;
}

static bool hope_bytes(const lake_probe *probe, const lake_end *lo, const lake_end *hi) {
    return lo->at != LAKE_END_KEY || hi->at != LAKE_END_KEY || count_bytes(lo->key.b, hi->key.b) > FEW;
}

const lake_probe *plan_bloom_hope(lake_key_kind kind) {
    static const lake_probe ints = {hope_int, true}, floats = {hope_float, true}, strings = {hope_bytes, true};
    return kind == LAKE_KEY_INT ? &ints : kind == LAKE_KEY_FLOAT ? &floats : &strings;
}
