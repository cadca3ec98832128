/* Arithmetic and casts: constants are computed, what stands around one column is kept as what is applied to it, and
   everything else is an expression that cannot prune. */
#include <strings.h>

#include "planner/literal.h"
#include "planner/sql_parse.h"

enum { MOST_DIGITS = 18 /* of a constant that is computed with, on either side of the point */ };

static void unary(lake_sql_parser *p, lake_sql_value *v);

void lake_sql_apply(lake_sql_parser *p, lake_sql_value *v, lake_apply apply) {
    size_t n = v->column.napplies;
    if (n >= LAKE_SQL_MAX_APPLIED) {
        lake_sql_make_expression(p, v, NULL, "too many functions around a column");
        return;
    }
    lake_apply *all = lake_sql_need(p, LAKE_ARENA_ARRAY(p->arena, lake_apply, n + 1));
    if (!all)
        return;
    if (n)
        memcpy(all, v->column.applies, n * sizeof *all);
    all[n] = apply;
    v->column.applies = all;
    v->column.napplies = n + 1;
}

/* ---------------------------------------------------------------- constants */
/* As an integer times 10^-scale. False: it has an exponent, and so is no exact number, or too many digits. */
static bool exact(const lake_literal *v, lake_i128 *out, int *scale) {
    const char *dot = v->text.len ? memchr(v->text.ptr, '.', v->text.len) : NULL;
    lake_end at, after;
    *scale = dot ? (int)(v->text.ptr + v->text.len - dot - 1) : 0;
    if (v->kind != LAKE_LITERAL_NUMBER || v->text.len > 2 * MOST_DIGITS || *scale > MOST_DIGITS ||
        memchr(v->text.ptr, 'e', v->text.len) || memchr(v->text.ptr, 'E', v->text.len) ||
        !lake_number_point(v->text, v->negative, *scale, &at, &after))
        return false;
    *out = at.key.i;
    return at.at == LAKE_END_KEY && *out < lake_i128_pow10(MOST_DIGITS) && *out > -lake_i128_pow10(MOST_DIGITS);
}

static bool compute(lake_sql_parser *p, lake_sql_value *v, const lake_literal *b, char op) {
    lake_i128 x, y, r;
    int xs, ys;
    if (!exact(&v->literal, &x, &xs) || !exact(b, &y, &ys))
        return false;
    int scale = op == '*' ? xs + ys : xs > ys ? xs : ys;
    if (op == '*') {
        r = x * y; /* of 36 digits at most */
    } else {
        x *= lake_i128_pow10(scale - xs);
        y *= lake_i128_pow10(scale - ys);
        r = op == '+' ? x + y : x - y;
    }
    char text[LAKE_I128_TEXT + 48];
    v->literal.negative = r < 0;
    size_t n = lake_decimal_print(r < 0 ? -r : r, scale, text);
    v->literal.text = lake_arena_str(p->arena, text, n);
    v->literal.sql = lake_sql_slice(p, v->begin);
    lake_sql_need(p, v->literal.text.ptr);
    return true;
}

static bool is_null(const lake_sql_value *v) {
    return v->kind == LAKE_SQL_LITERAL && v->literal.kind == LAKE_LITERAL_NULL;
}
static bool is_number(const lake_sql_value *v) {
    return v->kind == LAKE_SQL_LITERAL && v->literal.kind == LAKE_LITERAL_NUMBER;
}

/* ---------------------------------------------------------------- operators */
/* A column and a constant. False: the pair stays an expression. */
static bool around_column(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *w, char op) {
    bool left = v->kind == LAKE_SQL_COLUMN && is_number(w), right = is_number(v) && w->kind == LAKE_SQL_COLUMN;
    if (!(left || right) || (right && op == '/') || op == '%' || op == '|' || op == '&' || op == '^')
        return false;
    lake_apply a = {.literal = left ? w->literal : v->literal};
    a.op = op == '*' ? LAKE_APPLY_MULTIPLY : op == '/' ? LAKE_APPLY_DIVIDE : LAKE_APPLY_ADD;
    if (op == '-' && left)
        a.literal.negative = !a.literal.negative;
    else if (op == '-')
        a.op = LAKE_APPLY_SUBTRACT_FROM;
    if (right) {
        size_t begin = v->begin;
        *v = *w;
        v->begin = begin;
    }
    lake_sql_apply(p, v, a);
    v->column.sql = lake_sql_slice(p, v->begin);
    return true;
}

