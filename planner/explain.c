/* Telling predicates, facts and decisions to people. */
#include "planner/node.h"

#include <math.h>

/* ---------------------------------------------------------------- SQL of a node */
static void constant(lake_buffer *out, lake_outcomes set) {
    lake_buffer_puts(out, set == LAKE_T ? "TRUE" : set == LAKE_F ? "FALSE" : "NULL");
}

static lake_outcomes known(const lake_node *n, const lake_bound *bound, const lake_facts *facts) {
    return facts ? lake_node_evaluate(n, bound, facts) : n->op == LAKE_NODE_SET && !n->leaf ? n->set : LAKE_ANY;
}

static bool is_single(lake_outcomes set) {
    return (set & (set - 1)) == 0;
}

static void in_parentheses(
    lake_buffer *out, const lake_node *n, const lake_bound *bound, const lake_facts *facts, bool positive) {
    lake_buffer_char(out, '(');
    lake_node_sql(out, n, bound, facts, positive);
    lake_buffer_char(out, ')');
}

static void list_sql(
    lake_buffer *out, const lake_node *n, const lake_bound *bound, const lake_facts *facts, bool positive) {
    bool and = n->op == LAKE_NODE_AND;
    size_t kept = 0, last = 0;
    for (int pass = 0; pass < 2; pass++) /* count first: a single one needs no parentheses */
        for (size_t i = 0, written = 0; i < n->nkids; i++) {
            lake_outcomes kid = known(n->kids[i], bound, facts);
            if (kid == (and? LAKE_T : LAKE_F) || (!and&&positive && !(kid & LAKE_T)))
                continue;
            if (pass == 0) {
                kept++;
                last = i;
            } else if (kept == 1) {
                lake_node_sql(out, n->kids[last], bound, facts, positive);
            } else {
                if (written++)
                    lake_buffer_puts(out, and? " AND " : " OR ");
                bool bare =
                    n->kids[i]->nkids == 0 && !(n->kids[i]->leaf && n->kids[i]->leaf->shape == LAKE_SHAPE_OPAQUE);
                if (bare || is_single(kid))
                    lake_node_sql(out, n->kids[i], bound, facts, positive);
                else
                    in_parentheses(out, n->kids[i], bound, facts, positive);
            }
        }
    if (!kept)
        constant(out, and? LAKE_T : LAKE_F);
}

void lake_node_sql(
    lake_buffer *out, const lake_node *n, const lake_bound *bound, const lake_facts *facts, bool positive) {
    lake_outcomes set = known(n, bound, facts);
    if (is_single(set) || (positive && !(set & LAKE_T))) {
        constant(out, is_single(set) && set ? set : LAKE_F);
        return;
    }
    switch (n->op) {
    case LAKE_NODE_SET:
    case LAKE_NODE_PAIR:
    case LAKE_NODE_STEP:
        if (n->leaf)
            lake_leaf_print(out, n->leaf->tree, false);
        else
            constant(out, n->set);
        return;
    case LAKE_NODE_NOT:
        if (bound->two_valued) { /* unknown counts as false there */
            in_parentheses(out, n->kids[0], bound, facts, false);
            lake_buffer_puts(out, " IS NOT TRUE");
        } else if (n->kids[0]->leaf) {
            lake_leaf_print(out, n->kids[0]->leaf->tree, true);
        } else {
            lake_buffer_puts(out, "NOT ");
            in_parentheses(out, n->kids[0], bound, facts, false);
        }
        return;
    case LAKE_NODE_IS: {
        bool no = !is_single(n->set);
        lake_outcomes which = no ? LAKE_ANY & ~n->set : n->set;
        in_parentheses(out, n->kids[0], bound, facts, false);
        lake_buffer_printf(out, " IS%s %s", no ? " NOT" : "",
            which == LAKE_T       ? "TRUE"
                : which == LAKE_F ? "FALSE"
                                  : "UNKNOWN");
        return;
    }
    case LAKE_NODE_CASE:
        if (n->sql.ptr) {
            lake_buffer_str(out, n->sql);
            return;
        }
        lake_buffer_puts(out, "CASE");
        for (size_t i = 0; i + 1 < n->nkids; i += 2) {
            lake_buffer_puts(out, " WHEN ");
            lake_node_sql(out, n->kids[i], bound, facts, false);
            lake_buffer_puts(out, " THEN ");
            lake_node_sql(out, n->kids[i + 1], bound, facts, false);
        }
        lake_buffer_puts(out, " ELSE ");
        lake_node_sql(out, n->kids[n->nkids - 1], bound, facts, false);
        lake_buffer_puts(out, " END");
        return;
    default:
        if (n->sql.ptr)
            lake_buffer_str(out, n->sql);
        else
            list_sql(out, n, bound, facts, positive);
    }
}

