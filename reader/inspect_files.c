/* Views over manifest entries: files (the live ones) and entries (all). Metrics are shown by column id as recorded,
   bounds in hex; readable_metrics shows them by name and as values, whatever odd bytes a foreign writer left. */
#include "reader/inspect_internal.h"

const char *const lake_files_columns[] = {"content", "file_path", "file_format", "spec_id", "partition", "record_count",
    "file_size_in_bytes", "column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds",
    "upper_bounds", "key_metadata", "split_offsets", "equality_ids", "sort_order_id", "first_row_id",
    "referenced_data_file", "content_offset", "content_size_in_bytes", "readable_metrics"};
enum { WIDTH = sizeof lake_files_columns / sizeof *lake_files_columns };
const size_t lake_files_width = WIDTH;

const lake_spec *lake_view_spec(const lake_view *view, const lake_manifest_file *line) {
    return lake_metadata_spec(view->table->metadata, line->spec_id);
}

static lake_status prepare(lake_view *v, lake_error *err) {
    if (v->prepared)
        return LAKE_OK;
    LAKE_TRY(lake_table_manifests(v->table, v->snapshot, &v->arena, &v->manifests, &v->nmanifests, err));
    v->codec = lake_codec_scratch_new();
    if (!v->codec)
        return lake_fail_memory(err);
    v->prepared = true;
    return LAKE_OK;
}

lake_status lake_view_next_entry(lake_view *v, const lake_manifest_want *want, const lake_manifest_file **line,
    const lake_entry **out, lake_error *err) {
    LAKE_TRY(prepare(v, err));
    for (;;) {
        *out = NULL;
        if (v->reader) {
            LAKE_TRY(lake_manifest_next(v->reader, out, err));
            *line = &v->manifests[v->at - 1];
            if (*out)
                return LAKE_OK;
            lake_manifest_close(v->reader);
            v->reader = NULL;
        }
        if (v->at == v->nmanifests)
            return LAKE_OK;
        const lake_manifest_file *f = &v->manifests[v->at++];
        LAKE_TRY(lake_manifest_open(
            &v->table->session->store, f->path, f, lake_view_spec(v, f), want, v->codec, &v->reader, err));
    }
}

/* {"1":…,"2":…} of one kind of metric; null if no column has it. */
static lake_str metric_map(lake_view *v, lake_arena *scratch, const lake_entry *e, uint32_t metric) {
    bool any = false;
    for (size_t i = 0; i < e->ncolumns; i++) {
        const lake_column_metrics *c = &e->columns[i];
        if (!(c->has & metric))
            continue;
        int64_t n = metric == LAKE_METRIC_SIZE ? c->size
            : metric == LAKE_METRIC_VALUES     ? c->values
            : metric == LAKE_METRIC_NULLS      ? c->nulls
                                               : c->nans;
        lake_buffer_printf(&v->text, "%s\"%d\":%lld", any ? "," : "{", (int)c->id, (long long)n);
        any = true;
    }
    if (!any)
        return LAKE_STR("null");
    lake_buffer_char(&v->text, '}');
    return lake_cell_text(v, scratch);
}

static lake_str bound_map(lake_view *v, lake_arena *scratch, const lake_entry *e, bool upper) {
    bool any = false;
    for (size_t i = 0; i < e->ncolumns; i++) {
        lake_bytes b = upper ? e->columns[i].upper : e->columns[i].lower;
        if (!b.ptr)
            continue;
        lake_buffer_printf(&v->text, "%s\"%d\":\"", any ? "," : "{", (int)e->columns[i].id);
        lake_buffer_hex(&v->text, b);
        lake_buffer_char(&v->text, '"');
        any = true;
    }
    if (!any)
        return LAKE_STR("null");
    lake_buffer_char(&v->text, '}');
    return lake_cell_text(v, scratch);
}

static void put_count(lake_buffer *out, const char *name, bool has, int64_t n) {
    lake_buffer_printf(out, "\"%s\":", name);
    if (has)
        lake_buffer_printf(out, "%lld,", (long long)n);
    else
        lake_buffer_puts(out, "null,");
}

static lake_str readable(lake_view *v, lake_arena *scratch, const lake_entry *e) {
    lake_buffer *out = &v->text;
    bool any = false;
    lake_buffer_char(out, '{');
    for (size_t i = 0; i < e->ncolumns; i++) {
        const lake_column_metrics *c = &e->columns[i];
        const lake_field *f = lake_schema_field(v->schema, c->id);
        if (!f)
            continue; /* dropped since, or reserved (delete files) */
        lake_buffer name;
        lake_buffer_init(&name);
        lake_field_full_name(&name, f);
        out->failed = out->failed || name.failed;
        if (any)
            lake_buffer_char(out, ',');
        any = true;
        lake_json_quote(out, lake_buffer_view(&name));
        lake_buffer_clear(&name);
        lake_buffer_puts(out, ":{");
        put_count(out, "column_size", c->has & LAKE_METRIC_SIZE, c->size);
        put_count(out, "value_count", c->has & LAKE_METRIC_VALUES, c->values);
        put_count(out, "null_value_count", c->has & LAKE_METRIC_NULLS, c->nulls);
        put_count(out, "nan_value_count", c->has & LAKE_METRIC_NANS, c->nans);
        lake_buffer_puts(out, "\"lower_bound\":");
        lake_cell_bound(out, &f->type, c->lower);
        lake_buffer_puts(out, ",\"upper_bound\":");
        lake_cell_bound(out, &f->type, c->upper);
        lake_buffer_char(out, '}');
    }
    lake_buffer_char(out, '}');
    return lake_cell_text(v, scratch);
}