static void combine(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *w, char op) {
    if (p->status != LAKE_OK)
        return;
    if (is_null(v) || is_null(w)) {
        v->kind = LAKE_SQL_LITERAL;
        v->literal = (lake_literal){.kind = LAKE_LITERAL_NULL, .sql = LAKE_STR("NULL"), .offset = (int64_t)v->begin};
        return;
    }
    if (is_number(v) && is_number(w) && (op == '+' || op == '-' || op == '*') && compute(p, v, &w->literal, op))
        return;
    if (op == '|' && lake_sql_joined(p, v, w))
        return;
    if (!lake_sql_interval_combine(p, v, w, op) && !around_column(p, v, w, op))
        lake_sql_make_expression(p, v, w, op == '|' ? "joined strings" : "arithmetic");
}

static void chain(lake_sql_parser *p, lake_sql_value *v, const char *const *operators,
    void (*below)(lake_sql_parser *, lake_sql_value *)) {
    below(p, v);
    for (size_t k = 0; operators[k];) {
        if (!lake_sql_word(p, operators[k])) {
            k++;
            continue;
        }
        lake_sql_value right;
        below(p, &right);
        combine(p, v, &right, operators[k][0] == '|' && !operators[k][1] ? '&' : operators[k][0]);
        k = 0;
    }
}

static void product(lake_sql_parser *p, lake_sql_value *v) {
    static const char *const operators[] = {"*", "/", "%", NULL};
    chain(p, v, operators, unary);
}

static void sum(lake_sql_parser *p, lake_sql_value *v) {
    static const char *const operators[] = {"+", "-", NULL};
    chain(p, v, operators, product);
}

void lake_sql_value_of(lake_sql_parser *p, lake_sql_value *v) {
    static const char *const operators[] = {"||", "&", "|", "^", NULL};
    chain(p, v, operators, sum);
}

static void unary(lake_sql_parser *p, lake_sql_value *v) {
    static const lake_literal zero = {.kind = LAKE_LITERAL_NUMBER, .text = {"0", 1}, .sql = {"0", 1}};
    size_t begin = p->token.begin, minus = 0, signs = 0;
    while (lake_sql_is(&p->token, "-") || lake_sql_is(&p->token, "+")) {
        minus += lake_sql_is(&p->token, "-");
        signs++;
        lake_sql_next(p);
    }
    lake_sql_primary(p, v);
    while (lake_sql_word(p, "::"))
        lake_sql_cast(p, v);
    if (!signs || p->status != LAKE_OK)
        return;
    if (is_number(v)) {
        v->literal.negative ^= minus & 1;
        v->literal.sql = lake_sql_slice(p, begin);
        v->literal.offset = (int64_t)begin;
    } else if (v->kind == LAKE_SQL_COLUMN) {
        if (minus & 1)
            lake_sql_apply(p, v, (lake_apply){.op = LAKE_APPLY_SUBTRACT_FROM, .literal = zero});
        if (v->kind == LAKE_SQL_COLUMN)
            v->column.sql = lake_sql_slice(p, begin);
    } else if (!is_null(v) && !(minus & 1 ? lake_sql_interval_negate(p, v) : false)) {
        lake_sql_make_expression(p, v, NULL, "arithmetic");
    }
    v->begin = begin;
}

/* ---------------------------------------------------------------- casts */
/* What a cast makes of a string constant; -1: nothing that is known. */
static int literal_kind(const lake_type *t) {
    switch (t->id) {
    case LAKE_DATE: return LAKE_LITERAL_DATE;
    case LAKE_TIME: return LAKE_LITERAL_TIME;
    case LAKE_UUID: return LAKE_LITERAL_UUID;
    case LAKE_TIMESTAMP:
    case LAKE_TIMESTAMPTZ:
    case LAKE_TIMESTAMP_NS: return LAKE_LITERAL_TIMESTAMP;
    case LAKE_STRING: return LAKE_LITERAL_STRING;
    default: return -1;
    }
}

/* [+-]inf or infinity: a number beyond all others. */
static bool is_infinity(lake_str s, bool *negative) {
    *negative = s.len && s.ptr[0] == '-';
    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        s = (lake_str){s.ptr + 1, s.len - 1};
    return (s.len == 3 && strncasecmp(s.ptr, "inf", 3) == 0) || (s.len == 8 && strncasecmp(s.ptr, "infinity", 8) == 0);
}

/* Does the type hold x / 10^scale just as it is, whatever the engine's rounding? Of floats only sixteenths are taken,
   and few: binary, decimal and single precision all agree on them. */
