/* Partition summaries of a manifest's line against the tuples in it (spec.md, "field_summary"). Each live tuple is held
   against what the line says; the exact summary over all entries tells what is wider than it must be. */
#include <stdio.h>

#include "manifest/layout.h"
#include "manifest/summary.h"
#include "writer/audit_internal.h"

typedef struct tally {
    int64_t files, rows;
} tally;

typedef struct summary_field {
    const lake_partition_field *field;
    const lake_field *source; /* NULL: gone, no predicate can be told */
    const lake_field_summary *said;
    lake_type type;
    lake_key_kind kind;
    lake_bound_state lower_state, upper_state;
    lake_key lower, upper;
    bool says_no_value; /* no bounds, but nulls or NaNs: what engines take for "no value" */
    tally nulls, nans, below, above, values; /* members that the line excludes */
    lake_summary exact;
} summary_field;

struct audit_summaries {
    lake_arena *arena, scratch;
    summary_field *fields;
    size_t n;
    bool compared; /* false: the line has none, or another number of them */
    bool live; /* any live entry yet */
};

static void init_field(audit *a, summary_field *f, const lake_partition_field *field, const lake_field_summary *said) {
    f->field = field;
    f->said = said;
    f->source = field->nsource_ids == 1 ? audit_any_field(a, field->source_ids[0]) : NULL;
    if (f->source)
        f->type = lake_transform_result(&field->transform, &f->source->type);
    else
        f->type = lake_layout_partition_type(a->schema, field);
    if (field->transform.id == LAKE_TRANSFORM_UNKNOWN)
        f->type = (lake_type){.id = LAKE_UNKNOWN};
    f->kind = lake_type_kind(&f->type);
    lake_summary_init(&f->exact, f->kind);
    if (!said)
        return;
    f->lower_state = said->lower.ptr ? lake_value_from_binary(&f->type, said->lower, &f->lower) : LAKE_BOUND_NONE;
    f->upper_state = said->upper.ptr ? lake_value_from_binary(&f->type, said->upper, &f->upper) : LAKE_BOUND_NONE;
    f->says_no_value = !said->lower.ptr && !said->upper.ptr && (said->contains_null || said->contains_nan > 0);
}

lake_status audit_summaries_new(audit *a, lake_arena *arena, const lake_manifest_file *line, const lake_spec *spec,
    audit_summaries **out, lake_error *err) {
    audit_summaries *s = LAKE_ARENA_NEW(arena, audit_summaries);
    if (!s)
        return lake_fail_memory(err);
    s->arena = arena;
    s->fields = LAKE_ARENA_ARRAY(arena, summary_field, spec->nfields);
    if (!s->fields)
        return lake_fail_memory(err);
    lake_arena_init(&s->scratch, 0);
    s->compared = (line->has & LAKE_HAS_PARTITIONS) && line->npartitions == spec->nfields;
    s->n = spec->nfields;
    for (size_t i = 0; i < s->n; i++)
        init_field(a, &s->fields[i], &spec->fields[i], s->compared ? &line->partitions[i] : NULL);
    *out = s;
    return LAKE_OK;
}

void audit_summaries_clear(audit_summaries *s) {
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        lake_summary_clear(&s->fields[i].exact);
    lake_arena_clear(&s->scratch);
}

static void count(tally *t, const lake_entry *e) {
    t->files++;
    t->rows = lake_total_add(t->rows, e->record_count);
}

static void hold_against(summary_field *f, const lake_entry *e, lake_bound_state state, lake_key key) {
    if (state == LAKE_BOUND_NONE) {
        if (!f->said->contains_null)
            count(&f->nulls, e);
    } else if (state == LAKE_BOUND_NAN) {
        if (f->said->contains_nan == 0)
            count(&f->nans, e);
    } else if (f->says_no_value) {
        count(&f->values, e);
    } else {
        if (f->lower_state == LAKE_BOUND_KEY && lake_key_cmp_total(f->kind, f->lower, key) > 0)
            count(&f->below, e);
        if (f->upper_state == LAKE_BOUND_KEY && lake_key_cmp_total(f->kind, f->upper, key) < 0)
            count(&f->above, e);
    }
}

