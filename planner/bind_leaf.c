/* Leaves -> step functions over a column, or over a bucket of it. */
#include "planner/members.h"

typedef struct leaf_builder {
    lake_binder *b;
    const lake_tree *tree;
    lake_leaf *leaf;
    lake_key_kind kind;
    lake_outcomes of_null; /* of a comparison with null */
    lake_literal pattern; /* LIKE's text, as the literal of its points */
} leaf_builder;

/* ---------------------------------------------------------------- opaque leaves */
static lake_status note(lake_binder *b, const lake_tree *t, lake_str reason) {
    lake_buffer sql;
    lake_buffer_init(&sql);
    lake_leaf_print(&sql, t, false);
    lake_str view = lake_buffer_view(&sql);
    lake_str copy = sql.failed ? (lake_str){0} : lake_arena_str(b->arena, view.ptr, view.len);
    lake_buffer_clear(&sql);
    if (!copy.ptr || !reason.ptr || !lake_tree_grow(b->arena, &b->notes, sizeof *b->notes, b->nnotes, &b->notes_room))
        return lake_fail_memory(b->err);
    b->notes[b->nnotes++] = (lake_leaf_note){copy, reason};
    return LAKE_OK;
}

lake_status lake_bind_opaque(lake_binder *b, const lake_tree *t, lake_leaf *leaf, lake_str reason, lake_node **out) {
    lake_node *n = lake_node_new(b, LAKE_NODE_SET);
    if (!n)
        return lake_fail_memory(b->err);
    leaf->shape = LAKE_SHAPE_OPAQUE;
    leaf->tree = t;
    leaf->reason = reason;
    leaf->inside = leaf->outside = leaf->nan = leaf->null = LAKE_ANY;
    n->set = LAKE_ANY;
    n->leaf = leaf;
    *out = n;
    return note(b, t, reason);
}

static lake_status bind_opaque(lake_binder *b, const lake_tree *t, lake_leaf *leaf, lake_node **out) {
    const lake_field *field;
    for (size_t i = 0; i < t->ncolumns; i++)
        LAKE_TRY(lake_resolve(b, &t->columns[i], &field));
    return lake_bind_opaque(b, t, leaf, lake_str_of(t->reason ? t->reason : "opaque"), out);
}

/* ---------------------------------------------------------------- step functions */
static const lake_step *compare_step(leaf_builder *l, const lake_point *p) {
    lake_span s = {lake_end_low(), lake_end_top()};
    switch (l->tree->compare) {
    case LAKE_EQ: s = (lake_span){p->at, p->after}; break;
    case LAKE_LT: s.hi = p->at; break;
    case LAKE_LT_EQ: s.hi = p->after; break;
    case LAKE_GT: s.lo = p->after; break;
    case LAKE_GT_EQ: s.lo = p->at; break;
    }
    bool some = lake_end_below(l->kind, &s.lo, &s.hi);
    return lake_step_spans(l->b->arena, l->kind, &s, some, LAKE_T, LAKE_F, l->leaf->null, l->leaf->nan);
}

static const lake_step *member_step(leaf_builder *l, const lake_point *points, size_t n) {
    lake_span *spans = LAKE_ARENA_ARRAY(l->b->arena, lake_span, n + 1);
    if (!spans)
        return NULL;
    for (size_t i = 0; i < n; i++)
        spans[i] = (lake_span){points[i].at, points[i].after};
    return lake_step_spans(
        l->b->arena, l->kind, spans, n, l->leaf->inside, l->leaf->outside, l->leaf->null, l->leaf->nan);
}

/* = < <= > >= IN, IS DISTINCT FROM. A literal that is no float: engines round it or widen the column, so both are
 * allowed for. */
