/* Which files are looked at: those that a plan keeps, or a sample with the smallest hashes of path and seed, so that it
   is the same each time and on each machine. Sets of 128-bit hashes stand for paths. */
#include "lake/plan.h"
#include "writer/audit_internal.h"

/* ---- sets */

audit_hash audit_hash_of(lake_bytes text, uint64_t salt) {
    uint64_t a =
        lake_xxh64(text.ptr ? text.ptr : (const uint8_t *)"", text.len) ^ (salt * UINT64_C(0x9e3779b97f4a7c15));
    uint64_t b = lake_fnv1a(text.ptr ? text.ptr : (const uint8_t *)"", text.len) + salt;
    if (!a && !b)
        a = 1; /* both zero: an empty slot */
    return (audit_hash){a, b};
}

void audit_set_clear(audit_set *set) {
    lake_mem_free(set->slots);
    *set = (audit_set){0};
}

static audit_hash *slot_of(const audit_set *set, audit_hash h) {
    size_t at = (size_t)h.a & (set->nslots - 1);
    while ((set->slots[at].a || set->slots[at].b) && (set->slots[at].a != h.a || set->slots[at].b != h.b))
        at = (at + 1) & (set->nslots - 1);
    return &set->slots[at];
}

static bool grow(audit_set *set) {
    audit_set more = {.n = set->n, .nslots = set->nslots ? set->nslots * 2 : 256};
    more.slots = lake_mem_zalloc(more.nslots, sizeof *more.slots);
    if (!more.slots)
        return false;
    for (size_t i = 0; i < set->nslots; i++)
        if (set->slots[i].a || set->slots[i].b)
            *slot_of(&more, set->slots[i]) = set->slots[i];
    lake_mem_free(set->slots);
    *set = more;
    return true;
}

bool audit_set_add(audit_set *set, audit_hash h, bool *added) {
    if (set->n * 4 >= set->nslots * 3 && !grow(set))
        return false;
    audit_hash *slot = slot_of(set, h);
    *added = !slot->a && !slot->b;
    if (*added) {
        *slot = h;
        set->n++;
    }
    return true;
}

bool audit_set_has(const audit_set *set, audit_hash h) {
    if (!set->nslots)
        return false;
    const audit_hash *slot = slot_of(set, h);
    return slot->a || slot->b;
}

/* ---- the choice */

/* Deletion vectors share files. */
static audit_hash key_of(lake_str path, bool vector, int64_t offset) {
    return audit_hash_of(lake_bytes_of(path), vector ? (uint64_t)offset + 1 : 0);
}

static lake_status take_plan(audit *a, lake_plan *plan, lake_error *err) {
    bool added;
    for (size_t i = 0; i < lake_plan_count(plan); i++)
        if (!audit_set_add(&a->choice.planned, key_of(lake_plan_task(plan, i)->path, false, 0), &added))
            return lake_fail_memory(err);
    for (size_t i = 0; i < lake_plan_delete_count(plan); i++) {
        const lake_delete_file *d = lake_plan_delete(plan, i);
        if (!audit_set_add(&a->choice.planned, key_of(d->path, d->has_content_offset, d->content_offset), &added))
            return lake_fail_memory(err);
    }
    return LAKE_OK;
}

lake_status audit_choice_begin(audit *a, lake_error *err) {
    const lake_audit_options *o = a->options;
    if (o->sample > 0) {
        a->choice.sample = (size_t)o->sample;
        if (a->choice.sample > SIZE_MAX / 2 / sizeof *a->choice.heap)
            a->choice.sample = 0; /* more than there can be: all */
    }
    if (!o->where)
        return LAKE_OK;
    lake_plan_options p = LAKE_PLAN_OPTIONS_INIT;
    lake_plan *plan;
    p.where = o->where;
    p.snapshot = o->snapshot;
    p.case_sensitive = o->case_sensitive;
    LAKE_TRY(lake_plan_open(a->table, &p, &plan, err));
    a->choice.by_plan = true;
    lake_status status = take_plan(a, plan, err);
    lake_plan_close(plan);
    return status;
}

static uint64_t sample_hash(const audit *a, const lake_entry *e) {
    audit_hash h = key_of(e->file_path, audit_is_vector(e), e->content_offset);
    uint64_t mix[3] = {h.a, h.b, a->options->seed};
    return lake_xxh64(mix, sizeof mix);
}

static bool is_planned(const audit *a, const lake_entry *e) {
    return !a->choice.by_plan ||
        audit_set_has(&a->choice.planned, key_of(e->file_path, audit_is_vector(e), e->content_offset));
}

/* A heap with the largest hash on top. */
static void sift_down(uint64_t *heap, size_t n) {
    for (size_t at = 0, kid; (kid = 2 * at + 1) < n; at = kid) {
        kid += kid + 1 < n && heap[kid + 1] > heap[kid];
        if (heap[at] >= heap[kid])
            return;
        uint64_t swap = heap[at];
        heap[at] = heap[kid];
        heap[kid] = swap;
    }
}

static bool push(audit_choice *c, uint64_t hash) {
    if ((c->nheap & (c->nheap + 1)) == 0) { /* full: room grows by doubling */
        uint64_t *more = lake_mem_realloc(c->heap, (2 * c->nheap + 1) * sizeof *more);
        if (!more)
            return false;
        c->heap = more;
    }
    size_t at = c->nheap++;
    c->heap[at] = hash;
    for (; at && c->heap[(at - 1) / 2] < c->heap[at]; at = (at - 1) / 2) {
        uint64_t swap = c->heap[at];
        c->heap[at] = c->heap[(at - 1) / 2];
        c->heap[(at - 1) / 2] = swap;
    }
    return true;
}

bool audit_choice_offer(audit *a, const lake_entry *e) {
    audit_choice *c = &a->choice;
    if (!is_planned(a, e))
        return true;
    if (!c->sample) {
        a->counts.chosen_files++;
        return true;
    }
    uint64_t hash = sample_hash(a, e);
    if (c->nheap < c->sample) {
        a->counts.chosen_files++;
        return push(c, hash);
    }
    if (hash < c->heap[0]) {
        c->heap[0] = hash;
        sift_down(c->heap, c->nheap);
    }
    return true;
}

bool audit_choice_takes(const audit *a, const lake_entry *e) {
    return is_planned(a, e) && (!a->choice.sample || (a->choice.nheap && sample_hash(a, e) <= a->choice.heap[0]));
}

void audit_choice_clear(audit *a) {
    audit_set_clear(&a->choice.planned);
    lake_mem_free(a->choice.heap);
}
