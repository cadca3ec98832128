/* Plans many cases in one process, through the public API alone: the engine of play.py and bruteforce.py.
     plan_cases [THREADS [FROM=TO]...] <REQUESTS >ANSWERS
   A request is seven NUL-ended fields: name, metadata location, snapshot id or "", "sensitive", "insensitive" or "",
   "where", "filter" or "groups" (where, with row groups), "iceberg" or "largest" (NaN), and the predicate ("" with
   "where": none). An answer is one line of JSON: `case`, and either `error` and `message` or `files` (path, match,
   records, deletes as indexes, residual, exact, sql, with "groups" also `total` and `groups`), `deletes` (a deletion
   vector is PATH#OFFSET) and `counts`. By the environment (cached.py):
     CASES_CACHE=DIR, CASES_CACHE_SIZE=BYTES   the session's cache
     CASES_WHOLE=N                             every Nth answer has `whole`, too: a hash of the whole document, without
                                               its duration, with statistics and explanation */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lake/lake.h"

enum { NAME, METADATA, SNAPSHOT, SENSITIVE, FORM, NAN_ORDER, PREDICATE, FIELDS };

static void put_text(const char *p, size_t n) {
    putchar('"');
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void put_error(const lake_error *err) {
    printf(",\"error\":\"%s\",\"message\":", lake_status_name(err->status));
    put_text(err->message, strlen(err->message));
}

static void put_deletes(const lake_plan *plan) {
    printf("],\"deletes\":[");
    for (size_t i = 0; i < lake_plan_delete_count(plan); i++) {
        const lake_delete_file *d = lake_plan_delete(plan, i);
        char name[8192];
        int n = snprintf(name, sizeof name, "%.*s", (int)d->path.len, d->path.ptr);
        if (d->has_content_offset)
            n = snprintf(name, sizeof name, "%.*s#%" PRId64, (int)d->path.len, d->path.ptr, d->content_offset);
        printf(i ? "," : "");
        put_text(name, (size_t)n);
    }
}

static void put_groups(const lake_scan_task *t) {
    printf(",\"total\":%" PRId64 ",\"groups\":[", t->total_row_groups);
    for (size_t i = 0; i < t->nrow_groups; i++) {
        const lake_row_group *g = &t->row_groups[i];
        printf("%s{\"index\":%" PRId64 ",\"first\":%" PRId64 ",\"rows\":%" PRId64 ",\"match\":\"%s\",\"ranges\":[",
            i ? "," : "", g->index, g->first_row, g->rows, g->match_all ? "all" : "some");
        for (size_t k = 0; k < g->nranges; k++)
            printf("%s[%" PRId64 ",%" PRId64 "]", k ? "," : "", g->ranges[k].first, g->ranges[k].rows);
        printf("]}");
    }
    printf("]");
}

static lake_status put_task(lake_plan *plan, size_t i, lake_error *err) {
    const lake_scan_task *t = lake_plan_task(plan, i);
    printf(i ? ",{\"path\":" : "{\"path\":");
    put_text(t->path.ptr, t->path.len);
    printf(",\"match\":\"%s\",\"records\":%" PRId64 ",\"deletes\":[", t->match_all ? "all" : "some", t->record_count);
    for (size_t d = 0; d < t->ndeletes; d++)
        printf(d ? ",%u" : "%u", t->deletes[d]);
    lake_str json, sql;
    int exact;
    lake_status st = lake_plan_residual(plan, i, &json, &exact, &sql, err);
    printf("]");
    if (st == LAKE_OK) {
        printf(",\"residual\":%.*s,\"exact\":%s,\"sql\":", (int)json.len, json.ptr, exact ? "true" : "false");
        put_text(sql.ptr, sql.len);
    }
    if (t->total_row_groups >= 0)
        put_groups(t);
    printf("}");
    return st;
}

typedef struct text {
    char *at;
    size_t n, room;
} text;

static lake_status append(void *user, const void *data, size_t len, lake_error *err) {
    text *t = user;
    if (t->n + len + 1 > t->room) {
        t->room = 2 * (t->n + len + 1);
        t->at = realloc(t->at, t->room);
    }
    memcpy(t->at + t->n, data, len);
    t->n += len;
    t->at[t->n] = 0;
    return LAKE_OK;
}

/* A plan as one document, apart from how long it took. */
static void put_whole(lake_table *table, lake_plan_options o) {
    text t = {0};
    lake_sink sink = {append, &t};
    lake_plan *plan = NULL;
    lake_error err;
    lake_error_init(&err);
    o.explain = o.stats = 1;
    uint64_t hash = 0xcbf29ce484222325;
    if (lake_plan_open(table, &o, &plan, &err) == LAKE_OK &&
        lake_plan_write(plan, LAKE_PLAN_JSON, 1, &sink, &err) == LAKE_OK && t.at) {
        char *took = strstr(t.at, "\"total-duration\":");
        for (took = took ? took + 17 : NULL; took && *took && *took != ','; took++)
            *took = '#';
        for (took = t.at; *took; took++)
            if (*took != '#')
                hash = (hash ^ (unsigned char)*took) * 0x100000001b3;
    } else {
        put_error(&err);
    }
    printf(",\"whole\":\"%016" PRIx64 "\"", hash);
    lake_plan_close(plan);
    free(t.at);
}

static int whole_every, answers;

static void answer(lake_table *table, char **f, lake_error *err) {
    lake_plan_options o = LAKE_PLAN_OPTIONS_INIT;
    if (!strcmp(f[FORM], "filter"))
        o.filter = f[PREDICATE];
    else if (f[PREDICATE][0])
        o.where = f[PREDICATE];
    if (f[SNAPSHOT][0]) {
        o.snapshot.has_snapshot_id = 1;
        o.snapshot.snapshot_id = strtoll(f[SNAPSHOT], NULL, 10);
    }
    o.case_sensitive = f[SENSITIVE][0] ? f[SENSITIVE][0] == 's' : -1;
    o.row_groups = !strcmp(f[FORM], "groups");
    o.nan_largest = f[NAN_ORDER][0] == 'l';
    if (whole_every && answers++ % whole_every == 0)
        put_whole(table, o);
    lake_plan *plan = NULL;
    lake_status st = lake_plan_open(table, &o, &plan, err);
    if (st != LAKE_OK) {
        put_error(err);
        return;
    }
    printf(",\"files\":[");
    for (size_t i = 0; st == LAKE_OK && i < lake_plan_count(plan); i++)
        st = put_task(plan, i, err);
    put_deletes(plan);
    lake_plan_counts c;
    lake_plan_counts_of(plan, &c);
    printf("],\"counts\":{\"scanned\":%" PRId64 ",\"total\":%" PRId64 ",\"total_files\":%" PRId64
           ",\"kept_files\":%" PRId64 ",\"total_rows\":%" PRId64 ",\"kept_rows\":%" PRId64 ",\"kept_bytes\":%" PRId64
           ",\"match_all\":%" PRId64,
        c.scanned_data_manifests, c.total_data_manifests, c.total_files, c.kept_files, c.total_rows, c.kept_rows,
        c.kept_bytes, c.match_all_files);
    printf(",\"groups\":[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "],\"pages\":[%" PRId64
           ",%" PRId64 "],\"group_rows\":%" PRId64 ",\"doubtful\":%" PRId64 "}",
        c.total_row_groups, c.kept_row_groups, c.row_groups_by_statistics, c.row_groups_by_bloom,
        c.row_groups_by_dictionary, c.row_groups_by_pages, c.total_pages, c.kept_pages, c.kept_group_rows, c.doubtful);
    if (st != LAKE_OK)
        put_error(err);
    lake_plan_close(plan);
}

