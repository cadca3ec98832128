/* Plans of directories without a table's metadata: folders are listed as far as their partition values can match, the
   footers of the files read once, and both become what manifests say of a table's files. From there on the plan is like
   any other. */
#include "planner/listing.h"

#include "planner/leaves.h"
#include "reader/footer_memory.h"

enum { REMEMBERED = 1 << 28 }; /* bytes of footers */

const lake_store *plan_store(const lake_plan *plan) {
    return plan->listing ? &plan->listing->store : &plan->table->session->store;
}

static lake_status begin(plan_listing *l, lake_error *err) {
    const lake_plan_options *o = &l->plan->options;
    lake_json *json;
    if (o->has_from_snapshot || o->has_to_snapshot || o->snapshot.has_snapshot_id || o->snapshot.has_as_of ||
        o->snapshot.ref)
        return lake_fail(err, LAKE_ERR_USAGE, "a directory of files has no snapshots");
    if (l->options->schema_json) {
        LAKE_TRY(lake_json_parse(&l->arena, lake_str_of(l->options->schema_json), "schema", &json, err));
        LAKE_TRY_WRAP(lake_schema_read(&l->arena, json, &l->given, err), err, "schema");
    }
    LAKE_TRY(listing_read_types(l, err));
    if ((o->row_groups || l->keep_footers) && !(l->store.footers = lake_footer_memory_new(REMEMBERED)))
        return lake_fail_memory(err);
    return plan_parse(l->plan, &l->tree, err);
}

/* From the beginning, but for what is known of the keys. */
static void restart(plan_listing *l) {
    lake_walk_clear(&l->walk);
    l->counts = (lake_plan_listing){0};
    l->seen = NULL;
    l->nseen = l->seen_slots = l->npruned = l->ndecisions = 0;
    l->decisions = NULL;
    l->decisions_end = &l->decisions;
    l->unseen = SIZE_MAX;
    l->bound_keys = SIZE_MAX; /* what is bound may lie in memory that was used for something else */
    l->again = false;
}

/* Each round but the last widens the type of some key, so there are few. */
static lake_status list(plan_listing *l, const char *const *paths, size_t n, lake_error *err) {
    lake_str *locations = LAKE_ARENA_ARRAY(&l->arena, lake_str, n + 1);
    if (!locations)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        locations[i] = lake_str_of(paths[i]);
    l->location = lake_arena_str(&l->arena, locations[0].ptr, locations[0].len);
    if (!l->location.ptr)
        return lake_fail_memory(err);
    lake_walk_options options = {.threads = l->session->threads,
        .max_depth = l->options->max_depth,
        .max_folders = l->options->max_folders,
        .max_files = l->options->max_files,
        .level = listing_level,
        .hidden = listing_hidden,
        .user = l};
    do {
        restart(l);
        l->began = lake_now_ms() * 1000000;
        LAKE_TRY(lake_store_walk(&l->session->store, locations, n, &options, &l->walk, err));
    } while (l->again);
    l->counts.listed_folders = (int64_t)l->walk.listed;
    l->counts.empty_files = (int64_t)l->walk.empty;
    return LAKE_OK;
}

/* ---- the table that it might be */
static lake_status make_table(plan_listing *l, lake_error *err) {
    lake_plan *plan = l->plan;
    lake_table *t = lake_mem_zalloc(1, sizeof *t);
    if (!t)
        return lake_fail_memory(err);
    plan->table = t;
    t->session = l->session;
    lake_arena_init(&t->arena, 0);
    lake_metadata *m = LAKE_ARENA_NEW(&l->arena, lake_metadata);
    lake_schema **schemas = LAKE_ARENA_ARRAY(&l->arena, lake_schema *, 1);
    lake_spec **specs = LAKE_ARENA_ARRAY(&l->arena, lake_spec *, 1), *spec = LAKE_ARENA_NEW(&l->arena, lake_spec);
    if (!m || !schemas || !specs || !spec)
        return lake_fail_memory(err);
    LAKE_TRY(listing_make_spec(l, &l->arena, l->schema, spec, err));
    schemas[0] = l->schema;
    specs[0] = spec;
    lake_str location = l->location;
    *m = (lake_metadata){.format_version = 2,
        .location = location,
        .schemas = schemas,
        .nschemas = 1,
        .schema = l->schema,
        .specs = specs,
        .nspecs = 1,
        .spec = spec};
    t->metadata = m;
    t->at = (lake_table_pointer){.directory = location, .metadata_location = location, .version = -1};
    plan->planning = (lake_planning_table){.metadata = m, .schema = l->schema, .from_names = true};
    return LAKE_OK;
}

