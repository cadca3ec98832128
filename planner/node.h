/* The bound predicate's insides: nodes with outcome sets or step functions; leaves remember what they came from. */
#ifndef LAKE_PLANNER_NODE_H
#define LAKE_PLANNER_NODE_H

#include "planner/literal.h"
#include "planner/map.h"
#include "planner/step.h"

typedef enum lake_node_op {
    LAKE_NODE_SET, /* the same outcome set everywhere */
    LAKE_NODE_STEP, /* a step function over one term */
    LAKE_NODE_PAIR, /* two terms compared */
    LAKE_NODE_NOT,
    LAKE_NODE_IS, /* set: the values for which it is TRUE */
    LAKE_NODE_AND,
    LAKE_NODE_OR,
    LAKE_NODE_CASE /* kids: condition, result, …, else */
} lake_node_op;

/* How a leaf splits the values of its term: those inside and those outside. */
typedef enum lake_shape {
    LAKE_SHAPE_NONE, /* no split: IS NULL, IS NAN */
    LAKE_SHAPE_RANGE, /* compare with points[0] */
    LAKE_SHAPE_IN, /* equal to one of the points, which are sorted keys (perhaps none) */
    LAKE_SHAPE_MEMBERS, /* equal to one of keys: a long list from outside */
    LAKE_SHAPE_PREFIX, /* begins with points[0] */
    LAKE_SHAPE_OPAQUE
} lake_shape;

typedef struct lake_leaf {
    const lake_tree *tree;
    const lake_field *field; /* NULL: OPAQUE */
    const lake_transform *transform; /* NULL: the column itself */
    lake_type type; /* of the term: the points' key line */
    lake_shape shape;
    lake_compare compare; /* RANGE: < <= > >= */
    const lake_point *points;
    size_t npoints;
    const lake_key *keys; /* MEMBERS: sorted */
    size_t nkeys;
    lake_outcomes inside, outside, nan, null;
    lake_str reason; /* why it can hardly prune, if it cannot */
    bool mapped; /* the points are of what is applied to the column: an expression in JSON cannot tell it */
    bool inexact; /* `inside` is not exactly told by shape and points: a float literal that was rounded, LIKE 'a%b' */
} lake_leaf;

/* One side of a comparison of columns: the curves lead to keys that compare with the other side's. */
typedef struct lake_operand {
    uint32_t term;
    lake_key_kind kind; /* of the column */
    const lake_type *type;
    lake_curve *curves;
    size_t n;
} lake_operand;

typedef struct lake_pair {
    lake_operand sides[2];
    lake_key_kind kind; /* of the keys that are compared */
    lake_compare compare;
    bool nan_largest;
    bool null_safe, null_unsure; /* as in lake_tree */
} lake_pair;

typedef struct lake_node {
    lake_node_op op;
    lake_outcomes set; /* SET, IS */
    uint32_t term; /* STEP */
    const lake_step *step;
    const lake_pair *pair; /* PAIR */
    const struct lake_node *const *kids;
    size_t nkids;
    lake_str sql; /* AND, OR, CASE: its text, if it is told as it was written */
    const lake_leaf *leaf; /* detail tree: SET and STEP made from a leaf */
} lake_node;

lake_outcomes lake_node_evaluate(const lake_node *node, const lake_bound *bound, const lake_facts *facts);

/* The node as SQL. facts NULL: as it is; else what they decide is folded. positive: only the rows where it is TRUE
 * matter. */
void lake_node_sql(
    lake_buffer *out, const lake_node *node, const lake_bound *bound, const lake_facts *facts, bool positive);

/* The kids of a list that are about one term, while it is folded. */
typedef struct lake_chain {
    size_t first, last, count;
} lake_chain;

