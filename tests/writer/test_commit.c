/* Commits of manifests: sequence numbers, lines, snapshots, logs and row ids as the spec says; foreign manifests (TRAPS
   G5, H9, H11); what is unknown stays unknown (K9); nothing is left behind and no commit is lost (K1, K2). */
#include "tests/writer/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static lake_error err;

static void ok(lake_status s) {
    cr_assert_eq(s, LAKE_OK, "%s: %s", lake_status_name(s), err.message);
}

static lake_entry added(int64_t records, int64_t size) {
    return (lake_entry){.status = LAKE_ENTRY_ADDED, .record_count = records, .file_size = size};
}

/* The manifests of the current snapshot. */
static size_t lines_of(lake_table *t, lake_arena *a, lake_manifest_file **lines) {
    size_t n;
    ok(lake_table_manifests(t, t->metadata->snapshot, a, lines, &n, &err));
    return n;
}

static void first_entry(lake_table *t, const lake_manifest_file *line, lake_arena *a, lake_entry *out) {
    const lake_manifest_want want = {.all_columns = true, .rest = true};
    lake_manifest_reader *r;
    const lake_entry *e;
    ok(lake_manifest_open(&t->session->store, line->path, line, NULL, &want, NULL, &r, &err));
    ok(lake_manifest_next(r, &e, &err));
    cr_assert(e);
    ok(lake_manifest_materialise(r, &want, a, out, &err));
    lake_manifest_close(r);
}

Test(commit, manifests_are_added_in_every_format_version) {
    for (int version = 1; version <= 3; version++) {
        test_place p;
        lake_arena a;
        lake_arena_init(&a, 0);
        test_place_init(&p);
        lake_table *t = test_create(&p, version, NULL, NULL, 0);
        lake_json *r1, *r2;
        ok(test_commit(t,
            test_write_manifest(&p, t,
                &(test_manifest){
                    "m1", version, .like = added(10, 100), .n = 3, .has_snapshot_id = true, .snapshot_id = 77}),
            NULL, &a, &r1, &err));
        ok(test_commit(t,
            test_write_manifest(&p, t,
                &(test_manifest){
                    "m2", version, .like = added(5, 50), .n = 2, .has_snapshot_id = true, .snapshot_id = 78}),
            NULL, &a, &r2, &err));
        const lake_metadata *m = t->metadata;
        const lake_snapshot *s = m->snapshot;
        cr_assert(m->nsnapshots == 2 && s->id == test_i64(r2, "snapshot-id") && s->has_parent &&
            s->parent_id == test_i64(r1, "snapshot-id"));
        cr_assert_gt(s->id, 0);
        cr_assert_eq(s->sequence_number, version == 1 ? 0 : 2);
        cr_assert_eq(lake_json_get(s->json, "sequence-number") != NULL, version > 1);
        cr_assert_eq(lake_json_get(m->json, "last-sequence-number") != NULL, version > 1);
        cr_assert(s->has_schema_id && s->schema_id == 0);
        cr_assert(lake_str_ends(s->manifest_list, LAKE_STR(".avro")) &&
            lake_str_starts(s->manifest_list, lake_str_of(p.table)));
        cr_assert(m->nrefs == 1 && m->refs[0].snapshot_id == s->id && m->refs[0].json);
        cr_assert(m->nsnapshot_log == 2 && m->snapshot_log[1].snapshot_id == s->id &&
            m->snapshot_log[1].timestamp_ms == s->timestamp_ms);
        cr_assert(m->nmetadata_log == 2 &&
            lake_str_ends(m->metadata_log[1].metadata_file, LAKE_STR("/t/metadata/v2.metadata.json")));
        cr_assert(lake_str_ends(t->at.metadata_location, LAKE_STR("/v3.metadata.json")));
        const lake_json *sum = s->summary;
        cr_assert(
            lake_str_is(test_str(sum, "operation"), "append") && lake_str_is(test_str(r2, "operation"), "append"));
        cr_assert(test_i64(sum, "added-data-files") == 2 && test_i64(sum, "added-records") == 10 &&
            test_i64(sum, "added-files-size") == 100);
        cr_assert(test_i64(sum, "total-data-files") == 5 && test_i64(sum, "total-records") == 40 &&
            test_i64(sum, "total-files-size") == 400);
        cr_assert(test_i64(sum, "total-delete-files") == 0 && test_i64(sum, "total-position-deletes") == 0 &&
            test_i64(sum, "total-equality-deletes") == 0);
        cr_assert_eq(test_i64(sum, "changed-partition-count"), 1);
        lake_manifest_file *lines;
        cr_assert_eq(lines_of(t, &a, &lines), 2);
        cr_assert(
            lines[0].added_files == 2 && lines[1].added_files == 3 && lines[0].added_rows == 10, "new ones first");
        cr_assert(lines[0].added_snapshot_id == s->id && lines[1].added_snapshot_id == s->parent_id);
        cr_assert(
            lines[0].sequence_number == (version == 1 ? 0 : 2) && lines[1].sequence_number == (version == 1 ? 0 : 1));
        cr_assert_eq(lines[0].min_sequence_number, version == 1 ? 0 : 2);
        uint64_t size;
        ok(lake_store_size(&t->session->store, lines[0].path, &size, &err));
        cr_assert_eq((uint64_t)lines[0].length, size);
        lake_entry e;
        first_entry(t, &lines[0], &a, &e);
        cr_assert((e.has & LAKE_HAS_SNAPSHOT_ID) && e.snapshot_id == s->id, "not the drawn one: %lld",
            (long long)e.snapshot_id);
        cr_assert_eq(e.sequence_number, version == 1 ? 0 : 2);
        if (version == 3) {
            cr_assert(s->first_row_id == 30 && s->added_rows == 10 && m->next_row_id == 40);
            cr_assert(lines[0].first_row_id == 30 && lines[1].first_row_id == 0 && (e.has & LAKE_HAS_FIRST_ROW_ID) &&
                e.first_row_id == 30);
        }
        /* v2 and v3 manifests are taken as they are; v1 ones carry ids and are copied */
        cr_assert_eq(lake_str_ends(lines[0].path, LAKE_STR("/m2.avro")), version > 1);
        lake_table_close(t);
        lake_session_close(p.session);
        lake_arena_clear(&a);
    }
}

