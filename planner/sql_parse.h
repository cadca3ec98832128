/* The SQL parser's own types, shared by its files: sql_parse.c (precedence), sql_test.c (IS, IN, LIKE, BETWEEN, …),
   sql_value.c (arithmetic, casts), sql_type.c, sql_primary.c (literals, names, CASE), sql_call.c, sql_choice.c,
   sql_row.c (rows of values), sql_interval.c. */
#ifndef LAKE_PLANNER_SQL_PARSE_H
#define LAKE_PLANNER_SQL_PARSE_H

#include "planner/sql_lex.h"
#include "planner/tree.h"

enum {
    LAKE_SQL_MAX_CHECKED = 32, /* columns of one opaque leaf that are looked up */
    LAKE_SQL_MAX_APPLIED = 16 /* functions around one column */
};

typedef enum lake_sql_value_kind {
    LAKE_SQL_TREE,
    LAKE_SQL_LITERAL,
    LAKE_SQL_COLUMN,
    LAKE_SQL_EXPRESSION
} lake_sql_value_kind;

struct lake_sql_arm;

typedef struct lake_sql_value {
    lake_sql_value_kind kind;
    const lake_tree *tree; /* TREE: a condition */
    lake_literal literal; /* LITERAL */
    lake_column_ref column; /* COLUMN: also a transform of one */
    const lake_column_ref *columns; /* EXPRESSION: its columns */
    size_t ncolumns;
    const char *reason; /* EXPRESSION: why it cannot prune */
    const struct lake_sql_arm *arms; /* EXPRESSION: a choice among simple values */
    size_t narms;
    const struct lake_sql_value *items; /* EXPRESSION: a row of values */
    size_t nitems;
    size_t end; /* of an item: behind its last byte */
    size_t begin; /* its first byte; its last one is the parser's last_end when it has just been read */
} lake_sql_value;

/* CASE's WHEN and THEN; condition NULL: the ELSE, which is the last. */
typedef struct lake_sql_arm {
    const lake_tree *condition;
    lake_sql_value result; /* a column or a literal */
} lake_sql_arm;

typedef struct lake_sql_parser {
    lake_arena *arena;
    lake_str text;
    lake_sql_token token; /* the next one */
    size_t last_end; /* behind the last one taken */
    int depth;
    lake_status status; /* the first failure */
    lake_error *err;
} lake_sql_parser;

/* The first failure is kept; after it only END tokens come. */
lake_status lake_sql_fail(lake_sql_parser *p, size_t at, const char *fmt, ...) LAKE_PRINTF(3, 4);
void *lake_sql_need(lake_sql_parser *p, const void *made); /* NULL is a failure: no memory */
void lake_sql_next(lake_sql_parser *p);
bool lake_sql_any(const lake_sql_token *token, const char *const *words); /* one of them, up to NULL */
bool lake_sql_is_unit(lake_str name); /* YEAR, DOW, …: what calls take beside values */
bool lake_sql_word(lake_sql_parser *p, const char *word); /* takes it if it comes next */
void lake_sql_expect(lake_sql_parser *p, const char *word);
void lake_sql_unexpected(lake_sql_parser *p, const char *wanted);
lake_str lake_sql_slice(const lake_sql_parser *p, size_t begin); /* the text from there to the last token taken */
lake_str lake_sql_join(lake_sql_parser *p, lake_str left, const char *between, lake_str right);

void lake_sql_disjunction(lake_sql_parser *p, lake_sql_value *v);
void lake_sql_test(lake_sql_parser *p, lake_sql_value *v);
void lake_sql_value_of(lake_sql_parser *p, lake_sql_value *v);
void lake_sql_primary(lake_sql_parser *p, lake_sql_value *v);
void lake_sql_call(lake_sql_parser *p, lake_sql_value *v, lake_str name); /* from behind the parenthesis on */
void lake_sql_cast(lake_sql_parser *p, lake_sql_value *v); /* the type comes next */
void lake_sql_type(lake_sql_parser *p, lake_type *out); /* UNKNOWN: nothing follows from a cast to it */
/* v is a COLUMN; it may become an EXPRESSION. Its text is the caller's. */
void lake_sql_apply(lake_sql_parser *p, lake_sql_value *v, lake_apply apply);

const lake_tree *lake_sql_predicate(lake_sql_parser *p, const lake_sql_value *v);
/* The same, of a value whose text is given: more has been read since. */
const lake_tree *lake_sql_condition(lake_sql_parser *p, const lake_sql_value *v, lake_str sql);
const lake_tree *lake_sql_compare(
    lake_sql_parser *p, lake_compare op, const lake_sql_value *a, const lake_sql_value *b, lake_str sql);
/* a IS NOT DISTINCT FROM b (same) or a IS DISTINCT FROM b; left, right: their texts. */
const lake_tree *lake_sql_distinct(
    lake_sql_parser *p, const lake_sql_value *a, const lake_sql_value *b, lake_str left, lake_str right, bool same);
const lake_tree *lake_sql_leaf(
    lake_sql_parser *p, lake_tree_op op, const lake_sql_value *column, const lake_literal *literals, size_t n);
const lake_tree *lake_sql_opaque(lake_sql_parser *p, const lake_sql_value *v, lake_str sql, const char *reason);
/* Turns v into an expression of its own columns and those of `more`. */
void lake_sql_make_expression(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *more, const char *reason);

/* sql_interval.c */
/* Behind the word INTERVAL. False: it was a name, nothing is taken. */
bool lake_sql_interval(lake_sql_parser *p, lake_sql_value *v);
/* False: v is as it was, and no interval or nothing that is known of. */
bool lake_sql_interval_negate(lake_sql_parser *p, lake_sql_value *v);
bool lake_sql_interval_combine(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *w, char op);

/* sql_function.c */
/* abs(x), upper(s), … of one column. False: another call. */
bool lake_sql_function(lake_sql_parser *p, lake_sql_value *v, lake_str name, const lake_sql_value *a, size_t n);
/* s || 'x', 'x' || s. False: the two stay an expression. */
bool lake_sql_joined(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *w);

/* sql_row.c */
/* Makes v a row of these, which stay the caller's. */
void lake_sql_row(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *items, size_t n);
/* (a, b) = (1, 2): w has been read. NULL: it is no row, or the text is wrong. `sql` is the whole test's. */
const lake_tree *lake_sql_row_equal(lake_sql_parser *p, const lake_sql_value *v, const lake_sql_value *w, lake_str sql);
/* (a, b) IS NOT DISTINCT FROM (1, 2) */
const lake_tree *lake_sql_row_same(lake_sql_parser *p, const lake_sql_value *v, const lake_sql_value *w, lake_str sql);
/* (a, b) IN (…): from the list's parenthesis on; left: the text of v. */
const lake_tree *lake_sql_row_in(lake_sql_parser *p, const lake_sql_value *v, lake_str left);

/* sql_choice.c */
/* Makes v, an EXPRESSION, a choice. False: some result is neither a column nor a literal. */
bool lake_sql_choice(lake_sql_parser *p, lake_sql_value *v, const lake_sql_arm *arms, size_t n);
bool lake_sql_choice_call(lake_sql_parser *p, lake_sql_value *v, bool nullif, const lake_sql_value *all, size_t n);
/* The models' tests (COMPARE, IN, NULL, DISTINCT, LIKE) asked of each result: all of the first two, or of the next. */
const lake_tree *lake_sql_choice_test(
    lake_sql_parser *p, const lake_sql_value *v, const lake_tree *models, size_t n, lake_str sql);

#endif
