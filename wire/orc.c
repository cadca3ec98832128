/* ORC tails: chunks of the footer decompressed, messages decoded, types checked to be a tree. The one file that knows
   protobuf-c; its allocations come from an arena with a limit. */
#include "wire/orc.h"

#include <dlfcn.h>

#include "wire/orc.pb-c.h"

enum { CHUNK_HEAD = 3, DEFAULT_BLOCK = 256 << 10, MAX_BLOCK = 8 << 20, MESSAGES = 48 << 20 };

static lake_status bad(lake_error *err, const char *why) {
    return lake_fail(err, LAKE_ERR_MALFORMED, "ORC footer: %s", why);
}

/* ---- the library */

static void *take_memory(void *arena, size_t n) {
    return lake_arena_alloc(arena, n);
}
static void keep_memory(void *arena, void *p) {} /* the arena is cleared as a whole */

typedef ProtobufCMessage *(*unpack_message)(
    const ProtobufCMessageDescriptor *, ProtobufCAllocator *, size_t, const uint8_t *);

/* Decodes a message into the arena, whose limit is the only bound that the library knows. */
static lake_status unpack(lake_arena *arena, const ProtobufCMessageDescriptor *type, lake_bytes in, void *out,
    const char *what, lake_error *err) {
    static const char soname[] = "libprotobuf-c.so.1";
    void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *found = library ? dlsym(library, "protobuf_c_message_unpack") : NULL;
    if (!found) {
        if (library)
            dlclose(library);
        return lake_fail(err, LAKE_ERR_UNSUPPORTED,
            "%s cannot be loaded (Debian package libprotobuf-c1): it is needed for ORC files", soname);
    }
    unpack_message call;
    memcpy(&call, &found, sizeof call);
    ProtobufCAllocator allocator = {take_memory, keep_memory, arena};
    ProtobufCMessage *message = call(type, &allocator, in.len, in.ptr);
    dlclose(library);
    if (!message)
        return lake_fail(err, LAKE_ERR_MALFORMED, "ORC %s: its message is damaged, or larger than %d MiB when decoded",
            what, MESSAGES >> 20);
    memcpy(out, &message, sizeof message);
    return LAKE_OK;
}

/* ---- the postscript */

static lake_status pick_codec(int32_t kind, lake_codec *out, lake_error *err) {
    static const lake_codec codecs[] = {LAKE_CODEC_NONE, LAKE_CODEC_DEFLATE, LAKE_CODEC_SNAPPY, LAKE_CODEC_NONE,
        LAKE_CODEC_LZ4_RAW, LAKE_CODEC_ZSTD, LAKE_CODEC_BROTLI};
    if (kind == 3)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "ORC postscript: the codec LZO is not supported");
    if (kind < 0 || (size_t)kind >= sizeof codecs / sizeof *codecs)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "ORC postscript: compression kind %d is not known", (int)kind);
    *out = codecs[kind];
    return LAKE_OK;
}

static lake_status check_postscript(
    const LakeOrc__Postscript *p, uint64_t size, lake_orc_postscript *out, lake_error *err) {
    if (p->has_magic && !(p->magic.len == 3 && memcmp(p->magic.data, "ORC", 3) == 0))
        return lake_fail(err, LAKE_ERR_MALFORMED, "ORC postscript: its magic is not \"ORC\"");
    out->footer_length = p->footer_length;
    if (p->footer_length > size - out->length)
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "ORC postscript: a footer of %llu bytes is announced, the file has %llu",
            (unsigned long long)p->footer_length, (unsigned long long)size);
    if (p->footer_length > LAKE_ORC_MAX_FOOTER)
        return lake_fail(err, LAKE_ERR_LIMIT, "ORC postscript: a footer of %llu bytes, at most %d are read",
            (unsigned long long)p->footer_length, LAKE_ORC_MAX_FOOTER);
    uint64_t block = p->has_compression_block_size ? p->compression_block_size : DEFAULT_BLOCK;
    out->block = block > MAX_BLOCK ? MAX_BLOCK : (size_t)block;
    out->writer_version = p->has_writer_version ? p->writer_version : 0;
    return pick_codec(p->has_compression ? p->compression : 0, &out->codec, err);
}

lake_status lake_orc_postscript_read(lake_bytes end, uint64_t size, lake_orc_postscript *out, lake_error *err) {
    *out = (lake_orc_postscript){0};
    size_t n = end.len ? end.ptr[end.len - 1] : 0;
    if (n == 0 || n + 1 > end.len)
        return lake_fail_at(err, LAKE_ERR_MALFORMED, (int64_t)size,
            "not an ORC file, or a torn one: it has %llu bytes, and the last announces a postscript of %zu",
            (unsigned long long)size, n);
    out->length = n + 1;
    lake_arena arena;
    lake_arena_init(&arena, MESSAGES);
    LakeOrc__Postscript *p;
    lake_status st = unpack(
        &arena, &lake_orc__postscript__descriptor, (lake_bytes){end.ptr + end.len - 1 - n, n}, &p, "postscript", err);
    if (st == LAKE_OK)
        st = check_postscript(p, size, out, err);
    lake_arena_clear(&arena);
    return st;
}

