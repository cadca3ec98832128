/* Walking WKB for its coordinates. */
#include "format/geometry.h"

#include <math.h>

enum { X, Y, Z, M, DIMENSIONS };
enum { DEPTH = 32 };
enum { POINT = 1, LINE = 2, POLYGON = 3, MULTI_FIRST = 4, COLLECTION = 7, SURFACE = 15, TIN = 16, TRIANGLE = 17 };

typedef struct walk {
    lake_cursor at;
    lake_box *box;
    bool geography, edges;
} walk;

void lake_box_init(lake_box *box) {
    for (int i = 0; i < DIMENSIONS; i++)
        box->lower[i] = box->upper[i] = NAN;
}

static void widen(lake_box *box, int dimension, double v) {
    if (isnan(v))
        return;
    v += 0.0; /* -0.0 becomes 0.0: which of the two came first must not show */
    if (!(box->lower[dimension] <= v))
        box->lower[dimension] = v;
    if (!(box->upper[dimension] >= v))
        box->upper[dimension] = v;
}

static bool read_u32(walk *w, bool big, uint32_t *out) {
    if (!lake_cursor_le32(&w->at, out))
        return false;
    if (big)
        *out = __builtin_bswap32(*out);
    return true;
}

typedef struct shape {
    bool big, z, m;
    uint32_t type;
} shape;

static bool read_point(walk *w, const shape *s) {
    const int dimensions[DIMENSIONS] = {X, Y, s->z ? Z : M, M};
    size_t n = 2u + s->z + s->m;
    if (lake_cursor_left(&w->at) < 8 * n)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        double v;
        if (!lake_cursor_le64(&w->at, &bits))
            return false;
        bits = s->big ? __builtin_bswap64(bits) : bits;
        memcpy(&v, &bits, sizeof v);
        if (w->geography && dimensions[i] <= Y && fabs(v) > (dimensions[i] == X ? 180 : 90))
            return false;
        widen(w->box, dimensions[i], v);
    }
    return true;
}

static bool read_points(walk *w, const shape *s) {
    uint32_t n;
    if (!read_u32(w, s->big, &n) || n > lake_cursor_left(&w->at) / 16)
        return false;
    w->edges |= n > 0;
    for (uint32_t i = 0; i < n; i++)
        if (!read_point(w, s))
            return false;
    return true;
}

static bool read_rings(walk *w, const shape *s) {
    uint32_t n;
    if (!read_u32(w, s->big, &n) || n > lake_cursor_left(&w->at) / 4)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!read_points(w, s))
            return false;
    return true;
}

static bool read_head(walk *w, shape *s) {
    uint8_t order;
    uint32_t type;
    *s = (shape){0};
    if (!lake_cursor_u8(&w->at, &order) || order > 1)
        return false;
    s->big = order == 0;
    if (!read_u32(w, s->big, &type))
        return false;
    s->z = type & 0x80000000u;
    s->m = type & 0x40000000u;
    if ((type & 0x20000000u) && !lake_cursor_skip(&w->at, 4)) /* a reference system, as the column's type has one */
        return false;
    type &= 0x1fffffffu;
    s->z |= type / 1000 == 1 || type / 1000 == 3;
    s->m |= type / 1000 == 2 || type / 1000 == 3;
    s->type = type % 1000;
    return type < 4000;
}

static bool read_geometry(walk *w, int depth) {
    shape s;
    uint32_t n;
    if (depth > DEPTH || !read_head(w, &s))
        return false;
    switch (s.type) {
    case POINT: return read_point(w, &s);
    case LINE: return read_points(w, &s);
    case POLYGON:
    case TRIANGLE: return read_rings(w, &s);
    default: break;
    }
    bool several = (s.type >= MULTI_FIRST && s.type <= COLLECTION) || s.type == SURFACE || s.type == TIN;
    if (!several || !read_u32(w, s.big, &n) || n > lake_cursor_left(&w->at) / 5)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!read_geometry(w, depth + 1))
            return false;
    return true;
}

bool lake_box_add(lake_box *box, lake_bytes wkb, bool geography) {
    walk w = {.at = lake_cursor_of(wkb.ptr, wkb.len, 0), .box = box, .geography = geography};
    if (!read_geometry(&w, 0) || lake_cursor_left(&w.at))
        return false;
    if (!geography || !w.edges)
        return true;
    widen(box, X, -180);
    widen(box, X, 180);
    widen(box, Y, -90);
    widen(box, Y, 90);
    return true;
}

void lake_box_join(lake_box *box, const lake_box *other) {
    for (int i = 0; i < DIMENSIONS; i++) {
        widen(box, i, other->lower[i]);
        widen(box, i, other->upper[i]);
    }
}

size_t lake_box_corner(const lake_box *box, bool upper, uint8_t out[32]) {
    const double *v = upper ? box->upper : box->lower;
    size_t n = !isnan(v[M]) ? 4 : !isnan(v[Z]) ? 3 : 2;
    if (isnan(v[X]) || isnan(v[Y]))
        return 0;
    for (size_t i = 0; i < n; i++) {
        const double exact = isnan(v[i]) ? NAN : v[i];
        memcpy(out + 8 * i, &exact, 8);
    }
    return 8 * n;
}
