/* Writes manifests of spec versions 1 to 3 (spec.md, "Manifests"): entries are checked, then put field by field in the
   order of manifest/layout.c. Nothing is allocated per entry once the buffers have grown. */
#include <stddef.h>

#include "manifest/layout.h"
#include "manifest/manifest.h"
#include "manifest/summary.h"

enum { V1_BLOCK_SIZE = 64 * 1024 * 1024 }; /* what every writer puts into v1's deprecated block_size_in_bytes */

/* A partition value of the entry at hand. */
typedef struct value {
    lake_bound_state state;
    lake_key key;
} value;

struct lake_manifest_writer {
    lake_manifest_write_options options;
    lake_arena arena, scratch; /* the writer's; an entry's */
    lake_type *types; /* of the partition fields */
    lake_summary *summaries;
    value *values;
    size_t nfields;
    lake_avro_writer avro;
    lake_buffer out;
    int64_t files[3], rows[3]; /* by status */
    bool has_min_sequence;
    int64_t min_sequence;
};

static lake_status read_types(lake_manifest_writer *w, lake_error *err) {
    const lake_spec *spec = w->options.spec;
    w->types = LAKE_ARENA_ARRAY(&w->arena, lake_type, spec->nfields);
    w->summaries = LAKE_ARENA_ARRAY(&w->arena, lake_summary, spec->nfields);
    w->values = LAKE_ARENA_ARRAY(&w->arena, value, spec->nfields);
    if (!w->types || !w->summaries || !w->values)
        return lake_fail_memory(err);
    for (size_t i = 0; i < spec->nfields; i++) {
        const lake_partition_field *f = &spec->fields[i];
        if (f->transform.id == LAKE_TRANSFORM_UNKNOWN)
            return lake_fail(err, LAKE_ERR_UNSUPPORTED,
                "partition field %.*s: cannot write with the unknown transform %.*s", LAKE_ARG(f->name),
                LAKE_ARG(f->transform.text));
        w->types[i] = lake_layout_partition_type(w->options.schema, f);
        if (lake_type_kind(&w->types[i]) == LAKE_KEY_NONE)
            return lake_fail(err, LAKE_ERR_UNSUPPORTED,
                "partition field %.*s: its source column is not in the schema, or has no order", LAKE_ARG(f->name));
        lake_summary_init(&w->summaries[i], lake_type_kind(&w->types[i]));
        w->nfields = i + 1;
    }
    return LAKE_OK;
}

static lake_status json_text(lake_buffer *out, const lake_json *json, lake_bytes *text, lake_error *err) {
    if (!json)
        return lake_fail_memory(err);
    lake_json_print(out, json, 0);
    *text = lake_bytes_of(lake_buffer_view(out));
    return lake_buffer_check(out, err);
}

static lake_status write_header(
    lake_manifest_writer *w, lake_buffer *avro_schema, lake_buffer *schema, lake_buffer *fields, lake_error *err) {
    const lake_manifest_write_options *o = &w->options;
    lake_layout_print_manifest(avro_schema, o->format_version, o->spec, w->types);
    LAKE_TRY(lake_buffer_check(avro_schema, err));
    lake_bytes schema_text, fields_text;
    LAKE_TRY(json_text(schema, lake_schema_write(&w->arena, o->schema), &schema_text, err));
    LAKE_TRY(json_text(fields, lake_spec_fields_write(&w->arena, o->spec), &fields_text, err));
    lake_str schema_id = lake_arena_printf(&w->arena, "%d", o->schema->id);
    lake_str spec_id = lake_arena_printf(&w->arena, "%d", o->spec->id);
    lake_str version = lake_arena_printf(&w->arena, "%d", o->format_version);
    if (!schema_id.ptr || !spec_id.ptr || !version.ptr)
        return lake_fail_memory(err);
    const lake_avro_meta_entry meta[] = {
        {"schema", schema_text},
        {"schema-id", lake_bytes_of(schema_id)},
        {"partition-spec", fields_text},
        {"partition-spec-id", lake_bytes_of(spec_id)},
        {"format-version", lake_bytes_of(version)},
        {"content", lake_bytes_of(lake_str_of(o->content ? "deletes" : "data"))},
    };
    size_t nmeta = sizeof meta / sizeof *meta - (o->format_version == 1);
    return lake_avro_writer_init(
        &w->avro, &w->out, o->codec, o->level, lake_buffer_view(avro_schema), meta, nmeta, err);
}

