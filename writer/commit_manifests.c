/* `commit`: manifests that exist become part of the table. A manifest is taken as it is when its entries inherit what
   the commit gives (spec.md, "Sequence Number Inheritance", "First Row ID Inheritance"); else it is written again: v1
   entries carry the snapshot's id, and a foreign writer may have left ids of its own. Numbers that only the writer can
   know are never made up: an EXISTING entry must state its own, and an explicit older sequence number stays. */
#include <stdlib.h>

#include "writer/commit_internal.h"
#include "writer/manifest_files.h"

typedef struct committing {
    lake_session *session;
    const char *const *given;
    size_t ngiven;
    lake_path_list made;
    lake_arena names; /* of `made` */
} committing;

/* One manifest while it is looked at. */
typedef struct candidate {
    const lake_metadata *m;
    lake_str path; /* as recorded */
    const lake_spec *spec;
    int32_t version; /* of its own format */
    uint8_t content;
    bool rewrite;
} candidate;

static const lake_manifest_want everything = {.all_columns = true, .rest = true};

static bool same_fields(const lake_spec *a, const lake_spec *b) {
    if (a->nfields != b->nfields)
        return false;
    for (size_t i = 0; i < a->nfields; i++) {
        const lake_partition_field *x = &a->fields[i], *y = &b->fields[i];
        if (x->id != y->id || x->nsource_ids != y->nsource_ids || !lake_str_eq(x->transform.text, y->transform.text))
            return false;
        for (size_t k = 0; k < x->nsource_ids; k++)
            if (x->source_ids[k] != y->source_ids[k])
                return false;
    }
    return true;
}

static lake_status check_header(candidate *c, const lake_manifest_header *h, lake_error *err) {
    c->version = h->format_version;
    c->content = h->content;
    c->spec = lake_metadata_spec(c->m, h->spec_id);
    if (!c->spec)
        return lake_fail(
            err, LAKE_ERR_MALFORMED, "%.*s: the table has no partition spec %d", LAKE_ARG(c->path), (int)h->spec_id);
    if (h->spec && !same_fields(h->spec, c->spec))
        return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: its partition spec %d is not the table's spec of that number",
            LAKE_ARG(c->path), (int)h->spec_id);
    if (c->content && c->m->format_version == 1)
        return lake_fail(
            err, LAKE_ERR_UNSUPPORTED, "%.*s: a table of format version 1 has no delete files", LAKE_ARG(c->path));
    LAKE_TRY_WRAP(lake_commit_check_schema(c->m, h->schema, err), err, "%.*s", LAKE_ARG(c->path));
    c->rewrite = c->version == 1 || c->version > c->m->format_version;
    return LAKE_OK;
}

static lake_status refuse(
    const candidate *c, const lake_entry *e, lake_error *err, lake_status status, const char *why) {
    return lake_fail(err, status, "%.*s: the entry of %.*s %s", LAKE_ARG(c->path), LAKE_ARG(e->file_path), why);
}

static lake_status check_deletes(const candidate *c, const lake_entry *e, lake_error *err) {
    bool dv = (e->has & LAKE_HAS_CONTENT_OFFSET) != 0;
    if ((e->content != LAKE_CONTENT_DATA) != (c->content != 0))
        return refuse(c, e, err, LAKE_ERR_MALFORMED, "has another content than the manifest's header");
    if (e->content == LAKE_CONTENT_POSITION_DELETES && dv && c->m->format_version < 3)
        return refuse(c, e, err, LAKE_ERR_UNSUPPORTED, "is a deletion vector, which needs format version 3");
    if (e->content == LAKE_CONTENT_POSITION_DELETES && !dv && c->m->format_version >= 3)
        return refuse(
            c, e, err, LAKE_ERR_UNSUPPORTED, "is a position delete file, which format version 3 no longer takes");
    if (e->content == LAKE_CONTENT_EQUALITY_DELETES && !e->nequality_ids)
        return refuse(c, e, err, LAKE_ERR_MALFORMED, "is an equality delete file without equality ids");
    return LAKE_OK;
}

/* No number beyond the one that this commit will give. An EXISTING file is of an earlier commit. */
static bool is_past(const candidate *c, const lake_entry *e, int64_t number) {
    return number >= 0 && number - (e->status == LAKE_ENTRY_ADDED) <= c->m->last_sequence_number;
}

static bool has_its_time(const candidate *c, const lake_entry *e) {
    return (!(e->has & LAKE_HAS_SEQUENCE_NUMBER) || is_past(c, e, e->sequence_number)) &&
        (!(e->has & LAKE_HAS_FILE_SEQUENCE_NUMBER) || is_past(c, e, e->file_sequence_number));
}