/* ---------------------------------------------------------------- facts */
static lake_type type_of(const lake_term *t) {
    return t->is_bucket ? lake_transform_result(&t->transform, &t->field->type) : t->field->type;
}

/* [lo, hi] with both ends inside. */
static void print_span(lake_buffer *out, const lake_type *type, const lake_span *s) {
    lake_key_kind kind = lake_type_kind(type);
    lake_end low, top;
    lake_type_range(type, &low, &top);
    lake_buffer_puts(out, "[");
    if (s->lo.at == LAKE_END_KEY && lake_end_cmp(kind, s->lo, low) > 0)
        lake_value_print(out, type, s->lo.key);
    else
        lake_buffer_puts(out, "…");
    lake_buffer_puts(out, ", ");
    const char *close = "]";
    if (s->hi.at != LAKE_END_KEY || lake_end_cmp(kind, s->hi, top) >= 0) {
        lake_buffer_puts(out, "…");
    } else if (kind == LAKE_KEY_INT) {
        lake_value_print(out, type, (lake_key){.i = s->hi.key.i - 1});
    } else if (kind == LAKE_KEY_FLOAT) {
        lake_value_print(out, type, (lake_key){.f = nextafter(s->hi.key.f, -INFINITY)});
    } else {
        lake_bytes b = s->hi.key.b;
        if (b.len && b.ptr[b.len - 1] == 0)
            b.len--;
        else
            close = ")";
        lake_value_print(out, type, (lake_key){.b = b});
    }
    lake_buffer_puts(out, close);
}

static void print_facts(lake_buffer *out, const lake_term *term, const lake_facts *f) {
    lake_type type = type_of(term);
    lake_key_kind kind = lake_type_kind(&type);
    lake_field_full_name(out, term->field);
    if (term->is_bucket)
        lake_buffer_printf(out, " in bucket[%d]", term->transform.n);
    lake_buffer_puts(out, ": ");
    if (!f->value) {
        lake_buffer_puts(out, f->null && f->nan ? "only nulls and NaN" : f->nan ? "only NaN" : "only nulls");
        return;
    }
    lake_end low, top;
    bool open = kind == LAKE_KEY_NONE;
    if (!open && f->nspans == 1) {
        lake_type_range(&type, &low, &top);
        open = lake_end_cmp(kind, f->spans[0].lo, low) <= 0 && lake_end_cmp(kind, f->spans[0].hi, top) >= 0;
    }
    if (open)
        lake_buffer_puts(out, "no bounds known");
    for (int i = 0; !open && i < f->nspans; i++) {
        lake_buffer_puts(out, i ? " or " : "");
        print_span(out, &type, &f->spans[i]);
    }
    for (int i = 0; i < f->nbuckets; i++)
        lake_buffer_printf(out, ", bucket[%d] in [%d, %d]", f->buckets[i].n, f->buckets[i].lo, f->buckets[i].hi);
    lake_buffer_puts(out, f->null ? ", nulls possible" : ", no nulls");
    if (kind == LAKE_KEY_FLOAT && !term->is_bucket)
        lake_buffer_puts(out, f->nan ? ", NaN possible" : ", no NaN");
}

