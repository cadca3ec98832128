/* Delete files and the data files they may hold rows of (spec.md, "Scan Planning"): by sequence number, partition,
   referenced data file, the bounds of file_path (position deletes) and of the equality columns. */
#include "planner/plan.h"

static const int32_t PATH_ID = 2147483546; /* file_path of position delete files */

/* Spec id and tuple as bytes, so that equal partitions have equal keys: values by their type (a promoted int or decimal
   is the same), all NaNs alike, -0.0 apart from 0.0. */
static void partition_key(
    const lake_plan *plan, const lake_spec *spec, const lake_entry *e, lake_arena *scratch, lake_buffer *out) {
    lake_buffer_reset(out);
    lake_buffer_put(out, &spec->id, sizeof spec->id);
    for (size_t i = 0; i < e->npartition && i < spec->nfields; i++) {
        lake_datum d = e->partition[i];
        lake_type type;
        lake_key key = {0};
        lake_bound_state state = LAKE_BOUND_NONE;
        bool typed = plan_partition_type(plan, &spec->fields[i], &type);
        if (typed)
            state = lake_value_from_datum(scratch, &type, d, &key);
        if (d.kind == LAKE_DATUM_NULL) {
            lake_buffer_char(out, 'n');
        } else if (state == LAKE_BOUND_NAN || (d.kind == LAKE_DATUM_FLOAT && d.f != d.f)) {
            lake_buffer_char(out, 'N');
        } else if (state == LAKE_BOUND_KEY && lake_type_kind(&type) == LAKE_KEY_INT) {
            lake_buffer_char(out, 'i');
            lake_buffer_put(out, &key.i, sizeof key.i);
        } else if (state == LAKE_BOUND_KEY && lake_type_kind(&type) == LAKE_KEY_FLOAT) {
            lake_buffer_char(out, 'f');
            lake_buffer_put(out, &key.f, sizeof key.f);
        } else {
            lake_bytes b = state == LAKE_BOUND_KEY ? key.b
                : d.kind == LAKE_DATUM_BYTES       ? d.b
                                                   : (lake_bytes){(const uint8_t *)&d.i, 8};
            uint64_t len = b.len;
            lake_buffer_char(out, 'b');
            lake_buffer_put(out, &len, sizeof len);
            lake_buffer_put(out, b.ptr, b.len);
        }
    }
}

static lake_status table_make(lake_arena *arena, size_t n, plan_delete_table *out, lake_error *err) {
    size_t size = 16;
    while (size < n * 2)
        size *= 2;
    out->slots = LAKE_ARENA_ARRAY(arena, plan_delete *, size);
    out->mask = size - 1;
    return out->slots ? LAKE_OK : lake_fail_memory(err);
}

static plan_delete **table_slot(const plan_delete_table *t, lake_bytes key) {
    return &t->slots[lake_fnv1a(key.ptr, key.len) & t->mask];
}

static void table_add(plan_delete_table *t, lake_bytes key, plan_delete *d) {
    plan_delete **slot = table_slot(t, key);
    d->next = *slot;
    *slot = d;
}

/* The equality columns of all delete files, each once. */
static lake_status collect_terms(lake_plan *plan, plan_delete *const *all, size_t n, lake_error *err) {
    plan_delete_index *x = &plan->deletes;
    size_t room = 0;
    for (size_t i = 0; i < n; i++)
        room += all[i]->entry.content == LAKE_CONTENT_EQUALITY_DELETES ? all[i]->entry.nequality_ids : 0;
    x->terms = LAKE_ARENA_ARRAY(&plan->arena, lake_term, room);
    if (!x->terms)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const lake_entry *e = &all[i]->entry;
        if (e->content != LAKE_CONTENT_EQUALITY_DELETES)
            continue;
        size_t *terms = LAKE_ARENA_ARRAY(&plan->arena, size_t, e->nequality_ids);
        if (!terms)
            return lake_fail_memory(err);
        for (size_t k = 0; k < e->nequality_ids; k++) {
            const lake_field *f = plan_any_field(plan, e->equality_ids[k]);
            terms[k] = SIZE_MAX;
            if (!f || lake_type_kind(&f->type) == LAKE_KEY_NONE)
                continue;
            size_t t = 0;
            while (t < x->nterms && x->terms[t].field->id != f->id)
                t++;
            if (t == x->nterms)
                x->terms[x->nterms++].field = f;
            terms[k] = t;
        }
        all[i]->fact_terms = terms;
    }
    return LAKE_OK;
}

