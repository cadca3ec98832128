/* Members of the metadata document with their path in errors. See metadata_place.h. */
#include "format/metadata_place.h"

#include <stdio.h>

static size_t print_place(const lake_place *at, char *out, size_t room) {
    size_t n = at->up ? print_place(at->up, out, room) : 0;
    if (n + 1 >= room)
        return n;
    int got;
    if (at->key)
        got = snprintf(out + n, room - n, "%s%s", n ? "." : "", at->key);
    else if (at->own_key.ptr)
        got = snprintf(out + n, room - n, "%s%.*s", n ? "." : "", LAKE_ARG(at->own_key));
    else
        got = snprintf(out + n, room - n, "[%zu]", at->index);
    return got < 0 || (size_t)got >= room - n ? room - 1 : n + (size_t)got;
}

lake_status lake_place_fail(const lake_metadata_reading *r, const lake_place *at, const char *fmt, ...) {
    char place[300] = "", what[500];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    if (at)
        print_place(at, place, sizeof place);
    return lake_fail(r->err, LAKE_ERR_MALFORMED, "%s%s%s%s%s", r->name ? r->name : "", r->name ? ": " : "", place,
        at ? ": " : "", what);
}

lake_status lake_place_wrap(const lake_metadata_reading *r, lake_status status, const lake_place *at) {
    char place[300] = "";
    if (status == LAKE_OK || status == LAKE_ERR_NO_MEMORY)
        return status;
    print_place(at, place, sizeof place);
    return lake_wrap(r->err, status, "%s%s%s", r->name ? r->name : "", r->name ? ": " : "", place);
}

/* A short word for what a value is, for messages. */
static const char *kind_word(const lake_json *v) {
    static const char *const words[] = {"null", "false", "true", "a number", "a string", "a list", "an object"};
    return words[v->kind];
}

/* The member, NULL if it is absent and may be. */
static lake_status take(const lake_metadata_reading *r, const lake_json *object, const lake_place *at, const char *key,
    bool *found, const lake_json **out) {
    *out = lake_json_find(object, key);
    if (found)
        *found = *out != NULL;
    if (!*out && !found)
        return lake_place_fail(r, LAKE_AT(at, key), "missing");
    return LAKE_OK;
}

static lake_status not_number(const lake_metadata_reading *r, const lake_json *v, const lake_place *at, int bits) {
    if (!lake_json_is(v, LAKE_JSON_NUMBER))
        return lake_place_fail(r, at, "%s is not a %d-bit integer", kind_word(v), bits);
    return lake_place_fail(
        r, at, "%.*s is not a %d-bit integer", (int)(v->text.len > 80 ? 80 : v->text.len), v->text.ptr, bits);
}

lake_status lake_take_i64(const lake_metadata_reading *r, const lake_json *object, const lake_place *at,
    const char *key, bool *found, int64_t *out) {
    const lake_json *v;
    LAKE_TRY(take(r, object, at, key, found, &v));
    if (v && !lake_json_i64(v, out))
        return not_number(r, v, LAKE_AT(at, key), 64);
    return LAKE_OK;
}

lake_status lake_take_i32(const lake_metadata_reading *r, const lake_json *object, const lake_place *at,
    const char *key, bool *found, int32_t *out) {
    const lake_json *v;
    LAKE_TRY(take(r, object, at, key, found, &v));
    if (v && !lake_json_i32(v, out))
        return not_number(r, v, LAKE_AT(at, key), 32);
    return LAKE_OK;
}

lake_status lake_take_str(const lake_metadata_reading *r, const lake_json *object, const lake_place *at,
    const char *key, bool *found, lake_str *out) {
    const lake_json *v;
    LAKE_TRY(take(r, object, at, key, found, &v));
    if (v && !lake_json_is(v, LAKE_JSON_STRING))
        return lake_place_fail(r, LAKE_AT(at, key), "%s where a string must be", kind_word(v));
    if (v)
        *out = v->text;
    return LAKE_OK;
}

lake_status lake_take_list(const lake_metadata_reading *r, const lake_json *object, const lake_place *at,
    const char *key, const lake_json **out) {
    *out = lake_json_find(object, key);
    if (*out && !lake_json_is(*out, LAKE_JSON_ARRAY))
        return lake_place_fail(r, LAKE_AT(at, key), "%s where a list must be", kind_word(*out));
    if (*out && (*out)->count > LAKE_METADATA_MAX_LIST) {
        lake_place_fail(r, LAKE_AT(at, key), "%zu elements (the limit is %d)", (*out)->count, LAKE_METADATA_MAX_LIST);
        if (r->err)
            r->err->status = LAKE_ERR_LIMIT;
        return LAKE_ERR_LIMIT;
    }
    return LAKE_OK;
}

lake_status lake_take_object(const lake_metadata_reading *r, const lake_json *object, const lake_place *at,
    const char *key, const lake_json **out) {
    *out = lake_json_find(object, key);
    if (*out && !lake_json_is(*out, LAKE_JSON_OBJECT))
        return lake_place_fail(r, LAKE_AT(at, key), "%s where an object must be", kind_word(*out));
    return LAKE_OK;
}

lake_status lake_take_string_map(const lake_metadata_reading *r, const lake_json *object, const lake_place *at,
    const char *key, const lake_json **out) {
    LAKE_TRY(lake_take_object(r, object, at, key, out));
    for (size_t i = 0; *out && i < (*out)->count; i++) {
        const lake_json_member *m = &(*out)->members[i];
        if (!lake_json_is(m->value, LAKE_JSON_STRING))
            return lake_place_fail(
                r, LAKE_AT_OWN(LAKE_AT(at, key), m->name), "%s where a string must be", kind_word(m->value));
    }
    return LAKE_OK;
}
