/* Codecs that few files need: snappy, lz4, brotli, bzip2, xz. Their libraries are opened on first use, so that a start
   does not pay for them; the few functions used are declared here, since only the libraries themselves have to be
   there. The handles belong to a scratch, so there is no state of the process. */
#include <dlfcn.h>

#include "wire/codec_priv.h"

enum {
    SNAPPY = LAKE_CODEC_LIBRARY_SNAPPY,
    LZ4 = LAKE_CODEC_LIBRARY_LZ4,
    BROTLI = LAKE_CODEC_LIBRARY_BROTLI,
    BZIP2 = LAKE_CODEC_LIBRARY_BZIP2,
    XZ = LAKE_CODEC_LIBRARY_XZ
};
static const char *const sonames[] = {
    "libsnappy.so.1", "liblz4.so.1", "libbrotlidec.so.1", "libbz2.so.1.0", "liblzma.so.5"};
static const char *const packages[] = {"libsnappy1v5", "liblz4-1", "libbrotli1", "libbz2-1.0", "liblzma5"};

lake_status lake_codec_symbol(lake_codec_scratch *s, int which, const char *name, void *function, lake_error *err) {
    if (!s->library[which])
        s->library[which] = dlopen(sonames[which], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *found = s->library[which] ? dlsym(s->library[which], name) : NULL;
    if (!found)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED,
            "%s cannot be loaded (Debian package %s): it is needed for this codec", sonames[which], packages[which]);
    memcpy(function, &found, sizeof found);
    return LAKE_OK;
}

void lake_codec_libraries_free(lake_codec_scratch *s) {
    for (int i = 0; i < LAKE_CODEC_LIBRARIES; i++)
        if (s->library[i])
            dlclose(s->library[i]);
}

/* ---- snappy: its C interface, for writing; 0 is success */

lake_status lake_codec_snappy(lake_codec_scratch *s, lake_bytes in, lake_buffer *out, lake_error *err) {
    size_t (*bound)(size_t) = NULL;
    int (*compress)(const char *, size_t, char *, size_t *) = NULL;
    LAKE_TRY(lake_codec_symbol(s, SNAPPY, "snappy_max_compressed_length", &bound, err));
    LAKE_TRY(lake_codec_symbol(s, SNAPPY, "snappy_compress", &compress, err));
    size_t n = bound(in.len);
    if (!lake_buffer_reserve(out, n))
        return lake_fail_memory(err);
    if (compress((const char *)in.ptr, in.len, (char *)out->data + out->len, &n) != 0)
        return lake_fail(err, LAKE_ERR_INTERNAL, "snappy: compression failed");
    out->len += n;
    return LAKE_OK;
}

/* ---- lz4 */

typedef int (*lz4_block)(const char *in, char *out, int in_len, int out_cap);

/* Appends a raw block of at most `most` bytes; false if it is damaged or longer. */
static bool lz4_append(lz4_block decompress, lake_bytes in, size_t most, lake_buffer *out) {
    if (in.len > INT32_MAX || !lake_buffer_reserve(out, most ? most : 1))
        return false;
    int n = decompress(
        (const char *)in.ptr, (char *)out->data + out->len, (int)in.len, most > INT32_MAX ? INT32_MAX : (int)most);
    if (n < 0)
        return false;
    out->len += (size_t)n;
    return true;
}

lake_status lake_codec_unlz4(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err) {
    lz4_block decompress = NULL;
    LAKE_TRY(lake_codec_symbol(s, LZ4, "LZ4_decompress_safe", &decompress, err));
    LAKE_TRY(lake_codec_plausible("lz4", &room, in.len, 256, err));
    size_t most = in.len > room.limit / 256 ? room.limit : in.len * 256;
    size_t cap = lake_codec_first_cap(&room, out, in.len < room.limit / 4 ? in.len * 4 : room.limit);
    while (!lz4_append(decompress, in, cap, out)) {
        if (out->failed)
            return lake_fail_memory(err);
        if (room.exact || cap >= most) /* the library does not tell damage from lack of room */
            return lake_codec_bad("lz4", "damaged, or not of the size stated", err);
        cap = cap > most / 2 ? most : cap * 2;
    }
    return LAKE_OK;
}

static uint32_t be32(const uint8_t *p) {
    return __builtin_bswap32(lake_get_le32(p));
}

/* Hadoop's framing: {decoded length, {length, raw block}…}…, lengths big-endian. False if the input is not that. */
static bool lz4_hadoop_frames(lz4_block decompress, lake_bytes in, const lake_codec_room *room, lake_buffer *out) {
    lake_cursor c = lake_cursor_of(in.ptr, in.len, 0);
    lake_bytes head, block;
    while (lake_cursor_left(&c)) {
        if (!lake_cursor_take(&c, 4, &head))
            return false;
        size_t left = be32(head.ptr);
        if (left > room->limit - out->len || (room->exact && left > room->size - out->len))
            return false;
        while (left) {
            size_t before = out->len;
            if (!lake_cursor_take(&c, 4, &head) || !lake_cursor_take(&c, be32(head.ptr), &block) ||
                left / 256 > block.len + (lake_cursor_left(&c)) || !lz4_append(decompress, block, left, out))
                return false;
            left -= out->len - before;
            if (!block.len)
                return false;
        }
    }
    return !room->exact || out->len == room->size;
}

