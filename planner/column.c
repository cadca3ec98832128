/* A column that is named alone, read by the SQL parser as the left side of a test. */
#include "planner/column.h"

lake_status lake_column_from_sql(
    lake_arena *arena, lake_str text, const char *what, const lake_column_ref **out, lake_error *err) {
    const lake_tree *tree = NULL;
    lake_error why;
    lake_error_init(&why);
    lake_str test = lake_arena_printf(arena, "%.*s IS NULL", LAKE_ARG(text));
    if (!test.ptr)
        return lake_fail_memory(err);
    lake_status s = lake_tree_from_sql(arena, test, &tree, &why);
    if (s != LAKE_OK && s != LAKE_ERR_USAGE)
        return lake_fail(err, s, "%s", why.message);
    if (!text.len)
        text = LAKE_STR("an empty text");
    if (s != LAKE_OK || tree->op != LAKE_TREE_NULL || tree->ncolumns != 1 || tree->columns[0].napplies)
        return lake_fail(err, LAKE_ERR_USAGE, "%s: %.*s is no name of a column", what,
            (int)(text.len > 200 ? 200 : text.len), text.ptr);
    *out = &tree->columns[0];
    return LAKE_OK;
}

lake_status lake_column_find(lake_arena *arena, const lake_column_ref *ref, const lake_schema *schema,
    const lake_bind_options *options, const char *what, const lake_field **out, lake_error *err) {
    lake_error why;
    lake_error_init(&why);
    lake_binder binder = {.arena = arena, .schema = schema, .options = options, .err = &why};
    lake_column_ref alone = *ref;
    alone.offset = -1; /* no part of a predicate, where it might have been meant as text */
    lake_status s = lake_resolve(&binder, &alone, out);
    return s == LAKE_OK ? LAKE_OK : lake_fail(err, s, "%s: %s", what, why.message);
}
