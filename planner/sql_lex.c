/* The lexer of --where: identifiers, quoted names, strings, hex strings, numbers, operators, comments
   (docs/predicates.md). */
#include "planner/sql_lex.h"

static bool is_digit(int c) {
    return c >= '0' && c <= '9';
}
static bool is_space(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
static bool is_hex(int c) {
    return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
}
/* Letters beyond ASCII are taken as such without tables: the schema says whether such a name exists. */
static bool is_word(int c) {
    return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c >= 0x80;
}

static int peek(lake_str s, size_t i) {
    return i < s.len ? (unsigned char)s.ptr[i] : -1;
}

static lake_status skip_blank(lake_str s, size_t *at, lake_error *err) {
    size_t i = *at;
    for (;;) {
        while (i < s.len && is_space(peek(s, i)))
            i++;
        if (peek(s, i) == '-' && peek(s, i + 1) == '-') {
            while (i < s.len && s.ptr[i] != '\n')
                i++;
        } else if (peek(s, i) == '/' && peek(s, i + 1) == '*') {
            size_t begin = i;
            i += 2;
            while (i < s.len && !(s.ptr[i] == '*' && peek(s, i + 1) == '/'))
                i++;
            if (i >= s.len)
                return lake_fail_at(err, LAKE_ERR_USAGE, (int64_t)begin, "this comment does not end");
            i += 2;
        } else {
            *at = i;
            return LAKE_OK;
        }
    }
}

/* From behind the opening quote; doubled quotes belong to the text. */
static lake_status quoted(lake_str s, size_t open, char quote, lake_sql_token *out, lake_error *err) {
    size_t i = open + 1;
    for (;;) {
        const char *p = i < s.len ? memchr(s.ptr + i, quote, s.len - i) : NULL;
        if (!p)
            return lake_fail_at(err, LAKE_ERR_USAGE, (int64_t)out->begin, "this %s does not end",
                quote == '\'' ? "string" : "quoted name");
        i = (size_t)(p - s.ptr);
        if (peek(s, i + 1) != quote)
            break;
        i += 2;
    }
    out->text = (lake_str){s.ptr + open + 1, i - open - 1};
    out->end = i + 1;
    out->quote = quote;
    return LAKE_OK;
}

static lake_status number(lake_str s, lake_sql_token *out, lake_error *err) {
    size_t i = out->begin;
    while (is_digit(peek(s, i)))
        i++;
    if (peek(s, i) == '.')
        for (i++; is_digit(peek(s, i));)
            i++;
    if ((peek(s, i) | 32) == 'e') {
        size_t e = i + 1;
        e += peek(s, e) == '+' || peek(s, e) == '-';
        if (is_digit(peek(s, e))) {
            while (is_digit(peek(s, e)))
                e++;
            i = e;
        }
    }
    if (is_word(peek(s, i)))
        return lake_fail_at(err, LAKE_ERR_USAGE, (int64_t)i, "a number runs into a name");
    out->kind = LAKE_SQL_NUMBER;
    out->end = i;
    out->text = (lake_str){s.ptr + out->begin, i - out->begin};
    return LAKE_OK;
}

static lake_status operator(lake_str s, lake_sql_token *out, lake_error *err) {
    static const char *const two[] = {"<>", "!=", "<=", ">=", "::", "||"};
    size_t i = out->begin;
    out->kind = LAKE_SQL_OPERATOR;
    for (size_t k = 0; k < sizeof two / sizeof *two; k++)
        if (peek(s, i) == two[k][0] && peek(s, i + 1) == two[k][1]) {
            out->text = (lake_str){s.ptr + i, 2};
            out->end = i + 2;
            return LAKE_OK;
        }
    int c = peek(s, i);
    if (c == '&' && peek(s, i + 1) == '&')
        return lake_fail_at(err, LAKE_ERR_USAGE, (int64_t)i, "'&&' is no SQL here: write AND");
    if (c <= 0 || !strchr("-+*/%(),.=<>[]:&|^", c)) {
        if (c >= 0x20 && c < 0x7f)
            return lake_fail_at(err, LAKE_ERR_USAGE, (int64_t)i, "'%c' is no SQL here", c);
        return lake_fail_at(err, LAKE_ERR_USAGE, (int64_t)i, "byte 0x%02x is no SQL here", (unsigned)c);
    }
    out->text = (lake_str){s.ptr + i, 1};
    out->end = i + 1;
    return LAKE_OK;
}

lake_status lake_sql_lex(lake_str s, size_t at, lake_sql_token *out, lake_error *err) {
    LAKE_TRY(skip_blank(s, &at, err));
    *out = (lake_sql_token){.kind = LAKE_SQL_END, .text = {s.ptr + at, 0}, .begin = at, .end = at};
    int c = peek(s, at);
    if (c < 0)
        return LAKE_OK;
    if ((c | 32) == 'x' && peek(s, at + 1) == '\'') {
        LAKE_TRY(quoted(s, at + 1, '\'', out, err));
        out->kind = LAKE_SQL_HEX;
        for (size_t i = 0; i < out->text.len; i++)
            if (!is_hex((unsigned char)out->text.ptr[i]))
                return lake_fail_at(err, LAKE_ERR_USAGE, (int64_t)(at + 2 + i), "X'…' takes hexadecimal digits only");
        if (out->text.len % 2)
            return lake_fail_at(err, LAKE_ERR_USAGE, (int64_t)at, "X'…' needs an even number of digits");
        return LAKE_OK;
    }
    if (c == '\'') {
        out->kind = LAKE_SQL_STRING;
        return quoted(s, at, '\'', out, err);
    }
    if (c == '"' || c == '`') {
        out->kind = LAKE_SQL_QUOTED;
        LAKE_TRY(quoted(s, at, (char)c, out, err));
        if (out->text.len == 0)
            return lake_fail_at(err, LAKE_ERR_USAGE, (int64_t)at, "a quoted name is empty");
        return LAKE_OK;
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(s, at + 1))))
        return number(s, out, err);
    if (!is_word(c))
        return operator(s, out, err);
    size_t i = at;
    while (is_word(peek(s, i)))
        i++;
    out->kind = LAKE_SQL_WORD;
    out->text = (lake_str){s.ptr + at, i - at};
    out->end = i;
    return LAKE_OK;
}

bool lake_sql_is(const lake_sql_token *t, const char *word) {
    if (t->kind != LAKE_SQL_WORD && t->kind != LAKE_SQL_OPERATOR)
        return false;
    for (size_t i = 0; i < t->text.len; i++) {
        int c = (unsigned char)t->text.ptr[i];
        if ((c >= 'a' && c <= 'z' ? c - 32 : c) !=
            (unsigned char)word[i]) /* word's NUL ends the loop: no token holds one */
            return false;
    }
    return word[t->text.len] == 0;
}

lake_str lake_sql_unquote(lake_arena *arena, lake_str text, char quote) {
    if (text.len == 0 || !memchr(text.ptr, quote, text.len))
        return text;
    char *out = lake_arena_alloc(arena, text.len + 1);
    size_t n = 0;
    if (!out)
        return (lake_str){0};
    for (size_t i = 0; i < text.len; i++) {
        out[n++] = text.ptr[i];
        i += text.ptr[i] == quote; /* the second of the pair */
    }
    out[n] = 0;
    return (lake_str){out, n};
}
