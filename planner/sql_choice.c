/* Choices: COALESCE(x, 0) > 5, NULLIF(x, 0) = 5 and CASE … END = 'a' become a CASE whose test is asked of each result.
 */
#include "planner/sql_parse.h"

static const lake_tree *list_of(lake_sql_parser *p, lake_tree_op op, const lake_tree *const *kids, size_t n) {
    if (p->status != LAKE_OK)
        return NULL;
    return n == 1 ? kids[0] : lake_sql_need(p, lake_tree_list(p->arena, op, kids, n));
}

static bool simple(const lake_sql_value *v) {
    return v->kind == LAKE_SQL_LITERAL || v->kind == LAKE_SQL_COLUMN;
}

/* The only column among the results; NULL: there are none or several. */
static const lake_column_ref *only_column(const lake_sql_value *v, bool *any) {
    const lake_column_ref *out = NULL;
    *any = false;
    for (size_t i = 0; i < v->narms; i++) {
        if (v->arms[i].result.kind != LAKE_SQL_COLUMN)
            continue;
        if (*any && !(out && lake_str_eq(out->sql, v->arms[i].result.column.sql)))
            return NULL;
        *any = true;
        out = &v->arms[i].result.column;
    }
    return out;
}

bool lake_sql_choice(lake_sql_parser *p, lake_sql_value *v, const lake_sql_arm *arms, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!simple(&arms[i].result))
            return false;
    lake_sql_arm *copy = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, lake_sql_arm, n));
    if (!copy)
        return false;
    memcpy(copy, arms, n * sizeof *copy);
    v->arms = copy;
    v->narms = n;
    return true;
}

/* A constant among the results: tested as a value of the column beside it would be. */
static const lake_tree *constant(lake_sql_parser *p, const lake_sql_value *v, const lake_literal *result,
    const lake_tree *model, lake_str sql, const lake_column_ref *column, bool any) {
    if (model->op == LAKE_TREE_NULL || result->kind == LAKE_LITERAL_NULL)
        return lake_sql_need(p,
            lake_tree_const(p->arena,
                model->op == LAKE_TREE_NULL           ? (result->kind == LAKE_LITERAL_NULL ? LAKE_T : LAKE_F)
                    : model->op == LAKE_TREE_DISTINCT ? LAKE_T
                                                      : LAKE_U));
    if (!any && model->op == LAKE_TREE_COMPARE) {
        lake_sql_value a = {.kind = LAKE_SQL_LITERAL, .literal = *result, .begin = v->begin},
                       b = {.kind = LAKE_SQL_LITERAL, .literal = model->literals[0], .begin = v->begin};
        return lake_sql_compare(p, model->compare, &a, &b, sql);
    }
    if (!column)
        return lake_sql_opaque(p, v, sql, "constants beside several columns");
    lake_tree *t = lake_sql_need(p, LAKE_ARENA_NEW(p->arena, lake_tree));
    if (!t)
        return NULL;
    *t = *model;
    lake_literal *literals = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, lake_literal, model->nliterals));
    if (!literals)
        return NULL;
    memcpy(literals, model->literals, model->nliterals * sizeof *literals); /* the model's may be the caller's own */
    t->literals = literals;
    t->depth = 1;
    t->columns = column;
    t->ncolumns = 1;
    t->instead = result;
    t->sql = sql;
    return t;
}

/* So that binding sees whether their types meet. */
static void tell_results(lake_sql_parser *p, const lake_sql_value *v, lake_tree *t) {
    lake_column_ref *columns = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, lake_column_ref, v->narms));
    lake_literal *literals = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, lake_literal, v->narms));
    for (size_t i = 0; columns && literals && i < v->narms; i++)
        if (v->arms[i].result.kind == LAKE_SQL_COLUMN)
            columns[t->ncolumns++] = v->arms[i].result.column;
        else
            literals[t->nliterals++] = v->arms[i].result.literal;
    t->columns = columns;
    t->literals = literals;
}

static const lake_tree *of_column(lake_sql_parser *p, const lake_sql_value *r, const lake_tree *model) {
    lake_tree *t = (lake_tree *)lake_sql_leaf(p, model->op, r, model->literals, model->nliterals);
    if (t) {
        t->compare = model->compare;
        t->escape = model->escape;
        t->any_case = model->any_case;
    }
    return t;
}

const lake_tree *lake_sql_choice_test(
    lake_sql_parser *p, const lake_sql_value *v, const lake_tree *models, size_t nmodels, lake_str sql) {
    const lake_tree **kids = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, const lake_tree *, 2 * v->narms));
    bool any;
    const lake_column_ref *column = only_column(v, &any);
    size_t n = 0;
    for (size_t i = 0; kids && i < v->narms && p->status == LAKE_OK; i++) {
        const lake_sql_value *r = &v->arms[i].result;
        const lake_tree *tests[4] = {0};
        for (size_t k = 0; k < nmodels && k < 4; k++)
            tests[k] = r->kind == LAKE_SQL_COLUMN ? of_column(p, r, &models[k])
                                                  : constant(p, v, &r->literal, &models[k], sql, column, any);
        for (size_t k = 0; k < nmodels; k += 2)
            tests[k / 2] = list_of(p, LAKE_TREE_AND, tests + k, nmodels - k < 2 ? nmodels - k : 2);
        if (v->arms[i].condition)
            kids[n++] = v->arms[i].condition;
        kids[n++] = list_of(p, LAKE_TREE_OR, tests, (nmodels + 1) / 2);
    }
    lake_tree *t = kids ? (lake_tree *)list_of(p, LAKE_TREE_CASE, kids, n) : NULL;
    if (t && t->op == LAKE_TREE_CASE) {
        t->sql = sql; /* told as it was written: a constant alone does not say its type */
        tell_results(p, v, t);
    }
    return t;
}

/* COALESCE(a, b, 0), NULLIF(a, 0). False: not of that form; v is as it was. */
bool lake_sql_choice_call(lake_sql_parser *p, lake_sql_value *v, bool nullif, const lake_sql_value *all, size_t n) {
    enum { MOST = 8 };
    static const lake_literal null = {.kind = LAKE_LITERAL_NULL, .sql = {"NULL", 4}, .offset = -1};
    lake_sql_arm arms[MOST];
    size_t k = 0;
    if (n < 2 || n >= MOST || (nullif && (n != 2 || all[0].kind != LAKE_SQL_COLUMN)))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!simple(&all[i]) || (!nullif && i + 1 < n && all[i].kind != LAKE_SQL_COLUMN))
            return false;
    if (nullif) {
        lake_str sql = lake_sql_slice(p, v->begin);
        arms[k++] = (lake_sql_arm){lake_sql_compare(p, LAKE_EQ, &all[0], &all[1], sql),
            {.kind = LAKE_SQL_LITERAL, .literal = null, .begin = v->begin}};
        arms[k++] = (lake_sql_arm){NULL, all[0]};
        return lake_sql_choice(p, v, arms, k);
    }
    for (size_t i = 0; i + 1 < n; i++) {
        const lake_tree *t = lake_sql_leaf(p, LAKE_TREE_NULL, &all[i], NULL, 0);
        t = t ? lake_sql_need(p, lake_tree_not(p->arena, t)) : NULL;
        arms[k++] = (lake_sql_arm){t, all[i]};
    }
    arms[k++] = (lake_sql_arm){NULL, all[n - 1]};
    return lake_sql_choice(p, v, arms, k);
}
