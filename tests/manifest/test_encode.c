/* Manifests and lists as bytes: read back with the generic Avro walk, field by field. (Other readers: tests/interop.)
 */
#include "manifest/layout.h"
#include "manifest/manifest.h"
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>

static lake_json *parse(lake_arena *arena, lake_str text) {
    lake_json *json;
    lake_error err;
    lake_error_init(&err);
    cr_assert_eq(lake_json_parse(arena, text, NULL, &json, &err), LAKE_OK, "%s in %.*s", err.message, LAKE_ARG(text));
    return json;
}

/* ---- partition values of every type */

/* `datum` is what a caller gives, `avro` the value as the generic walk prints it, `bound` the summary's bytes. */
static const struct {
    const char *source, *transform;
    lake_datum datum;
    const char *avro, *bound;
} values[] = {
    {"boolean", "identity", {LAKE_DATUM_BOOL, {.i = 1}}, "true", "01"},
    {"int", "identity", {LAKE_DATUM_INT, {.i = -5}}, "-5", "fbffffff"},
    {"long", "identity", {LAKE_DATUM_INT, {.i = INT64_MIN}}, "-9223372036854775808", "0000000000000080"},
    {"float", "identity", {LAKE_DATUM_FLOAT, {.f = 0.5}}, "0.5", "0000003f"},
    {"double", "identity", {LAKE_DATUM_FLOAT, {.f = -2.25}}, "-2.25", "00000000000002c0"},
    /* sign-extended to the type's fixed size: apache/iceberg-go#1355 */
    {"decimal(10, 2)", "identity", {LAKE_DATUM_BYTES, {.b = {(const uint8_t *)"\x9c", 1}}}, "\"ffffffff9c\"", "9c"},
    {"decimal(38, 0)", "identity", {LAKE_DATUM_BYTES, {.b = {(const uint8_t *)"\x01\x00", 2}}},
        "\"00000000000000000000000000000100\"", "0100"},
    {"date", "identity", {LAKE_DATUM_INT, {.i = 17486}}, "17486", "4e440000"},
    {"time", "identity", {LAKE_DATUM_INT, {.i = 1}}, "1", "0100000000000000"},
    {"timestamp", "identity", {LAKE_DATUM_INT, {.i = -1}}, "-1", "ffffffffffffffff"},
    {"timestamptz", "identity", {LAKE_DATUM_INT, {.i = 1}}, "1", "0100000000000000"},
    {"timestamp_ns", "identity", {LAKE_DATUM_INT, {.i = 2}}, "2", "0200000000000000"},
    {"timestamptz_ns", "identity", {LAKE_DATUM_INT, {.i = 3}}, "3", "0300000000000000"},
    {"string", "identity", {LAKE_DATUM_BYTES, {.b = {(const uint8_t *)"", 0}}}, "\"\"", ""},
    {"string", "truncate[3]", {LAKE_DATUM_BYTES, {.b = {(const uint8_t *)"ice", 3}}}, "\"ice\"", "696365"},
    {"uuid", "identity", {LAKE_DATUM_BYTES, {.b = {(const uint8_t *)"0123456789abcdef", 16}}},
        "\"30313233343536373839616263646566\"", "30313233343536373839616263646566"},
    {"fixed[3]", "identity", {LAKE_DATUM_BYTES, {.b = {(const uint8_t *)"\x00\xff\x01", 3}}}, "\"00ff01\"", "00ff01"},
    {"binary", "identity", {LAKE_DATUM_BYTES, {.b = {(const uint8_t *)"\xff", 1}}}, "\"ff\"", "ff"},
    {"string", "bucket[16]", {LAKE_DATUM_INT, {.i = 15}}, "15", "0f000000"},
    {"timestamptz", "year", {LAKE_DATUM_INT, {.i = 55}}, "55", "37000000"},
    {"date", "month", {LAKE_DATUM_INT, {.i = -1}}, "-1", "ffffffff"},
    {"timestamp", "day", {LAKE_DATUM_INT, {.i = 20000}}, "20000", "204e0000"},
    {"timestamp_ns", "hour", {LAKE_DATUM_INT, {.i = 480000}}, "480000", "00530700"},
    {"decimal(9, 2)", "truncate[50]", {LAKE_DATUM_BYTES, {.b = {(const uint8_t *)"\x04\x1a", 2}}}, "\"0000041a\"",
        "041a"},
};
enum { VALUES = sizeof values / sizeof *values };

typedef struct fixture {
    lake_arena arena;
    lake_schema *schema;
    lake_spec *spec;
    lake_datum all[VALUES], nulls[VALUES];
} fixture;

