/* Rows of values: (a, b) = (1, 2) is a = 1 AND b = 2, (a, b) IN (…) an OR of those. In standard SQL a null within a row
   makes UNKNOWN of what would be TRUE; engines that compare rows as structs find null equal to null and unequal to all
   else. Both are allowed for: each part says of null what either would (null_unsure), and AND and OR do the rest. */
#include "planner/sql_parse.h"

enum { MANY_ROWS = 8 /* from here on each column's own list is tested first */ };

void lake_sql_row(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *items, size_t n) {
    static const lake_sql_value nothing = {.kind = LAKE_SQL_EXPRESSION};
    size_t begin = v->begin;
    *v = nothing;
    v->begin = begin;
    for (size_t i = 0; i < n; i++)
        lake_sql_make_expression(p, v, &items[i], "row of values");
    v->items = items;
    v->nitems = n;
}

static lake_str item_text(const lake_sql_parser *p, const lake_sql_value *v) {
    return (lake_str){p->text.ptr + v->begin, v->end > v->begin ? v->end - v->begin : 0};
}

static bool is_null(const lake_sql_value *v) {
    return v->kind == LAKE_SQL_LITERAL && v->literal.kind == LAKE_LITERAL_NULL;
}

static const lake_tree *constant(lake_sql_parser *p, lake_outcomes set) {
    return lake_sql_need(p, lake_tree_const(p->arena, set));
}

static const lake_tree *unsure(lake_tree *t) {
    if (t &&
        (t->op == LAKE_TREE_COMPARE || t->op == LAKE_TREE_PAIR || t->op == LAKE_TREE_NULL || t->op == LAKE_TREE_IN))
        t->null_unsure = true;
    return t;
}

/* One part of a row against the other's. */
static const lake_tree *item_equal(lake_sql_parser *p, const lake_sql_value *a, const lake_sql_value *b) {
    if (a->nitems && b->nitems)
        return lake_sql_row_equal(p, a, b, lake_sql_join(p, item_text(p, a), " = ", item_text(p, b)));
    if (is_null(a) && is_null(b))
        return constant(p, LAKE_T | LAKE_U);
    if (is_null(a)) {
        const lake_sql_value *swap = a;
        a = b;
        b = swap;
    }
    if (is_null(b) && a->kind == LAKE_SQL_LITERAL)
        return constant(p, LAKE_F | LAKE_U);
    if (is_null(b) && a->kind == LAKE_SQL_COLUMN)
        return unsure((lake_tree *)lake_sql_leaf(p, LAKE_TREE_NULL, a, NULL, 0));
    if (is_null(b))
        return constant(p, LAKE_ANY);
    lake_sql_value left = *a, right = *b; /* choices say only UNKNOWN of null */
    left.narms = right.narms = 0;
    bool simple = left.kind == LAKE_SQL_COLUMN && right.kind == LAKE_SQL_LITERAL;
    lake_str sql = simple ? (lake_str){0} : lake_sql_join(p, item_text(p, a), " = ", item_text(p, b));
    return p->status == LAKE_OK ? unsure((lake_tree *)lake_sql_compare(p, LAKE_EQ, &left, &right, sql)) : NULL;
}

static const lake_tree *item_same(lake_sql_parser *p, const lake_sql_value *a, const lake_sql_value *b) {
    return lake_sql_distinct(p, a, b, item_text(p, a), item_text(p, b), true);
}

static const lake_tree *each(lake_sql_parser *p, const lake_sql_value *a, const lake_sql_value *b, size_t n,
    const lake_tree *(*item)(lake_sql_parser *, const lake_sql_value *, const lake_sql_value *)) {
    const lake_tree **kids = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, const lake_tree *, n));
    for (size_t i = 0; kids && i < n && p->status == LAKE_OK; i++)
        kids[i] = item(p, &a[i], &b[i]);
    return p->status == LAKE_OK ? lake_sql_need(p, lake_tree_list(p->arena, LAKE_TREE_AND, kids, n)) : NULL;
}

static const lake_tree *rows(lake_sql_parser *p, const lake_sql_value *v, const lake_sql_value *w, lake_str sql,
    const lake_tree *(*item)(lake_sql_parser *, const lake_sql_value *, const lake_sql_value *)) {
    if (v->nitems != w->nitems) {
        lake_sql_fail(p, w->begin, "a row of %zu values cannot be compared with one of %zu", w->nitems, v->nitems);
        return NULL;
    }
    lake_tree *t = (lake_tree *)each(p, v->items, w->items, v->nitems, item);
    if (t)
        t->sql = sql;
    return t;
}

const lake_tree *lake_sql_row_equal(
    lake_sql_parser *p, const lake_sql_value *v, const lake_sql_value *w, lake_str sql) {
    return rows(p, v, w, sql, item_equal);
}

const lake_tree *lake_sql_row_same(lake_sql_parser *p, const lake_sql_value *v, const lake_sql_value *w, lake_str sql) {
    return rows(p, v, w, sql, item_same);
}