static lake_status open_writer(lake_manifest_writer *w, lake_error *err) {
    const lake_manifest_write_options *o = &w->options;
    if (o->format_version < 1 || o->format_version > 3)
        return lake_fail(
            err, LAKE_ERR_UNSUPPORTED, "format version %d: manifests are written for 1 to 3", o->format_version);
    if (o->content && o->format_version == 1)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "delete files do not exist in format version 1");
    LAKE_TRY(read_types(w, err));
    lake_buffer avro_schema, schema, fields;
    lake_buffer_init(&avro_schema);
    lake_buffer_init(&schema);
    lake_buffer_init(&fields);
    lake_status status = write_header(w, &avro_schema, &schema, &fields, err);
    lake_buffer_clear(&avro_schema);
    lake_buffer_clear(&schema);
    lake_buffer_clear(&fields);
    return status;
}

lake_status lake_manifest_writer_open(
    const lake_manifest_write_options *options, lake_manifest_writer **out, lake_error *err) {
    lake_manifest_writer *w = lake_mem_zalloc(1, sizeof *w);
    if (!w)
        return lake_fail_memory(err);
    w->options = *options;
    lake_arena_init(&w->arena, 0);
    lake_arena_init(&w->scratch, 0);
    lake_buffer_init(&w->out);
    lake_status status = open_writer(w, err);
    if (status != LAKE_OK) {
        lake_manifest_writer_close(w);
        return status;
    }
    *out = w;
    return LAKE_OK;
}

void lake_manifest_writer_close(lake_manifest_writer *w) {
    if (!w)
        return;
    for (size_t i = 0; i < w->nfields; i++)
        lake_summary_clear(&w->summaries[i]);
    lake_avro_writer_clear(&w->avro);
    lake_buffer_clear(&w->out);
    lake_arena_clear(&w->scratch);
    lake_arena_clear(&w->arena);
    lake_mem_free(w);
}

/* ---- checks */

static lake_status bad(const lake_entry *e, const char *what, lake_error *err) {
    return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: %s", LAKE_ARG(e->file_path), what);
}

static lake_status check_deletes(const lake_manifest_writer *w, const lake_entry *e, lake_error *err) {
    bool vector = e->has & LAKE_HAS_CONTENT_OFFSET;
    if (e->content == LAKE_CONTENT_EQUALITY_DELETES && e->nequality_ids == 0)
        return bad(e, "an equality delete file needs equality ids", err);
    if (vector && w->options.format_version < 3)
        return bad(e, "deletion vectors need format version 3", err);
    if (vector && (!(e->has & LAKE_HAS_CONTENT_SIZE) || !e->referenced_data_file.ptr))
        return bad(e, "a deletion vector needs its size and its data file", err);
    return LAKE_OK;
}

static lake_status check_entry(const lake_manifest_writer *w, const lake_entry *e, lake_error *err) {
    const uint32_t sequences = LAKE_HAS_SEQUENCE_NUMBER | LAKE_HAS_FILE_SEQUENCE_NUMBER;
    if (!e->file_path.ptr || !e->file_format.ptr)
        return lake_fail(err, LAKE_ERR_MALFORMED, "an entry without a path or a file format");
    if (e->status > LAKE_ENTRY_DELETED || e->content > LAKE_CONTENT_EQUALITY_DELETES)
        return bad(e, "unknown status or content", err);
    if ((e->content != LAKE_CONTENT_DATA) != (w->options.content != 0))
        return bad(e, "data files and delete files do not go into one manifest", err);
    if (w->options.format_version > 1 && e->status != LAKE_ENTRY_ADDED && (e->has & sequences) != sequences)
        return bad(e, "an existing or deleted file needs both of its sequence numbers", err);
    if (w->options.format_version == 1 && !(e->has & LAKE_HAS_SNAPSHOT_ID) && !w->options.has_snapshot_id)
        return bad(e, "a snapshot id is needed in format version 1", err);
    if (e->npartition != w->nfields)
        return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: %zu partition values for a spec of %zu fields",
            LAKE_ARG(e->file_path), e->npartition, w->nfields);
    return check_deletes(w, e, err);
}

/* Turns the partition values into keys of their types; this also widens or narrows decimals and reads uuids written as
 * text. */
