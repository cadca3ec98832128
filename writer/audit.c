/* lake_audit_run: what a table's metadata say against what its files hold. First the structure, from the manifest list
   to the entries; then the chosen files; then orphans. */
#include "writer/audit_internal.h"

#include "writer/column_choice.h"

static lake_status prepare(audit *a, lake_error *err) {
    const lake_audit_options *o = a->options;
    LAKE_TRY(lake_table_choose(a->table, &o->snapshot, &a->snapshot, &a->schema, err));
    LAKE_TRY(lake_exact_init(&a->arena, a->table, a->schema, &a->exact, err));
    if (o->ncolumns) {
        lake_str place = a->table->at.metadata_location;
        lake_str name = lake_arena_str(&a->arena, place.ptr, place.len);
        if (!name.ptr)
            return lake_fail_memory(err);
        LAKE_TRY(lake_column_choice(
            &a->arena, a->schema, name.ptr, o->columns, o->ncolumns, &a->columns, &a->ncolumns, err));
    }
    if (!a->snapshot)
        return LAKE_OK;
    a->counts.has_snapshot = 1;
    a->counts.snapshot_id = a->snapshot->id;
    LAKE_TRY(lake_table_manifests(a->table, a->snapshot, &a->arena, &a->lines, &a->nlines, err));
    a->broken = LAKE_ARENA_ARRAY(&a->arena, bool, a->nlines + 1);
    return a->broken ? audit_choice_begin(a, err) : lake_fail_memory(err);
}

static lake_status run(audit *a, lake_error *err) {
    LAKE_TRY(prepare(a, err));
    if (a->snapshot) {
        LAKE_TRY(audit_manifests(a, err));
        LAKE_TRY(audit_files(a, err));
    }
    return a->options->orphans ? audit_orphans(a, err) : LAKE_OK;
}

lake_status lake_audit_run(
    lake_table *table, const lake_audit_options *options, lake_audit_counts *counts, lake_error *err) {
    if (!options || options->version != LAKE_AUDIT_OPTIONS_VERSION)
        return lake_fail(
            err, LAKE_ERR_USAGE, "lake_audit_options: version %u is not known", options ? options->version : 0);
    if (options->sample < 0)
        return lake_fail(err, LAKE_ERR_USAGE, "a sample of %lld files", (long long)options->sample);
    audit a = {.table = table, .session = table->session, .options = options};
    int64_t start = lake_monotonic_ns();
    lake_arena_init(&a.arena, 0);
    pthread_mutex_init(&a.lock, NULL);
    pthread_mutex_init(&a.footers_lock, NULL);
    lake_status status = run(&a, err);
    pthread_mutex_destroy(&a.footers_lock);
    pthread_mutex_destroy(&a.lock);
    audit_footers_clear(&a);
    audit_choice_clear(&a);
    lake_arena_clear(&a.arena);
    a.counts.elapsed_ns = lake_monotonic_ns() - start;
    if (counts)
        *counts = a.counts;
    return status;
}
