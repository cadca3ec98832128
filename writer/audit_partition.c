/* The partition tuple of a file against the transform of every row (spec.md, "Partition Transforms"). Monotone
   transforms need the smallest and the largest value only; for others every value is looked at while the file is read.
   Which rows differ is counted in a second scan, if any do. */
#include "writer/audit_internal.h"

/* ---- preparing */

static void init_field(audit_file *f, const lake_partition_field *field, lake_datum datum, audit_partition_field *out) {
    const lake_schema *schema = lake_exact_config(&f->a->exact, LAKE_CONTENT_DATA)->schema;
    const lake_field *source = field->nsource_ids == 1 ? lake_schema_field(schema, field->source_ids[0]) : NULL;
    const lake_transform *t = &field->transform;
    *out = (audit_partition_field){.field = field};
    if (!source || source->inside_list || t->id == LAKE_TRANSFORM_VOID || t->id == LAKE_TRANSFORM_UNKNOWN ||
        !lake_transform_accepts(t, &source->type))
        return;
    out->source = source;
    out->type = lake_transform_result(t, &source->type);
    out->state = lake_value_from_datum(f->arena, &out->type, datum, &out->key);
    if (out->state == LAKE_BOUND_NONE && datum.kind != LAKE_DATUM_NULL)
        out->source = NULL; /* told apart by the caller */
    out->watched = out->source && out->state == LAKE_BOUND_KEY && !lake_transform_is_monotone(t, &source->type);
    if (t->id == LAKE_TRANSFORM_TRUNCATE || t->id == LAKE_TRANSFORM_HOUR)
        out->nwraps = lake_transform_wraps(t, &source->type, source->type.id == LAKE_LONG, out->wraps);
}

static lake_status misfit(audit_file *f, const audit_partition_field *p, lake_error *err) {
    audit_draft *d;
    LAKE_TRY(audit_file_draft(f, LAKE_AUDIT_WRONG, "partition-value", NULL, &d, err));
    d->f.field_id = p->field->id;
    d->f.column = p->field->name;
    d->f.recorded = LAKE_STR("a value of another type");
    d->f.effect = LAKE_STR("readers fail, or read something else");
    return LAKE_OK;
}

static void note_id(int32_t *ids, size_t *n, int32_t id) {
    for (size_t i = 0; i < *n; i++)
        if (ids[i] == id)
            return;
    ids[(*n)++] = id;
}

lake_status audit_partition_init(audit_file *f, audit_partition *p, lake_error *err) {
    const lake_entry *e = f->entry;
    if (!f->spec || e->content == LAKE_CONTENT_POSITION_DELETES)
        return LAKE_OK;
    size_t n = f->spec->nfields < e->npartition ? f->spec->nfields : e->npartition;
    p->fields = LAKE_ARENA_ARRAY(f->arena, audit_partition_field, n + 1);
    p->watched = LAKE_ARENA_ARRAY(f->arena, int32_t, n + 1);
    p->sources = LAKE_ARENA_ARRAY(f->arena, int32_t, n + 1);
    if (!p->fields || !p->watched || !p->sources)
        return lake_fail_memory(err);
    p->n = n;
    for (size_t i = 0; i < n; i++) {
        audit_partition_field *pf = &p->fields[i];
        init_field(f, &f->spec->fields[i], e->partition[i], pf);
        if (!pf->source && lake_type_kind(&pf->type) != LAKE_KEY_NONE && e->partition[i].kind != LAKE_DATUM_NULL)
            LAKE_TRY(misfit(f, pf, err));
        if (!pf->source)
            continue;
        note_id(p->sources, &p->nsources, pf->source->id);
        if (pf->watched)
            note_id(p->watched, &p->nwatched, pf->source->id);
    }
    return LAKE_OK;
}

/* ---- values */

