/* The sets of values that a row group is asked for: Bloom filters first, then the dictionaries of chunks whose pages
   are all dictionary encoded. A dictionary may hold values that no row has, but has all that rows have. Nothing is read
   unless it could rule the row group out. */
#include <stdlib.h>

#include "planner/row_groups.h"
#include "planner/step.h"

enum { LIMIT = 1 << 20 /* bytes of a dictionary page, as it is stored, and its values */ };

typedef struct dictionary {
    lake_probe probe; /* first */
    lake_key_kind kind;
    const lake_key *keys; /* sorted */
    size_t n;
} dictionary;

static bool may(const lake_probe *probe, const lake_end *lo, const lake_end *hi) {
    const dictionary *d = (const dictionary *)probe;
    size_t from = 0, to = d->n;
    while (from < to) { /* the first key that is not below lo */
        size_t mid = (from + to) / 2;
        lake_end key = lake_end_key(d->keys[mid]);
        if (lake_end_cmp(d->kind, key, *lo) < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return from < d->n && lake_end_cmp(d->kind, lake_end_key(d->keys[from]), *hi) < 0;
}

static bool nothing(const lake_probe *probe, const lake_end *lo, const lake_end *hi) {
    return false;
}
const lake_probe plan_dictionary_hope = {nothing, true};

static int by_int(const void *a, const void *b) {
    return lake_key_cmp(LAKE_KEY_INT, *(const lake_key *)a, *(const lake_key *)b);
}
static int by_float(const void *a, const void *b) {
    return lake_key_cmp(LAKE_KEY_FLOAT, *(const lake_key *)a, *(const lake_key *)b);
}
static int by_bytes(const void *a, const void *b) {
    return lake_key_cmp(LAKE_KEY_BYTES, *(const lake_key *)a, *(const lake_key *)b);
}

bool plan_dictionary_possible(const lake_footer_column *column, const lake_parquet_chunk *chunk) {
    int64_t at = lake_parquet_chunk_start(chunk);
    lake_accum_form form = column->reading.form;
    return column->leaf && chunk->all_dictionary && !chunk->encrypted && !chunk->other_file &&
        at < chunk->data_page_offset && chunk->data_page_offset - at <= LIMIT && form != LAKE_ACCUM_NONE &&
        form != LAKE_ACCUM_INT96 && column->reading.div <= 1;
}

/* The values as sorted keys. False in *ok: one cannot be told. */
static lake_status take_values(plan_group_job *job, const lake_footer_column *column, const lake_parquet_values *v,
    dictionary *d, bool *nan, bool *ok, lake_error *err) {
    lake_arena *arena = &job->own->group;
    const lake_parquet_reading *r = &column->reading;
    size_t stride = v->width ? v->width : sizeof(lake_bytes);
    lake_key *keys = LAKE_ARENA_ARRAY(arena, lake_key, v->n + 1);
    lake_accum s;
    if (!keys)
        return lake_fail_memory(err);
    lake_accum_init(&s, r->form, r->width, r->mul, r->div);
    *ok = true;
    d->keys = keys;
    for (size_t i = 0; i < v->n && *ok; i++) {
        lake_key key;
        if (!lake_accum_key(&s, (const uint8_t *)v->data + i * stride, &key)) {
            *nan = d->kind == LAKE_KEY_FLOAT;
            *ok = *nan;
            continue;
        }
        *ok = lake_footer_fits(&column->field->type, key);
        if (d->kind == LAKE_KEY_BYTES)
            key.b = lake_arena_bytes(arena, key.b.ptr, key.b.len);
        if (d->kind == LAKE_KEY_BYTES && !key.b.ptr)
            return lake_fail_memory(err);
        keys[d->n++] = key;
    }
    qsort(keys, d->n, sizeof *keys, d->kind == LAKE_KEY_INT ? by_int : d->kind == LAKE_KEY_FLOAT ? by_float : by_bytes);
    return LAKE_OK;
}

static lake_status column_of(plan_group_job *job, lake_parquet_column **out, lake_error *err) {
    plan_group_worker *own = job->own;
    if (!own->column) {
        own->column = lake_mem_alloc(sizeof *own->column);
        if (!own->column)
            return lake_fail_memory(err);
        lake_parquet_window_init(&own->window, &job->file);
        lake_status st = lake_parquet_column_init(own->column, LIMIT, err);
        if (st != LAKE_OK) {
            lake_parquet_column_clear(own->column);
            lake_mem_free(own->column);
            own->column = NULL;
            return st;
        }
    }
    *out = own->column;
    return LAKE_OK;
}

lake_status plan_dictionary_read(plan_group_job *job, const lake_footer_column *column, const lake_parquet_chunk *chunk,
    const lake_probe **out, bool *nan, lake_error *err) {
    lake_parquet_column *c = NULL;
    lake_parquet_values values;
    lake_error why;
    bool ok = false;
    *out = NULL;
    *nan = false;
    dictionary *d = LAKE_ARENA_NEW(&job->own->group, dictionary);
    if (!d)
        return lake_fail_memory(err);
    LAKE_TRY(column_of(job, &c, err));
    *d = (dictionary){.probe = {.may = may}, .kind = lake_type_kind(&column->field->type)};
    lake_parquet_source source = lake_parquet_window_source(&job->own->window);
    lake_error_init(&why);
    lake_status st = lake_parquet_column_begin(c, &source, column->leaf, chunk, &why);
    lake_parquet_window_begin(&job->own->window, (uint64_t)chunk->data_page_offset);
    if (st == LAKE_OK)
        st = lake_parquet_column_dictionary(c, &values, &why);
    if (st == LAKE_ERR_NO_MEMORY)
        return lake_fail_memory(err);
    if (st == LAKE_OK && values.n)
        LAKE_TRY(take_values(job, column, &values, d, nan, &ok, err));
    job->counts->doubtful += st != LAKE_OK || (values.n && !ok);
    if (ok)
        *out = &d->probe;
    return LAKE_OK;
}

/* ---- a row group */
static lake_status find_sets(plan_group_job *job, const lake_parquet_row_group *group, lake_error *err) {
    size_t n = job->plan->bound->nterms;
    job->sets = LAKE_ARENA_ARRAY(&job->own->group, plan_term_sets, n + 1);
    if (!job->sets)
        return lake_fail_memory(err);
    for (size_t t = 0; t < n; t++) {
        plan_term_sets *s = &job->sets[t];
        const lake_footer_column *c = job->term_columns[t] == SIZE_MAX ? NULL : &job->columns[job->term_columns[t]];
        if (!c || !c->leaf || lake_type_kind(&c->field->type) == LAKE_KEY_NONE)
            continue;
        s->column = c;
        s->chunk = &group->chunks[c->leaf->column];
        s->dictionary = plan_dictionary_possible(c, s->chunk);
        if (plan_bloom_possible(c, s->chunk) && !(s->bloom = plan_bloom_new(job, c, s->chunk)))
            return lake_fail_memory(err);
    }
    return LAKE_OK;
}

static bool is_asked(const plan_group_job *job, const plan_leaf *leaf, size_t t) {
    const plan_term_sets *s = &job->sets[t];
    return (s->dictionary || s->bloom) && job->facts[t].value && plan_group_has_term(leaf, t);
}

/* False: no answer could rule the row group out. */
static lake_status hope(plan_group_job *job, const plan_leaf *leaf, bool *some, lake_error *err) {
    const lake_bound *bound = job->plan->bound;
    bool *nan = LAKE_ARENA_ARRAY(&job->own->group, bool, bound->nterms + 1);
    if (!nan)
        return lake_fail_memory(err);
    *some = false;
    for (size_t t = 0; t < bound->nterms; t++) {
        lake_facts *f = &job->facts[t];
        nan[t] = f->nan;
        if (!is_asked(job, leaf, t))
            continue;
        *some = true;
        if (job->sets[t].dictionary) {
            f->probe = &plan_dictionary_hope;
            f->nan = false;
        } else {
            f->probe = plan_bloom_hope(lake_type_kind(&bound->terms[t].field->type));
        }
    }
    *some = *some && !(plan_group_ask(job, leaf, job->facts) & LAKE_T);
    for (size_t t = 0; t < bound->nterms; t++) {
        job->facts[t].probe = NULL;
        job->facts[t].nan = nan[t];
    }
    return LAKE_OK;
}

static lake_status ask_blooms(plan_group_job *job, const plan_leaf *leaf, lake_outcomes *out, lake_error *err) {
    size_t n = job->plan->bound->nterms, some = 0;
    for (size_t t = 0; t < n; t++)
        if (job->sets[t].bloom && is_asked(job, leaf, t)) {
            job->facts[t].probe = plan_bloom_probe(job->sets[t].bloom);
            some++;
        }
    if (some)
        *out = plan_group_ask(job, leaf, job->facts);
    for (size_t t = 0; t < n; t++)
        if (job->sets[t].bloom)
            LAKE_TRY(plan_bloom_check(job->sets[t].bloom, err));
    return LAKE_OK;
}

static lake_status ask_dictionaries(plan_group_job *job, const plan_leaf *leaf, lake_outcomes *out, lake_error *err) {
    for (size_t t = 0; t < job->plan->bound->nterms && (*out & LAKE_T); t++) {
        plan_term_sets *s = &job->sets[t];
        if (!s->dictionary || !is_asked(job, leaf, t))
            continue;
        if (!s->dictionary_read)
            LAKE_TRY(plan_dictionary_read(job, s->column, s->chunk, &s->values, &s->nan, err));
        s->dictionary_read = true;
        if (!s->values)
            continue;
        job->facts[t].probe = s->values;
        job->facts[t].nan &= s->nan;
        *out = plan_group_ask(job, leaf, job->facts);
    }
    return LAKE_OK;
}

lake_status plan_probe_group(plan_group_job *job, const lake_parquet_row_group *group, const plan_leaf *leaf,
    lake_outcomes *out, const char **how, lake_error *err) {
    bool some;
    if (!job->sets)
        LAKE_TRY(find_sets(job, group, err));
    LAKE_TRY(hope(job, leaf, &some, err));
    if (!some)
        return LAKE_OK;
    *how = "a Bloom filter";
    LAKE_TRY(ask_blooms(job, leaf, out, err));
    if (!(*out & LAKE_T))
        return LAKE_OK;
    *how = "a dictionary";
    return ask_dictionaries(job, leaf, out, err);
}
