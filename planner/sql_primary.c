/* The smallest parts of SQL: literals, names, parentheses, CASE, CAST, calls (model/expr.py, Sql.primary). */
#include "planner/sql_parse.h"

#include <stdio.h>

static bool any_word(const lake_sql_token *t, const char *const *words) {
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

/* A type's name; what it makes of a string constant, or -1. */
static int type_name(lake_sql_parser *p) {
    static const char *const words[] = {"DATE", "TIME", "UUID", "TIMESTAMP", "TIMESTAMPTZ", NULL};
    static const int kinds[] = {
        LAKE_LITERAL_DATE, LAKE_LITERAL_TIME, LAKE_LITERAL_UUID, LAKE_LITERAL_TIMESTAMP, LAKE_LITERAL_TIMESTAMP};
    int kind = -1;
    if (p->token.kind != LAKE_SQL_WORD && p->token.kind != LAKE_SQL_QUOTED) {
        lake_sql_unexpected(p, "a type");
        return -1;
    }
    for (int i = 0; words[i]; i++)
        if (lake_sql_is(&p->token, words[i]))
            kind = kinds[i];
    lake_sql_next(p);
    lake_sql_word(p, "PRECISION");
    lake_sql_word(p, "VARYING");
    if (lake_sql_word(p, "(")) {
        kind = -1;
        while (p->token.kind == LAKE_SQL_NUMBER || p->token.kind == LAKE_SQL_WORD || lake_sql_is(&p->token, ","))
            lake_sql_next(p);
        lake_sql_expect(p, ")");
    }
    if (lake_sql_word(p, "WITH") || lake_sql_word(p, "WITHOUT")) {
        lake_sql_expect(p, "TIME");
        lake_sql_expect(p, "ZONE");
    }
    return kind;
}

void lake_sql_cast(lake_sql_parser *p, lake_sql_value *v) {
    int kind = type_name(p);
    if (v->kind == LAKE_SQL_LITERAL && v->literal.kind == LAKE_LITERAL_NULL)
        return;
    if (v->kind == LAKE_SQL_LITERAL && v->literal.kind == LAKE_LITERAL_STRING && kind >= 0)
        v->literal = (lake_literal){.kind = (lake_literal_kind)kind,
            .text = v->literal.text,
            .sql = lake_sql_slice(p, v->begin),
            .offset = (int64_t)v->begin};
    else
        lake_sql_make_expression(p, v, NULL, "cast");
}

static void case_value(lake_sql_parser *p, lake_sql_value *v) {
    lake_sql_value subject = {.kind = LAKE_SQL_TREE}, w;
    bool has_subject = !lake_sql_is(&p->token, "WHEN"), values = false;
    const lake_tree **kids = NULL;
    size_t n = 0, room = 0;
    if (has_subject)
        lake_sql_value_of(p, &subject);
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
        return;
    }
    v->kind = LAKE_SQL_TREE;
    v->tree = lake_sql_need(p, lake_tree_list(p->arena, LAKE_TREE_CASE, kids, n));
    if (v->tree && v->tree->depth > LAKE_TREE_MAX_DEPTH)
        lake_sql_fail(p, v->begin, "nested deeper than %d levels", LAKE_TREE_MAX_DEPTH);
}

/* years(ts), bucket(16, id), and the calendar's year(ts): true if the call is a transform of one column. */
static bool transform_call(
    lake_sql_parser *p, lake_sql_value *v, lake_str name, const lake_sql_value *column, const lake_literal *width) {
    static const char *const words[] = {"YEARS", "MONTHS", "DAYS", "HOURS", "YEAR", "BUCKET", "TRUNCATE"};
    static const char *const spec[] = {"year", "month", "day", "hour", "year", "bucket", "truncate"};
    lake_sql_token t = {.kind = LAKE_SQL_WORD, .text = name};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!lake_sql_is(&t, words[i]))
            continue;
        if ((i >= 5) != (width != NULL) || column->column.transform.ptr)
            return false;
        lake_str text = lake_str_of(spec[i]);
        if (width) {
            int64_t n = 0;
            for (size_t k = 0; k < width->text.len; k++) {
                char c = width->text.ptr[k];
                if (c < '0' || c > '9' || n > INT32_MAX)
                    return false;
                n = n * 10 + (c - '0');
            }
            if (width->kind != LAKE_LITERAL_NUMBER || width->negative || n <= 0 || n > INT32_MAX)
                return false;
            text = lake_arena_printf(p->arena, "%s[%d]", spec[i], (int)n);
            lake_sql_need(p, text.ptr);
        }
        v->kind = LAKE_SQL_COLUMN;
        v->column = column->column;
        v->column.transform = text;
        v->column.calendar = i == 4;
        v->column.sql = lake_sql_slice(p, v->begin);
        v->column.offset = (int64_t)v->begin;
        return true;
    }
    return false;
}

