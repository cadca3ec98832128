/* Step functions against facts: the hot path of planning. Nothing is allocated. */
#include "planner/step.h"

#include <math.h>

size_t lake_step_segment(const lake_step *s, lake_key key) {
    size_t lo = 0, hi = s->ncuts;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (lake_key_cmp(s->kind, s->cuts[mid], key) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

lake_outcomes lake_step_at(const lake_step *s, lake_key key) {
    return s->outs[lake_step_segment(s, key)];
}

enum { FEW = 32 /* keys of a segment that are worth hashing */ };

static bool in_buckets(const lake_facts *f, const lake_type *type, lake_key key) {
    for (int i = 0; i < f->nbuckets; i++) {
        int32_t b = lake_transform_bucket(type, f->buckets[i].n, key);
        if (b < f->buckets[i].lo || b > f->buckets[i].hi)
            return false;
    }
    return true;
}

/* May a value lie in the (non-empty) span, as far as the probe and the buckets know? Few keys: each is hashed. */
static bool possible(
    const lake_facts *f, lake_key_kind kind, const lake_type *type, const lake_end *lo, const lake_end *hi) {
    if (f->probe && lake_end_below(kind, lo, hi) && !f->probe->may(f->probe, lo, hi))
        return false;
    if (!f->nbuckets || lo->at != LAKE_END_KEY || hi->at != LAKE_END_KEY)
        return true;
    lake_key k = lo->key;
    if (kind == LAKE_KEY_INT) {
        if ((lake_u128)hi->key.i - (lake_u128)k.i > FEW)
            return true;
        for (; k.i < hi->key.i; k.i++)
            if (in_buckets(f, type, k))
                return true;
        return false;
    }
    if (kind != LAKE_KEY_BYTES)
        return true;
    /* Keys between two strings are few only if the upper one is the lower one with NULs behind it. */
    size_t n = hi->key.b.len - k.b.len;
    if (hi->key.b.len <= k.b.len || n > FEW || (k.b.len && memcmp(hi->key.b.ptr, k.b.ptr, k.b.len) != 0))
        return true;
    for (size_t i = k.b.len; i < hi->key.b.len; i++)
        if (hi->key.b.ptr[i])
            return true;
    for (; n; n--) {
        if (in_buckets(f, type, (lake_key){.b = {hi->key.b.ptr, hi->key.b.len - n}}))
            return true;
    }
    return false;
}

static lake_outcomes of_spans(
    const lake_step *s, const lake_facts *f, const lake_type *type, bool narrow, lake_outcomes out) {
    for (int k = 0; k < f->nspans; k++) {
        lake_end lo = f->spans[k].lo;
        const lake_end *hi = &f->spans[k].hi;
        for (size_t i = lo.at == LAKE_END_KEY ? lake_step_segment(s, lo.key) : 0; s->all & ~out; i++) {
            lake_end cut = i < s->ncuts ? lake_end_key(s->cuts[i]) : lake_end_top();
            bool last = !lake_end_below(s->kind, &cut, hi);
            if ((s->outs[i] & ~out) && (!narrow || possible(f, s->kind, type, &lo, last ? hi : &cut)))
                out |= s->outs[i];
            if (last)
                break;
            lo = cut;
        }
    }
    return out;
}

lake_outcomes lake_step_outcomes(const lake_step *s, const lake_facts *f, const lake_type *type) {
    lake_outcomes out = (lake_outcomes)((f->null ? s->null : 0) | (f->nan ? s->nan : 0));
    if (!f->value)
        return out;
    bool narrow = f->nbuckets || f->probe;
    lake_outcomes all = of_spans(s, f, type, narrow, out);
    if (all || !narrow)
        return all;
    /* No value has such a bucket, or is in the set, though there must be one: the metadata contradict themselves, so
       they say nothing. (Hope is for any value but those that match.) */
    all = of_spans(s, f, type, false, out);
    return f->probe && f->probe->hopeful && (all & ~LAKE_T) ? (lake_outcomes)(all & ~LAKE_T) : all;
}

/* ---------------------------------------------------------------- facts */
void lake_facts_set(lake_facts *out, bool null, bool nan, bool value) {
    out->null = null;
    out->nan = nan;
    out->value = value;
    out->nbuckets = 0;
    out->probe = NULL;
    out->nspans = 1;
    out->spans[0] = (lake_span){{.at = LAKE_END_LOW}, {.at = LAKE_END_TOP}};
}

void lake_facts_copy(lake_facts *to, const lake_facts *from) {
    if (to == from)
        return;
    to->null = from->null;
    to->nan = from->nan;
    to->value = from->value;
    to->nspans = from->nspans;
    to->nbuckets = from->nbuckets;
    to->probe = from->probe;
    memcpy(to->spans, from->spans, from->nspans * sizeof *to->spans);
    memcpy(to->buckets, from->buckets, from->nbuckets * sizeof *to->buckets);
}

static void add_span(lake_key_kind kind, lake_facts *f, const lake_span *span) {
    if (f->nspans < LAKE_MAX_SPANS) {
        f->spans[f->nspans++] = *span;
        return;
    }
    lake_span *last = &f->spans[LAKE_MAX_SPANS - 1]; /* too many: the last one grows to hold it too */
    if (lake_end_below(kind, &span->lo, &last->lo))
        last->lo = span->lo;
    if (lake_end_below(kind, &last->hi, &span->hi))
        last->hi = span->hi;
}

static bool cross(lake_key_kind kind, const lake_span *a, const lake_span *b, lake_span *out) {
    out->lo = lake_end_below(kind, &a->lo, &b->lo) ? b->lo : a->lo;
    out->hi = lake_end_below(kind, &a->hi, &b->hi) ? a->hi : b->hi;
    return lake_end_below(kind, &out->lo, &out->hi);
}

void lake_facts_intersect(lake_key_kind kind, lake_facts *a, const lake_facts *b) {
    a->null = a->null && b->null;
    a->nan = a->nan && b->nan;
    a->value = a->value && b->value;
    for (int i = 0; i < b->nbuckets && a->nbuckets < LAKE_MAX_BUCKETS; i++)
        a->buckets[a->nbuckets++] = b->buckets[i];
    if (a->nspans == 1 && b->nspans == 1) { /* nearly always */
        lake_span both;
        bool some = cross(kind, &a->spans[0], &b->spans[0], &both);
        a->spans[0] = both;
        a->nspans = some;
    } else {
        lake_span spans[LAKE_MAX_SPANS], both;
        int n = a->nspans;
        memcpy(spans, a->spans, (size_t)n * sizeof *spans);
        a->nspans = 0;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < b->nspans; k++)
                if (cross(kind, &spans[i], &b->spans[k], &both))
                    add_span(kind, a, &both);
    }
    a->value = a->value && a->nspans > 0;
}

void lake_facts_joint(lake_key_kind kind, const lake_facts *base, const lake_facts *parts, size_t n, lake_facts *out) {
    lake_facts_copy(out, base);
    for (size_t i = 0; i < n; i++) {
        bool value = out->value && parts[i].value;
        lake_facts_intersect(kind, out, &parts[i]);
        if ((!out->null && !out->nan && !out->value) || (value && !out->value)) {
            lake_facts_copy(out, base); /* they contradict each other: nothing is known */
            return;
        }
    }
}

bool lake_facts_overlap(lake_key_kind kind, const lake_facts *a, const lake_facts *b) {
    if ((a->null && b->null) || (a->nan && b->nan))
        return true;
    if (!a->value || !b->value)
        return false;
    lake_span both;
    for (int i = 0; i < a->nspans; i++)
        for (int k = 0; k < b->nspans; k++)
            if (cross(kind, &a->spans[i], &b->spans[k], &both))
                return true;
    return false;
}

bool lake_facts_single(lake_arena *scratch, lake_key_kind kind, const lake_facts *f, lake_key *out) {
    const lake_span *s = &f->spans[0];
    lake_end next;
    if (!f->value || f->null || f->nan || f->nspans != 1 || s->lo.at != LAKE_END_KEY)
        return false;
    *out = s->lo.key;
    return lake_key_next(scratch, kind, s->lo.key, &next) && lake_end_cmp(kind, next, s->hi) == 0;
}
