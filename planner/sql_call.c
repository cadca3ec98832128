/* Calls: those that are partition transforms, casts or dates' parts of one column are known, all others are expressions
   that cannot prune. */
#include "planner/sql_parse.h"

#include <stdio.h>

enum { MAX_ARGUMENTS = 6 /* of a call that is known */ };

typedef struct arguments {
    lake_sql_value all[MAX_ARGUMENTS];
    size_t n; /* further ones are counted only */
    lake_sql_value expression; /* of all */
} arguments;

static bool named(lake_str name, const char *const *words) {
    lake_sql_token t = {.kind = LAKE_SQL_WORD, .text = name};
    return lake_sql_any(&t, words);
}

/* Names that calls take beside values: date_trunc(month, ts), EXTRACT(YEAR FROM ts). They are not looked up as columns.
 */
bool lake_sql_is_unit(lake_str name) {
    static const char *const units[] = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND",
        "MILLISECOND", "MICROSECOND", "NANOSECOND", "DOW", "DOY", "EPOCH", "CENTURY", "DECADE", "MILLENNIUM", "ISODOW",
        "ISOYEAR", "DAYOFWEEK", "DAYOFYEAR", "BOTH", "LEADING", "TRAILING", NULL};
    lake_sql_token t = {.kind = LAKE_SQL_WORD, .text = name};
    return lake_sql_any(&t, units);
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
        if ((i >= 5) != (width != NULL) || column->column.transform.ptr || column->column.napplies)
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

/* ---------------------------------------------------------------- calendars */
static const struct {
    const char *words[4];
    lake_unit unit;
} units[] = {{{"YEAR", "YEARS", "YYYY", NULL}, LAKE_UNIT_YEAR}, {{"QUARTER", "QUARTERS", NULL}, LAKE_UNIT_QUARTER},
    {{"MONTH", "MONTHS", "MM", NULL}, LAKE_UNIT_MONTH}, {{"WEEK", "WEEKS", NULL}, LAKE_UNIT_WEEK},
    {{"DAY", "DAYS", "DD", NULL}, LAKE_UNIT_DAY}, {{"HOUR", "HOURS", NULL}, LAKE_UNIT_HOUR},
    {{"MINUTE", "MINUTES", NULL}, LAKE_UNIT_MINUTE}, {{"SECOND", "SECONDS", NULL}, LAKE_UNIT_SECOND},
    {{"MILLISECOND", "MILLISECONDS", NULL}, LAKE_UNIT_MILLISECOND},
    {{"MICROSECOND", "MICROSECONDS", NULL}, LAKE_UNIT_MICROSECOND},
    {{"DOY", "DAYOFYEAR", NULL}, LAKE_UNIT_DAY_OF_YEAR}};

static lake_unit unit_of(const lake_sql_value *v) {
    bool word = v->kind == LAKE_SQL_COLUMN && v->column.nparts == 1 && !v->column.transform.ptr && !v->column.napplies;
    bool text = v->kind == LAKE_SQL_LITERAL && v->literal.kind == LAKE_LITERAL_STRING;
    for (size_t i = 0; (word || text) && i < sizeof units / sizeof *units; i++)
        if (named(word ? v->column.parts[0] : v->literal.text, units[i].words))
            return units[i].unit;
    return LAKE_UNIT_NONE;
}

static bool applied(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *column, lake_apply apply) {
    if (column->kind != LAKE_SQL_COLUMN)
        return false;
    size_t begin = v->begin;
    *v = *column;
    v->begin = begin;
    lake_sql_apply(p, v, apply);
    if (v->kind == LAKE_SQL_COLUMN)
        v->column.sql = lake_sql_slice(p, begin);
    return true;
}

/* MONTH(x), EXTRACT(MONTH FROM x), DATE_PART('month', x) */
static bool part(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *column, lake_unit unit) {
    if (unit == LAKE_UNIT_YEAR)
        return column->kind == LAKE_SQL_COLUMN && transform_call(p, v, LAKE_STR("YEAR"), column, NULL);
    return (unit == LAKE_UNIT_MONTH || unit == LAKE_UNIT_QUARTER || unit == LAKE_UNIT_DAY || unit == LAKE_UNIT_HOUR ||
               unit == LAKE_UNIT_DAY_OF_YEAR) &&
        applied(p, v, column, (lake_apply){.op = LAKE_APPLY_PART, .unit = unit});
}

static bool calendar_call(lake_sql_parser *p, lake_sql_value *v, lake_str name, const arguments *a) {
    static const char *const truncs[] = {"DATE_TRUNC", "DATETRUNC", NULL};
    static const char *const parts[] = {"EXTRACT", "DATE_PART", "DATEPART", NULL};
    static const struct {
        const char *words[3];
        lake_unit unit;
    } own[] = {{{"MONTH", NULL}, LAKE_UNIT_MONTH}, {{"QUARTER", NULL}, LAKE_UNIT_QUARTER},
        {{"DAY", "DAYOFMONTH", NULL}, LAKE_UNIT_DAY}, {{"HOUR", NULL}, LAKE_UNIT_HOUR},
        {{"DAYOFYEAR", "DAY_OF_YEAR", NULL}, LAKE_UNIT_DAY_OF_YEAR}};
    if (a->n == 2 && named(name, parts))
        return part(p, v, &a->all[1], unit_of(&a->all[0]));
    if (a->n == 2 && named(name, truncs)) {
        lake_unit unit = unit_of(&a->all[0]);
        return unit != LAKE_UNIT_NONE && unit != LAKE_UNIT_DAY_OF_YEAR &&
            applied(p, v, &a->all[1], (lake_apply){.op = LAKE_APPLY_TRUNC, .unit = unit});
    }
    for (size_t i = 0; a->n == 1 && i < sizeof own / sizeof *own; i++)
        if (named(name, own[i].words))
            return part(p, v, &a->all[0], own[i].unit);
    static const char *const dates[] = {"DATE", "TO_DATE", NULL};
    return a->n == 1 && named(name, dates) &&
        applied(p, v, &a->all[0], (lake_apply){.op = LAKE_APPLY_CAST, .type = {.id = LAKE_DATE}});
}

