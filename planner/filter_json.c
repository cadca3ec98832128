/* Iceberg's JSON expressions -> tree (expressions-spec.md, Appendix B): the old form with "term" and the new one with
   "child", "left" and "right"; references by name or id, transforms, applied functions, literals bare or as objects. */
#include "planner/tree.h"

typedef struct reader {
    lake_arena *arena;
    lake_error *err;
} reader;

static lake_status read_predicate(reader *r, const lake_json *e, int depth, const lake_tree **out);

static lake_status bad(reader *r, const char *what, const lake_json *at) {
    lake_buffer text;
    lake_buffer_init(&text);
    if (at)
        lake_json_print(&text, at, 0);
    lake_str view = lake_buffer_view(&text);
    lake_status s = lake_fail(r->err, LAKE_ERR_USAGE, "filter: %s%s%.*s", what, at ? ": " : "",
        (int)(view.len > 80 ? 80 : view.len), view.ptr);
    lake_buffer_clear(&text);
    return s;
}

/* The member "type" in lower case with dashes ("NOT_EQ" -> "not-eq"). Empty: none, or too long to be one. */
static void type_of(const lake_json *e, char type[32]) {
    const lake_json *v = lake_json_find(e, "type");
    type[0] = 0;
    if (!lake_json_is(v, LAKE_JSON_STRING) || v->text.len >= 32)
        return;
    for (size_t i = 0; i < v->text.len; i++) {
        char c = v->text.ptr[i];
        type[i] = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
        type[i + 1] = 0;
    }
}

static bool is_term(const lake_json *e) {
    char type[32];
    type_of(e, type);
    return strcmp(type, "reference") == 0 || strcmp(type, "transform") == 0 || strcmp(type, "apply") == 0;
}

/* ---------------------------------------------------------------- text of what has none */
static lake_str finish_text(reader *r, lake_buffer *b) {
    lake_str view = lake_buffer_view(b), out = {0};
    if (!b->failed)
        out = lake_arena_str(r->arena, view.ptr, view.len);
    lake_buffer_clear(b);
    return out;
}

static lake_str column_sql(reader *r, const lake_column_ref *c) {
    lake_buffer b, name;
    lake_buffer_init(&b);
    lake_buffer_init(&name);
    if (c->by_id)
        lake_buffer_printf(&name, "#%d", c->id); /* binding puts the name there */
    else
        lake_sql_put_name(&name, c->parts[0], true);
    lake_sql_put_call(&b, c->transform, false, lake_buffer_view(&name));
    b.failed |= name.failed;
    lake_buffer_clear(&name);
    return finish_text(r, &b);
}

/* ---------------------------------------------------------------- literals */
static lake_status read_literal(reader *r, const lake_json *v, lake_literal *out) {
    if (lake_json_is(v, LAKE_JSON_OBJECT)) {
        char type[32];
        type_of(v, type);
        if (strcmp(type, "literal") != 0)
            return bad(r, "a literal expected", v);
        v = lake_json_get(v, "value");
    }
    *out = (lake_literal){.offset = -1};
    if (!v || v->kind == LAKE_JSON_NULL)
        return bad(r, "a literal must not be null (use is-null)", NULL);
    lake_buffer b;
    lake_buffer_init(&b);
    switch (v->kind) {
    case LAKE_JSON_TRUE:
    case LAKE_JSON_FALSE:
        out->kind = LAKE_LITERAL_BOOL;
        out->truth = v->kind == LAKE_JSON_TRUE;
        lake_buffer_puts(&b, out->truth ? "TRUE" : "FALSE");
        break;
    case LAKE_JSON_NUMBER:
        out->kind = LAKE_LITERAL_NUMBER;
        out->text = v->text;
        lake_buffer_str(&b, v->text);
        break;
    case LAKE_JSON_STRING:
        out->kind = LAKE_LITERAL_JSON;
        out->text = v->text;
        lake_sql_put_quoted(&b, v->text, '\'');
        break;
    default: lake_buffer_clear(&b); return bad(r, "a literal expected", v);
    }
    out->sql = finish_text(r, &b);
    return out->sql.ptr ? LAKE_OK : lake_fail_memory(r->err);
}

