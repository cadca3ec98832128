/* A leaf's literals as points on the key line of its term: those of IN sorted, each once, without what lies between
 * keys. */
#include "planner/node.h"

static bool point_before(lake_key_kind kind, const lake_point *a, const lake_point *b) {
    return lake_end_below(kind, &a->at, &b->at);
}

/* Merge sort: stable, n log n whatever the input, memory from the arena. */
static bool sort_points(lake_arena *arena, lake_key_kind kind, lake_point **points, size_t n) {
    bool sorted = true;
    for (size_t i = 1; i < n && sorted; i++)
        sorted = !point_before(kind, &(*points)[i], &(*points)[i - 1]);
    if (sorted)
        return true;
    lake_point *from = *points, *to = LAKE_ARENA_ARRAY(arena, lake_point, n);
    if (!to)
        return false;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * width) {
            size_t i = begin, mid = begin + width < n ? begin + width : n, j = mid,
                   end = mid + width < n ? mid + width : n;
            for (size_t k = begin; k < end; k++)
                to[k] = j == end || (i < mid && !point_before(kind, &from[j], &from[i])) ? from[i++] : from[j++];
        }
        lake_point *swap = from;
        from = to;
        to = swap;
    }
    *points = from;
    return true;
}

/* year(x) = 2025 is years(x) = 55. */
static void from_calendar(lake_point *p) {
    if (p->at.at == LAKE_END_KEY)
        p->at.key.i -= 1970;
    if (p->after.at == LAKE_END_KEY)
        p->after.key.i -= 1970;
}

lake_status lake_points_make(lake_binder *b, lake_leaf *leaf, bool round_float, lake_point **out, size_t *nout) {
    const lake_tree *tree = leaf->tree;
    lake_key_kind kind = lake_type_kind(&leaf->type);
    const lake_literal *literals = tree->literals;
    size_t n = tree->nliterals;
    lake_point *points = LAKE_ARENA_ARRAY(b->arena, lake_point, n + 1);
    size_t kept = 0;
    if (!points)
        return lake_fail_memory(b->err);
    for (size_t i = 0; i < n; i++) {
        if (literals[i].kind == LAKE_LITERAL_NULL)
            continue;
        lake_str column = tree->columns[0].sql;
        LAKE_TRY_WRAP(
            lake_literal_point(b->arena, &literals[i], &leaf->type, round_float, &points[kept], &leaf->inexact, b->err),
            b->err, "%.*s", (int)(column.len > 100 ? 100 : column.len), column.ptr);
        if (tree->columns[0].calendar && !tree->columns[0].napplies)
            from_calendar(&points[kept]);
        kept++;
    }
    *out = points;
    *nout = kept;
    if (tree->op == LAKE_TREE_COMPARE)
        return LAKE_OK;
    size_t keys = 0;
    for (size_t i = 0; i < kept; i++)
        if (lake_end_below(kind, &points[i].at, &points[i].after))
            points[keys++] = points[i];
    if (!sort_points(b->arena, kind, out, keys))
        return lake_fail_memory(b->err);
    points = *out;
    *nout = 0;
    for (size_t i = 0; i < keys; i++)
        if (i == 0 || point_before(kind, &points[*nout - 1], &points[i]))
            points[(*nout)++] = points[i];
    return LAKE_OK;
}
