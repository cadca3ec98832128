/* Exact statistics: dispatch by form, counting, merging, keys. The loops over bytes are in accum_bytes.c. */
#include "format/accum.h"

#include "format/accum_internal.h"

void lake_accum_init(lake_accum *s, lake_accum_form form, size_t width, int64_t mul, int64_t div) {
    *s = (lake_accum){.form = form, .width = width, .mul = mul, .div = div};
}

void lake_accum_clear(lake_accum *s) {
    lake_buffer_clear(&s->min_b);
    lake_buffer_clear(&s->max_b);
}

static bool is_bytes(const lake_accum *s) {
    return s->form == LAKE_ACCUM_FIXED || s->form == LAKE_ACCUM_BYTES;
}
static bool is_float(const lake_accum *s) {
    return s->form >= LAKE_ACCUM_F16 && s->form <= LAKE_ACCUM_F64;
}

size_t lake_accum_stride(const lake_accum *s) {
    switch (s->form) {
    case LAKE_ACCUM_NONE:
    case LAKE_ACCUM_BOOL: return 1;
    case LAKE_ACCUM_F16: return 2;
    case LAKE_ACCUM_I32:
    case LAKE_ACCUM_U32:
    case LAKE_ACCUM_F32: return 4;
    case LAKE_ACCUM_I64:
    case LAKE_ACCUM_U64:
    case LAKE_ACCUM_F64: return 8;
    case LAKE_ACCUM_INT96: return 12;
    case LAKE_ACCUM_DECIMAL_BYTES:
    case LAKE_ACCUM_BYTES:
    case LAKE_ACCUM_WKB: return sizeof(lake_bytes);
    case LAKE_ACCUM_DECIMAL_FIXED:
    case LAKE_ACCUM_FIXED: return s->width;
    }
    return 1;
}

/* ---- floats: bits whose order as signed integers is the total order of the values */

static int32_t order32(uint32_t bits) {
    return (int32_t)(bits ^ ((uint32_t)((int32_t)bits >> 31) & 0x7fffffffu));
}
static int64_t order64(uint64_t bits) {
    return (int64_t)(bits ^ ((uint64_t)((int64_t)bits >> 63) & 0x7fffffffffffffffu));
}
static double double_of(int64_t order) {
    uint64_t bits = (uint64_t)order64((uint64_t)order);
    double f;
    memcpy(&f, &bits, 8);
    return f;
}
static int64_t order_of(double f) {
    uint64_t bits;
    memcpy(&bits, &f, 8);
    return order64(bits);
}
static float float_of(int32_t order) {
    uint32_t bits = (uint32_t)order32((uint32_t)order);
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

/* A half as the bits of a float. */
static uint32_t widen_half(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 1023;
    if (exponent == 31)
        return sign | 0x7f800000u | mantissa << 13;
    if (exponent)
        return sign | (exponent + 112) << 23 | mantissa << 13;
    float f = (float)mantissa / 16777216.0f; /* subnormal: exact */
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return sign | bits;
}

static void take(lake_accum *s, lake_i128 lo, lake_i128 hi) {
    if (!s->any || lo < s->min_i)
        s->min_i = lo;
    if (!s->any || hi > s->max_i)
        s->max_i = hi;
    s->any = true;
}

static size_t widen_f32(lake_accum *s, const void *data, size_t n, bool half) {
    const uint8_t *p = data;
    int32_t lo = INT32_MAX, hi = INT32_MIN;
    size_t nans = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = half ? widen_half(lake_get_le16(p + 2 * i)) : lake_get_le32(p + 4 * i);
        bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
        int32_t k = order32(bits), a = nan ? INT32_MAX : k, b = nan ? INT32_MIN : k;
        lo = a < lo ? a : lo;
        hi = b > hi ? b : hi;
        nans += nan;
    }
    if (nans < n)
        take(s, order_of((double)float_of(lo)), order_of((double)float_of(hi)));
    return nans;
}

static size_t widen_f64(lake_accum *s, const void *data, size_t n) {
    const uint8_t *p = data;
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    size_t nans = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = lake_get_le64(p + 8 * i);
        bool nan = (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
        int64_t k = order64(bits), a = nan ? INT64_MAX : k, b = nan ? INT64_MIN : k;
        lo = a < lo ? a : lo;
        hi = b > hi ? b : hi;
        nans += nan;
    }
    if (nans < n)
        take(s, lo, hi);
    return nans;
}