/* All files are in one manifest, as it were. */
static lake_status make_line(plan_listing *l, lake_error *err) {
    lake_plan *plan = l->plan;
    lake_manifest_file *line = LAKE_ARENA_NEW(&l->arena, lake_manifest_file);
    plan_manifest *m = LAKE_ARENA_NEW(&l->arena, plan_manifest);
    if (!line || !m)
        return lake_fail_memory(err);
    line->path = l->plan->table->metadata->location;
    for (size_t i = 0; i < l->nfiles; i++)
        if (__builtin_add_overflow(line->added_rows, l->files[i].rows, &line->added_rows))
            return lake_fail(err, LAKE_ERR_LIMIT, "%.*s: the files have more than 2^63 rows", LAKE_ARG(line->path));
    line->added_files = (int64_t)l->nfiles;
    if (!l->counts.pruned_folders) /* else nobody knows how many there are */
        line->has = LAKE_HAS_ADDED_FILES | LAKE_HAS_EXISTING_FILES | LAKE_HAS_ADDED_ROWS | LAKE_HAS_EXISTING_ROWS;
    *m = (plan_manifest){.line = line, .scanned = true};
    m->tasks_end = &m->tasks;
    m->deletes_end = &m->deletes;
    m->decisions_end = &m->decisions;
    plan->lines = line;
    plan->manifests = m;
    plan->nlines = 1;
    return LAKE_OK;
}

/* ---- files */
static lake_status entry_of(plan_listing *l, const listing_file *f, lake_entry *out, lake_error *err) {
    lake_datum *tuple;
    *out = (lake_entry){.status = LAKE_ENTRY_ADDED,
        .file_path = f->file->path,
        .file_format = LAKE_STR("PARQUET"),
        .record_count = f->rows,
        .file_size = (int64_t)f->file->size,
        .columns = f->columns,
        .ncolumns = f->ncolumns,
        .split_offsets = f->split_offsets,
        .nsplit_offsets = f->nsplit_offsets};
    LAKE_TRY(listing_tuple(l, &l->arena, f->file->folder->data, f->file->path, &tuple, &out->npartition, err));
    out->partition = tuple;
    return LAKE_OK;
}

static lake_status keep(plan_listing *l, plan_manifest *m, const lake_entry *e, bool all_match, lake_error *err) {
    plan_task *task = LAKE_ARENA_NEW(&l->arena, plan_task);
    if (!task)
        return lake_fail_memory(err);
    task->entry = *e;
    task->spec = l->plan->table->metadata->spec;
    bool all = l->plan->options.stats || l->plan->options.narrowable;
    task->all_columns = all ? e->columns : NULL;
    task->nall_columns = all ? e->ncolumns : 0;
    task->view = (lake_scan_task){.path = e->file_path,
        .format = plan_format_name(e->file_format),
        .record_count = e->record_count,
        .file_size = e->file_size,
        .match_all = all_match,
        .total_row_groups = -1};
    task->sure_rows = plan_sure_rows(e, all_match, NULL, NULL, 0);
    task->decision = m->last_decision;
    if (task->decision)
        task->decision->task = task;
    *m->tasks_end = task;
    m->tasks_end = &task->next;
    m->ntasks++;
    m->kept_rows = lake_total_add(m->kept_rows, e->record_count);
    m->kept_bytes = lake_total_add(m->kept_bytes, e->file_size);
    m->match_all += all_match;
    if (__builtin_add_overflow(m->sure_rows, task->sure_rows, &m->sure_rows))
        m->sure_rows = INT64_MAX;
    return LAKE_OK;
}

