/* Footers of the files that a listing found, each read once and in parallel: rows, statistics under the rules of who
   wrote them (reader/parquet_trust.c), and the schema, of which equal ones are kept once. */
#include <stdlib.h>

#include "planner/listing.h"
#include "reader/data_file.h"

/* What one worker has. */
typedef struct reading_worker {
    lake_arena scratch;
    listing_schema *schemas;
    size_t nschemas, room;
    lake_buffer text;
} reading_worker;

typedef struct reading {
    plan_listing *l;
    reading_worker *workers;
} reading;

/* ---- the same file twice */
static int by_identity(const void *a, const void *b) {
    const lake_walk_file *x = *(const lake_walk_file *const *)a, *y = *(const lake_walk_file *const *)b;
    if (x->folder->device != y->folder->device)
        return x->folder->device < y->folder->device ? -1 : 1;
    if (x->folder->inode != y->folder->inode)
        return x->folder->inode < y->folder->inode ? -1 : 1;
    int c = lake_bytes_cmp(lake_bytes_of(x->name), lake_bytes_of(y->name));
    if (c || x->given != y->given) /* the path that a folder gave comes first */
        return c ? c : (x->given ? 1 : -1);
    return (x > y) - (x < y); /* files lie in the order of their paths */
}

static lake_status once(plan_listing *l, bool **repeated, lake_error *err) {
    size_t n = l->walk.nfiles;
    const lake_walk_file **list = lake_mem_zalloc(n + 1, sizeof *list);
    *repeated = LAKE_ARENA_ARRAY(&l->arena, bool, n + 1);
    if (!list || !*repeated) {
        lake_mem_free(list);
        return lake_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++)
        list[i] = &l->walk.files[i];
    qsort(list, n, sizeof *list, by_identity);
    for (size_t i = 0, first = 0; i < n; i++) {
        const lake_walk_file *a = list[first], *b = list[i];
        if (a->folder->device != b->folder->device || a->folder->inode != b->folder->inode ||
            !lake_str_eq(a->name, b->name))
            first = i;
        for (size_t k = first; k < i && !(*repeated)[b - l->walk.files]; k++) /* another link may give other values */
            (*repeated)[b - l->walk.files] = listing_same_values(list[k]->folder->data, b->folder->data);
    }
    lake_mem_free(list);
    return LAKE_OK;
}

/* ---- one footer, by any thread */
static bool named_parquet(lake_str name) {
    static const char *const endings[] = {".parquet", ".parq", ".pq"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (name.len >= n && strncasecmp(name.ptr + name.len - n, endings[i], n) == 0)
            return true;
    }
    return false;
}

/* By its last bytes. */
static lake_status looks_parquet(plan_listing *l, const lake_walk_file *file, bool *is, lake_error *err) {
    lake_file *f;
    char magic[4];
    *is = file->given || named_parquet(file->name);
    if (*is || file->size < 12)
        return LAKE_OK;
    LAKE_TRY(lake_store_open(&l->session->store, file->path, &f, err));
    uint64_t size = lake_file_size(f);
    lake_status s = size < 12 ? LAKE_OK : lake_file_read(f, size - 4, magic, sizeof magic, err);
    *is = s == LAKE_OK && size >= 12 && (!memcmp(magic, "PAR1", 4) || !memcmp(magic, "PARE", 4));
    lake_file_close(f);
    return s;
}

static lake_status schema_text(reading_worker *w, const lake_schema *schema, lake_str *out, lake_error *err) {
    lake_json *json = lake_schema_write(&w->scratch, schema);
    lake_buffer_reset(&w->text);
    if (!json)
        return lake_fail_memory(err);
    lake_json_print(&w->text, json, 0);
    *out = lake_buffer_view(&w->text);
    return lake_buffer_check(&w->text, err);
}

