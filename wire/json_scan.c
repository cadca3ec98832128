/* The lexical half of JSON reading. Relies on the grammar of RFC 8259; see json_scan.h for the marks. */
#include "wire/json_scan.h"

typedef struct scanner {
    const char *begin, *at, *end;
    const char *run; /* what is not copied to `out` yet begins here */
    const char *token; /* the newest token */
    lake_buffer *out; /* NULL: only counting */
    size_t written; /* bytes that stand for [begin, run) */
    size_t stop; /* do not begin a token at or after this byte of the rewritten document */
    unsigned depth;
    lake_json_fault *fault;
} scanner;

static bool fail_status(scanner *s, const char *at, lake_status status, const char *what) {
    *s->fault = (lake_json_fault){(size_t)(at - s->begin), what, status};
    return false;
}
static bool fail(scanner *s, const char *at, const char *what) {
    return fail_status(s, at, LAKE_ERR_MALFORMED, what);
}

static bool is_digit(const scanner *s, const char *p) {
    return p < s->end && *p >= '0' && *p <= '9';
}
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
static bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static void write(scanner *s, const char *p, size_t n) {
    if (s->out)
        lake_buffer_put(s->out, p, n);
    s->written += n;
}

/* Copies what was passed over up to `p`, and goes on from there. */
static void flush(scanner *s, const char *p) {
    write(s, s->run, (size_t)(p - s->run));
    s->run = p;
}

static bool escape(scanner *s) {
    const char *p = s->at + 1;
    if (p < s->end && *p == 'u') {
        for (int i = 1; i <= 4; i++)
            if (p + i >= s->end || !is_hex(p[i]))
                return fail(s, s->at, "\\u needs four hex digits");
        s->at += 6;
        return true;
    }
    if (p >= s->end || !*p || !strchr("\"\\/bfnrt", *p))
        return fail(s, s->at, "unknown escape in a string");
    s->at += 2;
    return true;
}

static bool begins_with_mark(const scanner *s) {
    const char *p = s->token + 1;
    size_t left = (size_t)(s->end - p);
    return (left && *p == LAKE_JSON_MARK) || (left >= 6 && memcmp(p, "\\u007", 5) == 0 && (p[5] == 'f' || p[5] == 'F'));
}

static bool string(scanner *s) {
    static const char marks[] = {LAKE_JSON_MARK, LAKE_JSON_MARK};
    if (begins_with_mark(s)) {
        flush(s, s->token + 1);
        write(s, marks, 2);
    }
    for (s->at++; s->at < s->end;) {
        unsigned char c = (unsigned char)*s->at;
        if (c == '"') {
            s->at++;
            return true;
        }
        if (c < 0x20)
            return fail(s, s->at, "a control character in a string must be escaped");
        if (c == '\\') {
            if (!escape(s))
                return false;
        } else if (c < 0x80) {
            s->at++;
        } else {
            uint32_t cp;
            size_t n = lake_utf8_decode((const uint8_t *)s->at, (const uint8_t *)s->end, &cp);
            if (!n)
                return fail(s, s->at, "invalid UTF-8");
            s->at += n;
        }
    }
    return fail(s, s->token, "string without end");
}

static bool digits(scanner *s) {
    if (!is_digit(s, s->at))
        return fail(s, s->at, "a number needs a digit here");
    while (is_digit(s, s->at))
        s->at++;
    return true;
}

static bool number(scanner *s) {
    if (*s->at == '-')
        s->at++;
    if (s->at < s->end && *s->at == '0')
        s->at++;
    else if (!digits(s))
        return false;
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        if (!digits(s))
            return false;
    }
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        s->at++;
        if (s->at < s->end && (*s->at == '+' || *s->at == '-'))
            s->at++;
        if (!digits(s))
            return false;
    }
    const char *p = s->at;
    if (p < s->end && !is_space(*p) && !(*p && strchr(",]}:", *p)))
        return fail(s, p, "a number ends in something that is no part of it");
    while (p < s->end && is_space(*p))
        p++;
    if (p < s->end && *p == ':')
        return fail(s, s->token, "a member name must be a string, not a number");
    flush(s, s->token);
    write(s, "\"\x7f", 2);
    flush(s, s->at);
    write(s, "\"", 1);
    return true;
}

static bool token(scanner *s) {
    char c = *s->at;
    if (c == '"')
        return string(s);
    if (c == '-' || is_digit(s, s->at))
        return number(s);
    if (is_letter(c)) {
        while (s->at < s->end && is_letter(*s->at))
            s->at++;
        return true;
    }
    if (!c || !strchr("{}[],:", c))
        return fail(s, s->at, "unexpected character");
    if ((c == '{' || c == '[') && ++s->depth > LAKE_JSON_MAX_DEPTH)
        return fail_status(s, s->at, LAKE_ERR_LIMIT, "nested deeper than 1000 levels");
    if ((c == '}' || c == ']') && s->depth)
        s->depth--;
    s->at++;
    return true;
}

static bool scan(scanner *s) {
    for (;;) {
        while (s->at < s->end && is_space(*s->at))
            s->at++;
        if (s->at == s->end || s->written + (size_t)(s->at - s->run) >= s->stop)
            break;
        s->token = s->at;
        if (!token(s))
            return false;
    }
    flush(s, s->at);
    return true;
}

bool lake_json_scan(lake_str text, lake_buffer *out, lake_json_fault *fault) {
    const char *p = text.ptr;
    scanner s = {p, p, p + text.len, p, p, out, 0, SIZE_MAX, 0, fault};
    if (text.len > LAKE_JSON_MAX_TEXT)
        return fail_status(&s, s.end, LAKE_ERR_LIMIT, "longer than 1 GiB");
    return scan(&s);
}

lake_str lake_json_scan_locate(lake_str text, size_t position) {
    lake_json_fault ignored;
    const char *p = text.ptr;
    scanner s = {p, p, p + text.len, p, p, NULL, 0, position, 0, &ignored};
    if (!scan(&s))
        s.at = s.token;
    while (s.at > s.token && is_space(s.at[-1]))
        s.at--;
    return (lake_str){s.token, (size_t)(s.at - s.token)};
}
