/* Deletion vectors (puffin-spec.md, "deletion-vector-v1 blob type"; spec.md, "Deletion Vectors"): place and length as
   the Puffin footer has them, the checksum, and how many positions the bitmap holds. Bitmaps are 32-bit Roaring bitmaps
   in the portable form, one for each upper half of a position. */
#include "reader/puffin.h"
#include "wire/codec.h"
#include "writer/audit_internal.h"

enum {
    FRAME = 12, /* length, magic, and the checksum behind */
    LARGEST = 1 << 28, /* bytes of one vector */
    COOKIE_RUNS = 12347,
    COOKIE = 12346,
    ARRAY_MOST = 4096, /* values of an array container */
    BITSET = 8192
};

typedef struct reader {
    const uint8_t *at, *end;
} reader;

static bool has(const reader *r, uint64_t n) {
    return (uint64_t)(r->end - r->at) >= n;
}

/* Values of a bitset container. */
static int64_t bits(const uint8_t *p) {
    int64_t n = 0;
    for (size_t i = 0; i < BITSET; i += 8)
        n += __builtin_popcountll(lake_get_le64(p + i));
    return n;
}

static bool run_container(reader *r, int64_t *n) {
    if (!has(r, 2))
        return false;
    size_t runs = lake_get_le16(r->at);
    r->at += 2;
    if (!has(r, runs * 4))
        return false;
    for (size_t i = 0; i < runs; i++)
        *n += lake_get_le16(r->at + 4 * i + 2) + 1;
    r->at += runs * 4;
    return true;
}

static bool bitmap(reader *r, int64_t *n) {
    if (!has(r, 4))
        return false;
    uint32_t cookie = lake_get_le32(r->at);
    size_t size;
    const uint8_t *flags = NULL;
    r->at += 4;
    if ((cookie & 0xffff) == COOKIE_RUNS) {
        size = (cookie >> 16) + 1;
        flags = r->at;
        if (!has(r, (size + 7) / 8))
            return false;
        r->at += (size + 7) / 8;
    } else {
        if (cookie != COOKIE || !has(r, 4))
            return false;
        size = lake_get_le32(r->at);
        r->at += 4;
    }
    const uint8_t *heads = r->at;
    if (size > 65536 || !has(r, size * 4))
        return false;
    r->at += size * 4;
    if (!flags || size >= 4) { /* offsets, which follow from the sizes */
        if (!has(r, size * 4))
            return false;
        r->at += size * 4;
    }
    for (size_t i = 0; i < size; i++) {
        size_t card = (size_t)lake_get_le16(heads + 4 * i + 2) + 1;
        if (flags && flags[i / 8] >> (i % 8) & 1) {
            if (!run_container(r, n))
                return false;
            continue;
        }
        size_t bytes = card <= ARRAY_MOST ? 2 * card : BITSET;
        if (!has(r, bytes))
            return false;
        *n += card <= ARRAY_MOST ? (int64_t)card : bits(r->at);
        r->at += bytes;
    }
    return true;
}

/* NULL, or what is wrong with the blob. */
static const char *count_positions(lake_bytes b, int64_t *n) {
    static const uint8_t magic[4] = {0xd1, 0xd3, 0x39, 0x64};
    *n = 0;
    if (b.len < FRAME + 8)
        return "too short for a deletion vector";
    uint32_t length = __builtin_bswap32(lake_get_le32(b.ptr)),
             crc = __builtin_bswap32(lake_get_le32(b.ptr + b.len - 4));
    if (length != b.len - 8)
        return "its own length is another";
    if (memcmp(b.ptr + 4, magic, 4) != 0)
        return "no magic of a deletion vector";
    if (lake_crc32((lake_bytes){b.ptr + 4, length}) != crc)
        return "the checksum does not match";
    reader r = {b.ptr + 8, b.ptr + b.len - 4};
    uint64_t maps = lake_get_le64(r.at);
    r.at += 8;
    for (uint64_t i = 0; i < maps; i++) {
        if (!has(&r, 4))
            return "the bitmap is torn";
        r.at += 4;
        if (!bitmap(&r, n))
            return "the bitmap is torn";
    }
    return r.at == r.end ? NULL : "bytes follow the bitmap";
}

/* ---- against the entry */

static lake_status say(audit_file *f, const char *recorded, const char *found, const char *effect, lake_error *err) {
    const audit_simple s = {
        .kind = "deletion-vector", .rank = 1, .recorded = recorded, .found = found, .effect = effect};
    return audit_say(f->a, &f->place, &s, err);
}

