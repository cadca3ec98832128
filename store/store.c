/* Locations: --map and the forms of `file:`. What is written into metadata keeps the location; only here it becomes a
   path. Relies on nothing but base/. (spec.md, "File Locations in Metadata": locations are compared and kept as text.)
 */
#include "store/store.h"

#include <ctype.h>

/* The length of "scheme:" if the location has one: letters, digits, '+', '.', '-' up to a colon with a slash behind it,
   or "file:" before anything. 0: a plain path. */
static size_t scheme_length(lake_str s) {
    size_t i = 0;
    if (!s.len || !isalpha((unsigned char)s.ptr[0]))
        return 0;
    while (i < s.len && (isalnum((unsigned char)s.ptr[i]) || strchr("+.-", s.ptr[i])))
        i++;
    if (i == s.len || s.ptr[i] != ':')
        return 0;
    if (i + 1 < s.len && s.ptr[i + 1] == '/')
        return i + 1;
    return lake_str_starts(s, LAKE_STR("file:")) ? i + 1 : 0;
}

/* "file:/p", "file:///p" and "file://localhost/p" are "/p"; "file:p" is "p". Others stay. */
static lake_str without_file_scheme(lake_str s) {
    static const char *const forms[] = {"file://localhost/", "file:///", "file:/", "file:"};
    if (lake_str_starts(s, LAKE_STR("file://")) && !lake_str_starts(s, lake_str_of(forms[0])) &&
        !lake_str_starts(s, lake_str_of(forms[1])))
        return s; /* another host */
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        lake_str form = lake_str_of(forms[i]);
        if (lake_str_starts(s, form)) {
            size_t drop = form.len - (form.ptr[form.len - 1] == '/');
            return (lake_str){s.ptr + drop, s.len - drop};
        }
    }
    return s;
}

/* "./t" and "t" are one place. */
static lake_str without_dot(lake_str s) {
    while (lake_str_starts(s, LAKE_STR("./"))) {
        s.ptr += 2;
        s.len -= 2;
    }
    return s;
}

/* A trailing slash of a `from` does not count, except behind a scheme ("s3://"). */
static lake_str map_prefix(lake_str from) {
    from = without_dot(without_file_scheme(from));
    if (from.len > 1 && from.ptr[from.len - 1] == '/' && from.ptr[from.len - 2] != '/' && from.ptr[from.len - 2] != ':')
        from.len--;
    return from;
}

/* A prefix counts only up to a separator: "s3://b/t" does not take "s3://b/t_2/x". */
static bool map_takes(lake_str from, lake_str location) {
    if (!lake_str_starts(location, from) || !from.len)
        return false;
    char last = from.ptr[from.len - 1];
    return location.len == from.len || last == '/' || last == ':' || location.ptr[from.len] == '/';
}

static lake_str apply_maps(const lake_store *store, lake_arena *arena, lake_str as_given) {
    lake_str location = without_dot(as_given);
    const lake_map *best = NULL;
    lake_str prefix = {0};
    for (size_t i = 0; i < store->nmaps; i++) {
        lake_str from = map_prefix(store->maps[i].from);
        if (map_takes(from, location) && (!best || from.len > prefix.len)) {
            best = &store->maps[i];
            prefix = from;
        }
    }
    if (!best)
        return as_given;
    lake_str to = best->to, rest = {location.ptr + prefix.len, location.len - prefix.len};
    while (rest.len && rest.ptr[0] == '/') {
        rest.ptr++;
        rest.len--;
    }
    bool slash = rest.len && to.len && to.ptr[to.len - 1] != '/' && to.ptr[to.len - 1] != ':';
    return lake_arena_printf(arena, "%.*s%s%.*s", LAKE_ARG(to), slash ? "/" : "", LAKE_ARG(rest));
}

lake_status lake_store_resolve(
    const lake_store *store, lake_arena *arena, lake_str location, lake_str *path, lake_error *err) {
    if (!location.len)
        return lake_fail(err, LAKE_ERR_MALFORMED, "a location is empty");
    if (location.len > 4096)
        return lake_fail(
            err, LAKE_ERR_LIMIT, "%.64s...: a location of %zu bytes (the limit is 4096)", location.ptr, location.len);
    if (memchr(location.ptr, 0, location.len))
        return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: a location with a NUL character", LAKE_ARG(location));
    lake_str at = apply_maps(store, arena, without_file_scheme(location));
    if (!at.ptr)
        return lake_fail_memory(err);
    at = without_file_scheme(at);
    size_t scheme = scheme_length(at);
    if (scheme && lake_str_starts(at, LAKE_STR("file:")))
        return lake_fail(
            err, LAKE_ERR_UNSUPPORTED, "%.*s: a file on another host cannot be opened", LAKE_ARG(location));
    if (scheme)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED,
            "%.*s: no store for the scheme '%.*s' (a copy on disk can be named with --map)", LAKE_ARG(location),
            (int)scheme - 1, at.ptr);
    *path = lake_arena_str(arena, at.ptr, at.len);
    if (!path->ptr)
        return lake_fail_memory(err);
    return at.len ? LAKE_OK : lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: an empty path", LAKE_ARG(location));
}
