/* How many rows a wrong bound or partition value loses: the columns in question are read once more and counted. Only
   files with such findings are read twice. */
#include "writer/audit_internal.h"

lake_status audit_file_ask(audit_file *f, const audit_question *question, lake_error *err) {
    audit_question *q = LAKE_ARENA_NEW(f->arena, audit_question);
    if (!q)
        return lake_fail_memory(err);
    *q = *question;
    *f->questions_end = q;
    f->questions_end = &q->next;
    return LAKE_OK;
}

typedef struct asking {
    audit_file *f;
    lake_arena scratch;
} asking;

static lake_status matches(asking *a, const audit_question *q, lake_key value, bool *yes, lake_error *err) {
    if (q->test == AUDIT_OUTSIDE_PARTITION) {
        LAKE_TRY(audit_partition_agrees(
            (audit_partition_field *)q->partition, &a->scratch, value, yes, err)); /* notes that it wrapped */
        *yes = !*yes;
        return LAKE_OK;
    }
    lake_key_kind kind = lake_type_kind(&q->field->type);
    int c = q->total ? lake_key_cmp_total(kind, value, q->key) : lake_key_cmp(kind, value, q->key);
    *yes = q->test == AUDIT_BELOW ? c < 0 : c > 0;
    return LAKE_OK;
}

static lake_status on_values(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    asking *a = user;
    for (audit_question *q = a->f->questions; q; q = q->next) {
        if (q->field->id != field->id)
            continue;
        for (size_t i = 0; i < n; i++) {
            bool yes = false;
            if (present[i] == 1)
                LAKE_TRY(matches(a, q, keys[i], &yes, err));
            q->rows += yes;
        }
    }
    return LAKE_OK;
}

static lake_status scan(audit_file *f, const int32_t *ids, size_t n, lake_error *err) {
    asking a = {.f = f};
    lake_arena arena;
    lake_file_stats stats;
    lake_file_stats_options o = {.column_ids = ids,
        .ncolumn_ids = n,
        .threads = 1,
        .on_values = on_values,
        .on_values_user = &a,
        .on_values_ids = ids,
        .non_values_ids = n};
    lake_arena_init(&arena, 0);
    lake_arena_init(&a.scratch, 0);
    lake_status status = lake_exact_read(&f->a->exact, f->entry, &o, &arena, &stats, err);
    lake_arena_clear(&a.scratch);
    lake_arena_clear(&arena);
    return status;
}

lake_status audit_lost(audit_file *f, lake_error *err) {
    size_t n = 0;
    lake_error why;
    if (!f->questions)
        return LAKE_OK;
    for (const audit_question *q = f->questions; q; q = q->next)
        n++;
    int32_t *ids = LAKE_ARENA_ARRAY(f->arena, int32_t, n);
    if (!ids)
        return lake_fail_memory(err);
    n = 0;
    for (const audit_question *q = f->questions; q; q = q->next)
        ids[n++] = q->field->id;
    lake_error_init(&why);
    lake_status status = scan(f, ids, n, &why);
    if (status == LAKE_ERR_UNSUPPORTED || status == LAKE_ERR_MALFORMED)
        return LAKE_OK; /* values that cannot be handed out: some rows are lost, not counted */
    if (status != LAKE_OK) {
        if (err)
            *err = why;
        return status;
    }
    for (const audit_question *q = f->questions; q; q = q->next) {
        q->draft->f.lost_rows = q->rows;
        if (q->rows == 0)
            q->draft->f.rank = 2;
        if (q->partition && q->partition->wrapped && !q->draft->f.effect.ptr)
            q->draft->f.effect = LAKE_STR("the writer's arithmetic wrapped: lost by engines that do not expect it");
    }
    return LAKE_OK;
}
