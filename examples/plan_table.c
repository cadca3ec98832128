/* Plans a table and prints the files that a predicate needs.

   cc plan_table.c $(pkg-config --cflags --libs lake) -o plan_table
   ./plan_table TABLE "amount > 1000" [FROM TO]      FROM TO: as --map FROM=TO of lakectl */
#include <inttypes.h>
#include <stdio.h>

#include <lake/lake.h>

static void print_task(lake_plan *plan, const lake_scan_task *task) {
    printf("%.*s: %" PRId64 " rows, %s\n", (int)task->path.len, task->path.ptr, task->record_count,
        task->match_all ? "all match" : "some may match");
    for (size_t i = 0; i < task->ndeletes; i++) {
        const lake_delete_file *d = lake_plan_delete(plan, task->deletes[i]);
        printf("  without the rows that %.*s deletes\n", (int)d->path.len, d->path.ptr);
    }
}

static lake_status plan_table(lake_session *session, const char *location, const char *where, lake_error *err) {
    lake_table *table = NULL;
    lake_plan *plan = NULL;
    lake_plan_options options = LAKE_PLAN_OPTIONS_INIT;
    options.where = where;
    lake_status status = lake_table_open(session, location, &table, err);
    if (!status)
        status = lake_plan_open(table, &options, &plan, err);
    if (!status) {
        lake_plan_counts counts;
        lake_plan_counts_of(plan, &counts);
        for (size_t i = 0; i < lake_plan_count(plan); i++)
            print_task(plan, lake_plan_task(plan, i));
        printf("%" PRId64 " of %" PRId64 " files\n", counts.kept_files, counts.total_files);
    }
    lake_plan_close(plan);
    lake_table_close(table);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 5) {
        fprintf(stderr, "usage: plan_table TABLE SQL [FROM TO]\n");
        return 2;
    }
    lake_error err;
    lake_error_init(&err);
    lake_location_map map = {argc == 5 ? argv[3] : NULL, argc == 5 ? argv[4] : NULL};
    lake_session_options options = LAKE_SESSION_OPTIONS_INIT;
    options.maps = &map;
    options.nmaps = argc == 5;
    lake_session *session = NULL;
    lake_status status = lake_session_open(&options, &session, &err);
    if (!status)
        status = plan_table(session, argv[1], argv[2], &err);
    lake_session_close(session);
    if (status)
        fprintf(stderr, "plan_table: %s (%s)\n", err.message, lake_status_name(status));
    return status ? 1 : 0;
}
