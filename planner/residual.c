/* The residual of a container as an Iceberg expression. expressions-spec.md has two values, SQL three: so a node is
   asked for "the rows on which you are one of these values", and the answer is an expression that is TRUE on at least
   those rows. NOT goes down by asking for other values; a leaf's answer says of null and NaN what the asked values say.
 */
#include "planner/residual.h"
#include "planner/members.h"

#include <math.h>

static const rest rest_true = {.op = REST_TRUE}, rest_false = {.op = REST_FALSE};

enum {
    MANY_ARMS = 100, /* a longer CASE is not written out */
    MANY_MEMBERS = 1000, /* of a list from outside more candidates are not written */
    MANY_VALUES = 200 /* of longer IN lists only values that the container can hold are written */
};

/* ---------------------------------------------------------------- AND and OR, folded */
static const rest *join(writer *w, rest_op op, const rest **kids, size_t n) {
    rest_op zero = op == REST_AND ? REST_FALSE : REST_TRUE, one = op == REST_AND ? REST_TRUE : REST_FALSE;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!kids[i] || kids[i]->op == zero)
            return kids[i];
        if (kids[i]->op != one)
            kids[kept++] = kids[i];
    }
    if (kept == 0)
        return op == REST_AND ? &rest_true : &rest_false;
    if (kept == 1)
        return kids[0];
    rest *r = LAKE_ARENA_NEW(w->arena, rest);
    if (r)
        *r = (rest){.op = op, .kids = kids, .nkids = kept};
    w->failed |= !r;
    return r;
}

const rest *lake_rest_join(writer *w, rest_op op, const rest *a, const rest *b) {
    const rest **kids = LAKE_ARENA_ARRAY(w->arena, const rest *, 2);
    w->failed |= !kids;
    if (!kids)
        return NULL;
    kids[0] = a;
    kids[1] = b;
    return join(w, op, kids, 2);
}

/* ---------------------------------------------------------------- leaves as JSON */
static void put_term(lake_buffer *out, const lake_leaf *leaf) {
    lake_buffer name;
    lake_buffer_init(&name);
    lake_field_full_name(&name, leaf->field);
    if (leaf->transform) {
        lake_buffer_puts(out, "{\"type\":\"transform\",\"transform\":");
        lake_json_quote(out, leaf->transform->text);
        lake_buffer_puts(out, ",\"term\":");
    }
    lake_json_quote(out, lake_buffer_view(&name));
    if (leaf->transform)
        lake_buffer_char(out, '}');
    out->failed |= name.failed;
    lake_buffer_clear(&name);
}

static const rest *finish(writer *w, lake_buffer *b) {
    lake_str view = lake_buffer_view(b);
    rest *r = LAKE_ARENA_NEW(w->arena, rest);
    lake_str text = b->failed ? (lake_str){0} : lake_arena_str(w->arena, view.ptr, view.len);
    lake_buffer_clear(b);
    if (!r || !text.ptr) {
        w->failed = true;
        return NULL;
    }
    *r = (rest){.op = REST_TEXT, .text = text};
    return r;
}

/* {"type": type, "term": …} with one value, several, or none. */
const rest *lake_rest_test(
    writer *w, const lake_leaf *leaf, const char *type, const lake_key *keys, size_t n, bool list) {
    lake_buffer b;
    lake_buffer_init(&b);
    lake_buffer_printf(&b, "{\"type\":\"%s\",\"term\":", type);
    put_term(&b, leaf);
    if (n)
        lake_buffer_puts(&b, list ? ",\"values\":[" : ",\"value\":");
    for (size_t i = 0; i < n; i++) {
        if (i)
            lake_buffer_char(&b, ',');
        lake_value_to_json(&b, &leaf->type, keys[i]);
    }
    lake_buffer_puts(&b, list ? "]}" : "}");
    return finish(w, &b);
}

