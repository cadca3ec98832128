/* Metrics modes by table properties, and statistics as manifests record them. */
#include "writer/metrics.h"

#include "format/bounds.h"

#define PREFIX "write.metadata.metrics."

static const lake_metrics_mode default_mode = {LAKE_METRICS_TRUNCATE, 16};
static const lake_metrics_mode no_mode = {LAKE_METRICS_NONE, 0};

static bool same_word(lake_str text, const char *word) {
    size_t n = strlen(word);
    if (text.len < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = text.ptr[i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != word[i])
            return false;
    }
    return true;
}

bool lake_metrics_mode_parse(lake_str text, lake_metrics_mode *out) {
    static const struct {
        const char *word;
        lake_metrics_mode mode;
    } words[] = {
        {"none", {LAKE_METRICS_NONE, 0}},
        {"counts", {LAKE_METRICS_COUNTS, 0}},
        {"full", {LAKE_METRICS_FULL, SIZE_MAX}},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text.len == strlen(words[i].word) && same_word(text, words[i].word)) {
            *out = words[i].mode;
            return true;
        }
    const size_t open = sizeof "truncate(" - 1;
    if (!same_word(text, "truncate(") || text.len < open + 2 || text.len > open + 11 || text.ptr[text.len - 1] != ')')
        return false;
    size_t n = 0;
    for (size_t i = open; i + 1 < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        n = n * 10 + (size_t)(text.ptr[i] - '0');
    }
    *out = (lake_metrics_mode){LAKE_METRICS_TRUNCATE, n};
    return n > 0;
}

/* ---- modes of a schema's columns */

static lake_metrics_mode *mode_of(const lake_metrics_config *config, int32_t id) {
    const lake_schema *s = config->schema;
    size_t at = lake_schema_position(s, id);
    return at < s->nby_id ? &config->modes[at] : NULL;
}

lake_metrics_mode lake_metrics_config_mode(const lake_metrics_config *config, int32_t id) {
    const lake_metrics_mode *mode = mode_of(config, id);
    return mode ? *mode : no_mode;
}

lake_status lake_metrics_config_uniform(
    lake_arena *arena, const lake_schema *schema, lake_metrics_mode mode, lake_metrics_config *out, lake_error *err) {
    *out = (lake_metrics_config){schema, LAKE_ARENA_ARRAY(arena, lake_metrics_mode, schema->nby_id)};
    if (!out->modes)
        return lake_fail_memory(err);
    for (size_t i = 0; i < schema->nby_id; i++)
        out->modes[i] = mode;
    return LAKE_OK;
}

/* Gives the default mode to the first *left leaves: those of a struct itself before those of its nested fields. */
static void infer(const lake_metrics_config *config, const lake_type *type, int64_t *left) {
    for (size_t i = 0; i<type->nfields && * left> 0; i++) {
        if (lake_type_is_nested(&type->fields[i].type))
            continue;
        *mode_of(config, type->fields[i].id) = default_mode;
        --*left;
    }
    for (size_t i = 0; i<type->nfields && * left> 0; i++)
        if (lake_type_is_nested(&type->fields[i].type))
            infer(config, &type->fields[i].type, left);
}

static int64_t count_leaves(const lake_schema *schema) {
    int64_t n = 0;
    for (size_t i = 0; i < schema->nby_id; i++)
        n += !lake_type_is_nested(&schema->by_id[i]->type);
    return n;
}

static bool property(const lake_json *properties, const char *key, lake_str *out) {
    const lake_json *v = lake_json_find(properties, key);
    if (!lake_json_is(v, LAKE_JSON_STRING))
        return false;
    *out = v->text;
    return true;
}

/* Columns that are inferred to have metrics: 100 unless the property says another number. */
static int64_t inferred_columns(const lake_json *properties) {
    lake_str text;
    if (!property(properties, PREFIX "max-inferred-column-defaults", &text) || text.len == 0 || text.len > 9)
        return 100;
    int64_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return 100;
        n = n * 10 + (text.ptr[i] - '0');
    }
    return n;
}

static bool keeps_order(const lake_transform *t) {
    return t->id != LAKE_TRANSFORM_BUCKET && t->id != LAKE_TRANSFORM_VOID && t->id != LAKE_TRANSFORM_UNKNOWN;
}

static void raise_sorted(const lake_metrics_config *config, const lake_sort_order *order) {
    for (size_t i = 0; order && i < order->nfields; i++) {
        const lake_sort_field *f = &order->fields[i];
        lake_metrics_mode *mode = f->nsource_ids == 1 ? mode_of(config, f->source_ids[0]) : NULL;
        if (mode && keeps_order(&f->transform) && mode->kind < LAKE_METRICS_TRUNCATE)
            *mode = default_mode;
    }
}

