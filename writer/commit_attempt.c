/* One attempt at a commit: the list, the snapshot, the document, the swap (spec.md, "Snapshots", "Manifest Lists",
   "Sequence Numbers", "Snapshot Row IDs"). A manifest list is written anew for each attempt. Files are removed only
   after a definite refusal: when nobody knows whether the commit landed, the table is read again before anything is
   cleaned. */
#include "writer/commit_attempt.h"

#include "writer/manifest_files.h"

lake_status lake_attempt_base(const lake_commit *c, lake_arena *arena, lake_str *out, lake_error *err) {
    lake_str at = c->table->at.metadata_location;
    size_t cut = at.len;
    while (cut && at.ptr[cut - 1] != '/')
        cut--;
    lake_str name = {at.ptr + cut, at.len - cut};
    *out = lake_directory_place(arena, c->table->metadata->location, name);
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

static bool id_is_taken(const lake_metadata *m, int64_t id) {
    return lake_metadata_snapshot(m, id) != NULL;
}

/* The manifests that are added, made once; again only if what they depend on has changed. */
static lake_status make_manifests(lake_commit *c, lake_error *err) {
    const lake_metadata *m = c->table->metadata;
    bool dry = c->options && c->options->dry_run;
    if (c->made && (id_is_taken(m, c->id) || c->made_version != m->format_version)) {
        c->source->forget(c->source->user);
        lake_rewriter_remove(&c->rewriter, &c->table->session->store, true);
        lake_rewriter_clear(&c->rewriter);
        c->made = false;
    }
    if (c->made)
        return LAKE_OK;
    do
        LAKE_TRY(lake_snapshot_id_draw(&c->id, err));
    while (id_is_taken(m, c->id));
    c->changes = (lake_changes){0};
    LAKE_TRY(c->source->make(c->source->user, m, c->id, dry, &c->arena, &c->lines, &c->nlines, &c->changes, err));
    c->made_version = m->format_version;
    c->made = true;
    return LAKE_OK;
}

/* The branch's latest snapshot. A branch that does not exist yet grows from main. */
static lake_status find_parent(const lake_commit *c, const lake_snapshot **parent, lake_error *err) {
    const lake_metadata *m = c->table->metadata;
    const lake_ref *ref = lake_metadata_ref(m, c->branch);
    if (ref && ref->tag)
        return lake_fail(
            err, LAKE_ERR_USAGE, "'%.*s' is a tag: only branches can be committed to", LAKE_ARG(c->branch));
    *parent = ref ? lake_metadata_snapshot(m, ref->snapshot_id) : m->snapshot;
    return LAKE_OK;
}

static lake_str last_part(lake_str path) {
    size_t cut = path.len;
    while (cut && path.ptr[cut - 1] != '/')
        cut--;
    return (lake_str){path.ptr + cut, path.len - cut};
}

/* One manifest under two spellings of its path (a link to a folder, `//`, `file:`) would count its rows twice. */
static bool same_manifest(const lake_store *store, lake_str a, lake_str b) {
    return lake_str_eq(a, b) || (lake_str_eq(last_part(a), last_part(b)) && lake_store_same(store, a, b));
}

/* What the source says of the parent's files; a refusal is final. */
static lake_status rewrite(lake_commit *c, lake_attempt *a, lake_manifest_file **old, size_t *n, lake_error *err) {
    const lake_commit_source *source = c->source;
    lake_base base = {.table = c->table,
        .metadata = c->table->metadata,
        .parent = a->snapshot.parent,
        .lines = *old,
        .nlines = *n,
        .arena = &a->arena};
    bool dry = c->options && c->options->dry_run;
    lake_status s = source->begin ? source->begin(source->user, &base, err) : LAKE_OK;
    c->refused = s != LAKE_OK;
    a->nothing = base.nothing;
    if (s != LAKE_OK || a->nothing)
        return s;
    if (source->rewrite)
        LAKE_TRY(lake_rewriter_run(&c->rewriter, source, &base, c->id, c->uuid, !dry, old, n, &a->changes, err));
    s = source->check ? source->check(source->user, &base, err) : LAKE_OK;
    c->refused = s != LAKE_OK;
    a->nothing = base.nothing;
    a->changes.resized_bytes = base.resized_bytes;
    return s;
}

/* New manifests first, then the parent's, as other writers have it. */
static lake_status gather_lines(
    lake_commit *c, lake_attempt *a, lake_manifest_file **lines, size_t *n, size_t *kept, lake_error *err) {
    lake_manifest_file *old;
    LAKE_TRY(lake_table_manifests(c->table, a->snapshot.parent, &a->arena, &old, kept, err));
    LAKE_TRY(rewrite(c, a, &old, kept, err));
    if (a->nothing)
        return LAKE_OK;
    *lines = LAKE_ARENA_ARRAY(&a->arena, lake_manifest_file, c->nlines + *kept + 1);
    if (!*lines)
        return lake_fail_memory(err);
    *n = 0;
    for (size_t i = 0; i < c->nlines; i++)
        (*lines)[(*n)++] = c->lines[i];
    for (size_t i = 0; i < *kept; i++) {
        for (size_t k = 0; k < c->nlines; k++)
            if (same_manifest(&c->table->session->store, old[i].path, c->lines[k].path))
                return lake_fail(
                    err, LAKE_ERR_USAGE, "%.*s: this manifest is part of the table already", LAKE_ARG(old[i].path));
        if (c->table->metadata->format_version > 1)
            LAKE_TRY(
                lake_manifest_line_complete(&c->table->session->store, &a->arena, c->table->metadata, &old[i], err));
        (*lines)[(*n)++] = old[i];
    }
    return LAKE_OK;
}

static lake_status write_list(
    const lake_commit *c, lake_attempt *a, const lake_manifest_file *lines, size_t n, bool dry, lake_error *err) {
    const lake_metadata *m = c->table->metadata;
    lake_new_snapshot *s = &a->snapshot;
    lake_manifest_list_options o = {.format_version = m->format_version,
        .snapshot_id = c->id,
        .has_parent = s->parent != NULL,
        .parent_snapshot_id = s->parent ? s->parent->id : 0,
        .sequence_number = s->sequence_number,
        .has_first_row_id = m->format_version >= 3,
        .first_row_id = s->first_row_id,
        .codec = LAKE_CODEC_DEFLATE,
        .level = -1};
    lake_buffer out;
    lake_buffer_init(&out);
    lake_status st = lake_manifest_list_write(&o, lines, n, &out, m->format_version >= 3 ? &s->next_row_id : NULL, err);
    if (st == LAKE_OK && !dry) {
        lake_str name = lake_arena_printf(&a->arena, "snap-%lld-%d-%s.avro", (long long)c->id, c->attempt, c->uuid);
        st = name.ptr ? lake_metadata_place(&a->arena, m, name, &s->manifest_list, err) : lake_fail_memory(err);
        if (st == LAKE_OK)
            st = lake_store_create(
                &c->table->session->store, s->manifest_list, lake_bytes_of(lake_buffer_view(&out)), err);
        if (st == LAKE_ERR_EXISTS)
            s->manifest_list.ptr = NULL; /* not ours to remove */
    }
    lake_buffer_clear(&out);
    return st;
}

/* `kept`: the parent's lines. */
static lake_status write_statistics(
    lake_commit *c, lake_attempt *a, const lake_manifest_file *kept, size_t n, bool dry, lake_error *err) {
    const lake_base base = {.table = c->table,
        .metadata = c->table->metadata,
        .parent = a->snapshot.parent,
        .lines = kept,
        .nlines = n,
        .arena = &a->arena};
    if (!c->source->statistics)
        return LAKE_OK;
    return c->source->statistics(
        c->source->user, &base, &a->snapshot, dry, &a->snapshot.statistics, &a->statistics, err);
}

static lake_status build(lake_commit *c, lake_attempt *a, lake_error *err) {
    const lake_metadata *m = c->table->metadata;
    lake_manifest_file *lines;
    size_t n = 0, kept = 0;
    bool dry = c->options && c->options->dry_run;
    lake_new_snapshot *s = &a->snapshot;
    s->id = c->id;
    s->branch = c->branch;
    s->sequence_number = m->format_version == 1 ? 0 : m->last_sequence_number + 1;
    s->first_row_id = s->next_row_id = m->next_row_id;
    s->timestamp_ms = lake_now_ms();
    if (s->timestamp_ms < m->last_updated_ms)
        s->timestamp_ms = m->last_updated_ms; /* the log must stay in order when clocks differ */
    if (m->last_sequence_number == INT64_MAX)
        return lake_fail(err, LAKE_ERR_LIMIT, "the table's sequence numbers are used up");
    LAKE_TRY(find_parent(c, &s->parent, err));
    LAKE_TRY(lake_changes_copy(&c->changes, &a->arena, &a->changes, err));
    LAKE_TRY(gather_lines(c, a, &lines, &n, &kept, err));
    if (a->nothing)
        return LAKE_OK;
    size_t again = (size_t)a->changes.manifests_replaced;
    LAKE_TRY(lake_changes_write(
        &a->changes, &a->arena, s->parent, c->nlines + again, kept - again, c->options, &a->summary, err));
    s->summary = a->summary;
    LAKE_TRY(lake_attempt_base(c, &a->arena, &s->base_location, err));
    LAKE_TRY(write_list(c, a, lines, n, dry, err));
    LAKE_TRY(write_statistics(c, a, lines + c->nlines, kept, dry, err));
    return lake_metadata_add_snapshot(&a->arena, m, s, &a->document, err);
}

/* Whose properties say how metadata are written: an edit may change them. */
static const lake_metadata *metadata_after(const lake_commit *c, const lake_attempt *a) {
    return a->after ? a->after : c->table->metadata;
}

static lake_status swap(lake_commit *c, lake_attempt *a, lake_error *err) {
    lake_str codec = lake_metadata_property(metadata_after(c, a), "write.metadata.compression-codec");
    LAKE_TRY(lake_metadata_encode(a->document, codec, &a->bytes, err));
    return lake_directory_commit(&c->table->session->store, &a->arena, c->directory, &c->table->at,
        lake_bytes_of(lake_buffer_view(&a->bytes)), &c->turn, &a->at, err);
}

/* After a failure that is no refusal: did it land? Then all is well. If the table cannot be read, nothing may be
 * removed. */
static lake_status settle(lake_commit *c, lake_attempt *a, lake_status failed, bool *keep, lake_error *err) {
    lake_error first;
    lake_error_init(&first);
    if (err)
        first = *err;
    bool landed = false;
    lake_status s =
        c->source->edit ? lake_attempt_edit_landed(c, a, &landed, NULL) : lake_table_refresh(c->table, NULL);
    if (s == LAKE_OK && !c->source->edit && id_is_taken(c->table->metadata, c->id)) {
        landed = true;
        a->at.metadata_location = c->table->at.metadata_location;
    }
    if (landed)
        return LAKE_OK;
    *keep = s != LAKE_OK;
    if (err)
        *err = first;
    return *keep ? lake_wrap(err, failed, "whether the commit landed is not known, %s",
                       c->source->edit ? "look at the table before you try again" : "and its files are kept")
                 : failed;
}

/* write.metadata.delete-after-commit.enabled: files that fell off the metadata-log go, if they lie in the table's
 * folder. */
static void expire_metadata(const lake_commit *c, const lake_attempt *a) {
    const lake_metadata *base = c->table->metadata;
    const lake_json *log = lake_json_find(a->document, "metadata-log");
    lake_str wanted = lake_metadata_property(metadata_after(c, a), "write.metadata.delete-after-commit.enabled");
    if (!wanted.ptr || !lake_str_is(wanted, "true"))
        return;
    for (size_t i = 0; i < base->nmetadata_log; i++) {
        lake_str file = base->metadata_log[i].metadata_file;
        bool kept = !lake_str_starts(file, base->location) || file.len <= base->location.len ||
            file.ptr[base->location.len] != '/';
        for (size_t k = 0; log && !kept && k < log->count; k++) {
            const lake_json *name = lake_json_find(log->items[k], "metadata-file");
            kept = name && lake_str_eq(name->text, file);
        }
        if (!kept) {
            lake_status gone = lake_store_remove(&c->table->session->store, file, NULL);
            (void)gone;
        }
    }
}

static lake_status make_room(lake_attempt *a, const lake_commit *c, lake_error *err) {
    if (c->source->edit)
        lake_buffer_str(&a->report, a->said);
    else
        lake_json_print(&a->report, a->summary, 0);
    size_t n = a->report.len + 1024 + 6 * (c->directory.len + a->snapshot.manifest_list.len + 256);
    bool room = lake_buffer_reserve(&a->report, n);
    if (room)
        lake_buffer_reset(&a->report);
    return room ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_attempt_run(lake_commit *c, lake_attempt *a, bool *keep, lake_error *err) {
    if (!c->source->edit)
        LAKE_TRY(make_manifests(c, err));
    lake_status s = c->source->edit ? lake_attempt_edit(c, a, err) : build(c, a, err);
    if (s == LAKE_OK && a->nothing)
        return LAKE_OK;
    if (s == LAKE_OK)
        s = make_room(a, c, err);
    if (s == LAKE_OK && c->options && c->options->dry_run)
        return LAKE_OK;
    if (s == LAKE_OK) {
        s = swap(c, a, err);
        if (s == LAKE_OK)
            expire_metadata(c, a);
        if (s != LAKE_OK && s != LAKE_ERR_CONFLICT && s != LAKE_ERR_NO_MEMORY && s != LAKE_ERR_UNSUPPORTED)
            s = settle(c, a, s, keep, err);
    }
    const lake_str made[] = {a->snapshot.manifest_list, a->statistics};
    for (size_t i = 0; i < 2; i++)
        if (s != LAKE_OK && !*keep && made[i].ptr) {
            lake_status gone = lake_store_remove(&c->table->session->store, made[i], NULL);
            (void)gone;
        }
    return s;
}