Test(commit, a_v1_manifest_in_a_v2_table_gets_the_commits_sequence_number) {
    test_place p;
    lake_arena a;
    lake_arena_init(&a, 0);
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    ok(test_commit(t,
        test_write_manifest(
            &p, t, &(test_manifest){"m1", 1, .like = added(1, 1), .n = 1, .has_snapshot_id = true, .snapshot_id = 5}),
        NULL, &a, NULL, &err));
    lake_manifest_file *lines;
    lake_entry e;
    cr_assert_eq(lines_of(t, &a, &lines), 1);
    first_entry(t, &lines[0], &a, &e);
    cr_assert(e.sequence_number == 1 && e.snapshot_id == t->metadata->snapshot->id, "0 would let older deletes apply");
    lake_table_close(t);
    lake_session_close(p.session);
    lake_arena_clear(&a);
}

Test(commit, an_explicit_older_sequence_number_stays) {
    test_place p;
    lake_arena a;
    lake_arena_init(&a, 0);
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", i);
        ok(test_commit(t, test_write_manifest(&p, t, &(test_manifest){name, 2, .like = added(1, 1), .n = 1}), NULL, &a,
            NULL, &err));
    }
    lake_entry like = added(1, 1);
    like.has = LAKE_HAS_SEQUENCE_NUMBER;
    like.sequence_number = 1;
    ok(test_commit(
        t, test_write_manifest(&p, t, &(test_manifest){"old", 2, .like = like, .n = 1}), NULL, &a, NULL, &err));
    lake_manifest_file *lines;
    lake_entry e;
    cr_assert_eq(lines_of(t, &a, &lines), 4);
    first_entry(t, &lines[0], &a, &e);
    cr_assert(e.sequence_number == 1 && lines[0].min_sequence_number == 1 && lines[0].sequence_number == 4);
    like.sequence_number = 9;
    cr_assert_eq(test_commit(t, test_write_manifest(&p, t, &(test_manifest){"future", 2, .like = like, .n = 1}), NULL,
                     &a, NULL, &err),
        LAKE_ERR_MALFORMED);
    lake_table_close(t);
    lake_session_close(p.session);
    lake_arena_clear(&a);
}

static lake_entry existing(uint32_t has) {
    lake_entry e = added(1, 1);
    e.status = LAKE_ENTRY_EXISTING;
    e.has = has;
    e.snapshot_id = 3;
    return e;
}

/* A copy that outlives the table's next state. */
static const lake_spec *own_spec(lake_arena *a, const lake_table *t) {
    lake_buffer text;
    lake_json *json;
    lake_spec *spec;
    lake_buffer_init(&text);
    lake_json_print(&text, t->metadata->spec->json, 0);
    ok(lake_json_parse(a, lake_buffer_view(&text), NULL, &json, &err));
    ok(lake_spec_read(a, json, &spec, &err));
    lake_buffer_clear(&text);
    return spec;
}

