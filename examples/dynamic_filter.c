/* Files of a plan one at a time, narrowed on the way as a join or a top-N query learns more: each NARROW is SQL that is
   added after one more file.

   cc dynamic_filter.c $(pkg-config --cflags --libs lake) -o dynamic_filter
   ./dynamic_filter TABLE WHERE [NARROW]... */
#include <stdio.h>

#include <lake/lake.h>

static int run(lake_plan *plan, char **narrow, int n, lake_error *err) {
    for (int step = 0;; step++) {
        const lake_scan_task *task;
        size_t index;
        if (lake_plan_next(plan, &index, &task, err))
            return 1;
        if (!task)
            break;
        printf("%.*s\n", (int)task->path.len, task->path.ptr);
        if (step < n && lake_plan_narrow(plan, narrow[step], NULL, 0, err))
            return 1;
    }
    printf("%zu of %zu files fell away on the way\n", lake_plan_narrowed(plan), lake_plan_count(plan));
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: dynamic_filter TABLE WHERE [NARROW]...\n");
        return 2;
    }
    lake_error err;
    lake_session *session = NULL;
    lake_table *table = NULL;
    lake_plan *plan = NULL;
    lake_plan_options options = LAKE_PLAN_OPTIONS_INIT;
    options.where = argv[2];
    options.narrowable = 1;
    int failed = lake_session_open(NULL, &session, &err) || lake_table_open(session, argv[1], &table, &err) ||
        lake_plan_open(table, &options, &plan, &err) || run(plan, argv + 3, argc - 3, &err);
    if (failed)
        fprintf(stderr, "dynamic_filter: %s\n", err.message);
    lake_plan_close(plan);
    lake_table_close(table);
    lake_session_close(session);
    return failed;
}
