/* Images of manifests say what the entries said, and are safe to read whatever is in them. */
#include <stdlib.h>

#include "manifest/image.h"
#include "tests/support.h"

static lake_arena arena;

static void begin(void) {
    lake_arena_init(&arena, 0);
}
static void end(void) {
    lake_arena_clear(&arena);
}

TestSuite(image, .init = begin, .fini = end);

static uint64_t state;
static uint64_t dice(uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

static lake_bytes some_bytes(bool maybe_none) {
    if (maybe_none && dice(3) == 0)
        return (lake_bytes){0};
    size_t n = dice(3) ? 8 : dice(20);
    uint8_t *p = lake_arena_alloc(&arena, n + 1);
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)dice(4);
    return (lake_bytes){p, n};
}

static int64_t some_number(void) {
    static const int64_t odd[] = {0, -1, 1, INT64_MAX, INT64_MIN, 255, 256, 65536, INT64_C(1) << 32};
    return dice(2) ? (int64_t)dice(100) : odd[dice(sizeof odd / sizeof *odd)];
}

static lake_entry some_entry(bool plain) {
    lake_entry e = {.status = (uint8_t)dice(3),
        .content = (uint8_t)dice(3),
        .has = (uint32_t)dice(128),
        .snapshot_id = some_number(),
        .sequence_number = some_number(),
        .file_sequence_number = some_number(),
        .file_path = lake_text_of(some_bytes(false)),
        .file_format = LAKE_STR("PARQUET"),
        .record_count = some_number(),
        .file_size = some_number(),
        .key_metadata = some_bytes(true),
        .sort_order_id = (int32_t)dice(9),
        .first_row_id = some_number(),
        .content_offset = some_number(),
        .content_size = some_number(),
        .npartition = 2,
        .ncolumns = plain ? 3 : dice(6),
        .nsplit_offsets = dice(4),
        .nequality_ids = dice(3)};
    if (dice(2))
        e.referenced_data_file = lake_text_of(some_bytes(false));
    lake_datum *p = LAKE_ARENA_ARRAY(&arena, lake_datum, 2);
    for (int i = 0; i < 2; i++) {
        p[i].kind = (lake_datum_kind)dice(5);
        if (p[i].kind == LAKE_DATUM_BYTES)
            p[i].b = some_bytes(false);
        else if (p[i].kind == LAKE_DATUM_FLOAT)
            p[i].f = (double)some_number() / 3;
        else if (p[i].kind != LAKE_DATUM_NULL)
            p[i].i = some_number();
    }
    e.partition = p;
    lake_column_metrics *m = LAKE_ARENA_ARRAY(&arena, lake_column_metrics, e.ncolumns + 1);
    for (size_t i = 0, id = 0; i < e.ncolumns; i++) {
        id += plain ? 1 : 1 + dice(3);
        m[i] = (lake_column_metrics){.id = (int32_t)id,
            .has = (uint32_t)dice(16),
            .size = some_number(),
            .values = some_number(),
            .nulls = some_number(),
            .nans = some_number(),
            .lower = some_bytes(true),
            .upper = some_bytes(true)};
    }
    e.columns = m;
    int64_t *splits = LAKE_ARENA_ARRAY(&arena, int64_t, 4);
    int32_t *equality = LAKE_ARENA_ARRAY(&arena, int32_t, 4);
    for (int i = 0; i < 4; i++) {
        splits[i] = some_number();
        equality[i] = (int32_t)dice(99);
    }
    e.split_offsets = splits;
    e.equality_ids = equality;
    return e;
}

static void same_bytes(lake_bytes a, lake_bytes b) {
    cr_assert_eq(!a.ptr, !b.ptr);
    cr_assert_eq(lake_bytes_cmp(a, b), 0);
}

static void same_metrics(const lake_column_metrics *a, const lake_column_metrics *b) {
    cr_assert(a->id == b->id && a->has == b->has && a->size == b->size && a->values == b->values &&
        a->nulls == b->nulls && a->nans == b->nans);
    same_bytes(a->lower, b->lower);
    same_bytes(a->upper, b->upper);
}

