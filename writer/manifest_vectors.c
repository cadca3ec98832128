/* Deletion vectors as manifest entries. All are checked before anything is written: a vector that is wrong deletes
   rows of a data file that somebody still wants. */
#include "writer/manifest_vectors.h"

#include <stdlib.h>

#include "format/deletion_vector.h"
#include "reader/puffin.h"
#include "writer/find_files.h"
#include "writer/partition.h"

typedef struct vectors {
    lake_session *session;
    const lake_manifest_options *options;
    const lake_manifest_target *target;
    lake_arena *arena;
    lake_entry *entries;
    uint64_t *last; /* the largest position of each */
    size_t n, room;
} vectors;

static lake_status grow(vectors *v, lake_error *err) {
    if (v->n < v->room)
        return LAKE_OK;
    size_t room = v->room ? 2 * v->room : 16;
    lake_entry *entries = LAKE_ARENA_ARRAY(v->arena, lake_entry, room);
    uint64_t *last = LAKE_ARENA_ARRAY(v->arena, uint64_t, room);
    if (!entries || !last)
        return lake_fail_memory(err);
    if (v->n) {
        memcpy(entries, v->entries, v->n * sizeof *entries);
        memcpy(last, v->last, v->n * sizeof *last);
    }
    v->entries = entries;
    v->last = last;
    v->room = room;
    return LAKE_OK;
}

static bool text_member(const lake_json *o, const char *name, lake_str *out) {
    const lake_json *v = lake_json_find(o, name);
    if (!lake_json_is(v, LAKE_JSON_STRING))
        return false;
    *out = v->text;
    return true;
}

/* What the footer says of a blob against its bytes. */
static lake_status read_blob(
    vectors *v, lake_file *file, const lake_json *blob, lake_arena *scratch, lake_entry *e, lake_error *err) {
    const lake_json *properties = lake_json_find(blob, "properties");
    lake_str data_file, said;
    int64_t cardinality;
    if (!text_member(properties, "referenced-data-file", &data_file) || !data_file.len)
        return lake_fail(err, LAKE_ERR_MALFORMED, "no property referenced-data-file says whose rows are deleted");
    if (lake_json_find(blob, "compression-codec"))
        return lake_fail(err, LAKE_ERR_MALFORMED, "deletion vectors must not be compressed");
    if (!text_member(properties, "cardinality", &said) ||
        !lake_json_i64(&(lake_json){.kind = LAKE_JSON_NUMBER, .text = said}, &cardinality) || cardinality < 0)
        return lake_fail(err, LAKE_ERR_MALFORMED, "no property cardinality says how many rows are deleted");
    lake_bytes bytes;
    lake_roaring_info info;
    LAKE_TRY(lake_puffin_blob_read(scratch, file, blob, &bytes, err));
    LAKE_TRY(lake_deletion_vector_read(bytes, NULL, &info, err));
    if (info.cardinality != (uint64_t)cardinality)
        return lake_fail(err, LAKE_ERR_MALFORMED, "the property cardinality says %lld, the bitmap has %llu positions",
            (long long)cardinality, (unsigned long long)info.cardinality);
    if (info.cardinality == 0)
        return lake_fail(err, LAKE_ERR_MALFORMED, "a deletion vector without positions deletes nothing");
    v->last[v->n] = info.last;
    e->record_count = cardinality;
    e->content_size = (int64_t)bytes.len;
    if (!lake_json_i64(lake_json_find(blob, "offset"), &e->content_offset))
        return lake_fail(err, LAKE_ERR_MALFORMED, "no offset");
    e->referenced_data_file = lake_arena_str(v->arena, data_file.ptr, data_file.len);
    return e->referenced_data_file.ptr ? LAKE_OK : lake_fail_memory(err);
}

