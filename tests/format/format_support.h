/* Shared by the tests of format/: types, keys and JSON from text. Static, since each test is a program of its own. */
#ifndef LAKE_TESTS_FORMAT_SUPPORT_H
#define LAKE_TESTS_FORMAT_SUPPORT_H

#include "support.h"

#include "format/value.h"

static lake_arena arena;
static lake_error err;

static void setup(void) {
    lake_arena_init(&arena, 0);
    lake_error_init(&err);
}
static void teardown(void) {
    lake_arena_clear(&arena);
}

__attribute__((unused)) static lake_json *json_of(const char *text) {
    lake_json *v = NULL;
    cr_assert_eq(lake_json_parse(&arena, lake_str_of(text), NULL, &v, &err), LAKE_OK, "%s: %s", text, err.message);
    return v;
}

__attribute__((unused)) static lake_type type_of(const char *name) {
    lake_type t;
    lake_json *v = lake_json_new_string(&arena, lake_str_of(name));
    cr_assert_eq(lake_type_read(&arena, v, NULL, 0, &t, &err), LAKE_OK, "%s", err.message);
    return t;
}

/* The key of a JSON single value. */
__attribute__((unused)) static lake_key key_of(const lake_type *t, const char *json) {
    lake_key k = {0};
    lake_bound_state state;
    cr_assert_eq(lake_value_from_json(&arena, t, json_of(json), &state, &k, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(state, LAKE_BOUND_KEY, "%s", json);
    return k;
}

__attribute__((unused)) static const char *kept(lake_buffer *b) {
    cr_assert_not(b->failed);
    lake_str s = lake_arena_str(&arena, lake_buffer_view(b).ptr, b->len);
    lake_buffer_clear(b);
    return s.ptr;
}

__attribute__((unused)) static const char *json_text(const lake_type *t, lake_key k) {
    lake_buffer b;
    lake_buffer_init(&b);
    lake_value_to_json(&b, t, k);
    return kept(&b);
}

__attribute__((unused)) static const char *tree_text(const lake_json *v) {
    cr_assert_not_null(v);
    lake_buffer b;
    lake_buffer_init(&b);
    lake_json_print(&b, v, 0);
    return kept(&b);
}

#endif
