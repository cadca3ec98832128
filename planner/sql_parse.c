/* SQL text -> tree: predicates with SQL's precedence (docs/predicates.md). Errors stick: the
   first one is kept and the rest of the text is not looked at. What is SQL but cannot be used for pruning becomes an
   opaque leaf. */
#include "planner/sql_parse.h"
#include "planner/literal.h"

#include <stdio.h>

lake_status lake_sql_fail(lake_sql_parser *p, size_t at, const char *fmt, ...) {
    if (p->status == LAKE_OK) {
        char text[256];
        va_list args;
        va_start(args, fmt);
        vsnprintf(text, sizeof text, fmt, args);
        va_end(args);
        p->status = lake_fail_at(p->err, LAKE_ERR_USAGE, (int64_t)at, "%s", text);
    }
    p->token = (lake_sql_token){.kind = LAKE_SQL_END, .begin = p->text.len, .end = p->text.len};
    return p->status;
}

void *lake_sql_need(lake_sql_parser *p, const void *made) {
    if (!made && p->status == LAKE_OK) {
        p->status = lake_fail_memory(p->err);
        p->token.kind = LAKE_SQL_END;
    }
    return (void *)(uintptr_t)made;
}

void lake_sql_next(lake_sql_parser *p) {
    p->last_end = p->token.end;
    if (p->status == LAKE_OK) {
        p->status = lake_sql_lex(p->text, p->token.end, &p->token, p->err);
        if (p->status != LAKE_OK)
            p->token.kind = LAKE_SQL_END;
    }
}

bool lake_sql_word(lake_sql_parser *p, const char *word) {
    if (!lake_sql_is(&p->token, word))
        return false;
    lake_sql_next(p);
    return true;
}

void lake_sql_unexpected(lake_sql_parser *p, const char *wanted) {
    if (p->token.kind == LAKE_SQL_END)
        lake_sql_fail(p, p->token.begin, "%s expected, but the text ends", wanted);
    else
        lake_sql_fail(p, p->token.begin, "%s expected, not %.*s", wanted,
            (int)(p->token.text.len > 40 ? 40 : p->token.text.len), p->token.text.ptr);
}

void lake_sql_expect(lake_sql_parser *p, const char *word) {
    if (!lake_sql_word(p, word))
        lake_sql_unexpected(p, word);
}

lake_str lake_sql_slice(const lake_sql_parser *p, size_t begin) {
    return (lake_str){p->text.ptr + begin, p->last_end > begin ? p->last_end - begin : 0};
}

lake_str lake_sql_join(lake_sql_parser *p, lake_str left, const char *between, lake_str right) {
    size_t n = strlen(between);
    char *out = lake_sql_need(p, lake_arena_alloc(p->arena, left.len + n + right.len + 1));
    if (!out)
        return (lake_str){0};
    memcpy(out, left.ptr, left.len);
    memcpy(out + left.len, between, n);
    memcpy(out + left.len + n, right.ptr, right.len);
    return (lake_str){out, left.len + n + right.len};
}

static const lake_tree *checked(lake_sql_parser *p, const lake_tree *t, size_t at) {
    if (lake_sql_need(p, t) && t->depth > LAKE_TREE_MAX_DEPTH)
        lake_sql_fail(p, at, "nested deeper than %d levels", LAKE_TREE_MAX_DEPTH);
    return t;
}

static void set_tree(lake_sql_parser *p, lake_sql_value *v, const lake_tree *t) {
    v->kind = LAKE_SQL_TREE;
    v->narms = v->nitems = 0;
    v->tree = checked(p, t, v->begin);
}

static const lake_column_ref *columns_of(const lake_sql_value *v, size_t *n) {
    *n = v->kind == LAKE_SQL_COLUMN ? 1 : v->kind == LAKE_SQL_EXPRESSION ? v->ncolumns : 0;
    return v->kind == LAKE_SQL_COLUMN ? &v->column : v->columns;
}

/* The columns of both, as far as they are worth a check. */
static void join_columns(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *more) {
    size_t n, m;
    const lake_column_ref *a = columns_of(v, &n), *b = columns_of(more, &m);
    if (v->kind != LAKE_SQL_COLUMN && n >= LAKE_SQL_MAX_CHECKED)
        return; /* a call of a million columns costs no more */
    size_t total = n + m > LAKE_SQL_MAX_CHECKED ? LAKE_SQL_MAX_CHECKED : n + m;
    lake_column_ref *all =
        m || v->kind == LAKE_SQL_COLUMN ? lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, lake_column_ref, total)) : NULL;
    for (size_t i = 0; all && i < total; i++)
        all[i] = i < n ? a[i] : b[i - n];
    if (all) {
        v->columns = all;
        v->ncolumns = total;
    }
}