static lake_status keep_schema(
    reading_worker *w, lake_arena *arena, lake_str text, size_t file, listing_schema *found, lake_error *err) {
    uint64_t hash = lake_fnv1a(text.ptr, text.len);
    for (size_t i = 0; i < w->nschemas; i++)
        if (w->schemas[i].hash == hash && lake_str_eq(w->schemas[i].text, text)) {
            w->schemas[i].first = file < w->schemas[i].first ? file : w->schemas[i].first;
            *found = w->schemas[i];
            return LAKE_OK;
        }
    if (!lake_tree_grow(arena, &w->schemas, sizeof *w->schemas, w->nschemas, &w->room))
        return lake_fail_memory(err);
    *found = (listing_schema){.text = lake_arena_str(arena, text.ptr, text.len), .hash = hash, .first = file};
    if (!found->text.ptr)
        return lake_fail_memory(err);
    w->schemas[w->nschemas++] = *found;
    return LAKE_OK;
}

static lake_status keep_bound(
    lake_arena *arena, const lake_type *type, lake_key key, lake_bytes *out, lake_error *err) {
    uint8_t scratch[16];
    lake_bytes b = lake_value_to_binary(type, key, scratch);
    *out = lake_arena_bytes(arena, b.ptr, b.len);
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

static lake_status keep_columns(lake_arena *arena, const lake_file_stats *stats, listing_file *out, lake_error *err) {
    out->columns = LAKE_ARENA_ARRAY(arena, lake_column_metrics, stats->ncolumns + 1);
    if (!out->columns)
        return lake_fail_memory(err);
    out->ncolumns = stats->ncolumns;
    for (size_t i = 0; i < stats->ncolumns; i++) {
        const lake_column_stats *c = &stats->columns[i];
        lake_column_metrics *m = &out->columns[i];
        *m = (lake_column_metrics){.id = c->field->id,
            .has = LAKE_METRIC_SIZE | (c->values >= 0 ? LAKE_METRIC_VALUES : 0) |
                (c->nulls >= 0 ? LAKE_METRIC_NULLS : 0) | (c->nans >= 0 ? LAKE_METRIC_NANS : 0),
            .size = c->column_size,
            .values = c->values,
            .nulls = c->nulls,
            .nans = c->nans};
        if (!c->has_min || !c->has_max)
            continue;
        LAKE_TRY(keep_bound(arena, &c->field->type, c->min, &m->lower, err));
        LAKE_TRY(keep_bound(arena, &c->field->type, c->max, &m->upper, err));
    }
    return LAKE_OK;
}

static lake_status tick(plan_listing *l, lake_error *err) {
    lake_session *s = l->session;
    if (!s->progress)
        return LAKE_OK;
    pthread_mutex_lock(l->plan->lock);
    int stop = s->progress(s->progress_user, "footers", ++l->plan->done, l->nfiles);
    pthread_mutex_unlock(l->plan->lock);
    return stop ? lake_fail(err, LAKE_ERR_CANCELLED, "planning was cancelled") : LAKE_OK;
}

/* `schema` keeps its ptr NULL if it is no Parquet file. */
static lake_status read_footer(
    plan_listing *l, reading_worker *w, lake_arena *arena, listing_file *f, lake_str *schema, lake_error *err) {
    lake_file_stats stats = {0};
    bool parquet;
    LAKE_TRY(looks_parquet(l, f->file, &parquet, err));
    if (!parquet)
        return LAKE_OK;
    lake_file_stats_options options = {.footer_only = true, .threads = 1};
    LAKE_TRY(lake_parquet_stats_read(&l->store, f->file->path, &options, &w->scratch, &stats, err));
    f->rows = stats.record_count;
    f->nsplit_offsets = stats.nsplit_offsets;
    int64_t *offsets = LAKE_ARENA_ARRAY(arena, int64_t, stats.nsplit_offsets + 1);
    if (!offsets)
        return lake_fail_memory(err);
    if (stats.nsplit_offsets)
        memcpy(offsets, stats.split_offsets, stats.nsplit_offsets * sizeof *offsets);
    f->split_offsets = offsets;
    LAKE_TRY(keep_columns(arena, &stats, f, err));
    return schema_text(w, stats.schema, schema, err);
}

static lake_status read_one(void *user, size_t index, unsigned worker, lake_error *err) {
    reading *r = user;
    plan_listing *l = r->l;
    reading_worker *w = &r->workers[worker];
    lake_arena *arena = &l->arenas[worker];
    listing_file *f = &l->files[index];
    listing_schema found = {0};
    lake_str schema = {0};
    LAKE_TRY(tick(l, err));
    lake_arena_reset(&w->scratch);
    listing_file known = {.file = f->file, .cached = true};
    if (listing_recall(l, f->file, &w->scratch, arena, &known, &schema)) {
        *f = known;
    } else {
        LAKE_TRY(read_footer(l, w, arena, f, &schema, err));
        listing_remember(l, &w->scratch, f, schema);
    }
    if (!schema.ptr)
        return LAKE_OK;
    f->schema = LAKE_ARENA_NEW(arena, listing_schema);
    if (!f->schema)
        return lake_fail_memory(err);
    LAKE_TRY(keep_schema(w, arena, schema, index, &found, err));
    *f->schema = found; /* replaced by the one that all share */
    return LAKE_OK;
}

/* ---- all */
static lake_status share_schema(plan_listing *l, listing_file *f, lake_error *err) {
    for (size_t i = 0; i < l->nschemas; i++)
        if (l->schemas[i]->hash == f->schema->hash && lake_str_eq(l->schemas[i]->text, f->schema->text)) {
            f->schema = l->schemas[i];
            return LAKE_OK;
        }
    if (!lake_tree_grow(&l->arena, &l->schemas, sizeof(listing_schema *), l->nschemas, &l->schemas_room))
        return lake_fail_memory(err);
    lake_json *json;
    f->schema->first = (size_t)(f - l->files);
    LAKE_TRY(lake_json_parse(&l->arena, f->schema->text, "schema", &json, err));
    LAKE_TRY_WRAP(lake_schema_read(&l->arena, json, &f->schema->schema, err), err, "%.*s", LAKE_ARG(f->file->path));
    l->schemas[l->nschemas++] = f->schema;
    return LAKE_OK;
}

/* Every file has a value for every partition column. */
static lake_status check_keys(const plan_listing *l, lake_error *err) {
    const listing_file *deep = NULL;
    for (size_t i = 0; i < l->nfiles; i++)
        if (!deep || listing_depth(l->files[i].file->folder->data) > listing_depth(deep->file->folder->data))
            deep = &l->files[i];
    for (size_t i = 0; i < l->nfiles; i++) {
        size_t n = listing_depth(l->files[i].file->folder->data);
        if (n < listing_depth(deep->file->folder->data))
            return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: its path gives no value of %.*s, as that of %.*s does",
                LAKE_ARG(l->files[i].file->path), LAKE_ARG(l->keys[n].name), LAKE_ARG(deep->file->path));
    }
    return LAKE_OK;
}

