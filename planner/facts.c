/* Facts of manifests, data files and delete files about a predicate's terms. A maker is prepared once for each plan and
 * spec and then only read, so threads may share it. */
#include <strings.h>

#include "planner/fact_maker.h"
#include "planner/tree.h"

/* ---------------------------------------------------------------- preparing */
static void set_base(lake_fact_item *item) {
    const lake_type *type = &item->field->type;
    bool floating = item->kind == LAKE_KEY_FLOAT && !item->bucket;
    if (type->id == LAKE_UNKNOWN && !item->bucket) { /* only nulls */
        lake_facts_set(&item->base, true, false, false);
        item->base.nspans = 0;
        return;
    }
    lake_facts_set(&item->base, item->field->nullable, floating, true);
    lake_span *span = &item->base.spans[0];
    if (item->bucket)
        *span = (lake_span){lake_end_key((lake_key){.i = 0}), lake_end_key((lake_key){.i = item->bucket})};
    else if (item->kind != LAKE_KEY_NONE)
        lake_type_range(type, &span->lo, &span->hi);
}

static lake_status add_column(lake_arena *arena, lake_fact_maker *maker, lake_fact_item *item, lake_error *err) {
    for (item->column = 0; item->column < maker->ncolumns; item->column++)
        if (maker->columns[item->column] == item->field->id)
            return LAKE_OK;
    if (!lake_tree_grow(arena, &maker->columns, sizeof *maker->columns, maker->ncolumns, &maker->columns_room))
        return lake_fail_memory(err);
    maker->columns[maker->ncolumns++] = item->field->id;
    return LAKE_OK;
}

/* Adds an item behind what it needs; *out is its place. An item that has no term yet may serve for another, too. */
static lake_status add_item(lake_arena *arena, lake_fact_maker *maker, const lake_field *field, int32_t bucket,
    int64_t term, size_t *out, lake_error *err) {
    for (size_t i = 0; term < 0 && i < maker->nitems; i++)
        if (maker->items[i].field == field && maker->items[i].bucket == bucket) {
            *out = i;
            return LAKE_OK;
        }
    lake_fact_item item = {
        .field = field, .bucket = bucket, .term = term, .kind = bucket ? LAKE_KEY_INT : lake_type_kind(&field->type)};
    item.is_struct = !bucket && field->type.id == LAKE_STRUCT;
    if (bucket)
        LAKE_TRY(add_item(arena, maker, field, 0, -1, &item.source, err));
    if (item.is_struct) {
        size_t *kids = LAKE_ARENA_ARRAY(arena, size_t, field->type.nfields + 1);
        if (!kids)
            return lake_fail_memory(err);
        for (size_t i = 0; i < field->type.nfields; i++)
            LAKE_TRY(add_item(arena, maker, &field->type.fields[i], 0, -1, &kids[i], err));
        item.kids = kids;
        item.nkids = field->type.nfields;
    }
    set_base(&item);
    LAKE_TRY(lake_partition_uses(arena, maker->spec, &item, err));
    if (!bucket && !item.is_struct)
        LAKE_TRY(add_column(arena, maker, &item, err));
    LAKE_TRY(lake_absence_prepare(arena, maker, &item, err));
    if (term < 0)
        item.slot = maker->nslots++;
    if (!lake_tree_grow(arena, &maker->items, sizeof *maker->items, maker->nitems, &maker->items_room))
        return lake_fail_memory(err);
    *out = maker->nitems;
    maker->items[maker->nitems++] = item;
    return LAKE_OK;
}

lake_status lake_fact_maker_new(lake_arena *arena, const lake_planning_table *table, const lake_term *terms,
    size_t nterms, const lake_spec *spec, lake_fact_maker **out, lake_error *err) {
    lake_fact_maker *maker = LAKE_ARENA_NEW(arena, lake_fact_maker);
    size_t at;
    if (!maker)
        return lake_fail_memory(err);
    maker->table = table;
    maker->spec = spec;
    maker->nterms = nterms;
    for (int buckets = 0; buckets < 2; buckets++) /* columns first, so that buckets find their source among them */
        for (size_t i = 0; i < nterms; i++)
            if (terms[i].is_bucket == buckets)
                LAKE_TRY(
                    add_item(arena, maker, terms[i].field, buckets ? terms[i].transform.n : 0, (int64_t)i, &at, err));
    LAKE_TRY(lake_absence_snapshots(arena, maker, err));
    *out = maker;
    return LAKE_OK;
}

