/* LZ4's block format (lz4_Block_format.md of the LZ4 project), for blocks that are decoded piece by piece; whole ones
   are the library's. */
#include "wire/codec_block.h"

/* A length: a nibble, and bytes that are added while they are 255. False: the bytes end before it does. */
static bool length(const uint8_t **at, const uint8_t *end, size_t nibble, size_t *out) {
    const uint8_t *p = *at;
    size_t n = nibble;
    if (nibble == 15) {
        do {
            if (p == end)
                return false;
            n += *p;
        } while (*p++ == 255);
    }
    *at = p;
    *out = n;
    return true;
}

/* The head of a sequence: the token and the literal's length. */
static bool sequence(lake_block *s, lake_block_io *io) {
    const uint8_t *p = io->in;
    if (p == io->in_end)
        return false;
    uint8_t token = *p++;
    if (!length(&p, io->in_end, token >> 4, &s->literal))
        return false;
    s->match = token & 15;
    s->has_match = true;
    io->in = p;
    return true;
}

/* Behind the literals: how far back, and how long. */
static bool match(lake_block *s, lake_block_io *io) {
    const uint8_t *p = io->in;
    size_t len;
    if (io->in_end - p < 2)
        return false;
    size_t offset = lake_get_le16(p);
    p += 2;
    if (!length(&p, io->in_end, s->match, &len))
        return false;
    s->offset = offset;
    s->copy = len + 4;
    s->has_match = false;
    io->in = p;
    return true;
}

static void copy(lake_block *s, lake_block_io *io) {
    size_t room = (size_t)(io->out_end - io->out), n = s->copy < room ? s->copy : room;
    s->copy -= n;
    if (s->offset >= n) {
        memcpy(io->out, io->out - s->offset, n);
        io->out += n;
        return;
    }
    for (; n; n--, io->out++)
        *io->out = *(io->out - s->offset);
}

lake_block_end lake_lz4_run(lake_block *s, lake_block_io *io) {
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
            if (!s->offset || s->offset > (size_t)(io->out - io->base))
                return s->offset ? LAKE_BLOCK_FAR : LAKE_BLOCK_DAMAGED;
            copy(s, io);
        } else if (s->has_match) {
            if (!in && io->last) /* the last sequence has literals only */
                return LAKE_BLOCK_INPUT;
            if (!match(s, io))
                return io->last ? LAKE_BLOCK_DAMAGED : LAKE_BLOCK_INPUT;
        } else if (!sequence(s, io)) {
            return io->last && in ? LAKE_BLOCK_DAMAGED : LAKE_BLOCK_INPUT;
        }
    }
}