static lake_status numeric(leaf_builder *l, const lake_step **out) {
    const lake_tree *t = l->tree;
    lake_leaf *leaf = l->leaf;
    bool compare = t->op == LAKE_TREE_COMPARE, largest = l->b->options->nan_largest;
    leaf->inside = LAKE_T;
    leaf->outside = leaf->nan = LAKE_F;
    leaf->shape = compare && t->compare != LAKE_EQ ? LAKE_SHAPE_RANGE : LAKE_SHAPE_IN;
    leaf->compare = t->compare;
    if (compare && largest && (t->compare == LAKE_GT || t->compare == LAKE_GT_EQ))
        leaf->nan = LAKE_T;
    if (t->op == LAKE_TREE_IN)
        for (size_t i = 0; i < t->nliterals; i++)
            if (t->literals[i].kind == LAKE_LITERAL_NULL)
                leaf->outside = leaf->nan = LAKE_U;
    if (t->op == LAKE_TREE_DISTINCT) {
        leaf->inside = LAKE_F;
        leaf->outside = leaf->nan = leaf->null = LAKE_T;
    }
    *out = NULL;
    for (int wide = 0; wide <= (leaf->type.id == LAKE_FLOAT && leaf->inexact); wide++) {
        lake_point *points;
        size_t n;
        LAKE_TRY(lake_points_make(l->b, leaf, !wide, &points, &n));
        const lake_step *s = compare ? compare_step(l, &points[0]) : member_step(l, points, n);
        if (s && *out)
            s = lake_step_combine(l->b->arena, lake_outcomes_union, *out, s);
        if (!s)
            return lake_fail_memory(l->b->err);
        *out = s;
        if (!wide) {
            leaf->points = points;
            leaf->npoints = n;
        }
    }
    if (compare && leaf->shape == LAKE_SHAPE_IN &&
        !lake_end_below(l->kind, &leaf->points[0].at, &leaf->points[0].after))
        leaf->npoints = 0; /* equal to something between keys */
    return LAKE_OK;
}

/* The text before the first wildcard, escapes resolved; what follows it: 0 nothing, 1 only %, 2 more. */
static lake_status like_prefix(leaf_builder *l, lake_str *out, int *rest) {
    lake_str p = l->tree->literals[0].text, escape = l->tree->escape;
    char *text = lake_arena_alloc(l->b->arena, p.len + 1);
    size_t n = 0, i = 0;
    if (!text)
        return lake_fail_memory(l->b->err);
    for (*rest = 0; i < p.len; i++) {
        if (escape.len && lake_str_starts((lake_str){p.ptr + i, p.len - i}, escape)) {
            i += escape.len;
            text[n++] = p.ptr[i]; /* the parser saw that something follows; its other bytes are no wildcards */
        } else if (p.ptr[i] == '%' || p.ptr[i] == '_' || (!escape.ptr && p.ptr[i] == '\\')) {
            break; /* some engines take a backslash for the escape that nobody named, so it is both here */
        } else {
            text[n++] = p.ptr[i];
        }
    }
    if (i < p.len)
        *rest = 1;
    for (; i < p.len; i++)
        if (p.ptr[i] != '%')
            *rest = 2;
    *out = (lake_str){text, n};
    return LAKE_OK;
}

static lake_status prefix_step(leaf_builder *l, const lake_step **out) {
    lake_leaf *leaf = l->leaf;
    lake_point *point = LAKE_ARENA_NEW(l->b->arena, lake_point);
    lake_status s = LAKE_OK;
    int rest = 1;
    if (!point)
        return lake_fail_memory(l->b->err);
    leaf->inside = LAKE_T;
    leaf->outside = leaf->nan = LAKE_F;
    leaf->shape = LAKE_SHAPE_PREFIX;
    leaf->points = point;
    leaf->npoints = 1;
    if (l->tree->op == LAKE_TREE_LIKE) {
        lake_str text = {0};
        LAKE_TRY(like_prefix(l, &text, &rest));
        point->at = lake_end_key((lake_key){.b = lake_bytes_of(text)});
        if (rest == 0)
            leaf->shape = LAKE_SHAPE_IN;
        if (rest == 2) {
            leaf->inside = LAKE_T | LAKE_F;
            leaf->inexact = true;
        }
        if (rest == 2 && text.len == 0) {
            leaf->reason = LAKE_STR("suffix pattern");
            s = note(l->b, l->tree, leaf->reason);
        }
    } else {
        lake_type whole = leaf->type;
        if (whole.id == LAKE_FIXED) /* the prefix may be shorter */
            whole.id = LAKE_BINARY;
        LAKE_TRY(lake_literal_point(l->b->arena, &l->tree->literals[0], &whole, true, point, NULL, l->b->err));
    }
    LAKE_TRY(s);
    if (l->tree->any_case)
        return lake_any_case_step(l->b->arena, leaf, out) ? LAKE_OK : lake_fail_memory(l->b->err);
    lake_bytes key = point->at.key.b;
    bool made = rest == 0 ? lake_key_next(l->b->arena, l->kind, point->at.key, &point->after)
                          : lake_key_next_prefix(l->b->arena, key, &point->after);
    lake_span span = {key.len || rest == 0 ? point->at : lake_end_low(), point->after};
    *out = made ? lake_step_spans(l->b->arena, l->kind, &span, 1, leaf->inside, leaf->outside, leaf->null, leaf->nan)
                : NULL;
    return *out ? LAKE_OK : lake_fail_memory(l->b->err);
}