void lake_sql_make_expression(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *more, const char *reason) {
    static const lake_sql_value nothing = {.kind = LAKE_SQL_EXPRESSION};
    join_columns(p, v, more ? more : &nothing);
    if (v->kind != LAKE_SQL_COLUMN && v->kind != LAKE_SQL_EXPRESSION && !more)
        v->ncolumns = 0;
    v->kind = LAKE_SQL_EXPRESSION;
    v->reason = reason;
    v->narms = v->nitems = 0;
}

const lake_tree *lake_sql_opaque(lake_sql_parser *p, const lake_sql_value *v, lake_str sql, const char *reason) {
    lake_tree *t = lake_sql_need(p, lake_tree_new(p->arena, LAKE_TREE_OPAQUE, (int64_t)v->begin));
    if (!t)
        return NULL;
    lake_sql_value copy = *v;
    if (copy.kind == LAKE_SQL_COLUMN)
        join_columns(p, &copy, &(lake_sql_value){.kind = LAKE_SQL_EXPRESSION});
    if (copy.kind == LAKE_SQL_COLUMN || copy.kind == LAKE_SQL_EXPRESSION) {
        t->columns = copy.columns;
        t->ncolumns = copy.ncolumns;
    }
    t->sql = sql;
    t->reason = reason;
    return t;
}

/* A value where a predicate is wanted. */
const lake_tree *lake_sql_predicate(lake_sql_parser *p, const lake_sql_value *v) {
    return lake_sql_condition(p, v, lake_sql_slice(p, v->begin));
}

const lake_tree *lake_sql_condition(lake_sql_parser *p, const lake_sql_value *v, lake_str sql) {
    if (v->kind == LAKE_SQL_TREE)
        return v->tree;
    static const lake_literal truth = {.kind = LAKE_LITERAL_BOOL, .truth = true, .sql = {"TRUE", 4}, .offset = -1};
    if (v->kind == LAKE_SQL_EXPRESSION && v->narms) {
        lake_tree model = {.op = LAKE_TREE_COMPARE, .compare = LAKE_EQ, .literals = &truth, .nliterals = 1};
        return lake_sql_choice_test(p, v, &model, 1, sql);
    }
    if (v->kind == LAKE_SQL_EXPRESSION)
        return lake_sql_opaque(p, v, sql, v->reason);
    if (v->kind == LAKE_SQL_LITERAL) {
        if (v->literal.kind != LAKE_LITERAL_BOOL && v->literal.kind != LAKE_LITERAL_NULL) {
            lake_sql_fail(p, v->begin, "a condition expected, not the value %.*s",
                (int)(v->literal.sql.len > 40 ? 40 : v->literal.sql.len), v->literal.sql.ptr);
            return NULL;
        }
        lake_outcomes set = v->literal.kind == LAKE_LITERAL_NULL ? LAKE_U : v->literal.truth ? LAKE_T : LAKE_F;
        return lake_sql_need(p, lake_tree_const(p->arena, set));
    }
    return lake_sql_leaf(p, LAKE_TREE_COMPARE, v, &truth, 1);
}

const lake_tree *lake_sql_leaf(
    lake_sql_parser *p, lake_tree_op op, const lake_sql_value *column, const lake_literal *literals, size_t n) {
    lake_tree *t = lake_sql_need(p, lake_tree_new(p->arena, op, (int64_t)column->begin));
    lake_column_ref *c = lake_sql_need(p, LAKE_ARENA_NEW(p->arena, lake_column_ref));
    lake_literal *copy = n ? lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, lake_literal, n)) : NULL;
    if (!t || !c || (n && !copy))
        return NULL;
    *c = column->column;
    if (n)
        memcpy(copy, literals, n * sizeof *copy);
    t->columns = c;
    t->ncolumns = 1;
    t->literals = copy;
    t->nliterals = n;
    return t;
}

/* AND and OR: a list of all that follow each other. */
static void chain(lake_sql_parser *p, lake_sql_value *v, const char *word, lake_tree_op op,
    void (*below)(lake_sql_parser *, lake_sql_value *)) {
    below(p, v);
    if (!lake_sql_is(&p->token, word))
        return;
    const lake_tree **kids = NULL;
    size_t n = 0, room = 0;
    lake_sql_value next = *v;
    for (;;) {
        const lake_tree *kid = lake_sql_predicate(p, &next);
        if (p->status != LAKE_OK)
            return;
        bool grown = lake_tree_grow(p->arena, &kids, sizeof *kids, n, &room);
        if (!lake_sql_need(p, grown ? kids : NULL))
            return;
        kids[n++] = kid;
        if (!lake_sql_word(p, word))
            break;
        below(p, &next);
    }
    set_tree(p, v, lake_tree_list(p->arena, op, kids, n));
}

