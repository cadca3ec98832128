/* How locations given by users are recorded in metadata: absolute, and the reverse of --map ("what is written into
   metadata keeps FROM"). */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "writer/manifest_files.h"

/* The path of a plain path or a local file: URI; ptr NULL: another scheme. */
static lake_str local_path(lake_str s) {
    static const char *const forms[] = {"file://localhost/", "file:///", "file:/"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t n = strlen(forms[i]);
        if (lake_str_starts(s, lake_str_of(forms[i])))
            return (lake_str){s.ptr + n - 1, s.len - n + 1};
    }
    if (lake_str_starts(s, LAKE_STR("file:")) && !lake_str_starts(s, LAKE_STR("file://")))
        return (lake_str){s.ptr + 5, s.len - 5};
    for (size_t i = 0; i + 2 < s.len && s.ptr[i] != '/'; i++)
        if (i > 0 && s.ptr[i] == ':' && s.ptr[i + 1] == '/')
            return (lake_str){NULL, 0};
    return s;
}

/* Drops `.`, empty components and (by name) `..` from an absolute path, in place. */
static void normalise(char *path) {
    char *to = path;
    for (char *from = path; *from;) {
        while (*from == '/')
            from++;
        size_t n = strcspn(from, "/");
        if (n == 2 && from[0] == '.' && from[1] == '.') {
            while (to > path && *--to != '/')
                ;
        } else if (n && !(n == 1 && from[0] == '.')) {
            *to++ = '/';
            memmove(to, from, n);
            to += n;
        }
        from += n;
    }
    if (to == path)
        *to++ = '/';
    *to = 0;
}

static bool has_dots(const char *path) {
    for (const char *p = path; (p = strstr(p, "/..")); p += 3)
        if (p[3] == '/' || !p[3])
            return true;
    return false;
}

/* The absolute form. `..` behind a symbolic link is not what its name says, so the folder is then asked of the system.
 */
static lake_status absolute(lake_arena *arena, lake_str path, lake_str *out, lake_error *err) {
    char cwd[PATH_MAX] = "", real[PATH_MAX];
    bool relative = !path.len || path.ptr[0] != '/';
    if (relative && !getcwd(cwd, sizeof cwd))
        return lake_fail_os(err, errno, "the current directory");
    lake_buffer text;
    lake_buffer_init(&text);
    lake_buffer_puts(&text, cwd);
    lake_buffer_puts(&text, relative ? "/" : "");
    lake_buffer_str(&text, path);
    lake_buffer_char(&text, 0);
    lake_status status = lake_buffer_check(&text, err);
    if (status == LAKE_OK) {
        char *whole = (char *)text.data, *slash = strrchr(whole, '/');
        if (has_dots(whole) && !has_dots(slash)) {
            *slash = 0;
            bool known = realpath(whole, real);
            *slash = '/';
            *out = known ? lake_arena_printf(arena, "%s%s", real, slash) : lake_arena_printf(arena, "%s", whole);
        } else {
            *out = lake_arena_printf(arena, "%s", whole);
        }
        if (out->ptr) {
            normalise((char *)out->ptr);
            out->len = strlen(out->ptr);
        } else {
            status = lake_fail_memory(err);
        }
    }
    lake_buffer_clear(&text);
    return status;
}

/* Comparable form: absolute for local paths, the text for other schemes. */
static lake_status comparable(lake_arena *arena, lake_str location, lake_str *out, lake_error *err) {
    lake_str path = local_path(location);
    if (path.ptr)
        return absolute(arena, path, out, err);
    *out = location;
    return LAKE_OK;
}

static lake_str trimmed(lake_str s) {
    while (s.len > 1 && s.ptr[s.len - 1] == '/' && s.ptr[s.len - 2] != '/' && s.ptr[s.len - 2] != ':')
        s.len--;
    return s;
}

/* Does a map take this location as a FROM? Then it is recorded as it stands. */
static lake_status is_mapped(
    const lake_store *store, lake_arena *arena, lake_str given, bool *mapped, lake_error *err) {
    *mapped = false;
    lake_store unmapped = {.max_file = store->max_file};
    lake_str with, without;
    if (!store->nmaps || lake_store_resolve(store, arena, given, &with, NULL) != LAKE_OK)
        return LAKE_OK;
    *mapped = lake_store_resolve(&unmapped, arena, given, &without, NULL) != LAKE_OK || !lake_str_eq(with, without);
    return LAKE_OK;
}

static bool lies_under(lake_str location, lake_str folder) {
    return folder.len && lake_str_starts(location, folder) &&
        (location.len == folder.len || location.ptr[folder.len] == '/' || folder.ptr[folder.len - 1] == '/');
}

lake_str lake_location_path(lake_str location) {
    lake_str path = local_path(location);
    return path.ptr ? path : location;
}

lake_status lake_location_recorded(
    const lake_store *store, lake_arena *arena, const char *given, lake_str *out, lake_error *err) {
    lake_str text = lake_str_of(given), at, best_to = {0}, best_from = {0};
    bool mapped;
    if (!text.len)
        return lake_fail(err, LAKE_ERR_USAGE, "a location is empty");
    LAKE_TRY(is_mapped(store, arena, text, &mapped, err));
    LAKE_TRY(comparable(arena, text, &at, err));
    for (size_t i = 0; !mapped && i < store->nmaps; i++) {
        lake_str to;
        LAKE_TRY(comparable(arena, trimmed(store->maps[i].to), &to, err));
        if (lies_under(at, to) && to.len > best_to.len) {
            best_to = to;
            best_from = trimmed(store->maps[i].from);
        }
    }
    if (best_to.len) {
        lake_str rest = {at.ptr + best_to.len, at.len - best_to.len};
        while (rest.len && rest.ptr[0] == '/') {
            rest.ptr++;
            rest.len--;
        }
        bool slash = rest.len && best_from.len && best_from.ptr[best_from.len - 1] != '/';
        *out = lake_arena_printf(arena, "%.*s%s%.*s", LAKE_ARG(best_from), slash ? "/" : "", LAKE_ARG(rest));
    } else {
        bool plain = local_path(text).ptr == text.ptr;
        lake_str keep = mapped || !plain ? text : at;
        *out = lake_arena_str(arena, keep.ptr, keep.len);
    }
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}
