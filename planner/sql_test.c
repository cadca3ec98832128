/* What may follow a value: IS …, comparisons, [NOT] BETWEEN, IN, LIKE and their kin. */
#include "planner/sql_parse.h"

static const lake_tree *negate_if(lake_sql_parser *p, const lake_tree *t, bool no) {
    return no && t ? lake_sql_need(p, lake_tree_not(p->arena, t)) : t;
}

static void become(lake_sql_parser *p, lake_sql_value *v, const lake_tree *t) {
    v->kind = LAKE_SQL_TREE;
    v->narms = v->nitems = 0;
    v->tree = t;
    if (t && t->depth > LAKE_TREE_MAX_DEPTH)
        lake_sql_fail(p, v->begin, "nested deeper than %d levels", LAKE_TREE_MAX_DEPTH);
}

/* Of anything but rows; *a and *b: either order. */
static const lake_tree *distinct_values(
    lake_sql_parser *p, const lake_sql_value *a, const lake_sql_value *b, lake_str sql, bool same) {
    bool literals = a->kind == LAKE_SQL_LITERAL && b->kind == LAKE_SQL_LITERAL;
    if (a->kind == LAKE_SQL_LITERAL && !literals)
        return distinct_values(p, b, a, sql, same);
    bool literal = b->kind == LAKE_SQL_LITERAL, null = literal && b->literal.kind == LAKE_LITERAL_NULL;
    if (literals && (null || a->literal.kind == LAKE_LITERAL_NULL))
        return lake_sql_need(
            p, lake_tree_const(p->arena, (a->literal.kind == b->literal.kind) == same ? LAKE_T : LAKE_F));
    if (literals) {
        const lake_tree *t = lake_sql_compare(p, LAKE_EQ, a, b, sql);
        return t && t->op == LAKE_TREE_OPAQUE ? t : negate_if(p, t, !same);
    }
    if (a->kind == LAKE_SQL_TREE && literal && b->literal.kind == LAKE_LITERAL_BOOL)
        return negate_if(
            p, lake_sql_need(p, lake_tree_is(p->arena, a->tree, b->literal.truth ? LAKE_T : LAKE_F)), !same);
    if (null && (a->kind == LAKE_SQL_COLUMN || a->narms)) {
        lake_tree model = {.op = LAKE_TREE_NULL};
        return negate_if(p,
            a->narms ? lake_sql_choice_test(p, a, &model, 1, sql) : lake_sql_leaf(p, LAKE_TREE_NULL, a, NULL, 0),
            !same);
    }
    if (literal && a->kind == LAKE_SQL_COLUMN)
        return negate_if(p, lake_sql_leaf(p, LAKE_TREE_DISTINCT, a, &b->literal, 1), same);
    if (literal && a->narms) {
        lake_tree model = {.op = LAKE_TREE_DISTINCT, .literals = &b->literal, .nliterals = 1};
        return negate_if(p, lake_sql_choice_test(p, a, &model, 1, sql), same);
    }
    if (a->kind == LAKE_SQL_COLUMN && b->kind == LAKE_SQL_COLUMN) {
        lake_tree *t = (lake_tree *)(uintptr_t)lake_sql_compare(p, LAKE_EQ, a, b, sql);
        if (t)
            t->null_safe = true;
        return negate_if(p, t, !same);
    }
    lake_sql_value both = *a;
    lake_sql_make_expression(p, &both, b, "not a column against a constant");
    return lake_sql_opaque(p, &both, sql, both.reason);
}

const lake_tree *lake_sql_distinct(
    lake_sql_parser *p, const lake_sql_value *a, const lake_sql_value *b, lake_str left, lake_str right, bool same) {
    /* What is negated around its text is told as what it denies. */
    bool literal = a->kind == LAKE_SQL_LITERAL || b->kind == LAKE_SQL_LITERAL, null = false;
    const lake_sql_value *two[] = {a, b};
    for (int i = 0; i < 2; i++)
        null |= two[i]->kind == LAKE_SQL_LITERAL && two[i]->literal.kind == LAKE_LITERAL_NULL;
    bool choice = (a->narms || b->narms) && literal && (null || a->kind != LAKE_SQL_TREE),
         rows = a->nitems && b->nitems;
    const char *between = choice && null ? NULL
        : choice                         ? " IS DISTINCT FROM "
        : rows || same                   ? " IS NOT DISTINCT FROM "
                                         : " IS DISTINCT FROM ";
    lake_str sql = between ? lake_sql_join(p, left, between, right)
                           : lake_sql_join(p, a->narms ? left : right, " IS NULL", LAKE_STR(""));
    if (p->status != LAKE_OK)
        return NULL;
    if (rows)
        return negate_if(p, lake_sql_row_same(p, a, b, sql), !same);
    return distinct_values(p, a, b, sql, same);
}