static lake_status read_blobs(vectors *v, lake_file *file, lake_str recorded, lake_arena *scratch, lake_error *err) {
    lake_str text;
    lake_json *footer;
    LAKE_TRY(lake_puffin_footer(scratch, file, &text, err));
    LAKE_TRY(lake_json_parse(scratch, text, "Puffin footer", &footer, err));
    const lake_json *blobs = lake_json_find(footer, "blobs");
    size_t before = v->n;
    for (size_t i = 0; lake_json_is(blobs, LAKE_JSON_ARRAY) && i < blobs->count; i++) {
        lake_str type = {"", 0};
        if (!text_member(blobs->items[i], "type", &type) || !lake_str_is(type, "deletion-vector-v1"))
            continue;
        LAKE_TRY(grow(v, err));
        lake_entry *e = &v->entries[v->n];
        *e = (lake_entry){.status = LAKE_ENTRY_ADDED,
            .content = LAKE_CONTENT_POSITION_DELETES,
            .has = LAKE_HAS_CONTENT_OFFSET | LAKE_HAS_CONTENT_SIZE,
            .file_path = recorded,
            .file_format = LAKE_STR("PUFFIN"),
            .file_size = (int64_t)lake_file_size(file)};
        LAKE_TRY_WRAP(read_blob(v, file, blobs->items[i], scratch, e, err), err, "blob %zu", i);
        v->n++;
    }
    return v->n > before ? LAKE_OK : lake_fail(err, LAKE_ERR_MALFORMED, "the Puffin file has no deletion vectors");
}

static lake_status read_file(vectors *v, const char *location, lake_arena *scratch, lake_error *err) {
    lake_str recorded;
    uint8_t magic[4] = {0};
    lake_file *file;
    LAKE_TRY(lake_location_recorded(&v->session->store, v->arena, location, &recorded, err));
    for (size_t i = 0; i < v->n; i++)
        if (lake_str_eq(v->entries[i].file_path, recorded))
            return lake_fail(err, LAKE_ERR_USAGE, "given twice");
    LAKE_TRY(lake_store_open(&v->session->store, lake_str_of(location), &file, err));
    lake_status status = LAKE_OK;
    if (lake_file_size(file) >= sizeof magic)
        status = lake_file_read(file, 0, magic, sizeof magic, err);
    if (status == LAKE_OK && memcmp(magic, "PFA1", sizeof magic) != 0)
        status = lake_fail(err, LAKE_ERR_USAGE,
            "no Puffin file: a table of format version %d takes deletion vectors, position delete files no more",
            v->target->format_version);
    if (status == LAKE_OK)
        status = read_blobs(v, file, recorded, scratch, err);
    lake_file_close(file);
    return status;
}

static lake_status read_files(vectors *v, lake_error *err) {
    lake_session *s = v->session;
    for (size_t i = 0; i < v->options->nfiles; i++) {
        lake_arena scratch;
        lake_arena_init(&scratch, 0);
        lake_status status = read_file(v, v->options->files[i], &scratch, err);
        lake_arena_clear(&scratch);
        LAKE_TRY_WRAP(status, err, "%s", v->options->files[i]);
        if (s->progress && s->progress(s->progress_user, "files", i + 1, v->options->nfiles) != 0)
            return lake_fail(err, LAKE_ERR_CANCELLED, "cancelled after %zu files", i + 1);
    }
    return LAKE_OK;
}

/* ---- data files */

static lake_status check_found(const vectors *v, const lake_found_file *f, lake_error *err) {
    const lake_entry *e = &v->entries[f->item];
    if (!f->found)
        return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: deletes rows of %.*s, which is no live data file of the table",
            LAKE_ARG(e->file_path), LAKE_ARG(f->path));
    if (f->deletes.ptr)
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "%.*s: %.*s has position deletes already, in %.*s: one vector has to hold both, and to replace it",
            LAKE_ARG(e->file_path), LAKE_ARG(f->path), LAKE_ARG(f->deletes));
    if (f->record_count >= 0 && v->last[f->item] >= (uint64_t)f->record_count)
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "%.*s: deletes row %llu (counted from 0) of %.*s, which has %lld rows", LAKE_ARG(e->file_path),
            (unsigned long long)v->last[f->item], LAKE_ARG(f->path), (long long)f->record_count);
    if (f->spec_id != v->target->spec->id)
        return lake_fail(err, LAKE_ERR_USAGE,
            "%.*s: its data file %.*s is of partition spec %d, the manifest of spec %d: write one manifest a spec",
            LAKE_ARG(e->file_path), LAKE_ARG(f->path), f->spec_id, v->target->spec->id);
    return LAKE_OK;
}

