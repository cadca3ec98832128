/* Rows that come as Arrow arrays: a walk along the schema, batch by batch. Nulls of a struct are nulls of what is in
   it; what is in lists and maps is only counted, as far as it exists. */
#include <stdlib.h>

#include "writer/ingest.h"

typedef struct walk {
    lake_ingest_file *file;
    lake_error *err;
    int depth;
} walk;

/* A stretch of an array: n elements from a logical index on. valid: which of them have all their parents; NULL: all. */
typedef struct stretch {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    int64_t begin, n;
    const uint8_t *valid;
} stretch;

static lake_status bad(const walk *w, const lake_field *f, const char *what, const char *format) {
    lake_buffer name;
    lake_buffer_init(&name);
    lake_field_full_name(&name, f);
    lake_status status = lake_fail(w->err, LAKE_ERR_USAGE, "column %.*s: %s (Arrow format \"%s\")",
        LAKE_ARG(lake_buffer_view(&name)), what, format);
    lake_buffer_clear(&name);
    return status;
}

static lake_status feed(walk *w, const lake_field *f, stretch s);

/* ---- leaves */

/* Where an element really is, behind run ends and dictionaries. False: null. */
static bool resolve(const struct ArrowSchema **s, const struct ArrowArray **a, int64_t *index, bool *broken) {
    for (int depth = 0; depth < 8; depth++) {
        if (strcmp((*s)->format, "+r") == 0) {
            const struct ArrowArray *ends = (*a)->n_children == 2 ? (*a)->children[0] : NULL;
            int64_t lo = 0, hi = ends ? ends->length : 0, wanted = (*a)->offset + *index, end = 0;
            while (lo < hi) {
                int64_t mid = lo + (hi - lo) / 2;
                if (!lake_arrow_integer((*s)->children[0]->format, ends, mid, &end))
                    break;
                if (end > wanted)
                    hi = mid;
                else
                    lo = mid + 1;
            }
            *broken = !ends || lo >= ends->length;
            if (*broken)
                return false;
            *index = lo;
            *s = (*s)->children[1];
            *a = (*a)->children[1];
        } else if (strcmp((*s)->format, "n") == 0 || !lake_arrow_valid(*a, *index)) {
            return false;
        } else if ((*s)->dictionary) {
            *broken = !lake_arrow_integer((*s)->format, *a, *index, index) || !(*a)->dictionary || *index < 0 ||
                *index >= (*a)->dictionary->length;
            if (*broken)
                return false;
            *s = (*s)->dictionary;
            *a = (*a)->dictionary;
        } else {
            return true;
        }
    }
    *broken = true;
    return false;
}

/* The schema of the values themselves. */
static const struct ArrowSchema *values_of(const struct ArrowSchema *s) {
    for (int depth = 0; depth < 8; depth++) {
        if (strcmp(s->format, "+r") == 0 && s->n_children == 2)
            s = s->children[1];
        else if (s->dictionary)
            s = s->dictionary;
        else
            break;
    }
    return s;
}

static lake_status put_some(
    walk *w, lake_ingest_column *c, const lake_arrow_leaf *leaf, const stretch *s, int64_t from, size_t n) {
    lake_ingest_file *f = w->file;
    size_t stride = lake_accum_stride(&c->stats);
    for (size_t i = 0; i < n; i++) {
        const struct ArrowSchema *schema = s->schema;
        const struct ArrowArray *array = s->array;
        int64_t index = s->begin + from + (int64_t)i;
        bool broken = false;
        f->valid[i] = (!s->valid || s->valid[from + (int64_t)i]) && resolve(&schema, &array, &index, &broken);
        if (f->valid[i])
            broken = !lake_arrow_element(leaf, array, index, f->data + i * stride);
        if (broken)
            return bad(w, c->field, "an element does not lie in its array", schema->format);
    }
    return lake_ingest_column_put(f, c, f->data, f->valid, n, w->err);
}