/* ---- chunks */

static lake_status decode_chunks(
    const lake_orc_postscript *ps, lake_codec_scratch *codec, lake_bytes stored, lake_buffer *out, lake_error *err) {
    lake_cursor c = lake_cursor_of(stored.ptr, stored.len, 0);
    lake_buffer piece;
    lake_buffer_init(&piece);
    lake_status st = LAKE_OK;
    while (st == LAKE_OK && lake_cursor_left(&c)) {
        lake_bytes head, body;
        int64_t at = lake_cursor_offset(&c);
        bool whole = lake_cursor_take(&c, CHUNK_HEAD, &head);
        uint32_t v = whole ? (uint32_t)head.ptr[0] | (uint32_t)head.ptr[1] << 8 | (uint32_t)head.ptr[2] << 16 : 0;
        if (!whole || !lake_cursor_take(&c, v >> 1, &body))
            st = lake_fail_at(err, LAKE_ERR_MALFORMED, at, "ORC footer: torn chunk at its byte %lld", (long long)at);
        else if (v & 1)
            lake_buffer_put(out, body.ptr, body.len);
        else if ((st = lake_codec_decode(codec, ps->codec, body, 0, false, ps->block, &piece, err)) == LAKE_OK)
            lake_buffer_str(out, lake_buffer_view(&piece));
        else
            lake_wrap(err, st, "ORC footer: chunk at its byte %lld", (long long)at);
        if (st == LAKE_OK && out->len > LAKE_ORC_MAX_FOOTER)
            st = lake_fail(err, LAKE_ERR_LIMIT, "ORC footer: more than %d decoded bytes", LAKE_ORC_MAX_FOOTER);
        if (st == LAKE_OK)
            st = lake_buffer_check(out, err);
    }
    lake_buffer_clear(&piece);
    return st;
}

/* ---- the footer */

typedef struct reading {
    lake_arena *arena;
    const LakeOrc__Footer *from;
    lake_orc_footer *out;
    lake_error *err;
} reading;

static bool copy(lake_arena *arena, protobuf_c_boolean has, ProtobufCBinaryData from, lake_bytes *out) {
    if (!has)
        return true;
    *out = lake_arena_bytes(arena, from.data, from.len);
    return out->ptr != NULL;
}

static lake_status read_attributes(reading *r, const LakeOrc__Type *from, lake_orc_type *t) {
    lake_str *list = LAKE_ARENA_ARRAY(r->arena, lake_str, 2 * from->n_attributes + 1);
    if (!list)
        return lake_fail_memory(r->err);
    t->attributes = list;
    t->nattributes = from->n_attributes;
    for (size_t i = 0; i < from->n_attributes; i++) {
        const LakeOrc__Attribute *a = from->attributes[i];
        lake_bytes name = {NULL, 0}, value = {NULL, 0};
        if (!copy(r->arena, a->has_key, a->key, &name) || !copy(r->arena, a->has_value, a->value, &value))
            return lake_fail_memory(r->err);
        list[2 * i] = lake_text_of(name);
        list[2 * i + 1] = lake_text_of(value);
    }
    return LAKE_OK;
}

/* Subtypes come later and only once, so that types are a tree. */
static lake_status read_subtypes(
    reading *r, size_t number, const LakeOrc__Type *from, lake_orc_type *t, uint8_t *depth) {
    size_t n = from->n_subtypes, total = r->from->n_types;
    uint32_t *list = LAKE_ARENA_ARRAY(r->arena, uint32_t, n + 1);
    lake_str *names = LAKE_ARENA_ARRAY(r->arena, lake_str, n + 1);
    if (!list || !names)
        return lake_fail_memory(r->err);
    t->subtypes = list;
    t->nsubtypes = n;
    t->names = names;
    if (t->kind == LAKE_ORC_STRUCT && from->n_field_names != n)
        return bad(r->err, "a struct has not as many names as fields");
    if ((t->kind == LAKE_ORC_LIST && n != 1) || (t->kind == LAKE_ORC_MAP && n != 2))
        return bad(r->err, "a list without an element, or a map without key and value");
    for (size_t i = 0; i < n; i++) {
        uint32_t sub = list[i] = from->subtypes[i];
        if (sub <= number || sub >= total || depth[sub])
            return bad(r->err, "types that refer to each other wrongly");
        if (depth[number] >= LAKE_ORC_MAX_DEPTH)
            return lake_fail(r->err, LAKE_ERR_LIMIT, "ORC footer: types nested deeper than %d", LAKE_ORC_MAX_DEPTH);
        depth[sub] = (uint8_t)(depth[number] + 1);
        lake_bytes name = {(const uint8_t *)"", 0};
        if (t->kind == LAKE_ORC_STRUCT && !copy(r->arena, 1, from->field_names[i], &name))
            return lake_fail_memory(r->err);
        names[i] = lake_text_of(name);
    }
    return LAKE_OK;
}