Test(commit, foreign_manifests_that_cannot_be_added_are_refused_and_leave_nothing) {
    test_place p;
    lake_arena a;
    lake_arena_init(&a, 0);
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, "months(d)", NULL, 0);
    lake_datum month = {.kind = LAKE_DATUM_INT, .i = 660};
    lake_entry one = added(1, 1),
               gone = existing(LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_SEQUENCE_NUMBER | LAKE_HAS_FILE_SEQUENCE_NUMBER);
    one.partition = &month;
    one.npartition = 1;
    gone.partition = &month;
    gone.npartition = 1;
    lake_entry kept = gone, future = gone, past = one, late = one, smaller = one;
    gone.status = LAKE_ENTRY_DELETED;
    future.sequence_number = 9;
    past.has |= LAKE_HAS_SEQUENCE_NUMBER;
    past.sequence_number = -1;
    late.has |= LAKE_HAS_FILE_SEQUENCE_NUMBER;
    late.file_sequence_number = 9;
    smaller.file_size = -1;
    lake_spec other = *own_spec(&a, t), unknown = other;
    lake_partition_field field = other.fields[0];
    field.id = 1005;
    other.fields = &field;
    unknown.id = 6;
    const struct {
        const char *what, *message;
        test_manifest m;
        lake_status status;
    } cases[] = {
        {"deleted", "DELETED", {"d", 2, .like = gone, .n = 1}, LAKE_ERR_UNSUPPORTED},
        {"another spec of the number", "spec 0", {"o", 2, .like = one, .n = 1, .spec = &other}, LAKE_ERR_MALFORMED},
        {"a spec that is not there", "spec 6", {"u", 2, .like = one, .n = 1, .spec = &unknown}, LAKE_ERR_MALFORMED},
        {"existing in v1", "EXISTING", {"e", 1, .like = kept, .n = 1, .has_snapshot_id = true, .snapshot_id = 3},
            LAKE_ERR_MALFORMED},
        {"existing from the future", "sequence number", {"f", 2, .like = future, .n = 1}, LAKE_ERR_MALFORMED},
        {"before all", "sequence number", {"p", 2, .like = past, .n = 1}, LAKE_ERR_MALFORMED},
        {"a file from the future", "sequence number", {"l", 2, .like = late, .n = 1}, LAKE_ERR_MALFORMED},
        {"a negative size", "size", {"s", 2, .like = smaller, .n = 1}, LAKE_ERR_MALFORMED},
    };
    size_t before = test_count_files(&p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lake_status s = test_commit(t, test_write_manifest(&p, t, &cases[i].m), NULL, &a, NULL, &err);
        cr_assert_eq(s, cases[i].status, "%s: %s %s", cases[i].what, lake_status_name(s), err.message);
        cr_assert(strstr(err.message, cases[i].message) && strstr(err.message, ".avro"), "%s: %s", cases[i].what,
            err.message);
    }
    ok(test_commit(
        t, test_write_manifest(&p, t, &(test_manifest){"k", 2, .like = kept, .n = 1}), NULL, &a, NULL, &err));
    const char *twice[2] = {test_write_manifest(&p, t, &(test_manifest){"x", 2, .like = one, .n = 1}), NULL};
    twice[1] = twice[0];
    cr_assert_eq(lake_table_commit(t, twice, 2, NULL, NULL, &err), LAKE_ERR_USAGE);
    ok(lake_table_commit(t, twice, 1, NULL, NULL, &err));
    cr_assert_eq(lake_table_commit(t, twice, 1, NULL, NULL, &err), LAKE_ERR_USAGE, "it is in the table already");
    cr_assert_eq(test_count_files(&p), before + 4, "two lists and two metadata files");
    const char *none = "/tmp/none.avro";
    cr_assert_eq(lake_table_commit(t, &none, 1, NULL, NULL, &err), LAKE_ERR_NOT_FOUND);
    lake_table_close(t);
    lake_session_close(p.session);
    lake_arena_clear(&a);
}

