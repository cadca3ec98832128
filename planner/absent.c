/* Columns that a file cannot hold, since they came later: their initial default,
   else null. Only a complete list of schemas can say so, and only where no name mapping gives ids to older files. */
#include "planner/fact_maker.h"

/* The first schema id from which on the column may be in a file: the first one with the field, or the first that is not
 * listed. */
static int64_t since(const lake_metadata *m, int32_t field_id) {
    for (int32_t id = 0;; id++) {
        const lake_schema *s = NULL;
        for (size_t i = 0; i < m->nschemas && !s; i++)
            if (m->schemas[i]->id == id)
                s = m->schemas[i];
        if (!s || lake_schema_field(s, field_id))
            return id;
    }
}

static lake_status read_default(lake_arena *arena, lake_fact_item *item, lake_error *err) {
    lake_absence *a = &item->absence;
    const lake_field *f = item->field;
    lake_bound_state state;
    lake_key key;
    lake_end next;
    a->has_default = f->initial_default != NULL;
    lake_facts_set(&a->value, true, false, false);
    a->value.nspans = 0;
    a->default_known = !a->has_default;
    if (!a->has_default || item->kind == LAKE_KEY_NONE)
        return LAKE_OK;
    lake_status s = lake_value_from_json(arena, &f->type, f->initial_default, &state, &key, NULL);
    if (s == LAKE_ERR_NO_MEMORY)
        return lake_fail_memory(err);
    if (s != LAKE_OK || state != LAKE_BOUND_KEY)
        return LAKE_OK; /* not a value that can be told: then nothing is known of absent files */
    if (!lake_key_next(arena, item->kind, key, &next))
        return lake_fail_memory(err);
    lake_facts_set(&a->value, f->parent && f->parent->nullable, false, true);
    a->value.spans[0] = (lake_span){lake_end_key(key), next};
    a->default_known = true;
    return LAKE_OK;
}

lake_status lake_absence_prepare(lake_arena *arena, lake_fact_maker *maker, lake_fact_item *item, lake_error *err) {
    const lake_metadata *m = maker->table->metadata;
    lake_absence *a = &item->absence;
    if (!m || maker->table->name_mapping || item->bucket || item->is_struct)
        return LAKE_OK;
    for (size_t i = 0; i < item->nuses; i++)
        if (item->uses[i].transform.id == LAKE_TRANSFORM_IDENTITY)
            return LAKE_OK; /* then the partition value comes first */
    a->since = since(m, item->field->id);
    if (a->since <= 0)
        return LAKE_OK;
    size_t n = 0;
    for (const lake_field *p = item->field->parent; p; p = p->parent)
        n++;
    const lake_field **tops = LAKE_ARENA_ARRAY(arena, const lake_field *, n + 1);
    int64_t *top_since = LAKE_ARENA_ARRAY(arena, int64_t, n + 1);
    if (!tops || !top_since)
        return lake_fail_memory(err);
    for (const lake_field *p = item->field->parent; p; p = p->parent) {
        tops[a->ntops] = p;
        top_since[a->ntops++] = since(m, p->id);
    }
    a->tops = tops;
    a->top_since = top_since;
    a->possible = true;
    return read_default(arena, item, err);
}

static void sift(lake_snapshot_schema *s, size_t at, size_t n) {
    for (size_t kid; (kid = 2 * at + 1) < n; at = kid) {
        kid += kid + 1 < n && s[kid].snapshot_id < s[kid + 1].snapshot_id;
        if (s[at].snapshot_id >= s[kid].snapshot_id)
            return;
        lake_snapshot_schema swap = s[at];
        s[at] = s[kid];
        s[kid] = swap;
    }
}

lake_status lake_absence_snapshots(lake_arena *arena, lake_fact_maker *maker, lake_error *err) {
    const lake_metadata *m = maker->table->metadata;
    bool possible = false;
    for (size_t i = 0; i < maker->nitems; i++)
        possible |= maker->items[i].absence.possible;
    if (!possible)
        return LAKE_OK;
    lake_snapshot_schema *s = LAKE_ARENA_ARRAY(arena, lake_snapshot_schema, m->nsnapshots + 1);
    if (!s)
        return lake_fail_memory(err);
    size_t n = 0;
    for (size_t i = 0; i < m->nsnapshots; i++)
        if (m->snapshots[i].has_schema_id)
            s[n++] = (lake_snapshot_schema){m->snapshots[i].id, m->snapshots[i].schema_id};
    for (size_t i = n / 2; i-- > 0;)
        sift(s, i, n);
    for (size_t i = n; i-- > 1;) {
        lake_snapshot_schema swap = s[0];
        s[0] = s[i];
        s[i] = swap;
        sift(s, 0, i);
    }
    maker->snapshots = s;
    maker->nsnapshots = n;
    return LAKE_OK;
}

static const lake_snapshot_schema *find(const lake_fact_maker *maker, int64_t id) {
    size_t lo = 0, hi = maker->nsnapshots;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (maker->snapshots[mid].snapshot_id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < maker->nsnapshots && maker->snapshots[lo].snapshot_id == id ? &maker->snapshots[lo] : NULL;
}

const lake_facts *lake_absence_facts(
    const lake_fact_maker *maker, const lake_fact_item *item, const lake_entry *entry) {
    static const lake_facts nulls = {.null = true};
    const lake_absence *a = &item->absence;
    if (!a->possible || entry->content != LAKE_CONTENT_DATA || !(entry->has & LAKE_HAS_SNAPSHOT_ID))
        return NULL;
    const lake_snapshot_schema *s = find(maker, entry->snapshot_id);
    if (!s || s->schema_id >= a->since)
        return NULL;
    size_t top = 0; /* how many parents are missing, too */
    while (top < a->ntops && s->schema_id < a->top_since[top])
        top++;
    if (top)
        return a->tops[top - 1]->initial_default ? NULL : &nulls;
    return a->default_known ? &a->value : NULL;
}