/* The LZ4 frame format, which some old writers used. */
static lake_status lz4_frame(
    lake_codec_scratch *s, lake_bytes in, const lake_codec_room *room, lake_buffer *out, lake_error *err) {
    size_t (*make)(void **, unsigned) = NULL;
    size_t (*decode)(void *, void *, size_t *, const void *, size_t *, const void *) = NULL;
    size_t (*discard)(void *) = NULL;
    unsigned (*is_error)(size_t) = NULL;
    LAKE_TRY(lake_codec_symbol(s, LZ4, "LZ4F_createDecompressionContext", &make, err));
    LAKE_TRY(lake_codec_symbol(s, LZ4, "LZ4F_decompress", &decode, err));
    LAKE_TRY(lake_codec_symbol(s, LZ4, "LZ4F_freeDecompressionContext", &discard, err));
    LAKE_TRY(lake_codec_symbol(s, LZ4, "LZ4F_isError", &is_error, err));
    LAKE_TRY(lake_codec_plausible("lz4", room, in.len, 256, err));
    void *ctx;
    if (is_error(make(&ctx, 100)))
        return lake_fail_memory(err);
    lake_status st = LAKE_OK;
    size_t want = 1, cap = lake_codec_first_cap(room, out, in.len);
    while (st == LAKE_OK && want) {
        if (out->len == cap && (st = lake_codec_more("lz4", room, &cap, err)) != LAKE_OK)
            break;
        if ((st = lake_codec_grow(out, cap, err)) != LAKE_OK)
            break;
        size_t got = cap - out->len, used = in.len;
        want = decode(ctx, out->data + out->len, &got, in.ptr, &used, NULL);
        if (is_error(want) || (!got && !used))
            st = lake_codec_bad("lz4", "the frame is damaged or ends early", err);
        out->len += got;
        in.ptr += used;
        in.len -= used;
    }
    discard(ctx);
    return st;
}

lake_status lake_codec_unlz4_hadoop(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err) {
    lz4_block decompress = NULL;
    LAKE_TRY(lake_codec_symbol(s, LZ4, "LZ4_decompress_safe", &decompress, err));
    if (in.len >= 4 && lake_get_le32(in.ptr) == 0x184d2204u)
        return lz4_frame(s, in, &room, out, err);
    if (lz4_hadoop_frames(decompress, in, &room, out))
        return LAKE_OK;
    if (out->failed)
        return lake_fail_memory(err);
    lake_buffer_reset(out);
    return lake_codec_unlz4(s, in, room, out, err);
}

/* ---- brotli */

lake_status lake_codec_unbrotli(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err) {
    void *(*make)(void *, void *, void *) = NULL;
    int (*decode)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *) = NULL;
    void (*discard)(void *) = NULL;
    LAKE_TRY(lake_codec_symbol(s, BROTLI, "BrotliDecoderCreateInstance", &make, err));
    LAKE_TRY(lake_codec_symbol(s, BROTLI, "BrotliDecoderDecompressStream", &decode, err));
    LAKE_TRY(lake_codec_symbol(s, BROTLI, "BrotliDecoderDestroyInstance", &discard, err));
    void *state = make(NULL, NULL, NULL);
    if (!state)
        return lake_fail_memory(err);
    lake_status st = LAKE_OK;
    enum { BAD, DONE, NEEDS_INPUT, NEEDS_OUTPUT } result = NEEDS_OUTPUT;
    /* A small piece may claim to become anything: begin with little and grow. */
    size_t cap = room.size > in.len * 64 + 65536 ? in.len * 64 + 65536 : lake_codec_first_cap(&room, out, in.len * 4);
    lake_codec_room grow = {room.size, room.exact ? room.size : room.limit, false};
    while (result == NEEDS_OUTPUT) {
        if ((st = lake_codec_grow(out, cap, err)) != LAKE_OK)
            break;
        size_t left = cap - out->len;
        uint8_t *to = out->data + out->len;
        result = decode(state, &in.len, &in.ptr, &left, &to, NULL);
        out->len = cap - left;
        if (result == BAD || result == NEEDS_INPUT)
            st = lake_codec_bad("brotli", "the stream is damaged or ends early", err);
        else if (result == NEEDS_OUTPUT &&
            (st = lake_codec_more("brotli", cap >= room.size ? &room : &grow, &cap, err)) != LAKE_OK)
            break;
    }
    discard(state);
    return st;
}

/* ---- bzip2 */