static lake_status read_types(reading *r) {
    size_t n = r->from->n_types;
    lake_orc_type *types = LAKE_ARENA_ARRAY(r->arena, lake_orc_type, n + 1);
    uint8_t *depth = lake_arena_zalloc(r->arena, n + 1, 1); /* 0: not met yet */
    if (!types || !depth)
        return lake_fail_memory(r->err);
    if (!n)
        return bad(r->err, "it has no types");
    depth[0] = 1;
    for (size_t i = 0; i < n; i++) {
        const LakeOrc__Type *from = r->from->types[i];
        int32_t kind = from->has_kind ? from->kind : 0;
        if (kind < 0 || kind >= LAKE_ORC_KINDS)
            return lake_fail(r->err, LAKE_ERR_UNSUPPORTED, "ORC footer: type kind %d is not known", (int)kind);
        types[i].kind = (lake_orc_kind)kind;
        types[i].precision = from->precision;
        types[i].scale = from->scale;
        LAKE_TRY(read_attributes(r, from, &types[i]));
        LAKE_TRY(read_subtypes(r, i, from, &types[i], depth));
    }
    r->out->types = types;
    r->out->ntypes = n;
    return LAKE_OK;
}

static lake_status read_stripes(reading *r) {
    size_t n = r->from->n_stripes;
    lake_orc_stripe *stripes = LAKE_ARENA_ARRAY(r->arena, lake_orc_stripe, n + 1);
    if (!stripes)
        return lake_fail_memory(r->err);
    uint64_t rows = 0;
    for (size_t i = 0; i < n; i++) {
        const LakeOrc__Stripe *s = r->from->stripes[i];
        stripes[i] = (lake_orc_stripe){s->offset, s->number_of_rows};
        if (__builtin_add_overflow(rows, s->number_of_rows, &rows))
            return bad(r->err, "the stripes have more than 2^64 rows");
    }
    if (!r->from->has_number_of_rows || r->from->number_of_rows > INT64_MAX || rows != r->from->number_of_rows)
        return lake_fail(r->err, LAKE_ERR_MALFORMED, "ORC footer: it states %llu rows, its stripes have %llu",
            (unsigned long long)r->from->number_of_rows, (unsigned long long)rows);
    r->out->rows = rows;
    r->out->stripes = stripes;
    r->out->nstripes = n;
    return LAKE_OK;
}

static int64_t count_of(protobuf_c_boolean has, uint64_t v) {
    return has && v <= INT64_MAX ? (int64_t)v : -1;
}

static bool read_texts(lake_arena *arena, const LakeOrc__ColumnStatistics *from, lake_orc_statistics *s) {
    const LakeOrc__Text *t = from->text;
    const LakeOrc__Decimal *d = from->decimal;
    lake_bytes lo = {NULL, 0}, hi = {NULL, 0};
    bool ok = !t ||
        (copy(arena, t->has_minimum, t->minimum, &s->text_min) &&
            copy(arena, t->has_maximum, t->maximum, &s->text_max) &&
            copy(arena, t->has_lower_bound, t->lower_bound, &s->text_lower) &&
            copy(arena, t->has_upper_bound, t->upper_bound, &s->text_upper));
    ok = ok && (!d || (copy(arena, d->has_minimum, d->minimum, &lo) && copy(arena, d->has_maximum, d->maximum, &hi)));
    s->decimal_min = lake_text_of(lo);
    s->decimal_max = lake_text_of(hi);
    return ok;
}

static void read_numbers(const LakeOrc__ColumnStatistics *from, lake_orc_statistics *s) {
    const LakeOrc__Whole *w = from->whole;
    const LakeOrc__Real *d = from->real;
    const LakeOrc__Days *days = from->days;
    const LakeOrc__Instant *t = from->instant;
    if (w && w->has_minimum && w->has_maximum) {
        s->has_whole = true;
        s->min = w->minimum;
        s->max = w->maximum;
    }
    if (d && d->has_minimum && d->has_maximum) {
        s->has_real = true;
        s->real_min = d->minimum;
        s->real_max = d->maximum;
        s->has_sum = d->has_sum;
        s->sum = d->sum;
    }
    if (days && days->has_minimum && days->has_maximum) {
        s->has_days = true;
        s->day_min = days->minimum;
        s->day_max = days->maximum;
    }
    if (t && t->has_minimum_utc && t->has_maximum_utc) {
        s->has_instant = true;
        s->instant_min = t->minimum_utc;
        s->instant_max = t->maximum_utc;
        s->nanos_min = t->has_minimum_nanos ? t->minimum_nanos : 0;
        s->nanos_max = t->has_maximum_nanos ? t->maximum_nanos : 0;
    }
}