static lake_status read_all(reading *r, lake_error *err) {
    plan_listing *l = r->l;
    size_t kept = 0;
    l->counts.cached_footers = l->counts.read_footers = 0;
    lake_status s = lake_parallel(l->nfiles, l->narenas, read_one, r, err);
    if (l->session->footers)
        (void)lake_cache_flush(l->session->footers); /* the plan is the same without */
    LAKE_TRY(s);
    for (size_t i = 0; i < l->nfiles; i++) {
        l->counts.cached_footers += l->files[i].cached && l->files[i].schema;
        l->counts.read_footers += !l->files[i].cached && l->files[i].schema;
        if (!l->files[i].schema) {
            l->counts.other_files++;
            continue;
        }
        l->files[kept] = l->files[i];
        LAKE_TRY(share_schema(l, &l->files[kept++], err));
    }
    l->nfiles = kept;
    l->counts.data_files = (int64_t)kept;
    return check_keys(l, err);
}

static lake_status choose_files(plan_listing *l, lake_error *err) {
    bool *repeated;
    LAKE_TRY(once(l, &repeated, err));
    l->files = LAKE_ARENA_ARRAY(&l->arena, listing_file, l->walk.nfiles + 1);
    if (!l->files)
        return lake_fail_memory(err);
    for (size_t i = 0; i < l->walk.nfiles; i++) {
        if (repeated[i])
            l->counts.repeated_files++;
        else
            l->files[l->nfiles++].file = &l->walk.files[i];
    }
    return LAKE_OK;
}

