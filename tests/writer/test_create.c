/* New tables: the documents of each format version (required members: spec.md, "Table Metadata Fields"), schemas,
   specs, sort orders and properties as given, and what is refused. Appends of real files are compared with the corpus'
   own figures. */
#include "tests/writer/tables.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static lake_error err;
static void ok(lake_status s) {
    cr_assert_eq(s, LAKE_OK, "%s: %s", lake_status_name(s), err.message);
}

Test(create, each_format_version_has_the_members_that_it_requires) {
    static const char *const all[] = {"format-version", "location", "last-updated-ms", "last-column-id", "table-uuid",
        "schemas", "current-schema-id", "partition-specs", "default-spec-id", "last-partition-id", "sort-orders",
        "default-sort-order-id"};
    for (int version = 1; version <= 3; version++) {
        test_place p;
        test_place_init(&p);
        lake_table *t = test_create(&p, version, "months(d), bucket(16, id)", NULL, 0);
        const lake_metadata *m = t->metadata;
        const lake_json *j = m->json;
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            cr_assert(lake_json_find(j, all[i]), "v%d lacks %s", version, all[i]);
        cr_assert_eq(m->format_version, version);
        cr_assert_eq(lake_json_get(j, "schema") != NULL, version == 1);
        cr_assert_eq(lake_json_get(j, "partition-spec") != NULL, version == 1);
        cr_assert_eq(lake_json_get(j, "last-sequence-number") != NULL, version > 1);
        cr_assert_eq(lake_json_get(j, "next-row-id") != NULL, version > 2);
        cr_assert(!m->snapshot && !lake_json_get(j, "current-snapshot-id"));
        cr_assert(lake_str_is(m->location, p.table) && m->uuid.len == 36 && m->uuid.ptr[14] == '4');
        cr_assert(m->last_column_id == 9 && m->schema->id == 0 && lake_json_get(m->schema->json, "x-mine"));
        cr_assert(lake_schema_field(m->schema, 4) && lake_schema_field(m->schema, 9), "ids are those given");
        cr_assert(m->spec->nfields == 2 && m->spec->fields[0].id == 1000 && m->spec->fields[1].id == 1001 &&
            m->last_partition_id == 1001);
        cr_assert(lake_str_is(m->spec->fields[0].name, "d_month") && lake_str_is(m->spec->fields[1].name, "id_bucket"));
        cr_assert(m->nsort_orders == 1 && m->default_sort_order_id == 0);
        cr_assert_eq(test_count_files(&p), 2);
        lake_table_close(t);
        lake_session_close(p.session);
    }
}

Test(create, what_is_there_is_left_alone) {
    test_place p;
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0), *again;
    char schema[128];
    snprintf(schema, sizeof schema, "%s/schema.json", p.dir);
    lake_create_options o = LAKE_CREATE_OPTIONS_INIT;
    o.schema = schema;
    lake_str uuid = t->metadata->uuid;
    cr_assert_eq(lake_table_create(p.session, p.table, &o, &again, &err), LAKE_ERR_EXISTS);
    ok(lake_table_open(p.session, p.table, &again, &err));
    cr_assert(lake_str_eq(again->metadata->uuid, uuid));
    lake_table_close(again);
    lake_table_close(t);
    lake_session_close(p.session);
}

typedef struct wish {
    const char *sort, *expected; /* JSON; NULL: refused */
} wish;

Test(create, sort_orders_are_read_as_people_write_them) {
    static const wish wishes[] = {
        {"id", "[{\"transform\":\"identity\",\"source-id\":1,\"direction\":\"asc\",\"null-order\":\"nulls-first\"}]"},
        {"id desc",
            "[{\"transform\":\"identity\",\"source-id\":1,\"direction\":\"desc\",\"null-order\":\"nulls-last\"}]"},
        {" s ASC NULLS LAST , bucket(4, id) desc nulls first",
            "[{\"transform\":\"identity\",\"source-id\":9,\"direction\":\"asc\",\"null-order\":\"nulls-last\"},"
            "{\"transform\":\"bucket[4]\",\"source-id\":1,\"direction\":\"desc\",\"null-order\":\"nulls-first\"}]"},
        {"days(d) nulls last",
            "[{\"transform\":\"day\",\"source-id\":4,\"direction\":\"asc\",\"null-order\":\"nulls-last\"}]"},
        {"nothing", NULL},
        {"id,", NULL},
        {"id nulls", NULL},
        {"desc", NULL},
        {"years(id)", NULL},
    };
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        test_place p;
        test_place_init(&p);
        char schema[128];
        snprintf(schema, sizeof schema, "%s/schema.json", p.dir);
        lake_create_options o = LAKE_CREATE_OPTIONS_INIT;
        o.schema = schema;
        o.sort_by = wishes[i].sort;
        lake_table *t;
        lake_status s = lake_table_create(p.session, p.table, &o, &t, &err);
        if (!wishes[i].expected) {
            cr_assert_eq(s, LAKE_ERR_USAGE, "%s: %s", wishes[i].sort, err.message);
            cr_assert(!t && access(p.table, F_OK) != 0, "nothing may be left behind");
            lake_session_close(p.session);
            continue;
        }
        ok(s);
        cr_assert(t->metadata->default_sort_order_id == 1 && t->metadata->nsort_orders == 1);
        lake_buffer b;
        lake_buffer_init(&b);
        lake_json_print(&b, lake_json_get(t->metadata->sort_orders[0]->json, "fields"), 0);
        lake_buffer_char(&b, 0);
        cr_assert_str_eq((char *)b.data, wishes[i].expected);
        lake_buffer_clear(&b);
        lake_table_close(t);
        lake_session_close(p.session);
    }
}

