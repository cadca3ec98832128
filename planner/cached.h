/* Manifests by way of the session's manifest cache (manifest/cache.h): found there, or read whole, kept there, and then
   planned from the image all the same. Without a cache, and for whatever it cannot hold, the reader is used. */
#ifndef LAKE_PLANNER_CACHED_H
#define LAKE_PLANNER_CACHED_H

#include "manifest/cache.h"
#include "planner/plan.h"

/* Before the manifests are scanned. Does nothing without a cache, and for increments, which want single entries. */
void plan_cached_begin(lake_plan *plan);
/* After: what was read is written, if anything was. */
void plan_cached_write(lake_plan *plan);

/* A manifest in the cache. */
typedef struct plan_cached {
    lake_bytes key; /* ptr NULL: it cannot be kept */
    lake_manifest_found found; /* pack NULL: it is not there */
} plan_cached;
void plan_cached_find(
    lake_plan *plan, plan_worker *worker, const lake_manifest_file *line, const lake_spec *spec, plan_cached *out);

/* Which entries of a manifest in the cache may match. */
typedef struct plan_candidates {
    const uint8_t *may; /* of each entry; NULL: not known */
    size_t n; /* how many may */
} plan_candidates;

/* Is it certain that no file in it can match, by what its entries have in common, or by the columns of the
   predicate? Then it counts as scanned. Else *candidates is set. */
LAKE_CHECK_RESULT lake_status plan_cached_prune(lake_plan *plan, plan_worker *worker, plan_manifest *m,
    const plan_cached *cached, bool *pruned, plan_candidates *candidates, lake_error *err);

LAKE_CHECK_RESULT lake_status plan_cached_candidates(lake_plan *plan, plan_worker *worker, plan_maker *maker,
    const plan_cached *cached, plan_candidates *out, lake_error *err);
/* A bound that facts.c would believe, whatever the range of the type. */
bool plan_bound_key(const lake_field *field, lake_bytes bound, lake_key *out);

/* Its image, with the maker's columns (all: with every column). *out NULL: it must be read by the reader, which will
   tell what is wrong with it. *deep: the image goes with the next manifest. In the worker's image arena. */
void plan_cached_open(lake_plan *plan, plan_worker *worker, const lake_manifest_file *line, const plan_maker *maker,
    const plan_cached *cached, bool all, lake_image **out, bool *deep);

/* facts.c: facts of every entry of a manifest, from its record in a pack. False: out of memory. */
bool lake_facts_of_zones(
    const lake_fact_maker *maker, lake_pack *pack, size_t record, lake_arena *scratch, lake_facts *out);

#endif
