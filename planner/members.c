/* COLUMN IN (the lines of a text): lines -> keys -> sorted, each once -> a step function. 16 bytes a value and 34 for
   its cuts; sorting is n log n whatever the input. */
#include <stdio.h>

#include "planner/column.h"
#include "planner/members.h"

enum { MOST_VALUES = 100 * 1000 * 1000 };

static size_t count_lines(lake_bytes text) {
    size_t n = 0;
    for (size_t at = 0; at < text.len; n++) {
        const uint8_t *end = memchr(text.ptr + at, '\n', text.len - at);
        at = end ? (size_t)(end - text.ptr) + 1 : text.len;
    }
    return n;
}

lake_status lake_members_tree(lake_arena *arena, const lake_plan_values *values, const lake_schema *schema,
    const lake_bind_options *options, const lake_tree **out, lake_error *err) {
    const lake_field *field;
    const lake_column_ref *column;
    char what[80];
    const char *name = values->name ? values->name : "list";
    snprintf(what, sizeof what, "values of %.60s", name);
    LAKE_TRY(lake_column_from_sql(arena, lake_str_of(values->column ? values->column : ""), what, &column, err));
    LAKE_TRY(lake_column_find(arena, column, schema, options, what, &field, err));
    size_t n = count_lines(values->lines);
    if (n > MOST_VALUES)
        return lake_fail(err, LAKE_ERR_USAGE, "%s: %zu lines are more than %d", what, n, MOST_VALUES);
    lake_tree *t = lake_tree_new(arena, LAKE_TREE_MEMBERS, -1);
    lake_literal *lines = LAKE_ARENA_NEW(arena, lake_literal);
    if (!t || !lines)
        return lake_fail_memory(err);
    *lines = (lake_literal){.kind = LAKE_LITERAL_JSON, .text = lake_text_of(values->lines), .sql = lake_str_of(name)};
    t->columns = column;
    t->ncolumns = 1;
    t->literals = lines;
    t->nliterals = 1;
    t->sql = lake_arena_printf(arena, "%.*s IN (%s: %zu values)", LAKE_ARG(column->sql), name, n);
    *out = t;
    return t->sql.ptr ? LAKE_OK : lake_fail_memory(err);
}

/* ---------------------------------------------------------------- lines */
typedef struct reader {
    lake_binder *b;
    lake_leaf *leaf;
    lake_key_kind kind;
    lake_key *keys;
    size_t n, line;
} reader;

static lake_status wrong(const reader *r, lake_str line, const char *why) {
    const lake_literal *source = r->leaf->tree->literals;
    return lake_fail(r->b->err, LAKE_ERR_USAGE, "values of %.*s: line %zu: %.*s%s", LAKE_ARG(source->sql), r->line,
        (int)(line.len > 100 ? 100 : line.len), line.ptr, why);
}

/* Plain digits, the most frequent case. */
static bool plain_integer(lake_str s, lake_i128 *out) {
    size_t i = s.len && s.ptr[0] == '-';
    int64_t v = 0;
    if (i == s.len || s.len - i > 18)
        return false;
    for (; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
        v = v * 10 + (s.ptr[i] - '0');
    }
    *out = s.ptr[0] == '-' ? -v : v;
    return true;
}

