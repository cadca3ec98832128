/* The members of a plan's JSON that go beyond the REST catalog's planning result: what LIMIT did, the order,
   scan tasks. */
#include "planner/plan.h"

static void limit_json(const lake_plan *plan, lake_buffer *out) {
    const plan_limit *l = &plan->limit;
    if (plan->options.has_limit)
        lake_buffer_printf(out,
            ",\"limit\":{\"limit\":%lld,\"offset\":%lld,\"certain-rows\":%lld,\"stopped-early\":%s}",
            (long long)plan->options.limit, (long long)plan->options.offset, (long long)l->sure,
            l->stopped ? "true" : "false");
}

lake_status plan_answers_json(lake_plan *plan, lake_buffer *out, lake_error *err) {
    plan_listing_json(plan, out);
    limit_json(plan, out);
    plan_increment_json(plan, out);
    plan_order_json(plan, out);
    if (plan->split_size)
        plan_splits_json(plan, out);
    return lake_buffer_check(out, err);
}
