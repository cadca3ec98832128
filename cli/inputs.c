/* What options and arguments name on the local disk: texts (`@FILE`) and lists of files (`-`, `@LIST`). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { MOST = 256 << 20 }; /* bytes of one text or list: 2 million long paths */

static lake_status read_all(int fd, const char *shown, cli_text *t, lake_error *err) {
    char chunk[1 << 16];
    cli_text_add(t, "", 0);
    for (;;) {
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (cli_interrupted())
            return cli_fail(err, LAKE_ERR_CANCELLED, "interrupted");
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cli_fail_os(err, LAKE_ERR_IO, errno, "%s", shown);
        if (n == 0)
            return LAKE_OK;
        cli_text_add(t, chunk, (size_t)n);
        if (t->len > MOST)
            return cli_fail(err, LAKE_ERR_LIMIT, "%s: is larger than %d MiB", shown, MOST >> 20);
    }
}

lake_status cli_read_file(const char *path, char **text, size_t *len, lake_error *err) {
    int standard = strcmp(path, "-") == 0;
    const char *shown = standard ? "standard input" : path;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cli_fail_os(
            err, errno == ENOENT || errno == ENOTDIR ? LAKE_ERR_NOT_FOUND : LAKE_ERR_IO, errno, "%s", shown);
    cli_text t = {0};
    lake_status status = read_all(fd, shown, &t, err);
    if (!standard)
        close(fd);
    if (!status) {
        *text = memcpy(cli_keep(t.len + 1), t.ptr, t.len);
        *len = t.len;
    }
    cli_text_free(&t);
    return status;
}

lake_status cli_read_schema(const char *path, char **text, size_t *len, lake_error *err) {
    lake_status status = cli_read_file(path, text, len, err);
    const char *what = status || *len < 4 ? NULL
        : memcmp(*text, "PAR1", 4) == 0   ? "a Parquet"
        : memcmp(*text, "Obj\1", 4) == 0  ? "an Avro"
        : memcmp(*text, "ORC", 3) == 0    ? "an ORC"
                                          : NULL;
    if (what)
        return cli_fail(err, LAKE_ERR_MALFORMED, "%s: is %s file, not an Iceberg schema as JSON", path, what);
    return status;
}

static int is_file(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

lake_status cli_text_or_file(const char *text, int or_file, char **out, lake_error *err) {
    size_t len;
    if (text[0] == '@' || (or_file && is_file(text))) {
        const char *path = text + (text[0] == '@');
        lake_status status = cli_read_file(path, out, &len, err);
        if (!status && strlen(*out) != len)
            return cli_fail(err, LAKE_ERR_MALFORMED, "%s: is no text: it holds a byte 0", path);
        while (!status && len && strchr(" \t\r\n", (*out)[len - 1]))
            (*out)[--len] = 0;
        return status;
    }
    len = strlen(text) + 1;
    *out = memcpy(cli_keep(len), text, len);
    return LAKE_OK;
}

/* The lines of a list become items; their text stays until the program ends. */
static lake_status add_list(const char *path, cli_list *files, lake_error *err) {
    char *text;
    size_t len;
    lake_status status = cli_read_file(path, &text, &len, err);
    if (status)
        return status;
    char end = memchr(text, 0, len) ? 0 : '\n';
    for (size_t at = 0; at < len;) {
        char *stop = memchr(text + at, end, len - at);
        size_t n = stop ? (size_t)(stop - text) - at : len - at, next = at + n + 1;
        if (end && n && text[at + n - 1] == '\r')
            n--;
        text[at + n] = 0;
        if (n)
            cli_list_add(files, text + at);
        at = next;
    }
    return LAKE_OK;
}

lake_status cli_file_arguments(const cli_list *args, size_t first, cli_list *files, lake_error *err) {
    for (size_t i = first; i < args->n; i++) {
        const char *a = args->items[i];
        if (strcmp(a, "-") == 0 || a[0] == '@') {
            lake_status status = add_list(a[0] == '@' ? a + 1 : a, files, err);
            if (status)
                return status;
        } else {
            cli_list_add(files, a);
        }
    }
    if (files->n == 0)
        return cli_fail(err, LAKE_ERR_USAGE, "the list of files is empty");
    return LAKE_OK;
}

lake_status cli_split_columns(const char *text, cli_list *out, lake_error *err) {
    char *item = cli_keep(strlen(text) + 1), *to = item, *start = item;
    int quoted = 0;
    for (const char *p = text;; p++) {
        if (*p == '"') {
            if (quoted && p[1] == '"')
                *to++ = *p++;
            else
                quoted = !quoted;
        } else if (!*p || (*p == ',' && !quoted)) {
            if (to == start || quoted)
                return cli_fail(
                    err, LAKE_ERR_USAGE, "--columns: %s", quoted ? "a quote is not closed" : "a name is empty");
            *to++ = 0;
            cli_list_add(out, start);
            start = to;
            if (!*p)
                return LAKE_OK;
        } else {
            *to++ = *p;
        }
    }
}
