/* Checking a claimed sort order. Columns are read one after the other, rows are ordered by several: so each field keeps
   two bits a row, how the row compares with the one before, and the first field that differs decides at the end. A
   column that the file lacks has one value for all rows, and decides nothing. NaN is the largest value, as in the
   official library (spec.md also knows a NaN with a sign, which no reader tells apart). */
#include "writer/sort_check.h"

enum { SAME, BEHIND, BEFORE }; /* where a row lies, seen from the one before */
enum { NOTHING, VALUE, NOT_A_NUMBER }; /* present[] of on_values */

static lake_status init_field(
    const lake_schema *schema, const lake_sort_order *order, lake_sort_source *s, lake_error *err) {
    const lake_sort_field *f = s->field;
    if (f->nsource_ids != 1 || f->transform.id == LAKE_TRANSFORM_UNKNOWN)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "sort order %d: the transform %.*s is not known: cannot check it",
            order->id, LAKE_ARG(f->transform.text));
    s->column = lake_schema_field(schema, f->source_ids[0]);
    if (!s->column)
        return lake_fail(err, LAKE_ERR_USAGE, "sort order %d: its column with id %d is not in the schema", order->id,
            f->source_ids[0]);
    if (s->column->inside_list || !lake_transform_accepts(&f->transform, &s->column->type))
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "sort order %d: %.*s cannot be applied to column %.*s", order->id,
            LAKE_ARG(f->transform.text), LAKE_ARG(s->column->name));
    s->type = lake_transform_result(&f->transform, &s->column->type);
    return LAKE_OK;
}

lake_status lake_sort_checker_init(lake_arena *arena, const lake_schema *schema, const lake_sort_order *order,
    lake_sort_checker *out, lake_error *err) {
    *out = (lake_sort_checker){.id = order->id, .nfields = order->nfields};
    out->fields = LAKE_ARENA_ARRAY(arena, lake_sort_source, order->nfields);
    out->ids = LAKE_ARENA_ARRAY(arena, int32_t, order->nfields);
    if (!out->fields || !out->ids)
        return lake_fail_memory(err);
    for (size_t i = 0; i < order->nfields; i++) {
        out->fields[i].field = &order->fields[i];
        LAKE_TRY(init_field(schema, order, &out->fields[i], err));
        out->ids[i] = out->fields[i].column->id;
    }
    return LAKE_OK;
}

/* ---- rows */

lake_status lake_sort_watch_init(
    lake_sort_watch *watch, const lake_sort_checker *checker, lake_arena *arena, lake_error *err) {
    *watch = (lake_sort_watch){.checker = checker};
    lake_arena_init(&watch->scratch, 0);
    watch->columns = LAKE_ARENA_ARRAY(arena, lake_sort_column, checker->nfields);
    return watch->columns ? LAKE_OK : lake_fail_memory(err);
}

void lake_sort_watch_clear(lake_sort_watch *watch) {
    for (size_t i = 0; watch->columns && i < watch->checker->nfields; i++) {
        lake_buffer_clear(&watch->columns[i].bytes);
        lake_buffer_clear(&watch->columns[i].steps);
    }
    lake_arena_clear(&watch->scratch);
}

static int step_of(const lake_sort_source *s, const lake_sort_column *last, uint8_t state, lake_key key) {
    const lake_sort_field *f = s->field;
    int order;
    if (!last->state || !state) { /* the place of nulls does not turn with the direction */
        if (last->state == state)
            return SAME;
        return (state == NOTHING) == f->nulls_last ? BEHIND : BEFORE;
    }
    if (last->state != VALUE || state != VALUE)
        order = (int)state - (int)last->state;
    else
        order = lake_key_cmp_total(lake_type_kind(&s->type), key, last->key);
    return order == 0 ? SAME : (order > 0) != f->descending ? BEHIND : BEFORE;
}

static void remember(const lake_sort_source *s, lake_sort_column *c, int step, uint8_t state, lake_key key) {
    c->state = state;
    if (step != SAME || c->rows == 0) {
        c->key = key;
        if (state == VALUE && lake_type_kind(&s->type) == LAKE_KEY_BYTES) {
            c->bytes.len = 0;
            lake_buffer_put(&c->bytes, key.b.ptr, key.b.len);
            c->key.b = lake_bytes_of(lake_buffer_view(&c->bytes));
        }
    }
    unsigned shift = (unsigned)(c->rows & 3) * 2;
    if (shift == 0)
        lake_buffer_char(&c->steps, 0);
    if (!c->steps.failed)
        c->steps.data[c->steps.len - 1] |= (uint8_t)((unsigned)step << shift);
    c->rows++;
}