static lake_status swallow(void *user, const void *data, size_t len, lake_error *err) {
    *(size_t *)user += len;
    return LAKE_OK;
}

static lake_status read_stats(lake_session *session, const char *location, const lake_sink *sink, lake_error *err) {
    lake_stats *stats = NULL;
    lake_status st = lake_stats_open(session, location, NULL, &stats, err);
    if (st == LAKE_OK)
        st = lake_stats_write(stats, sink, err);
    lake_stats_close(stats);
    return st;
}

static lake_status read_view(lake_session *session, const char *location, const char *view, lake_error *err) {
    lake_table *table = NULL;
    lake_rows *rows = NULL;
    lake_status st = lake_table_open(session, location, &table, err);
    if (st == LAKE_OK)
        st = lake_inspect(table, view, NULL, &rows, err);
    const lake_str *cells = NULL;
    do {
        if (st == LAKE_OK)
            st = lake_rows_next(rows, &cells, err);
    } while (st == LAKE_OK && cells);
    lake_rows_close(rows);
    lake_table_close(table);
    return st;
}

/* The forms that only read. False: another form. */
static bool only_read(lake_session *session, char **f, lake_error *err) {
    size_t total = 0;
    lake_sink sink = {swallow, &total};
    lake_status st;
    if (!strcmp(f[FORM], "stats"))
        st = read_stats(session, f[METADATA], &sink, err);
    else if (!strcmp(f[FORM], "dump"))
        st = lake_dump(session, f[METADATA], 0, &sink, err);
    else if (!strcmp(f[FORM], "inspect"))
        st = read_view(session, f[METADATA], f[PREDICATE], err);
    else
        return false;
    if (st != LAKE_OK)
        put_error(err);
    return true;
}

