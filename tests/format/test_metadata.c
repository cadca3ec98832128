/* Table metadata: every document of the corpus is read and nothing of it is lost (compared by jansson itself); edits of
   valid documents (tests/invalid/metadata) end as the spec says; torn documents and failing allocations end cleanly. */
#include "tests/support.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "format/metadata.h"
#include "wire/codec.h"

static lake_metadata *read_ok(lake_arena *a, lake_bytes bytes, const char *name) {
    lake_error err;
    lake_error_init(&err);
    lake_metadata *m = NULL;
    cr_assert_eq(lake_metadata_read(a, bytes, name, &m, &err), LAKE_OK, "%s", err.message);
    return m;
}

static lake_metadata *read_base(lake_arena *a, const char *version) {
    char path[128];
    snprintf(path, sizeof path, "tests/invalid/metadata/base-%s.json", version);
    return read_ok(a, test_file(a, path), path);
}

/* ---- the corpus */

static json_t *independent(lake_str text) {
    json_error_t e;
    json_t *j = json_loadb(text.ptr, text.len, JSON_ALLOW_NUL, &e);
    cr_assert(j, "%s", e.text);
    return j;
}

static void same_json(const lake_json *ours, const json_t *theirs, const char *what) {
    cr_assert(ours, "%s: nothing written", what);
    lake_buffer b;
    lake_buffer_init(&b);
    lake_json_print(&b, ours, 0);
    json_t *again = independent(lake_buffer_view(&b));
    cr_assert(
        json_equal(again, (json_t *)theirs), "%s: something was lost: %.*s", what, LAKE_ARG(lake_buffer_view(&b)));
    json_decref(again);
    lake_buffer_clear(&b);
}

static void check_document(lake_arena *a, lake_bytes bytes, const char *path) {
    lake_metadata *m = read_ok(a, bytes, path);
    lake_buffer plain;
    lake_buffer_init(&plain);
    if (bytes.ptr[0] == 0x1f) {
        lake_codec_scratch *s = lake_codec_scratch_new();
        cr_assert_eq(lake_codec_decode(s, LAKE_CODEC_GZIP, bytes, 0, false, 1 << 30, &plain, NULL), LAKE_OK);
        lake_codec_scratch_free(s);
        bytes = lake_bytes_of(lake_buffer_view(&plain));
    }
    json_t *j = independent(lake_text_of(bytes));
    same_json(m->json, j, path);
    json_t *schemas = json_object_get(j, "schemas"), *specs = json_object_get(j, "partition-specs");
    for (size_t i = 0; i < json_array_size(schemas); i++)
        same_json(lake_schema_write(a, m->schemas[i]), json_array_get(schemas, i), path);
    for (size_t i = 0; i < json_array_size(specs); i++)
        same_json(lake_spec_write(a, m->specs[i]), json_array_get(specs, i), path);
    json_t *orders = json_object_get(j, "sort-orders");
    for (size_t i = 0; i < json_array_size(orders); i++)
        same_json(lake_sort_order_write(a, m->sort_orders[i]), json_array_get(orders, i), path);
    json_t *snapshots = json_object_get(j, "snapshots"), *current = json_object_get(j, "current-snapshot-id");
    cr_assert_eq(m->nsnapshots, json_array_size(snapshots));
    for (size_t i = 0; i < m->nsnapshots; i++)
        cr_assert_eq(
            m->snapshots[i].id, json_integer_value(json_object_get(json_array_get(snapshots, i), "snapshot-id")));
    if (json_is_integer(current) && json_integer_value(current) != -1)
        cr_assert_eq(m->snapshot->id, json_integer_value(current), "%s", path);
    else
        cr_assert_null(m->snapshot, "%s", path);
    json_decref(j);
    lake_buffer_clear(&plain);
}

static void walk(const char *dir, size_t *seen, size_t *refused) {
    DIR *d = opendir(dir);
    cr_assert(d, "%s", dir);
    for (struct dirent *e; (e = readdir(d));) {
        char path[4096];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (e->d_name[0] == '.' || stat(path, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode))
            walk(path, seen, refused);
        if (!S_ISREG(st.st_mode) || !strstr(e->d_name, ".metadata.json"))
            continue;
        lake_arena a;
        lake_arena_init(&a, 0);
        if (strstr(path, "vfinal")) { /* its current-snapshot-id is above 64 bits */
            lake_error err;
            lake_error_init(&err);
            lake_metadata *m;
            cr_assert_eq(lake_metadata_read(&a, test_file(&a, path), "f", &m, &err), LAKE_ERR_MALFORMED);
            cr_assert(
                strstr(err.message, ".snapshot-id: 9876543210123456789 is not a 64-bit integer"), "%s", err.message);
            ++*refused;
        } else {
            check_document(&a, test_file(&a, path), path);
            ++*seen;
        }
        lake_arena_clear(&a);
    }
    closedir(d);
}

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

