/* Elements of Arrow arrays (Arrow's "C data interface" and "Columnar Format"). The arrays belong to the caller's
   program and are trusted as far as C pointers are; what can be checked against their own lengths is. */
#include <stdlib.h>

#include "writer/ingest.h"

static lake_ingest_form scaled(lake_accum_form form, int64_t mul, int64_t div) {
    return (lake_ingest_form){form, 0, mul, div};
}

/* ---- formats */

/* "c" to "L": the size, and whether it has a sign. */
static size_t integer_width(const char *format, bool *is_signed) {
    static const char letters[] = "cCsSiIlL";
    const char *at = format[0] && !format[1] ? strchr(letters, format[0]) : NULL;
    if (!at)
        return 0;
    *is_signed = (at - letters) % 2 == 0;
    return (size_t)1 << (at - letters) / 2;
}

static bool integer_leaf(const char *format, lake_arrow_leaf *out) {
    bool is_signed;
    size_t width = integer_width(format, &is_signed);
    if (!width)
        return false;
    bool wide = !is_signed && width == 8;
    *out = (lake_arrow_leaf){is_signed ? LAKE_ARROW_SIGNED : LAKE_ARROW_UNSIGNED, width,
        scaled(wide ? LAKE_ACCUM_U64 : LAKE_ACCUM_I64, 1, 1)};
    return true;
}

static bool float_leaf(const char *format, bool is_double, lake_arrow_leaf *out) {
    if (!format[0] || format[1])
        return false;
    switch (format[0]) {
    case 'e': *out = (lake_arrow_leaf){LAKE_ARROW_FLOAT, 2, scaled(LAKE_ACCUM_F16, 1, 1)}; return true;
    case 'f': *out = (lake_arrow_leaf){LAKE_ARROW_FLOAT, 4, scaled(LAKE_ACCUM_F32, 1, 1)}; return true;
    case 'g': *out = (lake_arrow_leaf){LAKE_ARROW_FLOAT, 8, scaled(LAKE_ACCUM_F64, 1, 1)}; return is_double;
    default: return false;
    }
}

static bool date_leaf(const char *format, lake_arrow_leaf *out) {
    enum { MS_PER_DAY = 86400000 };
    if (strcmp(format, "tdD") == 0)
        *out = (lake_arrow_leaf){LAKE_ARROW_SIGNED, 4, scaled(LAKE_ACCUM_I64, 1, 1)};
    else if (strcmp(format, "tdm") == 0)
        *out = (lake_arrow_leaf){LAKE_ARROW_SIGNED, 8, scaled(LAKE_ACCUM_I64, 1, MS_PER_DAY)};
    else
        return false;
    return true;
}

/* `per_second`: of the column. The unit's letter is format[2]. */
static bool clock_leaf(const char *format, int64_t per_second, bool time, lake_arrow_leaf *out) {
    int64_t unit;
    switch (format[2]) {
    case 's': unit = 1; break;
    case 'm': unit = 1000; break;
    case 'u': unit = 1000000; break;
    case 'n': unit = 1000000000; break;
    default: return false;
    }
    *out = (lake_arrow_leaf){LAKE_ARROW_SIGNED, time && unit <= 1000 ? 4 : 8,
        unit <= per_second ? scaled(LAKE_ACCUM_I64, per_second / unit, 1)
                           : scaled(LAKE_ACCUM_I64, 1, unit / per_second)};
    return true;
}

static bool timestamp_leaf(const char *format, const lake_type *t, lake_arrow_leaf *out) {
    bool zoned = t->id == LAKE_TIMESTAMPTZ || t->id == LAKE_TIMESTAMPTZ_NS;
    bool nanos = t->id == LAKE_TIMESTAMP_NS || t->id == LAKE_TIMESTAMPTZ_NS;
    if (strncmp(format, "ts", 2) != 0 || !format[2] || format[3] != ':' || zoned != (format[4] != 0))
        return false;
    return clock_leaf(format, nanos ? 1000000000 : 1000000, false, out);
}