/* Writes the current document back with one member changed, as another writer would. */
static void tamper(lake_table *t, const char *from, const char *to) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_bytes text = test_file(&a, lake_arena_str(&a, t->at.metadata_location.ptr, t->at.metadata_location.len).ptr);
    char *at = strstr((char *)text.ptr, from);
    cr_assert(at, "no %s", from);
    lake_buffer out;
    lake_buffer_init(&out);
    lake_buffer_put(&out, text.ptr, (size_t)(at - (char *)text.ptr));
    lake_buffer_puts(&out, to);
    lake_buffer_puts(&out, at + strlen(from));
    ok(lake_store_replace(&t->session->store, t->at.metadata_location, lake_bytes_of(lake_buffer_view(&out)), &err));
    lake_buffer_clear(&out);
    lake_arena_clear(&a);
}

Test(commit, unknown_members_survive_and_unknown_totals_stay_unknown) {
    test_place p;
    lake_arena a;
    lake_arena_init(&a, 0);
    test_place_init(&p);
    static const char *const props[] = {"write.metadata.previous-versions-max=2", "owner=me"};
    lake_table *t = test_create(&p, 2, NULL, props, 2);
    ok(test_commit(
        t, test_write_manifest(&p, t, &(test_manifest){"m1", 2, .like = added(1, 1), .n = 1}), NULL, &a, NULL, &err));
    tamper(t, "\"statistics\":[]", "\"x-new\":{\"n\":12345678901234567890,\"d\":1.10},\"statistics\":[]");
    tamper(t, "\"total-records\":\"1\",", "");
    tamper(t, "\"type\":\"branch\"", "\"min-snapshots-to-keep\":7,\"type\":\"branch\"");
    for (int i = 2; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i);
        ok(test_commit(t, test_write_manifest(&p, t, &(test_manifest){name, 2, .like = added(1, 1), .n = 1}), NULL, &a,
            NULL, &err));
    }
    const lake_metadata *m = t->metadata;
    lake_buffer b;
    lake_buffer_init(&b);
    lake_json_print(&b, lake_json_get(m->json, "x-new"), 0);
    lake_buffer_char(&b, 0);
    cr_assert_str_eq((char *)b.data, "{\"n\":12345678901234567890,\"d\":1.10}");
    lake_buffer_clear(&b);
    cr_assert_null(lake_json_get(m->snapshot->summary, "total-records"));
    cr_assert_eq(test_i64(m->snapshot->summary, "total-data-files"), 4);
    cr_assert_eq(test_i64(lake_metadata_ref(m, LAKE_STR("main"))->json, "min-snapshots-to-keep"), 7);
    cr_assert(m->nmetadata_log == 2 && lake_str_ends(m->metadata_log[1].metadata_file, LAKE_STR("v4.metadata.json")));
    cr_assert(lake_json_get(m->schema->json, "x-mine") && lake_str_is(lake_metadata_property(m, "owner"), "me"));
    lake_table_close(t);
    lake_session_close(p.session);
    lake_arena_clear(&a);
}

Test(commit, delete_manifests_are_counted_and_kept_to_their_versions) {
    static const int32_t ids[] = {1};
    for (int version = 2; version <= 3; version++) {
        test_place p;
        lake_arena a;
        lake_arena_init(&a, 0);
        test_place_init(&p);
        lake_table *t = test_create(&p, version, NULL, NULL, 0);
        lake_entry position = added(3, 30), equality = added(2, 20), dv = added(4, 900);
        position.content = LAKE_CONTENT_POSITION_DELETES;
        equality.content = LAKE_CONTENT_EQUALITY_DELETES;
        equality.equality_ids = ids;
        equality.nequality_ids = 1;
        dv.content = LAKE_CONTENT_POSITION_DELETES;
        dv.has = LAKE_HAS_CONTENT_OFFSET | LAKE_HAS_CONTENT_SIZE;
        dv.content_offset = 4;
        dv.content_size = 40;
        dv.referenced_data_file = LAKE_STR("/data/f.parquet");
        ok(test_commit(t, test_write_manifest(&p, t, &(test_manifest){"m", version, .like = added(10, 100), .n = 1}),
            NULL, &a, NULL, &err));
        lake_json *r;
        ok(test_commit(t,
            test_write_manifest(&p, t, &(test_manifest){"e", version, .content = 1, .like = equality, .n = 2}), NULL,
            &a, &r, &err));
        const lake_json *sum = t->metadata->snapshot->summary;
        cr_assert(lake_str_is(test_str(r, "operation"), "delete"));
        cr_assert(test_i64(sum, "added-delete-files") == 2 && test_i64(sum, "added-equality-delete-files") == 2);
        cr_assert(test_i64(sum, "added-equality-deletes") == 4 && test_i64(sum, "total-equality-deletes") == 4);
        cr_assert(test_i64(sum, "total-records") == 10 && test_i64(sum, "total-data-files") == 1);
        cr_assert_null(lake_json_get(sum, "added-data-files"));
        const char *path =
            test_write_manifest(&p, t, &(test_manifest){"p", version, .content = 1, .like = position, .n = 1});
        lake_status s = test_commit(t, path, NULL, &a, NULL, &err);
        cr_assert_eq(s, version == 2 ? LAKE_OK : LAKE_ERR_UNSUPPORTED, "v%d: %s", version, err.message);
        if (version == 3) { /* a v2 manifest cannot say where in its file a vector is */
            path = test_write_manifest(&p, t, &(test_manifest){"v", version, .content = 1, .like = dv, .n = 1});
            ok(test_commit(t, path, NULL, &a, NULL, &err));
            sum = t->metadata->snapshot->summary;
            cr_assert(test_i64(sum, "added-dvs") == 1 && test_i64(sum, "added-files-size") == 40);
            cr_assert(t->metadata->next_row_id == 10, "deletes take no row ids");
        }
        cr_assert_eq(test_i64(t->metadata->snapshot->summary, "total-position-deletes"), version == 2 ? 3 : 4);
        lake_table_close(t);
        lake_session_close(p.session);
        lake_arena_clear(&a);
    }
}