static lake_status check_entry(candidate *c, const lake_entry *e, lake_error *err) {
    const uint32_t own = LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_SEQUENCE_NUMBER | LAKE_HAS_FILE_SEQUENCE_NUMBER;
    LAKE_TRY(check_deletes(c, e, err));
    if (e->status == LAKE_ENTRY_DELETED)
        return refuse(c, e, err, LAKE_ERR_UNSUPPORTED, "is DELETED: a commit of manifests only adds files");
    if (!e->file_path.len || e->file_size < 0)
        return refuse(c, e, err, LAKE_ERR_MALFORMED, e->file_size < 0 ? "has a negative size" : "has no path");
    if (c->version > 1 && !has_its_time(c, e))
        return refuse(c, e, err, LAKE_ERR_MALFORMED, "has a sequence number that is not of the table's past");
    if (e->status == LAKE_ENTRY_EXISTING) {
        bool stated =
            c->m->format_version == 1 ? (e->has & LAKE_HAS_SNAPSHOT_ID) != 0 : c->version > 1 && (e->has & own) == own;
        return stated ? LAKE_OK
                      : refuse(c, e, err, LAKE_ERR_MALFORMED,
                            "is EXISTING, but does not state its snapshot id and sequence numbers");
    }
    if (e->has & (LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_FIRST_ROW_ID))
        c->rewrite = true;
    return LAKE_OK;
}

/* Deletion vectors may share a file. */
static lake_status note_path(lake_path_list *live, const lake_entry *e, lake_arena *arena, lake_error *err) {
    bool noted = (e->has & LAKE_HAS_CONTENT_OFFSET) || lake_path_list_add(live, arena, e->file_path);
    return noted ? LAKE_OK : lake_fail_memory(err);
}

static int compare_paths(const void *a, const void *b) {
    const lake_str *x = a, *y = b;
    return lake_bytes_cmp(lake_bytes_of(*x), lake_bytes_of(*y));
}

static lake_status check_paths(const lake_path_list *live, lake_error *err) {
    if (live->n)
        qsort(live->paths, live->n, sizeof *live->paths, compare_paths);
    for (size_t i = 1; i < live->n; i++)
        if (lake_str_eq(live->paths[i - 1], live->paths[i]))
            return lake_fail(err, LAKE_ERR_MALFORMED,
                "%.*s: the manifests have two entries of this file, which would "
                "count twice",
                LAKE_ARG(live->paths[i]));
    return LAKE_OK;
}

/* Looks at the header, then at every entry. */
static lake_status examine(
    committing *w, candidate *c, lake_arena *arena, lake_path_list *live, lake_changes *added, lake_error *err) {
    const lake_store *store = &w->session->store;
    lake_manifest_reader *r;
    LAKE_TRY(lake_manifest_open(store, c->path, NULL, NULL, &everything, NULL, &r, err));
    lake_status s = check_header(c, lake_manifest_header_of(r), err);
    const lake_entry *e;
    while (s == LAKE_OK && (s = lake_manifest_next(r, &e, err)) == LAKE_OK && e) {
        s = check_entry(c, e, err);
        if (s == LAKE_OK)
            s = note_path(live, e, arena, err);
        if (s == LAKE_OK)
            s = lake_changes_add(added, arena, e, c->spec->id, err);
    }
    lake_manifest_close(r);
    return s;
}

/* An entry for the new copy: what is to be inherited is left out. */
static lake_entry inheriting(const candidate *c, const lake_entry *e) {
    lake_entry copy = *e;
    if (e->status == LAKE_ENTRY_ADDED) {
        copy.has &= ~(uint32_t)(LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_FIRST_ROW_ID | LAKE_HAS_FILE_SEQUENCE_NUMBER);
        if (c->version == 1 || c->m->format_version == 1)
            copy.has &= ~(uint32_t)LAKE_HAS_SEQUENCE_NUMBER;
    }
    return copy;
}

static lake_status copy_entries(
    const candidate *c, lake_manifest_reader *r, lake_manifest_writer *out, lake_error *err) {
    const lake_entry *e;
    for (;;) {
        LAKE_TRY(lake_manifest_next(r, &e, err));
        if (!e)
            return LAKE_OK;
        lake_entry copy = inheriting(c, e);
        LAKE_TRY(lake_manifest_writer_add(out, &copy, err));
    }
}

