/* Writes manifest lists of spec versions 1 to 3 (spec.md, "Manifest Lists", "First Row ID Assignment"). */
#include <stdio.h>

#include "manifest/encode.h"

static void put_summaries(lake_buffer *b, const lake_manifest_file *m) {
    bool has = m->has & LAKE_HAS_PARTITIONS;
    lake_buffer_char(b, has ? 2 : 0);
    if (!has)
        return;
    if (m->npartitions)
        lake_avro_put_long(b, (int64_t)m->npartitions);
    for (size_t i = 0; i < m->npartitions; i++) {
        const lake_field_summary *s = &m->partitions[i];
        lake_buffer_char(b, s->contains_null);
        lake_buffer_char(b, s->contains_nan < 0 ? 0 : 2);
        if (s->contains_nan >= 0)
            lake_buffer_char(b, (char)s->contains_nan);
        lake_encode_optional_bytes(b, s->lower);
        lake_encode_optional_bytes(b, s->upper);
    }
    lake_avro_put_long(b, 0);
}

/* A count is required from v2 on; a line of a v1 list may lack it. */
static void put_count(lake_buffer *b, int version, bool has, int64_t v) {
    if (version == 1)
        lake_encode_optional(b, has, v);
    else
        lake_avro_put_long(b, v);
}

static void put_field(lake_buffer *b, int version, const lake_manifest_file *m, int32_t id) {
    uint32_t has = m->has;
    switch (id) {
    case LAKE_ID_MANIFEST_PATH: lake_avro_put_bytes(b, lake_bytes_of(m->path)); break;
    case LAKE_ID_MANIFEST_LENGTH: lake_avro_put_long(b, m->length); break;
    case LAKE_ID_SPEC_ID: lake_avro_put_long(b, m->spec_id); break;
    case LAKE_ID_MANIFEST_CONTENT: lake_avro_put_long(b, m->content); break;
    case LAKE_ID_LIST_SEQUENCE_NUMBER: lake_avro_put_long(b, m->sequence_number); break;
    case LAKE_ID_MIN_SEQUENCE_NUMBER: lake_avro_put_long(b, m->min_sequence_number); break;
    case LAKE_ID_ADDED_SNAPSHOT_ID: lake_avro_put_long(b, m->added_snapshot_id); break;
    case LAKE_ID_ADDED_FILES: put_count(b, version, has & LAKE_HAS_ADDED_FILES, m->added_files); break;
    case LAKE_ID_EXISTING_FILES: put_count(b, version, has & LAKE_HAS_EXISTING_FILES, m->existing_files); break;
    case LAKE_ID_DELETED_FILES: put_count(b, version, has & LAKE_HAS_DELETED_FILES, m->deleted_files); break;
    case LAKE_ID_ADDED_ROWS: put_count(b, version, has & LAKE_HAS_ADDED_ROWS, m->added_rows); break;
    case LAKE_ID_EXISTING_ROWS: put_count(b, version, has & LAKE_HAS_EXISTING_ROWS, m->existing_rows); break;
    case LAKE_ID_DELETED_ROWS: put_count(b, version, has & LAKE_HAS_DELETED_ROWS, m->deleted_rows); break;
    case LAKE_ID_PARTITIONS: put_summaries(b, m); break;
    case LAKE_ID_LIST_KEY_METADATA: lake_encode_optional_bytes(b, m->key_metadata); break;
    case LAKE_ID_LIST_FIRST_ROW_ID: lake_encode_optional(b, has & LAKE_HAS_FIRST_ROW_ID, m->first_row_id); break;
    }
}

static lake_status check_line(const lake_manifest_list_options *o, const lake_manifest_file *m, lake_error *err) {
    const uint32_t counts = LAKE_HAS_ADDED_FILES | LAKE_HAS_EXISTING_FILES | LAKE_HAS_DELETED_FILES |
        LAKE_HAS_ADDED_ROWS | LAKE_HAS_EXISTING_ROWS | LAKE_HAS_DELETED_ROWS;
    if (!m->path.ptr)
        return lake_fail(err, LAKE_ERR_MALFORMED, "a manifest without a path");
    if (o->format_version > 1 && (m->has & counts) != counts)
        return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: its counts are not known, but format version %d requires them",
            LAKE_ARG(m->path), o->format_version);
    if (o->format_version == 1 && m->content)
        return lake_fail(
            err, LAKE_ERR_MALFORMED, "%.*s: delete manifests do not exist in format version 1", LAKE_ARG(m->path));
    return LAKE_OK;
}