static lake_status read_partition(lake_manifest_writer *w, const lake_entry *e, lake_error *err) {
    for (size_t i = 0; i < w->nfields; i++) {
        value *v = &w->values[i];
        v->state = LAKE_BOUND_NONE;
        if (e->partition[i].kind == LAKE_DATUM_NULL)
            continue;
        v->state = lake_value_from_datum(&w->scratch, &w->types[i], e->partition[i], &v->key);
        uint8_t fixed[16];
        bool fits = v->state != LAKE_BOUND_NONE;
        if (fits && w->types[i].id == LAKE_FIXED)
            fits = v->key.b.len == (size_t)w->types[i].length;
        if (fits && w->types[i].id == LAKE_DECIMAL)
            fits = lake_i128_to_be_fixed(v->key.i, fixed, (size_t)lake_decimal_fixed_size(w->types[i].precision));
        if (!fits)
            return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: the value of partition field %.*s does not fit its type",
                LAKE_ARG(e->file_path), LAKE_ARG(w->options.spec->fields[i].name));
    }
    return LAKE_OK;
}

/* ---- encoding */

static void put_null(lake_buffer *b) {
    lake_buffer_char(b, 0);
}

static void put_some(lake_buffer *b) {
    lake_buffer_char(b, 2);
} /* branch 1 of the union */

static void put_optional(lake_buffer *b, bool has, int64_t v) {
    lake_buffer_char(b, has ? 2 : 0);
    if (has)
        lake_avro_put_long(b, v);
}

static void put_optional_bytes(lake_buffer *b, lake_bytes v) {
    lake_buffer_char(b, v.ptr ? 2 : 0);
    if (v.ptr)
        lake_avro_put_bytes(b, v);
}

static uint8_t *raw_long(uint8_t *p, int64_t v) {
    uint64_t u = ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
    for (; u >= 0x80; u >>= 7)
        *p++ = (uint8_t)(u | 0x80);
    *p++ = (uint8_t)u;
    return p;
}

/* A map of counts: the member at `offset` of every column that has `bit`. */
static void put_counts(lake_buffer *b, const lake_entry *e, uint32_t bit, size_t offset) {
    int64_t n = 0;
    for (size_t i = 0; i < e->ncolumns; i++)
        n += (e->columns[i].has & bit) != 0;
    if (n == 0) {
        put_null(b);
        return;
    }
    if (!lake_buffer_reserve(b, 16 + 15 * (size_t)n))
        return;
    uint8_t *p = b->data + b->len;
    *p++ = 2;
    p = raw_long(p, n);
    for (size_t i = 0; i < e->ncolumns; i++) {
        const lake_column_metrics *c = &e->columns[i];
        if (!(c->has & bit))
            continue;
        int64_t v;
        memcpy(&v, (const char *)c + offset, sizeof v);
        p = raw_long(raw_long(p, c->id), v);
    }
    *p++ = 0;
    b->len = (size_t)(p - b->data);
}

static void put_bounds(lake_buffer *b, const lake_entry *e, bool upper) {
    int64_t n = 0;
    for (size_t i = 0; i < e->ncolumns; i++)
        n += (upper ? e->columns[i].upper.ptr : e->columns[i].lower.ptr) != NULL;
    if (n == 0) {
        put_null(b);
        return;
    }
    put_some(b);
    lake_avro_put_long(b, n);
    for (size_t i = 0; i < e->ncolumns; i++) {
        lake_bytes v = upper ? e->columns[i].upper : e->columns[i].lower;
        if (!v.ptr || !lake_buffer_reserve(b, 20 + v.len))
            continue;
        uint8_t *p = raw_long(raw_long(b->data + b->len, e->columns[i].id), (int64_t)v.len);
        if (v.len)
            memcpy(p, v.ptr, v.len);
        b->len = (size_t)(p - b->data) + v.len;
    }
    lake_avro_put_long(b, 0);
}

static void put_list(lake_buffer *b, const int64_t *longs, const int32_t *ints, size_t n) {
    if (n == 0) {
        put_null(b);
        return;
    }
    put_some(b);
    lake_avro_put_long(b, (int64_t)n);
    for (size_t i = 0; i < n; i++)
        lake_avro_put_long(b, longs ? longs[i] : ints[i]);
    lake_avro_put_long(b, 0);
}

