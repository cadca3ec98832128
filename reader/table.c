/* Opening a table and choosing a snapshot (spec.md, "Snapshots", "Snapshot References", Appendix F on point-in-time
 * reads). */
#include "reader/table.h"
#include "base/time.h"

lake_status lake_table_open(lake_session *session, const char *location, lake_table **out, lake_error *err) {
    *out = NULL;
    if (!session || !location || !*location)
        return lake_fail(err, LAKE_ERR_USAGE, "no table is named");
    lake_table *t = lake_mem_zalloc(1, sizeof *t);
    if (!t)
        return lake_fail_memory(err);
    t->session = session;
    lake_arena_init(&t->arena, 0);
    lake_status s = lake_directory_load(&session->store, &t->arena, lake_str_of(location), &t->at, &t->metadata, err);
    if (s != LAKE_OK) {
        lake_table_close(t);
        return s;
    }
    *out = t;
    return LAKE_OK;
}

void lake_table_close(lake_table *table) {
    if (!table)
        return;
    lake_arena_clear(&table->arena);
    lake_mem_free(table);
}

lake_status lake_table_refresh(lake_table *table, lake_error *err) {
    lake_arena fresh;
    lake_table_pointer at;
    lake_metadata *m;
    lake_arena_init(&fresh, 0);
    lake_str location = table->at.directory.ptr ? table->at.directory : table->at.metadata_location;
    lake_status s = lake_directory_load(&table->session->store, &fresh, location, &at, &m, err);
    if (s == LAKE_OK && table->metadata->uuid.ptr && m->uuid.ptr && !lake_str_eq(table->metadata->uuid, m->uuid))
        s = lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: another table is here now: its table-uuid is %.*s, it was %.*s",
            LAKE_ARG(location), LAKE_ARG(m->uuid), LAKE_ARG(table->metadata->uuid));
    if (s != LAKE_OK) {
        lake_arena_clear(&fresh);
        return s;
    }
    lake_arena_clear(&table->arena);
    table->arena = fresh;
    table->at = at;
    table->metadata = m;
    return LAKE_OK;
}

int lake_table_format_version(const lake_table *table) {
    return table->metadata->format_version;
}
lake_str lake_table_uuid(const lake_table *table) {
    return table->metadata->uuid;
}
lake_str lake_table_location(const lake_table *table) {
    return table->metadata->location;
}
lake_str lake_table_metadata_location(const lake_table *table) {
    return table->at.metadata_location;
}

int lake_table_current_snapshot(const lake_table *table, int64_t *id) {
    if (!table->metadata->snapshot)
        return 0;
    *id = table->metadata->snapshot->id;
    return 1;
}

static void put_time(lake_buffer *out, int64_t ms) {
    const int64_t day = 86400000;
    int64_t days = ms / day - (ms % day < 0), rest = ms - days * day;
    lake_civil c = lake_civil_from_days(days);
    lake_buffer_printf(out, "%04lld-%02d-%02dT%02d:%02d:%02d.%03dZ (%lld ms)", (long long)c.year, c.month, c.day,
        (int)(rest / 3600000), (int)(rest / 60000 % 60), (int)(rest / 1000 % 60), (int)(rest % 1000), (long long)ms);
}

static lake_status none_so_early(const lake_table *table, int64_t ms, int64_t first, lake_error *err) {
    lake_buffer text;
    lake_buffer_init(&text);
    put_time(&text, ms);
    lake_buffer_puts(&text, "; the first is of ");
    put_time(&text, first);
    lake_str view = lake_buffer_view(&text);
    lake_status s = lake_fail(err, LAKE_ERR_NOT_FOUND, "%.*s: no snapshot at or before %.*s",
        LAKE_ARG(table->at.metadata_location), LAKE_ARG(view));
    lake_buffer_clear(&text);
    return s;
}

static lake_status choose_by_time(
    const lake_table *table, int64_t ms, const lake_snapshot **snapshot, lake_error *err) {
    const lake_metadata *m = table->metadata;
    const lake_log_entry *last = NULL;
    for (size_t i = 0; i < m->nsnapshot_log; i++)
        if (m->snapshot_log[i].timestamp_ms <= ms)
            last = &m->snapshot_log[i];
    if (!m->nsnapshot_log)
        return lake_fail(err, LAKE_ERR_NOT_FOUND, "%.*s: the table keeps no snapshot log, so no time can be looked up",
            LAKE_ARG(table->at.metadata_location));
    if (!last)
        return none_so_early(table, ms, m->snapshot_log[0].timestamp_ms, err);
    *snapshot = lake_metadata_snapshot(m, last->snapshot_id);
    if (!*snapshot)
        return lake_fail(err, LAKE_ERR_NOT_FOUND, "%.*s: the snapshot of that time, %lld, has been expired",
            LAKE_ARG(table->at.metadata_location), (long long)last->snapshot_id);
    return LAKE_OK;
}

static lake_status choose_by_ref(
    const lake_table *table, const char *name, const lake_snapshot **snapshot, bool *tag, lake_error *err) {
    const lake_ref *ref = lake_metadata_ref(table->metadata, lake_str_of(name));
    if (!ref && strcmp(name, "main") == 0)
        return LAKE_OK; /* every table has it, also before the first snapshot */
    if (!ref)
        return lake_fail(err, LAKE_ERR_NOT_FOUND, "%.*s: there is no branch or tag '%.100s'",
            LAKE_ARG(table->at.metadata_location), name);
    *snapshot = lake_metadata_snapshot(table->metadata, ref->snapshot_id);
    *tag = ref->tag;
    return LAKE_OK;
}

lake_status lake_table_choose(const lake_table *table, const lake_snapshot_choice *choice,
    const lake_snapshot **snapshot, const lake_schema **schema, lake_error *err) {
    const lake_metadata *m = table->metadata;
    bool of_snapshot = false;
    if (choice && !!choice->has_snapshot_id + !!choice->ref + !!choice->has_as_of > 1)
        return lake_fail(
            err, LAKE_ERR_USAGE, "a snapshot is chosen by id, by branch or tag, or by time: only one of them");
    *snapshot = NULL;
    if (choice && choice->has_snapshot_id) {
        *snapshot = lake_metadata_snapshot(m, choice->snapshot_id);
        if (!*snapshot)
            return lake_fail(err, LAKE_ERR_NOT_FOUND, "%.*s: there is no snapshot %lld",
                LAKE_ARG(table->at.metadata_location), (long long)choice->snapshot_id);
        of_snapshot = true;
    } else if (choice && choice->has_as_of) {
        LAKE_TRY(choose_by_time(table, choice->as_of_ms, snapshot, err));
        of_snapshot = true;
    } else if (choice && choice->ref) {
        LAKE_TRY(choose_by_ref(table, choice->ref, snapshot, &of_snapshot, err));
    } else {
        *snapshot = m->snapshot;
    }
    *schema = NULL;
    if (of_snapshot && (*snapshot)->has_schema_id)
        *schema = lake_metadata_schema(m, (*snapshot)->schema_id);
    if (!*schema)
        *schema = m->schema;
    return LAKE_OK;
}