static void null_test(lake_sql_parser *p, lake_sql_value *v, lake_str sql, bool no) {
    const lake_tree *t;
    lake_str text = lake_sql_join(p, sql, " IS NULL", LAKE_STR(""));
    if (v->kind == LAKE_SQL_COLUMN) {
        t = lake_sql_leaf(p, LAKE_TREE_NULL, v, NULL, 0);
    } else if (v->narms) {
        lake_tree model = {.op = LAKE_TREE_NULL};
        t = lake_sql_choice_test(p, v, &model, 1, text);
    } else if (v->kind == LAKE_SQL_EXPRESSION) {
        t = lake_sql_opaque(p, v, text, v->reason);
    } else if (v->kind == LAKE_SQL_LITERAL) {
        t = lake_sql_need(p, lake_tree_const(p->arena, v->literal.kind == LAKE_LITERAL_NULL ? LAKE_T : LAKE_F));
    } else {
        t = lake_sql_need(p, lake_tree_is(p->arena, v->tree, LAKE_U));
    }
    become(p, v, negate_if(p, t, no));
}

static void is_test(lake_sql_parser *p, lake_sql_value *v, lake_str sql) {
    static const struct {
        const char *word;
        lake_outcomes set;
    } tests[] = {{"NULL", LAKE_U}, {"UNKNOWN", LAKE_U}, {"TRUE", LAKE_T}, {"FALSE", LAKE_F}};
    bool no = lake_sql_word(p, "NOT");
    if (lake_sql_word(p, "DISTINCT")) {
        lake_sql_value w;
        lake_sql_expect(p, "FROM");
        lake_sql_value_of(p, &w);
        become(p, v, p->status == LAKE_OK ? lake_sql_distinct(p, v, &w, sql, lake_sql_slice(p, w.begin), no) : NULL);
        return;
    }
    if (lake_sql_word(p, "NAN")) {
        const lake_tree *t = v->kind == LAKE_SQL_COLUMN
            ? lake_sql_leaf(p, LAKE_TREE_NAN, v, NULL, 0)
            : lake_sql_opaque(p, v, lake_sql_slice(p, v->begin), "IS NAN of no column");
        become(p, v, negate_if(p, t, no));
        return;
    }
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (!lake_sql_word(p, tests[i].word))
            continue;
        if (i == 0) {
            null_test(p, v, sql, no);
            return;
        }
        const lake_tree *t = lake_sql_condition(p, v, sql);
        t = t ? lake_sql_need(p, lake_tree_is(p->arena, t, tests[i].set)) : NULL;
        become(p, v, negate_if(p, t, no));
        return;
    }
    lake_sql_unexpected(p, "NULL, TRUE, FALSE, UNKNOWN, NAN or DISTINCT FROM");
}

static const lake_tree *pair(lake_sql_parser *p, lake_tree_op op, const lake_tree *a, const lake_tree *b) {
    const lake_tree *kids[] = {a, b};
    return p->status == LAKE_OK ? lake_sql_need(p, lake_tree_list(p->arena, op, kids, 2)) : NULL;
}

static const lake_tree *bound(
    lake_sql_parser *p, lake_compare op, const lake_sql_value *v, const lake_sql_value *w, lake_str sql, size_t end) {
    lake_str right = {p->text.ptr + w->begin, end - w->begin};
    bool opaque = v->kind != LAKE_SQL_COLUMN || w->kind != LAKE_SQL_LITERAL;
    lake_str text = {0};
    if (opaque) {
        text = lake_sql_join(p, sql, op == LAKE_GT_EQ ? " >= " : " <= ", right);
    }
    return lake_sql_compare(p, op, v, w, text);
}

