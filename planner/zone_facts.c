/* Facts that hold for every entry of a manifest, from the zones that the manifest cache keeps (manifest/zones.c): they
   contain the facts that planner/facts.c makes of any single entry, or a plan would differ with a cache. So only
   columns take part on which nothing but metrics speaks. */
#include "planner/cached.h"
#include "planner/fact_maker.h"

static bool zone_of(const lake_fact_item *item, lake_pack *pack, size_t record, lake_zone *out) {
    if (item->bucket || item->is_struct || item->nuses || item->field->inside_list || item->kind == LAKE_KEY_NONE)
        return false;
    const uint8_t *rows = lake_pack_rows(pack, item->field->id);
    return rows && lake_zone_read(rows + record * LAKE_PACK_ROW, lake_zone_order_of(&item->field->type), out);
}

/* False: out of memory. */
static bool set(const lake_fact_item *item, const lake_zone *zone, lake_arena *scratch, lake_facts *known) {
    lake_key lo, hi;
    bool value = zone->value;
    if (value &&
        (!plan_bound_key(item->field, zone->lower, &lo) ||
            (zone->upper.ptr && !plan_bound_key(item->field, zone->upper, &hi))))
        return true; /* no more than the type is known */
    if (value && zone->upper.ptr && !lake_key_next(scratch, item->kind, hi, &known->spans[0].hi))
        return false;
    if (value)
        known->spans[0].lo = lake_end_key(lo);
    known->null = zone->null || item->field->parent; /* a struct around it may be null */
    known->nan = zone->nan;
    known->value = value;
    return true;
}

bool lake_facts_of_zones(
    const lake_fact_maker *maker, lake_pack *pack, size_t record, lake_arena *scratch, lake_facts *out) {
    for (size_t i = 0; i < maker->nitems; i++) {
        const lake_fact_item *item = &maker->items[i];
        lake_zone zone;
        if (item->term < 0)
            continue;
        lake_facts *known = &out[item->term];
        lake_facts_copy(known, &item->base);
        known->null = true; /* whatever the schema says */
        known->nan = known->nan || item->is_struct;
        if (zone_of(item, pack, record, &zone) && !set(item, &zone, scratch, known))
            return false;
    }
    return true;
}
