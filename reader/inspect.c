/* What a table's metadata says, as rows with the column names of Iceberg's metadata tables: the views that need no
   entries (snapshots, history, refs, manifests, schema, spec, properties), and the choice among all. */
#include "reader/inspect_internal.h"

static const char *const snapshot_columns[] = {
    "committed_at", "snapshot_id", "parent_id", "operation", "manifest_list", "summary"};

static lake_status fill_snapshots(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err) {
    lake_view *v = user;
    const lake_metadata *m = v->table->metadata;
    *more = v->at < m->nsnapshots;
    if (!*more)
        return LAKE_OK;
    const lake_snapshot *s = &m->snapshots[v->at++];
    const lake_json *operation = lake_json_find(s->summary, "operation");
    cells[0] = lake_cell_time(v, scratch, s->timestamp_ms);
    cells[1] = lake_cell_i64(scratch, s->id);
    if (s->has_parent)
        cells[2] = lake_cell_i64(scratch, s->parent_id);
    cells[3] = lake_cell_string(v, scratch, operation ? operation->text : (lake_str){NULL, 0});
    cells[4] = lake_cell_string(v, scratch, s->manifest_list);
    if (s->summary) {
        lake_json *rest = lake_json_copy(scratch, s->summary);
        if (!rest)
            return lake_fail_memory(err);
        lake_json_remove(rest, "operation");
        cells[5] = lake_cell_json(v, scratch, rest);
    }
    return LAKE_OK;
}

static const char *const history_columns[] = {"made_current_at", "snapshot_id", "parent_id", "is_current_ancestor"};

/* Marks the current snapshot and its ancestors; a circle ends the walk. */
static lake_status collect_ancestors(lake_view *v, lake_error *err) {
    const lake_metadata *m = v->table->metadata;
    bool *marks = LAKE_ARENA_ARRAY(&v->arena, bool, m->nsnapshots + 1);
    if (!marks)
        return lake_fail_memory(err);
    for (const lake_snapshot *s = m->snapshot; s && !marks[s - m->snapshots];) {
        marks[s - m->snapshots] = true;
        s = s->has_parent ? lake_metadata_snapshot(m, s->parent_id) : NULL;
    }
    v->ancestors = marks;
    v->prepared = true;
    return LAKE_OK;
}

static lake_status fill_history(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err) {
    lake_view *v = user;
    const lake_metadata *m = v->table->metadata;
    if (!v->prepared)
        LAKE_TRY(collect_ancestors(v, err));
    *more = v->at < m->nsnapshot_log;
    if (!*more)
        return LAKE_OK;
    const lake_log_entry *e = &m->snapshot_log[v->at++];
    const lake_snapshot *s = lake_metadata_snapshot(m, e->snapshot_id);
    cells[0] = lake_cell_time(v, scratch, e->timestamp_ms);
    cells[1] = lake_cell_i64(scratch, e->snapshot_id);
    if (s && s->has_parent)
        cells[2] = lake_cell_i64(scratch, s->parent_id);
    cells[3] = lake_cell_bool(s && v->ancestors[s - m->snapshots]);
    return LAKE_OK;
}

static const char *const ref_columns[] = {
    "name", "type", "snapshot_id", "max_reference_age_in_ms", "min_snapshots_to_keep", "max_snapshot_age_in_ms"};

static lake_status fill_refs(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err) {
    lake_view *v = user;
    const lake_metadata *m = v->table->metadata;
    *more = v->at < m->nrefs;
    if (!*more)
        return LAKE_OK;
    const lake_ref *r = &m->refs[v->at++];
    cells[0] = lake_cell_string(v, scratch, r->name);
    cells[1] = r->tag ? LAKE_STR("\"TAG\"") : LAKE_STR("\"BRANCH\"");
    cells[2] = lake_cell_i64(scratch, r->snapshot_id);
    cells[3] = lake_cell_json(v, scratch, lake_json_find(r->json, "max-ref-age-ms"));
    cells[4] = lake_cell_json(v, scratch, lake_json_find(r->json, "min-snapshots-to-keep"));
    cells[5] = lake_cell_json(v, scratch, lake_json_find(r->json, "max-snapshot-age-ms"));
    return LAKE_OK;
}

