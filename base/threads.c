/* A parallel loop: an atomic counter hands out items. */
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/mem.h"

unsigned lake_threads_default(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int n = CPU_COUNT(&set);
        if (n > 0)
            return (unsigned)n;
    }
    return 1;
}

typedef struct loop {
    atomic_size_t next;
    atomic_bool stop;
    size_t n;
    lake_work work;
    void *user;
    pthread_mutex_t lock; /* guards the three below */
    size_t failed_item;
    lake_status status;
    lake_error error;
} loop;

typedef struct worker {
    loop *loop;
    unsigned id;
    pthread_t thread;
} worker;

static void *run(void *arg) {
    worker *w = arg;
    loop *l = w->loop;
    lake_error err;
    lake_error_init(&err);
    while (!atomic_load_explicit(&l->stop, memory_order_relaxed)) {
        size_t item = atomic_fetch_add(&l->next, 1);
        if (item >= l->n)
            break;
        lake_status s = l->work(l->user, item, w->id, &err);
        if (s == LAKE_OK)
            continue;
        atomic_store(&l->stop, true);
        pthread_mutex_lock(&l->lock);
        if (l->status == LAKE_OK || item < l->failed_item) {
            l->status = s;
            l->failed_item = item;
            l->error = err;
        }
        pthread_mutex_unlock(&l->lock);
    }
    return NULL;
}

lake_status lake_parallel(size_t n, unsigned threads, lake_work work, void *user, lake_error *err) {
    if (!threads)
        threads = lake_threads_default();
    if (threads > n)
        threads = (unsigned)n;
    if (threads <= 1) {
        for (size_t i = 0; i < n; i++)
            LAKE_TRY(work(user, i, 0, err));
        return LAKE_OK;
    }
    loop l = {.n = n, .work = work, .user = user, .status = LAKE_OK};
    lake_error_init(&l.error);
    worker *workers = lake_mem_zalloc(threads, sizeof *workers);
    if (!workers)
        return lake_fail_memory(err);
    pthread_mutex_init(&l.lock, NULL);
    unsigned started = 1;
    for (; started < threads; started++) {
        workers[started] = (worker){.loop = &l, .id = started};
        if (pthread_create(&workers[started].thread, NULL, run, &workers[started]) != 0)
            break;
    }
    workers[0] = (worker){.loop = &l, .id = 0};
    run(&workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_mutex_destroy(&l.lock);
    lake_mem_free(workers);
    if (l.status != LAKE_OK && err)
        *err = l.error;
    return l.status;
}
