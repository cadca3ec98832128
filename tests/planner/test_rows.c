/* Brute force: random predicates over an int, a double and a string column, random facts, and every row that the facts
   admit. The predicate is evaluated on the row directly from its tree; the predicted outcomes must contain that value
   (and, over one column, no other), and residuals must be TRUE wherever the predicate is. */
#include "../support.h"
#include "planner/step.h"
#include "planner/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---------------------------------------------------------------- rows */
enum { INTS = 8, DOUBLES = 8, STRINGS = 8 };
static const double doubles[DOUBLES] = {-INFINITY, -1, -0.0, 0.0, 0.5, 1, 2, INFINITY};
static const lake_str strings[STRINGS] = {
    {"", 0}, {"a", 1}, {"a\0", 2}, {"a%", 2}, {"ab", 2}, {"abc", 3}, {"b", 1}, {"\xc3\xa9", 2}};

typedef enum state { VALUE, NULLED, NOT_A_NUMBER } state;
typedef struct cell {
    state state;
    int index;
} cell;
typedef struct row {
    cell cells[3]; /* i, d, s */
} row;

static uint64_t seed = 1;
static unsigned random_below(unsigned n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

/* ---------------------------------------------------------------- predicates as text */
static void put_literal(lake_buffer *b, int column) {
    static const char *const ds[] = {"-1", "-0.0", "0", "0.5", "0.25", "1e0", "2.0", "1e400", "-3"};
    if (column == 0)
        lake_buffer_printf(b, random_below(5) ? "%u" : "%u.5", random_below(INTS + 1));
    else if (column == 1)
        lake_buffer_puts(b, ds[random_below(9)]);
    else
        lake_buffer_printf(b, "'%s'", (const char *[]){"", "a", "a%", "ab", "abc", "b", "\xc3\xa9"}[random_below(7)]);
}

static void put_leaf(lake_buffer *b, int column) {
    static const char *const ops[] = {"=", "<>", "<", "<=", ">", ">="};
    static const char *const patterns[] = {"a%", "%", "%b", "a_", "ab", "", "a!%", "a!%%", "_"};
    const char *x = (const char *[]){"i", "d", "s"}[column], *no = random_below(2) ? "NOT " : "";
    switch (random_below(10)) {
    case 0: lake_buffer_printf(b, "%s IS %sNULL", x, no); return;
    case 1:
        if (column == 1) {
            lake_buffer_printf(b, "d IS %sNAN", no);
            return;
        }
        break;
    case 2:
        lake_buffer_printf(b, "%s %sIN (", x, no);
        for (unsigned i = 0, n = random_below(4); i <= n; i++) {
            lake_buffer_puts(b, i ? ", " : "");
            put_literal(b, column);
        }
        lake_buffer_puts(b, random_below(4) ? ")" : ", NULL)");
        return;
    case 3:
        lake_buffer_printf(b, "%s %sBETWEEN %s", x, no, random_below(2) ? "SYMMETRIC " : "");
        put_literal(b, column);
        lake_buffer_puts(b, " AND ");
        put_literal(b, column);
        return;
    case 4:
        if (column == 2) {
            lake_buffer_printf(b, "s %sLIKE '%s' ESCAPE '!'", no, patterns[random_below(9)]);
            return;
        }
        break;
    case 5:
        lake_buffer_printf(b, "%s IS %sDISTINCT FROM ", x, no);
        put_literal(b, column);
        return;
    case 6:
        if (random_below(3) == 0) {
            lake_buffer_puts(b, "NULL");
            return;
        }
        break;
    default: break;
    }
    lake_buffer_printf(b, "%s %s ", x, ops[random_below(6)]);
    put_literal(b, column);
}

static void put_predicate(lake_buffer *b, int depth, int column) {
    static const char *const tests[] = {"TRUE", "FALSE", "UNKNOWN"};
    unsigned c = random_below(10);
    if (depth == 0 || c < 3) {
        put_leaf(b, column < 0 ? (int)random_below(3) : column);
    } else if (c < 7) {
        for (unsigned i = 0, n = 1 + random_below(2); i <= n; i++) {
            lake_buffer_puts(b, i == 0 ? "(" : c < 5 ? ") AND (" : ") OR (");
            put_predicate(b, depth - 1, column);
        }
        lake_buffer_puts(b, ")");
    } else if (c == 7) {
        lake_buffer_puts(b, "NOT (");
        put_predicate(b, depth - 1, column);
        lake_buffer_puts(b, ")");
    } else if (c == 8) {
        lake_buffer_puts(b, "CASE WHEN ");
        put_predicate(b, depth - 1, column);
        lake_buffer_puts(b, " THEN ");
        put_predicate(b, depth - 1, column);
        if (random_below(2)) {
            lake_buffer_puts(b, " ELSE ");
            put_predicate(b, depth - 1, column);
        }
        lake_buffer_puts(b, " END");
    } else {
        lake_buffer_puts(b, "(");
        put_predicate(b, depth - 1, column);
        lake_buffer_printf(b, ") IS %s%s", random_below(2) ? "NOT " : "", tests[random_below(3)]);
    }
}

/* ---------------------------------------------------------------- the truth about a row */
typedef struct rule_set {
    bool two_valued, nan_largest;
} rule_set;

static int column_of(lake_str name) {
    return name.ptr[0] == 'i' ? 0 : name.ptr[0] == 'd' ? 1 : 2;
}

/* -1, 0, 1; numbers are small enough for a double. */
static int compare(int column, int index, const lake_literal *v) {
    if (column == 2)
        return lake_bytes_cmp(lake_bytes_of(strings[index]), lake_bytes_of(v->text));
    char text[64];
    snprintf(text, sizeof text, "%s%.*s", v->negative ? "-" : "", LAKE_ARG(v->text));
    double x = column == 0 ? index : doubles[index], y = strtod(text, NULL);
    return (x > y) - (x < y);
}

static bool like(const char *s, size_t n, const char *p, size_t m) {
    if (m == 0)
        return n == 0;
    if (*p == '%')
        return like(s, n, p + 1, m - 1) || (n && like(s + 1, n - 1, p, m));
    if (*p == '_') { /* one code point */
        size_t w = n && (*s & 0x80) ? 2 : 1;
        return n >= w && like(s + w, n - w, p + 1, m - 1);
    }
    if (*p == '!') {
        p++;
        m--;
    }
    return n && *s == *p && like(s + 1, n - 1, p + 1, m - 1);
}

static lake_outcomes truth(const lake_tree *t, const row *r, rule_set rules);

static lake_outcomes leaf_truth(const lake_tree *t, const row *r, rule_set rules) {
    int column = column_of(t->columns[0].parts[0]);
    cell c = r->cells[column];
    lake_outcomes null = rules.two_valued ? LAKE_F : LAKE_U;
    if (t->op == LAKE_TREE_NULL)
        return c.state == NULLED ? LAKE_T : LAKE_F;
    if (t->op == LAKE_TREE_DISTINCT)
        return c.state == VALUE && compare(column, c.index, &t->literals[0]) == 0 ? LAKE_F : LAKE_T;
    if (c.state == NULLED)
        return null;
    if (t->op == LAKE_TREE_NAN)
        return c.state == NOT_A_NUMBER ? LAKE_T : LAKE_F;
    if (t->op == LAKE_TREE_IN) {
        bool unknown = false;
        for (size_t i = 0; i < t->nliterals; i++) {
            unknown |= t->literals[i].kind == LAKE_LITERAL_NULL;
            if (t->literals[i].kind != LAKE_LITERAL_NULL && c.state == VALUE &&
                compare(column, c.index, &t->literals[i]) == 0)
                return LAKE_T;
        }
        return unknown ? LAKE_U : LAKE_F;
    }
    if (t->op == LAKE_TREE_LIKE)
        return like(strings[c.index].ptr, strings[c.index].len, t->literals[0].text.ptr, t->literals[0].text.len)
            ? LAKE_T
            : LAKE_F;
    if (t->op == LAKE_TREE_PREFIX)
        return lake_str_starts(strings[c.index], t->literals[0].text) ? LAKE_T : LAKE_F;
    bool greater = t->compare == LAKE_GT || t->compare == LAKE_GT_EQ;
    if (c.state == NOT_A_NUMBER)
        return rules.nan_largest && greater ? LAKE_T : LAKE_F;
    int x = compare(column, c.index, &t->literals[0]);
    bool yes = t->compare == LAKE_EQ ? x == 0
        : t->compare == LAKE_LT      ? x < 0
        : t->compare == LAKE_LT_EQ   ? x <= 0
        : t->compare == LAKE_GT      ? x > 0
                                     : x >= 0;
    return yes ? LAKE_T : LAKE_F;
}

static lake_outcomes truth(const lake_tree *t, const row *r, rule_set rules) {
    lake_outcomes stop = t->op == LAKE_TREE_AND ? LAKE_F : LAKE_T, x;
    bool unknown = false;
    switch (t->op) {
    case LAKE_TREE_CONST: return t->set;
    case LAKE_TREE_NOT: x = truth(t->kids[0], r, rules); return x == LAKE_U ? LAKE_U : x == LAKE_T ? LAKE_F : LAKE_T;
    case LAKE_TREE_IS: return truth(t->kids[0], r, rules) & t->set ? LAKE_T : LAKE_F;
    case LAKE_TREE_CASE:
        for (size_t i = 0; i + 1 < t->nkids; i += 2)
            if (truth(t->kids[i], r, rules) == LAKE_T)
                return truth(t->kids[i + 1], r, rules);
        return truth(t->kids[t->nkids - 1], r, rules);
    case LAKE_TREE_AND:
    case LAKE_TREE_OR:
        for (size_t i = 0; i < t->nkids; i++) {
            x = truth(t->kids[i], r, rules);
            if (x == stop)
                return stop;
            unknown |= x == LAKE_U;
        }
        return unknown ? LAKE_U : stop == LAKE_F ? LAKE_T : LAKE_F;
    default: return leaf_truth(t, r, rules);
    }
}

/* ---------------------------------------------------------------- residuals, by expressions-spec.md */
static int json_compare(int column, int index, const lake_json *v) {
    lake_literal literal = {.text = v->text};
    if (column == 1 && v->kind == LAKE_JSON_STRING)
        literal.text = lake_str_is(v->text, "Infinity") ? LAKE_STR("1e400") : LAKE_STR("-1e400");
    return compare(column, index, &literal);
}

static bool holds(const lake_json *e, const row *r) {
    if (e->kind == LAKE_JSON_TRUE || e->kind == LAKE_JSON_FALSE)
        return e->kind == LAKE_JSON_TRUE;
    lake_str type = lake_json_get(e, "type")->text;
    if (lake_str_is(type, "and"))
        return holds(lake_json_get(e, "left"), r) && holds(lake_json_get(e, "right"), r);
    if (lake_str_is(type, "or"))
        return holds(lake_json_get(e, "left"), r) || holds(lake_json_get(e, "right"), r);
    int column = column_of(lake_json_get(e, "term")->text);
    cell c = r->cells[column];
    const lake_json *v = lake_json_get(e, "value"), *list = lake_json_get(e, "values");
    bool value = c.state == VALUE, no = lake_str_starts(type, LAKE_STR("not-"));
    if (lake_str_is(type, "is-null") || lake_str_is(type, "not-null"))
        return (c.state == NULLED) != no;
    if (lake_str_is(type, "is-nan") || lake_str_is(type, "not-nan"))
        return (c.state == NOT_A_NUMBER) != no;
    if (list) {
        bool found = false;
        cr_assert_gt(list->count, 1, "one element must be eq");
        for (size_t i = 0; i < list->count; i++) {
            found |= value && json_compare(column, c.index, list->items[i]) == 0;
            cr_assert(i == 0 || column != 0 || atoi(list->items[i - 1]->text.ptr) < atoi(list->items[i]->text.ptr),
                "values must be sorted");
        }
        return found != no;
    }
    if (lake_str_ends(type, LAKE_STR("starts-with")))
        return (value && lake_str_starts(strings[c.index], v->text)) != no;
    if (lake_str_is(type, "eq") || lake_str_is(type, "not-eq"))
        return (value && json_compare(column, c.index, v) == 0) != no;
    int x = value ? json_compare(column, c.index, v) : 0;
    cr_assert(
        lake_str_is(type, "lt") || lake_str_is(type, "lt-eq") || lake_str_is(type, "gt") || lake_str_is(type, "gt-eq"),
        "%.*s", LAKE_ARG(type));
    return value &&
        (lake_str_starts(type, LAKE_STR("lt")) ? x < 0 || (x == 0 && type.len > 2) : x > 0 || (x == 0 && type.len > 2));
}

/* ---------------------------------------------------------------- facts */
static lake_span span_of(lake_arena *arena, lake_key_kind kind, lake_key key) {
    lake_end next;
    cr_assert(lake_key_next(arena, kind, key, &next));
    return (lake_span){lake_end_key(key), next};
}

/* Random facts about a column, each value a span of its own, and the cells that they admit. */
static int random_facts(lake_arena *arena, int column, lake_facts *f, cell cells[10]) {
    int n = 0;
    lake_facts_set(f, random_below(2), column == 1 && random_below(2), true);
    f->nspans = 0;
    for (int i = 0; i < 8; i++) {
        lake_key key = {.i = i};
        if (random_below(column == 1 ? 3 : 2))
            continue;
        if (column == 1)
            key.f = doubles[i];
        if (column == 2)
            key.b = lake_bytes_of(strings[i]);
        f->spans[f->nspans++] = span_of(arena,
            column == 0       ? LAKE_KEY_INT
                : column == 1 ? LAKE_KEY_FLOAT
                              : LAKE_KEY_BYTES,
            key);
        cells[n++] = (cell){VALUE, i};
    }
    f->value = f->nspans > 0;
    if (f->null)
        cells[n++] = (cell){NULLED, 0};
    if (f->nan)
        cells[n++] = (cell){NOT_A_NUMBER, 0};
    return n;
}

static lake_schema *schema(lake_arena *arena) {
    static const char text[] = "{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"i\",\"type\":"
                               "\"int\",\"required\":false},"
                               "{\"id\":2,\"name\":\"d\",\"type\":\"double\",\"required\":false},"
                               "{\"id\":3,\"name\":\"s\",\"type\":\"string\",\"required\":false}]}";
    lake_json *json;
    lake_schema *out;
    cr_assert_eq(lake_json_parse(arena, lake_str_of(text), NULL, &json, NULL), LAKE_OK);
    cr_assert_eq(lake_schema_read(arena, json, &out, NULL), LAKE_OK);
    return out;
}

typedef struct residual {
    lake_json *json;
    const lake_tree *sql;
    bool exact;
    lake_str json_text, sql_text;
} residual;

static residual residual_of(lake_arena *arena, const lake_bound *bound, const lake_facts *facts, const char *where) {
    residual out;
    lake_buffer json, sql;
    lake_error err;
    lake_error_init(&err);
    lake_buffer_init(&json);
    lake_buffer_init(&sql);
    cr_assert_eq(lake_bound_residual(bound, facts, arena, &json, &out.exact, &sql, &err), LAKE_OK);
    out.json_text = lake_arena_str(arena, (char *)json.data, json.len);
    out.sql_text = lake_arena_str(arena, (char *)sql.data, sql.len);
    cr_assert_eq(lake_json_parse(arena, out.json_text, NULL, &out.json, &err), LAKE_OK, "%s: %.*s", where,
        LAKE_ARG(out.json_text));
    cr_assert_eq(lake_tree_from_sql(arena, out.sql_text, &out.sql, &err), LAKE_OK, "%s: %.*s: %s", where,
        LAKE_ARG(out.sql_text), err.message);
    lake_buffer_clear(&json);
    lake_buffer_clear(&sql);
    return out;
}

typedef struct counts {
    long rows, exact, residuals;
} counts;

static void play(lake_arena *arena, int column, counts *n) {
    lake_buffer b;
    lake_buffer_init(&b);
    put_predicate(&b, (int)random_below(4), column);
    lake_str where = lake_arena_str(arena, (char *)b.data, b.len);
    lake_buffer_clear(&b);
    rule_set rules = {random_below(2), random_below(4) == 0};
    const lake_tree *tree;
    lake_bound *bound;
    lake_error err;
    lake_error_init(&err);
    lake_bind_options options = {.two_valued = rules.two_valued, .nan_largest = rules.nan_largest};
    cr_assert_eq(lake_tree_from_sql(arena, where, &tree, &err), LAKE_OK, "%s: %s", where.ptr, err.message);
    cr_assert_eq(
        lake_bind(arena, tree, schema(arena), &options, &bound, &err), LAKE_OK, "%s: %s", where.ptr, err.message);
    for (int k = 0; k < 4; k++) {
        lake_facts all[3], facts[3];
        cell cells[3][10];
        int ncells[3];
        for (int c = 0; c < 3; c++)
            do
                ncells[c] = random_facts(arena, c, &all[c], cells[c]);
            while (ncells[c] == 0);
        for (size_t i = 0; i < bound->nterms; i++)
            lake_facts_copy(&facts[i], &all[bound->terms[i].field->id - 1]);
        lake_outcomes out = lake_bound_evaluate(bound, facts), seen = 0;
        residual rest = residual_of(arena, bound, facts, where.ptr);
        /* Filters have no IS tests and no NULL constants: their text would need two-valued ones. */
        bool sql = !rules.two_valued ||
            (!strstr(where.ptr, " IS ") && !strstr(where.ptr, "NULL") && !strstr(where.ptr, "CASE"));
        n->residuals++;
        n->exact += rest.exact;
        for (int x = 0; x < ncells[0]; x++)
            for (int y = 0; y < ncells[1]; y++)
                for (int z = 0; z < ncells[2]; z++) {
                    row r = {{cells[0][x], cells[1][y], cells[2][z]}};
                    lake_outcomes is = truth(tree, &r, rules);
                    bool left = holds(rest.json, &r);
                    seen |= is;
                    n->rows++;
                    cr_assert(out & is, "%s: %d not in %d", where.ptr, is, out);
                    cr_assert(is != LAKE_T || left, "%s: residual %s loses a row", where.ptr, rest.json_text.ptr);
                    cr_assert(!rest.exact || left == (is == LAKE_T), "%s: residual %s is not exact", where.ptr,
                        rest.json_text.ptr);
                    if (sql)
                        cr_assert_eq(truth(rest.sql, &r, (rule_set){false, rules.nan_largest}) == LAKE_T, is == LAKE_T,
                            "%s: residual %s", where.ptr, rest.sql_text.ptr);
                }
        /* Over one column facts that list each value leave no room, but for patterns that are no prefix. */
        if (column >= 0 && !strchr(where.ptr, '_') && !strstr(where.ptr, "'%b"))
            cr_assert_eq(out, seen, "%s: predicted %d, seen %d", where.ptr, out, seen);
    }
}

Test(rows, are_never_outside_the_predicted_outcomes_and_residuals_keep_them) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    counts n = {0};
    for (int i = 0; i < 3000; i++) {
        lake_arena_reset(&arena);
        play(&arena, (int)random_below(6) - 3 < 0 ? -1 : (int)random_below(3), &n);
    }
    cr_assert_gt(n.rows, 100000);
    cr_assert_gt(n.exact, n.residuals / 2, "%ld of %ld residuals are exact", n.exact, n.residuals);
    lake_arena_clear(&arena);
}
