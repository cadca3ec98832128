/* See tables.h. */
#include "tests/writer/tables.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

const char *const test_schema = "{\"type\":\"struct\",\"schema-id\":7,\"x-mine\":true,\"fields\":[{\"id\":1,\"name\":"
                                "\"id\",\"required\":true,\"type\":"
                                "\"long\"},{\"id\":4,\"name\":\"d\",\"required\":false,\"type\":\"date\"},{\"id\":9,"
                                "\"name\":\"s\",\"required\":false,"
                                "\"type\":\"string\"}]}";

void test_place_init(test_place *p) {
    char path[128];
    strcpy(p->dir, "/tmp/lake-write-XXXXXX");
    cr_assert(mkdtemp(p->dir));
    snprintf(p->table, sizeof p->table, "%s/t", p->dir);
    snprintf(path, sizeof path, "%s/schema.json", p->dir);
    FILE *f = fopen(path, "w");
    fputs(test_schema, f);
    fclose(f);
    cr_assert_eq(lake_session_open(NULL, &p->session, NULL), LAKE_OK);
}

lake_table *test_create(test_place *p, int version, const char *partition_by, const char *const *properties, size_t n) {
    char schema[128];
    snprintf(schema, sizeof schema, "%s/schema.json", p->dir);
    lake_create_options o = LAKE_CREATE_OPTIONS_INIT;
    o.schema = schema;
    o.partition_by = partition_by;
    o.format_version = version;
    o.properties = properties;
    o.nproperties = n;
    lake_error err;
    lake_error_init(&err);
    lake_table *t;
    cr_assert_eq(lake_table_create(p->session, p->table, &o, &t, &err), LAKE_OK, "%s", err.message);
    return t;
}

size_t test_count_files(const test_place *p) {
    char path[128];
    snprintf(path, sizeof path, "%s/metadata", p->table);
    DIR *d = opendir(path);
    size_t n = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    if (d)
        closedir(d);
    return n;
}

const char *test_write_manifest(test_place *p, const lake_table *t, const test_manifest *m) {
    static char path[256];
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_manifest_write_options o = {.format_version = m->version,
        .content = m->content,
        .schema = m->schema ? m->schema : t->metadata->schema,
        .spec = m->spec ? m->spec : t->metadata->spec,
        .has_snapshot_id = m->has_snapshot_id,
        .snapshot_id = m->snapshot_id,
        .codec = LAKE_CODEC_DEFLATE,
        .level = -1};
    lake_manifest_writer *w;
    lake_manifest_file line;
    lake_bytes bytes;
    lake_error err;
    lake_error_init(&err);
    lake_store plain = {0};
    cr_assert_eq(lake_manifest_writer_open(&o, &w, &err), LAKE_OK, "%s", err.message);
    for (size_t i = 0; i < m->n; i++) {
        lake_entry e = m->like;
        e.file_path = lake_arena_printf(&a, "%s/data/%s-%zu.parquet", p->table, m->name, i);
        e.file_format = LAKE_STR("PARQUET");
        cr_assert_eq(lake_manifest_writer_add(w, &e, &err), LAKE_OK, "%s", err.message);
    }
    cr_assert_eq(lake_manifest_writer_finish(w, &a, &bytes, &line, &err), LAKE_OK, "%s", err.message);
    snprintf(path, sizeof path, "%s/%s.avro", p->dir, m->name);
    cr_assert_eq(lake_store_create(&plain, lake_str_of(path), bytes, &err), LAKE_OK, "%s", err.message);
    lake_manifest_writer_close(w);
    lake_arena_clear(&a);
    return path;
}

lake_status test_commit(lake_table *t, const char *manifest, const lake_commit_options *o, lake_arena *a,
    lake_json **report, lake_error *err) {
    lake_buffer out;
    lake_buffer_init(&out);
    lake_sink sink = lake_buffer_sink(&out);
    lake_status s = lake_table_commit(t, &manifest, 1, o, &sink, err);
    if (s == LAKE_OK && report)
        cr_assert_eq(lake_json_parse(a, lake_buffer_view(&out), "report", report, err), LAKE_OK, "%s", err->message);
    lake_buffer_clear(&out);
    return s;
}

int64_t test_i64(const lake_json *object, const char *key) {
    int64_t n = INT64_MIN;
    const lake_json *v = lake_json_get(object, key);
    cr_assert(v, "no %s", key);
    lake_json number = {.kind = LAKE_JSON_NUMBER, .text = v->text};
    cr_assert(lake_json_i64(&number, &n), "%s", key);
    return n;
}

lake_str test_str(const lake_json *object, const char *key) {
    const lake_json *v = lake_json_find(object, key);
    return v ? v->text : (lake_str){NULL, 0};
}
