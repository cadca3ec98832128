/* Which folders are listed: the predicate is bound to the partition columns whose values are known at this level, all
   its other parts being opaque, and asked about each folder's values. Values are compared decoded, so that no spelling
   of a name can lead astray. */
#include "planner/listing.h"

#include "planner/fact_maker.h"
#include "planner/members.h"

/* ---- the predicate, as far as it is about the keys */
static bool known(const plan_listing *l, const lake_schema *schema, const lake_column_ref *ref) {
    const lake_field *hit;
    bool sensitive = plan_bind_options(l->plan).case_sensitive;
    if (ref->by_id)
        return false;
    size_t n = ref->dotted ? lake_schema_find_name(schema, ref->parts[0], sensitive, &hit, 1)
                           : lake_schema_find_path(schema, ref->parts, ref->nparts, sensitive, &hit, 1);
    return n == 1;
}

static const lake_tree *partial(plan_listing *l, const lake_schema *schema, const lake_tree *t) {
    bool branch = t->op == LAKE_TREE_NOT || t->op == LAKE_TREE_AND || t->op == LAKE_TREE_OR ||
        t->op == LAKE_TREE_CASE || t->op == LAKE_TREE_IS;
    bool leaf = t->op == LAKE_TREE_CONST || t->op == LAKE_TREE_NULL || t->op == LAKE_TREE_NAN ||
        t->op == LAKE_TREE_COMPARE || t->op == LAKE_TREE_IN || t->op == LAKE_TREE_LIKE || t->op == LAKE_TREE_PREFIX ||
        t->op == LAKE_TREE_DISTINCT;
    for (size_t i = 0; leaf && i < t->ncolumns; i++)
        leaf = known(l, schema, &t->columns[i]);
    if (leaf)
        return t;
    for (size_t i = 0; branch && i < t->ncolumns; i++) /* a choice among values: all of them, or nothing */
        branch = known(l, schema, &t->columns[i]);
    lake_tree *copy = lake_tree_new(&l->round, branch ? t->op : LAKE_TREE_OPAQUE, t->offset);
    if (!copy)
        return NULL;
    if (!branch) {
        copy->sql = t->sql.ptr ? t->sql : LAKE_STR("...");
        copy->reason = "not about the folders";
        copy->depth = 1;
        return copy;
    }
    *copy = *t;
    const lake_tree **kids = LAKE_ARENA_ARRAY(&l->round, const lake_tree *, t->nkids + 1);
    copy->kids = kids;
    for (size_t i = 0; kids && i < t->nkids; i++)
        if (!(kids[i] = partial(l, schema, t->kids[i])))
            return NULL;
    return kids ? copy : NULL;
}

static lake_status key_schema(plan_listing *l, lake_schema **out, lake_error *err) {
    lake_schema *s = LAKE_ARENA_NEW(&l->round, lake_schema);
    if (!s)
        return lake_fail_memory(err);
    s->root = (lake_type){
        .id = LAKE_STRUCT, .fields = LAKE_ARENA_ARRAY(&l->round, lake_field, l->nkeys + 1), .nfields = l->nkeys};
    if (!s->root.fields)
        return lake_fail_memory(err);
    for (size_t i = 0; i < l->nkeys; i++)
        s->root.fields[i] = (lake_field){.id = (int32_t)i + 1, .name = l->keys[i].name, .type = l->keys[i].type};
    *out = s;
    return lake_schema_index(&l->round, s, err);
}

/* With options.in, as far as its columns are keys. */
static lake_status key_tree(plan_listing *l, const lake_schema *schema, const lake_bind_options *options,
    const lake_tree **out, lake_error *err) {
    const lake_plan_options *o = &l->plan->options;
    const lake_tree **all = LAKE_ARENA_ARRAY(&l->round, const lake_tree *, o->nin + 1);
    size_t n = 0;
    if (!all || !(all[n++] = partial(l, schema, l->tree)))
        return lake_fail_memory(err);
    for (size_t i = 0; i < o->nin; i++) {
        lake_status s = lake_members_tree(&l->round, &o->in[i], schema, options, &all[n], NULL);
        if (s == LAKE_ERR_NO_MEMORY)
            return lake_fail_memory(err);
        n += s == LAKE_OK;
    }
    *out = n == 1 ? all[0] : lake_tree_list(&l->round, LAKE_TREE_AND, all, n);
    return *out ? LAKE_OK : lake_fail_memory(err);
}