static lake_status judge(plan_listing *l, plan_worker *w, plan_maker *maker, const lake_entry *e, lake_error *err) {
    lake_plan *plan = l->plan;
    plan_manifest *m = plan->manifests;
    lake_outcomes out = plan->bound->constant;
    bool empty = e->record_count == 0 && !plan->trivial;
    m->scanned_bytes = lake_total_add(m->scanned_bytes, e->file_size);
    lake_arena_reset(&w->scratch);
    if (plan->bound->nterms && !empty) {
        if (!lake_facts_of_entry(maker->maker, e, false, &w->scratch, w->facts))
            return lake_fail_memory(err);
        out = lake_bound_evaluate(plan->bound, w->facts);
        plan_leaves_see_file(plan, w, maker->maker, e);
    }
    bool kept = !empty && (out & LAKE_T);
    if (plan->options.explain) {
        const char *reason = empty ? "the file has no records"
            : !kept                ? "no row can match"
            : out == LAKE_T        ? "every row matches"
                                   : "some rows may match";
        LAKE_TRY(plan_decide(plan, w, m, 1, e->file_path, kept, reason, !empty, err));
    }
    if (kept)
        return keep(l, m, e, out == LAKE_T, err);
    m->skipped_files++;
    return LAKE_OK;
}

static lake_status judge_all(plan_listing *l, lake_error *err) {
    lake_plan *plan = l->plan;
    plan_worker *w = &plan->workers[0];
    plan_maker *maker;
    LAKE_TRY(plan_maker_get(plan, w, plan->table->metadata->spec, &maker, err));
    for (size_t i = 0; i < l->nfiles; i++) {
        lake_entry e;
        LAKE_TRY(entry_of(l, &l->files[i], &e, err));
        LAKE_TRY(judge(l, w, maker, &e, err));
    }
    return LAKE_OK;
}

/* Decisions about folders stand before those about files. */
static void join_decisions(plan_listing *l) {
    plan_manifest *m = l->plan->manifests;
    if (!l->decisions)
        return;
    *l->decisions_end = m->decisions;
    m->decisions = l->decisions;
    m->ndecisions += l->ndecisions;
}

typedef struct given {
    const char *const *paths;
    size_t n;
} given;

static void forget_files(plan_listing *l) {
    for (unsigned i = 0; i < l->narenas; i++)
        lake_arena_clear(&l->arenas[i]);
    l->narenas = 0;
    l->nfiles = l->nschemas = l->schemas_room = 0;
    l->schemas = NULL;
    l->schema = NULL;
    lake_table_close(l->plan->table);
    l->plan->table = NULL;
}

/* A type for a column that no folder names is a slip of the pen. All paths have the same columns. */
static lake_status check_types(const plan_listing *l, lake_error *err) {
    for (size_t i = 0; i < l->ntypes && l->nschemas; i++) {
        size_t k = 0;
        while (k < l->nkeys && !lake_str_eq(l->keys[k].name, l->types[i].name))
            k++;
        if (k == l->nkeys)
            return lake_fail(
                err, LAKE_ERR_USAGE, "partition types: no folder is named %.*s=…", LAKE_ARG(l->types[i].name));
    }
    return LAKE_OK;
}