lake_status audit_partition_agrees(
    audit_partition_field *p, lake_arena *scratch, lake_key value, bool *agrees, lake_error *err) {
    const lake_transform *t = &p->field->transform;
    lake_key_kind kind = lake_type_kind(&p->type);
    *agrees = false;
    if (p->state != LAKE_BOUND_KEY)
        return LAKE_OK;
    if (t->id == LAKE_TRANSFORM_BUCKET) {
        *agrees = lake_transform_bucket(&p->source->type, t->n, value) == p->key.i;
        return LAKE_OK;
    }
    lake_bound_state state;
    lake_key result;
    lake_arena_reset(scratch);
    lake_status status = lake_transform_apply(scratch, t, &p->source->type, value, &state, &result, err);
    if (status == LAKE_OK)
        *agrees = state == LAKE_BOUND_KEY && lake_key_cmp(kind, result, p->key) == 0;
    else if (status != LAKE_ERR_MALFORMED)
        return status;
    for (size_t i = 0; !*agrees && i < p->nwraps; i++)
        if (value.i >= p->wraps[i].lo && value.i < p->wraps[i].hi && p->wraps[i].result == p->key.i)
            p->wrapped = true;
    return LAKE_OK;
}

lake_status audit_partition_values(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    audit_partition *p = user;
    for (size_t i = 0; i < p->n; i++) {
        audit_partition_field *pf = &p->fields[i];
        if (!pf->watched || pf->source->id != field->id)
            continue;
        for (size_t k = 0; k < n; k++) {
            bool agrees;
            if (present[k] != 1)
                continue;
            LAKE_TRY(audit_partition_agrees(pf, &p->scratch, keys[k], &agrees, err));
            pf->outside += !agrees;
        }
    }
    return LAKE_OK;
}

/* ---- judging */

static lake_status result_text(audit_file *f, const audit_partition_field *p, lake_bound_state state, lake_key key,
    lake_str *out, lake_error *err) {
    lake_buffer text;
    lake_buffer_init(&text);
    if (state == LAKE_BOUND_KEY)
        lake_transform_print(&text, &p->field->transform, &p->source->type, key);
    else
        lake_buffer_puts(&text, state == LAKE_BOUND_NAN ? "NaN" : "null");
    lake_status status = lake_buffer_check(&text, err);
    if (status == LAKE_OK)
        status = audit_text(f->arena, out, err, "%.*s", LAKE_ARG(lake_buffer_view(&text)));
    lake_buffer_clear(&text);
    return status;
}

/* What the smallest or largest value gives, for people. */
static lake_status found_text(audit_file *f, audit_partition *p, const audit_partition_field *pf,
    const lake_column_stats *s, lake_str *out, lake_error *err) {
    lake_str low = LAKE_STR("another value"), high = {0};
    lake_bound_state state;
    lake_key key;
    if (s->nulls == s->values) {
        *out = LAKE_STR("null");
        return LAKE_OK;
    }
    for (int i = 0; i < 2; i++) {
        if (!s->has_min || !s->has_max)
            break;
        lake_arena_reset(&p->scratch);
        lake_status status = lake_transform_apply(
            &p->scratch, &pf->field->transform, &pf->source->type, i ? s->max : s->min, &state, &key, NULL);
        if (status == LAKE_ERR_NO_MEMORY)
            return lake_fail_memory(err);
        if (status != LAKE_OK)
            continue;
        LAKE_TRY(result_text(f, pf, state, key, i ? &high : &low, err));
    }
    bool range = high.ptr && !lake_str_eq(low, high) && !pf->watched;
    bool vague = pf->watched && !lake_str_eq(low, high);
    return audit_text(f->arena, out, err, "%.*s%s%.*s%s%s", LAKE_ARG(low), range ? " … " : "",
        range ? (int)high.len : 0, range ? high.ptr : "", vague ? " and others" : "", s->nulls > 0 ? ", null" : "");
}

static lake_status predicate(audit_file *f, const audit_partition_field *p, lake_buffer *sql, lake_error *err) {
    lake_buffer_reset(sql);
    if (p->state == LAKE_BOUND_NONE) {
        audit_sql_name(sql, p->source);
        lake_buffer_puts(sql, " IS NOT NULL");
    } else if (p->state == LAKE_BOUND_NAN) {
        audit_sql_name(sql, p->source);
        lake_buffer_puts(sql, " IS NOT NAN");
    } else {
        audit_sql_term(sql, &p->field->transform, p->source);
        lake_buffer_puts(sql, " IS DISTINCT FROM ");
        if (!audit_sql_literal(sql, &p->type, p->key))
            lake_buffer_reset(sql);
    }
    (void)f;
    return lake_buffer_check(sql, err);
}

