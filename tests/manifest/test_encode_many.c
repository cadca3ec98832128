/* Manifests by several threads: the same files as by one, in order, complete, with exact lines. */
#include <stdlib.h>

#include "manifest/manifest.h"
#include "tests/support.h"

enum { ENTRIES = 5000 };

typedef struct fixture {
    lake_arena arena;
    lake_schema *schema;
    lake_spec *spec;
    lake_entry entries[ENTRIES];
    lake_error err;
} fixture;

typedef struct files {
    lake_arena *arena;
    lake_bytes bytes[ENTRIES];
    lake_manifest_file lines[ENTRIES];
    size_t n;
} files;

static fixture *start(void) {
    fixture *f = calloc(1, sizeof *f);
    lake_json *json;
    lake_arena_init(&f->arena, 0);
    lake_error_init(&f->err);
    cr_assert_eq(lake_json_parse(&f->arena,
                     LAKE_STR("{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"s\",\"required\":"
                              "false,\"type\":\"string\"}]}"),
                     NULL, &json, &f->err),
        LAKE_OK);
    cr_assert_eq(lake_schema_read(&f->arena, json, &f->schema, &f->err), LAKE_OK);
    int32_t next = 1000;
    cr_assert_eq(lake_spec_from_text(&f->arena, LAKE_STR("s"), f->schema, 0, &next, &f->spec, &f->err), LAKE_OK, "%s",
        f->err.message);
    for (int i = 0; i < ENTRIES; i++) {
        lake_datum *value = LAKE_ARENA_ARRAY(&f->arena, lake_datum, 1);
        lake_column_metrics *column = LAKE_ARENA_ARRAY(&f->arena, lake_column_metrics, 1);
        lake_str s = lake_arena_printf(&f->arena, "v%05d", i * 7919 % ENTRIES);
        *value = i % 1000 == 999 ? (lake_datum){.kind = LAKE_DATUM_NULL}
                                 : (lake_datum){LAKE_DATUM_BYTES, {.b = lake_bytes_of(s)}};
        *column = (lake_column_metrics){.id = 1, .has = LAKE_METRIC_VALUES, .values = i, .lower = lake_bytes_of(s)};
        f->entries[i] = (lake_entry){.status = i % 10 == 0 ? LAKE_ENTRY_DELETED : LAKE_ENTRY_ADDED,
            .has = LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_SEQUENCE_NUMBER | LAKE_HAS_FILE_SEQUENCE_NUMBER,
            .snapshot_id = 5,
            .sequence_number = 9000 - i,
            .file_sequence_number = 9000 - i,
            .file_path = lake_arena_printf(&f->arena, "s3://b/t/%d.parquet", i),
            .file_format = LAKE_STR("PARQUET"),
            .partition = value,
            .npartition = 1,
            .record_count = i,
            .file_size = 100,
            .columns = column,
            .ncolumns = 1};
    }
    return f;
}

static void stop(fixture *f) {
    lake_arena_clear(&f->arena);
    free(f);
}

static lake_status take(void *user, lake_bytes bytes, const lake_manifest_file *line, lake_error *err) {
    files *out = user;
    out->bytes[out->n] = lake_arena_bytes(out->arena, bytes.ptr, bytes.len);
    out->lines[out->n++] = *line;
    return LAKE_OK;
}

/* The sync marker is random: it is at the end, and is made zero wherever it stands. */
static void forget_sync(lake_bytes b) {
    uint8_t sync[16], *at = (uint8_t *)b.ptr;
    memcpy(sync, b.ptr + b.len - 16, 16);
    for (size_t i = 0; i + 16 <= b.len; i++)
        if (memcmp(at + i, sync, 16) == 0)
            memset(at + i, 0, 16);
}

static files *write_with(fixture *f, lake_codec codec, uint64_t target, unsigned threads) {
    const lake_manifest_write_options o = {
        .format_version = 2, .schema = f->schema, .spec = f->spec, .codec = codec, .level = -1};
    files *out = calloc(1, sizeof *out);
    out->arena = &f->arena;
    cr_assert_eq(lake_manifest_write_entries(&o, f->entries, ENTRIES, target, threads, &f->arena, take, out, &f->err),
        LAKE_OK, "%s", f->err.message);
    for (size_t i = 0; i < out->n; i++)
        forget_sync(out->bytes[i]);
    return out;
}

static const struct {
    uint64_t target;
    size_t least, most; /* files */
} targets[] = {{0, 1, 1}, {1, ENTRIES, ENTRIES}, {20000, 4, 60}, {1 << 30, 1, 1}};