/* ---- binding (bind.c: trees; bind_leaf.c and points.c: leaves; fold.c: merging; resolve.c: names) */
typedef struct lake_binder {
    lake_arena *arena;
    const lake_schema *schema;
    const lake_bind_options *options;
    lake_error *err;
    lake_term *terms;
    size_t nterms, terms_room;
    lake_leaf_note *notes;
    size_t nnotes, notes_room;
    size_t calendar_cuts; /* that parts of dates may still use */
    lake_chain *chains; /* one a term; counts are 0 between folds */
    size_t chains_room;
    const lake_column_ref *last_ref; /* the column looked up last: long IN and OR lists ask for it again */
    const lake_field *last_field;
} lake_binder;

/* The field that a reference names. USAGE: unknown (with the nearest names), or ambiguous (with all of them). */
LAKE_CHECK_RESULT lake_status lake_resolve(lake_binder *b, const lake_column_ref *ref, const lake_field **out);
/* The points of the leaf's literals (a comparison has just one). round_float as in lake_literal_point. */
LAKE_CHECK_RESULT lake_status lake_points_make(
    lake_binder *b, lake_leaf *leaf, bool round_float, lake_point **out, size_t *n);
/* The reference as SQL, with the field's name as the schema spells it (the text may have come by id or in other case).
 */
LAKE_CHECK_RESULT lake_status lake_respell(
    lake_binder *b, const lake_column_ref *ref, const lake_field *field, lake_str *out);
LAKE_CHECK_RESULT lake_status lake_bind_leaf(lake_binder *b, const lake_tree *tree, lake_node **out);
/* A node that may be anything, with a note why. */
LAKE_CHECK_RESULT lake_status lake_bind_opaque(
    lake_binder *b, const lake_tree *tree, lake_leaf *leaf, lake_str reason, lake_node **out);
/* bind_choice.c: do a choice's results have one type without a conversion that changes how they compare? */
LAKE_CHECK_RESULT lake_status lake_choice_meets(lake_binder *b, const lake_tree *tree, bool *out);
/* bind_map.c: what is applied to a column, as maps, the innermost first; *type is the column's and becomes the
 *result's. reason: it cannot be. Then a step over the results as one over the column (or its transform). */
LAKE_CHECK_RESULT lake_status lake_curves_make(
    lake_binder *b, const lake_column_ref *ref, lake_type *type, lake_curve **maps, size_t *nmaps, lake_str *reason);
LAKE_CHECK_RESULT lake_status lake_curves_pull(
    lake_binder *b, const lake_curve *maps, size_t nmaps, const lake_step **step, lake_str *reason);
/* pair.c: *out NULL with *reason: they cannot be compared here. The terms are the caller's. */
LAKE_CHECK_RESULT lake_status lake_pair_make(
    lake_binder *b, const lake_tree *tree, const lake_field *const fields[2], lake_pair **out, lake_str *reason);
lake_outcomes lake_pair_outcomes(const lake_pair *pair, const lake_facts *a, const lake_facts *b);
/* any_case.c: what may match ILIKE, for the prefix in points[0]. */
bool lake_any_case_step(lake_arena *arena, lake_leaf *leaf, const lake_step **out);
/* What texts that are equal to this one but for the case of their letters begin with, sorted, none the beginning of
   another. whole: they are such texts to their end. False: out of memory. */
bool lake_any_case_texts(lake_arena *arena, lake_bytes text, lake_bytes **out, size_t *n, bool *whole);
lake_node *lake_node_new(lake_binder *b, lake_node_op op);
LAKE_CHECK_RESULT lake_status lake_fold_list(
    lake_binder *b, lake_node_op op, const lake_node **kids, size_t n, const lake_node **out);
LAKE_CHECK_RESULT lake_status lake_fold_map(lake_binder *b, lake_node_op op, const lake_outcomes table[8],
    lake_outcomes set, const lake_node *kid, const lake_node **out);
/* *out NULL: it does not fold. */
LAKE_CHECK_RESULT lake_status lake_fold_case(
    lake_binder *b, const lake_node *c, const lake_node *then, const lake_node *other, const lake_node **out);

#endif