/* ---------------------------------------------------------------- calls */
static bool column_call(lake_sql_parser *p, lake_sql_value *v, lake_str name, const arguments *a) {
    static const char *const prefixes[] = {"STARTS_WITH", "STARTSWITH", NULL};
    static const char *const nans[] = {"ISNAN", "IS_NAN", NULL};
    const lake_sql_value *first = &a->all[0], *second = &a->all[1];
    bool column = a->n && first->kind == LAKE_SQL_COLUMN;
    if (a->n == 1 && column && named(name, nans)) {
        lake_tree *nan = (lake_tree *)lake_sql_leaf(p, LAKE_TREE_NAN, first, NULL, 0);
        if (nan)
            nan->null_unsure = true;
        v->kind = LAKE_SQL_TREE;
        v->tree = nan;
        return true;
    }
    if (a->n == 1 && column)
        return transform_call(p, v, name, first, NULL);
    if (a->n != 2)
        return false;
    if (column && second->kind == LAKE_SQL_LITERAL && second->literal.kind == LAKE_LITERAL_STRING &&
        named(name, prefixes)) {
        v->kind = LAKE_SQL_TREE;
        v->tree = lake_sql_leaf(p, LAKE_TREE_PREFIX, first, &second->literal, 1);
        return true;
    }
    if (!column && second->kind == LAKE_SQL_COLUMN && first->kind == LAKE_SQL_LITERAL)
        return transform_call(p, v, name, second, &first->literal);
    return column && second->kind == LAKE_SQL_LITERAL && transform_call(p, v, name, first, &second->literal);
}

static void cast_call(lake_sql_parser *p, lake_sql_value *v) {
    lake_sql_value w;
    lake_sql_disjunction(p, &w);
    lake_sql_expect(p, "AS");
    if (p->status != LAKE_OK)
        return;
    size_t begin = v->begin;
    w.begin = begin;
    lake_sql_cast(p, &w);
    lake_sql_expect(p, ")");
    *v = w;
    if (v->kind == LAKE_SQL_LITERAL)
        v->literal.sql = lake_sql_slice(p, begin);
    if (v->kind == LAKE_SQL_COLUMN)
        v->column.sql = lake_sql_slice(p, begin);
}

/* From behind the opening parenthesis. False: the text is wrong. */
static bool read_arguments(lake_sql_parser *p, arguments *a) {
    static const char *const separators[] = {",", "FROM", "FOR", "DISTINCT", NULL};
    while (p->status == LAKE_OK && !lake_sql_word(p, ")")) {
        if (lake_sql_any(&p->token, separators) || lake_sql_is(&p->token, "*")) {
            lake_sql_next(p);
            continue;
        }
        lake_sql_value w;
        lake_sql_disjunction(p, &w);
        w.end = p->last_end;
        if (a->n < MAX_ARGUMENTS)
            a->all[a->n] = w;
        a->n++;
        if (w.kind != LAKE_SQL_COLUMN || w.column.nparts != 1 || !lake_sql_is_unit(w.column.parts[0]))
            lake_sql_make_expression(p, &a->expression, &w, NULL);
        if (!lake_sql_any(&p->token, separators) && !lake_sql_is(&p->token, ")"))
            lake_sql_unexpected(p, "',' or ')'");
    }
    return p->status == LAKE_OK;
}

void lake_sql_call(lake_sql_parser *p, lake_sql_value *v, lake_str name) {
    static const char *const casts[] = {"CAST", "TRY_CAST", NULL};
    if (named(name, casts)) {
        cast_call(p, v);
        return;
    }
    arguments a;
    a.n = 0;
    a.expression = (lake_sql_value){.kind = LAKE_SQL_EXPRESSION, .begin = v->begin};
    if (!read_arguments(p, &a) || column_call(p, v, name, &a) || calendar_call(p, v, name, &a) ||
        lake_sql_function(p, v, name, a.all, a.n))
        return;
    static const char *const row[] = {"ROW", NULL};
    if (named(name, row) && a.n > 1 && a.n <= MAX_ARGUMENTS) {
        lake_sql_value *items = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, lake_sql_value, a.n));
        if (items)
            memcpy(items, a.all, a.n * sizeof *items);
        if (items)
            lake_sql_row(p, v, items, a.n);
        return;
    }
    static const char *const choices[] = {"COALESCE", "IFNULL", "NVL", NULL}, *const nullif[] = {"NULLIF", NULL};
    size_t begin = v->begin;
    *v = a.expression;
    v->begin = begin;
    v->reason = "opaque function";
    static const char *const ifs[] = {"IF", "IIF", NULL};
    if (named(name, ifs) && a.n == 3) {
        lake_str text = {p->text.ptr + a.all[0].begin, a.all[0].end - a.all[0].begin};
        const lake_tree *condition = lake_sql_condition(p, &a.all[0], text);
        lake_sql_arm arms[] = {{condition, a.all[1]}, {NULL, a.all[2]}};
        if (p->status == LAKE_OK)
            lake_sql_choice(p, v, arms, 2);
    }
    if (a.n <= MAX_ARGUMENTS && (named(name, choices) || named(name, nullif)))
        lake_sql_choice_call(p, v, named(name, nullif), a.all, a.n);
}
