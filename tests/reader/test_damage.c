/* Damaged Parquet files: torn at every place, bytes changed, allocations that fail. Nothing may crash, and what is torn
   must end in an error. Reads are copies of exactly the bytes asked for, so that the sanitizer sees a read beyond. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "reader/stats.h"
#include "tests/support.h"
#include "wire/parquet_column.h"

static const char *const files[] = {"java_types_1", "java_nested_4", "arrow_delta", "arrow_delta_bytes",
    "arrow_delta_length", "arrow_split", "arrow_nested_v2", "arrow_zstd_v2", "arrow_brotli", "arrow_lz4",
    "arrow_snappy", "arrow_gzip_nodict", "arrow_int96", "arrow_small_pages", "duckdb_1", "duckdb_6"};
enum { NFILES = sizeof files / sizeof *files };

static lake_bytes load(lake_arena *arena, const char *name) {
    const char *dir = getenv("LAKE_CORPUS");
    char path[4096];
    snprintf(path, sizeof path, "%s/given/metrics/%s.parquet", dir && *dir ? dir : LAKE_SOURCE_ROOT "/../shared/corpus",
        name);
    if (access(path, R_OK) != 0)
        cr_skip_test("corpus absent: %s", path);
    return test_file(arena, path);
}

typedef struct memory {
    lake_bytes all;
    uint8_t *copy;
} memory;

static lake_status read_memory(void *user, uint64_t offset, size_t n, lake_bytes *out, lake_error *err) {
    memory *m = user;
    cr_assert(offset <= m->all.len && n <= m->all.len - offset, "a read beyond the end");
    free(m->copy);
    m->copy = malloc(n ? n : 1);
    memcpy(m->copy, m->all.ptr + offset, n);
    *out = (lake_bytes){m->copy, n};
    return LAKE_OK;
}

static lake_status footer_of(
    lake_arena *arena, lake_bytes file, lake_parquet_footer **out, uint64_t *at, lake_error *err) {
    uint32_t len;
    lake_bytes tail = {file.ptr + file.len - LAKE_PARQUET_TAIL, LAKE_PARQUET_TAIL};
    LAKE_TRY(lake_parquet_tail_read(tail, file.len, &len, err));
    *at = file.len - LAKE_PARQUET_TAIL - len;
    return lake_parquet_footer_read(arena, (lake_bytes){file.ptr + *at, len}, (int64_t)*at, out, err);
}

/* Reads all values of a chunk. */
static lake_status drain(lake_parquet_column *c, const lake_parquet_source *source, const lake_parquet_node *leaf,
    const lake_parquet_chunk *chunk, lake_error *err) {
    lake_parquet_batch batch;
    lake_parquet_piece piece;
    bool more = true;
    LAKE_TRY(lake_parquet_column_begin(c, source, leaf, chunk, err));
    for (;;) {
        LAKE_TRY(lake_parquet_column_next(c, &batch, &more, err));
        if (!more)
            return LAKE_OK;
        for (size_t left = batch.present; left; left -= piece.n)
            LAKE_TRY(lake_parquet_column_values(c, &piece, err));
    }
}

Test(damage, a_footer_torn_anywhere_is_malformed) {
    lake_arena arena, work;
    lake_arena_init(&arena, 0);
    lake_arena_init(&work, 0);
    for (size_t i = 0; i < NFILES; i++) {
        lake_bytes file = load(&arena, files[i]);
        uint32_t len = lake_get_le32(file.ptr + file.len - 8);
        const uint8_t *footer = file.ptr + file.len - 8 - len;
        for (size_t n = 0; n < len; n += 1 + len / 2000) {
            lake_parquet_footer *out;
            lake_error err = {0};
            uint8_t *cut = malloc(n ? n : 1);
            memcpy(cut, footer, n);
            cr_assert_eq(lake_parquet_footer_read(&work, (lake_bytes){cut, n}, 0, &out, &err), LAKE_ERR_MALFORMED,
                "%s cut to %zu", files[i], n);
            cr_assert_gt(strlen(err.message), 20);
            free(cut);
            lake_arena_reset(&work);
        }
    }
    lake_arena_clear(&work);
    lake_arena_clear(&arena);
}