static lake_status write_again(committing *w, const candidate *c, int64_t snapshot_id, lake_str place,
    lake_arena *arena, lake_manifest_file *line, lake_error *err) {
    lake_manifest_write_options o = {.format_version = c->m->format_version,
        .content = c->content,
        .schema = c->m->schema,
        .spec = c->spec,
        .has_snapshot_id = true,
        .snapshot_id = snapshot_id,
        .codec = LAKE_CODEC_DEFLATE,
        .level = -1};
    lake_manifest_reader *r = NULL;
    lake_manifest_writer *out = NULL;
    lake_bytes bytes;
    lake_status s = lake_manifest_open(&w->session->store, c->path, NULL, c->spec, &everything, NULL, &r, err);
    if (s == LAKE_OK)
        s = lake_manifest_writer_open(&o, &out, err);
    if (s == LAKE_OK)
        s = copy_entries(c, r, out, err);
    if (s == LAKE_OK)
        s = lake_manifest_writer_finish(out, arena, &bytes, line, err);
    if (s == LAKE_OK && !lake_path_list_add(&w->made, &w->names, place))
        s = lake_fail_memory(err);
    if (s == LAKE_OK) {
        s = lake_store_create(&w->session->store, place, bytes, err);
        if (s == LAKE_ERR_EXISTS)
            w->made.n--; /* not ours */
        line->path = place;
        line->length = (int64_t)bytes.len;
    }
    if (out)
        lake_manifest_writer_close(out);
    if (r)
        lake_manifest_close(r);
    return s;
}

static lake_status add_line(committing *w, candidate *c, const char *uuid, size_t number, int64_t snapshot_id,
    lake_arena *arena, lake_manifest_file *line, lake_error *err) {
    if (c->rewrite) {
        lake_str place, name = lake_arena_printf(arena, "%s-m%zu.avro", uuid, number);
        if (!name.ptr)
            return lake_fail_memory(err);
        LAKE_TRY(lake_metadata_place(arena, c->m, name, &place, err));
        LAKE_TRY_WRAP(
            write_again(w, c, snapshot_id, place, arena, line, err), err, "a new copy of %.*s", LAKE_ARG(c->path));
    } else {
        LAKE_TRY(lake_manifest_line_read(&w->session->store, arena, c->m, c->path, line, err));
    }
    line->added_snapshot_id = snapshot_id;
    line->has |= LAKE_HAS_SNAPSHOT_ID;
    line->sequence_number = c->m->format_version == 1 ? 0 : -1;
    return LAKE_OK;
}

static lake_status make_all(committing *w, const lake_metadata *m, int64_t snapshot_id, bool dry_run, lake_arena *arena,
    lake_manifest_file **lines, size_t *n, lake_changes *added, lake_error *err) {
    char uuid[37];
    lake_path_list live = {0}; /* files that become so */
    LAKE_TRY(lake_uuid_draw(uuid, err));
    candidate *all = LAKE_ARENA_ARRAY(arena, candidate, w->ngiven);
    *lines = LAKE_ARENA_ARRAY(arena, lake_manifest_file, w->ngiven);
    if (!all || !*lines)
        return lake_fail_memory(err);
    for (size_t i = 0; i < w->ngiven; i++) {
        all[i].m = m;
        LAKE_TRY(lake_location_recorded(&w->session->store, arena, w->given[i], &all[i].path, err));
        for (size_t k = 0; k < i; k++)
            if (lake_str_eq(all[i].path, all[k].path) || lake_store_same(&w->session->store, all[i].path, all[k].path))
                return lake_fail(err, LAKE_ERR_USAGE, "%.*s: this manifest is named twice", LAKE_ARG(all[i].path));
        LAKE_TRY(examine(w, &all[i], arena, &live, added, err));
    }
    LAKE_TRY(check_paths(&live, err));
    for (size_t i = 0; i < w->ngiven && !dry_run; i++)
        LAKE_TRY(add_line(w, &all[i], uuid, i, snapshot_id, arena, &(*lines)[(*n)++], err));
    return LAKE_OK;
}

static void forget(void *user) {
    committing *w = user;
    lake_path_list_remove(&w->made, &w->session->store);
}

static lake_status make(void *user, const lake_metadata *m, int64_t snapshot_id, bool dry_run, lake_arena *arena,
    lake_manifest_file **lines, size_t *n, lake_changes *added, lake_error *err) {
    *n = 0;
    lake_status s = make_all(user, m, snapshot_id, dry_run, arena, lines, n, added, err);
    if (s != LAKE_OK)
        forget(user);
    return s;
}

lake_status lake_table_commit(lake_table *table, const char *const *manifests, size_t nmanifests,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err) {
    if (!manifests || !nmanifests)
        return lake_fail(err, LAKE_ERR_USAGE, "no manifests to commit");
    committing w = {.session = table->session, .given = manifests, .ngiven = nmanifests};
    lake_arena_init(&w.names, 0);
    lake_commit_source source = {&w, make, forget};
    lake_status s = lake_commit_run(table, &source, options, sink, err);
    lake_arena_clear(&w.names);
    return s;
}
