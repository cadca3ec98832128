/* Errors of the program: one line for people or one JSON object, a caret under the place in SQL, and the exit status.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static void fill(lake_error *err, lake_status status, int os_code, const char *format, va_list args) {
    lake_error_init(err);
    err->status = status;
    err->os_code = os_code;
    vsnprintf(err->message, sizeof err->message, format, args);
}

lake_status cli_fail(lake_error *err, lake_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(err, status, 0, format, args);
    va_end(args);
    return status;
}

lake_status cli_fail_os(lake_error *err, lake_status status, int os_code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(err, status, os_code, format, args);
    va_end(args);
    size_t len = strlen(err->message);
    snprintf(err->message + len, sizeof err->message - len, ": %s", strerror(os_code));
    return status;
}

void cli_error_in(lake_error *err, const char *what, const char *file) {
    if (strncmp(err->message, what, strlen(what)) != 0)
        return;
    char old[sizeof err->message];
    memcpy(old, err->message, sizeof old);
    snprintf(err->message, sizeof err->message, "%.300s: %.700s", file, old);
}

int cli_error_rename(lake_error *err, const char *old, const char *name) {
    size_t n = strlen(old);
    if (strncmp(err->message, old, n) != 0)
        return 0;
    char rest[sizeof err->message];
    memcpy(rest, err->message, sizeof rest);
    snprintf(err->message, sizeof err->message, "%s%.1000s", name, rest + n);
    return 1;
}

int cli_exit_status(lake_status status) {
    switch (status) {
    case LAKE_OK: return 0;
    case LAKE_ERR_USAGE: return 2;
    case LAKE_ERR_NOT_FOUND:
    case LAKE_ERR_IO:
    case LAKE_ERR_NO_MEMORY:
    case LAKE_ERR_EXISTS: return 3;
    case LAKE_ERR_CONFLICT: return 5;
    case LAKE_ERR_CANCELLED: return 130;
    case LAKE_ERR_MALFORMED:
    case LAKE_ERR_UNSUPPORTED:
    case LAKE_ERR_LIMIT:
    case LAKE_ERR_INTERNAL: break;
    }
    return 4;
}

/* The line of `sql` that holds byte `at`, and a caret below. A long line is cut to what surrounds the place. */
static void add_caret(cli_text *t, const char *sql, size_t at) {
    size_t end = strlen(sql), from = at, to = at;
    while (from > 0 && sql[from - 1] != '\n' && at - from < 60)
        from--;
    while (to < end && sql[to] != '\n' && to - at < 40)
        to++;
    while (from < at && ((unsigned char)sql[from] & 0xc0) == 0x80)
        from++;
    while (to < end && ((unsigned char)sql[to] & 0xc0) == 0x80)
        to++;
    cli_text shown = {0};
    if (from > 0 && sql[from - 1] != '\n')
        cli_text_addf(&shown, "…");
    cli_text_add_shown(&shown, sql + from, at - from);
    size_t column = cli_width(shown.ptr, shown.len);
    cli_text_add_shown(&shown, sql + at, to - at);
    if (to < end && sql[to] != '\n')
        cli_text_addf(&shown, "…");
    cli_text_addf(t, "  %s\n  %*s^\n", shown.ptr, (int)column, "");
    cli_text_free(&shown);
}

static void add_json(cli_text *t, const lake_error *err) {
    const char *status = lake_status_name(err->status);
    cli_text_addf(t, "{\"status\":\"%s\",\"exit-status\":%d,\"message\":", status, cli_exit_status(err->status));
    cli_text_add_json(t, err->message, strlen(err->message));
    if (err->offset >= 0)
        cli_text_addf(t, ",\"offset\":%lld", (long long)err->offset);
    if (err->os_code)
        cli_text_addf(t, ",\"os-code\":%d", err->os_code);
    cli_text_addf(t, "}\n");
}

void cli_error_print(const cli *c, const lake_error *err) {
    cli_text t = {0};
    if (c->globals.error_format && strcmp(c->globals.error_format, "json") == 0) {
        add_json(&t, err);
    } else {
        cli_text_addf(&t, "lakectl: ");
        const char *message = err->message[0] ? err->message : lake_status_name(err->status);
        cli_text_add_shown(&t, message, strlen(message));
        cli_text_addf(&t, "\n");
        if (c->sql && err->status == LAKE_ERR_USAGE && err->offset >= 0 && (size_t)err->offset <= strlen(c->sql))
            add_caret(&t, c->sql, (size_t)err->offset);
    }
    fwrite(t.ptr, 1, t.len, stderr);
    cli_text_free(&t);
}

void cli_remark(const char *text) {
    cli_text t = {0};
    cli_text_add_shown(&t, text, strlen(text));
    cli_progress_clear();
    fprintf(stderr, "lakectl: %s\n", t.ptr);
    cli_text_free(&t);
}