static const char *const manifest_columns[] = {"content", "path", "length", "partition_spec_id", "added_snapshot_id",
    "added_data_files_count", "existing_data_files_count", "deleted_data_files_count", "added_delete_files_count",
    "existing_delete_files_count", "deleted_delete_files_count", "partition_summaries"};

static void put_summaries(lake_view *v, const lake_manifest_file *f) {
    const lake_spec *spec = lake_view_spec(v, f);
    lake_buffer *out = &v->text;
    lake_buffer_char(out, '[');
    for (size_t i = 0; i < f->npartitions; i++) {
        const lake_field_summary *s = &f->partitions[i];
        lake_type source, result;
        bool typed =
            spec && i < spec->nfields && lake_partition_type(v->table->metadata, &spec->fields[i], &source, &result);
        lake_buffer_printf(out, "%s{\"contains_null\":%s,\"contains_nan\":%s,\"lower_bound\":", i ? "," : "",
            s->contains_null ? "true" : "false",
            s->contains_nan < 0   ? "null"
                : s->contains_nan ? "true"
                                  : "false");
        lake_cell_bound(out, typed ? &result : NULL, s->lower);
        lake_buffer_puts(out, ",\"upper_bound\":");
        lake_cell_bound(out, typed ? &result : NULL, s->upper);
        lake_buffer_char(out, '}');
    }
    lake_buffer_char(out, ']');
}

/* One end of a summary; a bound that is no value in hex. */
static void put_human_bound(
    lake_buffer *out, const lake_partition_field *f, const lake_type *source, const lake_type *result, lake_bytes b) {
    lake_key key;
    if (result && lake_value_from_binary(result, b, &key) == LAKE_BOUND_KEY)
        lake_transform_print(out, &f->transform, source, key);
    else
        lake_buffer_hex(out, b);
}

/* "ts_month=[2025-03, 2025-05] or null, …", a JSON string. */
static void put_human_summaries(lake_view *v, const lake_manifest_file *f) {
    const lake_spec *spec = lake_view_spec(v, f);
    lake_buffer text;
    lake_buffer_init(&text);
    for (size_t i = 0; spec && i < f->npartitions && i < spec->nfields; i++) {
        const lake_field_summary *s = &f->partitions[i];
        const lake_partition_field *field = &spec->fields[i];
        lake_type source, result;
        bool typed = lake_partition_type(v->table->metadata, field, &source, &result),
             bounds = s->lower.ptr && s->upper.ptr;
        lake_buffer_printf(&text, "%s%.*s=", i ? ", " : "", LAKE_ARG(field->name));
        if (bounds) {
            lake_buffer_char(&text, '[');
            put_human_bound(&text, field, &source, typed ? &result : NULL, s->lower);
            lake_buffer_puts(&text, ", ");
            put_human_bound(&text, field, &source, typed ? &result : NULL, s->upper);
            lake_buffer_char(&text, ']');
        }
        if (s->contains_null)
            lake_buffer_puts(&text, bounds ? " or null" : "null");
        if (s->contains_nan > 0)
            lake_buffer_puts(&text, bounds || s->contains_null ? " or NaN" : "NaN");
        if (!bounds && !s->contains_null && s->contains_nan <= 0)
            lake_buffer_char(&text, '?');
    }
    lake_json_quote(&v->text, lake_buffer_view(&text));
    v->text.failed |= text.failed;
    lake_buffer_clear(&text);
}

static lake_status prepare_manifests(lake_view *v, lake_error *err) {
    LAKE_TRY(lake_table_manifests(v->table, v->snapshot, &v->arena, &v->manifests, &v->nmanifests, err));
    v->prepared = true;
    return LAKE_OK;
}