static part range_part(writer *w, const lake_leaf *leaf, bool inside) {
    const lake_point *p = &leaf->points[0];
    bool key = lake_end_below(lake_type_kind(&leaf->type), &p->at, &p->after),
         below = leaf->compare == LAKE_LT || leaf->compare == LAKE_LT_EQ;
    bool equal = leaf->compare == LAKE_LT_EQ || leaf->compare == LAKE_GT_EQ;
    if (!inside) {
        below = !below;
        equal = !equal;
    }
    if (!key)
        equal = !below; /* between keys: at is the first key above */
    if (leaf->inexact) {
        equal = true;
        w->exact = false;
    }
    if (p->at.at != LAKE_END_KEY) {
        bool all = below == (p->at.at == LAKE_END_TOP);
        return (part){.all = all, .none = !all};
    }
    const char *type = below ? (equal ? "lt-eq" : "lt") : (equal ? "gt-eq" : "gt");
    return (part){.expression = lake_rest_test(w, leaf, type, &p->at.key, 1, false)};
}

static bool may_hold(const lake_facts *f, lake_key_kind kind, const lake_point *p) {
    for (int i = 0; i < f->nspans; i++)
        if (lake_end_below(kind, &f->spans[i].lo, &p->after) && lake_end_below(kind, &p->at, &f->spans[i].hi))
            return true;
    return false;
}

static part in_part(writer *w, const lake_leaf *leaf, const lake_facts *facts, bool inside) {
    if (leaf->inexact) {
        w->exact = false;
        if (!inside)
            return (part){.all = true};
    }
    lake_key *keys = LAKE_ARENA_ARRAY(w->arena, lake_key, leaf->npoints + 1);
    lake_key_kind kind = lake_type_kind(&leaf->type);
    lake_end lo, hi; /* what lies outside cannot be written as a value of the type, nor be one */
    size_t n = 0;
    lake_type_range(&leaf->type, &lo, &hi);
    w->failed |= !keys;
    for (size_t i = 0; keys && i < leaf->npoints; i++) {
        const lake_point *p = &leaf->points[i];
        if (lake_end_below(kind, &p->at, &lo) || !lake_end_below(kind, &p->at, &hi))
            continue;
        if (leaf->npoints <= MANY_VALUES || leaf->transform || may_hold(facts, kind, p))
            keys[n++] = p->at.key;
    }
    if (n == 0)
        return (part){.all = !inside, .none = inside};
    const char *type = n == 1 ? (inside ? "eq" : "not-eq") : (inside ? "in" : "not-in");
    return (part){.expression = lake_rest_test(w, leaf, type, keys, n, n > 1), .others = !inside};
}

/* The candidates that the container can hold; too many: not told. */
static part members_part(writer *w, const lake_leaf *leaf, const lake_facts *facts, bool inside) {
    size_t begin = 0, end = leaf->nkeys;
    if (!leaf->transform)
        lake_members_within(leaf, lake_type_kind(&leaf->type), facts, &begin, &end);
    if (end == begin)
        return (part){.all = !inside, .none = inside};
    if (end - begin > MANY_MEMBERS || (leaf->inexact && !inside)) {
        w->exact = false;
        return (part){.all = true};
    }
    const char *type = end - begin == 1 ? (inside ? "eq" : "not-eq") : (inside ? "in" : "not-in");
    return (part){.expression = lake_rest_test(w, leaf, type, leaf->keys + begin, end - begin, end - begin > 1),
        .others = !inside};
}

static part prefix_part(writer *w, const lake_leaf *leaf, bool inside) {
    if (leaf->points[0].at.key.b.len == 0)
        return (part){.all = inside, .none = !inside};
    return (part){.expression = lake_rest_test(
                      w, leaf, inside ? "starts-with" : "not-starts-with", &leaf->points[0].at.key, 1, false),
        .others = !inside};
}

/* Has the leaf a form in the expression language at all? */
static bool tellable(const lake_leaf *leaf) {
    if (leaf->mapped || leaf->shape == LAKE_SHAPE_OPAQUE ||
        (leaf->shape == LAKE_SHAPE_PREFIX && leaf->type.id != LAKE_STRING))
        return false;
    if (leaf->type.id == LAKE_FLOAT) /* a double beyond every float cannot be written as one */
        for (size_t i = 0; i < leaf->npoints; i++)
            if (isfinite(leaf->points[i].at.key.f) &&
                (double)(float)leaf->points[i].at.key.f != leaf->points[i].at.key.f)
                return false;
    return true;
}