Test(encode_many, the_files_do_not_depend_on_the_threads) {
    static const lake_codec codecs[] = {LAKE_CODEC_DEFLATE, LAKE_CODEC_NONE, LAKE_CODEC_ZSTD, LAKE_CODEC_SNAPPY};
    fixture *f = start();
    for (size_t k = 0; k < 4; k++)
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
            if (targets[t].target == 1 && k)
                continue; /* slow, and the same */
            files *one = write_with(f, codecs[k], targets[t].target, 1);
            files *more = write_with(f, codecs[k], targets[t].target, 5);
            cr_assert(one->n >= targets[t].least && one->n <= targets[t].most, "%zu files", one->n);
            cr_assert_eq(one->n, more->n);
            for (size_t i = 0; i < one->n; i++)
                cr_assert(
                    lake_bytes_cmp(one->bytes[i], more->bytes[i]) == 0, "codec %zu, target %zu, file %zu", k, t, i);
            free(one);
            free(more);
        }
    stop(f);
}

/* A manifest of a memory store would do as well; what counts is the order and every entry. */
Test(encode_many, lines_are_those_of_a_plain_writer) {
    fixture *f = start();
    files *many = write_with(f, LAKE_CODEC_DEFLATE, 20000, 3);
    const lake_manifest_write_options o = {
        .format_version = 2, .schema = f->schema, .spec = f->spec, .codec = LAKE_CODEC_DEFLATE, .level = -1};
    size_t next = 0;
    for (size_t i = 0; i < many->n; i++) {
        lake_manifest_file *line = &many->lines[i], plain;
        size_t n = (size_t)(line->added_files + line->existing_files + line->deleted_files);
        lake_manifest_writer *w;
        lake_bytes bytes;
        cr_assert_eq(lake_manifest_writer_open(&o, &w, &f->err), LAKE_OK);
        for (size_t k = 0; k < n; k++)
            cr_assert_eq(lake_manifest_writer_add(w, &f->entries[next++], &f->err), LAKE_OK);
        cr_assert_eq(lake_manifest_writer_finish(w, &f->arena, &bytes, &plain, &f->err), LAKE_OK);
        cr_assert_eq(line->length, (int64_t)many->bytes[i].len);
        cr_assert_eq(plain.added_files, line->added_files);
        cr_assert_eq(plain.deleted_files, line->deleted_files);
        cr_assert_eq(plain.added_rows, line->added_rows);
        cr_assert_eq(plain.deleted_rows, line->deleted_rows);
        cr_assert_eq(plain.min_sequence_number, line->min_sequence_number);
        cr_assert_eq(line->npartitions, 1);
        cr_assert_eq(plain.partitions[0].contains_null, line->partitions[0].contains_null);
        cr_assert(lake_bytes_cmp(plain.partitions[0].lower, line->partitions[0].lower) == 0);
        cr_assert(lake_bytes_cmp(plain.partitions[0].upper, line->partitions[0].upper) == 0);
        lake_manifest_writer_close(w);
    }
    cr_assert_eq(next, ENTRIES);
    free(many);
    stop(f);
}

Test(encode_many, the_first_entry_at_fault_is_named) {
    fixture *f = start();
    const lake_manifest_write_options o = {.format_version = 2, .schema = f->schema, .spec = f->spec, .level = -1};
    files *out = calloc(1, sizeof *out);
    out->arena = &f->arena;
    f->entries[3000].npartition = 0;
    f->entries[4900].npartition = 0;
    cr_assert_eq(
        lake_manifest_write_entries(&o, f->entries, ENTRIES, 0, 4, &f->arena, take, out, &f->err), LAKE_ERR_MALFORMED);
    cr_assert_not_null(strstr(f->err.message, "3000.parquet"), "%s", f->err.message);
    cr_assert_eq(out->n, 0);
    free(out);
    stop(f);
}

Test(encode_many, no_entries_are_one_empty_manifest) {
    fixture *f = start();
    const lake_manifest_write_options o = {.format_version = 2, .schema = f->schema, .spec = f->spec, .level = -1};
    files *out = calloc(1, sizeof *out);
    out->arena = &f->arena;
    cr_assert_eq(lake_manifest_write_entries(&o, NULL, 0, 100, 2, &f->arena, take, out, &f->err), LAKE_OK);
    cr_assert_eq(out->n, 1);
    cr_assert_eq(out->lines[0].added_files, 0);
    free(out);
    stop(f);
}