lake_status audit_summaries_add(audit_summaries *s, const lake_entry *e, lake_error *err) {
    (void)err;
    bool live = e->status != LAKE_ENTRY_DELETED;
    lake_arena_reset(&s->scratch);
    s->live |= live;
    for (size_t i = 0; s->compared && i < s->n && i < e->npartition; i++) {
        summary_field *f = &s->fields[i];
        lake_key key;
        if (f->kind == LAKE_KEY_NONE)
            continue;
        lake_bound_state state = lake_value_from_datum(&s->scratch, &f->type, e->partition[i], &key);
        if (state == LAKE_BOUND_NONE && e->partition[i].kind != LAKE_DATUM_NULL)
            continue; /* does not fit its type: said when the file is looked at */
        lake_summary_add(&f->exact, state, key);
        if (live)
            hold_against(f, e, state, key);
    }
    return LAKE_OK;
}

/* ---- words */

typedef struct telling {
    audit *a;
    audit_summaries *s;
    audit_place *place;
    summary_field *f;
    lake_buffer sql;
} telling;

static lake_status value_text(
    telling *t, lake_bound_state state, lake_key key, bool there, lake_str *out, lake_error *err) {
    lake_buffer text;
    lake_buffer_init(&text);
    if (there)
        audit_print_value(&text, &t->f->type, state, key);
    else
        lake_buffer_puts(&text, "none");
    lake_status status = lake_buffer_check(&text, err);
    if (status == LAKE_OK)
        status = audit_text(t->s->arena, out, err, "%.*s", LAKE_ARG(lake_buffer_view(&text)));
    lake_buffer_clear(&text);
    return status;
}

static lake_status draft(telling *t, lake_audit_verdict verdict, const char *kind, audit_draft **out, lake_error *err) {
    audit_draft *d = audit_draft_new(t->s->arena, t->place, verdict, kind);
    *out = d;
    if (!d)
        return lake_fail_memory(err);
    d->f.field_id = t->f->field->id;
    d->f.column = t->f->field->name;
    return LAKE_OK;
}

/* "c < 5", "months(ts) > 660", "c IS NULL", "c IS NAN", "c IS NOT NULL" */
static void make_sql(telling *t, const char *op, const lake_key *key) {
    lake_buffer_reset(&t->sql);
    const lake_transform *tr = &t->f->field->transform;
    if (!t->f->source || tr->id == LAKE_TRANSFORM_VOID)
        return;
    audit_sql_term(&t->sql, key ? tr : NULL, t->f->source);
    lake_buffer_puts(&t->sql, op);
    if (key && !audit_sql_literal(&t->sql, &t->f->type, *key))
        lake_buffer_reset(&t->sql);
}

static lake_status tell_lost(telling *t, audit_draft *d, tally lost, bool zeros, lake_error *err) {
    LAKE_TRY(audit_text(t->s->arena, &d->f.effect, err, "%lld file%s of the manifest %s pruned with it%s",
        (long long)lost.files, lost.files == 1 ? "" : "s", lost.files == 1 ? "is" : "are",
        zeros ? " by engines that put -0.0 before 0.0" : ""));
    LAKE_TRY(audit_draft_lost(t->s->arena, d, &t->sql, lost.rows, err));
    return audit_emit(t->a, d, err);
}

static lake_status tell_flag(
    telling *t, const char *kind, const char *what, tally lost, const char *op, lake_error *err) {
    audit_draft *d;
    if (!lost.files)
        return LAKE_OK;
    LAKE_TRY(draft(t, LAKE_AUDIT_WRONG, kind, &d, err));
    LAKE_TRY(audit_text(t->s->arena, &d->f.recorded, err, "no %s", what));
    LAKE_TRY(audit_text(
        t->s->arena, &d->f.found, err, "%s in %lld file%s", what, (long long)lost.files, lost.files == 1 ? "" : "s"));
    make_sql(t, op, NULL);
    return tell_lost(t, d, lost, false, err);
}

static lake_status tell_bound(telling *t, const char *kind, bool upper, tally lost, lake_error *err) {
    summary_field *f = t->f;
    audit_draft *d;
    if (!lost.files)
        return LAKE_OK;
    LAKE_TRY(draft(t, LAKE_AUDIT_WRONG, kind, &d, err));
    lake_key said = upper ? f->upper : f->lower, exact = upper ? f->exact.upper : f->exact.lower;
    LAKE_TRY(value_text(t, LAKE_BOUND_KEY, said, true, &d->f.recorded, err));
    LAKE_TRY(value_text(t, LAKE_BOUND_KEY, exact, true, &d->f.found, err));
    d->f.recorded_bytes = upper ? f->said->upper : f->said->lower;
    bool zeros = lake_key_cmp(f->kind, said, exact) == 0; /* they differ in the sign of zero only */
    make_sql(t, upper ? (zeros ? " >= " : " > ") : zeros ? " <= " : " < ", zeros ? &exact : &said);
    return tell_lost(t, d, lost, zeros, err);
}

