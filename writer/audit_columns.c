/* Recorded bounds and counts of a file's columns against what is in it (spec.md, "Data File Fields"). A bound that
   excludes a value is wrong; one that lies further out than shortening explains is loose; one that the table's metrics
   modes ask for and that is not there is missing. */
#include <stdio.h>
#include <strings.h>

#include "format/bounds.h"
#include "writer/audit_internal.h"

typedef struct column {
    audit_file *f;
    const lake_field *field;
    lake_key_kind kind;
    const lake_column_metrics *m; /* recorded; all absent if there are none */
    const lake_column_stats *s; /* found */
    bool absent; /* the file lacks the column */
    lake_metrics_mode mode;
    lake_bound_state lower_state, upper_state;
    lake_key lower, upper;
    lake_buffer sql, text;
    const char *lacking[6];
    size_t nlacking;
} column;

/* ---- words */

static lake_status value_text(column *c, lake_key key, lake_str *out, lake_error *err) {
    lake_buffer_reset(&c->text);
    audit_print_value(&c->text, &c->field->type, LAKE_BOUND_KEY, key);
    LAKE_TRY(lake_buffer_check(&c->text, err));
    *out = lake_arena_str(c->f->arena, lake_buffer_view(&c->text).ptr, c->text.len);
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

static lake_status draft(column *c, lake_audit_verdict verdict, const char *kind, audit_draft **out, lake_error *err) {
    return audit_file_draft(c->f, verdict, kind, c->field, out, err);
}

/* "c < 5"; the buffer stays empty where there is no such SQL. */
static void sql_compare(column *c, const char *op, lake_key key) {
    lake_buffer_reset(&c->sql);
    audit_sql_name(&c->sql, c->field);
    lake_buffer_puts(&c->sql, op);
    if (!audit_sql_literal(&c->sql, &c->field->type, key))
        lake_buffer_reset(&c->sql);
}

static void sql_test(column *c, const char *test) {
    lake_buffer_reset(&c->sql);
    audit_sql_name(&c->sql, c->field);
    lake_buffer_puts(&c->sql, test);
}

static bool is_data(const column *c) {
    return c->f->entry->content == LAKE_CONTENT_DATA;
}

/* Rows that a query with c->sql loses; for delete files the rows that they delete come back. */
static lake_status lost(column *c, audit_draft *d, int64_t rows, lake_error *err) {
    if (rows && !is_data(c)) {
        d->f.rank = 1;
        d->f.effect = LAKE_STR("the delete file is left out: deleted rows come back");
        rows = 0;
    }
    return audit_draft_lost(c->f->arena, d, &c->sql, rows, err);
}

/* Values that are neither null nor NaN; -1: unknown. */
static int64_t plain_values(const column *c) {
    const lake_column_stats *s = c->s;
    if (s->values < 0 || s->nulls < 0 || (c->kind == LAKE_KEY_FLOAT && s->nans < 0))
        return -1;
    return s->values - s->nulls - (s->nans > 0 ? s->nans : 0);
}

/* ---- bounds */

static lake_bytes found_bytes(column *c, lake_key key) {
    uint8_t scratch[16];
    lake_bytes b = lake_value_to_binary(&c->field->type, key, scratch);
    return lake_arena_bytes(c->f->arena, b.ptr, b.len);
}

static lake_status wrong_bound(column *c, bool upper, lake_error *err) {
    lake_key said = upper ? c->upper : c->lower, exact = upper ? c->s->max : c->s->min;
    bool zeros = lake_key_cmp(c->kind, said, exact) == 0; /* they differ in the sign of zero only */
    audit_draft *d;
    LAKE_TRY(draft(c, LAKE_AUDIT_WRONG, upper ? "upper-bound" : "lower-bound", &d, err));
    LAKE_TRY(value_text(c, said, &d->f.recorded, err));
    LAKE_TRY(value_text(c, exact, &d->f.found, err));
    d->f.recorded_bytes = upper ? c->m->upper : c->m->lower;
    d->f.found_bytes = found_bytes(c, exact);
    if (zeros)
        d->f.effect = LAKE_STR("lost by engines that put -0.0 before 0.0");
    if (c->field->inside_list) {
        d->f.effect = LAKE_STR("inside a list or map: no engine prunes by it");
        return LAKE_OK;
    }
    sql_compare(c, upper ? (zeros ? " >= " : " > ") : zeros ? " <= " : " < ", zeros ? exact : said);
    LAKE_TRY(lost(c, d, -1, err));
    if (!is_data(c) || c->f->stats.from_footer)
        return LAKE_OK;
    const audit_question q = {
        .test = upper ? AUDIT_ABOVE : AUDIT_BELOW, .field = c->field, .total = zeros, .key = said, .draft = d};
    if (!c->absent)
        return audit_file_ask(c->f, &q, err);
    d->f.lost_rows = c->f->stats.record_count;
    return LAKE_OK;
}

/* Is `said` a head of the value, or such a head with its end incremented? By code points, or by bytes. */
static lake_status explained(column *c, bool upper, bool *yes, lake_error *err) {
    const lake_type *t = &c->field->type, bytes = {.id = LAKE_BINARY};
    lake_key said = upper ? c->upper : c->lower, exact = upper ? c->s->max : c->s->min;
    *yes = false;
    if (t->id != LAKE_STRING && t->id != LAKE_BINARY && t->id != LAKE_FIXED)
        return LAKE_OK;
    if (!upper) {
        *yes = said.b.len > 0 && said.b.len <= exact.b.len && memcmp(said.b.ptr, exact.b.ptr, said.b.len) == 0;
        return LAKE_OK;
    }
    if (!said.b.len)
        return LAKE_OK;
    for (int by_bytes = 0; by_bytes < 2 && !*yes; by_bytes++) {
        const lake_type *as = by_bytes || t->id == LAKE_FIXED ? &bytes : t;
        size_t n = as->id == LAKE_STRING ? lake_utf8_count(said.b) : said.b.len;
        lake_bytes cut;
        LAKE_TRY(lake_bound_cut_upper(c->f->arena, as, exact.b, n, &cut, err));
        *yes = cut.ptr && lake_bytes_cmp(cut, said.b) == 0;
    }
    return LAKE_OK;
}

static lake_status loose_bound(column *c, bool upper, lake_error *err) {
    bool yes;
    audit_draft *d;
    LAKE_TRY(explained(c, upper, &yes, err));
    if (yes || (upper ? c->s->max_loose : c->s->min_loose))
        return LAKE_OK;
    LAKE_TRY(draft(c, LAKE_AUDIT_LOOSE, upper ? "upper-bound" : "lower-bound", &d, err));
    LAKE_TRY(value_text(c, upper ? c->upper : c->lower, &d->f.recorded, err));
    LAKE_TRY(value_text(c, upper ? c->s->max : c->s->min, &d->f.found, err));
    d->f.recorded_bytes = upper ? c->m->upper : c->m->lower;
    d->f.found_bytes = found_bytes(c, upper ? c->s->max : c->s->min);
    return LAKE_OK;
}

/* Bytes that are no bound: NaN, a width that the type never had, a string that is not UTF-8. */
static lake_status odd_bound(column *c, bool upper, lake_error *err) {
    lake_bytes b = upper ? c->m->upper : c->m->lower;
    bool nan = (upper ? c->upper_state : c->lower_state) == LAKE_BOUND_NAN;
    audit_draft *d;
    LAKE_TRY(draft(c, LAKE_AUDIT_WRONG, nan ? "bound-nan" : "bound-form", &d, err));
    d->f.recorded_bytes = b;
    if (!nan) {
        LAKE_TRY(
            audit_text(c->f->arena, &d->f.recorded, err, "%zu bytes as %s bound", b.len, upper ? "upper" : "lower"));
        d->f.found =
            c->field->type.id == LAKE_STRING ? LAKE_STR("not UTF-8") : LAKE_STR("no value of the column's type");
        d->f.effect = LAKE_STR("readers fail, or read something else");
        return LAKE_OK;
    }
    LAKE_TRY(audit_text(c->f->arena, &d->f.recorded, err, "NaN as %s bound", upper ? "upper" : "lower"));
    d->f.effect = LAKE_STR("lost by engines that compare with NaN");
    if (!c->s->has_min || !c->s->has_max)
        return LAKE_OK;
    LAKE_TRY(value_text(c, upper ? c->s->max : c->s->min, &d->f.found, err));
    sql_compare(c, upper ? " >= " : " <= ", upper ? c->s->min : c->s->max);
    return lost(c, d, plain_values(c), err);
}

static bool is_utf8(const column *c, lake_bytes b) {
    return c->field->type.id != LAKE_STRING || lake_utf8_valid(b);
}

static lake_status one_bound(column *c, bool upper, lake_error *err) {
    lake_bytes b = upper ? c->m->upper : c->m->lower;
    lake_bound_state state = upper ? c->upper_state : c->lower_state;
    const lake_column_stats *s = c->s;
    if (!b.ptr)
        return LAKE_OK;
    if (state != LAKE_BOUND_KEY || !is_utf8(c, b))
        LAKE_TRY(odd_bound(c, upper, err));
    if (state != LAKE_BOUND_KEY)
        return LAKE_OK;
    if (!(upper ? s->has_max : s->has_min)) {
        audit_draft *d;
        if (plain_values(c) != 0 || c->absent)
            return LAKE_OK;
        LAKE_TRY(draft(c, LAKE_AUDIT_LOOSE, upper ? "upper-bound" : "lower-bound", &d, err));
        d->f.recorded_bytes = b;
        d->f.found = LAKE_STR("no value");
        return value_text(c, upper ? c->upper : c->lower, &d->f.recorded, err);
    }
    lake_key said = upper ? c->upper : c->lower, exact = upper ? s->max : s->min;
    bool unsure = upper ? s->max_loose : s->min_loose;
    int out = lake_key_cmp_total(c->kind, said, exact);
    if (upper ? out < 0 : out > 0)
        return unsure ? LAKE_OK : wrong_bound(c, upper, err);
    out = lake_key_cmp(c->kind, said, exact);
    return (upper ? out > 0 : out < 0) ? loose_bound(c, upper, err) : LAKE_OK;
}

static lake_status inverted(column *c, lake_error *err) {
    audit_draft *d;
    if (c->lower_state != LAKE_BOUND_KEY || c->upper_state != LAKE_BOUND_KEY ||
        lake_key_cmp(c->kind, c->lower, c->upper) <= 0)
        return LAKE_OK;
    LAKE_TRY(draft(c, LAKE_AUDIT_WRONG, "bounds-inverted", &d, err));
    lake_str low, high;
    LAKE_TRY(value_text(c, c->lower, &low, err));
    LAKE_TRY(value_text(c, c->upper, &high, err));
    LAKE_TRY(audit_text(c->f->arena, &d->f.recorded, err, "[%.*s, %.*s]", LAKE_ARG(low), LAKE_ARG(high)));
    d->f.effect = LAKE_STR("lost by engines that believe an empty range");
    lake_buffer_reset(&c->sql);
    if (!c->s->has_min || !c->s->has_max || c->field->inside_list)
        return LAKE_OK;
    LAKE_TRY(value_text(c, c->s->min, &low, err));
    LAKE_TRY(value_text(c, c->s->max, &high, err));
    LAKE_TRY(audit_text(c->f->arena, &d->f.found, err, "[%.*s, %.*s]", LAKE_ARG(low), LAKE_ARG(high)));
    sql_compare(c, " >= ", c->s->min);
    return lost(c, d, plain_values(c), err);
}

/* ---- counts */

static lake_status count_draft(
    column *c, const char *kind, int64_t said, int64_t found, const char *effect, audit_draft **out, lake_error *err) {
    LAKE_TRY(draft(c, LAKE_AUDIT_WRONG, kind, out, err));
    LAKE_TRY(audit_text(c->f->arena, &(*out)->f.recorded, err, "%lld", (long long)said));
    (*out)->f.effect = lake_str_of(effect);
    lake_buffer_reset(&c->sql);
    return audit_text(c->f->arena, &(*out)->f.found, err, "%lld", (long long)found);
}

/* Does the recorded count say that every row is one of its kind? */
static bool says_all(const column *c, int64_t count) {
    int64_t all = c->m->has & LAKE_METRIC_VALUES ? c->m->values : c->f->entry->record_count;
    return count > 0 && count == all;
}

static lake_status check_nulls(column *c, lake_error *err) {
    int64_t said = c->m->nulls, found = c->s->nulls;
    audit_draft *d;
    if (!(c->m->has & LAKE_METRIC_NULLS) || found < 0 || said == found)
        return LAKE_OK;
    LAKE_TRY(count_draft(c, "null-count", said, found, "counts of values from metadata are wrong", &d, err));
    if (said == 0) {
        d->f.effect = LAKE_STR("the file is skipped as one without nulls");
        sql_test(c, " IS NULL");
        return lost(c, d, found, err);
    }
    if (!says_all(c, said) || c->s->values <= found)
        return LAKE_OK;
    d->f.effect = LAKE_STR("the file is skipped as one of nulls only");
    sql_test(c, " IS NOT NULL");
    return lost(c, d, c->s->values - found, err);
}

static lake_status check_nans(column *c, lake_error *err) {
    int64_t said = c->m->nans, found = c->kind == LAKE_KEY_FLOAT ? c->s->nans : 0;
    audit_draft *d;
    if (!(c->m->has & LAKE_METRIC_NANS) || found < 0 || said == found)
        return LAKE_OK;
    LAKE_TRY(count_draft(c, "nan-count", said, found, "counts from metadata are wrong", &d, err));
    if (c->kind != LAKE_KEY_FLOAT)
        return LAKE_OK;
    if (said == 0) {
        d->f.effect = LAKE_STR("the file is skipped as one without NaN");
        sql_test(c, " IS NAN");
        return lost(c, d, found, err);
    }
    if (!says_all(c, said) || plain_values(c) <= 0)
        return LAKE_OK;
    d->f.effect = LAKE_STR("the file is skipped as one of NaN only");
    sql_test(c, " IS NOT NAN");
    return lost(c, d, plain_values(c), err);
}

static bool is_format(const column *c, const char *name) {
    lake_str f = c->f->entry->file_format;
    return f.len == strlen(name) && strncasecmp(f.ptr, name, f.len) == 0;
}

static lake_status check_values(column *c, lake_error *err) {
    int64_t said = c->m->values, found = c->s->values;
    audit_draft *d;
    if (!(c->m->has & LAKE_METRIC_VALUES) || found < 0 || said == found)
        return LAKE_OK;
    if (is_format(c, "orc") && said < found && c->field->parent && c->field->parent->nullable)
        return LAKE_OK; /* ORC counts a nested column only where the struct around it is there */
    LAKE_TRY(count_draft(c, "value-count", said, found, "counts from metadata are wrong", &d, err));
    bool all_null = (c->m->has & LAKE_METRIC_NULLS) && c->m->nulls == c->s->nulls && c->m->nulls == said && said > 0;
    if (!all_null || found <= c->s->nulls)
        return LAKE_OK;
    d->f.effect = LAKE_STR("the file is skipped as one of nulls only");
    sql_test(c, " IS NOT NULL");
    return lost(c, d, found - c->s->nulls, err);
}

static lake_status check_column_size(column *c, lake_error *err) {
    audit_draft *d;
    if (!(c->m->has & LAKE_METRIC_SIZE) || c->absent || !is_format(c, "parquet") || c->s->column_size < 0 ||
        c->m->size == c->s->column_size)
        return LAKE_OK;
    return count_draft(
        c, "column-size", c->m->size, c->s->column_size, "estimates of bytes to read are wrong", &d, err);
}

/* ---- what should be there */

static void lacks(column *c, const char *what) {
    c->lacking[c->nlacking++] = what;
}

static lake_status missing_upper(column *c, bool *missing, lake_error *err) {
    lake_bytes cut = {(const uint8_t *)"", 0};
    if (c->kind == LAKE_KEY_BYTES)
        LAKE_TRY(lake_bound_cut_upper(c->f->arena, &c->field->type, c->s->max.b, c->mode.length, &cut, err));
    *missing = cut.ptr != NULL;
    return LAKE_OK;
}

static lake_status check_missing(column *c, lake_error *err) {
    const lake_column_stats *s = c->s;
    const bool counts = !c->field->inside_list;
    if (c->absent || c->mode.kind == LAKE_METRICS_NONE || c->f->entry->content == LAKE_CONTENT_POSITION_DELETES)
        return LAKE_OK;
    if (s->column_size >= 0 && is_format(c, "parquet") && !(c->m->has & LAKE_METRIC_SIZE))
        lacks(c, "column size");
    if (counts && s->values >= 0 && !(c->m->has & LAKE_METRIC_VALUES))
        lacks(c, "value count");
    if (counts && s->nulls >= 0 && !(c->m->has & LAKE_METRIC_NULLS))
        lacks(c, "null count");
    if (counts && s->nans >= 0 && !(c->m->has & LAKE_METRIC_NANS))
        lacks(c, "NaN count");
    if (counts && c->mode.kind >= LAKE_METRICS_TRUNCATE && c->kind != LAKE_KEY_NONE) {
        bool upper = false;
        if (s->has_min && !c->m->lower.ptr)
            lacks(c, "lower bound");
        if (s->has_max && !c->m->upper.ptr)
            LAKE_TRY(missing_upper(c, &upper, err));
        if (upper)
            lacks(c, "upper bound");
    }
    if (!c->nlacking)
        return LAKE_OK;
    audit_draft *d;
    LAKE_TRY(draft(c, LAKE_AUDIT_MISSING, "metrics", &d, err));
    lake_buffer_reset(&c->text);
    for (size_t i = 0; i < c->nlacking; i++)
        lake_buffer_printf(&c->text, "%s%s", i ? ", " : "no ", c->lacking[i]);
    LAKE_TRY(lake_buffer_check(&c->text, err));
    d->f.recorded = lake_arena_str(c->f->arena, lake_buffer_view(&c->text).ptr, c->text.len);
    return d->f.recorded.ptr ? LAKE_OK : lake_fail_memory(err);
}

/* ---- a column */

static lake_status judge(column *c, lake_error *err) {
    c->lower_state = c->upper_state = LAKE_BOUND_NONE;
    if (c->kind != LAKE_KEY_NONE) {
        if (c->m->lower.ptr)
            c->lower_state = lake_value_from_binary(&c->field->type, c->m->lower, &c->lower);
        if (c->m->upper.ptr)
            c->upper_state = lake_value_from_binary(&c->field->type, c->m->upper, &c->upper);
        LAKE_TRY(one_bound(c, false, err));
        LAKE_TRY(one_bound(c, true, err));
        LAKE_TRY(inverted(c, err));
    }
    if (!c->field->inside_list) {
        LAKE_TRY(check_values(c, err));
        LAKE_TRY(check_nulls(c, err));
        LAKE_TRY(check_nans(c, err));
    }
    LAKE_TRY(check_column_size(c, err));
    return check_missing(c, err);
}

static bool is_chosen(const audit *a, int32_t id) {
    for (size_t i = 0; i < a->ncolumns; i++)
        if (a->columns[i] == id)
            return true;
    return !a->columns;
}

bool audit_absent_column(const audit_file *f, const lake_field *field, lake_column_stats *out) {
    int64_t n = f->stats.record_count;
    if (f->stats.unmatched || field->inside_list)
        return false; /* it may be one of those that were not recognised */
    for (size_t i = 0; f->spec && i < f->spec->nfields; i++) {
        const lake_partition_field *p = &f->spec->fields[i];
        if (p->transform.id == LAKE_TRANSFORM_IDENTITY && p->nsource_ids == 1 && p->source_ids[0] == field->id)
            return false; /* the partition value stands for it */
    }
    for (const lake_field *p = field->parent; p; p = p->parent)
        if (p->initial_default)
            return false;
    *out = (lake_column_stats){.field = field, .column_size = 0, .values = n, .nulls = n};
    out->nans = field->type.id == LAKE_FLOAT || field->type.id == LAKE_DOUBLE ? 0 : -1;
    if (!field->initial_default)
        return true;
    lake_bound_state state;
    if (field->parent ||
        lake_value_from_json(f->arena, &field->type, field->initial_default, &state, &out->min, NULL) ||
        state != LAKE_BOUND_KEY)
        return false;
    out->nulls = 0;
    out->max = out->min;
    out->has_min = out->has_max = true;
    return true;
}

static lake_status one_column(
    audit_file *f, int32_t id, const lake_column_metrics *m, const lake_column_stats *s, lake_error *err) {
    static const lake_column_metrics nothing = {0};
    const lake_metrics_config *config = lake_exact_config(&f->a->exact, f->entry->content);
    const lake_field *field = lake_schema_field(config->schema, id);
    lake_column_stats absent;
    bool position = f->entry->content == LAKE_CONTENT_POSITION_DELETES;
    if (!field || lake_type_is_nested(&field->type) || (!position && !is_chosen(f->a, id)))
        return LAKE_OK; /* dropped since, or nothing that is recorded */
    if (!s && !audit_absent_column(f, field, &absent))
        return LAKE_OK;
    column c = {.f = f,
        .field = field,
        .kind = lake_type_kind(&field->type),
        .m = m ? m : &nothing,
        .s = s ? s : &absent,
        .absent = !s,
        .mode = lake_metrics_config_mode(config, id)};
    lake_buffer_init(&c.sql);
    lake_buffer_init(&c.text);
    lake_status status = judge(&c, err);
    lake_buffer_clear(&c.sql);
    lake_buffer_clear(&c.text);
    return status;
}

/* Both lists are sorted by id. */
lake_status audit_columns(audit_file *f, lake_error *err) {
    const lake_entry *e = f->entry;
    size_t m = 0, s = 0;
    while (m < e->ncolumns || s < f->stats.ncolumns) {
        const lake_column_metrics *said = m < e->ncolumns ? &e->columns[m] : NULL;
        const lake_column_stats *found = s < f->stats.ncolumns ? &f->stats.columns[s] : NULL;
        if (said && found && said->id != found->field->id) {
            if (said->id < found->field->id)
                found = NULL;
            else
                said = NULL;
        }
        m += said != NULL;
        s += found != NULL;
        LAKE_TRY(one_column(f, said ? said->id : found->field->id, said, found, err));
    }
    return LAKE_OK;
}