/* ---- integers */

#define WIDEN(name, type, load)                                                                                        \
    static void name(lake_accum *s, const void *data, size_t n) {                                                      \
        const uint8_t *p = data;                                                                                       \
        type lo = (type)load(p), hi = lo;                                                                              \
        for (size_t i = 1; i < n; i++) {                                                                               \
            type v = (type)load(p + i * sizeof(type));                                                                 \
            lo = v < lo ? v : lo;                                                                                      \
            hi = v > hi ? v : hi;                                                                                      \
        }                                                                                                              \
        take(s, lo, hi);                                                                                               \
    }
#define LOAD_BYTE(p) *(p)
WIDEN(widen_bool, uint8_t, LOAD_BYTE)
WIDEN(widen_i32, int32_t, lake_get_le32)
WIDEN(widen_u32, uint32_t, lake_get_le32)
WIDEN(widen_i64, int64_t, lake_get_le64)
WIDEN(widen_u64, uint64_t, lake_get_le64)

static lake_i128 int96(const uint8_t *p) {
    enum { JULIAN_1970 = 2440588 };
    return ((lake_i128)(int32_t)lake_get_le32(p + 8) - JULIAN_1970) * 86400000000000 + (int64_t)lake_get_le64(p);
}

static void widen_int96(lake_accum *s, const void *data, size_t n) {
    for (size_t i = 0; i < n; i++) {
        lake_i128 v = int96((const uint8_t *)data + 12 * i);
        take(s, v, v);
    }
}

/* ---- decimals as bytes */

static bool decimal(const uint8_t *p, size_t width, lake_i128 *out) {
    if (width == 0 || width > 16)
        return lake_i128_from_be((lake_bytes){p, width}, out);
    lake_u128 v = (lake_u128)(lake_i128)(int8_t)p[0];
    for (size_t i = 1; i < width; i++)
        v = v << 8 | p[i];
    *out = (lake_i128)v;
    return true;
}

static void widen_decimals(lake_accum *s, const void *data, size_t n) {
    const lake_bytes *views = data;
    for (size_t i = 0; i < n; i++) {
        lake_i128 v = 0;
        bool ok = s->form == LAKE_ACCUM_DECIMAL_BYTES ? decimal(views[i].ptr, views[i].len, &v)
                                                      : decimal((const uint8_t *)data + i * s->width, s->width, &v);
        if (ok)
            take(s, v, v);
        else
            s->broken = true;
    }
}

size_t lake_accum_widen(lake_accum *s, const void *data, size_t n) {
    if (!n)
        return 0;
    switch (s->form) {
    case LAKE_ACCUM_NONE: break;
    case LAKE_ACCUM_BOOL: widen_bool(s, data, n); break;
    case LAKE_ACCUM_I32: widen_i32(s, data, n); break;
    case LAKE_ACCUM_I64: widen_i64(s, data, n); break;
    case LAKE_ACCUM_U32: widen_u32(s, data, n); break;
    case LAKE_ACCUM_U64: widen_u64(s, data, n); break;
    case LAKE_ACCUM_F16: return widen_f32(s, data, n, true);
    case LAKE_ACCUM_F32: return widen_f32(s, data, n, false);
    case LAKE_ACCUM_F64: return widen_f64(s, data, n);
    case LAKE_ACCUM_INT96: widen_int96(s, data, n); break;
    case LAKE_ACCUM_DECIMAL_FIXED:
    case LAKE_ACCUM_DECIMAL_BYTES: widen_decimals(s, data, n); break;
    case LAKE_ACCUM_FIXED: lake_accum_widen_fixed(s, data, n); break;
    case LAKE_ACCUM_BYTES: lake_accum_widen_bytes(s, data, n); break;
    case LAKE_ACCUM_WKB: lake_accum_widen_wkb(s, data, n); break;
    }
    return 0;
}

void lake_accum_add(lake_accum *s, const void *data, const uint8_t *valid, size_t n) {
    size_t stride = lake_accum_stride(s);
    s->values += (int64_t)n;
    if (!valid) {
        s->nans += (int64_t)lake_accum_widen(s, data, n);
        return;
    }
    for (size_t i = 0; i < n;) { /* runs of values */
        size_t from = i;
        while (i < n && valid[i])
            i++;
        s->nans += (int64_t)lake_accum_widen(s, (const uint8_t *)data + from * stride, i - from);
        for (; i < n && !valid[i]; i++)
            s->nulls++;
    }
}

