/* Partition transforms: which there are, what they accept, their results and hashes (spec.md, "Partition Transforms"
   and Appendix B). */
#include "format/transform_internal.h"

#include <math.h>

static const struct {
    const char *name;
    lake_transform_id id;
    bool has_width;
} known[] = {{"identity", LAKE_TRANSFORM_IDENTITY, false}, {"bucket", LAKE_TRANSFORM_BUCKET, true},
    {"truncate", LAKE_TRANSFORM_TRUNCATE, true}, {"year", LAKE_TRANSFORM_YEAR, false},
    {"month", LAKE_TRANSFORM_MONTH, false}, {"day", LAKE_TRANSFORM_DAY, false}, {"hour", LAKE_TRANSFORM_HOUR, false},
    {"void", LAKE_TRANSFORM_VOID, false}};

static bool is_word(lake_str s, const char *z) {
    size_t n = strlen(z);
    for (size_t i = 0; i < n && i < s.len; i++)
        if ((s.ptr[i] >= 'A' && s.ptr[i] <= 'Z' ? s.ptr[i] + 32 : s.ptr[i]) != z[i])
            return false;
    return s.len == n;
}

static bool is_time(lake_transform_id id) {
    return id >= LAKE_TRANSFORM_YEAR && id <= LAKE_TRANSFORM_HOUR;
}

lake_transform_id lake_transform_named(lake_str name, bool *has_width) {
    lake_str singular = {name.ptr, name.len && (name.ptr[name.len - 1] | 32) == 's' ? name.len - 1 : name.len};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        *has_width = known[i].has_width;
        if (is_word(name, known[i].name) || (is_time(known[i].id) && is_word(singular, known[i].name)))
            return known[i].id;
    }
    return LAKE_TRANSFORM_UNKNOWN;
}

bool lake_transform_width(lake_str digits, int32_t *out) {
    lake_json v = {.kind = LAKE_JSON_NUMBER, .text = digits};
    return lake_json_i32(&v, out) && *out > 0;
}

lake_transform lake_transform_parse(lake_str text) {
    lake_transform t = {LAKE_TRANSFORM_UNKNOWN, 0, text};
    const char *open = text.len ? memchr(text.ptr, '[', text.len) : NULL;
    lake_str name = {text.ptr, open ? (size_t)(open - text.ptr) : text.len};
    bool has_width;
    lake_transform_id id = lake_transform_named(name, &has_width);
    if (has_width != (open != NULL))
        return t;
    if (open &&
        (text.ptr[text.len - 1] != ']' || !lake_transform_width((lake_str){open + 1, text.len - name.len - 2}, &t.n)))
        return t;
    t.id = id;
    return t;
}

bool lake_transform_accepts(const lake_transform *t, const lake_type *source) {
    lake_key_kind kind = lake_type_kind(source);
    switch (t->id) {
    case LAKE_TRANSFORM_IDENTITY: return kind != LAKE_KEY_NONE;
    case LAKE_TRANSFORM_BUCKET: return kind != LAKE_KEY_NONE && kind != LAKE_KEY_FLOAT && source->id != LAKE_BOOLEAN;
    case LAKE_TRANSFORM_TRUNCATE:
        return source->id == LAKE_INT || source->id == LAKE_LONG || source->id == LAKE_DECIMAL ||
            source->id == LAKE_STRING || source->id == LAKE_BINARY;
    case LAKE_TRANSFORM_YEAR:
    case LAKE_TRANSFORM_MONTH:
    case LAKE_TRANSFORM_DAY: return lake_type_per_day(source) != 0;
    case LAKE_TRANSFORM_HOUR: return lake_type_per_day(source) > 1;
    case LAKE_TRANSFORM_VOID: return true;
    default: return false;
    }
}

lake_type lake_transform_result(const lake_transform *t, const lake_type *source) {
    switch (t->id) {
    case LAKE_TRANSFORM_BUCKET:
    case LAKE_TRANSFORM_YEAR:
    case LAKE_TRANSFORM_MONTH:
    case LAKE_TRANSFORM_HOUR: return (lake_type){.id = LAKE_INT};
    case LAKE_TRANSFORM_DAY: return (lake_type){.id = LAKE_DATE};
    default: return *source;
    }
}

