/* An entry as Avro. Nothing is allocated once the buffers have grown. */
#include <stddef.h>

#include "manifest/encode.h"

enum { V1_BLOCK_SIZE = 64 * 1024 * 1024 }; /* what every writer puts into v1's deprecated block_size_in_bytes */

static void put_null(lake_buffer *b) {
    lake_buffer_char(b, 0);
}

static void put_some(lake_buffer *b) {
    lake_buffer_char(b, 2);
} /* branch 1 of the union */

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

static void put_value(lake_buffer *b, const lake_type *type, const lake_encode_value *v, lake_datum raw) {
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
        lake_summary_add(&w->tally.summaries[i], w->values[i].state, w->values[i].key);
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
    case LAKE_ID_KEY_METADATA: lake_encode_optional_bytes(b, e->key_metadata); break;
    case LAKE_ID_SPLIT_OFFSETS: put_list(b, e->split_offsets, NULL, e->nsplit_offsets); break;
    case LAKE_ID_EQUALITY_IDS: put_list(b, NULL, e->equality_ids, e->nequality_ids); break;
    case LAKE_ID_SORT_ORDER_ID: lake_encode_optional(b, e->has & LAKE_HAS_SORT_ORDER_ID, e->sort_order_id); break;
    case LAKE_ID_FIRST_ROW_ID:
        lake_encode_optional(b, e->content == LAKE_CONTENT_DATA && (e->has & LAKE_HAS_FIRST_ROW_ID), e->first_row_id);
        break;
    case LAKE_ID_REFERENCED_DATA_FILE: lake_encode_optional_bytes(b, lake_bytes_of(e->referenced_data_file)); break;
    case LAKE_ID_CONTENT_OFFSET: lake_encode_optional(b, e->has & LAKE_HAS_CONTENT_OFFSET, e->content_offset); break;
    case LAKE_ID_CONTENT_SIZE: lake_encode_optional(b, e->has & LAKE_HAS_CONTENT_SIZE, e->content_size); break;
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
            lake_encode_optional(b, own, e->snapshot_id);
        break;
    case LAKE_ID_SEQUENCE_NUMBER: lake_encode_optional(b, e->has & LAKE_HAS_SEQUENCE_NUMBER, e->sequence_number); break;
    case LAKE_ID_FILE_SEQUENCE_NUMBER:
        lake_encode_optional(b, e->has & LAKE_HAS_FILE_SEQUENCE_NUMBER, e->file_sequence_number);
        break;
    case LAKE_ID_DATA_FILE:
        for (size_t i = 0; i < lake_layout_data_file.nfields; i++)
            if (lake_layout_data_file.fields[i].written >> version & 1)
                put_data_file_field(w, e, lake_layout_data_file.fields[i].id);
        break;
    }
}

void lake_encode_entry(lake_manifest_writer *w, const lake_entry *e) {
    for (size_t i = 0; i < lake_layout_entry.nfields; i++)
        if (lake_layout_entry.fields[i].written >> w->options.format_version & 1)
            put_entry_field(w, e, lake_layout_entry.fields[i].id);
}
