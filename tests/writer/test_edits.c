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
