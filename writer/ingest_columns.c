/* Columns of a pushed file: values into accumulators and, where somebody looks at each of them, into the watch; and
   rows that come as typed arrays. */
#include "writer/ingest.h"

lake_ingest_column *lake_ingest_column_of(lake_ingest_file *f, int32_t id) {
    for (size_t lo = 0, hi = f->ncolumns; lo < hi;) {
        size_t mid = (lo + hi) / 2;
        if (f->columns[mid].field->id == id)
            return &f->columns[mid];
        if (f->columns[mid].field->id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

lake_status lake_ingest_column_begin(
    lake_ingest_file *f, lake_ingest_column *c, lake_str shape, lake_ingest_form form, lake_error *err) {
    if (c->fed && lake_str_eq(c->shape, shape))
        return LAKE_OK;
    if (c->fed)
        return lake_fail(err, LAKE_ERR_USAGE, "column %.*s: its values come as %.*s, and came as %.*s before",
            LAKE_ARG(c->field->name), LAKE_ARG(shape), LAKE_ARG(c->shape));
    if (f->rows && !c->field->inside_list)
        return lake_fail(err, LAKE_ERR_USAGE, "column %.*s: earlier batches did not have it", LAKE_ARG(c->field->name));
    if (c->watched && form.form == LAKE_ACCUM_NONE)
        return lake_fail(err, LAKE_ERR_USAGE, "column %.*s: values of the form %.*s cannot be looked at",
            LAKE_ARG(c->field->name), LAKE_ARG(shape));
    c->shape = lake_arena_str(&f->arena, shape.ptr, shape.len);
    if (!c->shape.ptr)
        return lake_fail_memory(err);
    lake_accum_init(&c->stats, form.form, form.width, form.mul, form.div);
    c->fed = true;
    return LAKE_OK;
}

static lake_status look(lake_ingest_file *f, const lake_ingest_column *c, const uint8_t *data, const uint8_t *valid,
    size_t n, lake_error *err) {
    enum { IS_NULL, IS_VALUE, IS_NAN };
    size_t stride = lake_accum_stride(&c->stats);
    bool is_float = c->field->type.id == LAKE_FLOAT || c->field->type.id == LAKE_DOUBLE;
    for (size_t i = 0; i < n; i++) {
        f->present[i] = IS_NULL;
        if (valid && !valid[i])
            continue;
        bool value = lake_accum_key(&c->stats, data + i * stride, &f->keys[i]);
        if (!value && !is_float)
            return lake_fail(
                err, LAKE_ERR_UNSUPPORTED, "column %.*s: a value beyond its type", LAKE_ARG(c->field->name));
        f->present[i] = value ? IS_VALUE : IS_NAN;
    }
    return lake_wrap(err, lake_manifest_watch_values(&f->watch, c->field, f->keys, f->present, n, err),
        "%.*s: column %.*s", LAKE_ARG(f->path), LAKE_ARG(c->field->name));
}

lake_status lake_ingest_column_put(
    lake_ingest_file *f, lake_ingest_column *c, const void *data, const uint8_t *valid, size_t n, lake_error *err) {
    if (!c->field->inside_list)
        c->rows += (int64_t)n;
    lake_accum_add(&c->stats, data, valid, n);
    return c->watched ? look(f, c, data, valid, n, err) : LAKE_OK;
}

lake_status lake_ingest_rows_end(lake_ingest_file *f, int64_t nrows, lake_error *err) {
    if (__builtin_add_overflow(f->rows, nrows, &f->rows))
        return lake_fail(err, LAKE_ERR_LIMIT, "more than 2^63 rows");
    for (size_t i = 0; i < f->ncolumns; i++) {
        const lake_ingest_column *c = &f->columns[i];
        if (c->fed && !c->field->inside_list && c->rows != f->rows)
            return lake_fail(err, LAKE_ERR_USAGE, "column %.*s: %lld rows, and others have %lld",
                LAKE_ARG(c->field->name), (long long)c->rows, (long long)f->rows);
    }
    return LAKE_OK;
}

/* ---- typed arrays */

static const char *const kinds[] = {"bool", "int32", "int64", "float", "double", "bytes"};

static lake_ingest_form form_of(lake_array_kind kind, const lake_type *t) {
    static const lake_accum_form forms[] = {
        LAKE_ACCUM_BOOL, LAKE_ACCUM_I32, LAKE_ACCUM_I64, LAKE_ACCUM_F32, LAKE_ACCUM_F64, LAKE_ACCUM_BYTES};
    lake_ingest_form f = {forms[kind], 0, 1, 1};
    lake_key_kind wanted = lake_type_kind(t);
    bool good;
    switch (kind) {
    case LAKE_ARRAY_BOOL: good = t->id == LAKE_BOOLEAN; break;
    case LAKE_ARRAY_INT32:
    case LAKE_ARRAY_INT64: good = wanted == LAKE_KEY_INT && t->id != LAKE_BOOLEAN && t->id != LAKE_DECIMAL; break;
    case LAKE_ARRAY_FLOAT: good = wanted == LAKE_KEY_FLOAT; break;
    case LAKE_ARRAY_DOUBLE: good = t->id == LAKE_DOUBLE; break;
    default:
        good = wanted == LAKE_KEY_BYTES || t->id == LAKE_DECIMAL || lake_type_is_geo(t);
        f.form = t->id == LAKE_DECIMAL ? LAKE_ACCUM_DECIMAL_BYTES : lake_type_is_geo(t) ? LAKE_ACCUM_WKB : f.form;
        f.width = t->id == LAKE_GEOGRAPHY;
        break;
    }
    return good ? f : (lake_ingest_form){LAKE_ACCUM_NONE, 0, 1, 1};
}

static lake_status put_array(lake_ingest_file *f, const lake_array *a, size_t nrows, lake_error *err) {
    lake_ingest_column *c = lake_ingest_column_of(f, a->field_id);
    if (!c || c->field->inside_list)
        return lake_fail(
            err, LAKE_ERR_USAGE, "typed array: no column outside lists and maps has the id %d", a->field_id);
    if ((unsigned)a->kind > LAKE_ARRAY_BYTES)
        return lake_fail(err, LAKE_ERR_USAGE, "typed array of column %d: its kind is not known", a->field_id);
    lake_ingest_form form = form_of(a->kind, &c->field->type);
    if (form.form == LAKE_ACCUM_NONE)
        return lake_fail(
            err, LAKE_ERR_USAGE, "column %.*s takes no array of %s", LAKE_ARG(c->field->name), kinds[a->kind]);
    LAKE_TRY(lake_ingest_column_begin(f, c, lake_str_of(kinds[a->kind]), form, err));
    size_t stride = lake_accum_stride(&c->stats);
    for (size_t at = 0; at < nrows; at += LAKE_INGEST_BATCH) {
        size_t n = nrows - at < LAKE_INGEST_BATCH ? nrows - at : LAKE_INGEST_BATCH;
        LAKE_TRY(lake_ingest_column_put(
            f, c, (const uint8_t *)a->data + at * stride, a->valid ? a->valid + at : NULL, n, err));
    }
    return LAKE_OK;
}

lake_status lake_ingest_arrays(
    lake_ingest_file *f, const lake_array *columns, size_t ncolumns, size_t nrows, lake_error *err) {
    if (f->finished || f->failed)
        return lake_fail(err, LAKE_ERR_USAGE, "%.*s: finished already, or a batch failed", LAKE_ARG(f->path));
    lake_status status = LAKE_OK;
    for (size_t i = 0; i < ncolumns && status == LAKE_OK; i++)
        status = put_array(f, &columns[i], nrows, err);
    if (status == LAKE_OK)
        status = lake_ingest_rows_end(f, (int64_t)nrows, err);
    f->failed = status != LAKE_OK;
    return status;
}