lake_status listing_read_files(plan_listing *l, lake_error *err) {
    unsigned n = l->session->threads ? l->session->threads : lake_threads_default();
    reading r = {.l = l};
    LAKE_TRY(choose_files(l, err));
    l->arenas = LAKE_ARENA_ARRAY(&l->arena, lake_arena, n);
    r.workers = LAKE_ARENA_ARRAY(&l->arena, reading_worker, n);
    if (!l->arenas || !r.workers)
        return lake_fail_memory(err);
    l->narenas = n;
    for (unsigned i = 0; i < n; i++) {
        lake_arena_init(&l->arenas[i], 0);
        lake_arena_init(&r.workers[i].scratch, 0);
        lake_buffer_init(&r.workers[i].text);
    }
    lake_status s = read_all(&r, err);
    for (unsigned i = 0; i < n; i++) {
        lake_arena_clear(&r.workers[i].scratch);
        lake_buffer_clear(&r.workers[i].text);
    }
    return s;
}

/* ---- when all folders fell away */
enum { MOST_PROBES = 64 };

static int by_text(const void *a, const void *b) {
    return lake_bytes_cmp(lake_bytes_of(*(const lake_str *)a), lake_bytes_of(*(const lake_str *)b));
}

static bool hidden(lake_str name) {
    return !name.len || name.ptr[0] == '.' || (name.ptr[0] == '_' && !memchr(name.ptr, '=', name.len));
}

static lake_status take_probe(plan_listing *l, lake_str path, bool *found, lake_error *err) {
    lake_walk_file *file = LAKE_ARENA_NEW(&l->arena, lake_walk_file);
    listing_schema *s = LAKE_ARENA_NEW(&l->arena, listing_schema);
    const listing_value *values;
    uint64_t size = 0;
    if (!file || !s)
        return lake_fail_memory(err);
    if (lake_store_size(&l->session->store, path, &size, NULL) != LAKE_OK || !size)
        return LAKE_OK;
    LAKE_TRY(lake_schema_from_parquet(&l->session->store, path, &l->arena, &s->schema, err));
    LAKE_TRY(listing_read_path(l, path, &values, err));
    listing_set_types(l);
    file->path = path;
    l->files[0] = (listing_file){.file = file, .schema = s}; /* for errors: it is none of the plan's */
    if (!lake_tree_grow(&l->arena, &l->schemas, sizeof(listing_schema *), l->nschemas, &l->schemas_room))
        return lake_fail_memory(err);
    l->schemas[l->nschemas++] = s;
    *found = true;
    return LAKE_OK;
}

/* Depth first, in order of names; a folder that cannot be listed says nothing. */
static lake_status probe_folder(plan_listing *l, lake_str folder, unsigned *left, bool *found, lake_error *err) {
    lake_str *names;
    size_t n;
    if (!*left)
        return LAKE_OK;
    --*left;
    for (int folders = 0; folders < 2; folders++) {
        lake_status s = folders ? lake_store_list_folders(&l->session->store, &l->arena, folder, &names, &n, NULL)
                                : lake_store_list(&l->session->store, &l->arena, folder, &names, &n, NULL);
        if (s != LAKE_OK)
            return s == LAKE_ERR_NO_MEMORY ? lake_fail_memory(err) : LAKE_OK;
        if (n)
            qsort(names, n, sizeof *names, by_text);
        for (size_t i = 0; i < n && !*found; i++) {
            if (hidden(names[i]) || (!folders && !named_parquet(names[i])))
                continue;
            lake_str path = lake_arena_printf(&l->arena, "%.*s/%.*s", LAKE_ARG(folder), LAKE_ARG(names[i]));
            if (!path.ptr)
                return lake_fail_memory(err);
            LAKE_TRY(folders ? probe_folder(l, path, left, found, err) : take_probe(l, path, found, err));
        }
    }
    return LAKE_OK;
}

lake_status listing_probe(plan_listing *l, lake_error *err) {
    unsigned left = MOST_PROBES; /* also what bounds the depth */
    bool found = false;
    for (size_t i = 0; i < l->npruned && !found; i++)
        LAKE_TRY(probe_folder(l, l->pruned[i], &left, &found, err));
    return LAKE_OK;
}