static const lake_tree *between(lake_sql_parser *p, const lake_sql_value *v, lake_str sql) {
    bool symmetric = lake_sql_word(p, "SYMMETRIC");
    if (!symmetric)
        lake_sql_word(p, "ASYMMETRIC");
    lake_sql_value a, b;
    lake_sql_value_of(p, &a);
    size_t a_end = p->last_end;
    lake_sql_expect(p, "AND");
    lake_sql_value_of(p, &b);
    size_t b_end = p->last_end;
    if (p->status != LAKE_OK)
        return NULL;
    if (v->narms && a.kind == LAKE_SQL_LITERAL && b.kind == LAKE_SQL_LITERAL && a.literal.kind != LAKE_LITERAL_NULL &&
        b.literal.kind != LAKE_LITERAL_NULL) {
        /* One CASE: two of them would be two of each choice within. */
        lake_tree models[] = {{.op = LAKE_TREE_COMPARE, .compare = LAKE_GT_EQ, .literals = &a.literal, .nliterals = 1},
            {.op = LAKE_TREE_COMPARE, .compare = LAKE_LT_EQ, .literals = &b.literal, .nliterals = 1},
            {.op = LAKE_TREE_COMPARE, .compare = LAKE_GT_EQ, .literals = &b.literal, .nliterals = 1},
            {.op = LAKE_TREE_COMPARE, .compare = LAKE_LT_EQ, .literals = &a.literal, .nliterals = 1}};
        return lake_sql_choice_test(p, v, models, symmetric ? 4 : 2,
            lake_sql_join(p, sql, symmetric ? " BETWEEN SYMMETRIC " : " BETWEEN ", lake_sql_slice(p, a.begin)));
    }
    lake_sql_value alone = *v;
    alone.narms = 0;
    v = &alone;
    const lake_tree *t =
        pair(p, LAKE_TREE_AND, bound(p, LAKE_GT_EQ, v, &a, sql, a_end), bound(p, LAKE_LT_EQ, v, &b, sql, b_end));
    if (!symmetric)
        return t;
    return pair(p, LAKE_TREE_OR, t,
        pair(p, LAKE_TREE_AND, bound(p, LAKE_GT_EQ, v, &b, sql, b_end), bound(p, LAKE_LT_EQ, v, &a, sql, a_end)));
}

enum { MANY_COMPARED = 100 /* values of a list that are not all constants */ };

/* a IN (b, 1) is a = b OR a = 1. */
static const lake_tree *in_values(
    lake_sql_parser *p, const lake_sql_value *v, lake_str left, const lake_sql_value *values, size_t n, lake_str list) {
    const lake_tree **kids = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, const lake_tree *, n));
    lake_sql_value alone = *v; /* each is asked of it */
    alone.narms = 0;
    for (size_t i = 0; kids && i < n && p->status == LAKE_OK; i++) {
        lake_str text = {p->text.ptr + values[i].begin, values[i].end - values[i].begin};
        kids[i] = lake_sql_compare(p, LAKE_EQ, &alone, &values[i], lake_sql_join(p, left, " = ", text));
    }
    if (p->status != LAKE_OK)
        return NULL;
    lake_tree *t = n == 1 ? (lake_tree *)(uintptr_t)kids[0]
                          : (lake_tree *)lake_sql_need(p, lake_tree_list(p->arena, LAKE_TREE_OR, kids, n));
    if (t && n > 1)
        t->sql = lake_sql_join(p, left, " IN ", list);
    return t;
}