static lake_status create_with(
    const char *schema_text, int version, const char *const *props, size_t n, const char *by) {
    test_place p;
    test_place_init(&p);
    char schema[128];
    snprintf(schema, sizeof schema, "%s/other.json", p.dir);
    FILE *f = fopen(schema, "w");
    fputs(schema_text, f);
    fclose(f);
    lake_create_options o = LAKE_CREATE_OPTIONS_INIT;
    o.schema = schema;
    o.format_version = version;
    o.properties = props;
    o.nproperties = n;
    o.partition_by = by;
    lake_table *t;
    lake_status s = lake_table_create(p.session, p.table, &o, &t, &err);
    if (s != LAKE_OK)
        cr_assert(access(p.table, F_OK) != 0, "nothing may be left behind: %s", err.message);
    lake_table_close(t);
    lake_session_close(p.session);
    return s;
}

#define FIELD(more) "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\"," more "}]}"

Test(create, what_cannot_be_is_refused) {
    static const char *const v3_only[] = {FIELD("\"required\":false,\"type\":\"variant\""),
        FIELD("\"required\":false,\"type\":\"unknown\""), FIELD("\"required\":false,\"type\":\"timestamp_ns\""),
        FIELD("\"required\":false,\"type\":\"timestamptz_ns\""), FIELD("\"required\":false,\"type\":\"geometry\""),
        FIELD("\"required\":false,\"type\":\"geography\""),
        FIELD("\"required\":true,\"type\":\"int\",\"initial-default\":5"),
        FIELD("\"required\":true,\"type\":\"int\",\"write-default\":5"),
        FIELD("\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":2,\"element-required\":true,\"element\":"
              "\"timestamp_ns\"}")};
    for (size_t i = 0; i < sizeof v3_only / sizeof *v3_only; i++) {
        cr_assert_eq(create_with(v3_only[i], 1, NULL, 0, NULL), LAKE_ERR_USAGE, "%s", v3_only[i]);
        cr_assert_eq(create_with(v3_only[i], 2, NULL, 0, NULL), LAKE_ERR_USAGE, "%s", v3_only[i]);
        cr_assert(strstr(err.message, "format version 3") && strstr(err.message, "'a"), "%s", err.message);
        ok(create_with(v3_only[i], 3, NULL, 0, NULL));
    }
    cr_assert_eq(create_with(FIELD("\"required\":true,\"type\":\"unknown\""), 3, NULL, 0, NULL), LAKE_ERR_USAGE);
    cr_assert_eq(
        create_with("{\"type\":\"struct\",\"fields\":[{\"id\":0,\"name\":\"a\",\"required\":true,\"type\":\"int\"}]}",
            2, NULL, 0, NULL),
        LAKE_ERR_USAGE);
    cr_assert_eq(
        create_with(
            "{\"type\":\"struct\",\"fields\":[{\"id\":2147483546,\"name\":\"a\",\"required\":true,\"type\":\"int\"}]}",
            2, NULL, 0, NULL),
        LAKE_ERR_USAGE);
    cr_assert_eq(create_with("{", 2, NULL, 0, NULL), LAKE_ERR_MALFORMED);
    cr_assert_eq(create_with("[]", 2, NULL, 0, NULL), LAKE_ERR_MALFORMED);
    cr_assert_eq(create_with(test_schema, 4, NULL, 0, NULL), LAKE_ERR_USAGE);
    cr_assert_eq(create_with(test_schema, 2, NULL, 0, "months(id)"), LAKE_ERR_USAGE);
    static const char *const bad[] = {
        "novalue", "=x", "uuid=1", "format-version=9", "write.metadata.compression-codec=zip"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_neq(create_with(test_schema, 0, &bad[i], 1, NULL), LAKE_OK, "%s", bad[i]);
}

Test(create, properties_choose_version_and_compression) {
    test_place p;
    test_place_init(&p);
    static const char *const props[] = {"format-version=3", "write.metadata.compression-codec=gzip", "a=b=c"};
    lake_table *t = test_create(&p, 0, NULL, props, 3);
    lake_arena a;
    lake_arena_init(&a, 0);
    cr_assert(t->metadata->format_version == 3 && lake_str_is(lake_metadata_property(t->metadata, "a"), "b=c"));
    cr_assert(!lake_metadata_property(t->metadata, "format-version").ptr);
    cr_assert(lake_str_ends(t->at.metadata_location, LAKE_STR("/v1.gz.metadata.json")));
    lake_entry e = {.status = LAKE_ENTRY_ADDED, .record_count = 1, .file_size = 1};
    ok(test_commit(t, test_write_manifest(&p, t, &(test_manifest){"m", 3, .like = e, .n = 1}), NULL, &a, NULL, &err));
    cr_assert(lake_str_ends(t->at.metadata_location, LAKE_STR("/v2.gz.metadata.json")));
    lake_bytes b = test_file(&a, lake_arena_str(&a, t->at.metadata_location.ptr, t->at.metadata_location.len).ptr);
    cr_assert(b.ptr[0] == 0x1f && b.ptr[1] == 0x8b);
    lake_arena_clear(&a);
    lake_table_close(t);
    lake_session_close(p.session);
}

static lake_status create_once(void *user, lake_error *e) {
    test_place *p = user;
    char schema[128], command[160];
    snprintf(schema, sizeof schema, "%s/schema.json", p->dir);
    lake_create_options o = LAKE_CREATE_OPTIONS_INIT;
    o.schema = schema;
    o.partition_by = "months(d)";
    o.sort_by = "id desc";
    lake_table *t;
    lake_status s = lake_table_create(p->session, p->table, &o, &t, e);
    if (s == LAKE_OK)
        lake_table_close(t);
    /* Opening what was made may fail behind the creation: then the table is there, whole. */
    snprintf(command, sizeof command, "rm -rf %s", p->table);
    cr_assert_eq(system(command), 0);
    return s;
}

Test(create, every_failing_allocation_is_clean, .timeout = 120) {
    test_place p;
    test_place_init(&p);
    test_every_allocation(create_once, &p);
    lake_session_close(p.session);
}

/* ---- append */

static size_t list_files(const char *root, const char *table, char out[][512], size_t room) {
    char path[1024];
    size_t n = 0;
    snprintf(path, sizeof path, "find %s/given/%s/data -name '*.parquet' | sort", root, table);
    FILE *f = popen(path, "r");
    while (n < room && fgets(out[n], 512, f)) {
        out[n][strcspn(out[n], "\n")] = 0;
        n++;
    }
    pclose(f);
    return n;
}

Test(append, files_of_the_corpus_give_the_figures_that_their_own_table_has) {
    const char *root = getenv("LAKE_CORPUS");
    if (!root || !*root)
        root = LAKE_SOURCE_ROOT "/../shared/corpus";
    static char paths[64][512];
    size_t n = list_files(root, "sales_month", paths, 64);
    if (!n)
        cr_skip_test("corpus absent: %s", root);
    test_place p;
    test_place_init(&p);
    lake_create_options o = LAKE_CREATE_OPTIONS_INIT;
    o.schema = paths[0];
    o.partition_by = "months(order_date)";
    lake_table *t;
    ok(lake_table_create(p.session, p.table, &o, &t, &err));
    cr_assert(!lake_metadata_property(t->metadata, "schema.name-mapping.default").ptr, "these files have field ids");
    const char *files[64];
    for (size_t i = 0; i < n; i++)
        files[i] = paths[i];
    lake_manifest_options mo = LAKE_MANIFEST_OPTIONS_INIT;
    mo.files = files;
    mo.nfiles = n;
    size_t before = test_count_files(&p);
    lake_commit_options co = LAKE_COMMIT_OPTIONS_INIT;
    static const char *const extra[] = {"job=nightly"}, *const ours[] = {"total-records=5"};
    co.dry_run = 1;
    ok(lake_table_append(t, &mo, &co, NULL, &err));
    cr_assert_eq(test_count_files(&p), before);
    co.dry_run = 0;
    co.summary = ours;
    co.nsummary = 1;
    cr_assert_eq(lake_table_append(t, &mo, &co, NULL, &err), LAKE_ERR_USAGE);
    cr_assert_eq(test_count_files(&p), before, "a refused append leaves nothing");
    co.summary = extra;
    ok(lake_table_append(t, &mo, &co, NULL, &err));
    /* 12 files, 180 records and 17,493 bytes: the official library's own summary of this table; 6 folders. */
    const lake_json *sum = t->metadata->snapshot->summary;
    cr_assert(test_i64(sum, "total-data-files") == 12 && test_i64(sum, "total-records") == 180);
    cr_assert(test_i64(sum, "total-files-size") == 17493 && test_i64(sum, "changed-partition-count") == 6);
    cr_assert(lake_str_is(test_str(sum, "job"), "nightly"));
    cr_assert_eq(test_count_files(&p), before + 3);
    files[0] = "/nowhere.parquet";
    cr_assert_eq(lake_table_append(t, &mo, NULL, NULL, &err), LAKE_ERR_NOT_FOUND);
    cr_assert_eq(test_count_files(&p), before + 3);
    lake_table_close(t);
    lake_session_close(p.session);
}
