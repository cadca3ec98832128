/* What an entry must be before it is written (spec.md, "Manifest Entry Fields", "Data File Fields", "Sequence Number
   Inheritance"). */
#include "manifest/encode.h"

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

static lake_status read_partition(lake_manifest_writer *w, const lake_entry *e, lake_error *err) {
    for (size_t i = 0; i < w->nfields; i++) {
        lake_encode_value *v = &w->values[i];
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

lake_status lake_encode_check(lake_manifest_writer *w, const lake_entry *e, lake_error *err) {
    LAKE_TRY(check_entry(w, e, err));
    lake_arena_reset(&w->scratch);
    return read_partition(w, e, err);
}
