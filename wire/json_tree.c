/* JSON trees: looking up, building, printing. */
#include "wire/json.h"

#include <limits.h>

const lake_json *lake_json_get(const lake_json *object, const char *name) {
    if (!lake_json_is(object, LAKE_JSON_OBJECT))
        return NULL;
    lake_str wanted = lake_str_of(name);
    for (size_t i = 0; i < object->count; i++)
        if (lake_str_eq(object->members[i].name, wanted))
            return object->members[i].value;
    return NULL;
}

const lake_json *lake_json_find(const lake_json *object, const char *name) {
    const lake_json *v = lake_json_get(object, name);
    return lake_json_is(v, LAKE_JSON_NULL) ? NULL : v;
}

bool lake_json_i64(const lake_json *v, int64_t *out) {
    if (!lake_json_is(v, LAKE_JSON_NUMBER) || !v->text.len)
        return false;
    const char *p = v->text.ptr, *end = p + v->text.len;
    bool minus = *p == '-';
    int64_t n = 0;
    p += minus;
    if (p == end)
        return false;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9')
            return false;
        int d = *p - '0';
        if (__builtin_mul_overflow(n, (int64_t)10, &n) || __builtin_add_overflow(n, (int64_t)(minus ? -d : d), &n))
            return false;
    }
    *out = n;
    return true;
}

bool lake_json_i32(const lake_json *v, int32_t *out) {
    int64_t n;
    if (!lake_json_i64(v, &n) || n < INT32_MIN || n > INT32_MAX)
        return false;
    *out = (int32_t)n;
    return true;
}

lake_json *lake_json_new(lake_arena *arena, lake_json_kind kind) {
    lake_json *v = LAKE_ARENA_NEW(arena, lake_json);
    if (v)
        v->kind = kind;
    return v;
}

static lake_json *new_text(lake_arena *arena, lake_json_kind kind, lake_str text) {
    lake_json *v = lake_json_new(arena, kind);
    if (!v)
        return NULL;
    v->text = lake_arena_str(arena, text.ptr, text.len);
    return v->text.ptr ? v : NULL;
}

lake_json *lake_json_new_string(lake_arena *arena, lake_str text) {
    return new_text(arena, LAKE_JSON_STRING, text);
}
lake_json *lake_json_new_number(lake_arena *arena, lake_str text) {
    return new_text(arena, LAKE_JSON_NUMBER, text);
}

lake_json *lake_json_new_i64(lake_arena *arena, int64_t n) {
    char text[LAKE_I128_TEXT];
    size_t len = lake_i128_print(n, text);
    return lake_json_new_number(arena, (lake_str){text, len});
}

/* Makes room for one more child of `size` bytes; *children is moved when it is full. */
static bool grow(lake_arena *arena, lake_json *v, void **children, size_t size) {
    if (v->count < v->room)
        return true;
    if (v->count > UINT32_MAX / 4)
        return false;
    size_t room = v->count < 4 ? 4 : v->count * 2;
    void *bigger = lake_arena_zalloc(arena, room, size);
    if (!bigger)
        return false;
    if (v->count)
        memcpy(bigger, *children, v->count * size);
    *children = bigger;
    v->room = (uint32_t)room;
    return true;
}

bool lake_json_set(lake_arena *arena, lake_json *object, const char *name, lake_json *value) {
    if (!object || !value)
        return false;
    lake_str wanted = lake_str_of(name);
    for (size_t i = 0; i < object->count; i++)
        if (lake_str_eq(object->members[i].name, wanted)) {
            object->members[i].value = value;
            return true;
        }
    void *children = object->members;
    lake_str copy = lake_arena_str(arena, wanted.ptr, wanted.len);
    if (!copy.ptr || !grow(arena, object, &children, sizeof *object->members))
        return false;
    object->members = children;
    object->members[object->count++] = (lake_json_member){copy, value};
    return true;
}

bool lake_json_push(lake_arena *arena, lake_json *array, lake_json *item) {
    if (!array || !item)
        return false;
    void *children = array->items;
    if (!grow(arena, array, &children, sizeof *array->items))
        return false;
    array->items = children;
    array->items[array->count++] = item;
    return true;
}

