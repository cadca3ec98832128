/* Statistics of ORC data files: what the footer proves. Rows are not read. */
#include <stdlib.h>

#include "reader/data_file.h"
#include "reader/orc_types.h"

typedef struct orc_file {
    lake_file *file;
    uint64_t size;
    lake_orc_postscript postscript;
    lake_orc_footer footer;
} orc_file;

static lake_status read_tail(lake_arena *arena, orc_file *f, lake_error *err) {
    uint8_t end[LAKE_ORC_END];
    size_t n = f->size < sizeof end ? (size_t)f->size : sizeof end;
    LAKE_TRY(lake_file_read(f->file, f->size - n, end, n, err));
    LAKE_TRY(lake_orc_postscript_read((lake_bytes){end, n}, f->size, &f->postscript, err));
    size_t length = (size_t)f->postscript.footer_length;
    uint8_t *stored = lake_mem_alloc(length);
    if (!stored)
        return lake_fail_memory(err);
    lake_status st = lake_file_read(f->file, f->size - f->postscript.length - length, stored, length, err);
    if (st == LAKE_OK)
        st = lake_orc_footer_read(arena, &f->postscript, (lake_bytes){stored, length}, &f->footer, err);
    lake_mem_free(stored);
    return st;
}

static lake_status open_file(
    const lake_store *store, lake_str location, lake_arena *arena, orc_file *f, lake_error *err) {
    *f = (orc_file){0};
    LAKE_TRY(lake_store_open(store, location, &f->file, err));
    f->size = lake_file_size(f->file);
    lake_status st = read_tail(arena, f, err);
    if (st == LAKE_OK && f->footer.types[0].kind != LAKE_ORC_STRUCT)
        st = lake_fail(err, LAKE_ERR_UNSUPPORTED, "the rows of the ORC file are no structs but %s values",
            lake_orc_kind_name(f->footer.types[0].kind));
    lake_file_close(f->file);
    return lake_wrap(err, st, "%.*s", LAKE_ARG(location));
}

static bool listed(const lake_file_stats_options *o, int32_t id) {
    for (size_t i = 0; i < o->ncolumn_ids; i++)
        if (o->column_ids[i] == id)
            return true;
    return !o->column_ids;
}

/* Is type `at` the type `root`, or below it? */
static bool lies_in(const lake_orc_footer *f, uint32_t root, uint32_t at) {
    bool found = root == at;
    for (size_t i = 0; !found && root < f->ntypes && i < f->types[root].nsubtypes; i++)
        found = lies_in(f, f->types[root].subtypes[i], at);
    return found;
}

static lake_status refuse_encrypted(
    const lake_orc_footer *f, uint32_t type, const lake_column_stats *c, lake_error *err) {
    for (size_t i = 0; i < f->nencrypted; i++)
        if (lies_in(f, f->encrypted[i], type))
            return lake_fail(err, LAKE_ERR_UNSUPPORTED, "column %.*s is encrypted", LAKE_ARG(c->name));
    return LAKE_OK;
}

static lake_status report(lake_arena *arena, const orc_file *f, uint32_t type, size_t leaf, const lake_field *field,
    lake_column_stats *out, lake_error *err) {
    lake_orc_claim claim = lake_orc_trust(&f->footer, &f->postscript, type, field);
    lake_accum none;
    lake_accum_init(&none, LAKE_ACCUM_NONE, 0, 1, 1);
    LAKE_TRY(lake_column_stats_set(arena, field, &none, out, err));
    out->leaf = leaf;
    out->column_size = claim.column_size;
    out->values = claim.values;
    out->nulls = claim.nulls;
    out->nans = claim.nans;
    out->has_min = claim.has_min;
    out->has_max = claim.has_max;
    out->min_loose = claim.min_loose;
    out->max_loose = claim.max_loose;
    out->min = claim.min;
    out->max = claim.max;
    return refuse_encrypted(&f->footer, type, out, err);
}

static int by_id(const void *a, const void *b) {
    int32_t x = ((const lake_column_stats *)a)->field->id, y = ((const lake_column_stats *)b)->field->id;
    return (x > y) - (x < y);
}