/* ---------------------------------------------------------------- terms */
static lake_status term_index(lake_binder *b, const lake_field *field, const lake_transform *bucket, uint32_t *out) {
    for (size_t i = b->nterms; i-- > 0;) /* the newest first: neighbours are often the same */
        if (b->terms[i].field == field && b->terms[i].is_bucket == (bucket != NULL) &&
            (!bucket || b->terms[i].transform.n == bucket->n)) {
            *out = (uint32_t)i;
            return LAKE_OK;
        }
    if (!lake_tree_grow(b->arena, &b->terms, sizeof *b->terms, b->nterms, &b->terms_room))
        return lake_fail_memory(b->err);
    b->terms[b->nterms] = (lake_term){.field = field, .is_bucket = bucket != NULL};
    if (bucket)
        b->terms[b->nterms].transform = *bucket;
    *out = (uint32_t)b->nterms++;
    return LAKE_OK;
}

static lake_status type_reason(lake_binder *b, const char *what, const lake_type *type, lake_str *out) {
    lake_buffer name;
    lake_buffer_init(&name);
    lake_type_print(&name, type);
    lake_str view = lake_buffer_view(&name);
    *out = lake_arena_printf(b->arena, "%s %.*s", what, LAKE_ARG(view));
    lake_buffer_clear(&name);
    return out->ptr ? LAKE_OK : lake_fail_memory(b->err);
}

/* The step function over the leaf's own term. *out NULL: it cannot be one, for *reason. */
static lake_status own_step(leaf_builder *l, const lake_step **out, lake_str *reason) {
    lake_leaf *leaf = l->leaf;
    lake_type_id type = leaf->type.id;
    lake_tree_op op = l->tree->op;
    bool unsure = l->tree->null_unsure; /* of a row: TRUE and FALSE, or UNKNOWN */
    *out = NULL;
    leaf->null = l->of_null | (unsure ? LAKE_F : 0);
    if (op == LAKE_TREE_NULL) {
        leaf->inside = leaf->outside = leaf->nan = LAKE_F | (unsure ? LAKE_U : 0);
        leaf->null = LAKE_T | (unsure ? LAKE_U : 0);
        *out = lake_step_constant(l->b->arena, l->kind, leaf->inside, leaf->null, leaf->nan);
        return *out ? LAKE_OK : lake_fail_memory(l->b->err);
    }
    if (l->kind == LAKE_KEY_NONE)
        return type_reason(l->b, "no order for", &leaf->type, reason);
    if (op == LAKE_TREE_NAN) {
        leaf->inside = leaf->outside = LAKE_F;
        leaf->nan = LAKE_T;
        if (l->tree->null_unsure)
            leaf->null = LAKE_F | LAKE_U;
        *out = lake_step_constant(l->b->arena, l->kind, LAKE_F, leaf->null, LAKE_T);
        return *out ? LAKE_OK : lake_fail_memory(l->b->err);
    }
    if (op == LAKE_TREE_LIKE || op == LAKE_TREE_PREFIX) {
        if (type == LAKE_STRING || (op == LAKE_TREE_PREFIX && (type == LAKE_BINARY || type == LAKE_FIXED)))
            return prefix_step(l, out);
        return type_reason(l->b, "LIKE on", &leaf->type, reason);
    }
    if (op == LAKE_TREE_MEMBERS)
        return lake_members_step(l->b, leaf, l->kind, out);
    const lake_literal *v = l->tree->literals;
    if (op == LAKE_TREE_COMPARE && v->kind == LAKE_LITERAL_BOOL && v->offset < 0 && type != LAKE_BOOLEAN &&
        !leaf->transform && lake_str_is(v->sql, "TRUE")) {
        LAKE_TRY(type_reason(l->b, "is no condition: its type is", &leaf->type, reason));
        return lake_fail_at(l->b->err, LAKE_ERR_USAGE, l->tree->offset, "%.*s %.*s", LAKE_ARG(l->tree->columns[0].sql),
            LAKE_ARG(*reason));
    }
    return numeric(l, out);
}

