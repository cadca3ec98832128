/* Percent escapes of folders' names (hive.h). */
#include "format/hive.h"

lake_status lake_hive_decode(lake_arena *arena, lake_str text, lake_str *out, lake_error *err) {
    char *to = lake_arena_alloc(arena, text.len + 1);
    if (!to)
        return lake_fail_memory(err);
    *out = (lake_str){to, 0};
    for (size_t i = 0; i < text.len; i++) {
        bool escape = text.ptr[i] == '%' && i + 2 < text.len && lake_hex_digit(text.ptr[i + 1]) >= 0 &&
            lake_hex_digit(text.ptr[i + 2]) >= 0;
        to[out->len++] =
            escape ? (char)(lake_hex_digit(text.ptr[i + 1]) * 16 + lake_hex_digit(text.ptr[i + 2])) : text.ptr[i];
        i += escape ? 2 : 0;
    }
    to[out->len] = 0;
    return LAKE_OK;
}
