/* Finding the current metadata file of a table directory (spec.md, "File System Tables"; Appendix F on names of gzip
   files). A version hint is a place to start from, never the truth: it may be stale, torn or missing. */
#include "catalog/directory.h"

#include <stdlib.h>

#include "catalog/directory_internal.h"

static const char *const suffixes[] = {
    ".gz.metadata.json", ".gzip.metadata.json", ".metadata.json.gz", ".metadata.json"};
enum { NSUFFIXES = sizeof suffixes / sizeof *suffixes };

/* The name without its suffix; false if it is no metadata file's. */
static bool strip_suffix(lake_str name, lake_str *stem) {
    for (size_t i = 0; i < NSUFFIXES; i++) {
        lake_str suffix = lake_str_of(suffixes[i]);
        if (lake_str_ends(name, suffix)) {
            *stem = (lake_str){name.ptr, name.len - suffix.len};
            return true;
        }
    }
    return false;
}

/* Digits at the start; 0 if there are none or too many. */
static size_t read_digits(lake_str s, int64_t *out) {
    size_t i = 0;
    int64_t n = 0;
    for (; i < s.len && i < 19 && s.ptr[i] >= '0' && s.ptr[i] <= '9'; i++)
        if (__builtin_mul_overflow(n, (int64_t)10, &n) || __builtin_add_overflow(n, (int64_t)(s.ptr[i] - '0'), &n))
            return 0;
    if (i == s.len || s.ptr[i] < '0' || s.ptr[i] > '9')
        *out = n;
    else
        return 0;
    return i;
}

lake_name_form lake_metadata_name_parse(lake_str name, int64_t *version) {
    lake_str stem;
    *version = -1;
    if (!strip_suffix(name, &stem))
        return LAKE_NAME_OTHER;
    if (stem.len && stem.ptr[0] == 'v') {
        lake_str digits = {stem.ptr + 1, stem.len - 1};
        size_t n = read_digits(digits, version);
        if (n && n == digits.len)
            return LAKE_NAME_V;
        *version = -1;
        return LAKE_NAME_UNNUMBERED;
    }
    size_t n = read_digits(stem, version);
    if (n && n < stem.len && stem.ptr[n] == '-')
        return LAKE_NAME_UUID;
    *version = -1;
    return LAKE_NAME_UNNUMBERED;
}

lake_str lake_directory_place(lake_arena *arena, lake_str directory, lake_str name) {
    while (directory.len > 1 && directory.ptr[directory.len - 1] == '/')
        directory.len--;
    return lake_arena_printf(arena, "%.*s/metadata/%.*s", LAKE_ARG(directory), LAKE_ARG(name));
}

/* Does vN exist under any of its names? Plain first, as engines look. */
static lake_status find_version(lake_directory_search *s, int64_t version, lake_str *found, lake_error *err) {
    static const char *const order[] = {
        ".metadata.json", ".gz.metadata.json", ".metadata.json.gz", ".gzip.metadata.json"};
    found->ptr = NULL;
    for (size_t i = 0; i < NSUFFIXES; i++) {
        lake_str name = lake_arena_printf(s->arena, "v%lld%s", (long long)version, order[i]);
        lake_str at = name.ptr ? lake_directory_place(s->arena, s->directory, name) : name;
        if (!at.ptr)
            return lake_fail_memory(err);
        if (lake_store_exists(s->store, at)) {
            *found = at;
            return LAKE_OK;
        }
    }
    return LAKE_OK;
}

/* The hint's text without white space around; ptr NULL: no usable hint. */
static lake_status read_hint(lake_directory_search *s, lake_str *hint, lake_error *err) {
    lake_blob blob;
    hint->ptr = NULL;
    lake_str at = lake_directory_place(s->arena, s->directory, LAKE_STR("version-hint.text"));
    if (!at.ptr)
        return lake_fail_memory(err);
    lake_status st = lake_store_read(s->store, at, &blob, NULL);
    if (st == LAKE_ERR_NO_MEMORY)
        return lake_fail_memory(err);
    if (st != LAKE_OK)
        return LAKE_OK;
    lake_str text = {(const char *)blob.data, blob.size > 1024 ? 0 : blob.size};
    while (text.len && memchr(" \t\r\n", text.ptr[0], 4)) {
        text.ptr++;
        text.len--;
    }
    while (text.len && memchr(" \t\r\n", text.ptr[text.len - 1], 4))
        text.len--;
    bool usable = text.len && !memchr(text.ptr, '/', text.len) && !memchr(text.ptr, 0, text.len);
    if (usable)
        *hint = lake_arena_str(s->arena, text.ptr, text.len);
    lake_blob_clear(&blob);
    return usable && !hint->ptr ? lake_fail_memory(err) : LAKE_OK;
}