static void put_value(lake_buffer *b, const lake_type *type, const value *v, lake_datum raw) {
    uint8_t fixed[16];
    if (v->state == LAKE_BOUND_NONE) {
        put_null(b);
        return;
    }
    put_some(b);
    double f = v->state == LAKE_BOUND_NAN ? raw.f : v->key.f;
    switch (type->id) {
    case LAKE_BOOLEAN: lake_buffer_char(b, v->key.i != 0); break;
    case LAKE_FLOAT: lake_avro_put_float(b, (float)f); break;
    case LAKE_DOUBLE: lake_avro_put_double(b, f); break;
    case LAKE_DECIMAL: {
        size_t n = (size_t)lake_decimal_fixed_size(type->precision);
        if (lake_i128_to_be_fixed(v->key.i, fixed, n))
            lake_buffer_put(b, fixed, n);
        break;
    }
    case LAKE_UUID:
    case LAKE_FIXED: lake_buffer_put(b, v->key.b.ptr, v->key.b.len); break;
    case LAKE_STRING:
    case LAKE_BINARY: lake_avro_put_bytes(b, v->key.b); break;
    default: lake_avro_put_long(b, (int64_t)v->key.i); break;
    }
}

static void put_partition(lake_manifest_writer *w, const lake_entry *e) {
    for (size_t i = 0; i < w->nfields; i++) {
        put_value(&w->avro.block, &w->types[i], &w->values[i], e->partition[i]);
        lake_summary_add(&w->summaries[i], w->values[i].state, w->values[i].key);
    }
}

static void put_data_file_field(lake_manifest_writer *w, const lake_entry *e, int32_t id) {
    lake_buffer *b = &w->avro.block;
    switch (id) {
    case LAKE_ID_CONTENT: lake_avro_put_long(b, e->content); break;
    case LAKE_ID_FILE_PATH: lake_avro_put_bytes(b, lake_bytes_of(e->file_path)); break;
    case LAKE_ID_FILE_FORMAT: lake_avro_put_bytes(b, lake_bytes_of(e->file_format)); break;
    case LAKE_ID_PARTITION: put_partition(w, e); break;
    case LAKE_ID_RECORD_COUNT: lake_avro_put_long(b, e->record_count); break;
    case LAKE_ID_FILE_SIZE: lake_avro_put_long(b, e->file_size); break;
    case LAKE_ID_BLOCK_SIZE: lake_avro_put_long(b, V1_BLOCK_SIZE); break;
    case LAKE_ID_COLUMN_SIZES: put_counts(b, e, LAKE_METRIC_SIZE, offsetof(lake_column_metrics, size)); break;
    case LAKE_ID_VALUE_COUNTS: put_counts(b, e, LAKE_METRIC_VALUES, offsetof(lake_column_metrics, values)); break;
    case LAKE_ID_NULL_COUNTS: put_counts(b, e, LAKE_METRIC_NULLS, offsetof(lake_column_metrics, nulls)); break;
    case LAKE_ID_NAN_COUNTS: put_counts(b, e, LAKE_METRIC_NANS, offsetof(lake_column_metrics, nans)); break;
    case LAKE_ID_LOWER_BOUNDS: put_bounds(b, e, false); break;
    case LAKE_ID_UPPER_BOUNDS: put_bounds(b, e, true); break;
    case LAKE_ID_KEY_METADATA: put_optional_bytes(b, e->key_metadata); break;
    case LAKE_ID_SPLIT_OFFSETS: put_list(b, e->split_offsets, NULL, e->nsplit_offsets); break;
    case LAKE_ID_EQUALITY_IDS: put_list(b, NULL, e->equality_ids, e->nequality_ids); break;
    case LAKE_ID_SORT_ORDER_ID: put_optional(b, e->has & LAKE_HAS_SORT_ORDER_ID, e->sort_order_id); break;
    case LAKE_ID_FIRST_ROW_ID:
        put_optional(b, e->content == LAKE_CONTENT_DATA && (e->has & LAKE_HAS_FIRST_ROW_ID), e->first_row_id);
        break;
    case LAKE_ID_REFERENCED_DATA_FILE: put_optional_bytes(b, lake_bytes_of(e->referenced_data_file)); break;
    case LAKE_ID_CONTENT_OFFSET: put_optional(b, e->has & LAKE_HAS_CONTENT_OFFSET, e->content_offset); break;
    case LAKE_ID_CONTENT_SIZE: put_optional(b, e->has & LAKE_HAS_CONTENT_SIZE, e->content_size); break;
    }
}

