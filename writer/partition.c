/* Partition values of new files. Rows agree when there are no nulls among values and the transform gives the same for
   the smallest and the largest value (monotone transforms); for others every value is looked at. */
#include "writer/partition.h"

#include "manifest/layout.h"
#include "writer/metrics.h"
#include "writer/partition_text.h"

static lake_status init_field(const lake_schema *schema, lake_partition_source *s, lake_error *err) {
    const lake_partition_field *f = s->field;
    s->source = f->nsource_ids == 1 ? lake_schema_field(schema, f->source_ids[0]) : NULL;
    s->type = lake_layout_partition_type(schema, f);
    if (f->transform.id == LAKE_TRANSFORM_VOID)
        return LAKE_OK;
    if (f->transform.id == LAKE_TRANSFORM_UNKNOWN || f->nsource_ids != 1)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED,
            "partition field %.*s: cannot write with the unknown transform %.*s", LAKE_ARG(f->name),
            LAKE_ARG(f->transform.text));
    if (!s->source)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "partition field %.*s: its source column %d is not in the schema",
            LAKE_ARG(f->name), f->source_ids[0]);
    if (!lake_transform_accepts(&f->transform, &s->source->type) || s->source->inside_list)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "partition field %.*s: %.*s cannot be applied to column %.*s",
            LAKE_ARG(f->name), LAKE_ARG(f->transform.text), LAKE_ARG(s->source->name));
    s->watched = !lake_transform_is_monotone(&f->transform, &s->source->type);
    return LAKE_OK;
}

static void watch_column(lake_partitioner *p, int32_t id) {
    for (size_t i = 0; i < p->nwatched; i++)
        if (p->watched_ids[i] == id)
            return;
    p->watched_ids[p->nwatched++] = id;
}

lake_status lake_partitioner_init(lake_arena *arena, const lake_schema *schema, const lake_spec *spec, const char *text,
    bool nulls_for_absent, lake_partitioner *out, lake_error *err) {
    *out = (lake_partitioner){.nfields = spec->nfields, .nulls_for_absent = nulls_for_absent};
    out->fields = LAKE_ARENA_ARRAY(arena, lake_partition_source, spec->nfields);
    out->watched_ids = LAKE_ARENA_ARRAY(arena, int32_t, spec->nfields);
    if (!out->fields || !out->watched_ids)
        return lake_fail_memory(err);
    for (size_t i = 0; i < spec->nfields; i++) {
        out->fields[i].field = &spec->fields[i];
        LAKE_TRY(init_field(schema, &out->fields[i], err));
        if (out->fields[i].watched)
            watch_column(out, out->fields[i].source->id);
    }
    return text ? lake_partition_text_read(arena, text, out, err) : LAKE_OK;
}

/* ---- the values of one file */

lake_status lake_partition_watch_init(lake_partition_watch *watch, const lake_partitioner *partitioner,
    lake_str location, lake_arena *arena, lake_error *err) {
    *watch = (lake_partition_watch){.partitioner = partitioner, .location = location, .arena = arena};
    lake_arena_init(&watch->scratch, 0);
    watch->seen = LAKE_ARENA_ARRAY(arena, bool, partitioner->nfields);
    watch->values = LAKE_ARENA_ARRAY(arena, lake_key, partitioner->nfields);
    return watch->seen && watch->values ? LAKE_OK : lake_fail_memory(err);
}

void lake_partition_watch_clear(lake_partition_watch *watch) {
    lake_arena_clear(&watch->scratch);
}

static void print_value(lake_buffer *out, const lake_partition_source *s, lake_bound_state state, lake_key key) {
    if (state == LAKE_BOUND_KEY)
        lake_transform_print(out, &s->field->transform, &s->source->type, key);
    else
        lake_buffer_puts(out, state == LAKE_BOUND_NAN ? "NaN" : "null");
}

/* The place for errors. While values are read, the reader puts the file before its column by itself. */
static lake_str place(const lake_partition_watch *w, bool reading) {
    return reading ? LAKE_STR("") : w->location;
}

typedef struct partition_value {
    lake_bound_state state;
    lake_key key;
} partition_value;

/* "FILE: partition field F of column C: rows differ: some are A, others B" */
static lake_status disagree(const lake_partition_watch *w, const lake_partition_source *s, bool reading,
    const char *first, partition_value a, const char *second, partition_value b, lake_error *err) {
    lake_str at = place(w, reading);
    lake_buffer left, right;
    lake_buffer_init(&left);
    lake_buffer_init(&right);
    print_value(&left, s, a.state, a.key);
    print_value(&right, s, b.state, b.key);
    lake_status status =
        lake_fail(err, LAKE_ERR_MALFORMED, "%.*s%spartition field %.*s of column %.*s: %s %.*s, %s %.*s", LAKE_ARG(at),
            at.len ? ": " : "", LAKE_ARG(s->field->name), LAKE_ARG(s->source->name), first,
            LAKE_ARG(lake_buffer_view(&left)), second, LAKE_ARG(lake_buffer_view(&right)));
    lake_buffer_clear(&left);
    lake_buffer_clear(&right);
    return status;
}

