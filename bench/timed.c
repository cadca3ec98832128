/* Runs one program and says what it took. A small parent, since a child's peak of memory begins with its parent's.

     timed OUT COMMAND...

   The program's standard output goes to the file OUT (/dev/null will do). Prints: exit status (128 + signal), wall ms,
   user+system ms, peak resident KB. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double wall_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double ms(struct timeval t) {
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    int out = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (out < 0)
        return 2;
    double start = wall_now();
    pid_t child = fork();
    if (child == 0) {
        dup2(out, STDOUT_FILENO);
        close(out);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) < 0)
        return 2;
    printf("%d %.3f %.3f %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), wall_now() - start,
        ms(used.ru_utime) + ms(used.ru_stime), used.ru_maxrss);
    return 0;
}
