/* snappy and LZ4 blocks piece by piece: decoded into a room that keeps what copies may look back at. LZ4 in Hadoop's
   framing, with the fall-backs that readers know. */
#include "wire/codec_priv.h"
#include "wire/codec_stream_priv.h"

enum { ROOM = 1 << 20, LZ4_FAR = 64 << 10, LEAST_INPUT = 4096 };

static uint32_t be32(const uint8_t *p) {
    return __builtin_bswap32(lake_get_le32(p));
}

static lake_status begin_snappy(lake_codec_stream *s, lake_error *err) {
    uint64_t n;
    lake_cursor c = lake_cursor_of(s->in.ptr, s->in.len, 0);
    if (!lake_cursor_varint(&c, &n))
        return lake_codec_bad("snappy", "no length at its beginning", err);
    if (n != s->size)
        return lake_fail(err, LAKE_ERR_MALFORMED, "snappy data: %llu bytes instead of the %llu stated",
            (unsigned long long)n, (unsigned long long)s->size);
    s->in = (lake_bytes){c.at, lake_cursor_left(&c)};
    return LAKE_OK;
}

lake_status lake_codec_stream_begin_block(lake_codec_stream *s, bool *possible, lake_error *err) {
    LAKE_TRY(lake_codec_stream_fill(s, LEAST_INPUT, err));
    if (s->codec == LAKE_CODEC_LZ4_HADOOP && s->in.len >= 4 && lake_get_le32(s->in.ptr) == 0x184d2204u)
        return lake_codec_stream_begin_frame(s, err);
    s->hadoop = s->codec == LAKE_CODEC_LZ4_HADOOP && s->in.len > 8 && be32(s->in.ptr) <= s->size &&
        be32(s->in.ptr + 4) <= s->in.len - 8 + s->left;
    if (!lake_buffer_reserve(&s->room, ROOM))
        return lake_fail_memory(err);
    return s->codec == LAKE_CODEC_SNAPPY ? begin_snappy(s, err) : LAKE_OK;
}

/* Hadoop's framing: {decoded length, {length, raw block}…}…, lengths big-endian. *more false: no block is left. */
static lake_status next_block(lake_codec_stream *s, bool *more, lake_error *err) {
    *more = false;
    if (s->block_left)
        return lake_codec_bad("lz4", "a block is longer than its frame", err);
    s->block = (lake_block){0};
    LAKE_TRY(lake_codec_stream_fill(s, 8, err));
    if (!s->in.len)
        return LAKE_OK;
    size_t head = s->frame_left ? 4 : 8;
    if (s->in.len < head)
        return lake_codec_bad("lz4", "the head of a block is not whole", err);
    if (!s->frame_left)
        s->frame_left = be32(s->in.ptr);
    s->block_left = be32(s->in.ptr + head - 4);
    s->in.ptr += head;
    s->in.len -= head;
    if (s->block_left > s->in.len + s->left)
        return lake_codec_bad("lz4", "a block reaches beyond the data", err);
    *more = s->block_left > 0;
    return *more ? LAKE_OK : lake_codec_bad("lz4", "a block without bytes", err);
}

/* Keeps what may be looked back at, at the room's beginning. */
static void slide(lake_codec_stream *s) {
    size_t far = s->codec == LAKE_CODEC_SNAPPY ? LAKE_STREAM_SNAPPY_FAR : LZ4_FAR;
    if (s->room.len <= far)
        return;
    memmove(s->room.data, s->room.data + s->room.len - far, far);
    s->room.len = s->taken = far;
}

/* Decodes the next part of a block; *end: it needs more input than there is. */
static lake_status decode(lake_codec_stream *s, bool *end, lake_error *err) {
    const char *name = lake_codec_name(s->codec);
    size_t have = s->in.len, whole = s->hadoop && s->block_left < have ? (size_t)s->block_left : have;
    lake_block_io io = {.in = s->in.ptr,
        .in_end = s->in.ptr + whole,
        .base = s->room.data,
        .out = s->room.data + s->room.len,
        .out_end = s->room.data + s->room.cap,
        .last = s->hadoop ? whole == s->block_left : !s->left};
    uint64_t most = s->hadoop ? s->frame_left : s->size - s->decoded;
    if ((uint64_t)(io.out_end - io.out) > most)
        io.out_end = io.out + most;
    lake_block_end r = s->codec == LAKE_CODEC_SNAPPY ? lake_snappy_run(&s->block, &io) : lake_lz4_run(&s->block, &io);
    size_t used = (size_t)(io.in - s->in.ptr), made = (size_t)(io.out - s->room.data) - s->room.len;
    s->in.ptr += used;
    s->in.len -= used;
    s->room.len += made;
    s->decoded += made;
    if (s->hadoop) {
        s->frame_left -= made;
        s->block_left -= used;
    }
    if (r == LAKE_BLOCK_DAMAGED)
        return lake_codec_bad(name, "damaged or ends early", err);
    if (r == LAKE_BLOCK_FAR)
        return s->decoded <= s->room.len
            ? lake_codec_bad(name, "a copy from before the beginning", err)
            : lake_fail(err, LAKE_ERR_LIMIT,
                  "%s data: a copy from more than %d bytes back, in a block too large to hold", name,
                  (int)LAKE_STREAM_SNAPPY_FAR);
    if (r == LAKE_BLOCK_OUTPUT && !made && most == 0)
        return lake_codec_bad(name, "longer than the size stated", err);
    *end = r == LAKE_BLOCK_INPUT && io.last;
    if (used || made || io.last || r != LAKE_BLOCK_INPUT)
        return LAKE_OK;
    /* The length of a literal that takes more bytes than were read. */
    if (s->in.len > ROOM)
        return lake_fail(err, LAKE_ERR_LIMIT, "%s data: a literal of more than 256 MiB", name);
    return lake_codec_stream_fill(s, s->in.len + 1, err);
}

lake_status lake_codec_stream_unblock(lake_codec_stream *s, uint8_t *to, size_t n, size_t *got, lake_error *err) {
    if (s->frame)
        return lake_codec_stream_unframe(s, to, n, got, err);
    while (s->taken == s->room.len && !s->ended) {
        bool end = false, more;
        if (s->hadoop && !s->block_left && !s->block.copy) {
            LAKE_TRY(next_block(s, &more, err));
            if (!more) {
                s->ended = true;
                break;
            }
        }
        if (s->room.len == s->room.cap)
            slide(s);
        LAKE_TRY(lake_codec_stream_fill(s, LEAST_INPUT, err));
        LAKE_TRY(decode(s, &end, err));
        if (end && !s->hadoop)
            s->ended = true;
    }
    *got = s->room.len - s->taken;
    *got = *got < n ? *got : n;
    if (*got)
        memcpy(to, s->room.data + s->taken, *got);
    s->taken += *got;
    return LAKE_OK;
}