/* Facts of a delete file's equality columns. */
static lake_status delete_facts(lake_plan *plan, plan_delete *d, lake_error *err) {
    plan_delete_index *x = &plan->deletes;
    const lake_entry *e = &d->entry;
    if (e->content != LAKE_CONTENT_EQUALITY_DELETES || !x->nterms)
        return LAKE_OK;
    lake_fact_maker *maker;
    LAKE_TRY(lake_fact_maker_new(&plan->arena, &plan->planning, x->terms, x->nterms, d->spec, &maker, err));
    size_t n;
    const int32_t *ids = lake_fact_maker_columns(maker, &n);
    lake_column_metrics *columns = LAKE_ARENA_ARRAY(&plan->arena, lake_column_metrics, n);
    lake_facts *facts = LAKE_ARENA_ARRAY(&plan->arena, lake_facts, x->nterms);
    d->facts = LAKE_ARENA_ARRAY(&plan->arena, lake_facts, e->nequality_ids);
    if (!columns || !facts || !d->facts)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const lake_column_metrics *c = lake_entry_column(e, ids[i]);
        columns[i] = c ? *c : (lake_column_metrics){.id = ids[i]};
    }
    lake_entry view = *e;
    view.columns = columns;
    view.ncolumns = n;
    if (!lake_facts_of_entry(maker, &view, false, &plan->arena, facts))
        return lake_fail_memory(err);
    for (size_t k = 0; k < e->nequality_ids; k++)
        if (d->fact_terms[k] != SIZE_MAX)
            d->facts[k] = facts[d->fact_terms[k]];
    return LAKE_OK;
}

lake_status plan_deletes_index(lake_plan *plan, lake_error *err) {
    plan_delete_index *x = &plan->deletes;
    for (size_t i = 0; i < plan->nlines; i++)
        x->nall += plan->manifests[i].ndeletes;
    if (!x->nall)
        return LAKE_OK;
    plan_delete **all = LAKE_ARENA_ARRAY(&plan->arena, plan_delete *, x->nall);
    x->global = LAKE_ARENA_ARRAY(&plan->arena, plan_delete *, x->nall);
    if (!all || !x->global)
        return lake_fail_memory(err);
    size_t n = 0;
    for (size_t i = 0; i < plan->nlines; i++)
        for (plan_delete *d = plan->manifests[i].deletes; d; d = d->next)
            all[n++] = d;
    LAKE_TRY(collect_terms(plan, all, n, err));
    LAKE_TRY(table_make(&plan->arena, n, &x->by_partition, err));
    LAKE_TRY(table_make(&plan->arena, n, &x->vectors, err));
    for (size_t i = n; i-- > 0;) { /* from the back, so that chains keep the order of the manifests */
        plan_delete *d = all[i];
        LAKE_TRY(delete_facts(plan, d, err));
        partition_key(plan, d->spec, &d->entry, &plan->arena, &plan->json);
        LAKE_TRY(lake_buffer_check(&plan->json, err));
        lake_str key = lake_buffer_view(&plan->json);
        d->partition_key = lake_arena_bytes(&plan->arena, key.ptr, key.len);
        if (!d->partition_key.ptr)
            return lake_fail_memory(err);
        if (plan_is_vector(&d->entry) && d->entry.referenced_data_file.ptr)
            table_add(&x->vectors, lake_bytes_of(d->entry.referenced_data_file), d);
        else if (d->entry.content == LAKE_CONTENT_EQUALITY_DELETES && lake_spec_is_unpartitioned(d->spec))
            x->global[x->nglobal++] = d;
        else
            table_add(&x->by_partition, d->partition_key, d);
    }
    for (size_t i = 0; i < x->nglobal / 2; i++) {
        plan_delete *t = x->global[i];
        x->global[i] = x->global[x->nglobal - 1 - i];
        x->global[x->nglobal - 1 - i] = t;
    }
    return LAKE_OK;
}

/* The bounds of file_path may be cut: an upper bound admits every path that it is a prefix of. */
static bool path_may_match(const lake_entry *d, lake_str path) {
    if (d->referenced_data_file.ptr)
        return lake_str_eq(d->referenced_data_file, path);
    const lake_column_metrics *c = lake_entry_column(d, PATH_ID);
    if (!c)
        return true;
    lake_bytes p = lake_bytes_of(path);
    if (c->lower.ptr && c->upper.ptr && lake_bytes_cmp(c->lower, c->upper) > 0)
        return true;
    if (c->lower.ptr && lake_bytes_cmp(c->lower, p) > 0)
        return false;
    return !c->upper.ptr || lake_bytes_cmp(p, c->upper) <= 0 || lake_str_starts(path, lake_text_of(c->upper));
}