static lake_status fill_manifests(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err) {
    lake_view *v = user;
    if (!v->prepared)
        LAKE_TRY(prepare_manifests(v, err));
    *more = v->at < v->nmanifests;
    if (!*more)
        return LAKE_OK;
    const lake_manifest_file *f = &v->manifests[v->at++];
    const uint32_t has[] = {LAKE_HAS_ADDED_FILES, LAKE_HAS_EXISTING_FILES, LAKE_HAS_DELETED_FILES};
    const int64_t counts[] = {f->added_files, f->existing_files, f->deleted_files};
    cells[0] = lake_cell_i64(scratch, f->content);
    cells[1] = lake_cell_string(v, scratch, f->path);
    cells[2] = lake_cell_i64(scratch, f->length);
    cells[3] = lake_cell_i64(scratch, f->spec_id);
    if (f->has & LAKE_HAS_SNAPSHOT_ID)
        cells[4] = lake_cell_i64(scratch, f->added_snapshot_id);
    for (size_t i = 0; i < 3; i++) {
        if (f->has & has[i])
            cells[(f->content ? 8 : 5) + i] = lake_cell_i64(scratch, counts[i]);
        cells[(f->content ? 5 : 8) + i] = LAKE_STR("0");
    }
    if (f->has & LAKE_HAS_PARTITIONS) {
        (v->human ? put_human_summaries : put_summaries)(v, f);
        cells[11] = lake_cell_text(v, scratch);
    }
    return LAKE_OK;
}

static const char *const schema_columns[] = {
    "field_id", "name", "type", "required", "doc", "initial_default", "write_default"};

/* Every field, nested ones by their full name, in the order of their ids. */
static lake_status fill_schema(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err) {
    lake_view *v = user;
    *more = v->at < v->schema->nby_id;
    if (!*more)
        return LAKE_OK;
    const lake_field *f = v->schema->by_id[v->at++];
    lake_field_full_name(&v->text, f);
    lake_str name = lake_cell_text(v, scratch);
    lake_type_print(&v->text, &f->type);
    lake_str type = lake_cell_text(v, scratch);
    if (!name.ptr || !type.ptr)
        return lake_fail_memory(err);
    cells[0] = lake_cell_i64(scratch, f->id);
    cells[1] = lake_cell_string(v, scratch, name);
    cells[2] = lake_cell_string(v, scratch, type);
    cells[3] = lake_cell_bool(f->required);
    cells[4] = lake_cell_string(v, scratch, f->doc);
    cells[5] = lake_cell_json(v, scratch, f->initial_default);
    cells[6] = lake_cell_json(v, scratch, f->write_default);
    return LAKE_OK;
}

static const char *const spec_columns[] = {"spec_id", "is_default", "field_id", "name", "transform", "source_ids"};

/* A row for each field of each spec; a spec without fields has one row, too. */
static lake_status fill_spec(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err) {
    lake_view *v = user;
    const lake_metadata *m = v->table->metadata;
    *more = v->at < m->nspecs;
    if (!*more)
        return LAKE_OK;
    const lake_spec *s = m->specs[v->at];
    cells[0] = lake_cell_i64(scratch, s->id);
    cells[1] = lake_cell_bool(s == m->spec);
    if (v->inner < s->nfields) {
        const lake_partition_field *f = &s->fields[v->inner];
        cells[2] = lake_cell_i64(scratch, f->id);
        cells[3] = lake_cell_string(v, scratch, f->name);
        cells[4] = lake_cell_string(v, scratch, f->transform.text);
        for (size_t i = 0; i < f->nsource_ids; i++)
            lake_buffer_printf(&v->text, "%s%d", i ? "," : "[", (int)f->source_ids[i]);
        lake_buffer_puts(&v->text, f->nsource_ids ? "]" : "[]");
        cells[5] = lake_cell_text(v, scratch);
    }
    if (++v->inner >= s->nfields) {
        v->inner = 0;
        v->at++;
    }
    return LAKE_OK;
}

static const char *const property_columns[] = {"key", "value"};

