/* Writes manifests of spec versions 1 to 3 (spec.md, "Manifests"): the header, entries one by one, and the line for a
 * list. */
#include "manifest/encode.h"

static lake_status read_types(lake_manifest_writer *w, lake_error *err) {
    const lake_spec *spec = w->options.spec;
    w->types = LAKE_ARENA_ARRAY(&w->arena, lake_type, spec->nfields);
    w->values = LAKE_ARENA_ARRAY(&w->arena, lake_encode_value, spec->nfields);
    if (!w->types || !w->values)
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
        w->nfields = i + 1;
    }
    return lake_encode_tally_init(w, &w->arena, &w->tally, err);
}

lake_status lake_encode_tally_init(
    const lake_manifest_writer *w, lake_arena *arena, lake_encode_tally *out, lake_error *err) {
    *out = (lake_encode_tally){.summaries = LAKE_ARENA_ARRAY(arena, lake_summary, w->nfields)};
    if (!out->summaries)
        return lake_fail_memory(err);
    for (size_t i = 0; i < w->nfields; i++)
        lake_summary_init(&out->summaries[i], lake_type_kind(&w->types[i]));
    return LAKE_OK;
}

void lake_encode_tally_clear(lake_encode_tally *tally, size_t nfields) {
    for (size_t i = 0; tally->summaries && i < nfields; i++)
        lake_summary_clear(&tally->summaries[i]);
}

void lake_encode_tally_move(lake_encode_tally *to, lake_encode_tally *from, size_t nfields) {
    for (int i = 0; i < 3; i++) {
        to->files[i] += from->files[i];
        to->rows[i] = lake_total_add(to->rows[i], from->rows[i]);
        from->files[i] = from->rows[i] = 0;
    }
    if (from->has_min_sequence && (!to->has_min_sequence || from->min_sequence < to->min_sequence))
        to->min_sequence = from->min_sequence;
    to->has_min_sequence |= from->has_min_sequence;
    from->has_min_sequence = false;
    for (size_t i = 0; i < nfields; i++)
        lake_summary_move(&to->summaries[i], &from->summaries[i]);
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

/* Most of a manifest is numbers and paths that differ little: the second level takes off what it can be made to lose,
   in a third of the time of the codec's own default. */
static int level_of(const lake_manifest_write_options *o) {
    enum { DEFLATE_LEVEL = 2 };
    return o->codec == LAKE_CODEC_DEFLATE && o->level < 0 ? DEFLATE_LEVEL : o->level;
}

static lake_status check_options(const lake_manifest_write_options *o, lake_error *err) {
    if (o->format_version < 1 || o->format_version > 3)
        return lake_fail(
            err, LAKE_ERR_UNSUPPORTED, "format version %d: manifests are written for 1 to 3", o->format_version);
    if (o->content && o->format_version == 1)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "delete files do not exist in format version 1");
    return LAKE_OK;
}

static lake_status begin_file(lake_manifest_writer *w, lake_error *err) {
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

static lake_status open_writer(
    const lake_manifest_write_options *options, bool header, lake_manifest_writer **out, lake_error *err) {
    lake_manifest_writer *w = lake_mem_zalloc(1, sizeof *w);
    if (!w)
        return lake_fail_memory(err);
    w->options = *options;
    w->options.level = level_of(options);
    lake_arena_init(&w->arena, 0);
    lake_arena_init(&w->scratch, 0);
    lake_buffer_init(&w->out);
    lake_status status = check_options(options, err);
    if (status == LAKE_OK)
        status = read_types(w, err);
    if (status == LAKE_OK)
        status = header ? begin_file(w, err) : lake_avro_writer_blocks(&w->avro, options->codec, w->options.level, err);
    if (status != LAKE_OK) {
        lake_manifest_writer_close(w);
        return status;
    }
    *out = w;
    return LAKE_OK;
}

lake_status lake_manifest_writer_open(
    const lake_manifest_write_options *options, lake_manifest_writer **out, lake_error *err) {
    return open_writer(options, true, out, err);
}

lake_status lake_encode_blocks_open(
    const lake_manifest_write_options *options, lake_manifest_writer **out, lake_error *err) {
    return open_writer(options, false, out, err);
}

void lake_manifest_writer_close(lake_manifest_writer *w) {
    if (!w)
        return;
    lake_encode_tally_clear(&w->tally, w->nfields);
    lake_avro_writer_clear(&w->avro);
    lake_buffer_clear(&w->out);
    lake_arena_clear(&w->scratch);
    lake_arena_clear(&w->arena);
    lake_mem_free(w);
}

static void count(lake_encode_tally *t, const lake_entry *e) {
    t->files[e->status]++;
    t->rows[e->status] = lake_total_add(t->rows[e->status], e->record_count);
    if (e->status == LAKE_ENTRY_DELETED || !(e->has & LAKE_HAS_SEQUENCE_NUMBER))
        return;
    if (!t->has_min_sequence || e->sequence_number < t->min_sequence)
        t->min_sequence = e->sequence_number;
    t->has_min_sequence = true;
}

lake_status lake_encode_add(lake_manifest_writer *w, const lake_entry *e, lake_error *err) {
    LAKE_TRY(lake_encode_check(w, e, err));
    lake_encode_entry(w, e);
    count(&w->tally, e);
    return LAKE_OK;
}

lake_status lake_manifest_writer_add(lake_manifest_writer *w, const lake_entry *e, lake_error *err) {
    LAKE_TRY(lake_encode_add(w, e, err));
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
        LAKE_TRY(lake_summary_finish(&w->tally.summaries[i], &w->types[i], arena, &out[i], err));
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
            : w->tally.has_min_sequence                       ? w->tally.min_sequence
                                                              : -1,
        .added_snapshot_id = w->options.snapshot_id,
        .added_files = w->tally.files[LAKE_ENTRY_ADDED],
        .existing_files = w->tally.files[LAKE_ENTRY_EXISTING],
        .deleted_files = w->tally.files[LAKE_ENTRY_DELETED],
        .added_rows = w->tally.rows[LAKE_ENTRY_ADDED],
        .existing_rows = w->tally.rows[LAKE_ENTRY_EXISTING],
        .deleted_rows = w->tally.rows[LAKE_ENTRY_DELETED],
    };
    return summarise(w, arena, line, err);
}
