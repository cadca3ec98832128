/* The smallest parts of SQL: literals, names, parentheses, CASE, CAST, calls. */
#include "planner/sql_parse.h"

bool lake_sql_any(const lake_sql_token *t, const char *const *words) {
    for (; *words; words++)
        if (lake_sql_is(t, *words))
            return true;
    return false;
}

static void literal(lake_sql_parser *p, lake_sql_value *v, lake_literal_kind kind, lake_str text) {
    v->kind = LAKE_SQL_LITERAL;
    v->literal =
        (lake_literal){.kind = kind, .text = text, .sql = lake_sql_slice(p, v->begin), .offset = (int64_t)v->begin};
}

static void string_literal(lake_sql_parser *p, lake_sql_value *v, lake_literal_kind kind) {
    lake_str text = lake_sql_unquote(p->arena, p->token.text, '\'');
    lake_sql_need(p, text.ptr);
    lake_sql_next(p);
    literal(p, v, kind, text);
}

/* DATE '…', TIMESTAMP WITH TIME ZONE '…': the word has not been taken. False: it is no literal, nothing was taken. */
static bool typed_literal(lake_sql_parser *p, lake_sql_value *v) {
    static const struct {
        const char *word;
        lake_literal_kind kind;
    } types[] = {{"DATE", LAKE_LITERAL_DATE}, {"TIME", LAKE_LITERAL_TIME}, {"UUID", LAKE_LITERAL_UUID},
        {"TIMESTAMP", LAKE_LITERAL_TIMESTAMP}, {"TIMESTAMPTZ", LAKE_LITERAL_TIMESTAMP},
        {"TIMESTAMP_LTZ", LAKE_LITERAL_TIMESTAMP}, {"TIMESTAMP_NTZ", LAKE_LITERAL_TIMESTAMP},
        {"TIMESTAMP_NS", LAKE_LITERAL_TIMESTAMP}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!lake_sql_is(&p->token, types[i].word))
            continue;
        lake_sql_token token = p->token;
        size_t last_end = p->last_end;
        lake_sql_next(p);
        if (types[i].kind == LAKE_LITERAL_TIMESTAMP &&
            (lake_sql_is(&p->token, "WITH") || lake_sql_is(&p->token, "WITHOUT"))) {
            lake_sql_next(p);
            lake_sql_word(p, "TIME");
            lake_sql_word(p, "ZONE");
        }
        if (p->token.kind == LAKE_SQL_STRING) {
            string_literal(p, v, types[i].kind);
            return true;
        }
        if (p->status == LAKE_OK) {
            p->token = token;
            p->last_end = last_end;
        }
        return false;
    }
    return false;
}

static void case_value(lake_sql_parser *p, lake_sql_value *v) {
    lake_sql_value subject = {.kind = LAKE_SQL_TREE}, w;
    bool has_subject = !lake_sql_is(&p->token, "WHEN"), values = false, columns = false;
    const lake_tree **kids = NULL;
    lake_sql_arm *arms = NULL;
    size_t n = 0, room = 0, narms = 0, arms_room = 0;
    if (has_subject)
        lake_sql_value_of(p, &subject);
    subject.narms = 0; /* it is asked several times: no tree may grow from tree to tree */
    lake_str subject_sql = has_subject ? lake_sql_slice(p, subject.begin) : (lake_str){0};
    if (!lake_sql_is(&p->token, "WHEN"))
        lake_sql_unexpected(p, "WHEN");
    for (bool more = true; more && p->status == LAKE_OK;) {
        more = lake_sql_word(p, "WHEN");
        const lake_tree *condition = NULL;
        if (more) {
            lake_sql_disjunction(p, &w);
            if (has_subject && p->status == LAKE_OK)
                condition = lake_sql_compare(
                    p, LAKE_EQ, &subject, &w, lake_sql_join(p, subject_sql, " = ", lake_sql_slice(p, w.begin)));
            else if (p->status == LAKE_OK)
                condition = lake_sql_predicate(p, &w);
            lake_sql_expect(p, "THEN");
        }
        w = (lake_sql_value){.kind = LAKE_SQL_LITERAL, .literal = {.kind = LAKE_LITERAL_NULL}};
        if (more || lake_sql_word(p, "ELSE"))
            lake_sql_disjunction(p, &w);
        if (p->status != LAKE_OK)
            return;
        if (!lake_sql_need(p, lake_tree_grow(p->arena, &arms, sizeof *arms, narms, &arms_room) ? arms : NULL))
            return;
        arms[narms++] = (lake_sql_arm){condition, w};
        columns |= w.kind == LAKE_SQL_COLUMN;
        values |= w.kind == LAKE_SQL_EXPRESSION ||
            (w.kind == LAKE_SQL_LITERAL && w.literal.kind != LAKE_LITERAL_BOOL && w.literal.kind != LAKE_LITERAL_NULL);
        const lake_tree *result =
            values ? lake_sql_need(p, lake_tree_const(p->arena, LAKE_U)) : lake_sql_predicate(p, &w);
        bool grown = lake_tree_grow(p->arena, &kids, sizeof *kids, n + 1, &room);
        if (!lake_sql_need(p, grown ? kids : NULL))
            return;
        if (more)
            kids[n++] = condition;
        kids[n++] = result;
    }
    lake_sql_expect(p, "END");
    if (p->status != LAKE_OK)
        return;
    if (values) {
        v->kind = LAKE_SQL_EXPRESSION;
        v->reason = "CASE that gives a value";
        lake_sql_choice(p, v, arms, narms);
        return;
    }
    v->kind = LAKE_SQL_TREE;
    v->tree = lake_sql_need(p, lake_tree_list(p->arena, LAKE_TREE_CASE, kids, n));
    if (v->tree && v->tree->depth > LAKE_TREE_MAX_DEPTH)
        lake_sql_fail(p, v->begin, "nested deeper than %d levels", LAKE_TREE_MAX_DEPTH);
    if (columns) /* a condition, or a value that is compared */
        lake_sql_choice(p, v, arms, narms);
}