static void negation(lake_sql_parser *p, lake_sql_value *v) {
    size_t begin = p->token.begin, nots = 0;
    while (lake_sql_word(p, "NOT"))
        nots++;
    lake_sql_test(p, v);
    if (nots) {
        const lake_tree *t = lake_sql_predicate(p, v);
        if (nots % 2 && t)
            t = lake_tree_not(p->arena, t);
        v->begin = begin;
        set_tree(p, v, t);
    }
}

static void conjunction(lake_sql_parser *p, lake_sql_value *v) {
    chain(p, v, "AND", LAKE_TREE_AND, negation);
}

void lake_sql_disjunction(lake_sql_parser *p, lake_sql_value *v) {
    chain(p, v, "OR", LAKE_TREE_OR, conjunction);
}

const lake_tree *lake_sql_compare(
    lake_sql_parser *p, lake_compare op, const lake_sql_value *a, const lake_sql_value *b, lake_str sql) {
    static const lake_compare flip[] = {LAKE_EQ, LAKE_GT, LAKE_GT_EQ, LAKE_LT, LAKE_LT_EQ};
    bool a_literal = a->kind == LAKE_SQL_LITERAL, b_literal = b->kind == LAKE_SQL_LITERAL;
    if ((a_literal && a->literal.kind == LAKE_LITERAL_NULL) || (b_literal && b->literal.kind == LAKE_LITERAL_NULL))
        return lake_sql_need(p, lake_tree_const(p->arena, LAKE_U));
    if (a_literal && b_literal) {
        int c;
        if (lake_literal_compare(&a->literal, &b->literal, &c)) {
            bool truth = op == LAKE_EQ ? c == 0
                : op == LAKE_LT        ? c < 0
                : op == LAKE_LT_EQ     ? c <= 0
                : op == LAKE_GT        ? c > 0
                                       : c >= 0;
            return lake_sql_need(p, lake_tree_const(p->arena, truth ? LAKE_T : LAKE_F));
        }
        return lake_sql_opaque(
            p, &(lake_sql_value){.kind = LAKE_SQL_EXPRESSION, .begin = a->begin}, sql, "two constants");
    }
    if (a_literal)
        return lake_sql_compare(p, flip[op], b, a, sql);
    if (a->kind == LAKE_SQL_COLUMN && b_literal) {
        lake_tree *t = (lake_tree *)lake_sql_leaf(p, LAKE_TREE_COMPARE, a, &b->literal, 1);
        if (t)
            t->compare = op;
        return t;
    }
    if (a->kind == LAKE_SQL_COLUMN && b->kind == LAKE_SQL_COLUMN) {
        lake_tree *t = (lake_tree *)lake_sql_leaf(p, LAKE_TREE_PAIR, a, NULL, 0);
        lake_column_ref *columns = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, lake_column_ref, 2));
        if (!t || !columns)
            return NULL;
        columns[0] = a->column;
        columns[1] = b->column;
        t->columns = columns;
        t->ncolumns = 2;
        t->compare = op;
        t->sql = sql;
        return t;
    }
    if (a->narms && b_literal) {
        lake_tree model = {.op = LAKE_TREE_COMPARE, .compare = op, .literals = &b->literal, .nliterals = 1};
        return lake_sql_choice_test(p, a, &model, 1, sql);
    }
    lake_sql_value both = *a;
    const char *reason = a->kind == LAKE_SQL_EXPRESSION ? a->reason
        : b->kind == LAKE_SQL_EXPRESSION                ? b->reason
                                                        : "conditions compared";
    lake_sql_make_expression(p, &both, b, reason);
    return lake_sql_opaque(p, &both, sql, reason);
}

lake_status lake_tree_from_sql(lake_arena *arena, lake_str text, const lake_tree **out, lake_error *err) {
    lake_sql_parser p = {.arena = arena, .text = text, .err = err};
    *out = NULL;
    if (text.len && !lake_utf8_valid(lake_bytes_of(text))) {
        const uint8_t *at = (const uint8_t *)text.ptr, *end = at + text.len;
        uint32_t cp;
        for (size_t n; (n = lake_utf8_decode(at, end, &cp)) > 0;)
            at += n;
        return lake_fail_at(err, LAKE_ERR_USAGE, at - (const uint8_t *)text.ptr, "the text is not UTF-8");
    }
    lake_sql_next(&p);
    lake_sql_value v;
    lake_sql_disjunction(&p, &v);
    const lake_tree *t = p.status == LAKE_OK ? lake_sql_predicate(&p, &v) : NULL;
    if (p.status == LAKE_OK && p.token.kind != LAKE_SQL_END)
        lake_sql_fail(&p, p.token.begin, "unexpected %.*s", (int)(p.token.text.len > 40 ? 40 : p.token.text.len),
            p.token.text.ptr);
    checked(&p, t, 0);
    if (p.status == LAKE_OK)
        *out = t;
    return p.status;
}