static void same(const lake_entry *a, const lake_entry *b) {
    cr_assert(a->status == b->status && a->content == b->content && a->has == b->has &&
        a->snapshot_id == b->snapshot_id && a->sequence_number == b->sequence_number &&
        a->file_sequence_number == b->file_sequence_number && a->record_count == b->record_count &&
        a->file_size == b->file_size && a->sort_order_id == b->sort_order_id && a->first_row_id == b->first_row_id &&
        a->content_offset == b->content_offset && a->content_size == b->content_size);
    same_bytes(lake_bytes_of(a->file_path), lake_bytes_of(b->file_path));
    same_bytes(lake_bytes_of(a->file_format), lake_bytes_of(b->file_format));
    same_bytes(lake_bytes_of(a->referenced_data_file), lake_bytes_of(b->referenced_data_file));
    same_bytes(a->key_metadata, b->key_metadata);
    cr_assert_eq(a->npartition, b->npartition);
    for (size_t i = 0; i < a->npartition; i++) {
        cr_assert_eq(a->partition[i].kind, b->partition[i].kind);
        if (a->partition[i].kind == LAKE_DATUM_BYTES)
            same_bytes(a->partition[i].b, b->partition[i].b);
        else
            cr_assert_eq(a->partition[i].i, b->partition[i].i);
    }
    cr_assert_eq(a->nsplit_offsets, b->nsplit_offsets);
    cr_assert_eq(a->nequality_ids, b->nequality_ids);
    for (size_t i = 0; i < a->nsplit_offsets; i++)
        cr_assert_eq(a->split_offsets[i], b->split_offsets[i]);
    for (size_t i = 0; i < a->nequality_ids; i++)
        cr_assert_eq(a->equality_ids[i], b->equality_ids[i]);
}

static lake_bytes image_of(const lake_entry *entries, size_t n) {
    lake_buffer b;
    lake_buffer_init(&b);
    cr_assert_eq(lake_image_write(entries, n, &b, NULL), LAKE_OK);
    lake_bytes copy = lake_arena_bytes(&arena, b.data, b.len);
    lake_buffer_clear(&b);
    return copy;
}

static void says(const lake_entry *entries, size_t n, lake_bytes bytes) {
    static const int32_t ids[] = {3, 1, 99};
    lake_manifest_want every = {.all_columns = true}, two = {.column_ids = ids, .ncolumn_ids = 2};
    lake_image *m = lake_image_open(&arena, bytes, ids, 3, LAKE_IMAGE_EVERYTHING);
    lake_image *columns = lake_image_open(&arena, bytes, ids, 3, LAKE_IMAGE_COLUMNS);
    cr_assert(m && columns);
    cr_assert_eq(lake_image_count(m), n);
    for (size_t i = 0; i < n; i++) {
        const lake_entry *e = &entries[i], *got = lake_image_entry(m, i);
        lake_entry copy;
        lake_column_metrics one;
        same(e, got);
        cr_assert_eq(got->ncolumns, 3);
        for (int k = 0; k < 3; k++) {
            const lake_column_metrics *c = lake_entry_column(e, ids[k]), none = {.id = ids[k]};
            same_metrics(&got->columns[k], c ? c : &none);
            lake_image_metrics(columns, (size_t)k, i, &one);
            same_metrics(&one, c ? c : &none);
        }
        cr_assert_eq(lake_image_status(m, i), e->status);
        cr_assert_eq(lake_image_file_size(m, i), e->file_size);
        cr_assert_eq(lake_image_materialise(m, i, &every, i % 2, &arena, &copy, NULL), LAKE_OK);
        same(e, &copy);
        cr_assert_eq(copy.ncolumns, e->ncolumns);
        for (size_t k = 0; k < e->ncolumns; k++)
            same_metrics(&copy.columns[k], &e->columns[k]);
        cr_assert_eq(lake_image_materialise(m, i, &two, i % 2, &arena, &copy, NULL), LAKE_OK);
        same(e, &copy);
        cr_assert_eq(copy.ncolumns, 2);
    }
}

Test(image, says_what_the_entries_said) {
    lake_entry entries[40];
    for (uint64_t seed = 0; seed < 300; seed++) {
        state = seed;
        size_t n = seed % 40;
        for (size_t i = 0; i < n; i++)
            entries[i] = some_entry(seed % 3 == 0);
        says(entries, n, image_of(entries, n));
    }
}

