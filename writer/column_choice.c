/* Columns chosen by name. */
#include "writer/column_choice.h"

#include <stdlib.h>

/* The leaves that a field stands for: itself, or all below it. */
static void add_leaves(const lake_field *field, int32_t *ids, size_t *n) {
    if (!lake_type_is_nested(&field->type)) {
        ids[(*n)++] = field->id;
        return;
    }
    for (size_t i = 0; i < field->type.nfields; i++)
        add_leaves(&field->type.fields[i], ids, n);
}

static int compare_ids(const void *a, const void *b) {
    int32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

lake_status lake_column_choice(lake_arena *arena, const lake_schema *schema, const char *place,
    const char *const *names, size_t n, int32_t **out, size_t *nout, lake_error *err) {
    int32_t *ids = LAKE_ARENA_ARRAY(arena, int32_t, schema->nby_id * n);
    size_t all = 0;
    *nout = 0;
    if (!ids)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const lake_field *field;
        if (lake_schema_find_name(schema, lake_str_of(names[i]), true, &field, 1) == 0)
            return lake_fail(err, LAKE_ERR_USAGE, "%s: no column is named %s", place, names[i]);
        add_leaves(field, ids, &all);
    }
    qsort(ids, all, sizeof *ids, compare_ids);
    for (size_t i = 0; i < all; i++)
        if (i == 0 || ids[i] != ids[i - 1])
            ids[(*nout)++] = ids[i];
    *out = ids;
    return LAKE_OK;
}
