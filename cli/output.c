/* Standard output through one large buffer. A failed write is kept and told once, by cli_out_flush; a reader that went
   away
   (`lakectl plan … | head`) is no error to talk about. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static struct {
    char buffer[1 << 16];
    size_t len;
    int failed; /* errno of the first failed write */
} out;

static void write_all(const char *data, size_t len) {
    while (len && !out.failed) {
        ssize_t n = write(STDOUT_FILENO, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            out.failed = n < 0 ? errno : EIO;
            return;
        }
        data += n;
        len -= (size_t)n;
    }
}

static void drain(void) {
    if (out.len) {
        cli_progress_clear();
        write_all(out.buffer, out.len);
    }
    out.len = 0;
}

void cli_out_bytes(const void *data, size_t len) {
    if (len > sizeof out.buffer - out.len)
        drain();
    if (len >= sizeof out.buffer) {
        write_all(data, len);
        return;
    }
    memcpy(out.buffer + out.len, data, len);
    out.len += len;
}

void cli_out(const char *text) {
    cli_out_bytes(text, strlen(text));
}

void cli_outf(const char *format, ...) {
    char *text;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0) {
        out.failed = ENOMEM;
        return;
    }
    cli_out_bytes(text, (size_t)n);
    free(text);
}

int cli_out_broken_pipe(void) {
    return out.failed == EPIPE;
}

static lake_status failure(lake_error *err) {
    if (!out.failed)
        return LAKE_OK;
    return cli_fail_os(err, LAKE_ERR_IO, out.failed, "standard output: cannot be written");
}

lake_status cli_out_flush(lake_error *err) {
    drain();
    return failure(err);
}

static lake_status sink_write(void *user, const void *data, size_t len, lake_error *err) {
    if (cli_interrupted())
        return cli_fail(err, LAKE_ERR_CANCELLED, "interrupted");
    cli_out_bytes(data, len);
    return failure(err);
}

const lake_sink cli_stdout = {sink_write, NULL};

static lake_status report_write(void *user, const void *data, size_t len, lake_error *err) {
    cli_out_bytes(data, len);
    return LAKE_OK;
}

const lake_sink cli_report = {report_write, NULL};