Test(commit, new_files_go_where_the_table_wants_them) {
    test_place p;
    test_place_init(&p);
    char absolute[160];
    snprintf(absolute, sizeof absolute, "write.metadata.path=file://%s/elsewhere", p.dir);
    const char *const props[] = {"write.metadata.path=meta/new/", absolute};
    const char *const expected[] = {"/t/meta/new/snap-", "/elsewhere/snap-"};
    for (int i = 0; i < 2; i++) {
        lake_arena a;
        lake_arena_init(&a, 0);
        test_place q;
        test_place_init(&q);
        lake_table *t = test_create(&q, 2, NULL, &props[i], 1);
        ok(test_commit(t, test_write_manifest(&q, t, &(test_manifest){"m", 2, .like = added(1, 1), .n = 1}), NULL, &a,
            NULL, &err));
        lake_str list = t->metadata->snapshot->manifest_list;
        cr_assert(strstr(lake_arena_str(&a, list.ptr, list.len).ptr, expected[i]), "%.*s", LAKE_ARG(list));
        cr_assert(lake_store_exists(&q.session->store, list));
        lake_table_close(t);
        lake_session_close(q.session);
        lake_arena_clear(&a);
    }
    lake_session_close(p.session);
}

Test(commit, old_metadata_files_go_if_the_table_says_so) {
    test_place p;
    lake_arena a;
    lake_arena_init(&a, 0);
    test_place_init(&p);
    static const char *const props[] = {
        "write.metadata.previous-versions-max=2", "write.metadata.delete-after-commit.enabled=true"};
    lake_table *t = test_create(&p, 2, NULL, props, 2);
    for (int i = 0; i < 5; i++) {
        char name[16], path[160];
        snprintf(name, sizeof name, "m%d", i);
        ok(test_commit(t, test_write_manifest(&p, t, &(test_manifest){name, 2, .like = added(1, 1), .n = 1}), NULL, &a,
            NULL, &err));
        for (int v = 1; v <= i + 2; v++) {
            snprintf(path, sizeof path, "%s/metadata/v%d.metadata.json", p.table, v);
            cr_assert_eq(access(path, F_OK) == 0, v >= i, "after v%d: v%d", i + 2, v);
        }
    }
    lake_table_close(t);
    lake_session_close(p.session);
    lake_arena_clear(&a);
}

Test(commit, an_upgraded_table_gives_row_ids_to_old_files_too) {
    test_place p;
    lake_arena a;
    lake_arena_init(&a, 0);
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    ok(test_commit(
        t, test_write_manifest(&p, t, &(test_manifest){"m1", 2, .like = added(10, 1), .n = 2}), NULL, &a, NULL, &err));
    tamper(t, "\"format-version\":2", "\"format-version\":3,\"next-row-id\":0");
    ok(test_commit(
        t, test_write_manifest(&p, t, &(test_manifest){"m2", 3, .like = added(3, 1), .n = 1}), NULL, &a, NULL, &err));
    const lake_metadata *m = t->metadata;
    cr_assert(m->snapshot->has_first_row_id && m->snapshot->first_row_id == 0 && m->snapshot->added_rows == 23 &&
        m->next_row_id == 23);
    lake_manifest_file *lines;
    cr_assert_eq(lines_of(t, &a, &lines), 2);
    cr_assert((lines[0].has & LAKE_HAS_FIRST_ROW_ID) && (lines[1].has & LAKE_HAS_FIRST_ROW_ID));
    cr_assert(lines[0].first_row_id == 0 && lines[1].first_row_id == 3);
    lake_table_close(t);
    lake_session_close(p.session);
    lake_arena_clear(&a);
}

