/* Prints what the manifest reader makes of a file: `print_entries manifest|list FILE`, one JSON object a line. Used by
   tests/golden/entries.py; no test itself. Bytes are hex; what is absent is left out. */
#include <stdio.h>

#include "manifest/manifest.h"

static lake_buffer out;

static void key(const char *name) {
    if (out.data[out.len - 1] != '{')
        lake_buffer_char(&out, ',');
    lake_buffer_printf(&out, "\"%s\":", name);
}
static void put_long(const char *name, int64_t v) {
    key(name);
    lake_buffer_printf(&out, "%lld", (long long)v);
}
static void put_text(const char *name, lake_str v) {
    if (!v.ptr)
        return;
    key(name);
    lake_json_quote(&out, v);
}
static void put_bytes(const char *name, lake_bytes v) {
    if (!v.ptr)
        return;
    key(name);
    lake_buffer_char(&out, '"');
    lake_buffer_hex(&out, v);
    lake_buffer_char(&out, '"');
}
static void put_if(const char *name, uint32_t has, uint32_t bit, int64_t v) {
    if (has & bit)
        put_long(name, v);
}

static void put_datum(lake_datum d) {
    switch (d.kind) {
    case LAKE_DATUM_NULL: lake_buffer_puts(&out, "null"); break;
    case LAKE_DATUM_BOOL: lake_buffer_puts(&out, d.i ? "true" : "false"); break;
    case LAKE_DATUM_INT: lake_buffer_printf(&out, "%lld", (long long)d.i); break;
    case LAKE_DATUM_FLOAT: lake_buffer_printf(&out, "\"%a\"", d.f); break;
    case LAKE_DATUM_BYTES:
        lake_buffer_char(&out, '"');
        lake_buffer_hex(&out, d.b);
        lake_buffer_char(&out, '"');
        break;
    }
}

static void put_columns(const lake_entry *e) {
    key("columns");
    lake_buffer_char(&out, '{');
    for (size_t i = 0; i < e->ncolumns; i++) {
        const lake_column_metrics *m = &e->columns[i];
        char id[16];
        snprintf(id, sizeof id, "%d", m->id);
        key(id);
        lake_buffer_char(&out, '{');
        put_if("size", m->has, LAKE_METRIC_SIZE, m->size);
        put_if("values", m->has, LAKE_METRIC_VALUES, m->values);
        put_if("nulls", m->has, LAKE_METRIC_NULLS, m->nulls);
        put_if("nans", m->has, LAKE_METRIC_NANS, m->nans);
        put_bytes("lower", m->lower);
        put_bytes("upper", m->upper);
        lake_buffer_char(&out, '}');
    }
    lake_buffer_char(&out, '}');
}

static void put_entry(const lake_entry *e) {
    lake_buffer_char(&out, '{');
    put_long("status", e->status);
    put_if("snapshot_id", e->has, LAKE_HAS_SNAPSHOT_ID, e->snapshot_id);
    put_if("sequence_number", e->has, LAKE_HAS_SEQUENCE_NUMBER, e->sequence_number);
    put_if("file_sequence_number", e->has, LAKE_HAS_FILE_SEQUENCE_NUMBER, e->file_sequence_number);
    put_long("content", e->content);
    put_text("file_path", e->file_path);
    put_text("file_format", e->file_format);
    key("partition");
    lake_buffer_char(&out, '[');
    for (size_t i = 0; i < e->npartition; i++) {
        if (i)
            lake_buffer_char(&out, ',');
        put_datum(e->partition[i]);
    }
    lake_buffer_char(&out, ']');
    put_long("record_count", e->record_count);
    put_long("file_size_in_bytes", e->file_size);
    put_columns(e);
    put_bytes("key_metadata", e->key_metadata);
    key("split_offsets");
    lake_buffer_char(&out, '[');
    for (size_t i = 0; i < e->nsplit_offsets; i++)
        lake_buffer_printf(&out, i ? ",%lld" : "%lld", (long long)e->split_offsets[i]);
    lake_buffer_puts(&out, "]");
    key("equality_ids");
    lake_buffer_char(&out, '[');
    for (size_t i = 0; i < e->nequality_ids; i++)
        lake_buffer_printf(&out, i ? ",%d" : "%d", e->equality_ids[i]);
    lake_buffer_puts(&out, "]");
    put_if("sort_order_id", e->has, LAKE_HAS_SORT_ORDER_ID, e->sort_order_id);
    put_if("first_row_id", e->has, LAKE_HAS_FIRST_ROW_ID, e->first_row_id);
    put_text("referenced_data_file", e->referenced_data_file);
    put_if("content_offset", e->has, LAKE_HAS_CONTENT_OFFSET, e->content_offset);
    put_if("content_size_in_bytes", e->has, LAKE_HAS_CONTENT_SIZE, e->content_size);
    lake_buffer_puts(&out, "}\n");
}

