/* JSON values as people read them: strings without quotes and escapes, objects as a=1, b=x. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* The code unit of \uXXXX at s, or -1. */
static long unit(const char *s, size_t len) {
    char hex[5] = {0};
    if (len < 6 || s[0] != '\\' || s[1] != 'u')
        return -1;
    memcpy(hex, s + 2, 4);
    char *end;
    long v = strtol(hex, &end, 16);
    return *end ? -1 : v;
}

static void add_code(cli_text *t, uint32_t c) {
    char b[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        b[i] = (char)(0x80 | (c & 0x3f));
    b[0] = (char)(lead[n] | c);
    cli_text_add(t, b, n);
}

/* The text of a JSON string without its quotes and escapes. */
static void add_string(cli_text *t, const char *json, size_t len) {
    cli_text plain = {0};
    cli_text_add(&plain, "", 0);
    for (size_t i = 1; i + 1 < len;) {
        if (json[i] != '\\') {
            cli_text_add(&plain, json + i++, 1);
            continue;
        }
        long u = unit(json + i, len - i);
        if (u >= 0) {
            i += 6;
            long low = u >= 0xd800 && u < 0xdc00 ? unit(json + i, len - i) : -1;
            if (low >= 0xdc00 && low < 0xe000) {
                u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
                i += 6;
            }
            add_code(&plain, (uint32_t)u);
        } else {
            static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
            const char *p = strchr(from, json[i + 1]);
            cli_text_add(&plain, p && *p ? to + (p - from) : json + i + 1, 1);
            i += 2;
        }
    }
    cli_text_add_shown(t, plain.ptr, plain.len);
    cli_text_free(&plain);
}

/* Bytes of the member's name or value at the start of json: up to a colon or comma outside of quotes and brackets. */
static size_t part_length(const char *json, size_t len) {
    size_t depth = 0;
    int quoted = 0;
    for (size_t i = 0; i < len; i++) {
        char ch = json[i];
        if (quoted && ch == '\\')
            i++;
        else if (ch == '"')
            quoted = !quoted;
        else if (!quoted && (ch == '{' || ch == '['))
            depth++;
        else if (!quoted && depth && (ch == '}' || ch == ']'))
            depth--;
        else if (!quoted && !depth && (ch == ':' || ch == ','))
            return i;
    }
    return len;
}

static void add_scalar(cli_text *t, const char *json, size_t len) {
    while (len && json[0] == ' ') {
        json++;
        len--;
    }
    if (len >= 2 && json[0] == '"')
        add_string(t, json, len);
    else
        cli_text_add_shown(t, json, len);
}

void cli_text_add_json_shown(cli_text *t, const char *json, size_t len) {
    if (len == 4 && memcmp(json, "null", 4) == 0) {
        cli_text_add(t, "-", 1);
    } else if (len > 2 && json[0] == '{') {
        size_t end = len - 1;
        for (size_t i = 1; i < end;) {
            size_t n = part_length(json + i, end - i);
            add_scalar(t, json + i, n);
            i += n;
            if (i < end)
                cli_text_addf(t, "%s", json[i++] == ':' ? "=" : ", ");
        }
    } else {
        add_scalar(t, json, len);
    }
}

lake_str cli_json_member(lake_str object, const char *name) {
    size_t end = object.len - 1, name_len = strlen(name);
    for (size_t i = 1; i < end;) {
        size_t from = i + strspn(object.ptr + i, " "), n = part_length(object.ptr + i, end - i);
        int found = i + n - from == name_len + 2 && memcmp(object.ptr + from + 1, name, name_len) == 0;
        i += n + 1; /* behind the colon */
        if (i >= end)
            break;
        n = part_length(object.ptr + i, end - i);
        if (found)
            return (lake_str){object.ptr + i + strspn(object.ptr + i, " "), n - strspn(object.ptr + i, " ")};
        i += n + 1;
    }
    return (lake_str){"null", 4};
}