static lake_status set_transform(
    leaf_builder *l, const lake_column_ref *ref, const lake_field *field, lake_str *reason) {
    lake_transform *t = LAKE_ARENA_NEW(l->b->arena, lake_transform);
    if (!t)
        return lake_fail_memory(l->b->err);
    *t = lake_transform_parse(ref->transform);
    if (t->id == LAKE_TRANSFORM_UNKNOWN || t->id == LAKE_TRANSFORM_VOID) {
        *reason = LAKE_STR("opaque function");
        return LAKE_OK;
    }
    bool zoned = field->type.id == LAKE_TIMESTAMPTZ || field->type.id == LAKE_TIMESTAMPTZ_NS;
    if (ref->calendar && zoned) {
        *reason = LAKE_STR("depends on the session's time zone");
        return LAKE_OK;
    }
    if (!lake_transform_accepts(t, &field->type) ||
        (t->id != LAKE_TRANSFORM_BUCKET && !lake_transform_is_monotone(t, &field->type))) {
        lake_str text = lake_arena_printf(l->b->arena, "%.*s of", LAKE_ARG(t->text));
        if (!text.ptr)
            return lake_fail_memory(l->b->err);
        return type_reason(l->b, text.ptr, &field->type, reason);
    }
    l->leaf->transform = t;
    l->leaf->type = lake_transform_result(t, &field->type);
    return LAKE_OK;
}

/* The leaf with its column as the schema spells it. */
static lake_status respelled(lake_binder *b, const lake_tree **t, const lake_field *field) {
    lake_str sql;
    if ((*t)->columns[0].napplies)
        return LAKE_OK; /* the text says more than the name */
    LAKE_TRY(lake_respell(b, &(*t)->columns[0], field, &sql));
    if (sql.ptr == (*t)->columns[0].sql.ptr)
        return LAKE_OK;
    lake_tree *copy = LAKE_ARENA_NEW(b->arena, lake_tree);
    lake_column_ref *column = LAKE_ARENA_NEW(b->arena, lake_column_ref);
    if (!copy || !column)
        return lake_fail_memory(b->err);
    *copy = **t;
    *column = (*t)->columns[0];
    column->sql = sql;
    copy->columns = column;
    *t = copy;
    return LAKE_OK;
}

/* x = x, and the like: what is known of it does not depend on the value. */
static const lake_step *with_itself(lake_binder *b, lake_leaf *leaf, const lake_tree *t) {
    lake_compare compare = t->compare;
    bool equal = compare == LAKE_EQ || compare == LAKE_LT_EQ || compare == LAKE_GT_EQ;
    leaf->inside = leaf->outside = equal ? LAKE_T : LAKE_F;
    leaf->nan = equal && b->options->nan_largest ? LAKE_T : LAKE_F;
    leaf->null = b->options->two_valued ? LAKE_F : LAKE_U;
    if (t->null_unsure)
        leaf->null |= LAKE_T;
    if (t->null_safe) {
        leaf->null = LAKE_T;
        leaf->nan = b->options->nan_largest ? LAKE_T : LAKE_T | LAKE_F;
    }
    leaf->mapped = true;
    return lake_step_constant(b->arena, lake_type_kind(&leaf->type), leaf->inside, leaf->null, leaf->nan);
}

static lake_status bind_pair(lake_binder *b, const lake_tree *t, lake_leaf *leaf, lake_node **out) {
    const lake_field *fields[2];
    lake_pair *pair;
    lake_str reason = {0};
    for (int i = 0; i < 2; i++)
        LAKE_TRY(lake_resolve(b, &t->columns[i], &fields[i]));
    bool plain = !t->columns[0].napplies && !t->columns[1].napplies && !t->columns[0].transform.ptr &&
        !t->columns[1].transform.ptr;
    leaf->type = fields[0]->type;
    if (plain && fields[0] == fields[1] && lake_type_kind(&leaf->type) != LAKE_KEY_NONE) {
        *out = lake_node_new(b, LAKE_NODE_STEP);
        if (!*out || !((*out)->step = with_itself(b, leaf, t)))
            return lake_fail_memory(b->err);
        leaf->field = fields[0];
        (*out)->leaf = leaf;
        return term_index(b, fields[0], NULL, &(*out)->term);
    }
    LAKE_TRY(lake_pair_make(b, t, fields, &pair, &reason));
    if (!pair)
        return lake_bind_opaque(b, t, leaf, reason, out);
    leaf->mapped = true;
    leaf->inside = leaf->outside = leaf->nan = leaf->null = LAKE_ANY;
    *out = lake_node_new(b, LAKE_NODE_PAIR);
    if (!*out)
        return lake_fail_memory(b->err);
    (*out)->pair = pair;
    (*out)->leaf = leaf;
    for (int i = 0; i < 2; i++)
        LAKE_TRY(term_index(b, fields[i], NULL, &pair->sides[i].term));
    return LAKE_OK;
}

