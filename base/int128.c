/* 128-bit integers: text and big-endian bytes. */
#include "base/int128.h"

#include <string.h>

size_t lake_i128_print(lake_i128 v, char text[LAKE_I128_TEXT]) {
    char back[LAKE_I128_TEXT];
    size_t n = 0, at = 0;
    lake_u128 u = v < 0 ? -(lake_u128)v : (lake_u128)v;
    do {
        back[n++] = (char)('0' + (int)(u % 10));
        u /= 10;
    } while (u);
    if (v < 0)
        text[at++] = '-';
    while (n)
        text[at++] = back[--n];
    text[at] = 0;
    return at;
}

size_t lake_decimal_print(lake_i128 unscaled, int scale, char text[LAKE_I128_TEXT + 48]) {
    char digits[LAKE_I128_TEXT];
    size_t n = lake_i128_print(unscaled < 0 ? unscaled + 0 : unscaled, digits), at = 0;
    const char *d = digits;
    if (*d == '-') {
        text[at++] = '-';
        d++;
        n--;
    }
    size_t s = scale > 0 ? (size_t)scale : 0;
    if (n <= s) {
        text[at++] = '0';
        if (s)
            text[at++] = '.';
        for (size_t i = n; i < s; i++)
            text[at++] = '0';
        memcpy(text + at, d, n);
        at += n;
    } else {
        memcpy(text + at, d, n - s);
        at += n - s;
        if (s) {
            text[at++] = '.';
            memcpy(text + at, d + n - s, s);
            at += s;
        }
    }
    text[at] = 0;
    return at;
}

bool lake_i128_from_be(lake_bytes b, lake_i128 *out) {
    if (!b.len)
        return false;
    uint8_t sign = b.ptr[0] & 0x80 ? 0xff : 0;
    size_t i = 0;
    for (; b.len - i > 16; i++)
        if (b.ptr[i] != sign)
            return false;
    if (i && (b.ptr[i] & 0x80) != (sign & 0x80))
        return false;
    lake_u128 u = sign ? ~(lake_u128)0 : 0;
    for (; i < b.len; i++)
        u = u << 8 | b.ptr[i];
    *out = (lake_i128)u;
    return true;
}

bool lake_i128_to_be_fixed(lake_i128 v, uint8_t *out, size_t n) {
    for (size_t i = n; i-- > 0;) {
        out[i] = (uint8_t)v;
        v >>= 8;
    }
    return n && v == (out[0] & 0x80 ? -1 : 0);
}

size_t lake_i128_to_be(lake_i128 v, uint8_t out[16]) {
    size_t n = 1;
    while (n < 16 && (v >> (8 * n - 1)) != 0 && (v >> (8 * n - 1)) != -1)
        n++;
    (void)lake_i128_to_be_fixed(v, out, n);
    return n;
}

lake_i128 lake_i128_pow10(int n) {
    lake_i128 p = 1;
    while (n-- > 0)
        p *= 10;
    return p;
}
