/* Manifests, manifest lists and other Avro files as {header, entries}. Fields that the spec numbers get the spec's
   name, since some writers have other ones (spec.md, 504 to 506, were added_data_files_count once). */
#include "manifest/slots.h"
#include "reader/dump_internal.h"

enum { RENAME_DEPTH = 4 };

/* A copy of a type in which known fields have the spec's names; what lies deep stays as it is. */
static const lake_avro_type *rename_type(lake_arena *arena, const lake_avro_type *type, int depth) {
    bool record = type->kind == LAKE_AVRO_RECORD,
         inner = type->kind == LAKE_AVRO_UNION || type->kind == LAKE_AVRO_ARRAY;
    if (depth > RENAME_DEPTH || (!record && !inner))
        return type;
    lake_avro_type *copy = LAKE_ARENA_NEW(arena, lake_avro_type);
    lake_avro_field *fields = LAKE_ARENA_ARRAY(arena, lake_avro_field, record ? type->count : 0);
    const lake_avro_type **branches = LAKE_ARENA_ARRAY(arena, const lake_avro_type *, inner ? type->count : 0);
    if (!copy || !fields || !branches)
        return NULL;
    *copy = *type;
    for (size_t i = 0; i < type->count; i++) {
        const lake_avro_type **part = &branches[inner ? i : 0];
        if (record) {
            fields[i] = type->fields[i];
            const char *name = fields[i].id >= 0 ? lake_slot_name(fields[i].id) : NULL;
            if (name)
                fields[i].name = lake_str_of(name);
            part = &fields[i].type;
        } else {
            *part = type->branches[i];
        }
        *part = rename_type(arena, *part, depth + 1);
        if (!*part)
            return NULL;
    }
    if (record)
        copy->fields = fields;
    else
        copy->branches = branches;
    return copy;
}

/* Is it a manifest or a list? Data files have ids of their own. */
static bool is_metadata(const lake_avro_reader *r) {
    const lake_avro_type *t = r->schema;
    bool status = false, data_file = false, path = false;
    for (size_t i = 0; t->kind == LAKE_AVRO_RECORD && i < t->count; i++) {
        status |= t->fields[i].id == 0;
        data_file |= t->fields[i].id == 2 && t->fields[i].type->kind == LAKE_AVRO_RECORD;
        path |= t->fields[i].id == 500;
    }
    return path || (status && data_file);
}

static lake_status put_header(lake_arena *arena, const lake_avro_reader *r, lake_dump_out *out, lake_error *err) {
    static const char *const documents[] = {"avro.schema", "schema", "partition-spec"};
    lake_buffer *b = &out->piece;
    lake_buffer_puts(b, "{\"header\":{");
    for (size_t i = 0; i < r->nmeta; i++) {
        lake_str text = r->meta[i].value->text;
        lake_json *json = NULL;
        for (size_t k = 0; k < sizeof documents / sizeof *documents; k++)
            if (lake_str_is(r->meta[i].name, documents[k]) &&
                lake_json_parse(arena, text, NULL, &json, NULL) == LAKE_ERR_NO_MEMORY)
                return lake_fail_memory(err);
        if (i)
            lake_buffer_char(b, ',');
        lake_json_quote(b, r->meta[i].name);
        lake_buffer_char(b, ':');
        if (json)
            lake_json_print(b, json, 0);
        else
            lake_json_quote(b, text);
    }
    lake_buffer_puts(b, "},\"entries\":[");
    return lake_dump_flush(out, err);
}

typedef struct blocks {
    lake_avro_reader avro;
    const lake_avro_type *type;
    lake_codec_scratch *scratch;
    lake_buffer decoded;
    uint64_t number;
} blocks;

static lake_status put_block(blocks *b, lake_cursor *objects, uint64_t count, lake_dump_out *out, lake_error *err) {
    for (; count > 0; count--, b->number++) {
        if (b->number)
            lake_buffer_char(&out->piece, ',');
        LAKE_TRY_WRAP(lake_avro_to_json(objects, b->type, 0, &out->piece, err), err, "block %zu: entry %llu",
            b->avro.block, (unsigned long long)b->number);
        LAKE_TRY(lake_dump_flush(out, err));
    }
    if (lake_cursor_left(objects))
        return lake_fail(err, LAKE_ERR_MALFORMED, "block %zu: %zu bytes are left after its last entry", b->avro.block,
            lake_cursor_left(objects));
    return LAKE_OK;
}

static lake_status put_blocks(blocks *b, lake_dump_out *out, lake_error *err) {
    for (;;) {
        bool more;
        uint64_t count;
        lake_cursor objects;
        LAKE_TRY(lake_avro_next_block(&b->avro, b->scratch, &b->decoded, &more, &count, &objects, err));
        if (!more)
            break;
        LAKE_TRY(put_block(b, &objects, count, out, err));
    }
    lake_buffer_puts(&out->piece, "]}");
    return LAKE_OK;
}

lake_status lake_dump_avro(lake_arena *arena, lake_bytes data, lake_dump_out *out, lake_error *err) {
    blocks b = {0};
    LAKE_TRY(lake_avro_open(arena, data, &b.avro, err));
    b.type = is_metadata(&b.avro) ? rename_type(arena, b.avro.schema, 0) : b.avro.schema;
    b.scratch = b.type ? lake_codec_scratch_new() : NULL;
    if (!b.scratch)
        return lake_fail_memory(err);
    lake_status s = put_header(arena, &b.avro, out, err);
    if (s == LAKE_OK)
        s = put_blocks(&b, out, err);
    lake_buffer_clear(&b.decoded);
    lake_codec_scratch_free(b.scratch);
    return s;
}