/* The transform of a row's value. */
static lake_status result_of(
    lake_sort_watch *w, const lake_sort_source *s, uint8_t *state, lake_key *key, lake_error *err) {
    const lake_transform *t = &s->field->transform;
    if (t->id == LAKE_TRANSFORM_VOID)
        *state = NOTHING;
    if (*state != VALUE || t->id == LAKE_TRANSFORM_IDENTITY)
        return LAKE_OK;
    lake_bound_state result;
    lake_arena_reset(&w->scratch);
    return lake_transform_apply(&w->scratch, t, &s->column->type, *key, &result, key, err);
}

lake_status lake_sort_watch_values(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    lake_sort_watch *w = user;
    for (size_t i = 0; i < w->checker->nfields; i++) {
        const lake_sort_source *s = &w->checker->fields[i];
        lake_sort_column *c = &w->columns[i];
        if (s->column->id != field->id)
            continue;
        for (size_t k = 0; k < n; k++) {
            uint8_t state = present[k];
            lake_key key = keys[k];
            LAKE_TRY(result_of(w, s, &state, &key, err));
            remember(s, c, c->rows ? step_of(s, c, state, key) : SAME, state, key);
        }
        LAKE_TRY(lake_buffer_check(&c->steps, err));
        LAKE_TRY(lake_buffer_check(&c->bytes, err));
    }
    return LAKE_OK;
}

static int step_at(const lake_sort_column *c, int64_t row) {
    return row < c->rows ? c->steps.data[row / 4] >> (row & 3) * 2 & 3 : SAME;
}

int64_t lake_sort_watch_fault(const lake_sort_watch *watch, size_t *field) {
    size_t n = watch->checker->nfields;
    int64_t rows = 0;
    for (size_t i = 0; i < n; i++)
        rows = watch->columns[i].rows > rows ? watch->columns[i].rows : rows;
    for (int64_t row = 1; row < rows; row++)
        for (size_t i = 0; i < n; i++) {
            int step = step_at(&watch->columns[i], row);
            *field = i;
            if (step == BEFORE)
                return row;
            if (step == BEHIND)
                break;
        }
    return -1;
}

/* ---- telling */

typedef struct pair {
    lake_sort_watch *watch;
    const lake_sort_source *source;
    int64_t row, at; /* wanted: row - 1 and row; the next to come */
    lake_buffer text[2];
} pair;

static lake_status note(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    pair *p = user;
    if (field->id != p->source->column->id)
        return LAKE_OK;
    for (size_t k = 0; k < n; k++, p->at++) {
        if (p->at < p->row - 1 || p->at > p->row)
            continue;
        lake_buffer *out = &p->text[p->at - p->row + 1];
        uint8_t state = present[k];
        lake_key key = keys[k];
        LAKE_TRY(result_of(p->watch, p->source, &state, &key, err));
        if (state == VALUE)
            lake_transform_print(out, &p->source->field->transform, &p->source->column->type, key);
        else
            lake_buffer_puts(out, state == NOTHING ? "null" : "NaN");
    }
    return LAKE_OK;
}

static lake_status tell(const lake_sort_checker *checker, const pair *p, lake_str location, lake_error *err) {
    const lake_sort_field *f = p->source->field;
    bool plain = f->transform.id == LAKE_TRANSFORM_IDENTITY;
    return lake_fail(err, LAKE_ERR_MALFORMED,
        "%.*s: not in sort order %d: row %lld (counted from 0) has %.*s%s%.*s%s %.*s after %.*s (%s, nulls %s)",
        LAKE_ARG(location), checker->id, (long long)p->row, plain ? 0 : (int)f->transform.text.len,
        f->transform.text.ptr, plain ? "" : "(", LAKE_ARG(p->source->column->name), plain ? "" : ")",
        LAKE_ARG(lake_buffer_view(&p->text[1])), LAKE_ARG(lake_buffer_view(&p->text[0])),
        f->descending ? "descending" : "ascending", f->nulls_last ? "last" : "first");
}

lake_status lake_sort_fault_tell(const lake_sort_checker *checker, size_t field, int64_t row, const lake_store *store,
    lake_str location, const lake_file_stats_options *reading, lake_arena *arena, lake_error *err) {
    lake_sort_watch watch;
    LAKE_TRY(lake_sort_watch_init(&watch, checker, arena, err));
    pair p = {.watch = &watch, .source = &checker->fields[field], .row = row};
    lake_file_stats_options o = *reading;
    lake_file_stats ignored;
    o.column_ids = o.on_values_ids = &checker->ids[field];
    o.ncolumn_ids = o.non_values_ids = 1;
    o.on_values = note;
    o.on_values_user = &p;
    lake_buffer_init(&p.text[0]);
    lake_buffer_init(&p.text[1]);
    lake_status status = lake_file_stats_read(store, location, &o, arena, &ignored, err);
    if (status == LAKE_OK)
        status = tell(checker, &p, location, err);
    lake_buffer_clear(&p.text[0]);
    lake_buffer_clear(&p.text[1]);
    lake_sort_watch_clear(&watch);
    return status;
}