/* ---- hashes */

static int32_t hash_long(int64_t v) {
    return (int32_t)lake_murmur3(&v, sizeof v);
}

static int32_t hash_double(double v) {
    int64_t bits = INT64_C(0x7ff8000000000000);
    if (v == 0)
        v = 0; /* of both zeros */
    if (!isnan(v))
        memcpy(&bits, &v, sizeof bits);
    return hash_long(bits);
}

int32_t lake_transform_hash(const lake_type *source, lake_key v) {
    uint8_t be[16];
    switch (lake_type_kind(source)) {
    case LAKE_KEY_BYTES: return (int32_t)lake_murmur3(v.b.ptr, v.b.len);
    case LAKE_KEY_FLOAT: return hash_double(v.f);
    case LAKE_KEY_INT: break;
    default: return 0;
    }
    if (source->id == LAKE_DECIMAL)
        return (int32_t)lake_murmur3(be, lake_i128_to_be(v.i, be));
    bool ns = source->id == LAKE_TIMESTAMP_NS || source->id == LAKE_TIMESTAMPTZ_NS;
    return hash_long((int64_t)(ns ? lake_i128_floor_div(v.i, 1000) : v.i));
}

int32_t lake_transform_bucket(const lake_type *source, int32_t n, lake_key v) {
    return (lake_transform_hash(source, v) & INT32_MAX) % n;
}

/* ---- results */

static lake_status fail_fit(const lake_transform *t, const lake_type *source, lake_key v, lake_error *err) {
    lake_buffer text;
    lake_buffer_init(&text);
    lake_value_print(&text, source, v);
    lake_status s = lake_fail(err, LAKE_ERR_MALFORMED, "%.*s of %.*s does not fit the result's type", LAKE_ARG(t->text),
        LAKE_ARG(lake_buffer_view(&text)));
    lake_buffer_clear(&text);
    return s;
}

static lake_status truncate(
    const lake_transform *t, const lake_type *source, lake_key v, lake_key *out, lake_error *err) {
    if (lake_type_kind(source) == LAKE_KEY_BYTES) {
        size_t width = (size_t)t->n;
        if (source->id == LAKE_STRING)
            width = lake_utf8_head(v.b, width);
        out->b = (lake_bytes){v.b.ptr, v.b.len < width ? v.b.len : width};
        return LAKE_OK;
    }
    lake_i128 low = source->id == LAKE_INT ? (lake_i128)INT32_MIN
        : source->id == LAKE_LONG          ? (lake_i128)INT64_MIN
                                           : 1 - lake_i128_pow10(source->precision);
    out->i = v.i - ((v.i % t->n) + t->n) % t->n;
    return out->i < low ? fail_fit(t, source, v, err) : LAKE_OK;
}

static int64_t time_result(lake_transform_id id, lake_i128 v, int64_t per_day) {
    if (id == LAKE_TRANSFORM_HOUR)
        return (int64_t)lake_i128_floor_div(v, per_day / 24);
    int64_t days = (int64_t)lake_i128_floor_div(v, per_day);
    if (id == LAKE_TRANSFORM_DAY)
        return days;
    lake_civil c = lake_civil_from_days(days);
    return id == LAKE_TRANSFORM_YEAR ? c.year - 1970 : (c.year - 1970) * 12 + c.month - 1;
}

lake_status lake_transform_apply(lake_arena *arena, const lake_transform *t, const lake_type *source, lake_key v,
    lake_bound_state *state, lake_key *out, lake_error *err) {
    (void)arena; /* results point into v */
    *state = LAKE_BOUND_NONE;
    if (t->id == LAKE_TRANSFORM_VOID)
        return LAKE_OK;
    if (!lake_transform_accepts(t, source))
        return lake_fail(
            err, LAKE_ERR_UNSUPPORTED, "transform '%.*s' is unknown or not for this type", LAKE_ARG(t->text));
    switch (t->id) {
    case LAKE_TRANSFORM_IDENTITY: *out = v; break;
    case LAKE_TRANSFORM_BUCKET: out->i = lake_transform_bucket(source, t->n, v); break;
    case LAKE_TRANSFORM_TRUNCATE: LAKE_TRY(truncate(t, source, v, out, err)); break;
    default: {
        int64_t r = time_result(t->id, v.i, lake_type_per_day(source));
        if (r < INT32_MIN || r > INT32_MAX)
            return fail_fit(t, source, v, err);
        out->i = r;
    }
    }
    *state = LAKE_BOUND_KEY;
    return LAKE_OK;
}

