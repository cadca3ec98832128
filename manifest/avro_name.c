/* Partition field names as Avro names ([A-Za-z_][A-Za-z0-9_]*). The real name is kept beside, as "iceberg-field-name".
 */
#include "manifest/layout.h"

static bool is_letter(uint32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(uint32_t c) {
    return c >= '0' && c <= '9';
}

bool lake_avro_name(lake_buffer *out, lake_str name) {
    const uint8_t *p = (const uint8_t *)name.ptr, *end = p + name.len;
    bool changed = name.len == 0, first = true;
    if (changed)
        lake_buffer_char(out, '_');
    while (p < end) {
        uint32_t c;
        size_t n = lake_utf8_decode(p, end, &c);
        if (!n) {
            c = *p;
            n = 1;
        }
        p += n;
        if (is_letter(c) || (is_digit(c) && !first)) {
            lake_buffer_char(out, (char)c);
        } else if (is_digit(c)) {
            lake_buffer_char(out, '_');
            lake_buffer_char(out, (char)c);
            changed = true;
        } else {
            lake_buffer_printf(out, "_x%X", (unsigned)c);
            changed = true;
        }
        first = false;
    }
    return changed;
}