static lake_status feed_leaf(walk *w, const lake_field *f, stretch s) {
    lake_ingest_column *c = lake_ingest_column_of(w->file, f->id);
    const struct ArrowSchema *values = values_of(s.schema);
    lake_arrow_leaf leaf;
    if (!c || !lake_arrow_leaf_of(values->format, &f->type, &leaf))
        return bad(w, f, "its type in the schema takes no such values", values->format);
    LAKE_TRY(lake_ingest_column_begin(w->file, c, lake_str_of(values->format), leaf.form, w->err));
    for (int64_t from = 0; from < s.n; from += LAKE_INGEST_BATCH) {
        size_t n = s.n - from < LAKE_INGEST_BATCH ? (size_t)(s.n - from) : LAKE_INGEST_BATCH;
        LAKE_TRY(put_some(w, c, &leaf, &s, from, n));
    }
    return LAKE_OK;
}

/* ---- structs */

/* The field id that a column's metadata name: int32 count, then keys and values with int32 lengths before. */
static bool id_of(const struct ArrowSchema *s, int32_t *out) {
    static const char key[] = "PARQUET:field_id";
    const char *p = s->metadata;
    int32_t n = 0;
    if (!p)
        return false;
    memcpy(&n, p, sizeof n);
    p += sizeof n;
    for (int32_t i = 0; i < n; i++) {
        int32_t klen, vlen;
        memcpy(&klen, p, sizeof klen);
        const char *k = p + sizeof klen;
        memcpy(&vlen, k + klen, sizeof vlen);
        const char *v = k + klen + sizeof vlen;
        if (klen == (int32_t)sizeof key - 1 && memcmp(k, key, sizeof key - 1) == 0) {
            const lake_json number = {.kind = LAKE_JSON_NUMBER, .text = {v, (size_t)vlen}};
            return lake_json_i32(&number, out);
        }
        p = v + vlen;
    }
    return false;
}

static const lake_field *field_of(const lake_type *type, const struct ArrowSchema *child) {
    int32_t id;
    bool has_id = id_of(child, &id);
    for (size_t i = 0; i < type->nfields; i++)
        if (has_id ? type->fields[i].id == id : lake_str_is(type->fields[i].name, child->name ? child->name : ""))
            return &type->fields[i];
    return NULL;
}

/* The children of a struct array; `at`: the first one's logical index in them. */
static lake_status feed_children(walk *w, const lake_type *type, const stretch *s, int64_t at, const uint8_t *valid) {
    if (s->schema->n_children != s->array->n_children)
        return lake_fail(w->err, LAKE_ERR_USAGE, "an Arrow array with other children than its schema");
    for (int64_t i = 0; i < s->schema->n_children; i++) {
        const struct ArrowSchema *child = s->schema->children[i];
        const lake_field *f = field_of(type, child);
        if (!f)
            return lake_fail(w->err, LAKE_ERR_USAGE, "column %s: not in the schema", child->name ? child->name : "");
        for (int64_t k = 0; k < i; k++)
            if (field_of(type, s->schema->children[k]) == f)
                return bad(w, f, "comes twice", child->format);
        LAKE_TRY(feed(w, f, (stretch){child, s->array->children[i], at, s->n, valid}));
    }
    return LAKE_OK;
}

static lake_status feed_struct(walk *w, const lake_field *f, stretch s) {
    if (strcmp(s.schema->format, "+s") != 0)
        return bad(w, f, "a struct is wanted", s.schema->format);
    uint8_t *valid = lake_mem_alloc((size_t)s.n + 1);
    if (!valid)
        return lake_fail_memory(w->err);
    for (int64_t i = 0; i < s.n; i++)
        valid[i] = (!s.valid || s.valid[i]) && lake_arrow_valid(s.array, s.begin + i);
    lake_status status = feed_children(w, &f->type, &s, s.array->offset + s.begin, valid);
    lake_mem_free(valid);
    return status;
}

/* ---- lists and maps */

/* The elements of a list: a range of its child. */
static bool range_of(const char *format, const struct ArrowArray *a, int64_t index, int64_t *begin, int64_t *n) {
    int64_t at = a->offset + index, end;
    if (strncmp(format, "+w:", 3) == 0) {
        *n = strtol(format + 3, NULL, 10);
        *begin = at * *n;
        return *n >= 0;
    }
    bool view = format[1] == 'v', large = format[view ? 2 : 1] == 'L';
    if (a->n_buffers < 2 + view || !a->buffers[1] || (view && !a->buffers[2]))
        return false;
    if (large) {
        *begin = ((const int64_t *)a->buffers[1])[at];
        end = view ? *begin + ((const int64_t *)a->buffers[2])[at] : ((const int64_t *)a->buffers[1])[at + 1];
    } else {
        *begin = ((const int32_t *)a->buffers[1])[at];
        end = view ? *begin + ((const int32_t *)a->buffers[2])[at] : ((const int32_t *)a->buffers[1])[at + 1];
    }
    *n = end - *begin;
    return *begin >= 0 && *n >= 0;
}