/* All that is known before files are judged. */
static lake_status discover(plan_listing *l, const given *g, lake_error *err) {
    LAKE_TRY(list(l, g->paths, g->n, err));
    listing_set_types(l);
    LAKE_TRY(listing_read_files(l, err));
    if (!l->nfiles)
        LAKE_TRY(listing_probe(l, err));
    if (!l->nfiles && !l->counts.pruned_folders)
        return lake_fail(err, LAKE_ERR_NOT_FOUND, "%.*s: no Parquet file is here", LAKE_ARG(l->location));
    LAKE_TRY(listing_make_schema(l, err));
    LAKE_TRY(check_types(l, err));
    LAKE_TRY(make_table(l, err));
    return plan_bind(l->plan, l->tree, l->schema, err);
}

/* Does the predicate go with the columns if those partition columns are strings that are in `mask`? */
static bool binds_as_strings(plan_listing *l, size_t mask) {
    lake_bind_options options = plan_bind_options(l->plan);
    lake_schema copy = *l->schema;
    lake_bound *bound;
    lake_arena_reset(&l->round);
    copy.root.fields = LAKE_ARENA_ARRAY(&l->round, lake_field, copy.root.nfields + 1);
    for (size_t i = 0; copy.root.fields && i < copy.root.nfields; i++) {
        lake_field *f = &copy.root.fields[i];
        *f = (lake_field){.id = l->schema->root.fields[i].id,
            .name = l->schema->root.fields[i].name,
            .type = l->schema->root.fields[i].type};
        for (size_t k = 0; k < l->nkeys; k++)
            if ((mask >> k & 1) && lake_str_eq(l->keys[k].name, f->name))
                f->type = (lake_type){.id = LAKE_STRING};
    }
    return copy.root.fields && lake_schema_index(&l->round, &copy, NULL) == LAKE_OK &&
        lake_bind(&l->round, l->tree, &copy, &options, &bound, NULL) == LAKE_OK;
}

static bool is_term(const lake_bound *bound, lake_str name) {
    for (size_t i = 0; bound && i < bound->nterms; i++)
        if (!bound->terms[i].field->parent && lake_str_eq(bound->terms[i].field->name, name))
            return true;
    return false;
}

/* Partition columns of which not all values were seen, and which the predicate would take as strings, too: if a value
   that was not seen is no number, it means something else. Dates are in one order either way. */
static bool types_matter(plan_listing *l, bool bound) {
    enum { MOST = 6 };
    size_t open = 0;
    for (size_t k = l->unseen; k < l->nkeys && k < MOST; k++) {
        bool inferred = !l->keys[k].given && l->keys[k].type.id != LAKE_STRING;
        if (!inferred)
            continue;
        open |= (size_t)1 << k;
        if (bound && l->keys[k].type.id == LAKE_LONG && is_term(l->plan->bound, l->keys[k].name) &&
            binds_as_strings(l, (size_t)1 << k))
            return true;
    }
    for (size_t mask = 1; !bound && mask < (size_t)1 << MOST; mask++)
        if ((mask & open) == mask && binds_as_strings(l, mask))
            return true;
    return false;
}

/* Lists all folders, for the types of their values, which then stay. */
static lake_status learn_types(plan_listing *l, const given *g, lake_error *err) {
    forget_files(l);
    l->complete = true;
    lake_status s = list(l, g->paths, g->n, err);
    l->complete = false;
    for (size_t i = 0; i < l->nkeys; i++)
        l->keys[i].frozen = false;
    listing_set_types(l);
    for (size_t i = 0; i < l->nkeys; i++)
        l->keys[i].given = true;
    return s;
}

