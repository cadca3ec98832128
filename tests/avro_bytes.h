/* Avro by hand, for tests: nothing here comes from the code under test. */
#ifndef LAKE_TESTS_AVRO_BYTES_H
#define LAKE_TESTS_AVRO_BYTES_H

#include "support.h"

static const uint8_t hand_sync[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static inline void hand_long(lake_buffer *b, int64_t v) {
    uint64_t z = (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
    for (; z >= 128; z >>= 7)
        lake_buffer_char(b, (char)(z | 128));
    lake_buffer_char(b, (char)z);
}
static inline void hand_bytes(lake_buffer *b, const void *data, size_t n) {
    hand_long(b, (int64_t)n);
    lake_buffer_put(b, data, n);
}
static inline void hand_str(lake_buffer *b, const char *z) {
    hand_bytes(b, z, strlen(z));
}
static inline void hand_hex(lake_buffer *b, const char *hex) { /* "02 04" as they are */
    for (; *hex; hex += *hex == ' ' ? 1 : 2) {
        unsigned v;
        if (*hex != ' ' && sscanf(hex, "%2x", &v) == 1)
            lake_buffer_char(b, (char)v);
    }
}

/* pairs: key, value, …, NULL; the schema goes in as avro.schema. */
static inline void hand_header(lake_buffer *b, const char *schema, const char *const *pairs) {
    int64_t n = 1;
    while (pairs && pairs[2 * (n - 1)])
        n++;
    lake_buffer_put(b, "Obj\1", 4);
    hand_long(b, n);
    hand_str(b, "avro.schema");
    hand_str(b, schema);
    for (int64_t i = 0; i < 2 * (n - 1); i++)
        hand_str(b, pairs[i]);
    hand_long(b, 0);
    lake_buffer_put(b, hand_sync, 16);
}
static inline void hand_block(lake_buffer *b, int64_t count, const lake_buffer *objects) {
    hand_long(b, count);
    hand_bytes(b, objects->data, objects->len);
    lake_buffer_put(b, hand_sync, 16);
}

#endif