static lake_status feed_range(walk *w, const lake_field *f, const stretch *s, int64_t begin, int64_t n) {
    const struct ArrowSchema *schema = s->schema->children[0];
    const struct ArrowArray *array = s->array->children[0];
    if (begin > array->length || n > array->length - begin)
        return bad(w, f, "a list ends behind its elements", s->schema->format);
    if (f->type.id == LAKE_LIST)
        return feed(w, &f->type.fields[0], (stretch){schema, array, begin, n, NULL});
    if (schema->n_children != 2 || array->n_children != 2)
        return bad(w, f, "a map's entries have a key and a value", schema->format);
    for (int i = 0; i < 2; i++)
        LAKE_TRY(feed(
            w, &f->type.fields[i], (stretch){schema->children[i], array->children[i], array->offset + begin, n, NULL}));
    return LAKE_OK;
}

static bool is_list(const lake_field *f, const char *format) {
    if (f->type.id == LAKE_MAP)
        return strcmp(format, "+m") == 0;
    return strcmp(format, "+l") == 0 || strcmp(format, "+L") == 0 || strcmp(format, "+vl") == 0 ||
        strcmp(format, "+vL") == 0 || strncmp(format, "+w:", 3) == 0;
}

/* Neighbours are fed together: their elements lie side by side, mostly. */
static lake_status feed_list(walk *w, const lake_field *f, stretch s) {
    if (!is_list(f, s.schema->format) || s.schema->n_children != 1 || s.array->n_children != 1)
        return bad(w, f, f->type.id == LAKE_MAP ? "a map is wanted" : "a list is wanted", s.schema->format);
    int64_t from = 0, total = 0;
    for (int64_t i = 0; i < s.n; i++) {
        int64_t begin, n;
        if ((s.valid && !s.valid[i]) || !lake_arrow_valid(s.array, s.begin + i))
            continue;
        if (!range_of(s.schema->format, s.array, s.begin + i, &begin, &n))
            return bad(w, f, "a list that is none", s.schema->format);
        if (total && begin == from + total) {
            total += n;
            continue;
        }
        LAKE_TRY(feed_range(w, f, &s, from, total));
        from = begin;
        total = n;
    }
    return feed_range(w, f, &s, from, total);
}

static lake_status feed(walk *w, const lake_field *f, stretch s) {
    enum { DEPTH = 100 };
    if (s.begin < 0 || s.begin > s.array->length || s.n > s.array->length - s.begin)
        return bad(w, f, "an array is shorter than the one around it", s.schema->format);
    if (w->depth == DEPTH)
        return bad(w, f, "nested too deeply", s.schema->format);
    w->depth++;
    lake_status status;
    switch (f->type.id) {
    case LAKE_STRUCT: status = feed_struct(w, f, s); break;
    case LAKE_LIST:
    case LAKE_MAP: status = feed_list(w, f, s); break;
    default: status = feed_leaf(w, f, s); break;
    }
    w->depth--;
    return status;
}

lake_status lake_ingest_arrow(
    lake_ingest_file *file, const struct ArrowSchema *schema, const struct ArrowArray *batch, lake_error *err) {
    if (file->finished || file->failed)
        return lake_fail(err, LAKE_ERR_USAGE, "%.*s: finished already, or a batch failed", LAKE_ARG(file->path));
    if (!schema || !batch || !schema->release || !batch->release || strcmp(schema->format, "+s") != 0)
        return lake_fail(err, LAKE_ERR_USAGE, "a batch is a struct array with a column for each of its children");
    walk w = {.file = file, .err = err};
    const stretch s = {schema, batch, 0, batch->length, NULL};
    lake_status status = feed_children(&w, &file->schema->root, &s, batch->offset, NULL);
    if (status == LAKE_OK)
        status = lake_ingest_rows_end(file, batch->length, err);
    file->failed = status != LAKE_OK;
    return status;
}