/* .column.NAME, for each column of the schema. */
static lake_status override(
    const lake_metrics_config *config, const lake_json *properties, lake_metrics_mode fallback, lake_error *err) {
    lake_buffer key;
    lake_buffer_init(&key);
    for (size_t i = 0; properties && i < config->schema->nby_id; i++) {
        lake_str text;
        lake_buffer_reset(&key);
        lake_buffer_puts(&key, PREFIX "column.");
        lake_field_full_name(&key, config->schema->by_id[i]);
        lake_buffer_char(&key, 0);
        if (key.failed)
            break;
        if (property(properties, (const char *)key.data, &text) && !lake_metrics_mode_parse(text, &config->modes[i]))
            config->modes[i] = fallback;
    }
    lake_status status = lake_buffer_check(&key, err);
    lake_buffer_clear(&key);
    return status;
}

lake_status lake_metrics_config_from(lake_arena *arena, const lake_schema *schema, const lake_json *properties,
    const lake_sort_order *order, lake_metrics_config *out, lake_error *err) {
    lake_str text;
    lake_metrics_mode fallback = no_mode;
    bool given = property(properties, PREFIX "default", &text);
    if (given && !lake_metrics_mode_parse(text, &fallback))
        fallback = default_mode;
    LAKE_TRY(lake_metrics_config_uniform(arena, schema, fallback, out, err));
    if (!given) {
        int64_t left = inferred_columns(properties);
        fallback = count_leaves(schema) <= left ? default_mode : no_mode;
        infer(out, &schema->root, &left);
    }
    raise_sorted(out, order);
    return override(out, properties, fallback, err);
}

/* ---- statistics as recorded */

static lake_status record_bounds(
    lake_arena *arena, size_t length, const lake_column_stats *c, lake_column_metrics *out, lake_error *err) {
    const lake_type *type = &c->field->type;
    uint8_t scratch[16];
    if (c->has_min) {
        lake_bytes b = lake_bound_cut_lower(type, lake_value_to_binary(type, c->min, scratch), length);
        out->lower = lake_arena_bytes(arena, b.ptr, b.len);
        if (!out->lower.ptr)
            return lake_fail_memory(err);
    }
    if (c->has_max) {
        lake_bytes b;
        LAKE_TRY(lake_bound_cut_upper(arena, type, lake_value_to_binary(type, c->max, scratch), length, &b, err));
        if (!b.ptr)
            return LAKE_OK;
        out->upper = lake_arena_bytes(arena, b.ptr, b.len);
        if (!out->upper.ptr)
            return lake_fail_memory(err);
    }
    return LAKE_OK;
}

static void record_count(lake_column_metrics *out, uint32_t bit, int64_t *member, int64_t count) {
    if (count < 0)
        return;
    *member = count;
    out->has |= bit;
}

lake_status lake_metrics_of_column(
    lake_arena *arena, lake_metrics_mode mode, const lake_column_stats *c, lake_column_metrics *out, lake_error *err) {
    *out = (lake_column_metrics){.id = c->field->id};
    if (mode.kind == LAKE_METRICS_NONE)
        return LAKE_OK;
    record_count(out, LAKE_METRIC_SIZE, &out->size, c->column_size);
    if (c->field->inside_list)
        return LAKE_OK;
    record_count(out, LAKE_METRIC_VALUES, &out->values, c->values);
    record_count(out, LAKE_METRIC_NULLS, &out->nulls, c->nulls);
    record_count(out, LAKE_METRIC_NANS, &out->nans, c->nans);
    if (mode.kind < LAKE_METRICS_TRUNCATE ||
        (lake_type_kind(&c->field->type) == LAKE_KEY_NONE && !lake_type_is_geo(&c->field->type)))
        return LAKE_OK;
    return record_bounds(arena, mode.length, c, out, err);
}

lake_status lake_metrics_of_file(lake_arena *arena, const lake_metrics_config *config, const lake_file_stats *stats,
    lake_column_metrics **out, size_t *n, lake_error *err) {
    *n = 0;
    *out = LAKE_ARENA_ARRAY(arena, lake_column_metrics, stats->ncolumns);
    if (!*out)
        return lake_fail_memory(err);
    for (size_t i = 0; i < stats->ncolumns; i++) {
        lake_column_stats c = stats->columns[i];
        lake_column_metrics *m = &(*out)[*n];
        bool writers = stats->format == LAKE_DATA_ORC; /* of a footer that is all there is, exact ones only */
        c.has_min &= !(writers && c.min_loose);
        c.has_max &= !(writers && c.max_loose);
        LAKE_TRY(lake_metrics_of_column(arena, lake_metrics_config_mode(config, c.field->id), &c, m, err));
        *n += m->has != 0 || m->lower.ptr || m->upper.ptr;
    }
    return LAKE_OK;
}