static lake_status typed(reader *r, lake_str line) {
    const lake_type *type = &r->leaf->type;
    if (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    if (!line.len && type->id != LAKE_BINARY)
        return wrong(r, LAKE_STR("it is empty"), "");
    if ((type->id == LAKE_INT || type->id == LAKE_LONG) && plain_integer(line, &r->keys[r->n].i)) {
        r->n++;
        return LAKE_OK;
    }
    lake_literal literal = {.kind = LAKE_LITERAL_JSON, .text = line, .sql = line, .offset = -1};
    lake_point point;
    lake_error why;
    lake_error_init(&why);
    if (type->id == LAKE_BOOLEAN) {
        literal.kind = LAKE_LITERAL_BOOL;
        literal.truth = lake_str_is(line, "true");
        if (!literal.truth && !lake_str_is(line, "false"))
            return wrong(r, line, " is neither true nor false");
    }
    lake_status s = lake_literal_point(r->b->arena, &literal, type, true, &point, &r->leaf->inexact, &why);
    if (s == LAKE_ERR_USAGE)
        return wrong(r, lake_str_of(why.message), "");
    if (s != LAKE_OK)
        return lake_fail(r->b->err, s, "%s", why.message);
    if (lake_end_below(r->kind, &point.at, &point.after)) /* else between two keys: no row has it */
        r->keys[r->n++] = point.at.key;
    return LAKE_OK;
}

static lake_status read_lines(reader *r) {
    lake_str text = r->leaf->tree->literals[0].text;
    if (r->leaf->type.id == LAKE_STRING && text.len) { /* keys point into it */
        text = lake_arena_str(r->b->arena, text.ptr, text.len);
        if (!text.ptr)
            return lake_fail_memory(r->b->err);
    }
    for (size_t at = 0; at < text.len;) {
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        lake_str line = {text.ptr + at, end ? (size_t)(end - text.ptr) - at : text.len - at};
        r->line++;
        at += line.len + 1;
        if (r->leaf->type.id != LAKE_STRING) {
            LAKE_TRY(typed(r, line));
            continue;
        }
        if (!lake_utf8_valid(lake_bytes_of(line)))
            return wrong(r, LAKE_STR("it is no UTF-8"), "");
        r->keys[r->n++].b = lake_bytes_of(line);
    }
    return LAKE_OK;
}

/* ---------------------------------------------------------------- sorting */
/* Merge sort; `spare` has room for as many. Returns where the result is. */
static lake_key *sort_keys(lake_key_kind kind, lake_key *from, lake_key *to, size_t n) {
    bool sorted = true;
    for (size_t i = 1; i < n && sorted; i++)
        sorted = lake_key_cmp(kind, from[i - 1], from[i]) <= 0;
    if (sorted)
        return from;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * width) {
            size_t i = begin, mid = begin + width < n ? begin + width : n, j = mid,
                   end = mid + width < n ? mid + width : n;
            for (size_t k = begin; k < end; k++)
                to[k] = j == end || (i < mid && lake_key_cmp(kind, from[i], from[j]) <= 0) ? from[i++] : from[j++];
        }
        lake_key *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

lake_status lake_members_step(lake_binder *b, lake_leaf *leaf, lake_key_kind kind, const lake_step **out) {
    size_t lines = count_lines(lake_bytes_of(leaf->tree->literals[0].text));
    reader r = {.b = b, .leaf = leaf, .kind = kind, .keys = LAKE_ARENA_ARRAY(b->arena, lake_key, lines + 1)};
    if (!r.keys)
        return lake_fail_memory(b->err);
    LAKE_TRY(read_lines(&r));
    lake_key *spare = lake_mem_alloc((r.n + 1) * sizeof *spare);
    if (!spare)
        return lake_fail_memory(b->err);
    lake_key *sorted = sort_keys(kind, r.keys, spare, r.n);
    for (size_t i = 0; i < r.n; i++)
        if (i == 0 || lake_key_cmp(kind, r.keys[leaf->nkeys - 1], sorted[i]) != 0)
            r.keys[leaf->nkeys++] = sorted[i];
    lake_mem_free(spare);
    leaf->keys = r.keys;
    leaf->shape = LAKE_SHAPE_MEMBERS;
    leaf->inside = leaf->inexact ? LAKE_T | LAKE_F : LAKE_T; /* a literal that is no float: engines differ */
    leaf->outside = leaf->nan = LAKE_F;
    *out = lake_step_keys(b->arena, kind, leaf->keys, leaf->nkeys, leaf->inside, leaf->outside, leaf->null, leaf->nan);
    return *out ? LAKE_OK : lake_fail_memory(b->err);
}

/* The first key at or above the end. */
static size_t lower(const lake_leaf *leaf, lake_key_kind kind, const lake_end *end) {
    size_t lo = 0, hi = leaf->nkeys;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        lake_end key = lake_end_key(leaf->keys[mid]);
        if (lake_end_below(kind, &key, end))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void lake_members_within(
    const lake_leaf *leaf, lake_key_kind kind, const lake_facts *facts, size_t *begin, size_t *end) {
    *begin = leaf->nkeys;
    *end = 0;
    for (int i = 0; facts->value && i < facts->nspans; i++) {
        size_t lo = lower(leaf, kind, &facts->spans[i].lo), hi = lower(leaf, kind, &facts->spans[i].hi);
        *begin = lo < *begin ? lo : *begin;
        *end = hi > *end ? hi : *end;
    }
    if (*begin > *end)
        *begin = *end;
}