static void fixture_init(fixture *f) {
    lake_buffer schema, spec;
    lake_arena_init(&f->arena, 0);
    lake_buffer_init(&schema);
    lake_buffer_init(&spec);
    lake_buffer_puts(&schema, "{\"type\":\"struct\",\"schema-id\":7,\"fields\":[");
    lake_buffer_puts(&spec, "{\"spec-id\":3,\"fields\":[");
    for (int i = 0; i < VALUES; i++) {
        lake_buffer_printf(&schema, "%s{\"id\":%d,\"name\":\"c%d\",\"required\":false,\"type\":\"%s\"}", i ? "," : "",
            i + 1, i, values[i].source);
        lake_buffer_printf(&spec, "%s{\"source-id\":%d,\"field-id\":%d,\"name\":\"p%d\",\"transform\":\"%s\"}",
            i ? "," : "", i + 1, 1000 + i, i, values[i].transform);
        f->all[i] = values[i].datum;
        f->nulls[i] = (lake_datum){.kind = LAKE_DATUM_NULL};
    }
    lake_buffer_puts(&schema, "]}");
    lake_buffer_puts(&spec, "]}");
    lake_error err;
    lake_error_init(&err);
    cr_assert_eq(lake_schema_read(&f->arena, parse(&f->arena, lake_buffer_view(&schema)), &f->schema, &err), LAKE_OK,
        "%s", err.message);
    cr_assert_eq(lake_spec_read(&f->arena, parse(&f->arena, lake_buffer_view(&spec)), &f->spec, &err), LAKE_OK, "%s",
        err.message);
    lake_buffer_clear(&schema);
    lake_buffer_clear(&spec);
}

static lake_entry entry_of(const lake_datum *partition, size_t n) {
    return (lake_entry){.status = LAKE_ENTRY_ADDED,
        .file_path = LAKE_STR("s3://b/t/data/f.parquet"),
        .file_format = LAKE_STR("PARQUET"),
        .partition = partition,
        .npartition = n,
        .record_count = 3,
        .file_size = 1000};
}

/* A container read back: header and all objects as JSON. */
typedef struct readback {
    lake_avro_reader avro;
    lake_json *objects[16];
    size_t n;
} readback;

static void read_back(lake_arena *arena, lake_bytes bytes, readback *out) {
    lake_error err;
    lake_error_init(&err);
    lake_codec_scratch *scratch = lake_codec_scratch_new();
    lake_buffer decoded, text;
    lake_buffer_init(&decoded);
    lake_buffer_init(&text);
    out->n = 0;
    cr_assert_eq(lake_avro_open(arena, bytes, &out->avro, &err), LAKE_OK, "%s", err.message);
    for (bool more = true; more;) {
        uint64_t count;
        lake_cursor objects;
        cr_assert_eq(lake_avro_next_block(&out->avro, scratch, &decoded, &more, &count, &objects, &err), LAKE_OK, "%s",
            err.message);
        for (uint64_t i = 0; more && i < count; i++) {
            lake_buffer_reset(&text);
            cr_assert_eq(lake_avro_to_json(&objects, out->avro.schema, 0, &text, &err), LAKE_OK, "%s", err.message);
            cr_assert_lt(out->n, 16);
            out->objects[out->n++] = parse(arena, lake_arena_str(arena, (const char *)text.data, text.len));
        }
        cr_assert(!more || lake_cursor_left(&objects) == 0, "bytes behind the last object of a block");
    }
    lake_buffer_clear(&decoded);
    lake_buffer_clear(&text);
    lake_codec_scratch_free(scratch);
}

static const char *meta(const readback *r, lake_arena *arena, const char *key) {
    lake_bytes b = lake_avro_meta(&r->avro, key);
    return b.ptr ? lake_arena_str(arena, (const char *)b.ptr, b.len).ptr : "-";
}

/* The JSON at a path like "data_file.partition.p0" as one line; "-" if it is not there. */
static const char *at(lake_arena *arena, const lake_json *v, const char *path) {
    char part[64];
    while (*path) {
        size_t n = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        v = lake_json_get(v, part);
        path += n + (path[n] == '.');
    }
    if (!v)
        return "-";
    lake_buffer out;
    lake_buffer_init(&out);
    lake_json_print(&out, v, 0);
    const char *text = lake_arena_str(arena, (const char *)out.data, out.len).ptr;
    lake_buffer_clear(&out);
    return text;
}