static void read_all(lake_bytes bytes) {
    static const int32_t ids[] = {1, 2};
    lake_arena mine;
    lake_arena_init(&mine, 0);
    lake_manifest_want every = {.all_columns = true};
    lake_image *m = lake_image_open(&mine, bytes, ids, 2, LAKE_IMAGE_EVERYTHING);
    for (size_t i = 0; m && i < lake_image_count(m) && i < 100; i++) {
        lake_entry copy;
        cr_assert(lake_image_entry(m, i)->status <= LAKE_ENTRY_DELETED);
        cr_assert_eq(lake_image_materialise(m, i, &every, true, &mine, &copy, NULL), LAKE_OK);
    }
    lake_arena_clear(&mine);
}

/* Bytes in a block of their own, so that a read beyond is seen. */
static void read_exactly(const uint8_t *bytes, size_t n) {
    uint8_t *copy = malloc(n + 1);
    memcpy(copy, bytes, n);
    read_all((lake_bytes){copy, n});
    free(copy);
}

static void seal(uint8_t *image, size_t len) {
    uint64_t n = lake_get_le64(image + 32);
    for (uint64_t i = 0; i < n && 40 + (i + 1) * 32 <= len; i++) {
        uint8_t *s = image + 40 + i * 32;
        uint64_t begin = lake_get_le64(s + 8), size = lake_get_le64(s + 16);
        if (begin <= len && size <= len - begin)
            lake_put_le64(s + 24, lake_xxh64(image + begin, size));
    }
    if (n <= (len - 40) / 32)
        lake_put_le64(image, lake_xxh64(image + 8, 32 + n * 32));
}

Test(image, is_none_when_torn_or_flipped) {
    lake_entry entries[3];
    state = 5;
    for (int i = 0; i < 3; i++)
        entries[i] = some_entry(true);
    lake_bytes whole = image_of(entries, 3);
    for (size_t n = 0; n < whole.len; n++)
        read_exactly(whole.ptr, n);
    uint8_t *copy = lake_arena_alloc(&arena, whole.len);
    for (size_t i = 0; i < whole.len; i++) {
        memcpy(copy, whole.ptr, whole.len);
        copy[i] ^= 1;
        cr_assert_null(lake_image_open(&arena, (lake_bytes){copy, whole.len}, NULL, 0, LAKE_IMAGE_EVERYTHING),
            "byte %zu of %zu", i, whole.len);
    }
}

/* Checksums are no defence against who can compute them. */
Test(image, is_safe_whatever_its_numbers) {
    static const uint64_t odd[] = {
        0, 1, 2, 3, 4, 8, 255, UINT32_MAX, (uint64_t)1 << 40, INT64_MAX, UINT64_MAX - 7, UINT64_MAX};
    lake_entry entries[4];
    state = 11;
    for (int i = 0; i < 4; i++)
        entries[i] = some_entry(false);
    lake_bytes whole = image_of(entries, 4);
    uint8_t *copy = lake_arena_alloc(&arena, whole.len);
    for (size_t at = 8; at + 8 <= whole.len; at += 4)
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
            memcpy(copy, whole.ptr, whole.len);
            lake_put_le64(copy + at, odd[k]);
            seal(copy, whole.len);
            read_exactly(copy, whole.len);
        }
}

static lake_entry few[2];
static lake_status write_and_read(void *user, lake_error *err) {
    static const int32_t ids[] = {1};
    lake_buffer b;
    lake_arena mine;
    lake_buffer_init(&b);
    lake_arena_init(&mine, 0);
    lake_status s = lake_image_write(few, 2, &b, err);
    if (s == LAKE_OK && !lake_image_open(&mine, (lake_bytes){b.data, b.len}, ids, 1, LAKE_IMAGE_ENTRIES))
        s = lake_fail_memory(err);
    lake_arena_clear(&mine);
    lake_buffer_clear(&b);
    return s;
}

Test(image, ends_cleanly_without_memory) {
    state = 3;
    few[0] = some_entry(true);
    few[1] = some_entry(true);
    test_every_allocation(write_and_read, NULL);
}