static lake_status read_statistics(reading *r) {
    size_t n = r->from->n_statistics;
    lake_orc_statistics *list = LAKE_ARENA_ARRAY(r->arena, lake_orc_statistics, n + 1);
    if (!list)
        return lake_fail_memory(r->err);
    for (size_t i = 0; i < n; i++) {
        const LakeOrc__ColumnStatistics *from = r->from->statistics[i];
        lake_orc_statistics *s = &list[i];
        s->values = count_of(from->has_number_of_values, from->number_of_values);
        s->bytes_on_disk = count_of(from->has_bytes_on_disk, from->bytes_on_disk);
        s->has_null = from->has_has_null ? from->has_null != 0 : -1;
        read_numbers(from, s);
        size_t nbuckets = from->buckets ? from->buckets->n_count : 0;
        uint64_t *buckets = LAKE_ARENA_ARRAY(r->arena, uint64_t, nbuckets + 1);
        if (!buckets || !read_texts(r->arena, from, s))
            return lake_fail_memory(r->err);
        if (nbuckets)
            memcpy(buckets, from->buckets->count, nbuckets * sizeof *buckets);
        s->buckets = buckets;
        s->nbuckets = nbuckets;
    }
    r->out->statistics = list;
    r->out->nstatistics = n;
    return LAKE_OK;
}

static lake_status read_encryption(reading *r) {
    const LakeOrc__Encryption *e = r->from->encryption;
    size_t n = e ? e->n_variants : 0;
    uint32_t *roots = LAKE_ARENA_ARRAY(r->arena, uint32_t, n + 1);
    if (!roots)
        return lake_fail_memory(r->err);
    for (size_t i = 0; i < n; i++)
        roots[i] = e->variants[i]->root;
    r->out->encrypted = roots;
    r->out->nencrypted = n;
    return LAKE_OK;
}

static lake_status read_message(reading *r) {
    LAKE_TRY(read_types(r));
    LAKE_TRY(read_stripes(r));
    LAKE_TRY(read_statistics(r));
    LAKE_TRY(read_encryption(r));
    r->out->writer = r->from->writer;
    r->out->proleptic = r->from->has_calendar && r->from->calendar == 2;
    return LAKE_OK;
}

static lake_status decode(const lake_orc_postscript *ps, lake_bytes stored, lake_buffer *out, lake_error *err) {
    if (ps->codec == LAKE_CODEC_NONE) {
        lake_buffer_put(out, stored.ptr, stored.len);
        return lake_buffer_check(out, err);
    }
    lake_codec_scratch *codec = lake_codec_scratch_new();
    lake_status st = codec ? decode_chunks(ps, codec, stored, out, err) : lake_fail_memory(err);
    lake_codec_scratch_free(codec);
    return st;
}

lake_status lake_orc_footer_read(lake_arena *arena, const lake_orc_postscript *postscript, lake_bytes stored,
    lake_orc_footer *out, lake_error *err) {
    *out = (lake_orc_footer){0};
    lake_buffer text;
    lake_arena messages;
    LakeOrc__Footer *footer;
    lake_buffer_init(&text);
    lake_arena_init(&messages, MESSAGES);
    lake_status st = decode(postscript, stored, &text, err);
    if (st == LAKE_OK)
        st = unpack(
            &messages, &lake_orc__footer__descriptor, lake_bytes_of(lake_buffer_view(&text)), &footer, "footer", err);
    reading r = {arena, st == LAKE_OK ? footer : NULL, out, err};
    if (st == LAKE_OK)
        st = read_message(&r);
    lake_arena_clear(&messages);
    lake_buffer_clear(&text);
    return st;
}

lake_str lake_orc_attribute(const lake_orc_type *type, const char *name) {
    for (size_t i = 0; i < type->nattributes; i++)
        if (type->attributes[2 * i].ptr && lake_str_is(type->attributes[2 * i], name))
            return type->attributes[2 * i + 1];
    return (lake_str){NULL, 0};
}

const char *lake_orc_kind_name(lake_orc_kind kind) {
    static const char *const names[] = {"boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string",
        "binary", "timestamp", "list", "map", "struct", "union", "decimal", "date", "varchar", "char",
        "timestamp with local time zone", "geometry", "geography"};
    return names[kind];
}
