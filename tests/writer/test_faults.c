/* Failing system calls in the middle of a commit: each call in turn fails. Whatever happens, the table opens; a commit
   that is in it is whole, even if the call that failed came after it had landed (TRAPS K4, K5); one that is not in it
   leaves no file behind. The calls are replaced for this program by functions of the same names. */
#include "lake/maintain.h"
#include "tests/writer/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef enum call { NO_CALL, DRAW_THE_SAME, FSYNC, LINKAT, LINKAT_ONCE_DONE, NO_PROC, UNLINK, RENAME, MKDIR } call;
static call failing;
static long countdown, seen;

/* Is it this call's turn? */
static bool turn(call which) {
    if (failing != which)
        return false;
    seen++;
    return countdown-- == 0;
}

int fsync(int fd) {
    if (turn(FSYNC)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
    if (turn(LINKAT)) {
        errno = EIO;
        return -1;
    }
    if (failing == NO_PROC && (flags & AT_SYMLINK_FOLLOW)) {
        seen++;
        errno = ENOENT;
        return -1;
    }
    int r = (int)syscall(SYS_linkat, from, old, to, new, flags);
    if (r == 0 && turn(LINKAT_ONCE_DONE)) { /* it was done, but the answer was lost */
        errno = EIO;
        return -1;
    }
    return r;
}

int unlink(const char *path) {
    if (turn(UNLINK)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rename(const char *old, const char *new) {
    if (turn(RENAME)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_renameat, AT_FDCWD, old, AT_FDCWD, new);
}

int mkdir(const char *path, mode_t mode) {
    if (turn(MKDIR)) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

/* The first `countdown` draws give one pattern. */
ssize_t getrandom(void *into, size_t n, unsigned flags) {
    if (failing == DRAW_THE_SAME && countdown-- > 0) {
        seen++;
        memset(into, 0x5a, n);
        return (ssize_t)n;
    }
    return syscall(SYS_getrandom, into, n, flags);
}

static lake_error err;

/* Everything that the current snapshot names is there, and holds what it must. */
static void check_whole(lake_table *t, size_t snapshots) {
    lake_arena a;
    lake_arena_init(&a, 0);
    lake_manifest_file *lines;
    size_t n;
    cr_assert_eq(t->metadata->nsnapshots, snapshots);
    cr_assert_eq(lake_table_manifests(t, t->metadata->snapshot, &a, &lines, &n, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(n, snapshots);
    for (size_t i = 0; i < n; i++)
        cr_assert(lake_store_exists(&t->session->store, lines[i].path), "%.*s is gone", LAKE_ARG(lines[i].path));
    lake_arena_clear(&a);
}

/* Returns how many times the call was made. */
static long commit_with(call which, long nth, int version, bool *landed, lake_status *status, size_t *left) {
    test_place p;
    test_place_init(&p);
    static const char *const props[] = {"commit.retry.min-wait-ms=1"};
    lake_table *t = test_create(&p, version, NULL, props, 1);
    lake_entry e = {.status = LAKE_ENTRY_ADDED, .record_count = 1, .file_size = 1};
    char first[256];
    strcpy(first,
        test_write_manifest(
            &p, t, &(test_manifest){"m1", version, .like = e, .n = 1, .has_snapshot_id = true, .snapshot_id = 1}));
    const char *manifest = first;
    cr_assert_eq(lake_table_commit(t, &manifest, 1, NULL, NULL, &err), LAKE_OK, "%s", err.message);
    manifest = test_write_manifest(
        &p, t, &(test_manifest){"m2", version, .like = e, .n = 1, .has_snapshot_id = true, .snapshot_id = 1});
    size_t before = test_count_files(&p);
    seen = 0;
    countdown = nth;
    failing = which;
    lake_error_init(&err);
    *status = lake_table_commit(t, &manifest, 1, NULL, NULL, &err);
    failing = NO_CALL;
    if (*status != LAKE_OK)
        cr_assert(err.message[0]);
    lake_table_close(t);
    lake_error e2;
    cr_assert_eq(lake_table_open(p.session, p.table, &t, &e2), LAKE_OK, "%s", e2.message);
    *landed = t->metadata->nsnapshots == 2;
    check_whole(t, *landed ? 2 : 1);
    *left = test_count_files(&p) - before;
    lake_table_close(t);
    lake_session_close(p.session);
    return seen;
}

static void every(call which, int version, bool may_fail) {
    long calls = 1;
    for (long n = 0; n < calls; n++) {
        bool landed;
        size_t left;
        lake_status status;
        calls = commit_with(which, n, version, &landed, &status, &left);
        if (!landed) {
            cr_assert(may_fail && status == LAKE_ERR_IO, "call %ld of %d: %s", n, which, lake_status_name(status));
            cr_assert_eq(left, 0, "call %ld of %d: %zu files are left behind (%s)", n, which, left, err.message);
        } else {
            cr_assert_eq(status, LAKE_OK, "call %ld of %d: it landed, but said %s: %s", n, which,
                lake_status_name(status), err.message);
            /* list and document (the hint was there), in v1 the copied manifest, too */
            cr_assert_eq(left, version == 1 ? 3 : 2);
        }
    }
    cr_assert_gt(calls, 0, "call %d was never made", which);
}

Test(faults, a_failing_fsync_loses_nothing_and_leaves_nothing) {
    every(FSYNC, 1, true);
    every(FSYNC, 2, true);
}

Test(faults, a_failing_link_leaves_nothing) {
    every(LINKAT, 1, true);
    every(LINKAT, 3, true);
}

Test(faults, a_commit_whose_answer_was_lost_is_found_and_kept) {
    every(LINKAT_ONCE_DONE, 1, true);
    every(LINKAT_ONCE_DONE, 2, true);
}

Test(faults, the_version_hint_is_no_part_of_a_commit) {
    every(RENAME, 2, false);
}

Test(faults, without_proc_files_are_linked_from_a_temporary_name) {
    bool landed;
    size_t left;
    lake_status status;
    cr_assert_gt(commit_with(NO_PROC, 0, 2, &landed, &status, &left), 0);
    cr_assert(landed && status == LAKE_OK && left == 2, "%s %zu", err.message, left);
}

/* A commit without a snapshot, told by what is in the document. */
static long edit_with(call which, long nth, bool *landed, lake_status *status, size_t *left) {
    static const char *const pair[] = {"owner=me"};
    test_place p;
    test_place_init(&p);
    lake_table *t = test_create(&p, 2, NULL, NULL, 0);
    size_t before = test_count_files(&p);
    seen = 0;
    countdown = nth;
    failing = which;
    lake_error_init(&err);
    *status = lake_table_set_properties(t, pair, 1, NULL, 0, NULL, NULL, &err);
    failing = NO_CALL;
    lake_table_close(t);
    lake_error e2;
    cr_assert_eq(lake_table_open(p.session, p.table, &t, &e2), LAKE_OK, "%s", e2.message);
    *landed = lake_str_is(lake_metadata_property(t->metadata, "owner"), "me");
    *left = test_count_files(&p) - before;
    lake_table_close(t);
    lake_session_close(p.session);
    return seen;
}

Test(faults, a_change_of_properties_is_there_or_not_whatever_call_fails) {
    static const call calls[] = {FSYNC, LINKAT, LINKAT_ONCE_DONE, RENAME};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        long n, made = 1;
        for (n = 0; n < made; n++) {
            bool landed;
            size_t left;
            lake_status status;
            made = edit_with(calls[i], n, &landed, &status, &left);
            cr_assert_eq(status, landed ? LAKE_OK : LAKE_ERR_IO, "call %ld of %d: landed %d, said %s: %s", n, calls[i],
                landed, lake_status_name(status), err.message);
            cr_assert_eq(left, landed ? 1 : 0, "call %ld of %d: %zu files", n, calls[i], left);
        }
        cr_assert_gt(made, 0, "call %d was never made", calls[i]);
    }
}

Test(faults, folders_that_cannot_be_made_are_an_error) {
    lake_store plain = {0};
    char path[160], dir[64] = "/tmp/lake-faults-XXXXXX";
    cr_assert(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/a/b/c/f", dir);
    for (long n = 0; n < 3; n++) {
        countdown = n;
        failing = MKDIR;
        lake_status s = lake_store_create(&plain, lake_str_of(path), lake_bytes_of(LAKE_STR("x")), &err);
        failing = NO_CALL;
        cr_assert_eq(s, LAKE_ERR_IO, "%s", err.message);
        cr_assert(strstr(err.message, path) && strstr(err.message, "folder"), "%s", err.message);
        char a[96];
        snprintf(a, sizeof a, "%s/a", dir);
        cr_assert_neq(access(a, F_OK), 0, "folder %ld was left behind", n);
    }
}

Test(faults, a_snapshot_id_that_is_taken_is_drawn_again) {
    for (int version = 1; version <= 2; version++) {
        test_place p;
        test_place_init(&p);
        lake_table *t = test_create(&p, version, NULL, NULL, 0);
        lake_entry e = {.status = LAKE_ENTRY_ADDED, .record_count = 1, .file_size = 1};
        int64_t ids[2];
        for (int i = 0; i < 2; i++) {
            const char *manifest = test_write_manifest(&p, t,
                &(test_manifest){
                    i ? "m1" : "m0", version, .like = e, .n = 1, .has_snapshot_id = true, .snapshot_id = 1});
            failing = DRAW_THE_SAME;
            countdown = 2; /* the uuid and the id */
            seen = 0;
            lake_status s = lake_table_commit(t, &manifest, 1, NULL, NULL, &err);
            failing = NO_CALL;
            cr_assert_eq(s, LAKE_OK, "%s", err.message);
            cr_assert_eq(seen, 2);
            ids[i] = t->metadata->snapshot->id;
        }
        cr_assert_neq(ids[0], ids[1]);
        check_whole(t, 2);
        lake_table_close(t);
        lake_session_close(p.session);
    }
}