static lake_bytes write_entries(
    fixture *f, const lake_manifest_write_options *o, const lake_entry *entries, size_t n, lake_manifest_file *line) {
    lake_error err;
    lake_error_init(&err);
    lake_manifest_writer *w;
    lake_bytes bytes;
    cr_assert_eq(lake_manifest_writer_open(o, &w, &err), LAKE_OK, "%s", err.message);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(lake_manifest_writer_add(w, &entries[i], &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(lake_manifest_writer_finish(w, &f->arena, &bytes, line, &err), LAKE_OK, "%s", err.message);
    bytes = lake_arena_bytes(&f->arena, bytes.ptr, bytes.len);
    lake_manifest_writer_close(w);
    return bytes;
}

static lake_manifest_write_options options_of(const fixture *f, int version) {
    return (lake_manifest_write_options){.format_version = version,
        .schema = f->schema,
        .spec = f->spec,
        .has_snapshot_id = true,
        .snapshot_id = 77,
        .codec = LAKE_CODEC_DEFLATE,
        .level = -1};
}

Test(encode, partition_values_of_every_type_in_every_version) {
    fixture f;
    fixture_init(&f);
    for (int version = 1; version <= 3; version++) {
        lake_manifest_write_options o = options_of(&f, version);
        lake_entry entries[] = {entry_of(f.all, VALUES), entry_of(f.nulls, VALUES)};
        lake_manifest_file line;
        readback r;
        read_back(&f.arena, write_entries(&f, &o, entries, 2, &line), &r);
        cr_assert_eq(r.n, 2);
        cr_assert_eq(line.npartitions, (size_t)VALUES);
        for (size_t i = 0; i < VALUES; i++) {
            char path[64];
            snprintf(path, sizeof path, "data_file.partition.p%zu", i);
            cr_expect_str_eq(at(&f.arena, r.objects[0], path), values[i].avro, "v%d %s(%s)", version,
                values[i].transform, values[i].source);
            cr_expect_str_eq(
                at(&f.arena, r.objects[1], path), "null", "v%d %s(%s)", version, values[i].transform, values[i].source);
            const lake_field_summary *s = &line.partitions[i];
            cr_assert(s->contains_null && s->contains_nan == 0 && s->lower.ptr && s->upper.ptr);
            cr_expect_str_eq(test_to_hex(&f.arena, s->lower), values[i].bound, "v%d %s(%s)", version,
                values[i].transform, values[i].source);
            cr_expect_str_eq(test_to_hex(&f.arena, s->upper), values[i].bound);
        }
    }
    lake_arena_clear(&f.arena);
}

Test(encode, header_has_the_keys_of_the_spec) {
    fixture f;
    fixture_init(&f);
    static const char *const versions[] = {"", "1", "2", "3"};
    for (int version = 1; version <= 3; version++)
        for (int content = 0; content <= (version > 1); content++) {
            lake_manifest_write_options o = options_of(&f, version);
            o.content = (uint8_t)content;
            lake_manifest_file line;
            readback r;
            read_back(&f.arena, write_entries(&f, &o, NULL, 0, &line), &r);
            cr_expect_str_eq(meta(&r, &f.arena, "format-version"), versions[version]);
            cr_expect_str_eq(meta(&r, &f.arena, "schema-id"), "7");
            cr_expect_str_eq(meta(&r, &f.arena, "partition-spec-id"), "3");
            cr_expect_str_eq(meta(&r, &f.arena, "content"), version == 1 ? "-" : content ? "deletes" : "data");
            cr_expect_str_eq(meta(&r, &f.arena, "avro.codec"), "deflate");
            /* the bare array of fields: apache/iceberg#13895 */
            cr_expect_eq(meta(&r, &f.arena, "partition-spec")[0], '[');
            lake_schema *schema;
            cr_expect_eq(
                lake_schema_read(&f.arena, parse(&f.arena, lake_str_of(meta(&r, &f.arena, "schema"))), &schema, NULL),
                LAKE_OK);
            cr_expect_eq(r.n, 0);
            cr_expect(line.content == content && line.spec_id == 3 && line.added_files == 0 &&
                line.has & LAKE_HAS_ADDED_FILES);
        }
    lake_arena_clear(&f.arena);
}

/* ---- the other fields */

static lake_column_metrics columns[] = {
    {1, LAKE_METRIC_SIZE | LAKE_METRIC_VALUES | LAKE_METRIC_NULLS, 10, 3, 0, 0, {(const uint8_t *)"", 0},
        {(const uint8_t *)"\1\2", 2}},
    {300, LAKE_METRIC_SIZE | LAKE_METRIC_NANS, 1 << 20, 0, 0, 2, {NULL, 0}, {NULL, 0}},
};

Test(encode, every_member_of_an_entry) {
    fixture f;
    fixture_init(&f);
    static const int64_t splits[] = {4, 1000000};
    lake_entry e = entry_of(f.nulls, VALUES);
    e.columns = columns;
    e.ncolumns = 2;
    e.split_offsets = splits;
    e.nsplit_offsets = 2;
    e.key_metadata = (lake_bytes){(const uint8_t *)"\xab", 1};
    e.has = LAKE_HAS_SORT_ORDER_ID | LAKE_HAS_FIRST_ROW_ID | LAKE_HAS_SEQUENCE_NUMBER | LAKE_HAS_FILE_SEQUENCE_NUMBER;
    e.sort_order_id = 2;
    e.first_row_id = 5000000000;
    e.sequence_number = 4;
    e.file_sequence_number = 5;
    static const struct {
        const char *path, *v1, *v2, *v3;
    } rows[] = {
        {"status", "1", "1", "1"},
        {"snapshot_id", "77", "null", "null"}, /* inherited from v2 on */
        {"sequence_number", "-", "4", "4"}, /* kept when given: apache/iceberg#3842 */
        {"file_sequence_number", "-", "5", "5"},
        {"data_file.content", "-", "0", "0"},
        {"data_file.file_path", "\"s3://b/t/data/f.parquet\"", "\"s3://b/t/data/f.parquet\"",
            "\"s3://b/t/data/f.parquet\""},
        {"data_file.file_format", "\"PARQUET\"", "\"PARQUET\"", "\"PARQUET\""},
        {"data_file.record_count", "3", "3", "3"},
        {"data_file.file_size_in_bytes", "1000", "1000", "1000"},
        {"data_file.block_size_in_bytes", "67108864", "-", "-"},
        {"data_file.file_ordinal", "-", "-", "-"},
        {"data_file.distinct_counts", "-", "-", "-"},
        {"data_file.column_sizes", "[{\"key\":1,\"value\":10},{\"key\":300,\"value\":1048576}]", "=", "="},
        {"data_file.value_counts", "[{\"key\":1,\"value\":3}]", "=", "="},
        {"data_file.null_value_counts", "[{\"key\":1,\"value\":0}]", "=", "="},
        {"data_file.nan_value_counts", "[{\"key\":300,\"value\":2}]", "=", "="},
        {"data_file.lower_bounds", "[{\"key\":1,\"value\":\"\"}]", "=", "="},
        {"data_file.upper_bounds", "[{\"key\":1,\"value\":\"0102\"}]", "=", "="},
        {"data_file.key_metadata", "\"ab\"", "=", "="},
        {"data_file.split_offsets", "[4,1000000]", "=", "="},
        {"data_file.equality_ids", "-", "null", "null"},
        {"data_file.sort_order_id", "2", "2", "2"},
        {"data_file.first_row_id", "-", "-", "5000000000"},
        {"data_file.referenced_data_file", "-", "null", "null"},
        {"data_file.content_offset", "-", "-", "null"},
        {"data_file.content_size_in_bytes", "-", "-", "null"},
    };
    for (int version = 1; version <= 3; version++) {
        lake_manifest_write_options o = options_of(&f, version);
        lake_manifest_file line;
        readback r;
        read_back(&f.arena, write_entries(&f, &o, &e, 1, &line), &r);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const char *want = version == 1 ? rows[i].v1 : version == 2 ? rows[i].v2 : rows[i].v3;
            cr_expect_str_eq(at(&f.arena, r.objects[0], rows[i].path), strcmp(want, "=") == 0 ? rows[i].v1 : want,
                "v%d %s", version, rows[i].path);
        }
    }
    lake_arena_clear(&f.arena);
}

Test(encode, deletion_vectors_and_equality_deletes) {
    fixture f;
    fixture_init(&f);
    static const int32_t ids[] = {1, 2};
    lake_entry dv = entry_of(f.nulls, VALUES), eq = dv;
    dv.content = LAKE_CONTENT_POSITION_DELETES;
    dv.file_format = LAKE_STR("PUFFIN");
    dv.has = LAKE_HAS_CONTENT_OFFSET | LAKE_HAS_CONTENT_SIZE | LAKE_HAS_FIRST_ROW_ID;
    dv.content_offset = 4;
    dv.content_size = 46;
    dv.referenced_data_file = LAKE_STR("s3://b/x");
    eq.content = LAKE_CONTENT_EQUALITY_DELETES;
    eq.equality_ids = ids;
    eq.nequality_ids = 2;
    lake_entry entries[] = {dv, eq};
    lake_manifest_write_options o = options_of(&f, 3);
    o.content = 1;
    lake_manifest_file line;
    readback r;
    read_back(&f.arena, write_entries(&f, &o, entries, 2, &line), &r);
    cr_expect_str_eq(at(&f.arena, r.objects[0], "data_file.content_offset"), "4");
    cr_expect_str_eq(at(&f.arena, r.objects[0], "data_file.content_size_in_bytes"), "46");
    cr_expect_str_eq(at(&f.arena, r.objects[0], "data_file.referenced_data_file"), "\"s3://b/x\"");
    cr_expect_str_eq(at(&f.arena, r.objects[0], "data_file.first_row_id"), "null"); /* never of delete files */
    cr_expect_str_eq(at(&f.arena, r.objects[1], "data_file.equality_ids"), "[1,2]");
    cr_expect_str_eq(at(&f.arena, r.objects[1], "data_file.content"), "2");
    lake_arena_clear(&f.arena);
}

/* ---- summaries and counts */

Test(encode, counts_by_status_and_the_smallest_sequence_number_of_live_files) {
    fixture f;
    fixture_init(&f);
    const uint32_t both = LAKE_HAS_SEQUENCE_NUMBER | LAKE_HAS_FILE_SEQUENCE_NUMBER;
    lake_entry entries[4];
    for (int i = 0; i < 4; i++) {
        entries[i] = entry_of(f.nulls, VALUES);
        entries[i].record_count = 1 << i;
    }
    entries[1].status = LAKE_ENTRY_EXISTING;
    entries[1].has = both;
    entries[1].sequence_number = 5;
    entries[2].status = LAKE_ENTRY_DELETED;
    entries[2].has = both;
    entries[2].sequence_number = 2;
    entries[3].status = LAKE_ENTRY_EXISTING;
    entries[3].has = both;
    entries[3].sequence_number = 9;
    lake_manifest_write_options o = options_of(&f, 2);
    lake_manifest_file line;
    lake_bytes bytes = write_entries(&f, &o, entries, 4, &line);
    cr_expect_eq(line.length, (int64_t)bytes.len);
    cr_expect(line.added_files == 1 && line.existing_files == 2 && line.deleted_files == 1);
    cr_expect(line.added_rows == 1 && line.existing_rows == 10 && line.deleted_rows == 4);
    cr_expect(line.sequence_number == -1 && line.min_sequence_number == 5);
    cr_expect(line.partitions[0].contains_null && !line.partitions[0].lower.ptr && !line.partitions[0].upper.ptr);
    lake_arena_clear(&f.arena);
}

static void summary_of(const char *type, const lake_datum *data, size_t n, lake_arena *arena, lake_field_summary *out) {
    lake_schema *schema;
    lake_spec *spec;
    lake_str text = lake_arena_printf(
        arena, "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"c\",\"required\":false,\"type\":\"%s\"}]}", type);
    cr_assert_eq(lake_schema_read(arena, parse(arena, text), &schema, NULL), LAKE_OK);
    text = LAKE_STR("[{\"source-id\":1,\"field-id\":1000,\"name\":\"c\",\"transform\":\"identity\"}]");
    cr_assert_eq(lake_spec_read(arena, parse(arena, text), &spec, NULL), LAKE_OK);
    lake_manifest_write_options o = {
        .format_version = 2, .schema = schema, .spec = spec, .codec = LAKE_CODEC_NONE, .level = -1};
    lake_manifest_writer *w;
    lake_manifest_file line;
    lake_bytes bytes;
    cr_assert_eq(lake_manifest_writer_open(&o, &w, NULL), LAKE_OK);
    for (size_t i = 0; i < n; i++) {
        lake_entry e = entry_of(&data[i], 1);
        cr_assert_eq(lake_manifest_writer_add(w, &e, NULL), LAKE_OK);
    }
    cr_assert_eq(lake_manifest_writer_finish(w, arena, &bytes, &line, NULL), LAKE_OK);
    lake_manifest_writer_close(w);
    *out = line.partitions[0];
}

Test(encode, summaries_leave_out_nan_and_order_zeros) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_field_summary s;
    const lake_datum floats[] = {
        {LAKE_DATUM_FLOAT, {.f = 0.0}}, {LAKE_DATUM_FLOAT, {.f = __builtin_nan("")}}, {LAKE_DATUM_FLOAT, {.f = -0.0}}};
    summary_of("double", floats, 3, &arena, &s);
    cr_expect(!s.contains_null && s.contains_nan == 1);
    cr_expect_str_eq(test_to_hex(&arena, s.lower), "0000000000000080");
    cr_expect_str_eq(test_to_hex(&arena, s.upper), "0000000000000000");
    summary_of("float", &floats[1], 1, &arena, &s);
    cr_expect(s.contains_nan == 1 && !s.lower.ptr && !s.upper.ptr);
    /* unsigned bytes, whole however long */
    char high[40], low[40];
    memset(high, 0xff, sizeof high);
    memset(low, 0x7f, sizeof low);
    const lake_datum bytes[] = {
        {LAKE_DATUM_BYTES, {.b = {(const uint8_t *)high, 40}}}, {LAKE_DATUM_BYTES, {.b = {(const uint8_t *)low, 40}}}};
    summary_of("binary", bytes, 2, &arena, &s);
    cr_expect(s.lower.len == 40 && s.lower.ptr[0] == 0x7f && s.upper.len == 40 && s.upper.ptr[39] == 0xff);
    lake_arena_clear(&arena);
}

