/* Commits without a snapshot: they are made on the newest state, keep what nobody here knows, and say what they did. */
#include "lake/maintain.h"
#include "tests/writer/tables.h"

#include <stdio.h>

static lake_error err;

static void ok(lake_status s) {
    cr_assert_eq(s, LAKE_OK, "%s: %s", lake_status_name(s), err.message);
}

static lake_status set_one(lake_table *t, const char *pair) {
    lake_error_init(&err);
    return lake_table_set_properties(t, &pair, 1, NULL, 0, NULL, NULL, &err);
}

static lake_status alter(
    lake_table *t, lake_alteration_kind kind, const char *column, const char *to, const char *parent) {
    lake_alteration step = LAKE_ALTERATION_INIT;
    step.kind = kind;
    step.column = column;
    step.to = to;
    step.parent = parent;
    lake_error_init(&err);
    return lake_table_alter(t, &step, 1, NULL, NULL, &err);
}

/* The next version of the table in a folder, as another writer makes it. */
static void write_version(test_place *p, int version, const char *text) {
    char path[160], hint[160], number[16];
    lake_store plain = {0};
    snprintf(path, sizeof path, "%s/metadata/v%d.metadata.json", p->table, version);
    snprintf(hint, sizeof hint, "%s/metadata/version-hint.text", p->table);
    snprintf(number, sizeof number, "%d", version);
    ok(lake_store_create(&plain, lake_str_of(path), lake_bytes_of(lake_str_of(text)), &err));
    ok(lake_store_replace(&plain, lake_str_of(hint), lake_bytes_of(lake_str_of(number)), &err));
}

Test(edits, two_handles_that_read_the_same_state_lose_nothing) {
    test_place p;
    test_place_init(&p);
    lake_table *a = test_create(&p, 2, NULL, NULL, 0), *b;
    ok(lake_table_open(p.session, p.table, &b, &err));
    ok(set_one(a, "x=1"));
    ok(set_one(b, "y=2"));
    cr_assert(lake_str_is(lake_metadata_property(b->metadata, "x"), "1"));
    cr_assert(lake_str_is(lake_metadata_property(b->metadata, "y"), "2"));
    cr_assert_eq(b->metadata->nmetadata_log, 2);
    lake_table_close(a);
    lake_table_close(b);
    lake_session_close(p.session);
}