/* ---------------------------------------------------------------- decisions */
/* The node that decided: for a container that is dropped, as deep as one kid alone rules it out; else the first that is
 * open. */
static const lake_node *deciding(const lake_bound *bound, const lake_facts *facts, lake_outcomes out) {
    const lake_node *n = bound->detail;
    for (;;) {
        const lake_node *kid = NULL;
        for (size_t i = 0; i < n->nkids && !kid; i++) {
            lake_outcomes k = lake_node_evaluate(n->kids[i], bound, facts);
            if (!(out & LAKE_T) ? n->op == LAKE_NODE_AND && !(k & LAKE_T)
                                : !is_single(k) && (n->op != LAKE_NODE_OR || k & LAKE_T))
                kid = n->kids[i];
        }
        if (!kid || (!(out & LAKE_T) && n->op != LAKE_NODE_AND) || (n->op == LAKE_NODE_NOT && kid->leaf))
            return n;
        n = kid;
    }
}

enum { MOST = 4 /* terms whose facts are told */, MOST_TEXT = 1000 /* bytes of a leaf in a decision */ };

static void print_term(lake_buffer *out, uint32_t term, const lake_bound *bound, const lake_facts *facts,
    lake_str reason, uint32_t *terms, size_t *nterms) {
    for (size_t i = 0; i < *nterms; i++)
        if (terms[i] == term)
            return;
    if (*nterms >= MOST)
        return;
    lake_buffer_puts(out, *nterms ? "; " : "");
    terms[(*nterms)++] = term;
    if (reason.ptr) {
        lake_buffer_str(out, reason);
        lake_buffer_puts(out, "; ");
    }
    print_facts(out, &bound->terms[term], &facts[term]);
}

static void print_seen(lake_buffer *out, const lake_node *n, const lake_bound *bound, const lake_facts *facts,
    uint32_t *terms, size_t *nterms) {
    for (size_t i = 0; i < n->nkids; i++)
        print_seen(out, n->kids[i], bound, facts, terms, nterms);
    if (n->op == LAKE_NODE_SET && n->leaf && *nterms < MOST) {
        terms[(*nterms)++] = UINT32_MAX;
        lake_buffer_puts(out, *nterms > 1 ? "; " : "");
        lake_buffer_str(out, n->leaf->reason);
    }
    if (n->op == LAKE_NODE_PAIR)
        for (int i = 0; i < 2; i++)
            print_term(out, n->pair->sides[i].term, bound, facts, (lake_str){0}, terms, nterms);
    if (n->op == LAKE_NODE_STEP)
        print_term(out, n->term, bound, facts, n->leaf ? n->leaf->reason : (lake_str){0}, terms, nterms);
}

const lake_node *lake_bound_decider(const lake_bound *bound, const lake_facts *facts) {
    lake_outcomes out = lake_bound_evaluate(bound, facts);
    return out == LAKE_T ? bound->detail : deciding(bound, facts, out);
}

void lake_bound_leaf(const lake_bound *bound, const lake_node *node, lake_buffer *leaf) {
    size_t begin = leaf->len, end = begin + MOST_TEXT;
    lake_node_sql(leaf, node, bound, NULL, false);
    if (leaf->len <= end)
        return;
    while (end > begin && (leaf->data[end] & 0xc0) == 0x80) /* not inside a character */
        end--;
    leaf->len = end;
    lake_buffer_puts(leaf, "…");
}

void lake_bound_seen(const lake_bound *bound, const lake_node *node, const lake_facts *facts, lake_buffer *seen) {
    uint32_t terms[8];
    size_t nterms = 0;
    print_seen(seen, node, bound, facts, terms, &nterms);
}

void lake_bound_explain(const lake_bound *bound, const lake_facts *facts, lake_buffer *leaf, lake_buffer *seen) {
    const lake_node *n = lake_bound_decider(bound, facts);
    if (leaf)
        lake_bound_leaf(bound, n, leaf);
    if (seen)
        lake_bound_seen(bound, n, facts, seen);
}