/* ---- what is refused */

Test(encode, refuses_entries_that_break_the_format) {
    fixture f;
    fixture_init(&f);
    static const struct {
        const char *what;
        int version, content;
        lake_entry entry; /* members that differ */
        size_t npartition;
    } rows[] = {
        {"sequence numbers", 2, 0, {.status = LAKE_ENTRY_EXISTING}, VALUES},
        {"sequence numbers", 2, 0, {.status = LAKE_ENTRY_DELETED, .has = LAKE_HAS_SEQUENCE_NUMBER}, VALUES},
        {"one manifest", 2, 1, {.status = LAKE_ENTRY_ADDED, .content = 0}, VALUES},
        {"one manifest", 2, 0, {.status = LAKE_ENTRY_ADDED, .content = 1}, VALUES},
        {"equality ids", 2, 1, {.status = LAKE_ENTRY_ADDED, .content = 2}, VALUES},
        {"format version 3", 2, 1, {.status = LAKE_ENTRY_ADDED, .content = 1, .has = LAKE_HAS_CONTENT_OFFSET}, VALUES},
        {"its data file", 3, 1,
            {.status = LAKE_ENTRY_ADDED, .content = 1, .has = LAKE_HAS_CONTENT_OFFSET | LAKE_HAS_CONTENT_SIZE}, VALUES},
        {"spec of", 2, 0, {.status = LAKE_ENTRY_ADDED, .content = 0}, 1},
        {"unknown status", 2, 0, {.status = 3}, VALUES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lake_manifest_write_options o = options_of(&f, rows[i].version);
        o.content = (uint8_t)rows[i].content;
        lake_manifest_writer *w;
        lake_error err;
        lake_error_init(&err);
        lake_entry e = rows[i].entry;
        e.file_path = LAKE_STR("s3://b/f");
        e.file_format = LAKE_STR("PARQUET");
        e.partition = f.nulls;
        e.npartition = rows[i].npartition;
        cr_assert_eq(lake_manifest_writer_open(&o, &w, &err), LAKE_OK, "%s", err.message);
        cr_expect_eq(lake_manifest_writer_add(w, &e, &err), LAKE_ERR_MALFORMED, "row %zu", i);
        cr_expect(strstr(err.message, rows[i].what) && strstr(err.message, "s3://b/f"), "row %zu: %s", i, err.message);
        lake_manifest_writer_close(w);
    }
    lake_arena_clear(&f.arena);
}

Test(encode, refuses_values_that_do_not_fit) {
    fixture f;
    fixture_init(&f);
    const struct {
        size_t field;
        lake_datum datum;
    } rows[] = {
        {1, {LAKE_DATUM_INT, {.i = 3000000000}}}, /* int */
        {13, {LAKE_DATUM_INT, {.i = 1}}}, /* string */
        {16, {LAKE_DATUM_BYTES, {.b = {(const uint8_t *)"four", 4}}}}, /* fixed[3] */
        {5, {LAKE_DATUM_BYTES, {.b = {(const uint8_t *)"\x7f\0\0\0\0\0", 6}}}}, /* decimal(10, 2) */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lake_manifest_write_options o = options_of(&f, 2);
        lake_datum data[VALUES];
        memcpy(data, f.nulls, sizeof data);
        data[rows[i].field] = rows[i].datum;
        lake_entry e = entry_of(data, VALUES);
        lake_manifest_writer *w;
        lake_error err;
        lake_error_init(&err);
        cr_assert_eq(lake_manifest_writer_open(&o, &w, NULL), LAKE_OK);
        cr_expect_eq(lake_manifest_writer_add(w, &e, &err), LAKE_ERR_MALFORMED, "row %zu", i);
        cr_expect(strstr(err.message, "does not fit"), "row %zu: %s", i, err.message);
        lake_manifest_writer_close(w);
    }
    lake_arena_clear(&f.arena);
}

Test(encode, refuses_unknown_transforms_and_deletes_in_version_1) {
    fixture f;
    fixture_init(&f);
    lake_manifest_write_options o = options_of(&f, 1);
    lake_manifest_writer *w;
    lake_error err;
    lake_error_init(&err);
    o.content = 1;
    cr_expect_eq(lake_manifest_writer_open(&o, &w, &err), LAKE_ERR_UNSUPPORTED);
    o.content = 0;
    o.format_version = 4;
    cr_expect_eq(lake_manifest_writer_open(&o, &w, &err), LAKE_ERR_UNSUPPORTED);
    lake_spec *spec;
    lake_str text = LAKE_STR("[{\"source-id\":1,\"field-id\":1000,\"name\":\"z\",\"transform\":\"zorder[4]\"}]");
    cr_assert_eq(lake_spec_read(&f.arena, parse(&f.arena, text), &spec, NULL), LAKE_OK);
    o = options_of(&f, 2);
    o.spec = spec;
    cr_expect_eq(lake_manifest_writer_open(&o, &w, &err), LAKE_ERR_UNSUPPORTED);
    cr_expect(strstr(err.message, "zorder[4]"), "%s", err.message);
    lake_arena_clear(&f.arena);
}

/* ---- names */

Test(encode, partition_names_become_avro_names) {
    static const struct {
        const char *name, *avro;
    } rows[] = {
        {"ts_day", "ts_day"},
        {"ts.day", "ts_x2Eday"},
        {"9col", "_9col"},
        {"my col", "my_x20col"},
        {"ts-day", "ts_x2Dday"},
        {"a9", "a9"},
        {"\xf0\x9f\x98\x80", "_x1F600"},
        {"\xc3\xa9t\xc3\xa9", "_xE9t_xE9"},
        {"", "_"},
        {"815d\xe2\x80\xa6_day", "_815d_x2026_day"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lake_buffer out;
        lake_buffer_init(&out);
        bool changed = lake_avro_name(&out, lake_str_of(rows[i].name));
        cr_expect(lake_str_is(lake_buffer_view(&out), rows[i].avro), "%s became %.*s", rows[i].name,
            LAKE_ARG(lake_buffer_view(&out)));
        cr_expect_eq(changed, strcmp(rows[i].name, rows[i].avro) != 0);
        lake_buffer_clear(&out);
    }
}

Test(encode, real_names_stay_beside_and_same_names_are_told_apart) {
    fixture f;
    fixture_init(&f);
    lake_spec *spec;
    lake_str text = LAKE_STR("[{\"source-id\":2,\"field-id\":1000,\"name\":\"a-b\",\"transform\":\"identity\"},"
                             "{\"source-id\":2,\"field-id\":1001,\"name\":\"a_x2Db\",\"transform\":\"void\"}]");
    cr_assert_eq(lake_spec_read(&f.arena, parse(&f.arena, text), &spec, NULL), LAKE_OK);
    lake_manifest_write_options o = options_of(&f, 2);
    o.spec = spec;
    lake_manifest_file line;
    readback r;
    read_back(&f.arena, write_entries(&f, &o, NULL, 0, &line), &r);
    const lake_avro_type *partition = r.avro.schema->fields[4].type->fields[3].type;
    cr_assert_eq(partition->count, 2);
    cr_expect(lake_str_is(partition->fields[0].name, "a_x2Db_1000"));
    cr_expect(lake_str_is(lake_json_get(partition->fields[0].json, "iceberg-field-name")->text, "a-b"));
    cr_expect_eq(partition->fields[0].id, 1000);
    cr_expect(lake_str_is(partition->fields[1].name, "a_x2Db"));
    cr_expect_null(lake_json_get(partition->fields[1].json, "iceberg-field-name"));
    lake_arena_clear(&f.arena);
}

/* ---- codecs and blocks */

Test(encode, many_entries_in_blocks_of_each_codec) {
    fixture f;
    fixture_init(&f);
    static const lake_codec codecs[] = {LAKE_CODEC_NONE, LAKE_CODEC_DEFLATE, LAKE_CODEC_SNAPPY, LAKE_CODEC_ZSTD};
    enum { ENTRIES = 3000 };
    for (size_t c = 0; c < 4; c++) {
        lake_manifest_write_options o = options_of(&f, 2);
        o.codec = codecs[c];
        lake_entry *entries = LAKE_ARENA_ARRAY(&f.arena, lake_entry, ENTRIES);
        for (int i = 0; i < ENTRIES; i++) {
            entries[i] = entry_of(f.all, VALUES);
            entries[i].record_count = i;
        }
        lake_manifest_file line;
        lake_bytes bytes = write_entries(&f, &o, entries, ENTRIES, &line);
        lake_avro_reader r;
        lake_error err;
        lake_error_init(&err);
        lake_codec_scratch *scratch = lake_codec_scratch_new();
        lake_buffer decoded;
        lake_buffer_init(&decoded);
        uint64_t seen = 0, count;
        bool more = true;
        cr_assert_eq(lake_avro_open(&f.arena, bytes, &r, &err), LAKE_OK, "%s", err.message);
        for (;;) {
            lake_cursor objects;
            cr_assert_eq(
                lake_avro_next_block(&r, scratch, &decoded, &more, &count, &objects, &err), LAKE_OK, "%s", err.message);
            if (!more)
                break;
            cr_expect_leq(lake_cursor_left(&objects), 64 * 1024 + 1024);
            for (uint64_t i = 0; i < count; i++)
                cr_assert_eq(lake_avro_skip(&objects, r.schema, 0, &err), LAKE_OK, "%s", err.message);
            cr_assert_eq(lake_cursor_left(&objects), 0);
            seen += count;
        }
        cr_expect_eq(seen, ENTRIES);
        cr_expect_gt(r.block, 3);
        cr_expect_eq(line.added_rows, (int64_t)ENTRIES * (ENTRIES - 1) / 2);
        lake_buffer_clear(&decoded);
        lake_codec_scratch_free(scratch);
    }
    lake_arena_clear(&f.arena);
}

/* ---- lists */

static lake_manifest_file line_of(const char *path, int content, int64_t rows) {
    return (lake_manifest_file){.path = lake_str_of(path),
        .length = 1234,
        .spec_id = 3,
        .content = (uint8_t)content,
        .has = LAKE_HAS_ADDED_FILES | LAKE_HAS_EXISTING_FILES | LAKE_HAS_DELETED_FILES | LAKE_HAS_ADDED_ROWS |
            LAKE_HAS_EXISTING_ROWS | LAKE_HAS_DELETED_ROWS,
        .sequence_number = -1,
        .min_sequence_number = -1,
        .added_files = 2,
        .added_rows = rows,
        .existing_rows = 1};
}

static void write_list(fixture *f, const lake_manifest_list_options *o, const lake_manifest_file *lines, size_t n,
    int64_t *next, readback *r) {
    lake_error err;
    lake_error_init(&err);
    lake_buffer out;
    lake_buffer_init(&out);
    cr_assert_eq(lake_manifest_list_write(o, lines, n, &out, next, &err), LAKE_OK, "%s", err.message);
    read_back(&f->arena, lake_arena_bytes(&f->arena, out.data, out.len), r);
    lake_buffer_clear(&out);
}

Test(encode, lists_fill_sequence_numbers_and_first_row_ids) {
    fixture f;
    fixture_init(&f);
    const lake_field_summary summaries[] = {
        {true, 1, {NULL, 0}, {NULL, 0}}, {false, -1, {(const uint8_t *)"", 0}, {(const uint8_t *)"z", 1}}};
    lake_manifest_file lines[] = {line_of("m0", 0, 10), line_of("m1", 1, 5), line_of("m2", 0, 20), line_of("m3", 0, 7)};
    lines[2].has |= LAKE_HAS_FIRST_ROW_ID | LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_PARTITIONS;
    lines[2].first_row_id = 40;
    lines[2].added_snapshot_id = 9;
    lines[2].sequence_number = 6;
    lines[2].min_sequence_number = 2;
    lines[2].partitions = summaries;
    lines[2].npartitions = 2;
    lake_manifest_list_options o = {.format_version = 3,
        .snapshot_id = 99,
        .sequence_number = 8,
        .has_first_row_id = true,
        .first_row_id = 100,
        .codec = LAKE_CODEC_DEFLATE,
        .level = -1};
    readback r;
    int64_t next;
    write_list(&f, &o, lines, 4, &next, &r);
    static const struct {
        int line;
        const char *path, *want;
    } rows[] = {
        {0, "manifest_path", "\"m0\""},
        {0, "manifest_length", "1234"},
        {0, "partition_spec_id", "3"},
        {0, "content", "0"},
        {0, "sequence_number", "8"},
        {0, "min_sequence_number", "8"},
        {0, "added_snapshot_id", "99"},
        {0, "added_files_count", "2"},
        {0, "existing_files_count", "0"},
        {0, "deleted_files_count", "0"},
        {0, "added_rows_count", "10"},
        {0, "existing_rows_count", "1"},
        {0, "deleted_rows_count", "0"},
        {0, "partitions", "null"},
        {0, "key_metadata", "null"},
        {0, "first_row_id", "100"},
        {1, "content", "1"},
        {1, "first_row_id", "null"},
        {2, "first_row_id", "40"},
        {2, "added_snapshot_id", "9"},
        {2, "sequence_number", "6"},
        {2, "min_sequence_number", "2"},
        {2, "partitions",
            "[{\"contains_null\":true,\"contains_nan\":true,\"lower_bound\":null,\"upper_bound\":null},"
            "{\"contains_null\":false,\"contains_nan\":null,\"lower_bound\":\"\",\"upper_bound\":\"7a\"}]"},
        {3, "first_row_id", "111"},
    };
    cr_assert_eq(r.n, 4);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(at(&f.arena, r.objects[rows[i].line], rows[i].path), rows[i].want, "line %d: %s", rows[i].line,
            rows[i].path);
    cr_expect_eq(next, 119);
    cr_expect_str_eq(meta(&r, &f.arena, "snapshot-id"), "99");
    cr_expect_str_eq(meta(&r, &f.arena, "parent-snapshot-id"), "null");
    cr_expect_str_eq(meta(&r, &f.arena, "sequence-number"), "8");
    cr_expect_str_eq(meta(&r, &f.arena, "first-row-id"), "100");
    cr_expect_str_eq(meta(&r, &f.arena, "format-version"), "3");
    lake_arena_clear(&f.arena);
}

Test(encode, lists_of_version_1_and_2_have_their_fields_and_ids) {
    fixture f;
    fixture_init(&f);
    lake_manifest_file line = line_of("m0", 0, 10);
    for (int version = 1; version <= 2; version++) {
        lake_manifest_list_options o = {.format_version = version,
            .snapshot_id = 1,
            .has_parent = true,
            .parent_snapshot_id = 2,
            .sequence_number = 3,
            .codec = LAKE_CODEC_NONE,
            .level = -1};
        readback r;
        write_list(&f, &o, &line, 1, NULL, &r);
        cr_expect_str_eq(meta(&r, &f.arena, "parent-snapshot-id"), "2");
        cr_expect_str_eq(meta(&r, &f.arena, "sequence-number"), version == 1 ? "-" : "3");
        cr_expect_str_eq(at(&f.arena, r.objects[0], "content"), version == 1 ? "-" : "0");
        cr_expect_str_eq(at(&f.arena, r.objects[0], "first_row_id"), "-");
        for (size_t i = 0; i < r.avro.schema->count; i++)
            for (size_t k = 0; k < lake_layout_list.nfields; k++)
                if (lake_str_is(r.avro.schema->fields[i].name, lake_layout_list.fields[k].name))
                    cr_expect_eq(r.avro.schema->fields[i].id, lake_layout_list.fields[k].id);
    }
    /* counts of a v1 list may be unknown, but v2 requires them */
    line.has = 0;
    lake_buffer out;
    lake_buffer_init(&out);
    lake_manifest_list_options o = {.format_version = 1, .snapshot_id = 1, .codec = LAKE_CODEC_NONE, .level = -1};
    cr_expect_eq(lake_manifest_list_write(&o, &line, 1, &out, NULL, NULL), LAKE_OK);
    o.format_version = 2;
    cr_expect_eq(lake_manifest_list_write(&o, &line, 1, &out, NULL, NULL), LAKE_ERR_MALFORMED);
    lake_buffer_clear(&out);
    lake_arena_clear(&f.arena);
}

/* ---- memory */

static lake_status write_once(void *user, lake_error *err) {
    fixture *f = user;
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_manifest_write_options o = options_of(f, 2);
    lake_entry e = entry_of(f->all, VALUES);
    e.columns = columns;
    e.ncolumns = 2;
    lake_manifest_writer *w;
    lake_manifest_file line;
    lake_bytes bytes;
    lake_buffer list;
    lake_buffer_init(&list);
    lake_status status = lake_manifest_writer_open(&o, &w, err);
    if (status == LAKE_OK) {
        status = lake_manifest_writer_add(w, &e, err);
        if (status == LAKE_OK)
            status = lake_manifest_writer_finish(w, &arena, &bytes, &line, err);
        lake_manifest_writer_close(w);
    }
    line.path = LAKE_STR("m");
    lake_manifest_list_options lo = {.format_version = 2, .snapshot_id = 1, .codec = LAKE_CODEC_NONE, .level = -1};
    if (status == LAKE_OK)
        status = lake_manifest_list_write(&lo, &line, 1, &list, NULL, err);
    lake_buffer_clear(&list);
    lake_arena_clear(&arena);
    return status;
}

Test(encode, every_failing_allocation_ends_in_a_clean_error) {
    fixture f;
    fixture_init(&f);
    test_every_allocation(write_once, &f);
    lake_arena_clear(&f.arena);
}