Test(edits, what_is_so_already_makes_no_version) {
    static const char *const gone[] = {"never.there"};
    test_place p;
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    ok(set_one(t, "x=1"));
    size_t files = test_count_files(&p);
    ok(set_one(t, "x=1"));
    ok(set_one(t, "format-version=2"));
    ok(lake_table_set_properties(t, NULL, 0, gone, 1, NULL, NULL, &err));
    cr_assert_eq(test_count_files(&p), files);
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(edits, a_change_that_cannot_be_written_is_refused) {
    static const char *const bad[] = {
        "write.metadata.compression-codec=lz4", "format-version=1", "format-version=9", "uuid=1", "novalue", "=x"};
    test_place p;
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    size_t files = test_count_files(&p);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lake_status s = set_one(t, bad[i]);
        cr_assert(s == LAKE_ERR_USAGE || s == LAKE_ERR_UNSUPPORTED, "%s", bad[i]);
        cr_assert(err.message[0]);
    }
    cr_assert_eq(test_count_files(&p), files);
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(edits, an_old_v1_table_is_upgraded_and_keeps_what_is_unknown) {
    for (int version = 2; version <= 3; version++) {
        test_place p;
        char text[800], pair[32];
        test_place_init(&p);
        lake_table *t = test_create(&p, 1, NULL, NULL, 0);
        snprintf(text, sizeof text,
            "{\"format-version\":1,\"location\":\"%s\",\"last-updated-ms\":1500,\"last-column-id\":7,\"schema\":{"
            "\"type\":"
            "\"struct\",\"fields\":[{\"id\":7,\"name\":\"a\",\"required\":false,\"type\":\"long\",\"x-unknown\":[1]}]},"
            "\"partition-spec\":[{\"source-id\":7,\"transform\":\"identity\",\"name\":\"a\"}],\"x-big\":"
            "123456789012345678901234567890,\"properties\":{\"write.metadata.compression-codec\":\"lz4\"}}",
            p.table);
        write_version(&p, 2, text);
        snprintf(pair, sizeof pair, "format-version=%d", version);
        const char *const set[] = {pair}, *const unset[] = {"write.metadata.compression-codec"};
        ok(lake_table_set_properties(t, set, 1, unset, 1, NULL, NULL, &err));
        const lake_metadata *m = t->metadata;
        cr_assert(m->format_version == version && m->uuid.ptr && m->nschemas == 1 && m->nspecs == 1);
        cr_assert(m->schema->id == 0 && m->spec->id == 0 && m->spec->fields[0].id == 1000);
        cr_assert_eq(m->last_partition_id, 1000);
        cr_assert(lake_str_is(lake_json_get(m->json, "x-big")->text, "123456789012345678901234567890"));
        const lake_json *schema = lake_json_get(m->json, "schemas")->items[0];
        cr_assert(lake_json_get(lake_json_get(schema, "fields")->items[0], "x-unknown"));
        cr_assert(!lake_json_get(m->json, "schema") && !lake_json_get(m->json, "partition-spec"));
        cr_assert_eq(lake_json_get(m->json, "next-row-id") != NULL, version == 3);
        cr_assert(m->nmetadata_log == 1 && m->metadata_log[0].timestamp_ms == 1500);
        cr_assert(lake_str_ends(m->metadata_log[0].metadata_file, LAKE_STR("/metadata/v2.metadata.json")));
        cr_assert_geq(m->last_updated_ms, 1500);
        lake_table_close(t);
        lake_session_close(p.session);
    }
}

Test(edits, a_snapshots_options_are_refused) {
    static const char *const pair[] = {"a=1"};
    lake_commit_options o = LAKE_COMMIT_OPTIONS_INIT;
    test_place p;
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    o.branch = "b";
    cr_assert_eq(lake_table_set_properties(t, pair, 1, NULL, 0, &o, NULL, &err), LAKE_ERR_USAGE);
    o.branch = NULL;
    o.summary = pair;
    o.nsummary = 1;
    cr_assert_eq(lake_table_set_properties(t, pair, 1, NULL, 0, &o, NULL, &err), LAKE_ERR_USAGE);
    lake_table_close(t);
    lake_session_close(p.session);
}

/* A table with nested columns, a name mapping, an order and members nobody knows. */
static lake_table *nested(test_place *p, int version) {
    char text[3000];
    test_place_init(p);
    lake_table *t = test_create(p, version, NULL, NULL, 0);
    const char *const schema =
        "{\"type\":\"struct\",\"schema-id\":0,\"identifier-field-ids\":[1],\"x-schema\":1,\"fields\":["
        "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\"},"
        "{\"id\":2,\"name\":\"p\",\"required\":true,\"type\":\"int\",\"x-field\":2},"
        "{\"id\":3,\"name\":\"s\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
        "{\"id\":4,\"name\":\"a\",\"required\":false,\"type\":\"float\"},"
        "{\"id\":5,\"name\":\"b\",\"required\":false,\"type\":\"decimal(5, 2)\"}]}},"
        "{\"id\":6,\"name\":\"l\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":7,"
        "\"element-required\":true,\"element\":{\"type\":\"struct\",\"fields\":["
        "{\"id\":8,\"name\":\"x\",\"required\":false,\"type\":\"int\"}]}}},"
        "{\"id\":9,\"name\":\"m\",\"required\":false,\"type\":{\"type\":\"map\",\"key-id\":10,"
        "\"key\":\"int\",\"value-id\":11,\"value-required\":false,\"value\":\"int\"}},"
        "{\"id\":12,\"name\":\"o\",\"required\":false,\"type\":\"string\"}]}";
    snprintf(text, sizeof text,
        "{\"format-version\":%d,\"table-uuid\":\"%.*s\",\"location\":\"%s\","
        "\"last-sequence-number\":0,\"last-updated-ms\":1,\"last-column-id\":20,\"current-schema-id\":0,%s%s%s"
        "\"schemas\":[%s],\"default-spec-id\":0,\"partition-spec\":[],\"partition-specs\":[{\"spec-id\":0,\"fields\":"
        "[{\"source-id\":2,\"field-id\":1000,\"name\":\"p_bucket\",\"transform\":\"bucket[4]\"}]}],"
        "\"last-partition-id\":1000,\"default-sort-order-id\":1,\"sort-orders\":[{\"order-id\":1,\"fields\":"
        "[{\"source-id\":12,\"transform\":\"identity\",\"direction\":\"asc\",\"null-order\":\"nulls-first\"}]}],"
        "\"next-row-id\":0,\"properties\":{\"write.metadata.metrics.column.s\":\"none\","
        "\"write.metadata.metrics.column.s.a\":\"full\",\"write.metadata.metrics.column.sx\":\"full\","
        "\"schema.name-mapping.default\":\"[{\\\"field-id\\\":1,\\\"names\\\":[\\\"id\\\"]},"
        "{\\\"field-id\\\":3,\\\"names\\\":[\\\"s\\\",\\\"new\\\"],\\\"fields\\\":[{\\\"field-id\\\":4,"
        "\\\"names\\\":[\\\"a\\\"]}]}]\"}}",
        version, LAKE_ARG(t->metadata->uuid), p->table, version == 1 ? "\"schema\":" : "", version == 1 ? schema : "",
        version == 1 ? "," : "", schema);
    write_version(p, 2, text);
    return t;
}

static const lake_field *column(const lake_table *t, const char *name) {
    const lake_field *f = NULL;
    return lake_schema_find_name(t->metadata->schema, lake_str_of(name), true, &f, 1) == 1 ? f : NULL;
}

Test(edits, columns_are_altered_at_every_depth_and_keep_their_ids) {
    for (int version = 1; version <= 3; version++) {
        test_place p;
        lake_table *t = nested(&p, version);
        ok(alter(t, LAKE_ADD_COLUMN, "c", "decimal(7,3)", "s"));
        cr_assert(column(t, "s.c")->id == 21 && !column(t, "s.c")->required);
        ok(alter(t, LAKE_ADD_COLUMN, "y", "string", "l"));
        cr_assert_eq(column(t, "l.element.y")->id, 22);
        ok(alter(t, LAKE_WIDEN_COLUMN, "s.a", "double", NULL));
        ok(alter(t, LAKE_WIDEN_COLUMN, "s.b", "decimal(9,2)", NULL));
        ok(alter(t, LAKE_WIDEN_COLUMN, "l.element.x", "long", NULL));
        ok(alter(t, LAKE_WIDEN_COLUMN, "m.value", "long", NULL));
        cr_assert(column(t, "s.a")->type.id == LAKE_DOUBLE && column(t, "s.b")->type.precision == 9);
        cr_assert(column(t, "l.element.x")->type.id == LAKE_LONG && column(t, "m.value")->type.id == LAKE_LONG);
        ok(alter(t, LAKE_MAKE_OPTIONAL, "l.element", NULL, NULL));
        ok(alter(t, LAKE_MAKE_OPTIONAL, "p", NULL, NULL));
        cr_assert(!column(t, "l.element")->required && !column(t, "p")->required);
        ok(alter(t, LAKE_MOVE_FIRST, "s.c", NULL, NULL));
        ok(alter(t, LAKE_MOVE_AFTER, "s.c", "s.a", NULL));
        ok(alter(t, LAKE_MOVE_BEFORE, "s.b", "s.a", NULL));
        const lake_type *s = &column(t, "s")->type;
        cr_assert(s->fields[0].id == 5 && s->fields[1].id == 4 && s->fields[2].id == 21);
        ok(alter(t, LAKE_DROP_COLUMN, "l.element.x", NULL, NULL));
        ok(alter(t, LAKE_RENAME_COLUMN, "s.a", "z", NULL));
        cr_assert(!column(t, "l.element.x") && column(t, "s.z")->id == 4 && !column(t, "s.a"));
        const lake_metadata *m = t->metadata;
        cr_assert(m->last_column_id == 22 && m->schema->id == 13 && m->nschemas == 14);
        cr_assert(lake_json_get(m->schema->json, "x-schema") && m->schema->nidentifier_ids == 1);
        cr_assert(lake_json_get(lake_json_get(m->schema->json, "fields")->items[1], "x-field"));
        cr_assert_eq(lake_json_get(m->json, "schema") != NULL, version == 1);
        if (version == 1) {
            int64_t id;
            cr_assert(lake_json_i64(lake_json_get(lake_json_get(m->json, "schema"), "schema-id"), &id) && id == 13);
        }
        /* The first schema is as it was. */
        cr_assert(lake_schema_field(m->schemas[0], 8) && lake_schema_field(m->schemas[0], 4)->type.id == LAKE_FLOAT);
        lake_table_close(t);
        lake_session_close(p.session);
    }
}

Test(edits, what_the_spec_does_not_allow_is_refused) {
    static const struct {
        lake_alteration_kind kind;
        const char *column, *to, *parent;
        lake_status status;
    } bad[] = {
        {LAKE_ADD_COLUMN, "a", "int", "s", LAKE_ERR_USAGE},
        {LAKE_ADD_COLUMN, "", "int", NULL, LAKE_ERR_USAGE},
        {LAKE_ADD_COLUMN, "n", "text", NULL, LAKE_ERR_USAGE},
        {LAKE_ADD_COLUMN, "n", "int", "p", LAKE_ERR_USAGE},
        {LAKE_ADD_COLUMN, "n", "int", "m", LAKE_ERR_USAGE},
        {LAKE_ADD_COLUMN, "n", "int", "nope", LAKE_ERR_NOT_FOUND},
        {LAKE_ADD_COLUMN, "n", "variant", NULL, LAKE_ERR_USAGE},
        {LAKE_ADD_COLUMN, "p_bucket", "int", NULL, LAKE_ERR_USAGE},
        {LAKE_DROP_COLUMN, "id", NULL, NULL, LAKE_ERR_USAGE},
        {LAKE_DROP_COLUMN, "p", NULL, NULL, LAKE_ERR_USAGE},
        {LAKE_DROP_COLUMN, "o", NULL, NULL, LAKE_ERR_USAGE},
        {LAKE_DROP_COLUMN, "l.element", NULL, NULL, LAKE_ERR_USAGE},
        {LAKE_DROP_COLUMN, "nope", NULL, NULL, LAKE_ERR_NOT_FOUND},
        {LAKE_RENAME_COLUMN, "s.a", "b", NULL, LAKE_ERR_USAGE},
        {LAKE_RENAME_COLUMN, "m.key", "k", NULL, LAKE_ERR_USAGE},
        {LAKE_RENAME_COLUMN, "p", "", NULL, LAKE_ERR_USAGE},
        {LAKE_WIDEN_COLUMN, "id", "int", NULL, LAKE_ERR_USAGE},
        {LAKE_WIDEN_COLUMN, "p", "double", NULL, LAKE_ERR_USAGE},
        {LAKE_WIDEN_COLUMN, "s.b", "decimal(9, 3)", NULL, LAKE_ERR_USAGE},
        {LAKE_WIDEN_COLUMN, "s.b", "decimal(4, 2)", NULL, LAKE_ERR_USAGE},
        {LAKE_WIDEN_COLUMN, "m.key", "long", NULL, LAKE_ERR_USAGE},
        {LAKE_WIDEN_COLUMN, "s", "long", NULL, LAKE_ERR_USAGE},
        {LAKE_MAKE_OPTIONAL, "id", NULL, NULL, LAKE_ERR_USAGE},
        {LAKE_MAKE_OPTIONAL, "m.key", NULL, NULL, LAKE_ERR_USAGE},
        {LAKE_MOVE_AFTER, "p", "s.a", NULL, LAKE_ERR_USAGE},
        {LAKE_MOVE_AFTER, "p", "p", NULL, LAKE_ERR_USAGE},
        {LAKE_MOVE_FIRST, "m.value", NULL, NULL, LAKE_ERR_USAGE},
        {LAKE_UPGRADE, NULL, "1", NULL, LAKE_ERR_USAGE},
        {LAKE_UPGRADE, NULL, "4", NULL, LAKE_ERR_USAGE},
    };
    test_place p;
    lake_table *t = nested(&p, 2);
    size_t files = test_count_files(&p);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_eq(alter(t, bad[i].kind, bad[i].column, bad[i].to, bad[i].parent), bad[i].status, "case %zu: %s", i,
            err.message);
        cr_assert(err.message[0]);
    }
    cr_assert_eq(test_count_files(&p), files);
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(edits, names_that_files_and_metrics_go_by_follow) {
    test_place p;
    lake_table *t = nested(&p, 2);
    ok(alter(t, LAKE_RENAME_COLUMN, "s", "t", NULL));
    ok(alter(t, LAKE_ADD_COLUMN, "new", "int", NULL));
    ok(alter(t, LAKE_ADD_COLUMN, "c", "int", "t"));
    lake_str mapping = lake_metadata_property(t->metadata, "schema.name-mapping.default");
    cr_assert(lake_str_is(mapping,
                  "[{\"field-id\":1,\"names\":[\"id\"]},{\"field-id\":3,\"names\":[\"s\",\"t\"],\"fields\":["
                  "{\"field-id\":4,\"names\":[\"a\"]},{\"field-id\":22,\"names\":[\"c\"]}]},"
                  "{\"field-id\":21,\"names\":[\"new\"]}]"),
        "%.*s", LAKE_ARG(mapping));
    cr_assert(lake_str_is(lake_metadata_property(t->metadata, "write.metadata.metrics.column.t"), "none"));
    cr_assert(lake_str_is(lake_metadata_property(t->metadata, "write.metadata.metrics.column.t.a"), "full"));
    cr_assert(lake_str_is(lake_metadata_property(t->metadata, "write.metadata.metrics.column.sx"), "full"));
    cr_assert(!lake_metadata_property(t->metadata, "write.metadata.metrics.column.s").ptr);
    lake_table_close(t);
    lake_session_close(p.session);
}

Test(edits, a_schema_that_was_there_before_gets_its_old_number) {
    test_place p;
    lake_table *t = nested(&p, 2);
    ok(alter(t, LAKE_RENAME_COLUMN, "p", "q", NULL));
    cr_assert_eq(t->metadata->schema->id, 1);
    ok(alter(t, LAKE_RENAME_COLUMN, "q", "p", NULL));
    cr_assert(t->metadata->schema->id == 0 && t->metadata->nschemas == 2);
    lake_table_close(t);
    lake_session_close(p.session);
}
