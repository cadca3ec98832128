/* Outcome sets and facts: what a container's rows may hold in one column (DESIGN.md, "The heart"; model/steps.py). */
#ifndef LAKE_PLANNER_FACTS_H
#define LAKE_PLANNER_FACTS_H

#include "format/transform.h"

/* A set of SQL truth values. */
enum { LAKE_T = 1, LAKE_F = 2, LAKE_U = 4, LAKE_ANY = 7 };
typedef uint8_t lake_outcomes;

enum { LAKE_MAX_SPANS = 8, LAKE_MAX_BUCKETS = 4 };

typedef struct lake_span {
    lake_end lo, hi; /* [lo, hi) */
} lake_span;

typedef struct lake_bucket_fact { /* lo <= bucket(n, value) <= hi */
    int32_t n, lo, hi;
} lake_bucket_fact;

typedef struct lake_facts {
    bool null, nan, value; /* may a row hold one? */
    uint8_t nspans, nbuckets;
    lake_span spans[LAKE_MAX_SPANS]; /* contain every value; meaningful if `value` */
    lake_bucket_fact buckets[LAKE_MAX_BUCKETS];
} lake_facts;

/* Facts that hold together; contradictions mean that nothing but `base` is known (model: joint). */
void lake_facts_joint(lake_key_kind kind, const lake_facts *base, const lake_facts *parts, size_t n, lake_facts *out);
/* May both hold a common value, null and NaN counted as values (equality deletes)? */
bool lake_facts_overlap(lake_key_kind kind, const lake_facts *a, const lake_facts *b);

#endif