/* ---------------------------------------------------------------- terms */
/* "years" and "YEAR" are the spec's "year". */
static lake_str transform_name(lake_str name) {
    static const char *const known[] = {"identity", "bucket", "truncate", "year", "month", "day", "hour", "void"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (lake_str_is(name, known[i]) ||
            (name.len == strlen(known[i]) + 1 && name.ptr[name.len - 1] == 's' &&
                memcmp(name.ptr, known[i], name.len - 1) == 0))
            return lake_str_of(known[i]);
    return name;
}

static lake_status read_term(reader *r, const lake_json *e, lake_column_ref *out, bool *plain);

/* A call: of one reference, perhaps with a width. Other calls are terms that nothing is known about: *plain false. */
static lake_status read_apply(reader *r, const lake_json *e, lake_column_ref *out, bool *plain) {
    const lake_json *f = lake_json_find(e, "function"), *args = lake_json_find(e, "arguments"), *width = NULL,
                    *ref = NULL;
    if (lake_json_is(f, LAKE_JSON_OBJECT))
        f = lake_json_find(f, "identifier");
    if (lake_json_is(f, LAKE_JSON_ARRAY))
        f = f->count ? f->items[f->count - 1] : NULL;
    if (!lake_json_is(f, LAKE_JSON_STRING) || !lake_json_is(args, LAKE_JSON_ARRAY))
        return bad(r, "apply needs a function and arguments", e);
    size_t refs = 0, literals = 0;
    for (size_t i = 0; i < args->count; i++) {
        if (is_term(args->items[i])) {
            ref = args->items[i];
            refs++;
        } else {
            width = args->items[i];
            literals++;
        }
    }
    *plain = false;
    *out = (lake_column_ref){.offset = -1, .sql = f->text};
    if (refs != 1 || literals > 1)
        return LAKE_OK;
    bool inner = true;
    LAKE_TRY(read_term(r, ref, out, &inner));
    *plain = inner && !out->transform.ptr;
    out->transform = transform_name(f->text);
    if (width) {
        if (lake_json_is(width, LAKE_JSON_OBJECT))
            width = lake_json_get(width, "value");
        int32_t n;
        if (!lake_json_i32(width, &n) || n <= 0)
            *plain = false;
        else
            out->transform = lake_arena_printf(r->arena, "%.*s[%d]", LAKE_ARG(out->transform), n);
    }
    return out->transform.ptr ? LAKE_OK : lake_fail_memory(r->err);
}

static lake_status read_term(reader *r, const lake_json *e, lake_column_ref *out, bool *plain) {
    char type[32];
    *out = (lake_column_ref){.offset = -1};
    *plain = true;
    if (lake_json_is(e, LAKE_JSON_OBJECT)) {
        type_of(e, type);
        if (strcmp(type, "apply") == 0) {
            LAKE_TRY(read_apply(r, e, out, plain));
        } else if (strcmp(type, "transform") == 0) {
            const lake_json *t = lake_json_find(e, "transform"), *term = lake_json_find(e, "term");
            if (!lake_json_is(t, LAKE_JSON_STRING) || lake_json_is(lake_json_find(term, "transform"), LAKE_JSON_STRING))
                return bad(r, "a transform of a column expected", e);
            LAKE_TRY(read_term(r, term, out, plain));
            out->transform = transform_name(t->text);
        } else if (strcmp(type, "reference") == 0) {
            const lake_json *id = lake_json_find(e, "id");
            if (id) {
                out->by_id = true;
                if (!lake_json_i32(id, &out->id))
                    return bad(r, "a reference's id must be an integer", e);
            } else {
                const lake_json *name = lake_json_find(e, "name");
                e = name ? name : lake_json_find(e, "term");
            }
        } else {
            return bad(r, "a column expected", e);
        }
    }
    if (!out->by_id && !out->nparts && *plain) {
        lake_str *part = LAKE_ARENA_NEW(r->arena, lake_str);
        if (!lake_json_is(e, LAKE_JSON_STRING))
            return bad(r, "a column expected", e);
        if (!part)
            return lake_fail_memory(r->err);
        *part = e->text;
        out->dotted = true;
        out->parts = part;
        out->nparts = 1;
    }
    if (*plain || out->nparts || out->by_id) {
        out->sql = column_sql(r, out);
        if (!out->sql.ptr)
            return lake_fail_memory(r->err);
    }
    return LAKE_OK;
}

/* ---------------------------------------------------------------- predicates */
static lake_status opaque_leaf(reader *r, const lake_json *e, const lake_column_ref *columns, size_t n,
    const char *reason, const lake_tree **out) {
    lake_tree *t = lake_tree_new(r->arena, LAKE_TREE_OPAQUE, -1);
    lake_column_ref *copy = LAKE_ARENA_ARRAY(r->arena, lake_column_ref, n + 1);
    lake_buffer b;
    lake_buffer_init(&b);
    lake_json_print(&b, e, 0);
    lake_str text = finish_text(r, &b);
    if (!t || !copy || !text.ptr)
        return lake_fail_memory(r->err);
    for (size_t i = 0; i < n; i++)
        if (columns[i].nparts || columns[i].by_id)
            copy[t->ncolumns++] = columns[i];
    t->columns = copy;
    t->sql = text;
    t->reason = reason;
    *out = t;
    return LAKE_OK;
}

static lake_status leaf(reader *r, lake_tree_op op, lake_compare compare, const lake_column_ref *column,
    const lake_json *const *values, size_t n, const lake_tree **out) {
    lake_tree *t = lake_tree_new(r->arena, op, -1);
    lake_column_ref *c = LAKE_ARENA_NEW(r->arena, lake_column_ref);
    lake_literal *literals = LAKE_ARENA_ARRAY(r->arena, lake_literal, n + 1);
    if (!t || !c || !literals)
        return lake_fail_memory(r->err);
    for (size_t i = 0; i < n; i++)
        LAKE_TRY(read_literal(r, values[i], &literals[i]));
    *c = *column;
    t->compare = compare;
    t->columns = c;
    t->ncolumns = 1;
    t->literals = literals;
    t->nliterals = n;
    *out = t;
    return LAKE_OK;
}

static lake_status read_set(reader *r, const lake_json *e, const lake_column_ref *column, const lake_tree **out) {
    const lake_json *values = lake_json_find(e, "values");
    if (lake_json_is(values, LAKE_JSON_OBJECT))
        values = lake_json_find(values, "values");
    if (!lake_json_is(values, LAKE_JSON_ARRAY))
        return bad(r, "in needs values", e);
    return leaf(r, LAKE_TREE_IN, LAKE_EQ, column, (const lake_json *const *)values->items, values->count, out);
}

/* `type` without a "not-": is-null, is-nan, in, starts-with, eq, lt, … */
static lake_status read_test(reader *r, const lake_json *e, const char *type, const lake_tree **out) {
    static const char *const compares[] = {"eq", "lt", "lt-eq", "gt", "gt-eq"};
    static const lake_compare flipped[] = {LAKE_EQ, LAKE_GT, LAKE_GT_EQ, LAKE_LT, LAKE_LT_EQ};
    const lake_json *left = lake_json_find(e, "term"), *right = lake_json_find(e, "value");
    bool flip = false;
    left = left ? left : lake_json_find(e, "child");
    left = left ? left : lake_json_find(e, "left");
    right = right ? right : lake_json_find(e, "right");
    if (lake_json_find(e, "left") && !is_term(left) && is_term(right)) {
        const lake_json *swap = left;
        left = right;
        right = swap;
        flip = true;
    }
    int compare = -1;
    for (int i = 0; i < 5; i++)
        if (strcmp(type, compares[i]) == 0)
            compare = i;
    bool prefix = strcmp(type, "starts-with") == 0, unary = strcmp(type, "is-null") == 0 || strcmp(type, "is-nan") == 0;
    if (compare < 0 && !prefix && !unary && strcmp(type, "in") != 0)
        return bad(r, "unknown expression type", e);
    if (!left)
        return bad(r, "a term expected", e);
    lake_column_ref columns[2];
    bool plain, other_plain;
    LAKE_TRY(read_term(r, left, &columns[0], &plain));
    if (!unary && compare < 0 && !prefix)
        return plain ? read_set(r, e, &columns[0], out) : opaque_leaf(r, e, columns, 1, "opaque function", out);
    if ((compare >= 0 || prefix) && is_term(right)) {
        LAKE_TRY(read_term(r, right, &columns[1], &other_plain));
        return opaque_leaf(r, e, columns, 2, "two columns compared", out);
    }
    if (!plain || (flip && prefix))
        return opaque_leaf(r, e, columns, 1, "opaque function", out);
    if (unary)
        return leaf(
            r, strcmp(type, "is-nan") == 0 ? LAKE_TREE_NAN : LAKE_TREE_NULL, LAKE_EQ, &columns[0], NULL, 0, out);
    if (prefix)
        return leaf(r, LAKE_TREE_PREFIX, LAKE_EQ, &columns[0], &right, 1, out);
    return leaf(r, LAKE_TREE_COMPARE, flip ? flipped[compare] : (lake_compare)compare, &columns[0], &right, 1, out);
}

static lake_status negated(reader *r, lake_status s, const lake_tree **out) {
    LAKE_TRY(s);
    *out = lake_tree_not(r->arena, *out);
    return *out ? LAKE_OK : lake_fail_memory(r->err);
}

/* and, or: chains of one kind become one list. */
static lake_status read_list(reader *r, const lake_json *e, lake_tree_op op, int depth, const lake_tree **out) {
    const lake_tree *sides[2], **kids = NULL;
    size_t n = 0, room = 0;
    LAKE_TRY(read_predicate(r, lake_json_find(e, "left"), depth + 1, &sides[0]));
    LAKE_TRY(read_predicate(r, lake_json_find(e, "right"), depth + 1, &sides[1]));
    for (int i = 0; i < 2; i++) {
        bool same = sides[i]->op == op;
        for (size_t k = 0; k < (same ? sides[i]->nkids : 1); k++) {
            if (!lake_tree_grow(r->arena, &kids, sizeof *kids, n, &room))
                return lake_fail_memory(r->err);
            kids[n++] = same ? sides[i]->kids[k] : sides[i];
        }
    }
    *out = lake_tree_list(r->arena, op, kids, n);
    return *out ? LAKE_OK : lake_fail_memory(r->err);
}

static lake_status read_predicate(reader *r, const lake_json *e, int depth, const lake_tree **out) {
    char type[32];
    if (depth > 2 * LAKE_TREE_MAX_DEPTH)
        return lake_fail(r->err, LAKE_ERR_USAGE, "filter: nested deeper than %d levels", 2 * LAKE_TREE_MAX_DEPTH);
    type_of(e, type);
    bool truth = lake_json_is(e, LAKE_JSON_TRUE) || strcmp(type, "true") == 0;
    if (truth || lake_json_is(e, LAKE_JSON_FALSE) || strcmp(type, "false") == 0) {
        *out = lake_tree_const(r->arena, truth ? LAKE_T : LAKE_F);
        return *out ? LAKE_OK : lake_fail_memory(r->err);
    }
    if (!lake_json_is(e, LAKE_JSON_OBJECT) || !type[0])
        return bad(r, "an expression expected", e);
    if (strcmp(type, "not") == 0)
        return negated(r, read_predicate(r, lake_json_find(e, "child"), depth + 1, out), out);
    if (strcmp(type, "and") == 0 || strcmp(type, "or") == 0)
        return read_list(r, e, type[0] == 'a' ? LAKE_TREE_AND : LAKE_TREE_OR, depth, out);
    if (strcmp(type, "not-null") == 0)
        return negated(r, read_test(r, e, "is-null", out), out);
    if (strcmp(type, "not-nan") == 0)
        return negated(r, read_test(r, e, "is-nan", out), out);
    if (strncmp(type, "not-", 4) == 0)
        return negated(r, read_test(r, e, type + 4, out), out);
    return read_test(r, e, type, out);
}

lake_status lake_tree_from_json(lake_arena *arena, const lake_json *json, const lake_tree **out, lake_error *err) {
    reader r = {arena, err};
    *out = NULL;
    const lake_tree *t;
    LAKE_TRY(read_predicate(&r, json, 0, &t));
    if (t->depth > LAKE_TREE_MAX_DEPTH)
        return lake_fail(err, LAKE_ERR_USAGE, "filter: nested deeper than %d levels", LAKE_TREE_MAX_DEPTH);
    *out = t;
    return LAKE_OK;
}