static lake_status rows_differ(const lake_partition_watch *w, const lake_partition_source *s, bool reading,
    partition_value a, partition_value b, lake_error *err) {
    return disagree(w, s, reading, "rows differ: some are", a, "others", b, err);
}

/* The transform of a value, with errors that name file, column and value. */
static lake_status apply(const lake_partition_watch *w, const lake_partition_source *s, bool reading, lake_arena *arena,
    lake_key key, lake_key *out, lake_error *err) {
    lake_bound_state state;
    lake_status status = lake_transform_apply(arena, &s->field->transform, &s->source->type, key, &state, out, err);
    if (status == LAKE_OK)
        return status;
    lake_str at = place(w, reading);
    lake_buffer text;
    lake_buffer_init(&text);
    lake_value_print(&text, &s->source->type, key);
    status = lake_wrap(err, status, "%.*s%scolumn %.*s: value %.*s", LAKE_ARG(at), at.len ? ": " : "",
        LAKE_ARG(s->source->name), LAKE_ARG(lake_buffer_view(&text)));
    lake_buffer_clear(&text);
    return status;
}

static lake_status watch_value(lake_partition_watch *w, size_t i, lake_key key, lake_error *err) {
    const lake_partition_source *s = &w->partitioner->fields[i];
    lake_key result;
    if (s->field->transform.id == LAKE_TRANSFORM_BUCKET) {
        result.i = lake_transform_bucket(&s->source->type, s->field->transform.n, key);
    } else {
        lake_arena_reset(&w->scratch);
        LAKE_TRY(apply(w, s, true, &w->scratch, key, &result, err));
    }
    if (!w->seen[i]) { /* watched results are integers: no bytes to keep */
        w->seen[i] = true;
        w->values[i] = result;
        return LAKE_OK;
    }
    if (result.i == w->values[i].i)
        return LAKE_OK;
    return rows_differ(
        w, s, true, (partition_value){LAKE_BOUND_KEY, w->values[i]}, (partition_value){LAKE_BOUND_KEY, result}, err);
}

lake_status lake_partition_watch_values(
    void *user, const lake_field *field, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    lake_partition_watch *w = user;
    for (size_t i = 0; i < w->partitioner->nfields; i++) {
        const lake_partition_source *s = &w->partitioner->fields[i];
        if (!s->watched || s->source->id != field->id)
            continue;
        for (size_t k = 0; k < n; k++)
            if (present[k])
                LAKE_TRY(watch_value(w, i, keys[k], err));
    }
    return LAKE_OK;
}

/* Statistics of a footer (ORC: rows are not read) that do not give the one value of all rows. */
static lake_status not_proved(const lake_partition_watch *w, const lake_partition_source *s, const lake_column_stats *c,
    const char *why, lake_error *err) {
    return lake_fail(err, LAKE_ERR_UNSUPPORTED,
        "%.*s: partition field %.*s: the file's footer does not prove its value for column %.*s: %s; give it with "
        "--partition, or in the path",
        LAKE_ARG(w->location), LAKE_ARG(s->field->name), LAKE_ARG(c->name), why);
}

/* The value that all rows agree on. There is at least one row, and the file has the column. */
static lake_status from_rows(const lake_partition_watch *w, size_t i, const lake_column_stats *c, lake_arena *arena,
    lake_bound_state *state, lake_key *key, lake_error *err) {
    const lake_partition_source *s = &w->partitioner->fields[i];
    int64_t nans = c->nans > 0 ? c->nans : 0;
    *state = LAKE_BOUND_NONE;
    *key = (lake_key){0};
    if (c->values < 0 || c->nulls < 0)
        return not_proved(w, s, c, "it does not count the column's nulls", err);
    if (c->nulls == c->values)
        return LAKE_OK;
    lake_key high = {0};
    bool valued = c->values - c->nulls > nans;
    if (valued && s->watched && !w->seen[i]) {
        if (!c->has_min || !c->has_max || lake_key_cmp_total(lake_type_kind(&s->source->type), c->min, c->max) != 0)
            return not_proved(w, s, c, "it does not show that all values are the same", err);
        LAKE_TRY(apply(w, s, false, arena, c->min, key, err));
        high = *key;
    } else if (valued && s->watched) {
        *key = high = w->values[i];
    } else if (valued) {
        if (!c->has_min || !c->has_max)
            return not_proved(w, s, c, "there are no bounds", err);
        LAKE_TRY(apply(w, s, false, arena, c->min, key, err));
        LAKE_TRY(apply(w, s, false, arena, c->max, &high, err));
    }
    *state = valued ? LAKE_BOUND_KEY : LAKE_BOUND_NAN;
    const partition_value low = {*state, *key};
    if (c->nulls > 0)
        return rows_differ(w, s, false, (partition_value){LAKE_BOUND_NONE}, low, err);
    if (nans > 0 && valued)
        return rows_differ(w, s, false, (partition_value){LAKE_BOUND_NAN}, low, err);
    if (valued && lake_key_cmp_total(lake_type_kind(&s->type), *key, high) != 0 && (c->min_loose || c->max_loose))
        return not_proved(w, s, c, "its bounds are not exact, and differ", err);
    if (valued && lake_key_cmp_total(lake_type_kind(&s->type), *key, high) != 0)
        return rows_differ(w, s, false, low, (partition_value){LAKE_BOUND_KEY, high}, err);
    return LAKE_OK;
}

