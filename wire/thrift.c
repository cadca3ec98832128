/* Thrift's compact protocol (thrift-compact-protocol.md of apache/thrift), over the checked cursor. */
#include "wire/thrift.h"

enum { MAX_DEPTH = 64 };

void lake_thrift_fail(lake_thrift *t, const char *why) {
    if (t->bad)
        return;
    t->bad = why;
    t->bad_at = lake_cursor_offset(&t->in);
    t->in.at = t->in.end; /* so that every loop ends */
}

static void torn(lake_thrift *t) {
    if (!t->bad)
        t->torn = true;
    lake_thrift_fail(t, "it ends early");
}

void lake_thrift_enter(lake_thrift *t) {
    if (++t->depth > MAX_DEPTH)
        lake_thrift_fail(t, "structures are nested too deep");
}

bool lake_thrift_next(lake_thrift *t, lake_thrift_field *f) {
    uint8_t head;
    if (t->bad)
        return false;
    if (!lake_cursor_u8(&t->in, &head)) {
        torn(t);
        return false;
    }
    f->type = head & 15;
    if (f->type == LAKE_THRIFT_STOP) {
        t->depth--;
        return false;
    }
    int64_t id = f->id + (head >> 4);
    if (!(head >> 4) && !lake_cursor_zigzag(&t->in, &id)) {
        torn(t);
        return false;
    }
    if (f->type > LAKE_THRIFT_UUID || id < INT16_MIN || id > INT16_MAX) {
        lake_thrift_fail(t, "a field header that does not exist");
        return false;
    }
    f->id = (int16_t)id;
    return true;
}

bool lake_thrift_expect(lake_thrift *t, const lake_thrift_field *f, lake_thrift_type type) {
    if (f->type != type)
        lake_thrift_fail(t, "a field is of another type than it must be");
    return !t->bad;
}

bool lake_thrift_bool(lake_thrift *t, const lake_thrift_field *f) {
    if (f->type != LAKE_THRIFT_TRUE && f->type != LAKE_THRIFT_FALSE)
        lake_thrift_fail(t, "a field is of another type than it must be");
    return f->type == LAKE_THRIFT_TRUE;
}

bool lake_thrift_bool_element(lake_thrift *t, const lake_thrift_field *e) {
    uint8_t b = 0;
    if (e->type != LAKE_THRIFT_TRUE && e->type != LAKE_THRIFT_FALSE)
        lake_thrift_fail(t, "an element is of another type than it must be");
    else if (!lake_cursor_u8(&t->in, &b))
        torn(t);
    else if (b > 2)
        lake_thrift_fail(t, "a truth value that does not exist");
    return b == 1;
}

int64_t lake_thrift_i64(lake_thrift *t, const lake_thrift_field *f) {
    int64_t v = 0;
    uint8_t b = 0;
    if (f->type < LAKE_THRIFT_BYTE || f->type > LAKE_THRIFT_I64)
        lake_thrift_fail(t, "a field is of another type than it must be");
    else if (f->type == LAKE_THRIFT_BYTE ? !lake_cursor_u8(&t->in, &b) : !lake_cursor_zigzag(&t->in, &v))
        torn(t);
    return t->bad ? 0 : f->type == LAKE_THRIFT_BYTE ? (int8_t)b : v;
}

int32_t lake_thrift_i32(lake_thrift *t, const lake_thrift_field *f) {
    int64_t v = lake_thrift_i64(t, f);
    if (v < INT32_MIN || v > INT32_MAX) {
        lake_thrift_fail(t, "a number is beyond 32 bits");
        return 0;
    }
    return (int32_t)v;
}

lake_bytes lake_thrift_binary(lake_thrift *t, const lake_thrift_field *f) {
    lake_bytes b = {(const uint8_t *)"", 0};
    uint64_t n;
    if (!lake_thrift_expect(t, f, LAKE_THRIFT_BINARY))
        return b;
    if (!lake_cursor_varint(&t->in, &n) || !lake_cursor_take(&t->in, n, &b))
        torn(t);
    return b;
}