/* rows: those that differ, -1 if only a scan can tell. */
static lake_status tell(audit_file *f, audit_partition *p, audit_partition_field *pf, const lake_column_stats *s,
    int64_t sure, int64_t rows, lake_error *err) {
    audit_draft *d;
    lake_buffer sql;
    LAKE_TRY(audit_file_draft(f, LAKE_AUDIT_WRONG, "partition-value", NULL, &d, err));
    d->f.field_id = pf->field->id;
    d->f.column = pf->field->name;
    LAKE_TRY(result_text(f, pf, pf->state, pf->key, &d->f.recorded, err));
    LAKE_TRY(found_text(f, p, pf, s, &d->f.found, err));
    if (pf->wrapped)
        d->f.effect = LAKE_STR("the writer's arithmetic wrapped: lost by engines that do not expect it");
    if (f->entry->content != LAKE_CONTENT_DATA) {
        d->f.rank = 1;
        d->f.effect = LAKE_STR("the delete file is left out: deleted rows come back");
        return LAKE_OK;
    }
    lake_buffer_init(&sql);
    lake_status status = predicate(f, pf, &sql, err);
    if (status == LAKE_OK)
        status = audit_draft_lost(f->arena, d, &sql, rows < 0 ? -1 : rows, err);
    lake_buffer_clear(&sql);
    if (status != LAKE_OK || rows >= 0 || f->stats.from_footer)
        return status;
    const audit_question q = {
        .test = AUDIT_OUTSIDE_PARTITION, .field = pf->source, .partition = pf, .rows = sure, .draft = d};
    return audit_file_ask(f, &q, err);
}

/* Only nulls and NaNs differ, or all values do, or the smallest or largest. */
static lake_status judge_field(
    audit_file *f, audit_partition *p, audit_partition_field *pf, const lake_column_stats *s, lake_error *err) {
    bool low = true, high = true;
    int64_t nans = s->nans > 0 ? s->nans : 0;
    if (s->values < 0 || s->nulls < 0)
        return LAKE_OK; /* a footer that does not tell */
    int64_t values = s->values - s->nulls - nans;
    if (pf->state == LAKE_BOUND_NONE)
        return s->values == s->nulls ? LAKE_OK : tell(f, p, pf, s, 0, s->values - s->nulls, err);
    int64_t sure = s->nulls + (pf->state == LAKE_BOUND_KEY ? nans : values);
    if (pf->state == LAKE_BOUND_NAN || values <= 0)
        return sure ? tell(f, p, pf, s, 0, sure, err) : LAKE_OK;
    if (pf->watched) {
        int64_t rows = f->stats.from_footer ? 0 : sure + pf->outside; /* values are not handed out */
        return rows ? tell(f, p, pf, s, 0, rows, err) : LAKE_OK;
    }
    if (s->has_min && s->has_max && !s->min_loose && !s->max_loose) {
        LAKE_TRY(audit_partition_agrees(pf, &p->scratch, s->min, &low, err));
        LAKE_TRY(audit_partition_agrees(pf, &p->scratch, s->max, &high, err));
    }
    if (low && high)
        return sure ? tell(f, p, pf, s, 0, sure, err) : LAKE_OK;
    return tell(f, p, pf, s, sure, -1, err);
}

lake_status audit_partition_judge(audit_file *f, audit_partition *p, lake_error *err) {
    for (size_t i = 0; i < p->n; i++) {
        audit_partition_field *pf = &p->fields[i];
        lake_column_stats absent;
        if (!pf->source || f->stats.record_count == 0)
            continue;
        const lake_column_stats *s = lake_file_stats_column(&f->stats, pf->source->id);
        if (!s && f->entry->content == LAKE_CONTENT_DATA && audit_absent_column(f, pf->source, &absent)) {
            s = &absent;
            pf->watched = false;
        }
        if (s && (s->has_min || s->nulls == s->values || s->nans > 0))
            LAKE_TRY(judge_field(f, p, pf, s, err));
    }
    return LAKE_OK;
}