const int32_t *lake_fact_maker_columns(const lake_fact_maker *maker, size_t *n) {
    *n = maker->ncolumns;
    return maker->columns;
}

/* ---------------------------------------------------------------- parts */
/* Takes one more source of facts in. False: it contradicts what is known; then nothing but the base is (the caller's to
 * set). */
static bool take(lake_key_kind kind, lake_facts *known, const lake_facts *part) {
    bool value = known->value && part->value;
    lake_facts_intersect(kind, known, part);
    return (known->null || known->nan || known->value) && !(value && !known->value);
}

static bool full(int64_t total, int64_t n) {
    return total >= 0 && n >= 0 && n == total;
}

/* What counts and bounds say (model: metrics_facts). Negative counts are unknown. */
static bool metrics_part(lake_arena *scratch, const lake_fact_item *item, const lake_entry *e,
    const lake_column_metrics *m, lake_facts *out) {
    int64_t nulls = (m->has & LAKE_METRIC_NULLS) && m->nulls >= 0 ? m->nulls : -1;
    int64_t values = (m->has & LAKE_METRIC_VALUES) && m->values >= 0 ? m->values : -1;
    int64_t nans = item->kind != LAKE_KEY_FLOAT ? 0 : (m->has & LAKE_METRIC_NANS) && m->nans >= 0 ? m->nans : -1;
    int64_t total = e->record_count > 0 ? e->record_count : values;
    int64_t both = nulls < 0 || nans < 0 || nulls > INT64_MAX - nans ? -1 : nulls + nans;
    if (values >= 0 && values != total)
        total = -1; /* they should agree; if not, no count proves "all" */
    if (item->field->parent && item->field->parent->nullable && nulls == 0 && values >= 0 && values < e->record_count)
        nulls = -1; /* ORC counts a nested column only where the struct around it is there; the other rows are null */
    if (item->kind == LAKE_KEY_NONE || item->field->inside_list) {
        lake_facts_set(out, nulls != 0, true, !full(total, nulls));
        return true;
    }
    lake_facts_set(out, nulls != 0 && !full(total, nans), nans != 0 && !full(total, nulls),
        !full(total, nulls) && !full(total, nans) && !full(total, both));
    lake_key lo, hi;
    bool has_lo = m->lower.ptr && lake_value_from_binary(&item->field->type, m->lower, &lo) == LAKE_BOUND_KEY;
    bool has_hi = m->upper.ptr && lake_value_from_binary(&item->field->type, m->upper, &hi) == LAKE_BOUND_KEY;
    if (has_lo && has_hi && lake_key_cmp(item->kind, hi, lo) < 0)
        return true; /* inverted: no pair */
    if (has_lo)
        out->spans[0].lo = lake_end_key(lo);
    return !has_hi || lake_key_next(scratch, item->kind, hi, &out->spans[0].hi);
}

static const lake_column_metrics *metrics_of(const lake_fact_item *item, const lake_entry *e) {
    if (item->column < e->ncolumns && e->columns[item->column].id == item->field->id)
        return &e->columns[item->column];
    for (size_t i = 0; i < e->ncolumns; i++) /* an entry that was read with all its columns */
        if (e->columns[i].id == item->field->id)
            return &e->columns[i];
    return NULL;
}

static bool is_equality_id(const lake_entry *e, int32_t id) {
    for (size_t i = 0; i < e->nequality_ids; i++)
        if (e->equality_ids[i] == id)
            return true;
    return false;
}

/* ---------------------------------------------------------------- an entry */
typedef struct work {
    const lake_fact_maker *maker;
    const lake_entry *entry;
    lake_arena *scratch;
    lake_facts *out, *internal;
} work;

