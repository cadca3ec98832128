/* What stands around a column in a leaf: as maps, and pulled onto the column. */
#include "planner/node.h"

lake_status lake_curves_make(
    lake_binder *b, const lake_column_ref *ref, lake_type *type, lake_curve **maps, size_t *nmaps, lake_str *reason) {
    static const lake_apply since_1970 = {
        .op = LAKE_APPLY_ADD, .literal = {.kind = LAKE_LITERAL_NUMBER, .text = {"1970", 4}}};
    lake_curve *all = LAKE_ARENA_ARRAY(b->arena, lake_curve, ref->napplies + 1);
    size_t n = 0;
    if (!all)
        return lake_fail_memory(b->err);
    if (ref->calendar) {
        LAKE_TRY(lake_curve_make(b->arena, &since_1970, type, &all[n], reason, b->err));
        *type = all[n++].to;
    }
    for (size_t i = 0; i < ref->napplies && !reason->ptr; i++) {
        const lake_apply *a = &ref->applies[i];
        if (a->op == LAKE_APPLY_CAST && a->type.id == LAKE_STRING && type->id == LAKE_STRING)
            continue;
        LAKE_TRY(lake_curve_make(b->arena, a, type, &all[n], reason, b->err));
        if (!reason->ptr)
            *type = all[n++].to;
    }
    *maps = all;
    *nmaps = n;
    return LAKE_OK;
}

lake_status lake_curves_pull(
    lake_binder *b, const lake_curve *maps, size_t nmaps, const lake_step **step, lake_str *reason) {
    while (nmaps-- && *step) {
        const lake_curve *m = &maps[nmaps];
        *step = m->op == LAKE_CURVE_PART ? lake_curve_pull_part(b->arena, m, *step, &b->calendar_cuts, reason)
            : m->op == LAKE_CURVE_ABS    ? lake_curve_pull_abs(b->arena, m, *step)
            : m->op >= LAKE_CURVE_CASE   ? lake_curve_pull_text(b->arena, m, *step)
            : m->op == LAKE_CURVE_MONTHS && m->doubtful ? lake_curve_pull_months(b->arena, m, *step)
                                                        : lake_curve_pull(b->arena, m, *step);
        if (!*step && !reason->ptr)
            return lake_fail_memory(b->err);
    }
    return LAKE_OK;
}
