/* The outcome set of a bound predicate on a container. Nothing is allocated; the depth was limited by the parsers. */
#include "planner/node.h"

lake_outcomes lake_node_evaluate(const lake_node *n, const lake_bound *bound, const lake_facts *facts) {
    switch (n->op) {
    case LAKE_NODE_SET: return n->set;
    case LAKE_NODE_STEP: return lake_step_outcomes(n->step, &facts[n->term], &bound->terms[n->term].field->type);
    case LAKE_NODE_PAIR:
        return lake_pair_outcomes(n->pair, &facts[n->pair->sides[0].term], &facts[n->pair->sides[1].term]);
    case LAKE_NODE_NOT: return lake_outcomes_not(lake_node_evaluate(n->kids[0], bound, facts));
    case LAKE_NODE_IS: return lake_outcomes_is(lake_node_evaluate(n->kids[0], bound, facts), n->set);
    case LAKE_NODE_CASE: {
        lake_outcomes out = lake_node_evaluate(n->kids[n->nkids - 1], bound, facts);
        for (size_t i = n->nkids - 1; i >= 2; i -= 2)
            out = lake_outcomes_case(lake_node_evaluate(n->kids[i - 2], bound, facts),
                lake_node_evaluate(n->kids[i - 1], bound, facts), out);
        return out;
    }
    default: {
        bool and = n->op == LAKE_NODE_AND;
        lake_outcomes stop = and? LAKE_F : LAKE_T, out = and? LAKE_T : LAKE_F;
        for (size_t i = 0; i < n->nkids && out != stop; i++) {
            lake_outcomes kid = lake_node_evaluate(n->kids[i], bound, facts);
            out = and? lake_outcomes_and[out][kid] : lake_outcomes_or[out][kid];
        }
        return out;
    }
    }
}

lake_outcomes lake_bound_evaluate(const lake_bound *bound, const lake_facts *facts) {
    return lake_node_evaluate(bound->root, bound, facts);
}

bool lake_bound_is_true(const lake_bound *bound) {
    return bound->root->op == LAKE_NODE_SET && bound->root->set == LAKE_T;
}
