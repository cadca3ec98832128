/* Progress on standard error, and interruption: the library asks cli_progress_report whether to go on. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
    if (interrupted)
        _exit(130);
    interrupted = 1;
}

void cli_signals_init(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    static const int numbers[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before;
        /* Whoever started the program may have it ignored (nohup, background jobs of scripts). */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
}

int cli_interrupted(void) {
    return interrupted;
}

static struct {
    int on, terminal;
    double wait; /* seconds until the first line */
    double start, last;
    char what[40];
    int drawn;
} bar;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void cli_progress_init(const cli_globals *globals) {
    const char *mode = globals->progress ? globals->progress : "auto";
    bar.terminal = isatty(STDERR_FILENO);
    bar.on = !globals->quiet && (strcmp(mode, "always") == 0 || (strcmp(mode, "auto") == 0 && bar.terminal));
    bar.start = now();
    bar.wait = strcmp(mode, "always") == 0 ? 0 : 1;
}

static void draw(const char *what, uint64_t done, uint64_t total, double seconds) {
    char line[160], blocks[25], rate[32];
    double speed = seconds > 0 ? (double)done / seconds : 0;
    int n;
    if (speed < 9.95)
        snprintf(rate, sizeof rate, "%.1f", speed); /* large files: less than one a second is not none */
    else
        cli_show_count(rate, (int64_t)speed);
    if (total) {
        size_t full = done >= total ? sizeof blocks - 1 : (size_t)((double)done / (double)total * (sizeof blocks - 1));
        memset(blocks, '.', sizeof blocks - 1);
        memset(blocks, '#', full);
        blocks[sizeof blocks - 1] = 0;
        double left = speed > 0 && done < total ? (double)(total - done) / speed : 0;
        n = snprintf(line, sizeof line, "[%s] %llu of %llu %s, %s/s, %d:%02d left", blocks, (unsigned long long)done,
            (unsigned long long)total, what, rate, (int)(left / 60), (int)left % 60);
    } else {
        n = snprintf(line, sizeof line, "%llu %s, %s/s", (unsigned long long)done, what, rate);
    }
    size_t most = bar.terminal ? cli_terminal_width() : 0;
    if (most && n >= (int)most)
        line[most - 1] = 0;
    if (bar.terminal)
        fprintf(stderr, "\r\x1b[K%s", line);
    else
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
    bar.drawn = bar.terminal;
}

int cli_progress_report(void *user, const char *what, uint64_t done, uint64_t total) {
    if (!bar.on || interrupted)
        return interrupted;
    double t = now();
    if (strncmp(bar.what, what, sizeof bar.what - 1) != 0) {
        /* The first work began when the program did. */
        bar.start = bar.what[0] ? t : bar.start;
        bar.last = bar.wait > 0 ? bar.start : 0;
        snprintf(bar.what, sizeof bar.what, "%s", what);
    }
    int due = t - bar.start >= bar.wait && t - bar.last >= (bar.terminal ? 0.1 : 1.0);
    if (due) {
        bar.last = t;
        draw(what, done, total, t - bar.start);
    }
    return 0;
}

void cli_progress_clear(void) {
    if (bar.drawn) {
        fputs("\r\x1b[K", stderr);
        fflush(stderr);
    }
    bar.drawn = 0;
}