static lake_status check_given(const lake_partition_watch *w, const lake_partition_source *s, lake_bound_state state,
    lake_key key, lake_error *err) {
    bool same = state == s->given_state &&
        (state != LAKE_BOUND_KEY || lake_key_cmp_total(lake_type_kind(&s->type), key, s->given_key) == 0);
    if (same)
        return LAKE_OK;
    return disagree(w, s, false, "--partition says", (partition_value){s->given_state, s->given_key}, "the data",
        (partition_value){state, key}, err);
}

/* What --partition or a Hive-style path says of a field. */
static lake_status said_of(const lake_partition_watch *w, const lake_partition_source *s, lake_arena *arena, bool *said,
    partition_value *out, lake_error *err) {
    *said = s->given;
    *out = (partition_value){s->given_state, s->given_key};
    return s->given ? LAKE_OK : lake_partition_path_read(arena, w->location, s, said, &out->state, &out->key, err);
}

/* How rows without the source column read: an identity field of the tuple on it, else the initial default, else null.
 */
static lake_status read_of(const lake_partition_watch *w, const lake_partition_source *s, lake_arena *arena,
    bool *filled, partition_value *out, lake_error *err) {
    *filled = false;
    for (size_t i = 0; i < w->partitioner->nfields && !*filled; i++) {
        const lake_partition_source *t = &w->partitioner->fields[i];
        if (t->source == s->source && t->field->transform.id == LAKE_TRANSFORM_IDENTITY)
            LAKE_TRY(said_of(w, t, arena, filled, out, err));
    }
    if (*filled)
        return LAKE_OK;
    *out = (partition_value){LAKE_BOUND_NONE};
    if (!s->source->initial_default)
        return LAKE_OK;
    return lake_wrap(err,
        lake_value_from_json(arena, &s->source->type, s->source->initial_default, &out->state, &out->key, err),
        "column %.*s: initial default", LAKE_ARG(s->source->name));
}

/* Readers take a column that a data file lacks from its partition only by an identity field (spec.md, "Column
   Projection"). By any other the rows read as the default, and a partition of another value would hide them. */
static lake_status check_absent(const lake_partition_watch *w, const lake_partition_source *s,
    const lake_file_stats *stats, lake_arena *arena, const char *who, partition_value told, lake_error *err) {
    partition_value read;
    bool filled;
    if (s->field->transform.id == LAKE_TRANSFORM_IDENTITY || !w->partitioner->nulls_for_absent ||
        stats->record_count == 0)
        return LAKE_OK;
    LAKE_TRY(read_of(w, s, arena, &filled, &read, err));
    if (read.state == LAKE_BOUND_KEY)
        LAKE_TRY(apply(w, s, false, arena, read.key, &read.key, err));
    if (read.state == told.state &&
        (read.state != LAKE_BOUND_KEY || lake_key_cmp_total(lake_type_kind(&s->type), read.key, told.key) == 0))
        return LAKE_OK;
    return disagree(w, s, false, who, told, "but the file lacks the column, which is then read as", read, err);
}

/* What a reader finds in a column that the file lacks. */
static lake_status from_absence(const lake_partition_watch *w, const lake_partition_source *s,
    const lake_file_stats *stats, lake_arena *arena, lake_bound_state *state, lake_key *key, lake_error *err) {
    *state = LAKE_BOUND_NONE;
    if (stats->record_count == 0)
        return LAKE_OK;
    partition_value known;
    bool filled;
    LAKE_TRY(read_of(w, s, arena, &filled, &known, err));
    bool can_be_null = s->source->nullable && !s->source->initial_default;
    if (!filled &&
        (!w->partitioner->nulls_for_absent || stats->unmatched > 0 || (known.state == LAKE_BOUND_NONE && !can_be_null)))
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "%.*s: partition field %.*s: the file has no column %.*s, and neither --partition nor the path says its "
            "value",
            LAKE_ARG(w->location), LAKE_ARG(s->field->name), LAKE_ARG(s->source->name));
    *state = known.state;
    return known.state == LAKE_BOUND_KEY ? apply(w, s, false, arena, known.key, key, err) : LAKE_OK;
}