static lake_status bind_keys(plan_listing *l, lake_error *err) {
    lake_schema *schema;
    lake_arena_reset(&l->round);
    listing_set_types(l);
    LAKE_TRY(key_schema(l, &schema, err));
    LAKE_TRY(listing_make_spec(l, &l->round, schema, &l->spec, err));
    const lake_tree *tree;
    lake_bind_options options = plan_bind_options(l->plan);
    LAKE_TRY(key_tree(l, schema, &options, &tree, err));
    lake_schema **schemas = LAKE_ARENA_ARRAY(&l->round, lake_schema *, 1);
    if (!schemas)
        return lake_fail_memory(err);
    schemas[0] = schema;
    l->bound_keys = l->nkeys;
    l->bound = NULL;
    lake_status s = lake_bind(&l->round, tree, schema, &options, &l->bound, NULL);
    if (s == LAKE_ERR_NO_MEMORY)
        return lake_fail_memory(err);
    if (s != LAKE_OK) { /* told when all types are known; until then all folders stay */
        l->bound = NULL;
        return LAKE_OK;
    }
    l->metadata = (lake_metadata){.format_version = 2, .schemas = schemas, .nschemas = 1, .schema = schema};
    l->planning = (lake_planning_table){.metadata = &l->metadata, .schema = schema, .from_names = true};
    LAKE_TRY(lake_fact_maker_new(&l->round, &l->planning, l->bound->terms, l->bound->nterms, &l->spec, &l->maker, err));
    l->facts = LAKE_ARENA_ARRAY(&l->round, lake_facts, l->bound->nterms + 1);
    return l->facts ? LAKE_OK : lake_fail_memory(err);
}

/* ---- folders that were met before */
typedef struct listing_seen {
    const lake_walk_folder *folder; /* NULL: free */
    uint64_t hash;
} listing_seen;

static uint64_t hash_of(const lake_walk_folder *f) {
    uint64_t ids[2] = {f->device, f->inode};
    return lake_fnv1a(ids, sizeof ids);
}

static void place(listing_seen *slots, size_t n, listing_seen item) {
    size_t at = (size_t)item.hash & (n - 1);
    while (slots[at].folder)
        at = (at + 1) & (n - 1);
    slots[at] = item;
}

/* The same folder with the same values, by another path: a link, or a path below another one. */
static lake_status meet(plan_listing *l, const lake_walk_folder *f, bool *before, lake_error *err) {
    *before = false;
    if (2 * (l->nseen + 1) > l->seen_slots) {
        size_t n = l->seen_slots ? l->seen_slots * 2 : 64;
        listing_seen *more = LAKE_ARENA_ARRAY(&l->arena, listing_seen, n);
        if (!more)
            return lake_fail_memory(err);
        for (size_t i = 0; i < l->seen_slots; i++)
            if (l->seen[i].folder)
                place(more, n, l->seen[i]);
        l->seen = more;
        l->seen_slots = n;
    }
    uint64_t hash = hash_of(f);
    for (size_t at = (size_t)hash & (l->seen_slots - 1); l->seen[at].folder; at = (at + 1) & (l->seen_slots - 1)) {
        const lake_walk_folder *o = l->seen[at].folder;
        if (o->device == f->device && o->inode == f->inode && listing_same_values(o->data, f->data)) {
            *before = true;
            return LAKE_OK;
        }
    }
    place(l->seen, l->seen_slots, (listing_seen){f, hash});
    l->nseen++;
    return LAKE_OK;
}

/* ---- tables */
static lake_status foreign(const lake_walk_folder *f, const char *what, const char *why, lake_error *err) {
    return lake_fail(err, LAKE_ERR_UNSUPPORTED, "%.*s: a table of %s is here%s, whose metadata say which files count",
        LAKE_ARG(f->path), what, why);
}

lake_status listing_hidden(void *user, const lake_walk_folder *folder, lake_str name, lake_error *err) {
    (void)user;
    if (lake_str_is(name, "_delta_log"))
        return foreign(folder, "Delta Lake", "", err);
    return lake_str_is(name, ".hoodie") ? foreign(folder, "Hudi", "", err) : LAKE_OK;
}

static lake_status refuse_iceberg(plan_listing *l, const lake_walk_folder *f, lake_error *err) {
    lake_str *names;
    size_t n;
    if (!lake_str_is(f->name, "metadata") || !f->parent)
        return LAKE_OK;
    lake_arena scratch;
    lake_arena_init(&scratch, 0);
    bool table = false;
    lake_status s = lake_store_list(&l->session->store, &scratch, f->path, &names, &n, err);
    for (size_t i = 0; s == LAKE_OK && i < n; i++)
        table |= lake_str_ends(names[i], LAKE_STR(".metadata.json")) ||
            lake_str_ends(names[i], LAKE_STR(".metadata.json.gz"));
    lake_arena_clear(&scratch);
    LAKE_TRY(s);
    return table ? foreign(f->parent, "Iceberg", " (plan it by itself)", err) : LAKE_OK;
}

