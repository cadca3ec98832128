/* The unbound predicate: what SQL text and JSON filters are parsed to, before any schema is known. Negative operators
   are NOT of the positive ones; BETWEEN is two comparisons. Everything lies in the parser's arena; text points into the
   input. */
#ifndef LAKE_PLANNER_TREE_H
#define LAKE_PLANNER_TREE_H

#include "planner/predicate.h"

enum {
    LAKE_TREE_MAX_DEPTH = 500 /* levels that the tree, and so every walk over it, may have */
};

typedef enum lake_literal_kind {
    LAKE_LITERAL_NULL,
    LAKE_LITERAL_NUMBER, /* text: digits as written, without the sign */
    LAKE_LITERAL_STRING,
    LAKE_LITERAL_BOOL,
    LAKE_LITERAL_DATE,
    LAKE_LITERAL_TIME,
    LAKE_LITERAL_TIMESTAMP,
    LAKE_LITERAL_UUID,
    LAKE_LITERAL_HEX,
    LAKE_LITERAL_INTERVAL, /* interval */
    LAKE_LITERAL_JSON /* a JSON string: its meaning depends on the column's type */
} lake_literal_kind;

/* Added to a date or time in this order: months, days, nanoseconds. */
typedef struct lake_interval {
    int64_t months, days;
    lake_i128 nanos;
} lake_interval;

typedef struct lake_literal {
    lake_literal_kind kind;
    bool negative; /* NUMBER: a minus stands before it */
    bool truth; /* BOOL */
    lake_str text; /* decoded: quotes gone */
    lake_str sql; /* as SQL text */
    int64_t offset; /* in the input; -1: none */
    const lake_interval *interval;
} lake_literal;

/* What stands around a column in SQL: CAST(x AS BIGINT), x + 1, 5 - x, date_trunc('month', x). */
typedef enum lake_apply_op {
    LAKE_APPLY_CAST, /* type; type.id LAKE_UNKNOWN: one that nothing follows from */
    LAKE_APPLY_ADD, /* literal */
    LAKE_APPLY_SUBTRACT_FROM, /* literal - x */
    LAKE_APPLY_MULTIPLY,
    LAKE_APPLY_DIVIDE, /* x / literal */
    LAKE_APPLY_MONTHS, /* n: added */
    LAKE_APPLY_DAYS, /* n: added, to dates and times; a date becomes a time */
    LAKE_APPLY_NANOS, /* n: the same */
    LAKE_APPLY_TRUNC, /* unit */
    LAKE_APPLY_PART, /* unit: month(x), day(x), hour(x), … */
    LAKE_APPLY_ABS,
    LAKE_APPLY_FLOOR, /* to whole numbers */
    LAKE_APPLY_CEIL,
    LAKE_APPLY_LOWER,
    LAKE_APPLY_UPPER,
    LAKE_APPLY_LEFT, /* n: so many characters from the left */
    LAKE_APPLY_APPEND, /* x || literal */
    LAKE_APPLY_PREPEND /* literal || x */
} lake_apply_op;

typedef enum lake_unit {
    LAKE_UNIT_NONE,
    LAKE_UNIT_MICROSECOND,
    LAKE_UNIT_MILLISECOND,
    LAKE_UNIT_SECOND,
    LAKE_UNIT_MINUTE,
    LAKE_UNIT_HOUR,
    LAKE_UNIT_DAY,
    LAKE_UNIT_WEEK, /* from Monday on */
    LAKE_UNIT_MONTH,
    LAKE_UNIT_QUARTER,
    LAKE_UNIT_YEAR,
    LAKE_UNIT_DAY_OF_YEAR /* PART only */
} lake_unit;

typedef struct lake_apply {
    lake_apply_op op;
    lake_type type;
    lake_unit unit;
    lake_literal literal; /* a number, or text */
    lake_i128 n;
} lake_apply;

/* A column, a transform of one, and what is applied to that. */
typedef struct lake_column_ref {
    bool by_id;
    bool dotted; /* parts[0] is a whole dotted name (JSON) */
    int32_t id;
    const lake_str *parts;
    size_t nparts;
    lake_str transform; /* "bucket[16]", "year"; ptr NULL: the column itself */
    bool calendar; /* SQL's year(x), which is the transform's result plus 1970 */
    const lake_apply *applies; /* the innermost first */
    size_t napplies;
    lake_str sql; /* as SQL text */
    int64_t offset;
} lake_column_ref;

