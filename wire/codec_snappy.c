/* snappy's raw format (format_description.txt of the snappy project): literals and copies. The fast loop works where
   there is room to copy more than is asked for; it is what makes statistics of snappy files quick. */
#include "wire/codec_block.h"
#include "wire/codec_priv.h"

/* What the fast loop may read and write beyond an element. */
enum { IN_MARGIN = 80, OUT_MARGIN = 80 };

static inline void copy16(uint8_t *to, const uint8_t *from) {
    uint8_t b[16];
    memcpy(b, from, 16);
    memcpy(to, b, 16);
}

static inline void copy8(uint8_t *to, const uint8_t *from) {
    uint64_t b;
    memcpy(&b, from, 8);
    memcpy(to, &b, 8);
}

/* A copy of 1 to 64 bytes from less than 16 bytes back: a pattern. What was written makes the next step longer; up to
   72 may be written. */
static void pattern(uint8_t *out, size_t offset, size_t len) {
    const uint8_t *from = out - offset;
    uint8_t *end = out + len;
    while (offset < 8) {
        copy8(out, from);
        if (offset >= (size_t)(end - out))
            return;
        out += offset;
        offset *= 2;
    }
    for (; out < end; out += 8, from += 8)
        copy8(out, from);
}

/* Of each copy's tag: its length, the high bits of its offset, the bytes that follow. */
typedef struct shape {
    uint8_t len, more;
    uint16_t high;
} shape;

static inline shape shape_of(unsigned tag) {
    if ((tag & 3) == 1)
        return (shape){(uint8_t)(4 + (tag >> 2 & 7)), 1, (uint16_t)(tag >> 5 << 8)};
    return (shape){(uint8_t)((tag >> 2) + 1), (tag & 3) == 2 ? 2 : 4, 0};
}

static const uint32_t masks[5] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff};

/* What each tag says, looked up: length, bytes of the element in the input, high byte of the offset. A long literal has
   the length 0. */
#define LEN(t) (((t)&3) == 1 ? 4 + ((t) >> 2 & 7) : ((t)&3) == 0 && ((t) >> 2) >= 60 ? 0 : 1 + ((t) >> 2))
#define MOVE(t) (((t)&3) == 0 ? 2 + ((t) >> 2) : ((t)&3) == 3 ? 5 : 1 + ((t)&3))
#define E1(t) (LEN(t) | MOVE(t) << 8 | (((t)&3) == 1 ? (t) >> 5 : 0) << 24)
#define E4(t) E1(t), E1((t) + 1), E1((t) + 2), E1((t) + 3)
#define E16(t) E4(t), E4((t) + 4), E4((t) + 8), E4((t) + 12)
#define E64(t) E16(t), E16((t) + 16), E16((t) + 32), E16((t) + 48)
static const uint32_t tags[256] = {E64(0), E64(64), E64(128), E64(192)};

/* Goes on as long as there is room on both sides. Literals and copies are one code path without branches, since which
   comes next cannot be predicted: only where the bytes come from and how far the input moves differs. */
static lake_block_end fast(lake_block *s, lake_block_io *io) {
    static const uint32_t offsets[4] = {0, 0xff, 0xffff, 0xffffffff};
    const uint8_t *in = io->in, *in_safe = io->in_end - IN_MARGIN;
    uint8_t *out = io->out, *out_safe = io->out_end - OUT_MARGIN;
    const uintptr_t base = (uintptr_t)io->base;
    lake_block_end end = LAKE_BLOCK_INPUT;
    while (in < in_safe && out < out_safe) {
        uint32_t tag = *in, entry = tags[tag], word = lake_get_le32(in + 1);
        size_t len = entry & 255, offset = (entry >> 16) + (word & offsets[tag & 3]);
        uintptr_t literal = (uintptr_t)(in + 1), back = (uintptr_t)out - offset;
        uintptr_t which = -(uintptr_t)((tag & 3) == 0);
        /* A literal lies as far off as need be. */
        size_t distance = offset | (which & 64), room = (uintptr_t)out - base;
        if (__builtin_expect(distance < 16 || offset > room || !len, 0)) {
            if (!len) {
                size_t more = (tag >> 2) - 59;
                s->literal = (size_t)(word & masks[more]) + 1;
                in += 1 + more;
                break;
            }
            if (!offset || offset > room) {
                end = offset ? LAKE_BLOCK_FAR : LAKE_BLOCK_DAMAGED;
                break;
            }
            pattern(out, offset, len);
        } else {
            const uint8_t *from = (const uint8_t *)(back ^ ((back ^ literal) & which));
            copy16(out, from);
            copy16(out + 16, from + 16);
            if (len > 32) {
                copy16(out + 32, from + 32);
                copy16(out + 48, from + 48);
            }
        }
        out += len;
        in += entry >> 8 & 255;
    }
    io->in = in;
    io->out = out;
    return end;
}