/* What --partition or the path says where a footer proves nothing, unless the footer contradicts it. `status`, with its
   error, is what from_rows returned. */
static lake_status from_said(const lake_partition_watch *w, const lake_partition_source *s, const lake_column_stats *c,
    lake_arena *arena, lake_status status, partition_value *out, lake_error *err) {
    bool said;
    partition_value low = {LAKE_BOUND_KEY}, high = {LAKE_BOUND_KEY};
    lake_key_kind kind = lake_type_kind(&s->type);
    lake_error e = {0}; /* err holds what from_rows said */
    lake_status st = said_of(w, s, arena, &said, out, &e);
    if (st != LAKE_OK && err)
        *err = e;
    LAKE_TRY(st);
    if (!said)
        return status;
    const char *who = s->given ? "--partition says" : "the path says";
    if (out->state == LAKE_BOUND_NONE && c->nulls >= 0 && c->nulls < c->values)
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "%.*s: partition field %.*s: %s null, the footer of column %.*s has values", LAKE_ARG(w->location),
            LAKE_ARG(s->field->name), who, LAKE_ARG(c->name));
    if (out->state != LAKE_BOUND_NONE && c->nulls > 0)
        return lake_fail(err, LAKE_ERR_MALFORMED,
            "%.*s: partition field %.*s: %s a value, the footer of column %.*s has nulls", LAKE_ARG(w->location),
            LAKE_ARG(s->field->name), who, LAKE_ARG(c->name));
    if (out->state != LAKE_BOUND_KEY || s->watched || !c->has_min || !c->has_max)
        return LAKE_OK;
    LAKE_TRY(apply(w, s, false, arena, c->min, &low.key, err));
    LAKE_TRY(apply(w, s, false, arena, c->max, &high.key, err));
    if (lake_key_cmp_total(kind, out->key, low.key) < 0)
        return disagree(w, s, false, who, *out, "the footer's least value gives", low, err);
    if (lake_key_cmp_total(kind, out->key, high.key) > 0)
        return disagree(w, s, false, who, *out, "the footer's greatest value gives", high, err);
    return LAKE_OK;
}

static lake_status find_value(const lake_partition_watch *w, size_t i, const lake_file_stats *stats, lake_arena *arena,
    lake_bound_state *state, lake_key *key, lake_error *err) {
    const lake_partition_source *s = &w->partitioner->fields[i];
    *state = LAKE_BOUND_NONE;
    if (s->field->transform.id == LAKE_TRANSFORM_VOID)
        return LAKE_OK;
    const lake_column_stats *c = lake_file_stats_column(stats, s->source->id);
    if (c && stats->record_count > 0) {
        lake_status status = from_rows(w, i, c, arena, state, key, err);
        if (status == LAKE_ERR_UNSUPPORTED && stats->from_footer) {
            partition_value told;
            LAKE_TRY(from_said(w, s, c, arena, status, &told, err));
            *state = told.state;
            *key = told.key;
            return LAKE_OK;
        }
        LAKE_TRY(status);
        return s->given ? check_given(w, s, *state, *key, err) : LAKE_OK;
    }
    bool said;
    partition_value told;
    LAKE_TRY(said_of(w, s, arena, &said, &told, err));
    if (!said)
        return from_absence(w, s, stats, arena, state, key, err);
    *state = told.state;
    *key = told.key;
    return check_absent(w, s, stats, arena, s->given ? "--partition says" : "the path says", told, err);
}

lake_status lake_partition_values(const lake_partition_watch *watch, const lake_file_stats *stats, lake_arena *arena,
    lake_datum **out, lake_error *err) {
    size_t n = watch->partitioner->nfields;
    *out = LAKE_ARENA_ARRAY(arena, lake_datum, n);
    if (!*out)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        lake_bound_state state;
        lake_key key = {0};
        LAKE_TRY(find_value(watch, i, stats, arena, &state, &key, err));
        if (state == LAKE_BOUND_NAN)
            (*out)[i] = (lake_datum){.kind = LAKE_DATUM_FLOAT, .f = __builtin_nan("")};
        else if (state == LAKE_BOUND_KEY)
            LAKE_TRY(lake_value_to_datum(arena, &watch->partitioner->fields[i].type, key, &(*out)[i], err));
        else
            (*out)[i] = (lake_datum){.kind = LAKE_DATUM_NULL};
    }
    return LAKE_OK;
}