/* Names that calls take beside values: date_trunc(month, ts), EXTRACT(YEAR FROM ts). They are not looked up as columns.
 */
static bool is_unit(lake_str name) {
    static const char *const units[] = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND",
        "MILLISECOND", "MICROSECOND", "NANOSECOND", "DOW", "DOY", "EPOCH", "CENTURY", "DECADE", "MILLENNIUM", "ISODOW",
        "ISOYEAR", "DAYOFWEEK", "DAYOFYEAR", "BOTH", "LEADING", "TRAILING", NULL};
    lake_sql_token t = {.kind = LAKE_SQL_WORD, .text = name};
    return any_word(&t, units);
}

/* From behind the opening parenthesis. */
static void call(lake_sql_parser *p, lake_sql_value *v, lake_str name) {
    static const char *const separators[] = {",", "FROM", "FOR", "DISTINCT", NULL};
    lake_sql_token t = {.kind = LAKE_SQL_WORD, .text = name};
    bool cast = lake_sql_is(&t, "CAST") || lake_sql_is(&t, "TRY_CAST");
    lake_sql_value column = {.kind = LAKE_SQL_TREE}, all = {.kind = LAKE_SQL_EXPRESSION, .begin = v->begin}, w;
    lake_literal width;
    size_t columns = 0, literals = 0, others = 0;
    while (p->status == LAKE_OK && !lake_sql_word(p, ")")) {
        if (any_word(&p->token, separators) || lake_sql_is(&p->token, "*")) {
            lake_sql_next(p);
            continue;
        }
        lake_sql_disjunction(p, &w);
        if (cast && p->status == LAKE_OK) {
            lake_sql_expect(p, "AS");
            w.begin = v->begin;
            lake_sql_cast(p, &w);
            lake_sql_expect(p, ")");
            *v = w;
            if (v->kind == LAKE_SQL_LITERAL)
                v->literal.sql = lake_sql_slice(p, v->begin);
            return;
        }
        if (w.kind == LAKE_SQL_COLUMN) {
            columns++;
            column = w;
            if (w.column.nparts == 1 && is_unit(w.column.parts[0]))
                continue;
        } else if (w.kind == LAKE_SQL_LITERAL) {
            literals++;
            width = w.literal;
        } else {
            others++;
        }
        lake_sql_make_expression(p, &all, &w, NULL);
        if (!any_word(&p->token, separators) && !lake_sql_is(&p->token, ")"))
            lake_sql_unexpected(p, "',' or ')'");
    }
    if (p->status != LAKE_OK)
        return;
    if (columns == 1 && literals < 2 && others == 0 && transform_call(p, v, name, &column, literals ? &width : NULL))
        return;
    if (columns == 1 && literals == 1 && others == 0 && !column.column.transform.ptr &&
        width.kind == LAKE_LITERAL_STRING && (size_t)width.offset > column.begin &&
        (lake_sql_is(&t, "STARTS_WITH") || lake_sql_is(&t, "STARTSWITH"))) {
        v->kind = LAKE_SQL_TREE;
        v->tree = lake_sql_leaf(p, LAKE_TREE_PREFIX, &column, &width, 1);
        return;
    }
    all.reason = "opaque function";
    *v = all;
}

/* a, a.b, "a.b", a call, or one of SQL's constants that look like a name. */
static void name(lake_sql_parser *p, lake_sql_value *v) {
    static const char *const clocks[] = {
        "CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_TIME", "LOCALTIMESTAMP", "LOCALTIME", "CURRENT_USER", NULL};
    bool clock = any_word(&p->token, clocks), interval = lake_sql_is(&p->token, "INTERVAL");
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
        call(p, v, parts[n - 1]);
        return;
    }
    if (interval && n == 1 && (p->token.kind == LAKE_SQL_STRING || p->token.kind == LAKE_SQL_NUMBER)) {
        lake_sql_next(p);
        while (p->token.kind == LAKE_SQL_WORD && is_unit(p->token.text))
            lake_sql_next(p);
        clock = true;
    }
    if (clock && n == 1) {
        v->kind = LAKE_SQL_EXPRESSION;
        v->reason = interval ? "arithmetic" : "depends on when it runs";
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
    while (lake_sql_is(&p->token, ",")) {
        lake_sql_value w;
        lake_sql_next(p);
        lake_sql_disjunction(p, &w);
        lake_sql_make_expression(p, v, &w, "row of values");
    }
    lake_sql_expect(p, ")");
    v->begin = begin;
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
    } else if (p->token.kind == LAKE_SQL_OPERATOR || p->token.kind == LAKE_SQL_END || any_word(&p->token, reserved)) {
        lake_sql_unexpected(p, "a value");
    } else if (!typed_literal(p, v)) {
        name(p, v);
    }
    p->depth--;
}
