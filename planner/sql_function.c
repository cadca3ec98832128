/* Functions of one column that prune: abs, floor, upper, substring, …, joined text, and what regular expressions begin
   with. */
#include "planner/sql_parse.h"

static bool named(lake_str name, const char *const *words) {
    lake_sql_token t = {.kind = LAKE_SQL_WORD, .text = name};
    return lake_sql_any(&t, words);
}

static bool applied(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *column, lake_apply apply) {
    size_t begin = v->begin;
    *v = *column;
    v->begin = begin;
    lake_sql_apply(p, v, apply);
    if (v->kind == LAKE_SQL_COLUMN)
        v->column.sql = lake_sql_slice(p, begin);
    return true;
}

/* A number of characters; 0: none. */
static int small(const lake_sql_value *v) {
    int n = 0;
    if (v->kind != LAKE_SQL_LITERAL || v->literal.kind != LAKE_LITERAL_NUMBER || v->literal.negative ||
        v->literal.text.len > 9)
        return 0;
    for (size_t i = 0; i < v->literal.text.len; i++) {
        char c = v->literal.text.ptr[i];
        if (c < '0' || c > '9')
            return 0;
        n = n * 10 + (c - '0');
    }
    return n;
}

/* ---- regular expressions */
/* What every text that matches begins with: what follows ^ up to the first character that means more than itself. */
static size_t beginning(lake_str pattern, char *out) {
    size_t n = 0, i = 1, last = 0;
    if (!pattern.len || pattern.ptr[0] != '^' || memchr(pattern.ptr, '|', pattern.len))
        return 0;
    while (i < pattern.len) {
        char c = pattern.ptr[i];
        if (strchr("?*{", c)) {
            n = last; /* the character before it may be missing */
            break;
        }
        if (strchr(".[]()+}^$\\#", c) || (unsigned char)c <= ' ')
            break;
        last = n;
        do
            out[n++] = pattern.ptr[i++];
        while (i < pattern.len && ((unsigned char)pattern.ptr[i] & 0xc0) == 0x80);
    }
    return n;
}

/* That text, and the rest as it is. */
static void regular(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *a) {
    lake_str pattern = a[1].literal.text;
    char *text = lake_sql_need(p, lake_arena_alloc(p->arena, pattern.len + 1));
    lake_tree *all = (lake_tree *)lake_sql_leaf(p, LAKE_TREE_OPAQUE, &a[0], NULL, 0);
    v->kind = LAKE_SQL_TREE;
    v->tree = all;
    if (!text || !all)
        return;
    all->sql = lake_sql_slice(p, v->begin);
    all->reason = "regular expression";
    lake_literal start = {.kind = LAKE_LITERAL_STRING, .text = {text, beginning(pattern, text)}, .offset = -1};
    if (!start.text.len)
        return;
    lake_buffer sql;
    lake_buffer_init(&sql);
    lake_sql_put_quoted(&sql, start.text, '\'');
    start.sql = lake_arena_str(p->arena, lake_buffer_view(&sql).ptr, sql.failed ? 0 : sql.len);
    bool failed = sql.failed;
    lake_buffer_clear(&sql);
    const lake_tree *both[2] = {lake_sql_leaf(p, LAKE_TREE_PREFIX, &a[0], &start, 1), all};
    if (!both[0] || !lake_sql_need(p, failed ? NULL : start.sql.ptr))
        return;
    lake_tree *list = (lake_tree *)lake_sql_need(p, lake_tree_list(p->arena, LAKE_TREE_AND, both, 2));
    if (list)
        list->sql = all->sql; /* it is told as it was written */
    v->tree = list;
}

/* ---- calls */
bool lake_sql_function(lake_sql_parser *p, lake_sql_value *v, lake_str name, const lake_sql_value *a, size_t n) {
    static const struct {
        const char *words[3];
        lake_apply_op op;
    } own[] = {{{"ABS", NULL}, LAKE_APPLY_ABS}, {{"FLOOR", NULL}, LAKE_APPLY_FLOOR},
        {{"CEIL", "CEILING", NULL}, LAKE_APPLY_CEIL}, {{"LOWER", "LCASE", NULL}, LAKE_APPLY_LOWER},
        {{"UPPER", "UCASE", NULL}, LAKE_APPLY_UPPER}};
    static const char *const substrings[] = {"SUBSTRING", "SUBSTR", NULL}, *const lefts[] = {"LEFT", NULL};
    static const char *const patterns[] = {"REGEXP_MATCHES", "REGEXP_LIKE", NULL};
    if (!n || a[0].kind != LAKE_SQL_COLUMN)
        return false;
    for (size_t i = 0; n == 1 && i < sizeof own / sizeof *own; i++)
        if (named(name, own[i].words))
            return applied(p, v, &a[0], (lake_apply){.op = own[i].op});
    bool left = n == 2 && named(name, lefts), from_first = n == 3 && named(name, substrings) && small(&a[1]) == 1;
    if ((left || from_first) && small(&a[n - 1]) > 0)
        return applied(p, v, &a[0], (lake_apply){.op = LAKE_APPLY_LEFT, .n = small(&a[n - 1])});
    bool pattern =
        n == 2 && named(name, patterns) && a[1].kind == LAKE_SQL_LITERAL && a[1].literal.kind == LAKE_LITERAL_STRING;
    if (pattern)
        regular(p, v, a);
    return pattern;
}

/* ---- joined text */
bool lake_sql_joined(lake_sql_parser *p, lake_sql_value *v, const lake_sql_value *w) {
    bool left = v->kind == LAKE_SQL_COLUMN, right = w->kind == LAKE_SQL_COLUMN;
    const lake_sql_value *text = left ? w : v;
    if (left == right || text->kind != LAKE_SQL_LITERAL || text->literal.kind != LAKE_LITERAL_STRING)
        return false;
    lake_apply a = {.op = left ? LAKE_APPLY_APPEND : LAKE_APPLY_PREPEND, .literal = text->literal};
    return applied(p, v, left ? v : w, a);
}