static lake_status run(lake_plan *plan, void *user, lake_error *err) {
    plan_listing *l = plan->listing;
    const given *g = user;
    LAKE_TRY(begin(l, err));
    lake_status s = discover(l, g, err);
    if ((s == LAKE_OK || s == LAKE_ERR_USAGE) && l->schema && types_matter(l, s == LAKE_OK)) {
        LAKE_TRY(learn_types(l, g, err));
        s = discover(l, g, err);
    }
    if (s == LAKE_ERR_USAGE && l->counts.pruned_folders) { /* a file of a pruned folder may have the missing column */
        forget_files(l);
        l->complete = true;
        s = discover(l, g, err);
        l->complete = false;
    }
    LAKE_TRY(s);
    LAKE_TRY(plan_limit_begin(plan, err));
    LAKE_TRY(plan_open_workers(plan, err));
    LAKE_TRY(plan_leaves_prepare(plan, err));
    LAKE_TRY(make_line(l, err));
    LAKE_TRY(judge_all(l, err));
    join_decisions(l);
    plan_count_lines(plan);
    LAKE_TRY(plan_gather(plan, err));
    plan->counts.total_data_manifests = plan->counts.scanned_data_manifests = 0;
    plan_limit_apply(plan);
    LAKE_TRY(plan_order_apply(plan, err));
    if (plan->options.row_groups)
        LAKE_TRY(plan_row_groups(plan, err));
    plan_leaves_gather(plan);
    plan_order_renumber(plan);
    l->counts.partition_columns = (int64_t)l->nkeys;
    l->options = NULL; /* the caller's */
    return LAKE_OK;
}

void plan_listing_close(plan_listing *l) {
    if (!l)
        return;
    for (unsigned i = 0; i < l->narenas; i++)
        lake_arena_clear(&l->arenas[i]);
    lake_walk_clear(&l->walk);
    lake_footer_memory_free(l->store.footers);
    lake_arena_clear(&l->round);
    lake_arena_clear(&l->arena);
    lake_mem_free(l);
}

lake_status plan_open_paths(lake_session *session, const char *const *paths, size_t npaths,
    const lake_listing_options *listing, const lake_plan_options *options, bool keep_footers, lake_plan **out,
    lake_error *err) {
    static const lake_listing_options defaults = LAKE_LISTING_OPTIONS_INIT;
    *out = NULL;
    if (!session || !npaths)
        return lake_fail(err, LAKE_ERR_USAGE, "no directory is named");
    lake_plan *plan = plan_new(options);
    plan_listing *l = plan ? lake_mem_zalloc(1, sizeof *l) : NULL;
    if (!l) {
        lake_plan_close(plan);
        return lake_fail_memory(err);
    }
    lake_arena_init(&l->arena, 0);
    lake_arena_init(&l->round, 0);
    l->plan = plan;
    l->session = session;
    l->store = session->store;
    l->keep_footers = keep_footers;
    l->options = listing ? listing : &defaults;
    l->bound_keys = SIZE_MAX;
    l->decisions_end = &l->decisions;
    plan->listing = l;
    given g = {paths, npaths};
    return plan_open_by(plan, run, &g, out, err);
}

lake_status lake_plan_open_paths(lake_session *session, const char *const *paths, size_t npaths,
    const lake_listing_options *listing, const lake_plan_options *options, lake_plan **out, lake_error *err) {
    return plan_open_paths(session, paths, npaths, listing, options, false, out, err);
}

int lake_plan_listing_of(const lake_plan *plan, lake_plan_listing *out) {
    if (plan->listing)
        *out = plan->listing->counts;
    return plan->listing != NULL;
}

void plan_listing_json(const lake_plan *plan, lake_buffer *out) {
    if (!plan->listing)
        return;
    const lake_plan_listing *c = &plan->listing->counts;
    lake_buffer_printf(out,
        ",\"listing\":{\"found-folders\":%lld,\"listed-folders\":%lld,\"pruned-folders\":%lld,\"data-files\":%lld,"
        "\"empty-files\":%lld,\"other-files\":%lld,\"repeated-files\":%lld,\"read-footers\":%lld,"
        "\"cached-footers\":%lld}",
        (long long)c->found_folders, (long long)c->listed_folders, (long long)c->pruned_folders,
        (long long)c->data_files, (long long)c->empty_files, (long long)c->other_files, (long long)c->repeated_files,
        (long long)c->read_footers, (long long)c->cached_footers);
}

const lake_schema *plan_listing_file_schema(const lake_plan *plan) {
    return plan->listing ? plan->listing->file_schema : NULL;
}