static bool holds(const lake_type *t, lake_i128 x, int scale) {
    lake_i128 one = lake_i128_pow10(scale), size = x < 0 ? -x : x;
    int bits = t->id == LAKE_LONG ? 64 : t->length ? t->length * 8 : 32;
    switch (t->id) {
    case LAKE_INT:
    case LAKE_LONG: {
        lake_i128 end = (lake_i128)1 << (bits - 1);
        return x % one == 0 && x / one < end && x / one >= -end;
    }
    case LAKE_DECIMAL: {
        int whole = t->precision - t->scale + scale;
        return (scale <= t->scale || x % lake_i128_pow10(scale - t->scale) == 0) &&
            (whole > MOST_DIGITS || size < lake_i128_pow10(whole));
    }
    case LAKE_FLOAT:
    case LAKE_DOUBLE: return size * 16 % one == 0 && size < one << 20;
    case LAKE_STRING: return scale == 0;
    default: return false;
    }
}

/* A constant whose cast keeps its value. False: what becomes of it differs from engine to engine. */
static bool cast_constant(lake_sql_parser *p, lake_literal *v, const lake_type *t) {
    bool is_text = v->kind == LAKE_LITERAL_STRING, is_float = t->id == LAKE_FLOAT || t->id == LAKE_DOUBLE, negative;
    if (v->kind == LAKE_LITERAL_DATE && (t->id == LAKE_TIMESTAMP || t->id == LAKE_TIMESTAMP_NS))
        v->kind = LAKE_LITERAL_TIMESTAMP;
    if (v->kind == LAKE_LITERAL_TIMESTAMP || v->kind == LAKE_LITERAL_DATE)
        return t->id == LAKE_DATE ? v->kind == LAKE_LITERAL_DATE
                                  : v->kind == LAKE_LITERAL_TIMESTAMP && v->text.len == 10;
    if (is_text && is_float && is_infinity(v->text, &negative)) {
        *v = (lake_literal){.kind = LAKE_LITERAL_NUMBER, .text = LAKE_STR("1e999"), .negative = negative};
        return true;
    }
    lake_literal number = *v;
    lake_i128 x;
    int scale;
    char text[LAKE_I128_TEXT + 48];
    if (is_text) {
        if (!lake_number_valid(v->text))
            return false;
        number = (lake_literal){.kind = LAKE_LITERAL_NUMBER, .text = v->text};
    }
    if (!exact(&number, &x, &scale) || !holds(t, x, scale) ||
        (t->id == LAKE_STRING && memchr(number.text.ptr, '.', number.text.len)))
        return false;
    if (t->id == LAKE_INT || t->id == LAKE_LONG) {
        x /= lake_i128_pow10(scale);
        scale = 0;
    }
    bool below = x < 0 && t->id != LAKE_STRING;
    size_t n = lake_decimal_print(below ? -x : x, scale, text);
    if (is_float) { /* with an exponent, so that it is not computed with as a decimal */
        text[n++] = 'e';
        text[n++] = '0';
    }
    v->kind = t->id == LAKE_STRING ? LAKE_LITERAL_STRING : LAKE_LITERAL_NUMBER;
    v->negative = below;
    v->text = lake_arena_str(p->arena, text, n);
    lake_sql_need(p, v->text.ptr);
    return true;
}

void lake_sql_cast(lake_sql_parser *p, lake_sql_value *v) {
    lake_type type;
    lake_sql_type(p, &type);
    if (p->status != LAKE_OK || is_null(v))
        return;
    int kind = literal_kind(&type);
    if (v->kind == LAKE_SQL_LITERAL && v->literal.kind == LAKE_LITERAL_STRING && kind >= 0) {
        v->literal.kind = (lake_literal_kind)kind;
        v->literal.sql = lake_sql_slice(p, v->begin);
        v->literal.offset = (int64_t)v->begin;
    } else if (v->kind == LAKE_SQL_LITERAL && cast_constant(p, &v->literal, &type)) {
        v->literal.sql = lake_sql_slice(p, v->begin);
        v->literal.offset = (int64_t)v->begin;
    } else if (v->kind == LAKE_SQL_COLUMN) {
        lake_sql_apply(p, v, (lake_apply){.op = LAKE_APPLY_CAST, .type = type});
        v->column.sql = lake_sql_slice(p, v->begin);
    } else {
        lake_sql_make_expression(p, v, NULL, "cast");
    }
}