/* ---------------------------------------------------------------- IN */
typedef struct row_list {
    const lake_tree **kids;
    size_t n, room;
    lake_literal **columns; /* of each part of v: the literals beside it, as long as all are plain */
    bool plain;
} row_list;

static bool start_lists(lake_sql_parser *p, const lake_sql_value *v, row_list *list) {
    list->plain = true;
    for (size_t i = 0; i < v->nitems; i++)
        list->plain = list->plain && v->items[i].kind == LAKE_SQL_COLUMN;
    list->columns = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, lake_literal *, v->nitems));
    return list->columns != NULL;
}

static bool add_row(lake_sql_parser *p, const lake_sql_value *v, row_list *list, const lake_sql_value *items) {
    size_t room = list->room, same;
    bool grown = lake_tree_grow(p->arena, &list->kids, sizeof *list->kids, list->n, &list->room);
    for (size_t i = 0; i < v->nitems && grown && list->plain; i++) {
        list->plain = items[i].kind == LAKE_SQL_LITERAL && !is_null(&items[i]);
        same = room;
        grown = lake_tree_grow(p->arena, &list->columns[i], sizeof **list->columns, list->n, &same);
        if (grown)
            list->columns[i][list->n] = items[i].literal;
    }
    if (!lake_sql_need(p, grown ? list->kids : NULL))
        return false;
    list->kids[list->n] = each(p, v->items, items, v->nitems, item_equal);
    list->n++;
    return p->status == LAKE_OK;
}

/* A row of the list. False: the text is wrong. */
static bool take_row(lake_sql_parser *p, const lake_sql_value *v, row_list *list, lake_sql_value *items) {
    lake_sql_value w;
    size_t begin = p->token.begin;
    if (lake_sql_word(p, "(")) { /* the usual case keeps no values */
        size_t n = 0;
        do {
            lake_sql_disjunction(p, &w);
            w.end = p->last_end;
            if (n < v->nitems)
                items[n] = w;
            n++;
        } while (lake_sql_word(p, ","));
        lake_sql_expect(p, ")");
        if (p->status == LAKE_OK && n != v->nitems)
            lake_sql_fail(
                p, begin, "a row of %zu value%s cannot be compared with one of %zu", n, n == 1 ? "" : "s", v->nitems);
        return p->status == LAKE_OK && add_row(p, v, list, items);
    }
    lake_sql_value_of(p, &w);
    if (p->status == LAKE_OK && w.nitems != v->nitems && !is_null(&w))
        lake_sql_fail(p, begin, "a row of %zu values expected", v->nitems);
    if (p->status != LAKE_OK)
        return false;
    if (!is_null(&w))
        return add_row(p, v, list, w.items);
    list->plain = false;
    bool grown = lake_tree_grow(p->arena, &list->kids, sizeof *list->kids, list->n, &list->room);
    if (!lake_sql_need(p, grown ? list->kids : NULL))
        return false;
    list->kids[list->n++] = constant(p, LAKE_U);
    return p->status == LAKE_OK;
}

/* a IN (…) AND b IN (…) AND (one of the rows): the same, but most containers are decided by the lists. */
static const lake_tree *guarded(
    lake_sql_parser *p, const lake_sql_value *v, const row_list *list, const lake_tree *any) {
    const lake_tree **kids = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, const lake_tree *, v->nitems + 1));
    for (size_t i = 0; kids && i < v->nitems && p->status == LAKE_OK; i++) {
        lake_tree *t = (lake_tree *)lake_sql_leaf(p, LAKE_TREE_IN, &v->items[i], NULL, 0);
        if (t) {
            t->literals = list->columns[i];
            t->nliterals = list->n;
        }
        kids[i] = unsure(t);
    }
    if (p->status != LAKE_OK)
        return NULL;
    kids[v->nitems] = any;
    return lake_sql_need(p, lake_tree_list(p->arena, LAKE_TREE_AND, kids, v->nitems + 1));
}

const lake_tree *lake_sql_row_in(lake_sql_parser *p, const lake_sql_value *v, lake_str left) {
    row_list list = {0};
    size_t begin = p->token.begin;
    lake_sql_value *items = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, lake_sql_value, v->nitems));
    lake_sql_expect(p, "(");
    if (lake_sql_is(&p->token, "SELECT"))
        lake_sql_fail(p, p->token.begin, "a subquery cannot be planned with");
    if (p->status != LAKE_OK || !items || !start_lists(p, v, &list))
        return NULL;
    do {
        if (!take_row(p, v, &list, items))
            return NULL;
    } while (lake_sql_word(p, ","));
    lake_sql_expect(p, ")");
    lake_str sql = lake_sql_join(p, left, " IN ", lake_sql_slice(p, begin));
    if (p->status != LAKE_OK)
        return NULL;
    const lake_tree *t =
        list.n == 1 ? list.kids[0] : lake_sql_need(p, lake_tree_list(p->arena, LAKE_TREE_OR, list.kids, list.n));
    if (t && list.plain && list.n >= MANY_ROWS)
        t = guarded(p, v, &list, t);
    if (t)
        ((lake_tree *)(uintptr_t)t)->sql = sql;
    return t;
}