static int by_path(const void *a, const void *b) {
    const lake_found_file *x = a, *y = b;
    return lake_bytes_cmp(lake_bytes_of(x->path), lake_bytes_of(y->path));
}

static lake_status take_partitions(vectors *v, const lake_table *table, lake_error *err) {
    lake_found_file *files = LAKE_ARENA_ARRAY(v->arena, lake_found_file, v->n);
    if (!files)
        return lake_fail_memory(err);
    for (size_t i = 0; i < v->n; i++)
        files[i] = (lake_found_file){.path = v->entries[i].referenced_data_file, .item = i};
    const lake_snapshot *snapshot = table ? table->metadata->snapshot : NULL;
    if (table)
        LAKE_TRY(lake_find_files(table, snapshot, v->arena, files, v->n, err));
    else
        qsort(files, v->n, sizeof *files, by_path);
    for (size_t i = 1; i < v->n; i++)
        if (lake_str_eq(files[i - 1].path, files[i].path))
            return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: two deletion vectors for it", LAKE_ARG(files[i].path));
    for (size_t i = 0; table && i < v->n; i++) {
        LAKE_TRY(check_found(v, &files[i], err));
        v->entries[files[i].item].partition = files[i].partition;
        v->entries[files[i].item].npartition = files[i].npartition;
    }
    return LAKE_OK;
}

/* Without a table only --partition can say where the data files lie. */
static lake_status take_given(vectors *v, lake_error *err) {
    const lake_file_stats nothing = {0};
    lake_partitioner p;
    lake_partition_watch watch;
    lake_datum *tuple;
    LAKE_TRY(
        lake_partitioner_init(v->arena, v->target->schema, v->target->spec, v->options->partition, false, &p, err));
    for (size_t i = 0; i < p.nfields; i++)
        if (!p.fields[i].given && p.fields[i].field->transform.id != LAKE_TRANSFORM_VOID)
            return lake_fail(err, LAKE_ERR_USAGE,
                "deletion vectors without a table: the partition of their data files must be given");
    LAKE_TRY(lake_partition_watch_init(&watch, &p, LAKE_STR(""), v->arena, err));
    lake_status status = lake_partition_values(&watch, &nothing, v->arena, &tuple, err);
    lake_partition_watch_clear(&watch);
    for (size_t i = 0; status == LAKE_OK && i < v->n; i++) {
        v->entries[i].partition = tuple;
        v->entries[i].npartition = p.nfields;
    }
    return status;
}

lake_status lake_manifest_vectors_build(lake_session *session, const lake_manifest_options *options,
    const lake_manifest_target *target, lake_arena *arena, lake_manifest_files *out, lake_error *err) {
    vectors v = {.session = session, .options = options, .target = target, .arena = arena};
    if (options->table && options->partition)
        return lake_fail(err, LAKE_ERR_USAGE, "deletion vectors have the partition of their data files");
    LAKE_TRY(read_files(&v, err));
    LAKE_TRY(take_partitions(&v, options->table, err));
    if (!options->table)
        LAKE_TRY(take_given(&v, err));
    *out = (lake_manifest_files){.format_version = target->format_version,
        .content = 1,
        .schema = target->schema,
        .spec = target->spec,
        .codec = target->codec,
        .level = target->level,
        .entries = v.entries,
        .nentries = v.n};
    for (size_t i = 0; i < v.n; i++) {
        out->records += v.entries[i].record_count;
        out->bytes += v.entries[i].content_size;
    }
    return LAKE_OK;
}
