/* Outcome sets and facts: what a container's rows may hold in one column (docs/architecture.md, "A predicate is a step
   function"). */
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

/* A set that contains every value of a container, as a Bloom filter or a dictionary tells it (probe.c). */
typedef struct lake_probe lake_probe;
struct lake_probe {
    /* May there be a value in the (non-empty) [lo, hi)? */
    bool (*may)(const lake_probe *probe, const lake_end *lo, const lake_end *hi);
    bool hopeful; /* nothing was read yet: it answers no wherever the set could */
};

typedef struct lake_facts {
    bool null, nan, value; /* may a row hold one? */
    uint8_t nspans, nbuckets;
    const lake_probe *probe; /* NULL: none */
    lake_span spans[LAKE_MAX_SPANS]; /* contain every value; meaningful if `value` */
    lake_bucket_fact buckets[LAKE_MAX_BUCKETS];
} lake_facts;

/* Facts that hold together; contradictions mean that nothing but `base` is known (model: joint). */
void lake_facts_joint(lake_key_kind kind, const lake_facts *base, const lake_facts *parts, size_t n, lake_facts *out);
/* May both hold a common value, null and NaN counted as values (equality deletes)? */
bool lake_facts_overlap(lake_key_kind kind, const lake_facts *a, const lake_facts *b);

#endif
