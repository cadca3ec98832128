/* Statistics of many files: several at once, handed out in order. A file that cannot be read does not stop the others.
 */
#include <pthread.h>
#include <stdlib.h>

#include "reader/table.h"
#include "writer/stats_internal.h"

typedef struct outcome {
    bool ready;
    lake_stats *stats; /* NULL: failed */
    lake_error *error;
} outcome;

typedef struct job {
    lake_session *session;
    const char *const *locations;
    size_t n;
    const lake_stats_options *options;
    unsigned file_threads; /* of each file */
    lake_stats_visit visit;
    void *user;
    outcome *outcomes;
    size_t next; /* the first that is not handed out */
    size_t done;
    pthread_mutex_t lock; /* over outcomes, next, done, calls of visit and progress */
} job;

/* Not this file's fault: the others would end in the same way, or nobody wants them any more. */
static bool stops(lake_status status) {
    return status == LAKE_ERR_USAGE || status == LAKE_ERR_CANCELLED || status == LAKE_ERR_NO_MEMORY ||
        status == LAKE_ERR_INTERNAL;
}

static lake_status hand_out(job *j, lake_error *err) {
    for (; j->next < j->n && j->outcomes[j->next].ready; j->next++) {
        outcome *o = &j->outcomes[j->next];
        lake_status st = j->visit(j->user, j->next, o->stats, o->error, err);
        lake_stats_close(o->stats);
        lake_mem_free(o->error);
        *o = (outcome){0};
        LAKE_TRY(st);
    }
    const lake_session *s = j->session;
    if (s->progress && s->progress(s->progress_user, "files", j->done, j->n) != 0)
        return lake_fail(err, LAKE_ERR_CANCELLED, "interrupted");
    return LAKE_OK;
}

static lake_status one(void *user, size_t item, unsigned worker, lake_error *err) {
    job *j = user;
    outcome o = {.ready = true};
    lake_error why;
    lake_error_init(&why);
    lake_status st = lake_stats_open_with(j->session, j->locations[item], j->options, j->file_threads, &o.stats, &why);
    if (stops(st)) {
        if (err)
            *err = why;
        return st;
    }
    if (st != LAKE_OK) {
        o.error = lake_mem_alloc(sizeof why);
        if (!o.error)
            return lake_fail_memory(err);
        *o.error = why;
    }
    pthread_mutex_lock(&j->lock);
    j->outcomes[item] = o;
    j->done++;
    st = hand_out(j, err);
    pthread_mutex_unlock(&j->lock);
    return st;
}

/* Many files: one a thread. Few: all threads on each, since their sizes differ. */
static unsigned threads_over_files(job *j) {
    unsigned threads = j->session->threads ? j->session->threads : lake_threads_default();
    bool many = j->n >= 2 * (size_t)threads;
    j->file_threads = many ? 1 : threads;
    return many ? threads : 1;
}

lake_status lake_stats_each(lake_session *session, const char *const *locations, size_t n,
    const lake_stats_options *options, lake_stats_visit visit, void *user, lake_error *err) {
    job j = {.session = session, .locations = locations, .n = n, .options = options, .visit = visit, .user = user};
    j.outcomes = lake_mem_zalloc(n ? n : 1, sizeof *j.outcomes);
    if (!j.outcomes)
        return lake_fail_memory(err);
    pthread_mutex_init(&j.lock, NULL);
    unsigned threads = threads_over_files(&j);
    lake_status st = lake_parallel(n, threads, one, &j, err);
    pthread_mutex_destroy(&j.lock);
    for (size_t i = 0; i < n; i++) {
        lake_stats_close(j.outcomes[i].stats);
        lake_mem_free(j.outcomes[i].error);
    }
    lake_mem_free(j.outcomes);
    return st;
}
