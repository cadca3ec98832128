/* Text for people and JSON strings: memory, growing buffers, escaping, widths, short forms of sizes, counts and times.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

void *cli_realloc(void *old, size_t size) {
    void *p = realloc(old, size ? size : 1);
    if (!p) {
        static const char message[] = "lakectl: out of memory\n";
        ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
        (void)ignored;
        _exit(3);
    }
    return p;
}

void *cli_alloc(size_t size) {
    return memset(cli_realloc(NULL, size), 0, size ? size : 1);
}

static struct kept {
    struct kept *next;
    max_align_t data[];
} * kept;

void *cli_keep(size_t size) {
    struct kept *k = cli_alloc(sizeof *k + size);
    k->next = kept;
    kept = k;
    return k->data;
}

void cli_kept_free(void) {
    while (kept) {
        struct kept *next = kept->next;
        free(kept);
        kept = next;
    }
}

static void reserve(cli_text *t, size_t more) {
    if (t->room - t->len > more)
        return;
    t->room = (t->len + more + 1) * 2;
    t->ptr = cli_realloc(t->ptr, t->room);
}

void cli_text_add(cli_text *t, const void *data, size_t len) {
    reserve(t, len);
    if (len)
        memcpy(t->ptr + t->len, data, len);
    t->len += len;
    t->ptr[t->len] = 0;
}

void cli_text_addf(cli_text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char first[64]; /* only the length is wanted */
    int n = vsnprintf(first, sizeof first, format, args);
    va_end(args);
    if (n > 0) {
        reserve(t, (size_t)n);
        vsnprintf(t->ptr + t->len, (size_t)n + 1, format, again);
        t->len += (size_t)n;
    }
    va_end(again);
}

void cli_text_free(cli_text *t) {
    free(t->ptr);
    *t = (cli_text){0};
}

/* Decodes one code point of UTF-8; returns its bytes, 0 if it is broken. */
static size_t decode(const char *text, size_t len, uint32_t *code) {
    const unsigned char *s = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (s[0] < 0x80) {
        *code = s[0];
        return 1;
    }
    size_t n = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
    if (!n || n > len || s[0] >= 0xf5)
        return 0;
    uint32_t c = s[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    *code = c;
    return c >= least[n] && c <= 0x10ffff && !(c >= 0xd800 && c < 0xe000) ? n : 0;
}

/* Would it do something to a terminal, or to the order in which text is read? */
static int is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
        (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

void cli_text_add_shown(cli_text *t, const char *data, size_t len) {
    reserve(t, len);
    t->ptr[t->len] = 0;
    for (size_t i = 0; i < len;) {
        uint32_t c;
        size_t n = decode(data + i, len - i, &c);
        if (n && !is_control(c)) {
            cli_text_add(t, data + i, n);
        } else {
            n = n ? n : 1;
            for (size_t k = 0; k < n; k++)
                cli_text_addf(t, "\\x%02x", (unsigned char)data[i + k]);
        }
        i += n;
    }
}

void cli_text_add_json(cli_text *t, const char *data, size_t len) {
    cli_text_add(t, "\"", 1);
    for (size_t i = 0; i < len;) {
        uint32_t c;
        size_t n = decode(data + i, len - i, &c);
        if (!n) {
            cli_text_add(t, "\xef\xbf\xbd", 3); /* U+FFFD */
            n = 1;
        } else if (c == '"' || c == '\\') {
            cli_text_addf(t, "\\%c", (int)c);
        } else if (c < 0x20 || c == 0x7f) {
            cli_text_addf(t, "\\u%04x", (unsigned)c);
        } else {
            cli_text_add(t, data + i, n);
        }
        i += n;
    }
    cli_text_add(t, "\"", 1);
}

size_t cli_width(const char *text, size_t len) {
    static const uint32_t wide[][2] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},
        {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff},
        {0x20000, 0x3fffd}};
    size_t width = 0;
    for (size_t i = 0; i < len;) {
        uint32_t c = 0;
        size_t n = decode(text + i, len - i, &c);
        int columns = c >= 0x300 && c < 0x370 ? 0 : 1;
        for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
            columns += c >= wide[k][0] && c <= wide[k][1];
        width += (size_t)columns;
        i += n ? n : 1;
    }
    return width;
}

const char *cli_show_size(char *buffer, int64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = (double)bytes;
    size_t u = 0;
    while (v >= 1024 && u + 1 < sizeof units / sizeof *units) {
        v /= 1024;
        u++;
    }
    snprintf(buffer, 32, u ? "%.1f %s" : "%.0f %s", v, units[u]);
    return buffer;
}

const char *cli_show_count(char *buffer, int64_t count) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%lld", (long long)count), out = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-')
            buffer[out++] = ',';
        buffer[out++] = digits[i];
    }
    buffer[out] = 0;
    return buffer;
}

const char *cli_show_ns(char *buffer, int64_t ns) {
    if (ns < 1000000)
        snprintf(buffer, 32, "%.0f us", (double)ns / 1e3);
    else if (ns < 1000000000)
        snprintf(buffer, 32, "%.1f ms", (double)ns / 1e6);
    else
        snprintf(buffer, 32, "%.2f s", (double)ns / 1e9);
    return buffer;
}