static const char comes_back[] = "the vector cannot be used: deleted rows come back, or reading fails";

static lake_status check_blob(audit_file *f, lake_file *file, lake_error *err) {
    const lake_entry *e = f->entry;
    int64_t n;
    lake_error why;
    uint8_t *data = lake_arena_alloc(f->arena, (size_t)e->content_size + 1);
    if (!data)
        return lake_fail_memory(err);
    lake_error_init(&why);
    lake_status status = lake_file_read(file, (uint64_t)e->content_offset, data, (size_t)e->content_size, &why);
    if (status != LAKE_OK)
        return audit_say_unreadable(f->a, &f->place, status, &why, err);
    const char *wrong = count_positions((lake_bytes){data, (size_t)e->content_size}, &n);
    if (wrong)
        return say(f, NULL, wrong, comes_back, err);
    pthread_mutex_lock(&f->a->lock);
    f->a->counts.checked_files++;
    f->a->counts.checked_bytes += e->content_size;
    pthread_mutex_unlock(&f->a->lock);
    if (n == e->record_count)
        return LAKE_OK;
    return audit_say_counts(
        f->a, &f->place, "vector-cardinality", "", e->record_count, n, "counts of rows behind deletes are wrong", err);
}

static const lake_json *find_blob(const lake_json *footer, int64_t offset) {
    const lake_json *blobs = lake_json_find(footer, "blobs");
    for (size_t i = 0; lake_json_is(blobs, LAKE_JSON_ARRAY) && i < blobs->count; i++) {
        int64_t at;
        if (lake_json_i64(lake_json_get(blobs->items[i], "offset"), &at) && at == offset)
            return blobs->items[i];
    }
    return NULL;
}

static lake_status check_footer(audit_file *f, lake_file *file, lake_error *err) {
    const lake_entry *e = f->entry;
    lake_str text;
    lake_json *footer;
    lake_error why;
    lake_error_init(&why);
    lake_status status = lake_puffin_footer(f->arena, file, &text, &why);
    if (status == LAKE_OK)
        status = lake_json_parse(f->arena, text, "Puffin footer", &footer, &why);
    if (status == LAKE_ERR_MALFORMED)
        return say(f, NULL, why.message, "readers that look for the blob in the footer fail", err);
    if (status != LAKE_OK)
        return audit_say_unreadable(f->a, &f->place, status, &why, err);
    const lake_json *blob = find_blob(footer, e->content_offset), *type = lake_json_find(blob, "type");
    const lake_json *properties = lake_json_find(blob, "properties");
    const lake_json *of = lake_json_find(properties, "referenced-data-file");
    int64_t length;
    if (!blob)
        return say(f, "content_offset", "no blob begins there", comes_back, err);
    if (!type || !lake_str_is(type->text, "deletion-vector-v1"))
        return say(f, "a deletion vector", "a blob of another type", comes_back, err);
    if (lake_json_i64(lake_json_get(blob, "length"), &length) && length != e->content_size)
        LAKE_TRY(audit_say_counts(
            f->a, &f->place, "deletion-vector", "content_size_in_bytes", e->content_size, length, comes_back, err));
    if (of && e->referenced_data_file.ptr && !lake_str_eq(of->text, e->referenced_data_file))
        return say(f, "referenced_data_file", "the footer names another", "rows of another file are deleted", err);
    return LAKE_OK;
}

lake_status audit_vector(audit_file *f, lake_error *err) {
    const lake_entry *e = f->entry;
    lake_file *file;
    lake_error why;
    lake_error_init(&why);
    lake_status status = lake_store_open(&f->a->session->store, e->file_path, &file, &why);
    if (status != LAKE_OK)
        return audit_say_unreadable(f->a, &f->place, status, &why, err);
    uint64_t size = lake_file_size(file);
    status = check_footer(f, file, err);
    if (status == LAKE_OK &&
        (e->content_offset < 0 || !(e->has & LAKE_HAS_CONTENT_SIZE) || e->content_size < 0 ||
            (uint64_t)e->content_offset > size || (uint64_t)e->content_size > size - (uint64_t)e->content_offset))
        status = say(f, "content_offset and content_size_in_bytes", "beyond the file's end", comes_back, err);
    else if (status == LAKE_OK && e->content_size > LARGEST)
        status = say(f, "content_size_in_bytes", "more than a deletion vector can have", comes_back, err);
    else if (status == LAKE_OK)
        status = check_blob(f, file, err);
    lake_file_close(file);
    return status;
}