static void fill_lists(lake_view *v, lake_arena *scratch, lake_str *cells, const lake_entry *e) {
    if (e->key_metadata.ptr) {
        lake_buffer_char(&v->text, '"');
        lake_buffer_hex(&v->text, e->key_metadata);
        lake_buffer_char(&v->text, '"');
        cells[13] = lake_cell_text(v, scratch);
    }
    if (e->split_offsets) {
        lake_buffer_char(&v->text, '[');
        for (size_t i = 0; i < e->nsplit_offsets; i++)
            lake_buffer_printf(&v->text, "%s%lld", i ? "," : "", (long long)e->split_offsets[i]);
        lake_buffer_char(&v->text, ']');
        cells[14] = lake_cell_text(v, scratch);
    }
    if (e->equality_ids) {
        lake_buffer_char(&v->text, '[');
        for (size_t i = 0; i < e->nequality_ids; i++)
            lake_buffer_printf(&v->text, "%s%d", i ? "," : "", (int)e->equality_ids[i]);
        lake_buffer_char(&v->text, ']');
        cells[15] = lake_cell_text(v, scratch);
    }
}

static void fill_file(
    lake_view *v, lake_arena *scratch, lake_str *cells, const lake_manifest_file *line, const lake_entry *e) {
    const lake_spec *spec = lake_view_spec(v, line);
    if (!spec)
        spec = lake_manifest_header_of(v->reader)->spec;
    cells[0] = lake_cell_i64(scratch, e->content);
    cells[1] = lake_cell_string(v, scratch, e->file_path);
    cells[2] = lake_cell_string(v, scratch, e->file_format);
    cells[3] = lake_cell_i64(scratch, line->spec_id);
    lake_cell_partition(v, &v->text, spec, e->partition, e->npartition);
    cells[4] = lake_cell_text(v, scratch);
    cells[5] = lake_cell_i64(scratch, e->record_count);
    cells[6] = lake_cell_i64(scratch, e->file_size);
    cells[7] = metric_map(v, scratch, e, LAKE_METRIC_SIZE);
    cells[8] = metric_map(v, scratch, e, LAKE_METRIC_VALUES);
    cells[9] = metric_map(v, scratch, e, LAKE_METRIC_NULLS);
    cells[10] = metric_map(v, scratch, e, LAKE_METRIC_NANS);
    cells[11] = bound_map(v, scratch, e, false);
    cells[12] = bound_map(v, scratch, e, true);
    fill_lists(v, scratch, cells, e);
    if (e->has & LAKE_HAS_SORT_ORDER_ID)
        cells[16] = lake_cell_i64(scratch, e->sort_order_id);
    if (e->has & LAKE_HAS_FIRST_ROW_ID)
        cells[17] = lake_cell_i64(scratch, e->first_row_id);
    cells[18] = lake_cell_string(v, scratch, e->referenced_data_file);
    if (e->has & LAKE_HAS_CONTENT_OFFSET)
        cells[19] = lake_cell_i64(scratch, e->content_offset);
    if (e->has & LAKE_HAS_CONTENT_SIZE)
        cells[20] = lake_cell_i64(scratch, e->content_size);
    cells[21] = readable(v, scratch, e);
}

static const lake_manifest_want everything = {.all_columns = true, .rest = true};

lake_status lake_fill_files(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err) {
    lake_view *v = user;
    const lake_manifest_file *line;
    const lake_entry *e;
    do
        LAKE_TRY(lake_view_next_entry(v, &everything, &line, &e, err));
    while (e && e->status == LAKE_ENTRY_DELETED);
    *more = e != NULL;
    if (e)
        fill_file(v, scratch, cells, line, e);
    return LAKE_OK;
}

lake_status lake_fill_entries(void *user, lake_arena *scratch, lake_str *cells, bool *more, lake_error *err) {
    lake_view *v = user;
    const lake_manifest_file *line;
    const lake_entry *e;
    lake_str file[WIDTH];
    LAKE_TRY(lake_view_next_entry(v, &everything, &line, &e, err));
    *more = e != NULL;
    if (!e)
        return LAKE_OK;
    for (size_t i = 0; i < WIDTH; i++)
        file[i] = LAKE_STR("null");
    fill_file(v, scratch, file, line, e);
    cells[0] = lake_cell_i64(scratch, e->status);
    if (e->has & LAKE_HAS_SNAPSHOT_ID)
        cells[1] = lake_cell_i64(scratch, e->snapshot_id);
    if (e->has & LAKE_HAS_SEQUENCE_NUMBER)
        cells[2] = lake_cell_i64(scratch, e->sequence_number);
    if (e->has & LAKE_HAS_FILE_SEQUENCE_NUMBER)
        cells[3] = lake_cell_i64(scratch, e->file_sequence_number);
    for (size_t i = 0; i + 1 < WIDTH; i++) {
        if (!file[i].ptr)
            return lake_fail_memory(err);
        lake_buffer_printf(&v->text, "%s\"%s\":", i ? "," : "{", lake_files_columns[i]);
        lake_buffer_str(&v->text, file[i]);
    }
    lake_buffer_char(&v->text, '}');
    cells[4] = lake_cell_text(v, scratch);
    cells[5] = file[WIDTH - 1];
    return LAKE_OK;
}