static lake_status fill_properties(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err) {
    lake_view *v = user;
    const lake_json *p = v->table->metadata->properties;
    *more = p && v->at < p->count;
    if (!*more)
        return LAKE_OK;
    cells[0] = lake_cell_string(v, scratch, p->members[v->at].name);
    cells[1] = lake_cell_string(v, scratch, p->members[v->at].value->text);
    v->at++;
    return LAKE_OK;
}

static const char *const partition_columns[] = {"partition", "spec_id", "record_count", "file_count",
    "total_data_file_size_in_bytes", "position_delete_record_count", "position_delete_file_count",
    "equality_delete_record_count", "equality_delete_file_count", "last_updated_at", "last_updated_snapshot_id"};
static const char *const entry_columns[] = {
    "status", "snapshot_id", "sequence_number", "file_sequence_number", "data_file", "readable_metrics"};

#define COLUMNS(list) list, sizeof list / sizeof *list
static const struct {
    const char *what;
    const char *const *columns;
    size_t width;
    lake_rows_fill fill;
} views[] = {
    {"snapshots", COLUMNS(snapshot_columns), fill_snapshots},
    {"history", COLUMNS(history_columns), fill_history},
    {"refs", COLUMNS(ref_columns), fill_refs},
    {"manifests", COLUMNS(manifest_columns), fill_manifests},
    {"files", lake_files_columns, 0, lake_fill_files},
    {"entries", COLUMNS(entry_columns), lake_fill_entries},
    {"partitions", COLUMNS(partition_columns), lake_fill_partitions},
    {"schema", COLUMNS(schema_columns), fill_schema},
    {"spec", COLUMNS(spec_columns), fill_spec},
    {"properties", COLUMNS(property_columns), fill_properties},
};

/* A view and the fill of its kind: cells that could not be made end in NO_MEMORY here, once for all. */
typedef struct open_view {
    lake_view view;
    lake_rows_fill fill;
    size_t width;
} open_view;

static lake_status fill_checked(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err) {
    open_view *v = user;
    LAKE_TRY(v->fill(&v->view, scratch, cells, more, err));
    for (size_t i = 0; *more && i < v->width; i++)
        if (!cells[i].ptr)
            return lake_fail_memory(err);
    return LAKE_OK;
}

static void close_view(void *user) {
    open_view *v = user;
    if (!v)
        return;
    if (v->view.reader)
        lake_manifest_close(v->view.reader);
    lake_codec_scratch_free(v->view.codec);
    lake_buffer_clear(&v->view.text);
    lake_arena_clear(&v->view.arena);
    lake_mem_free(v);
}

static lake_status inspect(lake_table *table, const char *what, bool human, const lake_snapshot_choice *choice,
    lake_rows **out, lake_error *err) {
    *out = NULL;
    size_t i = 0, n = sizeof views / sizeof *views;
    while (i < n && (!what || strcmp(views[i].what, what) != 0))
        i++;
    if (i == n)
        return lake_fail(err, LAKE_ERR_USAGE,
            "'%.60s' cannot be inspected: snapshots, history, refs, manifests, files, entries, partitions, schema, "
            "spec and "
            "properties can",
            what ? what : "");
    open_view *v = lake_mem_zalloc(1, sizeof *v);
    if (!v)
        return lake_fail_memory(err);
    lake_arena_init(&v->view.arena, 0);
    lake_buffer_init(&v->view.text);
    v->view.table = table;
    v->view.human = human;
    v->fill = views[i].fill;
    v->width = views[i].width ? views[i].width : lake_files_width;
    lake_status s = lake_table_choose(table, choice, &v->view.snapshot, &v->view.schema, err);
    if (s == LAKE_OK)
        return lake_rows_new(views[i].columns, v->width, fill_checked, close_view, v, out, err);
    close_view(v);
    return s;
}

lake_status lake_inspect(
    lake_table *table, const char *what, const lake_snapshot_choice *choice, lake_rows **out, lake_error *err) {
    return inspect(table, what, false, choice, out, err);
}

lake_status lake_inspect_human(
    lake_table *table, const char *what, const lake_snapshot_choice *choice, lake_rows **out, lake_error *err) {
    return inspect(table, what, true, choice, out, err);
}