static void put_entry_field(lake_manifest_writer *w, const lake_entry *e, int32_t id) {
    lake_buffer *b = &w->avro.block;
    int version = w->options.format_version;
    bool own = e->has & LAKE_HAS_SNAPSHOT_ID;
    switch (id) {
    case LAKE_ID_STATUS: lake_avro_put_long(b, e->status); break;
    case LAKE_ID_SNAPSHOT_ID:
        if (version == 1)
            lake_avro_put_long(b, own ? e->snapshot_id : w->options.snapshot_id);
        else
            put_optional(b, own, e->snapshot_id);
        break;
    case LAKE_ID_SEQUENCE_NUMBER: put_optional(b, e->has & LAKE_HAS_SEQUENCE_NUMBER, e->sequence_number); break;
    case LAKE_ID_FILE_SEQUENCE_NUMBER:
        put_optional(b, e->has & LAKE_HAS_FILE_SEQUENCE_NUMBER, e->file_sequence_number);
        break;
    case LAKE_ID_DATA_FILE:
        for (size_t i = 0; i < lake_layout_data_file.nfields; i++)
            if (lake_layout_data_file.fields[i].written >> version & 1)
                put_data_file_field(w, e, lake_layout_data_file.fields[i].id);
        break;
    }
}

static void count(lake_manifest_writer *w, const lake_entry *e) {
    w->files[e->status]++;
    if (e->record_count > 0)
        w->rows[e->status] += e->record_count;
    if (e->status == LAKE_ENTRY_DELETED || !(e->has & LAKE_HAS_SEQUENCE_NUMBER))
        return;
    if (!w->has_min_sequence || e->sequence_number < w->min_sequence)
        w->min_sequence = e->sequence_number;
    w->has_min_sequence = true;
}

lake_status lake_manifest_writer_add(lake_manifest_writer *w, const lake_entry *e, lake_error *err) {
    LAKE_TRY(check_entry(w, e, err));
    lake_arena_reset(&w->scratch);
    LAKE_TRY(read_partition(w, e, err));
    for (size_t i = 0; i < lake_layout_entry.nfields; i++)
        if (lake_layout_entry.fields[i].written >> w->options.format_version & 1)
            put_entry_field(w, e, lake_layout_entry.fields[i].id);
    count(w, e);
    return lake_avro_writer_object(&w->avro, err);
}

uint64_t lake_manifest_writer_size(const lake_manifest_writer *w) {
    return w->out.len + (w->options.codec == LAKE_CODEC_NONE ? w->avro.block.len : w->avro.block.len / 8);
}

/* ---- the end */

static lake_status summarise(lake_manifest_writer *w, lake_arena *arena, lake_manifest_file *line, lake_error *err) {
    lake_field_summary *out = LAKE_ARENA_ARRAY(arena, lake_field_summary, w->nfields);
    if (!out)
        return lake_fail_memory(err);
    for (size_t i = 0; i < w->nfields; i++)
        LAKE_TRY(lake_summary_finish(&w->summaries[i], &w->types[i], arena, &out[i], err));
    line->partitions = out;
    line->npartitions = w->nfields;
    line->has |= LAKE_HAS_PARTITIONS;
    return LAKE_OK;
}

lake_status lake_manifest_writer_finish(
    lake_manifest_writer *w, lake_arena *arena, lake_bytes *bytes, lake_manifest_file *line, lake_error *err) {
    LAKE_TRY(lake_avro_writer_finish(&w->avro, err));
    *bytes = lake_bytes_of(lake_buffer_view(&w->out));
    *line = (lake_manifest_file){
        .length = (int64_t)bytes->len,
        .spec_id = w->options.spec->id,
        .content = w->options.content,
        .has = LAKE_HAS_ADDED_FILES | LAKE_HAS_EXISTING_FILES | LAKE_HAS_DELETED_FILES | LAKE_HAS_ADDED_ROWS |
            LAKE_HAS_EXISTING_ROWS | LAKE_HAS_DELETED_ROWS | (w->options.has_snapshot_id ? LAKE_HAS_SNAPSHOT_ID : 0),
        .sequence_number = w->options.format_version == 1 ? 0 : -1,
        .min_sequence_number = w->options.format_version == 1 ? 0
            : w->has_min_sequence                             ? w->min_sequence
                                                              : -1,
        .added_snapshot_id = w->options.snapshot_id,
        .added_files = w->files[LAKE_ENTRY_ADDED],
        .existing_files = w->files[LAKE_ENTRY_EXISTING],
        .deleted_files = w->files[LAKE_ENTRY_DELETED],
        .added_rows = w->rows[LAKE_ENTRY_ADDED],
        .existing_rows = w->rows[LAKE_ENTRY_EXISTING],
        .deleted_rows = w->rows[LAKE_ENTRY_DELETED],
    };
    return summarise(w, arena, line, err);
}