static lake_facts *place(const work *w, size_t item) {
    const lake_fact_item *i = &w->maker->items[item];
    return i->term >= 0 ? &w->out[i->term] : &w->internal[i->slot];
}

/* Each partition field on the column. *agree false: a contradiction. Returns false: out of memory. */
static bool take_partition(const work *w, const lake_fact_item *item, lake_facts *known, bool *agree) {
    lake_partition_values v;
    lake_facts part;
    for (size_t i = 0; i < item->nuses && *agree; i++) {
        bool any;
        if (!lake_partition_of_tuple(w->scratch, &item->uses[i], w->entry, &v))
            continue;
        if (w->maker->table->from_names && v.has_lo && item->uses[i].kind == LAKE_KEY_BYTES && v.lo.b.len == 4 &&
            strncasecmp((const char *)v.lo.b.ptr, "null", 4) == 0)
            v.null = LAKE_SOME;
        if (!lake_partition_part(w->scratch, item, &item->uses[i], &v, &part, &any))
            return false;
        if (any)
            *agree = take(item->kind, known, &part);
    }
    return true;
}

static void struct_facts(const work *w, const lake_fact_item *item, lake_facts *known) {
    for (size_t i = 0; i < item->nkids; i++)
        if (!place(w, item->kids[i])->null) { /* a field that is never null proves that the struct never is */
            lake_facts_set(known, false, true, true);
            return;
        }
}

static bool column_facts(const work *w, const lake_fact_item *item, bool metrics, lake_facts *known) {
    const lake_entry *e = w->entry;
    bool agree = true, base_null = item->base.null;
    lake_facts_copy(known, &item->base);
    if (item->is_struct) {
        if (metrics)
            struct_facts(w, item, known);
        return true;
    }
    const lake_column_metrics *m = metrics_of(item, e);
    if (metrics && m && (m->has & LAKE_METRIC_NULLS) && m->nulls > 0)
        known->null = base_null = true; /* recorded nulls beat "required" */
    if (!take_partition(w, item, known, &agree))
        return false;
    if (agree && metrics) {
        bool recorded = m && ((m->has & LAKE_METRIC_VALUES) || m->lower.ptr || m->upper.ptr);
        const lake_facts *gone = recorded ? NULL : lake_absence_facts(w->maker, item, e);
        lake_facts part;
        if (gone) {
            agree = take(item->kind, known, gone);
        } else if (m) {
            if (!metrics_part(w->scratch, item, e, m, &part))
                return false;
            agree = take(item->kind, known, &part);
        }
    }
    if (!agree) {
        lake_facts_copy(known, &item->base);
        known->null = base_null;
    }
    return true;
}

/* What is known of a column's value is known of its bucket: whether there is one, and which if there is but one. */
static void take_source(const work *w, const lake_fact_item *item, lake_facts *known) {
    const lake_facts *source = place(w, item->source);
    lake_facts before, part;
    lake_key one;
    lake_facts_copy(&before, known);
    lake_facts_set(&part, source->null, false, source->value);
    if (!take(item->kind, known, &part))
        lake_facts_copy(known, &before);
    if (!lake_facts_single(w->scratch, w->maker->items[item->source].kind, source, &one))
        return;
    int32_t b = lake_transform_bucket(&item->field->type, item->bucket, one);
    lake_facts_set(&part, false, false, true);
    part.spans[0] = (lake_span){lake_end_key((lake_key){.i = b}), lake_end_key((lake_key){.i = b + 1})};
    lake_facts_copy(&before, known);
    if (!take(item->kind, known, &part))
        lake_facts_copy(known, &before);
}

/* A bucket of a column: its partition field, or the only value of its source. */
static bool bucket_facts(const work *w, const lake_fact_item *item, bool metrics, lake_facts *known) {
    bool agree = true;
    lake_facts_copy(known, &item->base);
    if (!take_partition(w, item, known, &agree))
        return false;
    if (!agree)
        lake_facts_copy(known, &item->base);
    if (metrics)
        take_source(w, item, known);
    return true;
}