static lake_status tell_loose(telling *t, lake_error *err) {
    summary_field *f = t->f;
    audit_draft *d;
    bool null = f->said->contains_null && !f->exact.has_null, nan = f->said->contains_nan > 0 && !f->exact.has_nan;
    bool lower =
        f->exact.has_value && f->lower_state == LAKE_BOUND_KEY && lake_key_cmp(f->kind, f->lower, f->exact.lower) < 0;
    bool upper =
        f->exact.has_value && f->upper_state == LAKE_BOUND_KEY && lake_key_cmp(f->kind, f->upper, f->exact.upper) > 0;
    if (lower || upper) {
        LAKE_TRY(draft(t, LAKE_AUDIT_LOOSE, lower ? "summary-lower" : "summary-upper", &d, err));
        LAKE_TRY(value_text(t, LAKE_BOUND_KEY, lower ? f->lower : f->upper, true, &d->f.recorded, err));
        LAKE_TRY(value_text(t, LAKE_BOUND_KEY, lower ? f->exact.lower : f->exact.upper, true, &d->f.found, err));
        LAKE_TRY(audit_emit(t->a, d, err));
    }
    if (!null && !nan)
        return LAKE_OK;
    LAKE_TRY(draft(t, LAKE_AUDIT_LOOSE, null ? "summary-null" : "summary-nan", &d, err));
    d->f.recorded = null ? LAKE_STR("nulls") : LAKE_STR("NaN");
    d->f.found = LAKE_STR("none");
    return audit_emit(t->a, d, err);
}

static lake_status tell_odd(telling *t, lake_error *err) {
    summary_field *f = t->f;
    const struct {
        lake_bytes bytes;
        lake_bound_state state;
        const char *kind;
    } sides[] = {{f->said->lower, f->lower_state, "summary-lower"}, {f->said->upper, f->upper_state, "summary-upper"}};
    for (size_t i = 0; i < 2; i++) {
        audit_draft *d;
        if (!sides[i].bytes.ptr || sides[i].state == LAKE_BOUND_KEY)
            continue;
        bool nan = sides[i].state == LAKE_BOUND_NAN;
        LAKE_TRY(draft(t, LAKE_AUDIT_WRONG, sides[i].kind, &d, err));
        LAKE_TRY(audit_text(t->s->arena, &d->f.recorded, err, nan ? "NaN" : "%zu bytes that are no value of its type",
            sides[i].bytes.len));
        d->f.recorded_bytes = sides[i].bytes;
        d->f.effect = nan ? LAKE_STR("NaN is not permitted as a bound: engines that compare with it skip the manifest")
                          : LAKE_STR("readers disagree about what it means");
        LAKE_TRY(audit_emit(t->a, d, err));
    }
    return LAKE_OK;
}

static lake_status tell_field(telling *t, lake_error *err) {
    summary_field *f = t->f;
    LAKE_TRY(tell_flag(t, "summary-null", "nulls", f->nulls, " IS NULL", err));
    LAKE_TRY(tell_flag(t, "summary-nan", "NaN", f->nans, " IS NAN", err));
    LAKE_TRY(tell_flag(t, "summary-values", "values", f->values, " IS NOT NULL", err));
    LAKE_TRY(tell_bound(t, "summary-lower", false, f->below, err));
    LAKE_TRY(tell_bound(t, "summary-upper", true, f->above, err));
    LAKE_TRY(tell_odd(t, err));
    return tell_loose(t, err);
}

lake_status audit_summaries_finish(audit *a, audit_summaries *s, audit_place *place, lake_error *err) {
    telling t = {.a = a, .s = s, .place = place};
    lake_status status = LAKE_OK;
    lake_buffer_init(&t.sql);
    for (size_t i = 0; status == LAKE_OK && s->compared && s->live && i < s->n; i++) {
        t.f = &s->fields[i];
        if (t.f->kind != LAKE_KEY_NONE)
            status = tell_field(&t, err);
    }
    lake_buffer_clear(&t.sql);
    return status;
}