Test(metadata, the_corpus_is_read_and_nothing_is_lost) {
    const char *corpus = getenv("LAKE_CORPUS");
    char given[4096], foreign[4096];
    size_t seen = 0, refused = 0;
    if (!corpus || !*corpus)
        corpus = LAKE_SOURCE_ROOT "/../shared/corpus";
    snprintf(given, sizeof given, "%s/given", corpus);
    snprintf(foreign, sizeof foreign, "%s/foreign-tables", corpus);
    if (!is_folder(given))
        cr_skip_test("corpus absent: %s", given);
    walk(given, &seen, &refused);
    cr_assert_gt(seen, 250, "only %zu documents", seen);
    seen = 0;
    if (is_folder(foreign)) {
        walk(foreign, &seen, &refused);
        cr_assert_gt(seen, 50);
        cr_assert_eq(refused, 1);
    }
}

/* ---- edits */

static lake_json *child(lake_json *at, lake_str key, size_t index) {
    if (key.ptr) {
        for (size_t i = 0; at->kind == LAKE_JSON_OBJECT && i < at->count; i++)
            if (lake_str_eq(at->members[i].name, key))
                return at->members[i].value;
        return NULL;
    }
    return index < at->count ? at->items[index] : NULL;
}

static void put(lake_arena *a, lake_json *at, lake_str key, size_t index, lake_json *value) {
    if (!key.ptr) {
        cr_assert(index < at->count && value);
        at->items[index] = value;
        return;
    }
    lake_str name = lake_arena_str(a, key.ptr, key.len);
    if (value)
        cr_assert(lake_json_set(a, at, name.ptr, value));
    else
        cr_assert(lake_json_remove(at, name.ptr), "nothing to remove at %s", name.ptr);
}

/* "snapshots[1].snapshot-id"; names in refs and summary have no dots of their own here, except below the last step. */
static void edit(lake_arena *a, lake_json *doc, const char *path, lake_json *value) {
    lake_json *at = doc;
    for (const char *p = path;;) {
        lake_str key = {0};
        size_t index = 0;
        if (*p == '[') {
            char *end;
            index = strtoul(p + 1, &end, 10);
            p = end + 1;
        } else {
            size_t n = strcspn(p, ".[");
            key = (lake_str){p, n};
            p += n;
        }
        if (*p == '.')
            p++;
        if (!*p) {
            put(a, at, key, index, value);
            return;
        }
        at = child(at, key, index);
        cr_assert(at, "no %s", path);
    }
}

Test(metadata, edits_of_a_valid_document_end_as_they_must) {
    lake_arena a;
    lake_arena_init(&a, 0);
    const char *at = "tests/invalid/metadata/edits.tsv";
    char *text = (char *)test_file(&a, at).ptr, *save = NULL;
    size_t n = 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *cells[5] = {line}, path[128];
        for (int i = 1; i < 5; i++) {
            cells[i] = strchr(cells[i - 1], '\t');
            if (cells[i])
                *cells[i]++ = 0;
            else
                break;
        }
        if (line[0] == '#' || strcmp(line, "base") == 0)
            continue;
        snprintf(path, sizeof path, "tests/invalid/metadata/base-%s.json", cells[0]);
        lake_error err;
        lake_error_init(&err);
        lake_json *doc, *value = NULL;
        cr_assert_eq(
            lake_json_parse(&a, lake_text_of(test_file(&a, path)), path, &doc, &err), LAKE_OK, "%s", err.message);
        if (strcmp(cells[2], "(remove)") != 0)
            cr_assert_eq(lake_json_parse(&a, lake_str_of(cells[2]), NULL, &value, &err), LAKE_OK, "%s", cells[2]);
        edit(&a, doc, cells[1], value);
        lake_metadata *m = NULL;
        lake_status s = lake_metadata_from_json(&a, doc, "v7.metadata.json", &m, &err);
        cr_assert_str_eq(lake_status_name(s), cells[3], "%s %s = %s: %s", cells[0], cells[1], cells[2], err.message);
        if (s != LAKE_OK) {
            cr_assert(
                strstr(err.message, cells[4]), "%s = %s: '%s' lacks '%s'", cells[1], cells[2], err.message, cells[4]);
            cr_assert_eq(strncmp(err.message, "v7.metadata.json: ", 18), 0, "%s", err.message);
            cr_assert_eq(err.status, s);
        } else if (cells[0][1] == '2' && !(strcmp(cells[1], "refs") == 0)) {
            cr_assert_eq(m->snapshot->id, 9007199254740993, "%s", cells[1]);
        }
        n++;
    }
    cr_assert_gt(n, 90);
    lake_arena_clear(&a);
}

/* ---- what is read */