static part value_part(writer *w, const lake_node *node, const lake_facts *facts, lake_outcomes want) {
    const lake_leaf *leaf = node->leaf;
    lake_facts values;
    lake_facts_copy(&values, facts);
    values.null = values.nan = false;
    lake_outcomes out = lake_step_outcomes(node->step, &values, &leaf->field->type);
    if (!(out & want))
        return (part){.none = true};
    if (!(out & ~want))
        return (part){.all = true};
    bool inside = leaf->inside & want, outside = leaf->outside & want;
    if (leaf->inexact)
        w->exact = false;
    if (inside == outside) {
        w->exact = false; /* LIKE 'a%b': both may be among the rows that are asked for */
        return (part){.all = true};
    }
    switch (leaf->shape) {
    case LAKE_SHAPE_RANGE: return range_part(w, leaf, inside);
    case LAKE_SHAPE_IN: return in_part(w, leaf, facts, inside);
    case LAKE_SHAPE_MEMBERS: return members_part(w, leaf, facts, inside);
    case LAKE_SHAPE_PREFIX: return prefix_part(w, leaf, inside);
    default: return (part){.all = true};
    }
}

/* What the part says, and what is asked of null and NaN where there may be any: 1: they belong to it, 0: they do not,
   -1: there are none, and it may be told as it suits. */
static const rest *with_others(writer *w, const lake_leaf *leaf, part p, int null, int nan) {
    if (p.all) {
        const rest *r = null == 0 ? lake_rest_test(w, leaf, "not-null", NULL, 0, false) : &rest_true;
        return nan == 0 ? lake_rest_join(w, REST_AND, lake_rest_test(w, leaf, "not-nan", NULL, 0, false), r) : r;
    }
    const rest *r = p.none ? &rest_false : p.expression;
    if (p.others) {
        if (null == 0)
            r = lake_rest_join(w, REST_AND, r, lake_rest_test(w, leaf, "not-null", NULL, 0, false));
        if (nan == 0)
            r = lake_rest_join(w, REST_AND, r, lake_rest_test(w, leaf, "not-nan", NULL, 0, false));
    } else {
        if (null == 1)
            r = lake_rest_join(w, REST_OR, r, lake_rest_test(w, leaf, "is-null", NULL, 0, false));
        if (nan == 1)
            r = lake_rest_join(w, REST_OR, r, lake_rest_test(w, leaf, "is-nan", NULL, 0, false));
    }
    return r;
}

static const rest *leaf_rest(writer *w, const lake_node *node, lake_outcomes want) {
    const lake_leaf *leaf = node->leaf;
    const lake_facts *facts = &w->facts[node->term];
    lake_leaf plain = {.field = leaf->field, .type = leaf->field->type};
    bool told = tellable(leaf);
    part p = told ? value_part(w, node, facts, want) : (part){0};
    if (!told &&
        (w->bound->terms[node->term].is_bucket || !lake_rest_of_step(w, &plain, node->step, facts, want, &p))) {
        w->exact = false;
        return &rest_true;
    }
    bool floating = lake_type_kind(&leaf->field->type) == LAKE_KEY_FLOAT;
    lake_outcomes of_null = told ? leaf->null : node->step->null, of_nan = told ? leaf->nan : node->step->nan;
    if (facts->null && of_null & want && of_null & ~want)
        w->exact = false; /* engines differ on null */
    if (facts->nan && floating && of_nan & want && of_nan & ~want)
        w->exact = false;
    int null = facts->null ? (of_null & want) != 0 : -1, nan = facts->nan && floating ? (of_nan & want) != 0 : -1;
    return with_others(w, told ? leaf : &plain, p, null, nan);
}

/* ---------------------------------------------------------------- nodes */
static const rest *node_rest(writer *w, const lake_node *n, lake_outcomes want);

static const rest *list_rest(writer *w, const lake_node *n, lake_outcomes want) {
    bool and = n->op == LAKE_NODE_AND;
    lake_outcomes dominant = and? LAKE_F : LAKE_T;
    if (want == LAKE_U) /* neither of the two */
        return lake_rest_join(w, REST_AND, list_rest(w, n, LAKE_U | LAKE_T), list_rest(w, n, LAKE_U | LAKE_F));
    if (want == (LAKE_T | LAKE_F))
        return lake_rest_join(w, REST_OR, list_rest(w, n, LAKE_T), list_rest(w, n, LAKE_F));
    /* {other} and {other, UNKNOWN}: every kid is; {dominant} and {dominant, UNKNOWN}: some kid is. */
    rest_op op = want & dominant ? REST_OR : REST_AND;
    const rest **kids = LAKE_ARENA_ARRAY(w->arena, const rest *, n->nkids);
    w->failed |= !kids;
    for (size_t i = 0; kids && i < n->nkids; i++)
        kids[i] = node_rest(w, n->kids[i], want);
    return kids ? join(w, op, kids, n->nkids) : NULL;
}

