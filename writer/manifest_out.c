/* Manifest entries into files, all of them or none. */
#include "writer/manifest_files.h"

#include <sys/random.h>

typedef struct output {
    lake_session *session;
    const lake_manifest_files *files;
    lake_manifest_write_options options;
    const char *location;
    int64_t target_size;
    lake_arena *arena;
    lake_manifest_file *lines;
    lake_str *created; /* locations as given, for taking back */
    lake_str sketches; /* the statistics file; ptr NULL: none */
    size_t nlines, room;
} output;

/* "dir/m.avro", 2 -> "dir/m-0002.avro" */
static lake_str numbered(lake_arena *arena, const char *location, size_t number) {
    const char *slash = strrchr(location, '/'), *dot = strrchr(location, '.');
    if (!dot || (slash && dot <= slash + 1) || dot == location)
        dot = location + strlen(location);
    return lake_arena_printf(arena, "%.*s-%04zu%s", (int)(dot - location), location, number, dot);
}

static lake_status grow(output *o, lake_error *err) {
    if (o->nlines < o->room)
        return LAKE_OK;
    size_t room = o->room ? 2 * o->room : 4;
    lake_manifest_file *lines = LAKE_ARENA_ARRAY(o->arena, lake_manifest_file, room);
    lake_str *created = LAKE_ARENA_ARRAY(o->arena, lake_str, room);
    if (!lines || !created)
        return lake_fail_memory(err);
    if (o->nlines) {
        memcpy(lines, o->lines, o->nlines * sizeof *lines);
        memcpy(created, o->created, o->nlines * sizeof *created);
    }
    o->lines = lines;
    o->created = created;
    o->room = room;
    return LAKE_OK;
}

/* Creates the file of a manifest. */
static lake_status take(void *user, lake_bytes bytes, const lake_manifest_file *written, lake_error *err) {
    output *o = user;
    lake_manifest_file line = *written;
    LAKE_TRY(grow(o, err));
    lake_str at = o->target_size > 0 ? numbered(o->arena, o->location, o->nlines + 1)
                                     : lake_arena_printf(o->arena, "%s", o->location);
    if (!at.ptr)
        return lake_fail_memory(err);
    LAKE_TRY(lake_location_recorded(&o->session->store, o->arena, at.ptr, &line.path, err));
    LAKE_TRY(lake_store_create(&o->session->store, at, bytes, err));
    o->created[o->nlines] = at;
    o->lines[o->nlines++] = line;
    return LAKE_OK;
}

/* A failure to remove is no news: the first error counts. */
static void take_back(const output *o) {
    for (size_t i = 0; i < o->nlines; i++) {
        lake_status ignored = lake_store_remove(&o->session->store, o->created[i], NULL);
        (void)ignored;
    }
    if (o->sketches.ptr) {
        lake_status ignored = lake_store_remove(&o->session->store, o->sketches, NULL);
        (void)ignored;
    }
}

static lake_status write_manifests(output *o, bool has_snapshot_id, int64_t snapshot_id, lake_error *err) {
    const lake_manifest_files *f = o->files;
    o->options = (lake_manifest_write_options){
        .format_version = f->format_version,
        .content = f->content,
        .schema = f->schema,
        .spec = f->spec,
        .has_snapshot_id = has_snapshot_id,
        .snapshot_id = snapshot_id,
        .codec = f->codec,
        .level = f->level,
    };
    uint64_t target = o->target_size > 0 ? (uint64_t)o->target_size : 0;
    lake_status status = lake_manifest_write_entries(
        &o->options, f->entries, f->nentries, target, o->session->threads, o->arena, take, o, err);
    if (status != LAKE_OK)
        take_back(o);
    return status;
}

lake_status lake_manifest_files_write(lake_session *session, const lake_manifest_files *files, bool has_snapshot_id,
    int64_t snapshot_id, const char *location, int64_t target_size, lake_arena *arena, lake_manifest_file **lines,
    size_t *nlines, lake_error *err) {
    output o = {.session = session, .files = files, .location = location, .target_size = target_size, .arena = arena};
    LAKE_TRY(write_manifests(&o, has_snapshot_id, snapshot_id, err));
    *lines = o.lines;
    *nlines = o.nlines;
    return LAKE_OK;
}

lake_status lake_snapshot_id_draw(int64_t *out, lake_error *err) {
    do {
        if (getrandom(out, sizeof *out, 0) != (ssize_t)sizeof *out)
            return lake_fail(err, LAKE_ERR_IO, "no random bytes for a snapshot id");
        *out &= INT64_MAX;
    } while (*out == 0);
    return LAKE_OK;
}

/* ---- printing */

static void print_bound(lake_buffer *out, const char *name, lake_bytes bound) {
    lake_buffer_printf(out, ",\"%s\":", name);
    if (!bound.ptr) {
        lake_buffer_puts(out, "null");
        return;
    }
    lake_buffer_char(out, '"');
    lake_buffer_hex(out, bound);
    lake_buffer_char(out, '"');
}

static void print_summaries(lake_buffer *out, const lake_manifest_file *line) {
    static const char *const nan[] = {"null", "false", "true"};
    lake_buffer_puts(out, ",\"partitions\":[");
    for (size_t i = 0; i < line->npartitions; i++) {
        const lake_field_summary *s = &line->partitions[i];
        lake_buffer_printf(out, "%s{\"contains_null\":%s,\"contains_nan\":%s", i ? "," : "",
            s->contains_null ? "true" : "false", nan[s->contains_nan + 1]);
        print_bound(out, "lower_bound", s->lower);
        print_bound(out, "upper_bound", s->upper);
        lake_buffer_char(out, '}');
    }
    lake_buffer_char(out, ']');
}