Test(metadata, a_v2_document_is_read_exactly) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_metadata *m = read_base(&a, "v2");
    cr_assert(lake_str_is(m->location, "s3://b/db/t"), "one trailing slash goes");
    cr_assert(m->snapshot && m->snapshot->id == 9007199254740993 && m->snapshot->parent_id == 5184430069070270604);
    cr_assert(m->schema->id == 1 && m->spec->id == 1 && m->default_sort_order_id == 1);
    cr_assert(lake_str_is(lake_metadata_property(m, "owner"), "me") && !lake_metadata_property(m, "none").ptr);
    cr_assert(m->nrefs == 2 && lake_metadata_ref(m, LAKE_STR("old"))->tag);
    cr_assert(m->statistics && m->statistics->count == 1);
    cr_assert_null(lake_metadata_snapshot(m, 1));
    lake_buffer b;
    lake_buffer_init(&b);
    lake_json_print(&b, m->json, 0);
    lake_buffer_char(&b, 0);
    cr_assert(strstr((char *)b.data, "\"kept\":12345678901234567890123,\"pi\":3.10"), "numbers keep their text");
    cr_assert(strstr((char *)b.data, "\"x-new\":{\"a\":[1,null,1e400]}"));
    lake_buffer_clear(&b);
    lake_arena_clear(&a);
}

Test(metadata, v1_without_lists_counts_partition_fields_from_1000) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_metadata *m = read_base(&a, "v1");
    cr_assert(m->nschemas == 1 && m->schema->root.nfields == 2);
    cr_assert(m->spec->nfields == 2 && m->spec->fields[0].id == 1000 && m->spec->fields[1].id == 1001);
    cr_assert_eq(m->last_partition_id, 1001);
    cr_assert(m->snapshot->nmanifests == 2 && !m->snapshot->manifest_list.ptr && m->snapshot->sequence_number == 0);
    cr_assert(lake_str_is(m->snapshot->manifests[1], "/t/metadata/m1.avro"));
    cr_assert(m->nrefs == 1 && lake_str_is(m->refs[0].name, "main") && m->refs[0].snapshot_id == 3, "main is implied");
    cr_assert(!m->uuid.ptr && m->nsort_orders == 0);
    lake_arena_clear(&a);
}

Test(metadata, v3_keeps_row_lineage_and_unknown_transforms) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_metadata *m = read_base(&a, "v3");
    cr_assert(m->next_row_id == 30 && m->snapshots[1].first_row_id == 10 && m->snapshots[1].added_rows == 20);
    const lake_spec *s = lake_metadata_spec(m, 2);
    cr_assert(s->fields[0].nsource_ids == 2 && s->fields[0].transform.id == LAKE_TRANSFORM_UNKNOWN);
    lake_arena_clear(&a);
}

/* ---- torn and hostile */

static void never_ok(const uint8_t *data, size_t n) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_error err;
    lake_error_init(&err);
    lake_metadata *m;
    uint8_t *copy = lake_mem_alloc(n); /* exact, so that a read beyond is seen */
    memcpy(copy, data, n);
    cr_assert_neq(lake_metadata_read(&a, (lake_bytes){copy, n}, "f", &m, &err), LAKE_OK, "%zu bytes", n);
    cr_assert(err.message[0]);
    lake_mem_free(copy);
    lake_arena_clear(&a);
}

Test(metadata, every_truncation_fails_cleanly) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_bytes whole = test_file(&a, "tests/invalid/metadata/base-v2.json");
    size_t end = whole.len;
    while (whole.ptr[end - 1] != '}')
        end--;
    for (size_t n = 0; n < end; n++)
        never_ok(whole.ptr, n);
    lake_codec_scratch *s = lake_codec_scratch_new();
    lake_buffer gz;
    lake_buffer_init(&gz);
    cr_assert_eq(lake_codec_encode(s, LAKE_CODEC_GZIP, -1, whole, &gz, NULL), LAKE_OK);
    read_ok(&a, (lake_bytes){gz.data, gz.len}, "gzip inside");
    for (size_t n = 0; n < gz.len; n++)
        never_ok(gz.data, n);
    lake_codec_scratch_free(s);
    lake_buffer_clear(&gz);
    lake_arena_clear(&a);
}

Test(metadata, other_documents_are_refused) {
    static const char *const texts[] = {"", "[]", "5", "null", "\"x\"", "{}", "{\"format-version\":2}", "\x1f\x8b"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        never_ok((const uint8_t *)texts[i], strlen(texts[i]));
}

static lake_status read_once(void *user, lake_error *err) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_metadata *m;
    lake_status s = lake_metadata_read(&a, *(lake_bytes *)user, "f", &m, err);
    lake_arena_clear(&a);
    return s;
}

Test(metadata, every_failing_allocation_is_clean) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_bytes whole = test_file(&a, "tests/invalid/metadata/base-v3.json");
    test_every_allocation(read_once, &whole);
    lake_arena_clear(&a);
}