static bool equality_may_match(const plan_delete_index *x, const plan_delete *d, const lake_facts *data) {
    if (!d->facts)
        return true;
    for (size_t k = 0; k < d->entry.nequality_ids; k++) {
        size_t t = d->fact_terms[k];
        if (t == SIZE_MAX)
            continue;
        const lake_facts *a = &data[t], *b = &d->facts[k];
        if (!(a->null && b->null) && !(a->nan && b->nan) &&
            !lake_facts_overlap(lake_type_kind(&x->terms[t].field->type), a, b))
            return false;
    }
    return true;
}

static lake_status found_add(plan_worker *w, size_t *n, plan_delete *d, lake_error *err) {
    if (*n == w->found_room) {
        size_t room = w->found_room ? w->found_room * 2 : 16;
        plan_delete **more = lake_mem_realloc(w->found, room * sizeof *more);
        if (!more)
            return lake_fail_memory(err);
        w->found = more;
        w->found_room = room;
    }
    w->found[(*n)++] = d;
    return LAKE_OK;
}

static bool same_vector(const lake_entry *a, const lake_entry *b) {
    return lake_str_eq(a->file_path, b->file_path) && a->content_offset == b->content_offset;
}

/* The deletion vector of a data file, NULL: none. There is at most one (spec.md, "Deletion Vectors"); if a writer left
   the older one behind, the newest holds the rows of both. */
static lake_status find_vector(
    const plan_delete_index *x, const lake_entry *e, lake_bytes key, plan_delete **out, lake_error *err) {
    plan_delete *best = NULL, *rival = NULL;
    for (plan_delete *d = *table_slot(&x->vectors, lake_bytes_of(e->file_path)); d; d = d->next) {
        int64_t sequence = d->entry.sequence_number;
        if (!lake_str_eq(d->entry.referenced_data_file, e->file_path) || e->sequence_number > sequence ||
            lake_bytes_cmp(d->partition_key, key) != 0 || (best && sequence < best->entry.sequence_number))
            continue;
        if (!best || sequence > best->entry.sequence_number)
            rival = NULL;
        else if (!same_vector(&best->entry, &d->entry))
            rival = best;
        best = d;
    }
    *out = best;
    if (rival)
        return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: two deletion vectors of sequence number %lld: %.*s and %.*s",
            LAKE_ARG(e->file_path), (long long)best->entry.sequence_number, LAKE_ARG(rival->entry.file_path),
            LAKE_ARG(best->entry.file_path));
    return LAKE_OK;
}

lake_status plan_deletes_find(
    lake_plan *plan, plan_worker *w, plan_maker *maker, const lake_entry *e, size_t *n, lake_error *err) {
    const plan_delete_index *x = &plan->deletes;
    *n = 0;
    if (x->nterms) {
        if (!w->equality_facts && !(w->equality_facts = LAKE_ARENA_ARRAY(&w->arena, lake_facts, x->nterms)))
            return lake_fail_memory(err);
        lake_entry view = *e;
        view.columns = e->columns + maker->ncolumns;
        view.ncolumns = maker->nequality_columns;
        if (!lake_facts_of_entry(maker->equality, &view, false, &w->scratch, w->equality_facts))
            return lake_fail_memory(err);
    }
    partition_key(plan, maker->spec, e, &w->scratch, &w->key);
    LAKE_TRY(lake_buffer_check(&w->key, err));
    lake_bytes key = lake_bytes_of(lake_buffer_view(&w->key));
    plan_delete *vector;
    LAKE_TRY(find_vector(x, e, key, &vector, err));
    for (plan_delete *d = *table_slot(&x->by_partition, key); d; d = d->next) {
        bool equality = d->entry.content == LAKE_CONTENT_EQUALITY_DELETES;
        if (lake_bytes_cmp(d->partition_key, key) != 0 || (vector && !equality))
            continue;
        if (equality ? e->sequence_number < d->entry.sequence_number && equality_may_match(x, d, w->equality_facts)
                     : e->sequence_number <= d->entry.sequence_number && path_may_match(&d->entry, e->file_path))
            LAKE_TRY(found_add(w, n, d, err));
    }
    for (size_t i = 0; i < x->nglobal; i++)
        if (e->sequence_number < x->global[i]->entry.sequence_number &&
            equality_may_match(x, x->global[i], w->equality_facts))
            LAKE_TRY(found_add(w, n, x->global[i], err));
    return vector ? found_add(w, n, vector, err) : LAKE_OK;
}