static const lake_tree *in_list(lake_sql_parser *p, const lake_sql_value *v, lake_str sql) {
    if (v->nitems)
        return lake_sql_row_in(p, v, sql);
    lake_literal *list = NULL;
    lake_sql_value *values = NULL;
    size_t n = 0, room = 0, nvalues = 0, values_room = 0;
    bool constants = v->kind == LAKE_SQL_COLUMN || v->narms;
    size_t begin = p->token.begin;
    lake_sql_expect(p, "(");
    if (lake_sql_is(&p->token, "SELECT"))
        lake_sql_fail(p, p->token.begin, "a subquery cannot be planned with");
    do {
        lake_sql_value w;
        lake_sql_value_of(p, &w);
        constants = constants && w.kind == LAKE_SQL_LITERAL;
        w.end = p->last_end;
        if (p->status != LAKE_OK)
            return NULL;
        if (nvalues++ < MANY_COMPARED) {
            bool grown = lake_tree_grow(p->arena, &values, sizeof *values, nvalues - 1, &values_room);
            if (!lake_sql_need(p, grown ? values : NULL))
                return NULL;
            values[nvalues - 1] = w;
        }
        if (!constants)
            continue;
        bool grown = lake_tree_grow(p->arena, &list, sizeof *list, n, &room);
        if (!lake_sql_need(p, grown ? list : NULL))
            return NULL;
        list[n++] = w.literal;
    } while (lake_sql_word(p, ","));
    lake_sql_expect(p, ")");
    if (p->status != LAKE_OK)
        return NULL;
    if (constants && v->narms) {
        lake_tree model = {.op = LAKE_TREE_IN, .literals = list, .nliterals = n};
        return lake_sql_choice_test(p, v, &model, 1, lake_sql_join(p, sql, " IN ", lake_sql_slice(p, begin)));
    }
    bool plain = v->kind == LAKE_SQL_COLUMN || v->kind == LAKE_SQL_LITERAL;
    if (!constants && plain && nvalues <= MANY_COMPARED)
        return in_values(p, v, sql, values, nvalues, lake_sql_slice(p, begin));
    if (!constants)
        return lake_sql_opaque(p, v, lake_sql_slice(p, v->begin),
            v->kind == LAKE_SQL_EXPRESSION ? v->reason : "a list that is not all constants");
    lake_tree *t = (lake_tree *)lake_sql_leaf(p, LAKE_TREE_IN, v, NULL, 0);
    if (t) {
        t->literals = list;
        t->nliterals = n;
    }
    return t;
}

static const lake_tree *like(lake_sql_parser *p, const lake_sql_value *v, lake_str left, bool any_case) {
    lake_sql_value pattern, escape = {.kind = LAKE_SQL_TREE};
    lake_sql_value_of(p, &pattern);
    bool has_escape = lake_sql_word(p, "ESCAPE");
    if (has_escape) {
        lake_sql_value_of(p, &escape);
        if (p->status == LAKE_OK &&
            (escape.kind != LAKE_SQL_LITERAL || escape.literal.kind != LAKE_LITERAL_STRING ||
                lake_utf8_count(lake_bytes_of(escape.literal.text)) > 1))
            lake_sql_fail(p, escape.begin, "ESCAPE takes a string of one character, or none");
    }
    if (p->status != LAKE_OK)
        return NULL;
    lake_str sql = lake_sql_slice(p, v->begin);
    bool literal = pattern.kind == LAKE_SQL_LITERAL;
    if (literal && pattern.literal.kind == LAKE_LITERAL_NULL)
        return lake_sql_need(p, lake_tree_const(p->arena, LAKE_U));
    if (literal && pattern.literal.kind != LAKE_LITERAL_STRING) {
        lake_sql_fail(p, pattern.begin, "LIKE takes a string");
        return NULL;
    }
    bool choice = v->narms && literal;
    if ((v->kind != LAKE_SQL_COLUMN && !choice) || !literal)
        return lake_sql_opaque(p, v, sql, v->kind == LAKE_SQL_EXPRESSION ? v->reason : "a pattern that is no constant");
    if (has_escape && escape.literal.text.len) {
        lake_str text = pattern.literal.text;
        for (size_t i = 0; i < text.len; i++)
            if (lake_str_starts((lake_str){text.ptr + i, text.len - i}, escape.literal.text)) {
                i += escape.literal.text.len;
                if (i >= text.len)
                    lake_sql_fail(p, pattern.begin, "the pattern ends in its escape character");
            }
    }
    if (choice) {
        lake_tree model = {.op = LAKE_TREE_LIKE, .literals = &pattern.literal, .nliterals = 1, .any_case = any_case};
        if (has_escape)
            model.escape = escape.literal.text;
        sql = lake_sql_join(p, left, any_case ? " ILIKE " : " LIKE ", lake_sql_slice(p, pattern.begin));
        return lake_sql_choice_test(p, v, &model, 1, sql);
    }
    lake_tree *t = (lake_tree *)lake_sql_leaf(p, LAKE_TREE_LIKE, v, &pattern.literal, 1);
    if (t && has_escape)
        t->escape = escape.literal.text;
    if (t)
        t->any_case = any_case;
    return t;
}

