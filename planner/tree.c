/* Making trees and telling them as SQL. A tree's depth is counted as it is built, so that every later walk may recurse.
 */
#include "planner/tree.h"

#include "planner/sql_lex.h"

lake_tree *lake_tree_new(lake_arena *arena, lake_tree_op op, int64_t offset) {
    lake_tree *t = LAKE_ARENA_NEW(arena, lake_tree);
    if (t) {
        t->op = op;
        t->depth = 1;
        t->offset = offset;
    }
    return t;
}

const lake_tree *lake_tree_const(lake_arena *arena, lake_outcomes set) {
    lake_tree *t = lake_tree_new(arena, LAKE_TREE_CONST, -1);
    if (t)
        t->set = set;
    return t;
}

const lake_tree *lake_tree_list(lake_arena *arena, lake_tree_op op, const lake_tree *const *kids, size_t nkids) {
    lake_tree *t = lake_tree_new(arena, op, -1);
    const lake_tree **copy = LAKE_ARENA_ARRAY(arena, const lake_tree *, nkids);
    if (!t || !copy)
        return NULL;
    for (size_t i = 0; i < nkids; i++) {
        if (!kids[i])
            return NULL;
        copy[i] = kids[i];
        if (kids[i]->depth >= t->depth)
            t->depth = kids[i]->depth + 1;
    }
    t->offset = nkids ? kids[0]->offset : -1;
    t->kids = copy;
    t->nkids = nkids;
    return t;
}

const lake_tree *lake_tree_not(lake_arena *arena, const lake_tree *kid) {
    return lake_tree_list(arena, LAKE_TREE_NOT, &kid, 1);
}

const lake_tree *lake_tree_is(lake_arena *arena, const lake_tree *kid, lake_outcomes set) {
    lake_tree *t = (lake_tree *)lake_tree_list(arena, LAKE_TREE_IS, &kid, 1);
    if (t)
        t->set = set;
    return t;
}

bool lake_tree_grow(lake_arena *arena, void *items, size_t item_size, size_t n, size_t *room) {
    if (n < *room)
        return true;
    size_t more = *room ? *room * 2 : 8;
    void *bigger = lake_arena_zalloc(arena, more, item_size);
    if (!bigger)
        return false;
    if (n && *room)
        memcpy(bigger, *(void **)items, (n < *room ? n : *room) * item_size);
    *(void **)items = bigger;
    *room = more;
    return true;
}

/* ---------------------------------------------------------------- SQL */
void lake_sql_put_quoted(lake_buffer *b, lake_str s, char quote) {
    lake_buffer_char(b, quote);
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == quote)
            lake_buffer_char(b, quote);
        lake_buffer_char(b, s.ptr[i]);
    }
    lake_buffer_char(b, quote);
}

static bool is_plain(lake_str s, bool dots) {
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_',
             inner = (c >= '0' && c <= '9') || (dots && c == '.');
        if (!letter && !(i && inner))
            return false;
    }
    return s.len > 0 && s.ptr[s.len - 1] != '.';
}

void lake_sql_put_name(lake_buffer *b, lake_str name, bool dots) {
    static const char *const reserved[] = {"AND", "OR", "NOT", "IN", "IS", "LIKE", "BETWEEN", "CASE", "WHEN", "THEN",
        "ELSE", "END", "ESCAPE", "AS", "FROM", "WHERE", "SELECT", "TRUE", "FALSE", "NULL", "INTERVAL"};
    bool plain = is_plain(name, dots);
    lake_sql_token t = {.kind = LAKE_SQL_WORD, .text = name};
    for (size_t i = 0; plain && i < sizeof reserved / sizeof *reserved; i++)
        plain = !lake_sql_is(&t, reserved[i]);
    if (plain)
        lake_buffer_str(b, name);
    else
        lake_sql_put_quoted(b, name, '"');
}

void lake_sql_put_call(lake_buffer *b, lake_str transform, bool calendar, lake_str column) {
    if (!transform.ptr) {
        lake_buffer_str(b, column);
        return;
    }
    const char *bracket = transform.len ? memchr(transform.ptr, '[', transform.len) : NULL;
    size_t name = bracket ? (size_t)(bracket - transform.ptr) : transform.len;
    lake_buffer_put(b, transform.ptr, name);
    if (!bracket && !calendar && !lake_str_is(transform, "identity") && !lake_str_is(transform, "void"))
        lake_buffer_char(b, 's');
    lake_buffer_char(b, '(');
    if (bracket && transform.len - name > 2) {
        lake_buffer_put(b, bracket + 1, transform.len - name - 2);
        lake_buffer_puts(b, ", ");
    }
    lake_buffer_str(b, column);
    lake_buffer_char(b, ')');
}

static const char *const compare_text[] = {"=", "<", "<=", ">", ">="};

static void print_list(lake_buffer *out, const lake_tree *leaf) {
    lake_buffer_char(out, '(');
    for (size_t i = 0; i < leaf->nliterals; i++) {
        if (i)
            lake_buffer_puts(out, ", ");
        lake_buffer_str(out, leaf->literals[i].sql);
    }
    lake_buffer_char(out, ')');
}