/* [a, b, …] from behind the bracket on: a list, or what stands in a subscript. v: gets the columns. */
static void brackets(lake_sql_parser *p, lake_sql_value *v, const char *reason) {
    bool subscript = reason != NULL;
    lake_sql_make_expression(p, v, NULL, subscript ? reason : "list of values");
    bool empty = lake_sql_is(&p->token, "]");
    while (p->status == LAKE_OK && !(empty && !subscript)) {
        lake_sql_value w;
        if (subscript && lake_sql_word(p, ":")) /* l[2:3], l[:3] */
            continue;
        if (subscript && !empty && lake_sql_is(&p->token, "]"))
            break;
        lake_sql_disjunction(p, &w);
        lake_sql_make_expression(p, v, &w, v->reason);
        if (!lake_sql_is(&p->token, ":") && !(!subscript && lake_sql_word(p, ",")))
            break;
    }
    if (!lake_sql_word(p, "]"))
        lake_sql_unexpected(p, "']'");
}

/* a, a.b, "a.b", a call, or one of SQL's constants that look like a name. */
static void name(lake_sql_parser *p, lake_sql_value *v) {
    static const char *const clocks[] = {
        "CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_TIME", "LOCALTIMESTAMP", "LOCALTIME", "CURRENT_USER", NULL};
    bool array = lake_sql_is(&p->token, "ARRAY"), clock = lake_sql_any(&p->token, clocks),
         interval = lake_sql_is(&p->token, "INTERVAL");
    lake_str *parts = NULL;
    size_t n = 0, room = 0;
    do {
        if (p->token.kind != LAKE_SQL_WORD && p->token.kind != LAKE_SQL_QUOTED) {
            lake_sql_unexpected(p, "a name");
            return;
        }
        bool grown = lake_tree_grow(p->arena, &parts, sizeof *parts, n, &room);
        if (!lake_sql_need(p, grown ? parts : NULL))
            return;
        parts[n] = p->token.kind == LAKE_SQL_QUOTED ? lake_sql_unquote(p->arena, p->token.text, p->token.quote)
                                                    : p->token.text;
        if (!lake_sql_need(p, parts[n++].ptr))
            return;
        lake_sql_next(p);
    } while (lake_sql_word(p, "."));
    if (lake_sql_word(p, "(")) {
        lake_sql_call(p, v, parts[n - 1]);
        if (interval && n == 1 && p->token.kind == LAKE_SQL_WORD && lake_sql_is_unit(p->token.text))
            lake_sql_next(p); /* INTERVAL (5) DAY */
        return;
    }
    if (interval && n == 1 && lake_sql_interval(p, v))
        return;
    if (n == 1 && lake_sql_is(&p->token, "[") && array) { /* ARRAY[1, 2] */
        lake_sql_next(p);
        brackets(p, v, NULL);
        return;
    }
    if (clock && n == 1) {
        v->kind = LAKE_SQL_EXPRESSION;
        v->reason = "depends on when it runs";
        return;
    }
    v->kind = LAKE_SQL_COLUMN;
    v->column =
        (lake_column_ref){.parts = parts, .nparts = n, .sql = lake_sql_slice(p, v->begin), .offset = (int64_t)v->begin};
}

/* From behind the opening parenthesis: a grouped expression, or a row of several. */
static void group(lake_sql_parser *p, lake_sql_value *v) {
    size_t begin = v->begin;
    if (lake_sql_is(&p->token, "SELECT"))
        lake_sql_fail(p, p->token.begin, "a subquery cannot be planned with");
    lake_sql_disjunction(p, v);
    v->end = p->last_end;
    if (lake_sql_is(&p->token, ",")) {
        lake_sql_value *items = NULL;
        size_t n = 0, room = 0;
        lake_sql_value w = *v;
        do {
            if (n)
                lake_sql_disjunction(p, &w);
            w.end = p->last_end;
            bool grown = lake_tree_grow(p->arena, &items, sizeof *items, n, &room);
            if (!lake_sql_need(p, grown ? items : NULL))
                return;
            items[n++] = w;
        } while (lake_sql_word(p, ","));
        lake_sql_row(p, v, items, n);
    }
    lake_sql_expect(p, ")");
    v->begin = begin;
}

