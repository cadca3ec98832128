/* UTF-8 decoding and encoding (RFC 3629). */
#include "base/utf8.h"

size_t lake_utf8_decode(const uint8_t *p, const uint8_t *end, uint32_t *cp) {
    uint8_t a = *p;
    if (a < 0x80) {
        *cp = a;
        return 1;
    }
    size_t n = a >= 0xf0 ? 4 : a >= 0xe0 ? 3 : 2;
    if (a < 0xc2 || a > 0xf4 || (size_t)(end - p) < n)
        return 0;
    uint32_t v = a & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        v = v << 6 | (p[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (v < least[n] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
        return 0;
    *cp = v;
    return n;
}

bool lake_utf8_valid(lake_bytes b) {
    const uint8_t *p = b.ptr, *end = p + b.len;
    uint32_t cp;
    while (p < end) {
        size_t n = lake_utf8_decode(p, end, &cp);
        if (!n)
            return false;
        p += n;
    }
    return true;
}

size_t lake_utf8_encode(uint32_t cp, uint8_t out[4]) {
    if (cp < 0x80) {
        out[0] = (uint8_t)cp;
        return 1;
    }
    if (cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
        return 0;
    size_t n = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (cp & 0x3f));
        cp >>= 6;
    }
    static const uint8_t mark[] = {0, 0, 0xc0, 0xe0, 0xf0};
    out[0] = (uint8_t)(mark[n] | cp);
    return n;
}

size_t lake_utf8_head(lake_bytes b, size_t n) {
    size_t i = 0;
    while (i < b.len && n--) {
        uint8_t a = b.ptr[i++];
        size_t more = a >= 0xf0 ? 3 : a >= 0xe0 ? 2 : a >= 0xc0 ? 1 : 0;
        while (more-- && i < b.len && (b.ptr[i] & 0xc0) == 0x80)
            i++;
    }
    return i;
}

size_t lake_utf8_count(lake_bytes b) {
    size_t n = 0, i = 0;
    while (i < b.len) {
        i += lake_utf8_head((lake_bytes){b.ptr + i, b.len - i}, 1);
        n++;
    }
    return n;
}