void lake_accum_merge(lake_accum *s, const lake_accum *from) {
    s->values += from->values;
    s->nulls += from->nulls;
    s->nans += from->nans;
    s->broken |= from->broken;
    s->min_b.failed |= from->min_b.failed || from->max_b.failed;
    if (!from->any)
        return;
    if (s->form == LAKE_ACCUM_WKB)
        lake_accum_join_box(s, from);
    else if (is_bytes(s))
        lake_accum_take_bytes(
            s, lake_bytes_of(lake_buffer_view(&from->min_b)), lake_bytes_of(lake_buffer_view(&from->max_b)));
    else
        take(s, from->min_i, from->max_i);
}

lake_status lake_accum_check(const lake_accum *s, lake_error *err) {
    return s->min_b.failed || s->max_b.failed ? lake_fail_memory(err) : LAKE_OK;
}

static lake_i128 scale(const lake_accum *s, lake_i128 v) {
    v *= s->mul;
    if (s->div == 1)
        return v;
    lake_i128 q = v / s->div;
    return q - (v % s->div < 0);
}

static bool bound(const lake_accum *s, lake_i128 i, const lake_buffer *b, lake_key *out) {
    if (!s->any || s->broken)
        return false;
    if (s->form == LAKE_ACCUM_WKB)
        return lake_accum_corner(b, &out->b);
    if (is_bytes(s))
        out->b = lake_bytes_of(lake_buffer_view(b));
    else if (is_float(s))
        out->f = double_of((int64_t)i);
    else
        out->i = scale(s, i);
    return true;
}

bool lake_accum_min(const lake_accum *s, lake_key *out) {
    return bound(s, s->min_i, &s->min_b, out);
}
bool lake_accum_max(const lake_accum *s, lake_key *out) {
    return bound(s, s->max_i, &s->max_b, out);
}

/* The integer as it is stored; false: a decimal beyond 128 bits. */
static bool integer_of(const lake_accum *s, const void *element, lake_i128 *out) {
    const uint8_t *p = element;
    switch (s->form) {
    case LAKE_ACCUM_BOOL: *out = *p; return true;
    case LAKE_ACCUM_I32: *out = (int32_t)lake_get_le32(p); return true;
    case LAKE_ACCUM_U32: *out = lake_get_le32(p); return true;
    case LAKE_ACCUM_I64: *out = (int64_t)lake_get_le64(p); return true;
    case LAKE_ACCUM_U64: *out = lake_get_le64(p); return true;
    case LAKE_ACCUM_INT96: *out = int96(p); return true;
    case LAKE_ACCUM_DECIMAL_FIXED: return decimal(p, s->width, out);
    case LAKE_ACCUM_DECIMAL_BYTES: {
        const lake_bytes *b = element;
        return decimal(b->ptr, b->len, out);
    }
    default: return false;
    }
}

static bool float_key(const lake_accum *s, const void *element, lake_key *out) {
    const uint8_t *p = element;
    uint64_t wide;
    uint32_t bits;
    float f;
    if (s->form == LAKE_ACCUM_F64) {
        wide = lake_get_le64(p);
        memcpy(&out->f, &wide, sizeof out->f);
    } else {
        bits = s->form == LAKE_ACCUM_F32 ? lake_get_le32(p) : widen_half(lake_get_le16(p));
        memcpy(&f, &bits, sizeof f);
        out->f = (double)f;
    }
    return out->f == out->f;
}

bool lake_accum_key(const lake_accum *s, const void *element, lake_key *out) {
    lake_i128 v;
    if (s->form == LAKE_ACCUM_NONE || s->form == LAKE_ACCUM_WKB)
        return false;
    if (is_bytes(s)) {
        out->b = s->form == LAKE_ACCUM_BYTES ? *(const lake_bytes *)element : (lake_bytes){element, s->width};
        return true;
    }
    if (is_float(s))
        return float_key(s, element, out);
    if (!integer_of(s, element, &v))
        return false;
    out->i = scale(s, v);
    return true;
}