typedef enum lake_compare { LAKE_EQ, LAKE_LT, LAKE_LT_EQ, LAKE_GT, LAKE_GT_EQ } lake_compare;

typedef enum lake_tree_op {
    LAKE_TREE_CONST, /* set */
    LAKE_TREE_NOT,
    LAKE_TREE_AND, /* two kids or more */
    LAKE_TREE_OR,
    LAKE_TREE_CASE, /* kids: condition, result, condition, result, …, else */
    LAKE_TREE_IS, /* TRUE if the kid's value is in set, else FALSE */
    LAKE_TREE_NULL, /* column IS NULL */
    LAKE_TREE_NAN,
    LAKE_TREE_COMPARE, /* column compare literals[0] */
    LAKE_TREE_PAIR, /* columns[0] compare columns[1] */
    LAKE_TREE_IN,
    LAKE_TREE_LIKE, /* literals[0], escape */
    LAKE_TREE_PREFIX, /* starts with literals[0] */
    LAKE_TREE_DISTINCT, /* IS DISTINCT FROM literals[0], which is not NULL */
    LAKE_TREE_MEMBERS, /* equal to a line of literals[0].text, which comes from literals[0].sql (members.c) */
    LAKE_TREE_OPAQUE /* cannot be evaluated here; columns: those that must exist */
} lake_tree_op;

struct lake_tree {
    lake_tree_op op;
    lake_outcomes set;
    uint32_t depth; /* levels below and with this node */
    lake_compare compare;
    const lake_tree *const *kids;
    size_t nkids;
    const lake_column_ref *columns; /* leaves: columns[0]; OPAQUE: any number */
    size_t ncolumns; /* CASE of a choice: columns and literals among its results */
    const lake_literal *literals;
    size_t nliterals;
    const lake_literal
        *instead; /* COMPARE, IN: a constant tested as if it were a value of the column; NULL: the column itself */
    bool any_case; /* LIKE: ILIKE */
    lake_str escape; /* LIKE: one character; ptr NULL: none */
    bool null_unsure; /* NAN, and COMPARE, IN, PAIR, NULL within rows: engines differ on what null gives */
    bool null_safe; /* PAIR: IS NOT DISTINCT FROM */
    lake_str sql; /* OPAQUE: its text; AND, OR, CASE: it is told as it was written */
    const char *reason; /* OPAQUE: why */
    int64_t offset;
};

/* The day so many months after (months.c). */
int64_t lake_add_months(int64_t day, int64_t months);

/* Makers. NULL when memory is used up. */
lake_tree *lake_tree_new(lake_arena *arena, lake_tree_op op, int64_t offset);
const lake_tree *lake_tree_const(lake_arena *arena, lake_outcomes set);
const lake_tree *lake_tree_not(lake_arena *arena, const lake_tree *kid);
const lake_tree *lake_tree_is(lake_arena *arena, const lake_tree *kid, lake_outcomes set);
const lake_tree *lake_tree_list(lake_arena *arena, lake_tree_op op, const lake_tree *const *kids, size_t nkids);

/* 'it''s', "a name"; a name, in quotes if it needs them (dots: it may have plain dots inside); years(x), bucket(16, x)
   by the spec's transform text (ptr NULL: the column itself). */
void lake_sql_put_quoted(lake_buffer *out, lake_str text, char quote);
void lake_sql_put_name(lake_buffer *out, lake_str name, bool dots);
void lake_sql_put_call(lake_buffer *out, lake_str transform, bool calendar, lake_str column);

/* The tree as SQL. Leaves are told by their source text where they have one. */
void lake_tree_print(lake_buffer *out, const lake_tree *tree);
/* One leaf, negated if asked ("x NOT IN (1, 2)"). */
void lake_leaf_print(lake_buffer *out, const lake_tree *leaf, bool negated);
/* The same in angle brackets and prefix form, for tests: every operator and literal kind can be seen. */
void lake_tree_dump(lake_buffer *out, const lake_tree *tree);

/* Growing list in an arena (the old places are lost to it until it is cleared). False when memory is used up. */
bool lake_tree_grow(lake_arena *arena, void *items, size_t item_size, size_t n, size_t *room);

#endif