static void put_line(const lake_manifest_file *f) {
    lake_buffer_char(&out, '{');
    put_text("manifest_path", f->path);
    put_long("manifest_length", f->length);
    put_long("partition_spec_id", f->spec_id);
    put_long("content", f->content);
    put_long("sequence_number", f->sequence_number);
    put_long("min_sequence_number", f->min_sequence_number);
    put_if("added_snapshot_id", f->has, LAKE_HAS_SNAPSHOT_ID, f->added_snapshot_id);
    put_if("added_files_count", f->has, LAKE_HAS_ADDED_FILES, f->added_files);
    put_if("existing_files_count", f->has, LAKE_HAS_EXISTING_FILES, f->existing_files);
    put_if("deleted_files_count", f->has, LAKE_HAS_DELETED_FILES, f->deleted_files);
    put_if("added_rows_count", f->has, LAKE_HAS_ADDED_ROWS, f->added_rows);
    put_if("existing_rows_count", f->has, LAKE_HAS_EXISTING_ROWS, f->existing_rows);
    put_if("deleted_rows_count", f->has, LAKE_HAS_DELETED_ROWS, f->deleted_rows);
    if (f->has & LAKE_HAS_PARTITIONS) {
        key("partitions");
        lake_buffer_char(&out, '[');
        for (size_t i = 0; i < f->npartitions; i++) {
            if (i)
                lake_buffer_char(&out, ',');
            lake_buffer_char(&out, '{');
            put_long("contains_null", f->partitions[i].contains_null);
            put_long("contains_nan", f->partitions[i].contains_nan);
            put_bytes("lower_bound", f->partitions[i].lower);
            put_bytes("upper_bound", f->partitions[i].upper);
            lake_buffer_char(&out, '}');
        }
        lake_buffer_char(&out, ']');
    }
    put_bytes("key_metadata", f->key_metadata);
    put_if("first_row_id", f->has, LAKE_HAS_FIRST_ROW_ID, f->first_row_id);
    lake_buffer_puts(&out, "}\n");
}

static lake_status print_manifest(const lake_store *store, lake_str path, lake_error *err) {
    lake_manifest_want want = {.all_columns = true, .rest = true};
    lake_manifest_reader *reader;
    const lake_entry *e;
    LAKE_TRY(lake_manifest_open(store, path, NULL, NULL, &want, NULL, &reader, err));
    lake_status s;
    while ((s = lake_manifest_next(reader, &e, err)) == LAKE_OK && e)
        put_entry(e);
    lake_manifest_close(reader);
    return s;
}

static lake_status print_list(const lake_store *store, lake_str path, lake_error *err) {
    lake_arena arena;
    lake_manifest_file *lines;
    size_t n = 0;
    lake_arena_init(&arena, 0);
    lake_status s = lake_manifest_list_read(store, &arena, path, &lines, &n, err);
    for (size_t i = 0; i < n; i++)
        put_line(&lines[i]);
    lake_arena_clear(&arena);
    return s;
}

int main(int argc, char **argv) {
    lake_store store = {.max_file = 1u << 31};
    lake_error err;
    lake_error_init(&err);
    if (argc != 3)
        return 2;
    bool list = strcmp(argv[1], "list") == 0;
    lake_status s = (list ? print_list : print_manifest)(&store, lake_str_of(argv[2]), &err);
    fwrite(out.data, 1, out.len, stdout);
    lake_buffer_clear(&out);
    if (s != LAKE_OK)
        fprintf(stderr, "%s: %s\n", lake_status_name(s), err.message);
    return s != LAKE_OK;
}
