/* Step functions: a predicate on one column as sorted cuts with an outcome set for each segment, one for null, one for
   NaN (docs/architecture.md, "A predicate is a step function"). Immutable, in an arena. */
#ifndef LAKE_PLANNER_STEP_H
#define LAKE_PLANNER_STEP_H

#include "planner/facts.h"

/* outs[i] holds on the keys from cuts[i-1] (or all below) up to, not including, cuts[i] (or all above). */
typedef struct lake_step {
    lake_key_kind kind;
    lake_outcomes null, nan;
    lake_outcomes all; /* the union of outs */
    size_t ncuts;
    const lake_key *cuts;
    const lake_outcomes *outs; /* ncuts + 1 */
} lake_step;

/* Functions of two outcome sets, as tables. */
extern const lake_outcomes lake_outcomes_and[8][8], lake_outcomes_or[8][8], lake_outcomes_union[8][8];
extern const lake_outcomes lake_outcomes_when[8][8]; /* what THEN gives where the condition may be TRUE */
extern const lake_outcomes lake_outcomes_unless[8][8]; /* what ELSE gives where it may be FALSE or UNKNOWN */

static inline lake_outcomes lake_outcomes_not(lake_outcomes x) {
    return (lake_outcomes)((x & LAKE_U) | (x & LAKE_T ? LAKE_F : 0) | (x & LAKE_F ? LAKE_T : 0));
}
static inline lake_outcomes lake_outcomes_is(lake_outcomes x, lake_outcomes want) {
    return (lake_outcomes)((x & want ? LAKE_T : 0) | (x & ~want ? LAKE_F : 0));
}
static inline lake_outcomes lake_outcomes_case(lake_outcomes c, lake_outcomes then, lake_outcomes other) {
    return (lake_outcomes)(lake_outcomes_when[c][then] | lake_outcomes_unless[c][other]);
}

/* All makers give NULL when memory is used up. `inside` on the sorted, disjoint, non-empty spans, `outside` elsewhere.
 */
const lake_step *lake_step_spans(lake_arena *arena, lake_key_kind kind, const lake_span *spans, size_t nspans,
    lake_outcomes inside, lake_outcomes outside, lake_outcomes null, lake_outcomes nan);
/* `inside` on the sorted, distinct keys. */
const lake_step *lake_step_keys(lake_arena *arena, lake_key_kind kind, const lake_key *keys, size_t n,
    lake_outcomes inside, lake_outcomes outside, lake_outcomes null, lake_outcomes nan);
const lake_step *lake_step_constant(
    lake_arena *arena, lake_key_kind kind, lake_outcomes value, lake_outcomes null, lake_outcomes nan);
/* From sorted cuts and n + 1 outcomes; both are copied. */
const lake_step *lake_step_of(lake_arena *arena, lake_key_kind kind, const lake_key *cuts, const lake_outcomes *outs,
    size_t n, lake_outcomes null, lake_outcomes nan);
/* Pointwise: table[a][b]. */
const lake_step *lake_step_combine(
    lake_arena *arena, const lake_outcomes table[8][8], const lake_step *a, const lake_step *b);
/* The same over many, in n log n; the table's function must be associative. `steps` is overwritten. */
const lake_step *lake_step_reduce(
    lake_arena *arena, const lake_outcomes table[8][8], const lake_step **steps, size_t n);
/* Pointwise: table[a]. */
const lake_step *lake_step_map(lake_arena *arena, const lake_outcomes table[8], const lake_step *a);
/* A step over the results of a monotone transform as one over its source (with the results that writers wrapped). */
const lake_step *lake_step_pull(
    lake_arena *arena, const lake_step *step, const lake_transform *transform, const lake_type *source);

/* The segment that a key lies in: the number of cuts at or below it. */
size_t lake_step_segment(const lake_step *step, lake_key key);
lake_outcomes lake_step_at(const lake_step *step, lake_key key);
/* The union of the outcomes that the facts admit. `source` is the type of the keys, for facts about buckets. */
lake_outcomes lake_step_outcomes(const lake_step *step, const lake_facts *facts, const lake_type *source);

/* ---- facts (facts_math.c) */
static inline lake_end lake_end_low(void) {
    return (lake_end){.at = LAKE_END_LOW};
}
static inline lake_end lake_end_top(void) {
    return (lake_end){.at = LAKE_END_TOP};
}
static inline lake_end lake_end_key(lake_key key) {
    return (lake_end){.key = key, .at = LAKE_END_KEY};
}
/* Is a below b? LOW is below nothing but keys and TOP; [LOW, LOW) and [TOP, TOP) are empty. */
static inline bool lake_end_below(lake_key_kind kind, const lake_end *a, const lake_end *b) {
    if (a->at == LAKE_END_KEY && b->at == LAKE_END_KEY) {
        if (kind == LAKE_KEY_INT)
            return a->key.i < b->key.i;
        if (kind == LAKE_KEY_FLOAT)
            return a->key.f < b->key.f;
        return lake_bytes_cmp(a->key.b, b->key.b) < 0;
    }
    return a->at != b->at && (a->at == LAKE_END_LOW || b->at == LAKE_END_TOP);
}
void lake_facts_set(lake_facts *out, bool null, bool nan, bool value); /* everything possible as a value */
/* What both say: into `a`. */
void lake_facts_intersect(lake_key_kind kind, lake_facts *a, const lake_facts *b);
void lake_facts_copy(lake_facts *to, const lake_facts *from); /* only what is used */
/* The only value, if all rows are known to hold one and the same. */
bool lake_facts_single(lake_arena *scratch, lake_key_kind kind, const lake_facts *facts, lake_key *out);

#endif