static bool read_request(char **f, size_t *room) {
    for (int i = 0; i < FIELDS; i++)
        if (getdelim(&f[i], &room[i], 0, stdin) <= 0)
            return false;
    return true;
}

int main(int argc, char **argv) {
    lake_error err;
    lake_error_init(&err);
    lake_location_map maps[16];
    lake_session_options so = LAKE_SESSION_OPTIONS_INIT;
    so.maps = maps;
    so.threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    for (int i = 2; i < argc && so.nmaps < 16; i++) {
        char *eq = strchr(argv[i], '=');
        if (!eq)
            return 2;
        *eq = 0;
        maps[so.nmaps++] = (lake_location_map){argv[i], eq + 1};
    }
    const char *size = getenv("CASES_CACHE_SIZE"), *whole = getenv("CASES_WHOLE");
    so.cache = getenv("CASES_CACHE");
    so.cache_size = size ? strtoull(size, NULL, 10) : 0;
    whole_every = whole ? atoi(whole) : 0;
    lake_session *session;
    if (lake_session_open(&so, &session, &err) != LAKE_OK) {
        fprintf(stderr, "plan_cases: %s\n", err.message);
        return 4;
    }
    char *f[FIELDS] = {NULL}, *open = NULL;
    size_t room[FIELDS] = {0};
    lake_table *table = NULL;
    while (read_request(f, room)) {
        printf("{\"case\":");
        put_text(f[NAME], strlen(f[NAME]));
        lake_error_init(&err);
        if (only_read(session, f, &err)) {
            puts("}");
            fflush(stdout);
            continue;
        }
        if (!table || strcmp(open, f[METADATA])) {
            lake_table_close(table);
            table = NULL;
            free(open);
            open = strdup(f[METADATA]);
            if (lake_table_open(session, open, &table, &err) != LAKE_OK) {
                table = NULL;
                put_error(&err);
            }
        }
        if (table)
            answer(table, f, &err);
        puts("}");
        fflush(stdout);
    }
    lake_table_close(table);
    free(open);
    for (int i = 0; i < FIELDS; i++)
        free(f[i]);
    lake_session_close(session);
    return 0;
}