static bool decimal_leaf(const char *format, const lake_type *t, lake_arrow_leaf *out) {
    char *end;
    long bits = 128;
    if (strncmp(format, "d:", 2) != 0)
        return false;
    strtol(format + 2, &end, 10);
    if (*end != ',' || strtol(end + 1, &end, 10) != t->scale)
        return false;
    if (*end == ',')
        bits = strtol(end + 1, &end, 10);
    if (*end)
        return false;
    if (bits == 32 || bits == 64)
        *out = (lake_arrow_leaf){LAKE_ARROW_SIGNED, (size_t)bits / 8, scaled(LAKE_ACCUM_I64, 1, 1)};
    else
        *out =
            (lake_arrow_leaf){LAKE_ARROW_DECIMAL, (size_t)bits / 8, {LAKE_ACCUM_DECIMAL_FIXED, (size_t)bits / 8, 1, 1}};
    return bits == 32 || bits == 64 || bits == 128 || bits == 256;
}

static bool bytes_leaf(const char *format, const lake_type *t, lake_arrow_leaf *out) {
    bool text = t->id == LAKE_STRING, sized = t->id == LAKE_FIXED || t->id == LAKE_UUID;
    const lake_ingest_form form = lake_type_is_geo(t)
        ? (lake_ingest_form){LAKE_ACCUM_WKB, t->id == LAKE_GEOGRAPHY, 1, 1}
        : scaled(LAKE_ACCUM_BYTES, 1, 1);
    if (strncmp(format, "w:", 2) == 0) {
        long width = strtol(format + 2, NULL, 10);
        *out = (lake_arrow_leaf){LAKE_ARROW_FIXED, width > 0 ? (size_t)width : 0, form};
        return width >= 0 && width <= INT32_MAX && !text && (!sized || width == (t->id == LAKE_UUID ? 16 : t->length));
    }
    if (sized)
        return false;
    const char *small = text ? "u" : "z", *large = text ? "U" : "Z", *view = text ? "vu" : "vz";
    if (strcmp(format, small) == 0)
        *out = (lake_arrow_leaf){LAKE_ARROW_BYTES, 4, form};
    else if (strcmp(format, large) == 0)
        *out = (lake_arrow_leaf){LAKE_ARROW_BYTES, 8, form};
    else if (strcmp(format, view) == 0)
        *out = (lake_arrow_leaf){LAKE_ARROW_VIEW, 16, form};
    else
        return false;
    return true;
}

bool lake_arrow_leaf_of(const char *format, const lake_type *t, lake_arrow_leaf *out) {
    *out = (lake_arrow_leaf){LAKE_ARROW_NONE, 1, scaled(LAKE_ACCUM_NONE, 1, 1)};
    if (strcmp(format, "n") == 0) /* every value is null: fits all */
        return true;
    switch (t->id) {
    case LAKE_BOOLEAN:
        *out = (lake_arrow_leaf){LAKE_ARROW_BOOL, 1, scaled(LAKE_ACCUM_BOOL, 1, 1)};
        return strcmp(format, "b") == 0;
    case LAKE_INT:
    case LAKE_LONG: return integer_leaf(format, out);
    case LAKE_FLOAT: return float_leaf(format, false, out);
    case LAKE_DOUBLE: return float_leaf(format, true, out);
    case LAKE_DATE: return date_leaf(format, out);
    case LAKE_TIME: return strncmp(format, "tt", 2) == 0 && clock_leaf(format, 1000000, true, out);
    case LAKE_TIMESTAMP:
    case LAKE_TIMESTAMPTZ:
    case LAKE_TIMESTAMP_NS:
    case LAKE_TIMESTAMPTZ_NS: return timestamp_leaf(format, t, out);
    case LAKE_DECIMAL: return decimal_leaf(format, t, out);
    case LAKE_VARIANT: return true;
    case LAKE_STRING:
    case LAKE_BINARY:
    case LAKE_FIXED:
    case LAKE_UUID:
    case LAKE_GEOMETRY:
    case LAKE_GEOGRAPHY: return bytes_leaf(format, t, out);
    default: return false;
    }
}

/* ---- elements */

bool lake_arrow_valid(const struct ArrowArray *a, int64_t index) {
    const uint8_t *bits = a->n_buffers > 0 ? a->buffers[0] : NULL;
    int64_t at = a->offset + index;
    return !bits || bits[at / 8] >> (at % 8) & 1;
}