/* A constant that stands where the column might. Between two keys, or rounded, it says nothing. */
static lake_status as_if(leaf_builder *l, const lake_step *step, lake_node **out) {
    lake_point point;
    bool inexact = l->leaf->inexact;
    LAKE_TRY(lake_literal_point(l->b->arena, l->tree->instead, &l->leaf->type, true, &point, &inexact, l->b->err));
    *out = lake_node_new(l->b, LAKE_NODE_SET);
    if (!*out)
        return lake_fail_memory(l->b->err);
    bool key = !inexact && point.at.at == LAKE_END_KEY && lake_end_below(l->kind, &point.at, &point.after);
    (*out)->set = key ? lake_step_at(step, point.at.key) : LAKE_ANY;
    if (((*out)->set & ((*out)->set - 1)) == 0)
        return LAKE_OK;
    return lake_bind_opaque(l->b, l->tree, l->leaf, LAKE_STR("a constant that is no value of the column's type"), out);
}

lake_status lake_bind_leaf(lake_binder *b, const lake_tree *t, lake_node **out) {
    lake_leaf *leaf = LAKE_ARENA_NEW(b->arena, lake_leaf);
    if (!leaf)
        return lake_fail_memory(b->err);
    leaf->tree = t;
    if (t->op == LAKE_TREE_CONST) {
        *out = lake_node_new(b, LAKE_NODE_SET);
        if (!*out)
            return lake_fail_memory(b->err);
        (*out)->set = t->set;
        return LAKE_OK;
    }
    if (t->op == LAKE_TREE_OPAQUE)
        return bind_opaque(b, t, leaf, out);
    if (t->op == LAKE_TREE_PAIR)
        return bind_pair(b, t, leaf, out);
    const lake_field *field;
    LAKE_TRY(lake_resolve(b, &t->columns[0], &field));
    LAKE_TRY(respelled(b, &t, field));
    leaf->tree = t;
    leaf_builder l = {.b = b, .tree = t, .leaf = leaf, .of_null = b->options->two_valued ? LAKE_F : LAKE_U};
    lake_str reason = {0};
    const lake_step *step = NULL;
    leaf->type = field->type;
    if (t->columns[0].transform.ptr)
        LAKE_TRY(set_transform(&l, &t->columns[0], field, &reason));
    lake_curve *maps = NULL;
    size_t nmaps = 0;
    if (!reason.ptr && t->columns[0].napplies)
        LAKE_TRY(lake_curves_make(b, &t->columns[0], &leaf->type, &maps, &nmaps, &reason));
    leaf->mapped = nmaps > 0;
    l.kind = lake_type_kind(&leaf->type);
    if (!reason.ptr)
        LAKE_TRY(own_step(&l, &step, &reason));
    if (step && t->instead) {
        LAKE_TRY(as_if(&l, step, out));
        return LAKE_OK;
    }
    if (step && nmaps)
        LAKE_TRY(lake_curves_pull(b, maps, nmaps, &step, &reason));
    if (!step)
        return lake_bind_opaque(b, t, leaf, reason, out);
    bool bucket = leaf->transform && leaf->transform->id == LAKE_TRANSFORM_BUCKET;
    if (leaf->transform && !bucket && !(step = lake_step_pull(b->arena, step, leaf->transform, &field->type)))
        return lake_fail_memory(b->err);
    leaf->field = field;
    *out = lake_node_new(b, LAKE_NODE_STEP);
    if (!*out)
        return lake_fail_memory(b->err);
    (*out)->step = step;
    (*out)->leaf = leaf;
    return term_index(b, field, bucket ? leaf->transform : NULL, &(*out)->term);
}