/* The head of the next element, at the ends of input and output. False: it is not there as a whole. */
static bool head(lake_block *s, lake_block_io *io, lake_block_end *end) {
    size_t there = (size_t)(io->in_end - io->in);
    *end = io->last && there ? LAKE_BLOCK_DAMAGED : LAKE_BLOCK_INPUT;
    if (!there)
        return false;
    uint8_t b[5] = {0};
    memcpy(b, io->in, there < sizeof b ? there : sizeof b);
    size_t len = (b[0] >> 2) + 1u, more;
    if ((b[0] & 3) == 0) {
        more = len > 60 ? len - 60 : 0;
        if (there < 1 + more)
            return false;
        s->literal = more ? (size_t)(lake_get_le32(b + 1) & masks[more]) + 1 : len;
    } else {
        shape c = shape_of(b[0]);
        more = c.more;
        if (there < 1 + more)
            return false;
        s->copy = c.len;
        s->offset = c.high + (size_t)(lake_get_le32(b + 1) & masks[more]);
        *end = s->offset ? LAKE_BLOCK_FAR : LAKE_BLOCK_DAMAGED;
        if (!s->offset || s->offset > (size_t)(io->out - io->base))
            return false;
    }
    io->in += 1 + more;
    return true;
}

lake_block_end lake_snappy_run(lake_block *s, lake_block_io *io) {
    lake_block_end end;
    for (;;) {
        size_t in = (size_t)(io->in_end - io->in), out = (size_t)(io->out_end - io->out);
        if (s->literal) {
            size_t n = s->literal < in ? s->literal : in;
            n = n < out ? n : out;
            if (!n)
                return in ? LAKE_BLOCK_OUTPUT : io->last ? LAKE_BLOCK_DAMAGED : LAKE_BLOCK_INPUT;
            memcpy(io->out, io->in, n);
            io->in += n;
            io->out += n;
            s->literal -= n;
        } else if (s->copy) {
            if (!out)
                return LAKE_BLOCK_OUTPUT;
            for (; s->copy && io->out < io->out_end; s->copy--, io->out++)
                *io->out = *(io->out - s->offset);
        } else if (in > IN_MARGIN && out > OUT_MARGIN) {
            end = fast(s, io);
            if (end != LAKE_BLOCK_INPUT)
                return end;
        } else if (!head(s, io, &end)) {
            return end;
        }
    }
}

lake_status lake_codec_unsnappy(
    lake_codec_scratch *s, lake_bytes in, lake_codec_room room, lake_buffer *out, lake_error *err) {
    lake_cursor c = lake_cursor_of(in.ptr, in.len, 0);
    uint64_t n;
    if (!lake_cursor_varint(&c, &n) || n > UINT32_MAX)
        return lake_codec_bad("snappy", "no length at its beginning", err);
    if (n > room.limit)
        return lake_fail(
            err, LAKE_ERR_LIMIT, "snappy data: %llu bytes stated, the limit is %zu", (unsigned long long)n, room.limit);
    lake_codec_room said = {(size_t)n, room.limit, true};
    LAKE_TRY(lake_codec_plausible("snappy", &said, in.len, 32, err)); /* a copy of 64 bytes takes 3 */
    LAKE_TRY(lake_codec_grow(out, n ? (size_t)n : 1, err));
    lake_block state = {0};
    lake_block_io io = {
        .in = c.at, .in_end = c.end, .base = out->data, .out = out->data, .out_end = out->data + n, .last = true};
    if (lake_snappy_run(&state, &io) != LAKE_BLOCK_INPUT || io.out != io.out_end)
        return lake_codec_bad("snappy", "damaged or ends early", err);
    out->len = (size_t)n;
    return LAKE_OK;
}