/* ---- decisions */
static lake_status tell(
    plan_listing *l, const lake_walk_folder *f, bool kept, bool told, const char *reason, lake_error *err) {
    plan_decision *d = LAKE_ARENA_NEW(&l->arena, plan_decision);
    lake_buffer leaf, seen;
    if (!d)
        return lake_fail_memory(err);
    lake_buffer_init(&leaf);
    lake_buffer_init(&seen);
    if (told && l->bound && l->bound->nterms)
        lake_bound_explain(l->bound, l->facts, &leaf, &seen);
    lake_str a = lake_buffer_view(&leaf), b = lake_buffer_view(&seen);
    d->view = (lake_decision){.level = 0,
        .path = f->path,
        .kept = kept,
        .leaf = lake_arena_str(&l->arena, a.ptr, a.len),
        .facts = lake_arena_str(&l->arena, b.ptr, b.len),
        .reason = lake_str_of(reason)};
    bool failed = leaf.failed || seen.failed || !d->view.leaf.ptr || !d->view.facts.ptr;
    lake_buffer_clear(&leaf);
    lake_buffer_clear(&seen);
    if (failed)
        return lake_fail_memory(err);
    *l->decisions_end = d;
    l->decisions_end = &d->next;
    l->ndecisions++;
    return LAKE_OK;
}

static lake_status remember_pruned(plan_listing *l, const lake_walk_folder *f, lake_error *err) {
    enum { MOST = 16 };
    l->counts.pruned_folders += !f->of_file;
    if (l->npruned == MOST)
        return LAKE_OK;
    if (!lake_tree_grow(&l->arena, &l->pruned, sizeof *l->pruned, l->npruned, &l->pruned_room))
        return lake_fail_memory(err);
    l->pruned[l->npruned++] = f->path;
    return LAKE_OK;
}

static lake_status judge(plan_listing *l, lake_arena *scratch, lake_walk_folder *f, lake_error *err) {
    lake_datum *tuple;
    lake_outcomes out = l->bound ? l->bound->constant : LAKE_ANY;
    lake_entry entry = {.status = LAKE_ENTRY_ADDED, .record_count = -1, .file_size = -1};
    LAKE_TRY(listing_tuple(l, scratch, f->data, f->path, &tuple, &entry.npartition, err));
    entry.partition = tuple;
    if (l->bound && l->bound->nterms) {
        if (!lake_facts_of_entry(l->maker, &entry, false, scratch, l->facts))
            return lake_fail_memory(err);
        out = lake_bound_evaluate(l->bound, l->facts);
    }
    f->skip = !(out & LAKE_T) && !l->complete;
    if (f->skip)
        LAKE_TRY(remember_pruned(l, f, err));
    if (f->skip && listing_depth(f->data) < l->unseen)
        l->unseen = listing_depth(f->data);
    if (f->skip && l->plan->options.explain)
        LAKE_TRY(tell(l, f, false, true, "no row below it can match", err));
    return LAKE_OK;
}

static lake_status tick(plan_listing *l, lake_error *err) {
    lake_session *s = l->session;
    int stop = s->progress ? s->progress(s->progress_user, "folders", (uint64_t)l->counts.found_folders, 0) : 0;
    return stop ? lake_fail(err, LAKE_ERR_CANCELLED, "planning was cancelled") : LAKE_OK;
}

static lake_status judge_all(
    plan_listing *l, lake_walk_folder **folders, size_t n, lake_arena *scratch, lake_error *err) {
    for (size_t i = 0; i < n; i++) {
        lake_walk_folder *f = folders[i];
        bool before = false;
        lake_arena_reset(scratch);
        LAKE_TRY(judge(l, scratch, f, err));
        if (f->skip || f->of_file)
            continue;
        LAKE_TRY(meet(l, f, &before, err));
        f->skip = before;
        if (before && l->plan->options.explain)
            LAKE_TRY(tell(l, f, false, false, "it is listed by another path", err));
    }
    for (size_t i = 0; i < l->nkeys; i++)
        l->keys[i].frozen = true; /* judged by these types */
    return LAKE_OK;
}

/* Values of one column can stand at different depths (paths that are given, folders that are no partitions). */
static void forget_types(plan_listing *l) {
    l->widened = false;
    l->bound_keys = SIZE_MAX;
    for (size_t i = 0; i < l->nkeys; i++)
        l->keys[i].frozen = false;
}

lake_status listing_level(void *user, lake_walk_folder **folders, size_t n, lake_error *err) {
    plan_listing *l = user;
    lake_arena scratch;
    l->counts.found_folders += (int64_t)n;
    LAKE_TRY(tick(l, err));
    for (size_t i = 0; i < n; i++) {
        lake_walk_folder *f = folders[i];
        const listing_value *values;
        LAKE_TRY(refuse_iceberg(l, f, err));
        if (f->parent)
            LAKE_TRY(listing_read_folder(l, f->name, f->path, f->parent->data, &values, err));
        else
            LAKE_TRY(listing_read_path(l, f->path, &values, err));
        f->data = (void *)(uintptr_t)values;
    }
    if (l->widened) {
        forget_types(l);
        if (l->counts.pruned_folders) {
            l->again = true;
            for (size_t i = 0; i < n; i++)
                folders[i]->skip = true;
            return LAKE_OK;
        }
    }
    if (l->bound_keys != l->nkeys)
        LAKE_TRY(bind_keys(l, err));
    lake_arena_init(&scratch, 0);
    lake_status s = judge_all(l, folders, n, &scratch, err);
    lake_arena_clear(&scratch);
    return s;
}