static const rest *case_rest(writer *w, const lake_node *n, lake_outcomes want) {
    if (n->nkids / 2 > MANY_ARMS) {
        w->exact = false;
        return &rest_true;
    }
    const rest *r = node_rest(w, n->kids[n->nkids - 1], want);
    for (size_t i = n->nkids - 1; i >= 2 && !w->failed; i -= 2) {
        const rest *here =
            lake_rest_join(w, REST_AND, node_rest(w, n->kids[i - 2], LAKE_T), node_rest(w, n->kids[i - 1], want));
        r = lake_rest_join(
            w, REST_OR, here, lake_rest_join(w, REST_AND, node_rest(w, n->kids[i - 2], LAKE_F | LAKE_U), r));
    }
    return r;
}

static const rest *node_rest(writer *w, const lake_node *n, lake_outcomes want) {
    lake_outcomes out = lake_node_evaluate(n, w->bound, w->facts);
    if (w->failed)
        return NULL;
    if (!(out & want))
        return &rest_false;
    if (!(out & ~want))
        return &rest_true;
    switch (n->op) {
    case LAKE_NODE_PAIR:
    case LAKE_NODE_SET:
        w->exact = false; /* opaque, or two columns */
        return &rest_true;
    case LAKE_NODE_STEP: return leaf_rest(w, n, want);
    case LAKE_NODE_NOT: return node_rest(w, n->kids[0], lake_outcomes_not(want));
    case LAKE_NODE_IS:
        return node_rest(
            w, n->kids[0], (lake_outcomes)((want & LAKE_T ? n->set : 0) | (want & LAKE_F ? LAKE_ANY & ~n->set : 0)));
    case LAKE_NODE_CASE: return case_rest(w, n, want);
    default: return list_rest(w, n, want);
    }
}

/* Pairs, halved: a long list does not become a deep nest. */
static void put_list(lake_buffer *out, const rest *r, size_t begin, size_t end);

static void put(lake_buffer *out, const rest *r) {
    if (r->op == REST_TEXT)
        lake_buffer_str(out, r->text);
    else if (r->op == REST_TRUE || r->op == REST_FALSE)
        lake_buffer_puts(out, r->op == REST_TRUE ? "true" : "false");
    else
        put_list(out, r, 0, r->nkids);
}

static void put_list(lake_buffer *out, const rest *r, size_t begin, size_t end) {
    if (end - begin == 1) {
        put(out, r->kids[begin]);
        return;
    }
    size_t mid = end - (end - begin) / 2;
    lake_buffer_printf(out, "{\"type\":\"%s\",\"left\":", r->op == REST_AND ? "and" : "or");
    put_list(out, r, begin, mid);
    lake_buffer_puts(out, ",\"right\":");
    put_list(out, r, mid, end);
    lake_buffer_char(out, '}');
}

lake_status lake_bound_residual(const lake_bound *bound, const lake_facts *facts, lake_arena *scratch,
    lake_buffer *json, bool *exact, lake_buffer *sql, lake_error *err) {
    writer w = {.bound = bound, .facts = facts, .arena = scratch, .exact = true};
    lake_outcomes out = lake_bound_evaluate(bound, facts); /* merged: it may know what no leaf alone knows */
    const rest *r = out == LAKE_T ? &rest_true : !(out & LAKE_T) ? &rest_false : node_rest(&w, bound->detail, LAKE_T);
    if (w.failed || !r)
        return lake_fail_memory(err);
    if (json)
        put(json, r);
    if (exact)
        *exact = w.exact;
    if (sql && (out == LAKE_T || !(out & LAKE_T)))
        lake_buffer_puts(sql, out == LAKE_T ? "TRUE" : "FALSE");
    else if (sql)
        lake_node_sql(sql, bound->detail, bound, facts, true);
    if (json)
        LAKE_TRY(lake_buffer_check(json, err));
    return sql ? lake_buffer_check(sql, err) : LAKE_OK;
}