void lake_leaf_print(lake_buffer *out, const lake_tree *leaf, bool negated) {
    lake_str column = leaf->instead ? leaf->instead->sql : leaf->ncolumns ? leaf->columns[0].sql : (lake_str){0};
    const char *no = negated ? " NOT" : "";
    switch (leaf->op) {
    case LAKE_TREE_NULL:
        lake_buffer_str(out, column);
        lake_buffer_printf(out, " IS%s NULL", no);
        return;
    case LAKE_TREE_NAN:
        if (leaf->null_unsure) {
            lake_buffer_puts(out, negated ? "NOT isnan(" : "isnan(");
            lake_buffer_str(out, column);
            lake_buffer_char(out, ')');
            return;
        }
        lake_buffer_str(out, column);
        lake_buffer_printf(out, " IS%s NAN", no);
        return;
    case LAKE_TREE_IN:
        lake_buffer_str(out, column);
        lake_buffer_printf(out, "%s IN ", no);
        print_list(out, leaf);
        return;
    case LAKE_TREE_DISTINCT:
        lake_buffer_str(out, column);
        lake_buffer_printf(out, " IS%s DISTINCT FROM ", no);
        lake_buffer_str(out, leaf->literals[0].sql);
        return;
    case LAKE_TREE_LIKE:
        lake_buffer_str(out, column);
        lake_buffer_printf(out, "%s %s ", no, leaf->any_case ? "ILIKE" : "LIKE");
        lake_buffer_str(out, leaf->literals[0].sql);
        if (leaf->escape.ptr)
            lake_buffer_printf(
                out, " ESCAPE '%s%.*s'", lake_str_is(leaf->escape, "'") ? "'" : "", LAKE_ARG(leaf->escape));
        return;
    case LAKE_TREE_PAIR:
        if (leaf->null_safe) {
            lake_buffer_str(out, column);
            lake_buffer_printf(out, " IS%s DISTINCT FROM ", negated ? "" : " NOT");
            lake_buffer_str(out, leaf->columns[1].sql);
            return;
        }
        if (negated && leaf->compare != LAKE_EQ)
            break;
        lake_buffer_str(out, column);
        lake_buffer_printf(out, " %s ", negated ? "<>" : compare_text[leaf->compare]);
        lake_buffer_str(out, leaf->columns[1].sql);
        return;
    case LAKE_TREE_COMPARE:
        if (negated && leaf->compare != LAKE_EQ)
            break; /* NOT (x < 5) is not x >= 5 where NaN is about */
        lake_buffer_str(out, column);
        lake_buffer_printf(out, " %s ", negated ? "<>" : compare_text[leaf->compare]);
        lake_buffer_str(out, leaf->literals[0].sql);
        return;
    default: break;
    }
    if (negated) {
        lake_buffer_puts(out, "NOT (");
        lake_leaf_print(out, leaf, false);
        lake_buffer_char(out, ')');
    } else if (leaf->op == LAKE_TREE_PREFIX) {
        lake_buffer_puts(out, "starts_with(");
        lake_buffer_str(out, column);
        lake_buffer_puts(out, ", ");
        lake_buffer_str(out, leaf->literals[0].sql);
        lake_buffer_char(out, ')');
    } else if (leaf->op == LAKE_TREE_CONST) {
        lake_buffer_puts(out, leaf->set == LAKE_T ? "TRUE" : leaf->set == LAKE_F ? "FALSE" : "NULL");
    } else {
        lake_buffer_str(out, leaf->sql);
    }
}

static bool is_leaf(const lake_tree *t) {
    return t->nkids == 0;
}

static void print_kid(lake_buffer *out, const lake_tree *kid) {
    bool bare = is_leaf(kid) && kid->op != LAKE_TREE_OPAQUE;
    if (!bare)
        lake_buffer_char(out, '(');
    lake_tree_print(out, kid);
    if (!bare)
        lake_buffer_char(out, ')');
}

void lake_tree_print(lake_buffer *out, const lake_tree *t) {
    if (!is_leaf(t) && t->sql.ptr) {
        lake_buffer_str(out, t->sql);
    } else if (is_leaf(t)) {
        lake_leaf_print(out, t, false);
    } else if (t->op == LAKE_TREE_NOT) {
        if (is_leaf(t->kids[0])) {
            lake_leaf_print(out, t->kids[0], true);
        } else {
            lake_buffer_puts(out, "NOT ");
            print_kid(out, t->kids[0]);
        }
    } else if (t->op == LAKE_TREE_IS) {
        bool no = t->set & (t->set - 1); /* two values: IS NOT the third */
        lake_outcomes set = no ? LAKE_ANY & ~t->set : t->set;
        print_kid(out, t->kids[0]);
        lake_buffer_printf(out, " IS%s %s", no ? " NOT" : "",
            set == LAKE_T       ? "TRUE"
                : set == LAKE_F ? "FALSE"
                                : "UNKNOWN");
    } else if (t->op == LAKE_TREE_CASE) {
        lake_buffer_puts(out, "CASE");
        for (size_t i = 0; i + 1 < t->nkids; i += 2) {
            lake_buffer_puts(out, " WHEN ");
            lake_tree_print(out, t->kids[i]);
            lake_buffer_puts(out, " THEN ");
            lake_tree_print(out, t->kids[i + 1]);
        }
        lake_buffer_puts(out, " ELSE ");
        lake_tree_print(out, t->kids[t->nkids - 1]);
        lake_buffer_puts(out, " END");
    } else {
        for (size_t i = 0; i < t->nkids; i++) {
            if (i)
                lake_buffer_puts(out, t->op == LAKE_TREE_AND ? " AND " : " OR ");
            print_kid(out, t->kids[i]);
        }
    }
}