/* "3", "v3" and "v3.metadata.json": start there and go up while the next one exists. */
static lake_status probe(lake_directory_search *s, int64_t from, lake_error *err) {
    lake_str found;
    for (int64_t v = from;; v++) {
        LAKE_TRY(find_version(s, v, &found, err));
        if (!found.ptr)
            return LAKE_OK;
        s->found = found;
        s->version = v;
        s->hinted = true;
    }
}

/* "00003-uuid" and its full name: that very file, unless a listing shows a newer one (see highest). */
static lake_status use_named_hint(lake_directory_search *s, lake_str hint, lake_error *err) {
    lake_str stem;
    bool full = strip_suffix(hint, &stem);
    for (size_t i = full ? NSUFFIXES - 1 : 0; i < NSUFFIXES; i++) {
        lake_str name = full ? hint : lake_arena_printf(s->arena, "%.*s%s", LAKE_ARG(hint), suffixes[i]);
        lake_str at = name.ptr ? lake_directory_place(s->arena, s->directory, name) : name;
        if (!at.ptr)
            return lake_fail_memory(err);
        if (lake_store_exists(s->store, at)) {
            lake_metadata_name_parse(name, &s->version);
            s->found = at;
            s->hinted = true;
            break;
        }
    }
    return LAKE_OK;
}

static lake_status use_hint(lake_directory_search *s, lake_error *err) {
    lake_str hint, stem;
    int64_t version;
    LAKE_TRY(read_hint(s, &hint, err));
    if (!hint.ptr)
        return LAKE_OK;
    stem = hint;
    strip_suffix(hint, &stem);
    if (stem.len > 1 && stem.ptr[0] == 'v') {
        stem.ptr++;
        stem.len--;
    }
    size_t n = read_digits(stem, &version);
    if (n && n == stem.len)
        return probe(s, version, err);
    return use_named_hint(s, hint, err);
}

/* Without a usable hint: the highest number of all; vN before N-uuid. Names without a number count only if there is
   just one metadata file at all. */
static lake_status highest(lake_directory_search *s, lake_error *err) {
    lake_str *names, only = {0}, best = {0};
    size_t n, unnumbered = 0;
    lake_name_form form = LAKE_NAME_OTHER;
    lake_str folder = lake_directory_place(s->arena, s->directory, LAKE_STR(""));
    if (!folder.ptr)
        return lake_fail_memory(err);
    folder.len--;
    lake_status st = lake_store_list(s->store, s->arena, folder, &names, &n, err);
    if (st == LAKE_ERR_NOT_FOUND && lake_store_list(s->store, s->arena, s->directory, &names, &n, NULL) == st)
        return lake_fail(err, st, "%.*s: nothing exists there", LAKE_ARG(s->directory));
    if (st == LAKE_ERR_NOT_FOUND)
        return lake_fail(err, st, "%.*s: no table is here: neither a metadata file nor a folder with metadata/ in it",
            LAKE_ARG(s->directory));
    LAKE_TRY(st);
    s->ties = LAKE_ARENA_ARRAY(s->arena, lake_str, n + 1);
    if (!s->ties)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        int64_t version;
        lake_name_form f = lake_metadata_name_parse(names[i], &version);
        if (f == LAKE_NAME_UNNUMBERED) {
            only = names[i];
            unnumbered++;
        }
        if (f != LAKE_NAME_V && f != LAKE_NAME_UUID)
            continue;
        if (version > s->version || (version == s->version && f < form))
            s->nties = 0;
        else if (version < s->version || f > form)
            continue;
        s->version = version;
        form = f;
        best = names[i];
        s->ties[s->nties++] = names[i];
    }
    if (!best.ptr && unnumbered == 1)
        best = only;
    if (!best.ptr)
        return lake_fail(
            err, LAKE_ERR_NOT_FOUND, "%.*s: no table is here: metadata/ has no metadata file", LAKE_ARG(s->directory));
    if (form == LAKE_NAME_V) {
        s->nties = 0;
        LAKE_TRY(find_version(s, s->version, &s->found, err));
        if (s->found.ptr)
            return LAKE_OK; /* else a number with leading zeros */
    }
    s->found = lake_directory_place(s->arena, s->directory, best);
    return s->found.ptr ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_directory_search_run(lake_directory_search *s, lake_error *err) {
    s->version = -1;
    LAKE_TRY(use_hint(s, err));
    if (!s->found.ptr)
        LAKE_TRY(highest(s, err));
    if (s->found.ptr)
        return LAKE_OK;
    return lake_fail(err, LAKE_ERR_NOT_FOUND, "%.*s: its metadata files vanished", LAKE_ARG(s->directory));
}