bool lake_json_remove(lake_json *object, const char *name) {
    lake_str wanted = lake_str_of(name);
    for (size_t i = 0; object && i < object->count; i++)
        if (lake_str_eq(object->members[i].name, wanted)) {
            object->count--;
            memmove(&object->members[i], &object->members[i + 1], (object->count - i) * sizeof *object->members);
            return true;
        }
    return false;
}

lake_json *lake_json_copy(lake_arena *arena, const lake_json *v) {
    lake_json *copy = v ? lake_json_new(arena, v->kind) : NULL;
    if (!copy)
        return NULL;
    *copy = *v;
    copy->room = 0;
    if (v->count && (v->kind == LAKE_JSON_ARRAY || v->kind == LAKE_JSON_OBJECT)) {
        size_t size = v->kind == LAKE_JSON_ARRAY ? sizeof *v->items : sizeof *v->members;
        void *children = lake_arena_zalloc(arena, v->count, size);
        if (!children)
            return NULL;
        if (v->kind == LAKE_JSON_ARRAY)
            copy->items = memcpy(children, v->items, v->count * size);
        else
            copy->members = memcpy(children, v->members, v->count * size);
    }
    return copy;
}

void lake_json_quote(lake_buffer *out, lake_str text) {
    static const char *const hex = "0123456789abcdef";
    const uint8_t *p = (const uint8_t *)text.ptr, *end = p + text.len, *run = p;
    lake_buffer_char(out, '"');
    while (p < end) {
        if (*p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\') {
            p++;
            continue;
        }
        uint32_t cp;
        size_t n = lake_utf8_decode(p, end, &cp);
        if (n > 1) {
            p += n;
            continue;
        }
        lake_buffer_put(out, run, (size_t)(p - run));
        static const char shorts[] = "\bb\tt\nn\ff\rr\"\"\\\\";
        const char *s = n && *p ? strchr(shorts, *p) : NULL;
        /* every second character of `shorts` is a letter behind its control character */
        if (!n)
            lake_buffer_puts(out, "\xef\xbf\xbd");
        else if (s)
            lake_buffer_put(out, (char[]){'\\', s[1]}, 2);
        else
            lake_buffer_put(out, (char[]){'\\', 'u', '0', '0', hex[*p >> 4], hex[*p & 15]}, 6);
        run = ++p;
    }
    lake_buffer_put(out, run, (size_t)(p - run));
    lake_buffer_char(out, '"');
}

static void new_line(lake_buffer *out, int indent, int level) {
    if (indent <= 0)
        return;
    lake_buffer_char(out, '\n');
    for (int i = 0; i < indent * level; i++)
        lake_buffer_char(out, ' ');
}

static void print(lake_buffer *out, const lake_json *v, int indent, int level) {
    bool object = v->kind == LAKE_JSON_OBJECT;
    switch (v->kind) {
    case LAKE_JSON_NULL: lake_buffer_puts(out, "null"); return;
    case LAKE_JSON_FALSE: lake_buffer_puts(out, "false"); return;
    case LAKE_JSON_TRUE: lake_buffer_puts(out, "true"); return;
    case LAKE_JSON_NUMBER: lake_buffer_str(out, v->text); return;
    case LAKE_JSON_STRING: lake_json_quote(out, v->text); return;
    case LAKE_JSON_ARRAY:
    case LAKE_JSON_OBJECT: break;
    }
    lake_buffer_char(out, object ? '{' : '[');
    for (size_t i = 0; i < v->count; i++) {
        if (i)
            lake_buffer_char(out, ',');
        new_line(out, indent, level + 1);
        if (object) {
            lake_json_quote(out, v->members[i].name);
            lake_buffer_puts(out, indent > 0 ? ": " : ":");
        }
        print(out, object ? v->members[i].value : v->items[i], indent, level + 1);
    }
    if (v->count)
        new_line(out, indent, level);
    lake_buffer_char(out, object ? '}' : ']');
}

void lake_json_print(lake_buffer *out, const lake_json *v, int indent) {
    print(out, v, indent, 0);
}