size_t lake_thrift_list(lake_thrift *t, const lake_thrift_field *f, lake_thrift_field *element) {
    uint8_t head;
    uint64_t n;
    *element = (lake_thrift_field){0};
    if (f->type != LAKE_THRIFT_LIST && f->type != LAKE_THRIFT_SET)
        lake_thrift_fail(t, "a field is of another type than it must be");
    if (t->bad)
        return 0;
    if (!lake_cursor_u8(&t->in, &head)) {
        torn(t);
        return 0;
    }
    n = head >> 4;
    if (n == 15 && !lake_cursor_varint(&t->in, &n))
        torn(t);
    element->type = head & 15;
    if (!t->bad && n > lake_cursor_left(&t->in)) /* every element takes a byte at least */
        torn(t);
    return t->bad ? 0 : (size_t)n;
}

static void skip_value(lake_thrift *t, uint8_t type, bool element);

static void skip_map(lake_thrift *t) {
    uint64_t n;
    uint8_t types;
    if (!lake_cursor_varint(&t->in, &n) || (n && !lake_cursor_u8(&t->in, &types))) {
        torn(t);
        return;
    }
    if (n > lake_cursor_left(&t->in))
        torn(t);
    for (uint64_t i = 0; i < n && !t->bad; i++) {
        skip_value(t, types >> 4, true);
        skip_value(t, types & 15, true);
    }
}

static void skip_deep(lake_thrift *t, uint8_t type) {
    lake_thrift_field f = {0}, e;
    lake_thrift_enter(t);
    if (type == LAKE_THRIFT_STRUCT) {
        while (lake_thrift_next(t, &f))
            skip_value(t, f.type, false);
        return; /* the end of the struct took the depth back */
    }
    if (type == LAKE_THRIFT_MAP) {
        skip_map(t);
    } else {
        f.type = type;
        for (size_t n = lake_thrift_list(t, &f, &e); n && !t->bad; n--)
            skip_value(t, e.type, true);
    }
    t->depth--;
}

static void skip_value(lake_thrift *t, uint8_t type, bool element) {
    uint64_t n;
    bool ok = true;
    if (t->bad)
        return;
    switch (type) {
    case LAKE_THRIFT_TRUE:
    case LAKE_THRIFT_FALSE: ok = !element || lake_cursor_skip(&t->in, 1); break;
    case LAKE_THRIFT_BYTE: ok = lake_cursor_skip(&t->in, 1); break;
    case LAKE_THRIFT_I16:
    case LAKE_THRIFT_I32:
    case LAKE_THRIFT_I64: ok = lake_cursor_varint(&t->in, &n); break;
    case LAKE_THRIFT_DOUBLE: ok = lake_cursor_skip(&t->in, 8); break;
    case LAKE_THRIFT_BINARY: ok = lake_cursor_varint(&t->in, &n) && lake_cursor_skip(&t->in, n); break;
    case LAKE_THRIFT_UUID: ok = lake_cursor_skip(&t->in, 16); break;
    case LAKE_THRIFT_LIST:
    case LAKE_THRIFT_SET:
    case LAKE_THRIFT_MAP:
    case LAKE_THRIFT_STRUCT: skip_deep(t, type); break;
    default: lake_thrift_fail(t, "a type that does not exist");
    }
    if (!ok)
        torn(t);
}

void lake_thrift_skip(lake_thrift *t, const lake_thrift_field *f) {
    skip_value(t, f->type, false);
}

lake_status lake_thrift_check(const lake_thrift *t, const char *what, lake_error *err) {
    if (!t->bad)
        return LAKE_OK;
    return lake_fail_at(
        err, LAKE_ERR_MALFORMED, t->bad_at, "%s: %s (at byte %lld)", what, t->bad, (long long)t->bad_at);
}