/* ---------------------------------------------------------------- for tests */
static void dump_column(lake_buffer *out, const lake_column_ref *c) {
    if (c->transform.ptr) {
        lake_buffer_puts(out, c->calendar ? "calendar " : "");
        lake_buffer_str(out, c->transform);
        lake_buffer_char(out, ':');
    }
    if (c->by_id)
        lake_buffer_printf(out, "#%d", c->id);
    for (size_t i = 0; i < c->nparts; i++) {
        if (i)
            lake_buffer_char(out, '/');
        lake_buffer_str(out, c->parts[i]);
    }
    static const char *const applied[] = {"cast", "add ", "from ", "times ", "by ", "months ", "days ", "nanos ",
        "trunc", "part", "abs", "floor", "ceil", "lower", "upper", "left ", "append ", "prepend "};
    for (size_t i = 0; i < c->napplies; i++) {
        const lake_apply *a = &c->applies[i];
        lake_buffer_printf(out, "|%s", applied[a->op]);
        if (a->op == LAKE_APPLY_CAST) {
            lake_buffer_char(out, ' ');
            lake_type_print(out, &a->type);
        } else if ((a->op >= LAKE_APPLY_MONTHS && a->op <= LAKE_APPLY_NANOS) || a->op == LAKE_APPLY_LEFT) {
            char text[LAKE_I128_TEXT];
            lake_buffer_put(out, text, lake_i128_print(a->n, text));
        } else if (a->unit) {
            lake_buffer_printf(out, " %d", (int)a->unit);
        } else {
            lake_buffer_printf(out, "%s%.*s", a->literal.negative ? "-" : "", LAKE_ARG(a->literal.text));
        }
    }
}

static void dump_literal(lake_buffer *out, const lake_literal *v) {
    static const char *const kinds[] = {
        "null", "", "s:", "", "date:", "time:", "ts:", "uuid:", "x:", "interval:", "j:"};
    lake_buffer_puts(out, kinds[v->kind]);
    if (v->negative)
        lake_buffer_char(out, '-');
    if (v->kind == LAKE_LITERAL_BOOL)
        lake_buffer_puts(out, v->truth ? "true" : "false");
    else if (v->kind != LAKE_LITERAL_NULL)
        lake_buffer_str(out, v->text);
}

void lake_tree_dump(lake_buffer *out, const lake_tree *t) {
    static const char *const ops[] = {"", "not", "and", "or", "case", "is", "null", "nan", "", "", "in", "like",
        "prefix", "distinct", "members", "opaque"};
    if (t->op == LAKE_TREE_CONST) {
        lake_buffer_printf(
            out, "%s%s%s", t->set & LAKE_T ? "T" : "", t->set & LAKE_F ? "F" : "", t->set & LAKE_U ? "U" : "");
        return;
    }
    lake_buffer_char(out, '(');
    lake_buffer_puts(out,
        t->null_safe                                                ? "same"
            : t->op == LAKE_TREE_COMPARE || t->op == LAKE_TREE_PAIR ? compare_text[t->compare]
                                                                    : ops[t->op]);
    if (t->null_unsure && t->op != LAKE_TREE_NAN)
        lake_buffer_char(out, '?');
    if (t->op == LAKE_TREE_IS)
        lake_buffer_printf(
            out, "%s%s%s", t->set & LAKE_T ? "T" : "", t->set & LAKE_F ? "F" : "", t->set & LAKE_U ? "U" : "");
    for (size_t i = 0; i < t->ncolumns && is_leaf(t); i++) {
        lake_buffer_char(out, ' ');
        dump_column(out, &t->columns[i]);
    }
    for (size_t i = 0; i < t->nliterals && is_leaf(t); i++) {
        lake_buffer_char(out, ' ');
        dump_literal(out, &t->literals[i]);
    }
    if (t->escape.ptr) {
        lake_buffer_puts(out, " escape:");
        lake_buffer_str(out, t->escape);
    }
    for (size_t i = 0; i < t->nkids; i++) {
        lake_buffer_char(out, ' ');
        lake_tree_dump(out, t->kids[i]);
    }
    lake_buffer_char(out, ')');
}