/* The line as it is written: what was left open is taken from the snapshot. Delete manifests never have a first row id.
 */
static lake_manifest_file complete(
    const lake_manifest_list_options *o, const lake_manifest_file *given, int64_t *next_row_id) {
    lake_manifest_file m = *given;
    if (!(m.has & LAKE_HAS_SNAPSHOT_ID))
        m.added_snapshot_id = o->snapshot_id;
    if (m.sequence_number < 0)
        m.sequence_number = o->sequence_number;
    if (m.min_sequence_number < 0)
        m.min_sequence_number = m.sequence_number;
    if (m.content)
        m.has &= ~(uint32_t)LAKE_HAS_FIRST_ROW_ID;
    else if (o->has_first_row_id && !(m.has & LAKE_HAS_FIRST_ROW_ID)) {
        m.has |= LAKE_HAS_FIRST_ROW_ID;
        m.first_row_id = *next_row_id;
        *next_row_id = lake_total_add(lake_total_add(*next_row_id, m.added_rows), m.existing_rows);
    }
    return m;
}

static lake_status write_lines(lake_avro_writer *w, const lake_manifest_list_options *o,
    const lake_manifest_file *lines, size_t n, int64_t *next_row_id, lake_error *err) {
    for (size_t i = 0; i < n; i++) {
        LAKE_TRY(check_line(o, &lines[i], err));
        lake_manifest_file m = complete(o, &lines[i], next_row_id);
        for (size_t f = 0; f < lake_layout_list.nfields; f++)
            if (lake_layout_list.fields[f].written >> o->format_version & 1)
                put_field(&w->block, o->format_version, &m, lake_layout_list.fields[f].id);
        LAKE_TRY(lake_avro_writer_object(w, err));
    }
    return lake_avro_writer_finish(w, err);
}

/* The header's members: numbers as text; no parent is "null", as the official library writes it. */
static size_t list_meta(const lake_manifest_list_options *o, char text[5][24], lake_avro_meta_entry meta[5]) {
    size_t n = 0;
    const struct {
        const char *key;
        bool written, known;
        int64_t value;
    } members[] = {
        {"snapshot-id", true, true, o->snapshot_id},
        {"parent-snapshot-id", true, o->has_parent, o->parent_snapshot_id},
        {"sequence-number", o->format_version > 1, true, o->sequence_number},
        {"first-row-id", o->format_version > 2 && o->has_first_row_id, true, o->first_row_id},
        {"format-version", true, true, o->format_version},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (!members[i].written)
            continue;
        if (members[i].known)
            snprintf(text[n], sizeof text[n], "%lld", (long long)members[i].value);
        else
            strcpy(text[n], "null");
        meta[n] = (lake_avro_meta_entry){members[i].key, lake_bytes_of(lake_str_of(text[n]))};
        n++;
    }
    return n;
}

lake_status lake_manifest_list_write(const lake_manifest_list_options *options, const lake_manifest_file *lines,
    size_t n, lake_buffer *out, int64_t *next_row_id, lake_error *err) {
    if (options->format_version < 1 || options->format_version > 3)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "format version %d: manifest lists are written for 1 to 3",
            options->format_version);
    char text[5][24];
    lake_avro_meta_entry meta[5];
    size_t nmeta = list_meta(options, text, meta);
    int64_t next = options->first_row_id;
    lake_buffer schema;
    lake_buffer_init(&schema);
    lake_layout_print_list(&schema, options->format_version);
    lake_avro_writer w = {0};
    lake_status status = lake_buffer_check(&schema, err);
    if (status == LAKE_OK)
        status =
            lake_avro_writer_init(&w, out, options->codec, options->level, lake_buffer_view(&schema), meta, nmeta, err);
    if (status == LAKE_OK)
        status = write_lines(&w, options, lines, n, &next, err);
    lake_avro_writer_clear(&w);
    lake_buffer_clear(&schema);
    if (status == LAKE_OK && next_row_id)
        *next_row_id = next;
    return status;
}