static lake_status report_all(lake_arena *arena, const orc_file *f, const lake_field **fields,
    const lake_file_stats_options *options, lake_file_stats *out, lake_error *err) {
    size_t leaf = 0;
    out->columns = LAKE_ARENA_ARRAY(arena, lake_column_stats, f->footer.ntypes + 1);
    if (!out->columns)
        return lake_fail_memory(err);
    for (uint32_t i = 0; i < f->footer.ntypes; i++) {
        lake_orc_shape shape = lake_orc_shape_of(&f->footer.types[i]);
        if (shape != LAKE_ORC_IS_LEAF && shape != LAKE_ORC_IS_NOTHING)
            continue;
        size_t number = leaf++;
        if (!fields[i])
            out->unmatched++;
        else if (listed(options, fields[i]->id))
            LAKE_TRY(report(arena, f, i, number, fields[i], &out->columns[out->ncolumns++], err));
    }
    qsort(out->columns, out->ncolumns, sizeof *out->columns, by_id);
    for (size_t i = 1; i < out->ncolumns; i++)
        if (out->columns[i].field == out->columns[i - 1].field)
            return lake_fail(err, LAKE_ERR_MALFORMED,
                "leaves %zu and %zu of the ORC schema are both column %.*s (id %d)", out->columns[i - 1].leaf,
                out->columns[i].leaf, LAKE_ARG(out->columns[i].name), out->columns[i].field->id);
    return LAKE_OK;
}

static lake_status split_offsets(lake_arena *arena, const orc_file *f, lake_file_stats *out, lake_error *err) {
    int64_t *offsets = LAKE_ARENA_ARRAY(arena, int64_t, f->footer.nstripes + 1);
    if (!offsets)
        return lake_fail_memory(err);
    for (size_t i = 0; i < f->footer.nstripes; i++) {
        uint64_t at = f->footer.stripes[i].offset;
        if (at >= f->size || (i && (int64_t)at <= offsets[i - 1]))
            return lake_fail(
                err, LAKE_ERR_MALFORMED, "ORC footer: stripe %zu begins at byte %llu", i, (unsigned long long)at);
        offsets[i] = (int64_t)at;
    }
    out->split_offsets = offsets;
    out->nsplit_offsets = f->footer.nstripes;
    return LAKE_OK;
}

static lake_status compute(lake_arena *arena, const orc_file *f, const lake_file_stats_options *options,
    lake_file_stats *out, lake_error *err) {
    lake_schema *own = NULL;
    out->from_footer = true;
    out->file_size = (int64_t)f->size;
    out->record_count = (int64_t)f->footer.rows;
    out->schema = options->schema;
    if (!out->schema) {
        LAKE_TRY(lake_orc_own_schema(arena, &f->footer, &own, err));
        out->schema = own;
    }
    const lake_field **fields = LAKE_ARENA_ARRAY(arena, const lake_field *, f->footer.ntypes + 1);
    if (!fields)
        return lake_fail_memory(err);
    LAKE_TRY(lake_orc_match(arena, &f->footer, out->schema, own != NULL, options->name_mapping, fields, err));
    LAKE_TRY(split_offsets(arena, f, out, err));
    return report_all(arena, f, fields, options, out, err);
}

lake_status lake_orc_stats_read(const lake_store *store, lake_str location, const lake_file_stats_options *options,
    lake_arena *arena, lake_file_stats *out, lake_error *err) {
    orc_file f;
    LAKE_TRY(open_file(store, location, arena, &f, err));
    return lake_wrap(err, compute(arena, &f, options, out, err), "%.*s", LAKE_ARG(location));
}

lake_status lake_schema_from_orc(
    const lake_store *store, lake_str location, lake_arena *arena, lake_schema **out, bool *ids, lake_error *err) {
    orc_file f;
    LAKE_TRY(open_file(store, location, arena, &f, err));
    *ids = lake_orc_has_ids(&f.footer);
    return lake_wrap(err, lake_orc_own_schema(arena, &f.footer, out, err), "%.*s", LAKE_ARG(location));
}
