/* The directory catalog: which file is current (TRAPS J5, J6; spec.md, "File System Tables"), and commits by many
   processes at once of which none is lost (K2). */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catalog/directory.h"
#include "wire/codec.h"

static lake_store plain;

static char *new_table(void) {
    static char dir[64];
    char sub[96];
    strcpy(dir, "/tmp/lake-dir-XXXXXX");
    cr_assert(mkdtemp(dir));
    snprintf(sub, sizeof sub, "%s/metadata", dir);
    cr_assert_eq(mkdir(sub, 0777), 0);
    return dir;
}

/* A document whose last-updated-ms says which file it is. */
static void document(char *out, size_t room, int mark) {
    snprintf(out, room,
        "{\"format-version\":2,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\",\"location\":\"/t\","
        "\"last-sequence-number\":0,\"last-updated-ms\":%d,\"last-column-id\":1,\"current-schema-id\":0,\"schemas\":"
        "[{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":false,\"type\":"
        "\"int\"}]}],"
        "\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}],\"last-partition-id\":999,"
        "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}]}",
        mark);
}

static void write_raw(const char *dir, const char *name, const void *data, size_t n) {
    char path[256];
    snprintf(path, sizeof path, "%s/metadata/%s", dir, name);
    FILE *f = fopen(path, "wb");
    cr_assert(f);
    cr_assert_eq(fwrite(data, 1, n, f), n);
    fclose(f);
}

static void write_version(const char *dir, const char *name, int mark, bool gzip) {
    char text[1024];
    document(text, sizeof text, mark);
    lake_buffer out;
    lake_buffer_init(&out);
    if (gzip) {
        lake_codec_scratch *s = lake_codec_scratch_new();
        cr_assert_eq(lake_codec_encode(s, LAKE_CODEC_GZIP, -1, lake_bytes_of(lake_str_of(text)), &out, NULL), LAKE_OK);
        lake_codec_scratch_free(s);
    } else {
        lake_buffer_puts(&out, text);
    }
    write_raw(dir, name, out.data, out.len);
    lake_buffer_clear(&out);
}

typedef struct layout {
    const char *what;
    const char *hint; /* NULL: none */
    struct {
        const char *name;
        int mark;
        bool gzip;
    } files[5];
    int expected; /* mark; -1: not found; -2: malformed */
    int64_t version;
} layout;

static const layout layouts[] = {
    {"right hint", "2", {{"v1.metadata.json", 1}, {"v2.metadata.json", 2}}, 2, 2},
    {"stale hint", "1", {{"v1.metadata.json", 1}, {"v2.metadata.json", 2}, {"v3.metadata.json", 3}}, 3, 3},
    {"hint with newline", "2\n", {{"v1.metadata.json", 1}, {"v2.metadata.json", 2}}, 2, 2},
    {"hint ahead", "9", {{"v1.metadata.json", 1}, {"v2.metadata.json", 2}}, 2, 2},
    {"torn hint", "", {{"v1.metadata.json", 1}, {"v2.metadata.json", 2}}, 2, 2},
    {"hint of rubbish", "\x01\xff/../x", {{"v1.metadata.json", 1}, {"v2.metadata.json", 2}}, 2, 2},
    {"no hint, numbers not text", NULL, {{"v9.metadata.json", 9}, {"v10.metadata.json", 10}}, 10, 10},
    {"hint v2", "v2", {{"v2.metadata.json", 2}, {"v1.metadata.json", 1}}, 2, 2},
    {"hint full name", "v2.metadata.json", {{"v2.metadata.json", 2}, {"v1.metadata.json", 1}}, 2, 2},
    {"gz", "3", {{"v2.metadata.json", 2}, {"v3.gz.metadata.json", 3, true}}, 3, 3},
    {"gz after a stale hint", "2", {{"v2.metadata.json", 2}, {"v3.gz.metadata.json", 3, true}}, 3, 3},
    {"old gz name", NULL, {{"v2.metadata.json", 2}, {"v3.metadata.json.gz", 3, true}}, 3, 3},
    {"gzip name", NULL, {{"v2.metadata.json", 2}, {"v3.gzip.metadata.json", 3, true}}, 3, 3},
    {"gzip bytes in a plain name", NULL, {{"v2.metadata.json", 2}, {"v3.metadata.json", 3, true}}, 3, 3},
    {"metastore names", NULL,
        {{"00000-aa.metadata.json", 5}, {"00010-bb.metadata.json", 4}, {"00009-cc.metadata.json", 6}}, 4, 10},
    {"metastore hint", "00002-bb",
        {{"00001-aa.metadata.json", 1}, {"00002-bb.metadata.json", 2}, {"00002-cc.metadata.json", 3}}, 2, 2},
    {"metastore hint, full name", "00002-bb.metadata.json",
        {{"00002-bb.metadata.json", 2}, {"00002-cc.metadata.json", 3}}, 2, 2},
    {"one number twice: the later", NULL,
        {{"00002-bb.metadata.json", 7}, {"00002-cc.metadata.json", 8}, {"00001-a.metadata.json", 9}}, 8, 2},
    {"one number twice, no telling", NULL, {{"00002-bb.metadata.json", 7}, {"00002-cc.metadata.json", 7}}, -2, 0},
    {"other names beside", NULL,
        {{"v1.metadata.json", 1}, {"v3.1.metadata.json", 31}, {".v4.metadata.json.crc", 4},
            {"v5.metadata.json.tmp", 5}},
        1, 1},
    {"one unnumbered file", NULL, {{"vfinal.metadata.json", 3}}, 3, -1},
    {"two unnumbered files", NULL, {{"vfinal.metadata.json", 3}, {"old.metadata.json", 3}}, -1, 0},
    {"nothing", NULL, {{0}}, -1, 0},
    {"leading zeros", NULL, {{"v007.metadata.json", 7}, {"v6.metadata.json", 6}}, 7, 7},
};

