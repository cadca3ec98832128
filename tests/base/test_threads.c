/* The parallel loop: every item once, the lowest failure wins, workers have numbers below the limit. */
#include "support.h"

typedef struct state {
    int hits[1000];
    unsigned threads;
    size_t fail_from;
} state;

static lake_status work(void *user, size_t item, unsigned worker, lake_error *err) {
    state *s = user;
    if (worker >= s->threads)
        return lake_fail(err, LAKE_ERR_INTERNAL, "worker %u", worker);
    __atomic_add_fetch(&s->hits[item], 1, __ATOMIC_RELAXED);
    return item >= s->fail_from ? lake_fail(err, LAKE_ERR_IO, "item %zu", item) : LAKE_OK;
}

Test(threads, every_item_once) {
    for (unsigned threads = 1; threads <= 5; threads++) {
        state s = {.threads = threads, .fail_from = 1000};
        lake_error e;
        cr_assert_eq(lake_parallel(1000, threads, work, &s, &e), LAKE_OK);
        for (size_t i = 0; i < 1000; i++)
            cr_assert_eq(s.hits[i], 1);
        cr_assert_eq(lake_parallel(0, threads, work, &s, &e), LAKE_OK);
    }
    cr_assert_geq(lake_threads_default(), 1);
}

Test(threads, the_lowest_failure_is_reported) {
    for (unsigned threads = 1; threads <= 5; threads++) {
        state s = {.threads = threads, .fail_from = 500};
        lake_error e;
        lake_error_init(&e);
        cr_assert_eq(lake_parallel(1000, threads, work, &s, &e), LAKE_ERR_IO);
        cr_assert_str_eq(e.message, "item 500");
        cr_assert_eq(s.hits[999], 0);
    }
}