Test(commit, branches_grow_alone_and_tags_do_not) {
    test_place p;
    lake_arena a;
    lake_arena_init(&a, 0);
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    ok(test_commit(
        t, test_write_manifest(&p, t, &(test_manifest){"m1", 2, .like = added(1, 1), .n = 1}), NULL, &a, NULL, &err));
    int64_t main = t->metadata->snapshot->id;
    lake_commit_options o = LAKE_COMMIT_OPTIONS_INIT;
    o.branch = "audit";
    ok(test_commit(
        t, test_write_manifest(&p, t, &(test_manifest){"m2", 2, .like = added(1, 1), .n = 1}), &o, &a, NULL, &err));
    const lake_ref *audit = lake_metadata_ref(t->metadata, LAKE_STR("audit"));
    cr_assert(audit && t->metadata->snapshot->id == main && t->metadata->nsnapshot_log == 1);
    const lake_snapshot *s = lake_metadata_snapshot(t->metadata, audit->snapshot_id);
    cr_assert(s->parent_id == main && s->sequence_number == 2 && test_i64(s->summary, "total-data-files") == 2);
    ok(test_commit(
        t, test_write_manifest(&p, t, &(test_manifest){"m3", 2, .like = added(1, 1), .n = 1}), NULL, &a, NULL, &err));
    cr_assert(t->metadata->snapshot->parent_id == main && t->metadata->snapshot->sequence_number == 3);
    cr_assert_eq(test_i64(t->metadata->snapshot->summary, "total-data-files"), 2);
    tamper(t, "\"refs\":{", "\"refs\":{\"v1\":{\"snapshot-id\":");
    char rest[64];
    snprintf(rest, sizeof rest, "\"snapshot-id\":%lld,\"type\":\"tag\"},\"main\"", (long long)main);
    tamper(t, "\"snapshot-id\":\"main\"", rest);
    o.branch = "v1";
    cr_assert_eq(test_commit(t, test_write_manifest(&p, t, &(test_manifest){"m4", 2, .like = added(1, 1), .n = 1}), &o,
                     &a, NULL, &err),
        LAKE_ERR_USAGE);
    cr_assert(strstr(err.message, "tag"), "%s", err.message);
    lake_table_close(t);
    lake_session_close(p.session);
    lake_arena_clear(&a);
}

Test(commit, a_manifest_that_was_made_for_another_schema_is_refused) {
    static const struct {
        const char *fields, *message;
    } cases[] = {
        {"{\"id\":1,\"name\":\"id\",\"type\":\"int\",\"required\":true}", NULL}, /* the table has promoted it */
        {"{\"id\":9,\"name\":\"old name\",\"type\":\"string\",\"required\":false}", NULL},
        {"{\"id\":2147483546,\"name\":\"file_path\",\"type\":\"string\",\"required\":true}", NULL},
        {"{\"id\":1,\"name\":\"id\",\"type\":\"string\",\"required\":false}",
            "column id (1) is of type string in its schema, but of type long in the table"},
        {"{\"id\":4,\"name\":\"d\",\"type\":\"long\",\"required\":false}", "of type date in the table"},
        {"{\"id\":10,\"name\":\"x\",\"type\":\"long\",\"required\":false}", "the table never had such a column"},
    };
    test_place p;
    lake_arena a;
    lake_arena_init(&a, 0);
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lake_json *json;
        lake_schema *schema;
        lake_str text = lake_arena_printf(&a, "{\"type\":\"struct\",\"schema-id\":0,\"fields\":[%s]}", cases[i].fields);
        lake_str name = lake_arena_printf(&a, "m%zu", i);
        ok(lake_json_parse(&a, text, "schema", &json, &err));
        ok(lake_schema_read(&a, json, &schema, &err));
        size_t before = test_count_files(&p);
        lake_status s = test_commit(t,
            test_write_manifest(&p, t, &(test_manifest){name.ptr, 2, .like = added(1, 1), .n = 1, .schema = schema}),
            NULL, &a, NULL, &err);
        cr_assert_eq(s, cases[i].message ? LAKE_ERR_MALFORMED : LAKE_OK, "case %zu: %s", i, err.message);
        cr_assert(!cases[i].message || (strstr(err.message, cases[i].message) && strstr(err.message, name.ptr)),
            "case %zu: %s", i, err.message);
        cr_assert(!cases[i].message || test_count_files(&p) == before);
    }
    lake_table_close(t);
    lake_session_close(p.session);
    lake_arena_clear(&a);
}