typedef struct bz_stream_head {
    char *next_in;
    unsigned avail_in, total_in_lo, total_in_hi;
    char *next_out;
    unsigned avail_out, total_out_lo, total_out_hi;
    void *state, *(*alloc)(void *, int, int);
    void (*release)(void *, void *);
    void *opaque;
} bz_stream_head;

typedef struct bz_calls {
    int (*begin)(bz_stream_head *, int, int);
    int (*decode)(bz_stream_head *);
    int (*end)(bz_stream_head *);
} bz_calls;

static lake_status bz_stream_decode(
    const bz_calls *bz, lake_bytes *in, const lake_codec_room *room, size_t *cap, lake_buffer *out, lake_error *err) {
    enum { OK = 0, STREAM_END = 4, MEMORY = -3 };
    bz_stream_head z = {.next_in = (char *)(uintptr_t)in->ptr, .avail_in = (unsigned)in->len};
    if (bz->begin(&z, 0, 0) != OK)
        return lake_fail_memory(err);
    lake_codec_room grow = {room->size, room->exact ? room->size : room->limit, false};
    lake_status st = LAKE_OK;
    for (int r = OK; st == LAKE_OK && r != STREAM_END;) {
        if (out->len == *cap && (st = lake_codec_more("bzip2", *cap >= room->size ? room : &grow, cap, err)) != LAKE_OK)
            break;
        if ((st = lake_codec_grow(out, *cap, err)) != LAKE_OK)
            break;
        size_t left = *cap - out->len;
        unsigned give = left > 1u << 30 ? 1u << 30 : (unsigned)left, in_before = z.avail_in;
        z.next_out = (char *)out->data + out->len;
        z.avail_out = give;
        r = bz->decode(&z);
        out->len += give - z.avail_out;
        if (r == MEMORY)
            st = lake_fail_memory(err);
        else if (r != STREAM_END && (r != OK || (z.avail_out == give && z.avail_in == in_before)))
            st = lake_codec_bad("bzip2", "the stream is damaged or ends early", err);
        else if (r == OK && !z.avail_in && z.avail_out)
            st = lake_codec_bad("bzip2", "the stream ends early", err);
    }
    in->ptr += in->len - z.avail_in;
    in->len = z.avail_in;
    bz->end(&z);
    return st;
}

lake_status lake_codec_unbzip2(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err) {
    bz_calls bz = {0};
    LAKE_TRY(lake_codec_symbol(s, BZIP2, "BZ2_bzDecompressInit", &bz.begin, err));
    LAKE_TRY(lake_codec_symbol(s, BZIP2, "BZ2_bzDecompress", &bz.decode, err));
    LAKE_TRY(lake_codec_symbol(s, BZIP2, "BZ2_bzDecompressEnd", &bz.end, err));
    if (in.len > UINT32_MAX)
        return lake_fail(err, LAKE_ERR_LIMIT, "bzip2 data: a block beyond 4 GiB");
    size_t cap = in.len * 64 + 65536; /* a size stated is not believed before the data shows it */
    if (room.exact && cap > room.size)
        cap = room.size ? room.size : 1;
    if (cap > room.limit)
        cap = room.limit;
    do
        LAKE_TRY(bz_stream_decode(&bz, &in, &room, &cap, out, err));
    while (in.len >= 3 && memcmp(in.ptr, "BZh", 3) == 0);
    return LAKE_OK;
}

/* ---- xz: whole streams, again with more room if it was too little */

lake_status lake_codec_unxz(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err) {
    enum { OK = 0, MEMORY = 5, MEMORY_LIMIT = 6, NO_ROOM = 10, MOST_MEMORY = 68 << 20 /* level 9 takes 65 MiB */ };
    int (*decode)(uint64_t *, uint32_t, const void *, const uint8_t *, size_t *, size_t, uint8_t *, size_t *, size_t) =
        NULL;
    LAKE_TRY(lake_codec_symbol(s, XZ, "lzma_stream_buffer_decode", &decode, err));
    size_t cap = in.len * 64 + 65536; /* a size stated is not believed before the data shows it */
    if (room.exact && cap > room.size)
        cap = room.size ? room.size : 1;
    if (cap > room.limit)
        cap = room.limit;
    for (;;) {
        uint64_t memory = MOST_MEMORY;
        size_t from = 0, to = 0;
        LAKE_TRY(lake_codec_grow(out, cap, err));
        int r = decode(&memory, 0, NULL, in.ptr, &from, in.len, out->data, &to, cap);
        if (r == OK && from == in.len) {
            out->len = to;
            return LAKE_OK;
        }
        if (r == MEMORY)
            return lake_fail_memory(err);
        if (r == MEMORY_LIMIT)
            return lake_fail(err, LAKE_ERR_LIMIT, "xz data: its dictionary is larger than 64 MiB");
        if (r != NO_ROOM)
            return lake_codec_bad("xz", "the stream is damaged or ends early", err);
        lake_codec_room grow = {room.size, room.exact ? room.size : room.limit, false};
        LAKE_TRY(lake_codec_more("xz", cap >= room.size ? &room : &grow, &cap, err));
    }
}