static bool entry_facts(work *w, bool delete_file) {
    const lake_entry *entry = w->entry;
    for (size_t i = 0; i < w->maker->nitems; i++) {
        const lake_fact_item *item = &w->maker->items[i];
        /* A delete file matters only by what identifies the deleted rows: its partition and its equality columns. */
        bool metrics =
            !delete_file || (entry->content == LAKE_CONTENT_EQUALITY_DELETES && is_equality_id(entry, item->field->id));
        if (item->bucket ? !bucket_facts(w, item, metrics, place(w, i)) : !column_facts(w, item, metrics, place(w, i)))
            return false;
    }
    return true;
}

bool lake_facts_of_entry(
    const lake_fact_maker *maker, const lake_entry *entry, bool delete_file, lake_arena *scratch, lake_facts *out) {
    work w = {maker, entry, scratch, out, NULL};
    if (maker->nslots && !(w.internal = lake_arena_alloc(scratch, maker->nslots * sizeof *w.internal)))
        return false;
    return entry_facts(&w, delete_file);
}

/* ---------------------------------------------------------------- parts of a data file */
size_t lake_fact_maker_room(const lake_fact_maker *maker) {
    return maker->nterms + maker->nslots;
}

bool lake_facts_of_file(const lake_fact_maker *maker, const lake_entry *entry, lake_arena *scratch, lake_facts *all) {
    return entry_facts(&(work){maker, entry, scratch, all, all + maker->nterms}, false);
}

static void narrow_column(const lake_fact_item *item, const lake_part_facts *part, lake_facts *known) {
    lake_facts more, before;
    bool base_null = item->base.null || part->nulls_counted; /* counted nulls beat "required" */
    if (!part->known)
        return;
    lake_facts_set(&more, part->null, part->nan, part->value);
    more.spans[0] = part->span;
    lake_facts_copy(&before, known);
    known->null |= part->nulls_counted;
    if (take(item->kind, known, &more))
        return;
    lake_facts_copy(known, part->yields ? &before : &item->base);
    known->null = part->yields ? before.null : base_null;
}

void lake_facts_narrow(const lake_fact_maker *maker, const lake_facts *whole, const lake_part_facts *parts,
    lake_arena *scratch, lake_facts *all) {
    work w = {maker, NULL, scratch, all, all + maker->nterms};
    for (size_t i = 0; i < lake_fact_maker_room(maker); i++)
        lake_facts_copy(&all[i], &whole[i]);
    for (size_t i = 0; i < maker->nitems; i++) {
        const lake_fact_item *item = &maker->items[i];
        if (item->is_struct)
            struct_facts(&w, item, place(&w, i));
        else if (item->bucket)
            take_source(&w, item, place(&w, i));
        else
            narrow_column(item, &parts[item->column], place(&w, i));
    }
}

/* ---------------------------------------------------------------- a manifest */
bool lake_facts_of_manifest(
    const lake_fact_maker *maker, const lake_manifest_file *line, lake_arena *scratch, lake_facts *out) {
    bool summaries =
        line && (line->has & LAKE_HAS_PARTITIONS) && maker->spec && line->npartitions == maker->spec->nfields;
    for (size_t i = 0; i < maker->nitems; i++) {
        const lake_fact_item *item = &maker->items[i];
        if (item->term < 0)
            continue;
        lake_facts *known = &out[item->term], part;
        bool agree = true;
        lake_facts_copy(known, &item->base);
        for (size_t k = 0; summaries && agree && k < item->nuses; k++) {
            lake_partition_values v;
            bool any;
            lake_partition_of_summary(&item->uses[k], &line->partitions[item->uses[k].position], &v);
            if (!lake_partition_part(scratch, item, &item->uses[k], &v, &part, &any))
                return false;
            if (any)
                agree = take(item->kind, known, &part);
        }
        if (!agree)
            lake_facts_copy(known, &item->base);
    }
    return true;
}