Test(commit, metadata_without_refs_keep_their_main_when_a_branch_is_made) {
    test_place p;
    lake_arena a;
    lake_arena_init(&a, 0);
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    ok(test_commit(
        t, test_write_manifest(&p, t, &(test_manifest){"m1", 2, .like = added(1, 1), .n = 1}), NULL, &a, NULL, &err));
    int64_t main = t->metadata->snapshot->id;
    tamper(t, "\"refs\":", "\"no-refs\":");
    lake_commit_options o = LAKE_COMMIT_OPTIONS_INIT;
    o.branch = "audit";
    ok(test_commit(
        t, test_write_manifest(&p, t, &(test_manifest){"m2", 2, .like = added(1, 1), .n = 1}), &o, &a, NULL, &err));
    const lake_json *written = lake_json_get(lake_json_get(t->metadata->json, "refs"), "main");
    cr_assert(written, "readers that find refs look for main among them");
    cr_assert_eq(test_i64(written, "snapshot-id"), main);
    lake_table_close(t);
    lake_session_close(p.session);
    lake_arena_clear(&a);
}

Test(commit, a_dry_run_and_a_misplaced_table_change_nothing) {
    test_place p;
    lake_arena a;
    lake_arena_init(&a, 0);
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    char manifest[256], moved[96], command[512];
    strcpy(manifest, test_write_manifest(&p, t, &(test_manifest){"m1", 2, .like = added(4, 1), .n = 1}));
    size_t before = test_count_files(&p);
    lake_commit_options o = LAKE_COMMIT_OPTIONS_INIT;
    o.dry_run = 1;
    lake_json *r;
    ok(test_commit(t, manifest, &o, &a, &r, &err));
    cr_assert(lake_json_is(lake_json_get(r, "dry-run"), LAKE_JSON_TRUE) &&
        test_i64(lake_json_get(r, "summary"), "total-records") == 4);
    cr_assert(test_count_files(&p) == before && !t->metadata->snapshot);
    lake_table_close(t);
    snprintf(moved, sizeof moved, "%s/moved", p.dir);
    snprintf(command, sizeof command, "cp -r %s %s", p.table, moved);
    cr_assert_eq(system(command), 0);
    ok(lake_table_open(p.session, moved, &t, &err));
    cr_assert_eq(test_commit(t, manifest, NULL, &a, NULL, &err), LAKE_ERR_USAGE);
    cr_assert(strstr(err.message, "map"), "%s", err.message);
    lake_table_close(t);
    lake_session_close(p.session);
    lake_location_map map = {p.table, moved};
    lake_session_options so = LAKE_SESSION_OPTIONS_INIT;
    so.maps = &map;
    so.nmaps = 1;
    ok(lake_session_open(&so, &p.session, &err));
    ok(lake_table_open(p.session, moved, &t, &err));
    ok(test_commit(t, manifest, NULL, &a, NULL, &err));
    cr_assert(lake_str_starts(t->metadata->snapshot->manifest_list, lake_str_of(p.table)),
        "metadata keeps the recorded place");
    cr_assert_eq(test_count_files(&p), before, "the original is left alone");
    lake_table_close(t);
    lake_session_close(p.session);
    lake_arena_clear(&a);
}

Test(commit, a_table_opened_by_its_file_is_committed_to_only_if_that_is_current) {
    test_place p;
    lake_arena a;
    lake_arena_init(&a, 0);
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    lake_table_close(t);
    char file[128];
    snprintf(file, sizeof file, "%s/metadata/v1.metadata.json", p.table);
    ok(lake_table_open(p.session, file, &t, &err));
    ok(test_commit(
        t, test_write_manifest(&p, t, &(test_manifest){"m1", 2, .like = added(1, 1), .n = 1}), NULL, &a, NULL, &err));
    lake_table_close(t);
    ok(lake_table_open(p.session, file, &t, &err));
    cr_assert_eq(test_commit(t, test_write_manifest(&p, t, &(test_manifest){"m2", 2, .like = added(1, 1), .n = 1}),
                     NULL, &a, NULL, &err),
        LAKE_ERR_USAGE);
    cr_assert(strstr(err.message, "v2.metadata.json"), "%s", err.message);
    lake_table_close(t);
    lake_session_close(p.session);
    lake_arena_clear(&a);
}