static void part_of(lake_sql_parser *p, lake_sql_value *v) {
    size_t n = v->column.nparts;
    lake_str *parts = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, lake_str, n + 1));
    if (p->token.kind != LAKE_SQL_WORD && p->token.kind != LAKE_SQL_QUOTED)
        lake_sql_unexpected(p, "a name");
    if (p->status != LAKE_OK || !parts)
        return;
    memcpy(parts, v->column.parts, n * sizeof *parts);
    parts[n] =
        p->token.kind == LAKE_SQL_QUOTED ? lake_sql_unquote(p->arena, p->token.text, p->token.quote) : p->token.text;
    lake_sql_need(p, parts[n].ptr);
    lake_sql_next(p);
    v->column.parts = parts;
    v->column.nparts = n + 1;
    v->column.sql = lake_sql_slice(p, v->begin);
}

/* m['k'], l[1], m['k'].x, f(x).y: elements and parts of values, which have no bounds. */
static void elements(lake_sql_parser *p, lake_sql_value *v) {
    while (p->status == LAKE_OK) {
        if (lake_sql_word(p, "[")) {
            brackets(p, v, "element of a list or map");
        } else if (v->kind == LAKE_SQL_COLUMN && !v->column.transform.ptr && !v->column.napplies &&
            lake_sql_word(p, ".")) {
            part_of(p, v); /* (s).x */
        } else if (v->kind == LAKE_SQL_EXPRESSION && lake_sql_word(p, ".")) {
            if (p->token.kind != LAKE_SQL_WORD && p->token.kind != LAKE_SQL_QUOTED)
                lake_sql_unexpected(p, "a name");
            lake_sql_make_expression(p, v, NULL, v->reason);
            lake_sql_next(p);
        } else if (lake_sql_word(p, "AT")) {
            lake_sql_value zone;
            lake_sql_expect(p, "TIME");
            lake_sql_expect(p, "ZONE");
            lake_sql_primary(p, &zone);
            lake_sql_make_expression(p, v, &zone, "a time zone");
        } else if (lake_sql_word(p, "COLLATE")) {
            if (p->token.kind != LAKE_SQL_WORD && p->token.kind != LAKE_SQL_QUOTED)
                lake_sql_unexpected(p, "a name");
            lake_sql_make_expression(p, v, NULL, "a collation");
            lake_sql_next(p);
        } else {
            return;
        }
    }
}

void lake_sql_primary(lake_sql_parser *p, lake_sql_value *v) {
    static const char *const reserved[] = {"AND", "OR", "NOT", "IN", "IS", "LIKE", "BETWEEN", "WHEN", "THEN", "ELSE",
        "END", "ESCAPE", "AS", "FROM", "WHERE", "SELECT", NULL};
    *v = (lake_sql_value){.kind = LAKE_SQL_TREE, .begin = p->token.begin};
    if (p->status != LAKE_OK)
        return;
    if (p->depth >= LAKE_TREE_MAX_DEPTH) {
        lake_sql_fail(p, p->token.begin, "nested deeper than %d levels", LAKE_TREE_MAX_DEPTH);
        return;
    }
    p->depth++;
    lake_str text = p->token.text;
    if (lake_sql_word(p, "(")) {
        group(p, v);
    } else if (lake_sql_word(p, "CASE")) {
        case_value(p, v);
    } else if (p->token.kind == LAKE_SQL_NUMBER) {
        lake_sql_next(p);
        literal(p, v, LAKE_LITERAL_NUMBER, text);
    } else if (p->token.kind == LAKE_SQL_HEX) {
        lake_sql_next(p);
        literal(p, v, LAKE_LITERAL_HEX, text);
    } else if (p->token.kind == LAKE_SQL_STRING) {
        string_literal(p, v, LAKE_LITERAL_STRING);
    } else if (lake_sql_is(&p->token, "TRUE") || lake_sql_is(&p->token, "FALSE")) {
        bool truth = lake_sql_is(&p->token, "TRUE");
        lake_sql_next(p);
        literal(p, v, LAKE_LITERAL_BOOL, text);
        v->literal.truth = truth;
    } else if (lake_sql_word(p, "NULL")) {
        literal(p, v, LAKE_LITERAL_NULL, text);
    } else if (lake_sql_word(p, "[")) {
        brackets(p, v, NULL);
    } else if (p->token.kind == LAKE_SQL_OPERATOR || p->token.kind == LAKE_SQL_END ||
        lake_sql_any(&p->token, reserved)) {
        if (lake_sql_is(&p->token, "SELECT"))
            lake_sql_fail(p, p->token.begin, "a subquery cannot be planned with");
        else
            lake_sql_unexpected(p, "a value");
    } else if (!typed_literal(p, v)) {
        name(p, v);
    }
    elements(p, v);
    p->depth--;
}
