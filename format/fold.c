/* Lower case for names, without a locale: the simple one-to-one mappings of the Unicode blocks that people name columns
   in (ASCII, Latin-1, Latin Extended-A, Greek, Cyrillic, Armenian). Other letters are left alone, so two names that
   differ only there stay different names. */
#include "format/type_internal.h"

static uint32_t latin_a(uint32_t c) {
    if (c == 0x130 || c == 0x131 || c == 0x138 || c == 0x149 || c == 0x17f)
        return c;
    if (c == 0x178)
        return 0xff;
    bool odd_is_upper = (c >= 0x139 && c <= 0x148) || c >= 0x179;
    return (c & 1) == (odd_is_upper ? 1 : 0) ? c + 1 : c;
}

static uint32_t greek(uint32_t c) {
    switch (c) {
    case 0x386: return 0x3ac;
    case 0x388:
    case 0x389:
    case 0x38a: return c + 37;
    case 0x38c: return 0x3cc;
    case 0x38e:
    case 0x38f: return c + 63;
    default: return c >= 0x391 && c <= 0x3ab && c != 0x3a2 ? c + 32 : c;
    }
}

static uint32_t cyrillic(uint32_t c) {
    if (c <= 0x40f)
        return c + 80;
    if (c <= 0x42f)
        return c + 32;
    bool pairs = (c >= 0x460 && c <= 0x481) || (c >= 0x48a && c <= 0x4bf) || c >= 0x4d0;
    return pairs && !(c & 1) ? c + 1 : c;
}

uint32_t lake_fold(uint32_t c) {
    if (c < 0x80)
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
    if (c >= 0xc0 && c <= 0xde)
        return c == 0xd7 ? c : c + 32;
    if (c >= 0x100 && c <= 0x17f)
        return latin_a(c);
    if (c >= 0x386 && c <= 0x3ab)
        return greek(c);
    if (c >= 0x400 && c <= 0x52f)
        return cyrillic(c);
    return c >= 0x531 && c <= 0x556 ? c + 48 : c;
}