/* ---- many at once */

static void committer(test_place *p, int number, int todo) {
    lake_table *t;
    lake_error e;
    if (lake_table_open(p->session, p->table, &t, &e) != LAKE_OK)
        _exit(1);
    for (int i = 0; i < todo; i++) {
        char path[128];
        const char *manifest = path;
        snprintf(path, sizeof path, "%s/p%d-%d.avro", p->dir, number, i);
        if (lake_table_commit(t, &manifest, 1, NULL, NULL, &e) != LAKE_OK) {
            fprintf(stderr, "%s\n", e.message);
            _exit(2);
        }
    }
    _exit(0);
}

Test(commit, of_16_processes_no_commit_is_lost, .timeout = 300) {
    enum { PROCESSES = 16, COMMITS = 4 };
    for (int version = 1; version <= 3; version += 2) {
        test_place p;
        lake_arena a;
        lake_arena_init(&a, 0);
        test_place_init(&p);
        lake_table *t = test_create(&p, version, NULL, NULL, 0);
        for (int i = 0; i < PROCESSES * COMMITS; i++) {
            char name[16];
            snprintf(name, sizeof name, "p%d-%d", i / COMMITS, i % COMMITS);
            test_write_manifest(&p, t,
                &(test_manifest){
                    name, version, .like = added(i + 1, 1), .n = 1, .has_snapshot_id = true, .snapshot_id = 1});
        }
        pid_t pids[PROCESSES];
        for (int i = 0; i < PROCESSES; i++)
            if ((pids[i] = fork()) == 0)
                committer(&p, i, COMMITS);
        for (int i = 0; i < PROCESSES; i++) {
            int status;
            cr_assert_eq(waitpid(pids[i], &status, 0), pids[i]);
            cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %d: %d", i, status);
        }
        ok(lake_table_refresh(t, &err));
        const int n = PROCESSES * COMMITS;
        const lake_metadata *m = t->metadata;
        cr_assert_eq(m->nsnapshots, (size_t)n);
        cr_assert_eq(test_i64(m->snapshot->summary, "total-data-files"), n);
        cr_assert_eq(test_i64(m->snapshot->summary, "total-records"), n * (n + 1) / 2);
        lake_manifest_file *lines;
        cr_assert_eq(lines_of(t, &a, &lines), (size_t)n);
        for (size_t i = 1; i < m->nsnapshots; i++)
            cr_assert_eq(m->snapshots[i].parent_id, m->snapshots[i - 1].id, "one line of history");
        if (version == 3) {
            cr_assert_eq(m->last_sequence_number, n);
            cr_assert_eq(m->next_row_id, n * (n + 1) / 2);
            for (int i = 1; i < n; i++) /* newest first: row ids go down without a gap */
                cr_assert_eq(lines[i - 1].first_row_id, lines[i].first_row_id + lines[i].added_rows);
        }
        /* n lists, n + 1 documents, the hint; in v1 n copies of manifests */
        cr_assert_eq(test_count_files(&p), (size_t)(2 * n + 2 + (version == 1 ? n : 0)), "something was left behind");
        lake_table_close(t);
        lake_session_close(p.session);
        lake_arena_clear(&a);
    }
}

/* ---- failing allocations: whatever fails, nothing stays behind */

typedef struct attempt {
    test_place *p;
    const char *manifest;
    size_t before;
} attempt;

static lake_status commit_once(void *user, lake_error *e) {
    attempt *at = user;
    lake_table *t;
    LAKE_TRY(lake_table_open(at->p->session, at->p->table, &t, e));
    lake_status s = lake_table_commit(t, &at->manifest, 1, NULL, NULL, e);
    lake_table_close(t);
    if (s != LAKE_OK)
        cr_assert_eq(test_count_files(at->p), at->before, "%s: %zu files were left behind", e->message,
            test_count_files(at->p) - at->before);
    return s;
}

Test(commit, every_failing_allocation_leaves_no_file, .timeout = 300) {
    for (int version = 1; version <= 3; version += 2) {
        test_place p;
        test_place_init(&p);
        lake_table *t = test_create(&p, version, NULL, NULL, 0);
        char manifest[256];
        strcpy(manifest,
            test_write_manifest(&p, t,
                &(test_manifest){
                    "m1", version, .like = added(1, 1), .n = 2, .has_snapshot_id = true, .snapshot_id = 4}));
        lake_table_close(t);
        attempt at = {&p, manifest, test_count_files(&p)};
        test_every_allocation(commit_once, &at);
        lake_session_close(p.session);
    }
}