void lake_manifest_file_print(lake_buffer *out, const lake_manifest_file *line) {
    const struct {
        const char *name;
        bool has;
        int64_t value;
    } members[] = {
        {"manifest_length", true, line->length},
        {"partition_spec_id", true, line->spec_id},
        {"content", true, line->content},
        {"added_snapshot_id", line->has & LAKE_HAS_SNAPSHOT_ID, line->added_snapshot_id},
        {"added_files_count", line->has & LAKE_HAS_ADDED_FILES, line->added_files},
        {"existing_files_count", line->has & LAKE_HAS_EXISTING_FILES, line->existing_files},
        {"deleted_files_count", line->has & LAKE_HAS_DELETED_FILES, line->deleted_files},
        {"added_rows_count", line->has & LAKE_HAS_ADDED_ROWS, line->added_rows},
        {"existing_rows_count", line->has & LAKE_HAS_EXISTING_ROWS, line->existing_rows},
        {"deleted_rows_count", line->has & LAKE_HAS_DELETED_ROWS, line->deleted_rows},
    };
    lake_buffer_puts(out, "{\"manifest_path\":");
    lake_json_quote(out, line->path);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].has)
            lake_buffer_printf(out, ",\"%s\":%lld", members[i].name, (long long)members[i].value);
    print_summaries(out, line);
    lake_buffer_char(out, '}');
}

/* ---- lake_manifest_write */

/* "dir/m.avro" -> "dir/m.stats" */
static lake_str beside(lake_arena *arena, const char *location) {
    const char *slash = strrchr(location, '/'), *dot = strrchr(location, '.');
    if (!dot || (slash && dot <= slash + 1) || dot == location)
        dot = location + strlen(location);
    return lake_arena_printf(arena, "%.*s.stats", (int)(dot - location), location);
}

/* The sketches, and their line for the sink; no snapshot is known yet. */
static lake_status write_sketches(output *o, lake_buffer *text, lake_error *err) {
    const lake_manifest_files *f = o->files;
    lake_str at = beside(o->arena, o->location), recorded;
    lake_json *entry;
    if (!at.ptr)
        return lake_fail_memory(err);
    LAKE_TRY(lake_location_recorded(&o->session->store, o->arena, at.ptr, &recorded, err));
    LAKE_TRY(lake_statistics_write(
        &o->session->store, at, recorded, -1, -1, f->sketches, f->nsketches, o->arena, &entry, err));
    o->sketches = at;
    lake_json_print(text, entry, 0);
    lake_buffer_char(text, '\n');
    return lake_buffer_check(text, err);
}

static lake_status print_lines(output *o, const lake_sink *sink, lake_error *err) {
    lake_buffer text;
    lake_buffer_init(&text);
    for (size_t i = 0; i < o->nlines; i++) {
        lake_manifest_file_print(&text, &o->lines[i]);
        lake_buffer_char(&text, '\n');
    }
    lake_status status = lake_buffer_check(&text, err);
    if (status == LAKE_OK && o->files->nsketches)
        status = write_sketches(o, &text, err);
    if (status == LAKE_OK && sink)
        status = sink->write(sink->user, text.data, text.len, err);
    lake_buffer_clear(&text);
    return status;
}

lake_status lake_manifest_files_publish(lake_session *session, const lake_manifest_options *options,
    const lake_manifest_files *files, lake_arena *arena, const lake_sink *sink, lake_error *err) {
    int64_t id = 0;
    bool draw = files->format_version == 1; /* later versions inherit it */
    if (draw)
        LAKE_TRY(lake_snapshot_id_draw(&id, err));
    output o = {.session = session,
        .files = files,
        .location = options->output,
        .target_size = options->target_size,
        .arena = arena};
    LAKE_TRY(write_manifests(&o, draw, id, err));
    lake_status status = print_lines(&o, sink, err);
    if (status != LAKE_OK)
        take_back(&o);
    return status;
}

static lake_status build_and_write(lake_session *session, const lake_manifest_options *options, const lake_sink *sink,
    lake_arena *arena, lake_error *err) {
    lake_manifest_files files;
    const lake_metadata *metadata = options->table ? options->table->metadata : NULL;
    LAKE_TRY(lake_manifest_files_build(session, options, metadata, arena, &files, err));
    return lake_manifest_files_publish(session, options, &files, arena, sink, err);
}

lake_status lake_manifest_write(
    lake_session *session, const lake_manifest_options *options, const lake_sink *sink, lake_error *err) {
    if (options->version != LAKE_MANIFEST_OPTIONS_VERSION)
        return lake_fail(err, LAKE_ERR_USAGE, "lake_manifest_options: version %u is not known", options->version);
    if (!options->output || !*options->output)
        return lake_fail(err, LAKE_ERR_USAGE, "the manifest's location is missing");
    if (!options->nfiles)
        return lake_fail(err, LAKE_ERR_USAGE, "no data files are given");
    if (options->target_size <= 0 && lake_store_exists(&session->store, lake_str_of(options->output)))
        return lake_fail(err, LAKE_ERR_EXISTS, "%s: exists already", options->output);
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_status status = build_and_write(session, options, sink, &arena, err);
    lake_arena_clear(&arena);
    return status;
}