/* Tests that are SQL in some engine, but say nothing about an interval. */
static const lake_tree *pattern_test(lake_sql_parser *p, const lake_sql_value *v) {
    static const char *const words[] = {"RLIKE", "REGEXP", "SIMILAR"};
    static const char *const reasons[] = {"regular expression", "regular expression", "regular expression"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (lake_sql_word(p, words[i])) {
            lake_sql_value w;
            if (i == 2)
                lake_sql_expect(p, "TO");
            lake_sql_value_of(p, &w);
            if (lake_sql_word(p, "ESCAPE"))
                lake_sql_value_of(p, &w);
            return lake_sql_opaque(p, v, lake_sql_slice(p, v->begin), reasons[i]);
        }
    return NULL;
}

/* Operators that other languages have: the lexer gives their first part. */
static void refuse_foreign(lake_sql_parser *p, const char *op) {
    size_t begin = p->last_end - strlen(op);
    if (p->token.begin != p->last_end)
        return;
    if (strcmp(op, "=") == 0 && lake_sql_is(&p->token, "="))
        lake_sql_fail(p, begin, "'==' is no SQL here: write =");
    else if (strcmp(op, "<=") == 0 && lake_sql_is(&p->token, ">"))
        lake_sql_fail(p, begin, "'<=>' is no SQL here: write IS NOT DISTINCT FROM");
}

static bool comparison(lake_sql_parser *p, lake_sql_value *v) {
    static const struct {
        const char *text;
        lake_compare op;
        bool no;
    } ops[] = {{"=", LAKE_EQ, false}, {"<>", LAKE_EQ, true}, {"!=", LAKE_EQ, true}, {"<=", LAKE_LT_EQ, false},
        {">=", LAKE_GT_EQ, false}, {"<", LAKE_LT, false}, {">", LAKE_GT, false}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (lake_sql_is(&p->token, ops[i].text)) {
            lake_str left = lake_sql_slice(p, v->begin);
            lake_sql_next(p);
            lake_sql_value w;
            refuse_foreign(p, ops[i].text);
            lake_sql_value_of(p, &w);
            lake_str sql = lake_sql_slice(p, v->begin);
            bool rows = v->nitems && w.nitems && ops[i].op == LAKE_EQ;
            bool around = ops[i].no && (v->narms || w.narms || rows); /* it is negated around its text */
            if (around)
                sql = lake_sql_join(p, left, " = ", lake_sql_slice(p, w.begin));
            const lake_tree *t = p->status != LAKE_OK ? NULL
                : rows                                ? lake_sql_row_equal(p, v, &w, sql)
                                                      : lake_sql_compare(p, ops[i].op, v, &w, sql);
            /* The text of what stays opaque holds its own <>. */
            if (ops[i].no && !around && t && t->op == LAKE_TREE_OPAQUE)
                become(p, v, t);
            else
                become(p, v, negate_if(p, t, ops[i].no));
            return true;
        }
    return false;
}

void lake_sql_test(lake_sql_parser *p, lake_sql_value *v) {
    lake_sql_value_of(p, v);
    while (p->status == LAKE_OK) {
        lake_str sql = lake_sql_slice(p, v->begin);
        if (lake_sql_word(p, "IS")) {
            is_test(p, v, sql);
            continue;
        }
        if (comparison(p, v))
            continue;
        bool not_null = lake_sql_is(&p->token, "NOTNULL");
        if (not_null || lake_sql_is(&p->token, "ISNULL")) {
            lake_sql_next(p);
            null_test(p, v, sql, not_null);
            continue;
        }
        bool no = lake_sql_word(p, "NOT");
        const lake_tree *t;
        if (lake_sql_word(p, "BETWEEN"))
            t = between(p, v, sql);
        else if (lake_sql_word(p, "IN"))
            t = in_list(p, v, sql);
        else if (lake_sql_word(p, "LIKE"))
            t = like(p, v, sql, false);
        else if (lake_sql_word(p, "ILIKE"))
            t = like(p, v, sql, true);
        else
            t = pattern_test(p, v);
        if (!t && !no)
            return;
        if (!t && p->status == LAKE_OK)
            lake_sql_unexpected(p, "BETWEEN, IN or LIKE");
        if (no && t && t->op == LAKE_TREE_OPAQUE) /* its text holds the NOT */
            become(p, v, t);
        else
            become(p, v, negate_if(p, t, no));
    }
}