Test(directory, the_current_file_is_found) {
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const layout *l = &layouts[i];
        char *dir = new_table();
        for (size_t k = 0; k < 5 && l->files[k].name; k++)
            write_version(dir, l->files[k].name, l->files[k].mark, l->files[k].gzip);
        if (l->hint)
            write_raw(dir, "version-hint.text", l->hint, strlen(l->hint));
        lake_arena a;
        lake_arena_init(&a, 0);
        lake_error err;
        lake_error_init(&err);
        lake_table_pointer at = {0};
        lake_metadata *m = NULL;
        lake_status s = lake_directory_load(&plain, &a, lake_str_of(dir), &at, &m, &err);
        if (l->expected < 0) {
            cr_assert_eq(
                s, l->expected == -1 ? LAKE_ERR_NOT_FOUND : LAKE_ERR_MALFORMED, "%s: %s", l->what, err.message);
            cr_assert(strstr(err.message, dir), "%s", err.message);
        } else {
            cr_assert_eq(s, LAKE_OK, "%s: %s", l->what, err.message);
            cr_assert_eq(m->last_updated_ms, l->expected, "%s: %.*s", l->what, LAKE_ARG(at.metadata_location));
            cr_assert_eq(at.version, l->version, "%s: %lld", l->what, (long long)at.version);
            cr_assert(lake_str_is(at.directory, dir));
        }
        lake_arena_clear(&a);
    }
}

