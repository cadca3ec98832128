/* The list's line for a manifest that exists already, from its entries. */
#include "manifest/layout.h"
#include "manifest/summary.h"
#include "writer/manifest_files.h"

typedef struct tally {
    lake_arena scratch;
    const lake_spec *spec;
    lake_type *types;
    lake_summary *summaries;
    size_t nfields;
    int64_t files[3], rows[3];
    bool has_min;
    int64_t min;
} tally;

static lake_status init(tally *t, lake_arena *arena, const lake_schema *schema, lake_error *err) {
    t->types = LAKE_ARENA_ARRAY(arena, lake_type, t->spec->nfields);
    t->summaries = LAKE_ARENA_ARRAY(arena, lake_summary, t->spec->nfields);
    if (!t->types || !t->summaries)
        return lake_fail_memory(err);
    for (size_t i = 0; i < t->spec->nfields; i++) {
        t->types[i] = lake_layout_partition_type(schema, &t->spec->fields[i]);
        lake_summary_init(&t->summaries[i], lake_type_kind(&t->types[i]));
        t->nfields = i + 1;
    }
    return LAKE_OK;
}

static lake_status add(tally *t, const lake_entry *e, lake_error *err) {
    if (e->status > LAKE_ENTRY_DELETED)
        return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: unknown status %d", LAKE_ARG(e->file_path), (int)e->status);
    if (e->npartition != t->nfields)
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "%.*s: its partition has %zu fields, but partition spec %d of the table has %zu: is this another table's "
            "manifest?",
            LAKE_ARG(e->file_path), (size_t)e->npartition, (int)t->spec->id, (size_t)t->nfields);
    t->files[e->status]++;
    t->rows[e->status] = lake_total_add(t->rows[e->status], e->record_count);
    if (e->status != LAKE_ENTRY_DELETED && (e->has & LAKE_HAS_SEQUENCE_NUMBER)) {
        t->min = t->has_min && t->min < e->sequence_number ? t->min : e->sequence_number;
        t->has_min = true;
    }
    lake_arena_reset(&t->scratch);
    for (size_t i = 0; i < t->nfields; i++) {
        lake_key key = {0};
        lake_bound_state state = LAKE_BOUND_NONE;
        bool null = e->partition[i].kind == LAKE_DATUM_NULL;
        if (!null)
            state = lake_value_from_datum(&t->scratch, &t->types[i], e->partition[i], &key);
        if (!null && state == LAKE_BOUND_NONE)
            return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: the value of partition field %.*s does not fit its type",
                LAKE_ARG(e->file_path), LAKE_ARG(t->spec->fields[i].name));
        lake_summary_add(&t->summaries[i], state, key);
    }
    return LAKE_OK;
}

static lake_status fill(const tally *t, lake_arena *arena, lake_manifest_file *out, lake_error *err) {
    lake_field_summary *summaries = LAKE_ARENA_ARRAY(arena, lake_field_summary, t->nfields);
    if (!summaries)
        return lake_fail_memory(err);
    for (size_t i = 0; i < t->nfields; i++)
        LAKE_TRY(lake_summary_finish(&t->summaries[i], &t->types[i], arena, &summaries[i], err));
    out->has = LAKE_HAS_ADDED_FILES | LAKE_HAS_EXISTING_FILES | LAKE_HAS_DELETED_FILES | LAKE_HAS_ADDED_ROWS |
        LAKE_HAS_EXISTING_ROWS | LAKE_HAS_DELETED_ROWS | LAKE_HAS_PARTITIONS;
    out->added_files = t->files[LAKE_ENTRY_ADDED];
    out->existing_files = t->files[LAKE_ENTRY_EXISTING];
    out->deleted_files = t->files[LAKE_ENTRY_DELETED];
    out->added_rows = t->rows[LAKE_ENTRY_ADDED];
    out->existing_rows = t->rows[LAKE_ENTRY_EXISTING];
    out->deleted_rows = t->rows[LAKE_ENTRY_DELETED];
    out->partitions = summaries;
    out->npartitions = t->nfields;
    return LAKE_OK;
}

static lake_status read_entries(lake_manifest_reader *reader, tally *t, lake_error *err) {
    const lake_entry *e;
    for (;;) {
        LAKE_TRY(lake_manifest_next(reader, &e, err));
        if (!e)
            return LAKE_OK;
        LAKE_TRY(add(t, e, err));
    }
}

static lake_status read_reader(lake_manifest_reader *reader, lake_arena *arena, const lake_metadata *metadata,
    lake_manifest_file *out, lake_error *err) {
    const lake_manifest_header *h = lake_manifest_header_of(reader);
    out->spec_id = h->spec_id;
    out->content = h->content;
    tally t = {.spec = lake_metadata_spec(metadata, h->spec_id)};
    if (!t.spec)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the table has no partition spec %d", h->spec_id);
    lake_arena_init(&t.scratch, 0);
    lake_status status = init(&t, arena, metadata->schema, err);
    if (status == LAKE_OK)
        status = read_entries(reader, &t, err);
    if (status == LAKE_OK)
        status = fill(&t, arena, out, err);
    out->sequence_number = h->format_version == 1 ? 0 : -1;
    out->min_sequence_number = h->format_version == 1 ? 0 : t.has_min ? t.min : -1;
    for (size_t i = 0; i < t.nfields; i++)
        lake_summary_clear(&t.summaries[i]);
    lake_arena_clear(&t.scratch);
    return status;
}

lake_status lake_manifest_line_read(const lake_store *store, lake_arena *arena, const lake_metadata *metadata,
    lake_str location, lake_manifest_file *out, lake_error *err) {
    const lake_manifest_want want = {.all_columns = false};
    lake_manifest_reader *reader;
    uint64_t size;
    *out = (lake_manifest_file){.path = lake_arena_str(arena, location.ptr, location.len)};
    if (!out->path.ptr)
        return lake_fail_memory(err);
    LAKE_TRY(lake_store_size(store, location, &size, err));
    out->length = (int64_t)size;
    LAKE_TRY(lake_manifest_open(store, location, NULL, NULL, &want, NULL, &reader, err));
    lake_status status = read_reader(reader, arena, metadata, out, err);
    lake_manifest_close(reader);
    return lake_wrap(err, status, "%.*s", LAKE_ARG(location));
}

lake_status lake_manifest_line_complete(const lake_store *store, lake_arena *arena, const lake_metadata *metadata,
    lake_manifest_file *line, lake_error *err) {
    const uint32_t counts = LAKE_HAS_ADDED_FILES | LAKE_HAS_EXISTING_FILES | LAKE_HAS_DELETED_FILES |
        LAKE_HAS_ADDED_ROWS | LAKE_HAS_EXISTING_ROWS | LAKE_HAS_DELETED_ROWS;
    if ((line->has & counts) == counts)
        return LAKE_OK;
    lake_manifest_file known;
    LAKE_TRY(lake_manifest_line_read(store, arena, metadata, line->path, &known, err));
    line->has |= counts;
    line->added_files = known.added_files;
    line->existing_files = known.existing_files;
    line->deleted_files = known.deleted_files;
    line->added_rows = known.added_rows;
    line->existing_rows = known.existing_rows;
    line->deleted_rows = known.deleted_rows;
    return LAKE_OK;
}