Test(damage, pages_torn_anywhere_are_malformed) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_parquet_column *c = malloc(sizeof *c);
    for (size_t i = 0; i < NFILES; i++) {
        lake_bytes file = load(&arena, files[i]);
        lake_parquet_footer *footer;
        uint64_t at;
        lake_error err = {0};
        cr_assert_eq(footer_of(&arena, file, &footer, &at, &err), LAKE_OK, "%s: %s", files[i], err.message);
        cr_assert_eq(lake_parquet_column_init(c, 1 << 26, &err), LAKE_OK);
        memory m = {file, NULL};
        for (size_t k = 0; k < 2 * footer->nleaves; k++) {
            size_t leaf = k / 2;
            const lake_parquet_chunk *chunk = &footer->groups[0].chunks[leaf];
            c->whole = k % 2 ? 1 : LAKE_PARQUET_WHOLE; /* and piece by piece */
            lake_parquet_source source = {read_memory, &m, at};
            cr_assert_eq(
                drain(c, &source, footer->leaves[leaf], chunk, &err), LAKE_OK, "%s: %s", files[i], err.message);
            uint64_t begin = (uint64_t)chunk->data_page_offset, end = begin;
            if (chunk->dictionary_page_offset > 0)
                begin = (uint64_t)chunk->dictionary_page_offset;
            end = begin + (uint64_t)chunk->compressed_size;
            for (source.end = begin; source.end < end; source.end += 1 + (end - begin) / 300)
                cr_assert_eq(drain(c, &source, footer->leaves[leaf], chunk, &err), LAKE_ERR_MALFORMED,
                    "%s: leaf %zu cut to %llu", files[i], leaf, (unsigned long long)source.end);
        }
        free(m.copy);
        lake_parquet_column_clear(c);
    }
    free(c);
    lake_arena_clear(&arena);
}

static uint64_t random_next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Some bytes changed; half of the time only in the footer, or with page checksums out of the way there are none. */
static void change(uint8_t *bytes, size_t len, uint64_t *seed) {
    static const uint8_t nasty[] = {0, 1, 0x7f, 0x80, 0xff, 0x0f, 0xf0, 15};
    uint32_t footer = lake_get_le32(bytes + len - 8);
    for (unsigned k = 1 + (unsigned)(random_next(seed) % 4); k; k--) {
        size_t from = random_next(seed) % 2 ? len - 8 - footer : 0;
        size_t at = from + random_next(seed) % (len - 8 - from);
        if (random_next(seed) % 2)
            bytes[at] = nasty[random_next(seed) % sizeof nasty];
        else
            bytes[at] ^= (uint8_t)(1u << random_next(seed) % 8);
    }
}

Test(damage, changed_bytes_never_crash, .timeout = 600) {
    lake_arena arena, work;
    lake_arena_init(&arena, 0);
    lake_arena_init(&work, 0);
    lake_store store = {0};
    char path[] = "/tmp/lake-damage-XXXXXX";
    const char *times = getenv("LAKE_FUZZ");
    size_t rounds = times ? strtoul(times, NULL, 10) : 60, failed = 0;
    uint64_t seed = 0x9e3779b97f4a7c15u;
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    for (size_t i = 0; i < NFILES; i++) {
        lake_bytes file = load(&arena, files[i]);
        uint8_t *bytes = malloc(file.len);
        for (size_t k = 0; k < rounds; k++) {
            memcpy(bytes, file.ptr, file.len);
            change(bytes, file.len, &seed);
            cr_assert_eq(pwrite(fd, bytes, file.len, 0), (ssize_t)file.len);
            cr_assert_eq(ftruncate(fd, (off_t)file.len), 0);
            lake_file_stats out;
            lake_error err = {0};
            lake_file_stats_options options = {.threads = 1, .footer_only = k % 6 == 5, .page_whole = k % 2};
            lake_status st = lake_file_stats_read(&store, lake_str_of(path), &options, &work, &out, &err);
            cr_assert_neq(st, LAKE_ERR_INTERNAL, "%s: %s", files[i], err.message);
            failed += st != LAKE_OK;
            lake_arena_reset(&work);
        }
        free(bytes);
    }
    cr_expect_gt(failed, rounds * NFILES / 4); /* else nothing was damaged */
    close(fd);
    unlink(path);
    lake_arena_clear(&work);
    lake_arena_clear(&arena);
}

typedef struct one_read {
    lake_str path;
    size_t page_whole;
} one_read;

static lake_status read_once(void *user, lake_error *err) {
    const one_read *r = user;
    lake_arena arena;
    lake_store store = {0};
    lake_file_stats out;
    lake_file_stats_options options = {.threads = 1, .page_whole = r->page_whole};
    lake_arena_init(&arena, 0);
    lake_status st = lake_file_stats_read(&store, r->path, &options, &arena, &out, err);
    lake_arena_clear(&arena);
    return st;
}

Test(damage, every_failing_allocation_is_reported) {
    static const char *const some[] = {"java_nested_4", "arrow_delta_bytes", "arrow_snappy"};
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < 3; i++) {
        load(&arena, some[i]); /* skips without the corpus */
        const char *dir = getenv("LAKE_CORPUS");
        lake_str path = lake_arena_printf(
            &arena, "%s/given/metrics/%s.parquet", dir && *dir ? dir : LAKE_SOURCE_ROOT "/../shared/corpus", some[i]);
        for (size_t page_whole = 0; page_whole < 2; page_whole++) {
            one_read r = {path, page_whole};
            test_every_allocation(read_once, &r);
        }
    }
    lake_arena_clear(&arena);
}