Test(directory, a_metadata_file_opens_itself_and_a_missing_place_is_named) {
    char *dir = new_table(), path[256];
    write_version(dir, "v1.metadata.json", 1, false);
    write_version(dir, "v2.metadata.json", 2, false);
    write_version(dir, "odd", 3, false);
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_error err;
    lake_error_init(&err);
    lake_table_pointer at;
    lake_metadata *m;
    snprintf(path, sizeof path, "file://%s/metadata/v1.metadata.json", dir);
    cr_assert_eq(lake_directory_load(&plain, &a, lake_str_of(path), &at, &m, &err), LAKE_OK, "%s", err.message);
    cr_assert(m->last_updated_ms == 1 && !at.directory.ptr && at.version == 1);
    snprintf(path, sizeof path, "%s/metadata/odd", dir);
    cr_assert_eq(lake_directory_load(&plain, &a, lake_str_of(path), &at, &m, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(m->last_updated_ms, 3);
    snprintf(path, sizeof path, "%s/metadata/v7.metadata.json", dir);
    cr_assert_eq(lake_directory_load(&plain, &a, lake_str_of(path), &at, &m, &err), LAKE_ERR_NOT_FOUND);
    cr_assert(strstr(err.message, path));
    cr_assert_eq(lake_directory_load(&plain, &a, LAKE_STR("/nowhere/t"), &at, &m, &err), LAKE_ERR_NOT_FOUND);
    cr_assert(strstr(err.message, "/nowhere/t"), "%s", err.message);
    lake_arena_clear(&a);
}

static lake_status commit(lake_arena *a, const char *dir, const lake_table_pointer *base, int mark, bool gzip,
    lake_table_pointer *at, lake_error *err) {
    char text[1024];
    document(text, sizeof text, mark);
    lake_buffer out;
    lake_buffer_init(&out);
    if (gzip) {
        lake_codec_scratch *s = lake_codec_scratch_new();
        cr_assert_eq(lake_codec_encode(s, LAKE_CODEC_GZIP, -1, lake_bytes_of(lake_str_of(text)), &out, NULL), LAKE_OK);
        lake_codec_scratch_free(s);
    } else {
        lake_buffer_puts(&out, text);
    }
    lake_status st =
        lake_directory_commit(&plain, a, lake_str_of(dir), base, lake_bytes_of(lake_buffer_view(&out)), NULL, at, err);
    lake_buffer_clear(&out);
    return st;
}

Test(directory, commits_count_up_and_stale_ones_conflict) {
    char *dir = new_table();
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_error err;
    lake_error_init(&err);
    lake_table_pointer v1, v2, v3, other;
    lake_metadata *m;
    cr_assert_eq(commit(&a, dir, NULL, 1, false, &v1, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(v1.version, 1);
    cr_assert_eq(commit(&a, dir, NULL, 1, true, &other, &err), LAKE_ERR_EXISTS);
    cr_assert_eq(commit(&a, dir, &v1, 2, true, &v2, &err), LAKE_OK, "%s", err.message);
    cr_assert(lake_str_ends(v2.metadata_location, LAKE_STR("/metadata/v2.gz.metadata.json")));
    cr_assert_eq(commit(&a, dir, &v1, 3, false, &other, &err), LAKE_ERR_CONFLICT, "a plain v2 beside the gzip one");
    cr_assert_eq(commit(&a, dir, &v2, 3, false, &v3, &err), LAKE_OK);
    cr_assert_eq(commit(&a, dir, &v2, 3, true, &other, &err), LAKE_ERR_CONFLICT);
    cr_assert_eq(lake_directory_load(&plain, &a, lake_str_of(dir), &other, &m, &err), LAKE_OK);
    cr_assert(other.version == 3 && m->last_updated_ms == 3);
    lake_arena_clear(&a);
}

Test(directory, a_number_that_was_used_and_removed_is_not_used_again) {
    char *dir = new_table(), path[256];
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_table_pointer v1, v2, v3, other;
    cr_assert_eq(commit(&a, dir, NULL, 1, false, &v1, NULL), LAKE_OK);
    cr_assert_eq(commit(&a, dir, &v1, 2, false, &v2, NULL), LAKE_OK);
    cr_assert_eq(commit(&a, dir, &v2, 3, false, &v3, NULL), LAKE_OK);
    snprintf(path, sizeof path, "%s/metadata/v2.metadata.json", dir);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(commit(&a, dir, &v1, 9, false, &other, NULL), LAKE_ERR_CONFLICT);
    lake_arena_clear(&a);
}

Test(directory, a_metastores_table_is_not_forked) {
    char *dir = new_table();
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_error err;
    lake_error_init(&err);
    lake_table_pointer at, next;
    lake_metadata *m;
    write_version(dir, "00004-aa.metadata.json", 1, false);
    cr_assert_eq(lake_directory_load(&plain, &a, lake_str_of(dir), &at, &m, &err), LAKE_OK);
    cr_assert_eq(commit(&a, dir, &at, 2, false, &next, &err), LAKE_ERR_UNSUPPORTED);
    cr_assert(strstr(err.message, "00004-aa.metadata.json"), "%s", err.message);
    lake_arena_clear(&a);
}

/* Each adds one to the number in the document, until it has done so `todo` times. */
static void adder(const char *dir, int todo) {
    for (int done = 0; done < todo;) {
        lake_arena a;
        lake_arena_init(&a, 0);
        lake_table_pointer at, next;
        lake_metadata *m;
        lake_status s = lake_directory_load(&plain, &a, lake_str_of(dir), &at, &m, NULL);
        if (s == LAKE_OK)
            s = commit(&a, dir, &at, (int)m->last_updated_ms + 1, (done & 1) != 0, &next, NULL);
        lake_arena_clear(&a);
        if (s != LAKE_OK && s != LAKE_ERR_CONFLICT)
            _exit(1);
        done += s == LAKE_OK;
    }
    _exit(0);
}

Test(directory, of_16_processes_no_commit_is_lost, .timeout = 120) {
    enum { PROCESSES = 16, COMMITS = 8 };
    char *dir = new_table();
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_table_pointer at;
    lake_metadata *m;
    pid_t pids[PROCESSES];
    cr_assert_eq(commit(&a, dir, NULL, 0, false, &at, NULL), LAKE_OK);
    for (int i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        cr_assert_geq(pids[i], 0);
        if (pids[i] == 0)
            adder(dir, COMMITS);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        cr_assert_eq(waitpid(pids[i], &status, 0), pids[i]);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    cr_assert_eq(lake_directory_load(&plain, &a, lake_str_of(dir), &at, &m, NULL), LAKE_OK);
    cr_assert_eq(m->last_updated_ms, PROCESSES * COMMITS);
    cr_assert_eq(at.version, 1 + PROCESSES * COMMITS);
    lake_arena_clear(&a);
}

static lake_status load_once(void *user, lake_error *err) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_table_pointer at;
    lake_metadata *m;
    lake_status s = lake_directory_load(&plain, &a, lake_str_of(user), &at, &m, err);
    lake_arena_clear(&a);
    return s;
}

Test(directory, every_failing_allocation_is_clean) {
    char *dir = new_table();
    write_version(dir, "v1.metadata.json", 1, false);
    write_raw(dir, "version-hint.text", "1", 1);
    test_every_allocation(load_once, dir);
    char hint[128];
    snprintf(hint, sizeof hint, "%s/metadata/version-hint.text", dir);
    cr_assert_eq(unlink(hint), 0);
    test_every_allocation(load_once, dir);
}