static int64_t load(const uint8_t *p, size_t width, bool is_signed) {
    int64_t v = 0;
    memcpy(&v, p, width); /* little-endian, as this machine is */
    if (!is_signed || width == 8)
        return v;
    unsigned shift = 64 - 8 * (unsigned)width;
    return (int64_t)((uint64_t)v << shift) >> shift;
}

bool lake_arrow_integer(const char *format, const struct ArrowArray *a, int64_t index, int64_t *out) {
    bool is_signed = true;
    size_t width = integer_width(format, &is_signed);
    if (!width || a->n_buffers < 2 || !a->buffers[1] || index < 0 || index >= a->length)
        return false;
    *out = load((const uint8_t *)a->buffers[1] + (size_t)(a->offset + index) * width, width, is_signed);
    return true;
}

static bool put_bytes(const struct ArrowArray *a, size_t width, int64_t at, lake_bytes *out) {
    if (a->n_buffers < 3)
        return false;
    const uint8_t *offsets = a->buffers[1], *data = a->buffers[2];
    int64_t begin = load(offsets + (size_t)at * width, width, true);
    int64_t end = load(offsets + (size_t)(at + 1) * width, width, true);
    if (begin < 0 || end < begin || (!data && end > begin))
        return false;
    *out = (lake_bytes){data ? data + begin : (const uint8_t *)"", (size_t)(end - begin)};
    return true;
}

/* 16 bytes: a length, then up to 12 bytes in place, or four bytes of the value, a buffer, an offset. The last buffer
   holds the sizes of the others. */
static bool put_view(const struct ArrowArray *a, int64_t at, lake_bytes *out) {
    enum { IN_PLACE = 12, FIRST = 2 };
    const uint8_t *view = (const uint8_t *)a->buffers[1] + 16 * (size_t)at;
    int32_t len = (int32_t)lake_get_le32(view);
    if (len < 0 || a->n_buffers < 3)
        return false;
    if (len <= IN_PLACE) {
        *out = (lake_bytes){view + 4, (size_t)len};
        return true;
    }
    int32_t which = (int32_t)lake_get_le32(view + 8), offset = (int32_t)lake_get_le32(view + 12);
    const int64_t *sizes = a->buffers[a->n_buffers - 1];
    if (which < 0 || which >= a->n_buffers - 3 || offset < 0 || (int64_t)offset + len > sizes[which])
        return false;
    *out = (lake_bytes){(const uint8_t *)a->buffers[FIRST + which] + offset, (size_t)len};
    return true;
}

bool lake_arrow_element(const lake_arrow_leaf *l, const struct ArrowArray *a, int64_t index, void *to) {
    if (l->kind == LAKE_ARROW_NONE)
        return true;
    if (a->n_buffers < 2 || !a->buffers[1] || index < 0 || index >= a->length)
        return false;
    int64_t at = a->offset + index;
    const uint8_t *data = a->buffers[1], *value = data + (size_t)at * l->width;
    lake_bytes view;
    switch (l->kind) {
    case LAKE_ARROW_BOOL: *(uint8_t *)to = data[at / 8] >> (at % 8) & 1; return true;
    case LAKE_ARROW_SIGNED:
    case LAKE_ARROW_UNSIGNED: {
        int64_t v = load(value, l->width, l->kind == LAKE_ARROW_SIGNED);
        memcpy(to, &v, sizeof v);
        return true;
    }
    case LAKE_ARROW_FLOAT: memcpy(to, value, l->width); return true;
    case LAKE_ARROW_DECIMAL:
        for (size_t i = 0; i < l->width; i++)
            ((uint8_t *)to)[i] = value[l->width - 1 - i];
        return true;
    case LAKE_ARROW_BYTES:
        if (!put_bytes(a, l->width, at, &view))
            return false;
        break;
    case LAKE_ARROW_VIEW:
        if (!put_view(a, at, &view))
            return false;
        break;
    default: view = (lake_bytes){value, l->width}; break;
    }
    memcpy(to, &view, sizeof view);
    return true;
}