/* ---- from results back to sources */

bool lake_transform_is_monotone(const lake_transform *t, const lake_type *source) {
    if (!lake_transform_accepts(t, source) || t->id == LAKE_TRANSFORM_BUCKET || t->id == LAKE_TRANSFORM_VOID)
        return false;
    /* Writers in Java compute ((v % W) + W) % W in the type's own width. */
    bool whole = source->id == LAKE_INT || source->id == LAKE_LONG;
    return t->id != LAKE_TRANSFORM_TRUNCATE || !whole || t->n <= 1 << 30;
}

static bool pre_truncate_bytes(
    lake_arena *arena, const lake_transform *t, const lake_type *source, lake_bytes c, lake_end *out) {
    size_t n = source->id == LAKE_STRING ? lake_utf8_head(c, (size_t)t->n) : (size_t)t->n;
    if (n < c.len)
        return lake_key_next_prefix(arena, (lake_bytes){c.ptr, n}, out);
    *out = (lake_end){.at = LAKE_END_KEY, .key.b = c};
    return true;
}

static lake_end pre_truncate_int(lake_i128 c, int32_t n) {
    lake_i128 over = (c % n + n) % n; /* how far c is above a multiple */
    lake_end end = {.at = LAKE_END_KEY};
    if (over && __builtin_add_overflow(c, (lake_i128)(n - over), &end.key.i))
        return (lake_end){.at = LAKE_END_TOP};
    if (!over)
        end.key.i = c;
    return end;
}

static lake_end pre_time(lake_transform_id id, lake_i128 c, int64_t per_day) {
    static const lake_i128 far = (lake_i128)1 << 40; /* far beyond every int */
    if (c > far || c < -far)
        return (lake_end){.at = c > 0 ? LAKE_END_TOP : LAKE_END_LOW};
    lake_end end = {.at = LAKE_END_KEY};
    if (id == LAKE_TRANSFORM_HOUR)
        end.key.i = c * (per_day / 24);
    else if (id == LAKE_TRANSFORM_DAY)
        end.key.i = c * per_day;
    else if (id == LAKE_TRANSFORM_YEAR)
        end.key.i = (lake_i128)lake_days_from_civil(1970 + (int64_t)c, 1, 1) * per_day;
    else
        end.key.i = (lake_i128)lake_days_from_civil(
                        1970 + (int64_t)lake_i128_floor_div(c, 12), (int)(c - lake_i128_floor_div(c, 12) * 12) + 1, 1) *
            per_day;
    return end;
}

bool lake_transform_pre(
    lake_arena *arena, const lake_transform *t, const lake_type *source, lake_end c, lake_end *out) {
    *out = c;
    if (c.at != LAKE_END_KEY || t->id == LAKE_TRANSFORM_IDENTITY)
        return true;
    if (t->id == LAKE_TRANSFORM_TRUNCATE) {
        if (lake_type_kind(source) == LAKE_KEY_BYTES)
            return pre_truncate_bytes(arena, t, source, c.key.b, out);
        *out = pre_truncate_int(c.key.i, t->n);
    } else {
        *out = pre_time(t->id, c.key.i, lake_type_per_day(source));
    }
    return true;
}

size_t lake_transform_wraps(const lake_transform *t, const lake_type *source, bool promoted, lake_wrap_span out[2]) {
    size_t n = 0;
    if (t->id != LAKE_TRANSFORM_TRUNCATE || (source->id != LAKE_INT && source->id != LAKE_LONG))
        return 0;
    for (int bits = 32; bits <= 64; bits += 32) {
        bool own = (bits == 64) == (source->id == LAKE_LONG);
        if (!own && !(promoted && bits == 32))
            continue;
        lake_i128 low = -((lake_i128)1 << (bits - 1)), first = lake_i128_floor_div(low, t->n) * t->n;
        if (first < low)
            out[n++] = (lake_wrap_span){first + ((lake_i128)1 << bits), low, first + t->n};
    }
    return n;
}
