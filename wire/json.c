/* JSON documents into our own tree. The one file that knows jansson (2.14): it decides the structure, unescapes strings
   and finds duplicate names; numbers reach it as marked strings (json_scan.h), since it would round or refuse them. */
#include "wire/json.h"

#include <jansson.h>

#include "wire/json_scan.h"

/* Lines and columns count from 1; a column is a code point. */
static lake_status fail(lake_error *err, const char *name, lake_str text, lake_status status, size_t offset,
    const char *what, lake_str near) {
    size_t line = 1, start = 0;
    for (size_t i = 0; i < offset; i++)
        if (text.ptr[i] == '\n') {
            line++;
            start = i + 1;
        }
    size_t column = lake_utf8_count((lake_bytes){(const uint8_t *)text.ptr + start, offset - start}) + 1;
    if (near.len > 60)
        near.len = lake_utf8_head(lake_bytes_of(near), 40);
    return lake_fail_at(err, status, (int64_t)offset, "%s%sline %zu, column %zu (byte %zu): %s%s%.*s", name ? name : "",
        name ? ": " : "", line, column, offset, what, near.len ? " near " : "", LAKE_ARG(near));
}

static lake_status fail_parser(lake_error *err, const char *name, lake_str text, const json_error_t *e) {
    enum json_error_code code = json_error_code(e);
    if (code == json_error_out_of_memory)
        return lake_fail_memory(err);
    char what[JSON_ERROR_TEXT_LENGTH];
    memcpy(what, e->text, sizeof what);
    what[sizeof what - 1] = 0;
    char *near = strstr(what, " near ");
    bool at_end = code == json_error_premature_end_of_input || (near && strcmp(near, " near end of file") == 0);
    if (near)
        *near = 0;
    if (at_end)
        return fail(err, name, text, LAKE_ERR_MALFORMED, text.len, "the text ends too early", (lake_str){"", 0});
    lake_str token = lake_json_scan_locate(text, e->position > 0 ? (size_t)e->position : 1);
    lake_status status = code == json_error_null_byte_in_key ? LAKE_ERR_UNSUPPORTED : LAKE_ERR_MALFORMED;
    return fail(err, name, text, status, (size_t)(token.ptr - text.ptr), what, token);
}

static bool fill(lake_arena *arena, json_t *from, lake_json *to);

static bool fill_text(lake_arena *arena, const char *p, size_t n, lake_json_kind *kind, lake_str *out) {
    *kind = LAKE_JSON_STRING;
    if (n && p[0] == LAKE_JSON_MARK) {
        bool number = n > 1 && p[1] != LAKE_JSON_MARK;
        *kind = number ? LAKE_JSON_NUMBER : LAKE_JSON_STRING;
        p += number ? 1 : 2;
        n -= number ? 1 : 2;
    }
    *out = lake_arena_str(arena, p, n);
    return out->ptr != NULL;
}

static bool fill_array(lake_arena *arena, json_t *from, lake_json *to) {
    size_t n = json_array_size(from);
    lake_json *nodes = LAKE_ARENA_ARRAY(arena, lake_json, n);
    to->items = lake_arena_zalloc(arena, n, sizeof *to->items);
    if (!nodes || !to->items)
        return false;
    for (; to->count < n; to->count++) {
        to->items[to->count] = &nodes[to->count];
        if (!fill(arena, json_array_get(from, to->count), &nodes[to->count]))
            return false;
    }
    return true;
}

static bool fill_object(lake_arena *arena, json_t *from, lake_json *to) {
    size_t n = json_object_size(from);
    lake_json *nodes = LAKE_ARENA_ARRAY(arena, lake_json, n);
    to->members = LAKE_ARENA_ARRAY(arena, lake_json_member, n);
    if (!nodes || !to->members)
        return false;
    for (void *it = json_object_iter(from); it; it = json_object_iter_next(from, it)) {
        lake_json_member *m = &to->members[to->count];
        lake_json_kind kind;
        m->value = &nodes[to->count++];
        if (!fill_text(arena, json_object_iter_key(it), json_object_iter_key_len(it), &kind, &m->name) ||
            !fill(arena, json_object_iter_value(it), m->value))
            return false;
    }
    return true;
}

/* Recursion is bounded by the scanner's limit of depth. */
static bool fill(lake_arena *arena, json_t *from, lake_json *to) {
    switch (json_typeof(from)) {
    case JSON_OBJECT: to->kind = LAKE_JSON_OBJECT; return fill_object(arena, from, to);
    case JSON_ARRAY: to->kind = LAKE_JSON_ARRAY; return fill_array(arena, from, to);
    case JSON_STRING: return fill_text(arena, json_string_value(from), json_string_length(from), &to->kind, &to->text);
    case JSON_TRUE: to->kind = LAKE_JSON_TRUE; return true;
    case JSON_FALSE: to->kind = LAKE_JSON_FALSE; return true;
    default: to->kind = LAKE_JSON_NULL; return true; /* numbers are strings here */
    }
}

lake_status lake_json_parse(lake_arena *arena, lake_str text, const char *name, lake_json **out, lake_error *err) {
    lake_buffer rewritten;
    lake_buffer_init(&rewritten);
    if (!text.ptr)
        text.ptr = "";
    lake_json_fault fault;
    lake_status status = LAKE_OK;
    json_t *tree = NULL;
    if (!lake_buffer_reserve(&rewritten, text.len < LAKE_JSON_MAX_TEXT ? text.len + text.len / 8 + 1 : 1))
        status = lake_fail_memory(err);
    else if (!lake_json_scan(text, &rewritten, &fault))
        status = fail(err, name, text, fault.status, fault.offset, fault.what, (lake_str){"", 0});
    else
        status = lake_buffer_check(&rewritten, err);
    if (status == LAKE_OK) {
        json_error_t e;
        tree = json_loadb(
            (const char *)rewritten.data, rewritten.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &e);
        if (!tree)
            status = fail_parser(err, name, text, &e);
    }
    lake_buffer_clear(&rewritten);
    if (tree) {
        lake_json *root = LAKE_ARENA_NEW(arena, lake_json);
        if (root && fill(arena, tree, root))
            *out = root;
        else
            status = lake_fail_memory(err);
        json_decref(tree);
    }
    return status;
}
